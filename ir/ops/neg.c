/* neg.c - -x; integers wrap. */
#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return -x[0];
}

static uint64_t u(const uint64_t x[])
{
    return 0 - x[0];
}

static const mw_scalar scalar = {.f = f, .u = u, .ring = true};

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    (void)op;
    return mw_grad_map1(g, "neg", dout[0], &din[0]);
}

const mw_op_def mw_op_neg = {
    MW_MAP_ROW(1),
    .name = "neg",
    .brief = "-x; integers wrap",
    .scalar = &scalar,
    .linear = {1},
    .grad = grad,
    .samples = (const char *const[]){MW_SAMPLE_1("neg", "f32", "f32"),
                                     MW_SAMPLE_1("neg", "i64", "i64"), NULL},
};
