/* test_refine.c - classes of items equal those found by comparing all pairs,
 * round by round; a long chain is told apart from its end. */
#include "base/refine.h"
#include "tests/test.h"

enum { MAX_ITEMS = 10, MAX_GROUPS = 12, ARITY = 3, N_TASKS = 4000 };
enum { CHAIN = 100000 };

typedef struct task {
    mw_refine_place place[MAX_GROUPS * ARITY];
    int64_t first[MAX_GROUPS + 1];
    uint64_t kind[MAX_GROUPS], class[MAX_ITEMS];
    mw_refine refine;
} task;

static int64_t below(uint64_t *seed, int64_t n)
{
    return (int64_t)(mw_test_random(seed) % (uint64_t)n);
}

static void make(task *t, uint64_t *seed)
{
    *t = (task){.first = {0}};
    mw_refine *r = &t->refine;
    *r = (mw_refine){.n_items = 1 + below(seed, MAX_ITEMS),
                     .n_groups = below(seed, MAX_GROUPS + 1),
                     .kind = t->kind,
                     .first = t->first,
                     .place = t->place,
                     .class = t->class};
    for (int64_t g = 0; g < r->n_groups; g++) {
        t->kind[g] = (uint64_t)below(seed, 2);
        int64_t at = t->first[g], n = below(seed, ARITY + 1);
        for (int64_t k = at; k < at + n; k++) {
            t->place[k].item = below(seed, r->n_items);
            t->place[k].mark = (uint64_t)below(seed, 2);
        }
        t->first[g + 1] = at + n;
    }
    for (int64_t i = 0; i < r->n_items; i++)
        t->class[i] = below(seed, 5) == 0;
}

// Do groups g and h look alike?
static bool alike(const task *t, int64_t g, int64_t h)
{
    int64_t n = t->first[g + 1] - t->first[g];
    if (t->kind[g] != t->kind[h] || n != t->first[h + 1] - t->first[h])
        return false;
    for (int64_t k = 0; k < n; k++) {
        const mw_refine_place *p = &t->place[t->first[g] + k];
        const mw_refine_place *q = &t->place[t->first[h] + k];
        if (p->mark != q->mark || t->class[p->item] != t->class[q->item])
            return false;
    }
    return true;
}

// Does item j take a place like place p of group g?
static bool takes(const task *t, int64_t j, int64_t g, int64_t p)
{
    for (int64_t h = 0; h < t->refine.n_groups; h++)
        for (int64_t q = t->first[h]; q < t->first[h + 1]; q++)
            if (t->place[q].item == j && t->place[q].mark == t->place[p].mark &&
                alike(t, g, h))
                return true;
    return false;
}

static bool takes_all(const task *t, int64_t i, int64_t j)
{
    for (int64_t g = 0; g < t->refine.n_groups; g++)
        for (int64_t p = t->first[g]; p < t->first[g + 1]; p++)
            if (t->place[p].item == i && !takes(t, j, g, p))
                return false;
    return true;
}

// A round over all pairs; the classes as the first items of theirs. Did any
// split?
static bool compare_pairs(task *t)
{
    uint64_t next[MAX_ITEMS];
    bool more = false;
    for (int64_t i = 0; i < t->refine.n_items; i++) {
        int64_t j = 0;
        while (t->class[j] != t->class[i] || !takes_all(t, i, j) ||
               !takes_all(t, j, i))
            j++;
        next[i] = (uint64_t)j;
        for (int64_t k = 0; k < i; k++)
            more |= t->class[k] == t->class[i] && next[k] != next[i];
    }
    for (int64_t i = 0; i < t->refine.n_items; i++)
        t->class[i] = next[i];
    return more;
}

static bool same_classes(const task *a, const task *b)
{
    uint64_t n = 0;
    for (int64_t i = 0; i < a->refine.n_items; i++) {
        for (int64_t k = 0; k < i; k++)
            if ((a->class[i] == a->class[k]) != (b->class[i] == b->class[k]))
                return false;
        if (a->class[i] > n)
            return false; // not in the order of first items
        n += a->class[i] == n;
    }
    return true;
}

static void random_tasks(void)
{
    mw_ctx ctx = {0};
    uint64_t seed = 1;
    int n_wrong = 0, n_split = 0;
    for (int i = 0; i < N_TASKS; i++) {
        mw_arena arena;
        mw_arena_init(&arena, &ctx);
        task fast, slow;
        make(&fast, &seed);
        slow = fast;
        slow.refine.class = slow.class;
        while (compare_pairs(&slow))
            n_split++;
        n_wrong += mw_refine_run(&arena, &fast.refine) != MW_OK ||
                   !same_classes(&fast, &slow);
        mw_arena_free(&arena);
    }
    CHECK(n_wrong == 0, "%d tasks of %d differ", n_wrong, N_TASKS);
    CHECK(n_split > N_TASKS / 2, "only %d rounds split anything", n_split);
    mw_ctx_free(&ctx);
}

// Rounds over all items would take hours.
static void chain(void)
{
    mw_ctx ctx = {0};
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_refine_place *place = MW_NEW_ARRAY(&arena, 2 * CHAIN, mw_refine_place);
    int64_t *first = MW_NEW_ARRAY(&arena, CHAIN, int64_t);
    uint64_t *kind = MW_NEW_ARRAY(&arena, CHAIN, uint64_t);
    uint64_t *class = MW_NEW_ARRAY(&arena, CHAIN, uint64_t);
    CHECK(place && first && kind && class, "out of memory");
    if (place && first && kind && class) {
        for (int64_t g = 0; g < CHAIN - 1; g++) {
            place[2 * g] = (mw_refine_place){g, 0};
            place[2 * g + 1] = (mw_refine_place){g + 1, 1};
            first[g + 1] = 2 * g + 2;
        }
        const mw_refine links = {CHAIN, CHAIN - 1, kind, first, place, class};
        CHECK(mw_refine_run(&arena, &links) == MW_OK, "the chain is refused");
        int64_t n_wrong = 0;
        for (int64_t i = 0; i < CHAIN; i++)
            n_wrong += class[i] != (uint64_t)i;
        CHECK(n_wrong == 0, "%lld of %d items share a class",
              (long long)n_wrong, CHAIN);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_refine = {
    "refine", {{"random groups", random_tasks}, {"a long chain", chain}}};
