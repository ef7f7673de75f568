/* libfuzzer.c - libFuzzer's entry; $MW_FUZZ names the target. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const mw_fuzz_def *target(void)
{
    const char *name = getenv("MW_FUZZ");
    for (int i = 0; name && i < mw_fuzz_count; i++)
        if (strcmp(mw_fuzz_table[i]->name, name) == 0)
            return mw_fuzz_table[i];
    (void)fprintf(stderr, "MW_FUZZ is '%s', which is no target\n",
                  name ? name : "");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    const char *wrong = mw_fuzz_one(target(), &ctx, data, size);
    if (wrong) {
        (void)fprintf(stderr, "finding: %s: %s\n", wrong, ctx.message);
        abort();
    }
    mw_ctx_free(&ctx);
    return 0;
}
