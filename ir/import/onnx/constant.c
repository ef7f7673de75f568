/* constant.c - operators that make constants or pass a tensor on. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "ir/fold.h"
#include "ir/import/build.h"
#include "ir/import/emit.h"

/* ---- Constant ---- */

static mw_status from_floats(mw_onnx_call *call, const float v[], int64_t n,
                             int rank)
{
    float *copy = MW_NEW_ARRAY(call->arena, n, float);
    if (!copy)
        return MW_ENOMEM;
    if (n)
        memcpy(copy, v, (size_t)n * sizeof *v);
    mw_tensor tensor = {.dtype = MW_F32,
                        .rank = rank,
                        .axis = {{.dim = MW_NONE, .size = n}},
                        .data = {.kind = MW_DATA_MEMORY, .bytes = copy}};
    return mw_emit_set(call, 0, mw_emit_const(call, &tensor));
}

static mw_status constant(mw_onnx_call *call)
{
    if (call->node->n_attr != 1)
        return mw_onnx_refuse(call, "it has %lld values, wanted one",
                              (long long)call->node->n_attr);
    const mw_onnx_attr *attr = &call->node->attr[0];
    mw_id id = MW_NONE;
    switch (attr->kind) {
    case MW_ONNX_TENSOR:
        MW_TRY(mw_build_stored(call->build, attr->tensor, call->node->out[0],
                               &id));
        return mw_emit_set(call, 0, id);
    case MW_ONNX_INT:
        id = mw_emit_vector(call, &attr->i, 1);
        return mw_emit_set(call, 0, mw_emit_reshape(call, id, NULL, 0));
    case MW_ONNX_INTS:
        return mw_emit_set(call, 0,
                           mw_emit_vector(call, attr->ints, attr->n_ints));
    case MW_ONNX_FLOAT:
        return from_floats(call, &attr->f, 1, 0);
    case MW_ONNX_FLOATS:
        return from_floats(call, attr->floats, attr->n_floats, 1);
    default:
        return mw_onnx_refuse(call, "'%s' is not supported", attr->name);
    }
}

/* ---- one value many times ---- */

/* Nothing is stored, however large: the element is a number. Integers that a
 * double cannot hold are refused. */
static mw_id filled(mw_onnx_call *call, mw_dtype dtype, double value,
                    const int64_t shape[], int rank)
{
    if (call->status != MW_OK)
        return MW_NONE;
    mw_tensor tensor = {.name = mw_build_name(call->build, call->label),
                        .dtype = dtype,
                        .rank = rank,
                        .data = {.kind = MW_DATA_FILL, .fill = value}};
    int64_t n = 1;
    for (int i = 0; i < rank; i++) {
        tensor.axis[i] = (mw_axis){.dim = MW_NONE, .size = shape[i]};
        if (shape[i] < 0 || (shape[i] > 0 && !mw_mul_fits(n, shape[i], &n))) {
            (void)mw_onnx_refuse(call, "size %lld of axis %d%s",
                                 (long long)shape[i], i,
                                 shape[i] < 0 ? ""
                                              : ": the sizes multiply beyond "
                                                "2^63");
            return MW_NONE;
        }
    }
    mw_id id = MW_NONE;
    bool weight = mw_dtype_is_float(dtype) && n > 1;
    tensor.role = weight ? MW_ROLE_PARAM : MW_ROLE_CONST;
    if (!tensor.name)
        call->status = MW_ENOMEM;
    else
        call->status = mw_graph_tensor(call->graph, &tensor, &id);
    return id;
}

static mw_status constant_of_shape(mw_onnx_call *call)
{
    mw_onnx_list shape = mw_onnx_in_ints(call, 0);
    MW_TRY(call->status);
    if (shape.n > MW_MAX_RANK)
        return mw_onnx_refuse(call, "the shape has %d sizes, at most %d",
                              shape.n, MW_MAX_RANK);
    const mw_onnx_attr *attr = mw_onnx_attr_find(call, "value");
    if (!attr)
        return mw_emit_set(call, 0,
                           filled(call, MW_F32, 0.0, shape.v, shape.n));
    mw_tensor one = {.name = "value"};
    if (attr->kind != MW_ONNX_TENSOR)
        return mw_onnx_refuse(call, "value is no tensor");
    MW_TRY(mw_payload_read(&call->build->payload, attr->tensor, "value", &one));
    if (mw_tensor_elements(&one) != 1 || one.data.kind != MW_DATA_MEMORY)
        return mw_onnx_refuse(call, "value has %lld elements, wanted one",
                              (long long)mw_tensor_elements(&one));
    if (!mw_dtype_runs(one.dtype))
        return mw_onnx_refuse(call, "a value of type %s is not supported",
                              mw_dtype_name(one.dtype));
    uint64_t element = 0, back = 0;
    size_t width = (size_t)mw_dtype_bytes(one.dtype);
    memcpy(&element, one.data.bytes, width);
    double value = mw_fold_number(one.dtype, &element);
    mw_fold_element(one.dtype, value, &back);
    if (!mw_dtype_is_float(one.dtype) && memcmp(&element, &back, width) != 0)
        return mw_onnx_refuse(call, "the value is beyond 2^53");
    return mw_emit_set(call, 0,
                       filled(call, one.dtype, value, shape.v, shape.n));
}

/* ---- Range and EyeLike ---- */

/* start, start + delta, ... below limit. */
static mw_status range(mw_onnx_call *call)
{
    mw_dtype dtype = mw_emit_dtype(call, call->in[0]);
    double start = mw_onnx_in_number(call, 0, 0.0);
    double limit = mw_onnx_in_number(call, 1, 0.0);
    double delta = mw_onnx_in_number(call, 2, 1.0);
    MW_TRY(call->status);
    const double most = MW_FOLD_CONST_BYTES >> 3;
    double n = ceil((limit - start) / delta);
    if (delta == 0.0 || !(n <= most))
        return mw_onnx_refuse(call, "from %g to %g by %g", start, limit, delta);
    int64_t count = n > 0.0 ? (int64_t)n : 0;
    size_t width = (size_t)mw_dtype_bytes(dtype);
    char *bytes = mw_arena_alloc(call->arena, (size_t)count, width);
    if (!bytes)
        return MW_ENOMEM;
    for (int64_t i = 0; i < count; i++) {
        uint64_t element = 0;
        mw_fold_element(dtype, start + (double)i * delta, &element);
        memcpy(bytes + (size_t)i * width, &element, width);
    }
    mw_tensor tensor = {.dtype = dtype,
                        .rank = 1,
                        .axis = {{.dim = MW_NONE, .size = count}},
                        .data = {.kind = MW_DATA_MEMORY, .bytes = bytes}};
    return mw_emit_set(call, 0, mw_emit_const(call, &tensor));
}

/* Ones on the k-th diagonal. */
static mw_status eye_like(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    mw_dtype dtype = mw_emit_dtype(call, x);
    int64_t code = mw_onnx_int(call, "dtype", 0);
    if (mw_onnx_attr_find(call, "dtype") &&
        (code < 0 || code > INT16_MAX || !mw_dtype_by_onnx((int)code, &dtype)))
        return mw_onnx_refuse(call, "element type %lld is not supported",
                              (long long)code);
    if (mw_emit_rank(call, x) != 2)
        return mw_onnx_refuse(call, "input has rank %d, wanted 2",
                              mw_emit_rank(call, x));
    mw_id row = mw_emit_iota(call, mw_emit_size(call, x, 0), 0, 2);
    mw_id column = mw_emit_iota(call, mw_emit_size(call, x, 1), 1, 2);
    double k = (double)mw_onnx_int(call, "k", 0);
    mw_id on = mw_emit2(call, "equal", column, mw_emit_by(call, "add", row, k));
    return mw_emit_set(call, 0, mw_emit_cast(call, on, dtype));
}

/* ---- Identity ---- */

/* Exporters merge equal weights and copy them by Identity. Weights of one
 * value (biases, scales) were never meant to be one; others are tied. */
static mw_status identity(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    const mw_tensor *tensor = mw_emit_tensor(call, x);
    bool uniform = false;
    uint64_t bits;
    if (tensor->role == MW_ROLE_PARAM)
        MW_TRY(mw_fold_uniform(call->graph, x, &uniform, &bits));
    if (!uniform)
        return mw_emit_set(call, 0, x);
    mw_tensor copy = *mw_emit_tensor(call, x);
    copy.name = mw_build_name(call->build, call->node->out[0]);
    if (!copy.name)
        return MW_ENOMEM;
    mw_id id = MW_NONE;
    MW_TRY(mw_graph_tensor(call->graph, &copy, &id));
    return mw_emit_set(call, 0, id);
}

static const mw_onnx_rule rules[] = {
    {.op = "Constant",
     .since = 1,
     .min_in = 0,
     .max_in = 0,
     .attrs = "value value_float value_floats value_int value_ints "
              "value_string value_strings sparse_value",
     .build = constant},
    {.op = "ConstantOfShape",
     .since = 9,
     .min_in = 1,
     .max_in = 1,
     .attrs = "value",
     .build = constant_of_shape},
    {.op = "EyeLike",
     .since = 9,
     .min_in = 1,
     .max_in = 1,
     .attrs = "dtype k",
     .build = eye_like},
    {.op = "Identity",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .build = identity},
    {.op = "Range", .since = 11, .min_in = 3, .max_in = 3, .build = range},
    {0},
};

const mw_onnx_def mw_onnx_constant = {.brief = "constants and identities",
                                      .rules = rules};
