/*
 * facts.h - what a person wants to know of a model: its dimensions and where
 * they come from, its ops by kind, its parameters, work and memory.
 */
#ifndef MW_CLI_FACTS_H
#define MW_CLI_FACTS_H

#include "base/text.h"
#include "ir/graph.h"

typedef struct mw_kind_fact {
    const char *op;
    int64_t count;
    double flops;
} mw_kind_fact;

typedef struct mw_role_fact {
    int64_t tensors, elements, bytes;
} mw_role_fact;

typedef struct mw_facts {
    const mw_graph *graph;
    int n_kinds;
    mw_kind_fact *kind; /* most FLOPs first, then most ops, then by name */
    mw_role_fact role[MW_ROLE_VALUE + 1]; /* renamed tensors left out */
    double flops;
    /* Results and inputs that are alive at once, one op after the other. */
    int64_t live_bytes;
    int live_op;  /* where that is, or MW_NONE without ops */
    mw_id *first; /* of each dimension: the first tensor that has it */
    int *weight;  /* tensors with stored values, largest first */
    int n_weights;
} mw_facts;

mw_status mw_facts_find(mw_arena *arena, const mw_graph *graph,
                        mw_facts *facts) MW_MUST_CHECK;

/* "f32[batch, (heads d_head)]". */
void mw_facts_type(mw_text *text, const mw_graph *graph,
                   const mw_tensor *tensor);

#endif
