/* scan.c - a body for each index of a dim, one after another: recurrent cells
 * and loops of known length. See ir/scan.h. */
#include "ir/scan.h"

#include <string.h>

#include "ir/body.h"
#include "ir/rule.h"

enum { MAX_OPERANDS = 64 };

/* The body's side of the op. */
typedef struct sides {
    const mw_graph *body;
    int carries;
    mw_id input[MAX_OPERANDS];
} sides;

static mw_status check_counts(const mw_graph *graph, const mw_op *op, sides *s)
{
    s->body = mw_scan_body(op);
    s->carries = mw_scan_carries(op);
    MW_TRY(mw_body_check(s->body));
    int n = mw_body_inputs(s->body, s->input, MAX_OPERANDS);
    if (n != op->n_in || n > MAX_OPERANDS)
        return mw_op_fail(graph, op,
                          "%d operands, and body '%s' has %d inputs (at most "
                          "%d)",
                          op->n_in, s->body->name, n, MAX_OPERANDS);
    if (s->body->n_results != op->n_out)
        return mw_op_fail(graph, op, "%d results, and body '%s' has %d",
                          op->n_out, s->body->name, s->body->n_results);
    if (s->carries < 0 || s->carries > op->n_in || s->carries > op->n_out)
        return mw_op_fail(graph, op,
                          "%d carries, wanted at most %d, as many as there "
                          "are operands and results",
                          s->carries,
                          op->n_in < op->n_out ? op->n_in : op->n_out);
    int64_t count = mw_op_attr_int(op, "count", 0);
    if (count < 0)
        return mw_op_fail(graph, op, "count is %lld, wanted at least 0",
                          (long long)count);
    return MW_OK;
}

static mw_status check_carries(const mw_graph *graph, const mw_op *op,
                               const sides *s)
{
    for (int i = 0; i < s->carries; i++) {
        const mw_tensor *x = &s->body->tensor[s->input[i]];
        const mw_tensor *y = &s->body->tensor[s->body->result[i]];
        bool same = x->rank == y->rank && x->dtype == y->dtype;
        for (int a = 0; same && a < x->rank; a++)
            same = x->axis[a].size == y->axis[a].size &&
                   x->axis[a].dim == y->axis[a].dim;
        if (!same)
            return mw_op_fail(graph, op,
                              "carry %d is '%s' of the body before a step and "
                              "'%s' after, which has other axes or another "
                              "dtype",
                              i, x->name, y->name);
    }
    return MW_OK;
}

/* ---- placed ------------------------------------------------------------- */

typedef struct placing {
    mw_op *op;
    const mw_graph *graph;
    sides s;
    mw_id *class;
    int8_t *letter; /* of each class */
    int64_t steps;
    int8_t scan; /* letter, or MW_NONE for one step */
} placing;

static mw_status class_letter(placing *p, mw_id tensor, int axis,
                              int8_t *letter)
{
    mw_id class = p->class[tensor * MW_MAX_RANK + axis];
    *letter = MW_NONE;
    if (class == MW_NONE)
        return MW_OK;
    if (p->letter[class] == MW_NONE)
        MW_TRY(mw_letter_add(
            p->graph, p->op,
            (mw_letter){.dim = MW_NONE,
                        .size = p->s.body->tensor[tensor].axis[axis].size},
            &p->letter[class]));
    *letter = p->letter[class];
    return MW_OK;
}

static mw_status place_input(placing *p, int i)
{
    const mw_tensor *outer = mw_op_in(p->graph, p->op, i);
    mw_id inner = p->s.input[i];
    int skip = mw_scan_is_scanned(p->op, i);
    MW_TRY(mw_body_alike(p->graph, p->op, outer, p->s.body, inner, skip));
    if (skip && outer->axis[0].size != p->steps)
        return mw_op_fail(p->graph, p->op, "'%s' has %lld steps, wanted %lld",
                          outer->name, (long long)outer->axis[0].size,
                          (long long)p->steps);
    if (skip)
        p->op->in[i].letter[0] = p->scan;
    for (int a = skip; a < outer->rank; a++)
        MW_TRY(class_letter(p, inner, a - skip, &p->op->in[i].letter[a]));
    return MW_OK;
}

static mw_status place_output(placing *p, int o, mw_tensor *out)
{
    mw_id inner = p->s.body->result[o];
    const mw_tensor *tensor = &p->s.body->tensor[inner];
    out->dtype = tensor->dtype;
    if (o >= p->s.carries) {
        p->op->out[o].letter[0] = p->scan;
        out->axis[out->rank++] = (mw_axis){.dim = MW_NONE, .size = p->steps};
    }
    for (int a = 0; a < tensor->rank; a++) {
        int8_t *letter = &p->op->out[o].letter[out->rank];
        if (out->rank == MW_MAX_RANK)
            return mw_op_fail(p->graph, p->op, "result %d has over %d axes", o,
                              MW_MAX_RANK);
        if (o < p->s.carries)
            *letter = p->op->in[o].letter[a];
        else
            MW_TRY(class_letter(p, inner, a, letter));
        out->axis[out->rank++] =
            (mw_axis){.dim = MW_NONE, .size = tensor->axis[a].size};
    }
    return MW_OK;
}

static mw_status placed_steps(placing *p)
{
    int64_t scans = mw_op_attr_int(p->op, "scans", 0);
    const mw_attr *count = mw_op_attr(p->op, "count");
    if (scans < 0 || p->s.carries + scans > p->op->n_in)
        return mw_op_fail(p->graph, p->op,
                          "%lld operands to scan after %d carries of %d "
                          "operands",
                          (long long)scans, p->s.carries, p->op->n_in);
    if ((scans == 0) != (count != NULL))
        return mw_op_fail(p->graph, p->op,
                          "wanted operands to scan, or else a count");
    p->steps = count ? count->i[0] : 0;
    if (!count) {
        const mw_tensor *first = mw_op_in(p->graph, p->op, p->s.carries);
        if (first->rank == 0)
            return mw_op_fail(p->graph, p->op, "'%s' has no axis to scan",
                              first->name);
        p->steps = first->axis[0].size;
    }
    p->scan = MW_NONE;
    if (p->steps == 1)
        return MW_OK;
    return mw_letter_add(p->graph, p->op,
                         (mw_letter){.dim = MW_NONE, .size = p->steps},
                         &p->scan);
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    placing p = {.op = op, .graph = graph};
    int n;
    MW_TRY(check_counts(graph, op, &p.s));
    MW_TRY(check_carries(graph, op, &p.s));
    MW_TRY(placed_steps(&p));
    MW_TRY(mw_body_classes(graph->arena, p.s.body, &p.class, &n));
    p.letter = MW_NEW_ARRAY(graph->arena, n + 1, int8_t);
    if (!p.letter)
        return MW_ENOMEM;
    memset(p.letter, MW_NONE, (size_t)n + 1);
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(place_input(&p, i));
    for (int o = 0; o < op->n_out; o++)
        MW_TRY(place_output(&p, o, &out[o]));
    return MW_OK;
}

/* ---- named -------------------------------------------------------------- */

static mw_status bind_steps(const mw_graph *graph, mw_op *op)
{
    const mw_attr *dim = mw_op_attr(op, "dim");
    int8_t letter;
    if ((dim != NULL) == (mw_op_attr(op, "count") != NULL))
        return mw_op_fail(graph, op, "wanted a dim to scan, or else a count");
    if (!dim)
        return MW_OK;
    return mw_letter_add(graph, op,
                         (mw_letter){.dim = (mw_id)dim->i[0],
                                     .size = graph->dim[dim->i[0]].size,
                                     .pinned = true},
                         &letter);
}

// 1 where a tensor has the scanned dim, outermost; 0 where it lacks it.
static mw_status scanned_axis(const mw_graph *graph, const mw_op *op,
                              const mw_tensor *tensor, bool carry, int *skip)
{
    const mw_attr *dim = mw_op_attr(op, "dim");
    int axis = dim ? mw_tensor_axis(tensor, (mw_id)dim->i[0]) : MW_NONE;
    if (axis > 0 || (axis == 0 && carry))
        return mw_op_fail(graph, op,
                          "'%s' is scanned along '%s', its axis %d, wanted the "
                          "first of an operand that is no carry",
                          tensor->name, graph->dim[dim->i[0]].name, axis);
    *skip = axis == 0;
    return MW_OK;
}

static mw_status check_named(const mw_graph *graph, const mw_op *op,
                             const sides *s)
{
    int skip;
    for (int i = 0; i < op->n_in; i++) {
        const mw_tensor *outer = mw_op_in(graph, op, i);
        MW_TRY(scanned_axis(graph, op, outer, i < s->carries, &skip));
        MW_TRY(mw_body_alike(graph, op, outer, s->body, s->input[i], skip));
    }
    for (int o = 0; o < op->n_out; o++) {
        const mw_tensor *outer = &graph->tensor[op->out[o].tensor];
        const mw_attr *dim = mw_op_attr(op, "dim");
        MW_TRY(scanned_axis(graph, op, outer, o < s->carries, &skip));
        if (dim && o >= s->carries && !skip)
            return mw_op_fail(graph, op, "result '%s' lacks '%s'", outer->name,
                              graph->dim[dim->i[0]].name);
        MW_TRY(
            mw_body_alike(graph, op, outer, s->body, s->body->result[o], skip));
    }
    return MW_OK;
}

static bool in_some_input(const mw_op *op, int letter)
{
    for (int i = 0; i < op->n_in; i++)
        for (int a = 0; a < MW_MAX_RANK; a++)
            if (op->in[i].letter[a] == letter)
                return true;
    return false;
}

// Only dims along which the body works on its block alone may be split.
static void pin(const mw_graph *graph, mw_op *op, const sides *s)
{
    for (int l = 0; l < op->n_letters; l++) {
        mw_letter *letter = &op->letter[l];
        if (letter->pinned)
            continue;
        mw_id dim = mw_graph_find_dim(s->body, graph->dim[letter->dim].name);
        letter->pinned = dim == MW_NONE || !in_some_input(op, l) ||
                         !mw_body_splits(s->body, dim);
    }
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    sides s;
    MW_TRY(check_counts(graph, op, &s));
    if (!s.body->named)
        return mw_op_fail(graph, op, "body '%s' has no dims", s.body->name);
    MW_TRY(check_carries(graph, op, &s));
    MW_TRY(bind_steps(graph, op));
    MW_TRY(check_named(graph, op, &s));
    MW_TRY(mw_bind_letters(graph, op));
    pin(graph, op, &s);
    return MW_OK;
}

/* ---- work --------------------------------------------------------------- */

static int64_t steps(const mw_op *op, const int64_t extent[MW_MAX_LETTERS])
{
    return mw_op_attr(op, "dim") ? extent[0] : mw_op_attr_int(op, "count", 1);
}

static double flops_of(const mw_graph *graph, const mw_op *op,
                       const int64_t extent[MW_MAX_LETTERS])
{
    const mw_graph *body = mw_scan_body(op);
    double total = 0;
    for (int k = 0; k < body->n_ops; k++) {
        const mw_op *inner = &body->op[k];
        int64_t own[MW_MAX_LETTERS];
        for (int l = 0; l < inner->n_letters; l++) {
            mw_id dim = inner->letter[l].dim;
            own[l] = inner->letter[l].size;
            for (int m = 0; dim != MW_NONE && m < op->n_letters; m++)
                if (op->letter[m].dim != MW_NONE &&
                    strcmp(graph->dim[op->letter[m].dim].name,
                           body->dim[dim].name) == 0)
                    own[l] = extent[m];
        }
        total += mw_op_flops_at(body, inner, own);
    }
    return total * (double)steps(op, extent);
}

static void plain(const void *arg, const mw_op *op, const mw_view in[],
                  mw_view out[], void *room, int64_t room_bytes)
{
    (void)arg;
    (void)room_bytes;
    mw_op_ref(op, in, out, room);
}

static void ref_room(const mw_op *op, const mw_view in[], mw_view out[],
                     void *room)
{
    mw_scan_run(&(mw_scan_call){
        .op = op, .in = in, .out = out, .room = room, .kernel = plain});
}

static const mw_attr_rule attrs[] = {
    {"body", MW_ATTR_BODY, MW_ATTR_BOTH, false},
    {"carries", MW_ATTR_INT, MW_ATTR_BOTH, false},
    {"scans", MW_ATTR_INT, MW_ATTR_PLACED, true},
    {"dim", MW_ATTR_DIM, MW_ATTR_NAMED, true},
    {"count", MW_ATTR_INT, MW_ATTR_BOTH, true},
    {"reverse", MW_ATTR_INT, MW_ATTR_BOTH, true},
    {0},
};

const mw_op_def mw_op_scan = {
    .name = "scan",
    .brief = "a body for each index of a dim, with carries from step to step",
    .family = "control",
    .min_in = 1,
    .max_in = MAX_OPERANDS,
    .n_out = -1,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = mw_scan_lower,
    .flops_of = flops_of,
    .workspace = mw_scan_room,
    .ref_room = ref_room,
    .grad = mw_scan_grad,
    .samples =
        (const char *const[]){
            "model m\n"
            "dim time = 4\ndim batch = 5\ndim d = 3\n"
            "body cell\n"
            "dim batch = 5\ndim d = 3\ndim k = 3 of d by alias\n"
            "input h : f32[batch, d]\ninput x : f32[batch, d]\n"
            "input w : f32[k, d]\n"
            "hk = rename(h) : f32[batch, k]\n"
            "z = einsum(hk, w) : f32[batch, d]\n"
            "s = add(z, x) : f32[batch, d]\n"
            "n = tanh(s) : f32[batch, d]\n"
            "result n, n\nend\n"
            "dim k = 3 of d by alias\n"
            "input h : f32[batch, d]\ninput x : f32[time, batch, d]\n"
            "input w : f32[k, d]\n"
            "last, all = scan(h, x, w, body=cell, carries=1, dim=time) : "
            "f32[batch, d], f32[time, batch, d]\n"
            "output last\noutput all\n",
            "model m\n"
            "dim time = 6\ndim a = 5\ndim b = 2\n"
            "body walk\n"
            "dim a = 5\ndim b = 2\n"
            "input s : f64[a, b]\ninput t : f64[a]\ninput x : f64[b, a]\n"
            "const c : f64[] = {0.5}\n"
            "m = mul(s, c) : f64[a, b]\n"
            "y = add(m, x) : f64[a, b]\n"
            "r = mul(t, c) : f64[a]\n"
            "result y, r, m\nend\n"
            "input s : f64[a, b]\ninput t : f64[a]\n"
            "input x : f64[time, b, a]\n"
            "u, v, w = scan(s, t, x, body=walk, carries=2, dim=time, "
            "reverse=1) : f64[a, b], f64[a], f64[time, a, b]\n"
            "output u\noutput v\noutput w\n",
            "model m\n"
            "dim a = 5\n"
            "body twice\n"
            "dim a = 5\n"
            "input x : f32[a]\n"
            "y = add(x, x) : f32[a]\n"
            "result y\nend\n"
            "input x : f32[a]\n"
            "y = scan(x, body=twice, carries=1, count=3) : f32[a]\n"
            "output y\n",
            "model m\n"
            "dim rows = 3\ndim time = 2\ndim batch = 5\ndim d = 2\n"
            "body step\n"
            "dim batch = 5\ndim d = 2\n"
            "input h : f32[batch, d]\ninput x : f32[batch, d]\n"
            "input w : f32[d]\n"
            "s = add(h, x) : f32[batch, d]\n"
            "p = mul(s, w) : f32[batch, d]\n"
            "n = tanh(p) : f32[batch, d]\n"
            "result n, p\nend\n"
            "body row\n"
            "dim time = 2\ndim batch = 5\ndim d = 2\n"
            "input h : f32[batch, d]\ninput x : f32[time, batch, d]\n"
            "input w : f32[d]\n"
            "z = mul(h, w) : f32[batch, d]\n"
            "n, all = scan(z, x, w, body=step, carries=1, dim=time) : "
            "f32[batch, d], f32[time, batch, d]\n"
            "result n, all\nend\n"
            "input h : f32[batch, d]\ninput x : f32[rows, time, batch, d]\n"
            "input w : f32[d]\n"
            "last, all = scan(h, x, w, body=row, carries=1, dim=rows) : "
            "f32[batch, d], f32[rows, time, batch, d]\n"
            "output last\noutput all\n",
            NULL,
        },
};
