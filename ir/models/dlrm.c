/* dlrm.c - recommendation: tables of categories, a few numbers, and the dot
 * products of every two of their vectors. */
#include "ir/draft_layers.h"
#include "ir/model.h"

enum { MAX_TABLES = 256, MAX_LAYERS = 8 };

/* Sizes of a data set's tables, and the widths of the published models. */
typedef struct data_set {
    int n_tables;
    int64_t rows[32];
    int64_t below[MAX_LAYERS], above[MAX_LAYERS]; /* hidden widths; 0 ends */
} data_set;

static const data_set kaggle = {
    .n_tables = 26,
    .rows = {1460,  583,  10131227, 2202608, 305, 24,     12517,   633,   3,
             93145, 5683, 8351593,  3194,    27,  14992,  5461306, 10,    5652,
             2173,  4,    7046547,  18,      15,  286181, 105,     142572},
    .below = {512, 256, 64},
    .above = {512, 256},
};

static const data_set terabyte = {
    .n_tables = 26,
    .rows = {39884406, 39043,  17289,    7420,    20263,  3,        7120,
             1543,     63,     38532951, 2953546, 403346, 10,       2208,
             11938,    155,    4,        976,     14,     39979771, 25641295,
             39664984, 585935, 12972,    108,     36},
    .below = {512, 256},
    .above = {1024, 1024, 512, 256},
};

static const data_set *data_set_of(const mw_draft *net)
{
    static const data_set *const sets[] = {NULL, &kaggle, &terabyte};
    return sets[mw_draft_key(net, "data")];
}

// Dense layers with rectifiers: widths, and a last one to dim `to`.
static mw_id layers(mw_draft *net, mw_id x, const char *name, const char *from,
                    const int64_t width[MAX_LAYERS])
{
    for (int i = 0; i < MAX_LAYERS && width[i]; i++) {
        const char *to = mw_draft_text(net, "%s.%d", name, i + 1);
        mw_dense dense = {.name = to,
                          .weight = mw_draft_text(net, "%s %s", to, from),
                          .bias = to,
                          .out = mw_draft_text(net, "batch %s", to)};
        mw_draft_dim(net, to, width[i]);
        x = mw_draft_relu(net, mw_draft_dense(net, x, &dense));
        from = to;
    }
    return x;
}

static const int64_t *widths(mw_draft *net, bool above, int64_t own[MAX_LAYERS])
{
    const data_set *set = data_set_of(net);
    if (set)
        return above ? set->above : set->below;
    for (int i = 0; i < MAX_LAYERS; i++)
        own[i] =
            i < mw_draft_key(net, "layers") ? mw_draft_key(net, "hidden") : 0;
    return own;
}

static const char *last_dim(mw_draft *net, mw_id x)
{
    if (net->status != MW_OK)
        return "";
    const mw_tensor *tensor = &net->graph->tensor[x];
    return net->graph->dim[tensor->axis[tensor->rank - 1].dim].name;
}

// One row of each table, and the vector of the numbers, as "batch features
// d_embed".
static mw_id vectors(mw_draft *net, mw_id dense)
{
    const data_set *set = data_set_of(net);
    mw_id all[MAX_TABLES + 1] = {dense};
    int n = (int)mw_draft_key(net, "tables");
    for (int i = 0; i < n && net->status == MW_OK; i++) {
        const char *rows = mw_draft_text(net, "rows.%d", i);
        mw_draft_dim(net, rows, set ? set->rows[i] : mw_draft_key(net, "rows"));
        mw_id ids = mw_draft_input(net, mw_draft_text(net, "ids.%d", i), MW_I64,
                                   "batch");
        mw_id table = mw_draft_param(
            net, mw_draft_text(net, "table.%d.weight", i),
            mw_draft_text(net, "%s d_embed", rows), mw_draft_normal(0.1));
        all[i + 1] = mw_draft_gather(net, table, ids, rows);
    }
    return mw_draft_concat(net, all, n + 1, "features",
                           "batch features d_embed");
}

/* Pair p is that of vectors i > j with p = i (i - 1) / 2 + j, so that i is the
 * whole part of (1 + sqrt(1 + 8 p)) / 2. */
static mw_id products(mw_draft *net, mw_id x)
{
    mw_id p = mw_draft_iota(net, "pairs", MW_F64);
    mw_id root = mw_draft_map1(
        net, "sqrt", mw_draft_by(net, "add", mw_draft_by(net, "mul", p, 8), 1));
    mw_id i = mw_draft_map1(
        net, "floor",
        mw_draft_by(net, "mul", mw_draft_by(net, "add", root, 1), 0.5));
    mw_id before = mw_draft_by(
        net, "mul", mw_draft_map2(net, "mul", i, mw_draft_by(net, "sub", i, 1)),
        0.5);
    mw_id j = mw_draft_map2(net, "sub", p, before);
    mw_id a =
        mw_draft_gather(net, x, mw_draft_cast(net, i, MW_I64), "features");
    mw_id b =
        mw_draft_gather(net, x, mw_draft_cast(net, j, MW_I64), "features");
    return mw_draft_einsum(net, a, b, "batch pairs");
}

static void declare(mw_draft *net)
{
    static const char *const dims[] = {"batch", "dense", "d_embed", NULL};
    int64_t features = mw_draft_key(net, "tables") + 1;
    int64_t pairs = features * (features - 1) / 2;
    const data_set *set = data_set_of(net);
    if (set && set->n_tables != features - 1)
        mw_draft_refuse(net, "tables is %lld, this data has %d",
                        (long long)features - 1, set->n_tables);
    mw_draft_dim_keys(net, dims);
    mw_draft_dim(net, "features", features);
    mw_draft_dim(net, "pairs", pairs);
    mw_draft_dim_of(net, "interactions", pairs + mw_draft_key(net, "d_embed"),
                    "pairs", "concat");
}

/* max(x, 0) - x y + log(1 + exp(-|x|)), the mean of it. */
static mw_id cross_entropy(mw_draft *net, mw_id x, mw_id y)
{
    mw_id far = mw_draft_map1(net, "neg", mw_draft_map1(net, "abs", x));
    mw_id tail = mw_draft_map1(
        net, "log", mw_draft_by(net, "add", mw_draft_map1(net, "exp", far), 1));
    mw_id loss = mw_draft_map2(net, "sub", mw_draft_relu(net, x),
                               mw_draft_map2(net, "mul", x, y));
    loss = mw_draft_map2(net, "add", loss, tail);
    mw_id sum = mw_draft_reduce(net, "reduce_sum", loss, "batch");
    double n = (double)mw_draft_size(net, "batch");
    mw_id count = mw_draft_number(net, net->dtype, n);
    mw_draft_as(net, "loss");
    return mw_draft_map2(net, "div", sum, count);
}

static void build(mw_draft *net)
{
    static const mw_dense embed = {.name = "below",
                                   .weight = NULL,
                                   .bias = "d_embed",
                                   .out = "batch d_embed"};
    int64_t own[MAX_LAYERS];
    declare(net);
    mw_id x = mw_draft_input(net, "numbers", net->dtype, "batch dense");
    x = layers(net, x, "below", "dense", widths(net, false, own));
    mw_dense to_vector = embed;
    to_vector.weight = mw_draft_text(net, "d_embed %s", last_dim(net, x));
    x = mw_draft_relu(net, mw_draft_dense(net, x, &to_vector));
    mw_id in[] = {x, products(net, vectors(net, x))};
    x = mw_draft_concat(net, in, 2, "interactions", "batch interactions");
    x = layers(net, x, "above", "interactions", widths(net, true, own));
    mw_dense score = {.name = "logits",
                      .weight = last_dim(net, x),
                      .bias = "",
                      .out = "batch 1"};
    mw_id logits = mw_draft_dense(net, x, &score);
    mw_draft_output(net, logits);
    if (mw_draft_key(net, "loss"))
        mw_draft_output(
            net,
            cross_entropy(net, logits,
                          mw_draft_input(net, "labels", net->dtype, "batch")));
}

static const mw_model_key keys[] = {
    {"data", "uniform", 0, 0, "uniform|kaggle|terabyte", false,
     "whose tables and layers: equal ones, or those of Criteo's data"},
    {"tables", "26", 1, MAX_TABLES, NULL, false, "categories of an example"},
    MW_KEY_SIZE("rows", "100000", "of each table, where they are uniform"),
    MW_KEY_SIZE("d_embed", "64", "width of the vectors"),
    MW_KEY_SIZE("dense", "13", "numbers of an example"),
    {"layers", "2", 1, MAX_LAYERS - 1, NULL, false,
     "hidden ones below and above, where uniform"},
    MW_KEY_SIZE("hidden", "512", "their width"),
    MW_KEY_SIZE("batch", "2048", "examples at once"),
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

static const mw_model_preset presets[] = {
    {"dlrm-kaggle", "data=kaggle d_embed=16 batch=128", 0, "540M",
     "Naumov et al. 2019, section 5, on Criteo's Kaggle data"},
    {"dlrm-terabyte", "data=terabyte d_embed=128", 0, "24B",
     "MLPerf training's dlrm, tables cut at 40 million rows"},
    {0},
};

const mw_model_def mw_model_dlrm = {
    .name = "dlrm",
    .brief = "recommendation from tables of categories (DLRM)",
    .keys = keys,
    .presets = presets,
    .own_loss = true,
    .build = build,
};
