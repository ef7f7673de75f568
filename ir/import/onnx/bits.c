/* bits.c - products with weights of a few bits, packed into bytes. */
#include <stdio.h>

#include "ir/import/emit.h"

/* What the attributes say of the weights [n, k]: each row is `blocks` blocks of
 * `block` numbers of `bits` bits, the lowest of a byte first. */
typedef struct packing {
    int64_t n, k, block, blocks, bits;
} packing;

static mw_status read_packing(mw_onnx_call *call, packing *p)
{
    *p = (packing){.n = mw_onnx_int(call, "N", 0),
                   .k = mw_onnx_int(call, "K", 0),
                   .block = mw_onnx_int(call, "block_size", 0),
                   .bits = mw_onnx_int(call, "bits", 4)};
    MW_TRY(call->status);
    if (p->n < 1 || p->k < 1 || p->block < 16 || p->block > INT32_MAX ||
        p->k > INT64_MAX / 8 - p->block)
        return mw_onnx_refuse(call, "N %lld, K %lld in blocks of %lld",
                              (long long)p->n, (long long)p->k,
                              (long long)p->block);
    if (p->bits != 2 && p->bits != 4 && p->bits != 8)
        return mw_onnx_refuse(call, "bits is %lld, wanted 2, 4 or 8",
                              (long long)p->bits);
    p->blocks = (p->k + p->block - 1) / p->block;
    if (mw_onnx_int(call, "weight_prepacked", 0) != 0 || mw_onnx_has(call, 4))
        return mw_onnx_refuse(call, "weights that are prepacked, or in groups "
                                    "by an index, are not supported");
    return MW_OK;
}

/* Input i as [n, columns], however it is laid out. */
static mw_id rows_of(mw_onnx_call *call, int i, int64_t n, int64_t columns)
{
    const int64_t shape[] = {n, columns};
    return mw_emit_reshape(call, call->in[i], shape, 2);
}

/* Bytes [n, m] as the numbers in them, the first `wanted` of each row, in
 * f32. */
static mw_id unpacked(mw_onnx_call *call, mw_id x, int64_t bits, int64_t wanted)
{
    enum { MOST = 4 };
    mw_id part[MOST], rest = mw_emit_cast(call, x, MW_F32);
    const int n = (int)(8 / bits);
    const double base = (double)(1 << bits);
    if (n == 1 || call->status != MW_OK)
        return rest;
    for (int i = 0; i < n; i++) {
        mw_id above =
            mw_emit1(call, "floor", mw_emit_by(call, "div", rest, base));
        part[i] =
            mw_emit2(call, "sub", rest, mw_emit_by(call, "mul", above, base));
        part[i] = mw_emit_unsqueeze(call, part[i], 2);
        rest = above;
    }
    const int64_t shape[] = {mw_emit_size(call, x, 0),
                             mw_emit_size(call, x, 1) * n};
    mw_id all =
        mw_emit_reshape(call, mw_emit_concat(call, part, n, 2), shape, 2);
    return mw_emit_slice(call, all, 1, 0, 1, wanted);
}

/* [n, blocks, 1]: packed, or a number each; half of the range when left out. */
static mw_id zero_points(mw_onnx_call *call, const packing *p)
{
    const int64_t shape[] = {p->n, p->blocks, 1};
    if (!mw_onnx_has(call, 3))
        return mw_emit_number(call, MW_F32, (double)(1 << (p->bits - 1)));
    bool is_packed = mw_emit_dtype(call, call->in[3]) == MW_U8;
    int64_t bytes = (p->blocks * p->bits + 7) / 8;
    mw_id zero = rows_of(call, 3, p->n, is_packed ? bytes : p->blocks);
    zero = is_packed ? unpacked(call, zero, p->bits, p->blocks)
                     : mw_emit_cast(call, zero, MW_F32);
    return mw_emit_reshape(call, zero, shape, 3);
}

/* [n, k] in f32. */
static mw_id weights(mw_onnx_call *call, const packing *p)
{
    const int64_t apart[] = {p->n, p->blocks, p->block};
    const int64_t scales[] = {p->n, p->blocks, 1};
    const int64_t joined[] = {p->n, p->blocks * p->block};
    int64_t bytes = p->blocks * p->block * p->bits / 8;
    mw_id w = unpacked(call, rows_of(call, 1, p->n, bytes), p->bits,
                       p->blocks * p->block);
    w = mw_emit_reshape(call, w, apart, 3);
    mw_id scale = mw_emit_cast(call, call->in[2], MW_F32);
    scale = mw_emit_reshape(call, scale, scales, 3);
    w = mw_emit2(call, "sub", w, zero_points(call, p));
    w = mw_emit2(call, "mul", w, scale);
    w = mw_emit_reshape(call, w, joined, 2);
    return mw_emit_slice(call, w, 1, 0, 1, p->k);
}

static mw_status matmul_bits(mw_onnx_call *call)
{
    char spec[3 * MW_MAX_RANK];
    packing p;
    MW_TRY(read_packing(call, &p));
    mw_dtype own = mw_emit_dtype(call, call->in[0]);
    mw_id x = mw_emit_cast(call, call->in[0], MW_F32);
    int rank = mw_emit_rank(call, x) - 1;
    if (rank < 0 || rank > 8 || mw_emit_size(call, x, rank) != p.k)
        return mw_onnx_refuse(
            call, "the last axis of the input is %lld, K %lld",
            (long long)mw_emit_size(call, x, rank), (long long)p.k);
    (void)snprintf(spec, sizeof spec, "%.*sk,nk->%.*sn", rank, "abcdefgh", rank,
                   "abcdefgh");
    mw_id y = mw_emit_einsum(call, spec, (mw_id[]){x, weights(call, &p)}, 2);
    if (mw_onnx_has(call, 5))
        y = mw_emit2(call, "add", y, mw_emit_cast(call, call->in[5], MW_F32));
    return mw_emit_set(call, 0, mw_emit_cast(call, y, own));
}

static const mw_onnx_rule rules[] = {
    {.op = "MatMulNBits",
     .domain = "com.microsoft",
     .since = 1,
     .min_in = 3,
     .max_in = 6,
     .attrs = "K N accuracy_level bits block_size weight_prepacked",
     .build = matmul_bits},
    {0},
};

const mw_onnx_def mw_onnx_bits = {
    .brief = "products with weights of a few bits", .rules = rules};
