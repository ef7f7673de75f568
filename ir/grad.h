/*
 * grad.h - reverse mode over a named graph that is being built: appends the ops
 * that make gradients, and the helpers with which the `grad` rules of op rows
 * do so.
 *
 * A rule meets tensors and names no dimension: it says map, einsum, reduce, and
 * results get dimensions from their operands. A gradient may lack dimensions of
 * its tensor, being the same along them: maps broadcast anyway, so what a mean
 * or a loss sends back is spread out only where an op needs it whole. What
 * flows into a tensor from several uses is added; sums pass through that
 * addition, so a tied weight's gradient is reduced once.
 *
 * Nothing here looks at values, decides a layout, or changes an op that stands.
 */
#ifndef MW_IR_GRAD_H
#define MW_IR_GRAD_H

#include "ir/op.h"

typedef struct mw_grad {
    mw_graph *graph;
    mw_ctx *ctx;
    const char *prefix, *label; /* new tensors are called by it and a number */
    const char *body;           /* the graph's name when it is one; or NULL */
    int64_t serial;
    const bool *wants; /* within a rule: of each input of its op */
    /* Numbers there are already, by value and dtype. */
    struct mw_grad_number {
        double value;
        mw_dtype dtype;
        mw_id id;
    } * number;
    int64_t n_numbers, cap_numbers;
} mw_grad;

/* On a graph, with names that begin with prefix ("d"). */
mw_grad mw_grad_on(mw_graph *graph, const char *prefix);
/* New tensors belong to something of this name: "d/NAME", "d/NAME.1", … */
void mw_grad_label(mw_grad *g, const char *name);

/* A dimension "DIM.what", an alias of dim; x with it in dim's place. */
mw_status mw_grad_alias(mw_grad *g, mw_id dim, const char *what,
                        mw_id *alias) MW_MUST_CHECK;
mw_status mw_grad_under(mw_grad *g, mw_id x, mw_id dim, mw_id alias,
                        mw_id *y) MW_MUST_CHECK;

/* wanted, or "wanted.1", …: what no tensor is called. */
mw_status mw_grad_name(mw_grad *g, const char *wanted,
                       const char **name) MW_MUST_CHECK;

/* Within a rule: the gradient of input i will be used. A rule need not make
 * any other. */
bool mw_grad_wants(const mw_grad *g, int i);

/* ---- what rules build with; each appends ops and sets *y ---- */

/* A map of n operands of the registry: the result has the dimensions of the
 * operand that has most, then those that only others have. */
mw_status mw_grad_map(mw_grad *g, const char *def, const mw_id x[], int n,
                      mw_id *y) MW_MUST_CHECK;
/* The same of one and of two operands. */
mw_status mw_grad_map1(mw_grad *g, const char *def, mw_id x,
                       mw_id *y) MW_MUST_CHECK;
mw_status mw_grad_map2(mw_grad *g, const char *def, mw_id a, mw_id b,
                       mw_id *y) MW_MUST_CHECK;

/* where(condition, a, b). */
mw_status mw_grad_where(mw_grad *g, mw_id condition, mw_id a, mw_id b,
                        mw_id *y) MW_MUST_CHECK;

/* Another dtype; x itself where it has it. */
mw_status mw_grad_cast(mw_grad *g, mw_id x, mw_dtype dtype,
                       mw_id *y) MW_MUST_CHECK;

/* A constant without dimensions. */
mw_status mw_grad_const(mw_grad *g, mw_dtype dtype, double value,
                        mw_id *y) MW_MUST_CHECK;
/* x op value: "mul", "add", … */
mw_status mw_grad_scalar(mw_grad *g, const char *def, mw_id x, double value,
                         mw_id *y) MW_MUST_CHECK;

/* Sum of products over the dimensions that neither result nor `like` has: the
 * result has those dimensions of `like` that a or b has. */
mw_status mw_grad_einsum(mw_grad *g, mw_id a, mw_id b, mw_id like,
                         mw_id *y) MW_MUST_CHECK;

/* A reduction ("reduce_sum", …) over the dimensions that `like` lacks; x itself
 * where there are none. */
mw_status mw_grad_reduce(mw_grad *g, const char *def, mw_id x, mw_id like,
                         mw_id *y) MW_MUST_CHECK;

/* The gradient x of a tensor of whole's dimensions, as that of a tensor of
 * like's, which was broadcast to whole's: summed over what like lacks, and over
 * dimensions of whole that neither has by their size. */
mw_status mw_grad_sum_to(mw_grad *g, mw_id x, mw_id whole, mw_id like,
                         mw_id *y) MW_MUST_CHECK;

/* x with all of like's dimensions, in their order. */
mw_status mw_grad_full(mw_grad *g, mw_id x, mw_id like, mw_id *y) MW_MUST_CHECK;

/* The same elements under like's dimensions, axis by axis: a view. */
mw_status mw_grad_rename(mw_grad *g, mw_id x, mw_id like,
                         mw_id *y) MW_MUST_CHECK;

/* mul(x, z) as the gradient of a tensor of like's dimensions, as
 * mw_grad_sum_to(): what a product sends back to a factor. */
mw_status mw_grad_mul_to(mw_grad *g, mw_id x, mw_id z, mw_id whole, mw_id like,
                         mw_id *y) MW_MUST_CHECK;

/* Within a rule: x, of the dimensions of the op's first output, as the gradient
 * of input i, which was broadcast to them; and mul(x, z) likewise. */
mw_status mw_grad_share(mw_grad *g, const mw_op *op, int i, mw_id x,
                        mw_id *y) MW_MUST_CHECK;
mw_status mw_grad_share_mul(mw_grad *g, const mw_op *op, int i, mw_id x,
                            mw_id z, mw_id *y) MW_MUST_CHECK;

/* The rule of a map of two that is one of them: whoever is the result gets all;
 * equal operands share in halves. */
mw_status mw_grad_extreme(mw_grad *g, const mw_op *op, const mw_id dout[],
                          mw_id din[]) MW_MUST_CHECK;

/* The rule of an op that moves rows by the indices of its second operand: def
 * moves them back by the same. */
mw_status mw_grad_by_index(mw_grad *g, const mw_op *op, const char *def,
                           const mw_id dout[], mw_id din[]) MW_MUST_CHECK;

/* count indices of a dimension from start. */
typedef struct mw_grad_cut {
    mw_id dim;
    int64_t start, count;
} mw_grad_cut;

/* These of x, under like's dimensions; like lacks the dimension, or has another
 * for it. */
mw_status mw_grad_slice(mw_grad *g, mw_id x, mw_id like, const mw_grad_cut *cut,
                        mw_id *y) MW_MUST_CHECK;
/* The inverse: x at these places of like's dimension, 0 at the others. */
mw_status mw_grad_pad(mw_grad *g, mw_id x, mw_id like, const mw_grad_cut *cut,
                      mw_id *y) MW_MUST_CHECK;

/* The table [dim, of] that is 1 at (start + k step, k), else 0. */
typedef struct mw_grad_places {
    mw_dtype dtype;
    mw_id dim, of;
    int64_t start, step;
} mw_grad_places;
mw_status mw_grad_place_table(mw_grad *g, const mw_grad_places *places,
                              mw_id *y) MW_MUST_CHECK;

/* Any op with one result of like's dimensions and of this dtype; spec's out is
 * set here. */
mw_status mw_grad_op(mw_grad *g, const mw_op_spec *spec, mw_id like,
                     mw_dtype dtype, mw_id *y) MW_MUST_CHECK;
/* The same with a result of these axes (name and role are set here). */
mw_status mw_grad_op_as(mw_grad *g, const mw_op_spec *spec, const mw_tensor *as,
                        mw_id *y) MW_MUST_CHECK;

/* ---- the pass ---- */

/* Which gradients, on what part of the graph. */
typedef struct mw_grad_want {
    mw_id of, seed;        /* seed: gradient of `of`; MW_NONE stands for 1 */
    int first_op, last_op; /* ops [first_op, last_op) are walked */
    int n;
    const mw_id *wanted;
    /* Called when grad of wanted[i] is complete and everybody who reads
     * wanted[i] stands. Or NULL. */
    mw_status (*done)(void *arg, int i, mw_id grad);
    void *arg;
} mw_grad_want;

/* Appends ops that make grad[i], of wanted[i]'s dimensions and dtype, from the
 * gradient of `of`, a float without dimensions. MW_NONE where `of` does not
 * depend on wanted[i]. MW_EINPUT names an op without gradient on the way. */
mw_status mw_grad_back(mw_grad *g, const mw_grad_want *want,
                       mw_id grad[]) MW_MUST_CHECK;

#endif
