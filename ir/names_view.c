/* names_view.c - a tensor under other dimensions: made once, then reused. */
#include "ir/names_state.h"

#include <string.h>

mw_status mw_names_tensor_add(mw_names_state *state, mw_id tensor,
                              const char *name, const mw_flat *flat,
                              mw_id *named)
{
    const mw_tensor *placed = &state->placed->tensor[tensor];
    mw_tensor made = {.name = name,
                      .dtype = placed->dtype,
                      .role = MW_ROLE_VALUE,
                      .rank = flat->rank,
                      .file_rank = flat->n_axes};
    if (strcmp(name, placed->name) == 0) {
        made.role = placed->role;
        made.weight = placed->weight;
        made.output = placed->output;
        made.data = placed->data;
    }
    for (int i = 0; i < flat->rank; i++)
        made.axis[i] = (mw_axis){.dim = state->dim[flat->atom[i]],
                                 .size = state->atoms.atom[flat->atom[i]].size};
    for (int a = 0; a < flat->n_axes; a++)
        made.file_axis[a] = flat->count[a];
    return mw_graph_tensor(state->named, &made, named);
}

const char *mw_names_tensor_name(mw_names_state *state, mw_id tensor,
                                 const char *suffix)
{
    const char *own = state->placed->tensor[tensor].name;
    const char *name = mw_arena_format(state->arena, "%s.%s", own, suffix);
    for (int n = 2; name && (mw_graph_find_tensor(state->named, name) >= 0 ||
                             mw_graph_find_tensor(state->placed, name) >= 0);
         n++)
        name = mw_arena_format(state->arena, "%s.%s%d", own, suffix, n);
    return name;
}

// Names a view by the first dimension that is another one in it.
static const char *view_name(mw_names_state *state, mw_id tensor,
                             const mw_flat *flat)
{
    const mw_flat *own = &state->tensor[tensor].flat;
    int i = 0;
    while (i < flat->rank - 1 && i < own->rank && flat->atom[i] == own->atom[i])
        i++;
    const char *label = i < flat->rank ? state->label[flat->atom[i]] : NULL;
    return mw_names_tensor_name(state, tensor, label ? label : "view");
}

// Tensor `from` under the dimensions of `to`, by one op.
static mw_status step(mw_names_state *state, mw_id from, mw_id to)
{
    const mw_tensor *a = &state->named->tensor[from];
    const mw_tensor *b = &state->named->tensor[to];
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++)
        same = a->axis[i].size == b->axis[i].size;
    mw_id op;
    return mw_graph_bind(state->named,
                         &(mw_op_spec){.def = same ? "rename" : "reshape",
                                       .n_in = 1,
                                       .n_out = 1,
                                       .in = &from,
                                       .out = &to},
                         &op);
}

mw_status mw_names_link(mw_names_state *state, mw_id source,
                        const mw_flat *from, mw_id tensor, const char *name,
                        const mw_flat *to, mw_id *named)
{
    mw_flat by[MW_MAX_STEPS];
    int n;
    MW_TRY(mw_names_steps(state, from, to, by, &n));
    for (int i = 0; i + 1 < n; i++) {
        mw_id between;
        const char *label = mw_names_tensor_name(state, tensor, "view");
        MW_TRY(label
                   ? mw_names_tensor_add(state, tensor, label, &by[i], &between)
                   : MW_ENOMEM);
        MW_TRY(step(state, source, between));
        source = between;
    }
    MW_TRY(mw_names_tensor_add(state, tensor, name, to, named));
    return step(state, source, *named);
}

mw_status mw_names_view(mw_names_state *state, mw_id tensor,
                        const mw_flat *flat, mw_id *named)
{
    const mw_names_tensor *own = &state->tensor[tensor];
    if (mw_names_same_flat(&own->flat, flat)) {
        *named = own->named;
        return MW_OK;
    }
    mw_id key[MW_MAX_RANK + 1] = {tensor};
    size_t bytes = (size_t)(flat->rank + 1) * sizeof *key;
    memcpy(key + 1, flat->atom, bytes - sizeof *key);
    const int64_t *known = mw_map_find(&state->views, key, bytes);
    if (known) {
        *named = (mw_id)*known;
        return MW_OK;
    }
    const char *name = view_name(state, tensor, flat);
    if (!name)
        return MW_ENOMEM;
    MW_TRY(mw_names_link(state, own->named, &own->flat, tensor, name, flat,
                         named));
    return mw_map_put(&state->views, key, bytes, *named);
}
