/* key_rows.c - the ops of an attention between its products, row by row. */
#include "runtime/key_rows.h"

#include <string.h>

#include "ir/fused.h"
#include "ir/number.h"
#include "ir/rule.h"
#include "runtime/combine.h"

/* ---- the program -------------------------------------------------------- */

static void set_values(mw_key_program *p)
{
    const mw_graph *body = p->a->body;
    int input = 0;
    for (mw_id t = 0; t < body->n_tensors; t++) {
        const mw_tensor *tensor = &body->tensor[t];
        mw_key_value *v = &p->value[t];
        v->along = mw_tensor_axis(tensor, p->a->key) != MW_NONE;
        v->item = mw_dtype_bytes(tensor->dtype);
        v->input = MW_NONE;
        if (tensor->role != MW_ROLE_INPUT)
            continue;
        v->input = (int8_t)input++;
        v->key = mw_attention_stride(body, t, p->a->key, p->extent);
        if (p->a->row != MW_NONE)
            v->row = mw_attention_stride(body, t, p->a->row, p->extent);
    }
}

static void set_steps(mw_key_program *p)
{
    const mw_graph *body = p->a->body;
    for (int k = 1; k < body->n_ops - 1; k++) {
        const mw_op *op = &body->op[k];
        mw_id made = op->out[0].tensor;
        mw_dtype in[MW_ATTENTION_ARGS], dtype = body->tensor[made].dtype;
        mw_key_step *step = &p->step[p->n_steps++];
        *step = (mw_key_step){.op = op};
        for (int i = 0; i < op->n_in; i++) {
            in[i] = body->tensor[op->in[i].tensor].dtype;
            p->value[op->in[i].tensor].read = true;
        }
        if (op->def->reduce != MW_REDUCE_NONE)
            step->fold = mw_fold_loop(dtype, op->def->reduce);
        else
            step->fn = mw_map_loop(op, in, dtype);
        for (int i = 0; i < op->n_in && step->fn; i++)
            if (p->value[made].along && !p->value[op->in[i].tensor].along)
                p->value[op->in[i].tensor].wide = true;
    }
}

static bool reads(const mw_op *op, mw_id tensor)
{
    for (int i = 0; i < op->n_in; i++)
        if (op->in[i].tensor == tensor)
            return true;
    return false;
}

// Nobody reads scores once the weights are written.
static void find_sharing(mw_key_program *p)
{
    bool written = false;
    p->shares = p->value[p->weights].item == p->value[p->a->scores].item;
    for (int k = 0; k < p->n_steps; k++) {
        written = written || p->step[k].op->out[0].tensor == p->weights;
        if (written && reads(p->step[k].op, p->a->scores))
            p->shares = false;
    }
}

// Every reader of the scores chooses them by a mask.
static void find_masks(mw_key_program *p)
{
    bool chosen = true;
    for (int k = 0; k < p->n_steps && chosen; k++) {
        const mw_op *op = p->step[k].op;
        if (!reads(op, p->a->scores))
            continue;
        mw_id mask = op->in[0].tensor;
        chosen = op->def->chooses && op->in[1].tensor == p->a->scores &&
                 op->in[2].tensor != p->a->scores &&
                 p->value[mask].input != MW_NONE && p->value[mask].key == 1;
        if (chosen)
            p->mask[p->n_masks++] = mask;
    }
    if (!chosen)
        p->n_masks = 0;
}

// One mask, and no other operand that runs along the keys.
static void find_uniform(mw_key_program *p)
{
    p->uniform = p->n_masks > 0;
    for (int k = 0; k < p->n_steps; k++)
        for (int i = 0; i < p->step[k].op->n_in; i++) {
            mw_id t = p->step[k].op->in[i].tensor;
            const mw_key_value *v = &p->value[t];
            if (v->input != MW_NONE && v->along && t != p->mask[0])
                p->uniform = false;
        }
    for (int i = 1; i < p->n_masks; i++)
        p->uniform = p->uniform && p->mask[i] == p->mask[0];
}

void mw_key_program_make(mw_key_program *p, const mw_kernel_call *call,
                         const mw_attention *a, const int64_t extent[])
{
    const mw_op *last = &a->body->op[a->body->n_ops - 1];
    mw_id x = last->in[0].tensor;
    bool made = a->body->tensor[x].producer != MW_NONE;
    *p = (mw_key_program){.call = call,
                          .a = a,
                          .extent = extent,
                          .weights = made ? x : last->in[1].tensor};
    set_values(p);
    set_steps(p);
    find_sharing(p);
    find_masks(p);
    find_uniform(p);
}

/* ---- a row -------------------------------------------------------------- */

static char *slot_of(const mw_key_state *s, mw_id tensor)
{
    return s->slots + tensor * s->slot_bytes;
}

static void widen(mw_key_state *s, mw_id t, int64_t n)
{
    const mw_key_value *v = &s->program->value[t];
    if (v->wide)
        mw_rows_lay_out(slot_of(s, t), s->data[t], v->item, 0, n);
}

void mw_key_rows_start(mw_key_state *s, const mw_key_program *p, char *slots)
{
    const mw_graph *body = p->a->body;
    s->program = p;
    s->slots = slots;
    s->slot_bytes = mw_attention_row_bytes(p->a, p->extent);
    for (mw_id t = 0; t < body->n_tensors; t++) {
        const mw_tensor *tensor = &body->tensor[t];
        s->data[t] = p->value[t].along ? slot_of(s, t) : (void *)&s->single[t];
        if (tensor->role != MW_ROLE_CONST)
            continue;
        mw_number x = mw_fused_number(tensor);
        mw_numbers_store(tensor->dtype, &s->single[t], 0, 1, 1, &x);
        widen(s, t, p->extent[p->a->key]);
    }
}

static char *input_at(const mw_key_state *s, mw_id t, int64_t row)
{
    const mw_key_value *v = &s->program->value[t];
    char *data = s->program->call->in[v->input].data;
    return data + (s->at[v->input] + row * v->row) * v->item;
}

enum { WORD = 8 };

static bool none(const uint8_t *mask)
{
    uint64_t word;
    memcpy(&word, mask, WORD);
    return word == 0;
}

// The span grows by what a row chooses outside of it.
static void widen_chosen(const uint8_t *mask, int64_t n, mw_span *found)
{
    int64_t lo = 0, hi = n;
    while (lo + WORD < found->lo && none(mask + lo))
        lo += WORD;
    while (lo < found->lo && !mask[lo])
        lo++;
    while (hi - WORD > found->hi && none(mask + hi - WORD))
        hi -= WORD;
    while (hi > found->hi && !mask[hi - 1])
        hi--;
    found->lo = lo;
    found->hi = hi;
}

mw_span mw_key_rows_chosen(const mw_key_state *s, int64_t row, int64_t n)
{
    const mw_key_program *p = s->program;
    int64_t keys = p->extent[p->a->key];
    mw_span found = {keys, 0};
    if (p->n_masks == 0)
        return (mw_span){0, keys};
    for (int m = 0; m < p->n_masks; m++)
        for (int64_t r = row; r < row + n; r++)
            widen_chosen((const uint8_t *)input_at(s, p->mask[m], r), keys,
                         &found);
    return found.lo < found.hi ? found : (mw_span){0, 1};
}

// The row's inputs, of the keys in the span.
static void point(mw_key_state *s, int64_t row, mw_span keys)
{
    const mw_key_program *p = s->program;
    for (mw_id t = 0; t < p->a->body->n_tensors; t++) {
        const mw_key_value *v = &p->value[t];
        if (v->input == MW_NONE || !v->read)
            continue;
        char *at = input_at(s, t, row) + keys.lo * v->key * v->item;
        s->data[t] = at;
        if (!v->along) {
            widen(s, t, keys.hi - keys.lo);
        } else if (v->key != 1) {
            s->data[t] = slot_of(s, t);
            mw_rows_lay_out(s->data[t], at, v->item, v->key, keys.hi - keys.lo);
        }
    }
}

static mw_view view_of(const mw_key_state *s, mw_id tensor, int64_t n)
{
    const mw_key_program *p = s->program;
    const mw_tensor *t = &p->a->body->tensor[tensor];
    mw_view view = {.data = s->data[tensor], .dtype = t->dtype};
    view.rank = t->rank;
    for (int a = 0; a < t->rank; a++)
        view.size[a] = view.whole[a] = t->axis[a].dim == p->a->key ? n : 1;
    return view;
}

static void run_map(mw_key_state *s, const mw_key_step *step, int64_t n)
{
    const mw_op *op = step->op;
    mw_id made = op->out[0].tensor;
    bool along = s->program->value[made].along;
    const void *x[MW_ATTENTION_ARGS] = {NULL};
    if (!step->fn) {
        mw_view in[MW_ATTENTION_ARGS], out = view_of(s, made, n);
        for (int i = 0; i < op->n_in; i++)
            in[i] = view_of(s, op->in[i].tensor, n);
        mw_op_ref(op, in, &out, NULL);
        return;
    }
    for (int i = 0; i < op->n_in; i++) {
        mw_id t = op->in[i].tensor;
        bool wide = along && !s->program->value[t].along;
        x[i] = wide ? slot_of(s, t) : s->data[t];
    }
    step->fn(along ? n : 1, s->data[made], x);
}

static bool is_zero(const void *x, int64_t bytes)
{
    static const uint64_t zero = 0;
    return memcmp(x, &zero, (size_t)bytes) == 0;
}

// Whether what stands for the keys that are left out, at either end, is 0.
static bool ends_in_zero(const mw_key_state *s, mw_id t, mw_span keys)
{
    const mw_key_program *p = s->program;
    const char *x = s->data[t];
    int64_t item = p->value[t].item, n = keys.hi - keys.lo;
    return (keys.lo == 0 || is_zero(x, item)) &&
           (keys.hi == p->extent[p->a->key] ||
            is_zero(x + (n - 1) * item, item));
}

// False: it would have to count keys that are left out.
static bool run_fold(mw_key_state *s, const mw_key_step *step, mw_span keys)
{
    mw_id from = step->op->in[0].tensor, made = step->op->out[0].tensor;
    mw_reduce kind = step->op->def->reduce;
    mw_dtype dtype = s->program->a->body->tensor[made].dtype;
    int64_t item = s->program->value[from].item, n = keys.hi - keys.lo;
    bool again = kind == MW_REDUCE_MAX || kind == MW_REDUCE_MIN ||
                 ends_in_zero(s, from, keys);
    if (!again ||
        (kind != MW_REDUCE_SUM && kind != MW_REDUCE_MAX &&
         kind != MW_REDUCE_MIN && n < s->program->extent[s->program->a->key]))
        return false;
    mw_combine_neutral(dtype, kind, s->data[made]);
    if (step->fold) {
        step->fold(n, s->data[made], s->data[from]);
        return true;
    }
    const char *x = s->data[from];
    mw_combine_fn *combine = mw_combine_find(dtype, kind);
    for (int64_t i = 0; i < n; i++)
        combine(s->data[made], x + i * item, 1);
    return true;
}

bool mw_key_rows_run(mw_key_state *s, int64_t row, mw_span keys, char *scores,
                     char *weights)
{
    const mw_key_program *p = s->program;
    s->data[p->a->scores] = scores + keys.lo * p->value[p->a->scores].item;
    s->data[p->weights] = weights + keys.lo * p->value[p->weights].item;
    point(s, row, keys);
    for (int k = 0; k < p->n_steps; k++) {
        const mw_key_step *step = &p->step[k];
        mw_id made = step->op->out[0].tensor;
        if (step->op->def->reduce == MW_REDUCE_NONE)
            run_map(s, step, keys.hi - keys.lo);
        else if (!run_fold(s, step, keys))
            return false;
        if (!p->value[made].along)
            widen(s, made, keys.hi - keys.lo);
    }
    return ends_in_zero(s, p->weights, keys);
}
