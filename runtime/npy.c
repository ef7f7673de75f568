/* npy.c - reads and writes the header that numpy puts before an array. */
#include "runtime/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/file.h"

enum { MAGIC = 6, HEADER_ALIGN = 64, HEADER_MAX = 256 + MW_MAX_FILE_RANK * 24 };

static const unsigned char magic[MAGIC] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* numpy's name of each type, the last of a type where it is written. Of bf16
 * and floats of 8 bits it knows the width alone: so JAX's and ml_dtypes' arrays
 * are saved, and the tensor they are for says which (mw_tensor_file_is). */
static const struct descr {
    const char *text;
    mw_dtype dtype;
} descrs[] = {
    {"<f4", MW_F32},        {"<f8", MW_F64},      {"<f2", MW_F16},
    {"|i1", MW_I8},         {"<i2", MW_I16},      {"<i4", MW_I32},
    {"<i8", MW_I64},        {"|u1", MW_U8},       {"<u2", MW_U16},
    {"<u4", MW_U32},        {"<u8", MW_U64},      {"|b1", MW_BOOL},
    {"|V2", MW_BF16},       {"<V2", MW_BF16},     {"<f1", MW_F8E5M2},
    {"<V1", MW_F8E4M3FN},   {"|V1", MW_F8E4M3FN}, {"<V1", MW_F8E4M3FNUZ},
    {"<V1", MW_F8E5M2FNUZ}, {"<V1", MW_F8E8M0},
};
enum { N_DESCRS = sizeof descrs / sizeof descrs[0] };

bool mw_array_measure(mw_array *array)
{
    for (int i = 0; i < array->rank; i++)
        if (array->size[i] < 0)
            return false;
    int64_t n;
    bool fits = mw_product_fits(array->size, array->rank, &n) &&
                mw_mul_fits(n, mw_dtype_bytes(array->dtype), &array->bytes);
    if (fits)
        array->bytes = mw_dtype_size(array->dtype, n);
    return fits;
}

mw_status mw_npy_header_bytes(mw_ctx *ctx, const unsigned char *bytes,
                              int64_t n, int64_t *header)
{
    if (n < MAGIC + 4 || memcmp(bytes, magic, MAGIC) != 0)
        return mw_fail(ctx, MW_EINPUT,
                       "not a .npy array: it does not start with \\x93NUMPY");
    int version = bytes[MAGIC];
    if (version < 1 || version > 3)
        return mw_fail(ctx, MW_EINPUT, ".npy version %d, wanted 1, 2 or 3",
                       version);
    int64_t length = bytes[8] | bytes[9] << 8, start = MAGIC + 4;
    if (version > 1) {
        if (n < MW_NPY_PREFIX)
            return mw_fail(ctx, MW_EINPUT, ".npy header is cut off");
        length |= (int64_t)bytes[10] << 16 | (int64_t)bytes[11] << 24;
        start = MW_NPY_PREFIX;
    }
    if (length > MW_NPY_HEADER_MAX - start)
        return mw_fail(ctx, MW_EINPUT,
                       ".npy header is %lld bytes, at most %d are wanted",
                       (long long)length, MW_NPY_HEADER_MAX - MW_NPY_PREFIX);
    *header = start + length;
    return MW_OK;
}

/* The header's text, a Python dictionary, being read. */
typedef struct reader {
    mw_ctx *ctx;
    const char *at, *end;
} reader;

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n'))
        r->at++;
}

static bool accept(reader *r, const char *text)
{
    skip_space(r);
    size_t n = strlen(text);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static mw_status expect(reader *r, const char *text)
{
    if (accept(r, text))
        return MW_OK;
    int n = r->end - r->at < 12 ? (int)(r->end - r->at) : 12;
    return mw_fail(r->ctx, MW_EINPUT, ".npy header: '%.*s', wanted '%s'", n,
                   r->at, text);
}

static mw_status read_descr(reader *r, mw_dtype *dtype)
{
    for (int i = 0; i < N_DESCRS; i++) {
        char quoted[8];
        (void)snprintf(quoted, sizeof quoted, "'%s'", descrs[i].text);
        if (accept(r, quoted)) {
            *dtype = descrs[i].dtype;
            return MW_OK;
        }
    }
    int n = 0, most = r->end - r->at < 12 ? (int)(r->end - r->at) : 12;
    while (n < most && r->at[n] != ',')
        n++;
    return mw_fail(r->ctx, MW_EINPUT,
                   ".npy type %.*s, wanted a little-endian number or bool", n,
                   r->at);
}

static mw_status read_size(reader *r, int64_t *size)
{
    skip_space(r);
    int64_t value = 0;
    const char *start = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *r->at - '0', &value))
            return mw_fail(r->ctx, MW_EINPUT, ".npy shape passes 2^63");
    if (r->at == start)
        return expect(r, "a size");
    *size = value;
    return MW_OK;
}

static mw_status read_shape(reader *r, mw_array *array)
{
    array->rank = 0;
    MW_TRY(expect(r, "("));
    while (!accept(r, ")")) {
        if (array->rank == MW_MAX_FILE_RANK)
            return mw_fail(r->ctx, MW_EINPUT, ".npy array has over %d axes",
                           MW_MAX_FILE_RANK);
        MW_TRY(read_size(r, &array->size[array->rank++]));
        if (accept(r, ","))
            continue;
        MW_TRY(expect(r, ")"));
        return MW_OK;
    }
    return MW_OK;
}

static mw_status read_order(reader *r, bool *fortran)
{
    *fortran = accept(r, "True");
    return *fortran ? MW_OK : expect(r, "False");
}

mw_status mw_npy_header_parse(mw_ctx *ctx, const unsigned char *bytes,
                              int64_t header, mw_array *array, bool *fortran)
{
    int64_t start = bytes[MAGIC] > 1 ? MW_NPY_PREFIX : MAGIC + 4;
    reader r = {ctx, (const char *)bytes + start, (const char *)bytes + header};
    enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
    int seen = 0;
    MW_TRY(expect(&r, "{"));
    while (!accept(&r, "}")) {
        int key = 0;
        if (accept(&r, "'descr':")) {
            key = DESCR;
            MW_TRY(read_descr(&r, &array->dtype));
        } else if (accept(&r, "'fortran_order':")) {
            key = ORDER;
            MW_TRY(read_order(&r, fortran));
        } else {
            key = SHAPE;
            MW_TRY(expect(&r, "'shape':"));
            MW_TRY(read_shape(&r, array));
        }
        if (seen & key)
            return mw_fail(ctx, MW_EINPUT, ".npy header: a key stands twice");
        seen |= key;
        if (accept(&r, ","))
            continue;
        MW_TRY(expect(&r, "}"));
        break;
    }
    skip_space(&r);
    if (r.at != r.end || seen != ALL)
        return mw_fail(ctx, MW_EINPUT,
                       ".npy header: wanted descr, fortran_order and shape");
    if (!mw_array_measure(array))
        return mw_fail(ctx, MW_EINPUT, ".npy shape: its bytes pass 2^63");
    return MW_OK;
}

static mw_status write_header(mw_ctx *ctx, const mw_array *array, char *header,
                              int *length)
{
    const char *descr = NULL;
    for (int i = 0; i < N_DESCRS; i++)
        if (descrs[i].dtype == array->dtype)
            descr = descrs[i].text;
    if (!descr)
        return mw_fail(ctx, MW_EINPUT, ".npy has no type %s",
                       mw_dtype_name(array->dtype));
    const int start = MAGIC + 4;
    memcpy(header, magic, MAGIC);
    header[MAGIC] = 1;
    header[MAGIC + 1] = 0;
    char *at = header + start;
    at += sprintf(at, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                  descr);
    for (int i = 0; i < array->rank; i++)
        at += sprintf(at, "%s%" PRId64, i ? ", " : "", array->size[i]);
    at += sprintf(at, "%s), }", array->rank == 1 ? "," : "");
    while ((at - header + 1) % HEADER_ALIGN)
        *at++ = ' ';
    *at++ = '\n';
    *length = (int)(at - header);
    header[8] = (char)((*length - start) & 255);
    header[9] = (char)((*length - start) >> 8);
    return MW_OK;
}

mw_status mw_npy_write(mw_ctx *ctx, const char *path, const mw_array *array,
                       const void *data)
{
    char header[HEADER_MAX];
    int length = 0;
    mw_out out;
    MW_TRY(write_header(ctx, array, header, &length));
    MW_TRY(mw_out_open(ctx, path, &out));
    mw_status status = mw_out_add(&out, header, (size_t)length);
    if (status == MW_OK)
        status = mw_out_add(&out, data, (size_t)array->bytes);
    if (status == MW_OK)
        status = mw_out_commit(&out);
    mw_out_close(&out);
    return status;
}
