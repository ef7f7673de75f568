/*
 * operators_doc.h - the generated parts of docs/operators.md: what the
 * registries of ONNX's operators and StableHLO's operations hold, with how many
 * of ONNX's node tests pass. `make operators` writes them.
 */
#ifndef MW_TESTS_OPERATORS_DOC_H
#define MW_TESTS_OPERATORS_DOC_H

#include "tests/node_census.h"

/* One CHECK each: the part is what the document has. With MW_GOLDEN=rewrite
 * the document is written anew. */
void operators_doc_onnx(const node_census *census);
void operators_doc_stablehlo(void);

#endif
