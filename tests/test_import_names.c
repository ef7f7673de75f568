/* test_import_names.c - what files call things: names that are missing, wrong,
 * odd or the same for two things change no result; what ops tell of axes. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ir/import.h"
#include "tests/onnx_text.h"
#include "tests/test.h"

enum { PATH = 512, MAX_SHAPES = 2 };

#define HEAD "ir 8\nopset 17\n"
#define CELL(op, gates, more)                                                  \
    HEAD "input x float 7,3,5\noutput Y\nweight W float 1," gates ",5 ~1\n"    \
         "weight R float 1," gates ",6 ~2\nnode " op " x,W,R -> Y "            \
         "hidden_size=6" more "\n"

static const struct row {
    const char *lines;
    mw_shape_option shape[MAX_SHAPES]; /* of arrays given */
    const char *inputs;  /* axes of x and of what else is put in */
    const char *output;  /* name and axes */
    const char *warning; /* NULL: none */
} rows[] = {
    /* one symbol for two sizes, in one input and in two */
    {HEAD "input x float N,N\noutput y\nnode Relu x -> y\n",
     {{"x", 2, {3, 5}}},
     "N=3 N_2=5",
     "y N=3 N_2=5",
     "dimension 'N' is 3 and, at axis 1 of input 'x', 5: they are taken as "
     "two"},
    {HEAD "input x float N,4\ninput z float 4,N\noutput y\n"
          "node MatMul x,z -> y\n",
     {{"x", 2, {3, 4}}, {"z", 2, {4, 6}}},
     "N=3 d_head=4 d_head=4 N_2=6",
     "y N=3 N_2=6",
     "at axis 1 of input 'z', 6"},
    {HEAD "input x float N,4\ninput z float 4,N\noutput y\n"
          "node MatMul x,z -> y\n",
     {{"x", 2, {3, 4}}, {"z", 2, {4, 3}}},
     "N=3 d_head=4 d_head=4 N=3",
     "y N=3 N.k=3",
     NULL},
    /* letters that do not print */
    {HEAD "input x float 3\noutput y\nnode Relu x -> a\x01z\n"
          "node Relu a\x01z -> y\n",
     {{NULL, 0, {0}}},
     "batch=3",
     "y batch=3",
     NULL},
    {HEAD "input x float B\x7f,2\noutput \xff\nnode Relu x -> \xff\n",
     {{"x", 2, {3, 2}}},
     "B_7F=3 d2=2",
     "%FF B_7F=3 d2=2",
     NULL},
    /* a recurrent layer's axes are known from the op */
    {CELL("LSTM", "24", ""),
     {{NULL, 0, {0}}},
     "seq=7 batch=3 d5=5",
     "Y seq=7 batch=3 hidden.k=6",
     NULL},
    {CELL("GRU", "18", ""),
     {{NULL, 0, {0}}},
     "seq=7 batch=3 d5=5",
     "Y seq=7 batch=3 hidden=6",
     NULL},
    {CELL("RNN", "6", ""),
     {{NULL, 0, {0}}},
     "seq=7 batch=3 d5=5",
     "Y seq=7 batch=3 hidden=6",
     NULL},
    {CELL("LSTM", "24", " layout=1"),
     {{NULL, 0, {0}}},
     "batch=7 seq=3 d5=5",
     "Y batch=7 seq=3 hidden.k=6",
     NULL},
};

static void add_axes(mw_text *text, const mw_graph *graph,
                     const mw_tensor *tensor)
{
    for (int a = 0; a < tensor->rank; a++)
        mw_text_format(text, "%s%s=%lld", text->length ? " " : "",
                       graph->dim[tensor->axis[a].dim].name,
                       (long long)tensor->axis[a].size);
}

static void check_graph(const mw_graph *graph, const struct row *row)
{
    mw_text inputs, output;
    mw_text_init(&inputs, graph->ctx);
    mw_text_init(&output, graph->ctx);
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (tensor->role == MW_ROLE_INPUT)
            add_axes(&inputs, graph, tensor);
        if (!tensor->output)
            continue;
        mw_text_add(&output, tensor->name);
        add_axes(&output, graph, tensor);
    }
    CHECK(strcmp(inputs.data, row->inputs) == 0, "%s: inputs are '%s'",
          row->lines, inputs.data);
    CHECK(strcmp(output.data, row->output) == 0, "%s: output is '%s'",
          row->lines, output.data);
    mw_text_free(&inputs);
    mw_text_free(&output);
}

static void run_row(const struct row *row)
{
    char path[PATH];
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    mw_import_files *files = NULL;
    mw_import_options options = {.shape = row->shape};
    while (options.n_shapes < MAX_SHAPES && row->shape[options.n_shapes].input)
        options.n_shapes++;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    (void)snprintf(path, PATH, "%s/names.onnx", mw_scratch_path());
    CHECK(onnx_text_file(path, row->lines), "%s cannot be written", path);
    mw_status status = mw_model_read(&arena, path, &options, &graph, &files);
    const char *warning = ctx.warning ? ctx.warning->text : "";
    if (CHECK(status == MW_OK, "%s: %s: %s", row->lines, ctx.where,
              ctx.message)) {
        check_graph(&graph, row);
        CHECK(row->warning ? strstr(warning, row->warning) != NULL : !*warning,
              "%s: warns '%s'", row->lines, warning);
    }
    mw_import_close(files);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void tables(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        run_row(&rows[i]);
}

const mw_suite mw_suite_import_names = {"import_names", {{"names", tables}}};
