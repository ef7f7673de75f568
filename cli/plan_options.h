/*
 * plan_options.h - what `plan` was asked for.
 */
#ifndef MW_CLI_PLAN_OPTIONS_H
#define MW_CLI_PLAN_OPTIONS_H

#include "cli/options.h"
#include "ir/import.h"
#include "profiles/machine.h"
#include "search/rank.h"

typedef struct mw_plan_request {
    mw_import_options model;
    mw_machine machine;
    mw_mesh *mesh; /* one, or those that auto:N stands for */
    int n_meshes;
    bool counts;              /* auto:A..B: of several numbers of processors */
    mw_search_options search; /* fixes and rules: by mesh */
} mw_plan_request;

/* Everything that needs no model. The machine's costs borrow the request.
 * MW_EUSAGE names the option. */
mw_status mw_plan_request_read(mw_arena *arena, const mw_args *args,
                               mw_plan_request *request) MW_MUST_CHECK;

/* --fix and --rule for a model on a mesh. MW_EUSAGE: an unknown tensor,
 * dimension or axis, with a near name. */
mw_status mw_plan_request_pins(mw_arena *arena, const mw_args *args,
                               const mw_graph *graph, const mw_mesh *mesh,
                               mw_space_options *space) MW_MUST_CHECK;

#endif
