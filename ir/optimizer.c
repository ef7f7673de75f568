/* optimizer.c - what optimizers build with. */
#include "ir/optimizer.h"

static mw_status add_state(mw_updater *u, mw_id weight, const char *what,
                           const mw_tensor *axes, mw_data first, mw_id *state)
{
    mw_graph *graph = u->g->graph;
    mw_tensor made = *axes;
    made.role = MW_ROLE_STATE;
    made.output = false;
    made.data = first;
    made.name = mw_arena_format(graph->arena, "%s/%s",
                                graph->tensor[weight].name, what);
    if (!made.name)
        return MW_ENOMEM;
    MW_TRY(mw_grad_name(u->g, made.name, &made.name));
    return mw_graph_tensor(graph, &made, state);
}

mw_status mw_updater_state(mw_updater *u, mw_id weight, const char *what,
                           const mw_tensor *axes, mw_id *state)
{
    return add_state(u, weight, what, axes, (mw_data){.kind = MW_DATA_FILL},
                     state);
}

mw_status mw_updater_copy(mw_updater *u, mw_id weight, const char *what,
                          mw_dtype dtype, mw_id *state)
{
    mw_tensor axes = u->g->graph->tensor[weight];
    axes.dtype = dtype;
    return add_state(u, weight, what, &axes,
                     (mw_data){.kind = MW_DATA_LIKE, .path = axes.name}, state);
}

mw_status mw_updater_state_like(mw_updater *u, mw_id weight, const char *what,
                                mw_id *state)
{
    const mw_tensor axes = u->g->graph->tensor[weight];
    return mw_updater_state(u, weight, what, &axes, state);
}

static bool same_number(double a, double b)
{
    return !(a < b) && !(a > b);
}

mw_status mw_updater_shared(mw_updater *u, mw_id weight, mw_shared_fn *fn,
                            double of, mw_id *y)
{
    mw_graph *graph = u->g->graph;
    mw_dtype dtype = graph->tensor[weight].dtype;
    for (int64_t i = 0; i < u->n_shared; i++) {
        const struct mw_shared *s = &u->shared[i];
        if (s->fn == fn && same_number(s->of, of) && s->dtype == dtype) {
            *y = s->id;
            return MW_OK;
        }
    }
    struct mw_shared *more = mw_arena_reserve(
        graph->arena, u->shared, u->n_shared, &u->cap_shared, sizeof *more);
    if (!more)
        return MW_ENOMEM;
    u->shared = more;
    mw_grad_label(u->g, "shared");
    MW_TRY(fn(u, of, y));
    MW_TRY(mw_grad_cast(u->g, *y, dtype, y));
    more[u->n_shared++] =
        (struct mw_shared){.fn = fn, .of = of, .dtype = dtype, .id = *y};
    return MW_OK;
}

mw_status mw_updater_rate(mw_updater *u, double of, mw_id *y)
{
    (void)of;
    *y = u->rate;
    return MW_OK;
}

static mw_status scale(mw_updater *u, double of, mw_id *y)
{
    (void)of;
    *y = u->scale;
    return u->scale == MW_NONE ? mw_grad_const(u->g, MW_F64, 1, y) : MW_OK;
}

mw_status mw_updater_scaled(mw_updater *u, mw_id weight, mw_id grad, mw_id *y)
{
    mw_id factor;
    MW_TRY(mw_grad_cast(u->g, grad, u->g->graph->tensor[weight].dtype, y));
    if (u->scale == MW_NONE)
        return MW_OK;
    MW_TRY(mw_updater_shared(u, weight, scale, 0, &factor));
    return mw_grad_map2(u->g, "mul", *y, factor, y);
}

mw_status mw_updater_correction(mw_updater *u, double of, mw_id *y)
{
    mw_id base, power, one;
    MW_TRY(mw_grad_const(u->g, MW_F64, of, &base));
    MW_TRY(mw_grad_map2(u->g, "pow", base, u->step, &power));
    MW_TRY(mw_grad_const(u->g, MW_F64, 1, &one));
    return mw_grad_map2(u->g, "sub", one, power, y);
}

// The results, of their targets' axes, called after them.
static mw_status new_values(mw_updater *u, const mw_id target[], int n,
                            mw_id out[])
{
    mw_graph *graph = u->g->graph;
    for (int i = 0; i < n; i++) {
        mw_tensor made = graph->tensor[target[i]];
        made.role = MW_ROLE_VALUE;
        made.output = false;
        made.data = (mw_data){.kind = MW_DATA_NONE};
        made.name = mw_arena_format(graph->arena, "new/%s", made.name);
        if (!made.name)
            return MW_ENOMEM;
        MW_TRY(mw_grad_name(u->g, made.name, &made.name));
        MW_TRY(mw_graph_tensor(graph, &made, &out[i]));
    }
    return MW_OK;
}

mw_status mw_updater_fused(mw_updater *u, const mw_fused *call, mw_id *fresh)
{
    mw_id in[16], out[4], op, weight = call->tensor[0];
    int n = 0;
    for (int i = 0; i < call->n; i++)
        in[n++] = call->tensor[i];
    in[n++] = call->grad;
    MW_TRY(mw_updater_shared(u, weight, mw_updater_rate, 0, &in[n++]));
    MW_TRY(mw_updater_shared(u, weight, scale, 0, &in[n++]));
    for (int i = 0; i < call->m; i++)
        in[n++] = call->scalar[i];
    in[n++] = u->apply;
    MW_TRY(new_values(u, call->tensor, call->n, out));
    const mw_op_spec spec = {.def = call->def,
                             .n_in = n,
                             .in = in,
                             .n_out = call->n,
                             .out = out,
                             .n_attr = call->n_attr,
                             .attr = call->attr};
    MW_TRY(mw_graph_bind(u->g->graph, &spec, &op));
    *fresh = out[0];
    return MW_OK;
}

mw_status mw_updater_assign(mw_updater *u, mw_id target, mw_id value,
                            mw_id *fresh)
{
    mw_id in[2] = {target, value}, op;
    if (!u->always)
        MW_TRY(mw_grad_where(u->g, u->apply, value, target, &in[1]));
    MW_TRY(new_values(u, &target, 1, fresh));
    const mw_op_spec spec = {
        .def = "assign", .n_in = 2, .in = in, .n_out = 1, .out = fresh};
    return mw_graph_bind(u->g->graph, &spec, &op);
}
