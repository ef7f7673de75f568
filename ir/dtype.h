/*
 * dtype.h - element types: ONNX's numeric ones are stored, sized and costed;
 * kernels exist for a part of them (DESIGN section 4). Elements of less than a
 * byte are packed, the first in the lowest bits, and each block begins a byte.
 */
#ifndef MW_IR_DTYPE_H
#define MW_IR_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

/* constant, name in texts, bits, ONNX code, kind, executable */
#define MW_DTYPE_TABLE(X)                                                      \
    X(MW_F32, "f32", 32, 1, MW_CLASS_FLOAT, true)                              \
    X(MW_F64, "f64", 64, 11, MW_CLASS_FLOAT, true)                             \
    X(MW_F16, "f16", 16, 10, MW_CLASS_FLOAT, false)                            \
    X(MW_BF16, "bf16", 16, 16, MW_CLASS_FLOAT, false)                          \
    X(MW_I8, "i8", 8, 3, MW_CLASS_SIGNED, true)                                \
    X(MW_I16, "i16", 16, 5, MW_CLASS_SIGNED, false)                            \
    X(MW_I32, "i32", 32, 6, MW_CLASS_SIGNED, true)                             \
    X(MW_I64, "i64", 64, 7, MW_CLASS_SIGNED, true)                             \
    X(MW_U8, "u8", 8, 2, MW_CLASS_UNSIGNED, true)                              \
    X(MW_U16, "u16", 16, 4, MW_CLASS_UNSIGNED, false)                          \
    X(MW_U32, "u32", 32, 12, MW_CLASS_UNSIGNED, true)                          \
    X(MW_U64, "u64", 64, 13, MW_CLASS_UNSIGNED, true)                          \
    X(MW_BOOL, "bool", 8, 9, MW_CLASS_BOOL, true)                              \
    X(MW_F8E4M3FN, "f8e4m3fn", 8, 17, MW_CLASS_FLOAT, false)                   \
    X(MW_F8E4M3FNUZ, "f8e4m3fnuz", 8, 18, MW_CLASS_FLOAT, false)               \
    X(MW_F8E5M2, "f8e5m2", 8, 19, MW_CLASS_FLOAT, false)                       \
    X(MW_F8E5M2FNUZ, "f8e5m2fnuz", 8, 20, MW_CLASS_FLOAT, false)               \
    X(MW_F8E8M0, "f8e8m0", 8, 24, MW_CLASS_FLOAT, false)                       \
    X(MW_F4E2M1, "f4e2m1", 4, 23, MW_CLASS_FLOAT, false)                       \
    X(MW_I4, "i4", 4, 22, MW_CLASS_SIGNED, false)                              \
    X(MW_U4, "u4", 4, 21, MW_CLASS_UNSIGNED, false)                            \
    X(MW_I2, "i2", 2, 26, MW_CLASS_SIGNED, false)                              \
    X(MW_U2, "u2", 2, 25, MW_CLASS_UNSIGNED, false)                            \
    X(MW_C64, "c64", 64, 14, MW_CLASS_COMPLEX, false)                          \
    X(MW_C128, "c128", 128, 15, MW_CLASS_COMPLEX, false)

typedef enum mw_dtype {
#define MW_DTYPE_ENUM(code, name, bits, onnx, kind, executable) code,
    MW_DTYPE_TABLE(MW_DTYPE_ENUM)
#undef MW_DTYPE_ENUM
        MW_N_DTYPES
} mw_dtype;

typedef enum mw_class {
    MW_CLASS_FLOAT,
    MW_CLASS_SIGNED,
    MW_CLASS_UNSIGNED,
    MW_CLASS_BOOL,
    MW_CLASS_COMPLEX
} mw_class;

const char *mw_dtype_name(mw_dtype dtype);
mw_class mw_dtype_class(mw_dtype dtype);
int mw_dtype_bits(mw_dtype dtype);
/* Of an element by itself: a byte at least. */
int64_t mw_dtype_bytes(mw_dtype dtype);
/* Of n elements, packed. */
int64_t mw_dtype_size(mw_dtype dtype, int64_t n);
/* Of the two parts of a complex number; else the type itself. */
mw_dtype mw_dtype_part(mw_dtype dtype);
/* Elements are numbers that lie in bytes of their own. The others are planned
 * and sized, and neither moved nor computed with. */
bool mw_dtype_runs(mw_dtype dtype);
bool mw_dtype_is_float(mw_dtype dtype);
/* Kernels exist for it (possibly by an explicit cast elsewhere). */
bool mw_dtype_executable(mw_dtype dtype);
/* False when there is none of that name, or of that ONNX code. */
bool mw_dtype_by_name(const char *name, mw_dtype *dtype);
bool mw_dtype_by_onnx(int code, mw_dtype *dtype);

#endif
