/*
 * test_unroll.c - the steps of scans as ops give what the scans give, and may
 * be split where a scan may not: a recurrent cell's hidden dimension.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/eval.h"
#include "ir/number.h"
#include "ir/op.h"
#include "ir/text.h"
#include "ir/unroll.h"
#include "ir/verify.h"
#include "tests/fixture.h"
#include "tests/shell.h"
#include "tests/step_lines.h"
#include "tests/test.h"

/* Besides the row's own samples: one step, carries that change places, a body's
 * dim that the graph has in another size, no step. */
static const char *const extra[] = {
    "model m\ndim t = 1\ndim a = 3\n"
    "body b\ndim a = 3\ninput s : f64[a]\ninput x : f64[a]\n"
    "y = add(s, x) : f64[a]\nresult y, y\nend\n"
    "input s : f64[a]\ninput x : f64[t, a]\n"
    "u, v = scan(s, x, body=b, carries=1, dim=t) : f64[a], f64[t, a]\n"
    "output u\noutput v\n",
    "model m\ndim t = 4\ndim a = 3\n"
    "body c\ndim a = 3\ninput p : f64[a]\ninput q : f64[a]\n"
    "input x : f64[a]\ninput k : f64[]\n"
    "y = mul(p, x) : f64[a]\nz = mul(y, k) : f64[a]\nresult q, z, p\nend\n"
    "input p : f64[a]\ninput q : f64[a]\ninput x : f64[t, a]\n"
    "input k : f64[]\n"
    "u, v, w = scan(p, q, x, k, body=c, carries=2, dim=t) : f64[a], f64[a], "
    "f64[t, a]\n"
    "output u\noutput v\noutput w\n",
    "model m\ndim t = 3\ndim a = 2\ndim k = 5\n"
    "body b\ndim a = 2\ndim k = 2 of a by alias\ninput s : f64[a]\n"
    "input x : f64[a]\nr = rename(s) : f64[k]\nq = mul(r, r) : f64[k]\n"
    "o = rename(q) : f64[a]\ny = add(o, x) : f64[a]\nresult y\nend\n"
    "input s : f64[a]\ninput x : f64[t, a]\ninput z : f64[k]\n"
    "u = scan(s, x, body=b, carries=1, dim=t) : f64[a]\n"
    "y = reduce_sum(z) : f64[]\noutput u\noutput y\n",
    "model m\ndim t = 0\ndim a = 3\n"
    "body b\ndim a = 3\ninput s : f64[a]\ninput x : f64[a]\n"
    "y = add(s, x) : f64[a]\nresult y, y\nend\n"
    "input s : f64[a]\ninput x : f64[t, a]\n"
    "u, v = scan(s, x, body=b, carries=1, dim=t) : f64[a], f64[t, a]\n"
    "output u\noutput v\n",
};

static mw_status fill(mw_arena *arena, const mw_graph *graph,
                      const void ***value)
{
    uint64_t state = 5;
    *value = MW_NEW_ARRAY(arena, graph->n_tensors, const void *);
    for (mw_id t = 0; *value && t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (tensor->role != MW_ROLE_INPUT)
            continue;
        char *data =
            mw_arena_alloc(arena, (size_t)mw_tensor_bytes(tensor) + 8, 1);
        if (!data)
            return MW_ENOMEM;
        for (int64_t i = 0; i < mw_tensor_elements(tensor); i++) {
            double part = (double)(mw_test_random(&state) % 1000) / 1000;
            const mw_number x = {.f = part - 0.5};
            mw_numbers_store(tensor->dtype, data, i, 1, 1, &x);
        }
        (*value)[t] = data;
    }
    return *value ? MW_OK : MW_ENOMEM;
}

static mw_status evaluate(mw_arena *arena, const mw_graph *graph,
                          const void ***value)
{
    MW_TRY(fill(arena, graph, value));
    return mw_eval_graph(arena, graph, *value);
}

static mw_status same_values(mw_arena *arena, const mw_graph *looped,
                             const mw_graph *steps, int *n_equal)
{
    const void **a, **b;
    MW_TRY(evaluate(arena, looped, &a));
    MW_TRY(evaluate(arena, steps, &b));
    *n_equal = 0;
    for (mw_id t = 0; t < looped->n_tensors; t++) {
        const mw_tensor *tensor = &looped->tensor[t];
        if (!tensor->output)
            continue;
        mw_id other = mw_graph_find_tensor(steps, tensor->name);
        bool same =
            other != MW_NONE && steps->tensor[other].output &&
            memcmp(a[t], b[other], (size_t)mw_tensor_bytes(tensor)) == 0;
        CHECK(same, "'%s' of '%s' differs", tensor->name, looped->name);
        *n_equal += same;
    }
    return MW_OK;
}

static mw_status try_text(fixture *f, const char *text, int *n_equal)
{
    mw_graph looped, steps;
    MW_TRY(mw_graph_init(&looped, &f->arena, "m"));
    MW_TRY(mw_text_parse(&looped, "sample", text));
    MW_TRY(mw_graph_init(&steps, &f->arena, "m"));
    MW_TRY(mw_unroll(&looped, &steps));
    MW_TRY(mw_verify(&steps));
    for (int k = 0; k < steps.n_ops; k++)
        CHECK(!mw_op_attr(&steps.op[k], "body") || strstr(text, "dim t = 0"),
              "a scan is left: %s", text);
    return same_values(&f->arena, &looped, &steps, n_equal);
}

static void check_text(const char *text)
{
    fixture f;
    int n_equal = 0;
    open_fixture(&f);
    mw_status status = try_text(&f, text, &n_equal);
    CHECK(status == MW_OK && n_equal > 0, "%s: %s\n%s", f.ctx.where,
          f.ctx.message, text);
    close_fixture(&f);
}

static void values(void)
{
    const mw_op_def *scan = mw_op_find("scan");
    for (int i = 0; scan->samples[i]; i++)
        check_text(scan->samples[i]);
    for (size_t i = 0; i < sizeof extra / sizeof extra[0]; i++)
        check_text(extra[i]);
}

/* ---- as a user ---- */

static bool run(fixture *f, mw_shell *got, const char *format, ...)
    MW_PRINTF(3, 4);
static bool run(fixture *f, mw_shell *got, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return mw_shell_run(&f->arena, line, got) &&
           CHECK(got->exit_status == 0, "%s: %s%s", line, got->out, got->err);
}

// A recurrent model's losses with its hidden dimension split, against the
// scan's on one rank.
static void hidden_split(void)
{
    static const char *const how[] = {
        "--mesh 1", "--unroll --mesh 2 --rule hidden=m0",
        "--unroll --mesh 3 --rule hidden=m0",
        "--unroll --mesh 2x2 --rule hidden=m1 --scope global"};
    fixture f;
    step_lines first, got;
    mw_shell shown;
    open_fixture(&f);
    for (int i = 0; i < 4; i++) {
        step_lines *lines = i == 0 ? &first : &got;
        if (!run(&f, &shown,
                 "meshwright plan lstm --set layers=2 --set vocab=256 --set "
                 "seq=3 --set batch=4 --set d_model=10 --set dtype=f64 --top 1 "
                 "--train adam,lr=0.01 %s -o $S/unroll.json",
                 how[i]))
            break;
        CHECK(i == 0 || strstr(shown.out, "hidden"), "%s: %s", how[i],
              shown.out);
        if (!run(&f, &shown, "meshwright check $S/unroll.json") ||
            !run(&f, &shown, "meshwright verify $S/unroll.json") ||
            !run(&f, &shown,
                 "meshwright train $S/unroll.json --data README.md "
                 "--steps 5 --format json --quiet"))
            break;
        read_step_lines(&f.arena, shown.out, lines);
        if (i > 0)
            same_losses(how[i], &got, first.loss, 0, 1e-9);
    }
    close_fixture(&f);
}

static void every_split(void)
{
    fixture f;
    mw_shell got;
    open_fixture(&f);
    (void)run(
        &f, &got,
        "meshwright verify lstm --set layers=1 --set vocab=7 --set seq=3 "
        "--set batch=4 --set d_model=5 --unroll --all-strategies --mesh 2");
    (void)run(&f, &got,
              "meshwright plan tests/data/edge/loop_accum.onnx --unroll --mesh "
              "3 --quiet -o $S/unroll.json");
    (void)run(&f, &got,
              "meshwright run $S/unroll.json --input "
              "tests/data/edge/loop_accum.npz --expect "
              "tests/data/edge/loop_accum.npz");
    close_fixture(&f);
}

const mw_suite mw_suite_unroll = {"unroll",
                                  {{"values", values},
                                   {"hidden dimension split", hidden_split},
                                   {"every split", every_split}}};
