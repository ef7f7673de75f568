/* fuse_sums.c - what fusing must not lose: partial results that are added up
 * first and completed once. */
#include "ir/fuse_groups.h"

static bool sums_letters(const mw_op *op)
{
    for (int l = 0; l < op->n_letters; l++)
        if (op->def->reduce == MW_REDUCE_SUM && !op->letter[l].pinned &&
            !mw_op_letter_in_output(op, l))
            return true;
    return false;
}

static bool passes_sum(const mw_fuse_groups *groups, const mw_op *op)
{
    for (int k = 0; k < MW_MAX_LINEAR; k++) {
        uint32_t set = mw_op_linear(groups->graph, op, k);
        for (int i = 0; i < op->n_in && i < 32; i++)
            if (set >> i & 1 && groups->partial[op->in[i].tensor])
                return true;
    }
    return op->def->view && groups->partial[op->in[0].tensor];
}

void mw_fuse_find_partial(mw_fuse_groups *groups)
{
    for (int k = 0; k < groups->graph->n_ops; k++) {
        const mw_op *op = &groups->graph->op[k];
        bool made = sums_letters(op) || passes_sum(groups, op);
        for (int i = 0; i < op->n_out; i++)
            groups->partial[op->out[i].tensor] = made;
    }
}

/* Partial sums within a group: each is a bit. */
typedef struct sums {
    const mw_fuse_groups *g;
    const int *member;
    int n_sources;
    mw_id source[32];
    uint32_t of[MW_FUSED_OPS]; /* of each member: what it is linear in */
} sums;

static bool is_several(uint32_t bits)
{
    return (bits & (bits - 1)) != 0;
}

// What an operand of member m carries. A source too many goes for several.
static uint32_t carried(sums *s, int m, mw_id tensor)
{
    for (int i = 0; i < m; i++)
        if (s->g->graph->op[s->member[i]].out[0].tensor == tensor)
            return s->of[i];
    if (!s->g->partial[tensor])
        return 0;
    for (int i = 0; i < s->n_sources; i++)
        if (s->source[i] == tensor)
            return 1U << i;
    if (s->n_sources == 32)
        return 3;
    s->source[s->n_sources] = tensor;
    return 1U << s->n_sources++;
}

// Sets of[m]; false where several sums go into what is not linear in them.
static bool follow(sums *s, int m)
{
    const mw_op *op = &s->g->graph->op[s->member[m]];
    uint32_t in[MW_FUSED_ARGS], linear = 0;
    for (int i = 0; i < op->n_in; i++)
        in[i] = carried(s, m, op->in[i].tensor);
    for (int k = 0; k < MW_MAX_LINEAR; k++) {
        uint32_t set = mw_op_linear(s->g->graph, op, k), all = 0;
        for (int i = 0; i < op->n_in; i++)
            all |= set >> i & 1 ? in[i] : 0;
        linear |= set;
        s->of[m] = is_several(all) || !s->of[m] ? all : s->of[m];
    }
    for (int i = 0; i < op->n_in; i++)
        if (is_several(in[i]) && !(linear >> i & 1))
            return false;
    return true;
}

bool mw_fuse_keeps_sums(const mw_fuse_groups *groups, const int member[], int n)
{
    sums s = {.g = groups, .member = member};
    uint32_t several = 0;
    for (int m = 0; m < n; m++) {
        if (!follow(&s, m))
            return false;
        several |= is_several(s.of[m]) ? s.of[m] : 0;
    }
    for (int m = 0; m < n && several; m++)
        if (s.of[m] != several &&
            mw_fuse_leaves(groups, groups->graph->op[member[m]].out[0].tensor))
            return false;
    return true;
}
