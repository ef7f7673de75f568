/*
 * fused.h - groups of maps as one op: an element of each operand becomes an
 * element of each result, by a body of maps; some results may be reduced.
 *
 * The iteration space is all letters. A result has them all, or is what a
 * reduction of the row's kind makes of a tensor that has; inner tensors may
 * lack letters. So every letter may be split: the body works on its rank's
 * block alone, and a result that lacks the letter is partial.
 */
#ifndef MW_IR_FUSED_H
#define MW_IR_FUSED_H

#include "ir/number.h"
#include "ir/op.h"

enum {
    MW_FUSED_OPS = 40, /* at most, of a body */
    MW_FUSED_ARGS = 3, /* operands of such an op */
    MW_FUSED_IN = 20,
    MW_FUSED_OUT = 8,
    MW_FUSED_VIEWS = MW_FUSED_IN + MW_FUSED_OUT,
    MW_FUSED_TENSORS = 96, /* inputs, constants and results of a body's ops */
    MW_FUSED_PIECE = 512   /* elements of a row that are computed at once */
};

const mw_graph *mw_fused_body(const mw_op *op);

/* The row whose results are reduced so; NULL: there is none. */
const mw_op_def *mw_fused_row(mw_reduce reduce);

/* How an op's blocks are walked: letters from the outside in, the last one is
 * the row; neighbours along which all operands step alike are joined. */
typedef struct mw_fused_walk {
    int n; /* axes, at least 1 */
    int64_t extent[MW_MAX_LETTERS];
    bool reduced[MW_MAX_LETTERS]; /* the axis is in no reduced result */
    /* In elements, of the inputs and then the results; 0: it lacks the axis. */
    int64_t stride[MW_FUSED_VIEWS][MW_MAX_LETTERS];
    mw_id row_dim; /* of the body: one of the row's; MW_NONE: a single point */
    bool empty;    /* there is no point */
} mw_fused_walk;

void mw_fused_walk_make(mw_fused_walk *walk, const mw_op *op,
                        const mw_view in[], const mw_view out[]);

/* Offsets of all operands at row `index` of those in the outer axes. */
void mw_fused_at(const mw_fused_walk *walk, const int64_t index[], int n_views,
                 int64_t at[MW_FUSED_VIEWS]);

/* A piece of n elements of a row, of one of the body's tensors. */
mw_view mw_fused_piece(const mw_graph *body, mw_id tensor, mw_id row_dim,
                       int64_t n, void *data);
bool mw_fused_has_dim(const mw_tensor *tensor, mw_id dim);

/* The value of one of the body's constants, ready to be stored as its type. */
mw_number mw_fused_number(const mw_tensor *constant);

/* The tensor is what a reduction gives. */
bool mw_fused_is_reduced(const mw_graph *body, mw_id tensor);

/* Sets of operands that may be partial sums together, ended by 0: op->linear.
 * The op's operands and attributes are known. */
mw_status mw_fused_linear(mw_graph *graph, mw_op *op) MW_MUST_CHECK;

/* All results are a sum over ranks when the operands of the set are. */
bool mw_fused_is_linear(const mw_graph *body, uint32_t set);

mw_status mw_fused_place(mw_graph *graph, mw_op *op,
                         mw_tensor out[]) MW_MUST_CHECK;
mw_status mw_fused_bind(mw_graph *graph, mw_op *op) MW_MUST_CHECK;
double mw_fused_flops(const mw_graph *graph, const mw_op *op,
                      const int64_t extent[MW_MAX_LETTERS]);
void mw_fused_ref(const mw_op *op, const mw_view in[], mw_view out[]);

extern const mw_attr_rule mw_fused_attrs[];

#define MW_FUSED_ROW(kind)                                                     \
    .family = "fused", .min_in = 0, .max_in = MW_FUSED_IN, .n_out = -1,        \
    .attrs = mw_fused_attrs, .place = mw_fused_place, .bind = mw_fused_bind,   \
    .reduce = (kind), .flops_of = mw_fused_flops, .ref = mw_fused_ref,         \
    .no_grad = "groups are made after gradients"

#define MW_FUSED_EXTREME_SAMPLE(op, reduce)                                    \
    "model m\ndim a = 5\ndim b = 6\n"                                          \
    "body far\ndim a = 5\ndim b = 6\n"                                         \
    "input x : f32[a, b]\ninput z : f32[b]\n"                                  \
    "d = sub(x, z) : f32[a, b]\ne = abs(d) : f32[a, b]\n"                      \
    "m = " reduce "(e) : f32[b]\nn = " reduce "(d) : f32[a]\n"                 \
    "result d, m, n\nend\n"                                                    \
    "input x : f32[a, b]\ninput z : f32[b]\n"                                  \
    "d, m, n = " op "(x, z, body=far) : f32[a, b], f32[b], f32[a]\n"           \
    "output d\noutput m\noutput n\n"

#endif
