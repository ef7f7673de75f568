/* rank_largest.c - doubling, halving, and stepping down. */
#include "search/rank_largest.h"

enum { MAX_STEPS_DOWN = 4096 };
static const int64_t most_size = INT64_C(1) << 40;

// Sizes up to `good` are tried and fit; `bad` does not, or is refused.
typedef struct hunt {
    mw_ctx *ctx;
    mw_size_probe probe;
    void *user;
    mw_largest found;
    int64_t bad; /* at least: not known to fit */
    bool uneven;
} hunt;

// Takes what a size says into account.
static mw_status probe(hunt *it, int64_t size)
{
    mw_fit fit;
    const char *refused = NULL;
    MW_TRY(it->probe(it->user, size, it->uneven, &fit, &refused));
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

mw_status mw_largest_find(mw_ctx *ctx, bool even, mw_size_probe probe_size,
                          void *user, mw_largest *found)
{
    hunt it = {.ctx = ctx, .probe = probe_size, .user = user, .uneven = even};
    MW_TRY(double_up(&it));
    MW_TRY(halve_in(&it));
    if (even && it.found.good > 0)
        MW_TRY(step_down(&it));
    *found = it.found;
    return MW_OK;
}
