/* palm.c - PaLM: attention and feed-forward side by side after one norm,
 * SwiGLU, one head of keys and values, rotary positions, no biases. */
#include <math.h>

#include "ir/draft_stack.h"
#include "ir/model.h"

// Sine or cosine of position times frequency, "LENGTH pairs".
typedef struct rotation {
    mw_id sine, cosine;
} rotation;

/* Frequency 10000^(-pair / pairs). */
static rotation rotation_of(mw_draft *net, const char *length)
{
    double pairs = (double)mw_draft_size(net, "pairs");
    mw_id at = mw_draft_iota(net, length, MW_F32);
    mw_id pair = mw_draft_iota(net, "pairs", MW_F32);
    mw_id frequency = mw_draft_map1(
        net, "exp", mw_draft_by(net, "mul", pair, -log(10000) / pairs));
    mw_id angle = mw_draft_map2(net, "mul", at, frequency);
    rotation r = {
        mw_draft_cast(net, mw_draft_map1(net, "sin", angle), net->dtype),
        mw_draft_cast(net, mw_draft_map1(net, "cos", angle), net->dtype)};
    return r;
}

// (a, b) turned by the angle: (a cos - b sin, a sin + b cos), the halves of a
// head being a and b.
static mw_id rotate(mw_draft *net, mw_id x, const rotation *r, const char *dims)
{
    mw_id a = mw_draft_slice(net, x, "halves", "", 0);
    mw_id b = mw_draft_slice(net, x, "halves", "", 1);
    mw_id left =
        mw_draft_map2(net, "sub", mw_draft_map2(net, "mul", a, r->cosine),
                      mw_draft_map2(net, "mul", b, r->sine));
    mw_id right =
        mw_draft_map2(net, "add", mw_draft_map2(net, "mul", a, r->sine),
                      mw_draft_map2(net, "mul", b, r->cosine));
    return mw_draft_concat(net, (mw_id[]){left, right}, 2, "halves",
                           mw_draft_text(net, "%s halves pairs", dims));
}

// One head of keys or values for all queries.
static mw_id shared(mw_draft *net, mw_id x, const char *name)
{
    mw_dense dense = {.name = name,
                      .weight = "d_model (halves pairs)",
                      .out = "batch seq halves pairs"};
    return mw_draft_dense(net, x, &dense);
}

static mw_id attend(mw_draft *net, mw_id x, const rotation *r, mw_id mask,
                    double gain)
{
    static const mw_dense query = {.name = "q",
                                   .weight = "d_model (heads halves pairs)",
                                   .out = "batch seq heads halves pairs"};
    mw_dense out = {.name = "o",
                    .weight = "(heads halves pairs) d_model",
                    .out = "batch seq d_model",
                    .gain = gain};
    double size = (double)mw_draft_key(net, "d_head");
    mw_id q = rotate(net, mw_draft_dense(net, x, &query), r, "batch seq heads");
    mw_id k = rotate(net, shared(net, x, "k"), r, "batch seq");
    mw_id v = shared(net, x, "v");
    k = mw_draft_rename(net, k, "batch seq.k halves pairs");
    v = mw_draft_rename(net, v, "batch seq.k halves pairs");
    q = mw_draft_by(net, "mul", q, 1 / sqrt(size));
    mw_draft_as(net, "scores");
    mw_id scores = mw_draft_einsum(net, q, k, "batch heads seq seq.k");
    scores = mw_draft_where(net, mask, scores,
                            mw_draft_number(net, net->dtype, -1e9));
    mw_id p = mw_draft_softmax(net, scores, "seq.k");
    mw_draft_as(net, "context");
    return mw_draft_dense(
        net, mw_draft_einsum(net, p, v, "batch seq heads halves pairs"), &out);
}

static mw_id block(mw_draft *net, mw_id x, const rotation *r, mw_id mask)
{
    double gain = sqrt(0.5 / (double)mw_draft_key(net, "layers"));
    mw_feed_forward ff = {.rows = "batch seq",
                          .activation = mw_draft_silu,
                          .gated = true,
                          .gain = gain};
    mw_id in = mw_draft_scale_norm(net, x, "ln", "d_model");
    int outer = mw_draft_enter(net, "attn");
    mw_id a = attend(net, in, r, mask, gain);
    mw_draft_leave(net, outer);
    outer = mw_draft_enter(net, "mlp");
    mw_id f = mw_draft_feed_forward(net, in, &ff);
    mw_draft_leave(net, outer);
    return mw_draft_map2(net, "add", x, mw_draft_map2(net, "add", a, f));
}

static void declare(mw_draft *net)
{
    static const char *const dims[] = {"batch", "seq",  "vocab", "d_model",
                                       "heads", "d_ff", NULL};
    int64_t size = mw_draft_key(net, "d_head");
    if (size % 2)
        mw_draft_refuse(net, "d_head is %lld, wanted an even number",
                        (long long)size);
    mw_draft_dim_keys(net, dims);
    mw_draft_dim(net, "halves", 2);
    mw_draft_dim(net, "pairs", size / 2);
    mw_draft_dim_of(net, "seq.k", mw_draft_key(net, "seq"), "seq", "alias");
}

static void build(mw_draft *net)
{
    declare(net);
    mw_id ids = mw_draft_input(net, "ids", MW_I64, "batch seq");
    mw_id table =
        mw_draft_param(net, "wte.weight", "vocab d_model", mw_draft_normal(1));
    mw_id x = mw_draft_gather(net, table, ids, "vocab");
    mw_id mask = mw_draft_causal(net, "seq", "seq.k");
    rotation r = rotation_of(net, "seq");
    for (int64_t i = 0; i < mw_draft_key(net, "layers") && net->status == MW_OK;
         i++) {
        int outer = mw_draft_enter(net, "h.%lld", (long long)i);
        x = block(net, x, &r, mask);
        mw_draft_leave(net, outer);
    }
    x = mw_draft_scale_norm(net, x, "ln_f", "d_model");
    bool tied = mw_draft_key(net, "tied") == 1;
    if (tied) // the table's rows are as large as activations
        x = mw_draft_by(net, "mul", x,
                        1 / sqrt((double)mw_draft_size(net, "d_model")));
    mw_draft_results(
        net, mw_draft_logits(net, x, "batch seq", tied ? table : MW_NONE),
        "batch seq", "vocab");
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("32"),
    MW_KEY_SIZE("d_model", "4096", "width of the model"),
    MW_KEY_SIZE("heads", "16", "heads of queries"),
    MW_KEY_SIZE("d_head", "256", "width of a head"),
    MW_KEY_SIZE("d_ff", "4*d_model", "width of the feed-forward layers"),
    MW_KEY_SIZE("vocab", "256000", "tokens known"),
    MW_KEY_SIZE("seq", "2048", "tokens of a text"),
    MW_KEY_SIZE("batch", "8", "texts at once"),
    MW_KEY_TIED,
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define PALM "Chowdhery et al. 2023, table 1"

static const mw_model_preset presets[] = {
    {"palm-8b", "layers=32 d_model=4096 heads=16", 0, "8.63B", PALM},
    {"palm-62b", "layers=64 d_model=8192 heads=32", 0, "62.50B", PALM},
    {"palm-540b", "layers=118 d_model=18432 heads=48", 0, "540.35B", PALM},
    {0},
};

const mw_model_def mw_model_palm = {
    .name = "palm",
    .brief = "language model of parallel blocks, one head of keys (PaLM)",
    .keys = keys,
    .presets = presets,
    .build = build,
};
