/*
 * test_plan_file.c - plan files: written, read, put back to work, and judged. A
 * file of which any one number is changed is refused, its digest rewritten.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/plan_json.h"
#include "ir/text.h"
#include "tests/fake_costs.h"
#include "tests/test.h"

static const char model[] =
    "model tiny\n"
    "dim batch = 6\ndim pixels = 5\ndim hidden = 4\ndim heads = 2\n"
    "dim d_head = 3\ndim kept = 3 of batch by slice\ndim again = 4\n"
    "input x : f32[batch, pixels]\n"
    "param w : f32[pixels, (heads d_head)]\n"
    "param v : f32[(heads d_head), hidden]\n"
    "h = einsum(x, w) : f32[batch, (heads d_head)]\n"
    "a = relu(h) : f32[batch, (heads d_head)]\n"
    "y = einsum(a, v) : f32[batch, hidden]\n"
    "z = rename(y) : f32[batch, again]\n"
    "s = slice(z, dim=batch, start=1, step=2, count=3) : f32[kept, again]\n"
    "t = add(s, s) : f32[kept, again]\n"
    "output t\n";

typedef struct bench {
    mw_ctx ctx;
    mw_arena arena;
    mw_mesh mesh;
    mw_graph graph;
    fake_machine machine;
    mw_costs costs;
    mw_resharder *resharder;
    mw_choices choices;
    mw_plan plan;
    mw_plan_row row[2];
    mw_plan_timing timing;
    mw_size_option size;
    mw_import_options options;
    mw_plan_info info;
    mw_text text;
} bench;

static mw_status split_dim(bench *b, mw_id k, int axis, const char *dim)
{
    const mw_op *op = &b->graph.op[k];
    mw_id d = mw_graph_find_dim(&b->graph, dim);
    for (int l = 0; l < op->n_letters; l++)
        if (op->letter[l].dim == d)
            b->choices.op[k].split[axis] = (int8_t)l;
    return d == MW_NONE ? MW_EBUG : MW_OK;
}

static mw_status set_home(bench *b, const char *tensor, const char *layout)
{
    mw_id t = mw_graph_find_tensor(&b->graph, tensor);
    return mw_layout_parse(&b->ctx, &b->graph, &b->graph.tensor[t], &b->mesh,
                           layout, &b->choices.home[t]);
}

// Choices with copies, conversions, a window exchange and a passed partial sum.
static mw_status choose(bench *b)
{
    MW_TRY(mw_choices_init(&b->arena, &b->graph, &b->choices));
    MW_TRY(split_dim(b, 0, 0, "batch"));
    MW_TRY(split_dim(b, 0, 1, "heads"));
    MW_TRY(split_dim(b, 1, 0, "batch"));
    MW_TRY(split_dim(b, 1, 1, "d_head"));
    MW_TRY(split_dim(b, 2, 0, "heads"));
    MW_TRY(split_dim(b, 2, 1, "d_head"));
    b->choices.op[4].split[0] = MW_SPLIT_PARTIAL;
    MW_TRY(split_dim(b, 4, 1, "kept"));
    MW_TRY(split_dim(b, 5, 0, "kept"));
    MW_TRY(set_home(b, "x", "batch@rows"));
    MW_TRY(set_home(b, "h", "batch@rows,heads@cols"));
    MW_TRY(set_home(b, "a", "batch@cols,d_head@rows"));
    MW_TRY(set_home(b, "y", "[] +rows"));
    return set_home(b, "s", "kept@cols");
}

static mw_status prepare(bench *b)
{
    MW_TRY(mw_mesh_parse(&b->ctx, &b->arena, "rows=2,cols=2", &b->mesh));
    MW_TRY(mw_graph_init(&b->graph, &b->arena, ""));
    MW_TRY(mw_text_parse(&b->graph, "model", model));
    MW_TRY(mw_resharder_open(&b->ctx, &b->arena, &b->mesh, &b->costs,
                             &b->resharder));
    MW_TRY(choose(b));
    MW_TRY(mw_plan_build(&b->arena, &b->graph, b->resharder, &b->costs,
                         &b->choices, true, &b->plan));
    b->row[0] = (mw_plan_row){.name = "best",
                              .status = "ok",
                              .has_figures = true,
                              .time_ps = b->plan.time_ps,
                              .comm_ps = b->plan.comm_ps,
                              .peak_bytes = b->plan.peak_bytes,
                              .choices = &b->choices};
    b->row[1] = (mw_plan_row){.name = "data parallel",
                              .status = "infeasible",
                              .reason = "needs more",
                              .baseline = true};
    b->timing = (mw_plan_timing){"search_s", 0.25};
    b->size = (mw_size_option){"batch", 6};
    b->options = (mw_import_options){.size = &b->size, .n_sizes = 1};
    b->info = (mw_plan_info){.source = "tiny.mw",
                             .sha256 = "00",
                             .options = &b->options,
                             .machine = "{\"name\": \"fake\", \"speed\": 3}",
                             .scope = "tensor",
                             .objective = "time",
                             .status = "optimal",
                             .proof = "exact",
                             .has_bound = true,
                             .bound = b->plan.time_ps,
                             .threads = 2,
                             .overhead_bytes = 4096,
                             .memory_limit_bytes = 1 << 20,
                             .timing = &b->timing,
                             .n_timings = 1,
                             .row = b->row,
                             .n_rows = 2};
    return mw_plan_write(&b->ctx, &b->plan, &b->info, &b->text);
}

static bool open_bench(bench *b)
{
    memset(b, 0, sizeof *b);
    mw_ctx_init(&b->ctx);
    mw_arena_init(&b->arena, &b->ctx);
    mw_text_init(&b->text, &b->ctx);
    b->machine = fake_machine_of(2);
    b->costs = fake_costs(&b->machine);
    mw_status status = prepare(b);
    return CHECK(status == MW_OK, "%s: %s", b->ctx.where, b->ctx.message);
}

static void close_bench(bench *b)
{
    mw_text_free(&b->text);
    mw_arena_free(&b->arena);
    mw_ctx_free(&b->ctx);
}

/* ---- round trip ---- */

static void round_trip(void)
{
    bench b;
    mw_plan_file file;
    mw_plan plan;
    mw_plan_verdict verdict;
    mw_text again;
    if (!open_bench(&b))
        return;
    mw_status status = mw_plan_read_text(&b.ctx, &b.arena, "tiny.json",
                                         b.text.data, b.text.length, &file);
    if (!CHECK(status == MW_OK, "%s: %s", b.ctx.where, b.ctx.message))
        return;
    CHECK(strcmp(file.digest, file.computed) == 0, "digest");
    CHECK(memcmp(file.choices.op, b.choices.op,
                 (size_t)b.graph.n_ops * sizeof *b.choices.op) == 0,
          "strategies");
    for (mw_id t = 0; t < b.graph.n_tensors; t++)
        CHECK(mw_layout_equal(&file.choices.home[t],
                              &b.choices.home[b.graph.tensor[t].root]),
              "home of %s", b.graph.tensor[t].name);
    status = mw_plan_restore(&b.ctx, &file, &plan);
    if (!CHECK(status == MW_OK, "%s: %s", b.ctx.where, b.ctx.message))
        return;
    mw_text_init(&again, &b.ctx);
    status = mw_plan_write(&b.ctx, &plan, &file.info, &again);
    CHECK(status == MW_OK && again.length == b.text.length &&
              memcmp(again.data, b.text.data, again.length) == 0,
          "a restored plan prints the same");
    mw_text_free(&again);
    status = mw_plan_check(&b.ctx, &file, &b.costs, &verdict);
    CHECK(status == MW_OK && verdict.n_differences == 0 &&
              verdict.n_values > 300 && verdict.n_rows == 1,
          "%lld values, %lld differences", (long long)verdict.n_values,
          (long long)verdict.n_differences);
    int copies = 0, fetches = 0, conversions = 0;
    for (mw_id k = 0; k < b.graph.n_ops; k++) {
        copies += plan.op[k].n_copies;
        fetches += plan.op[k].n_fetches;
        for (int i = 0; i < b.graph.op[k].n_out; i++)
            conversions += plan.op[k].out_path[i]->n_steps > 0;
    }
    CHECK(copies > 1 && fetches == 1 && conversions > 1,
          "the sample has %d copies, %d fetches, %d conversions", copies,
          fetches, conversions);
    close_bench(&b);
}

/* ---- changed files ---- */

/* Prints a document again with one scalar changed. */
typedef struct changer {
    mw_text *text;
    int64_t seen, chosen; /* scalars of the kind */
    bool texts;           /* change texts, not numbers */
    char path[256];       /* of what was changed */
    const char *digest;   /* in place of the digest; NULL: as it is */
} changer;

static void put_text(mw_text *text, const char *value)
{
    mw_text_add_char(text, '"');
    for (const char *p = value; *p; p++) {
        if (*p == '\n')
            mw_text_add(text, "\\n");
        else if (*p == '"' || *p == '\\')
            mw_text_format(text, "\\%c", *p);
        else
            mw_text_add_char(text, *p);
    }
    mw_text_add_char(text, '"');
}

static void put_changed(changer *c, const mw_json *json, const char *path)
{
    (void)snprintf(c->path, sizeof c->path, "%s", path);
    if (json->kind == MW_JSON_INT)
        mw_text_format(c->text, "%lld", (long long)json->u.integer + 1);
    else if (json->kind == MW_JSON_REAL)
        mw_text_format(c->text, "%.17g", json->u.real * (1 + 1e-9));
    else
        put_text(c->text, *json->u.text ? "" : "x");
}

static void put_again(changer *c, const mw_json *json, const char *path)
{
    bool number = json->kind == MW_JSON_INT || json->kind == MW_JSON_REAL;
    bool counts = c->texts ? json->kind == MW_JSON_TEXT : number;
    char below[256];
    if (counts && c->seen++ == c->chosen) {
        put_changed(c, json, path);
        return;
    }
    if (json->kind == MW_JSON_TEXT) {
        bool digest = c->digest && strcmp(path, ".digest") == 0;
        put_text(c->text, digest ? c->digest : json->u.text);
        return;
    }
    if (json->kind != MW_JSON_OBJECT && json->kind != MW_JSON_ARRAY) {
        mw_json_canonical(c->text, json, NULL);
        return;
    }
    bool object = json->kind == MW_JSON_OBJECT;
    mw_text_add_char(c->text, object ? '{' : '[');
    for (int64_t i = 0; i < json->n; i++) {
        const mw_json *item = &json->u.item[i];
        if (i > 0)
            mw_text_add_char(c->text, ',');
        if (object) {
            put_text(c->text, item->key);
            mw_text_add_char(c->text, ':');
            (void)snprintf(below, sizeof below, "%.120s.%.100s", path,
                           item->key);
        } else {
            (void)snprintf(below, sizeof below, "%.120s[%lld]", path,
                           (long long)i);
        }
        put_again(c, item, below);
    }
    mw_text_add_char(c->text, object ? '}' : ']');
}

// The document with scalar `chosen` changed and a digest that fits; false when
// there are no more.
static bool change(bench *b, mw_arena *arena, const mw_json *root, bool texts,
                   int64_t chosen, mw_text *text, char path[256])
{
    char digest[MW_SHA256_HEX];
    const mw_json *changed;
    changer c = {.text = text, .chosen = chosen, .texts = texts};
    put_again(&c, root, "");
    if (c.seen <= chosen)
        return false;
    (void)snprintf(path, 256, "%s", c.path + 1);
    mw_status status =
        mw_json_parse(arena, "changed", text->data, text->length, &changed);
    if (status == MW_OK)
        status = mw_plan_digest(&b->ctx, changed, digest);
    mw_text_cut(text, 0);
    changer again = {
        .text = text, .chosen = chosen, .texts = texts, .digest = digest};
    put_again(&again, root, "");
    return CHECK(status == MW_OK, "%s: %s", path, b->ctx.message);
}

static bool starts(const char *path, const char *prefix)
{
    return strncmp(path, prefix, strlen(prefix)) == 0;
}

// Says how a changed file is received: "same", "differs", "refused".
static const char *receive(bench *b, mw_arena *arena, const mw_text *text)
{
    mw_plan_file file;
    mw_plan_verdict verdict;
    mw_status status = mw_plan_read_text(&b->ctx, arena, "changed", text->data,
                                         text->length, &file);
    if (status == MW_OK)
        status = mw_plan_check(&b->ctx, &file, &b->costs, &verdict);
    if (status == MW_EINPUT) {
        bool said = b->ctx.message[0] != '\0';
        mw_ctx_clear(&b->ctx);
        return said ? "refused" : "refused without a word";
    }
    if (status != MW_OK)
        return "failed";
    if (strcmp(file.digest, file.computed) != 0)
        return "digest not rewritten";
    return verdict.n_differences > 0 ? "differs" : "same";
}

static void numbers_changed(void)
{
    bench b;
    const mw_json *root;
    if (!open_bench(&b))
        return;
    mw_status status =
        mw_json_parse(&b.arena, "tiny.json", b.text.data, b.text.length, &root);
    CHECK(status == MW_OK, "parses");
    int64_t n = 0;
    for (;; n++) {
        mw_arena arena;
        mw_text text;
        char path[256];
        mw_arena_init(&arena, &b.ctx);
        mw_text_init(&text, &b.ctx);
        bool more = change(&b, &arena, root, false, n, &text, path);
        if (more) {
            const char *got = receive(&b, &arena, &text);
            bool may_be_same = starts(path, "timing.");
            CHECK(strcmp(got, may_be_same ? "same" : "differs") == 0 ||
                      (!may_be_same && strcmp(got, "refused") == 0),
                  "%s changed: %s", path, got);
        }
        mw_text_free(&text);
        mw_arena_free(&arena);
        if (!more)
            break;
    }
    CHECK(n > 150, "%lld numbers", (long long)n);
    close_bench(&b);
}

// Texts too, but for what is only said: where the model came from, the reason
// of a row.
static void texts_changed(void)
{
    static const char *const said[] = {"model.source",
                                       "model.sha256",
                                       "scope",
                                       "status",
                                       "proof",
                                       "ranking[0].name",
                                       "machine.name",
                                       "ranking[0].status",
                                       "ranking[1].name",
                                       "digest",
                                       "ranking[1].status",
                                       "ranking[1].reason"};
    bench b;
    const mw_json *root;
    if (!open_bench(&b))
        return;
    mw_status status =
        mw_json_parse(&b.arena, "tiny.json", b.text.data, b.text.length, &root);
    CHECK(status == MW_OK, "parses");
    for (int64_t n = 0;; n++) {
        mw_arena arena;
        mw_text text;
        char path[256];
        mw_arena_init(&arena, &b.ctx);
        mw_text_init(&text, &b.ctx);
        bool more = change(&b, &arena, root, true, n, &text, path);
        bool free_text = false;
        for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
            free_text = free_text || strcmp(path, said[i]) == 0;
        if (more && !free_text) {
            const char *got = receive(&b, &arena, &text);
            CHECK(strcmp(got, "differs") == 0 || strcmp(got, "refused") == 0,
                  "%s changed: %s", path, got);
        }
        mw_text_free(&text);
        mw_arena_free(&arena);
        if (!more)
            break;
    }
    close_bench(&b);
}

/* ---- edits ---- */

static const struct edit {
    const char *from, *to; /* the first place of `from` */
    bool restored;         /* else read and checked */
    const char *want;      /* the message, or the path of a difference */
} edits[] = {
    {"\"meshwright.plan\"", "\"other\"", false, "format is 'other'"},
    {"\"version\": 1", "\"version\": 2", false, "version is 2, wanted 1"},
    {"\"requires\": []", "\"requires\": [\"wings\"]", false,
     "requires 'wings'"},
    {"\"version\": 1", "\"version\": 1, \"colour\": 3", false, "digest"},
    {"{\"axis\": \"rows\", \"size\": 2}", "{\"axis\": \"cols\", \"size\": 2}",
     false, "empty or stands twice"},
    {"\"size\": 2", "\"size\": 99999999999", false, "wanted 1 and more"},
    {"\"size\": 2", "\"size\": 3", false, "ranks, wanted the mesh's 6"},
    {"model tiny", "model tiny\\nnonsense", false, "wanted '='"},
    {"\"objective\": \"time\"", "\"objective\": \"fun\"", false,
     "objective is 'fun'"},
    {"\"split\": {\"batch\": [\"rows\"]}", "\"split\": {\"bunch\": [\"rows\"]}",
     false, "no dimension 'bunch'"},
    {"\"split\": {\"batch\": [\"rows\"]}",
     "\"split\": {\"batch\": [\"rows\", \"rows\"]}", false, "stands twice"},
    {"\"split\": {\"batch\": [\"rows\"]}",
     "\"split\": {\"batch\": [\"rows\"], \"pixels\": [\"rows\"]}", false,
     "has two roles"},
    {"\"split\": {\"batch\": [\"rows\"]}", "\"split\": {\"batch\": [\"up\"]}",
     false, "the mesh has no axis 'up'"},
    {"\"kind\": \"sum\"", "\"kind\": \"mean\"", false, "kind is 'mean'"},
    {"\"passes\": {\"rows\": [0]}", "\"passes\": {\"rows\": [1]}", false,
     "has no input 1"},
    {"\"passes\": {\"rows\": [0]}", "\"passes\": {\"rows\": []}", false,
     "passes no partial sums"},
    {"\"choices\": {\"ops\": \"0,", "\"choices\": {\"ops\": \"z,", false,
     "wanted a choice of each mesh axis"},
    {"\"digest\": \"", "\"digest\": \"0", true, "the plan was changed"},
    {"\"digest\": \"", "\"digest\": \"0", false, "digest"},
    {"\"memory_limit_bytes\": 1048576", "\"memory_limit_bytes\": 64", false,
     "predicted.peak_with_overhead_bytes"},
};

static const char *edit_text(bench *b, const struct edit *row)
{
    const char *at = strstr(b->text.data, row->from);
    if (!at)
        return NULL;
    return mw_arena_format(&b->arena, "%.*s%s%s", (int)(at - b->text.data),
                           b->text.data, row->to, at + strlen(row->from));
}

static bool found_path(const mw_plan_verdict *verdict, const char *path)
{
    for (int64_t i = 0; i < verdict->n_differences; i++)
        if (strcmp(verdict->difference[i].path, path) == 0)
            return true;
    return false;
}

static void edited(void)
{
    for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
        const struct edit *row = &edits[i];
        bench b;
        mw_plan_file file;
        mw_plan plan;
        mw_plan_verdict verdict = {0};
        if (!open_bench(&b))
            return;
        const char *text = edit_text(&b, row);
        if (!CHECK(text, "the plan has '%s'", row->from))
            return;
        mw_status status = mw_plan_read_text(&b.ctx, &b.arena, "edited", text,
                                             strlen(text), &file);
        if (status == MW_OK && row->restored)
            status = mw_plan_restore(&b.ctx, &file, &plan);
        else if (status == MW_OK)
            status = mw_plan_check(&b.ctx, &file, &b.costs, &verdict);
        CHECK(status == MW_OK
                  ? found_path(&verdict, row->want)
                  : status == MW_EINPUT && strstr(b.ctx.message, row->want),
              "%s -> %s: '%s', wanted '%s'", row->from, row->to, b.ctx.message,
              row->want);
        close_bench(&b);
    }
}

// S24: one flipped split, the rest as it was.
static void flipped_split(void)
{
    bench b;
    mw_plan_file file;
    mw_plan_verdict verdict;
    if (!open_bench(&b))
        return;
    mw_status status = mw_plan_read_text(&b.ctx, &b.arena, "flipped",
                                         b.text.data, b.text.length, &file);
    if (status == MW_OK) {
        for (int l = 0; l < file.graph.op[2].n_letters; l++)
            if (file.graph.op[2].letter[l].dim ==
                mw_graph_find_dim(&file.graph, "hidden"))
                file.choices.op[2].split[0] = (int8_t)l;
        status = mw_plan_check(&b.ctx, &file, &b.costs, &verdict);
    }
    CHECK(status == MW_OK && found_path(&verdict, "predicted.time_s"),
          "a flipped split changes figures");
    file.choices.op[2].split[0] = 31;
    status = mw_plan_check(&b.ctx, &file, &b.costs, &verdict);
    CHECK(status == MW_OK && verdict.n_differences == 1 &&
              strstr(verdict.difference[0].found, "op 'y'"),
          "an illegal split is named");
    close_bench(&b);
}

static mw_status read_and_check(mw_ctx *ctx, void *arg)
{
    bench *b = arg;
    mw_arena arena;
    mw_plan_file file;
    mw_plan plan;
    mw_plan_verdict verdict;
    mw_arena_init(&arena, ctx);
    mw_status status = mw_plan_read_text(ctx, &arena, "tiny.json", b->text.data,
                                         b->text.length, &file);
    if (status == MW_OK)
        status = mw_plan_restore(ctx, &file, &plan);
    if (status == MW_OK)
        status = mw_plan_check(ctx, &file, &b->costs, &verdict);
    mw_arena_free(&arena);
    return status;
}

static void out_of_memory(void)
{
    bench b;
    if (open_bench(&b))
        check_oom("read and check", read_and_check, &b);
    close_bench(&b);
}

const mw_suite mw_suite_plan_file = {
    "plan_file",
    {{"round trip", round_trip},
     {"numbers changed", numbers_changed},
     {"texts changed", texts_changed},
     {"edited", edited},
     {"flipped split", flipped_split},
     {"out of memory", out_of_memory}},
};
