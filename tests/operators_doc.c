/* operators_doc.c - parts between two lines of a document. */
#include "tests/operators_doc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "ir/import/stablehlo_call.h"
#include "tests/test.h"

#define DOCUMENT "docs/operators.md"

/* ---- the parts ---- */

static void add_operator(const node_census *census, const mw_onnx_def *def,
                         const mw_onnx_rule *rule, mw_text *text)
{
    static const node_count none;
    const char *domain = rule->domain ? rule->domain : "";
    const node_count *count = node_census_of(census, domain, rule->op);
    if (!count)
        count = &none;
    mw_text_format(text, "| `%s`%s%s | %s | %ld | %ld | %ld |\n", rule->op,
                   rule->domain ? " of " : "", domain, def->brief,
                   count->n_supported, count->n_passed, count->n_tests);
}

static void add_reasons(const node_census *census, mw_text *text)
{
    const mw_map *reasons = &census->reasons;
    mw_text_add(text, "\n| what keeps a test out | tests |\n|---|---|\n");
    for (int64_t i = 0; i < reasons->n_entries; i++)
        mw_text_format(text, "| %s | %lld |\n",
                       (const char *)reasons->entry[i].key,
                       (long long)reasons->entry[i].value);
}

static void write_onnx(const node_census *census, mw_text *text)
{
    const node_count *all = &census->all;
    int n = 0;
    for (int i = 0; i < mw_onnx_count; i++)
        for (const mw_onnx_rule *r = mw_onnx_table[i]->rules; r->op; r++)
            n++;
    mw_text_format(text,
                   "%d operators. Of ONNX's %ld node tests (1.12's and "
                   "1.20's) %ld are supported and %ld\npass, on 1, 2, 3 and 4 "
                   "ranks under every legal split; a test counts for every\n"
                   "operator that occurs in its model.\n\n",
                   n, all->n_tests, all->n_supported, all->n_passed);
    mw_text_add(text, "| operator | group | supported | passed | tests |\n"
                      "|---|---|---|---|---|\n");
    for (int i = 0; i < mw_onnx_count; i++)
        for (const mw_onnx_rule *r = mw_onnx_table[i]->rules; r->op; r++)
            add_operator(census, mw_onnx_table[i], r, text);
    add_reasons(census, text);
}

static void write_stablehlo(const node_census *census, mw_text *text)
{
    (void)census;
    mw_text_add(text, "| group | operations |\n|---|---|\n");
    for (int i = 0; i < mw_hlo_count; i++) {
        mw_text_format(text, "| %s |", mw_hlo_table[i]->brief);
        for (const mw_hlo_rule *r = mw_hlo_table[i]->rules; r->op; r++)
            mw_text_format(text, " `%s`", r->op);
        mw_text_add(text, " |\n");
    }
}

/* ---- in the document ---- */

static mw_status replace(mw_ctx *ctx, const char *document, const char *begin,
                         const char *end, const char *part)
{
    mw_text text;
    mw_text_init(&text, ctx);
    mw_text_format(&text, "%.*s%s%s", (int)(begin - document), document, part,
                   end);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        status = mw_file_write(ctx, DOCUMENT, text.data, text.length);
    mw_text_free(&text);
    return status;
}

/* The part stands between the lines <!-- NAME --> and <!-- end of NAME -->. */
static void check_part(const node_census *census, const char *name,
                       void (*write)(const node_census *census, mw_text *text))
{
    mw_ctx ctx;
    mw_arena arena;
    mw_text part;
    char *document = NULL, first[64], last[64];
    size_t size;
    const char *rewrite = getenv("MW_GOLDEN");
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_text_init(&part, &ctx);
    (void)snprintf(first, sizeof first, "<!-- %s -->\n", name);
    (void)snprintf(last, sizeof last, "<!-- end of %s -->\n", name);
    write(census, &part);
    mw_status status = mw_text_status(&part);
    if (status == MW_OK)
        status = mw_file_read(&arena, DOCUMENT, &document, &size);
    char *begin = document ? strstr(document, first) : NULL;
    char *end = begin ? strstr(begin, last) : NULL;
    if (CHECK(status == MW_OK && end, "%s: %s; wanted lines '%.*s'", DOCUMENT,
              ctx.message, (int)strlen(first) - 1, first)) {
        begin += strlen(first);
        if (rewrite && strcmp(rewrite, "rewrite") == 0)
            CHECK(replace(&ctx, document, begin, end, part.data) == MW_OK, "%s",
                  ctx.message);
        else
            CHECK((size_t)(end - begin) == part.length &&
                      memcmp(begin, part.data, part.length) == 0,
                  "%s: the part '%s' is not what the registry and the tests "
                  "say; make operators writes it",
                  DOCUMENT, name);
    }
    mw_text_free(&part);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

void operators_doc_onnx(const node_census *census)
{
    check_part(census, "onnx", write_onnx);
}

void operators_doc_stablehlo(void)
{
    check_part(NULL, "stablehlo", write_stablehlo);
}
