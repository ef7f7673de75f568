/*
 * life.h - the steps during which a tensor's home is live, for search and plan
 * alike. Step k of the schedule is op k.
 */
#ifndef MW_IR_LIFE_H
#define MW_IR_LIFE_H

#include "ir/graph.h"

/* Steps [begin, end). */
typedef struct mw_life {
    int32_t begin, end;
} mw_life;

/* life[t] of each tensor of a named graph. Parameters, states and constants:
 * always. Inputs: from the start to their last use. Results: from their op to
 * their last use. Graph outputs: to the end. Uses of a renamed tensor are its
 * root's uses, a `rename` itself is none; renamed tensors live nowhere (0, 0).
 * What nobody uses lives one step; without ops there are no steps. */
void mw_lives(const mw_graph *graph, mw_life life[]);

#endif
