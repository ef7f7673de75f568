/*
 * placed_text.h - positional graphs in lines of text, for the suites of passes
 * that start from them, and named graphs in lines again.
 *
 *     input x f32 B=2 S=8 12        a size, or the file's name and a size
 *     param w f32 12 12             also const; values are made from the name
 *     y = einsum x w spec=abc,cd->abd
 *     z = slice y axis=1 start=0 step=1 count=4
 *     output z
 */
#ifndef MW_TESTS_PLACED_TEXT_H
#define MW_TESTS_PLACED_TEXT_H

#include "ir/graph.h"

/* Graph initialised by the caller. */
mw_status mw_placed_parse(mw_graph *graph, const char *text);

/* "B S (heads d_head)": a tensor's file axes by the names of its dimensions,
 * 1 for size 1, the size where there is no dimension; in the arena. */
const char *mw_named_axes(const mw_graph *graph, mw_id tensor);

/* Ops of a named graph of that row that give an axis another dimension. */
int mw_named_renames(const mw_graph *graph);
int mw_named_count(const mw_graph *graph, const char *def);

#endif
