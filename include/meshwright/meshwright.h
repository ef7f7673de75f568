/*
 * meshwright.h - the public interface, the only header that is installed.
 *
 * A planner takes a model and a mesh, and holds the best layout with its
 * figures:
 *
 *     mw_planner *planner = mw_planner_open();
 *     mw_planner_request request = {.model = "net.onnx", .mesh = "2x2"};
 *     if (planner && mw_planner_plan(planner, &request) == 0)
 *         printf("%g s\n", mw_planner_time_s(planner));
 *     mw_planner_close(planner);
 *
 * Handles are opaque and belong to one thread. The library never prints, exits
 * or aborts. The soname changes only when this file breaks.
 */
#ifndef MESHWRIGHT_MESHWRIGHT_H
#define MESHWRIGHT_MESHWRIGHT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MW_VERSION "0.1.0"

/* The version of the library that is linked, "MAJOR.MINOR.PATCH". */
const char *mw_version(void);

typedef struct mw_planner mw_planner;

/* The size of a symbolic dimension of the model. */
typedef struct mw_planner_dim {
    const char *name;
    int64_t size;
} mw_planner_dim;

/* What is wanted, like the options of `meshwright plan`. Zero everything, then
 * set model and mesh at least. Nothing of it is kept. */
typedef struct mw_planner_request {
    const char *model;         /* a file: .onnx, .mlir or .mw */
    const char *mesh;          /* "data=2,model=2", "2x2" or "4" */
    const char *machine;       /* a preset or a file; NULL: this machine */
    const mw_planner_dim *dim; /* n_dims of them */
    int n_dims;
    int global;           /* not 0: one rule for all tensors */
    int least_peak;       /* not 0: least memory, then time */
    int even;             /* not 0: only splits that divide */
    int64_t memory_bytes; /* of a processor; 0: unlimited */
    double time_limit_s;  /* 0: 60, or none where iterations are given */
    int64_t iterations;   /* 0: no such limit; else always the same answer */
    uint64_t seed;
    int axis_orders;     /* not 0: the mesh's axes in every order that matters;
                            the best is planned */
    const char *largest; /* a dimension: planned at its largest size that fits
                            memory_bytes (0: the machine's); or NULL */
} mw_planner_request;

/* NULL: out of memory. */
mw_planner *mw_planner_open(void);

/* Searches. 0, or what the command would exit with: 2 wrong usage, 3 bad input,
 * 4 no layout fits the memory, 5 out of memory or nothing found in time, 6 a
 * bug of ours. A planner may plan again; the answer before it is gone then,
 * whatever comes of it. */
int mw_planner_plan(mw_planner *planner, const mw_planner_request *request);

/* What went wrong, "net.mw:12:7: ..." or "option: ..."; "" after a success.
 * Until the next plan. */
const char *mw_planner_message(const mw_planner *planner);

/* The plan's figures, 0 without a plan: the predicted time of a step, the bytes
 * that the rank sending most sends, and the memory of a rank. */
double mw_planner_time_s(const mw_planner *planner);
int64_t mw_planner_bytes_sent(const mw_planner *planner);
int64_t mw_planner_peak_bytes(const mw_planner *planner);

/* The largest size of the dimension that was asked for: it fits, by the plan;
 * 0 where none was asked for, or none fits. bound, unless NULL: no size from
 * there on does, as is proven; 0: that is not known. */
int64_t mw_planner_largest(const mw_planner *planner, int64_t *bound);

/* 1 when no layout is better under the cost model, and that is proven. */
int mw_planner_optimal(const mw_planner *planner);

/* The whole plan as JSON, what `meshwright plan -o` writes and `meshwright
 * run` takes; NULL without a plan. Until the next plan. */
const char *mw_planner_json(const mw_planner *planner);

/* Accepts NULL. */
void mw_planner_close(mw_planner *planner);

#ifdef __cplusplus
}
#endif

#endif
