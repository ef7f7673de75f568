/* payload.c - values of stored tensors, copied only where they are coded. */
#include "ir/import/payload.h"

#include <string.h>

#include "base/checked.h"

const char *mw_payload_type(int elem_type)
{
    static const char *const name[] = {
        "undefined",      "float",        "uint8",          "int8",
        "uint16",         "int16",        "int32",          "int64",
        "string",         "bool",         "float16",        "double",
        "uint32",         "uint64",       "complex64",      "complex128",
        "bfloat16",       "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
        "float8e5m2fnuz", "uint4",        "int4",           "float4e2m1",
        "float8e8m0",     "uint2",        "int2",
    };
    int n = (int)(sizeof name / sizeof name[0]);
    return elem_type >= 0 && elem_type < n ? name[elem_type] : "unknown";
}

enum { SMALL_BYTES = 4096 }; /* copied, so that most readers need not care */

/* Which field holds values that are not raw, and how. */
typedef struct typed_values {
    uint32_t field;
    mw_proto_type type;
} typed_values;

static typed_values typed_field(mw_dtype dtype)
{
    switch (dtype) {
    case MW_F32:
    case MW_C64:
        return (typed_values){4, MW_PROTO_I32};
    case MW_F64:
    case MW_C128:
        return (typed_values){10, MW_PROTO_I64};
    case MW_I64:
        return (typed_values){7, MW_PROTO_VARINT};
    case MW_U32:
    case MW_U64:
        return (typed_values){11, MW_PROTO_VARINT};
    default:
        return (typed_values){5, MW_PROTO_VARINT};
    }
}

/* Of one value of the field: a byte of packed elements, a part of a complex
 * number. */
static size_t value_bytes(mw_dtype dtype)
{
    size_t bytes = (size_t)mw_dtype_bytes(dtype);
    return mw_dtype_class(dtype) == MW_CLASS_COMPLEX ? bytes / 2 : bytes;
}

static mw_status too_few(mw_ctx *ctx, const char *name, int64_t found,
                         int64_t wanted)
{
    return mw_fail(ctx, MW_EINPUT,
                   "tensor '%s' stores %lld values, its shape wants %lld", name,
                   (long long)found, (long long)wanted);
}

/* Packed floats in one piece are the bytes that are wanted. */
static const uint8_t *in_place(const mw_onnx_tensor *stored, typed_values typed,
                               int64_t bytes)
{
    mw_proto body = stored->body;
    mw_proto_field field;
    const uint8_t *found = NULL;
    while (mw_proto_next(&body, &field)) {
        if (field.number != typed.field)
            continue;
        if (found || field.type != MW_PROTO_BYTES ||
            mw_proto_length(&field.bytes) != bytes)
            return NULL;
        found = field.bytes.pos;
    }
    return typed.type == MW_PROTO_VARINT ? NULL : found;
}

/* Numbers are little-endian in the file and here. */
static mw_status read_typed(const mw_payload *from,
                            const mw_onnx_tensor *stored, const char *name,
                            mw_tensor *tensor)
{
    typed_values typed = typed_field(tensor->dtype);
    size_t width = value_bytes(tensor->dtype);
    int64_t n = tensor->data.length / (int64_t)width;
    const uint8_t *place = in_place(stored, typed, tensor->data.length);
    if (place) {
        tensor->data.bytes = place;
        return MW_OK;
    }
    if (n > mw_proto_length(&stored->body)) /* a value takes a byte or more */
        return too_few(from->arena->ctx, name, 0, n);
    uint8_t *bytes = mw_arena_alloc(from->arena, (size_t)n, width);
    if (!bytes)
        return MW_ENOMEM;
    int64_t count = 0;
    mw_proto body = stored->body;
    mw_proto_field field;
    while (mw_proto_next(&body, &field)) {
        if (field.number != typed.field)
            continue;
        mw_proto_numbers numbers = mw_proto_numbers_of(&field, typed.type);
        uint64_t value;
        while (mw_proto_numbers_next(&numbers, &value)) {
            if (count < n)
                memcpy(bytes + (size_t)count * width, &value, width);
            count++;
        }
        if (numbers.wire.bad)
            return mw_fail(from->arena->ctx, MW_EINPUT,
                           "tensor '%s' has malformed values", name);
    }
    tensor->data.bytes = bytes;
    return count == n ? MW_OK : too_few(from->arena->ctx, name, count, n);
}

static mw_status read_external(const mw_payload *from,
                               const mw_onnx_tensor *stored, const char *name,
                               mw_tensor *tensor)
{
    mw_ctx *ctx = from->arena->ctx;
    int64_t bytes = tensor->data.length, length = 0, end;
    const char *path;
    if (!stored->location)
        return mw_fail(ctx, MW_EINPUT,
                       "tensor '%s' has external data without a location",
                       name);
    MW_TRY(mw_files_beside(from->files, from->model, stored->location, &path,
                           &length));
    if (!mw_add_fits(stored->offset, bytes, &end) || end > length ||
        (stored->length >= 0 && stored->length != bytes))
        return mw_fail(ctx, MW_EINPUT,
                       "tensor '%s' wants %lld bytes at %lld of '%s', which "
                       "has %lld%s",
                       name, (long long)bytes, (long long)stored->offset, path,
                       (long long)length,
                       stored->length >= 0 && stored->length != bytes
                           ? "; the stated length is another"
                           : "");
    tensor->data.path = path;
    tensor->data.offset = stored->offset;
    tensor->data.kind = MW_DATA_FILE;
    if (!from->values || bytes == 0)
        return MW_OK;
    mw_map_file map;
    MW_TRY(mw_files_map(from->files, path, &map));
    if ((uint64_t)end > map.size)
        return mw_fail(ctx, MW_EINPUT, "'%s' became shorter", path);
    tensor->data.bytes = map.bytes + stored->offset;
    tensor->data.kind = MW_DATA_MEMORY;
    return MW_OK;
}

static mw_status read_shape(mw_ctx *ctx, const mw_onnx_tensor *stored,
                            const char *name, mw_tensor *tensor, int64_t *n)
{
    if (!mw_dtype_by_onnx(stored->elem_type, &tensor->dtype))
        return mw_fail(ctx, MW_EINPUT,
                       "tensor '%s' has element type %s (%d), which is not "
                       "supported",
                       name, mw_payload_type(stored->elem_type),
                       stored->elem_type);
    if (stored->segmented)
        return mw_fail(ctx, MW_EINPUT,
                       "tensor '%s' is stored in segments, which is not "
                       "supported",
                       name);
    if (stored->rank > MW_MAX_RANK)
        return mw_fail(ctx, MW_EINPUT, "tensor '%s' has rank %lld, at most %d",
                       name, (long long)stored->rank, MW_MAX_RANK);
    tensor->rank = (int)stored->rank;
    for (int i = 0; i < tensor->rank; i++) {
        if (stored->dim[i] < 0)
            return mw_fail(ctx, MW_EINPUT, "tensor '%s' axis %d has size %lld",
                           name, i, (long long)stored->dim[i]);
        tensor->axis[i] =
            (mw_axis){.dim = MW_NONE, .size = stored->dim[i], .symbol = NULL};
    }
    int64_t width = mw_dtype_bytes(tensor->dtype);
    if (!mw_product_fits(stored->dim, stored->rank, n) ||
        !mw_mul_fits(*n, width, &tensor->data.length))
        return mw_fail(ctx, MW_EINPUT,
                       "the sizes of tensor '%s' multiply beyond 2^63 bytes",
                       name);
    tensor->data.length = mw_dtype_size(tensor->dtype, *n);
    return MW_OK;
}

static mw_status check_raw(mw_ctx *ctx, const mw_onnx_tensor *stored,
                           const char *name, const mw_tensor *tensor)
{
    int64_t raw = mw_proto_length(&stored->raw);
    if (raw == tensor->data.length)
        return MW_OK;
    return mw_fail(ctx, MW_EINPUT,
                   "tensor '%s' stores %lld bytes, its shape wants %lld", name,
                   (long long)raw, (long long)tensor->data.length);
}

static mw_status read_raw(const mw_payload *from, const mw_onnx_tensor *stored,
                          const char *name, mw_tensor *tensor)
{
    int64_t raw = mw_proto_length(&stored->raw);
    MW_TRY(check_raw(from->arena->ctx, stored, name, tensor));
    tensor->data.bytes = stored->raw.pos;
    bool aligned = (uintptr_t)stored->raw.pos % sizeof(int64_t) == 0;
    if (aligned || raw == 0 || raw > SMALL_BYTES)
        return MW_OK;
    void *copy = mw_arena_alloc(from->arena, (size_t)raw, 1);
    if (!copy)
        return MW_ENOMEM;
    memcpy(copy, stored->raw.pos, (size_t)raw);
    tensor->data.bytes = copy;
    return MW_OK;
}

mw_status mw_payload_check(const mw_payload *from, const mw_onnx_tensor *stored,
                           const char *name)
{
    mw_payload look = *from;
    look.values = false;
    mw_tensor tensor = {.name = name};
    int64_t n = 0;
    MW_TRY(read_shape(from->arena->ctx, stored, name, &tensor, &n));
    if (stored->external)
        return read_external(&look, stored, name, &tensor);
    return stored->has_raw ? check_raw(from->arena->ctx, stored, name, &tensor)
                           : MW_OK;
}

mw_status mw_payload_read(const mw_payload *from, const mw_onnx_tensor *stored,
                          const char *name, mw_tensor *tensor)
{
    int64_t n = 0;
    MW_TRY(read_shape(from->arena->ctx, stored, name, tensor, &n));
    if (stored->external)
        return read_external(from, stored, name, tensor);
    tensor->data.kind = MW_DATA_MEMORY;
    return stored->has_raw ? read_raw(from, stored, name, tensor)
                           : read_typed(from, stored, name, tensor);
}
