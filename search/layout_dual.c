/* layout_dual.c - sequential reweighting (Kolmogorov's TRW-S) in integers: in
 * schedule order each node gathers what its links can give and passes it on,
 * shared among the links ahead; then backwards. The strategies of a row count
 * as one in a link. */
#include "search/layout_dual.h"

#include <stdlib.h>
#include <string.h>

#include "search/problem.h"

enum { MAX_SWEEPS = 300, MIN_SWEEPS = 4, SWEEPS_A_LOOK = 4 };
/* A look that gains less than this part of the bound is the last. */
static const int64_t enough = 1000000;
static const int64_t work_limit = 400000000;
/* Stands for what is forbidden: sums of many stay within 64 bits. */
static const int64_t huge = INT64_C(1000000000000000);

typedef struct side {
    int32_t node, link;
    bool ahead; /* the other end comes later */
} side;

typedef struct dual {
    const mw_space *space;
    mw_arena *arena;
    int32_t *order; /* nodes by place */
    int32_t *rank;  /* of each node in it */
    side *side;     /* of each node, by side_of */
    int32_t *side_of;
    int64_t **at_op;             /* by link and strategy: taken from the link */
    int64_t **at_home;           /* by link and home */
    int64_t *sum, *most, *given; /* scratch, by state or row */
    int32_t fixed, state;        /* a node that has this state */
} dual;

static int64_t capped(int64_t cost)
{
    return cost < huge ? cost : huge;
}

static int32_t op_of(const dual *d, int32_t link)
{
    return d->space->op_node[d->space->link[link].op];
}

static int32_t home_of(const dual *d, int32_t link)
{
    return d->space->home_node[d->space->link[link].tensor];
}

static const mw_link_class *class_of(const dual *d, int32_t link)
{
    return &d->space->link_class[d->space->link[link].link_class];
}

// What a state costs by itself.
static int64_t own_cost(const dual *d, int32_t node, int32_t s)
{
    const mw_space *space = d->space;
    int64_t cost = 0;
    if (space->node_op[node] != MW_NONE)
        cost = space->op_class[space->node_class[node]].time_ps[s];
    return node == d->fixed && s != d->state ? huge : cost;
}

// What the link can give its op, by row: min over homes.
static void gather_rows(const dual *d, int32_t link, int64_t *rows)
{
    const mw_link_class *c = class_of(d, link);
    const int64_t *at_home = d->at_home[link];
    for (int32_t r = 0; r < c->n_rows; r++) {
        const int64_t *time_ps = c->time_ps + (int64_t)r * c->n_homes;
        int64_t least = INT64_MAX;
        for (int32_t h = 0; h < c->n_homes; h++) {
            int64_t cost = capped(time_ps[h]) - at_home[h];
            least = cost < least ? cost : least;
        }
        rows[r] = least;
    }
}

// What the link can give its home: min over rows of what their best strategy
// leaves.
static void gather_homes(const dual *d, int32_t link, int64_t *homes)
{
    const mw_link_class *c = class_of(d, link);
    int32_t n = d->space->op_class[c->op_class].n;
    for (int32_t r = 0; r < c->n_rows; r++)
        d->most[r] = -huge * 64;
    for (int32_t s = 0; s < n; s++) {
        int64_t *most = &d->most[c->row[s]];
        *most = d->at_op[link][s] > *most ? d->at_op[link][s] : *most;
    }
    for (int32_t h = 0; h < c->n_homes; h++)
        homes[h] = INT64_MAX;
    for (int32_t r = 0; r < c->n_rows; r++) {
        const int64_t *time_ps = c->time_ps + (int64_t)r * c->n_homes;
        for (int32_t h = 0; h < c->n_homes; h++) {
            int64_t cost = capped(time_ps[h]) - d->most[r];
            homes[h] = cost < homes[h] ? cost : homes[h];
        }
    }
}

// Takes from all links of a node what they can give; sum[]: with its own cost.
static void gather(const dual *d, int32_t node, int64_t *sum)
{
    const mw_space *space = d->space;
    bool op = space->node_op[node] != MW_NONE;
    int32_t n = mw_space_states(space, node);
    for (int32_t s = 0; s < n; s++)
        sum[s] = own_cost(d, node, s);
    for (int32_t i = d->side_of[node]; i < d->side_of[node + 1]; i++) {
        int32_t link = d->side[i].link;
        if (op) {
            const int32_t *row = class_of(d, link)->row;
            gather_rows(d, link, d->given);
            for (int32_t s = 0; s < n; s++)
                d->at_op[link][s] = d->given[row[s]];
        } else {
            gather_homes(d, link, d->at_home[link]);
        }
        const int64_t *at = op ? d->at_op[link] : d->at_home[link];
        for (int32_t s = 0; s < n; s++)
            sum[s] += at[s];
    }
}

// Gives the node's sum to the links on one side, in equal parts.
static void visit(const dual *d, int32_t node, bool forward)
{
    int32_t n = mw_space_states(d->space, node), n_ahead = 0;
    int32_t n_sides = d->side_of[node + 1] - d->side_of[node];
    gather(d, node, d->sum);
    for (int32_t i = d->side_of[node]; i < d->side_of[node + 1]; i++)
        n_ahead += d->side[i].ahead == forward;
    int32_t parts = n_ahead > n_sides - n_ahead ? n_ahead : n_sides - n_ahead;
    for (int32_t i = d->side_of[node]; i < d->side_of[node + 1]; i++) {
        if (d->side[i].ahead != forward)
            continue;
        int32_t link = d->side[i].link;
        int64_t *at = d->space->node_op[node] != MW_NONE ? d->at_op[link]
                                                         : d->at_home[link];
        for (int32_t s = 0; s < n; s++)
            at[s] -= d->sum[s] / parts;
    }
}

static int64_t least_of(const int64_t *value, int32_t n)
{
    int64_t least = INT64_MAX;
    for (int32_t i = 0; i < n; i++)
        least = value[i] < least ? value[i] : least;
    return least;
}

static int64_t least_link(const dual *d, int32_t link)
{
    const mw_link_class *c = class_of(d, link);
    int64_t *homes = d->given, least = INT64_MAX;
    gather_homes(d, link, homes);
    for (int32_t h = 0; h < c->n_homes; h++) {
        int64_t cost = homes[h] - d->at_home[link][h];
        least = cost < least ? cost : least;
    }
    return least;
}

// What a node keeps: its cost and what it took from its links.
static int64_t least_node(const dual *d, int32_t node)
{
    const mw_space *space = d->space;
    bool op = space->node_op[node] != MW_NONE;
    int32_t n = mw_space_states(space, node);
    for (int32_t s = 0; s < n; s++) {
        d->sum[s] = own_cost(d, node, s);
        for (int32_t i = d->side_of[node]; i < d->side_of[node + 1]; i++) {
            int32_t link = d->side[i].link;
            d->sum[s] += op ? d->at_op[link][s] : d->at_home[link][s];
        }
    }
    return least_of(d->sum, n);
}

static int64_t bound(const dual *d)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < d->space->n_nodes; i++)
        sum += least_node(d, i);
    for (int32_t i = 0; i < d->space->n_links; i++)
        sum += least_link(d, i);
    return sum;
}

// The bound with each state of an op: the rest of it, and what the op's links
// can give that state.
static mw_status find_least(const dual *d, int32_t node, int64_t total,
                            mw_space_dual *made)
{
    int32_t n = mw_space_states(d->space, node);
    int64_t *least = MW_NEW_ARRAY(d->arena, n, int64_t);
    if (!least)
        return MW_ENOMEM;
    int64_t rest = total - least_node(d, node);
    for (int32_t i = d->side_of[node]; i < d->side_of[node + 1]; i++)
        rest -= least_link(d, d->side[i].link);
    for (int32_t s = 0; s < n; s++)
        least[s] = rest + own_cost(d, node, s);
    for (int32_t i = d->side_of[node]; i < d->side_of[node + 1]; i++) {
        int32_t link = d->side[i].link;
        gather_rows(d, link, d->given);
        for (int32_t s = 0; s < n; s++)
            least[s] += d->given[class_of(d, link)->row[s]];
    }
    made->least_ps[node] = least;
    return MW_OK;
}

// An op's place; its results' homes come after it, others before their first
// use, so that a chain of ops is one chain of nodes.
static int32_t place_of(const dual *d, int32_t node)
{
    const mw_space *space = d->space;
    mw_id t = space->node_tensor[node];
    if (t == MW_NONE)
        return 2 * space->node_op[node] + 1;
    int32_t first = space->n_steps;
    for (int32_t i = d->side_of[node]; i < d->side_of[node + 1]; i++) {
        const mw_link *link = &space->link[d->side[i].link];
        if (link->output && space->on.graph->tensor[t].producer == link->op)
            return 2 * link->op + 2;
        first = link->op < first ? link->op : first;
    }
    return 2 * first;
}

// Nodes by place: a counting sort.
static mw_status find_order(dual *d)
{
    const mw_space *space = d->space;
    int32_t n_places = 2 * space->n_steps + 3;
    int32_t *first = MW_NEW_ARRAY(d->arena, n_places + 1, int32_t);
    d->order = MW_NEW_ARRAY(d->arena, space->n_nodes + 1, int32_t);
    d->rank = MW_NEW_ARRAY(d->arena, space->n_nodes + 1, int32_t);
    if (!first || !d->order || !d->rank)
        return MW_ENOMEM;
    for (int32_t i = 0; i < space->n_nodes; i++)
        first[place_of(d, i) + 1]++;
    for (int32_t k = 0; k < n_places; k++)
        first[k + 1] += first[k];
    for (int32_t i = 0; i < space->n_nodes; i++) {
        int32_t at = first[place_of(d, i)]++;
        d->order[at] = i;
        d->rank[i] = at;
    }
    return MW_OK;
}

static mw_status find_sides(dual *d)
{
    const mw_space *space = d->space;
    d->side_of = MW_NEW_ARRAY(d->arena, space->n_nodes + 2, int32_t);
    d->side = MW_NEW_ARRAY(d->arena, 2 * space->n_links + 1, side);
    if (!d->side_of || !d->side)
        return MW_ENOMEM;
    int32_t *next = d->side_of + 1;
    for (int32_t i = 0; i < space->n_links; i++) {
        next[op_of(d, i)]++;
        next[home_of(d, i)]++;
    }
    int32_t sum = 0;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        int32_t count = next[i];
        next[i] = sum;
        sum += count;
    }
    for (int32_t i = 0; i < space->n_links; i++) {
        int32_t op = op_of(d, i), home = home_of(d, i);
        d->side[next[op]++] = (side){op, i, false};
        d->side[next[home]++] = (side){home, i, false};
    }
    return MW_OK;
}

// Which links of a node lead to one that comes later.
static void look_ahead(dual *d)
{
    for (int32_t i = 0; i < 2 * d->space->n_links; i++) {
        side *it = &d->side[i];
        int32_t op = op_of(d, it->link), home = home_of(d, it->link);
        int32_t other = it->node == op ? home : op;
        it->ahead = d->rank[other] > d->rank[it->node];
    }
}

static mw_status allocate(dual *d, int64_t *work)
{
    const mw_space *space = d->space;
    int64_t most = 1;
    d->at_op = MW_NEW_ARRAY(d->arena, space->n_links + 1, int64_t *);
    d->at_home = MW_NEW_ARRAY(d->arena, space->n_links + 1, int64_t *);
    if (!d->at_op || !d->at_home)
        return MW_ENOMEM;
    for (int32_t i = 0; i < space->n_nodes; i++)
        most =
            mw_space_states(space, i) > most ? mw_space_states(space, i) : most;
    *work = 1;
    for (int32_t i = 0; i < space->n_links; i++) {
        const mw_link_class *c = class_of(d, i);
        int32_t n = space->op_class[c->op_class].n;
        *work += 4 * ((int64_t)c->n_rows * c->n_homes + n);
        d->at_op[i] = MW_NEW_ARRAY(d->arena, n, int64_t);
        d->at_home[i] = MW_NEW_ARRAY(d->arena, c->n_homes, int64_t);
        if (!d->at_op[i] || !d->at_home[i])
            return MW_ENOMEM;
    }
    d->sum = MW_NEW_ARRAY(d->arena, most, int64_t);
    d->most = MW_NEW_ARRAY(d->arena, most, int64_t);
    d->given = MW_NEW_ARRAY(d->arena, most, int64_t);
    return d->sum && d->most && d->given ? MW_OK : MW_ENOMEM;
}

mw_status mw_space_dual_find(const mw_space *space, mw_arena *arena,
                             int32_t node, int32_t state, int64_t target_ps,
                             mw_space_dual *made)
{
    dual d = {.space = space, .arena = arena, .fixed = node, .state = state};
    int64_t work, last = INT64_MIN / 2;
    MW_TRY(find_sides(&d));
    MW_TRY(find_order(&d));
    look_ahead(&d);
    MW_TRY(allocate(&d, &work));
    int64_t sweeps = work_limit / work;
    sweeps = sweeps > MAX_SWEEPS ? MAX_SWEEPS : sweeps;
    sweeps = sweeps < MIN_SWEEPS ? MIN_SWEEPS : sweeps;
    for (int64_t i = 0; i < sweeps && !mw_stopped(space->ctx); i++) {
        for (int32_t k = 0; k < space->n_nodes; k++)
            visit(&d, d.order[k], true);
        for (int32_t k = space->n_nodes - 1; k >= 0; k--)
            visit(&d, d.order[k], false);
        if (i % SWEEPS_A_LOOK != SWEEPS_A_LOOK - 1)
            continue;
        int64_t now = bound(&d);
        if (now >= target_ps || now - last <= now / enough)
            break;
        last = now;
    }
    made->least_ps = MW_NEW_ARRAY(arena, space->n_nodes + 1, int64_t *);
    if (!made->least_ps)
        return MW_ENOMEM;
    made->bound_ps = bound(&d);
    for (int32_t i = 0; i < space->n_nodes; i++) {
        if (space->node_op[i] != MW_NONE)
            MW_TRY(find_least(&d, i, made->bound_ps, made));
    }
    return MW_OK;
}
