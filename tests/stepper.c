/* stepper.c - evaluates the graph, then moves what was updated. */
#include "tests/stepper.h"

#include <string.h>

#include "ir/eval.h"
#include "ir/number.h"
#include "ir/op.h"

mw_status stepper_open(mw_arena *arena, const mw_graph *graph, stepper *s)
{
    *s = (stepper){.arena = arena, .graph = graph};
    s->kept = MW_NEW_ARRAY(arena, graph->n_tensors, void *);
    if (!s->kept)
        return MW_ENOMEM;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        const void *bytes = NULL;
        if (tensor->producer != MW_NONE || tensor->role == MW_ROLE_CONST)
            continue;
        size_t size = (size_t)mw_tensor_bytes(tensor);
        s->kept[t] = mw_arena_alloc(arena, size + 8, 1);
        if (!s->kept[t])
            return MW_ENOMEM;
        MW_TRY(mw_data_bytes(arena, tensor, &bytes));
        if (bytes)
            memcpy(s->kept[t], bytes, size);
    }
    return MW_OK;
}

void *stepper_input(stepper *s, const char *name)
{
    mw_id t = mw_graph_find_tensor(s->graph, name);
    return t == MW_NONE ? NULL : s->kept[t];
}

static void keep_updates(stepper *s, const void *const value[])
{
    for (int k = 0; k < s->graph->n_ops; k++) {
        const mw_op *op = &s->graph->op[k];
        for (int i = 0; op->def->updates && i < op->n_out; i++) {
            mw_id out = op->out[i].tensor;
            const mw_tensor *tensor = &s->graph->tensor[out];
            memcpy(s->kept[tensor->root], value[out],
                   (size_t)mw_tensor_bytes(tensor));
        }
    }
}

static void read_loss(const stepper *s, const void *const value[], double *loss)
{
    for (mw_id t = 0; t < s->graph->n_tensors; t++) {
        mw_number x;
        if (!s->graph->tensor[t].output)
            continue;
        mw_numbers_load(s->graph->tensor[t].dtype, value[t], 0, 1, 1, &x);
        *loss = x.f;
    }
}

mw_status stepper_step(stepper *s, double *loss)
{
    mw_arena arena;
    mw_arena_init(&arena, s->arena->ctx);
    const void **value =
        MW_NEW_ARRAY(&arena, s->graph->n_tensors, const void *);
    mw_status status = value ? MW_OK : MW_ENOMEM;
    for (mw_id t = 0; status == MW_OK && t < s->graph->n_tensors; t++)
        value[t] = s->kept[t];
    if (status == MW_OK)
        status = mw_eval_graph(&arena, s->graph, value);
    if (status == MW_OK) {
        read_loss(s, value, loss);
        keep_updates(s, value);
    }
    mw_arena_free(&arena);
    return status;
}
