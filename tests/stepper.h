/*
 * stepper.h - training steps of a graph by the reference kernels, on one rank.
 */
#ifndef MW_TESTS_STEPPER_H
#define MW_TESTS_STEPPER_H

#include "ir/graph.h"

typedef struct stepper {
    mw_arena *arena;
    const mw_graph *graph;
    void **kept; /* of each parameter, state and given input: its values */
} stepper;

/* Values of parameters and states as the graph says. */
mw_status stepper_open(mw_arena *arena, const mw_graph *graph, stepper *s);

/* Where an input's values are put; zeroed at first. NULL: no such tensor. */
void *stepper_input(stepper *s, const char *name);

/* One step: updated tensors keep their new values; *loss is that of the only
 * result, in f64. */
mw_status stepper_step(stepper *s, double *loss);

#endif
