/* move.c - rings and pairwise exchanges over a wire. */
#include "runtime/move.h"

#include <string.h>

#include "ir/reshard.h"

static int ring(const mw_wire *wire, int offset)
{
    int at = (wire->rank + offset) % wire->size;
    return at < 0 ? at + wire->size : at;
}

/* ---- running ---- */

// Blocks travel to the right; each is forwarded until all have it. A block
// that came in is staged, as its place in the result may be strided.
static mw_status run_all_gather(mw_move *move)
{
    mw_wire *wire = move->wire;
    mw_strided_run(&move->own, move->src, move->dst);
    const char *block = move->src;
    for (int round = 1; round < wire->size; round++) {
        int sent = ring(wire, 1 - round), came = ring(wire, -round);
        char *stage = move->stage[round % 2];
        MW_TRY(mw_wire_swap(wire, ring(wire, 1), block, move->in[sent].bytes,
                            ring(wire, -1), stage, move->in[came].bytes));
        mw_strided_run(&move->in[came].copy, stage, move->dst);
        block = stage;
    }
    return MW_OK;
}

// The part for member m starts at its right neighbour and collects a summand
// at each rank on its way to m.
static mw_status run_reduce_scatter(mw_move *move)
{
    mw_wire *wire = move->wire;
    char *block = move->stage[0];
    mw_piece *first = &move->out[ring(wire, -1)];
    if (wire->size == 1) {
        mw_strided_run(&move->own, move->src, move->dst);
        return MW_OK;
    }
    mw_strided_run(&first->copy, move->src, block);
    for (int round = 1; round < wire->size; round++) {
        mw_piece *sent = &move->out[ring(wire, -round)];
        mw_piece *came = &move->out[ring(wire, -round - 1)];
        bool last = round == wire->size - 1;
        char *into = last ? move->dst : move->stage[round % 2];
        MW_TRY(mw_wire_swap(wire, ring(wire, 1), block, sent->bytes,
                            ring(wire, -1), into, came->bytes));
        mw_strided_combine(&came->copy, move->item, move->combine, move->src,
                           into);
        block = into;
    }
    return MW_OK;
}

// Both rings over ceil parts of the flat block, in place.
static mw_status run_all_reduce(mw_move *move)
{
    mw_wire *wire = move->wire;
    if (move->dst != move->src)
        memcpy(move->dst, move->src, (size_t)move->bytes);
    for (int round = 1; round < wire->size; round++) {
        mw_piece *sent = &move->out[ring(wire, -round)];
        mw_piece *came = &move->out[ring(wire, -round - 1)];
        char *into = move->dst + came->copy.dst_offset;
        MW_TRY(mw_wire_swap(wire, ring(wire, 1),
                            move->dst + sent->copy.dst_offset, sent->bytes,
                            ring(wire, -1), move->stage[0], came->bytes));
        move->combine(into, move->stage[0], came->bytes / move->item);
    }
    for (int round = 1; round < wire->size; round++) {
        mw_piece *sent = &move->out[ring(wire, 1 - round)];
        mw_piece *came = &move->out[ring(wire, -round)];
        MW_TRY(mw_wire_swap(
            wire, ring(wire, 1), move->dst + sent->copy.dst_offset, sent->bytes,
            ring(wire, -1), move->dst + came->copy.dst_offset, came->bytes));
    }
    return MW_OK;
}

// Round r: to the member r places on, from the one r places back. Pieces that
// lie together are not staged.
static mw_status run_pairwise(mw_move *move)
{
    mw_wire *wire = move->wire;
    mw_strided_run(&move->own, move->src, move->dst);
    for (int round = 1; round < wire->size; round++) {
        int to = ring(wire, round), from = ring(wire, -round);
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

static mw_status run_slice(mw_move *move)
{
    mw_strided_run(&move->own, move->src, move->dst);
    return MW_OK;
}

static mw_status run_mask(mw_move *move)
{
    if (!move->keeps)
        memset(move->dst, 0, (size_t)move->bytes);
    else if (move->dst != move->src)
        memcpy(move->dst, move->src, (size_t)move->bytes);
    return MW_OK;
}

mw_status mw_move_run(mw_move *move)
{
    return move->run(move);
}

/* ---- making ---- */

static int64_t bytes_of(const mw_box *box, int64_t item)
{
    return mw_box_elements(box) * item;
}

// Pieces that go to the stage, cut out of the block `whole`.
static void make_out(const mw_move_spec *spec, const mw_box *whole,
                     mw_move *move)
{
    for (int k = 0; k < move->wire->size; k++) {
        mw_box met = mw_box_meet(whole, &spec->boxes.to[k]);
        mw_strided_box(&move->out[k].copy, move->item, &met, whole, &met);
        move->out[k].bytes = bytes_of(&met, move->item);
    }
}

// Pieces that come from the stage, put into the block `whole`.
static void make_in(const mw_move_spec *spec, const mw_box *whole,
                    mw_move *move)
{
    for (int k = 0; k < move->wire->size; k++) {
        mw_box met = mw_box_meet(whole, &spec->boxes.from[k]);
        mw_strided_box(&move->in[k].copy, move->item, &met, &met, whole);
        move->in[k].bytes = bytes_of(&met, move->item);
    }
}

// Ceil parts of the flat block; dst_offset is where a part lies.
static void make_parts(mw_move *move)
{
    int64_t n = move->bytes / move->item;
    for (int k = 0; k < move->wire->size; k++) {
        mw_block part = mw_block_of(n, move->wire->size, k);
        move->out[k].copy.dst_offset = part.start * move->item;
        move->out[k].bytes = part.size * move->item;
    }
}

static int64_t largest(const mw_piece *piece, int n, int except)
{
    int64_t most = 0;
    for (int k = 0; k < n; k++)
        if (k != except && piece[k].bytes > most)
            most = piece[k].bytes;
    return most;
}

/* A kind: its schedule, what it needs worked out, how many stages it uses on
 * groups of two and of more, and whether sums are formed. */
static const struct schedule {
    mw_status (*run)(mw_move *move);
    bool out, in, parts, combines;
    int stages_of_two, stages;
} schedules[MW_N_COLLECTIVES] = {
    [MW_ALL_GATHER] = {.run = run_all_gather,
                       .in = true,
                       .stages_of_two = 1,
                       .stages = 2},
    [MW_REDUCE_SCATTER] = {.run = run_reduce_scatter,
                           .out = true,
                           .combines = true,
                           .stages_of_two = 1,
                           .stages = 2},
    [MW_ALL_REDUCE] = {.run = run_all_reduce,
                       .parts = true,
                       .combines = true,
                       .stages_of_two = 1,
                       .stages = 1},
    [MW_ALL_TO_ALL] = {.run = run_pairwise,
                       .out = true,
                       .in = true,
                       .stages_of_two = 2,
                       .stages = 2},
    [MW_EXCHANGE] = {.run = run_pairwise,
                     .out = true,
                     .in = true,
                     .stages_of_two = 2,
                     .stages = 2},
    [MW_SLICE] = {.run = run_slice},
    [MW_MASK] = {.run = run_mask},
};

// Two stages share the room evenly; this rank's pieces must fit theirs.
static mw_status make_stages(mw_ctx *ctx, const mw_move_spec *spec,
                             const struct schedule *s, mw_move *move)
{
    int size = move->wire->size;
    int n = size > 2 ? s->stages : s->stages_of_two;
    if (size < 2 || n == 0)
        return MW_OK;
    int64_t room = n > 0 ? spec->stage_bytes / n / MW_ALIGN * MW_ALIGN : 0;
    int own = move->wire->rank;
    int64_t out = largest(move->out, size, s->parts ? MW_NONE : own);
    int64_t in = largest(move->in, size, own);
    int64_t need = mw_aligned(out > in ? out : in);
    if (room < need)
        return mw_fail(ctx, MW_EBUG,
                       "staging of %s is %lld bytes, wanted %d x %lld",
                       mw_collective_name(spec->kind),
                       (long long)spec->stage_bytes, n, (long long)need);
    move->stage[0] = spec->stage;
    move->stage[1] = (char *)spec->stage + (n > 1 ? room : 0);
    return MW_OK;
}

mw_status mw_move_make(mw_arena *arena, const mw_move_spec *spec, mw_move *move)
{
    const struct schedule *s = &schedules[spec->kind];
    int size = spec->wire->size, rank = spec->wire->rank;
    const mw_box *from = &spec->boxes.from[rank], *to = &spec->boxes.to[rank];
    *move = (mw_move){.run = s->run,
                      .wire = spec->wire,
                      .src = spec->src,
                      .dst = spec->dst,
                      .item = mw_dtype_bytes(spec->dtype),
                      .keeps = rank == 0};
    move->bytes = bytes_of(from, move->item);
    move->out = MW_NEW_ARRAY(arena, size, mw_piece);
    move->in = MW_NEW_ARRAY(arena, size, mw_piece);
    if (!move->out || !move->in)
        return MW_ENOMEM;
    mw_box own = mw_box_meet(from, to);
    mw_strided_box(&move->own, move->item, &own, from, to);
    if (s->out)
        make_out(spec, from, move);
    if (s->in)
        make_in(spec, to, move);
    if (s->parts)
        make_parts(move);
    if (s->combines) {
        move->combine = mw_combine_find(spec->dtype, spec->reduce);
        if (!move->combine)
            return mw_fail(arena->ctx, MW_EINPUT, "%s cannot be combined by %s",
                           mw_dtype_name(spec->dtype),
                           mw_reduce_name(spec->reduce));
    }
    return make_stages(arena->ctx, spec, s, move);
}
