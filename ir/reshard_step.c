/* reshard_step.c - which steps are right, and what they cost. */
#include "ir/reshard_space.h"
#include "ir/reshard_volume.h"

#include "base/checked.h"

int64_t mw_aligned(int64_t bytes)
{
    return mw_ceil_div(bytes, MW_ALIGN) * MW_ALIGN;
}

/* ---- which steps are right ---- */

// The mesh axes of `list` from the major end on up to where `other` differs.
static uint32_t common_prefix(uint32_t list, uint32_t other)
{
    uint32_t differ = list ^ other;
    if (differ == 0)
        return list;
    uint32_t first = differ & (~differ + 1);
    return list & (first - 1);
}

// `list` starts with all of `prefix`.
static bool starts_with(uint32_t list, uint32_t prefix)
{
    return common_prefix(list, prefix) == prefix;
}

uint32_t mw_exchange_axes(const mw_mesh *mesh, const mw_tensor *tensor,
                          const mw_layout *from, const mw_layout *to)
{
    uint32_t axes = 0;
    for (int i = 0; i < tensor->rank; i++) {
        uint32_t have = mw_layout_axes(mesh, from, i);
        axes |= have & ~common_prefix(have, mw_layout_axes(mesh, to, i));
    }
    return axes;
}

// Whether every tensor axis is split further only at its minor end.
static bool splits_further(const mw_mesh *mesh, const mw_tensor *tensor,
                           const mw_layout *from, const mw_layout *to)
{
    for (int i = 0; i < tensor->rank; i++)
        if (!starts_with(mw_layout_axes(mesh, to, i),
                         mw_layout_axes(mesh, from, i)))
            return false;
    return true;
}

// No later mesh axis than `a` splits the same tensor axis.
static bool is_minor(const mw_mesh *mesh, const mw_layout *layout, int a)
{
    return mw_layout_axes(mesh, layout, layout->role[a]) >> a == 1;
}

static const char *exchange_refusal(const mw_mesh *mesh,
                                    const mw_tensor *tensor,
                                    const mw_step *step)
{
    if (mw_layout_axes(mesh, &step->from, MW_PARTIAL) !=
        mw_layout_axes(mesh, &step->to, MW_PARTIAL))
        return "an exchange completes no partial tensor";
    if (step->axes != mw_exchange_axes(mesh, tensor, &step->from, &step->to))
        return "its axes are not those over which data moves";
    if (step->axes == 0)
        return "no data moves: it is a slice";
    return NULL;
}

/* What the roles of a step's axes are before and after: one of each kind for
 * all of its axes; SPLIT stands for any tensor axis. */
enum { SPLIT = 0 };

static const struct shape {
    int from, to;
    bool single; /* over one mesh axis only */
} shapes[MW_N_COLLECTIVES] = {
    [MW_ALL_GATHER] = {SPLIT, MW_REPLICATED, false},
    [MW_ALL_REDUCE] = {MW_PARTIAL, MW_REPLICATED, false},
    [MW_REDUCE_SCATTER] = {MW_PARTIAL, SPLIT, true},
    [MW_ALL_TO_ALL] = {SPLIT, SPLIT, true},
    [MW_SLICE] = {MW_REPLICATED, SPLIT, false},
    [MW_MASK] = {MW_REPLICATED, MW_PARTIAL, false},
};

static bool fits_shape(const mw_mesh *mesh, const mw_step *step)
{
    const struct shape *shape = &shapes[step->kind];
    int n = 0;
    for (int a = 0; a < mesh->n_axes; a++) {
        int from = step->from.role[a], to = step->to.role[a];
        if (!(step->axes >> a & 1U)) {
            if (from != to)
                return false;
            continue;
        }
        if ((from >= 0 ? SPLIT : from) != shape->from ||
            (to >= 0 ? SPLIT : to) != shape->to || from == to)
            return false;
        n++;
    }
    return n == 1 || (n > 1 && !shape->single);
}

const char *mw_step_refusal(const mw_mesh *mesh, const mw_tensor *tensor,
                            const mw_step *step)
{
    const mw_layout *from = &step->from, *to = &step->to;
    bool both = from->reduce && to->reduce;
    if (both && from->reduce != to->reduce)
        return "it changes the kind of a pending reduction";
    const char *way = mw_way_refusal(step->kind, step->way,
                                     mw_mesh_group_size(mesh, step->axes));
    if (way)
        return way;
    if (step->kind == MW_EXCHANGE)
        return exchange_refusal(mesh, tensor, step);
    if (!fits_shape(mesh, step))
        return "the layouts before and after do not fit its kind and axes";
    int a = 0;
    while (!(step->axes >> a & 1U))
        a++;
    if (step->kind == MW_SLICE && !splits_further(mesh, tensor, from, to))
        return "it slices along an axis that is not the minor one";
    if (step->kind == MW_ALL_GATHER && !splits_further(mesh, tensor, to, from))
        return "it gathers along an axis that is not the minor one";
    if (step->kind == MW_ALL_TO_ALL && !is_minor(mesh, from, a))
        return "it takes an axis that is not the minor one";
    if ((step->kind == MW_ALL_TO_ALL || step->kind == MW_REDUCE_SCATTER) &&
        !is_minor(mesh, to, a))
        return "it scatters to an axis that is not the minor one";
    if (step->kind == MW_MASK && to->reduce != MW_REDUCE_SUM)
        return "only a sum can be made partial by masking";
    return NULL;
}

/* ---- prices ---- */

int64_t mw_step_least_ps(mw_space *space, const mw_step *step)
{
    const mw_costs *costs = space->costs;
    mw_volume first =
        mw_step_first(space->mesh, space->tensor, step, &space->meetings);
    return costs->step_ps(costs, space->mesh, MW_EXCHANGE, step->axes,
                          mw_dtype_size(space->tensor->dtype, first.received),
                          first.peers, NULL);
}

// No piece of a move is longer along any axis than either end's first block.
static int64_t piece_bytes(const mw_mesh *mesh, const mw_tensor *tensor,
                           const mw_layout *from, const mw_layout *to)
{
    static const int64_t first[MW_MAX_MESH];
    mw_block a[MW_MAX_RANK], b[MW_MAX_RANK];
    (void)mw_layout_box(mesh, from, tensor, first, a);
    (void)mw_layout_box(mesh, to, tensor, first, b);
    int64_t n = 1;
    for (int i = 0; i < tensor->rank; i++)
        n *= a[i].size < b[i].size ? a[i].size : b[i].size;
    return mw_dtype_size(tensor->dtype, n);
}

// A part of the flat block among so many, rounded up.
static int64_t part_bytes(int64_t block, int64_t size, int64_t parts)
{
    return mw_aligned(mw_ceil_div(block / size, parts) * size);
}

static int64_t reduce_stage(const mw_step *step, int64_t block, int64_t size,
                            int64_t members)
{
    if (step->way.algorithm == MW_HALVING)
        return members / 2 * part_bytes(block, size, members);
    if (step->way.algorithm == MW_HIERARCHICAL)
        return part_bytes(block, size, step->way.inner);
    return part_bytes(block, size, members);
}

static int64_t stage_bytes(const mw_mesh *mesh, const mw_tensor *tensor,
                           const mw_step *step)
{
    int64_t from = mw_layout_bytes(mesh, &step->from, tensor);
    int64_t to = mw_layout_bytes(mesh, &step->to, tensor);
    int64_t members = mw_mesh_group_size(mesh, step->axes);
    int64_t blocks = members > 2 ? 2 : 1;
    int64_t size = mw_dtype_bytes(tensor->dtype);
    if (step->kind == MW_ALL_GATHER)
        return (step->way.algorithm == MW_DIRECT ? 1 : blocks) *
               mw_aligned(from);
    if (step->kind == MW_REDUCE_SCATTER)
        return blocks * mw_aligned(to);
    if (step->kind == MW_ALL_REDUCE)
        return reduce_stage(step, from, size, members);
    if (step->kind == MW_ALL_TO_ALL || step->kind == MW_EXCHANGE)
        return 2 *
               mw_aligned(piece_bytes(mesh, tensor, &step->from, &step->to));
    return 0;
}

static bool is_local(mw_collective kind)
{
    return kind == MW_SLICE || kind == MW_MASK;
}

void mw_step_shape(const mw_mesh *mesh, const mw_tensor *tensor, mw_step *step)
{
    step->stage_bytes = stage_bytes(mesh, tensor, step);
}

static void price(const mw_mesh *mesh, const mw_costs *costs,
                  const mw_tensor *tensor, mw_meetings *known, mw_step *step)
{
    int64_t size = mw_dtype_bytes(tensor->dtype);
    bool local = is_local(step->kind), exchange = step->kind == MW_EXCHANGE;
    mw_volume most = {0, 0, 0};
    if (exchange)
        most = mw_step_most(mesh, tensor, step, known);
    step->time_ps = 0;
    if (costs) {
        int64_t bytes = local ? 0 : mw_layout_bytes(mesh, &step->from, tensor);
        int64_t peers = mw_mesh_group_size(mesh, step->axes) - 1;
        if (step->kind == MW_ALL_GATHER)
            bytes = mw_layout_bytes(mesh, &step->to, tensor);
        if (exchange) {
            bytes = most.received * size;
            peers = most.peers;
        }
        step->way = (mw_way){0};
        step->time_ps = costs->step_ps(costs, mesh, step->kind, step->axes,
                                       bytes, peers, &step->way);
    }
    if (!exchange)
        most = mw_step_most(mesh, tensor, step, known);
    step->bytes_sent = most.sent * size;
}

void mw_step_price(const mw_mesh *mesh, const mw_costs *costs,
                   const mw_tensor *tensor, mw_step *step)
{
    price(mesh, costs, tensor, NULL, step);
    mw_step_shape(mesh, tensor, step);
}

void mw_space_price(mw_space *space, mw_step *step)
{
    price(space->mesh, space->costs, space->tensor, &space->meetings, step);
}

void mw_path_sum(const mw_mesh *mesh, const mw_tensor *tensor, mw_step step[],
                 mw_path *path)
{
    path->step = step;
    path->time_ps = path->bytes_sent = path->scratch_bytes = 0;
    int64_t before = 0;
    for (int i = 0; i < path->n_steps; i++) {
        bool last = i == path->n_steps - 1;
        int64_t after =
            last ? 0 : mw_aligned(mw_layout_bytes(mesh, &step[i].to, tensor));
        int64_t need = before + after + step[i].stage_bytes;
        if (need > path->scratch_bytes)
            path->scratch_bytes = need;
        path->time_ps = mw_add_ps(path->time_ps, step[i].time_ps);
        path->bytes_sent += step[i].bytes_sent;
        before = after;
    }
    int64_t at = MW_AT_END, low = 0;
    for (int i = 0; i < path->n_steps; i++) {
        step[i].from_at = at;
        at = MW_AT_END;
        int64_t after = 0;
        if (i < path->n_steps - 1) {
            after = mw_aligned(mw_layout_bytes(mesh, &step[i].to, tensor));
            at = i % 2 ? path->scratch_bytes - after : 0;
        }
        if (i % 2 == 0)
            low = after;
        step[i].to_at = at;
        step[i].stage_at = low;
    }
}
