/*
 * safetensors.h - a JSON header of names, types, shapes and offsets before
 * the values of a file's tensors.
 */
#ifndef MW_RUNTIME_SAFETENSORS_H
#define MW_RUNTIME_SAFETENSORS_H

#include "runtime/tensor_file.h"

/* Fills in the arrays of a file that is mapped already. MW_EINPUT. */
mw_status mw_safetensors_describe(mw_arena *arena,
                                  mw_tensor_file *file) MW_MUST_CHECK;

/* Begins a file of arrays (name, dtype, rank, size, bytes), with pairs of texts
 * about it (up to the first without key; NULL: none). What is added next are
 * the arrays' values, dense and row-major, in this order; then it is
 * committed. MW_ERUN names the path. */
typedef struct mw_safetensors_note {
    const char *key, *value;
} mw_safetensors_note;
mw_status mw_safetensors_begin(mw_ctx *ctx, const char *path,
                               const mw_array array[], int n,
                               const mw_safetensors_note note[],
                               mw_out *out) MW_MUST_CHECK;

/* Writes arrays (name, dtype, rank, size) with their values, data[i] dense and
 * row-major; all or nothing of the file appears. MW_ERUN names the path. */
mw_status mw_safetensors_write(mw_ctx *ctx, const char *path,
                               const mw_array array[], const void *const data[],
                               int n) MW_MUST_CHECK;

#endif
