/* cmd_show.c - a model as a person, a program or a picture wants it. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/facts.h"
#include "cli/model_options.h"
#include "ir/op.h"

enum { LARGEST = 5, NAME_WIDTH = 16 };

static const mw_option options[] = {
    MW_MODEL_OPTION_ROWS,
    {"names", NULL, "every tensor with its dimensions", false},
    {"format", "text|json|csv|dot", "how the model is printed", false},
    {NULL, NULL, NULL, false},
};

/* ---- text ---- */

static const char *bytes_text(int64_t bytes, char number[MW_UNITS_MAX])
{
    return mw_bytes_text(bytes, number);
}

static void add_tensor(mw_text *text, const mw_facts *facts, mw_id t)
{
    const mw_tensor *tensor = &facts->graph->tensor[t];
    char number[MW_UNITS_MAX];
    mw_text_format(text, "  %-*s ", NAME_WIDTH, tensor->name);
    mw_facts_type(text, facts->graph, tensor);
    mw_text_format(text, "  %s\n", bytes_text(mw_tensor_bytes(tensor), number));
}

static void add_ends(mw_text *text, const mw_facts *facts)
{
    const mw_graph *graph = facts->graph;
    mw_text_add(text, "inputs\n");
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (graph->tensor[t].role == MW_ROLE_INPUT)
            add_tensor(text, facts, t);
    mw_text_add(text, "outputs\n");
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (graph->tensor[t].output)
            add_tensor(text, facts, t);
}

static const char *role_text(mw_role role)
{
    static const char *const text[] = {"input", "parameter", "constant",
                                       "state", "result"};
    return text[role];
}

static void add_dims(mw_text *text, const mw_facts *facts)
{
    const mw_graph *graph = facts->graph;
    mw_text_add(text, "dimensions\n");
    for (int d = 0; d < graph->n_dims; d++) {
        const mw_dim *dim = &graph->dim[d];
        mw_text_format(text, "  %-*s %8lld  ", NAME_WIDTH, dim->name,
                       (long long)dim->size);
        if (dim->of != MW_NONE)
            mw_text_format(text, "%s of %s", dim->how ? dim->how : "derived",
                           graph->dim[dim->of].name);
        else if (facts->first[d] != MW_NONE)
            mw_text_format(text, "%s %s",
                           role_text(graph->tensor[facts->first[d]].role),
                           graph->tensor[facts->first[d]].name);
        if (dim->synonym)
            mw_text_format(text, ", also called %s", dim->synonym);
        mw_text_add(text, "\n");
    }
}

static void add_ops(mw_text *text, const mw_facts *facts)
{
    char number[MW_UNITS_MAX];
    mw_text_format(text, "ops         %d of %d kinds, %s FLOP\n",
                   facts->graph->n_ops, facts->n_kinds,
                   mw_count_text(facts->flops, number));
    for (int i = 0; i < facts->n_kinds; i++) {
        const mw_kind_fact *kind = &facts->kind[i];
        double share =
            facts->flops > 0.0 ? 100.0 * kind->flops / facts->flops : 0.0;
        mw_text_format(text, "  %-*s %8lld  %8s FLOP  %5.1f %%\n", NAME_WIDTH,
                       kind->op, (long long)kind->count,
                       mw_count_text(kind->flops, number), share);
    }
}

static void add_memory(mw_text *text, const mw_facts *facts)
{
    char count[MW_UNITS_MAX], number[MW_UNITS_MAX];
    static const struct line {
        mw_role role;
        const char *name;
    } lines[] = {{MW_ROLE_PARAM, "parameters"},
                 {MW_ROLE_CONST, "constants"},
                 {MW_ROLE_STATE, "states"},
                 {MW_ROLE_VALUE, "results"}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const mw_role_fact *role = &facts->role[lines[i].role];
        if (lines[i].role == MW_ROLE_STATE && role->tensors == 0)
            continue;
        mw_text_format(text, "%-11s %lld tensors, %s elements (%lld), %s\n",
                       lines[i].name, (long long)role->tensors,
                       mw_count_text((double)role->elements, count),
                       (long long)role->elements,
                       bytes_text(role->bytes, number));
        for (int k = 0; i == 0 && k < facts->n_weights && k < LARGEST; k++)
            add_tensor(text, facts, facts->weight[k]);
    }
    mw_text_format(text, "activations %s alive at once",
                   bytes_text(facts->live_bytes, number));
    if (facts->live_op != MW_NONE)
        mw_text_format(text, ", at op %d, %s '%s'", facts->live_op,
                       facts->graph->op[facts->live_op].def->name,
                       facts->graph->op[facts->live_op].name);
    mw_text_add(text, " (one processor, inputs included)\n");
}

static void add_names(mw_text *text, const mw_facts *facts)
{
    mw_text_add(text, "tensors\n");
    for (mw_id t = 0; t < facts->graph->n_tensors; t++)
        add_tensor(text, facts, t);
}

static void show_text(mw_text *text, const mw_facts *facts, bool names)
{
    mw_text_format(text, "model       %s\n", facts->graph->name);
    add_ends(text, facts);
    add_dims(text, facts);
    add_ops(text, facts);
    add_memory(text, facts);
    if (names)
        add_names(text, facts);
}

/* ---- json ---- */

/* The tensors that are listed: what goes in and comes out, or all. */
static bool is_shown(const mw_tensor *tensor, bool names)
{
    return names || tensor->role == MW_ROLE_INPUT || tensor->output;
}

static void put_dims(mw_json_out *out, const mw_facts *facts)
{
    const mw_graph *graph = facts->graph;
    mw_json_begin_array(out, "dims");
    for (int d = 0; d < graph->n_dims; d++) {
        const mw_dim *dim = &graph->dim[d];
        mw_json_begin_object_inline(out, NULL);
        mw_json_put_text(out, "name", dim->name);
        mw_json_put_int(out, "size", dim->size);
        if (dim->of != MW_NONE) {
            mw_json_put_text(out, "of", graph->dim[dim->of].name);
            mw_json_put_text(out, "how", dim->how ? dim->how : "derived");
        }
        if (facts->first[d] != MW_NONE)
            mw_json_put_text(out, "first", graph->tensor[facts->first[d]].name);
        if (dim->synonym)
            mw_json_put_text(out, "synonym", dim->synonym);
        mw_json_end(out);
    }
    mw_json_end(out);
}

static void put_tensor(mw_json_out *out, const mw_graph *graph, mw_id t)
{
    const mw_tensor *tensor = &graph->tensor[t];
    int64_t size[MW_MAX_FILE_RANK];
    int rank = mw_tensor_file_shape(tensor, size);
    mw_json_begin_object_inline(out, NULL);
    mw_json_put_text(out, "name", tensor->name);
    mw_json_put_text(out, "role", role_text(tensor->role));
    mw_json_put_bool(out, "output", tensor->output);
    mw_json_put_text(out, "dtype", mw_dtype_name(tensor->dtype));
    mw_json_begin_array(out, "shape");
    for (int a = 0; a < rank; a++)
        mw_json_put_int(out, NULL, size[a]);
    mw_json_end(out);
    mw_json_begin_array(out, "dims");
    for (int a = 0; a < tensor->rank; a++) {
        mw_id dim = tensor->axis[a].dim;
        if (dim == MW_NONE)
            mw_json_put_int(out, NULL, tensor->axis[a].size);
        else
            mw_json_put_text(out, NULL, graph->dim[dim].name);
    }
    mw_json_end(out);
    mw_json_put_int(out, "bytes", mw_tensor_bytes(tensor));
    mw_json_end(out);
}

static void put_ops(mw_json_out *out, const mw_facts *facts)
{
    mw_json_begin_array(out, "ops");
    for (int i = 0; i < facts->n_kinds; i++) {
        mw_json_begin_object_inline(out, NULL);
        mw_json_put_text(out, "op", facts->kind[i].op);
        mw_json_put_int(out, "count", facts->kind[i].count);
        mw_json_put_real(out, "flops", facts->kind[i].flops);
        mw_json_end(out);
    }
    mw_json_end(out);
}

static void put_role(mw_json_out *out, const char *key,
                     const mw_role_fact *role)
{
    mw_json_begin_object_inline(out, key);
    mw_json_put_int(out, "tensors", role->tensors);
    mw_json_put_int(out, "elements", role->elements);
    mw_json_put_int(out, "bytes", role->bytes);
    mw_json_end(out);
}

static void show_json(mw_text *text, const mw_facts *facts, bool names)
{
    const mw_graph *graph = facts->graph;
    mw_json_out out;
    mw_json_out_init(&out, text);
    mw_json_begin_object(&out, NULL);
    mw_json_put_text(&out, "model", graph->name);
    mw_json_put_int(&out, "n_ops", graph->n_ops);
    mw_json_put_real(&out, "flops", facts->flops);
    put_role(&out, "inputs", &facts->role[MW_ROLE_INPUT]);
    put_role(&out, "parameters", &facts->role[MW_ROLE_PARAM]);
    put_role(&out, "constants", &facts->role[MW_ROLE_CONST]);
    put_role(&out, "states", &facts->role[MW_ROLE_STATE]);
    put_role(&out, "results", &facts->role[MW_ROLE_VALUE]);
    mw_json_put_int(&out, "live_bytes", facts->live_bytes);
    put_dims(&out, facts);
    put_ops(&out, facts);
    mw_json_begin_array(&out, "tensors");
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (is_shown(&graph->tensor[t], names))
            put_tensor(&out, graph, t);
    mw_json_end(&out);
    mw_json_end(&out);
}

/* ---- csv ---- */

static void show_csv(mw_text *text, const mw_facts *facts, bool names)
{
    const mw_graph *graph = facts->graph;
    mw_text type;
    mw_text_init(&type, text->ctx);
    mw_text_add(text, "tensor,role,output,type,bytes\n");
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (!is_shown(tensor, names))
            continue;
        mw_text_cut(&type, 0);
        mw_facts_type(&type, graph, tensor);
        mw_text_add_csv(text, tensor->name);
        mw_text_format(text, ",%s,%s,", role_text(tensor->role),
                       tensor->output ? "true" : "false");
        mw_text_add_csv(text, type.data);
        mw_text_format(text, ",%lld\n", (long long)mw_tensor_bytes(tensor));
    }
    text->failed = text->failed || type.failed;
    mw_text_free(&type);
}

/* ---- dot ---- */

static void add_quoted(mw_text *text, const char *name)
{
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            mw_text_add_char(text, '\\');
        mw_text_add_char(text, *name);
    }
}

static void add_edge(mw_text *text, const mw_graph *graph, mw_id t, int op)
{
    const mw_tensor *tensor = &graph->tensor[t];
    if (tensor->producer == MW_NONE)
        mw_text_format(text, "  t%d -> o%d [label=\"", t, op);
    else
        mw_text_format(text, "  o%d -> o%d [label=\"", tensor->producer, op);
    mw_facts_type(text, graph, tensor);
    mw_text_add(text, "\"];\n");
}

static void show_dot(mw_text *text, const mw_facts *facts)
{
    const mw_graph *graph = facts->graph;
    mw_text_add(text, "digraph model {\n  node [shape=box];\n");
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        if (graph->tensor[t].producer != MW_NONE && !graph->tensor[t].output)
            continue;
        mw_text_format(text, "  t%d [shape=ellipse, label=\"", t);
        add_quoted(text, graph->tensor[t].name);
        mw_text_add(text, "\"];\n");
    }
    for (int k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        mw_text_format(text, "  o%d [label=\"%s\"];\n", k, op->def->name);
        for (int i = 0; i < op->n_in; i++)
            add_edge(text, graph, op->in[i].tensor, k);
        for (int i = 0; i < op->n_out; i++)
            if (graph->tensor[op->out[i].tensor].output)
                mw_text_format(text, "  o%d -> t%d;\n", k, op->out[i].tensor);
    }
    mw_text_add(text, "}\n");
}

/* ---- the command ---- */

static mw_status print_facts(mw_ctx *ctx, mw_arena *arena, const mw_args *args,
                             const mw_graph *graph)
{
    mw_facts facts;
    const char *format = mw_args_text(args, "format");
    bool names = mw_args_has(args, "names");
    MW_TRY(mw_facts_find(arena, graph, &facts));
    mw_text text;
    mw_text_init(&text, ctx);
    if (format && strcmp(format, "json") == 0)
        show_json(&text, &facts, names);
    else if (format && strcmp(format, "dot") == 0)
        show_dot(&text, &facts);
    else if (format && strcmp(format, "csv") == 0)
        show_csv(&text, &facts, names);
    else
        show_text(&text, &facts, names);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        (void)fputs(text.data, stdout);
    mw_text_free(&text);
    return status;
}

static mw_status check_format(mw_ctx *ctx, const mw_args *args)
{
    static const char *const known[] = {"text", "table", "json",
                                        "csv",  "dot",   NULL};
    const char *format = mw_args_text(args, "format");
    for (int i = 0; format && known[i]; i++)
        if (strcmp(format, known[i]) == 0)
            return MW_OK;
    if (!format)
        return MW_OK;
    mw_ctx_at(ctx, "--format");
    return mw_fail(ctx, MW_EUSAGE, "is '%s', wanted text, json, csv or dot",
                   format);
}

static mw_status run(mw_ctx *ctx, const mw_args *args)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_import_options with;
    mw_import_files *files = NULL;
    mw_graph graph;
    mw_status status = check_format(ctx, args);
    if (status == MW_OK)
        status = mw_model_options_read(&arena, args, &with);
    if (status == MW_OK) {
        with.assume_sizes = true;
        status = mw_model_read(&arena, args->pos[0], &with, &graph, &files);
    }
    if (status == MW_OK)
        status = print_facts(ctx, &arena, args, &graph);
    mw_import_close(files);
    mw_arena_free(&arena);
    return status;
}

const mw_command mw_command_show = {
    .name = "show",
    .brief = "dimensions, ops, parameters, work and memory of a model",
    .arguments = "MODEL",
    .min_args = 1,
    .max_args = 1,
    .options = options,
    .details = "Dimensions are what a layout may split. A symbolic one that "
               "has no size gets a small one here, with a warning; `plan` asks "
               "for it.",
    .example = "meshwright show net.onnx --dim batch=8 --dim seq=128\n"
               "meshwright show net.onnx --format dot | dot -Tsvg > net.svg",
    .run = run,
};
