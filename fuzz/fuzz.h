/*
 * fuzz.h - a fuzz target is one file, fuzz/fuzz_NAME.c, with seeds in
 * fuzz/corpus/NAME/. It exports
 *
 *     const mw_fuzz_def mw_fuzz_NAME = {"NAME", run};
 *
 * `make fuzz F=NAME SECONDS=60` feeds it, `make test` replays the corpus.
 */
#ifndef MW_FUZZ_FUZZ_H
#define MW_FUZZ_FUZZ_H

#include "base/status.h"

typedef struct mw_fuzz_def {
    const char *name;
    /* Reads the bytes. MW_OK after the verifier accepted what was read, or a
     * failure with a message; MW_EBUG is a finding. */
    mw_status (*run)(mw_ctx *ctx, const uint8_t *data, size_t size);
} mw_fuzz_def;

extern const mw_fuzz_def *const mw_fuzz_table[];
extern const int mw_fuzz_count;

/* Runs a target on one input; NULL or what is wrong with its answer. */
const char *mw_fuzz_one(const mw_fuzz_def *def, mw_ctx *ctx,
                        const uint8_t *data, size_t size);

/* Replays fuzz/corpus/NAME/, one CHECK a file. */
void mw_fuzz_replay(const mw_fuzz_def *def);

#endif
