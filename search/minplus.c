/* minplus.c - loops that the compiler turns into vectors, in several widths. */
#include "search/minplus.h"

#include "search/net.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MW_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MW_WIDE
#endif

MW_WIDE void mw_minplus(int64_t *restrict out, const int64_t *restrict matrix,
                        const int64_t *restrict add, int32_t n, int32_t stride)
{
    for (int32_t x = 0; x < stride; x += MW_LANES) {
        int64_t least[MW_LANES];
        for (int k = 0; k < MW_LANES; k++)
            least[k] = INT64_MAX;
        const int64_t *row = matrix + x;
        for (int32_t y = 0; y < n; y++, row += stride) {
            int64_t more = add[y];
            for (int k = 0; k < MW_LANES; k++) {
                int64_t sum = row[k] + more;
                least[k] = sum < least[k] ? sum : least[k];
            }
        }
        for (int k = 0; k < MW_LANES; k++)
            out[x + k] = least[k];
    }
}

MW_WIDE void mw_min_at(int64_t *restrict out, uint16_t *restrict at,
                       const int64_t *restrict sum, int64_t n, uint16_t s)
{
    for (int64_t x = 0; x < n; x++) {
        int64_t value = sum[x];
        at[x] = value < out[x] ? s : at[x];
        out[x] = value < out[x] ? value : out[x];
    }
}

void mw_spread_axis(mw_spread *spread, int64_t length, int64_t step)
{
    int32_t last = spread->n - 1;
    if (length == 1)
        return;
    // Neighbours on this axis and on the last one are then equally far apart.
    if (last >= 0 && spread->step[last] == step * length) {
        spread->length[last] *= length;
        spread->step[last] = step;
        return;
    }
    spread->length[spread->n] = length;
    spread->step[spread->n++] = step;
}

static inline void add_run(int64_t *restrict sum, const int64_t *restrict add,
                           int64_t n, int64_t step)
{
    if (step == 0) {
        int64_t one = *add;
        for (int64_t x = 0; x < n; x++)
            sum[x] += one;
    } else {
        for (int64_t x = 0; x < n; x++)
            sum[x] += add[x];
    }
}

MW_WIDE void mw_spread_run(const mw_spread *spread)
{
    int32_t inner = spread->n - 1;
    int64_t at[MW_SPREAD_AXES] = {0}, one = 1;
    const int64_t *add = spread->add;
    int64_t *sum = spread->sum;
    int64_t n = inner < 0 ? one : spread->length[inner];
    int64_t step = inner < 0 ? 0 : spread->step[inner];
    for (;;) {
        add_run(sum, add, n, step);
        sum += n;
        int32_t k = inner - 1;
        while (k >= 0 && ++at[k] == spread->length[k]) {
            add -= (spread->length[k] - 1) * spread->step[k];
            at[k--] = 0;
        }
        if (k < 0)
            return;
        add += spread->step[k];
    }
}
