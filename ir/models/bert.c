/* bert.c - bidirectional encoder: BERT with its heads. */
#include "ir/draft_stack.h"
#include "ir/model.h"

enum { HEAD_NONE, HEAD_POOLER, HEAD_MLM, HEAD_PRETRAINING };

// Sum of three tables, and a norm.
static mw_id embed(mw_draft *net, mw_id table)
{
    mw_id ids = mw_draft_input(net, "ids", MW_I64, "batch seq");
    mw_id types = mw_draft_input(net, "types", MW_I64, "batch seq");
    int outer = mw_draft_enter(net, "embeddings");
    mw_id kinds = mw_draft_param(net, "types.weight", "types d_model",
                                 mw_draft_normal(0.02));
    mw_id x = mw_draft_gather(net, table, ids, "vocab");
    x = mw_draft_map2(net, "add", x,
                      mw_draft_gather(net, kinds, types, "types"));
    x = mw_draft_positions(net, x, "positions", "seq");
    x = mw_draft_layer_norm(net, x, "ln", "d_model");
    mw_draft_leave(net, outer);
    return x;
}

// The first row, through a dense layer.
static mw_id pool(mw_draft *net, mw_id x)
{
    mw_dense pooler = {.name = "pooler",
                       .weight = "d_model.in d_model",
                       .bias = "d_model",
                       .out = "batch d_model"};
    mw_id first = mw_draft_slice(net, x, "seq", "", 0);
    first = mw_draft_rename(net, first, "batch d_model.in");
    mw_draft_as(net, "pooled");
    return mw_draft_map1(net, "tanh", mw_draft_dense(net, first, &pooler));
}

static mw_id masked_words(mw_draft *net, mw_id x, mw_id table)
{
    mw_dense transform = {.name = "transform",
                          .weight = "d_model.in d_model",
                          .bias = "d_model",
                          .out = "batch seq d_model"};
    x = mw_draft_rename(net, x, "batch seq d_model.in");
    x = mw_draft_gelu(net, mw_draft_dense(net, x, &transform));
    x = mw_draft_layer_norm(net, x, "ln_head", "d_model");
    mw_id bias = mw_draft_param(net, "head.bias", "vocab", mw_draft_fill(0));
    mw_id logits = mw_draft_einsum(net, x, table, "batch seq vocab");
    mw_draft_as(net, "logits");
    return mw_draft_map2(net, "add", logits, bias);
}

static void heads(mw_draft *net, mw_id x, mw_id table)
{
    static const mw_dense next = {.name = "next",
                                  .weight = "d_model classes",
                                  .bias = "classes",
                                  .out = "batch classes"};
    int64_t head = mw_draft_key(net, "head");
    if (head == HEAD_NONE || head == HEAD_POOLER)
        mw_draft_output(net, x);
    if (head == HEAD_POOLER)
        mw_draft_output(net, pool(net, x));
    if (head == HEAD_PRETRAINING) {
        mw_draft_dim(net, "classes", 2);
        mw_draft_output(net, mw_draft_dense(net, pool(net, x), &next));
    }
    if (head == HEAD_MLM || head == HEAD_PRETRAINING)
        mw_draft_results(net, masked_words(net, x, table), "batch seq",
                         "vocab");
    else if (mw_draft_key(net, "loss"))
        mw_draft_refuse(net, "loss needs logits: head is none or pooler, "
                             "wanted mlm or pretraining");
}

static void build(mw_draft *net)
{
    static const char *const dims[] = {"batch",   "seq",   "vocab",
                                       "d_model", "heads", "d_head",
                                       "d_ff",    "types", NULL};
    mw_draft_dim_keys(net, dims);
    mw_draft_dim_of(net, "seq.k", mw_draft_key(net, "seq"), "seq", "alias");
    mw_draft_dim_of(net, "d_model.in", mw_draft_key(net, "d_model"), "d_model",
                    "alias");
    net->epsilon = 1e-12;
    mw_id table = mw_draft_param(net, "embeddings.words.weight",
                                 "vocab d_model", mw_draft_normal(0.02));
    mw_id x = embed(net, table);
    mw_id mask = mw_draft_input(net, "mask", MW_I64, "batch seq");
    mask = mw_draft_rename(net, mask, "batch seq.k");
    mw_stack stack = {.layers = mw_draft_key(net, "layers"),
                      .rows = "batch seq",
                      .keys = "batch seq.k",
                      .memory = MW_NONE,
                      .norm = mw_draft_layer_norm,
                      .activation = mw_draft_gelu,
                      .mask = mw_draft_by(net, "greater", mask, 0),
                      .biases = true,
                      .norm_after = true};
    heads(net, mw_draft_stack(net, x, &stack), table);
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("12"),
    MW_KEY_SIZE("d_model", "768", "width of the model"),
    MW_KEY_SIZE("heads", "12", "attention heads"),
    MW_KEY_SIZE("d_head", "d_model/heads", "width of a head"),
    MW_KEY_SIZE("d_ff", "4*d_model", "width of the feed-forward layers"),
    MW_KEY_SIZE("vocab", "30522", "tokens known"),
    MW_KEY_SIZE("types", "2", "kinds of tokens"),
    MW_KEY_SIZE("seq", "512", "tokens of a text"),
    MW_KEY_SIZE("positions", "seq", "rows of the table of positions"),
    MW_KEY_SIZE("batch", "8", "texts at once"),
    {"head", "mlm", 0, 0, "none|pooler|mlm|pretraining", false,
     "what follows the last block"},
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define BERT "Devlin et al. 2019; the checkpoint of huggingface.co/google-bert/"
#define BASE "layers=12 d_model=768 heads=12 positions=512 "
#define LARGE "layers=24 d_model=1024 heads=16 positions=512 "

static const mw_model_preset presets[] = {
    {"bert-base", BASE "head=pooler", 109482240, NULL,
     BERT "bert-base-uncased, its encoder"},
    {"bert-large", LARGE "head=pooler", 335141888, NULL,
     BERT "bert-large-uncased, its encoder"},
    {"bert-base-pretraining", BASE "head=pretraining", 110106428, NULL,
     BERT "bert-base-uncased, with its heads"},
    {"bert-large-pretraining", LARGE "head=pretraining", 336226108, NULL,
     BERT "bert-large-uncased, with its heads"},
    {0},
};

const mw_model_def mw_model_bert = {
    .name = "bert",
    .brief = "bidirectional encoder (BERT)",
    .keys = keys,
    .presets = presets,
    .build = build,
};
