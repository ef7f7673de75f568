/* cmd_solve.c - solves a layout problem in the contest's format. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/solver_option.h"
#include "search/clock.h"
#include "search/least_limit.h"
#include "search/problem_file.h"
#include "search/solver.h"

static const mw_option options[] = {
    {"time-limit", "S",
     "seconds, reading included; 60 when no other end is "
     "given",
     false},
    {"iterations", "N",
     "rounds of the neighbourhood search in place of a time "
     "limit: the same answer every time",
     false},
    {"seed", "N", "of the random choices; 0", false},
    {"gap", "G", "stop once (cost - bound) / cost is at most G; 0", false},
    {"threads", "N", "threads of the search; 2", false},
    {"solver", "NAME", "staged, or another of the registry", false},
    {"o", "FILE", "write the solution as JSON", false},
    {0},
};

static void show_progress(void *user, const mw_solve_progress *progress)
{
    (void)user;
    char cost[48], bound[48];
    (void)fprintf(stderr, "\r%6.1f s  %-14s cost %s  bound %s\033[K",
                  progress->time_s, progress->phase,
                  progress->feasible ? mw_int128_text(progress->objective, cost)
                                     : "-",
                  mw_int128_text(progress->bound, bound));
    (void)fflush(stderr);
}

static void end_progress(void)
{
    (void)fputs("\r\033[K", stderr);
    (void)fflush(stderr);
}

static bool has_choice(const mw_solve_result *result)
{
    return result->status == MW_SOLVE_OPTIMAL ||
           result->status == MW_SOLVE_FEASIBLE;
}

static void add_number(mw_text *text, const char *key, bool known,
                       mw_int128 value)
{
    char digits[48];
    if (known)
        mw_text_format(text, "\"%s\": \"%s\", ", key,
                       mw_int128_text(value, digits));
    else
        mw_text_format(text, "\"%s\": null, ", key);
}

static mw_status solution_json(mw_ctx *ctx, const mw_problem *problem,
                               const mw_solve_result *result, mw_text *text)
{
    bool found = has_choice(result);
    mw_text_init(text, ctx);
    mw_text_format(text, "{\"status\": \"%s\", \"proof\": \"%s\", ",
                   mw_solve_status_text(result->status),
                   mw_solve_proof_text(result->proof));
    add_number(text, "objective", found, result->objective);
    add_number(text, "bound", result->bounded, result->bound);
    if (found && result->bounded)
        mw_text_format(text, "\"gap\": %.17g, ", mw_solve_gap(result));
    else
        mw_text_add(text, "\"gap\": null, ");
    mw_text_format(text, "\"time_s\": %.3f, \"choice\": ", result->time_s);
    if (!found)
        mw_text_add(text, "null}\n");
    for (int32_t i = 0; found && i < problem->n_nodes; i++)
        mw_text_format(text, i ? ", %d" : "[%d", result->choice[i]);
    if (found)
        mw_text_add(text, "]}\n");
    return mw_text_status(text);
}

static const char *number_or_dash(bool known, mw_int128 value, char *text)
{
    return known ? mw_int128_text(value, text) : "-";
}

static void print_table(const mw_problem *problem,
                        const mw_solve_result *result)
{
    char text[48];
    bool found = has_choice(result);
    printf("status     %s", mw_solve_status_text(result->status));
    if (result->proof != MW_PROOF_NONE)
        printf(" (proof: %s)", mw_solve_proof_text(result->proof));
    printf("\nobjective  %s\n", number_or_dash(found, result->objective, text));
    printf("bound      %s\n",
           number_or_dash(result->bounded, result->bound, text));
    if (found && result->bounded)
        printf("gap        %.6f %%\n", 100 * mw_solve_gap(result));
    printf("nodes      %d, after reduction %d\n", problem->n_nodes,
           result->n_nodes_left);
    printf("rows       %d left\n", result->n_rows_left);
    printf("reduced    %.2f s\n", result->reduce_s);
    printf("time       %.2f s\n", result->time_s);
}

static void print_csv(const mw_solve_result *result)
{
    char cost[48], bound[48];
    bool found = has_choice(result);
    printf("status,proof,objective,bound,gap,time_s\n%s,%s,%s,%s,",
           mw_solve_status_text(result->status),
           mw_solve_proof_text(result->proof),
           number_or_dash(found, result->objective, cost),
           number_or_dash(result->bounded, result->bound, bound));
    if (found && result->bounded)
        printf("%.17g", mw_solve_gap(result));
    printf(",%.3f\n", result->time_s);
}

static mw_status put_out(mw_ctx *ctx, const mw_args *args,
                         const mw_problem *problem,
                         const mw_solve_result *result)
{
    mw_text json;
    const char *path = mw_args_text(args, "o");
    mw_status status = solution_json(ctx, problem, result, &json);
    if (status == MW_OK && args->format == MW_OUTPUT_JSON)
        (void)fputs(json.data, stdout);
    else if (status == MW_OK && args->format == MW_OUTPUT_CSV)
        print_csv(result);
    else if (status == MW_OK)
        print_table(problem, result);
    if (status == MW_OK && path)
        status = mw_file_write(ctx, path, json.data, json.length);
    mw_text_free(&json);
    return status;
}

// Names the least memory that would do.
static mw_status infeasible(mw_ctx *ctx, const mw_problem *problem,
                            const mw_least_limit *least)
{
    const long long limit = problem->limit, bound = least->bound,
                    found = least->found;
    if (least->impossible)
        return mw_fail(ctx, MW_EINFEASIBLE,
                       "what is forbidden leaves no choice of strategies, "
                       "whatever the limit");
    if (!least->has_found)
        return mw_fail(ctx, MW_EINFEASIBLE,
                       "no choice of strategies fits the limit %lld\nwith less "
                       "than %lld there is none",
                       limit, bound);
    if (bound == found)
        return mw_fail(ctx, MW_EINFEASIBLE,
                       "no choice of strategies fits the limit %lld\nthe least "
                       "that would do is %lld",
                       limit, found);
    return mw_fail(ctx, MW_EINFEASIBLE,
                   "no choice of strategies fits the limit %lld\n%lld would "
                   "do; less than %lld would not",
                   limit, found, bound);
}

// The status of the command: an answer, or what its lack means.
static mw_status verdict(mw_ctx *ctx, const mw_args *args,
                         const mw_problem *problem,
                         const mw_solve_result *result,
                         const mw_least_limit *least)
{
    mw_ctx_at(ctx, "%s", args->pos[0]);
    if (result->status == MW_SOLVE_INFEASIBLE)
        return infeasible(ctx, problem, least);
    if (result->status == MW_SOLVE_UNKNOWN)
        return mw_fail(ctx, MW_ERUN, "nothing was found in %.1f s",
                       result->time_s);
    return MW_OK;
}

static mw_status read_options(mw_ctx *ctx, const mw_args *args,
                              mw_solve_options *o)
{
    static const int64_t counts[2] = {0, INT64_MAX}, few[2] = {1, 64};
    static const double seconds[2] = {1e-3, 1e9}, gaps[2] = {0, 1e9};
    int64_t seed, threads;
    MW_TRY(mw_args_int(ctx, args, "iterations", counts, 0, &o->iterations));
    MW_TRY(mw_args_int(ctx, args, "seed", counts, 0, &seed));
    MW_TRY(mw_args_int(ctx, args, "threads", few, 2, &threads));
    MW_TRY(mw_args_real(ctx, args, "time-limit", seconds,
                        o->iterations > 0 ? 0 : 60, &o->time_limit_s));
    MW_TRY(mw_args_real(ctx, args, "gap", gaps, 0, &o->gap));
    o->seed = (uint64_t)seed;
    o->threads = (int)threads;
    MW_TRY(mw_args_solver(ctx, args, &o->solver));
    if (!args->quiet && isatty(STDERR_FILENO))
        o->progress = show_progress;
    return MW_OK;
}

// In the time that is left.
static mw_status find_least(mw_ctx *ctx, const mw_problem *problem,
                            const mw_solve_options *o,
                            const mw_solve_result *result,
                            mw_least_limit *least)
{
    mw_solve_options left_over = *o;
    if (o->time_limit_s > 0) {
        double left = o->time_limit_s - result->time_s;
        left_over.time_limit_s = left > 1e-3 ? left : 1e-3;
    }
    return mw_least_limit_find(ctx, problem, &left_over, least);
}

static mw_status solve(mw_ctx *ctx, const mw_args *args, mw_problem *problem,
                       mw_solve_options *o)
{
    double begin_s = mw_clock_s();
    mw_solve_result result;
    MW_TRY(mw_problem_read(problem, args->pos[0]));
    if (o->time_limit_s > 0) {
        o->time_limit_s -= mw_clock_s() - begin_s;
        if (o->time_limit_s <= 0)
            o->time_limit_s = 1e-3;
    }
    mw_status status = mw_solve(ctx, problem, o, &problem->arena, &result);
    if (o->progress)
        end_progress();
    MW_TRY(status);
    mw_least_limit least = {0};
    if (result.status == MW_SOLVE_INFEASIBLE)
        MW_TRY(find_least(ctx, problem, o, &result, &least));
    result.time_s = mw_clock_s() - begin_s;
    MW_TRY(put_out(ctx, args, problem, &result));
    return verdict(ctx, args, problem, &result, &least);
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    mw_solve_options o = {0};
    mw_problem problem;
    MW_TRY(read_options(ctx, args, &o));
    mw_problem_init(&problem, ctx);
    mw_status status = solve(ctx, args, &problem, &o);
    mw_problem_free(&problem);
    return status;
}

const mw_command mw_command_solve = {
    .name = "solve",
    .brief = "solve a layout problem: a strategy for each node, least cost",
    .arguments = "PROBLEM.json",
    .min_args = 1,
    .max_args = 1,
    .options = options,
    .writes = (const char *const[]){"o", NULL},
    .details =
        "Reads the format of the ASPLOS 2025 contest on intra-operator "
        "parallelism\n(\"-\" is the standard input). Ctrl-C ends it with the "
        "best so far.",
    .example = "meshwright solve problem.json --time-limit 60 -o solution.json",
    .run = run,
};
