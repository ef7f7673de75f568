/* stablehlo_value.c - values of attributes: numbers, texts, lists, dictionaries
 * and constants; what is foreign is skipped as a whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ir/import/stablehlo.h"

mw_hlo_item *mw_hlo_item_add(mw_hlo_lexer *lexer, mw_hlo_item *list,
                             const char *name)
{
    mw_hlo_item *grown = mw_arena_reserve(lexer->arena, list->item, list->n,
                                          &list->cap, sizeof *list->item);
    if (!grown)
        return NULL;
    list->item = grown;
    grown[list->n] = (mw_hlo_item){
        .name = name, .line = lexer->word.line, .column = lexer->word.column};
    return &grown[list->n++];
}

const mw_hlo_item *mw_hlo_item_find(const mw_hlo_item *list, const char *name)
{
    for (int64_t k = 0; k < list->n; k++)
        if (list->item[k].name && strcmp(list->item[k].name, name) == 0)
            return &list->item[k];
    return NULL;
}

static bool is_whole(const mw_hlo_word *word)
{
    if (word->length > 1 && word->text[1] == 'x')
        return true;
    for (int64_t k = word->text[0] == '-'; k < word->length; k++)
        if (word->text[k] < '0' || word->text[k] > '9')
            return false;
    return true;
}

static mw_status number(mw_hlo_lexer *lexer, mw_hlo_item *value)
{
    const mw_hlo_word *word = &lexer->word;
    bool hex = word->length > 1 && word->text[1] == 'x';
    value->kind = is_whole(word) ? MW_HLO_INT : MW_HLO_FLOAT;
    value->f = strtod(word->text, NULL);
    errno = 0;
    if (hex)
        value->i = (int64_t)strtoull(word->text, NULL, 16);
    else if (value->kind == MW_HLO_INT)
        value->i = strtoll(word->text, NULL, 10);
    if (errno == ERANGE) {
        mw_hlo_point(lexer, word);
        return mw_fail(lexer->arena->ctx, MW_EINPUT,
                       "a number is larger than 64 bits hold");
    }
    return mw_hlo_next(lexer);
}

/* Items up to a closing sign, which is passed. In `a = 1, b x = 2` each item
 * may have a name; words side by side are items of their own. */
static mw_status items(mw_hlo_lexer *lexer, int depth, char close, bool typed,
                       mw_hlo_item *list)
{
    while (!mw_hlo_is(lexer, close)) {
        mw_hlo_item *added = mw_hlo_item_add(lexer, list, NULL);
        mw_hlo_item value;
        if (!added)
            return MW_ENOMEM;
        const char *name = NULL;
        mw_hlo_lexer before = *lexer;
        if (lexer->word.kind == MW_HLO_NAME) {
            name = mw_hlo_text(lexer);
            if (!name)
                return MW_ENOMEM;
            MW_TRY(mw_hlo_next(lexer));
            bool equals;
            MW_TRY(mw_hlo_accept(lexer, '=', &equals));
            if (!equals) {
                name = NULL;
                *lexer = before;
            }
        }
        MW_TRY(mw_hlo_value_parse(lexer, depth, typed, &value));
        value.name = name;
        *added = value;
        bool comma;
        MW_TRY(mw_hlo_accept(lexer, ',', &comma));
    }
    return mw_hlo_next(lexer);
}

mw_status mw_hlo_dict_parse(mw_hlo_lexer *lexer, int depth, mw_hlo_item *list)
{
    MW_TRY(mw_hlo_expect(lexer, '{'));
    while (!mw_hlo_is(lexer, '}')) {
        if (lexer->word.kind != MW_HLO_NAME &&
            lexer->word.kind != MW_HLO_QUOTED)
            return mw_hlo_wanted(lexer, "the name of an attribute");
        const char *name = mw_hlo_text(lexer);
        mw_hlo_item value = {.kind = MW_HLO_NOTHING};
        mw_hlo_item *added = name ? mw_hlo_item_add(lexer, list, name) : NULL;
        if (!added)
            return MW_ENOMEM;
        bool equals, comma;
        MW_TRY(mw_hlo_next(lexer));
        MW_TRY(mw_hlo_accept(lexer, '=', &equals));
        if (equals)
            MW_TRY(mw_hlo_value_parse(lexer, depth, true, &value));
        value.name = name;
        *added = value;
        MW_TRY(mw_hlo_accept(lexer, ',', &comma));
        if (!comma && !mw_hlo_is(lexer, '}'))
            return mw_hlo_wanted(lexer, "',' or '}'");
    }
    return mw_hlo_next(lexer);
}

/* array<i64: 1, 2>: a list of numbers. */
static mw_status array(mw_hlo_lexer *lexer, int depth, mw_hlo_item *value)
{
    value->kind = MW_HLO_LIST;
    MW_TRY(mw_hlo_expect(lexer, '<'));
    if (lexer->word.kind != MW_HLO_NAME)
        return mw_hlo_wanted(lexer, "an element type");
    MW_TRY(mw_hlo_next(lexer));
    bool colon;
    MW_TRY(mw_hlo_accept(lexer, ':', &colon));
    return items(lexer, depth, '>', false, value);
}

static mw_status dense(mw_hlo_lexer *lexer, mw_hlo_item *value)
{
    value->kind = MW_HLO_DENSE;
    return mw_hlo_angle(lexer, &value->body);
}

static bool starts(const mw_hlo_word *word, const char *with)
{
    return (size_t)word->length >= strlen(with) &&
           memcmp(word->text, with, strlen(with)) == 0;
}

/* #stablehlo.gather<a = [1]> is a dictionary, #stablehlo<precision DEFAULT> a
 * list of words; of other dialects nothing is wanted. */
static mw_status alias(mw_hlo_lexer *lexer, int depth, mw_hlo_item *value)
{
    bool ours = starts(&lexer->word, "stablehlo") ||
                starts(&lexer->word, "chlo") || starts(&lexer->word, "mhlo");
    MW_TRY(mw_hlo_next(lexer));
    if (!mw_hlo_is(lexer, '<'))
        return MW_OK;
    if (!ours)
        return mw_hlo_skip(lexer);
    value->kind = MW_HLO_LIST;
    MW_TRY(mw_hlo_next(lexer));
    return items(lexer, depth, '>', true, value);
}

static mw_status name(mw_hlo_lexer *lexer, int depth, mw_hlo_item *value)
{
    bool is_array = mw_hlo_is_name(lexer, "array");
    bool is_dense = mw_hlo_is_name(lexer, "dense");
    bool resource = mw_hlo_is_name(lexer, "dense_resource");
    bool yes = mw_hlo_is_name(lexer, "true");
    value->i = yes;
    value->f = yes;
    value->kind = MW_HLO_WORD;
    value->text = mw_hlo_text(lexer);
    if (!value->text)
        return MW_ENOMEM;
    if (yes || mw_hlo_is_name(lexer, "false"))
        value->kind = MW_HLO_INT;
    mw_hlo_word word = lexer->word;
    MW_TRY(mw_hlo_next(lexer));
    if (resource) {
        mw_hlo_point(lexer, &word);
        return mw_fail(lexer->arena->ctx, MW_EINPUT,
                       "the values of a dense_resource are not in the text, "
                       "which is not supported\n"
                       "a constant that is an argument of the function is "
                       "none of its values");
    }
    if (is_array)
        return array(lexer, depth, value);
    if (is_dense)
        return dense(lexer, value);
    if (mw_hlo_is(lexer, '<') || mw_hlo_is(lexer, '('))
        return mw_hlo_skip(lexer);
    return MW_OK;
}

static mw_status bracketed(mw_hlo_lexer *lexer, int depth, bool typed,
                           mw_hlo_item *value)
{
    value->kind = MW_HLO_LIST;
    if (mw_hlo_is(lexer, '{'))
        return mw_hlo_dict_parse(lexer, depth, value);
    char close = mw_hlo_is(lexer, '[') ? ']' : '>';
    MW_TRY(mw_hlo_next(lexer));
    return items(lexer, depth, close, typed, value);
}

static mw_status bare(mw_hlo_lexer *lexer, int depth, bool typed,
                      mw_hlo_item *value)
{
    switch (lexer->word.kind) {
    case MW_HLO_NUMBER:
        return number(lexer, value);
    case MW_HLO_QUOTED:
    case MW_HLO_SYMBOL:
        value->kind =
            lexer->word.kind == MW_HLO_QUOTED ? MW_HLO_TEXT : MW_HLO_CALLEE;
        value->text = mw_hlo_text(lexer);
        return value->text ? mw_hlo_next(lexer) : MW_ENOMEM;
    case MW_HLO_NAME:
        return name(lexer, depth, value);
    case MW_HLO_ALIAS:
        return alias(lexer, depth, value);
    case MW_HLO_DIALECT_TYPE:
        MW_TRY(mw_hlo_next(lexer));
        return mw_hlo_is(lexer, '<') ? mw_hlo_skip(lexer) : MW_OK;
    default:
        break;
    }
    if (mw_hlo_is(lexer, '[') || mw_hlo_is(lexer, '{') || mw_hlo_is(lexer, '<'))
        return bracketed(lexer, depth, typed, value);
    if (mw_hlo_is(lexer, '('))
        return mw_hlo_skip(lexer);
    if (mw_hlo_is(lexer, '?') || lexer->word.kind == MW_HLO_ARROW)
        return mw_hlo_next(lexer);
    return mw_hlo_wanted(lexer, "a value");
}

/* ":8:2" behind a number: with it, the bounds of a slice. */
static mw_status bounds(mw_hlo_lexer *lexer, mw_hlo_item *value)
{
    mw_hlo_item list = {
        .kind = MW_HLO_LIST, .line = value->line, .column = value->column};
    mw_hlo_item *added = mw_hlo_item_add(lexer, &list, NULL);
    if (!added)
        return MW_ENOMEM;
    *added = *value;
    while (mw_hlo_is(lexer, ':')) {
        MW_TRY(mw_hlo_next(lexer));
        if (lexer->word.kind != MW_HLO_NUMBER)
            return mw_hlo_wanted(lexer, "a number");
        added = mw_hlo_item_add(lexer, &list, NULL);
        if (!added)
            return MW_ENOMEM;
        MW_TRY(number(lexer, added));
    }
    *value = list;
    return MW_OK;
}

static mw_status type_suffix(mw_hlo_lexer *lexer, mw_hlo_item *value)
{
    mw_hlo_type *type = MW_NEW(lexer->arena, mw_hlo_type);
    if (!type)
        return MW_ENOMEM;
    MW_TRY(mw_hlo_type_parse(lexer, type));
    if (value->kind == MW_HLO_DENSE)
        value->type = type;
    return MW_OK;
}

/* `1 : i64` has a type, `0:8:2` is a list. */
static mw_status suffix(mw_hlo_lexer *lexer, bool typed, mw_hlo_item *value)
{
    mw_hlo_lexer colon = *lexer;
    if (!mw_hlo_is(lexer, ':'))
        return MW_OK;
    MW_TRY(mw_hlo_next(lexer));
    bool number_follows = lexer->word.kind == MW_HLO_NUMBER;
    if (typed && !number_follows)
        return type_suffix(lexer, value);
    *lexer = colon;
    return number_follows && value->kind == MW_HLO_INT ? bounds(lexer, value)
                                                       : MW_OK;
}

mw_status mw_hlo_value_parse(mw_hlo_lexer *lexer, int depth, bool typed,
                             mw_hlo_item *value)
{
    *value =
        (mw_hlo_item){.line = lexer->word.line, .column = lexer->word.column};
    if (depth >= MW_HLO_MAX_DEPTH) {
        mw_hlo_point(lexer, &lexer->word);
        return mw_fail(lexer->arena->ctx, MW_EINPUT,
                       "an attribute is nested deeper than %d",
                       MW_HLO_MAX_DEPTH);
    }
    MW_TRY(bare(lexer, depth + 1, typed, value));
    return suffix(lexer, typed, value);
}
