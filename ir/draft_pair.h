/*
 * draft_pair.h - encoder-decoder text models: T5, Switch, GShard and the
 * translation model of Mesh-TensorFlow are rows of this.
 */
#ifndef MW_IR_DRAFT_PAIR_H
#define MW_IR_DRAFT_PAIR_H

#include "ir/draft_stack.h"

typedef struct mw_pair {
    mw_norm *norm;
    mw_activation *activation;
    bool relative; /* T5's biases; else tables of positions */
    bool gated;
    bool tied;
    int64_t experts_every;
} mw_pair;

/* Inputs ids "batch seq" and targets "batch target", result logits "batch
 * target vocab". Keys: layers, d_model, heads, d_head, d_ff, vocab, seq,
 * target, batch, loss; buckets if relative, else positions; those of
 * ir/draft_experts.h if experts_every. */
void mw_draft_pair(mw_draft *net, const mw_pair *pair);

/* Keys of all of them. */
#define MW_KEY_PAIR                                                            \
    MW_KEY_SIZE("vocab", "32128", "tokens known"),                             \
        MW_KEY_SIZE("seq", "512", "tokens that are read"),                     \
        MW_KEY_SIZE("target", "512", "tokens that are written"),               \
        MW_KEY_SIZE("batch", "8", "pairs of texts at once")

#endif
