/* stablehlo_parse.c - modules, functions and operations. One grammar reads
 * every operation; the few forms with regions are told apart by the words
 * before them. */
#include <string.h>

#include "base/map.h"
#include "ir/import/stablehlo.h"

typedef struct parser {
    mw_hlo_lexer lexer;
    mw_hlo_module *module;
    mw_map locations; /* alias -> index of its text */
    const char **location;
    int64_t n_locations, cap_locations;
} parser;

static mw_status block(parser *p, int depth, mw_hlo_block *block);

static mw_ctx *ctx_of(const parser *p)
{
    return p->lexer.arena->ctx;
}

#define GROW(p, items, n, cap)                                                 \
    mw_arena_reserve((p)->lexer.arena, (items), (n), &(cap), sizeof *(items))

/* ---- locations ---- */

/* loc(...): the name that it begins with goes to *label, else NULL stays. */
static mw_status location(parser *p, const char **label)
{
    mw_hlo_lexer *lexer = &p->lexer;
    MW_TRY(mw_hlo_next(lexer));
    if (!mw_hlo_is(lexer, '('))
        return mw_hlo_wanted(lexer, "'('");
    mw_hlo_lexer open = *lexer;
    MW_TRY(mw_hlo_next(lexer));
    mw_hlo_lexer inside = *lexer;
    const char *found = NULL;
    if (inside.word.kind == MW_HLO_ALIAS) {
        const char *alias = mw_hlo_text(&inside);
        found = alias ? mw_arena_format(inside.arena, "#%s", alias) : NULL;
    } else if (inside.word.kind == MW_HLO_QUOTED && inside.word.length > 0) {
        found = mw_hlo_text(&inside);
        MW_TRY(mw_hlo_next(&inside));
        if (mw_hlo_is(&inside, ':'))
            found = NULL; /* a place in a source file */
    }
    *lexer = open;
    if (label)
        *label = found;
    return mw_hlo_skip(lexer);
}

static mw_status accept_location(parser *p, const char **label)
{
    return mw_hlo_is_name(&p->lexer, "loc") ? location(p, label) : MW_OK;
}

/* #NAME = value, of which locations are kept. */
static mw_status alias(parser *p)
{
    mw_hlo_lexer *lexer = &p->lexer;
    const char *name = mw_hlo_text(lexer), *label = NULL;
    if (!name)
        return MW_ENOMEM;
    MW_TRY(mw_hlo_next(lexer));
    MW_TRY(mw_hlo_expect(lexer, '='));
    if (!mw_hlo_is_name(lexer, "loc")) {
        mw_hlo_item value;
        return mw_hlo_value_parse(lexer, 0, false, &value);
    }
    MW_TRY(location(p, &label));
    if (!label)
        return MW_OK;
    const char **grown = GROW(p, p->location, p->n_locations, p->cap_locations);
    if (!grown)
        return MW_ENOMEM;
    p->location = grown;
    grown[p->n_locations] = label;
    return mw_map_put_text(&p->locations, name, p->n_locations++);
}

/* A label that is an alias gets its text, NULL when it has none. */
static void resolve(const parser *p, const char **label)
{
    for (int step = 0; *label && **label == '#' && step < 4; step++) {
        const int64_t *known = mw_map_find_text(&p->locations, *label + 1);
        *label = known ? p->location[*known] : NULL;
    }
    if (*label && **label == '#')
        *label = NULL;
}

/* ---- types ---- */

static mw_status add_type(parser *p, mw_hlo_type **list, int64_t *n,
                          int64_t *cap)
{
    mw_hlo_type *grown =
        mw_arena_reserve(p->lexer.arena, *list, *n, cap, sizeof **list);
    if (!grown)
        return MW_ENOMEM;
    *list = grown;
    return mw_hlo_type_parse(&p->lexer, &grown[(*n)++]);
}

/* `(a, b)` or `a, b`. */
static mw_status type_list(parser *p, mw_hlo_type **list, int64_t *n,
                           int64_t *cap)
{
    bool in_brackets, more = true;
    MW_TRY(mw_hlo_accept(&p->lexer, '(', &in_brackets));
    if (in_brackets && mw_hlo_is(&p->lexer, ')'))
        more = false;
    while (more) {
        MW_TRY(add_type(p, list, n, cap));
        MW_TRY(mw_hlo_accept(&p->lexer, ',', &more));
    }
    return in_brackets ? mw_hlo_expect(&p->lexer, ')') : MW_OK;
}

/* Behind the ':' of an operation: `(ins) -> outs`, or types of which the last
 * are the results'. */
static mw_status op_types(parser *p, mw_hlo_op *op)
{
    int64_t named = 0;
    for (int64_t r = 0; r < op->n_results; r++)
        named += op->result[r].n;
    MW_TRY(type_list(p, &op->in_type, &op->n_in_types, &op->cap_in_types));
    if (p->lexer.word.kind != MW_HLO_ARROW) {
        op->n_out_types = named < op->n_in_types ? named : op->n_in_types;
        if (op->n_out_types > 0)
            op->out_type = op->in_type + (op->n_in_types - op->n_out_types);
        return MW_OK;
    }
    MW_TRY(mw_hlo_next(&p->lexer));
    return type_list(p, &op->out_type, &op->n_out_types, &op->cap_out_types);
}

/* ---- operands ---- */

static mw_status add_use(parser *p, mw_hlo_op *op, bool init)
{
    mw_hlo_use *grown = GROW(p, op->use, op->n_uses, op->cap_uses);
    if (!grown)
        return MW_ENOMEM;
    op->use = grown;
    const mw_hlo_word *word = &p->lexer.word;
    mw_hlo_use *use = &grown[op->n_uses++];
    *use = (mw_hlo_use){.name = mw_hlo_text(&p->lexer),
                        .index = word->index < 0 ? 0 : word->index,
                        .init = init,
                        .line = word->line,
                        .column = word->column};
    return use->name ? mw_hlo_next(&p->lexer) : MW_ENOMEM;
}

static mw_status add_arg(parser *p, mw_hlo_block *block, mw_hlo_arg **added)
{
    mw_hlo_arg *grown = GROW(p, block->arg, block->n_args, block->cap_args);
    if (!grown)
        return MW_ENOMEM;
    block->arg = grown;
    *added = &grown[block->n_args++];
    **added = (mw_hlo_arg){.name = mw_hlo_text(&p->lexer)};
    return (*added)->name ? mw_hlo_next(&p->lexer) : MW_ENOMEM;
}

/* Attributes side by side, `[1] x [0]`, are a list of lists. */
static mw_status joined(parser *p, int depth, mw_hlo_item *value)
{
    mw_hlo_lexer *lexer = &p->lexer;
    mw_hlo_item list = {.kind = MW_HLO_LIST, .name = value->name};
    while (mw_hlo_is_name(lexer, "x") || lexer->word.kind == MW_HLO_ARROW) {
        mw_hlo_item *added;
        if (list.n == 0) {
            added = mw_hlo_item_add(lexer, &list, NULL);
            if (!added)
                return MW_ENOMEM;
            *added = *value;
        }
        MW_TRY(mw_hlo_next(lexer));
        mw_hlo_item next;
        MW_TRY(mw_hlo_value_parse(lexer, depth, false, &next));
        added = mw_hlo_item_add(lexer, &list, NULL);
        if (!added)
            return MW_ENOMEM;
        *added = next;
    }
    if (list.n > 0)
        *value = list;
    return MW_OK;
}

static mw_status add_attr(parser *p, int depth, const char *name, bool typed,
                          mw_hlo_op *op)
{
    mw_hlo_item value;
    MW_TRY(mw_hlo_value_parse(&p->lexer, depth, typed, &value));
    value.name = name;
    MW_TRY(joined(p, depth, &value));
    mw_hlo_item *added = mw_hlo_item_add(&p->lexer, &op->attr, name);
    if (!added)
        return MW_ENOMEM;
    *added = value;
    return MW_OK;
}

/* `name = value`, `init: %x`, or a bare word. */
static mw_status named(parser *p, int depth, mw_hlo_op *op)
{
    mw_hlo_lexer *lexer = &p->lexer;
    mw_hlo_lexer before = *lexer;
    const char *name = mw_hlo_text(lexer);
    if (!name)
        return MW_ENOMEM;
    MW_TRY(mw_hlo_next(lexer));
    if (mw_hlo_is(lexer, '=')) {
        MW_TRY(mw_hlo_next(lexer));
        return add_attr(p, depth, name, false, op);
    }
    if (strcmp(name, "init") == 0 && mw_hlo_is(lexer, ':')) {
        MW_TRY(mw_hlo_next(lexer));
        if (lexer->word.kind != MW_HLO_VALUE)
            return mw_hlo_wanted(lexer, "an operand");
        return add_use(p, op, true);
    }
    *lexer = before;
    return add_attr(p, depth, NULL, false, op);
}

/* `%x`, or `%arg = %x` of a pretty loop, whose name goes to the first block's
 * arguments. */
static mw_status operand(parser *p, mw_hlo_op *op, mw_hlo_block *args)
{
    mw_hlo_lexer *lexer = &p->lexer;
    mw_hlo_lexer before = *lexer;
    MW_TRY(mw_hlo_next(lexer));
    if (!args || !mw_hlo_is(lexer, '=')) {
        *lexer = before;
        return add_use(p, op, false);
    }
    *lexer = before;
    mw_hlo_arg *arg;
    MW_TRY(add_arg(p, args, &arg));
    MW_TRY(mw_hlo_expect(lexer, '='));
    if (lexer->word.kind != MW_HLO_VALUE)
        return mw_hlo_wanted(lexer, "an operand");
    return add_use(p, op, false);
}

/* ---- regions ---- */

static mw_status add_block(parser *p, mw_hlo_op *op, mw_hlo_block **added)
{
    mw_hlo_block *grown = GROW(p, op->block, op->n_blocks, op->cap_blocks);
    if (!grown)
        return MW_ENOMEM;
    op->block = grown;
    *added = &grown[op->n_blocks++];
    **added = (mw_hlo_block){0};
    return MW_OK;
}

/* { ^bb0(%a: type, ...): ops }: one block. */
static mw_status region(parser *p, int depth, mw_hlo_op *op,
                        const mw_hlo_block *args)
{
    mw_hlo_block body = {0}, *added;
    if (args) {
        body.arg = args->arg;
        body.n_args = args->n_args;
    }
    MW_TRY(block(p, depth, &body));
    MW_TRY(add_block(p, op, &added));
    *added = body;
    return MW_OK;
}

/* Behind '(' and a '{': regions up to the ')'. */
static mw_status regions(parser *p, int depth, mw_hlo_op *op)
{
    bool more = true;
    while (more) {
        MW_TRY(region(p, depth, op, NULL));
        MW_TRY(mw_hlo_accept(&p->lexer, ',', &more));
    }
    return mw_hlo_expect(&p->lexer, ')');
}

/* reducer(%a: type, %b: type) (...) { }: a pair an operand, which the generic
 * form lists as all firsts, then all seconds. */
static mw_status reducer(parser *p, int depth, mw_hlo_op *op)
{
    mw_hlo_lexer *lexer = &p->lexer;
    mw_hlo_block pairs = {0}, args = {0};
    while (mw_hlo_is(lexer, '(')) {
        do {
            MW_TRY(mw_hlo_next(lexer));
            if (lexer->word.kind != MW_HLO_VALUE)
                return mw_hlo_wanted(lexer, "an argument");
            mw_hlo_arg *arg;
            mw_hlo_type type;
            MW_TRY(add_arg(p, &pairs, &arg));
            MW_TRY(mw_hlo_expect(lexer, ':'));
            MW_TRY(mw_hlo_type_parse(lexer, &type));
            MW_TRY(accept_location(p, NULL));
        } while (mw_hlo_is(lexer, ','));
        MW_TRY(mw_hlo_expect(lexer, ')'));
    }
    args.n_args = pairs.n_args;
    args.arg = MW_NEW_ARRAY(lexer->arena, pairs.n_args, mw_hlo_arg);
    if (!args.arg)
        return MW_ENOMEM;
    if (pairs.n_args % 2 != 0)
        return mw_hlo_wanted(lexer, "pairs of arguments");
    for (int64_t i = 0; i < pairs.n_args; i++)
        args.arg[i % 2 * (pairs.n_args / 2) + i / 2] = pairs.arg[i];
    return region(p, depth, op, &args);
}

/* ---- operations ---- */

/* Operands, attributes and regions in brackets. */
static mw_status in_brackets(parser *p, int depth, mw_hlo_op *op,
                             mw_hlo_block *args)
{
    mw_hlo_lexer *lexer = &p->lexer;
    MW_TRY(mw_hlo_next(lexer));
    if (mw_hlo_is(lexer, '{'))
        return regions(p, depth, op);
    while (!mw_hlo_is(lexer, ')')) {
        if (lexer->word.kind == MW_HLO_VALUE)
            MW_TRY(operand(p, op, args));
        else if (lexer->word.kind == MW_HLO_NAME)
            MW_TRY(named(p, depth, op));
        else
            return mw_hlo_wanted(lexer, "an operand or ')'");
        bool comma;
        MW_TRY(mw_hlo_accept(lexer, ',', &comma));
    }
    return mw_hlo_next(lexer);
}

/* What stands before the ':' of the types; false at its end. */
static mw_status part(parser *p, int depth, mw_hlo_op *op, mw_hlo_block *args,
                      bool *more)
{
    mw_hlo_lexer *lexer = &p->lexer;
    *more = true;
    switch (lexer->word.kind) {
    case MW_HLO_VALUE:
        return operand(p, op, NULL);
    case MW_HLO_NAME:
        if (mw_hlo_is_name(lexer, "loc"))
            break;
        return named(p, depth, op);
    case MW_HLO_SYMBOL:
        return add_attr(p, depth, "callee", false, op);
    case MW_HLO_QUOTED:
    case MW_HLO_ALIAS:
        return add_attr(p, depth, NULL, false, op);
    default:
        break;
    }
    if (mw_hlo_is(lexer, '('))
        return in_brackets(p, depth, op, args);
    if (mw_hlo_is(lexer, '['))
        return add_attr(p, depth, "bounds", false, op);
    if (mw_hlo_is(lexer, '{'))
        return mw_hlo_dict_parse(lexer, depth, &op->attr);
    if (mw_hlo_is(lexer, ','))
        return mw_hlo_next(lexer);
    if (mw_hlo_is(lexer, '<')) {
        mw_hlo_lexer open = *lexer;
        MW_TRY(mw_hlo_next(lexer));
        if (mw_hlo_is(lexer, '{')) {
            MW_TRY(mw_hlo_dict_parse(lexer, depth, &op->attr));
            return mw_hlo_expect(lexer, '>');
        }
        *lexer = open;
        return mw_hlo_skip(lexer);
    }
    *more = false;
    return MW_OK;
}

/* Regions of pretty forms stand behind the types. */
static mw_status tail(parser *p, int depth, mw_hlo_op *op, mw_hlo_block *args)
{
    mw_hlo_lexer *lexer = &p->lexer;
    for (int64_t i = 0; i < args->n_args && i < op->n_in_types; i++)
        args->arg[i].type = &op->in_type[i];
    for (;;) {
        bool loop =
            mw_hlo_is_name(lexer, "cond") || mw_hlo_is_name(lexer, "do");
        bool attributes = mw_hlo_is_name(lexer, "attributes");
        bool pairs = mw_hlo_is_name(lexer, "reducer");
        if (!loop && !attributes && !pairs)
            return accept_location(p, NULL);
        MW_TRY(mw_hlo_next(lexer));
        if (pairs)
            MW_TRY(reducer(p, depth, op));
        else if (attributes)
            MW_TRY(mw_hlo_dict_parse(lexer, depth, &op->attr));
        else
            MW_TRY(region(p, depth, op, args));
    }
}

/* %a, %b:2 = */
static mw_status results(parser *p, mw_hlo_op *op)
{
    mw_hlo_lexer *lexer = &p->lexer;
    bool more = lexer->word.kind == MW_HLO_VALUE;
    if (!more)
        return MW_OK;
    while (more) {
        mw_hlo_result *grown =
            GROW(p, op->result, op->n_results, op->cap_results);
        if (!grown)
            return MW_ENOMEM;
        op->result = grown;
        mw_hlo_result *result = &grown[op->n_results++];
        if (lexer->word.kind != MW_HLO_VALUE)
            return mw_hlo_wanted(lexer, "the name of a result");
        *result = (mw_hlo_result){.name = mw_hlo_text(lexer), .n = 1};
        if (!result->name)
            return MW_ENOMEM;
        MW_TRY(mw_hlo_next(lexer));
        if (mw_hlo_is(lexer, ':')) {
            mw_hlo_item count;
            MW_TRY(mw_hlo_next(lexer));
            MW_TRY(mw_hlo_value_parse(lexer, 0, false, &count));
            if (count.kind != MW_HLO_INT || count.i < 1 || count.i > INT16_MAX)
                return mw_hlo_wanted(lexer, "a number of results before");
            result->n = count.i;
        }
        MW_TRY(mw_hlo_accept(lexer, ',', &more));
    }
    return mw_hlo_expect(lexer, '=');
}

/* Those of `init:` behind the others. */
static mw_status sort_uses(parser *p, mw_hlo_op *op)
{
    mw_hlo_use *sorted = MW_NEW_ARRAY(p->lexer.arena, op->n_uses, mw_hlo_use);
    if (!sorted)
        return MW_ENOMEM;
    int64_t n = 0;
    for (int init = 0; init < 2; init++)
        for (int64_t i = 0; i < op->n_uses; i++)
            if (op->use[i].init == (init == 1))
                sorted[n++] = op->use[i];
    op->use = sorted;
    return MW_OK;
}

static mw_status operation(parser *p, int depth, mw_hlo_op *op)
{
    mw_hlo_lexer *lexer = &p->lexer;
    mw_hlo_block args = {0};
    bool more = true, typed;
    MW_TRY(results(p, op));
    op->attr.kind = MW_HLO_LIST;
    op->line = lexer->word.line;
    op->column = lexer->word.column;
    if (lexer->word.kind != MW_HLO_NAME && lexer->word.kind != MW_HLO_QUOTED)
        return mw_hlo_wanted(lexer, "an operation");
    op->name = mw_hlo_text(lexer);
    if (!op->name)
        return MW_ENOMEM;
    p->module->n_ops++;
    MW_TRY(mw_hlo_next(lexer));
    while (more)
        MW_TRY(part(p, depth, op, &args, &more));
    MW_TRY(mw_hlo_accept(lexer, ':', &typed));
    if (typed)
        MW_TRY(op_types(p, op));
    MW_TRY(tail(p, depth, op, &args));
    return sort_uses(p, op);
}

/* ^bb0(%a: type loc(...), ...): */
static mw_status block_head(parser *p, mw_hlo_block *block)
{
    mw_hlo_lexer *lexer = &p->lexer;
    bool more = false, open;
    MW_TRY(mw_hlo_next(lexer));
    MW_TRY(mw_hlo_accept(lexer, '(', &open));
    more = open && !mw_hlo_is(lexer, ')');
    while (more) {
        mw_hlo_arg *arg;
        mw_hlo_type type;
        if (lexer->word.kind != MW_HLO_VALUE)
            return mw_hlo_wanted(lexer, "an argument");
        MW_TRY(add_arg(p, block, &arg));
        MW_TRY(mw_hlo_expect(lexer, ':'));
        MW_TRY(mw_hlo_type_parse(lexer, &type));
        MW_TRY(accept_location(p, NULL));
        MW_TRY(mw_hlo_accept(lexer, ',', &more));
    }
    if (open)
        MW_TRY(mw_hlo_expect(lexer, ')'));
    return mw_hlo_expect(lexer, ':');
}

static mw_status block(parser *p, int depth, mw_hlo_block *block)
{
    mw_hlo_lexer *lexer = &p->lexer;
    if (depth >= MW_HLO_MAX_DEPTH) {
        mw_hlo_point(lexer, &lexer->word);
        return mw_fail(ctx_of(p), MW_EINPUT, "regions nest deeper than %d",
                       MW_HLO_MAX_DEPTH);
    }
    MW_TRY(mw_hlo_expect(lexer, '{'));
    if (lexer->word.kind == MW_HLO_BLOCK)
        MW_TRY(block_head(p, block));
    while (!mw_hlo_is(lexer, '}')) {
        if (lexer->word.kind == MW_HLO_BLOCK)
            return mw_hlo_wanted(lexer, "a region of one block");
        mw_hlo_op *grown = GROW(p, block->op, block->n_ops, block->cap_ops);
        if (!grown)
            return MW_ENOMEM;
        block->op = grown;
        mw_hlo_op op = {0};
        MW_TRY(operation(p, depth + 1, &op));
        grown[block->n_ops++] = op;
    }
    return mw_hlo_next(lexer);
}

/* ---- functions ---- */

static mw_status func_args(parser *p, mw_hlo_func *func)
{
    mw_hlo_lexer *lexer = &p->lexer;
    MW_TRY(mw_hlo_expect(lexer, '('));
    bool more = !mw_hlo_is(lexer, ')');
    while (more) {
        mw_hlo_arg *arg;
        mw_hlo_item attrs = {.kind = MW_HLO_LIST};
        mw_hlo_type *type = MW_NEW(lexer->arena, mw_hlo_type);
        if (!type)
            return MW_ENOMEM;
        if (lexer->word.kind != MW_HLO_VALUE)
            return mw_hlo_wanted(lexer, "an argument");
        MW_TRY(add_arg(p, &func->body, &arg));
        MW_TRY(mw_hlo_expect(lexer, ':'));
        MW_TRY(mw_hlo_type_parse(lexer, type));
        arg->type = type;
        if (mw_hlo_is(lexer, '{'))
            MW_TRY(mw_hlo_dict_parse(lexer, 0, &attrs));
        MW_TRY(accept_location(p, &arg->label));
        MW_TRY(mw_hlo_accept(lexer, ',', &more));
    }
    return mw_hlo_expect(lexer, ')');
}

static mw_status func_result(parser *p, bool attributes, mw_hlo_func *func)
{
    mw_hlo_lexer *lexer = &p->lexer;
    mw_hlo_item attrs = {.kind = MW_HLO_LIST};
    int64_t n = func->n_out;
    MW_TRY(add_type(p, &func->out_type, &func->n_out, &func->cap_out));
    if (attributes && mw_hlo_is(lexer, '{'))
        MW_TRY(mw_hlo_dict_parse(lexer, 0, &attrs));
    const char **grown = GROW(p, func->out_label, n, func->cap_label);
    if (!grown)
        return MW_ENOMEM;
    func->out_label = grown;
    const mw_hlo_item *info = mw_hlo_item_find(&attrs, "jax.result_info");
    grown[n] = info && info->kind == MW_HLO_TEXT ? info->text : NULL;
    return MW_OK;
}

static mw_status func_results(parser *p, mw_hlo_func *func)
{
    mw_hlo_lexer *lexer = &p->lexer;
    bool open, more;
    if (lexer->word.kind != MW_HLO_ARROW)
        return MW_OK;
    MW_TRY(mw_hlo_next(lexer));
    MW_TRY(mw_hlo_accept(lexer, '(', &open));
    more = !(open && mw_hlo_is(lexer, ')'));
    while (more) {
        MW_TRY(func_result(p, open, func));
        more = false;
        if (open)
            MW_TRY(mw_hlo_accept(lexer, ',', &more));
    }
    return open ? mw_hlo_expect(lexer, ')') : MW_OK;
}

static mw_status function(parser *p)
{
    mw_hlo_lexer *lexer = &p->lexer;
    mw_hlo_module *module = p->module;
    mw_hlo_func *grown =
        GROW(p, module->func, module->n_funcs, module->cap_funcs);
    if (!grown)
        return MW_ENOMEM;
    module->func = grown;
    mw_hlo_func func = {.line = lexer->word.line, .column = lexer->word.column};
    mw_hlo_item attrs = {.kind = MW_HLO_LIST};
    MW_TRY(mw_hlo_next(lexer));
    while (lexer->word.kind == MW_HLO_NAME)
        MW_TRY(mw_hlo_next(lexer));
    if (lexer->word.kind != MW_HLO_SYMBOL)
        return mw_hlo_wanted(lexer, "the name of a function");
    func.name = mw_hlo_text(lexer);
    if (!func.name)
        return MW_ENOMEM;
    MW_TRY(mw_hlo_next(lexer));
    MW_TRY(func_args(p, &func));
    MW_TRY(func_results(p, &func));
    if (mw_hlo_is_name(lexer, "attributes")) {
        MW_TRY(mw_hlo_next(lexer));
        MW_TRY(mw_hlo_dict_parse(lexer, 0, &attrs));
    }
    func.has_body = mw_hlo_is(lexer, '{');
    if (func.has_body)
        MW_TRY(block(p, 0, &func.body));
    MW_TRY(accept_location(p, NULL));
    grown[module->n_funcs++] = func;
    return MW_OK;
}

/* What is in a module beside functions (sdy.mesh @m = <...>): up to the next
 * function, alias or end. */
static mw_status other(parser *p)
{
    mw_hlo_lexer *lexer = &p->lexer;
    if (lexer->word.kind == MW_HLO_END)
        return mw_hlo_wanted(lexer, "a function");
    if (mw_hlo_is(lexer, '<') || mw_hlo_is(lexer, '{') ||
        mw_hlo_is(lexer, '(') || mw_hlo_is(lexer, '['))
        return mw_hlo_skip(lexer);
    return mw_hlo_next(lexer);
}

static mw_status top(parser *p)
{
    mw_hlo_lexer *lexer = &p->lexer;
    if (lexer->word.kind == MW_HLO_ALIAS)
        return alias(p);
    if (mw_hlo_is_name(lexer, "func.func") || mw_hlo_is_name(lexer, "func"))
        return function(p);
    return mw_hlo_is_name(lexer, "loc") ? location(p, NULL) : other(p);
}

static mw_status module_head(parser *p)
{
    mw_hlo_lexer *lexer = &p->lexer;
    mw_hlo_item attrs = {.kind = MW_HLO_LIST};
    MW_TRY(mw_hlo_next(lexer));
    if (lexer->word.kind == MW_HLO_SYMBOL) {
        p->module->name = mw_hlo_text(lexer);
        if (!p->module->name)
            return MW_ENOMEM;
        MW_TRY(mw_hlo_next(lexer));
    }
    if (mw_hlo_is_name(lexer, "attributes")) {
        MW_TRY(mw_hlo_next(lexer));
        MW_TRY(mw_hlo_dict_parse(lexer, 0, &attrs));
    }
    return mw_hlo_expect(lexer, '{');
}

static mw_status text(parser *p)
{
    mw_hlo_lexer *lexer = &p->lexer;
    bool in_module = false;
    for (;;) {
        if (lexer->word.kind == MW_HLO_END && !in_module)
            break;
        if (mw_hlo_is_name(lexer, "module") && !in_module) {
            MW_TRY(module_head(p));
            in_module = true;
        } else if (mw_hlo_is(lexer, '}') && in_module) {
            MW_TRY(mw_hlo_next(lexer));
            in_module = false;
        } else if (in_module || lexer->word.kind == MW_HLO_ALIAS ||
                   lexer->word.kind == MW_HLO_NAME) {
            MW_TRY(top(p));
        } else {
            return mw_hlo_wanted(lexer, "a module or a function");
        }
    }
    if (p->module->n_funcs == 0)
        return mw_hlo_wanted(lexer, "a function");
    return MW_OK;
}

mw_status mw_hlo_parse(mw_arena *arena, const char *file, const char *source,
                       size_t size, mw_hlo_module *module)
{
    parser p = {.module = module};
    *module = (mw_hlo_module){.name = ""};
    mw_map_init(&p.locations, arena);
    MW_TRY(mw_hlo_lexer_open(&p.lexer, arena, file, source, size));
    MW_TRY(text(&p));
    for (int64_t f = 0; f < module->n_funcs; f++)
        for (int64_t a = 0; a < module->func[f].body.n_args; a++)
            resolve(&p, &module->func[f].body.arg[a].label);
    return MW_OK;
}
