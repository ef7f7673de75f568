/*
 * number.h - elements of any dtype as numbers of 64 bits, for the reference
 * kernels: floats as double, integers and bool as 64-bit patterns.
 *
 * Storing an integer keeps its low bits; a float is rounded to nearest, ties to
 * even, and becomes infinite where it is too large, or the largest there is in
 * formats of 8 and 4 bits (an infinity too, where they have none). Of a complex
 * number the real part is loaded, and stored with an imaginary part of 0.
 * Nothing is undefined.
 */
#ifndef MW_IR_NUMBER_H
#define MW_IR_NUMBER_H

#include "ir/dtype.h"

typedef union mw_number {
    double f;
    int64_t i;
    uint64_t u;
} mw_number;

/* n elements, the first at index `at`, `stride` elements apart. */
void mw_numbers_load(mw_dtype dtype, const void *data, int64_t at,
                     int64_t stride, int64_t n, mw_number to[]);
void mw_numbers_store(mw_dtype dtype, void *data, int64_t at, int64_t stride,
                      int64_t n, const mw_number from[]);

/* Element i of values that lie dense, which need not be aligned: those of a
 * mapped file. */
mw_number mw_number_at(mw_dtype dtype, const void *data, int64_t i);

/* Elements of one dtype: the first at index `at`, `stride` apart. */
typedef struct mw_run {
    const void *data;
    int64_t at, stride;
} mw_run;

/* total + the sum of n products: floats in double, integers wrapping. */
mw_number mw_numbers_dot(mw_dtype dtype, mw_run a, mw_run b, int64_t n,
                         mw_number total);

/* The number that a cast gives, ready to be stored as `to`: integers keep their
 * low bits; floats are cut towards zero and held to the range of an integer,
 * NaN giving 0; bool is "not zero". */
mw_number mw_number_cast(mw_number x, mw_dtype from, mw_dtype to);

/* A float that is larger rounds to none of the dtype's, but for infinity; one
 * that is as large, too, unless *even. 0: the dtype is no float of less than 16
 * bits. */
double mw_number_beyond(mw_dtype dtype, bool *even);
/* Has the dtype, a float, infinities? */
bool mw_number_infinite(mw_dtype dtype);

/* Least and largest value of a dtype: infinities, or integers. */
mw_number mw_number_least(mw_dtype dtype);
mw_number mw_number_largest(mw_dtype dtype);

#endif
