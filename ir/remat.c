/* remat.c - repeats are found by comparing each op's looks with those of the op
 * a period behind, for all periods: quadratic in ops, and only of numbers. */
#include "ir/remat.h"

#include "base/hash.h"
#include "ir/op.h"

static uint64_t mix_attr(uint64_t hash, const mw_attr *attr)
{
    hash = mw_hash_text(hash, attr->name);
    hash = mw_hash_bytes(hash, &attr->f, sizeof attr->f);
    hash = mw_hash_int(hash, attr->dtype);
    for (int i = 0; i < attr->n; i++)
        hash = mw_hash_int(hash, attr->i[i]);
    return attr->text ? mw_hash_text(hash, attr->text) : hash;
}

// What an op looks like: row, attributes, its operands' roles and dimensions.
static uint64_t looks_of(const mw_graph *graph, const mw_op *op)
{
    uint64_t hash = mw_hash_text(0, op->def->name);
    for (int i = 0; i < op->n_attr; i++)
        hash = mix_attr(hash, &op->attr[i]);
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        const mw_operand *operand =
            i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
        const mw_tensor *tensor = &graph->tensor[operand->tensor];
        hash = mw_hash_int(hash, tensor->role);
        hash = mw_hash_int(hash, tensor->dtype);
        for (int a = 0; a < tensor->rank; a++) {
            hash = mw_hash_int(hash, tensor->axis[a].dim);
            hash = mw_hash_int(hash, tensor->axis[a].size);
        }
    }
    return hash;
}

/* Ops [start, start + length) look like those a period behind. */
typedef struct stretch {
    int start, length, period;
} stretch;

static stretch longest(const uint64_t *looks, int n, int period)
{
    stretch best = {0, 0, period};
    int length = 0;
    for (int i = 0; i + period < n; i++) {
        length = looks[i] == looks[i + period] ? length + 1 : 0;
        if (length > best.length) {
            best.length = length;
            best.start = i + 1 - length;
        }
    }
    return best;
}

static mw_status find_stretch(const mw_graph *graph, int n, stretch *found)
{
    uint64_t *looks = MW_NEW_ARRAY(graph->arena, n, uint64_t);
    if (!looks)
        return MW_ENOMEM;
    for (int k = 0; k < n; k++)
        looks[k] = looks_of(graph, &graph->op[k]);
    *found = (stretch){0, 0, 0};
    for (int period = 1; period <= n / 2; period++) {
        stretch s = longest(looks, n, period);
        if (s.length >= period &&
            s.length + period > found->length + found->period)
            *found = s;
    }
    return MW_OK;
}

// The forward op that reads each root last.
static mw_status last_uses(const mw_graph *graph, int n, int **last)
{
    int *made = MW_NEW_ARRAY(graph->arena, graph->n_tensors, int);
    if (!made)
        return MW_ENOMEM;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < graph->op[k].n_in; i++)
            made[graph->tensor[graph->op[k].in[i].tensor].root] = k;
    *last = made;
    return MW_OK;
}

// Bytes of results that are alive before op `at`.
static double alive_at(const mw_graph *graph, const int *last, int at)
{
    double bytes = 0;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (tensor->root == t && tensor->producer != MW_NONE &&
            tensor->producer < at && last[t] >= at)
            bytes += (double)mw_tensor_bytes(tensor);
    }
    return bytes;
}

// The first place to cut at, within the first period, where least is alive.
static void place_blocks(const mw_graph *graph, const int *last, stretch s,
                         mw_remat *remat)
{
    double least = 0;
    int end = s.start + s.length + s.period;
    for (int at = s.start; at < s.start + s.period; at++) {
        double bytes = alive_at(graph, last, at + s.period);
        if (at > s.start && bytes >= least)
            continue;
        least = bytes;
        remat->first = at;
    }
    remat->period = s.period;
    remat->n_blocks = (end - remat->first) / s.period;
}

// What is read behind the block that made it.
static void find_kept(const mw_graph *graph, const int *last, mw_remat *remat)
{
    for (int b = 0; b < remat->n_blocks; b++) {
        int begin = remat->first + b * remat->period;
        for (int k = begin; k < begin + remat->period; k++)
            for (int i = 0; i < graph->op[k].n_out; i++) {
                mw_id out = graph->op[k].out[i].tensor;
                mw_id root = graph->tensor[out].root;
                remat->kept[out] = last[root] >= begin + remat->period ||
                                   graph->tensor[out].output;
            }
    }
}

mw_status mw_remat_find(mw_grad *g, int last_op, mw_remat *remat)
{
    const mw_graph *graph = g->graph;
    mw_remat made = {.g = g, .last_op = last_op};
    stretch s;
    int *last;
    MW_TRY(find_stretch(graph, last_op, &s));
    MW_TRY(last_uses(graph, last_op, &last));
    if (s.period > 0)
        place_blocks(graph, last, s, &made);
    made.mode = MW_NEW_ARRAY(graph->arena, made.n_blocks, mw_remat_mode);
    made.stand_in = MW_NEW_ARRAY(graph->arena, graph->n_tensors, mw_id);
    made.kept = MW_NEW_ARRAY(graph->arena, graph->n_tensors, bool);
    if (!made.mode || !made.stand_in || !made.kept)
        return MW_ENOMEM;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        made.stand_in[t] = t;
    find_kept(graph, last, &made);
    *remat = made;
    return MW_OK;
}

int mw_remat_levels(const mw_remat *remat)
{
    return 2 * remat->n_blocks + 1;
}

// The first blocks' activations wait longest, so they go first.
void mw_remat_set(mw_remat *remat, int level)
{
    int n_full = level > remat->n_blocks ? level - remat->n_blocks : 0;
    for (int b = 0; b < remat->n_blocks; b++) {
        remat->mode[b] = b < n_full  ? MW_REMAT_FULL
                         : b < level ? MW_REMAT_CHEAP
                                     : MW_REMAT_KEEP;
    }
}

// Kept: what is read later, and in a cheap block what is dear to compute.
static bool keeps(const mw_remat *remat, const mw_op *op, mw_remat_mode mode)
{
    bool dear = op->def->dear && mode == MW_REMAT_CHEAP;
    for (int i = 0; i < op->n_out && !dear; i++)
        if (!remat->kept[op->out[i].tensor])
            return false;
    return true;
}

static mw_status copy_results(mw_remat *remat, const mw_op *op, mw_id out[])
{
    mw_graph *graph = remat->g->graph;
    for (int i = 0; i < op->n_out; i++) {
        mw_tensor made = graph->tensor[op->out[i].tensor];
        made.output = false;
        made.name = mw_arena_format(graph->arena, "again/%s", made.name);
        if (!made.name)
            return MW_ENOMEM;
        MW_TRY(mw_grad_name(remat->g, made.name, &made.name));
        MW_TRY(mw_graph_tensor(graph, &made, &out[i]));
    }
    return MW_OK;
}

static mw_status repeat(mw_remat *remat, int k)
{
    mw_graph *graph = remat->g->graph;
    const mw_op op = graph->op[k]; /* its operands stay where they are */
    mw_id *in = MW_NEW_ARRAY(graph->arena, op.n_in, mw_id);
    mw_id *out = MW_NEW_ARRAY(graph->arena, op.n_out, mw_id), id;
    if (!in || !out)
        return MW_ENOMEM;
    for (int i = 0; i < op.n_in; i++)
        in[i] = remat->stand_in[op.in[i].tensor];
    MW_TRY(copy_results(remat, &op, out));
    const mw_op_spec spec = {.def = op.def->name,
                             .n_in = op.n_in,
                             .in = in,
                             .n_out = op.n_out,
                             .out = out,
                             .n_attr = op.n_attr,
                             .attr = op.attr};
    MW_TRY(mw_graph_bind(graph, &spec, &id));
    for (int i = 0; i < op.n_out; i++)
        if (!remat->kept[op.out[i].tensor])
            remat->stand_in[op.out[i].tensor] = out[i];
    return MW_OK;
}

mw_status mw_remat_before(mw_remat *remat, int op)
{
    int from = op + 1 - remat->first;
    if (remat->n_blocks == 0 || from <= 0 || from % remat->period != 0 ||
        from / remat->period > remat->n_blocks)
        return MW_OK;
    int block = from / remat->period - 1;
    if (remat->mode[block] == MW_REMAT_KEEP)
        return MW_OK;
    for (int k = op + 1 - remat->period; k <= op; k++)
        if (!keeps(remat, &remat->g->graph->op[k], remat->mode[block]))
            MW_TRY(repeat(remat, k));
    return MW_OK;
}
