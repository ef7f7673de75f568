/* costs.c - roofline for local work, latency and bandwidth for collectives. */
#include <math.h>

#include "profiles/machine.h"
#include "profiles/measured.h"

static const double PS = 1e12;

/* Rounds up, so that no work takes no time; saturates far below overflow. */
static int64_t to_ps(double seconds)
{
    const double cap = 1e17; /* about a day */
    double ps = ceil(seconds * PS);
    return ps < cap ? (int64_t)ps : (int64_t)cap;
}

/* Elements of an operand's block: the product of its letters' extents. */
static double block_elements(const mw_graph *graph, const mw_operand *operand,
                             const int64_t extent[])
{
    double n = 1;
    const mw_tensor *tensor = &graph->tensor[operand->tensor];
    for (int i = 0; i < tensor->rank; i++)
        if (operand->letter[i] != MW_NONE)
            n *= (double)extent[operand->letter[i]];
    return n;
}

double mw_op_block_bytes(const mw_graph *graph, const mw_op *op,
                         const int64_t extent[MW_MAX_LETTERS])
{
    double bytes = 0;
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        const mw_operand *operand =
            i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
        mw_dtype dtype = graph->tensor[operand->tensor].dtype;
        bytes += block_elements(graph, operand, extent) *
                 (double)mw_dtype_bits(dtype) / 8;
    }
    return bytes;
}

static int64_t op_ps(const mw_costs *costs, const mw_graph *graph,
                     const mw_op *op, const int64_t extent[MW_MAX_LETTERS],
                     mw_source *source)
{
    const mw_machine *machine = costs->state;
    double seconds;
    if (machine->measured &&
        mw_measured_op(machine->measured, graph, op, extent, &seconds, source))
        return to_ps(seconds);
    *source = MW_SOURCE_MACHINE;
    double rate = machine->flops_per_s[MW_F32];
    if (op->n_out) {
        mw_dtype dtype = graph->tensor[op->out[0].tensor].dtype;
        if (machine->flops_per_s[dtype] > 0)
            rate = machine->flops_per_s[dtype];
    }
    double compute = mw_op_flops_at(graph, op, extent) / rate;
    double memory =
        mw_op_block_bytes(graph, op, extent) / machine->memory_bytes_per_s;
    return to_ps(machine->op_overhead_s + fmax(compute, memory));
}

/* The number of the innermost level that holds groups of consecutive ranks as
 * long as one group along these axes spans. */
static int level_of(const mw_machine *machine, const mw_mesh *mesh,
                    uint32_t axes)
{
    int64_t span = 1, stride = 1;
    for (int a = mesh->n_axes - 1; a >= 0; a--) {
        if (axes >> a & 1 && mesh->axis[a].size > 1)
            span = stride * mesh->axis[a].size;
        stride *= mesh->axis[a].size;
    }
    int64_t held = 1;
    for (int l = 0; l < machine->n_levels; l++) {
        if (machine->level[l].count == 0)
            return l;
        held *= machine->level[l].count;
        if (span <= held)
            return l;
    }
    return machine->n_levels - 1;
}

int64_t mw_machine_inner(const mw_machine *machine, const mw_mesh *mesh,
                         uint32_t axes)
{
    int level = level_of(machine, mesh, axes);
    int64_t held = 1, stride, ranks;
    for (int l = 0; l < level; l++)
        held *= machine->level[l].count;
    mw_group_of(mesh, axes, &ranks, &stride);
    /* members whose ranks lie within `held` that start at a multiple of it */
    int64_t inner = held / stride;
    int a = mesh->n_axes - 1;
    while (a > 0 && !(axes >> a & 1 && mesh->axis[a].size > 1))
        a--;
    bool one_axis = mw_mesh_group_size(mesh, 1U << a) == ranks;
    return one_axis && held % stride == 0 && inner > 1 && inner < ranks &&
                   ranks % inner == 0 && inner <= UINT16_MAX
               ? inner
               : 1;
}

double mw_collective_time_s(mw_collective kind, int64_t ranks, int64_t bytes,
                            int64_t peers, double latency_s, double bytes_per_s)
{
    double p = (double)ranks, n = (double)bytes;
    double share = n * (p - 1) / p / bytes_per_s;
    switch (kind) {
    case MW_ALL_REDUCE:
        return 2 * (p - 1) * latency_s + 2 * share;
    case MW_ALL_GATHER:
    case MW_REDUCE_SCATTER:
    case MW_ALL_TO_ALL:
        return (p - 1) * latency_s + share;
    case MW_EXCHANGE:
        return (double)peers * latency_s + n / bytes_per_s;
    case MW_SLICE:
    case MW_MASK:
    case MW_N_COLLECTIVES:
        break;
    }
    return 0;
}

static double halving_s(int64_t ranks, int64_t bytes,
                        const mw_machine_level *link)
{
    double p = (double)ranks, share = (double)bytes * (p - 1) / p;
    return 2 * (log2(p) * link->latency_s + share / link->bytes_per_s);
}

static double hierarchical_s(const mw_machine *machine, int level,
                             int64_t ranks, int64_t inner, int64_t bytes)
{
    const mw_machine_level *in = &machine->level[level - 1];
    const mw_machine_level *out = &machine->level[level];
    double share = (double)bytes * (double)(inner - 1) / (double)inner;
    double latencies = in->ways >> MW_DIRECT & 1 ? 1 : (double)(inner - 1);
    double within = latencies * in->latency_s + share / in->bytes_per_s;
    return 2 * within + mw_collective_time_s(MW_ALL_REDUCE, ranks / inner,
                                             bytes / inner, 0, out->latency_s,
                                             out->bytes_per_s);
}

/* By latency and bandwidth; in *way the cheapest that the level names. */
static double formula_s(const mw_machine *machine, const mw_move_size *q,
                        mw_way *way)
{
    int level = level_of(machine, q->mesh, q->axes);
    const mw_machine_level *link = &machine->level[level];
    int64_t ranks = mw_mesh_group_size(q->mesh, q->axes);
    double best = mw_collective_time_s(q->kind, ranks, q->bytes, q->peers,
                                       link->latency_s, link->bytes_per_s);
    int64_t inner = 1;
    if (link->ways >> MW_HIERARCHICAL & 1 && level > 0)
        inner = mw_machine_inner(machine, q->mesh, q->axes);
    *way = (mw_way){0};
    for (int a = MW_USUAL + 1; a < MW_N_ALGORITHMS; a++) {
        const mw_way other = {(uint8_t)a,
                              a == MW_HIERARCHICAL ? (uint16_t)inner : 0};
        if (!(link->ways >> a & 1) || mw_way_refusal(q->kind, other, ranks))
            continue;
        double seconds = 0;
        if (a == MW_DIRECT)
            seconds = link->latency_s +
                      mw_collective_time_s(q->kind, ranks, q->bytes, q->peers,
                                           0, link->bytes_per_s);
        else if (a == MW_HALVING)
            seconds = halving_s(ranks, q->bytes, link);
        else
            seconds = hierarchical_s(machine, level, ranks, inner, q->bytes);
        if (seconds > best)
            continue;
        best = seconds;
        *way = other;
    }
    return best;
}

static int64_t step_ps(const mw_costs *costs, const mw_mesh *mesh,
                       mw_collective kind, uint32_t axes, int64_t bytes,
                       int64_t peers, mw_way *way)
{
    const mw_machine *machine = costs->state;
    mw_way cheapest = {0};
    double seconds;
    if (mw_mesh_group_size(mesh, axes) <= 1 || kind == MW_SLICE ||
        kind == MW_MASK)
        return 0;
    const mw_move_size q = {mesh, kind, axes, bytes, peers};
    if (!machine->measured ||
        !mw_measured_step(machine->measured, &q, &seconds, &cheapest))
        seconds = formula_s(machine, &q, &cheapest);
    if (way)
        *way = cheapest;
    return to_ps(seconds);
}

mw_costs mw_machine_costs(const mw_machine *machine)
{
    return (mw_costs){.state = machine, .op_ps = op_ps, .step_ps = step_ps};
}
