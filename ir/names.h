/*
 * names.h - which axes of an unannotated graph are the same dimension.
 *
 * Reads letters only, so it serves every decoder. Union-find over atoms (axes
 * that reshapes factor further), an interference relation (dimensions that
 * meet in one op or tensor stay apart), `rename` ops where a model would put
 * one dimension twice into a tensor or an op, a structural tie that makes equal
 * layers share dimensions, and names by votes of the roles that dimensions
 * play. Deterministic: ids follow the file's order.
 */
#ifndef MW_IR_NAMES_H
#define MW_IR_NAMES_H

#include "ir/graph.h"

typedef struct mw_rename_option {
    const char *from, *to;
} mw_rename_option;

/* Makes the named graph of a positional one in named->arena (named is
 * initialised by the caller). rename[]: --name OLD=NEW.
 * MW_EINPUT: more than MW_MAX_RANK dimensions in a tensor, by name.
 * MW_EUSAGE: --name names no dimension. */
mw_status mw_names(const mw_graph *placed, const mw_rename_option *rename,
                   int n_renames, mw_graph *named) MW_MUST_CHECK;

#endif
