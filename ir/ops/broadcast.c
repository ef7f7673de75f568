/* broadcast.c - copies along dims that the operand lacks. */
#include "ir/grad.h"
#include "ir/rule.h"
#include "ir/scalar.h"

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    const mw_attr *shape = mw_op_attr(op, "shape");
    int rank = in->rank > shape->n ? in->rank : shape->n;
    out->dtype = in->dtype;
    MW_TRY(mw_letters_of_input(graph, op, 0));
    for (int a = 0; a < rank; a++) {
        int own = a - rank + in->rank, wanted = a - rank + shape->n;
        int64_t size = wanted < 0 ? 1 : shape->i[wanted];
        int8_t letter = own < 0 ? MW_NONE : op->in[0].letter[own];
        if (size < 0)
            return mw_op_fail(graph, op, "shape[%d] is %lld, wanted at least 0",
                              wanted, (long long)size);
        if (letter != MW_NONE && size != 1 && size != op->letter[letter].size)
            return mw_op_fail(graph, op, "axis %d is %lld, wanted %lld or 1",
                              own, (long long)op->letter[letter].size,
                              (long long)size);
        if (letter == MW_NONE && size != 1)
            MW_TRY(mw_letter_add(
                graph, op, (mw_letter){.dim = MW_NONE, .size = size}, &letter));
        MW_TRY(mw_out_axis(graph, op, out, letter));
    }
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(mw_rule_out_dtype(graph, op, mw_op_in(graph, op, 0)->dtype));
    MW_TRY(mw_bind_letters(graph, op));
    return mw_bind_no_reduced(graph, op);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    return mw_grad_share(g, op, 0, dout[0], &din[0]);
}

static const mw_attr_rule attrs[] = {
    {"shape", MW_ATTR_INTS, MW_ATTR_PLACED, false},
    {0},
};

const mw_op_def mw_op_broadcast = {
    .name = "broadcast",
    .brief = "copies along dims that the operand lacks",
    .family = "move",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .linear = {1},
    .fuses = true,
    .ref = mw_copy_ref,
    .grad = grad,
    .grad_thin = true,
    .shift = MW_SHIFT_SAME,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 6\ndim c = 3\ninput x : f32[b]\n"
            "y = broadcast(x) : f32[c, b, a]\noutput y\n",
            NULL,
        },
};
