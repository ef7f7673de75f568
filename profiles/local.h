/*
 * local.h - the machine this process runs on, from what hwloc and the
 * processor say: cores, vector width, memory. Its rates are upper bounds from
 * clock and width; `meshwright profile` measures the true ones.
 */
#ifndef MW_PROFILES_LOCAL_H
#define MW_PROFILES_LOCAL_H

#include "profiles/machine.h"

mw_status mw_machine_local(mw_ctx *ctx, mw_arena *arena,
                           mw_machine *machine) MW_MUST_CHECK;

#endif
