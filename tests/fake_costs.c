/* fake_costs.c - alpha-beta over the slowest axis of a group. */
#include "tests/fake_costs.h"

fake_machine fake_machine_of(int kind)
{
    fake_machine machine = {.point_ps = 700};
    for (int a = 0; a < MW_MAX_MESH; a++) {
        int64_t slow = (int64_t)1 << (MW_MAX_MESH - a);
        machine.latency_ps[a] = kind == 1 ? 10 : 1000 * slow;
        machine.byte_ps[a] = kind == 0 ? 1 : 100 * slow;
    }
    return machine;
}

static int64_t op_ps(const mw_costs *costs, const mw_graph *graph,
                     const mw_op *op, const int64_t extent[MW_MAX_LETTERS],
                     mw_source *source)
{
    const fake_machine *machine = costs->state;
    (void)graph;
    int64_t points = 1;
    for (int l = 0; l < op->n_letters; l++)
        points *= extent[l];
    *source = MW_SOURCE_MACHINE;
    return 1000 + points * machine->point_ps;
}

static int64_t step_ps(const mw_costs *costs, const mw_mesh *mesh,
                       mw_collective kind, uint32_t axes, int64_t bytes,
                       int64_t peers, mw_way *way)
{
    const fake_machine *machine = costs->state;
    (void)way;
    int64_t latency = 0, byte = 0, p = mw_mesh_group_size(mesh, axes);
    for (int a = 0; a < mesh->n_axes; a++) {
        if (!(axes >> a & 1U))
            continue;
        if (machine->latency_ps[a] > latency)
            latency = machine->latency_ps[a];
        if (machine->byte_ps[a] > byte)
            byte = machine->byte_ps[a];
    }
    if (kind == MW_SLICE || kind == MW_MASK)
        return 0;
    if (kind == MW_EXCHANGE)
        return peers * latency + bytes * byte;
    int64_t times = kind == MW_ALL_REDUCE ? 2 : 1;
    return times * ((p - 1) * latency + bytes * (p - 1) / p * byte);
}

mw_costs fake_costs(const fake_machine *machine)
{
    return (mw_costs){.state = machine, .op_ps = op_ps, .step_ps = step_ps};
}
