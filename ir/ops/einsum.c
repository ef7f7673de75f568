/* einsum.c - sum of products over the dims that are missing in the result. */
#include <ctype.h>
#include <string.h>

#include "ir/gemm.h"
#include "ir/grad.h"
#include "ir/loop.h"
#include "ir/number.h"
#include "ir/rule.h"

enum { N_CHARS = 128 };

static mw_status check_dtype(const mw_graph *graph, const mw_op *op,
                             mw_dtype *dtype)
{
    MW_TRY(mw_rule_same_dtype(graph, op, 0, dtype));
    if (*dtype == MW_BOOL)
        return mw_op_fail(graph, op, "not defined for bool");
    return MW_OK;
}

// Letters of input i from its term of the spec, `*at` going past the term.
// sign[c]: the letter of character c, or MW_NONE; seen[c]: c is in a term.
static mw_status place_term(const mw_graph *graph, mw_op *op, int i,
                            const char **at, int8_t sign[N_CHARS],
                            bool seen[N_CHARS])
{
    const mw_tensor *in = mw_op_in(graph, op, i);
    int n = 0;
    for (; isalpha((unsigned char)**at); ++*at, n++) {
        unsigned char c = (unsigned char)**at;
        if (n >= in->rank)
            return mw_op_fail(graph, op, "operand %d has %d axes, spec is '%s'",
                              i, in->rank, mw_op_attr(op, "spec")->text);
        int64_t size = in->axis[n].size;
        seen[c] = true;
        if (size == 1)
            continue;
        if (sign[c] == MW_NONE)
            MW_TRY(mw_letter_add(graph, op,
                                 (mw_letter){.dim = MW_NONE, .size = size},
                                 &sign[c]));
        if (op->letter[sign[c]].size != size)
            return mw_op_fail(
                graph, op, "operand %d axis %d is %lld where '%c' is %lld", i,
                n, (long long)size, c, (long long)op->letter[sign[c]].size);
        op->in[i].letter[n] = sign[c];
    }
    if (n != in->rank)
        return mw_op_fail(graph, op, "operand %d has %d axes, spec is '%s'", i,
                          in->rank, mw_op_attr(op, "spec")->text);
    return MW_OK;
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const char *spec = mw_op_attr(op, "spec")->text;
    const char *at = spec;
    int8_t sign[N_CHARS];
    bool seen[N_CHARS] = {false};
    memset(sign, MW_NONE, sizeof sign);
    MW_TRY(check_dtype(graph, op, &out->dtype));
    for (int i = 0; i < op->n_in; i++) {
        MW_TRY(place_term(graph, op, i, &at, sign, seen));
        const char *next = i + 1 < op->n_in ? "," : "->";
        if (strncmp(at, next, strlen(next)) != 0)
            return mw_op_fail(graph, op, "spec is '%s', wanted '%s' at '%s'",
                              spec, next, at);
        at += strlen(next);
    }
    for (; *at; at++) {
        int c = (unsigned char)*at;
        if (c >= N_CHARS || !seen[c])
            return mw_op_fail(graph, op, "spec is '%s': '%c' is in no operand",
                              spec, c);
        MW_TRY(mw_out_axis(graph, op, out, sign[c]));
    }
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    mw_dtype dtype;
    MW_TRY(check_dtype(graph, op, &dtype));
    MW_TRY(mw_rule_out_dtype(graph, op, dtype));
    MW_TRY(mw_bind_letters(graph, op));
    return mw_bind_no_new(graph, op);
}

// Sum over the contracted letters, from the offsets at[] in the operands.
static mw_number contract(mw_loop *inner, const mw_view in[],
                          const int64_t at[2])
{
    mw_number total = {.u = 0};
    for (bool more = mw_loop_start(inner, at); more;
         more = mw_loop_next(inner)) {
        mw_run a = {in[0].data, inner->at[0], mw_loop_row_stride(inner, 0)};
        mw_run b = {in[1].data, inner->at[1], mw_loop_row_stride(inner, 1)};
        total = mw_numbers_dot(in[0].dtype, a, b, mw_loop_row(inner), total);
    }
    return total;
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    // A missing second operand is a one.
    double storage;
    mw_number one = {.u = 1};
    if (mw_dtype_is_float(in[0].dtype))
        one.f = 1;
    mw_numbers_store(in[0].dtype, &storage, 0, 1, 1, &one);
    mw_operand none = {.tensor = MW_NONE};
    memset(none.letter, MW_NONE, sizeof none.letter);
    mw_view views[2] = {in[0], {.data = &storage, .dtype = in[0].dtype}};
    const mw_operand *operands[2] = {&op->in[0], &none};
    if (op->n_in == 2) {
        views[1] = in[1];
        operands[1] = &op->in[1];
    }
    int64_t extent[MW_MAX_LETTERS];
    mw_loop outer, inner;
    mw_block_extents(op, in, out, extent);
    mw_loop_outputs(&outer, op, extent);
    mw_loop_reduced(&inner, op, extent);
    for (int i = 0; i < 2; i++) {
        mw_loop_view(&outer, operands[i], &views[i]);
        mw_loop_view(&inner, operands[i], &views[i]);
    }
    mw_loop_view(&outer, &op->out[0], out);
    for (bool more = mw_loop_start(&outer, NULL); more;
         more = mw_loop_next(&outer)) {
        for (int64_t k = 0; k < mw_loop_row(&outer); k++) {
            int64_t at[3];
            for (int v = 0; v < 3; v++)
                at[v] = outer.at[v] + k * mw_loop_row_stride(&outer, v);
            mw_number total = contract(&inner, views, at);
            mw_numbers_store(out->dtype, out->data, at[2], 1, 1, &total);
        }
    }
}

// What an operand misses of its dimensions was summed over alone: its
// gradient is the same along it.
static mw_status grad(mw_grad *g, const mw_op *op, const mw_id dout[],
                      mw_id din[])
{
    for (int i = 0; i < op->n_in; i++) {
        mw_id in = op->in[i].tensor;
        if (!mw_grad_wants(g, i))
            continue;
        if (op->n_in == 1)
            din[i] = dout[0];
        else
            MW_TRY(
                mw_grad_einsum(g, dout[0], op->in[1 - i].tensor, in, &din[i]));
    }
    return MW_OK;
}

static const mw_attr_rule attrs[] = {
    {"spec", MW_ATTR_TEXT, MW_ATTR_PLACED, false},
    {0},
};

const mw_op_def mw_op_einsum = {
    .name = "einsum",
    .brief = "sum of products over the dims that are missing in the result",
    .family = "contraction",
    .min_in = 1,
    .max_in = 2,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .reduce = MW_REDUCE_SUM,
    .linear = {1, 2},
    .flops = 2,
    .workspace = mw_gemm_workspace,
    .ref = ref,
    .grad = grad,
    .dear = true,
    .grad_thin = true,
    .shift = MW_SHIFT_MUL,
    .samples =
        (const char *const[]){
            "model m\ndim m = 5\ndim k = 7\ndim n = 6\n"
            "input x : f32[m, k]\nparam w : f32[k, n]\n"
            "y = einsum(x, w) : f32[m, n]\noutput y\n",
            "model m\ndim b = 3\ndim m = 4\ndim k = 5\ndim n = 2\n"
            "input x : i64[m, b, k]\nparam w : i64[k, n, b]\n"
            "y = einsum(x, w) : i64[b, n, m]\noutput y\n",
            "model m\ndim b = 3\ndim m = 4\ndim k = 5\n"
            "input x : f32[b, m, k]\n"
            "y = einsum(x) : f32[k, b]\noutput y\n",
            NULL,
        },
};
