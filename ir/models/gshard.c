/* gshard.c - the translation model of GShard: every other feed-forward layer of
 * encoder and decoder a mixture of experts, each token going to two. The
 * second expert is always taken. */
#include "ir/draft_experts.h"
#include "ir/draft_text.h"
#include "ir/model.h"

static void build(mw_draft *net)
{
    mw_draft_pair(
        net, &(mw_pair){.norm = mw_draft_layer_norm,
                        .activation = mw_draft_relu,
                        .tied = mw_draft_key(net, "tied") == 1,
                        .experts_every = mw_draft_key(net, "experts_every")});
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("6"),
    MW_KEY_SIZE("d_model", "1024", "width of the model"),
    MW_KEY_SIZE("heads", "16", "attention heads"),
    MW_KEY_SIZE("d_head", "128", "width of a head"),
    MW_KEY_SIZE("d_ff", "8*d_model", "width of the feed-forward layers"),
    MW_KEY_EXPERTS("128"),
    MW_KEY_EVERY("2"),
    MW_KEY_TOP("2"),
    MW_KEY_FACTOR("2"),
    MW_KEY_BALANCE,
    MW_KEY_PAIR,
    MW_KEY_DROPOUT,
    MW_KEY_SIZE("positions", "1024", "rows of the tables of positions"),
    MW_KEY_TIED,
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define GSHARD "Lepikhin et al. 2021, table 1; half of the layers a side"

static const mw_model_preset presets[] = {
    {"gshard-600b", "layers=18 experts=2048 vocab=64000", 0, "600B", GSHARD},
    {"gshard-200b", "layers=6 experts=2048 vocab=64000", 0, "200B", GSHARD},
    {0},
};

const mw_model_def mw_model_gshard = {
    .name = "gshard",
    .brief = "encoder-decoder with mixtures of experts, two a token (GShard)",
    .keys = keys,
    .presets = presets,
    .own_loss = true,
    .build = build,
};
