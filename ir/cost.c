/* cost.c - names of collectives and of where a time comes from, and sums. */
#include "ir/cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

const char *mw_collective_name(mw_collective kind)
{
    static const char *const name[] = {
#define MW_COLLECTIVE_NAME(code, text) text,
        MW_COLLECTIVE_TABLE(MW_COLLECTIVE_NAME)
#undef MW_COLLECTIVE_NAME
    };
    return name[kind];
}

static const char *const algorithms[] = {
#define MW_ALGORITHM_NAME(code, text) text,
    MW_ALGORITHM_TABLE(MW_ALGORITHM_NAME)
#undef MW_ALGORITHM_NAME
};

const char *mw_algorithm_name(mw_algorithm algorithm)
{
    return algorithms[algorithm];
}

static const char *const usual[MW_N_COLLECTIVES] = {
    [MW_ALL_GATHER] = "ring",     [MW_ALL_REDUCE] = "ring",
    [MW_REDUCE_SCATTER] = "ring", [MW_ALL_TO_ALL] = "pairwise",
    [MW_EXCHANGE] = "pairwise",   [MW_SLICE] = "local",
    [MW_MASK] = "local",
};

const char *mw_way_text(mw_collective kind, mw_way way,
                        char text[MW_WAY_TEXT_MAX])
{
    const char *name = algorithms[way.algorithm];
    if (way.algorithm == MW_USUAL)
        name = usual[kind];
    if (way.algorithm == MW_HIERARCHICAL)
        (void)snprintf(text, MW_WAY_TEXT_MAX, "%s:%u", name, way.inner);
    else
        (void)snprintf(text, MW_WAY_TEXT_MAX, "%s", name);
    return text;
}

bool mw_way_parse(mw_collective kind, const char *text, mw_way *way)
{
    const char *colon = strchr(text, ':');
    long inner = colon ? strtol(colon + 1, NULL, 10) : 0;
    if (inner < 0 || inner > UINT16_MAX)
        return false;
    for (int a = 0; a < MW_N_ALGORITHMS; a++) {
        const mw_way made = {(uint8_t)a, (uint16_t)inner};
        char name[MW_WAY_TEXT_MAX];
        if (strcmp(mw_way_text(kind, made, name), text) != 0)
            continue;
        *way = made;
        return true;
    }
    return false;
}

const char *mw_way_refusal(mw_collective kind, mw_way way, int64_t ranks)
{
    bool reduces = kind == MW_ALL_REDUCE;
    switch ((mw_algorithm)way.algorithm) {
    case MW_USUAL:
        return NULL;
    case MW_DIRECT:
        return reduces || kind == MW_ALL_GATHER || kind == MW_REDUCE_SCATTER
                   ? NULL
                   : "only gathers and reductions are direct";
    case MW_HALVING:
        if (!reduces)
            return "only all_reduce goes by halves";
        return ranks > 1 && (ranks & (ranks - 1)) == 0
                   ? NULL
                   : "halves want a power of two ranks";
    case MW_HIERARCHICAL:
        if (!reduces)
            return "only all_reduce is hierarchical";
        return way.inner > 1 && ranks > way.inner && ranks % way.inner == 0
                   ? NULL
                   : "inner groups do not divide the ranks";
    case MW_N_ALGORITHMS:
        break;
    }
    return "there is no such way";
}

bool mw_way_equal(mw_way a, mw_way b)
{
    return a.algorithm == b.algorithm && a.inner == b.inner;
}

const char *mw_source_name(mw_source source)
{
    static const char *const name[] = {"measured", "interpolated",
                                       "extrapolated", "machine"};
    return name[source];
}

int64_t mw_add_ps(int64_t a, int64_t b)
{
    int64_t sum;
    return mw_add_fits(a, b, &sum) ? sum : INT64_MAX;
}
