/* reduction.c - one table of reductions, and the kernel of the reduce_* rows.
 */
#include "ir/reduction.h"

#include <math.h>

#include "ir/loop.h"
#include "ir/rule.h"

enum { RUN = 256 };

static double sum_f(double a, double b)
{
    return a + b;
}

static uint64_t sum_u(uint64_t a, uint64_t b)
{
    return a + b;
}

static double prod_f(double a, double b)
{
    return a * b;
}

static uint64_t prod_u(uint64_t a, uint64_t b)
{
    return a * b;
}

// NaN stays.
static double max_f(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static int64_t max_i(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static uint64_t max_u(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static double min_f(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static int64_t min_i(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static uint64_t min_u(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// i NULL: integers wrap, and u serves both kinds.
static const struct kind {
    double (*f)(double a, double b);
    int64_t (*i)(int64_t a, int64_t b);
    uint64_t (*u)(uint64_t a, uint64_t b);
    bool serves_bool;
} kinds[] = {
    [MW_REDUCE_SUM] = {sum_f, NULL, sum_u, false},
    [MW_REDUCE_PROD] = {prod_f, NULL, prod_u, false},
    [MW_REDUCE_MAX] = {max_f, max_i, max_u, true},
    [MW_REDUCE_MIN] = {min_f, min_i, min_u, true},
};

mw_number mw_reduce_start(mw_reduce reduce, mw_dtype dtype)
{
    bool is_float = mw_dtype_class(dtype) == MW_CLASS_FLOAT;
    if (reduce == MW_REDUCE_MAX)
        return mw_number_least(dtype);
    if (reduce == MW_REDUCE_MIN)
        return mw_number_largest(dtype);
    uint64_t unit = reduce == MW_REDUCE_PROD;
    return is_float ? (mw_number){.f = (double)unit} : (mw_number){.u = unit};
}

mw_number mw_reduce_pair(mw_reduce reduce, mw_dtype dtype, mw_number a,
                         mw_number b)
{
    const struct kind *kind = &kinds[reduce];
    mw_class class = mw_dtype_class(dtype);
    if (class == MW_CLASS_FLOAT)
        return (mw_number){.f = kind->f(a.f, b.f)};
    if (class == MW_CLASS_SIGNED && kind->i)
        return (mw_number){.i = kind->i(a.i, b.i)};
    return (mw_number){.u = kind->u(a.u, b.u)};
}

void mw_reduce_into(mw_reduce reduce, mw_dtype dtype, void *into,
                    const void *from, int64_t n)
{
    mw_number a[RUN], b[RUN];
    for (int64_t first = 0; first < n; first += RUN) {
        int64_t count = n - first < RUN ? n - first : RUN;
        mw_numbers_load(dtype, into, first, 1, count, a);
        mw_numbers_load(dtype, from, first, 1, count, b);
        for (int64_t k = 0; k < count; k++)
            a[k] = mw_reduce_pair(reduce, dtype, a[k], b[k]);
        mw_numbers_store(dtype, into, first, 1, count, a);
    }
}

const mw_attr_rule mw_reduce_attrs[] = {
    {"axes", MW_ATTR_INTS, MW_ATTR_PLACED, false},
    {"keep", MW_ATTR_INT, MW_ATTR_PLACED, true},
    {0},
};

static mw_status check_dtype(const mw_graph *graph, const mw_op *op)
{
    mw_dtype dtype = mw_op_in(graph, op, 0)->dtype;
    if (dtype == MW_BOOL && !kinds[op->def->reduce].serves_bool)
        return mw_op_fail(graph, op, "not defined for bool");
    return MW_OK;
}

mw_status mw_reduce_place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    const mw_attr *axes = mw_op_attr(op, "axes");
    bool keep = mw_op_attr_int(op, "keep", 1) != 0;
    bool reduced[MW_MAX_RANK] = {false};
    for (int i = 0; i < axes->n; i++) {
        int64_t axis = axes->i[i] < 0 ? axes->i[i] + in->rank : axes->i[i];
        if (axis < 0 || axis >= in->rank)
            return mw_op_fail(graph, op, "axis is %lld, wanted %d to %d",
                              (long long)axes->i[i], -in->rank, in->rank - 1);
        if (reduced[axis])
            return mw_op_fail(graph, op, "axis %lld is there twice",
                              (long long)axis);
        reduced[axis] = true;
    }
    MW_TRY(check_dtype(graph, op));
    MW_TRY(mw_letters_of_input(graph, op, 0));
    out->dtype = in->dtype;
    for (int a = 0; a < in->rank; a++) {
        if (reduced[a] && keep)
            MW_TRY(mw_out_axis(graph, op, out, MW_NONE));
        if (!reduced[a])
            MW_TRY(mw_out_axis(graph, op, out, op->in[0].letter[a]));
    }
    return MW_OK;
}

mw_status mw_reduce_bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(check_dtype(graph, op));
    MW_TRY(mw_rule_out_dtype(graph, op, mw_op_in(graph, op, 0)->dtype));
    MW_TRY(mw_bind_letters(graph, op));
    return mw_bind_no_new(graph, op);
}

// Over the reduced letters, from the offset `at` in the operand.
static mw_number reduce_one(mw_loop *inner, const mw_op *op, const mw_view *in,
                            int64_t at)
{
    mw_number x[RUN];
    mw_number total = mw_reduce_start(op->def->reduce, in->dtype);
    int64_t row = mw_loop_row(inner), stride = mw_loop_row_stride(inner, 0);
    for (bool more = mw_loop_start(inner, &at); more;
         more = mw_loop_next(inner)) {
        for (int64_t first = 0; first < row; first += RUN) {
            int64_t n = row - first < RUN ? row - first : RUN;
            mw_numbers_load(in->dtype, in->data, inner->at[0] + first * stride,
                            stride, n, x);
            for (int64_t k = 0; k < n; k++)
                total = mw_reduce_pair(op->def->reduce, in->dtype, total, x[k]);
        }
    }
    return total;
}

void mw_reduce_ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    int64_t extent[MW_MAX_LETTERS];
    mw_loop outer, inner;
    mw_block_extents(op, in, out, extent);
    mw_loop_outputs(&outer, op, extent);
    mw_loop_reduced(&inner, op, extent);
    mw_loop_view(&outer, &op->in[0], in);
    mw_loop_view(&outer, &op->out[0], out);
    mw_loop_view(&inner, &op->in[0], in);
    for (bool more = mw_loop_start(&outer, NULL); more;
         more = mw_loop_next(&outer)) {
        for (int64_t k = 0; k < mw_loop_row(&outer); k++) {
            int64_t at = outer.at[0] + k * mw_loop_row_stride(&outer, 0);
            mw_number total = reduce_one(&inner, op, in, at);
            mw_numbers_store(out->dtype, out->data,
                             outer.at[1] + k * mw_loop_row_stride(&outer, 1), 1,
                             1, &total);
        }
    }
}

mw_status mw_reduce_extreme_grad(mw_grad *g, const mw_op *op, mw_id dout,
                                 mw_id *din)
{
    mw_id x = op->in[0].tensor, y = op->out[0].tensor, is, count, share;
    MW_TRY(mw_grad_map2(g, "equal", x, y, &is));
    MW_TRY(mw_grad_cast(g, is, g->graph->tensor[x].dtype, &is));
    MW_TRY(mw_grad_reduce(g, "reduce_sum", is, y, &count));
    MW_TRY(mw_grad_map2(g, "div", dout, count, &share));
    return mw_grad_map2(g, "mul", is, share, din);
}
