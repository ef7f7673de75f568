/* reduce_misfits.c - strategies that alone take more than a row has left.
 *
 * Between two ends of its terms what a node takes is constant, so that only the
 * least slack of those rows matters: a table of minima over 2^k rows gives it.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "search/reduce.h"

enum { LEVELS = 32 };

typedef struct minima {
    int64_t *level[LEVELS]; /* level[k][r]: least slack of rows r .. r+2^k-1 */
} minima;

static void free_minima(minima *m)
{
    for (int k = 0; k < LEVELS; k++)
        mw_mem_free(m->level[k]);
}

static mw_status make_minima(const mw_net *net, minima *m)
{
    int64_t n = net->n_rows;
    for (int k = 0; (INT64_C(1) << k) <= n; k++) {
        int64_t *level = mw_mem_alloc(net->ctx, (size_t)n, sizeof *level);
        if (!level)
            return MW_ENOMEM;
        m->level[k] = level;
        int64_t half = k ? INT64_C(1) << (k - 1) : 0;
        for (int64_t r = 0; r + (INT64_C(1) << k) <= n; r++) {
            int64_t a = k ? m->level[k - 1][r] : net->slack[r];
            int64_t b = k ? m->level[k - 1][r + half] : a;
            level[r] = a < b ? a : b;
        }
    }
    return MW_OK;
}

static int64_t least_slack(const minima *m, int32_t begin, int32_t end)
{
    int k = 0;
    while ((INT64_C(2) << k) <= end - begin)
        k++;
    int64_t a = m->level[k][begin];
    int64_t b = m->level[k][end - (INT32_C(1) << k)];
    return a < b ? a : b;
}

typedef struct border {
    int32_t row, term;
    bool end;
} border;

static int compare_borders(const void *a, const void *b)
{
    const border *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->term < y->term ? -1 : x->term > y->term;
}

// Clears keep of the strategies that do not fit; usage and borders are scratch.
static bool mark(const mw_net_node *v, const minima *m, border *borders,
                 int64_t *usage, bool *keep)
{
    int32_t n = 0;
    bool any = false;
    for (int32_t k = 0; k < v->n_terms; k++) {
        borders[n++] = (border){v->term[k].begin, k, false};
        borders[n++] = (border){v->term[k].end, k, true};
    }
    qsort(borders, (size_t)n, sizeof *borders, compare_borders);
    for (int32_t i = 0; i < n; i++) {
        const int64_t *term = v->term[borders[i].term].usage;
        for (int32_t s = 0; s < v->n; s++)
            usage[s] += borders[i].end ? -term[s] : term[s];
        if (i + 1 == n || borders[i + 1].row == borders[i].row)
            continue;
        int64_t slack = least_slack(m, borders[i].row, borders[i + 1].row);
        for (int32_t s = 0; s < v->n; s++) {
            if (usage[s] <= slack)
                continue;
            keep[s] = false;
            any = true;
        }
    }
    return any;
}

static mw_status check_node(mw_net *net, int32_t node, const minima *m,
                            bool *changed)
{
    const mw_net_node *v = &net->node[node];
    size_t n = (size_t)v->n;
    bool *keep = mw_mem_alloc(net->ctx, n, sizeof *keep);
    int64_t *usage = mw_mem_alloc(net->ctx, n, sizeof *usage);
    border *borders =
        mw_mem_alloc(net->ctx, 2 * (size_t)v->n_terms, sizeof *borders);
    mw_status status = keep && usage && borders ? MW_OK : MW_ENOMEM;
    for (int32_t s = 0; status == MW_OK && s < v->n; s++)
        keep[s] = true;
    if (status == MW_OK && mark(v, m, borders, usage, keep)) {
        *changed = true;
        status = mw_net_keep(net, node, keep);
    }
    mw_mem_free(borders);
    mw_mem_free(usage);
    mw_mem_free(keep);
    return status;
}

mw_status mw_reduce_misfits(mw_net *net, bool *changed)
{
    minima m = {{NULL}};
    mw_status status = make_minima(net, &m);
    for (int32_t i = 0; i < net->n_nodes && status == MW_OK; i++) {
        if (net->node[i].n_terms > 0 && !net->infeasible)
            status = check_node(net, i, &m, changed);
    }
    free_minima(&m);
    if (*changed)
        mw_net_settle_rows(net);
    return status;
}
