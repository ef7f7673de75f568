/*
 * solver.h - solving layout problems: one call, and the registry behind it.
 *
 * mw_solve() checks the problem, turns exclusions into nodes, runs a solver and
 * judges its answer by mw_problem_evaluate(): no answer leaves that is not
 * feasible, and its objective is the judge's. A solver is one file in
 * search/solvers/. Nothing here reads files, prints, or knows tensors.
 */
#ifndef MW_SEARCH_SOLVER_H
#define MW_SEARCH_SOLVER_H

#include "search/problem.h"

/* Strategies that may not all be chosen together: the last plan, when the next
 * best is sought. Any subset of the nodes, each at most once. */
typedef struct mw_exclusion {
    int32_t n;
    const int32_t *node;
    const int32_t *strategy;
} mw_exclusion;

typedef struct mw_solve_progress {
    double time_s;
    mw_int128 objective, bound;
    bool feasible; /* else objective means nothing */
    const char *phase;
} mw_solve_progress;

typedef struct mw_solve_options {
    const char *solver;   /* name in the registry; NULL: the best there is */
    double time_limit_s;  /* 0: none */
    int64_t iterations;   /* of the neighbourhood search; 0: by time, or until
                             nothing improves */
    uint64_t seed;        /* same seed and iterations: same answer */
    double gap;           /* stop once (cost - bound) / max(1, cost) <= gap */
    int threads;          /* 0: 2 */
    const int32_t *start; /* a choice to start from, or NULL */
    const mw_exclusion *exclusion;
    int32_t n_exclusions;
    void (*progress)(void *user, const mw_solve_progress *progress);
    void *user;
} mw_solve_options;

typedef enum mw_solve_status {
    MW_SOLVE_UNKNOWN,    /* nothing found, nothing proved */
    MW_SOLVE_FEASIBLE,   /* a choice, with its bound */
    MW_SOLVE_OPTIMAL,    /* objective == bound */
    MW_SOLVE_INFEASIBLE, /* proved */
} mw_solve_status;

typedef enum mw_solve_proof {
    MW_PROOF_NONE,
    MW_PROOF_EXACT,     /* integer arithmetic throughout */
    MW_PROOF_TOLERANCE, /* rests on a floating-point tree */
} mw_solve_proof;

typedef struct mw_solve_result {
    mw_solve_status status;
    mw_solve_proof proof;
    mw_int128 objective;  /* when optimal or feasible */
    bool bounded;         /* bound means something */
    mw_int128 bound;      /* no choice costs less */
    int32_t *choice;      /* by node, when optimal or feasible; in the arena */
    double time_s;        /* wall */
    double reduce_s;      /* of it, in the first reduction */
    int32_t n_nodes_left; /* after the first reduction */
    int32_t n_rows_left;
} mw_solve_result;

/* Solves the problem; choice is allocated in the arena. An infeasible problem
 * is an answer, not a failure. Returns early with the best so far when the
 * context is stopped. MW_EINPUT for an unknown solver, an exclusion or a start
 * that does not fit the problem; MW_ENOMEM; MW_EBUG when a solver's answer is
 * not what it says. */
mw_status mw_solve(mw_ctx *ctx, const mw_problem *problem,
                   const mw_solve_options *options, mw_arena *arena,
                   mw_solve_result *result) MW_MUST_CHECK;

/* gap of an answer: 0 when proved, (cost - bound) / max(1, cost) otherwise. */
double mw_solve_gap(const mw_solve_result *result);

const char *mw_solve_status_text(mw_solve_status status);
const char *mw_solve_proof_text(mw_solve_proof proof);

/* A solver fills status, proof, bound and choice; mw_solve() does the rest. */
typedef struct mw_solver_def {
    const char *name;
    const char *brief;
    bool exact; /* proves its answer, given time */
    mw_status (*run)(mw_ctx *ctx, const mw_problem *problem,
                     const mw_solve_options *options, mw_arena *arena,
                     mw_solve_result *result);
} mw_solver_def;

/* Every solver of search/solvers/, by name. */
extern const mw_solver_def *const mw_solver_table[];
extern const int mw_solver_count;

const mw_solver_def *mw_solver_find(const char *name);

#endif
