/*
 * job.h - benches that start themselves as ranks.
 */
#ifndef MW_BENCH_JOB_H
#define MW_BENCH_JOB_H

#include <stdint.h>

/* Runs the program `self` without arguments as so many ranks, as `run` would:
 * the job's exit status, or 1 with a word on standard error. */
int mw_bench_job(char *self, int64_t ranks);

#endif
