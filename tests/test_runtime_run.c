/* test_runtime_run.c - the commands that run on ranks, from outside: plans by
 * lot, what they send counted by another, and jobs that go wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "ir/plan_json.h"
#include "runtime/launch.h"
#include "runtime/tensor_file.h"
#include "tests/plan_maker.h"
#include "tests/shell.h"
#include "tests/test.h"

#define MODEL "examples/gpt_tiny.onnx"
#define ARRAYS "examples/gpt_tiny.npz"

typedef struct fixture {
    mw_ctx ctx;
    mw_arena arena;
    char plan[512];
} fixture;

// A plan by lot for the mesh, in the scratch folder.
static bool open_fixture(fixture *f, const char *name, const char *mesh,
                         uint64_t seed)
{
    mw_ctx_init(&f->ctx);
    mw_arena_init(&f->arena, &f->ctx);
    (void)snprintf(f->plan, sizeof f->plan, "%s/%s.json", mw_scratch_path(),
                   name);
    mw_status status =
        plan_file_by_lot(&f->ctx, MODEL, ARRAYS, mesh, seed, f->plan);
    return CHECK(status == MW_OK, "plan for %s: %s: %s", mesh, f->ctx.where,
                 f->ctx.message);
}

static void close_fixture(fixture *f)
{
    mw_arena_free(&f->arena);
    mw_ctx_free(&f->ctx);
}

static bool shell(fixture *f, mw_shell *result, const char *format, ...)
    MW_PRINTF(3, 4);
static bool shell(fixture *f, mw_shell *result, const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return mw_shell_run(&f->arena, line, result);
}

static const mw_json *json_of(fixture *f, const char *text)
{
    const mw_json *root = NULL;
    mw_status status =
        mw_json_parse(&f->arena, "output", text, strlen(text), &root);
    CHECK(status == MW_OK, "%s: %s in %s", f->ctx.where, f->ctx.message, text);
    return root;
}

/* ---- what a run says ---- */

static bool same_figures(fixture *f, const mw_json *root)
{
    const mw_json *got = mw_json_find(root, "measured");
    const mw_json *want = mw_json_find(root, "predicted");
    static const char *const keys[] = {"bytes_sent", "peak_bytes"};
    bool same = got && want;
    for (int i = 0; same && i < 2; i++) {
        int64_t a = -1, b = -2;
        same = mw_json_get_int(&f->ctx, got, keys[i], &a) == MW_OK &&
               mw_json_get_int(&f->ctx, want, keys[i], &b) == MW_OK && a == b;
    }
    const mw_json *x = mw_json_find(got, "bytes_sent_by_rank");
    const mw_json *y = mw_json_find(want, "bytes_sent_by_rank");
    same = same && x && y && x->n == y->n;
    for (int64_t r = 0; same && r < x->n; r++)
        same = x->u.item[r].u.integer == y->u.item[r].u.integer;
    return same;
}

static void plans_by_lot(void)
{
    static const char *const meshes[] = {"1", "2", "3", "2x2", "2x1x2"};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        fixture f;
        mw_shell got;
        if (open_fixture(&f, "lot", meshes[i], 11 + i) &&
            shell(&f, &got,
                  "meshwright run %s --input " ARRAYS " --expect " ARRAYS
                  " --output $S/out --format json",
                  f.plan)) {
            CHECK(got.exit_status == 0 && got.err[0] == '\0',
                  "mesh %s: status %d, standard error '%s'", meshes[i],
                  got.exit_status, got.err);
            const mw_json *root = json_of(&f, got.out);
            bool passed = false;
            CHECK(root && same_figures(&f, root), "mesh %s: figures differ: %s",
                  meshes[i], got.out);
            CHECK(root &&
                      mw_json_get_bool(&f.ctx, mw_json_find(root, "expect"),
                                       "passed", &passed) == MW_OK &&
                      passed,
                  "mesh %s: outputs differ: %s", meshes[i], got.out);
            (void)shell(&f, &got,
                        "meshwright run %s --input " ARRAYS
                        " --expect $S/out/logits.npy",
                        f.plan);
            CHECK(got.exit_status == 0, "mesh %s: its own output: %s",
                  meshes[i], got.err);
        }
        close_fixture(&f);
    }
}

/* What an import warns of is told when a model is planned, and not again. */
static void told_once(void)
{
    fixture f;
    mw_shell got;
    mw_ctx_init(&f.ctx);
    mw_arena_init(&f.arena, &f.ctx);
    if (shell(&f, &got,
              "E=tests/data/edge/sym_clash_broadcast; "
              "meshwright plan $E.onnx --sizes-from $E.npz --mesh 2 "
              "-o $S/told.json 2>&1 >/dev/null | grep -c warning; "
              "meshwright run $S/told.json --input $E.npz --expect $E.npz"))
        CHECK(got.exit_status == 0 && got.out[0] == '1' && got.err[0] == '\0',
              "status %d: %s%s", got.exit_status, got.out, got.err);
    close_fixture(&f);
}

static void verified_plans(void)
{
    static const char *const meshes[] = {"1", "3", "2x2"};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        fixture f;
        mw_shell got;
        if (open_fixture(&f, "verified", meshes[i], 3 + i) &&
            shell(&f, &got, "meshwright verify %s --seed 7", f.plan))
            CHECK(got.exit_status == 0 && strstr(got.out, " 0 differ") &&
                      got.err[0] == '\0',
                  "mesh %s: %s%s", meshes[i], got.out, got.err);
        close_fixture(&f);
    }
}

static void strategies_are_counted(void)
{
    fixture f;
    mw_shell got;
    mw_ctx_init(&f.ctx);
    mw_arena_init(&f.arena, &f.ctx);
    if (shell(&f, &got,
              "meshwright verify tests/data/edge/softmax_over_split.onnx "
              "--sizes-from tests/data/edge/softmax_over_split.npz "
              "--all-strategies --format json")) {
        int64_t checked = 0, offered = -1;
        const mw_json *root = json_of(&f, got.out);
        CHECK(root && got.exit_status == 0 && got.err[0] == '\0' &&
                  mw_json_get_int(&f.ctx, root, "checked", &checked) == MW_OK &&
                  mw_json_get_int(&f.ctx, root, "offered", &offered) == MW_OK &&
                  checked == offered && checked > 0,
              "%lld of %lld: %s%s", (long long)checked, (long long)offered,
              got.out, got.err);
    }
    close_fixture(&f);
}

/* A text's parameter lies in a file beside it; y = x w,
 * w = 0 … 5. */
static void values_in_files(void)
{
    static const char model[] =
        "model m\ndim a = 2\ndim b = 3\n"
        "input x : f32[a]\n"
        "param w : f32[a, b] = \"plain.safetensors:t_float32\"\n"
        "y = einsum(x, w) : f32[b]\noutput y\n";
    static const float x[2] = {10, 1};
    const mw_array array = {
        .dtype = MW_F32, .rank = 1, .size = {2}, .bytes = sizeof x};
    fixture f;
    mw_shell got;
    char path[512], input[512];
    mw_ctx_init(&f.ctx);
    mw_arena_init(&f.arena, &f.ctx);
    (void)snprintf(f.plan, sizeof f.plan, "%s/stored.json", mw_scratch_path());
    (void)snprintf(path, sizeof path, "%s/stored.mw", mw_scratch_path());
    (void)snprintf(input, sizeof input, "%s/stored-x.npy", mw_scratch_path());
    CHECK(mw_file_write(&f.ctx, path, model, strlen(model)) == MW_OK &&
              mw_npy_write(&f.ctx, input, &array, x) == MW_OK &&
              plan_file_by_lot(&f.ctx, path, NULL, "2", 5, f.plan) == MW_OK,
          "%s: %s", f.ctx.where, f.ctx.message);
    if (shell(&f, &got,
              "cp tests/data/arrays/plain.safetensors $S; "
              "meshwright run %s --input x=%s --output $S/stored",
              f.plan, input)) {
        static const float want[3] = {3, 14, 25};
        const void *y = NULL;
        mw_tensor_file *file = NULL;
        (void)snprintf(path, sizeof path, "%s/stored/y.npy", mw_scratch_path());
        CHECK(got.exit_status == 0, "status %d: %s", got.exit_status, got.err);
        CHECK(mw_tensor_file_open(&f.ctx, &f.arena, path, &file) == MW_OK &&
                  mw_tensor_file_data(file, 0, &y) == MW_OK,
              "%s: %s", f.ctx.where, f.ctx.message);
        for (int i = 0; y && i < 3; i++)
            CHECK(((const float *)y)[i] == want[i], "y[%d] is %g, want %g", i,
                  (double)((const float *)y)[i], (double)want[i]);
        mw_tensor_file_close(file);
    }
    close_fixture(&f);
}

/* An index outside the table ends a run, whoever holds the rows; the last row
 * and the first from behind do not. */
static void indices(void)
{
    static const struct {
        const char *type, *index, *mesh;
        int status;
        const char *want;
    } rows[] = {
        {"i64", "{0, 4, -5}", "1", 0, ""},
        {"u64", "{0, 4, 3}", "3", 0, ""},
        {"i64", "{0, 5, 1}", "1", 5, "index 5 where the table has 5 rows"},
        {"i64", "{0, 1, 5}", "3", 5, "index 5 where the table has 5 rows"},
        {"i32", "{-6, 1, 0}", "2x2", 5, "index -6 where the table has 5 rows"},
        {"u8", "{1, 0, 255}", "2", 5, "index 255 where the table has 5 rows"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        mw_shell got;
        char path[512], model[512];
        mw_ctx_init(&f.ctx);
        mw_arena_init(&f.arena, &f.ctx);
        (void)snprintf(f.plan, sizeof f.plan, "%s/index.json",
                       mw_scratch_path());
        (void)snprintf(path, sizeof path, "%s/index.mw", mw_scratch_path());
        int length =
            snprintf(model, sizeof model,
                     "model m\ndim rows = 5\ndim n = 3\ndim d = 2\n"
                     "input w : f32[rows, d]\nparam i : %s[n] = %s\n"
                     "y = gather(w, i, dim=rows) : f32[n, d]\noutput y\n",
                     rows[i].type, rows[i].index);
        CHECK(mw_file_write(&f.ctx, path, model, (size_t)length) == MW_OK &&
                  plan_file_by_lot(&f.ctx, path, NULL, rows[i].mesh, i,
                                   f.plan) == MW_OK,
              "%s: %s", f.ctx.where, f.ctx.message);
        if (shell(&f, &got, "meshwright run %s", f.plan))
            CHECK(got.exit_status == rows[i].status &&
                      strstr(got.err, rows[i].want),
                  "%s on %s: status %d: %s", rows[i].index, rows[i].mesh,
                  got.exit_status, got.err);
        close_fixture(&f);
    }
}

/* ---- figures changed by hand ---- */

// A figure of an object, the last of a list of figures, or what the first
// collective in an array of objects sends.
static mw_json *figure(const mw_json *root, const char *object, const char *key)
{
    const mw_json *in = mw_json_find(root, object), *found = NULL;
    if (!in || in->kind != MW_JSON_ARRAY) {
        found = mw_json_find(in, key);
        if (found && found->kind == MW_JSON_ARRAY)
            found = &found->u.item[found->n - 1];
    }
    for (int64_t i = 0; in && in->kind == MW_JSON_ARRAY && i < in->n; i++) {
        const mw_json *moves = mw_json_find(&in->u.item[i], key);
        if (!found && moves && moves->n > 0)
            found = mw_json_find(&moves->u.item[0], "bytes_sent");
    }
    return (mw_json *)(uintptr_t)found;
}

// A copy of a document with one integer one higher, its digest made anew.
static mw_status change(fixture *f, const char *object, const char *key)
{
    const mw_json *root, *digest;
    char hex[MW_SHA256_HEX];
    MW_TRY(mw_json_read(&f->arena, f->plan, &root));
    mw_json *found = figure(root, object, key);
    if (!found)
        return mw_fail(&f->ctx, MW_EINPUT, "no %s in %s", key, object);
    found->u.integer++;
    MW_TRY(mw_plan_digest(&f->ctx, root, hex));
    MW_TRY(mw_json_member(&f->ctx, root, "digest", &digest));
    ((mw_json *)(uintptr_t)digest)->u.text = hex;
    mw_text text;
    mw_json_out out;
    mw_text_init(&text, &f->ctx);
    mw_json_out_init(&out, &text);
    mw_json_put(&out, NULL, root);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        status = mw_file_write(&f->ctx, f->plan, text.data, text.length);
    mw_text_free(&text);
    return status;
}

static void changed_figures(void)
{
    static const struct {
        const char *object, *key, *want;
    } rows[] = {{"predicted", "bytes_sent", "the most that a rank sent"},
                {"predicted", "bytes_sent_by_rank", "rank 2 sent"},
                {"predicted", "peak_bytes", "the arena took"},
                {"ops", "collectives", "].collectives[0]: the most that"},
                {"reshards", "steps", "].steps[0]: the most that"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        mw_shell got;
        if (open_fixture(&f, "changed", "3", 21) &&
            CHECK(change(&f, rows[i].object, rows[i].key) == MW_OK, "%s: %s",
                  rows[i].key, f.ctx.message) &&
            shell(&f, &got, "meshwright run %s", f.plan))
            CHECK(got.exit_status == 1 && strstr(got.err, rows[i].want),
                  "%s: status %d: %s", rows[i].key, got.exit_status, got.err);
        close_fixture(&f);
    }
}

/* A plan of direct ways on uneven blocks, in shared memory and by messages:
 * its bytes are right, and one volume that is wrong is found. */
static void both_transports(void)
{
    static const char *const transports[] = {
        "", "OMPI_MCA_osc_sm_backing_directory=/nowhere "};
    for (int ranks = 2; ranks <= 4; ranks++) {
        fixture f;
        mw_shell got;
        bool made =
            open_fixture(&f, "transports", "2", 21) &&
            shell(&f, &got,
                  "meshwright plan mlp --set layers=3 --set hidden=37 --set "
                  "batch=19 --mesh %d --train sgd --loss mse --pick %s -o %s",
                  ranks, ranks == 3 ? "zero2" : "data_parallel", f.plan) &&
            CHECK(got.exit_status == 0, "%s", got.err) &&
            shell(&f, &got, "grep -c direct %s", f.plan) &&
            CHECK(got.exit_status == 0, "%d ranks: no direct way", ranks);
        for (int wrong = 0; made && wrong < 2; wrong++) {
            if (wrong && !CHECK(change(&f, "ops", "collectives") == MW_OK, "%s",
                                f.ctx.message))
                break;
            for (size_t t = 0; t < 2; t++)
                if (shell(&f, &got, "%smeshwright run %s", transports[t],
                          f.plan))
                    CHECK(got.exit_status == wrong,
                          "%d ranks, transport %zu, wrong %d: status %d: %s%s",
                          ranks, t, wrong, got.exit_status, got.out, got.err);
        }
        close_fixture(&f);
    }
}

/* ---- counted by another ---- */

static void check_watched(fixture *f, const mw_json *root, int rank)
{
    char path[512];
    char *text;
    size_t size;
    long windows = 0, other = -1, allocations = -1;
    long long bytes = -1;
    (void)snprintf(path, sizeof path, "%s/watch.%d", mw_scratch_path(), rank);
    if (!CHECK(mw_file_read(&f->arena, path, &text, &size) == MW_OK, "%s",
               f->ctx.message))
        return;
    int n = sscanf(text, "%ld %lld %ld %ld", &windows, &bytes, &other,
                   &allocations);
    const mw_json *planned =
        mw_json_find(mw_json_find(root, "predicted"), "bytes_sent_by_rank");
    CHECK(n == 4 && planned && windows == 3 && other == 0 &&
              bytes == windows * planned->u.item[rank].u.integer,
          "rank %d sent %s", rank, text);
    CHECK(allocations == 0, "rank %d allocated within its steps: %s", rank,
          text);
}

/* An LD_PRELOADed library counts bytes at MPI and calls of malloc. Without a
 * folder for shared windows all goes by messages, where they can be counted. */
static void watched(void)
{
    const char *mode = getenv("MODE");
    if (mode && strcmp(mode, "release") != 0 && strcmp(mode, "debug") != 0) {
        SKIP("runtime_run/watched: %s has an allocator of its own", mode);
        return;
    }
    for (int threads = 1; threads <= 2; threads++) {
        fixture f;
        mw_shell got;
        if (open_fixture(&f, "watched", "2x2", 31) &&
            shell(&f, &got,
                  "rm -f $S/watch.*; mpirun -n 4 --bind-to none "
                  "-x LD_PRELOAD=$(dirname %s)/tests/watch.so "
                  "-x MW_WATCH=$S/watch "
                  "-x OMPI_MCA_osc_sm_backing_directory=/nowhere "
                  "%s run %s --repeat 3 --threads %d "
                  "--oversubscribe --format json",
                  mw_command_path(), mw_command_path(), f.plan, threads)) {
            CHECK(got.exit_status == 0, "status %d: %s", got.exit_status,
                  got.err);
            const mw_json *root = json_of(&f, got.out);
            for (int rank = 0; root && rank < 4; rank++)
                check_watched(&f, root, rank);
        }
        close_fixture(&f);
    }
}

// An event lies within the run, and says its rank.
static bool good_event(fixture *f, const mw_json *event, double *compute_s)
{
    const char *kind = "", *category = "";
    double at = -1, length = -1;
    int64_t rank = -1;
    bool good = mw_json_get_text(&f->ctx, event, "ph", &kind) == MW_OK &&
                mw_json_get_int(&f->ctx, event, "pid", &rank) == MW_OK &&
                rank >= 0 && rank < 4;
    if (!good || strcmp(kind, "X") != 0)
        return good;
    good = mw_json_get_text(&f->ctx, event, "cat", &category) == MW_OK &&
           mw_json_get_real(&f->ctx, event, "ts", &at) == MW_OK &&
           mw_json_get_real(&f->ctx, event, "dur", &length) == MW_OK;
    if (good && strcmp(category, "compute") == 0)
        compute_s[rank] += length;
    return good && at >= 0 && length >= 0;
}

static void traced(void)
{
    fixture f;
    mw_shell got;
    char path[512];
    const mw_json *root = NULL, *events = NULL;
    double compute_s[4] = {0};
    (void)snprintf(path, sizeof path, "%s/trace.json", mw_scratch_path());
    if (open_fixture(&f, "traced", "2x2", 23) &&
        shell(&f, &got,
              "meshwright run %s --repeat 2 --trace %s >$S/traced.out", f.plan,
              path) &&
        CHECK(got.exit_status == 0 && got.err[0] == '\0' &&
                  mw_json_read(&f.arena, path, &root) == MW_OK &&
                  mw_json_get_array(&f.ctx, root, "traceEvents", &events) ==
                      MW_OK,
              "status %d: %s%s", got.exit_status, got.err, f.ctx.message)) {
        bool good = true;
        for (int64_t i = 0; i < events->n; i++)
            good = good && good_event(&f, &events->u.item[i], compute_s);
        for (int r = 0; r < 4; r++)
            good = good && compute_s[r] > 0;
        CHECK(good, "of %lld events one does not fit", (long long)events->n);
        (void)shell(&f, &got, "meshwright run %s --trace $S/no/trace.json",
                    f.plan);
        CHECK(got.exit_status == 5 && strstr(got.err, "no/trace.json"),
              "status %d: %s", got.exit_status, got.err);
    }
    close_fixture(&f);
}

/* Ranks that a launcher binds to a core each have one each. */
static void bound(void)
{
    fixture f;
    mw_shell got;
    if (open_fixture(&f, "bound", "2", 3) &&
        shell(&f, &got,
              "mpirun -n 2 --bind-to core %s run %s --format json; "
              "[ $(nproc) -lt 2 ] || echo enough",
              mw_command_path(), f.plan))
        CHECK(!strstr(got.out, "enough") ||
                  strstr(got.out, "\"oversubscribed\": false"),
              "%s%s", got.out, got.err);
    close_fixture(&f);
}

/* ---- what goes wrong ---- */

static void refused(void)
{
    static const struct {
        const char *line; /* %s: the plan, for 4 ranks */
        int status;
        const char *want;
    } rows[] = {
        {"mpirun -n 2 --bind-to none $M run %s", 2,
         "the plan is for 4 ranks where mpirun started 2"},
        {"$M run %s --threads 1000", 2, "--oversubscribe allows it"},
        {"$M run %s --threads 1025 --oversubscribe", 2,
         "wanted an integer from 1 to 1024"},
        {"$M run %s >/dev/full", 5, "standard output: cannot be written"},
        {"$M run %s --input nothing=$S/none.npy", 2, "no input of that name"},
        {"$M run %s --input " ARRAYS " --expect $S/none.npz", 3, "none.npz"},
        {"$M run %s --weights " ARRAYS, 3, "called like a parameter"},
        {"$M run $S/none.json", 3, "none.json"},
        {"cp %s $S/edited.json; sed -i 's/\"scope\": \"tensor\"/"
         "\"scope\": \"global\"/' $S/edited.json; $M run $S/edited.json",
         3, "digest"},
        {"$M plan tests/data/edge/unknown_op_domain.onnx --mesh 2 --opaque "
         "com.acme::FusedThing -o $S/opaque.json; $M run $S/opaque.json",
         3, "not run"},
        {"mkdir -p $S/elsewhere; cp %s $S/elsewhere; "
         "export LSAN_OPTIONS=suppressions=$PWD/tools/lsan.txt; "
         "cd $S/elsewhere; $M run refused.json",
         3, "gpt_tiny.onnx"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        mw_shell got;
        char line[1024];
        if (open_fixture(&f, "refused", "4", 41)) {
            (void)snprintf(
                line, sizeof line,
                strstr(rows[i].line, "%s") ? "%.*s%s%s" : "%.*s",
                strstr(rows[i].line, "%s")
                    ? (int)(strstr(rows[i].line, "%s") - rows[i].line)
                    : (int)strlen(rows[i].line),
                rows[i].line, f.plan,
                strstr(rows[i].line, "%s") ? strstr(rows[i].line, "%s") + 2
                                           : "");
            if (shell(&f, &got, "M=$(realpath %s); S=$(realpath $S); %s",
                      mw_command_path(), line))
                CHECK(got.exit_status == rows[i].status &&
                          strstr(got.err, rows[i].want),
                      "%s: status %d: %s", rows[i].line, got.exit_status,
                      got.err);
        }
        close_fixture(&f);
    }
}

/* Starts a job that runs for ever, waits until its rank 1 is there, does
 * something, and tells how it ended and after how many seconds. */
#define ENDLESS                                                                \
    "%s run %s --repeat 1000000 & job=$!; rank=; "                             \
    "while [ -z \"$rank\" ] && kill -0 $job 2>/dev/null; do "                  \
    "for e in /proc/[0-9]*/environ; do d=${e%%/environ}; "                     \
    "grep -qz '^OMPI_COMM_WORLD_RANK=1$' $e 2>/dev/null && "                   \
    "grep -qz '%s' $d/cmdline 2>/dev/null && rank=${d#/proc/}; done; done; "   \
    "begin=$(date +%%s); %s; wait $job; status=$?; "                           \
    "[ $(($(date +%%s) - begin)) -le 10 ] || echo slow; "                      \
    "ls /dev/shm /tmp | grep \"^meshwright-$job-\"; exit $status"

/* M04: the job ends within 10 s, names the rank, and leaves nothing behind. */
static void ended_jobs(void)
{
    static const struct {
        const char *name, *action, *want;
        int status;
    } rows[] = {
        {"killed", "kill -9 $rank", "rank 1: ended by signal 9", 5},
        {"told", "kill -TERM $rank", "rank 1: ended by signal 15", 5},
        {"asked", "kill -TERM $job", "", 143},
        {"hangup", "kill -HUP $job", "", 129},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fixture f;
        mw_shell got;
        if (open_fixture(&f, rows[i].name, "3", 51) &&
            shell(&f, &got, ENDLESS, mw_command_path(), f.plan, f.plan,
                  rows[i].action))
            CHECK(got.exit_status == rows[i].status &&
                      strstr(got.err, rows[i].want) && got.out[0] == '\0',
                  "%s: status %d: %s%s", rows[i].name, got.exit_status, got.out,
                  got.err);
        close_fixture(&f);
    }
}

/* What a launcher left that was killed itself goes with the next job; what a
 * living one holds stays. */
static void abandoned_folders(void)
{
    fixture f;
    mw_shell got;
    if (open_fixture(&f, "abandoned", "2", 71) &&
        shell(&f, &got,
              "p=/dev/shm/meshwright-$$; mkdir $p-aaaaaa $p-bbbbbb; "
              "touch $p-aaaaaa/segment $p-bbbbbb/segment; "
              "touch -d '1 hour ago' $p-aaaaaa $p-bbbbbb; "
              "flock $p-bbbbbb %s run %s >/dev/null; status=$?; "
              "(cd /dev/shm; echo ${p#/dev/shm/}-*); "
              "rm -r $p-bbbbbb; exit $status",
              mw_command_path(), f.plan))
        CHECK(got.exit_status == 0 && strstr(got.out, "bbbbbb") &&
                  !strstr(got.out, "aaaaaa"),
              "status %d: %s%s", got.exit_status, got.out, got.err);
    close_fixture(&f);
}

/* The least time of several runs that sum 1 MiB over so many ranks. */
static double time_of_sum(int ranks, double *coreless_s)
{
    static const char model[] = "model sum\ndim k = 8\ndim n = 262144\n"
                                "input x : f32[k, n]\n"
                                "y = reduce_sum(x) : f32[n]\noutput y\n";
    fixture f;
    mw_shell got;
    char path[512];
    double time_s = 0;
    mw_ctx_init(&f.ctx);
    mw_arena_init(&f.arena, &f.ctx);
    (void)snprintf(path, sizeof path, "%s/sum.mw", mw_scratch_path());
    CHECK(mw_file_write(&f.ctx, path, model, strlen(model)) == MW_OK, "%s",
          f.ctx.message);
    if (shell(&f, &got,
              "meshwright plan %s --mesh %d --rule k=m0 -o $S/sum.json "
              ">$S/sum.out && meshwright run $S/sum.json --repeat 20 --format "
              "json",
              path, ranks)) {
        const mw_json *root = json_of(&f, got.out);
        bool yields = false;
        CHECK(root && got.exit_status == 0 && got.err[0] == '\0' &&
                  mw_json_get_real(&f.ctx, mw_json_find(root, "measured"),
                                   "time_min_s", &time_s) == MW_OK &&
                  mw_json_get_real(&f.ctx, mw_json_find(root, "measured"),
                                   "coreless_s", coreless_s) == MW_OK,
              "%d ranks: %s", ranks, got.err);
        /* M07 */
        CHECK(root &&
                  mw_json_get_bool(&f.ctx, root, "yields", &yields) == MW_OK &&
                  yields,
              "%d ranks do not yield", ranks);
    }
    close_fixture(&f);
    return time_s;
}

/* M06: more ranks than cores are slow, not hopeless, and said to be. */
static void many_ranks(void)
{
    double away = 0, two = time_of_sum(2, &away), eight = time_of_sum(8, &away);
    CHECK(mw_job_cores() >= 8 || away > 0, "8 ranks had a core each");
    CHECK(eight <= 50 * two, "8 ranks took %g s, 2 ranks %g s", eight, two);
}

const mw_suite mw_suite_runtime_run = {
    "runtime_run",
    {{"plans by lot", plans_by_lot},
     {"told once", told_once},
     {"verified plans", verified_plans},
     {"strategies are counted", strategies_are_counted},
     {"values in files", values_in_files},
     {"indices", indices},
     {"changed figures", changed_figures},
     {"both transports", both_transports},
     {"watched", watched},
     {"traced", traced},
     {"bound to cores", bound},
     {"refused", refused},
     {"ended jobs", ended_jobs},
     {"abandoned folders", abandoned_folders},
     {"many ranks", many_ranks}}};
