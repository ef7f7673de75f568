/*
 * scatter.c - a table with rows set, or reduced with updates, by index, in the
 * order of the updates. The rows may be split: a rank takes the updates of
 * its block. The indices' own dims may not, as their order counts.
 */
#include <string.h>

#include "ir/lookup.h"
#include "ir/loop.h"
#include "ir/rule.h"

enum { TABLE, INDEX, UPDATES };

static const struct mode {
    const char *name;
    mw_reduce reduce;
    bool linear; /* in table and updates together */
} modes[] = {
    {"set", MW_REDUCE_NONE, true},  {"add", MW_REDUCE_SUM, true},
    {"mul", MW_REDUCE_PROD, false}, {"min", MW_REDUCE_MIN, false},
    {"max", MW_REDUCE_MAX, false},
};
enum { N_MODES = sizeof modes / sizeof modes[0] };

static const struct mode *mode_of(const mw_op *op)
{
    const char *name = mw_op_attr(op, "mode")->text;
    for (int i = 0; i < N_MODES; i++) {
        if (strcmp(modes[i].name, name) == 0)
            return &modes[i];
    }
    return NULL;
}

static mw_status check(const mw_graph *graph, const mw_op *op)
{
    mw_dtype table = mw_op_in(graph, op, TABLE)->dtype;
    mw_dtype updates = mw_op_in(graph, op, UPDATES)->dtype;
    const struct mode *mode = mode_of(op);
    if (!mode)
        return mw_op_fail(graph, op,
                          "mode is '%s', wanted set, add, mul, min or max",
                          mw_op_attr(op, "mode")->text);
    if (table != updates)
        return mw_op_fail(graph, op, "operand %d is %s, wanted %s", UPDATES,
                          mw_dtype_name(updates), mw_dtype_name(table));
    if (table == MW_BOOL &&
        (mode->reduce == MW_REDUCE_SUM || mode->reduce == MW_REDUCE_PROD))
        return mw_op_fail(graph, op, "mode '%s' is not defined for bool",
                          mode->name);
    return mw_lookup_dtype(graph, op, INDEX);
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *table = mw_op_in(graph, op, TABLE);
    const int8_t *letter = op->in[TABLE].letter;
    mw_lookup_rows rows;
    int axis;
    MW_TRY(check(graph, op));
    MW_TRY(mw_rule_axis(graph, op, table->rank, &axis));
    MW_TRY(mw_letters_of_input(graph, op, TABLE));
    if (letter[axis] != MW_NONE)
        op->letter[letter[axis]].whole = true;
    MW_TRY(mw_lookup_place(graph, op, INDEX, letter, table->rank, axis, &rows));
    MW_TRY(mw_lookup_updates(graph, op, UPDATES, &rows));
    out->dtype = table->dtype;
    for (int a = 0; a < table->rank; a++)
        MW_TRY(mw_out_axis(graph, op, out, letter[a]));
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *table = mw_op_in(graph, op, TABLE);
    int axis;
    MW_TRY(check(graph, op));
    MW_TRY(mw_lookup_axis(graph, op, table, &axis));
    MW_TRY(mw_rule_out_dtype(graph, op, table->dtype));
    MW_TRY(mw_bind_axes(graph, op, &op->in[TABLE], 0));
    int n_table = op->n_letters;
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], 0));
    MW_TRY(mw_bind_no_reduced(graph, op));
    if (op->n_letters > n_table)
        return mw_op_fail(graph, op, "'%s' has a dim that '%s' lacks",
                          mw_op_out(graph, op)->name, table->name);
    MW_TRY(mw_bind_axes(graph, op, &op->in[UPDATES], 0));
    int n_rows = op->n_letters;
    MW_TRY(mw_bind_axes(graph, op, &op->in[INDEX], 0));
    int odd = mw_lookup_odd_axis(&op->in[TABLE], &op->in[UPDATES]);
    if (op->n_letters > n_rows || odd != axis)
        return mw_op_fail(graph, op, "'%s' has not the dims of looked-up rows",
                          mw_op_in(graph, op, UPDATES)->name);
    for (int l = n_table; l < op->n_letters; l++)
        op->letter[l].pinned = true;
    return MW_OK;
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    int axis;
    MW_TRY(mw_rule_axis(placed, op, mw_op_in(placed, op, TABLE)->rank, &axis));
    mw_lowered_axis flat = mw_lower_axis(named, lowering, op->in[TABLE].tensor,
                                         spec->in[TABLE], axis);
    int64_t dim = flat.dim;
    const mw_attr attr[] = {*mw_op_attr(op, "mode"),
                            mw_attr_of_int("dim", MW_ATTR_DIM, &dim)};
    if (flat.count > 1)
        return mw_op_fail(placed, op, "axis %d of the table is several dims",
                          axis);
    return mw_lower_attrs(lowering, spec, attr, flat.count == 0 ? 1 : 2);
}

static double flops_of(const mw_graph *graph, const mw_op *op,
                       const int64_t extent[MW_MAX_LETTERS])
{
    (void)graph;
    return mw_lookup_elements(op, UPDATES, extent);
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    const mw_lookup_scatter scatter = {.op = op,
                                       .updates = UPDATES,
                                       .index = INDEX,
                                       .reduce = mode_of(op)->reduce};
    int64_t extent[MW_MAX_LETTERS];
    mw_loop loop;
    mw_block_extents(op, in, out, extent);
    mw_loop_outputs(&loop, op, extent);
    mw_loop_view(&loop, &op->in[TABLE], &in[TABLE]);
    mw_loop_view(&loop, &op->out[0], out);
    for (bool more = mw_loop_start(&loop, NULL); more;
         more = mw_loop_next(&loop)) {
        for (int64_t j = 0; j < mw_loop_row(&loop); j++) {
            mw_number x;
            mw_numbers_load(out->dtype, in[TABLE].data,
                            loop.at[0] + j * mw_loop_row_stride(&loop, 0), 1, 1,
                            &x);
            mw_numbers_store(out->dtype, out->data,
                             loop.at[1] + j * mw_loop_row_stride(&loop, 1), 1,
                             1, &x);
        }
    }
    mw_lookup_scatter_run(&scatter, in, out);
}

static bool refuses(const mw_op *op, const mw_view in[],
                    char text[MW_REFUSAL_MAX])
{
    int axis = mw_lookup_odd_axis(&op->in[TABLE], &op->in[UPDATES]);
    int64_t rows = mw_lookup_block_of(&in[TABLE], axis).whole;
    return mw_lookup_refuses(&in[INDEX], rows, text);
}

static bool is_linear(const mw_graph *graph, const mw_op *op)
{
    (void)graph;
    return mode_of(op)->linear;
}

static const mw_attr_rule attrs[] = {
    {"axis", MW_ATTR_INT, MW_ATTR_PLACED, false},
    {"along", MW_ATTR_INT, MW_ATTR_PLACED, true},
    {"mode", MW_ATTR_TEXT, MW_ATTR_BOTH, false},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, true},
    {0},
};

#define SAMPLE(mode, type)                                                     \
    "model m\ndim rows = 11\ndim b = 3\ndim d = 5\n"                           \
    "input t : " type "[rows, d]\ninput i : i64[b]\n"                          \
    "input g : " type "[d, b]\n"                                               \
    "y = scatter(t, i, g, mode=\"" mode "\", dim=rows) : " type "[rows, d]\n"  \
    "output y\n"

const mw_op_def mw_op_scatter = {
    .name = "scatter",
    .brief = "a table with rows set, or reduced with updates, by index",
    .family = "index",
    .min_in = 3,
    .max_in = 3,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .linear = {1 | 4},
    .is_linear = is_linear,
    .index_in = 1,
    .flops_of = flops_of,
    .ref = ref,
    .refuses = refuses,
    .no_grad = "which of several updates stays is not known to it",
    .samples =
        (const char *const[]){
            SAMPLE("set", "f32"),
            SAMPLE("add", "f32"),
            SAMPLE("mul", "i64"),
            SAMPLE("min", "f32"),
            SAMPLE("max", "f32"),
            "model m\ndim rows = 7\ndim b = 3\ndim s = 4\n"
            "input t : f64[b, rows]\ninput i : i32[s, b]\n"
            "input g : f64[b, s]\n"
            "y = scatter(t, i, g, mode=\"set\", dim=rows) : f64[rows, b]\n"
            "output y\n",
            "model m\ndim b = 3\ndim d = 5\ninput t : f32[d]\n"
            "input i : i32[b]\ninput g : f32[b, d]\n"
            "y = scatter(t, i, g, mode=\"add\") : f32[d]\noutput y\n",
            NULL,
        },
};
