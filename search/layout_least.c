/* layout_least.c - the least live memory: a floor from each step alone, then
 * bisection between it and the best choice found. */
#include "search/layout_hunt.h"

// Least bytes of each home, whatever ops want.
static int64_t least_bytes(const mw_space *space, int32_t node)
{
    const mw_home_class *c = &space->home_class[space->node_class[node]];
    int64_t least = INT64_MAX;
    for (int32_t h = 0; h < c->n; h++)
        least = c->bytes[h] < least ? c->bytes[h] : least;
    return least;
}

// Least of a link's memory and its home's bytes, with this row.
static int64_t least_link(const mw_space *space, const mw_link *link,
                          int32_t row)
{
    const mw_link_class *c = &space->link_class[link->link_class];
    const mw_home_class *homes = &space->home_class[c->home_class];
    int64_t least = INT64_MAX;
    for (int32_t h = 0; h < c->n_homes; h++) {
        int64_t cell = (int64_t)row * c->n_homes + h;
        int64_t bytes = mw_add_bytes(c->memory_bytes[cell], homes->bytes[h]);
        if (c->time_ps[cell] < MW_INFINITE && bytes < least)
            least = bytes;
    }
    return least;
}

// The least that op k's step takes: `others` are the homes that it does not
// touch, at their least.
static int64_t least_step(const mw_space *space, mw_id k, int64_t homes)
{
    if (space->op_node[k] == MW_NONE)
        return homes;
    const mw_op_class *ops =
        &space->op_class[space->node_class[space->op_node[k]]];
    int64_t least = INT64_MAX, others = homes;
    for (int32_t i = space->op_link[k]; i < space->op_link[k + 1]; i++)
        others -= least_bytes(space, space->home_node[space->link[i].tensor]);
    for (int32_t s = 0; s < ops->n; s++) {
        int64_t bytes = mw_add_bytes(others, ops->memory_bytes[s]);
        for (int32_t i = space->op_link[k]; i < space->op_link[k + 1]; i++) {
            const mw_link *link = &space->link[i];
            int32_t row = space->link_class[link->link_class].row[s];
            bytes = mw_add_bytes(bytes, least_link(space, link, row));
        }
        least = bytes < least ? bytes : least;
    }
    return least;
}

int64_t mw_hunt_floor(const mw_hunt *hunt, int64_t *floor)
{
    const mw_space *space = hunt->space;
    int n_steps = space->n_steps;
    int64_t *homes = hunt->live, most = 0, sum = 0;
    for (mw_id k = 0; k <= n_steps; k++)
        homes[k] = 0;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        mw_id t = space->node_tensor[i];
        if (t == MW_NONE)
            continue;
        homes[space->life[t].begin] += least_bytes(space, i);
        homes[space->life[t].end] -= least_bytes(space, i);
    }
    for (mw_id k = 0; k < n_steps; k++) {
        sum += homes[k];
        int64_t bytes = least_step(space, k, sum);
        if (floor)
            floor[k] = bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}

// The choice that takes little everywhere bounds the least from above.
static mw_status begin(mw_hunt *hunt, mw_answer *answer)
{
    MW_TRY(mw_hunt_fit(hunt, MW_NO_LIMIT, answer));
    if (!answer->state)
        return MW_OK;
    answer->bound = mw_hunt_floor(hunt, NULL);
    answer->status = MW_SOLVE_FEASIBLE;
    return MW_OK;
}

// Asks whether `limit` fits, and narrows the answer from above or below.
static mw_status probe(mw_hunt *hunt, int64_t limit, mw_answer *answer)
{
    mw_answer found;
    MW_TRY(mw_hunt_fit(hunt, limit, &found));
    if (found.proof == MW_PROOF_TOLERANCE)
        answer->proof = MW_PROOF_TOLERANCE;
    if (found.status == MW_SOLVE_INFEASIBLE)
        answer->bound = limit + 1;
    if (found.state)
        MW_TRY(mw_hunt_keep(hunt, found.state, answer));
    if (found.status == MW_SOLVE_UNKNOWN)
        answer->status = MW_SOLVE_UNKNOWN;
    return MW_OK;
}

mw_status mw_hunt_least(mw_hunt *hunt, mw_answer *answer)
{
    mw_answer found = {0};
    MW_TRY(begin(hunt, &found));
    found.proof = MW_PROOF_EXACT;
    int64_t first = found.bound;
    while (found.state && found.bound < found.figures.peak_bytes) {
        // The floor itself is often reached: it is asked first.
        int64_t limit = found.bound;
        if (limit != first)
            limit += (found.figures.peak_bytes - limit) / 2;
        if (limit == found.figures.peak_bytes)
            limit--;
        MW_TRY(probe(hunt, limit, &found));
        if (found.status == MW_SOLVE_UNKNOWN || mw_hunt_over(hunt))
            break;
    }
    if (found.state && found.bound == found.figures.peak_bytes)
        found.status = MW_SOLVE_OPTIMAL;
    else if (found.state)
        found.status = MW_SOLVE_FEASIBLE;
    *answer = found;
    return MW_OK;
}
