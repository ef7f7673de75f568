/* layout_symmetry.c - exchanges of equal mesh axes by probing the cost model,
 * and a canonical key of a plan: the least, over exchanges, of its sorted
 * (class, strategy) pairs. */
#include "search/layout_symmetry.h"

#include <stdlib.h>

// The set of axes after a and b change places.
static uint32_t swapped(uint32_t axes, int a, int b)
{
    uint32_t in_a = axes >> a & 1, in_b = axes >> b & 1;
    axes &= ~(UINT32_C(1) << a | UINT32_C(1) << b);
    return axes | in_a << b | in_b << a;
}

static bool alike(const mw_mesh *mesh, const mw_costs *costs, int a, int b)
{
    static const int64_t bytes[] = {4, 4096, 1 << 20, 1 << 28};
    if (mesh->axis[a].size != mesh->axis[b].size)
        return false;
    for (uint32_t axes = 1; axes < UINT32_C(1) << mesh->n_axes; axes++) {
        uint32_t other = swapped(axes, a, b);
        int64_t peers = mw_mesh_group_size(mesh, axes) - 1;
        for (int kind = 0; other != axes && kind < MW_N_COLLECTIVES; kind++) {
            for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
                if (costs->step_ps(costs, mesh, (mw_collective)kind, axes,
                                   bytes[i], peers, NULL) !=
                    costs->step_ps(costs, mesh, (mw_collective)kind, other,
                                   bytes[i], peers, NULL))
                    return false;
            }
        }
    }
    return true;
}

typedef struct orders {
    mw_arena *arena;
    mw_axis_order *order;
    int n;
    int64_t cap;
    int group[MW_MAX_MESH]; /* first axis that is alike */
} orders;

// Gives axis a each free place of its group, and goes on with the next.
static mw_status place(orders *all, int n_axes, int a, uint32_t taken,
                       mw_axis_order *order)
{
    if (a == n_axes) {
        mw_axis_order *more = mw_arena_reserve(all->arena, all->order, all->n,
                                               &all->cap, sizeof *more);
        if (!more)
            return MW_ENOMEM;
        all->order = more;
        more[all->n++] = *order;
        return MW_OK;
    }
    for (int b = 0; b < n_axes; b++) {
        if (taken >> b & 1 || all->group[a] != all->group[b])
            continue;
        order->to[a] = (int8_t)b;
        MW_TRY(place(all, n_axes, a + 1, taken | UINT32_C(1) << b, order));
    }
    return MW_OK;
}

mw_status mw_axis_orders(mw_arena *arena, const mw_mesh *mesh,
                         const mw_costs *costs, mw_axis_order **order,
                         int *n_orders)
{
    orders all = {.arena = arena};
    for (int a = 0; a < mesh->n_axes; a++) {
        all.group[a] = a;
        for (int b = a - 1; b >= 0; b--) {
            if (alike(mesh, costs, a, b))
                all.group[a] = all.group[b];
        }
    }
    mw_axis_order first;
    for (int a = 0; a < MW_MAX_MESH; a++)
        first.to[a] = (int8_t)a;
    MW_TRY(place(&all, mesh->n_axes, 0, 0, &first));
    *order = all.order;
    *n_orders = all.n;
    return MW_OK;
}

mw_strategy mw_strategy_exchanged(const mw_strategy *strategy,
                                  const mw_axis_order *order)
{
    mw_strategy made;
    for (int a = 0; a < MW_MAX_MESH; a++)
        made.split[order->to[a]] = strategy->split[a];
    return made;
}

typedef struct entry {
    int32_t op_class;
    mw_strategy strategy;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->op_class != y->op_class)
        return x->op_class < y->op_class ? -1 : 1;
    for (int i = 0; i < MW_MAX_MESH; i++) {
        if (x->strategy.split[i] != y->strategy.split[i])
            return x->strategy.split[i] < y->strategy.split[i] ? -1 : 1;
    }
    return 0;
}

static void key_of(const mw_space *space, const int32_t *state,
                   const mw_axis_order *order, entry *entries, mw_key *key)
{
    size_t n = 0;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (space->node_op[i] == MW_NONE)
            continue;
        int32_t c = space->node_class[i];
        entries[n++] =
            (entry){c, mw_strategy_exchanged(
                           &space->op_class[c].strategy[state[i]], order)};
    }
    qsort(entries, n, sizeof *entries, compare_entries);
    mw_key_clear(key);
    for (size_t i = 0; i < n; i++) {
        int64_t word = 0;
        for (int a = 0; a < MW_MAX_MESH; a++)
            word = word * 256 + entries[i].strategy.split[a] + 128;
        mw_key_add(key, entries[i].op_class);
        mw_key_add(key, word);
    }
}

mw_status mw_plan_key(const mw_space *space, const int32_t *state,
                      const mw_axis_order *order, int n_orders, mw_key *key)
{
    entry *entries = MW_NEW_ARRAY(key->arena, space->n_nodes + 1, entry);
    if (!entries)
        return MW_ENOMEM;
    mw_key other = {.arena = key->arena};
    for (int i = 0; i < n_orders; i++) {
        mw_key *made = i == 0 ? key : &other;
        key_of(space, state, &order[i], entries, made);
        if (made->failed)
            return MW_ENOMEM;
        if (made == &other && mw_key_compare(&other, key) < 0) {
            mw_key_clear(key);
            for (int64_t w = 0; w < other.n; w++)
                mw_key_add(key, other.word[w]);
        }
    }
    return key->failed ? MW_ENOMEM : MW_OK;
}
