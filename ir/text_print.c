/* text_print.c - a named graph as .mw text. */
#include "ir/text.h"

#include <math.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "ir/body.h"
#include "ir/number.h"
#include "ir/op.h"
#include "ir/text_lex.h"

static void add_quoted(mw_text *text, const char *name)
{
    mw_text_add_char(text, '"');
    for (const char *c = name; *c; c++) {
        if (*c == '"' || *c == '\\')
            mw_text_format(text, "\\%c", *c);
        else if (*c == '\n')
            mw_text_add(text, "\\n");
        else if ((unsigned char)*c < 0x20 || *c == 0x7f)
            mw_text_format(text, "\\x%02x", (unsigned char)*c);
        else
            mw_text_add_char(text, *c);
    }
    mw_text_add_char(text, '"');
}

static void add_name(mw_text *text, const char *name)
{
    if (mw_name_is_bare(name))
        mw_text_add(text, name);
    else
        add_quoted(text, name);
}

static void add_float(mw_text *text, double value, int digits)
{
    if (isnan(value))
        mw_text_add(text, "nan");
    else
        mw_text_format(text, "%.*g", digits, value);
}

static void add_axis(mw_text *text, const mw_graph *graph, const mw_axis *axis)
{
    if (axis->dim == MW_NONE)
        mw_text_format(text, "%lld", (long long)axis->size);
    else
        add_name(text, graph->dim[axis->dim].name);
}

// "f32[batch, (heads d_head), 1]"; a size of 1 is an axis of the file's array
// alone.
static void add_type(mw_text *text, const mw_graph *graph,
                     const mw_tensor *tensor)
{
    const mw_axis *axis = tensor->axis;
    mw_text_format(text, "%s[", mw_dtype_name(tensor->dtype));
    for (int i = 0; i < tensor->file_rank; i++) {
        int n = tensor->file_axis[i];
        mw_text_add(text, i ? ", " : "");
        if (n == 0)
            mw_text_add(text, "1");
        mw_text_add(text, n > 1 ? "(" : "");
        for (int k = 0; k < n; k++) {
            mw_text_add(text, k ? " " : "");
            add_axis(text, graph, axis++);
        }
        mw_text_add(text, n > 1 ? ")" : "");
    }
    mw_text_add(text, "]");
}

static void add_elements(mw_text *text, const mw_tensor *tensor)
{
    mw_dtype part = mw_dtype_part(tensor->dtype);
    mw_class class = mw_dtype_class(part);
    int64_t n = mw_tensor_elements(tensor) * (part == tensor->dtype ? 1 : 2);
    for (int64_t i = 0; i < n; i++) {
        mw_number x = mw_number_at(part, tensor->data.bytes, i);
        mw_text_add(text, i ? ", " : "");
        if (class == MW_CLASS_FLOAT)
            add_float(text, x.f, part == MW_F64 ? 17 : 9);
        else if (class == MW_CLASS_SIGNED)
            mw_text_format(text, "%lld", (long long)x.i);
        else
            mw_text_format(text, "%llu", (unsigned long long)x.u);
    }
}

static void add_data(mw_text *text, const mw_tensor *tensor)
{
    const mw_data *data = &tensor->data;
    if (data->kind == MW_DATA_MEMORY &&
        mw_tensor_elements(tensor) <= MW_TEXT_INLINE) {
        mw_text_add(text, " = {");
        add_elements(text, tensor);
        mw_text_add(text, "}");
    } else if (data->kind == MW_DATA_FILL) {
        mw_text_add(text, " = fill ");
        add_float(text, data->fill, 17);
    } else if (data->kind == MW_DATA_NORMAL) {
        mw_text_add(text, " = normal ");
        add_float(text, data->fill, 17);
    } else if (data->kind == MW_DATA_LIKE) {
        mw_text_add(text, " = like ");
        add_name(text, data->path);
    } else if (data->kind == MW_DATA_FILE) {
        mw_text_add(text, " = ");
        add_quoted(text, data->path);
        if (data->offset >= 0)
            mw_text_format(text, " @ %lld", (long long)data->offset);
    }
}

static void add_dims(mw_text *text, const mw_graph *graph)
{
    for (int i = 0; i < graph->n_dims; i++) {
        const mw_dim *dim = &graph->dim[i];
        mw_text_add(text, "dim ");
        add_name(text, dim->name);
        mw_text_format(text, " = %lld", (long long)dim->size);
        if (dim->of != MW_NONE) {
            mw_text_add(text, " of ");
            add_name(text, graph->dim[dim->of].name);
        }
        if (dim->how) {
            mw_text_add(text, " by ");
            add_name(text, dim->how);
        }
        if (dim->synonym) {
            mw_text_add(text, " also ");
            add_name(text, dim->synonym);
        }
        mw_text_add(text, "\n");
    }
}

static void add_tensor(mw_text *text, const mw_graph *graph,
                       const mw_tensor *tensor)
{
    static const char *const role[] = {
        [MW_ROLE_INPUT] = "input",
        [MW_ROLE_PARAM] = "param",
        [MW_ROLE_CONST] = "const",
        [MW_ROLE_STATE] = "state",
    };
    mw_text_format(text, "%s ", role[tensor->role]);
    add_name(text, tensor->name);
    mw_text_add(text, " : ");
    add_type(text, graph, tensor);
    add_data(text, tensor);
    mw_text_add(text, "\n");
}

static void add_attr(mw_text *text, const mw_graph *graph, const mw_attr *attr)
{
    mw_text_format(text, "%s=", attr->name);
    switch (attr->kind) {
    case MW_ATTR_INT:
        mw_text_format(text, "%lld", (long long)attr->i[0]);
        break;
    case MW_ATTR_INTS:
        for (int i = 0; i < attr->n; i++)
            mw_text_format(text, "%s%lld", i ? ", " : "[",
                           (long long)attr->i[i]);
        mw_text_add(text, attr->n ? "]" : "[]");
        break;
    case MW_ATTR_FLOAT:
        add_float(text, attr->f, 17);
        break;
    case MW_ATTR_TEXT:
        add_quoted(text, attr->text);
        break;
    case MW_ATTR_DIM:
        add_name(text, graph->dim[attr->i[0]].name);
        break;
    case MW_ATTR_DTYPE:
        mw_text_add(text, mw_dtype_name(attr->dtype));
        break;
    case MW_ATTR_BODY:
        add_name(text, attr->body->name);
        break;
    }
}

static void add_op(mw_text *text, const mw_graph *graph, const mw_op *op)
{
    for (int i = 0; i < op->n_out; i++) {
        mw_text_add(text, i ? ", " : "");
        add_name(text, graph->tensor[op->out[i].tensor].name);
    }
    mw_text_format(text, " = %s(", op->def->name);
    for (int i = 0; i < op->n_in; i++) {
        mw_text_add(text, i ? ", " : "");
        add_name(text, graph->tensor[op->in[i].tensor].name);
    }
    for (int i = 0; i < op->n_attr; i++) {
        mw_text_add(text, i + op->n_in ? ", " : "");
        add_attr(text, graph, &op->attr[i]);
    }
    mw_text_add(text, ") :");
    for (int i = 0; i < op->n_out; i++) {
        mw_text_add(text, i ? ", " : " ");
        add_type(text, graph, &graph->tensor[op->out[i].tensor]);
    }
    if (strcmp(op->name, graph->tensor[op->out[0].tensor].name) != 0) {
        mw_text_add(text, " @ ");
        add_name(text, op->name);
    }
    mw_text_add(text, "\n");
}

// Tensors without producer stand where their ids do among the results, so that
// parsing gives the same ids; at the latest before their first use.
static void add_statements(mw_text *text, const mw_graph *graph, bool *printed)
{
    mw_id next = 0;
    for (int k = 0; k <= graph->n_ops; k++) {
        const mw_op *op = k < graph->n_ops ? &graph->op[k] : NULL;
        mw_id until = op ? op->out[0].tensor : graph->n_tensors;
        for (; next < until; next++) {
            if (graph->tensor[next].producer == MW_NONE && !printed[next])
                add_tensor(text, graph, &graph->tensor[next]);
            printed[next] = true;
        }
        for (int i = 0; op && i < op->n_in; i++) {
            mw_id id = op->in[i].tensor;
            if (graph->tensor[id].producer == MW_NONE && !printed[id])
                add_tensor(text, graph, &graph->tensor[id]);
            printed[id] = true;
        }
        if (op)
            add_op(text, graph, op);
    }
}

static void add_ends(mw_text *text, const mw_graph *graph)
{
    for (mw_id id = 0; id < graph->n_tensors; id++) {
        if (!graph->tensor[id].output)
            continue;
        mw_text_add(text, "output ");
        add_name(text, graph->tensor[id].name);
        mw_text_add(text, "\n");
    }
    for (int i = 0; i < graph->n_conditions; i++) {
        mw_text_add(text, "condition ");
        add_quoted(text, graph->condition[i]);
        mw_text_add(text, "\n");
    }
}

static void add_body(mw_text *text, const mw_graph *body, bool *printed)
{
    memset(printed, 0, (size_t)body->n_tensors * sizeof *printed);
    mw_text_add(text, "body ");
    add_name(text, body->name);
    mw_text_add(text, "\n");
    add_dims(text, body);
    add_statements(text, body, printed);
    mw_text_add(text, "result ");
    for (int i = 0; i < body->n_results; i++) {
        mw_text_add(text, i ? ", " : "");
        add_name(text, body->tensor[body->result[i]].name);
    }
    mw_text_add(text, "\nend\n");
}

/* The bodies of a graph's ops, each once and behind those within it; equal
 * names are equal bodies. */
typedef struct bodies {
    mw_arena *arena;
    mw_map known;
    const mw_graph **body;
    int64_t n, cap;
} bodies;

static mw_status list_bodies(bodies *b, const mw_graph *graph)
{
    for (int k = 0; k < graph->n_ops; k++) {
        const mw_graph *body = mw_op_body(&graph->op[k]);
        if (!body || mw_map_find_text(&b->known, body->name))
            continue;
        MW_TRY(mw_map_put_text(&b->known, body->name, 0));
        MW_TRY(list_bodies(b, body));
        b->body = mw_arena_reserve(b->arena, b->body, b->n, &b->cap,
                                   sizeof(const mw_graph *));
        if (!b->body)
            return MW_ENOMEM;
        b->body[b->n++] = body;
    }
    return MW_OK;
}

// Of the graph and its bodies.
static int most_tensors(const mw_graph *graph, const bodies *b)
{
    int most = graph->n_tensors;
    for (int64_t k = 0; k < b->n; k++)
        most = b->body[k]->n_tensors > most ? b->body[k]->n_tensors : most;
    return most;
}

char *mw_text_print(const mw_graph *graph)
{
    bodies b = {.arena = graph->arena};
    mw_map_init(&b.known, graph->arena);
    if (list_bodies(&b, graph) != MW_OK)
        return NULL;
    bool *printed = MW_NEW_ARRAY(graph->arena, most_tensors(graph, &b), bool);
    if (!printed)
        return NULL;
    mw_text text;
    mw_text_init(&text, graph->ctx);
    mw_text_add(&text, "model ");
    add_name(&text, graph->name);
    mw_text_add(&text, "\n");
    add_dims(&text, graph);
    for (int64_t k = 0; k < b.n; k++)
        add_body(&text, b.body[k], printed);
    memset(printed, 0, (size_t)graph->n_tensors * sizeof *printed);
    add_statements(&text, graph, printed);
    add_ends(&text, graph);
    char *copy = NULL;
    if (mw_text_status(&text) == MW_OK)
        copy = mw_arena_text(graph->arena, text.data);
    mw_text_free(&text);
    return copy;
}
