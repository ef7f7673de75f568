/* layout_layers.c - repetitions by the classes of steps: the shift at which the
 * longest run of steps equals itself. */
#include "search/layout_layers.h"

#include "search/layout_intern.h"

/* Of one block, in steps. */
enum { MOST_LENGTH = 2048 };

/* What steps do, by number; MW_NONE where a repetition may not reach. */
static mw_status name_steps(const mw_space *space, mw_arena *arena,
                            int32_t **name)
{
    *name = MW_NEW_ARRAY(arena, space->n_steps + 1, int32_t);
    if (!*name)
        return MW_ENOMEM;
    for (mw_id k = 0; k < space->n_steps; k++) {
        int32_t node = space->op_node[k];
        (*name)[k] =
            node == MW_NONE ? space->n_op_classes : space->node_class[node];
    }
    return MW_OK;
}

// The longest run that a shift leaves as it was, in whole blocks.
static mw_layers longest_at(const int32_t *name, mw_id n, mw_id shift)
{
    mw_layers best = {0, shift, 1};
    mw_id run = 0;
    for (mw_id k = 0; k + shift < n; k++) {
        run = name[k] >= 0 && name[k] == name[k + shift] ? run + 1 : 0;
        int32_t count = run / shift + 1;
        if (count > best.count) {
            best.count = count;
            best.first = k + 1 - run;
        }
    }
    return best;
}

static bool covers_more(const mw_layers *a, const mw_layers *b)
{
    return a->count > 1 &&
           (int64_t)a->count * a->length >
               (b->count > 1 ? (int64_t)b->count * b->length : 0);
}

mw_status mw_layers_find(const mw_space *space, mw_arena *arena,
                         mw_layers layers[MW_MOST_LAYERS], int *n)
{
    int32_t *name;
    MW_TRY(name_steps(space, arena, &name));
    *n = 0;
    while (*n < MW_MOST_LAYERS) {
        mw_layers best = {0, 1, 1};
        for (mw_id shift = 1;
             shift <= space->n_steps / 2 && shift <= MOST_LENGTH; shift++) {
            mw_layers found = longest_at(name, space->n_steps, shift);
            if (covers_more(&found, &best))
                best = found;
        }
        // What is left of a graph repeats itself only in trifles.
        if (best.count < 2 ||
            (int64_t)best.count * best.length < space->n_steps / 8)
            break;
        layers[(*n)++] = best;
        for (mw_id k = 0; k < best.count * best.length; k++)
            name[best.first + k] = MW_NONE;
    }
    return MW_OK;
}

/* Nodes with equal keys are tied. */
typedef struct tier {
    const mw_space *space;
    mw_intern known;
    mw_key key;
    int32_t *first; /* node by number of its key */
    int64_t cap;
} tier;

static int64_t run_of(int32_t block, int32_t count, int32_t groups)
{
    if (groups != MW_LAYERS_DOUBLING)
        return (int64_t)block * groups / count;
    int64_t run = 0;
    while ((INT64_C(1) << run) <= block)
        run++;
    return run;
}

// The place of a step in its repetition; false outside of any.
static bool place(const mw_layers *layers, int n, int32_t groups, mw_id step,
                  mw_key *key)
{
    for (int i = 0; i < n; i++) {
        mw_id at = step - layers[i].first;
        int32_t block = at / layers[i].length;
        if (at < 0 || block >= layers[i].count)
            continue;
        mw_key_add(key, i);
        mw_key_add(key, at % layers[i].length);
        mw_key_add(key, run_of(block, layers[i].count, groups));
        return true;
    }
    return false;
}

static mw_status tie_node(tier *t, int32_t node, int32_t *tie)
{
    int32_t id;
    bool fresh;
    mw_key_add(&t->key, t->space->node_class[node]);
    MW_TRY(mw_intern_key(&t->known, &t->key, &id, &fresh));
    if (fresh) {
        int32_t *more = mw_arena_reserve(t->known.arena, t->first, id, &t->cap,
                                         sizeof *more);
        if (!more)
            return MW_ENOMEM;
        t->first = more;
        more[id] = node;
    }
    tie[node] = t->first[id];
    return MW_OK;
}

// Homes go with the first op that has a link to them.
static mw_status tie_step(tier *t, const mw_layers *layers, int n,
                          int32_t groups, mw_id k, bool *tied, int32_t *tie)
{
    const mw_space *space = t->space;
    if (space->op_node[k] == MW_NONE)
        return MW_OK;
    mw_key_clear(&t->key);
    if (!place(layers, n, groups, k, &t->key))
        return MW_OK;
    mw_key_add(&t->key, MW_NONE);
    MW_TRY(tie_node(t, space->op_node[k], tie));
    for (int32_t i = space->op_link[k]; i < space->op_link[k + 1]; i++) {
        int32_t home = space->home_node[space->link[i].tensor];
        if (tied[home])
            continue;
        tied[home] = true;
        mw_key_clear(&t->key);
        (void)place(layers, n, groups, k, &t->key);
        mw_key_add(&t->key, i - space->op_link[k]);
        MW_TRY(tie_node(t, home, tie));
    }
    return MW_OK;
}

// Sets go by their first node, in whatever order they were met.
static mw_status name_first(const mw_space *space, mw_arena *arena,
                            int32_t *tie)
{
    int32_t *first = MW_NEW_ARRAY(arena, space->n_nodes + 1, int32_t);
    if (!first)
        return MW_ENOMEM;
    for (int32_t i = space->n_nodes - 1; i >= 0; i--)
        first[tie[i]] = i;
    for (int32_t i = 0; i < space->n_nodes; i++)
        tie[i] = first[tie[i]];
    return MW_OK;
}

mw_status mw_layers_tie(const mw_space *space, mw_arena *arena,
                        const mw_layers *layers, int n, int32_t groups,
                        int32_t *tie)
{
    tier t = {
        .space = space, .known = {.arena = arena}, .key = {.arena = arena}};
    bool *tied = MW_NEW_ARRAY(arena, space->n_nodes + 1, bool);
    if (!tied)
        return MW_ENOMEM;
    for (int32_t i = 0; i < space->n_nodes; i++)
        tie[i] = i;
    for (mw_id k = 0; k < space->n_steps; k++)
        MW_TRY(tie_step(&t, layers, n, groups, k, tied, tie));
    return name_first(space, arena, tie);
}
