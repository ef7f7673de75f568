/*
 * vector.h - f32 functions that a compiler can vectorise: no branches, no
 * calls, a few units in the last place from the true value.
 *
 * A loop marked MW_VECTOR is compiled for several instruction sets, and the
 * processor it runs on decides.
 */
#ifndef MW_RUNTIME_KERNELS_VECTOR_H
#define MW_RUNTIME_KERNELS_VECTOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define MW_VECTOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MW_VECTOR
#endif
#define MW_INLINE static inline __attribute__((always_inline))

MW_INLINE int32_t mw_bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

MW_INLINE float mw_of_bits(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^n r for r = exp(x - n ln 2), with n nearest to x / ln 2; the scale goes in
 * two halves, so that results below the normal range come out right. */
MW_INLINE float mw_exp(float x)
{
    const float shift = 12582912.0f; /* 1.5 * 2^23: adding it rounds */
    float t = x > 89.0f ? 89.0f : x;
    t = t < -104.0f ? -104.0f : t;
    float m = t * 1.44269504f + shift, n = m - shift;
    float r = t - n * 0.693359375f;
    r = r + n * 2.12194440e-4f;
    float p = 1.98756915e-4f;
    p = p * r + 1.39819995e-3f;
    p = p * r + 8.33345185e-3f;
    p = p * r + 4.16657959e-2f;
    p = p * r + 1.66666655e-1f;
    p = p * r + 5.00000000e-1f;
    p = p * r * r + r + 1.0f;
    int32_t whole = mw_bits_of(m) - mw_bits_of(shift), half = whole >> 1;
    float low = mw_of_bits((int32_t)((uint32_t)(half + 127) << 23));
    float high = mw_of_bits((int32_t)((uint32_t)(whole - half + 127) << 23));
    float y = p * low * high;
    return x != x ? x : y;
}

/* log(m 2^e) = e ln 2 + log m, m in [sqrt(1/2), sqrt(2)) */
MW_INLINE float mw_log(float x)
{
    int small = x < 1.17549435e-38f;
    float scaled = small ? x * 8388608.0f : x;
    uint32_t bits = (uint32_t)mw_bits_of(scaled);
    int32_t e = (int32_t)(bits - 0x3f3504f3u) >> 23;
    float m = mw_of_bits((int32_t)(bits - ((uint32_t)e << 23))) - 1.0f;
    float z = m * m, n = (float)(small ? e - 23 : e);
    float p = 7.0376836292e-2f;
    p = p * m - 1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m - 1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m - 1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m - 2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    float y = m * z * p - 2.12194440e-4f * n - 0.5f * z + m;
    y = y + 0.693359375f * n;
    y = x == INFINITY ? x : y;
    y = x == 0.0f ? -INFINITY : y;
    return x < 0.0f || x != x ? NAN : y;
}

/* Near 0 an odd polynomial, else 1 - 2 / (exp(2x) + 1). */
MW_INLINE float mw_tanh(float x)
{
    float a = fabsf(x), z = x * x;
    float p = -5.70498872745e-3f;
    p = p * z + 2.06390887954e-2f;
    p = p * z - 5.37397155531e-2f;
    p = p * z + 1.33314422036e-1f;
    p = p * z - 3.33332819422e-1f;
    float near = p * z * x + x;
    float far = 1.0f - 2.0f / (mw_exp(a + a) + 1.0f);
    far = x < 0.0f ? -far : far;
    return a < 0.625f ? near : far;
}

MW_INLINE float mw_sigmoid(float x)
{
    float e = mw_exp(-fabsf(x));
    return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

/* Near 0 an odd polynomial, else 1 - exp of a polynomial. */
MW_INLINE float mw_erf(float x)
{
    float a = fabsf(x), s = x * x;
    float p = -5.96761703e-4f;
    p = p * s + 4.99119423e-3f;
    p = p * s - 2.67681349e-2f;
    p = p * s + 1.12819925e-1f;
    p = p * s - 3.76125336e-1f;
    p = p * s + 1.28379166e-1f;
    float near = p * x + x;
    float c = a > 4.0f ? 4.0f : a, c2 = c * c;
    float q = -1.72853470e-5f * c + 3.83197126e-4f;
    float u = -3.88396438e-3f * c + 2.42546219e-2f;
    q = q * c2 + u;
    q = q * c - 1.06777877e-1f;
    q = q * c - 6.34846687e-1f;
    q = q * c - 1.28717512e-1f;
    q = q * c - c;
    float far = 1.0f - mw_exp(q);
    far = x < 0.0f ? -far : far;
    far = x != x ? x : far;
    return a > 0.927734375f ? far : near;
}

/* How large an argument mw_sin and mw_cos take. */
#define MW_TURNS_MAX 1e6f

/* sin(x + quarters pi/2), |x| up to MW_TURNS_MAX. In doubles, x less its
 * nearest multiple of pi/2 leaves 32 bits and more: the multiple's first part
 * is exact, as pi/2 is cut after 33 bits. Then Taylor's polynomials up to pi/4.
 */
MW_INLINE float mw_turn(float x, int64_t quarters)
{
    const double shift = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds */
    double t = (double)x;
    double m = t * 0.63661977236758134 + shift, n = m - shift;
    double r = t - n * 1.57079632673412561417e+00;
    r = r - n * 6.07710050650619224932e-11;
    double z = r * r;
    double s = -1.0 / 39916800;
    s = s * z + 1.0 / 362880;
    s = s * z - 1.0 / 5040;
    s = s * z + 1.0 / 120;
    s = s * z - 1.0 / 6;
    s = s * z * r + r;
    double c = 1.0 / 479001600;
    c = c * z - 1.0 / 3628800;
    c = c * z + 1.0 / 40320;
    c = c * z - 1.0 / 720;
    c = c * z + 1.0 / 24;
    c = c * z - 1.0 / 2;
    c = c * z + 1.0;
    int64_t bits;
    memcpy(&bits, &m, sizeof bits);
    bits += quarters;
    double y = bits & 1 ? c : s;
    return (float)(bits & 2 ? -y : y);
}

MW_INLINE float mw_sin(float x)
{
    return mw_turn(x, 0);
}

MW_INLINE float mw_cos(float x)
{
    return mw_turn(x, 1);
}

#endif
