/* reshard_window.c - boxes of window inputs, and the pieces that make them. */
#include "ir/reshard_window.h"

mw_window mw_window_of(const mw_mesh *mesh, const mw_graph *graph,
                       const mw_op *op, const mw_strategy *strategy, int input)
{
    return (mw_window){
        .mesh = mesh,
        .graph = graph,
        .op = op,
        .strategy = strategy,
        .input = input,
        .layout = mw_strategy_input(op, strategy, input),
        .axes = mw_strategy_exchange_axes(mesh, op, strategy, input)};
}

static const mw_tensor *tensor_of(const mw_window *window)
{
    return &window->graph->tensor[window->op->in[window->input].tensor];
}

static int64_t own_box(const mw_window *window,
                       const int64_t coord[MW_MAX_MESH],
                       mw_block own[MW_MAX_RANK])
{
    return mw_layout_box(window->mesh, &window->layout, tensor_of(window),
                         coord, own);
}

int64_t mw_window_box(const mw_window *window, const int64_t coord[MW_MAX_MESH],
                      mw_block need[MW_MAX_RANK])
{
    const mw_op *op = window->op;
    const mw_operand *operand = &op->in[window->input];
    const mw_tensor *tensor = tensor_of(window);
    int64_t elements = 1;
    (void)own_box(window, coord, need);
    for (int i = 0; i < tensor->rank; i++) {
        uint32_t axes = mw_layout_axes(window->mesh, &window->layout, i);
        if ((operand->window >> i & 1U) && axes) {
            mw_block out = mw_strategy_block(window->mesh, op, window->strategy,
                                             operand->letter[i], coord);
            mw_span block = {.lo = out.start, .hi = out.start + out.size};
            mw_span read =
                mw_op_window(window->graph, op, window->input, i, block);
            need[i] =
                (mw_block){.start = read.lo,
                           .size = read.hi > read.lo ? read.hi - read.lo : 0};
        }
        elements *= need[i].size;
    }
    return elements;
}

static int64_t met(const mw_tensor *tensor, const mw_block a[],
                   const mw_block b[])
{
    int64_t elements = 1;
    for (int i = 0; i < tensor->rank && elements; i++) {
        int64_t first = a[i].start > b[i].start ? a[i].start : b[i].start;
        int64_t a_end = a[i].start + a[i].size, b_end = b[i].start + b[i].size;
        int64_t end = a_end < b_end ? a_end : b_end;
        elements *= end > first ? end - first : 0;
    }
    return elements;
}

/* What one rank sends to the others of its group, in elements. */
typedef struct pieces {
    int64_t sent, largest;
} pieces;

static pieces pieces_of(const mw_window *window,
                        const int64_t coord[MW_MAX_MESH])
{
    const mw_tensor *tensor = tensor_of(window);
    mw_block own[MW_MAX_RANK], need[MW_MAX_RANK];
    int64_t other[MW_MAX_MESH];
    pieces result = {0, 0};
    for (int a = 0; a < MW_MAX_MESH; a++)
        other[a] = coord[a];
    int64_t self = mw_mesh_group_index(window->mesh, window->axes, coord);
    int64_t count = mw_mesh_group_size(window->mesh, window->axes);
    if (own_box(window, coord, own) == 0)
        return result;
    for (int64_t k = 0; k < count; k++) {
        if (k == self)
            continue;
        mw_mesh_group_member(window->mesh, window->axes, k, other);
        (void)mw_window_box(window, other, need);
        int64_t piece = met(tensor, own, need);
        result.sent += piece;
        result.largest = piece > result.largest ? piece : result.largest;
    }
    return result;
}

int64_t mw_window_bytes_of(const mw_window *window, int64_t rank)
{
    int64_t coord[MW_MAX_MESH];
    mw_mesh_coords(window->mesh, rank, coord);
    return mw_dtype_size(tensor_of(window)->dtype,
                         pieces_of(window, coord).sent);
}

// What the rank receives, and from how many.
static int64_t received_by(const mw_window *window,
                           const int64_t coord[MW_MAX_MESH], int64_t *peers)
{
    const mw_tensor *tensor = tensor_of(window);
    mw_block own[MW_MAX_RANK], need[MW_MAX_RANK];
    int64_t other[MW_MAX_MESH], received = 0;
    for (int a = 0; a < MW_MAX_MESH; a++)
        other[a] = coord[a];
    *peers = 0;
    if (mw_window_box(window, coord, need) == 0)
        return 0;
    int64_t self = mw_mesh_group_index(window->mesh, window->axes, coord);
    int64_t count = mw_mesh_group_size(window->mesh, window->axes);
    for (int64_t k = 0; k < count; k++) {
        if (k == self)
            continue;
        mw_mesh_group_member(window->mesh, window->axes, k, other);
        (void)own_box(window, other, own);
        int64_t piece = met(tensor, own, need);
        received += piece;
        *peers += piece > 0;
    }
    return received;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

mw_window_sizes mw_window_price(const mw_window *window, const mw_costs *costs)
{
    mw_window_sizes sizes = {0, 0, 0, 0};
    int64_t size = mw_dtype_bytes(tensor_of(window)->dtype);
    int64_t received = 0, peers = 0, largest = 0;
    int64_t ranks = mw_mesh_ranks(window->mesh);
    for (int64_t rank = 0; rank < ranks; rank++) {
        int64_t coord[MW_MAX_MESH], from;
        mw_block need[MW_MAX_RANK];
        mw_mesh_coords(window->mesh, rank, coord);
        sizes.box_bytes =
            most(sizes.box_bytes, mw_window_box(window, coord, need) * size);
        pieces p = pieces_of(window, coord);
        sizes.sent_bytes = most(sizes.sent_bytes, p.sent * size);
        largest = most(largest, p.largest * size);
        received = most(received, received_by(window, coord, &from));
        peers = most(peers, from);
    }
    sizes.stage_bytes = 2 * mw_aligned(largest);
    if (costs && largest > 0)
        sizes.time_ps =
            costs->step_ps(costs, window->mesh, MW_EXCHANGE, window->axes,
                           received * size, peers, NULL);
    return sizes;
}
