/*
 * hash.h - 64-bit hashes for tables, SHA-256 for what is stored or compared.
 *
 * The 64-bit hash is the same on every machine and in every run, so that what
 * iterates by it is reproducible; it resists no attacker.
 */
#ifndef MW_BASE_HASH_H
#define MW_BASE_HASH_H

#include "base/status.h"

/* Hash of bytes, going on from `seed` (0, or the hash so far). */
uint64_t mw_hash_bytes(uint64_t seed, const void *bytes, size_t size);
uint64_t mw_hash_text(uint64_t seed, const char *text);
uint64_t mw_hash_int(uint64_t seed, int64_t value);

enum { MW_SHA256_HEX = 65 }; /* 64 lower-case digits and a NUL */

void mw_sha256_bytes(const void *bytes, size_t size, char hex[MW_SHA256_HEX]);

/* Of a whole file; MW_EINPUT when it cannot be read. */
mw_status mw_sha256_file(mw_ctx *ctx, const char *path,
                         char hex[MW_SHA256_HEX]) MW_MUST_CHECK;

#endif
