/*
 * stablehlo.h - StableHLO text as plain structures: what JAX's
 * `jit(f).lower(x).as_text()` prints.
 *
 * Every operation is read by one grammar, pretty or generic form alike: its
 * operands, attributes, bare words, regions and types in any order
 * (docs/design/stablehlo.md). What they mean is the business of a rule
 * (ir/import/stablehlo/NAME.c, see stablehlo_call.h).
 */
#ifndef MW_IR_IMPORT_STABLEHLO_H
#define MW_IR_IMPORT_STABLEHLO_H

#include "ir/graph.h"
#include "ir/import/stablehlo_lex.h"

enum {
    MW_HLO_MAX_DEPTH = 48, /* of regions, attributes and calls */
    MW_HLO_UNKNOWN = -1    /* a size written '?' */
};

typedef struct mw_hlo_type {
    bool tensor;      /* else a token, a tuple, a scalar: `text` says which */
    bool known;       /* the element type is one of ours */
    const char *text; /* of the element type */
    mw_dtype dtype;
    int rank;
    int64_t *dim;
} mw_hlo_type;

typedef enum mw_hlo_kind {
    MW_HLO_NOTHING, /* what is skipped: locations, foreign attributes */
    MW_HLO_INT,
    MW_HLO_FLOAT,
    MW_HLO_TEXT,
    MW_HLO_WORD,
    MW_HLO_CALLEE,
    MW_HLO_LIST, /* also a dictionary: its items have names */
    MW_HLO_DENSE
} mw_hlo_kind;

typedef struct mw_hlo_item {
    const char *name; /* NULL in a list */
    mw_hlo_kind kind;
    int64_t i;        /* INT; also true and false */
    double f;         /* INT and FLOAT */
    const char *text; /* TEXT, WORD, CALLEE */
    int64_t n, cap;
    struct mw_hlo_item *item; /* LIST */
    mw_hlo_span body;         /* DENSE: between its angle brackets */
    const mw_hlo_type *type;  /* DENSE in a dictionary; else NULL */
    int line, column;
} mw_hlo_item;

typedef struct mw_hlo_use {
    const char *name;
    int64_t index; /* among the results of a name; 0 when there is one */
    bool init;     /* stands behind `init:` */
    int line, column;
} mw_hlo_use;

/* A name and how many results it stands for. */
typedef struct mw_hlo_result {
    const char *name;
    int64_t n;
} mw_hlo_result;

typedef struct mw_hlo_arg {
    const char *name;
    const mw_hlo_type *type;
    const char *label; /* what its location calls it, or NULL */
} mw_hlo_arg;

typedef struct mw_hlo_block {
    int64_t n_args, cap_args, n_ops, cap_ops;
    mw_hlo_arg *arg;
    struct mw_hlo_op *op;
} mw_hlo_block;

typedef struct mw_hlo_op {
    const char *name; /* "stablehlo.add" */
    int line, column;
    int64_t n_results, cap_results, n_uses, cap_uses, n_blocks, cap_blocks;
    int64_t n_in_types, cap_in_types, n_out_types, cap_out_types;
    mw_hlo_result *result;
    mw_hlo_use *use;      /* those of `init:` come last */
    mw_hlo_item attr;     /* a LIST of all attributes; bare words among them */
    mw_hlo_block *block;  /* one a region */
    mw_hlo_type *in_type; /* of the operands where they are written */
    mw_hlo_type *out_type;
} mw_hlo_op;

typedef struct mw_hlo_func {
    const char *name;
    bool has_body;
    mw_hlo_block body;
    int64_t n_out, cap_out;
    mw_hlo_type *out_type;
    const char **out_label;
    int64_t cap_label;
    int line, column;
} mw_hlo_func;

typedef struct mw_hlo_module {
    const char *name; /* "" when it has none */
    int64_t n_funcs, cap_funcs, n_ops;
    mw_hlo_func *func;
} mw_hlo_module;

/* Reads a text that a NUL ends. MW_EINPUT with FILE:LINE:COL: not such a text,
 * malformed, or nested too deep. What it gives points into the text. */
mw_status mw_hlo_parse(mw_arena *arena, const char *file, const char *text,
                       size_t size, mw_hlo_module *module) MW_MUST_CHECK;

/* ---- parts of the parser ---- */

/* A type from the current word on. */
mw_status mw_hlo_type_parse(mw_hlo_lexer *lexer,
                            mw_hlo_type *type) MW_MUST_CHECK;

/* The value of an attribute. In dictionaries a type may follow it. */
mw_status mw_hlo_value_parse(mw_hlo_lexer *lexer, int depth, bool typed,
                             mw_hlo_item *value) MW_MUST_CHECK;

/* The current word is the '{' of a dictionary, whose items are added. */
mw_status mw_hlo_dict_parse(mw_hlo_lexer *lexer, int depth,
                            mw_hlo_item *list) MW_MUST_CHECK;

/* A new last item of a list, named or not; NULL with MW_ENOMEM recorded. */
mw_hlo_item *mw_hlo_item_add(mw_hlo_lexer *lexer, mw_hlo_item *list,
                             const char *name) MW_MUST_CHECK;

/* The item of that name, or NULL. */
const mw_hlo_item *mw_hlo_item_find(const mw_hlo_item *list, const char *name);

/* The values of a dense<...> in a type of known sizes: sets data of `tensor`,
 * whose dtype and shape are set. A single value for all elements sets
 * *splat and bits, no data. MW_EINPUT: too few, too many, or no numbers. */
mw_status mw_hlo_dense_read(mw_arena *arena, const char *file,
                            const mw_hlo_item *dense, mw_tensor *tensor,
                            bool *splat, uint64_t *bits) MW_MUST_CHECK;

#endif
