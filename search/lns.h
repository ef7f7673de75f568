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
    double *noise; /* log-normal factors, exp of a unit normal */
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
    int32_t *list; /* strategies allowed, by place from first_list */
    int64_t *first_list;
    int64_t cap_list;
    double temperature;
    int64_t n_moves, n_taken;
} mw_lns;

mw_status mw_lns_base_init(mw_lns_base *base, mw_arena *arena,
                           const mw_net *net) MW_MUST_CHECK;

/* Measures excess by the dual at the net's prices; the net stays as it is. */
mw_status mw_lns_base_measure(mw_lns_base *base, mw_net *net) MW_MUST_CHECK;

mw_status mw_lns_init(mw_lns *lns, mw_ctx *ctx, const mw_lns_base *base,
                      uint64_t seed) MW_MUST_CHECK;
void mw_lns_free(mw_lns *lns);

/* Goes on from a choice; one that fits becomes the best when it is better. */
void mw_lns_start(mw_lns *lns, const int32_t *current);

/* Makes moves, cooling from one temperature to another. */
mw_status mw_lns_run(mw_lns *lns, int64_t moves, const double temperature[2],
                     const mw_deadline *deadline) MW_MUST_CHECK;

/* The parts of a move: choosing the group and its strategies (lns_group.c). */
mw_status mw_lns_choose_group(mw_lns *lns, int64_t *max_states) MW_MUST_CHECK;

uint64_t mw_lns_random(mw_lns *lns);
int32_t mw_lns_below(mw_lns *lns, int32_t n);
double mw_lns_uniform(mw_lns *lns); /* in [0, 1) */

#endif
