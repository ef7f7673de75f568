/*
 * wire.h - how bytes pass between the ranks of one group.
 *
 * The collectives (runtime/move.h) know a wire, not MPI: runtime/mpi
 * makes wires of communicators, tests make wires of their own. A wire counts
 * what it hands over, at the call and from the call's count.
 */
#ifndef MW_RUNTIME_WIRE_H
#define MW_RUNTIME_WIRE_H

#include "base/status.h"

typedef struct mw_wire mw_wire;

/* Messages between two ranks arrive in the order they were posted. */
typedef struct mw_wire_def {
    mw_status (*send)(mw_wire *wire, const void *bytes, int count, int to);
    mw_status (*receive)(mw_wire *wire, void *bytes, int count, int from);
    /* Until all that was posted is done. */
    mw_status (*wait)(mw_wire *wire);
    /* Whether all that was posted is done; lets the transport go on. */
    mw_status (*test)(mw_wire *wire, bool *done);
    /* Until all members have come here; what each wrote into shared memory
     * before is seen after. Of wires with shared memory only. */
    mw_status (*meet)(mw_wire *wire);
    /* This rank read so many bytes of a member's memory; and how many the other
     * members read of this one's since it was asked last, once all have met. */
    void (*took)(mw_wire *wire, int member, int64_t bytes);
    int64_t (*gave)(mw_wire *wire);
} mw_wire_def;

struct mw_wire {
    const mw_wire_def *def;
    int rank, size; /* in the group */
    /* Handed over, written into others' memory, and read by them of this
     * rank's. */
    int64_t bytes_sent;
    double wait_s; /* spent until messages, or the others, were there */
    void *state;
    /* Where this rank sees each member's part of a shared memory, its own
     * included; NULL: there is none that all members see. */
    char **part;
    int64_t part_bytes;  /* of this rank's own */
    int64_t cache_bytes; /* of the last cache, where there is a shared memory */
};

/* One message carries at most this much; a longer one goes in parts. */
enum { MW_WIRE_PART = 1 << 30 };

/* The member sees `own`, which lies in this rank's part, as this address in
 * that one's. */
char *mw_wire_theirs(const mw_wire *wire, int member, const void *own);

/* All `bytes` from `own` on lie in this rank's part of a shared memory. */
bool mw_wire_shares(const mw_wire *wire, const void *own, int64_t bytes);

/* How many may be on their way at a time. */
enum { MW_WIRE_SWAPS = 4 };

/* Posts both ways at once and returns; no count above MW_WIRE_PART. When all
 * that was posted has ended, mw_wire_done() says so; mw_wire_finish() waits. */
mw_status mw_wire_post(mw_wire *wire, int to, const void *send, int64_t n_send,
                       int from, void *receive,
                       int64_t n_receive) MW_MUST_CHECK;
mw_status mw_wire_done(mw_wire *wire, bool *done) MW_MUST_CHECK;
mw_status mw_wire_finish(mw_wire *wire) MW_MUST_CHECK;

/* meet(), its wait counted. */
mw_status mw_wire_meet(mw_wire *wire) MW_MUST_CHECK;

/* The last meeting of a move, after which what others took of this rank's
 * memory is counted. */
mw_status mw_wire_part_with(mw_wire *wire) MW_MUST_CHECK;

/* Sends n_send bytes to one rank while receiving n_receive from another.
 * A count of 0 is no message. MW_ERUN: the transport failed. */
mw_status mw_wire_swap(mw_wire *wire, int to, const void *send, int64_t n_send,
                       int from, void *receive,
                       int64_t n_receive) MW_MUST_CHECK;

#endif
