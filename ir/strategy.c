/* strategy.c - the splits of an op follow from its letters. */
#include "ir/strategy.h"

#include <string.h>

bool mw_strategy_equal(const mw_strategy *a, const mw_strategy *b)
{
    return memcmp(a->split, b->split, sizeof a->split) == 0;
}

// Operand i passes a partial sum of set k; operands past 31 only in "all".
static bool passes(const mw_op *op, int k, int i)
{
    int32_t set = mw_op_linear_sets(op)[k];
    return set == MW_LINEAR_ALL || (i < 31 && (set >> i & 1));
}

mw_layout mw_strategy_input(const mw_op *op, const mw_strategy *s, int i)
{
    mw_layout layout = mw_layout_replicated();
    for (int a = 0; a < MW_MAX_MESH; a++) {
        int split = s->split[a];
        if (split >= 0) {
            int axis = mw_operand_axis(&op->in[i], split);
            layout.role[a] = (int8_t)(axis == MW_NONE ? MW_REPLICATED : axis);
        } else if (split <= MW_SPLIT_PARTIAL &&
                   passes(op, MW_SPLIT_PARTIAL - split, i)) {
            layout.role[a] = MW_PARTIAL;
            layout.reduce = MW_REDUCE_SUM;
        }
    }
    return layout;
}

// What output i is along a mesh axis; sets the kind when it is partial.
static int output_role(const mw_op *op, int split, int i, mw_reduce *kind)
{
    *kind = MW_REDUCE_NONE;
    if (split == MW_SPLIT_NONE)
        return MW_REPLICATED;
    int axis = split >= 0 ? mw_operand_axis(&op->out[i], split) : MW_NONE;
    if (axis != MW_NONE)
        return axis;
    *kind = split >= 0 ? op->def->reduce : MW_REDUCE_SUM;
    return MW_PARTIAL;
}

mw_layout mw_strategy_output(const mw_op *op, const mw_strategy *s, int i)
{
    mw_layout layout = mw_layout_replicated();
    for (int a = 0; a < MW_MAX_MESH; a++) {
        mw_reduce kind;
        layout.role[a] = (int8_t)output_role(op, s->split[a], i, &kind);
        if (kind != MW_REDUCE_NONE)
            layout.reduce = (uint8_t)kind;
    }
    return layout;
}

// Why one mesh axis may not be split so, whatever the others do.
static const char *axis_refusal(const mw_graph *graph, const mw_op *op,
                                int split)
{
    if (split >= op->n_letters)
        return "it splits a letter that the op lacks";
    if (split >= 0 && op->letter[split].pinned)
        return "it splits a pinned dimension";
    if (split <= MW_SPLIT_PARTIAL &&
        mw_op_linear(graph, op, MW_SPLIT_PARTIAL - split) == 0)
        return "it passes a partial sum through operands that are not linear";
    return NULL;
}

const char *mw_strategy_refusal(const mw_graph *graph, const mw_op *op,
                                const mw_mesh *mesh, const mw_strategy *s)
{
    for (int a = 0; a < MW_MAX_MESH; a++) {
        bool long_axis = a < mesh->n_axes && mesh->axis[a].size > 1;
        if (!long_axis && s->split[a] != MW_SPLIT_NONE)
            return "it splits over a mesh axis of length 1";
        const char *why = axis_refusal(graph, op, s->split[a]);
        if (why)
            return why;
    }
    for (int i = 0; i < op->n_out; i++) {
        mw_reduce found = MW_REDUCE_NONE;
        for (int a = 0; a < mesh->n_axes; a++) {
            mw_reduce kind;
            if (output_role(op, s->split[a], i, &kind) != MW_PARTIAL)
                continue;
            if (kind == MW_REDUCE_NONE)
                return "an output would be partial, and the op has no "
                       "reduction that could complete it";
            if (found != MW_REDUCE_NONE && found != kind)
                return "an output would be partial by two kinds of reduction "
                       "at once";
            found = kind;
        }
    }
    return NULL;
}

// The choices of one mesh axis, in order; returns how many.
static int axis_options(const mw_graph *graph, const mw_op *op, int64_t size,
                        int8_t option[MW_MAX_LETTERS + MW_MAX_LINEAR + 1])
{
    int n = 0;
    option[n++] = MW_SPLIT_NONE;
    if (size == 1)
        return n;
    for (int l = 0; l < op->n_letters; l++)
        if (!op->letter[l].pinned)
            option[n++] = (int8_t)l;
    for (int k = 0; k < MW_MAX_LINEAR; k++)
        if (mw_op_linear(graph, op, k))
            option[n++] = (int8_t)(MW_SPLIT_PARTIAL - k);
    return n;
}

static bool passes_partial(const mw_strategy *s)
{
    for (int a = 0; a < MW_MAX_MESH; a++)
        if (s->split[a] <= MW_SPLIT_PARTIAL)
            return true;
    return false;
}

/* A counter over the choices of all mesh axes. */
typedef struct counter {
    int8_t option[MW_MAX_MESH][MW_MAX_LETTERS + MW_MAX_LINEAR + 1];
    int n[MW_MAX_MESH], digit[MW_MAX_MESH];
} counter;

static bool advance(counter *c, const mw_mesh *mesh, mw_strategy *s)
{
    for (int a = mesh->n_axes - 1; a >= 0; a--) {
        c->digit[a] = (c->digit[a] + 1) % c->n[a];
        s->split[a] = c->option[a][c->digit[a]];
        if (c->digit[a] != 0)
            return true;
    }
    return false;
}

mw_status mw_op_strategies(mw_arena *arena, const mw_graph *graph,
                           const mw_op *op, const mw_mesh *mesh,
                           mw_strategy **strategy, int *n, int *n_split)
{
    counter c = {.digit = {0}};
    mw_strategy s, *found = NULL;
    memset(s.split, MW_SPLIT_NONE, sizeof s.split);
    for (int a = 0; a < mesh->n_axes; a++)
        c.n[a] = axis_options(graph, op, mesh->axis[a].size, c.option[a]);
    int64_t count = 0, cap = 0;
    int64_t first_part = 0;
    for (int partial = 0; partial < 2; partial++) {
        do {
            if (passes_partial(&s) != (partial == 1) ||
                mw_strategy_refusal(graph, op, mesh, &s))
                continue;
            found = mw_arena_reserve(arena, found, count, &cap, sizeof *found);
            if (!found)
                return MW_ENOMEM;
            found[count++] = s;
        } while (advance(&c, mesh, &s));
        if (partial == 0)
            first_part = count;
    }
    *strategy = found;
    *n = (int)count;
    *n_split = (int)first_part;
    return MW_OK;
}

mw_block mw_strategy_block(const mw_mesh *mesh, const mw_op *op,
                           const mw_strategy *s, int letter,
                           const int64_t coord[MW_MAX_MESH])
{
    mw_layout layout = mw_layout_replicated();
    for (int a = 0; a < MW_MAX_MESH; a++)
        if (s->split[a] == letter)
            layout.role[a] = 0;
    return mw_layout_block(mesh, &layout, 0, op->letter[letter].size, coord);
}

void mw_strategy_extents(const mw_mesh *mesh, const mw_op *op,
                         const mw_strategy *s, int64_t extent[MW_MAX_LETTERS])
{
    static const int64_t first[MW_MAX_MESH];
    for (int l = 0; l < op->n_letters; l++)
        extent[l] = mw_strategy_block(mesh, op, s, l, first).size;
}

// Operands of linear set k as "+x+y".
static char *linear_text(mw_arena *arena, const mw_graph *graph,
                         const mw_op *op, int k)
{
    char *text = mw_arena_text(arena, "");
    for (int i = 0; i < op->n_in && text; i++)
        if (passes(op, k, i))
            text = mw_arena_format(arena, "%s+%s", text,
                                   graph->tensor[op->in[i].tensor].name);
    return text;
}

char *mw_strategy_text(mw_arena *arena, const mw_graph *graph, const mw_op *op,
                       const mw_mesh *mesh, const mw_strategy *s)
{
    char *text = mw_arena_text(arena, "");
    for (int a = 0; a < mesh->n_axes && text; a++) {
        int split = s->split[a];
        if (split == MW_SPLIT_NONE)
            continue;
        const char *what;
        if (split <= MW_SPLIT_PARTIAL)
            what = linear_text(arena, graph, op, MW_SPLIT_PARTIAL - split);
        else if (op->letter[split].dim != MW_NONE)
            what = graph->dim[op->letter[split].dim].name;
        else
            what = mw_arena_format(arena, "letter %d", split);
        if (!what)
            return NULL;
        text = mw_arena_format(arena, "%s%s%s@%s", text, *text ? ", " : "",
                               what, mesh->axis[a].name);
    }
    return text && !*text ? mw_arena_text(arena, "-") : text;
}

uint32_t mw_strategy_exchange_axes(const mw_mesh *mesh, const mw_op *op,
                                   const mw_strategy *s, int i)
{
    uint32_t axes = 0;
    mw_layout layout = mw_strategy_input(op, s, i);
    for (int axis = 0; axis < MW_MAX_RANK; axis++)
        if (op->in[i].window >> axis & 1U)
            axes |= mw_layout_axes(mesh, &layout, axis);
    return axes;
}
