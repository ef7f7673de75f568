/* plan_largest.c - what --largest asks: the model is read anew for every size
 * that is tried. */
#include "cli/plan_job.h"

#include <string.h>

#include "base/progress.h"
#include "search/rank_largest.h"

/* What is tried, and the dimension's size among those given. */
typedef struct hunt {
    mw_plan_job *job;
    mw_size_option *size;
    int n_tries;
} hunt;

static mw_status fit_graph(const hunt *it, mw_arena *arena,
                           const mw_graph *graph, bool uneven, mw_fit *fit)
{
    const mw_plan_request *request = &it->job->request;
    *fit = MW_FIT_NO;
    for (int i = 0; i < request->n_meshes && *fit != MW_FIT_YES; i++) {
        mw_search_options search = request->search;
        mw_setting *on;
        mw_fit one;
        if (uneven)
            search.space.even = false;
        if (search.budget.deadline.end_s > 0)
            search.budget.deadline = mw_deadline_in(
                (search.budget.deadline.end_s - mw_clock_s()) / 8 + 1e-3);
        MW_TRY(mw_plan_job_setting(it->job, arena, graph, &request->mesh[i],
                                   &on, &search));
        MW_TRY(mw_search_fits(it->job->ctx, arena, on, &search, &one));
        *fit = one > *fit ? one : *fit;
    }
    return MW_OK;
}

// Whether a size fits; refused: what the model says of it instead, or NULL.
static mw_status try_size(void *user, int64_t size, bool uneven, mw_fit *fit,
                          const char **refused)
{
    hunt *it = user;
    mw_ctx *ctx = it->job->ctx;
    mw_arena arena;
    mw_graph graph;
    mw_import_files *files = NULL;
    mw_progress_tell(ctx, "sizes", it->n_tries++, 0);
    it->size->size = size;
    mw_arena_init(&arena, ctx);
    *refused = NULL;
    mw_status status = mw_model_read(&arena, it->job->args->pos[0],
                                     &it->job->request.model, &graph, &files);
    if (status == MW_EINPUT) {
        *refused = mw_arena_format(it->job->arena, "%s", ctx->message);
        status = *refused ? MW_OK : MW_ENOMEM;
        if (status == MW_OK)
            mw_ctx_clear(ctx);
        *fit = MW_FIT_NO;
    } else if (status == MW_OK) {
        status = fit_graph(it, &arena, &graph, uneven, fit);
    }
    mw_import_close(files);
    mw_arena_free(&arena);
    return status;
}

// Room for the dimension's size among those that the model is read with.
static mw_status add_size(mw_plan_job *job, const char *dim,
                          mw_size_option **size)
{
    mw_import_options *model = &job->request.model;
    mw_size_option *all =
        MW_NEW_ARRAY(job->arena, model->n_sizes + 1, mw_size_option);
    if (!all)
        return MW_ENOMEM;
    int at = model->n_sizes;
    for (int i = 0; i < model->n_sizes; i++) {
        all[i] = model->size[i];
        if (strcmp(all[i].name, dim) == 0)
            at = i;
    }
    all[at].name = dim;
    model->n_sizes += at == model->n_sizes;
    model->size = all;
    *size = &all[at];
    return MW_OK;
}

// A built-in's key of that name gives way.
static mw_status drop_key(mw_plan_job *job, const char *dim)
{
    mw_import_options *model = &job->request.model;
    size_t length = strlen(dim);
    const char **kept =
        MW_NEW_ARRAY(job->arena, model->n_set + 1, const char *);
    if (!kept)
        return MW_ENOMEM;
    int n = 0;
    for (int i = 0; i < model->n_set; i++) {
        const char *set = model->set[i];
        if (strncmp(set, dim, length) != 0 || set[length] != '=')
            kept[n++] = set;
    }
    model->set = kept;
    model->n_set = n;
    return MW_OK;
}

mw_status mw_plan_largest(mw_plan_job *job)
{
    const char *dim = mw_args_text(job->args, "largest");
    if (!dim)
        return MW_OK;
    mw_search_options *search = &job->request.search;
    hunt it = {.job = job};
    mw_largest found;
    mw_plan_largest_size *made = MW_NEW(job->arena, mw_plan_largest_size);
    if (!made)
        return MW_ENOMEM;
    if (search->memory_bytes == MW_NO_LIMIT)
        search->memory_bytes = job->request.machine.memory_bytes;
    MW_TRY(drop_key(job, dim));
    MW_TRY(add_size(job, dim, &it.size));
    MW_TRY(
        mw_largest_find(job->ctx, search->space.even, try_size, &it, &found));
    // Where nothing fits, the search of the least size says why.
    it.size->size = found.good > 0 ? found.good : 1;
    *made =
        (mw_plan_largest_size){dim, found.good, found.proven, found.refused};
    if (found.good > 0)
        job->largest = made;
    return MW_OK;
}
