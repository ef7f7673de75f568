/*
 * status.h - how every fallible function of the library says what went wrong.
 *
 * A context carries the first failure, the position that was being read, and
 * the warnings. It belongs to one thread. The library never prints, exits or
 * aborts: the command does, from what stands here.
 */
#ifndef MW_BASE_STATUS_H
#define MW_BASE_STATUS_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MW_MUST_CHECK __attribute__((warn_unused_result))
#define MW_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define MW_API __attribute__((visibility("default")))
#else
#define MW_MUST_CHECK
#define MW_PRINTF(f, a)
#define MW_API
#endif

/* code, text, exit status of the command (DESIGN section 9) */
#define MW_STATUS_TABLE(X)                                                     \
    X(MW_OK, "ok", 0)                                                          \
    X(MW_EDIFFERS, "a result differs", 1)                                      \
    X(MW_EUSAGE, "wrong usage", 2)                                             \
    X(MW_EINPUT, "bad input", 3)                                               \
    X(MW_EINFEASIBLE, "no feasible layout", 4)                                 \
    X(MW_ERUN, "failure while running", 5)                                     \
    X(MW_ENOMEM, "out of memory", 5)                                           \
    X(MW_EBUG, "internal error", 6)

typedef enum mw_status {
#define MW_STATUS_ENUM(code, text, exit_status) code,
    MW_STATUS_TABLE(MW_STATUS_ENUM)
#undef MW_STATUS_ENUM
} mw_status;

enum { MW_MESSAGE_MAX = 2048, MW_WHERE_MAX = 512 };

typedef struct mw_warning {
    struct mw_warning *next;
    char text[];
} mw_warning;

typedef struct mw_ctx {
    mw_status status;             /* of the first failure */
    char message[MW_MESSAGE_MAX]; /* WHAT; further lines are hints */
    char where[MW_WHERE_MAX];     /* FILE:LINE:COL, node, tensor or option */
    const char *src_file;         /* C location of the first failure */
    int src_line;
    char pos[MW_WHERE_MAX];            /* input position being read, or "" */
    mw_warning *warning;               /* in the order given */
    const volatile sig_atomic_t *stop; /* set by a signal; NULL: never */
    struct mw_progress *progress;      /* base/progress.h; NULL: silent */
    int64_t n_alloc;                   /* allocations made so far */
    int64_t fail_alloc; /* the allocation that fails (tests); 0: none */
} mw_ctx;

void mw_ctx_init(mw_ctx *ctx);
void mw_ctx_free(mw_ctx *ctx);

/* Forgets a failure that the caller has dealt with. Warnings stay. */
void mw_ctx_clear(mw_ctx *ctx);

const char *mw_status_text(mw_status status);
int mw_status_exit(mw_status status);

/* Sets the input position ("net.mw:12:7", "node 'x'") that a failure names. */
void mw_ctx_at(mw_ctx *ctx, const char *format, ...) MW_PRINTF(2, 3);

/* Records a failure and returns its code. The first one wins. The message
 * names the thing, the value found and the value wanted, in lower case,
 * without a full stop; lines after the first are hints. The code stands in the
 * macro so that compilers and analyzers see that it is not MW_OK. */
#define mw_fail(ctx, code, ...)                                                \
    (mw_fail_at(ctx, code, __FILE__, __LINE__, __VA_ARGS__), (code))
void mw_fail_at(mw_ctx *ctx, mw_status code, const char *file, int line,
                const char *format, ...) MW_PRINTF(5, 6);

/* Adds a warning; out of memory drops it. */
void mw_warn(mw_ctx *ctx, const char *format, ...) MW_PRINTF(2, 3);

/* Drops the warnings so far, as when the user has had them before. */
void mw_warn_forget(mw_ctx *ctx);

/* True once the user asked to stop (Ctrl-C). */
bool mw_stopped(const mw_ctx *ctx);

/* Something else ends the command: what had to be saved is not, say. */
void mw_stop_forget(mw_ctx *ctx);

/* Returns early; only where nothing outside an arena is held. */
#define MW_TRY(call)                                                           \
    do {                                                                       \
        mw_status mw_try_status_ = (call);                                     \
        if (mw_try_status_ != MW_OK)                                           \
            return mw_try_status_;                                             \
    } while (0)

#endif
