/* transpose.c - the same elements with the dims in another order. */
#include "ir/grad.h"
#include "ir/rule.h"
#include "ir/scalar.h"

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    const mw_attr *perm = mw_op_attr(op, "perm");
    bool used[MW_MAX_RANK] = {false};
    if (perm->n != in->rank)
        return mw_op_fail(graph, op, "perm has %d axes, wanted %d", perm->n,
                          in->rank);
    MW_TRY(mw_letters_of_input(graph, op, 0));
    out->dtype = in->dtype;
    for (int i = 0; i < perm->n; i++) {
        int64_t axis = perm->i[i] < 0 ? perm->i[i] + in->rank : perm->i[i];
        if (axis < 0 || axis >= in->rank || used[axis])
            return mw_op_fail(graph, op,
                              "perm[%d] is %lld, wanted a new axis "
                              "below %d",
                              i, (long long)perm->i[i], in->rank);
        used[axis] = true;
        MW_TRY(mw_out_axis(graph, op, out, op->in[0].letter[axis]));
    }
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(mw_rule_out_dtype(graph, op, mw_op_in(graph, op, 0)->dtype));
    return mw_bind_map(graph, op);
}

// The named form cannot say that axes without dim change places.
static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    (void)placed;
    const mw_attr *perm = mw_op_attr(op, "perm");
    const mw_tensor *in = &named->tensor[spec->in[0]];
    int last = -1;
    for (int i = 0; i < perm->n; i++) {
        int axis = (int)(perm->i[i] < 0 ? perm->i[i] + perm->n : perm->i[i]);
        mw_lowered_axis flat =
            mw_lower_axis(named, lowering, op->in[0].tensor, spec->in[0], axis);
        for (int k = flat.first; k < flat.first + flat.count; k++) {
            if (in->axis[k].dim != MW_NONE)
                continue;
            if (k < last)
                return mw_op_fail(named, op,
                                  "axes of '%s' without dim change "
                                  "places",
                                  in->name);
            last = k;
        }
    }
    return mw_lower_attrs(lowering, spec, NULL, 0);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    (void)g;
    (void)op;
    din[0] = dout[0];
    return MW_OK;
}

static const mw_attr_rule attrs[] = {
    {"perm", MW_ATTR_INTS, MW_ATTR_PLACED, false},
    {0},
};

const mw_op_def mw_op_transpose = {
    .name = "transpose",
    .brief = "the same elements with the dims in another order",
    .family = "move",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .linear = {1},
    .ref = mw_copy_ref,
    .grad = grad,
    .grad_thin = true,
    .shift = MW_SHIFT_SAME,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\ndim c = 3\n"
            "input x : f32[a, b, c]\n"
            "y = transpose(x) : f32[c, a, b]\noutput y\n",
            NULL,
        },
};
