/* test_eliminate.c - groups chosen by elimination against counting. */
#include <string.h>

#include "search/eliminate.h"
#include "tests/test.h"

enum { MAX_N = 7, MAX_S = 4 };

// Costs are small integers, which floats add exactly.
typedef struct group {
    int32_t n;
    int32_t size[MAX_N], value[MAX_N];
    float cost[MAX_N][MAX_S];
    bool joined[MAX_N][MAX_N];
    float pair[MAX_N][MAX_N][MAX_S * MAX_S];
} group;

static int below(uint64_t *state, int n)
{
    return (int)(mw_test_random(state) % (uint64_t)n);
}

static void make_group(group *g, uint64_t *state)
{
    *g = (group){.n = 2 + below(state, MAX_N - 1)};
    for (int32_t i = 0; i < g->n; i++) {
        g->size[i] = 1 + below(state, MAX_S);
        g->value[i] = below(state, g->size[i]);
        for (int32_t s = 0; s < g->size[i]; s++)
            g->cost[i][s] = (float)below(state, 50);
    }
    for (int32_t i = 0; i < g->n; i++) {
        for (int32_t k = i + 1; k < g->n; k++) {
            g->joined[i][k] = below(state, 2) == 0;
            for (int32_t e = 0; e < g->size[i] * g->size[k]; e++)
                g->pair[i][k][e] = below(state, 12) == 0
                                       ? MW_ELIMINATE_INFINITE
                                       : (float)below(state, 50);
        }
    }
}

static double cost_of(const group *g, const int32_t *value)
{
    double sum = 0;
    for (int32_t i = 0; i < g->n; i++) {
        sum += (double)g->cost[i][value[i]];
        for (int32_t k = i + 1; k < g->n; k++) {
            if (g->joined[i][k])
                sum += (double)g->pair[i][k][value[i] * g->size[k] + value[k]];
        }
    }
    // Whatever has something forbidden is as bad as all that has.
    return sum < (double)MW_ELIMINATE_INFINITE ? sum
                                               : (double)MW_ELIMINATE_INFINITE;
}

static double count_out(const group *g)
{
    int32_t value[MAX_N] = {0};
    double least = cost_of(g, value);
    for (int32_t i = 0; i < g->n;) {
        if (++value[i] == g->size[i]) {
            value[i++] = 0;
            continue;
        }
        double cost = cost_of(g, value);
        least = cost < least ? cost : least;
        i = 0;
    }
    return least;
}

static mw_status fill(mw_eliminator *e, const group *g)
{
    mw_eliminator_clear(e);
    for (int32_t i = 0; i < g->n; i++) {
        float *cost = mw_eliminator_add(e, g->size[i], g->value[i], i % 3);
        if (!cost)
            return MW_ENOMEM;
        memcpy(cost, g->cost[i], (size_t)g->size[i] * sizeof *cost);
    }
    for (int32_t i = 0; i < g->n; i++) {
        for (int32_t k = i + 1; k < g->n; k++) {
            if (g->joined[i][k])
                MW_TRY(mw_eliminator_join(e, i, k, g->pair[i][k], NULL));
        }
    }
    return MW_OK;
}

static mw_status choose(mw_eliminator *e, const group *g, int64_t max_states,
                        double *cost)
{
    int32_t value[MAX_N];
    MW_TRY(fill(e, g));
    MW_TRY(mw_eliminator_run(e, max_states));
    for (int32_t i = 0; i < g->n; i++)
        value[i] = e->variable[i].value;
    *cost = cost_of(g, value);
    return MW_OK;
}

// An optimum when nothing is held; else no worse than where it began.
static void against_counting(void)
{
    uint64_t state = 3;
    mw_ctx ctx;
    mw_eliminator e;
    mw_ctx_init(&ctx);
    mw_eliminator_init(&e, &ctx);
    for (int i = 0; i < 2000; i++) {
        group g;
        double all = 0, few = 0;
        make_group(&g, &state);
        mw_status status = choose(&e, &g, 1000000, &all);
        int32_t n_held = e.n_held;
        if (status == MW_OK)
            status = choose(&e, &g, 8, &few);
        double least = count_out(&g), start = cost_of(&g, g.value);
        CHECK(status == MW_OK && n_held == 0 && !(all > least) &&
                  !(few > start) && !(few < least),
              "group %d: %g, counted %g; held %d: %g, from %g; %s", i, all,
              least, e.n_held, few, start, ctx.message);
    }
    mw_eliminator_free(&e);
    mw_ctx_free(&ctx);
}

static mw_status choose_body(mw_ctx *ctx, void *argument)
{
    mw_eliminator e;
    double cost;
    mw_eliminator_init(&e, ctx);
    mw_status status = choose(&e, argument, 20, &cost);
    mw_eliminator_free(&e);
    return status;
}

static void no_memory(void)
{
    uint64_t state = 11;
    for (int i = 0; i < 5; i++) {
        group g;
        make_group(&g, &state);
        check_oom("a group", choose_body, &g);
    }
}

const mw_suite mw_suite_eliminate = {
    "eliminate",
    {
        {"groups are chosen as counting says", against_counting},
        {"no memory", no_memory},
        {NULL, NULL},
    },
};
