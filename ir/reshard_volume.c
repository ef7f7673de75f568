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

// The next mesh axis, from `a` on, that splits the tensor axis for the members.
static int next_axis(const division *d, int a)
{
    while (a < d->between->mesh->n_axes &&
           d->between->theirs->role[a] != d->axis)
        a++;
    return a;
}

// All that split it from `a` on differ among the members.
static bool all_move(const division *d, int a)
{
    for (a = next_axis(d, a); a < d->between->mesh->n_axes;
         a = next_axis(d, a + 1))
        if (!(d->between->axes >> a & 1U))
            return false;
    return true;
}

// How many blocks that are not empty n elements make over the axes from `a` on.
static int64_t n_blocks(const division *d, int a, int64_t n)
{
    a = next_axis(d, a);
    if (n == 0 || a == d->between->mesh->n_axes)
        return n > 0;
    int64_t size = mw_block_of(n, d->between->mesh->axis[a].size, 0).size;
    return n / size * n_blocks(d, a + 1, size) +
           (n % size > 0 ? n_blocks(d, a + 1, n % size) : 0);
}

// The part of the axis that mesh axes before `a` leave; goes on into what meets
// the block. Children between the first and the last that do are met whole:
// where all members have their own, they need not be visited.
static void divide(division *d, int a, mw_block part)
{
    const mw_mesh *mesh = d->between->mesh;
    int64_t met = overlap(d->block, part);
    a = next_axis(d, a);
    if (met == 0)
        return;
    if (a == mesh->n_axes) {
        d->elements += met;
        d->members++;
        return;
    }
    int64_t count = mesh->axis[a].size, first = d->coord[a], last = first;
    int64_t size = mw_block_of(part.size, count, 0).size;
    if (d->between->axes >> a & 1U) {
        int64_t lo = d->block.start - part.start;
        first = lo > 0 ? lo / size : 0;
        last = (lo + d->block.size - 1) / size;
        last = last < count ? last : count - 1;
    }
    bool whole = last - first > 2 && all_move(d, a + 1);
    for (int64_t k = first; k <= last; k++) {
        mw_block child = mw_block_of(part.size, count, k);
        child.start += part.start;
        divide(d, a + 1, child);
        if (k == first && whole) {
            int64_t inner = (part.size - 1) / size - 1 < last - 1
                                ? (part.size - 1) / size - 1
                                : last - 1;
            if (inner > first) {
                d->elements += (inner - first) * size;
                d->members += (inner - first) * n_blocks(d, a + 1, size);
                k = inner;
            }
        }
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
enum { MAX_TABLE = 256, MAX_KEPT = 1 << 16 };
typedef struct axis_table {
    uint32_t axes;
    bool same;     /* elements and members are those of every rank */
    bool own_same; /* so is the own part */
    bool away;     /* some rank has nothing of its own */
    meeting *at;
} axis_table;

static void fill_table(const crossing *c, int axis, axis_table *table)
{
    int64_t coord[MW_MAX_MESH] = {0};
    int64_t count = mw_mesh_group_size(c->mesh, table->axes);
    table->same = table->own_same = true;
    table->away = false;
    for (int64_t k = 0; k < count; k++) {
        meeting *m = &table->at[k];
        *m = meet_axis(c, axis, coord);
        table->same = table->same && m->elements == table->at->elements &&
                      m->members == table->at->members;
        table->own_same = table->own_same && m->own == table->at->own;
        table->away = table->away || m->own == 0;
        step_coord(c->mesh, table->axes, coord);
    }
}

/* What the meetings along an axis depend on. */
typedef struct meeting_key {
    uint32_t axis, mine, theirs, moving;
} meeting_key;

static meeting_key key_of(const crossing *c, int axis)
{
    uint32_t theirs = mw_layout_axes(c->mesh, c->theirs, axis);
    return (meeting_key){(uint32_t)axis, mw_layout_axes(c->mesh, c->mine, axis),
                         theirs, theirs & c->axes};
}

// The table that is remembered, made when it is new; NULL when it is too large,
// or memory is out, which is noted.
static const axis_table *kept_table(const crossing *c, int axis,
                                    mw_meetings *known)
{
    meeting_key key = key_of(c, axis);
    const int64_t *found = mw_map_find(&known->by_key, &key, sizeof key);
    if (found)
        return known->table[*found];
    uint32_t axes = key.mine | key.theirs;
    int64_t count = mw_mesh_group_size(c->mesh, axes);
    if (count > MAX_KEPT)
        return NULL;
    mw_arena *arena = known->by_key.arena;
    axis_table *made = MW_NEW(arena, axis_table);
    meeting *at = MW_NEW_ARRAY(arena, count, meeting);
    axis_table **tables =
        mw_arena_reserve(arena, known->table, known->n_tables,
                         &known->cap_tables, sizeof(axis_table *));
    if (!made || !at || !tables) {
        known->failed = true;
        return NULL;
    }
    known->table = tables;
    *made = (axis_table){.axes = axes, .at = at};
    fill_table(c, axis, made);
    tables[known->n_tables] = made;
    if (mw_map_put(&known->by_key, &key, sizeof key, known->n_tables) != MW_OK)
        known->failed = true;
    return tables[known->n_tables++];
}

/* One table for each tensor axis; NULL: it is worked out rank by rank. */
typedef struct axis_tables {
    const axis_table *axis[MW_MAX_RANK];
    axis_table own[MW_MAX_RANK]; /* of those not remembered */
    meeting room[MW_MAX_RANK][MAX_TABLE];
    int varying[MW_MAX_RANK], n_varying; /* along which ranks differ */
} axis_tables;

static void find_tables(const crossing *c, mw_meetings *known,
                        axis_tables *tables)
{
    for (int i = 0; i < c->tensor->rank; i++) {
        tables->axis[i] = known ? kept_table(c, i, known) : NULL;
        if (tables->axis[i])
            continue;
        meeting_key key = key_of(c, i);
        uint32_t axes = key.mine | key.theirs;
        if (mw_mesh_group_size(c->mesh, axes) > MAX_TABLE)
            continue;
        tables->own[i] = (axis_table){.axes = axes, .at = tables->room[i]};
        fill_table(c, i, &tables->own[i]);
        tables->axis[i] = &tables->own[i];
    }
}

// What one rank meets, and whether all ranks that meet most do: equal blocks
// differ at most in what is the rank's own, and somewhere that is nothing.
static bool met_alike(const crossing *c, const axis_tables *tables,
                      meeting *most)
{
    bool away = false, own_same = true;
    *most = without_axes(c);
    for (int i = 0; i < c->tensor->rank; i++) {
        const axis_table *table = tables->axis[i];
        if (!table || !table->same)
            return false;
        away = away || table->away;
        own_same = own_same && table->own_same;
        multiply(most, &table->at[0]);
    }
    if (away)
        most->own = 0;
    return away || own_same;
}

// The product over tensor axes along which all ranks meet alike; the others are
// left, with the mesh axes that they depend on.
static meeting set_aside(const crossing *c, axis_tables *tables, uint32_t *axes)
{
    meeting m = without_axes(c);
    uint32_t varying = 0;
    tables->n_varying = 0;
    for (int i = 0; i < c->tensor->rank; i++) {
        const axis_table *table = tables->axis[i];
        if (table && table->same && table->own_same) {
            multiply(&m, &table->at[0]);
            continue;
        }
        varying |= table ? table->axes : *axes;
        tables->varying[tables->n_varying++] = i;
    }
    *axes &= varying;
    return m;
}

static meeting meet_varying(const crossing *c, const axis_tables *tables,
                            const meeting *start,
                            const int64_t coord[MW_MAX_MESH])
{
    meeting m = *start;
    for (int k = 0; k < tables->n_varying; k++) {
        int i = tables->varying[k];
        const axis_table *table = tables->axis[i];
        meeting own;
        const meeting *factor = &own;
        if (table)
            factor =
                &table->at[mw_mesh_group_index(c->mesh, table->axes, coord)];
        else
            own = meet_axis(c, i, coord);
        multiply(&m, factor);
    }
    return m;
}

// The most that one rank exchanges with others, and with how many, over the
// ranks that differ along `axes`.
static void most_met(const crossing *c, uint32_t axes, mw_meetings *known,
                     int64_t *elements, int64_t *members)
{
    axis_tables tables;
    meeting m;
    find_tables(c, known, &tables);
    if (met_alike(c, &tables, &m)) {
        *elements = m.elements - m.own;
        *members = m.members - (m.own > 0);
        return;
    }
    int64_t coord[MW_MAX_MESH] = {0};
    const meeting start = set_aside(c, &tables, &axes);
    int64_t count = mw_mesh_group_size(c->mesh, axes);
    *elements = *members = 0;
    for (int64_t k = 0; k < count; k++) {
        m = meet_varying(c, &tables, &start, coord);
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

/* A flat block in parts among the members. */
typedef struct parts {
    int64_t n, count; /* elements, parts */
} parts;

// Elements of `size` parts from `first` on.
static int64_t elements_in(parts p, int64_t first, int64_t size)
{
    mw_block last = mw_block_of(p.n, p.count, first + size - 1);
    return last.start + last.size - mw_block_of(p.n, p.count, first).start;
}

// A ring over the parts reduces them, another one gathers them.
static int64_t ring_sends(parts p, int64_t index)
{
    return p.n - elements_in(p, index, 1) + p.n -
           elements_in(p, (index + 1) % p.count, 1);
}

// Members at a distance of half the group, a quarter, … swap what the other one
// goes on with; on the way back what they have.
static int64_t halving_sends(parts p, int64_t index)
{
    int64_t sent = 0;
    for (int64_t d = p.count / 2; d > 0; d /= 2)
        sent += elements_in(p, (index ^ d) / d * d, d) +
                elements_in(p, index / d * d, d);
    return sent;
}

// The parts of the others of the inner group, a ring of the own part between
// groups, and the own part to each of the inner group.
static int64_t hierarchy_sends(parts p, int64_t index, int64_t inner)
{
    const parts within = {p.n, inner};
    const parts between = {elements_in(within, index % inner, 1),
                           p.count / inner};
    return p.n - between.n + ring_sends(between, index / inner) +
           (inner - 1) * between.n;
}

// Each sends each what that one reduces, or has of it.
static int64_t direct_sends(const mw_mesh *mesh, const mw_tensor *tensor,
                            const mw_step *step,
                            const int64_t coord[MW_MAX_MESH])
{
    int64_t others = mw_mesh_group_size(mesh, step->axes) - 1;
    int64_t block = elements_at(mesh, tensor, &step->from, coord);
    if (step->kind == MW_ALL_GATHER)
        return others * block;
    return block - elements_at(mesh, tensor, &step->to, coord);
}

// By parts of the flat block.
static int64_t reduce_sends(const mw_mesh *mesh, const mw_tensor *tensor,
                            const mw_step *step,
                            const int64_t coord[MW_MAX_MESH])
{
    int64_t index = mw_mesh_group_index(mesh, step->axes, coord);
    const parts p = {elements_at(mesh, tensor, &step->from, coord),
                     mw_mesh_group_size(mesh, step->axes)};
    switch ((mw_algorithm)step->way.algorithm) {
    case MW_DIRECT:
        return p.n + (p.count - 2) * elements_in(p, index, 1);
    case MW_HALVING:
        return halving_sends(p, index);
    case MW_HIERARCHICAL:
        return hierarchy_sends(p, index, step->way.inner);
    case MW_USUAL:
    case MW_N_ALGORITHMS:
        break;
    }
    return ring_sends(p, index);
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
    if (step->kind == MW_ALL_REDUCE)
        return reduce_sends(mesh, tensor, step, coord);
    if (step->way.algorithm == MW_DIRECT)
        return direct_sends(mesh, tensor, step, coord);
    if (step->kind == MW_ALL_GATHER)
        return gather_sends(mesh, tensor, step, coord);
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
    return mw_dtype_size(tensor->dtype,
                         elements_sent(mesh, tensor, step, coord));
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
                       const mw_step *step, mw_meetings *known)
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
    most_met(&out, axes, known, &most.sent, &receivers);
    most_met(&in, axes, known, &most.received, &most.peers);
    return most;
}

static meeting first_met(const crossing *c, mw_meetings *known)
{
    static const int64_t first[MW_MAX_MESH];
    meeting m = without_axes(c);
    for (int i = 0; i < c->tensor->rank; i++) {
        const axis_table *table = known ? kept_table(c, i, known) : NULL;
        meeting factor = table ? table->at[0] : meet_axis(c, i, first);
        multiply(&m, &factor);
    }
    return m;
}

mw_volume mw_step_first(const mw_mesh *mesh, const mw_tensor *tensor,
                        const mw_step *step, mw_meetings *known)
{
    crossing in = receiving(mesh, tensor, step);
    meeting received = first_met(&in, known);
    return (mw_volume){.received = received.elements - received.own,
                       .peers = received.members - (received.own > 0)};
}

void mw_meetings_init(mw_meetings *known, mw_arena *arena)
{
    *known = (mw_meetings){0};
    mw_map_init(&known->by_key, arena);
}
