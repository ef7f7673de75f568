/* plan_job.c - the search of one mesh, or of all that --mesh stands for. */
#include "cli/plan_job.h"

#include <stdlib.h>

#include "base/progress.h"
#include "base/units.h"
#include "search/rank_mesh.h"

mw_status mw_plan_job_setting(const mw_plan_job *job, mw_arena *arena,
                              const mw_graph *graph, const mw_mesh *mesh,
                              mw_setting **on, mw_search_options *search)
{
    mw_setting *made = MW_NEW(arena, mw_setting);
    if (!made)
        return MW_ENOMEM;
    *made = (mw_setting){.graph = graph, .mesh = mesh, .costs = &job->costs};
    MW_TRY(mw_resharder_open(job->ctx, arena, mesh, &job->costs,
                             &made->resharder));
    *on = made;
    return mw_plan_request_pins(arena, job->args, graph, mesh, &search->space);
}

// One mesh until end_s (0: without an end), in the arena.
static mw_status search_mesh(mw_plan_job *job, mw_arena *arena, int i,
                             double end_s, mw_ranking *ranking)
{
    mw_search_options search = job->request.search;
    mw_setting *on;
    MW_TRY(mw_plan_job_setting(job, arena, &job->graph, &job->request.mesh[i],
                               &on, &search));
    MW_TRY(mw_plan_problem_write(job, on, &search));
    if (job->request.counts)
        search.top = 1;
    search.budget.deadline.end_s = end_s;
    return mw_search(job->ctx, arena, on, &search, ranking);
}

// One of several meshes, in memory of its own: only rows stay.
static mw_status search_apart(mw_plan_job *job, int i, double end_s,
                              mw_ranking *ranking)
{
    mw_arena arena;
    mw_ranking found = {0};
    mw_arena_init(&arena, job->ctx);
    mw_status status = search_mesh(job, &arena, i, end_s, &found);
    if (status == MW_OK)
        status = mw_ranking_keep(job->arena, &job->graph, &found, ranking);
    else
        *ranking = (mw_ranking){.need_bytes = found.need_bytes};
    mw_arena_free(&arena);
    return status;
}

// A mesh and what is known of it.
typedef struct turn {
    int mesh;
    int64_t hint_ps;  /* what a recipe takes on it; INT64_MAX: not known */
    mw_status status; /* of ranking; MW_ERUN: nothing found yet */
    mw_ranking ranking;
    const char *message; /* of its failure */
    double had_s;        /* the time of its last search */
} turn;

// Why no mesh has a plan: that of the mesh that needs the least memory.
typedef struct refusal {
    mw_status status;
    int64_t need_bytes;
    const char *message;
} refusal;

static mw_status note_refusal(mw_plan_job *job, const turn *at,
                              const char *mesh, refusal *why)
{
    bool less = at->ranking.need_bytes < why->need_bytes;
    bool first = why->status == MW_OK;
    if (first || (at->status == MW_EINFEASIBLE && less)) {
        bool several = job->request.n_meshes > 1;
        why->message = mw_arena_format(
            job->arena, "%s%s%s", at->message ? at->message : "",
            several ? "\non mesh " : "", several ? mesh : "");
        why->need_bytes = at->ranking.need_bytes;
        if (!why->message)
            return MW_ENOMEM;
    }
    // That nothing fits is known only if no mesh ran out of time.
    if (first || at->status == MW_ERUN)
        why->status = at->status;
    return MW_OK;
}

// The row of a mesh that has no plan.
static mw_status refused_row(mw_plan_job *job, mw_status status, int i,
                             mw_ranking *ranking)
{
    char need[MW_UNITS_MAX];
    mw_ranked *row = MW_NEW(job->arena, mw_ranked);
    ranking->row = MW_NEW(job->arena, mw_ranked *);
    if (!row || !ranking->row)
        return MW_ENOMEM;
    const char *reason = "not searched in time";
    if (status == MW_EINFEASIBLE)
        reason = mw_arena_format(job->arena, "does not fit: %s would do",
                                 mw_bytes_text(ranking->need_bytes, need));
    *row = (mw_ranked){.name = "best",
                       .rule = "",
                       .idle = "",
                       .reason = reason,
                       .mesh = job->request.mesh[i]};
    ranking->row[0] = row;
    ranking->n_rows = 1;
    return reason ? MW_OK : MW_ENOMEM;
}

static mw_status join(mw_plan_job *job, const char *mesh, mw_ranking *more)
{
    if (!job->request.counts)
        return mw_ranking_join(job->arena, &job->ranking, more,
                               job->request.n_meshes > 1 ? mesh : NULL);
    // Of many processor counts only the best of each mesh.
    if (more->best)
        mw_ranking_only(more);
    more->row[0]->name = mesh;
    return mw_ranking_join(job->arena, &job->ranking, more, NULL);
}

// No plan of any mesh is better than the least bound of all.
static void bound_best(mw_plan_job *job, int64_t bound)
{
    mw_ranking *ranking = &job->ranking;
    for (int i = 0; i < ranking->n_rows; i++) {
        mw_ranked *row = ranking->row[i];
        if (row != ranking->best || bound >= row->bound)
            continue;
        row->bound = bound;
        row->status = MW_SOLVE_FEASIBLE;
    }
}

// Failures that concern one mesh.
static bool concerns_one(mw_status status)
{
    return status == MW_EINFEASIBLE || status == MW_ERUN;
}

// The best row of a mesh; its bound holds whatever is found later.
static mw_ranked *best_of(const mw_ranking *ranking)
{
    for (int i = 0; i < ranking->n_rows; i++) {
        if (ranking->row[i] == ranking->best)
            return ranking->row[i];
    }
    return NULL;
}

// Of two answers for a mesh the better one, with the better bound.
static void take_better(turn *at, const mw_ranking *found)
{
    mw_ranked *old = best_of(&at->ranking), *new = best_of(found);
    if (old && new && !found->by_peak) {
        bool worse = new->plan.time_ps > old->plan.time_ps;
        int64_t bound = old->bound > new->bound ? old->bound : new->bound;
        if (worse && old->bound < bound) {
            old->bound = bound;
            old->proof = new->proof;
        }
        if (worse)
            return;
        if (new->bound < bound) {
            new->bound = bound;
            new->proof = old->proof;
        }
    }
    at->ranking = *found;
}

static mw_status take_turn(mw_plan_job *job, turn *at, double end_s)
{
    mw_ranking found;
    double begin_s = mw_clock_s();
    mw_status status = search_apart(job, at->mesh, end_s, &found);
    if (status != MW_OK && !concerns_one(status))
        return status;
    at->had_s = mw_clock_s() - begin_s;
    // What was there is kept when more time found nothing.
    if (status == MW_ERUN && at->status == MW_OK)
        return MW_OK;
    at->status = status;
    take_better(at, &found);
    return MW_OK;
}

static int by_hint(const void *a, const void *b)
{
    const turn *x = a, *y = b;
    if (x->hint_ps != y->hint_ps)
        return x->hint_ps < y->hint_ps ? -1 : 1;
    return (x->mesh > y->mesh) - (x->mesh < y->mesh);
}

// A glance at every mesh, at the recipes alone, tells which are worth a search
// when there is no time for all.
static mw_status glance(mw_plan_job *job, turn *all, int n)
{
    static const double at_once = 1e-9;
    double now_s = mw_clock_s();
    double end_s = job->request.search.budget.deadline.end_s;
    double stop_s = now_s + (end_s - now_s) / 3;
    for (int i = 0; i < n && mw_clock_s() < stop_s; i++) {
        MW_TRY(take_turn(job, &all[i], at_once));
        if (all[i].status == MW_OK)
            all[i].hint_ps = all[i].ranking.best->plan.time_ps;
        mw_ctx_clear(job->ctx);
    }
    qsort(all, (size_t)n, sizeof *all, by_hint);
    return MW_OK;
}

// When the search of the next of n meshes ends. Of several processor counts
// the first ones may take more than their share.
static double share(const mw_plan_job *job, int n)
{
    enum { AT_MOST = 8 };
    double end_s = job->request.search.budget.deadline.end_s;
    double now_s = mw_clock_s();
    if (job->request.counts && n > AT_MOST)
        n = AT_MOST;
    return end_s > 0 && n > 1 ? now_s + (end_s - now_s) / n + 1e-3 : end_s;
}

// Of all meshes together.
typedef struct outcome {
    refusal why;
    int64_t bound; /* no plan of any takes less */
    bool whole;    /* so is the front */
} outcome;

// The first search of a mesh, when there is time for it.
static mw_status search_turn(mw_plan_job *job, turn *at, int n_left,
                             bool any_found)
{
    mw_deadline end = job->request.search.budget.deadline;
    bool over = mw_stopped(job->ctx) || mw_deadline_over(&end);
    if (over && (any_found || at->status == MW_OK))
        return MW_OK;
    MW_TRY(take_turn(job, at, share(job, n_left)));
    mw_ctx *ctx = job->ctx;
    if (at->status != MW_OK) {
        at->message = mw_arena_format(job->arena, "%s", ctx->message);
        mw_ctx_clear(ctx);
    }
    return at->status != MW_OK && !at->message ? MW_ENOMEM : MW_OK;
}

// What it takes on the best mesh so far; INT64_MAX: nothing is known.
static int64_t least_time(const turn *all, int n)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < n; i++) {
        const mw_ranked *best = all[i].ranking.best;
        if (all[i].status == MW_OK && best && best->plan.time_ps < least)
            least = best->plan.time_ps;
    }
    return least;
}

// The mesh with the least bound of those that may yet have the best plan, and
// how many there are.
static turn *least_open(turn *all, int n, int *n_open)
{
    int64_t least = least_time(all, n);
    turn *open = NULL;
    *n_open = 0;
    for (int i = 0; i < n; i++) {
        const mw_ranked *best = all[i].ranking.best;
        if (all[i].status != MW_OK || !best || best->bound >= least)
            continue;
        ++*n_open;
        if (!open || best->bound < open->ranking.best->bound)
            open = &all[i];
    }
    return open;
}

// What time is left goes to the meshes that may yet have the best plan, as long
// as it is clearly more than they had.
static mw_status search_open(mw_plan_job *job, turn *all, int n)
{
    static const double clearly = 1.5;
    double end_s = job->request.search.budget.deadline.end_s;
    while (end_s > 0 && !mw_stopped(job->ctx)) {
        int n_open;
        double now_s = mw_clock_s();
        turn *at = least_open(all, n, &n_open);
        if (!at || end_s - now_s < clearly * at->had_s)
            return MW_OK;
        double more_s = (end_s - now_s) / n_open;
        if (more_s < clearly * at->had_s)
            more_s = clearly * at->had_s;
        MW_TRY(take_turn(job, at, now_s + more_s));
        mw_ctx_clear(job->ctx);
    }
    return MW_OK;
}

// A mesh's rows among all.
static mw_status join_turn(mw_plan_job *job, turn *at, outcome *all)
{
    char *mesh = mw_report_mesh(job->arena, &job->request.mesh[at->mesh]);
    if (!mesh)
        return MW_ENOMEM;
    if (at->status != MW_OK) {
        MW_TRY(note_refusal(job, at, mesh, &all->why));
        MW_TRY(refused_row(job, at->status, at->mesh, &at->ranking));
    }
    if (at->ranking.best && at->ranking.best->bound < all->bound)
        all->bound = at->ranking.best->bound;
    if (at->status != MW_EINFEASIBLE && !at->ranking.front_whole)
        all->whole = false;
    return join(job, mesh, &at->ranking);
}

static mw_status search_all(mw_plan_job *job)
{
    outcome of = {{MW_OK, INT64_MAX, NULL}, INT64_MAX, true};
    int n = job->request.n_meshes;
    turn *all = MW_NEW_ARRAY(job->arena, n + 1, turn);
    if (!all)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++)
        all[i] = (turn){.mesh = i, .hint_ps = INT64_MAX, .status = MW_ERUN};
    if (job->request.counts && job->request.search.budget.deadline.end_s > 0)
        MW_TRY(glance(job, all, n));
    for (int i = 0; i < n; i++) {
        mw_progress_tell(job->ctx, "searching", i, n);
        MW_TRY(
            search_turn(job, &all[i], n - i, least_time(all, n) < INT64_MAX));
    }
    if (!job->request.search.least_peak && !job->request.search.pareto)
        MW_TRY(search_open(job, all, n));
    for (int i = 0; i < n; i++)
        MW_TRY(join_turn(job, &all[i], &of));
    if (!job->ranking.best)
        return mw_fail(job->ctx, of.why.status, "%s", of.why.message);
    mw_ranking_sort(&job->ranking);
    mw_front_sort(&job->ranking);
    job->ranking.front_whole = of.whole;
    bound_best(job, of.why.status == MW_ERUN ? 0 : of.bound);
    return MW_OK;
}

mw_status mw_plan_job_search(mw_plan_job *job)
{
    if (job->request.n_meshes > 1)
        return search_all(job);
    return search_mesh(job, job->arena, 0,
                       job->request.search.budget.deadline.end_s,
                       &job->ranking);
}

mw_status mw_plan_job_replan(mw_plan_job *job, const mw_ranked *chosen)
{
    mw_search_options search = job->request.search;
    mw_setting *on;
    if (job->request.n_meshes == 1)
        return MW_OK;
    MW_TRY(mw_plan_job_setting(job, job->arena, &job->graph, &chosen->mesh, &on,
                               &search));
    for (int i = 0; i < job->ranking.n_rows; i++) {
        if (job->ranking.row[i] == chosen)
            return mw_ranked_replan(job->arena, on, job->ranking.row[i]);
    }
    return MW_OK;
}
