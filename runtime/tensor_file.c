/* tensor_file.c - maps a file and describes the arrays in it. */
#include "runtime/tensor_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "runtime/npy.h"
#include "runtime/safetensors.h"
#include "runtime/zip.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "arrays are read as they lie in the file");

static mw_status make_room(mw_arena *arena, mw_tensor_file *file, int n)
{
    file->array = MW_NEW_ARRAY(arena, n, mw_array);
    file->source = MW_NEW_ARRAY(arena, n, mw_array_source);
    return file->array && file->source ? MW_OK : MW_ENOMEM;
}

static mw_status check_length(mw_ctx *ctx, const mw_array *array,
                              int64_t header, int64_t total)
{
    if (total - header == array->bytes)
        return MW_OK;
    return mw_fail(ctx, MW_EINPUT,
                   "array '%s' holds %lld bytes where its shape wants %lld",
                   array->name, (long long)(total - header),
                   (long long)array->bytes);
}

static mw_status open_npy(mw_arena *arena, mw_tensor_file *file)
{
    MW_TRY(make_room(arena, file, 1));
    mw_array *array = file->array;
    mw_array_source *source = file->source;
    const char *name = mw_path_name(file->path);
    int n = (int)(mw_path_ext(file->path) - name);
    array->name = mw_arena_format(arena, "%.*s", n, name);
    if (!array->name)
        return MW_ENOMEM;
    int64_t header;
    MW_TRY(mw_npy_header_bytes(file->ctx, file->map.bytes,
                               (int64_t)file->map.size, &header));
    if (header > (int64_t)file->map.size)
        return mw_fail(file->ctx, MW_EINPUT, ".npy header is cut off");
    MW_TRY(mw_npy_header_parse(file->ctx, file->map.bytes, header, array,
                               &source->fortran));
    source->vague = mw_dtype_bits(array->dtype) == 8;
    MW_TRY(check_length(file->ctx, array, header, (int64_t)file->map.size));
    source->skip = header;
    source->packed_bytes = source->total = (int64_t)file->map.size;
    file->n_arrays = 1;
    return MW_OK;
}

static mw_status describe_entry(mw_tensor_file *file, const mw_zip_entry *entry,
                                unsigned char *head, int i)
{
    mw_ctx *ctx = file->ctx;
    mw_array *array = &file->array[i];
    mw_array_source *source = &file->source[i];
    int64_t header, n = entry->bytes;
    if (n > MW_NPY_PREFIX)
        n = MW_NPY_PREFIX;
    MW_TRY(mw_zip_read(ctx, file->map.bytes, entry, head, n));
    MW_TRY(mw_npy_header_bytes(ctx, head, n, &header));
    if (header > entry->bytes)
        return mw_fail(ctx, MW_EINPUT, ".npy header is cut off");
    MW_TRY(mw_zip_read(ctx, file->map.bytes, entry, head, header));
    MW_TRY(mw_npy_header_parse(ctx, head, header, array, &source->fortran));
    source->vague = mw_dtype_bits(array->dtype) == 8;
    MW_TRY(check_length(ctx, array, header, entry->bytes));
    source->in_zip = true;
    source->packed = entry->packed;
    source->crc = entry->crc;
    source->offset = entry->offset;
    source->packed_bytes = entry->packed_bytes;
    source->skip = header;
    source->total = entry->bytes;
    return MW_OK;
}

static mw_status describe_entries(mw_arena *arena, mw_tensor_file *file,
                                  const mw_zip_entry *entry, int n)
{
    unsigned char *head = mw_arena_alloc(arena, MW_NPY_HEADER_MAX, 1);
    if (!head)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        size_t length = strlen(entry[i].name);
        if (length > 4 && strcmp(entry[i].name + length - 4, ".npy") == 0)
            length -= 4;
        char *name = mw_arena_format(arena, "%.*s", (int)length, entry[i].name);
        if (!name)
            return MW_ENOMEM;
        file->array[i].name = name;
        if (mw_tensor_file_find(file, "", name) != MW_NONE)
            return mw_fail(file->ctx, MW_EINPUT, "array '%s' stands twice",
                           name);
        mw_ctx_at(file->ctx, "%s: array '%s'", file->path, name);
        MW_TRY(describe_entry(file, &entry[i], head, i));
        mw_ctx_at(file->ctx, "%s", file->path);
        file->n_arrays = i + 1;
    }
    return MW_OK;
}

static mw_status open_npz(mw_arena *arena, mw_tensor_file *file)
{
    mw_zip_entry *entry;
    int n;
    MW_TRY(mw_zip_list(arena, file->map.bytes, (int64_t)file->map.size, &entry,
                       &n));
    MW_TRY(make_room(arena, file, n));
    return describe_entries(arena, file, entry, n);
}

static mw_status open_by_ending(mw_arena *arena, mw_tensor_file *file)
{
    static const struct {
        const char *ending;
        mw_status (*open)(mw_arena *arena, mw_tensor_file *file);
    } kinds[] = {{".npy", open_npy},
                 {".npz", open_npz},
                 {".safetensors", mw_safetensors_describe}};
    const char *dot = mw_path_ext(file->path);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(dot, kinds[i].ending) == 0) {
            MW_TRY(mw_map_file_open(file->ctx, file->path, &file->map));
            return kinds[i].open(arena, file);
        }
    return mw_fail(file->ctx, MW_EINPUT,
                   "its ending is '%s', wanted .npy, .npz or .safetensors",
                   dot);
}

mw_status mw_tensor_file_open(mw_ctx *ctx, mw_arena *arena, const char *path,
                              mw_tensor_file **file)
{
    mw_tensor_file *opened = MW_NEW(arena, mw_tensor_file);
    if (!opened)
        return MW_ENOMEM;
    opened->ctx = ctx;
    opened->path = mw_arena_text(arena, path);
    if (!opened->path)
        return MW_ENOMEM;
    char before[MW_WHERE_MAX];
    memcpy(before, ctx->pos, sizeof before);
    mw_ctx_at(ctx, "%s", path);
    mw_status status = open_by_ending(arena, opened);
    memcpy(ctx->pos, before, sizeof before);
    if (status != MW_OK) {
        mw_tensor_file_close(opened);
        return status;
    }
    *file = opened;
    return MW_OK;
}

bool mw_tensor_file_is(const mw_tensor_file *file, int i, mw_dtype dtype)
{
    mw_dtype own = file->array[i].dtype;
    return own == dtype || (file->source[i].vague && mw_dtype_is_float(own) &&
                            mw_dtype_is_float(dtype) &&
                            mw_dtype_bits(dtype) == mw_dtype_bits(own));
}

int mw_tensor_file_find(const mw_tensor_file *file, const char *prefix,
                        const char *name)
{
    size_t n = strlen(prefix);
    int plain = MW_NONE;
    for (int i = 0; i < file->n_arrays; i++) {
        const char *have = file->array[i].name;
        if (strncmp(have, prefix, n) == 0 && strcmp(have + n, name) == 0)
            return i;
        if (strcmp(have, name) == 0)
            plain = i;
    }
    return plain;
}

// dst, row-major, from src, in which the first axis varies fastest.
static void from_fortran(const mw_array *array, const unsigned char *src,
                         unsigned char *dst)
{
    int64_t item = mw_dtype_bytes(array->dtype), n = array->bytes / item;
    int64_t stride[MW_MAX_FILE_RANK] = {0}, index[MW_MAX_FILE_RANK] = {0},
            at = 0;
    for (int i = 0; i < array->rank; i++)
        stride[i] = i ? stride[i - 1] * array->size[i - 1] : item;
    for (int64_t k = 0; k < n; k++) {
        memcpy(dst + k * item, src + at, (size_t)item);
        for (int i = array->rank - 1; i >= 0; i--) {
            at += stride[i];
            if (++index[i] < array->size[i])
                break;
            at -= stride[i] * array->size[i];
            index[i] = 0;
        }
    }
}

// The whole entry, unpacked and checked, in a buffer.
static mw_status unpack(mw_tensor_file *file, int i)
{
    mw_array_source *source = &file->source[i];
    void *buffer = mw_mem_alloc(file->ctx, (size_t)source->total, 1);
    if (!buffer)
        return MW_ENOMEM;
    mw_zip_entry entry = {.name = file->array[i].name,
                          .packed = source->packed,
                          .crc = source->crc,
                          .offset = source->offset,
                          .packed_bytes = source->packed_bytes,
                          .bytes = source->total};
    mw_status status =
        mw_zip_read(file->ctx, file->map.bytes, &entry, buffer, source->total);
    if (status == MW_OK)
        source->buffer = buffer;
    else
        mw_mem_free(buffer);
    return status;
}

// Puts the values, dense and row-major, at the front of a buffer of their own.
static mw_status rearrange(mw_tensor_file *file, int i,
                           const unsigned char *values)
{
    const mw_array *array = &file->array[i];
    mw_array_source *source = &file->source[i];
    void *buffer = mw_mem_alloc(file->ctx, (size_t)array->bytes, 1);
    if (!buffer)
        return MW_ENOMEM;
    if (source->fortran)
        from_fortran(array, values, buffer);
    else
        memcpy(buffer, values, (size_t)array->bytes);
    mw_mem_free(source->buffer);
    *source = (mw_array_source){.buffer = buffer};
    return MW_OK;
}

mw_status mw_tensor_file_data(mw_tensor_file *file, int i, const void **data)
{
    mw_array_source *source = &file->source[i];
    char before[MW_WHERE_MAX];
    memcpy(before, file->ctx->pos, sizeof before);
    mw_ctx_at(file->ctx, "%s", file->path);
    mw_status status = MW_OK;
    if (source->in_zip && !source->buffer)
        status = unpack(file, i);
    const unsigned char *values = file->map.bytes + source->offset;
    if (source->buffer)
        values = source->buffer;
    values += source->skip;
    uintptr_t item = (uintptr_t)mw_dtype_bytes(file->array[i].dtype);
    if (status == MW_OK && (source->fortran || (uintptr_t)values % item != 0)) {
        status = rearrange(file, i, values);
        values = source->buffer;
    }
    memcpy(file->ctx->pos, before, sizeof before);
    if (status == MW_OK)
        *data = values;
    return status;
}

mw_status mw_tensor_file_bytes(mw_tensor_file *file, int i,
                               const unsigned char **bytes)
{
    const mw_array_source *source = &file->source[i];
    if (!source->packed && !source->fortran && !source->buffer) {
        *bytes = file->map.bytes + source->offset + source->skip;
        return MW_OK;
    }
    const void *data;
    MW_TRY(mw_tensor_file_data(file, i, &data));
    *bytes = data;
    return MW_OK;
}

const char *mw_shape_text(int rank, const int64_t size[],
                          char text[MW_SHAPE_TEXT_MAX])
{
    enum { ONE = 26 };
    size_t at = 0;
    text[at++] = '[';
    for (int i = 0; i < rank && at < MW_SHAPE_TEXT_MAX - ONE; i++)
        at += (size_t)snprintf(text + at, MW_SHAPE_TEXT_MAX - at, "%s%" PRId64,
                               i ? ", " : "", size[i]);
    (void)snprintf(text + at, MW_SHAPE_TEXT_MAX - at, "]");
    return text;
}

void mw_tensor_file_close(mw_tensor_file *file)
{
    if (!file)
        return;
    for (int i = 0; i < file->n_arrays; i++) {
        mw_mem_free(file->source[i].buffer);
        file->source[i].buffer = NULL;
    }
    mw_map_file_close(&file->map);
}
