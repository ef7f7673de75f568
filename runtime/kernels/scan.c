/* scan.c - the loop of `scan` with the fast kernels for the body's ops. */
#include "ir/scan.h"

#include "runtime/kernel.h"

static void inner(const void *arg, const mw_op *op, const mw_view in[],
                  mw_view out[], void *room, int64_t room_bytes)
{
    const int *threads = arg;
    const mw_kernel_call call = {.op = op,
                                 .in = in,
                                 .out = out,
                                 .workspace = room,
                                 .workspace_bytes = room_bytes,
                                 .threads = *threads};
    mw_kernel_run(mw_kernel_find(op->def->name, mw_kernel_dtype(op, in, out)),
                  &call);
}

static bool scan(const mw_kernel_call *call)
{
    mw_scan_run(&(mw_scan_call){.op = call->op,
                                .in = call->in,
                                .out = call->out,
                                .room = call->workspace,
                                .kernel = inner,
                                .arg = &call->threads});
    return true;
}

static const mw_kernel_row rows[] = {{"scan", MW_KERNEL_ANY, scan}, {0}};

const mw_kernel_def mw_kernel_scan = {
    .name = "scan",
    .brief = "bodies run step by step, each op by its own kernel",
    .rows = rows,
};
