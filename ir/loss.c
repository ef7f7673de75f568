/* loss.c - what losses build with. */
#include "ir/loss.h"

#include <string.h>

#include "base/units.h"

mw_status mw_loss_read(mw_arena *arena, const char *text, mw_loss_text *loss)
{
    mw_loss_text made = {.ignore = -100};
    char *name = mw_arena_text(arena, text);
    if (!name)
        return MW_ENOMEM;
    char *comma = strchr(name, ',');
    char *colon = strchr(name, ':');
    if (comma)
        *comma = '\0';
    if (colon)
        *colon = '\0';
    made.result = colon ? colon + 1 : NULL;
    for (int i = 0; i < mw_loss_count; i++)
        if (strcmp(mw_loss_table[i]->name, name) == 0)
            made.def = mw_loss_table[i];
    if (made.def && comma &&
        (strncmp(comma + 1, "ignore=", 7) != 0 ||
         !mw_int_parse(comma + 8, &made.ignore))) {
        mw_ctx_at(arena->ctx, "--loss");
        return mw_fail(arena->ctx, MW_EUSAGE,
                       "'%s' is followed by what is no ignore=N", text);
    }
    *loss = made;
    return MW_OK;
}

static bool same_axes(const mw_tensor *a, const mw_tensor *b)
{
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++)
        same = a->axis[i].dim == b->axis[i].dim &&
               a->axis[i].size == b->axis[i].size;
    return same;
}

mw_status mw_loss_labels(mw_grad *g, const mw_loss *loss, const mw_tensor *as,
                         mw_id *labels)
{
    *labels = mw_graph_find_tensor(g->graph, loss->labels);
    if (*labels == MW_NONE) {
        mw_tensor made = *as;
        made.name = loss->labels;
        made.role = MW_ROLE_INPUT;
        made.output = false;
        return mw_graph_tensor(g->graph, &made, labels);
    }
    const mw_tensor *own = &g->graph->tensor[*labels];
    if (own->role == MW_ROLE_INPUT && same_axes(own, as) &&
        mw_dtype_is_float(own->dtype) == mw_dtype_is_float(as->dtype))
        return MW_OK;
    return mw_fail(g->ctx, MW_EUSAGE,
                   "the model has a tensor '%s' that is no input of labels "
                   "for '%s'",
                   own->name, g->graph->tensor[loss->result].name);
}

mw_status mw_loss_sum(mw_grad *g, mw_id x, mw_id *sum)
{
    mw_id none;
    MW_TRY(mw_grad_const(g, g->graph->tensor[x].dtype, 0, &none));
    return mw_grad_reduce(g, "reduce_sum", x, none, sum);
}
