/*
 * reshard.c - the cheapest path between two layouts, remembered.
 *
 * Dijkstra over the layouts of one shape, twice: over the steps that stay with
 * single groups, then once more with one general exchange, which may leave
 * from any layout that the source reaches by reductions alone. An exchange
 * whose least time is above what is known already is not priced: there are as
 * many as pairs of layouts. One search answers all targets of a source that
 * have the same bound on intermediates.
 */
#include "ir/reshard.h"

#include <limits.h>
#include <string.h>

#include "base/map.h"
#include "ir/reshard_space.h"

/* Above this many layouts a space holds just the roles of both ends. */
enum { MAX_NODES = 512 };

/* A node's best path so far, ordered by time, bytes, steps. */
typedef struct label {
    int64_t time_ps, bytes;
    int32_t steps;
    int32_t from; /* node before it */
    uint8_t kind, axes;
} label;

/* The paths from one source within one bound. */
typedef struct path_tree {
    struct path_tree *next;
    int64_t cap_bytes;
    int32_t source;
    label *label; /* of each node; steps < 0: not reached */
} path_tree;

/* What is known about one shape, element size and kind of reduction. */
typedef struct table {
    mw_space space;
    path_tree **tree;      /* by source */
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
    mw_map by_pair; /* paths of spaces made for one pair, to entry */
    entry **entry;
    int64_t n_entries, cap_entries;
    mw_path none;     /* from a layout to itself */
    int64_t *nothing; /* what it sends, by rank */
};

/* ---- the search ---- */

/* A binary heap of nodes by label; a node may stand in it more than once. */
typedef struct heap_item {
    int64_t time_ps, bytes;
    int32_t steps, node;
} heap_item;

typedef struct heap {
    heap_item *item;
    int64_t n, cap;
} heap;

static int compare(const heap_item *a, const heap_item *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->steps != b->steps)
        return a->steps < b->steps ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static mw_status push(mw_arena *arena, heap *h, heap_item item)
{
    h->item = mw_arena_reserve(arena, h->item, h->n, &h->cap, sizeof *h->item);
    if (!h->item)
        return MW_ENOMEM;
    int64_t i = h->n++;
    while (i > 0 && compare(&item, &h->item[(i - 1) / 2]) < 0) {
        h->item[i] = h->item[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->item[i] = item;
    return MW_OK;
}

static heap_item pop(heap *h)
{
    heap_item top = h->item[0], last = h->item[--h->n];
    int64_t i = 0;
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child >= h->n)
            break;
        if (child + 1 < h->n &&
            compare(&h->item[child + 1], &h->item[child]) < 0)
            child++;
        if (compare(&last, &h->item[child]) <= 0)
            break;
        h->item[i] = h->item[child];
        i = child;
    }
    if (h->n > 0)
        h->item[i] = last;
    return top;
}

typedef struct search {
    mw_arena *arena;
    mw_space *space;
    path_tree *tree;
    heap heap;
} search;

// Takes a hop if it makes the label of its end better.
static mw_status relax(search *s, const mw_hop *hop)
{
    const label *before = &s->tree->label[hop->from];
    label *after = &s->tree->label[hop->to];
    if (s->space->bytes[hop->to] > s->tree->cap_bytes)
        return MW_OK;
    heap_item now = {.time_ps = before->time_ps + hop->time_ps,
                     .bytes = before->bytes + hop->bytes,
                     .steps = before->steps + 1,
                     .node = hop->to};
    heap_item known = {.time_ps = after->time_ps,
                       .bytes = after->bytes,
                       .steps = after->steps,
                       .node = hop->to};
    if (after->steps >= 0 && compare(&now, &known) >= 0)
        return MW_OK;
    *after = (label){.time_ps = now.time_ps,
                     .bytes = now.bytes,
                     .steps = now.steps,
                     .from = hop->from,
                     .kind = (uint8_t)hop->kind,
                     .axes = (uint8_t)hop->axes};
    return push(s->arena, &s->heap, now);
}

static mw_status settle_all(search *s)
{
    while (s->heap.n > 0) {
        heap_item top = pop(&s->heap);
        const label *l = &s->tree->label[top.node];
        if (l->time_ps != top.time_ps || l->bytes != top.bytes ||
            l->steps != top.steps)
            continue;
        const mw_hops *hops;
        MW_TRY(mw_space_hops(s->space, top.node, &hops));
        for (int i = 0; i < hops->n; i++)
            MW_TRY(relax(s, &hops->hop[i]));
    }
    return MW_OK;
}

static mw_status relax_exchange(search *s, int32_t from, int32_t to)
{
    const label *before = &s->tree->label[from];
    const label *after = &s->tree->label[to];
    mw_hop hop;
    if (from == to || s->space->bytes[to] > s->tree->cap_bytes ||
        !mw_space_exchange(s->space, from, to, &hop))
        return MW_OK;
    if (after->steps >= 0 &&
        before->time_ps + mw_space_exchange_least(s->space, &hop) >
            after->time_ps)
        return MW_OK;
    mw_step step = mw_space_step(s->space, &hop);
    hop.time_ps = step.time_ps;
    hop.bytes = step.bytes_sent;
    return relax(s, &hop);
}

// The nodes that the source reaches by reductions alone, itself first.
static mw_status reductions(search *s, int32_t node[], int32_t *n_nodes)
{
    int32_t n = 0;
    bool *seen = MW_NEW_ARRAY(s->arena, s->space->n_nodes, bool);
    if (!seen)
        return MW_ENOMEM;
    node[n++] = s->tree->source;
    seen[s->tree->source] = true;
    for (int32_t k = 0; k < n; k++) {
        const mw_hops *hops;
        MW_TRY(mw_space_hops(s->space, node[k], &hops));
        for (int i = 0; i < hops->n; i++) {
            const mw_hop *hop = &hops->hop[i];
            if ((hop->kind != MW_ALL_REDUCE &&
                 hop->kind != MW_REDUCE_SCATTER) ||
                seen[hop->to] || s->space->bytes[hop->to] > s->tree->cap_bytes)
                continue;
            seen[hop->to] = true;
            node[n++] = hop->to;
        }
    }
    *n_nodes = n;
    return MW_OK;
}

static mw_status relax_exchanges(search *s)
{
    int32_t n = s->space->n_nodes, n_leaving;
    int32_t *leaving = MW_NEW_ARRAY(s->arena, n, int32_t);
    if (!leaving)
        return MW_ENOMEM;
    MW_TRY(reductions(s, leaving, &n_leaving));
    for (int32_t k = 0; k < n_leaving; k++)
        for (int32_t to = 0; to < n; to++)
            MW_TRY(relax_exchange(s, leaving[k], to));
    return MW_OK;
}

static mw_status grow_tree(mw_ctx *ctx, mw_space *space, path_tree *tree)
{
    mw_arena scratch;
    mw_arena_init(&scratch, ctx);
    search s = {.arena = &scratch, .space = space, .tree = tree};
    for (int32_t i = 0; i < space->n_nodes; i++)
        tree->label[i].steps = -1;
    label *first = &tree->label[tree->source];
    *first = (label){.from = MW_NONE};
    mw_status status =
        push(&scratch, &s.heap, (heap_item){.node = tree->source});
    if (status == MW_OK)
        status = settle_all(&s);
    if (status == MW_OK)
        status = relax_exchanges(&s);
    if (status == MW_OK)
        status = settle_all(&s);
    mw_arena_free(&scratch);
    return status;
}

/* ---- tables ---- */

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

/* What paths depend on besides both layouts. */
typedef struct shape_key {
    int64_t size[MW_MAX_RANK];
    int64_t rank, element_bytes, reduce;
    int64_t fixed; /* bit i: axis i is never split */
} shape_key;

static shape_key key_of(const mw_tensor *tensor, mw_reduce reduce)
{
    shape_key key = {.rank = tensor->rank,
                     .element_bytes = mw_dtype_bytes(tensor->dtype),
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
    if (count_nodes(&t->space) <= MAX_NODES) {
        MW_TRY(mw_space_init(&t->space));
        t->tree = MW_NEW_ARRAY(r->arena, t->space.n_nodes, path_tree *);
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
    const int64_t *found = mw_map_find(&r->by_shape, &key, sizeof key);
    if (found) {
        *result = r->table[*found];
        return MW_OK;
    }
    MW_TRY(new_table(r, tensor, reduce, result));
    return mw_map_put(&r->by_shape, &key, sizeof key, r->n_tables - 1);
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
static int merge_local(const mw_space *space, mw_step *step, int n)
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
        mw_step_price(space->mesh, space->costs, space->tensor, last);
    }
    return merged;
}

// The path to a node that the tree reaches.
static mw_status walk_back(mw_resharder *r, const mw_space *space,
                           const path_tree *tree, int32_t target,
                           const mw_path **path)
{
    int n = tree->label[target].steps;
    mw_step *step = MW_NEW_ARRAY(r->arena, n, mw_step);
    if (!step)
        return MW_ENOMEM;
    int32_t node = target;
    for (int i = n - 1; i >= 0; i--) {
        const label *l = &tree->label[node];
        mw_hop hop = {.from = l->from,
                      .to = node,
                      .kind = (mw_collective)l->kind,
                      .axes = l->axes};
        step[i] = mw_space_step(space, &hop);
        node = l->from;
    }
    return new_entry(r, space->tensor, step, merge_local(space, step, n), path);
}

static mw_status make_tree(mw_resharder *r, mw_space *space, int32_t source,
                           int64_t cap_bytes, path_tree **result)
{
    path_tree *t = MW_NEW(r->arena, path_tree);
    if (!t)
        return MW_ENOMEM;
    t->label = MW_NEW_ARRAY(r->arena, space->n_nodes, label);
    if (!t->label)
        return MW_ENOMEM;
    t->source = source;
    t->cap_bytes = cap_bytes;
    *result = t;
    return grow_tree(r->ctx, space, t);
}

static int64_t larger(const mw_space *space, int32_t a, int32_t b)
{
    return space->bytes[a] > space->bytes[b] ? space->bytes[a]
                                             : space->bytes[b];
}

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
    path_tree *tree = t->tree[from];
    while (tree && tree->cap_bytes != cap_bytes)
        tree = tree->next;
    if (!tree) {
        MW_TRY(make_tree(r, &t->space, from, cap_bytes, &tree));
        tree->next = t->tree[from];
        t->tree[from] = tree;
    }
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
    path_tree *tree;
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
    if (!t->path)
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
