/*
 * random.c - operators that draw numbers. They are Philox's (ir/random.h), the
 * same in any layout and in every run: a node's `seed`, or a number of its own
 * where it has none, says which.
 */
#include <math.h>
#include <string.h>

#include "ir/import/emit.h"
#include "ir/op.h"

/* Nodes of equal seeds draw the same numbers, as in ONNX Runtime; the others
 * are told apart by their number. */
static void key_of(mw_onnx_call *call, int64_t *seed, int64_t *stream)
{
    const mw_onnx_attr *given = mw_onnx_attr_find(call, "seed");
    uint32_t bits = 0;
    if (given && given->kind == MW_ONNX_FLOAT)
        memcpy(&bits, &given->f, sizeof bits);
    *seed = given && given->kind == MW_ONNX_INT ? given->i : (int64_t)bits;
    *stream = 0;
    for (int k = 0; k < call->graph->n_ops; k++)
        *stream += strcmp(call->graph->op[k].def->family, "random") == 0;
    if (given)
        *stream = 0;
}

typedef struct drawn {
    const char *def;
    const mw_attr *attr; /* of the kind of numbers */
    int n_attr;
    mw_dtype dtype;
    int rank;
    const int64_t *shape;
} drawn;

static mw_id draw(mw_onnx_call *call, const drawn *d)
{
    int64_t seed, stream;
    if (d->rank > MW_MAX_RANK || d->n_attr > 2) {
        (void)mw_onnx_refuse(call, "the shape has %d sizes, at most %d",
                             d->rank, MW_MAX_RANK);
        return MW_NONE;
    }
    key_of(call, &seed, &stream);
    bool halves = mw_dtype_is_float(d->dtype) && !mw_dtype_executable(d->dtype);
    mw_attr attr[6] = {
        {"shape", MW_ATTR_INTS, .n = d->rank, .i = d->shape},
        {"to", MW_ATTR_DTYPE, .dtype = halves ? MW_F32 : d->dtype},
        {"seed", MW_ATTR_INT, .n = 1, .i = &seed},
        {"stream", MW_ATTR_INT, .n = 1, .i = &stream}};
    for (int i = 0; i < d->n_attr; i++)
        attr[4 + i] = d->attr[i];
    mw_id step = mw_emit_number(call, MW_I64, 0.0);
    mw_id y = mw_emit(call, d->def, &step, 1, attr, 4 + d->n_attr);
    return mw_emit_cast(call, y, d->dtype);
}

static mw_attr number(const char *name, double value)
{
    return (mw_attr){.name = name, .kind = MW_ATTR_FLOAT, .f = value};
}

/* ---- RandomUniform, RandomNormal ---- */

/* The attribute, or else the input's. */
static mw_dtype wanted(mw_onnx_call *call, mw_dtype otherwise)
{
    mw_dtype dtype = otherwise;
    int64_t code = mw_onnx_int(call, "dtype", 0);
    if (mw_onnx_attr_find(call, "dtype") &&
        (code < 0 || code > INT16_MAX || !mw_dtype_by_onnx((int)code, &dtype)))
        (void)mw_onnx_refuse(call, "element type %lld is not supported",
                             (long long)code);
    return dtype;
}

/* The rule's arg: which numbers. */
static mw_status random_numbers(mw_onnx_call *call)
{
    bool normal = strcmp(call->rule->arg, "random_normal") == 0;
    int64_t shape[MW_MAX_RANK];
    drawn d = {.def = call->rule->arg, .dtype = MW_F32, .shape = shape};
    if (call->n_in > 0) {
        d.rank = mw_emit_shape(call, call->in[0], shape);
        d.dtype = mw_emit_dtype(call, call->in[0]);
    } else {
        mw_onnx_list list = mw_onnx_ints(call, "shape");
        d.rank = list.n;
        d.shape = list.v;
    }
    d.dtype = wanted(call, d.dtype);
    const mw_attr uniform[] = {
        number("low", mw_onnx_float(call, "low", 0.0)),
        number("high", mw_onnx_float(call, "high", 1.0))};
    const mw_attr gauss[] = {
        number("mean", mw_onnx_float(call, "mean", 0.0)),
        number("scale", mw_onnx_float(call, "scale", 1.0))};
    d.attr = normal ? gauss : uniform;
    d.n_attr = 2;
    MW_TRY(call->status);
    if (!mw_dtype_is_float(d.dtype))
        return mw_onnx_refuse(call, "element type %s, wanted floats",
                              mw_dtype_name(d.dtype));
    return mw_emit_set(call, 0, draw(call, &d));
}

/* ---- Bernoulli, Multinomial ---- */

/* 1 where a number of [0, 1) is below the input's. */
static mw_status bernoulli(mw_onnx_call *call)
{
    int64_t shape[MW_MAX_RANK];
    mw_dtype dtype = mw_emit_dtype(call, call->in[0]);
    mw_dtype wide = dtype == MW_F64 ? MW_F64 : MW_F32;
    const drawn d = {.def = "random_uniform",
                     .dtype = wide,
                     .rank = mw_emit_shape(call, call->in[0], shape),
                     .shape = shape};
    mw_dtype to = wanted(call, dtype);
    mw_id p = mw_emit_cast(call, call->in[0], wide);
    mw_id y = mw_emit2(call, "less", draw(call, &d), p);
    return mw_emit_set(call, 0, mw_emit_cast(call, y, to));
}

/* A class is drawn by the greatest of its logarithm of a probability plus a
 * number of Gumbel's distribution, -log(-log(u)). */
static mw_status multinomial(mw_onnx_call *call)
{
    int64_t n = mw_onnx_int(call, "sample_size", 1), s[MW_MAX_RANK];
    mw_id x = call->in[0];
    mw_dtype to = wanted(call, MW_I32);
    if (mw_emit_shape(call, x, s) != 2 || n < 1)
        return mw_onnx_refuse(call,
                              "input of rank %d, %lld samples: wanted rank 2 "
                              "and at least 1",
                              mw_emit_rank(call, x), (long long)n);
    const int64_t shape[] = {s[0], n, s[1]};
    const mw_attr range[] = {number("low", 1e-7), number("high", 1.0)};
    const drawn d = {"random_uniform", range, 2, MW_F32, 3, shape};
    mw_id log = mw_emit1(call, "log", draw(call, &d));
    mw_id gumbel = mw_emit1(call, "neg",
                            mw_emit1(call, "log", mw_emit1(call, "neg", log)));
    mw_id logits = mw_emit_unsqueeze(call, mw_emit_cast(call, x, MW_F32), 1);
    mw_id score = mw_emit2(call, "add", gumbel, logits);
    const mw_axes last = {.n = 1, .axis = {2}};
    mw_id most = mw_emit_reduce(call, "reduce_max", score, &last, true);
    mw_id at = mw_emit_where(call, mw_emit2(call, "equal", score, most),
                             mw_emit_iota(call, s[1], 2, 3),
                             mw_emit_number(call, MW_I64, (double)s[1]));
    mw_id first = mw_emit_reduce(call, "reduce_min", at, &last, false);
    return mw_emit_set(call, 0, mw_emit_cast(call, first, to));
}

/* ---- Dropout ---- */

/* In inference nothing is dropped. The mask is all ones then; before opset 12
 * it was not filled, and ONNX Runtime has zeros. */
static mw_status dropout(mw_onnx_call *call)
{
    mw_id x = call->in[0];
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(call, x, shape);
    mw_dtype dtype = mw_emit_dtype(call, x);
    double share = mw_onnx_in_number(call, 1, 0.5);
    if (mw_onnx_in_number(call, 2, 0.0) == 0.0)
        share = 0.0;
    MW_TRY(call->status);
    if (!(share >= 0.0 && share < 1.0))
        return mw_onnx_refuse(call, "ratio is %g, wanted [0, 1)", share);
    const mw_attr p = number("p", 1.0 - share);
    const drawn d = {"random_bernoulli", &p, 1, MW_BOOL, rank, shape};
    bool drops = share > 0.0;
    double all = call->opset < 12 ? 0.0 : 1.0;
    if (mw_emit_wanted(call, 1) || drops) {
        mw_id kept =
            drops ? draw(call, &d)
                  : mw_emit_broadcast(call, mw_emit_number(call, MW_BOOL, all),
                                      shape, rank);
        mw_id scaled = mw_emit_by(call, "mul", x, 1.0 / (1.0 - share));
        if (drops)
            x = mw_emit_where(call, kept, scaled, mw_emit_like(call, x, 0.0));
        (void)mw_emit_set(
            call, 1,
            mw_emit_cast(call, kept, call->opset < 10 ? dtype : MW_BOOL));
    }
    return mw_emit_set(call, 0, x);
}

static const mw_onnx_rule rules[] = {
    {.op = "Bernoulli",
     .since = 15,
     .min_in = 1,
     .max_in = 1,
     .attrs = "dtype seed",
     .build = bernoulli},
    {.op = "Dropout",
     .since = 1,
     .min_in = 1,
     .max_in = 3,
     .attrs = "ratio seed",
     .build = dropout},
    {.op = "Multinomial",
     .since = 7,
     .min_in = 1,
     .max_in = 1,
     .attrs = "dtype sample_size seed",
     .build = multinomial},
    {.op = "RandomNormal",
     .since = 1,
     .min_in = 0,
     .max_in = 0,
     .attrs = "dtype mean scale seed shape",
     .build = random_numbers,
     .arg = "random_normal"},
    {.op = "RandomNormalLike",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "dtype mean scale seed",
     .build = random_numbers,
     .arg = "random_normal"},
    {.op = "RandomUniform",
     .since = 1,
     .min_in = 0,
     .max_in = 0,
     .attrs = "dtype high low seed shape",
     .build = random_numbers,
     .arg = "random_uniform"},
    {.op = "RandomUniformLike",
     .since = 1,
     .min_in = 1,
     .max_in = 1,
     .attrs = "dtype high low seed",
     .build = random_numbers,
     .arg = "random_uniform"},
    {0},
};

const mw_onnx_def mw_onnx_random = {.brief = "random numbers", .rules = rules};
