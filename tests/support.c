/* support.c - failing allocations, paths and random numbers for the suites. */
#include <stdlib.h>

#include "tests/test.h"

void check_oom(const char *name, mw_status (*body)(mw_ctx *ctx, void *arg),
               void *arg)
{
    for (int64_t n = 1;; n++) {
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        ctx.fail_alloc = n;
        mw_status status = body(&ctx, arg);
        bool reached = ctx.n_alloc >= n;
        mw_status want = reached ? MW_ENOMEM : MW_OK;
        bool good =
            CHECK(status == want, "%s: allocation %lld fails: %s: %s", name,
                  (long long)n, mw_status_text(status), ctx.message);
        mw_ctx_free(&ctx);
        if (!reached || !good)
            return;
    }
}

static const char *env_or(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

const char *mw_shared_path(void)
{
    return env_or("MW_SHARED", "../shared");
}

const char *mw_command_path(void)
{
    return env_or("MW_COMMAND", "build/meshwright");
}

const char *mw_scratch_path(void)
{
    return env_or("MW_SCRATCH", "build");
}

uint64_t mw_test_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
