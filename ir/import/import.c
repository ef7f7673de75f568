/* import.c - from a file of any format to a named graph. */
#include "ir/import.h"

#include <string.h>

#include "base/file.h"

/* A dimension of size 1 does not exist, so nothing can be split along it. */
static void warn_ones(mw_ctx *ctx, const mw_graph *placed)
{
    for (int t = 0; t < placed->n_tensors; t++) {
        const mw_tensor *tensor = &placed->tensor[t];
        for (int a = 0; a < tensor->rank; a++) {
            const mw_axis *axis = &tensor->axis[a];
            if (axis->symbol && axis->size == 1)
                mw_warn(ctx,
                        "dimension '%s' of input '%s' has size 1: it cannot "
                        "be split, and nothing is known of larger sizes",
                        axis->symbol, tensor->name);
        }
    }
}

mw_status mw_import(mw_ctx *ctx, mw_arena *arena, const char *path,
                    const mw_import_options *options, mw_graph *graph,
                    mw_import_files **files)
{
    if (strcmp(mw_path_ext(path), ".onnx") != 0) {
        mw_ctx_at(ctx, "%s", path);
        return mw_fail(ctx, MW_EUSAGE, "a model ends in .onnx, this in '%s'",
                       mw_path_ext(path));
    }
    mw_graph placed;
    mw_import_files *opened = NULL;
    MW_TRY(mw_graph_init(&placed, arena, mw_path_name(path)));
    MW_TRY(mw_import_onnx(ctx, arena, path, options, &placed, &opened));
    warn_ones(ctx, &placed);
    mw_status status =
        mw_names(&placed, options->rename, options->n_renames, graph);
    if (status != MW_OK) {
        mw_import_close(opened);
        return status;
    }
    *files = opened;
    return MW_OK;
}
