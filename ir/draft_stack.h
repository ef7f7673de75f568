/*
 * draft_stack.h - a stack of transformer blocks: what the text and vision
 * models among the built-in ones differ in is a field here.
 */
#ifndef MW_IR_DRAFT_STACK_H
#define MW_IR_DRAFT_STACK_H

#include "ir/draft_layers.h"

typedef mw_id mw_norm(mw_draft *net, mw_id x, const char *name,
                      const char *dim);

typedef struct mw_stack {
    int64_t layers;
    const char *rows; /* dims of x but d_model: "batch seq" */
    const char *keys; /* the same as keys are called: "batch seq.k" */
    mw_id memory;     /* rows that are attended to besides; MW_NONE: none */
    const char *memory_rows;
    mw_norm *norm;
    mw_activation *activation;
    mw_id mask;  /* as of mw_attention; MW_NONE: none, or what `causal` says */
    bool causal; /* no row reads a later one */
    bool relative; /* scores biased by distance; queries are not scaled then */
    bool gated;    /* feed-forward layers */
    bool biases;
    bool norm_after; /* of each sum; else before each layer, and at the end */
    /* Every so many blocks the feed-forward is a mixture of experts
     * (ir/draft_experts.h); 0: never. */
    int64_t experts_every;
    double dropout; /* of each layer's result, and of attention */
} mw_stack;

/* Blocks h.0, h.1, … and a last norm ln_f. */
mw_id mw_draft_stack(mw_draft *net, mw_id x, const mw_stack *stack);

/* Adds a learned table NAME.weight of as many rows as the key `positions`
 * says, which may be more than `length`. */
mw_id mw_draft_positions(mw_draft *net, mw_id x, const char *name,
                         const char *length);

/* Logits "ROWS vocab" of the rows: by the table of the tokens where it is
 * given, else by a weight of their own. */
mw_id mw_draft_logits(mw_draft *net, mw_id x, const char *rows, mw_id table);

#endif
