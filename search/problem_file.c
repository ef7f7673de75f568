/* problem_file.c - reading and writing the contest's format.
 *
 * Arrays may come in any order, so their sizes are compared at the end, from
 * the places that were noted. Equal vectors are found by a hash and kept once:
 * real files repeat a few thousand matrices tens of thousands of times. */
#include "search/problem_file.h"

#include <errno.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "search/json_source.h"

typedef struct vector {
    const int64_t *value; /* interned */
    int64_t n;
    mw_json_place place;
} vector;

typedef struct vectors {
    vector *item;
    int64_t n, cap;
    bool given;
} vectors;

typedef struct reader {
    mw_json_source source;
    mw_problem *problem;
    mw_arena arena; /* of what is only needed while reading */
    mw_map interned;
    int64_t *scratch;
    int64_t cap_scratch;
    vectors intervals, node_costs, usages, ends, edge_costs;
    bool limit_given;
    mw_json_place end;
} reader;

static mw_status push_scratch(reader *r, int64_t n, int64_t value)
{
    if (n == r->cap_scratch) {
        int64_t cap = n ? n * 2 : 1024;
        int64_t *grown =
            mw_mem_grow(r->source.ctx, r->scratch, (size_t)cap, sizeof *grown);
        if (!grown)
            return MW_ENOMEM;
        r->scratch = grown;
        r->cap_scratch = cap;
    }
    r->scratch[n] = value;
    return MW_OK;
}

// The kept copy of the first n values of the scratch.
static const int64_t *intern(reader *r, int64_t n)
{
    size_t size = (size_t)n * sizeof *r->scratch;
    const int64_t *found = mw_map_find(&r->interned, r->scratch, size);
    int64_t id = found ? *found : r->interned.n_entries;
    if (!found && mw_map_put(&r->interned, r->scratch, size, id) != MW_OK)
        return NULL;
    return r->interned.entry[id].key;
}

static mw_status read_vector(reader *r, vector *v)
{
    bool more = false;
    MW_TRY(mw_json_here(&r->source, &v->place));
    MW_TRY(mw_json_enter(&r->source, '['));
    v->n = 0;
    MW_TRY(mw_json_more(&r->source, ']', true, &more));
    while (more) {
        int64_t value;
        MW_TRY(mw_json_integer(&r->source, &value));
        MW_TRY(push_scratch(r, v->n, value));
        v->n++;
        MW_TRY(mw_json_more(&r->source, ']', false, &more));
    }
    v->value = intern(r, v->n);
    return v->value ? MW_OK : MW_ENOMEM;
}

static mw_status given_twice(reader *r, const char *key)
{
    mw_json_place place;
    MW_TRY(mw_json_here(&r->source, &place));
    mw_json_at(&r->source, place);
    return mw_fail(r->source.ctx, MW_EINPUT, "'%s' is given twice", key);
}

static mw_status read_vectors(reader *r, const char *key, vectors *list)
{
    bool more = false;
    if (list->given)
        return given_twice(r, key);
    list->given = true;
    MW_TRY(mw_json_enter(&r->source, '['));
    MW_TRY(mw_json_more(&r->source, ']', true, &more));
    while (more) {
        list->item = mw_arena_reserve(&r->arena, list->item, list->n,
                                      &list->cap, sizeof *list->item);
        if (!list->item)
            return MW_ENOMEM;
        MW_TRY(read_vector(r, &list->item[list->n]));
        list->n++;
        MW_TRY(mw_json_more(&r->source, ']', false, &more));
    }
    return MW_OK;
}

static mw_status read_limit(reader *r)
{
    if (r->limit_given)
        return given_twice(r, "usage_limit");
    r->limit_given = true;
    mw_json_place place;
    MW_TRY(mw_json_here(&r->source, &place));
    MW_TRY(mw_json_integer(&r->source, &r->problem->limit));
    if (r->problem->limit >= 0)
        return MW_OK;
    mw_json_at(&r->source, place);
    return mw_fail(r->source.ctx, MW_EINPUT,
                   "usage_limit is %lld where 0 is the least",
                   (long long)r->problem->limit);
}

static mw_status nodes_member(reader *r, const char *key)
{
    if (strcmp(key, "intervals") == 0)
        return read_vectors(r, key, &r->intervals);
    if (strcmp(key, "costs") == 0)
        return read_vectors(r, key, &r->node_costs);
    if (strcmp(key, "usages") == 0)
        return read_vectors(r, key, &r->usages);
    return mw_json_skip(&r->source);
}

static mw_status edges_member(reader *r, const char *key)
{
    if (strcmp(key, "nodes") == 0)
        return read_vectors(r, key, &r->ends);
    if (strcmp(key, "costs") == 0)
        return read_vectors(r, key, &r->edge_costs);
    return mw_json_skip(&r->source);
}

static mw_status read_object(reader *r,
                             mw_status (*member)(reader *r, const char *key))
{
    bool more = false;
    MW_TRY(mw_json_enter(&r->source, '{'));
    MW_TRY(mw_json_more(&r->source, '}', true, &more));
    while (more) {
        char key[MW_JSON_KEY_MAX];
        MW_TRY(mw_json_key(&r->source, key));
        MW_TRY(member(r, key));
        MW_TRY(mw_json_more(&r->source, '}', false, &more));
    }
    return MW_OK;
}

static mw_status problem_member(reader *r, const char *key)
{
    if (strcmp(key, "nodes") == 0)
        return read_object(r, nodes_member);
    if (strcmp(key, "edges") == 0)
        return read_object(r, edges_member);
    if (strcmp(key, "usage_limit") == 0)
        return read_limit(r);
    return mw_json_skip(&r->source);
}

static mw_status file_member(reader *r, const char *key)
{
    if (strcmp(key, "problem") == 0)
        return read_object(r, problem_member);
    return mw_json_skip(&r->source);
}

static mw_status want_vectors(reader *r, const vectors *list, const char *name)
{
    if (list->given)
        return MW_OK;
    mw_json_at(&r->source, r->end);
    return mw_fail(r->source.ctx, MW_EINPUT, "the problem has no '%s'", name);
}

static mw_status want_count(reader *r, int64_t found, const char *name,
                            int64_t wanted, const char *wanted_name)
{
    if (found == wanted)
        return MW_OK;
    mw_json_at(&r->source, r->end);
    return mw_fail(r->source.ctx, MW_EINPUT, "%lld %s where there are %lld %s",
                   (long long)found, name, (long long)wanted, wanted_name);
}

static mw_status want_length(reader *r, const vector *v, const char *thing,
                             int64_t index, int64_t wanted)
{
    if (v->n == wanted)
        return MW_OK;
    mw_json_at(&r->source, v->place);
    return mw_fail(r->source.ctx, MW_EINPUT,
                   "%s %lld: %lld values where %lld are wanted", thing,
                   (long long)index, (long long)v->n, (long long)wanted);
}

static mw_status check_shape(reader *r)
{
    MW_TRY(want_vectors(r, &r->node_costs, "nodes.costs"));
    MW_TRY(want_vectors(r, &r->intervals, "nodes.intervals"));
    MW_TRY(want_vectors(r, &r->usages, "nodes.usages"));
    MW_TRY(want_vectors(r, &r->ends, "edges.nodes"));
    MW_TRY(want_vectors(r, &r->edge_costs, "edges.costs"));
    int64_t n = r->node_costs.n;
    MW_TRY(want_count(r, r->intervals.n, "nodes.intervals", n, "nodes.costs"));
    MW_TRY(want_count(r, r->usages.n, "nodes.usages", n, "nodes.costs"));
    MW_TRY(want_count(r, r->edge_costs.n, "edges.costs", r->ends.n,
                      "edges.nodes"));
    mw_json_at(&r->source, r->end);
    if (!r->limit_given)
        return mw_fail(r->source.ctx, MW_EINPUT,
                       "the problem has no 'usage_limit'");
    if (n == 0)
        return mw_fail(r->source.ctx, MW_EINPUT, "the problem has no nodes");
    return MW_OK;
}

static mw_status add_node(reader *r, int64_t i)
{
    const vector *cost = &r->node_costs.item[i];
    const vector *usage = &r->usages.item[i];
    const vector *interval = &r->intervals.item[i];
    MW_TRY(want_length(r, interval, "interval of node", i, 2));
    MW_TRY(want_length(r, usage, "usages of node", i, cost->n));
    mw_json_at(&r->source, cost->place);
    if (cost->n > INT32_MAX)
        return mw_fail(r->source.ctx, MW_EINPUT,
                       "node %lld has %lld strategies where %d is the most",
                       (long long)i, (long long)cost->n, INT32_MAX);
    MW_TRY(mw_problem_add_node(r->problem, (int32_t)cost->n, cost->value));
    mw_json_at(&r->source, usage->place);
    return mw_problem_add_term(r->problem, (int32_t)i, interval->value[0],
                               interval->value[1], usage->value);
}

static mw_status add_edge(reader *r, int64_t i)
{
    const vector *ends = &r->ends.item[i];
    const vector *matrix = &r->edge_costs.item[i];
    MW_TRY(want_length(r, ends, "ends of edge", i, 2));
    int32_t n = r->problem->n_nodes, end[2];
    for (int k = 0; k < 2; k++) {
        int64_t node = ends->value[k];
        mw_json_at(&r->source, ends->place);
        if (node < 0 || node >= n)
            return mw_fail(r->source.ctx, MW_EINPUT,
                           "edge %lld names node %lld of %d nodes",
                           (long long)i, (long long)node, n);
        end[k] = (int32_t)node;
    }
    MW_TRY(want_length(r, matrix, "costs of edge", i,
                       (int64_t)r->problem->node[end[0]].n_strategies *
                           r->problem->node[end[1]].n_strategies));
    mw_json_at(&r->source, end[0] == end[1] ? ends->place : matrix->place);
    return mw_problem_add_edge(r->problem, end[0], end[1], matrix->value,
                               false);
}

static mw_status build(reader *r)
{
    MW_TRY(check_shape(r));
    if (r->node_costs.n > INT32_MAX || r->ends.n > INT32_MAX)
        return mw_fail(r->source.ctx, MW_EINPUT,
                       "%lld nodes and %lld edges where %d is the most",
                       (long long)r->node_costs.n, (long long)r->ends.n,
                       INT32_MAX);
    for (int64_t i = 0; i < r->node_costs.n; i++)
        MW_TRY(add_node(r, i));
    for (int64_t i = 0; i < r->ends.n; i++)
        MW_TRY(add_edge(r, i));
    return MW_OK;
}

static mw_status read_all(reader *r)
{
    MW_TRY(read_object(r, file_member));
    MW_TRY(mw_json_finish(&r->source));
    MW_TRY(mw_json_here(&r->source, &r->end));
    return build(r);
}

static mw_status read_source(mw_problem *problem, reader *r)
{
    mw_ctx *ctx = problem->arena.ctx;
    r->problem = problem;
    mw_arena_init(&r->arena, ctx);
    mw_map_init(&r->interned, &problem->arena);
    mw_status status = read_all(r);
    if (status == MW_OK)
        mw_ctx_at(ctx, "%s", "");
    mw_mem_free(r->scratch);
    mw_arena_free(&r->arena);
    mw_json_close(&r->source);
    return status;
}

mw_status mw_problem_parse(mw_problem *problem, const char *name,
                           const char *text, size_t length)
{
    reader r = {.problem = problem};
    mw_json_open_text(&r.source, problem->arena.ctx, name, text, length);
    return read_source(problem, &r);
}

mw_status mw_problem_read(mw_problem *problem, const char *path)
{
    mw_ctx *ctx = problem->arena.ctx;
    bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "stdin" : path;
    FILE *file = standard ? stdin : fopen(path, "rb");
    mw_ctx_at(ctx, "%s", name);
    if (!file)
        return mw_fail(ctx, MW_EINPUT, "cannot be opened: %s", strerror(errno));
    reader r = {.problem = problem};
    mw_status status = mw_json_open_file(&r.source, ctx, name, file);
    if (status == MW_OK)
        status = read_source(problem, &r);
    if (!standard)
        (void)fclose(file);
    return status;
}
