/*
 * remat.h - activations that a training step computes again in its backward
 * pass instead of keeping them.
 *
 * Made of the finished step that keeps all. Its forward ops fall into segments:
 * the layers where ops repeat, and what lies around them. What a later segment
 * reads is kept; any other result may be made again from that, just before the
 * backward pass first reads it. Which ones are is a choice of the search:
 * mw_remat_pairs() holds both ways of every candidate in one graph, and
 * mw_remat_step() makes the step of one choice. Ops that both have stand in the
 * same order, so the figures of a choice are those of its step.
 */
#ifndef MW_IR_REMAT_H
#define MW_IR_REMAT_H

#include "ir/graph.h"
#include "ir/life.h"

typedef enum mw_remat_kind {
    MW_REMAT_OP,     /* an op of the step */
    MW_REMAT_AGAIN,  /* a forward op once more, or a view of what is made so */
    MW_REMAT_SELECT, /* one of several results of that, or what was kept */
    MW_REMAT_HOLD, /* a tensor that is only kept, from here on read as another:
                      so that its life ends where its last reader stands */
    MW_REMAT_NEXT  /* the same behind a reader that may not be there */
} mw_remat_kind;

typedef struct mw_remat_item {
    mw_remat_kind kind;
    int op;       /* of the step; NEXT: the one whose repetition reads it */
    mw_id tensor; /* root in the step; MW_NONE: none, or several */
    int made;     /* its op in the graph made last, or MW_NONE */
} mw_remat_item;

typedef struct mw_remat {
    mw_arena *arena;
    const mw_graph *step; /* keeps all; borrowed */
    mw_id result;         /* root of the loss */
    int n_forward;        /* ops up to it */
    int n_segments;
    int *segment; /* of each forward op */
    bool *layer;  /* of each segment: it repeats */
    int n_items;
    int64_t cap_items;
    mw_remat_item *item;
    int n_candidates;
    mw_id *candidate; /* roots that may be computed again, in order */
    /* Of each tensor of the step, in the graph made last: itself; what the
     * backward pass reads in its place; and what its op's repetition makes.
     * MW_NONE where there is nothing. */
    mw_id *first, *again, *repeated;
} mw_remat;

/* step: one with its only result, the loss, behind its forward part. */
mw_status mw_remat_plan(mw_arena *arena, const mw_graph *step,
                        mw_remat *remat) MW_MUST_CHECK;

/* Marks what is computed again, of each candidate: in levels from 0 (nothing)
 * on, the first layers first, each time all but what is dear, then all. Without
 * layers the other segments count as such. */
int mw_remat_levels(const mw_remat *remat);
void mw_remat_level(const mw_remat *remat, int level, bool *again);

/* The step of a choice, into an initialised empty graph. Sets item[].made. */
mw_status mw_remat_step(mw_remat *remat, const bool *again,
                        mw_graph *made) MW_MUST_CHECK;

/* What a pair's op may do. */
typedef enum mw_pair_kind {
    MW_PAIR_AGAIN,  /* compute `again`, its only result, or hold `kept` */
    MW_PAIR_RUN,    /* compute several results, or not be there */
    MW_PAIR_SELECT, /* no more than name `made`, one of these, or hold `kept` */
    MW_PAIR_HOLD    /* hold `kept` */
} mw_pair_kind;

/* A tensor that is made anew or kept. Exactly one of three holds: `again` is
 * what was computed; or it is `kept` itself, which lives as `gap` until then;
 * or nobody reads `again`, and it is not there. */
typedef struct mw_remat_pair {
    mw_pair_kind kind;
    mw_id op;
    mw_id kept, gap, again; /* gap: MW_NONE when there is no step between */
    mw_id made;             /* of SELECT */
    int candidate;          /* or MW_NONE */
} mw_remat_pair;

/* Some strategies run the op. */
bool mw_pair_runs(const mw_remat_pair *pair);

/* An op that reads `again` of a pair in place of a root. */
typedef struct mw_remat_reader {
    mw_id op, root, instead;
} mw_remat_reader;

typedef struct mw_remat_pairs {
    mw_graph graph; /* not to be run */
    mw_life *life;  /* of each tensor */
    int *of_op;     /* pair of each op, or MW_NONE */
    int n_pairs;
    int64_t cap_pairs;
    mw_remat_pair *pair;
    int n_readers;
    int64_t cap_readers;
    mw_remat_reader *reader; /* by op */
} mw_remat_pairs;

/* Sets item[].made, and first, again and repeated. */
mw_status mw_remat_pairs_make(mw_remat *remat,
                              mw_remat_pairs *pairs) MW_MUST_CHECK;

/* What op reads in place of root: root itself for most. */
mw_id mw_remat_read(const mw_remat_pairs *pairs, mw_id op, mw_id root);

#endif
