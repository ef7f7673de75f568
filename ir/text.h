/*
 * text.h - the text form of a named graph (.mw, DESIGN section 4). Printing
 * and parsing are inverse: names, attributes, brackets, roles, letters and
 * order survive. Constants of at most MW_TEXT_INLINE elements stand inline;
 * larger ones are `param`/`const` lines whose values are found elsewhere.
 */
#ifndef MW_IR_TEXT_H
#define MW_IR_TEXT_H

#include "ir/graph.h"

enum { MW_TEXT_INLINE = 64 };

/* In graph->arena; NULL with MW_ENOMEM recorded. */
char *mw_text_print(const mw_graph *graph);

/* The size of a dimension in place of what a file says. */
typedef struct mw_size_option {
    const char *name;
    int64_t size;
} mw_size_option;

/* Parses into graph (initialised by the caller, empty) and verifies it.
 * file: for positions in messages. MW_EINPUT with FILE:LINE:COL in ctx. */
mw_status mw_text_parse(mw_graph *graph, const char *file,
                        const char *text) MW_MUST_CHECK;

/* The same with other sizes of dimensions that stand by themselves. MW_EUSAGE:
 * the text has no such dimension, or derives it from another. */
mw_status mw_text_parse_sized(mw_graph *graph, const char *file,
                              const char *text, const mw_size_option *size,
                              int n_sizes) MW_MUST_CHECK;

#endif
