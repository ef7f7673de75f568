/* gamma.c - the logarithm of the gamma function and its derivative, by C.
 * Lanczos' series as XLA computes them:
 *
 *     Gamma(z + 1) = sqrt(2 pi) t^(z + 1/2) e^-t A(z)    t = z + 7 + 1/2
 *
 * Below 1/2 by Gamma(x) Gamma(1 - x) = pi / sin(pi x).
 */
#include <math.h>
#include <string.h>

#include "ir/import/stablehlo_call.h"

enum { TERMS = 8 };

static const double pi = 3.14159265358979323846;
static const double middle = 7.5; /* g + 1/2 */
static const double first = 0.99999999999980993227684700473478;
static const double factor[TERMS] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};

/* x below 1/2 is seen from the other side; z = Gamma's argument - 1. */
typedef struct side {
    mw_id other, z, t, log_t, series, slope; /* A(z), A'(z) */
} side;

static side side_of(mw_onnx_call *e, mw_id x)
{
    side s = {.other = mw_emit_by(e, "less", x, 0.5)};
    s.z = mw_emit_where(e, s.other, mw_emit1(e, "neg", x),
                        mw_emit_by(e, "sub", x, 1.0));
    s.t = mw_emit_by(e, "add", s.z, middle);
    s.log_t = mw_emit1(e, "log", s.t);
    s.series = mw_emit_like(e, x, first);
    s.slope = mw_emit_like(e, x, 0.0);
    for (int i = 0; i < TERMS; i++) {
        mw_id place = mw_emit_by(e, "add", s.z, i + 1.0);
        mw_id by = mw_emit1(e, "reciprocal", place);
        mw_id term = mw_emit_by(e, "mul", by, factor[i]);
        s.series = mw_emit2(e, "add", s.series, term);
        s.slope = mw_emit2(e, "sub", s.slope, mw_emit2(e, "mul", term, by));
    }
    return s;
}

/* How far x is from the next whole number. */
static mw_id from_whole(mw_onnx_call *e, mw_id x)
{
    mw_id size = mw_emit1(e, "abs", x);
    mw_id part = mw_emit2(e, "sub", size, mw_emit1(e, "floor", size));
    mw_id rest = mw_emit2(e, "sub", mw_emit_like(e, x, 1.0), part);
    return mw_emit2(e, "min", part, rest);
}

static mw_id lgamma_of(mw_onnx_call *e, const mw_id in[], int n,
                       const char *arg)
{
    (void)n;
    (void)arg;
    side s = side_of(e, in[0]);
    /* (z + 1/2) log t - t, with t taken into the product: no difference of
     * large numbers */
    mw_id power = mw_emit2(e, "sub", mw_emit_by(e, "add", s.z, 0.5),
                           mw_emit2(e, "div", s.t, s.log_t));
    mw_id y = mw_emit_by(e, "add", mw_emit2(e, "mul", power, s.log_t),
                         0.5 * log(2.0 * pi));
    y = mw_emit2(e, "add", y, mw_emit1(e, "log", s.series));
    mw_id sine =
        mw_emit1(e, "sin", mw_emit_by(e, "mul", from_whole(e, in[0]), pi));
    mw_id mirror = mw_emit2(e, "sub", mw_emit_like(e, in[0], log(pi)),
                            mw_emit2(e, "add", mw_emit1(e, "log", sine), y));
    mw_id whole = mw_emit_by(e, "equal", sine, 0.0);
    mirror = mw_emit_where(e, whole, mw_emit_like(e, in[0], (double)INFINITY),
                           mirror);
    y = mw_emit_where(e, s.other, mirror, y);
    mw_id size = mw_emit1(e, "abs", in[0]);
    mw_id endless = mw_emit_by(e, "equal", size, (double)INFINITY);
    return mw_emit_where(e, endless, size, y);
}

/* log t + A'(z) / A(z) - 7 / t */
static mw_id digamma_of(mw_onnx_call *e, const mw_id in[], int n,
                        const char *arg)
{
    (void)n;
    (void)arg;
    side s = side_of(e, in[0]);
    mw_id y =
        mw_emit2(e, "add", s.log_t, mw_emit2(e, "div", s.slope, s.series));
    mw_id seven = mw_emit_like(e, in[0], middle - 0.5);
    y = mw_emit2(e, "sub", y, mw_emit2(e, "div", seven, s.t));
    /* x less the nearest whole number: the tangent's period */
    mw_id near = mw_emit2(e, "sub", in[0], mw_emit1(e, "round", in[0]));
    mw_id angle = mw_emit_by(e, "mul", near, pi);
    mw_id slope = mw_emit_by(e, "mul",
                             mw_emit2(e, "div", mw_emit1(e, "cos", angle),
                                      mw_emit1(e, "sin", angle)),
                             pi);
    mw_id mirror = mw_emit2(e, "sub", y, slope);
    mw_id pole = mw_emit2(e, "and", mw_emit_by(e, "less_equal", in[0], 0.0),
                          mw_emit_by(e, "equal", near, 0.0));
    mirror =
        mw_emit_where(e, pole, mw_emit_like(e, in[0], (double)NAN), mirror);
    return mw_emit_where(e, s.other, mirror, y);
}

static mw_status build(mw_hlo_call *call)
{
    bool log_of = strcmp(call->rule->arg, "log") == 0;
    return mw_hlo_set_value(call, 0,
                            mw_hlo_apply(call, log_of ? lgamma_of : digamma_of,
                                         call->in, call->n_in, NULL));
}

static const mw_hlo_rule rules[] = {
    {.op = "chlo.lgamma",
     .min_in = 1,
     .max_in = 1,
     .build = build,
     .arg = "log"},
    {.op = "chlo.digamma",
     .min_in = 1,
     .max_in = 1,
     .build = build,
     .arg = "slope"},
    {0},
};

const mw_hlo_def mw_hlo_gamma = {.brief = "the gamma function", .rules = rules};
