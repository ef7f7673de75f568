/* move.c - works out the pieces of a move, and which schedule runs it. */
#include "runtime/move.h"

#include <string.h>

#include "ir/reshard.h"
#include "runtime/move_run.h"

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

typedef mw_status run_fn(mw_move *move);

/* A kind and way: its schedule by messages and in shared memory (NULL: by
 * messages there too), what it needs worked out, how many stages it uses on
 * groups of two and of more, and whether sums are formed. */
static const struct schedule {
    run_fn *run, *shared;
    bool out, in, parts, combines;
    bool reads_all, writes_all; /* blocks of all members, in shared memory */
    int stages_of_two, stages;
} schedules[MW_N_COLLECTIVES][MW_N_ALGORITHMS] = {
    [MW_ALL_GATHER] =
        {
            [MW_USUAL] = {.run = mw_run_ring_gather,
                          .in = true,
                          .stages_of_two = 1,
                          .stages = 2},
            [MW_DIRECT] = {.run = mw_run_direct_gather,
                           .shared = mw_run_shared_block,
                           .writes_all = true,
                           .in = true,
                           .stages_of_two = 1,
                           .stages = 1},
        },
    [MW_REDUCE_SCATTER] =
        {
            [MW_USUAL] = {.run = mw_run_ring_scatter,
                          .out = true,
                          .combines = true,
                          .stages_of_two = 1,
                          .stages = 2},
            [MW_DIRECT] = {.run = mw_run_direct_scatter,
                           .shared = mw_run_shared_block,
                           .reads_all = true,
                           .out = true,
                           .combines = true,
                           .stages_of_two = 1,
                           .stages = 2},
        },
    [MW_ALL_REDUCE] =
        {
            [MW_USUAL] = {.run = mw_run_rounds,
                          .parts = true,
                          .combines = true,
                          .stages_of_two = 1,
                          .stages = 1},
            [MW_DIRECT] = {.run = mw_run_direct_reduce,
                           .shared = mw_run_shared_reduce,
                           .reads_all = true,
                           .writes_all = true,
                           .parts = true,
                           .combines = true,
                           .stages_of_two = 1,
                           .stages = 1},
            [MW_HALVING] = {.run = mw_run_rounds,
                            .parts = true,
                            .combines = true,
                            .stages_of_two = 1,
                            .stages = 1},
            [MW_HIERARCHICAL] = {.run = mw_run_rounds,
                                 .parts = true,
                                 .combines = true,
                                 .stages_of_two = 1,
                                 .stages = 1},
        },
    [MW_ALL_TO_ALL] = {[MW_USUAL] = {.run = mw_run_pairwise,
                                     .shared = mw_run_shared_exchange,
                                     .writes_all = true,
                                     .out = true,
                                     .in = true,
                                     .stages_of_two = 2,
                                     .stages = 2}},
    [MW_EXCHANGE] = {[MW_USUAL] = {.run = mw_run_pairwise,
                                   .shared = mw_run_shared_exchange,
                                   .writes_all = true,
                                   .out = true,
                                   .in = true,
                                   .stages_of_two = 2,
                                   .stages = 2}},
    [MW_SLICE] = {[MW_USUAL] = {.run = run_slice}},
    [MW_MASK] = {[MW_USUAL] = {.run = run_mask}},
};

// The most that one stage holds.
static int64_t staged(const mw_move_spec *spec, const struct schedule *s,
                      const mw_move *move)
{
    int size = move->wire->size, own = move->wire->rank;
    int64_t out = largest(move->out, size, s->combines ? MW_NONE : own);
    int64_t in = largest(move->in, size, own);
    if (spec->way.algorithm == MW_HALVING)
        return size / 2 * mw_aligned(out);
    if (spec->way.algorithm == MW_HIERARCHICAL)
        out = mw_block_of(move->bytes / move->item, move->inner, 0).size *
              move->item;
    return mw_aligned(out > in ? out : in);
}

// Two stages share the room evenly; this rank's pieces must fit theirs.
static mw_status make_stages(mw_ctx *ctx, const mw_move_spec *spec,
                             const struct schedule *s, mw_move *move)
{
    int size = move->wire->size;
    int n = size > 2 ? s->stages : s->stages_of_two;
    if (size < 2 || n == 0)
        return MW_OK;
    int64_t room = n > 0 ? spec->stage_bytes / n / MW_ALIGN * MW_ALIGN : 0;
    int64_t need = staged(spec, s, move);
    if (room < need)
        return mw_fail(ctx, MW_EBUG,
                       "staging of %s is %lld bytes, wanted %d x %lld",
                       mw_collective_name(spec->kind),
                       (long long)spec->stage_bytes, n, (long long)need);
    move->stage[0] = spec->stage;
    move->stage[1] = (char *)spec->stage + (n > 1 ? room : 0);
    return MW_OK;
}

static mw_status make_combine(mw_ctx *ctx, const mw_move_spec *spec,
                              mw_move *move)
{
    move->combine = mw_combine_find(spec->dtype, spec->reduce);
    if (move->combine)
        return MW_OK;
    return mw_fail(ctx, MW_EINPUT, "%s cannot be combined by %s",
                   mw_dtype_name(spec->dtype), mw_reduce_name(spec->reduce));
}

// From this rank's block into what each member has after.
static mw_status make_push(mw_arena *arena, const mw_move_spec *spec,
                           const mw_box *from, mw_move *move)
{
    move->push = MW_NEW_ARRAY(arena, move->wire->size, mw_strided);
    if (!move->push)
        return MW_ENOMEM;
    for (int k = 0; k < move->wire->size; k++) {
        const mw_box *theirs = &spec->boxes.to[k];
        mw_box met = mw_box_meet(from, theirs);
        mw_strided_box(&move->push[k], move->item, &met, from, theirs);
    }
    return MW_OK;
}

// Whose blocks are read, from the own one to the left; and written, to the
// right.
static mw_status make_pass(mw_arena *arena, const struct schedule *s,
                           int64_t bytes, mw_move *move)
{
    mw_wire *wire = move->wire;
    int n = wire->size;
    mw_pass *pass = &move->pass;
    *pass = (mw_pass){.n_src = s->reads_all ? n : 1,
                      .n_dst = s->writes_all ? n : 1,
                      .item = move->item,
                      .combine = move->combine,
                      .far = bytes > wire->cache_bytes / n};
    pass->src = MW_NEW_ARRAY(arena, n, const char *);
    pass->dst = MW_NEW_ARRAY(arena, n, char *);
    if (!pass->src || !pass->dst)
        return MW_ENOMEM;
    for (int k = 0; k < n; k++) {
        pass->src[k] = mw_wire_theirs(wire, mw_ring_at(wire, -k), move->src);
        pass->dst[k] = mw_wire_theirs(wire, mw_ring_at(wire, k), move->dst);
    }
    return MW_OK;
}

// Takes the schedule in shared memory where both ends lie in it.
static mw_status find_shared(mw_arena *arena, const mw_move_spec *spec,
                             const struct schedule *s, mw_move *move)
{
    int rank = move->wire->rank;
    int64_t after = bytes_of(&spec->boxes.to[rank], move->item);
    if (!s->shared || !mw_wire_shares(move->wire, move->src, move->bytes) ||
        !mw_wire_shares(move->wire, move->dst, after))
        return MW_OK;
    move->run = s->shared;
    MW_TRY(make_pass(arena, s, move->bytes + after, move));
    if (s->out && s->in)
        return make_push(arena, spec, &spec->boxes.from[rank], move);
    return MW_OK;
}

mw_status mw_move_make(mw_arena *arena, const mw_move_spec *spec, mw_move *move)
{
    int size = spec->wire->size, rank = spec->wire->rank;
    const char *refusal = mw_way_refusal(spec->kind, spec->way, size);
    if (size > 1 && refusal)
        return mw_fail(arena->ctx, MW_EINPUT, "%s among %d ranks: %s",
                       mw_collective_name(spec->kind), size, refusal);
    const struct schedule *s =
        &schedules[spec->kind][size > 1 ? spec->way.algorithm : MW_USUAL];
    const mw_box *from = &spec->boxes.from[rank], *to = &spec->boxes.to[rank];
    *move = (mw_move){.run = s->run,
                      .wire = spec->wire,
                      .src = spec->src,
                      .dst = spec->dst,
                      .item = mw_dtype_bytes(spec->dtype),
                      .inner = spec->way.inner,
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
    if (s->combines)
        MW_TRY(make_combine(arena->ctx, spec, move));
    MW_TRY(make_stages(arena->ctx, spec, s, move));
    if (s->run == mw_run_rounds)
        MW_TRY(mw_make_rounds(arena, (mw_algorithm)spec->way.algorithm, move));
    return find_shared(arena, spec, s, move);
}
