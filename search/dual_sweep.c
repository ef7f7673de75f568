/* dual_sweep.c - charges, turns, sweeps, and moving the shares into the net. */
#include "search/dual_sweep.h"

#include <string.h>

#include "base/mem.h"
#include "search/minplus.h"

/* A charge above this is cut, which leaves the bound a bound. */
enum { CHARGE_BITS = 54 };

static int64_t charge_of(const mw_net *net, int64_t usage, int64_t price)
{
    mw_int128 charge = ((mw_int128)usage * price) >> net->price_shift;
    mw_int128 most = INT64_C(1) << CHARGE_BITS;
    return (int64_t)(charge < most ? charge : most);
}

void mw_dual_charge(mw_dual *dual)
{
    const mw_net *net = dual->net;
    for (int32_t r = 0; r < net->n_rows; r++)
        dual->total[r + 1] = dual->total[r] + dual->price[r];
    for (int32_t i = 0; i < dual->n_nodes; i++) {
        const mw_net_node *v = &net->node[dual->node[i].node];
        int64_t *charge = dual->charge + dual->node[i].at;
        for (int32_t s = 0; s < v->n; s++)
            charge[s] = 0;
        for (int32_t k = 0; k < v->n_terms; k++) {
            const mw_net_term *term = &v->term[k];
            int64_t price = dual->total[term->end] - dual->total[term->begin];
            for (int32_t s = 0; price > 0 && s < v->n; s++)
                charge[s] += charge_of(net, term->usage[s], price);
        }
    }
}

mw_int128 mw_dual_slack_value(const mw_dual *dual)
{
    const mw_net *net = dual->net;
    mw_int128 sum = 0, unit = (mw_int128)1 << net->price_shift;
    for (int32_t r = 0; r < net->n_rows; r++)
        sum += (mw_int128)dual->price[r] * net->slack[r];
    return (sum + unit - 1) / unit;
}

// What the edge can spare for the end whose turn it is.
static void take_from_edge(mw_dual *dual, const mw_dual_edge *e, bool ahead)
{
    const mw_dual_node *a = &dual->node[e->a], *b = &dual->node[e->b];
    int64_t *taken = dual->share + (ahead ? e->at_b : e->at_a);
    int32_t n = ahead ? b->n : a->n, width = mw_padded(n);
    if (ahead)
        mw_minplus(taken, e->to_b, dual->share + e->at_a, a->n, width);
    else
        mw_minplus(taken, e->to_a, dual->share + e->at_b, b->n, width);
    for (int32_t s = 0; s < n; s++)
        taken[s] = -taken[s];
    for (int32_t s = n; s < width; s++)
        taken[s] = 0;
}

static int64_t *share_of(mw_dual *dual, const mw_dual_edge *e, int32_t node)
{
    return dual->share + (e->a == node ? e->at_a : e->at_b);
}

void mw_dual_take(mw_dual *dual, int32_t node, bool ahead)
{
    const mw_dual_node *v = &dual->node[node];
    const int32_t *edges = dual->edge_of + v->first_edge;
    int32_t first = ahead ? 0 : v->n_back;
    int32_t last = ahead ? v->n_back : v->n_back + v->n_ahead;
    for (int32_t k = first; k < last; k++)
        take_from_edge(dual, &dual->edge[edges[k]], ahead);
    int64_t *theta = dual->theta + v->at;
    for (int32_t s = 0; s < v->n; s++)
        theta[s] = dual->cost[v->at + s] + dual->charge[v->at + s];
    for (int32_t k = 0; k < v->n_back + v->n_ahead; k++) {
        const int64_t *share = share_of(dual, &dual->edge[edges[k]], node);
        for (int32_t s = 0; s < v->n; s++)
            theta[s] -= share[s];
    }
}

// About x / parts, not more, for x >= 0: multiplication is what vectors can do,
// and any share is a valid one.
static inline int64_t nearly_divided(int64_t x, int64_t factor)
{
    return (x >> 16) * factor + (((x & 0xffff) * factor) >> 16);
}

int64_t mw_dual_give(mw_dual *dual, int32_t node, bool ahead)
{
    const mw_dual_node *v = &dual->node[node];
    const int32_t *edges =
        dual->edge_of + v->first_edge + (ahead ? v->n_back : 0);
    int32_t n_given = ahead ? v->n_ahead : v->n_back;
    int32_t parts = v->n_back > v->n_ahead ? v->n_back : v->n_ahead;
    const int64_t *theta = dual->theta + v->at;
    int64_t *rest = dual->rest + v->at;
    int64_t least = INT64_MAX, kept = INT64_MAX;
    for (int32_t s = 0; s < v->n; s++) {
        rest[s] = theta[s];
        least = theta[s] < least ? theta[s] : least;
    }
    if (n_given == 0)
        return least;
    int64_t part[64], factor = 65536 / parts;
    for (int32_t begin = 0; begin < v->n; begin += 64) {
        int32_t n = v->n - begin < 64 ? v->n - begin : 64;
        for (int32_t s = 0; s < n; s++) {
            part[s] = nearly_divided(theta[begin + s] - least, factor);
            rest[begin + s] -= part[s] * n_given;
            kept = rest[begin + s] < kept ? rest[begin + s] : kept;
        }
        for (int32_t k = 0; k < n_given; k++) {
            int64_t *share =
                share_of(dual, &dual->edge[edges[k]], node) + begin;
            for (int32_t s = 0; s < n; s++)
                share[s] += part[s];
        }
    }
    return kept;
}

// The strategy that costs least with the decoded ones of the nodes before it,
// whose edges then say what they cost and not what they might.
static void decode(mw_dual *dual, int32_t node, bool ahead)
{
    const mw_dual_node *v = &dual->node[node];
    const int32_t *edges = dual->edge_of + v->first_edge;
    int32_t first = ahead ? 0 : v->n_back;
    int32_t last = ahead ? v->n_back : v->n_back + v->n_ahead;
    int64_t least = INT64_MAX;
    int32_t width = mw_padded(v->n);
    for (int32_t s = 0; s < v->n; s++) {
        int64_t value = dual->theta[v->at + s];
        for (int32_t k = first; k < last; k++) {
            const mw_dual_edge *e = &dual->edge[edges[k]];
            int32_t other = ahead ? e->a : e->b;
            const int64_t *matrix = ahead ? e->to_b : e->to_a;
            value += share_of(dual, e, node)[s] +
                     matrix[(int64_t)dual->choice[other] * width + s];
        }
        if (value < least) {
            least = value;
            dual->choice[node] = s;
        }
    }
}

void mw_dual_sweep(mw_dual *dual, bool ahead)
{
    mw_int128 bound = dual->net->constant - mw_dual_slack_value(dual);
    for (int32_t k = 0; k < dual->n_nodes; k++) {
        int32_t node = ahead ? k : dual->n_nodes - 1 - k;
        mw_dual_take(dual, node, ahead);
        decode(dual, node, ahead);
        bound += mw_dual_give(dual, node, ahead);
    }
    dual->bound = bound;
}

int64_t mw_dual_overrun(mw_dual *dual)
{
    const mw_net *net = dual->net;
    memset(dual->over, 0, ((size_t)net->n_rows + 1) * sizeof *dual->over);
    for (int32_t i = 0; i < dual->n_nodes; i++) {
        const mw_net_node *v = &net->node[dual->node[i].node];
        for (int32_t k = 0; k < v->n_terms; k++) {
            int64_t usage = v->term[k].usage[dual->choice[i]];
            dual->over[v->term[k].begin] += usage;
            dual->over[v->term[k].end] -= usage;
        }
    }
    int64_t usage = 0, most = INT64_MIN;
    for (int32_t r = 0; r < net->n_rows; r++) {
        usage += dual->over[r];
        dual->over[r] = usage - net->slack[r];
        most = dual->over[r] > most ? dual->over[r] : most;
    }
    return most;
}

mw_status mw_dual_offer(mw_dual *dual, mw_incumbent *incumbent)
{
    mw_ctx *ctx = dual->net->ctx;
    int32_t *current =
        mw_mem_alloc(ctx, (size_t)dual->net->n_nodes, sizeof *current);
    if (!current)
        return MW_ENOMEM;
    for (int32_t i = 0; i < dual->n_nodes; i++)
        current[dual->node[i].node] = dual->choice[i];
    mw_status status = mw_incumbent_offer(incumbent, dual->net, current, NULL);
    mw_mem_free(current);
    return status;
}

void mw_dual_bake(mw_dual *dual)
{
    mw_net *net = dual->net;
    for (int32_t i = 0; i < dual->n_edges; i++) {
        const mw_dual_edge *e = &dual->edge[i];
        const int64_t *share_a = dual->share + e->at_a;
        const int64_t *share_b = dual->share + e->at_b;
        int32_t a = dual->node[e->a].node, b = dual->node[e->b].node;
        for (int32_t s = 0; s < net->node[a].n; s++) {
            mw_net_line line = mw_net_line_of(net, e->edge, a, s);
            for (int32_t t = 0; t < line.n; t++) {
                int64_t *cost = &line.first[t * line.step];
                if (!mw_net_forbidden(*cost))
                    *cost += share_a[s] + share_b[t];
            }
            net->node[a].cost[s] -= share_a[s];
        }
        for (int32_t t = 0; t < net->node[b].n; t++)
            net->node[b].cost[t] -= share_b[t];
        net->edge[e->edge].settled = false;
        mw_net_touch(net, a);
        mw_net_touch(net, b);
    }
    for (int32_t r = 0; r < net->n_rows; r++)
        net->price[r] = dual->best_price[r];
    memset(dual->share, 0, (size_t)dual->n_shares * sizeof *dual->share);
}
