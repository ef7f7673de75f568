/* test_import.c - small models in text: what is refused and how it says so,
 * what remains of a model when it is placed, and what importing costs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ir/import.h"
#include "ir/op.h"
#include "ir/verify.h"
#include "tests/onnx_text.h"
#include "tests/small_model.h"
#include "tests/test.h"

/* ---- refusals ---- */

#define XY "ir 8\nopset 17\ninput x float B,4\noutput y\n"

#define XWR                                                                    \
    "ir 8\nopset 17\ninput x float 3,1,4\noutput y\n"                          \
    "weight w float 1,6,4 1\nweight r float 1,6,2 1\n"                         \
    "weight w2 float 2,6,4 1\n"

static const struct refusal {
    const char *lines, *options;
    mw_status status;
    const char *where, *message;
} refusals[] = {
    /* sizes */
    {XY "node Relu x -> y\n", "", MW_EUSAGE, "input 'x'", "--dim B=SIZE"},
    {"ir 8\nopset 17\ninput x float ?,4\noutput y\nnode Relu x -> y\n", "",
     MW_EUSAGE, "input 'x'", "--dim x.0=SIZE"},
    {"ir 8\nopset 17\ninput x float batch,4\noutput y\nnode Relu x -> y\n",
     "bacth=2", MW_EUSAGE, "--dim", "did you mean 'batch'?"},
    {XY "node Relu x -> y\n", "B=2 C=3", MW_EUSAGE, "--dim", "'C'"},
    {XY "node Relu x -> y\n", "B=-2", MW_EUSAGE, "input 'x'", "is -2"},
    {XY "node Relu x -> y\n", "B=2 !z=1", MW_EUSAGE, "--const", "input 'z'"},
    {XY "node Relu x -> y\n", "B=2 !x=1,2", MW_EUSAGE, "input 'x'",
     "2 values for 8 elements"},
    {XY "node Relu x -> y\n", "B=2 !x=1;2", MW_EUSAGE, "input 'x'", "comma"},
    {"ir 8\nopset 17\ninput x uint8 2\noutput y\nnode Identity x -> y\n",
     "!x=7,256", MW_EUSAGE, "input 'x'", "256 does not fit u8"},
    {"ir 8\nopset 17\ninput x int32 1\noutput y\nnode Identity x -> y\n",
     "!x=-2147483649", MW_EUSAGE, "input 'x'", "does not fit i32"},
    /* whatever the sizes are */
    {"ir 8\ninput x float 4\noutput y\nnode Relu x -> y\n", "", MW_EINPUT,
     "small.onnx", "no opset"},
    {"ir 8\nopset 6\ninput x float 4\noutput y\nnode Dropout x -> y\n", "",
     MW_EINPUT, "(Dropout)", "opset is 6, supported are 7 to 25"},
    {"ir 8\nopset 26\ninput x float 4\noutput y\nnode Relu x -> y\n", "",
     MW_EINPUT, "small.onnx", "opset is 26"},
    {"ir 8\nopset 17\ninput x float 4\nnode Relu x -> y\n", "", MW_EINPUT,
     "small.onnx", "no outputs"},
    {XY "node Relu x -> z\n", "B=2", MW_EINPUT, "output 'y'", "'y'"},
    {XY "node Relu z -> y\n", "", MW_EINPUT, "node 'y' (Relu)", "'z'"},
    {XY "node Add x,b -> a\nnode Neg a -> b\nnode Neg b -> y\n", "", MW_EINPUT,
     "node", "need each other"},
    {XY "node Relu x -> x\nnode Relu x -> y\n", "", MW_EINPUT,
     "node 'x' (Relu)", "already a tensor 'x'"},
    {XY "weight y float 4 1\nnode Relu x -> y\n", "", MW_EINPUT, "node 'y'",
     "already a tensor 'y'"},
    {XY "weight w float 4 1\nweight w float 4 2\nnode Add x,w -> y\n", "",
     MW_EINPUT, "small.onnx", "two weights 'w'"},
    {XY "input x float 3\nnode Relu x -> y\n", "B=2", MW_EINPUT, "input 'x'",
     "two inputs 'x'"},
    {XY "node Rulu x -> y\n", "", MW_EINPUT, "node 'y' (Rulu)",
     "operator 'Rulu' of domain 'ai.onnx' is not supported; did you mean "
     "'Relu'?"},
    {XY "node @com.acme::Relu x -> y\n", "", MW_EINPUT, "node 'y' (Relu)",
     "domain 'com.acme'"},
    {XY "function com.acme::Relu\nnode @com.acme::Relu x -> y\n", "B=2",
     MW_EINPUT, "node 'y' (Relu)",
     "1 inputs and 1 outputs, and the model's function has 0 and 0"},
    {XY "node Relu x -> y sharp=1\n", "", MW_EINPUT, "node 'y' (Relu)",
     "attribute 'sharp' is not known"},
    {XY "node Relu x,x -> y\n", "", MW_EINPUT, "node 'y' (Relu)",
     "2 inputs, wanted at most 1"},
    {XY "node Add x,_ -> y\n", "", MW_EINPUT, "node 'y' (Add)",
     "input 1 is left out"},
    {XY "node Gelu x -> y\n", "", MW_EINPUT, "node 'y' (Gelu)",
     "opset is 17, this operator came with 20"},
    {XY "node @com.acme::Thing x -> y\n", "B=2 @com.acme::Thing", MW_EINPUT,
     "node 'y' (Thing)", "declares no shape for 'y'"},
    {"ir 8\nopset 17\ninput x float 2\noutput y float Q\n"
     "node @com.acme::Thing x -> y\n",
     "@com.acme::Thing", MW_EINPUT, "node 'y' (Thing)",
     "axis 0 of 'y' is not known"},
    {XY "node Relu x -> y\n", "B=2 @com.acme::Thing", MW_EUSAGE, "--opaque",
     "'com.acme::Thing'"},
    /* types */
    {"ir 8\nopset 17\ninput x string 4\noutput y\nnode Identity x -> y\n", "",
     MW_EINPUT, "input 'x'", "element type string"},
    {XY "weight w int64 4 1\nnode Add x,w -> y\n", "B=2", MW_EINPUT, "node",
     "i64"},
    /* shapes */
    {XY "weight w float 5,4 1\nnode MatMul x,w -> y\n", "B=2", MW_EINPUT,
     "node 'y' (MatMul)", "axis 1 of the first operand is 4"},
    {XY "weight w float 3 1\nnode Add x,w -> y\n", "B=2", MW_EINPUT, "node",
     "4"},
    {XY "weight s int64 2 -2\nnode Reshape x,s -> y\n", "B=2", MW_EINPUT,
     "node", "-2 at position 0"},
    {XY "weight s int64 1 5\nnode Reshape x,s -> y\n", "B=2", MW_EINPUT, "node",
     "8 elements do not fit a shape of 5"},
    {XY "node Softmax x -> y axis=2\n", "B=2", MW_EINPUT, "node",
     "axis 2 is outside [-2, 2)"},
    {XY "node Softmax x -> y axis:0.5\n", "B=2", MW_EINPUT, "node",
     "attribute 'axis' is of kind 1, wanted 2"},
    {XY "node Transpose x -> y perm=[0,0]\n", "B=2", MW_EINPUT, "node",
     "perm names an axis twice"},
    {XY "node Split x -> y,z axis=1 num_outputs=3\n", "B=2", MW_EINPUT, "node",
     "3 parts for 2 outputs"},
    {XY "weight i int64 1 9\nnode Gather x,i -> y axis=1\n", "B=2", MW_EINPUT,
     "node", "index 9 at position 0 is outside [-4, 4)"},
    {XY "weight s int64 1 3\nnode Expand x,s -> y\n", "B=2", MW_EINPUT, "node",
     "does not expand"},
    {XY "input s int64 2\nnode Reshape x,s -> y\n", "B=2", MW_EINPUT,
     "node 'y' (Reshape)", "--const INPUT=VALUE fixes them"},
    {"ir 8\nopset 17\nweight w float 65536,65536,65536,65536,1 0\n"
     "input x float 1\noutput y\nnode Add x,w -> y\n",
     "", MW_EINPUT, "node", "beyond 2^63"},
    /* what attributes say again of weights */
    {XWR "node GRU x,w,r -> y hidden_size=3\n", "", MW_EINPUT, "node 'y' (GRU)",
     "hidden_size is 3, input 2 has 2"},
    {XWR "node GRU x,w2,r -> y\n", "", MW_EINPUT, "node 'y' (GRU)",
     "input 1 holds 2 directions, wanted 1"},
};

static void refused(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *row = &refusals[i];
        small_model m;
        mw_status status = small_model_open(&m, row->lines, row->options);
        CHECK(status == row->status && strstr(m.ctx.where, row->where) &&
                  strstr(m.ctx.message, row->message),
              "row %zu: %s at '%s': '%s', wanted '%s' at '%s'", i,
              mw_status_text(status), m.ctx.where, m.ctx.message, row->message,
              row->where);
        small_model_close(&m);
    }
}

/* ---- what remains ---- */

static const struct remain {
    const char *lines, *options;
    const char *want;
    const char *warning; /* or NULL: none */
} remains[] = {
    /* weights are no inputs, whatever the file lists */
    {"ir 3\nopset 9\ninput x float 2,4\ninput w float 4,3\n"
     "weight w float 4,3 1\noutput y\nnode MatMul x,w -> y\n",
     "", "x[2,4] w![4,3] | einsum | y[2,3]", NULL},
    {"ir 8\nopset 9\ninput x float 2,4\nweight w float 4,3 1\noutput y\n"
     "node MatMul x,w -> y\n",
     "", "x[2,4] w![4,3] | einsum | y[2,3]", NULL},
    /* nodes in any order; dead ones are dropped, with what they read */
    {XY "node Neg a -> y\nnode Relu x -> a\n", "B=2",
     "x[2,4] | relu neg | y[2,4]", NULL},
    {XY "weight w float 4 1\nnode Add x,w -> dead\nnode Relu x -> y\n", "B=2",
     "x[2,4] | relu | y[2,4]", NULL},
    /* shape arithmetic leaves nothing, nor what only it reads */
    {XY "weight p float 7,4 1\nweight m int64 1 -1\nweight z int64 - 0\n"
        "node MatMul x,t -> big\nnode Transpose p -> t\nnode Shape big -> s\n"
        "node Gather s,z -> b\nnode Unsqueeze b,z1 -> b1\nweight z1 int64 1 0\n"
        "node Concat b1,m -> to axis=0\nnode Reshape x,to -> y\n",
     "B=2", "x[2,4] | cast | y[2,4]", NULL},
    /* a weight that is only moved stays a weight */
    {XY "weight w float 3,4 1\nnode Transpose w -> t\nnode MatMul x,t -> y\n",
     "B=2", "x[2,4] w![3,4] | transpose einsum | y[2,3]", NULL},
    /* small weights fold with constants, large ones do not */
    {XY "weight w float 4,3 1\nweight c float - 2\nnode Mul w,c -> v\n"
        "node MatMul x,v -> y\n",
     "B=2", "x[2,4] v![4,3] | einsum | y[2,3]", NULL},
    {XY "weight w float 4,5000 1\nweight c float - 2\nnode Mul w,c -> v\n"
        "node MatMul x,v -> y\n",
     "B=2", "x[2,4] w![4,5000] # | mul einsum | y[2,5000]", NULL},
    /* float values made by a node are a weight, integers a constant */
    {XY "weight s int64 1 4\nnode ConstantOfShape s -> w\nnode Add x,w -> y\n",
     "B=2", "x[2,4] w![4] | add | y[2,4]", NULL},
    /* Identity of one value throughout is a weight of its own */
    {XY "weight w float 4 1\nnode Identity w -> v\nnode Add x,w -> a\n"
        "node Add a,v -> y\n",
     "B=2", "x[2,4] w![4] v![4] | add add | y[2,4]", NULL},
    /* a constant of equal elements is a scalar */
    {"ir 8\nopset 17\ninput x int64 2,4\noutput y\nweight c int64 2,4 7\n"
     "node Add x,c -> y\n",
     "", "x[2,4] # | add | y[2,4]", NULL},
    {"ir 8\nopset 17\ninput x int64 2,1\noutput y\nweight c int64 2,4 7\n"
     "node Add x,c -> y\n",
     "", "x[2,1] #[2,4] | add | y[2,4]", NULL},
    /* outputs that are inputs, constants, or each other */
    {"ir 8\nopset 17\ninput x float 4\noutput x\noutput y\noutput z\n"
     "output n\noutput s\nnode Identity x -> y\nnode Neg x -> n\n"
     "node Identity n -> z\nnode Shape x -> s\n",
     "", "x[4] #[1] | neg cast cast cast | x[4] n[4] y[4] z[4] s[1]", NULL},
    /* what the file declares otherwise */
    {XY "info a float B,5\nnode Relu x -> a\nnode Neg a -> y\n", "B=2",
     "x[2,4] | relu neg | y[2,4]", "value 'a' is declared with another shape"},
    {"ir 8\nopset 17\ninput x float B,4\noutput y int64 B,4\n"
     "node Relu x -> y\n",
     "B=2", "x[2,4] | relu | y[2,4]",
     "output 'y' is declared with another type"},
    /* 0 is an empty tensor unless a size is given */
    {"ir 8\nopset 17\ninput x float 0,4\noutput y\nnode Relu x -> y\n", "",
     "x[0,4] | relu | y[0,4]", NULL},
    {"ir 8\nopset 17\ninput x float 0,4\noutput y\nnode Relu x -> y\n", "x.0=3",
     "x[3,4] | relu | y[3,4]", NULL},
    /* zeros of both shapes cancel, and an axis of none stays as it is */
    {"ir 8\nopset 17\ninput x float 0,6,16\noutput y\nweight z int64 1 0\n"
     "weight m int64 1 -1\nweight e int64 1 8\n"
     "node Concat z,z,m,e -> t axis=0\nnode Reshape x,t -> y\n",
     "", "x[0,6,16] | reshape | y[0,6,2,8]", NULL},
    {"ir 8\nopset 17\ninput x float 0,6\noutput y\nweight z int64 1 0\n"
     "weight e int64 1 3\nnode Concat z,e -> t axis=0\n"
     "node Resize x,_,_,t -> y\n",
     "", "x[0,6] #[3] | gather | y[0,3]", NULL},
    /* a fixed input */
    {XY "input s int64 2\nnode Reshape x,s -> y\n", "B=2 !s=4,2",
     "x[2,4] | reshape | y[4,2]", NULL},
    /* scalars of rank 0 and of one element */
    {XY "weight k int64 1 1\nnode Trilu x,k -> y\n", "B=4",
     "x[4,4] #[4,4] # | where | y[4,4]", NULL},
    {"ir 8\nopset 17\ninput x int64 5\noutput y\nweight a int64 1 0\n"
     "weight b int64 - 5\nweight c int64 1 1\nnode Range a,b,c -> r\n"
     "node Add x,r -> y\n",
     "", "x[5] #[5] | add | y[5]", NULL},
    {XY "weight p int64 4 1\nweight v float 1 3\nnode Pad x,p,v -> y\n", "B=2",
     "x[2,4] | pad pad | y[4,6]", NULL},
    /* an operator that stands unknown, any of its outputs */
    {XY "info b float B,4\nnode @com.acme::Thing x,_,x -> a,b mode='fast'\n"
        "node Relu b -> y\n",
     "B=2 @com.acme::Thing", "x[2,4] | opaque relu | y[2,4]", NULL},
    /* one mask for all layers */
    {"ir 8\nopset 17\ninput x float 3,3\noutput y\nweight s int64 2 3\n"
     "weight z float - 0\nnode Shape x -> h\nnode ConstantOfShape h -> o\n"
     "node Trilu o -> m\nnode Trilu o -> n\nnode Greater m,z -> mm\n"
     "node Greater n,z -> nn\nnode Where mm,x,z -> a\nnode Where nn,a,z -> y\n",
     "", "x[3,3] # # | where where | y[3,3]", NULL},
};

static void remaining(void)
{
    for (size_t i = 0; i < sizeof remains / sizeof remains[0]; i++) {
        const struct remain *row = &remains[i];
        char text[SMALL_SUMMARY];
        small_model m;
        mw_status status = small_model_open(&m, row->lines, row->options);
        if (CHECK(status == MW_OK, "row %zu: %s: %s", i, m.ctx.where,
                  m.ctx.message)) {
            small_model_summary(&m.placed, text);
            const char *warning = m.ctx.warning ? m.ctx.warning->text : NULL;
            CHECK(strcmp(text, row->want) == 0, "row %zu: '%s', wanted '%s'", i,
                  text, row->want);
            CHECK(row->warning ? warning && strstr(warning, row->warning)
                               : !warning,
                  "row %zu: warns '%s'", i, warning ? warning : "");
        }
        small_model_close(&m);
    }
}

/* ---- external data ---- */

static const struct external {
    const char *location, *offset, *length;
    mw_status status;
    const char *message;
} externals[] = {
    {"ext.bin", "0", "64", MW_OK, ""},
    {"ext.bin", "-", "-", MW_OK, ""},
    {"./ext.bin", "64", "64", MW_OK, ""},
    {"folder/ext.bin", "0", "64", MW_OK, ""},
    {"inner", "0", "64", MW_OK, ""}, /* a link to a neighbour */
    {"ext.bin", "65", "64", MW_EINPUT, "64 bytes at 65"},
    {"ext.bin", "0", "63", MW_EINPUT, "the stated length is another"},
    {"ext.bin", "zero", "64", MW_EINPUT, "not a number"},
    {"ext.bin", "9223372036854775807", "64", MW_EINPUT, "not a number"},
    {"gone.bin", "0", "64", MW_EINPUT, "gone.bin"},
    {"folder", "0", "64", MW_EINPUT, "not a regular file"},
    {"../ext.bin", "0", "64", MW_EINPUT, "outside the model's folder"},
    {"folder/../../ext.bin", "0", "64", MW_EINPUT, "outside"},
    {"/etc/passwd", "0", "64", MW_EINPUT, "outside the model's folder"},
    {"outer", "0", "64", MW_EINPUT, "leads outside the model's folder"},
    {"-", "0", "64", MW_EINPUT, "without a location"},
};

/* ext.bin of 128 bytes here and in a folder; links to it and out. */
static bool make_files(void)
{
    char path[SMALL_PATH], other[SMALL_PATH];
    char zeros[128] = {0};
    mkdir(small_model_path(path, "folder"), 0777);
    bool good = true;
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(
            small_model_path(path, i ? "folder/ext.bin" : "ext.bin"), "wb");
        good = good && file && fwrite(zeros, 1, 128, file) == 128;
        if (file)
            good = fclose(file) == 0 && good;
    }
    (void)unlink(small_model_path(path, "inner"));
    good = symlink("ext.bin", path) == 0 && good;
    (void)unlink(small_model_path(other, "outer"));
    return symlink("/etc/passwd", other) == 0 && good;
}

static void external_data(void)
{
    if (!CHECK(make_files(), "scratch files cannot be made"))
        return;
    for (size_t i = 0; i < sizeof externals / sizeof externals[0]; i++) {
        const struct external *row = &externals[i];
        char lines[SMALL_PATH];
        (void)snprintf(lines, sizeof lines,
                       XY "extern w float 4,4 %s %s %s\nnode MatMul x,w -> y\n",
                       row->location, row->offset, row->length);
        small_model m;
        mw_status status = small_model_open(&m, lines, "B=2");
        CHECK(status == row->status && strstr(m.ctx.message, row->message),
              "%s at %s, %s: %s: '%s'", row->location, row->offset, row->length,
              mw_status_text(status), m.ctx.message);
        small_model_close(&m);
    }
}

/* ---- memory ---- */

static mw_status import_named(mw_ctx *ctx, void *arg)
{
    const mw_text *bytes = arg;
    const mw_import_options options = {.assume_sizes = true};
    const mw_import_bytes file = {"small.onnx", bytes->data, bytes->length};
    mw_arena arena;
    mw_graph placed, named;
    mw_import_files *files = NULL;
    mw_arena_init(&arena, ctx);
    mw_status status = mw_graph_init(&placed, &arena, "placed");
    if (status == MW_OK)
        status = mw_graph_init(&named, &arena, "named");
    if (status == MW_OK)
        status = mw_import_onnx_bytes(&arena, &file, &options, &placed, &files);
    if (status == MW_OK)
        status = mw_names(&placed, NULL, 0, &named);
    if (status == MW_OK)
        status = mw_verify(&named);
    mw_import_close(files);
    mw_arena_free(&arena);
    return status;
}

static void out_of_memory(void)
{
    mw_ctx ctx;
    mw_text bytes;
    mw_ctx_init(&ctx);
    mw_text_init(&bytes, &ctx);
    onnx_text(&bytes, "ir 8\nopset 17\ninput x float 2,4\noutput y\n"
                      "weight w float 4,4 1\nweight s int64 2 2\n"
                      "node MatMul x,w -> a\nnode Softmax a -> b\n"
                      "node Shape b -> h\nnode Mul h,s -> t\n"
                      "node Div t,s -> u\nnode Reshape b,u -> c\n"
                      "node LayerNormalization c,w1,w1 -> y\n"
                      "weight w1 float 4 1\n");
    check_oom("import", import_named, &bytes);
    mw_text_free(&bytes);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_import = {"import",
                                  {{"refusals", refused},
                                   {"what remains", remaining},
                                   {"external data", external_data},
                                   {"out of memory", out_of_memory}}};
