/* fuzz_problem.c - what is read as a layout problem can be written, read again,
 * and reduced; its first choice costs the same in both. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "search/problem_file.h"
#include "search/reduce.h"

static mw_status read_written(mw_problem *copy, const mw_problem *problem,
                              mw_ctx *ctx)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        return mw_fail(ctx, MW_ENOMEM, "no memory stream");
    mw_status status = mw_problem_write(problem, ctx, file);
    (void)fclose(file);
    if (status == MW_OK &&
        mw_problem_parse(copy, "written", text, length) != MW_OK)
        status = MW_EBUG;
    free(text);
    return status;
}

// The first strategy everywhere, in a problem and its written copy.
static mw_status compare(mw_ctx *ctx, const mw_problem *problem,
                         const mw_problem *copy)
{
    mw_evaluation a, b;
    int32_t *choice = mw_mem_alloc(ctx, (size_t)copy->n_nodes, sizeof *choice);
    if (!choice)
        return MW_ENOMEM;
    mw_status status = mw_problem_evaluate(problem, ctx, choice, &a);
    if (status == MW_OK)
        status = mw_problem_evaluate(copy, ctx, choice, &b);
    mw_mem_free(choice);
    if (status == MW_OK &&
        (a.cost != b.cost || (a.excess > 0) != (b.excess > 0)))
        return mw_fail(ctx, MW_EBUG, "the written problem is another");
    return status;
}

static mw_status check(mw_ctx *ctx, const mw_problem *problem)
{
    mw_problem copy;
    mw_problem_init(&copy, ctx);
    mw_status status = read_written(&copy, problem, ctx);
    if (status == MW_OK)
        status = compare(ctx, problem, &copy);
    mw_problem_free(&copy);
    if (status != MW_OK)
        return status;
    mw_net net;
    status = mw_net_init(&net, ctx, problem);
    if (status == MW_OK)
        status = mw_reduce(&net, MW_REDUCE_ALL);
    mw_net_free(&net);
    return status;
}

static mw_status run(mw_ctx *ctx, const uint8_t *data, size_t size)
{
    mw_problem problem;
    mw_problem_init(&problem, ctx);
    mw_status status =
        mw_problem_parse(&problem, "input", (const char *)data, size);
    if (status == MW_OK)
        status = check(ctx, &problem);
    mw_problem_free(&problem);
    return status;
}

const mw_fuzz_def mw_fuzz_problem = {"problem", run};
