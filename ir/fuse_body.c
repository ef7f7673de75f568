/* fuse_body.c - names within a body are those of places, so that equal groups
 * have equal bodies. */
#include "ir/fuse_body.h"

static mw_id inner_of(const mw_fuse_body *b, mw_id outer)
{
    for (int i = 0; i < b->n_known; i++)
        if (b->known[i].outer == outer)
            return b->known[i].inner;
    return MW_NONE;
}

static mw_status inner_dim(mw_fuse_body *b, mw_id outer, mw_id *inner)
{
    const mw_dim *dim = &b->groups->graph->dim[outer];
    *inner = mw_graph_find_dim(b->body, dim->name);
    if (*inner != MW_NONE)
        return MW_OK;
    return mw_graph_dim(
        b->body, &(mw_dim){.name = dim->name, .size = dim->size, .of = MW_NONE},
        inner);
}

// A tensor of the body by the name of its place.
static mw_status add_inner(mw_fuse_body *b, mw_id outer, mw_role role,
                           char letter, int number)
{
    const mw_tensor *from = &b->groups->graph->tensor[outer];
    mw_tensor made = {.dtype = from->dtype, .role = role, .rank = from->rank};
    mw_id id;
    for (int a = 0; a < from->rank; a++) {
        mw_id dim;
        MW_TRY(inner_dim(b, from->axis[a].dim, &dim));
        made.axis[a] = (mw_axis){.dim = dim, .size = from->axis[a].size};
    }
    if (role == MW_ROLE_CONST)
        made.data = from->data;
    made.name = mw_arena_format(b->body->arena, "%c%d", letter, number);
    if (!made.name)
        return MW_ENOMEM;
    MW_TRY(mw_graph_tensor(b->body, &made, &id));
    b->known[b->n_known++] = (mw_fuse_known){outer, id};
    return MW_OK;
}

static mw_status find_operands(mw_fuse_body *b)
{
    const mw_graph *from = b->groups->graph;
    mw_fuse_groups *g = b->groups;
    g->stamp++;
    for (int m = 0; m < b->group->n; m++)
        g->mark[b->group->member[m]] = g->stamp;
    for (int m = 0; m < b->group->n; m++) {
        const mw_op *op = &from->op[b->group->member[m]];
        for (int i = 0; i < op->n_in; i++) {
            mw_id t = op->in[i].tensor, producer = from->tensor[t].producer;
            if ((producer != MW_NONE && g->mark[producer] == g->stamp) ||
                inner_of(b, t) != MW_NONE)
                continue;
            if (mw_fuse_is_inner(g, t)) {
                MW_TRY(add_inner(b, t, MW_ROLE_CONST, 'c', b->n_inner++));
                continue;
            }
            MW_TRY(add_inner(b, t, MW_ROLE_INPUT, 'x', b->n_in));
            b->in[b->n_in++] = t;
        }
    }
    return MW_OK;
}

static mw_status add_members(mw_fuse_body *b)
{
    const mw_graph *from = b->groups->graph;
    for (int m = 0; m < b->group->n; m++) {
        const mw_op *op = &from->op[b->group->member[m]];
        mw_id in[MW_FUSED_ARGS], out, made;
        for (int i = 0; i < op->n_in; i++)
            in[i] = inner_of(b, op->in[i].tensor);
        MW_TRY(add_inner(b, op->out[0].tensor, MW_ROLE_VALUE, 't', m));
        out = inner_of(b, op->out[0].tensor);
        mw_op_spec spec = {.def = op->def->name,
                           .n_in = op->n_in,
                           .in = in,
                           .n_out = 1,
                           .out = &out,
                           .n_attr = op->n_attr,
                           .attr = op->attr};
        MW_TRY(mw_graph_bind(b->body, &spec, &made));
    }
    return MW_OK;
}

// What leaves the group: first what has all dims.
static mw_status find_results(mw_fuse_body *b)
{
    const mw_graph *from = b->groups->graph;
    for (int reduced = 0; reduced < 2; reduced++)
        for (int m = 0; m < b->group->n; m++) {
            const mw_op *op = &from->op[b->group->member[m]];
            bool is_reduced = op->def->reduce != MW_REDUCE_NONE;
            if (is_reduced == (reduced == 1) &&
                mw_fuse_leaves(b->groups, op->out[0].tensor))
                b->out[b->n_out++] = op->out[0].tensor;
        }
    b->body->result = MW_NEW_ARRAY(b->body->arena, b->n_out, mw_id);
    if (!b->body->result)
        return MW_ENOMEM;
    for (int i = 0; i < b->n_out; i++)
        b->body->result[i] = inner_of(b, b->out[i]);
    b->body->n_results = b->n_out;
    return MW_OK;
}

mw_status mw_fuse_body_make(mw_fuse_groups *groups, const mw_fuse_group *group,
                            mw_arena *arena, mw_fuse_body *b)
{
    *b = (mw_fuse_body){
        .groups = groups, .group = group, .body = MW_NEW(arena, mw_graph)};
    if (!b->body)
        return MW_ENOMEM;
    MW_TRY(mw_graph_init(b->body, arena, "fused"));
    b->body->named = true;
    MW_TRY(find_operands(b));
    MW_TRY(add_members(b));
    return find_results(b);
}
