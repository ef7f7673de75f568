/*
 * reshard.c - the cheapest path between two layouts, remembered.
 *
 * Shapes are interned: one table of layouts, steps and trees for each. One tree
 * answers all targets of a source that have the same bound on intermediates. A
 * shape with more layouts than MW_SPACE_NODES is searched pair by pair, over
 * the roles that both ends have.
 */
#include "ir/reshard.h"

#include <string.h>

#include "base/map.h"
#include "ir/reshard_search.h"

/* What paths depend on besides both layouts. */
typedef struct shape_key {
    int64_t size[MW_MAX_RANK];
    int64_t rank, element_bits, reduce;
    int64_t fixed; /* bit i: axis i is never split */
} shape_key;

/* What is known about one shape, element size and kind of reduction. */
typedef struct table {
    mw_space space;
    mw_path_tree **tree;   /* by source */
    const mw_path ***path; /* by source, by target */
} table;

typedef struct entry {
    mw_path path;
    const mw_tensor *tensor;
    int64_t *by_rank;
} entry;

struct mw_resharder {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_mesh *mesh;
    const mw_costs *costs;
    mw_map by_shape; /* to index into table */
    table **table;
    int64_t n_tables, cap_tables;
    shape_key last_key; /* of the table asked for last */
    table *last;
    mw_map by_pair; /* paths of spaces made for one pair, to entry */
    entry **entry;
    int64_t n_entries, cap_entries;
    mw_path none;     /* from a layout to itself */
    int64_t *nothing; /* what it sends, by rank */
};

mw_status mw_resharder_open(mw_ctx *ctx, mw_arena *arena, const mw_mesh *mesh,
                            const mw_costs *costs, mw_resharder **resharder)
{
    mw_resharder *r = MW_NEW(arena, mw_resharder);
    if (!r)
        return MW_ENOMEM;
    r->ctx = ctx;
    r->arena = arena;
    r->mesh = mesh;
    r->costs = costs;
    r->none.id = MW_NONE;
    r->nothing = MW_NEW_ARRAY(arena, mw_mesh_ranks(mesh), int64_t);
    if (!r->nothing)
        return MW_ENOMEM;
    mw_map_init(&r->by_shape, arena);
    mw_map_init(&r->by_pair, arena);
    *resharder = r;
    return MW_OK;
}

const mw_mesh *mw_resharder_mesh(const mw_resharder *resharder)
{
    return resharder->mesh;
}

static shape_key key_of(const mw_tensor *tensor, mw_reduce reduce)
{
    shape_key key = {.rank = tensor->rank,
                     .element_bits = mw_dtype_bits(tensor->dtype),
                     .reduce = reduce};
    for (int i = 0; i < tensor->rank; i++) {
        key.size[i] = tensor->axis[i].size;
        key.fixed |= (int64_t)(tensor->axis[i].dim == MW_NONE) << i;
    }
    return key;
}

static void all_roles(mw_space *space)
{
    const mw_tensor *tensor = space->tensor;
    for (int a = 0; a < space->mesh->n_axes; a++) {
        int n = 0;
        space->role[a][n++] = MW_REPLICATED;
        bool long_axis = space->mesh->axis[a].size > 1;
        for (int i = 0; i < tensor->rank && long_axis; i++)
            if (tensor->axis[i].dim != MW_NONE)
                space->role[a][n++] = (int8_t)i;
        if (long_axis && space->reduce != MW_REDUCE_NONE)
            space->role[a][n++] = MW_PARTIAL;
        space->n_roles[a] = n;
    }
}

static void add_role(mw_space *space, int a, int role)
{
    for (int k = 0; k < space->n_roles[a]; k++)
        if (space->role[a][k] == role)
            return;
    space->role[a][space->n_roles[a]++] = (int8_t)role;
}

static void roles_of_pair(mw_space *space, const mw_layout *from,
                          const mw_layout *to)
{
    for (int a = 0; a < space->mesh->n_axes; a++) {
        space->n_roles[a] = 0;
        add_role(space, a, MW_REPLICATED);
        add_role(space, a, from->role[a]);
        add_role(space, a, to->role[a]);
        if (space->reduce != MW_REDUCE_NONE && space->mesh->axis[a].size > 1)
            add_role(space, a, MW_PARTIAL);
    }
}

static mw_space new_space(const mw_resharder *r, const mw_tensor *tensor,
                          mw_reduce reduce)
{
    return (mw_space){.arena = r->arena,
                      .mesh = r->mesh,
                      .costs = r->costs,
                      .tensor = tensor,
                      .reduce = reduce};
}

static int64_t count_nodes(const mw_space *space)
{
    int64_t n = 1;
    for (int a = 0; a < space->mesh->n_axes; a++)
        n *= space->n_roles[a];
    return n;
}

// A copy of the tensor's shape that outlives the graph it came from.
static const mw_tensor *keep_shape(mw_resharder *r, const mw_tensor *tensor)
{
    mw_tensor *copy = MW_NEW(r->arena, mw_tensor);
    if (!copy)
        return NULL;
    copy->dtype = tensor->dtype;
    copy->rank = tensor->rank;
    memcpy(copy->axis, tensor->axis, sizeof copy->axis);
    return copy;
}

static mw_status new_table(mw_resharder *r, const mw_tensor *tensor,
                           mw_reduce reduce, table **result)
{
    table *t = MW_NEW(r->arena, table);
    const mw_tensor *shape = keep_shape(r, tensor);
    if (!t || !shape)
        return MW_ENOMEM;
    t->space = new_space(r, shape, reduce);
    all_roles(&t->space);
    if (r->costs && count_nodes(&t->space) <= MW_SPACE_NODES) {
        MW_TRY(mw_space_init(&t->space));
        t->tree = MW_NEW_ARRAY(r->arena, t->space.n_nodes, mw_path_tree *);
        t->path = MW_NEW_ARRAY(r->arena, t->space.n_nodes, const mw_path **);
        if (!t->tree || !t->path)
            return MW_ENOMEM;
    }
    r->table = mw_arena_reserve(r->arena, r->table, r->n_tables, &r->cap_tables,
                                sizeof(table *));
    if (!r->table)
        return MW_ENOMEM;
    r->table[r->n_tables++] = t;
    *result = t;
    return MW_OK;
}

static mw_status find_table(mw_resharder *r, const mw_tensor *tensor,
                            mw_reduce reduce, table **result)
{
    shape_key key = key_of(tensor, reduce);
    *result = r->last;
    if (r->last && memcmp(&key, &r->last_key, sizeof key) == 0)
        return MW_OK;
    const int64_t *found = mw_map_find(&r->by_shape, &key, sizeof key);
    if (found) {
        *result = r->table[*found];
    } else {
        MW_TRY(new_table(r, tensor, reduce, result));
        MW_TRY(mw_map_put(&r->by_shape, &key, sizeof key, r->n_tables - 1));
    }
    r->last_key = key;
    r->last = *result;
    return MW_OK;
}

/* ---- paths ---- */

static mw_status new_entry(mw_resharder *r, const mw_tensor *shape,
                           mw_step *step, int n_steps, const mw_path **path)
{
    entry *e = MW_NEW(r->arena, entry);
    r->entry = mw_arena_reserve(r->arena, r->entry, r->n_entries,
                                &r->cap_entries, sizeof(entry *));
    if (!e || !r->entry)
        return MW_ENOMEM;
    e->tensor = shape;
    e->path.id = r->n_entries;
    e->path.n_steps = n_steps;
    mw_path_sum(r->mesh, shape, step, &e->path);
    r->entry[r->n_entries++] = e;
    *path = &e->path;
    return MW_OK;
}

// Slices, and masks, that follow each other are one step.
static int merge_local(mw_step *step, int n)
{
    int merged = 0;
    for (int i = 0; i < n; i++) {
        mw_step *last = merged ? &step[merged - 1] : NULL;
        bool local = step[i].kind == MW_SLICE || step[i].kind == MW_MASK;
        if (!last || !local || last->kind != step[i].kind) {
            step[merged++] = step[i];
            continue;
        }
        last->axes |= step[i].axes;
        last->to = step[i].to;
        last->time_ps += step[i].time_ps;
    }
    return merged;
}

// The path to a node that the tree reaches: labels differ by what a step costs.
static mw_status walk_back(mw_resharder *r, const mw_space *space,
                           const mw_path_tree *tree, int32_t target,
                           const mw_path **path)
{
    int n = tree->label[target].steps;
    mw_step *step = MW_NEW_ARRAY(r->arena, n, mw_step);
    if (!step)
        return MW_ENOMEM;
    int32_t node = target;
    for (int i = n - 1; i >= 0; i--) {
        const mw_label *l = &tree->label[node];
        const mw_label *before = &tree->label[l->from];
        step[i] = (mw_step){.kind = (mw_collective)l->kind,
                            .way = l->way,
                            .axes = l->axes,
                            .from = mw_space_layout(space, l->from),
                            .to = mw_space_layout(space, node),
                            .time_ps = l->time_ps - before->time_ps,
                            .bytes_sent = l->bytes - before->bytes};
        mw_step_shape(r->mesh, space->tensor, &step[i]);
        node = l->from;
    }
    return new_entry(r, space->tensor, step, merge_local(step, n), path);
}

static mw_status make_tree(mw_resharder *r, mw_space *space, int32_t source,
                           int64_t cap_bytes, mw_path_tree **result)
{
    mw_path_tree *t = MW_NEW(r->arena, mw_path_tree);
    if (!t)
        return MW_ENOMEM;
    t->label = MW_NEW_ARRAY(r->arena, space->n_nodes, mw_label);
    if (!t->label)
        return MW_ENOMEM;
    t->source = source;
    t->cap_bytes = cap_bytes;
    *result = t;
    return mw_path_tree_grow(r->ctx, space, t);
}

static int64_t larger(const mw_space *space, int32_t a, int32_t b)
{
    return space->bytes[a] > space->bytes[b] ? space->bytes[a]
                                             : space->bytes[b];
}

static mw_status tree_of(mw_resharder *r, table *t, int32_t from,
                         int64_t cap_bytes, mw_path_tree **result)
{
    mw_path_tree *tree = t->tree[from];
    while (tree && tree->cap_bytes != cap_bytes)
        tree = tree->next;
    if (!tree) {
        MW_TRY(make_tree(r, &t->space, from, cap_bytes, &tree));
        tree->next = t->tree[from];
        t->tree[from] = tree;
    }
    *result = tree;
    return MW_OK;
}

// The best path of all is the answer if it keeps within the bound: most do, and
// one tree serves them.
static mw_status path_in_table(mw_resharder *r, table *t, int32_t from,
                               int32_t to, const mw_path **path)
{
    if (!t->path[from]) {
        t->path[from] =
            MW_NEW_ARRAY(r->arena, t->space.n_nodes, const mw_path *);
        if (!t->path[from])
            return MW_ENOMEM;
    }
    *path = t->path[from][to];
    if (*path)
        return MW_OK;
    int64_t cap_bytes = larger(&t->space, from, to);
    mw_path_tree *tree;
    MW_TRY(tree_of(r, t, from, INT64_MAX, &tree));
    if (tree->label[to].steps >= 0 && tree->label[to].between > cap_bytes)
        MW_TRY(tree_of(r, t, from, cap_bytes, &tree));
    if (tree->label[to].steps < 0)
        return MW_OK;
    MW_TRY(walk_back(r, &t->space, tree, to, path));
    t->path[from][to] = *path;
    return MW_OK;
}

/* Key of a path in a space made for it. */
typedef struct pair_key {
    const table *table;
    mw_layout from, to;
} pair_key;

static pair_key key_of_pair(const table *t, const mw_layout *from,
                            const mw_layout *to)
{
    pair_key key;
    memset(&key, 0, sizeof key);
    key.table = t;
    key.from = *from;
    key.to = *to;
    return key;
}

static bool known_pair(const mw_resharder *r, const pair_key *key,
                       const mw_path **path)
{
    const int64_t *found = mw_map_find(&r->by_pair, key, sizeof *key);
    if (found)
        *path = *found < 0 ? NULL : &r->entry[*found]->path;
    return found != NULL;
}

static mw_status remember_pair(mw_resharder *r, const pair_key *key,
                               const mw_path *path)
{
    return mw_map_put(&r->by_pair, key, sizeof *key, path ? path->id : MW_NONE);
}

static mw_status path_of_pair(mw_resharder *r, const table *t,
                              const mw_layout *from, const mw_layout *to,
                              const mw_path **path)
{
    pair_key key = key_of_pair(t, from, to);
    if (known_pair(r, &key, path))
        return MW_OK;
    mw_space space = new_space(r, t->space.tensor, t->space.reduce);
    roles_of_pair(&space, from, to);
    MW_TRY(mw_space_init(&space));
    int32_t source = mw_space_node(&space, from);
    int32_t target = mw_space_node(&space, to);
    mw_path_tree *tree;
    MW_TRY(make_tree(r, &space, source, larger(&space, source, target), &tree));
    *path = NULL;
    if (tree->label[target].steps >= 0)
        MW_TRY(walk_back(r, &space, tree, target, path));
    return remember_pair(r, &key, *path);
}

// Both ends are canonical, differ, and have at most one kind of reduction.
static mw_status path_of_kind(mw_resharder *r, const mw_tensor *tensor,
                              const mw_layout *from, const mw_layout *to,
                              const mw_path **path)
{
    mw_reduce reduce = (mw_reduce)(from->reduce ? from->reduce : to->reduce);
    table *t;
    MW_TRY(find_table(r, tensor, reduce, &t));
    // A use may split an axis that the root's own layouts never do.
    bool listed = t->path && mw_space_node(&t->space, from) != MW_NONE &&
                  mw_space_node(&t->space, to) != MW_NONE;
    if (!listed)
        return path_of_pair(r, t, from, to, path);
    return path_in_table(r, t, mw_space_node(&t->space, from),
                         mw_space_node(&t->space, to), path);
}

// From partial by one kind to partial by another: completed in between. A mask
// costs nothing, so that nothing is lost by its coming last.
static mw_status path_over(mw_resharder *r, const mw_tensor *tensor,
                           const mw_layout *from, const mw_layout *to,
                           const mw_path **path)
{
    mw_layout whole = *to;
    table *t;
    MW_TRY(find_table(r, tensor, (mw_reduce)from->reduce, &t));
    pair_key key = key_of_pair(t, from, to);
    if (known_pair(r, &key, path))
        return MW_OK;
    for (int a = 0; a < MW_MAX_MESH; a++)
        if (whole.role[a] == MW_PARTIAL)
            whole.role[a] = MW_REPLICATED;
    whole.reduce = MW_REDUCE_NONE;
    const mw_path *first, *second;
    MW_TRY(path_of_kind(r, tensor, from, &whole, &first));
    MW_TRY(path_of_kind(r, tensor, &whole, to, &second));
    *path = NULL;
    if (!first || !second)
        return remember_pair(r, &key, NULL);
    int n = first->n_steps + second->n_steps;
    mw_step *step = MW_NEW_ARRAY(r->arena, n, mw_step);
    if (!step)
        return MW_ENOMEM;
    memcpy(step, first->step, (size_t)first->n_steps * sizeof *step);
    memcpy(step + first->n_steps, second->step,
           (size_t)second->n_steps * sizeof *step);
    MW_TRY(new_entry(r, t->space.tensor, step, n, path));
    return remember_pair(r, &key, *path);
}

/* ---- given paths ---- */

static mw_status check_given(const mw_resharder *r, const mw_tensor *tensor,
                             const mw_step given[], int n)
{
    for (int i = 0; i < n; i++) {
        const char *why = mw_step_refusal(r->mesh, tensor, &given[i]);
        if (!why && i > 0 && !mw_layout_equal(&given[i - 1].to, &given[i].from))
            why = "it does not start where the one before ends";
        if (why)
            return mw_fail(r->ctx, MW_EINPUT, "tensor '%s': %s, step %d: %s",
                           tensor->name, mw_collective_name(given[i].kind),
                           i + 1, why);
    }
    return MW_OK;
}

static bool same_steps(const mw_path *path, const mw_step given[], int n)
{
    if (path->n_steps != n)
        return false;
    for (int i = 0; i < n; i++)
        if (path->step[i].kind != given[i].kind ||
            path->step[i].axes != given[i].axes ||
            !mw_way_equal(path->step[i].way, given[i].way) ||
            path->step[i].time_ps != given[i].time_ps ||
            !mw_layout_equal(&path->step[i].to, &given[i].to))
            return false;
    return true;
}

static mw_status given_key(mw_resharder *r, const mw_tensor *tensor,
                           const mw_layout *from, const mw_layout *to,
                           pair_key *key)
{
    table *t;
    mw_reduce reduce = (mw_reduce)(from->reduce ? from->reduce : to->reduce);
    MW_TRY(find_table(r, tensor, reduce, &t));
    *key = key_of_pair(t, from, to);
    return MW_OK;
}

mw_status mw_resharder_give(mw_resharder *resharder, const mw_tensor *tensor,
                            const mw_step given[], int n)
{
    pair_key key;
    const mw_path *path;
    MW_TRY(check_given(resharder, tensor, given, n));
    MW_TRY(
        given_key(resharder, tensor, &given[0].from, &given[n - 1].to, &key));
    if (known_pair(resharder, &key, &path)) {
        if (path && same_steps(path, given, n))
            return MW_OK;
        return mw_fail(resharder->ctx, MW_EINPUT,
                       "tensor '%s': steps differ from those given before for "
                       "the same layouts",
                       tensor->name);
    }
    mw_step *step = MW_NEW_ARRAY(resharder->arena, n, mw_step);
    if (!step)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        step[i] = given[i];
        mw_step_price(resharder->mesh, NULL, tensor, &step[i]);
        step[i].time_ps = given[i].time_ps;
    }
    MW_TRY(new_entry(resharder, key.table->space.tensor, step, n, &path));
    return remember_pair(resharder, &key, path);
}

static mw_status given_path(mw_resharder *r, const mw_tensor *tensor,
                            const mw_layout *from, const mw_layout *to,
                            const mw_path **path)
{
    pair_key key;
    MW_TRY(given_key(r, tensor, from, to, &key));
    if (!known_pair(r, &key, path))
        *path = NULL;
    return MW_OK;
}

mw_status mw_reshard(mw_resharder *resharder, const mw_tensor *tensor,
                     const mw_layout *from, const mw_layout *to,
                     const mw_path **path)
{
    mw_layout a = mw_layout_canonical(resharder->mesh, from);
    mw_layout b = mw_layout_canonical(resharder->mesh, to);
    if (mw_layout_equal(&a, &b)) {
        *path = &resharder->none;
        return MW_OK;
    }
    if (!resharder->costs)
        return given_path(resharder, tensor, &a, &b, path);
    if (a.reduce && b.reduce && a.reduce != b.reduce)
        return path_over(resharder, tensor, &a, &b, path);
    return path_of_kind(resharder, tensor, &a, &b, path);
}

mw_status mw_path_bytes(mw_resharder *resharder, const mw_path *path,
                        const int64_t **by_rank)
{
    *by_rank = resharder->nothing;
    if (path->n_steps == 0)
        return MW_OK;
    entry *e = resharder->entry[path->id];
    if (!e->by_rank) {
        int64_t n = mw_mesh_ranks(resharder->mesh);
        int64_t *bytes = MW_NEW_ARRAY(resharder->arena, n, int64_t);
        if (!bytes)
            return MW_ENOMEM;
        for (int i = 0; i < path->n_steps; i++)
            for (int64_t k = 0; k < n; k++)
                bytes[k] += mw_step_bytes_of(resharder->mesh, e->tensor,
                                             &path->step[i], k);
        e->by_rank = bytes;
    }
    *by_rank = e->by_rank;
    return MW_OK;
}
