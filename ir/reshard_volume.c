/*
 * reshard_volume.c - who sends how much in a step, by its schedule.
 *
 * Boxes are products of intervals, and in a moving step the other members'
 * intervals along one tensor axis depend on mesh axes of their own. So the sum
 * over all members of what one rank exchanges with them is a product of sums,
 * one a tensor axis, and along each only the members that meet the rank's
 * interval are visited. A sum depends on the coordinates along few mesh axes:
 * over all ranks each is taken once.
 */
#include "ir/reshard_volume.h"

static int64_t overlap(mw_block a, mw_block b)
{
    int64_t first = a.start > b.start ? a.start : b.start;
    int64_t end = a.start + a.size < b.start + b.size ? a.start + a.size
                                                      : b.start + b.size;
    return end > first ? end - first : 0;
}

// The coordinates of the next member; back at the first after the last.
static void step_coord(const mw_mesh *mesh, uint32_t axes,
                       int64_t coord[MW_MAX_MESH])
{
    for (int a = mesh->n_axes - 1; a >= 0; a--) {
        if (!(axes >> a & 1U))
            continue;
        if (++coord[a] < mesh->axis[a].size)
            return;
        coord[a] = 0;
    }
}

/* A rank's block under one layout against its group's under another. */
typedef struct crossing {
    const mw_mesh *mesh;
    const mw_tensor *tensor;
    const mw_layout *mine, *theirs;
    uint32_t axes; /* along which members differ */
} crossing;

/* Along one tensor axis, or over all. */
typedef struct meeting {
    int64_t elements; /* met, over all members */
    int64_t members;  /* met in at least one element */
    int64_t own;      /* met at the rank itself */
} meeting;

/* One tensor axis being divided among the members. */
typedef struct division {
    const crossing *between;
    const int64_t *coord; /* of the rank */
    int axis;             /* of the tensor */
    mw_block block;       /* of the rank */
    int64_t elements, members;
} division;

// The part of the axis that mesh axes before `a` leave; goes on into what meets
// the block.
static void divide(division *d, int a, mw_block part)
{
    const mw_mesh *mesh = d->between->mesh;
    int64_t met = overlap(d->block, part);
    while (a < mesh->n_axes && d->between->theirs->role[a] != d->axis)
        a++;
    if (met == 0)
        return;
    if (a == mesh->n_axes) {
        d->elements += met;
        d->members++;
        return;
    }
    int64_t count = mesh->axis[a].size, first = d->coord[a], last = first;
    if (d->between->axes >> a & 1U) {
        int64_t size = mw_block_of(part.size, count, 0).size;
        int64_t lo = d->block.start - part.start;
        first = lo > 0 ? lo / size : 0;
        last = (lo + d->block.size - 1) / size;
        last = last < count ? last : count - 1;
    }
    for (int64_t k = first; k <= last; k++) {
        mw_block child = mw_block_of(part.size, count, k);
        child.start += part.start;
        divide(d, a + 1, child);
    }
}

static meeting meet_axis(const crossing *c, int axis,
                         const int64_t coord[MW_MAX_MESH])
{
    int64_t n = c->tensor->axis[axis].size;
    division d = {.between = c,
                  .coord = coord,
                  .axis = axis,
                  .block = mw_layout_block(c->mesh, c->mine, axis, n, coord)};
    divide(&d, 0, (mw_block){.start = 0, .size = n});
    return (meeting){.elements = d.elements,
                     .members = d.members,
                     .own = overlap(d.block, mw_layout_block(c->mesh, c->theirs,
                                                             axis, n, coord))};
}

// Members that differ along mesh axes which split nothing hold the same.
static meeting without_axes(const crossing *c)
{
    uint32_t used = 0;
    for (int i = 0; i < c->tensor->rank; i++)
        used |= mw_layout_axes(c->mesh, c->theirs, i);
    int64_t copies = mw_mesh_group_size(c->mesh, c->axes & ~used);
    return (meeting){.elements = copies, .members = copies, .own = 1};
}

static void multiply(meeting *m, const meeting *factor)
{
    m->elements *= factor->elements;
    m->members *= factor->members;
    m->own *= factor->own;
}

static meeting meet(const crossing *c, const int64_t coord[MW_MAX_MESH])
{
    meeting m = without_axes(c);
    for (int i = 0; i < c->tensor->rank; i++) {
        meeting factor = meet_axis(c, i, coord);
        multiply(&m, &factor);
    }
    return m;
}

/* The meetings along one tensor axis, by the coordinates they depend on. */
enum { MAX_TABLE = 256 };
typedef struct axis_table {
    uint32_t axes;
    meeting at[MAX_TABLE];
} axis_table;

// False when there are too many.
static bool fill_table(const crossing *c, int axis, axis_table *table)
{
    table->axes = mw_layout_axes(c->mesh, c->mine, axis) |
                  mw_layout_axes(c->mesh, c->theirs, axis);
    int64_t coord[MW_MAX_MESH] = {0};
    int64_t count = mw_mesh_group_size(c->mesh, table->axes);
    if (count > MAX_TABLE)
        return false;
    for (int64_t k = 0; k < count; k++) {
        table->at[k] = meet_axis(c, axis, coord);
        step_coord(c->mesh, table->axes, coord);
    }
    return true;
}

// The most that one rank exchanges with others, and with how many, over the
// ranks that differ along `axes`.
static void most_met(const crossing *c, uint32_t axes, int64_t *elements,
                     int64_t *members)
{
    axis_table table[MW_MAX_RANK];
    bool filled[MW_MAX_RANK] = {false};
    const meeting start = without_axes(c);
    int64_t coord[MW_MAX_MESH] = {0};
    int64_t count = mw_mesh_group_size(c->mesh, axes);
    for (int i = 0; i < c->tensor->rank; i++)
        filled[i] = fill_table(c, i, &table[i]);
    *elements = *members = 0;
    for (int64_t k = 0; k < count; k++) {
        meeting m = start;
        for (int i = 0; i < c->tensor->rank; i++) {
            meeting own;
            const meeting *factor = &own;
            if (filled[i])
                factor = &table[i].at[mw_mesh_group_index(
                    c->mesh, table[i].axes, coord)];
            else
                own = meet_axis(c, i, coord);
            multiply(&m, factor);
        }
        int64_t others = m.elements - m.own, peers = m.members - (m.own > 0);
        *elements = others > *elements ? others : *elements;
        *members = peers > *members ? peers : *members;
        step_coord(c->mesh, axes, coord);
    }
}

static int64_t elements_at(const mw_mesh *mesh, const mw_tensor *tensor,
                           const mw_layout *layout,
                           const int64_t coord[MW_MAX_MESH])
{
    mw_block block[MW_MAX_RANK];
    return mw_layout_box(mesh, layout, tensor, coord, block);
}

// Ring: a member forwards every block but the one its right neighbour had.
static int64_t gather_sends(const mw_mesh *mesh, const mw_tensor *tensor,
                            const mw_step *step,
                            const int64_t coord[MW_MAX_MESH])
{
    int64_t next[MW_MAX_MESH];
    for (int a = 0; a < MW_MAX_MESH; a++)
        next[a] = coord[a];
    step_coord(mesh, step->axes, next);
    return elements_at(mesh, tensor, &step->to, coord) -
           elements_at(mesh, tensor, &step->from, next);
}

// Both rings over ceil chunks of the flat block.
static int64_t reduce_sends(const mw_mesh *mesh, const mw_tensor *tensor,
                            const mw_step *step,
                            const int64_t coord[MW_MAX_MESH])
{
    int64_t n = elements_at(mesh, tensor, &step->from, coord);
    int64_t index = mw_mesh_group_index(mesh, step->axes, coord);
    int64_t count = mw_mesh_group_size(mesh, step->axes);
    return n - mw_block_of(n, count, index).size + n -
           mw_block_of(n, count, (index + 1) % count).size;
}

static bool is_pairwise(const mw_step *step)
{
    return step->kind == MW_ALL_TO_ALL || step->kind == MW_EXCHANGE;
}

static crossing sending(const mw_mesh *mesh, const mw_tensor *tensor,
                        const mw_step *step)
{
    return (crossing){mesh, tensor, &step->from, &step->to, step->axes};
}

static crossing receiving(const mw_mesh *mesh, const mw_tensor *tensor,
                          const mw_step *step)
{
    return (crossing){mesh, tensor, &step->to, &step->from, step->axes};
}

static int64_t elements_sent(const mw_mesh *mesh, const mw_tensor *tensor,
                             const mw_step *step,
                             const int64_t coord[MW_MAX_MESH])
{
    if (step->kind == MW_ALL_GATHER)
        return gather_sends(mesh, tensor, step, coord);
    if (step->kind == MW_ALL_REDUCE)
        return reduce_sends(mesh, tensor, step, coord);
    if (step->kind == MW_REDUCE_SCATTER)
        return elements_at(mesh, tensor, &step->from, coord) -
               elements_at(mesh, tensor, &step->to, coord);
    if (is_pairwise(step)) {
        crossing c = sending(mesh, tensor, step);
        meeting m = meet(&c, coord);
        return m.elements - m.own;
    }
    return 0;
}

int64_t mw_step_bytes_of(const mw_mesh *mesh, const mw_tensor *tensor,
                         const mw_step *step, int64_t rank)
{
    int64_t coord[MW_MAX_MESH];
    mw_mesh_coords(mesh, rank, coord);
    return elements_sent(mesh, tensor, step, coord) *
           mw_dtype_bytes(tensor->dtype);
}

// The mesh axes on which blocks or groups of a step depend.
static uint32_t step_axes(const mw_mesh *mesh, const mw_step *step)
{
    uint32_t axes = step->axes;
    for (int a = 0; a < mesh->n_axes; a++)
        if (step->from.role[a] >= 0 || step->to.role[a] >= 0)
            axes |= 1U << a;
    return axes;
}

// All blocks are equal: no axis is split unevenly before or after, nor the flat
// block over the group.
static bool is_even(const mw_mesh *mesh, const mw_tensor *tensor,
                    const mw_step *step)
{
    static const int64_t first[MW_MAX_MESH];
    for (int i = 0; i < tensor->rank; i++) {
        int64_t n = tensor->axis[i].size;
        if (n % mw_mesh_group_size(mesh, mw_layout_axes(mesh, &step->from, i)))
            return false;
        if (n % mw_mesh_group_size(mesh, mw_layout_axes(mesh, &step->to, i)))
            return false;
    }
    return elements_at(mesh, tensor, &step->from, first) %
               mw_mesh_group_size(mesh, step->axes) ==
           0;
}

// Of a ring over equal blocks all ranks send alike.
static int64_t most_in_rings(const mw_mesh *mesh, const mw_tensor *tensor,
                             const mw_step *step)
{
    int64_t most = 0, coord[MW_MAX_MESH] = {0};
    uint32_t axes = is_even(mesh, tensor, step) ? 0 : step_axes(mesh, step);
    int64_t count = mw_mesh_group_size(mesh, axes);
    for (int64_t k = 0; k < count; k++) {
        int64_t sent = elements_sent(mesh, tensor, step, coord);
        most = sent > most ? sent : most;
        step_coord(mesh, axes, coord);
    }
    return most;
}

mw_volume mw_step_most(const mw_mesh *mesh, const mw_tensor *tensor,
                       const mw_step *step)
{
    mw_volume most = {0, 0, 0};
    if (step->kind == MW_SLICE || step->kind == MW_MASK)
        return most;
    if (!is_pairwise(step)) {
        most.sent = most_in_rings(mesh, tensor, step);
        return most;
    }
    uint32_t axes = step_axes(mesh, step);
    crossing out = sending(mesh, tensor, step);
    crossing in = receiving(mesh, tensor, step);
    int64_t receivers;
    most_met(&out, axes, &most.sent, &receivers);
    most_met(&in, axes, &most.received, &most.peers);
    return most;
}

mw_volume mw_step_first(const mw_mesh *mesh, const mw_tensor *tensor,
                        const mw_step *step)
{
    static const int64_t first[MW_MAX_MESH];
    crossing out = sending(mesh, tensor, step);
    crossing in = receiving(mesh, tensor, step);
    meeting sent = meet(&out, first), received = meet(&in, first);
    return (mw_volume){.sent = sent.elements - sent.own,
                       .received = received.elements - received.own,
                       .peers = received.members - (received.own > 0)};
}
