/*
 * test.h - what a test suite uses.
 *
 * A suite is one file: tests/test_NAME.c exports
 *
 *     const mw_suite mw_suite_NAME = {"NAME", {{"title", function}, ...}};
 *
 * and tests/mpitest_NAME.c exports mw_mpi_suite_NAME, which runs on 1, 2, 3
 * and 4 ranks, all ranks running all of it. CUnit holds the suites and counts;
 * a CHECK is one table row or one law case.
 */
#ifndef MW_TESTS_TEST_H
#define MW_TESTS_TEST_H

#include "base/status.h"

enum { MW_SUITE_TESTS = 40 };

typedef struct mw_test {
    const char *title;
    void (*run)(void);
} mw_test;

typedef struct mw_suite {
    const char *name;
    mw_test test[MW_SUITE_TESTS]; /* up to the first without title */
} mw_suite;

extern const mw_suite *const mw_suite_table[];
extern const int mw_suite_count;
extern const mw_suite *const mw_mpi_suite_table[];
extern const int mw_mpi_suite_count;

/* Counts one passed or failed; the message names the row. Goes on after a
 * failure, and is worth the condition. */
#define CHECK(condition, ...)                                                  \
    check_at((condition), #condition, __FILE__, __LINE__, __VA_ARGS__)
bool check_at(bool condition, const char *text, const char *file, int line,
              const char *format, ...) MW_PRINTF(5, 6);

/* Counts one skipped, "name: reason". */
#define SKIP(...) skip_at(__VA_ARGS__)
void skip_at(const char *format, ...) MW_PRINTF(1, 2);

/* Fails the 1st, 2nd, 3rd ... allocation of body, one CHECK each: always
 * MW_ENOMEM, and MW_OK once none fails. The body frees what it holds and
 * leaves the context alone; leaks show under the address sanitizer. */
void check_oom(const char *name, mw_status (*body)(mw_ctx *ctx, void *arg),
               void *arg);

/* Where data outside the project lies: $MW_SHARED, or ../shared. */
const char *mw_shared_path(void);

/* The built command of this mode, and the folder tests may write to. */
const char *mw_command_path(void);
const char *mw_scratch_path(void);

/* A generator of its own for each test: splitmix64. */
uint64_t mw_test_random(uint64_t *state);

/* Of an MPI suite: this process's rank and their number; 0 of 1 elsewhere. */
int mw_test_rank(void);
int mw_test_size(void);

#endif
