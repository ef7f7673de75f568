/* run_report.c - planned beside measured. */
#include "cli/run_report.h"

#include <stdio.h>

#include "base/units.h"

static mw_status judge_volumes(mw_ctx *ctx, const mw_outcome *got,
                               const mw_plan_file *want)
{
    if (got->n_volumes != want->n_volumes)
        return mw_fail(ctx, MW_EDIFFERS,
                       "%lld collectives were run, planned are %lld",
                       (long long)got->n_volumes, (long long)want->n_volumes);
    for (int64_t i = 0; i < got->n_volumes; i++)
        if (got->volume[i] != want->volume[i].bytes)
            return mw_fail(ctx, MW_EDIFFERS,
                           "%s: the most that a rank sent is %lld bytes, "
                           "planned are %lld",
                           want->volume[i].path, (long long)got->volume[i],
                           (long long)want->volume[i].bytes);
    return MW_OK;
}

mw_status mw_run_judge(mw_ctx *ctx, const mw_run_report *report)
{
    const mw_outcome *got = report->outcome;
    const mw_plan_file *want = report->file;
    mw_ctx_at(ctx, "%s", want->name);
    if (report->expected && report->compared.n_differ > 0)
        return mw_fail(ctx, MW_EDIFFERS,
                       "%lld of %lld elements of the outputs differ, the first "
                       "is %.9g, wanted %.9g",
                       (long long)report->compared.n_differ,
                       (long long)report->compared.n_elements,
                       report->compared.got, report->compared.want);
    for (int r = 0; r < report->ranks; r++)
        if (got->bytes_by_rank[r] != want->bytes_by_rank[r])
            return mw_fail(ctx, MW_EDIFFERS,
                           "rank %d sent %lld bytes, planned are %lld", r,
                           (long long)got->bytes_by_rank[r],
                           (long long)want->bytes_by_rank[r]);
    if (got->bytes_sent != want->bytes_sent)
        return mw_fail(ctx, MW_EDIFFERS,
                       "the most that a rank sent is %lld bytes, planned are "
                       "%lld",
                       (long long)got->bytes_sent, (long long)want->bytes_sent);
    MW_TRY(judge_volumes(ctx, got, want));
    if (got->peak_bytes != want->peak_bytes)
        return mw_fail(ctx, MW_EDIFFERS,
                       "the arena took %lld bytes, planned are %lld",
                       (long long)got->peak_bytes, (long long)want->peak_bytes);
    mw_ctx_at(ctx, "%s", "");
    return MW_OK;
}

/* ---- JSON ---- */

static void put_bytes(mw_json_out *out, const int64_t bytes[], int n)
{
    mw_json_begin_array_inline(out, "bytes_sent_by_rank");
    for (int r = 0; r < n; r++)
        mw_json_put_int(out, NULL, bytes[r]);
    mw_json_end(out);
}

static void put_figures(mw_json_out *out, const mw_run_report *report)
{
    const mw_outcome *got = report->outcome;
    const mw_plan_file *want = report->file;
    mw_json_begin_object(out, "measured");
    mw_json_put_real(out, "time_s", mw_outcome_median(got));
    mw_json_put_real(out, "time_min_s", got->time_s[0]);
    mw_json_put_real(out, "time_max_s", got->time_s[got->repeats - 1]);
    mw_json_put_int(out, "bytes_sent", got->bytes_sent);
    put_bytes(out, got->bytes_by_rank, report->ranks);
    mw_json_put_int(out, "peak_bytes", got->peak_bytes);
    mw_json_put_real(out, "coreless_s", got->coreless_s);
    mw_json_end(out);
    mw_json_begin_object(out, "predicted");
    mw_json_put_real(out, "time_s", want->time_s);
    mw_json_put_int(out, "bytes_sent", want->bytes_sent);
    put_bytes(out, want->bytes_by_rank, report->ranks);
    mw_json_put_int(out, "peak_bytes", want->peak_bytes);
    mw_json_end(out);
}

static void put_outputs(mw_json_out *out, const mw_graph *graph)
{
    mw_json_begin_object(out, "outputs");
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        int64_t size[MW_MAX_FILE_RANK];
        const mw_tensor *tensor = &graph->tensor[t];
        if (!tensor->output)
            continue;
        int rank = mw_tensor_file_shape(tensor, size);
        mw_json_begin_object_inline(out, tensor->name);
        mw_json_begin_array(out, "shape");
        for (int i = 0; i < rank; i++)
            mw_json_put_int(out, NULL, size[i]);
        mw_json_end(out);
        mw_json_put_text(out, "dtype", mw_dtype_name(tensor->dtype));
        mw_json_end(out);
    }
    mw_json_end(out);
}

static void put_expect(mw_json_out *out, const mw_run_report *report)
{
    if (!report->expected) {
        mw_json_put_null(out, "expect");
        return;
    }
    mw_json_begin_object(out, "expect");
    mw_json_put_bool(out, "passed", report->compared.n_differ == 0);
    mw_json_put_real(out, "max_abs_error", report->compared.max_abs_error);
    mw_json_put_real(out, "max_rel_error", report->compared.max_rel_error);
    mw_json_end(out);
}

static mw_status print_json(mw_ctx *ctx, const mw_run_report *report)
{
    mw_text text;
    mw_json_out out;
    mw_text_init(&text, ctx);
    mw_json_out_init(&out, &text);
    mw_json_begin_object(&out, NULL);
    mw_json_put_int(&out, "ranks", report->ranks);
    mw_json_put_int(&out, "threads", report->threads);
    mw_json_put_bool(&out, "oversubscribed", report->oversubscribed);
    mw_json_put_bool(&out, "yields", report->yields);
    mw_json_put_int(&out, "repeat", report->outcome->repeats);
    put_figures(&out, report);
    put_outputs(&out, &report->file->graph);
    put_expect(&out, report);
    mw_json_end(&out);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        (void)fputs(text.data, stdout);
    mw_text_free(&text);
    return status;
}

/* ---- tables ---- */

static void print_csv(const mw_run_report *report)
{
    const mw_outcome *got = report->outcome;
    const mw_plan_file *want = report->file;
    printf("figure,planned,measured\n");
    printf("time_s,%.17g,%.17g\n", want->time_s, mw_outcome_median(got));
    printf("bytes_sent,%lld,%lld\n", (long long)want->bytes_sent,
           (long long)got->bytes_sent);
    printf("peak_bytes,%lld,%lld\n", (long long)want->peak_bytes,
           (long long)got->peak_bytes);
    for (int r = 0; r < report->ranks; r++)
        printf("bytes_sent_by_rank_%d,%lld,%lld\n", r,
               (long long)want->bytes_by_rank[r],
               (long long)got->bytes_by_rank[r]);
}

static const char *same(int64_t a, int64_t b)
{
    return a == b ? "equal" : "DIFFERS";
}

static void print_times(const mw_run_report *report)
{
    char planned[MW_UNITS_MAX], median[MW_UNITS_MAX], least[MW_UNITS_MAX],
        most[MW_UNITS_MAX];
    const mw_outcome *got = report->outcome;
    int n = got->repeats;
    printf("time        %14s %14s",
           mw_seconds_text(report->file->time_s, planned),
           mw_seconds_text(mw_outcome_median(got), median));
    if (n > 1)
        printf("  median of %d, %s to %s", n,
               mw_seconds_text(got->time_s[0], least),
               mw_seconds_text(got->time_s[n - 1], most));
    printf("\n");
}

// What it costs that threads are more than cores.
static void print_coreless(const mw_outcome *got)
{
    char text[MW_UNITS_MAX];
    double mean = 0;
    for (int i = 0; i < got->repeats; i++)
        mean += got->time_s[i] / got->repeats;
    printf("no core     %14s %14s  %.0f %% of the time\n", "0 s",
           mw_seconds_text(got->coreless_s, text),
           mean > 0 ? 100 * got->coreless_s / mean : 0);
}

static void print_bytes(const char *what, int64_t want, int64_t got)
{
    char a[MW_UNITS_MAX], b[MW_UNITS_MAX];
    printf("%-11s %14s %14s  %s\n", what, mw_bytes_text(want, a),
           mw_bytes_text(got, b), same(want, got));
}

static void print_table(const mw_run_report *report)
{
    const mw_outcome *got = report->outcome;
    const mw_plan_file *want = report->file;
    printf("%d rank%s, %lld thread%s each%s\n", report->ranks,
           report->ranks == 1 ? "" : "s", (long long)report->threads,
           report->threads == 1 ? "" : "s",
           report->oversubscribed ? ", more than there are cores" : "");
    printf("%-11s %14s %14s\n", "", "planned", "measured");
    print_times(report);
    if (report->oversubscribed)
        print_coreless(got);
    print_bytes("bytes sent", want->bytes_sent, got->bytes_sent);
    for (int r = 0; r < report->ranks && report->ranks > 1; r++) {
        char name[24];
        (void)snprintf(name, sizeof name, "  rank %d", r);
        print_bytes(name, want->bytes_by_rank[r], got->bytes_by_rank[r]);
    }
    print_bytes("memory", want->peak_bytes, got->peak_bytes);
    if (report->expected)
        printf("outputs     %s, largest error %.3g, relative %.3g\n",
               report->compared.n_differ ? "DIFFER" : "as expected",
               report->compared.max_abs_error, report->compared.max_rel_error);
}

mw_status mw_run_print(mw_ctx *ctx, mw_output format,
                       const mw_run_report *report)
{
    if (format == MW_OUTPUT_JSON)
        return print_json(ctx, report);
    if (format == MW_OUTPUT_CSV)
        print_csv(report);
    else
        print_table(report);
    return MW_OK;
}
