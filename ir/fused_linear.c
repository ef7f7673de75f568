/* fused_linear.c - which operands of a fused group may be partial sums
 * together. Sets grow through the body, op by op, from the rows' own sets; each
 * is then held against the whole body. */
#include "ir/fused.h"
#include "ir/number.h"

enum { MAX_SETS = 12 }; /* followed through the body */

/* How an inner tensor depends on the operands of a set. */
typedef enum how {
    HOW_FREE,   /* not at all */
    HOW_ZERO,   /* it is 0, which is linear in anything */
    HOW_LINEAR, /* the sum over ranks of the parts is the whole */
    HOW_OTHER
} how;

static bool is_zero(const mw_tensor *tensor)
{
    if (tensor->role != MW_ROLE_CONST || tensor->rank > 0 ||
        (tensor->data.kind != MW_DATA_MEMORY &&
         tensor->data.kind != MW_DATA_FILL))
        return false;
    mw_number x = mw_fused_number(tensor);
    return mw_dtype_is_float(tensor->dtype) ? x.f == 0 : x.u == 0;
}

// The operands that depend must be one of the op's linear sets; zeros go with
// either side.
static how how_of(const mw_graph *body, const mw_op *op, const uint8_t state[])
{
    uint32_t depends = 0, zero = 0;
    for (int i = 0; i < op->n_in; i++) {
        how in = (how)state[op->in[i].tensor];
        if (in == HOW_OTHER)
            return HOW_OTHER;
        depends |= in == HOW_LINEAR ? 1U << i : 0;
        zero |= in == HOW_ZERO ? 1U << i : 0;
    }
    for (int k = 0; k < MW_MAX_LINEAR; k++) {
        uint32_t set = mw_op_linear(body, op, k);
        bool fits =
            set && (depends & ~set) == 0 && (set & ~(depends | zero)) == 0;
        if (fits)
            return depends ? HOW_LINEAR : HOW_ZERO;
    }
    return depends ? HOW_OTHER : HOW_FREE;
}

bool mw_fused_is_linear(const mw_graph *body, uint32_t set)
{
    uint8_t state[MW_FUSED_TENSORS];
    int input = 0;
    for (mw_id t = 0; t < body->n_tensors; t++) {
        const mw_tensor *tensor = &body->tensor[t];
        state[t] = is_zero(tensor) ? HOW_ZERO : HOW_FREE;
        if (tensor->role == MW_ROLE_INPUT)
            state[t] = set >> input++ & 1 ? HOW_LINEAR : HOW_FREE;
    }
    for (int k = 0; k < body->n_ops; k++)
        state[body->op[k].out[0].tensor] =
            (uint8_t)how_of(body, &body->op[k], state);
    for (int i = 0; i < body->n_results; i++)
        if (state[body->result[i]] != HOW_LINEAR)
            return false;
    return true;
}

/* Sets of a tensor, in the order found; not more than MAX_SETS. */
typedef struct sets {
    int n;
    uint32_t set[MAX_SETS];
} sets;

static void add_set(sets *to, uint32_t set)
{
    for (int i = 0; i < to->n; i++)
        if (to->set[i] == set)
            return;
    if (set && to->n < MAX_SETS)
        to->set[to->n++] = set;
}

// Every set of one joined with every set of the other; one without any leaves
// the other's as they are.
static sets join(const sets *a, const sets *b)
{
    sets both = {0};
    if (a->n == 0 || b->n == 0)
        return a->n ? *a : *b;
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < b->n; k++)
            add_set(&both, a->set[i] | b->set[k]);
    return both;
}

static sets sets_of(const mw_graph *body, const mw_op *op, const sets of[])
{
    sets found = {0};
    for (int k = 0; k < MW_MAX_LINEAR; k++) {
        uint32_t set = mw_op_linear(body, op, k);
        sets part = {0};
        for (int i = 0; i < op->n_in; i++)
            if (set >> i & 1)
                part = join(&part, &of[op->in[i].tensor]);
        for (int i = 0; i < part.n; i++)
            add_set(&found, part.set[i]);
    }
    return found;
}

mw_status mw_fused_linear(mw_graph *graph, mw_op *op)
{
    const mw_graph *body = mw_fused_body(op);
    sets *of = MW_NEW_ARRAY(graph->arena, body->n_tensors, sets);
    int32_t *linear = MW_NEW_ARRAY(graph->arena, MW_MAX_LINEAR + 1, int32_t);
    if (!of || !linear)
        return MW_ENOMEM;
    int input = 0, n = 0;
    for (mw_id t = 0; t < body->n_tensors; t++)
        if (body->tensor[t].role == MW_ROLE_INPUT)
            add_set(&of[t], 1U << input++);
    for (int k = 0; k < body->n_ops; k++)
        of[body->op[k].out[0].tensor] = sets_of(body, &body->op[k], of);
    sets all = {0};
    for (int i = 0; i < body->n_results; i++)
        all = join(&all, &of[body->result[i]]);
    for (int i = 0; i < all.n && n < MW_MAX_LINEAR; i++)
        if (mw_fused_is_linear(body, all.set[i]))
            linear[n++] = (int32_t)all.set[i];
    op->linear = linear;
    return MW_OK;
}
