/*
 * test_gemm.c - contractions as matrix products: random einsums and the convs
 * of the registry, computed slab by slab as the analysis says, equal the
 * reference; and room for the largest rank is enough on every other.
 */
#include <stdio.h>
#include <string.h>

#include "ir/eval.h"
#include "ir/gemm.h"
#include "ir/loop.h"
#include "ir/text.h"
#include "tests/laws.h"
#include "tests/test.h"

enum { TEXT = 1000, N_RANDOM = 400 };

// A random einsum as text: up to 6 dims, each in two or three of the tensors,
// in any order.
static void random_einsum(uint64_t *state, char text[TEXT])
{
    static const char names[] = "abcdef";
    char axes[3][64] = {"", "", ""};
    int n_dims = 1 + (int)(mw_test_random(state) % 6);
    size_t n = (size_t)snprintf(text, TEXT, "model m\n");
    for (int d = 0; d < n_dims; d++) {
        static const int sizes[] = {0, 1, 2, 3, 5, 8, 2, 3, 4, 6};
        int size = sizes[mw_test_random(state) % 10];
        int missing = (int)(mw_test_random(state) % 4);
        n += (size_t)snprintf(text + n, TEXT - n, "dim %c = %d\n", names[d],
                              size);
        for (int t = 0; t < 3; t++) {
            char more[64], name[8];
            if (t == missing)
                continue;
            (void)snprintf(name, sizeof name, "%c", names[d]);
            bool front = mw_test_random(state) & 1;
            bool first = axes[t][0] == '\0';
            (void)snprintf(more, sizeof more, "%s%s%s", front ? name : axes[t],
                           first ? "" : ", ", front ? axes[t] : name);
            (void)snprintf(axes[t], sizeof axes[t], "%s", more);
        }
    }
    (void)snprintf(text + n, TEXT - n,
                   "input x : f64[%s]\ninput w : f64[%s]\n"
                   "y = einsum(x, w) : f64[%s]\noutput y\n",
                   axes[0], axes[1], axes[2]);
}

// One product being computed by plain loops.
typedef struct product {
    const mw_op *op;
    const mw_gemm *g;
    const mw_view *in;
    mw_view *out;
    const int64_t *extent;
    char *workspace;
    int64_t batch;
} product;

static int64_t at(const product *p, const mw_gemm_matrix *matrix,
                  const mw_gemm_index *rows, int64_t row,
                  const mw_gemm_index *columns, int64_t column)
{
    return mw_gemm_offset(&p->g->batch, matrix, p->extent, p->batch) +
           mw_gemm_offset(rows, matrix, p->extent, row) +
           mw_gemm_offset(columns, matrix, p->extent, column);
}

// Element (row, column) of an operand where it lies, by its leading dimension.
static double direct(const product *p, const mw_gemm_matrix *matrix,
                     int64_t row, int64_t column)
{
    const double *data = p->in[matrix->operand].data;
    int64_t start = mw_gemm_offset(&p->g->batch, matrix, p->extent, p->batch);
    return data[start + (matrix->transposed ? row + column * matrix->ld
                                            : row * matrix->ld + column)];
}

static double *room(const product *p, const mw_gemm_matrix *matrix)
{
    return (double *)(void *)(p->workspace + matrix->offset);
}

static void pack(const product *p, const mw_gemm_matrix *matrix,
                 const mw_gemm_index *rows, const int64_t row[2],
                 const mw_gemm_index *columns, const int64_t column[2])
{
    const double *data = p->in[matrix->operand].data;
    for (int64_t r = row[0]; matrix->packed && r < row[1]; r++) {
        for (int64_t c = column[0]; c < column[1]; c++)
            room(p, matrix)[(r - row[0]) * matrix->ld + c - column[0]] =
                data[at(p, matrix, rows, r, columns, c)];
    }
}

static void multiply(const product *p, const int64_t m[2], const int64_t n[2])
{
    const mw_gemm *g = p->g;
    double *c_data = p->out->data;
    for (int64_t i = m[0]; i < m[1]; i++) {
        for (int64_t j = n[0]; j < n[1]; j++) {
            double total = 0;
            for (int64_t k = 0; k < g->k.extent; k++) {
                double a = g->a.packed
                               ? room(p, &g->a)[(i - m[0]) * g->a.ld + k]
                               : direct(p, &g->a, i, k);
                double b = g->b.packed ? room(p, &g->b)[k * g->b.ld + j - n[0]]
                                       : direct(p, &g->b, k, j);
                total += a * b;
            }
            int64_t start =
                mw_gemm_offset(&g->batch, &g->c, p->extent, p->batch);
            if (g->c.packed)
                room(p, &g->c)[(i - m[0]) * g->c.ld + j - n[0]] = total;
            else
                c_data[start + i * g->c.ld + j] = total;
        }
    }
    for (int64_t i = m[0]; g->c.packed && i < m[1]; i++) {
        for (int64_t j = n[0]; j < n[1]; j++)
            c_data[at(p, &g->c, &g->m, i, &g->n, j)] =
                room(p, &g->c)[(i - m[0]) * g->c.ld + j - n[0]];
    }
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void compute(product *p)
{
    const mw_gemm *g = p->g;
    const int64_t all_k[2] = {0, g->k.extent};
    for (p->batch = 0; p->batch < g->batch.extent; p->batch++) {
        for (int64_t j = 0; j < g->n.extent; j += g->slab_n) {
            const int64_t n[2] = {j, least(j + g->slab_n, g->n.extent)};
            pack(p, &g->b, &g->k, all_k, &g->n, n);
            for (int64_t i = 0; i < g->m.extent; i += g->slab_m) {
                const int64_t m[2] = {i, least(i + g->slab_m, g->m.extent)};
                pack(p, &g->a, &g->m, m, &g->k, all_k);
                multiply(p, m, n);
            }
        }
    }
}

static void *filled(mw_arena *arena, mw_view *view, uint64_t *state)
{
    int64_t n = mw_view_elements(view);
    view->data = mw_arena_alloc(arena, (size_t)n, sizeof(double));
    if (view->data)
        law_fill(MW_F64, view->data, n, state);
    return view->data;
}

// Computes an einsum both ways; true when they agree.
static bool both_agree(mw_arena *arena, const mw_graph *graph, const mw_op *op,
                       uint64_t *state)
{
    mw_gemm gemm;
    mw_view in[2], out[2];
    int64_t extent[MW_MAX_LETTERS];
    for (int i = 0; i < 2; i++) {
        in[i] = mw_view_whole(&graph->tensor[op->in[i].tensor], NULL);
        out[i] = mw_view_whole(&graph->tensor[op->out[0].tensor], NULL);
        if (!filled(arena, &in[i], state) || !filled(arena, &out[i], state))
            return false;
    }
    mw_block_extents(op, in, out, extent);
    mw_gemm_analyse(op, MW_F64, extent, &gemm);
    product p = {
        .op = op, .g = &gemm, .in = in, .out = &out[0], .extent = extent};
    p.workspace = mw_arena_alloc(arena, (size_t)gemm.workspace_bytes, 1);
    if (!gemm.fits || !p.workspace)
        return false;
    compute(&p);
    op->def->ref(op, in, &out[1]);
    return law_differences(MW_F64, out[0].data, out[1].data,
                           mw_view_elements(&out[1])) == 0;
}

// No extents below the given ones take more room, or another part of it.
static bool room_is_enough(const mw_op *op, const int64_t extent[],
                           uint64_t *state)
{
    mw_gemm large, small;
    int64_t less[MW_MAX_LETTERS];
    mw_gemm_analyse(op, MW_F64, extent, &large);
    for (int l = 0; l < op->n_letters; l++)
        less[l] =
            extent[l] > 0
                ? (int64_t)(mw_test_random(state) % (uint64_t)(extent[l] + 1))
                : 0;
    mw_gemm_analyse(op, MW_F64, less, &small);
    return small.workspace_bytes <= large.workspace_bytes &&
           small.fits == large.fits;
}

static void random_products(void)
{
    uint64_t state = 11;
    int n_packed = 0, n_direct = 0;
    for (int i = 0; i < N_RANDOM; i++) {
        char text[TEXT];
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        random_einsum(&state, text);
        bool ok = mw_graph_init(&graph, &arena, "m") == MW_OK &&
                  mw_text_parse(&graph, "random", text) == MW_OK;
        CHECK(ok && both_agree(&arena, &graph, &graph.op[0], &state),
              "another product of\n%s%s", text, ctx.message);
        int64_t extent[MW_MAX_LETTERS];
        mw_gemm gemm = {.fits = false};
        for (int l = 0; ok && l < graph.op[0].n_letters; l++)
            extent[l] = graph.op[0].letter[l].size;
        for (int k = 0; ok && k < 8; k++)
            CHECK(room_is_enough(&graph.op[0], extent, &state),
                  "a smaller rank needs more:\n%s", text);
        if (ok)
            mw_gemm_analyse(&graph.op[0], MW_F64, extent, &gemm);
        n_packed += ok && gemm.workspace_bytes > 0;
        n_direct += ok && gemm.workspace_bytes == 0;
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
    CHECK(n_packed > N_RANDOM / 10, "only %d products are packed", n_packed);
    CHECK(n_direct > N_RANDOM / 10, "only %d products are direct", n_direct);
}

// Large enough for several slabs of what is packed.
static const char *const large[] = {
    "dim s = 300\ndim k = 2000\ndim n = 20\ndim b = 2\n"
    "input x : f64[s, k, b]\ninput w : f64[k, b, n]\n"
    "y = einsum(x, w) : f64[b, s, n]\n",
    "dim s = 20\ndim k = 2000\ndim n = 300\ndim b = 2\n"
    "input x : f64[s, k]\ninput w : f64[k, n, b]\n"
    "y = einsum(x, w) : f64[b, s, n]\n",
    "dim b = 3\ndim s = 900\ndim k = 3\ndim h = 80\ndim d = 7\n"
    "input x : f64[b, s, k]\ninput w : f64[k, h, d]\n"
    "y = einsum(x, w) : f64[b, h, s, d]\n",
};

static void slabs(void)
{
    uint64_t state = 13;
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_gemm g = {.fits = false};
        int64_t extent[MW_MAX_LETTERS];
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        bool ok = mw_graph_init(&graph, &arena, "m") == MW_OK &&
                  mw_text_parse(&graph, "large", large[i]) == MW_OK;
        CHECK(ok && both_agree(&arena, &graph, &graph.op[0], &state),
              "another product of\n%s%s", large[i], ctx.message);
        for (int l = 0; ok && l < graph.op[0].n_letters; l++)
            extent[l] = graph.op[0].letter[l].size;
        if (ok)
            mw_gemm_analyse(&graph.op[0], MW_F64, extent, &g);
        CHECK(ok && (g.slab_m < g.m.extent || g.slab_n < g.n.extent),
              "one slab is enough for\n%s", large[i]);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static const struct row {
    const char *name, *types; /* x, w, y */
    bool fits, a, b, c;       /* packed */
    int64_t batch, m, n, k;
} rows[] = {
    {"linear", "f32[b, s, k]|f32[k, n]|f32[b, s, n]", true, false, false, false,
     1, 15, 7, 11},
    {"weight transposed", "f32[b, s, k]|f32[n, k]|f32[b, s, n]", true, false,
     false, false, 1, 15, 7, 11},
    {"scores", "f32[b, s, h, d]|f32[b, t, h, d]|f32[b, h, s, t]", true, false,
     false, false, 6, 5, 4, 13},
    {"context", "f32[b, h, s, t]|f32[b, t, h, d]|f32[b, s, h, d]", true, false,
     false, false, 6, 5, 13, 4},
    {"merged heads", "f32[b, s, h, d]|f32[h, d, n]|f32[b, s, n]", true, false,
     false, false, 1, 15, 7, 26},
    {"heads first", "f32[b, s, k]|f32[k, h, d]|f32[b, h, s, d]", true, false,
     false, true, 1, 15, 26, 11},
    {"batch innermost", "f32[s, k, b]|f32[k, n, b]|f32[s, n, b]", true, true,
     true, true, 3, 5, 7, 11},
    {"result transposed", "f32[s, k]|f32[k, n]|f32[n, s]", true, false, false,
     false, 1, 7, 5, 11},
    {"integers", "i32[s, k]|i32[k, n]|i32[s, n]", false, false, false, false, 0,
     0, 0, 0},
    {"summed alone", "f32[s, k, t]|f32[k, n]|f32[s, n]", false, false, false,
     false, 0, 0, 0, 0},
};

static void known_products(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        char text[TEXT];
        const char *x = row->types, *w = strchr(x, '|') + 1;
        const char *y = strchr(w, '|') + 1;
        (void)snprintf(text, sizeof text,
                       "dim b = 3\ndim s = 5\ndim k = 11\ndim n = 7\n"
                       "dim h = 2\ndim d = 13\ndim t = 4\n"
                       "input x : %.*s\ninput w : %.*s\n"
                       "y = einsum(x, w) : %s\n",
                       (int)(w - x) - 1, x, (int)(y - w) - 1, w, y);
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        bool ok = mw_graph_init(&graph, &arena, "m") == MW_OK &&
                  mw_text_parse(&graph, "row", text) == MW_OK;
        CHECK(ok, "%s: %s", row->name, ctx.message);
        mw_gemm g = {.fits = false};
        int64_t extent[MW_MAX_LETTERS];
        for (int l = 0; ok && l < graph.op[0].n_letters; l++)
            extent[l] = graph.op[0].letter[l].size;
        if (ok)
            mw_gemm_analyse(&graph.op[0], graph.tensor[0].dtype, extent, &g);
        CHECK(g.fits == row->fits, "%s: fits is %d", row->name, g.fits);
        CHECK(!row->fits || (g.a.packed == row->a && g.b.packed == row->b &&
                             g.c.packed == row->c),
              "%s: packed %d %d %d", row->name, g.a.packed, g.b.packed,
              g.c.packed);
        CHECK(!row->fits ||
                  (g.batch.extent == row->batch && g.m.extent == row->m &&
                   g.n.extent == row->n && g.k.extent == row->k),
              "%s: %lld of %lld x %lld x %lld", row->name,
              (long long)g.batch.extent, (long long)g.m.extent,
              (long long)g.n.extent, (long long)g.k.extent);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static const struct conv_row {
    const char *name, *x, *w, *op, *y;
    bool fits, a, b, c; /* packed */
    int64_t batch, m, n, k;
} conv_rows[] = {
    {"channels first", "b, i, h, v", "o, i, 3, 2",
     "strides=[2, 1], dilations=[1, 1], pads_begin=[1, 0], pads_end=[1, 1], "
     "in_axes=[2, 3], tap_axes=[2, 3], out_axes=[2, 3]",
     "b, o, h2, v", true, false, true, false, 2, 5, 40, 18},
    {"channels last", "b, h, v, i", "o, 3, 2, i",
     "strides=[2, 1], dilations=[1, 1], pads_begin=[1, 0], pads_end=[1, 1], "
     "in_axes=[1, 2], tap_axes=[1, 2], out_axes=[1, 2]",
     "b, h2, v, o", true, true, false, false, 1, 80, 5, 18},
    {"groups", "b, g, i, h", "g, o, i, 3",
     "strides=[2], dilations=[1], pads_begin=[1], pads_end=[1], in_axes=[3], "
     "tap_axes=[3], out_axes=[3]",
     "b, g, o, h2", true, false, true, true, 4, 5, 10, 9},
    {"one tap", "b, i, q", "o, i",
     "strides=[1], dilations=[1], pads_begin=[0], pads_end=[0], in_axes=[2], "
     "tap_axes=[-1], out_axes=[2]",
     "b, o, q", true, false, false, false, 2, 5, 40, 3},
    {"one point", "b, i, h", "o, i, 9",
     "strides=[1], dilations=[1], pads_begin=[0], pads_end=[0], in_axes=[2], "
     "tap_axes=[2], out_axes=[-1]",
     "b, o", true, true, false, false, 1, 2, 5, 27},
};

static void check_conv(const struct conv_row *row)
{
    char text[TEXT];
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    (void)snprintf(text, sizeof text,
                   "dim b = 2\ndim i = 3\ndim o = 5\ndim h = 9\ndim v = 8\n"
                   "dim h2 = 5\ndim g = 4\ndim q = 40\ninput x : f32[%s]\n"
                   "param w : f32[%s]\ny = conv(x, w, %s) : f32[%s]\n",
                   row->x, row->w, row->op, row->y);
    bool ok = mw_graph_init(&graph, &arena, "m") == MW_OK &&
              mw_text_parse(&graph, "row", text) == MW_OK;
    CHECK(ok, "%s: %s", row->name, ctx.message);
    mw_gemm g = {.fits = false};
    int64_t extent[MW_MAX_LETTERS];
    for (int l = 0; ok && l < graph.op[0].n_letters; l++)
        extent[l] = graph.op[0].letter[l].size;
    if (ok)
        mw_gemm_analyse(&graph.op[0], MW_F32, extent, &g);
    CHECK(g.fits == row->fits && g.a.packed == row->a && g.b.packed == row->b &&
              g.c.packed == row->c,
          "%s: fits is %d, packed %d %d %d", row->name, g.fits, g.a.packed,
          g.b.packed, g.c.packed);
    CHECK(g.batch.extent == row->batch && g.m.extent == row->m &&
              g.n.extent == row->n && g.k.extent == row->k,
          "%s: %lld of %lld x %lld x %lld", row->name,
          (long long)g.batch.extent, (long long)g.m.extent,
          (long long)g.n.extent, (long long)g.k.extent);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void convolutions(void)
{
    for (size_t i = 0; i < sizeof conv_rows / sizeof conv_rows[0]; i++)
        check_conv(&conv_rows[i]);
}

const mw_suite mw_suite_gemm = {
    "gemm",
    {{"random products equal the reference", random_products},
     {"products of several slabs", slabs},
     {"known products", known_products},
     {"known convolutions", convolutions}}};
