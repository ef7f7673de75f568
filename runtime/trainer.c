/* trainer.c - the loop over steps. */
#include "runtime/trainer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ir/number.h"
#include "runtime/quiet.h"

/* What ranks tell each other after a step: the largest counts. */
enum {
    TOLD_STOP,
    TOLD_BAD_LOSS,
    TOLD_OTHER_BYTES,
    TOLD_TIME_NS,
    TOLD_COMM_NS,
    TOLD_BYTES,
    N_TOLD
};

typedef struct trainer {
    mw_exec *exec;
    const mw_trainer_spec *spec;
    mw_progress_mark *mark;
    bool *forward; /* of each op: the loss follows from it */
    mw_quiet quiet;
    int64_t told[N_TOLD];
} trainer;

/* ---- the graph ---- */

mw_status mw_trainer_loss(const mw_graph *graph, const char *name, mw_id *loss)
{
    bool updates = false;
    int n = 0;
    mw_id found = MW_NONE;
    for (mw_id k = 0; k < graph->n_ops; k++)
        updates = updates || graph->op[k].def->updates;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (!tensor->output || !mw_dtype_is_float(tensor->dtype) ||
            mw_tensor_elements(tensor) != 1)
            continue;
        if (name && strcmp(tensor->name, name) != 0)
            continue;
        found = t;
        n++;
    }
    if (!updates)
        return mw_fail(graph->ctx, MW_EINPUT,
                       "is no plan for training: nothing is updated\n"
                       "plan --train makes one");
    if (n != 1)
        return mw_fail(graph->ctx, MW_EINPUT,
                       "has %d scalar outputs%s%s, wanted one, the loss", n,
                       name ? " called " : "", name ? name : "");
    *loss = found;
    return MW_OK;
}

mw_status mw_trainer_forward(mw_arena *arena, const mw_graph *graph,
                             mw_id tensor, bool **only)
{
    bool *needed = MW_NEW_ARRAY(arena, graph->n_tensors, bool);
    bool *forward = MW_NEW_ARRAY(arena, graph->n_ops, bool);
    if (!needed || !forward)
        return MW_ENOMEM;
    needed[tensor] = true;
    for (mw_id k = graph->n_ops - 1; k >= 0; k--) {
        const mw_op *op = &graph->op[k];
        for (int i = 0; i < op->n_out && !op->def->updates; i++)
            forward[k] = forward[k] || needed[op->out[i].tensor];
        for (int i = 0; i < op->n_in && forward[k]; i++)
            needed[op->in[i].tensor] = true;
    }
    *only = forward;
    return MW_OK;
}

/* ---- one batch ---- */

static mw_status run_batch(trainer *t, const mw_feed *feed, int64_t position,
                           const bool only[])
{
    for (int i = 0; i < feed->n_inputs; i++) {
        mw_box box;
        char *block;
        mw_exec_home(t->exec, feed->input[i].tensor, &box, &block);
        mw_feed_block(feed, i, position, &box, block);
    }
    mw_status status = mw_exec_run_part(t->exec, only);
    if (status != MW_OK && mw_team_size(t->exec->team) > 1) {
        t->spec->tell(t->exec->ctx, mw_team_rank(t->exec->team));
        mw_team_abort(t->exec->team, mw_status_exit(MW_ERUN));
    }
    return status;
}

static double read_loss(const trainer *t)
{
    mw_box box;
    char *block;
    mw_number number;
    mw_dtype dtype = t->exec->plan->graph->tensor[t->spec->loss].dtype;
    mw_exec_home(t->exec, t->spec->loss, &box, &block);
    mw_numbers_load(dtype, block, 0, 1, 1, &number);
    return number.f;
}

static int64_t nanoseconds(double seconds)
{
    return (int64_t)(seconds * 1e9);
}

// What each rank has to tell; then all know the largest.
static mw_status exchange(trainer *t, double loss)
{
    mw_exec *exec = t->exec;
    int rank = mw_team_rank(exec->team);
    t->told[TOLD_STOP] = mw_stopped(exec->ctx);
    t->told[TOLD_BAD_LOSS] = !isfinite(loss);
    t->told[TOLD_OTHER_BYTES] =
        exec->bytes_sent != t->spec->bytes_by_rank[rank] ? rank + 1 : 0;
    t->told[TOLD_TIME_NS] = nanoseconds(exec->time_s);
    t->told[TOLD_COMM_NS] = nanoseconds(exec->comm_s);
    t->told[TOLD_BYTES] = exec->bytes_sent;
    return mw_team_largest(exec->team, t->told, N_TOLD);
}

// The mean over whole batches, in the file's order; at least one batch.
static mw_status evaluate(trainer *t, double *mean)
{
    const mw_feed *feed = t->spec->eval;
    int64_t n = feed->n_examples / feed->batch;
    double sum = 0;
    if (n < 1)
        n = 1;
    mw_quiet_begin(t->exec, &t->quiet);
    mw_status status = MW_OK;
    for (int64_t i = 0; i < n && status == MW_OK; i++) {
        status = run_batch(t, feed, i * feed->batch, t->forward);
        sum += read_loss(t);
    }
    mw_quiet_end(t->exec, &t->quiet);
    *mean = sum / (double)n;
    return status;
}

static mw_status judge(trainer *t, double loss)
{
    mw_ctx *ctx = t->exec->ctx;
    if (t->told[TOLD_BAD_LOSS])
        return mw_fail(ctx, MW_ERUN,
                       "the loss of step %" PRId64 " is %g: training ends\n"
                       "a smaller learning rate, or clipping, may help",
                       t->mark->step + 1, loss);
    if (t->told[TOLD_OTHER_BYTES])
        return mw_fail(ctx, MW_EDIFFERS,
                       "rank %" PRId64 " sent other bytes than the plan says, "
                       "in step %" PRId64,
                       t->told[TOLD_OTHER_BYTES] - 1, t->mark->step + 1);
    return MW_OK;
}

static bool due(int64_t every, int64_t step, bool last)
{
    return last || (every > 0 && step % every == 0);
}

static mw_status make_step(trainer *t, bool last)
{
    const mw_trainer_spec *spec = t->spec;
    MW_TRY(run_batch(t, spec->feed, t->mark->position, NULL));
    mw_trainer_step step = {.step = t->mark->step + 1, .loss = read_loss(t)};
    MW_TRY(exchange(t, step.loss));
    MW_TRY(judge(t, step.loss));
    t->mark->step++;
    t->mark->position += spec->feed->batch;
    step.time_s = (double)t->told[TOLD_TIME_NS] * 1e-9;
    step.comm_s = (double)t->told[TOLD_COMM_NS] * 1e-9;
    step.bytes_sent = t->told[TOLD_BYTES];
    last = last || t->told[TOLD_STOP];
    step.evaluated = spec->eval && due(spec->eval_every, step.step, last) &&
                     !t->told[TOLD_STOP];
    if (step.evaluated)
        MW_TRY(evaluate(t, &step.eval_loss));
    if (mw_team_rank(t->exec->team) == 0)
        spec->stepped(spec->arg, &step);
    if (spec->checkpoint && due(spec->checkpoint_every, step.step, last))
        return mw_checkpoint_write(spec->checkpoint, t->mark);
    return MW_OK;
}

mw_status mw_trainer_run(mw_arena *arena, mw_exec *exec,
                         const mw_trainer_spec *spec, mw_progress_mark *mark)
{
    trainer t = {.exec = exec, .spec = spec, .mark = mark};
    mw_status status =
        mw_trainer_forward(arena, exec->plan->graph, spec->loss, &t.forward);
    if (status == MW_OK)
        status = mw_quiet_find(arena, exec->plan->graph, &t.quiet);
    MW_TRY(mw_team_agree(exec->team, status));
    if (spec->steps == 0 && spec->checkpoint)
        return mw_checkpoint_write(spec->checkpoint, mark);
    int64_t end = mark->step + spec->steps;
    while (status == MW_OK && mark->step < end && !t.told[TOLD_STOP])
        status = make_step(&t, mark->step + 1 == end);
    return status;
}
