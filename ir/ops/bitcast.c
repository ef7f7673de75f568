/* bitcast.c - the same bits as another dtype of the same width. */
#include "ir/rule.h"
#include "ir/scalar.h"

static mw_dtype wanted(const mw_op *op)
{
    return mw_op_attr(op, "to")->dtype;
}

static mw_status check(const mw_graph *graph, const mw_op *op)
{
    mw_dtype from = mw_op_in(graph, op, 0)->dtype, to = wanted(op);
    if (mw_dtype_bytes(from) == mw_dtype_bytes(to) &&
        (from == MW_BOOL) == (to == MW_BOOL))
        return MW_OK;
    return mw_op_fail(graph, op, "from %s to %s, which has another width",
                      mw_dtype_name(from), mw_dtype_name(to));
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
    for (int64_t k = 0; k < n; k++) {
        uint64_t bits = 0;
        mw_numbers_store(in[0].dtype, &bits, 0, 1, 1, &x[0][k]);
        mw_numbers_load(out->dtype, &bits, 0, 1, 1, &y[k]);
    }
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_map_rows(op, in, out, apply);
}

static const mw_attr_rule attrs[] = {{"to", MW_ATTR_DTYPE, MW_ATTR_BOTH, false},
                                     {0}};

const mw_op_def mw_op_bitcast = {
    .name = "bitcast",
    .brief = "the same bits as another dtype of the same width",
    .family = "map",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .flops = 1,
    .ref = ref,
    .samples =
        (const char *const[]){"model m\ndim a = 5\ninput x : f32[a]\n"
                              "y = bitcast(x, to=u32) : u32[a]\noutput y\n",
                              "model m\ndim a = 5\ninput x : i64[a]\n"
                              "y = bitcast(x, to=u64) : u64[a]\noutput y\n",
                              NULL},
};
