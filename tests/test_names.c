/* test_names.c - which axes are one dimension, on graphs of a few lines. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "ir/eval.h"
#include "ir/names.h"
#include "ir/text.h"
#include "ir/verify.h"
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
     {{"x", "S B d12"},
      {"w", "d12 (heads d_head)"},
      {"q3", "S (B heads) d_head"},
      {"sc", "(B heads) S S.k"},
      {"m", "S B (heads d_head)"},
      {"wo", "(heads d_head) d12"},
      {"z", "S B d12"}}},
    {"rotary halves",
     "input q f32 B=2 S=8 8\nconst c f32 8 8\nconst n f32 8 8\n"
     "a = slice q axis=2 start=0 step=1 count=4\n"
     "b = slice q axis=2 start=4 step=1 count=4\nnb = neg b\n"
     "r = concat nb a axis=2\nqc = mul q c\nrs = mul r n\n"
     "o = add qc rs\noutput o",
     0,
     0,
     {{"q", "B S (parts d4)"},
      {"a", "B S d4"},
      {"r", "B S (parts d4)"},
      {"c", "S (parts d4)"},
      {"n", "S (parts d4)"},
      {"o", "B S (parts d4)"}}},
    {"a slice that cuts nothing equally",
     "input x f32 B=2 10\na = slice x axis=1 start=1 step=3 count=3\n"
     "b = slice x axis=1 start=0 step=1 count=5\noutput a\noutput b",
     0,
     0,
     {{"x", "B d10"}, {"a", "B d3"}, {"b", "B d5"}}},
    {"slices by one are differences",
     "input x f32 B=2 10\na = slice x axis=1 start=1 step=1 count=9\n"
     "b = slice x axis=1 start=0 step=1 count=9\nd = sub a b\noutput d",
     0,
     0,
     {{"x", "B d10"}, {"a", "B d9"}, {"b", "B d9"}, {"d", "B d9"}}},
    {"unequal parts",
     "input x f32 B=2 12\na = slice x axis=1 start=0 step=1 count=8\n"
     "b = slice x axis=1 start=8 step=1 count=4\n"
     "c = concat b a axis=1\noutput c",
     0,
     0,
     {{"x", "B d12"}, {"a", "B d8"}, {"b", "B d4"}, {"c", "B d12_2"}}},
    {"a slice between factors",
     "input x f32 B=2 4 6\ny = reshape x shape=2,24\n"
     "z = slice y axis=1 start=6 step=1 count=12\noutput z",
     0,
     0,
     {{"y", "B (d4 d6)"}, {"z", "B (d2 d6)"}}},
    {"a slice across factors",
     "input x f32 B=2 4 6\ny = reshape x shape=2,24\n"
     "z = slice y axis=1 start=5 step=1 count=12\n"
     "r = reshape z shape=2,3,4\noutput r\noutput z",
     0,
     2,
     {{"y", "B (d4 d6)"}, {"z", "B (d3 d4_2)"}, {"r", "B d3 d4_2"}}},
    {"one row of a composite axis",
     "input x f32 B=2 4 6\ny = reshape x shape=2,24\n"
     "z = slice y axis=1 start=7 step=1 count=1\noutput z",
     0,
     1,
     {{"y", "B (d4 d6)"}, {"z", "B 1"}}},
    {"a flip that meets what it flips",
     "input x f32 B=2 5\nf = slice x axis=1 start=4 step=-1 count=5\n"
     "o = add x f\noutput o",
     1,
     0,
     {{"x", "B d5"}, {"f", "B d5_2"}, {"o", "B d5"}}},
    {"class token before patches",
     "input x f32 B=2 3 8 12\nparam w f32 16 3 4 4\nparam t f32 2 1 16\n"
     "c = conv x w strides=4,4 dilations=1,1 pads_begin=0,0 pads_end=0,0\n"
     "f = reshape c shape=2,16,6\np = transpose f perm=0,2,1\n"
     "s = concat t p axis=1\nu = slice s axis=1 start=0 step=1 count=1\n"
     "output u",
     0,
     1,
     {{"x", "B c3 h8 w12"},
      {"w", "c16 c3 4 4"},
      {"c", "B c16 h2 w3"},
      {"p", "B (h2 w3) c16"},
      {"s", "B d7 c16"},
      {"u", "B 1 c16"}}},
    {"the same extent stays one dimension",
     "input x f32 B=2 3 8\nparam w f32 3 3 3\n"
     "c = conv x w strides=1 dilations=1 pads_begin=1 pads_end=1\n"
     "o = add x c\noutput o",
     1,
     0,
     {{"x", "B c3 w8"}, {"c", "B c3_2 w8"}, {"o", "B c3 w8"}}},
    {"halves and back",
     "input x f32 B=2 3 8\nparam w f32 3 3 2\n"
     "c = conv x w strides=2 dilations=1 pads_begin=0 pads_end=0\n"
     "p = pad c axis=2 before=2 after=2 value=0\no = add x p\noutput o",
     1,
     0,
     {{"x", "B c3 w8"}, {"c", "B c3_2 w4"}, {"p", "B c3_2 w8"}}},
    {"a look-up along a composite axis",
     "input t f32 4 6 5\ninput i i64 B=2\nr = reshape t shape=24,5\n"
     "y = gather r i axis=0\noutput y",
     0,
     1,
     {{"t", "batch d6 d5"}, {"r", "(batch d6) d5"}, {"y", "B d5"}}},
    {"one symbol twice in a tensor",
     "input s f32 B=2 S=8 S=8\ninput x f32 B=2 S=8 3\n"
     "y = einsum s x spec=abc,acd->abd\noutput y",
     1,
     0,
     {{"s", "B S S.k"}, {"x", "B S d_head"}, {"y", "B S d_head"}}},
    {"a mask for both sides",
     "input q f32 B=2 S=8 3\ninput m f32 B=2 S=8\n"
     "k = transpose q perm=0,2,1\ns = einsum q k spec=abc,acd->abd\n"
     "r = reshape m shape=2,1,8\np = add s r\noutput p",
     2,
     0,
     {{"s", "B S S.k"}, {"r", "B 1 S"}, {"p", "B S S.k"}}},
    {"joined along a new outer dimension",
     "input x f32 B=2 4 3\ny = neg x\nz = abs x\n"
     "c = concat x y z axis=1\nr = reshape c shape=2,3,4,3\n"
     "a = reduce_sum r axes=1 keep=0\no = add a x\noutput o",
     0,
     0,
     {{"x", "B d4 d3"}, {"c", "B (parts d4) d3"}, {"o", "B d4 d3"}}},
    {"a pad of a joined axis",
     "input x f32 B=2 4 6\ny = reshape x shape=2,24\n"
     "z = pad y axis=1 before=6 after=12 value=1\n"
     "u = pad y axis=1 before=1 after=0 value=1\noutput z\noutput u",
     0,
     1,
     {{"z", "B (d7 d6)"}, {"u", "B d25"}}},
    {"nothing at all",
     "input x f32 B=2 0 8\nr = reshape x shape=2,4,0\n"
     "y = neg r\ns = reduce_sum r axes=2 keep=1\noutput y\noutput s",
     0,
     1,
     {{"x", "B d0 d8"}, {"r", "B d4 d0_2"}, {"s", "B d4 1"}}},
    {"axes of size 1",
     "input x f32 1 5 1\ninput y f32 3 1 1\nt = transpose x perm=2,1,0\n"
     "o = add t y\nr = reduce_max o axes=2 keep=1\n"
     "u = reshape r shape=3,5\noutput u",
     0,
     0,
     {{"x", "1 d5 1"},
      {"t", "1 d5 1"},
      {"o", "batch d5 1"},
      {"u", "batch d5"}}},
    {"scalars",
     "input x f32\ny = neg x\nr = reshape y shape=1,1\noutput r",
     0,
     0,
     {{"x", ""}, {"y", ""}, {"r", "1 1"}}},
    {"axes that meet crosswise",
     "input x f32 B=2 2 3\ny = transpose x perm=0,2,1\n"
     "a = reshape x shape=2,6\nb = reshape y shape=2,6\no = add a b\n"
     "output o",
     0,
     2,
     {{"a", "B (d2 d3)"}, {"b", "B (d3 d2)"}, {"o", "B (d2 d3)"}}},
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

// The verifier accepts it, and its text says all.
static void check_legal(const char *title, mw_arena *arena,
                        const mw_graph *named)
{
    mw_graph again;
    CHECK(mw_verify(named) == MW_OK, "%s: %s", title, arena->ctx->message);
    const char *text = mw_text_print(named), *second = NULL;
    mw_status status = mw_graph_init(&again, arena, "again");
    if (status == MW_OK && text)
        status = mw_text_parse(&again, "again.mw", text);
    if (CHECK(status == MW_OK, "%s: %s", title, arena->ctx->message))
        second = mw_text_print(&again);
    CHECK(text && second && strcmp(text, second) == 0,
          "%s: its text changes when it is read", title);
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
    for (mw_id p = 0; p < placed->n_tensors; p++) {
        mw_id t = mw_graph_find_tensor(named, placed->tensor[p].name);
        mw_id id = mw_graph_find_tensor(&again, placed->tensor[p].name);
        const char *x = t == MW_NONE ? "none" : mw_named_axes(named, t);
        const char *y = id == MW_NONE ? "none" : mw_named_axes(&again, id);
        CHECK(strcmp(x, y) == 0, "%s: '%s' is [%s], in another order [%s]",
              title, placed->tensor[p].name, x, y);
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
        check_legal(title, &arena, &named);
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

static const char block[] =
    "input x f32 rows=4 6\ninput y f32 lines=4 6\nparam w f32 6 6\n"
    "a = add x y\nb = einsum a w spec=ab,bc->ac\nc = add b a\noutput c";

static const struct option_row {
    const char *title, *text;
    mw_rename_option rename[2];
    const char *message, *tensor, *axes;
    int n;
    mw_status status;
} option_rows[] = {
    {.title = "a new name",
     .text = block,
     .n = 1,
     .rename = {{"rows", "n"}},
     .message = "",
     .tensor = "a",
     .axes = "n d6"},
    {.title = "names exchanged",
     .text = block,
     .n = 2,
     .rename = {{"d6", "d6_2"}, {"d6_2", "d6"}},
     .message = "",
     .tensor = "w",
     .axes = "d6_2 d6"},
    {.title = "a name taken",
     .text = block,
     .n = 1,
     .rename = {{"d6", "rows"}},
     .status = MW_EUSAGE,
     .message = "--name: two dimensions would be 'rows'"},
    {.title = "no name",
     .text = block,
     .n = 1,
     .rename = {{"rows", "2n"}},
     .status = MW_EUSAGE,
     .message = "--name rows=2n: '2n' is no name: letters, digits, '_' and "
                "'.', not beginning with a digit"},
    {.title = "no such dimension",
     .text = block,
     .n = 1,
     .rename = {{"rowz", "n"}},
     .status = MW_EUSAGE,
     .message = "--name rowz=n: the model has no dimension 'rowz'\n"
                "did you mean 'rows'?"},
    {.title = "more dimensions than a tensor holds",
     .text = "input x f32 131072\n"
             "y = reshape x shape=2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,4\n"
             "z = reshape y shape=4,4,4,4,4,4,4,4,2\n"
             "u = reshape z shape=4,4,4,4,4,4,4,2,2,2\noutput u",
     .status = MW_EINPUT,
     .message = "tensor 'x': its axes factor into more than 16 dims"},
};
enum { N_OPTION_ROWS = sizeof option_rows / sizeof option_rows[0] };

static void check_option(const struct option_row *row)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_graph placed, named;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status = mw_graph_init(&placed, &arena, "placed");
    if (status == MW_OK)
        status = mw_placed_parse(&placed, row->text);
    if (status == MW_OK)
        status = mw_graph_init(&named, &arena, "named");
    if (CHECK(status == MW_OK, "%s: %s", row->title, ctx.message))
        status = mw_names(&placed, row->rename, row->n, &named);
    CHECK(status == row->status, "%s: %s", row->title, ctx.message);
    CHECK(strcmp(ctx.message, row->message) == 0, "%s: '%s', want '%s'",
          row->title, ctx.message, row->message);
    if (row->tensor && status == MW_OK) {
        mw_id t = mw_graph_find_tensor(&named, row->tensor);
        const char *got = t == MW_NONE ? "none" : mw_named_axes(&named, t);
        CHECK(strcmp(got, row->axes) == 0, "%s: %s is [%s], want [%s]",
              row->title, row->tensor, got, row->axes);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void options(void)
{
    for (int i = 0; i < N_OPTION_ROWS; i++)
        check_option(&option_rows[i]);
}

static void warnings(void)
{
    static const char text[] =
        "input x f32 rows=4 batch=1 6\ninput y f32 lines=4 1 6\n"
        "a = add x y\noutput a";
    static const char *const wanted[] = {
        "'rows' and 'lines' are one dimension, here 'rows'",
        "input 'x': 'batch' has size 1, so nothing is split along it; set its "
        "size to plan for more",
    };
    mw_ctx ctx;
    mw_arena arena;
    mw_graph placed, named = {.n_dims = 0};
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status = name_text(&arena, text, &placed, &named);
    if (CHECK(status == MW_OK, "%s", ctx.message)) {
        const mw_warning *w = ctx.warning;
        for (int i = 0; i < 2; i++, w = w ? w->next : NULL)
            CHECK(w && strcmp(w->text, wanted[i]) == 0, "'%s', want '%s'",
                  w ? w->text : "nothing", wanted[i]);
        CHECK(!w, "one warning more");
        mw_id rows_dim = mw_graph_find_dim(&named, "rows");
        const char *synonym =
            rows_dim == MW_NONE ? NULL : named.dim[rows_dim].synonym;
        CHECK(synonym && strcmp(synonym, "lines") == 0, "the synonym is lost");
        CHECK(named.n_conditions == 1 &&
                  strcmp(named.condition[0], "batch = 1") == 0,
              "%d conditions", named.n_conditions);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static mw_status name_without_memory(mw_ctx *ctx, void *text)
{
    mw_arena arena;
    mw_graph placed, named;
    mw_arena_init(&arena, ctx);
    mw_status status = name_text(&arena, text, &placed, &named);
    mw_arena_free(&arena);
    return status;
}

static void memory(void)
{
    for (int i = 0; i < N_ROWS; i += 5) {
        char text[1024];
        (void)snprintf(text, sizeof text, "%s", rows[i].text);
        check_oom(rows[i].title, name_without_memory, text);
    }
}

const mw_suite mw_suite_names = {"names",
                                 {{"small graphs", small_graphs},
                                  {"random graphs", random_graphs},
                                  {"options", options},
                                  {"warnings", warnings},
                                  {"out of memory", memory}}};
