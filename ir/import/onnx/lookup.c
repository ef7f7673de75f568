/* lookup.c - look-ups by several indices at once. */
#include <string.h>

#include "ir/import/emit.h"

/* [.., m, ..] by [.., n, ..]: an index for each element. */
static mw_status gather_elements(mw_onnx_call *call)
{
    mw_id x = call->in[0], index = mw_emit_cast(call, call->in[1], MW_I64);
    int rank = mw_emit_rank(call, x);
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", 0), rank);
    MW_TRY(call->status);
    if (mw_emit_rank(call, index) != rank)
        return mw_onnx_refuse(call, "input of rank %d, indices of rank %d",
                              rank, mw_emit_rank(call, index));
    for (int i = 0; i < rank; i++) {
        int64_t n = mw_emit_size(call, index, i);
        if (i != axis && n > mw_emit_size(call, x, i))
            return mw_onnx_refuse(call,
                                  "axis %d of the indices is longer than "
                                  "the input's",
                                  i);
        if (i != axis)
            x = mw_emit_slice(call, x, i, 0, 1, n);
    }
    const int64_t place = axis, one = 1;
    const mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &place},
        {.name = "along", .kind = MW_ATTR_INT, .n = 1, .i = &one}};
    return mw_emit_set(
        call, 0, mw_emit(call, "gather", (mw_id[]){x, index}, 2, attr, 2));
}

/* The index of the leading `depth` axes taken as one: the last axis of the
 * indices, each wrapped, by the strides. */
static mw_id flat_index(mw_onnx_call *call, mw_id indices, int depth,
                        const int64_t size[])
{
    int last = mw_emit_rank(call, indices) - 1;
    mw_id sum = MW_NONE;
    for (int i = 0; i < depth; i++) {
        mw_id part = mw_emit_squeeze(
            call, mw_emit_slice(call, indices, last, i, 1, 1), last);
        const mw_attr attr = {
            .name = "size", .kind = MW_ATTR_INT, .n = 1, .i = &size[i]};
        part = mw_emit(call, "wrap", &part, 1, &attr, 1);
        if (i > 0)
            part = mw_emit2(call, "add", part,
                            mw_emit_by(call, "mul", sum, (double)size[i]));
        sum = part;
    }
    return sum;
}

/* The index with the leading axes, which it shares with the input, taken in:
 * the place of each example, times the size of one. */
static mw_id batch_index(mw_onnx_call *call, mw_id index, int batch, int depth,
                         const int64_t size[])
{
    int64_t shape[MW_MAX_RANK], n = 1, each = 1;
    int rank = mw_emit_rank(call, index);
    if (batch == 0)
        return index;
    for (int i = 0; i < batch; i++)
        n *= size[i];
    for (int i = batch; i < batch + depth; i++)
        each *= size[i];
    for (int i = 0; i < rank; i++)
        shape[i] = i < batch ? size[i] : 1;
    mw_id first = mw_emit_iota(call, n, 0, 1);
    first = mw_emit_by(call, "mul", first, (double)each);
    return mw_emit2(call, "add", index,
                    mw_emit_reshape(call, first, shape, rank));
}

/* Look-up in the leading axes, as one axis. */
static mw_status gather_nd(mw_onnx_call *call)
{
    mw_id x = call->in[0], indices = mw_emit_cast(call, call->in[1], MW_I64);
    int64_t size[MW_MAX_RANK], flat[MW_MAX_RANK];
    int rank = mw_emit_shape(call, x, size), last;
    int64_t batch = mw_onnx_int(call, "batch_dims", 0);
    last = mw_emit_rank(call, indices) - 1;
    int64_t depth = last < 0 ? 0 : mw_emit_size(call, indices, last);
    MW_TRY(call->status);
    if (batch < 0 || batch > last || depth < 1 || batch + depth > rank)
        return mw_onnx_refuse(call,
                              "%lld batch_dims, and indices of %lld axes into "
                              "an input of rank %d",
                              (long long)batch, (long long)depth, rank);
    flat[0] = 1;
    for (int i = 0; i < rank; i++) {
        if (i < batch + depth)
            flat[0] *= size[i];
        else
            flat[i - (batch + depth) + 1] = size[i];
    }
    mw_id table =
        mw_emit_reshape(call, x, flat, rank - (int)(batch + depth) + 1);
    mw_id index = flat_index(call, indices, (int)depth, size + batch);
    index = batch_index(call, index, (int)batch, (int)depth, size);
    return mw_emit_set(call, 0, mw_emit_gather(call, table, index, 0));
}

/* ---- updates by index ---- */

/* How updates meet what stands there: the `mode` of `scatter`. */
static const char *reduction(mw_onnx_call *call)
{
    static const char *const mode[] = {"add", "mul", "min", "max"};
    const char *wanted = mw_onnx_text(call, "reduction", "none");
    for (size_t i = 0; i < sizeof mode / sizeof mode[0]; i++)
        if (strcmp(wanted, mode[i]) == 0)
            return mode[i];
    if (strcmp(wanted, "none") != 0)
        (void)mw_onnx_refuse(call, "reduction is '%s'", wanted);
    return "set";
}

static mw_id scatter(mw_onnx_call *call, const mw_id in[3], int64_t axis,
                     int64_t along, const char *mode)
{
    const mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
        {.name = "along", .kind = MW_ATTR_INT, .n = 1, .i = &along},
        {.name = "mode", .kind = MW_ATTR_TEXT, .text = mode}};
    return mw_emit(call, "scatter", in, 3, attr, 3);
}

/* The table's part that updates of other axes than `axis` reach is cut out and
 * put back. */
static mw_id scatter_part(mw_onnx_call *call, const mw_id in[3], int axis,
                          const char *mode)
{
    mw_id whole[MW_MAX_RANK], part[3] = {in[0], in[1], in[2]};
    int rank = mw_emit_rank(call, in[0]);
    for (int i = 0; i < rank; i++) {
        whole[i] = part[0];
        if (i != axis)
            part[0] = mw_emit_slice(call, part[0], i, 0, 1,
                                    mw_emit_size(call, in[1], i));
    }
    mw_id y = scatter(call, part, axis, 1, mode);
    for (int i = rank - 1; i >= 0; i--) {
        int64_t n = mw_emit_size(call, in[1], i);
        int64_t rest = mw_emit_size(call, whole[i], i) - n;
        if (i == axis || rest <= 0)
            continue;
        mw_id behind = mw_emit_slice(call, whole[i], i, n, 1, rest);
        y = mw_emit_concat(call, (mw_id[]){y, behind}, 2, i);
    }
    return y;
}

static mw_status scatter_elements(mw_onnx_call *call)
{
    mw_id index = mw_emit_cast(call, call->in[1], MW_I64);
    const mw_id in[3] = {call->in[0], index, call->in[2]};
    int rank = mw_emit_rank(call, in[0]);
    int axis = mw_emit_axis(call, mw_onnx_int(call, "axis", 0), rank);
    const char *mode = reduction(call);
    MW_TRY(call->status);
    if (mw_emit_rank(call, index) != rank || mw_emit_rank(call, in[2]) != rank)
        return mw_onnx_refuse(call,
                              "data, indices and updates have ranks %d, "
                              "%d and %d",
                              rank, mw_emit_rank(call, index),
                              mw_emit_rank(call, in[2]));
    for (int i = 0; i < rank; i++)
        if (mw_emit_size(call, index, i) != mw_emit_size(call, in[2], i) ||
            (i != axis &&
             mw_emit_size(call, index, i) > mw_emit_size(call, in[0], i)))
            return mw_onnx_refuse(call,
                                  "axis %d of the indices is %lld, of the "
                                  "updates %lld, of the data %lld",
                                  i, (long long)mw_emit_size(call, index, i),
                                  (long long)mw_emit_size(call, in[2], i),
                                  (long long)mw_emit_size(call, in[0], i));
    return mw_emit_set(call, 0, scatter_part(call, in, axis, mode));
}

static mw_status scatter_nd(mw_onnx_call *call)
{
    mw_id x = call->in[0], indices = mw_emit_cast(call, call->in[1], MW_I64);
    int64_t size[MW_MAX_RANK], flat[MW_MAX_RANK];
    int rank = mw_emit_shape(call, x, size);
    int last = mw_emit_rank(call, indices) - 1;
    int64_t depth = last < 0 ? 0 : mw_emit_size(call, indices, last);
    const char *mode = reduction(call);
    MW_TRY(call->status);
    if (depth < 1 || depth > rank)
        return mw_onnx_refuse(call, "indices of %lld axes into data of rank %d",
                              (long long)depth, rank);
    flat[0] = 1;
    for (int i = 0; i < rank; i++) {
        if (i < depth)
            flat[0] *= size[i];
        else
            flat[i - depth + 1] = size[i];
    }
    const mw_id in[3] = {mw_emit_reshape(call, x, flat, rank - (int)depth + 1),
                         flat_index(call, indices, (int)depth, size),
                         call->in[2]};
    mw_id y = scatter(call, in, 0, 0, mode);
    return mw_emit_set(call, 0, mw_emit_reshape(call, y, size, rank));
}

static const mw_onnx_rule rules[] = {
    {.op = "GatherElements",
     .since = 11,
     .min_in = 2,
     .max_in = 2,
     .attrs = "axis",
     .build = gather_elements},
    {.op = "GatherND",
     .since = 11,
     .min_in = 2,
     .max_in = 2,
     .attrs = "batch_dims",
     .build = gather_nd},
    {.op = "Scatter",
     .since = 9,
     .min_in = 3,
     .max_in = 3,
     .attrs = "axis",
     .build = scatter_elements},
    {.op = "ScatterElements",
     .since = 11,
     .min_in = 3,
     .max_in = 3,
     .attrs = "axis reduction",
     .build = scatter_elements},
    {.op = "ScatterND",
     .since = 11,
     .min_in = 3,
     .max_in = 3,
     .attrs = "reduction",
     .build = scatter_nd},
    {0},
};

const mw_onnx_def mw_onnx_lookup = {
    .brief = "look-ups and updates by several indices", .rules = rules};
