/*
 * random.h - counter-based random numbers: Philox 4x32-10 (Salmon et al.,
 * "Parallel random numbers: as easy as 1, 2, 3", 2011).
 *
 * The key comes from the attributes `seed` and `stream` (the op's number in its
 * model) and from the operand, the training step, a scalar i64. Element i of
 * the whole tensor, in row-major order, takes lane i mod 4 of block i / 4: so
 * values depend on no layout, mesh or thread, bit for bit. A model's dropouts
 * take a negative step for one in which nothing is dropped.
 */
#ifndef MW_IR_RANDOM_H
#define MW_IR_RANDOM_H

#include "ir/number.h"
#include "ir/op.h"

/* The function itself: ten rounds on a counter of four words. */
void mw_philox(const uint32_t key[2], const uint32_t counter[4],
               uint32_t result[4]);

typedef struct mw_random {
    uint32_t key[2];
} mw_random;
mw_random mw_random_of(uint64_t seed, uint64_t stream, uint64_t step);

/* 64 random bits of element i; the upper 32 are of one block of Philox, the
 * lower of another. */
uint64_t mw_random_bits(const mw_random *random, uint64_t i);

/* In [0, 1): multiples of 2^-24, or 2^-53. */
double mw_random_unit_f32(uint64_t bits);
double mw_random_unit_f64(uint64_t bits);
/* By Box and Muller's transform; never infinite. */
double mw_random_normal(uint64_t bits);

/* What the rows share. Placed: `shape` and `to` make the result; the dtype of a
 * named one is the result's. */
mw_status mw_random_place(mw_graph *graph, mw_op *op,
                          mw_tensor out[]) MW_MUST_CHECK;
mw_status mw_random_bind(mw_graph *graph, mw_op *op) MW_MUST_CHECK;
mw_status mw_random_lower(mw_graph *named, const mw_graph *placed,
                          const mw_op *op, const mw_lowering *lowering,
                          mw_op_spec *spec) MW_MUST_CHECK;

/* What is made of an element's bits; a and b as below. */
typedef double mw_random_fn(double a, double b, mw_dtype dtype, uint64_t bits);
mw_random_fn mw_random_uniform_fn;   /* from a to b */
mw_random_fn mw_random_normal_fn;    /* of mean a, deviation b */
mw_random_fn mw_random_bernoulli_fn; /* 1 with probability a */

/* Elements [first, first + n) of the result's block, in row-major order. */
typedef struct mw_random_fill {
    mw_random_fn *fn;
    double a, b;
} mw_random_fill;
void mw_random_part(const mw_op *op, const mw_random_fill *fill,
                    const mw_view in[], mw_view *out, int64_t first, int64_t n);
void mw_random_all(const mw_op *op, const mw_random_fill *fill,
                   const mw_view in[], mw_view *out);

/* What the rows fill with, by their attributes. */
mw_random_fill mw_random_uniform_of(const mw_op *op);
mw_random_fill mw_random_normal_of(const mw_op *op);
mw_random_fill mw_random_bernoulli_of(const mw_op *op);

#define MW_RANDOM_ATTRS                                                        \
    {"shape", MW_ATTR_INTS, MW_ATTR_PLACED, false},                            \
        {"to", MW_ATTR_DTYPE, MW_ATTR_PLACED, false},                          \
        {"seed", MW_ATTR_INT, MW_ATTR_BOTH, true},                             \
    {                                                                          \
        "stream", MW_ATTR_INT, MW_ATTR_BOTH, true                              \
    }

#define MW_RANDOM_ROW                                                          \
    .family = "random", .min_in = 1, .max_in = 1, .place = mw_random_place,    \
    .bind = mw_random_bind, .lower = mw_random_lower, .flops = 40

#define MW_RANDOM_SAMPLE(op, more, type)                                       \
    "model m\ndim a = 5\ndim b = 6\ninput step : i64[]\n"                      \
    "y = " op "(step, seed=3, stream=7" more ") : " type "[a, b]\n"            \
    "output y\n"

#endif
