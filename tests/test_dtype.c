/*
 * test_dtype.c - element types: every value of the small ones goes through
 * load and store, what lies between is rounded, and plans size and refuse them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/number.h"
#include "tests/fixture.h"
#include "tests/shell.h"
#include "tests/test.h"

enum { CODES = 256 };

static double load(mw_dtype dtype, const void *data, int64_t at)
{
    mw_number x;
    mw_numbers_load(dtype, data, at, 1, 1, &x);
    return mw_number_cast(x, dtype, MW_F64).f;
}

static void store(mw_dtype dtype, void *data, int64_t at, double value)
{
    mw_number x = mw_number_cast((mw_number){.f = value}, MW_F64, dtype);
    mw_numbers_store(dtype, data, at, 1, 1, &x);
}

// Every pattern of bits that is a number is what is stored again, in bytes
// that other elements share.
static void patterns(mw_dtype dtype)
{
    uint8_t all[CODES], again[CODES];
    int bits = mw_dtype_bits(dtype), in_byte = 8 / bits;
    int64_t n = (int64_t)CODES * in_byte;
    CHECK(mw_dtype_size(dtype, n) == CODES &&
              mw_dtype_size(dtype, n + 1) == CODES + 1,
          "%s", mw_dtype_name(dtype));
    for (int i = 0; i < CODES; i++) {
        all[i] = (uint8_t)i;
        again[i] = 0;
    }
    int wrong = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = load(dtype, all, i);
        store(dtype, again, i, x);
        double y = load(dtype, again, i);
        wrong += isnan(x) ? !isnan(y) : !(x >= y && x <= y);
        wrong += !isnan(x) && in_byte == 1 && all[i] != again[i];
    }
    wrong += in_byte > 1 && memcmp(all, again, CODES) != 0;
    CHECK(wrong == 0, "%s: %d patterns differ", mw_dtype_name(dtype), wrong);
}

// Between neighbours the nearer is taken; half way one with an even pattern.
static void rounding(mw_dtype dtype)
{
    int patterns = 1 << (mw_dtype_bits(dtype) - 1), wrong = 0;
    for (int i = 0; i + 1 < patterns; i++) {
        uint8_t low = (uint8_t)i, high = (uint8_t)(i + 1), got = 0;
        double a = load(dtype, &low, 0), b = load(dtype, &high, 0);
        if (isnan(a) || isnan(b) || isinf(b))
            continue;
        store(dtype, &got, 0, a + (b - a) * 0.49);
        wrong += got != low;
        store(dtype, &got, 0, a + (b - a) * 0.51);
        wrong += got != high;
        store(dtype, &got, 0, a + (b - a) * 0.5);
        wrong += got != (i % 2 ? high : low);
    }
    CHECK(wrong == 0, "%s: %d rounded wrongly", mw_dtype_name(dtype), wrong);
}

static void small_types(void)
{
    for (int d = 0; d < MW_N_DTYPES; d++) {
        mw_dtype dtype = (mw_dtype)d;
        if (mw_dtype_bits(dtype) > 8 || dtype == MW_BOOL)
            continue;
        patterns(dtype);
        if (mw_dtype_is_float(dtype) && dtype != MW_F8E8M0)
            rounding(dtype);
    }
}

// Elements of every type are the same at an odd address, as in a mapped file.
static void odd_addresses(void)
{
    enum { N = 8, WIDEST = 16 };
    for (int d = 0; d < MW_N_DTYPES; d++) {
        mw_dtype dtype = (mw_dtype)d;
        double aligned[N * WIDEST / sizeof(double)] = {0};
        char odd[sizeof aligned + 1];
        for (int i = 0; i < N; i++)
            store(dtype, aligned, i, i % 2);
        memcpy(odd + 1, aligned, sizeof aligned);
        int wrong = 0;
        for (int i = 0; i < N; i++) {
            mw_number x = mw_number_at(dtype, odd + 1, i);
            double got = mw_number_cast(x, dtype, MW_F64).f;
            double want = load(dtype, aligned, i);
            wrong += !(got >= want && got <= want);
        }
        CHECK(wrong == 0, "%s: %d elements differ", mw_dtype_name(dtype),
              wrong);
    }
}

// A model of one weight that is cast; complex ones are only moved.
static bool write_model(mw_dtype dtype)
{
    char path[600];
    const char *name = mw_dtype_name(dtype);
    bool complex = mw_dtype_class(dtype) == MW_CLASS_COMPLEX;
    (void)snprintf(path, sizeof path, "%s/dtype.mw", mw_scratch_path());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL, "%s", path);
    if (!file)
        return false;
    (void)fprintf(file,
                  "model m\ndim a = 5\ndim b = 7\nparam w : %s[a, b]\n"
                  "y = %s : %s[b, a]\noutput y\n",
                  name, complex ? "transpose(w)" : "cast(w, to=f32)",
                  complex ? name : "f32");
    (void)fclose(file);
    return true;
}

// Weights take their packed bytes; what cannot run says so by name.
static void plan_and_run(fixture *f, mw_dtype dtype)
{
    enum { ELEMENTS = 5 * 7 };
    const char *name = mw_dtype_name(dtype);
    char bytes[40];
    mw_shell shell;
    (void)snprintf(bytes, sizeof bytes, "  %lld B\n",
                   (long long)mw_dtype_size(dtype, ELEMENTS));
    if (!write_model(dtype) ||
        !mw_shell_run(&f->arena, "meshwright show $S/dtype.mw", &shell))
        return;
    CHECK(shell.exit_status == 0 && strstr(shell.out, bytes), "%s: %s%s", name,
          shell.out, shell.err);
    if (!mw_shell_run(&f->arena,
                      "meshwright plan $S/dtype.mw --mesh 1 "
                      "-o $S/dtype.json",
                      &shell))
        return;
    CHECK(shell.exit_status == 0, "%s: %s", name, shell.err);
    if (!mw_shell_run(&f->arena, "meshwright run $S/dtype.json", &shell))
        return;
    CHECK(shell.exit_status == (mw_dtype_runs(dtype) ? 0 : 3), "%s: %d %s",
          name, shell.exit_status, shell.err);
    CHECK(mw_dtype_runs(dtype) ||
              (strstr(shell.err, "tensor 'w'") && strstr(shell.err, name)),
          "%s: %s", name, shell.err);
}

static void plans(void)
{
    static const mw_dtype some[] = {MW_F8E4M3FN, MW_F8E5M2, MW_I4,  MW_U2,
                                    MW_F4E2M1,   MW_C64,    MW_C128};
    fixture f;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        plan_and_run(&f, some[i]);
    close_fixture(&f);
}

const mw_suite mw_suite_dtype = {"dtype",
                                 {{"small types", small_types},
                                  {"elements at odd addresses", odd_addresses},
                                  {"plans", plans}}};
