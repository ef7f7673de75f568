/*
 * fake_costs.h - a cost model for tests that need one and must not depend on
 * profiles/: latency and time per byte grow from the last mesh axis to the
 * first, an op takes a time per point of its block.
 */
#ifndef MW_TESTS_FAKE_COSTS_H
#define MW_TESTS_FAKE_COSTS_H

#include "ir/cost.h"

typedef struct fake_machine {
    int64_t latency_ps[MW_MAX_MESH]; /* of a message along axis a */
    int64_t byte_ps[MW_MAX_MESH];    /* of a byte along axis a */
    int64_t point_ps;                /* of a point of an op's block */
} fake_machine;

/* Slow outer axes; `kind` 0: latency counts, 1: bytes count, 2: both. */
fake_machine fake_machine_of(int kind);

/* Borrows the machine. */
mw_costs fake_costs(const fake_machine *machine);

#endif
