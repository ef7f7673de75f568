/*
 * wide.h - loops that are compiled for several instruction sets; the processor
 * they run on decides. Where a compiler or a sanitizer cannot do that, once.
 */
#ifndef MW_BASE_WIDE_H
#define MW_BASE_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define MW_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MW_WIDE
#endif

#endif
