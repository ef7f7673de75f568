/* momentum.c - a step along the decayed sum of gradients. */
#include "ir/update.h"

enum { RATE, SCALE, DECAY, NESTEROV };

static void step(double x[], double g, const double s[])
{
    g *= s[SCALE];
    x[1] = g + s[DECAY] * x[1];
    x[0] -= s[RATE] * (s[NESTEROV] > 0 ? g + s[DECAY] * x[1] : x[1]);
}

static const char *const names[] = {"decay", "nesterov", NULL};

static const mw_update update = {
    .n_tensors = 2, .n_scalars = 2, .attrs = names, .step = step};

static const mw_attr_rule attrs[] = {
    {"decay", MW_ATTR_FLOAT, MW_ATTR_NAMED, false},
    {"nesterov", MW_ATTR_FLOAT, MW_ATTR_NAMED, false},
    {0},
};

const mw_op_def mw_op_momentum = {
    MW_UPDATE_ROW(2, 2),
    .name = "momentum",
    .brief = "momentum(w, trace, g, rate, scale, apply): a step along the "
             "decayed sum of gradients",
    .attrs = attrs,
    .update = &update,
    .flops = 6,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\nparam w : f32[a, b]\n"
            "state t : f32[a, b] = 0.5\ninput g : f32[a, b]\n"
            "input rate : f32[]\ninput scale : f32[]\ninput on : bool[]\n"
            "w2, t2 = momentum(w, t, g, rate, scale, on, decay=0.9, "
            "nesterov=1) : f32[a, b], f32[a, b]\noutput w2\n",
            NULL,
        },
};
