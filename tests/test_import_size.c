/* test_import_size.c - what importing and planning large models takes of
 * memory: weights beside the model are not read. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/gpt_onnx.h"
#include "tests/onnx_text.h"
#include "tests/test.h"

enum { PATH = 512, ARGS = 16, MIB = 1 << 20 };

static const struct row {
    const char *name;
    gpt_sizes sizes;
    const char *argv[ARGS]; /* behind the command; "" stands for the model */
    int64_t least_weights;  /* bytes; what the row is about */
    int64_t most;           /* bytes of memory */
    int most_by_file;       /* and for each byte of the file without weights */
} rows[] = {
    /* GPT-2 XL */
    {"xl",
     {48, 1600, 25, 50257, 1024},
     {"import", "", "--dim", "batch=1", "--dim", "seq=1024"},
     (int64_t)6 << 30,
     (int64_t)150 * MIB,
     12},
    {"xl",
     {48, 1600, 25, 50257, 1024},
     {"show", "", "--dim", "batch=3", "--dim", "seq=7", "--names"},
     (int64_t)6 << 30,
     (int64_t)150 * MIB,
     12},
    /* 100 GB of weights in few layers */
    {"wide",
     {4, 24576, 128, 50257, 1024},
     {"plan", "", "--dim", "batch=4", "--dim", "seq=128", "--mesh", "2x2",
      "--iterations", "1"},
     (int64_t)100 << 30,
     (int64_t)200 * MIB,
     0},
    {"small",
     {1, 8192, 64, 50257, 1024},
     {"plan", "", "--dim", "batch=4", "--dim", "seq=128", "--mesh", "2",
      "--check-ties", "--iterations", "1"},
     (int64_t)3 << 30,
     (int64_t)200 * MIB,
     0},
};

/* Kilobytes that a command had in memory at most; -1 when it failed. */
static int64_t peak_kilobytes(const char *const argv[])
{
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        (void)dup2(null, 1);
        (void)execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    int state = 0;
    struct rusage usage = {0};
    if (pid < 0 || wait4(pid, &state, 0, &usage) != pid || state != 0)
        return -1;
    return usage.ru_maxrss;
}

static void run_row(const struct row *row)
{
    char path[PATH];
    int64_t graph_bytes, weight_bytes;
    if (!gpt_onnx_write(row->name, &row->sizes, &graph_bytes, &weight_bytes)) {
        SKIP("import size, %s: no room for a sparse file", row->name);
        return;
    }
    CHECK(weight_bytes >= row->least_weights, "%s: %" PRId64 " bytes",
          row->name, weight_bytes);
    (void)snprintf(path, PATH, "%s/%s.onnx", mw_scratch_path(), row->name);
    const char *argv[ARGS + 2] = {mw_command_path()};
    for (int i = 0; row->argv[i]; i++)
        argv[i + 1] = row->argv[i][0] ? row->argv[i] : path;
    /* a child's peak begins with what its parent, with a sanitizer's memory,
     * held when it forked */
    const char *const nothing[] = {mw_command_path(), "--version", NULL};
    int64_t base = peak_kilobytes(nothing), peak = peak_kilobytes(argv);
    int64_t most = row->most + row->most_by_file * graph_bytes;
    CHECK(base > 0 && peak > 0 && peak * 1024 < base * 1024 + most,
          "%s %s: peak is %" PRId64 " kB, of a command that does nothing "
          "%" PRId64 " kB, wanted %" PRId64 " more",
          row->argv[0], row->name, peak, base, most / 1024);
    (void)snprintf(path, PATH, "%s/%s.bin", mw_scratch_path(), row->name);
    (void)unlink(path);
}

static void peaks(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        run_row(&rows[i]);
}

const mw_suite mw_suite_import_size = {"import_size",
                                       {{"peak of memory", peaks}}};
