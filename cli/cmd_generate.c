/* cmd_generate.c - goes on with a text: as a job, or as one of its ranks. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "cli/job.h"
#include "cli/rank.h"
#include "runtime/checkpoint.h"
#include "runtime/generator.h"
#include "runtime/launch.h"
#include "runtime/load.h"

enum { BYTES = 256, TOKENS = 100, MAX_TOKENS = 1 << 20 };

static const mw_option options[] = {
    {"checkpoint", "DIR", "parameters, as train left them", false},
    {"weights", "F.safetensors", "parameters, instead of a checkpoint", false},
    {"prompt", "TEXT", "what to go on with", false},
    {"tokens", "N", "bytes to add (100)", false},
    {"temperature", "T",
     "draws by chance, the more so the higher; 0, the likeliest byte", false},
    {"seed", "N", "of chance", false},
    {"threads", "N", "of each rank, instead of its share of the cores", false},
    {"oversubscribe", NULL, "allows --threads beyond the cores", false},
    {NULL, NULL, NULL, false},
};

typedef struct wishes {
    const char *checkpoint, *weights, *prompt;
    int64_t tokens, seed;
    double temperature;
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
    mw_exec exec;
    mw_generator generator;
    int64_t *token; /* of the prompt, and then what was added */
    int64_t n, n_prompt;
} work;

static mw_status read_wishes(mw_ctx *ctx, const mw_args *args, int64_t planned,
                             int64_t ranks, wishes *wish)
{
    static const int64_t counts[2] = {1, MAX_TOKENS}, seeds[2] = {0, INT64_MAX};
    static const double bounds[2] = {0, 1e6};
    wish->checkpoint = mw_args_text(args, "checkpoint");
    wish->weights = mw_args_text(args, "weights");
    wish->prompt = mw_args_text(args, "prompt");
    mw_ctx_at(ctx, "%s", "");
    if (!wish->checkpoint == !wish->weights)
        return mw_fail(ctx, MW_EUSAGE,
                       "wanted --checkpoint or --weights, one of them");
    if (!wish->prompt || !wish->prompt[0]) {
        mw_ctx_at(ctx, "--prompt");
        return mw_fail(ctx, MW_EUSAGE, "is %s, wanted a text to go on with",
                       wish->prompt ? "empty" : "missing");
    }
    MW_TRY(mw_args_int(ctx, args, "tokens", counts, TOKENS, &wish->tokens));
    MW_TRY(mw_args_int(ctx, args, "seed", seeds, 0, &wish->seed));
    MW_TRY(
        mw_args_real(ctx, args, "temperature", bounds, 0, &wish->temperature));
    return mw_rank_threads_read(ctx, args, planned, ranks, &wish->threads);
}

static mw_status read_weights(work *w)
{
    mw_progress_mark mark;
    if (w->wish.checkpoint)
        return mw_checkpoint_read(&w->load.values, w->wish.checkpoint, false,
                                  &mark);
    return mw_values_weights(&w->load.values, w->wish.weights);
}

static mw_status read_prompt(work *w)
{
    w->n = w->n_prompt = (int64_t)strlen(w->wish.prompt);
    w->token = MW_NEW_ARRAY(w->arena, w->n + w->wish.tokens, int64_t);
    if (!w->token)
        return MW_ENOMEM;
    for (int64_t i = 0; i < w->n; i++)
        w->token[i] = (unsigned char)w->wish.prompt[i];
    return MW_OK;
}

static mw_status prepare(work *w)
{
    mw_ctx *ctx = w->arena->ctx;
    MW_TRY(mw_load_plan(w->arena, w->args->pos[0], &w->load));
    MW_TRY(mw_rank_of_plan(ctx, &w->load.file, w->team));
    MW_TRY(read_wishes(ctx, w->args, w->load.file.info.threads,
                       mw_team_size(w->team), &w->wish));
    MW_TRY(mw_load_model(w->arena, w->team, (uint64_t)w->wish.seed, &w->load));
    MW_TRY(read_weights(w));
    return read_prompt(w);
}

static mw_status check_prompt(const work *w)
{
    const mw_generator *g = &w->generator;
    int64_t below = w->load.values.below[g->ids];
    for (int64_t i = 0; i < w->n_prompt; i++) {
        if (w->token[i] < below)
            continue;
        mw_ctx_at(w->arena->ctx, "--prompt");
        return mw_fail(w->arena->ctx, MW_EINPUT,
                       "byte %lld is %lld where the model knows %lld",
                       (long long)i, (long long)w->token[i], (long long)below);
    }
    return MW_OK;
}

static mw_status open_program(work *w)
{
    const mw_generator_spec spec = {.temperature = w->wish.temperature,
                                    .seed = (uint64_t)w->wish.seed,
                                    .below = BYTES};
    mw_kernels_start((int)w->wish.threads.each);
    MW_TRY(mw_exec_open(w->arena, &w->load.plan, w->team,
                        (int)w->wish.threads.each, &w->exec));
    mw_exec_put_weights(&w->exec, &w->load.values);
    mw_ctx_at(w->arena->ctx, "%s", w->load.file.name);
    MW_TRY(mw_generator_open(w->arena, &w->exec, &w->load.values, &spec,
                             &w->generator));
    mw_ctx_at(w->arena->ctx, "%s", "");
    return check_prompt(w);
}

static void show(const work *w, int64_t from)
{
    if (w->rank > 0 || w->args->format != MW_OUTPUT_TABLE)
        return;
    for (int64_t i = from; i < w->n; i++)
        (void)putchar((int)w->token[i]);
    (void)fflush(stdout);
}

static mw_status generate(work *w)
{
    MW_TRY(mw_team_agree(w->team, prepare(w)));
    MW_TRY(mw_team_same(w->team, "a plan with the digest",
                        mw_hash_text(0, w->load.file.computed)));
    MW_TRY(mw_team_agree(w->team, open_program(w)));
    show(w, 0);
    for (int64_t i = 0; i < w->wish.tokens; i++) {
        int64_t next = 0;
        mw_status status =
            mw_generator_next(&w->generator, w->token, w->n, &next);
        MW_TRY(mw_rank_step(w->arena->ctx, w->team, status));
        w->token[w->n++] = next;
        show(w, w->n - 1);
    }
    return MW_OK;
}

// Tokens as text; what is no UTF-8 can only be told from the tokens.
static const char *text_of(const work *w, int64_t from, int64_t to,
                           mw_text *text)
{
    mw_text bytes;
    mw_text_init(&bytes, w->arena->ctx);
    for (int64_t i = from; i < to; i++)
        mw_text_add_char(&bytes, (char)w->token[i]);
    mw_text_cut(text, 0);
    mw_text_add_utf8(text, bytes.data, bytes.length);
    text->failed = text->failed || bytes.failed;
    mw_text_free(&bytes);
    return text->data;
}

static mw_status print_json(const work *w)
{
    mw_text text, part;
    mw_json_out out;
    mw_text_init(&text, w->arena->ctx);
    mw_text_init(&part, w->arena->ctx);
    mw_json_out_init(&out, &text);
    mw_json_begin_object(&out, NULL);
    mw_json_put_text(&out, "prompt", text_of(w, 0, w->n_prompt, &part));
    mw_json_put_text(&out, "text", text_of(w, w->n_prompt, w->n, &part));
    mw_json_begin_array_inline(&out, "tokens");
    for (int64_t i = w->n_prompt; i < w->n; i++)
        mw_json_put_int(&out, NULL, w->token[i]);
    mw_json_end(&out);
    mw_json_end(&out);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        status = mw_text_status(&part);
    if (status == MW_OK)
        (void)fputs(text.data, stdout);
    mw_text_free(&part);
    mw_text_free(&text);
    return status;
}

static mw_status print_end(const work *w)
{
    if (w->args->format == MW_OUTPUT_JSON)
        return print_json(w);
    if (w->args->format == MW_OUTPUT_TABLE) {
        (void)putchar('\n');
        return MW_OK;
    }
    printf("token\n");
    for (int64_t i = w->n_prompt; i < w->n; i++)
        printf("%lld\n", (long long)w->token[i]);
    return MW_OK;
}

static mw_status be_rank(mw_ctx *ctx, const mw_args *args)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    work w = {.arena = &arena, .args = args};
    mw_status status = mw_cli_rank_open(ctx, &arena, &w.team);
    if (status == MW_OK) {
        w.rank = mw_team_rank(w.team);
        status = generate(&w);
    }
    if (status == MW_OK && w.rank == 0)
        status = print_end(&w);
    mw_exec_close(&w.exec);
    mw_team_close(w.team);
    mw_load_close(&w.load);
    int rank = w.rank;
    mw_arena_free(&arena);
    return mw_cli_rank_status(ctx, rank, status);
}

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
    return mw_cli_job(ctx, args, "generate", ranks, NULL, NULL);
}

const mw_command mw_command_generate = {
    .name = "generate",
    .brief = "goes on with a text, by a language model over bytes",
    .arguments = "PLAN.json",
    .min_args = 1,
    .max_args = 1,
    .options = options,
    .details =
        "The plan is one of a causal model from token numbers [batch, seq] to "
        "[batch, seq, vocab], for training or not; tokens are bytes. The same "
        "seed gives the same text on any mesh.",
    .example = "meshwright generate plan.json --checkpoint run --prompt 'In "
               "the beginning' --tokens 200 --temperature 0.8",
    .run = run,
};
