/* bench_auto_mtf.c - the least peak of global layouts beside what auto_mtf
 * found: a line for each case file and mesh. Status 1 when a peak is higher
 * than the other's or is not proven. */
#include <stdio.h>

#include "bench/live_case.h"

static const double limit_s = 60;

// A line of the table; *worse: no proof, or a higher peak.
static mw_status put_line(mw_arena *arena, const mw_live_case *from,
                          const mw_live_other *other, bool *worse)
{
    mw_deadline deadline = mw_deadline_in(limit_s);
    mw_live_rule rule;
    double begin_s = mw_clock_s();
    MW_TRY(mw_live_rule_find(arena->ctx, arena, &from->graph, &other->mesh,
                             true, &deadline, &rule));
    double time_s = mw_clock_s() - begin_s;
    char *text = mw_live_case_rule(arena, from, &other->mesh, rule.axes);
    if (!text)
        return MW_ENOMEM;
    bool higher = other->found && rule.peak_bytes > other->peak_bytes;
    *worse = *worse || higher || !rule.proven;
    (void)printf("%s\t%s\t%lld\t%s\t%.6f\t", from->name, other->text,
                 (long long)rule.peak_bytes,
                 rule.proven ? "optimal" : "feasible", time_s);
    if (other->found)
        (void)printf("%lld\t%.6f", (long long)other->peak_bytes, other->time_s);
    else
        (void)printf("-\t-");
    (void)printf("\t%s\n", text);
    return MW_OK;
}

static mw_status bench(mw_ctx *ctx, const char *path, bool *worse)
{
    mw_arena arena;
    mw_live_case from;
    mw_arena_init(&arena, ctx);
    mw_status status = mw_live_case_read(&arena, path, &from);
    for (int i = 0; status == MW_OK && i < from.n_others; i++)
        status = put_line(&arena, &from, &from.other[i], worse);
    mw_arena_free(&arena);
    return status;
}

int main(int argc, char *argv[])
{
    mw_ctx ctx;
    bool worse = false;
    mw_ctx_init(&ctx);
    if (argc < 2) {
        (void)fputs("usage: bench_auto_mtf CASE.json...\n", stderr);
        return 2;
    }
    (void)puts("case\tmesh\tpeak_bytes\tstatus\ttime_s\tauto_mtf_peak_bytes\t"
               "auto_mtf_time_s\tlayout");
    for (int i = 1; i < argc; i++) {
        mw_status status = bench(&ctx, argv[i], &worse);
        if (status == MW_OK)
            continue;
        (void)fprintf(stderr, "bench_auto_mtf: %s%s%s\n", ctx.where,
                      ctx.where[0] ? ": " : "", ctx.message);
        mw_ctx_free(&ctx);
        return mw_status_exit(status);
    }
    mw_ctx_free(&ctx);
    return worse ? 1 : 0;
}
