/*
 * fuzz_plan.c - a plan file is read, put back to work and judged. What could be
 * restored prints, and reads again to the same bytes.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "ir/plan_file.h"
#include "profiles/machine.h"

static mw_status print(mw_ctx *ctx, mw_plan_file *file, mw_text *text)
{
    mw_plan plan;
    MW_TRY(mw_plan_restore(ctx, file, &plan));
    return mw_plan_write(ctx, &plan, &file->info, text);
}

// Its digest is taken as right, so that all else is reached.
static mw_status read_and_print(mw_ctx *ctx, mw_arena *arena, const char *text,
                                size_t size, mw_plan_file *file, mw_text *out)
{
    MW_TRY(mw_plan_read_text(ctx, arena, "input", text, size, file));
    file->digest = file->computed;
    return print(ctx, file, out);
}

static mw_status judge(mw_ctx *ctx, mw_arena *arena, mw_plan_file *file)
{
    mw_machine machine;
    mw_plan_verdict verdict;
    MW_TRY(
        mw_machine_parse(ctx, arena, "machine", file->info.machine, &machine));
    mw_costs costs = mw_machine_costs(&machine);
    return mw_plan_check(ctx, file, &costs, &verdict);
}

static mw_status twice(mw_ctx *ctx, mw_arena *arena, const uint8_t *data,
                       size_t size, mw_text out[2])
{
    mw_plan_file first, second;
    MW_TRY(
        read_and_print(ctx, arena, (const char *)data, size, &first, &out[0]));
    if (read_and_print(ctx, arena, out[0].data, out[0].length, &second,
                       &out[1]) != MW_OK ||
        strcmp(out[0].data, out[1].data) != 0) {
        mw_ctx_clear(ctx);
        return mw_fail(ctx, MW_EBUG, "a restored plan prints otherwise");
    }
    return judge(ctx, arena, &first);
}

static mw_status run(mw_ctx *ctx, const uint8_t *data, size_t size)
{
    mw_arena arena;
    mw_text out[2];
    mw_arena_init(&arena, ctx);
    mw_text_init(&out[0], ctx);
    mw_text_init(&out[1], ctx);
    mw_status status = twice(ctx, &arena, data, size, out);
    mw_text_free(&out[1]);
    mw_text_free(&out[0]);
    mw_arena_free(&arena);
    return status;
}

const mw_fuzz_def mw_fuzz_plan = {"plan", run};
