/* quiet.c - the states' homes are written by each rank for itself. */
#include "runtime/quiet.h"

#include <string.h>

#include "ir/op.h"

mw_status mw_quiet_find(mw_arena *arena, const mw_graph *graph, mw_quiet *quiet)
{
    bool *known = MW_NEW_ARRAY(arena, graph->n_tensors, bool);
    mw_quiet made = {
        .state = MW_NEW_ARRAY(arena, graph->n_tensors, mw_id),
        .step = MW_NEW_ARRAY(arena, graph->n_tensors, int64_t),
    };
    if (!known || !made.state || !made.step)
        return MW_ENOMEM;
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        if (strcmp(op->def->family, "random") != 0)
            continue;
        mw_id root = graph->tensor[op->in[0].tensor].root;
        if (graph->tensor[root].role != MW_ROLE_STATE || known[root])
            continue;
        known[root] = true;
        made.state[made.n++] = root;
    }
    *quiet = made;
    return MW_OK;
}

// The step, a single i64 that every rank has.
static int64_t *step_of(mw_exec *exec, mw_id state)
{
    mw_box box;
    char *block;
    mw_exec_home(exec, state, &box, &block);
    return (int64_t *)(void *)block;
}

void mw_quiet_begin(mw_exec *exec, mw_quiet *quiet)
{
    for (int i = 0; i < quiet->n; i++) {
        int64_t *step = step_of(exec, quiet->state[i]);
        quiet->step[i] = *step;
        *step = -1;
    }
}

void mw_quiet_end(mw_exec *exec, const mw_quiet *quiet)
{
    for (int i = 0; i < quiet->n; i++)
        *step_of(exec, quiet->state[i]) = quiet->step[i];
}
