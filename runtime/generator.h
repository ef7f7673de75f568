/*
 * generator.h - a language model goes on with a text, token by token.
 *
 * Works with any plan whose graph has one input of token numbers, [batch, seq],
 * and a result [batch, seq, vocab]: a forward plan, or one for training, of
 * which only what the result follows from is run. The text's last seq tokens
 * stand at the front of the input, 0 behind them: the model must be causal.
 */
#ifndef MW_RUNTIME_GENERATOR_H
#define MW_RUNTIME_GENERATOR_H

#include "runtime/quiet.h"

typedef struct mw_generator_spec {
    double temperature; /* 0: the likeliest token, the first of equals */
    uint64_t seed;
    int64_t below; /* only tokens below it are chosen */
} mw_generator_spec;

typedef struct mw_generator {
    mw_exec *exec;
    mw_values *values;
    mw_generator_spec spec;
    mw_id ids, logits;
    int64_t batch, seq, vocab; /* vocab: of the result */
    bool *only;                /* ops that run */
    mw_quiet quiet;            /* dropout is off */
    void *input;               /* the whole input, by row alike */
    void *row, *stage; /* a row of the result; on the first rank its values */
    double *weight;    /* of each token */
} mw_generator;

/* Finds input and result. MW_EINPUT: there are none of these shapes, or
 * another input is needed. Lies in the arena. */
mw_status mw_generator_open(mw_arena *arena, mw_exec *exec, mw_values *values,
                            const mw_generator_spec *spec,
                            mw_generator *generator) MW_MUST_CHECK;

/* The token that follows n >= 1 others, the same on all ranks. Collective. */
mw_status mw_generator_next(mw_generator *generator, const int64_t token[],
                            int64_t n, int64_t *next) MW_MUST_CHECK;

#endif
