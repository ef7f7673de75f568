/* gemm.c - sorts letters into groups and asks where each group is one stride.
 */
#include "ir/gemm.h"

#include <string.h>

// A slab of a packed matrix takes about this much, at least LEAST rows.
enum { SLAB_BYTES = 2 << 20, LEAST = 32, ALIGN = 64 };

enum { IN_A = 1, IN_B = 2, IN_C = 4 };

// An empty letter leaves strides as if it had one value.
static int64_t span_of(int64_t extent)
{
    return extent > 0 ? extent : 1;
}

static void strides(const mw_operand *operand, int rank,
                    const int64_t extent[MW_MAX_LETTERS],
                    mw_gemm_matrix *matrix)
{
    int64_t stride = 1;
    for (int a = rank - 1; a >= 0; a--) {
        int letter = operand->letter[a];
        if (letter == MW_NONE)
            continue;
        matrix->stride[letter] = operand->window & 1u << a ? 0 : stride;
        stride *= span_of(extent[letter]);
    }
}

// Axes of an operand: letters stand at its front, without gaps in named ops.
static int rank_of(const mw_operand *operand)
{
    int rank = MW_MAX_RANK;
    while (rank > 0 && operand->letter[rank - 1] == MW_NONE)
        rank--;
    return rank;
}

static int where(const mw_operand *operand, int letter, int bit)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        if (operand->letter[a] == letter)
            return bit;
    }
    return 0;
}

static void add(mw_gemm_index *index, int letter, int64_t extent)
{
    if (extent == 1)
        return;
    index->letter[index->n_letters++] = (int8_t)letter;
    index->extent *= extent;
}

// The one stride of a merged index in a matrix; 0 when there is none. An index
// of extent 1 has whatever stride is asked for.
static int64_t merged(const mw_gemm_index *index, const mw_gemm_matrix *matrix,
                      const int64_t extent[MW_MAX_LETTERS], int64_t otherwise)
{
    if (index->n_letters == 0)
        return otherwise;
    for (int i = 0; i + 1 < index->n_letters; i++) {
        int outer = index->letter[i], inner = index->letter[i + 1];
        if (matrix->stride[outer] !=
            matrix->stride[inner] * span_of(extent[inner]))
            return 0;
    }
    return matrix->stride[index->letter[index->n_letters - 1]];
}

// Rows x columns as they lie: one of both strides is 1, the other is ld.
static void lay(mw_gemm_matrix *matrix, const mw_gemm_index *rows,
                const mw_gemm_index *columns,
                const int64_t extent[MW_MAX_LETTERS], bool may_transpose)
{
    if (matrix->packed)
        return;
    int64_t row = merged(rows, matrix, extent, columns->extent);
    int64_t column = merged(columns, matrix, extent, 1);
    matrix->packed = true;
    if (row == 0 || column == 0)
        return;
    if (column == 1 && row >= columns->extent) {
        matrix->packed = false;
        matrix->ld = row;
        return;
    }
    row = merged(rows, matrix, extent, 1);
    column = merged(columns, matrix, extent, rows->extent);
    if (may_transpose && row == 1 && column >= rows->extent) {
        matrix->packed = false;
        matrix->transposed = true;
        matrix->ld = column;
    }
}

// The letters of the groups, m and n in C's order, k in that of `k_order`.
static bool sort_letters(const mw_op *op, const int8_t place[MW_MAX_LETTERS],
                         const int64_t extent[MW_MAX_LETTERS],
                         const mw_operand *k_order, mw_gemm *gemm)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        int letter = op->out[0].letter[a];
        if (letter == MW_NONE)
            continue;
        if (place[letter] == (IN_A | IN_B | IN_C))
            add(&gemm->batch, letter, extent[letter]);
        else if (place[letter] == (IN_A | IN_C))
            add(&gemm->m, letter, extent[letter]);
        else if (place[letter] == (IN_B | IN_C))
            add(&gemm->n, letter, extent[letter]);
        else if (op->letter[letter].size != 1)
            return false;
    }
    for (int a = 0; a < MW_MAX_RANK; a++) {
        int letter = k_order->letter[a];
        if (letter != MW_NONE && place[letter] == (IN_A | IN_B))
            add(&gemm->k, letter, extent[letter]);
    }
    for (int l = 0; l < op->n_letters; l++) {
        if (op->letter[l].size != 1 && (place[l] == IN_A || place[l] == IN_B))
            return false;
    }
    return true;
}

// The operand whose rows or columns C has contiguous is B, so that C is
// row-major.
static bool second_is_a(const mw_op *op)
{
    for (int a = MW_MAX_RANK - 1; a >= 0; a--) {
        int letter = op->out[0].letter[a];
        if (letter == MW_NONE || op->letter[letter].size == 1)
            continue;
        return !where(&op->in[1], letter, 1);
    }
    return false;
}

static int64_t slab_of(int64_t n, int64_t row_bytes)
{
    int64_t rows = row_bytes > 0 ? SLAB_BYTES / row_bytes : n;
    if (rows < LEAST)
        rows = LEAST;
    return rows < n ? rows : n;
}

// Room for slabs of whole rows, of which there are n. It grows with both, so
// that what the largest rank needs is enough for the others.
static void reserve(mw_gemm *gemm, mw_gemm_matrix *matrix, int64_t n,
                    int64_t row_bytes)
{
    if (!matrix->packed)
        return;
    int64_t room =
        LEAST * row_bytes > SLAB_BYTES ? LEAST * row_bytes : SLAB_BYTES;
    if (n * row_bytes < room)
        room = n * row_bytes;
    matrix->offset = gemm->workspace_bytes;
    matrix->bytes = (room + ALIGN - 1) / ALIGN * ALIGN;
    gemm->workspace_bytes += matrix->bytes;
}

static void take_slabs(mw_gemm *gemm, int64_t element)
{
    int64_t m = gemm->m.extent, n = gemm->n.extent, k = gemm->k.extent;
    gemm->slab_n = gemm->b.packed ? slab_of(n, k * element) : n;
    gemm->slab_m = gemm->a.packed ? slab_of(m, k * element) : m;
    if (gemm->c.packed) {
        // so that LEAST rows fit
        int64_t columns = slab_of(n, LEAST * element);
        if (columns < gemm->slab_n)
            gemm->slab_n = columns;
        int64_t rows = slab_of(m, gemm->slab_n * element);
        if (rows < gemm->slab_m)
            gemm->slab_m = rows;
        gemm->c.ld = gemm->slab_n;
    }
    if (gemm->a.packed)
        gemm->a.ld = k;
    if (gemm->b.packed)
        gemm->b.ld = gemm->slab_n;
    reserve(gemm, &gemm->a, m, k * element);
    reserve(gemm, &gemm->b, n, k * element);
    reserve(gemm, &gemm->c, m * n, element);
}

// Values of an index's letters from C's axis `first` on, by whole sizes, so
// that all ranks agree; as a double, as it is only compared.
static double inner_values(const mw_op *op, const int8_t place[MW_MAX_LETTERS],
                           int bits, int first)
{
    double total = 1;
    for (int a = first; a < MW_MAX_RANK; a++) {
        int letter = op->out[0].letter[a];
        if (letter != MW_NONE && place[letter] == bits)
            total *= (double)op->letter[letter].size;
    }
    return total;
}

// Where m (or n) is no single stride in C or in its operand (NULL: that is
// packed anyway), its outermost letters are gone through one by one instead, as
// long as the products stay large enough for BLAS.
static void loop_over_outer(const mw_op *op, const int8_t *place, int bits,
                            const mw_gemm_matrix *operand,
                            const int64_t extent[MW_MAX_LETTERS],
                            mw_gemm_index *index, mw_gemm *gemm)
{
    mw_gemm_index inner = *index, batch = gemm->batch;
    while (inner.n_letters > 1 &&
           (merged(&inner, &gemm->c, extent, 1) == 0 ||
            (operand && merged(&inner, operand, extent, 1) == 0))) {
        int letter = inner.letter[0];
        int axis = mw_operand_axis(&op->out[0], letter);
        if (inner_values(op, place, bits, axis + 1) < LEAST)
            return;
        add(&batch, letter, extent[letter]);
        mw_gemm_index rest = {.extent = 1};
        for (int i = 1; i < inner.n_letters; i++)
            add(&rest, inner.letter[i], extent[inner.letter[i]]);
        inner = rest;
    }
    *index = inner;
    gemm->batch = batch;
}

// Where each letter occurs. A conv's taps are read from x too.
static void find_places(const mw_op *op, int a, int8_t place[MW_MAX_LETTERS])
{
    bool windows = op->in[0].window != 0;
    int x_bit = a == 0 ? IN_A : IN_B;
    for (int l = 0; l < op->n_letters; l++) {
        int bits = where(&op->in[a], l, IN_A) | where(&op->in[1 - a], l, IN_B) |
                   where(&op->out[0], l, IN_C);
        bool lone_tap =
            windows && where(&op->in[1], l, 1) && !where(&op->out[0], l, 1);
        place[l] = (int8_t)(bits | (lone_tap ? x_bit : 0));
    }
}

// Elements of an operand, as a double: only compared.
static double whole(const mw_op *op, int operand)
{
    double total = 1;
    for (int l = 0; l < op->n_letters; l++)
        total *= where(&op->in[operand], l, 1) ? (double)op->letter[l].size : 1;
    return total;
}

// BLAS counts in 32 bits. Sizes, not extents: all ranks agree.
static bool within_blas(const mw_op *op, const mw_gemm_index *index)
{
    double total = 1;
    for (int i = 0; i < index->n_letters; i++)
        total *= (double)op->letter[index->letter[i]].size;
    return total <= INT32_MAX;
}

void mw_gemm_analyse(const mw_op *op, mw_dtype dtype,
                     const int64_t extent[MW_MAX_LETTERS], mw_gemm *gemm)
{
    memset(gemm, 0, sizeof *gemm);
    gemm->batch.extent = gemm->m.extent = gemm->n.extent = gemm->k.extent = 1;
    gemm->c.operand = MW_NONE;
    if (op->n_in != 2 || (dtype != MW_F32 && dtype != MW_F64))
        return;
    bool windows = op->in[0].window != 0;
    int a = second_is_a(op);
    gemm->a.operand = a;
    gemm->b.operand = 1 - a;
    strides(&op->in[a], rank_of(&op->in[a]), extent, &gemm->a);
    strides(&op->in[1 - a], rank_of(&op->in[1 - a]), extent, &gemm->b);
    strides(&op->out[0], rank_of(&op->out[0]), extent, &gemm->c);
    int8_t place[MW_MAX_LETTERS];
    find_places(op, a, place);
    // k as it lies in the larger operand, or in w, as x is packed anyway
    bool first = !windows && whole(op, 0) >= whole(op, 1);
    const mw_operand *k_order = &op->in[first ? 0 : 1];
    if (!sort_letters(op, place, extent, k_order, gemm))
        return;
    bool a_windows = windows && a == 0, b_windows = windows && a == 1;
    loop_over_outer(op, place, IN_A | IN_C, a_windows ? NULL : &gemm->a, extent,
                    &gemm->m, gemm);
    loop_over_outer(op, place, IN_B | IN_C, b_windows ? NULL : &gemm->b, extent,
                    &gemm->n, gemm);
    if (!within_blas(op, &gemm->m) || !within_blas(op, &gemm->n) ||
        !within_blas(op, &gemm->k))
        return;
    gemm->fits = true;
    gemm->a.packed = a_windows;
    gemm->b.packed = b_windows;
    lay(&gemm->a, &gemm->m, &gemm->k, extent, true);
    lay(&gemm->b, &gemm->k, &gemm->n, extent, true);
    lay(&gemm->c, &gemm->m, &gemm->n, extent, false);
    take_slabs(gemm, mw_dtype_bytes(dtype));
}

int64_t mw_gemm_offset(const mw_gemm_index *index, const mw_gemm_matrix *matrix,
                       const int64_t extent[MW_MAX_LETTERS], int64_t i)
{
    int64_t at = 0;
    for (int k = index->n_letters - 1; k >= 0; k--) {
        int letter = index->letter[k];
        at += i % extent[letter] * matrix->stride[letter];
        i /= extent[letter];
    }
    return at;
}

int64_t mw_gemm_workspace(const mw_graph *graph, const mw_op *op,
                          const int64_t extent[MW_MAX_LETTERS])
{
    mw_gemm gemm;
    mw_gemm_analyse(op, graph->tensor[op->out[0].tensor].dtype, extent, &gemm);
    return gemm.workspace_bytes;
}
