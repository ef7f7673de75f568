/* t5.c - text to text: T5 and its version 1.1. */
#include "ir/draft_text.h"
#include "ir/model.h"

static void build(mw_draft *net)
{
    bool gated = mw_draft_key(net, "gated") == 1;
    net->epsilon = 1e-6;
    mw_draft_pair(net,
                  &(mw_pair){
                      .norm = mw_draft_rms_norm,
                      .activation = gated ? mw_draft_gelu_tanh : mw_draft_relu,
                      .relative = true,
                      .gated = gated,
                      .tied = mw_draft_key(net, "tied") == 1,
                  });
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("12"),
    MW_KEY_SIZE("d_model", "768", "width of the model"),
    MW_KEY_SIZE("heads", "12", "attention heads"),
    MW_KEY_SIZE("d_head", "64", "width of a head"),
    MW_KEY_SIZE("d_ff", "4*d_model", "width of the feed-forward layers"),
    {"gated", "0", 0, 1, NULL, false, "feed-forward layers, as in version 1.1"},
    {"buckets", "32", 2, 1e6, NULL, false, "distances told apart by attention"},
    MW_KEY_PAIR,
    MW_KEY_DROPOUT,
    MW_KEY_TIED,
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define T5 "Raffel et al. 2020; the checkpoint of huggingface.co/google-t5/t5-"
#define T51 "the checkpoint of huggingface.co/google/t5-v1_1-"

static const mw_model_preset presets[] = {
    {"t5-small", "layers=6 d_model=512 heads=8", 60506624, NULL, T5 "small"},
    {"t5-base", "layers=12 d_model=768 heads=12", 222903552, NULL, T5 "base"},
    {"t5-large", "layers=24 d_model=1024 heads=16", 737668096, NULL,
     T5 "large"},
    {"t5-3b", "layers=24 d_model=1024 heads=32 d_head=128 d_ff=16384",
     2851598336, NULL, T5 "3b"},
    {"t5-11b", "layers=24 d_model=1024 heads=128 d_head=128 d_ff=65536",
     11307321344, NULL, T5 "11b"},
    {"t5-v1.1-small", "layers=8 d_model=512 heads=6 d_ff=1024 gated=1 tied=0",
     76961152, NULL, T51 "small"},
    {"t5-v1.1-base", "layers=12 d_model=768 heads=12 d_ff=2048 gated=1 tied=0",
     247577856, NULL, T51 "base"},
    {"t5-v1.1-large",
     "layers=24 d_model=1024 heads=16 d_ff=2816 gated=1 tied=0", 783150080,
     NULL, T51 "large"},
    {"t5-v1.1-xl", "layers=24 d_model=2048 heads=32 d_ff=5120 gated=1 tied=0",
     2849757184, NULL, T51 "xl"},
    {"t5-v1.1-xxl", "layers=24 d_model=4096 heads=64 d_ff=10240 gated=1 tied=0",
     11135332352, NULL, T51 "xxl"},
    {0},
};

const mw_model_def mw_model_t5 = {
    .name = "t5",
    .brief = "encoder-decoder transformer, text to text (T5)",
    .keys = keys,
    .presets = presets,
    .build = build,
};
