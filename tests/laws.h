/*
 * laws.h - "every split equals the whole", played in one process: inputs are
 * cut into blocks, the row's reference runs on each rank's, and the pieces are
 * put together and compared with one run on the whole.
 */
#ifndef MW_TESTS_LAWS_H
#define MW_TESTS_LAWS_H

#include "ir/op.h"
#include "ir/strategy.h"

enum { LAW_MESSAGE = 400 };

typedef struct law_result {
    int n_cases, n_failed;
    char first[LAW_MESSAGE]; /* what the first failure was */
} law_result;

/* Every strategy of the op on the mesh, partial sums passed through too. The
 * inputs' values are drawn from the seed. */
mw_status law_splits(mw_arena *arena, const mw_graph *graph, const mw_op *op,
                     const char *mesh, law_result *result);

/* Fills n elements: small whole numbers, halves for floats, none of them 0;
 * integers that serve as indices too. */
void law_fill(mw_dtype dtype, void *data, int64_t n, uint64_t *state);

/* Elements that are not equal up to rounding; NaN equals NaN. */
int64_t law_differences(mw_dtype dtype, const void *a, const void *b,
                        int64_t n);

#endif
