/* plan_maker.c - draws choices until they are legal. */
#include "tests/plan_maker.h"

#include <string.h>

#include "base/file.h"
#include "runtime/tensor_file.h"
#include "tests/fake_costs.h"
#include "tests/test.h"

static int64_t pick(uint64_t *random, int64_t n)
{
    return (int64_t)(mw_test_random(random) % (uint64_t)n);
}

static mw_layout draw_layout(const mw_tensor *tensor, const mw_mesh *mesh,
                             uint64_t *random)
{
    mw_layout layout = mw_layout_replicated();
    for (int a = 0; a < mesh->n_axes; a++) {
        int64_t role = pick(random, tensor->rank + 2);
        if (mesh->axis[a].size > 1 && role < tensor->rank &&
            tensor->axis[role].dim != MW_NONE)
            layout.role[a] = (int8_t)role;
    }
    return layout;
}

static mw_status draw_op(mw_arena *arena, const mw_graph *graph,
                         const mw_mesh *mesh, mw_id id, uint64_t *random,
                         mw_choices *choices)
{
    const mw_op *op = &graph->op[id];
    mw_strategy *strategy;
    int n, n_split;
    MW_TRY(mw_op_strategies(arena, graph, op, mesh, &strategy, &n, &n_split));
    choices->op[id] = strategy[pick(random, n)];
    for (int i = 0; i < op->n_out; i++) {
        mw_id t = op->out[i].tensor;
        mw_layout natural = mw_strategy_output(op, &choices->op[id], i);
        choices->home[t] = mw_layout_canonical(mesh, &natural);
        if (pick(random, 3) == 0 ||
            mw_home_refusal(mesh, &graph->tensor[t], &choices->home[t]))
            choices->home[t] = draw_layout(&graph->tensor[t], mesh, random);
    }
    return MW_OK;
}

mw_status plan_by_lot(mw_arena *arena, const mw_graph *graph,
                      const mw_mesh *mesh, uint64_t seed, int whole_percent,
                      mw_plan *plan)
{
    static const mw_strategy whole = {{-1, -1, -1, -1, -1, -1}};
    uint64_t random = seed;
    mw_choices *choices = MW_NEW(arena, mw_choices);
    fake_machine *machine = MW_NEW(arena, fake_machine);
    mw_costs *costs = MW_NEW(arena, mw_costs);
    mw_resharder *resharder;
    if (!choices || !machine || !costs)
        return MW_ENOMEM;
    choices->op = MW_NEW_ARRAY(arena, graph->n_ops, mw_strategy);
    choices->home = MW_NEW_ARRAY(arena, graph->n_tensors, mw_layout);
    if (!choices->op || !choices->home)
        return MW_ENOMEM;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        choices->home[t] = draw_layout(&graph->tensor[t], mesh, &random);
    for (mw_id k = 0; k < graph->n_ops; k++) {
        choices->op[k] = whole;
        if (mw_op_is_rename(graph, &graph->op[k]))
            continue;
        if (pick(&random, 100) >= whole_percent)
            MW_TRY(draw_op(arena, graph, mesh, k, &random, choices));
    }
    *machine = fake_machine_of((int)(seed % 3));
    *costs = fake_costs(machine);
    MW_TRY(mw_resharder_open(arena->ctx, arena, mesh, costs, &resharder));
    return mw_plan_build(arena, graph, resharder, costs, choices, true, plan);
}

static mw_status read_sizes(mw_arena *arena, const char *path,
                            mw_import_options *options)
{
    mw_tensor_file *file;
    MW_TRY(mw_tensor_file_open(arena->ctx, arena, path, &file));
    mw_shape_option *shape =
        MW_NEW_ARRAY(arena, file->n_arrays, mw_shape_option);
    for (int i = 0; shape && i < file->n_arrays; i++) {
        const mw_array *array = &file->array[i];
        bool marked = strncmp(array->name, "in:", 3) == 0;
        if (array->rank > MW_MAX_RANK)
            continue;
        mw_shape_option *s = &shape[options->n_shapes++];
        s->input = array->name + (marked ? 3 : 0);
        s->rank = array->rank;
        for (int a = 0; a < array->rank; a++)
            s->size[a] = array->size[a];
    }
    options->shape = shape;
    mw_tensor_file_close(file);
    return shape ? MW_OK : MW_ENOMEM;
}

static mw_status write_plan(mw_ctx *ctx, const mw_plan *plan,
                            const mw_plan_info *info, const char *path)
{
    mw_text text;
    mw_text_init(&text, ctx);
    mw_status status = mw_plan_write(ctx, plan, info, &text);
    if (status == MW_OK)
        status = mw_file_write(ctx, path, text.data, text.length);
    mw_text_free(&text);
    return status;
}

static mw_status make_file(mw_arena *arena, const char *model,
                           const char *sizes, const char *mesh_text,
                           uint64_t seed, const char *path)
{
    mw_ctx *ctx = arena->ctx;
    mw_graph graph;
    mw_mesh mesh;
    mw_plan plan;
    mw_import_files *files = NULL;
    mw_import_options options = {0};
    char sha256[MW_SHA256_HEX];
    MW_TRY(mw_mesh_parse(ctx, arena, mesh_text, &mesh));
    MW_TRY(mw_sha256_file(ctx, model, sha256));
    if (sizes)
        MW_TRY(read_sizes(arena, sizes, &options));
    MW_TRY(mw_graph_init(&graph, arena, "model"));
    MW_TRY(mw_import(ctx, arena, model, &options, &graph, &files));
    mw_status status = plan_by_lot(arena, &graph, &mesh, seed, 30, &plan);
    const mw_plan_info info = {.source = model,
                               .sha256 = sha256,
                               .options = &options,
                               .machine = "{}",
                               .scope = "tensor",
                               .objective = "time",
                               .status = "feasible"};
    if (status == MW_OK)
        status = write_plan(ctx, &plan, &info, path);
    mw_import_close(files);
    return status;
}

mw_status plan_file_by_lot(mw_ctx *ctx, const char *model, const char *sizes,
                           const char *mesh, uint64_t seed, const char *path)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_status status = make_file(&arena, model, sizes, mesh, seed, path);
    mw_arena_free(&arena);
    return status;
}
