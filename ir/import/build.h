/*
 * build.h - the state of one import: an ONNX model on its way to a positional
 * graph. Used by ir/import/ only.
 *
 * Nodes are visited in topological order and add to a working graph, where
 * names, and so errors, are the file's. What no output needs is dropped when
 * the result is copied out (ir/import/finish.c).
 */
#ifndef MW_IR_IMPORT_BUILD_H
#define MW_IR_IMPORT_BUILD_H

#include "base/map.h"
#include "ir/fold.h"
#include "ir/import/onnx.h"
#include "ir/import/payload.h"

enum { MW_BUILD_UNROLLED_MAX = 20000 }; /* nodes that loops add */

/* Names of one graph of the file; those of a body hide the outer ones. */
typedef struct mw_onnx_scope {
    struct mw_onnx_scope *outer;
    const mw_onnx_graph *graph;
    mw_map value;  /* name -> tensor */
    mw_map weight; /* name -> index of a stored tensor */
    mw_map input;  /* name -> index of an input */
} mw_onnx_scope;

typedef struct mw_onnx_build {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_import_options *options;
    const mw_onnx_model *model;
    const char *path;
    mw_payload payload;
    mw_graph graph;
    mw_folder folder;
    mw_map numbers;     /* scalar constants */
    mw_map sizes;       /* symbol -> size */
    int64_t n_made;     /* names made up so far */
    int64_t n_assumed;  /* sizes made up so far (options->assume_sizes) */
    int64_t n_warned;   /* declared shapes that differ */
    int64_t nodes_left; /* that may still be visited; bodies repeat */
    const char **label; /* of tensors: their names in the file, or NULL */
    int64_t n_labels, cap_labels;
    mw_onnx_scope *scope;             /* of the graph being read */
    int depth;                        /* of functions being called */
    const char *within;               /* the body being written, or NULL */
    const mw_onnx_function *function; /* being called, or NULL */
} mw_onnx_build;

/* The main graph's outputs, in the file's order. */
typedef struct mw_onnx_output {
    const char *name;
    mw_id tensor;
} mw_onnx_output;

/* A name that no tensor of the working graph has, like `base`; NULL with
 * MW_ENOMEM recorded. */
const char *mw_build_name(mw_onnx_build *build, const char *base);

/* Makes a name of the current scope stand for a tensor; the first name is the
 * tensor's label. */
mw_status mw_build_bind(mw_onnx_build *build, const char *name,
                        mw_id tensor) MW_MUST_CHECK;

/* The tensor of a name in the scopes from the current one out; reads a stored
 * tensor when it is first asked for. MW_EINPUT: there is none. */
mw_status mw_build_value(mw_onnx_build *build, const char *name,
                         mw_id *tensor) MW_MUST_CHECK;

/* Adds a stored tensor: a parameter when float and more than one element,
 * else a constant. */
mw_status mw_build_stored(mw_onnx_build *build, const mw_onnx_tensor *stored,
                          const char *name, mw_id *tensor) MW_MUST_CHECK;

/* Visits the nodes of the current scope's graph that its outputs need. */
mw_status mw_build_nodes(mw_onnx_build *build) MW_MUST_CHECK;

/* Visits a body in a scope of its own: in[] stand for its inputs, out[] gets
 * its outputs. */
mw_status mw_build_body(mw_onnx_build *build, const mw_onnx_graph *graph,
                        const mw_id in[], mw_id out[]) MW_MUST_CHECK;

/* ir/import/order.c: the needed nodes of a graph in topological order, by
 * index, ties in the file's. MW_EINPUT: an output is made twice, an input by
 * nobody, or nodes need each other. */
mw_status mw_onnx_order(mw_onnx_build *build, const mw_onnx_scope *scope,
                        int64_t **order, int64_t *n) MW_MUST_CHECK;

/* ir/import/sizes.c: adds the inputs of the main graph. */
mw_status mw_build_inputs(mw_onnx_build *build) MW_MUST_CHECK;
/* MW_EUSAGE: an option names no dimension or input. */
mw_status mw_build_check_options(mw_onnx_build *build) MW_MUST_CHECK;
/* Warns when a declared shape is not the one found. */
mw_status mw_build_check_declared(mw_onnx_build *build) MW_MUST_CHECK;

/* The symbol of a dimension without a size; NULL: it has none. */
const char *mw_build_symbol(const mw_onnx_dim *dim);
/* What --dim says of a name; false: nothing. */
bool mw_build_dim_option(const mw_onnx_build *build, const char *name,
                         int64_t *size);
/* A small size, at most `most`, with a warning (options->assume_sizes). */
int64_t mw_build_assume(mw_onnx_build *build, const char *name, int64_t most);

/* ir/import/counts.c: what the file declares of a value of the current scope's
 * graph, or NULL; and the names of sizes that follow from values. */
const mw_onnx_value *mw_build_declared(const mw_onnx_build *build,
                                       const char *name);
mw_status mw_build_count_names(mw_onnx_build *build,
                               mw_map *names) MW_MUST_CHECK;

/* ir/import/opaque.c: the rule of a node that --opaque names, else NULL. */
const mw_onnx_rule *mw_onnx_opaque(const mw_onnx_build *build,
                                   const mw_onnx_node *node);
/* MW_EUSAGE: --opaque names no operator of the model. */
mw_status mw_onnx_check_opaque(mw_onnx_build *build) MW_MUST_CHECK;

/* ir/import/finish.c: copies what the outputs need. */
mw_status mw_build_finish(mw_onnx_build *build, const mw_onnx_output output[],
                          int64_t n, mw_graph *placed) MW_MUST_CHECK;

/* ---- function.c ---- */

/* The model's function that a node calls, or NULL. */
const mw_onnx_function *mw_onnx_function_of(const mw_onnx_model *model,
                                            const mw_onnx_node *node);

/* Visits the function's nodes and makes the node's output names, in the current
 * scope, stand for what they give. in[]: of each of the node's inputs. */
mw_status mw_onnx_call_function(mw_onnx_build *build,
                                const mw_onnx_function *function,
                                const mw_onnx_node *node, const mw_id in[],
                                mw_id out[]) MW_MUST_CHECK;

/* ir/import/weights.c: marks the inputs of a placed graph that are weights. */
mw_status mw_build_find_weights(mw_arena *arena,
                                mw_graph *placed) MW_MUST_CHECK;

#endif
