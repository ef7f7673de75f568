/* safetensors.c - reads the header and checks every range it gives; writes. */
#include "runtime/safetensors.h"

#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "runtime/npy.h"

enum { PREFIX = 8, HEADER_MAX = 100000000 };

static const struct type {
    const char *text;
    mw_dtype dtype;
} types[] = {
    {"F32", MW_F32},
    {"F64", MW_F64},
    {"F16", MW_F16},
    {"BF16", MW_BF16},
    {"I8", MW_I8},
    {"I16", MW_I16},
    {"I32", MW_I32},
    {"I64", MW_I64},
    {"U8", MW_U8},
    {"U16", MW_U16},
    {"U32", MW_U32},
    {"U64", MW_U64},
    {"BOOL", MW_BOOL},
    {"F8_E4M3", MW_F8E4M3FN},
    {"F8_E5M2", MW_F8E5M2},
    {"F8_E8M0", MW_F8E8M0},
    {"F4", MW_F4E2M1},
    {"C64", MW_C64},
    // not in the format's own list
    {"F8_E4M3FNUZ", MW_F8E4M3FNUZ},
    {"F8_E5M2FNUZ", MW_F8E5M2FNUZ},
    {"I4", MW_I4},
    {"U4", MW_U4},
    {"I2", MW_I2},
    {"U2", MW_U2},
    {"C128", MW_C128},
};
static const char notes_key[] = "__metadata__";
enum { N_TYPES = sizeof types / sizeof types[0] };

static mw_status read_type(mw_ctx *ctx, const mw_json *item, mw_array *array)
{
    const char *text = NULL;
    MW_TRY(mw_json_get_text(ctx, item, "dtype", &text));
    for (int i = 0; i < N_TYPES; i++)
        if (strcmp(types[i].text, text) == 0) {
            array->dtype = types[i].dtype;
            return MW_OK;
        }
    return mw_json_fail(ctx, item, "unknown dtype '%s'", text);
}

static mw_status read_shape(mw_ctx *ctx, const mw_json *item, mw_array *array)
{
    const mw_json *shape = NULL;
    MW_TRY(mw_json_get_array(ctx, item, "shape", &shape));
    bool good = shape->n <= MW_MAX_FILE_RANK;
    array->rank = good ? (int)shape->n : 0;
    for (int i = 0; i < array->rank; i++) {
        MW_TRY(mw_json_int(ctx, &shape->u.item[i], &array->size[i]));
        good = good && array->size[i] >= 0;
    }
    if (!good || !mw_array_measure(array))
        return mw_json_fail(ctx, shape, "is not a list of at most %d sizes",
                            MW_MAX_FILE_RANK);
    return MW_OK;
}

static mw_status read_range(mw_ctx *ctx, const mw_json *item,
                            const mw_array *array, int64_t room,
                            int64_t *offset)
{
    const mw_json *range = NULL;
    int64_t end[2] = {-1, -1};
    MW_TRY(mw_json_get_array(ctx, item, "data_offsets", &range));
    for (int64_t i = 0; i < 2 && range->n == 2; i++)
        MW_TRY(mw_json_int(ctx, &range->u.item[i], &end[i]));
    if (end[0] < 0 || end[0] > end[1] || end[1] > room)
        return mw_json_fail(ctx, range,
                            "is not a range within the %lld bytes of values",
                            (long long)room);
    if (end[1] - end[0] != array->bytes)
        return mw_json_fail(ctx, range, "is %lld bytes, wanted %lld for shape",
                            (long long)(end[1] - end[0]),
                            (long long)array->bytes);
    *offset = end[0];
    return MW_OK;
}

static mw_status describe(mw_arena *arena, mw_tensor_file *file,
                          const mw_json *root, int64_t start)
{
    mw_ctx *ctx = file->ctx;
    file->array = MW_NEW_ARRAY(arena, root->n, mw_array);
    file->source = MW_NEW_ARRAY(arena, root->n, mw_array_source);
    if (!file->array || !file->source)
        return MW_ENOMEM;
    int64_t room = (int64_t)file->map.size - start;
    for (int64_t i = 0; i < root->n; i++) {
        const mw_json *item = &root->u.item[i];
        if (strcmp(item->key, notes_key) == 0) {
            file->notes = item;
            continue;
        }
        mw_array *array = &file->array[file->n_arrays];
        mw_array_source *source = &file->source[file->n_arrays];
        array->name = item->key;
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
    const mw_json *root = NULL;
    MW_TRY(mw_json_parse(arena, file->path, (const char *)bytes + PREFIX,
                         length, &root));
    MW_TRY(mw_json_kind_is(file->ctx, root, MW_JSON_OBJECT));
    return describe(arena, file, root, PREFIX + (int64_t)length);
}

static const char *type_text(mw_dtype dtype)
{
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].dtype == dtype)
            return types[i].text;
    return NULL;
}

static void put_notes(mw_json_out *out, const mw_safetensors_note note[])
{
    mw_json_begin_object_inline(out, notes_key);
    for (; note->key; note++)
        mw_json_put_text(out, note->key, note->value);
    mw_json_end(out);
}

static void put_header(mw_text *text, const mw_array array[], int n,
                       const mw_safetensors_note note[])
{
    mw_json_out out;
    int64_t offset = 0;
    mw_json_out_init(&out, text);
    mw_json_begin_object_inline(&out, NULL);
    if (note)
        put_notes(&out, note);
    for (int i = 0; i < n; i++) {
        mw_json_begin_object_inline(&out, array[i].name);
        mw_json_put_text(&out, "dtype", type_text(array[i].dtype));
        mw_json_begin_array_inline(&out, "shape");
        for (int a = 0; a < array[i].rank; a++)
            mw_json_put_int(&out, NULL, array[i].size[a]);
        mw_json_end(&out);
        mw_json_begin_array_inline(&out, "data_offsets");
        mw_json_put_int(&out, NULL, offset);
        offset += array[i].bytes;
        mw_json_put_int(&out, NULL, offset);
        mw_json_end(&out);
        mw_json_end(&out);
    }
    mw_json_end(&out);
    while (text->length % PREFIX != 0) /* values are aligned */
        mw_text_add_char(text, ' ');
}

static mw_status put_front(mw_out *out, const mw_text *header)
{
    unsigned char prefix[PREFIX];
    for (int i = 0; i < PREFIX; i++)
        prefix[i] = (unsigned char)((uint64_t)header->length >> (8 * i));
    MW_TRY(mw_out_add(out, prefix, PREFIX));
    return mw_out_add(out, header->data, header->length);
}

mw_status mw_safetensors_begin(mw_ctx *ctx, const char *path,
                               const mw_array array[], int n,
                               const mw_safetensors_note note[], mw_out *out)
{
    mw_text header;
    mw_text_init(&header, ctx);
    put_header(&header, array, n, note);
    mw_status status = mw_text_status(&header);
    if (status == MW_OK)
        status = mw_out_open(ctx, path, out);
    if (status == MW_OK) {
        status = put_front(out, &header);
        if (status != MW_OK)
            mw_out_close(out);
    }
    mw_text_free(&header);
    return status;
}

mw_status mw_safetensors_write(mw_ctx *ctx, const char *path,
                               const mw_array array[], const void *const data[],
                               int n)
{
    mw_out out;
    MW_TRY(mw_safetensors_begin(ctx, path, array, n, NULL, &out));
    mw_status status = MW_OK;
    for (int i = 0; i < n && status == MW_OK; i++)
        status = mw_out_add(&out, data[i], (size_t)array[i].bytes);
    if (status == MW_OK)
        status = mw_out_commit(&out);
    mw_out_close(&out);
    return status;
}
