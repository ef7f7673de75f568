/* window.c - reductions of windows, axis by axis, and their gradients. A window
 * is as many strided slices as it has taps; sums up to each place (a window of
 * the whole axis) double their reach step by step. */
#include <string.h>

#include "base/checked.h"
#include "ir/import/stablehlo_fold.h"
#include "ir/import/stablehlo_moves.h"

enum { MAX_TAPS = 2048 };

typedef struct window {
    int rank;
    mw_hlo_ints size, stride, grown, dilation, pad;
} window;

static mw_status read_window(mw_hlo_call *call, window *w)
{
    w->size = mw_hlo_list(call, "window_dimensions", w->rank, 1);
    w->stride = mw_hlo_list(call, "window_strides", w->rank, 1);
    w->grown = mw_hlo_list(call, "base_dilations", w->rank, 1);
    w->dilation = mw_hlo_list(call, "window_dilations", w->rank, 1);
    w->pad = mw_hlo_list(call, "padding", 2 * w->rank, 0);
    MW_TRY(call->emit.status);
    for (int a = 0; a < w->rank; a++)
        if (w->size.v[a] < 1 || w->size.v[a] > INT32_MAX ||
            w->stride.v[a] < 1 || w->stride.v[a] > INT32_MAX ||
            w->grown.v[a] < 1 || w->grown.v[a] > INT32_MAX ||
            w->dilation.v[a] < 1 || w->dilation.v[a] > INT32_MAX)
            return mw_hlo_refuse(
                call,
                "the window of axis %d has size %lld, "
                "stride %lld and dilations %lld and "
                "%lld",
                a, (long long)w->size.v[a], (long long)w->stride.v[a],
                (long long)w->grown.v[a], (long long)w->dilation.v[a]);
    return MW_OK;
}

static mw_hlo_padding padding_of(const window *w, int axis)
{
    return (mw_hlo_padding){.low = w->pad.v[2 * axis],
                            .high = w->pad.v[2 * axis + 1],
                            .interior = w->grown.v[axis] - 1};
}

/* How often a window fits into n elements; -1 where n is negative. */
static int64_t count_of(const window *w, int axis, int64_t n)
{
    int64_t reach = (w->size.v[axis] - 1) * w->dilation.v[axis] + 1;
    if (n < 0)
        return -1;
    return n < reach ? 0 : (n - reach) / w->stride.v[axis] + 1;
}

/* Each place gets all before it: reach 1, 2, 4, ... */
static mw_status accumulate(mw_hlo_call *call, const mw_hlo_fold *fold,
                            int axis, bool forward, mw_id x[])
{
    mw_onnx_call *e = &call->emit;
    int64_t n = mw_emit_size(e, x[0], axis);
    for (int64_t by = 1; by < n; by *= 2) {
        mw_id head[MW_HLO_FOLD_MAX], near[MW_HLO_FOLD_MAX],
            far[MW_HLO_FOLD_MAX], both[MW_HLO_FOLD_MAX], part[2];
        for (int k = 0; k < fold->n; k++) {
            head[k] = mw_emit_slice(e, x[k], axis, forward ? 0 : n - by, 1, by);
            near[k] = mw_emit_slice(e, x[k], axis, forward ? by : 0, 1, n - by);
            far[k] = mw_emit_slice(e, x[k], axis, forward ? 0 : by, 1, n - by);
        }
        MW_TRY(e->status);
        MW_TRY(mw_hlo_fold_two(call, fold, forward ? far : near,
                               forward ? near : far, both));
        for (int k = 0; k < fold->n; k++) {
            part[0] = forward ? head[k] : both[k];
            part[1] = forward ? both[k] : head[k];
            x[k] = mw_emit_concat(e, part, 2, axis);
        }
        MW_TRY(e->status);
    }
    return MW_OK;
}

/* A window of the whole axis that ends, or begins, at each place. */
static bool is_running(const window *w, int axis, int64_t n, bool *forward)
{
    int64_t low = w->pad.v[2 * axis], high = w->pad.v[2 * axis + 1];
    *forward = low == n - 1 && high == 0;
    bool backward = high == n - 1 && low == 0;
    return n > 1 && w->size.v[axis] == n && w->stride.v[axis] == 1 &&
           w->grown.v[axis] == 1 && w->dilation.v[axis] == 1 &&
           (*forward || backward);
}

static mw_status running_sum(mw_hlo_call *call, int axis, bool forward,
                             mw_id *x)
{
    int64_t at = axis, reverse = !forward, exclusive = 0;
    mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &at},
        {.name = "exclusive", .kind = MW_ATTR_INT, .n = 1, .i = &exclusive},
        {.name = "reverse", .kind = MW_ATTR_INT, .n = 1, .i = &reverse}};
    *x = mw_emit(&call->emit, "cumsum", x, 1, attr, 3);
    return call->emit.status;
}

/* One axis: slices of all taps, reduced in their order. */
static mw_status slide(mw_hlo_call *call, const mw_hlo_fold *fold,
                       const window *w, int axis, const mw_id init[], mw_id x[])
{
    mw_onnx_call *e = &call->emit;
    int64_t n = mw_emit_size(e, x[0], axis);
    int64_t count = count_of(w, axis, mw_hlo_padded(n, padding_of(w, axis)));
    mw_id sum[MW_HLO_FOLD_MAX], tap[MW_HLO_FOLD_MAX];
    if (count < 0 || w->size.v[axis] > MAX_TAPS)
        return mw_hlo_refuse(call, "a window of %lld over axis %d of %lld",
                             (long long)w->size.v[axis], axis, (long long)n);
    for (int k = 0; k < fold->n; k++)
        x[k] = mw_hlo_pad(call, x[k], axis, padding_of(w, axis), init[k]);
    for (int64_t t = 0; t < w->size.v[axis]; t++) {
        for (int k = 0; k < fold->n; k++) {
            tap[k] = mw_emit_slice(e, x[k], axis, t * w->dilation.v[axis],
                                   w->stride.v[axis], count);
            if (t == 0)
                sum[k] = tap[k];
        }
        MW_TRY(e->status);
        if (t > 0)
            MW_TRY(mw_hlo_fold_two(call, fold, sum, tap, sum));
    }
    for (int k = 0; k < fold->n; k++)
        x[k] = sum[k];
    return e->status;
}

static bool is_plain(const window *w, int axis)
{
    return w->size.v[axis] == 1 && w->stride.v[axis] == 1 &&
           w->grown.v[axis] == 1 && w->pad.v[2 * axis] == 0 &&
           w->pad.v[2 * axis + 1] == 0;
}

static mw_status reduce_window(mw_hlo_call *call)
{
    mw_onnx_call *e = &call->emit;
    mw_hlo_fold fold = {.n = call->n_in / 2};
    mw_id x[MW_HLO_FOLD_MAX], init[MW_HLO_FOLD_MAX];
    window w;
    if (call->n_in % 2 != 0 || call->op->n_blocks != 1)
        return mw_hlo_refuse(call,
                             "it has %d operands and %lld regions, "
                             "wanted pairs and 1",
                             call->n_in, (long long)call->op->n_blocks);
    fold.block = &call->op->block[0];
    fold.reducer = mw_hlo_reducer(fold.block);
    for (int k = 0; k < fold.n; k++) {
        x[k] = mw_hlo_in(call, k);
        init[k] = mw_hlo_in(call, fold.n + k);
    }
    w.rank = mw_emit_rank(e, x[0]);
    MW_TRY(read_window(call, &w));
    bool sum = fold.n == 1 && fold.reducer &&
               strcmp(fold.reducer, "add") == 0 &&
               mw_emit_dtype(e, x[0]) != MW_BOOL;
    for (int a = 0; a < w.rank; a++) {
        bool forward;
        if (is_plain(&w, a))
            continue;
        if (!is_running(&w, a, mw_emit_size(e, x[0], a), &forward))
            MW_TRY(slide(call, &fold, &w, a, init, x));
        else if (sum)
            MW_TRY(running_sum(call, a, forward, &x[0]));
        else
            MW_TRY(accumulate(call, &fold, a, forward, x));
    }
    MW_TRY(mw_hlo_fold_two(call, &fold, init, x, x));
    for (int k = 0; k < fold.n; k++)
        (void)mw_hlo_set(call, k, x[k]);
    return e->status;
}

/* ---- gradients of maxima ---- */

/* All taps of windows of x: slices one after the other. */
typedef struct taps {
    int64_t n;
    int64_t count[MW_MAX_RANK], padded[MW_MAX_RANK];
} taps;

static mw_status count_taps(mw_hlo_call *call, const window *w, mw_id x,
                            taps *t)
{
    t->n = 1;
    for (int a = 0; a < w->rank; a++) {
        t->padded[a] =
            mw_hlo_padded(mw_emit_size(&call->emit, x, a), padding_of(w, a));
        t->count[a] = count_of(w, a, t->padded[a]);
        if (t->count[a] < 0 || w->size.v[a] > MAX_TAPS ||
            t->n * w->size.v[a] > MAX_TAPS)
            return mw_hlo_refuse(call, "windows of more than %d elements",
                                 MAX_TAPS);
        t->n *= w->size.v[a];
    }
    return MW_OK;
}

/* Offset of tap k along an axis; row-major. */
static int64_t offset(const window *w, int axis, int64_t k)
{
    for (int a = w->rank - 1; a > axis; a--)
        k /= w->size.v[a];
    return k % w->size.v[axis];
}

static mw_id tap_of(mw_hlo_call *call, const window *w, const taps *t, mw_id x,
                    int64_t k)
{
    for (int a = 0; a < w->rank; a++)
        x = mw_emit_slice(&call->emit, x, a, offset(w, a, k), w->stride.v[a],
                          t->count[a]);
    return x;
}

/* Which tap each window selects: the first for which the region holds against
 * all later ones. Taps outside x are never selected. */
static mw_status select_taps(mw_hlo_call *call, const window *w, const taps *t,
                             mw_id x, mw_id *chosen)
{
    mw_onnx_call *e = &call->emit;
    mw_id padded = x, inside, best = MW_NONE;
    mw_id zero = mw_emit_like(e, x, 0.0), none = mw_emit_number(e, MW_I32, 0.0);
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(e, x, shape);
    inside = mw_emit_broadcast(e, mw_emit_number(e, MW_I32, 1.0), shape, rank);
    for (int a = 0; a < w->rank; a++) {
        padded = mw_hlo_pad(call, padded, a, padding_of(w, a), zero);
        inside = mw_hlo_pad(call, inside, a, padding_of(w, a), none);
    }
    *chosen = mw_emit_number(e, MW_I32, -1.0);
    for (int64_t k = 0; k < t->n; k++) {
        mw_id value = tap_of(call, w, t, padded, k);
        mw_id there =
            mw_emit_by(e, "equal", tap_of(call, w, t, inside, k), 1.0);
        mw_id number = mw_emit_number(e, MW_I32, (double)k);
        MW_TRY(e->status);
        if (best == MW_NONE) {
            best = value;
            *chosen = mw_emit_where(e, there, number, *chosen);
            continue;
        }
        const mw_hlo_value in[2] = {{.id = best}, {.id = value}};
        mw_hlo_value keeps;
        call->build->whole++;
        mw_status status =
            mw_hlo_region(call, &call->op->block[0], in, 2, &keeps, 1);
        call->build->whole--;
        MW_TRY(status);
        mw_id had = mw_emit_by(e, "greater_equal", *chosen, 0.0);
        mw_id stay = mw_emit2(e, "and", had, mw_hlo_whole(call, keeps));
        mw_id take = mw_emit2(e, "and", there, mw_emit1(e, "not", stay));
        best = mw_emit_where(e, take, value, best);
        *chosen = mw_emit_where(e, take, number, *chosen);
    }
    return e->status;
}

/* The source where tap k is chosen, at the tap's places of the padded x; then
 * cut to x. */
static mw_id put_back(mw_hlo_call *call, const window *w, const taps *t,
                      mw_id source, int64_t k)
{
    mw_id zero = mw_emit_like(&call->emit, source, 0.0);
    for (int a = 0; a < w->rank; a++) {
        int64_t at = offset(w, a, k);
        mw_hlo_padding to = {.low = at, .interior = w->stride.v[a] - 1};
        int64_t reach = mw_hlo_padded(t->count[a], to);
        to.high = t->padded[a] - reach - w->pad.v[2 * a + 1];
        to.low -= w->pad.v[2 * a];
        source = mw_hlo_pad(call, source, a, to, zero);
    }
    return source;
}

static mw_status select_and_scatter(mw_hlo_call *call)
{
    mw_onnx_call *e = &call->emit;
    mw_id x = mw_hlo_in(call, 0), source = mw_hlo_in(call, 1);
    mw_id init = mw_hlo_in(call, 2), chosen, sum = MW_NONE;
    window w = {.rank = mw_emit_rank(e, x)};
    taps t;
    MW_TRY(read_window(call, &w));
    const char *reducer =
        call->op->n_blocks == 2 ? mw_hlo_reducer(&call->op->block[1]) : NULL;
    if (!reducer || strcmp(reducer, "add") != 0)
        return mw_hlo_refuse(call, "only sums of what is scattered are "
                                   "supported");
    MW_TRY(count_taps(call, &w, x, &t));
    for (int a = 0; a < w.rank; a++)
        if (mw_emit_rank(e, source) != w.rank ||
            mw_emit_size(e, source, a) != t.count[a])
            return mw_hlo_refuse(call, "its source has other sizes than the "
                                       "windows");
    MW_TRY(select_taps(call, &w, &t, x, &chosen));
    for (int64_t k = 0; k < t.n; k++) {
        mw_id mine = mw_emit_by(e, "equal", chosen, (double)k);
        mw_id part =
            mw_emit_where(e, mine, source, mw_emit_like(e, source, 0.0));
        part = put_back(call, &w, &t, part, k);
        sum = sum == MW_NONE ? part : mw_emit2(e, "add", sum, part);
        MW_TRY(e->status);
    }
    return mw_hlo_set(call, 0, mw_emit2(e, "add", sum, init));
}

#define WINDOW_ATTRS                                                           \
    "window_dimensions window_strides base_dilations window_dilations padding"

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.reduce_window",
     .min_in = 2,
     .max_in = 2 * MW_HLO_FOLD_MAX,
     .attrs = WINDOW_ATTRS,
     .build = reduce_window},
    {.op = "stablehlo.select_and_scatter",
     .min_in = 3,
     .max_in = 3,
     .attrs = WINDOW_ATTRS,
     .build = select_and_scatter},
    {0},
};

const mw_hlo_def mw_hlo_window = {.brief = "windows", .rules = rules};
