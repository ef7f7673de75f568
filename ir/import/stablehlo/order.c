/* order.c - sorts and the largest elements. */
#include <string.h>

#include "ir/fold.h"
#include "ir/import/stablehlo_call.h"

/* ---- what a comparator compares ---- */

static const mw_hlo_op *maker_of(const mw_hlo_block *block, const char *name)
{
    for (int64_t k = 0; k < block->n_ops; k++)
        for (int64_t r = 0; r < block->op[k].n_results; r++)
            if (strcmp(block->op[k].result[r].name, name) == 0)
                return &block->op[k];
    return NULL;
}

/* The value that is compared may have its zeros and NaNs made alike first: a
 * select between a constant and the value. Its argument, or -1. */
static int64_t argument_of(const mw_hlo_block *block, const char *name)
{
    for (int step = 0; step < 4; step++) {
        for (int64_t a = 0; a < block->n_args; a++)
            if (strcmp(block->arg[a].name, name) == 0)
                return a;
        const mw_hlo_op *op = maker_of(block, name);
        if (!op || strcmp(op->name, "stablehlo.select") != 0 || op->n_uses != 3)
            return -1;
        const mw_hlo_op *constant = maker_of(block, op->use[1].name);
        if (!constant || strcmp(constant->name, "stablehlo.constant") != 0)
            return -1;
        name = op->use[2].name;
    }
    return -1;
}

static bool has_word(const mw_hlo_op *op, const char *word)
{
    const mw_hlo_item *given =
        mw_hlo_item_find(&op->attr, "comparison_direction");
    if (given && given->kind == MW_HLO_LIST && given->n > 0)
        return given->item[given->n - 1].text &&
               strcmp(given->item[given->n - 1].text, word) == 0;
    for (int64_t k = 0; k < op->attr.n; k++)
        if (!op->attr.item[k].name && op->attr.item[k].text &&
            strcmp(op->attr.item[k].text, word) == 0)
            return true;
    return false;
}

/* Operands that a comparator orders by, the one that counts most first. */
enum { KEYS_MAX = 16 };

typedef struct keys {
    int n;
    int64_t key[KEYS_MAX];
    bool down[KEYS_MAX];
} keys;

/* The operand whose two elements an op compares so, and whether the second
 * one comes first; -1: another op. */
static int64_t compared(const mw_hlo_block *block, const mw_hlo_op *op,
                        const char *word, bool *swapped)
{
    if (!op || strcmp(op->name, "stablehlo.compare") != 0 || op->n_uses != 2 ||
        !has_word(op, word))
        return -1;
    int64_t a = argument_of(block, op->use[0].name);
    int64_t b = argument_of(block, op->use[1].name);
    if (a < 0 || b < 0 || a / 2 != b / 2 || a == b)
        return -1;
    *swapped = a > b;
    return a / 2;
}

/* a < b, or b > a; -1: another op. */
static int64_t key_of(const mw_hlo_block *block, const mw_hlo_op *op,
                      bool *descending)
{
    bool swapped = false;
    int64_t key = compared(block, op, "LT", &swapped);
    *descending = swapped;
    if (key >= 0)
        return key;
    key = compared(block, op, "GT", &swapped);
    *descending = !swapped;
    return key;
}

/* The makers of the two operands of an op of that name. */
static bool two_of(const mw_hlo_block *block, const mw_hlo_op *op,
                   const char *name, const mw_hlo_op *side[2])
{
    if (!op || strcmp(op->name, name) != 0 || op->n_uses != 2)
        return false;
    for (int i = 0; i < 2; i++)
        side[i] = maker_of(block, op->use[i].name);
    return true;
}

/* (a0 == b0) & rest: the maker of rest. */
static const mw_hlo_op *rest_of(const mw_hlo_block *block, const mw_hlo_op *op,
                                int64_t key)
{
    const mw_hlo_op *side[2];
    bool swapped;
    if (!two_of(block, op, "stablehlo.and", side))
        return NULL;
    for (int i = 0; i < 2; i++)
        if (compared(block, side[i], "EQ", &swapped) == key)
            return side[1 - i];
    return NULL;
}

/* a0 < b0, or (a0 < b0) | ((a0 == b0) & the same of a1, b1). False: another
 * comparator. */
static bool keys_of(const mw_hlo_block *block, keys *found)
{
    const mw_hlo_op *end = block->n_ops ? &block->op[block->n_ops - 1] : NULL;
    const mw_hlo_op *op =
        end && end->n_uses == 1 ? maker_of(block, end->use[0].name) : NULL;
    for (found->n = 0; op && found->n < KEYS_MAX; found->n++) {
        int64_t *key = &found->key[found->n];
        bool *down = &found->down[found->n];
        const mw_hlo_op *side[2], *rest = NULL;
        *key = key_of(block, op, down);
        if (*key >= 0) {
            found->n++;
            return true;
        }
        if (!two_of(block, op, "stablehlo.or", side))
            return false;
        for (int i = 0; i < 2 && !rest; i++) {
            *key = key_of(block, side[i], down);
            rest = *key >= 0 ? rest_of(block, side[1 - i], *key) : NULL;
        }
        op = rest;
    }
    return false;
}

/* ---- sorts ---- */

/* Elements at the places that the sort gave, along the axis. */
static mw_id take(mw_hlo_call *call, mw_id x, mw_id index, int64_t axis)
{
    int64_t along = 1;
    mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
        {.name = "along", .kind = MW_ATTR_INT, .n = 1, .i = &along}};
    return mw_emit(&call->emit, "gather", (mw_id[]){x, index}, 2, attr, 2);
}

/* 0, 1, ... along the axis and the same along the others. */
static bool is_iota(mw_hlo_call *call, mw_hlo_value value, int64_t axis)
{
    mw_onnx_call *e = &call->emit;
    int64_t shape[MW_MAX_RANK];
    int rank = mw_emit_shape(e, value.id, shape);
    mw_dtype dtype = mw_emit_dtype(e, value.id);
    const void *bytes = NULL;
    for (int a = 0; a < rank; a++)
        if (a != axis && shape[a] != 1)
            return false;
    if (mw_dtype_is_float(dtype) || !mw_fold_known(e->graph, value.id) ||
        mw_fold_read(e->graph, value.id, e->arena, &bytes) != MW_OK)
        return false;
    for (int64_t i = 0; i < shape[axis]; i++)
        if (mw_fold_number(dtype, (const char *)bytes +
                                      i * mw_dtype_bytes(dtype)) != (double)i)
            return false;
    return true;
}

/* Sorts by one key what the keys that count less have sorted (at `place`, or
 * MW_NONE): equal elements keep their order. Sets the places of all so far. */
static mw_id sort_by(mw_hlo_call *call, mw_id key, bool down, int64_t axis,
                     mw_id *place)
{
    mw_onnx_call *e = &call->emit;
    int64_t descending = down;
    mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
        {.name = "descending", .kind = MW_ATTR_INT, .n = 1, .i = &descending}};
    mw_id sorted[2];
    if (*place != MW_NONE)
        key = take(call, key, *place, axis);
    mw_emit_two(e, "sort", key, attr, 2, sorted);
    *place =
        *place == MW_NONE ? sorted[1] : take(call, *place, sorted[1], axis);
    return sorted[0];
}

static mw_status sort(mw_hlo_call *call)
{
    mw_onnx_call *e = &call->emit;
    keys by = {.n = 0};
    bool known = call->op->n_blocks == 1 && keys_of(&call->op->block[0], &by);
    int64_t axis = mw_hlo_int(call, "dimension", -1);
    int rank = mw_emit_rank(e, call->in[0].id);
    MW_TRY(e->status);
    for (int k = 0; k < by.n; k++)
        known &= by.key[k] < call->n_in;
    if (!known || call->op->block[0].n_args != 2 * (int64_t)call->n_in)
        return mw_hlo_refuse(call, "its comparator is not supported, wanted "
                                   "LT or GT of operands' elements, one after "
                                   "the other where they are equal");
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank)
        return mw_hlo_refuse(call, "dimension %lld of a rank of %d",
                             (long long)axis, rank);
    mw_id place = MW_NONE, sorted = MW_NONE;
    for (int k = by.n - 1; k >= 0; k--)
        sorted = sort_by(call, mw_hlo_in(call, (int)by.key[k]), by.down[k],
                         axis, &place);
    for (int i = 0; i < call->n_in && e->status == MW_OK; i++) {
        mw_id y = sorted;
        if (i != by.key[0] && is_iota(call, call->in[i], axis))
            y = mw_emit_cast(e, place, mw_hlo_out_dtype(call, i));
        else if (i != by.key[0])
            y = take(call, mw_hlo_in(call, i), place, axis);
        (void)mw_hlo_set(call, i, y);
    }
    return e->status;
}

static mw_status top_k(mw_hlo_call *call)
{
    mw_onnx_call *e = &call->emit;
    mw_id x = mw_hlo_in(call, 0), found[2];
    int64_t k = mw_hlo_int(call, "k", -1), axis = mw_emit_rank(e, x) - 1;
    int64_t largest = 1;
    MW_TRY(e->status);
    if (axis < 0 || k < 0 || k > mw_emit_size(e, x, (int)axis))
        return mw_hlo_refuse(call, "k is %lld for a rank of %lld", (long long)k,
                             (long long)axis + 1);
    mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
        {.name = "k", .kind = MW_ATTR_INT, .n = 1, .i = &k},
        {.name = "largest", .kind = MW_ATTR_INT, .n = 1, .i = &largest}};
    mw_emit_two(e, "top_k", x, attr, 3, found);
    (void)mw_hlo_set(call, 0, found[0]);
    return mw_hlo_set(call, 1,
                      mw_emit_cast(e, found[1], mw_hlo_out_dtype(call, 1)));
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.sort",
     .min_in = 1,
     .max_in = -1,
     .attrs = "dimension",
     .build = sort},
    {.op = "chlo.top_k",
     .min_in = 1,
     .max_in = 1,
     .attrs = "k",
     .build = top_k},
    {0},
};

const mw_hlo_def mw_hlo_order = {.brief = "sorts and largest elements",
                                 .rules = rules};
