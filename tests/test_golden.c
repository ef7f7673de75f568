/* test_golden.c - what is looked at by people when it changes: dimensions of
 * models, and the tensors that have them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ir/op.h"
#include "tests/golden.h"
#include "tests/import_support.h"
#include "tests/placed_text.h"
#include "tests/test.h"

static void add_dims(mw_text *text, const mw_graph *graph)
{
    for (int i = 0; i < graph->n_dims; i++) {
        const mw_dim *dim = &graph->dim[i];
        mw_text_format(text, "dim %s = %lld", dim->name, (long long)dim->size);
        if (dim->of != MW_NONE)
            mw_text_format(text, " of %s by %s", graph->dim[dim->of].name,
                           dim->how ? dim->how : "nothing");
        mw_text_add(text, "\n");
    }
}

// Inputs, weights, results of the model; and where a dimension is another one
// from there on.
static void add_tensors(mw_text *text, const mw_graph *graph)
{
    static const char *const role[] = {[MW_ROLE_INPUT] = "input",
                                       [MW_ROLE_PARAM] = "param",
                                       [MW_ROLE_CONST] = "const",
                                       [MW_ROLE_STATE] = "state",
                                       [MW_ROLE_VALUE] = "output"};
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (tensor->role != MW_ROLE_VALUE || tensor->output)
            mw_text_format(text, "%s %s [%s]\n", role[tensor->role],
                           tensor->name, mw_named_axes(graph, t));
    }
    for (int i = 0; i < graph->n_ops; i++) {
        const mw_op *op = &graph->op[i];
        mw_id from = op->in[0].tensor, to = op->out[0].tensor;
        if (strcmp(op->def->name, "rename") == 0 ||
            strcmp(op->def->name, "reshape") == 0)
            mw_text_format(text, "%s %s [%s] -> [%s]\n", op->def->name,
                           graph->tensor[from].name, mw_named_axes(graph, from),
                           mw_named_axes(graph, to));
    }
}

static void check_model(const char *folder, const char *name)
{
    char path[512], npz[512], golden[128];
    (void)snprintf(path, sizeof path, "%s/%s.onnx", folder, name);
    (void)snprintf(npz, sizeof npz, "%s/%s.npz", folder, name);
    (void)snprintf(golden, sizeof golden, "names/%s.txt", name);
    imported model;
    import_open(&model, path, npz, NULL);
    if (CHECK(model.status == MW_OK, "%s: %s", name, model.ctx.message)) {
        mw_text text;
        mw_text_init(&text, &model.ctx);
        add_dims(&text, &model.named);
        add_tensors(&text, &model.named);
        golden_compare(golden, &text);
        mw_text_free(&text);
    }
    import_close(&model);
}

static void dimensions(void)
{
    static const char *const name[] = {
        "gpt_static", "bert_tiny",      "vit_tiny", "mlp",
        "mixer",      "jax_gpt_static", NULL};
    check_model("examples", "gpt_tiny");
    for (int i = 0; name[i]; i++)
        check_model("tests/data/exports", name[i]);
}

const mw_suite mw_suite_golden = {"golden",
                                  {{"dimensions of models", dimensions}}};
