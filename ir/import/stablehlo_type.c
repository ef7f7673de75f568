/* stablehlo_type.c - types: tensor<4x?xf32> and what is no tensor. */
#include <string.h>

#include "ir/import/stablehlo.h"

enum { TENSOR_WORDS = 64 };

static const struct name {
    const char *text;
    mw_dtype dtype;
} names[] = {
    {"f32", MW_F32},  {"f64", MW_F64},   {"f16", MW_F16},  {"bf16", MW_BF16},
    {"i1", MW_BOOL},  {"i8", MW_I8},     {"i16", MW_I16},  {"i32", MW_I32},
    {"i64", MW_I64},  {"ui8", MW_U8},    {"ui16", MW_U16}, {"ui32", MW_U32},
    {"ui64", MW_U64}, {"si8", MW_I8},    {"si16", MW_I16}, {"si32", MW_I32},
    {"si64", MW_I64}, {"index", MW_I64},
};

static void set_element(mw_hlo_type *type)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].text, type->text) == 0) {
            type->known = true;
            type->dtype = names[i].dtype;
        }
}

static const char *copy(mw_hlo_lexer *lexer, const char *text, int64_t length)
{
    return mw_arena_format(lexer->arena, "%.*s",
                           (int)(length < TENSOR_WORDS ? length : TENSOR_WORDS),
                           text);
}

static mw_status bad_size(mw_hlo_lexer *lexer, const mw_hlo_span *span,
                          const char *at)
{
    mw_ctx_at(lexer->arena->ctx, "%s:%d:%d", lexer->file, span->line,
              span->column + (int)(at - span->text));
    return mw_fail(lexer->arena->ctx, MW_EINPUT,
                   "a size of a tensor is larger than any can be");
}

/* One "12x" or "?x"; false where the element type begins. */
static mw_status take_size(mw_hlo_lexer *lexer, const mw_hlo_span *span,
                           const char **at, int64_t *size, bool *found)
{
    const char *c = *at, *end = span->text + span->length;
    *found = false;
    if (*c == '?' && c + 1 < end && c[1] == 'x') {
        *size = MW_HLO_UNKNOWN;
        *found = true;
        *at = c + 2;
        return MW_OK;
    }
    int64_t value = 0;
    for (; c < end && *c >= '0' && *c <= '9'; c++) {
        if (value > (INT64_MAX - 9) / 10)
            return bad_size(lexer, span, *at);
        value = 10 * value + (*c - '0');
    }
    if (c == *at || c >= end || *c != 'x')
        return MW_OK;
    *size = value;
    *found = true;
    *at = c + 1;
    return MW_OK;
}

static mw_status tensor(mw_hlo_lexer *lexer, mw_hlo_type *type)
{
    mw_hlo_span span;
    int64_t dim[MW_MAX_FILE_RANK], size;
    bool found = true;
    MW_TRY(mw_hlo_angle(lexer, &span));
    const char *at = span.text, *end = span.text + span.length;
    while (found) {
        while (at < end && *at == ' ')
            at++;
        MW_TRY(take_size(lexer, &span, &at, &size, &found));
        if (found && type->rank == MW_MAX_FILE_RANK)
            return mw_fail(lexer->arena->ctx, MW_EINPUT,
                           "a tensor has more than %d axes", MW_MAX_FILE_RANK);
        if (found)
            dim[type->rank++] = size;
    }
    type->tensor = true;
    type->dim = MW_NEW_ARRAY(lexer->arena, type->rank, int64_t);
    const char *comma = memchr(at, ',', (size_t)(end - at));
    type->text = copy(lexer, at, (comma ? comma : end) - at);
    if (!type->dim || !type->text)
        return MW_ENOMEM;
    memcpy(type->dim, dim, (size_t)type->rank * sizeof *dim);
    set_element(type);
    return MW_OK;
}

mw_status mw_hlo_type_parse(mw_hlo_lexer *lexer, mw_hlo_type *type)
{
    *type = (mw_hlo_type){0};
    mw_hlo_word first = lexer->word;
    bool is_tensor = mw_hlo_is_name(lexer, "tensor");
    if (first.kind != MW_HLO_NAME && first.kind != MW_HLO_DIALECT_TYPE)
        return mw_hlo_wanted(lexer, "a type");
    MW_TRY(mw_hlo_next(lexer));
    if (is_tensor && mw_hlo_is(lexer, '<'))
        return tensor(lexer, type);
    type->text = copy(lexer, first.text, first.length);
    return mw_hlo_is(lexer, '<') ? mw_hlo_skip(lexer) : MW_OK;
}
