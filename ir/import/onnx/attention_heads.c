/*
 * attention_heads.c - ONNX Runtime's operators of attention: grouped queries
 * with a cache, many heads, and packed weights. All are products of queries
 * [b, h, s, d] with keys [b, k, t, d], of which each of k heads serves h / k
 * neighbouring heads of queries.
 */
#include <math.h>
#include <string.h>

#include "ir/import/emit.h"

typedef struct heads {
    mw_onnx_call *call;
    mw_id q, k, v;
    int64_t batch, n, kv, queries, keys;
    double scale, cap;
    mw_id added; /* to scores, before the softmax; MW_NONE: nothing */
    mw_id seen;  /* which scores count; MW_NONE: all */
    bool has_sink;
    mw_id sink; /* one more score of each head [n, 1, 1], or of all; it has no
                   value */
} heads;

/* [b, s, h d] as [b, s, h, d]. */
static mw_id apart(mw_onnx_call *call, mw_id x, int64_t n)
{
    int64_t s[MW_MAX_RANK];
    if (mw_emit_shape(call, x, s) != 3 || n <= 0 || s[2] % n != 0) {
        (void)mw_onnx_refuse(call, "%lld heads do not divide an operand",
                             (long long)n);
        return MW_NONE;
    }
    const int64_t shape[] = {s[0], s[1], n, s[2] / n};
    return mw_emit_reshape(call, x, shape, 4);
}

/* [b, s, h, d] as [b, h, s, d], or back. */
static mw_id swap(mw_onnx_call *call, mw_id x)
{
    static const int64_t perm[] = {0, 2, 1, 3};
    return mw_emit_transpose(call, x, perm);
}

static mw_id joined(mw_onnx_call *call, mw_id x)
{
    int64_t s[MW_MAX_RANK];
    x = swap(call, x);
    if (mw_emit_shape(call, x, s) != 4)
        return MW_NONE;
    const int64_t shape[] = {s[0], s[1], s[2] * s[3]};
    return mw_emit_reshape(call, x, shape, 3);
}

static mw_status measure(heads *a)
{
    mw_onnx_call *call = a->call;
    MW_TRY(call->status);
    if (mw_emit_rank(call, a->q) != 4 || mw_emit_rank(call, a->k) != 4 ||
        mw_emit_rank(call, a->v) != 4)
        return mw_onnx_refuse(call, "operands of heads have not all rank 4");
    a->batch = mw_emit_size(call, a->q, 0);
    a->n = mw_emit_size(call, a->q, 1);
    a->queries = mw_emit_size(call, a->q, 2);
    a->kv = mw_emit_size(call, a->k, 1);
    a->keys = mw_emit_size(call, a->k, 2);
    double usual = 1.0 / sqrt((double)mw_emit_size(call, a->q, 3));
    a->scale = mw_onnx_float(call, "scale", 0.0);
    if (a->scale == 0.0)
        a->scale = usual;
    if (a->kv == 0 || a->n % a->kv != 0)
        return mw_onnx_refuse(call, "%lld heads of keys do not divide %lld",
                              (long long)a->kv, (long long)a->n);
    return call->status;
}

/* The product by heads; specs without groups, and with. */
static mw_id product(heads *a, mw_id x, mw_id kv, const char *const spec[2])
{
    mw_onnx_call *call = a->call;
    if (call->status != MW_OK)
        return MW_NONE;
    if (a->n == a->kv)
        return mw_emit_einsum(call, spec[0], (mw_id[]){x, kv}, 2);
    const int64_t groups[] = {a->batch, a->kv, a->n / a->kv, a->queries,
                              mw_emit_size(call, x, 3)};
    x = mw_emit_reshape(call, x, groups, 5);
    mw_id y = mw_emit_einsum(call, spec[1], (mw_id[]){x, kv}, 2);
    if (call->status != MW_OK)
        return MW_NONE;
    const int64_t shape[] = {a->batch, a->n, a->queries,
                             mw_emit_size(call, y, 4)};
    return mw_emit_reshape(call, y, shape, 4);
}

/* With a sink, weights add up to less than 1. */
static mw_id softmax(heads *a, mw_id x)
{
    mw_onnx_call *call = a->call;
    const mw_axes last = {.n = 1, .axis = {3}};
    if (!a->has_sink)
        return mw_emit_softmax(call, x, &last);
    mw_id most = mw_emit_reduce(call, "reduce_max", x, &last, true);
    most = mw_emit2(call, "max", most, a->sink);
    mw_id e = mw_emit1(call, "exp", mw_emit2(call, "sub", x, most));
    mw_id sum = mw_emit_reduce(call, "reduce_sum", e, &last, true);
    mw_id lost = mw_emit1(call, "exp", mw_emit2(call, "sub", a->sink, most));
    return mw_emit2(call, "div", e, mw_emit2(call, "add", sum, lost));
}

/* [b, s, h d]. */
static mw_id attended(heads *a)
{
    static const char *const by_keys[] = {"bhsd,bhtd->bhst",
                                          "bkgsd,bktd->bkgst"};
    static const char *const by_values[] = {"bhst,bhte->bhse",
                                            "bkgst,bkte->bkgse"};
    mw_onnx_call *call = a->call;
    mw_id x =
        product(a, mw_emit_by(call, "mul", a->q, a->scale), a->k, by_keys);
    if (a->cap > 0.0)
        x = mw_emit_by(
            call, "mul",
            mw_emit1(call, "tanh", mw_emit_by(call, "div", x, a->cap)), a->cap);
    if (a->added != MW_NONE)
        x = mw_emit2(call, "add", x, a->added);
    if (a->seen != MW_NONE)
        x = mw_emit_where(call, a->seen, x,
                          mw_emit_like(call, x, -(double)INFINITY));
    mw_id y = product(a, softmax(a, x), a->v, by_values);
    return joined(call, y);
}

/* ---- rotary angles ---- */

/* A table [positions, d / 2] as [b, s, 1, d / 2]. */
static mw_id angles(mw_onnx_call *call, mw_id table, mw_id positions)
{
    return mw_emit_unsqueeze(call, mw_emit_gather(call, table, positions, 0),
                             2);
}

static mw_id part_of(mw_onnx_call *call, mw_id x, int part, int64_t half,
                     bool interleaved)
{
    return mw_emit_slice(call, x, 3, interleaved ? part : part * half,
                         interleaved ? 2 : 1, half);
}

/* x [b, s, h, d], of which the first 2 half elements are turned. */
static mw_id turned(mw_onnx_call *call, mw_id x, const mw_id table[2],
                    mw_id positions, bool interleaved)
{
    int64_t s[MW_MAX_RANK], half = mw_emit_size(call, table[0], 1);
    mw_id c = angles(call, table[0], positions);
    mw_id sin = angles(call, table[1], positions);
    if (mw_emit_shape(call, x, s) != 4 || 2 * half > s[3]) {
        (void)mw_onnx_refuse(call,
                             "angles of %lld pairs for an operand of "
                             "rank %d",
                             (long long)half, mw_emit_rank(call, x));
        return MW_NONE;
    }
    mw_id near = mw_emit_slice(call, x, 3, 0, 1, 2 * half);
    mw_id a = part_of(call, near, 0, half, interleaved);
    mw_id b = part_of(call, near, 1, half, interleaved);
    mw_id pair[2] = {mw_emit2(call, "sub", mw_emit2(call, "mul", a, c),
                              mw_emit2(call, "mul", b, sin)),
                     mw_emit2(call, "add", mw_emit2(call, "mul", b, c),
                              mw_emit2(call, "mul", a, sin))};
    const int64_t flat[] = {s[0], s[1], s[2], 2 * half};
    if (interleaved) {
        pair[0] = mw_emit_unsqueeze(call, pair[0], 4);
        pair[1] = mw_emit_unsqueeze(call, pair[1], 4);
    }
    mw_id y = mw_emit_concat(call, pair, 2, interleaved ? 4 : 3);
    y = mw_emit_reshape(call, y, flat, 4);
    if (2 * half == s[3])
        return y;
    mw_id rest = mw_emit_slice(call, x, 3, 2 * half, 1, s[3] - 2 * half);
    return mw_emit_concat(call, (mw_id[]){y, rest}, 2, 3);
}

/* Positions of each example's tokens; of one number, the first one's. */
static mw_id token_positions(mw_onnx_call *call, int64_t batch, int64_t s)
{
    const int64_t shape[] = {batch, s};
    mw_id given = call->in[1];
    if (mw_emit_rank(call, given) == 2)
        return given;
    given = mw_emit_reshape(call, mw_emit_cast(call, given, MW_I64), NULL, 0);
    mw_id step = mw_emit_iota(call, s, 1, 2);
    return mw_emit_broadcast(call, mw_emit2(call, "add", step, given), shape,
                             2);
}

/* x [b, s, h d] or [b, h, s, d]. */
static mw_status rotary(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int64_t s[MW_MAX_RANK], given[MW_MAX_RANK];
    bool flat = mw_emit_shape(call, x, given) == 3;
    bool interleaved = mw_onnx_int(call, "interleaved", 0) != 0;
    int64_t n = mw_onnx_int(call, "num_heads", 0);
    double scale = mw_onnx_float(call, "scale", 1.0);
    if (mw_onnx_int(call, "is_packed_batching", 0) != 0 || scale != 1.0)
        return mw_onnx_refuse(call,
                              "packed batches, or a scale of %g, are not "
                              "supported",
                              scale);
    MW_TRY(call->status);
    int64_t width = 2 * mw_emit_size(call, call->in[2], 1);
    if (flat && n == 0)
        n = width > 0 ? given[2] / width : 0;
    x = flat ? apart(call, x, n) : swap(call, x);
    if (call->status != MW_OK || mw_emit_shape(call, x, s) != 4)
        return mw_onnx_refuse(call, "input of rank %d, wanted 3 or 4",
                              mw_emit_rank(call, call->in[0]));
    mw_id y = turned(call, x, call->in + 2, token_positions(call, s[0], s[1]),
                     interleaved);
    return mw_emit_set(
        call, 0, flat ? mw_emit_reshape(call, y, given, 3) : swap(call, y));
}

/* ---- GroupQueryAttention ---- */

/* What is known of a call before heads are formed. */
typedef struct cache {
    mw_id positions; /* of the queries: [b, s] */
    int64_t past, total;
} cache;

/* The first query of an example comes after the keys that it has so far: none
 * when all there are come now. */
static mw_status find_positions(mw_onnx_call *call, int64_t batch, int64_t s,
                                cache *c)
{
    const int64_t column[] = {batch, 1}, shape[] = {batch, s};
    c->past = mw_onnx_has(call, 3) ? mw_emit_size(call, call->in[3], 2) : 0;
    c->total = (int64_t)mw_onnx_in_number(call, 6, (double)(c->past + s));
    MW_TRY(call->status);
    if (c->total < s || c->total > c->past + s)
        return mw_onnx_refuse(call,
                              "total_sequence_length is %lld, of %lld new and "
                              "%lld past ones",
                              (long long)c->total, (long long)s,
                              (long long)c->past);
    mw_id step = mw_emit_iota(call, s, 1, 2);
    if (c->total > s) {
        mw_id length = mw_emit_cast(call, call->in[5], MW_I64);
        length = mw_emit_reshape(call, length, column, 2);
        mw_id first = mw_emit_by(call, "add", length, 1.0 - (double)s);
        step = mw_emit2(call, "add", first, step);
    }
    c->positions = mw_emit_broadcast(call, step, shape, 2);
    return call->status;
}

/* New keys [b, k, s, d] put behind those that each example has, and zeros
 * behind them. */
static mw_id stored(mw_onnx_call *call, const cache *c, mw_id past, mw_id fresh)
{
    static const int64_t axis = 2, along = 1;
    int64_t s[MW_MAX_RANK];
    const mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
        {.name = "along", .kind = MW_ATTR_INT, .n = 1, .i = &along},
        {.name = "mode", .kind = MW_ATTR_TEXT, .text = "set"}};
    if (mw_emit_shape(call, fresh, s) != 4)
        return MW_NONE;
    int64_t room = c->total > c->past ? c->total : c->past;
    if (room == s[2])
        return fresh;
    const int64_t shape[] = {s[0], 1, s[2], 1};
    mw_id at = mw_emit_reshape(call, c->positions, shape, 4);
    if (room > c->past)
        past = mw_emit_pad(call, past, 2, 0, room - c->past, 0.0);
    const mw_id in[] = {past, mw_emit_broadcast(call, at, s, 4), fresh};
    mw_id y = mw_emit(call, "scatter", in, 3, attr, 3);
    mw_id last = mw_emit_slice(call, at, 2, s[2] - 1, 1, 1);
    mw_id there =
        mw_emit2(call, "less_equal", mw_emit_iota(call, room, 2, 4), last);
    return mw_emit_where(call, there, y, mw_emit_like(call, y, 0.0));
}

/* Queries, keys and values [b, s, h, d], packed or not. */
static mw_status take_apart(mw_onnx_call *call, mw_id part[3])
{
    int64_t n = mw_onnx_int(call, "num_heads", 0);
    int64_t kv = mw_onnx_int(call, "kv_num_heads", n);
    if (mw_onnx_has(call, 1) && mw_onnx_has(call, 2)) {
        part[0] = apart(call, call->in[0], n);
        part[1] = apart(call, call->in[1], kv);
        part[2] = apart(call, call->in[2], kv);
        return call->status;
    }
    mw_id all = apart(call, call->in[0], n + 2 * kv);
    part[0] = mw_emit_slice(call, all, 2, 0, 1, n);
    part[1] = mw_emit_slice(call, all, 2, n, 1, kv);
    part[2] = mw_emit_slice(call, all, 2, n + kv, 1, kv);
    return call->status;
}

static mw_status turn(mw_onnx_call *call, const cache *c, mw_id part[3])
{
    mw_id positions = c->positions;
    bool interleaved = mw_onnx_int(call, "rotary_interleaved", 0) != 0;
    if (mw_onnx_int(call, "do_rotary", 0) == 0)
        return MW_OK;
    if (!mw_onnx_has(call, 7) || !mw_onnx_has(call, 8))
        return mw_onnx_refuse(call, "do_rotary, and no tables of angles");
    if (mw_onnx_has(call, 9))
        positions = mw_emit_cast(call, call->in[9], MW_I64);
    for (int i = 0; i < 2; i++)
        part[i] = turned(call, part[i], call->in + 7, positions, interleaved);
    return call->status;
}

/* Keys up to the query's own, and of these the last ones where a window is
 * local. */
static void see_before(heads *a, const cache *c)
{
    mw_onnx_call *call = a->call;
    const int64_t shape[] = {a->batch, 1, a->queries, 1};
    double window = (double)mw_onnx_int(call, "local_window_size", -1);
    mw_id query = mw_emit_reshape(call, c->positions, shape, 4);
    mw_id key = mw_emit_iota(call, a->keys, 3, 4);
    a->seen = mw_emit2(call, "less_equal", key, query);
    if (window <= 0.0)
        return;
    mw_id first = mw_emit_by(call, "sub", query, window);
    a->seen =
        mw_emit2(call, "and", a->seen, mw_emit2(call, "greater", key, first));
}

/* A score of each head, or 0 where the softmax is smooth. */
static void find_sink(heads *a)
{
    mw_onnx_call *call = a->call;
    const int64_t shape[] = {a->n, 1, 1};
    a->has_sink =
        mw_onnx_int(call, "smooth_softmax", 0) > 0 || mw_onnx_has(call, 11);
    if (a->has_sink)
        a->sink = mw_onnx_has(call, 11)
                      ? mw_emit_reshape(call, call->in[11], shape, 3)
                      : mw_emit_like(call, a->q, 0.0);
}

static mw_status group_query(mw_onnx_call *call)
{
    heads a = {.call = call, .added = MW_NONE, .seen = MW_NONE};
    mw_id part[3];
    cache c;
    if (!mw_onnx_has(call, 5) || mw_onnx_has(call, 3) != mw_onnx_has(call, 4))
        return mw_onnx_refuse(call, "lengths of keys, or one of the caches, "
                                    "are left out");
    MW_TRY(take_apart(call, part));
    MW_TRY(find_positions(call, mw_emit_size(call, part[0], 0),
                          mw_emit_size(call, part[0], 1), &c));
    MW_TRY(turn(call, &c, part));
    a.q = swap(call, part[0]);
    a.k = stored(call, &c, mw_onnx_in(call, 3), swap(call, part[1]));
    a.v = stored(call, &c, mw_onnx_in(call, 4), swap(call, part[2]));
    MW_TRY(measure(&a));
    a.cap = mw_onnx_float(call, "softcap", 0.0);
    a.added = mw_onnx_in(call, 10);
    see_before(&a, &c);
    find_sink(&a);
    (void)mw_emit_set(call, 1, a.k);
    (void)mw_emit_set(call, 2, a.v);
    return mw_emit_set(call, 0, attended(&a));
}

/* ---- MultiHeadAttention, Attention ---- */

/* A mask of keys [b, t], or of pairs [b, s, t]: 0 is masked, by a number that
 * is added; or, [b], how many keys there are. */
static void mask_keys(heads *a, mw_id mask)
{
    mw_onnx_call *call = a->call;
    int64_t s[MW_MAX_RANK];
    double filter = mw_onnx_float(call, "mask_filter_value", -10000.0);
    int rank = mask == MW_NONE ? 0 : mw_emit_shape(call, mask, s);
    if (mask == MW_NONE)
        return;
    if (rank < 1 || rank > 3 || (rank == 1 && s[0] != a->batch)) {
        (void)mw_onnx_refuse(call, "a mask of rank %d is not supported", rank);
        return;
    }
    const int64_t rows = rank == 3 ? s[1] : 1;
    const int64_t shape[] = {s[0], 1, rows, rank == 1 ? 1 : s[rank - 1]};
    mask = mw_emit_reshape(call, mask, shape, 4);
    mw_id there =
        rank > 1 ? mw_emit_cast(call, mask, MW_BOOL)
                 : mw_emit2(call, "less", mw_emit_iota(call, a->keys, 3, 4),
                            mw_emit_cast(call, mask, MW_I64));
    mw_id by = mw_emit_where(call, there, mw_emit_like(call, a->q, 0.0),
                             mw_emit_like(call, a->q, filter));
    a->added = a->added == MW_NONE ? by : mw_emit2(call, "add", a->added, by);
}

static void see_causal(heads *a)
{
    mw_onnx_call *call = a->call;
    if (mw_onnx_int(call, "unidirectional", 0) == 0)
        return;
    mw_id query = mw_emit_iota(call, a->queries, 0, 2);
    mw_id last = mw_emit_by(call, "add", query, (double)(a->keys - a->queries));
    a->seen =
        mw_emit2(call, "less_equal", mw_emit_iota(call, a->keys, 1, 2), last);
}

static mw_id behind(mw_onnx_call *call, mw_id past, mw_id x)
{
    return past == MW_NONE ? x : mw_emit_concat(call, (mw_id[]){past, x}, 2, 2);
}

/* Columns of a vector or matrix of all three parts, added to one. */
static mw_id biased(mw_onnx_call *call, mw_id x, mw_id bias, int64_t first)
{
    if (bias == MW_NONE || call->status != MW_OK)
        return x;
    int64_t n = mw_emit_size(call, x, 2);
    return mw_emit2(call, "add", x, mw_emit_slice(call, bias, 0, first, 1, n));
}

static mw_status many_heads(mw_onnx_call *call)
{
    heads a = {.call = call, .seen = MW_NONE};
    int64_t n = mw_onnx_int(call, "num_heads", 0), at = 0;
    mw_id *part[3] = {&a.q, &a.k, &a.v};
    for (int i = 0; i < 3; i++) {
        mw_id x = mw_onnx_in(call, i);
        if (x == MW_NONE)
            return mw_onnx_refuse(call, "packed operands are not supported");
        bool flat = mw_emit_rank(call, x) == 3;
        if (flat) {
            x = biased(call, x, mw_onnx_in(call, 3), at);
            at += mw_emit_size(call, x, 2);
            x = swap(call, apart(call, x, n));
        }
        *part[i] = x;
    }
    MW_TRY(call->status);
    a.k = behind(call, mw_onnx_in(call, 6), a.k);
    a.v = behind(call, mw_onnx_in(call, 7), a.v);
    MW_TRY(measure(&a));
    a.added = mw_onnx_in(call, 5);
    mask_keys(&a, mw_onnx_in(call, 4));
    see_causal(&a);
    (void)mw_emit_set(call, 1, a.k);
    (void)mw_emit_set(call, 2, a.v);
    return mw_emit_set(call, 0, attended(&a));
}

/* One of two halves of what was kept, [2, b, h, t, d]. */
static mw_id half_of(mw_onnx_call *call, mw_id past, int64_t i)
{
    if (past == MW_NONE)
        return MW_NONE;
    return mw_emit_squeeze(call, mw_emit_slice(call, past, 0, i, 1, 1), 0);
}

static mw_status packed_heads(mw_onnx_call *call)
{
    heads a = {.call = call, .seen = MW_NONE};
    int64_t n = mw_onnx_int(call, "num_heads", 0), at = 0;
    int64_t wide = mw_emit_size(call, call->in[1], 1);
    mw_onnx_list sizes = mw_onnx_ints(call, "qkv_hidden_sizes");
    mw_id past = mw_onnx_in(call, 4), *part[3] = {&a.q, &a.k, &a.v};
    MW_TRY(call->status);
    if ((sizes.given && sizes.n != 3) || mw_onnx_int(call, "do_rotary", 0) != 0)
        return mw_onnx_refuse(call, "%s is not supported",
                              sizes.n != 3 ? "such a list of sizes"
                                           : "do_rotary");
    for (int i = 0; i < 3; i++) {
        int64_t size = sizes.given ? sizes.v[i] : wide / 3;
        mw_id w = mw_emit_slice(call, call->in[1], 1, at, 1, size);
        mw_id x =
            mw_emit_einsum(call, "bsi,io->bso", (mw_id[]){call->in[0], w}, 2);
        x = biased(call, x, mw_onnx_in(call, 2), at);
        *part[i] = swap(call, apart(call, x, n));
        at += size;
    }
    MW_TRY(call->status);
    a.k = behind(call, half_of(call, past, 0), a.k);
    a.v = behind(call, half_of(call, past, 1), a.v);
    MW_TRY(measure(&a));
    a.added = mw_onnx_in(call, 5);
    mask_keys(&a, mw_onnx_in(call, 3));
    see_causal(&a);
    if (mw_emit_wanted(call, 1)) {
        mw_id both[] = {mw_emit_unsqueeze(call, a.k, 0),
                        mw_emit_unsqueeze(call, a.v, 0)};
        (void)mw_emit_set(call, 1, mw_emit_concat(call, both, 2, 0));
    }
    return mw_emit_set(call, 0, attended(&a));
}

#define MICROSOFT .domain = "com.microsoft", .since = 1

static const mw_onnx_rule rules[] = {
    {MICROSOFT, .op = "Attention", .min_in = 2, .max_in = 7,
     .attrs = "do_rotary mask_filter_value num_heads qkv_hidden_sizes scale "
              "unidirectional",
     .build = packed_heads},
    {MICROSOFT, .op = "GroupQueryAttention", .min_in = 1, .max_in = 14,
     .attrs = "do_rotary kv_num_heads local_window_size num_heads "
              "rotary_interleaved scale smooth_softmax softcap",
     .build = group_query},
    {MICROSOFT, .op = "MultiHeadAttention", .min_in = 1, .max_in = 10,
     .attrs = "mask_filter_value num_heads scale unidirectional",
     .build = many_heads},
    {MICROSOFT, .op = "RotaryEmbedding", .min_in = 4, .max_in = 4,
     .attrs = "interleaved is_packed_batching num_heads rotary_embedding_dim "
              "scale",
     .build = rotary},
    {0},
};

const mw_onnx_def mw_onnx_attention_heads = {
    .brief = "attention of ONNX Runtime", .rules = rules};
