/* bench_machine.c - what one core can do: its rate of fused multiply-adds, and
 * the time of matrix products alone, as the runtime multiplies and by BLAS.
 *
 * Arguments: products as MxNxKxBATCHxCOUNT, the last two 1 where left out.
 * Prints name, value, unit, a line each; `products` is the sum over all, and
 * `blas` that by BLAS. */
#include <cblas.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/clock.h"
#include "base/mem.h"
#include "runtime/gemm_run.h"

enum { CHAINS = 12, ROUNDS = 20, STEPS = 1 << 21, REPEATS = 5 };

// Each runs STEPS rounds of CHAINS independent multiply-adds and returns how
// many flops that was; the sum is kept so that nothing is left out.
typedef double fma_fn(float *sum);

#if defined(__x86_64__)
__attribute__((target("avx512f"))) static double fma_512(float *sum)
{
    __m512 chain[CHAINS], x = _mm512_set1_ps(1e-9F), y = _mm512_set1_ps(0.5F);
    for (int c = 0; c < CHAINS; c++)
        chain[c] = _mm512_set1_ps((float)c);
    for (int i = 0; i < STEPS; i++)
        for (int c = 0; c < CHAINS; c++)
            chain[c] = _mm512_fmadd_ps(chain[c], y, x);
    for (int c = 0; c < CHAINS; c++)
        *sum += _mm512_reduce_add_ps(chain[c]);
    return 2.0 * 16 * CHAINS * STEPS;
}

__attribute__((target("avx2,fma"))) static double fma_256(float *sum)
{
    __m256 chain[CHAINS], x = _mm256_set1_ps(1e-9F), y = _mm256_set1_ps(0.5F);
    for (int c = 0; c < CHAINS; c++)
        chain[c] = _mm256_set1_ps((float)c);
    for (int i = 0; i < STEPS; i++)
        for (int c = 0; c < CHAINS; c++)
            chain[c] = _mm256_fmadd_ps(chain[c], y, x);
    for (int c = 0; c < CHAINS; c++) {
        float lane[8];
        _mm256_storeu_ps(lane, chain[c]);
        *sum += lane[0];
    }
    return 2.0 * 8 * CHAINS * STEPS;
}
#endif

static double fma_plain(float *sum)
{
    float chain[CHAINS * 4];
    for (int c = 0; c < CHAINS * 4; c++)
        chain[c] = (float)c;
    for (int i = 0; i < STEPS / 4; i++)
        for (int c = 0; c < CHAINS * 4; c++)
            chain[c] = chain[c] * 0.5F + 1e-9F;
    for (int c = 0; c < CHAINS * 4; c++)
        *sum += chain[c];
    return 2.0 * CHAINS * STEPS;
}

static fma_fn *widest(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return fma_512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return fma_256;
#endif
    return fma_plain;
}

static void print_peak(void)
{
    fma_fn *fn = widest();
    float sum = 0;
    double best = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double start = mw_clock_s(), flops = fn(&sum);
        double rate = flops / (mw_clock_s() - start);
        best = rate > best ? rate : best;
    }
    (void)printf("fma\t%.4g\tflop/s\n", sum == 0 ? 0 : best);
}

/* A batch of products of row-major matrices, `count` times. */
typedef struct products {
    int m, n, k, batch, count;
} products;

static bool read_products(const char *text, products *p)
{
    *p = (products){.batch = 1, .count = 1};
    int n = sscanf(text, "%dx%dx%dx%dx%d", &p->m, &p->n, &p->k, &p->batch,
                   &p->count);
    return n >= 3 && p->m > 0 && p->n > 0 && p->k > 0 && p->batch > 0 &&
           p->count > 0;
}

static void fill(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 7) - 3;
}

typedef void multiply_fn(const products *p, const float *a, const float *b,
                         float *c);

static void by_runtime(const products *p, const float *a, const float *b,
                       float *c)
{
    const mw_blas_matrix x = {a, false, p->k}, y = {b, false, p->n};
    const mw_blas_matrix to = {c, false, p->n};
    mw_blas_multiply(sizeof *c, &x, &y, &to, (int64_t[3]){p->m, p->n, p->k},
                     false, 1);
}

static void by_blas(const products *p, const float *a, const float *b, float *c)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p->m, p->n, p->k,
                1.0F, a, p->k, b, p->n, 0.0F, c, p->n);
}

// Seconds of one product each way; false without memory for it.
static bool time_products(mw_ctx *ctx, const products *p, double best[2])
{
    multiply_fn *const way[2] = {by_runtime, by_blas};
    size_t a_n = (size_t)p->m * (size_t)p->k, b_n = (size_t)p->k * (size_t)p->n;
    size_t c_n = (size_t)p->m * (size_t)p->n, batch = (size_t)p->batch;
    float *all = mw_mem_alloc(ctx, batch * (a_n + b_n + c_n), sizeof *all);
    if (!all)
        return false;
    float *a = all, *b = a + batch * a_n, *c = b + batch * b_n;
    fill(a, batch * (a_n + b_n));
    for (int r = 0; r < 2 * (REPEATS + 1); r++) { // the first brings pages in
        double start = mw_clock_s();
        for (size_t i = 0; i < batch; i++)
            way[r % 2](p, a + i * a_n, b + i * b_n, c + i * c_n);
        double took = mw_clock_s() - start;
        if (r < 4 || took < best[r % 2])
            best[r % 2] = took;
    }
    mw_mem_free(all);
    return true;
}

int main(int argc, char **argv)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    print_peak();
    openblas_set_num_threads(1);
    double sum[2] = {0};
    for (int i = 1; i < argc; i++) {
        products p;
        if (!read_products(argv[i], &p)) {
            (void)fprintf(stderr,
                          "bench_machine: found '%s', wanted "
                          "MxNxKxBATCHxCOUNT\n",
                          argv[i]);
            return 2;
        }
        double took[2];
        if (!time_products(&ctx, &p, took)) {
            (void)fprintf(stderr, "bench_machine: no memory for %s\n", argv[i]);
            return 1;
        }
        double flops = 2.0 * p.m * p.n * p.k * p.batch;
        (void)printf("product/%s\t%.4g\tflop/s\n", argv[i], flops / took[0]);
        for (int w = 0; w < 2; w++)
            sum[w] += took[w] * p.count;
    }
    (void)printf("products\t%.6g\ts\nblas\t%.6g\ts\n", sum[0], sum[1]);
    mw_ctx_free(&ctx);
    return 0;
}
