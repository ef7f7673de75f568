/* mlp.c - dense layers one after the other. */
#include "ir/draft_layers.h"
#include "ir/model.h"

static void build(mw_draft *net)
{
    int64_t layers = mw_draft_key(net, "layers");
    bool biases = mw_draft_key(net, "bias") == 1;
    mw_draft_dim_key(net, "batch");
    mw_draft_dim_key(net, "pixels");
    mw_draft_dim_key(net, "classes");
    mw_id x = mw_draft_input(net, "x", net->dtype, "batch pixels");
    const char *from = "pixels";
    for (int64_t i = 1; i <= layers && net->status == MW_OK; i++) {
        const char *to = "classes";
        if (i < layers) {
            to = i == 1 ? "hidden"
                        : mw_draft_text(net, "hidden.%lld", (long long)i);
            mw_draft_dim(net, to, mw_draft_key(net, "hidden"));
        }
        mw_dense dense = {
            .name = i < layers ? mw_draft_text(net, "fc%lld", (long long)i)
                               : "logits",
            .weight = mw_draft_text(net, "%s %s", from, to),
            .bias = biases ? to : NULL,
            .out = mw_draft_text(net, "batch %s", to)};
        x = mw_draft_dense(net, x, &dense);
        x = i < layers ? mw_draft_relu(net, x) : x;
        from = to;
    }
    mw_draft_results(net, x, "batch", "classes");
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("2"),
    MW_KEY_SIZE("pixels", "784", "values of an example"),
    MW_KEY_SIZE("hidden", "4096", "width between layers"),
    MW_KEY_SIZE("classes", "10", "results of an example"),
    MW_KEY_SIZE("batch", "512", "examples at once"),
    {"bias", "1", 0, 1, NULL, false, "added by each layer"},
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

const mw_model_def mw_model_mlp = {
    .name = "mlp",
    .brief = "dense layers with rectifiers between them",
    .keys = keys,
    .build = build,
};
