/*
 * plan_remat.c - `--remat auto`: how much is computed again. Levels from
 * nothing to everything need ever less memory; the least that fits is found by
 * halving, then it, a level further on and the last one are searched, and the
 * fastest plan is taken.
 */
#include <string.h>

#include "base/progress.h"
#include "cli/plan_job.h"
#include "ir/train.h"
#include "search/rank_fit.h"

enum { MAX_TRIED = 3 };

static mw_status read_levels(mw_plan_job *job, int *n)
{
    mw_arena arena;
    mw_graph graph;
    mw_import_files *files = NULL;
    mw_import_options plain = job->request.model;
    plain.train = NULL;
    plain.fuse = false;
    mw_arena_init(&arena, job->ctx);
    mw_status status =
        mw_model_read(&arena, job->args->pos[0], &plain, &graph, &files);
    if (status == MW_OK)
        status = mw_train_levels(&graph, job->request.model.train, n);
    mw_import_close(files);
    mw_arena_free(&arena);
    return status;
}

// The job at a level: options and graph of its own, to which plans point.
static mw_status at_level(const mw_plan_job *job, int level, mw_plan_job **made)
{
    mw_train_options *train = MW_NEW(job->arena, mw_train_options);
    mw_plan_job *one = MW_NEW(job->arena, mw_plan_job);
    if (!train || !one)
        return MW_ENOMEM;
    *train = *job->request.model.train;
    train->level = level;
    *one = *job;
    one->request.model.train = train;
    one->ranking = (mw_ranking){0};
    *made = one;
    return MW_OK;
}

static mw_status fits(const mw_plan_job *job, int level, bool *yes)
{
    mw_plan_job *one;
    mw_arena arena;
    mw_graph graph;
    mw_import_files *files = NULL;
    MW_TRY(at_level(job, level, &one));
    mw_arena_init(&arena, job->ctx);
    mw_status status = mw_model_read(&arena, job->args->pos[0],
                                     &one->request.model, &graph, &files);
    *yes = false;
    for (int i = 0; status == MW_OK && i < job->request.n_meshes && !*yes;
         i++) {
        mw_search_options search = job->request.search;
        mw_setting *on;
        mw_fit fit = MW_FIT_NO;
        double end_s = search.budget.deadline.end_s;
        if (end_s > 0)
            search.budget.deadline =
                mw_deadline_in((end_s - mw_clock_s()) / 12 + 1e-3);
        status = mw_plan_job_setting(one, &arena, &graph, &job->request.mesh[i],
                                     &on, &search);
        if (status == MW_OK)
            status = mw_search_fits(job->ctx, &arena, on, &search, &fit);
        *yes = fit == MW_FIT_YES;
    }
    mw_import_close(files);
    mw_arena_free(&arena);
    return status;
}

// The least level that fits; the last one where none is known to.
static mw_status least_level(const mw_plan_job *job, int last, int *level)
{
    int low = 0, high = last;
    while (low < high && !mw_stopped(job->ctx)) {
        int middle = low + (high - low) / 2;
        bool yes;
        mw_progress_tell(job->ctx, "recomputing", middle, last);
        MW_TRY(fits(job, middle, &yes));
        if (yes)
            high = middle;
        else
            low = middle + 1;
    }
    *level = high;
    return MW_OK;
}

static bool better(const mw_plan_job *a, const mw_plan_job *b)
{
    const mw_plan *x = &a->ranking.best->plan, *y = &b->ranking.best->plan;
    if (a->request.search.least_peak)
        return x->peak_bytes < y->peak_bytes;
    return x->time_ps < y->time_ps;
}

/* What has been searched so far. */
typedef struct tried {
    int n, level[MAX_TRIED];
    bool found;
    mw_plan_job *best;
    mw_import_files *files; /* of the best */
} tried;

static mw_status try_level(const mw_plan_job *job, int level, int left,
                           tried *all)
{
    mw_plan_job *one;
    mw_import_files *files = NULL;
    for (int i = 0; i < all->n; i++)
        if (all->level[i] == level)
            return MW_OK;
    all->level[all->n++] = level;
    MW_TRY(at_level(job, level, &one));
    double end_s = job->request.search.budget.deadline.end_s;
    if (end_s > 0)
        one->request.search.budget.deadline =
            mw_deadline_in((end_s - mw_clock_s()) / left + 1e-3);
    mw_ctx_clear(job->ctx);
    mw_warn_forget(job->ctx); // of the level before
    mw_status status = mw_model_read(job->arena, job->args->pos[0],
                                     &one->request.model, &one->graph, &files);
    if (status == MW_OK)
        status = mw_plan_job_search(one);
    bool gained = status == MW_OK && (!all->found || better(one, all->best));
    if (gained) {
        mw_import_close(all->files);
        all->files = files;
        all->best = one;
        all->found = true;
        return MW_OK;
    }
    mw_import_close(files);
    bool passed = status == MW_EINFEASIBLE || status == MW_ERUN;
    return passed ? MW_OK : status;
}

mw_status mw_plan_remat(mw_plan_job *job, mw_import_files **files)
{
    const mw_search_options *search = &job->request.search;
    tried all = {.n = 0};
    int n, least = 0;
    MW_TRY(read_levels(job, &n));
    bool limited = search->memory_bytes != MW_NO_LIMIT;
    if (search->least_peak)
        least = n - 1;
    else if (limited)
        MW_TRY(least_level(job, n - 1, &least));
    int further = least + (n - 1 - least) / 2;
    mw_status status = try_level(job, least, limited ? 3 : 1, &all);
    if (status == MW_OK && limited && !mw_stopped(job->ctx))
        status = try_level(job, further, 2, &all);
    if (status == MW_OK && limited && !mw_stopped(job->ctx))
        status = try_level(job, n - 1, 1, &all);
    if (status == MW_OK && !all.found)
        status = job->ctx->status;
    if (status != MW_OK) {
        mw_import_close(all.files);
        return status;
    }
    mw_ctx_clear(job->ctx);
    all.best->request.search = job->request.search;
    *job = *all.best;
    *files = all.files;
    return MW_OK;
}
