/* test_arena.c - contexts, arenas and memory. */
#include <stdalign.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "tests/test.h"

/* Blocks are zeroed, aligned and apart; each is filled with its number. */
static void blocks(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    uint64_t state = 1;
    unsigned char *block[64];
    size_t size[64];
    for (int i = 0; i < 64; i++) {
        size[i] = (size_t)(mw_test_random(&state) % 20000);
        block[i] = mw_arena_alloc(&arena, size[i], 1);
        bool good = block[i] && (uintptr_t)block[i] % alignof(max_align_t) == 0;
        for (size_t k = 0; good && k < size[i]; k++)
            good = block[i][k] == 0;
        CHECK(good, "block %d of %zu bytes", i, size[i]);
        if (good && size[i])
            memset(block[i], i + 1, size[i]);
    }
    for (int i = 0; i < 64; i++) {
        bool good = true;
        for (size_t k = 0; good && k < size[i]; k++)
            good = block[i][k] == i + 1;
        CHECK(good, "block %d was written over", i);
    }
    mw_arena_free(&arena);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void too_large(void)
{
    static const size_t table[][2] = {
        {SIZE_MAX, 1}, {SIZE_MAX / 2, 3}, {1, SIZE_MAX}, {SIZE_MAX, SIZE_MAX}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_arena arena;
        mw_arena_init(&arena, &ctx);
        CHECK(!mw_arena_alloc(&arena, table[i][0], table[i][1]) &&
                  ctx.status == MW_ENOMEM,
              "arena: %zu x %zu", table[i][0], table[i][1]);
        mw_ctx_clear(&ctx);
        CHECK(!mw_mem_alloc(&ctx, table[i][0], table[i][1]) &&
                  ctx.status == MW_ENOMEM,
              "memory: %zu x %zu", table[i][0], table[i][1]);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

// Advice about pages changes no byte, of short blocks and long ones.
static void large_pages(void)
{
    static const size_t table[] = {1, 4096, (size_t)2 << 20, (size_t)5 << 20};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        size_t n = table[i], wrong = 0;
        unsigned char *block = mw_mem_alloc(&ctx, n, 1);
        if (!CHECK(block, "%zu bytes: %s", n, ctx.message))
            return;
        block[n / 2] = 1;
        mw_mem_large_pages(block, n);
        for (size_t k = 0; k < n; k++)
            wrong += block[k] != (k == n / 2);
        CHECK(wrong == 0, "%zu bytes: %zu changed", n, wrong);
        mw_mem_free(block);
        mw_ctx_free(&ctx);
    }
}

static mw_status grow(mw_ctx *ctx, void *arg)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    int64_t cap = 0, *item = NULL;
    mw_status status = MW_OK;
    (void)arg;
    for (int64_t n = 0; n < 1000 && status == MW_OK; n++) {
        int64_t *grown = mw_arena_reserve(&arena, item, n, &cap, sizeof *item);
        if (!grown) {
            status = MW_ENOMEM;
            break;
        }
        item = grown;
        item[n] = n * n;
    }
    for (int64_t i = 0; i < 1000 && status == MW_OK; i++)
        if (item[i] != i * i)
            status = mw_fail(ctx, MW_EBUG, "item %lld", (long long)i);
    char *text = NULL;
    if (status == MW_OK)
        text = mw_arena_format(&arena, "%s-%*d", "x", 5000, 1);
    if (status == MW_OK)
        status = text && strlen(text) == 5002 ? MW_OK : MW_ENOMEM;
    mw_arena_free(&arena);
    return status;
}

static void vectors(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    CHECK(grow(&ctx, NULL) == MW_OK, "%s", ctx.message);
    mw_ctx_free(&ctx);
    check_oom("vector", grow, NULL);
}

/* Each status has a text and an exit status of DESIGN section 9. */
static void statuses(void)
{
    static const struct {
        mw_status status;
        int exit_status;
    } rows[] = {
        {MW_OK, 0},          {MW_EDIFFERS, 1}, {MW_EUSAGE, 2}, {MW_EINPUT, 3},
        {MW_EINFEASIBLE, 4}, {MW_ERUN, 5},     {MW_ENOMEM, 5}, {MW_EBUG, 6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK(mw_status_exit(rows[i].status) == rows[i].exit_status &&
                  mw_status_text(rows[i].status)[0],
              "%s: %d", mw_status_text(rows[i].status),
              mw_status_exit(rows[i].status));
}

static void failures(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_ctx_at(&ctx, "net.mw:%d:%d", 1, 2);
    CHECK(mw_fail(&ctx, MW_EINPUT, "first %d", 1) == MW_EINPUT, "its code");
    mw_ctx_at(&ctx, "%s", "elsewhere");
    CHECK(mw_fail(&ctx, MW_EUSAGE, "second") == MW_EUSAGE, "its code");
    CHECK(ctx.status == MW_EINPUT && strcmp(ctx.message, "first 1") == 0 &&
              strcmp(ctx.where, "net.mw:1:2") == 0,
          "the first failure is lost: %s: %s", ctx.where, ctx.message);
    ctx.fail_alloc = ctx.n_alloc + 1;
    mw_warn(&ctx, "without memory");
    CHECK(!ctx.warning && ctx.status == MW_EINPUT,
          "a warning without memory changes the failure to %s",
          mw_status_text(ctx.status));
    mw_ctx_clear(&ctx);
    ctx.fail_alloc = ctx.n_alloc + 1;
    mw_warn(&ctx, "without memory");
    CHECK(!ctx.warning && ctx.status == MW_OK,
          "a warning without memory is a failure");
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_arena = {
    "arena",
    {
        {"blocks are zeroed, aligned and apart", blocks},
        {"sizes that overflow are refused", too_large},
        {"advice about pages changes no byte", large_pages},
        {"vectors and texts grow", vectors},
        {"statuses", statuses},
        {"the first failure wins", failures},
    },
};
