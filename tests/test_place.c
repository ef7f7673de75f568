/*
 * test_place.c - placing ops by position: shapes, refusals, and that the named
 * op which the names pass makes of them has the same letters and values.
 */
#include <stdio.h>
#include <string.h>

#include "ir/eval.h"
#include "ir/names.h"
#include "ir/op.h"
#include "ir/verify.h"
#include "tests/laws.h"
#include "tests/placed_text.h"
#include "tests/test.h"

enum { TEXT = 600 };

static const struct row {
    const char *in;    /* lines of parameters, ";" between them */
    const char *op;    /* of "y" */
    const char *want;  /* shape of y, or a part of the message */
    const char *named; /* the op in the named graph; NULL: the same */
} rows[] = {
    {"x f32 4 5; z f32 5", "add x z", "4 5", NULL},
    {"x f32 4 1; z f32 5", "add x z", "4 5", NULL},
    {"x f32 1 1; z f32", "add x z", "1 1", NULL},
    {"x f32 0 1; z f32 1 3", "add x z", "0 3", NULL},
    {"x f32 4 5; z f32 4", "add x z", "operand 1 axis 0 is 4, wanted 5 or 1",
     NULL},
    {"x f32 4; z i64 4", "add x z", "operand 1 is i64, wanted f32", NULL},
    {"x i64 4", "exp x", "not defined for i64", NULL},
    {"x f32 4", "and x x", "not defined for f32", NULL},
    {"x f32 4; z f32 3", "less x z", "operand 1 axis 0 is 3", NULL},
    {"x f32 4", "add x", "1 operands, wanted at least 2", NULL},
    {"x f32 4", "cast x to=i8", "4", NULL},
    {"x f32 4", "cast x", "attribute 'to' is missing", NULL},
    {"k bool 4 1; x f32 5; z f32", "where k x z", "4 5", NULL},
    {"k f32 4; x f32 4", "where k x x", "operand 0 is f32, wanted bool", NULL},
    {"x f32 4 5; w f32 5 6", "einsum x w spec=ab,bc->ac", "4 6", NULL},
    {"x f32 2 1 4 5; w f32 3 5 6", "einsum x w spec=zabc,acd->zabd", "2 3 4 6",
     NULL},
    {"x f32 4 5", "einsum x spec=ab->ba", "5 4", NULL},
    {"x f32 4 5; w f32 6 5", "einsum x w spec=ab,bc->ac",
     "operand 1 axis 0 is 6 where 'b' is 5", NULL},
    {"x f32 4 5; w f32 5", "einsum x w spec=ab,bc->ac", "operand 1 has 1 axes",
     NULL},
    {"x f32 4 5; w f32 5 6", "einsum x w spec=ab,b->a", "operand 1 has 2 axes",
     NULL},
    {"x f32 4 4; w f32 4", "einsum x w spec=aa,a->a", "are one letter", NULL},
    {"x f32 4 5; w f32 5 6", "einsum x w spec=ab,bc->ad",
     "'d' is in no operand", NULL},
    {"x f32 4 5; w f32 5 6", "einsum x w spec=ab->ac", "wanted ','", NULL},
    {"x f32 4 5 6", "reduce_sum x axes=0,-1 keep=1", "1 5 1", NULL},
    {"x f32 4 5 6", "reduce_max x axes=1 keep=0", "4 6", NULL},
    {"x f32 4 5 6", "reduce_max x axes=3", "axis is 3, wanted -3 to 2", NULL},
    {"x f32 4 5 6", "reduce_max x axes=1,-2", "axis 1 is there twice", NULL},
    {"x bool 4 5", "reduce_min x axes=1 keep=0", "4", NULL},
    {"x bool 4 5", "reduce_sum x axes=1 keep=0", "not defined for bool", NULL},
    {"x f32 4 1 6", "transpose x perm=2,-3,1", "6 4 1", NULL},
    {"x f32 4 6", "transpose x perm=1,1", "perm[1] is 1", NULL},
    {"x f32 4 6", "transpose x perm=1", "perm has 1 axes, wanted 2", NULL},
    {"x f32 5 12 8", "reshape x shape=5,16,6", "5 16 6", NULL},
    {"x f32 5 12", "reshape x shape=5,3,4,1", "5 3 4 1", "rename"},
    {"x f32 5 12", "reshape x shape=5,7", "60 elements", NULL},
    {"x f32 5 12", "reshape x shape=-1,12", "shape[0] is -1", NULL},
    {"x f32 5 0", "reshape x shape=0,7", "0 7", NULL},
    {"x f32 1 5", "broadcast x shape=2,3,1", "2 3 5", NULL},
    {"x f32 4 5", "broadcast x shape=3,5", "axis 0 is 4, wanted 3 or 1", NULL},
    {"x f32 4 9", "slice x axis=-1 start=1 step=3 count=3", "4 3", NULL},
    {"x f32 4 9", "slice x axis=1 start=8 step=-4 count=3", "4 3", NULL},
    {"x f32 4 9", "slice x axis=1 start=5 step=1 count=1", "4 1", NULL},
    {"x f32 4 9", "slice x axis=1 start=9 step=1 count=0", "4 0", NULL},
    {"x f32 4 9", "slice x axis=1 start=7 step=1 count=3",
     "3 elements from 7 by 1 do not lie within 9", NULL},
    {"x f32 4 9", "slice x axis=1 start=0 step=0 count=3", "step is 0", NULL},
    {"x f32 4 9", "slice x axis=1 start=2 step=4611686018427387904 count=5",
     "do not lie within 9", NULL},
    {"x f32 4 9", "slice x axis=2 start=0 step=1 count=3",
     "axis is 2, wanted -2 to 1", NULL},
    {"x f32 4 1", "slice x axis=1 start=0 step=1 count=0", "4 0", "broadcast"},
    {"x f32 4 5", "pad x axis=1 before=2 after=1 value=3", "4 8", NULL},
    {"x f32 4 1", "pad x axis=1 before=2 after=1", "4 4", NULL},
    {"x f32 4 5", "pad x axis=1 before=-2 after=1", "-2 before and 1 after",
     NULL},
    {"x f32 4 5; z f32 4 2", "concat x z axis=1", "4 7", NULL},
    {"x f32 4 5; z f32 4 1", "concat x z axis=-1", "4 6", NULL},
    {"x f32 4 5; z f32 4 0; u f32 4 2", "concat x z u axis=1", "4 7", "concat"},
    {"x f32 4 5; z f32 3 2", "concat x z axis=1",
     "operand 1 axis 0 is 3, wanted 4", NULL},
    {"x f32 4 5; z f32 4", "concat x z axis=1", "operand 1 has 1 axes", NULL},
    {"t f32 9 5; i i64 2 3", "gather t i axis=0", "2 3 5", NULL},
    {"t f32 4 9 5; i i64", "gather t i axis=1", "4 5", NULL},
    {"t f32 4 9; i i64 1 3", "gather t i axis=-1", "4 1 3", NULL},
    {"t f32 1 5; i i64 0", "gather t i axis=0", "0 5", NULL},
    {"t f32 4 9; i i64 4 3", "gather t i axis=1 along=1", "4 3", NULL},
    {"t f32 9 1; i i64 3 1", "gather t i axis=0 along=1", "3 1", NULL},
    {"t f32 4 9; i i64 2 3", "gather t i axis=1 along=1",
     "axis 0 of the indices is 2, wanted 4", NULL},
    {"g f32 2 3 5; i i64 2 3", "scatter_add g i axis=0 size=9", "9 5", NULL},
    {"g f32 4 3; i i64 3", "scatter_add g i axis=-1 size=9", "4 9", NULL},
    {"g f32 4 3; i i64 3", "scatter_add g i axis=1 size=1", "4 1", NULL},
    {"g f32 4 3; i i64 4 3", "scatter_add g i axis=1 size=9 along=1", "4 9",
     NULL},
    {"g f32 4 3; i i64 2", "scatter_add g i axis=1 size=9",
     "axis 1 of the updates is 3, wanted 2", NULL},
    {"g bool 4; i i64 4", "scatter_add g i axis=0 size=9",
     "not defined for bool", NULL},
    {"t f32 9 5; i i64 2 3; g f32 2 3 5", "scatter t i g axis=0 mode=set",
     "9 5", NULL},
    {"t f32 4 9; i i64 4 3; g f32 4 3", "scatter t i g axis=1 along=1 mode=max",
     "4 9", NULL},
    {"t f32 9; i i64 3; g f32 3", "scatter t i g axis=0 mode=or",
     "mode is 'or', wanted set", NULL},
    {"t f32 9; i i64 3; g f64 3", "scatter t i g axis=0 mode=set",
     "operand 2 is f64, wanted f32", NULL},
    {"i i64 2 3", "one_hot i axis=-1 size=5 to=f32", "2 3 5", NULL},
    {"i i64 3", "one_hot i axis=0 size=1 to=bool", "1 3", NULL},
    {"i f32 3", "one_hot i axis=0 size=4 to=f32", "indices are f32", NULL},
    {"x f32 4 9", "cumsum x axis=1 exclusive=1", "4 9", NULL},
    {"x f32 4 1", "cumsum x axis=-1 exclusive=1", "4 1", NULL},
    {"x bool 4", "cumsum x axis=0", "not defined for bool", NULL},
    {"x f32 4 9", "flip x axis=1", "4 9", NULL},
    {"x f32 2 3 9 8",
     "pool_max x in_axes=2,3 kernel=3,2 strides=2,1 dilations=1,1 "
     "pads_begin=1,0 pads_end=1,1",
     "2 3 5 8", NULL},
    {"x f32 2 5",
     "pool_average x in_axes=1 kernel=2 strides=2 dilations=1 pads_begin=0 "
     "pads_end=0",
     "2 2", NULL},
    {"x f32 2 5",
     "pool_average x in_axes=1 kernel=2 strides=2 dilations=1 pads_begin=0 "
     "pads_end=0 ceil=1",
     "2 3", NULL},
    {"x f32 2 3",
     "pool_sum x in_axes=1 kernel=2 strides=2 dilations=1 pads_begin=0 "
     "pads_end=0",
     "2 1", NULL},
    {"x f32 2 1",
     "pool_sum x in_axes=1 kernel=2 strides=2 dilations=1 pads_begin=0 "
     "pads_end=0",
     "2 taps, 1 apart, do not fit into 1", NULL},
    {"x i64 2 5",
     "pool_average x in_axes=1 kernel=2 strides=2 dilations=1 pads_begin=0 "
     "pads_end=0",
     "not defined for i64", NULL},
    {"x f32 2 5",
     "pool_sum x in_axes=2 kernel=2 strides=2 dilations=1 pads_begin=0 "
     "pads_end=0",
     "in_axes[0] is 2, wanted another axis", NULL},
    {"x f32 2 3 9 8; d f32 2 3 5 8",
     "pool_max_grad x d in_axes=2,3 kernel=3,2 strides=2,1 dilations=1,1 "
     "pads_begin=1,0 pads_end=1,1",
     "2 3 9 8", NULL},
    {"d f32 2 2",
     "pool_sum_grad d in_axes=1 kernel=2 strides=2 dilations=1 pads_begin=0 "
     "pads_end=0 sizes=5",
     "2 5", NULL},
    {"d f32 2 2",
     "pool_average_grad d in_axes=1 kernel=2 strides=2 dilations=1 "
     "pads_begin=0 pads_end=0 sizes=6",
     "operand 0 axis 1 is 2, wanted 3", NULL},
    {"x f32 2 3 4; w f32 3 5 3",
     "conv_transpose x w strides=2 dilations=1 pads_begin=1 pads_end=1",
     "2 5 7", NULL},
    {"x f32 2 3 4; w f32 3 5 3",
     "conv_transpose x w strides=2 dilations=1 pads_begin=1 pads_end=1 "
     "output_padding=1",
     "2 5 8", NULL},
    {"x f32 2 3 2 4; w f32 3 2 5 3",
     "conv_transpose x w group=3 strides=2 dilations=1 pads_begin=1 pads_end=1",
     "2 3 5 7", NULL},
    {"x f32 2 3 4; w f32 4 5 3",
     "conv_transpose x w strides=2 dilations=1 pads_begin=1 pads_end=1",
     "operand 1 axis 0 is 4 where operand 0 axis 1 is 3", NULL},
    {"x f32 2 3 7; d f32 2 5 4",
     "conv_weight_grad x d kernel=3 strides=2 dilations=1 pads_begin=1 "
     "pads_end=1",
     "5 3 3", NULL},
    {"x f32 2 2 3 7; d f32 2 2 5 4",
     "conv_weight_grad x d group=2 kernel=3 strides=2 dilations=1 pads_begin=1 "
     "pads_end=1",
     "2 5 3 3", NULL},
    {"x f32 2 3 7; d f32 2 5 5",
     "conv_weight_grad x d kernel=3 strides=2 dilations=1 pads_begin=1 "
     "pads_end=1",
     "5 outputs, wanted 4 of 3 taps", NULL},
    {"s i64", "random_uniform s shape=2,3 to=f32 seed=4", "2 3", NULL},
    {"s i64 1", "random_bernoulli s shape=2,1 to=bool p=0.5", "2 1", NULL},
    {"s i64", "random_normal s shape=3 to=i32", "not defined for i32", NULL},
    {"s i64 2", "random_normal s shape=3 to=f32", "wanted a step: i64 of 1",
     NULL},
    {"s i64", "random_bernoulli s shape=3 to=f32 p=2", "p is 2, wanted 0 to 1",
     NULL},
    {"x f32 4 9", "shift x axis=0 by=-2", "4 9", NULL},
    {"x f32 4 9", "shift x axis=2 by=1", "axis is 2, wanted -2 to 1", NULL},
    {"t f32 9 5; i f32 3", "gather t i axis=0", "indices are f32", NULL},
    {"x f32 2 3 8; w f32 4 3 3",
     "conv x w strides=2 dilations=1 pads_begin=1 pads_end=0", "2 4 4", NULL},
    {"x f32 2 3 8 7; w f32 4 3 3 2",
     "conv x w strides=1,2 dilations=2,1 pads_begin=0,1 pads_end=1,0",
     "2 4 5 4", NULL},
    {"x f32 1 3 8; w f32 1 3 8",
     "conv x w strides=1 dilations=1 pads_begin=0 pads_end=0", "1 1 1", NULL},
    {"x f32 2 3 8; w f32 4 3 1",
     "conv x w strides=1 dilations=1 pads_begin=0 pads_end=0", "2 4 8", NULL},
    {"x f32 2 3 8; w f32 4 3 1",
     "conv x w strides=8 dilations=1 pads_begin=0 pads_end=0", "2 4 1", NULL},
    {"x f32 2 3 1; w f32 4 3 3",
     "conv x w strides=1 dilations=1 pads_begin=2 pads_end=2", "2 4 3", NULL},
    {"x f32 2 3 2 8; w f32 3 5 2 3",
     "conv x w strides=1 dilations=1 pads_begin=0 pads_end=0 group=3",
     "2 3 5 6", NULL},
    {"x f32 2 3 1 8; w f32 3 1 1 3",
     "conv x w strides=1 dilations=1 pads_begin=0 pads_end=0 group=3",
     "2 3 1 6", NULL},
    {"x f32 2 3 4 5 6; w f32 7 3 2 2 2",
     "conv x w strides=1,1,2 dilations=1,1,1 pads_begin=0,0,0 pads_end=0,0,0",
     "2 7 3 4 3", NULL},
    {"x f32 2 4 8; w f32 4 3 3",
     "conv x w strides=1 dilations=1 pads_begin=0 pads_end=0",
     "operand 1 axis 1 is 3 where operand 0 axis 1 is 4", NULL},
    {"x f32 2 3 2; w f32 4 3 4",
     "conv x w strides=1 dilations=1 pads_begin=0 pads_end=1",
     "4 taps, 1 apart, do not fit into 2", NULL},
    {"x f32 2 3 8; w f32 4 3 3",
     "conv x w strides=1,1 dilations=1,1 pads_begin=0,0 pads_end=0,0",
     "operands have 3 and 3 axes, wanted 4", NULL},
    {"x f32 2 3 8; w f32 4 3 3",
     "conv x w strides=0 dilations=1 pads_begin=0 pads_end=0",
     "strides[0] is 0, wanted 1", NULL},
    {"x f32 2 3 8; w f32 4 3 3",
     "conv x w strides=1 dilations=1 pads_begin=0,1 pads_end=0",
     "pads_begin has 2 entries, wanted 1", NULL},
    {"x f32 2 4 8; w f32 3 5 2 3",
     "conv x w strides=1 dilations=1 pads_begin=0 pads_end=0 group=3",
     "operands have 3 and 4 axes, wanted 4", NULL},
};

// Lines of the placed text: parameters, so that they have values.
static void placed_text(const struct row *row, char text[TEXT])
{
    size_t n = (size_t)snprintf(text, TEXT, "param ");
    for (const char *c = row->in; *c; c++)
        n += (size_t)snprintf(text + n, TEXT - n, *c == ';' ? "\nparam" : "%c",
                              *c);
    (void)snprintf(text + n, TEXT - n, "\ny = %s\noutput y\n", row->op);
}

static void shape_text(const mw_tensor *tensor, char text[TEXT])
{
    size_t n = 0;
    text[0] = '\0';
    for (int a = 0; a < tensor->rank; a++)
        n += (size_t)snprintf(text + n, TEXT - n, "%s%lld", a ? " " : "",
                              (long long)tensor->axis[a].size);
}

// "a~b,bc->ac": letters by first use, "~" before a window; those of axes of
// size 1 are left out.
static void letter_text(const mw_op *op, char text[TEXT])
{
    int seen[MW_MAX_LETTERS], n_seen = 0;
    size_t n = 0;
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        const mw_operand *operand =
            i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
        for (int a = 0; a < MW_MAX_RANK; a++) {
            int letter = operand->letter[a], k = 0;
            if (letter == MW_NONE)
                continue;
            while (k < n_seen && seen[k] != letter)
                k++;
            seen[k] = letter;
            n_seen += k == n_seen;
            n += (size_t)snprintf(text + n, TEXT - n, "%s%c",
                                  operand->window >> a & 1 ? "~" : "", 'a' + k);
        }
        n += (size_t)snprintf(text + n, TEXT - n, ",");
    }
}

// The named graph computes the same, by the same letters.
static void check_named(const struct row *row, mw_arena *arena,
                        const mw_graph *placed)
{
    char of_placed[TEXT] = "", of_named[TEXT] = "";
    mw_graph named;
    bool ok = mw_graph_init(&named, arena, "m") == MW_OK &&
              mw_names(placed, NULL, 0, &named) == MW_OK &&
              mw_verify(&named) == MW_OK;
    const void **a = MW_NEW_ARRAY(arena, placed->n_tensors, const void *);
    const void **b =
        ok ? MW_NEW_ARRAY(arena, named.n_tensors, const void *) : NULL;
    ok = a && b && mw_eval_graph(arena, placed, a) == MW_OK &&
         mw_eval_graph(arena, &named, b) == MW_OK;
    CHECK(ok, "%s: %s", row->op, placed->ctx->message);
    if (!ok)
        return;
    mw_id y = mw_graph_find_tensor(placed, "y");
    mw_id z = mw_graph_find_tensor(&named, "y");
    const mw_tensor *tensor = &placed->tensor[y];
    CHECK(law_differences(tensor->dtype, a[y], b[z],
                          mw_tensor_elements(tensor)) == 0,
          "%s: another value by name", row->op);
    const mw_op *op = NULL;
    for (int k = 0; k < named.n_ops && !op; k++) {
        const char *def = row->named ? row->named : placed->op[0].def->name;
        if (strcmp(named.op[k].def->name, def) == 0)
            op = &named.op[k];
    }
    CHECK(op, "%s: no such op by name", row->op);
    if (!op || row->named)
        return;
    letter_text(&placed->op[0], of_placed);
    letter_text(op, of_named);
    CHECK(strcmp(of_placed, of_named) == 0, "%s on %s: letters %s, by name %s",
          row->op, row->in, of_placed, of_named);
}

static void places(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        char text[TEXT], shape[TEXT] = "";
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        placed_text(row, text);
        mw_status status = mw_graph_init(&graph, &arena, "m");
        if (status == MW_OK)
            status = mw_placed_parse(&graph, text);
        if (status == MW_OK)
            shape_text(&graph.tensor[graph.n_tensors - 1], shape);
        bool refused = row->want[0] &&
                       strspn(row->want, "0123456789 ") < strlen(row->want);
        if (refused)
            CHECK(status == MW_EINPUT && strstr(ctx.message, row->want),
                  "%s on %s: got %s %s, want %s", row->op, row->in, shape,
                  ctx.message, row->want);
        else
            CHECK(status == MW_OK && strcmp(shape, row->want) == 0,
                  "%s on %s: got %s %s, want %s", row->op, row->in, shape,
                  ctx.message, row->want);
        if (!refused && status == MW_OK)
            check_named(row, &arena, &graph);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

const mw_suite mw_suite_place = {"place",
                                 {{"shapes, refusals and letters", places}}};
