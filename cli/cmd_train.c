/* cmd_train.c - trains by a plan: as a job, or as one of its ranks. */
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/units.h"
#include "cli/job.h"
#include "cli/rank.h"
#include "cli/train_report.h"
#include "ir/loss.h"
#include "ir/train.h"
#include "runtime/launch.h"
#include "runtime/load.h"
#include "runtime/trainer.h"

static const mw_option options[] = {
    {"data", "F",
     "examples: arrays by the inputs' names (.npz), or tokens (.npy, .npz, any "
     "file's bytes)",
     false},
    {"steps", "N", "steps to make; 0: only the checkpoint", false},
    {"eval", "F", "examples to take the loss of without learning from them",
     false},
    {"eval-every", "N", "steps between evaluations (after the last one only)",
     false},
    {"checkpoint", "DIR", "keeps parameters and states there", false},
    {"checkpoint-every", "N", "steps between checkpoints (after the last only)",
     false},
    {"resume", "DIR", "goes on from the checkpoint there", false},
    {"weights", "F.safetensors", "values of parameters, instead of the model's",
     false},
    {"metrics", "F", "writes a JSON line a step there", false},
    {"in-order", NULL, "takes examples as they stand in the file", false},
    {"seed", "N", "of the examples' order, and of weights that are not given",
     false},
    {"threads", "N", "of each rank, instead of its share of the cores", false},
    {"oversubscribe", NULL, "allows --threads beyond the cores", false},
    {NULL, NULL, NULL, false},
};

typedef struct wishes {
    const char *data, *eval, *checkpoint, *resume, *weights, *metrics;
    int64_t steps, eval_every, checkpoint_every, seed;
    mw_rank_threads threads;
} wishes;

/* One rank's work. */
typedef struct work {
    mw_arena *arena;
    const mw_args *args;
    mw_team *team;
    int rank;
    mw_load load;
    wishes wish;
    mw_progress_mark mark;
    mw_feed feed, eval;
    mw_exec exec;
    mw_checkpoint checkpoint;
    mw_trainer_spec spec;
    mw_train_report report;
} work;

static mw_status wanted(mw_ctx *ctx, const mw_args *args, const char *name)
{
    if (mw_args_has(args, name))
        return MW_OK;
    mw_ctx_at(ctx, "--%s", name);
    return mw_fail(ctx, MW_EUSAGE, "is missing");
}

static mw_status needs(mw_ctx *ctx, const mw_args *args, const char *name,
                       const char *other)
{
    if (!mw_args_has(args, name) || mw_args_has(args, other))
        return MW_OK;
    mw_ctx_at(ctx, "--%s", name);
    return mw_fail(ctx, MW_EUSAGE, "wants --%s too", other);
}

static mw_status read_wishes(mw_ctx *ctx, const mw_args *args, int64_t planned,
                             int64_t ranks, wishes *wish)
{
    static const int64_t counts[2] = {1, INT32_MAX}, seeds[2] = {0, INT64_MAX},
                         steps[2] = {0, INT32_MAX};
    MW_TRY(wanted(ctx, args, "steps"));
    MW_TRY(needs(ctx, args, "eval-every", "eval"));
    MW_TRY(needs(ctx, args, "checkpoint-every", "checkpoint"));
    MW_TRY(mw_args_int(ctx, args, "steps", steps, 1, &wish->steps));
    if (wish->steps > 0)
        MW_TRY(wanted(ctx, args, "data"));
    MW_TRY(mw_args_int(ctx, args, "eval-every", counts, 0, &wish->eval_every));
    MW_TRY(mw_args_int(ctx, args, "checkpoint-every", counts, 0,
                       &wish->checkpoint_every));
    MW_TRY(mw_args_int(ctx, args, "seed", seeds, 0, &wish->seed));
    wish->data = mw_args_text(args, "data");
    wish->eval = mw_args_text(args, "eval");
    wish->checkpoint = mw_args_text(args, "checkpoint");
    wish->resume = mw_args_text(args, "resume");
    wish->weights = mw_args_text(args, "weights");
    wish->metrics = mw_args_text(args, "metrics");
    return mw_rank_threads_read(ctx, args, planned, ranks, &wish->threads);
}

/* ---- what can fail on one rank alone ---- */

// The order of examples is the checkpoint's, and must not be told otherwise.
static mw_status resume(work *w)
{
    mw_ctx *ctx = w->arena->ctx;
    bool in_order = mw_args_has(w->args, "in-order");
    w->mark.seed = in_order ? MW_MARK_IN_ORDER : w->wish.seed;
    if (!w->wish.resume)
        return MW_OK;
    int64_t told = w->mark.seed;
    MW_TRY(mw_checkpoint_read(&w->load.values, w->wish.resume, true, &w->mark));
    bool is_told = in_order || mw_args_has(w->args, "seed");
    if (!is_told || told == w->mark.seed)
        return MW_OK;
    mw_ctx_at(ctx, "%s", w->wish.resume);
    if (w->mark.seed == MW_MARK_IN_ORDER)
        return mw_fail(ctx, MW_EUSAGE,
                       "was trained with --in-order, not --seed");
    return mw_fail(ctx, MW_EUSAGE, "was trained with --seed %lld",
                   (long long)w->mark.seed);
}

// The label that the plan's loss leaves out, where --loss made it.
static mw_status find_ignored(const work *w, mw_feed_spec *spec)
{
    const mw_import_options *made = w->load.file.info.options;
    if (!made || !made->train)
        return MW_OK;
    mw_loss_text loss;
    MW_TRY(mw_loss_read(w->arena, made->train->loss, &loss));
    spec->has_ignored = loss.def && loss.def->classes;
    spec->ignored = loss.ignore;
    return MW_OK;
}

static mw_status open_feeds(work *w)
{
    const mw_graph *graph = &w->load.file.graph;
    mw_feed_spec spec = {.path = w->wish.data,
                         .seed = (uint64_t)w->mark.seed,
                         .in_order = w->mark.seed == MW_MARK_IN_ORDER,
                         .below = w->load.values.below,
                         .some = w->load.values.some};
    int size = mw_team_size(w->team);
    MW_TRY(find_ignored(w, &spec));
    if (spec.path) {
        MW_TRY(mw_feed_open(w->arena, graph, &spec, &w->feed));
        MW_TRY(mw_feed_check(&w->feed, w->rank, size));
    }
    if (!w->wish.eval)
        return MW_OK;
    spec.path = w->wish.eval;
    spec.in_order = true;
    MW_TRY(mw_feed_open(w->arena, graph, &spec, &w->eval));
    return mw_feed_check(&w->eval, w->rank, size);
}

static mw_status open_metrics(work *w)
{
    if (!w->wish.metrics || w->rank > 0)
        return MW_OK;
    w->report.metrics_path = w->wish.metrics;
    w->report.metrics = fopen(w->wish.metrics, w->wish.resume ? "ae" : "we");
    if (w->report.metrics)
        return MW_OK;
    mw_ctx_at(w->arena->ctx, "%s", w->wish.metrics);
    return mw_fail(w->arena->ctx, MW_ERUN, "cannot be written: %s",
                   strerror(errno));
}

static mw_status prepare(work *w)
{
    mw_ctx *ctx = w->arena->ctx;
    const char *path = w->args->pos[0];
    MW_TRY(mw_load_plan(w->arena, path, &w->load));
    MW_TRY(mw_rank_of_plan(ctx, &w->load.file, w->team));
    mw_ctx_at(ctx, "%s", path);
    MW_TRY(mw_trainer_loss(&w->load.file.graph, NULL, &w->spec.loss));
    mw_ctx_at(ctx, "%s", "");
    MW_TRY(read_wishes(ctx, w->args, w->load.file.info.threads,
                       mw_team_size(w->team), &w->wish));
    MW_TRY(mw_load_model(w->arena, w->team, (uint64_t)w->wish.seed, &w->load));
    if (w->wish.weights)
        MW_TRY(mw_values_weights(&w->load.values, w->wish.weights));
    MW_TRY(resume(w));
    MW_TRY(open_feeds(w));
    return open_metrics(w);
}

/* ---- together ---- */

// FLOP a second of all ranks, if the plan's machine says so: for the loss's
// type, else for f32, as in machine files.
static double peak_of(const work *w)
{
    const mw_plan_file *file = &w->load.file;
    const mw_json *machine = mw_json_find(file->json, "machine");
    const mw_json *flops =
        machine ? mw_json_find(machine, "flops_per_s") : NULL;
    mw_dtype dtype = file->graph.tensor[w->spec.loss].dtype;
    const mw_json *each =
        flops ? mw_json_find(flops, mw_dtype_name(dtype)) : NULL;
    if (flops && !each)
        each = mw_json_find(flops, mw_dtype_name(MW_F32));
    double value = 0;
    if (each && each->kind == MW_JSON_REAL)
        value = each->u.real;
    else if (each && each->kind == MW_JSON_INT)
        value = (double)each->u.integer;
    return value * mw_team_size(w->team);
}

static void make_report(work *w)
{
    const mw_graph *graph = &w->load.file.graph;
    w->report.ctx = w->arena->ctx;
    w->report.format = w->args->format;
    w->report.first = w->mark.step + 1;
    w->report.last = w->mark.step + w->wish.steps;
    w->report.examples = w->feed.batch;
    w->report.tokens = w->feed.batch * w->feed.n_tokens;
    for (mw_id k = 0; k < graph->n_ops; k++)
        w->report.flops += mw_op_flops(graph, &graph->op[k]);
    w->report.peak = peak_of(w);
}

static mw_status check_arena(const work *w)
{
    int64_t planned = w->load.file.peak_bytes;
    if (w->exec.bytes == planned)
        return MW_OK;
    return mw_fail(w->arena->ctx, MW_EDIFFERS,
                   "the arena takes %lld bytes, planned are %lld",
                   (long long)w->exec.bytes, (long long)planned);
}

static mw_status open_program(work *w)
{
    mw_kernels_start((int)w->wish.threads.each);
    MW_TRY(mw_exec_open(w->arena, &w->load.plan, w->team,
                        (int)w->wish.threads.each, &w->exec));
    MW_TRY(check_arena(w));
    mw_exec_put_weights(&w->exec, &w->load.values);
    make_report(w);
    return MW_OK;
}

static mw_status train(work *w)
{
    MW_TRY(mw_team_agree(w->team, prepare(w)));
    MW_TRY(mw_team_same(w->team, "a plan with the digest",
                        mw_hash_text(0, w->load.file.computed)));
    MW_TRY(mw_team_agree(w->team, open_program(w)));
    if (w->wish.checkpoint)
        MW_TRY(mw_checkpoint_open(w->arena, &w->exec, w->wish.checkpoint,
                                  &w->checkpoint));
    w->spec.steps = w->wish.steps;
    w->spec.feed = &w->feed;
    w->spec.eval = w->wish.eval ? &w->eval : NULL;
    w->spec.eval_every = w->wish.eval_every;
    w->spec.checkpoint = w->wish.checkpoint ? &w->checkpoint : NULL;
    w->spec.checkpoint_every = w->wish.checkpoint_every;
    w->spec.bytes_by_rank = w->load.file.bytes_by_rank;
    w->spec.tell = mw_cli_tell;
    w->spec.stepped = mw_train_show;
    w->spec.arg = &w->report;
    MW_TRY(mw_trainer_run(w->arena, &w->exec, &w->spec, &w->mark));
    return mw_team_agree(w->team, w->report.status);
}

// What of the plan was kept, for those who read.
static void tell_end(const work *w)
{
    char sent[MW_UNITS_MAX], arena[MW_UNITS_MAX];
    const mw_plan_file *file = &w->load.file;
    if (w->args->format != MW_OUTPUT_TABLE)
        return;
    printf("%d rank%s, %lld thread%s each; sent %s a step and memory %s, as "
           "planned\n",
           mw_team_size(w->team), mw_team_size(w->team) == 1 ? "" : "s",
           (long long)w->wish.threads.each,
           w->wish.threads.each == 1 ? "" : "s",
           mw_bytes_text(file->bytes_sent, sent),
           mw_bytes_text(file->peak_bytes, arena));
    if (w->wish.checkpoint)
        printf("checkpoint of step %lld: %s\n", (long long)w->mark.step,
               w->checkpoint.path);
}

static mw_status be_rank(mw_ctx *ctx, const mw_args *args)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    work w = {.arena = &arena, .args = args};
    mw_status status = mw_cli_rank_open_saving(ctx, &arena, &w.team);
    if (status == MW_OK) {
        w.rank = mw_team_rank(w.team);
        status = train(&w);
    }
    if (status == MW_OK && w.rank == 0)
        tell_end(&w);
    if (status != MW_OK)
        mw_stop_forget(ctx);
    if (w.report.metrics)
        (void)fclose(w.report.metrics);
    mw_checkpoint_close(&w.checkpoint);
    mw_exec_close(&w.exec);
    mw_team_close(w.team);
    mw_feed_close(&w.feed);
    mw_feed_close(&w.eval);
    mw_load_close(&w.load);
    int rank = w.rank;
    mw_arena_free(&arena);
    return mw_cli_rank_status(ctx, rank, status);
}

// How many ranks a plan wants, and whether the command line makes sense.
static mw_status look(mw_ctx *ctx, const mw_args *args, int64_t *ranks)
{
    int64_t threads;
    wishes wish = {0};
    MW_TRY(mw_rank_look(ctx, args->pos[0], ranks, &threads));
    return read_wishes(ctx, args, threads, *ranks, &wish);
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    int64_t ranks;
    if (mw_job_inside(&ranks))
        return be_rank(ctx, args);
    MW_TRY(look(ctx, args, &ranks));
    if (ranks == 1)
        return be_rank(ctx, args);
    return mw_cli_job_saving(ctx, args, "train", ranks);
}

const mw_command mw_command_train = {
    .name = "train",
    .brief = "trains by a plan, on MPI ranks",
    .arguments = "PLAN.json",
    .min_args = 1,
    .max_args = 1,
    .options = options,
    .writes = (const char *const[]){"metrics", NULL},
    .details =
        "The plan is one of plan --train; its batch is the step's. Which "
        "examples make a step follows from --seed alone, so any mesh and any "
        "layout sees the same. With --format json a line a step is printed. "
        "--steps counts from the checkpoint that --resume goes on from, which "
        "may be of another mesh, layout or number of ranks. Ctrl-C and SIGTERM "
        "end it after the step that is being made, and after a checkpoint.",
    .example = "meshwright train plan.json --data book.txt --steps 200 "
               "--checkpoint run\n"
               "meshwright train plan4.json --data book.txt --steps 100 "
               "--resume run --checkpoint run",
    .run = run,
};
