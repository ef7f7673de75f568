/* vit.c - vision transformer: patches of an image as the rows of an encoder. */
#include "ir/draft_stack.h"
#include "ir/model.h"

// Rows of patches, one behind the other: a contraction over what lies within a
// patch, as the strides of the convolution are its size.
static mw_id patches_of(mw_draft *net, mw_id image)
{
    static const mw_dense embed = {
        .name = "patch",
        .weight = "d_model channels patch patch.w",
        .bias = "d_model",
        .out = "batch rows columns d_model",
    };
    mw_id x = mw_draft_dense(net, image, &embed);
    return mw_draft_add(net, &(mw_draft_op){.def = "reshape",
                                            .in = &x,
                                            .n_in = 1,
                                            .dtype = net->dtype,
                                            .dims = "batch patches d_model"});
}

static mw_id with_class(mw_draft *net, mw_id x)
{
    mw_id token =
        mw_draft_param(net, "class", "d_model", mw_draft_normal(0.02));
    mw_draft_op spread = {.def = "broadcast",
                          .in = &token,
                          .n_in = 1,
                          .dtype = net->dtype,
                          .dims = "batch d_model"};
    mw_id in[] = {mw_draft_add(net, &spread), x};
    x = mw_draft_concat(net, in, 2, "tokens", "batch tokens d_model");
    mw_id table = mw_draft_param(net, "positions.weight", "tokens d_model",
                                 mw_draft_normal(0.02));
    return mw_draft_map2(net, "add", x, table);
}

static void declare(mw_draft *net)
{
    static const char *const dims[] = {"batch",   "channels", "classes",
                                       "d_model", "heads",    "d_head",
                                       "d_ff",    "patch",    NULL};
    int64_t patch = mw_draft_key(net, "patch");
    int64_t rows = mw_draft_key(net, "image") / patch;
    if (mw_draft_key(net, "image") % patch)
        mw_draft_refuse(net, "patches of %lld do not divide an image of %lld",
                        (long long)patch,
                        (long long)mw_draft_key(net, "image"));
    mw_draft_dim_keys(net, dims);
    mw_draft_dim_of(net, "patch.w", patch, "patch", "alias");
    mw_draft_dim(net, "rows", rows);
    mw_draft_dim_of(net, "columns", rows, "rows", "alias");
    mw_draft_dim_of(net, "patches", rows * rows, "rows", "merge");
    mw_draft_dim_of(net, "tokens", rows * rows + 1, "patches", "concat");
    mw_draft_dim_of(net, "tokens.k", rows * rows + 1, "tokens", "alias");
}

static void build(mw_draft *net)
{
    static const mw_dense head = {.name = "logits",
                                  .weight = "d_model classes",
                                  .bias = "classes",
                                  .out = "batch classes"};
    net->epsilon = 1e-6;
    declare(net);
    mw_id image =
        mw_draft_input(net, "image", net->dtype,
                       "batch channels (rows patch) (columns patch.w)");
    mw_id x = with_class(net, patches_of(net, image));
    mw_stack stack = {.layers = mw_draft_key(net, "layers"),
                      .rows = "batch tokens",
                      .keys = "batch tokens.k",
                      .memory = MW_NONE,
                      .mask = MW_NONE,
                      .norm = mw_draft_layer_norm,
                      .activation = mw_draft_gelu,
                      .biases = true};
    x = mw_draft_stack(net, x, &stack);
    x = mw_draft_slice(net, x, "tokens", "", 0);
    mw_draft_results(net, mw_draft_dense(net, x, &head), "batch", "classes");
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("12"),
    MW_KEY_SIZE("d_model", "768", "width of the model"),
    MW_KEY_SIZE("heads", "12", "attention heads"),
    MW_KEY_SIZE("d_head", "d_model/heads", "width of a head"),
    MW_KEY_SIZE("d_ff", "4*d_model", "width of the feed-forward layers"),
    {"image", "224", 1, 1e5, NULL, false, "height and width of an image"},
    {"patch", "16", 1, 1e5, NULL, false, "height and width of a patch"},
    MW_KEY_SIZE("channels", "3", "of an image"),
    MW_KEY_SIZE("classes", "1000", "results of an image"),
    MW_KEY_SIZE("batch", "32", "images at once"),
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define VIT "Dosovitskiy et al. 2021; torchvision's "

static const mw_model_preset presets[] = {
    {"vit-b-16", "layers=12 d_model=768 heads=12 patch=16", 86567656, NULL,
     VIT "vit_b_16"},
    {"vit-b-32", "layers=12 d_model=768 heads=12 patch=32", 88224232, NULL,
     VIT "vit_b_32"},
    {"vit-l-16", "layers=24 d_model=1024 heads=16 patch=16", 304326632, NULL,
     VIT "vit_l_16"},
    {"vit-l-32", "layers=24 d_model=1024 heads=16 patch=32", 306535400, NULL,
     VIT "vit_l_32"},
    {"vit-h-14", "layers=32 d_model=1280 heads=16 patch=14", 632045800, NULL,
     VIT "vit_h_14"},
    {0},
};

const mw_model_def mw_model_vit = {
    .name = "vit",
    .brief = "vision transformer for images (ViT)",
    .keys = keys,
    .presets = presets,
    .build = build,
};
