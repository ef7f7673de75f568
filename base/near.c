/* near.c - edit distance with swaps of neighbours, as a whole table. */
#include "base/near.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Damerau's restricted distance; words longer than LONGEST are far. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                            least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

void mw_near_init(mw_near *near, const char *word)
{
    near->word = word;
    near->best = NULL;
    near->distance = strlen(word) / 3;
}

void mw_near_try(mw_near *near, const char *candidate)
{
    size_t found = distance(near->word, candidate);
    if (found >= near->distance + (near->best ? 0 : 1))
        return;
    near->distance = found;
    near->best = candidate;
}
