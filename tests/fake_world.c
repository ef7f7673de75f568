/* fake_world.c - the schedules, message by message. */
#include "tests/fake_world.h"

#include <string.h>

#include "tests/test.h"

int64_t fake_value(int64_t index)
{
    return 1000 + index * 7 % 997;
}

typedef struct box {
    mw_block block[MW_MAX_RANK];
    int64_t elements;
} box;

static box box_of(const fake_world *w, const mw_layout *layout, int64_t rank)
{
    box b;
    int64_t coord[MW_MAX_MESH];
    mw_mesh_coords(w->mesh, rank, coord);
    b.elements = mw_layout_box(w->mesh, layout, w->tensor, coord, b.block);
    return b;
}

static int64_t flat_index(const fake_world *w, const int64_t at[])
{
    int64_t index = 0;
    for (int i = 0; i < w->tensor->rank; i++)
        index = index * w->tensor->axis[i].size + at[i];
    return index;
}

// Where the element is in the box, or MW_NONE.
static int64_t index_in(const fake_world *w, const box *b, const int64_t at[])
{
    int64_t index = 0;
    for (int i = 0; i < w->tensor->rank; i++) {
        if (at[i] < b->block[i].start ||
            at[i] >= b->block[i].start + b->block[i].size)
            return MW_NONE;
        index = index * b->block[i].size + at[i] - b->block[i].start;
    }
    return index;
}

// The position of element k of the box.
static void position(const fake_world *w, const box *b, int64_t k, int64_t at[])
{
    for (int i = w->tensor->rank - 1; i >= 0; i--) {
        at[i] = b->block[i].start + k % b->block[i].size;
        k /= b->block[i].size;
    }
}

// Copies what the second box has of the first; returns how many elements that
// were.
static int64_t transfer(const fake_world *w, const box *from,
                        const int64_t *src, const box *to, int64_t *dst)
{
    int64_t n = 0;
    for (int64_t k = 0; k < from->elements; k++) {
        int64_t at[MW_MAX_RANK];
        position(w, from, k, at);
        int64_t j = index_in(w, to, at);
        if (j == MW_NONE)
            continue;
        dst[j] = src[k];
        n++;
    }
    return n;
}

static int64_t combine(const fake_world *w, int64_t a, int64_t b)
{
    switch ((mw_reduce)w->layout.reduce) {
    case MW_REDUCE_MAX:
        return a > b ? a : b;
    case MW_REDUCE_MIN:
        return a < b ? a : b;
    default:
        return a + b;
    }
}

// The ranks of one rank's group, by number.
static int64_t *members_of(const fake_world *w, uint32_t axes, int64_t rank,
                           int64_t *n)
{
    int64_t coord[MW_MAX_MESH];
    *n = mw_mesh_group_size(w->mesh, axes);
    int64_t *member = MW_NEW_ARRAY(w->arena, *n, int64_t);
    mw_mesh_coords(w->mesh, rank, coord);
    for (int64_t i = 0; member && i < *n; i++) {
        mw_mesh_group_member(w->mesh, axes, i, coord);
        member[i] = mw_mesh_rank(w->mesh, coord);
    }
    return member;
}

static void count(fake_world *w, int64_t rank, int64_t elements)
{
    w->sent[rank] += elements * mw_dtype_bytes(w->tensor->dtype);
}

static int64_t modulo(int64_t a, int64_t n)
{
    return (a % n + n) % n;
}

// One group's ring: in round k member i passes block i - k to member i + 1.
static void gather_ring(fake_world *w, const mw_step *step,
                        const int64_t *member, int64_t n, int64_t **out)
{
    for (int64_t i = 0; i < n; i++) {
        box own = box_of(w, &step->from, member[i]);
        box whole = box_of(w, &step->to, member[i]);
        (void)transfer(w, &own, w->block[member[i]], &whole, out[member[i]]);
    }
    for (int64_t k = 0; k + 1 < n; k++) {
        for (int64_t i = 0; i < n; i++) {
            int64_t sender = member[i], receiver = member[(i + 1) % n];
            box piece = box_of(w, &step->from, member[modulo(i - k, n)]);
            box mine = box_of(w, &step->to, sender);
            int64_t *packet = MW_NEW_ARRAY(w->arena, piece.elements, int64_t);
            count(w, sender, transfer(w, &mine, out[sender], &piece, packet));
            box theirs = box_of(w, &step->to, receiver);
            (void)transfer(w, &piece, packet, &theirs, out[receiver]);
        }
    }
}

// One group's ring: in round k member i passes block i - 1 - k, reduced so far,
// to member i + 1, which adds its own.
static void scatter_ring(fake_world *w, const mw_step *step,
                         const int64_t *member, int64_t n, int64_t **out)
{
    int64_t **held = MW_NEW_ARRAY(w->arena, n, int64_t *);
    for (int64_t i = 0; i < n; i++) {
        box piece = box_of(w, &step->to, member[modulo(i - 1, n)]);
        box mine = box_of(w, &step->from, member[i]);
        held[i] = MW_NEW_ARRAY(w->arena, piece.elements, int64_t);
        (void)transfer(w, &mine, w->block[member[i]], &piece, held[i]);
    }
    for (int64_t k = 0; k + 1 < n; k++) {
        int64_t **next = MW_NEW_ARRAY(w->arena, n, int64_t *);
        for (int64_t i = 0; i < n; i++) {
            int64_t j = (i + 1) % n;
            box piece = box_of(w, &step->to, member[modulo(i - 1 - k, n)]);
            box mine = box_of(w, &step->from, member[j]);
            next[j] = MW_NEW_ARRAY(w->arena, piece.elements, int64_t);
            (void)transfer(w, &mine, w->block[member[j]], &piece, next[j]);
            count(w, member[i], piece.elements);
            for (int64_t e = 0; e < piece.elements; e++)
                next[j][e] = combine(w, next[j][e], held[i][e]);
        }
        held = next;
    }
    for (int64_t i = 0; i < n; i++) {
        box piece = box_of(w, &step->to, member[i]);
        memcpy(out[member[i]], held[i],
               (size_t)piece.elements * sizeof(int64_t));
    }
}

// Both rings over chunks of the flat block: round k passes chunk i - 1 - k,
// then chunk i - k.
static void reduce_rings(fake_world *w, const mw_step *step,
                         const int64_t *member, int64_t n, int64_t **out)
{
    box mine = box_of(w, &step->from, member[0]);
    for (int64_t i = 0; i < n; i++)
        memcpy(out[member[i]], w->block[member[i]],
               (size_t)mine.elements * sizeof(int64_t));
    for (int64_t round = 0; round < 2 * (n - 1); round++) {
        bool reduces = round < n - 1;
        int64_t k = reduces ? round + 1 : round - (n - 1);
        int64_t *before = MW_NEW_ARRAY(w->arena, n * mine.elements, int64_t);
        for (int64_t i = 0; i < n; i++)
            memcpy(before + i * mine.elements, out[member[i]],
                   (size_t)mine.elements * sizeof(int64_t));
        for (int64_t i = 0; i < n; i++) {
            int64_t to = member[(i + 1) % n];
            mw_block c = mw_block_of(mine.elements, n, modulo(i - k, n));
            count(w, member[i], c.size);
            for (int64_t e = c.start; e < c.start + c.size; e++) {
                int64_t got = before[i * mine.elements + e];
                out[to][e] = reduces ? combine(w, out[to][e], got) : got;
            }
        }
    }
}

// All have the sum of all blocks.
static void all_sums(fake_world *w, const mw_step *step, const int64_t *member,
                     int64_t n, int64_t **out)
{
    box mine = box_of(w, &step->from, member[0]);
    for (int64_t e = 0; e < mine.elements; e++) {
        int64_t total = w->block[member[0]][e];
        for (int64_t i = 1; i < n; i++)
            total = combine(w, total, w->block[member[i]][e]);
        for (int64_t i = 0; i < n; i++)
            out[member[i]][e] = total;
    }
}

static void reduce_direct(fake_world *w, const mw_step *step,
                          const int64_t *member, int64_t n, int64_t **out)
{
    box mine = box_of(w, &step->from, member[0]);
    all_sums(w, step, member, n, out);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 1; k < n; k++) {
            /* what the other one reduces, and what this one has reduced */
            count(w, member[i],
                  mw_block_of(mine.elements, n, (i + k) % n).size);
            count(w, member[i], mw_block_of(mine.elements, n, i).size);
        }
}

// Elements of parts first to end - 1 of n.
static int64_t in_parts(int64_t elements, int64_t n, int64_t first, int64_t end)
{
    int64_t sum = 0;
    for (int64_t k = first; k < end; k++)
        sum += mw_block_of(elements, n, k).size;
    return sum;
}

// Member i goes on with that half of its parts which has its own; it sends the
// other half, later what it has.
static void reduce_halving(fake_world *w, const mw_step *step,
                           const int64_t *member, int64_t n, int64_t **out)
{
    box mine = box_of(w, &step->from, member[0]);
    all_sums(w, step, member, n, out);
    for (int64_t i = 0; i < n; i++) {
        int64_t first = 0, end = n;
        while (end - first > 1) {
            int64_t middle = (first + end) / 2;
            bool low = i < middle;
            count(w, member[i],
                  low ? in_parts(mine.elements, n, middle, end)
                      : in_parts(mine.elements, n, first, middle));
            first = low ? first : middle;
            end = low ? middle : end;
            count(w, member[i], in_parts(mine.elements, n, first, end));
        }
    }
}

// The others' parts within, a ring of the own one between, and within.
static void reduce_hierarchy(fake_world *w, const mw_step *step,
                             const int64_t *member, int64_t n, int64_t **out)
{
    box mine = box_of(w, &step->from, member[0]);
    int64_t inner = step->way.inner, outer = n / inner;
    all_sums(w, step, member, n, out);
    for (int64_t i = 0; i < n; i++) {
        int64_t part = mw_block_of(mine.elements, inner, i % inner).size;
        for (int64_t k = 1; k < inner; k++) {
            count(w, member[i],
                  mw_block_of(mine.elements, inner, (i + k) % inner).size);
            count(w, member[i], part);
        }
        for (int64_t k = 0; k + 1 < outer; k++) {
            int64_t at = i / inner;
            count(w, member[i],
                  mw_block_of(part, outer, modulo(at - 1 - k, outer)).size);
            count(w, member[i],
                  mw_block_of(part, outer, modulo(at - k, outer)).size);
        }
    }
}

static void reduce_block(fake_world *w, const mw_step *step,
                         const int64_t *member, int64_t n, int64_t **out)
{
    static void (*const run[MW_N_ALGORITHMS])(
        fake_world *, const mw_step *, const int64_t *, int64_t, int64_t **) = {
        reduce_rings, reduce_direct, reduce_halving, reduce_hierarchy};
    run[step->way.algorithm](w, step, member, n, out);
}

// Gathered or scattered: each from each, counted where it comes from.
static void direct(fake_world *w, const mw_step *step, const int64_t *member,
                   int64_t n, int64_t **out)
{
    bool gathers = step->kind == MW_ALL_GATHER;
    for (int64_t i = 0; i < n; i++) {
        box to = box_of(w, &step->to, member[i]);
        for (int64_t k = 0; k < n; k++) {
            int64_t other = member[(i + k) % n];
            box from = box_of(w, &step->from, other);
            int64_t *packet = MW_NEW_ARRAY(w->arena, to.elements, int64_t);
            int64_t met = transfer(w, &from, w->block[other], &to, packet);
            if (k > 0)
                count(w, other, met);
            if (gathers || k == 0)
                (void)transfer(w, &from, w->block[other], &to, out[member[i]]);
            for (int64_t e = 0; !gathers && k > 0 && e < to.elements; e++)
                out[member[i]][e] = combine(w, out[member[i]][e], packet[e]);
        }
    }
}

// Each member sends each other what that one needs of its block.
static void exchange(fake_world *w, const mw_step *step, const int64_t *member,
                     int64_t n, int64_t **out)
{
    for (int64_t i = 0; i < n; i++) {
        box mine = box_of(w, &step->from, member[i]);
        for (int64_t k = 0; k < n; k++) {
            int64_t receiver = member[(i + k) % n];
            box theirs = box_of(w, &step->to, receiver);
            int64_t moved =
                transfer(w, &mine, w->block[member[i]], &theirs, out[receiver]);
            if (k > 0)
                count(w, member[i], moved);
        }
    }
}

static void local(fake_world *w, const mw_step *step, int64_t rank,
                  int64_t **out)
{
    int64_t coord[MW_MAX_MESH];
    mw_mesh_coords(w->mesh, rank, coord);
    box mine = box_of(w, &step->from, rank);
    box wanted = box_of(w, &step->to, rank);
    if (step->kind == MW_MASK &&
        mw_mesh_group_index(w->mesh, step->axes, coord) != 0)
        return;
    (void)transfer(w, &mine, w->block[rank], &wanted, out[rank]);
}

mw_status fake_world_step(fake_world *w, const mw_step *step)
{
    int64_t **out = MW_NEW_ARRAY(w->arena, w->n_ranks, int64_t *);
    if (!out)
        return MW_ENOMEM;
    for (int64_t rank = 0; rank < w->n_ranks; rank++) {
        box wanted = box_of(w, &step->to, rank);
        out[rank] = MW_NEW_ARRAY(w->arena, wanted.elements, int64_t);
        if (!out[rank])
            return MW_ENOMEM;
    }
    for (int64_t rank = 0; rank < w->n_ranks; rank++) {
        int64_t n;
        int64_t *member = members_of(w, step->axes, rank, &n);
        if (!member)
            return MW_ENOMEM;
        if (step->kind == MW_SLICE || step->kind == MW_MASK)
            local(w, step, rank, out);
        else if (member[0] != rank)
            continue;
        else if (step->kind == MW_ALL_REDUCE)
            reduce_block(w, step, member, n, out);
        else if (step->way.algorithm == MW_DIRECT)
            direct(w, step, member, n, out);
        else if (step->kind == MW_ALL_GATHER)
            gather_ring(w, step, member, n, out);
        else if (step->kind == MW_REDUCE_SCATTER)
            scatter_ring(w, step, member, n, out);
        else
            exchange(w, step, member, n, out);
    }
    w->block = out;
    w->layout = step->to;
    return MW_OK;
}

static uint32_t partial_axes(const fake_world *w)
{
    return mw_layout_axes(w->mesh, &w->layout, MW_PARTIAL);
}

// What a rank holds of an element, such that its group completes it.
static int64_t share(const fake_world *w, int64_t rank, int64_t index,
                     uint64_t seed)
{
    int64_t coord[MW_MAX_MESH];
    mw_mesh_coords(w->mesh, rank, coord);
    uint32_t axes = partial_axes(w);
    int64_t n = mw_mesh_group_size(w->mesh, axes);
    int64_t member = mw_mesh_group_index(w->mesh, axes, coord);
    int64_t whole = fake_value(index);
    if (n == 1)
        return whole;
    if (w->layout.reduce == MW_REDUCE_MAX)
        return member == index % n ? whole : whole - member - 1;
    if (w->layout.reduce == MW_REDUCE_MIN)
        return member == index % n ? whole : whole + member + 1;
    int64_t rest = whole;
    for (int64_t m = 0; m < n - 1; m++) {
        int64_t part = (int64_t)((seed + (uint64_t)(m * 131 + index)) % 51);
        if (m == member)
            return part;
        rest -= part;
    }
    return rest;
}

mw_status fake_world_init(fake_world *w, mw_arena *arena, const mw_mesh *mesh,
                          const mw_tensor *tensor, const mw_layout *layout,
                          uint64_t *random)
{
    *w = (fake_world){.arena = arena,
                      .mesh = mesh,
                      .tensor = tensor,
                      .layout = *layout,
                      .n_ranks = mw_mesh_ranks(mesh)};
    uint64_t seed = mw_test_random(random) >> 8;
    w->block = MW_NEW_ARRAY(arena, w->n_ranks, int64_t *);
    w->sent = MW_NEW_ARRAY(arena, w->n_ranks, int64_t);
    if (!w->block || !w->sent)
        return MW_ENOMEM;
    for (int64_t rank = 0; rank < w->n_ranks; rank++) {
        box b = box_of(w, layout, rank);
        w->block[rank] = MW_NEW_ARRAY(arena, b.elements, int64_t);
        if (!w->block[rank])
            return MW_ENOMEM;
        for (int64_t k = 0; k < b.elements; k++) {
            int64_t at[MW_MAX_RANK];
            position(w, &b, k, at);
            w->block[rank][k] = share(w, rank, flat_index(w, at), seed);
        }
    }
    return MW_OK;
}

// Element k of the rank's block, completed over its partial group.
static int64_t completed(const fake_world *w, int64_t rank, int64_t k)
{
    int64_t coord[MW_MAX_MESH], total = 0;
    uint32_t axes = partial_axes(w);
    mw_mesh_coords(w->mesh, rank, coord);
    for (int64_t i = 0; i < mw_mesh_group_size(w->mesh, axes); i++) {
        mw_mesh_group_member(w->mesh, axes, i, coord);
        int64_t value = w->block[mw_mesh_rank(w->mesh, coord)][k];
        total = i ? combine(w, total, value) : value;
    }
    return total;
}

bool fake_world_right(const fake_world *w)
{
    for (int64_t rank = 0; rank < w->n_ranks; rank++) {
        box b = box_of(w, &w->layout, rank);
        for (int64_t k = 0; k < b.elements; k++) {
            int64_t at[MW_MAX_RANK];
            position(w, &b, k, at);
            if (completed(w, rank, k) != fake_value(flat_index(w, at)))
                return false;
        }
    }
    return true;
}
