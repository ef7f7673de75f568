/* random.c - random numbers, the block dealt out to threads in equal parts;
 * the values are the reference's, whose functions make them. */
#include "ir/random.h"

#include "ir/loop.h"
#include "runtime/kernel.h"
#include "runtime/parallel.h"

enum { THREAD_MIN = 4096 };

typedef struct work {
    const mw_kernel_call *call;
    const mw_random_fill *fill;
} work;

static void fill_part(void *arg, int64_t lo, int64_t hi)
{
    const work *w = arg;
    mw_random_part(w->call->op, w->fill, w->call->in, w->call->out, lo,
                   hi - lo);
}

static bool run(const mw_kernel_call *call, const mw_random_fill *fill)
{
    work w = {.call = call, .fill = fill};
    int64_t n = mw_view_elements(call->out);
    mw_parallel(n < THREAD_MIN ? 1 : call->threads, n, fill_part, &w);
    return true;
}

static bool run_uniform(const mw_kernel_call *call)
{
    const mw_random_fill fill = mw_random_uniform_of(call->op);
    return run(call, &fill);
}

static bool run_normal(const mw_kernel_call *call)
{
    const mw_random_fill fill = mw_random_normal_of(call->op);
    return run(call, &fill);
}

static bool run_bernoulli(const mw_kernel_call *call)
{
    const mw_random_fill fill = mw_random_bernoulli_of(call->op);
    return run(call, &fill);
}

static const mw_kernel_row rows[] = {
    {"random_uniform", MW_I64, run_uniform},
    {"random_normal", MW_I64, run_normal},
    {"random_bernoulli", MW_I64, run_bernoulli},
    {0},
};

const mw_kernel_def mw_kernel_random = {
    .name = "random",
    .brief = "random numbers, on all threads",
    .rows = rows,
};
