/* strips.c - which steps share outer axes, and their walk. */
#include "runtime/strips.h"

#include "base/clock.h"
#include "ir/fused.h"
#include "ir/loop.h"

enum {
    MAX_OUTER = 2,
    CACHE = 512 << 10, /* bytes of a strip: half of a usual second cache */
    SHARED_MIN = 64 << 10
};

static int n_views(const mw_exec_step *step)
{
    return step->call.op->n_in + step->call.op->n_out;
}

static const mw_operand *operand_of(const mw_exec_step *step, int i)
{
    const mw_op *op = step->call.op;
    return i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
}

static const mw_view *view_of(const mw_exec_step *step, int i)
{
    int n_in = step->call.op->n_in;
    return i < n_in ? &step->call.in[i] : &step->call.out[i - n_in];
}

static int64_t bytes_of(const mw_view *view)
{
    return mw_view_elements(view) * mw_dtype_bytes(view->dtype);
}

static bool is_fit(const mw_exec_step *step)
{
    if (step->move)
        return false;
    const mw_op *op = step->call.op;
    return (op->def->fuses || op->def->bind == mw_fused_bind) &&
           !op->def->refuses && !op->def->updates &&
           step->call.workspace_bytes == 0 && n_views(step) <= MW_FUSED_VIEWS;
}

static mw_id dim_of(const mw_exec_step *step, int i, int axis)
{
    int letter = operand_of(step, i)->letter[axis];
    return letter == MW_NONE ? MW_NONE : step->call.op->letter[letter].dim;
}

// How an operand meets the outer axes: it has them outermost, or none.
typedef enum meets { MEETS_ALL, MEETS_NONE, MEETS_OTHER } meets;

static meets how(const mw_exec_step *step, int i, const mw_id dim[], int outer)
{
    const mw_view *view = view_of(step, i);
    bool all = view->rank >= outer, none = true;
    for (int d = 0; d < outer; d++)
        all = all && dim_of(step, i, d) == dim[d];
    for (int a = 0; a < view->rank; a++)
        for (int d = 0; d < outer; d++)
            none = none && dim_of(step, i, a) != dim[d];
    return all ? MEETS_ALL : none ? MEETS_NONE : MEETS_OTHER;
}

static bool overlap(const mw_view *a, const mw_view *b)
{
    const char *x = a->data, *y = b->data;
    return x < y + bytes_of(b) && y < x + bytes_of(a);
}

// Step b may be interleaved with a, which stands before: no result lies where
// the other has an operand, but that itself, strip for strip.
static bool apart(const mw_exec_step *a, const mw_exec_step *b,
                  const mw_id dim[], int outer)
{
    for (int i = 0; i < n_views(a); i++)
        for (int k = 0; k < n_views(b); k++) {
            bool written = i >= a->call.op->n_in || k >= b->call.op->n_in;
            const mw_view *x = view_of(a, i), *y = view_of(b, k);
            bool same = x->data == y->data && bytes_of(x) == bytes_of(y) &&
                        how(a, i, dim, outer) == MEETS_ALL &&
                        how(b, k, dim, outer) == MEETS_ALL;
            if (written && !same && overlap(x, y))
                return false;
        }
    return true;
}

static bool share(const mw_exec_step *a, const mw_exec_step *b)
{
    for (int i = 0; i < n_views(a); i++)
        for (int k = 0; k < n_views(b); k++)
            if (view_of(a, i)->data == view_of(b, k)->data &&
                bytes_of(view_of(a, i)) >= SHARED_MIN)
                return true;
    return false;
}

// What lies at one place is one tensor's block, and met alike.
static bool joins(const mw_exec_step *first, int n, const mw_exec_step *step,
                  const mw_id dim[], int outer)
{
    bool shares = n == 0;
    if (!is_fit(step))
        return false;
    for (int i = 0; i < n_views(step); i++) {
        meets own = how(step, i, dim, outer);
        if (own == MEETS_OTHER ||
            (own == MEETS_NONE && i >= step->call.op->n_in))
            return false;
    }
    for (int k = 0; k < n; k++) {
        if (!apart(&first[k], step, dim, outer))
            return false;
        shares = shares || share(&first[k], step);
    }
    return shares;
}

// Steps from `first` on that go together over the outer axes of its result.
static int count(const mw_exec_step *first, int64_t left, int outer)
{
    mw_id dim[MAX_OUTER];
    int n = 0, result = first->move ? 0 : first->call.op->n_in;
    if (!is_fit(first) || view_of(first, result)->rank < outer)
        return 0;
    for (int d = 0; d < outer; d++) {
        dim[d] = dim_of(first, result, d);
        if (dim[d] == MW_NONE)
            return 0;
    }
    while (n < left && n < MW_STRIPS_MOST &&
           joins(first, n, &first[n], dim, outer))
        n++;
    return n;
}

// Bytes of all blocks of n steps, each place once.
static int64_t touched(const mw_exec_step *first, int n)
{
    int64_t total = 0;
    for (int s = 0; s < n; s++)
        for (int i = 0; i < n_views(&first[s]); i++) {
            bool known = false;
            for (int k = 0; k < s && !known; k++)
                for (int j = 0; j < n_views(&first[k]); j++)
                    known = known || view_of(&first[k], j)->data ==
                                         view_of(&first[s], i)->data;
            total += known ? 0 : bytes_of(view_of(&first[s], i));
        }
    return total;
}

static int64_t outer_size(const mw_exec_step *step, int axis)
{
    return view_of(step, step->call.op->n_in)->size[axis];
}

// As few outer axes as give strips that fit the cache.
static void find_from(mw_exec_step *first, int64_t left, int threads)
{
    for (int outer = 1; outer <= MAX_OUTER; outer++) {
        int n = count(first, left, outer);
        if (n < 2)
            return;
        int64_t total = touched(first, n), room = (int64_t)CACHE * threads;
        int64_t indices = 1;
        for (int d = 0; d < outer; d++)
            indices *= outer_size(first, d);
        if (total <= 2 * room || indices == 0)
            return;
        int64_t each = total / indices + 1,
                inner = outer_size(first, outer - 1);
        int64_t strip = room / each;
        first->together = n;
        first->outer = outer;
        first->strip = strip < 1 ? 1 : strip > inner ? inner : strip;
        if (strip >= 1)
            return;
    }
}

void mw_strips_find(mw_exec *exec)
{
    for (int64_t i = 0; i < exec->n_steps;) {
        mw_exec_step *step = &exec->step[i];
        find_from(step, exec->n_steps - i, exec->threads);
        i += step->together > 1 ? step->together : 1;
    }
}

/* ---- running ---- */

/* Indices of the outer axes: one of all but the last, [lo, hi) of it. */
typedef struct part {
    int outer;
    int64_t index, lo, hi;
} part;

static mw_view cut(const mw_view *view, const part *p, bool has)
{
    mw_view strip = *view;
    int last = p->outer - 1;
    int64_t rest = mw_dtype_bytes(view->dtype);
    if (!has)
        return strip;
    for (int a = p->outer; a < view->rank; a++)
        rest *= view->size[a];
    int64_t at = p->index * view->size[last] + p->lo;
    if (p->outer == 1)
        at = p->lo;
    strip.data = (char *)view->data + at * rest;
    if (p->outer > 1) {
        strip.size[0] = 1;
        strip.start[0] += p->index;
    }
    strip.size[last] = p->hi - p->lo;
    strip.start[last] += p->lo;
    return strip;
}

static void run_part(const mw_exec_step *step, const mw_id dim[], const part *p)
{
    mw_view in[MW_FUSED_VIEWS], out[MW_FUSED_VIEWS];
    const mw_op *op = step->call.op;
    mw_kernel_call call = step->call;
    for (int i = 0; i < op->n_in; i++)
        in[i] = cut(&call.in[i], p, how(step, i, dim, p->outer) == MEETS_ALL);
    for (int o = 0; o < op->n_out; o++)
        out[o] = cut(&call.out[o], p, true);
    call.in = in;
    call.out = out;
    mw_kernel_run(step->kernel, &call);
}

void mw_strips_run(const mw_exec_step *first, double busy_s[])
{
    mw_id dim[MAX_OUTER];
    int last = first->outer - 1;
    int64_t n = first->outer > 1 ? outer_size(first, 0) : 1;
    int64_t inner = outer_size(first, last);
    for (int d = 0; d < first->outer; d++)
        dim[d] = dim_of(first, first->call.op->n_in, d);
    for (int64_t index = 0; index < n; index++)
        for (int64_t lo = 0; lo < inner; lo += first->strip) {
            int64_t hi = lo + first->strip < inner ? lo + first->strip : inner;
            part p = {first->outer, index, lo, hi};
            for (int s = 0; s < first->together; s++) {
                double begin_s = busy_s ? mw_clock_s() : 0;
                run_part(&first[s], dim, &p);
                if (busy_s)
                    busy_s[s] += mw_clock_s() - begin_s;
            }
        }
}
