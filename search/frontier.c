/* frontier.c - labels, layer by layer. */
#include "search/frontier.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "search/dual_sweep.h"
#include "search/minplus.h"

/* Numbers (of rows and frontier) that the labels of a layer may hold; how the
 * bound is prepared. */
enum { MAX_NUMBERS = 64000000 };

static const mw_ascent ascent = {.rounds = 60, .first = 0.01, .last = 0.001};

typedef struct layer {
    int64_t n, cap;
    int64_t *bound; /* by label, less what is undecided at least */
    int64_t *cost;  /* by label, without charges */
    int64_t *usage; /* by label and row */
    int32_t *state; /* by label and place in the frontier */
    int32_t *next;  /* by label: the next of the same slot, or -1 */
} layer;

/* How a label came about; kept for every layer. */
typedef struct origin {
    int32_t parent, strategy;
} origin;

typedef struct frontier {
    mw_dual dual;
    mw_net *net;
    mw_ctx *ctx;
    const mw_deadline *deadline;
    int64_t max_labels;
    mw_int128 upper; /* a bound above this is of no use */
    mw_int128 least; /* of all undecided nodes, the constant, the slack */
    layer now, then;
    int32_t *member; /* nodes of the dual in the frontier, ascending */
    int32_t n_member;
    int32_t *kept; /* places of the frontier that go on, then node itself */
    int32_t n_kept;
    int32_t *undecided; /* by node: its undecided neighbours */
    int64_t *ahead;     /* by row: the most that undecided nodes can take */
    int64_t *added;     /* by row: usage of a strategy */
    int64_t *slot;      /* hash of the frontier to the newest label */
    int64_t n_slots;
    origin **origin; /* by node, by label */
    bool too_many;
} frontier;

static int32_t n_rows(const frontier *f)
{
    return f->net->n_rows;
}

static void free_layer(layer *l)
{
    mw_mem_free(l->bound);
    mw_mem_free(l->cost);
    mw_mem_free(l->usage);
    mw_mem_free(l->state);
    mw_mem_free(l->next);
    *l = (layer){0};
}

static void free_frontier(frontier *f)
{
    free_layer(&f->now);
    free_layer(&f->then);
    for (int32_t i = 0; f->origin && i < f->dual.n_nodes; i++)
        mw_mem_free(f->origin[i]);
    mw_mem_free(f->origin);
    mw_mem_free(f->member);
    mw_mem_free(f->kept);
    mw_mem_free(f->undecided);
    mw_mem_free(f->ahead);
    mw_mem_free(f->added);
    mw_mem_free(f->slot);
    mw_dual_free(&f->dual);
}

static mw_status grow_layer(frontier *f, layer *l, int32_t width)
{
    int64_t cap = l->cap ? 2 * l->cap : 256;
    size_t n = (size_t)cap;
    void *bound = mw_mem_grow(f->ctx, l->bound, n, sizeof *l->bound);
    l->bound = bound ? bound : l->bound;
    void *cost = mw_mem_grow(f->ctx, l->cost, n, sizeof *l->cost);
    l->cost = cost ? cost : l->cost;
    void *usage = mw_mem_grow(f->ctx, l->usage, n * (size_t)(n_rows(f) + 1),
                              sizeof *l->usage);
    l->usage = usage ? usage : l->usage;
    void *state = mw_mem_grow(f->ctx, l->state, n * (size_t)(width + 1),
                              sizeof *l->state);
    l->state = state ? state : l->state;
    void *next = mw_mem_grow(f->ctx, l->next, n, sizeof *l->next);
    l->next = next ? next : l->next;
    if (!bound || !cost || !usage || !state || !next)
        return MW_ENOMEM;
    l->cap = cap;
    return MW_OK;
}

// Prepares the bound: best prices, and a sweep back as the last.
static mw_status prepare(frontier *f, mw_incumbent *incumbent)
{
    mw_dual *dual = &f->dual;
    MW_TRY(mw_dual_init(dual, f->net));
    MW_TRY(mw_dual_improve(dual, &ascent, f->deadline, incumbent));
    memcpy(dual->price, dual->best_price,
           (size_t)n_rows(f) * sizeof *dual->price);
    mw_dual_charge(dual);
    for (int k = 0; k < 6; k++)
        mw_dual_sweep(dual, k % 2 == 0);
    f->least = dual->bound;
    return MW_OK;
}

static mw_status allocate(frontier *f)
{
    size_t n = (size_t)f->dual.n_nodes, rows = (size_t)n_rows(f) + 1;
    f->origin = mw_mem_alloc(f->ctx, n, sizeof(origin *));
    f->member = mw_mem_alloc(f->ctx, n, sizeof *f->member);
    f->kept = mw_mem_alloc(f->ctx, n + 1, sizeof *f->kept);
    f->undecided = mw_mem_alloc(f->ctx, n, sizeof *f->undecided);
    f->ahead = mw_mem_alloc(f->ctx, rows, sizeof *f->ahead);
    f->added = mw_mem_alloc(f->ctx, rows, sizeof *f->added);
    bool all = f->origin && f->member && f->kept && f->undecided && f->ahead &&
               f->added;
    return all ? MW_OK : MW_ENOMEM;
}

// Usage of a strategy by row.
static void usage_of(const frontier *f, int32_t node, int32_t s, int64_t *usage)
{
    const mw_net_node *v = &f->net->node[f->dual.node[node].node];
    memset(usage, 0, ((size_t)n_rows(f) + 1) * sizeof *usage);
    for (int32_t k = 0; k < v->n_terms; k++) {
        usage[v->term[k].begin] += v->term[k].usage[s];
        usage[v->term[k].end] -= v->term[k].usage[s];
    }
    for (int32_t r = 1; r < n_rows(f); r++)
        usage[r] += usage[r - 1];
}

// Adds the most that a node takes on each row to what is ahead, or takes it
// away; `added` is scratch.
static void count_ahead(frontier *f, int32_t node, int sign, int64_t *most)
{
    memset(most, 0, ((size_t)n_rows(f) + 1) * sizeof *most);
    for (int32_t s = 0; s < f->dual.node[node].n; s++) {
        usage_of(f, node, s, f->added);
        for (int32_t r = 0; r < n_rows(f); r++)
            most[r] = f->added[r] > most[r] ? f->added[r] : most[r];
    }
    for (int32_t r = 0; r < n_rows(f); r++)
        f->ahead[r] += sign * most[r];
}

// Which places of the frontier go on once the node is decided. A node of the
// frontier goes when its last undecided neighbour is decided.
static void plan_frontier(frontier *f, int32_t node)
{
    const mw_dual *dual = &f->dual;
    const mw_dual_node *v = &dual->node[node];
    for (int32_t k = 0; k < v->n_back; k++)
        f->undecided[dual->edge[dual->edge_of[v->first_edge + k]].a]--;
    f->undecided[node] = v->n_ahead;
    f->n_kept = 0;
    for (int32_t k = 0; k < f->n_member; k++) {
        if (f->undecided[f->member[k]] > 0)
            f->kept[f->n_kept++] = k;
    }
}

static int32_t place_of(const frontier *f, int32_t node)
{
    int32_t low = 0, high = f->n_member;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (f->member[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Costs of the node's strategies behind a label: its own, and its edges'.
static void costs_behind(const frontier *f, int32_t node, int64_t label,
                         int64_t *cost)
{
    const mw_dual *dual = &f->dual;
    const mw_dual_node *v = &dual->node[node];
    int32_t width = mw_padded(v->n);
    for (int32_t s = 0; s < v->n; s++)
        cost[s] = dual->rest[v->at + s] - dual->charge[v->at + s];
    for (int32_t k = 0; k < v->n_back; k++) {
        const mw_dual_edge *e = &dual->edge[dual->edge_of[v->first_edge + k]];
        int32_t t = f->now.state[label * f->n_member + place_of(f, e->a)];
        const int64_t *row = e->to_b + (int64_t)t * width;
        const int64_t *share = dual->share + e->at_b;
        int64_t more = dual->share[e->at_a + t];
        for (int32_t s = 0; s < v->n; s++)
            cost[s] = mw_net_add(cost[s], row[s] + share[s] + more);
    }
}

static int64_t *slot_of(frontier *f, const int32_t *state, int32_t width)
{
    uint64_t hash = mw_hash_bytes(0, state, (size_t)width * sizeof *state);
    return &f->slot[hash & (uint64_t)(f->n_slots - 1)];
}

static bool uses_no_more(const int64_t *a, const int64_t *b, int32_t n)
{
    for (int32_t r = 0; r < n; r++) {
        if (a[r] > b[r])
            return false;
    }
    return true;
}

// A label with the same frontier makes the last one of the new layer needless.
static bool is_dominated(const frontier *f, int64_t slot, int32_t width)
{
    const layer *l = &f->then;
    int64_t last = l->n, rows = n_rows(f);
    for (int64_t i = slot; i >= 0; i = l->next[i]) {
        if (l->cost[i] <= l->cost[last] &&
            memcmp(l->state + i * width, l->state + last * width,
                   (size_t)width * sizeof *l->state) == 0 &&
            uses_no_more(l->usage + i * rows, l->usage + last * rows,
                         n_rows(f)))
            return true;
    }
    return false;
}

// Adds the usage of a strategy; what can never overrun any more counts as the
// most that cannot. False when a row is overrun.
static bool add_usage(const frontier *f, const int64_t *before, int64_t *after)
{
    for (int32_t r = 0; r < n_rows(f); r++) {
        int64_t usage = before[r] + f->added[r];
        int64_t safe = f->net->slack[r] - f->ahead[r];
        if (usage > f->net->slack[r])
            return false;
        after[r] = usage < safe ? safe : usage;
    }
    return true;
}

// Extends a label by a strategy of the node.
static mw_status extend(frontier *f, int32_t node, int64_t label, int32_t s,
                        int64_t cost, int64_t bound)
{
    layer *l = &f->then;
    int32_t width = f->n_kept + (f->undecided[node] > 0);
    if (l->n == l->cap)
        MW_TRY(grow_layer(f, l, width));
    int64_t rows = n_rows(f);
    if (!add_usage(f, f->now.usage + label * rows, l->usage + l->n * rows))
        return MW_OK;
    int32_t *state = l->state + l->n * width;
    for (int32_t k = 0; k < f->n_kept; k++)
        state[k] = f->now.state[label * f->n_member + f->kept[k]];
    if (f->undecided[node] > 0)
        state[width - 1] = s;
    l->cost[l->n] = cost;
    l->bound[l->n] = bound;
    int64_t *slot = slot_of(f, state, width);
    if (is_dominated(f, *slot, width))
        return MW_OK;
    l->next[l->n] = (int32_t)*slot;
    *slot = l->n;
    f->origin[node][l->n] = (origin){(int32_t)label, s};
    l->n++;
    return MW_OK;
}

static bool full(const frontier *f)
{
    int64_t numbers = f->then.n * (n_rows(f) + f->n_kept + 4);
    return f->then.n >= f->max_labels || numbers > MAX_NUMBERS;
}

static mw_status extend_all(frontier *f, int32_t node, int64_t *cost)
{
    const mw_dual_node *v = &f->dual.node[node];
    const int64_t *charge = f->dual.charge + v->at;
    for (int32_t s = 0; s < v->n && !f->too_many; s++) {
        usage_of(f, node, s, f->added);
        for (int64_t i = 0; i < f->now.n; i++) {
            costs_behind(f, node, i, cost);
            mw_int128 bound = f->now.bound[i] + cost[s] + charge[s];
            if (mw_net_forbidden(cost[s]) || f->least + bound > f->upper)
                continue;
            MW_TRY(extend(f, node, i, s, f->now.cost[i] + cost[s],
                          (int64_t)bound));
            f->too_many = full(f);
            if (f->too_many)
                break;
        }
        f->too_many =
            f->too_many || mw_stopped(f->ctx) || mw_deadline_over(f->deadline);
    }
    return MW_OK;
}

static int64_t least_rest(const frontier *f, int32_t node)
{
    const mw_dual_node *v = &f->dual.node[node];
    int64_t least = INT64_MAX;
    for (int32_t s = 0; s < v->n; s++) {
        int64_t rest = f->dual.rest[v->at + s];
        least = rest < least ? rest : least;
    }
    return least;
}

static mw_status clear_slots(frontier *f)
{
    int64_t wanted = 1024;
    while (wanted < 4 * f->now.n && wanted < (1 << 22))
        wanted *= 2;
    if (wanted > f->n_slots) {
        mw_mem_free(f->slot);
        f->n_slots = wanted;
        f->slot = mw_mem_alloc(f->ctx, (size_t)wanted, sizeof *f->slot);
        if (!f->slot)
            return MW_ENOMEM;
    }
    for (int64_t i = 0; i < f->n_slots; i++)
        f->slot[i] = -1;
    return MW_OK;
}

static mw_status decide(frontier *f, int32_t node)
{
    const mw_dual_node *v = &f->dual.node[node];
    mw_ctx *ctx = f->ctx;
    int64_t *cost = mw_mem_alloc(ctx, (size_t)v->n, sizeof *cost);
    int64_t *most = mw_mem_alloc(ctx, (size_t)n_rows(f) + 1, sizeof *most);
    int64_t room = f->now.n * v->n;
    room = room < f->max_labels ? room : f->max_labels;
    f->origin[node] =
        mw_mem_alloc(ctx, (size_t)room + 1, sizeof *f->origin[node]);
    mw_status status =
        cost && most && f->origin[node] ? clear_slots(f) : MW_ENOMEM;
    if (status == MW_OK) {
        count_ahead(f, node, -1, most);
        plan_frontier(f, node);
        f->least -= least_rest(f, node);
        status = extend_all(f, node, cost);
    }
    mw_mem_free(cost);
    mw_mem_free(most);
    if (status != MW_OK)
        return status;
    for (int32_t k = 0; k < f->n_kept; k++)
        f->member[k] = f->member[f->kept[k]];
    f->n_member = f->n_kept;
    if (f->undecided[node] > 0)
        f->member[f->n_member++] = node;
    free_layer(&f->now);
    f->now = f->then;
    f->then = (layer){0};
    return MW_OK;
}

static void trace_back(const frontier *f, int32_t *current)
{
    int64_t label = 0;
    for (int64_t i = 1; i < f->now.n; i++) {
        if (f->now.cost[i] < f->now.cost[label])
            label = i;
    }
    for (int32_t node = f->dual.n_nodes; node-- > 0;) {
        origin from = f->origin[node][label];
        current[f->dual.node[node].node] = from.strategy;
        label = from.parent;
    }
}

static mw_status search(frontier *f, int32_t *current, mw_frontier_end *end)
{
    mw_int128 constant = f->net->constant;
    int64_t *most = mw_mem_alloc(f->ctx, (size_t)n_rows(f) + 1, sizeof *most);
    if (!most)
        return MW_ENOMEM;
    for (int32_t i = 0; i < f->dual.n_nodes; i++)
        count_ahead(f, i, 1, most);
    mw_mem_free(most);
    MW_TRY(grow_layer(f, &f->now, 0));
    memset(f->now.usage, 0, ((size_t)n_rows(f) + 1) * sizeof *f->now.usage);
    f->now.n = 1;
    f->now.cost[0] = f->now.bound[0] = 0;
    for (int32_t i = 0; i < f->dual.n_nodes && f->now.n > 0; i++) {
        MW_TRY(decide(f, i));
        if (f->too_many) {
            *end = MW_FRONTIER_GAVE_UP;
            return MW_OK;
        }
    }
    // Costs at the dual's prices were compared; the true ones decide.
    int64_t kept = 0;
    for (int64_t i = 0; i < f->now.n; i++)
        kept += constant + f->now.cost[i] <= f->upper;
    *end = kept > 0 ? MW_FRONTIER_BETTER : MW_FRONTIER_NONE;
    if (kept > 0)
        trace_back(f, current);
    return MW_OK;
}

mw_status mw_frontier_search(mw_net *net, mw_incumbent *incumbent,
                             const mw_deadline *deadline, int64_t max_labels,
                             int32_t *current, mw_frontier_end *end)
{
    frontier f = {.net = net,
                  .ctx = net->ctx,
                  .deadline = deadline,
                  .max_labels = max_labels};
    mw_status status = prepare(&f, incumbent);
    mw_int128 unit = net->scale > 0 ? (mw_int128)1 << net->scale : 1;
    f.upper = mw_incumbent_upper(incumbent, net) - unit;
    if (status == MW_OK)
        status = allocate(&f);
    if (status == MW_OK)
        status = search(&f, current, end);
    free_frontier(&f);
    return status;
}
