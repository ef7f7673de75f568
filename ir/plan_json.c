/* plan_json.c - layouts, axes and choices as JSON, and back. */
#include "ir/plan_json.h"

#include <math.h>
#include <string.h>

mw_status mw_plan_digest(mw_ctx *ctx, const mw_json *json,
                         char hex[MW_SHA256_HEX])
{
    static const char *const skip[] = {"timing", "digest", NULL};
    mw_text bytes;
    mw_text_init(&bytes, ctx);
    mw_json_canonical(&bytes, json, skip);
    mw_status status = mw_text_status(&bytes);
    if (status == MW_OK)
        mw_sha256_bytes(bytes.data, bytes.length, hex);
    mw_text_free(&bytes);
    return status;
}

double mw_seconds(int64_t time_ps)
{
    return (double)time_ps / 1e12;
}

int64_t mw_picoseconds(double seconds)
{
    double time_ps = seconds * 1e12;
    if (!(time_ps > 0))
        return 0;
    return time_ps < 9e18 ? llround(time_ps) : INT64_MAX;
}

void mw_plan_put_axes(mw_json_out *out, const char *key, const mw_mesh *mesh,
                      uint32_t axes)
{
    mw_json_begin_array_inline(out, key);
    for (int a = 0; a < mesh->n_axes; a++)
        if (axes >> a & 1U)
            mw_json_put_text(out, NULL, mesh->axis[a].name);
    mw_json_end(out);
}

mw_status mw_plan_get_axes(mw_ctx *ctx, const mw_json *object, const char *key,
                           const mw_mesh *mesh, uint32_t *axes)
{
    const mw_json *array;
    uint32_t result = 0;
    MW_TRY(mw_json_get_array(ctx, object, key, &array));
    for (int64_t i = 0; i < array->n; i++) {
        const char *name;
        MW_TRY(mw_json_text(ctx, &array->u.item[i], &name));
        int a = mw_mesh_find(mesh, name);
        if (a < 0)
            return mw_json_fail(ctx, &array->u.item[i],
                                "the mesh has no axis '%s'", name);
        if (result >> a & 1U)
            return mw_json_fail(ctx, &array->u.item[i],
                                "mesh axis '%s' stands twice", name);
        result |= 1U << a;
    }
    *axes = result;
    return MW_OK;
}

void mw_plan_put_layout(mw_json_out *out, const mw_graph *graph,
                        const mw_tensor *tensor, const mw_mesh *mesh,
                        const mw_layout *layout)
{
    mw_json_begin_object_inline(out, "split");
    for (int i = 0; i < tensor->rank; i++) {
        uint32_t axes = mw_layout_axes(mesh, layout, i);
        if (axes)
            mw_plan_put_axes(out, graph->dim[tensor->axis[i].dim].name, mesh,
                             axes);
    }
    mw_json_end(out);
    mw_reduce kind = layout->reduce ? (mw_reduce)layout->reduce : MW_REDUCE_SUM;
    mw_json_begin_object_inline(out, "partial");
    mw_plan_put_axes(out, "axes", mesh,
                     mw_layout_axes(mesh, layout, MW_PARTIAL));
    mw_json_put_text(out, "kind", mw_reduce_name(kind));
    mw_json_end(out);
}

// Gives the role to the axes, none of which may have one.
static mw_status set_roles(mw_ctx *ctx, const mw_json *where,
                           const mw_mesh *mesh, uint32_t axes, int role,
                           mw_layout *layout)
{
    for (int a = 0; a < MW_MAX_MESH; a++) {
        if (!(axes >> a & 1U))
            continue;
        if (layout->role[a] != MW_REPLICATED)
            return mw_json_fail(ctx, where,
                                "mesh axis '%s' has two roles, wanted one",
                                mesh->axis[a].name);
        layout->role[a] = (int8_t)role;
    }
    return MW_OK;
}

static mw_status reduce_by_name(mw_ctx *ctx, const mw_json *partial,
                                mw_reduce *kind)
{
    const char *name;
    MW_TRY(mw_json_get_text(ctx, partial, "kind", &name));
    for (int k = MW_REDUCE_SUM; k <= MW_REDUCE_MIN; k++) {
        if (strcmp(name, mw_reduce_name((mw_reduce)k)) == 0) {
            *kind = (mw_reduce)k;
            return MW_OK;
        }
    }
    return mw_json_fail(ctx, partial,
                        "kind is '%s', wanted sum, prod, max or min", name);
}

static int axis_of_dim(const mw_graph *graph, const mw_tensor *tensor,
                       const char *name)
{
    for (int i = 0; i < tensor->rank; i++) {
        mw_id dim = tensor->axis[i].dim;
        if (dim != MW_NONE && strcmp(graph->dim[dim].name, name) == 0)
            return i;
    }
    return MW_NONE;
}

mw_status mw_plan_get_layout(mw_ctx *ctx, const mw_json *object,
                             const mw_graph *graph, const mw_tensor *tensor,
                             const mw_mesh *mesh, mw_layout *layout)
{
    const mw_json *split, *partial;
    uint32_t axes;
    mw_layout result = mw_layout_replicated();
    MW_TRY(mw_json_get_object(ctx, object, "split", &split));
    for (int64_t i = 0; i < split->n; i++) {
        const mw_json *item = &split->u.item[i];
        int axis = axis_of_dim(graph, tensor, item->key);
        if (axis == MW_NONE)
            return mw_json_fail(ctx, item, "tensor '%s' has no dimension '%s'",
                                tensor->name, item->key);
        MW_TRY(mw_plan_get_axes(ctx, split, item->key, mesh, &axes));
        MW_TRY(set_roles(ctx, item, mesh, axes, axis, &result));
    }
    MW_TRY(mw_json_get_object(ctx, object, "partial", &partial));
    mw_reduce kind;
    MW_TRY(reduce_by_name(ctx, partial, &kind));
    MW_TRY(mw_plan_get_axes(ctx, partial, "axes", mesh, &axes));
    MW_TRY(set_roles(ctx, partial, mesh, axes, MW_PARTIAL, &result));
    result.reduce = (uint8_t)(axes ? kind : MW_REDUCE_NONE);
    *layout = result;
    return MW_OK;
}

/* ---- choices ---- */

mw_status mw_choices_init(mw_arena *arena, const mw_graph *graph,
                          mw_choices *choices)
{
    mw_choices result = {.op = MW_NEW_ARRAY(arena, graph->n_ops, mw_strategy),
                         .home =
                             MW_NEW_ARRAY(arena, graph->n_tensors, mw_layout)};
    if (!result.op || !result.home)
        return MW_ENOMEM;
    for (mw_id k = 0; k < graph->n_ops; k++)
        memset(result.op[k].split, MW_SPLIT_NONE, sizeof result.op[k].split);
    for (mw_id t = 0; t < graph->n_tensors; t++)
        result.home[t] = mw_layout_replicated();
    *choices = result;
    return MW_OK;
}

static void put_roles(mw_json_out *out, const mw_mesh *mesh,
                      const int8_t role[])
{
    mw_json_begin_array_inline(out, NULL);
    for (int a = 0; a < mesh->n_axes; a++)
        mw_json_put_int(out, NULL, role[a]);
}

void mw_plan_put_choices(mw_json_out *out, const mw_plan *plan,
                         const mw_choices *choices)
{
    const mw_graph *graph = plan->graph;
    mw_json_begin_object_inline(out, "choices");
    mw_json_begin_array(out, "ops");
    for (mw_id k = 0; k < graph->n_ops; k++) {
        bool rename = mw_op_is_rename(graph, &graph->op[k]);
        put_roles(out, plan->mesh,
                  rename ? plan->op[k].strategy.split : choices->op[k].split);
        mw_json_end(out);
    }
    mw_json_end(out);
    mw_json_begin_array(out, "homes");
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_layout *home = &choices->home[graph->tensor[t].root];
        put_roles(out, plan->mesh, home->role);
        if (home->reduce)
            mw_json_put_text(out, NULL,
                             mw_reduce_name((mw_reduce)home->reduce));
        mw_json_end(out);
    }
    mw_json_end(out);
    mw_json_end(out);
}

// extra: whether one more item may follow.
static mw_status get_roles(mw_ctx *ctx, const mw_json *array,
                           const mw_mesh *mesh, bool extra, int8_t role[])
{
    MW_TRY(mw_json_kind_is(ctx, array, MW_JSON_ARRAY));
    if (array->n < mesh->n_axes || array->n > mesh->n_axes + extra)
        return mw_json_fail(ctx, array,
                            "%lld items, wanted one for each of %d mesh axes",
                            (long long)array->n, mesh->n_axes);
    for (int a = 0; a < mesh->n_axes; a++) {
        int64_t value;
        MW_TRY(mw_json_int(ctx, &array->u.item[a], &value));
        if (value < -MW_MAX_LINEAR - 1 || value >= MW_MAX_LETTERS)
            return mw_json_fail(ctx, &array->u.item[a],
                                "%lld is no choice of an axis",
                                (long long)value);
        role[a] = (int8_t)value;
    }
    return MW_OK;
}

static mw_status get_home(mw_ctx *ctx, const mw_json *array,
                          const mw_mesh *mesh, mw_layout *home)
{
    MW_TRY(get_roles(ctx, array, mesh, true, home->role));
    if (array->n == mesh->n_axes)
        return MW_OK;
    const mw_json *item = &array->u.item[mesh->n_axes];
    const char *name;
    MW_TRY(mw_json_text(ctx, item, &name));
    for (int k = MW_REDUCE_SUM; k <= MW_REDUCE_MIN; k++)
        if (strcmp(name, mw_reduce_name((mw_reduce)k)) == 0)
            home->reduce = (uint8_t)k;
    if (!home->reduce)
        return mw_json_fail(ctx, item, "'%s' is no kind of reduction", name);
    return MW_OK;
}

static mw_status get_sized(mw_ctx *ctx, const mw_json *object, const char *key,
                           int64_t n, const mw_json **array)
{
    MW_TRY(mw_json_get_array(ctx, object, key, array));
    if ((*array)->n != n)
        return mw_json_fail(ctx, *array, "%lld items, wanted %lld",
                            (long long)(*array)->n, (long long)n);
    return MW_OK;
}

mw_status mw_plan_get_choices(mw_arena *arena, const mw_json *object,
                              const mw_graph *graph, const mw_mesh *mesh,
                              const mw_choices **choices)
{
    mw_ctx *ctx = arena->ctx;
    const mw_json *ops, *homes;
    mw_choices *result = MW_NEW(arena, mw_choices);
    if (!result)
        return MW_ENOMEM;
    MW_TRY(mw_choices_init(arena, graph, result));
    MW_TRY(get_sized(ctx, object, "ops", graph->n_ops, &ops));
    MW_TRY(get_sized(ctx, object, "homes", graph->n_tensors, &homes));
    for (mw_id k = 0; k < graph->n_ops; k++)
        MW_TRY(
            get_roles(ctx, &ops->u.item[k], mesh, false, result->op[k].split));
    for (mw_id t = 0; t < graph->n_tensors; t++)
        MW_TRY(get_home(ctx, &homes->u.item[t], mesh, &result->home[t]));
    *choices = result;
    return MW_OK;
}
