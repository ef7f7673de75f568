/*
 * rule.h - what the place, bind and lower rules of the op rows share: letters,
 * broadcasting, dtypes, attributes, messages. Used by ir/ops/ only.
 */
#ifndef MW_IR_RULE_H
#define MW_IR_RULE_H

#include "ir/op.h"

/* MW_EINPUT "einsum 'label': ...". */
#define mw_op_fail(graph, op, ...)                                             \
    (mw_op_fail_at(graph, op, __FILE__, __LINE__, __VA_ARGS__), MW_EINPUT)
void mw_op_fail_at(const mw_graph *graph, const mw_op *op, const char *file,
                   int line, const char *format, ...) MW_PRINTF(5, 6);

/* The tensor of input i, of output 0. */
const mw_tensor *mw_op_in(const mw_graph *graph, const mw_op *op, int i);
const mw_tensor *mw_op_out(const mw_graph *graph, const mw_op *op);

/* Adds a letter. MW_EINPUT past MW_MAX_LETTERS. */
mw_status mw_letter_add(const mw_graph *graph, mw_op *op, mw_letter letter,
                        int8_t *index) MW_MUST_CHECK;

/* Positional: a letter for each axis of input i that is not of size 1. */
mw_status mw_letters_of_input(const mw_graph *graph, mw_op *op,
                              int i) MW_MUST_CHECK;

/* Adds an output axis of a letter, or of size 1 for MW_NONE. */
mw_status mw_out_axis(const mw_graph *graph, mw_op *op, mw_tensor *out,
                      int8_t letter) MW_MUST_CHECK;

/* Positional: an output of that shape, of letters that no operand has.
 * MW_EINPUT: a size is negative, there are too many. */
mw_status mw_place_shape(const mw_graph *graph, mw_op *op, const mw_attr *shape,
                         mw_tensor *out) MW_MUST_CHECK;

/* Positional, right-aligned: letters of all inputs and of the output. An axis
 * of size 1 has no letter. */
mw_status mw_place_broadcast(const mw_graph *graph, mw_op *op,
                             mw_tensor *out) MW_MUST_CHECK;

/* Named: a letter a dimension over inputs and outputs. Axes without dimension
 * count from the left: the first of every operand is one pinned letter, … */
mw_status mw_bind_letters(const mw_graph *graph, mw_op *op) MW_MUST_CHECK;

/* The same for one operand's axes but those in `skip` (bit i: axis i). */
mw_status mw_bind_axes(const mw_graph *graph, mw_op *op, mw_operand *operand,
                       uint32_t skip) MW_MUST_CHECK;

/* The axis of `of` whose dimension is none of `among`'s, its axis `skip` left
 * aside; MW_NONE when there is none. MW_EINPUT when there are several. */
mw_status mw_bind_odd_axis(const mw_graph *graph, const mw_op *op,
                           const mw_tensor *of, const mw_tensor *among,
                           int skip, int *axis) MW_MUST_CHECK;

/* A letter that is in no input / in no output is refused. */
mw_status mw_bind_no_new(const mw_graph *graph, const mw_op *op) MW_MUST_CHECK;
mw_status mw_bind_no_reduced(const mw_graph *graph,
                             const mw_op *op) MW_MUST_CHECK;

/* All that maps ask of letters: none new, none reduced. */
mw_status mw_bind_map(const mw_graph *graph, mw_op *op) MW_MUST_CHECK;

/* Named: gives axis `axis` of input i a window of `letter` (MW_NONE: a pinned
 * letter of size 1, as the whole axis is read by every point). */
mw_status mw_bind_window(const mw_graph *graph, mw_op *op, int i, int axis,
                         int8_t letter) MW_MUST_CHECK;

/* Inputs from `first` on have one dtype, set in *dtype. */
mw_status mw_rule_same_dtype(const mw_graph *graph, const mw_op *op, int first,
                             mw_dtype *dtype) MW_MUST_CHECK;
/* Named: the declared dtype of the output is `wanted`. */
mw_status mw_rule_out_dtype(const mw_graph *graph, const mw_op *op,
                            mw_dtype wanted) MW_MUST_CHECK;
/* Sums mean addition: not so for bool. */
bool mw_rule_has_sum(mw_dtype dtype);

/* Attribute `axis` made non-negative; MW_EINPUT outside [-rank, rank). */
mw_status mw_rule_axis(const mw_graph *graph, const mw_op *op, int rank,
                       int *axis) MW_MUST_CHECK;
/* Axis of the tensor that has the dimension; MW_NONE when there is none. */
int mw_tensor_axis(const mw_tensor *tensor, mw_id dim);

/* The part of a span that lies in [0, size); {0, 0} when there is none. */
mw_span mw_span_clip(mw_span span, int64_t size);

/* Lowering: a vector of n attributes in the arena, with the values given. */
mw_status mw_lower_attrs(const mw_lowering *lowering, mw_op_spec *spec,
                         const mw_attr attr[], int n) MW_MUST_CHECK;
/* One integer or dimension attribute. */
mw_attr mw_attr_of_int(const char *name, mw_attr_kind kind,
                       const int64_t *value);

/* The op that a bound along an axis turns out to be when it changes nothing:
 * a rename of its first input, without attributes. */
mw_status mw_lower_to(const mw_lowering *lowering, mw_op_spec *spec,
                      const char *def) MW_MUST_CHECK;

/* Lowering: the named axes that a positional axis of input i became. `unit` is
 * the product of all but the first: bounds along the axis that are multiples
 * of it are bounds along that first dimension. */
typedef struct mw_lowered_axis {
    int count; /* 0: it has size 1 and does not exist */
    int first; /* flat axis in the named tensor */
    mw_id dim; /* of the first */
    int64_t unit;
} mw_lowered_axis;
mw_lowered_axis mw_lower_axis(const mw_graph *named,
                              const mw_lowering *lowering, mw_id placed_tensor,
                              mw_id named_tensor, int axis);

#endif
