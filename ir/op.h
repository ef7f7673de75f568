/*
 * op.h - what a row of the op registry says. One op, one file in ir/ops/;
 * the build collects them. Everything else follows from letters: a letter of
 * an input that no output has is contracted, and splitting it leaves outputs
 * partial with kind `reduce`; a letter of an output is split locally.
 */
#ifndef MW_IR_OP_H
#define MW_IR_OP_H

#include "ir/graph.h"

/* Kind of reduction pending on a partial tensor. */
typedef enum mw_reduce {
    MW_REDUCE_NONE,
    MW_REDUCE_SUM,
    MW_REDUCE_PROD,
    MW_REDUCE_MAX,
    MW_REDUCE_MIN
} mw_reduce;

const char *mw_reduce_name(mw_reduce reduce);

/* A block of a tensor in memory, dense row-major. Where a letter's block is
 * split, start says where the block lies in the whole tensor. */
typedef struct mw_view {
    void *data;
    mw_dtype dtype;
    int rank;
    int64_t size[MW_MAX_RANK];  /* of the block */
    int64_t start[MW_MAX_RANK]; /* global index of its first element */
    int64_t whole[MW_MAX_RANK]; /* size of the whole tensor */
} mw_view;

enum { MW_MAX_LINEAR = 4, MW_LINEAR_ALL = -1 };

/* What the names pass tells an op's `lower` rule. */
typedef struct mw_lowering {
    mw_arena *arena;
    const mw_id *named; /* named tensor of each placed tensor */
    /* Axis i of placed tensor t became the named axes [first, first + count),
     * count 0 for an axis of size 1. */
    const struct mw_axis_map {
        int8_t first[MW_MAX_RANK], count[MW_MAX_RANK];
    } *map; /* by placed tensor */
} mw_lowering;

typedef struct mw_op_def {
    const char *name;
    const char *brief;
    const char *family; /* contraction, map, reduce, move, index, window */
    int min_in, max_in; /* max_in < 0: any number */

    /* Sets op->letter[], operand letters and window bits; makes the outputs'
     * axis sizes and dtypes (into out[]) from the inputs and attributes of a
     * positional graph. */
    mw_status (*place)(mw_graph *graph, mw_op *op, mw_tensor out[]);

    /* The same letters from the dimensions of a named graph; NULL: a letter a
     * dimension, no windows. Must check what it assumes. */
    mw_status (*bind)(mw_graph *graph, mw_op *op);

    /* Turns the attributes of a placed op into those of the named one, when
     * the names pass emits it; NULL: they are dropped. See docs/design/ops.md. */
    mw_status (*lower)(mw_graph *named, const mw_graph *placed,
                       const mw_op *op, const mw_lowering *lowering,
                       mw_op_spec *spec);

    mw_reduce reduce; /* of contracted letters */

    /* Sets of operands (bit i: operand i; MW_LINEAR_ALL: all) that may be
     * partial sums together, the rest not, making the outputs partial sums.
     * Ends at the first 0. */
    int32_t linear[MW_MAX_LINEAR];

    double flops; /* per point of the iteration space */

    /* Arena bytes that the op's kernel needs besides its operands when its
     * letters have these extents on a rank; NULL: none. */
    int64_t (*workspace)(const mw_graph *graph, const mw_op *op,
                         const int64_t extent[MW_MAX_LETTERS]);

    /* [lo, hi) of output letter's block -> [in_lo, in_hi) that the op reads of
     * axis `axis` of input `operand`, clipped to the tensor. */
    void (*window)(const mw_graph *graph, const mw_op *op, int operand,
                   int axis, int64_t lo, int64_t hi, int64_t *in_lo,
                   int64_t *in_hi);

    /* Reference: slow and obvious, over blocks. Must be right for any block:
     * empty, uneven, with window inputs that hold just what `window` said. */
    void (*ref)(const mw_op *op, const mw_view in[], mw_view out[]);

    /* Small named graphs in text form that the laws run. */
    const char *const *samples;
} mw_op_def;

/* The registry, made by the build from ir/ops/. */
extern const mw_op_def *const mw_op_table[];
extern const int mw_op_count;

/* NULL when there is none. */
const mw_op_def *mw_op_find(const char *name);

#endif
