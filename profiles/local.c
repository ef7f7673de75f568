/* local.c - this machine, described from hwloc and the processor's flags. */
#include "profiles/local.h"

#include <hwloc.h>
#include <string.h>
#include <unistd.h>

static int float_lanes(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        return 16;
    if (__builtin_cpu_supports("avx2"))
        return 8;
#endif
    return 4;
}

static const char *processor_name(hwloc_topology_t topology)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *name = NULL;
    if (package)
        name = hwloc_obj_get_info_by_name(package, "CPUModel");
    return name ? name : "processor of unknown model";
}

/* Two FMA units of `lanes` floats at 2.5 GHz; memory at 10 GB/s a core; shared
 * memory between ranks at half of that, since a byte is read and written. */
static mw_status describe(mw_arena *arena, const char *model, int cores,
                          mw_machine *machine)
{
    const double clock_hz = 2.5e9, memory_bytes_per_s = 10e9;
    double flops = 2.0 * 2.0 * float_lanes() * clock_hz;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    mw_machine made = {
        .name = "this",
        .brief =
            mw_arena_format(arena, "this machine: %d cores, %s", cores, model),
        .source = "hwloc, the processor's vector width, and round figures for "
                  "clock and memory; `meshwright profile` measures the true "
                  "ones",
        .memory_bytes_per_s = memory_bytes_per_s,
        .memory_bytes = (int64_t)pages * page / cores,
        .op_overhead_s = 2e-6,
        .n_levels = 1,
        .level = {{"host", 0, 5e-6, memory_bytes_per_s / 2, 1U << MW_DIRECT}}};
    made.flops_per_s[MW_F32] = flops;
    made.flops_per_s[MW_F64] = flops / 2;
    if (!made.brief)
        return MW_ENOMEM;
    *machine = made;
    return MW_OK;
}

mw_status mw_machine_local(mw_ctx *ctx, mw_arena *arena, mw_machine *machine)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return mw_fail(ctx, MW_ERUN, "hwloc cannot describe this machine");
    mw_status status;
    if (hwloc_topology_load(topology) != 0) {
        status = mw_fail(ctx, MW_ERUN, "hwloc cannot describe this machine");
    } else {
        int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
        char *model = mw_arena_text(arena, processor_name(topology));
        status = model ? describe(arena, model, cores > 0 ? cores : 1, machine)
                       : MW_ENOMEM;
    }
    hwloc_topology_destroy(topology);
    return status;
}
