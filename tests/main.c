/* main.c - the test runner: `runner [--mpi] [SUITE...]`.
 *
 * Suites come from the registries; CUnit runs and counts them. The last line
 * is `N passed, N failed, N skipped`; with --mpi rank 0 prints it, a check that
 * failed on several ranks counting once a rank, and the status is 0 once it is
 * printed, because mpirun has much to say about any other. */
#include <CUnit/CUnit.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "tests/mpi_world.h"
#include "tests/test.h"

/* CUnit's callbacks take no argument, so the run's state is the file's. */
static struct {
    mw_world world;
    long n_skipped;
} run = {.world = {0, 1}};

bool check_at(bool condition, const char *text, const char *file, int line,
              const char *format, ...)
{
    char message[1024] = "";
    if (!condition) {
        va_list args;
        va_start(args, format);
        (void)vsnprintf(message, sizeof message, format, args);
        va_end(args);
        printf("FAILED %s/%s", CU_get_current_suite()->pName,
               CU_get_current_test()->pName);
        if (run.world.size > 1)
            printf(" [rank %d of %d]", run.world.rank, run.world.size);
        printf(" %s:%d: %s: %s\n", file, line, text, message);
        (void)fflush(stdout);
    }
    CU_assertImplementation(condition, (unsigned)line, message, file, "", 0);
    return condition;
}

void skip_at(const char *format, ...)
{
    va_list args;
    run.n_skipped++;
    if (run.world.rank != 0)
        return;
    printf("SKIPPED ");
    va_start(args, format);
    (void)vprintf(format, args);
    va_end(args);
    printf("\n");
}

int mw_test_rank(void)
{
    return run.world.rank;
}

int mw_test_size(void)
{
    return run.world.size;
}

static bool wanted(const char *name, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(name, argv[i]) == 0)
            return true;
    return argc == 0;
}

static void replay_corpus(void)
{
    const char *name = CU_get_current_test()->pName;
    for (int i = 0; i < mw_fuzz_count; i++)
        if (strcmp(mw_fuzz_table[i]->name, name) == 0)
            mw_fuzz_replay(mw_fuzz_table[i]);
}

static int add_corpora(int argc, char **argv)
{
    if (!wanted("fuzz", argc, argv) || mw_fuzz_count == 0)
        return 0;
    CU_pSuite suite = CU_add_suite("fuzz", NULL, NULL);
    for (int i = 0; i < mw_fuzz_count; i++)
        CU_add_test(suite, mw_fuzz_table[i]->name, replay_corpus);
    return 1;
}

static int add_suites(const mw_suite *const table[], int argc, char **argv)
{
    int n_added = 0;
    for (int i = 0; table[i]; i++) {
        if (!wanted(table[i]->name, argc, argv))
            continue;
        CU_pSuite suite = CU_add_suite(table[i]->name, NULL, NULL);
        for (int k = 0; k < MW_SUITE_TESTS && table[i]->test[k].title; k++)
            CU_add_test(suite, table[i]->test[k].title, table[i]->test[k].run);
        n_added++;
    }
    return n_added;
}

/* So that the log of a crash tells where it was. */
static void started(const CU_pTest test, const CU_pSuite suite)
{
    if (run.world.rank != 0)
        return;
    printf("RUNNING %s/%s\n", suite->pName, test->pName);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    bool mpi = argc > 1 && strcmp(argv[1], "--mpi") == 0;
    argc -= 1 + mpi;
    argv += 1 + mpi;
    if (mpi)
        run.world = mw_world_open(NULL, NULL);
    CU_initialize_registry();
    int n_suites =
        add_suites(mpi ? mw_mpi_suite_table : mw_suite_table, argc, argv);
    if (!mpi)
        n_suites += add_corpora(argc, argv);
    CU_set_error_action(CUEA_IGNORE);
    CU_set_test_start_handler(started);
    CU_run_all_tests();
    long n_checks = CU_get_number_of_asserts();
    long n_failed = CU_get_number_of_failures();
    CU_cleanup_registry();
    if (mpi)
        n_failed = mw_world_sum(n_failed);
    long n_passed = n_checks > n_failed ? n_checks - n_failed : 0;
    if (run.world.rank == 0)
        printf("%ld passed, %ld failed, %ld skipped\n", n_passed, n_failed,
               run.n_skipped);
    if (mpi)
        mw_world_close();
    return n_suites == 0 || (n_failed != 0 && !mpi);
}
