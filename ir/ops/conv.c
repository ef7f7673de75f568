/*
 * conv.c - convolution over 1 to 3 spatial dims, with strides, dilations,
 * padding and groups. A spatial dim of the result is split by a window on the
 * operand's; taps are pinned.
 */
#include "base/checked.h"
#include "ir/conv.h"
#include "ir/gemm.h"
#include "ir/loop.h"
#include "ir/number.h"
#include "ir/rule.h"

enum { X, W };

static const char *const lists[] = {"strides", "dilations", "pads_begin",
                                    "pads_end"};
static const char *const axes[] = {"in_axes", "tap_axes", "out_axes"};

int mw_conv_spatial(const mw_op *op, mw_spatial spatial[MW_MAX_SPATIAL])
{
    int n = mw_op_attr(op, "strides")->n;
    bool named = mw_op_attr(op, "in_axes") != NULL;
    int first = mw_op_attr_int(op, "group", 1) > 1 ? 3 : 2;
    for (int i = 0; i < n; i++) {
        spatial[i] = (mw_spatial){
            .x_axis = first + i,
            .w_axis = first + i,
            .out_axis = first + i,
            .stride = mw_op_attr(op, "strides")->i[i],
            .dilation = mw_op_attr(op, "dilations")->i[i],
            .pad_begin = mw_op_attr(op, "pads_begin")->i[i],
            .pad_end = mw_op_attr(op, "pads_end")->i[i],
        };
        if (named) {
            spatial[i].x_axis = (int)mw_op_attr(op, "in_axes")->i[i];
            spatial[i].w_axis = (int)mw_op_attr(op, "tap_axes")->i[i];
            spatial[i].out_axis = (int)mw_op_attr(op, "out_axes")->i[i];
        }
    }
    return n;
}

static mw_status check_attrs(const mw_graph *graph, const mw_op *op)
{
    int n = mw_op_attr(op, "strides")->n;
    if (n < 1 || n > MW_MAX_SPATIAL)
        return mw_op_fail(graph, op, "%d spatial axes, wanted 1 to %d", n,
                          MW_MAX_SPATIAL);
    for (int l = 0; l < 4; l++) {
        const mw_attr *list = mw_op_attr(op, lists[l]);
        if (list->n != n)
            return mw_op_fail(graph, op, "%s has %d entries, wanted %d",
                              lists[l], list->n, n);
        for (int i = 0; i < n; i++) {
            if (list->i[i] < (l < 2) || list->i[i] > INT32_MAX)
                return mw_op_fail(graph, op,
                                  "%s[%d] is %lld, wanted %d to 2147483647",
                                  lists[l], i, (long long)list->i[i], l < 2);
        }
    }
    return MW_OK;
}

static mw_status check_dtypes(const mw_graph *graph, const mw_op *op,
                              mw_dtype *dtype)
{
    MW_TRY(mw_rule_same_dtype(graph, op, 0, dtype));
    if (*dtype == MW_BOOL)
        return mw_op_fail(graph, op, "not defined for bool");
    return MW_OK;
}

static mw_status out_size(const mw_graph *graph, const mw_op *op,
                          const mw_spatial *s, int64_t in, int64_t taps,
                          int64_t *out)
{
    int64_t reach = 0, padded = 0;
    if (taps < 1 || !mw_mul_fits(taps - 1, s->dilation, &reach) ||
        !mw_add_fits(in, s->pad_begin + s->pad_end, &padded) ||
        reach + 1 > padded)
        return mw_op_fail(graph, op,
                          "%lld taps, %lld apart, do not fit into %lld padded "
                          "by %lld and %lld",
                          (long long)taps, (long long)s->dilation,
                          (long long)in, (long long)s->pad_begin,
                          (long long)s->pad_end);
    *out = (padded - reach - 1) / s->stride + 1;
    return MW_OK;
}

static bool reads_itself(const mw_spatial *s, int64_t taps)
{
    return taps == 1 && s->stride == 1 && s->pad_begin == 0 && s->pad_end == 0;
}

static mw_status shared_letter(const mw_graph *graph, mw_op *op, int x_axis,
                               int w_axis, int8_t *letter)
{
    int64_t x = mw_op_in(graph, op, X)->axis[x_axis].size;
    int64_t w = mw_op_in(graph, op, W)->axis[w_axis].size;
    if (x != w)
        return mw_op_fail(graph, op,
                          "operand 1 axis %d is %lld where operand 0 axis %d "
                          "is %lld",
                          w_axis, (long long)w, x_axis, (long long)x);
    *letter = MW_NONE;
    if (x == 1)
        return MW_OK;
    MW_TRY(mw_letter_add(graph, op, (mw_letter){.dim = MW_NONE, .size = x},
                         letter));
    op->in[X].letter[x_axis] = op->in[W].letter[w_axis] = *letter;
    return MW_OK;
}

static mw_status own_letter(const mw_graph *graph, mw_op *op, int operand,
                            int axis, int8_t *letter)
{
    int64_t size = mw_op_in(graph, op, operand)->axis[axis].size;
    *letter = MW_NONE;
    if (size == 1)
        return MW_OK;
    MW_TRY(mw_letter_add(graph, op, (mw_letter){.dim = MW_NONE, .size = size},
                         letter));
    op->in[operand].letter[axis] = *letter;
    return MW_OK;
}

// The letter of x's spatial axis: the result's, if that has one; else, as all
// of the axis is read, the taps' or one of size 1.
static mw_status place_spatial(const mw_graph *graph, mw_op *op,
                               const mw_spatial *s, mw_tensor *out)
{
    int64_t in = mw_op_in(graph, op, X)->axis[s->x_axis].size;
    int64_t taps = mw_op_in(graph, op, W)->axis[s->w_axis].size, size = 0;
    int8_t tap = MW_NONE, letter = MW_NONE;
    MW_TRY(out_size(graph, op, s, in, taps, &size));
    if (taps != 1) {
        MW_TRY(own_letter(graph, op, W, s->w_axis, &tap));
        op->letter[tap].pinned = true;
    }
    if (size != 1)
        MW_TRY(mw_letter_add(
            graph, op, (mw_letter){.dim = MW_NONE, .size = size}, &letter));
    MW_TRY(mw_out_axis(graph, op, out, letter));
    if (in == 1)
        return MW_OK;
    if (letter != MW_NONE && reads_itself(s, taps)) {
        op->in[X].letter[s->x_axis] = letter;
        return MW_OK;
    }
    return mw_bind_window(graph, op, X, s->x_axis,
                          letter != MW_NONE ? letter : tap);
}

static mw_status place(mw_graph *graph, mw_op *op, mw_tensor out[])
{
    const mw_tensor *x = mw_op_in(graph, op, X), *w = mw_op_in(graph, op, W);
    mw_spatial spatial[MW_MAX_SPATIAL];
    int8_t letter = MW_NONE, out_channels = MW_NONE, group = MW_NONE;
    MW_TRY(check_attrs(graph, op));
    MW_TRY(check_dtypes(graph, op, &out->dtype));
    int n = mw_conv_spatial(op, spatial);
    int grouped = mw_op_attr_int(op, "group", 1) > 1;
    if (x->rank != 2 + grouped + n || w->rank != 2 + grouped + n)
        return mw_op_fail(graph, op, "operands have %d and %d axes, wanted %d",
                          x->rank, w->rank, 2 + grouped + n);
    MW_TRY(own_letter(graph, op, X, 0, &letter));
    MW_TRY(mw_out_axis(graph, op, out, letter));
    if (grouped) {
        if (x->axis[1].size != mw_op_attr_int(op, "group", 1))
            return mw_op_fail(graph, op,
                              "operand 0 axis 1 is %lld where group "
                              "is %lld",
                              (long long)x->axis[1].size,
                              (long long)mw_op_attr_int(op, "group", 1));
        MW_TRY(shared_letter(graph, op, 1, 0, &group));
        MW_TRY(mw_out_axis(graph, op, out, group));
    }
    MW_TRY(own_letter(graph, op, W, grouped, &out_channels));
    MW_TRY(mw_out_axis(graph, op, out, out_channels));
    MW_TRY(shared_letter(graph, op, 1 + grouped, 1 + grouped, &letter));
    for (int i = 0; i < n; i++)
        MW_TRY(place_spatial(graph, op, &spatial[i], out));
    return MW_OK;
}

static mw_status check_axes(const mw_graph *graph, const mw_op *op)
{
    int n = mw_op_attr(op, "strides")->n;
    const mw_tensor *tensor[] = {mw_op_in(graph, op, X), mw_op_in(graph, op, W),
                                 mw_op_out(graph, op)};
    for (int l = 0; l < 3; l++) {
        const mw_attr *list = mw_op_attr(op, axes[l]);
        uint32_t used = 0;
        if (list->n != n)
            return mw_op_fail(graph, op, "%s has %d entries, wanted %d",
                              axes[l], list->n, n);
        for (int i = 0; i < n; i++) {
            int64_t axis = list->i[i];
            if (axis < MW_NONE || axis >= tensor[l]->rank ||
                (axis >= 0 && used & 1u << axis))
                return mw_op_fail(graph, op,
                                  "%s[%d] is %lld, wanted another axis of '%s'",
                                  axes[l], i, (long long)axis, tensor[l]->name);
            if (axis >= 0)
                used |= 1u << axis;
        }
    }
    return MW_OK;
}

static int64_t size_of(const mw_tensor *tensor, int axis)
{
    return axis == MW_NONE ? 1 : tensor->axis[axis].size;
}

static mw_status bind_spatial(const mw_graph *graph, mw_op *op,
                              const mw_spatial *s)
{
    const mw_tensor *w = mw_op_in(graph, op, W), *out = mw_op_out(graph, op);
    int64_t in = size_of(mw_op_in(graph, op, X), s->x_axis);
    int64_t taps = size_of(w, s->w_axis), size = 0;
    int8_t tap = MW_NONE, letter = MW_NONE;
    MW_TRY(out_size(graph, op, s, in, taps, &size));
    if (size != size_of(out, s->out_axis))
        return mw_op_fail(
            graph, op, "'%s' axis %d is %lld, wanted %lld", out->name,
            s->out_axis, (long long)size_of(out, s->out_axis), (long long)size);
    if (s->w_axis != MW_NONE) {
        MW_TRY(mw_letter_add(graph, op,
                             (mw_letter){.dim = w->axis[s->w_axis].dim,
                                         .size = taps,
                                         .pinned = true},
                             &tap));
        op->in[W].letter[s->w_axis] = tap;
    }
    if (s->out_axis != MW_NONE) {
        mw_id dim = out->axis[s->out_axis].dim;
        MW_TRY(mw_letter_add(
            graph, op,
            (mw_letter){.dim = dim, .size = size, .pinned = dim == MW_NONE},
            &letter));
        op->out[0].letter[s->out_axis] = letter;
    }
    if (s->x_axis == MW_NONE)
        return MW_OK;
    if (letter != MW_NONE && reads_itself(s, taps) &&
        op->letter[letter].dim == mw_op_in(graph, op, X)->axis[s->x_axis].dim) {
        op->in[X].letter[s->x_axis] = letter;
        return MW_OK;
    }
    return mw_bind_window(graph, op, X, s->x_axis,
                          letter != MW_NONE ? letter : tap);
}

static mw_status bind(mw_graph *graph, mw_op *op)
{
    mw_spatial spatial[MW_MAX_SPATIAL];
    mw_dtype dtype = MW_BOOL;
    MW_TRY(check_attrs(graph, op));
    MW_TRY(check_axes(graph, op));
    MW_TRY(check_dtypes(graph, op, &dtype));
    MW_TRY(mw_rule_out_dtype(graph, op, dtype));
    int n = mw_conv_spatial(op, spatial);
    uint32_t skip_x = 0, skip_w = 0, skip_out = 0;
    for (int i = 0; i < n; i++) {
        skip_x |= spatial[i].x_axis < 0 ? 0 : 1u << spatial[i].x_axis;
        skip_w |= spatial[i].w_axis < 0 ? 0 : 1u << spatial[i].w_axis;
        skip_out |= spatial[i].out_axis < 0 ? 0 : 1u << spatial[i].out_axis;
    }
    MW_TRY(mw_bind_axes(graph, op, &op->in[X], skip_x));
    MW_TRY(mw_bind_axes(graph, op, &op->in[W], skip_w));
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], skip_out));
    MW_TRY(mw_bind_no_new(graph, op));
    for (int i = 0; i < n; i++)
        MW_TRY(bind_spatial(graph, op, &spatial[i]));
    return MW_OK;
}

// Flat axis of a spatial axis of the placed op, or -1 where the size is 1.
static mw_status flat_axis(const mw_graph *graph, const mw_op *op,
                           const mw_lowering *lowering, mw_id tensor, int axis,
                           int64_t *flat)
{
    const struct mw_axis_map *map = &lowering->map[tensor];
    if (map->count[axis] > 1)
        return mw_op_fail(graph, op, "spatial axis %d of '%s' is several dims",
                          axis, graph->tensor[tensor].name);
    *flat = map->count[axis] == 0 ? MW_NONE : map->first[axis];
    return MW_OK;
}

static mw_status lower(mw_graph *named, const mw_graph *placed, const mw_op *op,
                       const mw_lowering *lowering, mw_op_spec *spec)
{
    (void)named;
    mw_spatial s[MW_MAX_SPATIAL];
    int64_t flat[3][MW_MAX_SPATIAL];
    int n = mw_conv_spatial(op, s);
    for (int i = 0; i < n; i++) {
        MW_TRY(flat_axis(placed, op, lowering, op->in[X].tensor, s[i].x_axis,
                         &flat[0][i]));
        MW_TRY(flat_axis(placed, op, lowering, op->in[W].tensor, s[i].w_axis,
                         &flat[1][i]));
        MW_TRY(flat_axis(placed, op, lowering, op->out[0].tensor, s[i].out_axis,
                         &flat[2][i]));
    }
    mw_attr attr[7];
    for (int l = 0; l < 4; l++)
        attr[l] = *mw_op_attr(op, lists[l]);
    for (int l = 0; l < 3; l++)
        attr[4 + l] = (mw_attr){
            .name = axes[l], .kind = MW_ATTR_INTS, .n = n, .i = flat[l]};
    return mw_lower_attrs(lowering, spec, attr, 7);
}

static mw_span window(const mw_graph *graph, const mw_op *op, int operand,
                      int axis, mw_span block)
{
    const mw_tensor *x = mw_op_in(graph, op, operand);
    mw_spatial spatial[MW_MAX_SPATIAL];
    int n = mw_conv_spatial(op, spatial), i = 0;
    while (i < n - 1 && spatial[i].x_axis != axis)
        i++;
    const mw_spatial *s = &spatial[i];
    int letter = op->in[operand].letter[axis];
    if (!mw_op_letter_in_output(op, letter))
        return (mw_span){0, x->axis[axis].size};
    if (block.lo >= block.hi)
        return (mw_span){0, 0};
    int64_t taps =
        s->w_axis == MW_NONE ? 1 : mw_op_in(graph, op, W)->axis[s->w_axis].size;
    int64_t lo = block.lo * s->stride - s->pad_begin;
    int64_t hi = (block.hi - 1) * s->stride - s->pad_begin +
                 (taps - 1) * s->dilation + 1;
    return mw_span_clip((mw_span){lo, hi}, x->axis[axis].size);
}

// A spatial axis, for the inner loops of the reference.
typedef struct reach {
    int64_t stride, dilation, pad;
    int64_t taps;           /* of this block, which has all */
    int64_t whole;          /* of x, beyond which lies padding */
    int64_t start;          /* of x's block */
    int64_t x_step, w_step; /* elements between neighbours; 0 without axis */
} reach;

typedef struct kernel {
    const mw_op *op;
    const mw_view *x, *w;
    int n;
    mw_spatial spatial[MW_MAX_SPATIAL];
    reach reach[MW_MAX_SPATIAL];
    mw_loop inner; /* over contracted letters but taps */
} kernel;

static bool is_tap(const kernel *k, int letter)
{
    for (int i = 0; i < k->n; i++) {
        int axis = k->spatial[i].w_axis;
        if (axis != MW_NONE && k->op->in[W].letter[axis] == letter)
            return true;
    }
    return false;
}

static reach reach_of(const kernel *k, const mw_spatial *s)
{
    reach r = {.stride = s->stride,
               .dilation = s->dilation,
               .pad = s->pad_begin,
               .taps = 1,
               .whole = 1};
    if (s->w_axis != MW_NONE) {
        r.taps = k->w->size[s->w_axis];
        r.w_step = mw_view_stride(k->w, s->w_axis);
    }
    if (s->x_axis == MW_NONE)
        return r;
    r.whole = k->x->whole[s->x_axis];
    // an axis that reads itself is among the outer letters
    if (k->op->in[X].window & 1u << s->x_axis) {
        r.start = k->x->start[s->x_axis];
        r.x_step = mw_view_stride(k->x, s->x_axis);
    }
    return r;
}

static mw_number contract(kernel *k, const int64_t from[2], mw_number total)
{
    for (bool more = mw_loop_start(&k->inner, from); more;
         more = mw_loop_next(&k->inner)) {
        mw_run a = {k->x->data, k->inner.at[0],
                    mw_loop_row_stride(&k->inner, 0)};
        mw_run b = {k->w->data, k->inner.at[1],
                    mw_loop_row_stride(&k->inner, 1)};
        total =
            mw_numbers_dot(k->x->dtype, a, b, mw_loop_row(&k->inner), total);
    }
    return total;
}

// Sum over taps and contracted letters for output indices o[], from the
// offsets at[] in x and w. Axes that are not there have one tap.
static mw_number convolve(kernel *k, const int64_t o[MW_MAX_SPATIAL],
                          const int64_t at[2])
{
    mw_number total = {.u = 0};
    int64_t t[MW_MAX_SPATIAL] = {0};
    for (int i = 0; i >= 0;) {
        int64_t from[2] = {at[0], at[1]};
        bool inside = true;
        for (i = 0; i < k->n; i++) {
            const reach *r = &k->reach[i];
            int64_t read = o[i] * r->stride + t[i] * r->dilation - r->pad;
            inside = inside && read >= 0 && read < r->whole;
            from[0] += (read - r->start) * r->x_step;
            from[1] += t[i] * r->w_step;
        }
        if (inside)
            total = contract(k, from, total);
        for (i = k->n - 1; i >= 0 && ++t[i] >= k->reach[i].taps; i--)
            t[i] = 0;
    }
    return total;
}

static void begin(kernel *k, const mw_op *op, const mw_view in[],
                  int64_t extent[MW_MAX_LETTERS])
{
    *k = (kernel){.op = op, .x = &in[X], .w = &in[W]};
    k->n = mw_conv_spatial(op, k->spatial);
    int64_t without_taps[MW_MAX_LETTERS];
    for (int i = 0; i < op->n_letters; i++)
        without_taps[i] = is_tap(k, i) ? 1 : extent[i];
    for (int i = 0; i < k->n; i++)
        k->reach[i] = reach_of(k, &k->spatial[i]);
    mw_loop_reduced(&k->inner, op, without_taps);
    mw_loop_view(&k->inner, &op->in[X], &in[X]);
    mw_loop_view(&k->inner, &op->in[W], &in[W]);
}

// Index in the whole output along each spatial axis, at element j of the row.
static void output_index(const kernel *k, const mw_loop *outer, int64_t j,
                         const mw_view *out, int64_t o[MW_MAX_SPATIAL])
{
    for (int i = 0; i < k->n; i++) {
        int axis = k->spatial[i].out_axis;
        int letter = axis == MW_NONE ? MW_NONE : k->op->out[0].letter[axis];
        o[i] = axis == MW_NONE ? 0 : out->start[axis];
        for (int l = 0; letter != MW_NONE && l < outer->n; l++) {
            if (outer->letter[l] == letter)
                o[i] += l == outer->n - 1 ? j : outer->index[l];
        }
    }
}

static void ref(const mw_op *op, const mw_view in[], mw_view out[])
{
    int64_t extent[MW_MAX_LETTERS], o[MW_MAX_SPATIAL];
    kernel k;
    mw_loop outer;
    mw_block_extents(op, in, out, extent);
    begin(&k, op, in, extent);
    mw_loop_outputs(&outer, op, extent);
    mw_loop_view(&outer, &op->in[X], &in[X]);
    mw_loop_view(&outer, &op->in[W], &in[W]);
    mw_loop_view(&outer, &op->out[0], out);
    for (bool more = mw_loop_start(&outer, NULL); more;
         more = mw_loop_next(&outer)) {
        for (int64_t j = 0; j < mw_loop_row(&outer); j++) {
            int64_t at[3];
            for (int v = 0; v < 3; v++)
                at[v] = outer.at[v] + j * mw_loop_row_stride(&outer, v);
            output_index(&k, &outer, j, out, o);
            mw_number total = convolve(&k, o, at);
            mw_numbers_store(out->dtype, out->data, at[2], 1, 1, &total);
        }
    }
}

static const mw_attr_rule attrs[] = {
    {"strides", MW_ATTR_INTS, MW_ATTR_BOTH, false},
    {"dilations", MW_ATTR_INTS, MW_ATTR_BOTH, false},
    {"pads_begin", MW_ATTR_INTS, MW_ATTR_BOTH, false},
    {"pads_end", MW_ATTR_INTS, MW_ATTR_BOTH, false},
    {"group", MW_ATTR_INT, MW_ATTR_PLACED, true},
    {"in_axes", MW_ATTR_INTS, MW_ATTR_NAMED, false},
    {"tap_axes", MW_ATTR_INTS, MW_ATTR_NAMED, false},
    {"out_axes", MW_ATTR_INTS, MW_ATTR_NAMED, false},
    {0},
};

const mw_op_def mw_op_conv = {
    .name = "conv",
    .brief = "convolution over 1 to 3 spatial dims",
    .family = "window",
    .min_in = 2,
    .max_in = 2,
    .attrs = attrs,
    .place = place,
    .bind = bind,
    .lower = lower,
    .reduce = MW_REDUCE_SUM,
    .same_dim = true,
    .linear = {1, 2},
    .flops = 2,
    .workspace = mw_gemm_workspace,
    .window = window,
    .ref = ref,
    .no_grad = "it is not there yet",
    .samples =
        (const char *const[]){
            "model m\ndim n = 2\ndim ci = 3\ndim co = 5\ndim h = 9\ndim w = 8\n"
            "dim h2 = 5 of h by conv\n"
            "input x : f32[n, ci, h, w]\nparam k : f32[co, ci, 3, 2]\n"
            "y = conv(x, k, strides=[2, 1], dilations=[1, 1], "
            "pads_begin=[1, 0], pads_end=[1, 1], in_axes=[2, 3], "
            "tap_axes=[2, 3], out_axes=[2, 3]) : f32[n, co, h2, w]\n"
            "output y\n",
            "model m\ndim n = 2\ndim g = 3\ndim ci = 2\ndim co = 2\ndim s = "
            "11\n"
            "dim s2 = 7 of s by conv\n"
            "input x : f64[n, g, ci, s]\nparam k : f64[g, co, ci, 3]\n"
            "y = conv(x, k, strides=[1], dilations=[2], pads_begin=[0], "
            "pads_end=[0], in_axes=[3], tap_axes=[3], out_axes=[3]) : "
            "f64[n, g, co, s2]\noutput y\n",
            "model m\ndim n = 2\ndim ci = 3\ndim co = 4\ndim h = 4\ndim w = 6\n"
            "dim w2 = 3 of w by conv\n"
            "input x : i32[n, ci, h, w]\nparam k : i32[co, ci, 4, 2]\n"
            "y = conv(x, k, strides=[4, 2], dilations=[1, 1], "
            "pads_begin=[0, 0], pads_end=[0, 0], in_axes=[2, 3], "
            "tap_axes=[2, 3], out_axes=[-1, 2]) : i32[n, co, w2]\noutput y\n",
            "model m\ndim n = 2\ndim ci = 2\ndim co = 3\ndim s = 11\n"
            "dim s2 = 5 of s by conv\n"
            "input x : f32[n, ci, s]\nparam k : f32[co, ci, 2]\n"
            "y = conv(x, k, strides=[2], dilations=[2], pads_begin=[0], "
            "pads_end=[1], in_axes=[2], tap_axes=[2], out_axes=[2]) : "
            "f32[n, co, s2]\noutput y\n",
            "model m\ndim ci = 2\ndim co = 2\ndim d = 3\ndim h = 5\n"
            "dim w = 4\ndim d2 = 2 of d by conv\ndim h2 = 3 of h by conv\n"
            "input x : f32[ci, d, h, w]\nparam k : f32[co, ci, 2, 3, 3]\n"
            "y = conv(x, k, strides=[1, 2, 1], dilations=[1, 1, 1], "
            "pads_begin=[0, 1, 1], pads_end=[0, 1, 1], in_axes=[1, 2, 3], "
            "tap_axes=[2, 3, 4], out_axes=[1, 2, 3]) : f32[co, d2, h2, w]\n"
            "output y\n",
            NULL,
        },
};
