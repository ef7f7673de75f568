/* conv_grad.c - sizes of what the gradients of convolutions are packed into. */
#include "ir/conv_grad.h"

#include "ir/reshard.h"
#include "ir/rule.h"

static bool is_spatial(const mw_op *op, const mw_conv_roles *roles, int letter)
{
    mw_spatial spatial[MW_MAX_SPATIAL];
    int n = mw_conv_axes(op, roles, spatial);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k <= MW_CONV_RESULT; k++) {
            int axis = mw_conv_axis(roles, k, &spatial[i]);
            if (axis != MW_NONE &&
                mw_conv_operand(op, k)->letter[axis] == letter)
                return true;
        }
    }
    return false;
}

static bool has(const mw_op *op, int operand, int letter)
{
    return mw_operand_axis(mw_conv_operand(op, operand), letter) != MW_NONE;
}

mw_conv_side mw_conv_side_of(const mw_op *op, const mw_conv_roles *roles,
                             int letter)
{
    bool x = has(op, roles->x, letter);
    bool w = has(op, roles->w, letter);
    bool o = has(op, roles->o, letter);
    if (is_spatial(op, roles, letter))
        return MW_CONV_SIDES;
    if (x && w && o)
        return MW_CONV_GROUPS;
    return x && o ? MW_CONV_EXAMPLES : x ? MW_CONV_INPUTS : MW_CONV_OUTPUTS;
}

static int64_t at_most(int64_t n, int64_t most)
{
    return n < most ? n : most;
}

mw_conv_columns mw_conv_columns_of(int64_t rows, int64_t outputs,
                                   int64_t pixels)
{
    return (mw_conv_columns){.rows = at_most(rows, MW_COLUMN_ROWS),
                             .outputs = outputs,
                             .pixels = at_most(pixels, MW_COLUMN_PIXELS)};
}

void mw_conv_columns_bytes(const mw_conv_columns *columns, mw_dtype dtype,
                           int64_t bytes[3])
{
    int64_t item = mw_dtype_bytes(dtype);
    bytes[0] = mw_aligned(columns->rows * columns->pixels * item);
    bytes[1] = mw_aligned(columns->outputs * columns->pixels * item);
    bytes[2] = mw_aligned(columns->rows * columns->outputs * item);
}

// Sizes of the role's spatial axes.
static int64_t whole(const mw_graph *graph, const mw_op *op,
                     const mw_conv_roles *roles, bool taps)
{
    mw_spatial spatial[MW_MAX_SPATIAL];
    int n = mw_conv_axes(op, roles, spatial);
    const mw_operand *x = mw_conv_operand(op, taps ? roles->w : roles->o);
    int64_t total = 1;
    for (int i = 0; i < n; i++) {
        int axis = taps ? spatial[i].w_axis : spatial[i].out_axis;
        if (axis != MW_NONE)
            total *= graph->tensor[x->tensor].axis[axis].size;
    }
    return total;
}

// Spatial dims of o count whole: of a block's follow from windows.
int64_t mw_conv_grad_workspace(const mw_graph *graph, const mw_op *op,
                               const mw_conv_roles *roles,
                               const int64_t extent[MW_MAX_LETTERS])
{
    mw_dtype dtype = mw_op_out(graph, op)->dtype;
    int64_t side[MW_CONV_SIDES + 1] = {1, 1, 1, 1, 1}, bytes[3];
    if (dtype != MW_F32 && dtype != MW_F64)
        return 0;
    for (int l = 0; l < op->n_letters; l++)
        side[mw_conv_side_of(op, roles, l)] *= extent[l];
    mw_conv_columns columns = mw_conv_columns_of(
        side[MW_CONV_INPUTS] * whole(graph, op, roles, true),
        side[MW_CONV_OUTPUTS],
        side[MW_CONV_EXAMPLES] * whole(graph, op, roles, false));
    mw_conv_columns_bytes(&columns, dtype, bytes);
    return bytes[0] + bytes[1] + bytes[2];
}
