/* life.c - first and last steps of homes, in one walk over the schedule. */
#include "ir/life.h"

#include "ir/op.h"

static void begin_lives(const mw_graph *graph, mw_life life[])
{
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (tensor->root != t) {
            life[t] = (mw_life){0, 0};
            continue;
        }
        bool always =
            mw_role_persists(tensor->role) || tensor->role == MW_ROLE_CONST;
        int32_t begin = tensor->producer == MW_NONE ? 0 : tensor->producer;
        int32_t end =
            always || begin + 1 > graph->n_ops ? graph->n_ops : begin + 1;
        life[t] = (mw_life){begin, end};
    }
}

void mw_lives(const mw_graph *graph, mw_life life[])
{
    begin_lives(graph, life);
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        if (op->def->view)
            continue;
        for (int i = 0; i < op->n_in; i++) {
            mw_life *used = &life[graph->tensor[op->in[i].tensor].root];
            if (used->end < k + 1)
                used->end = k + 1;
        }
    }
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        if (graph->tensor[t].output)
            life[graph->tensor[t].root].end = graph->n_ops;
    }
}
