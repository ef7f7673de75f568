/* pending.c - a queue of moves of which the first few are on their way. */
#include "runtime/pending.h"

#include "base/clock.h"

mw_status mw_pending_init(mw_arena *arena, int64_t cap, mw_pending *pending)
{
    *pending = (mw_pending){0};
    pending->queue = MW_NEW_ARRAY(arena, cap, mw_pending_move);
    return pending->queue ? MW_OK : MW_ENOMEM;
}

void mw_pending_clear(mw_pending *pending)
{
    pending->n = pending->first = 0;
}

mw_status mw_pending_add(mw_pending *pending, mw_move *move, int64_t step)
{
    pending->queue[pending->n++] =
        (mw_pending_move){.move = move, .step = step};
    return mw_pending_poll(pending);
}

// Begins a move if it has not, and lets it go on.
static mw_status advance(mw_pending_move *p)
{
    if (!p->begun) {
        p->begun = true;
        p->begin_s = mw_clock_s();
        p->sent_before = p->move->wire->bytes_sent;
        MW_TRY(mw_move_begin(p->move));
    }
    MW_TRY(mw_move_poll(p->move, &p->done));
    if (p->done) {
        p->bytes_sent = p->move->wire->bytes_sent - p->sent_before;
        p->end_s = mw_clock_s();
    }
    return MW_OK;
}

// One that is not done before it has its wire.
static bool must_wait(const mw_pending *pending, int64_t k)
{
    const mw_pending_move *queue = pending->queue;
    for (int64_t i = pending->first; i < k; i++)
        if (!queue[i].done && queue[i].move->wire == queue[k].move->wire)
            return true;
    return false;
}

// The first ones that are not done, as many as there are lanes, in order: the
// very first is on its way on every rank that has not done with it, so that
// none waits for ever.
mw_status mw_pending_poll(mw_pending *pending)
{
    int looked_at = 0;
    for (int64_t k = pending->first;
         k < pending->n && looked_at < MW_PENDING_AT_ONCE; k++) {
        mw_pending_move *p = &pending->queue[k];
        if (p->done)
            continue;
        if (p->begun || !must_wait(pending, k))
            MW_TRY(advance(p));
        looked_at += !p->done;
    }
    while (pending->first < pending->n && pending->queue[pending->first].done)
        pending->first++;
    return MW_OK;
}

mw_status mw_pending_wait(mw_pending *pending, int64_t step)
{
    while (pending->first < pending->n &&
           pending->queue[pending->first].step <= step) {
        mw_pending_move *p = &pending->queue[pending->first];
        double start = mw_clock_s();
        MW_TRY(mw_pending_poll(pending));
        p->wait_s += mw_clock_s() - start;
    }
    return MW_OK;
}
