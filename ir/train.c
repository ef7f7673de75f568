/* train.c - loss, gradients and updates behind a copy of the forward graph;
 * what none of them needs is left out at the end. */
#include "ir/train.h"

#include <string.h>

#include "base/near.h"
#include "base/units.h"
#include "ir/graph_copy.h"
#include "ir/loss.h"
#include "ir/verify.h"

typedef struct trainer {
    const mw_train_options *options;
    mw_graph *graph;
    mw_grad grad;
    mw_updater updater;
    mw_id loss;
    int n_weights;
    mw_id *weight, *gradient;
    mw_id count, mini; /* states */
    mw_id gradients;   /* of this update so far, f64; with accumulation */
    mw_id squares;     /* sum of squares of gradients so far, f64 */
} trainer;

// Of the floats.
static bool is_half(mw_dtype dtype)
{
    return dtype != MW_F32 && dtype != MW_F64;
}

/* ---- the loss ---- */

static mw_status usage(trainer *t, const char *what, const char *name)
{
    mw_ctx_at(t->grad.ctx, "--loss");
    return mw_fail(t->grad.ctx, MW_EUSAGE, "'%s' %s", name, what);
}

// The result that a loss row is taken of: the one named, or the only float.
static mw_status find_result(trainer *t, const char *name, mw_id *result)
{
    const mw_graph *graph = t->graph;
    int n = 0;
    if (name) {
        *result = mw_graph_find_tensor(graph, name);
        if (*result == MW_NONE)
            return usage(t, "is no tensor of the model", name);
        return MW_OK;
    }
    for (mw_id id = 0; id < graph->n_tensors; id++) {
        const mw_tensor *tensor = &graph->tensor[id];
        if (!tensor->output || !mw_dtype_is_float(tensor->dtype))
            continue;
        *result = id;
        n++;
    }
    if (n == 1)
        return MW_OK;
    return usage(t,
                 n == 0 ? "wants a result of floats, and the model has none"
                        : "wants one result of several: name it behind a colon",
                 t->options->loss);
}

// Indices are what the model takes already, else i64.
static mw_dtype index_dtype(const mw_graph *graph)
{
    for (mw_id id = 0; id < graph->n_tensors; id++) {
        const mw_tensor *tensor = &graph->tensor[id];
        if (tensor->role == MW_ROLE_INPUT &&
            (tensor->dtype == MW_I32 || tensor->dtype == MW_I64))
            return tensor->dtype;
    }
    return MW_I64;
}

static mw_status loss_by_row(trainer *t, const mw_loss_text *text)
{
    mw_loss loss = {.ignore = (double)text->ignore,
                    .labels = "labels",
                    .index = index_dtype(t->graph)};
    MW_TRY(find_result(t, text->result, &loss.result));
    mw_grad_label(&t->grad, text->def->name);
    if (is_half(t->graph->tensor[loss.result].dtype))
        MW_TRY(mw_grad_cast(&t->grad, loss.result, MW_F32, &loss.result));
    mw_ctx_at(t->grad.ctx, "--loss");
    MW_TRY(text->def->build(&t->grad, &loss, &t->loss));
    mw_ctx_at(t->grad.ctx, "%s", "");
    return MW_OK;
}

static mw_status loss_by_name(trainer *t, const char *name)
{
    t->loss = mw_graph_find_tensor(t->graph, name);
    if (t->loss == MW_NONE) {
        mw_near near;
        mw_near_init(&near, name);
        for (int i = 0; i < mw_loss_count; i++)
            mw_near_try(&near, mw_loss_table[i]->name);
        for (mw_id id = 0; id < t->graph->n_tensors; id++)
            if (t->graph->tensor[id].rank == 0)
                mw_near_try(&near, t->graph->tensor[id].name);
        mw_ctx_at(t->grad.ctx, "--loss");
        return mw_fail(t->grad.ctx, MW_EUSAGE,
                       "'%s' is neither a loss nor a tensor of the model%s%s%s",
                       name, near.best ? "; did you mean '" : "",
                       near.best ? near.best : "", near.best ? "'?" : "");
    }
    const mw_tensor *tensor = &t->graph->tensor[t->loss];
    if (tensor->rank != 0 || !mw_dtype_is_float(tensor->dtype))
        return usage(t, "is no single float, as a loss is", name);
    return MW_OK;
}

static mw_status add_loss(trainer *t)
{
    mw_loss_text text;
    MW_TRY(mw_loss_read(t->graph->arena, t->options->loss, &text));
    return text.def ? loss_by_row(t, &text) : loss_by_name(t, t->options->loss);
}

// The loss under a name of its own, where it has none from the model.
static mw_status name_loss(trainer *t)
{
    if (t->graph->tensor[t->loss].producer == MW_NONE ||
        strcmp(t->graph->tensor[t->loss].name, t->options->loss) == 0) {
        t->graph->tensor[t->loss].output = true;
        return MW_OK;
    }
    mw_tensor made = t->graph->tensor[t->loss];
    mw_id out, op;
    made.output = true;
    MW_TRY(mw_grad_name(&t->grad, "loss", &made.name));
    MW_TRY(mw_graph_tensor(t->graph, &made, &out));
    const mw_op_spec spec = {
        .def = "rename", .n_in = 1, .in = &t->loss, .n_out = 1, .out = &out};
    MW_TRY(mw_graph_bind(t->graph, &spec, &op));
    t->loss = out;
    return MW_OK;
}

/* ---- counters and the learning rate ---- */

static mw_status counter(trainer *t, const char *name, mw_id *state,
                         mw_id *as_f64)
{
    mw_tensor made = {
        .dtype = MW_I64, .role = MW_ROLE_STATE, .data = {.kind = MW_DATA_FILL}};
    MW_TRY(mw_grad_name(&t->grad, name, &made.name));
    MW_TRY(mw_graph_tensor(t->graph, &made, state));
    return mw_grad_cast(&t->grad, *state, MW_F64, as_f64);
}

static mw_status set_apply(trainer *t)
{
    mw_grad *g = &t->grad;
    mw_id mini, last;
    if (t->options->accumulate == 1) {
        t->updater.always = true;
        return mw_grad_const(g, MW_BOOL, 1, &t->updater.apply);
    }
    MW_TRY(counter(t, "train/gradients", &t->mini, &mini));
    MW_TRY(mw_grad_scalar(g, "add", mini, 1, &t->gradients));
    MW_TRY(mw_grad_const(g, MW_F64, (double)t->options->accumulate, &last));
    return mw_grad_map2(g, "equal", t->gradients, last, &t->updater.apply);
}

static mw_status add_scalars(trainer *t)
{
    const mw_train_options *o = t->options;
    const mw_schedule s = {.rate = o->rate,
                           .init = o->init,
                           .end = o->end,
                           .warmup = o->warmup,
                           .steps = o->steps};
    mw_id count;
    mw_grad_label(&t->grad, "train");
    MW_TRY(counter(t, "train/updates", &t->count, &count));
    MW_TRY(mw_grad_scalar(&t->grad, "add", count, 1, &t->updater.step));
    MW_TRY(
        mw_schedule_rate(&t->grad, o->schedule, &s, count, &t->updater.rate));
    return set_apply(t);
}

// state = (state + more) mod `mod`, 0: without.
static mw_status advance(trainer *t, mw_id state, mw_id more, int64_t mod)
{
    mw_id next;
    MW_TRY(mw_grad_map2(&t->grad, "add", state, more, &next));
    if (mod > 0)
        MW_TRY(mw_grad_scalar(&t->grad, "mod", next, (double)mod, &next));
    const mw_id in[2] = {state, next};
    const mw_op_spec spec = {.def = "assign", .n_in = 2, .in = in};
    return mw_grad_op(&t->grad, &spec, state, MW_I64, &next);
}

// States by which random numbers are drawn go on, so that each step has
// others.
static mw_status advance_random(trainer *t, mw_id one)
{
    int n_ops = t->graph->n_ops;
    bool *done = MW_NEW_ARRAY(t->graph->arena, t->graph->n_tensors, bool);
    if (!done)
        return MW_ENOMEM;
    for (int k = 0; k < n_ops; k++) {
        const mw_op *op = &t->graph->op[k];
        if (strcmp(op->def->family, "random") != 0)
            continue;
        mw_id step = op->in[0].tensor;
        if (t->graph->tensor[step].role != MW_ROLE_STATE || done[step])
            continue;
        done[step] = true;
        MW_TRY(advance(t, step, one, 0));
    }
    return MW_OK;
}

static mw_status advance_counters(trainer *t)
{
    mw_id one, more;
    mw_grad_label(&t->grad, "train");
    MW_TRY(mw_grad_const(&t->grad, MW_I64, 1, &one));
    MW_TRY(advance_random(t, one));
    if (t->options->accumulate == 1)
        return advance(t, t->count, one, 0);
    MW_TRY(mw_grad_cast(&t->grad, t->updater.apply, MW_I64, &more));
    MW_TRY(advance(t, t->count, more, 0));
    return advance(t, t->mini, one, t->options->accumulate);
}

/* ---- updates ---- */

// A half float has a master copy in f32, which is what is updated.
static mw_status update_half(trainer *t, mw_id weight, mw_id grad)
{
    mw_updater *u = &t->updater;
    const char *name = t->graph->tensor[weight].name;
    mw_dtype half = t->graph->tensor[weight].dtype;
    mw_id master, fresh, narrow;
    MW_TRY(mw_updater_copy(u, weight, "master", MW_F32, &master));
    MW_TRY(t->options->optimizer->update(u, master, grad, &fresh));
    mw_grad_label(&t->grad, name);
    MW_TRY(mw_grad_cast(&t->grad, fresh, half, &narrow));
    return mw_updater_assign(u, weight, narrow, &fresh);
}

static mw_status update(trainer *t, mw_id weight, mw_id grad)
{
    mw_id fresh;
    mw_grad_label(&t->grad, t->graph->tensor[weight].name);
    if (is_half(t->graph->tensor[weight].dtype))
        return update_half(t, weight, grad);
    return t->options->optimizer->update(&t->updater, weight, grad, &fresh);
}

// The mean of the gradients so far, kept from step to step.
static mw_status accumulate(trainer *t, mw_id weight, mw_id *grad)
{
    mw_updater *u = &t->updater;
    mw_graph *graph = t->graph;
    mw_tensor axes = graph->tensor[weight];
    axes.dtype = is_half(axes.dtype) ? MW_F32 : axes.dtype;
    mw_id state, op, out, in[4];
    MW_TRY(mw_updater_state(u, weight, "gradient", &axes, &state));
    in[0] = state;
    in[1] = *grad;
    mw_grad_label(&t->grad, axes.name);
    MW_TRY(mw_grad_cast(&t->grad, t->gradients, axes.dtype, &in[2]));
    MW_TRY(mw_grad_const(&t->grad, MW_BOOL, 1, &in[3]));
    mw_tensor made = graph->tensor[state];
    made.role = MW_ROLE_VALUE;
    made.data = (mw_data){.kind = MW_DATA_NONE};
    made.name = mw_arena_format(graph->arena, "new/%s", made.name);
    if (!made.name)
        return MW_ENOMEM;
    MW_TRY(mw_grad_name(&t->grad, made.name, &made.name));
    MW_TRY(mw_graph_tensor(graph, &made, &out));
    const mw_op_spec spec = {
        .def = "accumulate", .n_in = 4, .in = in, .n_out = 1, .out = &out};
    *grad = out;
    return mw_graph_bind(graph, &spec, &op);
}

// squares += sum(grad grad), in f64.
static mw_status add_squares(trainer *t, mw_id grad)
{
    mw_grad *g = &t->grad;
    mw_id none, sum;
    MW_TRY(mw_grad_const(g, t->graph->tensor[grad].dtype, 0, &none));
    MW_TRY(mw_grad_einsum(g, grad, grad, none, &sum));
    MW_TRY(mw_grad_cast(g, sum, MW_F64, &sum));
    if (t->squares == MW_NONE) {
        t->squares = sum;
        return MW_OK;
    }
    return mw_grad_map2(g, "add", t->squares, sum, &t->squares);
}

// A gradient is complete, and nobody reads the weight any more.
static mw_status take(void *arg, int i, mw_id grad)
{
    trainer *t = arg;
    mw_id weight = t->weight[i];
    if (t->options->accumulate > 1)
        MW_TRY(accumulate(t, weight, &grad));
    t->gradient[i] = grad;
    mw_grad_label(&t->grad, t->graph->tensor[weight].name);
    return t->options->clip > 0 ? add_squares(t, grad)
                                : update(t, weight, grad);
}

// scale = norm < clip ? 1 : clip / norm; then all updates.
static mw_status clip_and_update(trainer *t)
{
    mw_grad *g = &t->grad;
    mw_id norm, small, one, limit, part;
    mw_grad_label(g, "clip");
    MW_TRY(mw_grad_map1(g, "sqrt", t->squares, &norm));
    MW_TRY(mw_grad_scalar(g, "less", norm, t->options->clip, &small));
    MW_TRY(mw_grad_const(g, MW_F64, 1, &one));
    MW_TRY(mw_grad_const(g, MW_F64, t->options->clip, &limit));
    MW_TRY(mw_grad_map2(g, "div", limit, norm, &part));
    MW_TRY(mw_grad_where(g, small, one, part, &t->updater.scale));
    for (int i = 0; i < t->n_weights; i++)
        if (t->gradient[i] != MW_NONE)
            MW_TRY(update(t, t->weight[i], t->gradient[i]));
    return MW_OK;
}

/* ---- all of it ---- */

static mw_status find_weights(trainer *t)
{
    mw_arena *arena = t->graph->arena;
    int n = t->graph->n_tensors;
    t->weight = MW_NEW_ARRAY(arena, n, mw_id);
    t->gradient = MW_NEW_ARRAY(arena, n, mw_id);
    if (!t->weight || !t->gradient)
        return MW_ENOMEM;
    for (mw_id id = 0; id < n; id++) {
        const mw_tensor *tensor = &t->graph->tensor[id];
        if (tensor->role != MW_ROLE_PARAM || !mw_dtype_is_float(tensor->dtype))
            continue;
        t->gradient[t->n_weights] = MW_NONE;
        t->weight[t->n_weights++] = id;
    }
    return MW_OK;
}

static mw_status back(trainer *t)
{
    mw_id *grad = MW_NEW_ARRAY(t->graph->arena, t->n_weights, mw_id);
    if (!grad)
        return MW_ENOMEM;
    const mw_grad_want want = {.of = t->loss,
                               .seed = MW_NONE,
                               .last_op = t->graph->n_ops,
                               .n = t->n_weights,
                               .wanted = t->weight,
                               .done = take,
                               .arg = t};
    MW_TRY(mw_grad_back(&t->grad, &want, grad));
    for (int i = 0; i < t->n_weights; i++)
        if (grad[i] != MW_NONE)
            return t->options->clip > 0 ? clip_and_update(t) : MW_OK;
    return usage(t, "depends on no weight of the model", t->options->loss);
}

static mw_status build(trainer *t)
{
    for (mw_id id = 0; id < t->graph->n_tensors; id++)
        t->graph->tensor[id].output = false;
    MW_TRY(name_loss(t));
    MW_TRY(find_weights(t));
    MW_TRY(add_scalars(t));
    MW_TRY(back(t));
    return advance_counters(t);
}

// The step that keeps all.
static mw_status keep_all(const mw_graph *forward,
                          const mw_train_options *options, mw_graph *made)
{
    trainer t = {.options = options};
    mw_graph *work = MW_NEW(made->arena, mw_graph);
    if (!work)
        return MW_ENOMEM;
    MW_TRY(mw_graph_init(work, made->arena, forward->name));
    MW_TRY(mw_graph_copy(forward, false, work, NULL));
    t.graph = work;
    t.grad = mw_grad_on(work, "d");
    t.loss = t.squares = MW_NONE;
    t.updater =
        (mw_updater){.g = &t.grad, .hyper = t.options->hyper, .scale = MW_NONE};
    MW_TRY(add_loss(&t));
    MW_TRY(build(&t));
    return mw_graph_copy(work, true, made, NULL);
}

static const char *const base_names[MW_REMAT_N_BASES] = {"none", "cheap",
                                                         "full"};

const char *mw_remat_base_name(mw_remat_base base)
{
    return base_names[base];
}

// Marks candidates by name.
static mw_status mark_again(const mw_remat *remat,
                            const mw_train_options *options, bool *again)
{
    const mw_graph *step = remat->step;
    int *number = MW_NEW_ARRAY(remat->arena, step->n_tensors, int);
    if (!number)
        return MW_ENOMEM;
    for (int c = 0; c < remat->n_candidates; c++)
        number[remat->candidate[c]] = c + 1;
    for (int i = 0; i < options->n_again; i++) {
        mw_id t = mw_graph_find_tensor(step, options->again[i]);
        if (t == MW_NONE || number[t] == 0)
            return mw_fail(step->ctx, MW_EINPUT,
                           "'%s' is nothing that can be computed again",
                           options->again[i]);
        again[number[t] - 1] = true;
    }
    return MW_OK;
}

mw_status mw_train_again(const mw_graph *step, const mw_train_options *options,
                         mw_graph *made)
{
    mw_remat remat;
    MW_TRY(mw_remat_plan(made->arena, step, &remat));
    bool *again = MW_NEW_ARRAY(made->arena, remat.n_candidates, bool);
    if (!again)
        return MW_ENOMEM;
    MW_TRY(mark_again(&remat, options, again));
    MW_TRY(mw_remat_step(&remat, again, made));
    MW_TRY(mw_graph_interference(made));
    return mw_verify(made);
}

// What is cheap, or all, of each layer is computed again.
static mw_status compute_again(const mw_graph *forward,
                               const mw_train_options *options, bool full,
                               mw_graph *made)
{
    mw_arena *arena = made->arena;
    mw_graph step;
    mw_remat remat;
    MW_TRY(mw_graph_init(&step, arena, forward->name));
    MW_TRY(keep_all(forward, options, &step));
    MW_TRY(mw_remat_plan(arena, &step, &remat));
    bool *again = MW_NEW_ARRAY(arena, remat.n_candidates, bool);
    if (!again)
        return MW_ENOMEM;
    int levels = mw_remat_levels(&remat);
    mw_remat_level(&remat, full ? levels - 1 : levels / 2, again);
    return mw_remat_step(&remat, again, made);
}

mw_status mw_train(const mw_graph *forward, const mw_train_options *options,
                   mw_graph *made)
{
    bool full = strcmp(options->remat, "full") == 0 ||
                options->base == MW_REMAT_BASE_FULL;
    if (full || options->base == MW_REMAT_BASE_CHEAP)
        MW_TRY(compute_again(forward, options, full, made));
    else
        MW_TRY(keep_all(forward, options, made));
    MW_TRY(mw_graph_interference(made));
    return mw_verify(made);
}
