/* shape.c - operators that ask for a shape or change it. */
#include <string.h>

#include "base/checked.h"
#include "ir/import/emit.h"

/* Shape, from opset 15 of the axes [start, end). */
static mw_status shape(mw_onnx_call *call)
{
    int64_t size[MW_MAX_RANK];
    int rank = mw_emit_shape(call, call->in[0], size);
    int64_t bound[2] = {mw_onnx_int(call, "start", 0),
                        mw_onnx_int(call, "end", rank)};
    for (int i = 0; i < 2; i++) {
        if (bound[i] < 0)
            bound[i] += rank;
        bound[i] = bound[i] < 0 ? 0 : bound[i] > rank ? rank : bound[i];
    }
    int64_t n = bound[1] > bound[0] ? bound[1] - bound[0] : 0;
    return mw_emit_set(call, 0, mw_emit_vector(call, size + bound[0], n));
}

static mw_status size(mw_onnx_call *call)
{
    const mw_tensor *tensor = mw_emit_tensor(call, call->in[0]);
    int64_t n = mw_tensor_elements(tensor);
    mw_id vector = mw_emit_vector(call, &n, 1);
    return mw_emit_set(call, 0, mw_emit_reshape(call, vector, NULL, 0));
}

/* The product of sizes, without the zeros if they do not count; -1: beyond
 * 2^63. A free size, -1, does not count. */
static int64_t product(const int64_t size[], int n, bool zeros)
{
    int64_t made = 1;
    for (int i = 0; i < n; i++)
        if (size[i] > 0 || (size[i] == 0 && zeros))
            if (!mw_mul_fits(made, size[i], &made))
                return -1;
    return made;
}

/* What -1 stands for; -1 when nothing fits. Where the shape has a 0 and so is
 * the product of its sizes, zeros cancel: [0, 6, 16] as [0, 6, -1, 8] is
 * [0, 6, 2, 8], as in ONNX Runtime. */
static int64_t free_size(const int64_t in[], int rank, const int64_t out[],
                         int n)
{
    bool cancel = product(out, n, true) == 0 && product(in, rank, true) == 0;
    int64_t total = product(in, rank, !cancel),
            known = product(out, n, !cancel);
    return total >= 0 && known > 0 && total % known == 0 ? total / known : -1;
}

/* Fills in 0 (copy) and -1 (what is left). */
static mw_status resolve_shape(mw_onnx_call *call, const mw_onnx_list *wanted,
                               bool allow_zero, int64_t out[])
{
    int64_t in[MW_MAX_RANK], known = 1;
    int rank = mw_emit_shape(call, call->in[0], in), free = -1;
    int64_t total = mw_tensor_elements(mw_emit_tensor(call, call->in[0]));
    if (wanted->n > MW_MAX_RANK)
        return mw_onnx_refuse(call, "the shape has %d sizes, at most %d",
                              wanted->n, MW_MAX_RANK);
    for (int i = 0; i < wanted->n; i++) {
        out[i] = wanted->v[i];
        if (out[i] == 0 && !allow_zero && i >= rank)
            return mw_onnx_refuse(call,
                                  "0 at position %d copies an axis that "
                                  "the input of rank %d does not have",
                                  i, rank);
        if (out[i] == 0 && !allow_zero)
            out[i] = in[i];
        if (out[i] == -1 && free >= 0)
            return mw_onnx_refuse(call, "the shape has -1 twice, at %d and %d",
                                  free, i);
        if (out[i] == -1)
            free = i;
        else if (out[i] < 0)
            return mw_onnx_refuse(call, "the shape has %lld at position %d",
                                  (long long)out[i], i);
        else if (!mw_mul_fits(known, out[i], &known))
            return mw_onnx_refuse(call, "the sizes of the shape multiply "
                                        "beyond 2^63");
    }
    if (free >= 0) {
        out[free] = free_size(in, rank, out, wanted->n);
        if (out[free] < 0)
            return mw_onnx_refuse(call, "%lld elements do not divide into %lld",
                                  (long long)total, (long long)known);
    } else if (known != total)
        return mw_onnx_refuse(call, "%lld elements do not fit a shape of %lld",
                              (long long)total, (long long)known);
    return MW_OK;
}

static mw_status reshape(mw_onnx_call *call)
{
    mw_onnx_list wanted = mw_onnx_in_ints(call, 1);
    int64_t out[MW_MAX_RANK];
    MW_TRY(call->status);
    MW_TRY(resolve_shape(call, &wanted, mw_onnx_int(call, "allowzero", 0) != 0,
                         out));
    return mw_emit_set(call, 0,
                       mw_emit_reshape(call, call->in[0], out, wanted.n));
}

/* Two axes: those before `axis`, and the rest. */
static mw_status flatten(mw_onnx_call *call)
{
    int64_t in[MW_MAX_RANK], out[2] = {1, 1};
    int rank = mw_emit_shape(call, call->in[0], in);
    int64_t given = mw_onnx_int(call, "axis", 1);
    int64_t axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis > rank)
        return mw_onnx_refuse(call, "axis %lld is outside [%d, %d]",
                              (long long)given, -rank, rank);
    for (int i = 0; i < rank; i++)
        out[i >= axis] *= in[i];
    return mw_emit_set(call, 0, mw_emit_reshape(call, call->in[0], out, 2));
}

static mw_status squeeze(mw_onnx_call *call)
{
    mw_onnx_list list = mw_onnx_list_of(call, "axes", 13, 1);
    int64_t in[MW_MAX_RANK], out[MW_MAX_RANK];
    int rank = mw_emit_shape(call, call->in[0], in), n = 0;
    bool gone[MW_MAX_RANK] = {false};
    for (int i = 0; i < list.n && call->status == MW_OK; i++) {
        int axis = mw_emit_axis(call, list.v[i], rank);
        if (call->status == MW_OK && in[axis] != 1)
            return mw_onnx_refuse(call, "axis %d has size %lld, wanted 1", axis,
                                  (long long)in[axis]);
        gone[axis] = true;
    }
    for (int i = 0; i < rank; i++) {
        bool drop = list.given ? gone[i] : in[i] == 1;
        if (!drop)
            out[n++] = in[i];
    }
    return mw_emit_set(call, 0, mw_emit_reshape(call, call->in[0], out, n));
}

static mw_status unsqueeze(mw_onnx_call *call)
{
    mw_onnx_list list = mw_onnx_list_of(call, "axes", 13, 1);
    int64_t in[MW_MAX_RANK], out[MW_MAX_RANK];
    int rank = mw_emit_shape(call, call->in[0], in), from = 0;
    bool added[MW_MAX_RANK] = {false};
    MW_TRY(call->status);
    if (rank + list.n > MW_MAX_RANK)
        return mw_onnx_refuse(call, "the result has rank %d, at most %d",
                              rank + list.n, MW_MAX_RANK);
    for (int i = 0; i < list.n; i++) {
        int axis = mw_emit_axis(call, list.v[i], rank + list.n);
        MW_TRY(call->status);
        if (added[axis])
            return mw_onnx_refuse(call, "axis %d is there twice", axis);
        added[axis] = true;
    }
    for (int i = 0; i < rank + list.n; i++)
        out[i] = added[i] ? 1 : in[from++];
    return mw_emit_set(call, 0,
                       mw_emit_reshape(call, call->in[0], out, rank + list.n));
}

static mw_status transpose(mw_onnx_call *call)
{
    mw_onnx_list list = mw_onnx_ints(call, "perm");
    int64_t perm[MW_MAX_RANK];
    int rank = mw_emit_rank(call, call->in[0]);
    uint32_t seen = 0;
    if (list.given && list.n != rank)
        return mw_onnx_refuse(call, "perm has %d axes, the input %d", list.n,
                              rank);
    for (int i = 0; i < rank; i++) {
        perm[i] =
            list.given ? mw_emit_axis(call, list.v[i], rank) : rank - 1 - i;
        seen |= 1U << perm[i];
    }
    MW_TRY(call->status);
    if (seen != (1U << rank) - 1)
        return mw_onnx_refuse(call, "perm names an axis twice");
    return mw_emit_set(call, 0, mw_emit_transpose(call, call->in[0], perm));
}

/* Broadcasting both ways: a 1 in the shape keeps the input's size. */
static mw_status expand(mw_onnx_call *call)
{
    mw_onnx_list wanted = mw_onnx_in_ints(call, 1);
    int64_t in[MW_MAX_RANK], out[MW_MAX_RANK];
    int rank = mw_emit_shape(call, call->in[0], in);
    int most = wanted.n > rank ? wanted.n : rank;
    MW_TRY(call->status);
    if (most > MW_MAX_RANK)
        return mw_onnx_refuse(call, "the result has rank %d, at most %d", most,
                              MW_MAX_RANK);
    for (int i = 0; i < most; i++) {
        int own = i - most + rank, other = i - most + wanted.n;
        int64_t a = own < 0 ? 1 : in[own];
        int64_t b = other < 0 ? 1 : wanted.v[other];
        if (b < 0 || (a != b && a != 1 && b != 1))
            return mw_onnx_refuse(call,
                                  "axis %d of size %lld does not expand "
                                  "to %lld",
                                  own, (long long)a, (long long)b);
        out[i] = a == 1 ? b : a;
    }
    return mw_emit_set(call, 0,
                       mw_emit_broadcast(call, call->in[0], out, most));
}

/* Repeats: [n] -> [1, n] -> [r, n] -> [r n], axis by axis. */
static mw_status tile(mw_onnx_call *call)
{
    mw_onnx_list list = mw_onnx_in_ints(call, 1);
    mw_id x = call->in[0];
    int64_t shape[MW_MAX_RANK + 1];
    int rank = mw_emit_shape(call, x, shape);
    MW_TRY(call->status);
    if (list.n != rank || rank == MW_MAX_RANK)
        return mw_onnx_refuse(call, "%d repeats for an input of rank %d",
                              list.n, rank);
    for (int axis = 0; axis < rank; axis++) {
        int64_t repeat = list.v[axis], extent;
        if (repeat < 0 || !mw_mul_fits(repeat, shape[axis], &extent))
            return mw_onnx_refuse(call, "repeat %lld of axis %d of size %lld",
                                  (long long)repeat, axis,
                                  (long long)shape[axis]);
        if (repeat == 1)
            continue;
        mw_id apart = mw_emit_unsqueeze(call, x, axis);
        int64_t wide[MW_MAX_RANK + 1];
        int n = mw_emit_shape(call, apart, wide);
        MW_TRY(call->status);
        wide[axis] = repeat;
        mw_id copies = mw_emit_broadcast(call, apart, wide, n);
        shape[axis] = extent;
        x = mw_emit_reshape(call, copies, shape, rank);
    }
    return mw_emit_set(call, 0, x);
}

/* Blocks of b x b pixels to channels and back: six axes, permuted. */
static mw_status depth_space(mw_onnx_call *call)
{
    int64_t s[MW_MAX_RANK], b = mw_onnx_int(call, "blocksize", 0);
    int rank = mw_emit_shape(call, call->in[0], s);
    bool to_space = strcmp(call->rule->arg, "space") == 0;
    bool crd = strcmp(mw_onnx_text(call, "mode", "DCR"), "CRD") == 0;
    if (rank != 4 || b <= 0 || b > INT16_MAX || s[2] == 0 || s[3] == 0 ||
        (to_space ? s[1] % (b * b) != 0 : s[2] % b != 0 || s[3] % b != 0))
        return mw_onnx_refuse(call, "blocks of %lld do not fit the input",
                              (long long)b);
    int64_t c = to_space ? s[1] / (b * b) : s[1];
    int64_t apart[3][6] = {{s[0], b, b, c, s[2], s[3]},
                           {s[0], c, b, b, s[2], s[3]},
                           {s[0], c, s[2] / b, b, s[3] / b, b}};
    static const int64_t perm[3][6] = {
        {0, 3, 4, 1, 5, 2}, {0, 1, 4, 2, 5, 3}, {0, 3, 5, 1, 2, 4}};
    int64_t depth[4] = {s[0], c * b * b, s[2] / b, s[3] / b};
    int64_t space[4] = {s[0], c, s[2] * b, s[3] * b};
    int how = to_space ? crd : 2;
    mw_id x = mw_emit_reshape(call, call->in[0], apart[how], 6);
    x = mw_emit_transpose(call, x, perm[how]);
    return mw_emit_set(call, 0,
                       mw_emit_reshape(call, x, to_space ? space : depth, 4));
}

static const mw_onnx_rule rules[] = {
    {.op = "DepthToSpace",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "blocksize mode",
     .build = depth_space,
     .arg = "space"},
    {.op = "Expand", .since = 8, .min_in = 2, .max_in = 2, .build = expand},
    {.op = "Flatten",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "axis",
     .build = flatten},
    {.op = "Reshape",
     .since = 5,
     .min_in = 2,
     .max_in = 2,
     .attrs = "allowzero",
     .build = reshape},
    {.op = "Shape",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "start end",
     .build = shape},
    {.op = "Size", .since = 1, .min_in = 1, .max_in = 1, .build = size},
    {.op = "SpaceToDepth",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "blocksize",
     .build = depth_space,
     .arg = "depth"},
    {.op = "Squeeze",
     .since = 1,
     .min_in = 1,
     .max_in = 2,
     .attrs = "axes",
     .build = squeeze},
    {.op = "Tile", .since = 6, .min_in = 2, .max_in = 2, .build = tile},
    {.op = "Transpose",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "perm",
     .build = transpose},
    {.op = "Unsqueeze",
     .since = 1,
     .min_in = 1,
     .max_in = 2,
     .attrs = "axes",
     .build = unsqueeze},
    {0},
};

const mw_onnx_def mw_onnx_shape = {.brief = "shapes and reshaping",
                                   .rules = rules};
