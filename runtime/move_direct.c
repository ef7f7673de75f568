/* move_direct.c - the direct ways by messages: each member with each. */
#include <string.h>

#include "runtime/move_run.h"

// Round k: to the member k places on, from the one k places back.
static mw_status swap(mw_wire *wire, int round, const char *sent, int64_t n_out,
                      char *into, int64_t n_in)
{
    return mw_wire_swap(wire, mw_ring_at(wire, round), sent, n_out,
                        mw_ring_at(wire, -round), into, n_in);
}

mw_status mw_run_direct_gather(mw_move *move)
{
    mw_wire *wire = move->wire;
    mw_strided_run(&move->own, move->src, move->dst);
    for (int round = 1; round < wire->size; round++) {
        const mw_piece *came = &move->in[mw_ring_at(wire, -round)];
        bool straight = mw_strided_dst_dense(&came->copy);
        char *into =
            straight ? move->dst + came->copy.dst_offset : move->stage[0];
        MW_TRY(swap(wire, round, move->src, move->bytes, into, came->bytes));
        if (!straight)
            mw_strided_run(&came->copy, move->stage[0], move->dst);
    }
    return MW_OK;
}

// Of two members the other one's part is received where it belongs, and the own
// one added: a sum of two has no order.
mw_status mw_run_direct_scatter(mw_move *move)
{
    mw_wire *wire = move->wire;
    bool two = wire->size == 2;
    if (!two)
        mw_strided_run(&move->own, move->src, move->dst);
    int64_t own = move->out[wire->rank].bytes;
    for (int round = 1; round < wire->size; round++) {
        const mw_piece *sent = &move->out[mw_ring_at(wire, round)];
        const char *from = move->stage[0];
        if (mw_strided_src_dense(&sent->copy))
            from = move->src + sent->copy.src_offset;
        else
            mw_strided_run(&sent->copy, move->src, move->stage[0]);
        char *into = two ? move->dst : move->stage[1];
        MW_TRY(swap(wire, round, from, sent->bytes, into, own));
        if (two)
            mw_strided_combine(&move->own, move->item, move->combine, move->src,
                               move->dst);
        else
            move->combine(move->dst, into, own / move->item);
    }
    return MW_OK;
}

mw_status mw_run_direct_reduce(mw_move *move)
{
    mw_wire *wire = move->wire;
    const mw_piece *own = &move->out[wire->rank];
    char *result = move->dst + own->copy.dst_offset;
    /* in place, a part may only be replaced once it was sent */
    if (move->dst != move->src)
        memcpy(result, move->src + own->copy.dst_offset, (size_t)own->bytes);
    for (int round = 1; round < wire->size; round++) {
        const mw_piece *sent = &move->out[mw_ring_at(wire, round)];
        MW_TRY(swap(wire, round, move->src + sent->copy.dst_offset, sent->bytes,
                    move->stage[0], own->bytes));
        move->combine(result, move->stage[0], own->bytes / move->item);
    }
    for (int round = 1; round < wire->size; round++) {
        const mw_piece *came = &move->out[mw_ring_at(wire, -round)];
        MW_TRY(swap(wire, round, result, own->bytes,
                    move->dst + came->copy.dst_offset, came->bytes));
    }
    return MW_OK;
}
