/* where.c - the second operand where the first is true, else the third. */
#include "ir/grad.h"
#include "ir/rule.h"
#include "ir/scalar.h"

static mw_status result_dtype(const mw_graph *graph, const mw_op *op,
                              mw_dtype *dtype)
{
    if (mw_op_in(graph, op, 0)->dtype != MW_BOOL)
        return mw_op_fail(graph, op, "operand 0 is %s, wanted bool",
                          mw_dtype_name(mw_op_in(graph, op, 0)->dtype));
    return mw_rule_same_dtype(graph, op, 1, dtype);
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    MW_TRY(result_dtype(graph, op, &out->dtype));
    return mw_place_broadcast(graph, op, out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    mw_dtype dtype;
    MW_TRY(result_dtype(graph, op, &dtype));
    MW_TRY(mw_rule_out_dtype(graph, op, dtype));
    return mw_bind_map(graph, op);
}

static void apply(const mw_op *op, const mw_view in[], const mw_view *out,
                  const mw_number *const x[], int64_t n, mw_number y[])
{
    (void)op;
    (void)in;
    (void)out;
    for (int64_t k = 0; k < n; k++)
        y[k] = x[0][k].u ? x[1][k] : x[2][k];
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_map_rows(op, in, out, apply);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id zero, part;
    MW_TRY(mw_grad_const(g, g->graph->tensor[dout[0]].dtype, 0, &zero));
    for (int i = 1; i <= 2; i++) {
        if (!mw_grad_wants(g, i))
            continue;
        MW_TRY(mw_grad_where(g, op->in[0].tensor, i == 1 ? dout[0] : zero,
                             i == 1 ? zero : dout[0], &part));
        MW_TRY(mw_grad_share(g, op, i, part, &din[i]));
    }
    return MW_OK;
}

const mw_op_def mw_op_where = {
    .name = "where",
    .brief = "the second operand where the first is true, else the third",
    .family = "map",
    .min_in = 3,
    .max_in = 3,
    .place = place,
    .bind = bind,
    .linear = {2 | 4},
    .fuses = true,
    .chooses = true,
    .flops = 1,
    .ref = ref,
    .grad = grad,
    .grad_thin = true,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\ninput c : bool[a]\n"
            "input x : f32[a, b]\ninput z : f32[b]\n"
            "y = where(c, x, z) : f32[a, b]\noutput y\n",
            NULL},
};
