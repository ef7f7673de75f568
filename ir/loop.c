/* loop.c - an odometer over letters. */
#include "ir/loop.h"

#include <string.h>

int64_t mw_view_elements(const mw_view *view)
{
    int64_t total = 1;
    for (int i = 0; i < view->rank; i++)
        total *= view->size[i];
    return total;
}

int64_t mw_view_stride(const mw_view *view, int axis)
{
    int64_t stride = 1;
    for (int i = axis + 1; i < view->rank; i++)
        stride *= view->size[i];
    return stride;
}

static void extents_of(const mw_operand *operand, const mw_view *view,
                       bool known[MW_MAX_LETTERS],
                       int64_t extent[MW_MAX_LETTERS])
{
    for (int a = 0; a < view->rank; a++) {
        int letter = operand->letter[a];
        if (letter == MW_NONE || operand->window & 1u << a || known[letter])
            continue;
        known[letter] = true;
        extent[letter] = view->size[a];
    }
}

void mw_block_extents(const mw_op *op, const mw_view in[], const mw_view out[],
                      int64_t extent[MW_MAX_LETTERS])
{
    bool known[MW_MAX_LETTERS] = {false};
    for (int i = 0; i < op->n_letters; i++)
        extent[i] = 1;
    for (int i = 0; i < op->n_in; i++)
        extents_of(&op->in[i], &in[i], known, extent);
    for (int i = 0; i < op->n_out; i++)
        extents_of(&op->out[i], &out[i], known, extent);
}

static void add_letter(mw_loop *loop, int letter, int64_t extent)
{
    if (extent == 1)
        return;
    loop->letter[loop->n] = (int8_t)letter;
    loop->extent[loop->n++] = extent;
}

static void stand_in(mw_loop *loop)
{
    if (loop->n > 0)
        return;
    loop->letter[0] = MW_NONE;
    loop->extent[0] = 1;
    loop->n = 1;
}

void mw_loop_operand(mw_loop *loop, const mw_operand *operand,
                     const int64_t extent[MW_MAX_LETTERS])
{
    memset(loop, 0, sizeof *loop);
    for (int a = 0; a < MW_MAX_RANK; a++) {
        int letter = operand->letter[a];
        if (letter != MW_NONE)
            add_letter(loop, letter, extent[letter]);
    }
    stand_in(loop);
}

void mw_loop_outputs(mw_loop *loop, const mw_op *op,
                     const int64_t extent[MW_MAX_LETTERS])
{
    mw_loop_operand(loop, &op->out[0], extent);
}

void mw_loop_reduced(mw_loop *loop, const mw_op *op,
                     const int64_t extent[MW_MAX_LETTERS])
{
    memset(loop, 0, sizeof *loop);
    for (int i = 0; i < op->n_letters; i++) {
        if (!mw_op_letter_in_output(op, i))
            add_letter(loop, i, extent[i]);
    }
    stand_in(loop);
}

void mw_loop_view(mw_loop *loop, const mw_operand *operand, const mw_view *view)
{
    int64_t *stride = loop->stride[loop->n_views++];
    for (int k = 0; k < loop->n; k++) {
        stride[k] = 0;
        for (int a = 0; a < view->rank && loop->letter[k] != MW_NONE; a++) {
            if (operand->letter[a] == loop->letter[k] &&
                !(operand->window & 1u << a))
                stride[k] = mw_view_stride(view, a);
        }
    }
}

bool mw_loop_start(mw_loop *loop, const int64_t at[])
{
    for (int v = 0; v < loop->n_views; v++)
        loop->at[v] = at ? at[v] : 0;
    bool empty = false;
    for (int k = 0; k < loop->n; k++) {
        loop->index[k] = 0;
        empty = empty || loop->extent[k] == 0;
    }
    return !empty;
}

bool mw_loop_next(mw_loop *loop)
{
    for (int k = loop->n - 2; k >= 0; k--) {
        bool wraps = ++loop->index[k] == loop->extent[k];
        int64_t steps = wraps ? 1 - loop->extent[k] : 1;
        for (int v = 0; v < loop->n_views; v++)
            loop->at[v] += steps * loop->stride[v][k];
        if (!wraps)
            return true;
        loop->index[k] = 0;
    }
    return false;
}

int64_t mw_loop_row(const mw_loop *loop)
{
    return loop->extent[loop->n - 1];
}

int64_t mw_loop_row_stride(const mw_loop *loop, int view)
{
    return loop->stride[view][loop->n - 1];
}
