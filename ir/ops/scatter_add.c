/*
 * scatter_add.c - sums of rows by index, what a look-up's gradient is. The
 * dims of the indices are contracted: a rank that holds a part of the updates
 * gives their sum. The rows may be split: a rank takes those that fall into
 * its block.
 */
#include <string.h>

#include "base/checked.h"
#include "ir/grad.h"
#include "ir/lookup.h"
#include "ir/loop.h"
#include "ir/rule.h"

enum { UPDATES, INDEX };

static mw_status check_dtypes(const mw_graph *graph, const mw_op *op)
{
    MW_TRY(mw_lookup_dtype(graph, op, INDEX));
    if (!mw_rule_has_sum(mw_op_in(graph, op, UPDATES)->dtype))
        return mw_op_fail(graph, op, "not defined for bool");
    return MW_OK;
}

// The letters that updates and result share, with the rows' at `axis`; the
// updates' other axes are the indices'.
static mw_status place_table(const mw_graph *graph, mw_op *op, int axis,
                             int rank, int8_t table[])
{
    const mw_tensor *updates = mw_op_in(graph, op, UPDATES);
    int n_index = updates->rank - rank + 1;
    int64_t rows = mw_op_attr_int(op, "size", 0);
    if (rows < 0)
        return mw_op_fail(graph, op, "size is %lld, wanted at least 0",
                          (long long)rows);
    for (int a = 0; a < rank; a++) {
        int64_t size = rows;
        if (a != axis)
            size = updates->axis[a < axis ? a : a + n_index - 1].size;
        table[a] = MW_NONE;
        if (size != 1)
            MW_TRY(mw_letter_add(
                graph, op,
                (mw_letter){.dim = MW_NONE, .size = size, .whole = a == axis},
                &table[a]));
    }
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *updates = mw_op_in(graph, op, UPDATES);
    bool along = mw_op_attr_int(op, "along", 0) != 0;
    int rank = updates->rank - mw_op_in(graph, op, INDEX)->rank + 1, axis;
    int8_t table[MW_MAX_RANK];
    mw_lookup_rows rows;
    MW_TRY(check_dtypes(graph, op));
    rank = along ? updates->rank : rank;
    if (rank < 1)
        return mw_op_fail(graph, op, "updates have fewer axes than indices");
    MW_TRY(mw_rule_axis(graph, op, rank, &axis));
    MW_TRY(place_table(graph, op, axis, rank, table));
    MW_TRY(mw_lookup_place(graph, op, INDEX, table, rank, axis, &rows));
    MW_TRY(mw_lookup_updates(graph, op, UPDATES, &rows));
    out->dtype = updates->dtype;
    for (int a = 0; a < rank; a++)
        MW_TRY(mw_out_axis(graph, op, out, table[a]));
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *out = mw_op_out(graph, op);
    int axis;
    MW_TRY(check_dtypes(graph, op));
    MW_TRY(mw_lookup_axis(graph, op, out, &axis));
    MW_TRY(mw_rule_out_dtype(graph, op, mw_op_in(graph, op, UPDATES)->dtype));
    MW_TRY(mw_bind_axes(graph, op, &op->in[UPDATES], 0));
    int known = op->n_letters;
    MW_TRY(mw_bind_axes(graph, op, &op->in[INDEX], 0));
    MW_TRY(
        mw_bind_axes(graph, op, &op->out[0], axis == MW_NONE ? 0 : 1u << axis));
    if (op->n_letters > known)
        return mw_op_fail(graph, op, "'%s' lacks a dim of the others",
                          mw_op_in(graph, op, UPDATES)->name);
    if (axis == MW_NONE)
        return MW_OK;
    mw_letter rows = {.dim = out->axis[axis].dim, .size = out->axis[axis].size};
    return mw_letter_add(graph, op, rows, &op->out[0].letter[axis]);
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    mw_id made = op->out[0].tensor;
    int axis;
    MW_TRY(mw_rule_axis(placed, op, placed->tensor[made].rank, &axis));
    return mw_lookup_lower(named, op, lowering, made, spec->out[0], axis, spec);
}

static double flops_of(const mw_graph *graph, const mw_op *op,
                       const int64_t extent[MW_MAX_LETTERS])
{
    (void)graph;
    return mw_lookup_elements(op, UPDATES, extent);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    const mw_lookup_scatter scatter = {
        .op = op, .updates = UPDATES, .index = INDEX, .reduce = MW_REDUCE_SUM};
    size_t bytes = (size_t)(mw_view_elements(out) * mw_dtype_bytes(out->dtype));
    if (bytes)
        memset(out->data, 0, bytes);
    mw_lookup_scatter_run(&scatter, in, out);
}

static bool refuses(const mw_op *op, const mw_view in[],
                    char text[MW_REFUSAL_MAX])
{
    int axis = mw_lookup_odd_axis(&op->out[0], &op->in[UPDATES]);
    int64_t rows =
        axis == MW_NONE ? 1 : op->letter[op->out[0].letter[axis]].size;
    return mw_lookup_refuses(&in[INDEX], rows, text);
}

// Every row comes from where it was summed.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    return mw_grad_by_index(g, op, "gather", dout, din);
}

static const mw_attr_rule attrs[] = {
    {"axis", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"size", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"along", MW_ATTR_INT, MW_ATTR_PLACED, true},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, true},
    {0},
};

const mw_op_def mw_op_scatter_add = {
    .name = "scatter_add",
    .brief = "sums of rows by index; negative ones count from the end",
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
    .flops_of = flops_of,
    .ref = ref,
    .refuses = refuses,
    .grad = grad,
    .samples =
        (const char *const[]){
            "model m\ndim rows = 11\ndim b = 3\ndim s = 4\ndim d = 5\n"
            "input g : f32[b, s, d]\ninput i : i64[b, s]\n"
            "y = scatter_add(g, i, dim=rows) : f32[rows, d]\noutput y\n",
            "model m\ndim rows = 7\ndim b = 3\ndim s = 4\ndim d = 5\n"
            "input g : i32[d, s, b]\ninput i : i32[s, b]\n"
            "y = scatter_add(g, i, dim=rows) : i32[b, d, rows]\noutput y\n",
            "model m\ndim b = 3\ndim d = 5\ninput g : f64[b, d]\n"
            "input i : i32[b]\ny = scatter_add(g, i) : f64[d]\noutput y\n",
            NULL,
        },
};
