/*
 * plan_file.h - the plan as JSON (docs/plan-format.md), written, read, put back
 * to work and judged.
 *
 * A plan file holds the choices and all that mw_plan_build() made of them.
 * Reading takes the graph, the mesh and the choices; mw_plan_restore() adds the
 * paths that the file names, without a cost model, for a run; mw_plan_check()
 * makes everything anew from the choices with a cost model and compares each
 * value. It knows nothing of the search.
 */
#ifndef MW_IR_PLAN_FILE_H
#define MW_IR_PLAN_FILE_H

#include "base/hash.h"
#include "base/json.h"
#include "ir/import.h"
#include "ir/plan.h"

enum { MW_PLAN_VERSION = 1 };

/* A row of the ranking. With choices, its figures are checked like the
 * plan's. */
typedef struct mw_plan_row {
    const char *name;   /* "best", "data parallel" */
    const char *status; /* "ok", "infeasible", … */
    const char *reason; /* or NULL */
    bool baseline;
    bool has_figures; /* else time, comm and peak are null */
    int64_t time_ps, comm_ps, peak_bytes;
    bool has_bound;
    int64_t bound;             /* picoseconds */
    const char *mesh;          /* where rows are of several: "2x4"; or NULL */
    int64_t n_ranks;           /* of that mesh */
    double efficiency;         /* of it; 0: not known */
    const mw_choices *choices; /* or NULL */
} mw_plan_row;

/* The largest size of a dimension that fits the memory (--largest). */
typedef struct mw_plan_largest_size {
    const char *dim;
    int64_t size;
    int64_t next;        /* the least size known not to do; 0: none */
    const char *refused; /* why the model takes no `next`; NULL: it does not
                            fit the memory, proven */
} mw_plan_largest_size;

/* A wall time; outside the digest. */
typedef struct mw_plan_timing {
    const char *name; /* "search_s" */
    double seconds;
} mw_plan_timing;

/* What a plan file says besides the plan. */
typedef struct mw_plan_info {
    const char *source; /* the model's file or built-in name */
    const char *sha256; /* of the file; "" when there is none */
    /* What the source was read with, so that a run reads it alike: "options"
     * of "model" (`values` aside). NULL: nothing. */
    const mw_import_options *options;
    const char *machine;   /* JSON text of an object: enough to price again */
    const char *scope;     /* "tensor", "global" */
    const char *objective; /* "time", "peak" */
    const char *status;    /* "optimal", "feasible" */
    const char *proof;     /* "exact", "tolerance", or NULL */
    bool has_bound;
    int64_t bound;   /* on the objective: picoseconds, or bytes */
    int64_t threads; /* of each rank; 0: as many as its share of cores */
    int64_t overhead_bytes;
    int64_t memory_limit_bytes; /* 0: none */
    const mw_plan_timing *timing;
    int n_timings;
    const mw_plan_row *row; /* best first */
    int n_rows;
    /* Time against memory (--pareto): each takes less memory and more time than
     * the one before. NULL: not asked for. */
    const mw_plan_row *pareto;
    int n_pareto;
    bool pareto_whole;                   /* nothing is left out between them */
    const mw_plan_largest_size *largest; /* or NULL */
} mw_plan_info;

/* Appends the whole document. MW_EINPUT: info->machine is no JSON object. */
mw_status mw_plan_write(mw_ctx *ctx, const mw_plan *plan,
                        const mw_plan_info *info, mw_text *text) MW_MUST_CHECK;

/* What a collective is said to send, at the rank that sends most. */
typedef struct mw_plan_volume {
    const char *path; /* "ops[3].collectives[0]" */
    int64_t bytes;
} mw_plan_volume;

/* What a file says; borrowed from the arena it was read into. */
typedef struct mw_plan_file {
    mw_arena *arena;
    const mw_json *json;
    const char *name; /* of the file, for messages */
    mw_graph graph;
    mw_mesh mesh;
    mw_choices choices;
    mw_plan_info info;
    const char *digest;           /* as it stands in the file */
    char computed[MW_SHA256_HEX]; /* of the file's bytes */
    /* as it stands under `predicted` */
    double time_s, compute_s, comm_s;
    int64_t bytes_sent, live_peak_bytes, peak_bytes;
    int64_t *bytes_by_rank; /* of each rank of the mesh */
    /* Of every collective in the order they run: by op, its copies, window
     * exchanges and outputs. After mw_plan_restore(). */
    mw_plan_volume *volume;
    int64_t n_volumes, cap_volumes;
} mw_plan_file;

/* MW_EINPUT names file, position and path of what does not fit, also names in
 * `requires` that this version does not know. */
mw_status mw_plan_read(mw_ctx *ctx, mw_arena *arena, const char *path,
                       mw_plan_file *file) MW_MUST_CHECK;
mw_status mw_plan_read_text(mw_ctx *ctx, mw_arena *arena, const char *name,
                            const char *text, size_t length,
                            mw_plan_file *file) MW_MUST_CHECK;

/* The plan to run: paths, kernels and times as the file names them, the rest
 * as mw_plan_build() makes it of these. file outlives plan. MW_EINPUT: the
 * digest is not that of the file, a choice or a step is illegal. */
mw_status mw_plan_restore(mw_ctx *ctx, mw_plan_file *file,
                          mw_plan *plan) MW_MUST_CHECK;

typedef struct mw_plan_difference {
    const char *path; /* "ops[3].time_s" */
    const char *found, *wanted;
} mw_plan_difference;

typedef struct mw_plan_verdict {
    int64_t n_values; /* compared */
    int64_t n_rows;   /* of the ranking, made anew */
    mw_plan_difference *difference;
    int64_t n_differences, cap_differences;
} mw_plan_verdict;

/* Makes everything but `timing` and the bound anew from graph, choices and
 * costs (those of file->info.machine), and compares. What makes the choices
 * illegal is a difference too. */
mw_status mw_plan_check(mw_ctx *ctx, mw_plan_file *file, const mw_costs *costs,
                        mw_plan_verdict *verdict) MW_MUST_CHECK;

#endif
