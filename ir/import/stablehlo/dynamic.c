/* dynamic.c - slices whose start is a value, taken and set. */
#include <string.h>

#include "ir/import/stablehlo_moves.h"

/* The start of axis a (operand `first` + a), held to [0, most]: a number when
 * it is known, else a scalar. */
typedef struct start {
    bool known;
    int64_t number;
    mw_id id;
} start;

static start start_of(mw_hlo_call *call, int i, int64_t most)
{
    start s = {.known = most == 0};
    if (s.known || i >= call->n_in)
        return s;
    mw_hlo_ints list = mw_hlo_known(call, i);
    if (call->emit.status != MW_OK)
        return s;
    s.known = list.given && list.n == 1;
    if (s.known)
        s.number = list.v[0] < 0 ? 0 : list.v[0] > most ? most : list.v[0];
    else
        s.id = mw_hlo_hold(call, mw_hlo_in(call, i), most);
    return s;
}

static mw_status dynamic_slice(mw_hlo_call *call)
{
    mw_onnx_call *e = &call->emit;
    mw_id x = mw_hlo_in(call, 0);
    int rank = mw_emit_rank(e, x);
    const char *attr = mw_hlo_attr(call, "sizes") ? "sizes" : "slice_sizes";
    mw_hlo_ints sizes = mw_hlo_list(call, attr, rank, 0);
    MW_TRY(e->status);
    if (call->n_in != rank + 1)
        return mw_hlo_refuse(call, "%d starts for %d axes", call->n_in - 1,
                             rank);
    for (int a = 0; a < rank; a++) {
        int64_t n = mw_emit_size(e, x, a), count = sizes.v[a];
        if (count < 0 || count > n)
            return mw_hlo_refuse(call,
                                 "%lld elements of axis %d, which has "
                                 "%lld",
                                 (long long)count, a, (long long)n);
        start s = start_of(call, a + 1, n - count);
        MW_TRY(e->status);
        if (s.known) {
            x = mw_emit_slice(e, x, a, s.number, 1, count);
        } else {
            mw_id at = mw_emit2(e, "add", mw_emit_iota(e, count, 0, 1), s.id);
            x = mw_emit_gather(e, x, at, a);
        }
        MW_TRY(e->status);
    }
    return mw_hlo_set(call, 0, x);
}

/* Along the only axis that the update does not fill, from a known start: what
 * is before it, the update, what is behind. */
static mw_id join(mw_hlo_call *call, mw_id x, mw_id update, int axis,
                  int64_t first)
{
    mw_onnx_call *e = &call->emit;
    int64_t n = mw_emit_size(e, x, axis), count = mw_emit_size(e, update, axis);
    mw_id part[3];
    int parts = 0;
    if (first > 0)
        part[parts++] = mw_emit_slice(e, x, axis, 0, 1, first);
    part[parts++] = update;
    if (first + count < n)
        part[parts++] =
            mw_emit_slice(e, x, axis, first + count, 1, n - first - count);
    return mw_emit_concat(e, part, parts, axis);
}

/* The update stretched over an axis so that the element for place i stands at
 * i, and the truth of i being one of its places. */
static mw_id stretch(mw_hlo_call *call, mw_id update, int axis, int64_t n,
                     const start *s, mw_id *inside)
{
    mw_onnx_call *e = &call->emit;
    int64_t count = mw_emit_size(e, update, axis);
    int rank = mw_emit_rank(e, update);
    mw_id first =
        s->known ? mw_emit_number(e, MW_I64, (double)s->number) : s->id;
    mw_id place = mw_emit2(e, "sub", mw_emit_iota(e, n, axis, rank), first);
    mw_id here = mw_emit2(e, "and", mw_emit_by(e, "greater_equal", place, 0.0),
                          mw_emit_by(e, "less", place, (double)count));
    *inside = *inside == MW_NONE ? here : mw_emit2(e, "and", *inside, here);
    mw_id at = mw_emit2(e, "sub", mw_emit_iota(e, n, 0, 1), first);
    return mw_emit_gather(e, update, mw_hlo_hold(call, at, count - 1), axis);
}

static mw_status update_slice(mw_hlo_call *call)
{
    mw_onnx_call *e = &call->emit;
    mw_id x = mw_hlo_in(call, 0), update = mw_hlo_in(call, 1);
    int rank = mw_emit_rank(e, x), open = 0, axis = 0;
    start s[MW_MAX_RANK];
    MW_TRY(e->status);
    if (mw_emit_rank(e, update) != rank || call->n_in != rank + 2)
        return mw_hlo_refuse(call,
                             "an update of rank %d and %d starts for "
                             "rank %d",
                             mw_emit_rank(e, update), call->n_in - 2, rank);
    for (int a = 0; a < rank; a++) {
        int64_t n = mw_emit_size(e, x, a), count = mw_emit_size(e, update, a);
        if (count > n)
            return mw_hlo_refuse(call,
                                 "an update of %lld elements of axis %d, "
                                 "which has %lld",
                                 (long long)count, a, (long long)n);
        if (count == 0)
            return mw_hlo_set(call, 0, x);
        s[a] = start_of(call, a + 2, n - count);
        MW_TRY(e->status);
        if (count < n) {
            open++;
            axis = a;
        }
    }
    if (open == 0)
        return mw_hlo_set(call, 0, update);
    if (open == 1 && s[axis].known)
        return mw_hlo_set(call, 0, join(call, x, update, axis, s[axis].number));
    mw_id inside = MW_NONE;
    for (int a = 0; a < rank; a++)
        if (mw_emit_size(e, update, a) < mw_emit_size(e, x, a))
            update =
                stretch(call, update, a, mw_emit_size(e, x, a), &s[a], &inside);
    return mw_hlo_set(call, 0, mw_emit_where(e, inside, update, x));
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.dynamic_slice",
     .min_in = 1,
     .max_in = -1,
     .attrs = "sizes slice_sizes",
     .build = dynamic_slice},
    {.op = "stablehlo.dynamic_update_slice",
     .min_in = 2,
     .max_in = -1,
     .build = update_slice},
    {0},
};

const mw_hlo_def mw_hlo_dynamic = {.brief = "slices that start at a value",
                                   .rules = rules};
