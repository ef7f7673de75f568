/* control.c - calls, branches and loops; operations that are identities to the
 * one who plans. */
#include <string.h>

#include "ir/fold.h"
#include "ir/import/stablehlo_call.h"

static mw_status callee(mw_hlo_call *call)
{
    const char *name = mw_hlo_word_of(call, "callee");
    if (!name)
        return mw_hlo_refuse(call, "it names no function");
    return mw_hlo_function(call, name);
}

/* A composite is the function that it decomposes into. */
static mw_status composite(mw_hlo_call *call)
{
    const char *name = mw_hlo_word_of(call, "decomposition");
    if (!name)
        return mw_hlo_refuse(call, "it names no decomposition");
    return mw_hlo_function(call, name);
}

static mw_status identity(mw_hlo_call *call)
{
    for (int i = 0; i < call->n_out && i < call->n_in; i++)
        (void)mw_hlo_set_value(call, i, call->in[i]);
    return call->emit.status;
}

/* ---- custom calls ---- */

/* Of the partitioner or the printer: the operand as it is. */
static const char *const identities[] = {"Sharding",
                                         "SPMDFullToShardShape",
                                         "SPMDShardToFullShape",
                                         "annotate_device_placement",
                                         "LayoutConstraint",
                                         "xla.sdy.FuncResultSharding",
                                         "MoveToHost",
                                         "MoveToDevice",
                                         NULL};

static bool is_one_of(const char *const list[], const char *name)
{
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static mw_status custom_call(mw_hlo_call *call)
{
    const char *name = mw_hlo_word_of(call, "callee");
    if (!name)
        name = mw_hlo_word_of(call, "call_target_name");
    if (!name)
        return mw_hlo_refuse(call, "it names no target");
    if (is_one_of(identities, name) && call->n_out <= call->n_in)
        return identity(call);
    if (call->n_out == 0 && strcmp(name, "shape_assertion") == 0)
        return MW_OK;
    return mw_hlo_refuse(call, "target '@%s' is not supported", name);
}

/* ---- branches ---- */

/* Makes a value that is one of two by a truth value. */
static mw_status choose(mw_hlo_call *call, mw_id condition,
                        const mw_hlo_value yes[], const mw_hlo_value no[],
                        mw_hlo_value out[])
{
    for (int i = 0; i < call->n_out; i++) {
        const mw_hlo_value in[3] = {{.id = condition}, yes[i], no[i]};
        out[i] = mw_hlo_map(call, "where", in, 3);
    }
    return call->emit.status;
}

/* Branches that depend on a value are all computed, and one is taken. */
static mw_status branches(mw_hlo_call *call, int64_t taken, mw_id index)
{
    const mw_hlo_op *op = call->op;
    mw_hlo_value *out =
        MW_NEW_ARRAY(call->emit.arena, call->n_out, mw_hlo_value);
    if (!out)
        return MW_ENOMEM;
    if (taken >= 0)
        return mw_hlo_region(call, &op->block[taken], NULL, 0, call->out,
                             call->n_out);
    int64_t last = op->n_blocks - 1;
    MW_TRY(
        mw_hlo_region(call, &op->block[last], NULL, 0, call->out, call->n_out));
    for (int64_t b = last - 1; b >= 0; b--) {
        MW_TRY(mw_hlo_region(call, &op->block[b], NULL, 0, out, call->n_out));
        mw_id here = mw_emit_by(&call->emit, "equal", index, (double)b);
        MW_TRY(choose(call, here, out, call->out, call->out));
    }
    return MW_OK;
}

/* An index outside takes the last branch. */
static mw_status branch_by_index(mw_hlo_call *call)
{
    int64_t n = call->op->n_blocks, taken = -1;
    mw_hlo_ints known = mw_hlo_known(call, 0);
    MW_TRY(call->emit.status);
    if (n < 1)
        return mw_hlo_refuse(call, "it has no branches");
    if (known.given && known.n == 1)
        taken = known.v[0] < 0 || known.v[0] >= n ? n - 1 : known.v[0];
    return branches(call, taken, mw_hlo_in(call, 0));
}

/* The first region is taken when the condition holds. */
static mw_status branch(mw_hlo_call *call)
{
    mw_hlo_ints known = mw_hlo_known(call, 0);
    MW_TRY(call->emit.status);
    if (call->op->n_blocks != 2)
        return mw_hlo_refuse(call, "it has %lld regions, wanted 2",
                             (long long)call->op->n_blocks);
    int64_t taken = known.given && known.n == 1 ? known.v[0] == 0 : -1;
    mw_id no = mw_emit1(&call->emit, "not", mw_hlo_in(call, 0));
    return branches(call, taken, mw_emit_cast(&call->emit, no, MW_I32));
}

/* ---- loops ---- */

static mw_status goes_on(mw_hlo_call *call, mw_hlo_value condition, bool *yes)
{
    mw_onnx_call *e = &call->emit;
    const void *bytes = NULL;
    if (!mw_fold_known(e->graph, condition.id) ||
        mw_tensor_elements(mw_emit_tensor(e, condition.id)) != 1)
        return mw_hlo_refuse(call, "how often the loop runs depends on an "
                                   "input's values");
    MW_TRY(mw_fold_read(e->graph, condition.id, e->arena, &bytes));
    *yes = mw_fold_number(mw_emit_dtype(e, condition.id), bytes) != 0.0;
    return MW_OK;
}

static mw_status loop(mw_hlo_call *call)
{
    int n = call->n_in;
    mw_hlo_value *state = MW_NEW_ARRAY(call->emit.arena, n, mw_hlo_value);
    if (!state)
        return MW_ENOMEM;
    if (call->op->n_blocks != 2 || n != call->n_out)
        return mw_hlo_refuse(call,
                             "it has %lld regions, %d operands and %d "
                             "results",
                             (long long)call->op->n_blocks, n, call->n_out);
    memcpy(state, call->in, (size_t)n * sizeof *state);
    for (;;) {
        mw_hlo_value condition;
        bool yes = false;
        MW_TRY(
            mw_hlo_region(call, &call->op->block[0], state, n, &condition, 1));
        MW_TRY(goes_on(call, condition, &yes));
        if (!yes)
            break;
        if (call->build->ops_left-- <= 0)
            return mw_hlo_refuse(call, "the loop is too long to be unrolled");
        MW_TRY(
            mw_hlo_region(call, &call->op->block[1], state, n, call->out, n));
        memcpy(state, call->out, (size_t)n * sizeof *state);
    }
    memcpy(call->out, state, (size_t)n * sizeof *state);
    return MW_OK;
}

static const mw_hlo_rule rules[] = {
    {.op = "call", .max_in = -1, .attrs = "callee", .build = callee},
    {.op = "func.call", .max_in = -1, .attrs = "callee", .build = callee},
    {.op = "stablehlo.composite",
     .max_in = -1,
     .attrs = "*",
     .build = composite},
    {.op = "stablehlo.custom_call",
     .max_in = -1,
     .attrs = "*",
     .build = custom_call},
    {.op = "stablehlo.optimization_barrier", .max_in = -1, .build = identity},
    {.op = "sdy.sharding_constraint",
     .min_in = 1,
     .max_in = 1,
     .attrs = "*",
     .build = identity},
    {.op = "stablehlo.case",
     .min_in = 1,
     .max_in = 1,
     .build = branch_by_index},
    {.op = "stablehlo.if", .min_in = 1, .max_in = 1, .build = branch},
    {.op = "stablehlo.while", .max_in = -1, .build = loop},
    {0},
};

const mw_hlo_def mw_hlo_control = {
    .brief = "calls, branches and loops that are known", .rules = rules};
