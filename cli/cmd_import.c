/* cmd_import.c - a model in the project's own text, its weights beside it. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/model_options.h"
#include "ir/eval.h"
#include "ir/text.h"
#include "runtime/safetensors.h"

static const mw_option options[] = {
    MW_MODEL_OPTION_ROWS,
    {"o", "F.mw",
     "where to write, instead of standard output; weights go to F.safetensors "
     "beside it",
     false},
    {NULL, NULL, NULL, false},
};

/* A .mw file's weights are in a file that it names already. */
static bool is_named(const mw_tensor *tensor)
{
    return tensor->data.kind == MW_DATA_FILE && tensor->data.offset < 0;
}

/* Values that do not stand in the text. */
static bool goes_beside(const mw_tensor *tensor)
{
    if (is_named(tensor))
        return false;
    bool stored = tensor->data.kind == MW_DATA_FILE ||
                  (tensor->data.kind == MW_DATA_MEMORY &&
                   mw_tensor_elements(tensor) > MW_TEXT_INLINE);
    return stored &&
           (tensor->role == MW_ROLE_PARAM || tensor->role == MW_ROLE_CONST);
}

static mw_status describe(const mw_tensor *tensor, mw_array *array,
                          mw_arena *arena, const void **data)
{
    *array = (mw_array){.name = tensor->name,
                        .dtype = tensor->dtype,
                        .bytes = mw_tensor_bytes(tensor)};
    array->rank = mw_tensor_file_shape(tensor, array->size);
    return mw_data_bytes(arena, tensor, data);
}

/* "net.mw" to "net.safetensors". */
static const char *beside(mw_arena *arena, const char *path)
{
    int length = (int)(mw_path_ext(path) - path);
    return mw_arena_format(arena, "%.*s.safetensors", length, path);
}

/* Writes weights and makes the graph refer to them. */
static mw_status write_weights(mw_arena *arena, const char *path,
                               mw_graph *graph)
{
    mw_array *array = MW_NEW_ARRAY(arena, graph->n_tensors, mw_array);
    const void **data = MW_NEW_ARRAY(arena, graph->n_tensors, const void *);
    const char *file = beside(arena, path);
    if (!array || !data || !file)
        return MW_ENOMEM;
    int n = 0;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        mw_tensor *tensor = &graph->tensor[t];
        if (!goes_beside(tensor))
            continue;
        MW_TRY(describe(tensor, &array[n], arena, &data[n]));
        n++;
        const char *place =
            mw_arena_format(arena, "%s:%s", mw_path_name(file), tensor->name);
        if (!place)
            return MW_ENOMEM;
        tensor->data =
            (mw_data){.kind = MW_DATA_FILE, .path = place, .offset = -1};
    }
    return n > 0 ? mw_safetensors_write(arena->ctx, file, array, data, n)
                 : MW_OK;
}

/* Names of weights' files are relative to the text that has them. */
static mw_status check_folder(mw_ctx *ctx, const char *from, const char *to,
                              const mw_graph *graph)
{
    size_t length = (size_t)(mw_path_name(to) - to);
    bool same = length == (size_t)(mw_path_name(from) - from) &&
                strncmp(from, to, length) == 0;
    for (mw_id t = 0; t < graph->n_tensors && !same; t++)
        if (is_named(&graph->tensor[t])) {
            mw_ctx_at(ctx, "-o");
            return mw_fail(ctx, MW_EUSAGE,
                           "'%s' is not in the folder of '%s', where the "
                           "weights are that its text names",
                           to, from);
        }
    return MW_OK;
}

static mw_status print_graph(mw_arena *arena, const mw_args *args,
                             mw_graph *graph)
{
    const char *path = mw_args_text(args, "o");
    if (path) {
        MW_TRY(check_folder(arena->ctx, args->pos[0], path, graph));
        MW_TRY(write_weights(arena, path, graph));
    }
    char *text = mw_text_print(graph);
    if (!text)
        return MW_ENOMEM;
    if (path)
        return mw_file_write(arena->ctx, path, text, strlen(text));
    (void)fputs(text, stdout);
    return MW_OK;
}

static mw_status check_path(mw_ctx *ctx, const char *path)
{
    if (!path || strcmp(mw_path_ext(path), ".mw") == 0)
        return MW_OK;
    mw_ctx_at(ctx, "-o");
    return mw_fail(ctx, MW_EUSAGE, "is '%s', wanted a name that ends in .mw",
                   path);
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_import_options with;
    mw_import_files *files = NULL;
    mw_graph graph;
    mw_status status = check_path(ctx, mw_args_text(args, "o"));
    if (status == MW_OK)
        status = mw_model_options_read(&arena, args, &with);
    if (status == MW_OK) {
        with.values = mw_args_has(args, "o");
        status = mw_model_read(&arena, args->pos[0], &with, &graph, &files);
    }
    if (status == MW_OK)
        status = print_graph(&arena, args, &graph);
    mw_import_close(files);
    mw_arena_free(&arena);
    return status;
}

const mw_command mw_command_import = {
    .name = "import",
    .brief = "a model in the project's own text",
    .arguments = "MODEL",
    .min_args = 1,
    .max_args = 1,
    .options = options,
    .writes = (const char *const[]){"o", NULL},
    .details = "Small constants stand in the text. With -o weights are written "
               "to a file beside it, which the text names; without, the text "
               "plans like the model and runs with `run --weights`.",
    .example = "meshwright import net.onnx --dim batch=8 -o net.mw",
    .run = run,
};
