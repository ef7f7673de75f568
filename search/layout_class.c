/* layout_class.c - classes of ops and of homes: what looks alike is tabulated
 * once. Ops look alike when definition, attributes, letters and operands'
 * shapes are equal; tensors when shape, dtype and what is asked of them are. */
#include <string.h>

#include "search/layout_build.h"
#include "search/problem.h"

bool mw_space_rule(const mw_space_builder *builder, mw_id dim, uint32_t *axes)
{
    for (int i = 0; i < builder->options->n_rules; i++) {
        if (builder->options->rule[i].dim == dim) {
            *axes = builder->options->rule[i].axes & builder->space->mesh_axes;
            return true;
        }
    }
    return false;
}

// The rule of a dimension as a word of a key.
static int64_t rule_word(const mw_space_builder *builder, mw_id dim)
{
    uint32_t axes;
    bool ruled = dim != MW_NONE && mw_space_rule(builder, dim, &axes);
    return ruled ? (int64_t)axes : -1;
}

static void key_attr(mw_space_builder *builder, const mw_op *op,
                     const mw_attr *attr)
{
    mw_key *key = &builder->key;
    mw_key_add_text(key, attr->name);
    mw_key_add(key, attr->kind);
    mw_key_add(key, attr->n);
    if (attr->kind == MW_ATTR_DIM) {
        mw_id dim = (mw_id)attr->i[0];
        int64_t letter = MW_NONE;
        for (int i = 0; i < op->n_letters; i++) {
            if (op->letter[i].dim == dim)
                letter = i;
        }
        mw_key_add(key, letter);
        mw_key_add(key, builder->space->on.graph->dim[dim].size);
        return;
    }
    bool integers = attr->kind == MW_ATTR_INT || attr->kind == MW_ATTR_INTS;
    int64_t n = attr->kind == MW_ATTR_INT ? 1 : attr->n;
    for (int64_t i = 0; integers && i < n; i++)
        mw_key_add(key, attr->i[i]);
    if (attr->kind == MW_ATTR_FLOAT) {
        int64_t bits;
        memcpy(&bits, &attr->f, sizeof bits);
        mw_key_add(key, bits);
    }
    if (attr->kind == MW_ATTR_TEXT)
        mw_key_add_text(key, attr->text);
    if (attr->kind == MW_ATTR_BODY)
        mw_key_add_text(key, attr->body->name);
    if (attr->kind == MW_ATTR_DTYPE)
        mw_key_add(key, attr->dtype);
}

static void key_operand(mw_space_builder *builder, const mw_operand *operand)
{
    mw_key *key = &builder->key;
    const mw_tensor *tensor =
        &builder->space->on.graph->tensor[operand->tensor];
    mw_key_add(key, tensor->dtype);
    mw_key_add(key, tensor->rank);
    mw_key_add(key, operand->window);
    for (int i = 0; i < tensor->rank; i++) {
        mw_key_add(key, operand->letter[i]);
        mw_key_add(key, tensor->axis[i].size);
    }
}

static void key_op(mw_space_builder *builder, const mw_op *op)
{
    mw_key *key = &builder->key;
    mw_key_clear(key);
    mw_key_add_text(key, op->def->name);
    mw_key_add(key, op->n_letters);
    for (int i = 0; i < op->n_letters; i++) {
        mw_key_add(key, op->letter[i].size);
        mw_key_add(key, op->letter[i].pinned);
        mw_key_add(key, rule_word(builder, op->letter[i].dim));
    }
    mw_key_add(key, op->n_in);
    for (int i = 0; i < op->n_in; i++)
        key_operand(builder, &op->in[i]);
    mw_key_add(key, op->n_out);
    for (int i = 0; i < op->n_out; i++)
        key_operand(builder, &op->out[i]);
    for (int i = 0; i < op->n_attr; i++)
        key_attr(builder, op, &op->attr[i]);
}

bool mw_layout_divides(const mw_mesh *mesh, const mw_tensor *tensor,
                       const mw_layout *layout)
{
    int64_t parts[MW_MAX_RANK];
    for (int i = 0; i < MW_MAX_RANK; i++)
        parts[i] = 1;
    for (int a = 0; a < mesh->n_axes; a++) {
        if (layout->role[a] >= 0)
            parts[layout->role[a]] *= mesh->axis[a].size;
    }
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->axis[i].size % parts[i] != 0)
            return false;
    }
    return true;
}

static bool strategy_divides(const mw_space *space, const mw_op *op,
                             const mw_strategy *strategy)
{
    int64_t parts[MW_MAX_LETTERS];
    for (int i = 0; i < op->n_letters; i++)
        parts[i] = 1;
    for (int a = 0; a < space->on.mesh->n_axes; a++) {
        if (strategy->split[a] >= 0)
            parts[strategy->split[a]] *= space->on.mesh->axis[a].size;
    }
    for (int i = 0; i < op->n_letters; i++) {
        if (op->letter[i].size % parts[i] != 0)
            return false;
    }
    for (int i = 0; i < op->n_in; i++) {
        mw_layout layout = mw_strategy_input(op, strategy, i);
        if (!mw_layout_divides(space->on.mesh,
                               &space->on.graph->tensor[op->in[i].tensor],
                               &layout))
            return false;
    }
    return true;
}

static bool passes_partial(const mw_strategy *strategy)
{
    for (int a = 0; a < MW_MAX_MESH; a++) {
        if (strategy->split[a] <= MW_SPLIT_PARTIAL)
            return true;
    }
    return false;
}

static bool strategy_follows(const mw_space_builder *builder, const mw_op *op,
                             const mw_strategy *strategy)
{
    if (builder->options->whole && passes_partial(strategy))
        return false;
    for (int i = 0; i < op->n_letters; i++) {
        uint32_t axes, split = 0;
        if (op->letter[i].pinned || op->letter[i].dim == MW_NONE ||
            !mw_space_rule(builder, op->letter[i].dim, &axes))
            continue;
        for (int a = 0; a < builder->space->on.mesh->n_axes; a++) {
            if (strategy->split[a] == i)
                split |= UINT32_C(1) << a;
        }
        if (split != axes)
            return false;
    }
    return !builder->options->even ||
           strategy_divides(builder->space, op, strategy);
}

// Why an op has no strategy: rules that meet on an axis, or cannot divide.
static mw_status nothing_follows(const mw_space_builder *builder,
                                 const mw_op *op)
{
    const mw_space *space = builder->space;
    const mw_graph *graph = space->on.graph;
    for (int i = 0; i < op->n_letters; i++) {
        uint32_t mine, other;
        mw_id a = op->letter[i].dim;
        if (op->letter[i].pinned || a == MW_NONE ||
            !mw_space_rule(builder, a, &mine))
            continue;
        for (int j = 0; j < i; j++) {
            mw_id b = op->letter[j].dim;
            if (!op->letter[j].pinned && b != MW_NONE &&
                mw_space_rule(builder, b, &other) && (mine & other))
                return mw_fail(space->ctx, MW_EUSAGE,
                               "the rules of '%s' and '%s' split both over "
                               "one mesh axis, but op '%s' has both",
                               graph->dim[b].name, graph->dim[a].name,
                               op->name);
        }
    }
    return mw_fail(space->ctx, MW_EUSAGE,
                   "op '%s' has no strategy under the rules: with --even a "
                   "split must divide its dimension",
                   op->name);
}

static void note_kinds(mw_space_builder *builder, const mw_op *op,
                       const mw_op_class *made, int32_t id)
{
    for (int32_t s = 0; s < made->n; s++) {
        for (int i = 0; i < op->n_in; i++) {
            mw_layout in = mw_strategy_input(op, &made->strategy[s], i);
            if (mw_layout_is_partial(&in))
                builder->in_kinds[id][i] |= (uint8_t)(1U << in.reduce);
        }
        for (int i = 0; i < op->n_out; i++) {
            mw_layout out = mw_strategy_output(op, &made->strategy[s], i);
            if (mw_layout_is_partial(&out))
                builder->out_kinds[id][i] |= (uint8_t)(1U << out.reduce);
        }
    }
}

static mw_status tabulate_op(mw_space_builder *builder, mw_id k, int32_t id)
{
    mw_space *space = builder->space;
    const mw_op *op = &space->on.graph->op[k];
    mw_op_class *made = &space->op_class[id];
    mw_strategy *all;
    int n, n_split;
    MW_TRY(mw_op_strategies(space->arena, space->on.graph, op, space->on.mesh,
                            &all, &n, &n_split));
    made->strategy = all;
    for (int s = 0; s < n; s++) {
        if (strategy_follows(builder, op, &all[s]))
            all[made->n++] = all[s];
    }
    if (made->n == 0)
        return nothing_follows(builder, op);
    made->time_ps = MW_NEW_ARRAY(space->arena, made->n, int64_t);
    made->memory_bytes = MW_NEW_ARRAY(space->arena, made->n, int64_t);
    builder->in_kinds[id] = MW_NEW_ARRAY(space->arena, op->n_in + 1, uint8_t);
    builder->out_kinds[id] = MW_NEW_ARRAY(space->arena, op->n_out + 1, uint8_t);
    if (!made->time_ps || !made->memory_bytes || !builder->in_kinds[id] ||
        !builder->out_kinds[id])
        return MW_ENOMEM;
    for (int32_t s = 0; s < made->n; s++) {
        mw_op_price price;
        MW_TRY(mw_plan_op_price(space->ctx, space->on.graph, space->on.mesh,
                                space->on.costs, k, &all[s], &price));
        made->time_ps[s] = price.time_ps + price.fetch_ps;
        made->memory_bytes[s] = price.memory_bytes;
    }
    note_kinds(builder, op, made, id);
    return MW_OK;
}

mw_status mw_space_new_op_class(mw_space_builder *builder, int32_t *id)
{
    mw_space *space = builder->space;
    int64_t n = space->n_op_classes;
    mw_op_class *classes =
        MW_SPACE_RESERVE(builder, space->op_class, n, &builder->cap_ops);
    uint8_t **in =
        MW_SPACE_RESERVE(builder, builder->in_kinds, n, &builder->cap_in_kinds);
    uint8_t **out = MW_SPACE_RESERVE(builder, builder->out_kinds, n,
                                     &builder->cap_out_kinds);
    if (!classes || !in || !out)
        return MW_ENOMEM;
    space->op_class = classes;
    builder->in_kinds = in;
    builder->out_kinds = out;
    *id = space->n_op_classes++;
    space->op_class[*id] = (mw_op_class){0};
    return MW_OK;
}

mw_status mw_space_op_class(mw_space_builder *builder, mw_id op,
                            int32_t *op_class)
{
    int32_t id;
    bool fresh;
    key_op(builder, &builder->space->on.graph->op[op]);
    MW_TRY(mw_intern_key(&builder->ops, &builder->key, op_class, &fresh));
    if (!fresh)
        return MW_OK;
    MW_TRY(mw_space_new_op_class(builder, &id));
    return tabulate_op(builder, op, id);
}

static const mw_fix_option *fix_of(const mw_space_builder *builder, mw_id t)
{
    const mw_space *space = builder->space;
    const mw_fix_option *found = NULL;
    for (int i = 0; i < builder->options->n_fixes; i++) {
        const mw_fix_option *fix = &builder->options->fix[i];
        if (space->on.graph->tensor[fix->tensor].root == t)
            found = fix;
    }
    return found;
}

static bool layout_follows(const mw_space_builder *builder,
                           const mw_tensor *tensor, const mw_layout *layout)
{
    const mw_mesh *mesh = builder->space->on.mesh;
    for (int i = 0; i < tensor->rank; i++) {
        uint32_t axes, split = 0;
        if (tensor->axis[i].dim == MW_NONE ||
            !mw_space_rule(builder, tensor->axis[i].dim, &axes))
            continue;
        for (int a = 0; a < mesh->n_axes; a++) {
            if (layout->role[a] == i)
                split |= UINT32_C(1) << a;
        }
        if (split != axes)
            return false;
    }
    return !builder->options->even || mw_layout_divides(mesh, tensor, layout);
}

// The next role of a mesh axis: replicated, each dimension, partial; false
// after the last.
static bool next_role(const mw_tensor *tensor, mw_reduce partial, int8_t *role)
{
    if (*role == MW_PARTIAL)
        return false;
    for (int i = *role + 1; i < tensor->rank; i++) {
        if (tensor->axis[i].dim != MW_NONE) {
            *role = (int8_t)i;
            return true;
        }
    }
    if (partial == MW_REDUCE_NONE)
        return false;
    *role = MW_PARTIAL;
    return true;
}

// Counts through all layouts, the last mesh axis fastest.
static bool next_layout(const mw_space *space, const mw_tensor *tensor,
                        mw_reduce partial, mw_layout *layout)
{
    for (int a = space->on.mesh->n_axes - 1; a >= 0; a--) {
        if (!(space->mesh_axes >> a & 1))
            continue;
        if (next_role(tensor, partial, &layout->role[a])) {
            layout->reduce = MW_REDUCE_NONE;
            for (int b = 0; b < space->on.mesh->n_axes; b++) {
                if (layout->role[b] == MW_PARTIAL)
                    layout->reduce = (uint8_t)partial;
            }
            return true;
        }
        layout->role[a] = MW_REPLICATED;
    }
    return false;
}

static mw_status add_layouts(mw_space_builder *builder, const mw_tensor *tensor,
                             mw_reduce partial, mw_home_class *made)
{
    int64_t cap = 0;
    mw_layout layout = mw_layout_replicated();
    do {
        if (!layout_follows(builder, tensor, &layout))
            continue;
        mw_layout *all = MW_SPACE_RESERVE(builder, made->layout, made->n, &cap);
        if (!all)
            return MW_ENOMEM;
        made->layout = all;
        all[made->n++] = layout;
    } while (next_layout(builder->space, tensor, partial, &layout));
    if (made->n > 0)
        return MW_OK;
    return mw_fail(builder->space->ctx, MW_EUSAGE,
                   "tensor '%s' has no layout under the rules: they split two "
                   "of its dimensions over one mesh axis%s",
                   tensor->name,
                   builder->options->even ? ", or a split does not divide"
                                          : "");
}

static mw_status add_fixed(mw_space_builder *builder, const mw_tensor *tensor,
                           mw_reduce partial, const mw_fix_option *fix,
                           mw_home_class *made)
{
    mw_space *space = builder->space;
    if (mw_layout_is_partial(&fix->layout) && fix->layout.reduce != partial)
        return mw_fail(space->ctx, MW_EUSAGE,
                       "tensor '%s' cannot be kept partial: that takes an op "
                       "that makes it so and one that takes it so",
                       tensor->name);
    made->layout = MW_NEW(space->arena, mw_layout);
    if (!made->layout)
        return MW_ENOMEM;
    made->layout[0] = fix->layout;
    for (int a = 0; a < MW_MAX_MESH; a++) {
        if (!(space->mesh_axes >> a & 1))
            made->layout[0].role[a] = MW_REPLICATED;
    }
    made->n = 1;
    made->fixed = true;
    return MW_OK;
}

// The state in which the tensor is not there: equal to no layout.
static mw_status add_absent(mw_space_builder *builder, mw_home_class *made)
{
    mw_arena *arena = builder->space->arena;
    mw_layout *layout = MW_NEW_ARRAY(arena, made->n + 1, mw_layout);
    int64_t *bytes = MW_NEW_ARRAY(arena, made->n + 1, int64_t);
    if (!layout || !bytes)
        return MW_ENOMEM;
    for (int32_t h = 0; h < made->n; h++) {
        layout[h] = made->layout[h];
        bytes[h] = made->bytes[h];
    }
    memset(&layout[made->n], MW_MAX_RANK, sizeof *layout);
    made->layout = layout;
    made->bytes = bytes;
    made->n++;
    made->optional = true;
    return MW_OK;
}

static mw_status tabulate_home(mw_space_builder *builder, mw_id t,
                               mw_reduce partial, mw_home_class *made)
{
    mw_space *space = builder->space;
    const mw_tensor *tensor = &space->on.graph->tensor[t];
    const mw_fix_option *fix = fix_of(builder, t);
    if (fix)
        MW_TRY(add_fixed(builder, tensor, partial, fix, made));
    else
        MW_TRY(add_layouts(builder, tensor, partial, made));
    made->bytes = MW_NEW_ARRAY(space->arena, made->n, int64_t);
    if (!made->bytes)
        return MW_ENOMEM;
    for (int32_t h = 0; h < made->n; h++)
        made->bytes[h] = mw_aligned(
            mw_layout_bytes(space->on.mesh, &made->layout[h], tensor));
    return builder->optional && builder->optional[t] ? add_absent(builder, made)
                                                     : MW_OK;
}

mw_status mw_space_home_class(mw_space_builder *builder, mw_id t,
                              mw_reduce partial, int32_t *home_class)
{
    mw_space *space = builder->space;
    const mw_tensor *tensor = &space->on.graph->tensor[t];
    const mw_fix_option *fix = fix_of(builder, t);
    mw_key *key = &builder->key;
    mw_key_clear(key);
    mw_key_add(key, tensor->dtype);
    mw_key_add(key, (int64_t)partial);
    mw_key_add(key, tensor->rank);
    for (int i = 0; i < tensor->rank; i++) {
        mw_key_add(key, tensor->axis[i].size);
        mw_key_add(key, tensor->axis[i].dim == MW_NONE);
        mw_key_add(key, rule_word(builder, tensor->axis[i].dim));
    }
    for (int a = 0; fix && a < MW_MAX_MESH; a++)
        mw_key_add(key, fix->layout.role[a]);
    mw_key_add(key, builder->optional && builder->optional[t]);
    bool fresh;
    MW_TRY(mw_intern_key(&builder->homes, key, home_class, &fresh));
    if (!fresh)
        return MW_OK;
    mw_home_class *classes = MW_SPACE_RESERVE(
        builder, space->home_class, space->n_home_classes, &builder->cap_homes);
    if (!classes)
        return MW_ENOMEM;
    space->home_class = classes;
    classes[space->n_home_classes] = (mw_home_class){0};
    return tabulate_home(builder, t, partial,
                         &classes[space->n_home_classes++]);
}
