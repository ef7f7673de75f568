/* move_ring.c - rings and pairwise exchanges over a wire. */
#include <string.h>

#include "runtime/move_run.h"

// Blocks travel to the right; each is forwarded until all have it. A block
// that came in is staged, as its place in the result may be strided.
mw_status mw_run_ring_gather(mw_move *move)
{
    mw_wire *wire = move->wire;
    mw_strided_run(&move->own, move->src, move->dst);
    const char *block = move->src;
    for (int round = 1; round < wire->size; round++) {
        int sent = mw_ring_at(wire, 1 - round), came = mw_ring_at(wire, -round);
        char *stage = move->stage[round % 2];
        MW_TRY(mw_wire_swap(wire, mw_ring_at(wire, 1), block,
                            move->in[sent].bytes, mw_ring_at(wire, -1), stage,
                            move->in[came].bytes));
        mw_strided_run(&move->in[came].copy, stage, move->dst);
        block = stage;
    }
    return MW_OK;
}

// The part for member m starts at its right neighbour and collects a summand
// at each rank on its way to m.
mw_status mw_run_ring_scatter(mw_move *move)
{
    mw_wire *wire = move->wire;
    char *block = move->stage[0];
    mw_piece *first = &move->out[mw_ring_at(wire, -1)];
    if (wire->size == 1) {
        mw_strided_run(&move->own, move->src, move->dst);
        return MW_OK;
    }
    mw_strided_run(&first->copy, move->src, block);
    for (int round = 1; round < wire->size; round++) {
        mw_piece *sent = &move->out[mw_ring_at(wire, -round)];
        mw_piece *came = &move->out[mw_ring_at(wire, -round - 1)];
        bool last = round == wire->size - 1;
        char *into = last ? move->dst : move->stage[round % 2];
        MW_TRY(mw_wire_swap(wire, mw_ring_at(wire, 1), block, sent->bytes,
                            mw_ring_at(wire, -1), into, came->bytes));
        mw_strided_combine(&came->copy, move->item, move->combine, move->src,
                           into);
        block = into;
    }
    return MW_OK;
}

// Round r: to the member r places on, from the one r places back. Pieces that
// lie together are not staged.
mw_status mw_run_pairwise(mw_move *move)
{
    mw_wire *wire = move->wire;
    mw_strided_run(&move->own, move->src, move->dst);
    for (int round = 1; round < wire->size; round++) {
        int to = mw_ring_at(wire, round), from = mw_ring_at(wire, -round);
        const mw_piece *out = &move->out[to], *in = &move->in[from];
        const char *sent = move->stage[0];
        if (mw_strided_src_dense(&out->copy))
            sent = move->src + out->copy.src_offset;
        else
            mw_strided_run(&out->copy, move->src, move->stage[0]);
        bool straight = mw_strided_dst_dense(&in->copy);
        char *into =
            straight ? move->dst + in->copy.dst_offset : move->stage[1];
        MW_TRY(mw_wire_swap(wire, to, sent, out->bytes, from, into, in->bytes));
        if (!straight)
            mw_strided_run(&in->copy, move->stage[1], move->dst);
    }
    return MW_OK;
}
