/*
 * pass.h - what lies at the same place of several blocks, combined in their
 * order and written to several other ones, in one pass over all of them.
 *
 * Values are combined in pieces that stay in the first cache. Far writes go
 * past the caches (non-temporal stores), so that a line is not read before it
 * is overwritten: for blocks that the last cache does not hold anyway.
 */
#ifndef MW_RUNTIME_PASS_H
#define MW_RUNTIME_PASS_H

#include "runtime/strided.h"

typedef struct mw_pass {
    int n_src, n_dst;
    const char **src; /* blocks; where there is one, nothing is combined */
    char **dst;       /* dst[0] may be src[0] */
    int64_t item;     /* bytes of an element */
    mw_combine_fn *combine;
    bool far;
} mw_pass;

void mw_pass_run(const mw_pass *pass, const mw_strided *what);

/* Of this machine's last cache; a usual size where the system does not say. */
int64_t mw_cache_bytes(void);

#endif
