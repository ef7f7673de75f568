/* activations.c - functions between layers, written in maps. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ir/import/emit.h"
#include "ir/import/product.h"

static mw_id add(mw_onnx_call *call, mw_id x, double number)
{
    return mw_emit_by(call, "add", x, number);
}

static mw_id mul(mw_onnx_call *call, mw_id x, double number)
{
    return mw_emit_by(call, "mul", x, number);
}

/* x (1 + erf(x / sqrt 2)) / 2 */
static mw_id gelu_erf(mw_onnx_call *call, mw_id x)
{
    mw_id e = mw_emit1(call, "erf", mul(call, x, sqrt(0.5)));
    return mul(call, mw_emit2(call, "mul", x, add(call, e, 1.0)), 0.5);
}

/* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 */
static mw_id gelu_tanh(mw_onnx_call *call, mw_id x)
{
    const double two_by_pi = 0.636619772367581343;
    mw_id square = mw_emit2(call, "mul", x, x);
    mw_id cubic =
        mw_emit2(call, "mul", x, add(call, mul(call, square, 0.044715), 1.0));
    mw_id t = mw_emit1(call, "tanh", mul(call, cubic, sqrt(two_by_pi)));
    return mul(call, mw_emit2(call, "mul", x, add(call, t, 1.0)), 0.5);
}

static mw_status gelu(mw_onnx_call *call)
{
    const char *form = mw_onnx_text(call, "approximate", "none");
    bool tanh = strcmp(form, "tanh") == 0;
    if (!tanh && strcmp(form, "none") != 0)
        return mw_onnx_refuse(call, "approximate is '%s', wanted none or tanh",
                              form);
    mw_id x = call->in[0];
    return mw_emit_set(call, 0, tanh ? gelu_tanh(call, x) : gelu_erf(call, x));
}

/* With a bias: arg says which form. */
static mw_status bias_gelu(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    if (mw_onnx_has(call, 1))
        x = mw_emit2(call, "add", x, call->in[1]);
    bool tanh = strcmp(call->rule->arg, "tanh") == 0;
    return mw_emit_set(call, 0, tanh ? gelu_tanh(call, x) : gelu_erf(call, x));
}

/* x sigmoid(alpha x) */
static mw_status swish(mw_onnx_call *call)
{
    bool quick = strcmp(call->rule->arg, "quick") == 0;
    double alpha = mw_onnx_float(call, "alpha", quick ? 1.702 : 1.0);
    mw_id x = call->in[0];
    mw_id inner = alpha == 1.0 ? x : mul(call, x, alpha);
    return mw_emit_set(
        call, 0, mw_emit2(call, "mul", x, mw_emit1(call, "sigmoid", inner)));
}

static mw_id min_zero(mw_onnx_call *call, mw_id x)
{
    return mw_emit_by(call, "min", x, 0.0);
}

/* gamma (max(x, 0) + alpha (exp(min(x / beta, 0)) - 1)) */
static mw_id elu(mw_onnx_call *call, mw_id x, double alpha, double beta)
{
    mw_id scaled = beta == 1.0 ? x : mul(call, x, 1.0 / beta);
    mw_id e = add(call, mw_emit1(call, "exp", min_zero(call, scaled)), -1.0);
    mw_id low = alpha == 1.0 ? e : mul(call, e, alpha);
    return mw_emit2(call, "add", mw_emit1(call, "relu", x), low);
}

static mw_status elu_rule(mw_onnx_call *call)
{
    double alpha = mw_onnx_float(call, "alpha", 1.0);
    bool smooth = strcmp(call->rule->arg, "celu") == 0;
    return mw_emit_set(call, 0,
                       elu(call, call->in[0], alpha, smooth ? alpha : 1.0));
}

#define SELU_ALPHA 1.67326319217681884765625
#define SELU_GAMMA 1.05070102214813232421875

static mw_status selu(mw_onnx_call *call)
{
    double alpha = mw_onnx_float(call, "alpha", SELU_ALPHA);
    double gamma = mw_onnx_float(call, "gamma", SELU_GAMMA);
    mw_id y = elu(call, call->in[0], alpha, 1.0);
    return mw_emit_set(call, 0, mul(call, y, gamma));
}

/* max(x, 0) + alpha min(x, 0) */
static mw_id leaky(mw_onnx_call *call, mw_id x, double alpha)
{
    mw_id low = mul(call, min_zero(call, x), alpha);
    return mw_emit2(call, "add", mw_emit1(call, "relu", x), low);
}

static mw_status leaky_relu(mw_onnx_call *call)
{
    double alpha = mw_onnx_float(call, "alpha", 0.01);
    return mw_emit_set(call, 0, leaky(call, call->in[0], alpha));
}

static mw_status p_relu(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    mw_id low = mw_emit2(call, "mul", x, call->in[1]);
    mw_id below = mw_emit_by(call, "less", x, 0.0);
    return mw_emit_set(call, 0, mw_emit_where(call, below, low, x));
}

static mw_id thresholded(mw_onnx_call *call, mw_id x, double alpha)
{
    mw_id above = mw_emit_by(call, "greater", x, alpha);
    return mw_emit_where(call, above, x, mw_emit_like(call, x, 0.0));
}

static mw_status thresholded_relu(mw_onnx_call *call)
{
    double alpha = mw_onnx_float(call, "alpha", 1.0);
    return mw_emit_set(call, 0, thresholded(call, call->in[0], alpha));
}

/* max(0, min(1, alpha x + beta)) */
static mw_id hard(mw_onnx_call *call, mw_id x, double alpha, double beta)
{
    mw_id line = add(call, mul(call, x, alpha), beta);
    mw_id low = mw_emit_by(call, "max", line, 0.0);
    return mw_emit_by(call, "min", low, 1.0);
}

static mw_status hard_sigmoid(mw_onnx_call *call)
{
    double alpha = (double)0.2F;
    return mw_emit_set(call, 0,
                       hard(call, call->in[0],
                            mw_onnx_float(call, "alpha", alpha),
                            mw_onnx_float(call, "beta", 0.5)));
}

static mw_status hard_swish(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    return mw_emit_set(call, 0,
                       mw_emit2(call, "mul", x, hard(call, x, 1.0 / 6.0, 0.5)));
}

/* log(1 + e^x) = max(x, 0) + log(1 + e^-|x|) */
static mw_id softplus(mw_onnx_call *call, mw_id x)
{
    mw_id down = mw_emit1(call, "neg", mw_emit1(call, "abs", x));
    mw_id rest =
        mw_emit1(call, "log", add(call, mw_emit1(call, "exp", down), 1.0));
    return mw_emit2(call, "add", mw_emit1(call, "relu", x), rest);
}

static mw_status softplus_rule(mw_onnx_call *call)
{
    return mw_emit_set(call, 0, softplus(call, call->in[0]));
}

static mw_status mish(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    mw_id t = mw_emit1(call, "tanh", softplus(call, x));
    return mw_emit_set(call, 0, mw_emit2(call, "mul", x, t));
}

static mw_id softsign(mw_onnx_call *call, mw_id x)
{
    mw_id size = add(call, mw_emit1(call, "abs", x), 1.0);
    return mw_emit2(call, "div", x, size);
}

static mw_status softsign_rule(mw_onnx_call *call)
{
    return mw_emit_set(call, 0, softsign(call, call->in[0]));
}

/* x + bias below -lambd, x - bias above lambd, else 0 */
static mw_status shrink(mw_onnx_call *call)
{
    double lambd = mw_onnx_float(call, "lambd", 0.5);
    double bias = mw_onnx_float(call, "bias", 0.0);
    mw_id x = call->in[0], zero = mw_emit_like(call, x, 0.0);
    mw_id high = mw_emit_where(call, mw_emit_by(call, "greater", x, lambd),
                               add(call, x, -bias), zero);
    mw_id low = mw_emit_by(call, "less", x, -lambd);
    return mw_emit_set(call, 0,
                       mw_emit_where(call, low, add(call, x, bias), high));
}

/* ---- by name, for operators that end with one ---- */

static mw_id apply_elu(mw_onnx_call *call, mw_id x, const double p[])
{
    return elu(call, x, p[0], 1.0);
}

static mw_id apply_celu(mw_onnx_call *call, mw_id x, const double p[])
{
    return elu(call, x, p[0], p[0]);
}

static mw_id apply_selu(mw_onnx_call *call, mw_id x, const double p[])
{
    return mul(call, elu(call, x, p[0], 1.0), p[1]);
}

static mw_id apply_leaky(mw_onnx_call *call, mw_id x, const double p[])
{
    return leaky(call, x, p[0]);
}

static mw_id apply_threshold(mw_onnx_call *call, mw_id x, const double p[])
{
    return thresholded(call, x, p[0]);
}

static mw_id apply_hard(mw_onnx_call *call, mw_id x, const double p[])
{
    return hard(call, x, p[0], p[1]);
}

static mw_id apply_clip(mw_onnx_call *call, mw_id x, const double p[])
{
    return mw_emit_by(call, "min", mw_emit_by(call, "max", x, p[0]), p[1]);
}

static mw_id apply_softplus(mw_onnx_call *call, mw_id x, const double p[])
{
    (void)p;
    return softplus(call, x);
}

static mw_id apply_softsign(mw_onnx_call *call, mw_id x, const double p[])
{
    (void)p;
    return softsign(call, x);
}

/* An op of the registry, or what is made of several. */
static const struct named {
    const char *name, *map;
    double usual[MW_ACTIVATION_NUMBERS];
    mw_id (*apply)(mw_onnx_call *call, mw_id x, const double p[]);
} named[] = {
    {"Relu", "relu", {0}, NULL},
    {"Sigmoid", "sigmoid", {0}, NULL},
    {"Tanh", "tanh", {0}, NULL},
    {"Elu", NULL, {1.0}, apply_elu},
    {"Celu", NULL, {1.0}, apply_celu},
    {"Selu", NULL, {SELU_ALPHA, SELU_GAMMA}, apply_selu},
    {"LeakyRelu", NULL, {0.01}, apply_leaky},
    {"ThresholdedRelu", NULL, {1.0}, apply_threshold},
    {"HardSigmoid", NULL, {0.2, 0.5}, apply_hard},
    {"Clip", NULL, {-(double)FLT_MAX, (double)FLT_MAX}, apply_clip},
    {"Softplus", NULL, {0}, apply_softplus},
    {"Softsign", NULL, {0}, apply_softsign},
};

mw_id mw_emit_activation(mw_onnx_call *call, const char *name, mw_id x,
                         const double given[MW_ACTIVATION_NUMBERS])
{
    double p[MW_ACTIVATION_NUMBERS];
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        const struct named *f = &named[i];
        if (strcmp(f->name, name) != 0)
            continue;
        if (f->map)
            return mw_emit1(call, f->map, x);
        for (int k = 0; k < MW_ACTIVATION_NUMBERS; k++)
            p[k] = isnan(given[k]) ? f->usual[k] : given[k];
        return f->apply(call, x, p);
    }
    (void)mw_onnx_refuse(call, "activation '%s' is not known", name);
    return MW_NONE;
}

#define MS "com.microsoft"

static const mw_onnx_rule rules[] = {
    {.op = "Celu",
     .since = 12,
     .min_in = 1,
     .max_in = 1,
     .attrs = "alpha",
     .build = elu_rule,
     .arg = "celu"},
    {.op = "Elu",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "alpha",
     .build = elu_rule,
     .arg = "elu"},
    {.op = "Gelu",
     .since = 20,
     .min_in = 1,
     .max_in = 1,
     .attrs = "approximate",
     .build = gelu},
    {.op = "HardSigmoid",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "alpha beta",
     .build = hard_sigmoid},
    {.op = "HardSwish",
     .since = 14,
     .min_in = 1,
     .max_in = 1,
     .build = hard_swish},
    {.op = "LeakyRelu",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "alpha",
     .build = leaky_relu},
    {.op = "Mish", .since = 18, .min_in = 1, .max_in = 1, .build = mish},
    {.op = "PRelu", .since = 1, .min_in = 2, .max_in = 2, .build = p_relu},
    {.op = "Selu",
     .since = 1,
     .early = 6,
     .min_in = 1,
     .max_in = 1,
     .attrs = "alpha gamma",
     .build = selu},
    {.op = "Shrink",
     .since = 9,
     .min_in = 1,
     .max_in = 1,
     .attrs = "lambd bias",
     .build = shrink},
    {.op = "Softplus",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .build = softplus_rule},
    {.op = "Softsign",
     .since = 1,
     .early = 1,
     .min_in = 1,
     .max_in = 1,
     .build = softsign_rule},
    {.op = "Swish",
     .since = 24,
     .min_in = 1,
     .max_in = 1,
     .attrs = "alpha",
     .build = swish,
     .arg = "swish"},
    {.op = "ThresholdedRelu",
     .since = 10,
     .min_in = 1,
     .max_in = 1,
     .attrs = "alpha",
     .build = thresholded_relu},
    {.op = "BiasGelu",
     .domain = MS,
     .min_in = 2,
     .max_in = 2,
     .build = bias_gelu,
     .arg = "erf"},
    {.op = "FastGelu",
     .domain = MS,
     .min_in = 1,
     .max_in = 2,
     .build = bias_gelu,
     .arg = "tanh"},
    {.op = "Gelu",
     .domain = MS,
     .min_in = 1,
     .max_in = 1,
     .build = bias_gelu,
     .arg = "erf"},
    {.op = "QuickGelu",
     .domain = MS,
     .min_in = 1,
     .max_in = 1,
     .attrs = "alpha",
     .build = swish,
     .arg = "quick"},
    {0},
};

const mw_onnx_def mw_onnx_activations = {.brief = "activation functions",
                                         .rules = rules};
