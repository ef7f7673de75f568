/* rank_next.c - sets of choices in a list, taken by least bound. */
#include "search/rank_next.h"

#include <string.h>

#include "search/layout_hunt.h"

// Choices that agree with `prefix` on ops [0, fixed), and take none of the
// forbidden states at op `fixed`.
struct mw_choice_set {
    const int32_t *prefix;
    int32_t fixed;
    const uint8_t *forbidden; /* by state of op `fixed`; NULL: none */
    int64_t bound;
    bool solved, gone;
    mw_answer best;    /* when solved */
    mw_exclusion *cut; /* of homes, when all ops are fixed */
    int32_t n_cuts;
};

mw_status mw_next_init(mw_next *next, mw_hunt *hunt, mw_arena *arena,
                       const mw_axis_order *order, int n_orders)
{
    const mw_space *space = hunt->space;
    *next = (mw_next){.hunt = hunt,
                      .arena = arena,
                      .limit = MW_NO_LIMIT,
                      .order = order,
                      .n_orders = n_orders};
    next->op = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    next->allowed = MW_NEW_ARRAY(arena, space->n_nodes + 1, const uint8_t *);
    int64_t n_states = 1;
    for (int32_t i = 0; i < space->n_nodes; i++)
        n_states += mw_space_states(space, i);
    next->state_room = MW_NEW_ARRAY(arena, n_states, uint8_t);
    next->set = MW_NEW(arena, mw_choice_set);
    if (!next->op || !next->allowed || !next->state_room || !next->set)
        return MW_ENOMEM;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (space->node_op[i] != MW_NONE && mw_space_states(space, i) > 1)
            next->op[next->n_ops++] = i;
    }
    next->n_sets = next->cap_sets = 1;
    return MW_OK;
}

// Which states the set at hand allows, for the hunt.
static void allow(mw_next *next, const mw_choice_set *set)
{
    const mw_space *space = next->hunt->space;
    uint8_t *room = next->state_room;
    for (int32_t i = 0; i < space->n_nodes; i++)
        next->allowed[i] = NULL;
    for (int32_t j = 0; j <= set->fixed && j < next->n_ops; j++) {
        int32_t node = next->op[j], n = mw_space_states(space, node);
        if (j == set->fixed && !set->forbidden)
            break;
        for (int32_t s = 0; s < n; s++)
            room[s] =
                j < set->fixed ? s == set->prefix[node] : !set->forbidden[s];
        next->allowed[node] = room;
        room += n;
    }
    bool all = set->fixed == 0 && !set->forbidden;
    next->hunt->tables.allowed = all ? NULL : next->allowed;
}

static mw_status solve(mw_next *next, mw_choice_set *set, const int32_t *start)
{
    allow(next, set);
    next->hunt->exclusion = set->cut;
    next->hunt->n_exclusions = set->n_cuts;
    mw_status status = mw_hunt_time(next->hunt, next->limit, start, &set->best);
    next->hunt->tables.allowed = NULL;
    next->hunt->exclusion = NULL;
    next->hunt->n_exclusions = 0;
    if (status != MW_OK)
        return status;
    set->solved = true;
    set->gone = !set->best.state;
    if (set->best.status == MW_SOLVE_OPTIMAL)
        set->bound = set->best.figures.time_ps;
    else if (set->best.bound > set->bound)
        set->bound = set->best.bound;
    // Without an answer in time its bound still counts.
    if (set->gone && set->best.status == MW_SOLVE_UNKNOWN)
        set->gone = false;
    return MW_OK;
}

// The bound of a set by the dual: the best of the states it leaves.
static int64_t bound_of(const mw_next *next, const mw_choice_set *set)
{
    if (set->fixed == 0)
        return set->bound;
    int32_t node = next->op[set->fixed];
    const mw_space_dual *dual = next->dual[set->prefix[next->op[0]]];
    const int64_t *by_state = dual->least_ps[node];
    int64_t least = INT64_MAX;
    for (int32_t s = 0; s < mw_space_states(next->hunt->space, node); s++) {
        if (!set->forbidden[s] && by_state[s] < least)
            least = by_state[s];
    }
    return least > set->bound ? least : set->bound;
}

// In how many ways exchanges of equal axes change what an op does.
static int n_images(const mw_next *next, int32_t node, int32_t s)
{
    const mw_space *space = next->hunt->space;
    const mw_strategy *strategy =
        &space->op_class[space->node_class[node]].strategy[s];
    int n = 0;
    for (int i = 0; i < next->n_orders; i++) {
        mw_strategy image = mw_strategy_exchanged(strategy, &next->order[i]);
        bool again = false;
        for (int j = 0; j < i; j++) {
            mw_strategy other =
                mw_strategy_exchanged(strategy, &next->order[j]);
            again = again || mw_strategy_equal(&image, &other);
        }
        n += !again;
    }
    return n;
}

// Once the best choice is known, an op that tells axes apart becomes the first.
static mw_status choose_first(mw_next *next, const int32_t *state)
{
    int32_t best = 0;
    int most = 0;
    for (int32_t j = 0; j < next->n_ops; j++) {
        int n = n_images(next, next->op[j], state[next->op[j]]);
        if (n > most) {
            most = n;
            best = j;
        }
    }
    int32_t first = next->op[best];
    next->op[best] = next->op[0];
    next->op[0] = first;
    next->dual =
        MW_NEW_ARRAY(next->arena, mw_space_states(next->hunt->space, first),
                     mw_space_dual *);
    return next->dual ? MW_OK : MW_ENOMEM;
}

// The dual of a choice's side.
static mw_status find_dual(mw_next *next, const mw_answer *best)
{
    int32_t node = next->op[0], s = best->state[node];
    if (next->dual[s])
        return MW_OK;
    next->dual[s] = MW_NEW(next->arena, mw_space_dual);
    if (!next->dual[s])
        return MW_ENOMEM;
    return mw_space_dual_find(next->hunt->space, next->arena, node, s,
                              best->figures.time_ps, next->dual[s]);
}

static mw_status add_child(mw_next *next, int64_t parent, int32_t j)
{
    const mw_space *space = next->hunt->space;
    mw_choice_set *sets = mw_arena_reserve(next->arena, next->set, next->n_sets,
                                           &next->cap_sets, sizeof *sets);
    if (!sets)
        return MW_ENOMEM;
    next->set = sets;
    const mw_choice_set *from = &sets[parent];
    int32_t node = next->op[j], n = mw_space_states(space, node), n_left = 0;
    uint8_t *forbidden = MW_NEW_ARRAY(next->arena, n, uint8_t);
    if (!forbidden)
        return MW_ENOMEM;
    if (j == from->fixed && from->forbidden)
        memcpy(forbidden, from->forbidden, (size_t)n);
    forbidden[from->best.state[node]] = 1;
    for (int32_t s = 0; s < n; s++)
        n_left += !forbidden[s];
    if (n_left == 0)
        return MW_OK;
    mw_choice_set *child = &sets[next->n_sets++];
    *child = (mw_choice_set){.prefix = from->best.state,
                             .fixed = j,
                             .forbidden = forbidden,
                             .bound = from->best.figures.time_ps};
    if (from->best.status != MW_SOLVE_OPTIMAL)
        child->bound = from->bound;
    child->bound = bound_of(next, child);
    return MW_OK;
}

// Takes a set's best choice out: what is left becomes new sets.
static mw_status split(mw_next *next, int64_t parent)
{
    if (next->n_ops == 0 || next->set[parent].fixed == next->n_ops)
        return MW_OK;
    const mw_answer *best = &next->set[parent].best;
    if (!next->dual)
        MW_TRY(choose_first(next, best->state));
    MW_TRY(find_dual(next, best));
    for (int32_t j = next->set[parent].fixed; j < next->n_ops; j++)
        MW_TRY(add_child(next, parent, j));
    return MW_OK;
}

// The set with the least bound, those that are solved first.
static int64_t least_set(const mw_next *next, bool solved_only)
{
    int64_t best = MW_NONE;
    for (int64_t i = 0; i < next->n_sets; i++) {
        const mw_choice_set *set = &next->set[i];
        if (set->gone || (solved_only && !set->best.state))
            continue;
        int64_t key = solved_only ? set->best.figures.time_ps : set->bound;
        int64_t least = best == MW_NONE ? INT64_MAX
                        : solved_only   ? next->set[best].best.figures.time_ps
                                        : next->set[best].bound;
        // Of equal ones a solved set, else the one with most ops fixed: it is
        // solved soonest.
        if (best == MW_NONE || key < least ||
            (key == least && set->solved >= next->set[best].solved))
            best = i;
    }
    return best;
}

static void give(mw_next *next, int64_t i, int64_t bound, mw_answer *answer)
{
    *answer = next->set[i].best;
    if (answer->status != MW_SOLVE_OPTIMAL || bound < answer->figures.time_ps) {
        answer->status = MW_SOLVE_FEASIBLE;
        answer->bound = bound;
    }
    next->set[i].gone = true;
    next->given = i;
    next->pending = true;
}

// The homes of a choice, all together.
static mw_status cut_homes(mw_next *next, const int32_t *state,
                           mw_exclusion *cut)
{
    const mw_space *space = next->hunt->space;
    int32_t *node = MW_NEW_ARRAY(next->arena, space->n_nodes + 1, int32_t);
    int32_t *home = MW_NEW_ARRAY(next->arena, space->n_nodes + 1, int32_t);
    if (!node || !home)
        return MW_ENOMEM;
    int32_t n = 0;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (space->node_tensor[i] == MW_NONE || mw_space_states(space, i) == 1)
            continue;
        node[n] = i;
        home[n++] = state[i];
    }
    *cut = (mw_exclusion){n, node, home};
    return MW_OK;
}

mw_status mw_next_again(mw_next *next)
{
    mw_choice_set *sets = mw_arena_reserve(next->arena, next->set, next->n_sets,
                                           &next->cap_sets, sizeof *sets);
    if (!sets)
        return MW_ENOMEM;
    next->set = sets;
    const mw_choice_set *from = &sets[next->given];
    mw_exclusion *cut =
        MW_NEW_ARRAY(next->arena, from->n_cuts + 1, mw_exclusion);
    if (!cut)
        return MW_ENOMEM;
    for (int32_t i = 0; i < from->n_cuts; i++)
        cut[i] = from->cut[i];
    MW_TRY(cut_homes(next, from->best.state, &cut[from->n_cuts]));
    sets[next->n_sets++] = (mw_choice_set){.prefix = from->best.state,
                                           .fixed = next->n_ops,
                                           .bound = from->bound,
                                           .cut = cut,
                                           .n_cuts = from->n_cuts + 1};
    return MW_OK;
}

mw_status mw_next_choice(mw_next *next, const int32_t *start, mw_answer *answer)
{
    *answer = (mw_answer){.status = MW_SOLVE_INFEASIBLE};
    if (next->pending)
        MW_TRY(split(next, next->given));
    next->pending = false;
    for (;;) {
        int64_t first = least_set(next, false);
        if (first == MW_NONE)
            return MW_OK;
        const mw_choice_set *set = &next->set[first];
        if (set->solved && set->best.state) {
            give(next, first, set->bound, answer);
            return MW_OK;
        }
        bool over =
            first > 0 && (next->solves_left <= 0 || mw_hunt_over(next->hunt));
        if (over || set->solved) {
            int64_t known = least_set(next, true);
            answer->status = MW_SOLVE_UNKNOWN;
            answer->bound = set->bound;
            if (known != MW_NONE)
                give(next, known, set->bound, answer);
            return MW_OK;
        }
        next->solves_left -= first > 0;
        MW_TRY(solve(next, &next->set[first], start));
        start = NULL;
        *answer = next->set[first].best;
    }
}
