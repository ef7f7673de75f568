/* constant.c - values that stand in the text, and those that follow from a
 * place. */
#include <string.h>

#include "ir/import/stablehlo_call.h"

static mw_status stored(mw_hlo_call *call, const mw_hlo_item *dense,
                        const mw_hlo_type *type)
{
    mw_tensor tensor = {.dtype = type->dtype, .rank = type->rank};
    int64_t shape[MW_MAX_RANK], elements = 1;
    if (mw_hlo_out_shape(call, 0, shape) < 0)
        return call->emit.status;
    for (int a = 0; a < type->rank; a++) {
        tensor.axis[a] = (mw_axis){.dim = MW_NONE, .size = shape[a]};
        if (shape[a] > 0 && elements > INT64_MAX / 16 / shape[a])
            return mw_hlo_refuse(call, "it has more bytes than can be counted");
        elements *= shape[a];
    }
    bool splat;
    uint64_t bits;
    MW_TRY(mw_hlo_dense_read(call->emit.arena, call->build->base.path, dense,
                             &tensor, &splat, &bits));
    if (splat)
        return mw_hlo_set(
            call, 0, mw_hlo_fill(call, type->dtype, bits, shape, type->rank));
    /* A weight when float and more than one element, as in other formats. */
    bool weight = mw_dtype_is_float(type->dtype) && elements > 1;
    tensor.name = mw_build_name(&call->build->base, "const");
    tensor.role = weight ? MW_ROLE_PARAM : MW_ROLE_CONST;
    if (!tensor.name)
        return MW_ENOMEM;
    mw_id id;
    MW_TRY(mw_graph_tensor(call->emit.graph, &tensor, &id));
    return mw_hlo_set(call, 0, id);
}

static mw_status constant(mw_hlo_call *call)
{
    const mw_hlo_type *type = mw_hlo_out_type(call, 0);
    if (!type)
        return call->emit.status;
    for (int64_t k = 0; k < call->op->attr.n; k++)
        if (call->op->attr.item[k].kind == MW_HLO_DENSE)
            return stored(call, &call->op->attr.item[k], type);
    return mw_hlo_refuse(call, "its value is no dense<...>");
}

/* 0, 1, ... along an axis, standing for its copies along the others. */
static mw_status iota_of(mw_hlo_call *call, const int64_t shape[], int rank,
                         const char *attr)
{
    int64_t axis = mw_hlo_int(call, attr, 0);
    MW_TRY(call->emit.status);
    if (axis < 0 || axis >= rank)
        return mw_hlo_refuse(call, "dimension %lld of a rank of %d",
                             (long long)axis, rank);
    int64_t *full = MW_NEW_ARRAY(call->emit.arena, rank, int64_t);
    if (!full)
        return MW_ENOMEM;
    memcpy(full, shape, (size_t)rank * sizeof *full);
    mw_id id = mw_emit_iota(&call->emit, shape[axis], (int)axis, rank);
    id = mw_emit_cast(&call->emit, id, mw_hlo_out_dtype(call, 0));
    return mw_hlo_set_value(call, 0, (mw_hlo_value){.id = id, .full = full});
}

static const char *iota_attr(const mw_hlo_call *call)
{
    return mw_hlo_attr(call, "dim") ? "dim" : "iota_dimension";
}

static mw_status iota(mw_hlo_call *call)
{
    int64_t shape[MW_MAX_RANK];
    int rank = mw_hlo_out_shape(call, 0, shape);
    MW_TRY(call->emit.status);
    return iota_of(call, shape, rank, iota_attr(call));
}

static mw_status dynamic_iota(mw_hlo_call *call)
{
    mw_hlo_ints shape = mw_hlo_known(call, 0);
    MW_TRY(call->emit.status);
    if (!shape.given || shape.n > MW_MAX_RANK)
        return mw_hlo_refuse(call, "its sizes depend on an input's values");
    return iota_of(call, shape.v, shape.n, iota_attr(call));
}

static mw_status dimension_size(mw_hlo_call *call)
{
    int64_t shape[MW_MAX_RANK];
    int rank = mw_hlo_shape(call, call->in[0], shape);
    const char *attr = mw_hlo_attr(call, "dim") ? "dim" : "dimension";
    int64_t axis = mw_hlo_int(call, attr, 0);
    MW_TRY(call->emit.status);
    if (axis < 0 || axis >= rank)
        return mw_hlo_refuse(call, "dimension %lld of a rank of %d",
                             (long long)axis, rank);
    return mw_hlo_set(call, 0,
                      mw_emit_number(&call->emit, MW_I32, (double)shape[axis]));
}

static const mw_hlo_rule rules[] = {
    {.op = "stablehlo.constant",
     .min_in = 0,
     .max_in = 0,
     .attrs = "value",
     .build = constant},
    {.op = "chlo.constant",
     .min_in = 0,
     .max_in = 0,
     .attrs = "value",
     .build = constant},
    {.op = "arith.constant",
     .min_in = 0,
     .max_in = 0,
     .attrs = "value",
     .build = constant},
    {.op = "stablehlo.iota",
     .min_in = 0,
     .max_in = 0,
     .attrs = "dim iota_dimension",
     .build = iota},
    {.op = "stablehlo.dynamic_iota",
     .min_in = 1,
     .max_in = 1,
     .attrs = "dim iota_dimension",
     .build = dynamic_iota},
    {.op = "stablehlo.get_dimension_size",
     .min_in = 1,
     .max_in = 1,
     .attrs = "dim dimension",
     .build = dimension_size},
    {0},
};

const mw_hlo_def mw_hlo_constant = {.brief = "constants", .rules = rules};
