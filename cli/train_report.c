/* train_report.c - prints steps. */
#include "cli/train_report.h"

#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "base/progress.h"
#include "base/units.h"

enum { LINES = 20 };

static double rate(double amount, const mw_trainer_step *step)
{
    return step->time_s > 0 ? amount / step->time_s : 0;
}

static double share_of_peak(const mw_train_report *report,
                            const mw_trainer_step *step)
{
    return report->peak > 0 ? rate(report->flops, step) / report->peak : 0;
}

static void put_line(mw_text *text, const mw_train_report *report,
                     const mw_trainer_step *step)
{
    mw_json_out out;
    mw_json_out_init(&out, text);
    mw_json_begin_object_inline(&out, NULL);
    mw_json_put_int(&out, "step", step->step);
    mw_json_put_real(&out, "loss", step->loss);
    mw_json_put_real(&out, "time_s", step->time_s);
    mw_json_put_real(&out, "comm_s", step->comm_s);
    mw_json_put_int(&out, "bytes_sent", step->bytes_sent);
    mw_json_put_real(&out, "examples_per_s",
                     rate((double)report->examples, step));
    if (report->tokens > 0)
        mw_json_put_real(&out, "tokens_per_s",
                         rate((double)report->tokens, step));
    mw_json_put_real(&out, "flops_per_s", rate(report->flops, step));
    if (report->peak > 0)
        mw_json_put_real(&out, "peak_share", share_of_peak(report, step));
    if (step->evaluated)
        mw_json_put_real(&out, "eval_loss", step->eval_loss);
    mw_json_end(&out);
}

static mw_status lost(mw_train_report *report, const FILE *file)
{
    int error = errno;
    mw_ctx_at(report->ctx, "%s",
              file == stdout ? "standard output" : report->metrics_path);
    return mw_fail(report->ctx, MW_ERUN, "a step cannot be written: %s",
                   strerror(error));
}

static void write_line(mw_train_report *report, FILE *file,
                       const mw_trainer_step *step)
{
    mw_text text;
    mw_text_init(&text, report->ctx);
    put_line(&text, report, step);
    if (mw_text_status(&text) != MW_OK)
        report->status = MW_ENOMEM;
    else if (fputs(text.data, file) == EOF || fflush(file) != 0)
        report->status = lost(report, file);
    mw_text_free(&text);
}

static void print_csv(mw_train_report *report, const mw_trainer_step *step)
{
    if (report->n_shown++ == 0)
        printf("step,loss,time_s,comm_s,bytes_sent,eval_loss\n");
    printf("%lld,%.17g,%.17g,%.17g,%lld,", (long long)step->step, step->loss,
           step->time_s, step->comm_s, (long long)step->bytes_sent);
    if (step->evaluated)
        printf("%.17g", step->eval_loss);
    printf("\n");
}

static void print_row(mw_train_report *report, const mw_trainer_step *step)
{
    char time[MW_UNITS_MAX], amount[MW_UNITS_MAX];
    bool tokens = report->tokens > 0;
    double amounts = (double)(tokens ? report->tokens : report->examples);
    if (report->n_shown++ == 0)
        printf("%8s  %10s  %10s  %10s  %8s  %8s  %s\n", "step", "loss", "time",
               tokens ? "tokens/s" : "examples/s",
               report->peak > 0 ? "of peak" : "", "comm", "eval loss");
    printf("%8lld  %10.6f  %10s  %10s  ", (long long)step->step, step->loss,
           mw_seconds_text(step->time_s, time),
           mw_count_text(rate(amounts, step), amount));
    if (report->peak > 0)
        printf("%6.1f %%  ", 100 * share_of_peak(report, step));
    else
        printf("%8s  ", "");
    printf("%6.1f %%",
           step->time_s > 0 ? 100 * step->comm_s / step->time_s : 0);
    if (step->evaluated)
        printf("  %.6f", step->eval_loss);
    printf("\n");
}

void mw_train_show(void *arg, const mw_trainer_step *step)
{
    mw_train_report *report = arg;
    int64_t n = report->last - report->first + 1;
    int64_t every = n > LINES ? n / LINES : 1;
    bool due = step->step == report->first || step->step == report->last ||
               step->step % every == 0 || step->evaluated;
    if (report->metrics)
        write_line(report, report->metrics, step);
    if (report->format == MW_OUTPUT_JSON)
        write_line(report, stdout, step);
    else if (report->format == MW_OUTPUT_CSV)
        print_csv(report, step);
    else if (due)
        print_row(report, step);
    (void)fflush(stdout);
    mw_progress_tell(report->ctx, "step", step->step, report->last);
}
