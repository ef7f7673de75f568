/* verify.c - holds dimensions to letters, and ids to order. */
#include "ir/verify.h"

#include "base/arena.h"
#include "ir/op.h"

static mw_status check_names(const mw_graph *graph)
{
    for (mw_id i = 0; i < graph->n_dims; i++) {
        if (mw_graph_find_dim(graph, graph->dim[i].name) != i)
            return mw_fail(graph->ctx, MW_EINPUT, "dim '%s' is there twice",
                           graph->dim[i].name);
    }
    for (mw_id i = 0; i < graph->n_tensors; i++) {
        if (mw_graph_find_tensor(graph, graph->tensor[i].name) != i)
            return mw_fail(graph->ctx, MW_EINPUT, "tensor '%s' is there twice",
                           graph->tensor[i].name);
    }
    return MW_OK;
}

// Following parents ends.
static mw_status check_dims(const mw_graph *graph)
{
    for (mw_id i = 0; i < graph->n_dims; i++) {
        mw_id at = graph->dim[i].of;
        int steps = 0;
        for (; at != MW_NONE && steps <= graph->n_dims; steps++) {
            if (at < 0 || at >= graph->n_dims)
                return mw_fail(graph->ctx, MW_EINPUT,
                               "dim '%s' is derived from dim %d of %d",
                               graph->dim[i].name, at, graph->n_dims);
            at = graph->dim[at].of;
        }
        if (at != MW_NONE)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "dim '%s' is derived from itself",
                           graph->dim[i].name);
    }
    return MW_OK;
}

static mw_status check_axes(const mw_graph *graph, const mw_tensor *tensor)
{
    int n_file = 0;
    for (int i = 0; i < tensor->file_rank; i++)
        n_file += tensor->file_axis[i];
    if (n_file != tensor->rank)
        return mw_fail(graph->ctx, MW_EINPUT,
                       "tensor '%s': its file's axes hold %d dims, wanted %d",
                       tensor->name, n_file, tensor->rank);
    for (int a = 0; a < tensor->rank; a++) {
        const mw_axis *axis = &tensor->axis[a];
        if (axis->dim < MW_NONE || axis->dim >= graph->n_dims)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "tensor '%s': axis %d is dim %d of %d", tensor->name,
                           a, axis->dim, graph->n_dims);
        if (axis->dim == MW_NONE && axis->size == 1)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "tensor '%s': axis %d of size 1 has no dim, wanted "
                           "no axis",
                           tensor->name, a);
        if (axis->dim != MW_NONE && axis->size != graph->dim[axis->dim].size)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "tensor '%s': axis %d is %lld where '%s' is %lld",
                           tensor->name, a, (long long)axis->size,
                           graph->dim[axis->dim].name,
                           (long long)graph->dim[axis->dim].size);
        for (int b = 0; axis->dim != MW_NONE && b < a; b++) {
            if (tensor->axis[b].dim == axis->dim)
                return mw_fail(graph->ctx, MW_EINPUT,
                               "dim '%s' twice in '%s': rename one",
                               graph->dim[axis->dim].name, tensor->name);
        }
    }
    return MW_OK;
}

// The operand whose buffer the op's result `id` lies in, or MW_NONE.
static int shared_operand(const mw_op *op, mw_id id)
{
    if (op->def->view)
        return 0;
    for (int i = 0; op->def->updates && i < op->n_out; i++) {
        if (op->out[i].tensor == id)
            return op->def->updates[i];
    }
    return MW_NONE;
}

// Whether an op's operands still have the values it was built for; writer[t]:
// the op that updated root t, or MW_NONE; fresh[t]: tensor t is the new value,
// or renames it.
static mw_status check_reads(const mw_graph *graph, int k, const mw_id *writer,
                             const bool *fresh)
{
    const mw_op *op = &graph->op[k];
    for (int i = 0; i < op->n_in; i++) {
        const mw_tensor *tensor = &graph->tensor[op->in[i].tensor];
        mw_id by = writer[tensor->root];
        if (by != MW_NONE && !fresh[op->in[i].tensor])
            return mw_fail(graph->ctx, MW_EINPUT,
                           "op '%s' reads '%s' after op '%s' has updated it",
                           op->name, tensor->name, graph->op[by].name);
    }
    return MW_OK;
}

static mw_status check_writes(const mw_graph *graph, int k, mw_id *writer,
                              bool *fresh)
{
    const mw_op *op = &graph->op[k];
    for (int i = 0; i < op->n_out; i++) {
        mw_id out = op->out[i].tensor, root = graph->tensor[out].root;
        int shares = shared_operand(op, out);
        fresh[out] = op->def->view && fresh[op->in[0].tensor];
        if (op->def->view || shares == MW_NONE)
            continue;
        if (!mw_role_persists(graph->tensor[root].role))
            return mw_fail(graph->ctx, MW_EINPUT,
                           "op '%s' updates '%s', which is neither a parameter "
                           "nor a state",
                           op->name, graph->tensor[root].name);
        if (writer[root] != MW_NONE)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "ops '%s' and '%s' both update '%s'",
                           graph->op[writer[root]].name, op->name,
                           graph->tensor[root].name);
        writer[root] = k;
        fresh[out] = true;
    }
    return MW_OK;
}

// One update a tensor, after everyone who reads the old value.
static mw_status check_updates(const mw_graph *graph)
{
    mw_arena arena;
    mw_arena_init(&arena, graph->ctx);
    mw_id *writer = MW_NEW_ARRAY(&arena, graph->n_tensors, mw_id);
    bool *fresh = MW_NEW_ARRAY(&arena, graph->n_tensors, bool);
    mw_status status = writer && fresh ? MW_OK : MW_ENOMEM;
    for (mw_id t = 0; status == MW_OK && t < graph->n_tensors; t++)
        writer[t] = MW_NONE;
    for (int k = 0; status == MW_OK && k < graph->n_ops; k++) {
        status = check_reads(graph, k, writer, fresh);
        if (status == MW_OK)
            status = check_writes(graph, k, writer, fresh);
    }
    mw_arena_free(&arena);
    return status;
}

// A result of an op that has it as an output, or none; a root that is one.
static mw_status check_links(const mw_graph *graph, mw_id id)
{
    const mw_tensor *tensor = &graph->tensor[id];
    bool is_result = tensor->role == MW_ROLE_VALUE;
    if (tensor->producer < MW_NONE || tensor->producer >= graph->n_ops ||
        is_result != (tensor->producer != MW_NONE))
        return mw_fail(graph->ctx, MW_EINPUT,
                       "tensor '%s': its role and its producer %d do not fit",
                       tensor->name, tensor->producer);
    mw_id wanted = id;
    if (is_result) {
        const mw_op *op = &graph->op[tensor->producer];
        bool found = false;
        for (int i = 0; i < op->n_out; i++)
            found = found || op->out[i].tensor == id;
        if (!found)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "tensor '%s' is no result of op '%s'", tensor->name,
                           op->name);
        int shares = shared_operand(op, id);
        if (shares != MW_NONE)
            wanted = graph->tensor[op->in[shares].tensor].root;
    }
    if (tensor->root != wanted)
        return mw_fail(graph->ctx, MW_EINPUT,
                       "tensor '%s': its root is tensor %d, wanted %d",
                       tensor->name, tensor->root, wanted);
    return MW_OK;
}

static mw_status check_order(const mw_graph *graph, int k)
{
    const mw_op *op = &graph->op[k];
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        mw_id id =
            i < op->n_in ? op->in[i].tensor : op->out[i - op->n_in].tensor;
        if (id < 0 || id >= graph->n_tensors)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "op '%s': operand %d is tensor %d of %d", op->name,
                           i, id, graph->n_tensors);
        const mw_tensor *tensor = &graph->tensor[id];
        if (i < op->n_in ? tensor->producer >= k : tensor->producer != k)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "op '%s' stands at %d, '%s' is made at %d", op->name,
                           k, tensor->name, tensor->producer);
    }
    return MW_OK;
}

// A letter is used; one without dimension is pinned; windows are asked of ops
// that answer.
static mw_status check_letters(const mw_graph *graph, const mw_op *op)
{
    uint64_t used = 0;
    MW_TRY(mw_op_check_letters(graph, op));
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        const mw_operand *operand =
            i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
        int rank = graph->tensor[operand->tensor].rank;
        for (int a = 0; a < rank; a++)
            used |= UINT64_C(1) << operand->letter[a];
        if (operand->window != 0 &&
            (i >= op->n_in || !op->def->window || operand->window >> rank))
            return mw_fail(graph->ctx, MW_EINPUT,
                           "op '%s': operand %d has no windows", op->name, i);
    }
    for (int l = 0; l < op->n_letters; l++) {
        const mw_letter *letter = &op->letter[l];
        if (letter->dim == MW_NONE && !letter->pinned)
            return mw_fail(graph->ctx, MW_EINPUT,
                           "op '%s': letter %d without dim is not pinned",
                           op->name, l);
        if (!(used >> l & 1))
            return mw_fail(graph->ctx, MW_EINPUT,
                           "op '%s': letter %d is of no axis", op->name, l);
    }
    return MW_OK;
}

// What a state begins like.
static mw_status check_like(const mw_graph *graph, const mw_tensor *tensor)
{
    if (tensor->data.kind != MW_DATA_LIKE)
        return MW_OK;
    mw_id of = mw_graph_find_tensor(graph, tensor->data.path);
    const mw_tensor *from = of == MW_NONE ? NULL : &graph->tensor[of];
    bool fits = tensor->role == MW_ROLE_STATE && from &&
                from->role == MW_ROLE_PARAM && from->rank == tensor->rank;
    for (int a = 0; fits && a < tensor->rank; a++)
        fits = from->axis[a].size == tensor->axis[a].size;
    if (fits)
        return MW_OK;
    return mw_fail(graph->ctx, MW_EINPUT,
                   "tensor '%s': begins like '%s', wanted a state and a "
                   "parameter of its shape",
                   tensor->name, tensor->data.path);
}

mw_status mw_verify(const mw_graph *graph)
{
    if (!graph->named)
        return mw_fail(graph->ctx, MW_EINPUT, "graph '%s' has no dims",
                       graph->name);
    MW_TRY(check_names(graph));
    MW_TRY(check_dims(graph));
    for (mw_id id = 0; id < graph->n_tensors; id++)
        MW_TRY(check_axes(graph, &graph->tensor[id]));
    for (mw_id id = 0; id < graph->n_tensors; id++)
        MW_TRY(check_like(graph, &graph->tensor[id]));
    for (int k = 0; k < graph->n_ops; k++) {
        MW_TRY(check_order(graph, k));
        MW_TRY(check_letters(graph, &graph->op[k]));
    }
    for (mw_id id = 0; id < graph->n_tensors; id++)
        MW_TRY(check_links(graph, id));
    return check_updates(graph);
}
