/* resnet.c - residual network for images: ResNet, and its wide variants. The
 * stride lies in the 3x3 convolution of a block (version 1.5). */
#include "ir/draft_image.h"
#include "ir/model.h"

enum { STAGES = 4, STEM = 64, EXPANSION = 4 };

static const struct depth {
    bool bottleneck;
    int blocks[STAGES];
} depths[] = {
    {false, {2, 2, 2, 2}}, {false, {3, 4, 6, 3}}, {true, {3, 4, 6, 3}},
    {true, {3, 4, 23, 3}}, {true, {3, 8, 36, 3}},
};
#define DEPTHS "18|34|50|101|152"

typedef struct stage {
    const char *from, *to, *mid, *mid2; /* channels */
    int64_t stride;                     /* of its first block */
    bool bottleneck, project;
} stage;

// The last norm of a block begins quiet, so that the block does nothing at
// first (Goyal et al. 2017).
static mw_id conv_norm(mw_draft *net, mw_id x, const mw_convolution *conv,
                       const char *norm, bool quiet, mw_space *space)
{
    mw_id y = mw_draft_conv(net, x, conv, space);
    mw_batch_norm layer = {norm, conv->to, true, quiet};
    return mw_draft_batch_norm(net, y, &layer, space);
}

static mw_id main_path(mw_draft *net, mw_id x, const stage *s, const char *from,
                       int64_t stride, mw_space *space)
{
    if (!s->bottleneck) {
        mw_convolution one = {"conv1", from, s->mid, {3, stride, 1}, false, 0};
        mw_convolution two = {"conv2", s->mid, s->to, {3, 1, 1}, false, 0};
        x = mw_draft_relu(net, conv_norm(net, x, &one, "bn1", false, space));
        return conv_norm(net, x, &two, "bn2", true, space);
    }
    mw_convolution one = {"conv1", from, s->mid, {1, 1, 0}, false, 0};
    mw_convolution two = {"conv2", s->mid, s->mid2, {3, stride, 1}, false, 0};
    mw_convolution three = {"conv3", s->mid2, s->to, {1, 1, 0}, false, 0};
    x = mw_draft_relu(net, conv_norm(net, x, &one, "bn1", false, space));
    x = mw_draft_relu(net, conv_norm(net, x, &two, "bn2", false, space));
    return conv_norm(net, x, &three, "bn3", true, space);
}

static mw_id block(mw_draft *net, mw_id x, const stage *s, bool first,
                   mw_space *space)
{
    const char *from = first ? s->from : s->to;
    int64_t stride = first ? s->stride : 1;
    mw_space skip = *space;
    mw_id y = main_path(net, x, s, from, stride, space);
    if (first && s->project) {
        mw_convolution conv = {"downsample.0", from,  s->to,
                               {1, stride, 0}, false, 0};
        x = conv_norm(net, x, &conv, "downsample.1", false, &skip);
    }
    return mw_draft_relu(net, mw_draft_map2(net, "add", y, x));
}

// Channels of stage i, declared.
static stage stage_of(mw_draft *net, int i, const char *from)
{
    bool bottleneck = depths[mw_draft_key(net, "depth")].bottleneck;
    int64_t plane = (int64_t)STEM << i;
    int64_t inner = plane * mw_draft_key(net, "base") / STEM;
    int64_t outer = bottleneck ? plane * EXPANSION : plane;
    stage s = {.from = from,
               .to = mw_draft_text(net, "stage%d", i + 1),
               .mid = mw_draft_text(net, "stage%d.mid", i + 1),
               .mid2 = mw_draft_text(net, "stage%d.mid2", i + 1),
               .stride = i == 0 ? 1 : 2,
               .bottleneck = bottleneck,
               .project = i > 0 || bottleneck};
    if (!s.project) {
        // sums with the stem want its channels
        s.to = from;
    } else {
        mw_draft_dim(net, s.to, outer);
    }
    mw_draft_dim(net, s.mid, bottleneck ? inner : plane);
    if (bottleneck)
        mw_draft_dim_of(net, s.mid2, inner, s.mid, "alias");
    return s;
}

static mw_id stages(mw_draft *net, mw_id x, mw_space *space, const char **last)
{
    const struct depth *depth = &depths[mw_draft_key(net, "depth")];
    for (int i = 0; i < STAGES && net->status == MW_OK; i++) {
        stage s = stage_of(net, i, *last);
        for (int k = 0; k < depth->blocks[i] && net->status == MW_OK; k++) {
            int outer = mw_draft_enter(net, "layer%d.%d", i + 1, k);
            x = block(net, x, &s, k == 0, space);
            mw_draft_leave(net, outer);
        }
        *last = s.to;
    }
    return x;
}

static void build(mw_draft *net)
{
    static const char *const dims[] = {"batch", "channels", "classes", NULL};
    static const mw_convolution stem = {"conv1",   "channels", "stem",
                                        {7, 2, 3}, false,      0};
    static const mw_taps pool = {3, 2, 1};
    const char *last = "stem";
    mw_space space = {2, {"height", "width"}};
    if (mw_draft_key(net, "base") != STEM &&
        !depths[mw_draft_key(net, "depth")].bottleneck)
        mw_draft_refuse(net, "base is %lld, wanted %d at depths 18 and 34",
                        (long long)mw_draft_key(net, "base"), STEM);
    net->epsilon = 1e-3; // few values in small images may be much alike
    mw_draft_dim_keys(net, dims);
    mw_draft_dim(net, "height", mw_draft_key(net, "image"));
    mw_draft_dim_of(net, "width", mw_draft_key(net, "image"), "height",
                    "alias");
    mw_draft_dim(net, "stem", STEM);
    mw_id x = mw_draft_input(net, "image", net->dtype,
                             mw_draft_image_dims(net, "channels", &space));
    x = mw_draft_relu(net, conv_norm(net, x, &stem, "bn1", false, &space));
    x = mw_draft_pool_max(net, x, "stem", &pool, &space);
    x = stages(net, x, &space, &last);
    mw_dense head = {.name = "logits",
                     .weight = mw_draft_text(net, "classes %s", last),
                     .bias = "classes",
                     .out = "batch classes"};
    x = mw_draft_dense(net, mw_draft_pool_all(net, x, &space), &head);
    mw_draft_results(net, x, "batch", "classes");
}

static const mw_model_key keys[] = {
    {"depth", "50", 0, 0, DEPTHS, false, "layers with weights"},
    {"base", "64", 1, 1e6, NULL, false,
     "inner channels of the first blocks; 128: the wide ones"},
    {"image", "224", 1, 1e5, NULL, false, "height and width of an image"},
    MW_KEY_SIZE("channels", "3", "of an image"),
    MW_KEY_SIZE("classes", "1000", "results of an image"),
    MW_KEY_SIZE("batch", "32", "images at once"),
    MW_KEY_NORM,
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define RESNET "He et al. 2016; torchvision's "
#define WIDE "Zagoruyko and Komodakis 2016; torchvision's "

static const mw_model_preset presets[] = {
    {"resnet-18", "depth=18", 11689512, NULL, RESNET "resnet18"},
    {"resnet-34", "depth=34", 21797672, NULL, RESNET "resnet34"},
    {"resnet-50", "depth=50", 25557032, NULL, RESNET "resnet50"},
    {"resnet-101", "depth=101", 44549160, NULL, RESNET "resnet101"},
    {"resnet-152", "depth=152", 60192808, NULL, RESNET "resnet152"},
    {"wide-resnet-50-2", "depth=50 base=128", 68883240, NULL,
     WIDE "wide_resnet50_2"},
    {"wide-resnet-101-2", "depth=101 base=128", 126886696, NULL,
     WIDE "wide_resnet101_2"},
    {0},
};

const mw_model_def mw_model_resnet = {
    .name = "resnet",
    .brief = "residual network for images (ResNet, wide ResNet)",
    .keys = keys,
    .presets = presets,
    .own_loss = true,
    .build = build,
};
