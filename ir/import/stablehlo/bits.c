/* bits.c - operations on the bits of integers, logical ones of truth values,
 * and the same bits as another type. */
#include <math.h>
#include <string.h>

#include "ir/import/stablehlo_call.h"
#include "ir/number.h"

/* The unsigned type of the same width. */
static mw_dtype without_sign(mw_dtype dtype)
{
    static const mw_dtype pairs[][2] = {
        {MW_I8, MW_U8}, {MW_I16, MW_U16}, {MW_I32, MW_U32}, {MW_I64, MW_U64}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i][0] == dtype)
            return pairs[i][1];
    return dtype;
}

/* "and" of truth values, "bit_and" of integers. */
static mw_status bitwise(mw_hlo_call *call)
{
    bool truth = mw_emit_dtype(&call->emit, call->in[0].id) == MW_BOOL;
    const char *def = call->rule->arg + (truth ? strlen("bit_") : 0);
    return mw_hlo_set_value(call, 0,
                            mw_hlo_map(call, def, call->in, call->n_in));
}

/* Amounts are unsigned; those of the width or more leave nothing. */
static mw_id shifted(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    bool logical = strcmp(arg, "logical") == 0;
    mw_dtype own = mw_emit_dtype(e, in[0]);
    mw_dtype as = logical ? without_sign(own) : own;
    mw_id x = mw_emit_cast(e, in[0], as), by = mw_emit_cast(e, in[1], as);
    const char *def = strcmp(arg, "left") == 0 ? "shift_left" : "shift_right";
    return mw_emit_cast(e, mw_emit2(e, def, x, by), own);
}

static mw_status shift(mw_hlo_call *call)
{
    return mw_hlo_set_value(
        call, 0, mw_hlo_apply(call, shifted, call->in, 2, call->rule->arg));
}

/* Counted without a sign. */
static mw_id ones(mw_onnx_call *e, mw_id x)
{
    return mw_emit1(e, "popcount", x);
}

static mw_id counted(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    mw_dtype own = mw_emit_dtype(e, in[0]);
    mw_id x = mw_emit_cast(e, in[0], without_sign(own));
    return mw_emit_cast(e, ones(e, x), own);
}

/* Bits below the highest one are set too; the rest of the width leads. */
static mw_id leading(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    mw_dtype own = mw_emit_dtype(e, in[0]);
    mw_id x = mw_emit_cast(e, in[0], without_sign(own));
    int64_t width = 8 * mw_dtype_bytes(own);
    for (int64_t by = 1; by < width; by *= 2)
        x = mw_emit2(e, "bit_or", x,
                     mw_emit_by(e, "shift_right", x, (double)by));
    mw_id rest =
        mw_emit2(e, "sub", mw_emit_like(e, x, (double)width), ones(e, x));
    return mw_emit_cast(e, rest, own);
}

static mw_status count(mw_hlo_call *call)
{
    bool all = strcmp(call->rule->arg, "ones") == 0;
    return mw_hlo_set_value(
        call, 0,
        mw_hlo_apply(call, all ? counted : leading, call->in, 1, NULL));
}

static mw_id bits_as(mw_onnx_call *e, mw_id x, mw_dtype to)
{
    mw_attr attr = {.name = "to", .kind = MW_ATTR_DTYPE, .dtype = to};
    return mw_emit_dtype(e, x) == to ? x
                                     : mw_emit(e, "bitcast", &x, 1, &attr, 1);
}

/* Sixteen bits as a float, by the f32 of that value. A bf16 is the upper half
 * of one. An f16 has 10 bits of fraction in place of 23 and 2^-112 of the
 * exponent's range: its bits moved up are the value times 2^-112, but for what
 * is infinite or no number. */
static mw_id half_of(mw_onnx_call *e, mw_id x, mw_dtype to)
{
    enum { FRACTIONS = 23 - 10, EXPONENTS = 127 - 15 };
    x = mw_emit_cast(e, bits_as(e, x, MW_U16), MW_U32);
    if (to == MW_BF16) {
        x = mw_emit_by(e, "shift_left", x, 16.0);
        return mw_emit_cast(e, bits_as(e, x, MW_F32), to);
    }
    mw_id size = mw_emit_by(e, "bit_and", x, 0x7FFF);
    mw_id minus = mw_emit_by(e, "greater", x, 0x7FFF);
    mw_id odd = mw_emit_by(e, "greater_equal", size, 0x7C00);
    size = mw_emit_by(e, "shift_left", size, FRACTIONS);
    mw_id endless = mw_emit_by(e, "bit_or", size, 0x7F800000);
    mw_id y =
        mw_emit_by(e, "mul", bits_as(e, size, MW_F32), ldexp(1.0, EXPONENTS));
    y = mw_emit_where(e, odd, bits_as(e, endless, MW_F32), y);
    y = mw_emit_where(e, minus, mw_emit1(e, "neg", y), y);
    return mw_emit_cast(e, y, to);
}

/* The bits of a bf16: the upper half of the f32's. */
static mw_id bits_of_half(mw_onnx_call *e, mw_id x, mw_dtype to)
{
    x = bits_as(e, mw_emit_cast(e, x, MW_F32), MW_U32);
    x = mw_emit_cast(e, mw_emit_by(e, "shift_right", x, 16.0), MW_U16);
    return bits_as(e, x, to);
}

static bool is_half(mw_dtype dtype)
{
    return dtype == MW_F16 || dtype == MW_BF16;
}

static mw_dtype unsigned_of(int64_t width)
{
    return width == 1   ? MW_U8
           : width == 2 ? MW_U16
           : width == 4 ? MW_U32
                        : MW_U64;
}

/* A last axis of the parts of each element, lowest first, made one element. */
static mw_id join_bits(mw_hlo_call *call, mw_id x, mw_dtype to)
{
    mw_onnx_call *e = &call->emit;
    int last = mw_emit_rank(e, x) - 1;
    int64_t width = mw_dtype_bytes(mw_emit_dtype(e, x));
    mw_dtype wide = unsigned_of(mw_dtype_bytes(to));
    mw_id sum = MW_NONE;
    x = mw_emit_cast(e, bits_as(e, x, unsigned_of(width)), wide);
    for (int64_t k = 0; k < mw_dtype_bytes(to) / width; k++) {
        mw_id part =
            mw_emit_squeeze(e, mw_emit_slice(e, x, last, k, 1, 1), last);
        if (k > 0)
            part = mw_emit_by(e, "shift_left", part, (double)(8 * width * k));
        sum = k > 0 ? mw_emit2(e, "bit_or", sum, part) : part;
    }
    return bits_as(e, sum, to);
}

static mw_id split_bits(mw_hlo_call *call, mw_id x, mw_dtype to)
{
    enum { MAX_PARTS = 8 };
    mw_onnx_call *e = &call->emit;
    int rank = mw_emit_rank(e, x);
    int64_t own = mw_dtype_bytes(mw_emit_dtype(e, x));
    int64_t width = mw_dtype_bytes(to);
    mw_id part[MAX_PARTS];
    x = bits_as(e, x, unsigned_of(own));
    for (int64_t k = 0; k < own / width; k++) {
        part[k] =
            k == 0 ? x
                   : mw_emit_by(e, "shift_right", x, (double)(8 * width * k));
        part[k] = mw_emit_cast(e, part[k], unsigned_of(width));
        part[k] = mw_emit_unsqueeze(e, part[k], rank);
    }
    return bits_as(e, mw_emit_concat(e, part, (int)(own / width), rank), to);
}

static mw_status bitcast(mw_hlo_call *call)
{
    mw_onnx_call *e = &call->emit;
    mw_id x = mw_hlo_in(call, 0);
    mw_dtype own = mw_emit_dtype(e, x), to = mw_hlo_out_dtype(call, 0);
    int rank = mw_emit_rank(e, x);
    MW_TRY(e->status);
    int64_t from_bytes = mw_dtype_bytes(own), to_bytes = mw_dtype_bytes(to);
    if ((own == MW_BOOL || to == MW_BOOL) && own != to)
        return mw_hlo_refuse(call, "truth values have no bits");
    if (own != to && (from_bytes != to_bytes || own == MW_F16) &&
        (is_half(own) || is_half(to)))
        return mw_hlo_refuse(call, "the bits of %s as %s are not supported",
                             mw_dtype_name(own), mw_dtype_name(to));
    if (own != to && is_half(to))
        return mw_hlo_set(call, 0, half_of(e, x, to));
    if (own != to && is_half(own))
        return mw_hlo_set(call, 0, bits_of_half(e, x, to));
    if (from_bytes == to_bytes)
        return mw_hlo_set(call, 0, bits_as(e, x, to));
    if (from_bytes > to_bytes)
        return mw_hlo_set(call, 0, split_bits(call, x, to));
    if (rank == 0 || mw_emit_size(e, x, rank - 1) != to_bytes / from_bytes)
        return mw_hlo_refuse(call, "the last axis is not of %lld parts",
                             (long long)(to_bytes / from_bytes));
    return mw_hlo_set(call, 0, join_bits(call, x, to));
}

/* The next float from x towards y: one more or less of its bits, which count
 * away from 0; from 0 the least one of y's sign. */
static mw_id next(mw_onnx_call *e, const mw_id in[], int n, const char *arg)
{
    (void)n;
    (void)arg;
    mw_id x = in[0], y = in[1];
    mw_dtype own = mw_emit_dtype(e, x);
    mw_dtype whole = own == MW_F64 ? MW_I64 : MW_I32;
    mw_id up = mw_emit2(e, "less", x, y);
    mw_id outwards = mw_emit2(e, "equal", up, mw_emit_by(e, "greater", x, 0.0));
    mw_id one = mw_emit_number(e, whole, 1.0);
    mw_id by = mw_emit_where(e, outwards, one, mw_emit1(e, "neg", one));
    mw_id moved = bits_as(e, mw_emit2(e, "add", bits_as(e, x, whole), by), own);
    mw_id least = bits_as(e, one, own);
    mw_id first = mw_emit2(e, "mul", mw_emit1(e, "sign", y), least);
    mw_id z = mw_emit_where(e, mw_emit_by(e, "equal", x, 0.0), first, moved);
    z = mw_emit_where(e, mw_emit2(e, "equal", x, y), y, z);
    mw_id none = mw_emit1(e, "is_nan", mw_emit2(e, "add", x, y));
    return mw_emit_where(e, none, mw_emit2(e, "add", x, y), z);
}

static mw_status next_after(mw_hlo_call *call)
{
    mw_dtype own = mw_emit_dtype(&call->emit, call->in[0].id);
    if (own != MW_F32 && own != MW_F64)
        return mw_hlo_refuse(call, "it is of %s, wanted f32 or f64",
                             mw_dtype_name(own));
    return mw_hlo_set_value(call, 0,
                            mw_hlo_apply(call, next, call->in, 2, NULL));
}

#define RULE(name, n, function, what)                                          \
    {                                                                          \
        .op = name, .min_in = n, .max_in = n, .build = function, .arg = what   \
    }

static const mw_hlo_rule rules[] = {
    RULE("stablehlo.and", 2, bitwise, "bit_and"),
    RULE("stablehlo.or", 2, bitwise, "bit_or"),
    RULE("stablehlo.xor", 2, bitwise, "bit_xor"),
    RULE("stablehlo.not", 1, bitwise, "bit_not"),
    RULE("stablehlo.shift_left", 2, shift, "left"),
    RULE("stablehlo.shift_right_logical", 2, shift, "logical"),
    RULE("stablehlo.shift_right_arithmetic", 2, shift, "arithmetic"),
    RULE("stablehlo.popcnt", 1, count, "ones"),
    RULE("stablehlo.count_leading_zeros", 1, count, "leading"),
    RULE("chlo.next_after", 2, next_after, NULL),
    RULE("stablehlo.bitcast_convert", 1, bitcast, NULL),
    {0},
};

const mw_hlo_def mw_hlo_bits = {.brief = "bits and truth values",
                                .rules = rules};
