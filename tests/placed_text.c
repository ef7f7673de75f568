/* placed_text.c - positional graphs from text: split at blanks, no quoting. */
#include "tests/placed_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ir/op.h"

enum { WORDS = 24, VALUES = 16 };

typedef struct line {
    int n;
    char *word[WORDS];
} line;

static line split(char *text)
{
    line l = {0};
    char *rest = NULL;
    for (char *w = strtok_r(text, " ", &rest); w && l.n < WORDS;
         w = strtok_r(NULL, " ", &rest))
        l.word[l.n++] = w;
    return l;
}

static mw_status bad(mw_graph *graph, const char *what)
{
    return mw_fail(graph->ctx, MW_EINPUT, "placed text: '%s'", what);
}

// Small whole numbers, so that sums are exact; floats get halves.
static mw_status make_values(mw_graph *graph, mw_tensor *tensor)
{
    int64_t n = mw_tensor_elements(tensor), bytes = mw_tensor_bytes(tensor);
    char *data = mw_arena_alloc(graph->arena, (size_t)bytes + 1, 1);
    if (!data)
        return MW_ENOMEM;
    uint64_t seed = mw_hash_text(1, tensor->name);
    for (int64_t i = 0; i < n; i++) {
        int64_t value = (int64_t)(mw_hash_int(seed, i) % 7);
        if (tensor->dtype == MW_F32)
            ((float *)(void *)data)[i] = (float)(value - 3) / 2;
        else if (tensor->dtype == MW_F64)
            ((double *)(void *)data)[i] = (double)(value - 3) / 2;
        else if (tensor->dtype == MW_I64)
            ((int64_t *)(void *)data)[i] = value;
        else
            data[i * mw_dtype_bytes(tensor->dtype)] = (char)(value % 2);
    }
    tensor->data =
        (mw_data){.kind = MW_DATA_MEMORY, .bytes = data, .length = bytes};
    return MW_OK;
}

static mw_status add_stored(mw_graph *graph, const line *l)
{
    mw_tensor t = {.name = l->word[1], .role = MW_ROLE_INPUT};
    if (strcmp(l->word[0], "param") == 0)
        t.role = MW_ROLE_PARAM;
    else if (strcmp(l->word[0], "const") == 0)
        t.role = MW_ROLE_CONST;
    if (l->n < 3 || !mw_dtype_by_name(l->word[2], &t.dtype))
        return bad(graph, l->word[1]);
    for (int i = 3; i < l->n; i++) {
        char *size = strchr(l->word[i], '=');
        mw_axis axis = {.dim = MW_NONE};
        if (size) {
            *size++ = '\0';
            axis.symbol = l->word[i];
        }
        axis.size = strtoll(size ? size : l->word[i], NULL, 10);
        t.axis[t.rank++] = axis;
    }
    if (t.role != MW_ROLE_INPUT)
        MW_TRY(make_values(graph, &t));
    mw_id id;
    return mw_graph_tensor(graph, &t, &id);
}

static mw_status parse_attr(mw_graph *graph, const mw_op_def *def, char *text,
                            mw_attr *attr)
{
    char *value = strchr(text, '=');
    *value++ = '\0';
    const mw_attr_rule *rule = def->attrs;
    while (rule && rule->name && strcmp(rule->name, text) != 0)
        rule++;
    if (!rule || !rule->name)
        return bad(graph, text);
    *attr = (mw_attr){.name = rule->name, .kind = rule->kind};
    if (rule->kind == MW_ATTR_TEXT)
        attr->text = value;
    else if (rule->kind == MW_ATTR_FLOAT)
        attr->f = strtod(value, NULL);
    else if (rule->kind == MW_ATTR_DTYPE)
        return mw_dtype_by_name(value, &attr->dtype) ? MW_OK
                                                     : bad(graph, value);
    int64_t *values = MW_NEW_ARRAY(graph->arena, VALUES, int64_t);
    if (!values)
        return MW_ENOMEM;
    if (rule->kind == MW_ATTR_INT || rule->kind == MW_ATTR_INTS)
        for (char *at = value; *at && attr->n < VALUES; at += *at == ',')
            values[attr->n++] = strtoll(at, &at, 10);
    attr->i = values;
    return MW_OK;
}

static mw_status add_op(mw_graph *graph, const line *l)
{
    mw_id in[WORDS], out;
    mw_attr attr[WORDS];
    const char *name = l->word[0];
    mw_op_spec spec = {.def = l->word[2],
                       .n_out = 1,
                       .in = in,
                       .out_names = &name,
                       .attr = attr};
    const mw_op_def *def = mw_op_find(l->word[2]);
    if (!def)
        return bad(graph, l->word[2]);
    for (int i = 3; i < l->n; i++) {
        if (strchr(l->word[i], '=')) {
            MW_TRY(parse_attr(graph, def, l->word[i], &attr[spec.n_attr]));
            spec.n_attr++;
            continue;
        }
        in[spec.n_in] = mw_graph_find_tensor(graph, l->word[i]);
        if (in[spec.n_in++] == MW_NONE)
            return bad(graph, l->word[i]);
    }
    return mw_graph_place(graph, &spec, &out);
}

static mw_status parse_line(mw_graph *graph, char *text)
{
    line l = split(text);
    if (l.n == 0)
        return MW_OK;
    if (l.n > 2 && strcmp(l.word[1], "=") == 0)
        return add_op(graph, &l);
    if (l.n > 2)
        return add_stored(graph, &l);
    mw_id id = l.n == 2 ? mw_graph_find_tensor(graph, l.word[1]) : MW_NONE;
    if (id == MW_NONE)
        return bad(graph, l.word[l.n - 1]);
    graph->tensor[id].output = true;
    return MW_OK;
}

mw_status mw_placed_parse(mw_graph *graph, const char *text)
{
    char *copy = mw_arena_text(graph->arena, text);
    if (!copy)
        return MW_ENOMEM;
    char *rest = NULL;
    for (char *l = strtok_r(copy, "\n", &rest); l;
         l = strtok_r(NULL, "\n", &rest))
        MW_TRY(parse_line(graph, l));
    return MW_OK;
}

static const char *axis_text(const mw_graph *graph, const mw_axis *axis)
{
    if (axis->dim != MW_NONE)
        return graph->dim[axis->dim].name;
    return mw_arena_format(graph->arena, "%lld", (long long)axis->size);
}

const char *mw_named_axes(const mw_graph *graph, mw_id tensor)
{
    const mw_tensor *t = &graph->tensor[tensor];
    const mw_axis *axis = t->axis;
    const char *text = "";
    for (int f = 0; text && f < t->file_rank; f++) {
        int n = t->file_axis[f];
        const char *one = n == 0 ? "1" : n > 1 ? "(" : "";
        for (int k = 0; one && k < n; k++, axis++)
            one = mw_arena_format(graph->arena, "%s%s%s%s", one,
                                  k > 0 ? " " : "", axis_text(graph, axis),
                                  n > 1 && k == n - 1 ? ")" : "");
        text = one ? mw_arena_format(graph->arena, "%s%s%s", text,
                                     f > 0 ? " " : "", one)
                   : NULL;
    }
    return text ? text : "out of memory";
}

int mw_named_count(const mw_graph *graph, const char *def)
{
    int n = 0;
    for (int i = 0; i < graph->n_ops; i++)
        n += strcmp(graph->op[i].def->name, def) == 0;
    return n;
}

int mw_named_renames(const mw_graph *graph)
{
    int n = 0;
    for (int i = 0; i < graph->n_ops; i++) {
        const mw_op *op = &graph->op[i];
        if (strcmp(op->def->name, "rename") != 0)
            continue;
        const mw_tensor *from = &graph->tensor[op->in[0].tensor];
        const mw_tensor *to = &graph->tensor[op->out[0].tensor];
        bool changes = false;
        for (int a = 0; a < from->rank; a++)
            changes = changes || from->axis[a].dim != to->axis[a].dim;
        n += changes;
    }
    return n;
}
