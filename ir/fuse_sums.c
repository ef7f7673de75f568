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

// Small next to the result: to complete it by itself costs little.
static bool is_small(const mw_graph *graph, mw_id tensor, mw_id result)
{
    return mw_tensor_elements(&graph->tensor[tensor]) <
           mw_tensor_elements(&graph->tensor[result]) / 4;
}

// What an operand of member m carries. A source too many goes for several.
static uint32_t carried(sums *s, int m, mw_id tensor, mw_id result)
{
    if (!s->g->partial[tensor] || is_small(s->g->graph, tensor, result))
        return 0;
    for (int i = 0; i < m; i++)
        if (s->g->graph->op[s->member[i]].out[0].tensor == tensor)
            return s->of[i];
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
    const mw_op_def *def = op->def;
    mw_id full =
        def->reduce != MW_REDUCE_NONE ? op->in[0].tensor : op->out[0].tensor;
    uint32_t in[MW_FUSED_ARGS], several = 0;
    bool fits = false;
    for (int i = 0; i < op->n_in; i++) {
        in[i] = carried(s, m, op->in[i].tensor, full);
        several |= is_several(in[i]) ? 1U << i : 0;
    }
    for (int k = 0; k < MW_MAX_LINEAR; k++) {
        uint32_t set = mw_op_linear(s->g->graph, op, k), all = 0;
        for (int i = 0; i < op->n_in; i++)
            all |= set >> i & 1 ? in[i] : 0;
        fits = fits || (several & ~set) == 0;
        s->of[m] = is_several(all) || !s->of[m] ? all : s->of[m];
    }
    return fits || !several;
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
