/* plan_replay.c - a clock for the rank, and how far the queue has come. */
#include "ir/plan_replay.h"

#include "ir/cost.h"

typedef struct replay {
    const mw_plan *plan;
    int64_t now_ps;
    int64_t queued_ps; /* of all moves that were put into the queue */
    int64_t done_ps;   /* of these, gone on by now */
    /* by op, and at the end: of the queue, before it begins; of the kernels
     * that run late, right before it */
    int64_t *needed_ps, *late_ps;
} replay;

// A kernel, beside which the queue goes on.
static void compute(replay *r, int64_t time_ps)
{
    r->now_ps = mw_add_ps(r->now_ps, time_ps);
    int64_t left = r->queued_ps - r->done_ps;
    r->done_ps += time_ps < left ? time_ps : left;
}

static void wait_for(replay *r, int64_t needed_ps)
{
    if (needed_ps <= r->done_ps)
        return;
    r->now_ps = mw_add_ps(r->now_ps, needed_ps - r->done_ps);
    r->done_ps = needed_ps;
}

static void run_outputs(replay *r, mw_id k)
{
    const mw_plan_op *p = &r->plan->op[k];
    for (int i = 0; i < r->plan->graph->op[k].n_out; i++) {
        int64_t time_ps = p->out_path[i]->time_ps;
        int32_t until = p->out_until[i];
        if (until <= k) {
            r->now_ps = mw_add_ps(r->now_ps, time_ps);
            continue;
        }
        r->queued_ps = mw_add_ps(r->queued_ps, time_ps);
        r->needed_ps[until] = r->queued_ps;
    }
}

static void run_op(replay *r, mw_id k)
{
    const mw_plan_op *p = &r->plan->op[k];
    for (int c = 0; c < p->n_copies; c++)
        r->now_ps = mw_add_ps(r->now_ps, p->copies[c].path->time_ps);
    for (int f = 0; f < p->n_fetches; f++)
        r->now_ps = mw_add_ps(r->now_ps, p->fetch[f].time_ps);
    compute(r, p->time_ps);
    run_outputs(r, k);
}

static mw_status open_replay(mw_arena *arena, const mw_plan *plan, replay *r)
{
    mw_id n = plan->graph->n_ops;
    *r = (replay){.plan = plan,
                  .needed_ps = MW_NEW_ARRAY(arena, n + 1, int64_t),
                  .late_ps = MW_NEW_ARRAY(arena, n + 1, int64_t)};
    if (!r->needed_ps || !r->late_ps)
        return MW_ENOMEM;
    for (mw_id k = 0; k < n; k++) {
        int64_t *late = &r->late_ps[plan->op[k].late];
        if (plan->op[k].late != k)
            *late = mw_add_ps(*late, plan->op[k].time_ps);
    }
    return MW_OK;
}

mw_status mw_plan_replay(mw_arena *arena, mw_plan *plan)
{
    replay r;
    mw_id n = plan->graph->n_ops;
    MW_TRY(open_replay(arena, plan, &r));
    for (mw_id k = 0; k < n; k++) {
        wait_for(&r, r.needed_ps[k]);
        compute(&r, r.late_ps[k]);
        if (plan->op[k].late == k)
            run_op(&r, k);
    }
    wait_for(&r, r.queued_ps);
    compute(&r, r.late_ps[n]);
    plan->replay_ps = r.now_ps;
    return MW_OK;
}
