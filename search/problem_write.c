/* problem_write.c - any problem in the plain contest format.
 *
 * Times become the numbers of the rows that can bind, so that a limit that
 * holds only at some rows holds at all times of the file. A row with a lower
 * limit than the highest gets a node with one strategy that fills the rest. A
 * node's second and later terms move to nodes tied to it by a bijection. */
#include <inttypes.h>
#include <string.h>

#include "search/problem_file.h"

typedef struct writer {
    const mw_problem *problem;
    FILE *file;
    const mw_problem_row *row;
    int32_t n_rows;
    int64_t limit;
    int32_t *first_term; /* by node: its first term, or -1 */
    bool *extra;         /* by term: written as a node of its own */
} writer;

static int32_t row_at(const writer *w, int64_t time)
{
    int32_t low = 0, high = w->n_rows;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (w->row[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_vector(writer *w, const int64_t *value, int64_t n)
{
    (void)fputc('[', w->file);
    for (int64_t i = 0; i < n; i++)
        (void)fprintf(w->file, i ? ", %" PRId64 : "%" PRId64, value[i]);
    (void)fputc(']', w->file);
}

static void put_zeros(writer *w, int64_t n)
{
    (void)fputc('[', w->file);
    for (int64_t i = 0; i < n; i++)
        (void)fputs(i ? ", 0" : "0", w->file);
    (void)fputc(']', w->file);
}

static int32_t n_strategies(const writer *w, int32_t node)
{
    return w->problem->node[node].n_strategies;
}

// Calls put for each node of the file in order: the problem's (with their first
// term, or -1), then a node for each extra term, then (node -1) one for each
// row with a lower limit, whose number is then in place of the term.
static void each_node(writer *w,
                      void (*put)(writer *w, int32_t node, int32_t term))
{
    bool first = true;
    for (int32_t i = 0; i < w->problem->n_nodes; i++) {
        if (!first)
            (void)fputs(",\n", w->file);
        first = false;
        put(w, i, w->first_term[i]);
    }
    for (int32_t i = 0; i < w->problem->n_terms; i++) {
        if (!w->extra[i])
            continue;
        (void)fputs(",\n", w->file);
        put(w, w->problem->term[i].node, i);
    }
    for (int32_t i = 0; i < w->n_rows; i++) {
        if (w->row[i].limit == w->limit)
            continue;
        (void)fputs(",\n", w->file);
        put(w, -1, i);
    }
}

static void put_interval(writer *w, int32_t node, int32_t term)
{
    int64_t interval[2] = {0, 0};
    if (node < 0) {
        interval[0] = term;
        interval[1] = term + 1;
    } else if (term >= 0) {
        interval[0] = row_at(w, w->problem->term[term].begin);
        interval[1] = row_at(w, w->problem->term[term].end);
    }
    put_vector(w, interval, 2);
}

static void put_cost(writer *w, int32_t node, int32_t term)
{
    if (node < 0)
        put_zeros(w, 1);
    else if (term >= 0 && w->extra[term])
        put_zeros(w, n_strategies(w, node));
    else
        put_vector(w, w->problem->node[node].cost, n_strategies(w, node));
}

static void put_usage(writer *w, int32_t node, int32_t term)
{
    if (node < 0) {
        int64_t rest = w->limit - w->row[term].limit;
        put_vector(w, &rest, 1);
    } else if (term < 0) {
        put_zeros(w, n_strategies(w, node));
    } else {
        put_vector(w, w->problem->term[term].usage, n_strategies(w, node));
    }
}

static void put_edges(writer *w, bool costs)
{
    const mw_problem *problem = w->problem;
    for (int32_t i = 0; i < problem->n_edges; i++) {
        const mw_problem_edge *edge = &problem->edge[i];
        int32_t row = edge->transposed ? edge->b : edge->a;
        int32_t column = edge->transposed ? edge->a : edge->b;
        if (i > 0)
            (void)fputs(",\n", w->file);
        if (costs)
            put_vector(w, edge->matrix,
                       (int64_t)n_strategies(w, row) * n_strategies(w, column));
        else
            put_vector(w, (int64_t[]){row, column}, 2);
    }
}

static void put_bijection(writer *w, int64_t n)
{
    (void)fputc('[', w->file);
    for (int64_t i = 0; i < n * n; i++)
        (void)fprintf(w->file, i ? ", %" PRId64 : "%" PRId64,
                      i % (n + 1) == 0 ? INT64_C(0) : MW_INFINITE);
    (void)fputc(']', w->file);
}

static void put_ties(writer *w, bool costs)
{
    int64_t node = w->problem->n_nodes;
    bool first = w->problem->n_edges == 0;
    for (int32_t i = 0; i < w->problem->n_terms; i++) {
        if (!w->extra[i])
            continue;
        if (!first)
            (void)fputs(",\n", w->file);
        first = false;
        int32_t owner = w->problem->term[i].node;
        if (costs)
            put_bijection(w, n_strategies(w, owner));
        else
            put_vector(w, (int64_t[]){owner, node}, 2);
        node++;
    }
}

static void put_problem(writer *w)
{
    (void)fputs("{\"problem\": {\"nodes\": {\n\"intervals\": [", w->file);
    each_node(w, put_interval);
    (void)fputs("],\n\"costs\": [", w->file);
    each_node(w, put_cost);
    (void)fputs("],\n\"usages\": [", w->file);
    each_node(w, put_usage);
    (void)fputs("]},\n\"edges\": {\n\"nodes\": [", w->file);
    put_edges(w, false);
    put_ties(w, false);
    (void)fputs("],\n\"costs\": [", w->file);
    put_edges(w, true);
    put_ties(w, true);
    (void)fprintf(w->file, "]},\n\"usage_limit\": %" PRId64 "}}\n", w->limit);
}

mw_status mw_problem_write(const mw_problem *problem, mw_ctx *ctx, FILE *file)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    writer w = {.problem = problem, .file = file};
    mw_problem_row *rows = NULL;
    mw_status status = mw_problem_rows(problem, &arena, &rows, &w.n_rows);
    w.row = rows;
    w.first_term = MW_NEW_ARRAY(&arena, problem->n_nodes, int32_t);
    w.extra = MW_NEW_ARRAY(&arena, problem->n_terms, bool);
    if (status != MW_OK || !w.first_term || !w.extra) {
        mw_arena_free(&arena);
        return MW_ENOMEM;
    }
    for (int32_t i = 0; i < problem->n_nodes; i++)
        w.first_term[i] = -1;
    for (int32_t i = 0; i < problem->n_terms; i++) {
        int32_t *first = &w.first_term[problem->term[i].node];
        w.extra[i] = *first >= 0;
        if (*first < 0)
            *first = i;
    }
    for (int32_t i = 0; i < w.n_rows; i++)
        w.limit = rows[i].limit > w.limit ? rows[i].limit : w.limit;
    put_problem(&w);
    mw_arena_free(&arena);
    if (ferror(file))
        return mw_fail(ctx, MW_ERUN, "the problem cannot be written");
    return MW_OK;
}
