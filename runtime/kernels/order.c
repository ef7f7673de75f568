/*
 * order.c - sort and top_k by merging, in n log n comparisons and the plan's
 * workspace; a few of many by insertion.
 */
#include "ir/order.h"
#include "runtime/kernel.h"

enum { FEW = 64 };

/* A lane's values, and the places that they come from. */
typedef struct lane_sort {
    mw_class class;
    bool descends;
    mw_number *value;
    int64_t *index, *other;
} lane_sort;

static bool before(const lane_sort *s, int64_t a, int64_t b)
{
    int order = mw_order_compare(s->class, s->value[a], s->value[b]);
    if (s->descends)
        order = -order;
    return order < 0 || (order == 0 && a < b);
}

static void merge(const lane_sort *s, const int64_t *from, int64_t *to,
                  int64_t lo, int64_t middle, int64_t hi)
{
    int64_t a = lo, b = middle;
    for (int64_t k = lo; k < hi; k++) {
        bool left = a < middle && (b == hi || before(s, from[a], from[b]));
        to[k] = left ? from[a++] : from[b++];
    }
}

// Runs of 1, 2, 4, … in turn from one array into the other; the sorted one.
static const int64_t *sorted(const lane_sort *s, int64_t n)
{
    int64_t *from = s->index, *to = s->other;
    for (int64_t i = 0; i < n; i++)
        from[i] = i;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * run) {
            int64_t middle = lo + run < n ? lo + run : n;
            int64_t hi = lo + 2 * run < n ? lo + 2 * run : n;
            merge(s, from, to, lo, middle, hi);
        }
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

// The first k of n, each put in its place among those found so far.
static const int64_t *first_few(const lane_sort *s, int64_t n, int64_t k)
{
    int64_t held = 0;
    for (int64_t i = 0; i < n && k > 0; i++) {
        if (held == k && !before(s, i, s->index[k - 1]))
            continue;
        int64_t at = held < k ? held++ : k - 1;
        for (; at > 0 && before(s, i, s->index[at - 1]); at--)
            s->index[at] = s->index[at - 1];
        s->index[at] = i;
    }
    return s->index;
}

static void sort_lane(const mw_op *op, const mw_lane *in, const mw_lane out[],
                      void *arg)
{
    (void)op;
    const lane_sort *s = arg;
    int64_t n = in->whole, end = out[0].start + out[0].size;
    mw_numbers_load(in->dtype, in->data, in->at, in->stride, n, s->value);
    const int64_t *index = end <= FEW ? first_few(s, n, end) : sorted(s, n);
    for (int64_t k = out[0].start; k < end; k++) {
        mw_lane_store(&out[0], k, s->value[index[k]]);
        mw_lane_store(&out[1], k, (mw_number){.i = index[k]});
    }
}

// The elements of a lane, which a block that is needed has all of.
static int64_t lane_size(const mw_op *op, const mw_view *in)
{
    for (int a = 0; a < in->rank; a++) {
        int letter = op->in[0].letter[a];
        if (op->in[0].window & 1U << a ||
            (letter != MW_NONE && !mw_op_letter_in_output(op, letter)))
            return in->size[a];
    }
    return 1;
}

static bool run(const mw_kernel_call *call)
{
    int64_t n = lane_size(call->op, &call->in[0]);
    if (n == 0 || n * 3 * (int64_t)sizeof(int64_t) > call->workspace_bytes)
        return false;
    lane_sort s = {.class = mw_dtype_class(call->in[0].dtype),
                   .descends = mw_order_descends(call->op),
                   .value = call->workspace};
    s.index = (int64_t *)(s.value + n);
    s.other = s.index + n;
    mw_lanes_run(call->op, call->in, call->out, sort_lane, &s);
    return true;
}

static const mw_kernel_row rows[] = {
    {"sort", MW_KERNEL_ANY, run},
    {"top_k", MW_KERNEL_ANY, run},
    {0},
};

const mw_kernel_def mw_kernel_order = {
    .name = "order",
    .brief = "sorting by merging",
    .rows = rows,
};
