/* baseline.c - recipes as rules, from the roles that dimensions play. */
#include "search/baseline.h"

#include <string.h>

#include "search/baseline_zero.h"
#include "search/global.h"

// What a dimension does in the graph.
typedef struct role {
    bool input, param;
    bool made;       /* a parameter brings it into a contraction's output */
    bool contracted; /* a parameter and a value contract it */
    bool expert;     /* a parameter that is contracted and makes has one for
                        each of it, and so has the value */
    int n_outputs;   /* of ops, that have it */
    int n_leading;   /* inputs whose first axis it is */
    int n_reduced;   /* ops that contract or reduce it */
} role;

typedef struct finder {
    mw_arena *arena;
    const mw_setting *on;
    bool even;
    role *role;
    uint8_t *meets;
    uint32_t mesh_axes, last_axis; /* longer than 1 */
    mw_id batch;
    uint8_t *tensor; /* by dimension: of tensor parallelism; n_tensor of them */
    int n_tensor;
} finder;

// Mesh axes by dimension; the second where the first says nothing, or NULL.
typedef struct mw_rules {
    uint32_t *first, *second;
} mw_rules;

static bool has_letter(const mw_graph *graph, const mw_operand *operand, int l)
{
    for (int i = 0; i < graph->tensor[operand->tensor].rank; i++) {
        if (operand->letter[i] == l)
            return true;
    }
    return false;
}

static bool is_param(const mw_graph *graph, const mw_operand *operand)
{
    mw_id root = graph->tensor[operand->tensor].root;
    return mw_tensor_is_weight(&graph->tensor[root]);
}

// Where a letter of a contraction stands.
typedef struct place {
    bool param, value, output;
} place;

static place place_of(const mw_graph *graph, const mw_op *op, int l)
{
    place at = {.output = mw_op_letter_in_output(op, l)};
    for (int i = 0; i < op->n_in; i++) {
        bool here = has_letter(graph, &op->in[i], l);
        bool param = here && is_param(graph, &op->in[i]);
        at.param = at.param || param;
        at.value = at.value || (here && !param);
    }
    return at;
}

static void note_letter(const mw_graph *graph, const mw_op *op, int l,
                        role *dim)
{
    place at = place_of(graph, op, l);
    if ((at.param || at.value) && !at.output)
        dim->n_reduced++;
    if (at.param && at.value && !at.output)
        dim->contracted = true;
    if (at.param && !at.value && at.output)
        dim->made = true;
}

// A stack of weights: what both sides have and the result keeps, beside one
// letter that is contracted and one that is made.
static void note_experts(const mw_graph *graph, const mw_op *op, role *roles)
{
    bool contracted = false, made = false;
    for (int l = 0; l < op->n_letters; l++) {
        place at = place_of(graph, op, l);
        bool free = op->letter[l].dim != MW_NONE && !op->letter[l].pinned;
        contracted = contracted || (free && at.param && at.value && !at.output);
        made = made || (free && at.param && !at.value && at.output);
    }
    for (int l = 0; contracted && made && l < op->n_letters; l++) {
        place at = place_of(graph, op, l);
        if (op->letter[l].dim != MW_NONE && !op->letter[l].pinned && at.param &&
            at.value && at.output)
            roles[op->letter[l].dim].expert = true;
    }
}

static bool contracts(const mw_op *op)
{
    for (int l = 0; l < op->n_letters; l++) {
        if (!mw_op_letter_in_output(op, l))
            return true;
    }
    return false;
}

static void find_roles(const mw_graph *graph, role *roles)
{
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        bool param = mw_tensor_is_weight(tensor);
        bool input = tensor->role == MW_ROLE_INPUT && !tensor->weight;
        for (int i = 0; i < tensor->rank; i++) {
            mw_id d = tensor->axis[i].dim;
            if (d == MW_NONE)
                continue;
            roles[d].param = roles[d].param || param;
            roles[d].input = roles[d].input || input;
            // A batch of 1 has no dimension, and what follows it is no batch.
            if (input && i == 0 &&
                (tensor->file_rank == 0 || tensor->file_axis[0] > 0))
                roles[d].n_leading++;
        }
    }
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        for (int l = 0; l < op->n_letters; l++) {
            if (op->letter[l].dim != MW_NONE && mw_op_letter_in_output(op, l))
                roles[op->letter[l].dim].n_outputs++;
        }
        if (!contracts(op))
            continue;
        note_experts(graph, op, roles);
        for (int l = 0; l < op->n_letters; l++) {
            if (op->letter[l].dim != MW_NONE && !op->letter[l].pinned)
                note_letter(graph, op, l, &roles[op->letter[l].dim]);
        }
    }
}

// The mesh axes of a dimension under a rule, 0 where there is none.
static uint32_t axes_of(const uint32_t *axes, mw_id d)
{
    return axes && d != MW_NONE ? axes[d] : 0;
}

static void rule_op(const mw_setting *on, const uint32_t *axes, const mw_op *op,
                    mw_strategy *strategy)
{
    for (int l = 0; l < op->n_letters; l++) {
        for (int a = 0; a < on->mesh->n_axes; a++) {
            if (!op->letter[l].pinned && on->mesh->axis[a].size > 1 &&
                axes_of(axes, op->letter[l].dim) >> a & 1)
                strategy->split[a] = (int8_t)l;
        }
    }
}

static void rule_home(const mw_setting *on, const uint32_t *axes,
                      const mw_tensor *tensor, mw_layout *home)
{
    for (int i = 0; i < tensor->rank; i++) {
        for (int a = 0; a < on->mesh->n_axes; a++) {
            if (on->mesh->axis[a].size > 1 &&
                axes_of(axes, tensor->axis[i].dim) >> a & 1)
                home->role[a] = (int8_t)i;
        }
    }
}

// What two rules make of every op and home: the first has its way on an axis
// where it can.
static mw_status rule_choices(const finder *find, const mw_rules *rules,
                              mw_choices *choices)
{
    const mw_graph *graph = find->on->graph;
    mw_choices made = {
        .op = MW_NEW_ARRAY(find->arena, graph->n_ops + 1, mw_strategy),
        .home = MW_NEW_ARRAY(find->arena, graph->n_tensors + 1, mw_layout),
    };
    if (!made.op || !made.home)
        return MW_ENOMEM;
    for (mw_id k = 0; k < graph->n_ops; k++) {
        memset(made.op[k].split, MW_SPLIT_NONE, sizeof made.op[k].split);
        rule_op(find->on, rules->second, &graph->op[k], &made.op[k]);
        rule_op(find->on, rules->first, &graph->op[k], &made.op[k]);
    }
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[graph->tensor[t].root];
        made.home[t] = mw_layout_replicated();
        rule_home(find->on, rules->second, tensor, &made.home[t]);
        rule_home(find->on, rules->first, tensor, &made.home[t]);
    }
    *choices = made;
    return MW_OK;
}

// The input dimension to split by examples: the one that leads most inputs.
static mw_id find_batch(const finder *find)
{
    mw_id best = MW_NONE;
    for (mw_id d = 0; d < find->on->graph->n_dims; d++) {
        const role *dim = &find->role[d];
        if (dim->input && !dim->param && dim->n_leading > 0 &&
            (best == MW_NONE || dim->n_leading > find->role[best].n_leading))
            best = d;
    }
    return best;
}

static bool meets_any(const finder *find, mw_id d, const uint8_t *chosen)
{
    int n = find->on->graph->n_dims;
    for (mw_id e = 0; e < n; e++) {
        if (chosen[e] && find->meets[(int64_t)d * n + e])
            return true;
    }
    return false;
}

// Adds candidates that meet none chosen, those first that fewest ops reduce:
// each such op will need an all-reduce. contracted: dimensions that a
// parameter also contracts; else those that are only made.
static int choose(const finder *find, bool contracted, uint8_t *chosen)
{
    int n = 0;
    for (;;) {
        mw_id best = MW_NONE;
        for (mw_id d = 0; d < find->on->graph->n_dims; d++) {
            const role *dim = &find->role[d];
            if (chosen[d] || dim->input || !dim->made ||
                dim->contracted != contracted || meets_any(find, d, chosen))
                continue;
            if (best == MW_NONE || dim->n_reduced < find->role[best].n_reduced)
                best = d;
        }
        if (best == MW_NONE)
            return n;
        chosen[best] = 1;
        n++;
    }
}

static mw_status find_tensor_dims(const finder *find, uint8_t **chosen, int *n)
{
    uint8_t *made =
        MW_NEW_ARRAY(find->arena, find->on->graph->n_dims + 1, uint8_t);
    if (!made)
        return MW_ENOMEM;
    *n = choose(find, true, made);
    if (*n > 0)
        *n += choose(find, false, made);
    *chosen = made;
    return MW_OK;
}

// The first dimension that its axes do not divide, or MW_NONE.
static mw_id uneven(const mw_setting *on, const uint32_t *axes)
{
    for (mw_id d = 0; axes && d < on->graph->n_dims; d++) {
        int64_t parts = mw_mesh_group_size(on->mesh, axes[d]);
        if (axes[d] && on->graph->dim[d].size % parts != 0)
            return d;
    }
    return MW_NONE;
}

// A recipe's choices, or that some split does not divide.
static mw_status follow(const finder *find, const mw_rules *rules,
                        mw_baseline *made)
{
    const uint32_t *axes = rules->first;
    mw_id bad = find->even ? uneven(find->on, axes) : MW_NONE;
    if (bad == MW_NONE && find->even) {
        axes = rules->second;
        bad = uneven(find->on, axes);
    }
    if (bad == MW_NONE)
        return rule_choices(find, rules, &made->choices);
    const mw_dim *dim = &find->on->graph->dim[bad];
    made->reason = mw_arena_format(
        find->arena, "%s (%lld) is not divisible by %lld", dim->name,
        (long long)dim->size,
        (long long)mw_mesh_group_size(find->on->mesh, axes[bad]));
    return made->reason ? MW_OK : MW_ENOMEM;
}

static mw_status new_axes(const finder *find, uint32_t **axes)
{
    *axes = MW_NEW_ARRAY(find->arena, find->on->graph->n_dims + 1, uint32_t);
    return *axes ? MW_OK : MW_ENOMEM;
}

static void set_tensor(const finder *find, uint32_t mesh_axes, uint32_t *axes)
{
    for (mw_id d = 0; d < find->on->graph->n_dims; d++) {
        if (find->tensor[d])
            axes[d] = mesh_axes;
    }
}

static const char no_batch[] =
    "no dimension leads an input that no parameter has";
static const char no_tensor[] =
    "no dimension that one parameter makes and another contracts";
static const char one_axis[] = "the mesh has one axis";

/* ---- the recipes ---- */

static mw_status replicated(const finder *find, mw_rules *rules,
                            const char **reason)
{
    (void)reason;
    return new_axes(find, &rules->first);
}

static mw_status data_parallel(const finder *find, mw_rules *rules,
                               const char **reason)
{
    if (find->batch == MW_NONE) {
        *reason = no_batch;
        return MW_OK;
    }
    MW_TRY(new_axes(find, &rules->first));
    rules->first[find->batch] = find->mesh_axes;
    return MW_OK;
}

static mw_status tensor_parallel(const finder *find, mw_rules *rules,
                                 const char **reason)
{
    if (find->n_tensor == 0) {
        *reason = no_tensor;
        return MW_OK;
    }
    MW_TRY(new_axes(find, &rules->first));
    set_tensor(find, find->mesh_axes, rules->first);
    return MW_OK;
}

static mw_status data_and_tensor(const finder *find, mw_rules *rules,
                                 const char **reason)
{
    if (find->batch == MW_NONE)
        *reason = no_batch;
    else if (find->n_tensor == 0)
        *reason = no_tensor;
    else if (find->mesh_axes == find->last_axis)
        *reason = one_axis;
    if (*reason)
        return MW_OK;
    MW_TRY(new_axes(find, &rules->first));
    rules->first[find->batch] = find->mesh_axes & ~find->last_axis;
    set_tensor(find, find->last_axis, rules->first);
    return MW_OK;
}

// What most results have, that no contraction takes away from a parameter and
// no parameter makes: a sequence, beside the examples.
static mw_id find_sequence(const finder *find)
{
    mw_id best = MW_NONE;
    for (mw_id d = 0; d < find->on->graph->n_dims; d++) {
        const role *dim = &find->role[d];
        if (d == find->batch || find->tensor[d] || dim->contracted ||
            dim->made || dim->expert || dim->n_outputs == 0)
            continue;
        if (best == MW_NONE || dim->n_outputs > find->role[best].n_outputs)
            best = d;
    }
    return best;
}

// Tensor parallelism whose axis splits the sequence wherever it splits nothing
// else.
static mw_status sequence_parallel(const finder *find, mw_rules *rules,
                                   const char **reason)
{
    mw_id sequence = find_sequence(find);
    uint32_t axes = find->last_axis;
    if (find->n_tensor == 0)
        *reason = no_tensor;
    else if (sequence == MW_NONE)
        *reason = "no dimension besides the examples that parameters leave "
                  "alone";
    if (*reason)
        return MW_OK;
    if (find->batch == MW_NONE)
        axes = find->mesh_axes;
    MW_TRY(new_axes(find, &rules->first));
    MW_TRY(new_axes(find, &rules->second));
    set_tensor(find, axes, rules->first);
    rules->second[sequence] = axes;
    if (find->mesh_axes & ~axes)
        rules->first[find->batch] = find->mesh_axes & ~axes;
    return MW_OK;
}

// Each processor has some of the experts, and of all else some examples.
static mw_status expert_parallel(const finder *find, mw_rules *rules,
                                 const char **reason)
{
    bool any = false;
    MW_TRY(new_axes(find, &rules->first));
    for (mw_id d = 0; d < find->on->graph->n_dims; d++) {
        if (!find->role[d].expert)
            continue;
        any = true;
        rules->first[d] = find->mesh_axes;
    }
    if (!any)
        *reason = "no parameter is a stack of weights, one for each expert";
    else if (find->batch == MW_NONE)
        *reason = no_batch;
    if (*reason)
        return MW_OK;
    MW_TRY(new_axes(find, &rules->second));
    rules->second[find->batch] = find->mesh_axes;
    return MW_OK;
}

static mw_id family_of(const mw_graph *graph, mw_id d)
{
    while (d != MW_NONE && graph->dim[d].of != MW_NONE)
        d = graph->dim[d].of;
    return d;
}

enum { MAX_FAMILIES = MW_MAX_MESH };

// Dimensions over which windows slide, in order; those derived from one count
// as it.
static int find_families(const mw_graph *graph, mw_id family[MAX_FAMILIES])
{
    int n = 0;
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_op *op = &graph->op[k];
        if (strcmp(op->def->family, "window") != 0)
            continue;
        const mw_operand *in = &op->in[0];
        const mw_tensor *tensor = &graph->tensor[in->tensor];
        for (int i = 0; i < tensor->rank && n < MAX_FAMILIES; i++) {
            mw_id d = family_of(graph, tensor->axis[i].dim);
            bool known = !(in->window >> i & 1) || d == MW_NONE;
            for (int j = 0; j < n; j++)
                known = known || family[j] == d;
            if (!known)
                family[n++] = d;
        }
    }
    return n;
}

// Each mesh axis takes one of the image's axes in turn; examples where there is
// no image.
static mw_status spatial(const finder *find, mw_rules *rules,
                         const char **reason)
{
    const mw_graph *graph = find->on->graph;
    mw_id family[MAX_FAMILIES];
    int n = find_families(graph, family), next = 0;
    if (n == 0) {
        *reason = "no window slides over a dimension";
        return MW_OK;
    }
    MW_TRY(new_axes(find, &rules->first));
    MW_TRY(new_axes(find, &rules->second));
    for (int a = 0; a < find->on->mesh->n_axes; a++) {
        if (!(find->mesh_axes >> a & 1))
            continue;
        mw_id taken = family[next++ % n];
        for (mw_id d = 0; d < graph->n_dims; d++) {
            if (family_of(graph, d) == taken)
                rules->first[d] |= UINT32_C(1) << a;
        }
    }
    if (find->batch != MW_NONE)
        rules->second[find->batch] = find->mesh_axes;
    return MW_OK;
}

static const struct recipe {
    const char *name;
    mw_status (*rules)(const finder *find, mw_rules *rules,
                       const char **reason);
    int zero; /* stage of ZeRO; 0: none */
} recipes[] = {
    {MW_BASELINE_ALONE, replicated, 0},
    {"data_parallel", data_parallel, 0},
    {"zero1", data_parallel, 1},
    {"zero2", data_parallel, 2},
    {"zero3", data_parallel, 3},
    {"tensor_parallel", tensor_parallel, 0},
    {"2d", data_and_tensor, 0},
    {"sequence_parallel", sequence_parallel, 0},
    {"expert_parallel", expert_parallel, 0},
    {"spatial", spatial, 0},
};

enum { N_RECIPES = sizeof recipes / sizeof recipes[0] };

static mw_status init_finder(finder *find)
{
    const mw_graph *graph = find->on->graph;
    find->role = MW_NEW_ARRAY(find->arena, graph->n_dims + 1, role);
    if (!find->role)
        return MW_ENOMEM;
    find_roles(graph, find->role);
    for (int a = 0; a < find->on->mesh->n_axes; a++) {
        if (find->on->mesh->axis[a].size == 1)
            continue;
        find->last_axis = UINT32_C(1) << a;
        find->mesh_axes |= find->last_axis;
    }
    MW_TRY(mw_global_interference(find->arena, graph, &find->meets));
    find->batch = find_batch(find);
    return find_tensor_dims(find, &find->tensor, &find->n_tensor);
}

static mw_status make(const finder *find, const struct recipe *recipe,
                      mw_baseline *made)
{
    mw_rules rules = {0};
    *made = (mw_baseline){.name = recipe->name};
    if (recipe->zero && !mw_zero_applies(find->on->graph)) {
        made->reason = "nothing is updated: that takes --train";
        return MW_OK;
    }
    MW_TRY(recipe->rules(find, &rules, &made->reason));
    made->one_rule = !rules.second && !recipe->zero;
    if (!made->reason)
        MW_TRY(follow(find, &rules, made));
    if (made->reason || !recipe->zero)
        return MW_OK;
    return mw_zero_share(find->arena, find->on, recipe->zero, find->mesh_axes,
                         find->even, &made->choices);
}

mw_status mw_baselines(mw_arena *arena, const mw_setting *on, bool even,
                       mw_baseline **baseline, int *n)
{
    finder find = {.arena = arena, .on = on, .even = even};
    MW_TRY(init_finder(&find));
    mw_baseline *made = MW_NEW_ARRAY(arena, N_RECIPES, mw_baseline);
    if (!made)
        return MW_ENOMEM;
    for (int i = 0; i < N_RECIPES; i++)
        MW_TRY(make(&find, &recipes[i], &made[i]));
    *baseline = made;
    *n = N_RECIPES;
    return MW_OK;
}
