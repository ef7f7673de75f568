/*
 * reshard_space.h - the layouts that a path may pass, numbered, and the steps
 * between them. Used by ir/reshard.c only.
 *
 * A space lists the roles each mesh axis may take; a node is a choice of one
 * role an axis. Steps from a node are priced when they are first asked for.
 */
#ifndef MW_IR_RESHARD_SPACE_H
#define MW_IR_RESHARD_SPACE_H

#include "ir/reshard_volume.h"

/* A step without what follows from it. */
typedef struct mw_hop {
    int32_t from, to; /* nodes */
    mw_collective kind;
    mw_way way;
    uint32_t axes;
    int64_t time_ps, bytes;
} mw_hop;

typedef struct mw_hops {
    mw_hop *hop;
    int n; /* -1: not yet made */
} mw_hops;

/* What is known about the exchange of two nodes. */
typedef struct mw_exchange {
    enum { MW_UNKNOWN, MW_NO_EXCHANGE, MW_LEAST, MW_PRICED } state;
    uint32_t axes;
    int64_t time_ps; /* MW_LEAST: no price is below */
    int64_t bytes;
} mw_exchange;

typedef struct mw_space {
    mw_arena *arena; /* borrowed */
    const mw_mesh *mesh;
    const mw_costs *costs;
    const mw_tensor *tensor; /* sizes and dtype alone matter */
    mw_reduce reduce;        /* of the nodes that are partial */
    int n_roles[MW_MAX_MESH];
    int8_t role[MW_MAX_MESH][MW_MAX_RANK + 2];
    mw_meetings meetings;
    int32_t n_nodes;
    int64_t *bytes;        /* of each node's largest block */
    mw_hops *hops;         /* of each node, without exchanges */
    mw_exchange *exchange; /* n_nodes x n_nodes; NULL: too many to remember */
} mw_space;

/* Above this many nodes, exchanges are not remembered. */
enum { MW_SPACE_NODES = 512 };

/* Numbers the nodes once n_roles and role are set. */
mw_status mw_space_init(mw_space *space) MW_MUST_CHECK;

mw_layout mw_space_layout(const mw_space *space, int32_t node);

/* MW_NONE when a role is not in the space. */
int32_t mw_space_node(const mw_space *space, const mw_layout *layout);

/* All right steps from a node but exchanges. */
mw_status mw_space_hops(mw_space *space, int32_t node,
                        const mw_hops **hops) MW_MUST_CHECK;

/* The priced exchange between two nodes; false when there is none, or when its
 * time is certainly above limit_ps. */
bool mw_space_exchange(mw_space *space, int32_t from, int32_t to,
                       int64_t limit_ps, mw_hop *hop);

/* A time that no price of an exchange is below, as costs grow with bytes and
 * peers: that of what the first rank receives. */
int64_t mw_step_least_ps(mw_space *space, const mw_step *step);

/* Way, bytes_sent and time_ps of a step. */
void mw_space_price(mw_space *space, mw_step *step);

/* Fills stage_bytes of a step. */
void mw_step_shape(const mw_mesh *mesh, const mw_tensor *tensor, mw_step *step);

#endif
