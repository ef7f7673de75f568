/*
 * inner.h - the body of a `scan`, written with the calls of ir/import/emit.h:
 * between open and close they place in the body instead of the graph around it.
 */
#ifndef MW_IR_IMPORT_INNER_H
#define MW_IR_IMPORT_INNER_H

#include "ir/import/build.h"

/* What of the build belongs to the graph around. */
typedef struct mw_inner {
    mw_graph graph;
    mw_map numbers;
    const char **label;
    int64_t n_labels, cap_labels;
    mw_onnx_scope *scope;
    const char *within;
} mw_inner;

/* A body's name of a base that no other has in the graph being written: that
 * graph's before it, when it is a body itself. NULL with MW_ENOMEM recorded. */
const char *mw_inner_name(mw_onnx_build *build, const char *base);

/* The scope stays what it is, for the caller to change. To be closed, whatever
 * is returned. */
mw_status mw_inner_open(mw_onnx_build *build, const char *name,
                        mw_inner *outer) MW_MUST_CHECK;

/* An input of the body that stands for a tensor around it, without its first
 * axis when it is scanned. */
mw_status mw_inner_input(mw_onnx_build *build, const mw_inner *outer,
                         mw_id tensor, bool scanned, mw_id *in) MW_MUST_CHECK;

/* The body with these results; weights in it are constants. */
mw_status mw_inner_results(mw_onnx_build *build, const mw_id result[],
                           int n) MW_MUST_CHECK;

/* Puts the graph around back in its place; returns the body. */
mw_graph mw_inner_close(mw_onnx_build *build, const mw_inner *outer);

#endif
