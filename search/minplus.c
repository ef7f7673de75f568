/* minplus.c - loops that the compiler turns into vectors, in several widths. */
#include "search/minplus.h"

#include "base/wide.h"
#include "search/net.h"

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

// One run of the fastest axis, from place `at` of the large tables on.
static inline void run_of(const mw_spread *plan, int64_t at,
                          const float *restrict add, int64_t n, int64_t step,
                          bool first, bool last)
{
    float *restrict sum = plan->sum + at, *restrict out = plan->out + at;
    float base = plan->base;
    for (int64_t x = 0; x < n; x++) {
        float value = (step == 0 ? add[0] : add[x]) + (first ? base : sum[x]);
        if (last)
            out[x] = value < out[x] ? value : out[x];
        else
            sum[x] = value;
    }
}

// The two fastest axes are loops, the others count.
static inline void spread(const mw_spread *plan, bool first, bool last)
{
    int32_t inner = plan->n - 1, middle = plan->n - 2;
    int64_t at[MW_SPREAD_AXES] = {0};
    const float *add = plan->add;
    int64_t n = inner < 0 ? 1 : plan->length[inner];
    int64_t step = inner < 0 ? 0 : plan->step[inner];
    int64_t m = middle < 0 ? 1 : plan->length[middle];
    int64_t stride = middle < 0 ? 0 : plan->step[middle];
    for (int64_t done = 0;; done += n * m) {
        for (int64_t y = 0; y < m; y++) {
            if (step == 0)
                run_of(plan, done + y * n, add + y * stride, n, 0, first, last);
            else
                run_of(plan, done + y * n, add + y * stride, n, 1, first, last);
        }
        int32_t k = middle - 1;
        while (k >= 0 && ++at[k] == plan->length[k]) {
            add -= (plan->length[k] - 1) * plan->step[k];
            at[k--] = 0;
        }
        if (k < 0)
            return;
        add += plan->step[k];
    }
}

MW_WIDE void mw_spread_run(const mw_spread *plan, bool first, bool last)
{
    if (first && last)
        spread(plan, true, true);
    else if (first)
        spread(plan, true, false);
    else if (last)
        spread(plan, false, true);
    else
        spread(plan, false, false);
}
