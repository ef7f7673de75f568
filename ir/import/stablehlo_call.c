/* stablehlo_call.c - what a rule asks of its operation: operands, types and
 * attributes. */
#include <stdio.h>
#include <string.h>

#include "ir/fold.h"
#include "ir/import/stablehlo_call.h"

void mw_hlo_refuse_with(mw_hlo_call *call, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mw_ctx *ctx = call->build->base.ctx;
    mw_ctx_at(ctx, "%s:%d:%d", call->build->base.path, call->op->line,
              call->op->column);
    mw_status status = mw_fail(ctx, MW_EINPUT, "%s: %s", call->op->name, text);
    if (call->emit.status == MW_OK)
        call->emit.status = status;
}

static void *failed(mw_hlo_call *call, mw_status status)
{
    if (call->emit.status == MW_OK)
        call->emit.status = status;
    return NULL;
}

/* ---- values ---- */

int mw_hlo_shape(mw_hlo_call *call, mw_hlo_value value, int64_t shape[])
{
    int rank = mw_emit_shape(&call->emit, value.id, shape);
    for (int a = 0; a < rank && value.full; a++)
        shape[a] = value.full[a];
    return rank;
}

/* The number that all elements are; false when there is none. */
static bool as_number(mw_dtype dtype, uint64_t bits, double *number)
{
    uint64_t back = 0;
    *number = mw_fold_number(dtype, &bits);
    mw_fold_element(dtype, *number, &back);
    return memcmp(&back, &bits, (size_t)mw_dtype_bytes(dtype)) == 0;
}

static mw_id scalar(mw_hlo_call *call, mw_dtype dtype, uint64_t bits)
{
    double number;
    if (as_number(dtype, bits, &number))
        return mw_emit_number(&call->emit, dtype, number);
    uint64_t *stored = MW_NEW(call->emit.arena, uint64_t);
    if (!stored) {
        (void)failed(call, MW_ENOMEM);
        return MW_NONE;
    }
    *stored = bits;
    mw_tensor tensor = {.dtype = dtype,
                        .data = {.kind = MW_DATA_MEMORY, .bytes = stored}};
    return mw_emit_const(&call->emit, &tensor);
}

mw_id mw_hlo_fill(mw_hlo_call *call, mw_dtype dtype, uint64_t bits,
                  const int64_t shape[], int rank)
{
    mw_tensor tensor = {.dtype = dtype, .rank = rank};
    double number;
    if (call->emit.status != MW_OK || rank == 0)
        return scalar(call, dtype, bits);
    if (!as_number(dtype, bits, &number))
        return mw_emit_broadcast(&call->emit, scalar(call, dtype, bits), shape,
                                 rank);
    for (int a = 0; a < rank; a++)
        tensor.axis[a] = (mw_axis){.dim = MW_NONE, .size = shape[a]};
    tensor.data = (mw_data){.kind = MW_DATA_FILL, .fill = number};
    return mw_emit_const(&call->emit, &tensor);
}

mw_id mw_hlo_whole(mw_hlo_call *call, mw_hlo_value value)
{
    int64_t full[MW_MAX_RANK], own[MW_MAX_RANK];
    int rank = mw_hlo_shape(call, value, full);
    if (call->emit.status != MW_OK)
        return MW_NONE;
    (void)mw_emit_shape(&call->emit, value.id, own);
    if (memcmp(full, own, (size_t)rank * sizeof *own) == 0)
        return value.id;
    bool uniform;
    uint64_t bits = 0;
    const mw_tensor *tensor = mw_emit_tensor(&call->emit, value.id);
    mw_dtype dtype = tensor->dtype;
    bool constant = tensor->role == MW_ROLE_CONST;
    mw_status status =
        mw_fold_uniform(call->emit.graph, value.id, &uniform, &bits);
    if (status != MW_OK)
        (void)failed(call, status);
    return constant && uniform
               ? mw_hlo_fill(call, dtype, bits, full, rank)
               : mw_emit_broadcast(&call->emit, value.id, full, rank);
}

mw_id mw_hlo_in(mw_hlo_call *call, int i)
{
    if (call->emit.status != MW_OK || i >= call->n_in)
        return MW_NONE;
    mw_id id = mw_hlo_whole(call, call->in[i]);
    if (id != MW_NONE)
        call->in[i] = (mw_hlo_value){.id = id};
    return id;
}

/* The sizes that operands share, scalars aside; the rank, or -1. */
static int common(mw_hlo_call *call, const mw_hlo_value in[], int n,
                  int64_t shape[])
{
    int64_t own[MW_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < n; i++) {
        int r = mw_hlo_shape(call, in[i], own);
        bool same = memcmp(own, shape, (size_t)r * sizeof *own) == 0;
        if (r > 0 && rank > 0 && (r != rank || !same)) {
            (void)mw_hlo_refuse(call, "operands have different sizes");
            return -1;
        }
        if (r > 0)
            memcpy(shape, own, (size_t)r * sizeof *own);
        if (r > 0)
            rank = r;
    }
    return rank;
}

mw_hlo_value mw_hlo_apply(mw_hlo_call *call, mw_hlo_make *make,
                          const mw_hlo_value in[], int n, const char *arg)
{
    enum { MAX = 8 };
    int64_t shape[MW_MAX_RANK] = {0}, own[MW_MAX_RANK];
    mw_hlo_value none = {.id = MW_NONE};
    mw_id id[MAX];
    if (call->emit.status != MW_OK || n > MAX)
        return none;
    int rank = common(call, in, n, shape);
    if (rank < 0)
        return none;
    for (int i = 0; i < n; i++)
        id[i] = in[i].id;
    mw_id made = make(&call->emit, id, n, arg);
    if (call->emit.status != MW_OK)
        return none;
    mw_hlo_value result = {.id = made};
    int made_rank = mw_emit_shape(&call->emit, made, own);
    if (made_rank != rank)
        return result;
    if (memcmp(own, shape, (size_t)rank * sizeof *own) != 0) {
        int64_t *full = MW_NEW_ARRAY(call->emit.arena, rank, int64_t);
        if (!full) {
            (void)failed(call, MW_ENOMEM);
            return none;
        }
        memcpy(full, shape, (size_t)rank * sizeof *full);
        result.full = full;
    }
    return result;
}

static mw_id make_map(mw_onnx_call *emit, const mw_id in[], int n,
                      const char *arg)
{
    if (n == 1)
        return mw_emit1(emit, arg, in[0]);
    return n == 2 ? mw_emit2(emit, arg, in[0], in[1])
                  : mw_emit_where(emit, in[0], in[1], in[2]);
}

mw_hlo_value mw_hlo_map(mw_hlo_call *call, const char *def,
                        const mw_hlo_value in[], int n)
{
    return mw_hlo_apply(call, make_map, in, n, def);
}

mw_status mw_hlo_set_value(mw_hlo_call *call, int i, mw_hlo_value value)
{
    if (i < call->n_out)
        call->out[i] = value;
    return call->emit.status;
}

mw_status mw_hlo_set(mw_hlo_call *call, int i, mw_id id)
{
    return mw_hlo_set_value(call, i, (mw_hlo_value){.id = id});
}

/* ---- types ---- */

const mw_hlo_type *mw_hlo_out_type(mw_hlo_call *call, int i)
{
    if (i < call->n_out && call->op->out_type[i].tensor)
        return &call->op->out_type[i];
    (void)mw_hlo_refuse(call, "result %d has no tensor type", i);
    return NULL;
}

int mw_hlo_out_shape(mw_hlo_call *call, int i, int64_t shape[])
{
    const mw_hlo_type *type = mw_hlo_out_type(call, i);
    if (!type)
        return -1;
    for (int a = 0; a < type->rank; a++) {
        shape[a] = type->dim[a];
        if (shape[a] != MW_HLO_UNKNOWN)
            continue;
        (void)mw_hlo_refuse(call, "axis %d of result %d is not known", a, i);
        return -1;
    }
    return type->rank;
}

mw_dtype mw_hlo_out_dtype(mw_hlo_call *call, int i)
{
    const mw_hlo_type *type = mw_hlo_out_type(call, i);
    return type ? type->dtype : MW_F32;
}

/* ---- attributes ---- */

const mw_hlo_item *mw_hlo_attr(const mw_hlo_call *call, const char *name)
{
    return mw_hlo_item_find(&call->op->attr, name);
}

int64_t mw_hlo_int(mw_hlo_call *call, const char *name, int64_t otherwise)
{
    const mw_hlo_item *item = mw_hlo_attr(call, name);
    if (!item || item->kind == MW_HLO_INT)
        return item ? item->i : otherwise;
    (void)mw_hlo_refuse(call, "attribute '%s' is no integer", name);
    return otherwise;
}

bool mw_hlo_has_word(const mw_hlo_call *call, const char *word)
{
    const mw_hlo_item *attr = &call->op->attr;
    for (int64_t k = 0; k < attr->n; k++)
        if (!attr->item[k].name && attr->item[k].kind == MW_HLO_WORD &&
            strcmp(attr->item[k].text, word) == 0)
            return true;
    return false;
}

/* `LT`, or #stablehlo<comparison_direction LT>: the last word of a list. */
const char *mw_hlo_word_of(mw_hlo_call *call, const char *name)
{
    const mw_hlo_item *item = mw_hlo_attr(call, name);
    if (item && item->kind == MW_HLO_LIST && item->n > 0)
        item = &item->item[item->n - 1];
    bool text =
        item && (item->kind == MW_HLO_WORD || item->kind == MW_HLO_TEXT ||
                 item->kind == MW_HLO_CALLEE);
    return text ? item->text : NULL;
}

typedef struct gathered {
    int64_t n, cap;
    int64_t *v;
} gathered;

static mw_status gather(mw_hlo_call *call, const mw_hlo_item *item, int depth,
                        gathered *to)
{
    enum { MAX_NUMBERS = 4096 };
    if (item->kind == MW_HLO_INT) {
        if (to->n == MAX_NUMBERS)
            return mw_hlo_refuse(call, "a list has more than %d numbers",
                                 MAX_NUMBERS);
        int64_t *grown = mw_arena_reserve(call->emit.arena, to->v, to->n,
                                          &to->cap, sizeof *to->v);
        if (!grown)
            return MW_ENOMEM;
        to->v = grown;
        grown[to->n++] = item->i;
        return MW_OK;
    }
    if (item->kind != MW_HLO_LIST || depth > 4)
        return mw_hlo_refuse(call, "a list holds something else than integers");
    for (int64_t k = 0; k < item->n; k++)
        MW_TRY(gather(call, &item->item[k], depth + 1, to));
    return MW_OK;
}

/* A dense constant of integers that stands as an attribute. */
static mw_status dense(mw_hlo_call *call, const mw_hlo_item *item, gathered *to)
{
    enum { MAX_NUMBERS = 4096 };
    const mw_hlo_type *type = item->type;
    if (!type || !type->tensor || !type->known || type->rank > 2 ||
        mw_dtype_is_float(type->dtype))
        return mw_hlo_refuse(call, "a list is no tensor of integers");
    mw_tensor tensor = {.dtype = type->dtype, .rank = type->rank};
    int64_t n = 1;
    for (int a = 0; a < type->rank; a++) {
        if (type->dim[a] < 0 || type->dim[a] > MAX_NUMBERS ||
            n * type->dim[a] > MAX_NUMBERS)
            return mw_hlo_refuse(call, "a list has more than %d numbers",
                                 MAX_NUMBERS);
        n *= type->dim[a];
        tensor.axis[a] = (mw_axis){.dim = MW_NONE, .size = type->dim[a]};
    }
    bool splat;
    uint64_t bits;
    MW_TRY(mw_hlo_dense_read(call->emit.arena, call->build->base.path, item,
                             &tensor, &splat, &bits));
    to->v = MW_NEW_ARRAY(call->emit.arena, n, int64_t);
    if (!to->v)
        return MW_ENOMEM;
    int64_t width = mw_dtype_bytes(type->dtype);
    for (to->n = 0; to->n < n; to->n++) {
        const char *data = tensor.data.bytes;
        const void *element =
            splat ? (const void *)&bits : (const void *)(data + to->n * width);
        to->v[to->n] = (int64_t)mw_fold_number(type->dtype, element);
    }
    return MW_OK;
}

mw_hlo_ints mw_hlo_ints_of(mw_hlo_call *call, const mw_hlo_item *item)
{
    gathered to = {0};
    mw_status status = item->kind == MW_HLO_DENSE ? dense(call, item, &to)
                                                  : gather(call, item, 0, &to);
    if (status != MW_OK) {
        (void)failed(call, status);
        return (mw_hlo_ints){0};
    }
    return (mw_hlo_ints){.given = true, .n = (int)to.n, .v = to.v};
}

/* Zeros for rules that go on after a failure. */
static const int64_t zeros[2 * MW_MAX_RANK];

mw_hlo_ints mw_hlo_list(mw_hlo_call *call, const char *name, int wanted,
                        int64_t otherwise)
{
    const mw_hlo_item *item = mw_hlo_attr(call, name);
    mw_hlo_ints list = {.v = zeros};
    if (call->emit.status != MW_OK)
        return list;
    if (item && item->kind != MW_HLO_NOTHING)
        list = mw_hlo_ints_of(call, item);
    if (list.given && wanted >= 0 && list.n != wanted)
        (void)mw_hlo_refuse(call, "'%s' has %d numbers, wanted %d", name,
                            list.n, wanted);
    if (list.given && call->emit.status == MW_OK)
        return list;
    int64_t *v = NULL;
    if (call->emit.status == MW_OK && wanted > 0)
        v = MW_NEW_ARRAY(call->emit.arena, wanted, int64_t);
    for (int i = 0; i < wanted && v; i++)
        v[i] = otherwise;
    return (mw_hlo_ints){.n = v ? wanted : 0, .v = v ? v : zeros};
}

mw_hlo_ints mw_hlo_known(mw_hlo_call *call, int i)
{
    enum { MAX_NUMBERS = 4096 };
    mw_id id = mw_hlo_in(call, i);
    if (call->emit.status != MW_OK)
        return (mw_hlo_ints){0};
    const mw_tensor *tensor = mw_emit_tensor(&call->emit, id);
    mw_dtype dtype = tensor->dtype;
    int64_t n = mw_tensor_elements(tensor), width = mw_dtype_bytes(dtype);
    const void *bytes = NULL;
    if (mw_dtype_is_float(dtype) || n > MAX_NUMBERS ||
        !mw_fold_known(call->emit.graph, id))
        return (mw_hlo_ints){0};
    mw_status status =
        mw_fold_read(call->emit.graph, id, call->emit.arena, &bytes);
    int64_t *v = MW_NEW_ARRAY(call->emit.arena, n, int64_t);
    if (status != MW_OK || !v) {
        (void)failed(call, status != MW_OK ? status : MW_ENOMEM);
        return (mw_hlo_ints){0};
    }
    for (int64_t k = 0; k < n; k++)
        v[k] = (int64_t)mw_fold_number(dtype, (const char *)bytes + k * width);
    return (mw_hlo_ints){.given = true, .n = (int)n, .v = v};
}

/* ---- reductions ---- */

static const struct {
    const char *op, *reducer;
} reducers[] = {
    {"stablehlo.add", "add"},     {"stablehlo.multiply", "mul"},
    {"stablehlo.maximum", "max"}, {"stablehlo.minimum", "min"},
    {"stablehlo.and", "and"},     {"stablehlo.or", "or"},
    {"stablehlo.xor", "xor"},
};

const char *mw_hlo_reducer_of(const char *op)
{
    for (size_t i = 0; i < sizeof reducers / sizeof reducers[0]; i++)
        if (strcmp(reducers[i].op, op) == 0)
            return reducers[i].reducer;
    return NULL;
}

static bool uses(const mw_hlo_op *op, int64_t i, const char *name)
{
    return op->n_uses > i && strcmp(op->use[i].name, name) == 0;
}

const char *mw_hlo_reducer(const mw_hlo_block *block)
{
    if (block->n_args != 2)
        return NULL;
    const char *a = block->arg[0].name, *b = block->arg[1].name;
    const mw_hlo_op *op = block->op;
    if (block->n_ops == 1 && op->n_uses == 1 && uses(op, 0, b) &&
        strcmp(op->name, "stablehlo.return") == 0)
        return "second";
    if (block->n_ops != 2 || op->n_uses != 2 || op->n_results != 1 ||
        op[1].n_uses != 1 || !uses(&op[1], 0, op->result[0].name) ||
        strcmp(op[1].name, "stablehlo.return") != 0)
        return NULL;
    bool both = (uses(op, 0, a) && uses(op, 1, b)) ||
                (uses(op, 0, b) && uses(op, 1, a));
    return both ? mw_hlo_reducer_of(op->name) : NULL;
}
