/*
 * verify.h - the invariants of a named graph: dimensions distinct in a tensor
 * and of its size, letter and dimension one to one in an op, every operand
 * axis with the letter's dimension, topological order, unique names, roots.
 */
#ifndef MW_IR_VERIFY_H
#define MW_IR_VERIFY_H

#include "ir/graph.h"

/* MW_EINPUT names what is broken: "dim 'd' twice in 'w': rename one". */
mw_status mw_verify(const mw_graph *graph) MW_MUST_CHECK;

#endif
