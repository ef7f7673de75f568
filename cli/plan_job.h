/*
 * plan_job.h - one call of `plan`, from what was asked to a ranking; the parts
 * of cmd_plan.c.
 */
#ifndef MW_CLI_PLAN_JOB_H
#define MW_CLI_PLAN_JOB_H

#include "cli/plan_options.h"
#include "report/format.h"

typedef struct mw_plan_job {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_args *args;
    mw_plan_request request;
    mw_graph graph;
    mw_costs costs;
    mw_ranking ranking;
    const mw_plan_largest_size *largest; /* --largest, or NULL */
    double search_s;
} mw_plan_job;

/* Sets up a search of a graph on one mesh of the request: resharder, pins. The
 * setting lies in the arena and borrows graph and costs. */
mw_status mw_plan_job_setting(const mw_plan_job *job, mw_arena *arena,
                              const mw_graph *graph, const mw_mesh *mesh,
                              mw_setting **on,
                              mw_search_options *search) MW_MUST_CHECK;

/* Searches every mesh that --mesh stands for. MW_EINFEASIBLE and MW_ERUN only
 * when none has a plan. */
mw_status mw_plan_job_search(mw_plan_job *job) MW_MUST_CHECK;

/* --remat auto: reads the model at several levels of recomputation, searches
 * them, and leaves graph, options and ranking of the best. files: of the model
 * it read, to be closed. The statuses of mw_plan_job_search(). */
mw_status mw_plan_remat(mw_plan_job *job,
                        mw_import_files **files) MW_MUST_CHECK;

/* Makes the plan of the row whole that was chosen among several meshes'. */
mw_status mw_plan_job_replan(mw_plan_job *job,
                             const mw_ranked *chosen) MW_MUST_CHECK;

/* --write-problem and --write-lp: refused unless there is one mesh and time is
 * the objective. */
mw_status mw_plan_problem_check(mw_plan_job *job) MW_MUST_CHECK;
mw_status mw_plan_problem_write(mw_plan_job *job, const mw_setting *on,
                                const mw_search_options *search) MW_MUST_CHECK;

/* --largest DIM: sets the dimension's size among the model's options to the
 * largest that fits the memory, and says how that is known. Nothing without
 * the option. MW_EUSAGE: no memory limit; MW_EINFEASIBLE: no size fits. */
mw_status mw_plan_largest(mw_plan_job *job) MW_MUST_CHECK;

#endif
