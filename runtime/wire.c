/* wire.c - cuts messages into parts that a transport's int can count. */
#include "runtime/wire.h"

#include "base/clock.h"

static int part(int64_t bytes)
{
    return bytes < MW_WIRE_PART ? (int)bytes : (int)MW_WIRE_PART;
}

char *mw_wire_theirs(const mw_wire *wire, int member, const void *own)
{
    return wire->part[member] + ((const char *)own - wire->part[wire->rank]);
}

bool mw_wire_shares(const mw_wire *wire, const void *own, int64_t bytes)
{
    if (!wire->part || !own)
        return false;
    uintptr_t start = (uintptr_t)wire->part[wire->rank], at = (uintptr_t)own;
    return at >= start && at - start <= (uint64_t)wire->part_bytes &&
           bytes <= wire->part_bytes - (int64_t)(at - start);
}

mw_status mw_wire_meet(mw_wire *wire)
{
    double start = mw_clock_s();
    mw_status status = wire->def->meet(wire);
    wire->wait_s += mw_clock_s() - start;
    return status;
}

mw_status mw_wire_part_with(mw_wire *wire)
{
    MW_TRY(mw_wire_meet(wire));
    wire->bytes_sent += wire->def->gave(wire);
    return MW_OK;
}

mw_status mw_wire_post(mw_wire *wire, int to, const void *send, int64_t n_send,
                       int from, void *receive, int64_t n_receive)
{
    if (n_receive > 0)
        MW_TRY(wire->def->receive(wire, receive, (int)n_receive, from));
    if (n_send > 0)
        MW_TRY(wire->def->send(wire, send, (int)n_send, to));
    return MW_OK;
}

mw_status mw_wire_done(mw_wire *wire, bool *done)
{
    return wire->def->test(wire, done);
}

mw_status mw_wire_finish(mw_wire *wire)
{
    double start = mw_clock_s();
    mw_status status = wire->def->wait(wire);
    wire->wait_s += mw_clock_s() - start;
    return status;
}

mw_status mw_wire_swap(mw_wire *wire, int to, const void *send, int64_t n_send,
                       int from, void *receive, int64_t n_receive)
{
    const char *src = send;
    char *dst = receive;
    while (n_send > 0 || n_receive > 0) {
        int n_in = part(n_receive), n_out = part(n_send);
        MW_TRY(mw_wire_post(wire, to, src, n_out, from, dst, n_in));
        MW_TRY(mw_wire_finish(wire));
        dst += n_in;
        src += n_out;
        n_receive -= n_in;
        n_send -= n_out;
    }
    return MW_OK;
}
