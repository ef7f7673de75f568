/* test_base.c - texts, hashes, maps, files, arithmetic, near misses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/near.h"
#include "base/text.h"
#include "tests/test.h"

static mw_status build_text(mw_ctx *ctx, void *arg)
{
    (void)arg;
    mw_text text;
    mw_text_init(&text, ctx);
    for (int i = 0; i < 200; i++)
        mw_text_format(&text, "%d,", i);
    mw_text_add(&text, "end");
    mw_status status = mw_text_status(&text);
    mw_text_free(&text);
    return status;
}

static void texts(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_text text;
    mw_text_init(&text, &ctx);
    CHECK(strcmp(text.data, "") == 0, "a new text is '%s'", text.data);
    mw_text_format(&text, "%*d", 1000, 7);
    mw_text_add_char(&text, '!');
    mw_text_add_bytes(&text, "", 0);
    CHECK(text.length == 1001 && strcmp(text.data + 998, " 7!") == 0,
          "length %zu, end '%s'", text.length, text.data + 998);
    mw_text_cut(&text, 0);
    mw_text_add(&text, "new");
    CHECK(strcmp(text.data, "new") == 0, "after a cut '%s'", text.data);
    mw_text_free(&text);
    mw_text_free(&text);
    mw_ctx_free(&ctx);
    check_oom("text", build_text, NULL);
}

/* FIPS 180-4 examples and the empty text. */
static void sha256(void)
{
    static const struct {
        const char *text, *want;
        int times;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
         1},
        {"abc",
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 1},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", 1},
        {"a",
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
         1000000},
    };
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_text text;
        mw_text_init(&text, &ctx);
        for (int k = 0; k < rows[i].times; k++)
            mw_text_add(&text, rows[i].text);
        char hex[MW_SHA256_HEX];
        mw_sha256_bytes(text.data, text.length, hex);
        CHECK(strcmp(hex, rows[i].want) == 0, "'%s' x %d: %s", rows[i].text,
              rows[i].times, hex);
        mw_text_free(&text);
    }
    mw_ctx_free(&ctx);
}

/* Keys that differ in one bit or in length have different hashes. */
static void hashes(void)
{
    unsigned char key[64] = {0};
    uint64_t plain[65];
    for (size_t n = 0; n <= 64; n++)
        plain[n] = mw_hash_bytes(0, key, n);
    for (size_t n = 1; n <= 64; n++) {
        CHECK(plain[n] != plain[n - 1], "lengths %zu and %zu", n - 1, n);
        key[n - 1] = 1;
        CHECK(mw_hash_bytes(0, key, n) != plain[n], "last byte of %zu", n);
        key[n - 1] = 0;
    }
    CHECK(mw_hash_text(0, "abc") != mw_hash_text(1, "abc"), "seeds 0 and 1");
}

static mw_status fill_map(mw_ctx *ctx, void *arg)
{
    int n = *(int *)arg;
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_map map;
    mw_map_init(&map, &arena);
    mw_status status = MW_OK;
    for (int i = 0; i < n && status == MW_OK; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "k%d", i % (n / 2 + 1));
        status = mw_map_put_text(&map, key, i);
    }
    for (int i = 0; i < n / 2 + 1 && status == MW_OK; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "k%d", i);
        int64_t *value = mw_map_find_text(&map, key);
        int want = i + n / 2 + 1 < n ? i + n / 2 + 1 : i;
        CHECK(value && *value == want && strcmp(map.entry[i].key, key) == 0,
              "%s is %lld, want %d", key, value ? (long long)*value : -1, want);
    }
    if (status == MW_OK)
        CHECK(!mw_map_find_text(&map, "other"), "a key that nobody put");
    mw_arena_free(&arena);
    return status;
}

static void maps(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    int n = 100;
    CHECK(fill_map(&ctx, &n) == MW_OK, "%s", ctx.message);
    mw_ctx_free(&ctx);
    n = 9;
    check_oom("map", fill_map, &n);
}

static void products(void)
{
    static const struct {
        int64_t size[3];
        bool fits;
        int64_t want;
    } rows[] = {
        {{2, 3, 4}, true, 24},
        {{INT64_MAX, 2, 1}, false, 0},
        {{INT64_MAX, 2, 0}, true, 0},
        {{INT64_C(1) << 31, INT64_C(1) << 31, 2}, false, 0},
        {{INT64_C(1) << 31, INT64_C(1) << 31, 1}, true, INT64_C(1) << 62},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t got = -1;
        bool fits = mw_product_fits(rows[i].size, 3, &got);
        CHECK(fits == rows[i].fits && got == (fits ? rows[i].want : -1),
              "row %zu: %d %lld", i, fits, (long long)got);
    }
    int64_t sum = 5;
    CHECK(!mw_add_fits(INT64_MAX, 1, &sum) && sum == 5, "sum %lld",
          (long long)sum);
    CHECK(mw_ceil_div(7, 2) == 4 && mw_ceil_div(8, 2) == 4 &&
              mw_ceil_div(0, 3) == 0 && mw_ceil_div(INT64_MAX, 1) == INT64_MAX,
          "ceil_div");
}

static void near_misses(void)
{
    static const char *const names[] = {"mesh", "memory", "machine", "top"};
    static const struct {
        const char *word, *want;
    } rows[] = {
        {"mehs", "mesh"},        {"memroy", "memory"}, {"machin", "machine"},
        {"mesh", "mesh"},        {"iterations", NULL}, {"tpo", "top"},
        {"machines", "machine"}, {"x", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_near near;
        mw_near_init(&near, rows[i].word);
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            mw_near_try(&near, names[k]);
        bool same = near.best && rows[i].want
                        ? strcmp(near.best, rows[i].want) == 0
                        : near.best == rows[i].want;
        CHECK(same, "%s: got %s", rows[i].word, near.best ? near.best : "none");
    }
}

static void scratch(char path[256], const char *name)
{
    (void)snprintf(path, 256, "%s/%s", mw_scratch_path(), name);
}

static int n_temporaries(void)
{
    char command[512], line[64] = "";
    (void)snprintf(command, sizeof command, "ls %s | grep -c '[.]tmp$'",
                   mw_scratch_path());
    FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a test */
    if (pipe && !fgets(line, sizeof line, pipe))
        line[0] = '\0';
    if (pipe)
        (void)pclose(pipe);
    return atoi(line);
}

static void writing(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    char path[256], link[256], *bytes = NULL, hex[MW_SHA256_HEX];
    size_t size = 0;
    scratch(path, "written");
    scratch(link, "link");
    (void)unlink(link);
    CHECK(mw_file_write(&ctx, path, "old", 3) == MW_OK, "%s", ctx.message);
    CHECK(symlink("written", link) == 0, "%s: no link", link);
    mw_out out;
    CHECK(mw_out_open(&ctx, link, &out) == MW_OK, "%s", ctx.message);
    CHECK(mw_out_add(&out, "ab", 2) == MW_OK, "%s", ctx.message);
    CHECK(mw_file_read(&arena, path, &bytes, &size) == MW_OK && size == 3 &&
              strcmp(bytes, "old") == 0,
          "before the commit the old file stands");
    CHECK(mw_out_add(&out, "c\0", 2) == MW_OK, "%s", ctx.message);
    CHECK(mw_out_commit(&out) == MW_OK, "%s", ctx.message);
    mw_out_close(&out);
    CHECK(mw_file_read(&arena, path, &bytes, &size) == MW_OK && size == 4 &&
              memcmp(bytes, "abc\0", 5) == 0,
          "read %zu bytes", size);
    struct stat info;
    CHECK(lstat(link, &info) == 0 && S_ISLNK(info.st_mode),
          "writing replaced a link");
    CHECK(mw_sha256_file(&ctx, path, hex) == MW_OK, "%s", ctx.message);
    mw_map_file map;
    if (CHECK(mw_map_file_open(&ctx, path, &map) == MW_OK, "%s", ctx.message))
        CHECK(map.size == 4 && memcmp(map.bytes, "abc\0", 4) == 0, "the map");
    mw_map_file_close(&map);
    mw_map_file_close(&map);
    CHECK(mw_out_open(&ctx, path, &out) == MW_OK, "%s", ctx.message);
    mw_out_close(&out);
    mw_out_close(&out);
    CHECK(mw_file_read(&arena, path, &bytes, &size) == MW_OK && size == 4,
          "a file that was given up changed the old one");
    CHECK(n_temporaries() == 0, "a temporary file was left");
    CHECK(mw_file_write(&ctx, "/dev/null", "x", 1) == MW_OK, "%s", ctx.message);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static mw_status read_missing(mw_ctx *ctx, mw_arena *arena, const char *path,
                              int how)
{
    char *bytes, hex[MW_SHA256_HEX];
    size_t size;
    mw_map_file map;
    if (how == 0)
        return mw_file_read(arena, path, &bytes, &size);
    if (how == 1)
        return mw_map_file_open(ctx, path, &map);
    if (how == 2)
        return mw_sha256_file(ctx, path, hex);
    return mw_file_write(ctx, path, "x", 1);
}

static void missing_files(void)
{
    static const struct {
        const char *path, *want;
        int how;
        mw_status status;
    } rows[] = {
        {"nowhere/x", "cannot be read: No such file or directory", 0,
         MW_EINPUT},
        {"nowhere/x", "cannot be read: No such file or directory", 1,
         MW_EINPUT},
        {"nowhere/x", "cannot be read: No such file or directory", 2,
         MW_EINPUT},
        {"nowhere/x", "cannot be written: No such file or directory", 3,
         MW_ERUN},
        {"tests", "cannot be read: Is a directory", 0, MW_EINPUT},
        {"tests", "cannot be read: Is a directory", 1, MW_EINPUT},
        {"tests", "cannot be read: Is a directory", 2, MW_EINPUT},
        {"tests", "cannot be written: Is a directory", 3, MW_ERUN},
        {"/dev/full", "cannot be written: No space left on device", 3, MW_ERUN},
        {"/dev/null", "is no regular file", 1, MW_EINPUT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_arena arena;
        mw_arena_init(&arena, &ctx);
        mw_status status =
            read_missing(&ctx, &arena, rows[i].path, rows[i].how);
        CHECK(status == rows[i].status &&
                  strcmp(ctx.message, rows[i].want) == 0 &&
                  strcmp(ctx.where, rows[i].path) == 0,
              "%s %d: %s: %s", rows[i].path, rows[i].how, ctx.where,
              ctx.message);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static void paths(void)
{
    static const struct {
        const char *path, *name, *ext, *beside;
    } rows[] = {
        {"a/b/c.onnx", "c.onnx", ".onnx", "a/b/w"},
        {"c.tar.gz", "c.tar.gz", ".gz", "w"},
        {"/c", "c", "", "/w"},
        {"a.d/.hidden", ".hidden", "", "a.d/w"},
    };
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *beside = mw_path_beside(&arena, rows[i].path, "w");
        CHECK(strcmp(mw_path_name(rows[i].path), rows[i].name) == 0 &&
                  strcmp(mw_path_ext(rows[i].path), rows[i].ext) == 0 &&
                  strcmp(beside, rows[i].beside) == 0,
              "%s: %s %s %s", rows[i].path, mw_path_name(rows[i].path),
              mw_path_ext(rows[i].path), beside);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static mw_status write_body(mw_ctx *ctx, void *arg)
{
    char path[256];
    (void)arg;
    scratch(path, "no_memory");
    return mw_file_write(ctx, path, "x", 1);
}

static void no_memory(void)
{
    check_oom("file", write_body, NULL);
    CHECK(n_temporaries() == 0, "a temporary file was left");
}

const mw_suite mw_suite_base = {
    "base",
    {
        {"texts grow", texts},
        {"SHA-256 of FIPS 180-4", sha256},
        {"hashes differ", hashes},
        {"maps find what was put", maps},
        {"products that do not fit are refused", products},
        {"near misses", near_misses},
        {"files appear whole", writing},
        {"files that cannot be read or written", missing_files},
        {"paths", paths},
        {"memory runs out while writing", no_memory},
    },
};
