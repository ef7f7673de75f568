/* test_names.c - which axes are one dimension, on graphs of a few lines. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "ir/eval.h"
#include "ir/names.h"
#include "tests/placed_text.h"
#include "tests/random_placed.h"
#include "tests/test.h"

enum { WANTS = 24, N_RANDOM = 500 };

typedef struct want {
    const char *tensor, *axes;
} want;

static const struct row {
    const char *title, *text;
    int renames, reshapes;
    want want[WANTS]; /* up to the first without tensor */
} rows[] = {
    {"reshape that fits in part",
     "input x f32 B=2 12 8\n"
     "y = reshape x shape=2,16,6\nz = relu y\noutput z",
     0,
     1,
     {{"x", "B d12 d8"}, {"y", "B d16 d6"}, {"z", "B d16 d6"}}},
    {"reshape that factors",
     "input x f32 B=2 4 6\ny = reshape x shape=2,8,3\noutput y",
     0,
     0,
     {{"x", "B d4 (d2 d3)"}, {"y", "B (d4 d2) d3"}}},
    {"a pair of equal axes, transposed and added",
     "input z f32 B=2 5 5 3\nzt = transpose z perm=0,2,1,3\n"
     "o = add z zt\noutput o",
     1,
     0,
     {{"z", "B d5 d5_2 d3"}, {"zt", "B d5_2 d5 d3"}, {"o", "B d5 d5_2 d3"}}},
    {"gram",
     "input x f32 B=2 S=8 7\nxt = transpose x perm=0,2,1\n"
     "g = einsum x xt spec=abc,acd->abd\ny = einsum g x spec=abd,adc->abc\n"
     "o = add x y\noutput o",
     2,
     0,
     {{"x", "B S d_head"},
      {"xt", "B d_head S"},
      {"g", "B S S.k"},
      {"y", "B S d_head"},
      {"o", "B S d_head"}}},
    {"square weights with residuals",
     "input x f32 B=2 7\nparam w1 f32 7 7\nparam w2 f32 7 7\n"
     "a = einsum x w1 spec=ab,bc->ac\nb = add x a\n"
     "c = einsum b w2 spec=ab,bc->ac\nd = add b c\noutput d",
     2,
     0,
     {{"x", "B d7"},
      {"w1", "d7 d7_2"},
      {"a", "B d7_2"},
      {"b", "B d7"},
      {"w2", "d7 d7_2"},
      {"c", "B d7_2"},
      {"d", "B d7"}}},
    {"one square weight twice",
     "input x f32 B=2 7\nparam w f32 7 7\na = einsum x w spec=ab,bc->ac\n"
     "b = relu a\nc = einsum b w spec=ab,bc->ac\noutput c",
     1,
     0,
     {{"x", "B d7"},
      {"w", "d7 logits"},
      {"a", "B logits"},
      {"b", "B logits"},
      {"c", "B logits"}}},
    {"grouped queries",
     "input x f32 B=2 S=8 24\nparam wq f32 24 24\nparam wk f32 24 12\n"
     "q = einsum x wq spec=abc,cd->abd\nk = einsum x wk spec=abc,cd->abd\n"
     "q4 = reshape q shape=2,8,6,4\nqt = transpose q4 perm=0,2,1,3\n"
     "k4 = reshape k shape=2,8,3,4\nkt = transpose k4 perm=0,2,3,1\n"
     "ku = reshape kt shape=2,3,1,4,8\nke = broadcast ku shape=2,3,2,4,8\n"
     "kr = reshape ke shape=2,6,4,8\ns = einsum qt kr spec=abcd,abde->abce\n"
     "output s",
     1,
     0,
     {{"wq", "d24 (heads heads_2 d_head)"},
      {"wk", "d24 (heads d_head)"},
      {"qt", "B (heads heads_2) S d_head"},
      {"ku", "B heads 1 d_head S"},
      {"ke", "B heads heads_2 d_head S"},
      {"s", "B (heads heads_2) S S.k"}}},
    {"no output projection",
     "input x f32 B=2 S=8 12\nparam w f32 12 12\n"
     "v = einsum x w spec=abc,cd->abd\nv4 = reshape v shape=2,8,3,4\n"
     "u = relu v4\nm = reshape u shape=2,8,12\no = add x m\noutput o",
     0,
     1,
     {{"x", "B S d12"},
      {"w", "d12 (d3 d4)"},
      {"v", "B S (d3 d4)"},
      {"u", "B S d3 d4"},
      {"m", "B S (d3 d4)"},
      {"o", "B S d12"}}},
    {"windows of an image",
     "input x f32 B=2 8 12 5\nparam w f32 5 5\n"
     "a = reshape x shape=2,2,4,3,4,5\nb = transpose a perm=0,1,3,2,4,5\n"
     "c = reshape b shape=12,16,5\nd = einsum c w spec=abc,cd->abd\n"
     "e = reshape d shape=2,2,3,4,4,5\ng = transpose e perm=0,1,3,2,4,5\n"
     "h = reshape g shape=2,8,12,5\no = add x h\noutput o",
     1,
     0,
     {{"x", "B (d2 d4) (d3 d4_2) d5"},
      {"a", "B d2 d4 d3 d4_2 d5"},
      {"c", "(B d2 d3) (d4 d4_2) d5"},
      {"d", "(B d2 d3) (d4 d4_2) d5_2"},
      {"h", "B (d2 d4) (d3 d4_2) d5_2"},
      {"o", "B (d2 d4) (d3 d4_2) d5"}}},
    {"heads folded into the batch",
     "input x f32 S=8 B=2 12\nparam w f32 12 12\nparam wo f32 12 12\n"
     "q = einsum x w spec=abc,cd->abd\nq3 = reshape q shape=8,6,4\n"
     "qt = transpose q3 perm=1,0,2\nkt = transpose q3 perm=1,2,0\n"
     "sc = einsum qt kt spec=abc,acd->abd\ny = einsum sc qt spec=abd,adc->abc\n"
     "yt = transpose y perm=1,0,2\nm = reshape yt shape=8,2,12\n"
     "z = einsum m wo spec=abc,cd->abd\no = add x z\noutput o",
     2,
     0,
     {{"x", "S B hidden"},
      {"w", "hidden (heads d_head)"},
      {"q3", "S (B heads) d_head"},
      {"sc", "(B heads) S S.k"},
      {"m", "S B (heads d_head)"},
      {"wo", "(heads d_head) hidden"},
      {"z", "S B hidden"}}},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static mw_status name_text(mw_arena *arena, const char *text, mw_graph *placed,
                           mw_graph *named)
{
    MW_TRY(mw_graph_init(placed, arena, "placed"));
    MW_TRY(mw_placed_parse(placed, text));
    MW_TRY(mw_graph_init(named, arena, "named"));
    return mw_names(placed, NULL, 0, named);
}

// Values for the tensors that have none, from their names.
static mw_status make_inputs(mw_arena *arena, const mw_graph *graph,
                             const void *value[])
{
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (tensor->role == MW_ROLE_VALUE || tensor->data.kind != MW_DATA_NONE)
            continue;
        int64_t n = mw_tensor_elements(tensor);
        char *bytes = mw_arena_alloc(arena, (size_t)n + 1,
                                     (size_t)mw_dtype_bytes(tensor->dtype));
        if (!bytes)
            return MW_ENOMEM;
        uint64_t seed = mw_hash_text(2, tensor->name);
        for (int64_t i = 0; i < n; i++) {
            int64_t drawn = (int64_t)(mw_hash_int(seed, i) % 5) - 2;
            if (tensor->dtype == MW_I64)
                ((int64_t *)(void *)bytes)[i] = drawn;
            else
                ((float *)(void *)bytes)[i] = (float)drawn;
        }
        value[t] = bytes;
    }
    return MW_OK;
}

static mw_status evaluate(mw_arena *arena, const mw_graph *graph,
                          const void ***value)
{
    *value = MW_NEW_ARRAY(arena, graph->n_tensors, const void *);
    if (!*value)
        return MW_ENOMEM;
    MW_TRY(make_inputs(arena, graph, *value));
    return mw_eval_graph(arena, graph, *value);
}

// Every tensor that both graphs have, the same bytes. Sums are exact: values
// are small whole numbers.
static void check_values(const char *title, mw_arena *arena,
                         const mw_graph *placed, const mw_graph *named)
{
    const void **before, **after;
    mw_status status = evaluate(arena, placed, &before);
    if (status == MW_OK)
        status = evaluate(arena, named, &after);
    if (!CHECK(status == MW_OK, "%s: %s", title, arena->ctx->message))
        return;
    for (mw_id t = 0; t < placed->n_tensors; t++) {
        const mw_tensor *tensor = &placed->tensor[t];
        mw_id other = mw_graph_find_tensor(named, tensor->name);
        if (other == MW_NONE || !before[t])
            continue;
        size_t bytes = (size_t)mw_tensor_bytes(tensor);
        bool same = mw_tensor_bytes(&named->tensor[other]) == (int64_t)bytes &&
                    memcmp(before[t], after[other], bytes) == 0;
        CHECK(same, "%s: '%s' has other values", title, tensor->name);
    }
}

// File shapes, roles and outputs survive.
static void check_shapes(const char *title, const mw_graph *placed,
                         const mw_graph *named)
{
    for (mw_id t = 0; t < placed->n_tensors; t++) {
        const mw_tensor *a = &placed->tensor[t];
        mw_id id = mw_graph_find_tensor(named, a->name);
        if (id == MW_NONE) {
            CHECK(a->role != MW_ROLE_INPUT && !a->output, "%s: '%s' is missing",
                  title, a->name);
            continue;
        }
        const mw_tensor *b = &named->tensor[id];
        int64_t x[MW_MAX_FILE_RANK], y[MW_MAX_FILE_RANK];
        int n = mw_tensor_file_shape(a, x);
        bool same = n == mw_tensor_file_shape(b, y) && a->role == b->role &&
                    a->output == b->output && a->dtype == b->dtype;
        for (int i = 0; same && i < n; i++)
            same = x[i] == y[i];
        CHECK(same, "%s: '%s' has another shape or role", title, a->name);
    }
}

static void check_row(const struct row *row)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_graph placed, named;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status = name_text(&arena, row->text, &placed, &named);
    if (CHECK(status == MW_OK, "%s: %s", row->title, ctx.message)) {
        for (const want *w = row->want; w->tensor; w++) {
            mw_id t = mw_graph_find_tensor(&named, w->tensor);
            const char *got = t == MW_NONE ? "none" : mw_named_axes(&named, t);
            CHECK(strcmp(got, w->axes) == 0, "%s: %s is [%s], want [%s]",
                  row->title, w->tensor, got, w->axes);
        }
        int renames = mw_named_renames(&named);
        int reshapes = mw_named_count(&named, "reshape");
        CHECK(renames == row->renames, "%s: %d renames, want %d", row->title,
              renames, row->renames);
        CHECK(reshapes == row->reshapes, "%s: %d reshapes, want %d", row->title,
              reshapes, row->reshapes);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void small_graphs(void)
{
    for (int i = 0; i < N_ROWS; i++)
        check_row(&rows[i]);
}

static mw_status name_again(mw_arena *arena, const mw_graph *placed,
                            uint64_t *state, mw_graph *again)
{
    mw_graph other;
    MW_TRY(mw_graph_init(&other, arena, "other"));
    MW_TRY(mw_placed_reorder(placed, &other, state));
    MW_TRY(mw_graph_init(again, arena, "again"));
    return mw_names(&other, NULL, 0, again);
}

// The same ops in another order give the same classes and names.
static void check_order(const char *title, mw_arena *arena,
                        const mw_graph *placed, const mw_graph *named,
                        uint64_t *state)
{
    mw_graph again;
    mw_status status = name_again(arena, placed, state, &again);
    if (!CHECK(status == MW_OK, "%s: %s", title, arena->ctx->message))
        return;
    CHECK(again.n_ops == named->n_ops, "%s: %d ops, in another order %d", title,
          named->n_ops, again.n_ops);
    for (mw_id t = 0; t < named->n_tensors; t++) {
        mw_id id = mw_graph_find_tensor(&again, named->tensor[t].name);
        const char *x = mw_named_axes(named, t);
        const char *y = id == MW_NONE ? "none" : mw_named_axes(&again, id);
        CHECK(strcmp(x, y) == 0, "%s: '%s' is [%s], in another order [%s]",
              title, named->tensor[t].name, x, y);
    }
}

static void check_random(uint64_t seed)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_graph placed, named;
    uint64_t state = seed;
    char title[64];
    (void)snprintf(title, sizeof title, "random graph %d", (int)seed);
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status = mw_graph_init(&placed, &arena, "placed");
    if (status == MW_OK)
        status = mw_random_placed(&placed, 4 + (int)(seed % 9), &state);
    if (status == MW_OK)
        status = mw_graph_init(&named, &arena, "named");
    if (status == MW_OK)
        status = mw_names(&placed, NULL, 0, &named);
    if (status == MW_EINPUT && strstr(ctx.message, "factor into more")) {
        SKIP("%s: %s", title, ctx.message);
    } else if (CHECK(status == MW_OK, "%s: %s", title, ctx.message)) {
        check_shapes(title, &placed, &named);
        check_values(title, &arena, &placed, &named);
        check_order(title, &arena, &placed, &named, &state);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void random_graphs(void)
{
    for (uint64_t seed = 1; seed <= N_RANDOM; seed++)
        check_random(seed);
}

const mw_suite mw_suite_names = {
    "names",
    {{"small graphs", small_graphs}, {"random graphs", random_graphs}}};
