/* gpt.c - decoder-only transformer: GPT-2 and GPT-3. */
#include "ir/draft_text.h"
#include "ir/model.h"

static void build(mw_draft *net)
{
    mw_draft_language(net, &(mw_language){.norm = mw_draft_layer_norm,
                                          .activation = mw_draft_gelu_tanh,
                                          .biases = true});
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("12"),
    MW_KEY_SIZE("d_model", "768", "width of the model"),
    MW_KEY_SIZE("heads", "12", "attention heads"),
    MW_KEY_SIZE("d_head", "d_model/heads", "width of a head"),
    MW_KEY_SIZE("d_ff", "4*d_model", "width of the feed-forward layers"),
    MW_KEY_LANGUAGE,
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
     "175B", GPT3},
    {0},
};

const mw_model_def mw_model_gpt = {
    .name = "gpt",
    .brief = "decoder-only transformer language model (GPT-2, GPT-3)",
    .keys = keys,
    .presets = presets,
    .build = build,
};
