/*
 * payload.h - the values of a tensor that an ONNX file stores: raw bytes,
 * typed fields or external data.
 *
 * Raw bytes are pointed at where the file is mapped, so all but small ones may
 * be unaligned.
 * External data is looked at (there, long enough) and mapped only when the
 * values are wanted.
 */
#ifndef MW_IR_IMPORT_PAYLOAD_H
#define MW_IR_IMPORT_PAYLOAD_H

#include "ir/import/files.h"
#include "ir/import/onnx.h"

typedef struct mw_payload {
    mw_arena *arena;
    mw_import_files *files;
    const char *model; /* path of the file */
    bool values;       /* map external data */
} mw_payload;

/* Sets dtype, shape and data of `tensor`. MW_EINPUT names the tensor: an
 * element type that is not supported, a bad shape, values that are too few,
 * too many, missing or outside the model's folder. */
mw_status mw_payload_read(const mw_payload *from, const mw_onnx_tensor *stored,
                          const char *name, mw_tensor *tensor) MW_MUST_CHECK;

/* The same refusals, but for values that have to be decoded to be counted;
 * nothing is kept. */
mw_status mw_payload_check(const mw_payload *from, const mw_onnx_tensor *stored,
                           const char *name) MW_MUST_CHECK;

/* The name of an ONNX element type, for messages: "string". */
const char *mw_payload_type(int elem_type);

#endif
