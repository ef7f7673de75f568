/*
 * plan.c - all that follows from the choices: copies, paths, fetches, times,
 * bytes of each rank, live memory by step, offsets.
 */
#include "ir/plan.h"

#include "ir/life.h"
#include "ir/plan_overlap.h"
#include "ir/plan_pack.h"
#include "ir/plan_replay.h"

typedef struct builder {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_graph *graph;
    const mw_mesh *mesh;
    mw_resharder *resharder;
    const mw_costs *costs;
    mw_layout *home; /* canonical, of each tensor by its root */
    mw_life *life;
    mw_plan *plan;
} builder;

bool mw_op_is_rename(const mw_graph *graph, const mw_op *op)
{
    (void)graph;
    return op->def->view;
}

const char *mw_home_refusal(const mw_mesh *mesh, const mw_tensor *tensor,
                            const mw_layout *home)
{
    const char *why = mw_layout_refusal(mesh, tensor, home);
    if (why)
        return why;
    mw_layout canonical = mw_layout_canonical(mesh, home);
    if (!mw_layout_is_partial(&canonical))
        return NULL;
    if (tensor->role != MW_ROLE_VALUE)
        return "it is partial, and its values come from outside";
    return tensor->output ? "it is partial, and a result of the model" : NULL;
}

static mw_status refuse_home(const builder *b, mw_id t, const mw_layout *home,
                             const char *why)
{
    const mw_tensor *tensor = &b->graph->tensor[t];
    char *text = mw_layout_text(b->arena, b->graph, tensor, b->mesh, home);
    if (!text)
        return MW_ENOMEM;
    return mw_fail(b->ctx, MW_EINPUT, "tensor '%s': home %s: %s", tensor->name,
                   text, why);
}

// An output that renames another tensor is an output of the root's values.
static mw_status check_home(const builder *b, mw_id t)
{
    const mw_id root = b->graph->tensor[t].root;
    mw_tensor tensor = b->graph->tensor[root];
    const mw_layout *home = &b->plan->choices->home[root];
    tensor.output = tensor.output || b->graph->tensor[t].output;
    const char *why = mw_home_refusal(b->mesh, &tensor, home);
    if (!why)
        return MW_OK;
    // Roles that are no axes cannot be shown.
    mw_layout shown = *home;
    for (int a = 0; a < MW_MAX_MESH; a++)
        if (shown.role[a] >= tensor.rank || shown.role[a] < MW_PARTIAL)
            shown.role[a] = MW_REPLICATED;
    if (shown.reduce > MW_REDUCE_MIN)
        shown.reduce = MW_REDUCE_NONE;
    return refuse_home(b, root, &shown, why);
}

static mw_status set_homes(builder *b)
{
    for (mw_id t = 0; t < b->graph->n_tensors; t++) {
        mw_id root = b->graph->tensor[t].root;
        MW_TRY(check_home(b, t));
        b->home[t] =
            mw_layout_canonical(b->mesh, &b->plan->choices->home[root]);
        if (root == t)
            b->plan->home[t].bytes =
                mw_layout_bytes(b->mesh, &b->home[t], &b->graph->tensor[t]);
    }
    return MW_OK;
}

static mw_status path_between(builder *b, mw_id t, const mw_layout *from,
                              const mw_layout *to, const mw_path **path)
{
    const mw_tensor *tensor = &b->graph->tensor[t];
    MW_TRY(mw_reshard(b->resharder, tensor, from, to, path));
    if (*path)
        return MW_OK;
    char *have = mw_layout_text(b->arena, b->graph, tensor, b->mesh, from);
    char *want = mw_layout_text(b->arena, b->graph, tensor, b->mesh, to);
    if (!have || !want)
        return MW_ENOMEM;
    return mw_fail(b->ctx, MW_EINPUT, "tensor '%s': no way from %s to %s",
                   tensor->name, have, want);
}

static mw_status check_strategy(mw_ctx *ctx, const mw_graph *graph,
                                const mw_mesh *mesh, const mw_op *op,
                                const mw_strategy *strategy)
{
    const char *why = mw_strategy_refusal(graph, op, mesh, strategy);
    if (why)
        return mw_fail(ctx, MW_EINPUT, "op '%s': its split: %s", op->name, why);
    return MW_OK;
}

/* ---- one op ---- */

static int64_t local_ps(const mw_graph *graph, const mw_mesh *mesh,
                        const mw_costs *costs, const mw_op *op,
                        const mw_strategy *strategy, mw_source *source)
{
    int64_t extent[MW_MAX_LETTERS];
    *source = MW_SOURCE_MACHINE;
    if (!costs)
        return 0;
    mw_strategy_extents(mesh, op, strategy, extent);
    return costs->op_ps(costs, graph, op, extent, source);
}

static int64_t workspace_of(const mw_graph *graph, const mw_mesh *mesh,
                            const mw_op *op, const mw_strategy *strategy)
{
    int64_t extent[MW_MAX_LETTERS];
    mw_strategy_extents(mesh, op, strategy, extent);
    return op->def->workspace ? op->def->workspace(graph, op, extent) : 0;
}

mw_status mw_plan_op_price(mw_ctx *ctx, const mw_graph *graph,
                           const mw_mesh *mesh, const mw_costs *costs, mw_id op,
                           const mw_strategy *strategy, mw_op_price *price)
{
    const mw_op *o = &graph->op[op];
    mw_op_price result = {0, 0, 0};
    if (mw_op_is_rename(graph, o)) {
        *price = result;
        return MW_OK;
    }
    MW_TRY(check_strategy(ctx, graph, mesh, o, strategy));
    mw_source source;
    result.time_ps = local_ps(graph, mesh, costs, o, strategy, &source);
    result.memory_bytes = mw_aligned(workspace_of(graph, mesh, o, strategy));
    for (int i = 0; i < o->n_in; i++) {
        mw_window window = mw_window_of(mesh, graph, o, strategy, i);
        if (!window.axes)
            continue;
        mw_window_sizes sizes = mw_window_price(&window, costs);
        result.fetch_ps = mw_add_ps(result.fetch_ps, sizes.time_ps);
        result.memory_bytes += mw_aligned(sizes.box_bytes) + sizes.stage_bytes;
    }
    *price = result;
    return MW_OK;
}

// The copy that serves input i, an earlier one where root and layout agree.
static mw_status add_copy(builder *b, const mw_op *op, mw_plan_op *p, int i)
{
    mw_id root = b->graph->tensor[op->in[i].tensor].root;
    mw_layout layout = mw_strategy_input(op, &p->strategy, i);
    p->copy[i] = MW_NONE;
    if (mw_layout_equal(&layout, &b->home[root]))
        return MW_OK;
    for (int c = 0; c < p->n_copies && p->copy[i] == MW_NONE; c++)
        if (p->copies[c].tensor == root &&
            mw_layout_equal(&p->copies[c].layout, &layout))
            p->copy[i] = c;
    if (p->copy[i] != MW_NONE)
        return MW_OK;
    p->copy[i] = p->n_copies;
    mw_copy *copy = &p->copies[p->n_copies++];
    copy->tensor = root;
    copy->layout = layout;
    copy->buffer.bytes =
        mw_layout_bytes(b->mesh, &layout, &b->graph->tensor[root]);
    MW_TRY(path_between(b, root, &b->home[root], &layout, &copy->path));
    copy->scratch.bytes = copy->path->scratch_bytes;
    return MW_OK;
}

static void add_fetch(builder *b, const mw_op *op, mw_plan_op *p, int i)
{
    mw_window window = mw_window_of(b->mesh, b->graph, op, &p->strategy, i);
    if (!window.axes)
        return;
    mw_window_sizes sizes = mw_window_price(&window, b->costs);
    p->fetch[p->n_fetches++] = (mw_fetch){.input = i,
                                          .axes = window.axes,
                                          .bytes_sent = sizes.sent_bytes,
                                          .time_ps = sizes.time_ps,
                                          .buffer.bytes = sizes.box_bytes,
                                          .scratch.bytes = sizes.stage_bytes};
}

static mw_status add_output(builder *b, const mw_op *op, mw_plan_op *p, int i)
{
    mw_id t = op->out[i].tensor;
    p->natural[i] = mw_strategy_output(op, &p->strategy, i);
    MW_TRY(path_between(b, t, &p->natural[i], &b->home[t], &p->out_path[i]));
    if (p->out_path[i]->n_steps == 0)
        return MW_OK;
    p->out_natural[i].bytes =
        mw_layout_bytes(b->mesh, &p->natural[i], &b->graph->tensor[t]);
    p->out_scratch[i].bytes = p->out_path[i]->scratch_bytes;
    return MW_OK;
}

static mw_status alloc_op(builder *b, const mw_op *op, mw_plan_op *p)
{
    p->copy = MW_NEW_ARRAY(b->arena, op->n_in, int);
    p->copies = MW_NEW_ARRAY(b->arena, op->n_in, mw_copy);
    p->fetch = MW_NEW_ARRAY(b->arena, op->n_in, mw_fetch);
    p->natural = MW_NEW_ARRAY(b->arena, op->n_out, mw_layout);
    p->out_path = MW_NEW_ARRAY(b->arena, op->n_out, const mw_path *);
    p->out_natural = MW_NEW_ARRAY(b->arena, op->n_out, mw_buffer);
    p->out_scratch = MW_NEW_ARRAY(b->arena, op->n_out, mw_buffer);
    p->out_until = MW_NEW_ARRAY(b->arena, op->n_out, int32_t);
    bool all = p->copy && p->copies && p->fetch && p->natural && p->out_path &&
               p->out_natural && p->out_scratch && p->out_until;
    return all ? MW_OK : MW_ENOMEM;
}

static mw_status build_rename(builder *b, const mw_op *op, mw_plan_op *p)
{
    for (int a = 0; a < MW_MAX_MESH; a++)
        p->strategy.split[a] = MW_SPLIT_NONE;
    for (int i = 0; i < op->n_in; i++)
        p->copy[i] = MW_NONE;
    mw_id t = op->out[0].tensor;
    p->natural[0] = b->home[t];
    return path_between(b, t, &p->natural[0], &b->home[t], &p->out_path[0]);
}

static mw_status build_op(builder *b, mw_id k)
{
    const mw_op *op = &b->graph->op[k];
    mw_plan_op *p = &b->plan->op[k];
    MW_TRY(alloc_op(b, op, p));
    p->kernel = op->def->name;
    p->source = MW_SOURCE_MACHINE;
    if (mw_op_is_rename(b->graph, op))
        return build_rename(b, op, p);
    p->strategy = b->plan->choices->op[k];
    MW_TRY(check_strategy(b->ctx, b->graph, b->mesh, op, &p->strategy));
    for (int i = 0; i < op->n_in; i++) {
        MW_TRY(add_copy(b, op, p, i));
        add_fetch(b, op, p, i);
    }
    p->time_ps =
        local_ps(b->graph, b->mesh, b->costs, op, &p->strategy, &p->source);
    p->workspace.bytes = workspace_of(b->graph, b->mesh, op, &p->strategy);
    for (int i = 0; i < op->n_out; i++)
        MW_TRY(add_output(b, op, p, i));
    return MW_OK;
}

/* ---- sums ---- */

static mw_status add_path(builder *b, const mw_path *path)
{
    const int64_t *by_rank;
    b->plan->comm_ps = mw_add_ps(b->plan->comm_ps, path->time_ps);
    if (path->n_steps == 0)
        return MW_OK;
    MW_TRY(mw_path_bytes(b->resharder, path, &by_rank));
    int64_t n = mw_mesh_ranks(b->mesh);
    for (int64_t rank = 0; rank < n; rank++)
        b->plan->bytes_by_rank[rank] += by_rank[rank];
    return MW_OK;
}

static void add_window(builder *b, const mw_op *op, const mw_plan_op *p,
                       const mw_fetch *fetch)
{
    mw_window window =
        mw_window_of(b->mesh, b->graph, op, &p->strategy, fetch->input);
    int64_t n = mw_mesh_ranks(b->mesh);
    for (int64_t rank = 0; rank < n; rank++)
        b->plan->bytes_by_rank[rank] += mw_window_bytes_of(&window, rank);
    b->plan->comm_ps = mw_add_ps(b->plan->comm_ps, fetch->time_ps);
}

static mw_status sum_times_and_bytes(builder *b)
{
    mw_plan *plan = b->plan;
    for (mw_id k = 0; k < b->graph->n_ops; k++) {
        const mw_op *op = &b->graph->op[k];
        const mw_plan_op *p = &plan->op[k];
        plan->compute_ps = mw_add_ps(plan->compute_ps, p->time_ps);
        for (int c = 0; c < p->n_copies; c++)
            MW_TRY(add_path(b, p->copies[c].path));
        for (int f = 0; f < p->n_fetches; f++)
            add_window(b, op, p, &p->fetch[f]);
        for (int i = 0; i < op->n_out; i++)
            MW_TRY(add_path(b, p->out_path[i]));
    }
    plan->time_ps = mw_add_ps(plan->compute_ps, plan->comm_ps);
    int64_t n = mw_mesh_ranks(b->mesh);
    for (int64_t rank = 0; rank < n; rank++)
        if (plan->bytes_by_rank[rank] > plan->bytes_sent)
            plan->bytes_sent = plan->bytes_by_rank[rank];
    return MW_OK;
}

/* ---- memory ---- */

typedef struct items {
    mw_arena *arena;
    mw_pack_item *item;
    int64_t n, cap;
    int32_t n_steps;
} items;

static mw_status add_item(items *all, mw_buffer *buffer, int32_t begin,
                          int32_t end)
{
    all->item = mw_arena_reserve(all->arena, all->item, all->n, &all->cap,
                                 sizeof *all->item);
    if (!all->item)
        return MW_ENOMEM;
    all->item[all->n++] =
        (mw_pack_item){.buffer = buffer, .begin = begin, .end = end};
    return MW_OK;
}

static mw_status add_step_items(items *all, const mw_op *op, mw_plan_op *p,
                                int32_t k)
{
    for (int c = 0; c < p->n_copies; c++) {
        MW_TRY(add_item(all, &p->copies[c].buffer, k, k + 1));
        MW_TRY(add_item(all, &p->copies[c].scratch, k, k + 1));
    }
    for (int f = 0; f < p->n_fetches; f++) {
        MW_TRY(add_item(all, &p->fetch[f].buffer, k, k + 1));
        MW_TRY(add_item(all, &p->fetch[f].scratch, k, k + 1));
    }
    int32_t run = p->late < all->n_steps ? p->late : all->n_steps - 1;
    MW_TRY(add_item(all, &p->workspace, run, run + 1));
    for (int i = 0; i < op->n_out; i++) {
        int32_t end = p->out_until[i] > k ? p->out_until[i] : k + 1;
        MW_TRY(add_item(all, &p->out_natural[i], k, end));
        MW_TRY(add_item(all, &p->out_scratch[i], k, end));
    }
    return MW_OK;
}

// Every buffer with its life. A graph without ops has one step all the same.
static mw_status collect(builder *b, items *all)
{
    const mw_graph *graph = b->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        if (graph->tensor[t].root != t)
            continue;
        const mw_life *life = &b->life[t];
        int32_t end = life->end > life->begin ? life->end : life->begin + 1;
        MW_TRY(add_item(all, &b->plan->home[t], life->begin, end));
    }
    for (mw_id k = 0; k < graph->n_ops; k++)
        MW_TRY(add_step_items(all, &graph->op[k], &b->plan->op[k], k));
    return MW_OK;
}

static void find_live(const items *all, mw_plan *plan)
{
    for (int k = 0; k < plan->n_steps; k++)
        plan->live_bytes[k] = 0;
    for (int64_t i = 0; i < all->n; i++) {
        const mw_pack_item *item = &all->item[i];
        int64_t bytes = mw_aligned(item->buffer->bytes);
        plan->live_bytes[item->begin] += bytes;
        if (item->end < plan->n_steps)
            plan->live_bytes[item->end] -= bytes;
    }
    for (int k = 1; k < plan->n_steps; k++)
        plan->live_bytes[k] += plan->live_bytes[k - 1];
}

static void find_peak(mw_plan *plan)
{
    for (int k = 0; k < plan->n_steps; k++) {
        if (plan->live_bytes[k] > plan->live_peak_bytes) {
            plan->live_peak_bytes = plan->live_bytes[k];
            plan->peak_step = k;
        }
    }
}

static mw_status pack_items(builder *b, int64_t *peak_bytes)
{
    items all = {.arena = b->arena, .n_steps = b->plan->n_steps};
    MW_TRY(collect(b, &all));
    return mw_pack(b->ctx, all.item, all.n, b->plan->live_peak_bytes,
                   peak_bytes);
}

// Packs with reductions that wait, unless that takes more than without.
static mw_status pack(builder *b)
{
    mw_plan *plan = b->plan;
    int64_t peak;
    int n;
    MW_TRY(pack_items(b, &plan->peak_bytes));
    mw_plan_overlap(plan, b->life, &n);
    if (n == 0)
        return MW_OK;
    MW_TRY(pack_items(b, &peak));
    if (peak <= plan->peak_bytes) {
        plan->peak_bytes = peak;
        return MW_OK;
    }
    mw_plan_no_overlap(plan);
    mw_lives(b->graph, b->life);
    items all = {.arena = b->arena, .n_steps = plan->n_steps};
    MW_TRY(collect(b, &all));
    find_live(&all, plan);
    return pack_items(b, &plan->peak_bytes);
}

static mw_status build_memory(builder *b, bool packed)
{
    items all = {.arena = b->arena, .n_steps = b->plan->n_steps};
    mw_plan *plan = b->plan;
    mw_plan_no_overlap(plan);
    MW_TRY(collect(b, &all));
    find_live(&all, plan);
    find_peak(plan);
    if (packed)
        MW_TRY(pack(b));
    for (mw_id t = 0; t < b->graph->n_tensors; t++)
        plan->home[t] = plan->home[b->graph->tensor[t].root];
    return MW_OK;
}

// All that is counted stays far below 2^63: a byte is counted a few times for
// each use of its tensor.
static mw_status check_countable(const builder *b)
{
    const mw_graph *graph = b->graph;
    const double most = 0x1p58;
    double bytes = 0;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        bytes += (double)mw_tensor_bytes(&graph->tensor[t]);
    for (mw_id k = 0; k < graph->n_ops; k++)
        for (int i = 0; i < graph->op[k].n_in; i++)
            bytes += (double)mw_tensor_bytes(
                &graph->tensor[graph->op[k].in[i].tensor]);
    if (bytes > most)
        return mw_fail(b->ctx, MW_EINPUT,
                       "model '%s': its tensors' uses are %.3g bytes, more "
                       "than the %.3g that a plan counts",
                       graph->name, bytes, most);
    return MW_OK;
}

static mw_status alloc_plan(builder *b)
{
    mw_plan *plan = b->plan;
    const mw_graph *graph = b->graph;
    plan->n_steps = graph->n_ops > 0 ? graph->n_ops : 1;
    plan->op = MW_NEW_ARRAY(b->arena, graph->n_ops, mw_plan_op);
    plan->home = MW_NEW_ARRAY(b->arena, graph->n_tensors, mw_buffer);
    plan->live_bytes = MW_NEW_ARRAY(b->arena, plan->n_steps, int64_t);
    plan->bytes_by_rank =
        MW_NEW_ARRAY(b->arena, mw_mesh_ranks(b->mesh), int64_t);
    b->home = MW_NEW_ARRAY(b->arena, graph->n_tensors, mw_layout);
    b->life = MW_NEW_ARRAY(b->arena, graph->n_tensors, mw_life);
    bool all = plan->op && plan->home && plan->live_bytes &&
               plan->bytes_by_rank && b->home && b->life;
    return all ? MW_OK : MW_ENOMEM;
}

mw_status mw_plan_build(mw_arena *arena, const mw_graph *graph,
                        mw_resharder *resharder, const mw_costs *costs,
                        const mw_choices *choices, bool pack, mw_plan *plan)
{
    mw_plan result = {.graph = graph,
                      .mesh = mw_resharder_mesh(resharder),
                      .choices = choices};
    builder b = {.ctx = arena->ctx,
                 .arena = arena,
                 .graph = graph,
                 .mesh = result.mesh,
                 .resharder = resharder,
                 .costs = costs,
                 .plan = &result};
    MW_TRY(check_countable(&b));
    MW_TRY(alloc_plan(&b));
    MW_TRY(set_homes(&b));
    mw_lives(graph, b.life);
    for (mw_id k = 0; k < graph->n_ops; k++)
        MW_TRY(build_op(&b, k));
    MW_TRY(sum_times_and_bytes(&b));
    MW_TRY(build_memory(&b, pack));
    MW_TRY(mw_plan_replay(arena, &result));
    *plan = result;
    return MW_OK;
}
