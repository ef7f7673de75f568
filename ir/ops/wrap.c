/*
 * wrap.c - an index into `size` rows made non-negative. What lies in no row is
 * refused: where several indices become one, it could be another's row.
 */
#include "ir/lookup.h"
#include "ir/rule.h"
#include "ir/scalar.h"

static int64_t rows_of(const mw_op *op)
{
    return mw_op_attr_int(op, "size", 0);
}

static mw_status check(const mw_graph *graph, const mw_op *op)
{
    if (rows_of(op) < 0)
        return mw_op_fail(graph, op, "size is %lld, wanted at least 0",
                          (long long)rows_of(op));
    return mw_lookup_dtype(graph, op, 0);
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    MW_TRY(check(graph, op));
    out->dtype = mw_op_in(graph, op, 0)->dtype;
    return mw_place_broadcast(graph, op, out);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(check(graph, op));
    MW_TRY(mw_rule_out_dtype(graph, op, mw_op_in(graph, op, 0)->dtype));
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
    (void)out;
    uint64_t rows = (uint64_t)rows_of(op);
    bool is_signed = mw_dtype_class(in[0].dtype) == MW_CLASS_SIGNED;
    for (int64_t k = 0; k < n; k++) {
        y[k] = x[0][k];
        if (is_signed && y[k].i < 0)
            y[k].u += rows;
    }
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_map_rows(op, in, out, apply);
}

static bool refuses(const mw_op *op, const mw_view in[],
                    char text[MW_REFUSAL_MAX])
{
    return mw_lookup_refuses(&in[0], rows_of(op), text);
}

static const mw_attr_rule attrs[] = {
    {"size", MW_ATTR_INT, MW_ATTR_BOTH, false},
    {0},
};

const mw_op_def mw_op_wrap = {
    .name = "wrap",
    .brief = "an index made non-negative; refuses what lies in no row",
    .family = "map",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .flops = 1,
    .ref = ref,
    .refuses = refuses,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\ninput i : i64[a, b]\n"
            "y = wrap(i, size=7) : i64[a, b]\noutput y\n",
            NULL,
        },
};
