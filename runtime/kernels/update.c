/* update.c - optimizers' fused updates: one dense pass in place, where all
 * tensors lie alike. */
#include "ir/update.h"
#include "runtime/kernel.h"
#include "runtime/kernels/vector.h"
#include "runtime/parallel.h"

enum { OPERANDS = MW_UPDATE_TENSORS + 1 };

/* What is written is another tensor's memory or, element by element, that of
 * the one it replaces: an element never reads what another one wrote. */
#define IN_PLACE _Pragma("omp simd")

/* Elements lo to hi of tensors x[] into y[], with the gradient g and scalars in
 * the order of the op's row. */
typedef void pass_fn(int64_t lo, int64_t hi, void *const y[],
                     const void *const x[], const void *g, const double s[]);

typedef struct pass {
    pass_fn *fn;
    void *y[OPERANDS];
    const void *x[OPERANDS], *g;
    double scalar[MW_UPDATE_SCALARS];
} pass;

#define ADAM(name, type, root)                                                 \
    MW_VECTOR static void adam_##name(int64_t lo, int64_t hi, void *const y[], \
                                      const void *const x[], const void *d,    \
                                      const double s[])                        \
    {                                                                          \
        const type *w = x[0], *m = x[1], *v = x[2], *g = d;                    \
        type *to_w = y[0], *to_m = y[1], *to_v = y[2];                         \
        const type rate = (type)s[0], scale = (type)s[1];                      \
        const type fix1 = (type)s[2], fix2 = (type)s[3];                       \
        const type b1 = (type)s[4], b2 = (type)s[5];                           \
        const type c1 = (type)(1 - s[4]), c2 = (type)(1 - s[5]);               \
        const type eps = (type)s[6], inner = (type)s[7], decay = (type)s[8];   \
        IN_PLACE for (int64_t i = lo; i < hi; i++)                             \
        {                                                                      \
            type a = g[i] * scale, mean = b1 * m[i] + c1 * a;                  \
            type square = b2 * v[i] + c2 * a * a;                              \
            type step = mean / fix1 / (root(square / fix2 + inner) + eps);     \
            to_w[i] = w[i] - rate * (step + decay * w[i]);                     \
            to_m[i] = mean;                                                    \
            to_v[i] = square;                                                  \
        }                                                                      \
    }

#define OTHERS(name, type)                                                     \
    MW_VECTOR static void sgd_##name(int64_t lo, int64_t hi, void *const y[],  \
                                     const void *const x[], const void *d,     \
                                     const double s[])                         \
    {                                                                          \
        const type *w = x[0], *g = d;                                          \
        type *to = y[0];                                                       \
        const type rate = (type)s[0], scale = (type)s[1];                      \
        IN_PLACE for (int64_t i = lo; i < hi; i++) to[i] =                     \
            w[i] - rate * (g[i] * scale);                                      \
    }                                                                          \
    MW_VECTOR static void momentum_##name(                                     \
        int64_t lo, int64_t hi, void *const y[], const void *const x[],        \
        const void *d, const double s[])                                       \
    {                                                                          \
        const type *w = x[0], *t = x[1], *g = d;                               \
        type *to_w = y[0], *to_t = y[1];                                       \
        const type rate = (type)s[0], scale = (type)s[1];                      \
        const type keep = (type)s[2], ahead = (type)(s[3] > 0);                \
        IN_PLACE for (int64_t i = lo; i < hi; i++)                             \
        {                                                                      \
            type a = g[i] * scale, sum = a + keep * t[i];                      \
            type step = ahead > 0 ? a + keep * sum : sum;                      \
            to_w[i] = w[i] - rate * step;                                      \
            to_t[i] = sum;                                                     \
        }                                                                      \
    }                                                                          \
    MW_VECTOR static void accumulate_##name(                                   \
        int64_t lo, int64_t hi, void *const y[], const void *const x[],        \
        const void *d, const double s[])                                       \
    {                                                                          \
        const type *mean = x[0], *g = d;                                       \
        type *to = y[0];                                                       \
        const type n = (type)s[0];                                             \
        IN_PLACE for (int64_t i = lo; i < hi; i++) to[i] =                     \
            n > 1 ? mean[i] + (g[i] - mean[i]) / n : g[i];                     \
    }

ADAM(f32, float, sqrtf)
ADAM(f64, double, sqrt)
OTHERS(f32, float)
OTHERS(f64, double)

static void run_part(void *arg, int64_t lo, int64_t hi)
{
    const pass *p = arg;
    p->fn(lo, hi, p->y, p->x, p->g, p->scalar);
}

// Tensors and gradient have one dtype and their letters in one order.
static bool lie_alike(const mw_kernel_call *call, int n)
{
    const mw_operand *first = &call->op->in[0];
    for (int i = 1; i <= n; i++) {
        if (call->in[i].dtype != call->in[0].dtype)
            return false;
        for (int a = 0; a < call->in[0].rank; a++)
            if (call->op->in[i].letter[a] != first->letter[a])
                return false;
    }
    return true;
}

static bool run(const mw_kernel_call *call, pass_fn *f32, pass_fn *f64)
{
    const mw_update *u = call->op->def->update;
    pass p = {.fn = call->in[0].dtype == MW_F32 ? f32 : f64};
    int64_t n = 1;
    bool known = call->in[0].dtype == MW_F32 || call->in[0].dtype == MW_F64;
    if (!known || !lie_alike(call, u->n_tensors) ||
        !mw_update_scalars(call->op, call->in, p.scalar))
        return false;
    for (int i = 0; i < u->n_tensors; i++) {
        p.x[i] = call->in[i].data;
        p.y[i] = call->out[i].data;
    }
    p.g = call->in[u->n_tensors].data;
    for (int a = 0; a < call->in[0].rank; a++)
        n *= call->in[0].size[a];
    mw_parallel(n < 4096 ? 1 : call->threads, n, run_part, &p);
    return true;
}

#define RUN(op)                                                                \
    static bool run_##op(const mw_kernel_call *call)                           \
    {                                                                          \
        return run(call, op##_f32, op##_f64);                                  \
    }
RUN(adam)
RUN(sgd)
RUN(momentum)
RUN(accumulate)

static const mw_kernel_row rows[] = {
    {"adam", MW_KERNEL_ANY, run_adam},
    {"sgd", MW_KERNEL_ANY, run_sgd},
    {"momentum", MW_KERNEL_ANY, run_momentum},
    {"accumulate", MW_KERNEL_ANY, run_accumulate},
    {0},
};

const mw_kernel_def mw_kernel_update = {
    .name = "update",
    .brief = "fused updates of optimizers, in one pass",
    .rows = rows,
};
