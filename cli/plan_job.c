/* plan_job.c - the search of one mesh, or of all that --mesh stands for. */
#include "cli/plan_job.h"

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

static mw_status search_mesh(mw_plan_job *job, int i, mw_ranking *ranking)
{
    mw_search_options search = job->request.search;
    mw_setting *on;
    MW_TRY(mw_plan_job_setting(job, job->arena, &job->graph,
                               &job->request.mesh[i], &on, &search));
    MW_TRY(mw_plan_problem_write(job, on, &search));
    if (job->request.counts)
        search.top = 1;
    int left = job->request.n_meshes - i;
    double end_s = search.budget.deadline.end_s;
    if (end_s > 0 && left > 1)
        search.budget.deadline =
            mw_deadline_in((end_s - mw_clock_s()) / left + 1e-3);
    return mw_search(job->ctx, job->arena, on, &search, ranking);
}

// Why no mesh has a plan: that of the mesh that needs the least memory.
typedef struct refusal {
    mw_status status;
    int64_t need_bytes;
    const char *message;
} refusal;

static mw_status note_refusal(mw_plan_job *job, mw_status status,
                              const mw_ranking *ranking, const char *mesh,
                              refusal *why)
{
    bool less = ranking->need_bytes < why->need_bytes;
    bool first = why->status == MW_OK;
    if (first || (status == MW_EINFEASIBLE && less)) {
        bool several = job->request.n_meshes > 1;
        why->message =
            mw_arena_format(job->arena, "%s%s%s", job->ctx->message,
                            several ? "\non mesh " : "", several ? mesh : "");
        why->need_bytes = ranking->need_bytes;
        if (!why->message)
            return MW_ENOMEM;
    }
    // That nothing fits is known only if no mesh ran out of time.
    if (first || status == MW_ERUN)
        why->status = status;
    mw_ctx_clear(job->ctx);
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
    const char *reason = "nothing found in time";
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

// Time was up with a plan at hand: of this mesh nothing is known.
static mw_status unsearched(mw_plan_job *job)
{
    return mw_fail(job->ctx, MW_ERUN, "time was up before it was searched");
}

mw_status mw_plan_job_search(mw_plan_job *job)
{
    refusal why = {MW_OK, INT64_MAX, NULL};
    int64_t bound = INT64_MAX;
    int n = job->request.n_meshes;
    for (int i = 0; i < n && !(i > 0 && mw_stopped(job->ctx)); i++) {
        mw_ranking more = {0};
        char *mesh = mw_report_mesh(job->arena, &job->request.mesh[i]);
        if (!mesh)
            return MW_ENOMEM;
        mw_progress_tell(job->ctx, "searching", i, n);
        bool over = job->ranking.best &&
                    mw_deadline_over(&job->request.search.budget.deadline);
        mw_status status = over ? unsearched(job) : search_mesh(job, i, &more);
        if (status == MW_EINFEASIBLE || status == MW_ERUN) {
            MW_TRY(note_refusal(job, status, &more, mesh, &why));
            status = refused_row(job, status, i, &more);
        }
        MW_TRY(status);
        if (more.best && more.best->bound < bound)
            bound = more.best->bound;
        MW_TRY(join(job, mesh, &more));
    }
    if (!job->ranking.best)
        return mw_fail(job->ctx, why.status, "%s", why.message);
    mw_ranking_sort(&job->ranking);
    mw_front_sort(&job->ranking);
    bound_best(job, why.status == MW_ERUN ? 0 : bound);
    return MW_OK;
}
