/* gemm.c - contractions and convolutions on BLAS: a batch of matrix products
 * over the operands as they lie, or slab by slab over packed copies of them in
 * the plan's workspace. */
#include <cblas.h>
#include <string.h>

#include "runtime/gemm_pack.h"
#include "runtime/gemm_run.h"
#include "runtime/kernel.h"
#include "runtime/parallel.h"
#include "runtime/sgemm.h"

/* Multiply-adds from which a second thread pays. */
enum { BESIDE_MIN = 1 << 20 };

/* A contraction on its way. */
typedef struct product {
    const mw_kernel_call *call;
    int threads; /* of each product */
    mw_gemm gemm;
    int64_t extent[MW_MAX_LETTERS];
    int64_t item;
    mw_pack a, b, c;
} product;

// The extents of an op's letters in these blocks: of an axis that has the
// letter and is no window.
static void find_extents(product *p)
{
    const mw_op *op = p->call->op;
    for (int i = 0; i < op->n_letters; i++)
        p->extent[i] = 1;
    for (int i = 0; i < op->n_in; i++)
        for (int a = 0; a < p->call->in[i].rank; a++)
            if (op->in[i].letter[a] != MW_NONE && !(op->in[i].window >> a & 1U))
                p->extent[op->in[i].letter[a]] = p->call->in[i].size[a];
    for (int a = 0; a < p->call->out[0].rank; a++)
        if (op->out[0].letter[a] != MW_NONE)
            p->extent[op->out[0].letter[a]] = p->call->out[0].size[a];
}

static mw_pack pack_of(const product *p, const mw_gemm_matrix *matrix,
                       void *data, const mw_gemm_index *rows,
                       const mw_gemm_index *columns)
{
    return (mw_pack){.data = data,
                     .item = p->item,
                     .stride = matrix->stride,
                     .extent = p->extent,
                     .rows = rows,
                     .columns = columns};
}

static int letter_at(const mw_operand *operand, int axis)
{
    return axis == MW_NONE ? MW_NONE : operand->letter[axis];
}

// The strides of x along letters that are read as they lie: its block may be
// longer than the windows' letters along the others.
static void set_strides(product *p, mw_gemm_matrix *x)
{
    const mw_operand *operand = &p->call->op->in[0];
    int64_t stride = 1;
    for (int a = p->call->in[0].rank - 1; a >= 0; a--) {
        int letter = operand->letter[a];
        if (letter != MW_NONE && !(operand->window >> a & 1U))
            x->stride[letter] = stride;
        stride *= p->call->in[0].size[a];
    }
}

// The axes of x that windows read.
static void set_windows(product *p, mw_pack *x)
{
    const mw_op *op = p->call->op;
    const mw_view *in = &p->call->in[0], *out = &p->call->out[0];
    mw_spatial spatial[MW_MAX_SPATIAL];
    int n = mw_conv_spatial(op, spatial);
    for (int i = 0; i < n; i++) {
        const mw_spatial *s = &spatial[i];
        bool reads =
            s->x_axis != MW_NONE && (op->in[0].window >> s->x_axis & 1U);
        int64_t stride = 1;
        for (int a = in->rank - 1; reads && a > s->x_axis; a--)
            stride *= in->size[a];
        if (s->x_axis != MW_NONE && !reads)
            continue;
        int64_t first = s->out_axis == MW_NONE ? 0 : out->start[s->out_axis];
        x->window[x->n_windows++] =
            (mw_pack_window){.out_letter = letter_at(&op->out[0], s->out_axis),
                             .tap_letter = letter_at(&op->in[1], s->w_axis),
                             .base = first * s->stride - s->pad_begin -
                                     (reads ? in->start[s->x_axis] : 0),
                             .step = s->stride,
                             .dilation = s->dilation,
                             .size = reads ? in->size[s->x_axis] : 1,
                             .stride = reads ? stride : 0};
    }
}

static bool prepare(product *p, const mw_kernel_call *call)
{
    *p = (product){.call = call, .item = mw_dtype_bytes(call->out[0].dtype)};
    find_extents(p);
    mw_gemm *g = &p->gemm;
    mw_gemm_analyse(call->op, call->out[0].dtype, p->extent, g);
    if (!g->fits || g->workspace_bytes > call->workspace_bytes ||
        g->k.extent == 0)
        return false;
    bool windows = call->op->in[0].window != 0, x_is_a = g->a.operand == 0;
    if (windows)
        set_strides(p, x_is_a ? &g->a : &g->b);
    p->a = pack_of(p, &g->a, call->in[g->a.operand].data, &g->m, &g->k);
    p->b = pack_of(p, &g->b, call->in[g->b.operand].data, &g->k, &g->n);
    p->c = pack_of(p, &g->c, call->out[0].data, &g->m, &g->n);
    if (windows)
        set_windows(p, x_is_a ? &p->a : &p->b);
    return true;
}

/* c = a b + beta c, as BLAS takes it: rows, columns, summands. */
static void call_blas(int64_t item, const mw_blas_matrix *a,
                      const mw_blas_matrix *b, const mw_blas_matrix *c,
                      const int64_t size[3], bool add)
{
    CBLAS_TRANSPOSE ta = a->transposed ? CblasTrans : CblasNoTrans;
    CBLAS_TRANSPOSE tb = b->transposed ? CblasTrans : CblasNoTrans;
    blasint m = (blasint)size[0], n = (blasint)size[1], k = (blasint)size[2];
    blasint lda = (blasint)a->ld, ldb = (blasint)b->ld, ldc = (blasint)c->ld;
    void *to = (void *)(uintptr_t)c->data;
    if (item == 4)
        cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1.0F, a->data, lda, b->data,
                    ldb, add ? 1.0F : 0.0F, to, ldc);
    else
        cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1.0, a->data, lda, b->data,
                    ldb, add ? 1.0 : 0.0, to, ldc);
}

static mw_blas_matrix moved(const mw_blas_matrix *from, int64_t bytes)
{
    mw_blas_matrix to = *from;
    to.data = (const char *)from->data + bytes;
    return to;
}

static mw_sgemm_matrix strides_of(const mw_blas_matrix *x)
{
    return (mw_sgemm_matrix){x->data, x->transposed ? 1 : x->ld,
                             x->transposed ? x->ld : 1};
}

static bool run_own(const mw_blas_matrix *a, const mw_blas_matrix *b,
                    const mw_blas_matrix *c, const int64_t size[3], bool add,
                    int threads)
{
    const mw_sgemm own = {.m = size[0],
                          .n = size[1],
                          .k = size[2],
                          .a = strides_of(a),
                          .b = strides_of(b),
                          .c = (void *)(uintptr_t)c->data,
                          .c_row = c->ld,
                          .add = add};
    return mw_sgemm_run(&own, threads);
}

// OpenBLAS's small kernels for AVX-512 allocate memory when neither matrix is
// transposed, for up to half a vector of columns beyond whole vectors, from as
// many summands on as stand below; nothing may be allocated here. Those columns
// sum in parts.
void mw_blas_multiply(int64_t item, const mw_blas_matrix *a,
                      const mw_blas_matrix *b, const mw_blas_matrix *c,
                      const int64_t size[3], bool add, int threads)
{
    if (item == sizeof(float) && run_own(a, b, c, size, add, threads))
        return;
    enum { VECTOR_BYTES = 64, SMALL = 1000000 };
    const int64_t lanes = VECTOR_BYTES / item, part_max = lanes * 2 - 1;
    int64_t m = size[0], n = size[1], k = size[2], tail = n % lanes;
    bool allocates = !a->transposed && !b->transposed && tail > 0 &&
                     tail <= lanes / 2 && k > part_max &&
                     (double)m * (double)n * (double)k <= SMALL;
    if (!allocates) {
        call_blas(item, a, b, c, size, add);
        return;
    }
    int64_t most = n - tail;
    if (most > 0)
        call_blas(item, a, b, c, (int64_t[3]){m, most, k}, add);
    mw_blas_matrix to = moved(c, most * item);
    for (int64_t i = 0; i < k; i += part_max) {
        int64_t part = k - i < part_max ? k - i : part_max;
        mw_blas_matrix x = moved(a, i * item);
        mw_blas_matrix y = moved(b, (i * b->ld + most) * item);
        call_blas(item, &x, &y, &to, (int64_t[3]){m, tail, part}, add || i > 0);
    }
}

// The slab where it lies, or a packed copy.
static mw_blas_matrix take(const product *p, const mw_gemm_matrix *matrix,
                           const mw_pack *pack, const mw_pack_slab *slab)
{
    if (!matrix->packed) {
        int64_t at = matrix->transposed ? slab->row + slab->column * matrix->ld
                                        : slab->row * matrix->ld + slab->column;
        return (mw_blas_matrix){pack->data + at * p->item, matrix->transposed,
                                matrix->ld};
    }
    char *packed = (char *)p->call->workspace + matrix->offset;
    return (mw_blas_matrix){packed, false, slab->n_columns};
}

static int64_t at_most(int64_t slab, int64_t left)
{
    return slab < left ? slab : left;
}

// All slabs of one product of the batch.
static void run_product(product *p, int64_t batch)
{
    const mw_gemm *g = &p->gemm;
    int64_t m = g->m.extent, n = g->n.extent, k = g->k.extent;
    mw_pack a = p->a, b = p->b, c = p->c;
    a.data += mw_gemm_offset(&g->batch, &g->a, p->extent, batch) * p->item;
    b.data += mw_gemm_offset(&g->batch, &g->b, p->extent, batch) * p->item;
    c.data += mw_gemm_offset(&g->batch, &g->c, p->extent, batch) * p->item;
    for (int64_t j = 0; j < n; j += g->slab_n) {
        int64_t columns = at_most(g->slab_n, n - j);
        mw_pack_slab sb = {0, k, j, columns};
        mw_blas_matrix rb = take(p, &g->b, &b, &sb);
        if (g->b.packed)
            mw_pack_in(&b, &sb, (void *)(uintptr_t)rb.data);
        for (int64_t i = 0; i < m; i += g->slab_m) {
            int64_t rows = at_most(g->slab_m, m - i);
            mw_pack_slab sa = {i, rows, 0, k}, sc = {i, rows, j, columns};
            mw_blas_matrix ra = take(p, &g->a, &a, &sa);
            mw_blas_matrix rc = take(p, &g->c, &c, &sc);
            if (g->a.packed)
                mw_pack_in(&a, &sa, (void *)(uintptr_t)ra.data);
            mw_blas_multiply(p->item, &ra, &rb, &rc,
                             (int64_t[3]){rows, columns, k}, false, p->threads);
            if (g->c.packed)
                mw_pack_out(&c, &sc, rc.data);
        }
    }
}

static void run_products(void *arg, int64_t lo, int64_t hi)
{
    for (int64_t i = lo; i < hi; i++)
        run_product(arg, i);
}

// Many products that need no workspace run beside each other, each on one
// thread; else BLAS has the threads.
bool mw_gemm_run(const mw_kernel_call *call)
{
    product p;
    if (!prepare(&p, call))
        return false;
    const mw_gemm *g = &p.gemm;
    int64_t n = g->batch.extent;
    if (n == 0 || g->m.extent == 0 || g->n.extent == 0)
        return true;
    double work = (double)n * (double)g->m.extent * (double)g->n.extent *
                  (double)g->k.extent;
    int threads = work < BESIDE_MIN ? 1 : call->threads;
    bool beside = g->workspace_bytes == 0 && n >= threads;
    p.threads = beside ? 1 : threads;
    mw_blas_threads(p.threads);
    mw_parallel(beside ? threads : 1, n, run_products, &p);
    return true;
}

void mw_blas_threads(int threads)
{
    openblas_set_num_threads(threads);
}

// A first product, so that BLAS has its buffers before a plan's first step.
static void start(int threads)
{
    enum { N = 128 };
    float a[N * N] = {0}, b[N * N] = {0}, c[N * N];
    openblas_set_num_threads(threads);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1.0F, a, N,
                b, N, 0.0F, c, N);
}

static const char *library(void)
{
    return openblas_get_config();
}

static const mw_kernel_row rows[] = {
    {"einsum", MW_F32, mw_gemm_run},
    {"einsum", MW_F64, mw_gemm_run},
    {0},
};

const mw_kernel_def mw_kernel_gemm = {
    .name = "gemm",
    .brief = "contractions on BLAS",
    .rows = rows,
    .start = start,
    .library = library,
};
