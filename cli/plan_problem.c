/* plan_problem.c - the layout problem behind a plan, for other solvers. */
#include "cli/plan_job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "search/problem_file.h"
#include "search/problem_lp.h"
#include "search/rank_problem.h"

typedef mw_status problem_writer(const mw_problem *problem, mw_ctx *ctx,
                                 FILE *file);

static const struct form {
    const char *option;
    problem_writer *write;
} forms[] = {{"write-problem", mw_problem_write},
             {"write-lp", mw_problem_write_lp}};

enum { N_FORMS = sizeof forms / sizeof forms[0] };

static mw_status cannot_write(mw_ctx *ctx, const char *path)
{
    int error = errno;
    mw_ctx_at(ctx, "%s", path);
    return mw_fail(ctx, MW_ERUN, "cannot be written: %s", strerror(error));
}

static mw_status put_problem(mw_ctx *ctx, const mw_problem *problem,
                             problem_writer *write, const char *path)
{
    mw_out out;
    MW_TRY(mw_out_open(ctx, path, &out));
    mw_status status = MW_OK;
    int fd = dup(out.fd);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (file)
        status = write(problem, ctx, file);
    else if (fd >= 0)
        (void)close(fd);
    if ((!file || fclose(file) != 0) && status == MW_OK)
        status = cannot_write(ctx, path);
    if (status == MW_OK)
        status = mw_out_commit(&out);
    mw_out_close(&out);
    return status;
}

mw_status mw_plan_problem_check(mw_plan_job *job)
{
    for (int i = 0; i < N_FORMS; i++) {
        if (!mw_args_has(job->args, forms[i].option))
            continue;
        mw_ctx_at(job->ctx, "--%s", forms[i].option);
        if (job->request.n_meshes > 1)
            return mw_fail(job->ctx, MW_EUSAGE,
                           "found %d meshes, wanted --mesh with one",
                           job->request.n_meshes);
        if (job->request.search.least_peak)
            return mw_fail(job->ctx, MW_EUSAGE,
                           "a problem states the least time under --memory, "
                           "not the least peak");
    }
    mw_ctx_at(job->ctx, "%s", "");
    return MW_OK;
}

mw_status mw_plan_problem_write(mw_plan_job *job, const mw_setting *on,
                                const mw_search_options *search)
{
    bool wanted = false;
    for (int i = 0; i < N_FORMS; i++)
        wanted = wanted || mw_args_has(job->args, forms[i].option);
    if (!wanted)
        return MW_OK;
    mw_problem problem;
    mw_problem_init(&problem, job->ctx);
    mw_status status =
        mw_search_problem(job->ctx, job->arena, on, search, &problem);
    for (int i = 0; i < N_FORMS; i++) {
        const char *path = mw_args_text(job->args, forms[i].option);
        if (status == MW_OK && path)
            status = put_problem(job->ctx, &problem, forms[i].write, path);
    }
    mw_problem_free(&problem);
    return status;
}
