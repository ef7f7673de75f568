/*
 * draft_layers.h - layers that built-in models share, written in the primitives
 * of ir/draft.h.
 */
#ifndef MW_IR_DRAFT_LAYERS_H
#define MW_IR_DRAFT_LAYERS_H

#include "ir/draft.h"

/* x times a weight, and a bias added where `bias` says its dims. The weight
 * begins normal with deviation gain / sqrt(its contracted elements), gain 0
 * standing for 1; the bias 0. Parameters NAME.weight, NAME.bias. */
typedef struct mw_dense {
    const char *name;
    const char *weight, *bias; /* dims; bias NULL: none */
    const char *out;           /* dims of the result */
    double gain;
} mw_dense;
mw_id mw_draft_dense(mw_draft *net, mw_id x, const mw_dense *dense);

/* exp(x - max) / sum over a dim. */
mw_id mw_draft_softmax(mw_draft *net, mw_id x, const char *dim);

/* Sets a share of the elements to 0, others each step, and scales the rest so
 * that the mean stays; x itself where the share is 0. The steps are counted by
 * a state of the model, "dropout/step", which training advances. */
mw_id mw_draft_dropout(mw_draft *net, mw_id x, double share);

/* (x - mean) / sqrt(variance + epsilon) over dims, times NAME.weight, plus
 * NAME.bias. */
typedef struct mw_norm_layer {
    const char *name;
    const char *weight; /* dims of weight and bias; NULL: neither */
    const char *over;   /* dims of mean and variance */
    bool from_zero;     /* no mean is taken off */
    bool bias;
    bool quiet; /* the weight begins as 0 instead of 1 */
    /* Dims of constants NAME.running_mean and NAME.running_var, which stand
     * in place of x's own; or NULL. */
    const char *stored;
} mw_norm_layer;
mw_id mw_draft_norm(mw_draft *net, mw_id x, const mw_norm_layer *norm);

/* Over the dim of the weight: with all of it; without a bias; and without a
 * mean. */
mw_id mw_draft_layer_norm(mw_draft *net, mw_id x, const char *name,
                          const char *dim);
mw_id mw_draft_scale_norm(mw_draft *net, mw_id x, const char *name,
                          const char *dim);
mw_id mw_draft_rms_norm(mw_draft *net, mw_id x, const char *name,
                        const char *dim);

mw_id mw_draft_gelu(mw_draft *net, mw_id x);      /* by the error function */
mw_id mw_draft_gelu_tanh(mw_draft *net, mw_id x); /* its approximation */
mw_id mw_draft_silu(mw_draft *net, mw_id x);

/* What is done to each element. */
typedef mw_id mw_activation(mw_draft *net, mw_id x);
mw_id mw_draft_relu(mw_draft *net, mw_id x);

/* d_model to d_ff and back: parameters fc, proj, and gate, whose activation
 * then multiplies fc. */
typedef struct mw_feed_forward {
    const char *rows; /* dims of x but d_model */
    const char *each; /* of these dims too, each its own: "experts"; or NULL */
    mw_activation *activation;
    bool gated, biases;
    double gain; /* of the last weight, 0 standing for 1 */
} mw_feed_forward;
mw_id mw_draft_feed_forward(mw_draft *net, mw_id x, const mw_feed_forward *ff);

/* The bias of T5 by the distance of key and query, in buckets that grow with
 * it; both: keys on either side are told apart. Needs dim `buckets`. */
mw_id mw_draft_relative(mw_draft *net, const char *queries, const char *keys,
                        bool both);

/* Queries of x attend to keys and values of `memory`. Dims "batch Q heads
 * d_head" and "batch K heads d_head", where Q and K are the lengths. */
typedef struct mw_attention {
    mw_id x;
    const char *x_rows; /* dims of x but d_model: "batch seq" */
    mw_id memory;       /* MW_NONE: x itself */
    const char *rows;   /* its dims but d_model; of x itself: what `seq` is
                           called as keys: "batch seq.k" */
    mw_id mask;         /* bool; where false nothing is read; MW_NONE: none */
    mw_id bias;         /* added to the scores; MW_NONE: none */
    bool scaled;        /* queries by 1 / sqrt(d_head) */
    bool biases;        /* of the four projections */
    double gain;        /* of the last projection, 0 standing for 1 */
    double dropout;     /* of the probabilities */
} mw_attention;
mw_id mw_draft_attention(mw_draft *net, const mw_attention *attention);

/* True where a key stands no later than the query. */
mw_id mw_draft_causal(mw_draft *net, const char *queries, const char *keys);

/* Mean over all rows of the negative logarithm of the label's probability;
 * labels that are `ignored` count nowhere. */
mw_id mw_draft_cross_entropy(mw_draft *net, mw_id logits, mw_id labels,
                             const char *classes, int64_t ignored);

/* The end of a model of this many results a row: logits "ROWS classes", and
 * where the key `loss` is 1 their cross-entropy against `labels` "ROWS". */
void mw_draft_results(mw_draft *net, mw_id logits, const char *rows,
                      const char *classes);

#endif
