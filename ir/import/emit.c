/* emit.c - places primitives, leaves out what does nothing. */
#include "ir/import/emit.h"

#include <math.h>
#include <string.h>

#include "ir/import/build.h"
#include "ir/number.h"
#include "ir/op.h"

static mw_id failed(mw_onnx_call *call, mw_status status)
{
    if (call->status == MW_OK)
        call->status = status;
    return MW_NONE;
}

const mw_tensor *mw_emit_tensor(const mw_onnx_call *call, mw_id id)
{
    static const mw_tensor nothing = {.name = "", .dtype = MW_F32};
    return id == MW_NONE ? &nothing : &call->graph->tensor[id];
}

int mw_emit_rank(const mw_onnx_call *call, mw_id id)
{
    return mw_emit_tensor(call, id)->rank;
}

int64_t mw_emit_size(const mw_onnx_call *call, mw_id id, int axis)
{
    const mw_tensor *tensor = mw_emit_tensor(call, id);
    return axis >= 0 && axis < tensor->rank ? tensor->axis[axis].size : 0;
}

mw_dtype mw_emit_dtype(const mw_onnx_call *call, mw_id id)
{
    return mw_emit_tensor(call, id)->dtype;
}

int mw_emit_shape(const mw_onnx_call *call, mw_id id, int64_t shape[])
{
    const mw_tensor *tensor = mw_emit_tensor(call, id);
    for (int i = 0; i < tensor->rank; i++)
        shape[i] = tensor->axis[i].size;
    return tensor->rank;
}

int mw_emit_axis(mw_onnx_call *call, int64_t axis, int rank)
{
    if (axis >= -rank && axis < rank)
        return (int)(axis < 0 ? axis + rank : axis);
    (void)mw_onnx_refuse(call, "axis %lld is outside [%d, %d)", (long long)axis,
                         -rank, rank);
    return 0;
}

mw_status mw_emit_set(mw_onnx_call *call, int i, mw_id id)
{
    if (i < call->n_out)
        call->out[i] = id;
    return call->status;
}

bool mw_emit_wanted(const mw_onnx_call *call, int i)
{
    return i < call->n_out && call->node->out[i][0] != '\0';
}

/* ---- placing ---- */

void mw_emit_results(mw_onnx_call *call, const mw_op_spec *wanted, mw_id out[],
                     int n)
{
    const char *names[MW_EMIT_RESULTS];
    mw_op_spec spec = *wanted;
    spec.name = call->label;
    spec.n_out = n;
    spec.out_names = names;
    for (int i = 0; i < n; i++)
        out[i] = MW_NONE;
    for (int i = 0; i < wanted->n_in && call->status == MW_OK; i++)
        if (wanted->in[i] == MW_NONE)
            (void)mw_onnx_refuse(call, "an input is left out");
    for (int i = 0; i < n && call->status == MW_OK; i++) {
        const char *base = mw_arena_format(call->arena, "%s.%s%s", call->label,
                                           wanted->def, i > 0 ? ".2" : "");
        names[i] = base ? mw_build_name(call->build, base) : NULL;
        if (!names[i])
            (void)failed(call, MW_ENOMEM);
    }
    if (call->status != MW_OK)
        return;
    mw_status status = mw_fold_place(&call->build->folder, &spec, out);
    if (status != MW_OK)
        (void)failed(call, status);
}

static mw_id place(mw_onnx_call *call, const mw_op_spec *wanted)
{
    mw_id out;
    mw_emit_results(call, wanted, &out, 1);
    return call->status == MW_OK ? out : MW_NONE;
}

/* The type that kernels compute in. */
static mw_dtype computed_in(mw_dtype dtype)
{
    switch (dtype) {
    case MW_F32:
    case MW_F64:
        return dtype;
    default:
        break;
    }
    if (mw_dtype_is_float(dtype))
        return MW_F32;
    bool number = mw_dtype_class(dtype) == MW_CLASS_SIGNED ||
                  mw_dtype_class(dtype) == MW_CLASS_UNSIGNED;
    return number && mw_dtype_bits(dtype) < 32 ? MW_I32 : dtype;
}

static bool computes(const mw_op_def *def)
{
    return strcmp(def->family, "map") == 0 ||
           strcmp(def->family, "reduce") == 0 ||
           strcmp(def->family, "contraction") == 0 ||
           strcmp(def->family, "index") == 0 ||
           strcmp(def->family, "window") == 0;
}

/* Between casts where a type has no kernels. */
static mw_id place_cast(mw_onnx_call *call, const mw_op_spec *wanted)
{
    enum { MAX_CAST = 8 };
    const mw_op_def *def = mw_op_find(wanted->def);
    if (!def)
        return failed(call, mw_fail(call->build->ctx, MW_EBUG,
                                    "no op '%s' is built in", wanted->def));
    if (!computes(def) || strcmp(def->name, "cast") == 0)
        return place(call, wanted);
    mw_id in[MAX_CAST];
    mw_dtype narrow = MW_F32;
    bool cast = false;
    for (int i = 0; i < wanted->n_in && i < MAX_CAST; i++) {
        mw_dtype dtype = mw_emit_dtype(call, wanted->in[i]);
        in[i] = mw_emit_cast(call, wanted->in[i], computed_in(dtype));
        if (computed_in(dtype) == dtype)
            continue;
        narrow = dtype;
        cast = true;
    }
    if (!cast)
        return place(call, wanted);
    mw_op_spec spec = *wanted;
    spec.in = in;
    mw_id y = place(call, &spec);
    bool back = mw_emit_dtype(call, y) == computed_in(narrow);
    return back ? mw_emit_cast(call, y, narrow) : y;
}

mw_id mw_emit(mw_onnx_call *call, const char *def, const mw_id in[], int n_in,
              const mw_attr attr[], int n_attr)
{
    if (call->status != MW_OK)
        return MW_NONE;
    mw_op_spec spec = {
        .def = def, .n_in = n_in, .in = in, .n_attr = n_attr, .attr = attr};
    return place_cast(call, &spec);
}

void mw_emit_two(mw_onnx_call *call, const char *def, mw_id x,
                 const mw_attr attr[], int n_attr, mw_id out[2])
{
    mw_dtype own = mw_emit_dtype(call, x);
    mw_id in = mw_emit_cast(call, x, computed_in(own));
    mw_op_spec spec = {
        .def = def, .n_in = 1, .in = &in, .n_attr = n_attr, .attr = attr};
    mw_emit_results(call, &spec, out, 2);
    out[0] = mw_emit_cast(call, out[0], own);
}

static mw_attr int_attr(const char *name, const int64_t *value)
{
    return (mw_attr){.name = name, .kind = MW_ATTR_INT, .n = 1, .i = value};
}

static mw_attr ints_attr(const char *name, const int64_t *values, int n)
{
    return (mw_attr){.name = name, .kind = MW_ATTR_INTS, .n = n, .i = values};
}

/* x, or where it is beyond what a small float holds, what that has there. */
static mw_id overflown(mw_onnx_call *call, mw_id x, mw_dtype to, double beyond,
                       bool even)
{
    mw_id size = mw_emit1(call, "abs", x);
    mw_id over =
        mw_emit_by(call, even ? "greater" : "greater_equal", size, beyond);
    double end = mw_number_infinite(to) ? HUGE_VAL : (double)NAN;
    const mw_id in[] = {over, mw_emit_by(call, "mul", x, end), x};
    return mw_emit(call, "where", in, 3, NULL, 0);
}

mw_id mw_emit_held(mw_onnx_call *call, mw_id x, mw_dtype to, bool held)
{
    bool even = false;
    double beyond = mw_number_beyond(to, &even);
    if (call->status != MW_OK || !mw_dtype_is_float(mw_emit_dtype(call, x)) ||
        beyond <= 0)
        return mw_emit_cast(call, x, to);
    bool powers = to == MW_F8E8M0 || to == MW_F4E2M1; // always held
    if (!held && !powers)
        x = overflown(call, mw_emit_cast(call, x, MW_F32), to, beyond, even);
    else if (mw_number_infinite(to)) {
        x = mw_emit_cast(call, x, MW_F32);
        x = mw_emit_by(call, "min", x, beyond);
        x = mw_emit_by(call, "max", x, -beyond);
    }
    return mw_emit_cast(call, x, to);
}

/* ---- constants ---- */

mw_id mw_emit_const(mw_onnx_call *call, const mw_tensor *tensor)
{
    if (call->status != MW_OK)
        return MW_NONE;
    mw_tensor copy = *tensor;
    if (!copy.name)
        copy.name = mw_build_name(call->build, "const");
    if (!copy.name)
        return failed(call, MW_ENOMEM);
    copy.role = MW_ROLE_CONST;
    copy.data.length = mw_tensor_bytes(&copy);
    mw_id id = MW_NONE;
    mw_status status = mw_graph_tensor(call->graph, &copy, &id);
    return status == MW_OK ? id : failed(call, status);
}

/* A scalar with these bits, made once. */
static mw_id scalar(mw_onnx_call *call, mw_dtype dtype, uint64_t bits)
{
    uint64_t key[2] = {(uint64_t)dtype, bits};
    const int64_t *known = mw_map_find(&call->build->numbers, key, sizeof key);
    if (known)
        return (mw_id)*known;
    uint64_t *stored = MW_NEW(call->arena, uint64_t);
    if (!stored)
        return failed(call, MW_ENOMEM);
    *stored = bits;
    mw_tensor tensor = {.dtype = dtype,
                        .data = {.kind = MW_DATA_MEMORY, .bytes = stored}};
    mw_id id = mw_emit_const(call, &tensor);
    if (id == MW_NONE)
        return MW_NONE;
    mw_status status = mw_map_put(&call->build->numbers, key, sizeof key, id);
    return status == MW_OK ? id : failed(call, status);
}

mw_id mw_emit_number(mw_onnx_call *call, mw_dtype dtype, double number)
{
    if (call->status != MW_OK)
        return MW_NONE;
    uint64_t bits = 0;
    mw_fold_element(dtype, number, &bits);
    return scalar(call, dtype, bits);
}

mw_id mw_emit_like(mw_onnx_call *call, mw_id x, double number)
{
    return mw_emit_number(call, mw_emit_dtype(call, x), number);
}

mw_id mw_emit_vector(mw_onnx_call *call, const int64_t v[], int64_t n)
{
    if (call->status != MW_OK)
        return MW_NONE;
    int64_t *copy = MW_NEW_ARRAY(call->arena, n, int64_t);
    if (!copy)
        return failed(call, MW_ENOMEM);
    for (int64_t i = 0; i < n; i++)
        copy[i] = v[i];
    mw_tensor tensor = {.dtype = MW_I64,
                        .rank = 1,
                        .axis = {{.dim = MW_NONE, .size = n}},
                        .data = {.kind = MW_DATA_MEMORY, .bytes = copy}};
    return mw_emit_const(call, &tensor);
}

mw_id mw_emit_iota(mw_onnx_call *call, int64_t n, int axis, int rank)
{
    int64_t shape[MW_MAX_RANK];
    for (int i = 0; i < rank; i++)
        shape[i] = i == axis ? n : 1;
    int64_t which = axis;
    mw_attr attr[] = {
        int_attr("axis", &which), ints_attr("shape", shape, rank),
        (mw_attr){.name = "to", .kind = MW_ATTR_DTYPE, .dtype = MW_I64}};
    if (n > MW_FOLD_CONST_BYTES / (int64_t)sizeof n)
        return mw_emit(call, "iota", NULL, 0, attr, 3);
    int64_t *v = MW_NEW_ARRAY(call->arena, n, int64_t);
    if (!v)
        return failed(call, MW_ENOMEM);
    for (int64_t i = 0; i < n; i++)
        v[i] = i;
    return mw_emit_reshape(call, mw_emit_vector(call, v, n), shape, rank);
}

/* ---- maps ---- */

/* The sizes that operands broadcast to, `without` left aside. False when they
 * do not fit, which the op's own rule will say. */
static bool broadcast_shape(const mw_onnx_call *call, const mw_id in[],
                            int n_in, int without, int64_t shape[MW_MAX_RANK])
{
    int rank = 0;
    for (int i = 0; i < n_in; i++)
        if (i != without && mw_emit_rank(call, in[i]) > rank)
            rank = mw_emit_rank(call, in[i]);
    for (int a = 0; a < MW_MAX_RANK; a++)
        shape[a] = 1;
    for (int i = 0; i < n_in; i++) {
        int own = mw_emit_rank(call, in[i]);
        for (int a = 0; a < own && i != without; a++) {
            int64_t size = mw_emit_size(call, in[i], own - 1 - a);
            if (size != 1 && shape[a] != 1 && shape[a] != size)
                return false;
            if (size != 1)
                shape[a] = size;
        }
    }
    return rank > 0;
}

static int max_rank(const mw_onnx_call *call, const mw_id in[], int n,
                    int without)
{
    int rank = 0;
    for (int i = 0; i < n; i++)
        if (i != without && mw_emit_rank(call, in[i]) > rank)
            rank = mw_emit_rank(call, in[i]);
    return rank;
}

/* A constant of equal elements is a scalar where the others give the shape. */
static mw_id shrink(mw_onnx_call *call, const mw_id in[], int n, int i)
{
    const mw_tensor *tensor = mw_emit_tensor(call, in[i]);
    int64_t with[MW_MAX_RANK], less[MW_MAX_RANK];
    if (tensor->role != MW_ROLE_CONST || tensor->rank == 0 ||
        !broadcast_shape(call, in, n, MW_NONE, with) ||
        !broadcast_shape(call, in, n, i, less) ||
        memcmp(with, less, sizeof with) != 0 ||
        max_rank(call, in, n, MW_NONE) != max_rank(call, in, n, i))
        return in[i];
    mw_dtype dtype = tensor->dtype;
    if (tensor->data.kind == MW_DATA_FILL)
        return mw_emit_number(call, dtype, tensor->data.fill);
    bool uniform;
    uint64_t bits = 0;
    mw_status status = mw_fold_uniform(call->graph, in[i], &uniform, &bits);
    if (status != MW_OK)
        return failed(call, status);
    return uniform ? scalar(call, dtype, bits) : in[i];
}

static mw_id map(mw_onnx_call *call, const char *def, const mw_id in[], int n)
{
    enum { MAX_OPERANDS = 3 };
    mw_id small[MAX_OPERANDS];
    for (int i = 0; i < n; i++)
        small[i] = in[i];
    for (int i = 0; i < n && n > 1 && call->status == MW_OK; i++)
        small[i] = shrink(call, small, n, i);
    return mw_emit(call, def, small, n, NULL, 0);
}

mw_id mw_emit1(mw_onnx_call *call, const char *def, mw_id a)
{
    return map(call, def, &a, 1);
}

mw_id mw_emit2(mw_onnx_call *call, const char *def, mw_id a, mw_id b)
{
    return map(call, def, (mw_id[]){a, b}, 2);
}

mw_id mw_emit_where(mw_onnx_call *call, mw_id condition, mw_id a, mw_id b)
{
    return map(call, "where", (mw_id[]){condition, a, b}, 3);
}

mw_id mw_emit_by(mw_onnx_call *call, const char *def, mw_id x, double number)
{
    return mw_emit2(call, def, x, mw_emit_like(call, x, number));
}

mw_id mw_emit_cast(mw_onnx_call *call, mw_id x, mw_dtype to)
{
    if (x == MW_NONE || mw_emit_dtype(call, x) == to)
        return x;
    mw_attr attr = {.name = "to", .kind = MW_ATTR_DTYPE, .dtype = to};
    return mw_emit(call, "cast", &x, 1, &attr, 1);
}

/* ---- reductions and contractions ---- */

mw_axes mw_axes_from(const mw_onnx_call *call, mw_id x, int first)
{
    mw_axes axes = {0};
    for (int i = first; i < mw_emit_rank(call, x); i++)
        axes.axis[axes.n++] = i;
    return axes;
}

mw_id mw_emit_reduce(mw_onnx_call *call, const char *def, mw_id x,
                     const mw_axes *axes, bool keep)
{
    if (axes->n == 0)
        return x;
    int64_t list[MW_MAX_RANK], keep_value = keep;
    for (int i = 0; i < axes->n; i++)
        list[i] = axes->axis[i];
    mw_attr attr[] = {ints_attr("axes", list, axes->n),
                      int_attr("keep", &keep_value)};
    return mw_emit(call, def, &x, 1, attr, 2);
}

mw_id mw_emit_mean(mw_onnx_call *call, mw_id x, const mw_axes *axes, bool keep)
{
    double n = 1.0;
    for (int i = 0; i < axes->n; i++)
        n *= (double)mw_emit_size(call, x, axes->axis[i]);
    mw_id sum = mw_emit_reduce(call, "reduce_sum", x, axes, keep);
    return mw_emit_by(call, "div", sum, n);
}

mw_id mw_emit_einsum(mw_onnx_call *call, const char *spec, const mw_id in[],
                     int n)
{
    mw_attr attr = {.name = "spec", .kind = MW_ATTR_TEXT, .text = spec};
    return mw_emit(call, "einsum", in, n, &attr, 1);
}

/* ---- moves ---- */

mw_id mw_emit_transpose(mw_onnx_call *call, mw_id x, const int64_t perm[])
{
    int rank = mw_emit_rank(call, x);
    bool moves = false;
    for (int i = 0; i < rank; i++)
        moves |= perm[i] != i;
    mw_attr attr = ints_attr("perm", perm, rank);
    return moves ? mw_emit(call, "transpose", &x, 1, &attr, 1) : x;
}

static bool has_shape(const mw_onnx_call *call, mw_id x, const int64_t shape[],
                      int rank)
{
    bool same = mw_emit_rank(call, x) == rank;
    for (int i = 0; i < rank && same; i++)
        same = mw_emit_size(call, x, i) == shape[i];
    return same;
}

mw_id mw_emit_reshape(mw_onnx_call *call, mw_id x, const int64_t shape[],
                      int rank)
{
    mw_attr attr = ints_attr("shape", shape, rank);
    if (x == MW_NONE || has_shape(call, x, shape, rank))
        return x;
    return mw_emit(call, "reshape", &x, 1, &attr, 1);
}

mw_id mw_emit_broadcast(mw_onnx_call *call, mw_id x, const int64_t shape[],
                        int rank)
{
    mw_attr attr = ints_attr("shape", shape, rank);
    if (x == MW_NONE || has_shape(call, x, shape, rank))
        return x;
    return mw_emit(call, "broadcast", &x, 1, &attr, 1);
}

mw_id mw_emit_squeeze(mw_onnx_call *call, mw_id x, int axis)
{
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(call, x, shape);
    for (int i = axis; i + 1 < rank; i++)
        shape[i] = shape[i + 1];
    return mw_emit_reshape(call, x, shape, rank - 1);
}

mw_id mw_emit_unsqueeze(mw_onnx_call *call, mw_id x, int axis)
{
    int64_t shape[MW_MAX_RANK + 1];
    int rank = mw_emit_shape(call, x, shape);
    if (rank == MW_MAX_RANK)
        return failed(call, mw_onnx_refuse(call, "rank %d, at most %d",
                                           rank + 1, MW_MAX_RANK));
    for (int i = rank; i > axis; i--)
        shape[i] = shape[i - 1];
    shape[axis] = 1;
    return mw_emit_reshape(call, x, shape, rank + 1);
}

mw_id mw_emit_slice(mw_onnx_call *call, mw_id x, int axis, int64_t start,
                    int64_t step, int64_t count)
{
    if (x == MW_NONE || (start == 0 && count == mw_emit_size(call, x, axis)))
        return x;
    int64_t which = axis, by = count > 1 ? step : 1;
    mw_attr attr[] = {int_attr("axis", &which), int_attr("start", &start),
                      int_attr("step", &by), int_attr("count", &count)};
    return mw_emit(call, "slice", &x, 1, attr, 4);
}

mw_id mw_emit_pad(mw_onnx_call *call, mw_id x, int axis, int64_t before,
                  int64_t after, double value)
{
    if (before == 0 && after == 0)
        return x;
    int64_t which = axis;
    mw_attr attr[] = {
        int_attr("axis", &which), int_attr("before", &before),
        int_attr("after", &after),
        (mw_attr){.name = "value", .kind = MW_ATTR_FLOAT, .f = value}};
    return mw_emit(call, "pad", &x, 1, attr, 4);
}

mw_id mw_emit_concat(mw_onnx_call *call, const mw_id in[], int n, int axis)
{
    if (call->status != MW_OK)
        return MW_NONE;
    mw_id *kept = MW_NEW_ARRAY(call->arena, n, mw_id);
    if (!kept)
        return failed(call, MW_ENOMEM);
    int n_kept = 0;
    for (int i = 0; i < n; i++)
        if (mw_emit_size(call, in[i], axis) != 0)
            kept[n_kept++] = in[i];
    if (n_kept == 0)
        return in[0];
    if (n_kept == 1)
        return kept[0];
    int64_t which = axis;
    mw_attr attr = int_attr("axis", &which);
    return mw_emit(call, "concat", kept, n_kept, &attr, 1);
}

mw_id mw_emit_gather(mw_onnx_call *call, mw_id table, mw_id indices, int axis)
{
    int64_t which = axis;
    mw_attr attr = int_attr("axis", &which);
    return mw_emit(call, "gather", (mw_id[]){table, indices}, 2, &attr, 1);
}

/* ---- what many nodes are made of ---- */

mw_id mw_emit_softmax(mw_onnx_call *call, mw_id x, const mw_axes *axes)
{
    mw_id most = mw_emit_reduce(call, "reduce_max", x, axes, true);
    mw_id e = mw_emit1(call, "exp", mw_emit2(call, "sub", x, most));
    mw_id sum = mw_emit_reduce(call, "reduce_sum", e, axes, true);
    return mw_emit2(call, "div", e, sum);
}

mw_id mw_emit_log_softmax(mw_onnx_call *call, mw_id x, const mw_axes *axes)
{
    mw_id most = mw_emit_reduce(call, "reduce_max", x, axes, true);
    mw_id d = mw_emit2(call, "sub", x, most);
    mw_id sum = mw_emit_reduce(call, "reduce_sum", mw_emit1(call, "exp", d),
                               axes, true);
    return mw_emit2(call, "sub", d, mw_emit1(call, "log", sum));
}

mw_normal mw_emit_normalize(mw_onnx_call *call, mw_id x, const mw_axes *axes,
                            double epsilon)
{
    mw_normal normal;
    normal.mean = mw_emit_mean(call, x, axes, true);
    mw_id d = mw_emit2(call, "sub", x, normal.mean);
    mw_id variance =
        mw_emit_mean(call, mw_emit2(call, "mul", d, d), axes, true);
    mw_id deviation =
        mw_emit1(call, "sqrt", mw_emit_by(call, "add", variance, epsilon));
    normal.inverse = mw_emit1(call, "reciprocal", deviation);
    normal.y = mw_emit2(call, "mul", d, normal.inverse);
    return normal;
}
