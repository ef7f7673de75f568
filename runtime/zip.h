/*
 * zip.h - the part of zip that numpy writes: stored and deflated entries,
 * zip64 sizes. No encryption, no spanning, no folders.
 */
#ifndef MW_RUNTIME_ZIP_H
#define MW_RUNTIME_ZIP_H

#include "base/arena.h"

typedef struct mw_zip_entry {
    const char *name;
    bool packed; /* deflated, else stored */
    uint32_t crc;
    int64_t offset, packed_bytes; /* in the file */
    int64_t bytes;                /* unpacked */
} mw_zip_entry;

/* The entries of the archive that fills bytes[0, length). MW_EINPUT. */
mw_status mw_zip_list(mw_arena *arena, const unsigned char *bytes,
                      int64_t length, mw_zip_entry **entry,
                      int *n_entries) MW_MUST_CHECK;

/* The first n unpacked bytes of an entry; its checksum is compared when n is
 * all of them. */
mw_status mw_zip_read(mw_ctx *ctx, const unsigned char *bytes,
                      const mw_zip_entry *entry, void *dst,
                      int64_t n) MW_MUST_CHECK;

#endif
