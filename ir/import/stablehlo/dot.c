/* dot.c - dot_general: batch axes, free axes of both operands, contracted
 * ones, as an einsum. */
#include <stdio.h>

#include "ir/import/stablehlo_call.h"

typedef struct dims {
    int n;
    int64_t axis[2][MW_MAX_RANK];
} dims;

/* Axes of both sides, each in its range and there once. */
static mw_status take(mw_hlo_call *call, const mw_hlo_item *left,
                      const mw_hlo_item *right, uint32_t seen[2], dims *to)
{
    const mw_hlo_item *side[2] = {left, right};
    mw_hlo_ints list[2];
    for (int s = 0; s < 2; s++) {
        list[s] = mw_hlo_ints_of(call, side[s]);
        MW_TRY(call->emit.status);
        int rank = mw_emit_rank(&call->emit, call->in[s].id);
        for (int i = 0; i < list[s].n; i++) {
            int64_t a = list[s].v[i];
            if (a < 0 || a >= rank || (seen[s] & 1U << a))
                return mw_hlo_refuse(call,
                                     "dimension %lld of operand %d, whose "
                                     "rank is %d, or twice",
                                     (long long)a, s, rank);
            seen[s] |= 1U << a;
            to->axis[s][i] = a;
        }
    }
    if (list[0].n != list[1].n)
        return mw_hlo_refuse(call, "%d dimensions meet %d", list[0].n,
                             list[1].n);
    to->n = list[0].n;
    return MW_OK;
}

/* contracting_dims = [1] x [0], or parts of #stablehlo.dot<...>. */
static mw_status take_named(mw_hlo_call *call, const char *pretty,
                            const char *generic[2], uint32_t seen[2], dims *to)
{
    const mw_hlo_item *item = mw_hlo_attr(call, pretty);
    const mw_hlo_item *whole = mw_hlo_attr(call, "dot_dimension_numbers");
    to->n = 0;
    if (item && item->kind == MW_HLO_LIST && item->n == 2 &&
        item->item[0].kind == MW_HLO_LIST)
        return take(call, &item->item[0], &item->item[1], seen, to);
    if (item)
        return mw_hlo_refuse(call, "'%s' is no [..] x [..]", pretty);
    if (!whole)
        return MW_OK;
    const mw_hlo_item *left = mw_hlo_item_find(whole, generic[0]);
    const mw_hlo_item *right = mw_hlo_item_find(whole, generic[1]);
    if (!left && !right)
        return MW_OK;
    if (!left || !right)
        return mw_hlo_refuse(call, "%s and %s go together", generic[0],
                             generic[1]);
    return take(call, left, right, seen, to);
}

static char letter(int i)
{
    return (char)(i < 26 ? 'a' + i : 'A' + i - 26);
}

/* Letters of both operands and the result, which has batch axes first, then
 * the free ones of the left, then of the right. */
static mw_id contract(mw_hlo_call *call, const mw_id in[2], const dims *batch,
                      const dims *sum)
{
    enum { MAX_SPEC = 4 * MW_MAX_RANK + 8 };
    char side[2][MW_MAX_RANK + 1] = {{0}}, out[2 * MW_MAX_RANK + 1] = {0};
    char spec[MAX_SPEC];
    int n = 0, n_out = 0;
    for (int i = 0; i < batch->n; i++, n++) {
        side[0][batch->axis[0][i]] = side[1][batch->axis[1][i]] = letter(n);
        out[n_out++] = letter(n);
    }
    for (int i = 0; i < sum->n; i++, n++)
        side[0][sum->axis[0][i]] = side[1][sum->axis[1][i]] = letter(n);
    for (int s = 0; s < 2; s++)
        for (int a = 0; a < mw_emit_rank(&call->emit, in[s]); a++)
            if (!side[s][a]) {
                side[s][a] = out[n_out++] = letter(n);
                n++;
            }
    (void)snprintf(spec, sizeof spec, "%s,%s->%s", side[0], side[1], out);
    return mw_emit_einsum(&call->emit, spec, in, 2);
}

static mw_status check_sizes(mw_hlo_call *call, const mw_id in[2],
                             const dims *pairs)
{
    for (int i = 0; i < pairs->n; i++) {
        int64_t left = mw_emit_size(&call->emit, in[0], (int)pairs->axis[0][i]);
        int64_t right =
            mw_emit_size(&call->emit, in[1], (int)pairs->axis[1][i]);
        if (left != right)
            return mw_hlo_refuse(
                call,
                "dimension %lld of the left is %lld, dimension %lld of "
                "the right %lld",
                (long long)pairs->axis[0][i], (long long)left,
                (long long)pairs->axis[1][i], (long long)right);
    }
    return MW_OK;
}

static mw_status multiply(mw_hlo_call *call, const dims *batch, const dims *sum)
{
    mw_dtype dtype = mw_hlo_out_dtype(call, 0);
    mw_id in[2];
    for (int s = 0; s < 2; s++)
        in[s] = mw_emit_cast(&call->emit, mw_hlo_in(call, s), dtype);
    MW_TRY(call->emit.status);
    int free = mw_emit_rank(&call->emit, in[0]) +
               mw_emit_rank(&call->emit, in[1]) - 2 * sum->n - batch->n;
    if (free > MW_MAX_RANK)
        return mw_hlo_refuse(call, "its result has rank %d, at most %d", free,
                             MW_MAX_RANK);
    MW_TRY(check_sizes(call, in, batch));
    MW_TRY(check_sizes(call, in, sum));
    return mw_hlo_set(call, 0, contract(call, in, batch, sum));
}

static mw_status dot_general(mw_hlo_call *call)
{
    static const char *batching[2] = {"lhs_batching_dimensions",
                                      "rhs_batching_dimensions"};
    static const char *contracting[2] = {"lhs_contracting_dimensions",
                                         "rhs_contracting_dimensions"};
    uint32_t seen[2] = {0};
    dims batch, sum;
    MW_TRY(take_named(call, "batching_dims", batching, seen, &batch));
    MW_TRY(take_named(call, "contracting_dims", contracting, seen, &sum));
    return multiply(call, &batch, &sum);
}

/* The last axis of the left with the first of the right. */
static mw_status dot(mw_hlo_call *call)
{
    int left = mw_emit_rank(&call->emit, call->in[0].id);
    int right = mw_emit_rank(&call->emit, call->in[1].id);
    if (left < 1 || left > 2 || right < 1 || right > 2)
        return mw_hlo_refuse(call,
                             "operands have rank %d and %d, wanted 1 or "
                             "2",
                             left, right);
    dims none = {0}, sum = {.n = 1};
    sum.axis[0][0] = left - 1;
    return multiply(call, &none, &sum);
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.dot_general",
     .min_in = 2,
     .max_in = 2,
     .attrs = "batching_dims contracting_dims dot_dimension_numbers",
     .build = dot_general},
    {.op = "stablehlo.dot", .min_in = 2, .max_in = 2, .build = dot},
    {0},
};

const mw_hlo_def mw_hlo_dot = {.brief = "contractions", .rules = rules};
