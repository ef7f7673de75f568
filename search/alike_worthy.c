/* alike_worthy.c - which strategies of a node another makes needless.
 *
 * Edges are settled: every row has a zero, or is forbidden. Where row i of each
 * edge has its zeros, another strategy must cost little too: that alone rules
 * out nearly all pairs. */
#include "base/mem.h"
#include "search/alike_book.h"
#include "search/problem.h"

typedef struct judge {
    const mw_alike *all;
    const mw_alike_node *node;
    int64_t n;
    int64_t *zero; /* by edge and strategy: where the row is least */
    int64_t *keep, *heir;
} judge;

static const int64_t *row_of(const judge *j, int32_t edge, int64_t s,
                             int64_t *width)
{
    const mw_vector *m = &j->all->vector[j->node->matrix[edge]];
    *width = m->n / j->n;
    return m->value + s * *width;
}

static void find_zeros(judge *j)
{
    for (int32_t e = 0; e < j->node->n_matrices; e++) {
        for (int64_t s = 0; s < j->n; s++) {
            int64_t width, least = 0;
            const int64_t *row = row_of(j, e, s, &width);
            for (int64_t t = 1; t < width; t++)
                least = row[t] < row[least] ? t : least;
            j->zero[e * j->n + s] = least;
        }
    }
}

// The most by which b may cost more than a on an edge; above `allowed` it no
// longer matters how much.
static int64_t worst(const int64_t *a, const int64_t *b, int64_t width,
                     int64_t allowed)
{
    int64_t most = -MW_INFINITE;
    for (int64_t t = 0; t < width && most <= allowed; t++) {
        int64_t difference = a[t] >= MW_INFINITE ? -MW_INFINITE : b[t] - a[t];
        most = difference > most ? difference : most;
    }
    return most;
}

static bool never_worse(const judge *j, int64_t b, int64_t a)
{
    const int64_t *cost = mw_alike_at(j->all, j->node->cost);
    int64_t allowed = cost[a] - cost[b], left = allowed, width;
    for (int32_t e = 0; e < j->node->n_matrices && left >= 0; e++) {
        int64_t t = j->zero[e * j->n + a];
        int64_t least = row_of(j, e, a, &width)[t];
        int64_t other = row_of(j, e, b, &width)[t];
        left -= least >= MW_INFINITE ? 0 : other - least;
    }
    if (allowed < 0 || left < 0)
        return false;
    for (int32_t k = 0; k < j->node->n_usages; k++) {
        const int64_t *usage = mw_alike_at(j->all, j->node->usage[k]);
        if (usage[b] > usage[a])
            return false;
    }
    for (int32_t e = 0; e < j->node->n_matrices; e++) {
        const int64_t *row = row_of(j, e, a, &width);
        int64_t most = worst(row, row_of(j, e, b, &width), width, allowed);
        if (most > allowed)
            return false;
        allowed -= most > -MW_INFINITE ? most : 0;
    }
    return true;
}

// Keeps the numbers of those for which there is none that is never worse.
static int64_t sift(judge *j)
{
    for (int64_t s = 0; s < j->n; s++)
        j->heir[s] = s;
    for (int64_t a = j->n; a-- > 0;) {
        for (int64_t b = 0; b < j->n && j->heir[a] == a; b++) {
            if (a != b && j->heir[b] == b && never_worse(j, b, a))
                j->heir[a] = b;
        }
    }
    int64_t kept = 0;
    for (int64_t s = 0; s < j->n; s++) {
        if (j->heir[s] == s)
            j->keep[kept++] = s;
    }
    return kept;
}

static mw_status judge_all(mw_alike *all, const mw_alike_node *node,
                           mw_made *made)
{
    mw_ctx *ctx = all->arena.ctx;
    judge j = {.all = all, .node = node, .n = all->vector[node->cost].n};
    size_t n = (size_t)j.n;
    j.zero =
        mw_mem_alloc(ctx, n * (size_t)(node->n_matrices + 1), sizeof *j.zero);
    j.keep = mw_mem_alloc(ctx, n, sizeof *j.keep);
    j.heir = mw_mem_alloc(ctx, n, sizeof *j.heir);
    mw_status status = j.zero && j.keep && j.heir ? MW_OK : MW_ENOMEM;
    if (status == MW_OK) {
        find_zeros(&j);
        status = mw_alike_add(all, j.keep, sift(&j), &made->id[0]);
    }
    if (status == MW_OK)
        status = mw_alike_add(all, j.heir, j.n, &made->id[1]);
    mw_mem_free(j.zero);
    mw_mem_free(j.keep);
    mw_mem_free(j.heir);
    return status;
}

mw_status mw_alike_worthy(mw_alike *all, const mw_alike_node *node,
                          mw_made *result)
{
    mw_made *made;
    bool known;
    mw_alike_ask(all, MW_RECIPE_WORTHY);
    mw_key_add(&all->key, node->cost);
    mw_key_add(&all->key, node->n_matrices);
    for (int32_t i = 0; i < node->n_matrices; i++)
        mw_key_add(&all->key, node->matrix[i]);
    for (int32_t i = 0; i < node->n_usages; i++)
        mw_key_add(&all->key, node->usage[i]);
    MW_TRY(mw_alike_look(all, &made, &known));
    if (!known)
        MW_TRY(judge_all(all, node, made));
    *result = *made;
    return MW_OK;
}
