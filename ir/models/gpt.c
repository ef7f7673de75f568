/* gpt.c - decoder-only transformer: GPT-2 and GPT-3. */
#include <math.h>

#include "ir/model.h"
#include "ir/draft_layers.h"

static mw_id attend(mw_draft *net, mw_id x, mw_id mask, double gain)
{
    int outer = mw_draft_enter(net, "attn");
    mw_attention attention = {.x = x,
                              .x_rows = "batch seq",
                              .memory = MW_NONE,
                              .rows = "batch seq.k",
                              .mask = mask,
                              .bias = MW_NONE,
                              .scaled = true,
                              .biases = true,
                              .gain = gain};
    mw_id y = mw_draft_attention(net, &attention);
    mw_draft_leave(net, outer);
    return y;
}

static mw_id feed_forward(mw_draft *net, mw_id x, double gain)
{
    int outer = mw_draft_enter(net, "mlp");
    mw_dense up = {.name = "fc",
                   .weight = "d_model d_ff",
                   .bias = "d_ff",
                   .out = "batch seq d_ff"};
    mw_dense down = {.name = "proj",
                     .weight = "d_ff d_model",
                     .bias = "d_model",
                     .out = "batch seq d_model",
                     .gain = gain};
    mw_id h = mw_draft_gelu_tanh(net, mw_draft_dense(net, x, &up));
    mw_id y = mw_draft_dense(net, h, &down);
    mw_draft_leave(net, outer);
    return y;
}

static mw_id block(mw_draft *net, mw_id x, mw_id mask, double gain)
{
    mw_id a = mw_draft_layer_norm(net, x, "ln_1", "d_model");
    x = mw_draft_map2(net, "add", x, attend(net, a, mask, gain));
    mw_id f = mw_draft_layer_norm(net, x, "ln_2", "d_model");
    return mw_draft_map2(net, "add", x, feed_forward(net, f, gain));
}

static void declare(mw_draft *net)
{
    static const char *const keys[] = {"batch", "seq",    "vocab", "d_model",
                                       "heads", "d_head", "d_ff"};
    for (int i = 0; i < 7; i++)
        mw_draft_dim_key(net, keys[i]);
    mw_draft_dim_of(net, "seq.k", mw_draft_key(net, "seq"), "seq", "alias");
}

// A table that is longer than the text is looked up.
static mw_id positions(mw_draft *net)
{
    int64_t rows = mw_draft_key(net, "positions");
    if (rows < mw_draft_key(net, "seq"))
        mw_draft_refuse(net, "seq is %lld, but positions only %lld",
                        (long long)mw_draft_key(net, "seq"), (long long)rows);
    if (rows == mw_draft_key(net, "seq"))
        return mw_draft_param(net, "wpe.weight", "seq d_model",
                              mw_draft_normal(0.01));
    mw_draft_dim_key(net, "positions");
    mw_id table = mw_draft_param(net, "wpe.weight", "positions d_model",
                                 mw_draft_normal(0.01));
    return mw_draft_gather(net, table, mw_draft_iota(net, "seq", MW_I64),
                           "positions");
}

static mw_id logits_of(mw_draft *net, mw_id x, mw_id table)
{
    if (!mw_draft_key(net, "tied")) {
        mw_dense head = {.name = "logits",
                         .weight = "vocab d_model",
                         .out = "batch seq vocab"};
        return mw_draft_dense(net, x, &head);
    }
    mw_draft_as(net, "logits");
    return mw_draft_einsum(net, x, table, "batch seq vocab");
}

static void build(mw_draft *net)
{
    declare(net);
    int64_t layers = mw_draft_key(net, "layers");
    mw_id ids = mw_draft_input(net, "ids", MW_I64, "batch seq");
    mw_id labels = MW_NONE;
    if (mw_draft_key(net, "loss"))
        labels = mw_draft_input(net, "labels", MW_I64, "batch seq");
    mw_id table = mw_draft_param(net, "wte.weight", "vocab d_model",
                                 mw_draft_normal(0.02));
    mw_id x = mw_draft_gather(net, table, ids, "vocab");
    x = mw_draft_map2(net, "add", x, positions(net));
    mw_id mask = mw_draft_causal(net, "seq", "seq.k");
    for (int64_t i = 0; i < layers && net->status == MW_OK; i++) {
        int outer = mw_draft_enter(net, "h.%lld", (long long)i);
        x = block(net, x, mask, sqrt(0.5 / (double)layers));
        mw_draft_leave(net, outer);
    }
    x = mw_draft_layer_norm(net, x, "ln_f", "d_model");
    mw_id logits = logits_of(net, x, table);
    mw_draft_output(net, logits);
    if (mw_draft_key(net, "loss"))
        mw_draft_output(
            net, mw_draft_cross_entropy(net, logits, labels, "vocab", -100));
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("12"),
    MW_KEY_SIZE("d_model", "768", "width of the model"),
    MW_KEY_SIZE("heads", "12", "attention heads"),
    MW_KEY_SIZE("d_head", "d_model/heads", "width of a head"),
    MW_KEY_SIZE("d_ff", "4*d_model", "width of the feed-forward layers"),
    MW_KEY_SIZE("vocab", "50257", "tokens known"),
    MW_KEY_SIZE("seq", "1024", "tokens of a text"),
    MW_KEY_SIZE("positions", "seq", "rows of the table of positions"),
    MW_KEY_SIZE("batch", "8", "texts at once"),
    MW_KEY_TIED,
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define GPT2 "Radford et al. 2019, table 2; the checkpoint of huggingface.co/"
#define GPT3 "Brown et al. 2020, table 2.1"

static const mw_model_preset presets[] = {
    {"gpt2-small", "layers=12 d_model=768 heads=12 positions=1024", 124439808,
     NULL, GPT2 "gpt2"},
    {"gpt2-medium", "layers=24 d_model=1024 heads=16 positions=1024", 354823168,
     NULL, GPT2 "gpt2-medium"},
    {"gpt2-large", "layers=36 d_model=1280 heads=20 positions=1024", 774030080,
     NULL, GPT2 "gpt2-large"},
    {"gpt2-xl", "layers=48 d_model=1600 heads=25 positions=1024", 1557611200,
     NULL, GPT2 "gpt2-xl"},
    {"gpt3-small", "layers=12 d_model=768 heads=12 seq=2048 positions=2048", 0,
     "125M", GPT3},
    {"gpt3-medium", "layers=24 d_model=1024 heads=16 seq=2048 positions=2048",
     0, "350M", GPT3},
    {"gpt3-large", "layers=24 d_model=1536 heads=16 seq=2048 positions=2048", 0,
     "760M", GPT3},
    {"gpt3-xl", "layers=24 d_model=2048 heads=16 seq=2048 positions=2048", 0,
     "1.3B", GPT3 "; 24 heads of 128 there, which is not 2048"},
    {"gpt3-2.7b", "layers=32 d_model=2560 heads=32 seq=2048 positions=2048", 0,
     "2.7B", GPT3},
    {"gpt3-6.7b", "layers=32 d_model=4096 heads=32 seq=2048 positions=2048", 0,
     "6.7B", GPT3},
    {"gpt3-13b",
     "layers=40 d_model=5140 heads=40 d_head=128 seq=2048 positions=2048", 0,
     "13.0B", GPT3},
    {"gpt3-175b", "layers=96 d_model=12288 heads=96 seq=2048 positions=2048", 0,
     "175.0B", GPT3},
    {0},
};

const mw_model_def mw_model_gpt = {
    .name = "gpt",
    .brief = "decoder-only transformer language model (GPT-2, GPT-3)",
    .keys = keys,
    .presets = presets,
    .build = build,
};
