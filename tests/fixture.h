/*
 * fixture.h - a context and an arena, which most suites that run commands need.
 */
#ifndef MW_TESTS_FIXTURE_H
#define MW_TESTS_FIXTURE_H

#include "base/arena.h"

typedef struct fixture {
    mw_ctx ctx;
    mw_arena arena;
} fixture;

static inline void open_fixture(fixture *f)
{
    mw_ctx_init(&f->ctx);
    mw_arena_init(&f->arena, &f->ctx);
}

static inline void close_fixture(fixture *f)
{
    mw_arena_free(&f->arena);
    mw_ctx_free(&f->ctx);
}

#endif
