/* layout_pairs.c - what is computed again as states of the space: an op that
 * may be absent, because its result was kept or because nobody reads it. */
#include <string.h>

#include "search/layout_build.h"
#include "search/problem.h"

mw_status mw_space_mark_optional(mw_space_builder *builder)
{
    const mw_remat_pairs *pairs = builder->space->on.pairs;
    builder->optional =
        MW_NEW_ARRAY(builder->space->arena, pairs->graph.n_tensors, bool);
    if (!builder->optional)
        return MW_ENOMEM;
    for (int i = 0; i < pairs->n_pairs; i++) {
        const mw_remat_pair *pair = &pairs->pair[i];
        const mw_op *op = &pairs->graph.op[pair->op];
        for (int j = 0; j < op->n_out; j++)
            builder->optional[op->out[j].tensor] = true;
        if (pair->gap != MW_NONE)
            builder->optional[pair->gap] = true;
    }
    return MW_OK;
}

static void join_partial(mw_id t, mw_id kept, uint8_t *made, uint8_t *taken)
{
    if (t == MW_NONE)
        return;
    taken[t] = taken[kept];
    made[t] = made[kept];
}

void mw_space_join_partials(const mw_space *space, uint8_t *made,
                            uint8_t *taken)
{
    const mw_remat_pairs *pairs = space->on.pairs;
    for (int i = pairs->n_pairs - 1; i >= 0; i--)
        if (pairs->pair[i].kind != MW_PAIR_RUN)
            taken[pairs->pair[i].kept] |= taken[pairs->pair[i].again];
    for (int i = 0; i < pairs->n_pairs; i++) {
        const mw_remat_pair *pair = &pairs->pair[i];
        join_partial(pair->again, pair->kept, made, taken);
        join_partial(pair->gap, pair->kept, made, taken);
        join_partial(pair->made, pair->kept, made, taken);
    }
}

// The states of the op's class, of which n_run run it, and those more.
static mw_status extend(mw_space *space, int32_t from, mw_pair_kind kind,
                        int32_t kept_as, int32_t id)
{
    const mw_remat_pair pair = {.kind = kind};
    int32_t n_run = mw_pair_runs(&pair) ? space->op_class[from].n : 0;
    int32_t n_kept = kind == MW_PAIR_RUN ? 0 : space->home_class[kept_as].n - 1;
    int32_t n_more = (kind == MW_PAIR_SELECT ? 2 : 1) * n_kept + 1;
    int32_t n = n_run + n_more;
    mw_op_class made = {
        .n = n,
        .strategy = MW_NEW_ARRAY(space->arena, n, mw_strategy),
        .time_ps = MW_NEW_ARRAY(space->arena, n, int64_t),
        .memory_bytes = MW_NEW_ARRAY(space->arena, n, int64_t),
        .n_more = n_more,
        .n_kept = n_kept,
        .kept_as = kept_as,
    };
    if (!made.strategy || !made.time_ps || !made.memory_bytes)
        return MW_ENOMEM;
    const mw_op_class *base = &space->op_class[from];
    for (int32_t s = 0; s < n; s++) {
        // No strategy is equal to what does not run.
        memset(&made.strategy[s], MW_MAX_LETTERS, sizeof *made.strategy);
        if (s >= n_run)
            continue;
        made.strategy[s] = base->strategy[s];
        made.time_ps[s] = base->time_ps[s];
        made.memory_bytes[s] = base->memory_bytes[s];
    }
    space->op_class[id] = made;
    return MW_OK;
}

static mw_status extend_pair(mw_space_builder *builder,
                             const mw_remat_pair *pair)
{
    mw_space *space = builder->space;
    int32_t *node_class = &space->node_class[space->op_node[pair->op]];
    const mw_op *op = &space->on.graph->op[pair->op];
    int32_t kept_as = space->node_class[space->home_node[op->out[0].tensor]];
    int32_t number, id;
    bool fresh;
    mw_key_clear(&builder->key);
    mw_key_add(&builder->key, *node_class);
    mw_key_add(&builder->key, kept_as);
    mw_key_add(&builder->key, pair->kind);
    MW_TRY(mw_intern_key(&builder->pairs, &builder->key, &number, &fresh));
    // Classes of pairs follow those of ops, in the order of their numbers.
    if (fresh) {
        MW_TRY(mw_space_new_op_class(builder, &id));
        MW_TRY(extend(space, *node_class, pair->kind, kept_as, id));
    }
    *node_class = space->n_op_classes - (int32_t)builder->pairs.n + number;
    return MW_OK;
}

mw_status mw_space_extend_pairs(mw_space_builder *builder)
{
    const mw_remat_pairs *pairs = builder->space->on.pairs;
    for (int i = 0; i < pairs->n_pairs; i++)
        MW_TRY(extend_pair(builder, &pairs->pair[i]));
    return MW_OK;
}

void mw_space_pair_rows(const mw_space *space, const mw_link *link,
                        mw_link_class *made)
{
    const mw_op_class *ops = &space->op_class[made->op_class];
    int32_t n_run = ops->n - ops->n_more;
    bool operand = link->part == MW_LINK_OPERAND;
    bool alike = operand && !link->output;
    for (int32_t s = n_run; s < ops->n; s++)
        made->row[s] = made->n_rows + (alike ? 0 : s - n_run);
    if (ops->n_more > 0)
        made->n_rows += alike ? 1 : ops->n_more;
    // Where it runs nothing was kept.
    for (int32_t s = 0; s < n_run && !operand; s++)
        made->row[s] = made->n_rows - 1;
}

void mw_space_fill_pair_row(const mw_space *space, const mw_link *link,
                            int32_t row, int32_t more, mw_link_class *made)
{
    const mw_op_class *ops = &space->op_class[made->op_class];
    const mw_home_class *homes = &space->home_class[made->home_class];
    const mw_home_class *kept = &space->home_class[ops->kept_as];
    bool none = more == ops->n_more - 1, input = link->part == MW_LINK_OPERAND;
    // Who names a layout, and who is there all the same.
    bool names = !none, there = link->part == MW_LINK_KEPT;
    if (link->part == MW_LINK_KEPT || link->part == MW_LINK_GAP)
        names = !none && more < ops->n_kept;
    if (link->part == MW_LINK_MADE) {
        names = !none && more >= ops->n_kept;
        there = true;
    }
    input = input && !link->output;
    for (int32_t h = 0; h < homes->n; h++) {
        bool absent = homes->optional && h == homes->n - 1;
        bool fits = input || absent || there;
        if (names && !input)
            fits =
                !absent && mw_layout_equal(&homes->layout[h],
                                           &kept->layout[more % ops->n_kept]);
        made->time_ps[(int64_t)row * homes->n + h] = fits ? 0 : MW_INFINITE;
    }
}
