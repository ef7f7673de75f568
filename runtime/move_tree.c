/*
 * move_tree.c - all_reduce of a flat block by halves, and by groups of groups.
 */
#include <string.h>

#include "ir/layout.h"
#include "runtime/move_run.h"

/* Bytes from an offset on. */
typedef struct range {
    int64_t at, bytes;
} range;

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

static void begin(mw_move *move)
{
    if (move->dst != move->src)
        memcpy(move->dst, move->src, (size_t)move->bytes);
}

// Sends one range of the block and reduces what comes into another.
static mw_status reduce(mw_move *move, int to, range sent, int from, range into)
{
    MW_TRY(mw_wire_swap(move->wire, to, move->dst + sent.at, sent.bytes, from,
                        move->stage[0], into.bytes));
    move->combine(move->dst + into.at, move->stage[0], into.bytes / move->item);
    return MW_OK;
}

// Sends one range and receives another where it belongs.
static mw_status pass(mw_move *move, int to, range sent, int from, range into)
{
    return mw_wire_swap(move->wire, to, move->dst + sent.at, sent.bytes, from,
                        move->dst + into.at, into.bytes);
}

// Members at a distance d = size/2, size/4, ... hold the same 2d parts and each
// goes on with d of them; on the way back they double.
mw_status mw_run_halving(mw_move *move)
{
    const mw_wire *wire = move->wire;
    int size = wire->size, own = wire->rank;
    const range whole = {0, move->bytes};
    begin(move);
    for (int d = size / 2; d > 0; d /= 2) {
        int other = own ^ d;
        range mine = parts_of(move, whole, size, own / d * d, d);
        range theirs = parts_of(move, whole, size, other / d * d, d);
        MW_TRY(reduce(move, other, theirs, other, mine));
    }
    for (int d = 1; d < size; d *= 2) {
        int other = own ^ d;
        range mine = parts_of(move, whole, size, own / d * d, d);
        range theirs = parts_of(move, whole, size, other / d * d, d);
        MW_TRY(pass(move, other, mine, other, theirs));
    }
    return MW_OK;
}

/* Members of an inner group stand together. */
typedef struct hierarchy {
    int inner, outer;    /* sizes */
    int within, outside; /* this member's places */
} hierarchy;

static hierarchy hierarchy_of(const mw_move *move)
{
    const mw_wire *wire = move->wire;
    return (hierarchy){.inner = move->inner,
                       .outer = wire->size / move->inner,
                       .within = wire->rank % move->inner,
                       .outside = wire->rank / move->inner};
}

static int modulo(int a, int n)
{
    return (a % n + n) % n;
}

static int member_within(const hierarchy *h, int offset)
{
    return h->outside * h->inner + modulo(h->within + offset, h->inner);
}

static int member_outside(const hierarchy *h, int offset)
{
    return modulo(h->outside + offset, h->outer) * h->inner + h->within;
}

// A ring of the members that stand at the same place of their groups.
static mw_status ring_outside(mw_move *move, const hierarchy *h, range whole)
{
    int right = member_outside(h, 1), left = member_outside(h, -1);
    for (int k = 1; k < h->outer; k++) {
        int sent = modulo(h->outside - k, h->outer);
        int came = modulo(h->outside - k - 1, h->outer);
        MW_TRY(reduce(move, right, parts_of(move, whole, h->outer, sent, 1),
                      left, parts_of(move, whole, h->outer, came, 1)));
    }
    for (int k = 1; k < h->outer; k++) {
        int sent = modulo(h->outside - k + 1, h->outer);
        int came = modulo(h->outside - k, h->outer);
        MW_TRY(pass(move, right, parts_of(move, whole, h->outer, sent, 1), left,
                    parts_of(move, whole, h->outer, came, 1)));
    }
    return MW_OK;
}

mw_status mw_run_hierarchical(mw_move *move)
{
    const hierarchy h = hierarchy_of(move);
    mw_wire *wire = move->wire;
    const range whole = {0, move->bytes};
    range own = parts_of(move, whole, h.inner, h.within, 1);
    begin(move);
    for (int k = 1; k < h.inner; k++) {
        int to = member_within(&h, k), from = member_within(&h, -k);
        range theirs = parts_of(move, whole, h.inner, to % h.inner, 1);
        int64_t before = wire->bytes_sent;
        MW_TRY(reduce(move, to, theirs, from, own));
        wire->bytes_sent = before + own.bytes;
    }
    MW_TRY(ring_outside(move, &h, own));
    for (int k = 1; k < h.inner; k++) {
        int to = member_within(&h, k), from = member_within(&h, -k);
        range theirs = parts_of(move, whole, h.inner, from % h.inner, 1);
        MW_TRY(pass(move, to, own, from, theirs));
    }
    return MW_OK;
}
