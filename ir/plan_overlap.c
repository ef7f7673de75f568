/* plan_overlap.c - delays, greedily in the order of the ops. */
#include "ir/plan_overlap.h"

static mw_id root_of(const mw_graph *graph, const mw_operand *operand)
{
    return graph->tensor[operand->tensor].root;
}

static bool reads(const mw_graph *graph, const mw_op *op, mw_id root)
{
    for (int i = 0; i < op->n_in; i++)
        if (root_of(graph, &op->in[i]) == root)
            return true;
    return false;
}

static bool writes(const mw_graph *graph, const mw_op *op, mw_id root)
{
    for (int i = 0; i < op->n_out; i++)
        if (root_of(graph, &op->out[i]) == root)
            return true;
    return false;
}

// The two cannot change places: one writes what the other reads or writes.
static bool tied(const mw_graph *graph, const mw_op *a, const mw_op *b)
{
    for (int i = 0; i < a->n_out; i++) {
        mw_id root = root_of(graph, &a->out[i]);
        if (reads(graph, b, root) || writes(graph, b, root))
            return true;
    }
    for (int i = 0; i < a->n_in; i++)
        if (writes(graph, b, root_of(graph, &a->in[i])))
            return true;
    return false;
}

static bool is_view(const mw_plan *plan, mw_id k)
{
    return mw_op_is_rename(plan->graph, &plan->graph->op[k]);
}

// The first op after k that reads or writes the tensor; n_ops: none.
static mw_id first_use(const mw_plan *plan, mw_id k, mw_id root)
{
    const mw_graph *graph = plan->graph;
    mw_id u = k + 1;
    while (u < graph->n_ops &&
           (is_view(plan, u) || (!reads(graph, &graph->op[u], root) &&
                                 !writes(graph, &graph->op[u], root))))
        u++;
    return u;
}

// An op that moves nothing and whose results are written over what always
// lives.
static bool can_wait(const mw_plan *plan, mw_id u)
{
    const mw_op *op = &plan->graph->op[u];
    const mw_plan_op *p = &plan->op[u];
    bool can = p->n_copies == 0 && p->n_fetches == 0 && p->late == u;
    for (int i = 0; i < op->n_out; i++) {
        const mw_tensor *t = &plan->graph->tensor[op->out[i].tensor];
        can = can && p->out_path[i]->n_steps == 0 &&
              mw_role_persists(plan->graph->tensor[t->root].role);
    }
    return can;
}

// How late op u may run for the sake of what it reads and writes: not past an
// op that is tied to it, nor past one that waits itself and is.
static mw_id last_place(const mw_plan *plan, mw_id u)
{
    const mw_graph *graph = plan->graph;
    mw_id e = u + 1;
    while (e < graph->n_ops &&
           (is_view(plan, e) || !tied(graph, &graph->op[u], &graph->op[e])))
        e++;
    return e;
}

static bool overlaps(const mw_path *path)
{
    return path->n_steps == 1 && path->step[0].kind == MW_ALL_REDUCE &&
           path->step[0].way.algorithm != MW_DIRECT;
}

/* A reduction of an output, and what waits for it. */
typedef struct delay {
    mw_plan *plan;
    mw_life *life;
    mw_id op, user; /* user: runs late; MW_NONE: none does */
    int64_t blocks; /* bytes of the natural block and the scratch */
} delay;

static int32_t last_step(const mw_plan *plan, mw_id e)
{
    return e < plan->n_steps ? e : plan->n_steps - 1;
}

// Bytes of the late op's operands beyond their lives, at a step, each root
// once.
static int64_t operands_at(const delay *d, int32_t step)
{
    const mw_graph *graph = d->plan->graph;
    int64_t bytes = 0;
    if (d->user == MW_NONE)
        return 0;
    const mw_op *op = &graph->op[d->user];
    for (int i = 0; i < op->n_in; i++) {
        mw_id root = root_of(graph, &op->in[i]);
        bool before = false;
        for (int j = 0; j < i; j++)
            before = before || root_of(graph, &op->in[j]) == root;
        if (!before && step >= d->life[root].end)
            bytes += mw_aligned(d->plan->home[root].bytes);
    }
    return bytes;
}

static int64_t workspace(const delay *d)
{
    if (d->user == MW_NONE)
        return 0;
    return mw_aligned(d->plan->op[d->user].workspace.bytes);
}

// The last place up to `end` before which there is room at all steps.
static mw_id reach(const delay *d, mw_id end)
{
    const mw_plan *plan = d->plan;
    mw_id e = d->op + 1;
    int32_t last = d->user == MW_NONE ? end - 1 : last_step(plan, end);
    for (int32_t k = d->op + 1; k <= last; k++) {
        int64_t more = d->blocks + operands_at(d, k) + workspace(d);
        if (plan->live_bytes[k] + more > plan->live_peak_bytes)
            return e;
        e = d->user == MW_NONE ? k + 1 : k;
    }
    return end;
}

static void hold(delay *d, mw_id until)
{
    mw_plan *plan = d->plan;
    for (int32_t k = d->op + 1; k < until; k++)
        plan->live_bytes[k] += d->blocks;
    if (d->user == MW_NONE)
        return;
    int32_t last = last_step(plan, until);
    for (int32_t k = d->user; k <= last; k++)
        plan->live_bytes[k] += operands_at(d, k);
    plan->live_bytes[d->user] -= workspace(d);
    plan->live_bytes[last] += workspace(d);
    const mw_op *op = &plan->graph->op[d->user];
    for (int i = 0; i < op->n_in; i++) {
        mw_life *life = &d->life[root_of(plan->graph, &op->in[i])];
        life->end = life->end > last ? life->end : last + 1;
    }
    plan->op[d->user].late = until;
}

static mw_id earlier(mw_id a, mw_id b)
{
    return a < b ? a : b;
}

// There is something to go on beside: an op between that does not wait itself.
static bool is_beside(const mw_plan *plan, mw_id k, mw_id user, mw_id until)
{
    for (mw_id j = k + 1; j < until; j++)
        if (j != user && !is_view(plan, j) && plan->op[j].late == j)
            return true;
    return false;
}

static bool delay_output(mw_plan *plan, mw_life life[], mw_id k, int i)
{
    mw_plan_op *p = &plan->op[k];
    mw_id root = root_of(plan->graph, &plan->graph->op[k].out[i]);
    mw_id user = first_use(plan, k, root), end = user;
    delay d = {.plan = plan,
               .life = life,
               .op = k,
               .user = MW_NONE,
               .blocks = mw_aligned(p->out_natural[i].bytes) +
                         mw_aligned(p->out_scratch[i].bytes)};
    if (user < plan->graph->n_ops && can_wait(plan, user)) {
        d.user = user;
        end = earlier(last_place(plan, user), first_use(plan, user, root));
    }
    mw_id until = reach(&d, end);
    if (d.user != MW_NONE && until <= user) {
        d.user = MW_NONE;
        until = reach(&d, user);
    }
    if (!is_beside(plan, k, d.user, until))
        return false;
    hold(&d, until);
    p->out_until[i] = until;
    return true;
}

void mw_plan_overlap(mw_plan *plan, mw_life life[], int *n)
{
    *n = 0;
    for (mw_id k = 0; k < plan->graph->n_ops; k++) {
        if (is_view(plan, k))
            continue;
        for (int i = 0; i < plan->graph->op[k].n_out; i++)
            if (overlaps(plan->op[k].out_path[i]))
                *n += delay_output(plan, life, k, i);
    }
}

void mw_plan_no_overlap(mw_plan *plan)
{
    for (mw_id k = 0; k < plan->graph->n_ops; k++) {
        plan->op[k].late = k;
        for (int i = 0; i < plan->graph->op[k].n_out; i++)
            plan->op[k].out_until[i] = k;
    }
}
