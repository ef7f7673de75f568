/* inner.c - the graph of a build is exchanged for a body's. */
#include "ir/import/inner.h"

#include <string.h>

const char *mw_inner_name(mw_onnx_build *build, const char *base)
{
    if (!build->within)
        return mw_arena_text(build->arena, base);
    return mw_arena_format(build->arena, "%s/%s", build->within, base);
}

mw_status mw_inner_open(mw_onnx_build *build, const char *name, mw_inner *outer)
{
    *outer = (mw_inner){build->graph,    build->numbers,    build->label,
                        build->n_labels, build->cap_labels, build->scope,
                        build->within};
    build->within = name;
    mw_map_init(&build->numbers, build->arena);
    build->label = NULL;
    build->n_labels = build->cap_labels = 0;
    return mw_graph_init(&build->graph, outer->graph.arena, name);
}

mw_status mw_inner_input(mw_onnx_build *build, const mw_inner *outer, mw_id id,
                         bool scanned, mw_id *in)
{
    mw_tensor tensor = outer->graph.tensor[id];
    tensor.name = mw_build_name(build, tensor.name);
    tensor.role = MW_ROLE_INPUT;
    tensor.output = false;
    tensor.data = (mw_data){.kind = MW_DATA_NONE};
    if (!tensor.name)
        return MW_ENOMEM;
    if (scanned) {
        tensor.rank--;
        memmove(tensor.axis, tensor.axis + 1,
                (size_t)tensor.rank * sizeof tensor.axis[0]);
    }
    return mw_graph_tensor(&build->graph, &tensor, in);
}

mw_status mw_inner_results(mw_onnx_build *build, const mw_id result[], int n)
{
    mw_graph *body = &build->graph;
    body->result = MW_NEW_ARRAY(body->arena, n, mw_id);
    if (!body->result)
        return MW_ENOMEM;
    memcpy(body->result, result, (size_t)n * sizeof *body->result);
    body->n_results = n;
    for (mw_id t = 0; t < body->n_tensors; t++)
        if (body->tensor[t].role == MW_ROLE_PARAM)
            body->tensor[t].role = MW_ROLE_CONST;
    return MW_OK;
}

mw_graph mw_inner_close(mw_onnx_build *build, const mw_inner *outer)
{
    mw_graph body = build->graph;
    build->graph = outer->graph;
    build->numbers = outer->numbers;
    build->label = outer->label;
    build->n_labels = outer->n_labels;
    build->cap_labels = outer->cap_labels;
    build->scope = outer->scope;
    build->within = outer->within;
    return body;
}
