/* layout_splice.c - two choices joined at a step: the fast one before it, the
 * frugal one behind. Of many equal layers as many are fast as fit. */
#include "search/layout_hunt.h"

/* Steps tried around the last one that fits. */
enum { BEFORE = 64, BEHIND = 8 };

typedef struct splice {
    mw_hunt *hunt;
    int64_t limit;
    const mw_prices *prices;
    const int32_t *before, *behind;
    mw_answer *answer;
    int32_t *state;
} splice;

static mw_id first_step(const splice *j, int32_t node)
{
    const mw_hunt *hunt = j->hunt;
    mw_id k = hunt->space->node_op[node];
    if (k != MW_NONE)
        return k;
    int32_t first = hunt->home_link_of[node];
    return first < hunt->home_link_of[node + 1]
               ? hunt->space->link[hunt->home_link[first]].op
               : 0;
}

static void join(splice *j, mw_id step)
{
    for (int32_t i = 0; i < j->hunt->space->n_nodes; i++)
        j->state[i] = first_step(j, i) < step ? j->before[i] : j->behind[i];
}

static bool fits(splice *j, mw_id step)
{
    mw_space_figures figures;
    join(j, step);
    mw_space_evaluate(j->hunt->space, j->state, j->hunt->live, &figures);
    return !figures.forbidden && figures.peak_bytes <= j->limit;
}

static mw_status try_step(splice *j, mw_id step)
{
    bool good;
    join(j, step);
    MW_TRY(mw_hunt_squeeze(j->hunt, j->limit, j->prices, j->state, &good));
    return good ? mw_hunt_offer(j->hunt, j->limit, j->state, j->answer) : MW_OK;
}

// The last step up to which the fast one fits as it is, and those around it.
static mw_status find_step(splice *j)
{
    mw_id low = 0, high = j->hunt->space->n_steps;
    while (high - low > 1) {
        mw_id middle = low + (high - low) / 2;
        if (fits(j, middle))
            low = middle;
        else
            high = middle;
    }
    mw_id last = low + BEHIND < j->hunt->space->n_steps
                     ? low + BEHIND
                     : j->hunt->space->n_steps;
    for (mw_id k = low > BEFORE ? low - BEFORE : 0;
         k < last && !mw_hunt_over(j->hunt); k++)
        MW_TRY(try_step(j, k));
    return MW_OK;
}

mw_status mw_hunt_splice(mw_hunt *hunt, int64_t limit, const mw_prices *prices,
                         const int32_t *before, const int32_t *behind,
                         mw_answer *answer)
{
    splice j = {.hunt = hunt,
                .limit = limit,
                .prices = prices,
                .before = before,
                .behind = behind,
                .answer = answer};
    mw_arena arena;
    mw_arena_init(&arena, hunt->space->ctx);
    j.state = MW_NEW_ARRAY(&arena, hunt->space->n_nodes + 1, int32_t);
    mw_status status = j.state ? find_step(&j) : MW_ENOMEM;
    mw_arena_free(&arena);
    return status;
}
