/* test_feed.c - examples: every one once an epoch, the same for every rank and
 * layout, and blocks that are parts of the whole batch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ir/text.h"
#include "runtime/block.h"
#include "runtime/feed.h"
#include "runtime/safetensors.h"
#include "tests/test.h"

typedef struct fixture {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    int64_t *below;
    mw_feed feed;
    char path[512];
} fixture;

static bool open_graph(fixture *f, const char *text)
{
    memset(f, 0, sizeof *f);
    mw_ctx_init(&f->ctx);
    mw_arena_init(&f->arena, &f->ctx);
    bool good =
        mw_graph_init(&f->graph, &f->arena, "m") == MW_OK &&
        mw_text_parse(&f->graph, "text", text) == MW_OK &&
        (f->below = MW_NEW_ARRAY(&f->arena, f->graph.n_tensors, int64_t));
    for (int t = 0; good && t < f->graph.n_tensors; t++)
        f->below[t] = INT64_MAX;
    return CHECK(good, "%s: %s", f->ctx.where, f->ctx.message);
}

static mw_status open_feed(fixture *f, const char *name, uint64_t seed,
                           bool in_order)
{
    (void)snprintf(f->path, sizeof f->path, "%s/%s", mw_scratch_path(), name);
    const mw_feed_spec spec = {
        .path = f->path, .seed = seed, .in_order = in_order, .below = f->below};
    return mw_feed_open(&f->arena, &f->graph, &spec, &f->feed);
}

static void close_fixture(fixture *f)
{
    mw_feed_close(&f->feed);
    mw_arena_free(&f->arena);
    mw_ctx_free(&f->ctx);
}

/* ---- order ---- */

static void every_one_once(void)
{
    enum { MOST = 300 };
    for (int64_t n = 1; n <= MOST; n += n < 20 ? 1 : 37) {
        int moved[2] = {0};
        for (int epoch = 0; epoch < 2; epoch++) {
            mw_feed feed = {.n_examples = n, .spec = {.seed = 7}};
            bool seen[MOST] = {false};
            bool good = true;
            for (int64_t i = 0; i < n; i++) {
                int64_t e = mw_feed_example(&feed, epoch * n + i);
                good = good && e >= 0 && e < n && !seen[e];
                seen[e] = true;
                mw_feed other = {.n_examples = n, .spec = {.seed = 8}};
                moved[epoch] += e != i;
                moved[0] += e != mw_feed_example(&other, epoch * n + i);
            }
            CHECK(good, "%lld examples, epoch %d", (long long)n, epoch);
        }
        CHECK(n < 10 || (moved[0] > n && moved[1] > n / 2),
              "%lld examples hardly move", (long long)n);
    }
}

/* ---- tokens ---- */

#define TOKEN_MODEL                                                            \
    "model m\ndim batch = 3\ndim seq = 4\n"                                    \
    "input ids : i32[batch, seq]\ninput labels : i64[batch, seq]\n"            \
    "c = cast(ids, to=i64) : i64[batch, seq]\n"                                \
    "y = add(c, labels) : i64[batch, seq]\noutput y\n"

static int64_t value_at(const mw_tensor *tensor, const void *block, int64_t i)
{
    if (tensor->dtype == MW_I32)
        return ((const int32_t *)block)[i];
    return ((const int64_t *)block)[i];
}

// A batch's box against the tokens themselves.
static void check_tokens(fixture *f, int input, int64_t position, mw_box box,
                         const unsigned char *token)
{
    int64_t block[12];
    const mw_tensor *t = &f->graph.tensor[f->feed.input[input].tensor];
    bool labels = strcmp(t->name, "labels") == 0, same = true;
    mw_feed_block(&f->feed, input, position, &box, block);
    for (int64_t i = 0; i < box.axis[0].size; i++)
        for (int64_t k = 0; k < box.axis[1].size; k++) {
            int64_t e =
                mw_feed_example(&f->feed, position + box.axis[0].start + i);
            int64_t want = token[4 * e + box.axis[1].start + k + labels];
            same = same && value_at(t, block, i * box.axis[1].size + k) == want;
        }
    CHECK(same, "%s at %lld", t->name, (long long)position);
}

static void windows_of_bytes(void)
{
    static const mw_box boxes[] = {
        {2, {{0, 3}, {0, 4}}}, {2, {{1, 2}, {0, 4}}}, {2, {{0, 3}, {2, 2}}},
        {2, {{2, 1}, {1, 2}}}, {2, {{1, 0}, {0, 4}}},
    };
    unsigned char token[46];
    uint64_t random = 1;
    fixture f;
    for (size_t i = 0; i < sizeof token; i++)
        token[i] = (unsigned char)mw_test_random(&random);
    if (open_graph(&f, TOKEN_MODEL)) {
        (void)snprintf(f.path, sizeof f.path, "%s/feed.txt", mw_scratch_path());
        mw_status status = mw_file_write(&f.ctx, f.path, token, sizeof token);
        if (status == MW_OK)
            status = open_feed(&f, "feed.txt", 3, false);
        /* 11 windows of 4, each with the token behind it */
        CHECK(status == MW_OK && f.feed.n_examples == 11 && f.feed.batch == 3,
              "%s: %s, %lld examples", f.ctx.where, f.ctx.message,
              (long long)f.feed.n_examples);
        for (int64_t p = 0; status == MW_OK && p < 30; p += 7)
            for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++)
                for (int input = 0; input < 2; input++)
                    check_tokens(&f, input, p, boxes[i], token);
        f.below[f.feed.input[0].tensor] = 256;
        CHECK(mw_feed_check(&f.feed, 0, 1) == MW_OK, "%s", f.ctx.message);
        f.below[f.feed.input[0].tensor] = token[45];
        bool found = false;
        for (int part = 0; part < 3; part++)
            found = found || mw_feed_check(&f.feed, part, 3) == MW_EINPUT;
        CHECK(found, "a token beyond its table is not seen");
    }
    close_fixture(&f);
}

static void rows_of_tokens(void)
{
    static const uint16_t token[4][5] = {
        {0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}, {10, 11, 12, 13, 14}, {15, 16, 17}};
    const mw_array array = {"tokens", MW_U16, 2, {4, 5}, sizeof token};
    const void *const data[] = {token};
    fixture f;
    if (open_graph(&f, TOKEN_MODEL)) {
        (void)snprintf(f.path, sizeof f.path, "%s/rows.safetensors",
                       mw_scratch_path());
        mw_status status =
            mw_safetensors_write(&f.ctx, f.path, &array, data, 1);
        if (status == MW_OK)
            status = open_feed(&f, "rows.safetensors", 0, true);
        CHECK(status == MW_OK && f.feed.n_examples == 4, "%s: %s", f.ctx.where,
              f.ctx.message);
        const mw_box row = {2, {{1, 1}, {0, 4}}};
        int32_t ids[4] = {0};
        int64_t labels[4] = {0};
        if (status == MW_OK) {
            mw_feed_block(&f.feed, 0, 1, &row, ids);
            mw_feed_block(&f.feed, 1, 1, &row, labels);
        }
        for (int k = 0; k < 4; k++)
            CHECK(ids[k] == token[2][k] && labels[k] == token[2][k + 1],
                  "token %d is %d, its label %lld", k, ids[k],
                  (long long)labels[k]);
    }
    close_fixture(&f);
}

/* ---- arrays ---- */

#define ARRAY_MODEL                                                            \
    "model m\ndim batch = 2\ndim a = 2\ndim b = 3\n"                           \
    "input x : f64[batch, (a b)]\ninput w : f32[batch]\ninput s : f32[a]\n"    \
    "v = reduce_sum(x) : f64[batch, a]\nc = cast(v, to=f32) : f32[batch, a]\n" \
    "d = mul(c, w) : f32[batch, a]\ny = mul(d, s) : f32[batch, a]\noutput y\n"

static float x_values[5 * 6], w_values[5], s_values[2];

static const mw_array arrays[] = {
    {"x", MW_F32, 2, {5, 6}, sizeof x_values},
    {"w", MW_F32, 1, {5}, sizeof w_values},
    {"s", MW_F32, 1, {2}, sizeof s_values},
};

static void rows_of_arrays(void)
{
    const void *const data[] = {x_values, w_values, s_values};
    fixture f;
    for (int i = 0; i < 30; i++)
        x_values[i] = (float)i;
    for (int i = 0; i < 5; i++)
        w_values[i] = (float)(100 + i);
    s_values[1] = 7;
    if (open_graph(&f, ARRAY_MODEL)) {
        (void)snprintf(f.path, sizeof f.path, "%s/feed.safetensors",
                       mw_scratch_path());
        mw_status status =
            mw_safetensors_write(&f.ctx, f.path, arrays, data, 3);
        if (status == MW_OK)
            status = open_feed(&f, "feed.safetensors", 3, true);
        CHECK(status == MW_OK && f.feed.n_examples == 5 && f.feed.batch == 2,
              "%s: %s", f.ctx.where, f.ctx.message);
        double x[4] = {0};
        float w[2] = {0}, s[2] = {0};
        const mw_box part = {3, {{0, 2}, {1, 1}, {1, 2}}}, pair = {1, {{0, 2}}};
        if (status == MW_OK) {
            mw_feed_block(&f.feed, 0, 4, &part, x);
            mw_feed_block(&f.feed, 1, 4, &pair, w);
            mw_feed_block(&f.feed, 2, 4, &pair, s);
        }
        /* rows 4 and 0; of their 2 x 3 the second row's last two */
        CHECK(x[0] == 28 && x[1] == 29 && x[2] == 4 && x[3] == 5,
              "x is %g %g %g %g", x[0], x[1], x[2], x[3]);
        CHECK((double)w[0] == 104 && (double)w[1] == 100, "w is %g %g",
              (double)w[0], (double)w[1]);
        CHECK((double)s[0] == 0 && (double)s[1] == 7, "s is %g %g",
              (double)s[0], (double)s[1]);
    }
    close_fixture(&f);
}

/* ---- what does not fit ---- */

static const struct {
    const char *what, *model, *want;
    int n; /* arrays */
    mw_array array[3];
} bad[] = {
    {"one is missing",
     ARRAY_MODEL,
     "none called 's'",
     2,
     {{"x", MW_F32, 2, {5, 6}, 120}, {"w", MW_F32, 1, {5}, 20}}},
    {"another width",
     ARRAY_MODEL,
     "array 'x' is f32[5, 5]",
     3,
     {{"x", MW_F32, 2, {5, 5}, 100},
      {"w", MW_F32, 1, {5}, 20},
      {"s", MW_F32, 1, {2}, 8}}},
    {"other rows",
     ARRAY_MODEL,
     "array 'w' has 4 rows",
     3,
     {{"x", MW_F32, 2, {5, 6}, 120},
      {"w", MW_F32, 1, {4}, 16},
      {"s", MW_F32, 1, {2}, 8}}},
    {"integers for floats",
     ARRAY_MODEL,
     "array 'w' is i32",
     3,
     {{"x", MW_F32, 2, {5, 6}, 120},
      {"w", MW_I32, 1, {5}, 20},
      {"s", MW_F32, 1, {2}, 8}}},
    {"too few tokens",
     TOKEN_MODEL,
     "holds no whole example, wanted 5 tokens",
     1,
     {{"tokens", MW_I32, 1, {4}, 16}}},
    {"rows of another length",
     TOKEN_MODEL,
     "has rows of 6 tokens",
     1,
     {{"tokens", MW_I32, 2, {3, 6}, 72}}},
    {"a block of tokens",
     TOKEN_MODEL,
     "has 3 axes",
     1,
     {{"tokens", MW_I32, 3, {3, 5, 1}, 60}}},
    {"tokens for arrays",
     ARRAY_MODEL,
     "is a list of tokens",
     1,
     {{"tokens", MW_I32, 1, {30}, 120}}},
};

static void refused(void)
{
    static const char zeros[256];
    const void *const data[3] = {zeros, zeros, zeros};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fixture f;
        if (open_graph(&f, bad[i].model)) {
            (void)snprintf(f.path, sizeof f.path, "%s/bad.safetensors",
                           mw_scratch_path());
            CHECK(mw_safetensors_write(&f.ctx, f.path, bad[i].array, data,
                                       bad[i].n) == MW_OK,
                  "%s", f.ctx.message);
            mw_status status = open_feed(&f, "bad.safetensors", 0, false);
            CHECK(status == MW_EINPUT && strstr(f.ctx.message, bad[i].want) &&
                      strstr(f.ctx.where, "bad.safetensors"),
                  "%s: status %d, %s: %s", bad[i].what, status, f.ctx.where,
                  f.ctx.message);
        }
        close_fixture(&f);
    }
}

static mw_status open_body(mw_ctx *ctx, void *arg)
{
    (void)arg;
    char path[512];
    mw_arena arena;
    mw_graph graph;
    mw_feed feed = {0};
    mw_arena_init(&arena, ctx);
    (void)snprintf(path, sizeof path, "%s/feed.safetensors", mw_scratch_path());
    const mw_feed_spec spec = {.path = path};
    mw_status status = mw_graph_init(&graph, &arena, "m");
    if (status == MW_OK)
        status = mw_text_parse(&graph, "text", ARRAY_MODEL);
    if (status == MW_OK)
        status = mw_feed_open(&arena, &graph, &spec, &feed);
    mw_feed_close(&feed);
    mw_arena_free(&arena);
    return status;
}

static void out_of_memory(void)
{
    check_oom("open examples", open_body, NULL);
}

const mw_suite mw_suite_feed = {"feed",
                                {{"every one once", every_one_once},
                                 {"windows of bytes", windows_of_bytes},
                                 {"rows of tokens", rows_of_tokens},
                                 {"rows of arrays", rows_of_arrays},
                                 {"refused", refused},
                                 {"out of memory", out_of_memory}}};
