/* dtype.c - the table of element types. */
#include "ir/dtype.h"

#include <stddef.h>
#include <string.h>

static const struct row {
    const char *name;
    int bits, onnx;
    mw_class kind;
    bool executable;
} rows[] = {
#define MW_DTYPE_ROW(code, name, bits, onnx, kind, executable)                 \
    {name, bits, onnx, kind, executable},
    MW_DTYPE_TABLE(MW_DTYPE_ROW)
#undef MW_DTYPE_ROW
};

const char *mw_dtype_name(mw_dtype dtype)
{
    return rows[dtype].name;
}

mw_class mw_dtype_class(mw_dtype dtype)
{
    return rows[dtype].kind;
}

int mw_dtype_bits(mw_dtype dtype)
{
    return rows[dtype].bits;
}

int64_t mw_dtype_bytes(mw_dtype dtype)
{
    return (rows[dtype].bits + 7) / 8;
}

int64_t mw_dtype_size(mw_dtype dtype, int64_t n)
{
    int64_t in_byte = 8 / rows[dtype].bits;
    return in_byte > 1 ? n / in_byte + (n % in_byte > 0)
                       : n * mw_dtype_bytes(dtype);
}

mw_dtype mw_dtype_part(mw_dtype dtype)
{
    if (rows[dtype].kind != MW_CLASS_COMPLEX)
        return dtype;
    return rows[dtype].bits == 64 ? MW_F32 : MW_F64;
}

bool mw_dtype_runs(mw_dtype dtype)
{
    return rows[dtype].bits >= 8 && rows[dtype].kind != MW_CLASS_COMPLEX;
}

bool mw_dtype_is_float(mw_dtype dtype)
{
    return rows[dtype].kind == MW_CLASS_FLOAT;
}

bool mw_dtype_executable(mw_dtype dtype)
{
    return rows[dtype].executable;
}

bool mw_dtype_by_name(const char *name, mw_dtype *dtype)
{
    for (int i = 0; i < MW_N_DTYPES; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *dtype = (mw_dtype)i;
            return true;
        }
    }
    return false;
}

bool mw_dtype_by_onnx(int code, mw_dtype *dtype)
{
    for (int i = 0; i < MW_N_DTYPES; i++) {
        if (rows[i].onnx == code) {
            *dtype = (mw_dtype)i;
            return true;
        }
    }
    return false;
}
