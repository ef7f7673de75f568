/* run_improve.c - the neighbourhood search: workers, rounds, phases.
 *
 * A round is a fixed amount of work on each worker, after which they compare.
 * A phase is a share of the time or of the iterations, after which what the
 * better incumbent rules out is deleted and workers start again on what is
 * left. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"
#include "search/lns.h"
#include "search/staged.h"

enum { PHASES = 6, ROUND_MOVES = 400, MAX_THREADS = 64, FREE_MOVES = 2000 };

/* Table entries that a worker fills in a round, about. */
enum { ROUND_EFFORT = 100000000 };

/* Between phases, in turn: small steps where the range is wide, large ones
 * where it is narrow and prices have to change all the same. */
static const mw_ascent again[2] = {
    {.rounds = 800, .first = 0.02, .last = 2e-4, .time_share = 0.08},
    {.rounds = 400, .first = 0.1, .last = 1e-3, .time_share = 0.03}};

/* Share of the search after which workers cross their choices: before that each
 * is to find its own. */
static const double APART = 0.6;

/* When phases end, as a share of the search. */
static const double phase_end[PHASES] = {0.03, 0.2, 0.4, 0.6, 0.8, 1};

typedef struct worker {
    pthread_t thread;
    mw_ctx ctx;
    mw_lns lns;
    int64_t moves, moves_before;
    double temperature;
    const mw_deadline *deadline;
    mw_status status;
    bool started;
} worker;

typedef struct team {
    mw_run *run;
    mw_lns_base base;
    mw_arena arena;
    worker *worker;
    int32_t **seen; /* the workers' bests between two rounds */
    int n;
    int64_t moves_done;  /* on each worker, of the whole search */
    int64_t moves_limit; /* 0: by time */
    double begin_s;
} team;

static double share_done(const team *t)
{
    const mw_deadline *deadline = &t->run->deadline;
    if (t->moves_limit > 0)
        return (double)t->moves_done / (double)t->moves_limit;
    return (mw_clock_s() - t->begin_s) / (deadline->end_s - t->begin_s);
}

// Cools to nothing at nine tenths of the search.
static double temperature_at(const team *t, double done)
{
    const mw_run *run = t->run;
    double left = 1 - done / 0.9;
    if (!run->incumbent.found || !run->bounded || left <= 0)
        return 0;
    double range = (double)(run->incumbent.cost - run->bound);
    double warm = 5 * ldexp(range, run->net.scale) /
                  sqrt((double)run->net.n_nodes_left + 1);
    return warm * left * left;
}

static void *work(void *argument)
{
    worker *w = argument;
    w->status = mw_lns_run(&w->lns, w->moves, ROUND_EFFORT, w->temperature,
                           w->deadline);
    return NULL;
}

// A round ends by effort, so that no worker waits long for the others; the most
// moves that one made count.
static int64_t most_moves(team *t, int64_t moves)
{
    int64_t most = 0;
    for (int i = 0; i < t->n; i++) {
        int64_t made = t->worker[i].lns.n_moves - t->worker[i].moves_before;
        most = made > most ? made : most;
    }
    return most > 0 ? most : moves;
}

static mw_status run_workers(team *t, int64_t moves)
{
    double now = share_done(t);
    for (int i = 0; i < t->n; i++) {
        worker *w = &t->worker[i];
        w->moves = moves;
        w->moves_before = w->lns.n_moves;
        w->deadline = &t->run->deadline;
        w->temperature = temperature_at(t, now);
        w->started = i > 0 && pthread_create(&w->thread, NULL, work, w) == 0;
    }
    for (int i = 0; i < t->n; i++) {
        worker *w = &t->worker[i];
        if (w->started)
            (void)pthread_join(w->thread, NULL);
        else
            (void)work(w);
    }
    t->moves_done += most_moves(t, moves);
    for (int i = 0; i < t->n; i++) {
        worker *w = &t->worker[i];
        if (w->status != MW_OK)
            return mw_fail(t->run->ctx, w->status, "%s", w->ctx.message);
    }
    return MW_OK;
}

// The worker with the least best, or the least overrun while none fits.
static int best_worker(const team *t)
{
    int best = 0;
    for (int i = 1; i < t->n; i++) {
        const mw_lns *a = &t->worker[i].lns, *b = &t->worker[best].lns;
        bool better = a->has_best != b->has_best ? a->has_best
                      : a->has_best              ? a->best_cost < b->best_cost
                                                 : a->excess < b->excess;
        if (better)
            best = i;
    }
    return best;
}

// What each worker may cross with: the bests of the others, as they are now.
static void show_others(team *t)
{
    size_t n = (size_t)t->run->net.n_nodes;
    int32_t n_seen = 0;
    for (int i = 0; i < t->n; i++) {
        const mw_lns *lns = &t->worker[i].lns;
        t->worker[i].lns.n_others = 0;
        if (lns->has_best)
            memcpy(t->seen[n_seen++], lns->best, n * sizeof *lns->best);
    }
    // Crossing with its own best does no harm.
    for (int i = 0; i < t->n && n_seen > 1; i++) {
        t->worker[i].lns.other = (const int32_t *const *)t->seen;
        t->worker[i].lns.n_others = n_seen;
    }
}

// The incumbent takes the best; a worker that is far behind goes on from it.
static mw_status compare_workers(team *t)
{
    const mw_lns *best = &t->worker[best_worker(t)].lns;
    if (!best->has_best)
        return MW_OK;
    MW_TRY(
        mw_incumbent_offer(&t->run->incumbent, &t->run->net, best->best, NULL));
    for (int i = 0; i < t->n; i++) {
        mw_lns *lns = &t->worker[i].lns;
        double behind = (double)lns->cost - (double)best->best_cost;
        double apart = share_done(t) < APART ? 0.3 : 0;
        double allowed =
            40 * t->worker[i].temperature + apart * (double)best->best_cost;
        if (lns->excess > 0 || behind > allowed)
            mw_lns_start(lns, best->best);
    }
    return MW_OK;
}

static mw_status start_workers(team *t, int phase)
{
    const mw_run *run = t->run;
    int32_t *current = MW_NEW_ARRAY(&t->arena, run->net.n_nodes, int32_t);
    if (!current)
        return MW_ENOMEM;
    (void)mw_net_restrict(
        &run->net, run->incumbent.found ? run->incumbent.choice : run->guess,
        current);
    t->seen = MW_NEW_ARRAY(&t->arena, t->n, int32_t *);
    if (!t->seen)
        return MW_ENOMEM;
    for (int i = 0; i < t->n; i++) {
        worker *w = &t->worker[i];
        t->seen[i] = MW_NEW_ARRAY(&t->arena, run->net.n_nodes, int32_t);
        if (!t->seen[i])
            return MW_ENOMEM;
        uint64_t seed =
            run->options->seed * 1000003 + (uint64_t)(phase * MAX_THREADS + i);
        mw_ctx_init(&w->ctx);
        w->ctx.stop = run->ctx->stop;
        MW_TRY(mw_lns_init(&w->lns, &w->ctx, &t->base, seed));
        mw_lns_start(&w->lns, current);
    }
    return MW_OK;
}

static void stop_workers(team *t)
{
    for (int i = 0; t->worker && i < t->n; i++) {
        mw_lns_free(&t->worker[i].lns);
        mw_ctx_free(&t->worker[i].ctx);
    }
}

static mw_status run_phase(team *t, int phase)
{
    mw_run *run = t->run;
    double end = phase_end[phase];
    MW_TRY(mw_lns_base_init(&t->base, &t->arena, &run->net));
    MW_TRY(start_workers(t, phase));
    while (!mw_run_over(run) && share_done(t) < end) {
        int64_t moves = ROUND_MOVES;
        if (t->moves_limit > 0 && t->moves_limit - t->moves_done < moves)
            moves = t->moves_limit - t->moves_done;
        MW_TRY(run_workers(t, moves));
        MW_TRY(compare_workers(t));
        if (share_done(t) > APART)
            show_others(t);
        mw_run_report(run, "neighbours");
    }
    return MW_OK;
}

static mw_status run_phases(team *t)
{
    for (int phase = 0; phase < PHASES && !mw_run_over(t->run); phase++) {
        bool done = false;
        mw_arena_init(&t->arena, t->run->ctx);
        mw_status status = run_phase(t, phase);
        stop_workers(t);
        mw_arena_free(&t->arena);
        MW_TRY(status);
        if (mw_run_over(t->run))
            return MW_OK;
        MW_TRY(mw_run_tighten(t->run, &again[phase % 2], 1));
        if (!mw_run_over(t->run))
            MW_TRY(mw_run_finish(t->run, &done));
        if (done)
            return MW_OK;
    }
    return MW_OK;
}

mw_status mw_run_improve(mw_run *run)
{
    const mw_solve_options *options = run->options;
    team t = {.run = run, .n = options->threads ? options->threads : 2};
    if (t.n > MAX_THREADS)
        t.n = MAX_THREADS;
    t.begin_s = mw_clock_s();
    t.moves_limit = options->iterations;
    if (t.moves_limit == 0 && run->deadline.end_s <= 0)
        t.moves_limit = FREE_MOVES;
    t.worker = mw_mem_alloc(run->ctx, (size_t)t.n, sizeof *t.worker);
    if (!t.worker)
        return MW_ENOMEM;
    mw_status status = run_phases(&t);
    mw_mem_free(t.worker);
    return status;
}
