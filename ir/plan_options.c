/* plan_options.c - what a plan's source was read with, so that a run reads it
 * alike. */
#include "ir/plan_json.h"

static void put_sizes(mw_json_out *out, const mw_import_options *options)
{
    mw_json_begin_object_inline(out, "dim");
    for (int i = 0; i < options->n_sizes; i++)
        mw_json_put_int(out, options->size[i].name, options->size[i].size);
    mw_json_end(out);
    mw_json_begin_object_inline(out, "shape");
    for (int i = 0; i < options->n_shapes; i++) {
        mw_json_begin_array(out, options->shape[i].input);
        for (int a = 0; a < options->shape[i].rank; a++)
            mw_json_put_int(out, NULL, options->shape[i].size[a]);
        mw_json_end(out);
    }
    mw_json_end(out);
}

// Without any there is no key.
static void put_widen(mw_json_out *out, const mw_import_options *options)
{
    if (!options->widen)
        return;
    mw_json_begin_array_inline(out, "widen");
    for (int d = 0; d < MW_N_DTYPES; d++)
        if (options->widen >> d & 1)
            mw_json_put_text(out, NULL, mw_dtype_name((mw_dtype)d));
    mw_json_end(out);
}

// Without groups of maps there is no key.
static void put_fuse(mw_json_out *out, const mw_import_options *options)
{
    if (!options->fuse)
        return;
    mw_json_begin_object_inline(out, "fuse");
    mw_json_begin_array_inline(out, "keep");
    for (int i = 0; i < options->n_keep; i++)
        mw_json_put_text(out, NULL, options->keep[i]);
    mw_json_end(out);
    mw_json_end(out);
}

void mw_plan_put_options(mw_json_out *out, const mw_import_options *options)
{
    static const mw_import_options none;
    if (!options)
        options = &none;
    mw_json_begin_object(out, "options");
    put_sizes(out, options);
    mw_json_begin_object_inline(out, "const");
    for (int i = 0; i < options->n_constants; i++)
        mw_json_put_text(out, options->constant[i].input,
                         options->constant[i].value);
    mw_json_end(out);
    mw_json_begin_object_inline(out, "name");
    for (int i = 0; i < options->n_renames; i++)
        mw_json_put_text(out, options->rename[i].from, options->rename[i].to);
    mw_json_end(out);
    mw_json_begin_array_inline(out, "opaque");
    for (int i = 0; i < options->n_opaque; i++)
        mw_json_put_text(out, NULL, options->opaque[i]);
    mw_json_end(out);
    if (options->n_set)
        mw_json_begin_array_inline(out, "set");
    for (int i = 0; i < options->n_set; i++)
        mw_json_put_text(out, NULL, options->set[i]);
    if (options->n_set)
        mw_json_end(out);
    if (options->check_ties)
        mw_json_put_bool(out, "check_ties", true);
    if (options->unroll)
        mw_json_put_bool(out, "unroll", true);
    put_fuse(out, options);
    put_widen(out, options);
    mw_json_end(out);
}

static mw_status get_sizes(mw_arena *arena, const mw_json *json,
                           mw_import_options *options)
{
    const mw_json *object;
    MW_TRY(mw_json_get_object(arena->ctx, json, "dim", &object));
    mw_size_option *size = MW_NEW_ARRAY(arena, object->n, mw_size_option);
    if (!size)
        return MW_ENOMEM;
    for (int64_t i = 0; i < object->n; i++) {
        size[i].name = object->u.item[i].key;
        MW_TRY(mw_json_int(arena->ctx, &object->u.item[i], &size[i].size));
    }
    options->size = size;
    options->n_sizes = (int)object->n;
    return MW_OK;
}

static mw_status get_shape(mw_ctx *ctx, const mw_json *json,
                           mw_shape_option *shape)
{
    MW_TRY(mw_json_kind_is(ctx, json, MW_JSON_ARRAY));
    if (json->n > MW_MAX_RANK)
        return mw_json_fail(ctx, json, "%lld sizes, wanted at most %d",
                            (long long)json->n, MW_MAX_RANK);
    shape->input = json->key;
    shape->rank = (int)json->n;
    for (int64_t a = 0; a < json->n; a++)
        MW_TRY(mw_json_int(ctx, &json->u.item[a], &shape->size[a]));
    return MW_OK;
}

static mw_status get_shapes(mw_arena *arena, const mw_json *json,
                            mw_import_options *options)
{
    const mw_json *object;
    MW_TRY(mw_json_get_object(arena->ctx, json, "shape", &object));
    mw_shape_option *shape = MW_NEW_ARRAY(arena, object->n, mw_shape_option);
    if (!shape)
        return MW_ENOMEM;
    for (int64_t i = 0; i < object->n; i++)
        MW_TRY(get_shape(arena->ctx, &object->u.item[i], &shape[i]));
    options->shape = shape;
    options->n_shapes = (int)object->n;
    return MW_OK;
}

static mw_status get_pairs(mw_arena *arena, const mw_json *json,
                           mw_import_options *options)
{
    const mw_json *fixed, *renamed;
    mw_ctx *ctx = arena->ctx;
    MW_TRY(mw_json_get_object(ctx, json, "const", &fixed));
    MW_TRY(mw_json_get_object(ctx, json, "name", &renamed));
    mw_const_option *constant = MW_NEW_ARRAY(arena, fixed->n, mw_const_option);
    mw_rename_option *rename =
        MW_NEW_ARRAY(arena, renamed->n, mw_rename_option);
    if (!constant || !rename)
        return MW_ENOMEM;
    for (int64_t i = 0; i < fixed->n; i++) {
        constant[i].input = fixed->u.item[i].key;
        MW_TRY(mw_json_text(ctx, &fixed->u.item[i], &constant[i].value));
    }
    for (int64_t i = 0; i < renamed->n; i++) {
        rename[i].from = renamed->u.item[i].key;
        MW_TRY(mw_json_text(ctx, &renamed->u.item[i], &rename[i].to));
    }
    options->constant = constant;
    options->n_constants = (int)fixed->n;
    options->rename = rename;
    options->n_renames = (int)renamed->n;
    return MW_OK;
}

static mw_status get_texts(mw_arena *arena, const mw_json *json,
                           const char *key, const char *const **texts, int *n)
{
    const mw_json *list;
    MW_TRY(mw_json_get_array(arena->ctx, json, key, &list));
    const char **text = MW_NEW_ARRAY(arena, list->n, const char *);
    if (!text)
        return MW_ENOMEM;
    for (int64_t i = 0; i < list->n; i++)
        MW_TRY(mw_json_text(arena->ctx, &list->u.item[i], &text[i]));
    *texts = text;
    *n = (int)list->n;
    return MW_OK;
}

static mw_status get_widen(mw_arena *arena, const mw_json *json,
                           mw_import_options *options)
{
    const char *const *name;
    int n;
    options->widen = 0;
    if (!mw_json_find(json, "widen"))
        return MW_OK;
    MW_TRY(get_texts(arena, json, "widen", &name, &n));
    for (int i = 0; i < n; i++) {
        mw_dtype dtype;
        if (!mw_dtype_by_name(name[i], &dtype))
            return mw_json_fail(arena->ctx, mw_json_find(json, "widen"),
                                "'%s' is no type", name[i]);
        options->widen |= UINT32_C(1) << dtype;
    }
    return MW_OK;
}

mw_status mw_plan_get_options(mw_arena *arena, const mw_json *model,
                              const mw_import_options **options)
{
    const mw_json *json;
    mw_import_options *read = MW_NEW(arena, mw_import_options);
    if (!read)
        return MW_ENOMEM;
    MW_TRY(mw_json_get_object(arena->ctx, model, "options", &json));
    MW_TRY(get_sizes(arena, json, read));
    MW_TRY(get_shapes(arena, json, read));
    MW_TRY(get_pairs(arena, json, read));
    MW_TRY(get_texts(arena, json, "opaque", &read->opaque, &read->n_opaque));
    if (mw_json_find(json, "set"))
        MW_TRY(get_texts(arena, json, "set", &read->set, &read->n_set));
    if (mw_json_find(json, "check_ties"))
        MW_TRY(mw_json_get_bool(arena->ctx, json, "check_ties",
                                &read->check_ties));
    if (mw_json_find(json, "unroll"))
        MW_TRY(mw_json_get_bool(arena->ctx, json, "unroll", &read->unroll));
    MW_TRY(get_widen(arena, json, read));
    const mw_json *fuse = mw_json_find(json, "fuse");
    read->fuse = fuse != NULL;
    if (fuse)
        MW_TRY(get_texts(arena, fuse, "keep", &read->keep, &read->n_keep));
    *options = read;
    return MW_OK;
}
