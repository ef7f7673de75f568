/* cmd_plan.c - the best layouts of a model on a mesh, ranked, and the plan of
 * one of them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/progress.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/model_options.h"
#include "cli/plan_options.h"
#include "report/format.h"
#include "search/rank_mesh.h"
#include "search/problem_file.h"
#include "search/problem_lp.h"
#include "search/rank_problem.h"

static const mw_option options[] = {
    {"mesh", "SPEC", "data=2,model=2, or 2x2, or auto:4", false},
    MW_MODEL_OPTION_ROWS,
    {"machine", "NAME|FILE", "whose public figures price the plan; this one",
     false},
    {"db", "FILE", "figures measured by `meshwright profile`", false},
    {"memory", "SIZE", "of a processor: bytes, 512MiB, 16GB; unlimited", false},
    {"scope", "tensor|global",
     "a layout for each tensor, or one rule for all; tensor", false},
    {"objective", "time|peak", "what is least; time", false},
    {"fix", "TENSOR=LAYOUT", "keeps a tensor so: wte=vocab@model", true},
    {"rule", "DIM=AXES", "splits a dimension so everywhere: batch=data", true},
    {"even", NULL, "only splits that divide", false},
    {"opaque", "DOMAIN::OP",
     "plans around an unknown operator: replicated, not runnable", true},
    {"top", "K", "layouts to rank; 3", false},
    {"pick", "RANK|NAME", "the layout to write; the best", false},
    {"seed", "N", "of the random choices; 0", false},
    {"time-limit", "S", "seconds of search; 60", false},
    {"iterations", "N", "in place of a time limit: the same answer every time",
     false},
    {"o", "PLAN.json", "write the plan", false},
    {"write-problem", "FILE", "write the layout problem, for `solve`", false},
    {"write-lp", "FILE", "write it in CPLEX LP format, for other solvers",
     false},
    {NULL, NULL, NULL, false},
};

typedef struct call {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_args *args;
    mw_plan_request request;
    mw_graph graph;
    mw_costs costs;
    mw_ranking ranking;
    double search_s;
} call;

typedef mw_status problem_writer(const mw_problem *problem, mw_ctx *ctx,
                                 FILE *file);

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
        status = mw_fail(ctx, MW_ERUN, "%s cannot be written", path);
    if (status == MW_OK)
        status = mw_out_commit(&out);
    mw_out_close(&out);
    return status;
}

static mw_status write_problem(call *job, const mw_setting *on,
                               const mw_search_options *search)
{
    static const struct {
        const char *option;
        problem_writer *write;
    } form[] = {{"write-problem", mw_problem_write},
                {"write-lp", mw_problem_write_lp}};
    bool wanted = false;
    for (size_t i = 0; i < sizeof form / sizeof form[0]; i++)
        wanted = wanted || mw_args_has(job->args, form[i].option);
    if (!wanted)
        return MW_OK;
    mw_problem problem;
    mw_problem_init(&problem, job->ctx);
    mw_status status =
        mw_search_problem(job->ctx, job->arena, on, search, &problem);
    for (size_t i = 0; i < sizeof form / sizeof form[0]; i++) {
        const char *path = mw_args_text(job->args, form[i].option);
        if (status == MW_OK && path)
            status = put_problem(job->ctx, &problem, form[i].write, path);
    }
    mw_problem_free(&problem);
    return status;
}

// A written problem is the one that the plan solves.
static mw_status refuse_writing(call *job)
{
    static const char *const option[] = {"write-problem", "write-lp"};
    for (size_t i = 0; i < sizeof option / sizeof option[0]; i++) {
        if (!mw_args_has(job->args, option[i]))
            continue;
        mw_ctx_at(job->ctx, "--%s", option[i]);
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

static mw_status search_mesh(call *job, int i, mw_ranking *ranking)
{
    const mw_mesh *mesh = &job->request.mesh[i];
    mw_search_options search = job->request.search;
    mw_setting *on = MW_NEW(job->arena, mw_setting);
    if (!on)
        return MW_ENOMEM;
    *on =
        (mw_setting){.graph = &job->graph, .mesh = mesh, .costs = &job->costs};
    MW_TRY(mw_resharder_open(job->ctx, job->arena, mesh, &job->costs,
                             &on->resharder));
    MW_TRY(mw_plan_request_pins(job->arena, job->args, &job->graph, mesh,
                                &search.space));
    MW_TRY(write_problem(job, on, &search));
    int left = job->request.n_meshes - i;
    double end_s = search.budget.deadline.end_s;
    if (end_s > 0 && left > 1)
        search.budget.deadline =
            mw_deadline_in((end_s - mw_clock_s()) / left + 1e-3);
    return mw_search(job->ctx, job->arena, on, &search, ranking);
}

// Every mesh that --mesh stands for. One that nothing fits is passed over, as
// long as another is there.
static mw_status search_meshes(call *job)
{
    int n = job->request.n_meshes;
    for (int i = 0; i < n; i++) {
        mw_ranking more;
        mw_progress_tell(job->ctx, "searching", i, n);
        mw_status status = search_mesh(job, i, &more);
        bool last = i == n - 1 && !job->ranking.best;
        if (status == MW_EINFEASIBLE && !last) {
            mw_ctx_clear(job->ctx);
            continue;
        }
        MW_TRY(status);
        char *prefix =
            n > 1 ? mw_report_mesh(job->arena, &job->request.mesh[i]) : NULL;
        if (n > 1 && !prefix)
            return MW_ENOMEM;
        MW_TRY(mw_ranking_join(job->arena, &job->ranking, &more, prefix));
        if (mw_stopped(job->ctx))
            break;
    }
    mw_ranking_sort(&job->ranking);
    return MW_OK;
}

static mw_status pick(call *job, const mw_ranked **chosen)
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
    for (int i = 0; !found && i < ranking->n_rows; i++) {
        if (strcmp(ranking->row[i]->name, text) == 0)
            found = ranking->row[i];
    }
    if (!found)
        return mw_fail(job->ctx, MW_EUSAGE,
                       "'%s' is no rank from 1 to %d and no name of the "
                       "ranking",
                       text, ranking->n_rows);
    if (!found->planned)
        return mw_fail(job->ctx, MW_EUSAGE, "there is no plan '%s': %s", text,
                       found->reason);
    if (!found->feasible)
        return mw_fail(job->ctx, MW_EINFEASIBLE, "plan '%s' %s", text,
                       found->reason);
    mw_ctx_at(job->ctx, "%s", "");
    *chosen = found;
    return MW_OK;
}

// What the plan says besides itself.
static mw_status fill_info(call *job, const mw_ranked *chosen,
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
    return MW_OK;
}

static mw_status put_out(call *job, const mw_report *report)
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

static mw_status tell(call *job)
{
    const mw_ranked *chosen;
    mw_plan_timing timing;
    mw_plan_info info;
    char sha256[MW_SHA256_HEX];
    MW_TRY(pick(job, &chosen));
    MW_TRY(fill_info(job, chosen, &timing, sha256, &info));
    mw_report report = {.arena = job->arena,
                        .graph = &job->graph,
                        .ranking = &job->ranking,
                        .chosen = chosen,
                        .info = &info,
                        .machine = job->request.machine.name,
                        .search_s = job->search_s};
    return put_out(job, &report);
}

static mw_status plan(call *job)
{
    mw_import_files *files = NULL;
    MW_TRY(mw_plan_request_read(job->arena, job->args, &job->request));
    MW_TRY(refuse_writing(job));
    job->costs = mw_machine_costs(&job->request.machine);
    MW_TRY(mw_model_read(job->arena, job->args->pos[0], &job->request.model,
                         &job->graph, &files));
    double begin_s = mw_clock_s();
    mw_status status = search_meshes(job);
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
    call job = {.ctx = ctx, .arena = &arena, .args = args};
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
    .details =
        "Searches how to split the model's tensors over the mesh, and prints "
        "the best layouts with their time, memory and traffic, beside the "
        "usual recipes. --format json prints the plan itself; -o writes it, "
        "for `run` and `check`.\n"
        "\n"
        "auto:N tries the factorizations of N into at most 3 axes. With every "
        "tensor or dimension pinned by --fix and --rule, a layout is priced "
        "without a search. Ctrl-C ends with the best so far.",
    .example =
        "meshwright plan gpt.onnx --dim batch=8 --mesh 2x2 -o plan.json\n"
        "meshwright plan gpt.onnx --dim batch=8 --mesh auto:8 --memory "
        "16GB --machine a100",
    .run = run,
};
