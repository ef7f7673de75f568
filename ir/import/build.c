/* build.c - visits the nodes of a graph: inputs by name, the operator's rule,
 * outputs by name. */
#include "ir/import/build.h"

#include <string.h>

#include "base/near.h"
#include "ir/import/files.h"

const char *mw_build_name(mw_onnx_build *build, const char *base)
{
    const char *name = base;
    while (name && mw_graph_find_tensor(&build->graph, name) != MW_NONE)
        name = mw_arena_format(build->arena, "%s.%lld", base,
                               (long long)++build->n_made);
    return name;
}

/* ---- names ---- */

static mw_status set_label(mw_onnx_build *build, mw_id tensor, const char *name)
{
    while (build->n_labels <= tensor) {
        const char **grown =
            mw_arena_reserve(build->arena, build->label, build->n_labels,
                             &build->cap_labels, sizeof *build->label);
        if (!grown)
            return MW_ENOMEM;
        build->label = grown;
        grown[build->n_labels++] = NULL;
    }
    if (!build->label[tensor])
        build->label[tensor] = name;
    return MW_OK;
}

mw_status mw_build_bind(mw_onnx_build *build, const char *name, mw_id tensor)
{
    MW_TRY(set_label(build, tensor, name));
    return mw_map_put_text(&build->scope->value, name, tensor);
}

mw_status mw_build_stored(mw_onnx_build *build, const mw_onnx_tensor *stored,
                          const char *name, mw_id *id)
{
    mw_tensor tensor = {.name = mw_build_name(build, name)};
    if (!tensor.name)
        return MW_ENOMEM;
    MW_TRY(mw_payload_read(&build->payload, stored, name, &tensor));
    bool weight =
        mw_dtype_is_float(tensor.dtype) && mw_tensor_elements(&tensor) > 1;
    tensor.role = weight ? MW_ROLE_PARAM : MW_ROLE_CONST;
    return mw_graph_tensor(&build->graph, &tensor, id);
}

mw_status mw_build_value(mw_onnx_build *build, const char *name, mw_id *tensor)
{
    for (mw_onnx_scope *s = build->scope; s; s = s->outer) {
        const int64_t *known = mw_map_find_text(&s->value, name);
        if (known) {
            *tensor = (mw_id)*known;
            return MW_OK;
        }
        const int64_t *weight = mw_map_find_text(&s->weight, name);
        if (!weight)
            continue;
        MW_TRY(
            mw_build_stored(build, &s->graph->weight[*weight], name, tensor));
        MW_TRY(set_label(build, *tensor, name));
        return mw_map_put_text(&s->value, name, *tensor);
    }
    return mw_fail(build->ctx, MW_EINPUT, "there is no tensor '%s'", name);
}

static mw_status open_scope(mw_onnx_build *build, const mw_onnx_graph *graph,
                            mw_onnx_scope *scope)
{
    *scope = (mw_onnx_scope){.outer = build->scope, .graph = graph};
    mw_map_init(&scope->value, build->arena);
    mw_map_init(&scope->weight, build->arena);
    mw_map_init(&scope->input, build->arena);
    if (graph->has_sparse)
        return mw_fail(build->ctx, MW_EINPUT,
                       "graph '%s' has sparse weights, which are not supported",
                       graph->name);
    for (int64_t i = 0; i < graph->n_weights; i++) {
        const char *name = graph->weight[i].name;
        if (name[0] == '\0')
            return mw_fail(build->ctx, MW_EINPUT, "weight %lld has no name",
                           (long long)i);
        if (mw_map_find_text(&scope->weight, name))
            return mw_fail(build->ctx, MW_EINPUT, "there are two weights '%s'",
                           name);
        MW_TRY(mw_map_put_text(&scope->weight, name, i));
    }
    for (int64_t i = 0; i < graph->n_in; i++)
        if (!mw_map_find_text(&scope->weight, graph->in[i].name))
            MW_TRY(mw_map_put_text(&scope->input, graph->in[i].name, i));
    build->scope = scope;
    return MW_OK;
}

/* ---- one node ---- */

static const char *label_of(const mw_onnx_node *node)
{
    if (node->name[0] != '\0')
        return node->name;
    for (int64_t i = 0; i < node->n_out; i++)
        if (node->out[i][0] != '\0')
            return node->out[i];
    return node->op;
}

static bool reads_attr(const mw_onnx_rule *rule, const char *name)
{
    size_t length = strlen(name);
    const char *list = rule->attrs ? rule->attrs : "";
    if (strcmp(list, "*") == 0)
        return true;
    for (const char *at = strstr(list, name); at && length > 0;
         at = strstr(at + 1, name)) {
        bool starts = at == list || at[-1] == ' ';
        if (starts && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* What can be said of a node without its inputs. */
static mw_status check_node(mw_onnx_call *call)
{
    const mw_onnx_node *node = call->node;
    const mw_onnx_rule *rule = call->rule;
    if (!rule->domain && call->opset < rule->since)
        return mw_onnx_refuse(call,
                              "the file's opset is %d, this operator "
                              "came with %d",
                              call->opset, rule->since);
    bool is_old = !rule->domain && call->opset < MW_ONNX_OPSET_MIN;
    if (is_old && (rule->early == 0 || call->opset < rule->early))
        return mw_onnx_refuse(
            call, "the file's opset is %d, supported are %d to %d", call->opset,
            MW_ONNX_OPSET_MIN, MW_ONNX_OPSET_MAX);
    if (node->n_in < rule->min_in ||
        (rule->max_in >= 0 && node->n_in > rule->max_in))
        return mw_onnx_refuse(
            call, "it has %lld inputs, wanted at %s %d", (long long)node->n_in,
            node->n_in < rule->min_in ? "least" : "most",
            node->n_in < rule->min_in ? rule->min_in : rule->max_in);
    for (int i = 0; i < rule->min_in; i++)
        if (node->in[i][0] == '\0')
            return mw_onnx_refuse(call, "input %d is left out", i);
    for (int64_t i = 0; i < node->n_attr; i++)
        if (!reads_attr(rule, node->attr[i].name))
            return mw_onnx_refuse(call, "attribute '%s' is not known",
                                  node->attr[i].name);
    return MW_OK;
}

/* The supported operator of the domain that was probably meant, or NULL. */
static const char *nearest(const mw_onnx_node *node)
{
    mw_near near;
    mw_near_init(&near, node->op);
    for (int i = 0; i < mw_onnx_count; i++)
        for (const mw_onnx_rule *r = mw_onnx_table[i]->rules; r->op; r++)
            if (strcmp(r->domain ? r->domain : "", node->domain) == 0)
                mw_near_try(&near, r->op);
    return near.best;
}

static mw_status unknown(mw_onnx_build *build, const mw_onnx_node *node)
{
    const char *domain = node->domain[0] ? node->domain : "ai.onnx";
    const char *best = nearest(node);
    return mw_fail(build->ctx, MW_EINPUT,
                   "operator '%s' of domain '%s' is not supported%s%s%s\n"
                   "--opaque %s::%s plans the model all the same, to be looked "
                   "at and not run",
                   node->op, domain, best ? "; did you mean '" : "",
                   best ? best : "", best ? "'?" : "", domain, node->op);
}

static int64_t opset_of(const mw_onnx_model *model, const char *domain)
{
    for (int64_t i = 0; i < model->n_opsets; i++)
        if (strcmp(model->opset[i].domain, domain) == 0)
            return model->opset[i].version;
    return 0;
}

/* Of ai.onnx where nodes are being read. */
static int opset_here(const mw_onnx_build *build)
{
    const mw_onnx_function *function = build->function;
    for (int64_t i = 0; function && i < function->n_opsets; i++)
        if (function->opset[i].domain[0] == '\0' &&
            function->opset[i].version <= MW_ONNX_OPSET_MAX)
            return (int)function->opset[i].version;
    return (int)opset_of(build->model, "");
}

/* The call of a node whose operator there is and whose form is right. */
static mw_status open_call(mw_onnx_build *build, const mw_onnx_node *node,
                           mw_onnx_call *call)
{
    const char *label = label_of(node);
    mw_ctx_at(build->ctx, "node '%s' (%s)", label, node->op);
    const mw_onnx_rule *rule = mw_onnx_opaque(build, node);
    if (!rule)
        rule = mw_onnx_find(node->domain, node->op);
    if (!rule)
        return unknown(build, node);
    *call = (mw_onnx_call){.build = build,
                           .graph = &build->graph,
                           .arena = build->arena,
                           .node = node,
                           .rule = rule,
                           .label = label,
                           .opset = opset_here(build),
                           .n_in = (int)node->n_in,
                           .n_out = (int)node->n_out};
    return check_node(call);
}

/* Inputs and room for outputs, MW_NONE where there is none. */
static mw_status open_sides(mw_onnx_build *build, const mw_onnx_node *node,
                            mw_id **in, mw_id **out)
{
    if (build->nodes_left-- <= 0)
        return mw_fail(build->ctx, MW_EINPUT,
                       "loops make more nodes than can be unrolled");
    *in = MW_NEW_ARRAY(build->arena, node->n_in, mw_id);
    *out = MW_NEW_ARRAY(build->arena, node->n_out, mw_id);
    if (!*in || !*out)
        return MW_ENOMEM;
    for (int64_t i = 0; i < node->n_in; i++) {
        (*in)[i] = MW_NONE;
        if (node->in[i][0] != '\0')
            MW_TRY(mw_build_value(build, node->in[i], &(*in)[i]));
    }
    for (int64_t i = 0; i < node->n_out; i++)
        (*out)[i] = MW_NONE;
    return MW_OK;
}

static mw_status visit_call(mw_onnx_build *build, const mw_onnx_node *node,
                            const mw_onnx_function *function)
{
    mw_id *in, *out;
    mw_ctx_at(build->ctx, "node '%s' (%s)", label_of(node), node->op);
    MW_TRY(open_sides(build, node, &in, &out));
    MW_TRY(mw_onnx_call_function(build, function, node, in, out));
    for (int64_t i = 0; i < node->n_out; i++)
        if (node->out[i][0] != '\0')
            MW_TRY(mw_build_bind(build, node->out[i], out[i]));
    return MW_OK;
}

static mw_status visit(mw_onnx_build *build, const mw_onnx_node *node)
{
    const mw_onnx_function *function = mw_onnx_function_of(build->model, node);
    mw_onnx_call call;
    mw_id *in, *out;
    if (function)
        return visit_call(build, node, function);
    MW_TRY(open_call(build, node, &call));
    MW_TRY(open_sides(build, node, &in, &out));
    call.in = in;
    call.out = out;
    MW_TRY(call.rule->build(&call));
    MW_TRY(call.status);
    mw_ctx_at(build->ctx, "node '%s' (%s)", call.label, node->op);
    for (int i = 0; i < call.n_out; i++) {
        if (node->out[i][0] == '\0')
            continue;
        if (out[i] == MW_NONE)
            return mw_onnx_refuse(&call, "output %d is not supported", i);
        MW_TRY(mw_build_bind(build, node->out[i], out[i]));
    }
    return MW_OK;
}

mw_status mw_build_nodes(mw_onnx_build *build)
{
    int64_t *sorted, n = 0;
    const mw_onnx_graph *graph = build->scope->graph;
    MW_TRY(mw_onnx_order(build, build->scope, &sorted, &n));
    for (int64_t i = 0; i < n; i++)
        MW_TRY(visit(build, &graph->node[sorted[i]]));
    return MW_OK;
}

static mw_status visit_body(mw_onnx_build *build, const mw_onnx_graph *graph,
                            const mw_id in[], mw_id out[])
{
    for (int64_t i = 0; i < graph->n_in; i++)
        MW_TRY(mw_build_bind(build, graph->in[i].name, in[i]));
    MW_TRY(mw_build_nodes(build));
    for (int64_t i = 0; i < graph->n_out; i++)
        MW_TRY(mw_build_value(build, graph->out[i].name, &out[i]));
    return MW_OK;
}

mw_status mw_build_body(mw_onnx_build *build, const mw_onnx_graph *graph,
                        const mw_id in[], mw_id out[])
{
    mw_onnx_scope *outer = build->scope;
    mw_onnx_scope scope;
    MW_TRY(open_scope(build, graph, &scope));
    mw_status status = visit_body(build, graph, in, out);
    build->scope = outer;
    return status;
}

/* ---- the model ---- */

static bool has_standard(const mw_onnx_graph *graph)
{
    for (int64_t i = 0; i < graph->n_nodes; i++)
        if (graph->node[i].domain[0] == '\0')
            return true;
    return false;
}

static mw_status check_opset(mw_onnx_build *build)
{
    int64_t opset = opset_of(build->model, "");
    if (opset == 0 && !has_standard(&build->model->graph))
        return MW_OK; /* its operators are all of other domains */
    if (opset == 0)
        return mw_fail(build->ctx, MW_EINPUT,
                       "the file names no opset of ai.onnx");
    if (opset < 1 || opset > MW_ONNX_OPSET_MAX)
        return mw_fail(build->ctx, MW_EINPUT,
                       "opset is %lld, supported are %d to %d",
                       (long long)opset, MW_ONNX_OPSET_MIN, MW_ONNX_OPSET_MAX);
    return MW_OK;
}

/* What is wrong whatever the sizes are, before they are asked for. */
static mw_status check_model(mw_onnx_build *build)
{
    int64_t *sorted, n = 0;
    mw_onnx_scope *scope = build->scope;
    MW_TRY(mw_onnx_order(build, scope, &sorted, &n));
    for (int64_t i = 0; i < n; i++) {
        const mw_onnx_node *node = &scope->graph->node[sorted[i]];
        mw_onnx_call call;
        if (!mw_onnx_function_of(build->model, node))
            MW_TRY(open_call(build, node, &call));
        for (int64_t k = 0; k < node->n_in; k++) {
            const int64_t *weight =
                mw_map_find_text(&scope->weight, node->in[k]);
            if (weight)
                MW_TRY(mw_payload_check(&build->payload,
                                        &scope->graph->weight[*weight],
                                        node->in[k]));
        }
    }
    mw_ctx_at(build->ctx, "%s", build->path);
    return MW_OK;
}

static mw_status build_graph(mw_onnx_build *build, mw_graph *placed)
{
    const mw_onnx_graph *graph = &build->model->graph;
    if (graph->n_out == 0)
        return mw_fail(build->ctx, MW_EINPUT, "graph '%s' has no outputs",
                       graph->name);
    MW_TRY(mw_onnx_check_opaque(build));
    MW_TRY(check_model(build));
    MW_TRY(mw_build_check_options(build));
    MW_TRY(mw_build_inputs(build));
    MW_TRY(mw_build_nodes(build));
    mw_onnx_output *output =
        MW_NEW_ARRAY(build->arena, graph->n_out, mw_onnx_output);
    if (!output)
        return MW_ENOMEM;
    mw_map seen;
    mw_map_init(&seen, build->arena);
    for (int64_t i = 0; i < graph->n_out; i++) {
        output[i].name = graph->out[i].name;
        mw_ctx_at(build->ctx, "output '%s'", output[i].name);
        if (mw_map_find_text(&seen, output[i].name))
            return mw_fail(build->ctx, MW_EINPUT, "there are two outputs '%s'",
                           output[i].name);
        MW_TRY(mw_map_put_text(&seen, output[i].name, i));
        MW_TRY(mw_build_value(build, output[i].name, &output[i].tensor));
    }
    MW_TRY(mw_build_check_declared(build));
    mw_ctx_at(build->ctx, "%s", build->path);
    return mw_build_finish(build, output, graph->n_out, placed);
}

static mw_status build_model(mw_onnx_build *build, mw_graph *placed)
{
    mw_onnx_scope scope;
    MW_TRY(check_opset(build));
    MW_TRY(open_scope(build, &build->model->graph, &scope));
    mw_status status = build_graph(build, placed);
    build->scope = NULL;
    return status;
}

static mw_status build_in(mw_onnx_build *build, const mw_import_bytes *file,
                          mw_graph *placed)
{
    mw_onnx_model *model = MW_NEW(build->arena, mw_onnx_model);
    if (!model)
        return MW_ENOMEM;
    mw_ctx_at(build->ctx, "%s", file->path);
    MW_TRY(mw_onnx_decode(build->arena, file->bytes, file->size, model));
    build->model = model;
    build->nodes_left = model->graph.n_nodes + MW_BUILD_UNROLLED_MAX;
    MW_TRY(mw_graph_init(&build->graph, build->arena, model->graph.name));
    mw_folder_init(&build->folder, &build->graph);
    mw_map_init(&build->numbers, build->arena);
    mw_map_init(&build->sizes, build->arena);
    MW_TRY(build_model(build, placed));
    mw_ctx_at(build->ctx, "%s", "");
    return MW_OK;
}

mw_status mw_import_onnx_bytes(mw_arena *arena, const mw_import_bytes *file,
                               const mw_import_options *options,
                               mw_graph *placed, mw_import_files **files)
{
    mw_import_files *opened = mw_files_new(arena->ctx, arena);
    if (!opened)
        return MW_ENOMEM;
    mw_onnx_build build = {.ctx = arena->ctx,
                           .arena = arena,
                           .options = options,
                           .path = file->path,
                           .payload = {.arena = arena,
                                       .files = opened,
                                       .model = file->path,
                                       .values = options->values}};
    mw_status status = build_in(&build, file, placed);
    return mw_files_give(status, opened, files);
}

mw_status mw_import_onnx(mw_ctx *ctx, mw_arena *arena, const char *path,
                         const mw_import_options *options, mw_graph *placed,
                         mw_import_files **files)
{
    mw_map_file map;
    mw_ctx_at(ctx, "%s", path);
    MW_TRY(mw_map_file_open(ctx, path, &map));
    mw_import_bytes file = {.path = path, .bytes = map.bytes, .size = map.size};
    mw_import_files *opened = NULL;
    mw_status status =
        mw_import_onnx_bytes(arena, &file, options, placed, &opened);
    if (status == MW_OK)
        status = mw_files_keep(opened, &map);
    if (status == MW_OK) {
        *files = opened;
        return MW_OK;
    }
    mw_import_close(opened);
    mw_map_file_close(&map);
    return status;
}
