/* dual_soft.c - the overrun of all choices at once, weighted by how near each
 * strategy comes to the bound.
 *
 * The overrun of one choice jumps as prices change; that of the distribution
 * exp(-(theta - least) / warmth) of each node is smooth, and leads the prices
 * several times faster to where the bound is high. Only directions come from
 * here: the bound itself stays in integers. */
#include <math.h>

#include "search/dual_sweep.h"

// Weights of a node's strategies, in dual->weight; their sum is returned.
static double weigh(const mw_dual *dual, const mw_dual_node *v, double warmth)
{
    const int64_t *theta = dual->theta + v->at;
    int64_t least = theta[0];
    double sum = 0;
    for (int32_t s = 1; s < v->n; s++)
        least = theta[s] < least ? theta[s] : least;
    for (int32_t s = 0; s < v->n; s++) {
        double above = (double)(theta[s] - least) / warmth;
        dual->weight[s] = above < 30 ? exp(-above) : 0;
        sum += dual->weight[s];
    }
    return sum;
}

void mw_dual_soft_overrun(const mw_dual *dual, double warmth, double *over)
{
    const mw_net *net = dual->net;
    for (int32_t r = 0; r <= net->n_rows; r++)
        over[r] = 0;
    for (int32_t i = 0; i < dual->n_nodes; i++) {
        const mw_net_node *v = &net->node[dual->node[i].node];
        if (v->n_terms == 0)
            continue;
        double sum = weigh(dual, &dual->node[i], warmth);
        for (int32_t k = 0; k < v->n_terms; k++) {
            double usage = 0;
            for (int32_t s = 0; s < v->n; s++)
                usage += dual->weight[s] * (double)v->term[k].usage[s];
            over[v->term[k].begin] += usage / sum;
            over[v->term[k].end] -= usage / sum;
        }
    }
    double usage = 0;
    for (int32_t r = 0; r < net->n_rows; r++) {
        usage += over[r];
        over[r] = usage - (double)net->slack[r];
    }
}
