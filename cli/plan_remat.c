/*
 * plan_remat.c - `--remat auto`: layouts and what is computed again are
 * searched together (search/rank_remat.h); the step of that choice is then
 * searched by itself, from the layouts found. What `full` computes again is
 * tried before, so that the answer is never worse. Where there are too many
 * rules for all tensors to be priced one by one, levels of recomputation stand
 * in: the least that fits is found by halving, then it, a level further on and
 * the last one are searched.
 */
#include <string.h>

#include "base/progress.h"
#include "cli/plan_job.h"
#include "ir/train.h"
#include "search/rank_fit.h"
#include "search/rank_remat.h"

enum { MAX_TRIED = 3 };

/* Of one job: a step, and what of it may be computed again. */
typedef struct rematcher {
    const mw_plan_job *job;
    mw_arena *arena; /* of the search alone */
    mw_remat_base base;
    mw_remat remat;
    mw_import_files *step_files;
    /* What has been searched so far. */
    int n_tried, level[MAX_TRIED];
    bool found, many_rules;
    bool open; /* time was up somewhere: that nothing fits is not known */
    mw_plan_job *best;
    mw_import_files *files; /* of the best */
    int64_t need_bytes;     /* the least that would do, where nothing fits */
    const char *refusal;    /* what says so */
} rematcher;

// The step of a base, where groups of maps are made already.
static mw_status read_base(rematcher *r, mw_remat_base base)
{
    mw_graph *step = MW_NEW(r->arena, mw_graph);
    mw_train_options train = *r->job->request.model.train;
    mw_import_options model = r->job->request.model;
    if (!step)
        return MW_ENOMEM;
    mw_import_close(r->step_files);
    r->step_files = NULL;
    r->base = train.base = base;
    model.train = &train;
    mw_warn_forget(r->job->ctx); // of the base before
    MW_TRY(mw_model_read(r->arena, r->job->args->pos[0], &model, step,
                         &r->step_files));
    return mw_remat_plan(r->arena, step, &r->remat);
}

// The job with a choice: options and graph of its own, to which plans point.
static mw_status job_with(const rematcher *r, const bool *again,
                          mw_plan_job **made)
{
    const mw_remat *remat = &r->remat;
    mw_arena *arena = r->job->arena;
    mw_train_options *train = MW_NEW(arena, mw_train_options);
    mw_plan_job *one = MW_NEW(arena, mw_plan_job);
    const char **name = MW_NEW_ARRAY(arena, remat->n_candidates, const char *);
    if (!train || !one || !name)
        return MW_ENOMEM;
    *train = *r->job->request.model.train;
    train->base = r->base;
    train->again = name;
    for (int c = 0; c < remat->n_candidates; c++) {
        if (!again[c])
            continue;
        name[train->n_again] =
            mw_arena_text(arena, remat->step->tensor[remat->candidate[c]].name);
        if (!name[train->n_again++])
            return MW_ENOMEM;
    }
    *one = *r->job;
    one->request.model.train = train;
    one->ranking = (mw_ranking){0};
    *made = one;
    return MW_OK;
}

static bool better(const mw_plan_job *a, const mw_plan_job *b)
{
    const mw_plan *x = &a->ranking.best->plan, *y = &b->ranking.best->plan;
    if (a->request.search.least_peak)
        return x->peak_bytes < y->peak_bytes;
    return x->time_ps < y->time_ps;
}

// Of what is left of the time a part.
static mw_deadline part_of(const mw_plan_job *job, int parts)
{
    return mw_deadline_part(&job->request.search.budget.deadline, parts);
}

static bool same_ops(const mw_graph *a, const mw_graph *b)
{
    bool same = a->n_ops == b->n_ops && a->n_tensors == b->n_tensors;
    for (int k = 0; same && k < a->n_ops; k++)
        same = a->op[k].def == b->op[k].def;
    return same;
}

// No choice of what is computed again takes less than bound.
static void bound_rows(mw_plan_job *job, int64_t bound)
{
    for (int i = 0; i < job->ranking.n_rows; i++) {
        mw_ranked *row = job->ranking.row[i];
        if (row->baseline || !row->planned || row->bound <= bound)
            continue;
        row->bound = bound;
        if (row->plan.time_ps > bound)
            row->status = MW_SOLVE_FEASIBLE;
    }
}

// Why a choice has no plan, if it needs less than others.
static mw_status note_refusal(rematcher *r, const mw_plan_job *one)
{
    int64_t need = one->ranking.need_bytes;
    if (r->refusal && need >= r->need_bytes)
        return MW_OK;
    r->refusal = mw_arena_format(r->arena, "%s", r->job->ctx->message);
    r->need_bytes = need;
    return r->refusal ? MW_OK : MW_ENOMEM;
}

// Searches a choice's step until the deadline, and keeps it if it is the best.
// from: a search over all choices, or NULL.
static mw_status try_choice(rematcher *r, const bool *again, mw_deadline until,
                            const mw_remat_answer *from)
{
    mw_plan_job *one;
    mw_import_files *files = NULL;
    MW_TRY(job_with(r, again, &one));
    one->request.search.budget.deadline = until;
    mw_ctx_clear(r->job->ctx);
    mw_warn_forget(r->job->ctx); // of the one before
    mw_status status = mw_model_read(r->job->arena, r->job->args->pos[0],
                                     &one->request.model, &one->graph, &files);
    bool same = from && from->again && status == MW_OK &&
                same_ops(from->step, &one->graph);
    if (same)
        one->request.search.start = &from->choices;
    if (status == MW_OK)
        status = mw_plan_job_search(one);
    if (status == MW_OK && (!r->found || better(one, r->best))) {
        mw_import_close(r->files);
        r->files = files;
        r->best = one;
        r->found = true;
        return MW_OK;
    }
    mw_import_close(files);
    if (status == MW_EINFEASIBLE)
        return note_refusal(r, one);
    r->open = r->open || status == MW_ERUN;
    return status == MW_ERUN ? MW_OK : status;
}

/* ---- layouts and what is computed again together ---- */

static mw_status search_pairs(rematcher *r, mw_remat_pairs *pairs, int mesh,
                              int n_left, mw_remat_answer *answer)
{
    mw_search_options search = r->job->request.search;
    mw_setting *on;
    MW_TRY(mw_plan_job_setting(r->job, r->arena, &pairs->graph,
                               &r->job->request.mesh[mesh], &on, &search));
    on->pairs = pairs;
    search.budget.deadline = part_of(r->job, n_left);
    int64_t known_ps =
        r->found ? r->best->ranking.best->plan.time_ps : INT64_MAX;
    return mw_search_remat(r->job->ctx, r->arena, on, &r->remat, &search,
                           known_ps, answer);
}

static bool answers_better(const rematcher *r, const mw_remat_answer *a,
                           const mw_remat_answer *b)
{
    bool fits = a->status != MW_SOLVE_INFEASIBLE;
    if (!a->again || !b->again)
        return a->again != NULL;
    if (fits != (b->status != MW_SOLVE_INFEASIBLE))
        return fits;
    if (!fits || r->job->request.search.least_peak)
        return a->live_peak_bytes < b->live_peak_bytes;
    return a->time_ps < b->time_ps;
}

// The best choice of any mesh, and the least bound of all, in one of so many
// parts of the time.
static mw_status search_meshes(rematcher *r, int parts, mw_remat_answer *best)
{
    int n = r->job->request.n_meshes;
    mw_remat_answer all = {.status = MW_SOLVE_UNKNOWN};
    int64_t bound = INT64_MAX;
    for (int i = 0; i < n && (i == 0 || !mw_stopped(r->job->ctx)); i++) {
        mw_remat_pairs pairs;
        mw_remat_answer answer;
        mw_progress_tell(r->job->ctx, "what to compute again", i, n);
        MW_TRY(mw_remat_pairs_make(&r->remat, &pairs));
        MW_TRY(search_pairs(r, &pairs, i, parts * (n - i), &answer));
        if (answer.status != MW_SOLVE_INFEASIBLE && answer.bound < bound)
            bound = answer.bound;
        if (answers_better(r, &answer, &all))
            all = answer;
    }
    all.bound = bound;
    *best = all;
    return MW_OK;
}

// Nothing but what the base computes again.
static mw_status try_base(rematcher *r, mw_remat_base base, mw_deadline until)
{
    MW_TRY(read_base(r, base));
    bool *again = MW_NEW_ARRAY(r->arena, r->remat.n_candidates, bool);
    return again ? try_choice(r, again, until, NULL) : MW_ENOMEM;
}

static bool enough_found(const rematcher *r)
{
    return r->found &&
           (mw_stopped(r->job->ctx) ||
            mw_deadline_over(&r->job->request.search.budget.deadline));
}

// The best choice of a base, in one of so many parts of the time; the least
// bound of all bases so far.
static mw_status try_pairs_of(rematcher *r, mw_remat_base base, int parts,
                              int64_t *bound)
{
    mw_remat_answer answer;
    MW_TRY(read_base(r, base));
    MW_TRY(search_meshes(r, parts, &answer));
    if (answer.bound < *bound)
        *bound = answer.bound;
    if (!answer.again && answer.status == MW_SOLVE_UNKNOWN)
        r->open = true;
    if (r->job->request.search.global && answer.bound == 0)
        r->many_rules = true; // or no time
    bool worse = r->found && !r->job->request.search.least_peak &&
                 answer.time_ps >= r->best->ranking.best->plan.time_ps;
    return answer.again && !worse
               ? try_choice(r, answer.again, part_of(r->job, parts - 1),
                            &answer)
               : MW_OK;
}

// First all of every layer, as it has groups of its own, and nothing: both are
// searched soon; then of each base the best choice.
static mw_status try_pairs(rematcher *r)
{
    const mw_search_options *search = &r->job->request.search;
    mw_remat_base last =
        r->job->request.model.fuse ? MW_REMAT_BASE_CHEAP : MW_REMAT_BASE_NONE;
    int parts = 2 * (int)last + 3;
    // Without a limit nothing is gained by computing again.
    if (search->memory_bytes == MW_NO_LIMIT && !search->least_peak)
        return try_base(r, MW_REMAT_BASE_NONE, search->budget.deadline);
    MW_TRY(try_base(r, MW_REMAT_BASE_FULL, part_of(r->job, parts)));
    int64_t bound = r->found ? r->best->ranking.best->bound : INT64_MAX;
    if (!enough_found(r))
        MW_TRY(try_base(r, MW_REMAT_BASE_NONE, part_of(r->job, parts)));
    for (mw_remat_base base = MW_REMAT_BASE_NONE; base <= last; base++) {
        if (enough_found(r)) {
            bound = 0; // what was not asked may be better
            break;
        }
        MW_TRY(try_pairs_of(r, base, 2 * (int)(last - base) + 2, &bound));
    }
    if (r->found && !search->least_peak)
        bound_rows(r->best, bound);
    return MW_OK;
}

/* ---- levels ---- */

static mw_status fits(rematcher *r, const bool *again, bool *yes)
{
    mw_plan_job *one;
    mw_graph graph;
    mw_import_files *files = NULL;
    MW_TRY(job_with(r, again, &one));
    mw_status status = mw_model_read(r->arena, r->job->args->pos[0],
                                     &one->request.model, &graph, &files);
    *yes = false;
    for (int i = 0; status == MW_OK && i < r->job->request.n_meshes && !*yes;
         i++) {
        mw_search_options search = r->job->request.search;
        mw_setting *on;
        mw_fit fit = MW_FIT_NO;
        search.budget.deadline = part_of(r->job, 12);
        status = mw_plan_job_setting(one, r->arena, &graph,
                                     &r->job->request.mesh[i], &on, &search);
        if (status == MW_OK)
            status = mw_search_fits(r->job->ctx, r->arena, on, &search, &fit);
        *yes = fit == MW_FIT_YES;
    }
    mw_import_close(files);
    return status;
}

// The least level that fits; the last one where none is known to.
static mw_status least_level(rematcher *r, int last, bool *again, int *level)
{
    int low = 0, high = last;
    while (low < high && !mw_stopped(r->job->ctx)) {
        int middle = low + (high - low) / 2;
        bool yes;
        mw_progress_tell(r->job->ctx, "recomputing", middle, last);
        mw_remat_level(&r->remat, middle, again);
        MW_TRY(fits(r, again, &yes));
        if (yes)
            high = middle;
        else
            low = middle + 1;
    }
    *level = high;
    return MW_OK;
}

static mw_status try_level(rematcher *r, int level, bool *again, int parts)
{
    for (int i = 0; i < r->n_tried; i++)
        if (r->level[i] == level)
            return MW_OK;
    r->level[r->n_tried++] = level;
    mw_remat_level(&r->remat, level, again);
    return try_choice(r, again, part_of(r->job, parts), NULL);
}

static mw_status try_levels(rematcher *r)
{
    const mw_search_options *search = &r->job->request.search;
    MW_TRY(read_base(r, MW_REMAT_BASE_NONE));
    bool *again = MW_NEW_ARRAY(r->arena, r->remat.n_candidates, bool);
    if (!again)
        return MW_ENOMEM;
    int last = mw_remat_levels(&r->remat) - 1, least = 0;
    bool limited = search->memory_bytes != MW_NO_LIMIT;
    if (search->least_peak)
        least = last;
    else if (limited)
        MW_TRY(least_level(r, last, again, &least));
    MW_TRY(try_level(r, least, again, limited ? 3 : 1));
    if (limited && !mw_stopped(r->job->ctx))
        MW_TRY(try_level(r, least + (last - least) / 2, again, 2));
    if (limited && !mw_stopped(r->job->ctx))
        MW_TRY(try_level(r, last, again, 1));
    return MW_OK;
}

// What was found, or why there is nothing.
static mw_status conclude(rematcher *r)
{
    mw_ctx *ctx = r->job->ctx;
    if (!r->found && !r->refusal)
        return ctx->status;
    mw_ctx_clear(ctx);
    if (r->found)
        return MW_OK;
    if (r->open)
        return mw_fail(ctx, MW_ERUN,
                       "nothing that fits was found in time; a longer "
                       "--time-limit may help\nof what was tried %s",
                       r->refusal);
    return mw_fail(ctx, MW_EINFEASIBLE, "%s", r->refusal);
}

mw_status mw_plan_remat(mw_plan_job *job, mw_import_files **files)
{
    mw_arena arena;
    rematcher r = {.job = job, .arena = &arena};
    mw_arena_init(&arena, job->ctx);
    mw_status status = try_pairs(&r);
    if (status == MW_OK && r.many_rules && !enough_found(&r))
        status = try_levels(&r);
    if (status == MW_OK)
        status = conclude(&r);
    mw_import_close(r.step_files);
    mw_arena_free(&arena);
    if (status != MW_OK) {
        mw_import_close(r.files);
        return status;
    }
    r.best->request.search = job->request.search;
    *job = *r.best;
    *files = r.files;
    return MW_OK;
}
