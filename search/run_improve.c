/* run_improve.c - the neighbourhood search. */
#include "search/staged.h"
mw_status mw_run_improve(mw_run *run, const mw_deadline *deadline,
                         int64_t rounds)
{
    (void)run;
    (void)deadline;
    (void)rounds;
    return MW_OK;
}
