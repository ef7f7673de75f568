/* import_support.c - models against the arrays stored beside them. */
#include "tests/import_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "ir/eval.h"
#include "ir/number.h"
#include "tests/test.h"

enum { MAX_INPUTS = 64 };

/* Shapes of the arrays "in:NAME" or "NAME" as options. */
static int shapes_of(const mw_tensor_file *npz, mw_shape_option shape[])
{
    int n = 0;
    for (int i = 0; npz && i < npz->n_arrays && n < MAX_INPUTS; i++) {
        const mw_array *array = &npz->array[i];
        bool marked = strncmp(array->name, "in:", 3) == 0;
        shape[n] = (mw_shape_option){.input = array->name + (marked ? 3 : 0),
                                     .rank = array->rank};
        for (int a = 0; a < array->rank; a++)
            shape[n].size[a] = array->size[a];
        n++;
    }
    return n;
}

static mw_status place(imported *model, const char *path,
                       const mw_import_options *with)
{
    mw_import_bytes file = {.path = path};
    char *text;
    if (strcmp(mw_path_ext(path), ".mlir") != 0)
        return mw_import_onnx(&model->ctx, &model->arena, path, with,
                              &model->placed, &model->placed_files);
    MW_TRY(mw_file_read(&model->arena, path, &text, &file.size));
    file.bytes = text;
    return mw_import_stablehlo_text(&model->arena, &file, with, &model->placed);
}

void import_open(imported *model, const char *path, const char *npz,
                 const mw_import_options *options)
{
    *model = (imported){.status = MW_OK};
    mw_ctx_init(&model->ctx);
    mw_arena_init(&model->arena, &model->ctx);
    mw_import_options with = options ? *options : (mw_import_options){0};
    mw_shape_option shape[MAX_INPUTS];
    if (npz)
        model->status =
            mw_tensor_file_open(&model->ctx, &model->arena, npz, &model->npz);
    if (model->status != MW_OK)
        return;
    with.n_shapes = shapes_of(model->npz, shape);
    with.shape = shape;
    with.values = true;
    mw_status ready = mw_graph_init(&model->placed, &model->arena, "placed");
    if (ready == MW_OK)
        ready = mw_graph_init(&model->named, &model->arena, "named");
    model->status = ready;
    if (ready == MW_OK)
        model->status = place(model, path, &with);
    if (model->status == MW_OK)
        model->status = mw_import(&model->ctx, &model->arena, path, &with,
                                  &model->named, &model->named_files);
}

void import_close(imported *model)
{
    mw_import_close(model->placed_files);
    mw_import_close(model->named_files);
    mw_tensor_file_close(model->npz);
    mw_arena_free(&model->arena);
    mw_ctx_free(&model->ctx);
}

bool import_warned(const imported *model, const char *text)
{
    for (const mw_warning *w = model->ctx.warning; w; w = w->next)
        if (strstr(w->text, text))
            return true;
    return false;
}

static double at(mw_dtype dtype, const void *data, int64_t i)
{
    return mw_number_cast(mw_number_at(dtype, data, i), dtype, MW_F64).f;
}

/* The first element that differs, or -1. */
static int64_t difference(mw_dtype dtype, const void *got, const void *want,
                          int64_t n)
{
    bool exact = !mw_dtype_is_float(dtype);
    double wider = mw_dtype_bytes(dtype) == 2 ? 10.0 : 1.0;
    for (int64_t i = 0; i < n; i++) {
        double g = at(dtype, got, i), w = at(dtype, want, i);
        double limit = exact ? 0.0 : wider * (1e-4 + 1e-3 * fabs(w));
        if (g != w && !(fabs(g - w) <= limit) && !(isnan(g) && isnan(w)))
            return i;
    }
    return -1;
}

static void compare_output(imported *model, const mw_tensor *tensor,
                           const void *got, const char *name)
{
    int i = mw_tensor_file_find(model->npz, "out:", tensor->name);
    if (!CHECK(i != MW_NONE, "%s: no array for output %s", name, tensor->name))
        return;
    const mw_array *array = &model->npz->array[i];
    int64_t size[MW_MAX_FILE_RANK];
    bool same = mw_tensor_file_shape(tensor, size) == array->rank &&
                tensor->dtype == array->dtype;
    for (int a = 0; a < array->rank && same; a++)
        same = size[a] == array->size[a];
    if (!CHECK(same, "%s: output %s has another shape or type", name,
               tensor->name))
        return;
    const void *want;
    if (!CHECK(mw_tensor_file_data(model->npz, i, &want) == MW_OK,
               "%s: output %s cannot be read", name, tensor->name))
        return;
    int64_t bad =
        difference(tensor->dtype, got, want, mw_tensor_elements(tensor));
    CHECK(bad < 0, "%s: output %s element %lld is %.9g, wanted %.9g", name,
          tensor->name, (long long)bad, at(tensor->dtype, got, bad),
          at(tensor->dtype, want, bad));
}

void import_compare(imported *model, const mw_graph *graph, const char *name)
{
    const void **value =
        MW_NEW_ARRAY(&model->arena, graph->n_tensors, const void *);
    if (!CHECK(value != NULL, "%s: out of memory", name))
        return;
    for (int t = 0; t < graph->n_tensors; t++) {
        if (graph->tensor[t].role != MW_ROLE_INPUT)
            continue;
        int i = mw_tensor_file_find(model->npz, "in:", graph->tensor[t].name);
        if (CHECK(i != MW_NONE, "%s: no array for input %s", name,
                  graph->tensor[t].name))
            CHECK(mw_tensor_file_data(model->npz, i, &value[t]) == MW_OK,
                  "%s: input %s cannot be read", name, graph->tensor[t].name);
    }
    mw_status status = mw_eval_graph(&model->arena, graph, value);
    if (!CHECK(status == MW_OK, "%s: %s", name, model->ctx.message))
        return;
    for (int t = 0; t < graph->n_tensors; t++)
        if (graph->tensor[t].output)
            compare_output(model, &graph->tensor[t], value[t], name);
}
