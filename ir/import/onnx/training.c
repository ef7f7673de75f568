/* training.c - the update rules of ai.onnx.preview.training: a rate, the number
 * of the step, then as many tensors of each kind as there are weights. */
#include <string.h>

#include "ir/import/emit.h"

enum { MAX_STATES = 4 };

/* One weight of a node: x, its gradient, and what is kept. */
typedef struct weight {
    mw_onnx_call *call;
    mw_id rate, step;
    mw_id in[MAX_STATES];  /* x, gradient, states */
    mw_id out[MAX_STATES]; /* x, states */
} weight;

static mw_id sum2(mw_onnx_call *call, mw_id a, mw_id b)
{
    return mw_emit2(call, "add", a, b);
}

static mw_id product(mw_onnx_call *call, mw_id a, mw_id b)
{
    return mw_emit2(call, "mul", a, b);
}

static mw_id times(mw_onnx_call *call, mw_id x, double by)
{
    return mw_emit_by(call, "mul", x, by);
}

/* The gradient of a norm's square besides. */
static mw_id regular(weight *w)
{
    double by = mw_onnx_float(w->call, "norm_coefficient", 0.0);
    return by == 0.0 ? w->in[1]
                     : sum2(w->call, times(w->call, w->in[0], by), w->in[1]);
}

static mw_id root_of(weight *w, mw_id x)
{
    double epsilon = mw_onnx_float(w->call, "epsilon", (double)1e-6F);
    return mw_emit_by(w->call, "add", mw_emit1(w->call, "sqrt", x), epsilon);
}

static void step_back(weight *w, mw_id rate, mw_id direction)
{
    w->out[0] =
        mw_emit2(w->call, "sub", w->in[0], product(w->call, rate, direction));
}

static void adagrad(weight *w)
{
    mw_onnx_call *call = w->call;
    double decay = mw_onnx_float(call, "decay_factor", 0.0);
    mw_id step = mw_emit_cast(call, w->step, mw_emit_dtype(call, w->rate));
    mw_id slower = mw_emit_by(call, "add", times(call, step, decay), 1.0);
    mw_id rate = mw_emit2(call, "div", w->rate, slower);
    mw_id g = regular(w);
    w->out[1] = sum2(call, w->in[2], product(call, g, g));
    step_back(w, rate, mw_emit2(call, "div", g, root_of(w, w->out[1])));
}

/* 1 - base to the power of the step. */
static mw_id warmed(weight *w, double base)
{
    mw_onnx_call *call = w->call;
    mw_id step = mw_emit_cast(call, w->step, mw_emit_dtype(call, w->rate));
    mw_id power = mw_emit2(call, "pow", mw_emit_like(call, step, base), step);
    return mw_emit2(call, "sub", mw_emit_like(call, power, 1.0), power);
}

static void adam(weight *w)
{
    mw_onnx_call *call = w->call;
    double alpha = mw_onnx_float(call, "alpha", (double)0.9F);
    double beta = mw_onnx_float(call, "beta", (double)0.999F);
    double post = mw_onnx_float(call, "norm_coefficient_post", 0.0);
    mw_id g = regular(w);
    w->out[1] =
        sum2(call, times(call, w->in[2], alpha), times(call, g, 1.0 - alpha));
    w->out[2] = sum2(call, times(call, w->in[3], beta),
                     times(call, product(call, g, g), 1.0 - beta));
    mw_id better = mw_emit2(
        call, "div", mw_emit1(call, "sqrt", warmed(w, beta)), warmed(w, alpha));
    mw_id rate = mw_emit_where(call, mw_emit_by(call, "greater", w->step, 0.0),
                               product(call, w->rate, better), w->rate);
    step_back(w, rate, mw_emit2(call, "div", w->out[1], root_of(w, w->out[2])));
    w->out[0] = times(call, w->out[0], 1.0 - post);
}

static void momentum(weight *w)
{
    mw_onnx_call *call = w->call;
    double alpha = mw_onnx_float(call, "alpha", 0.0);
    double beta = mw_onnx_float(call, "beta", 0.0);
    bool nesterov =
        strcmp(mw_onnx_text(call, "mode", "standard"), "nesterov") == 0;
    mw_id g = regular(w);
    mw_id one = mw_emit_like(call, g, 1.0);
    mw_id share = mw_emit_where(call, mw_emit_by(call, "greater", w->step, 0.0),
                                mw_emit_like(call, g, beta), one);
    w->out[1] =
        sum2(call, times(call, w->in[2], alpha), product(call, share, g));
    mw_id direction =
        nesterov ? sum2(call, g, times(call, w->out[1], alpha)) : w->out[1];
    step_back(w, w->rate, direction);
}

static const struct rule_of {
    const char *op;
    int n_states; /* x, gradient, and what is kept */
    void (*update)(weight *w);
} updates[] = {
    {"Adagrad", 3, adagrad}, {"Adam", 4, adam}, {"Momentum", 3, momentum}};

static mw_status update(mw_onnx_call *call)
{
    const struct rule_of *rule = updates;
    while (strcmp(rule->op, call->node->op) != 0)
        rule++;
    int n = (call->n_in - 2) / rule->n_states;
    if ((call->n_in - 2) % rule->n_states != 0 ||
        call->n_out != n * (rule->n_states - 1))
        return mw_onnx_refuse(call, "%d inputs and %d outputs do not fit",
                              call->n_in, call->n_out);
    for (int i = 0; i < n; i++) {
        weight w = {.call = call, .rate = call->in[0], .step = call->in[1]};
        for (int k = 0; k < rule->n_states; k++)
            w.in[k] = call->in[2 + k * n + i];
        rule->update(&w);
        for (int k = 0; k < rule->n_states - 1; k++)
            MW_TRY(mw_emit_set(call, k * n + i, w.out[k]));
    }
    return call->status;
}

#define UPDATE(name, names)                                                    \
    {                                                                          \
        .op = name, .domain = "ai.onnx.preview.training", .since = 1,          \
        .min_in = 3, .max_in = -1, .build = update, .attrs = names             \
    }

static const mw_onnx_rule rules[] = {
    UPDATE("Adagrad", "decay_factor epsilon norm_coefficient"),
    UPDATE("Adam", "alpha beta epsilon norm_coefficient norm_coefficient_post"),
    UPDATE("Momentum", "alpha beta mode norm_coefficient"),
    {0},
};

const mw_onnx_def mw_onnx_training = {.brief = "updates of weights",
                                      .rules = rules};
