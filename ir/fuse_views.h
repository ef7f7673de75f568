/*
 * fuse_views.h - a rename to the same dims, which importers make where an axis
 * of size 1 comes or goes, stands between maps that could meet in a group: its
 * readers read its operand. Used by ir/fuse.c only.
 */
#ifndef MW_IR_FUSE_VIEWS_H
#define MW_IR_FUSE_VIEWS_H

#include "ir/graph.h"

/* The graph without them, but for outputs and what is named; itself where there
 * are none. */
mw_status mw_fuse_views(const mw_graph *whole, const char *const keep[],
                        int n_keep, mw_arena *arena,
                        const mw_graph **made) MW_MUST_CHECK;

#endif
