/*
 * problem_lp.h - any problem as an integer program in CPLEX LP format, for
 * other solvers.
 *
 * Variable xI_S says that node I takes strategy S, eE_S_T that edge E has S at
 * its first end and T at its second. Edges are stated by sums of rows and
 * columns: with x whole, e is too, so only x are declared binary. What is
 * forbidden has no variable. Each row that can bind is a constraint mT, T being
 * its time. The objective is the problem's own total.
 */
#ifndef MW_SEARCH_PROBLEM_LP_H
#define MW_SEARCH_PROBLEM_LP_H

#include <stdio.h>

#include "search/problem.h"

/* MW_ERUN when the file cannot be written. Numbers are those of the problem;
 * solvers that read them as doubles round above 2^53. */
mw_status mw_problem_write_lp(const mw_problem *problem, mw_ctx *ctx,
                              FILE *file) MW_MUST_CHECK;

#endif
