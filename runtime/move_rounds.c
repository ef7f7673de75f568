/*
 * move_rounds.c - all_reduce of a flat block by messages: the usual ring, by
 * halves, by groups of groups. A way is a row of rounds, worked out when the
 * move is made, so that it can be run in one go or beside other work.
 */
#include <string.h>

#include "ir/reshard.h"
#include "runtime/move_run.h"

/* ---- running ---- */

// Rounds from `at` on, as many as go together.
static mw_status post(mw_move *move)
{
    const mw_round *r = &move->round[move->at];
    for (bool more = true; more; r++) {
        MW_TRY(mw_wire_post(move->wire, r->to, r->sent, r->n_out, r->from,
                            r->into, r->n_in));
        more = r->with_next;
    }
    return MW_OK;
}

// What they brought is used, and the next ones are on their way.
static mw_status go_on(mw_move *move)
{
    for (bool more = true; more;) {
        const mw_round *r = &move->round[move->at++];
        if (r->sum)
            move->combine(r->sum, r->into, r->n_in / move->item);
        more = r->with_next;
    }
    return move->at < move->n_rounds ? post(move) : MW_OK;
}

mw_status mw_move_begin(mw_move *move)
{
    if (move->dst != move->src)
        memcpy(move->dst, move->src, (size_t)move->bytes);
    move->at = 0;
    return move->n_rounds > 0 ? post(move) : MW_OK;
}

mw_status mw_move_poll(mw_move *move, bool *done)
{
    bool came = true;
    while (came && move->at < move->n_rounds) {
        MW_TRY(mw_wire_done(move->wire, &came));
        if (came)
            MW_TRY(go_on(move));
    }
    *done = move->at == move->n_rounds;
    return MW_OK;
}

mw_status mw_move_wait(mw_move *move, bool *done)
{
    if (move->at < move->n_rounds) {
        MW_TRY(mw_wire_finish(move->wire));
        MW_TRY(go_on(move));
    }
    *done = move->at == move->n_rounds;
    return MW_OK;
}

mw_status mw_run_rounds(mw_move *move)
{
    bool done = false;
    MW_TRY(mw_move_begin(move));
    while (!done)
        MW_TRY(mw_move_wait(move, &done));
    return MW_OK;
}

/* ---- making ---- */

/* Bytes of the block from an offset on. */
typedef struct range {
    int64_t at, bytes;
} range;

typedef struct maker {
    mw_arena *arena;
    mw_move *move;
    bool
        counts_own; /* what is taken or given of this range, not what is sent */
    range own;
} maker;

static range whole_of(const mw_move *move)
{
    return (range){0, move->bytes};
}

// Parts `first` to `first + n - 1` of `count` rounded up parts of a range.
static range parts_of(const mw_move *move, range whole, int count, int first,
                      int n)
{
    int64_t elements = whole.bytes / move->item;
    mw_block a = mw_block_of(elements, count, first);
    mw_block b = mw_block_of(elements, count, first + n - 1);
    return (range){whole.at + a.start * move->item,
                   (b.start + b.size - a.start) * move->item};
}

static int64_t part_at(int64_t bytes, int64_t at)
{
    int64_t left = bytes > at ? bytes - at : 0;
    return left < MW_WIRE_PART ? left : MW_WIRE_PART;
}

// Sends one range and reduces what comes into another, or lets it lie there.
// No message is longer than an int counts.
static mw_status add(const maker *m, int to, range sent, int from, range into,
                     bool reduces)
{
    mw_move *move = m->move;
    char *dst = move->dst;
    int64_t longest = sent.bytes > into.bytes ? sent.bytes : into.bytes;
    for (int64_t at = 0; at < longest; at += MW_WIRE_PART) {
        move->round = mw_arena_reserve(m->arena, move->round, move->n_rounds,
                                       &move->cap_rounds, sizeof *move->round);
        if (!move->round)
            return MW_ENOMEM;
        mw_round *r = &move->round[move->n_rounds++];
        *r = (mw_round){.to = to,
                        .from = from,
                        .sent = dst + sent.at + at,
                        .into = reduces ? move->stage[0] : dst + into.at + at,
                        .n_out = part_at(sent.bytes, at),
                        .n_in = part_at(into.bytes, at),
                        .sum = reduces ? dst + into.at + at : NULL};
    }
    return MW_OK;
}

/* Members `step` ranks apart, from `first` on. */
typedef struct circle {
    int first, step, size, place;
} circle;

static int member(const circle *c, int offset)
{
    int at = (c->place + offset) % c->size;
    return c->first + c->step * (at < 0 ? at + c->size : at);
}

static int number(const circle *c, int offset)
{
    return (member(c, offset) - c->first) / c->step;
}

// Round k: the part of the member k places back goes to the right, reduced by
// what comes from the left; then, reduced, once more around.
static mw_status add_ring(const maker *m, const circle *c, range whole)
{
    int right = member(c, 1), left = member(c, -1);
    for (int k = 1; k < c->size; k++) {
        range sent = parts_of(m->move, whole, c->size, number(c, -k), 1);
        range came = parts_of(m->move, whole, c->size, number(c, -k - 1), 1);
        MW_TRY(add(m, right, sent, left, came, true));
    }
    for (int k = 1; k < c->size; k++) {
        range sent = parts_of(m->move, whole, c->size, number(c, 1 - k), 1);
        range came = parts_of(m->move, whole, c->size, number(c, -k), 1);
        MW_TRY(add(m, right, sent, left, came, false));
    }
    return MW_OK;
}

// Members at a distance d = size/2, size/4, ... hold the same 2d parts and each
// goes on with d of them; on the way back they double.
static mw_status add_halves(const maker *m)
{
    const mw_wire *wire = m->move->wire;
    int size = wire->size, own = wire->rank;
    range whole = whole_of(m->move);
    for (int d = size / 2; d > 0; d /= 2) {
        int other = own ^ d;
        range mine = parts_of(m->move, whole, size, own / d * d, d);
        range theirs = parts_of(m->move, whole, size, other / d * d, d);
        MW_TRY(add(m, other, theirs, other, mine, true));
    }
    for (int d = 1; d < size; d *= 2) {
        int other = own ^ d;
        range mine = parts_of(m->move, whole, size, own / d * d, d);
        range theirs = parts_of(m->move, whole, size, other / d * d, d);
        MW_TRY(add(m, other, mine, other, theirs, false));
    }
    return MW_OK;
}

/* The circles of a hierarchy, and into how many segments its parts are cut. */
typedef struct hierarchy {
    circle in, out;
    int segments;
} hierarchy;

// Segment `s` of the part of a place in the inner group.
static range segment(const maker *m, const hierarchy *h, int place, int s)
{
    range part = parts_of(m->move, whole_of(m->move), h->in.size, place, 1);
    return parts_of(m->move, part, h->segments, s, 1);
}

// A message of a tick. stage: where what comes is before it is reduced; NULL:
// it is where it belongs.
static mw_status add_beside(maker *m, int to, range sent, int from, range into,
                            char *stage)
{
    mw_move *move = m->move;
    int64_t before = move->n_rounds;
    MW_TRY(add(m, to, sent, from, into, stage != NULL));
    if (move->n_rounds == before) /* nothing is sent, nothing comes */
        return MW_OK;
    if (stage)
        move->round[move->n_rounds - 1].into = stage;
    move->round[move->n_rounds - 1].with_next = true;
    return MW_OK;
}

// A segment crosses to the other group, where it is reduced, or comes back:
// between two members one way at a time, as a connection that is full both ways
// gives each less than half. Neighbours go opposite ways.
static mw_status add_crossing(maker *m, const hierarchy *h, int s, bool back)
{
    int other = member(&h->out, 1);
    bool sends = (h->in.place + h->out.place) % 2 == (back ? 1 : 0);
    range own = segment(m, h, h->in.place, s), none = {own.at, 0};
    if (sends)
        return add_beside(m, other, own, other, none, NULL);
    return add_beside(m, other, none, other, own,
                      back ? NULL : m->move->stage[1]);
}

// Round k + 1 of what a tick has to do. Segment s is taken from the inner group
// in tick s, crosses in s + 1, comes back in s + 1 + n and is given to the
// inner group in s + 2 + n.
static mw_status add_tick(maker *m, const hierarchy *h, int tick, int k)
{
    int to = member(&h->in, k + 1), from = member(&h->in, -k - 1);
    int n = h->segments, given = tick - 2 - n;
    int64_t before = m->move->n_rounds;
    if (tick < n) {
        m->own = segment(m, h, h->in.place, tick);
        MW_TRY(add_beside(m, to, segment(m, h, number(&h->in, k + 1), tick),
                          from, m->own, m->move->stage[0]));
    }
    if (k == 0 && tick > 0 && tick <= 2 * n)
        MW_TRY(add_crossing(m, h, (tick - 1) % n, tick > n));
    if (given >= 0) {
        m->own = segment(m, h, h->in.place, given);
        MW_TRY(add_beside(m, to, m->own, from,
                          segment(m, h, number(&h->in, -k - 1), given), NULL));
    }
    if (m->move->n_rounds > before)
        m->move->round[m->move->n_rounds - 1].with_next = false;
    return MW_OK;
}

// Between two groups: parts cross whole and come back reduced, which is as much
// as a ring, in segments, so that links inside and between groups are busy
// together.
static mw_status add_pipeline(maker *m, const hierarchy *h)
{
    range longest = segment(m, h, 0, 0);
    m->move->stage[1] = m->move->stage[0];
    if (h->segments > 1)
        m->move->stage[1] += mw_aligned(longest.bytes);
    for (int tick = 0; tick < 2 * h->segments + 2; tick++)
        for (int k = 0; k + 1 < h->in.size; k++)
            MW_TRY(add_tick(m, h, tick, k));
    return MW_OK;
}

// Long enough that a message's latency is little, as many as help. A single
// segment is in one place at a time and needs one stage.
static int segments_of(int64_t part_bytes)
{
    enum { LEAST = 3, MOST = 8, SEGMENT = 1 << 20 };
    int64_t n = part_bytes / SEGMENT;
    if (n < 1)
        return 1;
    return n < LEAST ? LEAST : n > MOST ? MOST : (int)n;
}

static mw_status add_hierarchy(maker *m)
{
    const mw_wire *wire = m->move->wire;
    int q = m->move->inner, within = wire->rank % q, outside = wire->rank / q;
    range whole = whole_of(m->move);
    hierarchy h = {{outside * q, 1, q, within},
                   {within, q, wire->size / q, outside},
                   segments_of(parts_of(m->move, whole, q, 0, 1).bytes)};
    if (h.out.size == 2 && whole.bytes / q / h.segments < MW_WIRE_PART)
        return add_pipeline(m, &h);
    m->own = parts_of(m->move, whole, q, within, 1);
    for (int k = 1; k < q; k++)
        MW_TRY(add(m, member(&h.in, k),
                   parts_of(m->move, whole, q, number(&h.in, k), 1),
                   member(&h.in, -k), m->own, true));
    MW_TRY(add_ring(m, &h.out, m->own));
    for (int k = 1; k < q; k++)
        MW_TRY(add(m, member(&h.in, k), m->own, member(&h.in, -k),
                   parts_of(m->move, whole, q, number(&h.in, -k), 1), false));
    return MW_OK;
}

mw_status mw_make_rounds(mw_arena *arena, mw_algorithm algorithm, mw_move *move)
{
    maker m = {.arena = arena, .move = move};
    const circle all = {0, 1, move->wire->size, move->wire->rank};
    if (move->wire->size < 2)
        return MW_OK;
    if (algorithm == MW_HALVING)
        return add_halves(&m);
    if (algorithm == MW_HIERARCHICAL)
        return add_hierarchy(&m);
    return add_ring(&m, &all, whole_of(move));
}
