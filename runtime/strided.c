/* strided.c - nested loops over what is left after joining axes. */
#include "runtime/strided.h"

#include <string.h>

int64_t mw_box_elements(const mw_box *box)
{
    int64_t n = 1;
    for (int i = 0; i < box->rank; i++)
        n *= box->axis[i].size;
    return n;
}

mw_box mw_box_meet(const mw_box *a, const mw_box *b)
{
    mw_box both = {.rank = a->rank};
    for (int i = 0; i < a->rank; i++) {
        mw_block x = a->axis[i], y = b->axis[i];
        int64_t start = x.start > y.start ? x.start : y.start;
        int64_t x_end = x.start + x.size, y_end = y.start + y.size;
        int64_t end = x_end < y_end ? x_end : y_end;
        both.axis[i] = (mw_block){start, end > start ? end - start : 0};
    }
    return both;
}

void mw_strided_make(mw_strided *copy, int64_t item, int n,
                     const int64_t size[], const int64_t src[],
                     const int64_t dst[])
{
    *copy = (mw_strided){.run = item};
    int64_t run = 1;
    int m = 0;
    /* from the inside out: axis k of the copy lies inside axis k + 1 */
    for (int i = n - 1; i >= 0; i--) {
        copy->empty = copy->empty || size[i] == 0;
        if (size[i] == 1)
            continue;
        if (m == 0 && src[i] == run && dst[i] == run) {
            run *= size[i];
        } else if (m > 0 &&
                   src[i] * item == copy->src[m - 1] * copy->size[m - 1] &&
                   dst[i] * item == copy->dst[m - 1] * copy->size[m - 1]) {
            copy->size[m - 1] *= size[i];
        } else {
            copy->size[m] = size[i];
            copy->src[m] = src[i] * item;
            copy->dst[m++] = dst[i] * item;
        }
    }
    copy->n = m;
    copy->run = run * item;
    for (int i = 0; i < m / 2; i++) {
        int k = m - 1 - i;
        int64_t s = copy->size[i], a = copy->src[i], b = copy->dst[i];
        copy->size[i] = copy->size[k];
        copy->src[i] = copy->src[k];
        copy->dst[i] = copy->dst[k];
        copy->size[k] = s;
        copy->src[k] = a;
        copy->dst[k] = b;
    }
}

void mw_strided_box(mw_strided *copy, int64_t item, const mw_box *what,
                    const mw_box *src, const mw_box *dst)
{
    int64_t size[MW_MAX_RANK], from[MW_MAX_RANK], to[MW_MAX_RANK];
    int64_t src_step = 1, dst_step = 1, src_at = 0, dst_at = 0;
    for (int i = what->rank - 1; i >= 0; i--) {
        size[i] = what->axis[i].size;
        from[i] = src_step;
        to[i] = dst_step;
        src_at += (what->axis[i].start - src->axis[i].start) * src_step;
        dst_at += (what->axis[i].start - dst->axis[i].start) * dst_step;
        src_step *= src->axis[i].size;
        dst_step *= dst->axis[i].size;
    }
    mw_strided_make(copy, item, what->rank, size, from, to);
    copy->src_offset = copy->empty ? 0 : src_at * item;
    copy->dst_offset = copy->empty ? 0 : dst_at * item;
}

static bool dense(const mw_strided *copy, const int64_t stride[])
{
    int64_t run = copy->run;
    for (int i = copy->n - 1; i >= 0; i--) {
        if (stride[i] != run)
            return false;
        run *= copy->size[i];
    }
    return true;
}

bool mw_strided_src_dense(const mw_strided *copy)
{
    return dense(copy, copy->src);
}

bool mw_strided_dst_dense(const mw_strided *copy)
{
    return dense(copy, copy->dst);
}

int64_t mw_strided_bytes(const mw_strided *copy)
{
    int64_t bytes = copy->empty ? 0 : copy->run;
    for (int i = 0; i < copy->n; i++)
        bytes *= copy->size[i];
    return bytes;
}

mw_strided_cut mw_strided_cut_of(const mw_strided *copy, int64_t bytes)
{
    mw_strided_cut cut = {.axis = 0};
    int64_t inner = mw_strided_bytes(copy), outer = 1;
    if (inner == 0)
        return cut;
    /* the outermost axis of which one index is no longer than a block */
    for (; cut.axis < copy->n; cut.axis++) {
        inner /= copy->size[cut.axis];
        if (inner <= bytes)
            break;
        outer *= copy->size[cut.axis];
    }
    bool run = cut.axis == copy->n;
    int64_t size = run ? copy->run : copy->size[cut.axis];
    cut.step = run ? bytes : bytes / inner;
    cut.along = (size + cut.step - 1) / cut.step;
    cut.n_blocks = outer * cut.along;
    return cut;
}

mw_strided mw_strided_block(const mw_strided *copy, const mw_strided_cut *cut,
                            int64_t i)
{
    mw_strided block = *copy;
    int64_t first = i % cut->along * cut->step, left = i / cut->along;
    bool run = cut->axis == copy->n;
    int64_t size = run ? copy->run : copy->size[cut->axis];
    int64_t n = size - first < cut->step ? size - first : cut->step;
    for (int a = cut->axis - 1; a >= 0; a--) {
        block.src_offset += left % copy->size[a] * copy->src[a];
        block.dst_offset += left % copy->size[a] * copy->dst[a];
        left /= copy->size[a];
    }
    block.src_offset += first * (run ? 1 : copy->src[cut->axis]);
    block.dst_offset += first * (run ? 1 : copy->dst[cut->axis]);
    block.n = copy->n - cut->axis;
    for (int a = 0; a < block.n; a++) {
        block.size[a] = copy->size[cut->axis + a];
        block.src[a] = copy->src[cut->axis + a];
        block.dst[a] = copy->dst[cut->axis + a];
    }
    if (run)
        block.run = n;
    else
        block.size[0] = n;
    return block;
}

// Innermost axis by element size, so that the compiler sees the widths that
// matter.
static void run_inner(const mw_strided *c, const char *src, char *dst)
{
    int i = c->n - 1;
    int64_t n = c->size[i], from = c->src[i], to = c->dst[i];
    if (c->run == 4)
        for (int64_t k = 0; k < n; k++)
            memcpy(dst + k * to, src + k * from, 4);
    else if (c->run == 8)
        for (int64_t k = 0; k < n; k++)
            memcpy(dst + k * to, src + k * from, 8);
    else
        for (int64_t k = 0; k < n; k++)
            memcpy(dst + k * to, src + k * from, (size_t)c->run);
}

bool mw_strided_advance(const mw_strided *copy, mw_strided_walk *walk, int axis)
{
    for (; axis >= 0; axis--) {
        walk->src += copy->src[axis];
        walk->dst += copy->dst[axis];
        if (++walk->index[axis] < copy->size[axis])
            return true;
        walk->src -= copy->src[axis] * copy->size[axis];
        walk->dst -= copy->dst[axis] * copy->size[axis];
        walk->index[axis] = 0;
    }
    return false;
}

void mw_strided_run(const mw_strided *copy, const void *src, void *dst)
{
    if (copy->empty)
        return;
    const char *from = (const char *)src + copy->src_offset;
    char *to = (char *)dst + copy->dst_offset;
    if (copy->n == 0) {
        memmove(to, from, (size_t)copy->run);
        return;
    }
    mw_strided_walk w = {{0}, 0, 0};
    do
        run_inner(copy, from + w.src, to + w.dst);
    while (mw_strided_advance(copy, &w, copy->n - 2));
}

void mw_strided_combine(const mw_strided *copy, int64_t item,
                        mw_combine_fn *combine, const void *src, void *dst)
{
    if (copy->empty)
        return;
    const char *from = (const char *)src + copy->src_offset;
    char *to = (char *)dst + copy->dst_offset;
    mw_strided_walk w = {{0}, 0, 0};
    do
        combine(to + w.dst, from + w.src, copy->run / item);
    while (mw_strided_advance(copy, &w, copy->n - 1));
}
