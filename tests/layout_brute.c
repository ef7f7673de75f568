/* layout_brute.c - tables of prices, and a walk through all combinations. */
#include "tests/layout_brute.h"

#include "ir/life.h"

enum { MAX_NODES = 32, MAX_LINKS = 8, MAX_STEPS = 12 };

typedef struct table {
    int home; /* node */
    int64_t *time_ps, *bytes;
} table;

// Ops in order, then homes.
typedef struct node {
    int n;
    int64_t *time_ps, *bytes;
    mw_life life;
    int n_links;
    table link[MAX_LINKS];
    mw_layout *layout;
    mw_strategy *strategy;
} node;

typedef struct brute {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_graph *graph;
    const mw_mesh *mesh;
    mw_resharder *resharder;
    const mw_costs *costs;
    int n_nodes, n_steps;
    node node[MAX_NODES];
    int home_of[MAX_NODES]; /* by tensor */
    int state[MAX_NODES];
    int64_t live[MAX_STEPS];
    mw_front *front;
} brute;

static bool takes_partial(const mw_op *op, int i)
{
    for (int k = 0; k < MW_MAX_LINEAR && mw_op_linear_sets(op)[k]; k++) {
        if (mw_op_linear_sets(op)[k] == MW_LINEAR_ALL ||
            mw_op_linear_sets(op)[k] >> i & 1)
            return true;
    }
    return false;
}

// Whether a sum may stay pending in a tensor: an op leaves it so, and another
// takes it so.
static bool may_be_partial(const brute *b, mw_id t)
{
    const mw_tensor *tensor = &b->graph->tensor[t];
    if (tensor->producer == MW_NONE || tensor->output)
        return false;
    const mw_op *op = &b->graph->op[tensor->producer];
    bool made = mw_op_linear_sets(op)[0] != 0, taken = false;
    for (int l = 0; l < op->n_letters; l++)
        made = made || (!mw_op_letter_in_output(op, l) &&
                        op->def->reduce == MW_REDUCE_SUM);
    for (int k = 0; k < b->graph->n_ops; k++) {
        for (int i = 0; i < b->graph->op[k].n_in; i++)
            taken = taken || (b->graph->op[k].in[i].tensor == t &&
                              takes_partial(&b->graph->op[k], i));
    }
    return made && taken;
}

static mw_status add_home(brute *b, mw_id t)
{
    const mw_tensor *tensor = &b->graph->tensor[t];
    node *home = &b->node[b->n_nodes];
    int first = may_be_partial(b, t) ? MW_PARTIAL : MW_REPLICATED;
    int n_roles = tensor->rank - first, n = 1;
    for (int a = 0; a < b->mesh->n_axes; a++)
        n *= n_roles;
    *home = (node){.n = n,
                   .layout = MW_NEW_ARRAY(b->arena, n, mw_layout),
                   .bytes = MW_NEW_ARRAY(b->arena, n, int64_t),
                   .time_ps = MW_NEW_ARRAY(b->arena, n, int64_t)};
    if (!home->layout || !home->bytes || !home->time_ps)
        return MW_ENOMEM;
    for (int h = 0; h < n; h++) {
        int rest = h;
        home->layout[h] = mw_layout_replicated();
        for (int a = 0; a < b->mesh->n_axes; a++) {
            home->layout[h].role[a] = (int8_t)(rest % n_roles + first);
            if (home->layout[h].role[a] == MW_PARTIAL)
                home->layout[h].reduce = MW_REDUCE_SUM;
            rest /= n_roles;
        }
        home->bytes[h] =
            mw_aligned(mw_layout_bytes(b->mesh, &home->layout[h], tensor));
    }
    b->home_of[t] = b->n_nodes++;
    return MW_OK;
}

static mw_status add_op(brute *b, mw_id k)
{
    const mw_op *op = &b->graph->op[k];
    node *made = &b->node[b->n_nodes++];
    int n_split;
    MW_TRY(mw_op_strategies(b->arena, b->graph, op, b->mesh, &made->strategy,
                            &made->n, &n_split));
    made->time_ps = MW_NEW_ARRAY(b->arena, made->n, int64_t);
    made->bytes = MW_NEW_ARRAY(b->arena, made->n, int64_t);
    made->life = (mw_life){k, k + 1};
    if (!made->time_ps || !made->bytes)
        return MW_ENOMEM;
    for (int s = 0; s < made->n; s++) {
        mw_op_price price;
        MW_TRY(mw_plan_op_price(b->ctx, b->graph, b->mesh, b->costs, k,
                                &made->strategy[s], &price));
        made->time_ps[s] = price.time_ps + price.fetch_ps;
        made->bytes[s] = price.memory_bytes;
    }
    return MW_OK;
}

static mw_status convert(brute *b, mw_id t, const mw_layout path_ends[2],
                         const mw_layout *extra, int64_t *time_ps,
                         int64_t *bytes)
{
    const mw_path *path;
    if (mw_layout_equal(&path_ends[0], &path_ends[1]))
        return MW_OK;
    MW_TRY(mw_reshard(b->resharder, &b->graph->tensor[t], &path_ends[0],
                      &path_ends[1], &path));
    if (!path)
        return mw_fail(b->ctx, MW_EBUG, "no path");
    *time_ps += path->time_ps;
    *bytes += mw_aligned(path->scratch_bytes) +
              mw_aligned(mw_layout_bytes(b->mesh, extra, &b->graph->tensor[t]));
    return MW_OK;
}

// What op k pays for tensor t under strategy s and home h: output conversion,
// and a copy for each distinct layout.
static mw_status pay(brute *b, mw_id k, mw_id t, int s, int h, table *link)
{
    const mw_op *op = &b->graph->op[k];
    const mw_layout home = b->node[link->home].layout[h];
    int64_t *time_ps = &link->time_ps[s * b->node[link->home].n + h];
    int64_t *bytes = &link->bytes[s * b->node[link->home].n + h];
    mw_layout seen[4];
    int n_seen = 0;
    for (int i = 0; i < op->n_in; i++) {
        mw_layout need = mw_strategy_input(op, &b->node[k].strategy[s], i);
        bool again = op->in[i].tensor != t;
        for (int j = 0; j < n_seen; j++)
            again = again || mw_layout_equal(&seen[j], &need);
        if (again)
            continue;
        seen[n_seen++] = need;
        MW_TRY(convert(b, t, (mw_layout[]){home, need}, &need, time_ps, bytes));
    }
    if (op->out[0].tensor != t)
        return MW_OK;
    mw_layout made = mw_strategy_output(op, &b->node[k].strategy[s], 0);
    return convert(b, t, (mw_layout[]){made, home}, &made, time_ps, bytes);
}

static mw_status add_link(brute *b, mw_id k, mw_id t)
{
    node *op = &b->node[k];
    table *link = &op->link[op->n_links];
    link->home = b->home_of[t];
    for (int i = 0; i < op->n_links; i++) {
        if (op->link[i].home == link->home)
            return MW_OK;
    }
    int n_homes = b->node[link->home].n;
    link->time_ps = MW_NEW_ARRAY(b->arena, op->n * n_homes, int64_t);
    link->bytes = MW_NEW_ARRAY(b->arena, op->n * n_homes, int64_t);
    if (!link->time_ps || !link->bytes)
        return MW_ENOMEM;
    for (int s = 0; s < op->n; s++) {
        for (int h = 0; h < n_homes; h++)
            MW_TRY(pay(b, k, t, s, h, link));
    }
    op->n_links++;
    return MW_OK;
}

static mw_status tabulate(brute *b)
{
    const mw_graph *graph = b->graph;
    mw_life life[MAX_NODES];
    for (mw_id k = 0; k < graph->n_ops; k++)
        MW_TRY(add_op(b, k));
    mw_lives(graph, life);
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        MW_TRY(add_home(b, t));
        b->node[b->home_of[t]].life = life[t];
    }
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        for (int i = 0; i < op->n_in; i++)
            MW_TRY(add_link(b, k, op->in[i].tensor));
        MW_TRY(add_link(b, k, op->out[0].tensor));
    }
    b->n_steps = graph->n_ops;
    return MW_OK;
}

static mw_status put(brute *b, int64_t time_ps, int64_t peak_bytes)
{
    mw_front *front = b->front;
    int at = 0, from;
    while (at < front->n && front->point[at].time_ps <= time_ps) {
        if (front->point[at++].peak_bytes <= peak_bytes)
            return MW_OK;
    }
    for (from = at; from < front->n; from++) {
        if (front->point[from].peak_bytes < peak_bytes)
            break;
    }
    mw_front_point *more = mw_arena_reserve(b->arena, front->point, front->n,
                                            &front->cap, sizeof *more);
    if (!more)
        return MW_ENOMEM;
    front->point = more;
    int n = front->n - from;
    for (int i = 0; i < n && at + 1 <= from; i++)
        more[at + 1 + i] = more[from + i];
    for (int i = n - 1; i >= 0 && at + 1 > from; i--)
        more[at + 1 + i] = more[from + i];
    more[at] = (mw_front_point){time_ps, peak_bytes};
    front->n = at + 1 + n;
    return MW_OK;
}

static void live(brute *b, const node *it, int state, int sign)
{
    for (int k = it->life.begin; k < it->life.end; k++)
        b->live[k] += sign * it->bytes[state];
}

// The last choice is made: ops pay their links.
static mw_status judge(brute *b)
{
    int64_t time_ps = 0, peak = 0;
    for (int k = 0; k < b->n_steps; k++) {
        const node *op = &b->node[k];
        int64_t bytes = b->live[k];
        time_ps += op->time_ps[b->state[k]];
        for (int i = 0; i < op->n_links; i++) {
            const table *link = &op->link[i];
            int cell =
                b->state[k] * b->node[link->home].n + b->state[link->home];
            time_ps += link->time_ps[cell];
            bytes += link->bytes[cell];
        }
        peak = bytes > peak ? bytes : peak;
    }
    return put(b, time_ps, peak);
}

static mw_status walk(brute *b, int i)
{
    if (i == b->n_nodes)
        return judge(b);
    for (int s = 0; s < b->node[i].n; s++) {
        b->state[i] = s;
        live(b, &b->node[i], s, 1);
        MW_TRY(walk(b, i + 1));
        live(b, &b->node[i], s, -1);
    }
    return MW_OK;
}

mw_status mw_layout_brute(mw_ctx *ctx, mw_arena *arena, const mw_graph *graph,
                          mw_resharder *resharder, const mw_costs *costs,
                          double most, mw_front *front)
{
    brute *b = MW_NEW(arena, brute);
    if (!b)
        return MW_ENOMEM;
    *front = (mw_front){.n_combinations = 1};
    *b = (brute){.ctx = ctx,
                 .arena = arena,
                 .graph = graph,
                 .mesh = mw_resharder_mesh(resharder),
                 .resharder = resharder,
                 .costs = costs,
                 .front = front};
    MW_TRY(tabulate(b));
    for (int i = 0; i < b->n_nodes; i++)
        front->n_combinations *= b->node[i].n;
    return front->n_combinations > most ? MW_OK : walk(b, 0);
}

int64_t mw_front_time(const mw_front *front, int64_t limit)
{
    for (int i = 0; i < front->n; i++) {
        if (front->point[i].peak_bytes <= limit)
            return front->point[i].time_ps;
    }
    return -1;
}
