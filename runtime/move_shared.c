/*
 * move_shared.c - moves between ranks that see each other's memory.
 *
 * All meet, so that sources are written and destinations free; each does its
 * own part, in blocks that a cache holds while all that is done with them is
 * done; all meet again. A part that is reduced is read from all sources by its
 * member, in the order own, left neighbour, the one left of it, ...; results
 * and blocks that others want are written into their memory, so that a byte is
 * read once and written once where it belongs. Bytes are counted where they
 * are copied or combined, for the rank whose memory they leave.
 */
#include <string.h>

#include "runtime/move_run.h"

enum { BLOCK_BYTES = 16 << 10 };

// dst = src, of a member; src = dst of this one's.
static void push(mw_move *move, int member, const mw_strided *what,
                 const char *src)
{
    mw_wire *wire = move->wire;
    if (member != wire->rank)
        wire->bytes_sent += mw_strided_bytes(what);
    mw_strided_run(what, src, mw_wire_theirs(wire, member, move->dst));
}

// dst = dst op a member's src.
static void pull(mw_move *move, int member, const mw_strided *what)
{
    mw_wire *wire = move->wire;
    wire->def->took(wire, member, mw_strided_bytes(what));
    mw_strided_combine(what, move->item, move->combine,
                       mw_wire_theirs(wire, member, move->src), move->dst);
}

mw_status mw_run_shared_gather(mw_move *move)
{
    mw_wire *wire = move->wire;
    mw_strided_cut cut = mw_strided_cut_of(&move->own, BLOCK_BYTES);
    MW_TRY(mw_wire_meet(wire));
    for (int64_t i = 0; i < cut.n_blocks; i++) {
        mw_strided block = mw_strided_block(&move->own, &cut, i);
        for (int k = 0; k < wire->size; k++)
            push(move, mw_ring_at(wire, k), &block, move->src);
    }
    return mw_wire_part_with(wire);
}

mw_status mw_run_shared_scatter(mw_move *move)
{
    mw_wire *wire = move->wire;
    mw_strided_cut cut = mw_strided_cut_of(&move->own, BLOCK_BYTES);
    MW_TRY(mw_wire_meet(wire));
    for (int64_t i = 0; i < cut.n_blocks; i++) {
        mw_strided block = mw_strided_block(&move->own, &cut, i);
        mw_strided_run(&block, move->src, move->dst);
        for (int k = 1; k < wire->size; k++)
            pull(move, mw_ring_at(wire, -k), &block);
    }
    return mw_wire_part_with(wire);
}

mw_status mw_run_shared_reduce(mw_move *move)
{
    mw_wire *wire = move->wire;
    const mw_piece *own = &move->out[wire->rank];
    int64_t end = own->copy.dst_offset + own->bytes;
    MW_TRY(mw_wire_meet(wire));
    for (int64_t at = own->copy.dst_offset; at < end; at += BLOCK_BYTES) {
        mw_strided block = {.src_offset = at,
                            .dst_offset = at,
                            .run = end - at < BLOCK_BYTES ? end - at
                                                          : BLOCK_BYTES};
        if (move->dst != move->src)
            mw_strided_run(&block, move->src, move->dst);
        for (int k = 1; k < wire->size; k++)
            pull(move, mw_ring_at(wire, -k), &block);
        for (int k = 1; k < wire->size; k++)
            push(move, mw_ring_at(wire, k), &block, move->dst);
    }
    return mw_wire_part_with(wire);
}

mw_status mw_run_shared_exchange(mw_move *move)
{
    mw_wire *wire = move->wire;
    MW_TRY(mw_wire_meet(wire));
    mw_strided_run(&move->own, move->src, move->dst);
    for (int k = 1; k < wire->size; k++) {
        int to = mw_ring_at(wire, k);
        push(move, to, &move->push[to], move->src);
    }
    return mw_wire_part_with(wire);
}
