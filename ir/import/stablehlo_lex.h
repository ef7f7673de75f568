/*
 * stablehlo_lex.h - words of MLIR text, one at a time, with their place. Used
 * by the StableHLO reader only.
 *
 * A word points into the text, so weights written in it are not copied. What
 * stands between angle brackets is not made of words: it is taken or skipped
 * as a whole by mw_hlo_angle().
 */
#ifndef MW_IR_IMPORT_STABLEHLO_LEX_H
#define MW_IR_IMPORT_STABLEHLO_LEX_H

#include "base/arena.h"

typedef enum mw_hlo_word_kind {
    MW_HLO_END,
    MW_HLO_NAME,         /* stablehlo.add, x, i32 */
    MW_HLO_VALUE,        /* %0; `index` of %0#1, or -1 */
    MW_HLO_SYMBOL,       /* @main */
    MW_HLO_ALIAS,        /* #loc1, #stablehlo.gather */
    MW_HLO_DIALECT_TYPE, /* !stablehlo.token */
    MW_HLO_BLOCK,        /* ^bb0 */
    MW_HLO_NUMBER,       /* -1, 2.5e-01, 0x7F800000 */
    MW_HLO_QUOTED,       /* without its quotes, escapes as they stand */
    MW_HLO_ARROW,        /* -> */
    MW_HLO_SIGN          /* any other character */
} mw_hlo_word_kind;

typedef struct mw_hlo_word {
    mw_hlo_word_kind kind;
    const char *text; /* in the file's text; without % @ # ! ^ and quotes */
    int64_t length;
    int64_t index;
    char sign;
    int line, column; /* from 1 */
} mw_hlo_word;

typedef struct mw_hlo_lexer {
    mw_arena *arena; /* borrowed */
    const char *file;
    const char *at, *end; /* *end is a NUL */
    const char *line_start;
    int line;
    mw_hlo_word word; /* the current one */
} mw_hlo_lexer;

/* Goes to the first word. text[size] is a NUL, and the only one. */
mw_status mw_hlo_lexer_open(mw_hlo_lexer *lexer, mw_arena *arena,
                            const char *file, const char *text,
                            size_t size) MW_MUST_CHECK;
mw_status mw_hlo_next(mw_hlo_lexer *lexer) MW_MUST_CHECK;

/* Sets the context's position to a word's, for the next failure. */
void mw_hlo_point(const mw_hlo_lexer *lexer, const mw_hlo_word *word);

/* A failure at the current word: "wanted WHAT, found ...". */
mw_status mw_hlo_wanted(mw_hlo_lexer *lexer, const char *what);

/* The current word is this sign; is this name. */
bool mw_hlo_is(const mw_hlo_lexer *lexer, char sign);
bool mw_hlo_is_name(const mw_hlo_lexer *lexer, const char *name);

/* Goes past a sign, which must stand there; past it if it does. */
mw_status mw_hlo_expect(mw_hlo_lexer *lexer, char sign) MW_MUST_CHECK;
mw_status mw_hlo_accept(mw_hlo_lexer *lexer, char sign,
                        bool *found) MW_MUST_CHECK;

/* The current word is '<': sets what is inside up to its '>', brackets and
 * quotes inside balanced, and goes past it. */
typedef struct mw_hlo_span {
    const char *text;
    int64_t length;
    int line, column;
} mw_hlo_span;
mw_status mw_hlo_angle(mw_hlo_lexer *lexer, mw_hlo_span *inside) MW_MUST_CHECK;

/* The same from any opening bracket to its closing one. */
mw_status mw_hlo_skip(mw_hlo_lexer *lexer) MW_MUST_CHECK;

/* A copy of a word's text; NULL with MW_ENOMEM recorded. */
const char *mw_hlo_text(mw_hlo_lexer *lexer) MW_MUST_CHECK;

#endif
