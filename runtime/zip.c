/* zip.c - reads the central directory, then entries by its word. */
#include "runtime/zip.h"

#include <limits.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

enum {
    END_BYTES = 22,
    END_COMMENT_MAX = 65535,
    LOCATOR_BYTES = 20,
    END64_BYTES = 56,
    CENTRAL_BYTES = 46,
    LOCAL_BYTES = 30,
    EXTRA_ZIP64 = 1,
    STORED = 0,
    DEFLATED = 8,
    FLAG_ENCRYPTED = 1,
    RATIO_MAX = 1032 /* deflate cannot do better */
};

static const uint32_t sig_end = 0x06054b50, sig_locator = 0x07064b50,
                      sig_end64 = 0x06064b50, sig_central = 0x02014b50,
                      sig_local = 0x04034b50;

/* An archive, and where its directory lies. */
typedef struct archive {
    mw_arena *arena;
    const unsigned char *bytes;
    int64_t length;
    uint64_t n_entries, dir_offset, dir_bytes;
} archive;

static uint32_t get16(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const unsigned char *p)
{
    return get16(p) | get16(p + 2) << 16;
}

static uint64_t get64(const unsigned char *p)
{
    return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static bool inside(const archive *a, uint64_t offset, uint64_t bytes)
{
    uint64_t length = (uint64_t)a->length;
    return offset <= length && bytes <= length - offset;
}

// Offset of the end record, -1 when there is none: it is last, but for a
// comment whose length it gives.
static int64_t find_end(const archive *a)
{
    for (int64_t comment = 0; comment <= END_COMMENT_MAX; comment++) {
        int64_t at = a->length - END_BYTES - comment;
        if (at < 0)
            return -1;
        if (get32(a->bytes + at) == sig_end &&
            get16(a->bytes + at + 20) == (uint32_t)comment)
            return at;
    }
    return -1;
}

static mw_status read_end64(archive *a, int64_t end)
{
    mw_ctx *ctx = a->arena->ctx;
    int64_t at = end - LOCATOR_BYTES;
    if (at < 0 || get32(a->bytes + at) != sig_locator)
        return MW_OK;
    uint64_t offset = get64(a->bytes + at + 8);
    if (!inside(a, offset, END64_BYTES) ||
        get32(a->bytes + offset) != sig_end64)
        return mw_fail(ctx, MW_EINPUT, "zip64: no end record at byte %llu",
                       (unsigned long long)offset);
    a->n_entries = get64(a->bytes + offset + 32);
    a->dir_bytes = get64(a->bytes + offset + 40);
    a->dir_offset = get64(a->bytes + offset + 48);
    return MW_OK;
}

static mw_status read_end(archive *a)
{
    mw_ctx *ctx = a->arena->ctx;
    int64_t end = find_end(a);
    if (end < 0)
        return mw_fail(ctx, MW_EINPUT, "not a zip archive: no end record");
    a->n_entries = get16(a->bytes + end + 10);
    a->dir_bytes = get32(a->bytes + end + 12);
    a->dir_offset = get32(a->bytes + end + 16);
    MW_TRY(read_end64(a, end));
    if (!inside(a, a->dir_offset, a->dir_bytes))
        return mw_fail(ctx, MW_EINPUT,
                       "zip directory at byte %llu is %llu long where the file "
                       "is %lld",
                       (unsigned long long)a->dir_offset,
                       (unsigned long long)a->dir_bytes, (long long)a->length);
    if (a->n_entries > a->dir_bytes / CENTRAL_BYTES || a->n_entries > INT_MAX)
        return mw_fail(
            ctx, MW_EINPUT, "zip directory of %llu bytes claims %llu entries",
            (unsigned long long)a->dir_bytes, (unsigned long long)a->n_entries);
    return MW_OK;
}

/* The directory's three sizes, which zip64 may hold in an extra field. */
typedef struct sizes {
    uint64_t bytes, packed, local;
} sizes;

static void read_extra(const unsigned char *p, uint32_t n, sizes *s)
{
    for (uint32_t at = 0; at + 4 <= n;) {
        uint32_t id = get16(p + at), length = get16(p + at + 2);
        if (length > n - at - 4)
            return;
        if (id == EXTRA_ZIP64) {
            uint64_t *field[] = {&s->bytes, &s->packed, &s->local};
            uint32_t pos = 0;
            for (int i = 0; i < 3; i++) {
                if (*field[i] != UINT32_MAX || pos + 8 > length)
                    continue;
                *field[i] = get64(p + at + 4 + pos);
                pos += 8;
            }
        }
        at += 4 + length;
    }
}

// The local header repeats the name; the values follow it.
static mw_status locate(const archive *a, mw_zip_entry *entry, const sizes *s)
{
    mw_ctx *ctx = a->arena->ctx;
    const unsigned char *local =
        inside(a, s->local, LOCAL_BYTES) ? a->bytes + s->local : NULL;
    if (!local || get32(local) != sig_local)
        return mw_fail(ctx, MW_EINPUT, "zip entry '%s': no header at byte %llu",
                       entry->name, (unsigned long long)s->local);
    uint64_t offset =
        s->local + LOCAL_BYTES + get16(local + 26) + get16(local + 28);
    if (!inside(a, offset, s->packed))
        return mw_fail(ctx, MW_EINPUT,
                       "zip entry '%s' is %llu bytes at byte %llu where the "
                       "file is %lld",
                       entry->name, (unsigned long long)s->packed,
                       (unsigned long long)offset, (long long)a->length);
    bool sane = entry->packed ? s->bytes / RATIO_MAX <= s->packed
                              : s->bytes == s->packed;
    if (!sane)
        return mw_fail(ctx, MW_EINPUT,
                       "zip entry '%s' claims %llu bytes out of %llu",
                       entry->name, (unsigned long long)s->bytes,
                       (unsigned long long)s->packed);
    entry->offset = (int64_t)offset;
    entry->packed_bytes = (int64_t)s->packed;
    entry->bytes = (int64_t)s->bytes;
    return MW_OK;
}

// Reads the directory record at *at and moves *at behind it.
static mw_status read_entry(const archive *a, uint64_t *at, mw_zip_entry *entry)
{
    mw_ctx *ctx = a->arena->ctx;
    uint64_t end = a->dir_offset + a->dir_bytes;
    const unsigned char *p = a->bytes + *at;
    if (end - *at < CENTRAL_BYTES || get32(p) != sig_central)
        return mw_fail(ctx, MW_EINPUT, "zip directory is damaged at byte %llu",
                       (unsigned long long)*at);
    uint32_t n_name = get16(p + 28), n_extra = get16(p + 30);
    uint64_t length =
        (uint64_t)CENTRAL_BYTES + n_name + n_extra + get16(p + 32);
    if (length > end - *at)
        return mw_fail(ctx, MW_EINPUT,
                       "zip directory ends within the record at byte %llu",
                       (unsigned long long)*at);
    char *name = mw_arena_alloc(a->arena, (size_t)n_name + 1, 1);
    if (!name)
        return MW_ENOMEM;
    memcpy(name, p + CENTRAL_BYTES, n_name);
    uint32_t method = get16(p + 10);
    if ((get16(p + 8) & FLAG_ENCRYPTED) ||
        (method != STORED && method != DEFLATED))
        return mw_fail(ctx, MW_EINPUT,
                       "zip entry '%s' has method %u%s, wanted 0 (stored) or "
                       "8 (deflated)",
                       name, method,
                       get16(p + 8) & FLAG_ENCRYPTED ? ", encrypted" : "");
    *entry = (mw_zip_entry){
        .name = name, .packed = method == DEFLATED, .crc = get32(p + 16)};
    sizes s = {get32(p + 24), get32(p + 20), get32(p + 42)};
    read_extra(p + CENTRAL_BYTES + n_name, n_extra, &s);
    *at += length;
    return locate(a, entry, &s);
}

mw_status mw_zip_list(mw_arena *arena, const unsigned char *bytes,
                      int64_t length, mw_zip_entry **entry, int *n_entries)
{
    archive a = {.arena = arena, .bytes = bytes, .length = length};
    MW_TRY(read_end(&a));
    int n = (int)a.n_entries;
    mw_zip_entry *list = MW_NEW_ARRAY(arena, n, mw_zip_entry);
    if (!list)
        return MW_ENOMEM;
    uint64_t at = a.dir_offset;
    for (int i = 0; i < n; i++)
        MW_TRY(read_entry(&a, &at, &list[i]));
    *entry = list;
    *n_entries = n;
    return MW_OK;
}

static uInt at_most(int64_t bytes)
{
    return bytes < INT_MAX ? (uInt)bytes : (uInt)INT_MAX;
}

// zlib counts in 32 bits: feed and drain by pieces.
static int inflate_some(z_stream *z, const unsigned char *src, int64_t n_src,
                        unsigned char *dst, int64_t n_dst)
{
    int64_t used = 0, made = 0;
    int status = Z_OK;
    while (made < n_dst && status == Z_OK) {
        uInt in = at_most(n_src - used), out = at_most(n_dst - made);
        z->next_in = src + used;
        z->avail_in = in;
        z->next_out = dst + made;
        z->avail_out = out;
        status = inflate(z, Z_NO_FLUSH);
        used += in - z->avail_in;
        made += out - z->avail_out;
    }
    return made == n_dst ? Z_OK : Z_DATA_ERROR;
}

static uint32_t checksum(const unsigned char *bytes, int64_t n)
{
    uLong crc = crc32(0, NULL, 0);
    for (int64_t at = 0; at < n;) {
        uInt piece = at_most(n - at);
        crc = crc32(crc, bytes + at, piece);
        at += piece;
    }
    return (uint32_t)crc;
}

mw_status mw_zip_read(mw_ctx *ctx, const unsigned char *bytes,
                      const mw_zip_entry *entry, void *dst, int64_t n)
{
    const unsigned char *src = bytes + entry->offset;
    if (!entry->packed) {
        memcpy(dst, src, (size_t)n);
    } else {
        z_stream z = {0};
        if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
            return mw_fail(ctx, MW_ENOMEM, "out of memory: inflate");
        int status = inflate_some(&z, src, entry->packed_bytes, dst, n);
        (void)inflateEnd(&z);
        if (status != Z_OK)
            return mw_fail(ctx, MW_EINPUT,
                           "zip entry '%s' does not unpack to %lld bytes",
                           entry->name, (long long)entry->bytes);
    }
    if (n == entry->bytes && checksum(dst, n) != entry->crc)
        return mw_fail(ctx, MW_EINPUT,
                       "zip entry '%s' is damaged: its checksum differs",
                       entry->name);
    return MW_OK;
}
