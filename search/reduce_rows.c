/* reduce_rows.c - memory rows that say nothing new, strategies that do not fit.
 *
 * With U_t[v,s] what strategy s of node v takes on row t, row t never binds if
 * sum_v max_s U_t[v,s] <= slack_t, and follows from row r if
 * sum_v max_s (U_t[v,s] - U_r[v,s]) <= slack_t - slack_r. The second is tried
 * between neighbours, where few nodes differ, and then by one walk over all
 * rows for each row that is left, the tightest first, up to a fixed effort. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "search/reduce.h"

/* Steps of the walks over pairs of rows in one call, and rows that are passed
 * without dropping one after which a walk ends: distant rows share little. */
enum { PAIR_EFFORT = 200000000, IDLE_ROWS = 150 };

typedef struct event {
    int32_t row, node, term;
    bool end;
} event;

typedef struct rows {
    mw_net *net;
    event *event; /* of all terms, by row */
    int64_t n_events;
    int64_t *first_event;  /* by row, n_rows + 2 */
    int64_t *first_number; /* by node: its place in the vectors below */
    int64_t *usage;        /* by node and strategy: on the current row, or the
                              difference to another */
    int64_t *most;         /* by node: max of usage */
    int32_t *touched;      /* nodes whose usage may not be 0 */
    bool *is_touched;
    int32_t n_touched;
    int64_t *load; /* by row: sum over nodes of the most they take */
    bool *keep;
    mw_int128 sum; /* of most */
} rows;

static int compare_events(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->term != y->term)
        return x->term < y->term ? -1 : 1;
    return (int)x->end - (int)y->end;
}

static void list_events(rows *r)
{
    const mw_net *net = r->net;
    int64_t n = 0;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        const mw_net_node *v = &net->node[i];
        for (int32_t k = 0; k < v->n_terms; k++) {
            r->event[n++] = (event){v->term[k].begin, i, k, false};
            r->event[n++] = (event){v->term[k].end, i, k, true};
        }
    }
    qsort(r->event, (size_t)n, sizeof *r->event, compare_events);
    r->n_events = n;
    int64_t next = 0;
    for (int32_t row = 0; row <= net->n_rows + 1; row++) {
        while (next < n && r->event[next].row < row)
            next++;
        r->first_event[row] = next;
    }
}

static mw_status start(rows *r)
{
    mw_ctx *ctx = r->net->ctx;
    const mw_net *net = r->net;
    int64_t n_terms = 0, n_strategies = 0;
    size_t n_rows = (size_t)net->n_rows + 2;
    r->first_number =
        mw_mem_alloc(ctx, (size_t)net->n_nodes, sizeof *r->first_number);
    if (!r->first_number)
        return MW_ENOMEM;
    for (int32_t i = 0; i < net->n_nodes; i++) {
        r->first_number[i] = n_strategies;
        n_terms += net->node[i].n_terms;
        n_strategies += net->node[i].n_terms ? net->node[i].n : 0;
    }
    r->event = mw_mem_alloc(ctx, 2 * (size_t)n_terms, sizeof *r->event);
    r->first_event = mw_mem_alloc(ctx, n_rows, sizeof *r->first_event);
    r->usage = mw_mem_alloc(ctx, (size_t)n_strategies, sizeof *r->usage);
    r->most = mw_mem_alloc(ctx, (size_t)net->n_nodes, sizeof *r->most);
    r->touched = mw_mem_alloc(ctx, (size_t)net->n_nodes, sizeof *r->touched);
    r->is_touched =
        mw_mem_alloc(ctx, (size_t)net->n_nodes, sizeof *r->is_touched);
    r->load = mw_mem_alloc(ctx, n_rows, sizeof *r->load);
    r->keep = mw_mem_alloc(ctx, n_rows, sizeof *r->keep);
    if (!r->event || !r->first_event || !r->usage || !r->most || !r->touched ||
        !r->is_touched || !r->load || !r->keep)
        return MW_ENOMEM;
    list_events(r);
    for (int32_t row = 0; row < net->n_rows; row++)
        r->keep[row] = true;
    return MW_OK;
}

static void finish(rows *r)
{
    mw_mem_free(r->first_number);
    mw_mem_free(r->event);
    mw_mem_free(r->first_event);
    mw_mem_free(r->usage);
    mw_mem_free(r->most);
    mw_mem_free(r->touched);
    mw_mem_free(r->is_touched);
    mw_mem_free(r->load);
    mw_mem_free(r->keep);
}

// Applies the events [i, end) of one node, forwards (what begins is added) or
// backwards, and brings its most and the sum up to date.
static void apply(rows *r, int64_t i, int64_t end, bool forwards)
{
    int32_t node = r->event[i].node;
    const mw_net_node *v = &r->net->node[node];
    int64_t *usage = r->usage + r->first_number[node];
    if (!r->is_touched[node]) {
        r->is_touched[node] = true;
        r->touched[r->n_touched++] = node;
    }
    for (; i < end; i++) {
        const int64_t *term = v->term[r->event[i].term].usage;
        bool add = r->event[i].end != forwards;
        for (int32_t s = 0; s < v->n; s++)
            usage[s] += add ? term[s] : -term[s];
    }
    int64_t most = usage[0];
    for (int32_t s = 1; s < v->n; s++)
        most = usage[s] > most ? usage[s] : most;
    r->sum += most - r->most[node];
    r->most[node] = most;
}

// The events at the border before `row` change usage from that of row - 1 to
// that of row, or back. Returns the steps taken.
static int64_t cross(rows *r, int32_t row, bool forwards)
{
    int64_t steps = 0, end = r->first_event[row + 1];
    for (int64_t i = r->first_event[row]; i < end;) {
        int64_t last = i + 1;
        while (last < end && r->event[last].node == r->event[i].node)
            last++;
        apply(r, i, last, forwards);
        steps += (last - i) * r->net->node[r->event[i].node].n + 4;
        i = last;
    }
    return steps + 1;
}

static void forget_usage(rows *r)
{
    while (r->n_touched > 0) {
        int32_t node = r->touched[--r->n_touched];
        r->most[node] = 0;
        r->is_touched[node] = false;
        memset(r->usage + r->first_number[node], 0,
               (size_t)r->net->node[node].n * sizeof *r->usage);
    }
    r->sum = 0;
}

static void drop_loose(rows *r)
{
    forget_usage(r);
    for (int32_t row = 0; row < r->net->n_rows; row++) {
        (void)cross(r, row, true);
        r->load[row] = (int64_t)r->sum;
        if (r->sum <= r->net->slack[row])
            r->keep[row] = false;
    }
}

// Row `row` goes, because it follows from `from`, which takes its price over.
static void drop_row(rows *r, int32_t row, int32_t from)
{
    r->keep[row] = false;
    r->net->price[from] += r->net->price[row];
    r->net->price[row] = 0;
}

// Differences between neighbouring rows that are kept, both ways: going from
// one to the next, `usage` holds next - last (or last - next).
static void drop_beside(rows *r, bool forwards)
{
    const mw_net *net = r->net;
    int32_t last = -1;
    for (int32_t k = 0; k < net->n_rows; k++) {
        int32_t row = forwards ? k : net->n_rows - 1 - k;
        if (last >= 0)
            (void)cross(r, forwards ? row : row + 1, forwards);
        if (!r->keep[row])
            continue;
        bool implied =
            last >= 0 && r->sum <= net->slack[row] - net->slack[last];
        if (implied) {
            // It stays `last`: the difference goes on from there.
            drop_row(r, row, last);
            continue;
        }
        last = row;
        forget_usage(r);
    }
}

typedef struct tightness {
    double value; /* share of the largest load that fits */
    int32_t row;
} tightness;

static int compare_tightness(const void *a, const void *b)
{
    const tightness *x = a, *y = b;
    if (x->value < y->value || x->value > y->value)
        return x->value < y->value ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

// Drops what follows from a row, walking away from it one way.
static int64_t drop_from(rows *r, int32_t from, bool forwards)
{
    const mw_net *net = r->net;
    int64_t steps = 0;
    int32_t idle = 0;
    forget_usage(r);
    for (int32_t row = from; idle < IDLE_ROWS;) {
        steps += cross(r, forwards ? row + 1 : row, forwards);
        row += forwards ? 1 : -1;
        if (row < 0 || row >= net->n_rows)
            return steps;
        if (!r->keep[row])
            continue;
        idle++;
        if (r->sum > net->slack[row] - net->slack[from])
            continue;
        drop_row(r, row, from);
        idle = 0;
    }
    return steps;
}

static mw_status drop_pairs(rows *r)
{
    const mw_net *net = r->net;
    int32_t n = 0;
    tightness *order =
        mw_mem_alloc(net->ctx, (size_t)net->n_rows, sizeof *order);
    if (!order)
        return MW_ENOMEM;
    for (int32_t row = 0; row < net->n_rows; row++) {
        double share = (double)net->slack[row] / ((double)r->load[row] + 1);
        if (r->keep[row])
            order[n++] = (tightness){share, row};
    }
    qsort(order, (size_t)n, sizeof *order, compare_tightness);
    int64_t effort = PAIR_EFFORT;
    for (int32_t i = 0; i < n && effort > 0 && !mw_net_late(net); i++) {
        if (!r->keep[order[i].row])
            continue;
        effort -= drop_from(r, order[i].row, true);
        effort -= drop_from(r, order[i].row, false);
    }
    mw_mem_free(order);
    return MW_OK;
}

static mw_status drop_rows(rows *r, bool *changed)
{
    drop_loose(r);
    forget_usage(r);
    drop_beside(r, true);
    forget_usage(r);
    drop_beside(r, false);
    MW_TRY(drop_pairs(r));
    for (int32_t row = 0; row < r->net->n_rows && !*changed; row++)
        *changed = !r->keep[row];
    if (*changed)
        mw_net_keep_rows(r->net, r->keep);
    return MW_OK;
}

mw_status mw_reduce_rows(mw_net *net, bool *changed)
{
    for (int32_t i = 0; i < net->n_nodes; i++)
        mw_net_merge_terms(net, i);
    mw_net_settle_rows(net);
    MW_TRY(mw_reduce_misfits(net, changed));
    if (*changed || net->n_rows == 0)
        return MW_OK;
    rows r = {.net = net};
    mw_status status = start(&r);
    if (status == MW_OK)
        status = drop_rows(&r, changed);
    finish(&r);
    return status;
}
