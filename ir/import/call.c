/* call.c - what a rule asks of its node: attributes and known inputs. */
#include <stdio.h>
#include <string.h>

#include "ir/import/build.h"
#include "ir/import/emit.h"

const mw_onnx_rule *mw_onnx_find(const char *domain, const char *op)
{
    for (int i = 0; i < mw_onnx_count; i++)
        for (const mw_onnx_rule *r = mw_onnx_table[i]->rules; r->op; r++)
            if (strcmp(r->op, op) == 0 &&
                strcmp(r->domain ? r->domain : "", domain) == 0)
                return r;
    return NULL;
}

mw_status mw_onnx_refuse(mw_onnx_call *call, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mw_status status =
        mw_fail(call->build->ctx, MW_EINPUT, "%s: %s", call->node->op, text);
    if (call->status == MW_OK)
        call->status = status;
    return status;
}

/* ---- attributes ---- */

const mw_onnx_attr *mw_onnx_attr_find(const mw_onnx_call *call,
                                      const char *name)
{
    for (int64_t i = 0; i < call->node->n_attr; i++)
        if (strcmp(call->node->attr[i].name, name) == 0)
            return &call->node->attr[i];
    return NULL;
}

static const mw_onnx_attr *find_kind(mw_onnx_call *call, const char *name,
                                     mw_onnx_kind kind)
{
    const mw_onnx_attr *attr = mw_onnx_attr_find(call, name);
    if (!attr || attr->kind == kind)
        return attr;
    (void)mw_onnx_refuse(call, "attribute '%s' is of kind %d, wanted %d", name,
                         (int)attr->kind, (int)kind);
    return NULL;
}

int64_t mw_onnx_int(mw_onnx_call *call, const char *name, int64_t otherwise)
{
    const mw_onnx_attr *attr = find_kind(call, name, MW_ONNX_INT);
    return attr ? attr->i : otherwise;
}

double mw_onnx_float(mw_onnx_call *call, const char *name, double otherwise)
{
    const mw_onnx_attr *attr = find_kind(call, name, MW_ONNX_FLOAT);
    return attr ? (double)attr->f : otherwise;
}

const char *mw_onnx_text(mw_onnx_call *call, const char *name,
                         const char *otherwise)
{
    const mw_onnx_attr *attr = find_kind(call, name, MW_ONNX_TEXT);
    return attr ? attr->text : otherwise;
}

mw_onnx_list mw_onnx_ints(mw_onnx_call *call, const char *name)
{
    const mw_onnx_attr *attr = find_kind(call, name, MW_ONNX_INTS);
    if (!attr)
        return (mw_onnx_list){0};
    if (attr->n_ints > INT16_MAX) {
        (void)mw_onnx_refuse(call, "attribute '%s' has %lld numbers", name,
                             (long long)attr->n_ints);
        return (mw_onnx_list){0};
    }
    return (mw_onnx_list){
        .given = true, .n = (int)attr->n_ints, .v = attr->ints};
}

/* ---- inputs ---- */

bool mw_onnx_has(const mw_onnx_call *call, int i)
{
    return i < call->n_in && call->in[i] != MW_NONE;
}

mw_id mw_onnx_in(const mw_onnx_call *call, int i)
{
    return i < call->n_in ? call->in[i] : MW_NONE;
}

const void *mw_onnx_in_bytes(mw_onnx_call *call, int i)
{
    if (!mw_onnx_has(call, i) || call->status != MW_OK)
        return NULL;
    mw_id id = call->in[i];
    const mw_tensor *tensor = &call->graph->tensor[id];
    if (!mw_fold_known(call->graph, id)) {
        (void)mw_onnx_refuse(
            call,
            "input %d ('%s') must be known without running the model, and "
            "depends on an input's values\n"
            "if they are always the same, --const INPUT=VALUE fixes them",
            i, call->node->in[i]);
        return NULL;
    }
    if (mw_tensor_elements(tensor) > INT32_MAX / 64) {
        (void)mw_onnx_refuse(call, "input %d has %lld numbers", i,
                             (long long)mw_tensor_elements(tensor));
        return NULL;
    }
    const void *bytes = NULL;
    mw_status status = mw_fold_read(call->graph, id, call->arena, &bytes);
    if (status != MW_OK && call->status == MW_OK)
        call->status = status;
    return status == MW_OK ? bytes : NULL;
}

static int64_t int_of(mw_dtype dtype, const char *bytes)
{
    int64_t wide = 0;
    int32_t narrow = 0;
    if (dtype == MW_I64 || dtype == MW_U64) {
        memcpy(&wide, bytes, sizeof wide);
        return wide;
    }
    if (dtype == MW_I32) {
        memcpy(&narrow, bytes, sizeof narrow);
        return narrow;
    }
    return (int64_t)mw_fold_number(dtype, bytes);
}

mw_onnx_list mw_onnx_in_ints(mw_onnx_call *call, int i)
{
    mw_onnx_list none = {0};
    if (!mw_onnx_has(call, i) || call->status != MW_OK)
        return none;
    const mw_tensor *tensor = &call->graph->tensor[call->in[i]];
    mw_dtype dtype = tensor->dtype;
    if (mw_dtype_is_float(dtype)) {
        (void)mw_onnx_refuse(call, "input %d is %s, wanted integers", i,
                             mw_dtype_name(dtype));
        return none;
    }
    int64_t n = mw_tensor_elements(tensor);
    const char *bytes = mw_onnx_in_bytes(call, i);
    int64_t *v = bytes ? MW_NEW_ARRAY(call->arena, n, int64_t) : NULL;
    if (!v) {
        if (call->status == MW_OK)
            call->status = MW_ENOMEM;
        return none;
    }
    for (int64_t k = 0; k < n; k++)
        v[k] = int_of(dtype, bytes + k * mw_dtype_bytes(dtype));
    return (mw_onnx_list){.given = true, .n = (int)n, .v = v};
}

mw_onnx_list mw_onnx_list_of(mw_onnx_call *call, const char *attr, int moved,
                             int i)
{
    return call->opset < moved ? mw_onnx_ints(call, attr)
                               : mw_onnx_in_ints(call, i);
}

double mw_onnx_in_number(mw_onnx_call *call, int i, double otherwise)
{
    if (!mw_onnx_has(call, i) || call->status != MW_OK)
        return otherwise;
    const mw_tensor *tensor = &call->graph->tensor[call->in[i]];
    mw_dtype dtype = tensor->dtype;
    if (mw_tensor_elements(tensor) != 1) {
        (void)mw_onnx_refuse(call, "input %d has %lld values, wanted one", i,
                             (long long)mw_tensor_elements(tensor));
        return otherwise;
    }
    const void *bytes = mw_onnx_in_bytes(call, i);
    return bytes ? mw_fold_number(dtype, bytes) : otherwise;
}
