/* hash.c - multiply and fold eight bytes at a time (Murmur3's finalizer mixes
 * at the end); SHA-256 is Nettle's. */
#include "base/hash.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

/* Bytes are put together by value, so that byte order does not matter. */
static uint64_t word(const unsigned char *p, size_t n)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

uint64_t mw_hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    uint64_t hash = mix(seed + UINT64_C(0x9e3779b97f4a7c15) * (size + 1));
    for (; size >= 8; size -= 8, p += 8)
        hash = mix(hash ^ word(p, 8)) * UINT64_C(0x9fb21c651e98df25);
    return mix(hash ^ word(p, size));
}

uint64_t mw_hash_text(uint64_t seed, const char *text)
{
    return mw_hash_bytes(seed, text, strlen(text));
}

uint64_t mw_hash_int(uint64_t seed, int64_t value)
{
    return mix(mix(seed + UINT64_C(0x9e3779b97f4a7c15)) ^ (uint64_t)value);
}

static void print_digest(struct sha256_ctx *sha, char hex[MW_SHA256_HEX])
{
    unsigned char digest[SHA256_DIGEST_SIZE];
    sha256_digest(sha, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

void mw_sha256_bytes(const void *bytes, size_t size, char hex[MW_SHA256_HEX])
{
    struct sha256_ctx sha;
    sha256_init(&sha);
    if (size)
        sha256_update(&sha, size, bytes);
    print_digest(&sha, hex);
}

mw_status mw_sha256_file(mw_ctx *ctx, const char *path, char hex[MW_SHA256_HEX])
{
    unsigned char buf[1 << 16];
    struct sha256_ctx sha;
    FILE *file = fopen(path, "rb");
    if (file) {
        sha256_init(&sha);
        size_t n;
        while ((n = fread(buf, 1, sizeof buf, file)) > 0)
            sha256_update(&sha, n, buf);
    }
    if (!file || ferror(file)) {
        int reason = errno;
        if (file)
            (void)fclose(file);
        mw_ctx_at(ctx, "%s", path);
        return mw_fail(ctx, MW_EINPUT, "cannot be read: %s", strerror(reason));
    }
    (void)fclose(file);
    print_digest(&sha, hex);
    return MW_OK;
}
