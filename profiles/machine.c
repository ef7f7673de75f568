/* machine.c - machines as JSON: presets, files, and back. */
#include "profiles/machine.h"

#include <string.h>

#include "base/embed.h"
#include "base/file.h"
#include "base/json.h"
#include "base/near.h"
#include "profiles/local.h"
#include "profiles/measured.h"

/* The build embeds profiles/machines/. */
extern const mw_embed *const mw_machine_text_table[];
extern const int mw_machine_text_count;

static mw_status positive(mw_ctx *ctx, const mw_json *object, const char *key,
                          double *value)
{
    double real;
    MW_TRY(mw_json_get_real(ctx, object, key, &real));
    if (!(real > 0 && real < 1e30))
        return mw_json_fail(ctx, mw_json_find(object, key),
                            "is %g, wanted a number above 0", real);
    *value = real;
    return MW_OK;
}

static mw_status not_negative(mw_ctx *ctx, const mw_json *object,
                              const char *key, double *value)
{
    double real;
    MW_TRY(mw_json_get_real(ctx, object, key, &real));
    if (!(real >= 0 && real < 1e30))
        return mw_json_fail(ctx, mw_json_find(object, key),
                            "is %g, wanted a number of at least 0", real);
    *value = real;
    return MW_OK;
}

static mw_status read_rates(mw_ctx *ctx, const mw_json *root,
                            mw_machine *machine)
{
    const mw_json *rates;
    MW_TRY(mw_json_get_object(ctx, root, "flops_per_s", &rates));
    for (int64_t i = 0; i < rates->n; i++) {
        const char *name = rates->u.item[i].key;
        mw_dtype dtype;
        if (!mw_dtype_by_name(name, &dtype))
            return mw_json_fail(ctx, &rates->u.item[i],
                                "'%s' is no element type", name);
        MW_TRY(positive(ctx, rates, name, &machine->flops_per_s[dtype]));
    }
    if (machine->flops_per_s[MW_F32] > 0)
        return MW_OK;
    return mw_json_fail(ctx, rates, "has no rate for f32");
}

static mw_status add_way(mw_ctx *ctx, const mw_json *json,
                         mw_machine_level *level)
{
    const char *name;
    MW_TRY(mw_json_text(ctx, json, &name));
    for (int a = MW_USUAL + 1; a < MW_N_ALGORITHMS; a++)
        if (strcmp(name, mw_algorithm_name((mw_algorithm)a)) == 0) {
            level->ways |= 1U << a;
            return MW_OK;
        }
    return mw_json_fail(
        ctx, json, "is '%s', wanted direct, halving or hierarchical", name);
}

static mw_status read_ways(mw_ctx *ctx, const mw_json *json,
                           mw_machine_level *level)
{
    const mw_json *names = mw_json_find(json, "algorithms");
    if (!names)
        return MW_OK;
    MW_TRY(mw_json_kind_is(ctx, names, MW_JSON_ARRAY));
    for (int64_t i = 0; i < names->n; i++)
        MW_TRY(add_way(ctx, &names->u.item[i], level));
    return MW_OK;
}

static mw_status read_level(mw_ctx *ctx, mw_arena *arena, const mw_json *json,
                            mw_machine_level *level)
{
    MW_TRY(mw_json_kind_is(ctx, json, MW_JSON_OBJECT));
    const char *name;
    MW_TRY(mw_json_get_text(ctx, json, "name", &name));
    level->name = mw_arena_text(arena, name);
    if (!level->name)
        return MW_ENOMEM;
    MW_TRY(mw_json_get_int(ctx, json, "count", &level->count));
    if (level->count < 0)
        return mw_json_fail(ctx, mw_json_find(json, "count"),
                            "is %lld, wanted at least 1, or 0 for any number",
                            (long long)level->count);
    MW_TRY(not_negative(ctx, json, "latency_s", &level->latency_s));
    MW_TRY(read_ways(ctx, json, level));
    return positive(ctx, json, "bytes_per_s", &level->bytes_per_s);
}

static mw_status read_levels(mw_ctx *ctx, mw_arena *arena, const mw_json *root,
                             mw_machine *machine)
{
    const mw_json *levels;
    MW_TRY(mw_json_get_array(ctx, root, "levels", &levels));
    if (levels->n < 1 || levels->n > MW_MAX_LEVELS)
        return mw_json_fail(ctx, levels, "has %lld levels, wanted 1 to %d",
                            (long long)levels->n, MW_MAX_LEVELS);
    for (int64_t i = 0; i < levels->n; i++)
        MW_TRY(read_level(ctx, arena, &levels->u.item[i], &machine->level[i]));
    machine->n_levels = (int)levels->n;
    return MW_OK;
}

static mw_status read_texts(mw_ctx *ctx, mw_arena *arena, const mw_json *root,
                            mw_machine *machine)
{
    const struct {
        const char *key;
        const char **value;
    } texts[] = {{"name", &machine->name},
                 {"brief", &machine->brief},
                 {"source", &machine->source}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *text;
        MW_TRY(mw_json_get_text(ctx, root, texts[i].key, &text));
        *texts[i].value = mw_arena_text(arena, text);
        if (!*texts[i].value)
            return MW_ENOMEM;
    }
    return MW_OK;
}

mw_status mw_machine_read(mw_ctx *ctx, mw_arena *arena, const mw_json *root,
                          mw_machine *machine)
{
    mw_machine read = {0};
    MW_TRY(mw_json_kind_is(ctx, root, MW_JSON_OBJECT));
    MW_TRY(read_texts(ctx, arena, root, &read));
    MW_TRY(read_rates(ctx, root, &read));
    MW_TRY(positive(ctx, root, "memory_bytes_per_s", &read.memory_bytes_per_s));
    MW_TRY(mw_json_get_int(ctx, root, "memory_bytes", &read.memory_bytes));
    MW_TRY(not_negative(ctx, root, "op_overhead_s", &read.op_overhead_s));
    if (mw_json_find(root, "overhead_bytes"))
        MW_TRY(
            mw_json_get_int(ctx, root, "overhead_bytes", &read.overhead_bytes));
    MW_TRY(read_levels(ctx, arena, root, &read));
    const mw_json *measured = mw_json_find(root, "measured");
    if (measured && measured->kind != MW_JSON_NULL)
        MW_TRY(mw_measured_read(ctx, arena, measured, &read.measured));
    if (read.memory_bytes <= 0 || read.overhead_bytes < 0)
        return mw_json_fail(ctx, root,
                            "memory_bytes is %lld and overhead_bytes "
                            "%lld, wanted above 0 and at least 0",
                            (long long)read.memory_bytes,
                            (long long)read.overhead_bytes);
    *machine = read;
    return MW_OK;
}

mw_status mw_machine_parse(mw_ctx *ctx, mw_arena *arena, const char *file,
                           const char *json, mw_machine *machine)
{
    const mw_json *root;
    MW_TRY(mw_json_parse(arena, file, json, strlen(json), &root));
    return mw_machine_read(ctx, arena, root, machine);
}

static void put_ways(mw_json_out *out, const mw_machine_level *level)
{
    if (!level->ways)
        return;
    mw_json_begin_array(out, "algorithms");
    for (int a = 0; a < MW_N_ALGORITHMS; a++)
        if (level->ways >> a & 1U)
            mw_json_put_text(out, NULL, mw_algorithm_name((mw_algorithm)a));
    mw_json_end(out);
}

static void put_levels(mw_json_out *out, const mw_machine *machine)
{
    mw_json_begin_array(out, "levels");
    for (int l = 0; l < machine->n_levels; l++) {
        const mw_machine_level *level = &machine->level[l];
        mw_json_begin_object_inline(out, NULL);
        mw_json_put_text(out, "name", level->name);
        mw_json_put_int(out, "count", level->count);
        mw_json_put_real(out, "latency_s", level->latency_s);
        mw_json_put_real(out, "bytes_per_s", level->bytes_per_s);
        put_ways(out, level);
        mw_json_end(out);
    }
    mw_json_end(out);
}

void mw_machine_put(mw_json_out *out, const char *key,
                    const mw_machine *machine)
{
    mw_json_begin_object(out, key);
    mw_json_put_text(out, "name", machine->name);
    mw_json_put_text(out, "brief", machine->brief);
    mw_json_put_text(out, "source", machine->source);
    mw_json_begin_object_inline(out, "flops_per_s");
    for (int d = 0; d < MW_N_DTYPES; d++)
        if (machine->flops_per_s[d] > 0)
            mw_json_put_real(out, mw_dtype_name((mw_dtype)d),
                             machine->flops_per_s[d]);
    mw_json_end(out);
    mw_json_put_real(out, "memory_bytes_per_s", machine->memory_bytes_per_s);
    mw_json_put_int(out, "memory_bytes", machine->memory_bytes);
    mw_json_put_real(out, "op_overhead_s", machine->op_overhead_s);
    mw_json_put_int(out, "overhead_bytes", machine->overhead_bytes);
    put_levels(out, machine);
    if (machine->measured)
        mw_measured_put(out, "measured", machine->measured);
    mw_json_end(out);
}

mw_status mw_machine_print(mw_ctx *ctx, mw_arena *arena,
                           const mw_machine *machine, char **json)
{
    mw_text text;
    mw_text_init(&text, ctx);
    mw_json_out out;
    mw_json_out_init(&out, &text);
    mw_machine_put(&out, NULL, machine);
    mw_status status = mw_text_status(&text);
    char *copy = NULL;
    if (status == MW_OK)
        copy = mw_arena_text(arena, text.data);
    mw_text_free(&text);
    if (!copy)
        return MW_ENOMEM;
    *json = copy;
    return MW_OK;
}

int mw_machine_presets(void)
{
    return mw_machine_text_count;
}

const char *mw_machine_preset(int i)
{
    return mw_machine_text_table[i]->name;
}

static mw_status unknown(mw_ctx *ctx, const char *name)
{
    mw_near near;
    mw_near_init(&near, name);
    mw_near_try(&near, "this");
    for (int i = 0; i < mw_machine_text_count; i++)
        mw_near_try(&near, mw_machine_preset(i));
    mw_ctx_at(ctx, "--machine");
    if (near.best)
        return mw_fail(ctx, MW_EUSAGE,
                       "'%s' is no machine's name and no file\n"
                       "did you mean '%s'? `meshwright machine list` has all",
                       name, near.best);
    return mw_fail(ctx, MW_EUSAGE,
                   "'%s' is no machine's name and no file\n"
                   "`meshwright machine list` has the names",
                   name);
}

mw_status mw_machine_find(mw_ctx *ctx, mw_arena *arena, const char *name,
                          mw_machine *machine)
{
    if (strcmp(name, "this") == 0)
        return mw_machine_local(ctx, arena, machine);
    for (int i = 0; i < mw_machine_text_count; i++)
        if (strcmp(name, mw_machine_preset(i)) == 0)
            return mw_machine_parse(ctx, arena, name,
                                    mw_machine_text_table[i]->text, machine);
    if (!strchr(name, '/') && strcmp(mw_path_ext(name), "") == 0)
        return unknown(ctx, name);
    const mw_json *root;
    MW_TRY(mw_json_read(arena, name, &root));
    return mw_machine_read(ctx, arena, root, machine);
}
