/* det.c - determinants, by elimination with partial pivoting. No row is moved:
 * the one that is taken next is a row of a one-hot matrix, and counts for the
 * sign by how many rows that are left stand before it. */
#include "ir/import/emit.h"

enum { MAX_ROWS = 64 };

typedef struct elimination {
    mw_onnx_call *call;
    int64_t batch, n;
    mw_id a;    /* [b, row, column] */
    mw_id left; /* [b, row]: 1 where the row has not been taken */
    mw_id det;  /* [b] */
} elimination;

/* [b, row]: 1 at the row left with the greatest element of a column. */
static mw_id pick(elimination *e, mw_id column)
{
    mw_onnx_call *call = e->call;
    const mw_axes rows = {.n = 1, .axis = {1}};
    mw_id none = mw_emit_like(call, column, -1.0);
    mw_id is_left = mw_emit_by(call, "greater", e->left, 0.0);
    mw_id size =
        mw_emit_where(call, is_left, mw_emit1(call, "abs", column), none);
    mw_id most = mw_emit_reduce(call, "reduce_max", size, &rows, true);
    mw_id row = mw_emit_iota(call, e->n, 1, 2);
    mw_id at = mw_emit_where(call, mw_emit2(call, "equal", size, most), row,
                             mw_emit_number(call, MW_I64, (double)e->n));
    mw_id first = mw_emit_reduce(call, "reduce_min", at, &rows, true);
    return mw_emit_cast(call, mw_emit2(call, "equal", row, first),
                        mw_emit_dtype(call, e->a));
}

/* -1 to the number of rows left before the one taken. */
static mw_id sign_of(elimination *e, mw_id taken)
{
    mw_onnx_call *call = e->call;
    mw_id row = mw_emit_iota(call, e->n, 0, 2);
    mw_id behind = mw_emit_iota(call, e->n, 1, 2);
    mw_id before = mw_emit_cast(call, mw_emit2(call, "less", row, behind),
                                mw_emit_dtype(call, e->a));
    mw_id counts =
        mw_emit_einsum(call, "br,rk->bk", (mw_id[]){e->left, before}, 2);
    mw_id n = mw_emit_einsum(call, "bk,bk->b", (mw_id[]){counts, taken}, 2);
    mw_id odd = mw_emit_by(call, "mod", n, 2.0);
    return mw_emit_by(call, "add", mw_emit_by(call, "mul", odd, -2.0), 1.0);
}

static void take_row(elimination *e, int64_t k)
{
    mw_onnx_call *call = e->call;
    mw_id column =
        mw_emit_squeeze(call, mw_emit_slice(call, e->a, 2, k, 1, 1), 2);
    mw_id taken = pick(e, column);
    mw_id row = mw_emit_einsum(call, "brc,br->bc", (mw_id[]){e->a, taken}, 2);
    mw_id pivot = mw_emit_einsum(call, "br,br->b", (mw_id[]){column, taken}, 2);
    e->det = mw_emit2(call, "mul", e->det,
                      mw_emit2(call, "mul", pivot, sign_of(e, taken)));
    e->left = mw_emit2(call, "sub", e->left, taken);
    mw_id zero = mw_emit_by(call, "equal", pivot, 0.0);
    mw_id one = mw_emit_like(call, pivot, 1.0);
    mw_id by =
        mw_emit1(call, "reciprocal", mw_emit_where(call, zero, one, pivot));
    mw_id share = mw_emit2(call, "mul", mw_emit2(call, "mul", column, e->left),
                           mw_emit_unsqueeze(call, by, 1));
    mw_id off = mw_emit_einsum(call, "br,bc->brc", (mw_id[]){share, row}, 2);
    e->a = mw_emit2(call, "sub", e->a, off);
}

static mw_status det(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int64_t s[MW_MAX_RANK];
    int rank = mw_emit_shape(call, x, s);
    if (rank < 2 || s[rank - 1] != s[rank - 2] || s[rank - 1] > MAX_ROWS)
        return mw_onnx_refuse(call,
                              "matrices of %lld x %lld, wanted square ones of "
                              "at most %d rows",
                              (long long)(rank < 2 ? 0 : s[rank - 2]),
                              (long long)(rank < 1 ? 0 : s[rank - 1]),
                              MAX_ROWS);
    elimination e = {.call = call, .batch = 1, .n = s[rank - 1]};
    for (int i = 0; i < rank - 2; i++)
        e.batch *= s[i];
    const int64_t shape[] = {e.batch, e.n, e.n};
    e.a = mw_emit_reshape(call, x, shape, 3);
    mw_id one = mw_emit_like(call, x, 1.0);
    e.left = mw_emit_broadcast(call, one, shape, 2);
    e.det = mw_emit_broadcast(call, one, shape, 1);
    for (int64_t k = 0; k < e.n; k++)
        take_row(&e, k);
    return mw_emit_set(call, 0, mw_emit_reshape(call, e.det, s, rank - 2));
}

static const mw_onnx_rule rules[] = {
    {.op = "Det", .since = 11, .min_in = 1, .max_in = 1, .build = det},
    {0},
};

const mw_onnx_def mw_onnx_det = {.brief = "determinants", .rules = rules};
