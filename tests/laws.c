/* laws.c - a mesh in one process. */
#include "tests/laws.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/eval.h"
#include "ir/loop.h"
#include "ir/reduction.h"
#include "tests/test.h"

enum { MAX_OPERANDS = 12, MAX_RESULTS = 8 };

// One strategy being played.
typedef struct play {
    mw_arena *arena;
    const mw_graph *graph;
    const mw_op *op;
    const mw_mesh *mesh;
    const mw_strategy *strategy;
    mw_view whole_in[MAX_OPERANDS];
    mw_view whole_out[MAX_RESULTS];
    mw_view joined[MAX_RESULTS];   /* what the ranks' outputs add up to */
    uint8_t *written[MAX_RESULTS]; /* of each element of joined */
    uint64_t *state;
} play;

void law_fill(mw_dtype dtype, void *data, int64_t n, uint64_t *state)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t draw = mw_test_random(state);
        mw_number x = {.u = draw % 13};
        if (mw_dtype_class(dtype) == MW_CLASS_FLOAT)
            x.f = (double)(1 + draw % 6) * (draw & 64 ? 0.5 : -0.5);
        else if (mw_dtype_class(dtype) == MW_CLASS_SIGNED)
            x.i = (int64_t)(draw % 25) - 12;
        else if (dtype == MW_BOOL)
            x.u = draw & 1;
        mw_numbers_store(dtype, data, i, 1, 1, &x);
    }
}

int64_t law_differences(mw_dtype dtype, const void *a, const void *b, int64_t n)
{
    bool is_float = mw_dtype_class(dtype) == MW_CLASS_FLOAT;
    double tolerance = dtype == MW_F64 ? 1e-12 : 1e-5;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        mw_number x, y;
        mw_numbers_load(dtype, a, i, 1, 1, &x);
        mw_numbers_load(dtype, b, i, 1, 1, &y);
        if (!is_float)
            count += x.u != y.u;
        else if (isnan(x.f) || isnan(y.f) || isinf(x.f) || isinf(y.f))
            count += !(isnan(x.f) && isnan(y.f)) && !(x.f == y.f);
        else
            count += fabs(x.f - y.f) > tolerance * (1 + fabs(y.f));
    }
    return count;
}

static void *new_bytes(mw_arena *arena, const mw_view *view)
{
    return mw_arena_alloc(arena, (size_t)mw_view_elements(view),
                          (size_t)mw_dtype_bytes(view->dtype));
}

// The offset in the whole of element i of a block.
static int64_t whole_offset(const mw_view *block, const mw_view *whole,
                            int64_t i)
{
    int64_t at = 0;
    for (int a = block->rank - 1; a >= 0; a--) {
        int64_t index = i % block->size[a] + block->start[a];
        i /= block->size[a];
        at += index * mw_view_stride(whole, a);
    }
    return at;
}

static int axis_of(const mw_operand *operand, int letter)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        if (operand->letter[a] == letter)
            return a;
    }
    return MW_NONE;
}

// The block of an operand, the inputs before the outputs: what its letters'
// blocks say, through windows.
static mw_view block_of(const play *p, const mw_view *whole, int operand,
                        const int64_t coord[MW_MAX_MESH])
{
    int output = operand - p->op->n_in;
    const int8_t *letter =
        output >= 0 ? p->op->out[output].letter : p->op->in[operand].letter;
    mw_view block = *whole;
    for (int a = 0; a < whole->rank; a++) {
        mw_block b =
            mw_strategy_block(p->mesh, p->op, p->strategy, letter[a], coord);
        mw_span span = {b.start, b.start + b.size};
        if (output < 0)
            span = mw_op_window(p->graph, p->op, operand, a, span);
        block.start[a] = span.lo;
        block.size[a] = span.hi - span.lo;
    }
    return block;
}

static bool passes(const play *p, int a, int input)
{
    int k = MW_SPLIT_PARTIAL - p->strategy->split[a];
    return k >= 0 && (mw_op_linear(p->graph, p->op, k) >> input & 1) != 0;
}

// This rank's addend of an element that is partial over an axis of `size`
// ranks: the first holds what the others, which hold small numbers that follow
// from the element, leave.
static mw_number addend(mw_dtype dtype, mw_number x, int64_t size, int64_t at,
                        int64_t element)
{
    bool is_float = mw_dtype_class(dtype) == MW_CLASS_FLOAT;
    int64_t others = 0, own = 0;
    for (int64_t r = 1; r < size; r++) {
        uint64_t mixed = (uint64_t)(element + r) * 0x9e3779b97f4a7c15u;
        int64_t value = (int64_t)((mixed >> 40) % 3) - 1;
        others += value;
        own = r == at ? value : own;
    }
    if (at > 0)
        return is_float ? (mw_number){.f = 0.25 * (double)own}
                        : (mw_number){.i = own};
    if (is_float)
        return (mw_number){.f = x.f - 0.25 * (double)others};
    return (mw_number){.u = x.u - (uint64_t)others};
}

static mw_status cut_input(const play *p, int i,
                           const int64_t coord[MW_MAX_MESH], mw_view *block)
{
    *block = block_of(p, &p->whole_in[i], i, coord);
    block->data = new_bytes(p->arena, block);
    if (!block->data)
        return MW_ENOMEM;
    int64_t n = mw_view_elements(block);
    for (int64_t e = 0; e < n; e++) {
        int64_t at = whole_offset(block, &p->whole_in[i], e);
        mw_number x;
        mw_numbers_load(block->dtype, p->whole_in[i].data, at, 1, 1, &x);
        for (int a = 0; a < p->mesh->n_axes; a++) {
            if (passes(p, a, i))
                x = addend(block->dtype, x, p->mesh->axis[a].size, coord[a],
                           at);
        }
        mw_numbers_store(block->dtype, block->data, e, 1, 1, &x);
    }
    return MW_OK;
}

// Whether output o is partial over a mesh axis, and how.
static mw_reduce partial_kind(const play *p, int o, int a)
{
    int split = p->strategy->split[a];
    if (split == MW_SPLIT_NONE)
        return MW_REDUCE_NONE;
    if (split <= MW_SPLIT_PARTIAL)
        return MW_REDUCE_SUM;
    return axis_of(&p->op->out[o], split) == MW_NONE ? p->op->def->reduce
                                                     : MW_REDUCE_NONE;
}

// Joins a rank's output o, reduced over partial axes. Returns the elements
// that another rank gave already though nothing is partial.
static int64_t join(play *p, int o, const mw_view *block)
{
    mw_reduce kind = MW_REDUCE_NONE;
    int64_t doubled = 0, n = mw_view_elements(block);
    for (int a = 0; a < p->mesh->n_axes; a++) {
        mw_reduce found = partial_kind(p, o, a);
        kind = found != MW_REDUCE_NONE ? found : kind;
    }
    for (int64_t e = 0; e < n; e++) {
        int64_t at = whole_offset(block, &p->joined[o], e);
        mw_number x, y;
        mw_numbers_load(block->dtype, block->data, e, 1, 1, &x);
        mw_numbers_load(block->dtype, p->joined[o].data, at, 1, 1, &y);
        if (p->written[o][at] && kind != MW_REDUCE_NONE)
            x = mw_reduce_pair(kind, block->dtype, x, y);
        else if (p->written[o][at])
            doubled++;
        p->written[o][at] = 1;
        mw_numbers_store(block->dtype, p->joined[o].data, at, 1, 1, &x);
    }
    return doubled;
}

static void *new_room(const play *p)
{
    int64_t extent[MW_MAX_LETTERS], room = 0;
    mw_strategy_extents(p->mesh, p->op, p->strategy, extent);
    if (p->op->def->ref_room)
        room = p->op->def->workspace(p->graph, p->op, extent);
    return mw_arena_alloc(p->arena, (size_t)room + 1, 1);
}

// Of ranks that do the same, the first.
static mw_status run_rank(play *p, int64_t rank, int64_t *differences)
{
    int64_t coord[MW_MAX_MESH] = {0};
    mw_view in[MAX_OPERANDS];
    mw_mesh_coords(p->mesh, rank, coord);
    for (int a = 0; a < p->mesh->n_axes; a++) {
        if (p->strategy->split[a] == MW_SPLIT_NONE && coord[a] > 0)
            return MW_OK;
    }
    for (int i = 0; i < p->op->n_in; i++)
        MW_TRY(cut_input(p, i, coord, &in[i]));
    mw_view out[MAX_RESULTS];
    for (int o = 0; o < p->op->n_out; o++) {
        out[o] = block_of(p, &p->whole_out[o], p->op->n_in + o, coord);
        out[o].data = new_bytes(p->arena, &out[o]);
        if (!out[o].data)
            return MW_ENOMEM;
    }
    void *room = new_room(p);
    if (!room)
        return MW_ENOMEM;
    mw_op_ref(p->op, in, out, room);
    for (int o = 0; o < p->op->n_out; o++)
        *differences += join(p, o, &out[o]);
    return MW_OK;
}

static mw_status begin_results(play *p)
{
    for (int o = 0; o < p->op->n_out; o++) {
        const mw_view *whole = &p->whole_out[o];
        p->joined[o] = *whole;
        p->joined[o].data = new_bytes(p->arena, whole);
        p->written[o] =
            mw_arena_alloc(p->arena, (size_t)mw_view_elements(whole), 1);
        if (!p->joined[o].data || !p->written[o])
            return MW_ENOMEM;
    }
    return MW_OK;
}

static mw_status play_strategy(play *p, int64_t *differences)
{
    MW_TRY(begin_results(p));
    *differences = 0;
    for (int64_t r = 0; r < mw_mesh_ranks(p->mesh); r++)
        MW_TRY(run_rank(p, r, differences));
    for (int o = 0; o < p->op->n_out; o++) {
        const mw_view *joined = &p->joined[o], *whole = &p->whole_out[o];
        int64_t n = mw_view_elements(whole);
        for (int64_t e = 0; e < n; e++)
            *differences += !p->written[o][e];
        *differences +=
            law_differences(joined->dtype, joined->data, whole->data, n);
    }
    return MW_OK;
}

static mw_status make_whole(play *p)
{
    const void *in[MAX_OPERANDS];
    for (int i = 0; i < p->op->n_in; i++) {
        const mw_tensor *tensor = &p->graph->tensor[p->op->in[i].tensor];
        p->whole_in[i] = mw_view_whole(tensor, NULL);
        p->whole_in[i].data = new_bytes(p->arena, &p->whole_in[i]);
        if (!p->whole_in[i].data)
            return MW_ENOMEM;
        law_fill(tensor->dtype, p->whole_in[i].data, mw_tensor_elements(tensor),
                 p->state);
        in[i] = p->whole_in[i].data;
    }
    void *out[MAX_RESULTS];
    for (int o = 0; o < p->op->n_out; o++) {
        p->whole_out[o] =
            mw_view_whole(&p->graph->tensor[p->op->out[o].tensor], NULL);
        out[o] = p->whole_out[o].data = new_bytes(p->arena, &p->whole_out[o]);
        if (!out[o])
            return MW_ENOMEM;
    }
    return mw_eval_op(p->graph, p->op, in, out);
}

mw_status law_splits(mw_arena *arena, const mw_graph *graph, const mw_op *op,
                     const char *mesh_text, law_result *result)
{
    uint64_t state = 7;
    mw_mesh mesh;
    mw_strategy *strategies;
    int n, n_split;
    play p = {.arena = arena,
              .graph = graph,
              .op = op,
              .mesh = &mesh,
              .state = &state};
    MW_TRY(mw_mesh_parse(graph->ctx, arena, mesh_text, &mesh));
    MW_TRY(
        mw_op_strategies(arena, graph, op, &mesh, &strategies, &n, &n_split));
    MW_TRY(make_whole(&p));
    for (int i = 0; i < n; i++) {
        int64_t differences = 0;
        p.strategy = &strategies[i];
        MW_TRY(play_strategy(&p, &differences));
        result->n_cases++;
        if (differences == 0)
            continue;
        const char *text =
            mw_strategy_text(arena, graph, op, &mesh, p.strategy);
        if (result->n_failed++ == 0)
            (void)snprintf(result->first, sizeof result->first,
                           "%s on %s split %s: %lld elements differ",
                           op->def->name, mesh_text, text ? text : "?",
                           (long long)differences);
    }
    return MW_OK;
}
