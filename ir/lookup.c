/* lookup.c - letters, dims and offsets of rows found by index. */
#include "ir/lookup.h"

#include <inttypes.h>
#include <stdio.h>

#include "ir/loop.h"
#include "ir/rule.h"

enum { RUN = 256 };

mw_status mw_lookup_dtype(const mw_graph *graph, const mw_op *op, int i)
{
    mw_dtype dtype = mw_op_in(graph, op, i)->dtype;
    if (mw_dtype_is_float(dtype) || dtype == MW_BOOL)
        return mw_op_fail(graph, op, "indices are %s, wanted integers",
                          mw_dtype_name(dtype));
    return MW_OK;
}

static int64_t size_of(const mw_op *op, int8_t letter)
{
    return letter == MW_NONE ? 1 : op->letter[letter].size;
}

static mw_status own_letter(const mw_graph *graph, mw_op *op, int i, int axis)
{
    int64_t size = mw_op_in(graph, op, i)->axis[axis].size;
    if (size == 1)
        return MW_OK;
    return mw_letter_add(graph, op, (mw_letter){.dim = MW_NONE, .size = size},
                         &op->in[i].letter[axis]);
}

// The other axes of the indices are the table's.
static mw_status place_along(mw_graph *graph, mw_op *op, int i,
                             const int8_t table[], int rank, int axis,
                             mw_lookup_rows *rows)
{
    const mw_tensor *index = mw_op_in(graph, op, i);
    if (index->rank != rank)
        return mw_op_fail(graph, op, "indices have %d axes, wanted %d",
                          index->rank, rank);
    for (int a = 0; a < rank; a++) {
        if (a == axis)
            MW_TRY(own_letter(graph, op, i, a));
        else if (index->axis[a].size != size_of(op, table[a]))
            return mw_op_fail(graph, op,
                              "axis %d of the indices is %lld, wanted %lld", a,
                              (long long)index->axis[a].size,
                              (long long)size_of(op, table[a]));
        else
            op->in[i].letter[a] = table[a];
        rows->letter[rows->rank++] = op->in[i].letter[a];
    }
    return MW_OK;
}

mw_status mw_lookup_place(mw_graph *graph, mw_op *op, int i,
                          const int8_t table[], int rank, int axis,
                          mw_lookup_rows *rows)
{
    const mw_tensor *index = mw_op_in(graph, op, i);
    rows->rank = 0;
    if (mw_op_attr_int(op, "along", 0) != 0)
        return place_along(graph, op, i, table, rank, axis, rows);
    for (int b = 0; b < index->rank; b++)
        MW_TRY(own_letter(graph, op, i, b));
    for (int a = 0; a < rank; a++) {
        if (a != axis)
            rows->letter[rows->rank++] = table[a];
        for (int b = 0; a == axis && b < index->rank; b++)
            rows->letter[rows->rank++] = op->in[i].letter[b];
    }
    return MW_OK;
}

mw_status mw_lookup_updates(const mw_graph *graph, mw_op *op, int i,
                            const mw_lookup_rows *rows)
{
    const mw_tensor *updates = mw_op_in(graph, op, i);
    if (updates->rank != rows->rank)
        return mw_op_fail(graph, op, "updates have %d axes, wanted %d",
                          updates->rank, rows->rank);
    for (int a = 0; a < rows->rank; a++) {
        int64_t wanted = size_of(op, rows->letter[a]);
        if (updates->axis[a].size != wanted)
            return mw_op_fail(
                graph, op, "axis %d of the updates is %lld, wanted %lld", a,
                (long long)updates->axis[a].size, (long long)wanted);
        op->in[i].letter[a] = rows->letter[a];
    }
    return MW_OK;
}

mw_status mw_lookup_axis(const mw_graph *graph, const mw_op *op,
                         const mw_tensor *table, int *axis)
{
    mw_id dim = (mw_id)mw_op_attr_int(op, "dim", MW_NONE);
    *axis = MW_NONE;
    if (dim == MW_NONE)
        return MW_OK;
    *axis = mw_tensor_axis(table, dim);
    if (*axis == MW_NONE)
        return mw_op_fail(graph, op, "'%s' has no dim '%s'", table->name,
                          graph->dim[dim].name);
    return MW_OK;
}

mw_status mw_lookup_lower(const mw_graph *named, const mw_op *op,
                          const mw_lowering *lowering, mw_id placed_table,
                          mw_id named_table, int axis, mw_op_spec *spec)
{
    mw_lowered_axis flat =
        mw_lower_axis(named, lowering, placed_table, named_table, axis);
    if (flat.count == 0)
        return mw_lower_attrs(lowering, spec, NULL, 0);
    if (flat.count > 1)
        return mw_op_fail(named, op, "axis %d of the table is several dims",
                          axis);
    int64_t dim = flat.dim;
    const mw_attr attr = mw_attr_of_int("dim", MW_ATTR_DIM, &dim);
    return mw_lower_attrs(lowering, spec, &attr, 1);
}

static bool has_letter(const mw_operand *operand, int letter)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        if (operand->letter[a] == letter)
            return true;
    }
    return false;
}

int mw_lookup_odd_axis(const mw_operand *of, const mw_operand *among)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        if (of->letter[a] != MW_NONE && !has_letter(among, of->letter[a]))
            return a;
    }
    return MW_NONE;
}

mw_lookup_block mw_lookup_block_of(const mw_view *table, int axis)
{
    if (axis == MW_NONE)
        return (mw_lookup_block){.whole = 1, .size = 1};
    return (mw_lookup_block){.whole = table->whole[axis],
                             .start = table->start[axis],
                             .size = table->size[axis],
                             .stride = mw_view_stride(table, axis)};
}

int64_t mw_lookup_offset(const mw_lookup_block *block, mw_dtype dtype,
                         mw_number index)
{
    bool is_signed = mw_dtype_class(dtype) == MW_CLASS_SIGNED;
    if (!is_signed && index.u > INT64_MAX)
        return -1;
    int64_t wanted = index.i < 0 ? index.i + block->whole : index.i;
    if (wanted < block->start || wanted - block->start >= block->size)
        return -1;
    return (wanted - block->start) * block->stride;
}

double mw_lookup_elements(const mw_op *op, int i,
                          const int64_t extent[MW_MAX_LETTERS])
{
    double n = 1;
    for (int a = 0; a < MW_MAX_RANK; a++) {
        if (op->in[i].letter[a] != MW_NONE)
            n *= (double)extent[op->in[i].letter[a]];
    }
    return n;
}

bool mw_lookup_refuses(const mw_view *indices, int64_t rows,
                       char text[MW_REFUSAL_MAX])
{
    bool is_signed = mw_dtype_class(indices->dtype) == MW_CLASS_SIGNED;
    int64_t n = mw_view_elements(indices);
    mw_number some[RUN];
    for (int64_t k = 0; k < n; k += RUN) {
        int64_t count = n - k < RUN ? n - k : RUN;
        mw_numbers_load(indices->dtype, indices->data, k, 1, count, some);
        for (int64_t i = 0; i < count; i++) {
            bool low = is_signed && some[i].i < -rows;
            bool high =
                is_signed ? some[i].i >= rows : some[i].u >= (uint64_t)rows;
            if (!low && !high)
                continue;
            (void)snprintf(text, MW_REFUSAL_MAX,
                           "index %" PRId64 " where the table has %" PRId64
                           " rows",
                           some[i].i, rows);
            return true;
        }
    }
    return false;
}

typedef struct walk {
    const mw_lookup_scatter *scatter;
    const mw_view *updates, *index, *table;
    mw_lookup_block rows;
    mw_loop loop;
} walk;

// Element j of the loop's row.
static void scatter_one(const walk *w, int64_t j)
{
    mw_number index, x, y;
    int64_t at[3];
    for (int v = 0; v < 3; v++)
        at[v] = w->loop.at[v] + j * mw_loop_row_stride(&w->loop, v);
    mw_numbers_load(w->index->dtype, w->index->data, at[1], 1, 1, &index);
    int64_t row = mw_lookup_offset(&w->rows, w->index->dtype, index);
    if (row < 0)
        return;
    mw_dtype dtype = w->table->dtype;
    mw_numbers_load(dtype, w->updates->data, at[0], 1, 1, &x);
    if (w->scatter->reduce != MW_REDUCE_NONE) {
        mw_numbers_load(dtype, w->table->data, at[2] + row, 1, 1, &y);
        x = mw_reduce_pair(w->scatter->reduce, dtype, y, x);
    }
    mw_numbers_store(dtype, w->table->data, at[2] + row, 1, 1, &x);
}

void mw_lookup_scatter_run(const mw_lookup_scatter *scatter, const mw_view in[],
                           mw_view *table)
{
    const mw_op *op = scatter->op;
    const mw_operand *updates = &op->in[scatter->updates];
    int64_t extent[MW_MAX_LETTERS];
    walk w = {.scatter = scatter,
              .updates = &in[scatter->updates],
              .index = &in[scatter->index],
              .table = table,
              .rows = mw_lookup_block_of(
                  table, mw_lookup_odd_axis(&op->out[0], updates))};
    mw_block_extents(op, in, table, extent);
    mw_loop_operand(&w.loop, updates, extent);
    mw_loop_view(&w.loop, updates, w.updates);
    mw_loop_view(&w.loop, &op->in[scatter->index], w.index);
    mw_loop_view(&w.loop, &op->out[0], table);
    for (bool more = mw_loop_start(&w.loop, NULL); more;
         more = mw_loop_next(&w.loop)) {
        for (int64_t j = 0; j < mw_loop_row(&w.loop); j++)
            scatter_one(&w, j);
    }
}
