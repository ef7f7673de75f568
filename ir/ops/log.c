/* log.c - natural logarithm. */
#include <math.h>

#include "ir/grad.h"
#include "ir/scalar.h"

static double f(const double x[])
{
    return log(x[0]);
}

static const mw_scalar scalar = {.f = f};

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    return mw_grad_map2(g, "div", dout[0], op->in[0].tensor, &din[0]);
}

const mw_op_def mw_op_log = {
    MW_MAP_ROW(1),
    .slow = true,
    .name = "log",
    .brief = "natural logarithm",
    .scalar = &scalar,
    .grad = grad,
    .shift = MW_SHIFT_LOG,
    .samples = (const char *const[]){MW_SAMPLE_1("log", "f32", "f32"), NULL},
};
