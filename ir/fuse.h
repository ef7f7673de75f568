/*
 * fuse.h - the pass that makes groups of maps and reductions one op each
 * (ir/fused.h), and two products with a softmax or the like between
 * (ir/attention.h), so that what passes between them never reaches memory. See
 * docs/design/fusion.md.
 *
 * It is the last pass: gradients, recomputation and names are settled.
 */
#ifndef MW_IR_FUSE_H
#define MW_IR_FUSE_H

#include "ir/graph.h"

/* to: an empty initialised graph. keep: names of tensors that stay, because
 * someone refers to them, and of dims that groups must leave to be split; other
 * names are ignored. */
mw_status mw_fuse(const mw_graph *whole, const char *const keep[], int n_keep,
                  mw_graph *to) MW_MUST_CHECK;

#endif
