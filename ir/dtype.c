/* dtype.c - the table of element types. */
#include "ir/dtype.h"

#include <stddef.h>
#include <string.h>

static const struct row {
    const char *name;
    int64_t bytes;
    int onnx;
    bool executable;
} rows[] = {
#define MW_DTYPE_ROW(code, name, bytes, onnx, executable)                      \
    {name, bytes, onnx, executable},
    MW_DTYPE_TABLE(MW_DTYPE_ROW)
#undef MW_DTYPE_ROW
};

const char *mw_dtype_name(mw_dtype dtype)
{
    return rows[dtype].name;
}

int64_t mw_dtype_bytes(mw_dtype dtype)
{
    return rows[dtype].bytes;
}

bool mw_dtype_is_float(mw_dtype dtype)
{
    return dtype == MW_F32 || dtype == MW_F64 || dtype == MW_F16 ||
           dtype == MW_BF16;
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
