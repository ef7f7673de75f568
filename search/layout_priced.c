/* layout_priced.c - time and payments as one cost. */
#include "search/layout_price.h"

/* Vectors of one problem by (what, class, price). */
typedef struct maker {
    mw_space_tables *tables;
    const mw_prices *prices;
    mw_problem *problem;
    mw_intern known;
    mw_key key;
    int64_t **vector;
    int64_t cap;
} maker;

// Rounded down: what is paid is never too much for a bound.
static int64_t charge(int64_t bytes, int64_t price)
{
    mw_int128 paid = ((mw_int128)bytes * price) >> MW_PRICE_SHIFT;
    return paid < MW_INFINITE ? (int64_t)paid : MW_INFINITE;
}

static int64_t paid(int64_t time_ps, int64_t bytes, int64_t price)
{
    if (time_ps >= MW_INFINITE)
        return MW_INFINITE;
    int64_t sum = time_ps + charge(bytes, price);
    return sum < MW_INFINITE ? sum : MW_INFINITE;
}

typedef enum what { OF_OP, OF_HOME, OF_LINK } what;

// Room for a vector, or the one that was made before.
static mw_status look(maker *m, what kind, int32_t number, int64_t price,
                      int64_t n, int64_t **vector, bool *fresh)
{
    int32_t id;
    mw_key_clear(&m->key);
    mw_key_add(&m->key, kind);
    mw_key_add(&m->key, number);
    mw_key_add(&m->key, price);
    MW_TRY(mw_intern_key(&m->known, &m->key, &id, fresh));
    if (*fresh) {
        int64_t **more = mw_arena_reserve(&m->problem->arena, m->vector, id,
                                          &m->cap, sizeof(int64_t *));
        if (!more)
            return MW_ENOMEM;
        m->vector = more;
        more[id] = MW_NEW_ARRAY(&m->problem->arena, n, int64_t);
        if (!more[id])
            return MW_ENOMEM;
    }
    *vector = m->vector[id];
    return MW_OK;
}

static mw_status add_node(maker *m, int32_t node)
{
    const mw_space *space = m->tables->space;
    mw_id k = space->node_op[node], t = space->node_tensor[node];
    int32_t c = space->node_class[node], n = mw_space_states(space, node);
    bool fresh, op = k != MW_NONE;
    const int64_t *total = m->prices->total;
    int64_t price =
        op ? m->prices->step[k]
           : total[space->life[t].end] - total[space->life[t].begin];
    const int64_t *bytes =
        op ? space->op_class[c].memory_bytes : space->home_class[c].bytes;
    const uint8_t *allowed =
        m->tables->allowed ? m->tables->allowed[node] : NULL;
    int64_t *cost;
    MW_TRY(look(m, op ? OF_OP : OF_HOME, c, price, n, &cost, &fresh));
    for (int32_t s = 0; fresh && s < n; s++)
        cost[s] = paid(op ? space->op_class[c].time_ps[s] : 0, bytes[s], price);
    if (!allowed)
        return mw_problem_add_node(m->problem, n, cost);
    int64_t *own = MW_NEW_ARRAY(&m->problem->arena, n, int64_t);
    if (!own)
        return MW_ENOMEM;
    for (int32_t s = 0; s < n; s++)
        own[s] = allowed[s] ? cost[s] : MW_INFINITE;
    return mw_problem_add_node(m->problem, n, own);
}

static mw_status add_link(maker *m, const mw_link *link)
{
    const mw_space *space = m->tables->space;
    const mw_link_class *c = &space->link_class[link->link_class];
    int32_t n = space->op_class[c->op_class].n;
    int64_t price = m->prices->step[link->op], *made;
    const int64_t *matrix = c->matrix;
    bool fresh;
    if (price > 0) {
        MW_TRY(look(m, OF_LINK, link->link_class, price,
                    (int64_t)n * c->n_homes, &made, &fresh));
        for (int64_t i = 0; fresh && i < (int64_t)n * c->n_homes; i++) {
            int64_t cell =
                (int64_t)c->row[i / c->n_homes] * c->n_homes + i % c->n_homes;
            made[i] = paid(c->time_ps[cell], c->memory_bytes[cell], price);
        }
        matrix = made;
    }
    return mw_problem_add_edge(m->problem, space->op_node[link->op],
                               space->home_node[link->tensor], matrix, false);
}

mw_status mw_space_priced(mw_space_tables *tables, const mw_prices *prices,
                          mw_problem *problem)
{
    const mw_space *space = tables->space;
    maker m = {.tables = tables,
               .prices = prices,
               .problem = problem,
               .known = {.arena = &problem->arena},
               .key = {.arena = &problem->arena}};
    problem->name = space->on.graph->name;
    for (int32_t i = 0; i < space->n_nodes; i++)
        MW_TRY(add_node(&m, i));
    for (int32_t i = 0; i < space->n_links; i++)
        MW_TRY(add_link(&m, &space->link[i]));
    return MW_OK;
}
