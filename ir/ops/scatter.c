/*
 * scatter.c - a table with rows set, or reduced with updates, by index, in the
 * order of the updates. The rows may be split: a rank takes the updates of
 * its block. The indices' own dims may not, as their order counts.
 */
#include <string.h>

#include "ir/grad.h"
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

/* ---- gradients ---- */

typedef struct rows {
    mw_grad *g;
    const mw_op *op;
    mw_id table, index, updates;
    const mw_attr *dim; /* NULL: a single row */
} rows;

static bool has_dim(const mw_tensor *tensor, mw_id dim)
{
    for (int a = 0; a < tensor->rank; a++)
        if (tensor->axis[a].dim == dim)
            return true;
    return false;
}

// The rows of x that the indices say, of `like`'s dims.
static mw_status look_up(const rows *r, mw_id x, mw_id like, mw_id *y)
{
    const mw_op_spec spec = {.def = "gather",
                             .n_in = 2,
                             .in = (const mw_id[]){x, r->index},
                             .n_attr = r->dim ? 1 : 0,
                             .attr = r->dim};
    return mw_grad_op(r->g, &spec, like, r->g->graph->tensor[x].dtype, y);
}

// x put into a table by index.
static mw_status put(const rows *r, const char *mode, mw_id table, mw_id x,
                     mw_id *y)
{
    mw_attr attr[2] = {{.name = "mode", .kind = MW_ATTR_TEXT, .text = mode}};
    if (r->dim)
        attr[1] = *r->dim;
    const mw_op_spec spec = {.def = "scatter",
                             .n_in = 3,
                             .in = (const mw_id[]){table, r->index, x},
                             .n_attr = r->dim ? 2 : 1,
                             .attr = attr};
    return mw_grad_op(r->g, &spec, table, r->g->graph->tensor[table].dtype, y);
}

// A table of one value; small: of the dims alone that rows are found by.
static mw_status table_of(const rows *r, bool small, mw_dtype dtype,
                          double value, mw_id *y)
{
    const mw_graph *graph = r->g->graph;
    mw_tensor as = graph->tensor[r->table];
    const mw_tensor *index = &graph->tensor[r->index];
    int rank = 0;
    for (int a = 0; a < as.rank; a++)
        if (!small || has_dim(index, as.axis[a].dim) ||
            (r->dim && as.axis[a].dim == r->dim->i[0]))
            as.axis[rank++] = as.axis[a];
    as.rank = rank;
    as.file_rank = 0;
    as.dtype = dtype;
    mw_id number;
    MW_TRY(mw_grad_const(r->g, dtype, value, &number));
    const mw_op_spec spec = {.def = "broadcast", .n_in = 1, .in = &number};
    return mw_grad_op_as(r->g, &spec, &as, y);
}

static mw_status iota_of(const rows *r, mw_axis axis, mw_id *y)
{
    const int64_t dim = axis.dim;
    mw_tensor as = {.dtype = MW_I64, .rank = 1, .axis = {axis}};
    const mw_attr attr = {
        .name = "dim", .kind = MW_ATTR_DIM, .n = 1, .i = &dim};
    const mw_op_spec spec = {.def = "iota", .n_attr = 1, .attr = &attr};
    return mw_grad_op_as(r->g, &spec, &as, y);
}

// The number of each index in the order of the updates, of the index's dims.
static mw_status order_of(const rows *r, mw_id *y)
{
    const mw_graph *graph = r->g->graph;
    const mw_tensor updates = graph->tensor[r->updates];
    int64_t stride = 1;
    mw_id sum;
    MW_TRY(mw_grad_const(r->g, MW_I64, 0, &sum));
    for (int a = updates.rank - 1; a >= 0; a--) {
        mw_id one;
        if (!has_dim(&graph->tensor[r->index], updates.axis[a].dim) ||
            has_dim(&graph->tensor[r->table], updates.axis[a].dim))
            continue;
        MW_TRY(iota_of(r, updates.axis[a], &one));
        MW_TRY(mw_grad_scalar(r->g, "mul", one, (double)stride, &one));
        MW_TRY(mw_grad_map2(r->g, "add", sum, one, &sum));
        stride *= updates.axis[a].size;
    }
    return mw_grad_full(r->g, sum, r->index, y);
}

// The last update of a row is what it became; rows without any stay.
static mw_status grad_set(const rows *r, mw_id dy, mw_id din[])
{
    mw_grad *g = r->g;
    mw_id order, last, none, zero, stays, own, is_last;
    MW_TRY(order_of(r, &order));
    MW_TRY(table_of(r, true, MW_I64, -1, &none));
    MW_TRY(put(r, "max", none, order, &last));
    MW_TRY(mw_grad_const(g, g->graph->tensor[dy].dtype, 0, &zero));
    MW_TRY(mw_grad_scalar(g, "less", last, 0, &stays));
    MW_TRY(mw_grad_where(g, stays, dy, zero, &din[TABLE]));
    MW_TRY(look_up(r, last, r->index, &is_last));
    MW_TRY(mw_grad_map2(g, "equal", is_last, order, &is_last));
    MW_TRY(look_up(r, dy, r->updates, &own));
    return mw_grad_where(g, is_last, own, zero, &din[UPDATES]);
}

static mw_status grad_add(const rows *r, mw_id dy, mw_id din[])
{
    din[TABLE] = dy;
    return look_up(r, dy, r->updates, &din[UPDATES]);
}

// y shares dy among all that are equal to it.
static mw_status grad_extreme(const rows *r, mw_id y, mw_id dy, mw_id din[])
{
    mw_grad *g = r->g;
    mw_dtype dtype = g->graph->tensor[dy].dtype;
    mw_id zero, one, there, here, n, part, own, most;
    MW_TRY(mw_grad_const(g, dtype, 0, &zero));
    MW_TRY(mw_grad_const(g, dtype, 1, &one));
    MW_TRY(mw_grad_map2(g, "equal", r->table, y, &there));
    MW_TRY(look_up(r, y, r->updates, &most));
    MW_TRY(mw_grad_map2(g, "equal", r->updates, most, &here));
    MW_TRY(mw_grad_where(g, there, one, zero, &n));
    MW_TRY(mw_grad_where(g, here, one, zero, &own));
    MW_TRY(put(r, "add", n, own, &n));
    MW_TRY(mw_grad_map2(g, "div", dy, n, &part));
    MW_TRY(mw_grad_where(g, there, part, zero, &din[TABLE]));
    MW_TRY(look_up(r, part, r->updates, &own));
    return mw_grad_where(g, here, own, zero, &din[UPDATES]);
}

// An update's share is the product of the others of its row: by division, but
// for zeros, which are counted.
static mw_status grad_mul(const rows *r, mw_id dy, mw_id din[])
{
    mw_grad *g = r->g;
    mw_dtype dtype = g->graph->tensor[dy].dtype;
    mw_id zero, one, ones, none, is_zero, safe, mark, product, n, all, other;
    MW_TRY(mw_grad_const(g, dtype, 0, &zero));
    MW_TRY(mw_grad_const(g, dtype, 1, &one));
    MW_TRY(mw_grad_map2(g, "equal", r->updates, zero, &is_zero));
    MW_TRY(mw_grad_where(g, is_zero, one, r->updates, &safe));
    MW_TRY(mw_grad_where(g, is_zero, one, zero, &mark));
    MW_TRY(table_of(r, false, dtype, 1, &ones));
    MW_TRY(table_of(r, false, dtype, 0, &none));
    MW_TRY(put(r, "mul", ones, safe, &product));
    MW_TRY(put(r, "add", none, mark, &n));
    MW_TRY(mw_grad_map2(g, "equal", n, zero, &all));
    MW_TRY(mw_grad_where(g, all, product, zero, &all));
    MW_TRY(mw_grad_map2(g, "mul", dy, all, &din[TABLE]));
    MW_TRY(look_up(r, n, r->updates, &n));
    MW_TRY(mw_grad_map2(g, "equal", n, mark, &all));
    MW_TRY(mw_grad_map2(g, "mul", dy, r->table, &other));
    MW_TRY(mw_grad_map2(g, "mul", other, product, &other));
    MW_TRY(look_up(r, other, r->updates, &other));
    MW_TRY(mw_grad_map2(g, "div", other, safe, &other));
    return mw_grad_where(g, all, other, zero, &din[UPDATES]);
}

static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    const rows r = {.g = g,
                    .op = op,
                    .table = op->in[TABLE].tensor,
                    .index = op->in[INDEX].tensor,
                    .updates = op->in[UPDATES].tensor,
                    .dim = mw_op_attr(op, "dim")};
    const struct mode *mode = mode_of(op);
    if (mode->reduce == MW_REDUCE_NONE)
        return grad_set(&r, dout[0], din);
    if (mode->reduce == MW_REDUCE_SUM)
        return grad_add(&r, dout[0], din);
    if (mode->reduce == MW_REDUCE_PROD)
        return grad_mul(&r, dout[0], din);
    return grad_extreme(&r, op->out[0].tensor, dout[0], din);
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
    .grad = grad,
    .samples =
        (const char *const[]){
            SAMPLE("set", "f32"),
            SAMPLE("add", "f32"),
            SAMPLE("mul", "i64"),
            SAMPLE("mul", "f64"),
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
