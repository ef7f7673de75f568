/* move.c - transposing, broadcasting, slicing, padding, joining: one strided
 * copy each, or one an operand. */
#include <string.h>

#include "ir/number.h"
#include "runtime/kernel.h"
#include "runtime/rows.h"
#include "runtime/strided.h"

/* A range of the output along the axis that windows touch, and where it comes
 * from along an input's axis. */
typedef struct part {
    int out_axis, in_axis; /* MW_NONE: there is none */
    int64_t first, count;  /* of the output's block */
    int64_t from, step;    /* of the input's block: of `first`, to the next */
} part;

static void copy_part(const mw_kernel_call *call, int i, const part *p)
{
    const mw_op *op = call->op;
    const mw_view *in = &call->in[i];
    const mw_view *out = &call->out[0];
    int64_t size[MW_MAX_RANK], src[MW_MAX_RANK], dst[MW_MAX_RANK];
    int64_t item = mw_dtype_bytes(in->dtype), dst_step = 1;
    int64_t src_at = 0, dst_at = 0;
    for (int a = out->rank - 1; a >= 0; a--) {
        int letter = op->out[0].letter[a];
        size[a] = out->size[a];
        dst[a] = dst_step;
        dst_step *= out->size[a];
        src[a] =
            letter == MW_NONE ? 0 : mw_letter_stride(&op->in[i], in, letter);
    }
    if (p->in_axis != MW_NONE) {
        int64_t stride = 1;
        for (int a = in->rank - 1; a > p->in_axis; a--)
            stride *= in->size[a];
        src_at = p->from * stride;
        if (p->out_axis != MW_NONE)
            src[p->out_axis] = p->step * stride;
    }
    if (p->out_axis != MW_NONE) {
        size[p->out_axis] = p->count;
        dst_at = p->first * dst[p->out_axis];
    }
    mw_strided copy;
    mw_strided_make(&copy, item, out->rank, size, src, dst);
    mw_strided_run(&copy, (const char *)in->data + src_at * item,
                   (char *)out->data + dst_at * item);
}

static int64_t bytes_of(const mw_view *view)
{
    int64_t n = mw_dtype_bytes(view->dtype);
    for (int a = 0; a < view->rank; a++)
        n *= view->size[a];
    return n;
}

static bool run_copy(const mw_kernel_call *call)
{
    copy_part(call, 0, &(part){.out_axis = MW_NONE, .in_axis = MW_NONE});
    return true;
}

static bool run_reshape(const mw_kernel_call *call)
{
    memcpy(call->out[0].data, call->in[0].data,
           (size_t)bytes_of(&call->out[0]));
    return true;
}

// The output's axis whose letter is in no input but as a window.
static int touched_axis(const mw_op *op, const mw_view *out)
{
    for (int a = 0; a < out->rank; a++) {
        int letter = op->out[0].letter[a];
        bool shared = letter == MW_NONE;
        for (int i = 0; i < op->n_in; i++)
            for (int b = 0; b < MW_MAX_RANK; b++)
                shared = shared || (op->in[i].letter[b] == letter &&
                                    !(op->in[i].window >> b & 1U));
        if (!shared)
            return a;
    }
    return MW_NONE;
}

// The input's axis that the output's is a window of, or that it lacks.
static int source_axis(const mw_op *op, int i)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        int letter = op->in[i].letter[a];
        if (op->in[i].window >> a & 1U ||
            (letter != MW_NONE && !mw_op_letter_in_output(op, letter)))
            return a;
    }
    return MW_NONE;
}

static bool run_slice(const mw_kernel_call *call)
{
    const mw_view *in = &call->in[0], *out = &call->out[0];
    int64_t start = mw_op_attr_int(call->op, "start", 0);
    part p = {.step = mw_op_attr_int(call->op, "step", 1),
              .in_axis = source_axis(call->op, 0),
              .out_axis = touched_axis(call->op, out)};
    if (p.in_axis == MW_NONE)
        return false;
    if (p.out_axis != MW_NONE) {
        p.count = out->size[p.out_axis];
        start += out->start[p.out_axis] * p.step;
    }
    p.from = start - in->start[p.in_axis];
    bool held = p.from >= 0 && p.from < in->size[p.in_axis];
    if (p.out_axis == MW_NONE && !held)
        memset(out->data, 0, (size_t)bytes_of(out));
    else if (p.out_axis == MW_NONE || p.count > 0)
        copy_part(call, 0, &p);
    return true;
}

// Copies of input i what it has of the output's block, whose touched axis is
// the input's one from `before` on.
static void copy_joined(const mw_kernel_call *call, int i, int64_t before)
{
    const mw_view *in = &call->in[i], *out = &call->out[0];
    part p = {.step = 1,
              .in_axis = source_axis(call->op, i),
              .out_axis = touched_axis(call->op, out)};
    int64_t held = p.in_axis == MW_NONE ? 0 : in->start[p.in_axis];
    int64_t size = p.in_axis == MW_NONE ? 1 : in->size[p.in_axis];
    int64_t first = before + held, last = first + size;
    int64_t start = out->start[p.out_axis];
    int64_t end = start + out->size[p.out_axis];
    if (first < start)
        first = start;
    if (last > end)
        last = end;
    if (first >= last)
        return;
    p.first = first - start;
    p.count = last - first;
    p.from = first - before - held;
    copy_part(call, i, &p);
}

static bool run_concat(const mw_kernel_call *call)
{
    int64_t before = 0;
    if (touched_axis(call->op, &call->out[0]) == MW_NONE)
        return false;
    for (int i = 0; i < call->op->n_in; i++) {
        int axis = source_axis(call->op, i);
        copy_joined(call, i, before);
        before += axis == MW_NONE ? 1 : call->in[i].whole[axis];
    }
    return true;
}

static bool run_pad(const mw_kernel_call *call)
{
    mw_view *out = &call->out[0];
    if (touched_axis(call->op, out) == MW_NONE)
        return false;
    mw_number value = {.f = mw_op_attr_float(call->op, "value", 0)};
    _Alignas(8) char element[8];
    int64_t item = mw_dtype_bytes(out->dtype), n = bytes_of(out) / item;
    value = mw_number_cast(value, MW_F64, out->dtype);
    mw_numbers_store(out->dtype, element, 0, 1, 1, &value);
    for (int64_t k = 0; k < n; k++)
        memcpy((char *)out->data + k * item, element, (size_t)item);
    copy_joined(call, 0, mw_op_attr_int(call->op, "before", 0));
    return true;
}

static const mw_kernel_row rows[] = {
    {"transpose", MW_KERNEL_ANY, run_copy},
    {"broadcast", MW_KERNEL_ANY, run_copy},
    {"reshape", MW_KERNEL_ANY, run_reshape},
    {"slice", MW_KERNEL_ANY, run_slice},
    {"concat", MW_KERNEL_ANY, run_concat},
    {"pad", MW_KERNEL_ANY, run_pad},
    {0},
};

const mw_kernel_def mw_kernel_move = {
    .name = "move",
    .brief = "transpose, broadcast, slice, pad and concat as strided copies",
    .rows = rows,
};
