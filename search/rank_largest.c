/* rank_largest.c - doubling, halving, and stepping down. */
#include "search/rank_largest.h"

#include "base/clock.h"
#include "base/progress.h"

enum { MAX_STEPS_DOWN = 4096 };
static const int64_t most_size = INT64_C(1) << 40;

// Sizes up to `good` are tried and fit; `bad` does not, or is refused.
typedef struct hunt {
    mw_ctx *ctx;
    const mw_size_hunt *wanted;
    mw_largest found;
    int n_tries;
    int64_t bad; /* at least: not known to fit */
    bool uneven;
} hunt;

// On any of the meshes, each with a share of the time that is left.
static mw_status fit_graph(const hunt *it, mw_arena *arena,
                           const mw_graph *graph, mw_fit *fit)
{
    const mw_size_hunt *wanted = it->wanted;
    *fit = MW_FIT_NO;
    for (int i = 0; i < wanted->n_meshes && *fit != MW_FIT_YES; i++) {
        mw_search_options search = *wanted->search;
        mw_setting *on;
        mw_fit one;
        if (it->uneven)
            search.space.even = false;
        search.budget.deadline = mw_deadline_part(&search.budget.deadline, 8);
        MW_TRY(wanted->set_up(wanted->user, arena, graph, i, &on, &search));
        MW_TRY(mw_search_fits(it->ctx, arena, on, &search, &one));
        *fit = one > *fit ? one : *fit;
    }
    return MW_OK;
}

// Whether a size fits; refused: what the model says of it instead, or NULL.
static mw_status try_size(hunt *it, int64_t size, mw_fit *fit,
                          const char **refused)
{
    const mw_size_hunt *wanted = it->wanted;
    mw_ctx *ctx = it->ctx;
    mw_arena arena;
    mw_graph graph;
    mw_import_files *files = NULL;
    mw_progress_tell(ctx, "sizes", it->n_tries++, 0);
    wanted->size->size = size;
    mw_arena_init(&arena, ctx);
    *refused = NULL;
    mw_status status =
        mw_model_read(&arena, wanted->model, wanted->options, &graph, &files);
    if (status == MW_EINPUT) {
        *refused = mw_arena_format(wanted->arena, "%s", ctx->message);
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
    const char *refused = NULL;
    MW_TRY(try_size(it, size, &fit, &refused));
    if (fit == MW_FIT_YES) {
        it->found.good = size;
        return MW_OK;
    }
    it->bad = size;
    if (fit == MW_FIT_NO) {
        it->found.proven = size;
        it->found.refused = refused;
    }
    return MW_OK;
}

static mw_status double_up(hunt *it)
{
    // A size of 1 is no dimension: others say more.
    for (int64_t size = 2; it->bad == 0 && size <= most_size; size *= 2) {
        MW_TRY(probe(it, size));
        if (mw_stopped(it->ctx))
            return MW_OK;
    }
    if (it->found.good == 0)
        MW_TRY(probe(it, 1));
    return MW_OK;
}

static mw_status halve_in(hunt *it)
{
    const mw_largest *found = &it->found;
    while (found->good > 0 && it->bad > found->good + 1 && !mw_stopped(it->ctx))
        MW_TRY(probe(it, found->good + (it->bad - found->good) / 2));
    return MW_OK;
}

// From the ceiling down to a size that fits with splits that divide.
static mw_status step_down(hunt *it)
{
    int64_t ceiling = it->found.good;
    bool sure = it->found.proven == ceiling + 1;
    it->uneven = false;
    it->found.good = 0;
    for (int64_t size = ceiling;
         size > 0 && ceiling - size < MAX_STEPS_DOWN && !mw_stopped(it->ctx);
         size--) {
        int64_t proven = it->found.proven;
        MW_TRY(probe(it, size));
        sure = sure && (it->found.good == size || it->found.proven == size);
        if (!sure)
            it->found.proven = proven;
        if (it->found.good > 0)
            break;
    }
    return MW_OK;
}

mw_status mw_largest_find(const mw_size_hunt *wanted, mw_largest *found)
{
    bool even = wanted->search->space.even;
    hunt it = {.ctx = wanted->arena->ctx, .wanted = wanted, .uneven = even};
    MW_TRY(double_up(&it));
    MW_TRY(halve_in(&it));
    if (even && it.found.good > 0)
        MW_TRY(step_down(&it));
    *found = it.found;
    return MW_OK;
}
