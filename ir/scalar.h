/*
 * scalar.h - maps: what is done to one element, and the rules and kernels that
 * all maps share. A row of the registry gives functions of its operands'
 * elements, one a class of dtypes; a class without function is refused.
 */
#ifndef MW_IR_SCALAR_H
#define MW_IR_SCALAR_H

#include "ir/number.h"
#include "ir/op.h"

typedef struct mw_scalar {
    double (*f)(const double x[]);
    int64_t (*i)(const int64_t x[]);
    uint64_t (*u)(const uint64_t x[]);
    bool ring; /* `u` serves signed integers too: the same low bits */
    /* Results of dtype bool: from floats, integers. */
    bool (*test_f)(const double x[]);
    bool (*test_i)(const int64_t x[]);
    bool (*test_u)(const uint64_t x[]);
    /* From bool to bool: 0 or 1. */
    bool (*b)(const uint64_t x[]);
} mw_scalar;

mw_status mw_map_place(mw_graph *graph, mw_op *op,
                       mw_tensor out[]) MW_MUST_CHECK;
mw_status mw_map_bind(mw_graph *graph, mw_op *op) MW_MUST_CHECK;
void mw_map_ref(const mw_op *op, const mw_view in[], mw_view out[]);

/* Runs of elements of the operands, x[i][0..n), become y[0..n). */
typedef void mw_map_apply(const mw_op *op, const mw_view in[],
                          const mw_view *out, const mw_number *const x[],
                          int64_t n, mw_number y[]);
void mw_map_rows(const mw_op *op, const mw_view in[], mw_view *out,
                 mw_map_apply *apply);

/* Out is in, letter by letter: transpose, broadcast, rename. */
void mw_copy_ref(const mw_op *op, const mw_view in[], mw_view out[]);

#define MW_MAP_ROW(n)                                                          \
    .family = "map", .min_in = (n), .max_in = (n), .place = mw_map_place,      \
    .bind = mw_map_bind, .ref = mw_map_ref, .flops = 1, .grad_thin = true,     \
    .fuses = true

/* Samples that serve most maps: of one operand, and of two with broadcasting.
 */
#define MW_SAMPLE_1(op, from, to)                                              \
    "model m\ndim a = 5\ndim b = 6\n"                                          \
    "input x : " from "[a, b]\n"                                               \
    "y = " op "(x) : " to "[a, b]\noutput y\n"
#define MW_SAMPLE_2(op, from, to)                                              \
    "model m\ndim a = 5\ndim b = 6\n"                                          \
    "input x : " from "[a, b]\ninput z : " from "[b]\n"                        \
    "y = " op "(x, z) : " to "[a, b]\noutput y\n"

#endif
