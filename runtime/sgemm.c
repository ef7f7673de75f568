/*
 * sgemm.c - blocks of b in the second cache, a panel of a's rows in the first,
 * tiles of c in registers.
 *
 * A tile is up to 14 rows of up to 2 vectors: 28 sums are under way, and 16
 * loads feed 28 multiply-adds. A block of b is packed in panels as wide as a
 * tile; a panel of a's rows is packed as columns of a vector each and is used
 * with all of the block. Sums of a block of summands are added to c.
 */
#include "runtime/sgemm.h"

#include <stddef.h>

#include "runtime/parallel.h"

enum {
    LANES = 16,       /* of a vector */
    WIDE = 2 * LANES, /* columns of a tile */
    TALL = 14,        /* rows of one */
    SUMMANDS = 384,   /* of a block of b, 768 KiB: three quarters of a cache */
    COLUMNS = 512,
    STRIPS = 4,     /* packed side by side */
    LEAST_ROWS = 8, /* fewer read b too seldom to pack it */
    LEAST_COLUMNS = LANES,
    LEAST_SUMMANDS = 8,
    LEAST_WORK = 1 << 16 /* multiply-adds */
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t parts_of(int64_t n, int64_t most)
{
    return (n + most - 1) / most;
}

#if defined(__x86_64__)

#include <immintrin.h>

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif
#define WITH_AVX512 __attribute__((target("avx512f")))
#define INLINE static inline __attribute__((always_inline))

typedef struct tile {
    const float *a, *b; /* a: a vector a summand; b: the tile's width */
    int64_t k;
    float *c;
    int64_t c_row, columns;
    bool add;
} tile;

typedef void tile_fn(const tile *t);

INLINE __mmask16 first_lanes(int64_t n)
{
    return n >= LANES ? 0xFFFF : n <= 0 ? 0 : (__mmask16)((1U << n) - 1);
}

WITH_AVX512 INLINE void finish(const tile *t, float *c, int64_t from,
                               __m512 sum)
{
    __mmask16 mask = first_lanes(t->columns - from);
    if (t->add)
        sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, c + from));
    _mm512_mask_storeu_ps(c + from, mask, sum);
}

/* `vectors` and `rows` are constants where this is inlined. */
WITH_AVX512 INLINE void run_tile(const tile *t, int vectors, int rows)
{
    __m512 sum[TALL][2];
    const float *a = t->a, *b = t->b;
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < vectors; v++) sum[r][v] =
            _mm512_setzero_ps();
    for (int64_t k = 0; k < t->k; k++, a += LANES, b += vectors * LANES) {
        __m512 y[2];
        UNROLL for (int v = 0; v < vectors; v++) y[v] =
            _mm512_loadu_ps(b + v * LANES);
        UNROLL for (int r = 0; r < rows; r++)
        {
            __m512 x = _mm512_set1_ps(a[r]);
            UNROLL for (int v = 0; v < vectors; v++) sum[r][v] =
                _mm512_fmadd_ps(x, y[v], sum[r][v]);
        }
    }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < vectors; v++)
            finish(t, t->c + r * t->c_row, v * LANES, sum[r][v]);
}

#define TILE(rows)                                                             \
    WITH_AVX512 static void narrow_##rows(const tile *t)                       \
    {                                                                          \
        run_tile(t, 1, rows);                                                  \
    }                                                                          \
    WITH_AVX512 static void wide_##rows(const tile *t)                         \
    {                                                                          \
        run_tile(t, 2, rows);                                                  \
    }
#define ALL_TILES(X)                                                           \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)
ALL_TILES(TILE)

#define NARROW(rows) narrow_##rows,
#define WIDER(rows) wide_##rows,
static tile_fn *const tiles[2][TALL] = {{ALL_TILES(NARROW)},
                                        {ALL_TILES(WIDER)}};

/* ---- packing ------------------------------------------------------------ */

/* Rows a and b of each pair of r become columns of 2 x 2, and so on with pairs
 * of those, until 16 rows of 16 are 16 columns. */
WITH_AVX512 INLINE void turn(__m512 r[LANES])
{
    __m512 t[LANES];
    UNROLL for (int i = 0; i < LANES; i += 2)
    {
        t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
    }
    UNROLL for (int i = 0; i < LANES; i += 4) UNROLL for (int h = 0; h < 2; h++)
    {
        __m512d x = _mm512_castps_pd(t[i + h]);
        __m512d y = _mm512_castps_pd(t[i + 2 + h]);
        r[i + 2 * h] = _mm512_castpd_ps(_mm512_unpacklo_pd(x, y));
        r[i + 2 * h + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(x, y));
    }
    UNROLL for (int i = 0; i < 4; i++)
    {
        __m512 even_lo = _mm512_shuffle_f32x4(r[i], r[4 + i], 0x88);
        __m512 even_hi = _mm512_shuffle_f32x4(r[8 + i], r[12 + i], 0x88);
        __m512 odd_lo = _mm512_shuffle_f32x4(r[i], r[4 + i], 0xDD);
        __m512 odd_hi = _mm512_shuffle_f32x4(r[8 + i], r[12 + i], 0xDD);
        t[i] = _mm512_shuffle_f32x4(even_lo, even_hi, 0x88);
        t[4 + i] = _mm512_shuffle_f32x4(odd_lo, odd_hi, 0x88);
        t[8 + i] = _mm512_shuffle_f32x4(even_lo, even_hi, 0xDD);
        t[12 + i] = _mm512_shuffle_f32x4(odd_lo, odd_hi, 0xDD);
    }
    UNROLL for (int i = 0; i < LANES; i++) r[i] = t[i];
}

/* Up to 16 x 16 of x, whose rows lie `row` apart: to[k * ld + i] = x[i][k]; 0
 * beyond n. */
WITH_AVX512 INLINE void pack_turned(const float *x, int64_t row, int64_t n,
                                    int64_t k, float *to, int64_t ld)
{
    __m512 r[LANES];
    __mmask16 mask = first_lanes(k);
    UNROLL for (int i = 0; i < LANES; i++) r[i] =
        i < n ? _mm512_maskz_loadu_ps(mask, x + i * row) : _mm512_setzero_ps();
    turn(r);
    UNROLL for (int i = 0; i < LANES; i++) if (i < k)
        _mm512_storeu_ps(to + i * ld, r[i]);
}

/* Up to 16 rows of a or columns of b, which become a vector for each summand.
 */
typedef struct strip {
    const float *x;
    int64_t n;
    float *to;
    int64_t ld;
} strip;

// Neighbours in a strip lie next to each other, summands `along` apart. Strips
// are copied side by side: where summands are pages apart, whole lines of a
// cache are read.
WITH_AVX512 static void copy_strips(const strip *s, int n, int64_t along,
                                    int64_t k)
{
    __mmask16 mask[STRIPS];
    for (int v = 0; v < n; v++)
        mask[v] = first_lanes(s[v].n);
    for (int64_t i = 0; i < k; i++)
        for (int v = 0; v < n; v++)
            _mm512_storeu_ps(
                s[v].to + i * s[v].ld,
                _mm512_maskz_loadu_ps(mask[v], s[v].x + i * along));
}

// Neighbours lie `next` apart, summands next to each other.
WITH_AVX512 static void turn_strip(const strip *s, int64_t next, int64_t k)
{
    int64_t i = 0;
    for (; s->n == TALL && i + LANES <= k; i += LANES)
        pack_turned(s->x + i, next, TALL, LANES, s->to + i * s->ld, s->ld);
    for (; s->n == LANES && i + LANES <= k; i += LANES)
        pack_turned(s->x + i, next, LANES, LANES, s->to + i * s->ld, s->ld);
    for (; i < k; i += LANES)
        pack_turned(s->x + i, next, s->n, least(LANES, k - i),
                    s->to + i * s->ld, s->ld);
}

static void pack_strips(const strip *s, int n, int64_t next, int64_t along,
                        int64_t k)
{
    if (next == 1)
        copy_strips(s, n, along, k);
    for (int v = 0; v < n && next != 1; v++)
        turn_strip(&s[v], next, k);
}

static void pack_block(const mw_sgemm *block, float *to)
{
    const mw_sgemm_matrix *b = &block->b;
    strip s[STRIPS];
    int n = 0;
    for (int64_t j = 0; j < block->n; j += LANES) {
        int64_t panel = j / WIDE * WIDE;
        bool narrow = block->n - panel <= LANES;
        s[n] = (strip){.x = b->data + j * b->column,
                       .n = least(LANES, block->n - j),
                       .to = to + panel * block->k + (j - panel),
                       .ld = narrow ? LANES : WIDE};
        if (++n < STRIPS && j + LANES < block->n)
            continue;
        pack_strips(s, n, b->column, b->row, block->k);
        n = 0;
    }
}

/* ---- blocks ------------------------------------------------------------- */

// A panel of rows, packed, by a packed block.
static void run_panel(const mw_sgemm *block, const float *packed,
                      const strip *rows, float *c)
{
    for (int64_t j = 0; j < block->n; j += WIDE) {
        int64_t columns = least(WIDE, block->n - j);
        const tile t = {.a = rows->to,
                        .b = packed + j * block->k,
                        .k = block->k,
                        .c = c + j,
                        .c_row = block->c_row,
                        .columns = columns,
                        .add = block->add};
        tiles[columns > LANES][rows->n - 1](&t);
    }
}

// All rows, some panels of them at a time.
static void run_block(const mw_sgemm *block, const float *packed)
{
    _Alignas(64) float rows[STRIPS][SUMMANDS * LANES];
    const mw_sgemm_matrix *a = &block->a;
    int64_t panels = parts_of(block->m, TALL);
    for (int64_t i = 0; i < panels; i += STRIPS) {
        strip s[STRIPS];
        int n = (int)least(STRIPS, panels - i);
        for (int v = 0; v < n; v++) {
            int64_t lo = block->m * (i + v) / panels;
            int64_t hi = block->m * (i + v + 1) / panels;
            s[v] = (strip){a->data + lo * a->row, hi - lo, rows[v], LANES};
        }
        pack_strips(s, n, a->row, a->column, block->k);
        for (int v = 0; v < n; v++)
            run_panel(block, packed, &s[v],
                      block->c + block->m * (i + v) / panels * block->c_row);
    }
}

static void run_all(const mw_sgemm *p)
{
    _Alignas(64) float packed[SUMMANDS * COLUMNS];
    int64_t n = parts_of(parts_of(p->n, parts_of(p->n, COLUMNS)), WIDE) * WIDE;
    int64_t k = parts_of(p->k, parts_of(p->k, SUMMANDS));
    for (int64_t j = 0; j < p->n; j += n)
        for (int64_t i = 0; i < p->k; i += k) {
            mw_sgemm block = *p;
            block.n = least(n, p->n - j);
            block.k = least(k, p->k - i);
            block.a.data += i * p->a.column;
            block.b.data += i * p->b.row + j * p->b.column;
            block.c += j;
            block.add = p->add || i > 0;
            pack_block(&block, packed);
            run_block(&block, packed);
        }
}

static bool has_instructions(void)
{
    return __builtin_cpu_supports("avx512f");
}

#else

static void run_all(const mw_sgemm *p)
{
    (void)p;
}

static bool has_instructions(void)
{
    return false;
}

#endif

/* ---- threads ------------------------------------------------------------ */

typedef struct grid {
    const mw_sgemm *product;
    int64_t rows, columns; /* parts */
} grid;

/* As many parts as threads, for which least is packed. */
static grid grid_of(const mw_sgemm *p, int threads)
{
    grid best = {p, threads, 1};
    int64_t least_packed = INT64_MAX;
    for (int64_t rows = 1; rows <= threads; rows++) {
        int64_t columns = threads / rows;
        int64_t packed = parts_of(p->m, rows) + parts_of(p->n, columns);
        if (rows * columns != threads || packed >= least_packed)
            continue;
        least_packed = packed;
        best = (grid){p, rows, columns};
    }
    return best;
}

static void run_parts(void *arg, int64_t lo, int64_t hi)
{
    const grid *g = arg;
    for (int64_t i = lo; i < hi; i++) {
        int64_t row = i / g->columns, column = i % g->columns;
        const mw_sgemm *p = g->product;
        int64_t m0 = p->m * row / g->rows, m1 = p->m * (row + 1) / g->rows;
        int64_t vectors = parts_of(p->n, LANES);
        int64_t n0 = vectors * column / g->columns * LANES;
        int64_t n1 = least(vectors * (column + 1) / g->columns * LANES, p->n);
        if (m0 == m1 || n0 >= n1)
            continue;
        mw_sgemm part = *p;
        part.m = m1 - m0;
        part.n = n1 - n0;
        part.a.data += m0 * p->a.row;
        part.b.data += n0 * p->b.column;
        part.c += m0 * p->c_row + n0;
        run_all(&part);
    }
}

bool mw_sgemm_run(const mw_sgemm *product, int threads)
{
    double work = (double)product->m * (double)product->n * (double)product->k;
    if (product->m < LEAST_ROWS || product->n < LEAST_COLUMNS ||
        product->k < LEAST_SUMMANDS || work < LEAST_WORK || !has_instructions())
        return false;
    grid g = grid_of(product, threads);
    mw_parallel(threads, threads, run_parts, &g);
    return true;
}
