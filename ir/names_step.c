/* names_step.c - by which flat axes one set of them becomes another.
 *
 * Both are cut into shortest segments of equal product. Equal sizes throughout
 * are one rename. Else a reshape does it in one step, unless that would pin or
 * confuse dimensions: an axis that stays but changes its dimension, or a
 * dimension that is on both sides in different places. Then the way leads over
 * products of segments: reshape to them, rename, reshape from them. */
#include <string.h>

#include "ir/names_state.h"

bool mw_names_same_flat(const mw_flat *a, const mw_flat *b)
{
    return a->rank == b->rank &&
           memcmp(a->atom, b->atom, (size_t)a->rank * sizeof *a->atom) == 0;
}

static int64_t size_of(const mw_names_state *state, const mw_flat *flat, int i)
{
    return state->atoms.atom[flat->atom[i]].size;
}

static bool has_elements(const mw_names_state *state, const mw_flat *flat)
{
    for (int i = 0; i < flat->rank; i++)
        if (size_of(state, flat, i) == 0)
            return false;
    return true;
}

static bool same_sizes(const mw_names_state *state, const mw_flat *a,
                       const mw_flat *b)
{
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++)
        same = size_of(state, a, i) == size_of(state, b, i);
    return same;
}

/* Where segments end. */
typedef struct segments {
    int n;
    int from[MW_MAX_RANK], to[MW_MAX_RANK];
} segments;

// Without elements: leading axes that are the same, and the rest.
static segments empty_segments(const mw_flat *from, const mw_flat *to)
{
    segments s = {0};
    int least = from->rank < to->rank ? from->rank : to->rank;
    while (s.n < least - 1 && from->atom[s.n] == to->atom[s.n]) {
        s.from[s.n] = s.to[s.n] = s.n + 1;
        s.n++;
    }
    s.from[s.n] = from->rank;
    s.to[s.n++] = to->rank;
    return s;
}

static segments find_segments(const mw_names_state *state, const mw_flat *from,
                              const mw_flat *to)
{
    segments s = {0};
    int i = 0, k = 0;
    if (!has_elements(state, from))
        return empty_segments(from, to);
    while (i < from->rank && k < to->rank) {
        int64_t p = size_of(state, from, i++), q = size_of(state, to, k++);
        while (p != q) {
            if (p < q)
                p *= size_of(state, from, i++);
            else
                q *= size_of(state, to, k++);
        }
        s.from[s.n] = i;
        s.to[s.n++] = k;
    }
    return s;
}

// One reshape does it: what stays keeps its atom, and no other atom is on both
// sides.
static bool is_direct(const segments *s, const mw_flat *from, const mw_flat *to)
{
    int i = 0, k = 0;
    for (int n = 0; n < s->n; i = s->from[n], k = s->to[n], n++) {
        bool stays = s->from[n] - i == 1 && s->to[n] - k == 1;
        if (stays && from->atom[i] != to->atom[k])
            return false;
        for (int a = i; !stays && a < s->from[n]; a++)
            for (int b = 0; b < to->rank; b++)
                if (from->atom[a] == to->atom[b])
                    return false;
    }
    return true;
}

static bool holds(const mw_flat *flat, mw_id atom)
{
    for (int i = 0; i < flat->rank; i++)
        if (flat->atom[i] == atom)
            return true;
    return false;
}

// A segment an axis, of the atom there is or of a product.
static mw_status from_products(mw_names_state *state, const segments *s,
                               const mw_flat *from, mw_flat *whole)
{
    *whole = (mw_flat){.rank = s->n, .n_axes = s->n};
    for (int n = 0, i = 0; n < s->n; i = s->from[n], n++) {
        MW_TRY(mw_names_product(state, from->atom + i, s->from[n] - i,
                                &whole->atom[n]));
        whole->first[n] = (int8_t)n;
        whole->count[n] = 1;
    }
    return MW_OK;
}

// The same with what `to` has where it has one atom too.
static mw_status to_products(mw_names_state *state, const segments *s,
                             const mw_flat *to, mw_flat *whole)
{
    for (int n = 0, i = 0; n < s->n; i = s->to[n], n++)
        if (s->to[n] - i == 1 || holds(to, whole->atom[n]))
            MW_TRY(mw_names_product(state, to->atom + i, s->to[n] - i,
                                    &whole->atom[n]));
    return MW_OK;
}

mw_status mw_names_steps(mw_names_state *state, const mw_flat *from,
                         const mw_flat *to, mw_flat step[MW_MAX_STEPS], int *n)
{
    *n = 0;
    if (mw_names_same_flat(from, to))
        return MW_OK;
    segments s = find_segments(state, from, to);
    if (!same_sizes(state, from, to) && !is_direct(&s, from, to)) {
        mw_flat a, b;
        MW_TRY(from_products(state, &s, from, &a));
        b = a;
        MW_TRY(to_products(state, &s, to, &b));
        if (!mw_names_same_flat(from, &a))
            step[(*n)++] = a;
        if (!mw_names_same_flat(&a, &b) && !mw_names_same_flat(&b, to))
            step[(*n)++] = b;
    }
    step[(*n)++] = *to;
    return MW_OK;
}
