/* scatter.c - updates of a table at indices. What lies outside the table is
 * dropped, as StableHLO has it. */
#include <string.h>

#include "ir/fold.h"
#include "ir/import/stablehlo_lookup.h"
#include "ir/import/stablehlo_moves.h"

/* Labels of axes: those of the batch, DIM + a dimension of the table. */
enum { DIM = MW_MAX_RANK, SELECT_MOST = 64 };

static const mw_hlo_lookup_names names = {
    .whole = "scatter_dimension_numbers",
    .dropped = "inserted_window_dims",
    .table_batch = "input_batching_dims",
    .index_batch = "scatter_indices_batching_dims",
    .components = "scatter_dims_to_operand_dims"};

typedef struct update {
    mw_id id;
    int n;
    int label[MW_MAX_RANK];
} update;

/* The axes of the updates are the windows' where update_window_dims says, else
 * the batch's. Sets the windows. */
static mw_status read_updates(mw_hlo_call *call, mw_hlo_lookup *l, update *u)
{
    mw_onnx_call *e = &call->emit;
    mw_hlo_ints dims = mw_hlo_lookup_list(call, &names, "update_window_dims");
    int64_t size[MW_MAX_RANK];
    int d = 0, batch = 0;
    u->id = mw_hlo_in(call, 2);
    u->n = mw_emit_shape(e, u->id, size);
    MW_TRY(e->status);
    for (int i = 0; i < u->n; i++)
        u->label[i] = -1;
    for (int k = 0; k < l->rank; k++)
        l->window[k] = 1;
    for (int i = 0; i < dims.n; i++) {
        while (d < l->rank && l->dropped[d])
            d++;
        int64_t axis = dims.v[i];
        if (axis < 0 || axis >= u->n || u->label[axis] >= 0 || d == l->rank ||
            size[axis] > l->size[d])
            return mw_hlo_refuse(call, "update_window_dims do not fit");
        u->label[axis] = DIM + d;
        l->window[d++] = size[axis];
    }
    for (int i = 0; i < u->n; i++)
        if (u->label[i] < 0) {
            if (batch >= l->n_batch || l->batch_size[batch] != size[i])
                return mw_hlo_refuse(call,
                                     "axis %d of the updates is not "
                                     "that of the indices",
                                     i);
            u->label[i] = batch++;
        }
    while (d < l->rank && l->dropped[d])
        d++;
    if (batch != l->n_batch || d != l->rank)
        return mw_hlo_refuse(call, "the updates have too few axes");
    return MW_OK;
}

static bool is_zero(mw_hlo_call *call, mw_id id)
{
    bool uniform = false;
    uint64_t bits = 1;
    mw_graph *graph = call->emit.graph;
    if (graph->tensor[id].data.kind == MW_DATA_FILL)
        return graph->tensor[id].data.fill == 0.0;
    return mw_fold_uniform(graph, id, &uniform, &bits) == MW_OK && uniform &&
           bits == 0;
}

static mw_id plus(mw_hlo_call *call, mw_id table, mw_id more)
{
    return is_zero(call, table) ? more
                                : mw_emit2(&call->emit, "add", table, more);
}

/* Sums where one dimension is placed and the others run along with the batch:
 * each update at its row of zeros. */
static mw_status add_selected(mw_hlo_call *call, const mw_hlo_lookup *l,
                              int dim, const update *u)
{
    mw_onnx_call *e = &call->emit;
    int order[2 * MW_MAX_RANK], want[2 * MW_MAX_RANK], left[MW_MAX_RANK], n;
    int n_left = 0, all[MW_MAX_RANK];
    mw_axes axes = {0};
    mw_hlo_selection_order(l, dim, order, &n);
    for (int i = 0; i < n; i++) {
        want[i] = i < l->n_batch ? i : DIM + order[i];
        if (i < l->n_batch && order[i] < 0)
            axes.axis[axes.n++] = i;
        else if (n_left < MW_MAX_RANK)
            left[n_left++] = DIM + order[i];
    }
    mw_id x = mw_hlo_arrange(call, u->id, u->label, u->n, want, n);
    MW_TRY(e->status);
    mw_id here = mw_hlo_selected(call, l, dim, false, n - l->n_batch - 1);
    x = mw_emit_where(e, here, x, mw_emit_like(e, x, 0.0));
    x = mw_emit_reduce(e, "reduce_sum", x, &axes, false);
    for (int d = 0; d < l->rank; d++)
        all[d] = DIM + d;
    x = mw_hlo_arrange(call, x, left, n_left, all, l->rank);
    MW_TRY(e->status);
    return mw_hlo_set(call, 0, plus(call, mw_hlo_in(call, 0), x));
}

/* A table to be updated: positions are rows of one of its axes. */
typedef struct target {
    mw_hlo_places places;
    bool looked[MW_MAX_RANK];
    int axis;
    mw_id table, index, valid; /* valid: MW_NONE where all are */
} target;

/* Truth of every component's lying inside the table. */
static mw_id validity(mw_hlo_call *call, const mw_hlo_lookup *l,
                      const target *t, const mw_id position[])
{
    mw_onnx_call *e = &call->emit;
    mw_id valid = MW_NONE;
    for (int k = 0; k < t->places.n; k++) {
        int d = t->places.dim[k];
        if (l->component[d] < 0)
            continue;
        mw_id in =
            mw_emit2(e, "and", mw_emit_by(e, "greater_equal", position[k], 0.0),
                     mw_emit_by(e, "less", position[k], (double)l->size[d]));
        valid = valid == MW_NONE ? in : mw_emit2(e, "and", valid, in);
    }
    bool uniform = false;
    uint64_t bits = 0;
    if (e->status != MW_OK || valid == MW_NONE ||
        mw_fold_uniform(e->graph, valid, &uniform, &bits) != MW_OK)
        return valid;
    return uniform && bits == 1 ? MW_NONE : valid;
}

static mw_status aim(mw_hlo_call *call, const mw_hlo_lookup *l, target *t)
{
    mw_id position[MW_MAX_RANK];
    for (int d = 0; d < l->rank; d++)
        t->looked[d] = l->component[d] >= 0 || l->batch[d] >= 0 ||
                       l->window[d] != l->size[d];
    MW_TRY(mw_hlo_places_of(call, l, t->looked, &t->places));
    if (t->places.n == 0)
        return mw_hlo_refuse(call, "its indices place nothing");
    for (int k = 0; k < t->places.n; k++)
        position[k] = mw_hlo_position(call, l, &t->places, k, false);
    t->valid = validity(call, l, t, position);
    t->index = mw_hlo_flat_position(call, l, &t->places, position);
    t->table = mw_hlo_in(call, 0);
    t->axis = t->places.n == 1 ? t->places.dim[0] : 0;
    if (t->places.n > 1)
        t->table = mw_hlo_flat_table(call, t->table, &t->places);
    return call->emit.status;
}

/* The updates with axes as the table's, its rows' replaced by the
 * positions'. */
static mw_id aligned(mw_hlo_call *call, const mw_hlo_lookup *l, const target *t,
                     const update *u)
{
    int want[3 * MW_MAX_RANK], n = 0;
    for (int d = 0; d < t->axis; d++)
        want[n++] = DIM + d;
    for (int a = 0; a < l->n_batch; a++)
        want[n++] = a;
    for (int k = 0; k < t->places.n; k++)
        if (t->places.axis[k] >= 0)
            want[n++] = DIM + t->places.dim[k];
    for (int d = t->axis; d < l->rank; d++)
        if (!t->looked[d])
            want[n++] = DIM + d;
    return mw_hlo_arrange(call, u->id, u->label, u->n, want, n);
}

/* x, of the positions' axes, beside axes of the updates. */
static mw_id beside(mw_hlo_call *call, const target *t, mw_id x, mw_id updates)
{
    mw_onnx_call *e = &call->emit;
    int64_t own[MW_MAX_RANK], shape[MW_MAX_RANK];
    int n = mw_emit_shape(e, x, own), rank = mw_emit_rank(e, updates);
    int n_places = t->places.rank;
    if (e->status != MW_OK)
        return MW_NONE;
    for (int a = 0; a < rank; a++) {
        int i = a - t->axis - (n_places - n);
        shape[a] = i >= 0 && i < n ? own[i] : 1;
    }
    return mw_emit_reshape(e, x, shape, rank);
}

/* The result's axes back in the table's order. */
static mw_id restored(mw_hlo_call *call, const mw_hlo_lookup *l,
                      const target *t, mw_id y)
{
    mw_onnx_call *e = &call->emit;
    int64_t shape[MW_MAX_RANK];
    int have[MW_MAX_RANK], want[MW_MAX_RANK], n = 0;
    if (t->places.n == 1)
        return y;
    for (int k = 0; k < t->places.n; k++)
        have[n++] = t->places.dim[k];
    for (int d = 0; d < l->rank; d++)
        if (!t->looked[d])
            have[n++] = d;
    for (int d = 0; d < n; d++) {
        shape[d] = l->size[have[d]];
        want[d] = d;
    }
    y = mw_emit_reshape(e, y, shape, n);
    return mw_hlo_arrange(call, y, have, n, want, n);
}

static mw_id scatter_add(mw_hlo_call *call, const target *t, mw_id updates)
{
    mw_onnx_call *e = &call->emit;
    int64_t axis = t->axis, rows = t->places.rows;
    mw_id index = t->index;
    if (t->valid != MW_NONE) {
        mw_id valid = beside(call, t, t->valid, updates);
        updates =
            mw_emit_where(e, valid, updates, mw_emit_like(e, updates, 0.0));
        index = mw_hlo_hold(call, index, rows - 1);
    }
    mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
        {.name = "size", .kind = MW_ATTR_INT, .n = 1, .i = &rows}};
    mw_id in[2] = {updates, index};
    mw_id sums = mw_emit(e, "scatter_add", in, 2, attr, 2);
    return e->status == MW_OK ? plus(call, t->table, sums) : MW_NONE;
}

/* Updates from outside go to one more row, which is cut off. */
static mw_id scatter_by(mw_hlo_call *call, const target *t, const char *mode,
                        mw_id updates)
{
    mw_onnx_call *e = &call->emit;
    int64_t axis = t->axis, rows = t->places.rows;
    mw_id in[3] = {t->table, t->index, updates};
    if (t->valid != MW_NONE) {
        mw_id out = mw_emit_number(e, MW_I64, (double)rows);
        in[0] = mw_emit_pad(e, in[0], t->axis, 0, 1, 0.0);
        in[1] = mw_emit_where(e, t->valid, in[1], out);
    }
    mw_attr attr[] = {{.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
                      {.name = "mode", .kind = MW_ATTR_TEXT, .text = mode}};
    mw_id y = mw_emit(e, "scatter", in, 3, attr, 2);
    return mw_emit_slice(e, y, t->axis, 0, 1, rows);
}

static const char *mode_of(const char *reducer)
{
    static const char *const modes[][2] = {{"second", "set"},
                                           {"add", "add"},
                                           {"mul", "mul"},
                                           {"max", "max"},
                                           {"min", "min"}};
    for (size_t i = 0; reducer && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(modes[i][0], reducer) == 0)
            return modes[i][1];
    return NULL;
}

static mw_status scatter(mw_hlo_call *call)
{
    mw_onnx_call *e = &call->emit;
    mw_hlo_lookup l;
    update u;
    target t = {.axis = 0};
    int dim = 0;
    double times = 1.0;
    const char *mode = call->op->n_blocks == 1
                           ? mode_of(mw_hlo_reducer(&call->op->block[0]))
                           : NULL;
    mw_dtype dtype = mw_emit_dtype(e, call->in[0].id);
    if (!mode || (dtype == MW_BOOL && strcmp(mode, "set") != 0))
        return mw_hlo_refuse(call, "an update by this region is not supported");
    MW_TRY(mw_hlo_lookup_read(call, &names, &l));
    MW_TRY(read_updates(call, &l, &u));
    for (int a = 0; a < l.n_batch; a++)
        times *= (double)l.batch_size[a];
    for (int d = 0; d < l.rank; d++)
        if (l.batch[d] >= 0 && l.size[d] > 0)
            times /= (double)l.size[d];
    bool add = strcmp(mode, "add") == 0;
    if (add && mw_hlo_is_selection(&l, &dim) && times <= SELECT_MOST)
        return add_selected(call, &l, dim, &u);
    MW_TRY(aim(call, &l, &t));
    mw_id updates = aligned(call, &l, &t, &u);
    MW_TRY(e->status);
    mw_id y = add ? scatter_add(call, &t, updates)
                  : scatter_by(call, &t, mode, updates);
    MW_TRY(e->status);
    return mw_hlo_set(call, 0, restored(call, &l, &t, y));
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.scatter",
     .min_in = 3,
     .max_in = 3,
     .attrs = "scatter_dimension_numbers",
     .build = scatter},
    {0},
};

const mw_hlo_def mw_hlo_scatter = {.brief = "updates at indices",
                                   .rules = rules};
