/* outcome.c - repeats, and figures over ranks. */
#include "runtime/outcome.h"

#include <stdlib.h>

#include "runtime/exec_pack.h"

enum { ABORT_STATUS = 5 };

// Others may be waiting for this rank for ever: all end.
static void end_all(mw_exec *exec, void (*tell)(const mw_ctx *ctx, int rank))
{
    if (mw_team_size(exec->team) == 1)
        return;
    tell(exec->ctx, mw_team_rank(exec->team));
    mw_team_abort(exec->team, ABORT_STATUS);
}

static mw_status run_once(mw_exec *exec, const mw_values *values, int i,
                          void (*tell)(const mw_ctx *ctx, int rank),
                          mw_outcome *outcome)
{
    mw_exec_put_inputs(exec, values);
    mw_status status = mw_exec_run(exec);
    if (status != MW_OK) {
        end_all(exec, tell);
        return status;
    }
    double most, away = exec->time_s - exec->thread_s;
    MW_TRY(mw_team_max(exec->team, away > 0 ? away : 0, &most));
    outcome->coreless_s += most / outcome->repeats;
    return mw_team_max(exec->team, exec->time_s, &outcome->time_s[i]);
}

// What each move sent, in the order of the steps.
static mw_status list_volumes(const mw_exec *exec, mw_outcome *outcome)
{
    for (int64_t i = 0; i < exec->n_steps; i++)
        if (exec->step[i].move)
            outcome->volume[outcome->n_volumes++] = exec->step[i].bytes_sent;
    return mw_team_largest(exec->team, outcome->volume,
                           (int)outcome->n_volumes);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

mw_status mw_outcome_run(mw_arena *arena, mw_exec *exec,
                         const mw_values *values, int repeats,
                         void (*tell)(const mw_ctx *ctx, int rank),
                         mw_outcome *outcome)
{
    int size = mw_team_size(exec->team);
    *outcome =
        (mw_outcome){.repeats = repeats,
                     .time_s = MW_NEW_ARRAY(arena, repeats, double),
                     .bytes_by_rank = MW_NEW_ARRAY(arena, size, int64_t),
                     .volume = MW_NEW_ARRAY(arena, exec->n_moves, int64_t)};
    bool room = outcome->time_s && outcome->bytes_by_rank && outcome->volume;
    MW_TRY(mw_team_agree(exec->team, room ? MW_OK : MW_ENOMEM));
    if (!room)
        return MW_ENOMEM;
    mw_exec_put_weights(exec, values);
    MW_TRY(mw_team_agree(exec->team, mw_exec_pack(exec)));
    int64_t bytes = 0;
    mw_status status = MW_OK;
    for (int i = 0; i < repeats && status == MW_OK; i++) {
        MW_TRY(run_once(exec, values, i, tell, outcome));
        if (i > 0 && exec->bytes_sent != bytes)
            status = mw_fail(exec->ctx, MW_EBUG,
                             "run %d sent %lld bytes, run 1 %lld", i + 1,
                             (long long)exec->bytes_sent, (long long)bytes);
        if (mw_stopped(exec->ctx))
            status = mw_fail(exec->ctx, MW_ERUN, "stopped after run %d of %d",
                             i + 1, repeats);
        bytes = exec->bytes_sent;
        status = mw_team_agree(exec->team, status);
    }
    MW_TRY(status);
    MW_TRY(mw_team_list(exec->team, bytes, outcome->bytes_by_rank));
    MW_TRY(list_volumes(exec, outcome));
    for (int r = 0; r < size; r++)
        if (outcome->bytes_by_rank[r] > outcome->bytes_sent)
            outcome->bytes_sent = outcome->bytes_by_rank[r];
    outcome->peak_bytes = exec->bytes;
    qsort(outcome->time_s, (size_t)repeats, sizeof *outcome->time_s, compare);
    return MW_OK;
}

double mw_outcome_median(const mw_outcome *outcome)
{
    int n = outcome->repeats;
    double low = outcome->time_s[(n - 1) / 2], high = outcome->time_s[n / 2];
    return (low + high) / 2;
}
