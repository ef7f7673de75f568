/*
 * opaque.c - operators that the user lets stand unknown (--opaque): an op that
 * takes what the node takes and gives what the file declares for its outputs.
 */
#include <string.h>

#include "ir/import/build.h"
#include "ir/import/emit.h"

/* "DOMAIN::OP", or OP of ai.onnx. */
static bool names_op(const char *option, const char *domain, const char *op)
{
    const char *colons = strstr(option, "::");
    size_t length = colons ? (size_t)(colons - option) : 0;
    const char *name = colons ? colons + 2 : option;
    bool main_domain = length == 0 || strncmp(option, "ai.onnx", length) == 0;
    bool same_domain =
        domain[0] == '\0'
            ? main_domain
            : strlen(domain) == length && strncmp(option, domain, length) == 0;
    return same_domain && strcmp(name, op) == 0;
}

static bool is_read(const mw_onnx_graph *graph, const char *name)
{
    for (int64_t i = 0; i < graph->n_out; i++)
        if (strcmp(graph->out[i].name, name) == 0)
            return true;
    for (int64_t i = 0; i < graph->n_nodes; i++)
        for (int64_t k = 0; k < graph->node[i].n_in; k++)
            if (strcmp(graph->node[i].in[k], name) == 0)
                return true;
    return false;
}

/* The sizes that the file declares, symbols by the sizes of inputs. What nobody
 * reads is dropped later, and may be a scalar until then. */
static mw_status declared_shape(mw_onnx_call *call, const char *name,
                                mw_dtype *dtype, int64_t shape[], int *rank)
{
    const mw_onnx_value *value = mw_build_declared(call->build, name);
    *dtype = MW_F32;
    *rank = 0;
    if (!value && !is_read(call->build->scope->graph, name))
        return MW_OK;
    if (!value || !value->has_shape || value->rank > MW_MAX_RANK)
        return mw_onnx_refuse(call,
                              "the file declares no shape for '%s', "
                              "which an opaque operator needs",
                              name);
    if (!mw_dtype_by_onnx(value->elem_type, dtype))
        return mw_onnx_refuse(call,
                              "'%s' has element type %s, which is not "
                              "supported",
                              name, mw_payload_type(value->elem_type));
    for (*rank = 0; *rank < value->rank; ++*rank) {
        const mw_onnx_dim *dim = &value->dim[*rank];
        const int64_t *known =
            dim->symbol ? mw_map_find_text(&call->build->sizes, dim->symbol)
                        : NULL;
        shape[*rank] = known ? *known : dim->value;
        if (shape[*rank] < 0)
            return mw_onnx_refuse(call,
                                  "the size of axis %d of '%s' is not "
                                  "known, which an opaque operator needs",
                                  *rank, name);
    }
    return MW_OK;
}

static mw_status build_output(mw_onnx_call *call, int i)
{
    int64_t shape[MW_MAX_RANK];
    mw_dtype dtype;
    int rank, n = 0;
    MW_TRY(declared_shape(call, call->node->out[i], &dtype, shape, &rank));
    const char *domain = call->node->domain;
    const char *kind = mw_arena_format(
        call->arena, "%s::%s", domain[0] ? domain : "ai.onnx", call->node->op);
    mw_id *in = MW_NEW_ARRAY(call->arena, call->n_in, mw_id);
    if (!kind || !in)
        return MW_ENOMEM;
    for (int k = 0; k < call->n_in; k++)
        if (mw_onnx_has(call, k))
            in[n++] = call->in[k];
    const mw_attr attr[] = {
        {.name = "kind", .kind = MW_ATTR_TEXT, .text = kind},
        {.name = "shape", .kind = MW_ATTR_INTS, .n = rank, .i = shape},
        {.name = "to", .kind = MW_ATTR_DTYPE, .dtype = dtype}};
    return mw_emit_set(call, i, mw_emit(call, "opaque", in, n, attr, 3));
}

static mw_status build_opaque(mw_onnx_call *call)
{
    for (int i = 0; i < call->n_out; i++)
        if (mw_emit_wanted(call, i))
            MW_TRY(build_output(call, i));
    return call->status;
}

static const mw_onnx_rule rule = {
    .op = "opaque", .max_in = -1, .attrs = "*", .build = build_opaque};

const mw_onnx_rule *mw_onnx_opaque(const mw_onnx_build *build,
                                   const mw_onnx_node *node)
{
    const mw_import_options *options = build->options;
    for (int i = 0; i < options->n_opaque; i++)
        if (names_op(options->opaque[i], node->domain, node->op))
            return &rule;
    return NULL;
}

static bool is_used(const mw_onnx_graph *graph, const char *option)
{
    for (int64_t i = 0; i < graph->n_nodes; i++) {
        const mw_onnx_node *node = &graph->node[i];
        if (names_op(option, node->domain, node->op))
            return true;
        for (int64_t k = 0; k < node->n_attr; k++)
            if (node->attr[k].graph && is_used(node->attr[k].graph, option))
                return true;
    }
    return false;
}

mw_status mw_onnx_check_opaque(mw_onnx_build *build)
{
    for (int i = 0; i < build->options->n_opaque; i++) {
        const char *option = build->options->opaque[i];
        if (is_used(&build->model->graph, option))
            continue;
        mw_ctx_at(build->ctx, "--opaque");
        return mw_fail(build->ctx, MW_EUSAGE,
                       "the model has no operator '%s', wanted DOMAIN::OP",
                       option);
    }
    return MW_OK;
}
