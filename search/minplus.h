/*
 * minplus.h - the inner loops of the dual and of elimination, in wide vectors
 * where the processor has them.
 *
 * Matrices are rows of `stride` integers, a multiple of MW_LANES; what pads a
 * row is MW_NET_INFINITE.
 */
#ifndef MW_SEARCH_MINPLUS_H
#define MW_SEARCH_MINPLUS_H

#include <stdint.h>

enum { MW_LANES = 8 };

static inline int32_t mw_padded(int32_t n)
{
    return (n + MW_LANES - 1) / MW_LANES * MW_LANES;
}

/* out[x] = min over y < n of matrix[y][x] + add[y], for x < stride. */
void mw_minplus(int64_t *restrict out, const int64_t *restrict matrix,
                const int64_t *restrict add, int32_t n, int32_t stride);

/* Where sum[x] < out[x], out[x] becomes it and at[x] becomes s, for x < n. */
void mw_min_at(int64_t *restrict out, uint16_t *restrict at,
               const int64_t *restrict sum, int64_t n, uint16_t s);

/* Adds a table over some of the axes of another to it. Axes are given slowest
 * first; `step` is the distance of neighbours in the smaller table, 0 where it
 * does not have the axis. Axes that run on together are joined. */
enum { MW_SPREAD_AXES = 64 };

typedef struct mw_spread {
    int32_t n;
    int64_t *sum;
    const int64_t *add;
    int64_t length[MW_SPREAD_AXES], step[MW_SPREAD_AXES];
} mw_spread;

void mw_spread_axis(mw_spread *spread, int64_t length, int64_t step);
void mw_spread_run(const mw_spread *spread);

#endif
