/*
 * text_lex.h - words of the .mw text, one at a time, with their place. Used by
 * the parser only.
 */
#ifndef MW_IR_TEXT_LEX_H
#define MW_IR_TEXT_LEX_H

#include "base/arena.h"

typedef enum mw_word_kind {
    MW_WORD_END,    /* of the text */
    MW_WORD_LINE,   /* end of a line */
    MW_WORD_NAME,   /* bare */
    MW_WORD_QUOTED, /* a name or a text in quotes */
    MW_WORD_NUMBER,
    MW_WORD_SIGN /* one of = : , ( ) [ ] { } @ */
} mw_word_kind;

typedef struct mw_word {
    mw_word_kind kind;
    const char *text; /* names unquoted; in the arena */
    char sign;
    int line, column; /* from 1 */
} mw_word;

typedef struct mw_lexer {
    mw_arena *arena; /* borrowed */
    const char *file;
    const char *at;
    const char *line_start;
    int line;
    mw_word word; /* the current one */
} mw_lexer;

/* Goes to the first word. */
mw_status mw_lexer_open(mw_lexer *lexer, mw_arena *arena, const char *file,
                        const char *text) MW_MUST_CHECK;
mw_status mw_lexer_next(mw_lexer *lexer) MW_MUST_CHECK;

/* Sets the context's position to a word's, for the next failure. */
void mw_lexer_point(const mw_lexer *lexer, const mw_word *word);

/* "'='", "the end of the line": what stands there, for messages. */
const char *mw_word_shown(mw_arena *arena, const mw_word *word);

/* A name that needs no quotes. */
bool mw_name_is_bare(const char *name);

#endif
