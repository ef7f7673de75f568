/* cmd_verify.c - split execution against one processor's: of a plan, or of
 * every strategy of every op of a model. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/job.h"
#include "cli/model_options.h"
#include "cli/rank.h"
#include "cli/verify_plan.h"
#include "cli/verify_report.h"
#include "runtime/launch.h"
#include "runtime/verify.h"

static const mw_option options[] = {
    MW_MODEL_OPTION_ROWS,
    {"all-strategies", NULL, "of a model: every strategy of every distinct op",
     false},
    {"fuse", NULL, "of a model: with groups of maps as one op, as in a plan",
     false},
    {"mesh", "SPEC", "of a model: where to try them, instead of 2, 3 and 2x2",
     true},
    {"input", "NAME=F.npy|F.npz", "values of inputs, instead of made ones",
     true},
    {"weights", "F.safetensors", "values of parameters, instead of the model's",
     false},
    {"seed", "N", "of the values that are made", false},
    {"rtol", "R", "how far floats may be off, of the value", false},
    {"atol", "A", "how far floats may be off besides", false},
    {"threads", "N", "of each rank", false},
    {NULL, NULL, NULL, false},
};

static const char *const usual_meshes[] = {"2", "3", "2x2"};
enum { N_USUAL = sizeof usual_meshes / sizeof usual_meshes[0] };

/* What the ranks of one mesh work with. */
typedef struct work {
    mw_arena *arena;
    const mw_args *args;
    mw_team *team;
    mw_graph graph;
    mw_import_files *files;
    mw_values values;
    mw_verify_run verify;
} work;

static mw_status read_model(work *w)
{
    mw_import_options with;
    mw_verify_wishes wish;
    MW_TRY(mw_verify_wishes_read(w->arena->ctx, w->args, mw_team_size(w->team),
                                 &wish));
    MW_TRY(mw_model_options_read(w->arena, w->args, &with));
    with.values = true;
    with.fuse = mw_args_has(w->args, "fuse");
    MW_TRY(
        mw_model_read(w->arena, w->args->pos[0], &with, &w->graph, &w->files));
    MW_TRY(mw_values_open(w->arena, &w->graph, w->args->pos[0], wish.seed,
                          &w->values));
    MW_TRY(mw_rank_values(w->args, &w->values));
    mw_kernels_start(wish.threads);
    MW_TRY(mw_verify_open(w->arena, w->team, &w->values, wish.threads,
                          &w->verify));
    w->verify.tolerance = wish.tolerance;
    return MW_OK;
}

// One mesh, on this team's ranks; the first rank prints.
static mw_status verify_mesh(work *w, const char *text)
{
    mw_ctx *ctx = w->arena->ctx;
    mw_mesh mesh;
    mw_verify_totals totals;
    mw_status status = mw_mesh_parse(ctx, w->arena, text, &mesh);
    if (status == MW_OK)
        status = mw_rank_of_mesh(ctx, &mesh, w->team);
    if (status == MW_OK)
        status = read_model(w);
    MW_TRY(mw_team_agree(w->team, status));
    status = mw_verify_strategies(&w->verify, &mesh);
    MW_TRY(mw_rank_step(ctx, w->team, status));
    MW_TRY(mw_verify_sum(w->team, &w->verify.report, &totals));
    if (mw_team_rank(w->team) == 0)
        MW_TRY(mw_verify_print(ctx, w->args->format, text, &totals,
                               &w->verify.report));
    return mw_verify_judge(w->team, &w->verify.report);
}

static mw_status be_rank(mw_ctx *ctx, const mw_args *args, const char *mesh)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    work w = {.arena = &arena, .args = args};
    mw_status status = mw_cli_rank_open(ctx, &arena, &w.team);
    int rank = 0;
    if (status == MW_OK) {
        rank = mw_team_rank(w.team);
        status = verify_mesh(&w, mesh);
    }
    mw_team_close(w.team);
    mw_values_close(&w.values);
    mw_import_close(w.files);
    mw_arena_free(&arena);
    return mw_cli_rank_status(ctx, rank, status);
}

// Starts the ranks of a mesh and keeps what they print.
static mw_status start_mesh(mw_ctx *ctx, const mw_args *args, const char *text,
                            mw_text *output)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_mesh mesh;
    const mw_job_option extra[] = {
        {"mesh", text}, {"format", "json"}, {NULL, NULL}};
    mw_status status = mw_mesh_parse(ctx, &arena, text, &mesh);
    if (status == MW_OK)
        status = mw_cli_job(ctx, args, "verify", mw_mesh_ranks(&mesh), extra,
                            output);
    mw_arena_free(&arena);
    return status;
}

// All meshes, one process set each; differences are told at the end.
static mw_status start_meshes(mw_ctx *ctx, const mw_args *args)
{
    int64_t given = mw_args_count(args, "mesh"), n = given ? given : N_USUAL;
    mw_verify_table table;
    mw_verify_table_init(&table, ctx, args->format);
    mw_status worst = MW_OK;
    for (int64_t i = 0; i < n; i++) {
        const char *mesh =
            given ? mw_args_item(args, "mesh", i) : usual_meshes[i];
        mw_text output;
        mw_text_init(&output, ctx);
        mw_status status = start_mesh(ctx, args, mesh, &output);
        if (status == MW_OK || status == MW_EDIFFERS) {
            mw_status added = mw_verify_table_add(&table, output.data);
            worst = status > worst ? status : worst;
            status = added;
        }
        mw_text_free(&output);
        if (status != MW_OK) {
            mw_verify_table_free(&table);
            return status;
        }
    }
    mw_status status = mw_verify_table_end(&table);
    mw_verify_table_free(&table);
    return status == MW_OK ? worst : status;
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    int64_t ranks;
    bool plan = strcmp(mw_path_ext(args->pos[0]), ".json") == 0;
    if (plan && !mw_args_has(args, "all-strategies"))
        return mw_verify_plan_file(ctx, args);
    mw_ctx_at(ctx, "%s", args->pos[0]);
    if (plan || !mw_args_has(args, "all-strategies"))
        return mw_fail(ctx, MW_EUSAGE,
                       "wanted PLAN.json, or MODEL --all-strategies");
    mw_ctx_at(ctx, "%s", "");
    if (!mw_job_inside(&ranks))
        return start_meshes(ctx, args);
    if (mw_args_count(args, "mesh") != 1)
        return mw_fail(ctx, MW_EUSAGE,
                       "verify: under mpirun one --mesh is wanted");
    return be_rank(ctx, args, mw_args_item(args, "mesh", 0));
}

const mw_command mw_command_verify = {
    .name = "verify",
    .brief = "blocks of every tensor against one processor's",
    .arguments = "PLAN.json | MODEL --all-strategies",
    .min_args = 1,
    .max_args = 1,
    .options = options,
    .details =
        "Of a plan, every tensor's home is compared after the op that made it, "
        "with what the reference kernel makes on one rank of the same "
        "operands. "
        "With --all-strategies every distinct op of a model (same attributes "
        "and shapes once) is run under each of its strategies on each mesh, "
        "and every block of every result is compared with the slice of one "
        "rank's, computed by the reference kernels. Integers and masks must be "
        "equal.",
    .example = "meshwright verify plan.json --input net.npz\n"
               "meshwright verify net.onnx --all-strategies --mesh 2x2",
    .run = run,
};
