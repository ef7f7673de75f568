/*
 * machine.h - what a machine can do, from public figures or measured, and the
 * cost model that search and plan ask (ir/cost.h).
 *
 * A machine is nested levels, innermost first (cores of a host, hosts of a
 * rack, …), each with the latency and bandwidth of its links. A mesh axis
 * covers a contiguous run of ranks; its links are those of the outermost level
 * that one of its groups spans. Ranks are row-major, so the last mesh axis is
 * innermost.
 *
 * Local time of an op: overhead + max(flops / rate, bytes / bandwidth) of its
 * largest block (roofline), unless the machine carries measured figures of the
 * op's kernel. Collectives over p ranks, n bytes (DESIGN section 5):
 *   all_reduce 2(p-1)a + 2n(p-1)/p b, reduce_scatter and all_gather (n whole)
 *   and all_to_all (n local) (p-1)a + n(p-1)/p b, exchange peers a + n b.
 * A level may name other ways (ir/cost.h); the cheapest is taken:
 *   direct: one latency for all messages, which shared memory has; halving:
 *   log2 p in place of p-1; hierarchical: direct among the ranks within the
 *   levels inside, a ring of n/q between these groups of q.
 */
#ifndef MW_PROFILES_MACHINE_H
#define MW_PROFILES_MACHINE_H

#include "ir/cost.h"

enum { MW_MAX_LEVELS = 6 };

typedef struct mw_machine_level {
    const char *name;
    int64_t count;      /* of the inner level's groups; 0: any number */
    double latency_s;   /* of a message */
    double bytes_per_s; /* of one processor, one direction */
    uint32_t ways;      /* bit: mw_algorithm that its links are good for */
} mw_machine_level;

typedef struct mw_machine {
    const char *name, *brief, *source;
    double flops_per_s[MW_N_DTYPES]; /* of one processor; 0: as f32 */
    double memory_bytes_per_s;
    int64_t memory_bytes; /* of one processor */
    double op_overhead_s;
    int64_t overhead_bytes; /* what libraries take besides the arena */
    int n_levels;
    mw_machine_level level[MW_MAX_LEVELS];
    const struct mw_measured *measured; /* or NULL */
} mw_machine;

/* The cost model; borrows machine, which must outlive it. */
mw_costs mw_machine_costs(const mw_machine *machine);

/* A preset's name (profiles/machines/NAME.json, compiled in; "this": this
 * machine) or a file's path. MW_EUSAGE: no such name, near ones named;
 * MW_EINPUT: a file that does not fit, naming the key. */
mw_status mw_machine_find(mw_ctx *ctx, mw_arena *arena, const char *name,
                          mw_machine *machine) MW_MUST_CHECK;

/* JSON text in the arena (canonical; measured figures included), and back. */
mw_status mw_machine_print(mw_ctx *ctx, mw_arena *arena,
                           const mw_machine *machine,
                           char **json) MW_MUST_CHECK;
mw_status mw_machine_parse(mw_ctx *ctx, mw_arena *arena, const char *file,
                           const char *json, mw_machine *machine) MW_MUST_CHECK;

/* The same inside a larger document: the plan's "machine". */
struct mw_json;
struct mw_json_out;
mw_status mw_machine_read(mw_ctx *ctx, mw_arena *arena,
                          const struct mw_json *root,
                          mw_machine *machine) MW_MUST_CHECK;
void mw_machine_put(struct mw_json_out *out, const char *key,
                    const mw_machine *machine);

/* How many presets there are, "this" not among them, and their names. */
int mw_machine_presets(void);
const char *mw_machine_preset(int i);

/* The time of one collective among `ranks` by latency and bandwidth. */
double mw_collective_time_s(mw_collective kind, int64_t ranks, int64_t bytes,
                            int64_t peers, double latency_s,
                            double bytes_per_s);

/* How many consecutive members of a group along `axes` lie together inside one
 * group of a level below the one that it spans: what an inner group of a
 * hierarchical way may be. 1: there are none. */
int64_t mw_machine_inner(const mw_machine *machine, const mw_mesh *mesh,
                         uint32_t axes);

/* Bytes of an op's operands when its letters have these extents. */
double mw_op_block_bytes(const mw_graph *graph, const mw_op *op,
                         const int64_t extent[MW_MAX_LETTERS]);

#endif
