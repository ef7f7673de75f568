/* text.c - the ranking for people: what each layout costs and splits, then how
 * the chosen one lays out the stored tensors. */
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static void add_seconds(mw_text *text, int64_t ps, int width)
{
    char units[MW_UNITS_MAX];
    mw_text_format(text, "  %*s", width,
                   mw_seconds_text((double)ps * 1e-12, units));
}

static void add_bytes(mw_text *text, int64_t bytes, int width)
{
    char units[MW_UNITS_MAX];
    mw_text_format(text, "  %*s", width, mw_bytes_text(bytes, units));
}

static int name_width(const mw_report *report)
{
    size_t width = strlen("layout");
    for (int i = 0; i < report->ranking->n_rows; i++) {
        size_t n = strlen(report->ranking->row[i]->name);
        width = n > width ? n : width;
    }
    return (int)width;
}

// How many processors, and how well they are used.
static void add_count(const mw_ranked *row, mw_text *text)
{
    double percent = 100 * mw_report_efficiency(row);
    mw_text_format(text, "  %6lld", (long long)mw_mesh_ranks(&row->mesh));
    if (percent > 0)
        mw_text_format(text, "  %4.0f %%", percent);
    else
        mw_text_format(text, "  %6s", "-");
}

static void add_row(const mw_report *report, int i, int width, mw_text *text)
{
    const mw_ranked *row = report->ranking->row[i];
    mw_text_format(text, "%4d%c %-*s", i + 1, row == report->chosen ? '*' : ' ',
                   width, row->name);
    if (report->counts)
        add_count(row, text);
    if (!row->planned) {
        mw_text_format(text, "  %9s  %6s  %9s  %9s  %9s  none: %s\n", "-", "-",
                       "-", "-", "-", row->reason);
        return;
    }
    const mw_plan *plan = &row->plan;
    int64_t best = report->ranking->best->plan.time_ps;
    add_seconds(text, plan->time_ps, 9);
    mw_text_format(text, "  %6.2f",
                   (double)plan->time_ps / (double)(best > 0 ? best : 1));
    add_seconds(text, plan->comm_ps, 9);
    add_bytes(text, plan->peak_bytes, 9);
    add_bytes(text, plan->bytes_sent, 9);
    mw_text_format(text, "  %s", row->rule);
    if (row->idle[0])
        mw_text_format(text, " (idle: %s)", row->idle);
    if (row->reason)
        mw_text_format(text, "; not to be had: %s", row->reason);
    else if (!row->baseline && row->status != MW_SOLVE_OPTIMAL)
        mw_text_format(text, "; not proved, within %.3g %%",
                       100 * mw_report_gap(report, row));
    mw_text_add_char(text, '\n');
}

static void add_largest(const mw_plan_largest_size *largest, mw_text *text)
{
    mw_text_format(text, "largest %s that fits: %lld; ", largest->dim,
                   (long long)largest->size);
    if (largest->next == 0)
        mw_text_add(text, "no larger one was proved not to\n");
    else if (largest->refused)
        mw_text_format(text, "the model takes no %lld: %s\n",
                       (long long)largest->next, largest->refused);
    else
        mw_text_format(text, "%lld does not, proven\n",
                       (long long)largest->next);
}

static mw_status add_head(const mw_report *report, mw_text *text)
{
    const mw_ranked *chosen = report->chosen;
    char units[MW_UNITS_MAX];
    char *mesh = mw_report_mesh(report->arena, &chosen->mesh);
    char *status = mw_report_status(report->arena, report);
    if (!mesh || !status)
        return MW_ENOMEM;
    mw_text_format(text, "%s on %s (%lld processors, machine %s)\n",
                   report->graph->name, mesh,
                   (long long)mw_mesh_ranks(&chosen->mesh), report->machine);
    mw_text_format(text, "scope %s, least %s: %s, found in %.2f s\n",
                   report->info->scope, report->info->objective, status,
                   report->search_s);
    if (report->info->memory_limit_bytes > 0) {
        mw_text_format(text, "memory %s a processor",
                       mw_bytes_text(report->info->memory_limit_bytes, units));
        mw_text_format(text, ", %s of it for libraries\n",
                       mw_bytes_text(report->info->overhead_bytes, units));
    }
    if (report->info->largest)
        add_largest(report->info->largest, text);
    mw_text_add_char(text, '\n');
    return MW_OK;
}

typedef struct weight {
    mw_id tensor;
    int64_t bytes, whole;
} weight;

static int heavier(const void *a, const void *b)
{
    const weight *x = a, *y = b;
    if (x->whole != y->whole)
        return x->whole > y->whole ? -1 : 1;
    return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

static mw_status find_weights(const mw_report *report, weight **weights, int *n)
{
    const mw_graph *graph = report->graph;
    const mw_ranked *chosen = report->chosen;
    weight *all = MW_NEW_ARRAY(report->arena, graph->n_tensors + 1, weight);
    if (!all)
        return MW_ENOMEM;
    *n = 0;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (tensor->root != t ||
            (!mw_role_persists(tensor->role) && tensor->role != MW_ROLE_CONST))
            continue;
        all[(*n)++] = (weight){
            t, mw_layout_bytes(&chosen->mesh, &chosen->choices.home[t], tensor),
            mw_tensor_bytes(tensor)};
    }
    qsort(all, (size_t)*n, sizeof *all, heavier);
    *weights = all;
    return MW_OK;
}

enum { SHOWN = 24 };

static mw_status add_weight(const mw_report *report, const weight *w, int width,
                            mw_text *text)
{
    const mw_tensor *tensor = &report->graph->tensor[w->tensor];
    char *layout = mw_layout_text(report->arena, report->graph, tensor,
                                  &report->chosen->mesh,
                                  &report->chosen->choices.home[w->tensor]);
    if (!layout)
        return MW_ENOMEM;
    mw_text_format(text, "  %-*s", width, tensor->name);
    add_bytes(text, w->bytes, 9);
    mw_text_add(text, w->bytes == w->whole ? "  whole" : "  of");
    if (w->bytes != w->whole)
        add_bytes(text, w->whole, 0);
    mw_text_format(text, "  %s\n", layout);
    return MW_OK;
}

// The largest stored tensors one by one, then the rest together.
static mw_status add_weights(const mw_report *report, mw_text *text)
{
    weight *all;
    int n, width = 0;
    int64_t rest = 0, rest_whole = 0;
    MW_TRY(find_weights(report, &all, &n));
    for (int i = 0; i < n && i < SHOWN; i++) {
        int length = (int)strlen(report->graph->tensor[all[i].tensor].name);
        width = length > width ? length : width;
    }
    if (n > 0)
        mw_text_format(text, "\nStored tensors of '%s', bytes a processor:\n",
                       report->chosen->name);
    for (int i = 0; i < n; i++) {
        if (i < SHOWN) {
            MW_TRY(add_weight(report, &all[i], width, text));
            continue;
        }
        rest += all[i].bytes;
        rest_whole += all[i].whole;
    }
    if (n > SHOWN) {
        mw_text_format(text, "  and %d smaller ones", n - SHOWN);
        add_bytes(text, rest, 0);
        mw_text_add(text, "  of");
        add_bytes(text, rest_whole, 0);
        mw_text_add_char(text, '\n');
    }
    return MW_OK;
}

// Time against memory, a line a point.
static mw_status add_front(const mw_report *report, mw_text *text)
{
    const mw_ranking *ranking = report->ranking;
    if (ranking->n_front == 0)
        return MW_OK;
    mw_text_format(text,
                   "\nTime against memory, %s:\n%9s  %9s  %9s  %-8s  %s\n",
                   ranking->front_whole ? "no layout between these is better"
                                        : "others may lie between these",
                   "peak", "time", "sent", "mesh", "splits");
    for (int i = 0; i < ranking->n_front; i++) {
        const mw_ranked *row = ranking->front[i];
        char *mesh = mw_report_mesh(report->arena, &row->mesh);
        char peak[MW_UNITS_MAX];
        if (!mesh)
            return MW_ENOMEM;
        mw_text_format(text, "%9s", mw_bytes_text(row->plan.peak_bytes, peak));
        add_seconds(text, row->plan.time_ps, 9);
        add_bytes(text, row->plan.bytes_sent, 9);
        mw_text_format(text, "  %-8s  %s", mesh, row->rule);
        if (row->status != MW_SOLVE_OPTIMAL)
            mw_text_format(text, "; not proved, within %.3g %%",
                           100 * mw_report_gap(report, row));
        mw_text_add_char(text, '\n');
    }
    return MW_OK;
}

// What the sums above leave out.
static void add_replay(const mw_plan *plan, mw_text *text)
{
    char replay[MW_UNITS_MAX];
    if (plan->replay_ps < plan->time_ps)
        mw_text_format(
            text,
            "  its step takes %s, as reductions go on beside other "
            "ops\n",
            mw_seconds_text((double)plan->replay_ps * 1e-12, replay));
}

static mw_status write_text(mw_ctx *ctx, const mw_report *report, mw_text *text)
{
    (void)ctx;
    int width = name_width(report);
    MW_TRY(add_head(report, text));
    mw_text_format(text, "%4s  %-*s", "rank", width,
                   report->counts ? "mesh" : "layout");
    if (report->counts)
        mw_text_format(text, "  %6s  %6s", "procs", "effic.");
    mw_text_format(text, "  %9s  %6s  %9s  %9s  %9s  %s\n", "time", "x best",
                   "comm", "peak", "sent", "splits");
    for (int i = 0; i < report->ranking->n_rows; i++)
        add_row(report, i, width, text);
    mw_text_format(text,
                   "* the plan written; time and comm of the rank that has "
                   "most to do, sent by the one\n  that sends most\n");
    add_replay(&report->chosen->plan, text);
    MW_TRY(add_front(report, text));
    MW_TRY(add_weights(report, text));
    return mw_text_status(text);
}

const mw_format_def mw_format_text = {
    .name = "text",
    .brief = "the ranking for people",
    .write = write_text,
};
