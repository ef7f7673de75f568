/* test_runtime_files.c - arrays in files: what numpy writes is read back, what
 * is damaged is refused by name. */
#include <stdio.h>
#include <string.h>

#include "runtime/npy.h"
#include "tests/test.h"

/* Element k of each array in tests/data/arrays is k, of bool k % 2. */
static const struct want {
    const char *name;
    mw_dtype dtype;
    int rank;
    int64_t size[3];
} wants[] = {
    {"t_float32", MW_F32, 2, {2, 3}},  {"t_float64", MW_F64, 2, {2, 3}},
    {"t_float16", MW_F16, 2, {2, 3}},  {"t_int8", MW_I8, 2, {2, 3}},
    {"t_int16", MW_I16, 2, {2, 3}},    {"t_int32", MW_I32, 2, {2, 3}},
    {"t_int64", MW_I64, 2, {2, 3}},    {"t_uint8", MW_U8, 2, {2, 3}},
    {"t_uint16", MW_U16, 2, {2, 3}},   {"t_uint32", MW_U32, 2, {2, 3}},
    {"t_uint64", MW_U64, 2, {2, 3}},   {"t_bool", MW_BOOL, 2, {2, 3}},
    {"scalar", MW_I32, 0, {0}},        {"empty", MW_F32, 2, {0, 4}},
    {"fortran", MW_I32, 3, {2, 3, 4}}, {"x", MW_F32, 1, {5}},
};
enum { N_WANTS = sizeof wants / sizeof wants[0] };

static double element(mw_dtype dtype, const void *data, int64_t k)
{
    static const double halves[] = {0, 1, 2, 3, 4, 5};
    static const uint16_t half_bits[] = {0,      0x3c00, 0x4000,
                                         0x4200, 0x4400, 0x4500};
    const uint8_t *p = (const uint8_t *)data + k * mw_dtype_bytes(dtype);
    union {
        float f;
        double d;
        int64_t i;
        uint16_t h;
        uint8_t b[8];
    } u = {.i = 0};
    memcpy(u.b, p, (size_t)mw_dtype_bytes(dtype));
    if (dtype == MW_F32)
        return (double)u.f;
    if (dtype == MW_F64)
        return u.d;
    if (dtype == MW_F16)
        return k < 6 && u.h == half_bits[k] ? halves[k] : -1;
    return (double)u.i;
}

static void check_array(mw_tensor_file *file, const struct want *want)
{
    int i = mw_tensor_file_find(file, "in:", want->name);
    if (!CHECK(i >= 0, "%s: no array '%s'", file->path, want->name))
        return;
    const mw_array *array = &file->array[i];
    bool same = array->dtype == want->dtype && array->rank == want->rank;
    int64_t n = 1;
    for (int a = 0; same && a < want->rank; a++) {
        same = array->size[a] == want->size[a];
        n *= want->size[a];
    }
    const void *data = NULL;
    mw_status status = mw_tensor_file_data(file, i, &data);
    bool equal = same && status == MW_OK;
    for (int64_t k = 0; equal && k < n; k++) {
        int64_t value = want->rank == 0 ? 7 : k;
        if (want->dtype == MW_BOOL)
            value %= 2;
        equal = element(array->dtype, data, k) == (double)value;
    }
    CHECK(equal, "%s: array '%s' differs: %s", file->path, want->name,
          file->ctx->message);
}

static void read_files(void)
{
    static const struct {
        const char *path;
        bool all;
    } files[] = {{"tests/data/arrays/stored.npz", true},
                 {"tests/data/arrays/deflated.npz", true},
                 {"tests/data/arrays/zip64.npz", true},
                 {"tests/data/arrays/fortran.npy", false},
                 {"tests/data/arrays/plain.safetensors", false}};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        mw_ctx ctx;
        mw_arena arena;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        mw_tensor_file *file = NULL;
        mw_status status =
            mw_tensor_file_open(&ctx, &arena, files[f].path, &file);
        if (CHECK(status == MW_OK, "%s: %s", files[f].path, ctx.message)) {
            int found = 0;
            for (int i = 0; i < N_WANTS; i++)
                if (files[f].all ||
                    mw_tensor_file_find(file, "in:", wants[i].name) >= 0) {
                    check_array(file, &wants[i]);
                    found++;
                }
            CHECK(found == file->n_arrays, "%s: %d of %d arrays known",
                  files[f].path, found, file->n_arrays);
        }
        mw_tensor_file_close(file);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static const struct header_row {
    const char *text;
    const char *want; /* in the message; NULL: accepted */
} header_rows[] = {
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n", NULL},
    {"{'shape': (3,), 'fortran_order': True, 'descr': '|b1'}", NULL},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", NULL},
    {"{'descr': '|V2', 'fortran_order': False, 'shape': (3,)}", NULL},
    {"{'descr': '<V2', 'fortran_order': False, 'shape': (3,)}", NULL},
    {"{'descr': '|V4', 'fortran_order': False, 'shape': (3,)}", "type '|V4'"},
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (3,)}", "type '>f4'"},
    {"{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}", "type '<c8'"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}",
     "type ["},
    {"{'descr': '<f4', 'fortran_order': 1, 'shape': (3,)}", "wanted 'False'"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", "'a size'"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3", "wanted ')'"},
    {"{'descr': '<f4', 'fortran_order': False}", "wanted descr"},
    {"{'descr': '<f4', 'descr': '<f4', 'shape': ()}", "twice"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "wanted descr"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': "
     "(2305843009213693952,)}",
     "pass 2^63"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': "
     "(99999999999999999999,)}",
     "passes 2^63"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': "
     "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
     "over 32 axes"},
    {"", "wanted '{'"},
};

static void hostile_headers(void)
{
    for (size_t i = 0; i < sizeof header_rows / sizeof header_rows[0]; i++) {
        const struct header_row *row = &header_rows[i];
        unsigned char bytes[512] = "\x93NUMPY\x01";
        size_t n = strlen(row->text);
        bytes[8] = (unsigned char)n;
        memcpy(bytes + 10, row->text, n);
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_array array = {.name = "a"};
        bool fortran;
        int64_t header = 0;
        mw_status status = mw_npy_header_bytes(&ctx, bytes, 512, &header);
        if (status == MW_OK)
            status = mw_npy_header_parse(&ctx, bytes, header, &array, &fortran);
        if (row->want)
            CHECK(status == MW_EINPUT && strstr(ctx.message, row->want),
                  "%s: got %s", row->text, ctx.message);
        else
            CHECK(status == MW_OK, "%s: got %s", row->text, ctx.message);
        mw_ctx_free(&ctx);
    }
}

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (file) {
        (void)fwrite(bytes, 1, n, file);
        (void)fclose(file);
    }
}

static size_t slurp(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    size_t n = fread(bytes, 1, room, file);
    (void)fclose(file);
    return n;
}

// Reads all of a file; MW_EINPUT must carry a message.
static mw_status read_all(const char *path, mw_ctx *ctx)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_tensor_file *file = NULL;
    mw_status status = mw_tensor_file_open(ctx, &arena, path, &file);
    for (int i = 0; status == MW_OK && i < file->n_arrays; i++) {
        const void *data;
        status = mw_tensor_file_data(file, i, &data);
    }
    mw_tensor_file_close(file);
    mw_arena_free(&arena);
    return status;
}

// Every file cut off anywhere, and with any byte of it turned over, is read or
// refused, and a value is never taken from a damaged zip entry.
static void damaged_files(void)
{
    static const char *const names[] = {"stored.npz", "deflated.npz",
                                        "zip64.npz", "fortran.npy",
                                        "plain.safetensors"};
    static unsigned char bytes[1 << 15];
    for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
        char from[256], to[512];
        (void)snprintf(from, sizeof from, "tests/data/arrays/%s", names[f]);
        (void)snprintf(to, sizeof to, "%s/damaged-%s", mw_scratch_path(),
                       names[f]);
        size_t n = slurp(from, bytes, sizeof bytes);
        CHECK(n > 0 && n < sizeof bytes, "%s has %zu bytes", from, n);
        int silent = 0, accepted = 0;
        for (size_t cut = 0; cut < n; cut += 7) {
            mw_ctx ctx;
            mw_ctx_init(&ctx);
            write_file(to, bytes, cut);
            accepted += read_all(to, &ctx) == MW_OK;
            silent += ctx.message[0] == '\0';
            mw_ctx_free(&ctx);
        }
        CHECK(accepted == 0 && silent == 0, "%s cut off: %d read, %d silent",
              names[f], accepted, silent);
        silent = 0;
        for (size_t at = 0; at < n; at += 5) {
            mw_ctx ctx;
            mw_ctx_init(&ctx);
            bytes[at] ^= 0xff;
            write_file(to, bytes, n);
            mw_status status = read_all(to, &ctx);
            silent += status != MW_OK && ctx.message[0] == '\0';
            bytes[at] ^= 0xff;
            mw_ctx_free(&ctx);
        }
        CHECK(silent == 0, "%s with a byte turned over: %d silent", names[f],
              silent);
    }
}

static void refused_files(void)
{
    static const struct {
        const char *name, *bytes, *want;
    } rows[] = {{"a.txt", "x", "its ending is '.txt'"},
                {"empty.npy", "", "does not start with"},
                {"empty.npz", "", "no end record"},
                {"empty.safetensors", "", "not a safetensors file"},
                {"list.safetensors", "\2\0\0\0\0\0\0\0[]",
                 "is an array, wanted an object"},
                {"version.npy", "\x93NUMPY\x09\0\0\0", "version 9"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%s", mw_scratch_path(),
                       rows[i].name);
        size_t n = strlen(rows[i].bytes);
        if (rows[i].bytes[0] == 2)
            n = 10;
        if (rows[i].bytes[0] == '\x93')
            n = 10;
        write_file(path, rows[i].bytes, n);
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_status status = read_all(path, &ctx);
        CHECK(status == MW_EINPUT && strstr(ctx.message, rows[i].want) &&
                  strstr(ctx.where, rows[i].name),
              "%s: %s: %s", path, ctx.where, ctx.message);
        mw_ctx_free(&ctx);
    }
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    CHECK(read_all("no/such.npy", &ctx) == MW_EINPUT &&
              strstr(ctx.where, "no/such.npy"),
          "missing file: %s", ctx.message);
    mw_ctx_free(&ctx);
}

static void write_and_read(void)
{
    static const struct want bf16 = {"bf16", MW_BF16, 2, {2, 3}};
    for (int i = 0; i <= N_WANTS; i++) {
        const struct want *row = i < N_WANTS ? &wants[i] : &bf16;
        unsigned char data[256] = {0}, want[256];
        for (size_t k = 0; k < sizeof data; k++)
            data[k] = (unsigned char)(k * 7 + (size_t)i);
        mw_array array = {.dtype = row->dtype, .rank = row->rank};
        memcpy(array.size, row->size, sizeof row->size);
        mw_ctx ctx;
        mw_arena arena;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        char path[512];
        (void)snprintf(path, sizeof path, "%s/written.npy", mw_scratch_path());
        bool good = mw_array_measure(&array);
        memcpy(want, data, sizeof want);
        mw_tensor_file *file = NULL;
        const void *got = NULL;
        good = good && mw_npy_write(&ctx, path, &array, data) == MW_OK &&
               mw_tensor_file_open(&ctx, &arena, path, &file) == MW_OK &&
               mw_tensor_file_data(file, 0, &got) == MW_OK;
        good = good && file->array[0].dtype == array.dtype &&
               file->array[0].rank == array.rank &&
               file->array[0].bytes == array.bytes &&
               strcmp(file->array[0].name, "written") == 0 &&
               memcmp(got, want, (size_t)array.bytes) == 0;
        CHECK(good, "%s does not come back: %s", row->name, ctx.message);
        mw_tensor_file_close(file);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static mw_status read_body(mw_ctx *ctx, void *arg)
{
    return read_all(arg, ctx);
}

static void out_of_memory(void)
{
    static char stored[] = "tests/data/arrays/stored.npz",
                plain[] = "tests/data/arrays/plain.safetensors";
    check_oom("read .npz", read_body, stored);
    check_oom("read .safetensors", read_body, plain);
}

const mw_suite mw_suite_runtime_files = {"runtime_files",
                                         {{"read", read_files},
                                          {"hostile headers", hostile_headers},
                                          {"damaged", damaged_files},
                                          {"refused", refused_files},
                                          {"write and read", write_and_read},
                                          {"out of memory", out_of_memory}}};
