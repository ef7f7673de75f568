/*
 * sizes.c - the inputs of a model with the sizes that options give to its
 * symbolic dimensions, and declared shapes against found ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/near.h"
#include "ir/import/build.h"
#include "ir/number.h"

enum { ASSUMED_FIRST = 5, ASSUMED_STEP = 2, WARNINGS_MAX = 8 };

/* Producers write "?", "-1" or nothing for a size they do not know. */
const char *mw_build_symbol(const mw_onnx_dim *dim)
{
    const char *s = dim->symbol;
    bool none = !s || s[0] == '\0' || strcmp(s, "?") == 0 ||
                strcmp(s, "-1") == 0 || strcmp(s, "None") == 0;
    return none ? NULL : s;
}

static const mw_shape_option *shape_option(const mw_onnx_build *build,
                                           const char *input)
{
    const mw_import_options *options = build->options;
    for (int i = 0; i < options->n_shapes; i++)
        if (strcmp(options->shape[i].input, input) == 0)
            return &options->shape[i];
    return NULL;
}

bool mw_build_dim_option(const mw_onnx_build *build, const char *name,
                         int64_t *size)
{
    const mw_import_options *options = build->options;
    for (int i = 0; i < options->n_sizes; i++)
        if (strcmp(options->size[i].name, name) == 0) {
            *size = options->size[i].size;
            return true;
        }
    return false;
}

/* One axis of an input; name: its symbol, else INPUT.AXIS. */
typedef struct wanted {
    const mw_onnx_value *input;
    int axis;
    const char *name;
    const mw_shape_option *shape; /* or NULL */
} wanted;

int64_t mw_build_assume(mw_onnx_build *build, const char *name, int64_t most)
{
    int64_t size = ASSUMED_FIRST + ASSUMED_STEP * build->n_assumed++;
    size = size < most ? size : most;
    mw_warn(build->ctx,
            "dimension '%s' has no size, %lld is assumed: give --dim %s=SIZE",
            name, (long long)size, name);
    return size;
}

static mw_status missing(mw_onnx_build *build, const wanted *w, int64_t *size)
{
    if (w->input->dim && w->input->dim[w->axis].value == 0) {
        *size = 0; /* an empty tensor, unless an option says otherwise */
        return MW_OK;
    }
    if (!build->options->assume_sizes)
        return mw_fail(build->ctx, MW_EUSAGE,
                       "dimension '%s' (axis %d of input '%s') has no size\n"
                       "give --dim %s=SIZE, or --sizes-from F.npz with an "
                       "array '%s'",
                       w->name, w->axis, w->input->name, w->name,
                       w->input->name);
    *size = mw_build_assume(build, w->name, INT64_MAX);
    return MW_OK;
}

static mw_status size_of_symbol(mw_onnx_build *build, const wanted *w,
                                int64_t *size)
{
    const int64_t *known = mw_map_find_text(&build->sizes, w->name);
    int64_t given = 0;
    bool asked = mw_build_dim_option(build, w->name, &given);
    bool has = known || asked;
    given = known ? *known : given;
    if (w->shape && asked && w->shape->size[w->axis] != given)
        return mw_fail(build->ctx, MW_EUSAGE,
                       "dimension '%s' is %lld, but axis %d of the array for "
                       "input '%s' is %lld",
                       w->name, (long long)given, w->axis, w->input->name,
                       (long long)w->shape->size[w->axis]);
    if (w->shape)
        given = w->shape->size[w->axis];
    else if (!has)
        MW_TRY(missing(build, w, &given));
    if (given < 0)
        return mw_fail(build->ctx, MW_EUSAGE,
                       "dimension '%s' is %lld, wanted at least 0", w->name,
                       (long long)given);
    *size = given;
    return known ? MW_OK : mw_map_put_text(&build->sizes, w->name, given);
}

/* A file may call two dimensions alike: arrays know better. */
static void warn_of_clash(mw_onnx_build *build, const wanted *w)
{
    const int64_t *known = mw_map_find_text(&build->sizes, w->name);
    int64_t size = w->shape->size[w->axis];
    if (known && *known != size)
        mw_warn(build->ctx,
                "dimension '%s' is %lld and, at axis %d of input '%s', %lld: "
                "they are taken as two",
                w->name, (long long)*known, w->axis, w->input->name,
                (long long)size);
}

/* Sizes that another input's array fixes are known before they are asked. */
static mw_status note_shapes(mw_onnx_build *build)
{
    const mw_onnx_graph *graph = &build->model->graph;
    for (int64_t i = 0; i < graph->n_in; i++) {
        const mw_onnx_value *input = &graph->in[i];
        const mw_shape_option *shape = shape_option(build, input->name);
        if (!shape || !input->has_shape || shape->rank != input->rank)
            continue;
        for (int a = 0; a < shape->rank; a++) {
            wanted w = {input, a, mw_build_symbol(&input->dim[a]), shape};
            int64_t size;
            if (!w.name || input->dim[a].value >= 0)
                continue;
            warn_of_clash(build, &w);
            MW_TRY(size_of_symbol(build, &w, &size));
        }
    }
    return MW_OK;
}

static mw_status size_axis(mw_onnx_build *build, const mw_onnx_value *input,
                           int axis, mw_axis *out)
{
    const mw_onnx_dim *dim = &input->dim[axis];
    wanted w = {input, axis, NULL, shape_option(build, input->name)};
    *out = (mw_axis){.dim = MW_NONE, .size = dim->value};
    if (dim->value > 0) {
        if (w.shape && w.shape->size[axis] != dim->value)
            return mw_fail(build->ctx, MW_EUSAGE,
                           "axis %d of input '%s' is %lld in the model and "
                           "%lld in the array given for it",
                           axis, input->name, (long long)dim->value,
                           (long long)w.shape->size[axis]);
        return MW_OK;
    }
    out->symbol = mw_build_symbol(dim);
    w.name = out->symbol
                 ? out->symbol
                 : mw_arena_format(build->arena, "%s.%d", input->name, axis);
    return w.name ? size_of_symbol(build, &w, &out->size) : MW_ENOMEM;
}

static mw_status shape_input(mw_onnx_build *build, const mw_onnx_value *input,
                             mw_tensor *tensor)
{
    const mw_shape_option *shape = shape_option(build, input->name);
    int64_t rank = input->has_shape ? input->rank : shape ? shape->rank : -1;
    if (rank < 0)
        return mw_fail(build->ctx, MW_EUSAGE,
                       "input '%s' has no shape in the model: give "
                       "--sizes-from F.npz with an array of that name",
                       input->name);
    if (shape && shape->rank != rank)
        return mw_fail(build->ctx, MW_EUSAGE,
                       "input '%s' has rank %lld, the array given for it %d",
                       input->name, (long long)rank, shape->rank);
    if (rank > MW_MAX_RANK)
        return mw_fail(build->ctx, MW_EINPUT,
                       "input '%s' has rank %lld, at most %d", input->name,
                       (long long)rank, MW_MAX_RANK);
    tensor->rank = (int)rank;
    for (int i = 0; i < tensor->rank; i++) {
        tensor->axis[i] = (mw_axis){.dim = MW_NONE};
        if (input->has_shape)
            MW_TRY(size_axis(build, input, i, &tensor->axis[i]));
        else
            tensor->axis[i].size = shape->size[i];
    }
    return MW_OK;
}

/* ---- fixed inputs ---- */

static bool holds(mw_dtype dtype, int64_t value)
{
    if (mw_dtype_class(dtype) == MW_CLASS_SIGNED)
        return value >= mw_number_least(dtype).i &&
               value <= mw_number_largest(dtype).i;
    return value >= 0 && (uint64_t)value <= mw_number_largest(dtype).u;
}

static mw_status parse_number(mw_onnx_build *build, const char *input,
                              mw_dtype dtype, const char **text, void *element)
{
    char *end = NULL;
    errno = 0;
    bool yes = strncmp(*text, "true", 4) == 0;
    bool no = strncmp(*text, "false", 5) == 0;
    double real = 0.0;
    int64_t whole = yes;
    if (yes || no) {
        real = yes;
        *text += yes ? 4 : 5;
    } else {
        real = strtod(*text, &end);
        if (!mw_dtype_is_float(dtype))
            whole = strtoll(*text, &end, 10);
        if (end == *text || errno != 0)
            return mw_fail(build->ctx, MW_EUSAGE,
                           "--const %s: '%s' is not a number", input, *text);
        if (!mw_dtype_is_float(dtype) && !holds(dtype, whole))
            return mw_fail(build->ctx, MW_EUSAGE,
                           "--const %s: %lld does not fit %s", input,
                           (long long)whole, mw_dtype_name(dtype));
        *text = end;
    }
    if (**text == ',')
        ++*text;
    else if (**text != '\0')
        return mw_fail(build->ctx, MW_EUSAGE,
                       "--const %s: '%s' does not go on with a comma", input,
                       *text);
    float single = (float)real;
    if (dtype == MW_F32)
        memcpy(element, &single, sizeof single);
    else if (dtype == MW_F64)
        memcpy(element, &real, sizeof real);
    else
        memcpy(element, &whole, (size_t)mw_dtype_bytes(dtype));
    return MW_OK;
}

static mw_status fix_input(mw_onnx_build *build, const char *text,
                           mw_tensor *tensor)
{
    int64_t n = mw_tensor_elements(tensor);
    size_t width = (size_t)mw_dtype_bytes(tensor->dtype);
    if (!mw_dtype_executable(tensor->dtype) &&
        (mw_dtype_is_float(tensor->dtype) || !mw_dtype_runs(tensor->dtype)))
        return mw_fail(build->ctx, MW_EUSAGE,
                       "--const %s: input is %s, which cannot be fixed",
                       tensor->name, mw_dtype_name(tensor->dtype));
    if (n > MW_FOLD_CONST_BYTES / 8)
        return mw_fail(build->ctx, MW_EUSAGE,
                       "--const %s: input has %lld elements", tensor->name,
                       (long long)n);
    char *bytes = mw_arena_alloc(build->arena, (size_t)n, width);
    if (!bytes)
        return MW_ENOMEM;
    int64_t count = 0;
    for (const char *at = text; *at; count++) {
        uint64_t element = 0;
        MW_TRY(parse_number(build, tensor->name, tensor->dtype, &at, &element));
        if (count < n)
            memcpy(bytes + (size_t)count * width, &element, width);
    }
    for (int64_t i = 1; i < n && count == 1; i++)
        memcpy(bytes + (size_t)i * width, bytes, width);
    if (count != n && count != 1)
        return mw_fail(build->ctx, MW_EUSAGE,
                       "--const %s: %lld values for %lld elements",
                       tensor->name, (long long)count, (long long)n);
    tensor->role = MW_ROLE_CONST;
    tensor->data = (mw_data){
        .kind = MW_DATA_MEMORY, .bytes = bytes, .length = n * (int64_t)width};
    return MW_OK;
}

static const char *const_option(const mw_onnx_build *build, const char *input)
{
    const mw_import_options *options = build->options;
    for (int i = 0; i < options->n_constants; i++)
        if (strcmp(options->constant[i].input, input) == 0)
            return options->constant[i].value;
    return NULL;
}

/* ---- inputs ---- */

static mw_status add_input(mw_onnx_build *build, const mw_onnx_value *input)
{
    mw_ctx_at(build->ctx, "input '%s'", input->name);
    if (input->name[0] == '\0')
        return mw_fail(build->ctx, MW_EINPUT, "an input has no name");
    if (mw_map_find_text(&build->scope->value, input->name))
        return mw_fail(build->ctx, MW_EINPUT, "there are two inputs '%s'",
                       input->name);
    mw_tensor tensor = {.name = input->name, .role = MW_ROLE_INPUT};
    if (!input->is_tensor)
        return mw_fail(build->ctx, MW_EINPUT,
                       "input '%s' is %s%s, which is not supported",
                       input->name, input->kind ? "of type " : "not a tensor",
                       input->kind ? input->kind : "");
    if (!mw_dtype_by_onnx(input->elem_type, &tensor.dtype))
        return mw_fail(build->ctx, MW_EINPUT,
                       "input '%s' has element type %s, which is not supported",
                       input->name, mw_payload_type(input->elem_type));
    MW_TRY(shape_input(build, input, &tensor));
    const char *fixed = const_option(build, input->name);
    if (fixed)
        MW_TRY(fix_input(build, fixed, &tensor));
    mw_id id;
    MW_TRY(mw_graph_tensor(&build->graph, &tensor, &id));
    return mw_build_bind(build, input->name, id);
}

mw_status mw_build_inputs(mw_onnx_build *build)
{
    const mw_onnx_graph *graph = &build->model->graph;
    MW_TRY(note_shapes(build));
    for (int64_t i = 0; i < graph->n_in; i++)
        if (!mw_map_find_text(&build->scope->weight, graph->in[i].name))
            MW_TRY(add_input(build, &graph->in[i]));
    return MW_OK;
}

static mw_status no_such(mw_onnx_build *build, const char *option,
                         const char *name, const char *best)
{
    mw_ctx_at(build->ctx, "%s", option);
    return mw_fail(
        build->ctx, MW_EUSAGE, "the model has no %s '%s'%s%s%s",
        strcmp(option, "--dim") == 0 ? "symbolic dimension" : "input", name,
        best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

/* What --dim may name: the symbols of the inputs, axes without one, and sizes
 * that follow from values. */
static mw_status open_names(mw_onnx_build *build, mw_map *names)
{
    const mw_onnx_graph *graph = &build->model->graph;
    mw_map_init(names, build->arena);
    for (int64_t i = 0; i < graph->n_in; i++) {
        const mw_onnx_value *input = &graph->in[i];
        if (mw_map_find_text(&build->scope->weight, input->name))
            continue;
        for (int64_t a = 0; a < input->rank; a++) {
            const char *name = mw_build_symbol(&input->dim[a]);
            if (input->dim[a].value > 0)
                continue;
            if (!name)
                name = mw_arena_format(build->arena, "%s.%lld", input->name,
                                       (long long)a);
            if (!name)
                return MW_ENOMEM;
            MW_TRY(mw_map_put_text(names, name, 0));
        }
    }
    return mw_build_count_names(build, names);
}

static mw_status check_name(mw_onnx_build *build, const char *option,
                            const char *name, const mw_map *names)
{
    mw_near near;
    mw_near_init(&near, name);
    for (int64_t k = 0; k < names->n_entries; k++)
        mw_near_try(&near, names->entry[k].key);
    return mw_map_find_text(names, name)
               ? MW_OK
               : no_such(build, option, name, near.best);
}

mw_status mw_build_check_options(mw_onnx_build *build)
{
    const mw_import_options *options = build->options;
    mw_map names;
    MW_TRY(open_names(build, &names));
    for (int i = 0; i < options->n_sizes; i++)
        MW_TRY(check_name(build, "--dim", options->size[i].name, &names));
    for (int i = 0; i < options->n_constants; i++)
        MW_TRY(check_name(build, "--const", options->constant[i].input,
                          &build->scope->input));
    return MW_OK;
}

/* ---- declared shapes ---- */

static bool fits(const mw_onnx_build *build, const mw_onnx_value *declared,
                 const mw_tensor *found)
{
    if (declared->rank != found->rank)
        return false;
    for (int i = 0; i < found->rank; i++) {
        const mw_onnx_dim *dim = &declared->dim[i];
        const char *symbol = mw_build_symbol(dim);
        const int64_t *known =
            symbol ? mw_map_find_text(&build->sizes, symbol) : NULL;
        int64_t size = known ? *known : dim->value;
        if ((known || dim->value > 0) && size != found->axis[i].size)
            return false;
    }
    return true;
}

static mw_status shape_text(mw_onnx_build *build, const mw_tensor *tensor,
                            const char **text)
{
    const char *so_far = "[";
    for (int i = 0; i < tensor->rank && so_far; i++)
        so_far =
            mw_arena_format(build->arena, "%s%s%lld", so_far, i ? ", " : "",
                            (long long)tensor->axis[i].size);
    *text = so_far ? mw_arena_format(build->arena, "%s]", so_far) : NULL;
    return *text ? MW_OK : MW_ENOMEM;
}

static mw_status check_value(mw_onnx_build *build,
                             const mw_onnx_value *declared, const char *what)
{
    const int64_t *id = mw_map_find_text(&build->scope->value, declared->name);
    if (!id || !declared->is_tensor)
        return MW_OK;
    const mw_tensor *found = &build->graph.tensor[*id];
    mw_dtype dtype;
    bool same_type =
        !mw_dtype_by_onnx(declared->elem_type, &dtype) || dtype == found->dtype;
    if (same_type && (!declared->has_shape || fits(build, declared, found)))
        return MW_OK;
    if (++build->n_warned > WARNINGS_MAX)
        return MW_OK;
    const char *text;
    MW_TRY(shape_text(build, found, &text));
    mw_warn(build->ctx,
            "%s '%s' is declared with another %s than the %s%s it "
            "has, which is used",
            what, declared->name, same_type ? "shape" : "type",
            same_type ? "" : mw_dtype_name(found->dtype), text);
    return MW_OK;
}

mw_status mw_build_check_declared(mw_onnx_build *build)
{
    const mw_onnx_graph *graph = &build->model->graph;
    for (int64_t i = 0; i < graph->n_out; i++)
        MW_TRY(check_value(build, &graph->out[i], "output"));
    for (int64_t i = 0; i < graph->n_infos; i++)
        MW_TRY(check_value(build, &graph->info[i], "value"));
    if (build->n_warned > WARNINGS_MAX)
        mw_warn(build->ctx, "%lld more declared shapes differ",
                (long long)(build->n_warned - WARNINGS_MAX));
    return MW_OK;
}
