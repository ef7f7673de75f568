/* plan_largest.c - what --largest asks. */
#include "cli/plan_job.h"

#include <string.h>

#include "search/rank_largest.h"

static mw_status set_up(void *user, mw_arena *arena, const mw_graph *graph,
                        int mesh, mw_setting **on, mw_search_options *search)
{
    const mw_plan_job *job = user;
    return mw_plan_job_setting(job, arena, graph, &job->request.mesh[mesh], on,
                               search);
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
    mw_size_hunt hunt = {.arena = job->arena,
                         .model = job->args->pos[0],
                         .options = &job->request.model,
                         .search = search,
                         .n_meshes = job->request.n_meshes,
                         .set_up = set_up,
                         .user = job};
    mw_largest found;
    mw_plan_largest_size *made = MW_NEW(job->arena, mw_plan_largest_size);
    if (!made)
        return MW_ENOMEM;
    if (search->memory_bytes == MW_NO_LIMIT)
        search->memory_bytes = job->request.machine.memory_bytes;
    MW_TRY(drop_key(job, dim));
    MW_TRY(add_size(job, dim, &hunt.size));
    MW_TRY(mw_largest_find(&hunt, &found));
    // Where nothing fits, the search of the least size says why.
    hunt.size->size = found.good > 0 ? found.good : 1;
    *made =
        (mw_plan_largest_size){dim, found.good, found.proven, found.refused};
    if (found.good > 0)
        job->largest = made;
    return MW_OK;
}
