/* glpk.c - the problem as an integer linear program for GLPK.
 *
 * A 0/1 column for each strategy; for each edge a column e[s,t] >= 0 whose row
 * and column sums are the strategies of its ends, a form whose relaxation is
 * far tighter than e >= x + y - 1. Memory rows join when a relaxation breaks
 * them. What GLPK calls feasible within its tolerance is checked in integers;
 * a choice that is not is cut off and the search goes on. */
#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <string.h>

#include "search/clock.h"
#include "search/solver.h"

typedef struct ilp {
    mw_ctx *ctx;
    const mw_problem *problem;
    const mw_problem_row *row;
    int32_t n_rows;
    glp_prob *lp;
    int32_t *column;               /* of strategy 0, by node */
    int32_t *first_row, *last_row; /* rows [first, last) of each term */
    bool *in_lp;                   /* by row */
    double *load;                  /* by row: usage of a relaxation */
    int32_t *index;                /* scratch of one LP row */
    double *value, *dense;         /* scratch; dense is all zero */
    double scale;                  /* objective units a unit of cost */
    mw_deadline deadline;
    bool interrupted;
    double bound; /* of the tree, in objective units */
    jmp_buf abort;
} ilp;

static void glpk_aborts(void *info)
{
    ilp *p = info;
    longjmp(p->abort, 1);
}

static void make_columns(ilp *p)
{
    const mw_problem *problem = p->problem;
    for (int32_t i = 0; i < problem->n_nodes; i++) {
        int32_t n = problem->node[i].n_strategies;
        int first = glp_add_cols(p->lp, n);
        p->column[i] = first;
        int row = glp_add_rows(p->lp, 1);
        for (int s = 0; s < n; s++) {
            int64_t cost = problem->node[i].cost[s];
            glp_set_col_kind(p->lp, first + s, GLP_BV);
            if (cost >= MW_INFINITE)
                glp_set_col_bnds(p->lp, first + s, GLP_FX, 0, 0);
            else
                glp_set_obj_coef(p->lp, first + s, (double)cost * p->scale);
            p->index[1 + s] = first + s;
            p->value[1 + s] = 1;
        }
        glp_set_row_bnds(p->lp, row, GLP_FX, 1, 1);
        glp_set_mat_row(p->lp, row, n, p->index, p->value);
    }
}

// Adds row: sum of e over one strategy's line, minus the strategy's column.
static void tie_line(ilp *p, int n, int column)
{
    int row = glp_add_rows(p->lp, 1);
    p->index[n + 1] = column;
    p->value[n + 1] = -1;
    glp_set_row_bnds(p->lp, row, GLP_FX, 0, 0);
    glp_set_mat_row(p->lp, row, n + 1, p->index, p->value);
}

// Collects the allowed columns of line s, `step` apart, from entry number
// `start` of the edge; entry holds 0 for what is forbidden.
static int gather_line(ilp *p, const int32_t *entry, int64_t start,
                       int64_t step, int32_t count)
{
    int n = 0;
    for (int32_t t = 0; t < count; t++) {
        int32_t column = entry[start + t * step];
        if (column == 0)
            continue;
        n++;
        p->index[n] = column;
        p->value[n] = 1;
    }
    return n;
}

enum { LINES_A_LOOK = 1024 };

// Now and then while lines are made: whether time is up.
static bool is_late(ilp *p, int32_t line)
{
    if (line % LINES_A_LOOK == 0 && !p->interrupted)
        p->interrupted = mw_stopped(p->ctx) || mw_deadline_over(&p->deadline);
    return p->interrupted;
}

static mw_status make_edge(ilp *p, int32_t edge)
{
    const mw_problem_edge *e = &p->problem->edge[edge];
    int32_t n_a = p->problem->node[e->a].n_strategies;
    int32_t n_b = p->problem->node[e->b].n_strategies;
    mw_arena arena;
    mw_arena_init(&arena, p->ctx);
    int32_t *entry = MW_NEW_ARRAY(&arena, (int64_t)n_a * n_b, int32_t);
    if (!entry)
        return MW_ENOMEM;
    for (int32_t s = 0; s < n_a && !is_late(p, s); s++) {
        for (int32_t t = 0; t < n_b; t++) {
            int64_t cost = mw_problem_edge_cost(p->problem, edge, s, t);
            if (cost >= MW_INFINITE)
                continue;
            int column = glp_add_cols(p->lp, 1);
            glp_set_col_bnds(p->lp, column, GLP_LO, 0, 0);
            glp_set_obj_coef(p->lp, column, (double)cost * p->scale);
            entry[(int64_t)s * n_b + t] = column;
        }
    }
    for (int32_t s = 0; s < n_a && !is_late(p, s); s++)
        tie_line(p, gather_line(p, entry, (int64_t)s * n_b, 1, n_b),
                 p->column[e->a] + s);
    for (int32_t t = 0; t < n_b && !is_late(p, t); t++)
        tie_line(p, gather_line(p, entry, t, n_b, n_a), p->column[e->b] + t);
    mw_arena_free(&arena);
    return MW_OK;
}

// The rows [first, last) that a term takes memory in.
static void find_term_rows(ilp *p)
{
    for (int32_t i = 0; i < p->problem->n_terms; i++) {
        const mw_problem_term *term = &p->problem->term[i];
        p->first_row[i] = mw_problem_row_at(p->row, p->n_rows, term->begin);
        p->last_row[i] = mw_problem_row_at(p->row, p->n_rows, term->end);
        if (p->last_row[i] < p->first_row[i])
            p->last_row[i] = p->first_row[i];
    }
}

static void add_memory_row(ilp *p, int32_t r)
{
    int n = 0;
    double unit = p->row[r].limit > 0 ? 1.0 / (double)p->row[r].limit : 1;
    for (int32_t i = 0; i < p->problem->n_terms; i++) {
        const mw_problem_term *term = &p->problem->term[i];
        if (r < p->first_row[i] || r >= p->last_row[i])
            continue;
        int32_t column = p->column[term->node];
        for (int32_t s = 0; s < p->problem->node[term->node].n_strategies;
             s++) {
            if (term->usage[s] == 0)
                continue;
            if (p->dense[column + s] == 0)
                p->index[++n] = column + s;
            p->dense[column + s] += (double)term->usage[s] * unit;
        }
    }
    for (int i = 1; i <= n; i++) {
        p->value[i] = p->dense[p->index[i]];
        p->dense[p->index[i]] = 0;
    }
    int row = glp_add_rows(p->lp, 1);
    glp_set_row_bnds(p->lp, row, GLP_UP, 0, (double)p->row[r].limit * unit);
    glp_set_mat_row(p->lp, row, n, p->index, p->value);
    p->in_lp[r] = true;
}

// Adds the rows that the current relaxation overruns and that are worse than
// their neighbours; returns how many.
static int add_broken_rows(ilp *p)
{
    memset(p->load, 0, ((size_t)p->n_rows + 1) * sizeof *p->load);
    for (int32_t i = 0; i < p->problem->n_terms; i++) {
        const mw_problem_term *term = &p->problem->term[i];
        int32_t column = p->column[term->node];
        double usage = 0;
        for (int32_t s = 0; s < p->problem->node[term->node].n_strategies; s++)
            usage +=
                (double)term->usage[s] * glp_get_col_prim(p->lp, column + s);
        p->load[p->first_row[i]] += usage;
        p->load[p->last_row[i]] -= usage;
    }
    for (int32_t r = 1; r < p->n_rows; r++)
        p->load[r] += p->load[r - 1];
    for (int32_t r = 0; r < p->n_rows; r++)
        p->load[r] -= (double)p->row[r].limit;
    int added = 0;
    for (int32_t r = 0; r < p->n_rows; r++) {
        double least = 1e-9 * (1 + (double)p->row[r].limit);
        bool peak = (r == 0 || p->load[r - 1] <= p->load[r]) &&
                    (r + 1 == p->n_rows || p->load[r + 1] < p->load[r]);
        if (p->load[r] > least && peak && !p->in_lp[r]) {
            add_memory_row(p, r);
            added++;
        }
    }
    return added;
}

static void in_tree(glp_tree *tree, void *info)
{
    ilp *p = info;
    if (mw_stopped(p->ctx) || mw_deadline_over(&p->deadline)) {
        p->interrupted = true;
        glp_ios_terminate(tree);
        return;
    }
    if (glp_ios_reason(tree) == GLP_IROWGEN)
        (void)add_broken_rows(p);
    int best = glp_ios_best_node(tree);
    if (best != 0)
        p->bound = glp_ios_node_bound(tree, best);
}

// The first relaxation, in slices so that a stop is seen; true when optimal.
static bool solve_relaxation(ilp *p)
{
    glp_smcp parameters;
    glp_init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.tm_lim = 200;
    parameters.meth = GLP_DUALP;
    for (;;) {
        int code = glp_simplex(p->lp, &parameters);
        if (code != GLP_ETMLIM && code != 0)
            return false;
        if (code == 0 &&
            (glp_get_status(p->lp) != GLP_OPT || add_broken_rows(p) == 0))
            return glp_get_status(p->lp) == GLP_OPT;
        if (mw_stopped(p->ctx) || mw_deadline_over(&p->deadline)) {
            p->interrupted = true;
            return false;
        }
    }
}

static void read_choice(const ilp *p, int32_t *choice)
{
    for (int32_t i = 0; i < p->problem->n_nodes; i++) {
        int32_t best = 0;
        for (int32_t s = 1; s < p->problem->node[i].n_strategies; s++) {
            if (glp_mip_col_val(p->lp, p->column[i] + s) >
                glp_mip_col_val(p->lp, p->column[i] + best))
                best = s;
        }
        choice[i] = best;
    }
}

// Forbids the choice's strategies that take memory at the overrun time, which
// do not fit together.
static void cut_off(ilp *p, const int32_t *choice, int64_t time)
{
    int n = 0;
    for (int32_t i = 0; i < p->problem->n_terms; i++) {
        const mw_problem_term *term = &p->problem->term[i];
        int32_t column = p->column[term->node] + choice[term->node];
        if (time < term->begin || time >= term->end || p->dense[column] != 0)
            continue;
        p->dense[column] = 1;
        n++;
        p->index[n] = column;
        p->value[n] = 1;
    }
    for (int i = 1; i <= n; i++)
        p->dense[p->index[i]] = 0;
    int row = glp_add_rows(p->lp, 1);
    glp_set_row_bnds(p->lp, row, GLP_UP, 0, n - 1);
    glp_set_mat_row(p->lp, row, n, p->index, p->value);
}

static mw_status make_program(ilp *p)
{
    glp_set_obj_dir(p->lp, GLP_MIN);
    make_columns(p);
    for (int32_t i = 0; i < p->problem->n_edges && !is_late(p, 0); i++)
        MW_TRY(make_edge(p, i));
    find_term_rows(p);
    return MW_OK;
}

// Branch and bound until the tree is empty or the time is over; a choice that
// fits only within GLPK's tolerance is cut off and the tree searched again.
static mw_status search_tree(ilp *p, int32_t *choice, mw_solve_result *result)
{
    glp_iocp parameters;
    glp_init_iocp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.cb_func = in_tree;
    parameters.cb_info = p;
    parameters.cov_cuts = GLP_ON;
    for (;;) {
        if (!solve_relaxation(p)) {
            int state = glp_get_status(p->lp);
            bool none =
                !p->interrupted && (state == GLP_NOFEAS || state == GLP_INFEAS);
            result->status = none ? MW_SOLVE_INFEASIBLE : MW_SOLVE_UNKNOWN;
            return MW_OK;
        }
        p->bound = glp_get_obj_val(p->lp);
        int code = glp_intopt(p->lp, &parameters);
        int state = glp_mip_status(p->lp);
        if (state == GLP_NOFEAS && code == 0)
            result->status = MW_SOLVE_INFEASIBLE;
        if (state != GLP_OPT && state != GLP_FEAS)
            return MW_OK;
        mw_evaluation found;
        read_choice(p, choice);
        MW_TRY(mw_problem_evaluate(p->problem, p->ctx, choice, &found));
        if (!found.forbidden && found.excess <= 0) {
            result->status =
                state == GLP_OPT ? MW_SOLVE_OPTIMAL : MW_SOLVE_FEASIBLE;
            result->choice = choice;
            return MW_OK;
        }
        if (found.forbidden || p->interrupted)
            return MW_OK;
        cut_off(p, choice, found.time);
    }
}

static double largest_cost(const mw_problem *problem)
{
    int64_t largest = 1;
    for (int32_t i = 0; i < problem->n_nodes; i++) {
        for (int32_t s = 0; s < problem->node[i].n_strategies; s++) {
            int64_t cost = problem->node[i].cost[s];
            if (cost < MW_INFINITE && cost > largest)
                largest = cost;
        }
    }
    for (int32_t i = 0; i < problem->n_edges; i++) {
        const mw_problem_edge *edge = &problem->edge[i];
        int64_t n = (int64_t)problem->node[edge->a].n_strategies *
                    problem->node[edge->b].n_strategies;
        for (int64_t k = 0; k < n; k++) {
            if (edge->matrix[k] < MW_INFINITE && edge->matrix[k] > largest)
                largest = edge->matrix[k];
        }
    }
    return (double)largest;
}

static mw_status allocate(ilp *p, mw_arena *arena)
{
    int64_t n_strategies = 0, longest = 0;
    for (int32_t i = 0; i < p->problem->n_nodes; i++) {
        int64_t n = p->problem->node[i].n_strategies;
        n_strategies += n;
        longest = n > longest ? n : longest;
    }
    int64_t n_terms = p->problem->n_terms;
    int64_t room = n_strategies + longest + 2;
    p->column = MW_NEW_ARRAY(arena, p->problem->n_nodes, int32_t);
    p->first_row = MW_NEW_ARRAY(arena, n_terms, int32_t);
    p->last_row = MW_NEW_ARRAY(arena, n_terms, int32_t);
    p->in_lp = MW_NEW_ARRAY(arena, p->n_rows, bool);
    p->load = MW_NEW_ARRAY(arena, (int64_t)p->n_rows + 1, double);
    p->index = MW_NEW_ARRAY(arena, room, int32_t);
    p->value = MW_NEW_ARRAY(arena, room, double);
    p->dense = MW_NEW_ARRAY(arena, room, double);
    bool all = p->column && p->first_row && p->last_row && p->in_lp &&
               p->load && p->index && p->value && p->dense;
    return all ? MW_OK : MW_ENOMEM;
}

// Everything that runs inside GLPK, which leaves by longjmp when it gives up.
static mw_status run_guarded(ilp *p, int32_t *choice, mw_solve_result *result)
{
    if (setjmp(p->abort) != 0) {
        glp_free_env();
        return mw_fail(p->ctx, MW_EBUG, "GLPK gave up on %d nodes, %d edges",
                       p->problem->n_nodes, p->problem->n_edges);
    }
    glp_term_out(GLP_OFF);
    glp_error_hook(glpk_aborts, p);
    p->lp = glp_create_prob();
    mw_status status = make_program(p);
    if (status == MW_OK && !p->interrupted)
        status = search_tree(p, choice, result);
    glp_delete_prob(p->lp);
    glp_error_hook(NULL, NULL);
    return status;
}

// The tree's bound in cost units, less what its tolerance may hide.
static void set_bound(const ilp *p, mw_solve_result *result)
{
    double bound = p->bound / p->scale;
    bound -= 1 + fabs(bound) * 1e-7;
    if (result->status == MW_SOLVE_FEASIBLE && isfinite(bound) &&
        fabs(bound) < 1e36) {
        result->bounded = true;
        result->bound = (mw_int128)floor(bound);
    }
}

static mw_status run(mw_ctx *ctx, const mw_problem *problem,
                     const mw_solve_options *options, mw_arena *arena,
                     mw_solve_result *result)
{
    mw_problem_row *rows = NULL;
    ilp p = {.ctx = ctx, .problem = problem};
    p.deadline = mw_deadline_in(options->time_limit_s);
    p.scale = 1e6 / largest_cost(problem);
    MW_TRY(mw_problem_rows(problem, arena, &rows, &p.n_rows));
    p.row = rows;
    MW_TRY(allocate(&p, arena));
    int32_t *choice = MW_NEW_ARRAY(arena, problem->n_nodes, int32_t);
    if (!choice)
        return MW_ENOMEM;
    MW_TRY(run_guarded(&p, choice, result));
    set_bound(&p, result);
    result->proof =
        result->status == MW_SOLVE_UNKNOWN ? MW_PROOF_NONE : MW_PROOF_TOLERANCE;
    return MW_OK;
}

const mw_solver_def mw_solver_glpk = {
    .name = "glpk",
    .brief = "integer linear program, memory rows added as they break (GLPK)",
    .exact = true,
    .run = run,
};
