/* node_test.c - reads a folder of ONNX's node tests. */
#include "tests/node_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "ir/eval.h"
#include "ir/fold.h"
#include "ir/number.h"
#include "ir/import/build.h"
#include "ir/import/payload.h"
#include "tests/test.h"

enum { CONST_MAX = 64, TEXT_MAX = 4096 };

/* Tests whose stored values are wrong. */
#define WRAPPED                                                                \
    "wrong test: -236 is stored as 20, where the operator's text says \"y = "  \
    "saturate((x / y_scale) + y_zero_point)\""
#define EPSILON                                                                \
    "wrong test: computed with an epsilon of 0.01, which the model does not "  \
    "give; the operator's text has 1e-6 then"
static const struct fault {
    const char *name, *reason;
} faults[] = {
    {"test_adam_multiple", EPSILON},
    {"test_qlinearmatmul_2D_int8_float16", WRAPPED},
    {"test_qlinearmatmul_2D_int8_float32", WRAPPED},
    {"test_qlinearmatmul_3D_int8_float16", WRAPPED},
    {"test_qlinearmatmul_3D_int8_float32", WRAPPED},
};

const char *node_test_refusal(const node_test *test)
{
    if (test->type || test->unknown || test->opset)
        return test->type      ? test->type
               : test->unknown ? test->unknown
                               : test->opset;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (strcmp(faults[i].name, test->name) == 0)
            return faults[i].reason;
    return NULL;
}

/* ---- what is out of scope ---- */

static void note_type(node_test *test, int elem_type)
{
    mw_dtype dtype;
    if (elem_type != 0 && !mw_dtype_by_onnx(elem_type, &dtype) && !test->type)
        test->type = mw_payload_type(elem_type);
}

static void note_values(node_test *test, const mw_onnx_value value[], int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (value[i].is_tensor)
            note_type(test, value[i].elem_type);
        else if (value[i].kind && !test->type)
            test->type = value[i].kind;
    }
}

static mw_status note_graph(node_test *test, const mw_onnx_graph *graph);

static mw_status note_attr(node_test *test, const mw_onnx_attr *attr)
{
    bool is_type = strcmp(attr->name, "to") == 0 ||
                   strcmp(attr->name, "dtype") == 0 ||
                   strcmp(attr->name, "output_dtype") == 0;
    if (attr->kind == MW_ONNX_INT && is_type)
        note_type(test, (int)attr->i);
    if (attr->tensor)
        note_type(test, attr->tensor->elem_type);
    return attr->graph ? note_graph(test, attr->graph) : MW_OK;
}

static mw_status note_node(node_test *test, const mw_onnx_node *node)
{
    const mw_onnx_node **grown =
        mw_arena_reserve(&test->arena, test->node, test->n_nodes,
                         &test->cap_nodes, sizeof(const mw_onnx_node *));
    if (!grown)
        return MW_ENOMEM;
    test->node = grown;
    grown[test->n_nodes++] = node;
    bool has_rule = mw_onnx_find(node->domain, node->op) ||
                    mw_onnx_function_of(&test->model, node);
    if (!has_rule && !test->unknown)
        test->unknown = node->op;
    for (int64_t i = 0; i < node->n_attr; i++)
        MW_TRY(note_attr(test, &node->attr[i]));
    return MW_OK;
}

static mw_status note_graph(node_test *test, const mw_onnx_graph *graph)
{
    note_values(test, graph->in, graph->n_in);
    note_values(test, graph->out, graph->n_out);
    for (int64_t i = 0; i < graph->n_weights; i++)
        note_type(test, graph->weight[i].elem_type);
    for (int64_t i = 0; i < graph->n_nodes; i++)
        MW_TRY(note_node(test, &graph->node[i]));
    return MW_OK;
}

/* The opset is one in which every operator of it is read. */
static void note_opset(node_test *test)
{
    for (int64_t i = 0; i < test->model.n_opsets; i++) {
        const mw_onnx_opset *opset = &test->model.opset[i];
        bool good =
            opset->domain[0] != '\0' || opset->version <= MW_ONNX_OPSET_MAX;
        for (int64_t k = 0; k < test->n_nodes && good; k++) {
            const mw_onnx_rule *rule =
                mw_onnx_find(test->node[k]->domain, test->node[k]->op);
            good = opset->domain[0] != '\0' || !rule || rule->domain ||
                   opset->version >= MW_ONNX_OPSET_MIN ||
                   (rule->early > 0 && opset->version >= rule->early);
        }
        if (!good)
            test->opset = mw_arena_format(&test->arena, "opset %lld",
                                          (long long)opset->version);
    }
}

bool node_test_open(node_test *test, const char *root, const char *name)
{
    char path[1100];
    char *bytes;
    size_t size;
    *test = (node_test){.name = name};
    mw_ctx_init(&test->ctx);
    mw_arena_init(&test->arena, &test->ctx);
    (void)snprintf(test->folder, sizeof test->folder, "%s/%s", root, name);
    (void)snprintf(path, sizeof path, "%s/model.onnx", test->folder);
    if (mw_file_read(&test->arena, path, &bytes, &size) != MW_OK ||
        mw_onnx_decode(&test->arena, (const uint8_t *)bytes, size,
                       &test->model) != MW_OK)
        return false;
    mw_status status = note_graph(test, &test->model.graph);
    for (int64_t i = 0; i < test->model.n_functions && status == MW_OK; i++)
        status = note_graph(test, &test->model.function[i].graph);
    note_opset(test);
    return status == MW_OK;
}

void node_test_close(node_test *test)
{
    mw_import_close(test->files);
    mw_arena_free(&test->arena);
    mw_ctx_free(&test->ctx);
}

/* ---- arrays ---- */

/* A message of one field that holds bytes. */
static char *wrap(mw_arena *arena, int field, const char *bytes, size_t *size)
{
    char *out = mw_arena_alloc(arena, *size + 12, 1);
    size_t n = 0;
    if (!out)
        return NULL;
    out[n++] = (char)(field << 3 | MW_PROTO_BYTES);
    size_t length = *size;
    for (; length > 0x7f; length >>= 7)
        out[n++] = (char)(0x80 | (length & 0x7f));
    out[n++] = (char)length;
    memcpy(out + n, bytes, *size);
    *size += n;
    return out;
}

/* A stored tensor is read as the weight of a model. */
static mw_status read_array(node_test *test, const char *path,
                            mw_tensor *tensor)
{
    char *bytes;
    size_t size;
    MW_TRY(mw_file_read(&test->arena, path, &bytes, &size));
    bytes = wrap(&test->arena, 5, bytes, &size);
    if (bytes)
        bytes = wrap(&test->arena, 7, bytes, &size);
    mw_onnx_model model;
    if (!bytes)
        return MW_ENOMEM;
    MW_TRY(mw_onnx_decode(&test->arena, (const uint8_t *)bytes, size, &model));
    if (model.graph.n_weights != 1)
        return mw_fail(&test->ctx, MW_EINPUT, "%s holds no tensor", path);
    const mw_payload from = {.arena = &test->arena, .model = path};
    return mw_payload_read(&from, &model.graph.weight[0], path, tensor);
}

/* ONNX 1.12 stored half floats of the other kind as the bits they are. */
static void take_bits(const mw_onnx_value *declared, mw_tensor *array)
{
    mw_dtype dtype;
    if (array->dtype == MW_U16 &&
        mw_dtype_by_onnx(declared->elem_type, &dtype) && dtype == MW_BF16)
        array->dtype = MW_BF16;
}

static bool fits(const mw_onnx_value *declared, const mw_tensor *array)
{
    bool same = !declared->has_shape || declared->rank == array->rank;
    for (int a = 0; same && declared->has_shape && a < array->rank; a++)
        same = declared->dim[a].value <= 0 ||
               declared->dim[a].value == array->axis[a].size;
    return same;
}

/* Of some inputs nothing but the type is wanted, and ONNX 1.12 stored an array
 * of another shape than it declares: zeros, which would show. */
static mw_status take_shape(node_test *test, const mw_onnx_value *declared,
                            mw_tensor *array)
{
    if (fits(declared, array))
        return MW_OK;
    array->rank = (int)declared->rank;
    for (int a = 0; a < array->rank; a++)
        array->axis[a] = (mw_axis){MW_NONE, declared->dim[a].value, NULL};
    size_t bytes = (size_t)mw_tensor_bytes(array);
    array->data = (mw_data){.kind = MW_DATA_MEMORY,
                            .bytes = mw_arena_alloc(&test->arena, bytes + 1, 1),
                            .length = (int64_t)bytes};
    return array->data.bytes ? MW_OK : MW_ENOMEM;
}

static mw_status read_arrays(node_test *test, const char *kind,
                             const mw_onnx_value declared[], int64_t n_declared,
                             mw_tensor array[], int *n)
{
    for (*n = 0; *n < n_declared && *n < NODE_MAX_ARRAYS; ++*n) {
        char path[1100];
        (void)snprintf(path, sizeof path, "%s/test_data_set_0/%s_%d.pb",
                       test->folder, kind, *n);
        array[*n] = (mw_tensor){.name = kind};
        if (access(path, R_OK) != 0)
            return MW_OK;
        MW_TRY(read_array(test, path, &array[*n]));
        take_bits(&declared[*n], &array[*n]);
        MW_TRY(take_shape(test, &declared[*n], &array[*n]));
    }
    return MW_OK;
}

const mw_tensor *node_test_input(const node_test *test, const char *name)
{
    for (int i = 0; i < test->n_in; i++)
        if (strcmp(test->model.graph.in[i].name, name) == 0)
            return &test->in[i];
    return NULL;
}

static double number_at(const mw_tensor *tensor, const void *bytes, int64_t i)
{
    mw_number x = mw_number_at(tensor->dtype, bytes, i);
    return mw_number_cast(x, tensor->dtype, MW_F64).f;
}

/* ---- import ---- */

static char *values_text(node_test *test, const mw_tensor *tensor)
{
    char *text = mw_arena_alloc(&test->arena, TEXT_MAX, 1);
    size_t at = 0;
    for (int64_t i = 0; text && i < mw_tensor_elements(tensor); i++) {
        int64_t whole = 0;
        if (tensor->dtype == MW_I64)
            memcpy(&whole, (const char *)tensor->data.bytes + 8 * i, 8);
        int n =
            tensor->dtype == MW_I64
                ? snprintf(text + at, TEXT_MAX - at, "%s%lld", i ? "," : "",
                           (long long)whole)
                : snprintf(text + at, TEXT_MAX - at, "%s%.17g", i ? "," : "",
                           number_at(tensor, tensor->data.bytes, i));
        at += (size_t)n;
    }
    return text;
}

/* What is fixed at first is nothing, then what is likely to say how it is done
 * (integers behind the first input), in the end all. */
typedef enum fixing { FIX_NOTHING, FIX_INTEGERS, FIX_ALL } fixing;

static bool is_fixed(const mw_tensor *array, int i, fixing fix)
{
    bool likely = i > 0 && array->rank <= 1 && !mw_dtype_is_float(array->dtype);
    return mw_tensor_elements(array) <= CONST_MAX &&
           (fix == FIX_ALL || (fix == FIX_INTEGERS && likely));
}

static mw_status import_with(node_test *test, fixing fix)
{
    char path[1100];
    mw_shape_option shape[NODE_MAX_ARRAYS];
    mw_const_option fixed[NODE_MAX_ARRAYS];
    mw_import_options options = {
        .shape = shape, .constant = fixed, .values = true};
    (void)snprintf(path, sizeof path, "%s/model.onnx", test->folder);
    for (int i = 0; i < test->n_in; i++) {
        const char *name = test->model.graph.in[i].name;
        const mw_tensor *array = node_test_input(test, name);
        if (!array)
            continue;
        mw_shape_option *s = &shape[options.n_shapes++];
        *s = (mw_shape_option){.input = name, .rank = array->rank};
        for (int a = 0; a < array->rank; a++)
            s->size[a] = array->axis[a].size;
        if (!is_fixed(array, i, fix))
            continue;
        const char *text = values_text(test, array);
        if (!text)
            return MW_ENOMEM;
        fixed[options.n_constants++] = (mw_const_option){name, text};
    }
    MW_TRY(mw_graph_init(&test->placed, &test->arena, "node"));
    return mw_import_onnx(&test->ctx, &test->arena, path, &options,
                          &test->placed, &test->files);
}

static bool wants_values(const node_test *test)
{
    return strstr(test->ctx.message, "must be known") ||
           strstr(test->ctx.message, "depends on");
}

mw_status node_test_import(node_test *test)
{
    const mw_onnx_graph *graph = &test->model.graph;
    MW_TRY(read_arrays(test, "input", graph->in, graph->n_in, test->in,
                       &test->n_in));
    MW_TRY(read_arrays(test, "output", graph->out, graph->n_out, test->out,
                       &test->n_out));
    mw_status status = import_with(test, FIX_NOTHING);
    for (fixing fix = FIX_INTEGERS; fix <= FIX_ALL; fix++) {
        if (status == MW_OK || !wants_values(test))
            break;
        mw_ctx_clear(&test->ctx);
        mw_import_close(test->files);
        test->files = NULL;
        status = import_with(test, fix);
    }
    MW_TRY(status);
    for (mw_id k = 0; k < test->placed.n_ops; k++)
        if (strcmp(test->placed.op[k].def->family, "random") == 0)
            test->is_random = true;
    MW_TRY(mw_graph_init(&test->named, &test->arena, "named"));
    return mw_names(&test->placed, NULL, 0, &test->named);
}

/* ---- results ---- */

/* Half floats are rounded where ONNX's reference did not. */
static double tolerated(const mw_tensor *want, double value)
{
    double wider = want->dtype == MW_F16 || want->dtype == MW_BF16 ? 10.0 : 1.0;
    return mw_dtype_is_float(want->dtype) ? wider * (1e-5 + 1e-3 * fabs(value))
                                          : 0.0;
}

mw_status node_test_evaluate(node_test *test, const mw_graph *graph,
                             const void ***value)
{
    const void **v = MW_NEW_ARRAY(&test->arena, graph->n_tensors, const void *);
    if (!v)
        return MW_ENOMEM;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *array = node_test_input(test, graph->tensor[t].name);
        if (graph->tensor[t].role == MW_ROLE_INPUT && array)
            MW_TRY(mw_data_bytes(&test->arena, array, &v[t]));
    }
    *value = v;
    return mw_eval_graph(&test->arena, graph, v);
}

mw_status node_test_want_own(node_test *test)
{
    const void **value;
    MW_TRY(node_test_evaluate(test, &test->named, &value));
    for (int i = 0; i < test->n_out; i++) {
        mw_id id =
            mw_graph_find_tensor(&test->named, test->model.graph.out[i].name);
        if (id != MW_NONE)
            test->out[i].data =
                (mw_data){.kind = MW_DATA_MEMORY, .bytes = value[id]};
    }
    test->is_random = false;
    return MW_OK;
}

bool node_test_compare(const node_test *test, int i, const mw_tensor *got,
                       const void *bytes, const char *where)
{
    const mw_tensor *want = &test->out[i];
    int64_t size[MW_MAX_FILE_RANK], bad = -1;
    bool same = mw_tensor_file_shape(got, size) == want->rank &&
                got->dtype == want->dtype;
    for (int a = 0; a < want->rank && same; a++)
        same = size[a] == want->axis[a].size;
    if (!CHECK(same, "%s, %s: output '%s' has another shape or type",
               test->name, where, got->name))
        return false;
    int64_t n = test->is_random ? 0 : mw_tensor_elements(got);
    for (int64_t k = 0; k < n && bad < 0; k++) {
        double g = number_at(got, bytes, k);
        double w = number_at(want, want->data.bytes, k);
        if (g != w && !(fabs(g - w) <= tolerated(want, w)) &&
            !(isnan(g) && isnan(w)))
            bad = k;
    }
    return CHECK(bad < 0,
                 "%s, %s: output '%s' element %lld is %.9g, wanted %.9g",
                 test->name, where, got->name, (long long)bad,
                 bad < 0 ? 0.0 : number_at(got, bytes, bad),
                 bad < 0 ? 0.0 : number_at(want, want->data.bytes, bad));
}
