/*
 * conv.c - letters, windows and the reference of convolutions and their
 * gradients, told apart by which of three tensors is the result.
 */
#include "ir/conv.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "ir/grad.h"
#include "ir/loop.h"
#include "ir/number.h"
#include "ir/rule.h"

enum { OUT = MW_CONV_RESULT, N_LISTS = 4 };

static const char *const lists[N_LISTS] = {"strides", "dilations", "pads_begin",
                                           "pads_end"};

const mw_conv_roles mw_conv_roles_forward = {
    .x = 0,
    .w = 1,
    .o = OUT,
    .anchor = OUT,
    .derived = 0,
    .axes = {"in_axes", "tap_axes", "out_axes"},
};

static bool grouped(const mw_op *op)
{
    return mw_op_attr_int(op, "group", 1) > 1;
}

int mw_conv_axes(const mw_op *op, const mw_conv_roles *roles,
                 mw_spatial spatial[MW_MAX_SPATIAL])
{
    int n = mw_op_attr(op, "strides")->n, first = grouped(op) ? 3 : 2;
    bool named = mw_op_attr(op, "in_axes") != NULL;
    for (int i = 0; i < n; i++) {
        int axis[3] = {first + i, first + i, first + i};
        for (int k = 0; named && k < 3; k++)
            axis[k] = (int)mw_op_attr(op, roles->axes[k])->i[i];
        spatial[i] = (mw_spatial){
            .x_axis = axis[roles->x],
            .w_axis = axis[roles->w],
            .out_axis = axis[roles->o],
            .stride = mw_op_attr(op, "strides")->i[i],
            .dilation = mw_op_attr(op, "dilations")->i[i],
            .pad_begin = mw_op_attr(op, "pads_begin")->i[i],
            .pad_end = mw_op_attr(op, "pads_end")->i[i],
        };
    }
    return n;
}

int mw_conv_spatial(const mw_op *op, mw_spatial spatial[MW_MAX_SPATIAL])
{
    return mw_conv_axes(op, &mw_conv_roles_forward, spatial);
}

// The operand behind those found so far, if the text has the word.
static int next_operand(const char *text, const char *word, int *n)
{
    return text && strstr(text, word) ? (*n)++ : MW_NONE;
}

void mw_conv_end_of(const mw_op *op, mw_conv_end *end)
{
    const mw_attr *with = mw_op_attr(op, "with");
    const char *text = with ? with->text : NULL;
    int n = 2;
    end->scale = next_operand(text, "scale", &n);
    end->shift = next_operand(text, "shift", &n);
    end->add = next_operand(text, "add", &n);
    end->low = (float)mw_op_attr_float(op, "low", -HUGE_VAL);
    end->high = (float)mw_op_attr_float(op, "high", HUGE_VAL);
}

/* ---- checks -------------------------------------------------------------- */

static mw_status check_lists(const mw_graph *graph, const mw_op *op)
{
    int n = mw_op_attr(op, "strides")->n;
    if (n < 1 || n > MW_MAX_SPATIAL)
        return mw_op_fail(graph, op, "%d spatial axes, wanted 1 to %d", n,
                          MW_MAX_SPATIAL);
    for (int l = 0; l < N_LISTS; l++) {
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

/* Sizes along a spatial axis. */
typedef struct sizes {
    int64_t x, w, o;
} sizes;

// The outputs of x and the taps.
static mw_status out_size(const mw_graph *graph, const mw_op *op,
                          const mw_spatial *s, sizes *z)
{
    int64_t reach = 0, padded = 0;
    if (z->w < 1 || !mw_mul_fits(z->w - 1, s->dilation, &reach) ||
        !mw_add_fits(z->x, s->pad_begin + s->pad_end, &padded) ||
        reach + 1 > padded)
        return mw_op_fail(graph, op,
                          "%lld taps, %lld apart, do not fit into %lld padded "
                          "by %lld and %lld",
                          (long long)z->w, (long long)s->dilation,
                          (long long)z->x, (long long)s->pad_begin,
                          (long long)s->pad_end);
    z->o = (padded - reach - 1) / s->stride + 1;
    return MW_OK;
}

// What the outputs and taps reach of x.
static mw_status in_size(const mw_graph *graph, const mw_op *op,
                         const mw_spatial *s, sizes *z)
{
    int64_t reach = 0, steps = 0;
    bool fits = z->w >= 1 && mw_mul_fits(z->w - 1, s->dilation, &reach) &&
                mw_mul_fits(z->o > 0 ? z->o - 1 : 0, s->stride, &steps) &&
                mw_add_fits(reach, steps, &reach);
    z->x = fits ? reach + 1 - s->pad_begin - s->pad_end : -1;
    if (z->o == 0)
        z->x = 0;
    if (z->x < 0)
        return mw_op_fail(
            graph, op,
            "%lld taps, %lld apart, leave nothing of %lld without "
            "%lld and %lld",
            (long long)z->w, (long long)s->dilation, (long long)z->o,
            (long long)s->pad_begin, (long long)s->pad_end);
    return MW_OK;
}

// Sets the size of the result, given the other two. `found` is what a named
// result has, MW_NONE in a placed op.
static mw_status result_size(const mw_graph *graph, const mw_op *op,
                             const mw_conv_roles *roles, const mw_spatial *s,
                             int i, int64_t found, sizes *z)
{
    int64_t more = 0;
    const mw_attr *given = mw_op_attr(op, "output_padding");
    if (roles->o == OUT)
        return out_size(graph, op, s, z);
    if (roles->w == OUT) {
        sizes wanted = *z;
        wanted.w = found == MW_NONE ? mw_op_attr(op, "kernel")->i[i] : found;
        MW_TRY(out_size(graph, op, s, &wanted));
        if (wanted.o != z->o)
            return mw_op_fail(
                graph, op, "%lld outputs, wanted %lld of %lld taps",
                (long long)z->o, (long long)wanted.o, (long long)wanted.w);
        *z = wanted;
        return MW_OK;
    }
    MW_TRY(in_size(graph, op, s, z));
    if (found == MW_NONE)
        more = given ? given->i[i] : 0;
    else
        more = found - z->x;
    if (more < 0 || more > INT32_MAX)
        return mw_op_fail(graph, op, "axis %d is %lld, wanted at least %lld", i,
                          (long long)found, (long long)z->x);
    z->x += more;
    return MW_OK;
}

static bool reads_itself(const mw_spatial *s, const sizes *z)
{
    return z->w == 1 && s->stride == 1 && s->pad_begin == 0 &&
           s->pad_end == 0 && z->x == z->o;
}

/* ---- placing ------------------------------------------------------------- */

mw_status mw_conv_own(const mw_graph *graph, mw_op *op, int i, int axis,
                      int8_t *letter)
{
    int64_t size = mw_op_in(graph, op, i)->axis[axis].size;
    *letter = MW_NONE;
    if (size == 1)
        return MW_OK;
    MW_TRY(mw_letter_add(graph, op, (mw_letter){.dim = MW_NONE, .size = size},
                         letter));
    op->in[i].letter[axis] = *letter;
    return MW_OK;
}

mw_status mw_conv_shared(const mw_graph *graph, mw_op *op, int axis0, int axis1,
                         int8_t *letter)
{
    int64_t a = mw_op_in(graph, op, 0)->axis[axis0].size;
    int64_t b = mw_op_in(graph, op, 1)->axis[axis1].size;
    if (a != b)
        return mw_op_fail(graph, op,
                          "operand 1 axis %d is %lld where operand 0 axis %d "
                          "is %lld",
                          axis1, (long long)b, axis0, (long long)a);
    MW_TRY(mw_conv_own(graph, op, 0, axis0, letter));
    op->in[1].letter[axis1] = *letter;
    return MW_OK;
}

const mw_operand *mw_conv_operand(const mw_op *op, int i)
{
    return i == OUT ? &op->out[0] : &op->in[i];
}

int mw_conv_axis(const mw_conv_roles *roles, int operand,
                 const mw_spatial *spatial)
{
    return operand == roles->x   ? spatial->x_axis
           : operand == roles->w ? spatial->w_axis
                                 : spatial->out_axis;
}

static int64_t *size_of(const mw_conv_roles *roles, int operand, sizes *z)
{
    return operand == roles->x ? &z->x : operand == roles->w ? &z->w : &z->o;
}

// Gives an operand's spatial axis a letter; the result gets the axis.
static mw_status place_letter(const mw_graph *graph, mw_op *op, int operand,
                              int axis, int8_t letter, mw_tensor *out)
{
    if (operand == OUT)
        return mw_out_axis(graph, op, out, letter);
    op->in[operand].letter[axis] = letter;
    return MW_OK;
}

// The derived axis has the anchor's letter, or as all of it is read, the
// taps' or one of size 1.
static mw_status place_spatial(const mw_graph *graph, mw_op *op,
                               const mw_conv_roles *roles, const mw_spatial *s,
                               int i, mw_tensor *out)
{
    sizes z = {0};
    int8_t tap = MW_NONE, letter = MW_NONE;
    for (int k = 0; k < 2; k++)
        *size_of(roles, k, &z) =
            mw_op_in(graph, op, k)->axis[mw_conv_axis(roles, k, s)].size;
    MW_TRY(result_size(graph, op, roles, s, i, MW_NONE, &z));
    if (z.w != 1) {
        mw_letter taps = {.dim = MW_NONE, .size = z.w, .pinned = true};
        MW_TRY(mw_letter_add(graph, op, taps, &tap));
    }
    int64_t anchor = *size_of(roles, roles->anchor, &z);
    if (anchor != 1) {
        mw_letter split = {.dim = MW_NONE, .size = anchor, .whole = true};
        MW_TRY(mw_letter_add(graph, op, split, &letter));
    }
    MW_TRY(place_letter(graph, op, roles->w, s->w_axis, tap, out));
    MW_TRY(place_letter(graph, op, roles->anchor,
                        mw_conv_axis(roles, roles->anchor, s), letter, out));
    int axis = mw_conv_axis(roles, roles->derived, s);
    if (*size_of(roles, roles->derived, &z) == 1)
        return MW_OK;
    if (letter != MW_NONE && reads_itself(s, &z)) {
        op->in[roles->derived].letter[axis] = letter;
        return MW_OK;
    }
    return mw_bind_window(graph, op, roles->derived, axis,
                          letter != MW_NONE ? letter : tap);
}

mw_status mw_conv_place(mw_graph *graph, mw_op *op, const mw_conv_roles *roles,
                        mw_conv_channels *channels, mw_tensor *out)
{
    static const char *const more[] = {"output_padding", "kernel"};
    const mw_tensor *a = mw_op_in(graph, op, 0), *b = mw_op_in(graph, op, 1);
    mw_spatial spatial[MW_MAX_SPATIAL];
    MW_TRY(check_lists(graph, op));
    MW_TRY(check_dtypes(graph, op, &out->dtype));
    int n = mw_conv_axes(op, roles, spatial), first = 2 + grouped(op);
    if (a->rank != first + n || b->rank != first + n)
        return mw_op_fail(graph, op, "operands have %d and %d axes, wanted %d",
                          a->rank, b->rank, first + n);
    for (int k = 0; k < 2; k++) {
        const mw_attr *list = mw_op_attr(op, more[k]);
        if (list && list->n != n)
            return mw_op_fail(graph, op, "%s has %d entries, wanted %d",
                              more[k], list->n, n);
    }
    if (grouped(op) && a->axis[1].size != mw_op_attr_int(op, "group", 1))
        return mw_op_fail(graph, op,
                          "operand 0 axis 1 is %lld where group is %lld",
                          (long long)a->axis[1].size,
                          (long long)mw_op_attr_int(op, "group", 1));
    MW_TRY(channels(graph, op, grouped(op), out));
    for (int i = 0; i < n; i++)
        MW_TRY(place_spatial(graph, op, roles, &spatial[i], i, out));
    return MW_OK;
}

/* ---- binding ------------------------------------------------------------- */

static const mw_tensor *operand_tensor(const mw_graph *graph, const mw_op *op,
                                       int operand)
{
    return operand == OUT ? mw_op_out(graph, op) : mw_op_in(graph, op, operand);
}

static mw_status check_axes(const mw_graph *graph, const mw_op *op,
                            const mw_conv_roles *roles)
{
    int n = mw_op_attr(op, "strides")->n;
    for (int k = 0; k < 3; k++) {
        const mw_attr *list = mw_op_attr(op, roles->axes[k]);
        const mw_tensor *tensor = operand_tensor(graph, op, k);
        uint32_t used = 0;
        if (list->n != n)
            return mw_op_fail(graph, op, "%s has %d entries, wanted %d",
                              roles->axes[k], list->n, n);
        for (int i = 0; i < n; i++) {
            int64_t axis = list->i[i];
            if (axis < MW_NONE || axis >= tensor->rank ||
                (axis >= 0 && used & 1u << axis))
                return mw_op_fail(
                    graph, op, "%s[%d] is %lld, wanted another axis of '%s'",
                    roles->axes[k], i, (long long)axis, tensor->name);
            if (axis >= 0)
                used |= 1u << axis;
        }
    }
    return MW_OK;
}

static mw_status bind_letter(const mw_graph *graph, mw_op *op, int operand,
                             int axis, bool pinned, int8_t *letter)
{
    const mw_tensor *tensor = operand_tensor(graph, op, operand);
    *letter = MW_NONE;
    if (axis == MW_NONE)
        return MW_OK;
    mw_letter made = {.dim = tensor->axis[axis].dim,
                      .size = tensor->axis[axis].size,
                      .pinned = pinned || tensor->axis[axis].dim == MW_NONE};
    MW_TRY(mw_letter_add(graph, op, made, letter));
    if (operand == OUT)
        op->out[0].letter[axis] = *letter;
    else
        op->in[operand].letter[axis] = *letter;
    return MW_OK;
}

static int64_t tensor_size(const mw_tensor *tensor, int axis)
{
    return axis == MW_NONE ? 1 : tensor->axis[axis].size;
}

static mw_status bind_spatial(const mw_graph *graph, mw_op *op,
                              const mw_conv_roles *roles, const mw_spatial *s,
                              int i)
{
    sizes z = {0};
    int8_t tap = MW_NONE, letter = MW_NONE;
    for (int k = 0; k < 2; k++)
        *size_of(roles, k, &z) =
            tensor_size(mw_op_in(graph, op, k), mw_conv_axis(roles, k, s));
    const mw_tensor *out = mw_op_out(graph, op);
    int out_axis = mw_conv_axis(roles, OUT, s);
    int64_t found = tensor_size(out, out_axis);
    MW_TRY(result_size(graph, op, roles, s, i, found, &z));
    int64_t wanted = *size_of(roles, OUT, &z);
    if (found != wanted)
        return mw_op_fail(graph, op, "'%s' axis %d is %lld, wanted %lld",
                          out->name, out_axis, (long long)found,
                          (long long)wanted);
    MW_TRY(bind_letter(graph, op, roles->w, s->w_axis, true, &tap));
    MW_TRY(bind_letter(graph, op, roles->anchor,
                       mw_conv_axis(roles, roles->anchor, s), false, &letter));
    int axis = mw_conv_axis(roles, roles->derived, s);
    if (axis == MW_NONE)
        return MW_OK;
    const mw_tensor *derived = mw_op_in(graph, op, roles->derived);
    if (letter != MW_NONE && reads_itself(s, &z) &&
        op->letter[letter].dim == derived->axis[axis].dim) {
        op->in[roles->derived].letter[axis] = letter;
        return MW_OK;
    }
    return mw_bind_window(graph, op, roles->derived, axis,
                          letter != MW_NONE ? letter : tap);
}

mw_status mw_conv_bind(mw_graph *graph, mw_op *op, const mw_conv_roles *roles)
{
    mw_spatial spatial[MW_MAX_SPATIAL];
    mw_dtype dtype = MW_BOOL;
    uint32_t skip[3] = {0};
    MW_TRY(check_lists(graph, op));
    MW_TRY(check_axes(graph, op, roles));
    MW_TRY(check_dtypes(graph, op, &dtype));
    MW_TRY(mw_rule_out_dtype(graph, op, dtype));
    int n = mw_conv_axes(op, roles, spatial);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            int axis = mw_conv_axis(roles, k, &spatial[i]);
            skip[k] |= axis == MW_NONE ? 0 : 1u << axis;
        }
    }
    MW_TRY(mw_bind_axes(graph, op, &op->in[0], skip[0]));
    MW_TRY(mw_bind_axes(graph, op, &op->in[1], skip[1]));
    MW_TRY(mw_bind_axes(graph, op, &op->out[0], skip[OUT]));
    MW_TRY(mw_bind_no_new(graph, op));
    for (int i = 0; i < n; i++)
        MW_TRY(bind_spatial(graph, op, roles, &spatial[i], i));
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

mw_status mw_conv_lower(const mw_graph *placed, const mw_op *op,
                        const mw_conv_roles *roles, const mw_lowering *lowering,
                        mw_op_spec *spec)
{
    mw_spatial s[MW_MAX_SPATIAL];
    int64_t flat[3][MW_MAX_SPATIAL];
    mw_attr attr[N_LISTS + 3];
    int n = mw_conv_axes(op, roles, s);
    for (int k = 0; k < 3; k++) {
        mw_id tensor = k == OUT ? op->out[0].tensor : op->in[k].tensor;
        for (int i = 0; i < n; i++)
            MW_TRY(flat_axis(placed, op, lowering, tensor,
                             mw_conv_axis(roles, k, &s[i]), &flat[k][i]));
        attr[N_LISTS + k] = (mw_attr){
            .name = roles->axes[k], .kind = MW_ATTR_INTS, .n = n, .i = flat[k]};
    }
    for (int l = 0; l < N_LISTS; l++)
        attr[l] = *mw_op_attr(op, lists[l]);
    return mw_lower_attrs(lowering, spec, attr, N_LISTS + 3);
}

/* ---- windows ------------------------------------------------------------- */

// Inputs that the outputs of a block read.
static mw_span read_by(const mw_spatial *s, int64_t taps, mw_span block)
{
    int64_t lo = block.lo * s->stride - s->pad_begin;
    int64_t hi = (block.hi - 1) * s->stride - s->pad_begin +
                 (taps - 1) * s->dilation + 1;
    return (mw_span){lo, hi};
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

// Outputs that read inputs of a block.
static mw_span readers_of(const mw_spatial *s, int64_t taps, mw_span block)
{
    int64_t reach = (taps - 1) * s->dilation;
    int64_t first = block.lo + s->pad_begin - reach + s->stride - 1;
    return (mw_span){floor_div(first, s->stride),
                     floor_div(block.hi - 1 + s->pad_begin, s->stride) + 1};
}

mw_span mw_conv_window(const mw_graph *graph, const mw_op *op,
                       const mw_conv_roles *roles, int axis, mw_span block)
{
    mw_spatial spatial[MW_MAX_SPATIAL];
    int n = mw_conv_axes(op, roles, spatial), i = 0;
    while (i < n - 1 &&
           mw_conv_axis(roles, roles->derived, &spatial[i]) != axis)
        i++;
    const mw_spatial *s = &spatial[i];
    int64_t size = mw_op_in(graph, op, roles->derived)->axis[axis].size;
    if (mw_conv_axis(roles, roles->anchor, s) == MW_NONE)
        return (mw_span){0, size};
    if (block.lo >= block.hi)
        return (mw_span){0, 0};
    int64_t taps = tensor_size(operand_tensor(graph, op, roles->w), s->w_axis);
    mw_span read = roles->derived == roles->x ? read_by(s, taps, block)
                                              : readers_of(s, taps, block);
    return mw_span_clip(read, size);
}

mw_status mw_conv_grad(mw_grad *g, const mw_op *op, const char *def, bool swap,
                       const mw_id in[2], mw_id like, mw_id *y)
{
    static const char *const names[] = {"in_axes", "tap_axes", "out_axes"};
    mw_attr attr[N_LISTS + 3];
    for (int l = 0; l < N_LISTS; l++)
        attr[l] = *mw_op_attr(op, lists[l]);
    for (int k = 0; k < 3; k++) {
        attr[N_LISTS + k] = *mw_op_attr(op, names[swap ? 2 - k : k]);
        attr[N_LISTS + k].name = names[k];
    }
    mw_op_spec spec = {
        .def = def, .n_in = 2, .in = in, .n_attr = N_LISTS + 3, .attr = attr};
    return mw_grad_op(g, &spec, like, g->graph->tensor[like].dtype, y);
}

/* ---- the reference ------------------------------------------------------- */

/* Along a spatial axis of an operand's block; 0 to 1 where it has none. */
typedef struct side {
    int64_t start, size, whole;
    int64_t step; /* elements between neighbours; 0 where a loop steps there */
} side;

typedef struct reach {
    mw_spatial s;
    side out, sum, derived;
} reach;

typedef struct kernel {
    const mw_op *op;
    const mw_conv_roles *roles;
    const mw_view *in;
    int sum; /* the operand whose spatial axes are summed over */
    int n;
    reach reach[MW_MAX_SPATIAL];
    mw_loop inner; /* over contracted letters but the summed spatial ones */
} kernel;

static side side_of(const mw_view *view, int axis, bool steps)
{
    if (axis == MW_NONE)
        return (side){.size = 1, .whole = 1};
    return (side){.start = view->start[axis],
                  .size = view->size[axis],
                  .whole = view->whole[axis],
                  .step = steps ? mw_view_stride(view, axis) : 0};
}

static void begin(kernel *k, const mw_op *op, const mw_conv_roles *roles,
                  const mw_view in[], const mw_view *out,
                  const int64_t extent[MW_MAX_LETTERS])
{
    mw_spatial spatial[MW_MAX_SPATIAL];
    int64_t rest[MW_MAX_LETTERS];
    *k = (kernel){.op = op, .roles = roles, .in = in};
    k->n = mw_conv_axes(op, roles, spatial);
    k->sum = roles->anchor == OUT ? roles->w : roles->anchor;
    for (int l = 0; l < op->n_letters; l++)
        rest[l] = extent[l];
    for (int i = 0; i < k->n; i++) {
        reach *r = &k->reach[i];
        int sum = mw_conv_axis(roles, k->sum, &spatial[i]);
        int derived = mw_conv_axis(roles, roles->derived, &spatial[i]);
        const mw_operand *from = &op->in[roles->derived];
        bool own = derived != MW_NONE &&
                   (from->window & 1u << derived ||
                    !mw_op_letter_in_output(op, from->letter[derived]));
        r->s = spatial[i];
        r->out = side_of(out, mw_conv_axis(roles, OUT, &spatial[i]), false);
        r->sum = side_of(&in[k->sum], sum, true);
        r->derived = side_of(&in[roles->derived], derived, own);
        int letter = sum == MW_NONE ? MW_NONE : op->in[k->sum].letter[sum];
        if (letter != MW_NONE)
            rest[letter] = 1;
    }
    mw_loop_reduced(&k->inner, op, rest);
    mw_loop_view(&k->inner, &op->in[0], &in[0]);
    mw_loop_view(&k->inner, &op->in[1], &in[1]);
}

static mw_number contract(kernel *k, const int64_t from[2], mw_number total)
{
    for (bool more = mw_loop_start(&k->inner, from); more;
         more = mw_loop_next(&k->inner)) {
        mw_run a = {k->in[0].data, k->inner.at[0],
                    mw_loop_row_stride(&k->inner, 0)};
        mw_run b = {k->in[1].data, k->inner.at[1],
                    mw_loop_row_stride(&k->inner, 1)};
        total =
            mw_numbers_dot(k->in[0].dtype, a, b, mw_loop_row(&k->inner), total);
    }
    return total;
}

// The derived index where the result's and the summed one meet; false where
// there is none.
static bool meet(const kernel *k, const reach *r, int64_t out, int64_t sum,
                 int64_t *index)
{
    const mw_spatial *s = &r->s;
    if (k->roles->derived == k->roles->x) {
        int64_t o = k->sum == k->roles->w ? out : sum;
        int64_t t = k->sum == k->roles->w ? sum : out;
        *index = o * s->stride + t * s->dilation - s->pad_begin;
    } else {
        int64_t steps = out + s->pad_begin - sum * s->dilation;
        if (steps % s->stride != 0)
            return false;
        *index = steps / s->stride;
    }
    return *index >= 0 && *index < r->derived.whole;
}

// The sum for the result's indices at[], from offsets from[] in the inputs.
static mw_number convolve(kernel *k, const int64_t at[MW_MAX_SPATIAL],
                          const int64_t from[2])
{
    mw_number total = {.u = 0};
    int64_t t[MW_MAX_SPATIAL] = {0};
    for (int i = 0; i < k->n; i++) {
        if (k->reach[i].sum.size == 0)
            return total;
    }
    for (int i = 0; i >= 0;) {
        int64_t offset[2] = {from[0], from[1]};
        bool inside = true;
        for (i = 0; i < k->n; i++) {
            const reach *r = &k->reach[i];
            int64_t index = 0;
            inside = inside && meet(k, r, at[i], r->sum.start + t[i], &index);
            offset[k->roles->derived] +=
                (index - r->derived.start) * r->derived.step;
            offset[k->sum] += t[i] * r->sum.step;
        }
        if (inside)
            total = contract(k, offset, total);
        for (i = k->n - 1; i >= 0 && ++t[i] >= k->reach[i].sum.size; i--)
            t[i] = 0;
    }
    return total;
}

// Index in the whole result along each spatial axis, at element j of the row.
static void output_index(const kernel *k, const mw_loop *outer, int64_t j,
                         int64_t at[MW_MAX_SPATIAL])
{
    for (int i = 0; i < k->n; i++) {
        int axis = mw_conv_axis(k->roles, OUT, &k->reach[i].s);
        int letter = axis == MW_NONE ? MW_NONE : k->op->out[0].letter[axis];
        at[i] = k->reach[i].out.start;
        for (int l = 0; letter != MW_NONE && l < outer->n; l++) {
            if (outer->letter[l] == letter)
                at[i] += l == outer->n - 1 ? j : outer->index[l];
        }
    }
}

void mw_conv_ref(const mw_op *op, const mw_conv_roles *roles,
                 const mw_view in[], mw_view *out)
{
    int64_t extent[MW_MAX_LETTERS], index[MW_MAX_SPATIAL];
    kernel k;
    mw_loop outer;
    mw_block_extents(op, in, out, extent);
    begin(&k, op, roles, in, out, extent);
    mw_loop_outputs(&outer, op, extent);
    mw_loop_view(&outer, &op->in[0], &in[0]);
    mw_loop_view(&outer, &op->in[1], &in[1]);
    mw_loop_view(&outer, &op->out[0], out);
    for (bool more = mw_loop_start(&outer, NULL); more;
         more = mw_loop_next(&outer)) {
        for (int64_t j = 0; j < mw_loop_row(&outer); j++) {
            int64_t at[3];
            for (int v = 0; v < 3; v++)
                at[v] = outer.at[v] + j * mw_loop_row_stride(&outer, v);
            output_index(&k, &outer, j, index);
            mw_number total = convolve(&k, index, at);
            mw_numbers_store(out->dtype, out->data, at[2], 1, 1, &total);
        }
    }
}
