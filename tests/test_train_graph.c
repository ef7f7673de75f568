/*
 * test_train_graph.c - graphs of training steps: every optimizer, schedule,
 * clipping and accumulation follows optax (tests/data/optax/make.py); losses;
 * what is refused.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "ir/import.h"
#include "ir/life.h"
#include "ir/text.h"
#include "ir/train.h"
#include "ir/verify.h"
#include "tests/stepper.h"
#include "tests/test.h"

#define OPTAX "tests/data/optax/"

typedef struct scene {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    mw_import_files *files;
    stepper steps;
} scene;

static void open_scene(scene *s)
{
    *s = (scene){.files = NULL};
    mw_ctx_init(&s->ctx);
    mw_arena_init(&s->arena, &s->ctx);
}

static void close_scene(scene *s)
{
    mw_import_close(s->files);
    mw_arena_free(&s->arena);
    mw_ctx_free(&s->ctx);
}

static mw_status read_graph(scene *s, const char *path, const char *train,
                            const char *loss)
{
    mw_train_options options;
    MW_TRY(mw_train_options_read(&s->arena, train, loss, NULL, &options));
    const mw_import_options with = {.train = &options};
    MW_TRY(mw_model_read(&s->arena, path, &with, &s->graph, &s->files));
    return stepper_open(&s->arena, &s->graph, &s->steps);
}

/* ---- optax ---- */

static bool close_to(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * (fabs(b) + 1e-6);
}

// optax takes Adafactor's decay and lines in single precision.
static double tolerance_of(const char *train)
{
    bool single = strncmp(train, "adafactor", 9) == 0 ||
                  strstr(train, "warmup") || strstr(train, "linear");
    return single ? 3e-6 : 1e-9;
}

static mw_status follow(scene *s, const mw_json *scale, const mw_json *item,
                        int *n_off, double *worst)
{
    const char *train;
    const mw_json *losses, *weights;
    MW_TRY(mw_json_get_text(&s->ctx, item, "train", &train));
    MW_TRY(mw_json_get_array(&s->ctx, item, "losses", &losses));
    MW_TRY(mw_json_get_object(&s->ctx, item, "weights", &weights));
    MW_TRY(read_graph(s, OPTAX "model.mw", train, "error"));
    double *input = stepper_input(&s->steps, "s"), want, got = 0;
    for (int64_t k = 0; k < losses->n; k++) {
        MW_TRY(mw_json_real(&s->ctx, &scale->u.item[k], input));
        MW_TRY(mw_json_real(&s->ctx, &losses->u.item[k], &want));
        MW_TRY(stepper_step(&s->steps, &got));
        *n_off += !close_to(got, want, tolerance_of(train));
        *worst = fmax(*worst, fabs(got - want));
    }
    for (int64_t i = 0; i < weights->n; i++) {
        const mw_json *list = &weights->u.item[i];
        const double *w = stepper_input(&s->steps, list->key);
        for (int64_t k = 0; w && k < list->n; k++) {
            MW_TRY(mw_json_real(&s->ctx, &list->u.item[k], &want));
            *n_off += !close_to(w[k], want, 10 * tolerance_of(train));
        }
        *n_off += !w;
    }
    return MW_OK;
}

static void optax(void)
{
    scene all;
    const mw_json *root = NULL, *scale = NULL, *cases = NULL;
    open_scene(&all);
    mw_status status = mw_json_read(&all.arena, OPTAX "trace.json", &root);
    if (status == MW_OK)
        status = mw_json_get_array(&all.ctx, root, "scale", &scale);
    if (status == MW_OK)
        status = mw_json_get_array(&all.ctx, root, "cases", &cases);
    CHECK(status == MW_OK && cases && cases->n > 0, "%s", all.ctx.message);
    for (int64_t i = 0; status == MW_OK && cases && i < cases->n; i++) {
        scene s;
        int n_off = 0;
        double worst = 0;
        const mw_json *train = mw_json_find(&cases->u.item[i], "train");
        open_scene(&s);
        mw_status found = follow(&s, scale, &cases->u.item[i], &n_off, &worst);
        CHECK(found == MW_OK && n_off == 0,
              "%s: %d numbers are off, a loss by up to %g %s", train->u.text,
              n_off, worst, s.ctx.message);
        close_scene(&s);
    }
    close_scene(&all);
}

/* ---- losses ---- */

enum { ROWS = 5, CLASSES = 7 };

static const char logits_model[] =
    "model m\ndim rows = 5\ndim classes = 7\nparam w : f64[rows, classes]\n"
    "y = exp(w) : f64[rows, classes]\noutput y\n";

static mw_status parse_train(scene *s, const char *text, const char *train,
                             const char *loss)
{
    mw_train_options options;
    mw_graph forward;
    MW_TRY(mw_train_options_read(&s->arena, train, loss, NULL, &options));
    MW_TRY(mw_graph_init(&forward, &s->arena, "m"));
    MW_TRY(mw_text_parse(&forward, "model", text));
    MW_TRY(mw_graph_init(&s->graph, &s->arena, "m"));
    MW_TRY(mw_train(&forward, &options, &s->graph));
    return stepper_open(&s->arena, &s->graph, &s->steps);
}

// The mean of -log softmax over labels that are not `ignore`, from the formula.
static double formula(const double *y, const int64_t *labels, int64_t ignore)
{
    double total = 0;
    int n = 0;
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int c = 0; c < CLASSES; c++)
            sum += exp(y[r * CLASSES + c] - y[r * CLASSES]);
        if (labels[r] == ignore)
            continue;
        total += log(sum) + y[r * CLASSES] - y[r * CLASSES + labels[r]];
        n++;
    }
    return n ? total / n : 0;
}

static void check_entropy(const char *loss, const int64_t labels[ROWS],
                          int64_t ignore)
{
    scene s;
    uint64_t seed = 3;
    double y[ROWS * CLASSES], got = (double)NAN;
    open_scene(&s);
    mw_status status = parse_train(&s, logits_model, "sgd,lr=0", loss);
    double *w = status == MW_OK ? stepper_input(&s.steps, "w") : NULL;
    int64_t *given = status == MW_OK ? stepper_input(&s.steps, "labels") : NULL;
    for (int i = 0; w && i < ROWS * CLASSES; i++) {
        w[i] = 3 * (double)(mw_test_random(&seed) >> 11) * 0x1p-53;
        y[i] = exp(w[i]);
    }
    if (given)
        memcpy(given, labels, ROWS * sizeof *labels);
    if (status == MW_OK)
        status = stepper_step(&s.steps, &got);
    CHECK(status == MW_OK && given && w &&
              fabs(got - formula(y, labels, ignore)) < 1e-12,
          "%s: got %g %s", loss, got, s.ctx.message);
    close_scene(&s);
}

static void entropy(void)
{
    static const int64_t all[ROWS] = {0, 6, 3, 3, 1};
    static const int64_t some[ROWS] = {-100, 6, -100, 3, 1};
    static const int64_t none[ROWS] = {-100, -100, -100, -100, -100};
    static const int64_t zero[ROWS] = {0, 6, 0, 3, 1};
    check_entropy("cross-entropy", all, -100);
    check_entropy("cross-entropy", some, -100);
    check_entropy("cross-entropy", none, -100);
    check_entropy("cross-entropy,ignore=0", zero, 0);
    check_entropy("cross-entropy:y", all, -100);
}

/* ---- what is refused ---- */

static const struct refused {
    const char *train, *loss, *part;
} refused[] = {
    {"adan", NULL, "optimizer 'adan' is unknown; did you mean 'adam'?"},
    {"adam,rl=1", NULL, "key 'rl' of adam is unknown"},
    {"adam,lr=1,clip=2,lr=1", NULL, "lr is given twice"},
    {"adam,lr=fast", NULL, "lr is 'fast', wanted a number"},
    {"adam,lr=-1", NULL, "lr is '-1', wanted a number of at least 0"},
    {"adam,schedule=cosin", NULL,
     "schedule 'cosin' is unknown; did you mean 'cosine'?"},
    {"adam,accumulate=0", NULL, "accumulate is '0'"},
    {"adam,weight_decay=1", NULL, "key 'weight_decay' of adam is unknown"},
    {"adam,warmup", NULL, "'warmup' is no KEY=VALUE"},
    {"sgd", "entropy", "'entropy' is neither a loss nor a tensor"},
    {"sgd", "y", "'y' is no single float"},
    {"sgd", "cross-entropy:z", "'z' is no tensor of the model"},
    {"sgd", "mse,ignore=x", "is followed by what is no ignore=N"},
    {"sgd", "c", "'c' depends on no weight"},
    {"sgd", "f", "opaque has no gradient"},
};

static const char refused_model[] =
    "model m\ndim rows = 5\ndim classes = 7\nparam w : f64[rows, classes]\n"
    "y = exp(w) : f64[rows, classes]\nconst k : f64[] = 1\n"
    "c = exp(k) : f64[]\no = opaque(w, kind=\"X\") : f64[rows, classes]\n"
    "f = reduce_sum(o) : f64[]\noutput y\noutput c\noutput f\n";

static void refusals(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const struct refused *row = &refused[i];
        scene s;
        open_scene(&s);
        mw_status status =
            parse_train(&s, refused_model, row->train, row->loss);
        CHECK(status != MW_OK && strstr(s.ctx.message, row->part),
              "%s %s: got '%s', want '%s'", row->train,
              row->loss ? row->loss : "", s.ctx.message, row->part);
        close_scene(&s);
    }
}

/* ---- the text of a training graph ---- */

static mw_status round_trip(scene *s, const char *train, bool *same)
{
    mw_graph again;
    MW_TRY(parse_train(s, logits_model, train, NULL));
    char *first = mw_text_print(&s->graph);
    if (!first)
        return MW_ENOMEM;
    MW_TRY(mw_graph_init(&again, &s->arena, "m"));
    MW_TRY(mw_text_parse(&again, "again", first));
    char *second = mw_text_print(&again);
    *same = second && strcmp(first, second) == 0;
    return second ? MW_OK : MW_ENOMEM;
}

static void text(void)
{
    for (int i = 0; i < mw_optimizer_count; i++) {
        static const char *const with[] = {"", ",clip=1,accumulate=3,warmup=2"};
        for (int k = 0; k < 2; k++) {
            scene s;
            char train[100];
            bool same = false;
            (void)snprintf(train, sizeof train, "%s%s",
                           mw_optimizer_table[i]->name, with[k]);
            open_scene(&s);
            mw_status status = round_trip(&s, train, &same);
            CHECK(status == MW_OK && same, "%s: %s", train, s.ctx.message);
            close_scene(&s);
        }
    }
}

/* ---- recomputation ---- */

enum { BLOCKS = 4, TEXT = 4000 };

// x + tanh(x v) w, several times.
static void write_blocks(char text[TEXT])
{
    int at = snprintf(text, TEXT,
                      "model m\ndim b = 6\ndim d = 3\ndim h = 8\n"
                      "input i : f64[b, d]\nx0 = exp(i) : f64[b, d]\n");
    for (int k = 0; k < BLOCKS; k++)
        at += snprintf(text + at, (size_t)(TEXT - at),
                       "param v%d : f64[d, h] = 0.0%d\n"
                       "param w%d : f64[h, d] = 0.1\n"
                       "p%d = einsum(x%d, v%d) : f64[b, h]\n"
                       "a%d = tanh(p%d) : f64[b, h]\n"
                       "c%d = einsum(a%d, w%d) : f64[b, d]\n"
                       "x%d = add(x%d, c%d) : f64[b, d]\n",
                       k, k + 3, k, k, k, k, k, k, k, k, k, k + 1, k, k);
    (void)snprintf(text + at, (size_t)(TEXT - at),
                   "e = log(x%d) : f64[b, d]\ny = reduce_sum(e) : f64[]\n"
                   "output y\n",
                   BLOCKS);
}

// The most bytes of results that live at one step.
static int64_t most_alive(scene *s)
{
    const mw_graph *graph = &s->graph;
    mw_life *life = MW_NEW_ARRAY(&s->arena, graph->n_tensors, mw_life);
    int64_t most = 0;
    if (!life)
        return -1;
    mw_lives(graph, life);
    for (int k = 0; k < graph->n_ops; k++) {
        int64_t alive = 0;
        for (mw_id t = 0; t < graph->n_tensors; t++)
            if (graph->tensor[t].role == MW_ROLE_VALUE && life[t].begin <= k &&
                k < life[t].end)
                alive += mw_tensor_bytes(&graph->tensor[t]);
        most = alive > most ? alive : most;
    }
    return most;
}

/* Of one way to recompute. */
typedef struct trial {
    double loss; /* after some steps */
    int64_t alive;
    int n_levels;
} trial;

static mw_status read_blocks(scene *s, const char *remat, mw_graph *forward,
                             mw_train_options *options)
{
    char text[TEXT];
    write_blocks(text);
    MW_TRY(
        mw_train_options_read(&s->arena, "adam,lr=0.05", "y", remat, options));
    MW_TRY(mw_graph_init(forward, &s->arena, "m"));
    return mw_text_parse(forward, "model", text);
}

static mw_status run_blocks(scene *s, trial *made)
{
    MW_TRY(mw_verify(&s->graph));
    MW_TRY(stepper_open(&s->arena, &s->graph, &s->steps));
    double *input = stepper_input(&s->steps, "i");
    for (int k = 0; k < 18; k++)
        input[k] = 0.1 * k;
    for (int k = 0; k < 5; k++)
        MW_TRY(stepper_step(&s->steps, &made->loss));
    made->alive = most_alive(s);
    return MW_OK;
}

static mw_status try_remat(scene *s, const char *remat, trial *made)
{
    mw_train_options options;
    mw_graph forward;
    MW_TRY(read_blocks(s, remat, &forward, &options));
    MW_TRY(mw_graph_init(&s->graph, &s->arena, "m"));
    MW_TRY(mw_train(&forward, &options, &s->graph));
    return run_blocks(s, made);
}

static mw_status try_level(scene *s, int level, trial *made)
{
    mw_train_options options;
    mw_graph forward;
    mw_remat remat;
    MW_TRY(read_blocks(s, "auto", &forward, &options));
    mw_graph step;
    MW_TRY(mw_graph_init(&step, &s->arena, "m"));
    MW_TRY(mw_train(&forward, &options, &step));
    MW_TRY(mw_remat_plan(&s->arena, &step, &remat));
    bool *again = MW_NEW_ARRAY(&s->arena, remat.n_candidates, bool);
    if (!again)
        return MW_ENOMEM;
    made->n_levels = mw_remat_levels(&remat);
    mw_remat_level(&remat, level, again);
    MW_TRY(mw_graph_init(&s->graph, &s->arena, "m"));
    MW_TRY(mw_remat_step(&remat, again, &s->graph));
    return run_blocks(s, made);
}

static void check_trial(const scene *s, mw_status status, const char *what,
                        int level, const trial *made, const trial *none)
{
    CHECK(status == MW_OK && (!none || (fabs(made->loss - none->loss) < 1e-12 &&
                                        made->alive <= none->alive)),
          "%s, level %d: loss %.17g, %lld bytes %s", what, level, made->loss,
          (long long)made->alive, s->ctx.message);
}

static trial check_remat(const char *remat, const trial *none)
{
    scene s;
    trial made = {0};
    open_scene(&s);
    mw_status status = try_remat(&s, remat, &made);
    check_trial(&s, status, remat, 0, &made, none);
    close_scene(&s);
    return made;
}

static trial check_level(int level, const trial *before)
{
    scene s;
    trial made = {0};
    open_scene(&s);
    mw_status status = try_level(&s, level, &made);
    check_trial(&s, status, "auto", level, &made, before);
    close_scene(&s);
    return made;
}

static void recomputed(void)
{
    trial none = check_remat("none", NULL);
    trial full = check_remat("full", &none);
    trial before = check_level(0, &none);
    int n_levels = before.n_levels;
    CHECK(n_levels == 2 * BLOCKS + 1, "%d levels of %d blocks", n_levels,
          BLOCKS);
    CHECK(full.alive < none.alive, "full takes %lld bytes, nothing %lld",
          (long long)full.alive, (long long)none.alive);
    for (int level = 1; level < n_levels; level++)
        before = check_level(level, &before);
    CHECK(before.alive == full.alive, "the last level takes %lld, full %lld",
          (long long)before.alive, (long long)full.alive);
}

const mw_suite mw_suite_train_graph = {
    "train_graph",
    {{"optimizers, schedules, clipping, accumulation follow optax", optax},
     {"cross-entropy", entropy},
     {"what is refused", refusals},
     {"the text of a training graph", text},
     {"what is computed again", recomputed}}};
