/*
 * emit.h - how a rule writes a node in primitives.
 *
 * A rule is a formula: every call takes tensors and returns one. After a
 * failure, which call->status keeps, calls return MW_NONE and pass it on, so
 * that a rule asks once, in the end: return mw_emit_set(call, 0, y).
 * Whatever does nothing (a full slice, a cast to the same type) is left out,
 * what depends on no input is computed (ir/fold.h), and types that have no
 * kernels are computed in f32 or i32 between visible casts.
 */
#ifndef MW_IR_IMPORT_EMIT_H
#define MW_IR_IMPORT_EMIT_H

#include "ir/import/onnx.h"

/* Any op of the registry with one output. */
mw_id mw_emit(mw_onnx_call *call, const char *def, const mw_id in[], int n_in,
              const mw_attr attr[], int n_attr);

/* An op of n results; MW_NONE, all of them, after a failure. */
enum { MW_EMIT_RESULTS = 2 };
void mw_emit_results(mw_onnx_call *call, const mw_op_spec *wanted, mw_id out[],
                     int n);

/* An op of one operand and two results: values and indices. */
void mw_emit_two(mw_onnx_call *call, const char *def, mw_id x,
                 const mw_attr attr[], int n_attr, mw_id out[2]);

/* Maps: right-aligned broadcasting. */
mw_id mw_emit1(mw_onnx_call *call, const char *def, mw_id a);
mw_id mw_emit2(mw_onnx_call *call, const char *def, mw_id a, mw_id b);
mw_id mw_emit_where(mw_onnx_call *call, mw_id condition, mw_id a, mw_id b);
mw_id mw_emit_cast(mw_onnx_call *call, mw_id x, mw_dtype to);
/* A cast to a float of less than 16 bits, of what is too large for it: `held`
 * to the largest it has, or else what it has for such, infinity or no number.
 */
mw_id mw_emit_held(mw_onnx_call *call, mw_id x, mw_dtype to, bool held);

/* x op number, the number in x's type. */
mw_id mw_emit_by(mw_onnx_call *call, const char *def, mw_id x, double number);

/* Constants: a scalar; a scalar in x's type; a vector of i64; a copy of n
 * elements in a shape. */
mw_id mw_emit_number(mw_onnx_call *call, mw_dtype dtype, double number);
mw_id mw_emit_like(mw_onnx_call *call, mw_id x, double number);
mw_id mw_emit_vector(mw_onnx_call *call, const int64_t v[], int64_t n);
mw_id mw_emit_const(mw_onnx_call *call, const mw_tensor *tensor);

/* Axes of a reduction; n 0 reduces nothing. */
typedef struct mw_axes {
    int n;
    int axis[MW_MAX_RANK];
} mw_axes;

/* Axes [first, rank of x). */
mw_axes mw_axes_from(const mw_onnx_call *call, mw_id x, int first);

mw_id mw_emit_reduce(mw_onnx_call *call, const char *def, mw_id x,
                     const mw_axes *axes, bool keep);
mw_id mw_emit_mean(mw_onnx_call *call, mw_id x, const mw_axes *axes, bool keep);

mw_id mw_emit_transpose(mw_onnx_call *call, mw_id x, const int64_t perm[]);
mw_id mw_emit_reshape(mw_onnx_call *call, mw_id x, const int64_t shape[],
                      int rank);
mw_id mw_emit_broadcast(mw_onnx_call *call, mw_id x, const int64_t shape[],
                        int rank);
mw_id mw_emit_slice(mw_onnx_call *call, mw_id x, int axis, int64_t start,
                    int64_t step, int64_t count);
mw_id mw_emit_pad(mw_onnx_call *call, mw_id x, int axis, int64_t before,
                  int64_t after, double value);
mw_id mw_emit_concat(mw_onnx_call *call, const mw_id in[], int n, int axis);
mw_id mw_emit_gather(mw_onnx_call *call, mw_id table, mw_id indices, int axis);
mw_id mw_emit_einsum(mw_onnx_call *call, const char *spec, const mw_id in[],
                     int n);

/* The indices of the true elements of a vector, as a vector of i64. How many
 * there are follows from known values; else --dim says it, or what the file
 * declares of axis `axis` of the node's output `o`, and a run refuses another
 * number. */
mw_id mw_emit_places(mw_onnx_call *call, mw_id mask, int o, int axis);

/* x without its axis of size 1; with one more before `axis`. */
mw_id mw_emit_squeeze(mw_onnx_call *call, mw_id x, int axis);
mw_id mw_emit_unsqueeze(mw_onnx_call *call, mw_id x, int axis);

/* exp(x - max) / sum over axes, in primitives; log of it. */
mw_id mw_emit_softmax(mw_onnx_call *call, mw_id x, const mw_axes *axes);
mw_id mw_emit_log_softmax(mw_onnx_call *call, mw_id x, const mw_axes *axes);

/* 0, 1, ... along one axis of a tensor of that rank, the others of size 1. */
mw_id mw_emit_iota(mw_onnx_call *call, int64_t n, int axis, int rank);

/* (x - mean) / sqrt(variance + epsilon) over axes, and what was made of it. */
typedef struct mw_normal {
    mw_id y, mean, inverse; /* inverse of the standard deviation */
} mw_normal;
mw_normal mw_emit_normalize(mw_onnx_call *call, mw_id x, const mw_axes *axes,
                            double epsilon);

/* Makes id the node's output i; the status of the call. */
mw_status mw_emit_set(mw_onnx_call *call, int i, mw_id id);

/* The node's output i is named and so must be set. */
bool mw_emit_wanted(const mw_onnx_call *call, int i);

/* The tensor; a scalar f32 after a failure, so that rules need not ask. The
 * pointer is good until the next call of this header. */
const mw_tensor *mw_emit_tensor(const mw_onnx_call *call, mw_id id);
int mw_emit_rank(const mw_onnx_call *call, mw_id id);
int64_t mw_emit_size(const mw_onnx_call *call, mw_id id, int axis);
mw_dtype mw_emit_dtype(const mw_onnx_call *call, mw_id id);
/* Copies the sizes; returns the rank. */
int mw_emit_shape(const mw_onnx_call *call, mw_id id, int64_t shape[]);

/* An axis in [-rank, rank) made non-negative. A failure of the call (and 0)
 * otherwise. */
int mw_emit_axis(mw_onnx_call *call, int64_t axis, int rank);

#endif
