/* gather.c - rows of a table by index: one strided copy an index. A row that
 * the block lacks is 0; a negative index counts from the end of the whole. */
#include <string.h>

#include "ir/number.h"
#include "runtime/kernel.h"
#include "runtime/rows.h"
#include "runtime/strided.h"

enum { TABLE, INDEX };

/* What stays the same from one index to the next. */
typedef struct plan {
    const mw_kernel_call *call;
    int axis; /* of the table, looked up */
    int64_t item;
    int64_t row_stride; /* elements, along `axis` */
    mw_strided row;     /* of one index: table to output */
    int n;              /* axes of the indices */
    int64_t size[MW_MAX_RANK], out_stride[MW_MAX_RANK];
    int64_t table_stride[MW_MAX_RANK]; /* of axes that both have */
} plan;

static int looked_up(const mw_op *op)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        int letter = op->in[TABLE].letter[a];
        if (letter != MW_NONE && !mw_op_letter_in_output(op, letter))
            return a;
    }
    return MW_NONE;
}

static bool has_letter(const mw_operand *operand, int letter)
{
    for (int a = 0; a < MW_MAX_RANK; a++)
        if (letter != MW_NONE && operand->letter[a] == letter)
            return true;
    return false;
}

// Output axes that are the table's are copied at once; the indices' are walked.
static void make_plan(plan *p)
{
    const mw_op *op = p->call->op;
    const mw_view *table = &p->call->in[TABLE], *index = &p->call->in[INDEX];
    const mw_view *out = &p->call->out[0];
    int64_t size[MW_MAX_RANK], src[MW_MAX_RANK], dst[MW_MAX_RANK], step = 1;
    int n = 0;
    for (int a = out->rank - 1; a >= 0; a--) {
        int letter = op->out[0].letter[a];
        if (!has_letter(&op->in[INDEX], letter)) {
            int at = MW_MAX_RANK - 1 - n++;
            size[at] = out->size[a];
            src[at] = mw_letter_stride(&op->in[TABLE], table, letter);
            dst[at] = step;
        }
        step *= out->size[a];
    }
    int first = MW_MAX_RANK - n;
    mw_strided_make(&p->row, p->item, n, size + first, src + first,
                    dst + first);
    for (int a = 0; a < index->rank; a++) {
        p->size[a] = index->size[a];
        p->out_stride[a] =
            mw_letter_stride(&op->out[0], out, op->in[INDEX].letter[a]);
        p->table_stride[a] =
            mw_letter_stride(&op->in[TABLE], table, op->in[INDEX].letter[a]);
    }
    p->n = index->rank;
    p->row_stride = 1;
    for (int a = table->rank - 1; a > p->axis; a--)
        p->row_stride *= table->size[a];
}

// Sets the row to 0: a copy of one element that does not move.
static void clear_row(const plan *p, char *dst)
{
    static const char zero[8];
    mw_strided none = p->row;
    int64_t elements = none.run / p->item;
    memset(none.src, 0, sizeof none.src);
    none.size[none.n] = elements;
    none.src[none.n] = 0;
    none.dst[none.n] = p->item;
    none.run = p->item;
    none.n++;
    mw_strided_run(&none, zero, dst);
}

// Index k, of a table from `base` on.
static void run_index(const plan *p, int64_t k, int64_t base, char *dst)
{
    const mw_view *table = &p->call->in[TABLE], *index = &p->call->in[INDEX];
    mw_number number;
    mw_numbers_load(index->dtype, index->data, k, 1, 1, &number);
    bool is_signed = mw_dtype_class(index->dtype) == MW_CLASS_SIGNED;
    int64_t row = number.i;
    bool held = is_signed || number.u <= INT64_MAX;
    if (is_signed && row < 0)
        row += table->whole[p->axis];
    row -= table->start[p->axis];
    if (held && row >= 0 && row < table->size[p->axis])
        mw_strided_run(&p->row,
                       (const char *)table->data +
                           (base + row * p->row_stride) * p->item,
                       dst);
    else
        clear_row(p, dst);
}

static bool run(const mw_kernel_call *call)
{
    plan p = {.call = call,
              .axis = looked_up(call->op),
              .item = mw_dtype_bytes(call->in[TABLE].dtype)};
    if (p.axis == MW_NONE)
        return false;
    make_plan(&p);
    int64_t at[MW_MAX_RANK] = {0}, offset = 0, base = 0, n = 1;
    for (int a = 0; a < p.n; a++)
        n *= p.size[a];
    for (int64_t k = 0; k < n && !p.row.empty; k++) {
        run_index(&p, k, base, (char *)call->out[0].data + offset * p.item);
        for (int a = p.n - 1; a >= 0; a--) {
            offset += p.out_stride[a];
            base += p.table_stride[a];
            if (++at[a] < p.size[a])
                break;
            offset -= p.out_stride[a] * p.size[a];
            base -= p.table_stride[a] * p.size[a];
            at[a] = 0;
        }
    }
    return true;
}

static const mw_kernel_row rows[] = {
    {"gather", MW_I64, run},
    {"gather", MW_I32, run},
    {0},
};

const mw_kernel_def mw_kernel_gather = {
    .name = "gather",
    .brief = "table look-up by rows",
    .rows = rows,
};
