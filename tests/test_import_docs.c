/* test_import_docs.c - the registries and what docs/operators.md says of
 * StableHLO; what it says of ONNX is held by test_import_nodes.c, which counts
 * tests. */
#include "ir/import/onnx.h"
#include "tests/operators_doc.h"
#include "tests/test.h"

static void one_rule_each(void)
{
    for (int i = 0; i < mw_onnx_count; i++)
        for (const mw_onnx_rule *r = mw_onnx_table[i]->rules; r->op; r++)
            CHECK(mw_onnx_find(r->domain ? r->domain : "", r->op) == r,
                  "%s has two rules", r->op);
}

const mw_suite mw_suite_import_docs = {
    "import_docs",
    {{"operators.md", operators_doc_stablehlo},
     {"one rule each", one_rule_each}}};
