/*
 * stablehlo_lookup.h - what gather and scatter of StableHLO share: which
 * dimensions of a table the indices place, with which windows.
 *
 * A dimension of the table is placed by a component of the index vectors, runs
 * along with an axis of the indices (batching), or is whole in every row.
 */
#ifndef MW_IR_IMPORT_STABLEHLO_LOOKUP_H
#define MW_IR_IMPORT_STABLEHLO_LOOKUP_H

#include "ir/import/stablehlo_call.h"

typedef struct mw_hlo_lookup {
    int rank; /* of the table */
    int64_t size[MW_MAX_RANK], window[MW_MAX_RANK];
    int component[MW_MAX_RANK]; /* of the index vectors, or -1 */
    int batch[MW_MAX_RANK];     /* axis of the indices it runs with, or -1 */
    bool dropped[MW_MAX_RANK];  /* has no axis of its own in the rows */
    int n_batch; /* axes of the indices without that of the vectors */
    int64_t batch_size[MW_MAX_RANK];
    int n_parts;
    mw_id part[MW_MAX_RANK]; /* components, i64 of the batch axes */
} mw_hlo_lookup;

/* Names of the attributes, which differ in gather and scatter. */
typedef struct mw_hlo_lookup_names {
    const char *whole, *dropped, *table_batch, *index_batch, *components;
} mw_hlo_lookup_names;

/* Reads the dimension numbers for a table (operand 0) and indices (operand 1).
 * Windows are not set. */
mw_status mw_hlo_lookup_read(mw_hlo_call *call,
                             const mw_hlo_lookup_names *names,
                             mw_hlo_lookup *lookup) MW_MUST_CHECK;

/* A list inside the dimension numbers; empty when it is not there. */
mw_hlo_ints mw_hlo_lookup_list(mw_hlo_call *call,
                               const mw_hlo_lookup_names *names,
                               const char *name);

/* The axes of positions: those of the batch, then one for each of the dims
 * whose window is more than 1. */
typedef struct mw_hlo_places {
    int n;                 /* dims that are looked up */
    int dim[MW_MAX_RANK];  /* ascending */
    int axis[MW_MAX_RANK]; /* of the positions, or -1, for each of them */
    int rank;              /* of the positions */
    int64_t rows;          /* product of their sizes */
} mw_hlo_places;

/* Lists the dims for which looked[] holds. MW_EINPUT: too many axes or rows. */
mw_status mw_hlo_places_of(mw_hlo_call *call, const mw_hlo_lookup *lookup,
                           const bool looked[],
                           mw_hlo_places *places) MW_MUST_CHECK;

/* Position along the k-th looked-up dim, broadcast over `places->rank` axes,
 * the start held to where the window fits when `hold`. */
mw_id mw_hlo_position(mw_hlo_call *call, const mw_hlo_lookup *lookup,
                      const mw_hlo_places *places, int k, bool hold);

/* One number for positions, row-major over the looked-up dims. */
mw_id mw_hlo_flat_position(mw_hlo_call *call, const mw_hlo_lookup *lookup,
                           const mw_hlo_places *places, const mw_id position[]);

/* The table with the looked-up dims first, as one axis. */
mw_id mw_hlo_flat_table(mw_hlo_call *call, mw_id table,
                        const mw_hlo_places *places);

/* Where one dim is placed and all others are whole or run along: truth values
 * over [batch axes..., rows, 1...], `behind` axes after the rows. */
bool mw_hlo_is_selection(const mw_hlo_lookup *lookup, int *dim);
mw_id mw_hlo_selected(mw_hlo_call *call, const mw_hlo_lookup *lookup, int dim,
                      bool hold, int behind);

/* Axes of the selection's form: for each batch axis the table's dim that runs
 * with it or -1, then `dim`, then the whole dims. Sets n. */
void mw_hlo_selection_order(const mw_hlo_lookup *lookup, int dim, int order[],
                            int *n);

/* x, whose n axes have the labels have[], with those of want[] in their order:
 * axes of size 1 come where it has none, and go where they are not wanted. */
mw_id mw_hlo_arrange(mw_hlo_call *call, mw_id x, const int have[], int n,
                     const int want[], int m);

#endif
