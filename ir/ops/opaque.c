/* opaque.c - an operator that nobody here knows: something of its operands'
 * shapes in, something of a stated shape out. It is planned, whole on every
 * rank, and never run; the reference gives zeros. */
#include <string.h>

#include "ir/loop.h"
#include "ir/rule.h"

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_attr *shape = mw_op_attr(op, "shape");
    out->dtype = mw_op_attr(op, "to")->dtype;
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(mw_letters_of_input(graph, op, i));
    for (int a = 0; a < shape->n; a++) {
        int8_t letter = MW_NONE;
        if (shape->i[a] < 0)
            return mw_op_fail(graph, op, "shape[%d] is %lld, wanted at least 0",
                              a, (long long)shape->i[a]);
        if (shape->i[a] != 1)
            MW_TRY(mw_letter_add(
                graph, op, (mw_letter){.dim = MW_NONE, .size = shape->i[a]},
                &letter));
        MW_TRY(mw_out_axis(graph, op, out, letter));
    }
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(mw_bind_letters(graph, op));
    for (int l = 0; l < op->n_letters; l++)
        op->letter[l].pinned = true;
    return MW_OK;
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    (void)named;
    (void)placed;
    return mw_lower_attrs(lowering, spec, mw_op_attr(op, "kind"), 1);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    (void)op;
    (void)in;
    size_t bytes = (size_t)(mw_view_elements(out) * mw_dtype_bytes(out->dtype));
    if (bytes)
        memset(out->data, 0, bytes);
}

static const mw_attr_rule attrs[] = {
    {"kind", MW_ATTR_TEXT, MW_ATTR_BOTH, false},
    {"shape", MW_ATTR_INTS, MW_ATTR_PLACED, false},
    {"to", MW_ATTR_DTYPE, MW_ATTR_PLACED, false},
    {0},
};

const mw_op_def mw_op_opaque = {
    .name = "opaque",
    .brief = "an operator that is not supported: planned, never run",
    .family = "opaque",
    .min_in = 0,
    .max_in = -1,
    .attrs = attrs,
    .opaque = true,
    .place = place,
    .bind = bind,
    .lower = lower,
    .ref = ref,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\ndim c = 3\n"
            "input x : f32[a, b]\ninput z : i64[a]\n"
            "y = opaque(x, z, kind=\"com.acme::Thing\") : f32[a, c]\n"
            "output y\n",
            NULL,
        },
};
