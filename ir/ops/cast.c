/* cast.c - another dtype; what is out of range is held to the nearest. */
#include "ir/grad.h"
#include "ir/rule.h"
#include "ir/scalar.h"

static mw_dtype wanted(const mw_op *op)
{
    return mw_op_attr(op, "to")->dtype;
}

static mw_status check(const mw_graph *graph, const mw_op *op)
{
    mw_dtype from = mw_op_in(graph, op, 0)->dtype, to = wanted(op);
    if (from != to && (mw_dtype_class(from) == MW_CLASS_COMPLEX ||
                       mw_dtype_class(to) == MW_CLASS_COMPLEX))
        return mw_op_fail(graph, op, "from %s to %s, wanted real numbers",
                          mw_dtype_name(from), mw_dtype_name(to));
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    MW_TRY(check(graph, op));
    out->dtype = wanted(op);
    return mw_place_broadcast(graph, op, out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(check(graph, op));
    MW_TRY(mw_rule_out_dtype(graph, op, wanted(op)));
    return mw_bind_map(graph, op);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    (void)named;
    (void)placed;
    return mw_lower_attrs(lowering, spec, op->attr, op->n_attr);
}

static void apply(const mw_op *op, const mw_view in[], const mw_view *out,
                  const mw_number *const x[], int64_t n, mw_number y[])
{
    (void)op;
    for (int64_t k = 0; k < n; k++)
        y[k] = mw_number_cast(x[0][k], in[0].dtype, out->dtype);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_map_rows(op, in, out, apply);
}

// Summands rounded to halves are not good enough: their errors do not cancel
// with the values.
static bool is_linear(const mw_graph *graph, const mw_op *op)
{
    mw_dtype from = mw_op_in(graph, op, 0)->dtype;
    mw_dtype to = mw_op_out(graph, op)->dtype;
    return mw_dtype_is_float(from) && mw_dtype_is_float(to) &&
           mw_dtype_bits(from) >= 16 && mw_dtype_bits(to) >= 16 &&
           (mw_dtype_executable(to) || mw_dtype_bytes(from) == 2);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    return mw_grad_cast(g, dout[0], g->graph->tensor[op->in[0].tensor].dtype,
                        &din[0]);
}

static const mw_attr_rule attrs[] = {{"to", MW_ATTR_DTYPE, MW_ATTR_BOTH, false},
                                     {0}};

const mw_op_def mw_op_cast = {
    .name = "cast",
    .brief = "another dtype; what is out of range is held to the nearest",
    .family = "map",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .linear = {1},
    .fuses = true,
    .is_linear = is_linear,
    .flops = 1,
    .ref = ref,
    .grad = grad,
    .grad_thin = true,
    .shift = MW_SHIFT_SAME,
    .samples = (const char *const[]){"model m\ndim a = 5\ninput x : f32[a]\n"
                                     "y = cast(x, to=i32) : i32[a]\noutput y\n",
                                     "model m\ndim a = 5\ninput x : f64[a]\n"
                                     "y = cast(x, to=f32) : f32[a]\noutput y\n",
                                     NULL},
};
