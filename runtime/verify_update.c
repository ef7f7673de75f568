/* verify_update.c - the reference, twice more. */
#include "runtime/verify_update.h"

#include <math.h>

#include "ir/eval.h"
#include "ir/number.h"

// What an update takes besides what it keeps: the gradient.
static bool is_gradient(const mw_graph *graph, const mw_op *op, int i)
{
    const mw_tensor *tensor = &graph->tensor[op->in[i].tensor];
    const mw_tensor *root = &graph->tensor[tensor->root];
    return mw_dtype_is_float(tensor->dtype) && tensor->rank > 0 &&
           root->role == MW_ROLE_VALUE;
}

// The largest error of any rank.
static mw_status largest_noise(mw_verify_run *verify, const mw_op *op,
                               double *noise)
{
    double most = 0;
    for (int i = 0; i < op->n_in; i++) {
        mw_id root = verify->graph->tensor[op->in[i].tensor].root;
        if (is_gradient(verify->graph, op, i))
            most = fmax(most, verify->noise[root]);
    }
    return mw_team_max(verify->team, most, noise);
}

static mw_status shift(mw_arena *arena, const mw_tensor *tensor,
                       const void *from, double by, void **made)
{
    int64_t n = mw_tensor_elements(tensor);
    *made = mw_arena_alloc(arena, (size_t)mw_tensor_bytes(tensor) + 8, 1);
    if (!*made)
        return MW_ENOMEM;
    for (int64_t k = 0; k < n; k++) {
        mw_number x;
        mw_numbers_load(tensor->dtype, from, k, 1, 1, &x);
        x.f += by;
        mw_numbers_store(tensor->dtype, *made, k, 1, 1, &x);
    }
    return MW_OK;
}

static mw_status eval_shifted(mw_verify_run *verify, mw_arena *arena,
                              const mw_op *op, double by, void ***out)
{
    const mw_graph *graph = verify->graph;
    const void **in = MW_NEW_ARRAY(arena, op->n_in, const void *);
    *out = MW_NEW_ARRAY(arena, op->n_out, void *);
    if (!in || !*out)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++) {
        void *moved;
        in[i] = verify->whole[op->in[i].tensor];
        if (!is_gradient(graph, op, i))
            continue;
        MW_TRY(
            shift(arena, &graph->tensor[op->in[i].tensor], in[i], by, &moved));
        in[i] = moved;
    }
    for (int i = 0; i < op->n_out; i++) {
        const mw_tensor *tensor = &graph->tensor[op->out[i].tensor];
        (*out)[i] =
            mw_arena_alloc(arena, (size_t)mw_tensor_bytes(tensor) + 8, 1);
        if (!(*out)[i])
            return MW_ENOMEM;
    }
    return mw_eval_op(graph, op, in, *out);
}

mw_status mw_verify_update(mw_verify_run *verify, mw_arena *arena, mw_id op,
                           mw_verify_range *range)
{
    const mw_op *of = &verify->graph->op[op];
    double noise;
    *range = (mw_verify_range){NULL, NULL};
    if (!of->def->updates)
        return MW_OK;
    MW_TRY(largest_noise(verify, of, &noise));
    if (!(noise > 0) || !isfinite(noise))
        return MW_OK;
    MW_TRY(eval_shifted(verify, arena, of, -noise, &range->low));
    return eval_shifted(verify, arena, of, noise, &range->high);
}

void mw_verify_allow(mw_dtype dtype, int64_t n, const void *got,
                     const void *low, const void *high, void *want)
{
    for (int64_t k = 0; k < n && mw_dtype_is_float(dtype); k++) {
        mw_number x, a, b, w;
        mw_numbers_load(dtype, got, k, 1, 1, &x);
        mw_numbers_load(dtype, low, k, 1, 1, &a);
        mw_numbers_load(dtype, high, k, 1, 1, &b);
        mw_numbers_load(dtype, want, k, 1, 1, &w);
        double least = fmin(w.f, fmin(a.f, b.f));
        double most = fmax(w.f, fmax(a.f, b.f));
        if (isnan(x.f) || isnan(w.f))
            continue;
        w.f = fmin(fmax(x.f, least), most);
        mw_numbers_store(dtype, want, k, 1, 1, &w);
    }
}
