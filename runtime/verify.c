/* verify.c - cuts blocks out of whole values, runs, and compares. */
#include "runtime/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "ir/eval.h"
#include "ir/number.h"
#include "runtime/verify_key.h"

mw_status mw_verify_open(mw_arena *arena, mw_team *team, mw_values *values,
                         int threads, mw_verify_run *verify)
{
    const mw_graph *graph = values->graph;
    *verify = (mw_verify_run){.arena = arena,
                              .team = team,
                              .graph = graph,
                              .threads = threads,
                              .tolerance = {.rtol = 1e-4, .atol = 1e-5},
                              .report = {.ctx = arena->ctx}};
    verify->whole = MW_NEW_ARRAY(arena, graph->n_tensors, const void *);
    if (!verify->whole)
        return MW_ENOMEM;
    for (int k = 0; k < graph->n_ops; k++)
        MW_TRY(mw_kernel_check(arena->ctx, &graph->op[k]));
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (graph->tensor[t].producer == MW_NONE)
            MW_TRY(mw_values_whole(values, t, &verify->whole[t]));
    return mw_eval_stored(arena, graph, verify->whole);
}

/* ---- notes ---- */

static mw_status note(mw_arena *arena, mw_verify_note **first,
                      mw_verify_note **last, const char *format, ...)
    MW_PRINTF(4, 5);
static mw_status note(mw_arena *arena, mw_verify_note **first,
                      mw_verify_note **last, const char *format, ...)
{
    char text[MW_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    size_t length = strlen(text) + 1;
    mw_verify_note *made =
        mw_arena_alloc(arena, 1, sizeof(mw_verify_note) + length);
    if (!made)
        return MW_ENOMEM;
    memcpy(made->text, text, length);
    if (*last)
        (*last)->next = made;
    else
        *first = made;
    *last = made;
    return MW_OK;
}

/* ---- blocks ---- */

/* One op under one strategy on one rank; blocks die with the arena. */
typedef struct trial {
    mw_verify_run *verify;
    mw_arena *arena;
    mw_split_op split;
    int64_t coord[MW_MAX_MESH];
    const char *what; /* for messages */
} trial;

static void *new_block(mw_arena *arena, const mw_tensor *tensor,
                       const mw_box *box)
{
    int64_t n = mw_box_elements(box) * mw_dtype_bytes(tensor->dtype);
    return mw_arena_alloc(arena, (size_t)n, 1);
}

static void cut(const mw_tensor *tensor, const void *whole, const mw_box *box,
                void *block)
{
    mw_box all = mw_box_whole(tensor);
    mw_strided copy;
    mw_strided_box(&copy, mw_dtype_bytes(tensor->dtype), box, &all, box);
    mw_strided_run(&copy, whole, block);
}

// Number of this rank among those that share a partial sum, and theirs.
static int64_t partial_index(const mw_mesh *mesh, const mw_layout *layout,
                             const int64_t coord[], int64_t *count)
{
    uint32_t axes = mw_layout_axes(mesh, layout, MW_PARTIAL);
    *count = mw_mesh_group_size(mesh, axes);
    return mw_mesh_group_index(mesh, axes, coord);
}

// Turns values into this rank's summands: floats by weights 1, 2, ... p,
// integers so that the first makes up for the others.
static void take_share(const mw_tensor *tensor, int64_t index, int64_t count,
                       int64_t n, void *block)
{
    double weight = 2.0 * (double)(index + 1) / (double)(count * (count + 1));
    uint64_t others = (uint64_t)(count * (count - 1) / 2);
    for (int64_t k = 0; k < n; k++) {
        mw_number x;
        mw_numbers_load(tensor->dtype, block, k, 1, 1, &x);
        if (mw_dtype_is_float(tensor->dtype))
            x.f *= weight;
        else
            x.u = index ? (uint64_t)index : x.u - others;
        mw_numbers_store(tensor->dtype, block, k, 1, 1, &x);
    }
}

// The pieces of neighbours' blocks that a window reads.
static mw_status fetch(trial *t, int i, const mw_layout *layout, void *block,
                       const mw_box *need, void **fetched)
{
    const mw_split_op *split = &t->split;
    const mw_tensor *tensor = &split->graph->tensor[split->op->in[i].tensor];
    uint32_t axes =
        mw_strategy_exchange_axes(split->mesh, split->op, split->strategy, i);
    *fetched = block;
    if (axes == 0)
        return MW_OK;
    int64_t room =
        2 * mw_aligned(mw_layout_bytes(split->mesh, layout, tensor) +
                       mw_box_elements(need) * mw_dtype_bytes(tensor->dtype));
    *fetched = new_block(t->arena, tensor, need);
    const mw_block_move what = {.tensor = tensor,
                                .mesh = split->mesh,
                                .axes = axes,
                                .from = *layout,
                                .split = split,
                                .input = i};
    mw_move_spec spec = {
        .kind = MW_EXCHANGE,
        .src = block,
        .dst = *fetched,
        .stage = mw_arena_alloc(t->arena, (size_t)room, 1),
        .stage_bytes = room,
    };
    if (!*fetched || !spec.stage)
        return MW_ENOMEM;
    mw_move move;
    MW_TRY(mw_block_move_spec(t->arena, t->verify->team, &what, &spec));
    MW_TRY(mw_move_make(t->arena, &spec, &move));
    return mw_move_run(&move);
}

static mw_status make_input(trial *t, int i, mw_view *view)
{
    const mw_split_op *split = &t->split;
    mw_id id = split->op->in[i].tensor;
    const mw_tensor *tensor = &split->graph->tensor[id];
    mw_layout layout = mw_strategy_input(split->op, split->strategy, i);
    mw_box own = mw_box_held(split->mesh, tensor, &layout, t->coord);
    mw_box need = mw_box_read(split, i, t->coord);
    void *block = new_block(t->arena, tensor, &own), *fetched;
    if (!block)
        return MW_ENOMEM;
    cut(tensor, t->verify->whole[id], &own, block);
    if (mw_layout_is_partial(&layout)) {
        int64_t count;
        int64_t index = partial_index(split->mesh, &layout, t->coord, &count);
        take_share(tensor, index, count, mw_box_elements(&own), block);
    }
    MW_TRY(fetch(t, i, &layout, block, &need, &fetched));
    *view = mw_view_of(tensor, &need, fetched);
    return MW_OK;
}

// Completes a pending reduction, in place.
static mw_status complete(mw_arena *arena, mw_team *team, const mw_mesh *mesh,
                          const mw_tensor *tensor, const mw_layout *layout,
                          void *block)
{
    int64_t room = mw_aligned(mw_layout_bytes(mesh, layout, tensor));
    mw_block_move what = {.tensor = tensor,
                          .mesh = mesh,
                          .axes = mw_layout_axes(mesh, layout, MW_PARTIAL),
                          .from = *layout,
                          .to = *layout};
    mw_move_spec spec = {.kind = MW_ALL_REDUCE,
                         .src = block,
                         .dst = block,
                         .stage = mw_arena_alloc(arena, (size_t)room, 1),
                         .stage_bytes = room};
    mw_move move;
    if (!spec.stage)
        return MW_ENOMEM;
    MW_TRY(mw_block_move_spec(arena, team, &what, &spec));
    MW_TRY(mw_move_make(arena, &spec, &move));
    return mw_move_run(&move);
}

/* A block of a tensor, complete by now. */
typedef struct judged {
    mw_id id;
    const mw_box *box;
    const void *block;
    const char *what;
} judged;

// Compares a block with the slice of the whole.
static mw_status judge(mw_verify_run *verify, mw_arena *arena, const judged *j)
{
    const mw_tensor *tensor = &verify->graph->tensor[j->id];
    mw_verify_report *report = &verify->report;
    const mw_box *box = j->box;
    const void *block = j->block;
    void *want = new_block(arena, tensor, box);
    if (!want)
        return MW_ENOMEM;
    cut(tensor, verify->whole[j->id], box, want);
    mw_comparison sum = {0};
    report->n_blocks++;
    bool same = mw_compare(&sum, verify->tolerance, mw_box_elements(box),
                           tensor->dtype, block, tensor->dtype, want);
    if (sum.worst > report->worst)
        report->worst = sum.worst;
    if (same)
        return MW_OK;
    report->n_differ++;
    return note(verify->arena, &report->difference, &report->last_difference,
                "rank %d, %s: %lld of %lld elements of '%s' differ, element "
                "%lld of the block is %.9g, wanted %.9g",
                mw_team_rank(verify->team), j->what, (long long)sum.n_differ,
                (long long)sum.n_elements, tensor->name, (long long)sum.first,
                sum.got, sum.want);
}

/* ---- strategies ---- */

static mw_status run_kernel(trial *t, mw_view in[], mw_view out[])
{
    const mw_split_op *split = &t->split;
    const mw_op *op = split->op;
    int64_t extent[MW_MAX_LETTERS], room = 0;
    mw_strategy_extents(split->mesh, op, split->strategy, extent);
    if (op->def->workspace)
        room = op->def->workspace(split->graph, op, extent);
    const mw_kernel_call call = {
        .op = op,
        .in = in,
        .out = out,
        .workspace = mw_arena_alloc(t->arena, (size_t)room + MW_ALIGN, 1),
        .workspace_bytes = room,
        .threads = t->verify->threads};
    if (!call.workspace)
        return MW_ENOMEM;
    mw_kernel_run(mw_kernel_find(op->def->name, mw_kernel_dtype(op, in, out)),
                  &call);
    return MW_OK;
}

static mw_status check_output(trial *t, int i, const mw_view *view)
{
    const mw_split_op *split = &t->split;
    mw_id id = split->op->out[i].tensor;
    const mw_tensor *tensor = &split->graph->tensor[id];
    mw_layout layout = mw_strategy_output(split->op, split->strategy, i);
    mw_box box = mw_box_held(split->mesh, tensor, &layout, t->coord);
    if (mw_layout_is_partial(&layout))
        MW_TRY(complete(t->arena, t->verify->team, split->mesh, tensor, &layout,
                        view->data));
    return judge(
        t->verify, t->arena,
        &(judged){.id = id, .box = &box, .block = view->data, .what = t->what});
}

static mw_status run_trial(trial *t)
{
    const mw_op *op = t->split.op;
    mw_view *in = MW_NEW_ARRAY(t->arena, op->n_in, mw_view);
    mw_view *out = MW_NEW_ARRAY(t->arena, op->n_out, mw_view);
    if (!in || !out)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(make_input(t, i, &in[i]));
    for (int i = 0; i < op->n_out; i++) {
        const mw_tensor *tensor = &t->split.graph->tensor[op->out[i].tensor];
        mw_layout layout = mw_strategy_output(op, t->split.strategy, i);
        mw_box box = mw_box_held(t->split.mesh, tensor, &layout, t->coord);
        out[i] = mw_view_of(tensor, &box, new_block(t->arena, tensor, &box));
        if (!out[i].data)
            return MW_ENOMEM;
    }
    MW_TRY(run_kernel(t, in, out));
    for (int i = 0; i < op->n_out; i++)
        MW_TRY(check_output(t, i, &out[i]));
    return MW_OK;
}

static mw_status check_strategy(mw_verify_run *verify, const mw_mesh *mesh,
                                const mw_op *op, const mw_strategy *strategy)
{
    mw_arena arena;
    mw_arena_init(&arena, verify->arena->ctx);
    trial t = {.verify = verify,
               .arena = &arena,
               .split = {verify->graph, mesh, op, strategy}};
    mw_mesh_coords(mesh, mw_team_rank(verify->team), t.coord);
    char *text = mw_strategy_text(&arena, verify->graph, op, mesh, strategy);
    t.what = text ? mw_arena_format(&arena, "%s '%s' split %s", op->def->name,
                                    op->name, text)
                  : NULL;
    mw_status status = t.what ? run_trial(&t) : MW_ENOMEM;
    mw_arena_free(&arena);
    return status;
}

// Every way of giving each longer axis a letter or none, counted from the op's
// own letters; those that are no strategies are noted with the reason.
static mw_status count_offered(mw_verify_run *verify, const mw_mesh *mesh,
                               const mw_op *op)
{
    mw_verify_report *report = &verify->report;
    int choice[MW_MAX_LETTERS + 1], n = 0;
    int64_t combinations = 1;
    choice[n++] = MW_SPLIT_NONE;
    for (int i = 0; i < op->n_letters; i++)
        if (!op->letter[i].pinned)
            choice[n++] = i;
    for (int a = 0; a < mesh->n_axes; a++)
        combinations *= mesh->axis[a].size > 1 ? n : 1;
    report->n_offered += combinations;
    for (int64_t k = 0; k < combinations; k++) {
        mw_strategy s;
        int64_t rest = k;
        memset(s.split, MW_SPLIT_NONE, sizeof s.split);
        for (int a = 0; a < mesh->n_axes && a < MW_MAX_MESH; a++)
            if (mesh->axis[a].size > 1) {
                s.split[a] = (int8_t)choice[rest % n];
                rest /= n;
            }
        const char *reason = mw_strategy_refusal(verify->graph, op, mesh, &s);
        if (!reason)
            continue;
        report->n_refused++;
        char *text =
            mw_strategy_text(verify->arena, verify->graph, op, mesh, &s);
        if (!text)
            return MW_ENOMEM;
        MW_TRY(note(verify->arena, &report->refusal, &report->last_refusal,
                    "%s '%s' split %s: %s", op->def->name, op->name, text,
                    reason));
    }
    return MW_OK;
}

static mw_status check_op(mw_verify_run *verify, const mw_mesh *mesh,
                          const mw_op *op)
{
    mw_strategy *strategy;
    int n, n_split;
    MW_TRY(count_offered(verify, mesh, op));
    MW_TRY(mw_op_strategies(verify->arena, verify->graph, op, mesh, &strategy,
                            &n, &n_split));
    for (int i = 0; i < n; i++)
        MW_TRY(check_strategy(verify, mesh, op, &strategy[i]));
    verify->report.n_ops++;
    verify->report.n_checked += n_split;
    verify->report.n_partial += n - n_split;
    return MW_OK;
}

mw_status mw_verify_strategies(mw_verify_run *verify, const mw_mesh *mesh)
{
    mw_map seen;
    mw_text key;
    MW_TRY(mw_eval_graph(verify->arena, verify->graph, verify->whole));
    mw_map_init(&seen, verify->arena);
    mw_text_init(&key, verify->arena->ctx);
    mw_status status = MW_OK;
    for (int k = 0; k < verify->graph->n_ops && status == MW_OK; k++) {
        const mw_op *op = &verify->graph->op[k];
        mw_text_cut(&key, 0);
        mw_verify_key(verify->graph, op, &key);
        status = mw_text_status(&key);
        if (status != MW_OK || mw_op_is_rename(verify->graph, op) ||
            mw_map_find_text(&seen, key.data))
            continue;
        status = mw_map_put_text(&seen, key.data, k);
        if (status == MW_OK)
            status = check_op(verify, mesh, op);
    }
    mw_text_free(&key);
    return status;
}

/* ---- plans ---- */

// A home that is partial is completed in a copy.
static mw_status judge_home(mw_verify_run *verify, mw_exec *exec, mw_id id)
{
    const mw_mesh *mesh = exec->plan->mesh;
    const mw_tensor *tensor = &verify->graph->tensor[id];
    const mw_layout *layout = &exec->plan->choices->home[tensor->root];
    mw_arena arena;
    mw_arena_init(&arena, verify->arena->ctx);
    mw_box box;
    char *home;
    mw_exec_home(exec, id, &box, &home);
    void *block = new_block(&arena, tensor, &box);
    mw_status status = block ? MW_OK : MW_ENOMEM;
    if (status == MW_OK)
        memcpy(block, home,
               (size_t)(mw_box_elements(&box) * mw_dtype_bytes(tensor->dtype)));
    if (status == MW_OK && mw_layout_is_partial(layout))
        status = complete(&arena, verify->team, mesh, tensor, layout, block);
    if (status == MW_OK)
        status = judge(
            verify, &arena,
            &(judged){.id = id, .box = &box, .block = block, .what = "home"});
    mw_arena_free(&arena);
    return status;
}

// From the first rank to every other.
static mw_status tell_all(mw_team *team, void *data, int64_t bytes)
{
    mw_wire *all = mw_team_all(team);
    if (mw_team_rank(team) > 0)
        return mw_wire_swap(all, 0, NULL, 0, 0, data, bytes);
    for (int r = 1; r < mw_team_size(team); r++)
        MW_TRY(mw_wire_swap(all, r, data, bytes, r, NULL, 0));
    return MW_OK;
}

// What follows takes a result as the ranks have it.
static mw_status take_home(mw_verify_run *verify, mw_exec *exec, mw_id id)
{
    int64_t bytes = mw_tensor_bytes(&verify->graph->tensor[id]);
    void *whole = mw_arena_alloc(verify->arena, (size_t)bytes + 1, 1);
    if (!whole)
        return MW_ENOMEM;
    MW_TRY(mw_exec_gather(exec, id, whole));
    MW_TRY(tell_all(verify->team, whole, bytes));
    verify->whole[id] = whole;
    return MW_OK;
}

static mw_status verify_step(mw_verify_run *verify, mw_exec *exec, mw_id k)
{
    const mw_op *op = &verify->graph->op[k];
    MW_TRY(mw_exec_run_op(exec, k));
    MW_TRY(mw_eval_step(verify->arena, verify->graph, op, verify->whole));
    for (int i = 0; i < op->n_out && !op->def->view; i++) {
        MW_TRY(judge_home(verify, exec, op->out[i].tensor));
        MW_TRY(take_home(verify, exec, op->out[i].tensor));
    }
    return MW_OK;
}

mw_status mw_verify_plan(mw_verify_run *verify, mw_values *values,
                         mw_exec *exec)
{
    const mw_graph *graph = verify->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (graph->tensor[t].root == t &&
            graph->tensor[t].producer == MW_NONE) {
            mw_exec_put(exec, values, t);
            MW_TRY(judge_home(verify, exec, t));
        }
    for (mw_id k = 0; k < graph->n_ops; k++)
        MW_TRY(verify_step(verify, exec, k));
    verify->report.n_ops = graph->n_ops;
    return MW_OK;
}
