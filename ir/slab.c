/* slab.c - copying and filling slabs of an output. */
#include "ir/slab.h"

#include "ir/loop.h"

enum { RUN = 256 };

static bool in_inputs(const mw_op *op, int letter)
{
    for (int i = 0; i < op->n_in; i++) {
        for (int a = 0; a < MW_MAX_RANK; a++) {
            if (op->in[i].letter[a] == letter && !(op->in[i].window & 1u << a))
                return true;
        }
    }
    return false;
}

void mw_slab_init(mw_slab *slab, const mw_op *op, const mw_view in[],
                  mw_view *out)
{
    *slab =
        (mw_slab){.op = op, .out = out, .letter = MW_NONE, .out_axis = MW_NONE};
    mw_block_extents(op, in, out, slab->extent);
    for (int a = 0; a < out->rank; a++) {
        int8_t letter = op->out[0].letter[a];
        if (letter == MW_NONE || in_inputs(op, letter))
            continue;
        slab->letter = letter;
        slab->out_axis = a;
        slab->extent[letter] = 1;
    }
}

int mw_slab_axis(const mw_op *op, int i)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        int letter = op->in[i].letter[a];
        if (op->in[i].window & 1u << a ||
            (letter != MW_NONE && !mw_op_letter_in_output(op, letter)))
            return a;
    }
    return MW_NONE;
}

int64_t mw_slab_count(const mw_slab *slab)
{
    return slab->out_axis == MW_NONE ? 1 : slab->out->size[slab->out_axis];
}

int64_t mw_slab_first(const mw_slab *slab)
{
    return slab->out_axis == MW_NONE ? 0 : slab->out->start[slab->out_axis];
}

static int64_t out_offset(const mw_slab *slab, int64_t k)
{
    if (slab->out_axis == MW_NONE)
        return 0;
    return k * mw_view_stride(slab->out, slab->out_axis);
}

bool mw_slab_copy(const mw_slab *slab, int i, const mw_view *in, int64_t from,
                  int64_t k)
{
    int axis = mw_slab_axis(slab->op, i);
    int64_t at[2] = {0, out_offset(slab, k)};
    if (axis != MW_NONE) {
        int64_t local = from - in->start[axis];
        if (local < 0 || local >= in->size[axis])
            return false;
        at[0] = local * mw_view_stride(in, axis);
    }
    mw_loop loop;
    mw_number buffer[RUN];
    mw_loop_outputs(&loop, slab->op, slab->extent);
    mw_loop_view(&loop, &slab->op->in[i], in);
    mw_loop_view(&loop, &slab->op->out[0], slab->out);
    int64_t row = mw_loop_row(&loop);
    int64_t in_stride = mw_loop_row_stride(&loop, 0);
    int64_t out_stride = mw_loop_row_stride(&loop, 1);
    for (bool more = mw_loop_start(&loop, at); more;
         more = mw_loop_next(&loop)) {
        for (int64_t first = 0; first < row; first += RUN) {
            int64_t n = row - first < RUN ? row - first : RUN;
            mw_numbers_load(in->dtype, in->data, loop.at[0] + first * in_stride,
                            in_stride, n, buffer);
            mw_numbers_store(slab->out->dtype, slab->out->data,
                             loop.at[1] + first * out_stride, out_stride, n,
                             buffer);
        }
    }
    return true;
}

void mw_slab_fill(const mw_slab *slab, int64_t k, mw_number value)
{
    int64_t at = out_offset(slab, k);
    mw_loop loop;
    mw_loop_outputs(&loop, slab->op, slab->extent);
    mw_loop_view(&loop, &slab->op->out[0], slab->out);
    for (bool more = mw_loop_start(&loop, &at); more;
         more = mw_loop_next(&loop)) {
        for (int64_t j = 0; j < mw_loop_row(&loop); j++)
            mw_numbers_store(slab->out->dtype, slab->out->data,
                             loop.at[0] + j * mw_loop_row_stride(&loop, 0), 1,
                             1, &value);
    }
}
