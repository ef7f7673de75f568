/* maps.c - operators that work on elements one by one. */
#include <math.h>
#include <string.h>

#include "ir/import/emit.h"

static mw_status unary(mw_onnx_call *call)
{
    return mw_emit_set(call, 0, mw_emit1(call, call->rule->arg, call->in[0]));
}

static mw_status binary(mw_onnx_call *call)
{
    return mw_emit_set(
        call, 0, mw_emit2(call, call->rule->arg, call->in[0], call->in[1]));
}

/* Sum, Max, Min: a chain. */
static mw_id chain(mw_onnx_call *call, const char *def)
{
    mw_id y = call->in[0];
    for (int i = 1; i < call->n_in; i++)
        y = mw_emit2(call, def, y, call->in[i]);
    return y;
}

static mw_status variadic(mw_onnx_call *call)
{
    return mw_emit_set(call, 0, chain(call, call->rule->arg));
}

static mw_status mean(mw_onnx_call *call)
{
    mw_id sum = chain(call, "add");
    return mw_emit_set(call, 0,
                       mw_emit_by(call, "div", sum, (double)call->n_in));
}

/* The one value of a constant, as powers by small constants are cheaper
 * written out. NaN when it is none. */
static double constant_of(mw_onnx_call *call, int i)
{
    const mw_tensor *tensor = mw_emit_tensor(call, call->in[i]);
    bool known = tensor->role == MW_ROLE_CONST && tensor->rank == 0;
    return known ? mw_onnx_in_number(call, i, (double)NAN) : (double)NAN;
}

static mw_status power(mw_onnx_call *call)
{
    mw_id x = call->in[0], n = call->in[1];
    mw_dtype dtype = mw_emit_dtype(call, x);
    double exponent = constant_of(call, 1);
    bool is_float = mw_dtype_is_float(dtype);
    if (exponent == 2.0)
        return mw_emit_set(call, 0, mw_emit2(call, "mul", x, x));
    if (exponent == 0.5 && is_float)
        return mw_emit_set(call, 0, mw_emit1(call, "sqrt", x));
    if (is_float || !mw_dtype_is_float(mw_emit_dtype(call, n)))
        return mw_emit_set(
            call, 0, mw_emit2(call, "pow", x, mw_emit_cast(call, n, dtype)));
    mw_id wide = mw_emit2(call, "pow", mw_emit_cast(call, x, MW_F64),
                          mw_emit_cast(call, n, MW_F64));
    return mw_emit_set(call, 0, mw_emit_cast(call, wide, dtype));
}

/* fmod: the sign is the dividend's, else the divisor's. */
static mw_status modulo(mw_onnx_call *call)
{
    mw_id x = call->in[0], y = call->in[1];
    if (mw_onnx_int(call, "fmod", 0) == 0)
        return mw_emit_set(call, 0, mw_emit2(call, "mod", x, y));
    mw_id rest = mw_emit2(call, "mod", mw_emit1(call, "abs", x),
                          mw_emit1(call, "abs", y));
    return mw_emit_set(call, 0,
                       mw_emit2(call, "mul", rest, mw_emit1(call, "sign", x)));
}

static mw_status where(mw_onnx_call *call)
{
    mw_id y = mw_emit_where(call, call->in[0], call->in[1], call->in[2]);
    return mw_emit_set(call, 0, y);
}

static mw_id bound(mw_onnx_call *call, const char *def, mw_id y, int i,
                   const char *attr)
{
    if (call->opset >= 11)
        return mw_onnx_has(call, i) ? mw_emit2(call, def, y, call->in[i]) : y;
    if (!mw_onnx_attr_find(call, attr))
        return y;
    return mw_emit_by(call, def, y, mw_onnx_float(call, attr, 0.0));
}

static mw_status clip(mw_onnx_call *call)
{
    mw_id y = bound(call, "max", call->in[0], 1, "min");
    return mw_emit_set(call, 0, bound(call, "min", y, 2, "max"));
}

static mw_status is_inf(mw_onnx_call *call)
{
    bool negative = mw_onnx_int(call, "detect_negative", 1) != 0;
    bool positive = mw_onnx_int(call, "detect_positive", 1) != 0;
    mw_id x = call->in[0];
    if (negative && positive)
        return mw_emit_set(call, 0, mw_emit1(call, "is_inf", x));
    mw_id y =
        mw_emit_by(call, "equal", x, (double)(negative ? -INFINITY : INFINITY));
    if (!negative && !positive)
        y = mw_emit2(call, "and", y, mw_emit_number(call, MW_BOOL, 0.0));
    return mw_emit_set(call, 0, y);
}

/* To floats of less than 16 bits, which are held to the largest there is and to
 * powers of two from below, and to integers of less than 8, which keep the low
 * bits. */
static mw_status cast_to(mw_onnx_call *call, mw_dtype to)
{
    mw_id x = call->in[0];
    bool small = mw_dtype_bits(to) < 8 && !mw_dtype_is_float(to);
    const char *way = mw_onnx_text(call, "round_mode", "up");
    MW_TRY(call->status);
    if (to == MW_F8E8M0 && strcmp(way, "up") != 0)
        return mw_onnx_refuse(call, "round_mode '%s' is not supported", way);
    if (small && mw_dtype_is_float(mw_emit_dtype(call, x)))
        x = mw_emit_cast(call, x, MW_I32);
    return mw_emit_set(
        call, 0,
        mw_emit_held(call, x, to, mw_onnx_int(call, "saturate", 1) != 0));
}

static mw_status cast(mw_onnx_call *call)
{
    int64_t code = mw_onnx_int(call, "to", 0);
    mw_dtype to;
    if (code < 0 || code > INT16_MAX || !mw_dtype_by_onnx((int)code, &to))
        return mw_onnx_refuse(call, "element type %lld is not supported",
                              (long long)code);
    return cast_to(call, to);
}

static mw_status cast_like(mw_onnx_call *call)
{
    return cast_to(call, mw_emit_dtype(call, call->in[1]));
}

#define UNARY(onnx, opset, def)                                                \
    {                                                                          \
        .op = onnx, .since = opset, .early = 1, .min_in = 1, .max_in = 1,      \
        .build = unary, .arg = def                                             \
    }
#define BINARY(onnx, opset, def)                                               \
    {                                                                          \
        .op = onnx, .since = opset, .min_in = 2, .max_in = 2, .build = binary, \
        .arg = def                                                             \
    }

static mw_status bit_shift(mw_onnx_call *call)
{
    const char *direction = mw_onnx_text(call, "direction", "");
    bool left = strcmp(direction, "LEFT") == 0;
    if (!left && strcmp(direction, "RIGHT") != 0)
        return mw_onnx_refuse(call, "direction is '%s', wanted LEFT or RIGHT",
                              direction);
    return mw_emit_set(call, 0,
                       mw_emit2(call, left ? "shift_left" : "shift_right",
                                call->in[0], call->in[1]));
}

static const mw_onnx_rule rules[] = {
    UNARY("Abs", 1, "abs"),
    UNARY("Acos", 7, "acos"),
    BINARY("Add", 1, "add"),
    BINARY("And", 1, "and"),
    UNARY("Acosh", 9, "acosh"),
    UNARY("Asinh", 9, "asinh"),
    UNARY("Asin", 7, "asin"),
    UNARY("Atan", 7, "atan"),
    UNARY("Atanh", 9, "atanh"),
    {.op = "BitShift",
     .since = 11,
     .min_in = 2,
     .max_in = 2,
     .build = bit_shift,
     .attrs = "direction"},
    BINARY("BitwiseAnd", 18, "bit_and"),
    UNARY("BitwiseNot", 18, "bit_not"),
    BINARY("BitwiseOr", 18, "bit_or"),
    BINARY("BitwiseXor", 18, "bit_xor"),
    {.op = "Cast",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .build = cast,
     .attrs = "to saturate round_mode"},
    {.op = "CastLike",
     .since = 15,
     .min_in = 2,
     .max_in = 2,
     .build = cast_like,
     .attrs = "saturate round_mode"},
    UNARY("Ceil", 1, "ceil"),
    {.op = "Clip",
     .since = 1,
     .min_in = 1,
     .max_in = 3,
     .build = clip,
     .attrs = "min max"},
    UNARY("Cos", 7, "cos"),
    UNARY("Cosh", 9, "cosh"),
    BINARY("Div", 1, "div"),
    BINARY("Equal", 1, "equal"),
    UNARY("Erf", 9, "erf"),
    UNARY("Exp", 1, "exp"),
    UNARY("Floor", 1, "floor"),
    BINARY("Greater", 1, "greater"),
    BINARY("GreaterOrEqual", 12, "greater_equal"),
    {.op = "IsInf",
     .since = 10,
     .min_in = 1,
     .max_in = 1,
     .build = is_inf,
     .attrs = "detect_negative detect_positive"},
    UNARY("IsNaN", 9, "is_nan"),
    BINARY("Less", 1, "less"),
    BINARY("LessOrEqual", 12, "less_equal"),
    UNARY("Log", 1, "log"),
    {.op = "Max",
     .since = 1,
     .min_in = 1,
     .max_in = -1,
     .build = variadic,
     .arg = "max"},
    {.op = "Mean", .since = 1, .min_in = 1, .max_in = -1, .build = mean},
    {.op = "Min",
     .since = 1,
     .min_in = 1,
     .max_in = -1,
     .build = variadic,
     .arg = "min"},
    {.op = "Mod",
     .since = 10,
     .min_in = 2,
     .max_in = 2,
     .build = modulo,
     .attrs = "fmod"},
    BINARY("Mul", 1, "mul"),
    UNARY("Neg", 1, "neg"),
    UNARY("Not", 1, "not"),
    BINARY("Or", 1, "or"),
    {.op = "Pow", .since = 1, .min_in = 2, .max_in = 2, .build = power},
    UNARY("Reciprocal", 1, "reciprocal"),
    UNARY("Relu", 1, "relu"),
    UNARY("Round", 11, "round"),
    UNARY("Sigmoid", 1, "sigmoid"),
    UNARY("Sign", 9, "sign"),
    UNARY("Sin", 7, "sin"),
    UNARY("Sinh", 9, "sinh"),
    UNARY("Sqrt", 1, "sqrt"),
    BINARY("Sub", 1, "sub"),
    {.op = "Sum",
     .since = 1,
     .min_in = 1,
     .max_in = -1,
     .build = variadic,
     .arg = "add"},
    UNARY("Tan", 7, "tan"),
    UNARY("Tanh", 1, "tanh"),
    {.op = "Where", .since = 9, .min_in = 3, .max_in = 3, .build = where},
    BINARY("Xor", 1, "xor"),
    {0},
};

const mw_onnx_def mw_onnx_maps = {
    .brief = "elementwise arithmetic, comparison and logic", .rules = rules};
