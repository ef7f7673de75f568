/* names_atoms.c - union-find over atoms, and the pairs that stay apart.
 *
 * Interference is a hash table of pairs of standing atoms and a list of
 * neighbours an atom. A union adds the younger atom's neighbours to the older
 * one's, a cut adds them to each kid's: entries about atoms that stand no
 * more are never asked for again. */
#include "ir/names_atoms.h"

#include <string.h>

void mw_atoms_init(mw_atoms *atoms, mw_arena *arena)
{
    *atoms = (mw_atoms){.arena = arena};
}

mw_status mw_atoms_add(mw_atoms *atoms, int64_t size, mw_id *id)
{
    mw_atom *grown = mw_arena_reserve(atoms->arena, atoms->atom, atoms->n,
                                      &atoms->cap, sizeof *grown);
    if (!grown)
        return MW_ENOMEM;
    atoms->atom = grown;
    mw_id added = (mw_id)atoms->n++;
    grown[added] = (mw_atom){.size = size,
                             .parent = added,
                             .age = added,
                             .alias_of = MW_NONE,
                             .of = MW_NONE,
                             .kid = MW_NONE};
    *id = added;
    return MW_OK;
}

mw_status mw_atoms_list(mw_atoms *atoms, const mw_id *id, int n,
                        mw_factors *list)
{
    mw_id *copy = MW_NEW_ARRAY(atoms->arena, n > 0 ? n : 1, mw_id);
    if (!copy)
        return MW_ENOMEM;
    if (n > 0)
        memcpy(copy, id, (size_t)n * sizeof *copy);
    *list = (mw_factors){.n = n, .atom = copy};
    return MW_OK;
}

mw_status mw_atoms_fresh(mw_atoms *atoms, int64_t size, mw_factors *list)
{
    mw_id id = MW_NONE;
    if (size != 1)
        MW_TRY(mw_atoms_add(atoms, size, &id));
    return mw_atoms_list(atoms, &id, size != 1, list);
}

mw_id mw_atoms_find(const mw_atoms *atoms, mw_id id)
{
    while (atoms->atom[id].parent != id) {
        mw_atom *atom = &atoms->atom[id];
        atom->parent = atoms->atom[atom->parent].parent;
        id = atom->parent;
    }
    return id;
}

static int expand_atom(const mw_atoms *atoms, mw_id id,
                       mw_id out[MW_MAX_FACTORS], int n)
{
    mw_id standing = mw_atoms_find(atoms, id);
    const mw_atom *atom = &atoms->atom[standing];
    if (atom->n_kids == 0) {
        out[n] = standing;
        return n + 1;
    }
    for (int k = 0; k < atom->n_kids; k++)
        n = expand_atom(atoms, atom->kid + k, out, n);
    return n;
}

int mw_atoms_expand(const mw_atoms *atoms, mw_factors list,
                    mw_id out[MW_MAX_FACTORS])
{
    int n = 0;
    for (int i = 0; i < list.n; i++)
        n = expand_atom(atoms, list.atom[i], out, n);
    return n;
}

bool mw_atoms_equal(const mw_atoms *atoms, mw_factors a, mw_factors b)
{
    mw_id x[MW_MAX_FACTORS], y[MW_MAX_FACTORS];
    int n = mw_atoms_expand(atoms, a, x);
    return n == mw_atoms_expand(atoms, b, y) &&
           (n == 0 || memcmp(x, y, (size_t)n * sizeof *x) == 0);
}

/* ---- interference -------------------------------------------------------- */

// Never 0: the greater id is above 0.
static uint64_t pair_key(mw_id a, mw_id b)
{
    uint64_t lo = (uint64_t)(a < b ? a : b), hi = (uint64_t)(a < b ? b : a);
    return lo << 32 | hi;
}

static int64_t pair_slot(const uint64_t *slot, int64_t n_slots, uint64_t key)
{
    uint64_t mixed = key * 0x9e3779b97f4a7c15u;
    uint64_t mask = (uint64_t)n_slots - 1, i = (mixed ^ mixed >> 32) & mask;
    while (slot[i] != 0 && slot[i] != key)
        i = (i + 1) & mask;
    return (int64_t)i;
}

bool mw_atoms_interfere(const mw_atoms *atoms, mw_id a, mw_id b)
{
    if (a == b || atoms->n_slots == 0)
        return false;
    uint64_t key = pair_key(a, b);
    return atoms->pair[pair_slot(atoms->pair, atoms->n_slots, key)] == key;
}

static mw_status grow_pairs(mw_atoms *atoms)
{
    int64_t n_slots = atoms->n_slots > 0 ? 2 * atoms->n_slots : 256;
    uint64_t *slot = MW_NEW_ARRAY(atoms->arena, n_slots, uint64_t);
    if (!slot)
        return MW_ENOMEM;
    for (int64_t i = 0; i < atoms->n_slots; i++)
        if (atoms->pair[i] != 0)
            slot[pair_slot(slot, n_slots, atoms->pair[i])] = atoms->pair[i];
    atoms->pair = slot;
    atoms->n_slots = n_slots;
    return MW_OK;
}

static mw_status add_near(mw_atoms *atoms, mw_id a, mw_id b)
{
    mw_atom *atom = &atoms->atom[a];
    mw_id *grown = mw_arena_reserve(atoms->arena, atom->near, atom->n_near,
                                    &atom->cap_near, sizeof *grown);
    if (!grown)
        return MW_ENOMEM;
    atom->near = grown;
    grown[atom->n_near++] = b;
    return MW_OK;
}

mw_status mw_atoms_keep_apart(mw_atoms *atoms, mw_id a, mw_id b)
{
    if (a == b || mw_atoms_interfere(atoms, a, b))
        return MW_OK;
    if (2 * (atoms->n_pairs + 1) > atoms->n_slots)
        MW_TRY(grow_pairs(atoms));
    uint64_t key = pair_key(a, b);
    atoms->pair[pair_slot(atoms->pair, atoms->n_slots, key)] = key;
    atoms->n_pairs++;
    MW_TRY(add_near(atoms, a, b));
    return add_near(atoms, b, a);
}

mw_status mw_atoms_lists_apart(mw_atoms *atoms, const mw_factors list[], int n)
{
    mw_id a[MW_MAX_FACTORS], b[MW_MAX_FACTORS];
    for (int i = 0; i < n; i++) {
        int n_a = mw_atoms_expand(atoms, list[i], a);
        for (int j = i; j < n; j++) {
            int n_b = mw_atoms_expand(atoms, list[j], b);
            for (int x = 0; x < n_a; x++)
                for (int y = i == j ? x + 1 : 0; y < n_b; y++)
                    MW_TRY(mw_atoms_keep_apart(atoms, a[x], b[y]));
        }
    }
    return MW_OK;
}

static bool stands(const mw_atoms *atoms, mw_id id)
{
    return atoms->atom[id].parent == id && atoms->atom[id].n_kids == 0;
}

static mw_status inherit(mw_atoms *atoms, mw_id from, mw_id to)
{
    for (int64_t i = 0; i < atoms->atom[from].n_near; i++) {
        mw_id other = atoms->atom[from].near[i];
        if (other != to && stands(atoms, other))
            MW_TRY(mw_atoms_keep_apart(atoms, to, other));
    }
    return MW_OK;
}

/* ---- unions and cuts ----------------------------------------------------- */

static void merge_symbols(mw_atom *kept, const mw_atom *gone)
{
    const char *other[] = {gone->symbol, gone->synonym};
    for (int i = 0; i < 2; i++) {
        if (!other[i])
            continue;
        if (!kept->symbol)
            kept->symbol = other[i];
        else if (!kept->synonym && strcmp(kept->symbol, other[i]) != 0)
            kept->synonym = other[i];
    }
}

static mw_status add_alias(mw_atoms *atoms, mw_id a, mw_id alias)
{
    mw_atom *atom = &atoms->atom[a];
    mw_id *grown = mw_arena_reserve(atoms->arena, atom->alias, atom->n_aliases,
                                    &atom->cap_aliases, sizeof *grown);
    if (!grown)
        return MW_ENOMEM;
    atom->alias = grown;
    grown[atom->n_aliases++] = alias;
    return MW_OK;
}

mw_status mw_atoms_union(mw_atoms *atoms, mw_id a, mw_id b)
{
    if (a == b)
        return MW_OK;
    mw_id kept = a < b ? a : b, gone = a < b ? b : a;
    mw_atom *k = &atoms->atom[kept];
    const mw_atom *g = &atoms->atom[gone];
    merge_symbols(k, g);
    if (k->alias_of == MW_NONE)
        k->alias_of = g->alias_of;
    k->age = k->age < g->age ? k->age : g->age;
    for (int v = 0; v < MW_N_VOTES; v++)
        k->vote[v] += g->vote[v];
    for (int64_t i = 0; i < g->n_aliases; i++)
        MW_TRY(add_alias(atoms, kept, g->alias[i]));
    atoms->atom[gone].parent = kept;
    return inherit(atoms, gone, kept);
}

mw_status mw_atoms_cut(mw_atoms *atoms, mw_id a, const int64_t factor[], int n)
{
    mw_id kid = MW_NONE;
    for (int i = 0; i < n; i++) {
        mw_id id;
        MW_TRY(mw_atoms_add(atoms, factor[i], &id));
        atoms->atom[id].age = atoms->atom[a].age;
        if (i == 0)
            kid = id;
    }
    atoms->atom[a].kid = kid;
    atoms->atom[a].n_kids = n;
    for (mw_id k = kid; k < kid + n; k++) {
        MW_TRY(inherit(atoms, a, k));
        for (mw_id other = kid; other < k; other++)
            MW_TRY(mw_atoms_keep_apart(atoms, k, other));
    }
    return MW_OK;
}

mw_status mw_atoms_alias(mw_atoms *atoms, mw_id a, const mw_id *used,
                         int n_used, mw_id *alias)
{
    for (int64_t i = 0; i < atoms->atom[a].n_aliases; i++) {
        mw_id other = mw_atoms_find(atoms, atoms->atom[a].alias[i]);
        bool free = stands(atoms, other) && other != a;
        for (int u = 0; free && u < n_used; u++)
            free = used[u] != other;
        if (free) {
            *alias = other;
            return MW_OK;
        }
    }
    mw_id added;
    MW_TRY(mw_atoms_add(atoms, atoms->atom[a].size, &added));
    atoms->atom[added].alias_of = a;
    MW_TRY(add_alias(atoms, a, added));
    *alias = added;
    return MW_OK;
}

/* ---- lists --------------------------------------------------------------- */

// Where a list of sizes has its inner boundaries, as products from the left.
static int boundaries(const int64_t size[], int n, int64_t at[])
{
    int64_t product = 1;
    for (int i = 0; i + 1 < n; i++) {
        product *= size[i];
        at[i] = product;
    }
    return n > 0 ? n - 1 : 0;
}

// Both sets of boundaries as one rising list; false when one does not divide
// the next.
static bool merge_boundaries(const int64_t a[], int n_a, const int64_t b[],
                             int n_b, int64_t merged[], int *n_merged)
{
    int n = 0;
    int64_t last = 1;
    for (int i = 0, j = 0; i < n_a || j < n_b;) {
        int64_t next = j == n_b || (i < n_a && a[i] <= b[j]) ? a[i] : b[j];
        i += i < n_a && a[i] == next;
        j += j < n_b && b[j] == next;
        if (next % last != 0)
            return false;
        merged[n++] = last = next;
    }
    *n_merged = n;
    return true;
}

// Cuts an atom, which begins at product `start`, at the boundaries inside it.
static mw_status cut_at(mw_atoms *atoms, mw_id a, int64_t start,
                        const int64_t at[], int n_at)
{
    int64_t factor[MW_MAX_FACTORS], end = start * atoms->atom[a].size;
    int n = 0;
    for (int i = 0; i < n_at; i++) {
        if (at[i] <= start || at[i] >= end)
            continue;
        factor[n++] = at[i] / start;
        start = at[i];
    }
    if (n == 0)
        return MW_OK;
    factor[n++] = end / start;
    return mw_atoms_cut(atoms, a, factor, n);
}

mw_status mw_atoms_chain(mw_atoms *atoms, const mw_id *atom, int n,
                         const int64_t factor[], int n_factors, bool *fits)
{
    int64_t size[MW_MAX_FACTORS], mine[MW_MAX_FACTORS];
    int64_t theirs[MW_MAX_FACTORS], at[2 * MW_MAX_FACTORS];
    int n_at = 0;
    int64_t whole = 1;
    for (int i = 0; i < n; i++) {
        size[i] = atoms->atom[atom[i]].size;
        whole *= size[i];
    }
    *fits = merge_boundaries(mine, boundaries(size, n, mine), theirs,
                             boundaries(factor, n_factors, theirs), at, &n_at);
    if (*fits && n_at > 0)
        *fits = whole % at[n_at - 1] == 0;
    if (!*fits)
        return MW_OK;
    int64_t start = 1;
    for (int i = 0; i < n; i++) {
        MW_TRY(cut_at(atoms, atom[i], start, at, n_at));
        start *= size[i];
    }
    return MW_OK;
}

static bool any_interferes(const mw_atoms *atoms, const mw_id *a, int n_a,
                           const mw_id *b, int n_b)
{
    for (int i = 0; i < n_a; i++)
        for (int j = 0; j < n_b; j++)
            if (mw_atoms_interfere(atoms, a[i], b[j]) ||
                (a[i] == b[j] && n_a + n_b > 2))
                return true;
    return false;
}

static void sizes_of(const mw_atoms *atoms, const mw_id *a, int n,
                     int64_t size[])
{
    for (int i = 0; i < n; i++)
        size[i] = atoms->atom[a[i]].size;
}

// Two runs of standing atoms of equal product.
static mw_status unify_segment(mw_atoms *atoms, const mw_id *a, int n_a,
                               const mw_id *b, int n_b, bool *same)
{
    *same = !any_interferes(atoms, a, n_a, b, n_b);
    if (!*same)
        return MW_OK;
    if (n_a == 1 && n_b == 1)
        return mw_atoms_union(atoms, a[0], b[0]);
    int64_t size_a[MW_MAX_FACTORS], size_b[MW_MAX_FACTORS];
    sizes_of(atoms, a, n_a, size_a);
    sizes_of(atoms, b, n_b, size_b);
    MW_TRY(mw_atoms_chain(atoms, a, n_a, size_b, n_b, same));
    if (!*same)
        return MW_OK;
    MW_TRY(mw_atoms_chain(atoms, b, n_b, size_a, n_a, same));
    mw_id x[MW_MAX_FACTORS], y[MW_MAX_FACTORS];
    int n = mw_atoms_expand(atoms, (mw_factors){n_a, a}, x);
    int n_y = mw_atoms_expand(atoms, (mw_factors){n_b, b}, y);
    for (int i = 0; i < n && i < n_y; i++)
        MW_TRY(mw_atoms_union(atoms, x[i], y[i]));
    return MW_OK;
}

mw_status mw_atoms_unify(mw_atoms *atoms, mw_factors a, mw_factors b,
                         bool *same)
{
    mw_id x[MW_MAX_FACTORS], y[MW_MAX_FACTORS];
    int n_x = mw_atoms_expand(atoms, a, x);
    int n_y = mw_atoms_expand(atoms, b, y);
    bool all = true;
    int i = 0, j = 0;
    while (i < n_x && j < n_y) {
        int i0 = i, j0 = j;
        int64_t p = atoms->atom[x[i++]].size, q = atoms->atom[y[j++]].size;
        while (p != q && (p < q ? i < n_x : j < n_y)) {
            if (p < q)
                p *= atoms->atom[x[i++]].size;
            else
                q *= atoms->atom[y[j++]].size;
        }
        bool segment = false;
        if (p == q)
            MW_TRY(
                unify_segment(atoms, x + i0, i - i0, y + j0, j - j0, &segment));
        all = all && segment;
    }
    *same = all && i == n_x && j == n_y;
    return MW_OK;
}
