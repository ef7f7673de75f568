/* measured_json.c - measured figures in a machine's or a plan's document. */
#include "profiles/measured.h"

#include <string.h>

static mw_status copy_text(mw_ctx *ctx, mw_arena *arena, const mw_json *json,
                           const char *key, const char **text)
{
    const char *read;
    MW_TRY(mw_json_get_text(ctx, json, key, &read));
    *text = mw_arena_text(arena, read);
    return *text ? MW_OK : MW_ENOMEM;
}

static mw_status read_seconds(mw_ctx *ctx, const mw_json *json, double *seconds)
{
    MW_TRY(mw_json_get_real(ctx, json, "time_s", seconds));
    if (*seconds > 0 && *seconds < 1e9)
        return MW_OK;
    return mw_json_fail(ctx, mw_json_find(json, "time_s"),
                        "is %g, wanted a time above 0", *seconds);
}

static mw_status read_kernel(mw_ctx *ctx, mw_arena *arena, const mw_json *json,
                             mw_kernel_sample *sample)
{
    MW_TRY(mw_json_kind_is(ctx, json, MW_JSON_OBJECT));
    MW_TRY(copy_text(ctx, arena, json, "op", &sample->op));
    MW_TRY(copy_text(ctx, arena, json, "key", &sample->key));
    const char *dtype;
    MW_TRY(mw_json_get_text(ctx, json, "dtype", &dtype));
    if (!mw_dtype_by_name(dtype, &sample->dtype))
        return mw_json_fail(ctx, mw_json_find(json, "dtype"),
                            "'%s' is no element type", dtype);
    MW_TRY(mw_json_get_real(ctx, json, "flops", &sample->flops));
    MW_TRY(mw_json_get_real(ctx, json, "bytes", &sample->bytes));
    const mw_json *gemm = mw_json_find(json, "gemm");
    if (gemm) {
        MW_TRY(mw_json_kind_is(ctx, gemm, MW_JSON_ARRAY));
        if (gemm->n != 4)
            return mw_json_fail(ctx, gemm, "has %lld sizes, wanted 4",
                                (long long)gemm->n);
        for (int i = 0; i < 4; i++) {
            MW_TRY(mw_json_int(ctx, &gemm->u.item[i], &sample->gemm[i]));
            if (sample->gemm[i] < 1)
                return mw_json_fail(ctx, &gemm->u.item[i],
                                    "is %lld, wanted at least 1",
                                    (long long)sample->gemm[i]);
        }
    }
    return read_seconds(ctx, json, &sample->seconds);
}

bool mw_collective_by_name(const char *name, mw_collective *kind)
{
    for (int k = 0; k < MW_N_COLLECTIVES; k++)
        if (strcmp(name, mw_collective_name((mw_collective)k)) == 0) {
            *kind = (mw_collective)k;
            return true;
        }
    return false;
}

static mw_status read_collective(mw_ctx *ctx, const mw_json *json,
                                 mw_collective_sample *sample)
{
    MW_TRY(mw_json_kind_is(ctx, json, MW_JSON_OBJECT));
    const char *kind;
    MW_TRY(mw_json_get_text(ctx, json, "kind", &kind));
    if (!mw_collective_by_name(kind, &sample->kind))
        return mw_json_fail(ctx, mw_json_find(json, "kind"),
                            "'%s' is no collective", kind);
    const char *way;
    MW_TRY(mw_json_get_text(ctx, json, "algorithm", &way));
    if (!mw_way_parse(sample->kind, way, &sample->way))
        return mw_json_fail(ctx, mw_json_find(json, "algorithm"),
                            "'%s' is no way to run %s", way, kind);
    MW_TRY(mw_json_get_int(ctx, json, "ranks", &sample->ranks));
    MW_TRY(mw_json_get_int(ctx, json, "stride", &sample->stride));
    MW_TRY(mw_json_get_int(ctx, json, "bytes", &sample->bytes));
    if (sample->ranks < 2 || sample->stride < 1 || sample->bytes < 0)
        return mw_json_fail(ctx, json,
                            "ranks %lld, stride %lld, bytes %lld: wanted at "
                            "least 2, 1 and 0",
                            (long long)sample->ranks, (long long)sample->stride,
                            (long long)sample->bytes);
    return read_seconds(ctx, json, &sample->seconds);
}

static mw_status read_samples(mw_ctx *ctx, mw_arena *arena, const mw_json *root,
                              mw_measured *measured)
{
    const mw_json *kernels, *collectives;
    MW_TRY(mw_json_get_array(ctx, root, "kernels", &kernels));
    MW_TRY(mw_json_get_array(ctx, root, "collectives", &collectives));
    measured->kernel = MW_NEW_ARRAY(arena, kernels->n, mw_kernel_sample);
    measured->collective =
        MW_NEW_ARRAY(arena, collectives->n, mw_collective_sample);
    if (!measured->kernel || !measured->collective)
        return MW_ENOMEM;
    for (int64_t i = 0; i < kernels->n; i++)
        MW_TRY(
            read_kernel(ctx, arena, &kernels->u.item[i], &measured->kernel[i]));
    for (int64_t i = 0; i < collectives->n; i++)
        MW_TRY(read_collective(ctx, &collectives->u.item[i],
                               &measured->collective[i]));
    measured->n_kernels = (int)kernels->n;
    measured->n_collectives = (int)collectives->n;
    return MW_OK;
}

mw_status mw_measured_read(mw_ctx *ctx, mw_arena *arena, const mw_json *root,
                           const mw_measured **measured)
{
    MW_TRY(mw_json_kind_is(ctx, root, MW_JSON_OBJECT));
    mw_measured *made = MW_NEW(arena, mw_measured);
    if (!made)
        return MW_ENOMEM;
    MW_TRY(copy_text(ctx, arena, root, "fingerprint", &made->fingerprint));
    MW_TRY(copy_text(ctx, arena, root, "taken", &made->taken));
    int64_t threads;
    MW_TRY(mw_json_get_int(ctx, root, "threads", &threads));
    MW_TRY(mw_json_get_int(ctx, root, "ranks", &made->ranks));
    if (threads < 1 || threads > INT32_MAX || made->ranks < 1)
        return mw_json_fail(ctx, root,
                            "threads %lld, ranks %lld: wanted at least 1",
                            (long long)threads, (long long)made->ranks);
    made->threads = (int)threads;
    MW_TRY(read_samples(ctx, arena, root, made));
    mw_measured_sort(made);
    *measured = made;
    return MW_OK;
}

static void put_kernel(mw_json_out *out, const mw_kernel_sample *sample)
{
    mw_json_begin_object_inline(out, NULL);
    mw_json_put_text(out, "op", sample->op);
    mw_json_put_text(out, "dtype", mw_dtype_name(sample->dtype));
    mw_json_put_text(out, "key", sample->key);
    mw_json_put_real(out, "flops", sample->flops);
    mw_json_put_real(out, "bytes", sample->bytes);
    if (sample->gemm[0] > 0) {
        mw_json_begin_array(out, "gemm");
        for (int i = 0; i < 4; i++)
            mw_json_put_int(out, NULL, sample->gemm[i]);
        mw_json_end(out);
    }
    mw_json_put_real(out, "time_s", sample->seconds);
    mw_json_end(out);
}

static void put_collective(mw_json_out *out, const mw_collective_sample *sample)
{
    mw_json_begin_object_inline(out, NULL);
    mw_json_put_text(out, "kind", mw_collective_name(sample->kind));
    char way[MW_WAY_TEXT_MAX];
    mw_json_put_text(out, "algorithm",
                     mw_way_text(sample->kind, sample->way, way));
    mw_json_put_int(out, "ranks", sample->ranks);
    mw_json_put_int(out, "stride", sample->stride);
    mw_json_put_int(out, "bytes", sample->bytes);
    mw_json_put_real(out, "time_s", sample->seconds);
    mw_json_end(out);
}

void mw_measured_put(mw_json_out *out, const char *key,
                     const mw_measured *measured)
{
    mw_json_begin_object(out, key);
    mw_json_put_text(out, "fingerprint", measured->fingerprint);
    mw_json_put_text(out, "taken", measured->taken);
    mw_json_put_int(out, "threads", measured->threads);
    mw_json_put_int(out, "ranks", measured->ranks);
    mw_json_begin_array(out, "kernels");
    for (int i = 0; i < measured->n_kernels; i++)
        put_kernel(out, &measured->kernel[i]);
    mw_json_end(out);
    mw_json_begin_array(out, "collectives");
    for (int i = 0; i < measured->n_collectives; i++)
        put_collective(out, &measured->collective[i]);
    mw_json_end(out);
    mw_json_end(out);
}
