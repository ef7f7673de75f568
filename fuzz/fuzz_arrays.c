/* fuzz_arrays.c - array files: the first byte says which kind, the rest is the
 * file. What is read describes itself rightly, or the failure has a message. */
#include <stdio.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "runtime/npy.h"
#include "runtime/tensor_file.h"

// Every byte of every array is looked at, so that a checker sees it.
static mw_status read_all(mw_tensor_file *file)
{
    unsigned sum = 0;
    for (int i = 0; i < file->n_arrays; i++) {
        const void *data = NULL;
        mw_array measured = file->array[i];
        MW_TRY(mw_tensor_file_data(file, i, &data));
        if (!mw_array_measure(&measured) ||
            measured.bytes != file->array[i].bytes)
            return mw_fail(file->ctx, MW_EBUG, "'%s' has %lld bytes",
                           file->array[i].name,
                           (long long)file->array[i].bytes);
        for (int64_t k = 0; k < file->array[i].bytes; k++)
            sum += ((const unsigned char *)data)[k];
    }
    (void)sum;
    return MW_OK;
}

static mw_status read_file(mw_ctx *ctx, const char *path)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    mw_tensor_file *file = NULL;
    mw_status status = mw_tensor_file_open(ctx, &arena, path, &file);
    if (status == MW_OK)
        status = read_all(file);
    mw_tensor_file_close(file);
    mw_arena_free(&arena);
    return status;
}

static mw_status run(mw_ctx *ctx, const uint8_t *data, size_t size)
{
    static const char *const endings[] = {"npy", "npz", "safetensors"};
    char path[64];
    (void)snprintf(path, sizeof path, "/dev/shm/mw-fuzz-%ld.%s", (long)getpid(),
                   endings[size ? data[0] % 3 : 0]);
    FILE *file = fopen(path, "wb");
    if (!file)
        return mw_fail(ctx, MW_ERUN, "%s cannot be written", path);
    if (size > 1)
        (void)fwrite(data + 1, 1, size - 1, file);
    (void)fclose(file);
    mw_status status = read_file(ctx, path);
    (void)unlink(path);
    return status;
}

const mw_fuzz_def mw_fuzz_arrays = {"arrays", run};
