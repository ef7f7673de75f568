/* kind.c - finding the kinds: numbers of nodes are refined by those of their
 * neighbours, round after round. */
#include "search/kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "search/minplus.h"

/* Edges away from which a node's kind depends, at least and at most: fewer once
 * what the kinds touch has so many entries. */
enum { LEAST_ROUNDS = 10, MOST_ROUNDS = 24, MANY_ENTRIES = 100000000 };

/* What sums may come to. */
enum { SUM_BITS = 55, MOST_SHIFT = 16, SHARE_BITS = 55 };

/* How an edge looks from one of its ends. */
typedef struct touch {
    int32_t matrix, end, other, edge;
} touch;

typedef struct finder {
    mw_kinds *kinds;
    const mw_problem *problem;
    mw_arena arena;
    mw_map vector;          /* from a pointer to a vector, times 2^shift */
    int32_t *cost, *matrix; /* vectors */
    int32_t *first;         /* by node: where its touches begin */
    touch *touches, *sorted;
    int32_t *number, *before; /* of nodes, of this round and the last */
    const int64_t **facing;   /* matrices as sides face them */
    int64_t cap_facing;
} finder;

static int32_t states(const finder *f, int32_t node)
{
    return f->problem->node[node].n_strategies;
}

static int64_t entries(const finder *f, const mw_problem_edge *e)
{
    return (int64_t)states(f, e->a) * states(f, e->b);
}

// The largest cost of a vector, looked at once.
static mw_status add_most(mw_map *known, const int64_t *value, int64_t n,
                          mw_int128 *sum)
{
    const int64_t *found = mw_map_find(known, &value, sizeof(int64_t *));
    int64_t most = found ? *found : mw_most_of(value, n);
    *sum += most;
    return found ? MW_OK : mw_map_put(known, &value, sizeof(int64_t *), most);
}

// As much room for fractions as sums leave.
static mw_status find_shift(finder *f)
{
    mw_int128 sum = 1;
    mw_map known;
    mw_map_init(&known, &f->arena);
    for (int32_t i = 0; i < f->problem->n_nodes; i++)
        MW_TRY(add_most(&known, f->problem->node[i].cost, states(f, i), &sum));
    for (int32_t i = 0; i < f->problem->n_edges; i++)
        MW_TRY(add_most(&known, f->problem->edge[i].matrix,
                        entries(f, &f->problem->edge[i]), &sum));
    int shift = -1;
    while (shift < MOST_SHIFT && sum << (shift + 1) >> SUM_BITS == 0)
        shift++;
    f->kinds->shift = shift;
    return MW_OK;
}

static mw_status read_vector(finder *f, const int64_t *value, int64_t n,
                             int32_t *id)
{
    mw_alike *all = f->kinds->all;
    const int64_t *found = mw_map_find(&f->vector, &value, sizeof(int64_t *));
    if (found && all->vector[*found].n == n) {
        *id = (int32_t)*found;
        return MW_OK;
    }
    mw_ctx *ctx = f->arena.ctx;
    int64_t *scaled = mw_mem_alloc(ctx, (size_t)n, sizeof *scaled);
    if (!scaled)
        return MW_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        scaled[i] = value[i] >= MW_INFINITE
                        ? MW_INFINITE
                        : value[i] * (INT64_C(1) << f->kinds->shift);
    mw_status status = mw_alike_add(all, scaled, n, id);
    mw_mem_free(scaled);
    MW_TRY(status);
    return mw_map_put(&f->vector, &value, sizeof(int64_t *), *id);
}

static void ends_of(const mw_problem_edge *e, int32_t end[2])
{
    end[0] = e->transposed ? e->b : e->a;
    end[1] = e->transposed ? e->a : e->b;
}

static mw_status read_problem(finder *f)
{
    const mw_problem *p = f->problem;
    f->cost = MW_NEW_ARRAY(&f->arena, p->n_nodes + 1, int32_t);
    f->matrix = MW_NEW_ARRAY(&f->arena, p->n_edges + 1, int32_t);
    f->first = MW_NEW_ARRAY(&f->arena, p->n_nodes + 2, int32_t);
    f->touches = MW_NEW_ARRAY(&f->arena, 2 * (int64_t)p->n_edges + 1, touch);
    f->sorted = MW_NEW_ARRAY(&f->arena, 2 * (int64_t)p->n_edges + 1, touch);
    if (!f->cost || !f->matrix || !f->first || !f->touches || !f->sorted)
        return MW_ENOMEM;
    for (int32_t i = 0; i < p->n_nodes; i++)
        MW_TRY(read_vector(f, p->node[i].cost, states(f, i), &f->cost[i]));
    for (int32_t i = 0; i < p->n_edges; i++) {
        MW_TRY(read_vector(f, p->edge[i].matrix, entries(f, &p->edge[i]),
                           &f->matrix[i]));
        f->first[p->edge[i].a + 2]++;
        f->first[p->edge[i].b + 2]++;
    }
    for (int32_t i = 0; i < p->n_nodes; i++)
        f->first[i + 2] += f->first[i + 1];
    for (int32_t i = 0; i < p->n_edges; i++) {
        int32_t end[2];
        ends_of(&p->edge[i], end);
        for (int k = 0; k < 2; k++)
            f->touches[f->first[end[k] + 1]++] =
                (touch){f->matrix[i], k, end[1 - k], i};
    }
    return MW_OK;
}

static int compare_touches(const void *x, const void *y)
{
    const touch *a = x, *b = y;
    if (a->matrix != b->matrix)
        return a->matrix < b->matrix ? -1 : 1;
    if (a->end != b->end)
        return a->end - b->end;
    return (a->other > b->other) - (a->other < b->other);
}

// A node's key: its own number, and its touches with the others' numbers, in
// order.
static void make_key(const finder *f, int32_t node, mw_key *key)
{
    int32_t n = f->first[node + 1] - f->first[node];
    touch *sorted = f->sorted;
    for (int32_t i = 0; i < n; i++) {
        sorted[i] = f->touches[f->first[node] + i];
        sorted[i].other = f->before[sorted[i].other];
    }
    qsort(sorted, (size_t)n, sizeof *sorted, compare_touches);
    mw_key_clear(key);
    mw_key_add(key, f->before[node]);
    for (int32_t i = 0; i < n; i++) {
        mw_key_add(key, 2 * (int64_t)sorted[i].matrix + sorted[i].end);
        mw_key_add(key, sorted[i].other);
    }
}

// n_entries: of all matrices that one node of each number touches.
static mw_status refine(finder *f, int64_t *n_numbers, int64_t *n_entries)
{
    mw_arena arena;
    mw_arena_init(&arena, f->arena.ctx);
    mw_intern table = {.arena = &arena};
    mw_key key = {.arena = &arena};
    mw_status status = MW_OK;
    for (int32_t i = 0; i < f->problem->n_nodes && status == MW_OK; i++) {
        bool fresh;
        make_key(f, i, &key);
        status = mw_intern_key(&table, &key, &f->number[i], &fresh);
        for (int32_t k = f->first[i]; fresh && k < f->first[i + 1]; k++)
            *n_entries += entries(f, &f->problem->edge[f->touches[k].edge]);
    }
    *n_numbers = table.n;
    mw_arena_free(&arena);
    return status;
}

// f->number: of nodes; f->before: of the round before, which tell apart what a
// node of some number is joined to.
static mw_status find_numbers(finder *f, int64_t *n_numbers)
{
    int32_t n = f->problem->n_nodes;
    f->number = MW_NEW_ARRAY(&f->arena, n + 1, int32_t);
    f->before = MW_NEW_ARRAY(&f->arena, n + 1, int32_t);
    if (!f->number || !f->before)
        return MW_ENOMEM;
    memcpy(f->number, f->cost, (size_t)n * sizeof *f->number);
    *n_numbers = 0;
    for (int round = 1; round <= MOST_ROUNDS; round++) {
        int32_t *swap = f->before;
        int64_t last = *n_numbers, n_entries = 0;
        f->before = f->number;
        f->number = swap;
        MW_TRY(refine(f, n_numbers, &n_entries));
        bool many = round >= LEAST_ROUNDS && n_entries > MANY_ENTRIES;
        if (*n_numbers == last || many)
            return MW_OK;
    }
    return MW_OK;
}

static const int64_t *padded(mw_kinds *kinds, int32_t matrix, int32_t height,
                             int32_t width)
{
    int32_t stride = mw_padded(width);
    const int64_t *from = mw_alike_at(kinds->all, matrix);
    int64_t *made =
        MW_NEW_ARRAY(kinds->arena, (int64_t)height * stride, int64_t);
    if (made)
        mw_pad_rows(made, from, height, width);
    return made;
}

static int compare_nodes(const void *x, const void *y)
{
    const int32_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static mw_kind_side *find_side(mw_kind_node *kind, const touch *t)
{
    for (int32_t k = 0; k < kind->n_sides; k++) {
        mw_kind_side *side = &kind->side[k];
        if (side->matrix == t->matrix && side->end == t->end &&
            side->other == t->other)
            return side;
    }
    return NULL;
}

// A touch with what tells the other end's kind in place of its node.
static touch seen_from(const finder *f, const touch *t)
{
    return (touch){t->matrix, t->end, f->before[t->other], t->edge};
}

// The sides of a kind, as one of its nodes sees them.
static mw_status make_sides(finder *f, mw_kind_node *kind, int32_t node)
{
    int32_t n = f->first[node + 1] - f->first[node];
    kind->side = MW_NEW_ARRAY(f->kinds->arena, n + 1, mw_kind_side);
    if (!kind->side)
        return MW_ENOMEM;
    for (int32_t i = 0; i < n; i++) {
        const touch *t = &f->touches[f->first[node] + i];
        touch seen = seen_from(f, t);
        mw_kind_side *side = find_side(kind, &seen);
        if (side) {
            side->count++;
            continue;
        }
        side = &kind->side[kind->n_sides++];
        *side = (mw_kind_side){.matrix = t->matrix,
                               .end = t->end,
                               .other = seen.other,
                               .count = 1,
                               .edge = t->edge,
                               .ahead = t->other > node,
                               .facing_n = states(f, t->other)};
        side->share =
            MW_NEW_ARRAY(f->kinds->arena, mw_padded(kind->n), int64_t);
        if (!side->share)
            return MW_ENOMEM;
    }
    return MW_OK;
}

// The middle one of each kind speaks for it.
static mw_status find_speakers(finder *f, int64_t n, int32_t *speaker,
                               int32_t *count)
{
    int32_t *seen = MW_NEW_ARRAY(&f->arena, n + 1, int32_t);
    if (!seen)
        return MW_ENOMEM;
    for (int32_t i = 0; i < f->problem->n_nodes; i++)
        count[f->number[i]]++;
    for (int32_t i = 0; i < f->problem->n_nodes; i++) {
        int32_t number = f->number[i];
        if (seen[number]++ == count[number] / 2)
            speaker[number] = i;
    }
    return MW_OK;
}

static mw_status make_nodes(finder *f, int64_t n)
{
    mw_kinds *kinds = f->kinds;
    int32_t *speaker = MW_NEW_ARRAY(&f->arena, n + 1, int32_t);
    int32_t *count = MW_NEW_ARRAY(&f->arena, n + 1, int32_t);
    int32_t *kind_of = MW_NEW_ARRAY(&f->arena, n + 1, int32_t);
    int32_t *order = MW_NEW_ARRAY(&f->arena, n + 1, int32_t);
    kinds->node = MW_NEW_ARRAY(kinds->arena, n + 1, mw_kind_node);
    kinds->of_node =
        MW_NEW_ARRAY(kinds->arena, f->problem->n_nodes + 1, int32_t);
    if (!speaker || !count || !kind_of || !order || !kinds->node ||
        !kinds->of_node)
        return MW_ENOMEM;
    MW_TRY(find_speakers(f, n, speaker, count));
    for (int32_t i = 0; i < n; i++)
        order[i] = speaker[i];
    qsort(order, (size_t)n, sizeof *order, compare_nodes);
    int32_t widest = 1, most_sides = 1;
    for (int32_t i = 0; i < n; i++) {
        int32_t node = order[i];
        mw_kind_node *kind = &kinds->node[i];
        kind_of[f->number[node]] = i;
        *kind = (mw_kind_node){.n = states(f, node),
                               .count = count[f->number[node]],
                               .cost = f->cost[node]};
        kind->excess = MW_NEW_ARRAY(kinds->arena, kind->n, int64_t);
        if (!kind->excess)
            return MW_ENOMEM;
        MW_TRY(make_sides(f, kind, node));
        widest = kind->n > widest ? kind->n : widest;
        int32_t n_sides = f->first[node + 1] - f->first[node];
        most_sides = n_sides > most_sides ? n_sides : most_sides;
    }
    kinds->n_nodes = (int32_t)n;
    kinds->most_share = (INT64_C(1) << SHARE_BITS) / most_sides;
    for (int32_t i = 0; i < f->problem->n_nodes; i++)
        kinds->of_node[i] = kind_of[f->number[i]];
    kinds->theta = MW_NEW_ARRAY(kinds->arena, widest, int64_t);
    return kinds->theta ? MW_OK : MW_ENOMEM;
}

// The side of a node's kind on which an edge is.
static mw_kind_side *side_of(const finder *f, int32_t edge, int end)
{
    int32_t node[2];
    ends_of(&f->problem->edge[edge], node);
    touch seen = {f->matrix[edge], end, f->before[node[1 - end]], edge};
    return find_side(&f->kinds->node[f->kinds->of_node[node[end]]], &seen);
}

// Matrices that face the nodes of sides, each made once.
static mw_status face(finder *f, mw_map *known, const mw_kind_node *v,
                      mw_kind_side *side)
{
    int64_t key[3] = {side->matrix, side->end, v->n};
    const int64_t *found = mw_map_find(known, key, sizeof key);
    side->answer = side_of(f, side->edge, 1 - side->end);
    if (found) {
        side->facing = f->facing[*found];
        return MW_OK;
    }
    int32_t matrix = side->matrix;
    if (side->end == 0)
        MW_TRY(mw_alike_transposed(f->kinds->all, matrix, v->n, &matrix));
    side->facing = padded(f->kinds, matrix, side->facing_n, v->n);
    const int64_t **more =
        mw_arena_reserve(&f->arena, f->facing, known->n_entries, &f->cap_facing,
                         sizeof(const int64_t *));
    if (!side->facing || !more)
        return MW_ENOMEM;
    f->facing = more;
    more[known->n_entries] = side->facing;
    return mw_map_put(known, key, sizeof key, known->n_entries);
}

// Which sides are answered by none, and which keep what they have when the
// single nodes are mended: nodes of kinds of many do not move then.
static void close_sides(mw_kinds *kinds)
{
    for (int32_t i = 0; i < kinds->n_nodes; i++) {
        const mw_kind_node *v = &kinds->node[i];
        for (int32_t k = 0; k < v->n_sides; k++) {
            mw_kind_side *side = &v->side[k];
            side->alone = side->answer->answer != side;
            side->closed = side->closed || side->alone;
            if (side->alone || v->count > 1)
                side->answer->closed = true;
        }
    }
}

static mw_status face_all(finder *f)
{
    mw_map known;
    mw_map_init(&known, &f->arena);
    for (int32_t i = 0; i < f->kinds->n_nodes; i++) {
        const mw_kind_node *v = &f->kinds->node[i];
        for (int32_t k = 0; k < v->n_sides; k++)
            MW_TRY(face(f, &known, v, &v->side[k]));
    }
    close_sides(f->kinds);
    return MW_OK;
}

// Edges are of one kind when both their sides are.
static mw_status make_edges(finder *f)
{
    mw_kinds *kinds = f->kinds;
    const mw_problem *p = f->problem;
    mw_map known;
    mw_map_init(&known, &f->arena);
    kinds->edge = MW_NEW_ARRAY(kinds->arena, p->n_edges + 1, mw_kind_edge);
    kinds->of_edge = MW_NEW_ARRAY(kinds->arena, p->n_edges + 1, int32_t);
    if (!kinds->edge || !kinds->of_edge)
        return MW_ENOMEM;
    for (int32_t i = 0; i < p->n_edges; i++) {
        int32_t end[2];
        const mw_kind_side *side[2] = {side_of(f, i, 0), side_of(f, i, 1)};
        const int64_t *found = mw_map_find(&known, side, sizeof side);
        if (found) {
            kinds->of_edge[i] = (int32_t)*found;
            continue;
        }
        ends_of(&p->edge[i], end);
        kinds->edge[kinds->n_edges] =
            (mw_kind_edge){.matrix = f->matrix[i],
                           .n = {states(f, end[0]), states(f, end[1])},
                           .share = {side[0]->share, side[1]->share}};
        kinds->of_edge[i] = kinds->n_edges;
        MW_TRY(mw_map_put(&known, side, sizeof side, kinds->n_edges++));
    }
    return MW_OK;
}

static mw_status find(finder *f)
{
    int64_t n;
    MW_TRY(find_shift(f));
    if (f->kinds->shift < 0)
        return MW_OK;
    MW_TRY(read_problem(f));
    MW_TRY(find_numbers(f, &n));
    MW_TRY(make_nodes(f, n));
    MW_TRY(face_all(f));
    return make_edges(f);
}

mw_status mw_kinds_find(mw_kinds *kinds, mw_arena *arena, mw_alike *all,
                        const mw_problem *problem)
{
    *kinds = (mw_kinds){.arena = arena, .all = all, .problem = problem};
    finder f = {.kinds = kinds, .problem = problem};
    mw_arena_init(&f.arena, arena->ctx);
    mw_map_init(&f.vector, &f.arena);
    mw_status status = find(&f);
    mw_arena_free(&f.arena);
    return status;
}
