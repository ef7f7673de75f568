/* unet3d.c - 3-D U-Net: a volume is made coarser level by level and finer
 * again, each level's result joined on the way back. Sizes are kept by padding,
 * so that a spatial dimension can be split with halos. */
#include "ir/draft_image.h"
#include "ir/model.h"

enum { MAX_LEVELS = 8 };

static const mw_taps window = {3, 1, 1}, half = {2, 2, 0};

// Convolution, batch norm (which has no parameters, as the paper counts) and
// rectifier.
static mw_id layer(mw_draft *net, mw_id x, const char *name, const char *from,
                   const char *to, mw_space *space)
{
    mw_convolution conv = {name, from, to, window, true, 0};
    mw_batch_norm norm = {mw_draft_text(net, "%s.norm", name), to, false,
                          false};
    mw_id y = mw_draft_conv(net, x, &conv, space);
    return mw_draft_relu(net, mw_draft_batch_norm(net, y, &norm, space));
}

// Channels of a level: after its first and second layer on the way down, and
// on the way up as it comes from below, joined, and after its layers.
typedef struct level {
    const char *down1, *down2, *below, *joined, *up1, *up2;
    mw_space space;
    mw_id x; /* what is joined */
} level;

static const char *channels(mw_draft *net, int i, const char *what,
                            int64_t size)
{
    const char *name = mw_draft_text(net, "level%d.%s", i, what);
    mw_draft_dim(net, name, size);
    return name;
}

static mw_id go_down(mw_draft *net, mw_id x, level all[MAX_LEVELS])
{
    int n = (int)mw_draft_key(net, "levels");
    int64_t base = mw_draft_key(net, "base");
    const char *from = "channels";
    mw_space space = {3, {"depth", "height", "width"}};
    for (int i = 0; i < n && net->status == MW_OK; i++, base *= 2) {
        level *l = &all[i];
        int outer = mw_draft_enter(net, "down%d", i);
        l->down1 = channels(net, i, "down1", base);
        l->down2 = channels(net, i, "down2", 2 * base);
        if (i > 0)
            x = mw_draft_pool_max(net, x, from, &half, &space);
        x = layer(net, x, "conv1", from, l->down1, &space);
        x = layer(net, x, "conv2", l->down1, l->down2, &space);
        l->x = x;
        l->space = space;
        from = l->down2;
        mw_draft_leave(net, outer);
    }
    return x;
}

static mw_id join(mw_draft *net, const level *l, mw_id x)
{
    const char *dims = mw_draft_image_dims(net, l->joined, &l->space);
    return mw_draft_concat(net, (mw_id[]){l->x, x}, 2, l->joined, dims);
}

static mw_id go_up(mw_draft *net, mw_id x, level all[MAX_LEVELS],
                   const char **last)
{
    int n = (int)mw_draft_key(net, "levels");
    int64_t below = mw_draft_size(net, all[n - 1].down2);
    *last = all[n - 1].down2;
    for (int i = n - 2; i >= 0 && net->status == MW_OK; i--) {
        level *l = &all[i];
        int outer = mw_draft_enter(net, "up%d", i);
        int64_t own = mw_draft_size(net, l->down2);
        l->below = channels(net, i, "below", below);
        l->joined = channels(net, i, "joined", own + below);
        l->up1 = channels(net, i, "up1", own);
        l->up2 = channels(net, i, "up2", own);
        mw_convolution up = {"up", *last, l->below, half, false, 0};
        x = join(net, l, mw_draft_conv_up(net, x, &up, &l->space));
        x = layer(net, x, "conv1", l->joined, l->up1, &l->space);
        x = layer(net, x, "conv2", l->up1, l->up2, &l->space);
        *last = l->up2;
        below = own;
        mw_draft_leave(net, outer);
    }
    return x;
}

static void declare(mw_draft *net)
{
    static const char *const dims[] = {"batch", "channels", "classes", NULL};
    static const char *const space[] = {"depth", "image"};
    int64_t unit = INT64_C(1) << (mw_draft_key(net, "levels") - 1);
    for (int i = 0; i < 2; i++)
        if (mw_draft_key(net, space[i]) % unit)
            mw_draft_refuse(net,
                            "%s is %lld, wanted a multiple of %lld for "
                            "%lld levels",
                            space[i], (long long)mw_draft_key(net, space[i]),
                            (long long)unit,
                            (long long)mw_draft_key(net, "levels"));
    net->epsilon = 1e-3; // few values in small images may be much alike
    mw_draft_dim_keys(net, dims);
    mw_draft_dim_key(net, "depth");
    mw_draft_dim(net, "height", mw_draft_key(net, "image"));
    mw_draft_dim_of(net, "width", mw_draft_key(net, "image"), "height",
                    "alias");
}

static void build(mw_draft *net)
{
    level all[MAX_LEVELS] = {{0}};
    const char *last = "";
    declare(net);
    mw_space space = {3, {"depth", "height", "width"}};
    mw_id x = mw_draft_input(net, "volume", net->dtype,
                             mw_draft_image_dims(net, "channels", &space));
    x = go_up(net, go_down(net, x, all), all, &last);
    mw_dense head = {.name = "logits",
                     .weight = mw_draft_text(net, "classes %s 1 1 1", last),
                     .bias = "classes",
                     .out = "batch depth height width classes"};
    x = mw_draft_dense(net, x, &head);
    mw_draft_results(net, x, "batch depth height width", "classes");
}

static const mw_model_key keys[] = {
    {"levels", "4", 1, MAX_LEVELS, NULL, false, "resolutions"},
    {"base", "32", 1, 1e6, NULL, false, "channels of the first layer"},
    {"image", "128", 1, 1e5, NULL, false, "height and width of a volume"},
    {"depth", "image", 1, 1e5, NULL, false, "its third size"},
    MW_KEY_SIZE("channels", "3", "of a volume"),
    MW_KEY_SIZE("classes", "3", "results of each point"),
    MW_KEY_SIZE("batch", "2", "volumes at once"),
    MW_KEY_NORM,
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

static const mw_model_preset presets[] = {
    {"unet3d", "levels=4 base=32", 19069955, NULL,
     "Cicek et al. 2016, section 2"},
    {0},
};

const mw_model_def mw_model_unet3d = {
    .name = "unet3d",
    .brief = "3-D U-Net for volumes, splittable in space",
    .keys = keys,
    .presets = presets,
    .own_loss = true,
    .build = build,
};
