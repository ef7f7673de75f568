/*
 * attend.h - which products and maps of a graph are an attention
 * (ir/attention.h): found by structure. A product whose result only maps and
 * reductions read, up to one more product that sums over one of its dims. Used
 * by ir/fuse.c only.
 */
#ifndef MW_IR_ATTEND_H
#define MW_IR_ATTEND_H

#include "ir/fuse_groups.h"

/* Groups of that kind alone; *any: there are some. keep: names of tensors that
 * stay, and of dims that are not to be made whole. */
mw_status mw_attend_find(mw_fuse_groups *groups, mw_arena *arena,
                         const char *const keep[], int n_keep,
                         bool *any) MW_MUST_CHECK;

#endif
