/*
 * cost.h - what search and plan ask of a cost model; profiles/ answers, from
 * measured figures or a machine's public ones. Times are integer picoseconds
 * of the rank that has most to do.
 */
#ifndef MW_IR_COST_H
#define MW_IR_COST_H

#include "ir/mesh.h"
#include "ir/op.h"

/* name in plans and messages */
#define MW_COLLECTIVE_TABLE(X)                                                 \
    X(MW_ALL_GATHER, "all_gather")                                             \
    X(MW_ALL_REDUCE, "all_reduce")                                             \
    X(MW_REDUCE_SCATTER, "reduce_scatter")                                     \
    X(MW_ALL_TO_ALL, "all_to_all")                                             \
    X(MW_EXCHANGE, "exchange") /* general, and halo */                         \
    X(MW_SLICE, "slice")       /* local */                                     \
    X(MW_MASK, "mask")         /* replicated to partial: one rank keeps it */

typedef enum mw_collective {
#define MW_COLLECTIVE_ENUM(code, name) code,
    MW_COLLECTIVE_TABLE(MW_COLLECTIVE_ENUM)
#undef MW_COLLECTIVE_ENUM
        MW_N_COLLECTIVES
} mw_collective;

const char *mw_collective_name(mw_collective kind);

/* name in plans, profiles and messages */
#define MW_ALGORITHM_TABLE(X)                                                  \
    X(MW_USUAL, "usual")     /* the kind's own: ring, pairwise or local */     \
    X(MW_DIRECT, "direct")   /* each takes from each */                        \
    X(MW_HALVING, "halving") /* half the block, a quarter, … and back */     \
    X(MW_HIERARCHICAL, "hierarchical") /* inside groups, between, inside */

typedef enum mw_algorithm {
#define MW_ALGORITHM_ENUM(code, name) code,
    MW_ALGORITHM_TABLE(MW_ALGORITHM_ENUM)
#undef MW_ALGORITHM_ENUM
        MW_N_ALGORITHMS
} mw_algorithm;

/* How a collective is run; all 0: the usual way. */
typedef struct mw_way {
    uint8_t algorithm; /* mw_algorithm */
    uint16_t inner;    /* hierarchical: members of an inner group */
} mw_way;

const char *mw_algorithm_name(mw_algorithm algorithm);

enum { MW_WAY_TEXT_MAX = 32 };

/* "ring", "pairwise", "local", "direct", "halving", "hierarchical:4". */
const char *mw_way_text(mw_collective kind, mw_way way,
                        char text[MW_WAY_TEXT_MAX]);

/* False when no way of the kind has that name. */
bool mw_way_parse(mw_collective kind, const char *text, mw_way *way);

/* Why a group of that many cannot run the kind so, NULL when it can. */
const char *mw_way_refusal(mw_collective kind, mw_way way, int64_t ranks);

bool mw_way_equal(mw_way a, mw_way b);

/* Where a time comes from, best first. */
typedef enum mw_source {
    MW_SOURCE_MEASURED,
    MW_SOURCE_INTERPOLATED,
    MW_SOURCE_EXTRAPOLATED,
    MW_SOURCE_MACHINE
} mw_source;

const char *mw_source_name(mw_source source);

/* The sum of two times, or the largest time. */
int64_t mw_add_ps(int64_t a, int64_t b);

typedef struct mw_costs mw_costs;
struct mw_costs {
    const void *state;

    /* Local time of an op whose letters have these extents on the rank. */
    int64_t (*op_ps)(const mw_costs *costs, const mw_graph *graph,
                     const mw_op *op, const int64_t extent[MW_MAX_LETTERS],
                     mw_source *source);

    /* Time of a collective over the groups along `axes`. bytes: all_gather,
     * reduce_scatter: the whole of a group's largest tensor; all_reduce: the
     * tensor; all_to_all: a rank's local tensor; exchange: the most that one
     * rank receives, from `peers` others; slice, mask: 0 bytes moved. In *way,
     * unless NULL, the cheapest way of those that the group can run. */
    int64_t (*step_ps)(const mw_costs *costs, const mw_mesh *mesh,
                       mw_collective kind, uint32_t axes, int64_t bytes,
                       int64_t peers, mw_way *way);
};

#endif
