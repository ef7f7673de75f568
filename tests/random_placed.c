/* random_placed.c - ops on tensors drawn at random; what does not fit is drawn
 * again. */
#include "tests/random_placed.h"

#include <string.h>

#include "base/hash.h"
#include "ir/op.h"
#include "tests/test.h"

enum { MAX_ELEMENTS = 3000, MAX_DRAWN_RANK = 6, N_INPUTS = 4 };

typedef struct drawing {
    mw_graph *graph;
    uint64_t *state;
    mw_id in[4];
    int n_in;
    mw_attr attr[8];
    int n_attr;
    int64_t value[8][MW_MAX_RANK];
    char spec[64];
    const char *def;
} drawing;

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(mw_test_random(state) % (uint64_t)n);
}

static int64_t draw_size(uint64_t *state)
{
    static const int64_t sizes[] = {1, 2, 2, 3, 4, 4, 6, 6, 8, 12};
    return sizes[below(state, sizeof sizes / sizeof sizes[0])];
}

static void ints(drawing *d, const char *name, mw_attr_kind kind, int n)
{
    d->attr[d->n_attr] =
        (mw_attr){.name = name, .kind = kind, .n = n, .i = d->value[d->n_attr]};
    d->n_attr++;
}

static void one_int(drawing *d, const char *name, int64_t value)
{
    d->value[d->n_attr][0] = value;
    ints(d, name, MW_ATTR_INT, 1);
}

static const mw_tensor *first(const drawing *d)
{
    return &d->graph->tensor[d->in[0]];
}

static int draw_axis(drawing *d)
{
    int axis = first(d)->rank > 0 ? (int)below(d->state, first(d)->rank) : 0;
    one_int(d, "axis", axis);
    return axis;
}

static void draw_perm(drawing *d)
{
    int64_t *perm = d->value[d->n_attr];
    int n = first(d)->rank;
    for (int i = 0; i < n; i++) {
        int64_t k = below(d->state, i + 1);
        perm[i] = perm[k];
        perm[k] = i;
    }
    ints(d, "perm", MW_ATTR_INTS, n);
}

// Factors of the elements in a random grouping: neighbours merge, axes split.
static void draw_shape(drawing *d)
{
    int64_t *shape = d->value[d->n_attr];
    int64_t left = mw_tensor_elements(first(d));
    int n = 0;
    while (left > 1 && n < MAX_DRAWN_RANK - 1) {
        int64_t size = draw_size(d->state);
        if (below(d->state, 3) == 0 && n < first(d)->rank)
            size = first(d)->axis[n].size;
        if (size == 0 || left % size != 0)
            size = 1;
        shape[n++] = size;
        left /= size;
    }
    shape[n++] = left;
    ints(d, "shape", MW_ATTR_INTS, n);
}

static void draw_slice(drawing *d)
{
    int64_t size = first(d)->rank > 0 ? first(d)->axis[draw_axis(d)].size : 0;
    int64_t count = 1 + below(d->state, size > 0 ? size : 1);
    int64_t start =
        below(d->state, size - count + 1 > 0 ? size - count + 1 : 1);
    int64_t step = 1;
    if (below(d->state, 2) == 0 && size % 2 == 0 && size > 0) {
        count = size / 2;
        start = count * below(d->state, 2);
    } else if (below(d->state, 4) == 0) {
        step = -1;
        start += count - 1;
    }
    one_int(d, "start", start);
    one_int(d, "step", step);
    one_int(d, "count", count);
}

// A spec with letters of equal size shared at random.
static void draw_einsum(drawing *d)
{
    char *at = d->spec, used[2][MW_MAX_RANK], kept[2 * MW_MAX_RANK];
    int n_kept = 0;
    for (int i = 0; i < 2; i++) {
        const mw_tensor *t = &d->graph->tensor[d->in[i]];
        for (int a = 0; a < t->rank; a++) {
            used[i][a] = (char)('a' + i * MW_MAX_RANK / 2 + a);
            for (int b = 0; i == 1 && b < first(d)->rank; b++)
                if (first(d)->axis[b].size == t->axis[a].size &&
                    below(d->state, 3) > 0 &&
                    !memchr(used[1], used[0][b], (size_t)a))
                    used[1][a] = used[0][b];
            *at++ = used[i][a];
        }
        if (i == 0)
            *at++ = ',';
    }
    *at = '\0';
    for (const char *c = d->spec; *c; c++)
        if (*c != ',' && !memchr(kept, *c, (size_t)n_kept) &&
            below(d->state, 3) > 0)
            kept[n_kept++] = *c;
    memcpy(at, "->", 2);
    memcpy(at + 2, kept, (size_t)n_kept);
    at[2 + n_kept] = '\0';
    d->attr[d->n_attr++] =
        (mw_attr){.name = "spec", .kind = MW_ATTR_TEXT, .text = d->spec};
}

static void draw_conv(drawing *d)
{
    int n = first(d)->rank - 2;
    static const char *const names[] = {"strides", "dilations", "pads_begin",
                                        "pads_end"};
    for (int l = 0; n > 0 && n <= 3 && l < 4; l++) {
        for (int i = 0; i < n; i++)
            d->value[d->n_attr][i] = (l < 2) + below(d->state, 2);
        ints(d, names[l], MW_ATTR_INTS, n);
    }
}

static void draw_reduce(drawing *d)
{
    int64_t *axes = d->value[d->n_attr];
    int n = 0;
    for (int a = 0; a < first(d)->rank; a++)
        if (below(d->state, 3) == 0)
            axes[n++] = a;
    ints(d, "axes", MW_ATTR_INTS, n);
    one_int(d, "keep", below(d->state, 2));
}

static void draw_pad(drawing *d)
{
    (void)draw_axis(d);
    one_int(d, "before", below(d->state, 4));
    one_int(d, "after", below(d->state, 4));
}

static void draw_broadcast(drawing *d)
{
    int64_t *shape = d->value[d->n_attr];
    int extra = (int)below(d->state, 2), n = 0;
    for (; n < extra; n++)
        shape[n] = draw_size(d->state);
    for (int a = 0; a < first(d)->rank; a++)
        shape[n++] = first(d)->axis[a].size == 1 ? draw_size(d->state)
                                                 : first(d)->axis[a].size;
    ints(d, "shape", MW_ATTR_INTS, n);
}

static void draw_joined(drawing *d)
{
    (void)draw_axis(d);
}

// An input holds -2 to 2, which are rows of at least three.
static void draw_look_up(drawing *d)
{
    int axis = draw_axis(d);
    d->in[1] = (mw_id)below(d->state, N_INPUTS);
    if (first(d)->rank == 0 || first(d)->axis[axis].size < 3)
        d->n_in = 1;
}

static const struct kind {
    const char *def;
    int n_in;
    void (*draw)(drawing *d);
} kinds[] = {
    {"einsum", 2, draw_einsum},
    {"add", 2, NULL},
    {"sub", 2, NULL},
    {"add", 2, NULL},
    {"neg", 1, NULL},
    {"reduce_sum", 1, draw_reduce},
    {"reduce_max", 1, draw_reduce},
    {"transpose", 1, draw_perm},
    {"reshape", 1, draw_shape},
    {"reshape", 1, draw_shape},
    {"broadcast", 1, draw_broadcast},
    {"slice", 1, draw_slice},
    {"slice", 1, draw_slice},
    {"pad", 1, draw_pad},
    {"concat", 2, draw_joined},
    {"concat", 2, draw_joined},
    {"gather", 2, draw_look_up},
    {"conv", 2, draw_conv},
};

static mw_status add_input(mw_graph *graph, uint64_t *state, int i)
{
    char name[16] = {'x', (char)('0' + i)};
    mw_tensor t = {.name = name,
                   .dtype = MW_I64,
                   .role = i == 3   ? MW_ROLE_CONST
                           : i == 2 ? MW_ROLE_PARAM
                                    : MW_ROLE_INPUT};
    t.rank = 2 + (int)below(state, 3);
    static const char *const symbol[] = {"n", "m", "?", NULL, NULL, NULL};
    for (int a = 0; a < t.rank; a++)
        t.axis[a] = (mw_axis){
            .dim = MW_NONE,
            .size = draw_size(state),
            .symbol = symbol[below(state, sizeof symbol / sizeof symbol[0])]};
    mw_id id;
    return mw_graph_tensor(graph, &t, &id);
}

// Indices are taken modulo the table so that each is a row of it.
static mw_status draw_op(mw_graph *graph, uint64_t *state, int number)
{
    const struct kind *kind =
        &kinds[below(state, sizeof kinds / sizeof kinds[0])];
    drawing d = {.graph = graph, .state = state, .n_in = kind->n_in};
    char name[16] = {'t', (char)('a' + number / 26), (char)('a' + number % 26)};
    for (int i = 0; i < kind->n_in; i++)
        d.in[i] = (mw_id)below(state, graph->n_tensors);
    if (kind->n_in == 2 && below(state, 6) == 0)
        d.in[1] = d.in[0];
    if (kind->draw)
        kind->draw(&d);
    const char *names[] = {name};
    mw_id out;
    int n_before = graph->n_tensors;
    mw_status status = mw_graph_place(graph,
                                      &(mw_op_spec){.def = kind->def,
                                                    .n_in = d.n_in,
                                                    .n_out = 1,
                                                    .in = d.in,
                                                    .out_names = names,
                                                    .n_attr = d.n_attr,
                                                    .attr = d.attr},
                                      &out);
    if (status == MW_OK &&
        (mw_tensor_elements(&graph->tensor[out]) > MAX_ELEMENTS ||
         graph->tensor[out].rank > MAX_DRAWN_RANK)) {
        graph->n_ops--;
        graph->n_tensors = n_before;
        status = MW_EINPUT;
    }
    return status;
}

mw_status mw_random_placed(mw_graph *graph, int n_ops, uint64_t *state)
{
    for (int i = 0; i < N_INPUTS; i++)
        MW_TRY(add_input(graph, state, i));
    for (int number = 0; graph->n_ops < n_ops && number < 26 * 26; number++) {
        mw_status status = draw_op(graph, state, number);
        if (status == MW_EINPUT)
            mw_ctx_clear(graph->ctx);
        else if (status != MW_OK)
            return status;
    }
    for (mw_id t = 0; t < graph->n_tensors; t++)
        graph->tensor[t].output =
            graph->tensor[t].role == MW_ROLE_VALUE &&
            (below(state, 4) == 0 || t == graph->n_tensors - 1);
    return MW_OK;
}

// Makes one op of a graph in another; false when an operand is still to come.
static mw_status copy_op(const mw_graph *graph, const mw_op *op,
                         mw_graph *other, bool *ready)
{
    mw_id *in = MW_NEW_ARRAY(other->arena, op->n_in, mw_id), out;
    if (!in)
        return MW_ENOMEM;
    *ready = true;
    for (int i = 0; i < op->n_in; i++) {
        in[i] =
            mw_graph_find_tensor(other, graph->tensor[op->in[i].tensor].name);
        *ready = *ready && in[i] != MW_NONE;
    }
    if (!*ready)
        return MW_OK;
    const mw_tensor *result = &graph->tensor[op->out[0].tensor];
    MW_TRY(mw_graph_place(other,
                          &(mw_op_spec){.def = op->def->name,
                                        .name = op->name,
                                        .n_in = op->n_in,
                                        .n_out = 1,
                                        .in = in,
                                        .out_names = &result->name,
                                        .n_attr = op->n_attr,
                                        .attr = op->attr},
                          &out));
    other->tensor[out].output = result->output;
    return MW_OK;
}

mw_status mw_placed_reorder(const mw_graph *graph, mw_graph *other,
                            uint64_t *state)
{
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        mw_id id;
        if (graph->tensor[t].role != MW_ROLE_VALUE)
            MW_TRY(mw_graph_tensor(other, &graph->tensor[t], &id));
    }
    bool *done = MW_NEW_ARRAY(other->arena, graph->n_ops + 1, bool);
    if (!done)
        return MW_ENOMEM;
    while (other->n_ops < graph->n_ops) {
        int skip = (int)below(state, graph->n_ops - other->n_ops);
        for (mw_id id = 0; id < graph->n_ops; id++) {
            if (done[id] || skip-- > 0)
                continue;
            MW_TRY(copy_op(graph, &graph->op[id], other, &done[id]));
            if (done[id])
                break;
        }
    }
    return MW_OK;
}
