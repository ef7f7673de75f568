/*
 * test_random.c - random numbers: Philox against its authors' vectors, what
 * the numbers are distributed like, and what changes them.
 */
#include <math.h>
#include <string.h>

#include "ir/random.h"
#include "tests/test.h"

// kat_vectors of Random123 1.14: philox4x32, 10 rounds.
static const struct vector {
    uint32_t counter[4], key[2], result[4];
} vectors[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

static void philox(void)
{
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint32_t result[4];
        mw_philox(vectors[i].key, vectors[i].counter, result);
        CHECK(memcmp(result, vectors[i].result, sizeof result) == 0,
              "vector %zu: %08x %08x %08x %08x", i, result[0], result[1],
              result[2], result[3]);
    }
}

enum { N = 40000 };

// Mean and variance lie within five standard errors.
static void check_moments(const char *name, const mw_random_fill *fill,
                          double mean, double variance, double fourth)
{
    mw_random random = mw_random_of(1, 2, 3);
    double sum = 0, squares = 0;
    for (uint64_t i = 0; i < N; i++) {
        double x =
            fill->fn(fill->a, fill->b, MW_F64, mw_random_bits(&random, i)) -
            mean;
        sum += x;
        squares += x * x;
    }
    CHECK(fabs(sum / N) < 5 * sqrt(variance / N), "%s: the mean is off by %g",
          name, sum / N);
    CHECK(fabs(squares / N - variance) <
              5 * sqrt((fourth - variance * variance) / N) + 1e-12,
          "%s: the variance is %g, wanted %g", name, squares / N, variance);
}

static void moments(void)
{
    const mw_random_fill uniform = {mw_random_uniform_fn, -1, 3};
    const mw_random_fill normal = {mw_random_normal_fn, 2, 0.5};
    const mw_random_fill bernoulli = {mw_random_bernoulli_fn, 0.1, 0};
    check_moments("uniform", &uniform, 1, 16.0 / 12, 256.0 / 80);
    check_moments("normal", &normal, 2, 0.25, 3 * 0.0625);
    check_moments("bernoulli", &bernoulli, 0.1, 0.09,
                  0.1 * 0.9 * (0.1 * 0.1 * 0.1 + 0.9 * 0.9 * 0.9));
}

// Another seed, stream, step or element gives other bits.
static void keys(void)
{
    static const uint64_t all[][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0},
                                      {0, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 0, 4},
                                      {1, 1, 0, 0}, {0, 1, 1, 0}};
    enum { COUNT = sizeof all / sizeof all[0] };
    uint64_t bits[COUNT];
    for (int i = 0; i < COUNT; i++) {
        mw_random random = mw_random_of(all[i][0], all[i][1], all[i][2]);
        bits[i] = mw_random_bits(&random, all[i][3]);
        for (int k = 0; k < i; k++)
            CHECK(bits[i] != bits[k] &&
                      (uint32_t)bits[i] != (uint32_t)bits[k] &&
                      bits[i] >> 32 != bits[k] >> 32,
                  "keys %d and %d give the same bits", i, k);
    }
}

static void ranges(void)
{
    CHECK(mw_random_unit_f32(UINT64_MAX) < 1 && mw_random_unit_f32(0) >= 0,
          "f32: the ends are %g and %g", mw_random_unit_f32(0),
          mw_random_unit_f32(UINT64_MAX));
    CHECK((float)mw_random_unit_f32(UINT64_MAX) < 1.0F, "f32 rounds to 1");
    CHECK(mw_random_unit_f64(UINT64_MAX) < 1 && mw_random_unit_f64(0) >= 0,
          "f64: the end is %g", mw_random_unit_f64(UINT64_MAX));
    CHECK(isfinite(mw_random_normal(0)) &&
              isfinite(mw_random_normal(UINT64_MAX)),
          "normal: the ends are %g and %g", mw_random_normal(0),
          mw_random_normal(UINT64_MAX));
}

const mw_suite mw_suite_random = {"random",
                                  {{"philox by its vectors", philox},
                                   {"moments", moments},
                                   {"what changes the bits", keys},
                                   {"ends of the ranges", ranges}}};
