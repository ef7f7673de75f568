/* problem_lp.c - the strong edge form: for edge (a, b) and strategy s of a, the
 * variables of row s of its matrix sum to x(a, s); columns likewise. An edge
 * without cost says nothing and is left out. */
#include "search/problem_lp.h"

#include <inttypes.h>

typedef struct lp {
    const mw_problem *problem;
    FILE *file;
    int n_words; /* on the line at hand */
} lp;

enum { WORDS_A_LINE = 8 };

// Lines stay short: some readers keep 255 characters of one.
static void wrap(lp *w)
{
    if (w->n_words++ % WORDS_A_LINE == 0)
        (void)fputs("\n", w->file);
}

static void begin_row(lp *w)
{
    w->n_words = 1;
}

static void put_x(lp *w, int64_t factor, int32_t node, int32_t s)
{
    wrap(w);
    (void)fprintf(w->file, " %+" PRId64 " x%" PRId32 "_%" PRId32, factor, node,
                  s);
}

static void put_e(lp *w, int64_t factor, int32_t edge, int32_t s, int32_t t)
{
    wrap(w);
    (void)fprintf(w->file, " %+" PRId64 " e%" PRId32 "_%" PRId32 "_%" PRId32,
                  factor, edge, s, t);
}

static int32_t n_strategies(const lp *w, int32_t node)
{
    return w->problem->node[node].n_strategies;
}

static bool is_free(const lp *w, int32_t edge)
{
    const mw_problem_edge *it = &w->problem->edge[edge];
    int64_t n = (int64_t)n_strategies(w, it->a) * n_strategies(w, it->b);
    for (int64_t i = 0; i < n; i++) {
        if (it->matrix[i] != 0)
            return false;
    }
    return true;
}

static void put_objective(lp *w)
{
    const mw_problem *problem = w->problem;
    (void)fputs("Minimize\n total:", w->file);
    begin_row(w);
    for (int32_t i = 0; i < problem->n_nodes; i++) {
        for (int32_t s = 0; s < n_strategies(w, i); s++) {
            int64_t cost = problem->node[i].cost[s];
            if (cost < MW_INFINITE)
                put_x(w, cost, i, s);
        }
    }
    for (int32_t i = 0; i < problem->n_edges; i++) {
        const mw_problem_edge *edge = &problem->edge[i];
        for (int32_t s = 0; s < n_strategies(w, edge->a); s++) {
            for (int32_t t = 0; t < n_strategies(w, edge->b); t++) {
                int64_t cost = mw_problem_edge_cost(problem, i, s, t);
                if (cost != 0 && cost < MW_INFINITE)
                    put_e(w, cost, i, s, t);
            }
        }
    }
    (void)fputs("\nSubject To\n", w->file);
}

// One of a node's strategies.
static void put_node(lp *w, int32_t node)
{
    (void)fprintf(w->file, " n%" PRId32 ":", node);
    begin_row(w);
    for (int32_t s = 0; s < n_strategies(w, node); s++)
        put_x(w, 1, node, s);
    (void)fputs(" = 1\n", w->file);
}

// The rows of a matrix (of_b false) or its columns.
static void put_sums(lp *w, int32_t edge, bool of_b)
{
    const mw_problem_edge *it = &w->problem->edge[edge];
    int32_t from = of_b ? it->b : it->a, to = of_b ? it->a : it->b;
    for (int32_t s = 0; s < n_strategies(w, from); s++) {
        (void)fprintf(w->file, " %c%" PRId32 "_%" PRId32 ":", of_b ? 'd' : 'c',
                      edge, s);
        begin_row(w);
        for (int32_t t = 0; t < n_strategies(w, to); t++) {
            int32_t a = of_b ? t : s, b = of_b ? s : t;
            if (mw_problem_edge_cost(w->problem, edge, a, b) < MW_INFINITE)
                put_e(w, 1, edge, a, b);
        }
        put_x(w, -1, from, s);
        (void)fputs(" = 0\n", w->file);
    }
}

static void put_limit(lp *w, const mw_problem_row *row)
{
    const mw_problem *problem = w->problem;
    bool any = false;
    for (int32_t i = 0; i < problem->n_terms; i++) {
        const mw_problem_term *term = &problem->term[i];
        if (row->time < term->begin || row->time >= term->end)
            continue;
        for (int32_t s = 0; s < n_strategies(w, term->node); s++) {
            if (term->usage[s] == 0)
                continue;
            if (!any) {
                (void)fprintf(w->file, " m%" PRId64 ":", row->time);
                begin_row(w);
            }
            any = true;
            put_x(w, term->usage[s], term->node, s);
        }
    }
    if (any)
        (void)fprintf(w->file, " <= %" PRId64 "\n", row->limit);
}

// A strategy that is forbidden by itself keeps its variable, at 0.
static void put_forbidden(lp *w)
{
    (void)fputs("Bounds\n", w->file);
    for (int32_t i = 0; i < w->problem->n_nodes; i++) {
        for (int32_t s = 0; s < n_strategies(w, i); s++) {
            if (w->problem->node[i].cost[s] >= MW_INFINITE)
                (void)fprintf(w->file, " x%" PRId32 "_%" PRId32 " = 0\n", i, s);
        }
    }
}

static void put_binaries(lp *w)
{
    (void)fputs("Binaries", w->file);
    w->n_words = 0;
    for (int32_t i = 0; i < w->problem->n_nodes; i++) {
        for (int32_t s = 0; s < n_strategies(w, i); s++) {
            if (w->problem->node[i].cost[s] >= MW_INFINITE)
                continue;
            wrap(w);
            (void)fprintf(w->file, " x%" PRId32 "_%" PRId32, i, s);
        }
    }
    (void)fputs("\nEnd\n", w->file);
}

mw_status mw_problem_write_lp(const mw_problem *problem, mw_ctx *ctx,
                              FILE *file)
{
    lp w = {.problem = problem, .file = file};
    mw_arena arena;
    mw_problem_row *row;
    int32_t n_rows;
    mw_arena_init(&arena, ctx);
    mw_status status = mw_problem_rows(problem, &arena, &row, &n_rows);
    if (status == MW_OK) {
        put_objective(&w);
        for (int32_t i = 0; i < problem->n_nodes; i++)
            put_node(&w, i);
        for (int32_t i = 0; i < problem->n_edges; i++) {
            if (is_free(&w, i))
                continue;
            put_sums(&w, i, false);
            put_sums(&w, i, true);
        }
        for (int32_t i = 0; i < n_rows; i++)
            put_limit(&w, &row[i]);
        put_forbidden(&w);
        put_binaries(&w);
    }
    mw_arena_free(&arena);
    if (status == MW_OK && ferror(file))
        return mw_fail(ctx, MW_ERUN, "the problem cannot be written");
    return status;
}
