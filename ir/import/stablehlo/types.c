/* types.c - comparisons and other element types. */
#include <string.h>

#include "ir/import/stablehlo_call.h"

static const struct {
    const char *direction, *def;
    bool negated;
} directions[] = {
    {"EQ", "equal", false},   {"NE", "equal", true},
    {"LT", "less", false},    {"LE", "less_equal", false},
    {"GT", "greater", false}, {"GE", "greater_equal", false},
};

/* Truth values are compared as the integers 0 and 1. */
static mw_id compared(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    bool truth = mw_emit_dtype(e, in[0]) == MW_BOOL;
    bool order = strcmp(arg, "equal") != 0;
    mw_id a = in[0], b = in[1];
    if (truth && order) {
        a = mw_emit_cast(e, a, MW_I32);
        b = mw_emit_cast(e, b, MW_I32);
    }
    return mw_emit2(e, arg, a, b);
}

/* Bits of a float as an integer that is ordered as they are, -0 before 0 and
 * NaN at the ends: those of a negative one but its sign are turned. */
static mw_id ordered(mw_onnx_call *e, mw_id x)
{
    bool wide = mw_emit_dtype(e, x) == MW_F64;
    mw_dtype bits = wide ? MW_I64 : MW_I32;
    mw_attr to = {.name = "to", .kind = MW_ATTR_DTYPE, .dtype = bits};
    x = mw_emit_cast(e, x, wide ? MW_F64 : MW_F32);
    x = mw_emit(e, "bitcast", &x, 1, &to, 1);
    mw_id sign = mw_emit_by(e, "shift_right", x, wide ? 63.0 : 31.0);
    sign = mw_emit_cast(e, sign, wide ? MW_U64 : MW_U32);
    mw_id turned = mw_emit_by(e, "shift_right", sign, 1.0);
    return mw_emit2(e, "bit_xor", x, mw_emit_cast(e, turned, bits));
}

static mw_id compared_bits(mw_onnx_call *e, const mw_id in[], int n,
                           const char *arg)
{
    (void)n;
    return mw_emit2(e, arg, ordered(e, in[0]), ordered(e, in[1]));
}

/* Floats by all their bits. */
static bool is_total(mw_hlo_call *call)
{
    const char *type = mw_hlo_word_of(call, "compare_type");
    return mw_dtype_is_float(mw_emit_dtype(&call->emit, call->in[0].id)) &&
           (mw_hlo_has_word(call, "TOTALORDER") ||
            (type && strcmp(type, "TOTALORDER") == 0));
}

static mw_status compare(mw_hlo_call *call)
{
    for (size_t i = 0; i < sizeof directions / sizeof directions[0]; i++) {
        const char *given = mw_hlo_word_of(call, "comparison_direction");
        if (given ? strcmp(given, directions[i].direction) != 0
                  : !mw_hlo_has_word(call, directions[i].direction))
            continue;
        mw_hlo_make *make = is_total(call) ? compared_bits : compared;
        mw_hlo_value y =
            mw_hlo_apply(call, make, call->in, 2, directions[i].def);
        if (directions[i].negated)
            y = mw_hlo_map(call, "not", &y, 1);
        return mw_hlo_set_value(call, 0, y);
    }
    return mw_hlo_refuse(call, "its direction is none of EQ NE LT LE GT GE");
}

static mw_status cast(mw_hlo_call *call, mw_hlo_value x, mw_dtype to)
{
    mw_hlo_value y = {.id = mw_emit_cast(&call->emit, x.id, to),
                      .full = x.full};
    return mw_hlo_set_value(call, 0, y);
}

static mw_status convert(mw_hlo_call *call)
{
    return cast(call, call->in[0], mw_hlo_out_dtype(call, 0));
}

/* To a shorter float and back. */
static mw_status reduce_precision(mw_hlo_call *call)
{
    mw_hlo_value x = call->in[0];
    mw_dtype own = mw_emit_dtype(&call->emit, x.id);
    const char *format = mw_hlo_word_of(call, "format");
    int64_t exponent = mw_hlo_int(call, "exponent_bits", 0);
    int64_t mantissa = mw_hlo_int(call, "mantissa_bits", 0);
    mw_dtype to = own;
    if ((format && strcmp(format, "e8m7") == 0) ||
        (exponent == 8 && mantissa == 7))
        to = MW_BF16;
    else if ((format && strcmp(format, "e5m10") == 0) ||
             (exponent == 5 && mantissa == 10))
        to = MW_F16;
    else if (own != MW_F32 || !((format && strcmp(format, "e8m23") == 0) ||
                                (exponent == 8 && mantissa == 23)))
        return mw_hlo_refuse(call, "only e8m7, e5m10 and e8m23 are supported");
    x.id = mw_emit_cast(&call->emit, x.id, to);
    return cast(call, x, own);
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.compare",
     .min_in = 2,
     .max_in = 2,
     .attrs = "comparison_direction compare_type",
     .build = compare},
    {.op = "stablehlo.convert", .min_in = 1, .max_in = 1, .build = convert},
    {.op = "stablehlo.reduce_precision",
     .min_in = 1,
     .max_in = 1,
     .attrs = "format exponent_bits mantissa_bits",
     .build = reduce_precision},
    {0},
};

const mw_hlo_def mw_hlo_types = {.brief = "comparisons and element types",
                                 .rules = rules};
