/*
 * onnx.h - an ONNX model as plain structures, and what a row of the operator
 * registry (ir/import/onnx/NAME.c) is.
 *
 * ir/import/onnx.c reads the file's bytes into these structures; a rule then
 * sees one node with its inputs as tensors of a positional graph, and writes
 * it in the primitives of docs/design/ops.md with the calls of
 * ir/import/emit.h. Rules know nothing of protobuf.
 */
#ifndef MW_IR_IMPORT_ONNX_H
#define MW_IR_IMPORT_ONNX_H

#include "ir/graph.h"
#include "ir/import/protobuf.h"

enum {
    MW_ONNX_OPSET_MIN = 7, /* below, what a rule's `early` allows */
    MW_ONNX_OPSET_MAX = 25,
    MW_ONNX_MAX_DEPTH = 16, /* of graphs in attributes */
    MW_ONNX_MAX_OUT = 1024  /* outputs of a node */
};

typedef struct mw_onnx_tensor {
    const char *name; /* "" in attributes */
    int elem_type;    /* ONNX's code */
    int64_t rank, cap_rank;
    int64_t *dim;
    bool external;
    const char *location;   /* of external data, or NULL */
    int64_t offset, length; /* of external data; length -1: to the end */
    bool has_raw, segmented;
    mw_proto raw;
    mw_proto body; /* the whole message, for values in typed fields */
} mw_onnx_tensor;

/* Codes of AttributeProto.type. */
typedef enum mw_onnx_kind {
    MW_ONNX_NOTHING = 0,
    MW_ONNX_FLOAT = 1,
    MW_ONNX_INT = 2,
    MW_ONNX_TEXT = 3,
    MW_ONNX_TENSOR = 4,
    MW_ONNX_GRAPH = 5,
    MW_ONNX_FLOATS = 6,
    MW_ONNX_INTS = 7,
    MW_ONNX_TEXTS = 8,
    MW_ONNX_OTHER = 9 /* tensors, graphs, types, sparse tensors, bytes */
} mw_onnx_kind;

typedef struct mw_onnx_attr {
    const char *name;
    const char *reference; /* of the function's caller that it stands for; "" */
    mw_onnx_kind kind;
    int64_t i;
    float f;
    const char *text;
    int64_t n_ints, cap_ints, n_floats, cap_floats;
    int64_t *ints;
    float *floats;
    int64_t n_texts, cap_texts;
    const char **texts;
    const mw_onnx_tensor *tensor;
    const struct mw_onnx_graph *graph;
} mw_onnx_attr;

typedef struct mw_onnx_node {
    const char *name, *op, *domain; /* domain "" is ai.onnx */
    const char *overload;
    int64_t n_in, cap_in, n_out, cap_out, n_attr, cap_attr;
    const char **in, **out; /* "" is left out */
    mw_onnx_attr *attr;
} mw_onnx_node;

typedef struct mw_onnx_dim {
    int64_t value;      /* < 0: not given */
    const char *symbol; /* NULL: none */
} mw_onnx_dim;

/* A declared name: an input, an output or an intermediate value. */
typedef struct mw_onnx_value {
    const char *name;
    const char *kind; /* "sequence" and the like, of what is no tensor */
    bool is_tensor, has_shape;
    int elem_type;
    int64_t rank, cap_rank;
    mw_onnx_dim *dim;
} mw_onnx_value;

typedef struct mw_onnx_graph {
    const char *name;
    int64_t n_nodes, cap_nodes, n_weights, cap_weights;
    int64_t n_in, cap_in, n_out, cap_out, n_infos, cap_infos;
    mw_onnx_node *node;
    mw_onnx_tensor *weight;
    mw_onnx_value *in, *out, *info;
    bool has_sparse;
} mw_onnx_graph;

typedef struct mw_onnx_opset {
    const char *domain;
    int64_t version;
} mw_onnx_opset;

/* An operator that the model defines itself. */
typedef struct mw_onnx_function {
    const char *domain, *op, *overload;
    mw_onnx_graph graph; /* nodes, and names of inputs and outputs */
    int64_t n_opsets, cap_opsets, n_defaults, cap_defaults;
    mw_onnx_opset *opset;
    mw_onnx_attr *defaults;
} mw_onnx_function;

typedef struct mw_onnx_model {
    int64_t ir_version;
    int64_t n_opsets, cap_opsets, n_functions, cap_functions;
    mw_onnx_opset *opset;
    mw_onnx_function *function;
    mw_onnx_graph graph;
} mw_onnx_model;

/* Reads a model; what it points at lives as long as the arena and the bytes.
 * MW_EINPUT: not an ONNX file, malformed, or nested too deep. */
mw_status mw_onnx_decode(mw_arena *arena, const uint8_t *bytes, size_t size,
                         mw_onnx_model *model) MW_MUST_CHECK;

/* ---- what a rule sees ---- */

struct mw_onnx_build;

typedef struct mw_onnx_call {
    struct mw_onnx_build *build;
    mw_graph *graph; /* positional, being built */
    mw_arena *arena;
    const mw_onnx_node *node;
    const struct mw_onnx_rule *rule;
    const char *label; /* of the node, for messages */
    int opset;
    int n_in;
    const mw_id *in; /* MW_NONE: left out */
    int n_out;
    mw_id *out;       /* to be set for each output that node->out names */
    mw_status status; /* of the first failure; see ir/import/emit.h */
} mw_onnx_call;

typedef struct mw_onnx_rule {
    const char *op;
    const char *domain; /* NULL: ai.onnx */
    int since;          /* opset of ai.onnx that brought it */
    int min_in, max_in; /* max_in < 0: any number */
    const char *attrs;  /* that it reads, separated by spaces; NULL: none, "*":
                           any */
    mw_status (*build)(mw_onnx_call *call);
    const char *arg; /* what the rules of a table differ in */
    int early;       /* below opset 7: since when it means the same; 0: never */
    bool counts;     /* a size of an output may follow from values */
} mw_onnx_rule;

/* A file of the registry: the rules up to the first without op. */
typedef struct mw_onnx_def {
    const char *brief;
    const mw_onnx_rule *rules;
} mw_onnx_def;

extern const mw_onnx_def *const mw_onnx_table[];
extern const int mw_onnx_count;

/* NULL when there is none. */
const mw_onnx_rule *mw_onnx_find(const char *domain, const char *op);

/* ---- attributes of the node ---- */

/* NULL when the node has none of that name. */
const mw_onnx_attr *mw_onnx_attr_find(const mw_onnx_call *call,
                                      const char *name);

/* Values of single attributes; `otherwise` when there is none. One of another
 * kind is a failure of the call. */
int64_t mw_onnx_int(mw_onnx_call *call, const char *name, int64_t otherwise);
double mw_onnx_float(mw_onnx_call *call, const char *name, double otherwise);
const char *mw_onnx_text(mw_onnx_call *call, const char *name,
                         const char *otherwise);

typedef struct mw_onnx_list {
    bool given;
    int n;
    const int64_t *v;
} mw_onnx_list;

/* A list attribute. */
mw_onnx_list mw_onnx_ints(mw_onnx_call *call, const char *name);

/* ---- inputs of the node ---- */

bool mw_onnx_has(const mw_onnx_call *call, int i);

/* Input i, or MW_NONE when left out. */
mw_id mw_onnx_in(const mw_onnx_call *call, int i);

/* The stored values of input i, which must be known without running the model;
 * NULL after a failure, or when it is left out. */
const void *mw_onnx_in_bytes(mw_onnx_call *call, int i);

/* The integers of input i, which must be known without running the model:
 * shapes, axes, sizes. Not given when the input is left out. */
mw_onnx_list mw_onnx_in_ints(mw_onnx_call *call, int i);

/* The same of an attribute (before opset `moved`) or else of input i. */
mw_onnx_list mw_onnx_list_of(mw_onnx_call *call, const char *attr, int moved,
                             int i);

/* One number of a known input. */
double mw_onnx_in_number(mw_onnx_call *call, int i, double otherwise);

/* A failure of the call, MW_EINPUT, naming node and operator. */
mw_status mw_onnx_refuse(mw_onnx_call *call, const char *format, ...)
    MW_PRINTF(2, 3);

#endif
