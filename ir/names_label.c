/* names_label.c - dimensions get names.
 *
 * The file's symbol if there is one; `root.k` for an alias; else what most
 * votes say, from the parts that the dimension plays in ops; else its size.
 * Names are labels: nothing depends on them but what people read. */
#include "ir/names_state.h"

#include <ctype.h>
#include <string.h>

#include "base/near.h"
#include "ir/names_vote.h"

static bool is_clean(const char *name)
{
    const char *c = name;
    while (isalnum((unsigned char)*c) || *c == '_' || *c == '.')
        c++;
    return *c == '\0' && name[0] != '\0' && !isdigit((unsigned char)name[0]);
}

// A name that options take: letters, digits, '_' and '.'.
static const char *clean(mw_names_state *state, const char *symbol)
{
    char *name =
        mw_arena_format(state->arena, "%s%s",
                        isdigit((unsigned char)symbol[0]) ? "_" : "", symbol);
    for (char *c = name; c && *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.')
            *c = '_';
    return name;
}

// Labels an atom, with a number where the name is taken.
static mw_status set_label(mw_names_state *state, mw_map *taken, mw_id a,
                           const char *base, const char *between)
{
    const char *name = base;
    for (int n = 2; name && mw_map_find_text(taken, name); n++)
        name = mw_arena_format(state->arena, "%s%s%d", base, between, n);
    if (!name)
        return MW_ENOMEM;
    state->label[a] = name;
    return mw_map_put_text(taken, name, a);
}

static const char *alias_base(const mw_names_state *state, mw_id a)
{
    mw_id root = state->atoms.atom[a].alias_of;
    if (root == MW_NONE)
        return NULL;
    return state->label[mw_atoms_find(&state->atoms, root)];
}

static mw_status label_all(mw_names_state *state, const mw_roles *r,
                           mw_map *taken)
{
    mw_id n = (mw_id)state->atoms.n;
    for (int pass = 0; pass < 2; pass++) {
        for (mw_id a = 0; a < n; a++) {
            const mw_atom *atom = &state->atoms.atom[a];
            bool alias = atom->alias_of != MW_NONE && !atom->symbol;
            if (!r->used[a] || !r->open[a] || alias != (pass == 1))
                continue;
            const char *root = alias ? alias_base(state, a) : NULL;
            const char *base = atom->symbol ? clean(state, atom->symbol)
                               : root
                                   ? mw_arena_format(state->arena, "%s.k", root)
                                   : mw_names_role(state, r, a);
            MW_TRY(base ? set_label(state, taken, a, base, root ? "" : "_")
                        : MW_ENOMEM);
        }
    }
    return MW_OK;
}

static mw_status no_such(const mw_names_state *state,
                         const mw_rename_option *rename)
{
    mw_near near;
    mw_near_init(&near, rename->from);
    for (mw_id a = 0; a < state->atoms.n; a++)
        if (state->label[a])
            mw_near_try(&near, state->label[a]);
    return mw_fail(state->placed->ctx, MW_EUSAGE,
                   "--name %s=%s: the model has no dimension '%s'%s%s%s",
                   rename->from, rename->to, rename->from,
                   near.best ? "\ndid you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "");
}

// All at once, so that two names can be exchanged.
static mw_status apply_options(mw_names_state *state, const mw_map *taken,
                               const mw_rename_option *rename, int n)
{
    mw_map now;
    mw_map_init(&now, state->arena);
    for (int i = 0; i < n; i++) {
        const int64_t *a = mw_map_find_text(taken, rename[i].from);
        if (!a)
            return no_such(state, &rename[i]);
        if (!is_clean(rename[i].to))
            return mw_fail(state->placed->ctx, MW_EUSAGE,
                           "--name %s=%s: '%s' is no name: letters, digits, "
                           "'_' and '.', not beginning with a digit",
                           rename[i].from, rename[i].to, rename[i].to);
        state->label[*a] = rename[i].to;
    }
    for (mw_id a = 0; n > 0 && a < state->atoms.n; a++) {
        if (!state->label[a])
            continue;
        if (mw_map_find_text(&now, state->label[a]))
            return mw_fail(state->placed->ctx, MW_EUSAGE,
                           "--name: two dimensions would be '%s'",
                           state->label[a]);
        MW_TRY(mw_map_put_text(&now, state->label[a], a));
    }
    return MW_OK;
}

static mw_status add_dims(mw_names_state *state)
{
    mw_graph *named = state->named;
    for (mw_id a = 0; a < state->atoms.n; a++) {
        const mw_atom *atom = &state->atoms.atom[a];
        state->dim[a] = MW_NONE;
        if (!state->label[a])
            continue;
        mw_dim dim = {.name = state->label[a],
                      .size = atom->size,
                      .of = MW_NONE,
                      .synonym = atom->synonym};
        MW_TRY(mw_graph_dim(named, &dim, &state->dim[a]));
        if (atom->synonym)
            mw_warn(named->ctx, "'%s' and '%s' are one dimension, here '%s'",
                    atom->symbol, atom->synonym, dim.name);
    }
    return MW_OK;
}

// A dimension is derived from older ones only.
static void link_dims(mw_names_state *state)
{
    for (mw_id a = 0; a < state->atoms.n; a++) {
        const mw_atom *atom = &state->atoms.atom[a];
        bool alias = atom->alias_of != MW_NONE;
        mw_id from = alias ? atom->alias_of : atom->of;
        if (state->dim[a] == MW_NONE || from == MW_NONE)
            continue;
        mw_id parent = state->dim[mw_atoms_find(&state->atoms, from)];
        if (parent == MW_NONE || parent >= state->dim[a])
            continue;
        state->named->dim[state->dim[a]].of = parent;
        state->named->dim[state->dim[a]].how = alias ? "alias" : atom->how;
    }
}

mw_status mw_names_label(mw_names_state *state, const mw_rename_option *rename,
                         int n_renames)
{
    mw_roles r = {.normalised = false};
    mw_map taken;
    mw_map_init(&taken, state->arena);
    state->label = MW_NEW_ARRAY(state->arena, state->atoms.n + 1, const char *);
    state->dim = MW_NEW_ARRAY(state->arena, state->atoms.n + 1, mw_id);
    if (!state->label || !state->dim)
        return MW_ENOMEM;
    MW_TRY(mw_names_vote(state, &r));
    MW_TRY(label_all(state, &r, &taken));
    MW_TRY(apply_options(state, &taken, rename, n_renames));
    MW_TRY(add_dims(state));
    link_dims(state);
    return MW_OK;
}
