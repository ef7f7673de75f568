/* test_sgemm.c - products by our own loops equal plain ones, as matrices may
 * lie, on any number of threads to the bit, and write nothing beside. */
#include "runtime/sgemm.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "tests/test.h"

enum { BESIDE = 3, THREADS = 4 };

typedef struct matrices {
    int64_t m, n, k;
    bool turned_a, turned_b, add;
} matrices;

static float value(uint64_t *state)
{
    return (float)(mw_test_random(state) % 2001) / 1000 - 1;
}

static int64_t up_to(uint64_t most, uint64_t *state)
{
    return (int64_t)(mw_test_random(state) % (most + 1));
}

static void fill(float *x, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = value(state);
}

static mw_sgemm_matrix lay(const float *x, int64_t rows, int64_t columns,
                           bool turned)
{
    int64_t ld = (turned ? rows : columns) + BESIDE;
    return (mw_sgemm_matrix){x, turned ? 1 : ld, turned ? ld : 1};
}

// The largest error, and whether what lies beside c is as it was.
static double compare(const mw_sgemm *p, const float *before, bool *clean)
{
    double worst = 0;
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->c_row; j++) {
            int64_t at = i * p->c_row + j;
            double sum = p->add || j >= p->n ? (double)before[at] : 0;
            for (int64_t k = 0; k < p->k && j < p->n; k++)
                sum += (double)p->a.data[i * p->a.row + k * p->a.column] *
                       (double)p->b.data[k * p->b.row + j * p->b.column];
            double error = fabs(sum - (double)p->c[at]);
            if (j < p->n)
                worst = error > worst ? error : worst;
            else
                *clean = *clean && error == 0;
        }
    return worst;
}

static void check_product(const matrices *x, uint64_t *state)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    int64_t a_n = (x->m + BESIDE) * (x->k + BESIDE);
    int64_t b_n = (x->k + BESIDE) * (x->n + BESIDE);
    int64_t c_n = x->m * (x->n + BESIDE);
    float *a = mw_mem_alloc(&ctx, (size_t)(a_n + b_n + 3 * c_n), sizeof *a);
    if (!CHECK(a, "%s", ctx.message))
        return;
    float *b = a + a_n, *c = b + b_n, *before = c + c_n, *first = before + c_n;
    fill(a, a_n + b_n + 2 * c_n, state);
    mw_sgemm p = {.m = x->m,
                  .n = x->n,
                  .k = x->k,
                  .a = lay(a, x->m, x->k, x->turned_a),
                  .b = lay(b, x->k, x->n, x->turned_b),
                  .c = c,
                  .c_row = x->n + BESIDE,
                  .add = x->add};
    bool clean = true, same = true, ran = true;
    double worst = 0;
    for (int threads = 1; threads <= THREADS; threads++) {
        memcpy(c, before, (size_t)c_n * sizeof *c);
        ran = mw_sgemm_run(&p, threads) && ran;
        if (threads == 1) {
            worst = compare(&p, before, &clean);
            memcpy(first, c, (size_t)c_n * sizeof *c);
        }
        same = same && memcmp(first, c, (size_t)c_n * sizeof *c) == 0;
    }
    CHECK(ran && clean && same && worst < 1e-6 * (double)(x->k + 10),
          "%lld x %lld x %lld, turned %d %d, add %d: ran %d, clean %d, same "
          "%d, off by %g",
          (long long)x->m, (long long)x->n, (long long)x->k, x->turned_a,
          x->turned_b, x->add, ran, clean, same, worst);
    mw_mem_free(a);
    mw_ctx_free(&ctx);
}

// What it takes where the processor can.
static bool runs_here(void)
{
    enum { N = 64 };
    static const float a[N * N], b[N * N];
    float c[N * N];
    const mw_sgemm p = {N, N, N, {a, N, 1}, {b, N, 1}, c, N, false};
    return mw_sgemm_run(&p, 1);
}

static void products(void)
{
    // blocks of 384 summands and 512 columns, and panels of 14 rows, end within
    static const int64_t sizes[][3] = {
        {8, 530, 400}, {57, 600, 30},  {16, 16, 800}, {300, 33, 64},
        {14, 32, 385}, {15, 513, 384}, {71, 17, 61},  {128, 256, 64},
    };
    enum { N_SIZES = sizeof sizes / sizeof sizes[0], N_RANDOM = 60 };
    uint64_t state = 7;
    if (!runs_here()) {
        SKIP("sgemm: the processor has no AVX-512");
        return;
    }
    for (int i = 0; i < N_SIZES + N_RANDOM; i++)
        for (unsigned lie = 0; lie < 8; lie++) {
            matrices x = {
                .turned_a = lie & 1, .turned_b = lie >> 1 & 1, .add = lie >> 2};
            bool known = i < N_SIZES;
            x.m = known ? sizes[i][0] : 8 + up_to(59, &state);
            x.n = known ? sizes[i][1] : 64 + up_to(59, &state);
            x.k = known ? sizes[i][2] : 128 + up_to(59, &state);
            check_product(&x, &state);
        }
}

// Too little of something is left to others, and nothing is written.
static void left_to_others(void)
{
    static const int64_t sizes[][3] = {
        {0, 64, 64},   {64, 0, 64},   {64, 64, 0}, {1, 900, 900},
        {900, 1, 900}, {900, 900, 1}, {8, 16, 8}};
    float x = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const mw_sgemm p = {.m = sizes[i][0],
                            .n = sizes[i][1],
                            .k = sizes[i][2],
                            .a = {&x, 1, 1},
                            .b = {&x, 1, 1},
                            .c = &x,
                            .c_row = 1};
        CHECK(!mw_sgemm_run(&p, 1) && x == 1, "%lld x %lld x %lld",
              (long long)p.m, (long long)p.n, (long long)p.k);
    }
}

const mw_suite mw_suite_sgemm = {
    "sgemm",
    {{"products equal plain ones", products},
     {"what is small is left to others", left_to_others}}};
