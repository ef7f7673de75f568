/* draft_text.c - one stack that writes, or one that reads and one that writes.
 */
#include "ir/draft_text.h"

#include <math.h>

#include "ir/draft_experts.h"

void mw_draft_language(mw_draft *net, const mw_language *language)
{
    static const char *const dims[] = {"batch", "seq",    "vocab", "d_model",
                                       "heads", "d_head", "d_ff",  NULL};
    mw_draft_dim_keys(net, dims);
    mw_draft_dim_of(net, "seq.k", mw_draft_key(net, "seq"), "seq", "alias");
    if (language->experts_every)
        mw_draft_dim_key(net, "experts");
    mw_stack stack = {.layers = mw_draft_key(net, "layers"),
                      .rows = "batch seq",
                      .keys = "batch seq.k",
                      .memory = MW_NONE,
                      .mask = MW_NONE,
                      .norm = language->norm,
                      .activation = language->activation,
                      .causal = true,
                      .biases = language->biases,
                      .experts_every = language->experts_every,
                      .dropout = mw_draft_real(net, "dropout")};
    mw_id ids = mw_draft_input(net, "ids", MW_I64, "batch seq");
    mw_id table = mw_draft_param(net, "wte.weight", "vocab d_model",
                                 mw_draft_normal(0.02));
    mw_id x = mw_draft_gather(net, table, ids, "vocab");
    x = mw_draft_positions(net, x, "wpe", "seq");
    x = mw_draft_dropout(net, x, stack.dropout);
    x = mw_draft_stack(net, x, &stack);
    bool tied = mw_draft_key(net, "tied") == 1;
    mw_id logits = mw_draft_logits(net, x, "batch seq", tied ? table : MW_NONE);
    mw_draft_results(net, logits, "batch seq", "vocab");
}

static void declare(mw_draft *net, const mw_pair *pair)
{
    static const char *const dims[] = {"batch",  "seq",     "target",
                                       "vocab",  "d_model", "heads",
                                       "d_head", "d_ff",    NULL};
    mw_draft_dim_keys(net, dims);
    mw_draft_dim_of(net, "seq.k", mw_draft_key(net, "seq"), "seq", "alias");
    mw_draft_dim_of(net, "target.k", mw_draft_key(net, "target"), "target",
                    "alias");
    if (pair->relative)
        mw_draft_dim_key(net, "buckets");
    if (pair->experts_every)
        mw_draft_dim_key(net, "experts");
}

static mw_id side(mw_draft *net, const mw_pair *pair, mw_id ids, mw_id table,
                  mw_stack stack)
{
    bool decoder = stack.memory != MW_NONE;
    int outer = mw_draft_enter(net, decoder ? "decoder" : "encoder");
    mw_id x = mw_draft_gather(net, table, ids, "vocab");
    if (!pair->relative)
        x = mw_draft_positions(net, x, "positions", decoder ? "target" : "seq");
    stack.layers = mw_draft_key(net, "layers");
    stack.norm = pair->norm;
    stack.activation = pair->activation;
    stack.relative = pair->relative;
    stack.gated = pair->gated;
    stack.experts_every = pair->experts_every;
    stack.mask = MW_NONE;
    stack.dropout = mw_draft_real(net, "dropout");
    x = mw_draft_dropout(net, x, stack.dropout);
    x = mw_draft_stack(net, x, &stack);
    mw_draft_leave(net, outer);
    return x;
}

void mw_draft_pair(mw_draft *net, const mw_pair *pair)
{
    declare(net, pair);
    mw_id ids = mw_draft_input(net, "ids", MW_I64, "batch seq");
    mw_id targets = mw_draft_input(net, "targets", MW_I64, "batch target");
    mw_id table = mw_draft_param(net, "shared.weight", "vocab d_model",
                                 mw_draft_normal(1));
    mw_stack encoder = {
        .rows = "batch seq", .keys = "batch seq.k", .memory = MW_NONE};
    mw_id memory = side(net, pair, ids, table, encoder);
    mw_stack decoder = {.rows = "batch target",
                        .keys = "batch target.k",
                        .memory = memory,
                        .memory_rows = "batch seq",
                        .causal = true};
    mw_id y = side(net, pair, targets, table, decoder);
    if (pair->tied) // the table's rows are as large as activations
        y = mw_draft_by(net, "mul", y,
                        1 / sqrt((double)mw_draft_size(net, "d_model")));
    mw_draft_results(
        net,
        mw_draft_logits(net, y, "batch target", pair->tied ? table : MW_NONE),
        "batch target", "vocab");
}
