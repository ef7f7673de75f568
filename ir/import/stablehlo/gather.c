/* gather.c - look-ups in tables, with windows, in several dimensions at once,
 * along batches. */
#include <string.h>

#include "ir/import/stablehlo_lookup.h"
#include "ir/import/stablehlo_moves.h"

enum { DIM = MW_MAX_RANK, SELECT_MOST = 64 };

static const mw_hlo_lookup_names names = {
    .whole = "dimension_numbers",
    .dropped = "collapsed_slice_dims",
    .table_batch = "operand_batching_dims",
    .index_batch = "start_indices_batching_dims",
    .components = "start_index_map"};

/* What was looked up, and what each of its axes is: an axis of the batch, or
 * DIM + a dimension of the table. */
typedef struct found {
    mw_id id;
    int n;
    int what[2 * MW_MAX_RANK];
} found;

static mw_status read_windows(mw_hlo_call *call, mw_hlo_lookup *l)
{
    mw_hlo_ints sizes = mw_hlo_list(call, "slice_sizes", l->rank, 0);
    MW_TRY(call->emit.status);
    for (int d = 0; d < l->rank; d++) {
        l->window[d] = sizes.v[d];
        bool one = !l->dropped[d] || l->window[d] == 1;
        if (l->window[d] < 0 || l->window[d] > l->size[d] || !one)
            return mw_hlo_refuse(call, "slice_sizes[%d] is %lld of %lld", d,
                                 (long long)l->window[d],
                                 (long long)l->size[d]);
    }
    return MW_OK;
}

/* Dimensions that no index places: the first elements. */
static mw_id cut(mw_hlo_call *call, mw_hlo_lookup *l, mw_id x)
{
    for (int d = 0; d < l->rank; d++)
        if (l->component[d] < 0 && l->batch[d] < 0 &&
            l->window[d] != l->size[d]) {
            x = mw_emit_slice(&call->emit, x, d, 0, 1, l->window[d]);
            l->size[d] = l->window[d];
        }
    return x;
}

/* One placed dimension, the others along with the batch: the sum over the dim
 * of the elements at the index. Every dimension can be split so. */
static mw_status select_rows(mw_hlo_call *call, const mw_hlo_lookup *l, int dim,
                             mw_id x, found *to)
{
    mw_onnx_call *e = &call->emit;
    int order[2 * MW_MAX_RANK], n, k = 0;
    int64_t perm[MW_MAX_RANK], shape[2 * MW_MAX_RANK];
    mw_hlo_selection_order(l, dim, order, &n);
    if (n > MW_MAX_RANK)
        return mw_hlo_refuse(call, "table and indices have %d axes, at most %d",
                             n, MW_MAX_RANK);
    for (int i = 0; i < n; i++) {
        shape[i] = order[i] < 0 ? 1 : l->size[order[i]];
        if (order[i] >= 0)
            perm[k++] = order[i];
        if (i != l->n_batch)
            to->what[to->n++] = i < l->n_batch ? i : DIM + order[i];
    }
    x = mw_emit_reshape(e, mw_emit_transpose(e, x, perm), shape, n);
    mw_dtype dtype = mw_emit_dtype(e, x);
    x = mw_emit_cast(e, x, dtype == MW_BOOL ? MW_I32 : dtype);
    mw_id here = mw_hlo_selected(call, l, dim, true, n - l->n_batch - 1);
    const mw_axes axes = {.n = 1, .axis = {l->n_batch}};
    mw_id kept = mw_emit_where(e, here, x, mw_emit_like(e, x, 0.0));
    kept = mw_emit_reduce(e, "reduce_sum", kept, &axes, false);
    to->id = mw_emit_cast(e, kept, dtype);
    return e->status;
}

static mw_status look_up(mw_hlo_call *call, const mw_hlo_lookup *l, mw_id x,
                         const bool looked[], found *to)
{
    mw_onnx_call *e = &call->emit;
    mw_hlo_places places;
    mw_id position[MW_MAX_RANK];
    int axis = 0, n_whole = 0;
    MW_TRY(mw_hlo_places_of(call, l, looked, &places));
    for (int k = 0; k < places.n; k++)
        position[k] = mw_hlo_position(call, l, &places, k, true);
    mw_id flat = mw_hlo_flat_position(call, l, &places, position);
    if (places.n == 1)
        axis = places.dim[0];
    else
        x = mw_hlo_flat_table(call, x, &places);
    for (int d = 0; d < l->rank; d++)
        n_whole += !looked[d];
    if (n_whole + places.rank > MW_MAX_RANK)
        return mw_hlo_refuse(call, "table and indices have %d axes, at most %d",
                             n_whole + places.rank, MW_MAX_RANK);
    to->id = mw_emit_gather(e, x, flat, axis);
    for (int d = 0; d < axis; d++)
        to->what[to->n++] = DIM + d;
    for (int a = 0; a < l->n_batch; a++)
        to->what[to->n++] = a;
    for (int k = 0; k < places.n; k++)
        if (places.axis[k] >= 0)
            to->what[to->n++] = DIM + places.dim[k];
    for (int d = axis; d < l->rank; d++)
        if (!looked[d])
            to->what[to->n++] = DIM + d;
    return e->status;
}

/* Axes for all that the result has: batch axes, dimensions not dropped; those
 * of size 1 that the look-up has not. */
static mw_status complete(mw_hlo_call *call, const mw_hlo_lookup *l, found *f)
{
    mw_onnx_call *e = &call->emit;
    int64_t shape[3 * MW_MAX_RANK], own[MW_MAX_RANK];
    int what[3 * MW_MAX_RANK], n = 0;
    bool has[DIM + MW_MAX_RANK] = {false};
    (void)mw_emit_shape(e, f->id, own);
    for (int i = 0; i < f->n; i++) {
        bool dropped = f->what[i] >= DIM && l->dropped[f->what[i] - DIM];
        has[f->what[i]] = true;
        if (dropped)
            continue;
        shape[n] = own[i];
        what[n++] = f->what[i];
    }
    for (int k = 0; k < DIM + l->rank; k++) {
        bool wanted = k < l->n_batch || (k >= DIM && !l->dropped[k - DIM]);
        if (!wanted || has[k])
            continue;
        shape[n] = 1;
        what[n++] = k;
    }
    if (n > MW_MAX_RANK)
        return mw_hlo_refuse(call, "its result has rank %d, at most %d", n,
                             MW_MAX_RANK);
    f->id = mw_emit_reshape(e, f->id, shape, n);
    memcpy(f->what, what, (size_t)n * sizeof *what);
    f->n = n;
    return e->status;
}

/* Offset dimensions go where offset_dims says, the batch to the others. */
static mw_status arrange(mw_hlo_call *call, const mw_hlo_lookup *l, found *f)
{
    mw_onnx_call *e = &call->emit;
    mw_hlo_ints offset = mw_hlo_lookup_list(call, &names, "offset_dims");
    int64_t perm[MW_MAX_RANK], shape[MW_MAX_RANK];
    int wanted[MW_MAX_RANK], dim = 0, batch = 0, n_offset = 0;
    MW_TRY(call->emit.status);
    MW_TRY(complete(call, l, f));
    for (int d = 0; d < l->rank; d++)
        n_offset += !l->dropped[d];
    for (int i = 0; i < f->n; i++)
        wanted[i] = -1;
    for (int i = 0; i < offset.n; i++) {
        int64_t o = offset.v[i];
        while (dim < l->rank && l->dropped[dim])
            dim++;
        if (o < 0 || o >= f->n || wanted[o] >= 0 || dim == l->rank)
            return mw_hlo_refuse(call, "offset_dims do not fit the result");
        wanted[o] = DIM + dim++;
    }
    if (offset.n != n_offset)
        return mw_hlo_refuse(call, "offset_dims has %d dimensions for %d",
                             offset.n, n_offset);
    for (int i = 0; i < f->n; i++) {
        if (wanted[i] < 0)
            wanted[i] = batch++;
        for (int k = 0; k < f->n; k++)
            if (f->what[k] == wanted[i])
                perm[i] = k;
        shape[i] = wanted[i] < DIM ? l->batch_size[wanted[i]]
                                   : l->window[wanted[i] - DIM];
    }
    mw_id y = mw_emit_transpose(e, f->id, perm);
    return mw_hlo_set(call, 0, mw_emit_broadcast(e, y, shape, f->n));
}

static mw_status gather(mw_hlo_call *call)
{
    mw_hlo_lookup l;
    found f = {.n = 0};
    bool looked[MW_MAX_RANK] = {false}, any = false;
    int dim = 0;
    double times = 1.0;
    MW_TRY(mw_hlo_lookup_read(call, &names, &l));
    MW_TRY(read_windows(call, &l));
    mw_id x = cut(call, &l, mw_hlo_in(call, 0));
    MW_TRY(call->emit.status);
    for (int a = 0; a < l.n_batch; a++)
        times *= (double)l.batch_size[a];
    for (int d = 0; d < l.rank; d++) {
        looked[d] = l.batch[d] >= 0 ||
                    (l.component[d] >= 0 && l.window[d] != l.size[d]);
        any |= looked[d];
        if (l.batch[d] >= 0 && l.size[d] > 0)
            times /= (double)l.size[d];
    }
    if (mw_hlo_is_selection(&l, &dim) && times <= SELECT_MOST) {
        MW_TRY(select_rows(call, &l, dim, x, &f));
    } else if (any) {
        MW_TRY(look_up(call, &l, x, looked, &f));
    } else {
        f.id = x;
        for (int d = 0; d < l.rank; d++)
            f.what[f.n++] = DIM + d;
    }
    return arrange(call, &l, &f);
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.gather",
     .min_in = 2,
     .max_in = 2,
     .attrs = "dimension_numbers slice_sizes",
     .build = gather},
    {0},
};

const mw_hlo_def mw_hlo_gather = {.brief = "look-ups", .rules = rules};
