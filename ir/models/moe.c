/* moe.c - decoder-only language model, some of its feed-forward layers
 * mixtures of experts. */
#include "ir/draft_experts.h"
#include "ir/draft_text.h"
#include "ir/model.h"

static void build(mw_draft *net)
{
    mw_draft_language(net, &(mw_language){.norm = mw_draft_layer_norm,
                                          .activation = mw_draft_gelu_tanh,
                                          .biases = true,
                                          .experts_every = mw_draft_key(
                                              net, "experts_every")});
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("12"),
    MW_KEY_SIZE("d_model", "768", "width of the model"),
    MW_KEY_SIZE("heads", "12", "attention heads"),
    MW_KEY_SIZE("d_head", "d_model/heads", "width of a head"),
    MW_KEY_SIZE("d_ff", "4*d_model", "width of the feed-forward layers"),
    MW_KEY_EXPERTS("16"),
    MW_KEY_EVERY("2"),
    MW_KEY_TOP("2"),
    MW_KEY_FACTOR("2"),
    MW_KEY_BALANCE,
    MW_KEY_LANGUAGE,
    {0},
};

const mw_model_def mw_model_moe = {
    .name = "moe",
    .brief = "decoder-only language model with mixtures of experts",
    .keys = keys,
    .own_loss = true,
    .build = build,
};
