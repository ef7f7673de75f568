/*
 * choose.c - elements that values choose. How many there are follows from known
 * values or is said beforehand (ir/import/counts.c); which ones is found when
 * the model runs.
 */
#include "ir/import/emit.h"

enum { UNIQUE_COLUMNS = 1024 }; /* that rows are compared by, a sort each */

static const int64_t zero = 0;
static const mw_attr first_axis = {
    .name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &zero};

static mw_id as_vector(mw_onnx_call *call, mw_id x)
{
    int64_t n = mw_tensor_elements(mw_emit_tensor(call, x));
    return mw_emit_reshape(call, x, &n, 1);
}

/* The input and the axis that is gone through; without one, all as a vector. */
static mw_id along_axis(mw_onnx_call *call, int *axis)
{
    mw_id x = call->in[0];
    *axis = 0;
    if (!mw_onnx_attr_find(call, "axis"))
        return as_vector(call, x);
    *axis =
        mw_emit_axis(call, mw_onnx_int(call, "axis", 0), mw_emit_rank(call, x));
    return x;
}

static mw_id is_true(mw_onnx_call *call, mw_id x)
{
    if (mw_emit_dtype(call, x) == MW_BOOL)
        return x;
    return mw_emit1(call, "not", mw_emit_by(call, "equal", x, 0.0));
}

static mw_id part(mw_onnx_call *call, mw_id x, int64_t start, int64_t n)
{
    return mw_emit_slice(call, x, 0, start, 1, n);
}

/* ---- Compress, NonZero ---- */

static mw_status compress(mw_onnx_call *call)
{
    int axis;
    mw_id mask = is_true(call, call->in[1]), x = along_axis(call, &axis);
    MW_TRY(call->status);
    if (mw_emit_rank(call, mask) != 1)
        return mw_onnx_refuse(call, "condition has rank %d, wanted 1",
                              mw_emit_rank(call, mask));
    mw_id at = mw_emit_places(call, mask, 0, axis);
    return mw_emit_set(call, 0, mw_emit_gather(call, x, at, axis));
}

/* A row of indices for each axis. */
static mw_status non_zero(mw_onnx_call *call)
{
    int64_t shape[MW_MAX_RANK];
    mw_id x = call->in[0], row[MW_MAX_RANK + 1];
    int rank = mw_emit_shape(call, x, shape);
    mw_id at = mw_emit_places(call, is_true(call, as_vector(call, x)), 0, 1);
    row[0] = mw_emit_unsqueeze(call, at, 0);
    for (int a = rank - 1; a > 0; a--) {
        row[a] = mw_emit_unsqueeze(
            call, mw_emit_by(call, "mod", at, (double)shape[a]), 0);
        at = mw_emit_by(call, "div", at, (double)shape[a]);
        row[0] = mw_emit_unsqueeze(call, at, 0);
    }
    return mw_emit_set(call, 0,
                       mw_emit_concat(call, row, rank > 1 ? rank : 1, 0));
}

/* ---- Unique ---- */

/* What is compared, [n, columns], and what is made of it. */
typedef struct unique {
    mw_onnx_call *call;
    mw_id rows;
    int64_t n, columns;
    mw_id order; /* of the rows, equal ones as they come */
    mw_id first; /* in this order: no row before is the same */
    mw_id at;    /* the places of those */
} unique;

static mw_id order_of(mw_onnx_call *call, mw_id x)
{
    mw_id out[2] = {MW_NONE, MW_NONE};
    if (mw_emit_dtype(call, x) == MW_BOOL)
        x = mw_emit_cast(call, x, MW_I32);
    mw_emit_two(call, "sort", x, &first_axis, 1, out);
    return out[1];
}

/* By the last column first: a sort keeps the order of equal elements. */
static void sort_rows(unique *u)
{
    mw_onnx_call *call = u->call;
    u->order = MW_NONE;
    for (int64_t c = u->columns - 1; c >= 0 && call->status == MW_OK; c--) {
        mw_id key =
            mw_emit_squeeze(call, mw_emit_slice(call, u->rows, 1, c, 1, 1), 1);
        if (u->order == MW_NONE) {
            u->order = order_of(call, key);
            continue;
        }
        mw_id by = order_of(call, mw_emit_gather(call, key, u->order, 0));
        u->order = mw_emit_gather(call, u->order, by, 0);
    }
}

static void mark_first(unique *u)
{
    mw_onnx_call *call = u->call;
    const mw_axes columns = {.n = 1, .axis = {1}};
    mw_id yes = mw_emit_reshape(call, mw_emit_number(call, MW_BOOL, 1.0),
                                (const int64_t[]){1}, 1);
    u->first = yes;
    if (u->n > 1) {
        mw_id sorted = mw_emit_gather(call, u->rows, u->order, 0);
        mw_id same = mw_emit2(call, "equal", part(call, sorted, 1, u->n - 1),
                              part(call, sorted, 0, u->n - 1));
        mw_id differ = mw_emit_cast(call, mw_emit1(call, "not", same), MW_I32);
        differ = mw_emit_reduce(call, "reduce_max", differ, &columns, false);
        differ = mw_emit_cast(call, differ, MW_BOOL);
        u->first = mw_emit_concat(call, (mw_id[]){yes, differ}, 2, 0);
    }
}

/* How many rows are the same as each that was found. */
static mw_id counts_of(const unique *u)
{
    mw_onnx_call *call = u->call;
    int64_t k = mw_emit_size(call, u->at, 0);
    mw_id behind = mw_emit_vector(call, &u->n, 1);
    if (k > 1)
        behind = mw_emit_concat(
            call, (mw_id[]){part(call, u->at, 1, k - 1), behind}, 2, 0);
    return mw_emit2(call, "sub", behind, u->at);
}

/* Of each row, which of those found it is the same as. */
static mw_id inverse_of(const unique *u)
{
    mw_onnx_call *call = u->call;
    mw_id one = mw_emit_cast(call, u->first, MW_I64);
    mw_id upto = mw_emit(call, "cumsum", &one, 1, &first_axis, 1);
    mw_id group = mw_emit_by(call, "sub", upto, 1.0);
    return mw_emit_gather(call, group, order_of(call, u->order), 0);
}

/* The rows that are compared are the parts of x along the axis. */
static mw_status take_rows(unique *u, mw_id x, int axis)
{
    mw_onnx_call *call = u->call;
    int64_t perm[MW_MAX_RANK],
        all = mw_tensor_elements(mw_emit_tensor(call, x));
    int rank = mw_emit_rank(call, x);
    perm[0] = axis;
    for (int i = 0, at = 1; i < rank; i++)
        if (i != axis)
            perm[at++] = i;
    u->n = mw_emit_size(call, x, axis);
    u->columns = u->n > 0 ? all / u->n : 0;
    if (u->columns < 1 || u->columns > UNIQUE_COLUMNS)
        return mw_onnx_refuse(call,
                              "%lld parts of %lld elements are compared, "
                              "wanted one or more of 1 to %d",
                              (long long)u->n, (long long)u->columns,
                              UNIQUE_COLUMNS);
    u->rows = mw_emit_reshape(call, mw_emit_transpose(call, x, perm),
                              (const int64_t[]){u->n, u->columns}, 2);
    return call->status;
}

/* The first named output that has an element for each that is found. */
static void find_places(unique *u, int axis)
{
    int o = 0;
    while (o < u->call->n_out && (o == 2 || !mw_emit_wanted(u->call, o)))
        o++;
    if (o == u->call->n_out) /* the inverse alone */
        return;
    u->at = mw_emit_places(u->call, u->first, o, o == 0 ? axis : 0);
}

static mw_status find_unique(mw_onnx_call *call)
{
    int axis;
    mw_id x = along_axis(call, &axis), counts = MW_NONE, index = MW_NONE;
    bool sorted = mw_onnx_int(call, "sorted", 1) != 0;
    unique u = {.call = call, .at = MW_NONE};
    MW_TRY(call->status);
    MW_TRY(take_rows(&u, x, axis));
    sort_rows(&u);
    mark_first(&u);
    find_places(&u, axis);
    if (!sorted && u.at == MW_NONE)
        return mw_onnx_refuse(call, "the inverse alone, not sorted, is not "
                                    "supported: name another output too");
    mw_id inverse = mw_emit_wanted(call, 2) ? inverse_of(&u) : MW_NONE;
    if (u.at != MW_NONE) {
        counts = counts_of(&u);
        index = mw_emit_gather(call, u.order, u.at, 0);
    }
    if (!sorted) {
        mw_id by = order_of(call, index);
        index = mw_emit_gather(call, index, by, 0);
        counts = mw_emit_gather(call, counts, by, 0);
        if (inverse != MW_NONE)
            inverse = mw_emit_gather(call, order_of(call, by), inverse, 0);
    }
    if (mw_emit_wanted(call, 0))
        MW_TRY(mw_emit_set(call, 0, mw_emit_gather(call, x, index, axis)));
    MW_TRY(mw_emit_set(call, 1, index));
    MW_TRY(mw_emit_set(call, 2, inverse));
    return mw_emit_set(call, 3, counts);
}

static const mw_onnx_rule rules[] = {
    {.op = "Compress",
     .since = 9,
     .min_in = 2,
     .max_in = 2,
     .attrs = "axis",
     .build = compress,
     .counts = true},
    {.op = "NonZero",
     .since = 9,
     .min_in = 1,
     .max_in = 1,
     .build = non_zero,
     .counts = true},
    {.op = "Unique",
     .since = 11,
     .min_in = 1,
     .max_in = 1,
     .attrs = "axis sorted",
     .build = find_unique,
     .counts = true},
    {0},
};

const mw_onnx_def mw_onnx_choose = {.brief = "elements that values choose",
                                    .rules = rules};
