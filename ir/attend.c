/* attend.c - from each product on, its result's readers and theirs, until a
 * product is met or something that is none of an attention's. */
#include "ir/attend.h"

#include <string.h>

#include "ir/attention.h"
#include "ir/body.h"
#include "ir/fuse_body.h"

typedef struct finder {
    mw_fuse_groups *g;
    mw_arena *arena;
    const char *const *keep;
    int n_keep;
} finder;

static bool is_member(const finder *f, int op)
{
    return f->g->mark[op] == f->g->stamp;
}

static bool add_member(finder *f, mw_fuse_group *group, int op)
{
    if (is_member(f, op))
        return true;
    if (group->n == MW_FUSED_OPS)
        return false;
    int at = group->n++;
    for (; at > 0 && group->member[at - 1] > op; at--)
        group->member[at] = group->member[at - 1];
    group->member[at] = op;
    f->g->mark[op] = f->g->stamp;
    return true;
}

// A map or reduction takes its readers in, the last product ends the walk. An
// op belongs to one attention: scores may be the sum of two products.
static bool add_readers(finder *f, mw_fuse_group *group, int op)
{
    mw_id made = f->g->graph->op[op].out[0].tensor;
    int first = f->g->first_user[made], end = f->g->first_user[made + 1];
    if (f->g->kept[made] || first == end)
        return false;
    for (int u = first; u < end; u++) {
        const mw_op *reader = &f->g->graph->op[f->g->user[u]];
        if (!reader->def->fuses && !mw_attention_is_product(reader))
            return false;
        if (reader->def->refuses || reader->def->updates ||
            reader->n_in > MW_ATTENTION_ARGS || reader->n_out != 1 ||
            f->g->of[f->g->user[u]] != MW_NONE ||
            !add_member(f, group, f->g->user[u]))
            return false;
    }
    return true;
}

// Members in their order, as readers stand behind what they read.
static bool grow(finder *f, mw_fuse_group *group, int product)
{
    const mw_op *op = f->g->graph->op;
    bool reduces = false;
    *group = (mw_fuse_group){.n = 0};
    f->g->stamp++;
    if (!add_member(f, group, product) || !add_readers(f, group, product))
        return false;
    for (int m = 1; m < group->n; m++) {
        int k = group->member[m];
        if (!op[k].def->fuses)
            return reduces && m == group->n - 1;
        if (!add_readers(f, group, k))
            return false;
        reduces = reduces || op[k].def->reduce != MW_REDUCE_NONE;
    }
    return false;
}

static bool is_kept(const finder *f, const char *dim)
{
    for (int i = 0; i < f->n_keep; i++)
        if (strcmp(f->keep[i], dim) == 0)
            return true;
    return false;
}

// The products' operands are made by the model and not overwritten meanwhile:
// a weight's dims are better split.
static bool operands_wait(const finder *f, const mw_fuse_group *group)
{
    const mw_graph *graph = f->g->graph;
    int first = group->member[0], last = group->member[group->n - 1];
    for (int m = 0; m < group->n; m++) {
        const mw_op *op = &graph->op[group->member[m]];
        for (int i = 0; i < op->n_in; i++) {
            mw_id root = graph->tensor[op->in[i].tensor].root;
            int by = f->g->updated_by[root];
            if ((by != MW_NONE && by > first && by < last) ||
                (!op->def->fuses && mw_tensor_is_weight(&graph->tensor[root])))
                return false;
        }
    }
    return true;
}

static int count_operands(const finder *f, const mw_fuse_group *group)
{
    const mw_graph *graph = f->g->graph;
    int n = 0;
    for (int m = 0; m < group->n; m++) {
        const mw_op *op = &graph->op[group->member[m]];
        for (int i = 0; i < op->n_in; i++) {
            mw_id producer = graph->tensor[op->in[i].tensor].producer;
            n += producer == MW_NONE || !is_member(f, producer);
        }
    }
    return n;
}

// The body is of that kind, its products can be made where operands lie, and
// no dim is wanted split that would be whole.
static mw_status judge(finder *f, const mw_fuse_group *group, bool *right)
{
    mw_fuse_body b;
    mw_attention a;
    mw_attention_product product;
    int64_t extent[MW_BODY_DIMS];
    *right = false;
    if (!operands_wait(f, group) || count_operands(f, group) > MW_FUSED_IN)
        return MW_OK;
    MW_TRY(mw_fuse_body_make(f->g, group, f->arena, &b));
    if (b.body->n_dims > MW_BODY_DIMS || mw_attention_find(b.body, &a))
        return MW_OK;
    for (mw_id d = 0; d < b.body->n_dims; d++) {
        extent[d] = b.body->dim[d].size;
        if (!mw_body_splits(b.body, d) && is_kept(f, b.body->dim[d].name))
            return MW_OK;
    }
    *right = mw_attention_product_of(&a, &b.body->op[0], extent, &product) &&
             mw_attention_product_of(&a, &b.body->op[b.body->n_ops - 1], extent,
                                     &product);
    return MW_OK;
}

mw_status mw_attend_find(mw_fuse_groups *g, mw_arena *arena,
                         const char *const keep[], int n_keep, bool *any)
{
    finder f = {.g = g, .arena = arena, .keep = keep, .n_keep = n_keep};
    const mw_graph *graph = g->graph;
    *any = false;
    MW_TRY(mw_fuse_uses(g, arena, keep, n_keep));
    for (int k = 0; k < graph->n_ops; k++) {
        mw_fuse_group group;
        bool right;
        if (g->of[k] != MW_NONE || !mw_attention_is_product(&graph->op[k]) ||
            !grow(&f, &group, k))
            continue;
        MW_TRY(judge(&f, &group, &right));
        if (!right)
            continue;
        int last = group.member[group.n - 1];
        group.def = mw_op_find("attention");
        g->group[last] = group;
        for (int m = 0; m < group.n; m++)
            g->of[group.member[m]] = last;
        *any = true;
    }
    return MW_OK;
}
