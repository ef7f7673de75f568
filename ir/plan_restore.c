/* plan_restore.c - the plan of a file as it is to be run: its own paths. */
#include "ir/plan_json.h"

#include <stdio.h>
#include <string.h>

#include "ir/plan_replay.h"

typedef struct restorer {
    mw_ctx *ctx;
    mw_plan_file *file;
    mw_resharder *resharder;
    const mw_json *ops, *reshards;
    mw_step *step; /* of the path being read */
    int64_t n_steps, cap_steps;
} restorer;

static mw_status kind_by_name(mw_ctx *ctx, const mw_json *object,
                              mw_collective *kind)
{
    const char *name;
    MW_TRY(mw_json_get_text(ctx, object, "kind", &name));
    for (int k = 0; k < MW_N_COLLECTIVES; k++) {
        if (strcmp(name, mw_collective_name((mw_collective)k)) == 0) {
            *kind = (mw_collective)k;
            return MW_OK;
        }
    }
    return mw_json_fail(ctx, object, "kind is '%s', wanted a collective", name);
}

static mw_status get_way(mw_ctx *ctx, const mw_json *object, mw_step *step)
{
    const char *name;
    MW_TRY(mw_json_get_text(ctx, object, "algorithm", &name));
    if (mw_way_parse(step->kind, name, &step->way))
        return MW_OK;
    return mw_json_fail(ctx, mw_json_find(object, "algorithm"),
                        "is '%s', wanted a way to run %s", name,
                        mw_collective_name(step->kind));
}

static mw_status get_time(mw_ctx *ctx, const mw_json *object, int64_t *time_ps)
{
    double time_s;
    MW_TRY(mw_json_get_real(ctx, object, "time_s", &time_s));
    *time_ps = mw_picoseconds(time_s);
    return MW_OK;
}

static mw_status read_step(restorer *r, const mw_json *object, mw_id t,
                           const mw_layout *from)
{
    const mw_json *to;
    const mw_graph *graph = &r->file->graph;
    mw_step step = {.from = *from};
    MW_TRY(kind_by_name(r->ctx, object, &step.kind));
    MW_TRY(get_way(r->ctx, object, &step));
    MW_TRY(
        mw_plan_get_axes(r->ctx, object, "axes", &r->file->mesh, &step.axes));
    MW_TRY(get_time(r->ctx, object, &step.time_ps));
    MW_TRY(mw_json_get_object(r->ctx, object, "to", &to));
    MW_TRY(mw_plan_get_layout(r->ctx, to, graph, &graph->tensor[t],
                              &r->file->mesh, &step.to));
    r->step = mw_arena_reserve(r->file->arena, r->step, r->n_steps,
                               &r->cap_steps, sizeof *r->step);
    if (!r->step)
        return MW_ENOMEM;
    r->step[r->n_steps++] = step;
    return MW_OK;
}

static mw_status give(restorer *r, mw_id t)
{
    if (r->n_steps == 0)
        return MW_OK;
    return mw_resharder_give(r->resharder, &r->file->graph.tensor[t], r->step,
                             (int)r->n_steps);
}

static const mw_layout *last_layout(const restorer *r, const mw_layout *first)
{
    return r->n_steps > 0 ? &r->step[r->n_steps - 1].to : first;
}

static mw_status read_reshard(restorer *r, const mw_json *object)
{
    const char *name;
    const mw_json *steps, *from_json;
    const mw_graph *graph = &r->file->graph;
    mw_layout from;
    MW_TRY(mw_json_get_text(r->ctx, object, "tensor", &name));
    mw_id t = mw_graph_find_tensor(graph, name);
    if (t == MW_NONE)
        return mw_json_fail(r->ctx, object, "the graph has no tensor '%s'",
                            name);
    MW_TRY(mw_json_get_object(r->ctx, object, "from", &from_json));
    MW_TRY(mw_plan_get_layout(r->ctx, from_json, graph, &graph->tensor[t],
                              &r->file->mesh, &from));
    MW_TRY(mw_json_get_array(r->ctx, object, "steps", &steps));
    r->n_steps = 0;
    for (int64_t i = 0; i < steps->n; i++)
        MW_TRY(read_step(r, &steps->u.item[i], t, last_layout(r, &from)));
    return give(r, t);
}

// The steps among an op's collectives that take an output to its home.
static mw_status read_output(restorer *r, const mw_json *collectives, mw_id k,
                             int i)
{
    const mw_op *op = &r->file->graph.op[k];
    mw_id t = op->out[i].tensor;
    const char *wanted = r->file->graph.tensor[t].name;
    mw_layout natural = mw_strategy_output(op, &r->file->choices.op[k], i);
    r->n_steps = 0;
    for (int64_t c = 0; c < collectives->n; c++) {
        const mw_json *object = &collectives->u.item[c];
        const char *name;
        if (!mw_json_find(object, "output"))
            continue;
        MW_TRY(mw_json_get_text(r->ctx, object, "output", &name));
        if (strcmp(name, wanted) == 0)
            MW_TRY(read_step(r, object, t, last_layout(r, &natural)));
    }
    return give(r, t);
}

static mw_status read_paths(restorer *r)
{
    const mw_graph *graph = &r->file->graph;
    for (int64_t i = 0; i < r->reshards->n; i++)
        MW_TRY(read_reshard(r, &r->reshards->u.item[i]));
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_json *collectives;
        MW_TRY(mw_json_get_array(r->ctx, &r->ops->u.item[k], "collectives",
                                 &collectives));
        for (int i = 0; i < graph->op[k].n_out; i++)
            MW_TRY(read_output(r, collectives, k, i));
    }
    return MW_OK;
}

/* ---- figures as they stand ---- */

static mw_status add_volumes(restorer *r, const mw_json *moves,
                             const char *where)
{
    mw_plan_file *file = r->file;
    for (int64_t i = 0; i < moves->n; i++) {
        mw_plan_volume volume = {
            .path =
                mw_arena_format(file->arena, "%s[%lld]", where, (long long)i)};
        file->volume =
            mw_arena_reserve(file->arena, file->volume, file->n_volumes,
                             &file->cap_volumes, sizeof *file->volume);
        if (!volume.path || !file->volume)
            return MW_ENOMEM;
        MW_TRY(mw_json_get_int(r->ctx, &moves->u.item[i], "bytes_sent",
                               &volume.bytes));
        file->volume[file->n_volumes++] = volume;
    }
    return MW_OK;
}

// The reshards stand in the order of their ops.
static mw_status add_reshards(restorer *r, mw_id k, int64_t *next)
{
    for (; *next < r->reshards->n; ++*next) {
        const mw_json *object = &r->reshards->u.item[*next], *steps;
        int64_t op;
        char where[64];
        MW_TRY(mw_json_get_int(r->ctx, object, "before_op", &op));
        if (op != k)
            return MW_OK;
        MW_TRY(mw_json_get_array(r->ctx, object, "steps", &steps));
        (void)snprintf(where, sizeof where, "reshards[%lld].steps",
                       (long long)*next);
        MW_TRY(add_volumes(r, steps, where));
    }
    return MW_OK;
}

static mw_status read_volumes(restorer *r)
{
    int64_t next = 0;
    r->file->n_volumes = 0;
    for (mw_id k = 0; k < r->file->graph.n_ops; k++) {
        const mw_json *collectives;
        char where[64];
        MW_TRY(add_reshards(r, k, &next));
        MW_TRY(mw_json_get_array(r->ctx, &r->ops->u.item[k], "collectives",
                                 &collectives));
        (void)snprintf(where, sizeof where, "ops[%d].collectives", k);
        MW_TRY(add_volumes(r, collectives, where));
    }
    if (next == r->reshards->n)
        return MW_OK;
    return mw_json_fail(r->ctx, &r->reshards->u.item[next],
                        "does not stand in the order of the ops");
}

// Times of kernels and window exchanges, which need a cost model otherwise.
static mw_status read_times(restorer *r, mw_plan *plan)
{
    for (mw_id k = 0; k < r->file->graph.n_ops; k++) {
        const mw_json *object = &r->ops->u.item[k], *collectives;
        mw_plan_op *p = &plan->op[k];
        MW_TRY(get_time(r->ctx, object, &p->time_ps));
        plan->compute_ps = mw_add_ps(plan->compute_ps, p->time_ps);
        MW_TRY(mw_json_get_array(r->ctx, object, "collectives", &collectives));
        int f = 0;
        for (int64_t c = 0; c < collectives->n && f < p->n_fetches; c++) {
            if (!mw_json_find(&collectives->u.item[c], "input"))
                continue;
            MW_TRY(get_time(r->ctx, &collectives->u.item[c],
                            &p->fetch[f].time_ps));
            plan->comm_ps = mw_add_ps(plan->comm_ps, p->fetch[f++].time_ps);
        }
    }
    plan->time_ps = mw_add_ps(plan->compute_ps, plan->comm_ps);
    return MW_OK;
}

// The order of the file is the graph's own.
static mw_status check_order(restorer *r)
{
    const mw_json *order;
    MW_TRY(mw_json_get_array(r->ctx, r->file->json, "order", &order));
    for (int64_t k = 0; k < order->n || k < r->file->graph.n_ops; k++) {
        int64_t op = -1;
        if (k < order->n)
            MW_TRY(mw_json_int(r->ctx, &order->u.item[k], &op));
        if (op != k || k >= r->file->graph.n_ops)
            return mw_json_fail(r->ctx, order,
                                "item %lld is %lld, wanted the ops of the "
                                "graph as they stand",
                                (long long)k, (long long)op);
    }
    return MW_OK;
}

mw_status mw_plan_restore(mw_ctx *ctx, mw_plan_file *file, mw_plan *plan)
{
    restorer r = {.ctx = ctx, .file = file};
    mw_plan result;
    if (strcmp(file->digest, file->computed) != 0)
        return mw_json_fail(ctx, mw_json_find(file->json, "digest"),
                            "digest is %s, wanted %s: the plan was changed",
                            file->digest, file->computed);
    MW_TRY(mw_json_get_array(ctx, file->json, "ops", &r.ops));
    MW_TRY(mw_json_get_array(ctx, file->json, "reshards", &r.reshards));
    MW_TRY(check_order(&r));
    MW_TRY(
        mw_resharder_open(ctx, file->arena, &file->mesh, NULL, &r.resharder));
    MW_TRY(read_paths(&r));
    MW_TRY(mw_plan_build(file->arena, &file->graph, r.resharder, NULL,
                         &file->choices, true, &result));
    MW_TRY(read_times(&r, &result));
    MW_TRY(mw_plan_replay(file->arena, &result));
    MW_TRY(read_volumes(&r));
    *plan = result;
    return MW_OK;
}
