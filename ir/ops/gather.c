/*
 * gather.c - rows of a table by index. The table's dim is contracted: a rank
 * that holds a part of the rows gives those and 0 for the others, and the sum
 * is the whole.
 */
#include <string.h>

#include "ir/grad.h"
#include "ir/lookup.h"
#include "ir/loop.h"
#include "ir/rule.h"

enum { TABLE, INDEX, RUN = 256 };

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *table = mw_op_in(graph, op, TABLE);
    mw_lookup_rows rows;
    int axis;
    MW_TRY(mw_lookup_dtype(graph, op, INDEX));
    MW_TRY(mw_rule_axis(graph, op, table->rank, &axis));
    MW_TRY(mw_letters_of_input(graph, op, TABLE));
    if (op->in[TABLE].letter[axis] != MW_NONE)
        op->letter[op->in[TABLE].letter[axis]].whole = true;
    MW_TRY(mw_lookup_place(graph, op, INDEX, op->in[TABLE].letter, table->rank,
                           axis, &rows));
    out->dtype = table->dtype;
    for (int a = 0; a < rows.rank; a++)
        MW_TRY(mw_out_axis(graph, op, out, rows.letter[a]));
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *table = mw_op_in(graph, op, TABLE);
    int axis;
    MW_TRY(mw_lookup_axis(graph, op, table, &axis));
    MW_TRY(mw_lookup_dtype(graph, op, INDEX));
    MW_TRY(mw_rule_out_dtype(graph, op, table->dtype));
    MW_TRY(mw_bind_axes(graph, op, &op->in[TABLE],
                        axis == MW_NONE ? 0 : 1u << axis));
    MW_TRY(mw_bind_axes(graph, op, &op->in[INDEX], 0));
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], 0));
    MW_TRY(mw_bind_no_new(graph, op));
    MW_TRY(mw_bind_no_reduced(graph, op));
    if (axis == MW_NONE)
        return MW_OK;
    return mw_letter_add(graph, op,
                         (mw_letter){.dim = table->axis[axis].dim,
                                     .size = table->axis[axis].size,
                                     .pinned = !mw_rule_has_sum(table->dtype)},
                         &op->in[TABLE].letter[axis]);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    int axis;
    MW_TRY(mw_rule_axis(placed, op, mw_op_in(placed, op, TABLE)->rank, &axis));
    return mw_lookup_lower(named, op, lowering, op->in[TABLE].tensor,
                           spec->in[TABLE], axis, spec);
}

typedef struct look_up {
    const mw_view *table, *indices;
    mw_view *out;
    mw_lookup_block rows;
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
    int64_t row = mw_lookup_offset(&l->rows, l->indices->dtype, index);
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
    l.rows = mw_lookup_block_of(
        l.table, mw_lookup_odd_axis(&op->in[TABLE], &op->out[0]));
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
    int64_t rows =
        mw_lookup_block_of(&in[TABLE],
                           mw_lookup_odd_axis(&op->in[TABLE], &op->out[0]))
            .whole;
    return mw_lookup_refuses(&in[INDEX], rows, text);
}

// Rows are summed where they came from.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    return mw_grad_by_index(g, op, "scatter_add", dout, din);
}

static const mw_attr_rule attrs[] = {
    {"axis", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"along", MW_ATTR_INT, MW_ATTR_PLACED, true},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, true},
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
    .grad = grad,
    .samples =
        (const char *const[]){
            "model m\ndim rows = 11\ndim b = 3\ndim s = 4\ndim d = 5\n"
            "param w : f32[rows, d]\ninput i : i64[b, s]\n"
            "y = gather(w, i, dim=rows) : f32[b, s, d]\noutput y\n",
            "model m\ndim rows = 7\ndim b = 3\ndim s = 4\ndim d = 5\n"
            "input t : i32[b, d, rows]\ninput i : i32[s, b]\n"
            "y = gather(t, i, dim=rows) : i32[d, s, b]\noutput y\n",
            "model m\ndim b = 3\ndim d = 5\ninput t : f32[d]\n"
            "input i : i64[b]\ny = gather(t, i) : f32[b, d]\noutput y\n",
            NULL,
        },
};
