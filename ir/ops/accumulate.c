/* accumulate.c - the running mean of gradients: the first one replaces what was
 * there. */
#include "ir/update.h"

enum { COUNT };

static void step(double x[], double g, const double s[])
{
    x[0] = s[COUNT] > 1 ? x[0] + (g - x[0]) / s[COUNT] : g;
}

static const mw_update update = {.n_tensors = 1, .n_scalars = 1, .step = step};

const mw_op_def mw_op_accumulate = {
    MW_UPDATE_ROW(1, 1),
    .name = "accumulate",
    .brief = "accumulate(mean, g, count, apply): the mean of count gradients, "
             "g being the last",
    .update = &update,
    .flops = 3,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\nstate s : f32[a, b] = 1\n"
            "input g : f32[b, a]\nconst n : f32[] = 3\nconst on : bool[] = 1\n"
            "s2 = accumulate(s, g, n, on) : f32[a, b]\noutput s2\n",
            NULL,
        },
};
