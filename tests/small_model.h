/*
 * small_model.h - ONNX models of a few lines of text (onnx_text.h), imported,
 * and what remains of them in short.
 */
#ifndef MW_TESTS_SMALL_MODEL_H
#define MW_TESTS_SMALL_MODEL_H

#include "ir/import.h"

enum { SMALL_PATH = 512, SMALL_SIZES = 4, SMALL_SUMMARY = 2048 };

typedef struct small_model {
    mw_ctx ctx;
    mw_arena arena;
    mw_graph placed;
    mw_import_files *files;
    mw_size_option size[SMALL_SIZES];
    mw_const_option fixed;
    const char *opaque;
    char word[SMALL_SIZES + 2][64];
} small_model;

/* A file of the scratch folder. */
const char *small_model_path(char path[SMALL_PATH], const char *name);

/* Imports the lines as small.onnx of the scratch folder, and as it is placed;
 * to be closed in any case. Options: "B=2 S=3 !x=1,2 @com.acme::Thing" are
 * sizes, a fixed input, an operator that may stand unknown. */
mw_status small_model_open(small_model *m, const char *lines,
                           const char *options) MW_MUST_CHECK;
void small_model_close(small_model *m);

/* "x[2,4] w![4] c# | einsum add | y[2,4]": inputs, parameters with '!',
 * constants with '#', ops, outputs. */
void small_model_summary(const mw_graph *graph, char text[SMALL_SUMMARY]);

#endif
