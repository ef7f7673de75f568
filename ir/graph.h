/*
 * graph.h - dimensions, tensors and ops.
 *
 * One type serves two stages. A *positional* graph is what a decoder builds:
 * its tensors have the file's axes, none of which has a dimension
 * (axis[i].dim == MW_NONE). The names pass (ir/names.h) makes of it a *named*
 * graph: axes fully factored into dimensions, flat, with brackets kept only
 * for reading and writing the file's arrays; axes of size 1 are gone.
 *
 * Letters decide: an op stores a letter for each axis of each operand; shape,
 * strategies, partial results, cost and kernels use only these. Dimensions are
 * labels that the verifier (ir/verify.h) holds to the letters: distinct in a
 * tensor, letter and dimension one to one in an op.
 *
 * A built graph is immutable: a pass makes a new one. Ops stand in topological
 * order, and that order is the schedule.
 */
#ifndef MW_IR_GRAPH_H
#define MW_IR_GRAPH_H

#include "base/map.h"
#include "ir/dtype.h"

typedef int32_t mw_id;
enum {
    MW_NONE = -1,
    MW_MAX_RANK = 16,
    MW_MAX_FILE_RANK = 32,
    MW_MAX_LETTERS = 32,
    MW_MAX_DIMS = 10000 /* in a graph */
};

typedef struct mw_dim {
    const char *name; /* unique in the graph; a label */
    int64_t size;
    mw_id of;            /* the dimension it is derived from, or MW_NONE */
    const char *how;     /* an op, "alias", "merge" (a product); or NULL */
    const char *synonym; /* another name the file gave it, or NULL */
} mw_dim;

typedef struct mw_axis {
    mw_id dim; /* MW_NONE: never split */
    int64_t size;
    const char *symbol; /* positional graphs: the file's name; or NULL */
} mw_axis;

/* Where the values of a parameter or constant are. */
typedef enum mw_data_kind {
    MW_DATA_NONE,   /* not stored: made from the seed when run */
    MW_DATA_MEMORY, /* bytes, dense row-major in the tensor's file shape */
    MW_DATA_FILE,   /* at offset in path, the same bytes */
    MW_DATA_FILL,   /* every element is `fill` (ConstantOfShape) */
    MW_DATA_NORMAL, /* made from the seed: normal, mean 0, deviation `fill` */
    MW_DATA_LIKE    /* of a state: those of the parameter called `path` */
} mw_data_kind;

typedef struct mw_data {
    mw_data_kind kind;
    const void *bytes;
    const char *path;
    int64_t offset, length;
    double fill;
} mw_data;

typedef enum mw_role {
    MW_ROLE_INPUT,
    MW_ROLE_PARAM, /* float weight of the model */
    MW_ROLE_CONST, /* any other stored value: folded, masks, indices */
    MW_ROLE_STATE, /* kept from step to step: moments, counters; data is what
                      the first step finds, 0 unless said */
    MW_ROLE_VALUE  /* result of an op */
} mw_role;

/* Kept from one step to the next: what an update may overwrite. */
bool mw_role_persists(mw_role role);

typedef struct mw_tensor {
    const char *name; /* unique in the graph, from the file */
    mw_dtype dtype;
    mw_role role;
    bool output; /* of the graph */
    /* An input that is one of the model's weights, as far as its ops tell; for
     * names and recipes only. */
    bool weight;
    int rank;
    mw_axis axis[MW_MAX_RANK];
    /* Named graphs: how many consecutive axes each axis of the file's array
     * is the row-major product of; 0 is an axis of size 1. */
    int file_rank;
    int8_t file_axis[MW_MAX_FILE_RANK];
    mw_id producer; /* op, or MW_NONE */
    /* The tensor whose buffer it shares (axis i is axis i of the root), through
     * `rename` ops or as the new value of a parameter or state that an op
     * updates in place; its own id otherwise. A root has itself as root. */
    mw_id root;
    mw_data data;
} mw_tensor;

typedef enum mw_attr_kind {
    MW_ATTR_INT,
    MW_ATTR_INTS,
    MW_ATTR_FLOAT,
    MW_ATTR_TEXT,
    MW_ATTR_DIM, /* named graphs: `dim=hidden`; i[0] is the dimension's id */
    MW_ATTR_DTYPE,
    MW_ATTR_BODY /* a graph of its own (ir/scan.h) */
} mw_attr_kind;

struct mw_graph;

typedef struct mw_attr {
    const char *name;
    mw_attr_kind kind;
    int n;
    const int64_t *i; /* INT and DIM: i[0] */
    double f;
    const char *text;
    mw_dtype dtype;
    const struct mw_graph *body;
} mw_attr;

typedef struct mw_letter {
    mw_id dim; /* MW_NONE in positional graphs and for kernel taps */
    int64_t size;
    bool pinned; /* may not be split; a letter without dimension is pinned */
    bool whole;  /* positional: its axes become one dimension each */
} mw_letter;

/* A use or a definition of a tensor by an op. */
typedef struct mw_operand {
    mw_id tensor;
    int8_t letter[MW_MAX_RANK]; /* of each axis; MW_NONE only for size 1 */
    /* Bit i: axis i is a window: the block that the op reads there follows
     * from the letter's block by def->window (slice, pad, concat, conv). */
    uint32_t window;
} mw_operand;

typedef struct mw_op {
    const struct mw_op_def *def;
    const char *name; /* label for messages: the node's, else its output's */
    int n_in, n_out;
    mw_operand *in, *out;
    int n_letters;
    mw_letter letter[MW_MAX_LETTERS]; /* positional: pinned = a kernel tap */
    int n_attr;
    const mw_attr *attr;
    /* Linear sets as def->linear gives them, of an op whose attributes say
     * them; NULL: the row's. */
    const int32_t *linear;
} mw_op;

typedef struct mw_graph {
    mw_arena *arena; /* borrowed */
    mw_ctx *ctx;     /* borrowed */
    const char *name;
    bool named;
    int n_dims, n_tensors, n_ops;
    mw_dim *dim;
    mw_tensor *tensor;
    mw_op *op;
    int64_t cap_dims, cap_tensors, cap_ops;
    mw_map dim_names, tensor_names; /* to ids */
    /* Dimensions that meet in one op or tensor, and so may not share a mesh
     * axis in a global layout: n_dims x n_dims bytes, symmetric; or NULL. */
    uint8_t *interferes;
    int n_conditions; /* what the plan relies on: "batch > 1", … */
    const char **condition;
    int n_results; /* of a body: in order, the same tensor perhaps twice */
    mw_id *result;
} mw_graph;

mw_status mw_graph_init(mw_graph *graph, mw_arena *arena,
                        const char *name) MW_MUST_CHECK;

/* Adds a copy (texts copied into the arena); its name is final.
 * MW_EINPUT: the name is empty or taken, the size is negative. */
mw_status mw_graph_dim(mw_graph *graph, const mw_dim *dim,
                       mw_id *id) MW_MUST_CHECK;

/* Adds a copy (texts copied into the arena, data borrowed); its name is final.
 * Sets root to the new id and producer to MW_NONE. For a named tensor with
 * file_rank 0 and rank > 0, file axes are set one to one.
 * MW_EINPUT: the name is empty or taken, a size is negative or not that of its
 * dimension, the bytes overflow. */
mw_status mw_graph_tensor(mw_graph *graph, const mw_tensor *tensor,
                          mw_id *id) MW_MUST_CHECK;

/* What an op is made of. Outputs are tensors that already exist (named: their
 * dimensions are known) or are made by mw_graph_place(). */
typedef struct mw_op_spec {
    const char *def;  /* name in the registry */
    const char *name; /* or NULL: the first output's */
    int n_in, n_out;
    const mw_id *in;
    const mw_id *out;             /* mw_graph_bind */
    const char *const *out_names; /* mw_graph_place */
    int n_attr;
    const mw_attr *attr; /* copied */
} mw_op_spec;

/* Positional: finds letters and output shapes by the op's `place` rule, makes
 * the output tensors and adds the op. Sets out[n_out].
 * MW_EINPUT: shapes or attributes do not fit, naming op and operand. */
mw_status mw_graph_place(mw_graph *graph, const mw_op_spec *spec,
                         mw_id out[]) MW_MUST_CHECK;

/* Named: finds letters from the dimensions of inputs and outputs by the op's
 * `bind` rule (default: a letter a dimension) and adds the op.
 * MW_EINPUT: dimensions or sizes do not fit. */
mw_status mw_graph_bind(mw_graph *graph, const mw_op_spec *spec,
                        mw_id *op) MW_MUST_CHECK;

/* Sets graph->interferes from what meets in its ops and tensors. */
mw_status mw_graph_interference(mw_graph *graph) MW_MUST_CHECK;

/* NULL when the op has no such attribute. */
const mw_attr *mw_op_attr(const mw_op *op, const char *name);
int64_t mw_op_attr_int(const mw_op *op, const char *name, int64_t otherwise);
double mw_op_attr_float(const mw_op *op, const char *name, double otherwise);

/* The operand's axis that has the letter, or MW_NONE. */
int mw_operand_axis(const mw_operand *operand, int letter);

/* The letter is in an output (else it is contracted or reduced). */
bool mw_op_letter_in_output(const mw_op *op, int letter);

/* MW_NONE when there is none of that name. */
mw_id mw_graph_find_tensor(const mw_graph *graph, const char *name);
mw_id mw_graph_find_dim(const mw_graph *graph, const char *name);

/* A parameter, or an input that is a weight. */
bool mw_tensor_is_weight(const mw_tensor *tensor);

/* Elements and bytes of the whole tensor (checked when it was added). */
int64_t mw_tensor_elements(const mw_tensor *tensor);
int64_t mw_tensor_bytes(const mw_tensor *tensor);

/* Shape of the file's array: n = file_rank sizes. In a positional graph the
 * axes themselves. */
int mw_tensor_file_shape(const mw_tensor *tensor, int64_t size[]);

/* Multiply-adds count 2; over the whole iteration space. */
double mw_op_flops(const mw_graph *graph, const mw_op *op);

#endif
