/* switch.c - Switch Transformer: T5 whose feed-forward layers are mixtures of
 * experts, each token going to one. */
#include "ir/draft_experts.h"
#include "ir/draft_text.h"
#include "ir/model.h"

static void build(mw_draft *net)
{
    bool gated = mw_draft_key(net, "gated") == 1;
    net->epsilon = 1e-6;
    mw_draft_pair(
        net,
        &(mw_pair){.norm = mw_draft_rms_norm,
                   .activation = gated ? mw_draft_gelu_tanh : mw_draft_relu,
                   .relative = true,
                   .gated = gated,
                   .tied = mw_draft_key(net, "tied") == 1,
                   .experts_every = mw_draft_key(net, "experts_every")});
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("12"),
    MW_KEY_SIZE("d_model", "768", "width of the model"),
    MW_KEY_SIZE("heads", "12", "attention heads"),
    MW_KEY_SIZE("d_head", "64", "width of a head"),
    MW_KEY_SIZE("d_ff", "4*d_model", "width of the feed-forward layers"),
    {"gated", "0", 0, 1, NULL, false, "feed-forward layers"},
    MW_KEY_EXPERTS("8"),
    MW_KEY_EVERY("2"),
    MW_KEY_TOP("1"),
    MW_KEY_FACTOR("1.25"),
    MW_KEY_BALANCE,
    {"buckets", "32", 2, 1e6, NULL, false, "distances told apart by attention"},
    MW_KEY_PAIR,
    MW_KEY_DROPOUT,
    MW_KEY_TIED,
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define SWITCH "Fedus et al. 2022; "
#define CHECKPOINT "the sizes of huggingface.co/google/switch-"

static const mw_model_preset presets[] = {
    {"switch-base-8", "experts=8", 0, NULL, SWITCH CHECKPOINT "base-8"},
    {"switch-base-128", "experts=128", 0, "7.4B", SWITCH CHECKPOINT "base-128"},
    {"switch-large-128", "layers=24 d_model=1024 heads=16 experts=128", 0,
     "26.3B", SWITCH CHECKPOINT "large-128"},
    {"switch-xxl-128",
     "layers=24 d_model=4096 heads=64 d_ff=10240 gated=1 "
     "experts=128",
     0, "395B", SWITCH CHECKPOINT "xxl-128; table 9 has 64 experts"},
    {"switch-c-2048",
     "layers=15 d_model=2080 heads=32 d_ff=6144 experts=2048 "
     "experts_every=1",
     0, "1571B", SWITCH "table 9"},
    {0},
};

const mw_model_def mw_model_switch = {
    .name = "switch",
    .brief = "encoder-decoder with mixtures of experts, one a token (Switch)",
    .keys = keys,
    .presets = presets,
    .own_loss = true,
    .build = build,
};
