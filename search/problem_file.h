/*
 * problem_file.h - layout problems in the public contest's JSON format.
 *
 * The reader streams: besides the problem it holds one array at a time, and
 * equal vectors and matrices are kept once. Whatever is wrong in a file is
 * MW_EINPUT with line and column. The writer uses the plain format only: what
 * that has no word for (several terms a node, limits by row) is said with more
 * nodes behind the problem's own.
 */
#ifndef MW_SEARCH_PROBLEM_FILE_H
#define MW_SEARCH_PROBLEM_FILE_H

#include <stdio.h>

#include "search/problem.h"

/* Reads a file into a problem that mw_problem_init() has set up; "-" is the
 * standard input. */
mw_status mw_problem_read(mw_problem *problem, const char *path) MW_MUST_CHECK;

/* The same from memory; name stands in messages. */
mw_status mw_problem_parse(mw_problem *problem, const char *name,
                           const char *text, size_t length) MW_MUST_CHECK;

/* Writes an equivalent problem whose first n_nodes nodes are the problem's, and
 * whose optimum costs the same. MW_ERUN when the file cannot be written. */
mw_status mw_problem_write(const mw_problem *problem, mw_ctx *ctx,
                           FILE *file) MW_MUST_CHECK;

#endif
