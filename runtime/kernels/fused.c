/* fused.c - a group of maps, a piece of a row at a time: each op of the body is
 * a dense loop over a piece that stays in the first cache. What is the same
 * along a row is computed once for it; reductions go in the order of the
 * pieces. */
#include <string.h>

#include "ir/fused.h"
#include "ir/loop.h"
#include "ir/number.h"
#include "runtime/combine.h"
#include "runtime/kernel.h"
#include "runtime/kernels/map.h"
#include "runtime/parallel.h"

enum { SLOTS = 64, ITEM_MAX = 8, THREAD_MIN = 1 << 15 };

/* An op of the body. */
typedef struct step {
    const mw_op *op;
    mw_row_fn *fn; /* NULL: its reference kernel */
} step;

/* A tensor of the body. */
typedef struct value {
    bool row;      /* it differs along the row */
    int8_t input;  /* the op's operand, or MW_NONE */
    int8_t result; /* the op's, written where it lies; or MW_NONE */
    int8_t slot;   /* of its piece, or MW_NONE */
    int8_t wide;   /* of a piece that repeats one value, or MW_NONE */
    int64_t item;
    int64_t stride; /* of an input or result, along the row */
} value;

/* A result that is reduced. */
typedef struct reduction {
    int result;
    mw_id from;
    mw_fold_fn *fold; /* or NULL */
    mw_combine_fn *combine;
} reduction;

typedef struct program {
    const mw_kernel_call *call;
    const mw_graph *body;
    mw_fused_walk walk;
    int n_steps, n_reductions;
    step step[MW_FUSED_OPS];
    reduction reduction[MW_FUSED_OUT];
    value value[MW_FUSED_TENSORS];
    int n_moving, n_single, n_once; /* steps before n_once: once a row */
    mw_id moving[MW_FUSED_VIEWS];   /* lie elsewhere in each piece */
    mw_id single[MW_FUSED_VIEWS];   /* inputs that are the same along a row */
    int64_t slot_bytes;
    int axis; /* that threads share, or MW_NONE */
} program;

/* What a thread has. */
typedef struct state {
    const program *p;
    int64_t at[MW_FUSED_VIEWS];
    void *data[MW_FUSED_TENSORS]; /* of this piece; or the row's one value */
    uint64_t single[MW_FUSED_TENSORS];
    _Alignas(64) char slot[SLOTS * MW_FUSED_PIECE * ITEM_MAX];
} state;

/* ---- the program of a call ---------------------------------------------- */

static void set_values(program *p)
{
    const mw_graph *body = p->body;
    int input = 0, row = p->walk.n - 1;
    for (mw_id t = 0; t < body->n_tensors; t++) {
        const mw_tensor *tensor = &body->tensor[t];
        value *v = &p->value[t];
        *v = (value){.input = MW_NONE,
                     .result = MW_NONE,
                     .slot = MW_NONE,
                     .wide = MW_NONE,
                     .item = mw_dtype_bytes(tensor->dtype)};
        v->row = p->walk.row_dim == MW_NONE
                     ? tensor->role != MW_ROLE_CONST
                     : mw_fused_has_dim(tensor, p->walk.row_dim);
        p->slot_bytes = v->item > p->slot_bytes ? v->item : p->slot_bytes;
        if (tensor->role != MW_ROLE_INPUT)
            continue;
        v->stride = p->walk.stride[input][row];
        v->input = (int8_t)input++;
    }
    p->slot_bytes *= MW_FUSED_PIECE;
    for (int o = 0; o < body->n_results; o++) {
        value *v = &p->value[body->result[o]];
        v->result = (int8_t)o;
        v->stride = p->walk.stride[p->call->op->n_in + o][row];
    }
}

// Steps whose results differ along the row, or the others.
static void set_steps(program *p, bool along)
{
    mw_dtype in[MW_FUSED_ARGS];
    for (int k = 0; k < p->body->n_ops; k++) {
        const mw_op *op = &p->body->op[k];
        mw_id made = op->out[0].tensor;
        mw_dtype dtype = p->body->tensor[made].dtype;
        if (op->def->reduce != MW_REDUCE_NONE)
            continue;
        if (p->value[made].row != along)
            continue;
        for (int i = 0; i < op->n_in; i++)
            in[i] = p->body->tensor[op->in[i].tensor].dtype;
        p->step[p->n_steps++] = (step){op, mw_map_loop(op, in, dtype)};
    }
}

static void set_reductions(program *p)
{
    for (int k = 0; k < p->body->n_ops; k++) {
        const mw_op *op = &p->body->op[k];
        mw_id made = op->out[0].tensor;
        mw_dtype dtype = p->body->tensor[made].dtype;
        mw_reduce kind = op->def->reduce;
        if (kind == MW_REDUCE_NONE)
            continue;
        p->reduction[p->n_reductions++] = (reduction){
            p->value[made].result, op->in[0].tensor, mw_fold_loop(dtype, kind),
            mw_combine_find(dtype, kind)};
    }
}

// It lies where its elements follow each other.
static bool in_place(const value *v)
{
    return (v->input != MW_NONE || v->result != MW_NONE) && v->stride == 1;
}

/* Which slots are taken. */
typedef struct slots {
    bool taken[SLOTS];
    int last[MW_FUSED_TENSORS]; /* step that reads it last, or n_steps */
} slots;

static int8_t take_slot(slots *s)
{
    for (int i = 0; i < SLOTS; i++) {
        if (s->taken[i])
            continue;
        s->taken[i] = true;
        return (int8_t)i;
    }
    return MW_NONE;
}

static void find_last_uses(const program *p, slots *s)
{
    for (int k = 0; k < p->n_steps; k++)
        for (int i = 0; i < p->step[k].op->n_in; i++)
            s->last[p->step[k].op->in[i].tensor] = k;
    for (int i = 0; i < p->n_reductions; i++)
        s->last[p->reduction[i].from] = p->n_steps;
    for (mw_id t = 0; t < p->body->n_tensors; t++)
        if (p->value[t].result != MW_NONE)
            s->last[t] = p->n_steps;
}

// Operands that need room of their own beside the steps' results.
static bool take_lasting(program *p, slots *s)
{
    for (mw_id t = 0; t < p->body->n_tensors; t++) {
        value *v = &p->value[t];
        if (v->row && v->input != MW_NONE && !in_place(v))
            v->slot = take_slot(s);
        if (v->row && v->input != MW_NONE && !in_place(v) && v->slot < 0)
            return false;
    }
    for (int k = 0; k < p->n_steps; k++) {
        const mw_op *op = p->step[k].op;
        if (!p->value[op->out[0].tensor].row || !p->step[k].fn)
            continue;
        for (int i = 0; i < op->n_in; i++) {
            value *v = &p->value[op->in[i].tensor];
            if (v->row || v->wide != MW_NONE)
                continue;
            v->wide = take_slot(s);
            if (v->wide == MW_NONE)
                return false;
        }
    }
    return true;
}

static bool take_slots(program *p)
{
    slots s = {.taken = {false}};
    find_last_uses(p, &s);
    if (!take_lasting(p, &s))
        return false;
    for (int k = 0; k < p->n_steps; k++) {
        const mw_op *op = p->step[k].op;
        value *made = &p->value[op->out[0].tensor];
        if (made->row && !in_place(made)) {
            made->slot = take_slot(&s);
            if (made->slot == MW_NONE)
                return false;
        }
        for (int i = 0; i < op->n_in; i++) {
            mw_id t = op->in[i].tensor;
            const value *v = &p->value[t];
            if (s.last[t] == k && v->slot != MW_NONE && v->input == MW_NONE)
                s.taken[v->slot] = false;
        }
    }
    return true;
}

static void list_tensors(program *p)
{
    for (mw_id t = 0; t < p->body->n_tensors; t++) {
        const value *v = &p->value[t];
        if (v->row && (v->input != MW_NONE || in_place(v)))
            p->moving[p->n_moving++] = t;
        if (!v->row && v->input != MW_NONE)
            p->single[p->n_single++] = t;
    }
}

// The outermost axis that every result keeps and that is long enough.
static void find_axis(program *p)
{
    int64_t points = 1;
    p->axis = MW_NONE;
    for (int i = 0; i < p->walk.n; i++)
        points *= p->walk.extent[i];
    for (int i = 0; i < p->walk.n && points >= THREAD_MIN; i++)
        if (p->axis == MW_NONE && !p->walk.reduced[i] &&
            p->walk.extent[i] >= p->call->threads)
            p->axis = i;
}

/* ---- a piece ------------------------------------------------------------ */

static void *slot_of(state *s, int slot)
{
    return s->slot + (int64_t)slot * s->p->slot_bytes;
}

static char *operand_at(const state *s, const value *v, int64_t first)
{
    const mw_kernel_call *call = s->p->call;
    int view = v->input != MW_NONE ? v->input : call->op->n_in + v->result;
    char *data = v->input != MW_NONE ? call->in[v->input].data
                                     : call->out[v->result].data;
    return data + (s->at[view] + first * v->stride) * v->item;
}

// Where the piece from element `first` on of each tensor lies; inputs that do
// not run along the row are laid out.
static void point(state *s, int64_t first, int64_t n)
{
    for (int i = 0; i < s->p->n_moving; i++) {
        mw_id t = s->p->moving[i];
        const value *v = &s->p->value[t];
        char *at = operand_at(s, v, first);
        s->data[t] = at;
        if (v->slot == MW_NONE || n == 1)
            continue;
        s->data[t] = slot_of(s, v->slot);
        mw_rows_lay_out(s->data[t], at, v->item, v->stride, n);
    }
}

static void run_reference(state *s, const mw_op *op, int64_t n)
{
    mw_view in[MW_FUSED_ARGS], out;
    mw_id row = s->p->walk.row_dim;
    for (int i = 0; i < op->n_in; i++)
        in[i] = mw_fused_piece(s->p->body, op->in[i].tensor, row, n,
                               s->data[op->in[i].tensor]);
    out = mw_fused_piece(s->p->body, op->out[0].tensor, row, n,
                         s->data[op->out[0].tensor]);
    mw_op_ref(op, in, &out, NULL);
}

static void run_step(state *s, const step *now, int64_t n)
{
    const void *x[MW_FUSED_ARGS] = {NULL};
    const mw_op *op = now->op;
    if (!now->fn) {
        run_reference(s, op, n);
        return;
    }
    for (int i = 0; i < op->n_in; i++) {
        const value *v = &s->p->value[op->in[i].tensor];
        x[i] =
            n == 1 || v->row ? s->data[op->in[i].tensor] : slot_of(s, v->wide);
    }
    now->fn(n, s->data[op->out[0].tensor], x);
}

// Results that do not run along the row.
static void scatter(state *s, int64_t first, int64_t n)
{
    for (int o = 0; o < s->p->body->n_results; o++) {
        mw_id t = s->p->body->result[o];
        const value *v = &s->p->value[t];
        if (v->slot == MW_NONE)
            continue;
        char *to = operand_at(s, v, first);
        const char *from = s->data[t];
        for (int64_t k = 0; k < n; k++)
            memcpy(to + k * v->stride * v->item, from + k * v->item,
                   (size_t)v->item);
    }
}

static void reduce(state *s, const reduction *r, int64_t first, int64_t n)
{
    const value *v = &s->p->value[s->p->body->result[r->result]];
    const char *x = s->data[r->from];
    char *y = operand_at(s, v, first);
    if (v->stride == 0 && r->fold) {
        r->fold(n, y, x);
    } else if (v->stride == 1) {
        r->combine(y, x, n);
    } else {
        for (int64_t k = 0; k < n; k++)
            r->combine(y + k * v->stride * v->item, x + k * v->item, 1);
    }
}

static void run_piece(state *s, int64_t first, int64_t n)
{
    const program *p = s->p;
    point(s, first, n);
    for (int k = p->n_once; k < p->n_steps; k++)
        run_step(s, &p->step[k], n);
    for (int i = 0; i < p->n_reductions; i++)
        reduce(s, &p->reduction[i], first, n);
    scatter(s, first, n);
}

/* ---- rows --------------------------------------------------------------- */

static void widen(state *s, mw_id t, int64_t n)
{
    const value *v = &s->p->value[t];
    if (v->wide != MW_NONE && n > 1)
        mw_rows_lay_out(slot_of(s, v->wide), s->data[t], v->item, 0, n);
}

static void put_constants(state *s, int64_t n)
{
    for (mw_id t = 0; t < s->p->body->n_tensors; t++) {
        const mw_tensor *tensor = &s->p->body->tensor[t];
        if (tensor->role != MW_ROLE_CONST)
            continue;
        mw_number x = mw_fused_number(tensor);
        mw_numbers_store(tensor->dtype, &s->single[t], 0, 1, 1, &x);
        s->data[t] = &s->single[t];
        widen(s, t, n);
    }
}

// What is the same along the row.
static void begin_row(state *s, int64_t n)
{
    const program *p = s->p;
    for (int i = 0; i < p->n_single; i++) {
        s->data[p->single[i]] = operand_at(s, &p->value[p->single[i]], 0);
        widen(s, p->single[i], n);
    }
    for (int k = 0; k < p->n_once; k++) {
        run_step(s, &p->step[k], 1);
        widen(s, p->step[k].op->out[0].tensor, n);
    }
}

// What lies at the same place all along: slots, and single values.
static void place(state *s)
{
    const program *p = s->p;
    for (mw_id t = 0; t < p->body->n_tensors; t++) {
        const value *v = &p->value[t];
        s->data[t] =
            v->slot != MW_NONE ? slot_of(s, v->slot) : (void *)&s->single[t];
    }
}

static bool next(state *s, const int64_t end[], const int64_t begin[],
                 int64_t index[])
{
    const mw_fused_walk *walk = &s->p->walk;
    int n_views = s->p->call->op->n_in + s->p->call->op->n_out;
    for (int i = walk->n - 2; i >= 0; i--) {
        bool more = ++index[i] < end[i];
        int64_t steps = more ? 1 : begin[i] + 1 - end[i];
        for (int v = 0; v < n_views; v++)
            s->at[v] += steps * walk->stride[v][i];
        if (more)
            return true;
        index[i] = begin[i];
    }
    return false;
}

// The part [lo, hi) of the axis that threads share.
static void run_part(void *arg, int64_t lo, int64_t hi)
{
    const program *p = arg;
    const mw_fused_walk *walk = &p->walk;
    int64_t begin[MW_MAX_LETTERS] = {0}, end[MW_MAX_LETTERS];
    int64_t index[MW_MAX_LETTERS];
    state s;
    s.p = p;
    for (int i = 0; i < walk->n; i++) {
        begin[i] = i == p->axis ? lo : 0;
        end[i] = i == p->axis ? hi : walk->extent[i];
        index[i] = begin[i];
    }
    int row = walk->n - 1;
    int64_t most = end[row] - begin[row];
    most = most < MW_FUSED_PIECE ? most : MW_FUSED_PIECE;
    place(&s);
    put_constants(&s, most);
    mw_fused_at(walk, index, p->call->op->n_in + p->call->op->n_out, s.at);
    do {
        begin_row(&s, most);
        for (int64_t at = begin[row]; at < end[row]; at += most)
            run_piece(&s, at, end[row] - at < most ? end[row] - at : most);
    } while (next(&s, end, begin, index));
}

static void start_results(const program *p)
{
    for (int i = 0; i < p->n_reductions; i++) {
        const mw_view *out = &p->call->out[p->reduction[i].result];
        int64_t item = mw_dtype_bytes(out->dtype);
        char neutral[ITEM_MAX], *y = out->data;
        mw_combine_neutral(out->dtype, p->call->op->def->reduce, neutral);
        for (int64_t k = 0, n = mw_view_elements(out); k < n; k++)
            memcpy(y + k * item, neutral, (size_t)item);
    }
}

static bool run(const mw_kernel_call *call)
{
    program p = {.call = call, .body = mw_fused_body(call->op)};
    mw_fused_walk_make(&p.walk, call->op, call->in, call->out);
    set_values(&p);
    set_steps(&p, false);
    p.n_once = p.n_steps;
    set_steps(&p, true);
    set_reductions(&p);
    if (!take_slots(&p))
        return false;
    list_tensors(&p);
    start_results(&p);
    if (p.walk.empty)
        return true;
    find_axis(&p);
    if (p.axis == MW_NONE)
        run_part(&p, 0, 0);
    else
        mw_parallel(call->threads, p.walk.extent[p.axis], run_part, &p);
    return true;
}

static const mw_kernel_row rows[] = {
    {"fused", MW_KERNEL_ANY, run},
    {"fused_sum", MW_KERNEL_ANY, run},
    {"fused_max", MW_KERNEL_ANY, run},
    {"fused_min", MW_KERNEL_ANY, run},
    {0},
};

const mw_kernel_def mw_kernel_fused = {
    .name = "fused",
    .brief = "groups of maps, a piece of a row at a time",
    .rows = rows,
};
