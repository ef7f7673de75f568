/* stablehlo_fold.c - one step of a reduction. */
#include "ir/import/stablehlo_fold.h"

#include <string.h>

static const struct {
    const char *reducer, *number, *truth;
} maps[] = {
    {"add", "add", "or"},      {"mul", "mul", "and"},
    {"max", "max", "or"},      {"min", "min", "and"},
    {"and", "bit_and", "and"}, {"or", "bit_or", "or"},
    {"xor", "bit_xor", "xor"},
};

static const char *map_of(const char *reducer, bool truth)
{
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        if (strcmp(maps[i].reducer, reducer) == 0)
            return truth ? maps[i].truth : maps[i].number;
    return NULL;
}

mw_status mw_hlo_fold_two(mw_hlo_call *call, const mw_hlo_fold *fold,
                          const mw_id first[], const mw_id second[],
                          mw_id out[])
{
    mw_hlo_value in[2 * MW_HLO_FOLD_MAX], result[MW_HLO_FOLD_MAX];
    bool truth = mw_emit_dtype(&call->emit, first[0]) == MW_BOOL;
    const char *map =
        fold->reducer && fold->n == 1 ? map_of(fold->reducer, truth) : NULL;
    if (map) {
        out[0] = mw_emit2(&call->emit, map, first[0], second[0]);
        return call->emit.status;
    }
    if (!fold->block)
        return mw_hlo_refuse(call, "its reduction is not supported for this "
                                   "element type");
    for (int k = 0; k < fold->n; k++) {
        in[k] = (mw_hlo_value){.id = first[k]};
        in[fold->n + k] = (mw_hlo_value){.id = second[k]};
    }
    call->build->whole++;
    mw_status status =
        mw_hlo_region(call, fold->block, in, 2 * fold->n, result, fold->n);
    call->build->whole--;
    MW_TRY(status);
    for (int k = 0; k < fold->n; k++)
        out[k] = mw_hlo_whole(call, result[k]);
    return call->emit.status;
}
