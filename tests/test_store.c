/* test_store.c - measured figures survive the store, crowds and kills. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "db/store.h"
#include "tests/test.h"

enum { N_SAMPLES = 60, CROWD = 8, KILLS = 200 };

static const char *scratch_file(char path[1024], const char *name)
{
    (void)snprintf(path, 1024, "%s/%s", mw_scratch_path(), name);
    char beside[1040];
    const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(beside, sizeof beside, "%s%s", path, ends[i]);
        (void)unlink(beside);
    }
    return path;
}

/* Every figure follows from `mark`, so that a mixture of two saves shows. */
typedef struct figures {
    mw_kernel_sample kernel[N_SAMPLES];
    mw_collective_sample collective[N_SAMPLES];
    char key[N_SAMPLES][16];
    mw_measured measured;
    mw_machine machine;
} figures;

static void make_figures(figures *f, int mark, const char *fingerprint)
{
    memset(f, 0, sizeof *f);
    for (int i = 0; i < N_SAMPLES; i++) {
        (void)snprintf(f->key[i], sizeof f->key[i], "A>A %d", i + 1);
        f->kernel[i] = (mw_kernel_sample){.op = "add",
                                          .dtype = MW_F32,
                                          .key = f->key[i],
                                          .flops = i + 1,
                                          .bytes = 12.0 * (i + 1),
                                          .seconds = mark + i};
        f->collective[i] = (mw_collective_sample){.kind = MW_ALL_REDUCE,
                                                  .ranks = 2,
                                                  .stride = 1,
                                                  .bytes = 4 * (i + 1),
                                                  .seconds = mark + i};
    }
    f->measured = (mw_measured){.fingerprint = fingerprint,
                                .taken = "2026-01-01T00:00:00Z",
                                .threads = 1,
                                .ranks = 2,
                                .n_kernels = N_SAMPLES,
                                .n_collectives = N_SAMPLES,
                                .kernel = f->kernel,
                                .collective = f->collective};
    f->machine = (mw_machine){.name = "here",
                              .brief = "a machine",
                              .source = "a test",
                              .memory_bytes_per_s = 1e9,
                              .memory_bytes = 1 << 30,
                              .overhead_bytes = mark,
                              .n_levels = 1,
                              .level = {{"host", 0, 1e-6, 1e9, 0}}};
    f->machine.flops_per_s[MW_F32] = 1e9;
}

static mw_status save(mw_ctx *ctx, const char *path, figures *f)
{
    mw_store *store;
    MW_TRY(mw_store_open(ctx, path, MW_STORE_WRITE, &store));
    mw_status status = mw_store_save_measured(store, &f->machine, &f->measured);
    mw_store_close(store);
    return status;
}

/* The mark of what is stored; -1: none; -2: not one save's figures. */
static int stored_mark(mw_ctx *ctx, const char *path, const char *fingerprint)
{
    mw_store *store;
    if (mw_store_open(ctx, path, MW_STORE_READ, &store) != MW_OK)
        return -1;
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_machine machine;
    int mark = -1;
    if (mw_store_load_measured(store, &arena, fingerprint, 2, 1, &machine) ==
        MW_OK) {
        const mw_measured *m = machine.measured;
        mark = m->n_kernels == N_SAMPLES && m->n_collectives == N_SAMPLES
                   ? (int)m->kernel[0].seconds
                   : -2;
        if (machine.overhead_bytes != mark)
            mark = -2;
        for (int i = 0; mark >= 0 && i < N_SAMPLES; i++)
            if (m->kernel[i].seconds != mark + i ||
                m->collective[i].seconds != mark + i)
                mark = -2;
    }
    mw_arena_free(&arena);
    mw_store_close(store);
    return mark;
}

static void save_and_load(void)
{
    char path[1024];
    (void)scratch_file(path, "store.db");
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    figures *f = malloc(sizeof *f);
    for (int mark = 5; f && mark <= 6; mark++) {
        make_figures(f, mark, "cpu; kernels 1");
        CHECK(save(&ctx, path, f) == MW_OK, "save %d: %s", mark, ctx.message);
        CHECK(stored_mark(&ctx, path, "cpu; kernels 1") == mark,
              "mark %d replaces the last", mark);
    }
    mw_store *store = NULL;
    CHECK(mw_store_open(&ctx, path, MW_STORE_READ, &store) == MW_OK, "open: %s",
          ctx.message);
    mw_store_info info = {0};
    CHECK(mw_store_info_of(store, &info) == MW_OK, "info: %s", ctx.message);
    CHECK(info.version == MW_STORE_VERSION, "version %lld",
          (long long)info.version);
    CHECK(info.n_profiles == 1 && info.n_kernels == N_SAMPLES,
          "%lld profiles, %lld kernels", (long long)info.n_profiles,
          (long long)info.n_kernels);
    CHECK(mw_store_check(store) == MW_OK, "whole: %s", ctx.message);
    mw_store_close(store);
    free(f);
    mw_ctx_free(&ctx);
}

/* Figures of another machine, rank count or version are refused by name. */
static void other_machine(void)
{
    static const struct row {
        const char *fingerprint;
        int64_t ranks;
        int threads;
        const char *want;
    } rows[] = {
        {"other cpu; kernels 1", 2, 1, "another machine"},
        {"cpu; kernels 2", 2, 1, "other versions"},
        {"cpu; kernels 1", 4, 1, "wanted 4 of 1"},
        {"cpu; kernels 1", 2, 3, "wanted 2 of 3"},
    };
    char path[1024];
    (void)scratch_file(path, "other.db");
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    figures *f = malloc(sizeof *f);
    if (f)
        make_figures(f, 1, "cpu; kernels 1");
    CHECK(f && save(&ctx, path, f) == MW_OK, "save: %s", ctx.message);
    free(f);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_store *store = NULL;
    CHECK(mw_store_open(&ctx, path, MW_STORE_READ, &store) == MW_OK, "open");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_machine machine;
        mw_status status =
            mw_store_load_measured(store, &arena, rows[i].fingerprint,
                                   rows[i].ranks, rows[i].threads, &machine);
        CHECK(status == MW_EINPUT && strstr(ctx.message, rows[i].want) &&
                  strstr(ctx.message, "meshwright profile"),
              "%s, %lld ranks: %s", rows[i].fingerprint,
              (long long)rows[i].ranks, ctx.message);
        mw_ctx_clear(&ctx);
    }
    mw_store_close(store);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void bad_files(void)
{
    char path[1024];
    (void)scratch_file(path, "bad.db");
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_store *store = NULL;
    CHECK(mw_store_open(&ctx, path, MW_STORE_READ, &store) == MW_EINPUT,
          "no file: %s", ctx.message);
    CHECK(strstr(ctx.where, "bad.db") != NULL, "no file: named '%s'",
          ctx.where);
    mw_ctx_clear(&ctx);
    CHECK(mw_file_write(&ctx, path, "not a database, but long enough", 31) ==
              MW_OK,
          "write");
    for (int mode = 0; mode < 2; mode++) {
        CHECK(mw_store_open(&ctx, path, (mw_store_mode)mode, &store) ==
                  MW_EINPUT,
              "text file, mode %d: %s", mode, ctx.message);
        mw_ctx_clear(&ctx);
    }
    CHECK(mw_store_open(&ctx, "/nonexistent/folder/x.db", MW_STORE_WRITE,
                        &store) == MW_ERUN,
          "no folder: %s", ctx.message);
    mw_ctx_free(&ctx);
}

/* Runs body in a process of its own; 0 when it went well. */
static pid_t child(const char *path, int mark, bool forever)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    static figures f;
    mw_status status = MW_OK;
    do {
        make_figures(&f, mark, "cpu");
        status = save(&ctx, path, &f);
        mark += 1000;
    } while (forever && status == MW_OK);
    _exit(status == MW_OK ? 0 : 1);
}

/* Many processes make and fill one store at once (known fault D01). */
static void crowd(void)
{
    char path[1024];
    (void)scratch_file(path, "crowd.db");
    pid_t pid[CROWD];
    for (int i = 0; i < CROWD; i++)
        pid[i] = child(path, i + 1, false);
    for (int i = 0; i < CROWD; i++) {
        int how = -1;
        (void)waitpid(pid[i], &how, 0);
        CHECK(how == 0, "process %d of %d: status %d", i, CROWD, how);
    }
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    int mark = stored_mark(&ctx, path, "cpu");
    CHECK(mark >= 1 && mark <= CROWD, "stored %d: %s", mark, ctx.message);
    mw_ctx_free(&ctx);
}

/* A store is read where nothing may be written; nobody is asked to. */
static void read_only_folder(void)
{
    /* Outside the checkout, which may lie in a folder closed to others. */
    char folder[] = "/tmp/meshwright-test-XXXXXX", path[64];
    if (!mkdtemp(folder)) {
        SKIP("store: read-only folder: /tmp takes no folder");
        return;
    }
    (void)snprintf(path, sizeof path, "%s/store.db", folder);
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    figures *f = malloc(sizeof *f);
    if (f)
        make_figures(f, 7, "cpu");
    CHECK(f && save(&ctx, path, f) == MW_OK, "save: %s", ctx.message);
    free(f);
    (void)chmod(path, 0444);
    (void)chmod(folder, 0555);
    pid_t pid = fork();
    if (pid == 0) {
        if (geteuid() == 0 && seteuid(65534) != 0)
            _exit(3);
        _exit(stored_mark(&ctx, path, "cpu") == 7 ? 0 : 1);
    }
    int how = -1;
    (void)waitpid(pid, &how, 0);
    CHECK(how == 0, "reader without rights: status %d", how);
    (void)chmod(folder, 0755);
    (void)unlink(path);
    (void)rmdir(folder);
    mw_ctx_free(&ctx);
}

/* Killed while saving: the old figures or the new, never neither (D03). */
static void kills(void)
{
    char path[1024];
    (void)scratch_file(path, "kill.db");
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    figures *f = malloc(sizeof *f);
    if (f)
        make_figures(f, 1, "cpu");
    CHECK(f && save(&ctx, path, f) == MW_OK, "save: %s", ctx.message);
    free(f);
    uint64_t random = 3;
    int bad = 0;
    for (int i = 0; i < KILLS; i++) {
        pid_t pid = child(path, i + 1, true);
        struct timespec nap = {0, (long)(mw_test_random(&random) % 12000000)};
        (void)nanosleep(&nap, NULL);
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
        mw_ctx_clear(&ctx);
        if (stored_mark(&ctx, path, "cpu") < 0)
            bad++;
    }
    CHECK(bad == 0, "%d of %d kills left a broken store: %s", bad, KILLS,
          ctx.message);
    mw_store *store = NULL;
    CHECK(mw_store_open(&ctx, path, MW_STORE_WRITE, &store) == MW_OK &&
              mw_store_check(store) == MW_OK,
          "whole after the kills: %s", ctx.message);
    mw_store_close(store);
    mw_ctx_free(&ctx);
}

static void runs(void)
{
    char path[1024];
    (void)scratch_file(path, "runs.db");
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_store *store = NULL;
    CHECK(mw_store_open(&ctx, path, MW_STORE_WRITE, &store) == MW_OK, "open");
    const mw_store_run run = {.model = "gpt",
                              .model_sha256 = "aa",
                              .plan_digest = "bb",
                              .fingerprint = "cpu",
                              .ranks = 4,
                              .bytes_sent = 10,
                              .peak_bytes = 20,
                              .planned_s = 1,
                              .measured_s = 2};
    for (int i = 0; i < 2; i++)
        CHECK(mw_store_add_run(store, &run) == MW_OK, "run %d: %s", i,
              ctx.message);
    mw_store_info info = {0};
    CHECK(mw_store_info_of(store, &info) == MW_OK && info.n_models == 1 &&
              info.n_plans == 1 && info.n_runs == 2,
          "%lld models, %lld plans, %lld runs", (long long)info.n_models,
          (long long)info.n_plans, (long long)info.n_runs);
    mw_store_close(store);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_store = {"store",
                                 {{"save and load", save_and_load},
                                  {"another machine", other_machine},
                                  {"bad files", bad_files},
                                  {"a crowd", crowd},
                                  {"read-only folder", read_only_folder},
                                  {"kills", kills},
                                  {"runs", runs}}};
