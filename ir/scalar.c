/* scalar.c - what all maps share: right-aligned or by-name broadcasting, and a
 * reference kernel that works on runs of elements. */
#include "ir/scalar.h"

#include "ir/loop.h"
#include "ir/rule.h"

enum { RUN = 256, MAX_OPERANDS = MW_MAX_VIEWS - 1 };

static bool gives_bool(const mw_scalar *s)
{
    return s->test_f || s->test_i || s->test_u;
}

static bool serves(const mw_scalar *s, mw_dtype dtype)
{
    switch (mw_dtype_class(dtype)) {
    case MW_CLASS_FLOAT:
        return s->f || s->test_f;
    case MW_CLASS_SIGNED:
        return s->i || s->test_i || s->ring;
    case MW_CLASS_UNSIGNED:
        return s->u || s->test_u;
    case MW_CLASS_BOOL:
        return s->b;
    case MW_CLASS_COMPLEX:
        return false;
    }
    return false;
}

static mw_status result_dtype(const mw_graph *graph, const mw_op *op,
                              mw_dtype *result)
{
    mw_dtype dtype = MW_BOOL;
    MW_TRY(mw_rule_same_dtype(graph, op, 0, &dtype));
    if (!serves(op->def->scalar, dtype))
        return mw_op_fail(graph, op, "not defined for %s",
                          mw_dtype_name(dtype));
    *result = gives_bool(op->def->scalar) ? MW_BOOL : dtype;
    return MW_OK;
}

mw_status mw_map_place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    MW_TRY(result_dtype(graph, op, &out->dtype));
    return mw_place_broadcast(graph, op, out);
}

mw_status mw_map_bind(mw_graph *graph, mw_op *op)
{
    mw_dtype dtype = MW_BOOL;
    MW_TRY(result_dtype(graph, op, &dtype));
    MW_TRY(mw_rule_out_dtype(graph, op, dtype));
    return mw_bind_map(graph, op);
}

void mw_map_rows(const mw_op *op, const mw_view in[], mw_view *out,
                 mw_map_apply *apply)
{
    mw_number buffer[MAX_OPERANDS][RUN], y[RUN];
    const mw_number *x[MAX_OPERANDS] = {buffer[0], buffer[1], buffer[2]};
    int64_t extent[MW_MAX_LETTERS];
    mw_loop loop;
    mw_block_extents(op, in, out, extent);
    mw_loop_outputs(&loop, op, extent);
    for (int i = 0; i < op->n_in; i++)
        mw_loop_view(&loop, &op->in[i], &in[i]);
    mw_loop_view(&loop, &op->out[0], out);
    int64_t row = mw_loop_row(&loop);
    for (bool more = mw_loop_start(&loop, NULL); more;
         more = mw_loop_next(&loop)) {
        for (int64_t first = 0; first < row; first += RUN) {
            int64_t n = row - first < RUN ? row - first : RUN;
            for (int i = 0; i < op->n_in; i++) {
                int64_t stride = mw_loop_row_stride(&loop, i);
                mw_numbers_load(in[i].dtype, in[i].data,
                                loop.at[i] + first * stride, stride, n,
                                buffer[i]);
            }
            apply(op, in, out, x, n, y);
            int64_t stride = mw_loop_row_stride(&loop, op->n_in);
            mw_numbers_store(out->dtype, out->data,
                             loop.at[op->n_in] + first * stride, stride, n, y);
        }
    }
}

// Sets y[k].member by calling fn on the operands' members x[0][k], x[1][k], …
#define EACH(type, member, result, fn)                                         \
    for (int64_t k = 0; k < n; k++) {                                          \
        type args[MAX_OPERANDS];                                               \
        for (int i = 0; i < op->n_in; i++)                                     \
            args[i] = x[i][k].member;                                          \
        y[k].result = fn(args);                                                \
    }

static void apply_scalar(const mw_op *op, const mw_view in[],
                         const mw_view *out, const mw_number *const x[],
                         int64_t n, mw_number y[])
{
    (void)out;
    const mw_scalar *s = op->def->scalar;
    switch (mw_dtype_class(in[0].dtype)) {
    case MW_CLASS_FLOAT:
        if (s->f)
            EACH(double, f, f, s->f)
        else
            EACH(double, f, u, s->test_f)
        break;
    case MW_CLASS_SIGNED:
        if (s->i)
            EACH(int64_t, i, i, s->i)
        else if (s->test_i)
            EACH(int64_t, i, u, s->test_i)
        else
            EACH(uint64_t, u, u, s->u)
        break;
    case MW_CLASS_UNSIGNED:
        if (s->u)
            EACH(uint64_t, u, u, s->u)
        else
            EACH(uint64_t, u, u, s->test_u)
        break;
    case MW_CLASS_BOOL:
        EACH(uint64_t, u, u, s->b)
        break;
    case MW_CLASS_COMPLEX: // no row serves it
        break;
    }
}

void mw_map_ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_map_rows(op, in, out, apply_scalar);
}

static void apply_copy(const mw_op *op, const mw_view in[], const mw_view *out,
                       const mw_number *const x[], int64_t n, mw_number y[])
{
    (void)op;
    (void)in;
    (void)out;
    for (int64_t k = 0; k < n; k++)
        y[k] = x[0][k];
}

void mw_copy_ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_map_rows(op, in, out, apply_copy);
}
