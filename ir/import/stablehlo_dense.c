/* stablehlo_dense.c - the values of dense<...>: numbers in nested brackets, a
 * text of hexadecimal bytes, or one value for all elements. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ir/fold.h"
#include "ir/import/stablehlo.h"
#include "ir/number.h"

typedef struct reader {
    mw_arena *arena;
    const char *file;
    const mw_hlo_item *dense;
    mw_dtype dtype;
    const char *at, *end;
} reader;

static mw_status bad(const reader *r, const char *what, int64_t found,
                     int64_t wanted)
{
    mw_ctx_at(r->arena->ctx, "%s:%d:%d", r->file, r->dense->line,
              r->dense->column);
    return mw_fail(r->arena->ctx, MW_EINPUT,
                   "a constant has %lld %s, wanted %lld", (long long)found,
                   what, (long long)wanted);
}

static mw_status no_number(const reader *r)
{
    int length = (int)strcspn(r->at, ",]>\n \"");
    mw_ctx_at(r->arena->ctx, "%s:%d:%d", r->file, r->dense->line,
              r->dense->column);
    return mw_fail(r->arena->ctx, MW_EINPUT,
                   "a constant has '%.*s', wanted a number of %s",
                   length < 24 ? length : 24, r->at, mw_dtype_name(r->dtype));
}

/* ---- bytes ---- */

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int byte_at(const reader *r, int64_t k)
{
    int high = digit(r->at[2 * k]), low = digit(r->at[2 * k + 1]);
    return high < 0 || low < 0 ? -1 : 16 * high + low;
}

/* Truth values in bytes, or eight in one. */
static mw_status read_truth(const reader *r, int64_t have, int64_t n,
                            uint8_t *to)
{
    bool packed = have != n;
    if (packed && have != (n + 7) / 8)
        return bad(r, "bytes", have, n);
    for (int64_t k = 0; k < n; k++) {
        int byte = byte_at(r, packed ? k / 8 : k);
        if (byte < 0)
            return no_number(r);
        to[k] = packed ? (byte >> k % 8 & 1) != 0 : byte != 0;
    }
    return MW_OK;
}

/* "0x..." of n elements, or of one for all (*one). */
static mw_status read_hex(reader *r, int64_t n, uint8_t *to, bool *one)
{
    int64_t width = mw_dtype_bytes(r->dtype);
    const char *close = memchr(r->at + 1, '"', (size_t)(r->end - r->at - 1));
    if (!close || strncmp(r->at, "\"0x", 3) != 0)
        return no_number(r);
    r->at += 3;
    int64_t have = (close - r->at) / 2;
    *one = have == width && n != 1;
    if (r->dtype == MW_BOOL)
        return read_truth(r, have, *one ? 1 : n, to);
    if (!*one && have != n * width)
        return bad(r, "bytes", have, n * width);
    for (int64_t k = 0; k < have; k++) {
        int byte = byte_at(r, k);
        if (byte < 0)
            return no_number(r);
        to[k] = (uint8_t)byte;
    }
    return MW_OK;
}

/* ---- numbers ---- */

static bool in_range(mw_dtype dtype, bool negative, uint64_t size)
{
    if (mw_dtype_class(dtype) == MW_CLASS_SIGNED) {
        uint64_t most = (uint64_t)mw_number_largest(dtype).i;
        return size <= most + negative;
    }
    return (!negative || size == 0) &&
           (dtype == MW_BOOL ? size <= 1 : size <= mw_number_largest(dtype).u);
}

/* One number into `to`, of the element's size. Floats may be their bits. */
static mw_status read_number(reader *r, void *to)
{
    size_t width = (size_t)mw_dtype_bytes(r->dtype);
    bool is_float = mw_dtype_is_float(r->dtype);
    bool yes = strncmp(r->at, "true", 4) == 0;
    uint64_t bits = yes;
    if (yes || strncmp(r->at, "false", 5) == 0) {
        if (r->dtype != MW_BOOL)
            return no_number(r);
        r->at += yes ? 4 : 5;
        memcpy(to, &bits, width);
        return MW_OK;
    }
    bool negative = *r->at == '-';
    const char *first = r->at + negative;
    bool hex = first[0] == '0' && first[1] == 'x';
    char *end = NULL;
    if (digit(*first) < 0 || digit(*first) > 9)
        return no_number(r);
    errno = 0;
    if (is_float && !hex) {
        mw_fold_element(r->dtype, strtod(r->at, &end), &bits);
    } else {
        bits = strtoull(first, &end, hex ? 16 : 10);
        if (errno == ERANGE || (is_float ? width < 8 && bits >> (8 * width) != 0
                                         : !in_range(r->dtype, negative, bits)))
            return no_number(r);
        bits = negative ? ~bits + 1 : bits;
    }
    if (*end == '.' || digit(*end) >= 0)
        return no_number(r);
    r->at = end;
    memcpy(to, &bits, width);
    return MW_OK;
}

static void skip_blank(reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n,", *r->at))
        r->at++;
}

/* Numbers in brackets as deep as the tensor has axes. */
static mw_status read_list(reader *r, const mw_tensor *tensor, int64_t n,
                           uint8_t *to)
{
    int64_t depth = 0, done = 0;
    int64_t width = mw_dtype_bytes(r->dtype);
    for (skip_blank(r); r->at < r->end; skip_blank(r)) {
        if (*r->at == '[' || *r->at == ']') {
            depth += *r->at == '[' ? 1 : -1;
            r->at++;
            continue;
        }
        if (depth != tensor->rank)
            return bad(r, "brackets around a number", depth, tensor->rank);
        if (done == n)
            return bad(r, "numbers or more", n + 1, n);
        MW_TRY(read_number(r, to + done++ * width));
    }
    return done == n ? MW_OK : bad(r, "numbers", done, n);
}

static mw_status read_splat(reader *r, bool *splat, uint64_t *bits)
{
    MW_TRY(read_number(r, bits));
    skip_blank(r);
    *splat = true;
    return r->at == r->end ? MW_OK : no_number(r);
}

/* Elements that a text of this length can hold, two digits a byte or a digit
 * and a comma a number, so that a size that is written is no claim on memory.
 */
static bool can_hold(const reader *r, int64_t n)
{
    return n / 8 <= r->end - r->at;
}

mw_status mw_hlo_dense_read(mw_arena *arena, const char *file,
                            const mw_hlo_item *dense, mw_tensor *tensor,
                            bool *splat, uint64_t *bits)
{
    reader r = {.arena = arena,
                .file = file,
                .dense = dense,
                .dtype = tensor->dtype,
                .at = dense->body.text,
                .end = dense->body.text + dense->body.length};
    int64_t n = mw_tensor_elements(tensor);
    *splat = false;
    *bits = 0;
    skip_blank(&r);
    bool hex = r.at < r.end && *r.at == '"';
    bool list = r.at < r.end && *r.at == '[';
    if (r.at == r.end && n != 0)
        return bad(&r, "numbers", 0, n);
    if (r.at < r.end && !hex && !list)
        return read_splat(&r, splat, bits);
    bool one = hex && r.end - r.at <= 2 * mw_dtype_bytes(r.dtype) + 4;
    if (!one && !can_hold(&r, n))
        return bad(&r, "characters", r.end - r.at, n);
    size_t width = (size_t)mw_dtype_bytes(r.dtype);
    uint8_t *data =
        mw_arena_alloc(arena, one ? 1 : (size_t)n, one ? 2 * width : width);
    if (!data)
        return MW_ENOMEM;
    bool repeated = false;
    MW_TRY(hex ? read_hex(&r, n, data, &repeated)
               : read_list(&r, tensor, n, data));
    if (repeated) {
        memcpy(bits, data, width);
        *splat = true;
        return MW_OK;
    }
    tensor->data = (mw_data){.kind = MW_DATA_MEMORY,
                             .bytes = data,
                             .length = mw_tensor_bytes(tensor)};
    return MW_OK;
}
