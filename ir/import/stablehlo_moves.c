/* stablehlo_moves.c - padding also between elements, and reversal. */
#include "ir/import/stablehlo_moves.h"

#include "base/checked.h"
#include "ir/fold.h"

int64_t mw_hlo_padded(int64_t n, mw_hlo_padding padding)
{
    int64_t total = n;
    if (padding.interior < 0 ||
        (n > 0 && (!mw_mul_fits(n - 1, padding.interior, &total) ||
                   !mw_add_fits(total, n, &total))) ||
        !mw_add_fits(total, padding.low, &total) ||
        !mw_add_fits(total, padding.high, &total))
        return -1;
    return total;
}

/* An axis of its own behind each element takes the elements between. */
static mw_id spread(mw_hlo_call *call, mw_id x, int axis, int64_t interior,
                    double value)
{
    mw_onnx_call *e = &call->emit;
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(e, x, shape);
    int64_t n = shape[axis];
    if (interior == 0 || n < 2)
        return x;
    x = mw_emit_unsqueeze(e, x, axis + 1);
    x = mw_emit_pad(e, x, axis + 1, 0, interior, value);
    shape[axis] = n * (interior + 1);
    x = mw_emit_reshape(e, x, shape, rank);
    return mw_emit_slice(e, x, axis, 0, 1, shape[axis] - interior);
}

static mw_id cut(mw_hlo_call *call, mw_id x, int axis, mw_hlo_padding padding)
{
    int64_t n = mw_emit_size(&call->emit, x, axis);
    int64_t before = padding.low < 0 ? -padding.low : 0;
    int64_t after = padding.high < 0 ? -padding.high : 0;
    if (before == 0 && after == 0)
        return x;
    return mw_emit_slice(&call->emit, x, axis, before, 1, n - before - after);
}

/* The value is known only when it runs: pads with zeros, and puts the value
 * where a tensor of ones padded alike has none. */
static mw_id pad_by(mw_hlo_call *call, mw_id x, int axis,
                    mw_hlo_padding padding, mw_id value)
{
    mw_onnx_call *e = &call->emit;
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(e, x, shape);
    for (int a = 0; a < rank; a++)
        if (a != axis)
            shape[a] = 1;
    mw_id zero = mw_emit_like(e, x, 0.0), one = mw_emit_number(e, MW_I32, 1.0);
    mw_id ones = mw_emit_broadcast(e, one, shape, rank);
    mw_id inside =
        mw_hlo_pad(call, ones, axis, padding, mw_emit_number(e, MW_I32, 0.0));
    mw_id padded = mw_hlo_pad(call, x, axis, padding, zero);
    return mw_emit_where(e, mw_emit_by(e, "equal", inside, 1.0), padded, value);
}

/* Of an empty axis nothing else is left. */
static mw_id only_padding(mw_hlo_call *call, mw_id x, int axis, int64_t total,
                          mw_id value)
{
    int64_t shape[MW_MAX_RANK], ones[MW_MAX_RANK];
    int rank = mw_emit_shape(&call->emit, x, shape);
    shape[axis] = total;
    for (int a = 0; a < rank; a++)
        ones[a] = 1;
    const mw_hlo_value all = {
        .id = mw_emit_reshape(&call->emit, value, ones, rank), .full = shape};
    return mw_hlo_whole(call, all);
}

mw_id mw_hlo_pad(mw_hlo_call *call, mw_id x, int axis, mw_hlo_padding padding,
                 mw_id value)
{
    mw_onnx_call *e = &call->emit;
    if (e->status != MW_OK ||
        (padding.low == 0 && padding.high == 0 && padding.interior == 0))
        return x;
    int64_t n = mw_emit_size(e, x, axis);
    int64_t total = mw_hlo_padded(n, padding);
    mw_hlo_padding inner = {.interior = padding.interior};
    int64_t spaced = mw_hlo_padded(n, inner);
    bool fits = total >= 0 && spaced >= 0 && total < INT32_MAX * 64LL &&
                spaced < INT32_MAX * 64LL && padding.low >= -spaced &&
                padding.high >= -spaced;
    if (!fits) {
        (void)mw_hlo_refuse(call,
                            "padding of %lld, %lld and %lld between for "
                            "axis %d of %lld",
                            (long long)padding.low, (long long)padding.high,
                            (long long)padding.interior, axis, (long long)n);
        return MW_NONE;
    }
    if (n == 0)
        return only_padding(call, x, axis, total, value);
    bool uniform;
    uint64_t bits = 0;
    mw_status status = mw_fold_uniform(e->graph, value, &uniform, &bits);
    if (status != MW_OK && e->status == MW_OK)
        e->status = status;
    if (!uniform)
        return pad_by(call, x, axis, padding, value);
    double number = mw_fold_number(mw_emit_dtype(e, value), &bits);
    x = spread(call, x, axis, padding.interior, number);
    x = mw_emit_pad(e, x, axis, padding.low > 0 ? padding.low : 0,
                    padding.high > 0 ? padding.high : 0, number);
    return cut(call, x, axis, padding);
}

mw_id mw_hlo_flip(mw_hlo_call *call, mw_id x, int axis)
{
    mw_onnx_call *e = &call->emit;
    int64_t n = mw_emit_size(e, x, axis);
    if (n < 2 || e->status != MW_OK)
        return x;
    if (n > MW_FOLD_CONST_BYTES / (int64_t)sizeof n) {
        (void)mw_hlo_refuse(call, "%lld elements are too many to be reversed",
                            (long long)n);
        return MW_NONE;
    }
    int64_t *at = MW_NEW_ARRAY(e->arena, n, int64_t);
    if (!at) {
        e->status = MW_ENOMEM;
        return MW_NONE;
    }
    for (int64_t i = 0; i < n; i++)
        at[i] = n - 1 - i;
    return mw_emit_gather(e, x, mw_emit_vector(e, at, n), axis);
}

mw_id mw_hlo_hold(mw_hlo_call *call, mw_id x, int64_t most)
{
    mw_onnx_call *e = &call->emit;
    mw_id wide = mw_emit_cast(e, x, MW_I64);
    wide = mw_emit_by(e, "max", wide, 0.0);
    return mw_emit_by(e, "min", wide, (double)most);
}
