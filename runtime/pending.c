/* pending.c - a queue of moves of which the first one is on its way. */
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
    pending->begun = false;
}

mw_status mw_pending_add(mw_pending *pending, mw_move *move, int64_t step)
{
    pending->queue[pending->n++] =
        (mw_pending_move){.move = move, .step = step};
    return mw_pending_poll(pending);
}

// Begins the first one if it has not, and lets it go on, waiting for its round
// if `waits`.
static mw_status advance(mw_pending *pending, bool waits, bool *done)
{
    mw_pending_move *p = &pending->queue[pending->first];
    int64_t before = p->move->wire->bytes_sent;
    double start = mw_clock_s();
    if (!pending->begun) {
        p->begin_s = start;
        pending->begun = true;
        MW_TRY(mw_move_begin(p->move));
    }
    MW_TRY(waits ? mw_move_wait(p->move, done) : mw_move_poll(p->move, done));
    p->bytes_sent += p->move->wire->bytes_sent - before;
    p->end_s = mw_clock_s();
    if (waits)
        p->wait_s += p->end_s - start;
    if (*done) {
        pending->first++;
        pending->begun = false;
    }
    return MW_OK;
}

mw_status mw_pending_poll(mw_pending *pending)
{
    bool done = true;
    while (done && pending->first < pending->n)
        MW_TRY(advance(pending, false, &done));
    return MW_OK;
}

mw_status mw_pending_wait(mw_pending *pending, int64_t step)
{
    bool done;
    while (pending->first < pending->n &&
           pending->queue[pending->first].step <= step)
        MW_TRY(advance(pending, true, &done));
    return MW_OK;
}
