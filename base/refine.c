/* refine.c - classes are stretches of one list of items; what a group looks
 * like and what an item takes are hashes of 64 bits. */
#include "base/refine.h"

#include <stdlib.h>

#include "base/hash.h"

/* A class: its items, and what each of them takes. */
typedef struct stretch {
    int64_t start, size;
    uint64_t takes;
} stretch;

/* An item that is looked at again. */
typedef struct due {
    int64_t class, item;
    uint64_t takes;
} due;

typedef struct refining {
    const mw_refine *task;
    int64_t *owner; /* group of a place */
    int64_t *use,
        *of;        /* item i is at places use[of[i]] to use[of[i + 1] - 1] */
    uint64_t *look; /* of a group */
    int64_t *class; /* of an item */
    int64_t *item, *at; /* items by class, and where each stands */
    stretch *stretch;
    int64_t n_classes;
    int64_t *group, n_groups; /* that are due */
    due *due;
    int64_t n_due;
    bool *group_due, *item_due;
    uint64_t *scratch;
} refining;

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int by_class(const void *a, const void *b)
{
    const due *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->takes != y->takes)
        return x->takes < y->takes ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* ---- setting up ---- */

static mw_status take_room(refining *r, mw_arena *arena)
{
    int64_t items = r->task->n_items, groups = r->task->n_groups;
    int64_t places = r->task->first[groups];
    r->owner = MW_NEW_ARRAY(arena, places + 1, int64_t);
    r->use = MW_NEW_ARRAY(arena, places + 1, int64_t);
    r->of = MW_NEW_ARRAY(arena, items + 2, int64_t);
    r->look = MW_NEW_ARRAY(arena, groups + 1, uint64_t);
    r->class = MW_NEW_ARRAY(arena, items + 1, int64_t);
    r->item = MW_NEW_ARRAY(arena, items + 1, int64_t);
    r->at = MW_NEW_ARRAY(arena, items + 1, int64_t);
    r->stretch = MW_NEW_ARRAY(arena, items + 1, stretch);
    r->group = MW_NEW_ARRAY(arena, groups + 1, int64_t);
    r->due = MW_NEW_ARRAY(arena, items + 1, due);
    r->group_due = MW_NEW_ARRAY(arena, groups + 1, bool);
    r->item_due = MW_NEW_ARRAY(arena, items + 1, bool);
    r->scratch = MW_NEW_ARRAY(arena, places + 1, uint64_t);
    bool all = r->owner && r->use && r->of && r->look && r->class && r->item &&
               r->at && r->stretch && r->group && r->due && r->group_due &&
               r->item_due && r->scratch;
    return all ? MW_OK : MW_ENOMEM;
}

static void find_uses(refining *r)
{
    const mw_refine *task = r->task;
    int64_t places = task->first[task->n_groups];
    for (int64_t g = 0; g < task->n_groups; g++)
        for (int64_t p = task->first[g]; p < task->first[g + 1]; p++)
            r->owner[p] = g;
    for (int64_t p = 0; p < places; p++)
        r->of[task->place[p].item + 2]++;
    for (int64_t i = 0; i < task->n_items; i++)
        r->of[i + 2] += r->of[i + 1];
    for (int64_t p = 0; p < places; p++)
        r->use[r->of[task->place[p].item + 1]++] = p;
}

// The classes given, in the order of their numbers.
static void first_classes(refining *r)
{
    int64_t n = r->task->n_items;
    for (int64_t i = 0; i < n; i++)
        r->due[i] = (due){0, i, r->task->class[i]};
    qsort(r->due, (size_t)n, sizeof *r->due, by_class);
    for (int64_t k = 0; k < n; k++) {
        int64_t i = r->due[k].item;
        if (k == 0 || r->due[k].takes != r->due[k - 1].takes)
            r->stretch[r->n_classes++].start = k;
        r->class[i] = r->n_classes - 1;
        r->stretch[r->n_classes - 1].size++;
        r->item[k] = i;
        r->at[i] = k;
    }
}

/* ---- a round ---- */

static void call_group(refining *r, int64_t g)
{
    if (r->group_due[g])
        return;
    r->group_due[g] = true;
    r->group[r->n_groups++] = g;
}

static void call_item(refining *r, int64_t i)
{
    if (r->item_due[i] || r->stretch[r->class[i]].size == 1)
        return;
    r->item_due[i] = true;
    r->due[r->n_due++] = (due){r->class[i], i, 0};
}

// What the groups that are due look like now; their items are due.
static void look_again(refining *r)
{
    const mw_refine *task = r->task;
    for (int64_t k = 0; k < r->n_groups; k++) {
        int64_t g = r->group[k];
        uint64_t look = task->kind[g];
        for (int64_t p = task->first[g]; p < task->first[g + 1]; p++) {
            look = mw_hash_int(look, (int64_t)task->place[p].mark);
            look = mw_hash_int(look, r->class[task->place[p].item]);
        }
        r->look[g] = look;
        r->group_due[g] = false;
    }
    for (int64_t k = 0; k < r->n_groups; k++)
        for (int64_t p = task->first[r->group[k]];
             p < task->first[r->group[k] + 1]; p++)
            call_item(r, task->place[p].item);
    r->n_groups = 0;
}

static uint64_t takes(refining *r, int64_t item)
{
    int64_t n = 0;
    for (int64_t u = r->of[item]; u < r->of[item + 1]; u++) {
        int64_t p = r->use[u];
        r->scratch[n++] =
            mw_hash_int(r->look[r->owner[p]], (int64_t)r->task->place[p].mark);
    }
    qsort(r->scratch, (size_t)n, sizeof *r->scratch, by_number);
    uint64_t all = 1;
    for (int64_t k = 0; k < n; k++)
        if (k == 0 || r->scratch[k] != r->scratch[k - 1])
            all = mw_hash_int(all, (int64_t)r->scratch[k]);
    return all;
}

// Of the items due, those that take something else than their class did, by
// class and by what they take.
static void find_changed(refining *r)
{
    int64_t n = 0;
    for (int64_t k = 0; k < r->n_due; k++) {
        due d = r->due[k];
        r->item_due[d.item] = false;
        d.takes = takes(r, d.item);
        if (d.takes != r->stretch[d.class].takes)
            r->due[n++] = d;
    }
    r->n_due = n;
    qsort(r->due, (size_t)n, sizeof *r->due, by_class);
}

// Moves items of one class to the end of its stretch, in their order.
static void move_to_end(refining *r, const due *list, int64_t n)
{
    const stretch *s = &r->stretch[list->class];
    int64_t to = s->start + s->size;
    while (n-- > 0) {
        int64_t from = r->at[list[n].item], other = r->item[--to];
        r->item[from] = other;
        r->at[other] = from;
        r->item[to] = list[n].item;
        r->at[list[n].item] = to;
    }
}

// Gives the stretch a number of its own; what touches its items is due.
static void new_class(refining *r, stretch part)
{
    int64_t number = r->n_classes++;
    r->stretch[number] = part;
    for (int64_t k = part.start; k < part.start + part.size; k++) {
        int64_t i = r->item[k];
        r->class[i] = number;
        for (int64_t u = r->of[i]; u < r->of[i + 1]; u++)
            call_group(r, r->owner[r->use[u]]);
    }
}

// Splits the class of list[0 .. n): the largest part keeps the number.
static void split(refining *r, const due *list, int64_t n)
{
    stretch *class = &r->stretch[list->class];
    move_to_end(r, list, n);
    stretch kept = *class;
    kept.size -= n; // those that take what they took
    for (int64_t k = 0; k < n;) {
        stretch part = {.start = class->start + class->size - n + k,
                        .takes = list[k].takes};
        while (k < n && list[k].takes == part.takes) {
            part.size++;
            k++;
        }
        stretch smaller = part.size > kept.size ? kept : part;
        if (part.size > kept.size)
            kept = part;
        if (smaller.size > 0)
            new_class(r, smaller);
    }
    *class = kept;
}

static void split_all(refining *r)
{
    for (int64_t k = 0; k < r->n_due;) {
        int64_t first = k;
        while (k < r->n_due && r->due[k].class == r->due[first].class)
            k++;
        split(r, r->due + first, k - first);
    }
    r->n_due = 0;
}

// Numbers by the order of first items.
static void number_classes(refining *r)
{
    int64_t next = 0;
    for (int64_t c = 0; c < r->n_classes; c++)
        r->at[c] = -1;
    for (int64_t i = 0; i < r->task->n_items; i++) {
        int64_t *number = &r->at[r->class[i]];
        if (*number == -1)
            *number = next++;
        r->task->class[i] = (uint64_t)*number;
    }
}

mw_status mw_refine_run(mw_arena *arena, const mw_refine *task)
{
    refining r = {.task = task};
    MW_TRY(take_room(&r, arena));
    find_uses(&r);
    first_classes(&r);
    for (int64_t g = 0; g < task->n_groups; g++)
        call_group(&r, g);
    while (r.n_groups > 0) {
        look_again(&r);
        find_changed(&r);
        split_all(&r);
    }
    number_classes(&r);
    return MW_OK;
}
