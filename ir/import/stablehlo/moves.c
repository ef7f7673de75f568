/* moves.c - operations that move elements: broadcast, reshape, transpose,
 * slices, joins, padding. */
#include <string.h>

#include "base/checked.h"
#include "ir/import/stablehlo_call.h"
#include "ir/import/stablehlo_moves.h"

/* ---- broadcast ---- */

/* dims[i]: the result's axis that the operand's axis i is. */
static mw_status broadcast_to(mw_hlo_call *call, mw_hlo_ints dims,
                              const int64_t shape[], int rank)
{
    mw_onnx_call *e = &call->emit;
    int64_t meant[MW_MAX_RANK], own[MW_MAX_RANK], narrow[MW_MAX_RANK];
    int64_t perm[MW_MAX_RANK] = {0};
    int from[MW_MAX_RANK], n = mw_hlo_shape(call, call->in[0], meant);
    (void)mw_emit_shape(e, call->in[0].id, own);
    if (dims.n != n)
        return mw_hlo_refuse(call, "%d dims for an operand of rank %d", dims.n,
                             n);
    for (int a = 0; a < rank; a++) {
        from[a] = -1;
        narrow[a] = 1;
    }
    for (int i = 0; i < n; i++) {
        int64_t a = dims.v[i];
        if (a < 0 || a >= rank || from[a] >= 0 ||
            (meant[i] != 1 && meant[i] != shape[a]))
            return mw_hlo_refuse(call,
                                 "axis %d of %lld does not fit dimension %lld",
                                 i, (long long)meant[i], (long long)a);
        from[a] = i;
        narrow[a] = own[i];
    }
    int k = 0;
    for (int a = 0; a < rank; a++)
        if (from[a] >= 0)
            perm[k++] = from[a];
    mw_id id = mw_emit_transpose(e, call->in[0].id, perm);
    id = mw_emit_reshape(e, id, narrow, rank);
    int64_t *full = MW_NEW_ARRAY(e->arena, rank, int64_t);
    if (!full)
        return MW_ENOMEM;
    memcpy(full, shape, (size_t)rank * sizeof *full);
    return mw_hlo_set_value(call, 0, (mw_hlo_value){.id = id, .full = full});
}

static mw_hlo_ints broadcast_dims(mw_hlo_call *call)
{
    bool pretty = mw_hlo_attr(call, "dims") != NULL;
    return mw_hlo_list(call, pretty ? "dims" : "broadcast_dimensions", -1, 0);
}

static mw_status broadcast_in_dim(mw_hlo_call *call)
{
    int64_t shape[MW_MAX_RANK];
    int rank = mw_hlo_out_shape(call, 0, shape);
    mw_hlo_ints dims = broadcast_dims(call);
    MW_TRY(call->emit.status);
    return broadcast_to(call, dims, shape, rank);
}

static mw_status known_shape(mw_hlo_call *call, int i, mw_hlo_ints *shape)
{
    *shape = mw_hlo_known(call, i);
    MW_TRY(call->emit.status);
    if (!shape->given || shape->n > MW_MAX_RANK)
        return mw_hlo_refuse(call, "its sizes depend on an input's values");
    for (int a = 0; a < shape->n; a++)
        if (shape->v[a] < 0)
            return mw_hlo_refuse(call, "axis %d has the size %lld", a,
                                 (long long)shape->v[a]);
    return MW_OK;
}

static mw_status dynamic_broadcast(mw_hlo_call *call)
{
    mw_hlo_ints shape, dims = broadcast_dims(call);
    MW_TRY(known_shape(call, 1, &shape));
    return broadcast_to(call, dims, shape.v, shape.n);
}

/* ---- reshape and transpose ---- */

static mw_status reshape_to(mw_hlo_call *call, const int64_t shape[], int rank)
{
    int64_t own[MW_MAX_RANK], before = 1, after = 1;
    int n = mw_hlo_shape(call, call->in[0], own);
    for (int a = 0; a < n; a++)
        before *= own[a];
    for (int a = 0; a < rank; a++)
        if (!mw_mul_fits(after, shape[a], &after))
            after = -1;
    if (before != after)
        return mw_hlo_refuse(call, "%lld elements do not fit %lld",
                             (long long)before, (long long)after);
    /* A scalar that stands for many stays one. */
    const mw_tensor *tensor = mw_emit_tensor(&call->emit, call->in[0].id);
    if (call->in[0].full && mw_tensor_elements(tensor) == 1 && before != 0) {
        int64_t ones[MW_MAX_RANK];
        int64_t *full = MW_NEW_ARRAY(call->emit.arena, rank, int64_t);
        if (!full)
            return MW_ENOMEM;
        for (int a = 0; a < rank; a++) {
            ones[a] = 1;
            full[a] = shape[a];
        }
        mw_id one = mw_emit_reshape(&call->emit, call->in[0].id, ones, rank);
        return mw_hlo_set_value(call, 0,
                                (mw_hlo_value){.id = one, .full = full});
    }
    mw_id x = mw_hlo_in(call, 0);
    return mw_hlo_set(call, 0, mw_emit_reshape(&call->emit, x, shape, rank));
}

static mw_status reshape(mw_hlo_call *call)
{
    int64_t shape[MW_MAX_RANK];
    int rank = mw_hlo_out_shape(call, 0, shape);
    MW_TRY(call->emit.status);
    return reshape_to(call, shape, rank);
}

static mw_status dynamic_reshape(mw_hlo_call *call)
{
    mw_hlo_ints shape;
    MW_TRY(known_shape(call, 1, &shape));
    return reshape_to(call, shape.v, shape.n);
}

static mw_status check_perm(mw_hlo_call *call, mw_hlo_ints perm, int rank)
{
    uint32_t seen = 0;
    for (int i = 0; i < rank && perm.n == rank; i++)
        if (perm.v[i] >= 0 && perm.v[i] < rank)
            seen |= 1U << perm.v[i];
    if (perm.n != rank || seen != (1U << rank) - 1U)
        return mw_hlo_refuse(call, "its dims are no order of %d axes", rank);
    return MW_OK;
}

static mw_status transpose(mw_hlo_call *call)
{
    bool pretty = mw_hlo_attr(call, "dims") != NULL;
    mw_hlo_ints perm =
        mw_hlo_list(call, pretty ? "dims" : "permutation", -1, 0);
    int rank = mw_emit_rank(&call->emit, call->in[0].id);
    MW_TRY(call->emit.status);
    MW_TRY(check_perm(call, perm, rank));
    mw_hlo_value y = {
        .id = mw_emit_transpose(&call->emit, call->in[0].id, perm.v)};
    if (call->in[0].full) {
        int64_t *full = MW_NEW_ARRAY(call->emit.arena, rank, int64_t);
        if (!full)
            return MW_ENOMEM;
        for (int a = 0; a < rank; a++)
            full[a] = call->in[0].full[perm.v[a]];
        y.full = full;
    }
    return mw_hlo_set_value(call, 0, y);
}

/* ---- slices, joins and padding ---- */

static mw_status slice_by(mw_hlo_call *call, mw_hlo_ints start,
                          mw_hlo_ints limit, mw_hlo_ints stride)
{
    mw_id x = mw_hlo_in(call, 0);
    int rank = mw_emit_rank(&call->emit, x);
    MW_TRY(call->emit.status);
    if (start.n != rank || limit.n != rank || stride.n != rank)
        return mw_hlo_refuse(call, "bounds of %d, %d and %d axes for %d",
                             start.n, limit.n, stride.n, rank);
    for (int a = 0; a < rank; a++) {
        int64_t n = mw_emit_size(&call->emit, x, a);
        if (start.v[a] < 0 || start.v[a] > limit.v[a] || limit.v[a] > n ||
            stride.v[a] < 1)
            return mw_hlo_refuse(
                call, "bounds %lld:%lld:%lld of axis %d, which has %lld",
                (long long)start.v[a], (long long)limit.v[a],
                (long long)stride.v[a], a, (long long)n);
        int64_t reach = limit.v[a] - start.v[a];
        int64_t count = reach == 0 ? 0 : (reach - 1) / stride.v[a] + 1;
        x = mw_emit_slice(&call->emit, x, a, start.v[a], stride.v[a], count);
        MW_TRY(call->emit.status);
    }
    return mw_hlo_set(call, 0, x);
}

/* [0:8:2, 1:3] */
static mw_status pretty_bounds(mw_hlo_call *call, const mw_hlo_item *bounds,
                               mw_hlo_ints part[3])
{
    if (bounds->kind != MW_HLO_LIST || bounds->n > MW_MAX_RANK)
        return mw_hlo_refuse(call, "its bounds are no list");
    int64_t *v = MW_NEW_ARRAY(call->emit.arena, 3 * MW_MAX_RANK, int64_t);
    if (!v)
        return MW_ENOMEM;
    for (int a = 0; a < (int)bounds->n; a++) {
        const mw_hlo_item *item = &bounds->item[a];
        if (item->kind != MW_HLO_LIST || item->n < 2 || item->n > 3)
            return mw_hlo_refuse(call,
                                 "the bounds of axis %d are not "
                                 "START:LIMIT",
                                 a);
        for (int k = 0; k < 3; k++)
            v[k * MW_MAX_RANK + a] = k < item->n ? item->item[k].i : 1;
    }
    for (int k = 0; k < 3; k++)
        part[k] = (mw_hlo_ints){.given = true,
                                .n = (int)bounds->n,
                                .v = v + (size_t)k * MW_MAX_RANK};
    return MW_OK;
}

static mw_status slice(mw_hlo_call *call)
{
    mw_hlo_ints part[3] = {{0}};
    const mw_hlo_item *bounds = mw_hlo_attr(call, "bounds");
    int rank = mw_emit_rank(&call->emit, call->in[0].id);
    if (bounds) {
        MW_TRY(pretty_bounds(call, bounds, part));
    } else {
        part[0] = mw_hlo_list(call, "start_indices", rank, 0);
        part[1] = mw_hlo_list(call, "limit_indices", rank, 0);
        part[2] = mw_hlo_list(call, "strides", rank, 1);
        MW_TRY(call->emit.status);
    }
    return slice_by(call, part[0], part[1], part[2]);
}

static mw_status concatenate(mw_hlo_call *call)
{
    const char *attr = mw_hlo_attr(call, "dim") ? "dim" : "dimension";
    int64_t axis = mw_hlo_int(call, attr, 0);
    mw_id *in = MW_NEW_ARRAY(call->emit.arena, call->n_in, mw_id);
    if (!in)
        return MW_ENOMEM;
    for (int i = 0; i < call->n_in; i++)
        in[i] = mw_hlo_in(call, i);
    MW_TRY(call->emit.status);
    for (int i = 0; i < call->n_in; i++)
        if (axis < 0 || axis >= mw_emit_rank(&call->emit, in[i]))
            return mw_hlo_refuse(call, "operand %d has no dimension %lld", i,
                                 (long long)axis);
    return mw_hlo_set(call, 0,
                      mw_emit_concat(&call->emit, in, call->n_in, (int)axis));
}

static mw_status pad(mw_hlo_call *call)
{
    static const char *const names[] = {"low", "high", "interior"};
    static const char *const generic[] = {
        "edge_padding_low", "edge_padding_high", "interior_padding"};
    mw_id x = mw_hlo_in(call, 0), value = mw_hlo_in(call, 1);
    int rank = mw_emit_rank(&call->emit, x);
    mw_hlo_ints by[3];
    for (int k = 0; k < 3; k++)
        by[k] = mw_hlo_list(
            call, mw_hlo_attr(call, names[k]) ? names[k] : generic[k], rank, 0);
    for (int a = 0; a < rank; a++) {
        const mw_hlo_padding padding = {by[0].v[a], by[1].v[a], by[2].v[a]};
        x = mw_hlo_pad(call, x, a, padding, value);
        MW_TRY(call->emit.status);
    }
    return mw_hlo_set(call, 0, x);
}

static mw_status reverse(mw_hlo_call *call)
{
    bool pretty = mw_hlo_attr(call, "dims") != NULL;
    mw_hlo_ints dims = mw_hlo_list(call, pretty ? "dims" : "dimensions", -1, 0);
    mw_id x = mw_hlo_in(call, 0);
    int rank = mw_emit_rank(&call->emit, x);
    for (int i = 0; i < dims.n; i++) {
        if (dims.v[i] < 0 || dims.v[i] >= rank)
            return mw_hlo_refuse(call, "dimension %lld of a rank of %d",
                                 (long long)dims.v[i], rank);
        x = mw_hlo_flip(call, x, (int)dims.v[i]);
        MW_TRY(call->emit.status);
    }
    return mw_hlo_set(call, 0, x);
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.broadcast_in_dim",
     .min_in = 1,
     .max_in = 1,
     .attrs = "dims broadcast_dimensions",
     .build = broadcast_in_dim},
    {.op = "stablehlo.dynamic_broadcast_in_dim",
     .min_in = 2,
     .max_in = 2,
     .attrs = "dims broadcast_dimensions known_expanding_dimensions "
              "known_nonexpanding_dimensions",
     .build = dynamic_broadcast},
    {.op = "stablehlo.reshape", .min_in = 1, .max_in = 1, .build = reshape},
    {.op = "stablehlo.dynamic_reshape",
     .min_in = 2,
     .max_in = 2,
     .build = dynamic_reshape},
    {.op = "stablehlo.transpose",
     .min_in = 1,
     .max_in = 1,
     .attrs = "dims permutation",
     .build = transpose},
    {.op = "stablehlo.slice",
     .min_in = 1,
     .max_in = 1,
     .attrs = "bounds start_indices limit_indices strides",
     .build = slice},
    {.op = "stablehlo.concatenate",
     .min_in = 1,
     .max_in = -1,
     .attrs = "dim dimension",
     .build = concatenate},
    {.op = "stablehlo.pad",
     .min_in = 2,
     .max_in = 2,
     .attrs = "low high interior edge_padding_low edge_padding_high "
              "interior_padding",
     .build = pad},
    {.op = "stablehlo.reverse",
     .min_in = 1,
     .max_in = 1,
     .attrs = "dims dimensions",
     .build = reverse},
    {0},
};

const mw_hlo_def mw_hlo_moves = {.brief = "moves of elements", .rules = rules};
