/*
 * plan_check.c - the judge: the plan is made anew from the file's choices,
 * written as a document, and compared with the file value by value.
 */
#include "ir/plan_json.h"

#include <stdio.h>
#include <string.h>

typedef struct checker {
    mw_ctx *ctx;
    mw_plan_file *file;
    const mw_costs *costs;
    mw_resharder *resharder;
    mw_plan_verdict *verdict;
} checker;

static mw_status add_difference(checker *c, const char *path, const char *found,
                                const char *wanted)
{
    mw_plan_verdict *v = c->verdict;
    mw_arena *arena = c->file->arena;
    v->difference =
        mw_arena_reserve(arena, v->difference, v->n_differences,
                         &v->cap_differences, sizeof *v->difference);
    if (!v->difference)
        return MW_ENOMEM;
    mw_plan_difference d = {.path = mw_arena_text(arena, path),
                            .found = mw_arena_text(arena, found),
                            .wanted = mw_arena_text(arena, wanted)};
    if (!d.path || !d.found || !d.wanted)
        return MW_ENOMEM;
    v->difference[v->n_differences++] = d;
    return MW_OK;
}

/* ---- comparing documents ---- */

enum { SHOWN = 60 };

// A value as one short line.
static mw_status show(checker *c, const mw_json *json, char text[SHOWN + 8])
{
    mw_text all;
    mw_text_init(&all, c->ctx);
    if (json)
        mw_json_canonical(&all, json, NULL);
    else
        mw_text_add(&all, "nothing");
    mw_status status = mw_text_status(&all);
    if (status == MW_OK)
        (void)snprintf(text, SHOWN + 8, "%.*s%s", SHOWN, all.data,
                       all.length > SHOWN ? "..." : "");
    mw_text_free(&all);
    return status;
}

static mw_status differ(checker *c, const char *path, const mw_json *found,
                        const mw_json *wanted)
{
    char have[SHOWN + 8], want[SHOWN + 8];
    MW_TRY(show(c, found, have));
    MW_TRY(show(c, wanted, want));
    return add_difference(c, path, have, want);
}

static bool is_number(const mw_json *json)
{
    return json->kind == MW_JSON_INT || json->kind == MW_JSON_REAL;
}

// Equal as values: integers exactly, reals to the last bit.
static bool same_scalar(const mw_json *a, const mw_json *b)
{
    if (is_number(a) && is_number(b) && a->kind != b->kind) {
        const mw_json *real = a->kind == MW_JSON_REAL ? a : b;
        const mw_json *integer = a->kind == MW_JSON_REAL ? b : a;
        double value = (double)integer->u.integer;
        return !(value < real->u.real) && !(value > real->u.real);
    }
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case MW_JSON_BOOL:
        return a->u.truth == b->u.truth;
    case MW_JSON_INT:
        return a->u.integer == b->u.integer;
    case MW_JSON_REAL:
        return !(a->u.real < b->u.real) && !(a->u.real > b->u.real);
    case MW_JSON_TEXT:
        return strcmp(a->u.text, b->u.text) == 0;
    default:
        return true;
    }
}

// What may differ: not made anew, or what all else is compared against.
static bool is_free(const char *path)
{
    return strcmp(path, "timing") == 0 || strcmp(path, "digest") == 0;
}

static mw_status compare(checker *c, const char *path, const mw_json *found,
                         const mw_json *wanted);

static mw_status compare_members(checker *c, const char *path,
                                 const mw_json *found, const mw_json *wanted)
{
    for (int64_t i = 0; i < wanted->n; i++) {
        const mw_json *item = &wanted->u.item[i];
        char *below = mw_arena_format(c->file->arena, "%s%s%s", path,
                                      *path ? "." : "", item->key);
        if (!below)
            return MW_ENOMEM;
        if (!is_free(below))
            MW_TRY(compare(c, below, mw_json_find(found, item->key), item));
    }
    return MW_OK;
}

static mw_status compare_items(checker *c, const char *path,
                               const mw_json *found, const mw_json *wanted)
{
    if (found->n != wanted->n)
        return differ(c, path, found, wanted);
    for (int64_t i = 0; i < wanted->n; i++) {
        char *below =
            mw_arena_format(c->file->arena, "%s[%lld]", path, (long long)i);
        if (!below)
            return MW_ENOMEM;
        MW_TRY(compare(c, below, &found->u.item[i], &wanted->u.item[i]));
    }
    return MW_OK;
}

// Members that only the file has are ignored, as every reader does.
static mw_status compare(checker *c, const char *path, const mw_json *found,
                         const mw_json *wanted)
{
    if (!found)
        return differ(c, path, found, wanted);
    if (wanted->kind == MW_JSON_OBJECT && found->kind == MW_JSON_OBJECT)
        return compare_members(c, path, found, wanted);
    if (wanted->kind == MW_JSON_ARRAY && found->kind == MW_JSON_ARRAY)
        return compare_items(c, path, found, wanted);
    c->verdict->n_values++;
    return same_scalar(found, wanted) ? MW_OK : differ(c, path, found, wanted);
}

/* ---- making anew ---- */

// An illegal choice is a finding, not the end: what it said is the difference.
static mw_status build(checker *c, const char *path, const mw_choices *choices,
                       mw_plan *plan, bool *built)
{
    mw_status status =
        mw_plan_build(c->file->arena, &c->file->graph, c->resharder, c->costs,
                      choices, true, plan);
    *built = status == MW_OK;
    if (status != MW_EINPUT)
        return status;
    char *message = mw_arena_text(c->file->arena, c->ctx->message);
    if (!message)
        return MW_ENOMEM;
    mw_ctx_clear(c->ctx);
    return add_difference(c, path, message, "a legal choice");
}

// Rows with the figures that follow from their choices.
static mw_status rebuild_rows(checker *c, const char *list,
                              const mw_plan_row *row, int n,
                              const mw_plan_row **rows)
{
    mw_plan_row *made = MW_NEW_ARRAY(c->file->arena, n + 1, mw_plan_row);
    if (!made)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        mw_plan plan;
        bool built;
        char path[48];
        made[i] = row[i];
        if (!made[i].choices)
            continue;
        (void)snprintf(path, sizeof path, "%s[%d].choices", list, i);
        MW_TRY(build(c, path, made[i].choices, &plan, &built));
        if (!built)
            continue;
        made[i].has_figures = true;
        made[i].time_ps = plan.time_ps;
        made[i].comm_ps = plan.comm_ps;
        made[i].peak_bytes = plan.peak_bytes;
        c->verdict->n_rows++;
    }
    *rows = made;
    return MW_OK;
}

static mw_status check_limit(checker *c, const mw_plan *plan)
{
    const mw_plan_info *info = &c->file->info;
    int64_t need = plan->peak_bytes + info->overhead_bytes;
    char found[64], wanted[64];
    if (info->memory_limit_bytes == 0 || need <= info->memory_limit_bytes)
        return MW_OK;
    (void)snprintf(found, sizeof found, "%lld", (long long)need);
    (void)snprintf(wanted, sizeof wanted, "at most %lld",
                   (long long)info->memory_limit_bytes);
    return add_difference(c, "predicted.peak_with_overhead_bytes", found,
                          wanted);
}

/* ---- what the search says of itself ---- */

static bool one_of(const char *word, const char *const list[])
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

static mw_status check_words(checker *c)
{
    static const char *const scopes[] = {"tensor", "global", NULL};
    static const char *const statuses[] = {"optimal", "feasible", NULL};
    static const char *const proofs[] = {"exact", "tolerance", "none", NULL};
    const mw_plan_info *info = &c->file->info;
    if (!one_of(info->scope, scopes))
        MW_TRY(add_difference(c, "scope", info->scope, "tensor or global"));
    if (!one_of(info->status, statuses))
        MW_TRY(add_difference(c, "status", info->status,
                              "optimal or feasible, of a plan"));
    if (info->proof && !one_of(info->proof, proofs))
        MW_TRY(add_difference(c, "proof", info->proof, "exact or tolerance"));
    return MW_OK;
}

static mw_status add_order(checker *c, const char *path, int64_t found,
                           const char *wanted_than, int64_t wanted)
{
    char have[32], want[64];
    (void)snprintf(have, sizeof have, "%lld", (long long)found);
    (void)snprintf(want, sizeof want, "%s %lld", wanted_than,
                   (long long)wanted);
    return add_difference(c, path, have, want);
}

// A row's bound is at most its time, and an optimum is its bound.
static mw_status check_row_bound(checker *c, const char *list, int i,
                                 const mw_plan_row *row)
{
    char path[64];
    if (!row->has_figures || !row->has_bound)
        return MW_OK;
    (void)snprintf(path, sizeof path, "%s[%d].lower_bound_s", list, i);
    if (row->bound > row->time_ps)
        return add_order(c, path, row->bound, "at most", row->time_ps);
    if (strcmp(row->status, "optimal") == 0 && row->bound < row->time_ps)
        return add_order(c, path, row->bound, "the optimum,", row->time_ps);
    return MW_OK;
}

// Each point takes less memory and more time than the one before.
static mw_status check_pareto(checker *c, const mw_plan_row *point)
{
    for (int i = 0; i < c->file->info.n_pareto; i++) {
        char path[48];
        MW_TRY(check_row_bound(c, "pareto", i, &point[i]));
        (void)snprintf(path, sizeof path, "pareto[%d]", i);
        if (i > 0 && point[i].time_ps <= point[i - 1].time_ps)
            MW_TRY(add_order(c, path, point[i].time_ps, "more time than",
                             point[i - 1].time_ps));
        if (i > 0 && point[i].peak_bytes >= point[i - 1].peak_bytes)
            MW_TRY(add_order(c, path, point[i].peak_bytes, "less memory than",
                             point[i - 1].peak_bytes));
    }
    return MW_OK;
}

// A bound is at most what was found, here and in every row that the search
// found; the optimum is the bound; and rows are best first.
static mw_status check_claims(checker *c, const mw_plan *plan,
                              const mw_plan_row *row)
{
    const mw_plan_info *info = &c->file->info;
    bool peak = strcmp(info->objective, "peak") == 0;
    const char *bound = peak ? "lower_bound_bytes" : "lower_bound_s";
    int64_t cost = peak ? plan->live_peak_bytes : plan->time_ps, last = 0;
    MW_TRY(check_words(c));
    if (info->has_bound && info->bound > cost)
        MW_TRY(add_order(c, bound, info->bound, "at most", cost));
    if (strcmp(info->status, "optimal") == 0 &&
        (!info->has_bound || info->bound < cost))
        MW_TRY(add_difference(c, "status", info->status,
                              "feasible: the bound is not reached"));
    for (int i = 0; i < info->n_rows; i++) {
        char path[48];
        int64_t value = peak ? row[i].peak_bytes : row[i].time_ps;
        if (!row[i].has_figures || strcmp(row[i].status, "infeasible") == 0)
            continue;
        (void)snprintf(path, sizeof path, "ranking[%d]", i);
        MW_TRY(check_row_bound(c, "ranking", i, &row[i]));
        if (value < last)
            MW_TRY(add_order(c, path, value, "best first, at least", last));
        if (info->has_bound && row[i].choices && !row[i].baseline &&
            value < info->bound)
            MW_TRY(add_order(c, bound, info->bound, "at most", value));
        last = value;
    }
    return MW_OK;
}

// A row that is to be had is within the limit; one that is not says why.
static mw_status check_row_fit(checker *c, int i, const mw_plan_row *row)
{
    const mw_plan_info *info = &c->file->info;
    int64_t room = info->memory_limit_bytes - info->overhead_bytes;
    bool infeasible = strcmp(row->status, "infeasible") == 0;
    char path[48];
    (void)snprintf(path, sizeof path, "ranking[%d].status", i);
    if (infeasible && !row->reason)
        return add_difference(c, path, row->status, "a reason");
    if (!infeasible && row->reason)
        return add_difference(c, path, row->status,
                              "infeasible: it has a reason");
    if (!infeasible && row->has_figures && info->memory_limit_bytes > 0 &&
        row->peak_bytes > room)
        return add_order(c, path, row->peak_bytes, "within the limit, at most",
                         room);
    return MW_OK;
}

// Names are distinct, and the plan itself is a row.
static mw_status check_names(checker *c, const mw_plan *plan,
                             const mw_plan_row *row)
{
    int n = c->file->info.n_rows;
    bool found = false;
    for (int i = 0; i < n; i++) {
        char path[48];
        MW_TRY(check_row_fit(c, i, &row[i]));
        found =
            found || (row[i].has_figures && row[i].time_ps == plan->time_ps &&
                      row[i].peak_bytes == plan->peak_bytes);
        (void)snprintf(path, sizeof path, "ranking[%d].name", i);
        for (int j = 0; j < i; j++) {
            if (strcmp(row[i].name, row[j].name) == 0)
                MW_TRY(add_difference(c, path, row[i].name,
                                      "a name that no other row has"));
        }
    }
    return found
               ? MW_OK
               : add_difference(c, "ranking", "no row with the plan's figures",
                                "one at least");
}

static mw_status compare_with(checker *c, const mw_plan *plan)
{
    mw_plan_info info = c->file->info;
    mw_text text;
    const mw_json *wanted;
    MW_TRY(rebuild_rows(c, "ranking", info.row, info.n_rows, &info.row));
    MW_TRY(check_claims(c, plan, info.row));
    MW_TRY(check_names(c, plan, info.row));
    if (info.pareto) {
        MW_TRY(rebuild_rows(c, "pareto", info.pareto, info.n_pareto,
                            &info.pareto));
        MW_TRY(check_pareto(c, info.pareto));
    }
    mw_text_init(&text, c->ctx);
    mw_status status = mw_plan_write(c->ctx, plan, &info, &text);
    if (status == MW_OK)
        status = mw_json_parse(c->file->arena, "plan made anew", text.data,
                               text.length, &wanted);
    mw_text_free(&text);
    return status == MW_OK ? compare(c, "", c->file->json, wanted) : status;
}

mw_status mw_plan_check(mw_ctx *ctx, mw_plan_file *file, const mw_costs *costs,
                        mw_plan_verdict *verdict)
{
    mw_plan_verdict result = {0};
    checker c = {.ctx = ctx, .file = file, .costs = costs, .verdict = &result};
    mw_plan plan;
    bool built;
    MW_TRY(
        mw_resharder_open(ctx, file->arena, &file->mesh, costs, &c.resharder));
    if (strcmp(file->digest, file->computed) != 0)
        MW_TRY(add_difference(&c, "digest", file->digest, file->computed));
    MW_TRY(build(&c, "choices", &file->choices, &plan, &built));
    if (built) {
        MW_TRY(compare_with(&c, &plan));
        MW_TRY(check_limit(&c, &plan));
    }
    *verdict = result;
    return MW_OK;
}
