/* attention.c - scores of a block of rows, what becomes of them row by row, and
 * the values weighed by that: two products on BLAS, with what lies between in
 * the second cache. */
#include "ir/attention.h"

#include "runtime/gemm_run.h"
#include "runtime/kernel.h"
#include "runtime/key_rows.h"
#include "runtime/parallel.h"

typedef struct program {
    const mw_kernel_call *call;
    mw_attention a;
    int64_t extent[MW_BODY_DIMS];
    mw_attention_product first, last;
    mw_key_program keys;
    int64_t lanes, points, rows; /* points of the outer dims; rows of a block */
    int64_t block_bytes, lane_bytes;
} program;

/* What a thread has. */
typedef struct lane {
    const program *p;
    mw_key_state keys;
    char *scores, *weights; /* blocks */
    int64_t at[MW_BODY_DIMS];
} lane;

/* ---- where things lie --------------------------------------------------- */

static int input_of(const program *p, mw_id tensor)
{
    return p->keys.value[tensor].input;
}

// Elements from the start of a tensor's block to the point.
static int64_t offset_of(const lane *l, mw_id tensor)
{
    const program *p = l->p;
    const mw_tensor *t = &p->a.body->tensor[tensor];
    int64_t offset = 0, stride = 1;
    for (int i = t->rank - 1; i >= 0; i--) {
        mw_id dim = t->axis[i].dim;
        offset += mw_attention_is_outer(&p->a, dim) ? l->at[dim] * stride : 0;
        stride *= p->extent[dim];
    }
    return offset;
}

static char *start_of(const lane *l, mw_id tensor)
{
    const program *p = l->p;
    if (tensor == p->a.scores)
        return l->scores;
    if (tensor == p->keys.weights)
        return l->weights;
    int input = input_of(p, tensor);
    char *data =
        input == MW_NONE ? p->call->out[0].data : p->call->in[input].data;
    return data + offset_of(l, tensor) * p->keys.value[tensor].item;
}

static void go_to(lane *l, int64_t point)
{
    const program *p = l->p;
    const mw_graph *body = p->a.body;
    const mw_tensor *scores = &body->tensor[p->a.scores];
    for (int i = scores->rank - 1; i >= 0; i--) {
        mw_id dim = scores->axis[i].dim;
        if (!mw_attention_is_outer(&p->a, dim))
            continue;
        l->at[dim] = point % p->extent[dim];
        point /= p->extent[dim];
    }
    for (mw_id t = 0; t < body->n_tensors; t++)
        if (input_of(p, t) != MW_NONE)
            l->keys.at[input_of(p, t)] = offset_of(l, t);
}

/* ---- products ----------------------------------------------------------- */

/* Part of a dim of a product: where it begins, and how much. */
typedef struct part {
    int64_t from, n;
} part;

// A block of the matrix, rows x columns; blocks of scores begin with theirs.
static mw_blas_matrix matrix_of(const lane *l, const mw_attention_matrix *x,
                                part rows, part columns)
{
    int64_t at = rows.from * x->row + columns.from * x->column;
    int64_t item = l->p->keys.value[x->tensor].item;
    bool transposed = x->column != 1 && columns.n != 1;
    int64_t ld = transposed ? x->column : x->row;
    int64_t least = transposed ? rows.n : columns.n;
    return (mw_blas_matrix){start_of(l, x->tensor) + at * item, transposed,
                            ld > least ? ld : least};
}

// Rows from `row` on: those of the space's row that a block has.
static void multiply(const lane *l, const mw_attention_product *product,
                     part rows, part keys)
{
    bool first = product == &l->p->first, m_is_row = product->m_is_row;
    part all = {0, first ? product->k : m_is_row ? product->n : product->m};
    part own = {0, rows.n}; // of a block
    mw_blas_matrix a, b, c;
    int64_t size[3] = {rows.n, first ? keys.n : all.n, first ? all.n : keys.n};
    if (m_is_row) {
        a = matrix_of(l, &product->a, first ? rows : own, first ? all : keys);
        b = matrix_of(l, &product->b, first ? all : keys, first ? keys : all);
        c = matrix_of(l, &product->c, first ? own : rows, first ? keys : all);
    } else {
        a = matrix_of(l, &product->a, first ? keys : all, first ? all : keys);
        b = matrix_of(l, &product->b, first ? all : keys, first ? rows : own);
        c = matrix_of(l, &product->c, first ? keys : all, first ? own : rows);
        size[0] = first ? keys.n : all.n;
        size[1] = rows.n;
    }
    mw_blas_multiply(l->p->keys.value[product->c.tensor].item, &a, &b, &c, size,
                     false, 1);
}

/* ---- blocks ------------------------------------------------------------- */

static bool weigh(lane *l, part rows, mw_span keys)
{
    const program *p = l->p;
    int64_t n = p->extent[p->a.key];
    int64_t score = n * p->keys.value[p->a.scores].item;
    int64_t weight = n * p->keys.value[p->keys.weights].item;
    for (int64_t r = 0; r < rows.n; r++)
        if (!mw_key_rows_run(&l->keys, rows.from + r, keys,
                             l->scores + r * score, l->weights + r * weight))
            return false;
    return true;
}

// Of keys that are left out one on either side is looked at.
static bool run_chosen(lane *l, part rows, mw_span chosen)
{
    const program *p = l->p;
    int64_t n = p->extent[p->a.key];
    mw_span seen = {chosen.lo > 0 ? chosen.lo - 1 : 0,
                    chosen.hi < n ? chosen.hi + 1 : n};
    part keys = {chosen.lo, chosen.hi - chosen.lo};
    if (seen.hi - seen.lo == n || !p->keys.uniform)
        return false;
    multiply(l, &p->first, rows, keys);
    if (!weigh(l, rows, seen))
        return false;
    multiply(l, &p->last, rows, keys);
    return true;
}

static void run_block(lane *l, part rows)
{
    const program *p = l->p;
    part all = {0, p->extent[p->a.key]};
    if (run_chosen(l, rows, mw_key_rows_chosen(&l->keys, rows.from, rows.n)))
        return;
    multiply(l, &p->first, rows, all);
    (void)weigh(l, rows, (mw_span){0, all.n});
    multiply(l, &p->last, rows, all);
}

static void run_lane(const program *p, int64_t number)
{
    lane l = {.p = p, .at = {0}};
    l.scores = (char *)p->call->workspace + number * p->lane_bytes;
    l.weights = l.scores + (p->keys.shares ? 0 : p->block_bytes);
    mw_key_rows_start(&l.keys, &p->keys, l.scores + 2 * p->block_bytes);
    int64_t all = p->a.row == MW_NONE ? 1 : p->extent[p->a.row];
    int64_t from = p->points * number / p->lanes;
    int64_t to = p->points * (number + 1) / p->lanes;
    for (int64_t point = from; point < to; point++) {
        go_to(&l, point);
        for (int64_t r = 0; r < all; r += p->rows) {
            int64_t n = all - r < p->rows ? all - r : p->rows;
            run_block(&l, (part){r, n});
        }
    }
}

static void run_lanes(void *arg, int64_t lo, int64_t hi)
{
    for (int64_t i = lo; i < hi; i++)
        run_lane(arg, i);
}

/* ---- the call ----------------------------------------------------------- */

static bool is_float(const mw_graph *body, mw_id tensor)
{
    mw_dtype dtype = body->tensor[tensor].dtype;
    return dtype == MW_F32 || dtype == MW_F64;
}

// Elements of the result, and points of the outer dims.
static bool count(program *p)
{
    const mw_tensor *scores = &p->a.body->tensor[p->a.scores];
    p->points = 1;
    for (int i = 0; i < scores->rank; i++)
        if (mw_attention_is_outer(&p->a, scores->axis[i].dim))
            p->points *= p->extent[scores->axis[i].dim];
    p->lanes = mw_attention_lanes(&p->a, p->extent);
    p->rows = mw_attention_rows(&p->a, p->extent);
    p->block_bytes = mw_attention_block_bytes(&p->a, p->extent);
    p->lane_bytes = mw_attention_lane_bytes(&p->a, p->extent);
    return p->first.k > 0 && p->extent[p->a.key] > 0;
}

static bool run(const mw_kernel_call *call)
{
    program p = {.call = call};
    const mw_graph *body = mw_attention_body(call->op);
    if (mw_attention_find(body, &p.a))
        return false;
    mw_attention_extents(&p.a, call->op, call->in, call->out, p.extent);
    if (!is_float(body, p.a.scores) || !is_float(body, p.a.result) ||
        !mw_attention_product_of(&p.a, &body->op[0], p.extent, &p.first) ||
        !mw_attention_product_of(&p.a, &body->op[body->n_ops - 1], p.extent,
                                 &p.last) ||
        !count(&p) || p.lanes * p.lane_bytes > call->workspace_bytes)
        return false;
    mw_key_program_make(&p.keys, call, &p.a, p.extent);
    mw_blas_threads(1);
    mw_parallel(call->threads, p.lanes, run_lanes, &p);
    return true;
}

static const mw_kernel_row rows[] = {{"attention", MW_KERNEL_ANY, run}, {0}};

const mw_kernel_def mw_kernel_attention = {
    .name = "attention",
    .brief = "scores and what becomes of them, a block of rows at a time",
    .rows = rows,
};
