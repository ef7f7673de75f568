/*
 * import.h - a model file becomes a named graph. Symbolic sizes are fixed
 * here, so that all shape arithmetic folds away.
 */
#ifndef MW_IR_IMPORT_H
#define MW_IR_IMPORT_H

#include "ir/names.h"

typedef struct mw_size_option {
    const char *name; /* a symbolic dimension */
    int64_t size;
} mw_size_option;

/* The shape an input will have when run (--sizes-from). */
typedef struct mw_shape_option {
    const char *input;
    int rank;
    int64_t size[MW_MAX_RANK];
} mw_shape_option;

typedef struct mw_const_option {
    const char *input;
    const char *value; /* "16000", "1,2,3" */
} mw_const_option;

typedef struct mw_import_options {
    const mw_size_option *size; /* --dim */
    int n_sizes;
    const mw_shape_option *shape;
    int n_shapes;
    const mw_const_option *constant; /* --const */
    int n_constants;
    const mw_rename_option *rename; /* --name */
    int n_renames;
    const char *const *opaque; /* --opaque DOMAIN::OP */
    int n_opaque;
    bool values; /* map weights' bytes too (run); else only what folding needs */
} mw_import_options;

/* Reads .onnx or .mw by extension into graph (initialised by the caller).
 * Bytes that tensors point at live as long as the arena (files are mapped and
 * released with `*files`, see mw_import_close()).
 * MW_EINPUT names file, node or tensor; MW_EUSAGE an option. */
typedef struct mw_import_files mw_import_files;
mw_status mw_import(mw_ctx *ctx, mw_arena *arena, const char *path,
                    const mw_import_options *options, mw_graph *graph,
                    mw_import_files **files) MW_MUST_CHECK;

/* Unmaps. Accepts NULL. */
void mw_import_close(mw_import_files *files);

/* The positional half alone, for the ONNX decoder's tests and the fuzzer. */
mw_status mw_import_onnx(mw_ctx *ctx, mw_arena *arena, const char *path,
                         const mw_import_options *options, mw_graph *placed,
                         mw_import_files **files) MW_MUST_CHECK;

#endif
