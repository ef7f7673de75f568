/* mul.c - x * y; integers wrap. */
#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return x[0] * x[1];
}

static uint64_t u(const uint64_t x[])
{
    return x[0] * x[1];
}

static const mw_scalar scalar = {.f = f, .u = u, .ring = true};

// Each gets the other's times what the product gets.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    for (int i = 0; i < 2; i++)
        if (mw_grad_wants(g, i))
            MW_TRY(mw_grad_share_mul(g, op, i, dout[0], op->in[1 - i].tensor,
                                     &din[i]));
    return MW_OK;
}

const mw_op_def mw_op_mul = {
    MW_MAP_ROW(2),
    .name = "mul",
    .brief = "x * y; integers wrap",
    .scalar = &scalar,
    .end = MW_END_SCALE,
    .linear = {1, 2},
    .grad = grad,
    .shift = MW_SHIFT_MUL,
    .samples = (const char *const[]){MW_SAMPLE_2("mul", "f32", "f32"),
                                     MW_SAMPLE_2("mul", "i64", "i64"), NULL},
};
