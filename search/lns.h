/*
 * lns.h - large neighbourhoods: a group of nodes is chosen anew, the rest held.
 *
 * A worker has a current choice of its own and anneals: a group is solved by
 * elimination at the prices of memory, perturbed; where rows overrun, their
 * prices rise and the group is solved again; what fits is taken when it costs
 * less, or not much more while it is warm. Workers share a net that none
 * changes, and see each other's best only between rounds, so that what they
 * find depends on the seed and the number of moves alone.
 */
#ifndef MW_SEARCH_LNS_H
#define MW_SEARCH_LNS_H

#include "search/clock.h"
#include "search/eliminate.h"
#include "search/net.h"

enum { MW_NOISE = 4096 };

/* What all workers read. */
typedef struct mw_lns_base {
    const mw_net *net;
    int32_t *node;   /* those left, ascending */
    int64_t *first;  /* by node: where its strategies stand in excess */
    int64_t *excess; /* by strategy: what it costs at least above the bound */
    int64_t *first_member; /* by row, n_rows + 1: its nodes in member */
    int32_t *member;
    int32_t *priced; /* rows with a price */
    int32_t n_priced;
    double *noise;     /* log-normal factors, exp of a unit normal */
    float *cost;       /* by strategy, less the dual's shares */
    float *(*rows)[2]; /* by edge and end: its matrix with the shares, a row
                          for each strategy of that end */
} mw_lns_base;

typedef struct mw_lns {
    mw_ctx *ctx; /* of its own */
    const mw_lns_base *base;
    mw_eliminator eliminator;
    uint64_t random;
    int32_t *current, *best; /* by node of the net */
    int64_t cost, best_cost; /* without the net's constant */
    bool has_best;           /* something that fits was seen */
    int64_t *over;           /* by row: usage of current - slack */
    int64_t *change;         /* by row, of the move at hand */
    mw_int128 excess;        /* sum of the rows' overruns of current */
    double *price, *total;   /* of the move at hand */
    int32_t *group, *place;  /* nodes of the group; by node, its place or -1 */
    int32_t *next;           /* strategies proposed, by place */
    int32_t n_group;
    bool forced;   /* the first of the group has one strategy to take */
    int32_t *list; /* strategies allowed, by place from first_list */
    int64_t *first_list;
    int64_t cap_list;
    const int32_t *const *other; /* choices to be crossed with, borrowed */
    int32_t n_others;
    double *above; /* by place in base->node and one more: sums of the roots
                      of what the current choice costs there above the bound */
    double temperature;
    int64_t n_moves, n_taken;
} mw_lns;

/* Costs are shared out by the dual at the net's prices; the net stays as it is.
 */
mw_status mw_lns_base_init(mw_lns_base *base, mw_arena *arena,
                           mw_net *net) MW_MUST_CHECK;

mw_status mw_lns_init(mw_lns *lns, mw_ctx *ctx, const mw_lns_base *base,
                      uint64_t seed) MW_MUST_CHECK;
void mw_lns_free(mw_lns *lns);

/* Goes on from a choice; one that fits becomes the best when it is better. */
void mw_lns_start(mw_lns *lns, const int32_t *current);

/* Makes moves at a temperature, up to a number of them or of table entries. */
mw_status mw_lns_run(mw_lns *lns, int64_t moves, int64_t effort,
                     double temperature,
                     const mw_deadline *deadline) MW_MUST_CHECK;

/* The parts of a move: choosing the group and its strategies (lns_group.c). */
mw_status mw_lns_choose_group(mw_lns *lns, int64_t *max_states) MW_MUST_CHECK;

/* The matrix of an edge, a row for each strategy of a node. */
const float *mw_lns_rows(const mw_lns *lns, int32_t edge, int32_t node);

/* Fills `above` for the current choice. */
void mw_lns_look(mw_lns *lns);

uint64_t mw_lns_random(mw_lns *lns);
int32_t mw_lns_below(mw_lns *lns, int32_t n);
double mw_lns_uniform(mw_lns *lns); /* in [0, 1) */

#endif
