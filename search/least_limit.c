/* least_limit.c - the problem of bytes, and its halving. */
#include "search/least_limit.h"

#include "search/clock.h"

typedef struct hunt {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_problem *problem; /* as given */
    mw_problem bytes;          /* whose costs are bytes */
    mw_solve_options options;
    mw_deadline deadline;
    mw_least_limit *least;
} hunt;

static int64_t capped(mw_int128 value)
{
    return value < MW_INFINITE / 4 ? (int64_t)value : MW_INFINITE / 4;
}

// What each strategy takes, over all terms, as its cost.
static mw_status add_nodes(hunt *h)
{
    const mw_problem *problem = h->problem;
    mw_arena *arena = &h->bytes.arena;
    int64_t **cost = MW_NEW_ARRAY(h->arena, problem->n_nodes, int64_t *);
    if (!cost)
        return MW_ENOMEM;
    for (int32_t i = 0; i < problem->n_nodes; i++) {
        const mw_problem_node *v = &problem->node[i];
        cost[i] = MW_NEW_ARRAY(arena, v->n_strategies, int64_t);
        if (!cost[i])
            return MW_ENOMEM;
        for (int32_t s = 0; s < v->n_strategies; s++)
            cost[i][s] = v->cost[s] >= MW_INFINITE ? MW_INFINITE : 0;
    }
    for (int32_t i = 0; i < problem->n_terms; i++) {
        const mw_problem_term *term = &problem->term[i];
        for (int32_t s = 0; term->begin < term->end &&
                            s < problem->node[term->node].n_strategies;
             s++) {
            int64_t *at = &cost[term->node][s];
            if (*at < MW_INFINITE)
                *at = capped((mw_int128)*at + term->usage[s]);
        }
    }
    for (int32_t i = 0; i < problem->n_nodes; i++)
        MW_TRY(mw_problem_add_node(&h->bytes, problem->node[i].n_strategies,
                                   cost[i]));
    return MW_OK;
}

// Edges that forbid something, without their costs.
static mw_status add_edges(hunt *h)
{
    for (int32_t i = 0; i < h->problem->n_edges; i++) {
        const mw_problem_edge *e = &h->problem->edge[i];
        int64_t n = (int64_t)h->problem->node[e->a].n_strategies *
                    h->problem->node[e->b].n_strategies;
        bool any = false;
        for (int64_t k = 0; k < n && !any; k++)
            any = e->matrix[k] >= MW_INFINITE;
        if (!any)
            continue;
        int64_t *matrix = MW_NEW_ARRAY(&h->bytes.arena, n, int64_t);
        if (!matrix)
            return MW_ENOMEM;
        for (int64_t k = 0; k < n; k++)
            matrix[k] = e->matrix[k] >= MW_INFINITE ? MW_INFINITE : 0;
        MW_TRY(
            mw_problem_add_edge(&h->bytes, e->a, e->b, matrix, e->transposed));
    }
    return MW_OK;
}

static mw_status make_bytes(hunt *h)
{
    h->bytes.name = h->problem->name;
    MW_TRY(add_nodes(h));
    MW_TRY(add_edges(h));
    for (int32_t i = 0; i < h->problem->n_terms; i++) {
        const mw_problem_term *term = &h->problem->term[i];
        MW_TRY(mw_problem_add_term(&h->bytes, term->node, term->begin,
                                   term->end, term->usage));
    }
    for (int32_t i = 0; i < h->problem->n_rows; i++)
        MW_TRY(mw_problem_add_row(&h->bytes, h->problem->row[i].time,
                                  h->problem->row[i].limit));
    return MW_OK;
}

static int64_t usage_of(const mw_problem *problem, const mw_problem_term *term,
                        const int32_t *choice)
{
    if (choice)
        return term->usage[choice[term->node]];
    const mw_problem_node *v = &problem->node[term->node];
    int64_t least = INT64_MAX;
    for (int32_t s = 0; s < v->n_strategies; s++) {
        if (v->cost[s] < MW_INFINITE && term->usage[s] < least)
            least = term->usage[s];
    }
    return least < INT64_MAX ? least : 0;
}

// The largest usage at any time of a choice; of none: what is taken at least.
static mw_status peak_of(hunt *h, const int32_t *choice, int64_t *peak)
{
    mw_arena arena;
    mw_problem_row *row = NULL;
    int32_t n = 0;
    mw_arena_init(&arena, h->ctx);
    h->bytes.limit = 0;
    mw_status status = mw_problem_rows(&h->bytes, &arena, &row, &n);
    mw_int128 *load = NULL;
    if (status == MW_OK)
        load = mw_arena_alloc(&arena, (size_t)n + 1, sizeof *load);
    if (status == MW_OK && !load)
        status = MW_ENOMEM;
    for (int32_t i = 0; status == MW_OK && i < h->bytes.n_terms; i++) {
        const mw_problem_term *term = &h->bytes.term[i];
        if (term->begin >= term->end)
            continue;
        int64_t usage = usage_of(&h->bytes, term, choice);
        load[mw_problem_row_at(row, n, term->begin)] += usage;
        load[mw_problem_row_at(row, n, term->end)] -= usage;
    }
    mw_int128 sum = 0, most = 0;
    for (int32_t r = 0; status == MW_OK && r < n; r++) {
        sum += load[r];
        most = sum > most ? sum : most;
    }
    mw_arena_free(&arena);
    *peak = most < INT64_MAX ? (int64_t)most : INT64_MAX;
    return status;
}

// Tries a limit; a choice lowers what was found to its own peak.
static mw_status try_limit(hunt *h, int64_t limit, mw_solve_status *answer)
{
    mw_solve_result result = {0};
    mw_arena arena;
    mw_arena_init(&arena, h->ctx);
    h->bytes.limit = limit;
    if (h->deadline.end_s > 0) {
        double left = h->deadline.end_s - mw_clock_s();
        h->options.time_limit_s = left > 1e-3 ? left : 1e-3;
        // One that cannot be decided must leave time for the others.
        if (limit < MW_NO_LIMIT)
            h->options.time_limit_s /= 4;
    }
    mw_status status =
        mw_solve(h->ctx, &h->bytes, &h->options, &arena, &result);
    *answer = result.status;
    if (status == MW_OK && result.choice) {
        int64_t peak = 0;
        status = peak_of(h, result.choice, &peak);
        if (!h->least->has_found || peak < h->least->found)
            h->least->found = peak;
        h->least->has_found = true;
    }
    mw_arena_free(&arena);
    return status;
}

static bool over(const hunt *h)
{
    return mw_stopped(h->ctx) || mw_deadline_over(&h->deadline);
}

// low: below it limits are decided or given up.
static mw_status halve(hunt *h)
{
    mw_least_limit *least = h->least;
    bool all_decided = true, first = true;
    for (int64_t low = least->bound; low < least->found && !over(h);) {
        // What is needed at one time alone is often enough.
        int64_t limit = first ? low : low + (least->found - low) / 2;
        first = false;
        mw_solve_status answer;
        MW_TRY(try_limit(h, limit, &answer));
        if (answer == MW_SOLVE_OPTIMAL || answer == MW_SOLVE_FEASIBLE)
            continue;
        low = limit + 1;
        if (answer == MW_SOLVE_INFEASIBLE && all_decided)
            least->bound = low;
        all_decided = all_decided && answer == MW_SOLVE_INFEASIBLE;
    }
    return MW_OK;
}

static mw_status find(hunt *h)
{
    mw_solve_status answer;
    MW_TRY(make_bytes(h));
    MW_TRY(peak_of(h, NULL, &h->least->bound));
    MW_TRY(try_limit(h, MW_NO_LIMIT, &answer));
    h->least->impossible = answer == MW_SOLVE_INFEASIBLE;
    return h->least->has_found ? halve(h) : MW_OK;
}

mw_status mw_least_limit_find(mw_ctx *ctx, const mw_problem *problem,
                              const mw_solve_options *options,
                              mw_least_limit *least)
{
    mw_least_limit found = {0};
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    hunt h = {.ctx = ctx,
              .arena = &arena,
              .problem = problem,
              .least = &found,
              .deadline = mw_deadline_in(options->time_limit_s)};
    // Any choice will do.
    h.options = (mw_solve_options){.solver = options->solver,
                                   .iterations = options->iterations,
                                   .seed = options->seed,
                                   .threads = options->threads,
                                   .gap = 1e9};
    mw_problem_init(&h.bytes, ctx);
    mw_status status = find(&h);
    mw_problem_free(&h.bytes);
    mw_arena_free(&arena);
    if (status == MW_OK)
        *least = found;
    return status;
}
