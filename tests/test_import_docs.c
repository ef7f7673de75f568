/* test_import_docs.c - docs/operators.md names the operators that have a rule,
 * all of them and no others. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "ir/import/onnx.h"
#include "ir/import/stablehlo_call.h"
#include "tests/test.h"

static bool known_anywhere(const char *op)
{
    return mw_onnx_find("", op) || mw_onnx_find("com.microsoft", op) ||
           mw_hlo_find(op);
}

/* The tables of the document: lines that begin with '|'. */
static void check_line(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char name[64];
        if (line[i] != '`' || sscanf(line + i, "`%63[A-Za-z0-9_.]`", name) != 1)
            continue;
        CHECK(known_anywhere(name), "%s is documented and not there", name);
        i += strlen(name) + 1;
    }
}

static void documented(void)
{
    mw_ctx ctx;
    mw_arena arena;
    char *text = NULL;
    size_t size;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status = mw_file_read(&arena, "docs/operators.md", &text, &size);
    if (CHECK(status == MW_OK, "%s", ctx.message)) {
        for (const char *line = text; *line;) {
            size_t length = strcspn(line, "\n");
            if (*line == '|')
                check_line(line, length);
            line += length + (line[length] == '\n');
        }
        for (int i = 0; i < mw_onnx_count; i++)
            for (const mw_onnx_rule *r = mw_onnx_table[i]->rules; r->op; r++) {
                char quoted[80];
                (void)snprintf(quoted, sizeof quoted, "`%s`", r->op);
                CHECK(strstr(text, quoted), "%s is not documented", r->op);
            }
        for (int i = 0; i < mw_hlo_count; i++)
            for (const mw_hlo_rule *r = mw_hlo_table[i]->rules; r->op; r++) {
                char quoted[80];
                (void)snprintf(quoted, sizeof quoted, "`%s`", r->op);
                CHECK(strstr(text, quoted), "%s is not documented", r->op);
            }
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void one_rule_each(void)
{
    for (int i = 0; i < mw_onnx_count; i++)
        for (const mw_onnx_rule *r = mw_onnx_table[i]->rules; r->op; r++)
            CHECK(mw_onnx_find(r->domain ? r->domain : "", r->op) == r,
                  "%s has two rules", r->op);
}

const mw_suite mw_suite_import_docs = {
    "import_docs",
    {{"operators.md", documented}, {"one rule each", one_rule_each}}};
