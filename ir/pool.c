/* pool.c - letters, windows and references of pooling and its gradients. */
#include "ir/pool.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "ir/grad.h"
#include "ir/loop.h"
#include "ir/number.h"
#include "ir/rule.h"

enum { N_LISTS = 5 };

static const char *const lists[N_LISTS] = {"kernel", "strides", "dilations",
                                           "pads_begin", "pads_end"};

int mw_pool_axes(const mw_op *op, mw_pool_axis axis[MW_POOL_SPATIAL])
{
    const mw_attr *in = mw_op_attr(op, "in_axes");
    const mw_attr *out = mw_op_attr(op, "out_axes");
    for (int i = 0; i < in->n; i++) {
        axis[i] = (mw_pool_axis){
            .in_axis = (int)in->i[i],
            .out_axis = (int)(out ? out->i[i] : in->i[i]),
            .taps = mw_op_attr(op, "kernel")->i[i],
            .stride = mw_op_attr(op, "strides")->i[i],
            .dilation = mw_op_attr(op, "dilations")->i[i],
            .pad_begin = mw_op_attr(op, "pads_begin")->i[i],
            .pad_end = mw_op_attr(op, "pads_end")->i[i],
        };
    }
    return in->n;
}

/* ---- checks -------------------------------------------------------------- */

static mw_status check_lists(const mw_graph *graph, const mw_op *op)
{
    int n = mw_op_attr(op, "in_axes")->n;
    if (n < 1 || n > MW_POOL_SPATIAL)
        return mw_op_fail(graph, op, "%d spatial axes, wanted 1 to %d", n,
                          MW_POOL_SPATIAL);
    for (int l = 0; l < N_LISTS; l++) {
        const mw_attr *list = mw_op_attr(op, lists[l]);
        if (list->n != n)
            return mw_op_fail(graph, op, "%s has %d entries, wanted %d",
                              lists[l], list->n, n);
        for (int i = 0; i < n; i++) {
            if (list->i[i] < (l < 3) || list->i[i] > INT32_MAX)
                return mw_op_fail(graph, op,
                                  "%s[%d] is %lld, wanted %d to 2147483647",
                                  lists[l], i, (long long)list->i[i], l < 3);
        }
    }
    return MW_OK;
}

// Each entry another axis of the tensor; -1 only in a named op.
static mw_status check_axes(const mw_graph *graph, const mw_op *op,
                            const char *name, const mw_tensor *tensor)
{
    const mw_attr *list = mw_op_attr(op, name);
    uint32_t used = 0;
    if (list->n != mw_op_attr(op, "in_axes")->n)
        return mw_op_fail(graph, op, "%s has %d entries, wanted %d", name,
                          list->n, mw_op_attr(op, "in_axes")->n);
    for (int i = 0; i < list->n; i++) {
        int64_t axis = list->i[i];
        if (axis < (graph->named ? MW_NONE : 0) || axis >= tensor->rank ||
            (axis >= 0 && used & 1u << axis))
            return mw_op_fail(graph, op,
                              "%s[%d] is %lld, wanted another axis of '%s'",
                              name, i, (long long)axis, tensor->name);
        if (axis >= 0)
            used |= 1u << axis;
    }
    return MW_OK;
}

static bool averages(const mw_op *op)
{
    return mw_op_attr_rule(op->def, "count_pads", MW_ATTR_BOTH) != NULL;
}

static mw_status check_dtype(const mw_graph *graph, const mw_op *op)
{
    mw_dtype dtype = MW_BOOL;
    MW_TRY(mw_rule_same_dtype(graph, op, 0, &dtype));
    bool max = op->def->reduce == MW_REDUCE_MAX;
    if ((averages(op) && !mw_dtype_is_float(dtype)) ||
        (dtype == MW_BOOL && (!max || op->n_in == 2)))
        return mw_op_fail(graph, op, "not defined for %s",
                          mw_dtype_name(dtype));
    return MW_OK;
}

// The windows that begin within an axis of `size` elements and its padding.
static mw_status n_windows(const mw_graph *graph, const mw_op *op,
                           const mw_pool_axis *a, int64_t size, int64_t *n)
{
    int64_t reach = 0, padded = 0;
    if (!mw_mul_fits(a->taps - 1, a->dilation, &reach) ||
        !mw_add_fits(size, a->pad_begin + a->pad_end, &padded) ||
        reach + 1 > padded)
        return mw_op_fail(graph, op,
                          "%lld taps, %lld apart, do not fit into %lld padded "
                          "by %lld and %lld",
                          (long long)a->taps, (long long)a->dilation,
                          (long long)size, (long long)a->pad_begin,
                          (long long)a->pad_end);
    int64_t rest = padded - reach - 1;
    *n = rest / a->stride + 1;
    if (mw_op_attr_int(op, "ceil", 0) != 0 && rest % a->stride != 0 &&
        *n * a->stride < size + a->pad_begin)
        ++*n;
    return MW_OK;
}

/* ---- placing and binding ------------------------------------------------- */

static const mw_pool_axis *find_in(const mw_pool_axis axis[], int n, int in)
{
    for (int i = 0; i < n; i++) {
        if (axis[i].in_axis == in)
            return &axis[i];
    }
    return NULL;
}

static mw_status place_letter(const mw_graph *graph, mw_op *op, int64_t size,
                              bool whole, int8_t *letter)
{
    *letter = MW_NONE;
    if (size == 1)
        return MW_OK;
    return mw_letter_add(
        graph, op, (mw_letter){.dim = MW_NONE, .size = size, .whole = whole},
        letter);
}

mw_status mw_pool_place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *in = mw_op_in(graph, op, 0);
    mw_pool_axis axis[MW_POOL_SPATIAL];
    MW_TRY(check_lists(graph, op));
    MW_TRY(check_axes(graph, op, "in_axes", in));
    MW_TRY(check_dtype(graph, op));
    int n = mw_pool_axes(op, axis);
    out->dtype = in->dtype;
    for (int a = 0; a < in->rank; a++) {
        const mw_pool_axis *pooled = find_in(axis, n, a);
        int64_t size = in->axis[a].size;
        int8_t letter = MW_NONE;
        if (pooled)
            MW_TRY(n_windows(graph, op, pooled, size, &size));
        MW_TRY(place_letter(graph, op, size, pooled != NULL, &letter));
        MW_TRY(mw_out_axis(graph, op, out, letter));
        if (!pooled)
            op->in[0].letter[a] = letter;
        else if (in->axis[a].size != 1)
            MW_TRY(mw_bind_window(graph, op, 0, a, letter));
    }
    return MW_OK;
}

static int64_t size_of(const mw_tensor *tensor, int axis)
{
    return axis == MW_NONE ? 1 : tensor->axis[axis].size;
}

static mw_status check_sizes(const mw_graph *graph, const mw_op *op,
                             const mw_pool_axis *a, const mw_tensor *in,
                             const mw_tensor *values)
{
    int64_t wanted = 0, found = size_of(values, a->out_axis);
    MW_TRY(n_windows(graph, op, a, size_of(in, a->in_axis), &wanted));
    if (found != wanted)
        return mw_op_fail(graph, op, "'%s' axis %d is %lld, wanted %lld",
                          values->name, a->out_axis, (long long)found,
                          (long long)wanted);
    return MW_OK;
}

// A letter for an axis of the result.
static mw_status bind_letter(const mw_graph *graph, mw_op *op, int axis,
                             int8_t *letter)
{
    const mw_axis *of = &mw_op_out(graph, op)->axis[axis];
    MW_TRY(mw_letter_add(graph, op,
                         (mw_letter){.dim = of->dim,
                                     .size = of->size,
                                     .pinned = of->dim == MW_NONE},
                         letter));
    op->out[0].letter[axis] = *letter;
    return MW_OK;
}

static uint32_t axes_mask(const mw_op *op, const char *name)
{
    const mw_attr *list = mw_op_attr(op, name);
    uint32_t mask = 0;
    for (int i = 0; i < list->n; i++)
        mask |= list->i[i] < 0 ? 0 : 1u << list->i[i];
    return mask;
}

mw_status mw_pool_bind(mw_graph *graph, mw_op *op)
{
    const mw_tensor *in = mw_op_in(graph, op, 0), *out = mw_op_out(graph, op);
    mw_pool_axis axis[MW_POOL_SPATIAL];
    MW_TRY(check_lists(graph, op));
    MW_TRY(check_axes(graph, op, "in_axes", in));
    MW_TRY(check_axes(graph, op, "out_axes", out));
    MW_TRY(check_dtype(graph, op));
    MW_TRY(mw_rule_out_dtype(graph, op, in->dtype));
    MW_TRY(mw_bind_axes(graph, op, &op->in[0], axes_mask(op, "in_axes")));
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], axes_mask(op, "out_axes")));
    MW_TRY(mw_bind_no_new(graph, op));
    MW_TRY(mw_bind_no_reduced(graph, op));
    int n = mw_pool_axes(op, axis);
    for (int i = 0; i < n; i++) {
        int8_t letter = MW_NONE;
        MW_TRY(check_sizes(graph, op, &axis[i], in, out));
        if (axis[i].out_axis != MW_NONE)
            MW_TRY(bind_letter(graph, op, axis[i].out_axis, &letter));
        if (axis[i].in_axis != MW_NONE)
            MW_TRY(mw_bind_window(graph, op, 0, axis[i].in_axis, letter));
    }
    return MW_OK;
}

// Sizes of the result of a placed gradient.
static mw_status unpooled_size(const mw_graph *graph, const mw_op *op, int a,
                               int64_t *size)
{
    const mw_attr *sizes = mw_op_attr(op, "sizes"), *in;
    *size = mw_op_in(graph, op, 0)->axis[a].size;
    in = mw_op_attr(op, "in_axes");
    for (int i = 0; sizes && i < in->n; i++) {
        if (in->i[i] == a)
            *size = sizes->i[i];
    }
    return MW_OK;
}

mw_status mw_unpool_place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    int dy = op->n_in - 1;
    const mw_tensor *values = mw_op_in(graph, op, dy);
    const mw_attr *sizes = mw_op_attr(op, "sizes");
    mw_pool_axis axis[MW_POOL_SPATIAL];
    MW_TRY(check_lists(graph, op));
    MW_TRY(check_axes(graph, op, "in_axes", values));
    MW_TRY(check_dtype(graph, op));
    int n = mw_pool_axes(op, axis);
    if ((sizes && sizes->n != n) ||
        mw_op_in(graph, op, 0)->rank != values->rank)
        return mw_op_fail(graph, op, "operands and sizes do not fit");
    out->dtype = values->dtype;
    for (int a = 0; a < values->rank; a++) {
        const mw_pool_axis *pooled = find_in(axis, n, a);
        int64_t size = 0, wanted = 0;
        int8_t letter = MW_NONE;
        MW_TRY(unpooled_size(graph, op, a, &size));
        wanted = size;
        if (pooled)
            MW_TRY(n_windows(graph, op, pooled, size, &wanted));
        if (values->axis[a].size != wanted)
            return mw_op_fail(graph, op,
                              "operand %d axis %d is %lld, wanted "
                              "%lld",
                              dy, a, (long long)values->axis[a].size,
                              (long long)wanted);
        MW_TRY(place_letter(graph, op, size, pooled != NULL, &letter));
        MW_TRY(mw_out_axis(graph, op, out, letter));
        for (int i = 0; i < op->n_in; i++) {
            if (!pooled)
                op->in[i].letter[a] = letter;
            else if (mw_op_in(graph, op, i)->axis[a].size != 1)
                MW_TRY(mw_bind_window(graph, op, i, a, letter));
        }
    }
    return MW_OK;
}

mw_status mw_unpool_bind(mw_graph *graph, mw_op *op)
{
    int dy = op->n_in - 1;
    const mw_tensor *values = mw_op_in(graph, op, dy);
    const mw_tensor *out = mw_op_out(graph, op);
    mw_pool_axis axis[MW_POOL_SPATIAL];
    MW_TRY(check_lists(graph, op));
    MW_TRY(check_axes(graph, op, "in_axes", out));
    if (dy > 0)
        MW_TRY(check_axes(graph, op, "in_axes", mw_op_in(graph, op, 0)));
    MW_TRY(check_axes(graph, op, "out_axes", values));
    MW_TRY(check_dtype(graph, op));
    MW_TRY(mw_rule_out_dtype(graph, op, values->dtype));
    uint32_t in_mask = axes_mask(op, "in_axes");
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(mw_bind_axes(graph, op, &op->in[i],
                            i == dy ? axes_mask(op, "out_axes") : in_mask));
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], in_mask));
    MW_TRY(mw_bind_no_new(graph, op));
    MW_TRY(mw_bind_no_reduced(graph, op));
    int n = mw_pool_axes(op, axis);
    for (int i = 0; i < n; i++) {
        int8_t letter = MW_NONE;
        MW_TRY(check_sizes(graph, op, &axis[i], out, values));
        if (axis[i].in_axis != MW_NONE)
            MW_TRY(bind_letter(graph, op, axis[i].in_axis, &letter));
        if (axis[i].out_axis != MW_NONE)
            MW_TRY(mw_bind_window(graph, op, dy, axis[i].out_axis, letter));
        if (dy > 0 && axis[i].in_axis != MW_NONE)
            MW_TRY(mw_bind_window(graph, op, 0, axis[i].in_axis, letter));
    }
    return MW_OK;
}

static mw_status flat_axes(const mw_graph *graph, const mw_op *op,
                           const mw_lowering *lowering, mw_id tensor,
                           int64_t flat[])
{
    const mw_attr *in = mw_op_attr(op, "in_axes");
    const struct mw_axis_map *map = &lowering->map[tensor];
    for (int i = 0; i < in->n; i++) {
        int64_t a = in->i[i];
        if (map->count[a] > 1)
            return mw_op_fail(graph, op,
                              "spatial axis %lld of '%s' is several dims",
                              (long long)a, graph->tensor[tensor].name);
        flat[i] = map->count[a] == 0 ? MW_NONE : map->first[a];
    }
    return MW_OK;
}

mw_status mw_pool_lower(mw_graph *named, const mw_graph *placed,
                        const mw_op *op, const mw_lowering *lowering,
                        mw_op_spec *spec)
{
    (void)named;
    bool back = mw_op_attr(op, "sizes") || op->n_in == 2;
    mw_id in = op->in[0].tensor, out = op->out[0].tensor;
    mw_id pooled = back ? out : in;
    mw_id values = back ? op->in[op->n_in - 1].tensor : out;
    int64_t flat_in[MW_POOL_SPATIAL], flat_out[MW_POOL_SPATIAL];
    mw_attr *attr = MW_NEW_ARRAY(lowering->arena, op->n_attr + 2, mw_attr);
    int n = 0, n_axes = mw_op_attr(op, "in_axes")->n;
    if (!attr)
        return MW_ENOMEM;
    MW_TRY(flat_axes(placed, op, lowering, pooled, flat_in));
    MW_TRY(flat_axes(placed, op, lowering, values, flat_out));
    for (int i = 0; i < op->n_attr; i++) {
        if (mw_op_attr_rule(op->def, op->attr[i].name, MW_ATTR_NAMED) &&
            strcmp(op->attr[i].name, "in_axes") != 0)
            attr[n++] = op->attr[i];
    }
    attr[n] = (mw_attr){
        .name = "in_axes", .kind = MW_ATTR_INTS, .n = n_axes, .i = flat_in};
    attr[n + 1] = (mw_attr){
        .name = "out_axes", .kind = MW_ATTR_INTS, .n = n_axes, .i = flat_out};
    return mw_lower_attrs(lowering, spec, attr, n + 2);
}

mw_status mw_pool_grad(mw_grad *g, const mw_op *op, const char *def,
                       const mw_id in[], int n_in, mw_id *y)
{
    mw_id like = op->in[0].tensor;
    mw_op_spec spec = {.def = def,
                       .n_in = n_in,
                       .in = in,
                       .n_attr = op->n_attr,
                       .attr = op->attr};
    return mw_grad_op(g, &spec, like, g->graph->tensor[like].dtype, y);
}

/* ---- windows ------------------------------------------------------------- */

// Elements that the windows of a block have.
static mw_span covered_by(const mw_pool_axis *a, mw_span block)
{
    if (block.lo >= block.hi)
        return (mw_span){0, 0};
    return (mw_span){block.lo * a->stride - a->pad_begin,
                     (block.hi - 1) * a->stride - a->pad_begin +
                         (a->taps - 1) * a->dilation + 1};
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

// Windows that have elements of a block.
static mw_span windows_of(const mw_pool_axis *a, mw_span block)
{
    int64_t reach = (a->taps - 1) * a->dilation;
    if (block.lo >= block.hi)
        return (mw_span){0, 0};
    return (mw_span){
        floor_div(block.lo + a->pad_begin - reach + a->stride - 1, a->stride),
        floor_div(block.hi - 1 + a->pad_begin, a->stride) + 1};
}

mw_span mw_pool_window(const mw_graph *graph, const mw_op *op, int operand,
                       int axis, mw_span block)
{
    mw_pool_axis list[MW_POOL_SPATIAL];
    const mw_pool_axis *a = find_in(list, mw_pool_axes(op, list), axis);
    int64_t size = mw_op_in(graph, op, operand)->axis[axis].size;
    if (!a || a->out_axis == MW_NONE)
        return (mw_span){0, size};
    return mw_span_clip(covered_by(a, block), size);
}

mw_span mw_unpool_window(const mw_graph *graph, const mw_op *op, int operand,
                         int axis, mw_span block)
{
    int dy = op->n_in - 1;
    mw_pool_axis list[MW_POOL_SPATIAL];
    int n = mw_pool_axes(op, list), i = 0;
    while (i < n - 1 &&
           (operand == dy ? list[i].out_axis : list[i].in_axis) != axis)
        i++;
    const mw_pool_axis *a = &list[i];
    int64_t size = mw_op_in(graph, op, operand)->axis[axis].size;
    if (a->in_axis == MW_NONE)
        return (mw_span){0, size};
    mw_span windows = mw_span_clip(
        windows_of(a, block), size_of(mw_op_in(graph, op, dy), a->out_axis));
    if (operand == dy)
        return windows;
    return mw_span_clip(covered_by(a, windows), size);
}

double mw_pool_flops(const mw_graph *graph, const mw_op *op,
                     const int64_t extent[MW_MAX_LETTERS])
{
    const mw_tensor *out = mw_op_out(graph, op);
    const mw_tensor *last = mw_op_in(graph, op, op->n_in - 1);
    mw_pool_axis axis[MW_POOL_SPATIAL];
    bool back =
        mw_op_attr_rule(op->def, "sizes", MW_ATTR_PLACED) || op->n_in == 2;
    int n = mw_pool_axes(op, axis);
    double total = 1;
    for (int l = 0; l < op->n_letters; l++)
        total *= (double)extent[l];
    for (int i = 0; i < n; i++) {
        total *= (double)axis[i].taps;
        int64_t whole = back ? size_of(out, axis[i].in_axis) : 1;
        if (back && whole > 0)
            total *= (double)size_of(last, axis[i].out_axis) / (double)whole;
    }
    return total;
}

/* ---- references ---------------------------------------------------------- */

/* Where a spatial axis lies in a block; one element where it has none. */
typedef struct side {
    int64_t start, size, whole, step;
} side;

typedef struct kernel {
    const mw_op *op;
    int n;
    mw_pool_axis axis[MW_POOL_SPATIAL];
    side pooled[MW_POOL_SPATIAL]; /* of the input; of the result */
    side values[MW_POOL_SPATIAL];
    bool averages, count_pads;
} kernel;

static side side_of(const mw_view *view, int axis)
{
    if (axis == MW_NONE)
        return (side){.size = 1, .whole = 1};
    return (side){.start = view->start[axis],
                  .size = view->size[axis],
                  .whole = view->whole[axis],
                  .step = mw_view_stride(view, axis)};
}

static void begin(kernel *k, const mw_op *op, const mw_view *pooled,
                  const mw_view *values)
{
    *k = (kernel){.op = op, .averages = averages(op)};
    k->n = mw_pool_axes(op, k->axis);
    k->count_pads = mw_op_attr_int(op, "count_pads", 0) != 0;
    for (int i = 0; i < k->n; i++) {
        k->pooled[i] = side_of(pooled, k->axis[i].in_axis);
        k->values[i] = side_of(values, k->axis[i].out_axis);
    }
}

// The taps of a window that count.
static double count_of(const kernel *k, const int64_t o[MW_POOL_SPATIAL])
{
    double total = 1;
    for (int i = 0; i < k->n; i++) {
        const mw_pool_axis *a = &k->axis[i];
        int64_t low = k->count_pads ? -a->pad_begin : 0, n = 0;
        int64_t high = k->pooled[i].whole + (k->count_pads ? a->pad_end : 0);
        for (int64_t t = 0; t < a->taps; t++) {
            int64_t at = o[i] * a->stride + t * a->dilation - a->pad_begin;
            n += at >= low && at < high;
        }
        total *= (double)n;
    }
    return total;
}

/* A walk over the taps of window o[] that lie in the whole tensor. */
typedef struct taps {
    const kernel *k;
    const int64_t *o;
    int64_t t[MW_POOL_SPATIAL];
    int64_t at[MW_POOL_SPATIAL]; /* of the tap, in the whole */
    bool begun;
} taps;

static bool next_tap(taps *w)
{
    const kernel *k = w->k;
    for (bool inside = false; !inside;) {
        int i = k->n - 1;
        if (w->begun)
            for (; i >= 0 && ++w->t[i] >= k->axis[i].taps; i--)
                w->t[i] = 0;
        if (i < 0)
            return false;
        w->begun = inside = true;
        for (i = 0; i < k->n; i++) {
            const mw_pool_axis *a = &k->axis[i];
            w->at[i] =
                w->o[i] * a->stride + w->t[i] * a->dilation - a->pad_begin;
            inside = inside && w->at[i] >= 0 && w->at[i] < k->pooled[i].whole;
        }
    }
    return true;
}

// Of an element of the whole in a block with these sides.
static int64_t offset_of(const kernel *k, const side sides[],
                         const int64_t at[])
{
    int64_t offset = 0;
    for (int i = 0; i < k->n; i++)
        offset += (at[i] - sides[i].start) * sides[i].step;
    return offset;
}

static mw_number pool_window(const kernel *k, const mw_view *in, int64_t from,
                             const int64_t o[MW_POOL_SPATIAL])
{
    mw_reduce reduce = k->op->def->reduce;
    mw_number total = mw_reduce_start(reduce, in->dtype), x;
    taps walk = {.k = k, .o = o};
    while (next_tap(&walk)) {
        mw_numbers_load(in->dtype, in->data,
                        from + offset_of(k, k->pooled, walk.at), 1, 1, &x);
        total = mw_reduce_pair(reduce, in->dtype, total, x);
    }
    double count = k->averages ? count_of(k, o) : 0;
    if (count > 0)
        total.f /= count;
    return total;
}

// Index in the whole of the values along each spatial axis, at element j of
// the row.
static void window_index(const kernel *k, const mw_loop *outer, int64_t j,
                         int64_t o[MW_POOL_SPATIAL])
{
    for (int i = 0; i < k->n; i++) {
        int axis = k->axis[i].out_axis;
        int letter = axis == MW_NONE ? MW_NONE : k->op->out[0].letter[axis];
        o[i] = k->values[i].start;
        for (int l = 0; letter != MW_NONE && l < outer->n; l++) {
            if (outer->letter[l] == letter)
                o[i] += l == outer->n - 1 ? j : outer->index[l];
        }
    }
}

void mw_pool_ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    int64_t extent[MW_MAX_LETTERS], o[MW_POOL_SPATIAL];
    kernel k;
    mw_loop outer;
    begin(&k, op, in, out);
    mw_block_extents(op, in, out, extent);
    mw_loop_outputs(&outer, op, extent);
    mw_loop_view(&outer, &op->in[0], in);
    mw_loop_view(&outer, &op->out[0], out);
    for (bool more = mw_loop_start(&outer, NULL); more;
         more = mw_loop_next(&outer)) {
        for (int64_t j = 0; j < mw_loop_row(&outer); j++) {
            window_index(&k, &outer, j, o);
            mw_number y = pool_window(
                &k, in, outer.at[0] + j * mw_loop_row_stride(&outer, 0), o);
            mw_numbers_store(out->dtype, out->data,
                             outer.at[1] + j * mw_loop_row_stride(&outer, 1), 1,
                             1, &y);
        }
    }
}

static bool above(mw_dtype dtype, mw_number a, mw_number b)
{
    switch (mw_dtype_class(dtype)) {
    case MW_CLASS_FLOAT:
        return a.f > b.f || (isnan(a.f) && !isnan(b.f));
    case MW_CLASS_SIGNED:
        return a.i > b.i;
    default:
        return a.u > b.u;
    }
}

// Adds to an element of the whole, if the result's block holds it.
static void add_at(const kernel *k, mw_view *out, int64_t to,
                   const int64_t at[], mw_number x)
{
    mw_number y;
    for (int i = 0; i < k->n; i++) {
        int64_t local = at[i] - k->pooled[i].start;
        if (local < 0 || local >= k->pooled[i].size)
            return;
    }
    to += offset_of(k, k->pooled, at);
    mw_numbers_load(out->dtype, out->data, to, 1, 1, &y);
    y = mw_reduce_pair(MW_REDUCE_SUM, out->dtype, y, x);
    mw_numbers_store(out->dtype, out->data, to, 1, 1, &y);
}

/* Blocks of the pooled tensor (or NULL), of what flows back, of the result. */
typedef struct back {
    kernel k;
    side x[MW_POOL_SPATIAL]; /* of the pooled tensor's block */
    const mw_view *in, *dy;
    mw_view *out;
} back;

// The first greatest element of a window gets all.
static void send_to_greatest(const back *b, const int64_t o[], int64_t from,
                             int64_t to, mw_number dy)
{
    taps walk = {.k = &b->k, .o = o};
    int64_t best_at[MW_POOL_SPATIAL] = {0};
    mw_number best = {.u = 0}, x;
    bool any = false;
    while (next_tap(&walk)) {
        mw_numbers_load(b->in->dtype, b->in->data,
                        from + offset_of(&b->k, b->x, walk.at), 1, 1, &x);
        if (any && !above(b->in->dtype, x, best))
            continue;
        any = true;
        best = x;
        memcpy(best_at, walk.at, sizeof best_at);
    }
    if (any)
        add_at(&b->k, b->out, to, best_at, dy);
}

static void send_to_all(const back *b, const int64_t o[], int64_t to,
                        mw_number dy)
{
    taps walk = {.k = &b->k, .o = o};
    double count = b->k.averages ? count_of(&b->k, o) : 0;
    if (count > 0)
        dy.f /= count;
    while (next_tap(&walk))
        add_at(&b->k, b->out, to, walk.at, dy);
}

// All windows of the block of what flows back, at offsets of the other
// letters.
static void send_back(const back *b, int64_t from, int64_t dy_at, int64_t to)
{
    const kernel *k = &b->k;
    int64_t o[MW_POOL_SPATIAL] = {0}, local[MW_POOL_SPATIAL] = {0};
    for (int i = 0; i < k->n; i++) {
        if (k->values[i].size == 0)
            return;
    }
    for (int i = 0; i >= 0;) {
        mw_number dy;
        for (i = 0; i < k->n; i++)
            o[i] = k->values[i].start + local[i];
        mw_numbers_load(b->dy->dtype, b->dy->data,
                        dy_at + offset_of(k, k->values, o), 1, 1, &dy);
        if (b->in)
            send_to_greatest(b, o, from, to, dy);
        else
            send_to_all(b, o, to, dy);
        for (i = k->n - 1; i >= 0 && ++local[i] >= k->values[i].size; i--)
            local[i] = 0;
    }
}

void mw_unpool_ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    int dy = op->n_in - 1;
    int64_t extent[MW_MAX_LETTERS];
    back b = {.in = dy > 0 ? &in[0] : NULL, .dy = &in[dy], .out = out};
    mw_loop outer;
    size_t bytes = (size_t)(mw_view_elements(out) * mw_dtype_bytes(out->dtype));
    if (bytes)
        memset(out->data, 0, bytes);
    begin(&b.k, op, out, &in[dy]);
    mw_block_extents(op, in, out, extent);
    for (int i = 0; i < b.k.n; i++) {
        int axis = b.k.axis[i].in_axis;
        b.x[i] = side_of(&in[0], axis);
        if (axis != MW_NONE && out->size[axis] != 0 &&
            op->out[0].letter[axis] != MW_NONE)
            extent[op->out[0].letter[axis]] = 1;
    }
    mw_loop_outputs(&outer, op, extent);
    mw_loop_view(&outer, &op->in[0], &in[0]);
    mw_loop_view(&outer, &op->in[dy], &in[dy]);
    mw_loop_view(&outer, &op->out[0], out);
    for (bool more = mw_loop_start(&outer, NULL); more;
         more = mw_loop_next(&outer)) {
        for (int64_t j = 0; j < mw_loop_row(&outer); j++) {
            int64_t at[3];
            for (int v = 0; v < 3; v++)
                at[v] = outer.at[v] + j * mw_loop_row_stride(&outer, v);
            send_back(&b, at[0], at[1], at[2]);
        }
    }
}
