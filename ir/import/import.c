/* import.c - from a file of any format to a named graph. */
#include "ir/import.h"

#include <inttypes.h>
#include <string.h>

#include "ir/conv_fuse.h"
#include "ir/fuse.h"
#include "ir/import/files.h"
#include "ir/model.h"
#include "ir/text.h"
#include "ir/train.h"
#include "ir/unroll.h"
#include "ir/verify.h"
#include "ir/widen.h"

static mw_status read_onnx(mw_arena *arena, const char *path,
                           const mw_import_options *options, mw_graph *graph,
                           mw_import_files **files)
{
    mw_graph placed;
    MW_TRY(mw_graph_init(&placed, arena, mw_path_name(path)));
    MW_TRY(mw_import_onnx(arena->ctx, arena, path, options, &placed, files));
    return mw_names(&placed, options->rename, options->n_renames, graph);
}

static mw_status read_stablehlo(mw_arena *arena, const char *path,
                                const mw_import_options *options,
                                mw_graph *graph, mw_import_files **files)
{
    char *text;
    mw_graph placed;
    mw_import_bytes file = {.path = path};
    *files = mw_files_new(arena->ctx, arena);
    if (!*files)
        return MW_ENOMEM;
    MW_TRY(mw_file_read(arena, path, &text, &file.size));
    file.bytes = text;
    MW_TRY(mw_graph_init(&placed, arena, mw_path_name(path)));
    MW_TRY(mw_import_stablehlo_text(arena, &file, options, &placed));
    return mw_names(&placed, options->rename, options->n_renames, graph);
}

/* The model says all names; arrays for its inputs must agree. */
static mw_status check_fixed(mw_ctx *ctx, const char *what,
                             const mw_import_options *options,
                             const mw_graph *graph)
{
    if (options->n_constants || options->n_renames)
        return mw_fail(ctx, MW_EUSAGE, "--const and --name do not change %s",
                       what);
    for (int i = 0; i < options->n_shapes; i++) {
        const mw_shape_option *shape = &options->shape[i];
        mw_id id = mw_graph_find_tensor(graph, shape->input);
        if (id == MW_NONE || graph->tensor[id].role != MW_ROLE_INPUT)
            continue;
        int64_t size[MW_MAX_FILE_RANK];
        bool same =
            mw_tensor_file_shape(&graph->tensor[id], size) == shape->rank;
        for (int a = 0; a < shape->rank && same; a++)
            same = size[a] == shape->size[a];
        if (!same)
            return mw_fail(ctx, MW_EUSAGE,
                           "input '%s' has another shape than the array given "
                           "for it",
                           shape->input);
    }
    return MW_OK;
}

static mw_status read_text(mw_arena *arena, const char *path,
                           const mw_import_options *options, mw_graph *graph,
                           mw_import_files **files)
{
    char *text;
    size_t size;
    *files = mw_files_new(arena->ctx, arena);
    if (!*files)
        return MW_ENOMEM;
    MW_TRY(mw_file_read(arena, path, &text, &size));
    if (strlen(text) != size)
        return mw_fail(arena->ctx, MW_EINPUT, "%s: holds a NUL character",
                       path);
    MW_TRY(mw_text_parse_sized(graph, path, text, options->size,
                               options->n_sizes));
    return check_fixed(arena->ctx, "a .mw file, whose lines say all names",
                       options, graph);
}

bool mw_import_is_built_in(const char *path)
{
    return *mw_path_ext(path) == '\0';
}

/* A --dim sets the key of that name. */
static mw_status build(mw_arena *arena, const char *name,
                       const mw_import_options *options, mw_graph *graph,
                       mw_import_files **files)
{
    *files = mw_files_new(arena->ctx, arena);
    if (!*files)
        return MW_ENOMEM;
    int n = options->n_set;
    const char **set = MW_NEW_ARRAY(arena, n + options->n_sizes, const char *);
    if (!set)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++)
        set[i] = options->set[i];
    for (int i = 0; i < options->n_sizes; i++, n++) {
        set[n] = mw_arena_format(arena, "%s=%" PRId64, options->size[i].name,
                                 options->size[i].size);
        if (!set[n])
            return MW_ENOMEM;
    }
    MW_TRY(mw_model_build(arena, name, set, n, graph));
    return check_fixed(arena->ctx, "a built-in model", options, graph);
}

static mw_status check_set(mw_ctx *ctx, const char *path,
                           const mw_import_options *options)
{
    if (options->n_set == 0 || mw_import_is_built_in(path))
        return MW_OK;
    mw_ctx_at(ctx, "--set");
    return mw_fail(ctx, MW_EUSAGE,
                   "sets keys of built-in models; '%s' is a file", path);
}

static mw_status read_model(mw_ctx *ctx, mw_arena *arena, const char *path,
                            const mw_import_options *options, mw_graph *graph,
                            mw_import_files **files)
{
    mw_import_files *opened = NULL;
    const char *ext = mw_path_ext(path);
    mw_status status = check_set(ctx, path, options);
    if (status != MW_OK) {
        return status;
    } else if (mw_import_is_built_in(path)) {
        status = build(arena, path, options, graph, &opened);
    } else if (strcmp(ext, ".onnx") == 0) {
        status = read_onnx(arena, path, options, graph, &opened);
    } else if (strcmp(ext, ".mlir") == 0) {
        status = read_stablehlo(arena, path, options, graph, &opened);
    } else if (strcmp(ext, ".mw") == 0) {
        status = read_text(arena, path, options, graph, &opened);
    } else {
        mw_ctx_at(ctx, "%s", path);
        status = mw_fail(ctx, MW_EUSAGE,
                         "a model's file ends in .onnx, .mlir or .mw, this "
                         "one's in '%s'",
                         ext);
    }
    return mw_files_give(status, opened, files);
}

/* With the steps of scans as ops, where the options say so. */
static mw_status read_steps(mw_ctx *ctx, mw_arena *arena, const char *path,
                            const mw_import_options *options, mw_graph *graph,
                            mw_import_files **files)
{
    if (!options->unroll)
        return read_model(ctx, arena, path, options, graph, files);
    mw_import_files *opened = NULL;
    mw_graph looped;
    MW_TRY(mw_graph_init(&looped, arena, graph->name));
    MW_TRY(read_model(ctx, arena, path, options, &looped, &opened));
    return mw_files_give(mw_unroll(&looped, graph), opened, files);
}

static mw_status read_step(mw_ctx *ctx, mw_arena *arena, const char *path,
                           const mw_import_options *options, mw_graph *graph,
                           mw_import_files **files)
{
    if (!options->train)
        return read_steps(ctx, arena, path, options, graph, files);
    mw_import_files *opened = NULL;
    mw_graph forward;
    MW_TRY(mw_graph_init(&forward, arena, graph->name));
    MW_TRY(read_steps(ctx, arena, path, options, &forward, &opened));
    graph->name = forward.name;
    mw_status status = mw_train(&forward, options->train, graph);
    return mw_files_give(status, opened, files);
}

static bool has_dtype(const mw_graph *graph, uint32_t dtypes)
{
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (dtypes >> graph->tensor[t].dtype & 1)
            return true;
    return false;
}

/* The graph before groups are made. */
static mw_status read_whole(mw_ctx *ctx, mw_arena *arena, const char *path,
                            const mw_import_options *options, mw_graph *graph,
                            mw_import_files **files)
{
    mw_import_files *opened = NULL;
    mw_graph narrow;
    if (!options->widen)
        return read_step(ctx, arena, path, options, graph, files);
    MW_TRY(mw_graph_init(&narrow, arena, graph->name));
    MW_TRY(read_step(ctx, arena, path, options, &narrow, &opened));
    mw_status status = MW_OK;
    if (has_dtype(&narrow, options->widen))
        status = mw_widen(&narrow, options->widen, graph);
    else
        *graph = narrow;
    return mw_files_give(status, opened, files);
}

/* With groups of maps, where the options say so. */
static mw_status read_grouped(mw_ctx *ctx, mw_arena *arena, const char *path,
                              const mw_import_options *options, mw_graph *graph,
                              mw_import_files **files)
{
    if (!options->fuse)
        return read_whole(ctx, arena, path, options, graph, files);
    mw_import_files *opened = NULL;
    mw_graph whole;
    MW_TRY(mw_graph_init(&whole, arena, graph->name));
    MW_TRY(read_whole(ctx, arena, path, options, &whole, &opened));
    graph->name = whole.name;
    const mw_kept kept = {.n = options->n_keep, .name = options->keep};
    mw_status status = mw_conv_passes(&whole, &kept);
    if (status == MW_OK)
        status = mw_fuse(&whole, options->keep, options->n_keep, graph);
    if (status == MW_OK && mw_verify(graph) != MW_OK)
        status = MW_EBUG; /* of a pass: what was read was right */
    return mw_files_give(status, opened, files);
}

mw_status mw_import(mw_ctx *ctx, mw_arena *arena, const char *path,
                    const mw_import_options *options, mw_graph *graph,
                    mw_import_files **files)
{
    if (!options->train || options->train->n_again == 0)
        return read_grouped(ctx, arena, path, options, graph, files);
    mw_import_files *opened = NULL;
    mw_graph step;
    MW_TRY(mw_graph_init(&step, arena, graph->name));
    MW_TRY(read_grouped(ctx, arena, path, options, &step, &opened));
    graph->name = step.name;
    mw_status status = mw_train_again(&step, options->train, graph);
    return mw_files_give(status, opened, files);
}

mw_status mw_model_read(mw_arena *arena, const char *path,
                        const mw_import_options *options, mw_graph *graph,
                        mw_import_files **files)
{
    const char *name = mw_path_name(path);
    int length = (int)(mw_path_ext(path) - name);
    const char *stem = mw_arena_format(arena, "%.*s", length, name);
    if (!stem)
        return MW_ENOMEM;
    MW_TRY(mw_graph_init(graph, arena, stem));
    return mw_import(arena->ctx, arena, path, options, graph, files);
}
