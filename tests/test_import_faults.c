/*
 * test_import_faults.c - faults seen in tools of this kind when they read a
 * model, by their number, each in some forms of its own. Of those that take
 * more than a file of a few lines, import_edge has the stored cases (I20, I21,
 * I27, I32), import_size the weights that are not read (I09), import_models and
 * model_runs the real ones (I26).
 */
#include <string.h>

#include "ir/import.h"
#include "tests/small_model.h"
#include "tests/test.h"

#define X34 "ir 8\nopset 17\noutput y\ninput x float B,3,4\n"
#define X4 "ir 8\nopset 17\noutput y\ninput x float B,4\n"

/* What remains, or in its place how it is refused. */
static const struct fault {
    const char *id, *lines, *options, *remains;
    const char *says; /* a warning, or the refusal; NULL: nothing */
} faults[] = {
    /* sizes that are only names cancel, however the target is computed */
    {"I01", X34 "weight t int64 2 -1\nnode Reshape x,t -> y\n", "B=2", NULL,
     "-1 twice"},
    {"I01", X34 "weight t int64 1 -1\nnode Reshape x,t -> y\n", "B=5",
     "x[5,3,4] | reshape | y[60]", NULL},
    {"I01",
     X34 "weight m int64 1 -1\nweight z int64 1 0\nweight o int64 1 1\n"
         "node Shape x -> s\nnode Slice s,z,o -> b\n"
         "node Concat b,m -> t axis=0\nnode Reshape x,t -> y\n",
     "B=7", "x[7,3,4] | reshape | y[7,12]", NULL},
    {"I01",
     X34 "weight m int64 1 -1\nweight z int64 - 0\nweight w int64 - 1\n"
         "weight o int64 1 0\nnode Shape x -> s\nnode Gather s,z -> b\n"
         "node Gather s,w -> c\nnode Mul b,c -> d\nnode Unsqueeze d,o -> e\n"
         "node Concat e,m -> t axis=0\nnode Reshape x,t -> y\n",
     "B=1", "x[1,3,4] | reshape | y[3,4]", NULL},
    {"I01",
     X34 "weight h float 3 0.5\nweight z int64 3 0\nnode Shape x -> s\n"
         "node Cast s -> f to=1\nnode Mul f,h -> g\nnode Floor g -> k\n"
         "node Cast k -> e to=7\nnode Slice x,z,e -> y\n",
     "B=6", "x[6,3,4] | slice slice slice | y[3,1,2]", NULL},
    /* a stale shape of one node is not believed */
    {"I03",
     X34 "info v float 1,12\nweight m int64 1 -1\nweight z int64 1 0\n"
         "node Concat z,m -> t axis=0\nnode Reshape x,t -> v\n"
         "node Relu v -> y\n",
     "B=2", "x[2,3,4] | reshape relu | y[2,12]",
     "value 'v' is declared with another shape"},
    {"I03",
     "ir 8\nopset 17\noutput y float 9,12\ninput x float B,3,4\n"
     "weight m int64 1 -1\nweight z int64 1 0\nweight o int64 1 1\n"
     "node Shape x -> s\nnode Slice s,z,o -> b\nnode Concat b,m -> t axis=0\n"
     "node Reshape x,t -> y\n",
     "B=2", "x[2,3,4] | reshape | y[2,12]",
     "output 'y' is declared with another shape"},
    {"I05",
     X34 "weight m int64 1 -1\nnode Concat m,m -> t axis=0\n"
         "node Reshape x,t -> y\n",
     "B=2", NULL, "-1 twice, at 0 and 1"},
    {"I05",
     X34 "weight m int64 1 -1\nweight z int64 1 0\n"
         "node Concat m,z,m -> t axis=0\nnode Reshape x,t -> y\n",
     "B=1", NULL, "-1 twice, at 0 and 2"},
    /* an input left out as "" is one that is not there */
    {"I08", X4 "output z\nnode Split x,_ -> y,z axis=1\n", "B=2",
     "x[2,4] | slice slice | y[2,2] z[2,2]", NULL},
    {"I08", X4 "weight m float - 1\nnode Clip x,_,m -> y\n", "B=2",
     "x[2,4] # | min | y[2,4]", NULL},
    {"I08", X4 "node Clip x,_,_ -> y\n", "B=2", "x[2,4] | cast | y[2,4]", NULL},
    {"I08", X4 "weight p int64 4 1\nnode Pad x,p,_ -> y\n", "B=2",
     "x[2,4] | pad pad | y[4,6]", NULL},
    {"I08", X4 "node ReduceSum x,_ -> y keepdims=0\n", "B=2",
     "x[2,4] | reduce_sum | y", NULL},
    {"I08", X4 "node Dropout x,_,_ -> y,_\n", "B=2", "x[2,4] | cast | y[2,4]",
     NULL},
    {"I08", X4 "weight w float 4,3 1\nnode Gemm x,w,_ -> y\n", "B=2",
     "x[2,4] w![4,3] | einsum | y[2,3]", NULL},
    /* data stays in the model's folder */
    {"I11", X4 "extern w float 4,4 a/../../w.bin 0 64\nnode MatMul x,w -> y\n",
     "B=2", NULL, "outside the model's folder"},
    {"I11", X4 "extern w float 4,4 /w.bin 0 64\nnode MatMul x,w -> y\n", "B=2",
     NULL, "outside the model's folder"},
    /* weights, whether the file lists them as inputs or not */
    {"I13",
     "ir 3\nopset 9\noutput y\ninput x float B,4\ninput w float 4,3\n"
     "weight w float 4,3 1\ninput t int64 2\nweight t int64 2 -1\n"
     "node MatMul x,w -> y\n",
     "B=2", "x[2,4] w![4,3] | einsum | y[2,3]", NULL},
    {"I13",
     "ir 8\nopset 9\noutput y\ninput x float B,4\nweight w float 4,3 1\n"
     "weight t int64 2 -1\nnode MatMul x,w -> y\n",
     "B=2", "x[2,4] w![4,3] | einsum | y[2,3]", NULL},
    {"I14",
     "ir 3\nopset 9\noutput y\ninput x float B,3,4\ninput t int64 1\n"
     "weight t int64 1 -1\nnode Reshape x,t -> y\n",
     "B=2", "x[2,3,4] | reshape | y[24]", NULL},
    /* steps over odd lengths, and beyond all of them */
    {"I19",
     "ir 8\nopset 17\noutput y\ninput x float 2,641\nweight a int64 1 1\n"
     "weight e int64 1 641\nweight t int64 1 2\nnode Slice x,a,e,a,t -> y\n",
     "", "x[2,641] | slice | y[2,320]", NULL},
    {"I19",
     "ir 8\nopset 9\noutput y\ninput x float 2,7\n"
     "node Slice x -> y axes=[1] starts=[1] ends=[-1]\n",
     "", "x[2,7] | slice | y[2,5]", NULL},
    {"I20",
     X4 "weight a int64 1 1\nweight z int64 1 0\n"
        "weight e int64 1 4611686018427387904\n"
        "weight t int64 1 4611686018427387904\nnode Slice x,z,e,a,t -> y\n",
     "B=2", "x[2,4] | slice | y[2,1]", NULL},
    {"I20",
     X4 "weight a int64 1 1\nweight z int64 1 -1\n"
        "weight e int64 1 -4611686018427387904\n"
        "weight t int64 1 -4611686018427387904\nnode Slice x,z,e,a,t -> y\n",
     "B=2", "x[2,4] #[1] | gather | y[2,1]", NULL},
    /* an empty list of sizes is a shape, and one element is a number */
    {"I21",
     "ir 8\nopset 17\noutput y\ninput x float -\nnode Shape x -> s\n"
     "node ConstantOfShape s -> c\nnode Add x,c -> y\n",
     "", "x # | add | y", NULL},
    {"I21",
     "ir 8\nopset 17\noutput y\ninput x float 1,1\nweight e int64 0 0\n"
     "node Reshape x,e -> y\n",
     "", "x[1,1] | reshape | y", NULL},
    {"I22", X4 "weight k int64 - 1\nnode Trilu x,k -> y\n", "B=4",
     "x[4,4] #[4,4] # | where | y[4,4]", NULL},
    {"I22", X4 "weight k int64 1 1\nnode CumSum x,k -> y\n", "B=2",
     "x[2,4] | cumsum | y[2,4]", NULL},
    {"I22", X4 "weight k int64 - 1\nnode CumSum x,k -> y\n", "B=2",
     "x[2,4] | cumsum | y[2,4]", NULL},
    {"I22", X4 "weight p int64 4 1\nweight v float - 3\nnode Pad x,p,v -> y\n",
     "B=2", "x[2,4] | pad pad | y[4,6]", NULL},
    {"I24",
     "ir 8\nopset 17\noutput y float B,4321\ninput x float B,4\n"
     "weight w float 4,3 1\nnode MatMul x,w -> y\n",
     "B=2", "x[2,4] w![4,3] | einsum | y[2,3]",
     "output 'y' is declared with another shape"},
    {"I24",
     "ir 8\nopset 17\noutput y float B\ninput x float B,4\nnode Relu x -> y\n",
     "B=2", "x[2,4] | relu | y[2,4]",
     "output 'y' is declared with another shape"},
    /* a name belongs to one tensor */
    {"I29", X4 "node Relu x -> u\nnode Neg x -> u\nnode Abs x -> y\n", "B=2",
     NULL, "already a tensor 'u'"},
    {"I29", X4 "node Split x -> u,u axis=1\nnode Abs u -> y\n", "B=2", NULL,
     "already a tensor 'u'"},
    {"I29", X4 "output y\nnode Relu x -> y\n", "B=2", NULL,
     "there are two outputs 'y'"},
    /* products of sizes that do not fit */
    {"I31",
     "ir 8\nopset 17\noutput y\ninput x float 65536,65536\n"
     "node Relu x -> y\n",
     "", "x[65536,65536] | relu | y[65536,65536]", NULL},
    {"I31",
     "ir 8\nopset 17\noutput y\ninput x float 4294967296,4294967296\n"
     "node Relu x -> y\n",
     "", NULL, "overflow 63 bits"},
    {"I31",
     X4 "weight s int64 4 65536\nnode ConstantOfShape s -> c\n"
        "node ReduceMax c -> m keepdims=0\nnode Add x,m -> y\n",
     "B=2", NULL, "the sizes multiply beyond 2^63"},
    {"I31", X4 "weight s int64 4 65536\nnode Expand x,s -> y\n", "B=1", NULL,
     "does not expand"},
};

static void check_fault(const struct fault *row)
{
    char text[SMALL_SUMMARY] = "";
    small_model m;
    mw_status status = small_model_open(&m, row->lines, row->options);
    const char *said = status != MW_OK ? m.ctx.message
                       : m.ctx.warning ? m.ctx.warning->text
                                       : "";
    if (status == MW_OK)
        small_model_summary(&m.placed, text);
    bool good = row->remains ? status == MW_OK : status == MW_EINPUT;
    good = good && (!row->remains || strcmp(text, row->remains) == 0);
    good = good && (row->says ? strstr(said, row->says) != NULL : !said[0]);
    CHECK(good, "%s:\n%s%s: '%s', says '%s'", row->id, row->lines,
          mw_status_text(status), text, said);
    small_model_close(&m);
}

static void by_number(void)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        check_fault(&faults[i]);
}

const mw_suite mw_suite_import_faults = {"import_faults",
                                         {{"by number", by_number}}};
