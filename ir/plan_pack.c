/*
 * plan_pack.c - first fit in several orders, then in orders where the buffers
 * that reached too high come first. Buffers that live always lie at the bottom,
 * where they are in nobody's way. O(n^2) an order, but most of it is a glance
 * at whether any of a shelf's pieces lives at the same time.
 */
#include "ir/plan_pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

/* Of many pieces, which take long to place, the last part in so many may be
 * lost. */
enum { MAX_ROUNDS = 64, ROUNDS_AN_ORDER = 16, MANY = 3000, NEARLY = 1000 };

typedef struct piece {
    int64_t bytes; /* rounded */
    int64_t offset;
    int32_t begin, end;
    int32_t index; /* in the caller's array */
} piece;

typedef int (*order)(const void *, const void *);

static int by_index(const piece *a, const piece *b)
{
    return a->index < b->index ? -1 : a->index > b->index;
}

static int by_bytes(const void *left, const void *right)
{
    const piece *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return by_index(a, b);
}

static int by_life(const void *left, const void *right)
{
    const piece *a = left, *b = right;
    if (a->end - a->begin != b->end - b->begin)
        return a->end - a->begin > b->end - b->begin ? -1 : 1;
    return by_bytes(left, right);
}

static int by_area(const void *left, const void *right)
{
    const piece *a = left, *b = right;
    double x = (double)a->bytes * (a->end - a->begin);
    double y = (double)b->bytes * (b->end - b->begin);
    if (x < y || x > y)
        return x > y ? -1 : 1;
    return by_bytes(left, right);
}

static int by_begin(const void *left, const void *right)
{
    const piece *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return by_bytes(left, right);
}

/* Pieces that are placed, by offset, in shelves of so many at most. */
enum { SHELF = 64 };

typedef struct shelf {
    int32_t n;
    int32_t begin[SHELF], end[SHELF]; /* 0 behind the last: lives never */
    int64_t offset[SHELF], top[SHELF];
    int64_t highest; /* of the tops */
} shelf;

typedef struct shelves {
    shelf *room; /* all there may be */
    shelf **shelf;
    int64_t n;
} shelves;

static inline bool any_alive(const shelf *h, int32_t begin, int32_t end)
{
    int alive = 0;
    for (int k = 0; k < SHELF; k++)
        alive |= (h->begin[k] < end) & (begin < h->end[k]);
    return alive != 0;
}

// Lowest offset at which the piece fits among those placed.
MW_WIDE static int64_t lowest_fit(const shelves *all, const piece *p)
{
    int64_t at = 0;
    for (int64_t i = 0; i < all->n; i++) {
        const shelf *h = all->shelf[i];
        if (h->offset[0] >= at + p->bytes)
            break;
        if (h->highest <= at || !any_alive(h, p->begin, p->end))
            continue;
        for (int32_t k = 0; k < h->n; k++) {
            if (h->begin[k] >= p->end || p->begin >= h->end[k])
                continue;
            if (h->offset[k] >= at + p->bytes)
                return at;
            at = h->top[k] > at ? h->top[k] : at;
        }
    }
    return at;
}

static void take_highest(shelf *h)
{
    h->highest = 0;
    for (int32_t k = 0; k < h->n; k++)
        h->highest = h->top[k] > h->highest ? h->top[k] : h->highest;
}

static void move(shelf *to, int32_t at, const shelf *from, int32_t k)
{
    to->begin[at] = from->begin[k];
    to->end[at] = from->end[k];
    to->offset[at] = from->offset[k];
    to->top[at] = from->top[k];
}

// The second half of a full shelf makes one of its own behind it.
static void split(shelves *all, int64_t i)
{
    shelf *full = all->shelf[i], *half = &all->room[all->n];
    memmove(all->shelf + i + 2, all->shelf + i + 1,
            (size_t)(all->n - i - 1) * sizeof(shelf *));
    all->shelf[i + 1] = half;
    all->n++;
    *half = (shelf){.n = SHELF / 2};
    full->n = SHELF / 2;
    for (int32_t k = 0; k < SHELF / 2; k++) {
        move(half, k, full, k + SHELF / 2);
        full->begin[k + SHELF / 2] = full->end[k + SHELF / 2] = 0;
    }
    take_highest(full);
    take_highest(half);
}

// Behind all that are not higher.
static void put(shelves *all, const piece *p)
{
    int64_t i = all->n - 1;
    while (i > 0 && all->shelf[i]->offset[0] > p->offset)
        i--;
    if (all->shelf[i]->n == SHELF) {
        split(all, i);
        i += all->shelf[i + 1]->offset[0] <= p->offset;
    }
    shelf *h = all->shelf[i];
    int32_t k = h->n++;
    for (; k > 0 && h->offset[k - 1] > p->offset; k--)
        move(h, k, h, k - 1);
    h->begin[k] = p->begin;
    h->end[k] = p->end;
    h->offset[k] = p->offset;
    h->top[k] = p->offset + p->bytes;
    h->highest = h->top[k] > h->highest ? h->top[k] : h->highest;
}

// Places all pieces in the order given; returns the end of the highest.
static int64_t place_all(piece *p, int64_t n, shelves *placed)
{
    int64_t peak = 0;
    placed->room[0] = (shelf){0};
    placed->shelf[0] = &placed->room[0];
    placed->n = 1;
    for (int64_t i = 0; i < n; i++) {
        p[i].offset = lowest_fit(placed, &p[i]);
        if (p[i].offset + p[i].bytes > peak)
            peak = p[i].offset + p[i].bytes;
        put(placed, &p[i]);
    }
    return peak;
}

// The first piece that ends at the peak moves to the front.
static void blame(piece *p, int64_t n, int64_t peak)
{
    int64_t i = 0;
    while (i < n - 1 && p[i].offset + p[i].bytes != peak)
        i++;
    piece moved = p[i];
    memmove(p + 1, p, (size_t)i * sizeof *p);
    p[0] = moved;
}

typedef struct packing {
    piece *piece, *best, *rest;
    shelves placed;
    int64_t n, peak_bytes;
} packing;

static void keep_best(packing *k, int64_t peak)
{
    if (peak >= k->peak_bytes)
        return;
    k->peak_bytes = peak;
    memcpy(k->best, k->piece, (size_t)k->n * sizeof *k->best);
}

// The pieces that end above `least` move to the front, in their order: what is
// wrong in each of many equal layers is mended in all of them.
static void blame_all(packing *k, int64_t least)
{
    int64_t n_front = 0, n_rest = 0;
    for (int64_t i = 0; i < k->n; i++) {
        piece p = k->piece[i];
        if (p.offset + p.bytes > least)
            k->piece[n_front++] = p;
        else
            k->rest[n_rest++] = p;
    }
    memcpy(k->piece + n_front, k->rest, (size_t)n_rest * sizeof *k->rest);
}

static int64_t place(packing *k)
{
    int64_t peak = place_all(k->piece, k->n, &k->placed);
    keep_best(k, peak);
    return peak;
}

static int64_t place_by(packing *k, order by)
{
    qsort(k->piece, (size_t)k->n, sizeof *k->piece, by);
    return place(k);
}

// Orders in which what reached above `least` comes first, until nothing above
// `enough` does.
static void mend(packing *k, int64_t least, int64_t enough)
{
    static const order orders[] = {by_life, by_begin, by_bytes, by_area};
    enum { N_ORDERS = sizeof orders / sizeof orders[0] };
    for (int o = 0; o < N_ORDERS && k->peak_bytes > enough; o++) {
        (void)place_by(k, orders[o]);
        for (int i = 0; i < ROUNDS_AN_ORDER && k->peak_bytes > enough; i++) {
            blame_all(k, least);
            (void)place(k);
        }
    }
}

// One piece after another, from the best order so far on.
static void blame_each(packing *k, int64_t least)
{
    int64_t peak = k->peak_bytes;
    memcpy(k->piece, k->best, (size_t)k->n * sizeof *k->best);
    for (int i = 0; i < MAX_ROUNDS && k->peak_bytes > least; i++) {
        blame(k->piece, k->n, peak);
        peak = place(k);
    }
}

static void search(packing *k, int64_t least)
{
    static const order orders[] = {by_bytes, by_area, by_life, by_begin};
    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
        if (k->peak_bytes <= least)
            return;
        (void)place_by(k, orders[o]);
    }
    if (k->n > 0 && k->n <= MANY)
        blame_each(k, least);
    mend(k, least, k->n > MANY ? least + least / NEARLY : least);
}

mw_status mw_pack(mw_ctx *ctx, const mw_pack_item item[], int64_t n,
                  int64_t live_bytes, int64_t *peak_bytes)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    // All but the last are at least half full.
    int64_t n_shelves = 2 * n / SHELF + 2;
    packing k = {.piece = MW_NEW_ARRAY(&arena, n, piece),
                 .best = MW_NEW_ARRAY(&arena, n, piece),
                 .rest = MW_NEW_ARRAY(&arena, n, piece),
                 .placed = {MW_NEW_ARRAY(&arena, n_shelves, shelf),
                            MW_NEW_ARRAY(&arena, n_shelves, shelf *), 0},
                 .peak_bytes = INT64_MAX};
    if (!k.piece || !k.best || !k.rest || !k.placed.room || !k.placed.shelf) {
        mw_arena_free(&arena);
        return MW_ENOMEM;
    }
    int32_t first = INT32_MAX, last = 0;
    for (int64_t i = 0; i < n; i++) {
        first = item[i].begin < first ? item[i].begin : first;
        last = item[i].end > last ? item[i].end : last;
    }
    int64_t bottom = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t bytes = mw_aligned(item[i].buffer->bytes);
        item[i].buffer->offset = 0;
        if (item[i].begin == first && item[i].end == last) {
            item[i].buffer->offset = bottom;
            bottom += bytes;
        } else if (bytes > 0) {
            k.piece[k.n++] = (piece){.bytes = bytes,
                                     .begin = item[i].begin,
                                     .end = item[i].end,
                                     .index = (int32_t)i};
        }
    }
    search(&k, live_bytes - bottom);
    for (int64_t i = 0; i < k.n; i++)
        item[k.best[i].index].buffer->offset = bottom + k.best[i].offset;
    *peak_bytes = bottom + (k.n > 0 ? k.peak_bytes : 0);
    mw_arena_free(&arena);
    return MW_OK;
}
