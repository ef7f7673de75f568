/*
 * gather.c - rows of a table by index. The table's dim is contracted: a rank
 * that holds a part of the rows gives those and 0 for the others, and the sum
 * is the whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir/loop.h"
#include "ir/number.h"
#include "ir/rule.h"

enum { TABLE, INDEX, RUN = 256 };

static mw_status check_dtype(const mw_graph *graph, const mw_op *op)
{
    mw_dtype dtype = mw_op_in(graph, op, INDEX)->dtype;
    if (mw_dtype_is_float(dtype) || dtype == MW_BOOL)
        return mw_op_fail(graph, op, "indices are %s, wanted integers",
                          mw_dtype_name(dtype));
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *table = mw_op_in(graph, op, TABLE);
    const mw_tensor *index = mw_op_in(graph, op, INDEX);
    int axis;
    MW_TRY(check_dtype(graph, op));
    MW_TRY(mw_rule_axis(graph, op, table->rank, &axis));
    MW_TRY(mw_letters_of_input(graph, op, TABLE));
    if (op->in[TABLE].letter[axis] != MW_NONE)
        op->letter[op->in[TABLE].letter[axis]].whole = true;
    MW_TRY(mw_letters_of_input(graph, op, INDEX));
    out->dtype = table->dtype;
    for (int a = 0; a < table->rank; a++) {
        if (a != axis)
            MW_TRY(mw_out_axis(graph, op, out, op->in[TABLE].letter[a]));
        for (int b = 0; a == axis && b < index->rank; b++)
            MW_TRY(mw_out_axis(graph, op, out, op->in[INDEX].letter[b]));
    }
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *table = mw_op_in(graph, op, TABLE);
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    int axis = mw_tensor_axis(table, dim);
    if (axis == MW_NONE)
        return mw_op_fail(graph, op, "'%s' has no dim '%s'", table->name,
                          graph->dim[dim].name);
    MW_TRY(check_dtype(graph, op));
    MW_TRY(mw_rule_out_dtype(graph, op, table->dtype));
    MW_TRY(mw_bind_axes(graph, op, &op->in[TABLE], 1u << axis));
    MW_TRY(mw_bind_axes(graph, op, &op->in[INDEX], 0));
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], 0));
    MW_TRY(mw_bind_no_new(graph, op));
    MW_TRY(mw_bind_no_reduced(graph, op));
    return mw_letter_add(graph, op,
                         (mw_letter){.dim = dim,
                                     .size = table->axis[axis].size,
                                     .pinned = !mw_rule_has_sum(table->dtype)},
                         &op->in[TABLE].letter[axis]);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    int axis;
    MW_TRY(mw_rule_axis(placed, op, mw_op_in(placed, op, TABLE)->rank, &axis));
    mw_lowered_axis flat = mw_lower_axis(named, lowering, op->in[TABLE].tensor,
                                         spec->in[TABLE], axis);
    if (flat.count == 0)
        return mw_lower_to(lowering, spec, "broadcast");
    if (flat.count > 1)
        return mw_op_fail(placed, op, "axis %d of the table is several dims",
                          axis);
    int64_t dim = flat.dim;
    const mw_attr attr = mw_attr_of_int("dim", MW_ATTR_DIM, &dim);
    return mw_lower_attrs(lowering, spec, &attr, 1);
}

// The axis of the table that is looked up; MW_NONE when it has size 1.
static int table_axis(const mw_op *op)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        int letter = op->in[TABLE].letter[a];
        if (letter != MW_NONE && !mw_op_letter_in_output(op, letter))
            return a;
    }
    return MW_NONE;
}

// Offset of a row in the table's block, or -1 where the block lacks it. A
// negative index counts from the end of the whole table.
static int64_t row_offset(const mw_view *table, int axis, mw_number index,
                          bool is_signed)
{
    int64_t whole = axis == MW_NONE ? 1 : table->whole[axis];
    int64_t start = axis == MW_NONE ? 0 : table->start[axis];
    int64_t size = axis == MW_NONE ? 1 : table->size[axis];
    if (!is_signed && index.u > INT64_MAX)
        return -1;
    int64_t wanted = index.i < 0 ? index.i + whole : index.i;
    if (wanted < start || wanted - start >= size)
        return -1;
    return axis == MW_NONE ? 0 : (wanted - start) * mw_view_stride(table, axis);
}

typedef struct look_up {
    const mw_view *table, *indices;
    mw_view *out;
    bool is_signed;
    int axis;
    mw_loop loop;
} look_up;

// n elements of a row from its element `first`, all by the same index.
static void copy_run(const look_up *l, int64_t first, int64_t n)
{
    int64_t at[3], stride[3];
    mw_number index, values[RUN];
    for (int v = 0; v < 3; v++) {
        stride[v] = mw_loop_row_stride(&l->loop, v);
        at[v] = l->loop.at[v] + first * stride[v];
    }
    mw_numbers_load(l->indices->dtype, l->indices->data, at[1], 1, 1, &index);
    int64_t row = row_offset(l->table, l->axis, index, l->is_signed);
    for (int64_t k = 0; k < n; k += RUN) {
        int64_t count = n - k < RUN ? n - k : RUN;
        if (row >= 0)
            mw_numbers_load(l->table->dtype, l->table->data,
                            row + at[0] + k * stride[0], stride[0], count,
                            values);
        else
            memset(values, 0, sizeof values);
        mw_numbers_store(l->out->dtype, l->out->data, at[2] + k * stride[2],
                         stride[2], count, values);
    }
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    look_up l = {.table = &in[TABLE], .indices = &in[INDEX], .out = out};
    l.is_signed = mw_dtype_class(l.indices->dtype) == MW_CLASS_SIGNED;
    l.axis = table_axis(op);
    int64_t extent[MW_MAX_LETTERS];
    mw_block_extents(op, in, out, extent);
    mw_loop_outputs(&l.loop, op, extent);
    mw_loop_view(&l.loop, &op->in[TABLE], l.table);
    mw_loop_view(&l.loop, &op->in[INDEX], l.indices);
    mw_loop_view(&l.loop, &op->out[0], out);
    int64_t row = mw_loop_row(&l.loop);
    int64_t run = mw_loop_row_stride(&l.loop, 1) == 0 ? row : 1;
    for (bool more = mw_loop_start(&l.loop, NULL); more;
         more = mw_loop_next(&l.loop)) {
        for (int64_t k = 0; k < row; k += run)
            copy_run(&l, k, run);
    }
}

// An index outside the whole table. Every rank looks at the indices it holds,
// whichever rows it has.
static bool refuses(const mw_op *op, const mw_view in[],
                    char text[MW_REFUSAL_MAX])
{
    const mw_view *table = &in[TABLE], *indices = &in[INDEX];
    bool is_signed = mw_dtype_class(indices->dtype) == MW_CLASS_SIGNED;
    int axis = table_axis(op);
    int64_t rows = axis == MW_NONE ? 1 : table->whole[axis], n = 1;
    mw_number some[RUN];
    for (int a = 0; a < indices->rank; a++)
        n *= indices->size[a];
    for (int64_t k = 0; k < n; k += RUN) {
        int64_t count = n - k < RUN ? n - k : RUN;
        mw_numbers_load(indices->dtype, indices->data, k, 1, count, some);
        for (int64_t i = 0; i < count; i++) {
            bool low = is_signed && some[i].i < -rows;
            bool high =
                is_signed ? some[i].i >= rows : some[i].u >= (uint64_t)rows;
            if (!low && !high)
                continue;
            (void)snprintf(text, MW_REFUSAL_MAX,
                           "index %" PRId64 " where the table has %" PRId64
                           " rows",
                           some[i].i, rows);
            return true;
        }
    }
    return false;
}

static const mw_attr_rule attrs[] = {
    {"axis", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, false},
    {0},
};

const mw_op_def mw_op_gather = {
    .name = "gather",
    .brief = "rows of a table by index; negative ones count from the end",
    .family = "index",
    .min_in = 2,
    .max_in = 2,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .reduce = MW_REDUCE_SUM,
    .linear = {1},
    .index_in = 1,
    .ref = ref,
    .refuses = refuses,
    .no_grad = "it is not there yet",
    .samples =
        (const char *const[]){
            "model m\ndim rows = 11\ndim b = 3\ndim s = 4\ndim d = 5\n"
            "param w : f32[rows, d]\ninput i : i64[b, s]\n"
            "y = gather(w, i, dim=rows) : f32[b, s, d]\noutput y\n",
            "model m\ndim rows = 7\ndim b = 3\ndim s = 4\ndim d = 5\n"
            "input t : i32[b, d, rows]\ninput i : i32[s, b]\n"
            "y = gather(t, i, dim=rows) : i32[d, s, b]\noutput y\n",
            NULL,
        },
};
