/*
 * ties.h - weights that a file holds twice.
 *
 * An exporter that computes with a tied weight in two forms writes both, as
 * the table of a look-up and, transposed, the matrix of the head. What holds
 * the same values is one weight: stored, moved and trained once.
 *
 * A few elements of each weight are looked at, and all of those that agree in
 * them: finding that nothing is tied reads next to nothing. One value
 * throughout (biases of zeros) says nothing and ties nothing; nor does a
 * vector of whole numbers, which counts something.
 */
#ifndef MW_IR_IMPORT_TIES_H
#define MW_IR_IMPORT_TIES_H

#include "ir/graph.h"
#include "ir/import/files.h"

typedef struct mw_twin {
    mw_id of;    /* the first weight of these values; its own id if none */
    bool turned; /* this one is the transpose of it */
} mw_twin;

typedef struct mw_ties {
    const mw_graph *graph; /* positional */
    const bool *live;      /* tensors to look at */
    mw_import_files *files;
    bool external; /* read the values of external data too */
} mw_ties;

/* Sets twin[] of all tensors, in the graph's arena. Data in the same place of
 * one file is the same without a look. A warning names what was tied.
 * MW_EINPUT: external data cannot be read. */
mw_status mw_ties_find(const mw_ties *ties, mw_twin twin[]) MW_MUST_CHECK;

#endif
