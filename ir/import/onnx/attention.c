/* attention.c - attention and rotary embedding, in primitives. */
#include <math.h>
#include <string.h>

#include "ir/import/emit.h"

/* Queries [b, h, s, d], keys [b, k, t, d], values [b, k, t, e]; each of the k
 * heads of keys and values serves h / k neighbouring heads of queries. */
typedef struct attention {
    mw_id q, k, v;
    int64_t batch, heads, kv_heads, queries, keys;
    int64_t past; /* keys that come before the first query's own */
    bool flat;    /* heads came as part of the last axis */
} attention;

/* [b, s, h d] as [b, h, s, d]. */
static mw_id split_heads(mw_onnx_call *call, mw_id x, int64_t heads)
{
    static const int64_t perm[] = {0, 2, 1, 3};
    int64_t s[MW_MAX_RANK];
    if (mw_emit_shape(call, x, s) != 3 || heads <= 0 || s[2] % heads != 0) {
        (void)mw_onnx_refuse(call, "%lld heads do not divide an operand",
                             (long long)heads);
        return MW_NONE;
    }
    const int64_t apart[] = {s[0], s[1], heads, s[2] / heads};
    return mw_emit_transpose(call, mw_emit_reshape(call, x, apart, 4), perm);
}

static mw_id join_heads(mw_onnx_call *call, mw_id x)
{
    static const int64_t perm[] = {0, 2, 1, 3};
    int64_t s[MW_MAX_RANK];
    mw_id y = mw_emit_transpose(call, x, perm);
    if (mw_emit_shape(call, y, s) != 4)
        return MW_NONE;
    const int64_t joined[] = {s[0], s[1], s[2] * s[3]};
    return mw_emit_reshape(call, y, joined, 3);
}

/* What was computed before and what is added to it; MW_NONE: nothing. */
static mw_id after_past(mw_onnx_call *call, mw_id past, mw_id x)
{
    if (past == MW_NONE)
        return x;
    return mw_emit_concat(call, (mw_id[]){past, x}, 2, 2);
}

static mw_status read_operands(mw_onnx_call *call, attention *a)
{
    int64_t heads = mw_onnx_int(call, "q_num_heads", 0);
    int64_t kv_heads = mw_onnx_int(call, "kv_num_heads", heads);
    a->flat = mw_emit_rank(call, call->in[0]) == 3;
    a->q = call->in[0];
    a->k = call->in[1];
    a->v = call->in[2];
    if (a->flat) {
        a->q = split_heads(call, a->q, heads);
        a->k = split_heads(call, a->k, kv_heads);
        a->v = split_heads(call, a->v, kv_heads);
    }
    MW_TRY(call->status);
    if (mw_emit_rank(call, a->q) != 4 || mw_emit_rank(call, a->k) != 4 ||
        mw_emit_rank(call, a->v) != 4)
        return mw_onnx_refuse(call, "operands have not all rank 3 or 4");
    mw_id past = mw_onnx_in(call, 4);
    a->past = past == MW_NONE ? 0 : mw_emit_size(call, past, 2);
    a->k = after_past(call, past, a->k);
    a->v = after_past(call, mw_onnx_in(call, 5), a->v);
    MW_TRY(call->status);
    a->batch = mw_emit_size(call, a->q, 0);
    a->heads = mw_emit_size(call, a->q, 1);
    a->queries = mw_emit_size(call, a->q, 2);
    a->kv_heads = mw_emit_size(call, a->k, 1);
    a->keys = mw_emit_size(call, a->k, 2);
    if (a->kv_heads == 0 || a->heads % a->kv_heads != 0)
        return mw_onnx_refuse(call, "%lld heads of keys do not divide %lld",
                              (long long)a->kv_heads, (long long)a->heads);
    return MW_OK;
}

/* [b, h, s, x] as [b, k, g, s, x]. */
static mw_id group_heads(mw_onnx_call *call, const attention *a, mw_id x)
{
    int64_t last = mw_emit_size(call, x, 3);
    const int64_t apart[] = {a->batch, a->kv_heads, a->heads / a->kv_heads,
                             a->queries, last};
    return mw_emit_reshape(call, x, apart, 5);
}

/* A product over the grouped heads; spec without groups, and with. */
static mw_id by_heads(mw_onnx_call *call, const attention *a, mw_id x, mw_id kv,
                      const char *const spec[2])
{
    if (call->status != MW_OK)
        return MW_NONE;
    if (a->heads == a->kv_heads)
        return mw_emit_einsum(call, spec[0], (mw_id[]){x, kv}, 2);
    mw_id grouped = group_heads(call, a, x);
    mw_id y = mw_emit_einsum(call, spec[1], (mw_id[]){grouped, kv}, 2);
    if (call->status != MW_OK)
        return MW_NONE;
    const int64_t joined[] = {a->batch, a->heads, a->queries,
                              mw_emit_size(call, y, 4)};
    return mw_emit_reshape(call, y, joined, 4);
}

/* Keys past the mask's end are not attended. */
static mw_id pad_mask(mw_onnx_call *call, const attention *a, mw_id mask)
{
    int rank = mw_emit_rank(call, mask);
    bool is_bool = mw_emit_dtype(call, mask) == MW_BOOL;
    if (rank == 0)
        return mask;
    int64_t missing = a->keys - mw_emit_size(call, mask, rank - 1);
    if (missing <= 0 || mw_emit_size(call, mask, rank - 1) == 1)
        return mask;
    return mw_emit_pad(call, mask, rank - 1, 0, missing,
                       is_bool ? 0.0 : -(double)INFINITY);
}

/* How many keys of each example are there: [b, 1, 1, 1]. */
static mw_id keys_there(mw_onnx_call *call, const attention *a)
{
    const int64_t shape[] = {a->batch, 1, 1, 1};
    mw_id n = mw_emit_cast(call, call->in[6], MW_I64);
    return mw_emit_reshape(call, n, shape, 4);
}

/* The place of each query among the keys, and `ahead` more. Queries follow what
 * is past; with a cache kept outside they are the last of the keys there. */
static mw_id query_place(mw_onnx_call *call, const attention *a, int64_t ahead)
{
    mw_id query = mw_emit_iota(call, a->queries, 2, 4);
    if (!mw_onnx_has(call, 6))
        return mw_emit_by(call, "add", query, (double)(a->past + ahead));
    mw_id place = mw_emit2(call, "add", query, keys_there(call, a));
    return mw_emit_by(call, "sub", place, (double)(a->queries - ahead));
}

/* Keys before the window of a query, and after it, are not attended. */
static mw_id keep_window(mw_onnx_call *call, const attention *a, mw_id x)
{
    mw_id least = mw_emit_like(call, x, -(double)INFINITY);
    mw_id key = mw_emit_iota(call, a->keys, 3, 4);
    int64_t left = mw_onnx_int(call, "left_window_size", -1);
    int64_t right = mw_onnx_int(call, "right_window_size", -1);
    bool is_causal = mw_onnx_int(call, "is_causal", 0) != 0;
    if (is_causal || (right >= 0 && right < a->keys)) {
        mw_id last = query_place(call, a, is_causal ? 0 : right);
        mw_id within = mw_emit2(call, "less_equal", key, last);
        x = mw_emit_where(call, within, x, least);
    }
    if (left < 0 || left >= a->past + a->queries + a->keys)
        return x;
    mw_id first = query_place(call, a, -left);
    mw_id within = mw_emit2(call, "greater_equal", key, first);
    return mw_emit_where(call, within, x, least);
}

/* What is masked is minus infinity, as the operator's definition has it; ONNX
 * Runtime shows the least float there (qk_matmul_output_mode 2). */
static mw_id add_masks(mw_onnx_call *call, const attention *a, mw_id x)
{
    mw_id least = mw_emit_like(call, x, -(double)INFINITY);
    if (mw_onnx_has(call, 3)) {
        mw_id mask = pad_mask(call, a, call->in[3]);
        x = mw_emit_dtype(call, mask) == MW_BOOL
                ? mw_emit_where(call, mask, x, least)
                : mw_emit2(call, "add", x, mask);
    }
    if (mw_onnx_has(call, 6)) {
        mw_id key = mw_emit_iota(call, a->keys, 3, 4);
        mw_id there = mw_emit2(call, "less", key, keys_there(call, a));
        x = mw_emit_where(call, there, x, least);
    }
    return keep_window(call, a, x);
}

static mw_id soft_cap(mw_onnx_call *call, mw_id x)
{
    double cap = mw_onnx_float(call, "softcap", 0.0);
    if (cap == 0.0)
        return x;
    mw_id bent = mw_emit1(call, "tanh", mw_emit_by(call, "div", x, cap));
    return mw_emit_by(call, "mul", bent, cap);
}

/* Masked and capped scores. Opset 25 caps before it masks; until then masks are
 * added first (ONNX 1.18 to 1.20), and what they exclude stays excluded. */
static void mask_scores(mw_onnx_call *call, const attention *a, mw_id scores,
                        mw_id out[2])
{
    if (call->opset >= 25) {
        out[0] = soft_cap(call, scores);
        out[1] = add_masks(call, a, out[0]);
        return;
    }
    out[0] = add_masks(call, a, scores);
    out[1] = soft_cap(call, out[0]);
    if (out[0] == scores || out[0] == out[1])
        return;
    mw_id none = mw_emit_by(call, "equal", out[0], -(double)INFINITY);
    out[1] = mw_emit_where(call, none, out[0], out[1]);
}

/* A row that is masked whole gives zeros. */
static mw_id softmax(mw_onnx_call *call, mw_id x)
{
    mw_axes axes = {.n = 1, .axis = {3}};
    bool has_window = mw_onnx_int(call, "left_window_size", -1) >= 0;
    if (!mw_onnx_has(call, 3) && !mw_onnx_has(call, 6) && !has_window)
        return mw_emit_softmax(call, x, &axes);
    mw_id most = mw_emit_reduce(call, "reduce_max", x, &axes, true);
    mw_id none = mw_emit_by(call, "equal", most, -(double)INFINITY);
    most = mw_emit_where(call, none, mw_emit_like(call, x, 0.0), most);
    mw_id e = mw_emit1(call, "exp", mw_emit2(call, "sub", x, most));
    mw_id sum = mw_emit_reduce(call, "reduce_sum", e, &axes, true);
    sum = mw_emit_where(call, none, mw_emit_like(call, x, 1.0), sum);
    return mw_emit2(call, "div", e, sum);
}

static mw_status attend(mw_onnx_call *call)
{
    static const char *const scores[] = {"bhsd,bhtd->bhst",
                                         "bkgsd,bktd->bkgst"};
    static const char *const sums[] = {"bhst,bhte->bhse", "bkgst,bkte->bkgse"};
    attention a = {0};
    MW_TRY(read_operands(call, &a));
    double usual = 1.0 / sqrt((double)mw_emit_size(call, a.q, 3));
    double scale = mw_onnx_float(call, "scale", usual);
    mw_id step[4];
    mw_id scaled = mw_emit_by(call, "mul", a.q, scale);
    step[0] = by_heads(call, &a, scaled, a.k, scores);
    mask_scores(call, &a, step[0], &step[1]);
    step[3] = softmax(call, step[2]);
    mw_id y = by_heads(call, &a, step[3], a.v, sums);
    if (a.flat)
        y = join_heads(call, y);
    int64_t mode = mw_onnx_int(call, "qk_matmul_output_mode", 0);
    if (mode < 0 || mode > 3)
        return mw_onnx_refuse(call, "qk_matmul_output_mode is %lld",
                              (long long)mode);
    (void)mw_emit_set(call, 1, a.k);
    (void)mw_emit_set(call, 2, a.v);
    (void)mw_emit_set(call, 3, step[mode]);
    return mw_emit_set(call, 0, y);
}

/* ---- rotary embedding ---- */

/* The angles' table as [b, s, 1, d / 2] of x [b, s, h, d]. */
static mw_id angles(mw_onnx_call *call, int table)
{
    mw_id t = call->in[table];
    if (mw_onnx_has(call, 3))
        t = mw_emit_gather(call, t, call->in[3], 0);
    if (mw_emit_rank(call, t) != 3) {
        (void)mw_onnx_refuse(call, "input %d has rank %d", table,
                             mw_emit_rank(call, call->in[table]));
        return MW_NONE;
    }
    return mw_emit_unsqueeze(call, t, 2);
}

/* The last axis in two: halves, or every other element. */
static mw_id part_of(mw_onnx_call *call, mw_id x, int part, bool interleaved)
{
    int64_t half = mw_emit_size(call, x, 3) / 2;
    return mw_emit_slice(call, x, 3, interleaved ? part : part * half,
                         interleaved ? 2 : 1, half);
}

static mw_id join_parts(mw_onnx_call *call, mw_id first, mw_id second,
                        bool interleaved)
{
    mw_id both[] = {first, second};
    if (!interleaved)
        return mw_emit_concat(call, both, 2, 3);
    int64_t s[MW_MAX_RANK];
    int rank = mw_emit_shape(call, first, s);
    both[0] = mw_emit_unsqueeze(call, first, 4);
    both[1] = mw_emit_unsqueeze(call, second, 4);
    mw_id pairs = mw_emit_concat(call, both, 2, 4);
    s[3] *= 2;
    return mw_emit_reshape(call, pairs, s, rank);
}

static mw_id rotate(mw_onnx_call *call, mw_id x)
{
    bool interleaved = mw_onnx_int(call, "interleaved", 0) != 0;
    mw_id c = angles(call, 1), s = angles(call, 2);
    if (call->status != MW_OK)
        return MW_NONE;
    mw_id a = part_of(call, x, 0, interleaved);
    mw_id b = part_of(call, x, 1, interleaved);
    mw_id real = mw_emit2(call, "sub", mw_emit2(call, "mul", c, a),
                          mw_emit2(call, "mul", s, b));
    mw_id other = mw_emit2(call, "add", mw_emit2(call, "mul", s, a),
                           mw_emit2(call, "mul", c, b));
    return join_parts(call, real, other, interleaved);
}

static mw_status rotary(mw_onnx_call *call)
{
    static const int64_t swap[] = {0, 2, 1, 3};
    mw_id x = call->in[0];
    int64_t given[MW_MAX_RANK], s[MW_MAX_RANK];
    int rank = mw_emit_shape(call, x, given);
    int64_t heads = mw_onnx_int(call, "num_heads", 0);
    if (rank == 4)
        x = mw_emit_transpose(call, x, swap);
    else if (rank == 3 && heads > 0 && given[2] % heads == 0)
        x = mw_emit_reshape(
            call, x, (int64_t[]){given[0], given[1], heads, given[2] / heads},
            4);
    else
        return mw_onnx_refuse(call, "input of rank %d with %lld heads", rank,
                              (long long)heads);
    MW_TRY(call->status);
    (void)mw_emit_shape(call, x, s);
    int64_t width = mw_onnx_int(call, "rotary_embedding_dim", 0);
    if (width == 0)
        width = s[3];
    if (width < 0 || width > s[3] || width % 2 != 0)
        return mw_onnx_refuse(call, "rotary_embedding_dim is %lld of %lld",
                              (long long)width, (long long)s[3]);
    mw_id turned = rotate(call, mw_emit_slice(call, x, 3, 0, 1, width));
    mw_id rest = mw_emit_slice(call, x, 3, width, 1, s[3] - width);
    mw_id y = mw_emit_concat(call, (mw_id[]){turned, rest}, 2, 3);
    if (rank == 4)
        y = mw_emit_transpose(call, y, swap);
    else
        y = mw_emit_reshape(call, y, given, 3);
    return mw_emit_set(call, 0, y);
}

static const mw_onnx_rule rules[] = {
    {.op = "Attention",
     .since = 23,
     .min_in = 3,
     .max_in = 7,
     .attrs = "is_causal kv_num_heads left_window_size q_num_heads "
              "qk_matmul_output_mode right_window_size scale softcap "
              "softmax_precision",
     .build = attend},
    {.op = "RotaryEmbedding",
     .since = 23,
     .min_in = 3,
     .max_in = 4,
     .attrs = "interleaved num_heads rotary_embedding_dim",
     .build = rotary},
    {0},
};

const mw_onnx_def mw_onnx_attention = {.brief = "attention", .rules = rules};
