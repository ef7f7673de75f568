/*
 * reshard_search.c - Dijkstra over the layouts of one shape, twice: over the
 * steps that change one role a mesh axis, then with general exchanges. There
 * are as many of those as pairs of layouts; one whose least time is above what
 * is known already is not priced.
 */
#include "ir/reshard_search.h"

#include <string.h>

/* A binary heap of nodes by label; a node may stand in it more than once. */
typedef struct heap_item {
    int64_t time_ps, bytes;
    int32_t steps, node;
} heap_item;

typedef struct heap {
    heap_item *item;
    int64_t n, cap;
} heap;

static int compare(const heap_item *a, const heap_item *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->steps != b->steps)
        return a->steps < b->steps ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static mw_status push(mw_arena *arena, heap *h, heap_item item)
{
    h->item = mw_arena_reserve(arena, h->item, h->n, &h->cap, sizeof *h->item);
    if (!h->item)
        return MW_ENOMEM;
    int64_t i = h->n++;
    while (i > 0 && compare(&item, &h->item[(i - 1) / 2]) < 0) {
        h->item[i] = h->item[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->item[i] = item;
    return MW_OK;
}

static heap_item pop(heap *h)
{
    heap_item top = h->item[0], last = h->item[--h->n];
    int64_t i = 0;
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child >= h->n)
            break;
        if (child + 1 < h->n &&
            compare(&h->item[child + 1], &h->item[child]) < 0)
            child++;
        if (compare(&last, &h->item[child]) <= 0)
            break;
        h->item[i] = h->item[child];
        i = child;
    }
    if (h->n > 0)
        h->item[i] = last;
    return top;
}

typedef struct search {
    mw_arena *arena;
    mw_space *space;
    mw_path_tree *tree;
    heap heap;
} search;

// Takes a hop if it makes the label of its end better.
static mw_status relax(search *s, const mw_hop *hop)
{
    const mw_label *before = &s->tree->label[hop->from];
    mw_label *after = &s->tree->label[hop->to];
    if (s->space->bytes[hop->to] > s->tree->cap_bytes)
        return MW_OK;
    heap_item now = {.time_ps = before->time_ps + hop->time_ps,
                     .bytes = before->bytes + hop->bytes,
                     .steps = before->steps + 1,
                     .node = hop->to};
    heap_item known = {.time_ps = after->time_ps,
                       .bytes = after->bytes,
                       .steps = after->steps,
                       .node = hop->to};
    if (after->steps >= 0 && compare(&now, &known) >= 0)
        return MW_OK;
    int64_t passed =
        hop->from == s->tree->source ? 0 : s->space->bytes[hop->from];
    *after = (mw_label){.time_ps = now.time_ps,
                        .bytes = now.bytes,
                        .steps = now.steps,
                        .from = hop->from,
                        .between =
                            before->between > passed ? before->between : passed,
                        .way = hop->way,
                        .kind = (uint8_t)hop->kind,
                        .axes = (uint8_t)hop->axes};
    return push(s->arena, &s->heap, now);
}

// Exchanges from a node to wherever they may be cheaper than what is known.
static mw_status relax_exchanges(search *s, int32_t from)
{
    const mw_label *known = s->tree->label;
    for (int32_t to = 0; to < s->space->n_nodes; to++) {
        mw_hop hop;
        int64_t limit_ps = known[to].steps < 0
                               ? INT64_MAX
                               : known[to].time_ps - known[from].time_ps;
        if (to != from && limit_ps >= 0 &&
            s->space->bytes[to] <= s->tree->cap_bytes &&
            mw_space_exchange(s->space, from, to, limit_ps, &hop))
            MW_TRY(relax(s, &hop));
    }
    return MW_OK;
}

// Takes nodes from the heap until none is left. leaves: the nodes from which
// exchanges are tried; NULL: none.
static mw_status settle_all(search *s, const bool *leaves)
{
    while (s->heap.n > 0) {
        heap_item top = pop(&s->heap);
        const mw_label *l = &s->tree->label[top.node];
        if (l->time_ps != top.time_ps || l->bytes != top.bytes ||
            l->steps != top.steps)
            continue;
        const mw_hops *hops;
        MW_TRY(mw_space_hops(s->space, top.node, &hops));
        for (int i = 0; i < hops->n; i++)
            MW_TRY(relax(s, &hops->hop[i]));
        if (leaves && leaves[top.node])
            MW_TRY(relax_exchanges(s, top.node));
    }
    return MW_OK;
}

// Where exchanges may leave from: anywhere, but in a space too large to
// remember them only where the source gets by reductions alone.
static mw_status find_leaves(search *s, bool *leaves)
{
    int32_t n_nodes = s->space->n_nodes, n = 0;
    int32_t *node = MW_NEW_ARRAY(s->arena, n_nodes, int32_t);
    if (!node)
        return MW_ENOMEM;
    memset(leaves, s->space->exchange != NULL, (size_t)n_nodes);
    leaves[s->tree->source] = true;
    node[n++] = s->tree->source;
    for (int32_t k = 0; k < n; k++) {
        const mw_hops *hops;
        MW_TRY(mw_space_hops(s->space, node[k], &hops));
        for (int i = 0; i < hops->n; i++) {
            const mw_hop *hop = &hops->hop[i];
            bool reduces =
                hop->kind == MW_ALL_REDUCE || hop->kind == MW_REDUCE_SCATTER;
            if (!reduces || leaves[hop->to] ||
                s->space->bytes[hop->to] > s->tree->cap_bytes)
                continue;
            leaves[hop->to] = true;
            node[n++] = hop->to;
        }
    }
    return MW_OK;
}

// Once over the steps that stay within groups, so that bounds are known, then
// with exchanges.
static mw_status run_search(search *s)
{
    mw_label *known = s->tree->label;
    bool *leaves = MW_NEW_ARRAY(s->arena, s->space->n_nodes, bool);
    if (!leaves)
        return MW_ENOMEM;
    for (int32_t i = 0; i < s->space->n_nodes; i++)
        known[i].steps = -1;
    known[s->tree->source] = (mw_label){.from = MW_NONE};
    MW_TRY(push(s->arena, &s->heap, (heap_item){.node = s->tree->source}));
    MW_TRY(settle_all(s, NULL));
    MW_TRY(find_leaves(s, leaves));
    for (int32_t i = 0; i < s->space->n_nodes; i++)
        if (known[i].steps >= 0)
            MW_TRY(push(s->arena, &s->heap,
                        (heap_item){.time_ps = known[i].time_ps,
                                    .bytes = known[i].bytes,
                                    .steps = known[i].steps,
                                    .node = i}));
    return settle_all(s, leaves);
}

mw_status mw_path_tree_grow(mw_ctx *ctx, mw_space *space, mw_path_tree *tree)
{
    mw_arena scratch;
    mw_arena_init(&scratch, ctx);
    search s = {.arena = &scratch, .space = space, .tree = tree};
    mw_status status = run_search(&s);
    mw_arena_free(&scratch);
    if (status == MW_OK && space->meetings.failed)
        return MW_ENOMEM;
    return status;
}
