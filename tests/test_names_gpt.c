/* test_names_gpt.c - a decoder in primitives, of any depth: the dimensions that
 * its layers share, which of them may share a mesh axis, and growth with
 * depth. */
#include <stdio.h>
#include <string.h>

#include "ir/names.h"
#include "tests/placed_text.h"
#include "tests/test.h"

static const char *const head[] = {
    "input ids i64 batch=2 seq=6", "param wte f32 50 24", "param wpe f32 6 24",
    "t = gather wte ids axis=0",   "x0 = add t wpe",
};

/* '#' is the layer's number, '@' the next one's. */
static const char *const norm[] = {
    "param g% f32 24", "param b% f32 24", "s% = reduce_sum IN axes=2 keep=1",
    "c% = sub IN s%",  "q% = mul c% c%",  "v% = reduce_sum q% axes=2 keep=1",
    "r% = sqrt v%",    "d% = div c% r%",  "m% = mul d% g%",
    "n% = add m% b%",
};

static const char *const layer[] = {
    "NORM a# x#",
    "param wqkv# f32 24 72",
    "param bqkv# f32 72",
    "const mask# f32 6 6",
    "qkv0# = einsum na# wqkv# spec=abc,cd->abd",
    "qkv# = add qkv0# bqkv#",
    "q1# = slice qkv# axis=2 start=0 step=1 count=24",
    "k1# = slice qkv# axis=2 start=24 step=1 count=24",
    "v1# = slice qkv# axis=2 start=48 step=1 count=24",
    "q2# = reshape q1# shape=2,6,4,6",
    "k2# = reshape k1# shape=2,6,4,6",
    "v2# = reshape v1# shape=2,6,4,6",
    "q3# = transpose q2# perm=0,2,1,3",
    "k3# = transpose k2# perm=0,2,3,1",
    "v3# = transpose v2# perm=0,2,1,3",
    "sc# = einsum q3# k3# spec=abcd,abde->abce",
    "sm# = add sc# mask#",
    "mx# = reduce_max sm# axes=3 keep=1",
    "sd# = sub sm# mx#",
    "ex# = exp sd#",
    "su# = reduce_sum ex# axes=3 keep=1",
    "pr# = div ex# su#",
    "y1# = einsum pr# v3# spec=abce,abed->abcd",
    "y2# = transpose y1# perm=0,2,1,3",
    "y3# = reshape y2# shape=2,6,24",
    "param wo# f32 24 24",
    "y4# = einsum y3# wo# spec=abc,cd->abd",
    "z# = add x# y4#",
    "NORM f# z#",
    "param w1# f32 24 96",
    "param w2# f32 96 24",
    "h1# = einsum nf# w1# spec=abc,cd->abd",
    "h2# = tanh h1#",
    "h3# = einsum h2# w2# spec=abc,cd->abd",
    "x@ = add z# h3#",
};

static const char *const tail[] = {
    "param wout f32 24 50",
    "out = einsum x# wout spec=abc,cd->abd",
    "output out",
};

// Adds a line, numbers and the norm's names put in.
static void add_line(mw_graph *graph, const char *line, int number,
                     const char *name, const char *in, mw_status *status)
{
    char text[256], *to = text;
    for (const char *c = line; *c; c++) {
        const char *in_place = *c == '%' ? name : NULL;
        if (strncmp(c, "IN", 2) == 0) {
            in_place = in;
            c++;
        }
        if (in_place)
            to += sprintf(to, "%s", in_place);
        else if (*c == '#' || *c == '@')
            to += sprintf(to, "%d", number + (*c == '@'));
        else
            *to++ = *c;
    }
    *to = '\0';
    if (*status == MW_OK)
        *status = mw_placed_parse(graph, text);
}

static void add_norm(mw_graph *graph, const char *line, int number,
                     mw_status *status)
{
    char name[32], in[32];
    (void)snprintf(name, sizeof name, "%c%d", line[5], number);
    (void)snprintf(in, sizeof in, "%c%d", line[8], number);
    for (size_t i = 0; i < sizeof norm / sizeof norm[0]; i++)
        add_line(graph, norm[i], number, name, in, status);
}

static mw_status build(mw_graph *graph, int n_layers)
{
    mw_status status = MW_OK;
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        add_line(graph, head[i], 0, "", "", &status);
    for (int n = 0; n < n_layers; n++) {
        for (size_t i = 0; i < sizeof layer / sizeof layer[0]; i++) {
            if (strncmp(layer[i], "NORM", 4) == 0)
                add_norm(graph, layer[i], n, &status);
            else
                add_line(graph, layer[i], n, "", "", &status);
        }
    }
    for (size_t i = 0; i < sizeof tail / sizeof tail[0]; i++)
        add_line(graph, tail[i], n_layers, "", "", &status);
    return status;
}

static mw_status name_gpt(mw_arena *arena, int n_layers, mw_graph *named,
                          int64_t *n_alloc)
{
    mw_graph placed;
    MW_TRY(mw_graph_init(&placed, arena, "placed"));
    MW_TRY(build(&placed, n_layers));
    int64_t before = arena->ctx->n_alloc;
    MW_TRY(mw_graph_init(named, arena, "named"));
    MW_TRY(mw_names(&placed, NULL, 0, named));
    *n_alloc = arena->ctx->n_alloc - before;
    return MW_OK;
}

static void check_axes(const mw_graph *named, const char *tensor,
                       const char *want)
{
    mw_id t = mw_graph_find_tensor(named, tensor);
    const char *got = t == MW_NONE ? "none" : mw_named_axes(named, t);
    CHECK(strcmp(got, want) == 0, "%s is [%s], want [%s]", tensor, got, want);
}

static void check_layer(const mw_graph *named)
{
    check_axes(named, "ids", "batch seq");
    check_axes(named, "wte", "vocab d_model");
    check_axes(named, "wpe", "seq d_model");
    check_axes(named, "wqkv1", "d_model (parts heads d_head)");
    check_axes(named, "mask1", "seq seq.k");
    check_axes(named, "q11", "batch seq (heads d_head)");
    check_axes(named, "k31", "batch heads d_head seq");
    check_axes(named, "pr1", "batch heads seq seq.k");
    check_axes(named, "wo1", "(heads d_head) d_model");
    check_axes(named, "w11", "d_model d_ff");
    check_axes(named, "out", "batch seq logits");
}

static bool apart(const mw_graph *named, int set)
{
    for (int i = 0; i < named->n_dims; i++)
        for (int k = 0; k < i; k++)
            if ((set >> i & 1) && (set >> k & 1) &&
                named->interferes[i * named->n_dims + k])
                return false;
    return true;
}

// Which dimensions may share a mesh axis: the largest such sets.
static void check_independent(const mw_graph *named)
{
    static const char *const wanted[][6] = {
        {"batch"},
        {"seq"},
        {"heads", "d_ff", "vocab", "logits"},
        {"d_head", "d_ff", "vocab", "logits"},
        {"d_model", "seq.k"},
        {"parts", "seq.k", "d_ff", "vocab", "logits"},
    };
    enum { N_WANTED = sizeof wanted / sizeof wanted[0] };
    int n_found = 0, all = 1 << named->n_dims;
    for (int set = 1; set < all; set++) {
        bool largest = apart(named, set);
        for (int i = 0; largest && i < named->n_dims; i++)
            largest = (set >> i & 1) || !apart(named, set | 1 << i);
        n_found += largest;
    }
    CHECK(n_found == N_WANTED, "%d independent sets, want %d", n_found,
          N_WANTED);
    for (int w = 0; w < N_WANTED; w++) {
        int set = 0;
        for (int i = 0; i < 6 && wanted[w][i]; i++) {
            mw_id dim = mw_graph_find_dim(named, wanted[w][i]);
            if (CHECK(dim != MW_NONE, "no dim '%s'", wanted[w][i]))
                set |= 1 << dim;
        }
        bool largest = apart(named, set);
        for (int i = 0; largest && i < named->n_dims; i++)
            largest = (set >> i & 1) || !apart(named, set | 1 << i);
        CHECK(largest, "set %d with '%s' is not a largest independent one", w,
              wanted[w][0]);
    }
}

static void decoder(void)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_graph named;
    int64_t n_alloc;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status = name_gpt(&arena, 3, &named, &n_alloc);
    if (CHECK(status == MW_OK, "%s", ctx.message)) {
        CHECK(named.n_dims == 10, "%d dims, want 10", named.n_dims);
        int renames = mw_named_renames(&named);
        CHECK(renames == 6, "%d renames, want 2 a layer", renames);
        CHECK(mw_named_count(&named, "reshape") == 0, "a reshape is left");
        check_layer(&named);
        if (named.n_dims == 10)
            check_independent(&named);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

// Dimensions do not grow with depth, and what the pass does grows with it and
// not with its square: blocks of an arena are of one size in the end.
static void depth(void)
{
    static const int layers[] = {12, 48, 192};
    int64_t n_alloc[3] = {0};
    for (int i = 0; i < 3; i++) {
        mw_ctx ctx;
        mw_arena arena;
        mw_graph named;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        mw_status status = name_gpt(&arena, layers[i], &named, &n_alloc[i]);
        if (CHECK(status == MW_OK, "%d layers: %s", layers[i], ctx.message)) {
            CHECK(named.n_dims == 10, "%d layers: %d dims, want 10", layers[i],
                  named.n_dims);
            int renames = mw_named_renames(&named);
            CHECK(renames == 2 * layers[i], "%d layers: %d renames", layers[i],
                  renames);
        }
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
    CHECK(n_alloc[2] < 6 * n_alloc[1],
          "allocations for 12, 48, 192 layers: "
          "%lld, %lld, %lld",
          (long long)n_alloc[0], (long long)n_alloc[1], (long long)n_alloc[2]);
}

const mw_suite mw_suite_names_gpt = {
    "names_gpt", {{"dimensions of a decoder", decoder}, {"depth", depth}}};
