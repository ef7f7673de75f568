/* stablehlo_lookup.c - dimension numbers and positions of gather and scatter.
 */
#include "ir/import/stablehlo_lookup.h"

#include <string.h>

#include "base/checked.h"
#include "ir/import/stablehlo_moves.h"

mw_hlo_ints mw_hlo_lookup_list(mw_hlo_call *call,
                               const mw_hlo_lookup_names *names,
                               const char *name)
{
    const mw_hlo_item *whole = mw_hlo_attr(call, names->whole);
    const mw_hlo_item *item = whole ? mw_hlo_item_find(whole, name) : NULL;
    mw_hlo_ints none = {0};
    if (!item || call->emit.status != MW_OK)
        return none;
    mw_hlo_ints list = mw_hlo_ints_of(call, item);
    return call->emit.status == MW_OK ? list : none;
}

/* The components of the index vectors, each over the batch axes. */
static mw_status read_indices(mw_hlo_call *call,
                              const mw_hlo_lookup_names *names,
                              mw_hlo_lookup *l)
{
    mw_onnx_call *e = &call->emit;
    mw_id index = mw_emit_cast(e, mw_hlo_in(call, 1), MW_I64);
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(e, index, shape);
    mw_hlo_ints at = mw_hlo_lookup_list(call, names, "index_vector_dim");
    int64_t vectors = at.given && at.n == 1 ? at.v[0] : 0;
    MW_TRY(e->status);
    if (vectors < 0 || vectors > rank)
        return mw_hlo_refuse(call,
                             "index_vector_dim is %lld for indices of "
                             "rank %d",
                             (long long)vectors, rank);
    bool own = vectors < rank;
    int64_t n = own ? shape[vectors] : 1;
    if (n > MW_MAX_RANK)
        return mw_hlo_refuse(call, "index vectors have %lld numbers",
                             (long long)n);
    for (int a = 0; a < rank; a++)
        if (!own || a != vectors)
            l->batch_size[l->n_batch++] = shape[a];
    l->n_parts = (int)n;
    for (int k = 0; k < l->n_parts; k++) {
        mw_id part = index;
        if (own) {
            part = mw_emit_slice(e, index, (int)vectors, k, 1, 1);
            part = mw_emit_squeeze(e, part, (int)vectors);
        }
        l->part[k] = part;
    }
    return e->status;
}

static mw_status bad_list(mw_hlo_call *call, const char *name)
{
    return mw_hlo_refuse(call, "%s does not fit the operands", name);
}

static mw_status read_batching(mw_hlo_call *call,
                               const mw_hlo_lookup_names *names,
                               mw_hlo_lookup *l)
{
    mw_hlo_ints table = mw_hlo_lookup_list(call, names, names->table_batch);
    mw_hlo_ints index = mw_hlo_lookup_list(call, names, names->index_batch);
    mw_hlo_ints at = mw_hlo_lookup_list(call, names, "index_vector_dim");
    int64_t vectors = at.given && at.n == 1 ? at.v[0] : 0;
    MW_TRY(call->emit.status);
    if (table.n != index.n)
        return bad_list(call, names->index_batch);
    for (int i = 0; i < table.n; i++) {
        int64_t d = table.v[i], a = index.v[i];
        if (a == vectors)
            return bad_list(call, names->index_batch);
        a -= a > vectors;
        if (d < 0 || d >= l->rank || l->component[d] >= 0 || l->batch[d] >= 0 ||
            a < 0 || a >= l->n_batch || l->batch_size[a] != l->size[d])
            return bad_list(call, names->table_batch);
        for (int k = 0; k < l->rank; k++)
            if (l->batch[k] == a)
                return bad_list(call, names->index_batch);
        l->batch[d] = (int)a;
        l->dropped[d] = true;
    }
    return MW_OK;
}

mw_status mw_hlo_lookup_read(mw_hlo_call *call,
                             const mw_hlo_lookup_names *names, mw_hlo_lookup *l)
{
    *l = (mw_hlo_lookup){0};
    l->rank = mw_hlo_shape(call, call->in[0], l->size);
    for (int d = 0; d < l->rank; d++)
        l->component[d] = l->batch[d] = -1;
    if (!mw_hlo_attr(call, names->whole))
        return mw_hlo_refuse(call, "it has no %s", names->whole);
    MW_TRY(read_indices(call, names, l));
    mw_hlo_ints dropped = mw_hlo_lookup_list(call, names, names->dropped);
    mw_hlo_ints placed = mw_hlo_lookup_list(call, names, names->components);
    MW_TRY(call->emit.status);
    if (placed.n != l->n_parts)
        return bad_list(call, names->components);
    for (int i = 0; i < placed.n; i++) {
        int64_t d = placed.v[i];
        if (d < 0 || d >= l->rank || l->component[d] >= 0)
            return bad_list(call, names->components);
        l->component[d] = i;
    }
    MW_TRY(read_batching(call, names, l));
    for (int i = 0; i < dropped.n; i++) {
        int64_t d = dropped.v[i];
        if (d < 0 || d >= l->rank || l->dropped[d])
            return bad_list(call, names->dropped);
        l->dropped[d] = true;
    }
    return MW_OK;
}

/* ---- positions ---- */

mw_status mw_hlo_places_of(mw_hlo_call *call, const mw_hlo_lookup *l,
                           const bool looked[], mw_hlo_places *places)
{
    *places = (mw_hlo_places){.rank = l->n_batch, .rows = 1};
    for (int d = 0; d < l->rank; d++) {
        if (!looked[d])
            continue;
        places->axis[places->n] = -1;
        if (l->batch[d] < 0 && l->window[d] != 1)
            places->axis[places->n] = places->rank++;
        places->dim[places->n++] = d;
        if (!mw_mul_fits(places->rows, l->size[d], &places->rows))
            return mw_hlo_refuse(call, "its table has too many rows");
    }
    if (places->rank > MW_MAX_RANK)
        return mw_hlo_refuse(call,
                             "its windows and indices have %d axes, at "
                             "most %d",
                             places->rank, MW_MAX_RANK);
    return MW_OK;
}

/* x over the batch axes, with axes of size 1 behind up to `rank`. */
static mw_id over_batch(mw_hlo_call *call, const mw_hlo_lookup *l, mw_id x,
                        int rank)
{
    int64_t shape[MW_MAX_RANK];
    for (int a = 0; a < rank; a++)
        shape[a] = a < l->n_batch ? l->batch_size[a] : 1;
    return mw_emit_reshape(&call->emit, x, shape, rank);
}

mw_id mw_hlo_position(mw_hlo_call *call, const mw_hlo_lookup *l,
                      const mw_hlo_places *places, int k, bool hold)
{
    mw_onnx_call *e = &call->emit;
    int d = places->dim[k];
    if (e->status != MW_OK)
        return MW_NONE;
    if (l->batch[d] >= 0)
        return mw_emit_iota(e, l->size[d], l->batch[d], places->rank);
    mw_id at = MW_NONE;
    if (l->component[d] >= 0) {
        at = l->part[l->component[d]];
        if (hold)
            at = mw_hlo_hold(call, at, l->size[d] - l->window[d]);
        at = over_batch(call, l, at, places->rank);
    }
    if (places->axis[k] < 0)
        return at != MW_NONE ? at : mw_emit_number(e, MW_I64, 0.0);
    mw_id offset = mw_emit_iota(e, l->window[d], places->axis[k], places->rank);
    return at == MW_NONE ? offset : mw_emit2(e, "add", at, offset);
}

mw_id mw_hlo_flat_position(mw_hlo_call *call, const mw_hlo_lookup *l,
                           const mw_hlo_places *places, const mw_id position[])
{
    mw_onnx_call *e = &call->emit;
    int64_t shape[MW_MAX_RANK];
    mw_id flat = position[0];
    for (int k = 1; k < places->n; k++) {
        mw_id row = mw_emit_by(e, "mul", flat, (double)l->size[places->dim[k]]);
        flat = mw_emit2(e, "add", row, position[k]);
    }
    for (int a = 0; a < l->n_batch; a++)
        shape[a] = l->batch_size[a];
    for (int k = 0; k < places->n; k++)
        if (places->axis[k] >= 0)
            shape[places->axis[k]] = l->window[places->dim[k]];
    return mw_emit_broadcast(e, flat, shape, places->rank);
}

mw_id mw_hlo_flat_table(mw_hlo_call *call, mw_id table,
                        const mw_hlo_places *places)
{
    mw_onnx_call *e = &call->emit;
    int64_t size[MW_MAX_RANK], shape[MW_MAX_RANK], perm[MW_MAX_RANK];
    int rank = mw_emit_shape(e, table, size), n = 0, n_shape = 0;
    bool looked[MW_MAX_RANK] = {false};
    for (int k = 0; k < places->n; k++) {
        perm[n++] = places->dim[k];
        looked[places->dim[k]] = true;
    }
    shape[n_shape++] = places->rows;
    for (int d = 0; d < rank; d++)
        if (!looked[d]) {
            perm[n++] = d;
            shape[n_shape++] = size[d];
        }
    table = mw_emit_transpose(e, table, perm);
    return mw_emit_reshape(e, table, shape, n_shape);
}

/* ---- selections ---- */

bool mw_hlo_is_selection(const mw_hlo_lookup *l, int *dim)
{
    int n_placed = 0, n_batching = 0;
    for (int d = 0; d < l->rank; d++) {
        bool placed = l->component[d] >= 0;
        if (placed) {
            *dim = d;
            n_placed++;
        }
        n_batching += l->batch[d] >= 0;
        if (placed ? l->window[d] != 1
                   : l->batch[d] < 0 && l->window[d] != l->size[d])
            return false;
    }
    return n_placed == 1 && n_batching > 0;
}

mw_id mw_hlo_selected(mw_hlo_call *call, const mw_hlo_lookup *l, int dim,
                      bool hold, int behind)
{
    mw_onnx_call *e = &call->emit;
    int rank = l->n_batch + 1 + behind;
    mw_id at = l->part[l->component[dim]];
    if (hold)
        at = mw_hlo_hold(call, at, l->size[dim] - 1);
    at = over_batch(call, l, at, rank);
    mw_id row = mw_emit_iota(e, l->size[dim], l->n_batch, rank);
    return mw_emit2(e, "equal", at, row);
}

void mw_hlo_selection_order(const mw_hlo_lookup *l, int dim, int order[],
                            int *n)
{
    *n = 0;
    for (int a = 0; a < l->n_batch; a++) {
        order[*n] = -1;
        for (int d = 0; d < l->rank; d++)
            if (l->batch[d] == a)
                order[*n] = d;
        ++*n;
    }
    order[(*n)++] = dim;
    for (int d = 0; d < l->rank; d++)
        if (d != dim && l->batch[d] < 0)
            order[(*n)++] = d;
}

/* ---- axes by label ---- */

mw_id mw_hlo_arrange(mw_hlo_call *call, mw_id x, const int have[], int n,
                     const int want[], int m)
{
    mw_onnx_call *e = &call->emit;
    int64_t size[MW_MAX_RANK], perm[MW_MAX_RANK], shape[MW_MAX_RANK];
    bool used[MW_MAX_RANK] = {false};
    int k = 0;
    if (e->status != MW_OK)
        return MW_NONE;
    if (m > MW_MAX_RANK || mw_emit_shape(e, x, size) != n) {
        (void)mw_hlo_refuse(call, "it has %d axes, at most %d", m, MW_MAX_RANK);
        return MW_NONE;
    }
    for (int i = 0; i < m; i++) {
        shape[i] = 1;
        for (int j = 0; j < n; j++)
            if (have[j] == want[i]) {
                perm[k++] = j;
                used[j] = true;
                shape[i] = size[j];
            }
    }
    for (int j = 0; j < n; j++)
        if (!used[j])
            perm[k++] = j;
    return mw_emit_reshape(e, mw_emit_transpose(e, x, perm), shape, m);
}
