/* generator.c - one forward pass a token. */
#include "runtime/generator.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "ir/number.h"
#include "runtime/quiet.h"
#include "runtime/trainer.h"

/* ---- input and result ---- */

static bool is_labels(const char *name)
{
    return strcmp(name, "labels") == 0 || strcmp(name, "targets") == 0;
}

// The only input of integers that is no label.
static mw_status find_ids(const mw_graph *graph, mw_generator *g)
{
    int n = 0;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        int64_t size[MW_MAX_FILE_RANK];
        if (tensor->role != MW_ROLE_INPUT || tensor->producer != MW_NONE ||
            is_labels(tensor->name) || mw_dtype_is_float(tensor->dtype) ||
            mw_tensor_file_shape(tensor, size) != 2)
            continue;
        g->ids = t;
        g->batch = size[0];
        g->seq = size[1];
        n++;
    }
    if (n == 1 && g->batch > 0 && g->seq > 0)
        return MW_OK;
    return mw_fail(graph->ctx, MW_EINPUT,
                   "has %d inputs of integers [batch, seq], wanted one: it is "
                   "no plan of a language model",
                   n);
}

static bool is_result(const mw_generator *g, const mw_tensor *tensor)
{
    int64_t size[MW_MAX_FILE_RANK];
    return mw_dtype_is_float(tensor->dtype) &&
           mw_tensor_file_shape(tensor, size) == 3 && size[0] == g->batch &&
           size[1] == g->seq && size[2] > 0;
}

// Marks what follows from labels, up to where they are looked up with; *table
// is what that is done in: the result that a loss is taken of.
static void follow_labels(const mw_graph *graph, bool labels[], mw_id *table)
{
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        bool follows = false;
        for (int i = 0; i < op->n_in; i++) {
            if (!labels[op->in[i].tensor])
                continue;
            follows = true;
            if (i > 0 && i == op->def->index_in && *table == MW_NONE)
                *table = op->in[0].tensor;
        }
        for (int i = 0; i < op->n_out; i++)
            labels[op->out[i].tensor] =
                follows &&
                !mw_dtype_is_float(graph->tensor[op->out[i].tensor].dtype);
    }
}

// In a plan for training the result is no output, but labels point at it.
static mw_status find_scored(mw_arena *arena, const mw_graph *graph,
                             mw_generator *g)
{
    bool *labels = MW_NEW_ARRAY(arena, graph->n_tensors, bool);
    if (!labels)
        return MW_ENOMEM;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        labels[t] = graph->tensor[t].role == MW_ROLE_INPUT &&
                    is_labels(graph->tensor[t].name);
    mw_id table = MW_NONE;
    follow_labels(graph, labels, &table);
    if (table != MW_NONE && is_result(g, &graph->tensor[table]))
        g->logits = table;
    return MW_OK;
}

static mw_status find_logits(mw_arena *arena, const mw_graph *graph,
                             mw_generator *g)
{
    int n = 0;
    int64_t size[MW_MAX_FILE_RANK];
    g->logits = MW_NONE;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (!tensor->output || !is_result(g, tensor))
            continue;
        g->logits = t;
        n++;
    }
    if (n == 0)
        MW_TRY(find_scored(arena, graph, g));
    if (n > 1 || g->logits == MW_NONE)
        return mw_fail(graph->ctx, MW_EINPUT,
                       "has %d outputs [%" PRId64 ", %" PRId64 ", vocab], "
                       "wanted one: it is no plan of a language model",
                       n, g->batch, g->seq);
    (void)mw_tensor_file_shape(&graph->tensor[g->logits], size);
    g->vocab = size[2];
    return MW_OK;
}

// Nothing else from outside may be read.
static mw_status check_inputs(const mw_graph *graph, const mw_generator *g)
{
    for (mw_id k = 0; k < graph->n_ops; k++)
        for (int i = 0; i < graph->op[k].n_in && g->only[k]; i++) {
            mw_id t = graph->op[k].in[i].tensor;
            const mw_tensor *tensor = &graph->tensor[t];
            if (tensor->role == MW_ROLE_INPUT && tensor->producer == MW_NONE &&
                t != g->ids)
                return mw_fail(graph->ctx, MW_EINPUT,
                               "'%s' follows from '%s' too, wanted token "
                               "numbers alone",
                               graph->tensor[g->logits].name, tensor->name);
        }
    return MW_OK;
}

mw_status mw_generator_open(mw_arena *arena, mw_exec *exec, mw_values *values,
                            const mw_generator_spec *spec,
                            mw_generator *generator)
{
    const mw_graph *graph = exec->plan->graph;
    mw_generator *g = generator;
    *g = (mw_generator){.exec = exec, .values = values, .spec = *spec};
    MW_TRY(find_ids(graph, g));
    MW_TRY(find_logits(arena, graph, g));
    MW_TRY(mw_trainer_forward(arena, graph, g->logits, &g->only));
    MW_TRY(check_inputs(graph, g));
    MW_TRY(mw_quiet_find(arena, graph, &g->quiet));
    if (g->spec.below > g->vocab)
        g->spec.below = g->vocab;
    g->input = MW_NEW_ARRAY(arena, g->batch * g->seq, int64_t);
    g->row = MW_NEW_ARRAY(arena, g->vocab, double);
    g->stage = MW_NEW_ARRAY(arena, g->vocab, double);
    g->weight = MW_NEW_ARRAY(arena, g->vocab, double);
    if (!g->input || !g->row || !g->stage || !g->weight)
        return MW_ENOMEM;
    values->whole[g->ids] = g->input;
    return MW_OK;
}

/* ---- one token ---- */

// The last seq tokens, the same in each row.
static void fill_input(mw_generator *g, const int64_t token[], int64_t n)
{
    mw_dtype dtype = g->exec->plan->graph->tensor[g->ids].dtype;
    int64_t kept = n < g->seq ? n : g->seq;
    for (int64_t row = 0; row < g->batch; row++)
        for (int64_t k = 0; k < g->seq; k++) {
            mw_number number = {.i = k < kept ? token[n - kept + k] : 0};
            mw_numbers_store(dtype, g->input, row * g->seq + k, 1, 1, &number);
        }
}

// The box of row 0 at a position: axes of the file's first two axes have one
// value each, those of the last all.
static mw_box row_at(const mw_generator *g, int64_t position)
{
    const mw_tensor *t = &g->exec->plan->graph->tensor[g->logits];
    mw_box box = mw_box_whole(t);
    const int64_t value[2] = {0, position};
    int axis = 0;
    for (int f = 0; f < 2; f++) {
        int first = axis;
        int64_t left = value[f];
        axis += t->file_axis[f];
        for (int i = axis - 1; i >= first; i--) {
            box.axis[i] = (mw_block){left % t->axis[i].size, 1};
            left /= t->axis[i].size;
        }
    }
    return box;
}

// Uniform in [0, 1): of seed and position, whatever the ranks are.
static double draw(const mw_generator *g, int64_t n)
{
    uint64_t bits = mw_hash_int(mw_hash_int(0, (int64_t)g->spec.seed), n);
    return (double)(bits >> 11) * 0x1p-53;
}

static int64_t likeliest(const mw_generator *g)
{
    int64_t best = 0;
    for (int64_t k = 1; k < g->spec.below; k++)
        if (g->weight[k] > g->weight[best])
            best = k;
    return best;
}

// weight[] holds logits, and then what softmax makes of them.
static int64_t sample(mw_generator *g, int64_t n)
{
    double most = g->weight[likeliest(g)], sum = 0;
    for (int64_t k = 0; k < g->spec.below; k++) {
        g->weight[k] = exp((g->weight[k] - most) / g->spec.temperature);
        sum += g->weight[k];
    }
    double left = draw(g, n) * sum;
    for (int64_t k = 0; k < g->spec.below; k++) {
        left -= g->weight[k];
        if (left < 0)
            return k;
    }
    return likeliest(g);
}

static int64_t choose(mw_generator *g, int64_t n)
{
    mw_dtype dtype = g->exec->plan->graph->tensor[g->logits].dtype;
    for (int64_t k = 0; k < g->spec.below; k++) {
        mw_number number;
        mw_numbers_load(dtype, g->row, k, 1, 1, &number);
        g->weight[k] = number.f;
    }
    return g->spec.temperature > 0 ? sample(g, n) : likeliest(g);
}

mw_status mw_generator_next(mw_generator *generator, const int64_t token[],
                            int64_t n, int64_t *next)
{
    mw_generator *g = generator;
    int64_t told = 0;
    fill_input(g, token, n);
    mw_exec_put(g->exec, g->values, g->ids);
    mw_quiet_begin(g->exec, &g->quiet);
    mw_status status = mw_exec_run_part(g->exec, g->only);
    mw_quiet_end(g->exec, &g->quiet);
    MW_TRY(status);
    mw_box row = row_at(g, (n < g->seq ? n : g->seq) - 1);
    MW_TRY(mw_exec_gather_part(g->exec, g->logits, &row, g->stage, g->row));
    if (mw_team_rank(g->exec->team) == 0)
        told = choose(g, n);
    MW_TRY(mw_team_largest(g->exec->team, &told, 1));
    *next = told;
    return MW_OK;
}
