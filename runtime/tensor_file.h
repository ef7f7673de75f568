/*
 * tensor_file.h - arrays in files: .npy, .npz (stored, deflated, zip64) and
 * .safetensors are read, .npy is written.
 *
 * Opening maps the file and reads names, types and shapes; the values of an
 * array are made available one array at a time, straight from the mapping
 * where the file holds them dense, row-major and aligned, else through a
 * buffer. Whatever a file claims is checked against its length before memory
 * is asked for. Values are little-endian; a file in another byte order is
 * refused, never misread.
 */
#ifndef MW_RUNTIME_TENSOR_FILE_H
#define MW_RUNTIME_TENSOR_FILE_H

#include "base/file.h"
#include "ir/graph.h"

typedef struct mw_array {
    const char *name; /* .npy: the file's name without folder and ending */
    mw_dtype dtype;
    int rank;
    int64_t size[MW_MAX_FILE_RANK];
    int64_t bytes;
} mw_array;

/* Where an array's bytes are. */
typedef struct mw_array_source {
    int64_t offset, packed_bytes; /* in the file */
    int64_t skip;  /* bytes of the unpacked entry before the values */
    int64_t total; /* bytes of the unpacked entry */
    uint32_t crc;  /* of the unpacked entry; checked when `packed` */
    bool packed;   /* deflated */
    bool in_zip;
    bool fortran; /* the first axis varies fastest */
    bool vague;   /* the file tells no float of 8 bits from another */
    void *buffer; /* owned; NULL: not needed, or not yet */
} mw_array_source;

typedef struct mw_tensor_file {
    mw_ctx *ctx;      /* borrowed */
    const char *path; /* in the arena */
    mw_map_file map;
    int n_arrays;
    mw_array *array;
    mw_array_source *source;
    const struct mw_json *notes; /* .safetensors: texts about it, or NULL */
} mw_tensor_file;

/* Reads by ending. MW_EINPUT: no such file, or not what its ending says; the
 * message names file, array and what was wanted. The file lives until
 * mw_tensor_file_close(), its descriptions as long as the arena. */
mw_status mw_tensor_file_open(mw_ctx *ctx, mw_arena *arena, const char *path,
                              mw_tensor_file **file) MW_MUST_CHECK;

/* The elements of array i may be of this type. */
bool mw_tensor_file_is(const mw_tensor_file *file, int i, mw_dtype dtype);

/* The array called prefix + name, else the one called name; MW_NONE. */
int mw_tensor_file_find(const mw_tensor_file *file, const char *prefix,
                        const char *name);

/* The values of array i, dense and row-major, aligned for the type; they live
 * until the file is closed. MW_EINPUT: damaged. */
mw_status mw_tensor_file_data(mw_tensor_file *file, int i,
                              const void **data) MW_MUST_CHECK;

/* The same, as they lie in the file where that is dense and row-major: perhaps
 * unaligned, but only what is looked at is read. */
mw_status mw_tensor_file_bytes(mw_tensor_file *file, int i,
                               const unsigned char **bytes) MW_MUST_CHECK;

enum { MW_SHAPE_TEXT_MAX = 256 };

/* "[2, 16]", cut off where it is longer than the room. */
const char *mw_shape_text(int rank, const int64_t size[],
                          char text[MW_SHAPE_TEXT_MAX]);

/* Accepts NULL. */
void mw_tensor_file_close(mw_tensor_file *file);

/* Writes array->bytes of data as a .npy beside its final name and renames it,
 * so that a reader sees all or nothing. The array's name is not used. MW_ERUN
 * names the path and what the system said. */
mw_status mw_npy_write(mw_ctx *ctx, const char *path, const mw_array *array,
                       const void *data) MW_MUST_CHECK;

#endif
