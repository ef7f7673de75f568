/*
 * conv_tile.c - tiles for each width, number of pixels and instruction set.
 *
 * A summand loads the panel's row once and multiplies it with one value of
 * each pixel: with 6 pixels and 4 vectors 24 sums are under way, which hides
 * the latency of multiply-add, and 10 loads feed 24 of them. Built with
 * -ffp-contract=fast, so that product and sum are one instruction.
 */
#include "runtime/conv_tile.h"

#include <stddef.h>

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

#if defined(__x86_64__)
#define WITH_AVX512 __attribute__((target("avx512f,avx512vl,avx2,fma")))
#define WITH_AVX2 __attribute__((target("avx2,fma")))
#endif
#define WITH_ANY

enum { VECTORS_MAX = 4 };

#define INLINE static inline __attribute__((always_inline))

/* Vectors of floats, and of the masks that comparing them gives. */
#define VECTOR(lanes)                                                          \
    typedef float v##lanes                                                     \
        __attribute__((vector_size(4 * (lanes)), aligned(4), may_alias));      \
    typedef int32_t m##lanes                                                   \
        __attribute__((vector_size(4 * (lanes)), aligned(4), may_alias));

#define PICK(lanes, mask, a, b)                                                \
    (v##lanes)(((mask) & (m##lanes)(a)) | (~(mask) & (m##lanes)(b)))

/* The end of a sum: NaN stays. */
#define FINISH(lanes)                                                          \
    INLINE void finish##lanes(const mw_conv_tile *t, v##lanes *sum, int p,     \
                              int at)                                          \
    {                                                                          \
        v##lanes y = *sum;                                                     \
        if (t->scale)                                                          \
            y = y * *(const v##lanes *)(t->scale + at);                        \
        if (t->shift)                                                          \
            y = y + *(const v##lanes *)(t->shift + at);                        \
        if (t->add)                                                            \
            y = y + *(const v##lanes *)(t->add[p] + at);                       \
        v##lanes low = (v##lanes){0} + t->low, high = (v##lanes){0} + t->high; \
        y = PICK(lanes, y < low, low, y);                                      \
        *sum = PICK(lanes, y > high, high, y);                                 \
    }

enum { LINE = 16 };

/* What the tile writes, and adds at its end, is on its way while it sums. */
INLINE void fetch(const mw_conv_tile *t, int p, int n)
{
    for (int i = 0; t->first && i < n; i += LINE)
        __builtin_prefetch(t->out[p] + i, 1);
    for (int i = 0; t->last && t->add && i < n; i += LINE)
        __builtin_prefetch(t->add[p] + i);
}

/* n_pixels x n_vectors sums, both constants once it is inlined. */
#define BODY(lanes)                                                            \
    INLINE void body##lanes(const mw_conv_tile *t, const int n_pixels,         \
                            const int n_vectors)                               \
    {                                                                          \
        v##lanes sum[MW_TILE_PIXELS][VECTORS_MAX];                             \
        const float *w = t->w;                                                 \
        UNROLL for (int p = 0; p < n_pixels; p++)                              \
            UNROLL for (int v = 0; v < n_vectors; v++) sum[p][v] =             \
                t->first ? (v##lanes){0}                                       \
                         : *(const v##lanes *)(t->out[p] + v * (lanes));       \
        for (int p = 0; p < n_pixels; p++)                                     \
            fetch(t, p, n_vectors *(lanes));                                   \
        for (int64_t s = 0; s < t->n; s++) {                                   \
            const float *x[MW_TILE_PIXELS];                                    \
            UNROLL for (int p = 0; p < n_pixels; p++) x[p] =                   \
                t->x[s * n_pixels + p];                                        \
            for (int64_t k = 0; k < t->len; k++) {                             \
                v##lanes row[VECTORS_MAX];                                     \
                UNROLL for (int v = 0; v < n_vectors; v++) row[v] =            \
                    *(const v##lanes *)(w + v * (lanes));                      \
                UNROLL for (int p = 0; p < n_pixels; p++)                      \
                    UNROLL for (int v = 0; v < n_vectors; v++) sum[p][v] =     \
                        sum[p][v] + row[v] * x[p][k];                          \
                w += n_vectors * (lanes);                                      \
            }                                                                  \
        }                                                                      \
        UNROLL for (int p = 0; p < n_pixels; p++)                              \
            UNROLL for (int v = 0; v < n_vectors; v++)                         \
        {                                                                      \
            if (t->last)                                                       \
                finish##lanes(t, &sum[p][v], p, v *(lanes));                   \
            *(v##lanes *)(t->out[p] + v * (lanes)) = sum[p][v];                \
        }                                                                      \
    }

#define LANES(lanes) VECTOR(lanes) FINISH(lanes) BODY(lanes)
LANES(1)
LANES(4)
LANES(8)
LANES(16)

#define TILE(set, lanes, vectors, pixels)                                      \
    WITH_##set static void set##_##lanes##x##vectors##_##pixels(               \
        const mw_conv_tile *t)                                                 \
    {                                                                          \
        body##lanes(t, pixels, vectors);                                       \
    }
#define TILES(set, lanes, vectors)                                             \
    TILE(set, lanes, vectors, 1)                                               \
    TILE(set, lanes, vectors, 2)                                               \
    TILE(set, lanes, vectors, 3)                                               \
    TILE(set, lanes, vectors, 4)                                               \
    TILE(set, lanes, vectors, 5)                                               \
    TILE(set, lanes, vectors, 6)
#define ROW(set, lanes, vectors)                                               \
    {                                                                          \
        set##_##lanes##x##vectors##_1, set##_##lanes##x##vectors##_2,          \
            set##_##lanes##x##vectors##_3, set##_##lanes##x##vectors##_4,      \
            set##_##lanes##x##vectors##_5, set##_##lanes##x##vectors##_6       \
    }

TILES(ANY, 4, 2)
TILES(ANY, 4, 1)
TILES(ANY, 1, 1)
static const mw_conv_tiles any = {
    3, {8, 4, 1}, {ROW(ANY, 4, 2), ROW(ANY, 4, 1), ROW(ANY, 1, 1)}};

#if defined(__x86_64__)
TILES(AVX2, 8, 2)
TILES(AVX2, 8, 1)
TILES(AVX2, 4, 1)
TILES(AVX2, 1, 1)
static const mw_conv_tiles avx2 = {
    4,
    {16, 8, 4, 1},
    {ROW(AVX2, 8, 2), ROW(AVX2, 8, 1), ROW(AVX2, 4, 1), ROW(AVX2, 1, 1)}};

TILES(AVX512, 16, 4)
TILES(AVX512, 16, 2)
TILES(AVX512, 16, 1)
TILES(AVX512, 8, 1)
TILES(AVX512, 4, 1)
TILES(AVX512, 1, 1)
static const mw_conv_tiles avx512 = {6,
                                     {64, 32, 16, 8, 4, 1},
                                     {ROW(AVX512, 16, 4), ROW(AVX512, 16, 2),
                                      ROW(AVX512, 16, 1), ROW(AVX512, 8, 1),
                                      ROW(AVX512, 4, 1), ROW(AVX512, 1, 1)}};

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512vl");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

const mw_conv_tiles *mw_conv_tiles_at(int i)
{
    const mw_conv_tiles *sets[4] = {NULL};
    int n = 0;
    if (has_avx512())
        sets[n++] = &avx512;
    if (has_avx2())
        sets[n++] = &avx2;
    sets[n++] = &any;
    return i < n ? sets[i] : NULL;
}
#else
const mw_conv_tiles *mw_conv_tiles_at(int i)
{
    return i == 0 ? &any : NULL;
}
#endif
