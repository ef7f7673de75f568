/* iota.c - 0, 1, 2, ... along the only dim of the result. */
#include "ir/loop.h"
#include "ir/number.h"
#include "ir/rule.h"

static mw_status check_dtype(const mw_graph *graph, const mw_op *op,
                             mw_dtype dtype)
{
    if (dtype == MW_BOOL)
        return mw_op_fail(graph, op, "not defined for bool");
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    int64_t n = mw_op_attr_int(op, "n", 0);
    int8_t letter = MW_NONE;
    out->dtype = mw_op_attr(op, "to")->dtype;
    MW_TRY(check_dtype(graph, op, out->dtype));
    if (n < 0)
        return mw_op_fail(graph, op, "n is %lld, wanted at least 0",
                          (long long)n);
    if (n != 1)
        MW_TRY(mw_letter_add(graph, op, (mw_letter){.dim = MW_NONE, .size = n},
                             &letter));
    return mw_out_axis(graph, op, out, letter);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *out = mw_op_out(graph, op);
    MW_TRY(check_dtype(graph, op, out->dtype));
    if (out->rank > 1)
        return mw_op_fail(graph, op, "'%s' has %d dims, wanted 1", out->name,
                          out->rank);
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    if (dim != (out->rank ? out->axis[0].dim : MW_NONE))
        return mw_op_fail(graph, op, "'%s' is not along its dim", out->name);
    return mw_bind_letters(graph, op);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    (void)op;
    (void)in;
    int64_t n = mw_view_elements(out), start = out->rank ? out->start[0] : 0;
    for (int64_t k = 0; k < n; k++) {
        mw_number x =
            mw_number_cast((mw_number){.i = start + k}, MW_I64, out->dtype);
        mw_numbers_store(out->dtype, out->data, k, 1, 1, &x);
    }
}

static const mw_attr_rule attrs[] = {
    {"n", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"to", MW_ATTR_DTYPE, MW_ATTR_PLACED, false},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, true},
    {0},
};

const mw_op_def mw_op_iota = {
    .name = "iota",
    .brief = "0, 1, 2, ... along the only dim of the result",
    .family = "index",
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .ref = ref,
    .samples =
        (const char *const[]){
            "model m\ndim a = 11\ny = iota(dim=a) : i64[a]\noutput y\n",
            "model m\ndim a = 5\ny = iota(dim=a) : f32[a]\noutput y\n",
            NULL,
        },
};
