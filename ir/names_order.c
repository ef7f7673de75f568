/* names_order.c - in which order ops and their operands are asked.
 *
 * Nothing here looks at op or tensor ids of what ops compute, so that files
 * which list the same nodes in another order get the same classes. */
#include "ir/names_state.h"

#include <stdlib.h>
#include <string.h>

typedef struct visit {
    mw_id op;
    int next; /* operand to be looked at */
} visit;

// Post-order from one op, without recursion.
static void visit_from(mw_names_state *state, mw_id root, visit *stack,
                       bool *seen)
{
    const mw_graph *placed = state->placed;
    int n = 0;
    seen[root] = true;
    stack[n++] = (visit){.op = root};
    while (n > 0) {
        visit *top = &stack[n - 1];
        const mw_op *op = &placed->op[top->op];
        if (top->next == op->n_in) {
            state->order[state->n_order++] = top->op;
            n--;
            continue;
        }
        mw_id producer = placed->tensor[op->in[top->next++].tensor].producer;
        if (producer == MW_NONE || seen[producer])
            continue;
        seen[producer] = true;
        stack[n++] = (visit){.op = producer};
    }
}

typedef struct result {
    const char *name;
    mw_id producer;
} result;

static int by_name(const void *a, const void *b)
{
    const result *x = a, *y = b;
    return strcmp(x->name, y->name);
}

mw_status mw_names_order(mw_names_state *state)
{
    const mw_graph *placed = state->placed;
    result *output = MW_NEW_ARRAY(state->arena, placed->n_tensors + 1, result);
    visit *stack = MW_NEW_ARRAY(state->arena, placed->n_ops + 1, visit);
    bool *seen = MW_NEW_ARRAY(state->arena, placed->n_ops + 1, bool);
    state->order = MW_NEW_ARRAY(state->arena, placed->n_ops + 1, mw_id);
    if (!output || !stack || !seen || !state->order)
        return MW_ENOMEM;
    size_t n = 0;
    for (mw_id t = 0; t < placed->n_tensors; t++) {
        const mw_tensor *tensor = &placed->tensor[t];
        if (tensor->output && tensor->producer != MW_NONE)
            output[n++] = (result){tensor->name, tensor->producer};
    }
    qsort(output, n, sizeof *output, by_name);
    for (size_t i = 0; i < n; i++)
        if (!seen[output[i].producer])
            visit_from(state, output[i].producer, stack, seen);
    return MW_OK;
}

// Atoms of all axes as their ages, to tell the older of two operands.
static int ages(const mw_names_state *state, mw_id t, mw_id age[])
{
    const mw_tensor *tensor = &state->placed->tensor[t];
    mw_id atom[MW_MAX_FACTORS];
    int n = 0;
    for (int a = 0; a < tensor->rank; a++) {
        int k = mw_atoms_expand(&state->atoms, state->tensor[t].axis[a], atom);
        for (int i = 0; i < k && n < 2 * MW_MAX_FACTORS; i++)
            age[n++] = state->atoms.atom[atom[i]].age;
    }
    return n;
}

static bool older(const mw_names_state *state, mw_id a, mw_id b)
{
    mw_id x[2 * MW_MAX_FACTORS], y[2 * MW_MAX_FACTORS];
    int n_x = ages(state, a, x), n_y = ages(state, b, y);
    for (int i = 0; i < n_x && i < n_y; i++)
        if (x[i] != y[i])
            return x[i] < y[i];
    return false;
}

// A parameter or constant, which follows the activation that it meets.
static bool is_stored(const mw_names_state *state, mw_id t)
{
    return state->tensor[t].param ||
           state->placed->tensor[t].role == MW_ROLE_CONST;
}

static bool map_before(const mw_names_state *state, mw_id a, mw_id b)
{
    if (is_stored(state, a) != is_stored(state, b))
        return is_stored(state, b);
    int64_t n_a = mw_tensor_elements(&state->placed->tensor[a]);
    int64_t n_b = mw_tensor_elements(&state->placed->tensor[b]);
    return n_a != n_b ? n_a > n_b : older(state, a, b);
}

static bool before(const mw_names_state *state, const mw_op *op, int i, int k)
{
    mw_id a = op->in[i].tensor, b = op->in[k].tensor;
    const char *family = op->def->family;
    if (strcmp(family, "map") == 0)
        return map_before(state, a, b);
    if (strcmp(family, "contraction") == 0 || strcmp(family, "window") == 0)
        return state->tensor[a].param && !state->tensor[b].param;
    return false;
}

void mw_names_operands(const mw_names_state *state, const mw_op *op,
                       int order[])
{
    for (int i = 0; i < op->n_in; i++) {
        int k = i;
        for (; k > 0 && before(state, op, i, order[k - 1]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}
