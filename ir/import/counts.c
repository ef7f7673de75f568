/*
 * counts.c - sizes that follow from values: how many elements are not zero, how
 * many boxes are left. Shapes are fixed by the plan, so somebody must say such
 * a size beforehand, and a run refuses values that give another (`places`).
 */
#include <string.h>

#include "ir/fold.h"
#include "ir/import/build.h"
#include "ir/import/emit.h"

const mw_onnx_value *mw_build_declared(const mw_onnx_build *build,
                                       const char *name)
{
    const mw_onnx_graph *graph = build->scope->graph;
    for (int64_t i = 0; i < graph->n_out; i++)
        if (strcmp(graph->out[i].name, name) == 0)
            return &graph->out[i];
    for (int64_t i = 0; i < graph->n_infos; i++)
        if (strcmp(graph->info[i].name, name) == 0)
            return &graph->info[i];
    return NULL;
}

static const mw_onnx_dim *declared_dim(const mw_onnx_build *build,
                                       const char *output, int axis)
{
    const mw_onnx_value *value = mw_build_declared(build, output);
    return value && value->has_shape && axis < value->rank ? &value->dim[axis]
                                                           : NULL;
}

/* Its symbol, else OUTPUT.AXIS. */
static const char *name_of(const mw_onnx_build *build, const char *output,
                           int axis)
{
    const mw_onnx_dim *dim = declared_dim(build, output, axis);
    const char *symbol = dim ? mw_build_symbol(dim) : NULL;
    return symbol ? symbol
                  : mw_arena_format(build->arena, "%s.%d", output, axis);
}

/* ---- which names there are ---- */

static mw_status note_node(mw_onnx_build *build, const mw_onnx_node *node,
                           mw_map *names)
{
    const mw_onnx_rule *rule = mw_onnx_find(node->domain, node->op);
    for (int64_t i = 0; rule && rule->counts && i < node->n_out; i++) {
        if (node->out[i][0] == '\0')
            continue;
        const mw_onnx_value *value = mw_build_declared(build, node->out[i]);
        int64_t rank =
            value && value->has_shape ? value->rank : (int64_t)MW_MAX_RANK;
        for (int a = 0; a < rank && a < MW_MAX_RANK; a++) {
            const char *name = name_of(build, node->out[i], a);
            if (!name)
                return MW_ENOMEM;
            MW_TRY(mw_map_put_text(names, name, 0));
        }
    }
    return MW_OK;
}

static mw_status note_graph(mw_onnx_build *build, const mw_onnx_graph *graph,
                            mw_map *names)
{
    mw_onnx_scope *outer = build->scope;
    mw_onnx_scope scope = {.outer = outer, .graph = graph};
    mw_status status = MW_OK;
    build->scope = &scope;
    for (int64_t i = 0; i < graph->n_nodes && status == MW_OK; i++) {
        const mw_onnx_node *node = &graph->node[i];
        status = note_node(build, node, names);
        for (int64_t k = 0; k < node->n_attr && status == MW_OK; k++)
            if (node->attr[k].graph)
                status = note_graph(build, node->attr[k].graph, names);
    }
    build->scope = outer;
    return status;
}

mw_status mw_build_count_names(mw_onnx_build *build, mw_map *names)
{
    const mw_onnx_model *model = build->model;
    MW_TRY(note_graph(build, &model->graph, names));
    for (int64_t i = 0; i < model->n_functions; i++)
        MW_TRY(note_graph(build, &model->function[i].graph, names));
    return MW_OK;
}

/* ---- one size ---- */

typedef struct counted {
    const char *name;
    int64_t most;
    int64_t n; /* -1: nobody says */
    bool asked;
} counted;

static mw_status look_up(mw_onnx_call *call, int o, int axis, counted *c)
{
    mw_onnx_build *build = call->build;
    const char *output = call->node->out[o];
    const mw_onnx_dim *dim = declared_dim(build, output, axis);
    c->name = name_of(build, output, axis);
    if (!c->name)
        return MW_ENOMEM;
    const int64_t *known = mw_map_find_text(&build->sizes, c->name);
    c->asked = mw_build_dim_option(build, c->name, &c->n);
    if (c->asked)
        return MW_OK;
    c->n = known ? *known : dim && dim->value > 0 ? dim->value : -1;
    return MW_OK;
}

static mw_status take_said(mw_onnx_call *call, counted *c)
{
    mw_onnx_build *build = call->build;
    if (c->n < 0 && build->options->assume_sizes && c->most > 0)
        c->n = mw_build_assume(build, c->name, c->most);
    if (c->n < 0 && !c->asked)
        return mw_onnx_refuse(
            call,
            "how many elements it selects depends on an input's values\n"
            "--dim %s=SIZE plans for a number, which a run checks; values that "
            "are always the same are fixed by --const INPUT=VALUE",
            c->name);
    if (c->n < 1 || c->n > c->most)
        return mw_onnx_refuse(call,
                              "dimension '%s' is %lld, wanted 1 to %lld, the "
                              "elements there are",
                              c->name, (long long)c->n, (long long)c->most);
    return mw_map_put_text(&build->sizes, c->name, c->n);
}

static mw_id known_places(mw_onnx_call *call, mw_id mask, const counted *c)
{
    const void *bytes = NULL;
    mw_status status = mw_fold_read(call->graph, mask, call->arena, &bytes);
    int64_t n = 0;
    int64_t *at =
        status == MW_OK ? MW_NEW_ARRAY(call->arena, c->most, int64_t) : NULL;
    if (!at) {
        call->status = status == MW_OK ? MW_ENOMEM : status;
        return MW_NONE;
    }
    for (int64_t i = 0; i < c->most; i++)
        if (((const uint8_t *)bytes)[i])
            at[n++] = i;
    if (c->asked && c->n != n) {
        (void)mw_onnx_refuse(call, "dimension '%s' is %lld, --dim says %lld",
                             c->name, (long long)n, (long long)c->n);
        return MW_NONE;
    }
    return mw_emit_vector(call, at, n);
}

mw_id mw_emit_places(mw_onnx_call *call, mw_id mask, int o, int axis)
{
    if (call->status != MW_OK)
        return MW_NONE;
    counted c = {.most = mw_emit_size(call, mask, 0)};
    mw_status status = look_up(call, o, axis, &c);
    if (status == MW_OK && mw_fold_known(call->graph, mask))
        return known_places(call, mask, &c);
    if (status == MW_OK)
        status = take_said(call, &c);
    if (status != MW_OK) {
        call->status = status;
        return MW_NONE;
    }
    const int64_t place = 0;
    const mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &place},
        {.name = "count", .kind = MW_ATTR_INT, .n = 1, .i = &c.n}};
    return mw_emit(call, "places", &mask, 1, attr, 2);
}
