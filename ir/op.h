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

enum { MW_MAX_LINEAR = 4, MW_LINEAR_ALL = -1, MW_REFUSAL_MAX = 128 };

/* Indices [lo, hi) along an axis. */
typedef struct mw_span {
    int64_t lo, hi;
} mw_span;

struct mw_grad;

/* What a row makes of operands that are shifted, x + c, or scaled, x exp(c)
 * (ir/grad_shift.h). */
typedef enum mw_shift_rule {
    MW_SHIFT_NONE, /* anything */
    MW_SHIFT_TOP,  /* an extreme, which may be taken off before exp */
    MW_SHIFT_ADD,
    MW_SHIFT_SUB,
    MW_SHIFT_EXP,
    MW_SHIFT_LOG,
    MW_SHIFT_MUL,
    MW_SHIFT_DIV,
    MW_SHIFT_INVERT,
    MW_SHIFT_SAME
} mw_shift_rule;

/* What a map does to a sum when a fused convolution does it (ir/conv_fuse.h):
 * by another operand, of a channel or of one value. */
typedef enum mw_end_rule {
    MW_END_NONE,
    MW_END_SCALE,
    MW_END_DIV, /* of the sum, not by it; likewise */
    MW_END_ADD,
    MW_END_SUB,
    MW_END_LOW,  /* no less than the value */
    MW_END_HIGH, /* no more */
    MW_END_RELU  /* no less than 0 */
} mw_end_rule;

/* What the names pass tells an op's `lower` rule. */
typedef struct mw_lowering {
    mw_arena *arena;
    const mw_id *named; /* named tensor of each placed tensor */
    /* Axis i of placed tensor t became the named axes [first, first + count),
     * count 0 for an axis of size 1. */
    const struct mw_axis_map {
        int8_t first[MW_MAX_RANK], count[MW_MAX_RANK];
    } * map; /* by placed tensor */
} mw_lowering;

/* An attribute that an op takes. Anything else is refused by name. */
typedef struct mw_attr_rule {
    const char *name; /* NULL ends the list */
    mw_attr_kind kind;
    enum { MW_ATTR_PLACED = 1, MW_ATTR_NAMED = 2, MW_ATTR_BOTH = 3 } stage;
    bool optional;
} mw_attr_rule;

typedef struct mw_op_def {
    const char *name;
    const char *brief;
    const char *family; /* contraction, map, reduce, move, index, window */
    int min_in, max_in; /* max_in < 0: any number */
    int n_out;          /* 0 stands for 1; < 0: any number */
    const mw_attr_rule *attrs; /* NULL: none */
    bool opaque; /* unknown: each operand keeps its dimensions; never run */
    bool view; /* the output is the operand's buffer; no kernel, no strategy */

    /* Of each output, the operand whose buffer it overwrites, a parameter or a
     * state, or MW_NONE; NULL: no output does. Such an output has the operand's
     * dimensions and dtype and lives in its home: the conversion from the
     * layout it leaves the op in is a reshard into that home. Whoever else
     * reads the old value stands before the op. The kernel must allow output
     * and operand to be one block. */
    const int8_t *updates;

    /* Sets op->letter[], operand letters and window bits; makes the outputs'
     * axis sizes and dtypes (into out[]) from the inputs and attributes of a
     * positional graph. */
    mw_status (*place)(mw_graph *graph, mw_op *op, mw_tensor out[]);

    /* The same letters from the dimensions of a named graph. Must check what it
     * assumes, dtypes too. */
    mw_status (*bind)(mw_graph *graph, mw_op *op);

    /* Turns the attributes of a placed op into those of the named one, when
     * the names pass emits it; NULL: they are dropped. See docs/design/ops.md.
     */
    mw_status (*lower)(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec);

    mw_reduce reduce; /* of contracted letters */

    /* May stand in a fused group (ir/fused.h): an element of the result
     * follows from the operands' elements at the same letters, or is reduced
     * from them. */
    bool fuses;
    bool slow;    /* of such an op: an element takes many operations */
    bool chooses; /* operand 1 where operand 0 is true, operand 2 elsewhere */

    /* Sets of operands (bit i: operand i; MW_LINEAR_ALL: all) that may be
     * partial sums together, the rest not, making the outputs partial sums.
     * Ends at the first 0; op->linear stands in for it. Ask mw_op_linear(),
     * which knows the op's dtypes, attributes and number of operands. */
    int32_t linear[MW_MAX_LINEAR];
    /* Does it hold for this op? NULL: always. */
    bool (*is_linear)(const mw_graph *graph, const mw_op *op);

    mw_end_rule end;
    /* A convolution (ir/conv.h): its result has the channels of the weight. */
    bool convolves;
    const char *fused; /* the op that does its work and what follows; or NULL */
    /* Axis i of the result is that of each operand, if they have as many. */
    bool keeps_axes;

    /* The operand that holds indices into the attribute `dim`; 0: none. */
    int index_in;

    double flops; /* per point of the iteration space */
    /* Instead, where a point's work follows from attributes or windows: of all
     * points when the letters have these extents. Asked through
     * mw_op_flops_at(). */
    double (*flops_of)(const mw_graph *graph, const mw_op *op,
                       const int64_t extent[MW_MAX_LETTERS]);

    /* A window's axis of the size of its letter keeps the dimension. */
    bool same_dim;

    const struct mw_update *update; /* fused updates: one element */
    const struct mw_scalar *scalar; /* maps: what is done to an element */

    /* Arena bytes that the op's kernel needs besides its operands when its
     * letters have these extents on a rank; NULL: none. */
    int64_t (*workspace)(const mw_graph *graph, const mw_op *op,
                         const int64_t extent[MW_MAX_LETTERS]);

    /* What the op reads of axis `axis` of input `operand` when the axis'
     * letter has this block, clipped to the tensor; empty for an empty block.
     * Asked through mw_op_window(). */
    mw_span (*window)(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block);

    /* Reference: slow and obvious, over blocks. Must be right for any block:
     * empty, uneven, with window inputs that hold just what `window` said. */
    void (*ref)(const mw_op *op, const mw_view in[], mw_view out[]);
    /* Instead, of an op that cannot do without its `workspace` bytes. Both are
     * called through mw_op_ref(). */
    void (*ref_room)(const mw_op *op, const mw_view in[], mw_view out[],
                     void *room);

    /* The first value of an input that the op has no result for: true, and
     * what is wrong with it in text. NULL: any value will do. Asked before the
     * kernel, of the same blocks, through mw_op_check_values(). */
    bool (*refuses)(const mw_op *op, const mw_view in[],
                    char text[MW_REFUSAL_MAX]);

    /* Reverse mode, on a named graph: appends the ops that make the gradient
     * of each input from those of the outputs. dout[k] has output k's
     * dimensions, MW_NONE where nothing flows (then its share is 0; not all
     * are). din[i] comes as MW_NONE and stays so where nothing flows: integers,
     * masks, constants by nature. A gradient may lack dimensions of its input,
     * being the same along them. See ir/grad.h for what to build with. NULL:
     * nothing flows back through the op at all (comparisons, floor), unless
     * `no_grad` says why that would be wrong. */
    mw_status (*grad)(struct mw_grad *grad, const mw_op *op, const mw_id dout[],
                      mw_id din[]);
    mw_shift_rule shift;
    bool dear;      /* worth keeping rather than computing again */
    bool grad_thin; /* dout[] too may lack dimensions of its output */
    /* Why an op whose gradient is not 0 has no `grad`: in the refusal. */
    const char *no_grad;

    /* Small named graphs in text form that the laws run. */
    const char *const *samples;
} mw_op_def;

/* The op's rule for an attribute in a stage; NULL when it takes none such. */
const mw_attr_rule *mw_op_attr_rule(const mw_op_def *def, const char *name,
                                    int stage);

/* The registry, made by the build from ir/ops/. */
extern const mw_op_def *const mw_op_table[];
extern const int mw_op_count;

/* The op's linear sets, by its attributes or its row; at most MW_MAX_LINEAR,
 * ended by a 0 where there are fewer. */
const int32_t *mw_op_linear_sets(const mw_op *op);

/* Operands (bit i: operand i) that pass partial sums in set k; 0 when the op
 * has no such set or it does not hold for its dtypes or attributes. */
uint32_t mw_op_linear(const mw_graph *graph, const mw_op *op, int k);

/* Operations when the letters have these extents; multiply-adds count 2. */
double mw_op_flops_at(const mw_graph *graph, const mw_op *op,
                      const int64_t extent[MW_MAX_LETTERS]);

/* The reference kernel; room: workspace bytes for these blocks, aligned. */
void mw_op_ref(const mw_op *op, const mw_view in[], mw_view out[], void *room);

/* MW_ERUN names the op and the value that it has no result for. */
mw_status mw_op_check_values(mw_ctx *ctx, const mw_op *op,
                             const mw_view in[]) MW_MUST_CHECK;

/* What the op reads of an input's axis when the axis' letter has this block:
 * the block itself, or what def->window says. */
mw_span mw_op_window(const mw_graph *graph, const mw_op *op, int operand,
                     int axis, mw_span block);

/* What the verifier asks too: every axis has a letter of its dimension and
 * size (windows aside), none twice in an operand. */
mw_status mw_op_check_letters(const mw_graph *graph,
                              const mw_op *op) MW_MUST_CHECK;

/* NULL when there is none. */
const mw_op_def *mw_op_find(const char *name);

#endif
