/*
 * one_hot.c - 1 at the index along a new dim, 0 elsewhere; an index that lies
 * outside the dim gives none.
 */
#include "ir/lookup.h"
#include "ir/loop.h"
#include "ir/rule.h"

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *index = mw_op_in(graph, op, 0);
    int64_t size = mw_op_attr_int(op, "size", 0);
    int8_t letter = MW_NONE;
    int axis;
    MW_TRY(mw_lookup_dtype(graph, op, 0));
    MW_TRY(mw_rule_axis(graph, op, index->rank + 1, &axis));
    MW_TRY(mw_letters_of_input(graph, op, 0));
    if (size < 0)
        return mw_op_fail(graph, op, "size is %lld, wanted at least 0",
                          (long long)size);
    if (size != 1)
        MW_TRY(mw_letter_add(
            graph, op, (mw_letter){.dim = MW_NONE, .size = size, .whole = true},
            &letter));
    out->dtype = mw_op_attr(op, "to")->dtype;
    for (int a = 0; a <= index->rank; a++) {
        if (a == axis)
            MW_TRY(mw_out_axis(graph, op, out, letter));
        if (a < index->rank)
            MW_TRY(mw_out_axis(graph, op, out, op->in[0].letter[a]));
    }
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *out = mw_op_out(graph, op);
    int axis;
    MW_TRY(mw_lookup_dtype(graph, op, 0));
    MW_TRY(mw_lookup_axis(graph, op, out, &axis));
    MW_TRY(mw_bind_axes(graph, op, &op->in[0], 0));
    int known = op->n_letters;
    MW_TRY(
        mw_bind_axes(graph, op, &op->out[0], axis == MW_NONE ? 0 : 1u << axis));
    MW_TRY(mw_bind_no_reduced(graph, op));
    if (op->n_letters > known)
        return mw_op_fail(graph, op, "'%s' has a dim that '%s' lacks",
                          out->name, mw_op_in(graph, op, 0)->name);
    if (axis == MW_NONE)
        return MW_OK;
    mw_letter letter = {.dim = out->axis[axis].dim,
                        .size = out->axis[axis].size};
    return mw_letter_add(graph, op, letter, &op->out[0].letter[axis]);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    mw_id made = op->out[0].tensor;
    int axis;
    MW_TRY(mw_rule_axis(placed, op, placed->tensor[made].rank, &axis));
    return mw_lookup_lower(named, op, lowering, made, spec->out[0], axis, spec);
}

// Element j of the row is at out[to + k * step] for the k its index names.
static void mark(const mw_lookup_block *rows, const mw_view *index, int64_t at,
                 const mw_view *out, int64_t to)
{
    mw_number one = {.u = 1}, zero = {.u = 0}, i;
    if (mw_dtype_is_float(out->dtype))
        one.f = 1;
    mw_numbers_load(index->dtype, index->data, at, 1, 1, &i);
    bool is_signed = mw_dtype_class(index->dtype) == MW_CLASS_SIGNED;
    int64_t row =
        is_signed && i.i < 0 ? -1 : mw_lookup_offset(rows, index->dtype, i);
    for (int64_t k = 0; k < rows->size; k++)
        mw_numbers_store(out->dtype, out->data, to + k * rows->stride, 1, 1,
                         k * rows->stride == row ? &one : &zero);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    int64_t extent[MW_MAX_LETTERS];
    mw_loop loop;
    int axis = mw_lookup_odd_axis(&op->out[0], &op->in[0]);
    mw_lookup_block rows = mw_lookup_block_of(out, axis);
    mw_block_extents(op, in, out, extent);
    mw_loop_operand(&loop, &op->in[0], extent);
    mw_loop_view(&loop, &op->in[0], in);
    mw_loop_view(&loop, &op->out[0], out);
    for (bool more = mw_loop_start(&loop, NULL); more;
         more = mw_loop_next(&loop)) {
        for (int64_t j = 0; j < mw_loop_row(&loop); j++)
            mark(&rows, in, loop.at[0] + j * mw_loop_row_stride(&loop, 0), out,
                 loop.at[1] + j * mw_loop_row_stride(&loop, 1));
    }
}

static const mw_attr_rule attrs[] = {
    {"axis", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"size", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"to", MW_ATTR_DTYPE, MW_ATTR_PLACED, false},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, true},
    {0},
};

const mw_op_def mw_op_one_hot = {
    .name = "one_hot",
    .brief = "1 at the index along a new dim, 0 elsewhere",
    .family = "index",
    .min_in = 1,
    .max_in = 1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .flops = 1,
    .ref = ref,
    .samples =
        (const char *const[]){
            "model m\ndim a = 5\ndim b = 3\ndim c = 11\ninput i : i64[a, b]\n"
            "y = one_hot(i, dim=c) : f32[a, c, b]\noutput y\n",
            "model m\ndim a = 5\ndim c = 4\ninput i : u32[a]\n"
            "y = one_hot(i, dim=c) : bool[c, a]\noutput y\n",
            "model m\ndim a = 5\ninput i : i64[a]\n"
            "y = one_hot(i) : i32[a]\noutput y\n",
            NULL,
        },
};
