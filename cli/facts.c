/* facts.c - counts over a named graph. */
#include "cli/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "ir/life.h"
#include "ir/op.h"

static int by_work(const void *a, const void *b)
{
    const mw_kind_fact *x = a, *y = b;
    if (x->flops != y->flops)
        return x->flops > y->flops ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return strcmp(x->op, y->op);
}

static mw_status count_kinds(mw_arena *arena, mw_facts *facts)
{
    const mw_graph *graph = facts->graph;
    facts->kind = MW_NEW_ARRAY(arena, mw_op_count, mw_kind_fact);
    if (!facts->kind)
        return MW_ENOMEM;
    for (int k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        int i = 0;
        while (i < facts->n_kinds &&
               strcmp(facts->kind[i].op, op->def->name) != 0)
            i++;
        if (i == facts->n_kinds)
            facts->kind[facts->n_kinds++].op = op->def->name;
        double flops = mw_op_flops(graph, op);
        facts->kind[i].count++;
        facts->kind[i].flops += flops;
        facts->flops += flops;
    }
    qsort(facts->kind, (size_t)facts->n_kinds, sizeof *facts->kind, by_work);
    return MW_OK;
}

/* Held at the largest number: a file may claim any sizes. */
static void add(int64_t *sum, int64_t more)
{
    if (!mw_add_fits(*sum, more, sum))
        *sum = INT64_MAX;
}

static void count_roles(mw_facts *facts)
{
    for (mw_id t = 0; t < facts->graph->n_tensors; t++) {
        const mw_tensor *tensor = &facts->graph->tensor[t];
        if (tensor->root != t)
            continue;
        mw_role_fact *role = &facts->role[tensor->role];
        role->tensors++;
        add(&role->elements, mw_tensor_elements(tensor));
        add(&role->bytes, mw_tensor_bytes(tensor));
    }
}

static bool is_activation(const mw_tensor *tensor)
{
    return tensor->role == MW_ROLE_INPUT || tensor->role == MW_ROLE_VALUE;
}

static mw_status find_peak(mw_arena *arena, mw_facts *facts)
{
    const mw_graph *graph = facts->graph;
    mw_life *life = MW_NEW_ARRAY(arena, graph->n_tensors, mw_life);
    double *change = MW_NEW_ARRAY(arena, graph->n_ops + 1, double);
    if (!life || !change)
        return MW_ENOMEM;
    mw_lives(graph, life);
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        if (!is_activation(&graph->tensor[t]) || life[t].end <= life[t].begin)
            continue;
        double bytes = (double)mw_tensor_bytes(&graph->tensor[t]);
        change[life[t].begin] += bytes;
        change[life[t].end] -= bytes;
    }
    double live = 0.0;
    facts->live_op = MW_NONE;
    for (int k = 0; k < graph->n_ops; k++) {
        live += change[k];
        if (live <= (double)facts->live_bytes)
            continue;
        facts->live_bytes = live < 0x1p62 ? (int64_t)live : INT64_MAX;
        facts->live_op = k;
    }
    return MW_OK;
}

static mw_status find_first(mw_arena *arena, mw_facts *facts)
{
    const mw_graph *graph = facts->graph;
    facts->first = MW_NEW_ARRAY(arena, graph->n_dims, mw_id);
    if (!facts->first)
        return MW_ENOMEM;
    for (int d = 0; d < graph->n_dims; d++)
        facts->first[d] = MW_NONE;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        for (int a = 0; a < graph->tensor[t].rank; a++) {
            mw_id dim = graph->tensor[t].axis[a].dim;
            if (dim != MW_NONE && facts->first[dim] == MW_NONE)
                facts->first[dim] = t;
        }
    return MW_OK;
}

/* Insertion sort by bytes, ties in the file's order: there are few hundred. */
static mw_status sort_weights(mw_arena *arena, mw_facts *facts)
{
    const mw_graph *graph = facts->graph;
    facts->weight = MW_NEW_ARRAY(arena, graph->n_tensors, int);
    if (!facts->weight)
        return MW_ENOMEM;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        if (graph->tensor[t].role != MW_ROLE_PARAM)
            continue;
        int i = facts->n_weights++;
        for (; i > 0; i--) {
            mw_id before = facts->weight[i - 1];
            if (mw_tensor_bytes(&graph->tensor[before]) >=
                mw_tensor_bytes(&graph->tensor[t]))
                break;
            facts->weight[i] = before;
        }
        facts->weight[i] = t;
    }
    return MW_OK;
}

mw_status mw_facts_find(mw_arena *arena, const mw_graph *graph, mw_facts *facts)
{
    *facts = (mw_facts){.graph = graph};
    count_roles(facts);
    MW_TRY(count_kinds(arena, facts));
    MW_TRY(find_peak(arena, facts));
    MW_TRY(find_first(arena, facts));
    return sort_weights(arena, facts);
}

void mw_facts_type(mw_text *text, const mw_graph *graph,
                   const mw_tensor *tensor)
{
    const mw_axis *axis = tensor->axis;
    mw_text_format(text, "%s[", mw_dtype_name(tensor->dtype));
    for (int i = 0; i < tensor->file_rank; i++) {
        int n = tensor->file_axis[i];
        mw_text_add(text, i ? ", " : "");
        mw_text_add(text, n == 0 ? "1" : n > 1 ? "(" : "");
        for (int k = 0; k < n; k++, axis++) {
            mw_text_add(text, k ? " " : "");
            if (axis->dim == MW_NONE)
                mw_text_format(text, "%lld", (long long)axis->size);
            else
                mw_text_add(text, graph->dim[axis->dim].name);
        }
        mw_text_add(text, n > 1 ? ")" : "");
    }
    mw_text_add(text, "]");
}
