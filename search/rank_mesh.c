/* rank_mesh.c - factorizations, and rankings of several meshes as one. */
#include "search/rank_mesh.h"

#include <stdlib.h>

#include "search/layout_intern.h"

enum { MAX_AXES = 3, N_PROBES = 3 };

// What an axis costs: its size and the times of collectives along it.
typedef struct price {
    int64_t word[1 + N_PROBES * MW_N_COLLECTIVES];
} price;

static price price_of(const mw_mesh *mesh, const mw_costs *costs, int a)
{
    static const int64_t bytes[N_PROBES] = {4, 1 << 16, 1 << 28};
    price made = {{mesh->axis[a].size}};
    int n = 1;
    for (int kind = 0; kind < MW_N_COLLECTIVES; kind++) {
        for (int i = 0; i < N_PROBES; i++)
            made.word[n++] = costs->step_ps(costs, mesh, (mw_collective)kind,
                                            UINT32_C(1) << a, bytes[i],
                                            mesh->axis[a].size - 1, NULL);
    }
    return made;
}

static int compare_prices(const void *a, const void *b)
{
    const price *x = a, *y = b;
    for (size_t i = 0; i < sizeof x->word / sizeof x->word[0]; i++) {
        if (x->word[i] != y->word[i])
            return x->word[i] < y->word[i] ? -1 : 1;
    }
    return 0;
}

static void key_mesh(const mw_mesh *mesh, const mw_costs *costs, mw_key *key)
{
    price axis[MAX_AXES];
    for (int a = 0; a < mesh->n_axes; a++)
        axis[a] = price_of(mesh, costs, a);
    qsort(axis, (size_t)mesh->n_axes, sizeof *axis, compare_prices);
    mw_key_clear(key);
    for (int a = 0; a < mesh->n_axes; a++) {
        for (size_t i = 0; i < sizeof axis->word / sizeof *axis->word; i++)
            mw_key_add(key, axis[a].word[i]);
    }
}

typedef struct factorizer {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_costs *costs;
    mw_intern known;
    mw_key key;
    mw_mesh *mesh;
    int n;
    int64_t cap;
} factorizer;

static mw_status add_mesh(factorizer *all, const int64_t size[], int n_axes)
{
    mw_mesh mesh = {.n_axes = n_axes};
    for (int a = 0; a < n_axes; a++) {
        mesh.axis[a].size = size[a];
        mesh.axis[a].name = mw_arena_format(all->arena, "m%d", a);
        if (!mesh.axis[a].name)
            return MW_ENOMEM;
    }
    bool fresh;
    int32_t id;
    key_mesh(&mesh, all->costs, &all->key);
    MW_TRY(mw_intern_key(&all->known, &all->key, &id, &fresh));
    if (!fresh)
        return MW_OK;
    mw_mesh *more = mw_arena_reserve(all->arena, all->mesh, all->n, &all->cap,
                                     sizeof *more);
    if (!more)
        return MW_ENOMEM;
    all->mesh = more;
    more[all->n++] = mesh;
    return MW_OK;
}

// Splits off every factor of what is left as the next axis.
static mw_status factor(factorizer *all, int64_t left, int64_t size[],
                        int n_axes)
{
    size[n_axes] = left;
    if (left > 1 || n_axes == 0)
        MW_TRY(add_mesh(all, size, n_axes + 1));
    for (int64_t f = 2; n_axes + 1 < MAX_AXES && f <= left / 2; f++) {
        if (left % f != 0)
            continue;
        size[n_axes] = f;
        MW_TRY(factor(all, left / f, size, n_axes + 1));
    }
    return MW_OK;
}

mw_status mw_mesh_factorizations(mw_ctx *ctx, mw_arena *arena, int64_t n_ranks,
                                 const mw_costs *costs, mw_mesh **mesh, int *n)
{
    factorizer all = {.ctx = ctx,
                      .arena = arena,
                      .costs = costs,
                      .known = {.arena = arena},
                      .key = {.arena = arena}};
    int64_t size[MAX_AXES];
    MW_TRY(factor(&all, n_ranks, size, 0));
    *mesh = all.mesh;
    *n = all.n;
    return MW_OK;
}

typedef struct orderer {
    factorizer found; /* meshes so far */
    bool named;
} orderer;

static mw_status add_order(orderer *all, const mw_mesh *mesh)
{
    factorizer *found = &all->found;
    bool fresh = true;
    int32_t id;
    mw_key_clear(&found->key);
    for (int a = 0; a < mesh->n_axes; a++) {
        price axis = price_of(mesh, found->costs, a);
        for (size_t i = 0; i < sizeof axis.word / sizeof *axis.word; i++)
            mw_key_add(&found->key, axis.word[i]);
        if (all->named)
            mw_key_add_text(&found->key, mesh->axis[a].name);
    }
    MW_TRY(mw_intern_key(&found->known, &found->key, &id, &fresh));
    if (!fresh)
        return MW_OK;
    mw_mesh *more = mw_arena_reserve(found->arena, found->mesh, found->n,
                                     &found->cap, sizeof *more);
    if (!more)
        return MW_ENOMEM;
    found->mesh = more;
    more[found->n++] = *mesh;
    return MW_OK;
}

// Every order of the axes from place a on.
static mw_status add_orders(orderer *all, mw_mesh *mesh, int a)
{
    if (a >= mesh->n_axes)
        return add_order(all, mesh);
    for (int b = a; b < mesh->n_axes; b++) {
        mw_mesh turned = *mesh;
        // Those between move up, so that orders come as words do.
        for (int i = b; i > a; i--)
            turned.axis[i] = mesh->axis[i - 1];
        turned.axis[a] = mesh->axis[b];
        MW_TRY(add_orders(all, &turned, a + 1));
    }
    return MW_OK;
}

mw_status mw_mesh_orders(mw_arena *arena, const mw_costs *costs, bool named,
                         mw_mesh **mesh, int *n)
{
    orderer all = {.found = {.ctx = arena->ctx,
                             .arena = arena,
                             .costs = costs,
                             .known = {.arena = arena},
                             .key = {.arena = arena}},
                   .named = named};
    for (int i = 0; i < *n; i++) {
        mw_mesh one = (*mesh)[i];
        MW_TRY(add_orders(&all, &one, 0));
    }
    *mesh = all.found.mesh;
    *n = all.found.n;
    return MW_OK;
}

void mw_ranking_only(mw_ranking *ranking)
{
    for (int i = 0; i < ranking->n_rows; i++) {
        if (ranking->row[i] == ranking->best)
            ranking->row[0] = ranking->row[i];
    }
    ranking->n_rows = 1;
}

mw_status mw_ranking_join(mw_arena *arena, mw_ranking *ranking,
                          const mw_ranking *more, const char *prefix)
{
    for (int i = 0; i < more->n_rows; i++) {
        mw_ranked **rows =
            mw_arena_reserve(arena, ranking->row, ranking->n_rows,
                             &ranking->cap_rows, sizeof *rows);
        if (!rows)
            return MW_ENOMEM;
        ranking->row = rows;
        rows[ranking->n_rows++] = more->row[i];
        if (!prefix)
            continue;
        more->row[i]->name =
            mw_arena_format(arena, "%s:%s", prefix, more->row[i]->name);
        if (!more->row[i]->name)
            return MW_ENOMEM;
    }
    for (int i = 0; i < more->n_front; i++) {
        mw_ranked **front =
            mw_arena_reserve(arena, ranking->front, ranking->n_front,
                             &ranking->cap_front, sizeof *front);
        if (!front)
            return MW_ENOMEM;
        ranking->front = front;
        front[ranking->n_front++] = more->front[i];
    }
    ranking->by_peak = more->by_peak;
    if (!ranking->best)
        ranking->best = more->best;
    return MW_OK;
}
