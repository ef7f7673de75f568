/*
 * files.h - the files of a model: the one named, and external data beside it.
 *
 * Nothing outside the model's folder is opened, whatever the model says:
 * neither by "..", nor by an absolute path, nor through a symbolic link.
 */
#ifndef MW_IR_IMPORT_FILES_H
#define MW_IR_IMPORT_FILES_H

#include "base/file.h"
#include "ir/import.h"

/* An empty set that is to be closed by mw_import_close(); NULL with MW_ENOMEM
 * recorded. */
mw_import_files *mw_files_new(mw_ctx *ctx, mw_arena *arena) MW_MUST_CHECK;

/* Maps a file, once however often it is asked for. */
mw_status mw_files_map(mw_import_files *files, const char *path,
                       mw_map_file *map) MW_MUST_CHECK;

/* Closes a map with the others from now on; on failure it stays the caller's.
 */
mw_status mw_files_keep(mw_import_files *files,
                        const mw_map_file *map) MW_MUST_CHECK;

/* The real path and the length of external data `location` of a model.
 * MW_EINPUT: missing, not a regular file, or outside the model's folder. */
mw_status mw_files_beside(mw_import_files *files, const char *model,
                          const char *location, const char **path,
                          int64_t *length) MW_MUST_CHECK;

/* The end of whoever opened a set: on MW_OK hands it to the caller, else closes
 * it. Returns status. */
mw_status mw_files_give(mw_status status, mw_import_files *opened,
                        mw_import_files **files) MW_MUST_CHECK;

#endif
