/* safetensors.c - reads the header and checks every range it gives. */
#include "runtime/safetensors.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "runtime/npy.h"

enum { PREFIX = 8, HEADER_MAX = 100000000 };

static const struct type {
    const char *text;
    mw_dtype dtype;
} types[] = {
    {"F32", MW_F32},   {"F64", MW_F64}, {"F16", MW_F16}, {"BF16", MW_BF16},
    {"I8", MW_I8},     {"I16", MW_I16}, {"I32", MW_I32}, {"I64", MW_I64},
    {"U8", MW_U8},     {"U16", MW_U16}, {"U32", MW_U32}, {"U64", MW_U64},
    {"BOOL", MW_BOOL},
};
enum { N_TYPES = sizeof types / sizeof types[0] };

// A number that is a whole one in [0, 2^53], beyond which a double skips some.
static bool whole(const cJSON *item, int64_t *value)
{
    const double most = 9007199254740992.0;
    if (!cJSON_IsNumber(item))
        return false;
    double number = item->valuedouble;
    if (!(number >= 0 && number <= most) || (double)(int64_t)number != number)
        return false;
    *value = (int64_t)number;
    return true;
}

static mw_status read_type(mw_ctx *ctx, const cJSON *item, mw_array *array)
{
    const char *text =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "dtype"));
    for (int i = 0; text && i < N_TYPES; i++)
        if (strcmp(types[i].text, text) == 0) {
            array->dtype = types[i].dtype;
            return MW_OK;
        }
    return mw_fail(ctx, MW_EINPUT, "tensor '%s': unknown dtype '%s'",
                   array->name, text ? text : "");
}

static mw_status read_shape(mw_ctx *ctx, const cJSON *item, mw_array *array)
{
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(item, "shape");
    bool good = cJSON_IsArray(shape);
    array->rank = 0;
    const cJSON *size = good ? shape->child : NULL;
    for (; good && size; size = size->next) {
        good = array->rank < MW_MAX_FILE_RANK &&
               whole(size, &array->size[array->rank]);
        array->rank++;
    }
    if (!good || !mw_array_measure(array))
        return mw_fail(ctx, MW_EINPUT,
                       "tensor '%s': shape is not a list of at most %d sizes",
                       array->name, MW_MAX_FILE_RANK);
    return MW_OK;
}

static mw_status read_range(mw_ctx *ctx, const cJSON *item,
                            const mw_array *array, int64_t room,
                            int64_t *offset)
{
    const cJSON *range = cJSON_GetObjectItemCaseSensitive(item, "data_offsets");
    int64_t start, end;
    if (cJSON_GetArraySize(range) != 2 ||
        !whole(cJSON_GetArrayItem(range, 0), &start) ||
        !whole(cJSON_GetArrayItem(range, 1), &end) || start > end || end > room)
        return mw_fail(ctx, MW_EINPUT,
                       "tensor '%s': data_offsets do not lie within the %lld "
                       "bytes of values",
                       array->name, (long long)room);
    if (end - start != array->bytes)
        return mw_fail(ctx, MW_EINPUT,
                       "tensor '%s' holds %lld bytes where its shape wants "
                       "%lld",
                       array->name, (long long)(end - start),
                       (long long)array->bytes);
    *offset = start;
    return MW_OK;
}

static mw_status describe(mw_arena *arena, mw_tensor_file *file,
                          const cJSON *root, int64_t start)
{
    mw_ctx *ctx = file->ctx;
    int n = cJSON_GetArraySize(root);
    file->array = MW_NEW_ARRAY(arena, n, mw_array);
    file->source = MW_NEW_ARRAY(arena, n, mw_array_source);
    if (!file->array || !file->source)
        return MW_ENOMEM;
    int64_t room = (int64_t)file->map.size - start;
    for (const cJSON *item = root->child; item; item = item->next) {
        if (strcmp(item->string, "__metadata__") == 0)
            continue;
        mw_array *array = &file->array[file->n_arrays];
        mw_array_source *source = &file->source[file->n_arrays];
        array->name = mw_arena_text(arena, item->string);
        if (!array->name)
            return MW_ENOMEM;
        if (mw_tensor_file_find(file, "", array->name) != MW_NONE)
            return mw_fail(ctx, MW_EINPUT, "tensor '%s' stands twice",
                           array->name);
        MW_TRY(read_type(ctx, item, array));
        MW_TRY(read_shape(ctx, item, array));
        MW_TRY(read_range(ctx, item, array, room, &source->offset));
        source->offset += start;
        source->packed_bytes = source->total = array->bytes;
        file->n_arrays++;
    }
    return MW_OK;
}

mw_status mw_safetensors_describe(mw_arena *arena, mw_tensor_file *file)
{
    const unsigned char *bytes = file->map.bytes;
    uint64_t length = 0;
    for (int i = 0; i < PREFIX && file->map.size >= PREFIX; i++)
        length |= (uint64_t)bytes[i] << (8 * i);
    if (file->map.size < PREFIX || length > file->map.size - PREFIX ||
        length > HEADER_MAX)
        return mw_fail(file->ctx, MW_EINPUT,
                       "not a safetensors file: its header claims %llu bytes "
                       "of %zu",
                       (unsigned long long)length, file->map.size);
    cJSON *root = cJSON_ParseWithLength((const char *)bytes + PREFIX, length);
    mw_status status;
    if (cJSON_IsObject(root))
        status = describe(arena, file, root, PREFIX + (int64_t)length);
    else
        status = mw_fail(file->ctx, MW_EINPUT,
                         "safetensors header is not a JSON object");
    cJSON_Delete(root);
    return status;
}
