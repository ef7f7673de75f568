/* global.c - every rule priced by tables. Ops that look alike and have the same
 * dimensions are one item, as are homes; what a rule makes of an item depends
 * only on the digits of its sets there. A rule then costs a few look-ups. */
#include "search/global.h"

#include <stdlib.h>
#include <string.h>

#include "search/layout_intern.h"
#include "search/problem.h"

// Ops or homes that every rule treats alike.
typedef struct item {
    int32_t node, count;
    int32_t base;   /* digits: 0 nothing, j + 1: the j-th letter or axis */
    int32_t *digit; /* by set; MW_NONE: two of them, no rule */
    int32_t *state; /* by the digits of all axes; MW_NONE: not allowed */
} item;

typedef struct joint {
    int32_t link_class, op_item, home_item, count;
} joint;

struct mw_global_tables {
    int32_t n_items, n_joints;
    int64_t cap_items, cap_joints;
    item *item;
    joint *joint;
    int32_t *node_item;
    int32_t *chosen; /* by item, of the rule at hand */
    int n_axes;
    int axis[MW_MAX_MESH]; /* longer than 1 */
};

enum { MAX_ITEM_STATES = 1 << 22 };

static void meet(uint8_t *meets, int n, mw_id a, mw_id b)
{
    if (a == MW_NONE || b == MW_NONE || a == b)
        return;
    meets[(int64_t)a * n + b] = 1;
    meets[(int64_t)b * n + a] = 1;
}

mw_status mw_global_interference(mw_arena *arena, const mw_graph *graph,
                                 uint8_t **meets)
{
    int n = graph->n_dims;
    uint8_t *made = MW_NEW_ARRAY(arena, (int64_t)n * n + 1, uint8_t);
    if (!made)
        return MW_ENOMEM;
    if (graph->interferes)
        memcpy(made, graph->interferes, (size_t)n * (size_t)n);
    for (int k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        for (int i = 0; i < op->n_letters; i++) {
            for (int j = 0; j < i; j++)
                meet(made, n, op->letter[i].dim, op->letter[j].dim);
        }
    }
    for (int t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        for (int i = 0; i < tensor->rank; i++) {
            for (int j = 0; j < i; j++)
                meet(made, n, tensor->axis[i].dim, tensor->axis[j].dim);
        }
    }
    *meets = made;
    return MW_OK;
}

// Dimensions that some tensor has.
static mw_status used_dims(mw_arena *arena, const mw_graph *graph, mw_id **dims,
                           int *n)
{
    uint8_t *used = MW_NEW_ARRAY(arena, graph->n_dims + 1, uint8_t);
    mw_id *list = MW_NEW_ARRAY(arena, graph->n_dims + 1, mw_id);
    if (!used || !list)
        return MW_ENOMEM;
    for (int t = 0; t < graph->n_tensors; t++) {
        for (int i = 0; i < graph->tensor[t].rank; i++) {
            if (graph->tensor[t].axis[i].dim != MW_NONE)
                used[graph->tensor[t].axis[i].dim] = 1;
        }
    }
    *n = 0;
    for (mw_id d = 0; d < graph->n_dims; d++) {
        if (used[d])
            list[(*n)++] = d;
    }
    *dims = list;
    return MW_OK;
}

typedef struct sets {
    mw_arena *arena;
    const uint8_t *meets;
    const mw_id *dim;
    int n_used, n_dims;
    uint8_t *set;
    int64_t n, cap, most;
    uint8_t *now;
} sets;

// Adds every independent set that agrees with `now` before dimension i.
static mw_status add_sets(sets *all, int i)
{
    if (all->n > all->most)
        return MW_OK;
    if (i == all->n_used) {
        uint8_t *more = mw_arena_reserve(all->arena, all->set, all->n,
                                         &all->cap, (size_t)all->n_dims);
        if (!more)
            return MW_ENOMEM;
        all->set = more;
        memcpy(more + all->n++ * all->n_dims, all->now, (size_t)all->n_dims);
        return MW_OK;
    }
    mw_id d = all->dim[i];
    MW_TRY(add_sets(all, i + 1));
    for (int j = 0; j < i; j++) {
        if (all->now[all->dim[j]] &&
            all->meets[(int64_t)d * all->n_dims + all->dim[j]])
            return MW_OK;
    }
    all->now[d] = 1;
    MW_TRY(add_sets(all, i + 1));
    all->now[d] = 0;
    return MW_OK;
}

// The most sets an axis may have for all rules to be priced.
static int64_t most_sets(int n_axes, int64_t most_rules)
{
    int64_t most = 1;
    for (;;) {
        int64_t rules = 1;
        for (int a = 0; a < n_axes; a++)
            rules *= most + 1;
        if (rules > most_rules || n_axes == 0)
            return most;
        most++;
    }
}

static mw_status find_sets(mw_global *global, mw_arena *arena, int64_t most)
{
    const mw_graph *graph = global->space->on.graph;
    uint8_t *meets;
    mw_id *dims;
    sets all = {.arena = arena, .n_dims = graph->n_dims};
    MW_TRY(mw_global_interference(arena, graph, &meets));
    MW_TRY(used_dims(arena, graph, &dims, &all.n_used));
    if (global->tables->n_axes == 0)
        all.n_used = 0;
    all.meets = meets;
    all.dim = dims;
    all.most = most_sets(global->tables->n_axes, most);
    all.now = MW_NEW_ARRAY(arena, graph->n_dims + 1, uint8_t);
    if (!all.now)
        return MW_ENOMEM;
    MW_TRY(add_sets(&all, 0));
    global->too_many = all.n > all.most;
    global->set = all.set;
    global->n_sets = (int32_t)all.n;
    return MW_OK;
}

// Dimension of the j-th letter of an op or axis of a home; MW_NONE: may not be
// split there.
static mw_id dim_of(const mw_space *space, int32_t node, int j)
{
    mw_id k = space->node_op[node];
    if (k == MW_NONE)
        return space->on.graph->tensor[space->node_tensor[node]].axis[j].dim;
    const mw_letter *letter = &space->on.graph->op[k].letter[j];
    return letter->pinned ? MW_NONE : letter->dim;
}

static int n_dims_of(const mw_space *space, int32_t node)
{
    mw_id k = space->node_op[node];
    return k == MW_NONE ? space->on.graph->tensor[space->node_tensor[node]].rank
                        : space->on.graph->op[k].n_letters;
}

static mw_status find_digits(mw_global *global, mw_arena *arena, item *made)
{
    const mw_space *space = global->space;
    int n = n_dims_of(space, made->node);
    int n_dims = space->on.graph->n_dims;
    made->base = n + 1;
    made->digit = MW_NEW_ARRAY(arena, global->n_sets, int32_t);
    if (!made->digit)
        return MW_ENOMEM;
    for (int32_t i = 0; i < global->n_sets; i++) {
        for (int j = 0; j < n; j++) {
            mw_id d = dim_of(space, made->node, j);
            if (d != MW_NONE && global->set[(int64_t)i * n_dims + d])
                made->digit[i] = made->digit[i] == 0 ? j + 1 : MW_NONE;
        }
    }
    return MW_OK;
}

// What the space calls an item whose axes have these letters or roles.
static int32_t state_of(const mw_space *space, int32_t node,
                        const mw_layout *roles)
{
    mw_id t = space->node_tensor[node];
    if (t != MW_NONE) {
        const mw_home_class *c = &space->home_class[space->node_class[node]];
        return c->fixed ? 0 : mw_space_find_layout(space, node, roles);
    }
    mw_strategy strategy;
    for (int a = 0; a < MW_MAX_MESH; a++)
        strategy.split[a] = roles->role[a];
    return mw_space_find_strategy(space, node, &strategy);
}

static mw_status find_states(mw_global *global, mw_arena *arena, item *made)
{
    const struct mw_global_tables *tables = global->tables;
    int64_t n = 1;
    for (int a = 0; a < tables->n_axes; a++) {
        n *= made->base;
        if (n > MAX_ITEM_STATES) {
            global->too_many = true;
            return MW_OK;
        }
    }
    made->state = MW_NEW_ARRAY(arena, n, int32_t);
    if (!made->state)
        return MW_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        mw_layout roles = mw_layout_replicated();
        int64_t rest = i;
        for (int a = tables->n_axes - 1; a >= 0; a--) {
            roles.role[tables->axis[a]] = (int8_t)(rest % made->base - 1);
            rest /= made->base;
        }
        made->state[i] = state_of(global->space, made->node, &roles);
    }
    return MW_OK;
}

static mw_status add_item(mw_global *global, mw_arena *arena, int32_t node)
{
    struct mw_global_tables *tables = global->tables;
    item *items = mw_arena_reserve(arena, tables->item, tables->n_items,
                                   &tables->cap_items, sizeof *items);
    if (!items)
        return MW_ENOMEM;
    tables->item = items;
    item *made = &items[tables->n_items++];
    *made = (item){.node = node};
    MW_TRY(find_digits(global, arena, made));
    return find_states(global, arena, made);
}

static mw_status find_items(mw_global *global, mw_arena *arena)
{
    const mw_space *space = global->space;
    struct mw_global_tables *tables = global->tables;
    mw_intern known = {.arena = arena};
    mw_key key = {.arena = arena};
    for (int32_t i = 0; i < space->n_nodes; i++) {
        mw_key_clear(&key);
        mw_key_add(&key, space->node_op[i] == MW_NONE);
        mw_key_add(&key, space->node_class[i]);
        for (int j = 0; j < n_dims_of(space, i); j++)
            mw_key_add(&key, dim_of(space, i, j));
        bool fresh;
        MW_TRY(mw_intern_key(&known, &key, &tables->node_item[i], &fresh));
        if (fresh)
            MW_TRY(add_item(global, arena, i));
        tables->item[tables->node_item[i]].count++;
    }
    return MW_OK;
}

static mw_status find_joints(mw_global *global, mw_arena *arena)
{
    const mw_space *space = global->space;
    struct mw_global_tables *tables = global->tables;
    mw_intern known = {.arena = arena};
    mw_key key = {.arena = arena};
    for (int32_t i = 0; i < space->n_links; i++) {
        const mw_link *link = &space->link[i];
        joint made = {link->link_class,
                      tables->node_item[space->op_node[link->op]],
                      tables->node_item[space->home_node[link->tensor]], 0};
        mw_key_clear(&key);
        mw_key_add(&key, made.link_class);
        mw_key_add(&key, made.op_item);
        mw_key_add(&key, made.home_item);
        bool fresh;
        int32_t id;
        MW_TRY(mw_intern_key(&known, &key, &id, &fresh));
        if (fresh) {
            joint *joints =
                mw_arena_reserve(arena, tables->joint, tables->n_joints,
                                 &tables->cap_joints, sizeof *joints);
            if (!joints)
                return MW_ENOMEM;
            tables->joint = joints;
            joints[tables->n_joints++] = made;
        }
        tables->joint[id].count++;
    }
    return MW_OK;
}

// What rule `index` makes of every item; false when some state is not allowed.
static bool choose(const mw_global *global, int32_t index)
{
    const struct mw_global_tables *tables = global->tables;
    int32_t set[MW_MAX_MESH];
    for (int a = tables->n_axes - 1; a >= 0; a--) {
        set[a] = index % global->n_sets;
        index /= global->n_sets;
    }
    for (int32_t i = 0; i < tables->n_items; i++) {
        const item *it = &tables->item[i];
        int64_t at = 0;
        for (int a = 0; a < tables->n_axes; a++) {
            if (it->digit[set[a]] == MW_NONE)
                return false;
            at = at * it->base + it->digit[set[a]];
        }
        tables->chosen[i] = it->state[at];
        if (tables->chosen[i] == MW_NONE)
            return false;
    }
    return true;
}

// The time of the rule at hand; false when a conversion has no path.
static bool price(const mw_global *global, int64_t *time_ps)
{
    const mw_space *space = global->space;
    const struct mw_global_tables *tables = global->tables;
    int64_t sum = 0;
    for (int32_t i = 0; i < tables->n_items; i++) {
        const item *it = &tables->item[i];
        if (space->node_op[it->node] != MW_NONE)
            sum += it->count * space->op_class[space->node_class[it->node]]
                                   .time_ps[tables->chosen[i]];
    }
    for (int32_t i = 0; i < tables->n_joints; i++) {
        const joint *j = &tables->joint[i];
        const mw_link_class *c = &space->link_class[j->link_class];
        int64_t cell =
            (int64_t)c->row[tables->chosen[j->op_item]] * c->n_homes +
            tables->chosen[j->home_item];
        if (c->time_ps[cell] >= MW_INFINITE)
            return false;
        sum += j->count * c->time_ps[cell];
    }
    *time_ps = sum;
    return true;
}

static void states(const mw_global *global, int32_t index, int32_t *state)
{
    (void)choose(global, index);
    for (int32_t i = 0; i < global->space->n_nodes; i++)
        state[i] = global->tables->chosen[global->tables->node_item[i]];
}

static void weigh(mw_global *global, mw_global_rule *rule, int32_t *state)
{
    if (rule->weighed)
        return;
    mw_space_figures figures;
    states(global, rule->index, state);
    mw_space_evaluate(global->space, state, global->live, &figures);
    rule->peak_bytes = figures.peak_bytes;
    rule->weighed = true;
}

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_time(const void *a, const void *b)
{
    const mw_global_rule *x = a, *y = b;
    int order = compare(x->time_ps, y->time_ps);
    return order ? order : compare(x->index, y->index);
}

static int by_peak(const void *a, const void *b)
{
    const mw_global_rule *x = a, *y = b;
    int order = compare(x->peak_bytes, y->peak_bytes);
    return order ? order : by_time(a, b);
}

static mw_status price_all(mw_global *global, mw_arena *arena)
{
    int32_t n = 1;
    for (int a = 0; a < global->tables->n_axes; a++)
        n *= global->n_sets;
    global->rule = MW_NEW_ARRAY(arena, n, mw_global_rule);
    if (!global->rule)
        return MW_ENOMEM;
    for (int32_t i = 0; i < n; i++) {
        int64_t time_ps;
        if (choose(global, i) && price(global, &time_ps))
            global->rule[global->n_rules++] =
                (mw_global_rule){.time_ps = time_ps, .index = i};
    }
    return MW_OK;
}

mw_status mw_global_open(mw_global *global, const mw_space *space,
                         mw_arena *arena, int64_t most, bool order_by_peak)
{
    *global = (mw_global){.space = space, .by_peak = order_by_peak};
    struct mw_global_tables *tables = MW_NEW(arena, struct mw_global_tables);
    global->tables = tables;
    global->live = MW_NEW_ARRAY(arena, space->n_steps + 1, int64_t);
    if (!tables || !global->live)
        return MW_ENOMEM;
    for (int a = 0; a < MW_MAX_MESH; a++) {
        if (space->mesh_axes >> a & 1)
            tables->axis[tables->n_axes++] = a;
    }
    tables->node_item = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    tables->chosen = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    int32_t *state = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    if (!tables->node_item || !tables->chosen || !state)
        return MW_ENOMEM;
    MW_TRY(find_sets(global, arena, most));
    if (global->too_many)
        return MW_OK;
    MW_TRY(find_items(global, arena));
    if (global->too_many)
        return MW_OK;
    MW_TRY(find_joints(global, arena));
    MW_TRY(price_all(global, arena));
    for (int32_t i = 0; order_by_peak && i < global->n_rules; i++)
        weigh(global, &global->rule[i], state);
    qsort(global->rule, (size_t)global->n_rules, sizeof *global->rule,
          order_by_peak ? by_peak : by_time);
    global->sorted = order_by_peak ? global->n_rules : 0;
    return MW_OK;
}

// Rules of equal time come by peak: the group that begins at `next` is sorted
// when it is reached.
static void sort_group(mw_global *global, int32_t *state)
{
    int32_t begin = global->next, end = begin;
    mw_global_rule *rule = global->rule;
    while (end < global->n_rules && rule[end].time_ps == rule[begin].time_ps)
        weigh(global, &rule[end++], state);
    qsort(rule + begin, (size_t)(end - begin), sizeof *rule, by_peak);
    global->sorted = end;
}

bool mw_global_next(mw_global *global, int64_t limit, int32_t *state)
{
    while (global->next < global->n_rules) {
        if (global->next >= global->sorted)
            sort_group(global, state);
        mw_global_rule *rule = &global->rule[global->next++];
        if (rule->peak_bytes <= limit) {
            states(global, rule->index, state);
            return true;
        }
    }
    return false;
}

uint32_t mw_global_axes(const mw_global *global, mw_id dim)
{
    const struct mw_global_tables *tables = global->tables;
    int32_t index = global->rule[global->next - 1].index;
    int n_dims = global->space->on.graph->n_dims;
    uint32_t axes = 0;
    for (int a = tables->n_axes - 1; a >= 0; a--) {
        int64_t set = index % global->n_sets;
        index /= global->n_sets;
        if (global->set[set * n_dims + dim])
            axes |= UINT32_C(1) << tables->axis[a];
    }
    return axes;
}

bool mw_global_least(mw_global *global, int32_t *state, int64_t *peak_bytes)
{
    const mw_global_rule *best = NULL;
    for (int32_t i = 0; i < global->n_rules; i++) {
        weigh(global, &global->rule[i], state);
        if (!best || by_peak(&global->rule[i], best) < 0)
            best = &global->rule[i];
    }
    if (!best)
        return false;
    states(global, best->index, state);
    *peak_bytes = best->peak_bytes;
    return true;
}
