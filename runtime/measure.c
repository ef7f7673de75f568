/* measure.c - batches of kernels and of moves between barriers. */
#include "runtime/measure.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "ir/loop.h"
#include "ir/reshard.h"
#include "runtime/block.h"
#include "runtime/kernel.h"

enum { BATCHES = 3, MAX_RUNS = 4096 };

/* What is timed. */
typedef struct timed {
    mw_status (*run)(void *what);
    void *what;
} timed;

/* The mean of n runs on this rank, then the largest of all ranks'. */
static mw_status batch(mw_team *team, const timed *job, int64_t n,
                       double *seconds)
{
    MW_TRY(mw_team_barrier(team));
    double start = mw_clock_s();
    for (int64_t i = 0; i < n; i++)
        MW_TRY(job->run(job->what));
    return mw_team_max(team, (mw_clock_s() - start) / (double)n, seconds);
}

/* How many runs a batch has follows from a first run, which also warms up. */
static mw_status time_job(mw_team *team, const timed *job, double budget_s,
                          double *seconds)
{
    double first, least = 0;
    MW_TRY(batch(team, job, 1, &first));
    MW_TRY(batch(team, job, 1, &first));
    if (first > budget_s) {
        *seconds = first;
        return MW_OK;
    }
    double fit = budget_s / BATCHES / (first > 1e-9 ? first : 1e-9);
    int64_t n = fit < 1 ? 1 : fit > MAX_RUNS ? MAX_RUNS : (int64_t)fit;
    for (int i = 0; i < BATCHES; i++) {
        double mean;
        MW_TRY(batch(team, job, n, &mean));
        if (i == 0 || mean < least)
            least = mean;
    }
    *seconds = least > 1e-9 ? least : 1e-9;
    return MW_OK;
}

typedef struct kernel_job {
    mw_kernel_fn *fn;
    mw_kernel_call call;
} kernel_job;

static mw_status run_kernel(void *what)
{
    kernel_job *kernel = what;
    mw_kernel_run(kernel->fn, &kernel->call);
    return MW_OK;
}

/* [start, start + size) of an operand's axis. */
static mw_block axis_block(const mw_graph *graph, const mw_op *op, int i,
                           int axis, const int64_t extent[])
{
    bool input = i < op->n_in;
    const mw_operand *operand = input ? &op->in[i] : &op->out[i - op->n_in];
    int letter = operand->letter[axis];
    if (letter == MW_NONE)
        return (mw_block){0, 1};
    if (!input || !(operand->window >> axis & 1))
        return (mw_block){0, extent[letter]};
    if (extent[letter] == op->letter[letter].size)
        return (mw_block){0, graph->tensor[operand->tensor].axis[axis].size};
    mw_span need =
        mw_op_window(graph, op, i, axis, (mw_span){0, extent[letter]});
    return (mw_block){need.lo, need.hi - need.lo};
}

static mw_view operand_view(const mw_graph *graph, const mw_op *op, int i,
                            const int64_t extent[])
{
    const mw_operand *operand =
        i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
    const mw_tensor *tensor = &graph->tensor[operand->tensor];
    mw_view view = {.dtype = tensor->dtype, .rank = tensor->rank};
    for (int a = 0; a < tensor->rank; a++) {
        mw_block block = axis_block(graph, op, i, a, extent);
        view.start[a] = block.start;
        view.size[a] = block.size;
        view.whole[a] = tensor->axis[a].size;
    }
    return view;
}

static int64_t view_bytes(const mw_view *view)
{
    return mw_view_elements(view) * mw_dtype_bytes(view->dtype);
}

/* Floats near 1; integers 0, which is an index into anything. */
static void fill(const mw_view *view, int64_t bytes)
{
    if (view->dtype == MW_F32)
        for (int64_t i = 0; i < bytes / 4; i++)
            ((float *)view->data)[i] = 0.5F + (float)(i % 61) / 64.0F;
    else if (view->dtype == MW_F64)
        for (int64_t i = 0; i < bytes / 8; i++)
            ((double *)view->data)[i] = 0.5 + (double)(i % 61) / 64.0;
}

/* Lays all operands and the workspace out in one block. */
static mw_status lay_out(mw_ctx *ctx, const mw_graph *graph, const mw_op *op,
                         const int64_t extent[], mw_view view[], void **block,
                         void **workspace)
{
    int n = op->n_in + op->n_out;
    int64_t total = MW_ALIGN, scratch = 0;
    if (op->def->workspace)
        scratch = op->def->workspace(graph, op, extent);
    for (int i = 0; i < n; i++) {
        view[i] = operand_view(graph, op, i, extent);
        total += mw_aligned(view_bytes(&view[i]));
    }
    char *bytes = mw_mem_alloc(ctx, (size_t)(total + scratch), 1);
    if (!bytes)
        return MW_ENOMEM;
    *block = bytes;
    char *at = bytes + (MW_ALIGN - (uintptr_t)bytes % MW_ALIGN) % MW_ALIGN;
    for (int i = 0; i < n; i++) {
        view[i].data = at;
        int64_t size = view_bytes(&view[i]);
        fill(&view[i], size);
        at += mw_aligned(size);
    }
    *workspace = at;
    return MW_OK;
}

/* Weights are in the kernel's own order in a run. */
static uint32_t packed_inputs(const mw_graph *graph, const mw_op *op,
                              mw_dtype dtype)
{
    const mw_kernel_packing *packing =
        mw_kernel_find_packing(op->def->name, dtype);
    if (!packing)
        return 0;
    mw_role role = graph->tensor[op->in[packing->input].tensor].role;
    bool stays = role == MW_ROLE_PARAM || role == MW_ROLE_CONST;
    return stays ? 1U << packing->input : 0;
}

mw_status mw_measure_op(mw_team *team, const mw_graph *graph, const mw_op *op,
                        const int64_t extent[MW_MAX_LETTERS], int threads,
                        double budget_s, double *seconds)
{
    mw_ctx *ctx = graph->ctx;
    int n = op->n_in + op->n_out;
    mw_view *view = mw_mem_alloc(ctx, (size_t)n, sizeof *view);
    void *block = NULL, *workspace = NULL;
    mw_status status = view ? MW_OK : MW_ENOMEM;
    if (status == MW_OK)
        status = lay_out(ctx, graph, op, extent, view, &block, &workspace);
    status = mw_team_agree(team, status);
    if (status == MW_OK) {
        kernel_job kernel = {.call = {.op = op,
                                      .in = view,
                                      .out = view + op->n_in,
                                      .workspace = workspace,
                                      .threads = threads}};
        mw_dtype dtype = mw_kernel_dtype(op, view, view + op->n_in);
        kernel.fn = mw_kernel_find(op->def->name, dtype);
        kernel.call.packed = packed_inputs(graph, op, dtype);
        if (op->def->workspace)
            kernel.call.workspace_bytes = op->def->workspace(graph, op, extent);
        const timed job = {run_kernel, &kernel};
        status = time_job(team, &job, budget_s, seconds);
    }
    mw_mem_free(block);
    mw_mem_free(view);
    return status;
}

static mw_status run_move(void *what)
{
    return mw_move_run(what);
}

/* Layouts over which a collective of that kind moves a [ranks, n] tensor. */
static void move_layouts(const mw_measure_move *what, mw_layout *from,
                         mw_layout *to)
{
    *from = *to = mw_layout_replicated();
    for (int a = 0; a < what->mesh->n_axes; a++) {
        if (!(what->axes >> a & 1))
            continue;
        bool reduces =
            what->kind == MW_REDUCE_SCATTER || what->kind == MW_ALL_REDUCE;
        from->role[a] = reduces ? MW_PARTIAL : 0;
        if (what->kind == MW_REDUCE_SCATTER)
            to->role[a] = 0;
        else if (what->kind == MW_ALL_TO_ALL)
            to->role[a] = 1;
    }
    if (mw_layout_is_partial(from))
        from->reduce = MW_REDUCE_SUM;
}

/* A step of float32 [p, n], n a multiple of p, of about the bytes asked. */
static mw_tensor move_tensor(const mw_measure_move *what, int64_t *bytes)
{
    int64_t p = mw_mesh_group_size(what->mesh, what->axes);
    int64_t whole = what->kind == MW_ALL_TO_ALL ? what->bytes * p : what->bytes;
    int64_t n = whole / 4 / p / p * p;
    if (n < p)
        n = p;
    mw_tensor tensor = {.name = "measured", .dtype = MW_F32, .rank = 2};
    tensor.axis[0] = (mw_axis){.dim = 0, .size = p};
    tensor.axis[1] = (mw_axis){.dim = 1, .size = n};
    *bytes = p * n * 4 / (what->kind == MW_ALL_TO_ALL ? p : 1);
    return tensor;
}

static mw_status make_move(mw_probe *probe, const mw_measure_move *what)
{
    mw_tensor tensor = move_tensor(what, &probe->bytes);
    mw_step step = {.kind = what->kind, .way = what->way, .axes = what->axes};
    move_layouts(what, &step.from, &step.to);
    mw_step_price(what->mesh, NULL, &tensor, &step);
    int64_t whole = mw_aligned(mw_tensor_bytes(&tensor));
    int64_t room = 2 * whole + step.stage_bytes;
    const mw_block_move blocks = {.tensor = &tensor,
                                  .mesh = what->mesh,
                                  .axes = what->axes,
                                  .from = step.from,
                                  .to = step.to};
    mw_status status = mw_team_share(probe->team, room, &probe->memory);
    MW_TRY(mw_team_agree(probe->team, status));
    char *src = probe->memory.at;
    memset(src, 0, (size_t)room);
    mw_move_spec spec = {.kind = what->kind,
                         .way = what->way,
                         .src = src,
                         .dst = src + whole,
                         .stage = src + 2 * whole,
                         .stage_bytes = step.stage_bytes};
    MW_TRY(mw_block_move_spec(&probe->arena, probe->team, &blocks, &spec));
    return mw_move_make(&probe->arena, &spec, &probe->move);
}

mw_status mw_probe_open(mw_ctx *ctx, mw_team *team, const mw_measure_move *what,
                        mw_probe *probe)
{
    *probe = (mw_probe){.team = team};
    mw_arena_init(&probe->arena, ctx);
    return make_move(probe, what);
}

void mw_probe_close(mw_probe *probe)
{
    mw_team_unshare(probe->team, &probe->memory);
    mw_arena_free(&probe->arena);
}

mw_status mw_measure_step(mw_ctx *ctx, mw_team *team,
                          const mw_measure_move *what, double budget_s,
                          int64_t *bytes, double *seconds)
{
    mw_probe probe;
    mw_status status = mw_probe_open(ctx, team, what, &probe);
    if (status == MW_OK) {
        const timed job = {run_move, &probe.move};
        status = time_job(team, &job, budget_s, seconds);
        *bytes = probe.bytes;
    }
    mw_probe_close(&probe);
    return status;
}
