/* layout_problem.c - nodes, edges, terms and rows of a space of choices. */
#include "search/layout_problem.h"

// A pair's state is a row of the link and one of the numbers of bytes that the
// row's cells take. Both it and the edges' matrices are one for the class.
struct mw_pair_class {
    bool made;
    int32_t n;
    int32_t *row;
    int64_t *usage;
    int64_t *of_op;   /* n_strategies x n: 0 where the row is the strategy's */
    int64_t *of_home; /* n x n_homes: the cell's time where it takes `usage` */
    int64_t *of_home_memory; /* the same with the memory cost */
    int64_t *zero;
};

mw_status mw_space_tables_init(const mw_space *space, mw_arena *arena,
                               mw_space_tables *tables)
{
    *tables = (mw_space_tables){.space = space, .arena = arena};
    tables->pair =
        MW_NEW_ARRAY(arena, space->n_link_classes + 1, mw_pair_class);
    tables->memory_link =
        MW_NEW_ARRAY(arena, space->n_link_classes + 1, int64_t *);
    return tables->pair && tables->memory_link ? MW_OK : MW_ENOMEM;
}

// Costs stay far below MW_INFINITE whatever the tensors' bytes are.
static int64_t memory_cost(int64_t bytes)
{
    const int64_t most = MW_INFINITE / (1 << 20);
    return bytes < most ? bytes : most;
}

static int64_t cell_memory_cost(const mw_link_class *link, int64_t cell)
{
    return link->time_ps[cell] >= MW_INFINITE
               ? MW_INFINITE
               : memory_cost(link->memory_bytes[cell]);
}

// The states of a pair: distinct usages, row by row.
static mw_status number_pairs(mw_arena *arena, const mw_link_class *link,
                              mw_pair_class *pair)
{
    int64_t cap_row = 0, cap_usage = 0;
    for (int32_t r = 0; r < link->n_rows; r++) {
        int32_t first = pair->n;
        for (int32_t h = 0; h < link->n_homes; h++) {
            int64_t cell = (int64_t)r * link->n_homes + h;
            int64_t usage = link->memory_bytes[cell];
            bool known = link->time_ps[cell] >= MW_INFINITE;
            for (int32_t i = first; i < pair->n; i++)
                known = known || pair->usage[i] == usage;
            if (known)
                continue;
            int32_t *rows = mw_arena_reserve(arena, pair->row, pair->n,
                                             &cap_row, sizeof *rows);
            int64_t *usages = mw_arena_reserve(arena, pair->usage, pair->n,
                                               &cap_usage, sizeof *usages);
            if (!rows || !usages)
                return MW_ENOMEM;
            pair->row = rows;
            pair->usage = usages;
            rows[pair->n] = r;
            usages[pair->n++] = usage;
        }
    }
    return MW_OK;
}

static void fill_pair(const mw_space *space, const mw_link_class *link,
                      mw_pair_class *pair)
{
    int32_t n = space->op_class[link->op_class].n;
    for (int32_t s = 0; s < n; s++) {
        for (int32_t i = 0; i < pair->n; i++)
            pair->of_op[(int64_t)s * pair->n + i] =
                pair->row[i] == link->row[s] ? 0 : MW_INFINITE;
    }
    for (int32_t i = 0; i < pair->n; i++) {
        for (int32_t h = 0; h < link->n_homes; h++) {
            int64_t cell = (int64_t)pair->row[i] * link->n_homes + h;
            int64_t at = (int64_t)i * link->n_homes + h;
            bool fits = link->memory_bytes[cell] == pair->usage[i];
            pair->of_home[at] = fits ? link->time_ps[cell] : MW_INFINITE;
            pair->of_home_memory[at] =
                fits ? cell_memory_cost(link, cell) : MW_INFINITE;
        }
    }
}

static mw_status make_pair(mw_space_tables *tables, int32_t link_class)
{
    const mw_space *space = tables->space;
    const mw_link_class *link = &space->link_class[link_class];
    mw_pair_class *pair = &tables->pair[link_class];
    if (pair->made)
        return MW_OK;
    MW_TRY(number_pairs(tables->arena, link, pair));
    int64_t n_op = (int64_t)space->op_class[link->op_class].n * pair->n;
    int64_t n_home = (int64_t)pair->n * link->n_homes;
    pair->of_op = MW_NEW_ARRAY(tables->arena, n_op, int64_t);
    pair->of_home = MW_NEW_ARRAY(tables->arena, n_home, int64_t);
    pair->of_home_memory = MW_NEW_ARRAY(tables->arena, n_home, int64_t);
    pair->zero = MW_NEW_ARRAY(tables->arena, pair->n, int64_t);
    if (!pair->of_op || !pair->of_home || !pair->of_home_memory || !pair->zero)
        return MW_ENOMEM;
    fill_pair(space, link, pair);
    pair->made = true;
    return MW_OK;
}

static mw_status add_nodes(mw_space_tables *tables, mw_space_cost cost,
                           mw_problem *problem)
{
    const mw_space *space = tables->space;
    for (int32_t i = 0; i < space->n_nodes; i++) {
        bool op = space->node_op[i] != MW_NONE;
        int32_t c = space->node_class[i], n = mw_space_states(space, i);
        const int64_t *usage =
            op ? space->op_class[c].memory_bytes : space->home_class[c].bytes;
        const int64_t *time = op ? space->op_class[c].time_ps : NULL;
        const uint8_t *allowed = tables->allowed ? tables->allowed[i] : NULL;
        if (cost == MW_COST_TIME && op && !allowed) {
            MW_TRY(mw_problem_add_node(problem, n, time));
            continue;
        }
        int64_t *costs = MW_NEW_ARRAY(&problem->arena, n, int64_t);
        if (!costs)
            return MW_ENOMEM;
        for (int32_t s = 0; s < n; s++) {
            if (cost == MW_COST_MEMORY)
                costs[s] = memory_cost(usage[s]);
            else if (op)
                costs[s] = time[s];
            if (allowed && !allowed[s])
                costs[s] = MW_INFINITE;
        }
        MW_TRY(mw_problem_add_node(problem, n, costs));
    }
    return MW_OK;
}

static mw_status add_terms(const mw_space *space, mw_problem *problem)
{
    for (int32_t i = 0; i < space->n_nodes; i++) {
        mw_id k = space->node_op[i], t = space->node_tensor[i];
        int32_t c = space->node_class[i];
        if (k != MW_NONE)
            MW_TRY(mw_problem_add_term(problem, i, k, k + 1,
                                       space->op_class[c].memory_bytes));
        else
            MW_TRY(mw_problem_add_term(problem, i, space->life[t].begin,
                                       space->life[t].end,
                                       space->home_class[c].bytes));
    }
    return MW_OK;
}

// What a link costs by strategy and home, under the memory cost.
static mw_status memory_matrix(mw_space_tables *tables, int32_t link_class,
                               const int64_t **matrix)
{
    const mw_space *space = tables->space;
    const mw_link_class *link = &space->link_class[link_class];
    int32_t n = space->op_class[link->op_class].n;
    int64_t *made = tables->memory_link[link_class];
    if (!made) {
        made = MW_NEW_ARRAY(tables->arena, (int64_t)n * link->n_homes, int64_t);
        if (!made)
            return MW_ENOMEM;
        for (int32_t s = 0; s < n; s++) {
            for (int32_t h = 0; h < link->n_homes; h++)
                made[(int64_t)s * link->n_homes + h] = cell_memory_cost(
                    link, (int64_t)link->row[s] * link->n_homes + h);
        }
        tables->memory_link[link_class] = made;
    }
    *matrix = made;
    return MW_OK;
}

static mw_status add_direct(mw_space_tables *tables, mw_space_cost cost,
                            const mw_link *link, mw_problem *problem)
{
    const mw_space *space = tables->space;
    const int64_t *matrix = space->link_class[link->link_class].matrix;
    if (cost == MW_COST_MEMORY)
        MW_TRY(memory_matrix(tables, link->link_class, &matrix));
    return mw_problem_add_edge(problem, space->op_node[link->op],
                               space->home_node[link->tensor], matrix, false);
}

static mw_status add_pair(mw_space_tables *tables, mw_space_cost cost,
                          const mw_link *link, mw_problem *problem)
{
    const mw_space *space = tables->space;
    MW_TRY(make_pair(tables, link->link_class));
    const mw_pair_class *pair = &tables->pair[link->link_class];
    int32_t node = problem->n_nodes;
    MW_TRY(mw_problem_add_node(problem, pair->n, pair->zero));
    MW_TRY(mw_problem_add_edge(problem, space->op_node[link->op], node,
                               pair->of_op, false));
    MW_TRY(mw_problem_add_edge(
        problem, node, space->home_node[link->tensor],
        cost == MW_COST_TIME ? pair->of_home : pair->of_home_memory, false));
    return mw_problem_add_term(problem, node, link->op, link->op + 1,
                               pair->usage);
}

static bool limited(const mw_problem_row *row, int32_t n_rows, mw_id step)
{
    for (int32_t i = 0; i < n_rows; i++) {
        if (row[i].time == step)
            return true;
    }
    return false;
}

mw_status mw_space_problem(mw_space_tables *tables, mw_space_cost cost,
                           const mw_problem_row *row, int32_t n_rows,
                           mw_problem *problem)
{
    const mw_space *space = tables->space;
    problem->name = space->on.graph->name;
    MW_TRY(add_nodes(tables, cost, problem));
    MW_TRY(add_terms(space, problem));
    for (int32_t i = 0; i < space->n_links; i++) {
        const mw_link *link = &space->link[i];
        if (!limited(row, n_rows, link->op))
            MW_TRY(add_direct(tables, cost, link, problem));
    }
    for (int32_t i = 0; i < n_rows; i++) {
        mw_id k = (mw_id)row[i].time;
        for (int32_t j = space->op_link[k]; j < space->op_link[k + 1]; j++)
            MW_TRY(add_pair(tables, cost, &space->link[j], problem));
        MW_TRY(mw_problem_add_row(problem, row[i].time, row[i].limit));
    }
    return tables->ties ? mw_space_ties_add(tables->ties, problem) : MW_OK;
}

static int32_t pair_state(const mw_space_tables *tables, const mw_link *link,
                          const int32_t *state)
{
    const mw_space *space = tables->space;
    const mw_link_class *c = &space->link_class[link->link_class];
    const mw_pair_class *pair = &tables->pair[link->link_class];
    int32_t row = c->row[state[space->op_node[link->op]]];
    int64_t cell =
        (int64_t)row * c->n_homes + state[space->home_node[link->tensor]];
    for (int32_t i = 0; i < pair->n; i++) {
        if (pair->row[i] == row && pair->usage[i] == c->memory_bytes[cell])
            return i;
    }
    return 0;
}

void mw_space_complete(const mw_space_tables *tables, const mw_problem_row *row,
                       int32_t n_rows, int32_t *state)
{
    const mw_space *space = tables->space;
    int32_t node = space->n_nodes;
    for (int32_t i = 0; i < n_rows; i++) {
        mw_id k = (mw_id)row[i].time;
        for (int32_t j = space->op_link[k]; j < space->op_link[k + 1]; j++)
            state[node++] = pair_state(tables, &space->link[j], state);
    }
    if (tables->ties)
        mw_space_ties_complete(tables->ties, state, state + node);
}
