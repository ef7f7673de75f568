/* layout_trim.c - the priced problem, trimmed. */
#include <string.h>

#include "search/layout_hunt.h"
#include "search/problem_tie.h"
#include "search/trim.h"

/* The problem at the prices, and what may be chosen in it. */
typedef struct trimming {
    mw_hunt *hunt;
    mw_problem priced, tied;
    int32_t *number; /* of each node of the space, in the problem trimmed */
    uint8_t **keep;  /* by node of the problem trimmed */
    const uint8_t **allowed;
} trimming;

static const mw_problem *trimmed(const trimming *t)
{
    return t->hunt->tie ? &t->tied : &t->priced;
}

static mw_status make_problem(trimming *t, const mw_prices *prices)
{
    mw_hunt *hunt = t->hunt;
    int32_t n = hunt->space->n_nodes;
    t->number = MW_NEW_ARRAY(&t->priced.arena, n + 1, int32_t);
    if (!t->number)
        return MW_ENOMEM;
    for (int32_t i = 0; i < n; i++)
        t->number[i] = i;
    MW_TRY(mw_space_priced(&hunt->tables, prices, &t->priced));
    return hunt->tie
               ? mw_problem_tie(&t->priced, hunt->tie, &t->tied, t->number)
               : MW_OK;
}

// Room for what is left, which outlives the problem; all allowed at first.
static mw_status make_room(trimming *t)
{
    const mw_space *space = t->hunt->space;
    mw_arena *arena = t->hunt->tables.arena;
    int32_t n = trimmed(t)->n_nodes;
    t->keep = MW_NEW_ARRAY(&t->priced.arena, n + 1, uint8_t *);
    t->allowed = MW_NEW_ARRAY(arena, space->n_nodes + 1, const uint8_t *);
    if (!t->keep || !t->allowed)
        return MW_ENOMEM;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        uint8_t **keep = &t->keep[t->number[i]];
        int32_t n_states = mw_space_states(space, i);
        if (!*keep) {
            *keep = MW_NEW_ARRAY(arena, n_states, uint8_t);
            if (!*keep)
                return MW_ENOMEM;
            memset(*keep, 1, (size_t)n_states);
        }
        t->allowed[i] = *keep;
    }
    return MW_OK;
}

static mw_status trim(trimming *t, const mw_prices *prices, mw_int128 below,
                      bool *none)
{
    MW_TRY(make_problem(t, prices));
    MW_TRY(make_room(t));
    return mw_trim(t->hunt->space->ctx, trimmed(t), below,
                   &t->hunt->budget.deadline, t->keep, none);
}

mw_status mw_hunt_trim(mw_hunt *hunt, int64_t limit, const mw_prices *prices,
                       int64_t below_ps, const uint8_t ***allowed, bool *none)
{
    trimming t = {.hunt = hunt};
    mw_problem_init(&t.priced, hunt->space->ctx);
    mw_problem_init(&t.tied, hunt->space->ctx);
    mw_int128 below =
        below_ps + mw_prices_worth(prices, hunt->space->n_steps, limit);
    mw_status status = trim(&t, prices, below, none);
    *allowed = t.allowed;
    mw_problem_free(&t.tied);
    mw_problem_free(&t.priced);
    return status;
}
