/* gemm_pack.c - runs along the innermost letter of the columns: there offsets
 * step evenly, and what hangs over an edge is a range at either end. */
#include "runtime/gemm_pack.h"

#include <string.h>

void mw_pack_set(mw_pack *pack, const mw_gemm_index *index, int64_t i)
{
    for (int k = index->n_letters - 1; k >= 0; k--) {
        int letter = index->letter[k];
        pack->value[letter] = i % pack->extent[letter];
        i /= pack->extent[letter];
    }
}

/* Elements along the innermost letter, from its present value on. */
typedef struct run {
    int64_t n, offset, step; /* elements */
    int64_t lo, hi;          /* of the n, those that lie within x */
} run;

static int64_t value_of(const mw_pack *pack, int letter)
{
    return letter == MW_NONE ? 0 : pack->value[letter];
}

// Cuts [lo, hi), within [0, n], to where position + i * step lies within
// [0, size).
static void clip(run *r, int64_t position, int64_t step, int64_t size)
{
    if (step == 0) {
        if (position < 0 || position >= size)
            r->hi = r->lo;
        return;
    }
    int64_t lo = position < 0 ? (-position + step - 1) / step : 0;
    int64_t hi = position < size ? (size - position + step - 1) / step : 0;
    if (lo > r->lo)
        r->lo = lo < r->n ? lo : r->n;
    if (hi < r->hi)
        r->hi = hi;
    if (r->hi < r->lo)
        r->hi = r->lo;
}

static run find_run(const mw_pack *pack, int inner, int64_t n)
{
    run r = {.n = n, .lo = 0, .hi = n};
    for (int side = 0; side < 2; side++) {
        const mw_gemm_index *index = side ? pack->columns : pack->rows;
        for (int k = 0; k < index->n_letters; k++) {
            int letter = index->letter[k];
            r.offset += pack->value[letter] * pack->stride[letter];
        }
    }
    r.step = inner == MW_NONE ? 0 : pack->stride[inner];
    for (int w = 0; w < pack->n_windows; w++) {
        const mw_pack_window *window = &pack->window[w];
        int64_t position =
            window->base + value_of(pack, window->out_letter) * window->step +
            value_of(pack, window->tap_letter) * window->dilation;
        int64_t step = 0;
        if (inner != MW_NONE && inner == window->out_letter)
            step = window->step;
        if (inner != MW_NONE && inner == window->tap_letter)
            step = window->dilation;
        clip(&r, position, step, window->size);
        r.offset += position * window->stride;
        r.step += step * window->stride;
    }
    return r;
}

static void gather(const char *src, int64_t item, const run *r, char *dst)
{
    const char *from = src + (r->offset + r->lo * r->step) * item;
    char *to = dst + r->lo * item;
    int64_t n = r->hi - r->lo, step = r->step * item;
    memset(dst, 0, (size_t)(r->lo * item));
    memset(dst + r->hi * item, 0, (size_t)((r->n - r->hi) * item));
    if (n <= 0)
        return;
    if (step == item)
        memcpy(to, from, (size_t)(n * item));
    else if (item == 4)
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * 4, from + i * step, 4);
    else
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * 8, from + i * step, 8);
}

static void scatter(char *dst, int64_t item, const run *r, const char *src)
{
    char *to = dst + r->offset * item;
    int64_t step = r->step * item;
    if (step == item)
        memcpy(to, src, (size_t)(r->n * item));
    else if (item == 4)
        for (int64_t i = 0; i < r->n; i++)
            memcpy(to + i * step, src + i * 4, 4);
    else
        for (int64_t i = 0; i < r->n; i++)
            memcpy(to + i * step, src + i * 8, 8);
}

static int innermost(const mw_gemm_index *index)
{
    return index->n_letters ? index->letter[index->n_letters - 1] : MW_NONE;
}

static void do_row(mw_pack *pack, const mw_pack_slab *slab, char *row, bool in)
{
    int inner = innermost(pack->columns);
    int64_t extent = inner == MW_NONE ? 1 : pack->extent[inner];
    for (int64_t done = 0; done < slab->n_columns;) {
        mw_pack_set(pack, pack->columns, slab->column + done);
        int64_t n = extent - value_of(pack, inner);
        if (n > slab->n_columns - done)
            n = slab->n_columns - done;
        run r = find_run(pack, inner, n);
        if (in)
            gather(pack->data, pack->item, &r, row + done * pack->item);
        else
            scatter(pack->data, pack->item, &r, row + done * pack->item);
        done += n;
    }
}

static void do_rows(mw_pack *pack, const mw_pack_slab *slab, char *packed,
                    bool in)
{
    for (int64_t i = 0; i < slab->n_rows; i++) {
        mw_pack_set(pack, pack->rows, slab->row + i);
        do_row(pack, slab, packed + i * slab->n_columns * pack->item, in);
    }
}

void mw_pack_in(mw_pack *pack, const mw_pack_slab *slab, void *dst)
{
    do_rows(pack, slab, dst, true);
}

void mw_pack_out(mw_pack *pack, const mw_pack_slab *slab, const void *src)
{
    do_rows(pack, slab, (char *)(uintptr_t)src, false);
}
