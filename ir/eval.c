/* eval.c - whole tensors through the reference kernels. */
#include "ir/eval.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "ir/number.h"

mw_view mw_view_whole(const mw_tensor *tensor, void *data)
{
    mw_view view = {.data = data, .dtype = tensor->dtype, .rank = tensor->rank};
    for (int a = 0; a < tensor->rank; a++)
        view.size[a] = view.whole[a] = tensor->axis[a].size;
    return view;
}

static mw_view view_of(const mw_graph *graph, const mw_operand *operand,
                       const void *data)
{
    mw_view view = mw_view_whole(&graph->tensor[operand->tensor], NULL);
    memcpy(&view.data, &data, sizeof data);
    return view;
}

static int64_t whole_room(const mw_graph *graph, const mw_op *op)
{
    int64_t extent[MW_MAX_LETTERS];
    for (int l = 0; l < op->n_letters; l++)
        extent[l] = op->letter[l].size;
    return op->def->workspace(graph, op, extent);
}

mw_status mw_eval_op(const mw_graph *graph, const mw_op *op,
                     const void *const in[], void *const out[])
{
    size_t count = (size_t)op->n_in + (size_t)op->n_out;
    mw_view *view = mw_mem_alloc(graph->ctx, count, sizeof *view);
    if (!view)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        view[i] = view_of(graph, &op->in[i], in[i]);
    for (int i = 0; i < op->n_out; i++)
        view[op->n_in + i] = view_of(graph, &op->out[i], out[i]);
    void *room = NULL;
    if (op->def->ref_room)
        room = mw_mem_alloc(graph->ctx, (size_t)whole_room(graph, op) + 1, 1);
    if (room || !op->def->ref_room)
        mw_op_ref(op, view, view + op->n_in, room);
    mw_status status = room || !op->def->ref_room ? MW_OK : MW_ENOMEM;
    mw_mem_free(room);
    mw_mem_free(view);
    return status;
}

static mw_status fill(mw_arena *arena, const mw_tensor *tensor,
                      const void **bytes)
{
    int64_t n = mw_tensor_elements(tensor);
    void *made =
        mw_arena_alloc(arena, (size_t)n, (size_t)mw_dtype_bytes(tensor->dtype));
    if (!made)
        return MW_ENOMEM;
    mw_number value = mw_number_cast((mw_number){.f = tensor->data.fill},
                                     MW_F64, tensor->dtype);
    for (int64_t i = 0; i < n; i++)
        mw_numbers_store(tensor->dtype, made, i, 1, 1, &value);
    *bytes = made;
    return MW_OK;
}

static mw_status read_file(mw_arena *arena, const mw_tensor *tensor,
                           const void **bytes)
{
    int64_t wanted = mw_tensor_bytes(tensor), offset = tensor->data.offset;
    mw_map_file map;
    MW_TRY(mw_map_file_open(arena->ctx, tensor->data.path, &map));
    mw_status status = MW_OK;
    if (offset < 0 || (size_t)offset > map.size ||
        (size_t)wanted > map.size - (size_t)offset) {
        status = mw_fail(arena->ctx, MW_EINPUT,
                         "tensor '%s': '%s' has %zu bytes, wanted %lld from "
                         "%lld",
                         tensor->name, tensor->data.path, map.size,
                         (long long)wanted, (long long)offset);
        goto done;
    }
    void *copy = mw_arena_alloc(arena, (size_t)wanted, 1);
    if (!copy) {
        status = MW_ENOMEM;
        goto done;
    }
    if (wanted)
        memcpy(copy, map.bytes + offset, (size_t)wanted);
    *bytes = copy;
done:
    mw_map_file_close(&map);
    return status;
}

// What lies unaligned in a mapped file is copied: kernels read whole elements.
static mw_status in_memory(mw_arena *arena, const mw_tensor *tensor,
                           const void **bytes)
{
    size_t width = (size_t)mw_dtype_bytes(tensor->dtype);
    size_t size = (size_t)mw_tensor_bytes(tensor);
    *bytes = tensor->data.bytes;
    if ((uintptr_t)tensor->data.bytes % width == 0 || size == 0)
        return MW_OK;
    void *copy = mw_arena_alloc(arena, size, 1);
    if (!copy)
        return MW_ENOMEM;
    memcpy(copy, tensor->data.bytes, size);
    *bytes = copy;
    return MW_OK;
}

mw_status mw_data_bytes(mw_arena *arena, const mw_tensor *tensor,
                        const void **bytes)
{
    switch (tensor->data.kind) {
    case MW_DATA_MEMORY:
        return in_memory(arena, tensor, bytes);
    case MW_DATA_FILL:
        return fill(arena, tensor, bytes);
    case MW_DATA_FILE:
        return read_file(arena, tensor, bytes);
    case MW_DATA_NONE:
    case MW_DATA_NORMAL:
    case MW_DATA_LIKE:
        break;
    }
    *bytes = NULL;
    return MW_OK;
}

mw_status mw_eval_step(mw_arena *arena, const mw_graph *graph, const mw_op *op,
                       const void *value[])
{
    const void **in = MW_NEW_ARRAY(arena, op->n_in, const void *);
    void **out = MW_NEW_ARRAY(arena, op->n_out, void *);
    if (!in || !out)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        in[i] = value[op->in[i].tensor];
    for (int i = 0; i < op->n_out; i++) {
        mw_id id = op->out[i].tensor;
        out[i] = mw_arena_alloc(arena,
                                (size_t)mw_tensor_bytes(&graph->tensor[id]), 1);
        if (!out[i])
            return MW_ENOMEM;
        value[id] = out[i];
    }
    return mw_eval_op(graph, op, in, out);
}

mw_status mw_eval_stored(mw_arena *arena, const mw_graph *graph,
                         const void *value[])
{
    for (mw_id id = 0; id < graph->n_tensors; id++) {
        const mw_tensor *tensor = &graph->tensor[id];
        if (tensor->producer != MW_NONE || value[id])
            continue;
        MW_TRY(mw_data_bytes(arena, tensor, &value[id]));
        if (!value[id])
            return mw_fail(graph->ctx, MW_EINPUT, "tensor '%s' has no values",
                           tensor->name);
    }
    return MW_OK;
}

mw_status mw_eval_graph(mw_arena *arena, const mw_graph *graph,
                        const void *value[])
{
    MW_TRY(mw_eval_stored(arena, graph, value));
    for (int i = 0; i < graph->n_ops; i++)
        MW_TRY(mw_eval_step(arena, graph, &graph->op[i], value));
    return MW_OK;
}
