/*
 * draft_experts.h - a feed-forward layer as a mixture of experts, as in GShard
 * and Switch: each token goes to its best one or two experts, as far as these
 * have room for `capacity` tokens of each text. Dispatch and combination are
 * contractions with masks, so that the experts are a dimension like any other:
 * where it is split, tokens travel by all-to-all.
 */
#ifndef MW_IR_DRAFT_EXPERTS_H
#define MW_IR_DRAFT_EXPERTS_H

#include "ir/draft_layers.h"
#include "ir/model.h"

/* Keys of a model that has them. */
#define MW_KEY_EXPERTS(n) MW_KEY_SIZE("experts", n, "experts of a mixture")
#define MW_KEY_EVERY(n)                                                        \
    {                                                                          \
        "experts_every", n, 0, 10000, NULL, false,                             \
            "blocks from one mixture to the next; 0: none"                     \
    }
#define MW_KEY_TOP(n)                                                          \
    {                                                                          \
        "top", n, 1, 2, NULL, false, "experts that a token goes to"            \
    }
#define MW_KEY_FACTOR(x)                                                       \
    {                                                                          \
        "capacity_factor", x, 1e-6, 1e6, NULL, true,                           \
            "room of an expert, 1: an equal share of the tokens"               \
    }

/* Of the balancing loss, which is part of the model's own one. Switch has 1e-2
 * (section 2.2); GShard's paper names none, its code has 0.01. */
#define MW_KEY_BALANCE                                                         \
    {                                                                          \
        "balance", "0.01", 0, 1e6, NULL, true,                                 \
            "factor of the balancing loss, a part of `loss`"                   \
    }

/* x of "ROWS d_model", ROWS "batch LENGTH"; the dim `experts` is declared.
 * Parameters router.weight, and fc, proj, gate of each expert. */
mw_id mw_draft_experts(mw_draft *net, mw_id x, const mw_feed_forward *ff);

#endif
