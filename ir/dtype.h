/*
 * dtype.h - element types: ONNX's numeric ones are stored, sized and costed;
 * kernels exist for a part of them (DESIGN section 4).
 */
#ifndef MW_IR_DTYPE_H
#define MW_IR_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

/* constant, name in texts, bytes, ONNX code, executable */
#define MW_DTYPE_TABLE(X)                                                      \
    X(MW_F32, "f32", 4, 1, true)                                               \
    X(MW_F64, "f64", 8, 11, true)                                              \
    X(MW_F16, "f16", 2, 10, false)                                             \
    X(MW_BF16, "bf16", 2, 16, false)                                           \
    X(MW_I8, "i8", 1, 3, true)                                                 \
    X(MW_I16, "i16", 2, 5, false)                                              \
    X(MW_I32, "i32", 4, 6, true)                                               \
    X(MW_I64, "i64", 8, 7, true)                                               \
    X(MW_U8, "u8", 1, 2, true)                                                 \
    X(MW_U16, "u16", 2, 4, false)                                              \
    X(MW_U32, "u32", 4, 12, true)                                              \
    X(MW_U64, "u64", 8, 13, true)                                              \
    X(MW_BOOL, "bool", 1, 9, true)

typedef enum mw_dtype {
#define MW_DTYPE_ENUM(code, name, bytes, onnx, executable) code,
    MW_DTYPE_TABLE(MW_DTYPE_ENUM)
#undef MW_DTYPE_ENUM
        MW_N_DTYPES
} mw_dtype;

const char *mw_dtype_name(mw_dtype dtype);
int64_t mw_dtype_bytes(mw_dtype dtype);
bool mw_dtype_is_float(mw_dtype dtype);
/* Kernels exist for it (possibly by an explicit cast elsewhere). */
bool mw_dtype_executable(mw_dtype dtype);
/* False when there is none of that name, or of that ONNX code. */
bool mw_dtype_by_name(const char *name, mw_dtype *dtype);
bool mw_dtype_by_onnx(int code, mw_dtype *dtype);

#endif
