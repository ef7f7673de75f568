/*
 * reshape.c - another shape whose factors do not fit the old one's, (12, 8) to
 * (16, 6). A dim that both have stays free to be split when as many elements
 * lie outside it before as after; the others are pinned.
 */
#include <string.h>

#include "base/checked.h"
#include "ir/grad.h"
#include "ir/loop.h"
#include "ir/rule.h"

static mw_status same_elements(const mw_graph *graph, const mw_op *op,
                               const mw_tensor *out)
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    int64_t size[MW_MAX_RANK], total;
    for (int i = 0; i < out->rank; i++)
        size[i] = out->axis[i].size;
    if (!mw_product_fits(size, out->rank, &total) ||
        total != mw_tensor_elements(in))
        return mw_op_fail(graph, op,
                          "'%s' has %lld elements, which do not fit the shape",
                          in->name, (long long)mw_tensor_elements(in));
    return MW_OK;
}

// Leading and trailing axes of equal size are the same letters.
static mw_status place_letters(const mw_graph *graph, mw_op *op, mw_tensor *out,
                               const mw_attr *shape)
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    int both = in->rank < shape->n ? in->rank : shape->n, head = 0, tail = 0;
    while (head < both && in->axis[head].size == shape->i[head])
        head++;
    while (tail < both - head &&
           in->axis[in->rank - 1 - tail].size == shape->i[shape->n - 1 - tail])
        tail++;
    for (int a = 0; a < shape->n; a++) {
        int8_t letter = MW_NONE;
        int same = a < head               ? a
                   : a >= shape->n - tail ? a - shape->n + in->rank
                                          : MW_NONE;
        if (same != MW_NONE)
            letter = op->in[0].letter[same];
        else if (shape->i[a] != 1)
            MW_TRY(mw_letter_add(
                graph, op, (mw_letter){.dim = MW_NONE, .size = shape->i[a]},
                &letter));
        MW_TRY(mw_out_axis(graph, op, out, letter));
    }
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_attr *shape = mw_op_attr(op, "shape");
    for (int i = 0; i < shape->n; i++) {
        if (shape->i[i] < 0)
            return mw_op_fail(graph, op, "shape[%d] is %lld, wanted at least 0",
                              i, (long long)shape->i[i]);
    }
    out->dtype = mw_op_in(graph, op, 0)->dtype;
    MW_TRY(mw_letters_of_input(graph, op, 0));
    MW_TRY(place_letters(graph, op, out, shape));
    return same_elements(graph, op, out);
}

static int64_t elements_before(const mw_tensor *tensor, int axis)
{
    int64_t total = 1;
    for (int a = 0; a < axis; a++) {
        if (tensor->axis[a].size == 0)
            return 0;
        total *= tensor->axis[a].size;
    }
    return total;
}

static mw_status bind_axis(const mw_graph *graph, mw_op *op, int axis)
{
    const mw_tensor *in = mw_op_in(graph, op, 0), *to = mw_op_out(graph, op);
    mw_id dim = to->axis[axis].dim;
    int from = dim == MW_NONE ? MW_NONE : mw_tensor_axis(in, dim);
    if (from == MW_NONE)
        return mw_letter_add(graph, op,
                             (mw_letter){.dim = dim,
                                         .size = to->axis[axis].size,
                                         .pinned = true},
                             &op->out[0].letter[axis]);
    if (elements_before(in, from) != elements_before(to, axis))
        return mw_op_fail(graph, op, "dim '%s' changes its place",
                          graph->dim[dim].name);
    op->out[0].letter[axis] = op->in[0].letter[from];
    op->letter[op->in[0].letter[from]].pinned = false;
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *in = mw_op_in(graph, op, 0), *to = mw_op_out(graph, op);
    MW_TRY(mw_rule_out_dtype(graph, op, in->dtype));
    MW_TRY(same_elements(graph, op, to));
    for (int a = 0; a < in->rank; a++) {
        mw_letter letter = {
            .dim = in->axis[a].dim, .size = in->axis[a].size, .pinned = true};
        MW_TRY(mw_letter_add(graph, op, letter, &op->in[0].letter[a]));
    }
    for (int a = 0; a < to->rank; a++)
        MW_TRY(bind_axis(graph, op, a));
    return MW_OK;
}

// Splitting a free dim keeps the row-major order of what is left.
static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    (void)op;
    size_t bytes = (size_t)(mw_view_elements(out) * mw_dtype_bytes(out->dtype));
    if (bytes)
        memcpy(out->data, in->data, bytes);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    mw_id in = op->in[0].tensor;
    const mw_op_spec spec = {.def = "reshape", .n_in = 1, .in = &dout[0]};
    return mw_grad_op(g, &spec, in, g->graph->tensor[in].dtype, &din[0]);
}

static const mw_attr_rule attrs[] = {
    {"shape", MW_ATTR_INTS, MW_ATTR_PLACED, false},
    {0},
};

const mw_op_def mw_op_reshape = {
    .name = "reshape",
    .brief = "another shape whose factors do not fit the old one's",
    .family = "move",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .linear = {1},
    .ref = ref,
    .grad = grad,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 12\ndim c = 8\ndim d = 16\n"
            "dim e = 6\ndim f = 3\ninput x : f32[a, b, c, f]\n"
            "y = reshape(x) : f32[a, d, e, f]\noutput y\n",
            NULL,
        },
};
