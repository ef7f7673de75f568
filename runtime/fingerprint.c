/* fingerprint.c - one line of all that measured figures depend on. */
#include "runtime/fingerprint.h"

#include <hwloc.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/kernel.h"
#include "runtime/mpi/library.h"

static mw_status add_hardware(mw_ctx *ctx, mw_text *text)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return mw_fail(ctx, MW_ERUN, "hwloc cannot describe this machine");
    mw_status status = MW_OK;
    if (hwloc_topology_load(topology) != 0)
        status = mw_fail(ctx, MW_ERUN, "hwloc cannot describe this machine");
    if (status == MW_OK) {
        hwloc_obj_t package =
            hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
        const char *model = NULL;
        if (package)
            model = hwloc_obj_get_info_by_name(package, "CPUModel");
        long long bytes =
            (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
        mw_text_format(
            text, "%s, %d cores, %lld GiB", model ? model : "unknown processor",
            hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE), bytes >> 30);
    }
    hwloc_topology_destroy(topology);
    return status;
}

static mw_status add_software(mw_arena *arena, mw_text *text)
{
    char *mpi = mw_mpi_library(arena);
    if (!mpi)
        return MW_ENOMEM;
    mw_text_format(text, "; %s", mpi);
    for (int i = 0; i < mw_kernel_count; i++)
        if (mw_kernel_table[i]->library)
            mw_text_format(text, "; %s", mw_kernel_table[i]->library());
    mw_text_format(text, "; kernels %d, measuring %d", MW_KERNELS_VERSION,
                   MW_MEASURE_VERSION);
    return mw_text_status(text);
}

mw_status mw_fingerprint(mw_ctx *ctx, mw_arena *arena, char **fingerprint)
{
    mw_text text;
    mw_text_init(&text, ctx);
    mw_status status = add_hardware(ctx, &text);
    if (status == MW_OK)
        status = add_software(arena, &text);
    char *copy = NULL;
    if (status == MW_OK) {
        copy = mw_arena_text(arena, text.data);
        status = copy ? MW_OK : MW_ENOMEM;
    }
    mw_text_free(&text);
    if (status == MW_OK)
        *fingerprint = copy;
    return status;
}
