/* select.c - operators that take, join, repeat or mask parts of tensors. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "ir/fold.h"
#include "ir/import/emit.h"

/* ---- Slice ---- */

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* x at constant places of an axis. */
static mw_id take(mw_onnx_call *call, mw_id x, int axis, const int64_t at[],
                  int64_t n)
{
    return mw_emit_gather(call, x, mw_emit_vector(call, at, n), axis);
}

/* Elements start, start + step, ... for a negative step. */
static mw_id take_backwards(mw_onnx_call *call, mw_id x, int axis,
                            int64_t start, int64_t step, int64_t count)
{
    if (count > MW_FOLD_CONST_BYTES / (int64_t)sizeof count) {
        (void)mw_onnx_refuse(call,
                             "%lld elements are too many to be taken "
                             "backwards",
                             (long long)count);
        return MW_NONE;
    }
    int64_t *at = MW_NEW_ARRAY(call->arena, count, int64_t);
    if (!at) {
        call->status = MW_ENOMEM;
        return MW_NONE;
    }
    for (int64_t i = 0; i < count; i++)
        at[i] = start + (count > 1 ? i * step : 0);
    return take(call, x, axis, at, count);
}

static mw_id slice_axis(mw_onnx_call *call, mw_id x, int axis,
                        const int64_t bounds[3])
{
    int64_t n = mw_emit_size(call, x, axis), step = bounds[2];
    int64_t start = bounds[0] < 0 ? bounds[0] + n : bounds[0];
    int64_t end = bounds[1] < 0 ? bounds[1] + n : bounds[1];
    if (step == 0) {
        (void)mw_onnx_refuse(call, "step of axis %d is 0", axis);
        return MW_NONE;
    }
    if (step > 0) {
        start = clamp(start, 0, n);
        end = clamp(end, 0, n);
        int64_t count = end > start ? (end - start - 1) / step + 1 : 0;
        return mw_emit_slice(call, x, axis, start, step, count);
    }
    start = clamp(start, -1, n - 1);
    end = clamp(end, -1, n - 1);
    int64_t back = step == INT64_MIN ? INT64_MAX : -step;
    int64_t count = start > end ? (start - end - 1) / back + 1 : 0;
    if (count == 0)
        return mw_emit_slice(call, x, axis, 0, 1, 0);
    return take_backwards(call, x, axis, start, -back, count);
}

static mw_status slice(mw_onnx_call *call)
{
    bool attrs = call->opset < 10;
    mw_onnx_list starts = mw_onnx_list_of(call, "starts", 10, 1);
    mw_onnx_list ends = mw_onnx_list_of(call, "ends", 10, 2);
    mw_onnx_list axes = mw_onnx_list_of(call, "axes", 10, 3);
    mw_onnx_list steps = attrs ? (mw_onnx_list){0} : mw_onnx_in_ints(call, 4);
    mw_id x = call->in[0];
    int rank = mw_emit_rank(call, x);
    MW_TRY(call->status);
    if (starts.n != ends.n || (axes.given && axes.n != starts.n) ||
        (steps.given && steps.n != starts.n) || starts.n > rank)
        return mw_onnx_refuse(call,
                              "starts, ends, axes and steps are %d, %d, "
                              "%d and %d numbers",
                              starts.n, ends.n, axes.n, steps.n);
    uint32_t seen = 0;
    for (int i = 0; i < starts.n; i++) {
        int axis = mw_emit_axis(call, axes.given ? axes.v[i] : i, rank);
        MW_TRY(call->status);
        if (seen & 1U << axis)
            return mw_onnx_refuse(call, "axis %d is there twice", axis);
        seen |= 1U << axis;
        const int64_t bounds[3] = {starts.v[i], ends.v[i],
                                   steps.given ? steps.v[i] : 1};
        x = slice_axis(call, x, axis, bounds);
        MW_TRY(call->status);
    }
    return mw_emit_set(call, 0, x);
}

/* ---- Split and Concat ---- */

/* Lengths of the outputs; equal ones when none are given, the last shorter
 * where num_outputs says how many. */
static mw_status split_lengths(mw_onnx_call *call, int64_t n, int64_t length[])
{
    mw_onnx_list list = mw_onnx_list_of(call, "split", 13, 1);
    MW_TRY(call->status);
    int64_t parts = mw_onnx_int(call, "num_outputs", call->n_out), sum = 0;
    if (parts != call->n_out || (list.given && list.n != call->n_out))
        return mw_onnx_refuse(call, "%lld parts for %d outputs",
                              (long long)(list.given ? list.n : parts),
                              call->n_out);
    bool uneven = mw_onnx_attr_find(call, "num_outputs") != NULL;
    if (!list.given && n % parts != 0 && !uneven)
        return mw_onnx_refuse(call,
                              "%lld elements do not split into %lld "
                              "equal parts",
                              (long long)n, (long long)parts);
    int64_t chunk = mw_ceil_div(n, parts);
    for (int i = 0; i < call->n_out; i++) {
        length[i] = list.given ? list.v[i] : n - sum < chunk ? n - sum : chunk;
        if (length[i] < 0 || length[i] > n - sum)
            return mw_onnx_refuse(call, "part %d has %lld of %lld elements", i,
                                  (long long)length[i], (long long)n);
        sum += length[i];
    }
    if (sum != n)
        return mw_onnx_refuse(call, "the parts have %lld of %lld elements",
                              (long long)sum, (long long)n);
    return MW_OK;
}

static mw_status split(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int axis =
        mw_emit_axis(call, mw_onnx_int(call, "axis", 0), mw_emit_rank(call, x));
    MW_TRY(call->status);
    int64_t *length = MW_NEW_ARRAY(call->arena, call->n_out, int64_t);
    if (!length)
        return MW_ENOMEM;
    MW_TRY(split_lengths(call, mw_emit_size(call, x, axis), length));
    int64_t start = 0;
    for (int i = 0; i < call->n_out; i++) {
        mw_id part = mw_emit_slice(call, x, axis, start, 1, length[i]);
        MW_TRY(mw_emit_set(call, i, part));
        start += length[i];
    }
    return MW_OK;
}

static mw_status concat(mw_onnx_call *call)
{
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", 0),
                            mw_emit_rank(call, call->in[0]));
    int rank = mw_emit_rank(call, call->in[0]);
    for (int i = 0; i < call->n_in; i++)
        if (!mw_onnx_has(call, i) || mw_emit_rank(call, call->in[i]) != rank)
            return mw_onnx_refuse(call, "input %d has not rank %d", i, rank);
    return mw_emit_set(call, 0,
                       mw_emit_concat(call, call->in, call->n_in, axis));
}

/* ---- Gather ---- */

/* Indices in [0, n), which negative ones count from. */
static mw_status wrap_indices(mw_onnx_call *call, const mw_onnx_list *list,
                              int64_t n, int64_t at[])
{
    for (int i = 0; i < list->n; i++) {
        at[i] = list->v[i] < 0 ? list->v[i] + n : list->v[i];
        if (at[i] < 0 || at[i] >= n)
            return mw_onnx_refuse(call,
                                  "index %lld at position %d is outside "
                                  "[%lld, %lld)",
                                  (long long)list->v[i], i, (long long)-n,
                                  (long long)n);
    }
    return MW_OK;
}

/* The constant distance of indices, 0 when they are all the same one. False
 * when there is none, or when it is negative. */
static bool progression(const int64_t at[], int n, int64_t *step)
{
    *step = n > 1 ? at[1] - at[0] : 1;
    for (int i = 2; i < n; i++)
        if (at[i] - at[i - 1] != *step)
            return false;
    return n > 0 && *step >= 0;
}

/* Axis `axis` of x replaced by the shape of the indices. */
static int index_shape(const mw_onnx_call *call, mw_id x, int axis,
                       int64_t shape[2 * MW_MAX_RANK])
{
    int n = 0, rank = mw_emit_rank(call, x);
    for (int i = 0; i < axis; i++)
        shape[n++] = mw_emit_size(call, x, i);
    n += mw_emit_shape(call, call->in[1], shape + n);
    for (int i = axis + 1; i < rank; i++)
        shape[n++] = mw_emit_size(call, x, i);
    return n;
}

/* Known indices at equal distances are a slice, all the same one row copied;
 * others are looked up. */
static mw_id gather_known(mw_onnx_call *call, mw_id x, int axis)
{
    mw_onnx_list list = mw_onnx_in_ints(call, 1);
    int64_t *at = MW_NEW_ARRAY(call->arena, list.n, int64_t), step;
    int64_t shape[2 * MW_MAX_RANK];
    int rank = index_shape(call, x, axis, shape);
    if (!at && call->status == MW_OK)
        call->status = MW_ENOMEM;
    if (call->status != MW_OK ||
        wrap_indices(call, &list, mw_emit_size(call, x, axis), at) != MW_OK)
        return MW_NONE;
    if (!progression(at, list.n, &step)) {
        mw_id indices = mw_emit_vector(call, at, list.n);
        int64_t own[MW_MAX_RANK];
        int n = mw_emit_shape(call, call->in[1], own);
        indices = mw_emit_reshape(call, indices, own, n);
        return mw_emit_gather(call, x, indices, axis);
    }
    if (step > 0)
        return mw_emit_reshape(
            call, mw_emit_slice(call, x, axis, at[0], step, list.n), shape,
            rank);
    mw_id row = mw_emit_slice(call, x, axis, at[0], 1, 1);
    int64_t one[2 * MW_MAX_RANK];
    int index_rank = mw_emit_rank(call, call->in[1]);
    for (int i = 0; i < rank; i++)
        one[i] = i >= axis && i < axis + index_rank ? 1 : shape[i];
    row = mw_emit_reshape(call, row, one, rank);
    return mw_emit_broadcast(call, row, shape, rank);
}

static mw_status gather(mw_onnx_call *call)
{
    mw_id x = call->in[0], indices = call->in[1];
    int rank = mw_emit_rank(call, x);
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", 0), rank);
    MW_TRY(call->status);
    if (rank - 1 + mw_emit_rank(call, indices) > MW_MAX_RANK)
        return mw_onnx_refuse(call, "the result has more than %d axes",
                              MW_MAX_RANK);
    if (mw_dtype_is_float(mw_emit_dtype(call, indices)))
        return mw_onnx_refuse(call, "indices are %s",
                              mw_dtype_name(mw_emit_dtype(call, indices)));
    bool known = mw_fold_known(call->graph, indices);
    return mw_emit_set(call, 0,
                       known ? gather_known(call, x, axis)
                             : mw_emit_gather(call, x, indices, axis));
}

/* ---- Pad ---- */

/* Where element i of the padded axis comes from; -1: nowhere. */
static int64_t padded_from(const char *mode, int64_t i, int64_t n)
{
    if (i >= 0 && i < n)
        return i;
    if (strcmp(mode, "edge") == 0)
        return i < 0 ? 0 : n - 1;
    if (strcmp(mode, "wrap") == 0)
        return (i % n + n) % n;
    int64_t mirrored = i < 0 ? -i : 2 * (n - 1) - i;
    return mirrored >= 0 && mirrored < n ? mirrored : -1;
}

static mw_id pad_by_copies(mw_onnx_call *call, mw_id x, int axis,
                           const int64_t pads[2], const char *mode)
{
    int64_t n = mw_emit_size(call, x, axis), total = n + pads[0] + pads[1];
    if (pads[0] == 0 && pads[1] == 0)
        return x;
    int64_t *at = NULL;
    if (n > 0 && total <= MW_FOLD_CONST_BYTES / (int64_t)sizeof n)
        at = MW_NEW_ARRAY(call->arena, total, int64_t);
    bool good = at != NULL;
    for (int64_t i = 0; i < total && good; i++) {
        at[i] = padded_from(mode, i - pads[0], n);
        good = at[i] >= 0;
    }
    if (good)
        return take(call, x, axis, at, total);
    (void)mw_onnx_refuse(call,
                         "mode '%s' cannot pad %lld elements by %lld and "
                         "%lld",
                         mode, (long long)n, (long long)pads[0],
                         (long long)pads[1]);
    return MW_NONE;
}

static mw_id pad_axis(mw_onnx_call *call, mw_id x, int axis,
                      const int64_t pads[2], double value)
{
    const char *mode = mw_onnx_text(call, "mode", "constant");
    const int64_t most = INT64_MAX / 4;
    int64_t n = mw_emit_size(call, x, axis), grow[2], cut[2];
    bool fits = n <= most;
    for (int i = 0; i < 2; i++) {
        fits = fits && pads[i] >= -n && pads[i] <= most;
        grow[i] = fits && pads[i] > 0 ? pads[i] : 0;
        cut[i] = fits && pads[i] < 0 ? -pads[i] : 0;
    }
    if (!fits || cut[0] + cut[1] > n) {
        (void)mw_onnx_refuse(call,
                             "axis %d of size %lld padded by %lld and "
                             "%lld",
                             axis, (long long)n, (long long)pads[0],
                             (long long)pads[1]);
        return MW_NONE;
    }
    x = mw_emit_slice(call, x, axis, cut[0], 1, n - cut[0] - cut[1]);
    if (strcmp(mode, "constant") == 0)
        return mw_emit_pad(call, x, axis, grow[0], grow[1], value);
    if (call->status != MW_OK)
        return MW_NONE;
    if (strcmp(mode, "reflect") != 0 && strcmp(mode, "edge") != 0 &&
        strcmp(mode, "wrap") != 0) {
        (void)mw_onnx_refuse(call, "mode '%s' is not supported", mode);
        return MW_NONE;
    }
    return pad_by_copies(call, x, axis, grow, mode);
}

static mw_status pad(mw_onnx_call *call)
{
    mw_onnx_list pads = mw_onnx_list_of(call, "pads", 11, 1);
    mw_onnx_list axes = mw_onnx_in_ints(call, 3);
    mw_id x = call->in[0];
    int rank = mw_emit_rank(call, x), n = axes.given ? axes.n : rank;
    double value = call->opset < 11 ? mw_onnx_float(call, "value", 0.0)
                                    : mw_onnx_in_number(call, 2, 0.0);
    MW_TRY(call->status);
    if (pads.n != 2 * n)
        return mw_onnx_refuse(call, "%d pads for %d axes", pads.n, n);
    for (int i = 0; i < n; i++) {
        int axis = mw_emit_axis(call, axes.given ? axes.v[i] : i, rank);
        const int64_t both[2] = {pads.v[i], pads.v[i + n]};
        MW_TRY(call->status);
        x = pad_axis(call, x, axis, both, value);
        MW_TRY(call->status);
    }
    return mw_emit_set(call, 0, x);
}

/* ---- masks ---- */

/* The upper or lower triangle, from the k-th diagonal. */
static mw_status trilu(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int rank = mw_emit_rank(call, x);
    bool upper = mw_onnx_int(call, "upper", 1) != 0;
    double k = mw_onnx_in_number(call, 1, 0.0);
    MW_TRY(call->status);
    if (rank < 2)
        return mw_onnx_refuse(call, "input has rank %d, wanted 2 or more",
                              rank);
    mw_id row = mw_emit_iota(call, mw_emit_size(call, x, rank - 2), 0, 2);
    mw_id column = mw_emit_iota(call, mw_emit_size(call, x, rank - 1), 1, 2);
    mw_id diagonal = mw_emit_by(call, "add", row, k);
    mw_id kept = mw_emit2(call, upper ? "greater_equal" : "less_equal", column,
                          diagonal);
    return mw_emit_set(
        call, 0, mw_emit_where(call, kept, x, mw_emit_like(call, x, 0.0)));
}

static mw_id value_at(mw_onnx_call *call, mw_id x, int64_t at)
{
    return mw_emit_reshape(call, mw_emit_slice(call, x, 0, at, 1, 1), NULL, 0);
}

/* on where the index is the place along the new axis, else off. */
static mw_status one_hot(mw_onnx_call *call)
{
    mw_id x = mw_emit_cast(call, call->in[0], MW_I64);
    int rank = mw_emit_rank(call, x);
    double depth = mw_onnx_in_number(call, 1, 0.0);
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", -1), rank + 1);
    MW_TRY(call->status);
    if (depth < 0.0 || depth > 1e9 || mw_emit_rank(call, call->in[2]) != 1 ||
        mw_emit_size(call, call->in[2], 0) != 2)
        return mw_onnx_refuse(call, "depth is %g; values should be two", depth);
    mw_id index = mw_emit_where(call, mw_emit_by(call, "less", x, 0.0),
                                mw_emit_by(call, "add", x, depth), x);
    const int64_t place = axis, size = (int64_t)depth;
    const mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &place},
        {.name = "size", .kind = MW_ATTR_INT, .n = 1, .i = &size},
        {.name = "to", .kind = MW_ATTR_DTYPE, .dtype = MW_BOOL}};
    mw_id y = mw_emit_where(call, mw_emit(call, "one_hot", &index, 1, attr, 3),
                            value_at(call, call->in[2], 1),
                            value_at(call, call->in[2], 0));
    return mw_emit_set(call, 0, y);
}

/* ---- order ---- */

/* The k largest or smallest along an axis, in order, and where they were. */
static mw_status top_k(mw_onnx_call *call)
{
    mw_id x = call->in[0], out[2];
    int64_t axis = mw_emit_axis(call, mw_onnx_int(call, "axis", -1),
                                mw_emit_rank(call, x));
    int64_t largest = mw_onnx_int(call, "largest", 1);
    int64_t wanted = mw_onnx_int(call, "k", -1); /* before opset 10 */
    if (call->opset >= 10) {
        mw_onnx_list k = mw_onnx_in_ints(call, 1);
        wanted = k.n == 1 ? k.v[0] : -1;
    }
    MW_TRY(call->status);
    if (wanted < 0 || wanted > mw_emit_size(call, x, (int)axis))
        return mw_onnx_refuse(call, "k is %lld of %lld elements",
                              (long long)wanted,
                              (long long)mw_emit_size(call, x, (int)axis));
    const mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
        {.name = "k", .kind = MW_ATTR_INT, .n = 1, .i = &wanted},
        {.name = "largest", .kind = MW_ATTR_INT, .n = 1, .i = &largest}};
    mw_emit_two(call, "top_k", x, attr, 3, out);
    MW_TRY(mw_emit_set(call, 0, out[0]));
    return mw_emit_set(call, 1, out[1]);
}

static const mw_onnx_rule rules[] = {
    {.op = "Concat",
     .since = 4,
     .min_in = 1,
     .max_in = -1,
     .attrs = "axis",
     .build = concat},
    {.op = "Gather",
     .since = 1,
     .min_in = 2,
     .max_in = 2,
     .attrs = "axis",
     .build = gather},
    {.op = "OneHot",
     .since = 9,
     .min_in = 3,
     .max_in = 3,
     .attrs = "axis",
     .build = one_hot},
    {.op = "Pad",
     .since = 2,
     .min_in = 1,
     .max_in = 4,
     .attrs = "mode pads value",
     .build = pad},
    {.op = "Slice",
     .since = 1,
     .min_in = 1,
     .max_in = 5,
     .attrs = "starts ends axes",
     .build = slice},
    {.op = "Split",
     .since = 2,
     .min_in = 1,
     .max_in = 2,
     .attrs = "axis split num_outputs",
     .build = split},
    {.op = "TopK",
     .since = 1,
     .min_in = 1,
     .max_in = 2,
     .attrs = "axis k largest sorted",
     .build = top_k},
    {.op = "Trilu",
     .since = 14,
     .min_in = 1,
     .max_in = 2,
     .attrs = "upper",
     .build = trilu},
    {0},
};

const mw_onnx_def mw_onnx_select = {
    .brief = "slices, joins, look-ups and masks", .rules = rules};
