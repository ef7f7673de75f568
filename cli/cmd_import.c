/* cmd_import.c - a model in the project's own text. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/model_options.h"
#include "ir/text.h"

static const mw_option options[] = {
    MW_MODEL_OPTION_ROWS,
    {"o", "F.mw", "where to write, instead of standard output", false},
    {NULL, NULL, NULL, false},
};

static mw_status print_graph(mw_ctx *ctx, const mw_args *args,
                             const mw_graph *graph)
{
    char *text = mw_text_print(graph);
    if (!text)
        return MW_ENOMEM;
    const char *path = mw_args_text(args, "o");
    if (path)
        return mw_file_write(ctx, path, text, strlen(text));
    (void)fputs(text, stdout);
    return MW_OK;
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_import_options with;
    mw_import_files *files = NULL;
    mw_graph graph;
    mw_status status = mw_model_options_read(&arena, args, &with);
    if (status == MW_OK)
        status = mw_model_read(&arena, args->pos[0], &with, &graph, &files);
    if (status == MW_OK)
        status = print_graph(ctx, args, &graph);
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
    .details = "Small constants stand in the text. Weights do not: the text "
               "plans like the model, and runs with weights that are given to "
               "`run`.",
    .example = "meshwright import net.onnx --dim batch=8 -o net.mw",
    .run = run,
};
