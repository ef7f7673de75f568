/*
 * adafactor.c - Adafactor (Shazeer and Stern): mean squares of a matrix by rows
 * and columns. The two largest axes of the file's array are factored; what is
 * smaller keeps all. The steps are optax's, in its order.
 */
#include <string.h>

#include "ir/optimizer.h"

enum { DECAY_RATE, LEAST, CLIPPING, SCALED, MOMENTUM, WEIGHT_DECAY, EPS };

static const mw_hyper hyper[] = {
    {"decay_rate", 0.8, "exponent of the decay"},
    {"min_dim_size_to_factor", 128, "smaller axes keep all"},
    {"clipping_threshold", 1, "of an update's root mean square; 0: none"},
    {"multiply_by_parameter_scale", 1, "0: not"},
    {"momentum", 0, "0: none"},
    {"weight_decay_rate", 0, "0: none"},
    {"eps", 1e-30, "added to squares"},
    {0},
};

// 1 - step^-of.
static mw_status decay_of(mw_updater *u, double of, mw_id *y)
{
    mw_id exponent, power, one;
    MW_TRY(mw_grad_const(u->g, MW_F64, -of, &exponent));
    MW_TRY(mw_grad_map2(u->g, "pow", u->step, exponent, &power));
    MW_TRY(mw_grad_const(u->g, MW_F64, 1, &one));
    return mw_grad_map2(u->g, "sub", one, power, y);
}

static mw_status rest_of(mw_updater *u, double of, mw_id *y)
{
    mw_id exponent;
    MW_TRY(mw_grad_const(u->g, MW_F64, -of, &exponent));
    return mw_grad_map2(u->g, "pow", u->step, exponent, y);
}

/* The file axes that are factored: `large` the largest, `second`; MW_NONE. */
typedef struct factors {
    int second, large;
} factors;

static factors find_factors(const mw_tensor *weight, double least)
{
    int64_t size[MW_MAX_FILE_RANK];
    int n = mw_tensor_file_shape(weight, size);
    factors f = {MW_NONE, MW_NONE};
    for (int i = 0; i < n; i++) {
        if (f.large == MW_NONE || size[i] >= size[f.large]) {
            f.second = f.large;
            f.large = i;
        } else if (f.second == MW_NONE || size[i] >= size[f.second]) {
            f.second = i;
        }
    }
    if (f.second == MW_NONE || (double)size[f.second] < least)
        return (factors){MW_NONE, MW_NONE};
    return f;
}

// The weight's axes without those of one of the file's.
static mw_tensor without(const mw_tensor *weight, int file_axis)
{
    mw_tensor as = *weight;
    int at = 0;
    as.rank = as.file_rank = 0;
    for (int i = 0; i < weight->file_rank; i++) {
        for (int k = 0; k < weight->file_axis[i]; k++, at++)
            if (i != file_axis)
                as.axis[as.rank++] = weight->axis[at];
        if (i != file_axis)
            as.file_axis[as.file_rank++] = weight->file_axis[i];
    }
    return as;
}

// The mean of x over what `like` lacks.
static mw_status mean_to(mw_grad *g, mw_id x, mw_id like, mw_id *y)
{
    double n = (double)mw_tensor_elements(&g->graph->tensor[x]);
    MW_TRY(mw_grad_reduce(g, "reduce_sum", x, like, y));
    n /= (double)mw_tensor_elements(&g->graph->tensor[*y]);
    return mw_grad_scalar(g, "div", *y, n, y);
}

// state = decay state + (1 - decay) value; y: the new one.
static mw_status decayed(mw_updater *u, mw_id weight, mw_id state, mw_id value,
                         mw_id *y)
{
    mw_id decay, rest, kept, added, fresh;
    MW_TRY(
        mw_updater_shared(u, weight, decay_of, u->hyper[DECAY_RATE], &decay));
    MW_TRY(mw_updater_shared(u, weight, rest_of, u->hyper[DECAY_RATE], &rest));
    MW_TRY(mw_grad_map2(u->g, "mul", state, decay, &kept));
    MW_TRY(mw_grad_map2(u->g, "mul", value, rest, &added));
    MW_TRY(mw_grad_map2(u->g, "add", kept, added, y));
    return mw_updater_assign(u, state, *y, &fresh);
}

static mw_status inverse_root(mw_grad *g, mw_id x, mw_id *y)
{
    MW_TRY(mw_grad_map1(g, "sqrt", x, y));
    return mw_grad_map1(g, "reciprocal", *y, y);
}

// One of both factors' mean squares, without file axis `axis`.
static mw_status factor(mw_updater *u, mw_id weight, mw_id square, int axis,
                        const char *what, mw_id *y)
{
    const mw_tensor own = u->g->graph->tensor[weight];
    const mw_tensor as = without(&own, axis);
    mw_id state, mean;
    MW_TRY(mw_updater_state(u, weight, what, &as, &state));
    MW_TRY(mean_to(u->g, square, state, &mean));
    return decayed(u, weight, state, mean, y);
}

static mw_status factored(mw_updater *u, mw_id weight, factors f, mw_id grad,
                          mw_id square, mw_id *y)
{
    mw_grad *g = u->g;
    const mw_tensor own = g->graph->tensor[weight];
    mw_id row, column, all, part, by_row, by_column;
    MW_TRY(factor(u, weight, square, f.large, "v_row", &row));
    MW_TRY(factor(u, weight, square, f.second, "v_col", &column));
    /* rows by their mean over the second axis */
    const mw_tensor rows = without(&own, f.large);
    mw_tensor both =
        without(&rows, f.second > f.large ? f.second - 1 : f.second);
    both.dtype = own.dtype;
    const mw_op_spec sum = {.def = "reduce_sum", .n_in = 1, .in = &row};
    MW_TRY(mw_grad_op_as(g, &sum, &both, &all));
    double n = (double)mw_tensor_elements(&g->graph->tensor[row]) /
               (double)mw_tensor_elements(&g->graph->tensor[all]);
    MW_TRY(mw_grad_scalar(g, "div", all, n, &all));
    MW_TRY(mw_grad_map2(g, "div", row, all, &part));
    MW_TRY(inverse_root(g, part, &by_row));
    MW_TRY(inverse_root(g, column, &by_column));
    MW_TRY(mw_grad_map2(g, "mul", grad, by_row, y));
    return mw_grad_map2(g, "mul", *y, by_column, y);
}

static mw_status whole(mw_updater *u, mw_id weight, mw_id grad, mw_id square,
                       mw_id *y)
{
    mw_id state, v;
    MW_TRY(mw_updater_state_like(u, weight, "v", &state));
    MW_TRY(decayed(u, weight, state, square, &v));
    MW_TRY(inverse_root(u->g, v, &v));
    return mw_grad_map2(u->g, "mul", grad, v, y);
}

// sqrt(mean(x x)), at least `least`.
static mw_status root_mean_square(mw_grad *g, mw_id x, double least, mw_id *y)
{
    mw_id square, none;
    MW_TRY(mw_grad_map2(g, "mul", x, x, &square));
    MW_TRY(mw_grad_const(g, g->graph->tensor[x].dtype, 0, &none));
    MW_TRY(mean_to(g, square, none, y));
    MW_TRY(mw_grad_map1(g, "sqrt", *y, y));
    return mw_grad_scalar(g, "max", *y, least, y);
}

// step / max(1, rms(step) / threshold), times rate and the weight's own scale.
static mw_status scaled(mw_updater *u, mw_id weight, mw_id *step)
{
    mw_grad *g = u->g;
    mw_id rms, rate;
    if (u->hyper[CLIPPING] > 0) {
        MW_TRY(root_mean_square(g, *step, 0, &rms));
        MW_TRY(mw_grad_scalar(g, "div", rms, u->hyper[CLIPPING], &rms));
        MW_TRY(mw_grad_scalar(g, "max", rms, 1, &rms));
        MW_TRY(mw_grad_map2(g, "div", *step, rms, step));
    }
    MW_TRY(mw_updater_shared(u, weight, mw_updater_rate, 0, &rate));
    MW_TRY(mw_grad_map2(g, "mul", *step, rate, step));
    if (u->hyper[SCALED] > 0) {
        MW_TRY(root_mean_square(g, weight, 1e-3, &rms));
        MW_TRY(mw_grad_map2(g, "mul", *step, rms, step));
    }
    return MW_OK;
}

static mw_status with_momentum(mw_updater *u, mw_id weight, mw_id *step)
{
    mw_id state, kept, fresh;
    double m = u->hyper[MOMENTUM];
    MW_TRY(mw_updater_state_like(u, weight, "ema", &state));
    MW_TRY(mw_grad_scalar(u->g, "mul", state, m, &kept));
    MW_TRY(mw_grad_scalar(u->g, "mul", *step, 1 - m, step));
    MW_TRY(mw_grad_map2(u->g, "add", kept, *step, step));
    return mw_updater_assign(u, state, *step, &fresh);
}

static mw_status update(mw_updater *u, mw_id weight, mw_id grad, mw_id *fresh)
{
    mw_grad *g = u->g;
    const mw_tensor own = g->graph->tensor[weight];
    factors f = find_factors(&own, u->hyper[LEAST]);
    mw_id square, step, decay;
    MW_TRY(mw_updater_scaled(u, weight, grad, &grad));
    mw_grad_label(g, own.name);
    MW_TRY(mw_grad_map2(g, "mul", grad, grad, &square));
    MW_TRY(mw_grad_scalar(g, "add", square, u->hyper[EPS], &square));
    if (f.large == MW_NONE)
        MW_TRY(whole(u, weight, grad, square, &step));
    else
        MW_TRY(factored(u, weight, f, grad, square, &step));
    MW_TRY(scaled(u, weight, &step));
    if (u->hyper[MOMENTUM] > 0)
        MW_TRY(with_momentum(u, weight, &step));
    if (u->hyper[WEIGHT_DECAY] > 0) {
        MW_TRY(
            mw_grad_scalar(g, "mul", weight, u->hyper[WEIGHT_DECAY], &decay));
        MW_TRY(mw_grad_map2(g, "add", step, decay, &step));
    }
    MW_TRY(mw_grad_map2(g, "sub", weight, step, &step));
    return mw_updater_assign(u, weight, step, fresh);
}

const mw_optimizer_def mw_optimizer_adafactor = {
    .name = "adafactor",
    .brief = "mean squares by rows and columns, steps scaled by the weight",
    .rate = 1e-3,
    .hyper = hyper,
    .update = update,
};
