/* verify_report.c - objects from ranks, rows for people. */
#include "cli/verify_report.h"

#include <stdio.h>
#include <string.h>

#include "runtime/launch.h"

mw_status mw_verify_wishes_read(mw_ctx *ctx, const mw_args *args, int ranks,
                                mw_verify_wishes *wish)
{
    static const double bounds[2] = {0, 1e300};
    static const int64_t counts[2] = {1, MW_JOB_THREADS_MAX},
                         seeds[2] = {0, INT64_MAX};
    int64_t usual = mw_job_threads(mw_job_local(ranks)), threads, seed;
    MW_TRY(mw_args_int(ctx, args, "threads", counts, usual, &threads));
    MW_TRY(mw_args_int(ctx, args, "seed", seeds, 0, &seed));
    // an op alone is held tighter than what stands at the end of many
    double tight = mw_args_has(args, "all-strategies") ? 0.1 : 1;
    MW_TRY(mw_args_real(ctx, args, "rtol", bounds, 1e-3 * tight,
                        &wish->tolerance.rtol));
    MW_TRY(mw_args_real(ctx, args, "atol", bounds, 1e-4 * tight,
                        &wish->tolerance.atol));
    wish->threads = (int)threads;
    wish->seed = (uint64_t)seed;
    return MW_OK;
}

mw_status mw_verify_sum(mw_team *team, const mw_verify_report *report,
                        mw_verify_totals *totals)
{
    int64_t blocks = 0, differ = 0;
    MW_TRY(mw_team_sum(team, report->n_blocks, &blocks));
    MW_TRY(mw_team_sum(team, report->n_differ, &differ));
    *totals = (mw_verify_totals){.n_blocks = blocks, .n_differ = differ};
    return mw_team_max(team, report->worst, &totals->worst);
}

mw_status mw_verify_judge(mw_team *team, const mw_verify_report *report)
{
    mw_status status = MW_OK;
    if (report->n_differ > 0)
        status =
            mw_fail(report->ctx, MW_EDIFFERS, "%s", report->difference->text);
    return mw_team_agree(team, status);
}

static void put_object(mw_json_out *out, const char *mesh,
                       const mw_verify_totals *totals,
                       const mw_verify_report *report)
{
    mw_json_begin_object(out, NULL);
    mw_json_put_text(out, "mesh", mesh);
    mw_json_put_int(out, "ops", report->n_ops);
    mw_json_put_int(out, "checked", report->n_checked);
    mw_json_put_int(out, "offered", report->n_offered);
    mw_json_put_int(out, "partial", report->n_partial);
    mw_json_put_int(out, "blocks", totals->n_blocks);
    mw_json_put_int(out, "differ", totals->n_differ);
    mw_json_put_real(out, "error_of_tolerated", totals->worst);
    mw_json_begin_array(out, "not_offered");
    for (const mw_verify_note *n = report->refusal; n; n = n->next)
        mw_json_put_text(out, NULL, n->text);
    mw_json_end(out);
    mw_json_begin_array(out, "different");
    for (const mw_verify_note *n = report->difference; n; n = n->next)
        mw_json_put_text(out, NULL, n->text);
    mw_json_end(out);
    mw_json_end(out);
}

/* A row in numbers. */
typedef struct row {
    const char *mesh;
    int64_t ops, checked, offered, partial, blocks, differ;
    double worst;
} row;

static void print_head(mw_output format)
{
    if (format == MW_OUTPUT_CSV)
        printf("mesh,ops,checked,offered,partial,blocks,differ,"
               "error_of_tolerated\n");
    else
        printf("%-8s%6s%10s / %-10s%9s%10s%8s%10s\n", "mesh", "ops", "checked",
               "offered", "partial", "blocks", "differ", "of bound");
}

static void print_row(mw_output format, const row *r)
{
    bool csv = format == MW_OUTPUT_CSV;
    const long long count[] = {r->ops,     r->checked, r->offered,
                               r->partial, r->blocks,  r->differ};
    static const int width[] = {6, 10, -10, 9, 10, 8};
    printf(csv ? "%s" : "%-8s", r->mesh);
    for (int i = 0; i < 6; i++) {
        if (csv)
            printf(",%lld", count[i]);
        else
            printf(i == 2 ? " / %*lld" : "%*lld", width[i], count[i]);
    }
    printf(csv ? ",%.3g\n" : "%10.3g\n", r->worst);
}

mw_status mw_verify_print(mw_ctx *ctx, mw_output format, const char *mesh,
                          const mw_verify_totals *totals,
                          const mw_verify_report *report)
{
    mw_text text;
    mw_text_init(&text, ctx);
    mw_json_out out;
    mw_json_out_init(&out, &text);
    put_object(&out, mesh, totals, report);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK && format == MW_OUTPUT_JSON)
        (void)fputs(text.data, stdout);
    if (status == MW_OK && format != MW_OUTPUT_JSON) {
        mw_verify_table table;
        mw_verify_table_init(&table, ctx, format);
        status = mw_verify_table_add(&table, text.data);
        mw_verify_table_free(&table);
    }
    mw_text_free(&text);
    return status;
}

/* ---- over meshes ---- */

void mw_verify_table_init(mw_verify_table *table, mw_ctx *ctx, mw_output format)
{
    *table = (mw_verify_table){.ctx = ctx, .format = format};
    mw_arena_init(&table->arena, ctx);
    mw_text_init(&table->text, ctx);
    mw_json_out_init(&table->out, &table->text);
    mw_json_begin_object(&table->out, NULL);
    mw_json_begin_array(&table->out, "meshes");
}

void mw_verify_table_free(mw_verify_table *table)
{
    mw_text_free(&table->text);
    mw_arena_free(&table->arena);
}

static mw_status read_row(mw_ctx *ctx, const mw_json *json, row *r)
{
    MW_TRY(mw_json_get_text(ctx, json, "mesh", &r->mesh));
    MW_TRY(mw_json_get_int(ctx, json, "ops", &r->ops));
    MW_TRY(mw_json_get_int(ctx, json, "checked", &r->checked));
    MW_TRY(mw_json_get_int(ctx, json, "offered", &r->offered));
    MW_TRY(mw_json_get_int(ctx, json, "partial", &r->partial));
    MW_TRY(mw_json_get_int(ctx, json, "blocks", &r->blocks));
    MW_TRY(mw_json_get_int(ctx, json, "differ", &r->differ));
    return mw_json_get_real(ctx, json, "error_of_tolerated", &r->worst);
}

static mw_status print_notes(mw_ctx *ctx, const mw_json *json, const char *key,
                             const char *what)
{
    const mw_json *list;
    MW_TRY(mw_json_get_array(ctx, json, key, &list));
    for (int64_t i = 0; i < list->n; i++) {
        const char *text;
        MW_TRY(mw_json_text(ctx, &list->u.item[i], &text));
        printf("  %s: %s\n", what, text);
    }
    return MW_OK;
}

mw_status mw_verify_table_add(mw_verify_table *table, const char *json)
{
    mw_ctx *ctx = table->ctx;
    const mw_json *root, *refused;
    row r;
    MW_TRY(mw_json_parse(&table->arena, "the ranks' answer", json, strlen(json),
                         &root));
    MW_TRY(read_row(ctx, root, &r));
    MW_TRY(mw_json_get_array(ctx, root, "not_offered", &refused));
    table->n_checked += r.checked;
    table->n_offered += r.offered;
    table->n_refused += refused->n;
    mw_json_put(&table->out, NULL, root);
    if (table->format == MW_OUTPUT_JSON)
        return MW_OK;
    if (table->n_rows++ == 0)
        print_head(table->format);
    print_row(table->format, &r);
    if (table->format == MW_OUTPUT_CSV)
        return MW_OK;
    MW_TRY(print_notes(ctx, root, "not_offered", "not offered"));
    return print_notes(ctx, root, "different", "different");
}

mw_status mw_verify_table_end(mw_verify_table *table)
{
    mw_json_end(&table->out);
    mw_json_put_int(&table->out, "checked", table->n_checked);
    mw_json_put_int(&table->out, "offered", table->n_offered);
    mw_json_put_int(&table->out, "refused", table->n_refused);
    mw_json_end(&table->out);
    MW_TRY(mw_text_status(&table->text));
    if (table->format == MW_OUTPUT_JSON)
        (void)fputs(table->text.data, stdout);
    if (table->format == MW_OUTPUT_TABLE)
        printf("strategies checked / offered: %lld / %lld\n",
               (long long)table->n_checked, (long long)table->n_offered);
    return MW_OK;
}
