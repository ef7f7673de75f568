/* grad_build.c - ops of gradients: results get names and dimensions here. */
#include "ir/grad.h"

#include <string.h>

#include "ir/scalar.h"

mw_grad mw_grad_on(mw_graph *graph, const char *prefix)
{
    return (mw_grad){
        .graph = graph, .ctx = graph->ctx, .prefix = prefix, .label = ""};
}

void mw_grad_label(mw_grad *g, const char *name)
{
    g->label = name;
    g->serial = 0;
}

bool mw_grad_wants(const mw_grad *g, int i)
{
    return !g->wants || g->wants[i];
}

static const mw_tensor *tensor_of(const mw_grad *g, mw_id id)
{
    return &g->graph->tensor[id];
}

mw_status mw_grad_name(mw_grad *g, const char *wanted, const char **name)
{
    *name = wanted;
    for (int i = 1; *name && mw_graph_find_tensor(g->graph, *name) != MW_NONE;
         i++)
        *name = mw_arena_format(g->graph->arena, "%s.%d", wanted, i);
    return *name ? MW_OK : MW_ENOMEM;
}

// A name that no tensor has.
static mw_status fresh_name(mw_grad *g, const char **name)
{
    mw_arena *arena = g->graph->arena;
    do {
        *name = g->serial == 0
                    ? mw_arena_format(arena, "%s/%s", g->prefix, g->label)
                    : mw_arena_format(arena, "%s/%s.%lld", g->prefix, g->label,
                                      (long long)g->serial);
        g->serial++;
    } while (*name && mw_graph_find_tensor(g->graph, *name) != MW_NONE);
    return *name ? MW_OK : MW_ENOMEM;
}

mw_status mw_grad_op_as(mw_grad *g, const mw_op_spec *spec, const mw_tensor *as,
                        mw_id *y)
{
    mw_tensor made = {.dtype = as->dtype,
                      .role = MW_ROLE_VALUE,
                      .rank = as->rank,
                      .file_rank = as->file_rank};
    memcpy(made.axis, as->axis, sizeof made.axis);
    memcpy(made.file_axis, as->file_axis, sizeof made.file_axis);
    MW_TRY(fresh_name(g, &made.name));
    mw_id out, op;
    MW_TRY(mw_graph_tensor(g->graph, &made, &out));
    mw_op_spec call = *spec;
    call.n_out = 1;
    call.out = &out;
    MW_TRY(mw_graph_bind(g->graph, &call, &op));
    *y = out;
    return MW_OK;
}

mw_status mw_grad_op(mw_grad *g, const mw_op_spec *spec, mw_id like,
                     mw_dtype dtype, mw_id *y)
{
    mw_tensor as = *tensor_of(g, like);
    as.dtype = dtype;
    return mw_grad_op_as(g, spec, &as, y);
}

/* ---- dimensions ---- */

static bool has_dim(const mw_tensor *tensor, mw_id dim)
{
    for (int a = 0; a < tensor->rank; a++)
        if (tensor->axis[a].dim == dim)
            return true;
    return false;
}

// Axes without dimension: the first of every operand are one, and so on.
static int n_free(const mw_tensor *tensor)
{
    int n = 0;
    for (int a = 0; a < tensor->rank; a++)
        n += tensor->axis[a].dim == MW_NONE;
    return n;
}

static void add_axis(mw_tensor *tensor, mw_axis axis)
{
    tensor->axis[tensor->rank++] = axis;
    tensor->file_rank = 0;
}

// Adds to `as` the axes of `from` that it lacks; of those without dimension,
// the ones past its own.
static mw_status add_axes(mw_grad *g, mw_tensor *as, const mw_tensor *from)
{
    int have = n_free(as);
    for (int a = 0; a < from->rank; a++) {
        mw_axis axis = from->axis[a];
        bool known = axis.dim == MW_NONE ? have-- > 0 : has_dim(as, axis.dim);
        if (known)
            continue;
        if (as->rank == MW_MAX_RANK)
            return mw_fail(g->ctx, MW_EINPUT,
                           "gradient of '%s': more than %d dims meet", g->label,
                           MW_MAX_RANK);
        add_axis(as, axis);
    }
    return MW_OK;
}

// The axes of `of` that a or b has (both NULL: that b lacks is not asked).
static mw_tensor axes_in(const mw_tensor *of, const mw_tensor *a,
                         const mw_tensor *b)
{
    int free_a = n_free(a), free_b = n_free(b), seen = 0;
    int most = free_a > free_b ? free_a : free_b;
    mw_tensor as = {.dtype = a->dtype};
    for (int i = 0; i < of->rank; i++) {
        mw_axis axis = of->axis[i];
        bool has = axis.dim == MW_NONE
                       ? seen++ < most
                       : has_dim(a, axis.dim) || has_dim(b, axis.dim);
        if (has)
            add_axis(&as, axis);
    }
    return as;
}

static bool same_axes(const mw_tensor *a, const mw_tensor *b)
{
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++)
        same = a->axis[i].dim == b->axis[i].dim;
    return same;
}

/* ---- maps ---- */

static mw_dtype map_dtype(const char *def, mw_dtype last)
{
    const mw_op_def *row = mw_op_find(def);
    const mw_scalar *s = row ? row->scalar : NULL;
    return s && (s->test_f || s->test_i || s->test_u) ? MW_BOOL : last;
}

mw_status mw_grad_map(mw_grad *g, const char *def, const mw_id x[], int n,
                      mw_id *y)
{
    int most = 0;
    for (int i = 1; i < n; i++)
        if (tensor_of(g, x[i])->rank > tensor_of(g, x[most])->rank)
            most = i;
    mw_tensor as = *tensor_of(g, x[most]);
    for (int i = 0; i < n; i++)
        MW_TRY(add_axes(g, &as, tensor_of(g, x[i])));
    as.dtype = map_dtype(def, tensor_of(g, x[n - 1])->dtype);
    mw_op_spec spec = {.def = def, .n_in = n, .in = x};
    return mw_grad_op_as(g, &spec, &as, y);
}

mw_status mw_grad_map1(mw_grad *g, const char *def, mw_id x, mw_id *y)
{
    return mw_grad_map(g, def, &x, 1, y);
}

mw_status mw_grad_map2(mw_grad *g, const char *def, mw_id a, mw_id b, mw_id *y)
{
    return mw_grad_map(g, def, (const mw_id[]){a, b}, 2, y);
}

mw_status mw_grad_where(mw_grad *g, mw_id condition, mw_id a, mw_id b, mw_id *y)
{
    return mw_grad_map(g, "where", (const mw_id[]){condition, a, b}, 3, y);
}

mw_status mw_grad_cast(mw_grad *g, mw_id x, mw_dtype dtype, mw_id *y)
{
    if (tensor_of(g, x)->dtype == dtype) {
        *y = x;
        return MW_OK;
    }
    const mw_data *data = &tensor_of(g, x)->data;
    if (tensor_of(g, x)->role == MW_ROLE_CONST && tensor_of(g, x)->rank == 0 &&
        data->kind == MW_DATA_FILL)
        return mw_grad_const(g, dtype, data->fill, y);
    const mw_attr to = {.name = "to", .kind = MW_ATTR_DTYPE, .dtype = dtype};
    mw_op_spec spec = {
        .def = "cast", .n_in = 1, .in = &x, .n_attr = 1, .attr = &to};
    return mw_grad_op(g, &spec, x, dtype, y);
}

// 0 and -0 differ, a NaN is itself.
static bool same_bits(double a, double b)
{
    uint64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return x == y;
}

// The constant of that value and dtype, or MW_NONE.
static mw_id find_number(const mw_grad *g, mw_dtype dtype, double value)
{
    for (int64_t i = 0; i < g->n_numbers; i++) {
        const struct mw_grad_number *number = &g->number[i];
        if (number->dtype == dtype && same_bits(number->value, value))
            return number->id;
    }
    return MW_NONE;
}

mw_status mw_grad_const(mw_grad *g, mw_dtype dtype, double value, mw_id *y)
{
    *y = find_number(g, dtype, value);
    if (*y != MW_NONE)
        return MW_OK;
    mw_tensor made = {.dtype = dtype,
                      .role = MW_ROLE_CONST,
                      .data = {.kind = MW_DATA_FILL, .fill = value}};
    struct mw_grad_number *more =
        mw_arena_reserve(g->graph->arena, g->number, g->n_numbers,
                         &g->cap_numbers, sizeof *more);
    made.name = mw_arena_format(g->graph->arena, "%s/%s/%.9g", g->prefix,
                                mw_dtype_name(dtype), value);
    if (!more || !made.name)
        return MW_ENOMEM;
    g->number = more;
    MW_TRY(mw_grad_name(g, made.name, &made.name));
    MW_TRY(mw_graph_tensor(g->graph, &made, y));
    more[g->n_numbers++] = (struct mw_grad_number){value, dtype, *y};
    return MW_OK;
}

mw_status mw_grad_scalar(mw_grad *g, const char *def, mw_id x, double value,
                         mw_id *y)
{
    mw_id c;
    MW_TRY(mw_grad_const(g, tensor_of(g, x)->dtype, value, &c));
    return mw_grad_map2(g, def, x, c, y);
}

/* ---- sums, spreading ---- */

mw_status mw_grad_einsum(mw_grad *g, mw_id a, mw_id b, mw_id like, mw_id *y)
{
    mw_tensor as =
        axes_in(tensor_of(g, like), tensor_of(g, a), tensor_of(g, b));
    mw_op_spec spec = {.def = "einsum", .n_in = 2, .in = (const mw_id[]){a, b}};
    return mw_grad_op_as(g, &spec, &as, y);
}

mw_status mw_grad_reduce(mw_grad *g, const char *def, mw_id x, mw_id like,
                         mw_id *y)
{
    const mw_tensor *from = tensor_of(g, x), *to = tensor_of(g, like);
    mw_tensor as = axes_in(from, to, to);
    as.dtype = from->dtype;
    if (as.rank == from->rank) {
        *y = x;
        return MW_OK;
    }
    mw_op_spec spec = {.def = def, .n_in = 1, .in = &x};
    return mw_grad_op_as(g, &spec, &as, y);
}

// The product of whole's sizes along what neither x nor like has.
static double repeats(const mw_tensor *whole, const mw_tensor *x,
                      const mw_tensor *like)
{
    int free_x = n_free(x), free_like = n_free(like), seen = 0;
    double product = 1;
    for (int a = 0; a < whole->rank; a++) {
        mw_axis axis = whole->axis[a];
        bool has = has_dim(x, axis.dim) || has_dim(like, axis.dim);
        if (axis.dim == MW_NONE) {
            has = seen < free_x || seen < free_like;
            seen++;
        }
        if (!has)
            product *= (double)axis.size;
    }
    return product;
}

mw_status mw_grad_sum_to(mw_grad *g, mw_id x, mw_id whole, mw_id like, mw_id *y)
{
    double factor =
        repeats(tensor_of(g, whole), tensor_of(g, x), tensor_of(g, like));
    mw_id sum;
    MW_TRY(mw_grad_reduce(g, "reduce_sum", x, like, &sum));
    if (factor < 1 || factor > 1)
        MW_TRY(mw_grad_scalar(g, "mul", sum, factor, &sum));
    *y = sum;
    return MW_OK;
}

mw_status mw_grad_mul_to(mw_grad *g, mw_id x, mw_id z, mw_id whole, mw_id like,
                         mw_id *y)
{
    mw_id product;
    MW_TRY(mw_grad_map2(g, "mul", x, z, &product));
    return mw_grad_sum_to(g, product, whole, like, y);
}

mw_status mw_grad_full(mw_grad *g, mw_id x, mw_id like, mw_id *y)
{
    const mw_tensor *from = tensor_of(g, x), *to = tensor_of(g, like);
    if (same_axes(from, to)) {
        *y = x;
        return MW_OK;
    }
    mw_op_spec spec = {.def =
                           from->rank == to->rank ? "transpose" : "broadcast",
                       .n_in = 1,
                       .in = &x};
    return mw_grad_op(g, &spec, like, from->dtype, y);
}

mw_status mw_grad_rename(mw_grad *g, mw_id x, mw_id like, mw_id *y)
{
    mw_op_spec spec = {.def = "rename", .n_in = 1, .in = &x};
    return mw_grad_op(g, &spec, like, tensor_of(g, x)->dtype, y);
}

mw_status mw_grad_share(mw_grad *g, const mw_op *op, int i, mw_id x, mw_id *y)
{
    return mw_grad_sum_to(g, x, op->out[0].tensor, op->in[i].tensor, y);
}

mw_status mw_grad_share_mul(mw_grad *g, const mw_op *op, int i, mw_id x,
                            mw_id z, mw_id *y)
{
    return mw_grad_mul_to(g, x, z, op->out[0].tensor, op->in[i].tensor, y);
}

mw_status mw_grad_extreme(mw_grad *g, const mw_op *op, const mw_id dout[],
                          mw_id din[])
{
    mw_dtype dtype = tensor_of(g, op->out[0].tensor)->dtype;
    mw_id is[2], share, sum;
    for (int i = 0; i < 2; i++) {
        MW_TRY(mw_grad_map2(g, "equal", op->in[i].tensor, op->out[0].tensor,
                            &is[i]));
        MW_TRY(mw_grad_cast(g, is[i], dtype, &is[i]));
    }
    MW_TRY(mw_grad_map2(g, "add", is[0], is[1], &sum));
    MW_TRY(mw_grad_map2(g, "div", dout[0], sum, &share));
    for (int i = 0; i < 2; i++)
        if (mw_grad_wants(g, i))
            MW_TRY(mw_grad_share_mul(g, op, i, share, is[i], &din[i]));
    return MW_OK;
}

mw_status mw_grad_by_index(mw_grad *g, const mw_op *op, const char *def,
                           const mw_id dout[], mw_id din[])
{
    mw_id in = op->in[0].tensor;
    const mw_op_spec spec = {.def = def,
                             .n_in = 2,
                             .in = (const mw_id[]){dout[0], op->in[1].tensor},
                             .n_attr = op->n_attr,
                             .attr = op->attr};
    return mw_grad_op(g, &spec, in, tensor_of(g, in)->dtype, &din[0]);
}

mw_status mw_grad_alias(mw_grad *g, mw_id dim, const char *what, mw_id *alias)
{
    const mw_dim *of = &g->graph->dim[dim];
    mw_dim made = {.size = of->size, .of = dim, .how = "alias"};
    made.name = mw_arena_format(g->graph->arena, "%s.%s", of->name, what);
    if (!made.name)
        return MW_ENOMEM;
    *alias = mw_graph_find_dim(g->graph, made.name);
    return *alias != MW_NONE ? MW_OK : mw_graph_dim(g->graph, &made, alias);
}

mw_status mw_grad_under(mw_grad *g, mw_id x, mw_id dim, mw_id alias, mw_id *y)
{
    mw_tensor as = *tensor_of(g, x);
    for (int a = 0; a < as.rank; a++)
        if (as.axis[a].dim == dim)
            as.axis[a].dim = alias;
    const mw_op_spec spec = {.def = "rename", .n_in = 1, .in = &x};
    return mw_grad_op_as(g, &spec, &as, y);
}

/* ---- places along a dimension ---- */

mw_status mw_grad_slice(mw_grad *g, mw_id x, mw_id like, const mw_grad_cut *cut,
                        mw_id *y)
{
    const int64_t dim = cut->dim, step = 1;
    const mw_attr attr[] = {
        {.name = "dim", .kind = MW_ATTR_DIM, .n = 1, .i = &dim},
        {.name = "start", .kind = MW_ATTR_INT, .n = 1, .i = &cut->start},
        {.name = "step", .kind = MW_ATTR_INT, .n = 1, .i = &step},
        {.name = "count", .kind = MW_ATTR_INT, .n = 1, .i = &cut->count},
    };
    mw_op_spec spec = {
        .def = "slice", .n_in = 1, .in = &x, .n_attr = 4, .attr = attr};
    return mw_grad_op(g, &spec, like, tensor_of(g, x)->dtype, y);
}

mw_status mw_grad_pad(mw_grad *g, mw_id x, mw_id like, const mw_grad_cut *cut,
                      mw_id *y)
{
    const int64_t dim = cut->dim;
    const int64_t after =
        g->graph->dim[cut->dim].size - cut->start - cut->count;
    const mw_attr attr[] = {
        {.name = "dim", .kind = MW_ATTR_DIM, .n = 1, .i = &dim},
        {.name = "before", .kind = MW_ATTR_INT, .n = 1, .i = &cut->start},
        {.name = "after", .kind = MW_ATTR_INT, .n = 1, .i = &after},
        {.name = "value", .kind = MW_ATTR_FLOAT},
    };
    mw_op_spec spec = {
        .def = "pad", .n_in = 1, .in = &x, .n_attr = 4, .attr = attr};
    return mw_grad_op(g, &spec, like, tensor_of(g, x)->dtype, y);
}

mw_status mw_grad_place_table(mw_grad *g, const mw_grad_places *places,
                              mw_id *y)
{
    const mw_graph *graph = g->graph;
    int64_t n = graph->dim[places->dim].size, m = graph->dim[places->of].size;
    mw_tensor made = {.dtype = places->dtype, .role = MW_ROLE_CONST, .rank = 2};
    made.axis[0] = (mw_axis){.dim = places->dim, .size = n};
    made.axis[1] = (mw_axis){.dim = places->of, .size = m};
    int64_t item = mw_dtype_bytes(places->dtype);
    void *bytes = mw_arena_alloc(graph->arena, (size_t)n, (size_t)(m * item));
    if (!bytes)
        return MW_ENOMEM;
    mw_number one = mw_number_cast((mw_number){.f = 1}, MW_F64, places->dtype);
    for (int64_t k = 0; k < m; k++)
        mw_numbers_store(places->dtype, bytes,
                         (places->start + k * places->step) * m + k, 1, 1,
                         &one);
    made.data = (mw_data){
        .kind = MW_DATA_MEMORY, .bytes = bytes, .length = n * m * item};
    MW_TRY(fresh_name(g, &made.name));
    return mw_graph_tensor(g->graph, &made, y);
}
