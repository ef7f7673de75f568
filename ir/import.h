/*
 * import.h - a model file becomes a named graph. Symbolic sizes are fixed
 * here, so that all shape arithmetic folds away.
 */
#ifndef MW_IR_IMPORT_H
#define MW_IR_IMPORT_H

#include "ir/names.h"
#include "ir/text.h"

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
    const char *const *set; /* --set KEY=VALUE, of built-in models */
    int n_set;
    bool
        check_ties; /* find equal weights in external data too (--check-ties) */
    bool
        values; /* map weights' bytes too (run); else only what folding needs */
    bool unroll; /* the steps of scans as ops (ir/unroll.h) */
    /* The graph is that of a training step (ir/train.h). NULL: the model's. */
    const struct mw_train_options *train;
    /* Groups of maps become one op each (ir/fuse.h), but for these tensors and
     * dims, to which someone refers by name. */
    bool fuse;
    uint32_t widen; /* bit d: dtype d, a half float, is computed in f32 with
                       casts around (ir/widen.h) */
    const char *const *keep;
    int n_keep;
    /* Sizes that no option gives are made up, with a warning each, instead of
     * refused: for looking at a model. */
    bool assume_sizes;
} mw_import_options;

/* Whether a model's name is that of a built-in one: it has no ending. */
bool mw_import_is_built_in(const char *path);

/* Reads .onnx, .mlir or .mw by extension, or builds the model of that name
 * (ir/model.h), into graph (initialised by the caller, in this arena). Bytes
 * that tensors point at live as long as the arena and until
 * mw_import_close(*files), which comes first; those of mapped files may be
 * unaligned.
 * A symbolic dimension gets its size from --dim or --sizes-from; one without
 * is refused by name (but see assume_sizes).
 * MW_EINPUT names file, node or tensor; MW_EUSAGE an option. */
typedef struct mw_import_files mw_import_files;
mw_status mw_import(mw_ctx *ctx, mw_arena *arena, const char *path,
                    const mw_import_options *options, mw_graph *graph,
                    mw_import_files **files) MW_MUST_CHECK;

/* The same into a graph that it initialises by the file's name without its
 * ending. */
mw_status mw_model_read(mw_arena *arena, const char *path,
                        const mw_import_options *options, mw_graph *graph,
                        mw_import_files **files) MW_MUST_CHECK;

/* Unmaps. Accepts NULL. */
void mw_import_close(mw_import_files *files);

/* The positional half alone, for the ONNX decoder's tests. */
mw_status mw_import_onnx(mw_ctx *ctx, mw_arena *arena, const char *path,
                         const mw_import_options *options, mw_graph *placed,
                         mw_import_files **files) MW_MUST_CHECK;

/* The same of bytes that live as long as the graph; for the fuzzer. path: for
 * messages and external data. */
typedef struct mw_import_bytes {
    const char *path;
    const void *bytes;
    size_t size;
} mw_import_bytes;
mw_status mw_import_onnx_bytes(mw_arena *arena, const mw_import_bytes *file,
                               const mw_import_options *options,
                               mw_graph *placed,
                               mw_import_files **files) MW_MUST_CHECK;

/* The same of StableHLO text, which a NUL ends behind its `size` bytes. Its
 * constants are values in memory, so there are no files. */
mw_status mw_import_stablehlo_text(mw_arena *arena, const mw_import_bytes *file,
                                   const mw_import_options *options,
                                   mw_graph *placed) MW_MUST_CHECK;

#endif
