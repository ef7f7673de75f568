/* cmd_plan.c - the best layouts of a model on a mesh, ranked, and the plan of
 * one of them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/model_options.h"
#include "cli/plan_job.h"
#include "ir/train.h"

static const mw_option options[] = {
    {"mesh", "SPEC", "data=2,model=2, or 2x2, or auto:4, or auto:1..64", false},
    MW_MODEL_OPTION_ROWS,
    {"machine", "NAME|FILE", "whose public figures price the plan; this one",
     false},
    {"db", "FILE", "figures measured by `meshwright profile`", false},
    {"memory", "SIZE", "of a processor: bytes, 512MiB, 16GB; unlimited", false},
    {"largest", "DIM", "the largest size of it that fits --memory", false},
    {"train", "NAME[,KEY=VALUE...]",
     "a training step: sgd, momentum, adam, adamw, adafactor; "
     "adam,lr=1e-3,schedule=cosine,warmup=100,steps=1000,clip=1,accumulate=4",
     false},
    {"loss", "NAME",
     "cross-entropy, mse, or a scalar of the model; cross-entropy", false},
    {"remat", "none|full|auto",
     "what is computed again in the backward pass; none", false},
    {"scope", "tensor|global",
     "a layout for each tensor, or one rule for all; tensor", false},
    {"objective", "time|peak", "what is least; time", false},
    {"fix", "TENSOR=LAYOUT", "keeps a tensor so: wte=vocab@model", true},
    {"rule", "DIM=AXES", "splits a dimension so everywhere: batch=data", true},
    {"even", NULL, "only splits that divide", false},
    {"axis-orders", "mesh|all",
     "tries the mesh's axes in every order, major first; mesh", false},
    {"no-fuse", NULL, "every op by itself: no groups of maps as one op", false},
    {"opaque", "DOMAIN::OP",
     "plans around an unknown operator: replicated, not runnable", true},
    {"top", "K", "layouts to rank; 3", false},
    {"pareto", NULL, "time against memory besides: the best for every limit",
     false},
    {"pick", "RANK|NAME", "the layout to write; the best", false},
    {"seed", "N", "of the random choices; 0", false},
    {"solver", "NAME", "of the layout problems: staged, or another", false},
    {"time-limit", "S", "seconds of search; 60", false},
    {"iterations", "N", "in place of a time limit: the same answer every time",
     false},
    {"o", "PLAN.json", "write the plan", false},
    {"write-problem", "FILE", "write the layout problem, for `solve`", false},
    {"write-lp", "FILE", "write it in CPLEX LP format, for other solvers",
     false},
    {NULL, NULL, NULL, false},
};

// A name of the ranking, however it is written: "2-D", "ZeRO-3", "data
// parallel", or its beginning.
static bool names(const char *text, const char *name)
{
    for (;; text++, name++) {
        while (*text && !isalnum((unsigned char)*text))
            text++;
        while (*name && !isalnum((unsigned char)*name))
            name++;
        if (!*text)
            return true;
        if (tolower((unsigned char)*text) != tolower((unsigned char)*name))
            return false;
    }
}

static const mw_ranked *find_name(const mw_ranking *ranking, const char *text)
{
    const mw_ranked *found = NULL;
    int n = 0;
    for (int i = 0; i < ranking->n_rows; i++) {
        if (strcmp(ranking->row[i]->name, text) == 0)
            return ranking->row[i];
        if (!names(text, ranking->row[i]->name))
            continue;
        found = ranking->row[i];
        n++;
    }
    return n == 1 ? found : NULL;
}

static mw_status pick(mw_plan_job *job, const mw_ranked **chosen)
{
    const char *text = mw_args_text(job->args, "pick");
    const mw_ranking *ranking = &job->ranking;
    int64_t number;
    *chosen = ranking->best;
    if (!text)
        return MW_OK;
    mw_ctx_at(job->ctx, "--pick");
    const mw_ranked *found = NULL;
    if (mw_int_parse(text, &number) && number >= 1 && number <= ranking->n_rows)
        found = ranking->row[number - 1];
    if (!found)
        found = find_name(ranking, text);
    if (!found)
        return mw_fail(job->ctx, MW_EUSAGE,
                       "'%s' is no rank from 1 to %d and no name of the "
                       "ranking",
                       text, ranking->n_rows);
    if (!found->planned)
        return mw_fail(job->ctx, MW_EUSAGE, "there is no plan '%s': %s", text,
                       found->reason);
    if (!found->feasible)
        return mw_fail(job->ctx, MW_EINFEASIBLE, "plan '%s': %s", text,
                       found->reason);
    mw_ctx_at(job->ctx, "%s", "");
    *chosen = found;
    return MW_OK;
}

// What the plan says besides itself.
static mw_status fill_info(mw_plan_job *job, const mw_ranked *chosen,
                           mw_plan_timing *timing, char *sha256,
                           mw_plan_info *info)
{
    char *machine;
    MW_TRY(mw_machine_print(job->ctx, job->arena, &job->request.machine,
                            &machine));
    sha256[0] = '\0'; // a built-in model's graph stands in the plan
    if (!mw_import_is_built_in(job->args->pos[0]))
        MW_TRY(mw_sha256_file(job->ctx, job->args->pos[0], sha256));
    *timing = (mw_plan_timing){"search_s", job->search_s};
    *info = mw_report_info(&job->ranking, chosen, &job->request.search);
    info->source = job->args->pos[0];
    info->sha256 = sha256;
    info->options = &job->request.model;
    info->machine = machine;
    info->timing = timing;
    info->n_timings = 1;
    info->largest = job->largest;
    return MW_OK;
}

static mw_status put_out(mw_plan_job *job, const mw_report *report)
{
    static const char *const format[] = {"text", "json", "csv"};
    const char *path = mw_args_text(job->args, "o");
    const mw_format_def *json = mw_format_find("json");
    const mw_format_def *shown = mw_format_find(format[job->args->format]);
    mw_text text;
    mw_text_init(&text, job->ctx);
    mw_status status = MW_OK;
    if (path) {
        status = json->write(job->ctx, report, &text);
        if (status == MW_OK)
            status = mw_file_write(job->ctx, path, text.data, text.length);
        mw_text_cut(&text, 0);
    }
    if (status == MW_OK)
        status = shown->write(job->ctx, report, &text);
    if (status == MW_OK)
        (void)fputs(text.data, stdout);
    mw_text_free(&text);
    return status;
}

static mw_status tell(mw_plan_job *job)
{
    const mw_ranked *chosen;
    mw_plan_timing timing;
    mw_plan_info info;
    char sha256[MW_SHA256_HEX];
    MW_TRY(pick(job, &chosen));
    MW_TRY(mw_plan_job_replan(job, chosen));
    MW_TRY(fill_info(job, chosen, &timing, sha256, &info));
    mw_report report = {.arena = job->arena,
                        .graph = &job->graph,
                        .ranking = &job->ranking,
                        .chosen = chosen,
                        .info = &info,
                        .machine = job->request.machine.name,
                        .counts = job->request.counts,
                        .search_s = job->search_s};
    return put_out(job, &report);
}

// With --remat auto a size fits if it does with all of every layer computed
// again.
static mw_status largest(mw_plan_job *job)
{
    const mw_train_options *train = job->request.model.train;
    if (!train || strcmp(train->remat, "auto") != 0)
        return mw_plan_largest(job);
    mw_train_options full = *train;
    full.base = MW_REMAT_BASE_FULL;
    job->request.model.train = &full;
    mw_status status = mw_plan_largest(job);
    job->request.model.train = train;
    return status;
}

static mw_status plan(mw_plan_job *job)
{
    mw_import_files *files = NULL;
    MW_TRY(mw_plan_request_read(job->arena, job->args, &job->request));
    MW_TRY(mw_plan_problem_check(job));
    job->costs = mw_machine_costs(&job->request.machine);
    double begin_s = mw_clock_s();
    MW_TRY(largest(job));
    mw_status status = MW_OK;
    const mw_train_options *train = job->request.model.train;
    if (train && strcmp(train->remat, "auto") == 0) {
        status = mw_plan_remat(job, &files);
    } else {
        MW_TRY(mw_model_read(job->arena, job->args->pos[0], &job->request.model,
                             &job->graph, &files));
        status = mw_plan_job_search(job);
    }
    job->search_s = mw_clock_s() - begin_s;
    if (status == MW_OK)
        status = tell(job);
    mw_import_close(files);
    return status;
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_plan_job job = {.ctx = ctx, .arena = &arena, .args = args};
    mw_status status = plan(&job);
    mw_arena_free(&arena);
    return status;
}

const mw_command mw_command_plan = {
    .name = "plan",
    .brief = "the best layouts of a model on a mesh, ranked",
    .arguments = "MODEL",
    .min_args = 1,
    .max_args = 1,
    .options = options,
    .writes = (const char *const[]){"o", "write-problem", "write-lp", NULL},
    .details =
        "Searches how to split the model's tensors over the mesh, and prints "
        "the best layouts with their time, memory and traffic, beside the "
        "usual recipes. --format json prints the plan itself; -o writes it, "
        "for `run` and `check`.\n"
        "\n"
        "auto:N tries the factorizations of N into at most 3 axes, auto:A..B "
        "those of every number of processors from A to B, each with its "
        "efficiency: the time of one processor that holds all, over the time "
        "of all together. With every tensor or dimension pinned by --fix and "
        "--rule, a layout is priced without a search. Ctrl-C ends with the "
        "best so far.",
    .example =
        "meshwright plan gpt.onnx --dim batch=8 --mesh 2x2 -o plan.json\n"
        "meshwright plan gpt.onnx --dim batch=8 --mesh auto:8 --memory "
        "16GB --machine a100\n"
        "meshwright plan gpt.onnx --dim seq=128 --mesh 2x4 --memory 16GB "
        "--largest batch",
    .run = run,
};
