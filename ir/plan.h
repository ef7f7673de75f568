/*
 * plan.h - where search and runtime meet. The search chooses a strategy for
 * each op and a home layout for each tensor; mw_plan_build() derives all else
 * from that, the same way for the search's answer, for `check` and for tests.
 *
 * Step k of the schedule is op k. Within it: copies of inputs whose home is
 * not the layout the op takes (a copy lives during that step only; inputs of
 * the op with one root that need one layout share it), window exchanges, the
 * kernel, and the conversion of outputs to their homes.
 * live_peak_bytes is the largest sum, over steps, at the largest rank, of:
 *   homes that live then (ir/life.h),
 *   and, for the step's op: each copy and its path's scratch; each window's
 *     fetched box and its staging; the kernel's workspace; for each output
 *     whose natural layout is not its home, the natural block and its path's
 *     scratch.
 * Every buffer counts rounded up to MW_ALIGN, as it lies in the arena: so what
 * the limit is put on is what packing must reach.
 * Renamed tensors share their root's home and add nothing. Reductions that go
 * on beside later ops (ir/plan_overlap.h) hold their blocks longer, but never
 * more than what live_peak_bytes leaves at a step.
 */
#ifndef MW_IR_PLAN_H
#define MW_IR_PLAN_H

#include "ir/reshard_window.h"

typedef struct mw_choices {
    mw_strategy *op; /* of each op; `rename` ops: ignored */
    mw_layout *home; /* of each tensor; only roots' are read */
} mw_choices;

/* In the arena, the same on every rank; bytes are those of the largest rank,
 * not rounded. */
typedef struct mw_buffer {
    int64_t offset, bytes;
} mw_buffer;

/* A copy of an input for one op. */
typedef struct mw_copy {
    mw_id tensor; /* root */
    mw_layout layout;
    const mw_path *path;
    mw_buffer buffer, scratch;
} mw_copy;

/* A window exchange inside an op: pieces of neighbours' blocks. */
typedef struct mw_fetch {
    int input;
    uint32_t axes;
    int64_t bytes_sent; /* of the rank that sends most */
    int64_t time_ps;
    mw_buffer buffer; /* of the fetched block */
    mw_buffer scratch;
} mw_fetch;

typedef struct mw_plan_op {
    mw_strategy strategy;
    const char *kernel; /* name of the kernel row that runs it */
    mw_source source;
    int64_t time_ps; /* local */
    int *copy;       /* of each input: index into copies, or MW_NONE */
    int n_copies;
    mw_copy *copies;
    int n_fetches;
    mw_fetch *fetch;
    mw_buffer workspace;
    /* of each output */
    mw_layout *natural;
    const mw_path **out_path; /* natural to home; n_steps 0 when equal */
    mw_buffer *out_natural;   /* bytes 0 when written straight to its home */
    mw_buffer *out_scratch;
    /* of each output: the step at whose start its path must have ended; the
     * op's own: within it. Its blocks live until then. */
    int32_t *out_until;
    int32_t late; /* the step at whose start the op runs, or n_ops: at the end;
                     its own as a rule (ir/plan_overlap.h) */
} mw_plan_op;

typedef struct mw_plan {
    const mw_graph *graph;
    const mw_mesh *mesh;
    const mw_choices *choices;
    mw_plan_op *op;
    mw_buffer *home; /* of each tensor; renamed ones: the root's */
    int64_t time_ps, compute_ps, comm_ps;
    int64_t replay_ps; /* with what goes on beside (ir/plan_replay.h); at most
                          time_ps, the sum of the other two */
    int64_t *bytes_by_rank;
    int64_t bytes_sent; /* the largest of these */
    int64_t live_peak_bytes;
    int peak_step;
    int64_t peak_bytes;  /* the arena */
    int n_steps;         /* ops, or 1 when there are none */
    int64_t *live_bytes; /* by step */
} mw_plan;

/* A `rename`: no kernel, no buffer of its own, no strategy. */
bool mw_op_is_rename(const mw_graph *graph, const mw_op *op);

/* Why a tensor cannot be kept so: what mw_layout_refusal() says, or it is
 * partial though it comes from outside or is a result. NULL when it can. */
const char *mw_home_refusal(const mw_mesh *mesh, const mw_tensor *tensor,
                            const mw_layout *home);

/* What an op does by itself under a strategy, whatever the homes are. The rest
 * of a plan's time and memory is what mw_reshard() says of natural layouts,
 * homes and copies: one copy for each distinct layout in which an op takes a
 * root, if that is not its home. */
typedef struct mw_op_price {
    int64_t time_ps;      /* local */
    int64_t fetch_ps;     /* window exchanges */
    int64_t memory_bytes; /* at its step: workspace, fetched boxes, staging,
                             each rounded up to MW_ALIGN */
} mw_op_price;

/* The figures that mw_plan_build() takes for the op, so that a search can
 * tabulate them. MW_EINPUT: the strategy is illegal. */
mw_status mw_plan_op_price(mw_ctx *ctx, const mw_graph *graph,
                           const mw_mesh *mesh, const mw_costs *costs, mw_id op,
                           const mw_strategy *strategy,
                           mw_op_price *price) MW_MUST_CHECK;

/* Derives the plan; costs: NULL leaves local times 0. Offsets and peak_bytes
 * are packed when `pack`, else 0. Everything lies in the arena; graph, choices
 * and resharder are borrowed. MW_EINPUT: a choice is illegal, or a home cannot
 * be reached, naming op or tensor. */
mw_status mw_plan_build(mw_arena *arena, const mw_graph *graph,
                        mw_resharder *resharder, const mw_costs *costs,
                        const mw_choices *choices, bool pack,
                        mw_plan *plan) MW_MUST_CHECK;

#endif
