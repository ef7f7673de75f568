/*
 * rank_largest.h - the largest size of a dimension that fits the memory.
 *
 * Memory grows with the size, since every block does: sizes are doubled until
 * one does not fit, then halved in. Where splits must divide, the same without
 * that gives a ceiling, below which sizes are tried one by one.
 */
#ifndef MW_SEARCH_RANK_LARGEST_H
#define MW_SEARCH_RANK_LARGEST_H

#include "ir/import.h"
#include "search/rank_fit.h"

typedef struct mw_largest {
    int64_t good;        /* the largest that is known to fit; 0: none */
    int64_t proven;      /* one that does not, nor any above; 0: none known */
    const char *refused; /* why the model does not take `proven`, or NULL */
} mw_largest;

/* Makes the setting of one of the meshes for a model as it was read, in the
 * arena; search: the options, which may take pins. */
typedef mw_status (*mw_size_setting)(void *user, mw_arena *arena,
                                     const mw_graph *graph, int mesh,
                                     mw_setting **on,
                                     mw_search_options *search);

/* What a size is tried on: the model is read anew with each. */
typedef struct mw_size_hunt {
    mw_arena *arena; /* of found.refused */
    const char *model;
    const mw_import_options *options;
    mw_size_option *size; /* among the options' */
    const mw_search_options *search;
    int n_meshes; /* a plan on any of them will do */
    mw_size_setting set_up;
    void *user;
} mw_size_hunt;

/* Ends early when the context is stopped. */
mw_status mw_largest_find(const mw_size_hunt *wanted,
                          mw_largest *found) MW_MUST_CHECK;

#endif
