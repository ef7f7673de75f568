/* fold.c - evaluates ops over stored values in a graph of their own. */
#include "ir/fold.h"

#include <string.h>

#include "base/checked.h"
#include "ir/eval.h"
#include "ir/number.h"

/* Of one import: far beyond what models need, and soon done. */
#define FOLD_TOTAL_BYTES ((int64_t)256 << 20)
#define FOLD_TOTAL_POINTS ((int64_t)1 << 28)
#define FOLD_POINTS ((int64_t)1 << 24)

void mw_folder_init(mw_folder *folder, mw_graph *graph)
{
    *folder = (mw_folder){.graph = graph,
                          .bytes_left = FOLD_TOTAL_BYTES,
                          .points_left = FOLD_TOTAL_POINTS};
}

/* ---- stored values ---- */

static int64_t limit_of(const mw_tensor *tensor)
{
    bool from_file =
        tensor->role == MW_ROLE_PARAM && tensor->data.kind != MW_DATA_FILL;
    return from_file ? MW_FOLD_PARAM_BYTES : MW_FOLD_CONST_BYTES;
}

bool mw_fold_known(const mw_graph *graph, mw_id id)
{
    const mw_tensor *tensor = &graph->tensor[id];
    bool stored =
        (tensor->role == MW_ROLE_PARAM || tensor->role == MW_ROLE_CONST) &&
        tensor->data.kind != MW_DATA_NONE;
    return stored && mw_dtype_runs(tensor->dtype) &&
           mw_tensor_bytes(tensor) <= limit_of(tensor);
}

double mw_fold_number(mw_dtype dtype, const void *element)
{
    mw_number number;
    mw_numbers_load(dtype, element, 0, 1, 1, &number);
    return mw_number_cast(number, dtype, MW_F64).f;
}

void mw_fold_element(mw_dtype dtype, double number, void *element)
{
    mw_number cast = mw_number_cast((mw_number){.f = number}, MW_F64, dtype);
    mw_numbers_store(dtype, element, 0, 1, 1, &cast);
}

mw_status mw_fold_read(const mw_graph *graph, mw_id id, mw_arena *arena,
                       const void **bytes)
{
    return mw_data_bytes(arena, &graph->tensor[id], bytes);
}

static mw_status uniform_in(const mw_graph *graph, mw_id id, mw_arena *arena,
                            bool *uniform, uint64_t *bits)
{
    const mw_tensor *tensor = &graph->tensor[id];
    size_t width = (size_t)mw_dtype_bytes(tensor->dtype);
    size_t bytes = (size_t)mw_tensor_bytes(tensor);
    const void *values = NULL;
    MW_TRY(mw_fold_read(graph, id, arena, &values));
    const char *first = values;
    uint64_t element = 0;
    memcpy(&element, first, width);
    *bits = element;
    *uniform = memcmp(first, first + width, bytes - width) == 0;
    return MW_OK;
}

mw_status mw_fold_uniform(const mw_graph *graph, mw_id id, bool *uniform,
                          uint64_t *bits)
{
    *uniform = false;
    if (!mw_fold_known(graph, id) ||
        mw_tensor_elements(&graph->tensor[id]) == 0)
        return MW_OK;
    mw_arena arena;
    mw_arena_init(&arena, graph->ctx);
    mw_status status = uniform_in(graph, id, &arena, uniform, bits);
    mw_arena_free(&arena);
    return status;
}

/* ---- evaluation ---- */

/* A weight cast to integers is one no longer: sizes are computed so. */
static bool moves_elements(const mw_op_spec *spec)
{
    const mw_op_def *def = mw_op_find(spec->def);
    bool casts = def && strcmp(def->name, "cast") == 0;
    for (int i = 0; i < spec->n_attr && casts; i++)
        casts = spec->attr[i].kind != MW_ATTR_DTYPE ||
                mw_dtype_is_float(spec->attr[i].dtype);
    return def && (strcmp(def->family, "move") == 0 ||
                   strcmp(def->family, "index") == 0 || casts);
}

static bool is_weight(const mw_tensor *tensor)
{
    return tensor->role == MW_ROLE_PARAM;
}

static bool draws_numbers(const mw_op_spec *spec)
{
    const mw_op_def *def = mw_op_find(spec->def);
    return def && strcmp(def->family, "random") == 0;
}

static bool may_fold(const mw_graph *graph, const mw_op_spec *spec)
{
    bool weights = false;
    if (draws_numbers(spec))
        return false; /* cheaper drawn where it is used than stored */
    for (int i = 0; i < spec->n_in; i++) {
        if (!mw_fold_known(graph, spec->in[i]))
            return false;
        weights |= is_weight(&graph->tensor[spec->in[i]]);
    }
    return !(weights && moves_elements(spec));
}

/* Every output element is an element of the one input. */
static bool repeats_fill(const mw_graph *graph, const mw_op_spec *spec)
{
    static const char *const moving[] = {"transpose", "reshape", "broadcast",
                                         "slice", NULL};
    if (spec->n_in != 1)
        return false;
    const mw_tensor *in = &graph->tensor[spec->in[0]];
    if (in->role != MW_ROLE_CONST || in->data.kind != MW_DATA_FILL)
        return false;
    for (int i = 0; moving[i]; i++)
        if (strcmp(moving[i], spec->def) == 0)
            return true;
    return false;
}

/* The op in a graph of its own, with the inputs' shapes. */
static mw_status place_alone(const mw_graph *graph, const mw_op_spec *spec,
                             mw_graph *alone, mw_id out[])
{
    MW_TRY(mw_graph_init(alone, alone->arena, "fold"));
    mw_id *in = MW_NEW_ARRAY(alone->arena, spec->n_in, mw_id);
    if (!in)
        return MW_ENOMEM;
    for (int i = 0; i < spec->n_in; i++) {
        mw_tensor copy = graph->tensor[spec->in[i]];
        mw_id known = mw_graph_find_tensor(alone, copy.name);
        if (known == MW_NONE)
            MW_TRY(mw_graph_tensor(alone, &copy, &known));
        in[i] = known;
    }
    mw_op_spec moved = *spec;
    moved.in = in;
    return mw_graph_place(alone, &moved, out);
}

static bool within(mw_folder *folder, const mw_graph *alone, const mw_id out[])
{
    const mw_op *op = &alone->op[0];
    int64_t points = 1, bytes = 0;
    for (int i = 0; i < op->n_letters; i++)
        if (!mw_mul_fits(points, op->letter[i].size, &points))
            return false;
    for (int i = 0; i < op->n_out; i++)
        if (!mw_add_fits(bytes, mw_tensor_bytes(&alone->tensor[out[i]]),
                         &bytes))
            return false;
    if (points > FOLD_POINTS || points > folder->points_left ||
        bytes > MW_FOLD_CONST_BYTES || bytes > folder->bytes_left)
        return false;
    folder->points_left -= points;
    folder->bytes_left -= bytes;
    return true;
}

/* Values that the op has no result for are a fault of the model. */
static mw_status check_values(const mw_graph *alone, const void *const in[])
{
    const mw_op *op = &alone->op[0];
    char text[MW_REFUSAL_MAX];
    if (!op->def->refuses)
        return MW_OK;
    mw_view *view = MW_NEW_ARRAY(alone->arena, op->n_in, mw_view);
    if (!view)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++) {
        view[i] = mw_view_whole(&alone->tensor[op->in[i].tensor], NULL);
        memcpy(&view[i].data, &in[i], sizeof in[i]);
    }
    if (op->def->refuses(op, view, text))
        return mw_fail(alone->ctx, MW_EINPUT, "%s: %s", op->def->name, text);
    return MW_OK;
}

/* Runs the one op of `alone`; result[i] are in the folder's arena. */
static mw_status run(mw_folder *folder, const mw_graph *alone, void **result)
{
    const mw_op *op = &alone->op[0];
    const void **in = MW_NEW_ARRAY(alone->arena, op->n_in, const void *);
    if (!in)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++)
        MW_TRY(mw_fold_read(alone, op->in[i].tensor, alone->arena, &in[i]));
    MW_TRY(check_values(alone, in));
    for (int i = 0; i < op->n_out; i++) {
        const mw_tensor *tensor = &alone->tensor[op->out[i].tensor];
        result[i] = mw_arena_alloc(folder->graph->arena,
                                   (size_t)mw_tensor_bytes(tensor), 1);
        if (!result[i])
            return MW_ENOMEM;
    }
    return mw_eval_op(alone, op, in, result);
}

/* The constant that takes the place of an output. */
static mw_status add_result(mw_folder *folder, const mw_op_spec *spec,
                            const mw_tensor *made, const mw_data *data,
                            mw_id *id)
{
    bool weights = false;
    for (int i = 0; i < spec->n_in; i++) {
        const mw_tensor *in = &folder->graph->tensor[spec->in[i]];
        weights |= is_weight(in) && in->data.kind != MW_DATA_FILL;
    }
    mw_tensor tensor = *made;
    bool many = mw_tensor_elements(made) > 1;
    tensor.role = weights && many && mw_dtype_is_float(made->dtype)
                      ? MW_ROLE_PARAM
                      : MW_ROLE_CONST;
    tensor.data = *data;
    return mw_graph_tensor(folder->graph, &tensor, id);
}

/* *folded is false when the bounds leave the op to the run. */
static mw_status fold(mw_folder *folder, const mw_op_spec *spec,
                      mw_arena *arena, mw_id out[], bool *folded)
{
    mw_graph alone = {.arena = arena};
    mw_id *made = MW_NEW_ARRAY(arena, spec->n_out, mw_id);
    void **result = MW_NEW_ARRAY(arena, spec->n_out, void *);
    if (!made || !result)
        return MW_ENOMEM;
    MW_TRY(place_alone(folder->graph, spec, &alone, made));
    bool repeats = repeats_fill(folder->graph, spec);
    *folded = repeats || within(folder, &alone, made);
    if (!*folded)
        return MW_OK;
    if (!repeats)
        MW_TRY(run(folder, &alone, result));
    for (int i = 0; i < spec->n_out; i++) {
        const mw_tensor *tensor = &alone.tensor[made[i]];
        mw_data data = {.kind = MW_DATA_MEMORY,
                        .bytes = result[i],
                        .length = mw_tensor_bytes(tensor)};
        if (repeats)
            data = folder->graph->tensor[spec->in[0]].data;
        MW_TRY(add_result(folder, spec, tensor, &data, &out[i]));
    }
    return MW_OK;
}

mw_status mw_fold_place(mw_folder *folder, const mw_op_spec *spec, mw_id out[])
{
    bool folded = false;
    if (repeats_fill(folder->graph, spec) || may_fold(folder->graph, spec)) {
        mw_arena arena;
        mw_arena_init(&arena, folder->graph->ctx);
        mw_status status = fold(folder, spec, &arena, out, &folded);
        mw_arena_free(&arena);
        if (status != MW_OK)
            return status;
    }
    return folded ? MW_OK : mw_graph_place(folder->graph, spec, out);
}
