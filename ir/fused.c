/* fused.c - what a fused group is made of, and how its blocks are walked. */
#include "ir/fused.h"

#include <string.h>

#include "ir/body.h"
#include "ir/loop.h"
#include "ir/rule.h"

const mw_graph *mw_fused_body(const mw_op *op)
{
    return mw_op_attr(op, "body")->body;
}

const mw_op_def *mw_fused_row(mw_reduce reduce)
{
    for (int i = 0; i < mw_op_count; i++)
        if (mw_op_table[i]->bind == mw_fused_bind &&
            mw_op_table[i]->reduce == reduce)
            return mw_op_table[i];
    return NULL;
}

bool mw_fused_has_dim(const mw_tensor *tensor, mw_id dim)
{
    return dim != MW_NONE && mw_tensor_axis(tensor, dim) != MW_NONE;
}

bool mw_fused_is_reduced(const mw_graph *body, mw_id tensor)
{
    mw_id op = body->tensor[tensor].producer;
    return op != MW_NONE && body->op[op].def->reduce != MW_REDUCE_NONE;
}

/* ---- rules -------------------------------------------------------------- */

mw_status mw_fused_place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    (void)out;
    return mw_op_fail(graph, op, "stands in named graphs only");
}

static mw_status check_sizes(const mw_graph *graph, const mw_op *op,
                             const mw_graph *body)
{
    if (body->n_ops < 1 || body->n_ops > MW_FUSED_OPS)
        return mw_op_fail(graph, op, "body '%s' has %d ops, wanted 1 to %d",
                          body->name, body->n_ops, MW_FUSED_OPS);
    if (body->n_tensors > MW_FUSED_TENSORS)
        return mw_op_fail(graph, op,
                          "body '%s' has %d tensors, wanted at "
                          "most %d",
                          body->name, body->n_tensors, MW_FUSED_TENSORS);
    if (op->n_out > MW_FUSED_OUT)
        return mw_op_fail(graph, op, "%d results, wanted at most %d", op->n_out,
                          MW_FUSED_OUT);
    for (mw_id t = 0; t < body->n_tensors; t++)
        if (body->tensor[t].role == MW_ROLE_CONST && body->tensor[t].rank > 0)
            return mw_op_fail(graph, op,
                              "constant '%s' of body '%s' has dims, wanted a "
                              "single value",
                              body->tensor[t].name, body->name);
    return MW_OK;
}

// Maps, and reductions of the row's kind whose results nobody reads.
static mw_status check_ops(const mw_graph *graph, const mw_op *op,
                           const mw_graph *body)
{
    for (int k = 0; k < body->n_ops; k++) {
        const mw_op *inner = &body->op[k];
        bool reduces = inner->def->reduce != MW_REDUCE_NONE;
        if (!inner->def->fuses || inner->n_out != 1 || inner->n_in < 1 ||
            inner->n_in > MW_FUSED_ARGS ||
            (reduces && inner->def->reduce != op->def->reduce))
            return mw_op_fail(graph, op,
                              "'%s' of body '%s' is a %s, which has no place "
                              "there",
                              inner->name, body->name, inner->def->name);
        for (int i = 0; i < inner->n_in; i++)
            if (mw_fused_is_reduced(body, inner->in[i].tensor))
                return mw_op_fail(graph, op,
                                  "'%s' of body '%s' reads the reduced '%s'",
                                  inner->name, body->name,
                                  body->tensor[inner->in[i].tensor].name);
    }
    return MW_OK;
}

static mw_status check_operands(const mw_graph *graph, const mw_op *op,
                                const mw_graph *body)
{
    mw_id input[MW_FUSED_IN];
    int n = mw_body_inputs(body, input, MW_FUSED_IN);
    if (n != op->n_in)
        return mw_op_fail(graph, op, "%d operands, and body '%s' has %d inputs",
                          op->n_in, body->name, n);
    if (body->n_results != op->n_out)
        return mw_op_fail(graph, op, "%d results, and body '%s' has %d",
                          op->n_out, body->name, body->n_results);
    for (int i = 0; i < n; i++)
        MW_TRY(mw_body_alike(graph, op, mw_op_in(graph, op, i), body, input[i],
                             0));
    for (int o = 0; o < op->n_out; o++) {
        mw_id result = body->result[o];
        MW_TRY(mw_body_alike(graph, op, &graph->tensor[op->out[o].tensor], body,
                             result, 0));
        bool twice = false;
        for (int other = 0; other < o; other++)
            twice = twice || body->result[other] == result;
        if (twice || body->tensor[result].producer == MW_NONE)
            return mw_op_fail(graph, op,
                              "'%s' of body '%s' is a result twice, or an "
                              "input",
                              body->tensor[result].name, body->name);
    }
    return MW_OK;
}

static int letter_of(const mw_graph *graph, const mw_op *op, const char *dim)
{
    for (int l = 0; l < op->n_letters; l++)
        if (op->letter[l].dim != MW_NONE &&
            strcmp(graph->dim[op->letter[l].dim].name, dim) == 0)
            return l;
    return MW_NONE;
}

// A result, or what it reduces, has every letter; no tensor has another dim.
static mw_status check_dims(const mw_graph *graph, const mw_op *op,
                            const mw_graph *body)
{
    for (mw_id t = 0; t < body->n_tensors; t++)
        for (int a = 0; a < body->tensor[t].rank; a++) {
            mw_id dim = body->tensor[t].axis[a].dim;
            if (dim == MW_NONE ||
                letter_of(graph, op, body->dim[dim].name) == MW_NONE)
                return mw_op_fail(graph, op,
                                  "'%s' of body '%s' has a dim that no operand "
                                  "has",
                                  body->tensor[t].name, body->name);
        }
    for (int o = 0; o < op->n_out; o++) {
        mw_id full = body->result[o];
        if (mw_fused_is_reduced(body, full))
            full = body->op[body->tensor[full].producer].in[0].tensor;
        if (body->tensor[full].rank != op->n_letters)
            return mw_op_fail(graph, op,
                              "'%s' of body '%s' has %d dims, wanted all %d",
                              body->tensor[full].name, body->name,
                              body->tensor[full].rank, op->n_letters);
    }
    return MW_OK;
}

mw_status mw_fused_bind(mw_graph *graph, mw_op *op)
{
    const mw_graph *body = mw_fused_body(op);
    MW_TRY(mw_body_check(body));
    if (!body->named)
        return mw_op_fail(graph, op, "body '%s' has no dims", body->name);
    MW_TRY(check_sizes(graph, op, body));
    MW_TRY(check_ops(graph, op, body));
    MW_TRY(check_operands(graph, op, body));
    MW_TRY(mw_bind_letters(graph, op));
    MW_TRY(check_dims(graph, op, body));
    return mw_fused_linear(graph, op);
}

double mw_fused_flops(const mw_graph *graph, const mw_op *op,
                      const int64_t extent[MW_MAX_LETTERS])
{
    const mw_graph *body = mw_fused_body(op);
    double total = 0;
    for (int k = 0; k < body->n_ops; k++) {
        const mw_op *inner = &body->op[k];
        int64_t own[MW_MAX_LETTERS];
        for (int l = 0; l < inner->n_letters; l++)
            own[l] = extent[letter_of(graph, op,
                                      body->dim[inner->letter[l].dim].name)];
        total += mw_op_flops_at(body, inner, own);
    }
    return total;
}

const mw_attr_rule mw_fused_attrs[] = {
    {"body", MW_ATTR_BODY, MW_ATTR_BOTH, false},
    {0},
};

/* ---- walk --------------------------------------------------------------- */

static int64_t letter_stride(const mw_operand *operand, const mw_view *view,
                             int letter)
{
    for (int a = 0; a < view->rank; a++)
        if (operand->letter[a] == letter)
            return mw_view_stride(view, a);
    return 0;
}

/* One of the op's letters, before joining. */
typedef struct step {
    int letter;
    int64_t extent;
    int64_t stride[MW_FUSED_VIEWS];
} step;

static step step_of(const mw_op *op, const mw_view in[], const mw_view out[],
                    const int64_t extent[], int letter)
{
    step s = {.letter = letter, .extent = extent[letter]};
    for (int i = 0; i < op->n_in; i++)
        s.stride[i] = letter_stride(&op->in[i], &in[i], letter);
    for (int o = 0; o < op->n_out; o++)
        s.stride[op->n_in + o] = letter_stride(&op->out[o], &out[o], letter);
    return s;
}

static bool runs_on(const mw_fused_walk *walk, const step *s, int n_views)
{
    int last = walk->n - 1;
    for (int v = 0; v < n_views; v++)
        if (walk->stride[v][last] != s->stride[v] * s->extent)
            return false;
    return true;
}

static mw_id body_dim(const mw_op *op, int letter)
{
    const mw_graph *body = mw_fused_body(op);
    mw_id input[MW_FUSED_IN];
    (void)mw_body_inputs(body, input, MW_FUSED_IN);
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        const mw_operand *operand =
            i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
        mw_id inner = i < op->n_in ? input[i] : body->result[i - op->n_in];
        for (int a = 0; a < body->tensor[inner].rank; a++)
            if (operand->letter[a] == letter)
                return body->tensor[inner].axis[a].dim;
    }
    return MW_NONE;
}

static void add_step(mw_fused_walk *walk, const mw_op *op, const step *s)
{
    int n_views = op->n_in + op->n_out;
    walk->empty = walk->empty || s->extent == 0;
    if (s->extent == 1)
        return;
    if (walk->n > 0 && runs_on(walk, s, n_views))
        walk->extent[walk->n - 1] *= s->extent;
    else
        walk->extent[walk->n++] = s->extent;
    walk->row_dim = body_dim(op, s->letter);
    for (int v = 0; v < n_views; v++)
        walk->stride[v][walk->n - 1] = s->stride[v];
}

// The operand whose order is walked: a result with all letters, else an
// operand with them, else whichever has most.
static const mw_operand *leader(const mw_op *op, const mw_view in[],
                                const mw_view out[])
{
    const mw_operand *found = NULL;
    int most = -1;
    for (int o = 0; o < op->n_out; o++)
        if (out[o].rank > most) {
            most = out[o].rank;
            found = &op->out[o];
        }
    for (int i = 0; i < op->n_in; i++)
        if (in[i].rank > most) {
            most = in[i].rank;
            found = &op->in[i];
        }
    return found;
}

void mw_fused_walk_make(mw_fused_walk *walk, const mw_op *op,
                        const mw_view in[], const mw_view out[])
{
    int64_t extent[MW_MAX_LETTERS];
    bool done[MW_MAX_LETTERS] = {false};
    const mw_operand *lead = leader(op, in, out);
    *walk = (mw_fused_walk){.row_dim = MW_NONE};
    mw_block_extents(op, in, out, extent);
    for (int a = 0; a < MW_MAX_RANK; a++)
        if (lead->letter[a] != MW_NONE)
            done[lead->letter[a]] = true;
    for (int l = 0; l < op->n_letters; l++) {
        step s = step_of(op, in, out, extent, l);
        if (!done[l])
            add_step(walk, op, &s);
    }
    for (int a = 0; a < MW_MAX_RANK; a++) {
        if (lead->letter[a] == MW_NONE)
            continue;
        step s = step_of(op, in, out, extent, lead->letter[a]);
        add_step(walk, op, &s);
    }
    if (walk->n == 0) {
        walk->n = 1;
        walk->extent[0] = 1;
    }
    for (int i = 0; i < walk->n; i++)
        for (int o = 0; o < op->n_out; o++)
            if (walk->stride[op->n_in + o][i] == 0)
                walk->reduced[i] = true;
}

void mw_fused_at(const mw_fused_walk *walk, const int64_t index[], int n_views,
                 int64_t at[MW_FUSED_VIEWS])
{
    for (int v = 0; v < n_views; v++) {
        at[v] = 0;
        for (int i = 0; i < walk->n - 1; i++)
            at[v] += index[i] * walk->stride[v][i];
    }
}

mw_number mw_fused_number(const mw_tensor *constant)
{
    if (constant->data.kind == MW_DATA_FILL)
        return mw_number_cast((mw_number){.f = constant->data.fill}, MW_F64,
                              constant->dtype);
    return mw_number_at(constant->dtype, constant->data.bytes, 0);
}

mw_view mw_fused_piece(const mw_graph *body, mw_id tensor, mw_id row_dim,
                       int64_t n, void *data)
{
    const mw_tensor *t = &body->tensor[tensor];
    mw_view view = {.data = data, .dtype = t->dtype, .rank = t->rank};
    for (int a = 0; a < t->rank; a++) {
        bool row = row_dim != MW_NONE && t->axis[a].dim == row_dim;
        view.size[a] = view.whole[a] = row ? n : 1;
    }
    return view;
}
