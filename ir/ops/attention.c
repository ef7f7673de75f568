/* attention.c - values weighed by scores that are never whole in memory. See
 * ir/attention.h. */
#include "ir/attention.h"

#include <string.h>

#include "ir/attention_ref.h"
#include "ir/body.h"
#include "ir/rule.h"

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    (void)out;
    return mw_op_fail(graph, op, "stands in named graphs only");
}

static mw_status check_operands(const mw_graph *graph, const mw_op *op,
                                const mw_graph *body)
{
    mw_id input[MW_ATTENTION_IN];
    int n = mw_body_inputs(body, input, MW_ATTENTION_IN);
    if (n != op->n_in || op->n_out != 1)
        return mw_op_fail(graph, op,
                          "%d operands and %d results, and body '%s' has %d "
                          "inputs and 1 result",
                          op->n_in, op->n_out, body->name, n);
    for (int i = 0; i < n; i++)
        MW_TRY(mw_body_alike(graph, op, mw_op_in(graph, op, i), body, input[i],
                             0));
    return mw_body_alike(graph, op, mw_op_out(graph, op), body, body->result[0],
                         0);
}

static int letter_of(const mw_graph *graph, const mw_op *op, const char *dim)
{
    for (int l = 0; l < op->n_letters; l++)
        if (strcmp(graph->dim[op->letter[l].dim].name, dim) == 0)
            return l;
    return MW_NONE;
}

// Every dim of the body is an operand's; only those may be split along which
// the body works on its block alone.
static mw_status bind_dims(const mw_graph *graph, mw_op *op,
                           const mw_graph *body)
{
    for (mw_id t = 0; t < body->n_tensors; t++)
        for (int a = 0; a < body->tensor[t].rank; a++)
            if (letter_of(graph, op,
                          body->dim[body->tensor[t].axis[a].dim].name) ==
                MW_NONE)
                return mw_op_fail(graph, op,
                                  "'%s' of body '%s' has a dim that no operand "
                                  "has",
                                  body->tensor[t].name, body->name);
    for (int l = 0; l < op->n_letters; l++) {
        mw_letter *letter = &op->letter[l];
        mw_id dim = mw_graph_find_dim(body, graph->dim[letter->dim].name);
        letter->pinned = dim == MW_NONE || !mw_body_splits(body, dim);
    }
    return MW_OK;
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    const mw_graph *body = mw_attention_body(op);
    mw_attention found;
    MW_TRY(mw_body_check(body));
    if (!body->named)
        return mw_op_fail(graph, op, "body '%s' has no dims", body->name);
    const char *wrong = mw_attention_find(body, &found);
    if (wrong)
        return mw_op_fail(graph, op, "body '%s': %s", body->name, wrong);
    MW_TRY(check_operands(graph, op, body));
    MW_TRY(mw_bind_letters(graph, op));
    return bind_dims(graph, op, body);
}

static void extents_of(const mw_graph *graph, const mw_op *op,
                       const int64_t by_letter[], int64_t extent[])
{
    const mw_graph *body = mw_attention_body(op);
    for (mw_id d = 0; d < body->n_dims; d++) {
        int letter = letter_of(graph, op, body->dim[d].name);
        extent[d] = letter == MW_NONE ? body->dim[d].size : by_letter[letter];
    }
}

static double flops_of(const mw_graph *graph, const mw_op *op,
                       const int64_t extent[MW_MAX_LETTERS])
{
    const mw_graph *body = mw_attention_body(op);
    int64_t by_dim[MW_BODY_DIMS];
    double total = 0;
    extents_of(graph, op, extent, by_dim);
    for (int k = 0; k < body->n_ops; k++) {
        const mw_op *inner = &body->op[k];
        int64_t own[MW_MAX_LETTERS];
        for (int l = 0; l < inner->n_letters; l++)
            own[l] = by_dim[inner->letter[l].dim];
        total += mw_op_flops_at(body, inner, own);
    }
    return total;
}

static int64_t workspace(const mw_graph *graph, const mw_op *op,
                         const int64_t extent[MW_MAX_LETTERS])
{
    mw_attention found;
    int64_t by_dim[MW_BODY_DIMS];
    if (mw_attention_find(mw_attention_body(op), &found))
        return 0;
    extents_of(graph, op, extent, by_dim);
    int64_t lanes = mw_attention_lanes(&found, by_dim) *
                    mw_attention_lane_bytes(&found, by_dim);
    int64_t plain = mw_attention_ref_room(&found, by_dim);
    return lanes > plain ? lanes : plain;
}

static const mw_attr_rule attrs[] = {
    {"body", MW_ATTR_BODY, MW_ATTR_BOTH, false},
    {0},
};

const mw_op_def mw_op_attention = {
    .name = "attention",
    .brief = "values weighed by scores, a block of scores at a time",
    .family = "contraction",
    .min_in = 3,
    .max_in = MW_ATTENTION_IN,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .flops_of = flops_of,
    .workspace = workspace,
    .ref_room = mw_attention_ref,
    .no_grad = "it is made after gradients",
    .samples =
        (const char *const[]){
            "model m\n"
            "dim b = 2\ndim h = 3\ndim s = 5\ndim t = 6\ndim d = 4\ndim e = 3\n"
            "body soft\n"
            "dim b = 2\ndim h = 3\ndim s = 5\ndim t = 6\ndim d = 4\ndim e = 3\n"
            "input q : f32[b, s, h, d]\ninput k : f32[b, t, h, d]\n"
            "input mask : bool[s, t]\ninput bias : f32[h, t, s]\n"
            "input v : f32[b, t, h, e]\n"
            "const low : f32[] = {-10000}\n"
            "x = einsum(q, k) : f32[b, h, s, t]\n"
            "y = where(mask, x, low) : f32[b, h, s, t]\n"
            "z = add(y, bias) : f32[b, h, s, t]\n"
            "m = reduce_max(z) : f32[b, h, s]\n"
            "c = sub(z, m) : f32[b, h, s, t]\n"
            "p = exp(c) : f32[b, h, s, t]\n"
            "n = reduce_sum(p) : f32[b, h, s]\n"
            "w = div(p, n) : f32[b, h, s, t]\n"
            "o = einsum(w, v) : f32[b, s, h, e]\n"
            "result o\nend\n"
            "input q : f32[b, s, h, d]\ninput k : f32[b, t, h, d]\n"
            "input mask : bool[s, t]\ninput bias : f32[h, t, s]\n"
            "input v : f32[b, t, h, e]\n"
            "o = attention(q, k, mask, bias, v, body=soft) : f32[b, s, h, e]\n"
            "output o\n",
            "model m\n"
            "dim b = 3\ndim g = 2\ndim s = 5\ndim t = 6\ndim d = 4\n"
            "body shared\n"
            "dim b = 3\ndim g = 2\ndim s = 5\ndim t = 6\ndim d = 4\n"
            "input k : f64[b, d, t]\ninput q : f64[b, g, d, s]\n"
            "input r : f64[s]\ninput v : f64[d, b, t]\n"
            "x = einsum(k, q) : f64[b, s, g, t]\n"
            "y = mul(x, r) : f64[b, s, t, g]\n"
            "n = reduce_sum(y) : f64[b, g, s]\n"
            "a = tanh(n) : f64[b, g, s]\n"
            "w = sub(y, a) : f64[b, s, t, g]\n"
            "o = einsum(v, w) : f64[d, g, b, s]\n"
            "result o\nend\n"
            "input k : f64[b, d, t]\ninput q : f64[b, g, d, s]\n"
            "input r : f64[s]\ninput v : f64[d, b, t]\n"
            "o = attention(k, q, r, v, body=shared) : f64[d, g, b, s]\n"
            "output o\n",
            NULL},
};
