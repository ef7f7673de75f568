/* draft_stack.c - transformer blocks and the two ends of a text model. */
#include "ir/draft_stack.h"

#include <math.h>
#include <string.h>

#include "ir/draft_experts.h"

static const char *last_word(const char *rows)
{
    const char *space = strrchr(rows, ' ');
    return space ? space + 1 : rows;
}

typedef struct blocks {
    const mw_stack *stack;
    mw_attention attention; /* what all blocks have */
    double gain;
} blocks;

// One layer and its sum with what went in.
static mw_id attend(mw_draft *net, const blocks *b, mw_id x)
{
    mw_attention attention = b->attention;
    int outer = mw_draft_enter(net, "attn");
    attention.x = x;
    mw_id y = mw_draft_attention(net, &attention);
    mw_draft_leave(net, outer);
    return y;
}

static mw_id cross(mw_draft *net, const blocks *b, mw_id x)
{
    const mw_stack *s = b->stack;
    int outer = mw_draft_enter(net, "cross");
    mw_attention attention = {.x = x,
                              .x_rows = s->rows,
                              .memory = s->memory,
                              .rows = s->memory_rows,
                              .mask = MW_NONE,
                              .bias = MW_NONE,
                              .scaled = !s->relative,
                              .biases = s->biases,
                              .gain = b->gain,
                              .dropout = s->dropout};
    mw_id y = mw_draft_attention(net, &attention);
    mw_draft_leave(net, outer);
    return y;
}

static mw_id feed(mw_draft *net, const blocks *b, mw_id x, bool experts)
{
    mw_feed_forward ff = {.rows = b->stack->rows,
                          .activation = b->stack->activation,
                          .gated = b->stack->gated,
                          .biases = b->stack->biases,
                          .gain = b->gain};
    int outer = mw_draft_enter(net, experts ? "experts" : "mlp");
    mw_id y = experts ? mw_draft_experts(net, x, &ff)
                      : mw_draft_feed_forward(net, x, &ff);
    mw_draft_leave(net, outer);
    return y;
}

static mw_id block(mw_draft *net, const blocks *b, mw_id x, int64_t i)
{
    const mw_stack *s = b->stack;
    bool after = s->norm_after;
    int n = s->memory == MW_NONE ? 2 : 3;
    bool experts = s->experts_every && (i + 1) % s->experts_every == 0;
    for (int layer = 0; layer < n; layer++) {
        const char *name = mw_draft_text(net, "ln_%d", layer + 1);
        mw_id in = after ? x : s->norm(net, x, name, "d_model"), y;
        if (layer == n - 1)
            y = feed(net, b, in, experts);
        else
            y = layer == 0 ? attend(net, b, in) : cross(net, b, in);
        y = mw_draft_dropout(net, y, s->dropout);
        x = mw_draft_map2(net, "add", x, y);
        if (after)
            x = s->norm(net, x, name, "d_model");
    }
    return x;
}

mw_id mw_draft_stack(mw_draft *net, mw_id x, const mw_stack *s)
{
    const char *queries = last_word(s->rows), *keys = last_word(s->keys);
    blocks b = {.stack = s, .gain = sqrt(0.5 / (double)s->layers)};
    b.attention = (mw_attention){.x_rows = s->rows,
                                 .memory = MW_NONE,
                                 .rows = s->keys,
                                 .mask = s->mask,
                                 .bias = MW_NONE,
                                 .scaled = !s->relative,
                                 .biases = s->biases,
                                 .gain = b.gain,
                                 .dropout = s->dropout};
    if (s->causal)
        b.attention.mask = mw_draft_causal(net, queries, keys);
    if (s->relative)
        b.attention.bias = mw_draft_relative(net, queries, keys, !s->causal);
    for (int64_t i = 0; i < s->layers && net->status == MW_OK; i++) {
        int outer = mw_draft_enter(net, "h.%lld", (long long)i);
        x = block(net, &b, x, i);
        mw_draft_leave(net, outer);
    }
    return s->norm_after ? x : s->norm(net, x, "ln_f", "d_model");
}

mw_id mw_draft_positions(mw_draft *net, mw_id x, const char *name,
                         const char *length)
{
    int64_t rows = mw_draft_key(net, "positions");
    int64_t used = mw_draft_size(net, length);
    name = mw_draft_text(net, "%s.weight", name);
    if (rows < used)
        mw_draft_refuse(net, "%s is %lld, but positions only %lld", length,
                        (long long)used, (long long)rows);
    if (rows == used)
        return mw_draft_map2(
            net, "add", x,
            mw_draft_param(net, name, mw_draft_text(net, "%s d_model", length),
                           mw_draft_normal(0.01)));
    mw_draft_dim_key(net, "positions");
    mw_id table =
        mw_draft_param(net, name, "positions d_model", mw_draft_normal(0.01));
    mw_id at = mw_draft_iota(net, length, MW_I64);
    return mw_draft_map2(net, "add", x,
                         mw_draft_gather(net, table, at, "positions"));
}

mw_id mw_draft_logits(mw_draft *net, mw_id x, const char *rows, mw_id table)
{
    const char *out = mw_draft_text(net, "%s vocab", rows);
    mw_dense head = {.name = "logits", .weight = "vocab d_model", .out = out};
    if (table == MW_NONE)
        return mw_draft_dense(net, x, &head);
    mw_draft_as(net, "logits");
    return mw_draft_einsum(net, x, table, out);
}
