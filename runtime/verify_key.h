/*
 * verify_key.h - a text that two ops share when they are the same kind with
 * the same attributes, letters, sizes and types.
 */
#ifndef MW_RUNTIME_VERIFY_KEY_H
#define MW_RUNTIME_VERIFY_KEY_H

#include "base/text.h"
#include "ir/op.h"

void mw_verify_key(const mw_graph *graph, const mw_op *op, mw_text *text);

#endif
