/*
 * npy.h - the header of numpy's array format, versions 1 to 3.
 */
#ifndef MW_RUNTIME_NPY_H
#define MW_RUNTIME_NPY_H

#include "runtime/tensor_file.h"

enum { MW_NPY_PREFIX = 12, MW_NPY_HEADER_MAX = 1 << 16 };

/* Bytes before the values, told from the first n (at least 10) bytes. */
mw_status mw_npy_header_bytes(mw_ctx *ctx, const unsigned char *bytes,
                              int64_t n, int64_t *header) MW_MUST_CHECK;

/* Type, shape and order from a whole header. */
mw_status mw_npy_header_parse(mw_ctx *ctx, const unsigned char *bytes,
                              int64_t header, mw_array *array,
                              bool *fortran) MW_MUST_CHECK;

/* Sets array->bytes from its type and shape; false on overflow or a negative
 * size. */
bool mw_array_measure(mw_array *array) MW_MUST_CHECK;

#endif
