/* block.c - boxes from layouts and strategies. */
#include "runtime/block.h"

mw_box mw_box_whole(const mw_tensor *tensor)
{
    mw_box box = {.rank = tensor->rank};
    for (int i = 0; i < tensor->rank; i++)
        box.axis[i] = (mw_block){0, tensor->axis[i].size};
    return box;
}

mw_box mw_box_held(const mw_mesh *mesh, const mw_tensor *tensor,
                   const mw_layout *layout, const int64_t coord[MW_MAX_MESH])
{
    mw_box box = {.rank = tensor->rank};
    (void)mw_layout_box(mesh, layout, tensor, coord, box.axis);
    return box;
}

mw_box mw_box_read(const mw_split_op *split, int input,
                   const int64_t coord[MW_MAX_MESH])
{
    const mw_op *op = split->op;
    const mw_operand *operand = &op->in[input];
    mw_layout layout = mw_strategy_input(op, split->strategy, input);
    mw_box box = mw_box_held(
        split->mesh, &split->graph->tensor[operand->tensor], &layout, coord);
    for (int i = 0; i < box.rank; i++) {
        if (!(operand->window >> i & 1U) ||
            !mw_layout_axes(split->mesh, &layout, i))
            continue;
        mw_block out = mw_strategy_block(split->mesh, op, split->strategy,
                                         operand->letter[i], coord);
        mw_span need = mw_op_window(split->graph, op, input, i,
                                    (mw_span){out.start, out.start + out.size});
        box.axis[i] = (mw_block){need.lo, need.hi - need.lo};
    }
    return box;
}

mw_view mw_view_of(const mw_tensor *tensor, const mw_box *box, void *data)
{
    mw_view view = {.data = data, .dtype = tensor->dtype, .rank = tensor->rank};
    for (int i = 0; i < tensor->rank; i++) {
        view.size[i] = box->axis[i].size;
        view.start[i] = box->axis[i].start;
        view.whole[i] = tensor->axis[i].size;
    }
    return view;
}

mw_status mw_block_move_spec(mw_arena *arena, mw_team *team,
                             const mw_block_move *what, mw_move_spec *spec)
{
    MW_TRY(mw_team_lane(team, what->mesh, what->axes, what->lane, &spec->wire));
    mw_box *from = MW_NEW_ARRAY(arena, spec->wire->size, mw_box);
    mw_box *to = MW_NEW_ARRAY(arena, spec->wire->size, mw_box);
    if (!from || !to)
        return MW_ENOMEM;
    int64_t coord[MW_MAX_MESH];
    mw_mesh_coords(what->mesh, mw_team_rank(team), coord);
    for (int k = 0; k < spec->wire->size; k++) {
        mw_mesh_group_member(what->mesh, what->axes, k, coord);
        from[k] = mw_box_held(what->mesh, what->tensor, &what->from, coord);
        if (what->split)
            to[k] = mw_box_read(what->split, what->input, coord);
        else
            to[k] = mw_box_held(what->mesh, what->tensor, &what->to, coord);
    }
    int reduce = what->from.reduce ? what->from.reduce : what->to.reduce;
    spec->dtype = what->tensor->dtype;
    spec->reduce = (mw_reduce)reduce;
    spec->boxes = (mw_move_boxes){from, to};
    return MW_OK;
}
