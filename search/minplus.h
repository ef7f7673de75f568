/*
 * minplus.h - the inner loops of the dual and of elimination, in wide vectors
 * where the processor has them.
 *
 * Matrices are rows of `stride` integers, a multiple of MW_LANES; what pads a
 * row is MW_NET_INFINITE.
 */
#ifndef MW_SEARCH_MINPLUS_H
#define MW_SEARCH_MINPLUS_H

#include <stdbool.h>
#include <stdint.h>

enum { MW_LANES = 8 };

static inline int32_t mw_padded(int32_t n)
{
    return (n + MW_LANES - 1) / MW_LANES * MW_LANES;
}

/* out[x] = min over y < n of matrix[y][x] + add[y], for x < stride. */
void mw_minplus(int64_t *restrict out, const int64_t *restrict matrix,
                const int64_t *restrict add, int32_t n, int32_t stride);

/* Adds a table over some of the axes of another to it. Axes are given slowest
 * first; `step` is the distance of neighbours in the smaller table, 0 where it
 * does not have the axis. Axes that run on together are joined. */
enum { MW_SPREAD_AXES = 64 };

typedef struct mw_spread {
    int32_t n;
    float base;
    float *sum; /* over all axes */
    float *out; /* the same */
    const float *add;
    int64_t length[MW_SPREAD_AXES], step[MW_SPREAD_AXES];
} mw_spread;

void mw_spread_axis(mw_spread *spread, int64_t length, int64_t step);

/* first: sum becomes base + add, else add is added to it. last: out becomes the
 * lesser of itself and that sum, which is not kept. */
void mw_spread_run(const mw_spread *spread, bool first, bool last);

#endif
