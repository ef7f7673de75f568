/* stablehlo_build.c - visits the operations of @main: operands by name, the
 * operation's rule, results by name. Functions and regions are inlined. */
#include <string.h>

#include "base/near.h"
#include "ir/import.h"
#include "ir/import/stablehlo_call.h"

enum { OPS_MAX = 200000, LABEL_MAX = 200, RESULTS_MAX = 1 << 16 };

/* Attributes that say how to compute and not what. */
static const char *const ignored[] = {"precision",
                                      "precision_config",
                                      "indices_are_sorted",
                                      "unique_indices",
                                      "result_accuracy",
                                      "algorithm",
                                      "operand_layouts",
                                      "result_layouts",
                                      "output_operand_aliases",
                                      "api_version",
                                      "has_side_effect",
                                      "backend_config",
                                      "called_computations",
                                      "channel_handle",
                                      "is_stable",
                                      NULL};

/* ---- scopes ---- */

static void open_scope(mw_hlo_build *build, mw_hlo_scope *scope,
                       mw_hlo_scope *outer)
{
    *scope = (mw_hlo_scope){.outer = outer};
    mw_map_init(&scope->name, build->base.arena);
}

static mw_status bind(mw_hlo_build *build, const char *name,
                      const mw_hlo_value value[], int64_t n)
{
    mw_hlo_scope *scope = build->scope;
    int64_t first = scope->n_values;
    for (int64_t i = 0; i < n; i++) {
        mw_hlo_value *grown =
            mw_arena_reserve(build->base.arena, scope->value, scope->n_values,
                             &scope->cap_values, sizeof *scope->value);
        if (!grown)
            return MW_ENOMEM;
        scope->value = grown;
        grown[scope->n_values++] = value[i];
    }
    return mw_map_put_text(&scope->name, name, first * RESULTS_MAX + n);
}

static void at(const mw_hlo_build *build, int line, int column)
{
    mw_ctx_at(build->base.ctx, "%s:%d:%d", build->base.path, line, column);
}

static mw_status find(mw_hlo_build *build, const mw_hlo_use *use,
                      mw_hlo_value *value)
{
    for (const mw_hlo_scope *s = build->scope; s; s = s->outer) {
        const int64_t *first = mw_map_find_text(&s->name, use->name);
        if (!first)
            continue;
        if (use->index >= *first % RESULTS_MAX)
            break;
        *value = s->value[*first / RESULTS_MAX + use->index];
        return MW_OK;
    }
    at(build, use->line, use->column);
    return mw_fail(build->base.ctx, MW_EINPUT, "there is no value '%%%s'",
                   use->name);
}

/* ---- one operation ---- */

const mw_hlo_rule *mw_hlo_find(const char *op)
{
    for (int i = 0; i < mw_hlo_count; i++)
        for (const mw_hlo_rule *r = mw_hlo_table[i]->rules; r->op; r++)
            if (strcmp(r->op, op) == 0)
                return r;
    return NULL;
}

static mw_status unknown(mw_hlo_build *build, const mw_hlo_op *op)
{
    mw_near near;
    mw_near_init(&near, op->name);
    for (int i = 0; i < mw_hlo_count; i++)
        for (const mw_hlo_rule *r = mw_hlo_table[i]->rules; r->op; r++)
            mw_near_try(&near, r->op);
    return mw_fail(build->base.ctx, MW_EINPUT,
                   "operation '%s' is not supported%s%s%s", op->name,
                   near.best ? "; did you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "");
}

static bool in_list(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list ? strstr(list, name) : NULL; at && length > 0;
         at = strstr(at + 1, name)) {
        bool begins = at == list || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* An attribute with a dot in its name is some dialect's note. */
static bool is_note(const char *name)
{
    for (int i = 0; ignored[i]; i++)
        if (strcmp(ignored[i], name) == 0)
            return true;
    return strchr(name, '.') != NULL;
}

static mw_status check_form(mw_hlo_call *call)
{
    const mw_hlo_rule *rule = call->rule;
    const mw_hlo_op *op = call->op;
    if (op->n_uses > MW_HLO_MAX_IN)
        return mw_hlo_refuse(call, "it has %lld operands, at most %d",
                             (long long)op->n_uses, MW_HLO_MAX_IN);
    if (op->n_uses < rule->min_in ||
        (rule->max_in >= 0 && op->n_uses > rule->max_in))
        return mw_hlo_refuse(
            call, "it has %lld operands, wanted at %s %d",
            (long long)op->n_uses, op->n_uses < rule->min_in ? "least" : "most",
            op->n_uses < rule->min_in ? rule->min_in : rule->max_in);
    bool any = rule->attrs && strcmp(rule->attrs, "*") == 0;
    for (int64_t k = 0; k < op->attr.n && !any; k++) {
        const char *name = op->attr.item[k].name;
        if (name && !in_list(rule->attrs, name) && !is_note(name))
            return mw_hlo_refuse(call, "attribute '%s' is not known", name);
    }
    return MW_OK;
}

/* "[2, 3]" of sizes, for messages. */
static const char *shown(mw_arena *arena, mw_dtype dtype, const int64_t size[],
                         int rank)
{
    const char *text = mw_arena_format(arena, "%s[", mw_dtype_name(dtype));
    for (int i = 0; i < rank && text; i++)
        text = mw_arena_format(arena, "%s%s%lld", text, i ? ", " : "",
                               (long long)size[i]);
    return text ? mw_arena_format(arena, "%s]", text) : NULL;
}

/* What a rule made has the type that the text says. */
static mw_status check_result(mw_hlo_call *call, int i)
{
    const mw_hlo_type *type = &call->op->out_type[i];
    int64_t size[MW_MAX_RANK];
    int rank = mw_hlo_shape(call, call->out[i], size);
    mw_dtype dtype = mw_emit_dtype(&call->emit, call->out[i].id);
    bool sized = call->build->whole == 0;
    bool same = type->tensor && type->known && dtype == type->dtype &&
                (!sized || rank == type->rank);
    for (int a = 0; a < rank && same && sized; a++)
        same = type->dim[a] == MW_HLO_UNKNOWN || type->dim[a] == size[a];
    if (same)
        return MW_OK;
    const char *found = shown(call->emit.arena, dtype, size, rank);
    const char *wanted =
        type->tensor && type->known
            ? shown(call->emit.arena, type->dtype, type->dim, type->rank)
            : type->text;
    if (!found || !wanted)
        return MW_ENOMEM;
    return mw_hlo_refuse(call, "result %d is %s, the text says %s", i, found,
                         wanted);
}

static mw_status bind_results(mw_hlo_call *call)
{
    const mw_hlo_op *op = call->op;
    int done = 0;
    const char *label = strrchr(op->name, '.');
    for (int i = 0; i < call->n_out; i++) {
        if (call->out[i].id == MW_NONE)
            continue;
        MW_TRY(check_result(call, i));
        MW_TRY(mw_build_bind(&call->build->base, label ? label + 1 : op->name,
                             call->out[i].id));
    }
    for (int64_t r = 0; r < op->n_results; r++) {
        MW_TRY(bind(call->build, op->result[r].name, call->out + done,
                    op->result[r].n));
        done += (int)op->result[r].n;
    }
    return MW_OK;
}

static mw_status count_results(mw_hlo_call *call)
{
    int64_t named = 0;
    for (int64_t r = 0; r < call->op->n_results; r++)
        named += call->op->result[r].n;
    if (named != call->op->n_out_types)
        return mw_hlo_refuse(call, "%lld results are named and %lld typed",
                             (long long)named,
                             (long long)call->op->n_out_types);
    for (int64_t r = 0; r < call->op->n_out_types; r++) {
        const mw_hlo_type *type = &call->op->out_type[r];
        if (type->tensor && !type->known)
            return mw_hlo_refuse(call, "element type %s is not supported",
                                 type->text);
        if (type->tensor && type->rank > MW_MAX_RANK)
            return mw_hlo_refuse(call, "result %lld has rank %d, at most %d",
                                 (long long)r, type->rank, MW_MAX_RANK);
    }
    return MW_OK;
}

static mw_status run_rule(mw_hlo_call *call)
{
    const mw_hlo_op *op = call->op;
    mw_arena *arena = call->emit.arena;
    call->in = MW_NEW_ARRAY(arena, op->n_uses, mw_hlo_value);
    call->out = MW_NEW_ARRAY(arena, op->n_out_types, mw_hlo_value);
    if (!call->in || !call->out)
        return MW_ENOMEM;
    for (int i = 0; i < call->n_in; i++)
        MW_TRY(find(call->build, &op->use[i], &call->in[i]));
    for (int i = 0; i < call->n_in; i++)
        if (call->in[i].id == MW_NONE)
            return mw_hlo_refuse(call, "operand %d is no tensor", i);
    for (int i = 0; i < call->n_out; i++)
        call->out[i].id = MW_NONE;
    MW_TRY(call->rule->build(call));
    MW_TRY(call->emit.status);
    at(call->build, op->line, op->column);
    for (int i = 0; i < call->n_out; i++)
        if (call->out[i].id == MW_NONE && op->out_type[i].tensor)
            return mw_hlo_refuse(call, "result %d is not supported", i);
    return bind_results(call);
}

static mw_status visit(mw_hlo_build *build, const mw_hlo_op *op)
{
    const char *label = strrchr(op->name, '.');
    at(build, op->line, op->column);
    if (mw_stopped(build->base.ctx))
        return mw_fail(build->base.ctx, MW_ERUN, "stopped while importing");
    const mw_hlo_rule *rule = mw_hlo_find(op->name);
    if (!rule)
        return unknown(build, op);
    if (build->ops_left-- <= 0)
        return mw_fail(build->base.ctx, MW_EINPUT,
                       "loops and calls make more operations than can be "
                       "unrolled");
    const mw_onnx_node node = {.name = "", .op = op->name, .domain = ""};
    mw_hlo_call call = {.emit = {.build = &build->base,
                                 .graph = &build->base.graph,
                                 .arena = build->base.arena,
                                 .node = &node,
                                 .label = label ? label + 1 : op->name},
                        .build = build,
                        .op = op,
                        .rule = rule,
                        .n_in = (int)op->n_uses,
                        .n_out = (int)op->n_out_types};
    MW_TRY(check_form(&call));
    MW_TRY(count_results(&call));
    return run_rule(&call);
}

static bool is_return(const mw_hlo_op *op)
{
    return strcmp(op->name, "return") == 0 ||
           strcmp(op->name, "func.return") == 0 ||
           strcmp(op->name, "stablehlo.return") == 0 ||
           strcmp(op->name, "mhlo.return") == 0;
}

/* Visits operations up to the one that returns. */
static mw_status visit_block(mw_hlo_build *build, const mw_hlo_block *block,
                             mw_hlo_value out[], int64_t n_out)
{
    for (int64_t k = 0; k < block->n_ops; k++) {
        const mw_hlo_op *op = &block->op[k];
        if (!is_return(op)) {
            MW_TRY(visit(build, op));
            continue;
        }
        at(build, op->line, op->column);
        if (op->n_uses != n_out)
            return mw_fail(build->base.ctx, MW_EINPUT,
                           "%lld values are returned, wanted %lld",
                           (long long)op->n_uses, (long long)n_out);
        for (int64_t i = 0; i < n_out; i++)
            MW_TRY(find(build, &op->use[i], &out[i]));
        return MW_OK;
    }
    if (n_out == 0)
        return MW_OK;
    return mw_fail(build->base.ctx, MW_EINPUT,
                   "a function or region returns nothing, wanted %lld values",
                   (long long)n_out);
}

/* A block in a scope of its own, inside `outer`. */
static mw_status visit_in(mw_hlo_build *build, mw_hlo_scope *outer,
                          const mw_hlo_block *block, const mw_hlo_value in[],
                          int64_t n, mw_hlo_value out[], int64_t n_out)
{
    mw_hlo_scope *before = build->scope, scope;
    if (block->n_args != n)
        return mw_fail(build->base.ctx, MW_EINPUT,
                       "a function or region has %lld arguments for %lld "
                       "values",
                       (long long)block->n_args, (long long)n);
    if (build->depth >= MW_HLO_MAX_DEPTH)
        return mw_fail(build->base.ctx, MW_EINPUT,
                       "calls and regions nest deeper than %d",
                       MW_HLO_MAX_DEPTH);
    open_scope(build, &scope, outer);
    build->scope = &scope;
    build->depth++;
    mw_status status = MW_OK;
    for (int64_t i = 0; i < n && status == MW_OK; i++)
        status = bind(build, block->arg[i].name, &in[i], 1);
    if (status == MW_OK)
        status = visit_block(build, block, out, n_out);
    build->depth--;
    build->scope = before;
    return status;
}

mw_status mw_hlo_region(mw_hlo_call *call, const mw_hlo_block *block,
                        const mw_hlo_value in[], int n, mw_hlo_value out[],
                        int n_out)
{
    mw_hlo_build *build = call->build;
    mw_status status = visit_in(build, build->scope, block, in, n, out, n_out);
    if (status == MW_OK)
        at(build, call->op->line, call->op->column);
    return status;
}

static const mw_hlo_func *func_of(const mw_hlo_module *module, const char *name)
{
    for (int64_t f = 0; f < module->n_funcs; f++)
        if (strcmp(module->func[f].name, name) == 0)
            return &module->func[f];
    return NULL;
}

mw_status mw_hlo_function(mw_hlo_call *call, const char *name)
{
    mw_hlo_build *build = call->build;
    const mw_hlo_func *func = func_of(build->module, name);
    if (!func || !func->has_body)
        return mw_hlo_refuse(call, "there is no function '@%s'", name);
    mw_status status = visit_in(build, NULL, &func->body, call->in, call->n_in,
                                call->out, call->n_out);
    if (status == MW_OK)
        at(build, call->op->line, call->op->column);
    return status;
}

/* ---- inputs and outputs ---- */

static int onnx_code(mw_dtype dtype)
{
    enum { MAX_CODE = 32 };
    mw_dtype found;
    for (int code = 0; code < MAX_CODE; code++)
        if (mw_dtype_by_onnx(code, &found) && found == dtype)
            return code;
    return 0;
}

/* The text's arguments as declared values, for ir/import/sizes.c. A name that
 * a location gives and another argument has too is not used. */
static mw_status describe_inputs(mw_hlo_build *build, const mw_hlo_func *func,
                                 mw_onnx_graph *graph)
{
    mw_arena *arena = build->base.arena;
    mw_map labels;
    mw_map_init(&labels, arena);
    graph->in = MW_NEW_ARRAY(arena, func->body.n_args, mw_onnx_value);
    if (!graph->in)
        return MW_ENOMEM;
    graph->n_in = func->body.n_args;
    for (int64_t i = 0; i < graph->n_in; i++) {
        const char *label = func->body.arg[i].label;
        const int64_t *known = label ? mw_map_find_text(&labels, label) : NULL;
        if (label)
            MW_TRY(mw_map_put_text(&labels, label, known ? *known + 1 : 1));
    }
    for (int64_t i = 0; i < graph->n_in; i++) {
        const mw_hlo_arg *arg = &func->body.arg[i];
        const mw_hlo_type *type = arg->type;
        const int64_t *times =
            arg->label ? mw_map_find_text(&labels, arg->label) : NULL;
        const char *name = times && *times == 1 ? arg->label : arg->name;
        mw_ctx_at(build->base.ctx, "argument '%%%s'", arg->name);
        if (!type->tensor || !type->known)
            return mw_fail(build->base.ctx, MW_EINPUT,
                           "its type is %s, which is not supported",
                           type->text);
        graph->in[i] = (mw_onnx_value){.name = name,
                                       .is_tensor = true,
                                       .has_shape = true,
                                       .elem_type = onnx_code(type->dtype),
                                       .rank = type->rank};
        graph->in[i].dim = MW_NEW_ARRAY(arena, type->rank, mw_onnx_dim);
        if (!graph->in[i].dim)
            return MW_ENOMEM;
        for (int a = 0; a < type->rank; a++)
            graph->in[i].dim[a].value = type->dim[a];
    }
    return MW_OK;
}

static mw_status bind_inputs(mw_hlo_build *build, const mw_hlo_func *func,
                             mw_onnx_graph *graph)
{
    mw_onnx_scope *names = build->base.scope;
    for (int64_t i = 0; i < graph->n_in; i++) {
        if (mw_map_find_text(&names->input, graph->in[i].name))
            return mw_fail(build->base.ctx, MW_EINPUT,
                           "there are two arguments '%s'", graph->in[i].name);
        MW_TRY(mw_map_put_text(&names->input, graph->in[i].name, i));
    }
    MW_TRY(mw_build_check_options(&build->base));
    MW_TRY(mw_build_inputs(&build->base));
    for (int64_t i = 0; i < graph->n_in; i++) {
        mw_hlo_value value = {0};
        MW_TRY(mw_build_value(&build->base, graph->in[i].name, &value.id));
        MW_TRY(bind(build, func->body.arg[i].name, &value, 1));
    }
    return MW_OK;
}

/* "result[0]", as JAX calls it; else "result0". */
static mw_status name_outputs(mw_hlo_build *build, const mw_hlo_func *func,
                              mw_onnx_output output[])
{
    mw_map used;
    mw_map_init(&used, build->base.arena);
    for (int64_t i = 0; i < func->n_out; i++) {
        const char *name = func->out_label[i];
        bool named = name && name[0] != '\0' && strlen(name) < LABEL_MAX;
        if (!named || mw_map_find_text(&used, name))
            name = func->n_out == 1
                       ? "result"
                       : mw_arena_format(build->base.arena, "result%lld",
                                         (long long)i);
        while (name && mw_map_find_text(&used, name))
            name = mw_arena_format(build->base.arena, "%s_", name);
        if (!name)
            return MW_ENOMEM;
        output[i].name = name;
        MW_TRY(mw_map_put_text(&used, name, i));
    }
    return MW_OK;
}

static mw_status finish(mw_hlo_build *build, const mw_hlo_func *func,
                        mw_hlo_value out[], mw_graph *placed)
{
    const mw_onnx_node node = {.name = "", .op = "return", .domain = ""};
    const mw_hlo_op op = {
        .name = "return", .line = func->line, .column = func->column};
    mw_hlo_call call = {.emit = {.build = &build->base,
                                 .graph = &build->base.graph,
                                 .arena = build->base.arena,
                                 .node = &node,
                                 .label = "return"},
                        .build = build,
                        .op = &op};
    mw_onnx_output *output =
        MW_NEW_ARRAY(build->base.arena, func->n_out, mw_onnx_output);
    if (!output)
        return MW_ENOMEM;
    MW_TRY(name_outputs(build, func, output));
    for (int64_t i = 0; i < func->n_out; i++) {
        if (out[i].id == MW_NONE)
            return mw_hlo_refuse(&call, "result %lld is no tensor",
                                 (long long)i);
        output[i].tensor = mw_hlo_whole(&call, out[i]);
        MW_TRY(call.emit.status);
    }
    mw_ctx_at(build->base.ctx, "%s", build->base.path);
    MW_TRY(mw_build_finish(&build->base, output, func->n_out, placed));
    return mw_build_find_weights(build->base.arena, placed);
}

/* ---- the module ---- */

static mw_status main_of(mw_hlo_build *build, const mw_hlo_func **func)
{
    const mw_hlo_module *module = build->module;
    *func = func_of(module, "main");
    if (!*func && module->n_funcs == 1)
        *func = &module->func[0];
    if (!*func || !(*func)->has_body)
        return mw_fail(build->base.ctx, MW_EINPUT,
                       "there is no function '@main'");
    for (int64_t f = 0; f < module->n_funcs; f++)
        for (int64_t g = 0; g < f; g++)
            if (strcmp(module->func[f].name, module->func[g].name) == 0) {
                at(build, module->func[f].line, module->func[f].column);
                return mw_fail(build->base.ctx, MW_EINPUT,
                               "there are two functions '@%s'",
                               module->func[f].name);
            }
    if ((*func)->n_out == 0) {
        at(build, (*func)->line, (*func)->column);
        return mw_fail(build->base.ctx, MW_EINPUT, "'@main' has no results");
    }
    return MW_OK;
}

static mw_status build_main(mw_hlo_build *build, mw_graph *placed)
{
    const mw_hlo_func *func;
    MW_TRY(main_of(build, &func));
    mw_onnx_model *model = MW_NEW(build->base.arena, mw_onnx_model);
    mw_hlo_value *out =
        MW_NEW_ARRAY(build->base.arena, func->n_out, mw_hlo_value);
    if (!model || !out)
        return MW_ENOMEM;
    model->graph.name = build->module->name;
    build->base.model = model;
    mw_onnx_scope names = {.graph = &model->graph};
    mw_map_init(&names.value, build->base.arena);
    mw_map_init(&names.weight, build->base.arena);
    mw_map_init(&names.input, build->base.arena);
    mw_hlo_scope scope;
    open_scope(build, &scope, NULL);
    build->base.scope = &names;
    build->scope = &scope;
    mw_status status = describe_inputs(build, func, &model->graph);
    if (status == MW_OK)
        status = bind_inputs(build, func, &model->graph);
    if (status == MW_OK)
        status = visit_block(build, &func->body, out, func->n_out);
    if (status == MW_OK)
        status = finish(build, func, out, placed);
    build->base.scope = NULL;
    build->scope = NULL;
    return status;
}

/* JAX calls a module jit_f for a function f. */
static const char *plain_name(const char *name)
{
    return strncmp(name, "jit_", 4) == 0 && name[4] ? name + 4 : name;
}

mw_status mw_import_stablehlo_text(mw_arena *arena, const mw_import_bytes *file,
                                   const mw_import_options *options,
                                   mw_graph *placed)
{
    mw_hlo_module module;
    const char *text = file->bytes;
    mw_hlo_build build = {.base = {.ctx = arena->ctx,
                                   .arena = arena,
                                   .options = options,
                                   .path = file->path},
                          .module = &module};
    mw_ctx_at(arena->ctx, "%s", file->path);
    if (strlen(text) != file->size)
        return mw_fail(arena->ctx, MW_EINPUT, "holds a NUL character");
    if (options->n_opaque > 0)
        return mw_fail(arena->ctx, MW_EUSAGE,
                       "--opaque names operators of ONNX files, this one is "
                       "StableHLO");
    MW_TRY(mw_hlo_parse(arena, file->path, text, file->size, &module));
    mw_ctx_at(arena->ctx, "%s", file->path);
    build.ops_left = module.n_ops + OPS_MAX;
    MW_TRY(mw_graph_init(&build.base.graph, arena, plain_name(module.name)));
    mw_folder_init(&build.base.folder, &build.base.graph);
    mw_map_init(&build.base.numbers, arena);
    mw_map_init(&build.base.sizes, arena);
    MW_TRY(build_main(&build, placed));
    mw_ctx_at(arena->ctx, "%s", "");
    return MW_OK;
}
