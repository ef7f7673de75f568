/* wideresnet.c - wide residual network for small images (WRN-depth-widen):
 * three groups of pre-activation blocks. */
#include "ir/draft_image.h"
#include "ir/model.h"

// Blocks begin as little besides what they are added to.
static const double quiet = 0.2;

enum { BLOCKS_BEFORE = 4, LAYERS_A_GROUP = 6, GROUPS = 3, STEM = 16 };

static mw_id active(mw_draft *net, mw_id x, const char *name,
                    const char *channels, const mw_space *space)
{
    mw_batch_norm norm = {name, channels, true, false};
    return mw_draft_relu(net, mw_draft_batch_norm(net, x, &norm, space));
}

typedef struct group {
    const char *from, *to, *mid; /* channels */
    int64_t stride;              /* of its first block */
} group;

static mw_id block(mw_draft *net, mw_id x, const group *g, bool first,
                   mw_space *space)
{
    const char *from = first ? g->from : g->to;
    int64_t stride = first ? g->stride : 1;
    mw_space skip = *space;
    mw_convolution one = {"conv1", from, g->mid, {3, stride, 1}, false, 0};
    mw_convolution two = {"conv2", g->mid, g->to, {3, 1, 1}, false, quiet};
    mw_id a = active(net, x, "bn1", from, space);
    mw_id y = mw_draft_conv(net, a, &one, space);
    y = active(net, y, "bn2", g->mid, space);
    y = mw_draft_conv(net, y, &two, space);
    if (first)
        x = mw_draft_conv(net, a,
                          &(mw_convolution){.name = "shortcut",
                                            .from = from,
                                            .to = g->to,
                                            .taps = {1, stride, 0}},
                          &skip);
    return mw_draft_map2(net, "add", x, y);
}

static mw_id stages(mw_draft *net, mw_id x, mw_space *space, const char **last)
{
    int64_t blocks =
        (mw_draft_key(net, "depth") - BLOCKS_BEFORE) / LAYERS_A_GROUP;
    int64_t width = STEM * mw_draft_key(net, "widen");
    const char *from = *last;
    for (int i = 0; i < GROUPS && net->status == MW_OK; i++, width *= 2) {
        group g = {.from = from,
                   .to = mw_draft_text(net, "group%d", i + 1),
                   .mid = mw_draft_text(net, "group%d.mid", i + 1),
                   .stride = i == 0 ? 1 : 2};
        mw_draft_dim(net, g.to, width);
        mw_draft_dim_of(net, g.mid, width, g.to, "alias");
        for (int64_t k = 0; k < blocks && net->status == MW_OK; k++) {
            int outer =
                mw_draft_enter(net, "group%d.%lld", i + 1, (long long)k);
            x = block(net, x, &g, k == 0, space);
            mw_draft_leave(net, outer);
        }
        from = g.to;
    }
    *last = from;
    return x;
}

static void build(mw_draft *net)
{
    static const char *const dims[] = {"batch", "channels", "classes", NULL};
    static const mw_convolution stem = {"conv1",   "channels", "stem",
                                        {3, 1, 1}, false,      0};
    int64_t depth = mw_draft_key(net, "depth");
    if ((depth - BLOCKS_BEFORE) % LAYERS_A_GROUP)
        mw_draft_refuse(net, "depth is %lld, wanted 10, 16, 22, 28, ...",
                        (long long)depth);
    net->epsilon = 1e-3; // few values in small images may be much alike
    mw_draft_dim_keys(net, dims);
    mw_draft_dim(net, "height", mw_draft_key(net, "image"));
    mw_draft_dim_of(net, "width", mw_draft_key(net, "image"), "height",
                    "alias");
    mw_draft_dim(net, "stem", STEM);
    mw_space space = {2, {"height", "width"}};
    mw_id x = mw_draft_input(net, "image", net->dtype,
                             mw_draft_image_dims(net, "channels", &space));
    const char *last = "stem";
    x = mw_draft_conv(net, x, &stem, &space);
    x = stages(net, x, &space, &last);
    x = active(net, x, "bn", last, &space);
    mw_dense head = {.name = "logits",
                     .weight = mw_draft_text(net, "classes %s", last),
                     .bias = "classes",
                     .out = "batch classes"};
    x = mw_draft_dense(net, mw_draft_pool_all(net, x, &space), &head);
    mw_draft_results(net, x, "batch", "classes");
}

static const mw_model_key keys[] = {
    {"depth", "28", 10, 10000, NULL, false,
     "layers: 4 more than a multiple of 6"},
    {"widen", "10", 1, 1e6, NULL, false,
     "how many times 16 the first group is"},
    {"image", "32", 1, 1e5, NULL, false, "height and width of an image"},
    MW_KEY_SIZE("channels", "3", "of an image"),
    MW_KEY_SIZE("classes", "10", "results of an image"),
    MW_KEY_SIZE("batch", "128", "images at once"),
    MW_KEY_NORM,
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define WRN "Zagoruyko and Komodakis 2016, tables 4 and 5"

static const mw_model_preset presets[] = {
    {"wrn-40-4", "depth=40 widen=4", 0, "8.9M", WRN},
    {"wrn-16-8", "depth=16 widen=8", 0, "11.0M", WRN},
    {"wrn-28-10", "depth=28 widen=10", 0, "36.5M", WRN},
    {0},
};

const mw_model_def mw_model_wideresnet = {
    .name = "wideresnet",
    .brief = "wide residual network for small images (WRN)",
    .keys = keys,
    .presets = presets,
    .own_loss = true,
    .build = build,
};
