/* values.c - finds values, or makes them by hashing seed, tensor and index. */
#include "runtime/values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "ir/eval.h"
#include "ir/fused.h"
#include "ir/number.h"
#include "runtime/block.h"

/* ---- what is stored ---- */

static bool from_outside(const mw_tensor *tensor)
{
    return tensor->role != MW_ROLE_VALUE && tensor->producer == MW_NONE;
}

/* Of each tensor of a graph: integers must lie below; only some of them. */
typedef struct bounds {
    int64_t *below;
    bool *some;
} bounds;

static mw_status open_bounds(mw_arena *arena, const mw_graph *graph, bounds *b)
{
    *b = (bounds){MW_NEW_ARRAY(arena, graph->n_tensors, int64_t),
                  MW_NEW_ARRAY(arena, graph->n_tensors, bool)};
    if (!b->below || !b->some)
        return MW_ENOMEM;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        b->below[t] = INT64_MAX;
    return MW_OK;
}

static void lower(const bounds *b, mw_id t, int64_t limit, bool some)
{
    if (limit == INT64_MAX)
        return;
    /* what all values must keep says more than what some must */
    b->some[t] = some && (b->below[t] == INT64_MAX || b->some[t]);
    b->below[t] = limit < b->below[t] ? limit : b->below[t];
}

static mw_status bound_uses(mw_arena *arena, const mw_graph *graph,
                            const bounds *b);

// The same within a group of maps.
static mw_status bound_group(mw_arena *arena, const mw_op *op, const bounds *b)
{
    const mw_graph *body = mw_fused_body(op);
    bounds inner;
    int input = 0;
    MW_TRY(open_bounds(arena, body, &inner));
    for (int i = 0; i < op->n_out; i++) {
        mw_id out = op->out[i].tensor;
        lower(&inner, body->result[i], b->below[out], b->some[out]);
    }
    MW_TRY(bound_uses(arena, body, &inner));
    for (mw_id t = 0; t < body->n_tensors; t++)
        if (body->tensor[t].role == MW_ROLE_INPUT)
            lower(b, op->in[input++].tensor, inner.below[t], inner.some[t]);
    return MW_OK;
}

// Integers that are looked up with must lie within the table; this is how far
// down the graph an input's own values go.
static mw_status bound_uses(mw_arena *arena, const mw_graph *graph,
                            const bounds *b)
{
    for (int k = graph->n_ops - 1; k >= 0; k--) {
        const mw_op *op = &graph->op[k];
        mw_id out = op->out[0].tensor;
        bool passes = strcmp(op->def->family, "move") == 0 ||
                      strcmp(op->def->name, "cast") == 0;
        if (op->def->index_in > 0) {
            const mw_attr *dim = mw_op_attr(op, "dim");
            int64_t rows = dim ? graph->dim[dim->i[0]].size : 1;
            lower(b, op->in[op->def->index_in].tensor, rows, false);
        }
        for (int i = 0; i < op->n_in && passes; i++)
            lower(b, op->in[i].tensor, b->below[out], b->some[out]);
        for (int i = 1; i < op->n_in && op->def->chooses; i++)
            lower(b, op->in[i].tensor, b->below[out], true);
        if (strcmp(op->def->family, "fused") == 0)
            MW_TRY(bound_group(arena, op, b));
    }
    return MW_OK;
}

void mw_values_close(mw_values *values)
{
    if (!values)
        return;
    for (int64_t i = 0; i < values->n_files; i++)
        mw_tensor_file_close(values->file[i]);
    values->n_files = 0;
}

/* ---- files ---- */

mw_status mw_values_file(mw_values *values, const char *path,
                         mw_tensor_file **file)
{
    mw_tensor_file **files =
        mw_arena_reserve(values->arena, values->file, values->n_files,
                         &values->cap_files, sizeof(mw_tensor_file *));
    if (!files)
        return MW_ENOMEM;
    values->file = files;
    MW_TRY(mw_tensor_file_open(values->ctx, values->arena, path, file));
    files[values->n_files++] = *file;
    return MW_OK;
}

// The array as the values of a tensor.
mw_status mw_values_take(mw_values *values, mw_tensor_file *file, int i,
                         mw_id tensor)
{
    const mw_tensor *t = &values->graph->tensor[tensor];
    const mw_array *array = &file->array[i];
    int64_t size[MW_MAX_FILE_RANK];
    int rank = mw_tensor_file_shape(t, size);
    bool same = rank == array->rank && mw_tensor_file_is(file, i, t->dtype);
    for (int k = 0; same && k < rank; k++)
        same = size[k] == array->size[k];
    char found[MW_SHAPE_TEXT_MAX], wanted[MW_SHAPE_TEXT_MAX];
    mw_ctx_at(values->ctx, "%s: array '%s'", file->path, array->name);
    if (!same)
        return mw_fail(values->ctx, MW_EINPUT, "is %s%s, '%s' wants %s%s",
                       mw_dtype_name(array->dtype),
                       mw_shape_text(array->rank, array->size, found), t->name,
                       mw_dtype_name(t->dtype),
                       mw_shape_text(rank, size, wanted));
    mw_ctx_at(values->ctx, "%s", "");
    values->n_given += t->role == MW_ROLE_INPUT;
    return mw_tensor_file_data(file, i, &values->whole[tensor]);
}

// A file that is open already is not opened again.
static mw_status find_file(mw_values *values, const char *path,
                           mw_tensor_file **file)
{
    for (int64_t i = 0; i < values->n_files; i++)
        if (strcmp(values->file[i]->path, path) == 0) {
            *file = values->file[i];
            return MW_OK;
        }
    return mw_values_file(values, path, file);
}

// The colon of "F.safetensors:NAME": names may have colons too.
static char *split_name(char *path)
{
    static const char *const ends[] = {".safetensors:", ".npz:"};
    for (int i = 0; i < 2; i++) {
        char *end = strstr(path, ends[i]);
        if (end)
            return end + strlen(ends[i]) - 1;
    }
    return strrchr(path, ':');
}

// "F.safetensors:NAME", beside the model.
static mw_status take_named(mw_values *values, mw_id id, char *path)
{
    char *colon = split_name(path);
    mw_tensor_file *file;
    mw_ctx_at(values->ctx, "%s", path);
    if (!colon)
        return mw_fail(values->ctx, MW_EINPUT,
                       "wanted FILE:TENSOR for the values of '%s'",
                       values->graph->tensor[id].name);
    *colon = '\0';
    MW_TRY(find_file(values, path, &file));
    int i = mw_tensor_file_find(file, "", colon + 1);
    mw_ctx_at(values->ctx, "%s", path);
    if (i == MW_NONE)
        return mw_fail(values->ctx, MW_EINPUT, "has no tensor '%s'", colon + 1);
    return mw_values_take(values, file, i, id);
}

// The values of a tensor that the model's text keeps in a file.
static mw_status take_stored(mw_values *values, const char *source, mw_id id)
{
    mw_tensor tensor = values->graph->tensor[id];
    if (tensor.data.kind != MW_DATA_FILE)
        return mw_data_bytes(values->arena, &tensor, &values->whole[id]);
    char *path = mw_path_beside(values->arena, source, tensor.data.path);
    if (tensor.data.path[0] == '/')
        path = mw_arena_text(values->arena, tensor.data.path);
    if (!path)
        return MW_ENOMEM;
    if (tensor.data.offset < 0)
        return take_named(values, id, path);
    tensor.data.path = path;
    return mw_data_bytes(values->arena, &tensor, &values->whole[id]);
}

mw_status mw_values_open(mw_arena *arena, const mw_graph *graph,
                         const char *source, uint64_t seed, mw_values *values)
{
    *values = (mw_values){
        .ctx = arena->ctx,
        .arena = arena,
        .graph = graph,
        .seed = seed,
        .whole = MW_NEW_ARRAY(arena, graph->n_tensors, const void *)};
    bounds b;
    if (!values->whole)
        return MW_ENOMEM;
    MW_TRY(open_bounds(arena, graph, &b));
    values->below = b.below;
    values->some = b.some;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (!from_outside(tensor) || tensor->data.kind == MW_DATA_FILL)
            continue;
        MW_TRY(take_stored(values, source, t));
    }
    return bound_uses(arena, graph, &b);
}

static mw_status one_input(mw_values *values, const char *name,
                           const char *path)
{
    mw_id tensor = mw_graph_find_tensor(values->graph, name);
    if (tensor == MW_NONE ||
        values->graph->tensor[tensor].role != MW_ROLE_INPUT) {
        mw_ctx_at(values->ctx, "--input %s=%s", name, path);
        return mw_fail(values->ctx, MW_EUSAGE,
                       "the model has no input of that name");
    }
    mw_tensor_file *file;
    MW_TRY(mw_values_file(values, path, &file));
    int i = file->n_arrays == 1 ? 0 : mw_tensor_file_find(file, "in:", name);
    mw_ctx_at(values->ctx, "%s", path);
    if (i == MW_NONE)
        return mw_fail(values->ctx, MW_EINPUT,
                       "holds %d arrays, none called '%s'", file->n_arrays,
                       name);
    return mw_values_take(values, file, i, tensor);
}

static mw_status all_inputs(mw_values *values, const char *path)
{
    mw_tensor_file *file;
    MW_TRY(mw_values_file(values, path, &file));
    int before = values->n_given, n_inputs = 0;
    for (mw_id t = 0; t < values->graph->n_tensors; t++) {
        const mw_tensor *tensor = &values->graph->tensor[t];
        if (tensor->role != MW_ROLE_INPUT)
            continue;
        n_inputs++;
        int i = mw_tensor_file_find(file, "in:", tensor->name);
        if (i != MW_NONE)
            MW_TRY(mw_values_take(values, file, i, t));
    }
    if (values->n_given > before || n_inputs == 0)
        return MW_OK; /* --const may have fixed them all */
    mw_ctx_at(values->ctx, "%s", path);
    return mw_fail(values->ctx, MW_EINPUT,
                   "none of its %d arrays is called like an input",
                   file->n_arrays);
}

mw_status mw_values_input(mw_values *values, const char *option)
{
    const char *equal = strchr(option, '=');
    if (!equal)
        return all_inputs(values, option);
    const char *name =
        mw_arena_format(values->arena, "%.*s", (int)(equal - option), option);
    return name ? one_input(values, name, equal + 1) : MW_ENOMEM;
}

mw_status mw_values_weights(mw_values *values, const char *path)
{
    mw_tensor_file *file;
    MW_TRY(mw_values_file(values, path, &file));
    int taken = 0;
    for (mw_id t = 0; t < values->graph->n_tensors; t++) {
        const mw_tensor *tensor = &values->graph->tensor[t];
        int i = MW_NONE;
        if (tensor->role == MW_ROLE_PARAM)
            i = mw_tensor_file_find(file, "", tensor->name);
        if (i == MW_NONE)
            continue;
        MW_TRY(mw_values_take(values, file, i, t));
        taken++;
    }
    mw_ctx_at(values->ctx, "%s", path);
    if (taken == 0)
        return mw_fail(values->ctx, MW_EINPUT,
                       "none of its %d tensors is called like a parameter",
                       file->n_arrays);
    mw_ctx_at(values->ctx, "%s", "");
    return MW_OK;
}

mw_status mw_values_check(const mw_values *values)
{
    for (mw_id t = 0; values->n_given > 0 && t < values->graph->n_tensors;
         t++) {
        const mw_tensor *tensor = &values->graph->tensor[t];
        if (tensor->role != MW_ROLE_INPUT || values->whole[t])
            continue;
        mw_ctx_at(values->ctx, "--input");
        return mw_fail(values->ctx, MW_EUSAGE, "gives %d inputs, but not '%s'",
                       values->n_given, tensor->name);
    }
    return MW_OK;
}

/* ---- what is made ---- */

static const double pi = 3.14159265358979323846;

/* splitmix64 of seed, tensor and index */
static uint64_t hash(uint64_t seed, uint64_t tensor, uint64_t index)
{
    uint64_t z = seed * UINT64_C(0x9e3779b97f4a7c15) + tensor;
    for (int i = 0; i < 2; i++) {
        z += UINT64_C(0x9e3779b97f4a7c15) * (index + 1);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
    }
    return z;
}

// Box and Muller's pair of two hashes gives one number.
static double normal(uint64_t seed, uint64_t tensor, uint64_t index)
{
    uint64_t a = hash(seed, tensor, 2 * index);
    uint64_t b = hash(seed, tensor, 2 * index + 1);
    double radius = sqrt(-2 * log(((double)(a >> 11) + 1) * 0x1p-53));
    return radius * cos(2 * pi * (double)(b >> 11) * 0x1p-53);
}

// Inputs in [-1, 1), parameters in [-0.1, 0.1), states 0; integers are 0 or 1
// where nothing bounds them, as of a mask.
static mw_number made(const mw_values *values, mw_id id, uint64_t key,
                      int64_t index)
{
    const mw_tensor *tensor = &values->graph->tensor[id];
    uint64_t bits = hash(values->seed, key, (uint64_t)index);
    int64_t below = values->below[id] == INT64_MAX ? 2 : values->below[id];
    mw_number number = {.u = 0};
    if (tensor->role == MW_ROLE_STATE)
        return number;
    if (tensor->data.kind == MW_DATA_NORMAL)
        number.f =
            tensor->data.fill * normal(values->seed, key, (uint64_t)index);
    else if (mw_dtype_is_float(tensor->dtype)) {
        double unit = (double)(bits >> 11) * 0x1p-52 - 1;
        number.f = tensor->role == MW_ROLE_PARAM ? unit * 0.1 : unit;
    } else if (below > 0) {
        number.u = bits % (uint64_t)below;
    }
    return number;
}

static mw_number fill_of(const mw_tensor *tensor)
{
    mw_number number = {.f = tensor->data.fill};
    return mw_number_cast(number, MW_F64, tensor->dtype);
}

// An element of another tensor, in its type, as this one's.
static mw_number like(const mw_values *values, const mw_tensor *tensor,
                      int64_t index)
{
    mw_id of = mw_graph_find_tensor(values->graph, tensor->data.path);
    const mw_tensor *from = &values->graph->tensor[of];
    mw_number number;
    if (values->whole[of]) {
        mw_numbers_load(from->dtype, values->whole[of], index, 1, 1, &number);
    } else {
        uint64_t rounded; /* as large as an element */
        number = from->data.kind == MW_DATA_FILL
                     ? fill_of(from)
                     : made(values, of, mw_hash_text(0, from->name), index);
        mw_numbers_store(from->dtype, &rounded, 0, 1, 1, &number);
        mw_numbers_load(from->dtype, &rounded, 0, 1, 1, &number);
    }
    return mw_number_cast(number, from->dtype, tensor->dtype);
}

// The elements of a box, one after the other, by their index in the whole.
static void make_block(const mw_values *values, mw_id id, const mw_box *box,
                       void *block)
{
    const mw_tensor *tensor = &values->graph->tensor[id];
    bool filled = tensor->data.kind == MW_DATA_FILL;
    /* what is made goes with a name, however many others there are */
    uint64_t key = mw_hash_text(0, tensor->name);
    int64_t index[MW_MAX_RANK] = {0}, n = mw_box_elements(box);
    for (int64_t k = 0; k < n; k++) {
        int64_t at = 0;
        for (int i = 0; i < box->rank; i++)
            at = at * tensor->axis[i].size + box->axis[i].start + index[i];
        mw_number number = tensor->data.kind == MW_DATA_LIKE
                               ? like(values, tensor, at)
                           : filled ? fill_of(tensor)
                                    : made(values, id, key, at);
        mw_numbers_store(tensor->dtype, block, k, 1, 1, &number);
        for (int i = box->rank - 1; i >= 0; i--) {
            if (++index[i] < box->axis[i].size)
                break;
            index[i] = 0;
        }
    }
}

void mw_values_block(const mw_values *values, mw_id tensor, const mw_box *box,
                     void *block)
{
    const mw_tensor *t = &values->graph->tensor[tensor];
    if (!values->whole[tensor]) {
        make_block(values, tensor, box, block);
        return;
    }
    mw_box all = mw_box_whole(t);
    mw_strided copy;
    mw_strided_box(&copy, mw_dtype_bytes(t->dtype), box, &all, box);
    mw_strided_run(&copy, values->whole[tensor], block);
}

mw_status mw_values_whole(mw_values *values, mw_id tensor, const void **whole)
{
    const mw_tensor *t = &values->graph->tensor[tensor];
    if (!values->whole[tensor]) {
        void *made_whole =
            mw_arena_alloc(values->arena, (size_t)mw_tensor_bytes(t), 1);
        if (!made_whole)
            return MW_ENOMEM;
        mw_box all = mw_box_whole(t);
        make_block(values, tensor, &all, made_whole);
        values->whole[tensor] = made_whole;
    }
    *whole = values->whole[tensor];
    return MW_OK;
}
