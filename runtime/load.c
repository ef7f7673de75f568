/* load.c - plan, model and values, and whether they belong together. */
#include "runtime/load.h"

#include <string.h>

#include "ir/text.h"

mw_status mw_load_plan(mw_arena *arena, const char *path, mw_load *load)
{
    memset(load, 0, sizeof *load);
    MW_TRY(mw_plan_read(arena->ctx, arena, path, &load->file));
    return mw_plan_restore(arena->ctx, &load->file, &load->plan);
}

static mw_status check_source(mw_ctx *ctx, const mw_plan_info *info)
{
    char found[MW_SHA256_HEX];
    MW_TRY(mw_sha256_file(ctx, info->source, found));
    if (strcmp(found, info->sha256) == 0)
        return MW_OK;
    mw_ctx_at(ctx, "%s", info->source);
    return mw_fail(ctx, MW_EINPUT,
                   "is not the model the plan was made from: its sha256 is "
                   "%s, wanted %s",
                   found, info->sha256);
}

// Where two texts differ first: the line.
static int line_of_difference(const char *a, const char *b)
{
    int line = 1;
    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    return line;
}

static mw_status check_graph(mw_ctx *ctx, mw_load *load)
{
    const char *found = mw_text_print(&load->model);
    const char *wanted = mw_text_print(&load->file.graph);
    if (!found || !wanted)
        return MW_ENOMEM;
    if (strcmp(found, wanted) == 0)
        return MW_OK;
    mw_ctx_at(ctx, "%s", load->file.info.source);
    return mw_fail(ctx, MW_EINPUT,
                   "gives another graph than the plan's, from line %d on\n"
                   "the plan was made by another version: plan again",
                   line_of_difference(found, wanted));
}

static mw_status read_model(mw_arena *arena, mw_load *load)
{
    mw_ctx *ctx = arena->ctx;
    const mw_plan_info *info = &load->file.info;
    mw_import_options options = {0};
    if (info->options)
        options = *info->options;
    options.values = true;
    MW_TRY(check_source(ctx, info));
    MW_TRY(mw_graph_init(&load->model, arena, load->file.graph.name));
    MW_TRY(mw_import(ctx, arena, info->source, &options, &load->model,
                     &load->files));
    return check_graph(ctx, load);
}

mw_status mw_load_model(mw_arena *arena, uint64_t seed, mw_load *load)
{
    const mw_graph *graph = &load->file.graph;
    if (load->file.info.sha256[0]) {
        MW_TRY(read_model(arena, load));
        graph = &load->model;
    }
    return mw_values_open(arena, graph, seed, &load->values);
}

void mw_load_close(mw_load *load)
{
    if (!load)
        return;
    mw_values_close(&load->values);
    mw_import_close(load->files);
    load->files = NULL;
}
