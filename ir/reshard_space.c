/* reshard_space.c - numbering layouts and finding the steps between them. */
#include "ir/reshard_space.h"

mw_status mw_space_init(mw_space *space)
{
    int64_t n = 1;
    for (int a = 0; a < space->mesh->n_axes; a++)
        n *= space->n_roles[a];
    space->n_nodes = (int32_t)n;
    mw_meetings_init(&space->meetings, space->arena);
    space->bytes = MW_NEW_ARRAY(space->arena, n, int64_t);
    space->hops = MW_NEW_ARRAY(space->arena, n, mw_hops);
    if (!space->bytes || !space->hops)
        return MW_ENOMEM;
    if (n <= MW_SPACE_NODES) {
        space->exchange = MW_NEW_ARRAY(space->arena, n * n, mw_exchange);
        if (!space->exchange)
            return MW_ENOMEM;
    }
    for (int32_t i = 0; i < space->n_nodes; i++) {
        mw_layout layout = mw_space_layout(space, i);
        space->bytes[i] = mw_layout_bytes(space->mesh, &layout, space->tensor);
        space->hops[i].n = -1;
    }
    return MW_OK;
}

mw_layout mw_space_layout(const mw_space *space, int32_t node)
{
    mw_layout layout = mw_layout_replicated();
    for (int a = space->mesh->n_axes - 1; a >= 0; a--) {
        layout.role[a] = space->role[a][node % space->n_roles[a]];
        node /= space->n_roles[a];
    }
    if (mw_layout_is_partial(&layout))
        layout.reduce = (uint8_t)space->reduce;
    return layout;
}

int32_t mw_space_node(const mw_space *space, const mw_layout *layout)
{
    int32_t node = 0;
    for (int a = 0; a < space->mesh->n_axes; a++) {
        int k = 0;
        while (k < space->n_roles[a] && space->role[a][k] != layout->role[a])
            k++;
        if (k == space->n_roles[a])
            return MW_NONE;
        node = node * space->n_roles[a] + k;
    }
    return node;
}

/* Hops of one node, growing. */
typedef struct maker {
    mw_space *space;
    int32_t node;
    mw_layout from;
    mw_hop *hop;
    int64_t n, cap;
} maker;

// Adds the hop when it is right; others are no steps.
static mw_status add_hop(maker *m, mw_collective kind, uint32_t axes,
                         const mw_layout *to)
{
    mw_step step = {.kind = kind, .axes = axes, .from = m->from, .to = *to};
    const mw_space *space = m->space;
    step.to.reduce =
        mw_layout_is_partial(to) ? (uint8_t)space->reduce : MW_REDUCE_NONE;
    int32_t node = mw_space_node(space, &step.to);
    if (node == MW_NONE || mw_step_refusal(space->mesh, space->tensor, &step))
        return MW_OK;
    m->hop =
        mw_arena_reserve(space->arena, m->hop, m->n, &m->cap, sizeof *m->hop);
    if (!m->hop)
        return MW_ENOMEM;
    mw_space_price(m->space, &step);
    if (space->meetings.failed)
        return MW_ENOMEM;
    m->hop[m->n++] = (mw_hop){.from = m->node,
                              .to = node,
                              .kind = kind,
                              .way = step.way,
                              .axes = axes,
                              .time_ps = step.time_ps,
                              .bytes = step.bytes_sent};
    return MW_OK;
}

static mw_collective single_kind(int from, int to)
{
    if (from == MW_REPLICATED)
        return to == MW_PARTIAL ? MW_MASK : MW_SLICE;
    if (from == MW_PARTIAL)
        return to == MW_REPLICATED ? MW_ALL_REDUCE : MW_REDUCE_SCATTER;
    return to == MW_REPLICATED ? MW_ALL_GATHER : MW_ALL_TO_ALL;
}

// Steps over one mesh axis: every other role it may take. From split to
// partial there is no step.
static mw_status single_hops(maker *m)
{
    const mw_space *space = m->space;
    for (int a = 0; a < space->mesh->n_axes; a++) {
        int from = m->from.role[a];
        for (int k = 0; k < space->n_roles[a]; k++) {
            mw_layout to = m->from;
            to.role[a] = space->role[a][k];
            if (to.role[a] == from || (from >= 0 && to.role[a] == MW_PARTIAL))
                continue;
            MW_TRY(add_hop(m, single_kind(from, to.role[a]), 1U << a, &to));
        }
    }
    return MW_OK;
}

// Gathers and reductions over several mesh axes at once.
static mw_status combined_hops(maker *m)
{
    uint32_t end = 1U << m->space->mesh->n_axes;
    for (uint32_t axes = 3; axes < end; axes++) {
        if ((axes & (axes - 1)) == 0)
            continue;
        mw_layout to = m->from;
        int n_split = 0, n_partial = 0, n = 0;
        for (int a = 0; a < MW_MAX_MESH; a++) {
            if (!(axes >> a & 1U))
                continue;
            n++;
            n_split += to.role[a] >= 0;
            n_partial += to.role[a] == MW_PARTIAL;
            to.role[a] = MW_REPLICATED;
        }
        if (n_split == n)
            MW_TRY(add_hop(m, MW_ALL_GATHER, axes, &to));
        else if (n_partial == n)
            MW_TRY(add_hop(m, MW_ALL_REDUCE, axes, &to));
    }
    return MW_OK;
}

mw_status mw_space_hops(mw_space *space, int32_t node, const mw_hops **hops)
{
    mw_hops *made = &space->hops[node];
    if (made->n < 0) {
        maker m = {
            .space = space, .node = node, .from = mw_space_layout(space, node)};
        MW_TRY(single_hops(&m));
        MW_TRY(combined_hops(&m));
        made->hop = m.hop;
        made->n = (int)m.n;
    }
    *hops = made;
    return MW_OK;
}

static void learn_exchange(mw_space *space, mw_step *step, mw_exchange *e)
{
    if (e->state == MW_UNKNOWN) {
        e->axes = mw_exchange_axes(space->mesh, space->tensor, &step->from,
                                   &step->to);
        step->axes = e->axes;
        e->state = MW_NO_EXCHANGE;
        if (mw_step_refusal(space->mesh, space->tensor, step))
            return;
        e->state = MW_LEAST;
        e->time_ps = mw_step_least_ps(space, step);
        return;
    }
    step->axes = e->axes;
    mw_space_price(space, step);
    e->state = MW_PRICED;
    e->time_ps = step->time_ps;
    e->bytes = step->bytes_sent;
}

bool mw_space_exchange(mw_space *space, int32_t from, int32_t to,
                       int64_t limit_ps, mw_hop *hop)
{
    mw_exchange once = {.state = MW_UNKNOWN}, *e = &once;
    if (space->exchange)
        e = &space->exchange[(int64_t)from * space->n_nodes + to];
    while (e->state == MW_UNKNOWN ||
           (e->state == MW_LEAST && e->time_ps <= limit_ps)) {
        mw_step step = {.kind = MW_EXCHANGE,
                        .from = mw_space_layout(space, from),
                        .to = mw_space_layout(space, to)};
        learn_exchange(space, &step, e);
    }
    if (e->state == MW_NO_EXCHANGE || e->time_ps > limit_ps)
        return false;
    *hop = (mw_hop){.from = from,
                    .to = to,
                    .kind = MW_EXCHANGE,
                    .axes = e->axes,
                    .time_ps = e->time_ps,
                    .bytes = e->bytes};
    return true;
}
