/* job.c - mw_job_run() of the program itself. */
#include "bench/job.h"

#include <stdio.h>

#include "runtime/launch.h"

int mw_bench_job(char *self, int64_t ranks)
{
    mw_ctx ctx;
    int status = 0;
    char *argv[] = {self, NULL};
    const mw_job job = {.ranks = ranks, .argv = argv};
    mw_ctx_init(&ctx);
    if (mw_job_run(&ctx, &job, &status) != MW_OK) {
        (void)fprintf(stderr, "%s: %s\n", self, ctx.message);
        status = 1;
    }
    mw_ctx_free(&ctx);
    return status;
}
