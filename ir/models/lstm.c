/* lstm.c - language model of LSTM layers. What a layer makes of its input alone
 * is one contraction over all tokens; the cell walks them. */
#include <math.h>

#include "ir/draft_layers.h"
#include "ir/model.h"

enum { IN, FORGET, CELL, OUT }; /* gates, as PyTorch has them */

/* The cell: gates of x and h, then c' = f c + i g and h' = o tanh(c'). */
typedef struct lstm_cell {
    mw_draft body;
    mw_id h, c; /* after the step */
} lstm_cell;

static mw_id gate(mw_draft *net, mw_id all, int64_t i, const char *activation)
{
    mw_id one = mw_draft_slice(net, all, "gates", "", i);
    return mw_draft_map1(net, activation, one);
}

static lstm_cell cell_of(mw_draft *net)
{
    static const char *const dims[] = {"batch", "gates", "hidden", "hidden.in",
                                       NULL};
    lstm_cell cell;
    mw_draft *body = &cell.body;
    mw_draft_open_body(body, net, "lstm", dims);
    mw_id h = mw_draft_input(body, "h", net->dtype, "batch hidden");
    mw_id c = mw_draft_input(body, "c", net->dtype, "batch hidden");
    mw_id x = mw_draft_input(body, "x", net->dtype, "batch gates hidden");
    mw_id w = mw_draft_input(body, "w", net->dtype, "gates hidden hidden.in");
    h = mw_draft_rename(body, h, "batch hidden.in");
    mw_id all = mw_draft_einsum(body, h, w, "batch gates hidden");
    all = mw_draft_map2(body, "add", all, x);
    mw_id i = gate(body, all, IN, "sigmoid");
    mw_id f = gate(body, all, FORGET, "sigmoid");
    mw_id g = gate(body, all, CELL, "tanh");
    mw_id o = gate(body, all, OUT, "sigmoid");
    cell.c = mw_draft_map2(body, "add", mw_draft_map2(body, "mul", f, c),
                           mw_draft_map2(body, "mul", i, g));
    cell.h = mw_draft_map2(body, "mul", o, mw_draft_map1(body, "tanh", cell.c));
    return cell;
}

static mw_id zeros(mw_draft *net)
{
    mw_id zero = mw_draft_number(net, net->dtype, 0);
    return mw_draft_add(net, &(mw_draft_op){.def = "broadcast",
                                            .in = &zero,
                                            .n_in = 1,
                                            .dtype = net->dtype,
                                            .dims = "batch hidden"});
}

// One layer; from: the width of what goes in, as a dim.
static mw_id layer(mw_draft *net, mw_id x, const char *from, lstm_cell *cell)
{
    mw_dense in = {.name = "ih",
                   .weight = mw_draft_text(net, "(gates hidden) %s", from),
                   .bias = "(gates hidden)",
                   .out = "seq batch gates hidden"};
    double deviation = 1 / sqrt((double)mw_draft_size(net, "hidden"));
    x = mw_draft_dense(net, x, &in);
    mw_id w = mw_draft_param(net, "hh.weight", "(gates hidden) hidden.in",
                             mw_draft_normal(deviation));
    // the second bias is PyTorch's: both are added
    mw_id bias =
        mw_draft_param(net, "hh.bias", "(gates hidden)", mw_draft_fill(0));
    x = mw_draft_map2(net, "add", x, bias);
    mw_id first = zeros(net), in_all[] = {first, first, x, w}, out[3];
    mw_draft_loop loop = {.body = &cell->body,
                          .dim = "seq",
                          .in = in_all,
                          .n_in = 4,
                          .n_carries = 2,
                          .n_results = 3,
                          .result = {cell->h, cell->c, cell->h},
                          .name = {"h", "c", "all"}};
    mw_draft_scan(net, &loop, out);
    return net->status == MW_OK ? out[2] : MW_NONE;
}

static void build(mw_draft *net)
{
    static const char *const dims[] = {"batch",   "seq",    "vocab",
                                       "d_model", "hidden", NULL};
    mw_dense head = {.name = "logits",
                     .weight = "vocab hidden",
                     .bias = "vocab",
                     .out = "batch seq vocab"};
    mw_draft_dim_keys(net, dims);
    mw_draft_dim(net, "gates", 4);
    mw_draft_dim_of(net, "hidden.in", mw_draft_key(net, "hidden"), "hidden",
                    "alias");
    mw_id ids = mw_draft_input(net, "ids", MW_I64, "batch seq");
    mw_id table = mw_draft_param(net, "embedding.weight", "vocab d_model",
                                 mw_draft_normal(0.1));
    mw_id x = mw_draft_gather(net, table, ids, "vocab");
    lstm_cell cell = cell_of(net);
    for (int64_t i = 0; i < mw_draft_key(net, "layers") && net->status == MW_OK;
         i++) {
        int outer = mw_draft_enter(net, "lstm.%lld", (long long)i);
        if (i > 0)
            x = mw_draft_rename(net, x, "seq batch hidden.in");
        x = layer(net, x, i == 0 ? "d_model" : "hidden.in", &cell);
        mw_draft_leave(net, outer);
    }
    mw_draft_results(net, mw_draft_dense(net, x, &head), "batch seq", "vocab");
}

static const mw_model_key keys[] = {
    MW_KEY_LAYERS("2"),
    MW_KEY_SIZE("d_model", "650", "width of the table of tokens"),
    MW_KEY_SIZE("hidden", "d_model", "width of the cells"),
    MW_KEY_SIZE("vocab", "10000", "tokens known"),
    MW_KEY_SIZE("seq", "35", "tokens of a text"),
    MW_KEY_SIZE("batch", "20", "texts at once"),
    MW_KEY_LOSS,
    MW_KEY_DTYPE,
    {0},
};

#define LSTM                                                                   \
    "Zaremba et al. 2014; parameters as in Gal and Ghahramani 2016, table 1"

static const mw_model_preset presets[] = {
    {"lstm-medium", "layers=2 d_model=650", 0, "20M", LSTM},
    {"lstm-large", "layers=2 d_model=1500", 0, "66M", LSTM},
    {0},
};

const mw_model_def mw_model_lstm = {
    .name = "lstm",
    .brief = "recurrent language model (LSTM)",
    .keys = keys,
    .presets = presets,
    .build = build,
};
