/*
 * boxes.c - NonMaxSuppression: a scan that takes the box of the greatest score,
 * of every example and class, and sets those that overlap it to nothing.
 * Examples and classes may be split; how many boxes there are in all is said
 * beforehand (ir/import/counts.c).
 */
#include <math.h>

#include "ir/import/emit.h"
#include "ir/import/inner.h"

/* Operands of the scan, and the body's inputs. */
enum side { SCORES, STEP, Y0, X0, Y1, X1, INDEX, LIMIT, N_SIDES };

typedef struct boxes {
    mw_onnx_call *call;
    int64_t batch, classes, n, picks;
    mw_id outer[N_SIDES], inner[N_SIDES];
} boxes;

/* ---- one step, in the body ---- */

/* The value at the box that was taken, of each example and class. */
static mw_id at_pick(boxes *b, mw_id hot, mw_id values)
{
    static const mw_axes last = {.n = 1, .axis = {2}};
    mw_id zero = mw_emit_like(b->call, values, 0.0);
    mw_id one = mw_emit_where(b->call, hot, values, zero);
    return mw_emit_reduce(b->call, "reduce_sum", one, &last, true);
}

/* Along one axis, how far boxes reach into the one taken; its own length. */
static mw_id common(boxes *b, mw_id hot, enum side low, enum side high)
{
    mw_onnx_call *call = b->call;
    mw_id from =
        mw_emit2(call, "max", b->inner[low], at_pick(b, hot, b->inner[low]));
    mw_id to =
        mw_emit2(call, "min", b->inner[high], at_pick(b, hot, b->inner[high]));
    return mw_emit_by(call, "max", mw_emit2(call, "sub", to, from), 0.0);
}

/* Boxes that share more with the one taken than the limit. */
static mw_id overlapping(boxes *b, mw_id hot)
{
    mw_onnx_call *call = b->call;
    const mw_id *in = b->inner;
    mw_id shared =
        mw_emit2(call, "mul", common(b, hot, Y0, Y1), common(b, hot, X0, X1));
    mw_id area = mw_emit2(call, "mul", mw_emit2(call, "sub", in[Y1], in[Y0]),
                          mw_emit2(call, "sub", in[X1], in[X0]));
    mw_id both = mw_emit2(call, "add", area, at_pick(b, hot, area));
    mw_id all = mw_emit2(call, "sub", both, shared);
    return mw_emit2(call, "greater", mw_emit2(call, "div", shared, all),
                    in[LIMIT]);
}

/* result: the scores that remain, and the box taken or -1. */
static mw_status write_step(boxes *b, const mw_inner *outer)
{
    static const mw_axes last = {.n = 1, .axis = {2}};
    mw_onnx_call *call = b->call;
    for (int i = 0; i < N_SIDES; i++)
        MW_TRY(mw_inner_input(call->build, outer, b->outer[i], i == STEP,
                              &b->inner[i]));
    mw_id scores = b->inner[SCORES], index = b->inner[INDEX];
    mw_id best = mw_emit_reduce(call, "reduce_max", scores, &last, true);
    mw_id place = mw_emit_where(call, mw_emit2(call, "equal", scores, best),
                                index, mw_emit_like(call, index, (double)b->n));
    mw_id pick = mw_emit_reduce(call, "reduce_min", place, &last, true);
    mw_id hot = mw_emit2(call, "equal", index, pick);
    mw_id gone = mw_emit2(call, "or", hot, overlapping(b, hot));
    mw_id none = mw_emit_like(call, scores, -(double)INFINITY);
    mw_id found = mw_emit2(call, "greater", best, none);
    const mw_id result[] = {
        mw_emit_where(call, gone, none, scores),
        mw_emit_squeeze(
            call,
            mw_emit_where(call, found, pick, mw_emit_like(call, pick, -1.0)),
            2)};
    MW_TRY(call->status);
    return mw_inner_results(call->build, result, 2);
}

/* ---- around it ---- */

/* [picks, batch, classes]: boxes in the order of their scores, then -1. */
static mw_id run_steps(boxes *b)
{
    mw_onnx_call *call = b->call;
    mw_inner outer;
    mw_id out[2] = {MW_NONE, MW_NONE};
    mw_graph *body = MW_NEW(call->arena, mw_graph);
    const char *base = mw_arena_format(call->arena, "%s.step", call->label);
    const char *name = base ? mw_inner_name(call->build, base) : NULL;
    if (call->status == MW_OK && (!body || !name))
        call->status = MW_ENOMEM;
    if (call->status != MW_OK)
        return MW_NONE;
    mw_status status = mw_inner_open(call->build, name, &outer);
    if (status == MW_OK)
        status = write_step(b, &outer);
    *body = mw_inner_close(call->build, &outer);
    if (call->status == MW_OK)
        call->status = status;
    const int64_t one = 1;
    const mw_attr attr[] = {
        {.name = "body", .kind = MW_ATTR_BODY, .body = body},
        {.name = "carries", .kind = MW_ATTR_INT, .n = 1, .i = &one},
        {.name = "scans", .kind = MW_ATTR_INT, .n = 1, .i = &one}};
    if (call->status == MW_OK)
        mw_emit_results(call,
                        &(mw_op_spec){.def = "scan",
                                      .n_in = N_SIDES,
                                      .in = b->outer,
                                      .n_attr = 3,
                                      .attr = attr},
                        out, 2);
    return out[1];
}

/* Coordinate i of all boxes, [batch, 1, n]. */
static mw_id coordinate(boxes *b, int64_t i)
{
    mw_id part = mw_emit_slice(b->call, b->call->in[0], 2, i, 1, 1);
    return mw_emit_reshape(b->call, part, (const int64_t[]){b->batch, 1, b->n},
                           3);
}

/* The smaller and the larger bound along an axis: of two corners in any order,
 * or a middle and a length. */
static void bounds(boxes *b, bool middle, const int64_t at[2], mw_id out[2])
{
    mw_onnx_call *call = b->call;
    mw_id first = coordinate(b, at[0]), second = coordinate(b, at[1]);
    if (middle)
        second = mw_emit_by(call, "mul", second, 0.5);
    out[0] = mw_emit2(call, middle ? "sub" : "min", first, second);
    out[1] = mw_emit2(call, middle ? "add" : "max", first, second);
}

static void take_boxes(boxes *b)
{
    static const int64_t corner[2][2] = {{0, 2}, {1, 3}};
    static const int64_t centre[2][2] = {{1, 3}, {0, 2}};
    bool middle = mw_onnx_int(b->call, "center_point_box", 0) != 0;
    mw_id y[2], x[2];
    bounds(b, middle, middle ? centre[0] : corner[0], y);
    bounds(b, middle, middle ? centre[1] : corner[1], x);
    b->outer[Y0] = y[0];
    b->outer[Y1] = y[1];
    b->outer[X0] = x[0];
    b->outer[X1] = x[1];
}

static mw_id limit_of(mw_onnx_call *call, int i, double otherwise)
{
    if (!mw_onnx_has(call, i))
        return mw_emit_number(call, MW_F32, otherwise);
    if (mw_tensor_elements(mw_emit_tensor(call, call->in[i])) != 1)
        (void)mw_onnx_refuse(call, "input %d has several values, wanted one",
                             i);
    return mw_emit_reshape(call, call->in[i], NULL, 0);
}

/* Scores below the limit, and NaN, are nothing from the start. */
static void take_scores(boxes *b)
{
    mw_onnx_call *call = b->call;
    mw_id scores = call->in[1];
    mw_id above =
        mw_emit2(call, "greater", scores, limit_of(call, 4, -(double)INFINITY));
    b->outer[SCORES] = mw_emit_where(
        call, above, scores, mw_emit_like(call, scores, -(double)INFINITY));
    b->outer[LIMIT] = limit_of(call, 3, 0.0);
    b->outer[INDEX] = mw_emit_iota(call, b->n, 2, 3);
    b->outer[STEP] = mw_emit_iota(call, b->picks, 0, 1);
}

static mw_status read_sizes(boxes *b)
{
    mw_onnx_call *call = b->call;
    mw_id corners = call->in[0], scores = call->in[1];
    b->batch = mw_emit_size(call, scores, 0);
    b->classes = mw_emit_size(call, scores, 1);
    b->n = mw_emit_size(call, scores, 2);
    double most = mw_onnx_in_number(call, 2, 0.0);
    MW_TRY(call->status);
    if (mw_emit_rank(call, corners) != 3 || mw_emit_rank(call, scores) != 3 ||
        mw_emit_size(call, corners, 0) != b->batch ||
        mw_emit_size(call, corners, 1) != b->n ||
        mw_emit_size(call, corners, 2) != 4)
        return mw_onnx_refuse(call,
                              "boxes are not [batch, n, 4] where scores are "
                              "[batch, classes, n]");
    b->picks = most < 0.0 ? 0 : most < (double)b->n ? (int64_t)most : b->n;
    return MW_OK;
}

/* Rows of example, class and box. */
static mw_id rows_of(boxes *b, mw_id picks)
{
    static const int64_t order[] = {1, 2, 0};
    mw_onnx_call *call = b->call;
    const int64_t all = b->batch * b->classes * b->picks;
    mw_id flat =
        mw_emit_reshape(call, mw_emit_transpose(call, picks, order), &all, 1);
    mw_id at = mw_emit_places(
        call, mw_emit_by(call, "greater_equal", flat, 0.0), 0, 0);
    mw_id lane = mw_emit_by(call, "div", at, (double)b->picks);
    mw_id column[] = {mw_emit_by(call, "div", lane, (double)b->classes),
                      mw_emit_by(call, "mod", lane, (double)b->classes),
                      mw_emit_gather(call, flat, at, 0)};
    for (int i = 0; i < 3; i++)
        column[i] = mw_emit_unsqueeze(call, column[i], 1);
    return mw_emit_concat(call, column, 3, 1);
}

static mw_status suppress(mw_onnx_call *call)
{
    boxes b = {.call = call};
    MW_TRY(read_sizes(&b));
    if (b.batch * b.classes * b.picks == 0)
        return mw_emit_set(call, 0,
                           mw_emit_reshape(call, mw_emit_vector(call, NULL, 0),
                                           (const int64_t[]){0, 3}, 2));
    take_boxes(&b);
    take_scores(&b);
    return mw_emit_set(call, 0, rows_of(&b, run_steps(&b)));
}

static const mw_onnx_rule rules[] = {
    {.op = "NonMaxSuppression",
     .since = 10,
     .min_in = 2,
     .max_in = 5,
     .attrs = "center_point_box",
     .build = suppress,
     .counts = true},
    {0},
};

const mw_onnx_def mw_onnx_boxes = {.brief = "boxes of images", .rules = rules};
