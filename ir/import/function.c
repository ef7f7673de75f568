/*
 * function.c - operators that the model defines itself: a node becomes the
 * nodes of the function, in a scope of their own. They are copied for each
 * call, with the caller's attributes in place of references to them, and
 * without the inputs that the caller leaves out.
 */
#include <string.h>

#include "ir/import/build.h"

typedef struct call {
    mw_onnx_build *build;
    const mw_onnx_function *function;
    const mw_onnx_node *node;
} call;

const mw_onnx_function *mw_onnx_function_of(const mw_onnx_model *model,
                                            const mw_onnx_node *node)
{
    for (int64_t i = 0; i < model->n_functions; i++) {
        const mw_onnx_function *f = &model->function[i];
        if (strcmp(f->op, node->op) == 0 &&
            strcmp(f->domain, node->domain) == 0 &&
            strcmp(f->overload, node->overload) == 0)
            return f;
    }
    return NULL;
}

/* The caller's attribute, or the function's own; NULL: neither has it. */
static const mw_onnx_attr *referenced(const call *c, const char *name)
{
    for (int64_t i = 0; i < c->node->n_attr; i++)
        if (strcmp(c->node->attr[i].name, name) == 0)
            return &c->node->attr[i];
    for (int64_t i = 0; i < c->function->n_defaults; i++)
        if (strcmp(c->function->defaults[i].name, name) == 0)
            return &c->function->defaults[i];
    return NULL;
}

static mw_status copy_graph(const call *c, const mw_onnx_graph *from,
                            const mw_onnx_graph **to);

static mw_status copy_attrs(const call *c, mw_onnx_node *node)
{
    const mw_onnx_attr *from = node->attr;
    mw_onnx_attr *to =
        MW_NEW_ARRAY(c->build->arena, node->n_attr, mw_onnx_attr);
    int64_t n = 0;
    if (!to)
        return MW_ENOMEM;
    for (int64_t i = 0; i < node->n_attr; i++) {
        const mw_onnx_attr *attr = &from[i];
        if (attr->reference[0] != '\0')
            attr = referenced(c, attr->reference);
        if (!attr)
            continue;
        to[n] = *attr;
        to[n].name = from[i].name;
        to[n].reference = "";
        if (to[n].graph)
            MW_TRY(copy_graph(c, to[n].graph, &to[n].graph));
        n++;
    }
    node->attr = to;
    node->n_attr = n;
    return MW_OK;
}

/* An input of the function that the caller leaves out. */
static bool is_left_out(const call *c, const char *name)
{
    const mw_onnx_graph *graph = &c->function->graph;
    for (int64_t i = 0; i < graph->n_in; i++)
        if (strcmp(graph->in[i].name, name) == 0)
            return i >= c->node->n_in || c->node->in[i][0] == '\0';
    return false;
}

static mw_status copy_node(const call *c, mw_onnx_node *node)
{
    const char **in = MW_NEW_ARRAY(c->build->arena, node->n_in, const char *);
    if (!in)
        return MW_ENOMEM;
    for (int64_t i = 0; i < node->n_in; i++)
        in[i] = is_left_out(c, node->in[i]) ? "" : node->in[i];
    node->in = in;
    return copy_attrs(c, node);
}

static mw_status copy_graph(const call *c, const mw_onnx_graph *from,
                            const mw_onnx_graph **to)
{
    mw_onnx_graph *made = MW_NEW(c->build->arena, mw_onnx_graph);
    mw_onnx_node *node =
        MW_NEW_ARRAY(c->build->arena, from->n_nodes, mw_onnx_node);
    if (!made || !node)
        return MW_ENOMEM;
    *made = *from;
    made->node = node;
    for (int64_t i = 0; i < from->n_nodes; i++) {
        node[i] = from->node[i];
        MW_TRY(copy_node(c, &node[i]));
    }
    *to = made;
    return MW_OK;
}

static mw_status check_call(const call *c)
{
    const mw_onnx_graph *graph = &c->function->graph;
    if (c->node->n_in > graph->n_in || c->node->n_out > graph->n_out)
        return mw_fail(c->build->ctx, MW_EINPUT,
                       "%s: %lld inputs and %lld outputs, and the model's "
                       "function has %lld and %lld",
                       c->node->op, (long long)c->node->n_in,
                       (long long)c->node->n_out, (long long)graph->n_in,
                       (long long)graph->n_out);
    if (c->build->depth == MW_ONNX_MAX_DEPTH)
        return mw_fail(c->build->ctx, MW_EINPUT,
                       "%s: functions call each other more than %d deep",
                       c->node->op, MW_ONNX_MAX_DEPTH);
    return MW_OK;
}

/* The function's inputs that are given become names of its scope. */
static mw_status visit(const call *c, mw_onnx_graph *graph, const mw_id in[],
                       mw_id out[])
{
    mw_onnx_scope *outer = c->build->scope;
    int64_t n = 0;
    mw_onnx_value *given =
        MW_NEW_ARRAY(c->build->arena, graph->n_in, mw_onnx_value);
    mw_id *id = MW_NEW_ARRAY(c->build->arena, graph->n_in, mw_id);
    if (!given || !id)
        return MW_ENOMEM;
    for (int64_t i = 0; i < c->node->n_in; i++) {
        if (in[i] == MW_NONE)
            continue;
        given[n] = graph->in[i];
        id[n++] = in[i];
    }
    graph->in = given;
    graph->n_in = n;
    c->build->scope = NULL; /* a function sees nothing else */
    mw_status status = mw_build_body(c->build, graph, id, out);
    c->build->scope = outer;
    return status;
}

mw_status mw_onnx_call_function(mw_onnx_build *build,
                                const mw_onnx_function *function,
                                const mw_onnx_node *node, const mw_id in[],
                                mw_id out[])
{
    const call c = {.build = build, .function = function, .node = node};
    const mw_onnx_function *outer = build->function;
    const mw_onnx_graph *copied;
    MW_TRY(check_call(&c));
    MW_TRY(copy_graph(&c, &function->graph, &copied));
    mw_onnx_graph graph = *copied;
    graph.n_out = node->n_out;
    build->depth++;
    build->function = function;
    mw_status status = visit(&c, &graph, in, out);
    build->function = outer;
    build->depth--;
    return status;
}
