/*
 * test_import_nodes.c - ONNX's own tests of operators: a model of one node (or
 * of the function it stands for), inputs and outputs. Read from Debian's
 * libonnx-testdata, and from PyPI's package of the newer opsets. An operator
 * that has a rule computes what the test wants, or is refused for a reason that
 * stands in a table here; operators without a rule are left out.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "ir/eval.h"
#include "ir/fold.h"
#include "ir/import.h"
#include "ir/import/onnx.h"
#include "ir/import/payload.h"
#include "ir/verify.h"
#include "tests/test.h"

enum { MAX_ARRAYS = 16, CONST_MAX = 64, TEXT_MAX = 4096 };

/* What a rule may say no to. */
static const char *const reasons[] = {
    "is not supported",
    "are not supported",
    NULL,
};

/* Tests that are wrong: in 1.12 arrays are not what the models declare. */
static const char *const broken[] = {
    "test_cast_FLOAT_to_BFLOAT16",
    "test_castlike_BFLOAT16_to_FLOAT",
    "test_castlike_BFLOAT16_to_FLOAT_expanded",
    "test_castlike_FLOAT_to_BFLOAT16",
    "test_castlike_FLOAT_to_BFLOAT16_expanded",
    /* the values wrap around where QLinearMatMul says that they saturate */
    "test_qlinearmatmul_2D_int8_float16",
    "test_qlinearmatmul_2D_int8_float32",
    "test_qlinearmatmul_3D_int8_float16",
    "test_qlinearmatmul_3D_int8_float32",
    /* 1.20 adds the mask before the soft cap, which was an error */
    "test_attention_3d_with_past_and_present_qk_matmul_bias",
    "test_attention_3d_with_past_and_present_qk_matmul_softcap",
    "test_attention_4d_with_past_and_present_qk_matmul_bias",
    "test_attention_4d_with_past_and_present_qk_matmul_bias_3d_mask",
    "test_attention_4d_with_past_and_present_qk_matmul_bias_3d_mask_causal",
    "test_attention_4d_with_past_and_present_qk_matmul_bias_4d_mask",
    "test_attention_4d_with_past_and_present_qk_matmul_bias_4d_mask_causal",
    "test_attention_4d_with_qk_matmul_bias",
    "test_attention_4d_with_qk_matmul_softcap",
    NULL,
};

typedef struct node_test {
    mw_ctx ctx;
    mw_arena arena;
    const char *folder;
    mw_graph graph, named;
    mw_import_files *files;
    mw_tensor in[MAX_ARRAYS], out[MAX_ARRAYS];
    int n_in, n_out;
    char text[MAX_ARRAYS][TEXT_MAX]; /* values of inputs, for --const */
} node_test;

/* ---- arrays of a test ---- */

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

static int read_arrays(node_test *test, const char *kind, mw_tensor array[])
{
    int n = 0;
    for (; n < MAX_ARRAYS; n++) {
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/test_data_set_0/%s_%d.pb",
                       test->folder, kind, n);
        array[n] = (mw_tensor){.name = kind};
        if (access(path, R_OK) != 0 ||
            read_array(test, path, &array[n]) != MW_OK)
            break;
    }
    return n;
}

static double number_at(const mw_tensor *tensor, const void *bytes, int64_t i)
{
    uint64_t element = 0;
    size_t width = (size_t)mw_dtype_bytes(tensor->dtype);
    memcpy(&element, (const char *)bytes + (size_t)i * width, width);
    int64_t whole = (int64_t)element;
    bool wide = tensor->dtype == MW_I64;
    return wide ? (double)whole : mw_fold_number(tensor->dtype, &element);
}

static void print_values(const mw_tensor *tensor, char text[TEXT_MAX])
{
    size_t at = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < mw_tensor_elements(tensor) && at + 40 < TEXT_MAX;
         i++) {
        double x = number_at(tensor, tensor->data.bytes, i);
        int64_t whole = 0;
        if (tensor->dtype == MW_I64)
            memcpy(&whole, (const char *)tensor->data.bytes + 8 * i, 8);
        at += (size_t)(tensor->dtype == MW_I64
                           ? snprintf(text + at, TEXT_MAX - at, "%s%lld",
                                      i ? "," : "", (long long)whole)
                           : snprintf(text + at, TEXT_MAX - at, "%s%.17g",
                                      i ? "," : "", x));
    }
}

/* ---- one test ---- */

/* Inputs of the model in its order; names of the rest are options. */
static mw_status import_with(node_test *test, const mw_onnx_model *model,
                             bool fix)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/model.onnx", test->folder);
    mw_shape_option shape[MAX_ARRAYS];
    mw_const_option fixed[MAX_ARRAYS];
    mw_import_options options = {
        .shape = shape, .constant = fixed, .values = true};
    for (int i = 0; i < test->n_in && i < model->graph.n_in; i++) {
        const mw_tensor *array = &test->in[i];
        mw_shape_option *s = &shape[options.n_shapes++];
        *s = (mw_shape_option){.input = model->graph.in[i].name,
                               .rank = array->rank};
        for (int a = 0; a < array->rank; a++)
            s->size[a] = array->axis[a].size;
        if (!fix || mw_tensor_elements(array) > CONST_MAX)
            continue;
        print_values(array, test->text[i]);
        fixed[options.n_constants++] =
            (mw_const_option){model->graph.in[i].name, test->text[i]};
    }
    MW_TRY(mw_graph_init(&test->graph, &test->arena, "node"));
    return mw_import_onnx(&test->ctx, &test->arena, path, &options,
                          &test->graph, &test->files);
}

static void compare(const mw_tensor *got, const void *bytes,
                    const mw_tensor *want, const char *name)
{
    int64_t size[MW_MAX_FILE_RANK];
    bool same = mw_tensor_file_shape(got, size) == want->rank &&
                got->dtype == want->dtype;
    for (int a = 0; a < want->rank && same; a++)
        same = size[a] == want->axis[a].size;
    if (!CHECK(same, "%s: output '%s' has another shape or type", name,
               got->name))
        return;
    int64_t bad = -1;
    double half = want->dtype == MW_F16 || want->dtype == MW_BF16 ? 10.0 : 1.0;
    for (int64_t i = 0; i < mw_tensor_elements(got) && bad < 0; i++) {
        double g = number_at(got, bytes, i);
        double w = number_at(want, want->data.bytes, i);
        double limit = mw_dtype_is_float(got->dtype)
                           ? half * (1e-5 + 1e-3 * fabs(w))
                           : 0.0;
        if (g != w && !(fabs(g - w) <= limit) && !(isnan(g) && isnan(w)))
            bad = i;
    }
    CHECK(bad < 0, "%s: output '%s' element %lld is %.9g, wanted %.9g", name,
          got->name, (long long)bad, number_at(got, bytes, bad),
          number_at(want, want->data.bytes, bad));
}

static void evaluate(node_test *test, const mw_onnx_model *model,
                     const mw_graph *graph, const char *name)
{
    const void **value =
        MW_NEW_ARRAY(&test->arena, graph->n_tensors, const void *);
    for (int i = 0; i < test->n_in && value; i++) {
        mw_id id = mw_graph_find_tensor(graph, model->graph.in[i].name);
        if (id != MW_NONE && graph->tensor[id].role == MW_ROLE_INPUT &&
            mw_data_bytes(&test->arena, &test->in[i], &value[id]) != MW_OK)
            return;
    }
    if (!CHECK(value && mw_eval_graph(&test->arena, graph, value) == MW_OK,
               "%s: %s", name, test->ctx.message))
        return;
    for (int i = 0; i < test->n_out; i++) {
        mw_id id = mw_graph_find_tensor(graph, model->graph.out[i].name);
        if (CHECK(id != MW_NONE, "%s: no output %d", name, i))
            compare(&graph->tensor[id], value[id], &test->out[i], name);
    }
}

static bool is_reason(const char *message)
{
    for (int i = 0; reasons[i]; i++)
        if (strstr(message, reasons[i]))
            return true;
    return false;
}

/* The opset is supported, and every node's operator has a rule. */
static bool in_scope(const mw_onnx_model *model)
{
    for (int64_t i = 0; i < model->n_opsets; i++)
        if (model->opset[i].domain[0] == '\0' &&
            (model->opset[i].version < MW_ONNX_OPSET_MIN ||
             model->opset[i].version > MW_ONNX_OPSET_MAX))
            return false;
    for (int64_t i = 0; i < model->graph.n_nodes; i++)
        if (!mw_onnx_find(model->graph.node[i].domain, model->graph.node[i].op))
            return false;
    return model->graph.n_nodes > 0;
}

static void run_in(node_test *test, const char *name, int *n)
{
    char path[1024];
    char *bytes;
    size_t size;
    mw_onnx_model model;
    (void)snprintf(path, sizeof path, "%s/model.onnx", test->folder);
    if (mw_file_read(&test->arena, path, &bytes, &size) != MW_OK ||
        mw_onnx_decode(&test->arena, (const uint8_t *)bytes, size, &model) !=
            MW_OK ||
        !in_scope(&model))
        return;
    test->n_in = read_arrays(test, "input", test->in);
    test->n_out = read_arrays(test, "output", test->out);
    if (test->ctx.status != MW_OK)
        return; /* texts, sequences, types of less than a byte */
    ++*n;
    mw_status status = import_with(test, &model, false);
    if (status != MW_OK && (strstr(test->ctx.message, "must be known") ||
                            strstr(test->ctx.message, "depends on"))) {
        mw_ctx_clear(&test->ctx);
        status = import_with(test, &model, true);
    }
    if (status != MW_OK && is_reason(test->ctx.message)) {
        SKIP("%s: %s", name, test->ctx.message);
        return;
    }
    if (CHECK(status == MW_OK, "%s: %s: %s", name, test->ctx.where,
              test->ctx.message))
        evaluate(test, &model, &test->graph, name);
    if (status != MW_OK)
        return;
    status = mw_graph_init(&test->named, &test->arena, "named");
    if (status == MW_OK)
        status = mw_names(&test->graph, NULL, 0, &test->named);
    if (status == MW_OK)
        status = mw_verify(&test->named);
    if (CHECK(status == MW_OK, "%s, named: %s", name, test->ctx.message))
        evaluate(test, &model, &test->named, name);
}

static void run_test(const char *root, const char *name, int *n)
{
    for (int i = 0; broken[i]; i++)
        if (strcmp(broken[i], name) == 0)
            return;
    char folder[700];
    (void)snprintf(folder, sizeof folder, "%s/%s", root, name);
    node_test *test = calloc(1, sizeof *test);
    if (!CHECK(test != NULL, "%s: out of memory", name))
        return;
    test->folder = folder;
    mw_ctx_init(&test->ctx);
    mw_arena_init(&test->arena, &test->ctx);
    run_in(test, name, n);
    mw_import_close(test->files);
    mw_arena_free(&test->arena);
    mw_ctx_free(&test->ctx);
    free(test);
}

static void run_folder(const char *root, int wanted)
{
    struct dirent **entry = NULL;
    int n_entries = scandir(root, &entry, NULL, alphasort), n = 0;
    if (n_entries < 0) {
        SKIP("%s: not there", root);
        return;
    }
    for (int i = 0; i < n_entries; i++) {
        if (strncmp(entry[i]->d_name, "test_", 5) == 0)
            run_test(root, entry[i]->d_name, &n);
        free(entry[i]);
    }
    free(entry);
    CHECK(n >= wanted, "only %d tests in %s", n, root);
}

/* What ONNX's own tests leave out: old opsets, newest ones, ONNX Runtime's
 * operators; in the same form, with outputs of ONNX Runtime 1.32 or of ONNX
 * 1.23's reference. */
static void own_tests(void)
{
    run_folder("tests/data/nodes", 49);
}

static void node_tests(void)
{
    run_folder("/usr/share/libonnx-testdata/data/node", 300);
}

/* Those of newer opsets, which tools/onnx_nodes fetches. */
static void newer_tests(void)
{
    run_folder("build/onnx-nodes", 700);
}

const mw_suite mw_suite_import_nodes = {"import_nodes",
                                        {{"own tests", own_tests},
                                         {"ONNX's tests", node_tests},
                                         {"newer ones", newer_tests}}};
