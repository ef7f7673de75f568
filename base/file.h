/*
 * file.h - whole files in, whole files out.
 *
 * A file that is written appears under its name complete or not at all: bytes
 * go to a temporary file beside it, which is synced and renamed. A name that
 * is no regular file (a terminal, a pipe, /dev/null) is written straight.
 * Failures name the path and the system's reason: MW_EINPUT when reading,
 * MW_ERUN when writing, which is then how the command ends, asked to stop or
 * not.
 */
#ifndef MW_BASE_FILE_H
#define MW_BASE_FILE_H

#include "base/arena.h"

/* The bytes of a file and a NUL behind them, in the arena. */
mw_status mw_file_read(mw_arena *arena, const char *path, char **bytes,
                       size_t *size) MW_MUST_CHECK;

/* A regular file mapped read-only: for what is too large to copy. */
typedef struct mw_map_file {
    const unsigned char *bytes;
    size_t size;
} mw_map_file;

mw_status mw_map_file_open(mw_ctx *ctx, const char *path,
                           mw_map_file *map) MW_MUST_CHECK;
void mw_map_file_close(mw_map_file *map);

/* Takes some of a map's bytes out of memory; they are read again when wanted.
 */
void mw_map_file_drop(const void *bytes, size_t size);

/* Writes size bytes as the whole file. */
mw_status mw_file_write(mw_ctx *ctx, const char *path, const void *bytes,
                        size_t size) MW_MUST_CHECK;

/* A file written piece by piece. Without a commit, close takes back what was
 * written. */
typedef struct mw_out {
    mw_ctx *ctx;
    int fd;
    char *path, *temp; /* NULL: closed */
    bool straight;
} mw_out;

mw_status mw_out_open(mw_ctx *ctx, const char *path, mw_out *out) MW_MUST_CHECK;
mw_status mw_out_add(mw_out *out, const void *bytes, size_t size) MW_MUST_CHECK;
mw_status mw_out_commit(mw_out *out) MW_MUST_CHECK;
void mw_out_close(mw_out *out);

/* "folder/name" beside another file: the folder of `file`, then `name`;
 * NULL with MW_ENOMEM recorded. */
char *mw_path_beside(mw_arena *arena, const char *file,
                     const char *name) MW_MUST_CHECK;

/* A folder to write files in, made where there is none yet. MW_ERUN names it:
 * something else is there, or it may not be written. */
mw_status mw_folder_make(mw_ctx *ctx, const char *path) MW_MUST_CHECK;

/* Whether two names stand for one regular file that there is. */
bool mw_file_same(const char *a, const char *b);

/* The last part of a path, inside it. */
const char *mw_path_name(const char *path);

/* The extension with its dot, inside the path; "" for none. */
const char *mw_path_ext(const char *path);

#endif
