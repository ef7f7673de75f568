/*
 * load.h - a plan file made ready to run: the plan, the model it was made
 * from, and the values.
 *
 * The model is read again for its weights. A plan runs only with the model it
 * was made from: the file's SHA-256 must be the plan's, and the graph read
 * again must print as the plan's does.
 */
#ifndef MW_RUNTIME_LOAD_H
#define MW_RUNTIME_LOAD_H

#include "ir/import.h"
#include "ir/plan_file.h"
#include "runtime/mpi/team.h"
#include "runtime/values.h"

typedef struct mw_load {
    mw_plan_file file;
    mw_plan plan;
    mw_graph model; /* as read again; unused when the source is no file */
    mw_import_files *files;
    mw_values values;
} mw_load;

/* Reads the plan alone. */
mw_status mw_load_plan(mw_arena *arena, const char *path,
                       mw_load *load) MW_MUST_CHECK;

/* Reads the model and opens the values. MW_EINPUT: the model is not the
 * plan's; one rank of each host looks at its file's sha256, so the ranks have
 * to agree on the status. */
mw_status mw_load_model(mw_arena *arena, const mw_team *team, uint64_t seed,
                        mw_load *load) MW_MUST_CHECK;

void mw_load_close(mw_load *load);

#endif
