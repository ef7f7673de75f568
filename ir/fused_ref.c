/* fused_ref.c - the reference kernel of fused groups: the body's own reference
 * kernels over short pieces of rows. A reduced element is held as a number, in
 * double precision, until another one's turn comes. */
#include <string.h>

#include "ir/fused.h"
#include "ir/loop.h"
#include "ir/reduction.h"

enum { PIECE = 32, ITEM_MAX = 8 };

typedef struct work {
    const mw_op *op;
    const mw_graph *body;
    const mw_view *in;
    mw_view *out;
    mw_fused_walk walk;
    int64_t n;                               /* of this piece */
    int64_t held[MW_FUSED_VIEWS];            /* of each result, or MW_NONE */
    mw_number sum[MW_FUSED_VIEWS];           /* what it is so far */
    uint64_t value[MW_FUSED_TENSORS][PIECE]; /* of the body's tensors */
} work;

static mw_view piece_of(work *w, mw_id tensor)
{
    return mw_fused_piece(w->body, tensor, w->walk.row_dim, w->n,
                          w->value[tensor]);
}

static void put_constants(work *w)
{
    for (mw_id t = 0; t < w->body->n_tensors; t++) {
        const mw_tensor *tensor = &w->body->tensor[t];
        if (tensor->role != MW_ROLE_CONST)
            continue;
        mw_number x = mw_fused_number(tensor);
        mw_numbers_store(tensor->dtype, w->value[t], 0, 1, 1, &x);
    }
}

static void load(work *w, const int64_t at[], int64_t first)
{
    int input = 0;
    for (mw_id t = 0; t < w->body->n_tensors; t++) {
        if (w->body->tensor[t].role != MW_ROLE_INPUT)
            continue;
        const mw_view *from = &w->in[input];
        int64_t stride = w->walk.stride[input][w->walk.n - 1];
        mw_view to = piece_of(w, t);
        mw_number x[PIECE];
        mw_numbers_load(from->dtype, from->data, at[input] + first * stride,
                        stride, mw_view_elements(&to), x);
        mw_numbers_store(to.dtype, to.data, 0, 1, mw_view_elements(&to), x);
        input++;
    }
}

static void run_ops(work *w)
{
    for (int k = 0; k < w->body->n_ops; k++) {
        const mw_op *inner = &w->body->op[k];
        mw_view in[MW_FUSED_ARGS], out = piece_of(w, inner->out[0].tensor);
        if (inner->def->reduce != MW_REDUCE_NONE)
            continue;
        for (int i = 0; i < inner->n_in; i++)
            in[i] = piece_of(w, inner->in[i].tensor);
        mw_op_ref(inner, in, &out, NULL);
    }
}

// The number goes back to its element, and that at `next` is held.
static void hold(work *w, int o, int64_t next)
{
    mw_view *out = &w->out[o];
    if (w->held[o] != MW_NONE)
        mw_numbers_store(out->dtype, out->data, w->held[o], 1, 1, &w->sum[o]);
    if (next != MW_NONE)
        mw_numbers_load(out->dtype, out->data, next, 1, 1, &w->sum[o]);
    w->held[o] = next;
}

// Element k of the piece is reduced into the result.
static void reduce(work *w, int o, mw_id from, int64_t at, int64_t stride)
{
    mw_dtype dtype = w->out[o].dtype;
    mw_number x;
    for (int64_t k = 0; k < w->n; k++) {
        if (w->held[o] != at + k * stride)
            hold(w, o, at + k * stride);
        mw_numbers_load(dtype, w->value[from], k, 1, 1, &x);
        w->sum[o] = mw_reduce_pair(w->op->def->reduce, dtype, w->sum[o], x);
    }
}

static void store(work *w, const int64_t at[], int64_t first)
{
    for (int o = 0; o < w->op->n_out; o++) {
        int v = w->op->n_in + o;
        mw_id result = w->body->result[o];
        int64_t stride = w->walk.stride[v][w->walk.n - 1];
        int64_t begin = at[v] + first * stride;
        mw_number x[PIECE];
        if (mw_fused_is_reduced(w->body, result)) {
            mw_id op = w->body->tensor[result].producer;
            reduce(w, o, w->body->op[op].in[0].tensor, begin, stride);
            continue;
        }
        mw_numbers_load(w->out[o].dtype, w->value[result], 0, 1, w->n, x);
        mw_numbers_store(w->out[o].dtype, w->out[o].data, begin, stride, w->n,
                         x);
    }
}

static void start_results(work *w)
{
    for (int o = 0; o < w->op->n_out; o++) {
        mw_view *out = &w->out[o];
        w->held[o] = MW_NONE;
        if (!mw_fused_is_reduced(w->body, w->body->result[o]))
            continue;
        mw_number x = mw_reduce_start(w->op->def->reduce, out->dtype);
        for (int64_t i = 0, n = mw_view_elements(out); i < n; i++)
            mw_numbers_store(out->dtype, out->data, i, 1, 1, &x);
    }
}

static bool next(const mw_fused_walk *walk, int64_t index[])
{
    for (int i = walk->n - 2; i >= 0; i--) {
        if (++index[i] < walk->extent[i])
            return true;
        index[i] = 0;
    }
    return false;
}

void mw_fused_ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    work w = {.op = op, .body = mw_fused_body(op), .in = in, .out = out};
    int64_t index[MW_MAX_LETTERS] = {0}, at[MW_FUSED_VIEWS];
    mw_fused_walk_make(&w.walk, op, in, out);
    start_results(&w);
    if (w.walk.empty)
        return;
    put_constants(&w);
    int64_t row = w.walk.extent[w.walk.n - 1];
    do {
        mw_fused_at(&w.walk, index, op->n_in + op->n_out, at);
        for (int64_t first = 0; first < row; first += PIECE) {
            w.n = row - first < PIECE ? row - first : PIECE;
            load(&w, at, first);
            run_ops(&w);
            store(&w, at, first);
        }
    } while (next(&w.walk, index));
    for (int o = 0; o < op->n_out; o++)
        hold(&w, o, MW_NONE);
}
