/*
 * onnx.c - the bytes of an ONNX file as the structures of onnx.h. One
 * function a message; fields that nobody reads are skipped, so newer files
 * are read too.
 */
#include "ir/import/onnx.h"

#include <string.h>

#include "base/text.h"

typedef struct reader {
    mw_arena *arena;
    mw_ctx *ctx;
    int depth;
    mw_status status; /* of the first failure */
} reader;

static void fail(reader *r, const char *message)
{
    if (r->status == MW_OK)
        r->status =
            mw_fail(r->ctx, MW_EINPUT, "not a valid ONNX file: %s", message);
}

static void no_memory(reader *r)
{
    if (r->status == MW_OK)
        r->status = MW_ENOMEM;
}

/* The next field, while nothing has failed. */
static bool next(reader *r, mw_proto *wire, mw_proto_field *field)
{
    if (r->status != MW_OK)
        return false;
    if (mw_proto_next(wire, field))
        return true;
    if (wire->bad)
        fail(r, "a message ends early or has an unknown field type");
    return false;
}

static bool is_bytes(reader *r, const mw_proto_field *field)
{
    if (field->type == MW_PROTO_BYTES)
        return true;
    fail(r, "a field has the wrong type");
    return false;
}

/* Names are printed, and go to text and JSON: bytes that are no UTF-8 and
 * control characters are written %0A. */
static bool is_plain(const uint8_t *s, const uint8_t *end, int *length)
{
    *length = mw_utf8_length((const char *)s, (const char *)end);
    return *length > 0 && *s >= 0x20 && *s != 0x7f;
}

static bool printable(const mw_proto *bytes)
{
    int n;
    for (const uint8_t *p = bytes->pos; p < bytes->end; p += n)
        if (!is_plain(p, bytes->end, &n))
            return false;
    return true;
}

static const char *text(reader *r, const mw_proto_field *field)
{
    static const char digit[] = "0123456789ABCDEF";
    enum { ESCAPED = 3 };
    if (!is_bytes(r, field))
        return "";
    const uint8_t *s = field->bytes.pos, *end = field->bytes.end;
    size_t bytes = 1;
    int n;
    for (const uint8_t *p = s; p<end; p += n> 0 ? n : 1)
        bytes += is_plain(p, end, &n) ? (size_t)n : ESCAPED;
    char *copy = mw_arena_alloc(r->arena, bytes, 1), *to = copy;
    if (!copy) {
        no_memory(r);
        return "";
    }
    for (const uint8_t *p = s; p<end; p += n> 0 ? n : 1) {
        bool plain = is_plain(p, end, &n);
        for (int i = 0; i < n && plain; i++)
            *to++ = (char)p[i];
        if (plain)
            continue;
        *to++ = '%';
        *to++ = digit[*p >> 4];
        *to++ = digit[*p & 15];
    }
    return copy;
}

/* Room for one more in a vector; NULL after a failure. */
static void *more(reader *r, void *items, int64_t *n, int64_t *cap, size_t size)
{
    void *grown = mw_arena_reserve(r->arena, items, *n, cap, size);
    if (!grown) {
        no_memory(r);
        return NULL;
    }
    (*n)++;
    return grown;
}

static void add_text(reader *r, const char ***items, int64_t *n, int64_t *cap,
                     const mw_proto_field *field)
{
    const char **grown = more(r, *items, n, cap, sizeof **items);
    if (!grown)
        return;
    *items = grown;
    grown[*n - 1] = text(r, field);
}

/* The numbers of a repeated field, added to a vector of 64-bit ones. */
static void add_ints(reader *r, int64_t **items, int64_t *n, int64_t *cap,
                     const mw_proto_field *field)
{
    mw_proto_numbers numbers = mw_proto_numbers_of(field, MW_PROTO_VARINT);
    uint64_t value;
    while (mw_proto_numbers_next(&numbers, &value)) {
        int64_t *grown = more(r, *items, n, cap, sizeof **items);
        if (!grown)
            return;
        *items = grown;
        grown[*n - 1] = (int64_t)value;
    }
    if (numbers.wire.bad)
        fail(r, "a list of numbers ends early");
}

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static void add_floats(reader *r, mw_onnx_attr *attr,
                       const mw_proto_field *field)
{
    mw_proto_numbers numbers = mw_proto_numbers_of(field, MW_PROTO_I32);
    uint64_t value;
    while (mw_proto_numbers_next(&numbers, &value)) {
        float *grown = more(r, attr->floats, &attr->n_floats, &attr->cap_floats,
                            sizeof *attr->floats);
        if (!grown)
            return;
        attr->floats = grown;
        grown[attr->n_floats - 1] = float_of(value);
    }
    if (numbers.wire.bad)
        fail(r, "a list of numbers ends early");
}

/* ---- tensors ---- */

/* A key and a value of external data. */
static void read_external(reader *r, mw_proto wire, mw_onnx_tensor *tensor)
{
    const char *key = "", *value = "";
    mw_proto_field field;
    while (next(r, &wire, &field)) {
        if (field.number == 1)
            key = text(r, &field);
        else if (field.number == 2)
            value = text(r, &field);
    }
    bool is_offset = strcmp(key, "offset") == 0;
    if (strcmp(key, "location") == 0)
        tensor->location = value;
    if (!is_offset && strcmp(key, "length") != 0)
        return;
    int64_t number = 0;
    bool good = value[0] != '\0' && strlen(value) <= 18;
    for (const char *s = value; *s && good; s++) {
        good = *s >= '0' && *s <= '9';
        number = number * 10 + (*s - '0');
    }
    if (!good)
        fail(r, "offset or length of external data is not a number");
    else if (is_offset)
        tensor->offset = number;
    else
        tensor->length = number;
}

static void read_tensor(reader *r, mw_proto wire, mw_onnx_tensor *tensor)
{
    *tensor = (mw_onnx_tensor){.name = "", .length = -1, .body = wire};
    mw_proto_field field;
    while (next(r, &wire, &field)) {
        switch (field.number) {
        case 1:
            add_ints(r, &tensor->dim, &tensor->rank, &tensor->cap_rank, &field);
            break;
        case 2:
            tensor->elem_type =
                field.value <= INT16_MAX ? (int)field.value : -1;
            break;
        case 3:
            tensor->segmented = true;
            break;
        case 8:
            tensor->name = text(r, &field);
            break;
        case 9:
            tensor->has_raw = is_bytes(r, &field);
            tensor->raw = field.bytes;
            break;
        case 13:
            if (is_bytes(r, &field))
                read_external(r, field.bytes, tensor);
            break;
        case 14:
            tensor->external = field.value == 1;
            break;
        default:
            break;
        }
    }
}

/* ---- declared values ---- */

static void read_dim(reader *r, mw_proto wire, mw_onnx_dim *dim)
{
    *dim = (mw_onnx_dim){.value = -1};
    mw_proto_field field;
    while (next(r, &wire, &field)) {
        if (field.number == 1)
            dim->value = (int64_t)field.value;
        else if (field.number == 2)
            dim->symbol = text(r, &field);
    }
}

static void read_shape(reader *r, mw_proto wire, mw_onnx_value *value)
{
    value->has_shape = true;
    mw_proto_field field;
    while (next(r, &wire, &field)) {
        if (field.number != 1 || !is_bytes(r, &field))
            continue;
        mw_onnx_dim *grown = more(r, value->dim, &value->rank, &value->cap_rank,
                                  sizeof *value->dim);
        if (!grown)
            return;
        value->dim = grown;
        read_dim(r, field.bytes, &grown[value->rank - 1]);
    }
}

static void read_tensor_type(reader *r, mw_proto wire, mw_onnx_value *value)
{
    value->is_tensor = true;
    mw_proto_field field;
    while (next(r, &wire, &field)) {
        if (field.number == 1)
            value->elem_type = field.value <= INT16_MAX ? (int)field.value : -1;
        else if (field.number == 2 && is_bytes(r, &field))
            read_shape(r, field.bytes, value);
    }
}

/* What TypeProto's fields stand for. */
static const char *kind_of(int field)
{
    static const char *const kind[] = {
        [1] = "tensor", [4] = "sequence",      [5] = "map",
        [7] = "opaque", [8] = "sparse tensor", [9] = "optional"};
    bool known = field > 0 && field < (int)(sizeof kind / sizeof kind[0]);
    return known ? kind[field] : NULL;
}

static void read_value(reader *r, mw_proto wire, mw_onnx_value *value)
{
    *value = (mw_onnx_value){.name = ""};
    mw_proto_field field, type;
    while (next(r, &wire, &field)) {
        if (field.number == 1)
            value->name = text(r, &field);
        if (field.number != 2 || !is_bytes(r, &field))
            continue;
        mw_proto inner = field.bytes;
        while (next(r, &inner, &type)) {
            if (kind_of((int)type.number))
                value->kind = kind_of((int)type.number);
            if (type.number == 1 && is_bytes(r, &type))
                read_tensor_type(r, type.bytes, value);
        }
    }
}

/* ---- nodes ---- */

static void read_graph(reader *r, mw_proto wire, mw_onnx_graph *graph);

static void read_nested_graph(reader *r, mw_proto wire, mw_onnx_attr *attr)
{
    if (r->depth >= MW_ONNX_MAX_DEPTH) {
        fail(r, "graphs are nested deeper than 16");
        return;
    }
    mw_onnx_graph *graph = MW_NEW(r->arena, mw_onnx_graph);
    if (!graph) {
        no_memory(r);
        return;
    }
    r->depth++;
    read_graph(r, wire, graph);
    r->depth--;
    attr->graph = graph;
    attr->kind = MW_ONNX_GRAPH;
}

static void read_attr_tensor(reader *r, mw_proto wire, mw_onnx_attr *attr)
{
    mw_onnx_tensor *tensor = MW_NEW(r->arena, mw_onnx_tensor);
    if (!tensor) {
        no_memory(r);
        return;
    }
    read_tensor(r, wire, tensor);
    attr->tensor = tensor;
    attr->kind = MW_ONNX_TENSOR;
}

/* Custom operators keep bytes in texts; no rule reads those. */
static void read_attr_text(reader *r, const mw_proto_field *field,
                           mw_onnx_attr *attr)
{
    attr->kind = MW_ONNX_OTHER;
    if (!is_bytes(r, field) || !printable(&field->bytes))
        return;
    attr->kind = MW_ONNX_TEXT;
    attr->text = text(r, field);
}

static void read_attr_texts(reader *r, const mw_proto_field *field,
                            mw_onnx_attr *attr)
{
    bool readable = is_bytes(r, field) && printable(&field->bytes);
    if (attr->kind == MW_ONNX_OTHER || !readable) {
        attr->kind = MW_ONNX_OTHER;
        return;
    }
    attr->kind = MW_ONNX_TEXTS;
    add_text(r, &attr->texts, &attr->n_texts, &attr->cap_texts, field);
}

/* Field numbers of values; the kind follows from the field, since files of
 * IR 1 do not state it, and an empty list is known by the stated one only. */
static void read_attr_field(reader *r, const mw_proto_field *field,
                            mw_onnx_attr *attr)
{
    switch (field->number) {
    case 2:
        attr->kind = MW_ONNX_FLOAT;
        attr->f = float_of(field->value);
        break;
    case 3:
        attr->kind = MW_ONNX_INT;
        attr->i = (int64_t)field->value;
        break;
    case 4:
        read_attr_text(r, field, attr);
        break;
    case 5:
        if (is_bytes(r, field))
            read_attr_tensor(r, field->bytes, attr);
        break;
    case 6:
        if (is_bytes(r, field))
            read_nested_graph(r, field->bytes, attr);
        break;
    case 7:
        attr->kind = MW_ONNX_FLOATS;
        add_floats(r, attr, field);
        break;
    case 8:
        attr->kind = MW_ONNX_INTS;
        add_ints(r, &attr->ints, &attr->n_ints, &attr->cap_ints, field);
        break;
    case 9:
        read_attr_texts(r, field, attr);
        break;
    case 10:
    case 11:
    case 14:
    case 22:
    case 23:
        attr->kind = MW_ONNX_OTHER;
        break;
    default:
        break;
    }
}

static void read_attr(reader *r, mw_proto wire, mw_onnx_attr *attr)
{
    *attr = (mw_onnx_attr){.name = "", .reference = ""};
    mw_onnx_kind stated = MW_ONNX_NOTHING;
    mw_proto_field field;
    while (next(r, &wire, &field)) {
        if (field.number == 1)
            attr->name = text(r, &field);
        else if (field.number == 21)
            attr->reference = text(r, &field);
        else if (field.number == 20)
            stated = field.value < MW_ONNX_OTHER ? (mw_onnx_kind)field.value
                                                 : MW_ONNX_OTHER;
        else
            read_attr_field(r, &field, attr);
    }
    bool list = stated == MW_ONNX_INTS || stated == MW_ONNX_FLOATS;
    bool number = stated == MW_ONNX_INT || stated == MW_ONNX_FLOAT;
    if (attr->kind == MW_ONNX_NOTHING && (list || number))
        attr->kind = stated; /* an empty list; 0 that was left out */
    if (stated == MW_ONNX_TEXT && attr->kind == MW_ONNX_NOTHING) {
        attr->text = "";
        attr->kind = MW_ONNX_TEXT;
    }
}

static void read_node(reader *r, mw_proto wire, mw_onnx_node *node)
{
    *node = (mw_onnx_node){.name = "", .op = "", .domain = "", .overload = ""};
    mw_proto_field field;
    while (next(r, &wire, &field)) {
        switch (field.number) {
        case 1:
            add_text(r, &node->in, &node->n_in, &node->cap_in, &field);
            break;
        case 2:
            add_text(r, &node->out, &node->n_out, &node->cap_out, &field);
            break;
        case 3:
            node->name = text(r, &field);
            break;
        case 4:
            node->op = text(r, &field);
            break;
        case 5:
            if (!is_bytes(r, &field))
                break;
            mw_onnx_attr *grown = more(r, node->attr, &node->n_attr,
                                       &node->cap_attr, sizeof *node->attr);
            if (!grown)
                return;
            node->attr = grown;
            read_attr(r, field.bytes, &grown[node->n_attr - 1]);
            break;
        case 7:
            node->domain = text(r, &field);
            if (strcmp(node->domain, "ai.onnx") == 0)
                node->domain = "";
            break;
        case 8:
            node->overload = text(r, &field);
            break;
        default:
            break;
        }
    }
    if (node->n_out > MW_ONNX_MAX_OUT)
        fail(r, "a node has more than 1024 outputs");
}

/* ---- graphs and the model ---- */

static void add_value(reader *r, mw_onnx_value **items, int64_t *n,
                      int64_t *cap, const mw_proto_field *field)
{
    mw_onnx_value *grown = more(r, *items, n, cap, sizeof **items);
    if (!grown)
        return;
    *items = grown;
    read_value(r, field->bytes, &grown[*n - 1]);
}

static void read_graph_field(reader *r, const mw_proto_field *field,
                             mw_onnx_graph *graph)
{
    mw_onnx_node *node;
    mw_onnx_tensor *weight;
    switch (field->number) {
    case 1:
        node = more(r, graph->node, &graph->n_nodes, &graph->cap_nodes,
                    sizeof *graph->node);
        if (!node)
            return;
        graph->node = node;
        read_node(r, field->bytes, &node[graph->n_nodes - 1]);
        break;
    case 2:
        graph->name = text(r, field);
        break;
    case 5:
        weight = more(r, graph->weight, &graph->n_weights, &graph->cap_weights,
                      sizeof *graph->weight);
        if (!weight)
            return;
        graph->weight = weight;
        read_tensor(r, field->bytes, &weight[graph->n_weights - 1]);
        break;
    case 11:
        add_value(r, &graph->in, &graph->n_in, &graph->cap_in, field);
        break;
    case 12:
        add_value(r, &graph->out, &graph->n_out, &graph->cap_out, field);
        break;
    case 13:
        add_value(r, &graph->info, &graph->n_infos, &graph->cap_infos, field);
        break;
    case 15:
        graph->has_sparse = true;
        break;
    default:
        break;
    }
}

static void read_graph(reader *r, mw_proto wire, mw_onnx_graph *graph)
{
    *graph = (mw_onnx_graph){.name = ""};
    mw_proto_field field;
    while (next(r, &wire, &field))
        if (field.number > 15 || is_bytes(r, &field))
            read_graph_field(r, &field, graph);
}

static void read_opset(reader *r, mw_proto wire, mw_onnx_opset **opsets,
                       int64_t *n, int64_t *cap)
{
    mw_onnx_opset *grown = more(r, *opsets, n, cap, sizeof **opsets);
    if (!grown)
        return;
    *opsets = grown;
    mw_onnx_opset *opset = &grown[*n - 1];
    *opset = (mw_onnx_opset){.domain = ""};
    mw_proto_field field;
    while (next(r, &wire, &field)) {
        if (field.number == 1)
            opset->domain = text(r, &field);
        else if (field.number == 2)
            opset->version = (int64_t)field.value;
    }
    if (strcmp(opset->domain, "ai.onnx") == 0)
        opset->domain = "";
}

/* An input or output of a function, which is a name alone. */
static void add_name(reader *r, mw_onnx_value **items, int64_t *n, int64_t *cap,
                     const mw_proto_field *field)
{
    mw_onnx_value *grown = more(r, *items, n, cap, sizeof **items);
    if (!grown)
        return;
    *items = grown;
    grown[*n - 1] = (mw_onnx_value){.name = text(r, field)};
}

static void add_default(reader *r, mw_onnx_function *f, mw_proto wire)
{
    mw_onnx_attr *grown = more(r, f->defaults, &f->n_defaults, &f->cap_defaults,
                               sizeof *f->defaults);
    if (!grown)
        return;
    f->defaults = grown;
    read_attr(r, wire, &grown[f->n_defaults - 1]);
}

static void read_function_field(reader *r, const mw_proto_field *field,
                                mw_onnx_function *f)
{
    mw_proto_field node = *field;
    mw_onnx_graph *graph = &f->graph;
    if (!is_bytes(r, field))
        return;
    switch (field->number) {
    case 1:
        f->op = graph->name = text(r, field);
        break;
    case 4:
        add_name(r, &graph->in, &graph->n_in, &graph->cap_in, field);
        break;
    case 5:
        add_name(r, &graph->out, &graph->n_out, &graph->cap_out, field);
        break;
    case 7:
        node.number = 1; /* as in a graph */
        read_graph_field(r, &node, graph);
        break;
    case 9:
        read_opset(r, field->bytes, &f->opset, &f->n_opsets, &f->cap_opsets);
        break;
    case 10:
        f->domain = text(r, field);
        break;
    case 11:
        add_default(r, f, field->bytes);
        break;
    case 13:
        f->overload = text(r, field);
        break;
    default:
        break;
    }
}

static void read_function(reader *r, mw_proto wire, mw_onnx_model *model)
{
    mw_onnx_function *grown =
        more(r, model->function, &model->n_functions, &model->cap_functions,
             sizeof *model->function);
    if (!grown)
        return;
    model->function = grown;
    mw_onnx_function *function = &grown[model->n_functions - 1];
    *function = (mw_onnx_function){
        .domain = "", .op = "", .overload = "", .graph = {.name = ""}};
    mw_proto_field field;
    while (next(r, &wire, &field))
        read_function_field(r, &field, function);
    if (strcmp(function->domain, "ai.onnx") == 0)
        function->domain = "";
}

mw_status mw_onnx_decode(mw_arena *arena, const uint8_t *bytes, size_t size,
                         mw_onnx_model *model)
{
    reader r = {.arena = arena, .ctx = arena->ctx};
    mw_onnx_model read = {0};
    mw_proto wire = {.pos = bytes, .end = size ? bytes + size : bytes};
    mw_proto graph = {0};
    if (size == 0)
        fail(&r, "it is empty");
    mw_proto_field field;
    while (next(&r, &wire, &field)) {
        if (field.number == 1)
            read.ir_version = (int64_t)field.value;
        else if (field.number == 7 && is_bytes(&r, &field))
            graph = field.bytes;
        else if (field.number == 8 && is_bytes(&r, &field))
            read_opset(&r, field.bytes, &read.opset, &read.n_opsets,
                       &read.cap_opsets);
        else if (field.number == 25 && is_bytes(&r, &field))
            read_function(&r, field.bytes, &read);
    }
    if (r.status == MW_OK && !graph.pos)
        fail(&r, "it has no graph");
    if (r.status == MW_OK)
        read_graph(&r, graph, &read.graph);
    if (r.status == MW_OK)
        *model = read;
    return r.status;
}
