/* plan_largest.c - the largest size of a dimension that fits the memory. Memory
 * grows with the size, since every block does: sizes are doubled until one does
 * not fit, then halved in. Where splits must divide, the same without that
 * gives a ceiling, below which sizes are tried one by one. */
#include "cli/plan_job.h"

#include <string.h>

#include "base/progress.h"
#include "search/rank_fit.h"

enum { MAX_STEPS_DOWN = 4096 };
static const int64_t most_size = INT64_C(1) << 40;

// Sizes up to `good` are tried and fit; `bad` does not, or is refused.
typedef struct hunt {
    mw_plan_job *job;
    mw_size_option *size; /* the dimension's, among those given */
    int64_t good;         /* 0: none yet */
    int64_t bad;          /* at least: not known to fit */
    int64_t proven;       /* 0: none yet */
    const char *refused;  /* why the model does not take `proven` */
    bool uneven;          /* splits need not divide, whatever was asked */
    int n_tries;
} hunt;

static mw_status fit_graph(const hunt *it, mw_arena *arena,
                           const mw_graph *graph, mw_fit *fit)
{
    const mw_plan_request *request = &it->job->request;
    *fit = MW_FIT_NO;
    for (int i = 0; i < request->n_meshes && *fit != MW_FIT_YES; i++) {
        mw_search_options search = request->search;
        mw_setting *on;
        mw_fit one;
        if (it->uneven)
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
static mw_status try_size(hunt *it, int64_t size, mw_fit *fit,
                          const char **refused)
{
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
        status = fit_graph(it, &arena, &graph, fit);
    }
    mw_import_close(files);
    mw_arena_free(&arena);
    return status;
}

// Takes what a size says into account.
static mw_status probe(hunt *it, int64_t size)
{
    mw_fit fit;
    const char *refused;
    MW_TRY(try_size(it, size, &fit, &refused));
    if (fit == MW_FIT_YES) {
        it->good = size;
        return MW_OK;
    }
    it->bad = size;
    if (fit == MW_FIT_NO) {
        it->proven = size;
        it->refused = refused;
    }
    return MW_OK;
}

static mw_status double_up(hunt *it)
{
    // A size of 1 is no dimension: others say more.
    for (int64_t size = 2; it->bad == 0 && size <= most_size; size *= 2) {
        MW_TRY(probe(it, size));
        if (mw_stopped(it->job->ctx))
            return MW_OK;
    }
    if (it->good == 0)
        MW_TRY(probe(it, 1));
    return MW_OK;
}

static mw_status halve_in(hunt *it)
{
    while (it->good > 0 && it->bad > it->good + 1 && !mw_stopped(it->job->ctx))
        MW_TRY(probe(it, it->good + (it->bad - it->good) / 2));
    return MW_OK;
}

// From the ceiling down to a size that fits with splits that divide.
static mw_status step_down(hunt *it)
{
    int64_t ceiling = it->good;
    bool sure = it->proven == ceiling + 1;
    it->uneven = false;
    it->good = 0;
    for (int64_t size = ceiling; size > 0 && ceiling - size < MAX_STEPS_DOWN &&
                                 !mw_stopped(it->job->ctx);
         size--) {
        int64_t proven = it->proven;
        MW_TRY(probe(it, size));
        sure = sure && (it->good == size || it->proven == size);
        if (!sure)
            it->proven = proven;
        if (it->good > 0)
            break;
    }
    return MW_OK;
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

static mw_status find(hunt *it)
{
    it->uneven = it->job->request.search.space.even;
    MW_TRY(double_up(it));
    MW_TRY(halve_in(it));
    return it->uneven && it->good > 0 ? step_down(it) : MW_OK;
}

mw_status mw_plan_largest(mw_plan_job *job)
{
    const char *dim = mw_args_text(job->args, "largest");
    if (!dim)
        return MW_OK;
    mw_search_options *search = &job->request.search;
    hunt it = {.job = job};
    mw_plan_largest_size *made = MW_NEW(job->arena, mw_plan_largest_size);
    if (!made)
        return MW_ENOMEM;
    if (search->memory_bytes == MW_NO_LIMIT)
        search->memory_bytes = job->request.machine.memory_bytes;
    MW_TRY(drop_key(job, dim));
    MW_TRY(add_size(job, dim, &it.size));
    MW_TRY(find(&it));
    // Where nothing fits, the search of the least size says why.
    it.size->size = it.good > 0 ? it.good : 1;
    *made = (mw_plan_largest_size){dim, it.good, it.proven, it.refused};
    if (it.good > 0)
        job->largest = made;
    return MW_OK;
}
