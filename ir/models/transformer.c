/* transformer.c - the Transformer of the Mesh-TensorFlow paper: a language
 * model, or a pair of encoder and decoder for translation. */
#include "ir/draft_text.h"
#include "ir/model.h"

static void build(mw_draft *net)
{
    bool tied = mw_draft_key(net, "tied") == 1;
    if (mw_draft_key(net, "task") == 0)
        mw_draft_language(net, &(mw_language){.norm = mw_draft_layer_norm,
                                              .activation = mw_draft_relu});
    else
        mw_draft_pair(net, &(mw_pair){.norm = mw_draft_layer_norm,
                                      .activation = mw_draft_relu,
                                      .tied = tied});
}

static const mw_model_key keys[] = {
    {"task", "language", 0, 0, "language|translation", false,
     "one stack, or an encoder and a decoder"},
    MW_KEY_LAYERS("6"),
    MW_KEY_SIZE("d_model", "1024", "width of the model"),
    MW_KEY_SIZE("heads", "8", "attention heads"),
    MW_KEY_SIZE("d_head", "128", "width of a head"),
    MW_KEY_SIZE("d_ff", "4*d_model", "width of the feed-forward layers"),
    MW_KEY_SIZE("vocab", "32768", "tokens known"),
    MW_KEY_SIZE("seq", "256", "tokens of a text, or that are read"),
    MW_KEY_SIZE("target", "256", "tokens that are written, in translation"),
    MW_KEY_SIZE("positions", "256", "rows of the tables of positions"),
    MW_KEY_SIZE("batch", "128", "texts at once"),
    MW_KEY_DROPOUT,
    {"tied", "0", 0, 1, NULL, false, "one table for tokens in and out"},
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define MTF "Shazeer et al. 2018 (Mesh-TensorFlow), table "
#define T2T "tensor2tensor's mtf_transformer_paper_tr; no figure known"
#define LM "batch=256 d_head=256 "
#define TR "task=translation "

static const mw_model_preset presets[] = {
    {"mtf-lm-m1", LM "d_ff=4096 heads=4", 0, "0.14B", MTF "3"},
    {"mtf-lm-0", LM "d_ff=8192 heads=8", 0, "0.22B", MTF "3"},
    {"mtf-lm-1", LM "d_ff=16384 heads=16", 0, "0.37B", MTF "3"},
    {"mtf-lm-2", LM "d_ff=32768 heads=32", 0, "0.67B", MTF "3"},
    {"mtf-lm-3", LM "d_ff=65536 heads=64", 0, "1.28B", MTF "3"},
    {"mtf-lm-4", LM "d_ff=131072 heads=128", 0, "2.48B", MTF "3"},
    {"mtf-lm-5", LM "d_ff=262144 heads=256", 0, "4.90B", MTF "3"},
    {"mtf-tr-m1", TR "d_ff=2048 heads=4", 0, NULL, T2T},
    {"mtf-tr-0", TR "d_ff=4096 heads=8", 0, NULL, T2T},
    {"mtf-tr-1", TR "d_ff=8192 heads=16", 0, NULL, T2T},
    {"mtf-tr-2", TR "d_ff=16384 heads=32", 0, NULL, T2T},
    {"mtf-tr-3", TR "d_ff=32768 heads=64", 0, NULL, T2T},
    {"mtf-tr-4", TR "d_ff=65536 heads=128", 0, "2.9B", MTF "2"},
    {0},
};

const mw_model_def mw_model_transformer = {
    .name = "transformer",
    .brief = "the Transformer of Mesh-TensorFlow, for language or translation",
    .keys = keys,
    .presets = presets,
    .build = build,
};
