/* maps.c - operations on elements one by one. */
#include <math.h>
#include <string.h>

#include "ir/import/stablehlo_call.h"

/* The op for numbers, then that for truth values if it is another: "add or". */
static const char *chosen(const char *arg, bool truth, char name[32])
{
    const char *space = strchr(arg, ' ');
    size_t length = space ? (size_t)(space - arg) : strlen(arg);
    if (space && truth)
        return space + 1;
    memcpy(name, arg, length);
    name[length] = '\0';
    return name;
}

static mw_status simple(mw_hlo_call *call)
{
    char name[32];
    bool truth = mw_emit_dtype(&call->emit, call->in[0].id) == MW_BOOL;
    const char *def = chosen(call->rule->arg, truth, name);
    return mw_hlo_set_value(call, 0,
                            mw_hlo_map(call, def, call->in, call->n_in));
}

/* 1 / sqrt(x) */
static mw_id rsqrt(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    return mw_emit1(e, "reciprocal", mw_emit1(e, "sqrt", in[0]));
}

/* sign(x) |x|^(1/3) */
static mw_id cbrt_of(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    mw_id root = mw_emit_by(e, "pow", mw_emit1(e, "abs", in[0]), 1.0 / 3.0);
    return mw_emit2(e, "mul", root, mw_emit1(e, "sign", in[0]));
}

/* log(1 + x) without losing a small x: u = 1 + x is rounded, and log(u) x /
 * (u - 1) takes the rounding back; x where u is 1; log(u) where u is infinite
 * or not positive. */
static mw_id log_plus_one(mw_onnx_call *e, const mw_id in[], int n,
                          const char *arg)
{
    (void)n;
    (void)arg;
    mw_id x = in[0], u = mw_emit_by(e, "add", x, 1.0);
    mw_id less = mw_emit_by(e, "sub", u, 1.0);
    mw_id log_u = mw_emit1(e, "log", u);
    mw_id y = mw_emit2(e, "mul", log_u, mw_emit2(e, "div", x, less));
    mw_id small = mw_emit_by(e, "equal", u, 1.0);
    mw_id large = mw_emit_by(e, "greater", u, 1e30);
    return mw_emit_where(e, small, x, mw_emit_where(e, large, log_u, y));
}

/* exp(x) - 1: u = exp(x), (u - 1) x / log(u); x where u is 1, u - 1 where that
 * is exact enough. */
static mw_id exp_minus_one(mw_onnx_call *e, const mw_id in[], int n,
                           const char *arg)
{
    (void)n;
    (void)arg;
    mw_id x = in[0], u = mw_emit1(e, "exp", x);
    mw_id less = mw_emit_by(e, "sub", u, 1.0);
    mw_id y =
        mw_emit2(e, "mul", less, mw_emit2(e, "div", x, mw_emit1(e, "log", u)));
    mw_id small = mw_emit_by(e, "equal", u, 1.0);
    mw_id near = mw_emit_by(e, "less", mw_emit1(e, "abs", x), 0.5);
    return mw_emit_where(e, small, x, mw_emit_where(e, near, y, less));
}

static mw_id tangent(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    return mw_emit2(e, "div", mw_emit1(e, "sin", in[0]),
                    mw_emit1(e, "cos", in[0]));
}

/* Ties away from zero. */
static mw_id round_away(mw_onnx_call *e, const mw_id in[], int n,
                        const char *arg)
{
    (void)n;
    (void)arg;
    mw_id size = mw_emit1(e, "abs", in[0]);
    mw_id down = mw_emit1(e, "floor", size);
    mw_id up =
        mw_emit_by(e, "greater_equal", mw_emit2(e, "sub", size, down), 0.5);
    mw_id whole = mw_emit_where(e, up, mw_emit_by(e, "add", down, 1.0), down);
    return mw_emit2(e, "mul", whole, mw_emit1(e, "sign", in[0]));
}

static mw_id is_finite(mw_onnx_call *e, const mw_id in[], int n,
                       const char *arg)
{
    (void)n;
    (void)arg;
    return mw_emit_by(e, "less", mw_emit1(e, "abs", in[0]), (double)INFINITY);
}

/* The sign is the dividend's. */
static mw_id rest(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    mw_dtype dtype = mw_emit_dtype(e, in[0]);
    bool has_sign = mw_dtype_is_float(dtype) || dtype == MW_I8 ||
                    dtype == MW_I16 || dtype == MW_I32 || dtype == MW_I64;
    if (!has_sign)
        return mw_emit2(e, "mod", in[0], in[1]);
    mw_id size = mw_emit2(e, "mod", mw_emit1(e, "abs", in[0]),
                          mw_emit1(e, "abs", in[1]));
    return mw_emit2(e, "mul", size, mw_emit1(e, "sign", in[0]));
}

static mw_id power(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    const mw_tensor *by = mw_emit_tensor(e, in[1]);
    bool uniform = false;
    uint64_t bits = 0;
    if (by->role == MW_ROLE_CONST &&
        mw_fold_uniform(e->graph, in[1], &uniform, &bits) != MW_OK)
        return MW_NONE;
    double exponent =
        uniform ? mw_fold_number(mw_emit_dtype(e, in[1]), &bits) : 0.0;
    return exponent == 2.0 ? mw_emit2(e, "mul", in[0], in[0])
                           : mw_emit2(e, "pow", in[0], in[1]);
}

static mw_id square(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    return mw_emit2(e, "mul", in[0], in[0]);
}

static mw_id clamped(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    return mw_emit2(e, "min", mw_emit2(e, "max", in[1], in[0]), in[2]);
}

static mw_id erfc_of(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    return mw_emit2(e, "sub", mw_emit_like(e, in[0], 1.0),
                    mw_emit1(e, "erf", in[0]));
}

/* sinh, cosh: (e^x -+ e^-x) / 2 */
static mw_id hyperbolic(mw_onnx_call *e, const mw_id in[], int n,
                        const char *arg)
{
    (void)n;
    mw_id down = mw_emit1(e, "exp", mw_emit1(e, "neg", in[0]));
    mw_id both = mw_emit2(e, arg, mw_emit1(e, "exp", in[0]), down);
    return mw_emit_by(e, "mul", both, 0.5);
}

/* log((1 + x) / (1 - x)) / 2 */
static mw_id area_tangent(mw_onnx_call *e, const mw_id in[], int n,
                          const char *arg)
{
    (void)n;
    (void)arg;
    mw_id one = mw_emit_like(e, in[0], 1.0);
    mw_id ratio = mw_emit2(e, "div", mw_emit2(e, "add", one, in[0]),
                           mw_emit2(e, "sub", one, in[0]));
    return mw_emit_by(e, "mul", mw_emit1(e, "log", ratio), 0.5);
}

/* asinh x = sign x log(|x| + sqrt(x x + 1)); acosh without the signs */
static mw_id area_sine(mw_onnx_call *e, const mw_id in[], int n,
                       const char *arg)
{
    (void)n;
    bool sine = strcmp(arg, "add") == 0;
    mw_id size = sine ? mw_emit1(e, "abs", in[0]) : in[0];
    mw_id inner = mw_emit_by(e, arg, mw_emit2(e, "mul", in[0], in[0]), 1.0);
    mw_id y = mw_emit1(e, "log",
                       mw_emit2(e, "add", size, mw_emit1(e, "sqrt", inner)));
    return sine ? mw_emit2(e, "mul", y, mw_emit1(e, "sign", in[0])) : y;
}

/* atan x = atan2(x, 1); asin x = atan2(x, r) and acos x = atan2(r, x) with r =
 * sqrt(1 - x x) */
static mw_id arc(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    mw_id x = in[0], one = mw_emit_like(e, x, 1.0);
    if (strcmp(arg, "tan") == 0)
        return mw_emit2(e, "atan2", x, one);
    mw_id rest = mw_emit2(e, "mul", mw_emit2(e, "sub", one, x),
                          mw_emit2(e, "add", one, x));
    mw_id r = mw_emit1(e, "sqrt", rest);
    return strcmp(arg, "sin") == 0 ? mw_emit2(e, "atan2", x, r)
                                   : mw_emit2(e, "atan2", r, x);
}

static mw_id is_inf(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    mw_id x = arg ? mw_emit1(e, arg, in[0]) : in[0];
    return mw_emit_by(e, "equal", x, (double)INFINITY);
}

/* Polynomials of M. Giles' approximation of erf^-1 in single precision, the
 * one that XLA computes too, for w = -log(1 - x x) below 5 and above. */
static const double near_zero[] = {
    2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
    -4.39150654e-06, 0.00021858087,  -0.00125372503,
    -0.00417768164,  0.246640727,    1.50140941};
static const double in_tails[] = {
    -0.000200214257, 0.000100950558, 0.00134934322,
    -0.00367342844,  0.00573950773,  -0.0076224613,
    0.00943887047,   1.00167406,     2.83297682};

static mw_id polynomial(mw_onnx_call *e, mw_id w, const double factor[])
{
    mw_id y = mw_emit_like(e, w, factor[0]);
    for (int i = 1; i < 9; i++)
        y = mw_emit_by(e, "add", mw_emit2(e, "mul", y, w), factor[i]);
    return y;
}

static mw_id erf_inv(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    mw_id x = in[0];
    mw_id minus = mw_emit1(e, "neg", mw_emit2(e, "mul", x, x));
    mw_id w = mw_emit1(e, "neg", log_plus_one(e, &minus, n, arg));
    mw_id low = mw_emit_by(e, "less", w, 5.0);
    mw_id first = polynomial(e, mw_emit_by(e, "sub", w, 2.5), near_zero);
    mw_id second = polynomial(
        e, mw_emit_by(e, "sub", mw_emit1(e, "sqrt", w), 3.0), in_tails);
    mw_id y = mw_emit2(e, "mul", x, mw_emit_where(e, low, first, second));
    mw_id edge = mw_emit_by(e, "equal", mw_emit1(e, "abs", x), 1.0);
    return mw_emit_where(e, edge, mw_emit_by(e, "mul", x, (double)INFINITY), y);
}

/* Rules whose formula is a function above, by the operation's name. */
static const struct {
    const char *op;
    mw_hlo_make *make;
    const char *arg;
} formulas[] = {
    {"rsqrt", rsqrt, NULL},
    {"cbrt", cbrt_of, NULL},
    {"log_plus_one", log_plus_one, NULL},
    {"exponential_minus_one", exp_minus_one, NULL},
    {"tan", tangent, NULL},
    {"round_nearest_afz", round_away, NULL},
    {"is_finite", is_finite, NULL},
    {"remainder", rest, NULL},
    {"power", power, NULL},
    {"square", square, NULL},
    {"clamp", clamped, NULL},
    {"erfc", erfc_of, NULL},
    {"erf_inv", erf_inv, NULL},
    {"sinh", hyperbolic, "sub"},
    {"cosh", hyperbolic, "add"},
    {"atanh", area_tangent, NULL},
    {"asinh", area_sine, "add"},
    {"acosh", area_sine, "sub"},
    {"atan", arc, "tan"},
    {"asin", arc, "sin"},
    {"acos", arc, "cos"},
    {"is_inf", is_inf, "abs"},
    {"is_pos_inf", is_inf, NULL},
    {"is_neg_inf", is_inf, "neg"},
};

static mw_status formula(mw_hlo_call *call)
{
    const char *name = strrchr(call->op->name, '.') + 1;
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        if (strcmp(formulas[i].op, name) == 0)
            return mw_hlo_set_value(call, 0,
                                    mw_hlo_apply(call, formulas[i].make,
                                                 call->in, call->n_in,
                                                 formulas[i].arg));
    return mw_hlo_refuse(call, "it has no formula");
}

#define SIMPLE(name, n, def)                                                   \
    {                                                                          \
        .op = name, .min_in = n, .max_in = n, .build = simple, .arg = def      \
    }
#define FORMULA(name, n)                                                       \
    {                                                                          \
        .op = name, .min_in = n, .max_in = n, .build = formula                 \
    }

static const mw_hlo_rule rules[] = {
    SIMPLE("stablehlo.abs", 1, "abs"),
    SIMPLE("stablehlo.ceil", 1, "ceil"),
    SIMPLE("stablehlo.cosine", 1, "cos"),
    SIMPLE("stablehlo.exponential", 1, "exp"),
    SIMPLE("stablehlo.floor", 1, "floor"),
    SIMPLE("stablehlo.log", 1, "log"),
    SIMPLE("stablehlo.logistic", 1, "sigmoid"),
    SIMPLE("stablehlo.negate", 1, "neg"),
    SIMPLE("stablehlo.round_nearest_even", 1, "round"),
    SIMPLE("stablehlo.sign", 1, "sign"),
    SIMPLE("stablehlo.sine", 1, "sin"),
    SIMPLE("stablehlo.sqrt", 1, "sqrt"),
    SIMPLE("stablehlo.tanh", 1, "tanh"),
    SIMPLE("stablehlo.add", 2, "add or"),
    SIMPLE("stablehlo.atan2", 2, "atan2"),
    SIMPLE("stablehlo.divide", 2, "div"),
    SIMPLE("stablehlo.maximum", 2, "max or"),
    SIMPLE("stablehlo.minimum", 2, "min and"),
    SIMPLE("stablehlo.multiply", 2, "mul and"),
    SIMPLE("stablehlo.subtract", 2, "sub"),
    SIMPLE("stablehlo.select", 3, "where"),
    SIMPLE("chlo.erf", 1, "erf"),
    FORMULA("stablehlo.cbrt", 1),
    FORMULA("stablehlo.clamp", 3),
    FORMULA("stablehlo.exponential_minus_one", 1),
    FORMULA("stablehlo.is_finite", 1),
    FORMULA("stablehlo.log_plus_one", 1),
    FORMULA("stablehlo.power", 2),
    FORMULA("stablehlo.remainder", 2),
    FORMULA("stablehlo.round_nearest_afz", 1),
    FORMULA("stablehlo.rsqrt", 1),
    FORMULA("stablehlo.tan", 1),
    FORMULA("chlo.acos", 1),
    FORMULA("chlo.acosh", 1),
    FORMULA("chlo.asin", 1),
    FORMULA("chlo.asinh", 1),
    FORMULA("chlo.atan", 1),
    FORMULA("chlo.atanh", 1),
    FORMULA("chlo.cosh", 1),
    FORMULA("chlo.erf_inv", 1),
    FORMULA("chlo.erfc", 1),
    FORMULA("chlo.is_inf", 1),
    FORMULA("chlo.is_neg_inf", 1),
    FORMULA("chlo.is_pos_inf", 1),
    FORMULA("chlo.sinh", 1),
    FORMULA("chlo.square", 1),
    FORMULA("chlo.tan", 1),
    {0},
};

const mw_hlo_def mw_hlo_maps = {.brief = "elements one by one", .rules = rules};
