/*
 * value_rows.h - what ops compute, by hand: `y` of a text must hold what its
 * constant `want` says. Dims: one = 1, a = a2 = a3 = 2, b = 3, c = 4, d = 5,
 * e = 6, z = 0.
 */
#ifndef MW_TESTS_VALUE_ROWS_H
#define MW_TESTS_VALUE_ROWS_H

typedef struct value_row {
    const char *name, *text; /* name NULL ends a table */
} value_row;

/* Ops that index, sort, count and move along a dim. */
extern const value_row value_rows_index[];

/* Convolution's gradients, pooling, random numbers, maps. */
extern const value_row value_rows_window[];

/* Ops on the bits of integers. */
extern const value_row value_rows_bits[];

/* Groups of maps. */
extern const value_row value_rows_fused[];

#endif
