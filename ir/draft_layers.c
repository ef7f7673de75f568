/* draft_layers.c - dense layers, norms, activations, attention and losses. */
#include "ir/draft_layers.h"

#include <math.h>
#include <string.h>

#include "ir/rule.h"

// Elements of the weight's dims that the result lacks: what is summed.
static double fan_in(mw_draft *net, mw_id weight, const char *out)
{
    double total = 1;
    if (net->status != MW_OK)
        return total;
    const mw_tensor *tensor = &net->graph->tensor[weight];
    const char *padded = mw_draft_text(net, " %s ", out);
    for (int a = 0; a < tensor->rank; a++) {
        mw_id dim = tensor->axis[a].dim;
        if (dim == MW_NONE)
            continue;
        const char *name =
            mw_draft_text(net, " %s ", net->graph->dim[dim].name);
        if (!strstr(padded, name))
            total *= (double)tensor->axis[a].size;
    }
    return total;
}

mw_id mw_draft_dense(mw_draft *net, mw_id x, const mw_dense *dense)
{
    double gain = dense->gain > 0 ? dense->gain : 1;
    const char *name = mw_draft_text(net, "%s.weight", dense->name);
    mw_id w = mw_draft_param(net, name, dense->weight, mw_draft_normal(1));
    if (net->status == MW_OK)
        net->graph->tensor[w].data =
            mw_draft_normal(gain / sqrt(fan_in(net, w, dense->out)));
    if (!dense->bias) {
        mw_draft_as(net, dense->name);
        return mw_draft_einsum(net, x, w, dense->out);
    }
    mw_id y = mw_draft_einsum(net, x, w, dense->out);
    mw_id b = mw_draft_param(net, mw_draft_text(net, "%s.bias", dense->name),
                             dense->bias, mw_draft_fill(0));
    mw_draft_as(net, dense->name);
    return mw_draft_add(net, &(mw_draft_op){.def = "add",
                                            .in = (mw_id[]){y, b},
                                            .n_in = 2,
                                            .dtype = mw_draft_dtype(net, y),
                                            .dims = dense->out});
}

// The state that all dropouts of a model read.
static mw_id dropout_step(mw_draft *net)
{
    mw_tensor step = {.name = "dropout/step",
                      .dtype = MW_I64,
                      .role = MW_ROLE_STATE,
                      .data = {.kind = MW_DATA_FILL}};
    mw_id id = mw_graph_find_tensor(net->graph, step.name);
    if (id == MW_NONE && net->status == MW_OK)
        net->status = mw_graph_tensor(net->graph, &step, &id);
    return id;
}

// The number of the next op of random numbers.
static int64_t next_stream(const mw_graph *graph)
{
    int64_t n = 0;
    for (int k = 0; k < graph->n_ops; k++)
        n += strcmp(graph->op[k].def->family, "random") == 0;
    return n;
}

// A tensor of that name from the model's root, made once.
static mw_id once(mw_draft *net, const char *name,
                  mw_id (*make)(mw_draft *net, double share), double share)
{
    char path[MW_DRAFT_PATH_MAX];
    mw_id id = mw_graph_find_tensor(net->graph, name);
    if (id != MW_NONE || net->status != MW_OK)
        return id;
    memcpy(path, net->path, sizeof path);
    net->path[0] = '\0';
    mw_draft_as(net, name);
    id = make(net, share);
    memcpy(net->path, path, sizeof path);
    return id;
}

// Nothing is dropped: the step is negative (ir/random.h).
static mw_id make_off(mw_draft *net, double share)
{
    (void)share;
    return mw_draft_by(net, "less", dropout_step(net), 0);
}

static mw_id dropout_off(mw_draft *net)
{
    return once(net, "dropout/off", make_off, 0);
}

// What is kept grows by this.
static mw_id make_scale(mw_draft *net, double share)
{
    return mw_draft_where(net, dropout_off(net),
                          mw_draft_number(net, net->dtype, 1),
                          mw_draft_number(net, net->dtype, 1 / (1 - share)));
}

mw_id mw_draft_dropout(mw_draft *net, mw_id x, double share)
{
    if (!(share > 0) || net->status != MW_OK)
        return x;
    mw_id step = dropout_step(net);
    int64_t stream = next_stream(net->graph);
    mw_dtype dtype = mw_draft_dtype(net, x);
    const mw_attr attr[] = {
        {.name = "p", .kind = MW_ATTR_FLOAT, .f = 1 - share},
        {.name = "stream", .kind = MW_ATTR_INT, .n = 1, .i = &stream}};
    mw_id kept =
        mw_draft_add(net, &(mw_draft_op){.def = "random_bernoulli",
                                         .in = &step,
                                         .n_in = 1,
                                         .attr = attr,
                                         .n_attr = 2,
                                         .dtype = MW_BOOL,
                                         .dims = mw_draft_dims(net, x)});
    mw_id off = dropout_off(net); // before it is asked for under a name
    const char *name = mw_draft_text(net, "dropout/scale_%g", share);
    mw_id scale = once(net, name, make_scale, share);
    if (dtype != net->dtype)
        scale = mw_draft_cast(net, scale, dtype);
    return mw_draft_where(net, mw_draft_map2(net, "or", kept, off),
                          mw_draft_map2(net, "mul", x, scale),
                          mw_draft_number(net, dtype, 0));
}

mw_id mw_draft_softmax(mw_draft *net, mw_id x, const char *dim)
{
    mw_id most = mw_draft_reduce(net, "reduce_max", x, dim);
    mw_id e = mw_draft_map1(net, "exp", mw_draft_map2(net, "sub", x, most));
    mw_id sum = mw_draft_reduce(net, "reduce_sum", e, dim);
    return mw_draft_map2(net, "div", e, sum);
}

// x / sqrt(variance + epsilon).
static mw_id by_deviation(mw_draft *net, mw_id x, mw_id variance)
{
    mw_id deviation = mw_draft_map1(
        net, "sqrt", mw_draft_by(net, "add", variance, net->epsilon));
    return mw_draft_map2(net, "mul", x,
                         mw_draft_map1(net, "reciprocal", deviation));
}

// As it is in use, when mean and variance are known.
static mw_id by_stored(mw_draft *net, mw_id x, const mw_norm_layer *norm)
{
    mw_id mean = mw_draft_const(net, "running_mean", norm->stored, 0);
    mw_id variance = mw_draft_const(net, "running_var", norm->stored, 1);
    return by_deviation(net, mw_draft_map2(net, "sub", x, mean), variance);
}

static mw_id by_own(mw_draft *net, mw_id x, const mw_norm_layer *norm)
{
    if (!norm->from_zero)
        x = mw_draft_map2(net, "sub", x, mw_draft_mean(net, x, norm->over));
    mw_id square = mw_draft_map2(net, "mul", x, x);
    return by_deviation(net, x, mw_draft_mean(net, square, norm->over));
}

mw_id mw_draft_norm(mw_draft *net, mw_id x, const mw_norm_layer *norm)
{
    int outer = mw_draft_enter(net, "%s", norm->name);
    x = norm->stored ? by_stored(net, x, norm) : by_own(net, x, norm);
    if (norm->weight)
        x = mw_draft_map2(net, "mul", x,
                          mw_draft_param(net, "weight", norm->weight,
                                         mw_draft_fill(norm->quiet ? 0 : 1)));
    if (norm->bias)
        x = mw_draft_map2(
            net, "add", x,
            mw_draft_param(net, "bias", norm->weight, mw_draft_fill(0)));
    mw_draft_leave(net, outer);
    return x;
}

mw_id mw_draft_layer_norm(mw_draft *net, mw_id x, const char *name,
                          const char *dim)
{
    mw_norm_layer norm = {
        .name = name, .weight = dim, .over = dim, .bias = true};
    return mw_draft_norm(net, x, &norm);
}

mw_id mw_draft_scale_norm(mw_draft *net, mw_id x, const char *name,
                          const char *dim)
{
    mw_norm_layer norm = {.name = name, .weight = dim, .over = dim};
    return mw_draft_norm(net, x, &norm);
}

mw_id mw_draft_rms_norm(mw_draft *net, mw_id x, const char *name,
                        const char *dim)
{
    mw_norm_layer norm = {
        .name = name, .weight = dim, .over = dim, .from_zero = true};
    return mw_draft_norm(net, x, &norm);
}

/* x (1 + erf(x / sqrt(2))) / 2 */
mw_id mw_draft_gelu(mw_draft *net, mw_id x)
{
    mw_id e = mw_draft_map1(net, "erf", mw_draft_by(net, "mul", x, sqrt(0.5)));
    mw_id y = mw_draft_map2(net, "mul", x, mw_draft_by(net, "add", e, 1));
    return mw_draft_by(net, "mul", y, 0.5);
}

/* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 */
mw_id mw_draft_gelu_tanh(mw_draft *net, mw_id x)
{
    const double two_by_pi = 0.636619772367581343;
    mw_id square = mw_draft_map2(net, "mul", x, x);
    mw_id inner =
        mw_draft_by(net, "add", mw_draft_by(net, "mul", square, 0.044715), 1);
    mw_id cubic = mw_draft_map2(net, "mul", x, inner);
    mw_id t = mw_draft_map1(net, "tanh",
                            mw_draft_by(net, "mul", cubic, sqrt(two_by_pi)));
    mw_id y = mw_draft_map2(net, "mul", x, mw_draft_by(net, "add", t, 1));
    return mw_draft_by(net, "mul", y, 0.5);
}

mw_id mw_draft_silu(mw_draft *net, mw_id x)
{
    return mw_draft_map2(net, "mul", x, mw_draft_map1(net, "sigmoid", x));
}

mw_id mw_draft_relu(mw_draft *net, mw_id x)
{
    return mw_draft_map1(net, "relu", x);
}

mw_id mw_draft_feed_forward(mw_draft *net, mw_id x, const mw_feed_forward *ff)
{
    const char *each = ff->each ? ff->each : "";
    const char *wide = mw_draft_text(net, "%s d_ff", ff->rows);
    const char *weight = mw_draft_text(net, "%s d_model d_ff", each);
    const char *bias = mw_draft_text(net, "%s d_ff", each);
    mw_dense up = {.name = "fc",
                   .weight = weight,
                   .bias = ff->biases ? bias : NULL,
                   .out = wide};
    mw_dense gate = up;
    mw_dense down = {.name = "proj",
                     .weight = mw_draft_text(net, "%s d_ff d_model", each),
                     .out = mw_draft_text(net, "%s d_model", ff->rows),
                     .gain = ff->gain};
    gate.name = "gate";
    if (ff->biases)
        down.bias = mw_draft_text(net, "%s d_model", each);
    mw_id h = mw_draft_dense(net, x, &up);
    if (ff->gated)
        h = mw_draft_map2(net, "mul", h,
                          ff->activation(net, mw_draft_dense(net, x, &gate)));
    else
        h = ff->activation(net, h);
    return mw_draft_dense(net, h, &down);
}

// Buckets of distances n >= 0: one each up to half of them, then as many for
// each doubling that the last ends at 128.
static mw_id bucket_of(mw_draft *net, mw_id n, double buckets)
{
    const double furthest = 128, exact = buckets / 2;
    mw_id x = mw_draft_cast(net, mw_draft_by(net, "max", n, 1), MW_F32);
    x = mw_draft_map1(net, "log", mw_draft_by(net, "div", x, exact));
    x = mw_draft_by(net, "mul", x, (buckets - exact) / log(furthest / exact));
    mw_id far = mw_draft_cast(net, mw_draft_by(net, "add", x, exact), MW_I64);
    far = mw_draft_by(net, "min", far, buckets - 1);
    mw_id near = mw_draft_by(net, "less", n, exact);
    return mw_draft_where(net, near, n, far);
}

mw_id mw_draft_relative(mw_draft *net, const char *queries, const char *keys,
                        bool both)
{
    double buckets = (double)mw_draft_size(net, "buckets");
    mw_id table = mw_draft_param(net, "relative.weight", "buckets heads",
                                 mw_draft_normal(0.1));
    mw_id q = mw_draft_iota(net, queries, MW_I64);
    mw_id k = mw_draft_iota(net, keys, MW_I64);
    mw_id back = mw_draft_map2(net, "sub", q, k), bucket;
    if (both) {
        mw_id zero = mw_draft_number(net, MW_I64, 0);
        mw_id half = mw_draft_number(net, MW_I64, floor(buckets / 2));
        mw_id later = mw_draft_by(net, "less", back, 0);
        bucket =
            bucket_of(net, mw_draft_map1(net, "abs", back), floor(buckets / 2));
        bucket = mw_draft_map2(net, "add", bucket,
                               mw_draft_where(net, later, half, zero));
    } else {
        bucket = bucket_of(net, mw_draft_by(net, "max", back, 0), buckets);
    }
    return mw_draft_gather(net, table, bucket, "buckets");
}

// Queries, keys or values of the rows of x.
static mw_id heads_of(mw_draft *net, mw_id x, const char *name,
                      const char *rows, const mw_attention *a, double gain)
{
    mw_dense dense = {.name = name,
                      .weight = "d_model (heads d_head)",
                      .bias = a->biases ? "(heads d_head)" : NULL,
                      .out = mw_draft_text(net, "%s heads d_head", rows),
                      .gain = gain};
    return mw_draft_dense(net, x, &dense);
}

static const char *last_word(const char *rows)
{
    const char *space = strrchr(rows, ' ');
    return space ? space + 1 : rows;
}

static mw_id scores_of(mw_draft *net, const mw_attention *a, mw_id q, mw_id k)
{
    if (a->scaled)
        q = mw_draft_by(net, "mul", q,
                        1 / sqrt((double)mw_draft_size(net, "d_head")));
    const char *dims = mw_draft_text(net, "batch heads %s %s",
                                     last_word(a->x_rows), last_word(a->rows));
    mw_draft_as(net, "scores");
    mw_id scores = mw_draft_einsum(net, q, k, dims);
    if (a->bias != MW_NONE)
        scores = mw_draft_map2(net, "add", scores, a->bias);
    if (a->mask == MW_NONE)
        return scores;
    return mw_draft_where(
        net, a->mask, scores,
        mw_draft_number(net, mw_draft_dtype(net, scores), -1e9));
}

mw_id mw_draft_attention(mw_draft *net, const mw_attention *a)
{
    bool own = a->memory == MW_NONE;
    mw_id from = own ? a->x : a->memory;
    const char *rows = own ? a->x_rows : a->rows;
    // what is not scaled begins so small
    double small = 1 / sqrt((double)mw_draft_size(net, "d_head"));
    mw_id q = heads_of(net, a->x, "q", a->x_rows, a, a->scaled ? 1 : small);
    mw_id k = heads_of(net, from, "k", rows, a, 1);
    mw_id v = heads_of(net, from, "v", rows, a, 1);
    if (own) {
        const char *dims = mw_draft_text(net, "%s heads d_head", a->rows);
        k = mw_draft_rename(net, k, dims);
        v = mw_draft_rename(net, v, dims);
    }
    mw_id p =
        mw_draft_softmax(net, scores_of(net, a, q, k), last_word(a->rows));
    p = mw_draft_dropout(net, p, a->dropout);
    mw_draft_as(net, "context");
    mw_id context = mw_draft_einsum(
        net, p, v, mw_draft_text(net, "%s heads d_head", a->x_rows));
    mw_dense out = {.name = "o",
                    .weight = "(heads d_head) d_model",
                    .bias = a->biases ? "d_model" : NULL,
                    .out = mw_draft_text(net, "%s d_model", a->x_rows),
                    .gain = a->gain};
    return mw_draft_dense(net, context, &out);
}

mw_id mw_draft_causal(mw_draft *net, const char *queries, const char *keys)
{
    mw_id q = mw_draft_iota(net, queries, MW_I64);
    return mw_draft_map2(net, "greater_equal", q,
                         mw_draft_iota(net, keys, MW_I64));
}

// log(sum(exp(x))) over the classes.
static mw_id log_sum(mw_draft *net, mw_id x, const char *classes)
{
    mw_id most = mw_draft_reduce(net, "reduce_max", x, classes);
    mw_id e = mw_draft_map1(net, "exp", mw_draft_map2(net, "sub", x, most));
    mw_id sum = mw_draft_reduce(net, "reduce_sum", e, classes);
    return mw_draft_map2(net, "add", mw_draft_map1(net, "log", sum), most);
}

// x at the class that each row's label names.
static mw_id look_up(mw_draft *net, mw_id x, mw_id labels, const char *classes)
{
    if (net->status != MW_OK)
        return MW_NONE;
    int64_t dim = mw_graph_find_dim(net->graph, classes);
    mw_attr attr = mw_attr_of_int("dim", MW_ATTR_DIM, &dim);
    mw_id in[] = {x, labels};
    return mw_draft_add(net,
                        &(mw_draft_op){.def = "gather",
                                       .in = in,
                                       .n_in = 2,
                                       .attr = &attr,
                                       .n_attr = 1,
                                       .dtype = mw_draft_dtype(net, x),
                                       .dims = mw_draft_dims(net, labels)});
}

mw_id mw_draft_cross_entropy(mw_draft *net, mw_id logits, mw_id labels,
                             const char *classes, int64_t ignored)
{
    const char *rows = mw_draft_dims(net, labels);
    mw_id zero = mw_draft_number(net, mw_draft_dtype(net, logits), 0);
    mw_id one = mw_draft_number(net, mw_draft_dtype(net, logits), 1);
    mw_id out = mw_draft_by(net, "equal", labels, (double)ignored);
    mw_id safe =
        mw_draft_where(net, out, mw_draft_number(net, MW_I64, 0), labels);
    mw_id each = mw_draft_map2(net, "sub", log_sum(net, logits, classes),
                               look_up(net, logits, safe, classes));
    mw_id sum = mw_draft_reduce(net, "reduce_sum",
                                mw_draft_where(net, out, zero, each), rows);
    mw_id n = mw_draft_reduce(net, "reduce_sum",
                              mw_draft_where(net, out, zero, one), rows);
    n = mw_draft_by(net, "max", n, 1);
    mw_draft_as(net, net->balance == MW_NONE ? "loss" : "cross_entropy");
    return mw_draft_map2(net, "div", sum, n);
}

void mw_draft_results(mw_draft *net, mw_id logits, const char *rows,
                      const char *classes)
{
    mw_draft_output(net, logits);
    if (!mw_draft_key(net, "loss"))
        return;
    mw_id labels = mw_draft_input(net, "labels", MW_I64, rows);
    mw_id loss = mw_draft_cross_entropy(net, logits, labels, classes, -100);
    if (net->balance != MW_NONE) {
        mw_id more = mw_draft_by(net, "mul", net->balance,
                                 mw_draft_real(net, "balance"));
        mw_draft_as(net, "loss");
        loss = mw_draft_map2(net, "add", loss, more);
    }
    mw_draft_output(net, loss);
}
