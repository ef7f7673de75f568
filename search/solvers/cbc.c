/* cbc.c - the problem as an integer linear program for COIN-OR's CBC.
 *
 * The same form as for GLPK: 0/1 columns for strategies, for each edge columns
 * whose row and column sums are the strategies of its ends, memory rows only
 * once an answer breaks them. CBC's models serve once, so the rows are kept
 * here and a model is made of them for each round: first a relaxation, by CLP,
 * to which broken rows are added, then trees until the choice fits in
 * integers. A tree's own first relaxation cannot be stopped: none is begun that
 * has no time for it. */
#include <coin/Cbc_C_Interface.h>
#include <coin/Clp_C_Interface.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "search/clock.h"
#include "search/solver.h"

typedef struct entry {
    int32_t column;
    double value;
} entry;

typedef struct line {
    int64_t first; /* in entry */
    double lower, upper;
} line;

typedef struct ilp {
    mw_ctx *ctx;
    const mw_problem *problem;
    mw_arena *arena;
    const mw_problem_row *row;
    int32_t n_rows;
    int32_t *column;               /* of strategy 0, by node */
    int32_t *first_row, *last_row; /* rows [first, last) of each term */
    bool *in_lp;                   /* by memory row */
    double *load;                  /* by memory row: usage - limit */
    double *cost, *most;           /* by column: objective, upper bound */
    int64_t n_columns, cap_columns, cap_most;
    int32_t n_integer;
    entry *entry;
    int64_t n_entries, cap_entries;
    line *line;
    int64_t n_lines, cap_lines;
    double *dense; /* scratch by integer column, all zero */
    double scale;  /* objective units a unit of cost */
    mw_deadline deadline;
    double *solution; /* of the last model, by column */
    double bound;     /* of the last tree, in objective units */
    double relax_s;   /* what the last relaxation took */
} ilp;

typedef enum outcome { FOUND, NONE, STOPPED } outcome;

static mw_status add_column(ilp *p, double cost, double most)
{
    double *costs = mw_arena_reserve(p->arena, p->cost, p->n_columns,
                                     &p->cap_columns, sizeof *costs);
    double *limits = mw_arena_reserve(p->arena, p->most, p->n_columns,
                                      &p->cap_most, sizeof *limits);
    if (!costs || !limits)
        return MW_ENOMEM;
    p->cost = costs;
    p->most = limits;
    costs[p->n_columns] = cost * p->scale;
    limits[p->n_columns++] = most;
    return MW_OK;
}

static mw_status begin_line(ilp *p, double lower, double upper)
{
    line *lines = mw_arena_reserve(p->arena, p->line, p->n_lines, &p->cap_lines,
                                   sizeof *lines);
    if (!lines)
        return MW_ENOMEM;
    p->line = lines;
    lines[p->n_lines++] = (line){p->n_entries, lower, upper};
    return MW_OK;
}

static mw_status add_entry(ilp *p, int64_t column, double value)
{
    entry *entries = mw_arena_reserve(p->arena, p->entry, p->n_entries,
                                      &p->cap_entries, sizeof *entries);
    if (!entries)
        return MW_ENOMEM;
    p->entry = entries;
    entries[p->n_entries++] = (entry){(int32_t)column, value};
    return MW_OK;
}

static mw_status make_nodes(ilp *p)
{
    for (int32_t i = 0; i < p->problem->n_nodes; i++) {
        const mw_problem_node *v = &p->problem->node[i];
        p->column[i] = (int32_t)p->n_columns;
        MW_TRY(begin_line(p, 1, 1));
        for (int32_t s = 0; s < v->n_strategies; s++) {
            bool forbidden = v->cost[s] >= MW_INFINITE;
            MW_TRY(add_entry(p, p->n_columns, 1));
            MW_TRY(add_column(p, forbidden ? 0 : (double)v->cost[s],
                              forbidden ? 0 : 1));
        }
    }
    p->n_integer = (int32_t)p->n_columns;
    return MW_OK;
}

// Ties the allowed ones of `count` columns, `step` apart in a matrix of column
// numbers (0: forbidden), to one strategy.
static mw_status tie(ilp *p, const int32_t *number, int64_t step, int32_t count,
                     int32_t strategy)
{
    MW_TRY(begin_line(p, 0, 0));
    MW_TRY(add_entry(p, strategy, -1));
    for (int64_t k = 0; k < count; k++) {
        if (number[k * step] > 0)
            MW_TRY(add_entry(p, number[k * step], 1));
    }
    return MW_OK;
}

static mw_status make_edge(ilp *p, int32_t edge, int32_t *number)
{
    const mw_problem_edge *e = &p->problem->edge[edge];
    int32_t n_a = p->problem->node[e->a].n_strategies;
    int32_t n_b = p->problem->node[e->b].n_strategies;
    for (int32_t s = 0; s < n_a; s++) {
        for (int32_t t = 0; t < n_b; t++) {
            int64_t cost = mw_problem_edge_cost(p->problem, edge, s, t);
            bool forbidden = cost >= MW_INFINITE;
            number[s * n_b + t] = forbidden ? 0 : (int32_t)p->n_columns;
            if (!forbidden)
                MW_TRY(add_column(p, (double)cost, 1));
        }
    }
    for (int32_t s = 0; s < n_a; s++)
        MW_TRY(tie(p, number + (int64_t)s * n_b, 1, n_b, p->column[e->a] + s));
    for (int32_t t = 0; t < n_b; t++)
        MW_TRY(tie(p, number + t, n_b, n_a, p->column[e->b] + t));
    return MW_OK;
}

static int64_t largest_matrix(const mw_problem *problem)
{
    int64_t largest = 1;
    for (int32_t i = 0; i < problem->n_edges; i++) {
        const mw_problem_edge *e = &problem->edge[i];
        int64_t n = (int64_t)problem->node[e->a].n_strategies *
                    problem->node[e->b].n_strategies;
        largest = n > largest ? n : largest;
    }
    return largest;
}

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

static mw_status make_lines(ilp *p)
{
    MW_TRY(make_nodes(p));
    int32_t *number =
        MW_NEW_ARRAY(p->arena, largest_matrix(p->problem), int32_t);
    p->dense = MW_NEW_ARRAY(p->arena, p->n_integer, double);
    if (!number || !p->dense)
        return MW_ENOMEM;
    for (int32_t i = 0; i < p->problem->n_edges; i++)
        MW_TRY(make_edge(p, i, number));
    find_term_rows(p);
    return MW_OK;
}

static mw_status add_memory_row(ilp *p, int32_t r)
{
    double unit = p->row[r].limit > 0 ? 1.0 / (double)p->row[r].limit : 1;
    MW_TRY(begin_line(p, -DBL_MAX, (double)p->row[r].limit * unit));
    for (int32_t i = 0; i < p->problem->n_terms; i++) {
        const mw_problem_term *term = &p->problem->term[i];
        if (r < p->first_row[i] || r >= p->last_row[i])
            continue;
        double *usage = p->dense + p->column[term->node];
        int32_t n = p->problem->node[term->node].n_strategies;
        for (int32_t s = 0; s < n; s++)
            usage[s] += (double)term->usage[s] * unit;
    }
    for (int32_t c = 0; c < p->n_integer; c++) {
        if (p->dense[c] != 0)
            MW_TRY(add_entry(p, c, p->dense[c]));
        p->dense[c] = 0;
    }
    p->in_lp[r] = true;
    return MW_OK;
}

// Adds the rows that the solution overruns and that are worse than their
// neighbours.
static mw_status add_broken_rows(ilp *p, int *added)
{
    memset(p->load, 0, ((size_t)p->n_rows + 1) * sizeof *p->load);
    for (int32_t i = 0; i < p->problem->n_terms; i++) {
        const mw_problem_term *term = &p->problem->term[i];
        const double *x = p->solution + p->column[term->node];
        double usage = 0;
        for (int32_t s = 0; s < p->problem->node[term->node].n_strategies; s++)
            usage += (double)term->usage[s] * x[s];
        p->load[p->first_row[i]] += usage;
        p->load[p->last_row[i]] -= usage;
    }
    for (int32_t r = 1; r < p->n_rows; r++)
        p->load[r] += p->load[r - 1];
    for (int32_t r = 0; r < p->n_rows; r++)
        p->load[r] -= (double)p->row[r].limit;
    *added = 0;
    for (int32_t r = 0; r < p->n_rows; r++) {
        double least = 1e-9 * (1 + (double)p->row[r].limit);
        bool peak = (r == 0 || p->load[r - 1] <= p->load[r]) &&
                    (r + 1 == p->n_rows || p->load[r + 1] < p->load[r]);
        if (p->load[r] <= least || !peak || p->in_lp[r])
            continue;
        MW_TRY(add_memory_row(p, r));
        ++*added;
    }
    return MW_OK;
}

// The lines, which stand by row, by column.
typedef struct columns {
    CoinBigIndex *first;
    int *row;
    double *value, *lower, *upper, *zero;
} columns;

static mw_status turn(const ilp *p, mw_arena *arena, columns *c)
{
    c->first = MW_NEW_ARRAY(arena, p->n_columns + 2, CoinBigIndex);
    c->row = MW_NEW_ARRAY(arena, p->n_entries, int);
    c->value = MW_NEW_ARRAY(arena, p->n_entries, double);
    c->lower = MW_NEW_ARRAY(arena, p->n_lines, double);
    c->upper = MW_NEW_ARRAY(arena, p->n_lines, double);
    c->zero = MW_NEW_ARRAY(arena, p->n_columns, double);
    if (!c->first || !c->row || !c->value || !c->lower || !c->upper || !c->zero)
        return MW_ENOMEM;
    for (int64_t k = 0; k < p->n_entries; k++)
        c->first[p->entry[k].column + 2]++;
    for (int64_t i = 2; i < p->n_columns + 2; i++)
        c->first[i] += c->first[i - 1];
    for (int64_t i = 0; i < p->n_lines; i++) {
        int64_t end = i + 1 < p->n_lines ? p->line[i + 1].first : p->n_entries;
        c->lower[i] = p->line[i].lower;
        c->upper[i] = p->line[i].upper;
        for (int64_t k = p->line[i].first; k < end; k++) {
            CoinBigIndex at = c->first[p->entry[k].column + 1]++;
            c->row[at] = (int)i;
            c->value[at] = p->entry[k].value;
        }
    }
    return MW_OK;
}

static void set_model(const ilp *p, Cbc_Model *model, const columns *c)
{
    Cbc_setLogLevel(model, 0);
    Cbc_loadProblem(model, (int)p->n_columns, (int)p->n_lines, c->first, c->row,
                    c->value, c->zero, p->most, p->cost, c->lower, c->upper);
    for (int i = 0; i < p->n_integer; i++)
        Cbc_setInteger(model, i);
    Cbc_setParameter(model, "timeMode", "elapsed");
    Cbc_setParameter(model, "ratioGap", "0");
    Cbc_setParameter(model, "allowableGap", "0");
    Cbc_setParameter(model, "increment", "0");
    if (p->deadline.end_s > 0)
        Cbc_setMaximumSeconds(model, p->deadline.end_s - mw_clock_s());
}

static outcome read_answer(ilp *p, Cbc_Model *model)
{
    const double *x = Cbc_bestSolution(model);
    bool optimal = Cbc_isProvenOptimal(model) != 0;
    if (Cbc_isProvenInfeasible(model))
        return NONE;
    p->bound =
        optimal ? Cbc_getObjValue(model) : Cbc_getBestPossibleObjValue(model);
    p->solution[0] = (double)NAN;
    if (x)
        memcpy(p->solution, x, (size_t)p->n_columns * sizeof *x);
    return optimal && x ? FOUND : STOPPED;
}

static bool has_time(const ilp *p, double seconds)
{
    return !mw_stopped(p->ctx) && (p->deadline.end_s <= 0 ||
                                   p->deadline.end_s - mw_clock_s() > seconds);
}

// Solves what the lines say now.
static mw_status solve_tree(ilp *p, outcome *end)
{
    mw_arena arena;
    columns c;
    *end = STOPPED;
    p->solution[0] = (double)NAN;
    if (!has_time(p, 1.5 * p->relax_s))
        return MW_OK;
    mw_arena_init(&arena, p->ctx);
    mw_status status = turn(p, &arena, &c);
    if (status == MW_OK) {
        Cbc_Model *model = Cbc_newModel();
        set_model(p, model, &c);
        (void)Cbc_solve(model);
        *end = read_answer(p, model);
        Cbc_deleteModel(model);
    }
    mw_arena_free(&arena);
    return status;
}

// A relaxation in slices, so that a stop is seen.
static outcome solve_relaxation(ilp *p, Clp_Simplex *model)
{
    enum { OPTIMAL, INFEASIBLE, LIMIT = 3 };
    for (;;) {
        Clp_setMaximumSeconds(model, 0.2);
        (void)Clp_dual(model, 0);
        int state = Clp_status(model);
        if (state == OPTIMAL) {
            memcpy(p->solution, Clp_primalColumnSolution(model),
                   (size_t)p->n_columns * sizeof *p->solution);
            return FOUND;
        }
        if (state == INFEASIBLE)
            return NONE;
        if (state != LIMIT || !has_time(p, 0))
            return STOPPED;
    }
}

// Gives the model the lines from `first` on.
static mw_status hand_over(const ilp *p, mw_arena *arena, Clp_Simplex *model,
                           int64_t first)
{
    for (int64_t i = first; i < p->n_lines; i++) {
        int64_t begin = p->line[i].first;
        int64_t end = i + 1 < p->n_lines ? p->line[i + 1].first : p->n_entries;
        CoinBigIndex start[2] = {0, (CoinBigIndex)(end - begin)};
        int *column = MW_NEW_ARRAY(arena, end - begin, int);
        double *value = MW_NEW_ARRAY(arena, end - begin, double);
        if (!column || !value)
            return MW_ENOMEM;
        for (int64_t k = begin; k < end; k++) {
            column[k - begin] = p->entry[k].column;
            value[k - begin] = p->entry[k].value;
        }
        Clp_addRows(model, 1, &p->line[i].lower, &p->line[i].upper, start,
                    column, value);
    }
    return MW_OK;
}

static mw_status relax_model(ilp *p, mw_arena *arena, Clp_Simplex *model,
                             outcome *end)
{
    columns c;
    MW_TRY(turn(p, arena, &c));
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, (int)p->n_columns, (int)p->n_lines, c.first, c.row,
                    c.value, c.zero, p->most, p->cost, c.lower, c.upper);
    for (int added = 1; added > 0;) {
        int64_t n_lines = p->n_lines;
        *end = solve_relaxation(p, model);
        if (*end != FOUND)
            return MW_OK;
        MW_TRY(add_broken_rows(p, &added));
        MW_TRY(hand_over(p, arena, model, n_lines));
    }
    return MW_OK;
}

// Relaxations, until none breaks a row.
static mw_status relax(ilp *p, outcome *end)
{
    mw_arena arena;
    double begin_s = mw_clock_s();
    mw_arena_init(&arena, p->ctx);
    Clp_Simplex *model = Clp_newModel();
    mw_status status = relax_model(p, &arena, model, end);
    Clp_deleteModel(model);
    mw_arena_free(&arena);
    p->relax_s = mw_clock_s() - begin_s;
    return status;
}

static void read_choice(const ilp *p, int32_t *choice)
{
    for (int32_t i = 0; i < p->problem->n_nodes; i++) {
        const double *x = p->solution + p->column[i];
        choice[i] = 0;
        for (int32_t s = 1; s < p->problem->node[i].n_strategies; s++)
            choice[i] = x[s] > x[choice[i]] ? s : choice[i];
    }
}

// What the choice takes at one time is too much: no choice may contain it.
static mw_status cut_off(ilp *p, const int32_t *choice, int64_t time)
{
    int32_t n = 0;
    for (int32_t i = 0; i < p->problem->n_terms; i++) {
        const mw_problem_term *term = &p->problem->term[i];
        double *mark = p->dense + p->column[term->node] + choice[term->node];
        if (time < term->begin || time >= term->end || *mark != 0)
            continue;
        *mark = 1;
        n++;
    }
    MW_TRY(begin_line(p, -DBL_MAX, n - 1));
    for (int32_t c = 0; c < p->n_integer; c++) {
        if (p->dense[c] != 0)
            MW_TRY(add_entry(p, c, 1));
        p->dense[c] = 0;
    }
    return MW_OK;
}

// Trees, until the answer fits; it is cut off when no row that is left out
// explains why it does not.
static mw_status search(ilp *p, int32_t *choice, mw_solve_result *result)
{
    outcome end;
    MW_TRY(relax(p, &end));
    while (end == FOUND) {
        int added = 0;
        mw_evaluation value;
        MW_TRY(solve_tree(p, &end));
        if (end == NONE || isnan(p->solution[0]))
            break;
        read_choice(p, choice);
        MW_TRY(mw_problem_evaluate(p->problem, p->ctx, choice, &value));
        if (!value.forbidden && value.excess <= 0) {
            result->status =
                end == FOUND ? MW_SOLVE_OPTIMAL : MW_SOLVE_FEASIBLE;
            result->choice = choice;
            return MW_OK;
        }
        if (value.forbidden)
            return MW_OK;
        MW_TRY(add_broken_rows(p, &added));
        if (added == 0)
            MW_TRY(cut_off(p, choice, value.time));
    }
    if (end == NONE)
        result->status = MW_SOLVE_INFEASIBLE;
    return MW_OK;
}

static double largest_cost(const mw_problem *problem)
{
    int64_t largest = 1;
    for (int32_t i = 0; i < problem->n_nodes; i++) {
        for (int32_t s = 0; s < problem->node[i].n_strategies; s++) {
            int64_t cost = problem->node[i].cost[s];
            largest = cost < MW_INFINITE && cost > largest ? cost : largest;
        }
    }
    for (int32_t i = 0; i < problem->n_edges; i++) {
        const mw_problem_edge *e = &problem->edge[i];
        int64_t n = (int64_t)problem->node[e->a].n_strategies *
                    problem->node[e->b].n_strategies;
        for (int64_t k = 0; k < n; k++) {
            int64_t cost = e->matrix[k];
            largest = cost < MW_INFINITE && cost > largest ? cost : largest;
        }
    }
    return (double)largest;
}

static mw_status allocate(ilp *p)
{
    int64_t rows = (int64_t)p->n_rows + 1, n_terms = p->problem->n_terms;
    p->column = MW_NEW_ARRAY(p->arena, p->problem->n_nodes, int32_t);
    p->first_row = MW_NEW_ARRAY(p->arena, n_terms, int32_t);
    p->last_row = MW_NEW_ARRAY(p->arena, n_terms, int32_t);
    p->in_lp = MW_NEW_ARRAY(p->arena, rows, bool);
    p->load = MW_NEW_ARRAY(p->arena, rows, double);
    bool all = p->column && p->first_row && p->last_row && p->in_lp && p->load;
    return all ? MW_OK : MW_ENOMEM;
}

// The tree's bound in cost units, less what its tolerance may hide.
static void set_bound(const ilp *p, mw_solve_result *result)
{
    double bound = p->bound / p->scale;
    bound -= 1 + fabs(bound) * 1e-7;
    if (result->status != MW_SOLVE_FEASIBLE || !isfinite(bound) ||
        fabs(bound) >= 1e36)
        return;
    result->bounded = true;
    result->bound = (mw_int128)floor(bound);
}

static mw_status run(mw_ctx *ctx, const mw_problem *problem,
                     const mw_solve_options *options, mw_arena *arena,
                     mw_solve_result *result)
{
    mw_problem_row *rows = NULL;
    ilp p = {.ctx = ctx, .problem = problem, .arena = arena};
    p.deadline = mw_deadline_in(options->time_limit_s);
    p.scale = 1e6 / largest_cost(problem);
    MW_TRY(mw_problem_rows(problem, arena, &rows, &p.n_rows));
    p.row = rows;
    MW_TRY(allocate(&p));
    MW_TRY(make_lines(&p));
    p.solution = MW_NEW_ARRAY(arena, p.n_columns, double);
    int32_t *choice = MW_NEW_ARRAY(arena, problem->n_nodes, int32_t);
    if (!choice || !p.solution)
        return MW_ENOMEM;
    MW_TRY(search(&p, choice, result));
    set_bound(&p, result);
    result->proof =
        result->status == MW_SOLVE_UNKNOWN ? MW_PROOF_NONE : MW_PROOF_TOLERANCE;
    return MW_OK;
}

const mw_solver_def mw_solver_cbc = {
    .name = "cbc",
    .brief = "integer linear program, memory rows added as they break (CBC)",
    .exact = true,
    .run = run,
};
