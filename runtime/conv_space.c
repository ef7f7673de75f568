/* conv_space.c - spatial axes by role, with their places in the blocks. */
#include "runtime/conv_space.h"

#include "ir/loop.h"

const mw_view *mw_conv_view(const mw_kernel_call *call, int i)
{
    return i == MW_CONV_RESULT ? &call->out[0] : &call->in[i];
}

static void block_of(const mw_view *v, int axis, int64_t *start, int64_t *size)
{
    *start = axis == MW_NONE ? 0 : v->start[axis];
    *size = axis == MW_NONE ? 1 : v->size[axis];
}

int mw_conv_spaces(const mw_kernel_call *call, const mw_conv_roles *roles,
                   mw_conv_space space[MW_MAX_SPATIAL])
{
    mw_spatial all[MW_MAX_SPATIAL];
    int64_t none;
    int n = mw_conv_axes(call->op, roles, all);
    for (int i = 0; i < n; i++) {
        mw_conv_space *p = &space[i];
        *p = (mw_conv_space){.s = all[i]};
        block_of(mw_conv_view(call, roles->x), all[i].x_axis, &p->x_start,
                 &p->x_size);
        block_of(mw_conv_view(call, roles->o), all[i].out_axis, &p->o_start,
                 &p->o_size);
        block_of(mw_conv_view(call, roles->w), all[i].w_axis, &none, &p->taps);
        for (int k = 0; k < 3; k++) {
            int axis = mw_conv_axis(roles, k, &all[i]);
            if (axis != MW_NONE)
                p->step[k] = mw_view_stride(mw_conv_view(call, k), axis);
        }
    }
    return n;
}
