/* onnx_text.c - writes protobuf messages from inside out. */
#include "tests/onnx_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/file.h"
#include "tests/test.h"

enum { WORD_MAX = 128, VARINT = 0, BYTES = 2, FIXED32 = 5 };

static void put_varint(mw_text *out, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        mw_text_add_char(out, (char)(0x80 | (value & 0x7f)));
    mw_text_add_char(out, (char)value);
}

static void put_int(mw_text *out, int field, int64_t value)
{
    put_varint(out, (uint64_t)(field << 3 | VARINT));
    put_varint(out, (uint64_t)value);
}

static void put_bytes(mw_text *out, int field, const void *bytes, size_t n)
{
    put_varint(out, (uint64_t)(field << 3 | BYTES));
    put_varint(out, n);
    mw_text_add_bytes(out, bytes, n);
}

static void put_text(mw_text *out, int field, const char *text)
{
    put_bytes(out, field, text, strlen(text));
}

/* Appends a message and empties it. */
static void put_message(mw_text *out, int field, mw_text *message)
{
    put_bytes(out, field, message->data, message->length);
    mw_text_free(message);
}

/* The next word of a line, "" at its end. */
static const char *next_word(const char **at, char word[WORD_MAX])
{
    *at += strspn(*at, " ");
    size_t n = strcspn(*at, " \n");
    (void)snprintf(word, WORD_MAX, "%.*s", (int)n, *at);
    *at += n;
    return word;
}

/* The next part of a list with commas, false at its end. */
static bool next_part(const char **at, char part[WORD_MAX])
{
    if (**at == '\0')
        return false;
    size_t n = strcspn(*at, ",");
    (void)snprintf(part, WORD_MAX, "%.*s", (int)n, *at);
    *at += n + ((*at)[n] == ',');
    return true;
}

static int type_code(const char *name)
{
    static const struct {
        const char *name;
        int code, bytes;
    } types[] = {{"float", 1, 4}, {"uint8", 2, 1},   {"int32", 6, 4},
                 {"int64", 7, 8}, {"string", 8, 0},  {"bool", 9, 1},
                 {"half", 10, 2}, {"double", 11, 8}, {"float8", 17, 1}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].code;
    return 0;
}

static bool is_number(const char *text)
{
    return text[strspn(text, "-0123456789")] == '\0';
}

static void put_value(mw_text *out, int field, const char *line, mw_ctx *ctx)
{
    char name[WORD_MAX], type[WORD_MAX], dims[WORD_MAX], part[WORD_MAX];
    mw_text value, outer, tensor, shape, dim;
    mw_text_init(&value, ctx);
    mw_text_init(&outer, ctx);
    mw_text_init(&tensor, ctx);
    mw_text_init(&shape, ctx);
    mw_text_init(&dim, ctx);
    put_text(&value, 1, next_word(&line, name));
    if (next_word(&line, type)[0]) {
        put_int(&tensor, 1, type_code(type));
        const char *at = next_word(&line, dims);
        while (strcmp(dims, "-") != 0 && next_part(&at, part)) {
            if (is_number(part))
                put_int(&dim, 1, strtoll(part, NULL, 10));
            else
                put_text(&dim, 2, part);
            put_message(&shape, 1, &dim);
        }
        put_message(&tensor, 2, &shape);
        put_message(&outer, 1, &tensor);
        put_message(&value, 2, &outer);
    }
    put_message(out, field, &value);
}

static int64_t put_dims(mw_text *tensor, const char *dims, int64_t *last)
{
    char part[WORD_MAX];
    int64_t n = 1;
    *last = 1;
    while (strcmp(dims, "-") != 0 && next_part(&dims, part)) {
        int64_t size = strtoll(part, NULL, 10);
        put_int(tensor, 1, size);
        *last = size;
        if (!mw_mul_fits(n, size, &n))
            n = 0; /* such a tensor has no values here */
    }
    return n;
}

static void put_pair(mw_text *tensor, const char *key, const char *value,
                     mw_ctx *ctx)
{
    mw_text pair;
    mw_text_init(&pair, ctx);
    put_text(&pair, 1, key);
    put_text(&pair, 2, value);
    if (strcmp(value, "-") != 0)
        put_message(tensor, 13, &pair);
    mw_text_free(&pair);
}

static void put_elements(mw_text *raw, const char *type, double value,
                         int64_t n)
{
    float single = (float)value;
    int64_t whole = (int64_t)value;
    for (int64_t i = 0; i < n; i++) {
        if (strcmp(type, "float") == 0)
            mw_text_add_bytes(raw, (const char *)&single, sizeof single);
        else if (strcmp(type, "double") == 0)
            mw_text_add_bytes(raw, (const char *)&value, sizeof value);
        else
            mw_text_add_bytes(raw, (const char *)&whole,
                              strcmp(type, "int64") == 0   ? 8
                              : strcmp(type, "int32") == 0 ? 4
                                                           : 1);
    }
}

/* Multiples of 1/32 below 1, by their seed and number. */
static void put_random(mw_text *raw, const char *seed, int64_t n,
                       int64_t columns)
{
    bool turned = strchr(seed, 't') != NULL;
    for (int64_t i = 0; i < n; i++) {
        int64_t k = turned ? i % columns * (n / columns) + i / columns : i;
        uint64_t state = strtoull(seed, NULL, 10) << 32 | (uint64_t)k;
        float value = (float)(mw_test_random(&state) % 32) / 32;
        mw_text_add_bytes(raw, (const char *)&value, sizeof value);
    }
}

static void put_weight(mw_text *graph, const char *line, bool external,
                       mw_ctx *ctx)
{
    char name[WORD_MAX], type[WORD_MAX], dims[WORD_MAX], word[WORD_MAX];
    mw_text tensor, raw;
    mw_text_init(&tensor, ctx);
    mw_text_init(&raw, ctx);
    next_word(&line, name);
    next_word(&line, type);
    int64_t columns;
    int64_t n = put_dims(&tensor, next_word(&line, dims), &columns);
    put_int(&tensor, 2, type_code(type));
    put_text(&tensor, 8, name);
    if (external) {
        put_pair(&tensor, "location", next_word(&line, word), ctx);
        put_pair(&tensor, "offset", next_word(&line, word), ctx);
        put_pair(&tensor, "length", next_word(&line, word), ctx);
        put_int(&tensor, 14, 1);
    } else {
        next_word(&line, word);
        if (word[0] == '~')
            put_random(&raw, word + 1, n, columns);
        else
            put_elements(&raw, type, strtod(word, NULL), n);
        put_message(&tensor, 9, &raw);
    }
    put_message(graph, 5, &tensor);
}

/* name=1 name=[1,2] name:0.5 name='text' */
static void put_attr(mw_text *node, const char *word, mw_ctx *ctx)
{
    char name[WORD_MAX], part[WORD_MAX];
    mw_text attr;
    mw_text_init(&attr, ctx);
    size_t n = strcspn(word, "=:");
    (void)snprintf(name, sizeof name, "%.*s", (int)n, word);
    put_text(&attr, 1, name);
    const char *value = word + n + 1;
    if (word[n] == ':') {
        float f = strtof(value, NULL);
        put_varint(&attr, 2 << 3 | FIXED32);
        mw_text_add_bytes(&attr, (const char *)&f, sizeof f);
        put_int(&attr, 20, 1);
    } else if (value[0] == '\'') {
        put_bytes(&attr, 4, value + 1, strlen(value) - 2);
        put_int(&attr, 20, 3);
    } else if (value[0] == '[') {
        char list[WORD_MAX];
        (void)snprintf(list, sizeof list, "%.*s", (int)strlen(value) - 2,
                       value + 1);
        const char *at = list;
        while (next_part(&at, part))
            put_int(&attr, 8, strtoll(part, NULL, 10));
        put_int(&attr, 20, 7);
    } else {
        put_int(&attr, 3, strtoll(value, NULL, 10));
        put_int(&attr, 20, 2);
    }
    put_message(node, 5, &attr);
}

static void put_names(mw_text *node, int field, const char *list)
{
    char part[WORD_MAX];
    while (next_part(&list, part))
        put_text(node, field, strcmp(part, "_") == 0 ? "" : part);
}

static void put_node(mw_text *graph, const char *line, mw_ctx *ctx)
{
    char op[WORD_MAX], word[WORD_MAX];
    mw_text node;
    mw_text_init(&node, ctx);
    next_word(&line, op);
    char *name = strstr(op, "::");
    if (op[0] == '@' && name) {
        *name = '\0';
        put_text(&node, 7, op + 1);
    }
    put_text(&node, 4, op[0] == '@' && name ? name + 2 : op);
    if (strcmp(next_word(&line, word), "->") != 0) {
        put_names(&node, 1, word);
        next_word(&line, word);
    }
    put_names(&node, 2, next_word(&line, word));
    while (next_word(&line, word)[0])
        put_attr(&node, word, ctx);
    put_message(graph, 1, &node);
}

static void put_opset(mw_text *model, const char *line, mw_ctx *ctx)
{
    char word[WORD_MAX];
    mw_text opset;
    mw_text_init(&opset, ctx);
    put_text(&opset, 1, "");
    put_int(&opset, 2, strtoll(next_word(&line, word), NULL, 10));
    put_message(model, 8, &opset);
}

static void put_function(mw_text *model, const char *line, mw_ctx *ctx)
{
    char word[WORD_MAX];
    mw_text function;
    mw_text_init(&function, ctx);
    next_word(&line, word);
    char *colons = strstr(word, "::");
    if (colons) {
        *colons = '\0';
        put_text(&function, 1, colons + 2);
        put_text(&function, 10, word);
    }
    put_message(model, 25, &function);
}

static void put_line(mw_text *model, mw_text *graph, const char *line)
{
    char word[WORD_MAX];
    mw_ctx *ctx = model->ctx;
    next_word(&line, word);
    if (strcmp(word, "ir") == 0)
        put_int(model, 1, strtoll(next_word(&line, word), NULL, 10));
    else if (strcmp(word, "opset") == 0)
        put_opset(model, line, ctx);
    else if (strcmp(word, "input") == 0)
        put_value(graph, 11, line, ctx);
    else if (strcmp(word, "output") == 0)
        put_value(graph, 12, line, ctx);
    else if (strcmp(word, "info") == 0)
        put_value(graph, 13, line, ctx);
    else if (strcmp(word, "weight") == 0)
        put_weight(graph, line, false, ctx);
    else if (strcmp(word, "extern") == 0)
        put_weight(graph, line, true, ctx);
    else if (strcmp(word, "function") == 0)
        put_function(model, line, ctx);
    else if (strcmp(word, "node") == 0)
        put_node(graph, line, ctx);
}

void onnx_text(mw_text *bytes, const char *lines)
{
    mw_text graph;
    mw_text_init(&graph, bytes->ctx);
    while (*lines) {
        size_t n = strcspn(lines, "\n");
        put_line(bytes, &graph, lines);
        lines += n + (lines[n] == '\n');
    }
    put_text(&graph, 2, "text");
    put_message(bytes, 7, &graph);
}

bool onnx_text_file(const char *path, const char *lines)
{
    mw_ctx ctx;
    mw_text bytes;
    mw_ctx_init(&ctx);
    mw_text_init(&bytes, &ctx);
    onnx_text(&bytes, lines);
    mw_status status = mw_text_status(&bytes);
    if (status == MW_OK)
        status = mw_file_write(&ctx, path, bytes.data, bytes.length);
    mw_text_free(&bytes);
    mw_ctx_free(&ctx);
    return status == MW_OK;
}
