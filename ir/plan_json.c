/* plan_json.c - layouts, axes and choices as JSON, and back. */
#include "ir/plan_json.h"

#include <math.h>
#include <stdlib.h>
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

static void add_roles(mw_text *text, const mw_mesh *mesh, const int8_t role[])
{
    if (text->length > 0)
        mw_text_add_char(text, ';');
    for (int a = 0; a < mesh->n_axes; a++)
        mw_text_format(text, a ? ",%d" : "%d", role[a]);
}

// One text for all ops, one for all homes: "0,-1;-2,1 sum" holds the choice of
// each mesh axis, and the kind of reduction of a partial home.
mw_status mw_plan_put_choices(mw_ctx *ctx, mw_json_out *out,
                              const mw_plan *plan, const mw_choices *choices)
{
    const mw_graph *graph = plan->graph;
    mw_text text;
    mw_text_init(&text, ctx);
    mw_json_begin_object_inline(out, "choices");
    for (mw_id k = 0; k < graph->n_ops; k++) {
        bool rename = mw_op_is_rename(graph, &graph->op[k]);
        add_roles(&text, plan->mesh,
                  rename ? plan->op[k].strategy.split : choices->op[k].split);
    }
    mw_json_put_text(out, "ops", text.data);
    mw_text_cut(&text, 0);
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_layout *home = &choices->home[graph->tensor[t].root];
        add_roles(&text, plan->mesh, home->role);
        if (home->reduce)
            mw_text_format(&text, " %s",
                           mw_reduce_name((mw_reduce)home->reduce));
    }
    mw_json_put_text(out, "homes", text.data);
    mw_json_end(out);
    mw_status status = mw_text_status(&text);
    mw_text_free(&text);
    return status;
}

/* A text of choices that is being read. */
typedef struct choice_reader {
    mw_ctx *ctx;
    const mw_json *json;
    const char *p;
    int64_t item; /* for messages */
} choice_reader;

static mw_status bad_choice(const choice_reader *r, const char *wanted)
{
    return mw_json_fail(r->ctx, r->json, "item %lld: '%.12s', wanted %s",
                        (long long)r->item, r->p, wanted);
}

static mw_status read_roles(choice_reader *r, const mw_mesh *mesh,
                            int8_t role[])
{
    if (r->item > 0 && *r->p++ != ';') {
        r->p--;
        return bad_choice(r, "';'");
    }
    for (int a = 0; a < mesh->n_axes; a++) {
        char *end;
        if (a > 0 && *r->p != ',')
            return bad_choice(r, "a choice of each mesh axis");
        const char *number = r->p + (a > 0);
        long value = strtol(number, &end, 10);
        if (end == number || value < -MW_MAX_LINEAR - 1 ||
            value >= MW_MAX_LETTERS)
            return bad_choice(r, "a choice of each mesh axis");
        role[a] = (int8_t)value;
        r->p = end;
    }
    return MW_OK;
}

static mw_status read_kind(choice_reader *r, mw_layout *home)
{
    if (*r->p != ' ')
        return MW_OK;
    size_t length = strcspn(r->p + 1, ";");
    for (int k = MW_REDUCE_SUM; k <= MW_REDUCE_MIN; k++) {
        const char *name = mw_reduce_name((mw_reduce)k);
        if (strlen(name) == length && memcmp(name, r->p + 1, length) == 0)
            home->reduce = (uint8_t)k;
    }
    if (!home->reduce)
        return bad_choice(r, "a kind of reduction");
    r->p += 1 + length;
    return MW_OK;
}

static mw_status open_text(mw_ctx *ctx, const mw_json *object, const char *key,
                           choice_reader *r)
{
    *r = (choice_reader){.ctx = ctx};
    MW_TRY(mw_json_member(ctx, object, key, &r->json));
    return mw_json_text(ctx, r->json, &r->p);
}

mw_status mw_plan_get_choices(mw_arena *arena, const mw_json *object,
                              const mw_graph *graph, const mw_mesh *mesh,
                              const mw_choices **choices)
{
    choice_reader r;
    mw_choices *result = MW_NEW(arena, mw_choices);
    if (!result)
        return MW_ENOMEM;
    MW_TRY(mw_choices_init(arena, graph, result));
    MW_TRY(open_text(arena->ctx, object, "ops", &r));
    for (; r.item < graph->n_ops; r.item++)
        MW_TRY(read_roles(&r, mesh, result->op[r.item].split));
    if (*r.p)
        return bad_choice(&r, "the end");
    MW_TRY(open_text(arena->ctx, object, "homes", &r));
    for (; r.item < graph->n_tensors; r.item++) {
        MW_TRY(read_roles(&r, mesh, result->home[r.item].role));
        MW_TRY(read_kind(&r, &result->home[r.item]));
    }
    if (*r.p)
        return bad_choice(&r, "the end");
    *choices = result;
    return MW_OK;
}
