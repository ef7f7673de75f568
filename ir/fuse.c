/* fuse.c - writes the graph anew with a group in the place of its last member.
 * Equal groups have one body: names within it are those of places, so that
 * equal layers look alike to the search. */
#include "ir/fuse.h"

#include <stdio.h>
#include <string.h>

#include "ir/attend.h"
#include "ir/fuse_again.h"
#include "ir/fuse_body.h"
#include "ir/fuse_groups.h"
#include "ir/fuse_order.h"
#include "ir/fuse_views.h"
#include "ir/graph_copy.h"
#include "ir/rule.h"
#include "ir/text.h"

typedef struct writer {
    mw_fuse_groups groups;
    const mw_graph *from;
    mw_graph *to;
    mw_id *made;  /* of each tensor */
    mw_map names; /* of bodies by their text */
    int n_bodies;
    mw_id next; /* tensors before this one without producer are there */
} writer;

static mw_status copy_tensor(writer *w, mw_id t)
{
    if (w->made[t] != MW_NONE)
        return MW_OK;
    return mw_graph_tensor(w->to, &w->from->tensor[t], &w->made[t]);
}

// A constant that only groups use stands in their bodies.
static bool is_gone(const writer *w, mw_id t)
{
    const mw_fuse_groups *g = &w->groups;
    int first = g->first_user[t], end = g->first_user[t + 1];
    if (!mw_fuse_is_inner(g, t) || first == end)
        return false;
    for (int u = first; u < end; u++) {
        int group = g->of[g->user[u]];
        if (group == MW_NONE || g->group[group].n == 1)
            return false;
    }
    return true;
}

static mw_status copy_until(writer *w, mw_id until)
{
    for (; w->next < until; w->next++)
        if (w->from->tensor[w->next].producer == MW_NONE &&
            !is_gone(w, w->next))
            MW_TRY(copy_tensor(w, w->next));
    return MW_OK;
}

static mw_status copy_op(writer *w, const mw_op *op)
{
    mw_id *id = MW_NEW_ARRAY(w->to->arena, op->n_in + op->n_out, mw_id), made;
    if (!id)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        mw_id t =
            i < op->n_in ? op->in[i].tensor : op->out[i - op->n_in].tensor;
        MW_TRY(copy_tensor(w, t));
        id[i] = w->made[t];
    }
    return mw_graph_bind_as(w->to, op, NULL, id, id + op->n_in, &made);
}

/* ---- a group ------------------------------------------------------------ */

static const mw_op_def *row_of(const mw_fuse_group *group)
{
    return group->def ? group->def : mw_fused_row(group->reduce);
}

static const char *family_of(const mw_fuse_group *group)
{
    return group->def ? group->def->name : "fused";
}

static bool is_taken(const writer *w, const char *family, int number)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s_%d", family, number);
    for (int k = 0; k < w->from->n_ops; k++) {
        const mw_attr *body = mw_op_attr(&w->from->op[k], "body");
        if (body && body->body && strcmp(body->body->name, name) == 0)
            return true;
    }
    return false;
}

// "fused_3": the number of bodies that differ so far.
static mw_status name_body(writer *w, mw_fuse_body *b)
{
    mw_arena *arena = b->body->arena;
    char *text = mw_text_print(b->body);
    for (int i = 0; i < b->n_out && text; i++)
        text = mw_arena_format(arena, "%s%s\n", text,
                               b->body->tensor[b->body->result[i]].name);
    if (!text)
        return MW_ENOMEM;
    const int64_t *number = mw_map_find_text(&w->names, text);
    if (!number) {
        do
            w->n_bodies++;
        while (is_taken(w, family_of(b->group), w->n_bodies));
        MW_TRY(mw_map_put_text(&w->names, text, w->n_bodies));
    }
    int own = number ? (int)*number : w->n_bodies;
    b->body->name = mw_arena_format(arena, "%s_%d", family_of(b->group), own);
    return b->body->name ? MW_OK : MW_ENOMEM;
}

static mw_status write_group(writer *w, const mw_fuse_group *group)
{
    mw_fuse_body b;
    mw_id in[MW_FUSED_IN], out[MW_FUSED_OUT], made;
    MW_TRY(mw_fuse_body_make(&w->groups, group, w->to->arena, &b));
    MW_TRY(name_body(w, &b));
    for (int i = 0; i < b.n_in; i++) {
        MW_TRY(copy_tensor(w, b.in[i]));
        in[i] = w->made[b.in[i]];
    }
    for (int i = 0; i < b.n_out; i++) {
        MW_TRY(copy_tensor(w, b.out[i]));
        out[i] = w->made[b.out[i]];
    }
    const mw_attr attr = {.name = "body", .kind = MW_ATTR_BODY, .body = b.body};
    mw_op_spec spec = {.def = row_of(group)->name,
                       .n_in = b.n_in,
                       .in = in,
                       .n_out = b.n_out,
                       .out = out,
                       .n_attr = 1,
                       .attr = &attr};
    return mw_graph_bind(w->to, &spec, &made);
}

/* ---- all of it ---------------------------------------------------------- */

static mw_status write_op(writer *w, int k)
{
    const mw_fuse_groups *g = &w->groups;
    const mw_fuse_group *group =
        g->of[k] == MW_NONE ? NULL : &g->group[g->of[k]];
    if (group && group->n > 1 && group->member[group->n - 1] != k)
        return MW_OK;
    MW_TRY(copy_until(w, w->from->op[k].out[0].tensor));
    return group && group->n > 1 ? write_group(w, group)
                                 : copy_op(w, &w->from->op[k]);
}

static mw_status copy_rest(writer *w)
{
    MW_TRY(copy_until(w, w->from->n_tensors));
    return mw_graph_interference(w->to);
}

/* The graph in which groups compute again what is cheaper so; itself where
 * nothing is. */
static mw_status compute_again(const mw_graph *from, const char *const keep[],
                               int n_keep, mw_arena *arena,
                               mw_fuse_groups *made)
{
    mw_fuse_groups groups = {.graph = from};
    bool any;
    MW_TRY(mw_fuse_find(&groups, arena, keep, n_keep));
    bool *gone = MW_NEW_ARRAY(arena, from->n_tensors, bool);
    bool *leaves = MW_NEW_ARRAY(arena, from->n_tensors, bool);
    mw_graph *to = MW_NEW(arena, mw_graph);
    if (!gone || !leaves || !to)
        return MW_ENOMEM;
    *made = (mw_fuse_groups){.graph = from};
    MW_TRY(mw_fuse_find_again(&groups, arena, gone, leaves, &any));
    if (!any)
        return MW_OK;
    MW_TRY(mw_graph_init(to, arena, from->name));
    made->graph = to;
    return mw_fuse_write_again(&groups, gone, leaves, to, &made->twin);
}

static mw_status write_all(writer *w)
{
    mw_arena *arena = w->to->arena;
    const mw_graph *from = w->from = w->groups.graph;
    w->to->name = from->name;
    mw_map_init(&w->names, arena);
    w->made = MW_NEW_ARRAY(arena, from->n_tensors, mw_id);
    if (!w->made)
        return MW_ENOMEM;
    for (mw_id t = 0; t < from->n_tensors; t++)
        w->made[t] = MW_NONE;
    MW_TRY(mw_graph_copy_frame(from, w->to));
    for (int k = 0; k < from->n_ops; k++)
        MW_TRY(write_op(w, k));
    return copy_rest(w);
}

/* The graph with attentions as one op each; itself where there are none. */
static mw_status attend(const mw_graph *from, const char *const keep[],
                        int n_keep, mw_arena *arena, const mw_graph **made)
{
    writer w = {.groups = {.graph = from}, .to = MW_NEW(arena, mw_graph)};
    bool any;
    *made = from;
    if (!w.to)
        return MW_ENOMEM;
    MW_TRY(mw_attend_find(&w.groups, arena, keep, n_keep, &any));
    if (!any)
        return MW_OK;
    MW_TRY(mw_graph_init(w.to, arena, from->name));
    *made = w.to;
    return write_all(&w);
}

mw_status mw_fuse(const mw_graph *whole, const char *const keep[], int n_keep,
                  mw_graph *to)
{
    mw_arena *arena = to->arena;
    writer w = {.to = to};
    const mw_graph *plain, *ordered, *attended;
    MW_TRY(mw_fuse_views(whole, keep, n_keep, arena, &plain));
    MW_TRY(mw_fuse_order(plain, arena, &ordered));
    MW_TRY(attend(ordered, keep, n_keep, arena, &attended));
    MW_TRY(compute_again(attended, keep, n_keep, arena, &w.groups));
    MW_TRY(mw_fuse_find(&w.groups, arena, keep, n_keep));
    return write_all(&w);
}
