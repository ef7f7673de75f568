/* bucket_table.c - sums are kept for every axis: the innermost loop adds only
 * the parts that have the fastest one. */
#include "search/bucket_table.h"

#include <string.h>

#include "base/mem.h"
#include "search/alike_book.h"
#include "search/problem.h"

void mw_bucket_table_begin(mw_bucket_table *t, mw_alike *all, int32_t n)
{
    t->all = all;
    t->n = n;
    t->n_axes = t->n_parts = 0;
}

void mw_bucket_table_axis(mw_bucket_table *t, int64_t length)
{
    t->length[t->n_axes++] = length;
}

mw_status mw_bucket_table_add(mw_bucket_table *t, int32_t table, uint64_t axes)
{
    if (t->n_parts == t->cap_parts) {
        int32_t cap = t->cap_parts ? 2 * t->cap_parts : 16;
        mw_bucket_part *parts =
            mw_mem_alloc(t->all->arena.ctx, (size_t)cap, sizeof *parts);
        if (!parts)
            return MW_ENOMEM;
        if (t->n_parts > 0)
            memcpy(parts, t->part, (size_t)t->n_parts * sizeof *parts);
        mw_mem_free(t->part);
        t->part = parts;
        t->cap_parts = cap;
    }
    t->part[t->n_parts++] = (mw_bucket_part){.table = table, .axes = axes};
    return MW_OK;
}

void mw_bucket_table_free(mw_bucket_table *t)
{
    mw_mem_free(t->part);
    mw_mem_free(t->sum);
}

static void set_steps(const mw_bucket_table *t, mw_bucket_part *p)
{
    int64_t step = t->n;
    p->value = mw_alike_at(t->all, p->table);
    p->at = 0;
    p->last = -1;
    for (int i = t->n_axes; i-- > 0;) {
        bool has = p->axes >> i & 1;
        p->step[i] = has ? step : 0;
        step *= has ? t->length[i] : 1;
        if (has && p->last < 0)
            p->last = i;
    }
}

static int64_t capped(int64_t value)
{
    return value >= MW_INFINITE / 2 ? MW_INFINITE : value;
}

// The sums of axis i from those of the axis before it (-1: the first ones).
static void add_parts(const mw_bucket_table *t, int axis)
{
    int64_t *sum = t->sum + (int64_t)(axis + 1) * t->n;
    if (axis >= 0)
        memcpy(sum, sum - t->n, (size_t)t->n * sizeof *sum);
    else
        memset(sum, 0, (size_t)t->n * sizeof *sum);
    for (int32_t k = 0; k < t->n_parts; k++) {
        const mw_bucket_part *p = &t->part[k];
        if (p->last != axis)
            continue;
        const int64_t *value = p->value + p->at;
        for (int32_t s = 0; s < t->n; s++)
            sum[s] = capped(sum[s] + value[s]);
    }
}

static int64_t least_of_sum(const int64_t *a, const int64_t *b, int32_t n)
{
    int64_t least = INT64_MAX;
    for (int32_t s = 0; s < n; s++) {
        int64_t value = a[s] + b[s];
        least = value < least ? value : least;
    }
    return least;
}

static void move(const mw_bucket_table *t, int axis, int64_t by)
{
    for (int32_t k = 0; k < t->n_parts; k++)
        t->part[k].at += by * t->part[k].step[axis];
}

// One line of the table, along its fastest axis.
static void fill_line(const mw_bucket_table *t, int64_t *line)
{
    int axis = t->n_axes - 1;
    const int64_t *sum = t->sum + (int64_t)axis * t->n;
    const mw_bucket_part *only = NULL;
    int n_parts = 0;
    for (int32_t k = 0; k < t->n_parts; k++) {
        if (t->part[k].last == axis) {
            only = &t->part[k];
            n_parts++;
        }
    }
    for (int64_t i = 0; n_parts == 1 && i < t->length[axis]; i++)
        line[i] = capped(least_of_sum(
            sum, only->value + only->at + i * only->step[axis], t->n));
    if (n_parts == 1)
        return;
    const int64_t *all = t->sum + (int64_t)(axis + 1) * t->n;
    for (int64_t i = 0; i < t->length[axis]; i++) {
        int64_t least = INT64_MAX;
        add_parts(t, axis);
        for (int32_t s = 0; s < t->n; s++)
            least = all[s] < least ? all[s] : least;
        line[i] = capped(least);
        move(t, axis, 1);
    }
    move(t, axis, -t->length[axis]);
}

// Line after line; where an outer axis moves, the sums from it on are anew.
static void fill(const mw_bucket_table *t, int64_t *value)
{
    int last = t->n_axes - 1, from = 0;
    int64_t index[MW_BUCKET_AXES] = {0};
    add_parts(t, -1);
    for (bool more = true; more; value += t->length[last]) {
        for (int i = from; i < last; i++)
            add_parts(t, i);
        fill_line(t, value);
        from = last - 1;
        while (from >= 0 && ++index[from] == t->length[from]) {
            move(t, from, 1 - t->length[from]);
            index[from--] = 0;
        }
        more = from >= 0;
        if (more)
            move(t, from, 1);
    }
}

static mw_status make_sum(mw_bucket_table *t)
{
    int64_t n = (int64_t)(t->n_axes + 1) * t->n;
    if (n > t->n_sum) {
        mw_mem_free(t->sum);
        t->sum = mw_mem_alloc(t->all->arena.ctx, (size_t)n, sizeof *t->sum);
        t->n_sum = t->sum ? n : 0;
    }
    return t->sum ? MW_OK : MW_ENOMEM;
}

// Lowered by its least entry, which is put behind it.
static mw_status compute(mw_bucket_table *t, mw_made *made)
{
    int64_t n = 1, least = MW_INFINITE;
    for (int i = 0; i < t->n_axes; i++)
        n *= t->length[i];
    MW_TRY(make_sum(t));
    t->n_made += n * t->n;
    int64_t *value = mw_mem_alloc(t->all->arena.ctx, (size_t)n, sizeof *value);
    if (!value)
        return MW_ENOMEM;
    for (int32_t k = 0; k < t->n_parts; k++)
        set_steps(t, &t->part[k]);
    if (t->n_axes > 0) {
        fill(t, value);
    } else {
        add_parts(t, -1);
        value[0] = MW_INFINITE;
        for (int32_t s = 0; s < t->n; s++)
            value[0] = t->sum[s] < value[0] ? t->sum[s] : value[0];
    }
    for (int64_t i = 0; i < n; i++)
        least = value[i] < least ? value[i] : least;
    for (int64_t i = 0; least < MW_INFINITE && i < n; i++)
        value[i] = value[i] >= MW_INFINITE ? MW_INFINITE : value[i] - least;
    mw_status status = mw_alike_add(t->all, value, n, &made->id[0]);
    if (status == MW_OK)
        status = mw_alike_add(t->all, &least, 1, &made->id[1]);
    mw_mem_free(value);
    return status;
}

mw_status mw_bucket_table_make(mw_bucket_table *t, int32_t *made,
                               int64_t *least)
{
    mw_made *found;
    bool known;
    mw_alike_ask(t->all, MW_RECIPE_BUCKET);
    mw_key_add(&t->all->key, t->n);
    mw_key_add(&t->all->key, t->n_axes);
    for (int i = 0; i < t->n_axes; i++)
        mw_key_add(&t->all->key, t->length[i]);
    for (int32_t k = 0; k < t->n_parts; k++) {
        mw_key_add(&t->all->key, t->part[k].table);
        mw_key_add(&t->all->key, (int64_t)t->part[k].axes);
    }
    MW_TRY(mw_alike_look(t->all, &found, &known));
    if (!known)
        MW_TRY(compute(t, found));
    *made = found->id[0];
    *least = mw_alike_at(t->all, found->id[1])[0];
    return MW_OK;
}
