/* adam.c - Adam with decoupled weight decay (Kingma and Ba; Loshchilov and
 * Hutter), bias corrections given. */
#include <math.h>

#include "ir/update.h"

/* fix1, fix2: 1 - b^t */
enum { RATE, SCALE, FIX1, FIX2, B1, B2, EPS, EPS_ROOT, DECAY };

static void step(double x[], double g, const double s[])
{
    g *= s[SCALE];
    x[1] = s[B1] * x[1] + (1 - s[B1]) * g;
    x[2] = s[B2] * x[2] + (1 - s[B2]) * g * g;
    double m = x[1] / s[FIX1], v = x[2] / s[FIX2];
    double u = m / (sqrt(v + s[EPS_ROOT]) + s[EPS]);
    x[0] -= s[RATE] * (u + s[DECAY] * x[0]);
}

static const char *const names[] = {"b1",       "b2",    "eps",
                                    "eps_root", "decay", NULL};

static const mw_update update = {
    .n_tensors = 3, .n_scalars = 4, .attrs = names, .step = step};

static const mw_attr_rule attrs[] = {
    {"b1", MW_ATTR_FLOAT, MW_ATTR_NAMED, false},
    {"b2", MW_ATTR_FLOAT, MW_ATTR_NAMED, false},
    {"eps", MW_ATTR_FLOAT, MW_ATTR_NAMED, false},
    {"eps_root", MW_ATTR_FLOAT, MW_ATTR_NAMED, false},
    {"decay", MW_ATTR_FLOAT, MW_ATTR_NAMED, false},
    {0},
};

const mw_op_def mw_op_adam = {
    MW_UPDATE_ROW(3, 4),
    .name = "adam",
    .brief = "adam(w, m, v, g, rate, scale, fix1, fix2, apply)",
    .attrs = attrs,
    .update = &update,
    .flops = 16,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\nparam w : f32[a, b]\n"
            "state m : f32[a, b] = 0.5\nstate v : f32[a, b] = 2\n"
            "input g : f32[b, a]\ninput rate : f32[]\ninput scale : f32[]\n"
            "const f1 : f32[] = 0.5\nconst f2 : f32[] = 0.25\n"
            "const on : bool[] = 1\n"
            "w2, m2, v2 = adam(w, m, v, g, rate, scale, f1, f2, on, b1=0.9, "
            "b2=0.99, eps=1e-8, eps_root=1, decay=0.1) : f32[a, b], f32[a, b], "
            "f32[a, b]\noutput w2\n",
            NULL,
        },
};
