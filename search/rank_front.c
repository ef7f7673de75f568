/* rank_front.c - time against memory. A problem under a limit gives the least
 * time of all plans within it, and usually a plan that takes less than the
 * limit: between the two no other point lies. The ends come first, then the
 * middle of the widest gap, until gaps are small; then each is closed from
 * above, a point at a time. */
#include "search/rank_parts.h"

#include <stdlib.h>

#include "search/layout_hunt.h"

enum { MAX_POINTS = 64, SLICES = 8 };
static const double narrow_gap = 1.05;

// The best answer under a limit of live memory, good for all limits from what
// it takes up to this.
typedef struct point {
    int64_t limit;
    mw_answer answer;
} point;

typedef struct front {
    mw_searcher *searcher;
    point point[MAX_POINTS + 2]; /* most memory first */
    int n;
    bool whole;
    double end_s; /* of the search; 0: none */
} front;

static int64_t taken(const point *at)
{
    return at->answer.figures.peak_bytes;
}

// Solves under a limit; the answer has no state when none was found in time.
static mw_status ask(front *f, int64_t limit, const int32_t *start,
                     mw_answer *answer)
{
    mw_hunt *hunt = &f->searcher->hunt;
    double now_s = mw_clock_s();
    if (f->end_s > 0)
        hunt->budget.deadline.end_s = now_s + (f->end_s - now_s) / SLICES;
    return mw_hunt_time(hunt, limit, start, answer);
}

static void insert(front *f, int at, const point *made)
{
    for (int i = f->n; i > at; i--)
        f->point[i] = f->point[i - 1];
    f->point[at] = *made;
    f->n++;
}

static void drop(front *f, int at)
{
    f->n--;
    for (int i = at; i < f->n; i++)
        f->point[i] = f->point[i + 1];
}

// The fastest, and of the most frugal the fastest.
static mw_status find_ends(front *f)
{
    mw_searcher *searcher = f->searcher;
    mw_answer least;
    point high = {.limit = searcher->limit}, low;
    MW_TRY(mw_hunt_least(&searcher->hunt, &least));
    if (!least.state)
        return MW_OK;
    MW_TRY(ask(f, high.limit, least.state, &high.answer));
    if (!high.answer.state)
        return MW_OK;
    low.limit = least.figures.peak_bytes;
    MW_TRY(ask(f, low.limit, least.state, &low.answer));
    f->whole = least.status == MW_SOLVE_OPTIMAL;
    insert(f, 0, &high);
    if (low.answer.state &&
        low.answer.figures.time_ps > high.answer.figures.time_ps)
        insert(f, 1, &low);
    return MW_OK;
}

// Limits between a point and the next that are not known yet.
static bool gap(const front *f, int i, int64_t *low, int64_t *high)
{
    *low = f->point[i + 1].limit + 1;
    *high = taken(&f->point[i]) - 1;
    return *low <= *high;
}

// The limit to ask for next, between points *at and *at + 1; 0: none is left.
static int64_t next_limit(const front *f, int *at)
{
    int first = MW_NONE, widest = MW_NONE;
    double most = narrow_gap;
    for (int i = 0; i + 1 < f->n; i++) {
        int64_t low, high;
        if (!gap(f, i, &low, &high))
            continue;
        first = first == MW_NONE ? i : first;
        double ratio = (double)high / (double)low;
        if (ratio > most) {
            most = ratio;
            widest = i;
        }
    }
    *at = widest != MW_NONE ? widest : first;
    if (*at == MW_NONE)
        return 0;
    int64_t low, high;
    (void)gap(f, *at, &low, &high);
    return widest != MW_NONE ? low + (high - low) / 2 : high;
}

// What a limit between point i and the next says.
static mw_status probe(front *f, int i, int64_t limit)
{
    point made = {.limit = limit};
    point *low = &f->point[i + 1];
    MW_TRY(ask(f, limit, low->answer.state, &made.answer));
    if (!made.answer.state ||
        made.answer.figures.time_ps >= low->answer.figures.time_ps) {
        // The next point is the best up to here.
        bool proven = made.answer.status == MW_SOLVE_OPTIMAL;
        f->whole = f->whole && proven;
        low->limit = limit;
        return MW_OK;
    }
    if (made.answer.figures.time_ps <= f->point[i].answer.figures.time_ps)
        f->point[i] = made;
    else
        insert(f, i + 1, &made);
    return MW_OK;
}

static mw_status keep(mw_searcher *searcher, int64_t limit,
                      const mw_ranked *row)
{
    mw_ranking *ranking = searcher->ranking;
    mw_ranked *made;
    mw_ranked **all =
        mw_arena_reserve(searcher->arena, ranking->front, ranking->n_front,
                         &ranking->cap_front, sizeof *all);
    if (!all)
        return MW_ENOMEM;
    ranking->front = all;
    MW_TRY(mw_rank_make(searcher, row, &made));
    if (made->plan.peak_bytes > limit) {
        // Packing lost what others may have kept.
        made->status = MW_SOLVE_FEASIBLE;
        made->bound = 0;
        ranking->front_whole = false;
    }
    if (made->plan.peak_bytes <= searcher->limit)
        all[ranking->n_front++] = made;
    return MW_OK;
}

// limit: of live memory, that the answer was asked for.
static mw_status add_point(mw_searcher *searcher, int64_t limit,
                           const mw_answer *answer)
{
    mw_ranked row = {.name = "",
                     .planned = true,
                     .feasible = true,
                     .status = answer->status,
                     .proof = answer->proof,
                     .bound = answer->bound};
    if (answer->status == MW_SOLVE_OPTIMAL)
        row.bound = answer->figures.time_ps;
    MW_TRY(mw_space_choices(&searcher->space, searcher->arena, answer->state,
                            &row.choices));
    return keep(searcher, limit, &row);
}

static mw_status front_of_choices(mw_searcher *searcher)
{
    front f = {.searcher = searcher,
               .end_s = searcher->options->budget.deadline.end_s};
    mw_deadline before = searcher->hunt.budget.deadline;
    mw_status status = find_ends(&f);
    while (status == MW_OK && f.n > 1) {
        int at;
        int64_t limit = next_limit(&f, &at);
        if (limit == 0)
            break;
        bool over = f.n == MAX_POINTS || mw_stopped(searcher->ctx) ||
                    (f.end_s > 0 && mw_clock_s() > f.end_s);
        f.whole = f.whole && !over;
        if (over)
            break;
        status = probe(&f, at, limit);
        while (at + 1 < f.n && f.point[at].answer.figures.time_ps >=
                                   f.point[at + 1].answer.figures.time_ps)
            drop(&f, at);
    }
    searcher->hunt.budget.deadline = before;
    searcher->ranking->front_whole = f.whole;
    for (int i = 0; status == MW_OK && i < f.n; i++)
        status = add_point(searcher, f.point[i].limit, &f.point[i].answer);
    return status;
}

// Rules by time: each that takes less memory than all before is a point.
static mw_status front_of_rules(mw_searcher *searcher)
{
    mw_global global;
    int64_t limit = searcher->limit;
    int32_t *state =
        MW_NEW_ARRAY(searcher->arena, searcher->space.n_nodes + 1, int32_t);
    if (!state)
        return MW_ENOMEM;
    MW_TRY(mw_global_open(&global, &searcher->space, searcher->arena,
                          MW_GLOBAL_MOST, false));
    searcher->ranking->front_whole = true;
    while (limit > 0 && mw_global_next(&global, limit, state)) {
        mw_answer answer = {.status = MW_SOLVE_OPTIMAL,
                            .proof = MW_PROOF_EXACT};
        MW_TRY(mw_hunt_keep(&searcher->hunt, state, &answer));
        MW_TRY(add_point(searcher, limit, &answer));
        limit = answer.figures.peak_bytes - 1;
    }
    return MW_OK;
}

mw_status mw_rank_front(mw_searcher *searcher)
{
    MW_TRY(mw_rank_by_rules(searcher) ? front_of_rules(searcher)
                                      : front_of_choices(searcher));
    mw_front_sort(searcher->ranking);
    return MW_OK;
}

// A point without a bound of its own has that of the one before it: with more
// memory nothing takes longer.
static void inherit_bounds(mw_ranking *ranking)
{
    for (int i = 1; i < ranking->n_front; i++) {
        mw_ranked *row = ranking->front[i];
        if (row->bound < ranking->front[i - 1]->bound)
            row->bound = ranking->front[i - 1]->bound;
    }
}

static int by_memory(const void *a, const void *b)
{
    const mw_plan *x = &(*(mw_ranked *const *)a)->plan;
    const mw_plan *y = &(*(mw_ranked *const *)b)->plan;
    if (x->time_ps != y->time_ps)
        return x->time_ps < y->time_ps ? -1 : 1;
    return (x->peak_bytes > y->peak_bytes) - (x->peak_bytes < y->peak_bytes);
}

void mw_front_sort(mw_ranking *ranking)
{
    int n = 0;
    if (ranking->n_front == 0)
        return;
    qsort(ranking->front, (size_t)ranking->n_front, sizeof *ranking->front,
          by_memory);
    for (int i = 0; i < ranking->n_front; i++) {
        mw_ranked *row = ranking->front[i];
        if (n == 0 ||
            row->plan.peak_bytes < ranking->front[n - 1]->plan.peak_bytes)
            ranking->front[n++] = row;
    }
    ranking->n_front = n;
    inherit_bounds(ranking);
}
