/* test_runtime_wire.c - messages longer than an int counts, on a wire that
 * moves nothing; and that pieces of memory end up where they belong. */
#include <stdlib.h>
#include <string.h>

#include "runtime/combine.h"
#include "runtime/strided.h"
#include "runtime/wire.h"
#include "tests/test.h"

/* What was handed to the transport. */
typedef struct record {
    int n_sends, n_receives, n_waits, largest;
    int64_t sent, received;
    const char *next_send;
    char *next_receive;
    bool in_order;
} record;

static mw_status take_send(mw_wire *wire, const void *bytes, int count, int to)
{
    record *r = wire->state;
    r->in_order = r->in_order && bytes == r->next_send && to == 1 && count > 0;
    r->next_send += count;
    r->n_sends++;
    r->sent += count;
    r->largest = count > r->largest ? count : r->largest;
    wire->bytes_sent += count;
    return MW_OK;
}

static mw_status take_receive(mw_wire *wire, void *bytes, int count, int from)
{
    record *r = wire->state;
    r->in_order = r->in_order && bytes == r->next_receive && from == 2;
    r->next_receive += count;
    r->n_receives++;
    r->received += count;
    return MW_OK;
}

static mw_status take_wait(mw_wire *wire)
{
    ((record *)wire->state)->n_waits++;
    return MW_OK;
}

/* M01, M02: totals beyond 2^31 go in parts, each within an int. */
static void long_messages(void)
{
    static const mw_wire_def def = {
        .send = take_send, .receive = take_receive, .wait = take_wait};
    static const struct {
        int64_t send, receive;
        int n_sends, n_receives;
    } rows[] = {
        {0, 0, 0, 0},
        {5, 0, 1, 0},
        {MW_WIRE_PART, MW_WIRE_PART - 1, 1, 1},
        {INT64_C(1) << 31, 3, 2, 1},
        {(INT64_C(1) << 31) + 1, INT64_C(1) << 33, 3, 8},
        {INT64_C(2800000000) * 4, 0, 11, 0},
    };
    static char anchor;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        /* never followed: only compared */
        record r = {
            .next_send = &anchor, .next_receive = &anchor, .in_order = true};
        mw_wire wire = {.def = &def, .size = 3, .state = &r};
        mw_status status = mw_wire_swap(&wire, 1, &anchor, rows[i].send, 2,
                                        &anchor, rows[i].receive);
        CHECK(status == MW_OK && r.in_order && r.sent == rows[i].send &&
                  r.received == rows[i].receive &&
                  wire.bytes_sent == rows[i].send,
              "row %zu: %lld sent, %lld received", i, (long long)r.sent,
              (long long)r.received);
        CHECK(r.n_sends == rows[i].n_sends &&
                  r.n_receives == rows[i].n_receives &&
                  r.largest <= MW_WIRE_PART,
              "row %zu: %d sends, %d receives, largest %d", i, r.n_sends,
              r.n_receives, r.largest);
    }
}

/* S05, S08: blocks of every extent over every number of ranks tile it, and
 * copying them out and back in gives the whole, byte for byte. */
static void boxes(void)
{
    for (int64_t n = 0; n <= 9; n++)
        for (int64_t p = 1; p <= 5; p++) {
            int whole[9 * 4], copy[9 * 4];
            for (int i = 0; i < 9 * 4; i++) {
                whole[i] = i * 3 + 1;
                copy[i] = 0;
            }
            mw_box all = {.rank = 2, .axis = {{0, 4}, {0, n}}};
            for (int64_t k = 0; k < p; k++) {
                int block[9 * 4];
                mw_box part = all;
                part.axis[1] = mw_block_of(n, p, k);
                mw_strided out, in;
                mw_strided_box(&out, 4, &part, &all, &part);
                mw_strided_box(&in, 4, &part, &part, &all);
                mw_strided_run(&out, whole, block);
                mw_strided_run(&in, block, copy);
                CHECK(mw_strided_dst_dense(&out) && mw_strided_src_dense(&in),
                      "%lld over %lld: a block of its own is not dense",
                      (long long)n, (long long)p);
            }
            CHECK(memcmp(whole, copy, (size_t)(4 * n) * sizeof(int)) == 0,
                  "%lld over %lld: the blocks do not make the whole",
                  (long long)n, (long long)p);
        }
}

static void combining(void)
{
    static const struct {
        mw_reduce reduce;
        int32_t a, b, want;
    } rows[] = {
        {MW_REDUCE_SUM, 5, -7, -2},   {MW_REDUCE_SUM, INT32_MAX, 1, INT32_MIN},
        {MW_REDUCE_PROD, 5, -7, -35}, {MW_REDUCE_PROD, 65536, 65537, 65536},
        {MW_REDUCE_MAX, 5, -7, 5},    {MW_REDUCE_MIN, 5, -7, -7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int32_t a = rows[i].a, neutral;
        mw_combine_find(MW_I32, rows[i].reduce)(&a, &rows[i].b, 1);
        CHECK(a == rows[i].want, "row %zu: %d and %d give %d, want %d", i,
              rows[i].a, rows[i].b, a, rows[i].want);
        mw_combine_neutral(MW_I32, rows[i].reduce, &neutral);
        mw_combine_find(MW_I32, rows[i].reduce)(&neutral, &rows[i].b, 1);
        CHECK(neutral == rows[i].b, "row %zu: neutral and %d give %d", i,
              rows[i].b, neutral);
    }
    const float nan = strtof("nan", NULL);
    for (int k = MW_REDUCE_SUM; k <= MW_REDUCE_MIN; k++)
        for (int side = 0; side < 2; side++) {
            float a = side ? nan : 1, b = side ? 1 : nan;
            mw_combine_find(MW_F32, (mw_reduce)k)(&a, &b, 1);
            CHECK(a != a, "%s of NaN on side %d is %g",
                  mw_reduce_name((mw_reduce)k), side, (double)a);
        }
}

/* 1 and 1 + 2^-8, 0 and infinity, by every kind, as bits. */
static void combining_halves(void)
{
    static const struct {
        mw_dtype dtype;
        mw_reduce reduce;
        uint16_t a, b, want;
    } rows[] = {
        {MW_F16, MW_REDUCE_SUM, 0x3c00, 0x3c04, 0x4002},
        {MW_F16, MW_REDUCE_PROD, 0x3c04, 0x3c04, 0x3c08},
        {MW_F16, MW_REDUCE_MAX, 0x3c00, 0x3c04, 0x3c04},
        {MW_F16, MW_REDUCE_MIN, 0x3c00, 0x7c00, 0x3c00},
        {MW_F16, MW_REDUCE_SUM, 0x3c00, 0x7e00, 0x7e00},
        {MW_BF16, MW_REDUCE_SUM, 0x3f80, 0x3f80, 0x4000},
        {MW_BF16, MW_REDUCE_MAX, 0xff80, 0x3f80, 0x3f80},
        {MW_I16, MW_REDUCE_SUM, 0x7fff, 1, 0x8000},
        {MW_U16, MW_REDUCE_MAX, 0x7fff, 0x8000, 0x8000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint16_t a = rows[i].a, neutral;
        mw_combine_find(rows[i].dtype, rows[i].reduce)(&a, &rows[i].b, 1);
        CHECK(a == rows[i].want, "row %zu: %04x and %04x give %04x, want %04x",
              i, rows[i].a, rows[i].b, a, rows[i].want);
        mw_combine_neutral(rows[i].dtype, rows[i].reduce, &neutral);
        mw_combine_find(rows[i].dtype, rows[i].reduce)(&neutral, &rows[i].a, 1);
        CHECK(neutral == rows[i].a, "row %zu: neutral and %04x give %04x", i,
              rows[i].a, neutral);
    }
}

const mw_suite mw_suite_runtime_wire = {
    "runtime_wire",
    {{"long messages", long_messages},
     {"boxes", boxes},
     {"combining", combining},
     {"combining halves", combining_halves}}};
