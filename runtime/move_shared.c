/*
 * move_shared.c - moves between ranks that see each other's memory.
 *
 * All meet, so that sources are written and destinations free; each does its
 * own part in one pass (pass.h); all meet again. A part that is reduced is read
 * from all sources by its member, in the order own, left neighbour, the one
 * left of it, ...; results and blocks that others want are written into their
 * memory, so that a byte is read once and written once where it belongs. Bytes
 * are counted where they are copied or combined, for the rank whose memory they
 * leave.
 */
#include "runtime/move_run.h"

enum { BLOCK_BYTES = 16 << 10 };

// The pass over what this member writes, block by block.
static mw_status run_pass(mw_move *move, const mw_strided *what)
{
    mw_wire *wire = move->wire;
    const mw_pass *pass = &move->pass;
    mw_strided_cut cut = mw_strided_cut_of(what, BLOCK_BYTES);
    MW_TRY(mw_wire_meet(wire));
    for (int64_t i = 0; i < cut.n_blocks; i++) {
        mw_strided block = mw_strided_block(what, &cut, i);
        int64_t bytes = mw_strided_bytes(&block);
        mw_pass_run(pass, &block);
        for (int k = 1; k < pass->n_src; k++)
            wire->def->took(wire, mw_ring_at(wire, -k), bytes);
        wire->bytes_sent += bytes * (pass->n_dst - 1);
    }
    return mw_wire_part_with(wire);
}

mw_status mw_run_shared_block(mw_move *move)
{
    return run_pass(move, &move->own);
}

mw_status mw_run_shared_reduce(mw_move *move)
{
    const mw_piece *own = &move->out[move->wire->rank];
    int64_t at = own->copy.dst_offset;
    mw_strided what = {.src_offset = at,
                       .dst_offset = at,
                       .run = own->bytes,
                       .empty = own->bytes == 0};
    return run_pass(move, &what);
}

mw_status mw_run_shared_exchange(mw_move *move)
{
    mw_wire *wire = move->wire;
    MW_TRY(mw_wire_meet(wire));
    mw_pass pass = move->pass;
    pass.n_dst = 1;
    for (int k = 0; k < wire->size; k++) {
        const mw_strided *what = &move->push[mw_ring_at(wire, k)];
        mw_pass_run(&pass, what);
        pass.dst++;
        if (k > 0)
            wire->bytes_sent += mw_strided_bytes(what);
    }
    return mw_wire_part_with(wire);
}
