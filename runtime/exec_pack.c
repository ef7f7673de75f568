/* exec_pack.c - finds the weights, and moves them through room of their size.
 */
#include "runtime/exec_pack.h"

#include <string.h>

#include "base/mem.h"

static bool updates_anything(const mw_graph *graph)
{
    for (int k = 0; k < graph->n_ops; k++)
        if (graph->op[k].def->updates)
            return true;
    return false;
}

// How many operands there are of the tensor, or of one that shares its buffer.
static int uses_of(const mw_graph *graph, mw_id tensor)
{
    int n = 0;
    for (int k = 0; k < graph->n_ops; k++)
        for (int i = 0; i < graph->op[k].n_in; i++)
            n += graph->tensor[graph->op[k].in[i].tensor].root == tensor;
    return n;
}

static bool is_home(const mw_exec *exec, mw_id tensor, const void *data)
{
    return data == exec->buffer + exec->plan->home[tensor].offset;
}

// The step's input is read by it alone, in its home, and stays as it is.
static bool is_own(const mw_exec *exec, const mw_exec_step *step, int input)
{
    const mw_graph *graph = exec->plan->graph;
    mw_id id = step->call.op->in[input].tensor;
    const mw_tensor *tensor = &graph->tensor[id];
    return tensor->root == id && !tensor->output &&
           (tensor->role == MW_ROLE_PARAM || tensor->role == MW_ROLE_CONST) &&
           is_home(exec, id, step->call.in[input].data) &&
           uses_of(graph, id) == 1;
}

static mw_status pack_step(mw_exec *exec, mw_exec_step *step,
                           const mw_kernel_packing *packing)
{
    const mw_view *view = &step->call.in[packing->input];
    int64_t bytes = mw_dtype_bytes(view->dtype);
    for (int a = 0; a < view->rank; a++)
        bytes *= view->size[a];
    if (bytes == 0)
        return MW_OK;
    void *room = mw_mem_alloc(exec->ctx, 1, (size_t)bytes);
    if (!room)
        return MW_ENOMEM;
    if (packing->fn(&step->call, room)) {
        memcpy(view->data, room, (size_t)bytes);
        step->call.packed |= 1U << packing->input;
    }
    mw_mem_free(room);
    return MW_OK;
}

mw_status mw_exec_pack(mw_exec *exec)
{
    if (updates_anything(exec->plan->graph))
        return MW_OK;
    for (int64_t i = 0; i < exec->n_steps; i++) {
        mw_exec_step *step = &exec->step[i];
        if (step->move)
            continue;
        const mw_kernel_call *call = &step->call;
        step->call.packed = 0;
        const mw_kernel_packing *packing = mw_kernel_find_packing(
            call->op->def->name,
            mw_kernel_dtype(call->op, call->in, call->out));
        if (packing && is_own(exec, step, packing->input))
            MW_TRY(pack_step(exec, step, packing));
    }
    return MW_OK;
}
