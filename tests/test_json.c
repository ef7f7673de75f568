/* test_json.c - what is read, what is refused and where, what is written. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "tests/test.h"

/* Parses, and prints the canonical form or "LINE:COL: message". */
static void round_trip(const char *text, char *got, size_t size)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_text out;
    mw_text_init(&out, &ctx);
    const mw_json *root = NULL;
    if (mw_json_parse(&arena, "f", text, strlen(text), &root) == MW_OK) {
        mw_json_canonical(&out, root, NULL);
        (void)snprintf(got, size, "%s", out.data);
    } else {
        (void)snprintf(got, size, "%s: %s", ctx.where, ctx.message);
    }
    mw_text_free(&out);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void parse_table(void)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"{}", "{}"},
        {" [ ] ", "[]"},
        {"{\"b\":1,\"a\":[true,false,null]}",
         "{\"a\":[true,false,null],\"b\":1}"},
        {"9007199254740993", "9007199254740993"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"9223372036854775808", "9.2233720368547758e+18"},
        {"-0", "-0"},
        {"0.1", "0.10000000000000001"},
        {"1e2", "100"},
        {"\"\\u00e9\\ud83d\\ude00\\n\"", "\"\xc3\xa9\xf0\x9f\x98\x80\\n\""},
        {"\"\x01\"", "f:1:2: found byte 0x01, wanted the end of a text"},
        {"\"\\u0000\"", "f:1:4: a text holds \\u0000"},
        {"\"\\ud83d\"", "f:1:8: found '\"', wanted the second half of a "
                        "surrogate pair"},
        {"\"\xc0\xaf\"", "f:1:2: found byte 0xc0, wanted UTF-8"},
        {"\"\\x\"", "f:1:3: found 'x', wanted an escape"},
        {"", "f:1:1: the text ends where a value is wanted"},
        {"{\n \"a\": 1,\n \"a\": 2}", "f:3:7: key 'a' is given twice"},
        {"[1,]", "f:1:4: found ']', wanted a value"},
        {"[1 2]", "f:1:4: found '2', wanted ',' or ']'"},
        {"{\"a\" 1}", "f:1:6: found '1', wanted ':'"},
        {"{a:1}", "f:1:2: found 'a', wanted a key"},
        {"01", "f:1:2: found '1', wanted nothing more"},
        {"1.", "f:1:3: the text ends where a digit is wanted"},
        {"-", "f:1:2: the text ends where a digit is wanted"},
        {"1e999", "f:1:1: found '1', wanted a number that a double holds"},
        {"nul", "f:1:1: found 'n', wanted a value"},
        {"{} {}", "f:1:4: found '{', wanted nothing more"},
        {"NaN", "f:1:1: found 'N', wanted a value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char got[256];
        round_trip(rows[i].text, got, sizeof got);
        CHECK(strcmp(got, rows[i].want) == 0, "%s: got %s, want %s",
              rows[i].text, got, rows[i].want);
    }
}

static void nesting(void)
{
    for (int extra = 0; extra <= 1; extra++) {
        char text[2 * MW_JSON_DEPTH + 8], got[1024];
        int depth = MW_JSON_DEPTH + extra;
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = '\0';
        round_trip(text, got, sizeof got);
        bool refused = strstr(got, "wanted less nesting") != NULL;
        CHECK(refused == (extra == 1), "depth %d: %s", depth, got);
    }
}

static mw_status read_path(mw_ctx *ctx, const mw_json *root, int which)
{
    const mw_json *ops = NULL, *object = NULL;
    int64_t integer;
    double real;
    bool truth;
    const char *text;
    MW_TRY(mw_json_get_array(ctx, root, "ops", &ops));
    const mw_json *op = &ops->u.item[1];
    switch (which) {
    case 0:
        return mw_json_get_int(ctx, op, "n", &integer);
    case 1:
        return mw_json_get_real(ctx, op, "t", &real);
    case 2:
        return mw_json_get_text(ctx, op, "n", &text);
    case 3:
        return mw_json_get_bool(ctx, op, "name", &truth);
    case 4:
        return mw_json_get_object(ctx, op, "list", &object);
    case 5:
        return mw_json_get_array(ctx, root, "nothing", &object);
    default:
        return mw_json_get_int(ctx, ops, "n", &integer);
    }
}

static void path_table(void)
{
    static const char text[] =
        "{\"ops\": [1,\n"
        "  {\"n\": 1.5, \"t\": \"x\", \"name\": \"a name that is rather long "
        "for a message\",\n   \"list\": [2]}]}";
    static const char *const want[] = {
        "f:2:9: ops[1].n: is 1.5, wanted an integer",
        "f:2:19: ops[1].t: is \"x\", wanted a number",
        "f:2:9: ops[1].n: is 1.5, wanted a text",
        ("f:2:32: ops[1].name: is \"a name that is rather long for "
         "a...\", wanted true or false"),
        "f:3:12: ops[1].list: is an array, wanted an object",
        "f:1:1: key 'nothing' is missing",
        "f:1:9: ops: is an array, wanted an object",
    };
    for (int i = 0; i < 7; i++) {
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_arena arena;
        mw_arena_init(&arena, &ctx);
        const mw_json *root = NULL;
        char got[512] = "";
        if (mw_json_parse(&arena, "f", text, strlen(text), &root) == MW_OK &&
            read_path(&ctx, root, i) == MW_EINPUT)
            (void)snprintf(got, sizeof got, "%s: %s", ctx.where, ctx.message);
        CHECK(strcmp(got, want[i]) == 0, "got %s, want %s", got, want[i]);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static void write_all(mw_text *text)
{
    mw_json_out out;
    mw_json_out_init(&out, text);
    mw_json_begin_object(&out, NULL);
    mw_json_put_int(&out, "n", INT64_MAX);
    mw_json_put_real(&out, "x", 0.5);
    mw_json_put_real(&out, "inf", 1e308 * 10);
    mw_json_put_text(&out, "s", "a\"\\\n\x1f\xc3\xa9");
    mw_json_begin_array_inline(&out, "list");
    mw_json_put_bool(&out, NULL, true);
    mw_json_begin_object(&out, NULL);
    mw_json_put_null(&out, "z");
    mw_json_end(&out);
    mw_json_end(&out);
    mw_json_begin_array(&out, "empty");
    mw_json_end(&out);
    mw_json_begin_array(&out, "lines");
    mw_json_put_int(&out, NULL, 1);
    mw_json_put_int(&out, NULL, 2);
    mw_json_end(&out);
    mw_json_end(&out);
}

static void writing(void)
{
    static const char want[] = "{\n"
                               " \"n\": 9223372036854775807,\n"
                               " \"x\": 0.5,\n"
                               " \"inf\": null,\n"
                               " \"s\": \"a\\\"\\\\\\n\\u001f\xc3\xa9\",\n"
                               " \"list\": [true, {\"z\": null}],\n"
                               " \"empty\": [],\n"
                               " \"lines\": [\n  1,\n  2\n ]\n"
                               "}\n";
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_text text, again;
    mw_text_init(&text, &ctx);
    mw_text_init(&again, &ctx);
    write_all(&text);
    CHECK(strcmp(text.data, want) == 0, "got %s", text.data);
    const mw_json *root = NULL;
    mw_status status =
        mw_json_parse(&arena, "f", text.data, text.length, &root);
    if (CHECK(status == MW_OK, "what was written is not read: %s",
              ctx.message)) {
        mw_json_canonical(&again, root,
                          (const char *const[]){"s", "lines", NULL});
        CHECK(strcmp(again.data, "{\"empty\":[],\"inf\":null,\"list\":[true,"
                                 "{\"z\":null}],\"n\":9223372036854775807,"
                                 "\"x\":0.5}") == 0,
              "got %s", again.data);
    }
    mw_text_free(&again);
    mw_text_free(&text);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static mw_status no_memory_body(mw_ctx *ctx, void *arg)
{
    const char *text = arg;
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_text out;
    mw_text_init(&out, ctx);
    const mw_json *root = NULL;
    mw_status status = mw_json_parse(&arena, "f", text, strlen(text), &root);
    if (status == MW_OK)
        mw_json_canonical(&out, root, NULL);
    if (status == MW_OK)
        status = mw_text_status(&out);
    mw_text_free(&out);
    mw_arena_free(&arena);
    return status;
}

static void no_memory(void)
{
    char text[] = "{\"a\": [1, 2, {\"b\": \"text\"}], \"c\": 0.5}";
    check_oom("json", no_memory_body, text);
}

const mw_suite mw_suite_json = {
    "json",
    {
        {"documents are read or refused", parse_table},
        {"nesting is bounded", nesting},
        {"failures name position and path", path_table},
        {"documents are written", writing},
        {"memory runs out", no_memory},
    },
};
