/* schedule.c - a few scalar ops each. */
#include "ir/schedule.h"

// min(max(count - warmup, 0) / (steps - warmup), 1).
static mw_status progress(mw_grad *g, const mw_schedule *s, mw_id count,
                          mw_id *part)
{
    double steps = s->steps - s->warmup;
    MW_TRY(mw_grad_scalar(g, "sub", count, s->warmup, part));
    MW_TRY(mw_grad_scalar(g, "max", *part, 0, part));
    MW_TRY(mw_grad_scalar(g, "div", *part, steps > 1 ? steps : 1, part));
    return mw_grad_scalar(g, "min", *part, 1, part);
}

static mw_status constant(mw_grad *g, const mw_schedule *s, mw_id count,
                          mw_id *rate)
{
    (void)count;
    return mw_grad_const(g, MW_F64, s->rate, rate);
}

static mw_status linear(mw_grad *g, const mw_schedule *s, mw_id count,
                        mw_id *rate)
{
    mw_id part;
    MW_TRY(progress(g, s, count, &part));
    MW_TRY(mw_grad_scalar(g, "mul", part, s->end - s->rate, &part));
    return mw_grad_scalar(g, "add", part, s->rate, rate);
}

// end + (rate - end) (1 + cos(pi part)) / 2.
static mw_status cosine(mw_grad *g, const mw_schedule *s, mw_id count,
                        mw_id *rate)
{
    const double pi = 3.14159265358979323846;
    mw_id part;
    MW_TRY(progress(g, s, count, &part));
    MW_TRY(mw_grad_scalar(g, "mul", part, pi, &part));
    MW_TRY(mw_grad_map1(g, "cos", part, &part));
    MW_TRY(mw_grad_scalar(g, "add", part, 1, &part));
    MW_TRY(mw_grad_scalar(g, "mul", part, (s->rate - s->end) / 2, &part));
    return mw_grad_scalar(g, "add", part, s->end, rate);
}

// rate sqrt(w / max(count, w)), w at least 1.
static mw_status inverse_sqrt(mw_grad *g, const mw_schedule *s, mw_id count,
                              mw_id *rate)
{
    double top = s->warmup > 1 ? s->warmup : 1;
    mw_id part, w;
    MW_TRY(mw_grad_scalar(g, "max", count, top, &part));
    MW_TRY(mw_grad_const(g, MW_F64, top, &w));
    MW_TRY(mw_grad_map2(g, "div", w, part, &part));
    MW_TRY(mw_grad_map1(g, "sqrt", part, &part));
    return mw_grad_scalar(g, "mul", part, s->rate, rate);
}

const mw_schedule_def mw_schedules[] = {
    {"constant", "the same rate", constant},
    {"linear", "a line down to `end` at `steps`", linear},
    {"cosine", "half a cosine down to `end` at `steps`", cosine},
    {"inverse-sqrt", "with the inverse square root of the step", inverse_sqrt},
    {0},
};

// init + (rate - init) count / warmup, while count < warmup.
static mw_status warm_up(mw_grad *g, const mw_schedule *s, mw_id count,
                         mw_id *rate)
{
    mw_id warm, line;
    MW_TRY(mw_grad_scalar(g, "less", count, s->warmup, &warm));
    MW_TRY(mw_grad_scalar(g, "mul", count, (s->rate - s->init) / s->warmup,
                          &line));
    MW_TRY(mw_grad_scalar(g, "add", line, s->init, &line));
    return mw_grad_where(g, warm, line, *rate, rate);
}

mw_status mw_schedule_rate(mw_grad *g, const mw_schedule_def *def,
                           const mw_schedule *s, mw_id count, mw_id *rate)
{
    MW_TRY(def->build(g, s, count, rate));
    return s->warmup > 0 ? warm_up(g, s, count, rate) : MW_OK;
}
