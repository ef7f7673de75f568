/* load.c - plan, model and values, and whether they belong together. */
#include "runtime/load.h"

#include <string.h>

#include "ir/op.h"
#include "ir/text.h"

// An operator that --opaque let stand unknown has no kernel.
static mw_status check_known(mw_ctx *ctx, const mw_graph *graph)
{
    for (int i = 0; i < graph->n_ops; i++) {
        const mw_op *op = &graph->op[i];
        if (!op->def->opaque)
            continue;
        mw_ctx_at(ctx, "op '%s'", op->name);
        return mw_fail(ctx, MW_EINPUT,
                       "'%s' is not supported: the plan can be looked at, not "
                       "run",
                       mw_op_attr(op, "kind")->text);
    }
    return MW_OK;
}

// Elements that share bytes, and complex numbers, are planned and sized.
static mw_status check_dtypes(mw_ctx *ctx, const mw_graph *graph)
{
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        mw_dtype dtype = graph->tensor[t].dtype;
        if (mw_dtype_runs(dtype))
            continue;
        mw_ctx_at(ctx, "tensor '%s'", graph->tensor[t].name);
        return mw_fail(ctx, MW_EINPUT,
                       "is %s, which no kernel reads: the plan can be looked "
                       "at, not run; wanted real elements of a byte or more",
                       mw_dtype_name(dtype));
    }
    return MW_OK;
}

mw_status mw_load_plan(mw_arena *arena, const char *path, mw_load *load)
{
    memset(load, 0, sizeof *load);
    MW_TRY(mw_plan_read(arena->ctx, arena, path, &load->file));
    MW_TRY(check_known(arena->ctx, &load->file.graph));
    MW_TRY(check_dtypes(arena->ctx, &load->file.graph));
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

// Where values lie says nothing about what a graph is, and a plan is made
// without reading those in other files.
static bool told_apart(const mw_tensor *a, const mw_tensor *b)
{
    return a->data.kind != MW_DATA_FILE && b->data.kind != MW_DATA_FILE &&
           mw_tensor_elements(a) <= MW_TEXT_INLINE;
}

// Texts of both graphs, without values that stand elsewhere.
static mw_status print_both(mw_load *load, const char *text[2])
{
    mw_graph graph[2] = {load->model, load->file.graph};
    mw_tensor *tensor[2];
    for (int g = 0; g < 2; g++) {
        int n = graph[g].n_tensors;
        tensor[g] = MW_NEW_ARRAY(graph[g].arena, n, mw_tensor);
        if (!tensor[g])
            return MW_ENOMEM;
        if (n)
            memcpy(tensor[g], graph[g].tensor, (size_t)n * sizeof(mw_tensor));
        graph[g].tensor = tensor[g];
    }
    for (int i = 0; i < graph[0].n_tensors && i < graph[1].n_tensors; i++)
        if (!told_apart(&tensor[0][i], &tensor[1][i]))
            tensor[0][i].data.kind = tensor[1][i].data.kind = MW_DATA_NONE;
    text[0] = mw_text_print(&graph[0]);
    text[1] = mw_text_print(&graph[1]);
    return text[0] && text[1] ? MW_OK : MW_ENOMEM;
}

static mw_status check_graph(mw_ctx *ctx, mw_load *load)
{
    const char *text[2];
    MW_TRY(print_both(load, text));
    if (strcmp(text[0], text[1]) == 0)
        return MW_OK;
    mw_ctx_at(ctx, "%s", load->file.info.source);
    return mw_fail(ctx, MW_EINPUT,
                   "gives another graph than the plan's, from line %d on\n"
                   "the plan was made by another version: plan again",
                   line_of_difference(text[0], text[1]));
}

static mw_status read_model(mw_arena *arena, bool checks, mw_load *load)
{
    mw_ctx *ctx = arena->ctx;
    const mw_plan_info *info = &load->file.info;
    mw_import_options options = {0};
    if (info->options)
        options = *info->options;
    options.values = true;
    if (checks)
        MW_TRY(check_source(ctx, info));
    MW_TRY(mw_graph_init(&load->model, arena, load->file.graph.name));
    MW_TRY(mw_import(ctx, arena, info->source, &options, &load->model,
                     &load->files));
    mw_warn_forget(ctx); // they came when it was planned
    return check_graph(ctx, load);
}

mw_status mw_load_model(mw_arena *arena, const mw_team *team, uint64_t seed,
                        mw_load *load)
{
    const mw_graph *graph = &load->file.graph;
    if (load->file.info.sha256[0]) {
        MW_TRY(read_model(arena, mw_team_leads_host(team), load));
        graph = &load->model;
    }
    return mw_values_open(arena, graph, load->file.info.source, seed,
                          &load->values);
}

void mw_load_close(mw_load *load)
{
    if (!load)
        return;
    mw_values_close(&load->values);
    mw_import_close(load->files);
    load->files = NULL;
}
