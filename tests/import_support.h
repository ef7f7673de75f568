/*
 * import_support.h - imports a model, computes it by the reference kernels and
 * compares it with the arrays stored beside it.
 */
#ifndef MW_TESTS_IMPORT_SUPPORT_H
#define MW_TESTS_IMPORT_SUPPORT_H

#include "ir/import.h"
#include "runtime/tensor_file.h"

typedef struct imported {
    mw_ctx ctx;
    mw_arena arena;
    mw_tensor_file *npz; /* or NULL */
    mw_import_files *placed_files, *named_files;
    mw_graph placed, named;
    mw_status status; /* of the import */
} imported;

/* Imports `path` with the sizes of the arrays in `npz` (NULL: none): both the
 * placed graph and the named one. Ended by import_close(), whatever the
 * status. options: what else to import with, or NULL. */
void import_open(imported *model, const char *path, const char *npz,
                 const mw_import_options *options);
void import_close(imported *model);

/* One CHECK an output of the graph: its values are those in the .npz. */
void import_compare(imported *model, const mw_graph *graph, const char *name);

/* True when a warning contains the text. */
bool import_warned(const imported *model, const char *text);

#endif
