/* layout_link.c - what happens between an op and the home of an operand: copies
 * of an input, one for each distinct layout in which the op takes it that is
 * not its home; the conversion of an output from the layout it leaves in. */
#include "search/layout_build.h"
#include "search/problem.h"

int64_t mw_add_bytes(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

// Distinct layouts in which an op takes or makes one root.
enum { MAX_TAKEN = 64 };
typedef struct taken {
    int n;
    mw_layout layout[MAX_TAKEN];
} taken;

static bool takes(const mw_space *space, const mw_op *op, int i, mw_id root)
{
    return space->on.graph->tensor[op->in[i].tensor].root == root;
}

// An output that updates a tensor lives in that tensor's home.
static bool makes(const mw_space *space, const mw_op *op, int i, mw_id root)
{
    return space->on.graph->tensor[op->out[i].tensor].root == root;
}

// False when there are more than fit.
static bool layouts_of(const mw_space *space, const mw_link *link,
                       const mw_strategy *strategy, taken *all)
{
    const mw_op *op = &space->on.graph->op[link->op];
    all->n = 0;
    int n = link->output ? op->n_out : op->n_in;
    for (int i = 0; i < n; i++) {
        if (link->output ? !makes(space, op, i, link->root)
                         : !takes(space, op, i, link->root))
            continue;
        mw_layout layout = link->output ? mw_strategy_output(op, strategy, i)
                                        : mw_strategy_input(op, strategy, i);
        bool known = false;
        for (int j = 0; j < all->n; j++)
            known = known || mw_layout_equal(&all->layout[j], &layout);
        if (known)
            continue;
        if (all->n == MAX_TAKEN)
            return false;
        all->layout[all->n++] = layout;
    }
    return true;
}

static void key_layouts(mw_key *key, const taken *all)
{
    mw_key_clear(key);
    for (int i = 0; i < all->n; i++) {
        for (int a = 0; a < MW_MAX_MESH; a++)
            mw_key_add(key, all->layout[i].role[a]);
        mw_key_add(key, all->layout[i].reduce);
    }
}

// One conversion, added to a cell of the tables.
static mw_status add_path(mw_space *space, const mw_link *link,
                          const mw_layout *home, const mw_layout *other,
                          int64_t cell[2])
{
    if (mw_layout_equal(home, other))
        return MW_OK;
    const mw_tensor *tensor = &space->on.graph->tensor[link->tensor];
    const mw_path *path;
    MW_TRY(mw_reshard(space->on.resharder, tensor, link->output ? other : home,
                      link->output ? home : other, &path));
    if (!path) {
        cell[0] = MW_INFINITE;
        return MW_OK;
    }
    if (cell[0] < MW_INFINITE)
        cell[0] += path->time_ps;
    int64_t bytes = mw_aligned(mw_layout_bytes(space->on.mesh, other, tensor));
    int64_t scratch = mw_aligned(path->scratch_bytes);
    cell[1] = mw_add_bytes(cell[1], mw_add_bytes(bytes, scratch));
    return MW_OK;
}

bool mw_space_over(mw_space_builder *builder)
{
    mw_space *space = builder->space;
    if (!space->unfinished)
        space->unfinished = mw_stopped(space->ctx) ||
                            mw_deadline_over(&builder->options->deadline);
    return space->unfinished;
}

static mw_status fill_row(mw_space *space, const mw_link *link,
                          const taken *all, mw_link_class *made, int32_t row)
{
    const mw_home_class *homes = &space->home_class[made->home_class];
    for (int32_t h = 0; h < homes->n; h++) {
        bool absent = homes->optional && h == homes->n - 1;
        int64_t cell[2] = {absent ? MW_INFINITE : 0, 0};
        for (int i = 0; i < all->n && !absent; i++)
            MW_TRY(add_path(space, link, &homes->layout[h], &all->layout[i],
                            cell));
        made->time_ps[(int64_t)row * homes->n + h] = cell[0];
        made->memory_bytes[(int64_t)row * homes->n + h] = cell[1];
    }
    return MW_OK;
}

static mw_status number_rows(mw_space_builder *builder, const mw_link *link,
                             mw_link_class *made, taken **distinct)
{
    mw_space *space = builder->space;
    const mw_op_class *ops = &space->op_class[made->op_class];
    mw_intern rows = {.arena = space->arena};
    int64_t cap = 0;
    for (int32_t s = 0; s < ops->n - ops->n_more; s++) {
        taken all;
        bool fresh;
        if (!layouts_of(space, link, &ops->strategy[s], &all))
            return mw_fail(
                space->ctx, MW_EINPUT, "op '%s' takes '%s' more than %d times",
                space->on.graph->op[link->op].name,
                space->on.graph->tensor[link->tensor].name, MAX_TAKEN);
        key_layouts(&builder->key, &all);
        MW_TRY(mw_intern_key(&rows, &builder->key, &made->row[s], &fresh));
        if (!fresh)
            continue;
        taken *more = MW_SPACE_RESERVE(builder, *distinct, made->n_rows, &cap);
        if (!more)
            return MW_ENOMEM;
        more[made->n_rows++] = all;
        *distinct = more;
    }
    return MW_OK;
}

static mw_status tabulate_link(mw_space_builder *builder, const mw_link *link,
                               mw_link_class *made)
{
    mw_space *space = builder->space;
    mw_arena *arena = space->arena;
    int32_t n = space->op_class[made->op_class].n;
    int32_t n_homes = space->home_class[made->home_class].n;
    made->n_homes = n_homes;
    made->row = MW_NEW_ARRAY(arena, n, int32_t);
    made->matrix = MW_NEW_ARRAY(arena, (int64_t)n * n_homes, int64_t);
    if (!made->row || !made->matrix)
        return MW_ENOMEM;
    taken *distinct = NULL;
    if (link->part == MW_LINK_OPERAND)
        MW_TRY(number_rows(builder, link, made, &distinct));
    int32_t n_taken = made->n_rows;
    mw_space_pair_rows(space, link, made);
    int64_t n_cells = (int64_t)made->n_rows * n_homes;
    made->time_ps = MW_NEW_ARRAY(arena, n_cells, int64_t);
    made->memory_bytes = MW_NEW_ARRAY(arena, n_cells, int64_t);
    if (!made->time_ps || !made->memory_bytes)
        return MW_ENOMEM;
    for (int32_t r = 0; r < n_taken && !mw_space_over(builder); r++)
        MW_TRY(fill_row(space, link, &distinct[r], made, r));
    for (int32_t r = n_taken; r < made->n_rows; r++)
        mw_space_fill_pair_row(space, link, r, r - n_taken, made);
    for (int32_t s = 0; s < n; s++) {
        for (int32_t h = 0; h < n_homes; h++)
            made->matrix[(int64_t)s * n_homes + h] =
                made->time_ps[(int64_t)made->row[s] * n_homes + h];
    }
    return MW_OK;
}

// The class of a link: which operands of an op class meet which home class.
static mw_status class_of(mw_space_builder *builder, mw_link *link)
{
    mw_space *space = builder->space;
    const mw_op *op = &space->on.graph->op[link->op];
    int32_t op_class = space->node_class[space->op_node[link->op]];
    int32_t home_class = space->node_class[space->home_node[link->tensor]];
    mw_key *key = &builder->key;
    mw_key_clear(key);
    mw_key_add(key, op_class);
    mw_key_add(key, home_class);
    mw_key_add(key, link->output);
    mw_key_add(key, link->part);
    int n = link->output ? op->n_out : op->n_in;
    for (int i = 0; i < n; i++) {
        if (link->output ? makes(space, op, i, link->root)
                         : takes(space, op, i, link->root))
            mw_key_add(key, i);
    }
    bool fresh;
    MW_TRY(mw_intern_key(&builder->links, key, &link->link_class, &fresh));
    if (!fresh)
        return MW_OK;
    mw_link_class *classes = MW_SPACE_RESERVE(
        builder, space->link_class, space->n_link_classes, &builder->cap_links);
    if (!classes)
        return MW_ENOMEM;
    space->link_class = classes;
    mw_link_class *made = &classes[space->n_link_classes++];
    *made = (mw_link_class){.op_class = op_class, .home_class = home_class};
    return tabulate_link(builder, link, made);
}

static mw_status add_link(mw_space_builder *builder, mw_link link)
{
    mw_space *space = builder->space;
    MW_TRY(class_of(builder, &link));
    mw_link *links = MW_SPACE_RESERVE(builder, space->link, space->n_links,
                                      &builder->cap_link);
    if (!links)
        return MW_ENOMEM;
    space->link = links;
    links[space->n_links++] = link;
    return MW_OK;
}

static mw_status add_pair_links(mw_space_builder *builder,
                                const mw_remat_pair *pair)
{
    mw_link link = {.op = pair->op,
                    .tensor = pair->kept,
                    .part = MW_LINK_KEPT,
                    .root = MW_NONE};
    MW_TRY(add_link(builder, link));
    link.tensor = pair->gap;
    link.part = MW_LINK_GAP;
    if (pair->gap != MW_NONE)
        MW_TRY(add_link(builder, link));
    link.tensor = pair->made;
    link.part = MW_LINK_MADE;
    return pair->made != MW_NONE ? add_link(builder, link) : MW_OK;
}

mw_status mw_space_add_links(mw_space_builder *builder, mw_id k)
{
    mw_space *space = builder->space;
    const mw_graph *graph = space->on.graph;
    const mw_op *op = &graph->op[k];
    const mw_remat_pairs *pairs = space->on.pairs;
    const mw_remat_pair *pair = pairs && pairs->of_op[k] != MW_NONE
                                    ? &pairs->pair[pairs->of_op[k]]
                                    : NULL;
    int n_in = pair && !mw_pair_runs(pair) ? 0 : op->n_in;
    for (int i = 0; i < n_in; i++) {
        mw_id root = graph->tensor[op->in[i].tensor].root;
        bool known = false;
        for (int j = 0; j < i; j++)
            known = known || takes(space, op, j, root);
        mw_id read = pairs ? mw_remat_read(pairs, k, root) : root;
        if (!known)
            MW_TRY(add_link(builder,
                            (mw_link){.op = k, .tensor = read, .root = root}));
    }
    for (int i = 0; i < op->n_out; i++) {
        mw_id root = graph->tensor[op->out[i].tensor].root;
        MW_TRY(add_link(
            builder,
            (mw_link){.op = k, .tensor = root, .output = true, .root = root}));
    }
    return pair && pair->kind != MW_PAIR_RUN ? add_pair_links(builder, pair)
                                             : MW_OK;
}
