/* random.c - rng_bit_generator by Philox 4x32 of ten rounds (Salmon et al.,
 * "Parallel random numbers: as easy as 1, 2, 3"), which its default is on
 * processors. Block i of four words is the cipher of counter + i, so any part
 * of the result is computed by itself. */
#include <string.h>

#include "ir/import/stablehlo_call.h"

enum { WORDS = 4, ROUNDS = 10, WORD_BITS = 32 };

static mw_id low_word(mw_onnx_call *e, mw_id x)
{
    return mw_emit_cast(e, x, MW_U32);
}

static mw_id high_word(mw_onnx_call *e, mw_id x)
{
    return low_word(e, mw_emit_by(e, "shift_right", x, WORD_BITS));
}

static void cipher(mw_onnx_call *e, mw_id x[WORDS], mw_id key[2])
{
    static const double factor[2] = {0xD2511F53, 0xCD9E8D57};
    static const double weyl[2] = {0x9E3779B9, 0xBB67AE85};
    for (int round = 0; round < ROUNDS; round++) {
        mw_id product[2], y[WORDS];
        for (int i = 0; i < 2; i++)
            product[i] = mw_emit_by(
                e, "mul", mw_emit_cast(e, x[2 * (size_t)i], MW_U64), factor[i]);
        for (int i = 0; i < 2; i++) {
            mw_id mixed = mw_emit2(e, "bit_xor", high_word(e, product[1 - i]),
                                   x[2 * (size_t)i + 1]);
            y[2 * (size_t)i] = mw_emit2(e, "bit_xor", mixed, key[i]);
            y[2 * (size_t)i + 1] = low_word(e, product[1 - i]);
            key[i] = mw_emit_by(e, "add", key[i], weyl[i]);
        }
        memcpy(x, y, sizeof y);
    }
}

static mw_id state_at(mw_onnx_call *e, mw_id state, int64_t i)
{
    return mw_emit_reshape(e, mw_emit_slice(e, state, 0, i, 1, 1), NULL, 0);
}

/* Counters of blocks, 128 bits from the lowest word on. */
static void count(mw_onnx_call *e, mw_id low, mw_id high, int64_t blocks,
                  mw_id x[WORDS])
{
    mw_id index = mw_emit_cast(e, mw_emit_iota(e, blocks, 0, 1), MW_U64);
    mw_id sum = mw_emit2(e, "add", index, low);
    mw_id carry = mw_emit2(e, "less", sum, low);
    mw_id top = mw_emit_where(e, carry, mw_emit_by(e, "add", high, 1.0), high);
    x[0] = low_word(e, sum);
    x[1] = high_word(e, sum);
    x[2] = low_word(e, top);
    x[3] = high_word(e, top);
}

/* Words of 64 bits are pairs of neighbours. */
static void widen(mw_onnx_call *e, mw_id x[WORDS])
{
    for (int i = 0; i < 2; i++) {
        mw_id low = mw_emit_cast(e, x[2 * (size_t)i], MW_U64);
        mw_id high = mw_emit_cast(e, x[2 * (size_t)i + 1], MW_U64);
        x[i] = mw_emit2(e, "bit_or", low,
                        mw_emit_by(e, "shift_left", high, WORD_BITS));
    }
}

/* The state that follows: the key, and the counter behind the last block. Of
 * three numbers two are the counter. */
static mw_id next_state(mw_onnx_call *e, mw_id key, mw_id low, mw_id high,
                        int64_t blocks, bool three)
{
    const int64_t one = 1;
    mw_id sum = mw_emit_by(e, "add", low, (double)blocks);
    mw_id carry = mw_emit2(e, "less", sum, low);
    mw_id part[3] = {
        key, sum,
        mw_emit_where(e, carry, mw_emit_by(e, "add", high, 1.0), high)};
    for (int i = 0; i < 3; i++)
        part[i] = mw_emit_reshape(e, part[i], &one, 1);
    return mw_emit_concat(e, part, three ? 3 : 2, 0);
}

static bool has_no_sign(mw_dtype dtype)
{
    return dtype == MW_U8 || dtype == MW_U16 || dtype == MW_U32 ||
           dtype == MW_U64;
}

static mw_status generate(mw_hlo_call *call)
{
    mw_onnx_call *e = &call->emit;
    int64_t shape[MW_MAX_RANK], n = 1, flat;
    mw_id state = mw_hlo_in(call, 0), x[WORDS], cipher_key[2];
    mw_dtype dtype = mw_hlo_out_dtype(call, 1);
    int rank = mw_hlo_out_shape(call, 1, shape);
    const char *algorithm = mw_hlo_word_of(call, "rng_algorithm");
    if (!algorithm)
        algorithm = mw_hlo_word_of(call, "algorithm");
    MW_TRY(e->status);
    int64_t size = mw_emit_rank(e, state) == 1 ? mw_emit_size(e, state, 0) : 0;
    if ((size != 2 && size != 3) || mw_emit_dtype(e, state) != MW_U64 ||
        !has_no_sign(dtype))
        return mw_hlo_refuse(call, "wanted a state of 2 or 3 numbers ui64, "
                                   "and results ui8 to ui64");
    if (algorithm && strcmp(algorithm, "DEFAULT") != 0 &&
        strcmp(algorithm, "PHILOX") != 0)
        return mw_hlo_refuse(call,
                             "algorithm %s is not supported, wanted "
                             "DEFAULT or PHILOX",
                             algorithm);
    for (int a = 0; a < rank; a++) {
        if (shape[a] > 0 && n > INT32_MAX * 64LL / shape[a])
            return mw_hlo_refuse(call, "it has too many elements");
        n *= shape[a];
    }
    int each = dtype == MW_U64 ? 2 : WORDS;
    int64_t blocks = (n + each - 1) / each;
    mw_id key = state_at(e, state, 0);
    mw_id low = state_at(e, state, 1);
    mw_id high = state_at(e, state, size == 3 ? 2 : 0);
    cipher_key[0] = low_word(e, key);
    cipher_key[1] = high_word(e, key);
    count(e, low, high, blocks, x);
    cipher(e, x, cipher_key);
    if (dtype == MW_U64)
        widen(e, x);
    flat = blocks * each;
    for (int i = 0; i < each; i++)
        x[i] = mw_emit_unsqueeze(e, x[i], 1);
    mw_id bits = mw_emit_reshape(e, mw_emit_concat(e, x, each, 1), &flat, 1);
    bits = mw_emit_reshape(e, mw_emit_slice(e, bits, 0, 0, 1, n), shape, rank);
    (void)mw_hlo_set(call, 0, next_state(e, key, low, high, blocks, size == 3));
    /* narrower numbers are the low bits of a word each */
    return mw_hlo_set(call, 1, mw_emit_cast(e, bits, dtype));
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.rng_bit_generator",
     .min_in = 1,
     .max_in = 1,
     .attrs = "rng_algorithm",
     .build = generate},
    {0},
};

const mw_hlo_def mw_hlo_random = {.brief = "random bits", .rules = rules};
