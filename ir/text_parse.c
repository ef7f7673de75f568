/*
 * text_parse.c - .mw text becomes a named graph, a line a statement
 * (docs/text-format.md has the grammar). Recursive descent without recursion:
 * brackets nest once.
 */
#include "ir/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/near.h"
#include "ir/number.h"
#include "ir/op.h"
#include "ir/text_lex.h"
#include "ir/verify.h"

typedef struct parser {
    mw_lexer lex;
    mw_graph *graph;
    mw_arena *arena;
    mw_ctx *ctx;
    // "of" names that are resolved when all dims are known
    struct parent {
        mw_id dim;
        mw_word name;
    } * parents;
    int n_parents;
    int64_t cap_parents;
    int64_t cap_conditions;
    mw_graph *whole; // outside a body; p->graph is the body within
    struct parent *whole_parents;
    int n_whole_parents;
    mw_graph **body;
    int n_bodies;
    int64_t cap_bodies, cap_results;
    const mw_size_option *size; // in place of the text's
    int n_sizes;
} parser;

static mw_status unexpected(parser *p, const char *wanted)
{
    mw_lexer_point(&p->lex, &p->lex.word);
    return mw_fail(p->ctx, MW_EINPUT, "%s stands there, wanted %s",
                   mw_word_shown(p->arena, &p->lex.word), wanted);
}

static bool at_sign(const parser *p, char sign)
{
    return p->lex.word.kind == MW_WORD_SIGN && p->lex.word.sign == sign;
}

static bool at_word(const parser *p, const char *word)
{
    return p->lex.word.kind == MW_WORD_NAME &&
           strcmp(p->lex.word.text, word) == 0;
}

static bool at_name(const parser *p)
{
    return p->lex.word.kind == MW_WORD_NAME ||
           p->lex.word.kind == MW_WORD_QUOTED;
}

static mw_status take_sign(parser *p, char sign)
{
    const char wanted[] = {'\'', sign, '\'', '\0'};
    if (!at_sign(p, sign))
        return unexpected(p, wanted);
    return mw_lexer_next(&p->lex);
}

static mw_status take_name(parser *p, const char *wanted, mw_word *name)
{
    if (!at_name(p))
        return unexpected(p, wanted);
    *name = p->lex.word;
    return mw_lexer_next(&p->lex);
}

static mw_status take_int(parser *p, int64_t *value)
{
    const char *text = p->lex.word.text;
    char *end;
    if (p->lex.word.kind != MW_WORD_NUMBER)
        return unexpected(p, "an integer");
    errno = 0;
    long long found = strtoll(text, &end, 10);
    if (*end || end == text || errno)
        return unexpected(p, "an integer of 64 bits");
    *value = found;
    return mw_lexer_next(&p->lex);
}

static mw_status take_float(parser *p, double *value)
{
    const char *text = p->lex.word.text;
    char *end;
    if (p->lex.word.kind != MW_WORD_NUMBER && !at_word(p, "inf") &&
        !at_word(p, "nan"))
        return unexpected(p, "a number");
    double found = strtod(text, &end);
    if (*end || end == text)
        return unexpected(p, "a number");
    *value = found;
    return mw_lexer_next(&p->lex);
}

static mw_status find_dim(parser *p, const mw_word *name, mw_id *dim)
{
    *dim = mw_graph_find_dim(p->graph, name->text);
    if (*dim != MW_NONE)
        return MW_OK;
    mw_near near;
    mw_near_init(&near, name->text);
    for (int i = 0; i < p->graph->n_dims; i++)
        mw_near_try(&near, p->graph->dim[i].name);
    mw_lexer_point(&p->lex, name);
    return mw_fail(p->ctx, MW_EINPUT, "dim '%s' is unknown%s%s%s", name->text,
                   near.best ? "; did you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "");
}

static mw_status find_tensor(parser *p, const mw_word *name, mw_id *tensor)
{
    *tensor = mw_graph_find_tensor(p->graph, name->text);
    if (*tensor != MW_NONE)
        return MW_OK;
    mw_near near;
    mw_near_init(&near, name->text);
    for (int i = 0; i < p->graph->n_tensors; i++)
        mw_near_try(&near, p->graph->tensor[i].name);
    mw_lexer_point(&p->lex, name);
    return mw_fail(p->ctx, MW_EINPUT, "tensor '%s' is unknown%s%s%s",
                   name->text, near.best ? "; did you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "");
}

// One flat axis: a dim's name or a plain size.
static mw_status take_axis(parser *p, mw_tensor *tensor)
{
    mw_axis axis = {.dim = MW_NONE};
    if (tensor->rank == MW_MAX_RANK) {
        mw_lexer_point(&p->lex, &p->lex.word);
        return mw_fail(p->ctx, MW_EINPUT, "more than %d dims in a tensor",
                       MW_MAX_RANK);
    }
    if (at_name(p)) {
        mw_word name = p->lex.word;
        MW_TRY(find_dim(p, &name, &axis.dim));
        axis.size = p->graph->dim[axis.dim].size;
        MW_TRY(mw_lexer_next(&p->lex));
    } else {
        MW_TRY(take_int(p, &axis.size));
    }
    tensor->axis[tensor->rank++] = axis;
    return MW_OK;
}

static mw_status take_file_axis(parser *p, mw_tensor *tensor)
{
    int before = tensor->rank;
    if (tensor->file_rank == MW_MAX_FILE_RANK) {
        mw_lexer_point(&p->lex, &p->lex.word);
        return mw_fail(p->ctx, MW_EINPUT, "more than %d axes in a tensor",
                       MW_MAX_FILE_RANK);
    }
    if (at_sign(p, '(')) {
        MW_TRY(mw_lexer_next(&p->lex));
        while (!at_sign(p, ')'))
            MW_TRY(take_axis(p, tensor));
        MW_TRY(mw_lexer_next(&p->lex));
    } else {
        MW_TRY(take_axis(p, tensor));
        const mw_axis *axis = &tensor->axis[before];
        if (axis->dim == MW_NONE && axis->size == 1)
            tensor->rank = before;
    }
    tensor->file_axis[tensor->file_rank++] = (int8_t)(tensor->rank - before);
    return MW_OK;
}

// "f32[batch, (heads d_head), 1]"
static mw_status take_type(parser *p, mw_tensor *tensor)
{
    mw_word name;
    MW_TRY(take_name(p, "a dtype", &name));
    if (!mw_dtype_by_name(name.text, &tensor->dtype)) {
        mw_lexer_point(&p->lex, &name);
        return mw_fail(p->ctx, MW_EINPUT, "dtype '%s' is unknown", name.text);
    }
    MW_TRY(take_sign(p, '['));
    while (!at_sign(p, ']')) {
        if (tensor->file_rank > 0)
            MW_TRY(take_sign(p, ','));
        MW_TRY(take_file_axis(p, tensor));
    }
    return mw_lexer_next(&p->lex);
}

static mw_status take_element(parser *p, mw_dtype dtype, mw_number *x)
{
    mw_word word = p->lex.word;
    char *end = NULL;
    if (mw_dtype_class(dtype) == MW_CLASS_FLOAT)
        return take_float(p, &x->f);
    if (word.kind != MW_WORD_NUMBER)
        return unexpected(p, "an integer");
    errno = 0;
    if (mw_dtype_class(dtype) == MW_CLASS_SIGNED)
        x->i = strtoll(word.text, &end, 10);
    else
        x->u = strtoull(word.text, &end, 10);
    mw_number least = mw_number_least(dtype);
    mw_number largest = mw_number_largest(dtype);
    bool fits = mw_dtype_class(dtype) == MW_CLASS_SIGNED
                    ? x->i >= least.i && x->i <= largest.i
                    : x->u <= largest.u && word.text[0] != '-';
    if (*end || errno || !fits)
        return unexpected(p, "an integer that fits the dtype");
    return mw_lexer_next(&p->lex);
}

// "{1, 2, 3}": as many as the tensor has elements. They are counted before
// room is made, so that a size alone takes no memory.
static mw_status take_elements(parser *p, mw_tensor *tensor)
{
    mw_word open = p->lex.word;
    int64_t size[MW_MAX_RANK], wanted = -1, n = 0, cap = 0;
    mw_number *x = NULL;
    for (int i = 0; i < tensor->rank; i++)
        size[i] = tensor->axis[i].size;
    mw_dtype part = mw_dtype_part(tensor->dtype);
    bool pairs = part != tensor->dtype; // of a complex number
    bool fits = mw_product_fits(size, tensor->rank, &wanted) &&
                mw_mul_fits(wanted, pairs ? 2 : 1, &wanted);
    MW_TRY(mw_lexer_next(&p->lex));
    for (; !at_sign(p, '}'); n++) {
        if (n > 0)
            MW_TRY(take_sign(p, ','));
        x = mw_arena_reserve(p->arena, x, n, &cap, sizeof *x);
        if (!x)
            return MW_ENOMEM;
        MW_TRY(take_element(p, part, &x[n]));
    }
    if (!fits || n != wanted) {
        mw_lexer_point(&p->lex, &open);
        return mw_fail(p->ctx, MW_EINPUT, "%lld values, wanted %lld",
                       (long long)n, (long long)wanted);
    }
    void *bytes =
        mw_arena_alloc(p->arena, (size_t)n, (size_t)mw_dtype_bytes(part));
    if (!bytes)
        return MW_ENOMEM;
    mw_numbers_store(part, bytes, 0, 1, n, x);
    tensor->data = (mw_data){.kind = MW_DATA_MEMORY,
                             .bytes = bytes,
                             .length = mw_dtype_size(part, n)};
    return mw_lexer_next(&p->lex);
}

static mw_status take_data(parser *p, mw_tensor *tensor)
{
    MW_TRY(mw_lexer_next(&p->lex));
    if (at_sign(p, '{'))
        return take_elements(p, tensor);
    if (at_word(p, "fill") || at_word(p, "normal")) {
        bool fill = at_word(p, "fill");
        tensor->data.kind = fill ? MW_DATA_FILL : MW_DATA_NORMAL;
        if (!fill && !mw_dtype_is_float(tensor->dtype))
            return unexpected(p, "other values, as the dtype is no float");
        MW_TRY(mw_lexer_next(&p->lex));
        return take_float(p, &tensor->data.fill);
    }
    if (at_word(p, "like")) {
        mw_word of;
        MW_TRY(mw_lexer_next(&p->lex));
        MW_TRY(take_name(p, "a parameter's name", &of));
        tensor->data = (mw_data){.kind = MW_DATA_LIKE, .path = of.text};
        return MW_OK;
    }
    if (p->lex.word.kind == MW_WORD_NUMBER) {
        tensor->data.kind = MW_DATA_FILL;
        return take_float(p, &tensor->data.fill);
    }
    if (p->lex.word.kind != MW_WORD_QUOTED)
        return unexpected(p, "values: {…}, fill X, normal X, like NAME or "
                             "\"FILE\"");
    tensor->data =
        (mw_data){.kind = MW_DATA_FILE, .path = p->lex.word.text, .offset = -1};
    MW_TRY(mw_lexer_next(&p->lex));
    if (!at_sign(p, '@'))
        return MW_OK;
    MW_TRY(mw_lexer_next(&p->lex));
    if (p->lex.word.kind != MW_WORD_NUMBER || p->lex.word.text[0] == '-')
        return unexpected(p, "an offset of at least 0");
    return take_int(p, &tensor->data.offset);
}

static mw_status parse_tensor(parser *p, mw_role role)
{
    mw_tensor tensor = {.role = role};
    mw_word name;
    mw_id id;
    MW_TRY(take_name(p, "a tensor's name", &name));
    MW_TRY(take_sign(p, ':'));
    tensor.name = name.text;
    MW_TRY(take_type(p, &tensor));
    if (at_sign(p, '=') && role == MW_ROLE_INPUT)
        return unexpected(p, "the end of the line, as an input has no values");
    if (role == MW_ROLE_STATE)
        tensor.data.kind = MW_DATA_FILL;
    if (at_sign(p, '='))
        MW_TRY(take_data(p, &tensor));
    mw_lexer_point(&p->lex, &name);
    return mw_graph_tensor(p->graph, &tensor, &id);
}

static void resize(const parser *p, mw_dim *dim)
{
    for (int i = 0; i < p->n_sizes; i++) {
        if (strcmp(p->size[i].name, dim->name) == 0)
            dim->size = p->size[i].size;
    }
}

static mw_status parse_dim(parser *p)
{
    mw_dim dim = {.of = MW_NONE};
    mw_word name, other;
    mw_id id;
    MW_TRY(take_name(p, "a dim's name", &name));
    MW_TRY(take_sign(p, '='));
    MW_TRY(take_int(p, &dim.size));
    dim.name = name.text;
    resize(p, &dim);
    mw_word parent = {.text = NULL};
    if (at_word(p, "of")) {
        MW_TRY(mw_lexer_next(&p->lex));
        MW_TRY(take_name(p, "a dim's name", &parent));
    }
    if (at_word(p, "by")) {
        MW_TRY(mw_lexer_next(&p->lex));
        MW_TRY(take_name(p, "what it is derived by", &other));
        dim.how = other.text;
    }
    if (at_word(p, "also")) {
        MW_TRY(mw_lexer_next(&p->lex));
        MW_TRY(take_name(p, "another name", &other));
        dim.synonym = other.text;
    }
    mw_lexer_point(&p->lex, &name);
    MW_TRY(mw_graph_dim(p->graph, &dim, &id));
    if (!parent.text)
        return MW_OK;
    p->parents = mw_arena_reserve(p->arena, p->parents, p->n_parents,
                                  &p->cap_parents, sizeof *p->parents);
    if (!p->parents)
        return MW_ENOMEM;
    p->parents[p->n_parents++] = (struct parent){id, parent};
    return MW_OK;
}

static mw_status resolve_parents(parser *p)
{
    for (int i = 0; i < p->n_parents; i++) {
        mw_id of;
        MW_TRY(find_dim(p, &p->parents[i].name, &of));
        p->graph->dim[p->parents[i].dim].of = of;
    }
    return MW_OK;
}

static mw_status parse_condition(parser *p)
{
    mw_word text;
    MW_TRY(take_name(p, "a condition in quotes", &text));
    const char **grown =
        mw_arena_reserve(p->arena, p->graph->condition, p->graph->n_conditions,
                         &p->cap_conditions, sizeof *grown);
    if (!grown)
        return MW_ENOMEM;
    p->graph->condition = grown;
    grown[p->graph->n_conditions++] = text.text;
    return MW_OK;
}

static mw_status parse_output(parser *p)
{
    for (;;) {
        mw_word name;
        mw_id id;
        MW_TRY(take_name(p, "a tensor's name", &name));
        MW_TRY(find_tensor(p, &name, &id));
        if (p->graph->tensor[id].output) {
            mw_lexer_point(&p->lex, &name);
            return mw_fail(p->ctx, MW_EINPUT, "output '%s' is there twice",
                           name.text);
        }
        p->graph->tensor[id].output = true;
        if (!at_sign(p, ','))
            return MW_OK;
        MW_TRY(mw_lexer_next(&p->lex));
    }
}

// Parts of an op's statement, growing in the arena.
typedef struct statement {
    mw_word *result;
    int n_results;
    int64_t cap_results;
    mw_id *in;
    int n_in;
    int64_t cap_in;
    mw_attr *attr;
    int n_attr;
    int64_t cap_attr;
    mw_word op, label;
} statement;

static mw_status take_ints(parser *p, mw_attr *attr)
{
    int64_t *values = NULL, cap = 0;
    MW_TRY(take_sign(p, '['));
    while (!at_sign(p, ']')) {
        if (attr->n > 0)
            MW_TRY(take_sign(p, ','));
        values =
            mw_arena_reserve(p->arena, values, attr->n, &cap, sizeof *values);
        if (!values)
            return MW_ENOMEM;
        MW_TRY(take_int(p, &values[attr->n]));
        attr->n++;
    }
    attr->i = values;
    return mw_lexer_next(&p->lex);
}

static bool in_body(const parser *p)
{
    return p->graph != p->whole;
}

static mw_status find_body(parser *p, const mw_word *name,
                           const mw_graph **body)
{
    mw_near near;
    int n = in_body(p) ? p->n_bodies - 1 : p->n_bodies; // that have ended
    mw_near_init(&near, name->text);
    for (int i = 0; i < n; i++) {
        *body = p->body[i];
        if (strcmp(p->body[i]->name, name->text) == 0)
            return MW_OK;
        mw_near_try(&near, p->body[i]->name);
    }
    mw_lexer_point(&p->lex, name);
    return mw_fail(p->ctx, MW_EINPUT, "body '%s' is unknown%s%s%s", name->text,
                   near.best ? "; did you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "");
}

static mw_status take_value(parser *p, mw_attr *attr)
{
    mw_word word = p->lex.word;
    int64_t *one = MW_NEW(p->arena, int64_t);
    mw_id dim;
    if (!one)
        return MW_ENOMEM;
    attr->i = one;
    switch (attr->kind) {
    case MW_ATTR_INT:
        attr->n = 1;
        return take_int(p, one);
    case MW_ATTR_INTS:
        return take_ints(p, attr);
    case MW_ATTR_FLOAT:
        return take_float(p, &attr->f);
    case MW_ATTR_TEXT:
        attr->text = word.text;
        return take_name(p, "a text in quotes", &word);
    case MW_ATTR_DIM:
        MW_TRY(take_name(p, "a dim's name", &word));
        MW_TRY(find_dim(p, &word, &dim));
        *one = dim;
        attr->n = 1;
        return MW_OK;
    case MW_ATTR_DTYPE:
        MW_TRY(take_name(p, "a dtype", &word));
        if (mw_dtype_by_name(word.text, &attr->dtype))
            return MW_OK;
        mw_lexer_point(&p->lex, &word);
        return mw_fail(p->ctx, MW_EINPUT, "dtype '%s' is unknown", word.text);
    case MW_ATTR_BODY:
        MW_TRY(take_name(p, "a body's name", &word));
        return find_body(p, &word, &attr->body);
    }
    return MW_OK;
}

static mw_status take_attr(parser *p, statement *s, const mw_word *name)
{
    const mw_op_def *def = mw_op_find(s->op.text);
    const mw_attr_rule *rule = mw_op_attr_rule(def, name->text, MW_ATTR_NAMED);
    if (!rule) {
        mw_lexer_point(&p->lex, name);
        return mw_fail(p->ctx, MW_EINPUT, "%s: attribute '%s' is unknown",
                       s->op.text, name->text);
    }
    s->attr = mw_arena_reserve(p->arena, s->attr, s->n_attr, &s->cap_attr,
                               sizeof *s->attr);
    if (!s->attr)
        return MW_ENOMEM;
    mw_attr *attr = &s->attr[s->n_attr++];
    *attr = (mw_attr){.name = rule->name, .kind = rule->kind};
    MW_TRY(mw_lexer_next(&p->lex));
    return take_value(p, attr);
}

static mw_status take_argument(parser *p, statement *s)
{
    mw_word name;
    MW_TRY(take_name(p, "an operand or attribute", &name));
    if (at_sign(p, '='))
        return take_attr(p, s, &name);
    s->in =
        mw_arena_reserve(p->arena, s->in, s->n_in, &s->cap_in, sizeof *s->in);
    if (!s->in)
        return MW_ENOMEM;
    return find_tensor(p, &name, &s->in[s->n_in++]);
}

static mw_status take_call(parser *p, statement *s)
{
    MW_TRY(take_name(p, "an op", &s->op));
    if (!mw_op_find(s->op.text)) {
        mw_near near;
        mw_near_init(&near, s->op.text);
        for (int i = 0; i < mw_op_count; i++)
            mw_near_try(&near, mw_op_table[i]->name);
        mw_lexer_point(&p->lex, &s->op);
        return mw_fail(p->ctx, MW_EINPUT, "op '%s' is unknown%s%s%s",
                       s->op.text, near.best ? "; did you mean '" : "",
                       near.best ? near.best : "", near.best ? "'?" : "");
    }
    MW_TRY(take_sign(p, '('));
    for (int n = 0; !at_sign(p, ')'); n++) {
        if (n > 0)
            MW_TRY(take_sign(p, ','));
        MW_TRY(take_argument(p, s));
    }
    return mw_lexer_next(&p->lex);
}

static mw_status take_results(parser *p, statement *s)
{
    for (;;) {
        s->result = mw_arena_reserve(p->arena, s->result, s->n_results,
                                     &s->cap_results, sizeof *s->result);
        if (!s->result)
            return MW_ENOMEM;
        MW_TRY(take_name(p, "a statement", &s->result[s->n_results++]));
        if (!at_sign(p, ','))
            return take_sign(p, '=');
        MW_TRY(mw_lexer_next(&p->lex));
    }
}

// "a, b = op(x, y, k=5) : f32[m, n], i64[m] @ label"
static mw_status parse_op(parser *p)
{
    statement s = {.label = {.text = NULL}};
    mw_id op;
    MW_TRY(take_results(p, &s));
    MW_TRY(take_call(p, &s));
    MW_TRY(take_sign(p, ':'));
    mw_id *out = MW_NEW_ARRAY(p->arena, s.n_results, mw_id);
    if (!out)
        return MW_ENOMEM;
    for (int i = 0; i < s.n_results; i++) {
        mw_tensor tensor = {.role = MW_ROLE_VALUE, .name = s.result[i].text};
        if (i > 0)
            MW_TRY(take_sign(p, ','));
        MW_TRY(take_type(p, &tensor));
        mw_word after = p->lex.word;
        mw_lexer_point(&p->lex, &s.result[i]);
        MW_TRY(mw_graph_tensor(p->graph, &tensor, &out[i]));
        mw_lexer_point(&p->lex, &after);
    }
    if (at_sign(p, '@')) {
        MW_TRY(mw_lexer_next(&p->lex));
        MW_TRY(take_name(p, "a label", &s.label));
    }
    mw_op_spec spec = {.def = s.op.text,
                       .name = s.label.text,
                       .n_in = s.n_in,
                       .in = s.in,
                       .n_out = s.n_results,
                       .out = out,
                       .n_attr = s.n_attr,
                       .attr = s.attr};
    mw_lexer_point(&p->lex, &s.op);
    return mw_graph_bind(p->graph, &spec, &op);
}

static mw_status parse_model(parser *p)
{
    mw_word name;
    MW_TRY(take_name(p, "the model's name", &name));
    p->graph->name = name.text;
    return MW_OK;
}

// "body NAME" … "end": a graph of its own, for ops that have one.
static mw_status parse_body(parser *p)
{
    mw_word name;
    if (in_body(p)) {
        mw_lexer_point(&p->lex, &p->lex.word);
        return mw_fail(p->ctx, MW_EINPUT, "a body within body '%s'",
                       p->graph->name);
    }
    MW_TRY(take_name(p, "the body's name", &name));
    for (int i = 0; i < p->n_bodies; i++) {
        mw_lexer_point(&p->lex, &name);
        if (strcmp(p->body[i]->name, name.text) == 0)
            return mw_fail(p->ctx, MW_EINPUT, "body '%s' is there twice",
                           name.text);
    }
    mw_graph *body = MW_NEW(p->arena, mw_graph);
    p->body = mw_arena_reserve(p->arena, p->body, p->n_bodies, &p->cap_bodies,
                               sizeof *p->body);
    if (!body || !p->body)
        return MW_ENOMEM;
    MW_TRY(mw_graph_init(body, p->arena, name.text));
    body->named = true;
    p->body[p->n_bodies++] = body;
    p->whole_parents = p->parents;
    p->n_whole_parents = p->n_parents;
    p->parents = NULL;
    p->n_parents = 0;
    p->cap_parents = 0;
    p->graph = body;
    p->cap_results = 0;
    return MW_OK;
}

static mw_status parse_result(parser *p)
{
    mw_graph *body = p->graph;
    if (!in_body(p))
        return unexpected(p, "'output', as results are a body's");
    for (;;) {
        mw_word name;
        MW_TRY(take_name(p, "a tensor's name", &name));
        body->result = mw_arena_reserve(p->arena, body->result, body->n_results,
                                        &p->cap_results, sizeof *body->result);
        if (!body->result)
            return MW_ENOMEM;
        MW_TRY(find_tensor(p, &name, &body->result[body->n_results]));
        body->n_results++;
        if (!at_sign(p, ','))
            return MW_OK;
        MW_TRY(mw_lexer_next(&p->lex));
    }
}

static mw_status parse_end(parser *p)
{
    if (!in_body(p))
        return unexpected(p, "a statement, as no body has begun");
    MW_TRY(resolve_parents(p));
    p->parents = p->whole_parents;
    p->n_parents = p->n_whole_parents;
    p->cap_parents = p->n_parents;
    MW_TRY(mw_verify(p->graph));
    p->graph = p->whole;
    return MW_OK;
}

static mw_status parse_statement(parser *p)
{
    static const struct keyword {
        const char *word;
        mw_status (*parse)(parser *p);
        mw_role role;
    } keywords[] = {
        {"model", parse_model, MW_ROLE_VALUE},
        {"dim", parse_dim, MW_ROLE_VALUE},
        {"output", parse_output, MW_ROLE_VALUE},
        {"condition", parse_condition, MW_ROLE_VALUE},
        {"body", parse_body, MW_ROLE_VALUE},
        {"result", parse_result, MW_ROLE_VALUE},
        {"end", parse_end, MW_ROLE_VALUE},
        {"input", NULL, MW_ROLE_INPUT},
        {"param", NULL, MW_ROLE_PARAM},
        {"const", NULL, MW_ROLE_CONST},
        {"state", NULL, MW_ROLE_STATE},
    };
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (!at_word(p, keywords[i].word))
            continue;
        MW_TRY(mw_lexer_next(&p->lex));
        return keywords[i].parse ? keywords[i].parse(p)
                                 : parse_tensor(p, keywords[i].role);
    }
    return parse_op(p);
}

static mw_status parse_all(parser *p)
{
    while (p->lex.word.kind != MW_WORD_END) {
        if (p->lex.word.kind != MW_WORD_LINE) {
            MW_TRY(parse_statement(p));
            if (p->lex.word.kind != MW_WORD_LINE &&
                p->lex.word.kind != MW_WORD_END)
                return unexpected(p, "the end of the line");
        }
        if (p->lex.word.kind == MW_WORD_LINE)
            MW_TRY(mw_lexer_next(&p->lex));
    }
    if (in_body(p))
        return unexpected(p, "'end' of the body");
    return resolve_parents(p);
}

// Every size that was asked for is one of a dimension that stands by itself.
static mw_status check_sizes(const parser *p)
{
    for (int i = 0; i < p->n_sizes; i++) {
        const char *name = p->size[i].name;
        mw_id dim = mw_graph_find_dim(p->graph, name);
        mw_near near;
        mw_ctx_at(p->ctx, "--dim");
        if (dim != MW_NONE && p->graph->dim[dim].of != MW_NONE)
            return mw_fail(p->ctx, MW_EUSAGE,
                           "the size of '%s' follows from '%s'", name,
                           p->graph->dim[p->graph->dim[dim].of].name);
        if (dim != MW_NONE)
            continue;
        mw_near_init(&near, name);
        for (mw_id d = 0; d < p->graph->n_dims; d++)
            mw_near_try(&near, p->graph->dim[d].name);
        return mw_fail(p->ctx, MW_EUSAGE,
                       "the model has no dimension '%s'%s%s%s", name,
                       near.best ? "; did you mean '" : "",
                       near.best ? near.best : "", near.best ? "'?" : "");
    }
    return MW_OK;
}

mw_status mw_text_parse_sized(mw_graph *graph, const char *file,
                              const char *text, const mw_size_option *size,
                              int n_sizes)
{
    parser p = {.graph = graph,
                .whole = graph,
                .arena = graph->arena,
                .ctx = graph->ctx,
                .size = size,
                .n_sizes = n_sizes};
    char before[MW_WHERE_MAX];
    memcpy(before, p.ctx->pos, sizeof before);
    graph->named = true;
    MW_TRY(mw_lexer_open(&p.lex, p.arena, file, text));
    MW_TRY(parse_all(&p));
    MW_TRY(check_sizes(&p));
    mw_ctx_at(p.ctx, "%s", file);
    MW_TRY(mw_graph_interference(graph));
    MW_TRY(mw_verify(graph));
    memcpy(p.ctx->pos, before, sizeof before);
    return MW_OK;
}

mw_status mw_text_parse(mw_graph *graph, const char *file, const char *text)
{
    return mw_text_parse_sized(graph, file, text, NULL, 0);
}
