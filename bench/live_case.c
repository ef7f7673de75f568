/* live_case.c - lives follow from the schedule: a tensor lives from the step of
 * its op to that of its last reader, a final one to the end. Dimensions that
 * appear together among an op's inputs and outputs meet. */
#include "bench/live_case.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

typedef struct reader {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_json *root, *ops;
    mw_map dim, tensor; /* by name */
    mw_live_tensor *made;
    int64_t *size;
    uint8_t *meets;
    int32_t n_dims, n_tensors;
} reader;

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Numbers dimensions; those that may be split get what divides all sizes.
static mw_status read_dims(reader *in, mw_live_case *made)
{
    const mw_json *dims, *splittable;
    MW_TRY(mw_json_get_object(in->ctx, in->root, "dims", &dims));
    MW_TRY(mw_json_get_array(in->ctx, in->root, "splittable", &splittable));
    in->n_dims = (int32_t)dims->n;
    made->dim = MW_NEW_ARRAY(in->arena, dims->n + 1, const char *);
    in->size = MW_NEW_ARRAY(in->arena, dims->n + 1, int64_t);
    in->meets = MW_NEW_ARRAY(in->arena, dims->n * dims->n + 1, uint8_t);
    if (!made->dim || !in->size || !in->meets)
        return MW_ENOMEM;
    for (int32_t d = 0; d < in->n_dims; d++) {
        made->dim[d] = dims->u.item[d].key;
        MW_TRY(mw_map_put_text(&in->dim, made->dim[d], d));
    }
    for (int64_t i = 0; i < splittable->n; i++) {
        const char *name;
        MW_TRY(mw_json_text(in->ctx, &splittable->u.item[i], &name));
        const int64_t *d = mw_map_find_text(&in->dim, name);
        if (!d)
            return mw_json_fail(in->ctx, &splittable->u.item[i],
                                "'%s' is not among dims", name);
        const mw_json *sizes = &dims->u.item[*d];
        MW_TRY(mw_json_kind_is(in->ctx, sizes, MW_JSON_ARRAY));
        for (int64_t k = 0; k < sizes->n; k++) {
            int64_t size;
            MW_TRY(mw_json_int(in->ctx, &sizes->u.item[k], &size));
            in->size[*d] = gcd(size, in->size[*d]);
        }
    }
    return MW_OK;
}

static mw_status read_tensor(reader *in, const mw_json *json)
{
    const mw_json *dims;
    const char *name;
    mw_live_tensor *made = &in->made[in->n_tensors];
    MW_TRY(mw_json_get_text(in->ctx, json, "name", &name));
    MW_TRY(mw_json_get_int(in->ctx, json, "bytes", &made->bytes));
    MW_TRY(mw_json_get_array(in->ctx, json, "dims", &dims));
    int32_t *dim = MW_NEW_ARRAY(in->arena, dims->n + 1, int32_t);
    if (!dim)
        return MW_ENOMEM;
    for (int64_t i = 0; i < dims->n; i++) {
        const char *word;
        MW_TRY(mw_json_kind_is(in->ctx, &dims->u.item[i], MW_JSON_ARRAY));
        if (dims->u.item[i].n != 2)
            return mw_json_fail(in->ctx, &dims->u.item[i],
                                "has %lld items, wanted a name and a size",
                                (long long)dims->u.item[i].n);
        MW_TRY(mw_json_text(in->ctx, &dims->u.item[i].u.item[0], &word));
        const int64_t *d = mw_map_find_text(&in->dim, word);
        if (!d)
            return mw_json_fail(in->ctx, &dims->u.item[i],
                                "'%s' is not among dims", word);
        dim[i] = (int32_t)*d;
    }
    made->dim = dim;
    made->n_dims = (int)dims->n;
    return mw_map_put_text(&in->tensor, name, in->n_tensors++);
}

static mw_status read_tensors(reader *in)
{
    int64_t n = 0;
    MW_TRY(mw_json_get_array(in->ctx, in->root, "ops", &in->ops));
    for (int64_t k = 0; k < in->ops->n; k++) {
        const mw_json *outputs;
        MW_TRY(mw_json_get_array(in->ctx, &in->ops->u.item[k], "outputs",
                                 &outputs));
        n += outputs->n;
    }
    in->made = MW_NEW_ARRAY(in->arena, n + 1, mw_live_tensor);
    if (!in->made)
        return MW_ENOMEM;
    for (int64_t k = 0; k < in->ops->n; k++) {
        const mw_json *outputs = mw_json_find(&in->ops->u.item[k], "outputs");
        for (int64_t i = 0; i < outputs->n; i++)
            MW_TRY(read_tensor(in, &outputs->u.item[i]));
    }
    return MW_OK;
}

static mw_status tensor_of(reader *in, const mw_json *json,
                           mw_live_tensor **tensor)
{
    const char *name;
    MW_TRY(mw_json_text(in->ctx, json, &name));
    const int64_t *t = mw_map_find_text(&in->tensor, name);
    if (!t)
        return mw_json_fail(in->ctx, json, "no op makes tensor '%s'", name);
    *tensor = &in->made[*t];
    return MW_OK;
}

static void add_dims(const mw_live_tensor *tensor, uint8_t *here)
{
    for (int i = 0; i < tensor->n_dims; i++)
        here[tensor->dim[i]] = 1;
}

// An op at a step: its outputs begin, its inputs live on to it, their
// dimensions meet.
static mw_status run_op(reader *in, const mw_json *op, int64_t step,
                        uint8_t *here)
{
    const mw_json *inputs, *outputs = mw_json_find(op, "outputs");
    MW_TRY(mw_json_get_array(in->ctx, op, "inputs", &inputs));
    memset(here, 0, (size_t)in->n_dims);
    for (int64_t i = 0; i < outputs->n; i++) {
        mw_live_tensor *tensor;
        const mw_json *name = mw_json_find(&outputs->u.item[i], "name");
        MW_TRY(tensor_of(in, name, &tensor));
        tensor->begin = step;
        tensor->end = step + 1;
        add_dims(tensor, here);
    }
    for (int64_t i = 0; i < inputs->n; i++) {
        mw_live_tensor *tensor;
        MW_TRY(tensor_of(in, &inputs->u.item[i], &tensor));
        if (tensor->end == 0)
            return mw_json_fail(in->ctx, &inputs->u.item[i],
                                "is read before it is made");
        tensor->end = step + 1;
        add_dims(tensor, here);
    }
    for (int32_t d = 0; d < in->n_dims; d++) {
        for (int32_t e = 0; e < in->n_dims; e++) {
            if (d != e && here[d] && here[e])
                in->meets[(int64_t)d * in->n_dims + e] = 1;
        }
    }
    return MW_OK;
}

static mw_status run_schedule(reader *in, int64_t *n_steps)
{
    const mw_json *schedule, *final;
    MW_TRY(mw_json_get_array(in->ctx, in->root, "list_schedule", &schedule));
    MW_TRY(mw_json_get_array(in->ctx, in->root, "final_tensors", &final));
    uint8_t *here = MW_NEW_ARRAY(in->arena, in->n_dims + 1, uint8_t);
    if (!here)
        return MW_ENOMEM;
    for (int64_t i = 0; i < schedule->n; i++) {
        int64_t k;
        MW_TRY(mw_json_int(in->ctx, &schedule->u.item[i], &k));
        if (k < 0 || k >= in->ops->n)
            return mw_json_fail(in->ctx, &schedule->u.item[i],
                                "is %lld, wanted an op from 0 to %lld",
                                (long long)k, (long long)in->ops->n - 1);
        MW_TRY(run_op(in, &in->ops->u.item[k], i, here));
    }
    *n_steps = schedule->n;
    for (int64_t i = 0; i < final->n; i++) {
        mw_live_tensor *tensor;
        MW_TRY(tensor_of(in, &final->u.item[i], &tensor));
        if (tensor->end > 0)
            tensor->end = schedule->n;
    }
    return MW_OK;
}

// "a:4;b:8".
static mw_status read_mesh(reader *in, const mw_json *json, mw_mesh *mesh)
{
    char *text = mw_arena_format(in->arena, "%s", json->key), *rest = text;
    if (!text)
        return MW_ENOMEM;
    for (char *word; (word = strsep(&rest, ";"));) {
        char *colon = strchr(word, ':');
        if (!colon || mesh->n_axes == MW_MAX_MESH)
            return mw_json_fail(in->ctx, json, "'%s' is no mesh axis NAME:SIZE",
                                word);
        *colon = '\0';
        mesh->axis[mesh->n_axes].name = word;
        mesh->axis[mesh->n_axes++].size = strtoll(colon + 1, NULL, 10);
        if (mesh->axis[mesh->n_axes - 1].size < 1)
            return mw_json_fail(in->ctx, json, "axis '%s' has size '%s'", word,
                                colon + 1);
    }
    return MW_OK;
}

static mw_status read_others(reader *in, mw_live_case *made)
{
    const mw_json *all;
    MW_TRY(mw_json_get_object(in->ctx, in->root, "auto_mtf", &all));
    made->other = MW_NEW_ARRAY(in->arena, all->n + 1, mw_live_other);
    if (!made->other)
        return MW_ENOMEM;
    for (int64_t i = 0; i < all->n; i++) {
        mw_live_other *other = &made->other[made->n_others++];
        const mw_json *item = &all->u.item[i];
        const mw_json *layout = mw_json_find(item, "layout");
        double peak = 0;
        other->text = item->key;
        other->found = layout && layout->kind == MW_JSON_TEXT;
        MW_TRY(read_mesh(in, item, &other->mesh));
        if (!other->found)
            continue;
        MW_TRY(mw_json_get_real(in->ctx, item, "peak_bytes", &peak));
        MW_TRY(mw_json_get_real(in->ctx, item, "t_solve", &other->time_s));
        other->peak_bytes = (int64_t)peak;
    }
    return MW_OK;
}

mw_status mw_live_case_read(mw_arena *arena, const char *path,
                            mw_live_case *made)
{
    reader in = {.ctx = arena->ctx, .arena = arena};
    mw_map_init(&in.dim, arena);
    mw_map_init(&in.tensor, arena);
    *made = (mw_live_case){0};
    MW_TRY(mw_json_read(arena, path, &in.root));
    MW_TRY(mw_json_get_text(in.ctx, in.root, "case", &made->name));
    MW_TRY(read_dims(&in, made));
    MW_TRY(read_tensors(&in));
    int64_t n_steps = 0;
    MW_TRY(run_schedule(&in, &n_steps));
    made->graph = (mw_live_graph){.n_dims = in.n_dims,
                                  .n_tensors = in.n_tensors,
                                  .n_steps = n_steps,
                                  .size = in.size,
                                  .meets = in.meets,
                                  .tensor = in.made};
    return read_others(&in, made);
}

char *mw_live_case_rule(mw_arena *arena, const mw_live_case *made,
                        const mw_mesh *mesh, const uint32_t *axes)
{
    mw_text text;
    mw_text_init(&text, arena->ctx);
    for (int32_t d = 0; d < made->graph.n_dims; d++) {
        for (int a = 0; a < mesh->n_axes; a++) {
            if (axes[d] >> a & 1)
                mw_text_format(&text, "%s%s:%s", text.length ? ";" : "",
                               made->dim[d], mesh->axis[a].name);
        }
    }
    char *rule = mw_arena_text(arena, text.length ? text.data : "");
    bool whole = mw_text_status(&text) == MW_OK;
    mw_text_free(&text);
    return whole ? rule : NULL;
}
