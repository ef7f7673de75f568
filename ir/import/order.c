/*
 * order.c - which nodes of a graph its outputs need, in topological order.
 * Nodes keep the file's order where it is one already. Linear in nodes and
 * names.
 */
#include <string.h>

#include "ir/import/build.h"

typedef struct order {
    mw_onnx_build *build;
    const mw_onnx_scope *scope;
    const mw_onnx_graph *graph;
    mw_map producer; /* name -> node */
    int64_t *first;  /* of each node, into need; one more at the end */
    int64_t *need;   /* nodes that a node needs */
    int64_t n_need, cap_need;
    bool *live;
} order;

static mw_status refuse(order *o, int64_t node, const char *what,
                        const char *name)
{
    const mw_onnx_node *at = &o->graph->node[node];
    mw_ctx_at(o->build->ctx, "node '%s' (%s)",
              at->name[0] || at->n_out == 0 ? at->name : at->out[0], at->op);
    return mw_fail(o->build->ctx, MW_EINPUT, "%s '%s'", what, name);
}

static bool has(const mw_onnx_scope *scope, const char *name)
{
    return mw_map_find_text(&scope->value, name) ||
           mw_map_find_text(&scope->weight, name) ||
           mw_map_find_text(&scope->input, name);
}

static mw_status add_producers(order *o)
{
    for (int64_t i = 0; i < o->graph->n_nodes; i++) {
        const mw_onnx_node *node = &o->graph->node[i];
        for (int64_t k = 0; k < node->n_out; k++) {
            const char *name = node->out[k];
            if (name[0] == '\0')
                continue;
            if (mw_map_find_text(&o->producer, name) || has(o->scope, name))
                return refuse(o, i, "there is already a tensor", name);
            MW_TRY(mw_map_put_text(&o->producer, name, i));
        }
    }
    return MW_OK;
}

/* Notes that a node reads a name; inner: from a body, where the name may be
 * the body's own. */
static mw_status add_need(order *o, int64_t node, const char *name, bool inner)
{
    if (name[0] == '\0')
        return MW_OK;
    const int64_t *producer = mw_map_find_text(&o->producer, name);
    if (producer && !(inner && *producer == node)) {
        int64_t *grown = mw_arena_reserve(o->build->arena, o->need, o->n_need,
                                          &o->cap_need, sizeof *o->need);
        if (!grown)
            return MW_ENOMEM;
        o->need = grown;
        grown[o->n_need++] = *producer;
        return MW_OK;
    }
    for (const mw_onnx_scope *s = o->scope; s && !inner; s = s->outer)
        if (has(s, name))
            return MW_OK;
    return inner ? MW_OK
                 : refuse(o, node, "there is no tensor, input or weight", name);
}

static mw_status add_body(order *o, int64_t node, const mw_onnx_graph *body)
{
    for (int64_t i = 0; i < body->n_nodes; i++) {
        const mw_onnx_node *inner = &body->node[i];
        for (int64_t k = 0; k < inner->n_in; k++)
            MW_TRY(add_need(o, node, inner->in[k], true));
        for (int64_t k = 0; k < inner->n_attr; k++)
            if (inner->attr[k].graph)
                MW_TRY(add_body(o, node, inner->attr[k].graph));
    }
    for (int64_t i = 0; i < body->n_out; i++)
        MW_TRY(add_need(o, node, body->out[i].name, true));
    return MW_OK;
}

static mw_status add_needs(order *o)
{
    for (int64_t i = 0; i < o->graph->n_nodes; i++) {
        const mw_onnx_node *node = &o->graph->node[i];
        o->first[i] = o->n_need;
        for (int64_t k = 0; k < node->n_in; k++)
            MW_TRY(add_need(o, i, node->in[k], false));
        for (int64_t k = 0; k < node->n_attr; k++)
            if (node->attr[k].graph)
                MW_TRY(add_body(o, i, node->attr[k].graph));
    }
    o->first[o->graph->n_nodes] = o->n_need;
    return MW_OK;
}

/* Marks what the outputs need; `stack` has room for every node. */
static void mark_live(order *o, int64_t *stack)
{
    int64_t n = 0;
    for (int64_t i = 0; i < o->graph->n_out; i++) {
        const int64_t *node =
            mw_map_find_text(&o->producer, o->graph->out[i].name);
        if (node && !o->live[*node]) {
            o->live[*node] = true;
            stack[n++] = *node;
        }
    }
    while (n > 0) {
        int64_t node = stack[--n];
        for (int64_t k = o->first[node]; k < o->first[node + 1]; k++) {
            int64_t need = o->need[k];
            if (o->live[need])
                continue;
            o->live[need] = true;
            stack[n++] = need;
        }
    }
}

/* Depth first from each live node; state: 0 unseen, 1 on the stack, 2 done.
 * at[] is how far a node on the stack has come in its needs. */
static mw_status sort(order *o, int64_t *stack, int64_t *at, int64_t **out,
                      int64_t *n_out)
{
    char *state =
        mw_arena_alloc(o->build->arena, (size_t)o->graph->n_nodes + 1, 1);
    int64_t *sorted = MW_NEW_ARRAY(o->build->arena, o->graph->n_nodes, int64_t);
    if (!state || !sorted)
        return MW_ENOMEM;
    int64_t n_sorted = 0;
    for (int64_t i = 0; i < o->graph->n_nodes; i++) {
        int64_t n = 0;
        if (o->live[i] && state[i] == 0) {
            stack[n++] = i;
            state[i] = 1;
            at[i] = o->first[i];
        }
        while (n > 0) {
            int64_t node = stack[n - 1];
            if (at[node] == o->first[node + 1]) {
                state[node] = 2;
                sorted[n_sorted++] = node;
                n--;
                continue;
            }
            int64_t need = o->need[at[node]++];
            if (state[need] == 1)
                return refuse(o, node, "nodes need each other, through",
                              o->graph->node[need].out[0]);
            if (state[need] == 2)
                continue;
            stack[n++] = need;
            state[need] = 1;
            at[need] = o->first[need];
        }
    }
    *out = sorted;
    *n_out = n_sorted;
    return MW_OK;
}

mw_status mw_onnx_order(mw_onnx_build *build, const mw_onnx_scope *scope,
                        int64_t **sorted, int64_t *n)
{
    order o = {.build = build, .scope = scope, .graph = scope->graph};
    size_t n_nodes = (size_t)o.graph->n_nodes;
    mw_map_init(&o.producer, build->arena);
    o.first = MW_NEW_ARRAY(build->arena, n_nodes + 1, int64_t);
    o.live = MW_NEW_ARRAY(build->arena, n_nodes, bool);
    int64_t *stack = MW_NEW_ARRAY(build->arena, n_nodes, int64_t);
    int64_t *at = MW_NEW_ARRAY(build->arena, n_nodes, int64_t);
    if (!o.first || !o.live || !stack || !at)
        return MW_ENOMEM;
    MW_TRY(add_producers(&o));
    MW_TRY(add_needs(&o));
    mark_live(&o, stack);
    return sort(&o, stack, at, sorted, n);
}
