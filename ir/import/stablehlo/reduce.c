/* reduce.c - reductions: by an op where the region is one, else halves folded
 * onto each other, as the region must be associative. */
#include <math.h>
#include <string.h>

#include "ir/fold.h"
#include "ir/import/stablehlo_call.h"
#include "ir/import/stablehlo_fold.h"
#include "ir/number.h"

/* The element that a reduction starts from without a trace. */
static bool is_neutral(mw_hlo_call *call, const char *reducer, mw_id id)
{
    mw_onnx_call *e = &call->emit;
    bool uniform = false;
    uint64_t bits = 0;
    mw_dtype dtype = mw_emit_dtype(e, id);
    if (mw_fold_uniform(e->graph, id, &uniform, &bits) != MW_OK || !uniform)
        return false;
    uint64_t wanted = 0;
    bool truth = dtype == MW_BOOL;
    mw_number least = mw_number_least(dtype), most = mw_number_largest(dtype);
    bool max = strcmp(reducer, "max") == 0, min = strcmp(reducer, "min") == 0;
    if (max || min) {
        mw_number number = max ? least : most;
        if (truth)
            number = (mw_number){.u = min};
        mw_numbers_store(dtype, &wanted, 0, 1, 1, &number);
    } else {
        bool one = strcmp(reducer, "mul") == 0 || strcmp(reducer, "and") == 0;
        mw_fold_element(dtype, one, &wanted);
    }
    return memcmp(&wanted, &bits, (size_t)mw_dtype_bytes(dtype)) == 0;
}

static const struct {
    const char *reducer, *def, *map;
    bool truth; /* of truth values: the same of 0 and 1 */
} reductions[] = {
    {"add", "reduce_sum", "add", false}, {"mul", "reduce_prod", "mul", false},
    {"max", "reduce_max", "max", false}, {"min", "reduce_min", "min", false},
    {"add", "reduce_max", "or", true},   {"or", "reduce_max", "or", true},
    {"max", "reduce_max", "or", true},   {"mul", "reduce_min", "and", true},
    {"and", "reduce_min", "and", true},  {"min", "reduce_min", "and", true},
};

/* Result 0 by an op; false in *done when there is none. */
static mw_status by_op(mw_hlo_call *call, const char *reducer,
                       const mw_axes *axes, bool *done)
{
    mw_onnx_call *e = &call->emit;
    mw_dtype dtype = mw_emit_dtype(e, call->in[0].id);
    bool truth = dtype == MW_BOOL;
    *done = false;
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++) {
        if (strcmp(reductions[i].reducer, reducer) != 0 ||
            reductions[i].truth != truth)
            continue;
        mw_id x = mw_hlo_in(call, 0), init = mw_hlo_in(call, 1);
        x = mw_emit_cast(e, x, truth ? MW_I32 : dtype);
        mw_id y = mw_emit_reduce(e, reductions[i].def, x, axes, false);
        y = mw_emit_cast(e, y, dtype);
        MW_TRY(e->status);
        if (!is_neutral(call, reducer, init))
            y = mw_emit2(e, reductions[i].map, init, y);
        *done = true;
        return mw_hlo_set(call, 0, y);
    }
    return MW_OK;
}

/* The axis's elements two by two, until one is left. */
static mw_status fold_axis(mw_hlo_call *call, const mw_hlo_fold *fold, int axis,
                           mw_id x[])
{
    mw_onnx_call *e = &call->emit;
    for (;;) {
        int64_t n = mw_emit_size(e, x[0], axis);
        mw_id first[MW_HLO_FOLD_MAX], second[MW_HLO_FOLD_MAX],
            last[MW_HLO_FOLD_MAX], two[2];
        if (n <= 1)
            return e->status;
        for (int k = 0; k < fold->n; k++) {
            first[k] = mw_emit_slice(e, x[k], axis, 0, 2, n / 2);
            second[k] = mw_emit_slice(e, x[k], axis, 1, 2, n / 2);
            last[k] = mw_emit_slice(e, x[k], axis, n - 1, 1, 1);
        }
        MW_TRY(e->status);
        MW_TRY(mw_hlo_fold_two(call, fold, first, second, x));
        for (int k = 0; k < fold->n && n % 2 != 0; k++) {
            two[0] = x[k];
            two[1] = last[k];
            x[k] = mw_emit_concat(e, two, 2, axis);
        }
        MW_TRY(e->status);
    }
}

static mw_status by_region(mw_hlo_call *call, const mw_hlo_fold *fold,
                           const mw_axes *axes)
{
    mw_onnx_call *e = &call->emit;
    mw_id x[MW_HLO_FOLD_MAX], init[MW_HLO_FOLD_MAX], y[MW_HLO_FOLD_MAX];
    for (int k = 0; k < fold->n; k++) {
        x[k] = mw_hlo_in(call, k);
        init[k] = mw_hlo_in(call, fold->n + k);
    }
    MW_TRY(e->status);
    for (int i = 0; i < axes->n; i++) {
        if (mw_emit_size(e, x[0], axes->axis[i]) == 0)
            return mw_hlo_refuse(call, "a reduction of no elements by a "
                                       "region is not supported");
        MW_TRY(fold_axis(call, fold, axes->axis[i], x));
    }
    for (int i = axes->n - 1; i >= 0; i--)
        for (int k = 0; k < fold->n; k++)
            x[k] = mw_emit_squeeze(e, x[k], axes->axis[i]);
    MW_TRY(e->status);
    MW_TRY(mw_hlo_fold_two(call, fold, init, x, y));
    for (int k = 0; k < fold->n; k++)
        (void)mw_hlo_set(call, k, y[k]);
    return e->status;
}

/* Axes in ascending order, each once. */
static mw_status read_axes(mw_hlo_call *call, int rank, mw_axes *axes)
{
    mw_hlo_ints dims = mw_hlo_list(call, "dimensions", -1, 0);
    bool reduced[MW_MAX_RANK] = {false};
    MW_TRY(call->emit.status);
    axes->n = 0;
    for (int i = 0; i < dims.n; i++) {
        if (dims.v[i] < 0 || dims.v[i] >= rank || reduced[dims.v[i]])
            return mw_hlo_refuse(call,
                                 "dimension %lld of a rank of %d, or "
                                 "twice",
                                 (long long)dims.v[i], rank);
        reduced[dims.v[i]] = true;
    }
    for (int a = 0; a < rank; a++)
        if (reduced[a])
            axes->axis[axes->n++] = a;
    return MW_OK;
}

static mw_status reduce(mw_hlo_call *call)
{
    mw_hlo_fold fold = {.n = call->n_in / 2};
    mw_axes axes;
    if (call->n_in % 2 != 0 || fold.n > MW_HLO_FOLD_MAX)
        return mw_hlo_refuse(call, "%d operands, wanted pairs, at most %d",
                             call->n_in, MW_HLO_FOLD_MAX);
    MW_TRY(read_axes(call, mw_emit_rank(&call->emit, call->in[0].id), &axes));
    if (call->op->n_blocks == 1)
        fold.block = &call->op->block[0];
    fold.reducer = fold.block ? mw_hlo_reducer(fold.block) : NULL;
    for (int64_t k = 0; k < call->op->attr.n && !fold.block; k++) {
        const mw_hlo_item *item = &call->op->attr.item[k];
        if (!item->name && item->kind == MW_HLO_WORD && !fold.reducer)
            fold.reducer = mw_hlo_reducer_of(item->text);
    }
    if (!fold.block && !fold.reducer)
        return mw_hlo_refuse(call, "its reduction is not known");
    bool done = false;
    if (fold.reducer && fold.n == 1)
        MW_TRY(by_op(call, fold.reducer, &axes, &done));
    return done ? MW_OK : by_region(call, &fold, &axes);
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.reduce",
     .min_in = 2,
     .max_in = 2 * MW_HLO_FOLD_MAX,
     .attrs = "dimensions",
     .build = reduce},
    {0},
};

const mw_hlo_def mw_hlo_reduce = {.brief = "reductions", .rules = rules};
