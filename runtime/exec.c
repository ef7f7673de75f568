/* exec.c - makes the program and runs it. */
#include "runtime/exec.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "runtime/strips.h"

/* ---- blocks ---- */

static const mw_tensor *tensor_of(const mw_exec *exec, mw_id id)
{
    return &exec->plan->graph->tensor[id];
}

static char *at(const mw_exec *exec, const mw_buffer *buffer)
{
    return exec->buffer + buffer->offset;
}

/* ---- making the program ---- */

// Moves that go on beside other steps take the lanes in turn.
static int lane_of(const mw_exec *exec, mw_id until)
{
    return until == MW_NONE ? 0 : 1 + (int)(exec->n_beside % MW_LANES);
}

static mw_status add_step(mw_exec *exec, mw_arena *arena, mw_exec_step step)
{
    mw_exec_step *steps = mw_arena_reserve(arena, exec->step, exec->n_steps,
                                           &exec->cap_steps, sizeof *steps);
    if (!steps)
        return MW_ENOMEM;
    exec->step = steps;
    step.after = MW_NONE;
    int64_t last = exec->n_beside > 0 ? exec->n_steps - 1 : -1;
    for (int64_t i = last; i >= 0 && step.after == MW_NONE; i--)
        if (steps[i].move && steps[i].until != MW_NONE &&
            steps[i].until <= exec->section)
            step.after = i;
    exec->n_beside += step.move && step.until != MW_NONE;
    steps[exec->n_steps++] = step;
    return MW_OK;
}

static mw_status add_move(mw_exec *exec, mw_arena *arena, mw_id op, mw_id until,
                          const mw_move_spec *spec)
{
    mw_move *move = MW_NEW(arena, mw_move);
    if (!move)
        return MW_ENOMEM;
    MW_TRY(mw_move_make(arena, spec, move));
    exec->n_moves++;
    return add_step(exec, arena,
                    (mw_exec_step){.op = op,
                                   .move = move,
                                   .until = until,
                                   .lane = lane_of(exec, until),
                                   .kind = spec->kind});
}

/* A path between two buffers, and its scratch. */
typedef struct route {
    mw_id op, tensor;
    const mw_path *path;
    char *src, *dst, *scratch;
    mw_id until; /* MW_NONE: at once */
} route;

static mw_status add_path_step(mw_exec *exec, mw_arena *arena, const route *r,
                               int i)
{
    const mw_step *step = &r->path->step[i];
    const mw_block_move what = {.tensor = tensor_of(exec, r->tensor),
                                .mesh = exec->plan->mesh,
                                .axes = step->axes,
                                .from = step->from,
                                .to = step->to,
                                .lane = lane_of(exec, r->until)};
    mw_move_spec spec = {.kind = step->kind,
                         .way = step->way,
                         .src = r->src,
                         .dst = r->dst,
                         .stage = r->scratch + step->stage_at,
                         .stage_bytes = step->stage_bytes};
    if (step->from_at != MW_AT_END)
        spec.src = r->scratch + step->from_at;
    if (step->to_at != MW_AT_END)
        spec.dst = r->scratch + step->to_at;
    MW_TRY(mw_block_move_spec(arena, exec->team, &what, &spec));
    return add_move(exec, arena, r->op, r->until, &spec);
}

static mw_status add_path(mw_exec *exec, mw_arena *arena, const route *r)
{
    for (int i = 0; i < r->path->n_steps; i++)
        MW_TRY(add_path_step(exec, arena, r, i));
    return MW_OK;
}

static mw_status add_copies(mw_exec *exec, mw_arena *arena, mw_id id)
{
    const mw_plan_op *planned = &exec->plan->op[id];
    for (int i = 0; i < planned->n_copies; i++) {
        const mw_copy *copy = &planned->copies[i];
        route r = {.op = id,
                   .tensor = copy->tensor,
                   .path = copy->path,
                   .src = at(exec, &exec->plan->home[copy->tensor]),
                   .dst = at(exec, &copy->buffer),
                   .scratch = at(exec, &copy->scratch),
                   .until = MW_NONE};
        MW_TRY(add_path(exec, arena, &r));
    }
    return MW_OK;
}

// Where input i lies in the layout in which the op takes it.
static char *input_at(const mw_exec *exec, mw_id id, int i)
{
    const mw_plan_op *planned = &exec->plan->op[id];
    mw_id tensor = exec->plan->graph->op[id].in[i].tensor;
    if (planned->copy[i] != MW_NONE)
        return at(exec, &planned->copies[planned->copy[i]].buffer);
    return at(exec, &exec->plan->home[tensor_of(exec, tensor)->root]);
}

static mw_split_op split_of(const mw_exec *exec, mw_id id)
{
    return (mw_split_op){.graph = exec->plan->graph,
                         .mesh = exec->plan->mesh,
                         .op = &exec->plan->graph->op[id],
                         .strategy = &exec->plan->op[id].strategy};
}

static mw_status add_fetch(mw_exec *exec, mw_arena *arena, mw_id id,
                           const mw_fetch *fetch)
{
    const mw_split_op split = split_of(exec, id);
    mw_id tensor = split.op->in[fetch->input].tensor;
    const mw_block_move what = {
        .tensor = tensor_of(exec, tensor),
        .mesh = split.mesh,
        .axes = fetch->axes,
        .from = mw_strategy_input(split.op, split.strategy, fetch->input),
        .split = &split,
        .input = fetch->input};
    mw_move_spec spec = {.kind = MW_EXCHANGE,
                         .src = input_at(exec, id, fetch->input),
                         .dst = at(exec, &fetch->buffer),
                         .stage = at(exec, &fetch->scratch),
                         .stage_bytes = fetch->scratch.bytes};
    MW_TRY(mw_block_move_spec(arena, exec->team, &what, &spec));
    return add_move(exec, arena, id, MW_NONE, &spec);
}

static mw_view input_view(const mw_exec *exec, mw_id id, int i)
{
    const mw_split_op split = split_of(exec, id);
    const mw_plan_op *planned = &exec->plan->op[id];
    const mw_tensor *tensor = tensor_of(exec, split.op->in[i].tensor);
    mw_box box = mw_box_read(&split, i, exec->coord);
    char *data = input_at(exec, id, i);
    for (int f = 0; f < planned->n_fetches; f++)
        if (planned->fetch[f].input == i)
            data = at(exec, &planned->fetch[f].buffer);
    return mw_view_of(tensor, &box, data);
}

// Where output i leaves the kernel.
static char *output_at(const mw_exec *exec, mw_id id, int i)
{
    const mw_plan_op *planned = &exec->plan->op[id];
    mw_id tensor = exec->plan->graph->op[id].out[i].tensor;
    if (planned->out_path[i]->n_steps > 0)
        return at(exec, &planned->out_natural[i]);
    return at(exec, &exec->plan->home[tensor]);
}

static mw_status add_kernel(mw_exec *exec, mw_arena *arena, mw_id id)
{
    const mw_op *op = &exec->plan->graph->op[id];
    const mw_plan_op *planned = &exec->plan->op[id];
    mw_view *in = MW_NEW_ARRAY(arena, op->n_in, mw_view);
    mw_view *out = MW_NEW_ARRAY(arena, op->n_out, mw_view);
    if (!in || !out)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        in[i] = input_view(exec, id, i);
    for (int i = 0; i < op->n_out; i++) {
        mw_id tensor = op->out[i].tensor;
        const mw_tensor *t = tensor_of(exec, tensor);
        mw_box box =
            mw_box_held(exec->plan->mesh, t, &planned->natural[i], exec->coord);
        out[i] = mw_view_of(t, &box, output_at(exec, id, i));
    }
    mw_exec_step step = {.op = id,
                         .call = {.op = op,
                                  .in = in,
                                  .out = out,
                                  .workspace = at(exec, &planned->workspace),
                                  .workspace_bytes = planned->workspace.bytes,
                                  .threads = exec->threads}};
    step.kernel = mw_kernel_find(op->def->name, mw_kernel_dtype(op, in, out));
    return add_step(exec, arena, step);
}

static mw_status add_outputs(mw_exec *exec, mw_arena *arena, mw_id id)
{
    const mw_op *op = &exec->plan->graph->op[id];
    const mw_plan_op *planned = &exec->plan->op[id];
    for (int i = 0; i < op->n_out; i++) {
        mw_id tensor = op->out[i].tensor;
        route r = {.op = id,
                   .tensor = tensor,
                   .path = planned->out_path[i],
                   .src = at(exec, &planned->out_natural[i]),
                   .dst = at(exec, &exec->plan->home[tensor]),
                   .scratch = at(exec, &planned->out_scratch[i]),
                   .until = MW_NONE};
        if (planned->out_until[i] > id)
            r.until = planned->out_until[i];
        MW_TRY(add_path(exec, arena, &r));
    }
    return MW_OK;
}

// Ops that wait until op `id` is next.
static mw_status add_late(mw_exec *exec, mw_arena *arena, mw_id id)
{
    exec->section = id;
    for (mw_id late = 0; late < id; late++)
        if (exec->plan->op[late].late == id)
            MW_TRY(add_kernel(exec, arena, late));
    return MW_OK;
}

static mw_status make_program(mw_exec *exec, mw_arena *arena)
{
    const mw_graph *graph = exec->plan->graph;
    for (mw_id id = 0; id < graph->n_ops; id++) {
        MW_TRY(add_late(exec, arena, id));
        if (mw_op_is_rename(graph, &graph->op[id]) ||
            exec->plan->op[id].late != id)
            continue;
        MW_TRY(add_copies(exec, arena, id));
        for (int f = 0; f < exec->plan->op[id].n_fetches; f++)
            MW_TRY(add_fetch(exec, arena, id, &exec->plan->op[id].fetch[f]));
        MW_TRY(add_kernel(exec, arena, id));
        MW_TRY(add_outputs(exec, arena, id));
    }
    MW_TRY(add_late(exec, arena, graph->n_ops));
    return mw_pending_init(arena, exec->n_moves, &exec->pending);
}

// The end of the last buffer, up to a multiple of MW_ALIGN.
static void reach(int64_t *end, const mw_buffer *buffer)
{
    int64_t at_end =
        (buffer->offset + buffer->bytes + MW_ALIGN - 1) / MW_ALIGN * MW_ALIGN;
    if (buffer->bytes > 0 && at_end > *end)
        *end = at_end;
}

// Bytes of the arena, from its buffers and not from the plan's figure.
static int64_t arena_bytes(const mw_plan *plan)
{
    int64_t end = 0;
    const mw_graph *graph = plan->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        reach(&end, &plan->home[graph->tensor[t].root]);
    for (mw_id id = 0; id < graph->n_ops; id++) {
        const mw_plan_op *op = &plan->op[id];
        if (mw_op_is_rename(graph, &graph->op[id]))
            continue;
        for (int i = 0; i < op->n_copies; i++) {
            reach(&end, &op->copies[i].buffer);
            reach(&end, &op->copies[i].scratch);
        }
        for (int i = 0; i < op->n_fetches; i++) {
            reach(&end, &op->fetch[i].buffer);
            reach(&end, &op->fetch[i].scratch);
        }
        reach(&end, &op->workspace);
        for (int i = 0; i < graph->op[id].n_out; i++) {
            reach(&end, &op->out_natural[i]);
            reach(&end, &op->out_scratch[i]);
        }
    }
    return end;
}

mw_status mw_exec_open(mw_arena *arena, const mw_plan *plan, mw_team *team,
                       int threads, mw_exec *exec)
{
    *exec = (mw_exec){
        .ctx = arena->ctx, .plan = plan, .team = team, .threads = threads};
    mw_mesh_coords(plan->mesh, mw_team_rank(team), exec->coord);
    exec->bytes = arena_bytes(plan);
    MW_TRY(mw_team_share(team, exec->bytes, &exec->memory));
    exec->buffer = exec->memory.at;
    /* its pages are there before the first step, not within it */
    memset(exec->buffer, 0, (size_t)exec->bytes);
    mw_status status = make_program(exec, arena);
    mw_strips_find(exec);
    if (status != MW_OK)
        mw_exec_close(exec);
    return status;
}

void mw_exec_close(mw_exec *exec)
{
    if (!exec || !exec->team)
        return;
    mw_team_unshare(exec->team, &exec->memory);
    exec->buffer = NULL;
}

/* ---- values in and out ---- */

void mw_exec_home(const mw_exec *exec, mw_id tensor, mw_box *box, char **block)
{
    mw_id root = tensor_of(exec, tensor)->root;
    *box = mw_box_held(exec->plan->mesh, tensor_of(exec, root),
                       &exec->plan->choices->home[root], exec->coord);
    *block = at(exec, &exec->plan->home[root]);
}

void mw_exec_put(mw_exec *exec, const mw_values *values, mw_id tensor)
{
    mw_box box;
    char *block;
    mw_exec_home(exec, tensor, &box, &block);
    mw_values_block(values, tensor, &box, block);
}

static bool is_home(const mw_graph *graph, mw_id tensor)
{
    return graph->tensor[tensor].root == tensor &&
           graph->tensor[tensor].producer == MW_NONE;
}

void mw_exec_put_weights(mw_exec *exec, const mw_values *values)
{
    const mw_graph *graph = exec->plan->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (is_home(graph, t) && graph->tensor[t].role != MW_ROLE_INPUT)
            mw_exec_put(exec, values, t);
}

void mw_exec_put_inputs(mw_exec *exec, const mw_values *values)
{
    const mw_graph *graph = exec->plan->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (is_home(graph, t) && graph->tensor[t].role == MW_ROLE_INPUT)
            mw_exec_put(exec, values, t);
}

/* ---- running ---- */

static mw_status run_move(mw_exec *exec, mw_exec_step *step)
{
    int64_t before = step->move->wire->bytes_sent;
    double start = mw_clock_s();
    MW_TRY(mw_move_run(step->move));
    step->bytes_sent = step->move->wire->bytes_sent - before;
    exec->comm_s += mw_clock_s() - start;
    return MW_OK;
}

static mw_status run_step(mw_exec *exec, mw_exec_step *step)
{
    if (step->move)
        return run_move(exec, step);
    MW_TRY(mw_op_check_values(exec->ctx, step->call.op, step->call.in));
    mw_kernel_run(step->kernel, &step->call);
    return MW_OK;
}

// The same, and when.
static mw_status time_step(mw_exec *exec, mw_exec_step *step)
{
    mw_exec_time *time = &exec->time[step - exec->step];
    double before = step->move ? step->move->wire->wait_s : 0;
    time->begin_s = mw_clock_s() - exec->start_s;
    MW_TRY(run_step(exec, step));
    time->end_s = mw_clock_s() - exec->start_s;
    time->wait_s = step->move ? step->move->wire->wait_s - before : 0;
    return MW_OK;
}

mw_status mw_exec_run_op(mw_exec *exec, mw_id op)
{
    for (int64_t i = 0; i < exec->n_steps; i++)
        if (exec->step[i].op == op)
            MW_TRY(run_step(exec, &exec->step[i]));
    return MW_OK;
}

// Steps that go strip by strip; their times as if one came after the other.
static void run_strips(mw_exec *exec, const mw_exec_step *first)
{
    double busy_s[MW_STRIPS_MOST] = {0};
    if (!exec->time) {
        mw_strips_run(first, NULL);
        return;
    }
    double at_s = mw_clock_s() - exec->start_s;
    mw_strips_run(first, busy_s);
    for (int s = 0; s < first->together; s++) {
        mw_exec_time *time = &exec->time[first + s - exec->step];
        *time = (mw_exec_time){.begin_s = at_s, .end_s = at_s + busy_s[s]};
        at_s = time->end_s;
    }
}

// What is on its way may go on; what the step needs must have ended. Counts as
// communication: nothing else is done then.
static mw_status settle(mw_exec *exec, int64_t through)
{
    mw_pending *pending = &exec->pending;
    if (pending->first == pending->n)
        return MW_OK;
    double start = mw_clock_s();
    MW_TRY(mw_pending_poll(pending));
    MW_TRY(mw_pending_wait(pending, through));
    exec->comm_s += mw_clock_s() - start;
    return MW_OK;
}

static mw_status put_aside(mw_exec *exec, int64_t i)
{
    double start = mw_clock_s();
    MW_TRY(mw_pending_add(&exec->pending, exec->step[i].move, i));
    exec->comm_s += mw_clock_s() - start;
    return MW_OK;
}

// Figures of the moves that went on beside other steps.
static void note_pending(mw_exec *exec)
{
    for (int64_t k = 0; k < exec->pending.n; k++) {
        const mw_pending_move *p = &exec->pending.queue[k];
        exec->step[p->step].bytes_sent = p->bytes_sent;
        if (exec->time)
            exec->time[p->step] =
                (mw_exec_time){.begin_s = p->begin_s - exec->start_s,
                               .end_s = p->end_s - exec->start_s,
                               .wait_s = p->wait_s};
    }
}

static mw_status run_steps(mw_exec *exec, const bool only[])
{
    mw_pending_clear(&exec->pending);
    for (int64_t i = 0; i < exec->n_steps; i++) {
        mw_exec_step *step = &exec->step[i];
        if (only && !only[step->op])
            continue;
        if (!only && step->together > 1) {
            for (int k = 0; k < step->together; k++)
                MW_TRY(settle(exec, step[k].after));
            run_strips(exec, step);
            i += step->together - 1;
            continue;
        }
        MW_TRY(settle(exec, step->after));
        if (step->move && step->until != MW_NONE && !exec->blocking)
            MW_TRY(put_aside(exec, i));
        else
            MW_TRY(exec->time ? time_step(exec, step) : run_step(exec, step));
    }
    MW_TRY(settle(exec, exec->n_steps));
    note_pending(exec);
    return MW_OK;
}

mw_status mw_exec_run_part(mw_exec *exec, const bool only[])
{
    MW_TRY(mw_team_barrier(exec->team));
    exec->comm_s = 0;
    int64_t before = mw_team_bytes_sent(exec->team);
    mw_team_mark(exec->team, true);
    exec->start_s = mw_clock_s();
    double thread_s = mw_clock_thread_s();
    mw_status status = run_steps(exec, only);
    exec->thread_s = mw_clock_thread_s() - thread_s;
    exec->time_s = mw_clock_s() - exec->start_s;
    mw_team_mark(exec->team, false);
    exec->bytes_sent = mw_team_bytes_sent(exec->team) - before;
    return status;
}

mw_status mw_exec_run(mw_exec *exec)
{
    return mw_exec_run_part(exec, NULL);
}
