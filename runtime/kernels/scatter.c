/* scatter.c - sums of rows by index: a strided addition an index. Rows that
 * another rank holds are left out. */
#include <string.h>

#include "ir/lookup.h"
#include "ir/loop.h"
#include "runtime/combine.h"
#include "runtime/kernel.h"
#include "runtime/rows.h"
#include "runtime/strided.h"

enum { UPDATES, INDEX };

/* What stays the same from one index to the next; strides in elements. */
typedef struct plan {
    const mw_kernel_call *call;
    mw_combine_fn *add;
    mw_lookup_block rows;
    int64_t item;
    mw_strided row; /* of one index: updates to output */
    int n;          /* axes of the indices */
    int64_t size[MW_MAX_RANK], from[MW_MAX_RANK], to[MW_MAX_RANK];
} plan;

static bool has_letter(const mw_operand *operand, int letter)
{
    for (int a = 0; a < MW_MAX_RANK; a++)
        if (letter != MW_NONE && operand->letter[a] == letter)
            return true;
    return false;
}

// Axes of the updates that the indices lack are added at once.
static void make_plan(plan *p)
{
    const mw_op *op = p->call->op;
    const mw_view *updates = &p->call->in[UPDATES], *out = &p->call->out[0];
    const mw_view *index = &p->call->in[INDEX];
    int64_t size[MW_MAX_RANK], src[MW_MAX_RANK], dst[MW_MAX_RANK];
    int n = 0;
    for (int a = 0; a < updates->rank; a++) {
        int letter = op->in[UPDATES].letter[a];
        if (has_letter(&op->in[INDEX], letter))
            continue;
        size[n] = updates->size[a];
        src[n] = mw_view_stride(updates, a);
        dst[n++] = mw_letter_stride(&op->out[0], out, letter);
    }
    mw_strided_make(&p->row, p->item, n, size, src, dst);
    p->n = index->rank;
    for (int a = 0; a < index->rank; a++) {
        int letter = op->in[INDEX].letter[a];
        p->size[a] = index->size[a];
        p->from[a] = mw_letter_stride(&op->in[UPDATES], updates, letter);
        p->to[a] = mw_letter_stride(&op->out[0], out, letter);
    }
}

static void add_row(const plan *p, int64_t k, int64_t from, int64_t to)
{
    const mw_view *index = &p->call->in[INDEX];
    mw_number number;
    mw_numbers_load(index->dtype, index->data, k, 1, 1, &number);
    int64_t row = mw_lookup_offset(&p->rows, index->dtype, number);
    if (row < 0)
        return;
    mw_strided_combine(&p->row, p->item, p->add,
                       (const char *)p->call->in[UPDATES].data + from * p->item,
                       (char *)p->call->out[0].data + (to + row) * p->item);
}

static bool run(const mw_kernel_call *call)
{
    mw_view *out = &call->out[0];
    int axis = mw_lookup_odd_axis(&call->op->out[0], &call->op->in[UPDATES]);
    plan p = {.call = call,
              .add = mw_combine_find(out->dtype, MW_REDUCE_SUM),
              .rows = mw_lookup_block_of(out, axis),
              .item = mw_dtype_bytes(out->dtype)};
    if (!p.add)
        return false;
    make_plan(&p);
    if (mw_view_elements(out) > 0)
        memset(out->data, 0, (size_t)(mw_view_elements(out) * p.item));
    int64_t at[MW_MAX_RANK] = {0}, from = 0, to = 0, n = 1;
    for (int a = 0; a < p.n; a++)
        n *= p.size[a];
    for (int64_t k = 0; k < n && !p.row.empty; k++) {
        add_row(&p, k, from, to);
        for (int a = p.n - 1; a >= 0; a--) {
            from += p.from[a];
            to += p.to[a];
            if (++at[a] < p.size[a])
                break;
            from -= p.from[a] * p.size[a];
            to -= p.to[a] * p.size[a];
            at[a] = 0;
        }
    }
    return true;
}

static const mw_kernel_row rows[] = {
    {"scatter_add", MW_I64, run},
    {"scatter_add", MW_I32, run},
    {0},
};

const mw_kernel_def mw_kernel_scatter = {
    .name = "scatter",
    .brief = "sums of rows by index",
    .rows = rows,
};
