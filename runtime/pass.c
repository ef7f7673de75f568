/* pass.c - pieces through the first cache, and writes past all of them. */
#include "runtime/pass.h"

#include <stdio.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    PIECE = 512,    /* bytes: those of all sources are on their way at a time */
    LINE = 64,      /* of the caches */
    MAX_CACHES = 8, /* that a processor has */
    USUAL_CACHE = 32 << 20
};

#if defined(__SSE2__)
// dst = src in whole lines, past the caches.
static void stream_lines(char *dst, const char *src, int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += LINE) {
        const __m128i *from = (const __m128i *)(const void *)(src + at);
        __m128i *to = (__m128i *)(void *)(dst + at);
        __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
        __m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
        _mm_stream_si128(to, a);
        _mm_stream_si128(to + 1, b);
        _mm_stream_si128(to + 2, c);
        _mm_stream_si128(to + 3, d);
    }
}

static void end_stream(void)
{
    _mm_sfence();
}
#else
static void stream_lines(char *dst, const char *src, int64_t bytes)
{
    memcpy(dst, src, (size_t)bytes);
}

static void end_stream(void)
{
}
#endif

static void put(bool far, char *dst, const char *src, int64_t bytes)
{
    int64_t head = (LINE - (int64_t)((uintptr_t)dst % LINE)) % LINE;
    if (!far || bytes < head + LINE) {
        memmove(dst, src, (size_t)bytes);
        return;
    }
    int64_t lines = (bytes - head) / LINE * LINE, tail = bytes - head - lines;
    memcpy(dst, src, (size_t)head);
    stream_lines(dst + head, src + head, lines);
    memcpy(dst + head + lines, src + head + lines, (size_t)tail);
}

// Bytes that lie together in every block, from these places on.
static void run_dense(const mw_pass *pass, int64_t src, int64_t dst,
                      int64_t bytes)
{
    _Alignas(LINE) char sum[PIECE];
    for (int64_t at = 0; at < bytes; at += PIECE) {
        int64_t n = bytes - at < PIECE ? bytes - at : PIECE;
        const char *value = pass->src[0] + src + at;
        if (pass->n_src > 1) {
            memcpy(sum, value, (size_t)n);
            for (int i = 1; i < pass->n_src; i++)
                pass->combine(sum, pass->src[i] + src + at, n / pass->item);
            value = sum;
        }
        for (int i = 0; i < pass->n_dst; i++)
            put(pass->far, pass->dst[i] + dst + at, value, n);
    }
}

// Shorter runs than a piece: one block after the other.
static void run_strided(const mw_pass *pass, const mw_strided *what)
{
    for (int k = 0; k < pass->n_dst; k++) {
        mw_strided_run(what, pass->src[0], pass->dst[k]);
        for (int i = 1; i < pass->n_src; i++)
            mw_strided_combine(what, pass->item, pass->combine, pass->src[i],
                               pass->dst[k]);
    }
}

void mw_pass_run(const mw_pass *pass, const mw_strided *what)
{
    if (what->empty)
        return;
    if (what->n > 0 && what->run < PIECE) {
        run_strided(pass, what);
        return;
    }
    mw_strided_walk walk = {{0}, 0, 0};
    do
        run_dense(pass, what->src_offset + walk.src,
                  what->dst_offset + walk.dst, what->run);
    while (mw_strided_advance(what, &walk, what->n - 1));
    if (pass->far)
        end_stream();
}

int64_t mw_cache_bytes(void)
{
    int64_t bytes = 0;
    for (int i = 0; i < MAX_CACHES; i++) {
        char path[96];
        long long kib = 0;
        (void)snprintf(path, sizeof path,
                       "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        FILE *file = fopen(path, "r");
        if (!file)
            break;
        if (fscanf(file, "%lldK", &kib) == 1 && kib << 10 > bytes)
            bytes = kib << 10;
        (void)fclose(file);
    }
    return bytes > 0 ? bytes : USUAL_CACHE;
}
