/* rule.c - letters, dtypes and attributes for the rules of op rows. */
#include "ir/rule.h"

#include <stdio.h>
#include <string.h>

void mw_op_fail_at(const mw_graph *graph, const mw_op *op, const char *file,
                   int line, const char *format, ...)
{
    char what[MW_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    mw_fail_at(graph->ctx, MW_EINPUT, file, line, "%s '%s': %s", op->def->name,
               op->name, what);
}

const mw_tensor *mw_op_in(const mw_graph *graph, const mw_op *op, int i)
{
    return &graph->tensor[op->in[i].tensor];
}

const mw_tensor *mw_op_out(const mw_graph *graph, const mw_op *op)
{
    return &graph->tensor[op->out[0].tensor];
}

mw_status mw_letter_add(const mw_graph *graph, mw_op *op, mw_letter letter,
                        int8_t *index)
{
    if (op->n_letters == MW_MAX_LETTERS)
        return mw_op_fail(graph, op, "more than %d dims meet", MW_MAX_LETTERS);
    op->letter[op->n_letters] = letter;
    *index = (int8_t)op->n_letters++;
    return MW_OK;
}

mw_status mw_letters_of_input(const mw_graph *graph, mw_op *op, int i)
{
    const mw_tensor *tensor = mw_op_in(graph, op, i);
    for (int a = 0; a < tensor->rank; a++) {
        mw_letter letter = {.dim = MW_NONE, .size = tensor->axis[a].size};
        if (letter.size != 1)
            MW_TRY(mw_letter_add(graph, op, letter, &op->in[i].letter[a]));
    }
    return MW_OK;
}

mw_status mw_out_axis(const mw_graph *graph, mw_op *op, mw_tensor *out,
                      int8_t letter)
{
    if (out->rank == MW_MAX_RANK)
        return mw_op_fail(graph, op, "the result has more than %d axes",
                          MW_MAX_RANK);
    op->out[0].letter[out->rank] = letter;
    out->axis[out->rank++] = (mw_axis){
        .dim = MW_NONE,
        .size = letter == MW_NONE ? 1 : op->letter[letter].size,
    };
    return MW_OK;
}

mw_status mw_place_shape(const mw_graph *graph, mw_op *op, const mw_attr *shape,
                         mw_tensor *out)
{
    for (int a = 0; a < shape->n; a++) {
        int8_t letter = MW_NONE;
        if (shape->i[a] < 0)
            return mw_op_fail(graph, op, "shape[%d] is %lld, wanted at least 0",
                              a, (long long)shape->i[a]);
        if (shape->i[a] != 1)
            MW_TRY(mw_letter_add(
                graph, op, (mw_letter){.dim = MW_NONE, .size = shape->i[a]},
                &letter));
        MW_TRY(mw_out_axis(graph, op, out, letter));
    }
    return MW_OK;
}

mw_status mw_place_broadcast(const mw_graph *graph, mw_op *op, mw_tensor *out)
{
    int rank = 0;
    for (int i = 0; i < op->n_in; i++) {
        if (mw_op_in(graph, op, i)->rank > rank)
            rank = mw_op_in(graph, op, i)->rank;
    }
    for (int a = 0; a < rank; a++) {
        int8_t letter = MW_NONE;
        for (int i = 0; i < op->n_in; i++) {
            const mw_tensor *in = mw_op_in(graph, op, i);
            int own = a - rank + in->rank;
            if (own < 0 || in->axis[own].size == 1)
                continue;
            int64_t size = in->axis[own].size;
            if (letter == MW_NONE)
                MW_TRY(mw_letter_add(graph, op,
                                     (mw_letter){.dim = MW_NONE, .size = size},
                                     &letter));
            if (op->letter[letter].size != size)
                return mw_op_fail(
                    graph, op, "operand %d axis %d is %lld, wanted %lld or 1",
                    i, own, (long long)size,
                    (long long)op->letter[letter].size);
            op->in[i].letter[own] = letter;
        }
        MW_TRY(mw_out_axis(graph, op, out, letter));
    }
    return MW_OK;
}

// The letter of a dimension, or the nth one without; MW_NONE when there is
// none.
static int8_t letter_of(const mw_op *op, mw_id dim, int nth)
{
    for (int i = 0; i < op->n_letters; i++) {
        if (op->letter[i].dim != dim)
            continue;
        if (dim != MW_NONE || nth-- == 0)
            return (int8_t)i;
    }
    return MW_NONE;
}

mw_status mw_bind_axes(const mw_graph *graph, mw_op *op, mw_operand *operand,
                       uint32_t skip)
{
    const mw_tensor *tensor = &graph->tensor[operand->tensor];
    int n_free = 0;
    for (int a = 0; a < tensor->rank; a++) {
        const mw_axis *axis = &tensor->axis[a];
        if (skip & 1u << a)
            continue;
        int8_t letter = letter_of(op, axis->dim, n_free);
        n_free += axis->dim == MW_NONE;
        if (letter == MW_NONE)
            MW_TRY(mw_letter_add(graph, op,
                                 (mw_letter){.dim = axis->dim,
                                             .size = axis->size,
                                             .pinned = axis->dim == MW_NONE},
                                 &letter));
        if (op->letter[letter].size != axis->size)
            return mw_op_fail(graph, op, "'%s' axis %d is %lld, wanted %lld",
                              tensor->name, a, (long long)axis->size,
                              (long long)op->letter[letter].size);
        operand->letter[a] = letter;
    }
    return MW_OK;
}

mw_status mw_bind_letters(const mw_graph *graph, mw_op *op)
{
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(mw_bind_axes(graph, op, &op->in[i], 0));
    for (int i = 0; i < op->n_out; i++)
        MW_TRY(mw_bind_axes(graph, op, &op->out[i], 0));
    return MW_OK;
}

mw_status mw_bind_odd_axis(const mw_graph *graph, const mw_op *op,
                           const mw_tensor *of, const mw_tensor *among,
                           int skip, int *axis)
{
    int found = MW_NONE;
    for (int a = 0; a < of->rank; a++) {
        mw_id dim = of->axis[a].dim;
        int other = dim == MW_NONE ? MW_NONE : mw_tensor_axis(among, dim);
        if (dim == MW_NONE || (other != MW_NONE && other != skip))
            continue;
        if (found != MW_NONE)
            return mw_op_fail(graph, op,
                              "dims '%s' and '%s' of '%s' are not "
                              "in '%s'",
                              graph->dim[of->axis[found].dim].name,
                              graph->dim[dim].name, of->name, among->name);
        found = a;
    }
    *axis = found;
    return MW_OK;
}

static bool has_letter(const mw_operand *operand, int letter)
{
    for (int a = 0; a < MW_MAX_RANK; a++) {
        if (operand->letter[a] == letter)
            return true;
    }
    return false;
}

static bool letter_in_input(const mw_op *op, int letter)
{
    for (int i = 0; i < op->n_in; i++) {
        if (has_letter(&op->in[i], letter))
            return true;
    }
    return false;
}

static const char *letter_name(const mw_graph *graph, const mw_op *op, int i)
{
    mw_id dim = op->letter[i].dim;
    return dim == MW_NONE ? "without name" : graph->dim[dim].name;
}

mw_status mw_bind_no_new(const mw_graph *graph, const mw_op *op)
{
    for (int i = 0; i < op->n_letters; i++) {
        if (!letter_in_input(op, i))
            return mw_op_fail(graph, op, "dim '%s' of '%s' is in no operand",
                              letter_name(graph, op, i),
                              mw_op_out(graph, op)->name);
    }
    return MW_OK;
}

mw_status mw_bind_no_reduced(const mw_graph *graph, const mw_op *op)
{
    for (int i = 0; i < op->n_letters; i++) {
        if (!mw_op_letter_in_output(op, i))
            return mw_op_fail(graph, op, "dim '%s' is missing in '%s'",
                              letter_name(graph, op, i),
                              mw_op_out(graph, op)->name);
    }
    return MW_OK;
}

mw_status mw_bind_map(const mw_graph *graph, mw_op *op)
{
    MW_TRY(mw_bind_letters(graph, op));
    MW_TRY(mw_bind_no_new(graph, op));
    return mw_bind_no_reduced(graph, op);
}

mw_status mw_bind_window(const mw_graph *graph, mw_op *op, int i, int axis,
                         int8_t letter)
{
    if (letter == MW_NONE)
        MW_TRY(mw_letter_add(
            graph, op, (mw_letter){.dim = MW_NONE, .size = 1, .pinned = true},
            &letter));
    op->in[i].letter[axis] = letter;
    op->in[i].window |= 1u << axis;
    return MW_OK;
}

mw_status mw_rule_same_dtype(const mw_graph *graph, const mw_op *op, int first,
                             mw_dtype *dtype)
{
    mw_dtype wanted = mw_op_in(graph, op, first)->dtype;
    for (int i = first + 1; i < op->n_in; i++) {
        mw_dtype found = mw_op_in(graph, op, i)->dtype;
        if (found != wanted)
            return mw_op_fail(graph, op, "operand %d is %s, wanted %s as '%s'",
                              i, mw_dtype_name(found), mw_dtype_name(wanted),
                              mw_op_in(graph, op, first)->name);
    }
    *dtype = wanted;
    return MW_OK;
}

mw_status mw_rule_out_dtype(const mw_graph *graph, const mw_op *op,
                            mw_dtype wanted)
{
    const mw_tensor *out = mw_op_out(graph, op);
    if (out->dtype != wanted)
        return mw_op_fail(graph, op, "'%s' is %s, wanted %s", out->name,
                          mw_dtype_name(out->dtype), mw_dtype_name(wanted));
    return MW_OK;
}

bool mw_rule_has_sum(mw_dtype dtype)
{
    return dtype != MW_BOOL;
}

mw_status mw_rule_axis(const mw_graph *graph, const mw_op *op, int rank,
                       int *axis)
{
    int64_t found = mw_op_attr_int(op, "axis", 0);
    int64_t own = found < 0 ? found + rank : found;
    if (own < 0 || own >= rank)
        return mw_op_fail(graph, op, "axis is %lld, wanted %d to %d",
                          (long long)found, -rank, rank - 1);
    *axis = (int)own;
    return MW_OK;
}

int mw_tensor_axis(const mw_tensor *tensor, mw_id dim)
{
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->axis[i].dim == dim)
            return i;
    }
    return MW_NONE;
}

mw_span mw_span_clip(mw_span span, int64_t size)
{
    if (span.lo < 0)
        span.lo = 0;
    if (span.hi > size)
        span.hi = size;
    return span.lo < span.hi ? span : (mw_span){0, 0};
}

mw_status mw_lower_attrs(const mw_lowering *lowering, mw_op_spec *spec,
                         const mw_attr attr[], int n)
{
    mw_attr *copy = MW_NEW_ARRAY(lowering->arena, n, mw_attr);
    if (!copy)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        copy[i] = attr[i];
        int64_t *values = MW_NEW_ARRAY(lowering->arena, attr[i].n, int64_t);
        if (!values)
            return MW_ENOMEM;
        for (int k = 0; k < attr[i].n; k++)
            values[k] = attr[i].i[k];
        copy[i].i = values;
    }
    spec->attr = copy;
    spec->n_attr = n;
    return MW_OK;
}

mw_status mw_lower_to(const mw_lowering *lowering, mw_op_spec *spec,
                      const char *def)
{
    spec->def = def;
    spec->n_in = 1;
    return mw_lower_attrs(lowering, spec, NULL, 0);
}

mw_attr mw_attr_of_int(const char *name, mw_attr_kind kind,
                       const int64_t *value)
{
    return (mw_attr){.name = name, .kind = kind, .n = 1, .i = value};
}

mw_lowered_axis mw_lower_axis(const mw_graph *named,
                              const mw_lowering *lowering, mw_id placed_tensor,
                              mw_id named_tensor, int axis)
{
    const struct mw_axis_map *map = &lowering->map[placed_tensor];
    mw_lowered_axis lowered = {
        .count = map->count[axis],
        .first = map->first[axis],
        .dim = MW_NONE,
        .unit = 1,
    };
    if (lowered.count == 0)
        return lowered;
    const mw_axis *flat = &named->tensor[named_tensor].axis[lowered.first];
    lowered.dim = flat[0].dim;
    for (int i = 1; i < lowered.count; i++)
        lowered.unit *= flat[i].size;
    return lowered;
}
