/*
 * draft_text.h - text models whole: language models of one stack, and pairs of
 * encoder and decoder. T5, Switch, GShard, Mesh-TensorFlow's Transformer and
 * the GPTs are values of these fields.
 */
#ifndef MW_IR_DRAFT_TEXT_H
#define MW_IR_DRAFT_TEXT_H

#include "ir/draft_stack.h"

/* Inputs ids "batch seq", result logits "batch seq vocab"; labels and loss by
 * the key `loss`. Keys: layers, d_model, heads, d_head, d_ff, vocab, seq,
 * positions, batch, tied, loss; those of ir/draft_experts.h if experts_every.
 */
typedef struct mw_language {
    mw_norm *norm;
    mw_activation *activation;
    bool biases;
    int64_t experts_every;
} mw_language;
void mw_draft_language(mw_draft *net, const mw_language *language);

/* Keys of all of them. */
#define MW_KEY_LANGUAGE                                                        \
    MW_KEY_SIZE("vocab", "50257", "tokens known"),                             \
        MW_KEY_SIZE("seq", "1024", "tokens of a text"),                        \
        MW_KEY_SIZE("positions", "seq", "rows of the table of positions"),     \
        MW_KEY_SIZE("batch", "8", "texts at once"), MW_KEY_DROPOUT,            \
        MW_KEY_TIED, MW_KEY_LOSS, MW_KEY_DTYPE

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
