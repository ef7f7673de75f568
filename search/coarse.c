/* coarse.c - putting strategies together, and setting apart what is used. */
#include "search/coarse.h"

#include <string.h>

#include "search/coarse_part.h"

/* Pairs of sweeps; eliminations in all, and before each is given more work. */
enum {
    PAIRS = 64,
    MENDING_PAIRS = 16,
    ROUNDS = 60,
    PATIENCE = 8,
    MORE_WORK = 4
};

/* Times the work that an elimination may take more than was meant. */
enum { SLACK = 2 };

/* Entries of the tables of one elimination, at first and at most. */
enum { FIRST_WORK = 10000000, MOST_WORK = 100000000 };

/* Vectors kept from one elimination to the next. */
enum { MOST_VECTORS_MB = 512 };

bool mw_coarse_can(const mw_problem *problem)
{
    bool limited = problem->n_rows > 0 || problem->limit != MW_NO_LIMIT;
    return problem->n_nodes > 0 && (problem->n_terms == 0 || !limited);
}

static bool over(const mw_coarse *c)
{
    return mw_stopped(c->own.ctx) || mw_deadline_over(&c->options->deadline);
}

static const int64_t *vector(const mw_coarse *c, int32_t id)
{
    return mw_alike_at(&c->all, id);
}

// Whether no sum of shared costs comes near to a forbidden one.
static mw_status sums_fit(mw_coarse *c, bool *fit)
{
    const mw_kinds *kinds = &c->kinds;
    int64_t *node = MW_NEW_ARRAY(&c->own, kinds->n_nodes + 1, int64_t);
    int64_t *edge = MW_NEW_ARRAY(&c->own, kinds->n_edges + 1, int64_t);
    mw_int128 sum = 0;
    if (!node || !edge)
        return MW_ENOMEM;
    for (int32_t i = 0; i < kinds->n_nodes; i++)
        node[i] = c->all.vector[c->cost[i]].most;
    for (int32_t i = 0; i < kinds->n_edges; i++)
        edge[i] = c->all.vector[c->matrix[i]].most;
    for (int32_t i = 0; i < c->problem->n_nodes; i++)
        sum += node[kinds->of_node[i]];
    for (int32_t i = 0; i < c->problem->n_edges; i++)
        sum += edge[kinds->of_edge[i]];
    *fit = sum < MW_INFINITE / 2;
    return MW_OK;
}

static mw_status allocate(mw_coarse *c)
{
    int64_t n = c->problem->n_nodes + 1;
    c->cost = MW_NEW_ARRAY(&c->own, c->kinds.n_nodes + 1, int32_t);
    c->matrix = MW_NEW_ARRAY(&c->own, c->kinds.n_edges + 1, int32_t);
    c->kind = MW_NEW_ARRAY(&c->own, c->kinds.n_nodes + 1, mw_coarse_kind);
    c->choice = MW_NEW_ARRAY(&c->own, n, int32_t);
    c->member = MW_NEW_ARRAY(&c->own, n * MW_MEMBERS, int32_t);
    c->n_members = MW_NEW_ARRAY(&c->own, n, int32_t);
    c->trial = MW_NEW_ARRAY(&c->own, n, int32_t);
    if (!c->cost || !c->matrix || !c->kind || !c->choice || !c->member ||
        !c->n_members || !c->trial)
        return MW_ENOMEM;
    for (int32_t i = 0; i < c->kinds.n_nodes; i++) {
        mw_coarse_kind *k = &c->kind[i];
        int32_t width = c->kinds.node[i].n;
        k->map = MW_NEW_ARRAY(&c->own, width, int32_t);
        k->apart = MW_NEW_ARRAY(&c->own, width, bool);
        k->cost = MW_NEW_ARRAY(&c->own, width, int64_t);
        if (!k->map || !k->apart || !k->cost)
            return MW_ENOMEM;
    }
    return MW_OK;
}

// Which strategies stand alone; one that is alone among the others does too.
static void put_together(const mw_coarse *c, int64_t limit)
{
    for (int32_t i = 0; i < c->kinds.n_nodes; i++) {
        const mw_kind_node *v = &c->kinds.node[i];
        mw_coarse_kind *k = &c->kind[i];
        int32_t others = 0, last = 0;
        k->n_apart = 0;
        for (int32_t s = 0; s < v->n; s++) {
            bool apart = k->apart[s] || v->excess[s] <= limit;
            k->map[s] = apart ? k->n_apart++ : MW_NOTHING;
            others += !apart;
            last = apart ? last : s;
        }
        if (others == 1) {
            k->map[last] = k->n_apart++;
            others = 0;
        }
        k->n = k->n_apart + (others > 0);
        for (int32_t s = 0; s < v->n; s++)
            k->map[s] = k->map[s] == MW_NOTHING ? k->n_apart : k->map[s];
    }
}

// Entries of the tables that this limit leads to.
static mw_status measure(mw_coarse *c, int64_t limit, int64_t enough,
                         int64_t *n_entries)
{
    mw_bucket bucket;
    mw_problem shape = *c->problem;
    shape.node =
        MW_NEW_ARRAY(&c->round, c->problem->n_nodes + 1, mw_problem_node);
    if (!shape.node)
        return MW_ENOMEM;
    put_together(c, limit);
    for (int32_t i = 0; i < c->problem->n_nodes; i++)
        shape.node[i].n_strategies = c->kind[c->kinds.of_node[i]].n;
    mw_status status =
        mw_bucket_open(&bucket, &c->tables, &shape, c->kinds.of_node, enough);
    *n_entries = bucket.n_entries;
    mw_bucket_close(&bucket);
    return status;
}

static int64_t largest_excess(const mw_coarse *c)
{
    int64_t most = 0;
    for (int32_t i = 0; i < c->kinds.n_nodes; i++) {
        const mw_kind_node *v = &c->kinds.node[i];
        for (int32_t s = 0; s < v->n; s++) {
            if (v->excess[s] != INT64_MAX && v->excess[s] > most)
                most = v->excess[s];
        }
    }
    return most;
}

// The largest limit, about, that the work allows, at most `high`. found: even
// the least one takes no more.
static mw_status find_limit(mw_coarse *c, int64_t high, bool *found)
{
    int64_t low = -1, n;
    MW_TRY(measure(c, high, c->work, &n));
    *found = n <= c->work;
    c->limit = high;
    while (!*found || high - low > high / 8 + 1) {
        int64_t middle = low < 0 ? high / 4 : low + (high - low) / 2;
        if (high <= 0)
            return MW_OK;
        MW_TRY(measure(c, middle, c->work, &n));
        if (n > c->work) {
            high = middle;
            continue;
        }
        low = c->limit = middle;
        *found = true;
    }
    return MW_OK;
}

static const int64_t *small_matrix(mw_coarse *c, int32_t edge)
{
    const mw_problem_edge *e = &c->problem->edge[edge];
    int32_t end[2];
    mw_coarse_ends(e, end);
    const mw_kind_edge *kind = &c->kinds.edge[c->kinds.of_edge[edge]];
    const mw_coarse_kind *a = &c->kind[c->kinds.of_node[end[0]]];
    const mw_coarse_kind *b = &c->kind[c->kinds.of_node[end[1]]];
    const int64_t *from = vector(c, c->matrix[c->kinds.of_edge[edge]]);
    int64_t n = (int64_t)a->n * b->n;
    int64_t *made = MW_NEW_ARRAY(&c->round, n, int64_t);
    for (int64_t i = 0; made && i < n; i++)
        made[i] = MW_INFINITE;
    for (int32_t s = 0; made && s < kind->n[0]; s++) {
        int64_t *row = made + (int64_t)a->map[s] * b->n;
        for (int32_t t = 0; t < kind->n[1]; t++, from++)
            row[b->map[t]] = *from < row[b->map[t]] ? *from : row[b->map[t]];
    }
    return made;
}

// The matrix of an edge of the small problem; edges whose kinds and whose ends'
// kinds are equal have one.
static mw_status find_matrix(mw_coarse *c, mw_key *key, int32_t edge,
                             const int64_t **matrix)
{
    int32_t end[2], id;
    bool fresh;
    mw_coarse_ends(&c->problem->edge[edge], end);
    mw_key_clear(key);
    mw_key_add(key, c->kinds.of_edge[edge]);
    mw_key_add(key, c->kinds.of_node[end[0]]);
    mw_key_add(key, c->kinds.of_node[end[1]]);
    MW_TRY(mw_intern_key(&c->edge, key, &id, &fresh));
    if (fresh) {
        const int64_t **more =
            mw_arena_reserve(&c->round, c->edge_matrix, id, &c->cap_edges,
                             sizeof(const int64_t *));
        if (!more)
            return MW_ENOMEM;
        c->edge_matrix = more;
        more[id] = small_matrix(c, edge);
        if (!more[id])
            return MW_ENOMEM;
    }
    *matrix = c->edge_matrix[id];
    return MW_OK;
}

static mw_status make_small(mw_coarse *c)
{
    mw_key key = {.arena = &c->round};
    put_together(c, c->limit);
    c->edge = (mw_intern){.arena = &c->round};
    c->edge_matrix = NULL;
    c->cap_edges = 0;
    for (int32_t i = 0; i < c->kinds.n_nodes; i++) {
        mw_coarse_kind *k = &c->kind[i];
        const int64_t *cost = vector(c, c->cost[i]);
        for (int32_t s = 0; s < k->n; s++)
            k->cost[s] = MW_INFINITE;
        for (int32_t s = 0; s < c->kinds.node[i].n; s++) {
            int64_t *least = &k->cost[k->map[s]];
            *least = cost[s] < *least ? cost[s] : *least;
        }
    }
    for (int32_t i = 0; i < c->problem->n_nodes; i++) {
        const mw_coarse_kind *k = &c->kind[c->kinds.of_node[i]];
        MW_TRY(mw_problem_add_node(&c->small, k->n, k->cost));
    }
    for (int32_t i = 0; i < c->problem->n_edges; i++) {
        int32_t end[2];
        const int64_t *matrix;
        mw_coarse_ends(&c->problem->edge[i], end);
        MW_TRY(find_matrix(c, &key, i, &matrix));
        MW_TRY(mw_problem_add_edge(&c->small, end[0], end[1], matrix, false));
    }
    return MW_OK;
}

// What the bound of the small problem, or its optimum, is in the whole's unit.
static mw_int128 whole_cost(const mw_coarse *c, mw_int128 cost)
{
    mw_int128 unit = (mw_int128)1 << c->kinds.shift;
    mw_int128 whole = cost / unit;
    return whole * unit < cost ? whole + 1 : whole;
}

static void take_bound(mw_coarse *c, mw_int128 cost)
{
    mw_coarse_answer *answer = c->answer;
    if (cost >= MW_INFINITE / 2) {
        answer->infeasible = true;
        return;
    }
    mw_int128 bound = whole_cost(c, cost);
    if (!answer->bounded || bound > answer->bound)
        answer->bound = bound;
    answer->bounded = true;
}

mw_status mw_coarse_take(mw_coarse *c)
{
    const mw_problem *p = c->problem;
    mw_coarse_answer *answer = c->answer;
    mw_int128 cost = 0;
    bool forbidden = false;
    for (int32_t i = 0; i < p->n_nodes; i++) {
        int64_t value = p->node[i].cost[c->trial[i]];
        forbidden = forbidden || value >= MW_INFINITE;
        cost += value;
    }
    for (int32_t i = 0; i < p->n_edges; i++) {
        const mw_problem_edge *e = &p->edge[i];
        int64_t value =
            mw_problem_edge_cost(p, i, c->trial[e->a], c->trial[e->b]);
        forbidden = forbidden || value >= MW_INFINITE;
        cost += value;
    }
    if (forbidden || (answer->choice && answer->cost <= cost))
        return MW_OK;
    if (!answer->choice)
        answer->choice = MW_NEW_ARRAY(c->arena, p->n_nodes, int32_t);
    if (!answer->choice)
        return MW_ENOMEM;
    memcpy(answer->choice, c->trial,
           (size_t)p->n_nodes * sizeof *answer->choice);
    answer->cost = cost;
    return MW_OK;
}

static bool near_enough(const mw_coarse *c)
{
    const mw_coarse_answer *answer = c->answer;
    if (!answer->choice || !answer->bounded)
        return false;
    mw_int128 cost = answer->cost;
    double gap = (double)(cost - answer->bound) / (double)(cost > 1 ? cost : 1);
    return answer->bound >= cost || gap <= c->options->gap;
}

// One elimination: done when nothing is left to learn. late: it took more work
// than it may.
static mw_status eliminate(mw_coarse *c, mw_bucket *bucket, bool *done,
                           bool *late)
{
    mw_int128 cost;
    int32_t n_others = 0;
    MW_TRY(make_small(c));
    MW_TRY(mw_bucket_open(bucket, &c->tables, &c->small, c->kinds.of_node,
                          SLACK * c->work));
    *late = bucket->n_entries > SLACK * c->work;
    if (!*late)
        MW_TRY(mw_bucket_run(bucket, &c->options->deadline, SLACK * c->work,
                             c->choice, &cost, late));
    if (*late)
        return MW_OK;
    take_bound(c, cost);
    *done = c->answer->infeasible;
    if (*done)
        return MW_OK;
    for (int32_t i = 0; i < c->problem->n_nodes; i++) {
        const mw_coarse_kind *k = &c->kind[c->kinds.of_node[i]];
        n_others += c->choice[i] >= k->n_apart;
    }
    MW_TRY(mw_coarse_complete(c));
    *done = n_others == 0 || near_enough(c);
    return MW_OK;
}

static mw_status go_round(mw_coarse *c, bool *done, bool *late)
{
    mw_bucket bucket = {0};
    if (c->tables.n_bytes >> 20 >= MOST_VECTORS_MB)
        mw_alike_clear(&c->tables);
    mw_arena_init(&c->round, c->own.ctx);
    mw_problem_init(&c->small, c->own.ctx);
    mw_status status = eliminate(c, &bucket, done, late);
    mw_bucket_close(&bucket);
    mw_problem_free(&c->small);
    mw_arena_free(&c->round);
    return status;
}

static mw_status new_limit(mw_coarse *c, int64_t high, bool *found)
{
    mw_arena_init(&c->round, c->own.ctx);
    mw_status status = find_limit(c, high, found);
    mw_arena_free(&c->round);
    return status;
}

static mw_status go_rounds(mw_coarse *c)
{
    bool done = false, late = false, found;
    int64_t most = c->options->work > 0 ? c->options->work : MOST_WORK;
    c->work = FIRST_WORK < most ? FIRST_WORK : most;
    MW_TRY(new_limit(c, largest_excess(c), &found));
    for (int round = 1; round <= ROUNDS && !done && !over(c); round++) {
        if (found)
            MW_TRY(go_round(c, &done, &late));
        if (done || over(c))
            break;
        if (found && !late && round % PATIENCE != 0)
            continue;
        bool least = c->limit == 0;
        if (c->work < most)
            c->work = c->work < most / MORE_WORK ? c->work * MORE_WORK : most;
        else if (!late || least)
            break;
        if (late && found && c->work < most)
            continue;
        MW_TRY(new_limit(c, late ? c->limit / 2 : largest_excess(c), &found));
        if (!found && c->work >= most)
            break;
    }
    return MW_OK;
}

static mw_status list_edges(mw_coarse *c)
{
    const mw_problem *p = c->problem;
    c->first_edge = MW_NEW_ARRAY(&c->own, (int64_t)p->n_nodes + 2, int32_t);
    c->edge_of = MW_NEW_ARRAY(&c->own, 2 * (int64_t)p->n_edges + 1, int32_t);
    if (!c->first_edge || !c->edge_of)
        return MW_ENOMEM;
    for (int32_t i = 0; i < p->n_edges; i++) {
        c->first_edge[p->edge[i].a + 2]++;
        c->first_edge[p->edge[i].b + 2]++;
    }
    for (int32_t i = 0; i < p->n_nodes; i++)
        c->first_edge[i + 2] += c->first_edge[i + 1];
    for (int32_t i = 0; i < p->n_edges; i++) {
        c->edge_of[c->first_edge[p->edge[i].a + 1]++] = i;
        c->edge_of[c->first_edge[p->edge[i].b + 1]++] = i;
    }
    return MW_OK;
}

static mw_status solve(mw_coarse *c)
{
    bool fit;
    MW_TRY(mw_kinds_find(&c->kinds, &c->own, &c->all, c->problem));
    if (c->kinds.shift < 0 || over(c))
        return MW_OK;
    MW_TRY(allocate(c));
    MW_TRY(list_edges(c));
    mw_kinds_sweep(&c->kinds, PAIRS, &c->options->deadline);
    mw_kinds_mend(&c->kinds, MENDING_PAIRS, &c->options->deadline);
    if (over(c))
        return MW_OK;
    MW_TRY(mw_kinds_share(&c->kinds, c->cost, c->matrix));
    MW_TRY(sums_fit(c, &fit));
    return fit ? go_rounds(c) : MW_OK;
}

mw_status mw_coarse_solve(mw_arena *arena, const mw_problem *problem,
                          const mw_coarse_options *options,
                          mw_coarse_answer *answer)
{
    mw_coarse c = {.arena = arena,
                   .problem = problem,
                   .options = options,
                   .answer = answer};
    *answer = (mw_coarse_answer){0};
    mw_arena_init(&c.own, arena->ctx);
    mw_alike_init(&c.all, arena->ctx);
    mw_alike_init(&c.tables, arena->ctx);
    mw_status status = solve(&c);
    mw_alike_free(&c.tables);
    mw_alike_free(&c.all);
    mw_arena_free(&c.own);
    return status;
}
