/* update.c - one pass over a weight and its states. */
#include "ir/update.h"

#include "ir/loop.h"
#include "ir/number.h"
#include "ir/rule.h"

const int8_t mw_update_targets[MW_UPDATE_TENSORS] = {0, 1, 2};

static mw_status check_dtypes(const mw_graph *graph, const mw_op *op)
{
    const mw_update *u = op->def->update;
    mw_dtype own = mw_op_in(graph, op, 0)->dtype;
    for (int i = 0; i < op->n_in; i++) {
        mw_dtype found = mw_op_in(graph, op, i)->dtype;
        bool right = found == own && mw_dtype_is_float(found);
        const char *wanted = mw_dtype_name(own);
        if (i == u->n_tensors) {
            right = mw_dtype_is_float(found);
            wanted = "a float";
        } else if (i == op->n_in - 1) {
            right = found == MW_BOOL;
            wanted = "bool";
        }
        if (!right)
            return mw_op_fail(graph, op, "operand %d is %s, wanted %s", i,
                              mw_dtype_name(found), wanted);
    }
    return MW_OK;
}

mw_status mw_update_place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    (void)out;
    return mw_op_fail(graph, op, "stands in named graphs only");
}

mw_status mw_update_bind(mw_graph *graph, mw_op *op)
{
    const mw_update *u = op->def->update;
    const mw_tensor *weight = mw_op_in(graph, op, 0);
    MW_TRY(check_dtypes(graph, op));
    for (int i = 0; i < op->n_in; i++) {
        const mw_tensor *in = mw_op_in(graph, op, i);
        int rank = i <= u->n_tensors ? weight->rank : 0;
        if (in->rank != rank)
            return mw_op_fail(graph, op, "'%s' has %d dims, wanted %d",
                              in->name, in->rank, rank);
    }
    return mw_bind_map(graph, op);
}

typedef struct pass {
    const mw_op *op;
    const mw_view *in;
    mw_view *out;
    double scalar[MW_UPDATE_SCALARS];
    bool apply;
    mw_loop loop; /* views: tensors, gradient, outputs take the tensors' */
} pass;

static double number_at(const mw_view *view, int64_t at)
{
    mw_number x;
    mw_numbers_load(view->dtype, view->data, at, 1, 1, &x);
    return x.f;
}

bool mw_update_scalars(const mw_op *op, const mw_view in[],
                       double scalar[MW_UPDATE_SCALARS])
{
    const mw_update *u = op->def->update;
    int n = 0;
    for (int i = 0; i < u->n_scalars; i++)
        scalar[n++] = number_at(&in[u->n_tensors + 1 + i], 0);
    for (const char *const *name = u->attrs; name && *name; name++)
        scalar[n++] = mw_op_attr_float(op, *name, 0);
    mw_number apply;
    const mw_view *last = &in[op->n_in - 1];
    mw_numbers_load(last->dtype, last->data, 0, 1, 1, &apply);
    return apply.u != 0;
}

// Element k of the loop's row.
static void element(pass *p, int64_t k)
{
    const mw_update *u = p->op->def->update;
    double x[MW_UPDATE_TENSORS];
    int64_t at[MW_UPDATE_TENSORS + 1];
    for (int i = 0; i <= u->n_tensors; i++) {
        at[i] = p->loop.at[i] + k * mw_loop_row_stride(&p->loop, i);
        if (i < u->n_tensors)
            x[i] = number_at(&p->in[i], at[i]);
    }
    if (p->apply)
        u->step(x, number_at(&p->in[u->n_tensors], at[u->n_tensors]),
                p->scalar);
    for (int i = 0; i < u->n_tensors; i++) {
        const mw_number y = {.f = x[i]};
        mw_numbers_store(p->out[i].dtype, p->out[i].data, at[i], 1, 1, &y);
    }
}

void mw_update_ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    pass p = {.op = op, .in = in, .out = out};
    int64_t extent[MW_MAX_LETTERS];
    p.apply = mw_update_scalars(op, in, p.scalar);
    mw_block_extents(op, in, out, extent);
    mw_loop_outputs(&p.loop, op, extent);
    for (int i = 0; i <= op->def->update->n_tensors; i++)
        mw_loop_view(&p.loop, &op->in[i], &in[i]);
    for (bool more = mw_loop_start(&p.loop, NULL); more;
         more = mw_loop_next(&p.loop))
        for (int64_t k = 0; k < mw_loop_row(&p.loop); k++)
            element(&p, k);
}
