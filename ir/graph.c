/* graph.c - dimensions and tensors of a graph, and what ops say of them. */
#include "ir/graph.h"

#include <string.h>

#include "base/checked.h"
#include "ir/op.h"

bool mw_role_persists(mw_role role)
{
    return role == MW_ROLE_PARAM || role == MW_ROLE_STATE;
}

static mw_id find(const mw_map *names, const char *name)
{
    const int64_t *id = mw_map_find_text(names, name);
    return id ? (mw_id)*id : MW_NONE;
}

static mw_status copy_text(mw_graph *graph, const char **text)
{
    if (!*text)
        return MW_OK;
    *text = mw_arena_text(graph->arena, *text);
    return *text ? MW_OK : MW_ENOMEM;
}

mw_status mw_graph_init(mw_graph *graph, mw_arena *arena, const char *name)
{
    *graph = (mw_graph){.arena = arena, .ctx = arena->ctx, .name = name};
    mw_map_init(&graph->dim_names, arena);
    mw_map_init(&graph->tensor_names, arena);
    return copy_text(graph, &graph->name);
}

mw_status mw_graph_dim(mw_graph *graph, const mw_dim *dim, mw_id *id)
{
    if (!dim->name || !dim->name[0])
        return mw_fail(graph->ctx, MW_EINPUT, "a dim of size %lld has no name",
                       (long long)dim->size);
    if (dim->size < 0)
        return mw_fail(graph->ctx, MW_EINPUT,
                       "dim '%s': size is %lld, wanted at least 0", dim->name,
                       (long long)dim->size);
    if (find(&graph->dim_names, dim->name) != MW_NONE)
        return mw_fail(graph->ctx, MW_EINPUT, "dim '%s' is there twice",
                       dim->name);
    if (graph->n_dims == MW_MAX_DIMS)
        return mw_fail(graph->ctx, MW_EINPUT,
                       "dim '%s' is one too many, at "
                       "most %d are possible",
                       dim->name, MW_MAX_DIMS);
    mw_dim copy = *dim;
    MW_TRY(copy_text(graph, &copy.name));
    MW_TRY(copy_text(graph, &copy.how));
    MW_TRY(copy_text(graph, &copy.synonym));
    mw_dim *grown = mw_arena_reserve(graph->arena, graph->dim, graph->n_dims,
                                     &graph->cap_dims, sizeof *grown);
    if (!grown)
        return MW_ENOMEM;
    graph->dim = grown;
    MW_TRY(mw_map_put_text(&graph->dim_names, copy.name, graph->n_dims));
    graph->dim[graph->n_dims] = copy;
    *id = graph->n_dims++;
    return MW_OK;
}

// Sizes are those of the dimensions, and neither elements nor bytes overflow,
// zero sizes left aside.
static mw_status check_sizes(mw_graph *graph, const mw_tensor *tensor)
{
    int64_t total = mw_dtype_bytes(tensor->dtype); // no less than packed
    for (int i = 0; i < tensor->rank; i++) {
        int64_t size = tensor->axis[i].size;
        mw_id dim = tensor->axis[i].dim;
        if (size < 0)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "tensor '%s': axis %d is %lld, wanted at least 0",
                           tensor->name, i, (long long)size);
        if (dim < MW_NONE || dim >= graph->n_dims)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "tensor '%s': axis %d is dim %d of %d", tensor->name,
                           i, dim, graph->n_dims);
        if (dim != MW_NONE && graph->dim[dim].size != size)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "tensor '%s': axis %d is %lld where '%s' is %lld",
                           tensor->name, i, (long long)size,
                           graph->dim[dim].name,
                           (long long)graph->dim[dim].size);
        for (int k = 0; dim != MW_NONE && k < i; k++) {
            if (tensor->axis[k].dim == dim)
                return mw_fail(graph->ctx, MW_EINPUT,
                               "dim '%s' twice in '%s': rename one",
                               graph->dim[dim].name, tensor->name);
        }
        if (size > 0 && !mw_mul_fits(total, size, &total))
            return mw_fail(graph->ctx, MW_EINPUT,
                           "tensor '%s': its bytes overflow 63 bits",
                           tensor->name);
    }
    return MW_OK;
}

static mw_status check_file_axes(mw_graph *graph, const mw_tensor *tensor)
{
    if (tensor->file_rank < 0 || tensor->file_rank > MW_MAX_FILE_RANK)
        return mw_fail(graph->ctx, MW_EINPUT,
                       "tensor '%s': %d axes, at most %d are possible",
                       tensor->name, tensor->file_rank, MW_MAX_FILE_RANK);
    int n = 0;
    for (int i = 0; i < tensor->file_rank; i++)
        n += tensor->file_axis[i];
    if (tensor->file_rank > 0 && n != tensor->rank)
        return mw_fail(graph->ctx, MW_EINPUT,
                       "tensor '%s': its file's axes hold %d dims, wanted %d",
                       tensor->name, n, tensor->rank);
    return MW_OK;
}

static mw_status copy_tensor(mw_graph *graph, mw_tensor *copy)
{
    MW_TRY(copy_text(graph, &copy->name));
    MW_TRY(copy_text(graph, &copy->data.path));
    for (int i = 0; i < copy->rank; i++)
        MW_TRY(copy_text(graph, &copy->axis[i].symbol));
    if (graph->named && copy->file_rank == 0) {
        copy->file_rank = copy->rank;
        for (int i = 0; i < copy->rank; i++)
            copy->file_axis[i] = 1;
    }
    copy->producer = MW_NONE;
    copy->root = graph->n_tensors;
    return MW_OK;
}

mw_status mw_graph_tensor(mw_graph *graph, const mw_tensor *tensor, mw_id *id)
{
    if (!tensor->name || !tensor->name[0])
        return mw_fail(graph->ctx, MW_EINPUT, "a tensor of rank %d has no name",
                       tensor->rank);
    if (find(&graph->tensor_names, tensor->name) != MW_NONE)
        return mw_fail(graph->ctx, MW_EINPUT, "tensor '%s' is there twice",
                       tensor->name);
    if (tensor->rank < 0 || tensor->rank > MW_MAX_RANK)
        return mw_fail(graph->ctx, MW_EINPUT,
                       "tensor '%s': %d dims, at most %d are possible",
                       tensor->name, tensor->rank, MW_MAX_RANK);
    MW_TRY(check_sizes(graph, tensor));
    MW_TRY(check_file_axes(graph, tensor));
    mw_tensor copy = *tensor;
    MW_TRY(copy_tensor(graph, &copy));
    mw_tensor *grown =
        mw_arena_reserve(graph->arena, graph->tensor, graph->n_tensors,
                         &graph->cap_tensors, sizeof *grown);
    if (!grown)
        return MW_ENOMEM;
    graph->tensor = grown;
    MW_TRY(mw_map_put_text(&graph->tensor_names, copy.name, graph->n_tensors));
    graph->tensor[graph->n_tensors] = copy;
    *id = graph->n_tensors++;
    return MW_OK;
}

mw_id mw_graph_find_tensor(const mw_graph *graph, const char *name)
{
    return find(&graph->tensor_names, name);
}

mw_id mw_graph_find_dim(const mw_graph *graph, const char *name)
{
    return find(&graph->dim_names, name);
}

bool mw_tensor_is_weight(const mw_tensor *tensor)
{
    return tensor->role == MW_ROLE_PARAM || tensor->weight;
}

int64_t mw_tensor_elements(const mw_tensor *tensor)
{
    int64_t total = 1;
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->axis[i].size == 0)
            return 0;
        total *= tensor->axis[i].size;
    }
    return total;
}

int64_t mw_tensor_bytes(const mw_tensor *tensor)
{
    return mw_dtype_size(tensor->dtype, mw_tensor_elements(tensor));
}

int mw_tensor_file_shape(const mw_tensor *tensor, int64_t size[])
{
    if (tensor->file_rank == 0) {
        for (int i = 0; i < tensor->rank; i++)
            size[i] = tensor->axis[i].size;
        return tensor->rank;
    }
    const mw_axis *axis = tensor->axis;
    for (int i = 0; i < tensor->file_rank; i++) {
        size[i] = 1;
        for (int k = 0; k < tensor->file_axis[i]; k++, axis++) {
            if (size[i] > 0 || axis->size == 0)
                size[i] = axis->size == 0 ? 0 : size[i] * axis->size;
        }
    }
    return tensor->file_rank;
}

static void meet(mw_graph *graph, mw_id a, mw_id b)
{
    if (a == MW_NONE || b == MW_NONE || a == b)
        return;
    size_t n = (size_t)graph->n_dims;
    graph->interferes[(size_t)a * n + (size_t)b] = 1;
    graph->interferes[(size_t)b * n + (size_t)a] = 1;
}

mw_status mw_graph_interference(mw_graph *graph)
{
    graph->interferes = mw_arena_alloc(graph->arena, (size_t)graph->n_dims,
                                       (size_t)graph->n_dims);
    if (!graph->interferes)
        return MW_ENOMEM;
    for (mw_id id = 0; id < graph->n_tensors; id++) {
        const mw_tensor *tensor = &graph->tensor[id];
        for (int a = 0; a < tensor->rank; a++) {
            for (int b = 0; b < a; b++)
                meet(graph, tensor->axis[a].dim, tensor->axis[b].dim);
        }
    }
    for (int k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        for (int a = 0; a < op->n_letters; a++) {
            for (int b = 0; b < a; b++)
                meet(graph, op->letter[a].dim, op->letter[b].dim);
        }
    }
    return MW_OK;
}

int mw_operand_axis(const mw_operand *operand, int letter)
{
    for (int a = 0; a < MW_MAX_RANK; a++)
        if (operand->letter[a] == letter)
            return a;
    return MW_NONE;
}

const mw_attr *mw_op_attr(const mw_op *op, const char *name)
{
    for (int i = 0; i < op->n_attr; i++) {
        if (strcmp(op->attr[i].name, name) == 0)
            return &op->attr[i];
    }
    return NULL;
}

int64_t mw_op_attr_int(const mw_op *op, const char *name, int64_t otherwise)
{
    const mw_attr *attr = mw_op_attr(op, name);
    return attr && attr->n > 0 ? attr->i[0] : otherwise;
}

double mw_op_attr_float(const mw_op *op, const char *name, double otherwise)
{
    const mw_attr *attr = mw_op_attr(op, name);
    return attr ? attr->f : otherwise;
}

bool mw_op_letter_in_output(const mw_op *op, int letter)
{
    for (int i = 0; i < op->n_out; i++) {
        for (int a = 0; a < MW_MAX_RANK; a++) {
            if (op->out[i].letter[a] == letter)
                return true;
        }
    }
    return false;
}

double mw_op_flops(const mw_graph *graph, const mw_op *op)
{
    int64_t extent[MW_MAX_LETTERS];
    for (int i = 0; i < op->n_letters; i++)
        extent[i] = op->letter[i].size;
    return mw_op_flops_at(graph, op, extent);
}
