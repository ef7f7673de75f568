/* sgd.c - w - rate d g. */
#include "ir/update.h"

enum { RATE, SCALE };

static void step(double x[], double g, const double s[])
{
    x[0] -= s[RATE] * (g * s[SCALE]);
}

static const mw_update update = {.n_tensors = 1, .n_scalars = 2, .step = step};

const mw_op_def mw_op_sgd = {
    MW_UPDATE_ROW(1, 2),
    .name = "sgd",
    .brief = "sgd(w, g, rate, scale, apply): a step along the gradient",
    .update = &update,
    .flops = 3,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\nparam w : f32[a, b]\n"
            "input g : f32[b, a]\ninput rate : f32[]\ninput scale : f32[]\n"
            "input on : bool[]\n"
            "w2 = sgd(w, g, rate, scale, on) : f32[a, b]\noutput w2\n",
            NULL,
        },
};
