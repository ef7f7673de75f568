/*
 * test_laws.c - laws over the registry of ops: every split equals the whole,
 * for every row's samples with sizes that divide, do not, are smaller than the
 * mesh, and 0. Broken copies of rows must break the law.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/rule.h"
#include "ir/text.h"
#include "tests/laws.h"
#include "tests/test.h"

static const char *const meshes[] = {"2", "3", "4", "2x2"};

// Runs the law on all ops of a text, with another size of a dim (or NULL), in
// bodies too; false when the text is not accepted.
static bool run_text(const char *text, const mw_size_option *size,
                     law_result *result)
{
    mw_ctx ctx;
    mw_arena arena;
    mw_graph graph;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    bool parsed = mw_graph_init(&graph, &arena, "m") == MW_OK &&
                  mw_text_parse_sized(&graph, "sample", text, size,
                                      size != NULL) == MW_OK;
    for (size_t m = 0; parsed && m < sizeof meshes / sizeof meshes[0]; m++) {
        for (int k = 0; k < graph.n_ops; k++) {
            mw_status status =
                law_splits(&arena, &graph, &graph.op[k], meshes[m], result);
            CHECK(status == MW_OK, "%s: %s", text, ctx.message);
        }
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
    return parsed;
}

// The name of the nth free dim; false when there are not so many. Dims that
// others are derived from, and those, are not free.
static bool free_dim(const char *text, int n, char *name, size_t cap)
{
    for (const char *at = strstr(text, "dim "); at;
         at = strstr(at + 1, "\ndim ")) {
        const char *dim = *at == '\n' ? at + 1 : at;
        const char *end = strchr(dim, '\n');
        const char *equals = strchr(dim, '=');
        const char *of = strstr(dim, " of ");
        if ((of && of < end) || n-- > 0)
            continue;
        (void)snprintf(name, cap, "%.*s", (int)(equals - 1 - (dim + 4)),
                       dim + 4);
        return true;
    }
    return false;
}

// Every free dim of a sample takes other sizes; those that the row refuses (its
// attributes say otherwise) are left out, but some must remain.
static void vary(const mw_op_def *def, const char *sample)
{
    static const int sizes[] = {0, 1, 2, 3, 7};
    char name[64];
    int n_accepted[sizeof sizes / sizeof sizes[0]] = {0}, n_dims = 0;
    for (int n = 0; free_dim(sample, n, name, sizeof name); n++) {
        n_dims++;
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            law_result result = {0};
            const mw_size_option size = {.name = name, .size = sizes[s]};
            if (!run_text(sample, &size, &result))
                continue;
            n_accepted[s]++;
            CHECK(result.n_cases > 0 && result.n_failed == 0,
                  "%s: %d of %d splits: %s\n%s=%d\n%s", def->name,
                  result.n_failed, result.n_cases, result.first, name, sizes[s],
                  sample);
        }
    }
    for (size_t s = 0; n_dims > 1 && s < sizeof sizes / sizeof sizes[0]; s++)
        CHECK(n_accepted[s] > 0, "%s: no dim of size %d is accepted:\n%s",
              def->name, sizes[s], sample);
}

static void splits(void)
{
    for (int i = 0; i < mw_op_count; i++) {
        const mw_op_def *def = mw_op_table[i];
        for (const char *const *sample = def->samples; *sample; sample++) {
            law_result result = {0};
            CHECK(run_text(*sample, NULL, &result),
                  "%s: a sample is refused:\n%s", def->name, *sample);
            CHECK(result.n_cases > 0 && result.n_failed == 0,
                  "%s: %d of %d splits: %s\n%s", def->name, result.n_failed,
                  result.n_cases, result.first, *sample);
            vary(def, *sample);
        }
    }
}

static void rows_by_name(void)
{
    for (int i = 0; i < mw_op_count; i++) {
        const char *name = mw_op_table[i]->name;
        CHECK(mw_op_find(name) == mw_op_table[i],
              "%s: not the row that is found by its name", name);
    }
    CHECK(!mw_op_find("") && !mw_op_find("~") && !mw_op_find("matmull"),
          "a row is found by a name that none has");
}

static mw_span window_short(const mw_graph *graph, const mw_op *op, int operand,
                            int axis, mw_span block)
{
    mw_span span =
        mw_op_find(op->def->name)->window(graph, op, operand, axis, block);
    span.hi -= span.hi > span.lo;
    return span;
}

// The reference of the unchanged row.
static void as_was(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_op unchanged = *op;
    unchanged.def = mw_op_find(op->def->name);
    unchanged.def->ref(&unchanged, in, out);
}

static void no_start(const mw_op *op, const mw_view in[], mw_view out[])
{
    mw_view moved[4];
    for (int i = 0; i < op->n_in; i++) {
        moved[i] = in[i];
        memset(moved[i].start, 0, sizeof moved[i].start);
    }
    mw_view to = out[0];
    memset(to.start, 0, sizeof to.start);
    as_was(op, moved, &to);
}

// Ways to break a row.
static void set_sum(mw_op_def *def)
{
    def->reduce = MW_REDUCE_SUM;
    def->ref = as_was;
}

static void set_max(mw_op_def *def)
{
    def->reduce = MW_REDUCE_MAX;
    def->ref = as_was;
}

static void set_all(mw_op_def *def)
{
    def->linear[0] = MW_LINEAR_ALL;
    def->is_linear = NULL;
}

static void set_first(mw_op_def *def)
{
    def->linear[0] = 1;
    def->is_linear = NULL;
}

static void set_second(mw_op_def *def)
{
    def->linear[0] = 2;
    def->is_linear = NULL;
}

static void set_any(mw_op_def *def)
{
    def->is_linear = NULL;
}

static void set_short(mw_op_def *def)
{
    def->window = window_short;
}

static void set_still(mw_op_def *def)
{
    def->ref = no_start;
}

static void unpin(mw_letter *letter)
{
    letter->pinned = false;
}

static const struct mutation {
    const char *op;
    void (*change)(mw_op_def *def);
    void (*letter)(mw_letter *letter);
} mutations[] = {
    {"reduce_max", set_sum, NULL},
    {"reduce_min", set_sum, NULL},
    {"reduce_prod", set_sum, NULL},
    {"reduce_sum", set_max, NULL},
    {"einsum", set_max, NULL},
    {"gather", set_max, NULL},
    {"conv", set_max, NULL},
    {"relu", set_first, NULL},
    {"exp", set_first, NULL},
    {"abs", set_first, NULL},
    {"mul", set_all, NULL},
    {"einsum", set_all, NULL},
    {"add", set_first, NULL},
    {"sub", set_second, NULL},
    {"div", set_any, NULL},
    {"div", set_second, NULL},
    {"pad", set_any, NULL},
    {"cast", set_any, NULL},
    {"where", set_second, NULL},
    {"concat", set_first, NULL},
    {"reduce_max", set_first, NULL},
    {"reduce_prod", set_first, NULL},
    {"gather", set_all, NULL},
    {"conv", set_all, NULL},
    {"slice", set_short, NULL},
    {"pad", set_short, NULL},
    {"concat", set_short, NULL},
    {"conv", set_short, NULL},
    {"slice", set_still, NULL},
    {"pad", set_still, NULL},
    {"concat", set_still, NULL},
    {"conv", set_still, NULL},
    {"gather", set_still, NULL},
    {"iota", set_still, NULL},
    {"one_hot", set_still, NULL},
    {"scatter_add", set_still, NULL},
    {"scatter", set_still, NULL},
    {"random_uniform", set_still, NULL},
    {"scatter_add", set_max, NULL},
    {"conv_transpose", set_max, NULL},
    {"conv_weight_grad", set_max, NULL},
    {"pool_max", set_first, NULL},
    {"conv_weight_grad", set_all, NULL},
    {"reshape", NULL, unpin},
};

// The failures of a row's samples when the row is changed.
static int broken(const struct mutation *m)
{
    mw_op_def def = *mw_op_find(m->op);
    law_result result = {0};
    if (m->change)
        m->change(&def);
    for (const char *const *sample = def.samples; *sample; sample++) {
        mw_ctx ctx;
        mw_arena arena;
        mw_graph graph;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        bool ok = mw_graph_init(&graph, &arena, "m") == MW_OK &&
                  mw_text_parse(&graph, "sample", *sample) == MW_OK;
        mw_op *op = ok ? &graph.op[0] : NULL;
        for (int l = 0; ok && m->letter && l < op->n_letters; l++)
            m->letter(&op->letter[l]);
        for (size_t i = 0; ok && i < sizeof meshes / sizeof meshes[0]; i++) {
            op->def = &def;
            ok = law_splits(&arena, &graph, op, meshes[i], &result) == MW_OK;
        }
        CHECK(ok, "%s: %s", m->op, ctx.message);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
    return result.n_failed;
}

static void mutants(void)
{
    for (size_t i = 0; i < sizeof mutations / sizeof mutations[0]; i++)
        CHECK(broken(&mutations[i]) > 0, "mutation %zu of %s goes unseen", i,
              mutations[i].op);
}

const mw_suite mw_suite_laws = {"laws",
                                {{"every split equals the whole", splits},
                                 {"a broken row is seen", mutants},
                                 {"a name finds its row", rows_by_name}}};
