/* model_options.c - from command line to import options. */
#include "cli/model_options.h"

#include <string.h>

#include "base/file.h"
#include "base/units.h"
#include "runtime/tensor_file.h"

static mw_status read_sizes(mw_arena *arena, const mw_args *args,
                            mw_import_options *options)
{
    int n = (int)mw_args_count(args, "dim");
    mw_size_option *size = MW_NEW_ARRAY(arena, n, mw_size_option);
    if (!size)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        const char *text = mw_args_item(args, "dim", i), *value;
        MW_TRY(mw_args_pair(arena, "dim", text, &size[i].name, &value));
        if (!mw_int_parse(value, &size[i].size) || size[i].size < 0) {
            mw_ctx_at(arena->ctx, "--dim");
            return mw_fail(arena->ctx, MW_EUSAGE,
                           "the size of '%s' is '%s', wanted a number",
                           size[i].name, value);
        }
        for (int k = 0; k < i; k++) {
            if (strcmp(size[k].name, size[i].name) != 0)
                continue;
            mw_ctx_at(arena->ctx, "--dim");
            return mw_fail(arena->ctx, MW_EUSAGE, "'%s' is given twice",
                           size[i].name);
        }
    }
    options->size = size;
    options->n_sizes = n;
    return MW_OK;
}

static mw_status read_pairs(mw_arena *arena, const mw_args *args,
                            mw_import_options *options)
{
    int n = (int)mw_args_count(args, "const");
    mw_const_option *fixed = MW_NEW_ARRAY(arena, n, mw_const_option);
    if (!fixed)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++)
        MW_TRY(mw_args_pair(arena, "const", mw_args_item(args, "const", i),
                            &fixed[i].input, &fixed[i].value));
    options->constant = fixed;
    options->n_constants = n;
    n = (int)mw_args_count(args, "name");
    mw_rename_option *rename = MW_NEW_ARRAY(arena, n, mw_rename_option);
    if (!rename)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++)
        MW_TRY(mw_args_pair(arena, "name", mw_args_item(args, "name", i),
                            &rename[i].from, &rename[i].to));
    options->rename = rename;
    options->n_renames = n;
    return MW_OK;
}

mw_status mw_model_options_set(mw_arena *arena, const mw_args *args,
                               mw_import_options *options)
{
    int n = (int)mw_args_count(args, "set");
    const char **set = MW_NEW_ARRAY(arena, n, const char *);
    if (!set)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++)
        set[i] = mw_args_item(args, "set", i);
    options->set = set;
    options->n_set = n;
    return MW_OK;
}

/* Arrays "in:NAME" or NAME; "out:" ones are what a run gives. */
static mw_status read_shapes(mw_arena *arena, const char *path,
                             mw_import_options *options)
{
    mw_tensor_file *file;
    MW_TRY(mw_tensor_file_open(arena->ctx, arena, path, &file));
    mw_shape_option *shape =
        MW_NEW_ARRAY(arena, file->n_arrays, mw_shape_option);
    int n = 0;
    for (int i = 0; shape && i < file->n_arrays; i++) {
        const mw_array *array = &file->array[i];
        bool marked = strncmp(array->name, "in:", 3) == 0;
        if (strncmp(array->name, "out:", 4) == 0 || array->rank > MW_MAX_RANK)
            continue;
        shape[n].input = mw_arena_text(arena, array->name + (marked ? 3 : 0));
        if (!shape[n].input)
            break;
        shape[n].rank = array->rank;
        for (int a = 0; a < array->rank; a++)
            shape[n].size[a] = array->size[a];
        n++;
    }
    mw_tensor_file_close(file);
    options->shape = shape;
    options->n_shapes = n;
    return arena->ctx->status;
}

mw_status mw_model_options_read(mw_arena *arena, const mw_args *args,
                                mw_import_options *options)
{
    mw_import_options read = {0};
    MW_TRY(read_sizes(arena, args, &read));
    MW_TRY(read_pairs(arena, args, &read));
    MW_TRY(mw_model_options_set(arena, args, &read));
    read.check_ties = mw_args_has(args, "check-ties");
    read.unroll = mw_args_has(args, "unroll");
    const char *path = mw_args_text(args, "sizes-from");
    if (path)
        MW_TRY(read_shapes(arena, path, &read));
    *options = read;
    return MW_OK;
}
