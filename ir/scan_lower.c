/* scan_lower.c - a positional body becomes a named one: every class of axes has
 * the dimensions that the op's operands outside have there. */
#include <string.h>

#include "ir/body.h"
#include "ir/rule.h"
#include "ir/scan.h"

/* Dimensions of the named body that a class of axes became. */
typedef struct class_dims {
    bool known;
    int n;
    mw_id dim[MW_MAX_RANK];
} class_dims;

typedef struct lowerer {
    mw_arena *arena;
    const mw_graph *graph; /* the named graph outside */
    const mw_graph *body;  /* positional */
    mw_graph *made;
    const mw_op *op;
    const mw_lowering *lowering;
    mw_id *class;
    class_dims *dims; /* of each class */
    mw_id *named;     /* of each of the body's tensors */
    struct mw_axis_map *map;
} lowerer;

// The body's dimension of an outer one's name.
static mw_status inner_dim(lowerer *w, mw_id outer, mw_id *inner)
{
    const mw_dim *dim = &w->graph->dim[outer];
    *inner = mw_graph_find_dim(w->made, dim->name);
    if (*inner != MW_NONE)
        return MW_OK;
    return mw_graph_dim(
        w->made, &(mw_dim){.name = dim->name, .size = dim->size, .of = MW_NONE},
        inner);
}

// What outer axis `axis` of a tensor tells of a class.
static mw_status learn(lowerer *w, mw_id class, mw_id placed, int axis)
{
    if (class == MW_NONE || w->dims[class].known)
        return MW_OK;
    class_dims *dims = &w->dims[class];
    const struct mw_axis_map *map = &w->lowering->map[placed];
    const mw_tensor *outer = &w->graph->tensor[w->lowering->named[placed]];
    dims->known = true;
    for (int k = 0; k < map->count[axis]; k++)
        MW_TRY(inner_dim(w, outer->axis[map->first[axis] + k].dim,
                         &dims->dim[dims->n++]));
    return MW_OK;
}

static mw_status learn_operands(lowerer *w)
{
    int i = 0;
    for (mw_id t = 0; t < w->body->n_tensors; t++) {
        if (w->body->tensor[t].role != MW_ROLE_INPUT)
            continue;
        int skip = mw_scan_is_scanned(w->op, i);
        for (int a = 0; a < w->body->tensor[t].rank; a++)
            MW_TRY(learn(w, w->class[t * MW_MAX_RANK + a],
                         w -> op -> in[i].tensor, a + skip));
        i++;
    }
    for (int o = mw_scan_carries(w->op); o < w->op->n_out; o++) {
        mw_id t = w->body->result[o];
        for (int a = 0; a < w->body->tensor[t].rank; a++)
            MW_TRY(learn(w, w->class[t * MW_MAX_RANK + a],
                         w -> op -> out[o].tensor, a + 1));
    }
    return MW_OK;
}

// A class that nothing outside has.
static mw_status own_dim(lowerer *w, int64_t size, class_dims *dims)
{
    const char *name = NULL;
    for (int k = 0; !name || mw_graph_find_dim(w->made, name) != MW_NONE ||
                    mw_graph_find_dim(w->graph, name) != MW_NONE;
         k++) {
        name = mw_arena_format(w->arena, "inner%d", k);
        if (!name)
            return MW_ENOMEM;
    }
    dims->known = true;
    dims->n = 1;
    return mw_graph_dim(w->made,
                        &(mw_dim){.name = name, .size = size, .of = MW_NONE},
                        &dims->dim[0]);
}

// The named tensor of a body's: its dims, and which axis became which.
static mw_status flatten(lowerer *w, mw_id t, mw_tensor *tensor)
{
    const mw_tensor *placed = &w->body->tensor[t];
    *tensor = *placed;
    tensor->rank = 0;
    tensor->file_rank = placed->rank;
    for (int a = 0; a < placed->rank; a++) {
        mw_id class = w->class[t * MW_MAX_RANK + a];
        w->map[t].first[a] = (int8_t)tensor->rank;
        if (class != MW_NONE && !w->dims[class].known)
            MW_TRY(own_dim(w, placed->axis[a].size, &w->dims[class]));
        int n = class == MW_NONE ? 0 : w->dims[class].n;
        w->map[t].count[a] = tensor->file_axis[a] = (int8_t)n;
        if (tensor->rank + n > MW_MAX_RANK)
            return mw_fail(w->made->ctx, MW_EINPUT,
                           "tensor '%s' of body '%s' has more than %d dims",
                           placed->name, w->body->name, MW_MAX_RANK);
        for (int k = 0; k < n; k++) {
            mw_id dim = w->dims[class].dim[k];
            tensor->axis[tensor->rank++] =
                (mw_axis){.dim = dim, .size = w->made->dim[dim].size};
        }
    }
    return MW_OK;
}

static bool same_axes(const mw_tensor *a, const mw_tensor *b)
{
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++)
        same = a->axis[i].dim == b->axis[i].dim;
    return same;
}

// The op leaves every element where it is, under the same dims.
static bool is_same(const lowerer *w, const mw_op *op, const mw_tensor *out)
{
    if (op->n_in != 1 || op->n_out != 1)
        return false;
    const mw_tensor *in = &w->made->tensor[w->named[op->in[0].tensor]];
    return (strcmp(op->def->family, "move") == 0 ||
            strcmp(op->def->family, "reduce") == 0) &&
           in->dtype == out->dtype && same_axes(in, out);
}

static mw_status emit_op(lowerer *w, const mw_op *op)
{
    mw_id *in = MW_NEW_ARRAY(w->arena, op->n_in + 1, mw_id);
    mw_id *out = MW_NEW_ARRAY(w->arena, op->n_out + 1, mw_id);
    mw_id added;
    if (!in || !out)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        in[i] = w->named[op->in[i].tensor];
    for (int o = 0; o < op->n_out; o++) {
        mw_tensor tensor;
        mw_id t = op->out[o].tensor;
        MW_TRY(flatten(w, t, &tensor));
        if (is_same(w, op, &tensor)) {
            w->named[t] = in[0];
            return MW_OK;
        }
        MW_TRY(mw_graph_tensor(w->made, &tensor, &w->named[t]));
        out[o] = w->named[t];
    }
    mw_op_spec spec = {.def = op->def->name,
                       .name = op->name,
                       .n_in = op->n_in,
                       .n_out = op->n_out,
                       .in = in,
                       .out = out};
    if (op->def->lower)
        MW_TRY(op->def->lower(
            w->made, w->body, op,
            &(mw_lowering){.arena = w->arena, .named = w->named, .map = w->map},
            &spec));
    return mw_graph_bind(w->made, &spec, &added);
}

// A carry's value after the step, under the dims that it has before.
static mw_status carry_back(lowerer *w, mw_id before, mw_id *after)
{
    mw_tensor tensor = w->made->tensor[before];
    mw_id added;
    if (same_axes(&tensor, &w->made->tensor[*after]))
        return MW_OK;
    tensor.name = mw_arena_format(w->arena, "%s.next", tensor.name);
    if (!tensor.name)
        return MW_ENOMEM;
    tensor.role = MW_ROLE_VALUE;
    mw_id from = *after, to;
    MW_TRY(mw_graph_tensor(w->made, &tensor, &to));
    MW_TRY(mw_graph_bind(
        w->made,
        &(mw_op_spec){
            .def = "rename", .n_in = 1, .n_out = 1, .in = &from, .out = &to},
        &added));
    *after = to;
    return MW_OK;
}

static mw_status emit_body(lowerer *w)
{
    mw_id input[MW_MAX_LETTERS * 2];
    int carries = mw_scan_carries(w->op);
    for (mw_id t = 0; t < w->body->n_tensors; t++) {
        mw_tensor tensor;
        if (w->body->tensor[t].role == MW_ROLE_VALUE)
            continue;
        MW_TRY(flatten(w, t, &tensor));
        MW_TRY(mw_graph_tensor(w->made, &tensor, &w->named[t]));
    }
    for (int k = 0; k < w->body->n_ops; k++)
        MW_TRY(emit_op(w, &w->body->op[k]));
    w->made->n_results = w->body->n_results;
    w->made->result = MW_NEW_ARRAY(w->arena, w->body->n_results, mw_id);
    if (!w->made->result)
        return MW_ENOMEM;
    (void)mw_body_inputs(w->body, input, MW_MAX_LETTERS * 2);
    for (int o = 0; o < w->body->n_results; o++) {
        w->made->result[o] = w->named[w->body->result[o]];
        if (o < carries)
            MW_TRY(carry_back(w, w->named[input[o]], &w->made->result[o]));
    }
    return MW_OK;
}

// The dimension that is scanned; MW_NONE for a single step.
static mw_status scanned_dim(const lowerer *w, int64_t *dim)
{
    const mw_op *op = w->op;
    mw_id placed = MW_NONE;
    for (int i = 0; i < op->n_in && placed == MW_NONE; i++)
        if (mw_scan_is_scanned(op, i))
            placed = op->in[i].tensor;
    if (placed == MW_NONE && op->n_out > mw_scan_carries(op))
        placed = op->out[op->n_out - 1].tensor;
    *dim = MW_NONE;
    if (placed == MW_NONE || w->lowering->map[placed].count[0] == 0)
        return MW_OK;
    if (w->lowering->map[placed].count[0] > 1)
        return mw_op_fail(w->graph, op,
                          "the axis that is scanned is a product of dims, "
                          "which is not possible");
    const mw_tensor *tensor = &w->graph->tensor[w->lowering->named[placed]];
    *dim = tensor->axis[w->lowering->map[placed].first[0]].dim;
    return MW_OK;
}

static mw_status put_attrs(const lowerer *w, mw_op_spec *spec)
{
    int64_t *value = MW_NEW_ARRAY(w->arena, 4, int64_t);
    if (!value)
        return MW_ENOMEM;
    const mw_attr *count = mw_op_attr(w->op, "count");
    value[0] = mw_scan_carries(w->op);
    value[1] = mw_op_attr_int(w->op, "reverse", 0);
    value[3] = count ? count->i[0] : 1;
    MW_TRY(scanned_dim(w, &value[2]));
    bool counts = value[2] == MW_NONE;
    const mw_attr attr[] = {
        {.name = "body", .kind = MW_ATTR_BODY, .body = w->made},
        mw_attr_of_int("carries", MW_ATTR_INT, &value[0]),
        counts ? mw_attr_of_int("count", MW_ATTR_INT, &value[3])
               : mw_attr_of_int("dim", MW_ATTR_DIM, &value[2]),
        mw_attr_of_int("reverse", MW_ATTR_INT, &value[1])};
    return mw_lower_attrs(w->lowering, spec, attr, value[1] ? 4 : 3);
}

mw_status mw_scan_lower(mw_graph *named, const mw_graph *placed,
                        const mw_op *op, const mw_lowering *lowering,
                        mw_op_spec *spec)
{
    (void)placed;
    lowerer w = {.arena = named->arena,
                 .graph = named,
                 .body = mw_scan_body(op),
                 .op = op,
                 .lowering = lowering};
    int n;
    MW_TRY(mw_body_classes(w.arena, w.body, &w.class, &n));
    w.made = MW_NEW(w.arena, mw_graph);
    w.dims = MW_NEW_ARRAY(w.arena, n + 1, class_dims);
    w.named = MW_NEW_ARRAY(w.arena, w.body->n_tensors, mw_id);
    w.map = MW_NEW_ARRAY(w.arena, w.body->n_tensors, struct mw_axis_map);
    if (!w.made || !w.dims || !w.named || !w.map)
        return MW_ENOMEM;
    MW_TRY(mw_graph_init(w.made, w.arena, w.body->name));
    w.made->named = true;
    MW_TRY(learn_operands(&w));
    MW_TRY(emit_body(&w));
    return put_attrs(&w, spec);
}
