/*
 * measured.h - figures measured on the real hardware, as a cost model reads
 * them: exact where the same kernel key was measured, interpolated between
 * neighbours, extrapolated beyond them.
 *
 * A kernel's key is its op, element type, threads and, for each letter in the
 * order in which operands show them, its extent: "einsum f32 t1
 * abc,cd->abd 8,128,384,64"; of one with a body also the ops within.
 * Contractions interpolate their rate (flops per second) over log (batch, m, n,
 * k); all else interpolates time over bytes. Collectives interpolate time over
 * bytes for the same ranks and stride; for others the nearest measured group is
 * rescaled by the formulas of machine.h. Of the ways measured the fastest is
 * taken; halving and hierarchical ones only for the very group, as others may
 * be laid out otherwise.
 */
#ifndef MW_PROFILES_MEASURED_H
#define MW_PROFILES_MEASURED_H

#include "base/json.h"
#include "profiles/machine.h"

typedef struct mw_kernel_sample {
    const char *op;
    mw_dtype dtype;
    const char *key;
    double flops, bytes;
    int64_t gemm[4]; /* batch, m, n, k of a contraction; else 0 */
    double seconds;
} mw_kernel_sample;

typedef struct mw_collective_sample {
    mw_collective kind;
    mw_way way;
    int64_t ranks;  /* in the group */
    int64_t stride; /* between neighbours of the group */
    int64_t bytes;  /* as mw_costs.step_ps counts them */
    double seconds;
} mw_collective_sample;

typedef struct mw_measured {
    const char *fingerprint; /* of hardware and software, see db/ */
    const char *taken;       /* when, ISO 8601 */
    int threads;             /* a rank */
    int64_t ranks;
    int n_kernels, n_collectives;
    mw_kernel_sample *kernel;         /* by op, dtype, bytes, key */
    mw_collective_sample *collective; /* by kind, way, ranks, stride, bytes */
} mw_measured;

/* The key of an op with these local extents, empty where it would be too long
 * (such an op is interpolated); NULL with MW_ENOMEM recorded. */
char *mw_kernel_key(mw_arena *arena, const mw_graph *graph, const mw_op *op,
                    const int64_t extent[MW_MAX_LETTERS]);

/* What a sample of this op must say, but for the time. */
mw_status mw_kernel_sample_of(mw_arena *arena, const mw_graph *graph,
                              const mw_op *op,
                              const int64_t extent[MW_MAX_LETTERS],
                              mw_kernel_sample *sample) MW_MUST_CHECK;

/* False when there is none of that name. */
bool mw_collective_by_name(const char *name, mw_collective *kind);

/* Ranks of a group along axes, and the stride of the innermost of them. */
void mw_group_of(const mw_mesh *mesh, uint32_t axes, int64_t *ranks,
                 int64_t *stride);

/* A collective, as mw_costs.step_ps() is asked about it. */
typedef struct mw_move_size {
    const mw_mesh *mesh;
    mw_collective kind;
    uint32_t axes;
    int64_t bytes, peers;
} mw_move_size;

/* Sorts the samples; call before anything is asked. */
void mw_measured_sort(mw_measured *measured);

/* False when nothing comparable was measured. *way: the fastest. */
bool mw_measured_op(const mw_measured *measured, const mw_graph *graph,
                    const mw_op *op, const int64_t extent[MW_MAX_LETTERS],
                    double *seconds, mw_source *source);
bool mw_measured_step(const mw_measured *measured, const mw_move_size *what,
                      double *seconds, mw_way *way);

mw_status mw_measured_read(mw_ctx *ctx, mw_arena *arena, const mw_json *root,
                           const mw_measured **measured) MW_MUST_CHECK;
void mw_measured_put(mw_json_out *out, const char *key,
                     const mw_measured *measured);

#endif
