/* live_rule.c - branch and bound. Tensors with the same dimensions are one
 * kind; a row says what each kind takes at a step, and rows that another
 * exceeds in every kind are dropped. With some dimensions decided, a kind is at
 * best in its parts so far times the largest axes that are left to it. */
#include "search/live_rule.h"

#include <stdlib.h>
#include <string.h>

#include "search/layout_intern.h"

typedef struct kind {
    const int32_t *dim; /* those that may be split */
    int n_dims;
} kind;

typedef struct finder {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_live_graph *graph;
    const mw_mesh *mesh;
    const mw_deadline *deadline;
    bool one_axis, over;
    kind *kind;
    int32_t n_kinds;
    int64_t cap_kinds;
    int32_t *kind_of; /* by tensor */
    int64_t *row;     /* n_rows x n_kinds, bytes */
    int64_t n_rows;
    int32_t *order; /* dimensions by weight; n_order of them */
    int32_t n_order;
    uint32_t *axes;  /* by dimension, of the branch at hand */
    bool *decided;   /* by dimension */
    int64_t *parts;  /* by kind, of the bound at hand */
    uint32_t *best;  /* by dimension */
    int64_t peak;    /* of best */
    int64_t skipped; /* the least bound of branches left when time was up */
    int64_t n_looks;
} finder;

static mw_status add_kind(finder *find, const mw_live_tensor *tensor)
{
    kind *kinds = mw_arena_reserve(find->arena, find->kind, find->n_kinds,
                                   &find->cap_kinds, sizeof *kinds);
    int32_t *dim = MW_NEW_ARRAY(find->arena, tensor->n_dims + 1, int32_t);
    if (!kinds || !dim)
        return MW_ENOMEM;
    find->kind = kinds;
    int n = 0;
    for (int i = 0; i < tensor->n_dims; i++) {
        if (find->graph->size[tensor->dim[i]] > 0)
            dim[n++] = tensor->dim[i];
    }
    kinds[find->n_kinds++] = (kind){dim, n};
    return MW_OK;
}

static mw_status find_kinds(finder *find)
{
    const mw_live_graph *graph = find->graph;
    mw_intern known = {.arena = find->arena};
    mw_key key = {.arena = find->arena};
    find->kind_of = MW_NEW_ARRAY(find->arena, graph->n_tensors + 1, int32_t);
    uint8_t *has = MW_NEW_ARRAY(find->arena, graph->n_dims + 1, uint8_t);
    if (!find->kind_of || !has)
        return MW_ENOMEM;
    for (int32_t t = 0; t < graph->n_tensors; t++) {
        const mw_live_tensor *tensor = &graph->tensor[t];
        memset(has, 0, (size_t)graph->n_dims);
        for (int i = 0; i < tensor->n_dims; i++)
            has[tensor->dim[i]] = graph->size[tensor->dim[i]] > 0;
        mw_key_clear(&key);
        for (int32_t d = 0; d < graph->n_dims; d++) {
            if (has[d])
                mw_key_add(&key, d);
        }
        bool fresh;
        MW_TRY(mw_intern_key(&known, &key, &find->kind_of[t], &fresh));
        if (fresh)
            MW_TRY(add_kind(find, tensor));
    }
    return MW_OK;
}

// Whether some kept row takes as much in every kind.
static bool is_covered(const finder *find, const int64_t *now)
{
    for (int64_t r = 0; r < find->n_rows; r++) {
        const int64_t *row = find->row + r * find->n_kinds;
        int32_t k = 0;
        while (k < find->n_kinds && now[k] <= row[k])
            k++;
        if (k == find->n_kinds)
            return true;
    }
    return false;
}

typedef struct total {
    int64_t bytes, step;
} total;

static int larger(const void *a, const void *b)
{
    const total *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

// Bytes by step and kind, as sums over lives.
static mw_status find_lives(const finder *find, int64_t **lives)
{
    const mw_live_graph *graph = find->graph;
    int32_t n = find->n_kinds;
    int64_t *live =
        MW_NEW_ARRAY(find->arena, (graph->n_steps + 1) * n + 1, int64_t);
    if (!live)
        return MW_ENOMEM;
    for (int32_t t = 0; t < graph->n_tensors; t++) {
        const mw_live_tensor *tensor = &graph->tensor[t];
        live[tensor->begin * n + find->kind_of[t]] += tensor->bytes;
        live[tensor->end * n + find->kind_of[t]] -= tensor->bytes;
    }
    for (int64_t i = n; i < (graph->n_steps + 1) * n; i++)
        live[i] += live[i - n];
    *lives = live;
    return MW_OK;
}

// Rows by their whole bytes: a row that covers another comes before it.
static mw_status find_rows(finder *find)
{
    int64_t n_steps = find->graph->n_steps;
    int32_t n = find->n_kinds;
    int64_t *live;
    total *order = MW_NEW_ARRAY(find->arena, n_steps + 1, total);
    find->row = MW_NEW_ARRAY(find->arena, n_steps * n + 1, int64_t);
    if (!order || !find->row)
        return MW_ENOMEM;
    MW_TRY(find_lives(find, &live));
    for (int64_t k = 0; k < n_steps; k++) {
        order[k].step = k;
        for (int32_t i = 0; i < n; i++)
            order[k].bytes += live[k * n + i];
    }
    qsort(order, (size_t)n_steps, sizeof *order, larger);
    for (int64_t k = 0; k < n_steps; k++) {
        const int64_t *now = live + order[k].step * n;
        if (is_covered(find, now))
            continue;
        memcpy(find->row + find->n_rows * n, now, (size_t)n * sizeof *now);
        find->n_rows++;
    }
    return MW_OK;
}

// Dimensions whose tensors take most over the rows come first: they decide
// most.
static mw_status find_order(finder *find)
{
    int32_t n_dims = find->graph->n_dims;
    total *weight = MW_NEW_ARRAY(find->arena, n_dims + 1, total);
    find->order = MW_NEW_ARRAY(find->arena, n_dims + 1, int32_t);
    if (!weight || !find->order)
        return MW_ENOMEM;
    for (int32_t d = 0; d < n_dims; d++)
        weight[d].step = d;
    for (int32_t k = 0; k < find->n_kinds; k++) {
        int64_t most = 0;
        for (int64_t r = 0; r < find->n_rows; r++) {
            int64_t bytes = find->row[r * find->n_kinds + k];
            most = bytes > most ? bytes : most;
        }
        for (int i = 0; i < find->kind[k].n_dims; i++)
            weight[find->kind[k].dim[i]].bytes += most;
    }
    qsort(weight, (size_t)n_dims, sizeof *weight, larger);
    for (int32_t i = 0; i < n_dims; i++) {
        if (find->graph->size[weight[i].step] > 0)
            find->order[find->n_order++] = (int32_t)weight[i].step;
    }
    return MW_OK;
}

// The most parts a kind can be in, given what is decided.
static int64_t most_parts(const finder *find, const kind *it)
{
    uint32_t used = 0;
    int left = 0;
    for (int i = 0; i < it->n_dims; i++) {
        used |= find->axes[it->dim[i]];
        left += !find->decided[it->dim[i]];
    }
    int64_t parts = mw_mesh_group_size(find->mesh, used);
    if (left == 0)
        return parts;
    while (!find->one_axis || left-- > 0) {
        int largest = -1;
        for (int a = 0; a < find->mesh->n_axes; a++) {
            if (!(used >> a & 1) &&
                (largest < 0 ||
                 find->mesh->axis[a].size > find->mesh->axis[largest].size))
                largest = a;
        }
        if (largest < 0)
            break;
        used |= UINT32_C(1) << largest;
        parts *= find->mesh->axis[largest].size;
    }
    return parts;
}

// No rule that agrees with what is decided takes less; once all is decided it
// is the peak.
static int64_t bound(finder *find)
{
    int64_t most = 0;
    for (int32_t k = 0; k < find->n_kinds; k++)
        find->parts[k] = most_parts(find, &find->kind[k]);
    for (int64_t r = 0; r < find->n_rows; r++) {
        const int64_t *row = find->row + r * find->n_kinds;
        int64_t sum = 0;
        for (int32_t k = 0; k < find->n_kinds; k++)
            sum += row[k] / find->parts[k];
        most = sum > most ? sum : most;
    }
    return most;
}

// Axes of one size are alike: those not used yet come in order.
static bool in_order(const finder *find, uint32_t subset)
{
    uint32_t used = 0;
    for (int32_t d = 0; d < find->graph->n_dims; d++)
        used |= find->axes[d];
    for (int a = 0; a < find->mesh->n_axes; a++) {
        if (!(subset >> a & 1) || used >> a & 1)
            continue;
        for (int b = 0; b < a; b++) {
            if (!((used | subset) >> b & 1) &&
                find->mesh->axis[b].size == find->mesh->axis[a].size)
                return false;
        }
    }
    return true;
}

static bool may_take(const finder *find, int32_t d, uint32_t subset)
{
    const mw_live_graph *graph = find->graph;
    if (find->one_axis && (subset & (subset - 1)) != 0)
        return false;
    if (graph->size[d] % mw_mesh_group_size(find->mesh, subset) != 0)
        return false;
    for (int32_t e = 0; e < graph->n_dims; e++) {
        if (graph->meets[(int64_t)d * graph->n_dims + e] &&
            (find->axes[e] & subset))
            return false;
    }
    return in_order(find, subset);
}

enum { LOOKS_A_CLOCK = 256 };

static bool is_over(finder *find)
{
    if (find->n_looks++ % LOOKS_A_CLOCK == 0)
        find->over = find->over || mw_stopped(find->ctx) ||
                     mw_deadline_over(find->deadline);
    return find->over;
}

static void branch(finder *find, int32_t i)
{
    int64_t least = bound(find);
    if (least >= find->peak)
        return;
    if (i == find->n_order) {
        find->peak = least;
        memcpy(find->best, find->axes,
               (size_t)find->graph->n_dims * sizeof *find->best);
        return;
    }
    if (is_over(find)) {
        find->skipped = least < find->skipped ? least : find->skipped;
        return;
    }
    int32_t d = find->order[i];
    uint32_t n_subsets = UINT32_C(1) << find->mesh->n_axes;
    find->decided[d] = true;
    for (uint32_t subset = n_subsets; subset-- > 0;) {
        if (!may_take(find, d, subset))
            continue;
        find->axes[d] = subset;
        branch(find, i + 1);
        find->axes[d] = 0;
    }
    find->decided[d] = false;
}

static mw_status prepare(finder *find)
{
    int32_t n_dims = find->graph->n_dims;
    MW_TRY(find_kinds(find));
    MW_TRY(find_rows(find));
    MW_TRY(find_order(find));
    find->axes = MW_NEW_ARRAY(find->arena, n_dims + 1, uint32_t);
    find->best = MW_NEW_ARRAY(find->arena, n_dims + 1, uint32_t);
    find->decided = MW_NEW_ARRAY(find->arena, n_dims + 1, bool);
    find->parts = MW_NEW_ARRAY(find->arena, find->n_kinds + 1, int64_t);
    if (!find->axes || !find->best || !find->decided || !find->parts)
        return MW_ENOMEM;
    return MW_OK;
}

mw_status mw_live_rule_find(mw_ctx *ctx, mw_arena *arena,
                            const mw_live_graph *graph, const mw_mesh *mesh,
                            bool one_axis, const mw_deadline *deadline,
                            mw_live_rule *rule)
{
    finder find = {.ctx = ctx,
                   .arena = arena,
                   .graph = graph,
                   .mesh = mesh,
                   .deadline = deadline,
                   .one_axis = one_axis,
                   .peak = INT64_MAX,
                   .skipped = INT64_MAX};
    MW_TRY(prepare(&find));
    // Nothing split is an answer at once.
    memset(find.decided, 1, (size_t)graph->n_dims * sizeof *find.decided);
    find.peak = bound(&find);
    memset(find.decided, 0, (size_t)graph->n_dims * sizeof *find.decided);
    branch(&find, 0);
    int64_t least = find.skipped < find.peak ? find.skipped : find.peak;
    *rule = (mw_live_rule){.axes = find.best,
                           .peak_bytes = find.peak,
                           .bound_bytes = least,
                           .proven = least == find.peak};
    return MW_OK;
}
