/* random.c - Philox, and what is made of its bits. */
#include "ir/random.h"

#include <math.h>

#include "ir/loop.h"
#include "ir/rule.h"

enum { ROUNDS = 10, RUN = 256 };

void mw_philox(const uint32_t key[2], const uint32_t counter[4],
               uint32_t result[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t a = (uint64_t)c[0] * UINT32_C(0xd2511f53);
        uint64_t b = (uint64_t)c[2] * UINT32_C(0xcd9e8d57);
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)a;
        k0 += UINT32_C(0x9e3779b9);
        k1 += UINT32_C(0xbb67ae85);
    }
    for (int i = 0; i < 4; i++)
        result[i] = c[i];
}

// The seed is the key of a first use, whose result on (stream, step) is the
// key of the numbers.
mw_random mw_random_of(uint64_t seed, uint64_t stream, uint64_t step)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)stream, (uint32_t)(stream >> 32),
                                 (uint32_t)step, (uint32_t)(step >> 32)};
    uint32_t made[4];
    mw_philox(key, counter, made);
    return (mw_random){.key = {made[0], made[1]}};
}

static void two_blocks(const mw_random *random, uint64_t block,
                       uint32_t high[4], uint32_t low[4])
{
    uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0};
    mw_philox(random->key, counter, high);
    counter[2] = 1;
    mw_philox(random->key, counter, low);
}

uint64_t mw_random_bits(const mw_random *random, uint64_t i)
{
    uint32_t high[4], low[4];
    two_blocks(random, i / 4, high, low);
    return (uint64_t)high[i % 4] << 32 | low[i % 4];
}

double mw_random_unit_f32(uint64_t bits)
{
    return (double)(bits >> 40) * 0x1p-24;
}

double mw_random_unit_f64(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

double mw_random_normal(uint64_t bits)
{
    const double turn = 6.283185307179586;
    double radius = ((double)(bits >> 32) + 0.5) * 0x1p-32;
    double angle = (double)(bits & UINT32_MAX) * 0x1p-32;
    return sqrt(-2 * log(radius)) * cos(turn * angle);
}

double mw_random_uniform_fn(double a, double b, mw_dtype dtype, uint64_t bits)
{
    double unit =
        dtype == MW_F64 ? mw_random_unit_f64(bits) : mw_random_unit_f32(bits);
    return a + (b - a) * unit;
}

double mw_random_normal_fn(double a, double b, mw_dtype dtype, uint64_t bits)
{
    (void)dtype;
    return a + b * mw_random_normal(bits);
}

double mw_random_bernoulli_fn(double a, double b, mw_dtype dtype, uint64_t bits)
{
    (void)b;
    (void)dtype;
    return mw_random_unit_f32(bits) < a;
}

mw_random_fill mw_random_uniform_of(const mw_op *op)
{
    return (mw_random_fill){.fn = mw_random_uniform_fn,
                            .a = mw_op_attr_float(op, "low", 0),
                            .b = mw_op_attr_float(op, "high", 1)};
}

mw_random_fill mw_random_normal_of(const mw_op *op)
{
    return (mw_random_fill){.fn = mw_random_normal_fn,
                            .a = mw_op_attr_float(op, "mean", 0),
                            .b = mw_op_attr_float(op, "scale", 1)};
}

mw_random_fill mw_random_bernoulli_of(const mw_op *op)
{
    return (mw_random_fill){.fn = mw_random_bernoulli_fn,
                            .a = mw_op_attr_float(op, "p", 0.5)};
}

/* ---- rules --------------------------------------------------------------- */

static mw_status check(const mw_graph *graph, const mw_op *op, mw_dtype result)
{
    const mw_tensor *step = mw_op_in(graph, op, 0);
    bool mask = mw_op_attr_rule(op->def, "p", MW_ATTR_BOTH) != NULL;
    double p = mw_op_attr_float(op, "p", 0.5);
    if (step->dtype != MW_I64 || mw_tensor_elements(step) != 1)
        return mw_op_fail(graph, op,
                          "'%s' is %s of %lld elements, wanted a "
                          "step: i64 of 1",
                          step->name, mw_dtype_name(step->dtype),
                          (long long)mw_tensor_elements(step));
    if (!mask && !mw_dtype_is_float(result))
        return mw_op_fail(graph, op, "not defined for %s",
                          mw_dtype_name(result));
    if (!(p >= 0 && p <= 1))
        return mw_op_fail(graph, op, "p is %g, wanted 0 to 1", p);
    return MW_OK;
}

mw_status mw_random_place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    out->dtype = mw_op_attr(op, "to")->dtype;
    MW_TRY(check(graph, op, out->dtype));
    return mw_place_shape(graph, op, mw_op_attr(op, "shape"), out);
}

mw_status mw_random_bind(mw_graph *graph, mw_op *op)
{
    MW_TRY(check(graph, op, mw_op_out(graph, op)->dtype));
    MW_TRY(mw_bind_letters(graph, op));
    return mw_bind_no_reduced(graph, op);
}

mw_status mw_random_lower(mw_graph *named, const mw_graph *placed,
                          const mw_op *op, const mw_lowering *lowering,
                          mw_op_spec *spec)
{
    (void)named;
    (void)placed;
    mw_attr *attr = MW_NEW_ARRAY(lowering->arena, op->n_attr + 1, mw_attr);
    int n = 0;
    if (!attr)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_attr; i++) {
        if (mw_op_attr_rule(op->def, op->attr[i].name, MW_ATTR_NAMED))
            attr[n++] = op->attr[i];
    }
    return mw_lower_attrs(lowering, spec, attr, n);
}

/* ---- filling ------------------------------------------------------------- */

// Index in the whole of element k of the block.
static uint64_t whole_index(const mw_view *out, int64_t k)
{
    int64_t at = 0, step = 1;
    for (int a = out->rank - 1; a >= 0; a--) {
        at += (k % out->size[a] + out->start[a]) * step;
        k /= out->size[a];
        step *= out->whole[a];
    }
    return (uint64_t)at;
}

// Bits of elements [at, at + n).
static void bits_of_run(const mw_random *random, uint64_t at, int64_t n,
                        uint64_t bits[])
{
    uint32_t high[4], low[4];
    for (int64_t i = 0; i < n; i++) {
        uint64_t element = at + (uint64_t)i;
        if (i == 0 || element % 4 == 0)
            two_blocks(random, element / 4, high, low);
        bits[i] = (uint64_t)high[element % 4] << 32 | low[element % 4];
    }
}

void mw_random_part(const mw_op *op, const mw_random_fill *fill,
                    const mw_view in[], mw_view *out, int64_t first, int64_t n)
{
    mw_number step, y[RUN];
    uint64_t bits[RUN];
    mw_numbers_load(MW_I64, in[0].data, 0, 1, 1, &step);
    mw_random random =
        mw_random_of((uint64_t)mw_op_attr_int(op, "seed", 0),
                     (uint64_t)mw_op_attr_int(op, "stream", 0), step.u);
    int64_t row = out->rank ? out->size[out->rank - 1] : 1;
    for (int64_t k = first; k < first + n;) {
        int64_t count = row - k % row;
        if (count > first + n - k)
            count = first + n - k;
        if (count > RUN)
            count = RUN;
        bits_of_run(&random, whole_index(out, k), count, bits);
        for (int64_t i = 0; i < count; i++) {
            y[i].f = fill->fn(fill->a, fill->b, out->dtype, bits[i]);
            y[i] = mw_number_cast(y[i], MW_F64, out->dtype);
        }
        mw_numbers_store(out->dtype, out->data, k, 1, count, y);
        k += count;
    }
}

void mw_random_all(const mw_op *op, const mw_random_fill *fill,
                   const mw_view in[], mw_view *out)
{
    mw_random_part(op, fill, in, out, 0, mw_view_elements(out));
}
