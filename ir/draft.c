/* draft.c - a model's formula becomes a named graph, call by call. */
#include "ir/draft.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/model.h"
#include "ir/number.h"
#include "ir/op.h"
#include "ir/rule.h"
#include "ir/scalar.h"

void mw_draft_init(mw_draft *net, mw_graph *graph)
{
    *net = (mw_draft){.graph = graph,
                      .arena = graph->arena,
                      .dtype = MW_F32,
                      .epsilon = 1e-5,
                      .balance = MW_NONE};
    mw_map_init(&net->called, graph->arena);
    mw_map_init(&net->numbers, graph->arena);
}

/* ---- keys ---- */

static const mw_model_value *value_of(const mw_draft *net, const char *key)
{
    int i = 0;
    while (net->def->keys[i].name && strcmp(net->def->keys[i].name, key) != 0)
        i++;
    assert(net->def->keys[i].name);
    return &net->value[i];
}

int64_t mw_draft_key(const mw_draft *net, const char *key)
{
    return value_of(net, key)->whole;
}

double mw_draft_real(const mw_draft *net, const char *key)
{
    return value_of(net, key)->real;
}

void mw_draft_refuse_at(mw_draft *net, const char *file, int line,
                        const char *format, ...)
{
    char what[MW_MESSAGE_MAX];
    va_list args;
    if (net->status != MW_OK)
        return;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    mw_ctx_at(net->graph->ctx, "--set");
    mw_fail_at(net->graph->ctx, MW_EUSAGE, file, line, "%s: %s", net->def->name,
               what);
    net->status = MW_EUSAGE;
}

/* ---- names ---- */

const char *mw_draft_text(mw_draft *net, const char *format, ...)
{
    char text[MW_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *copy = mw_arena_text(net->arena, text);
    if (!copy && net->status == MW_OK)
        net->status = MW_ENOMEM;
    return copy ? copy : "";
}

int mw_draft_enter(mw_draft *net, const char *format, ...)
{
    int outer = (int)strlen(net->path);
    size_t room = sizeof net->path - (size_t)outer;
    va_list args;
    va_start(args, format);
    int added = vsnprintf(net->path + outer, room, format, args);
    va_end(args);
    assert(added >= 0 && (size_t)added + 2 <= room);
    (void)snprintf(net->path + outer + added, room - (size_t)added, ".");
    return outer;
}

void mw_draft_leave(mw_draft *net, int outer)
{
    net->path[outer] = '\0';
}

void mw_draft_as(mw_draft *net, const char *name)
{
    net->as = name;
}

// The name asked for, else the first free one of x, x.2, x.3, …
static const char *result_name(mw_draft *net, const char *def)
{
    const char *base =
        mw_draft_text(net, "%s%s", net->path, net->as ? net->as : def);
    const int64_t *count = mw_map_find_text(&net->called, base);
    const char *name = base;
    int64_t i = net->as || !count ? 1 : *count + 1;
    for (; !net->as && net->status == MW_OK; i++) {
        if (i > 1)
            name = mw_draft_text(net, "%s.%lld", base, (long long)i);
        if (mw_graph_find_tensor(net->graph, name) == MW_NONE)
            break;
    }
    if (net->status == MW_OK)
        net->status = mw_map_put_text(&net->called, base, i);
    net->as = NULL;
    return name;
}

/* ---- dimensions ---- */

void mw_draft_dim_of(mw_draft *net, const char *name, int64_t size,
                     const char *of, const char *how)
{
    if (net->status != MW_OK)
        return;
    mw_id id = mw_graph_find_dim(net->graph, name);
    if (id != MW_NONE) {
        assert(net->graph->dim[id].size == size);
        return;
    }
    mw_dim dim = {.name = name,
                  .size = size,
                  .of = of ? mw_graph_find_dim(net->graph, of) : MW_NONE,
                  .how = how};
    net->status = mw_graph_dim(net->graph, &dim, &id);
}

void mw_draft_dim(mw_draft *net, const char *name, int64_t size)
{
    mw_draft_dim_of(net, name, size, NULL, NULL);
}

void mw_draft_dim_key(mw_draft *net, const char *key)
{
    mw_draft_dim(net, key, mw_draft_key(net, key));
}

void mw_draft_dim_keys(mw_draft *net, const char *const keys[])
{
    for (int i = 0; keys[i]; i++)
        mw_draft_dim_key(net, keys[i]);
}

static mw_id find_dim(const mw_draft *net, const char *name)
{
    mw_id dim = mw_graph_find_dim(net->graph, name);
    assert(dim != MW_NONE);
    return dim;
}

int64_t mw_draft_size(mw_draft *net, const char *dim)
{
    return net->status == MW_OK ? net->graph->dim[find_dim(net, dim)].size : 0;
}

// The next name of "batch (heads d_head)", which may be changed; NULL at the
// end. open: the file's axis goes on after it.
static const char *next_name(char **text, bool *open)
{
    *text += strspn(*text, " ");
    if (**text == '(') {
        *open = true;
        ++*text;
    }
    if (!**text)
        return NULL;
    char *name = *text;
    *text += strcspn(name, " )");
    bool closes = **text == ')';
    if (**text)
        *(*text)++ = '\0';
    if (closes)
        *open = false;
    return name;
}

static void add_axis(mw_draft *net, mw_tensor *tensor, mw_id dim)
{
    assert(tensor->rank < MW_MAX_RANK);
    tensor->axis[tensor->rank++] =
        (mw_axis){.dim = dim, .size = net->graph->dim[dim].size};
}

// A plain number is an axis that is never split; 1 is one of the file alone.
static void add_plain(mw_tensor *tensor, const char *digits)
{
    int64_t size = strtoll(digits, NULL, 10);
    if (size == 1) {
        tensor->file_axis[tensor->file_rank - 1]--;
        return;
    }
    assert(tensor->rank < MW_MAX_RANK);
    tensor->axis[tensor->rank++] = (mw_axis){.dim = MW_NONE, .size = size};
}

// Axes of a tensor from their names.
static void take_dims(mw_draft *net, const char *dims, mw_tensor *tensor)
{
    char *at = mw_arena_text(net->arena, dims);
    bool open = false, before;
    if (!at) {
        net->status = MW_ENOMEM;
        return;
    }
    for (;;) {
        before = open;
        const char *name = next_name(&at, &open);
        if (!name)
            return;
        if (!before)
            tensor->file_axis[tensor->file_rank++] = 0;
        tensor->file_axis[tensor->file_rank - 1]++;
        if (name[0] >= '0' && name[0] <= '9')
            add_plain(tensor, name);
        else
            add_axis(net, tensor, find_dim(net, name));
    }
}

static bool has_dim(const mw_tensor *tensor, mw_id dim)
{
    return mw_tensor_axis(tensor, dim) != MW_NONE;
}

const char *mw_draft_dims(mw_draft *net, mw_id x)
{
    const char *text = "";
    if (net->status != MW_OK)
        return text;
    const mw_tensor *tensor = &net->graph->tensor[x];
    for (int a = 0; a < tensor->rank; a++)
        text = mw_draft_text(net, "%s%s%s", text, a ? " " : "",
                             net->graph->dim[tensor->axis[a].dim].name);
    return text;
}

mw_dtype mw_draft_dtype(const mw_draft *net, mw_id x)
{
    return net->status == MW_OK ? net->graph->tensor[x].dtype : net->dtype;
}

/* ---- tensors ---- */

static mw_id add_tensor(mw_draft *net, mw_tensor *tensor)
{
    mw_id id = MW_NONE;
    if (net->status == MW_OK)
        net->status = mw_graph_tensor(net->graph, tensor, &id);
    return net->status == MW_OK ? id : MW_NONE;
}

static mw_id add_stored(mw_draft *net, mw_tensor tensor, const char *name,
                        const char *dims)
{
    if (net->status != MW_OK)
        return MW_NONE;
    tensor.name = mw_draft_text(net, "%s%s", net->path, name);
    take_dims(net, dims, &tensor);
    return add_tensor(net, &tensor);
}

mw_id mw_draft_input(mw_draft *net, const char *name, mw_dtype dtype,
                     const char *dims)
{
    mw_tensor tensor = {.role = MW_ROLE_INPUT, .dtype = dtype};
    return add_stored(net, tensor, name, dims);
}

mw_data mw_draft_normal(double deviation)
{
    return (mw_data){.kind = MW_DATA_NORMAL, .fill = deviation};
}

mw_data mw_draft_fill(double value)
{
    return (mw_data){.kind = MW_DATA_FILL, .fill = value};
}

mw_id mw_draft_param(mw_draft *net, const char *name, const char *dims,
                     mw_data first)
{
    mw_tensor tensor = {
        .role = MW_ROLE_PARAM, .dtype = net->dtype, .data = first};
    return add_stored(net, tensor, name, dims);
}

mw_id mw_draft_const(mw_draft *net, const char *name, const char *dims,
                     double value)
{
    mw_tensor tensor = {.role = MW_ROLE_CONST,
                        .dtype = net->dtype,
                        .data = mw_draft_fill(value)};
    return add_stored(net, tensor, name, dims);
}

void mw_draft_output(mw_draft *net, mw_id x)
{
    if (net->status == MW_OK)
        net->graph->tensor[x].output = true;
}

mw_id mw_draft_number(mw_draft *net, mw_dtype dtype, double number)
{
    struct key {
        double number;
        int64_t dtype;
    } key = {number, dtype};
    if (net->status != MW_OK)
        return MW_NONE;
    const int64_t *known = mw_map_find(&net->numbers, &key, sizeof key);
    if (known)
        return (mw_id)*known;
    void *bytes = mw_arena_alloc(net->arena, 1, (size_t)mw_dtype_bytes(dtype));
    mw_number one = mw_number_cast((mw_number){.f = number}, MW_F64, dtype);
    mw_tensor tensor = {
        .name = mw_draft_text(net, "number.%lld",
                              (long long)net->numbers.n_entries + 1),
        .role = MW_ROLE_CONST,
        .dtype = dtype,
        .data = {.kind = MW_DATA_MEMORY,
                 .bytes = bytes,
                 .length = mw_dtype_bytes(dtype)}};
    if (!bytes) {
        net->status = MW_ENOMEM;
        return MW_NONE;
    }
    mw_numbers_store(dtype, bytes, 0, 1, 1, &one);
    mw_id id = add_tensor(net, &tensor);
    if (net->status == MW_OK)
        net->status = mw_map_put(&net->numbers, &key, sizeof key, id);
    return id;
}

/* ---- ops ---- */

static mw_id bind(mw_draft *net, const mw_draft_op *op, mw_tensor *tensor)
{
    for (int i = 0; i < op->n_in && net->status == MW_OK; i++)
        assert(op->in[i] != MW_NONE);
    mw_id id = add_tensor(net, tensor), index;
    mw_op_spec spec = {.def = op->def,
                       .n_in = op->n_in,
                       .in = op->in,
                       .n_out = 1,
                       .out = &id,
                       .n_attr = op->n_attr,
                       .attr = op->attr};
    if (net->status == MW_OK)
        net->status = mw_graph_bind(net->graph, &spec, &index);
    return net->status == MW_OK ? id : MW_NONE;
}

mw_id mw_draft_add(mw_draft *net, const mw_draft_op *op)
{
    mw_tensor tensor = {.role = MW_ROLE_VALUE, .dtype = op->dtype};
    if (net->status != MW_OK)
        return MW_NONE;
    tensor.name = result_name(net, op->def);
    take_dims(net, op->dims, &tensor);
    return bind(net, op, &tensor);
}

// The dims of the operand that has most, then what the others have besides.
static void join_dims(mw_draft *net, const mw_id in[], int n, mw_tensor *tensor)
{
    const mw_tensor *all = net->graph->tensor;
    int most = 0;
    for (int i = 1; i < n; i++)
        if (all[in[i]].rank > all[in[most]].rank)
            most = i;
    for (int i = -1; i < n; i++) {
        const mw_tensor *operand = &all[in[i < 0 ? most : i]];
        for (int a = 0; a < operand->rank; a++)
            if (!has_dim(tensor, operand->axis[a].dim))
                add_axis(net, tensor, operand->axis[a].dim);
    }
}

mw_id mw_draft_map(mw_draft *net, const char *def, const mw_id in[], int n)
{
    if (net->status != MW_OK)
        return MW_NONE;
    const mw_op_def *row = mw_op_find(def);
    const mw_scalar *scalar = row->scalar;
    bool test = scalar && (scalar->test_f || scalar->test_i || scalar->test_u);
    mw_tensor tensor = {.role = MW_ROLE_VALUE,
                        .dtype = test ? MW_BOOL
                                      : net->graph->tensor[in[n - 1]].dtype};
    tensor.name = result_name(net, def);
    join_dims(net, in, n, &tensor);
    return bind(net, &(mw_draft_op){.def = def, .in = in, .n_in = n}, &tensor);
}

mw_id mw_draft_map1(mw_draft *net, const char *def, mw_id a)
{
    return mw_draft_map(net, def, &a, 1);
}

mw_id mw_draft_map2(mw_draft *net, const char *def, mw_id a, mw_id b)
{
    return mw_draft_map(net, def, (mw_id[]){a, b}, 2);
}

mw_id mw_draft_where(mw_draft *net, mw_id condition, mw_id a, mw_id b)
{
    return mw_draft_map(net, "where", (mw_id[]){condition, a, b}, 3);
}

mw_id mw_draft_by(mw_draft *net, const char *def, mw_id x, double number)
{
    return mw_draft_map2(net, def, x,
                         mw_draft_number(net, mw_draft_dtype(net, x), number));
}

mw_id mw_draft_cast(mw_draft *net, mw_id x, mw_dtype to)
{
    if (net->status != MW_OK || mw_draft_dtype(net, x) == to)
        return x;
    mw_attr attr = {.name = "to", .kind = MW_ATTR_DTYPE, .dtype = to};
    return mw_draft_add(net, &(mw_draft_op){.def = "cast",
                                            .in = &x,
                                            .n_in = 1,
                                            .attr = &attr,
                                            .n_attr = 1,
                                            .dtype = to,
                                            .dims = mw_draft_dims(net, x)});
}

mw_id mw_draft_einsum(mw_draft *net, mw_id a, mw_id b, const char *dims)
{
    mw_id in[] = {a, b};
    return mw_draft_add(net, &(mw_draft_op){.def = "einsum",
                                            .in = in,
                                            .n_in = 2,
                                            .dtype = mw_draft_dtype(net, a),
                                            .dims = dims});
}

mw_id mw_draft_reduce(mw_draft *net, const char *def, mw_id x, const char *dims)
{
    mw_tensor gone = {0}, tensor = {.role = MW_ROLE_VALUE};
    if (net->status != MW_OK)
        return MW_NONE;
    take_dims(net, dims, &gone);
    tensor.name = result_name(net, def);
    tensor.dtype = mw_draft_dtype(net, x);
    for (int a = 0; a < net->graph->tensor[x].rank; a++) {
        mw_id dim = net->graph->tensor[x].axis[a].dim;
        if (!has_dim(&gone, dim))
            add_axis(net, &tensor, dim);
    }
    return bind(net, &(mw_draft_op){.def = def, .in = &x, .n_in = 1}, &tensor);
}

mw_id mw_draft_mean(mw_draft *net, mw_id x, const char *dims)
{
    mw_tensor gone = {0};
    if (net->status != MW_OK)
        return MW_NONE;
    take_dims(net, dims, &gone);
    double n = (double)mw_tensor_elements(&gone);
    return mw_draft_by(net, "div", mw_draft_reduce(net, "reduce_sum", x, dims),
                       n);
}

mw_id mw_draft_rename(mw_draft *net, mw_id x, const char *dims)
{
    return mw_draft_add(net, &(mw_draft_op){.def = "rename",
                                            .in = &x,
                                            .n_in = 1,
                                            .dtype = mw_draft_dtype(net, x),
                                            .dims = dims});
}

// The dims of x with one of them replaced by others.
static const char *replaced(mw_draft *net, mw_id x, const char *dim,
                            const char *by)
{
    const char *text = "";
    const mw_tensor *tensor = &net->graph->tensor[x];
    for (int a = 0; a < tensor->rank; a++) {
        const char *name = net->graph->dim[tensor->axis[a].dim].name;
        text = mw_draft_text(net, "%s %s", text,
                             strcmp(name, dim) == 0 ? by : name);
    }
    return text;
}

mw_id mw_draft_gather(mw_draft *net, mw_id table, mw_id index, const char *dim)
{
    if (net->status != MW_OK)
        return MW_NONE;
    int64_t id = find_dim(net, dim);
    mw_attr attr = mw_attr_of_int("dim", MW_ATTR_DIM, &id);
    mw_id in[] = {table, index};
    const char *dims = replaced(net, table, dim, mw_draft_dims(net, index));
    return mw_draft_add(net, &(mw_draft_op){.def = "gather",
                                            .in = in,
                                            .n_in = 2,
                                            .attr = &attr,
                                            .n_attr = 1,
                                            .dtype = mw_draft_dtype(net, table),
                                            .dims = dims});
}

mw_id mw_draft_slice(mw_draft *net, mw_id x, const char *dim, const char *to,
                     int64_t start)
{
    if (net->status != MW_OK)
        return MW_NONE;
    int64_t id = find_dim(net, dim), step = 1;
    int64_t count = *to ? mw_draft_size(net, to) : 1;
    const mw_attr attr[] = {mw_attr_of_int("dim", MW_ATTR_DIM, &id),
                            mw_attr_of_int("start", MW_ATTR_INT, &start),
                            mw_attr_of_int("step", MW_ATTR_INT, &step),
                            mw_attr_of_int("count", MW_ATTR_INT, &count)};
    return mw_draft_add(net, &(mw_draft_op){.def = "slice",
                                            .in = &x,
                                            .n_in = 1,
                                            .attr = attr,
                                            .n_attr = 4,
                                            .dtype = mw_draft_dtype(net, x),
                                            .dims = replaced(net, x, dim, to)});
}

mw_id mw_draft_concat(mw_draft *net, const mw_id in[], int n, const char *dim,
                      const char *dims)
{
    if (net->status != MW_OK)
        return MW_NONE;
    int64_t id = find_dim(net, dim);
    mw_attr attr = mw_attr_of_int("dim", MW_ATTR_DIM, &id);
    return mw_draft_add(net, &(mw_draft_op){.def = "concat",
                                            .in = in,
                                            .n_in = n,
                                            .attr = &attr,
                                            .n_attr = 1,
                                            .dtype = mw_draft_dtype(net, in[0]),
                                            .dims = dims});
}

mw_id mw_draft_iota(mw_draft *net, const char *dim, mw_dtype dtype)
{
    if (net->status != MW_OK)
        return MW_NONE;
    int64_t id = find_dim(net, dim);
    mw_attr attr = mw_attr_of_int("dim", MW_ATTR_DIM, &id);
    return mw_draft_add(net, &(mw_draft_op){.def = "iota",
                                            .attr = &attr,
                                            .n_attr = 1,
                                            .dtype = dtype,
                                            .dims = dim});
}

void mw_draft_open_body(mw_draft *body, mw_draft *net, const char *name,
                        const char *const dims[])
{
    mw_graph *graph = MW_NEW(net->arena, mw_graph);
    *body = *net;
    if (graph && net->status == MW_OK)
        net->status = mw_graph_init(graph, net->arena, name);
    else if (net->status == MW_OK)
        net->status = MW_ENOMEM;
    body->status = net->status;
    if (net->status != MW_OK)
        return;
    graph->named = true;
    body->graph = graph;
    body->path[0] = '\0';
    mw_map_init(&body->called, net->arena);
    mw_map_init(&body->numbers, net->arena);
    for (int i = 0; dims[i]; i++) {
        const mw_dim *dim = &net->graph->dim[find_dim(net, dims[i])];
        mw_draft_dim_of(body, dims[i], dim->size,
                        dim->of == MW_NONE ? NULL
                                           : net->graph->dim[dim->of].name,
                        dim->how);
    }
}

// The body's results, copied: a body may be of several loops.
static void end_body(mw_draft *net, const mw_draft_loop *loop)
{
    mw_graph *graph = loop->body->graph;
    if (net->status == MW_OK)
        net->status = loop->body->status;
    if (net->status != MW_OK || graph->result)
        return;
    graph->result = MW_NEW_ARRAY(net->arena, loop->n_results, mw_id);
    if (!graph->result) {
        net->status = MW_ENOMEM;
        return;
    }
    graph->n_results = loop->n_results;
    for (int i = 0; i < loop->n_results; i++)
        graph->result[i] = loop->result[i];
}

void mw_draft_scan(mw_draft *net, const mw_draft_loop *loop, mw_id out[])
{
    end_body(net, loop);
    for (int i = 0; i < loop->n_results && net->status == MW_OK; i++) {
        const char *dims = mw_draft_dims(loop->body, loop->result[i]);
        mw_tensor tensor = {.role = MW_ROLE_VALUE,
                            .dtype =
                                mw_draft_dtype(loop->body, loop->result[i])};
        if (i >= loop->n_carries)
            dims = mw_draft_text(net, "%s %s", loop->dim, dims);
        tensor.name = mw_draft_text(net, "%s%s", net->path, loop->name[i]);
        take_dims(net, dims, &tensor);
        out[i] = add_tensor(net, &tensor);
    }
    if (net->status != MW_OK)
        return;
    int64_t carries = loop->n_carries, dim = find_dim(net, loop->dim);
    const mw_attr attr[] = {
        {.name = "body", .kind = MW_ATTR_BODY, .body = loop->body->graph},
        mw_attr_of_int("carries", MW_ATTR_INT, &carries),
        mw_attr_of_int("dim", MW_ATTR_DIM, &dim),
    };
    mw_op_spec spec = {.def = "scan",
                       .n_in = loop->n_in,
                       .in = loop->in,
                       .n_out = loop->n_results,
                       .out = out,
                       .n_attr = 3,
                       .attr = attr};
    mw_id op;
    net->status = mw_graph_bind(net->graph, &spec, &op);
}
