/* train_options.c - "adam,lr=1e-3,schedule=cosine,…" as numbers. */
#include <math.h>
#include <string.h>

#include "base/near.h"
#include "base/units.h"
#include "ir/train.h"

typedef struct reader {
    mw_arena *arena;
    mw_train_options *options;
} reader;

/* Keys that every optimizer takes, with the least they may be. */
typedef struct key {
    const char *name;
    size_t at; /* of a double in the options */
    double least;
} key;

#define KEY(name, member, least)                                               \
    {                                                                          \
        name, offsetof(mw_train_options, member), least                        \
    }
static const key keys[] = {
    KEY("lr", rate, 0),   KEY("warmup", warmup, 0), KEY("steps", steps, 1),
    KEY("init", init, 0), KEY("end", end, 0),       KEY("clip", clip, 0),
};
enum { N_KEYS = sizeof keys / sizeof keys[0] };

static mw_status unknown(reader *r, const char *what, mw_near *near)
{
    return mw_fail(r->arena->ctx, MW_EUSAGE, "%s is unknown%s%s%s", what,
                   near->best ? "; did you mean '" : "",
                   near->best ? near->best : "", near->best ? "'?" : "");
}

static mw_status read_optimizer(reader *r, const char *name)
{
    mw_near near;
    mw_near_init(&near, name);
    for (int i = 0; i < mw_optimizer_count; i++) {
        mw_near_try(&near, mw_optimizer_table[i]->name);
        if (strcmp(mw_optimizer_table[i]->name, name) == 0)
            r->options->optimizer = mw_optimizer_table[i];
    }
    if (r->options->optimizer)
        return MW_OK;
    const char *what = mw_arena_format(r->arena, "optimizer '%s'", name);
    return what ? unknown(r, what, &near) : MW_ENOMEM;
}

static mw_status read_schedule(reader *r, const char *name)
{
    mw_near near;
    mw_near_init(&near, name);
    for (const mw_schedule_def *s = mw_schedules; s->name; s++) {
        mw_near_try(&near, s->name);
        if (strcmp(s->name, name) != 0)
            continue;
        r->options->schedule = s;
        return MW_OK;
    }
    const char *what = mw_arena_format(r->arena, "schedule '%s'", name);
    return what ? unknown(r, what, &near) : MW_ENOMEM;
}

static mw_status number(reader *r, const char *name, const char *text,
                        double least, double *value)
{
    double found = 0;
    if (mw_real_parse(text, &found) && found >= least && isfinite(found)) {
        *value = found;
        return MW_OK;
    }
    return mw_fail(r->arena->ctx, MW_EUSAGE,
                   "%s is '%s', wanted a number of at least %g", name, text,
                   least);
}

static mw_status read_accumulate(reader *r, const char *text)
{
    int64_t n = 0;
    if (mw_int_parse(text, &n) && n >= 1 && n <= 1 << 30) {
        r->options->accumulate = n;
        return MW_OK;
    }
    return mw_fail(r->arena->ctx, MW_EUSAGE,
                   "accumulate is '%s', wanted a number of gradients from 1",
                   text);
}

// A key of the optimizer's own; false when it has none such.
static mw_status read_hyper(reader *r, const char *name, const char *text,
                            bool *known)
{
    const mw_hyper *hyper = r->options->optimizer->hyper;
    *known = false;
    for (int i = 0; hyper && hyper[i].name; i++) {
        if (strcmp(hyper[i].name, name) != 0)
            continue;
        *known = true;
        return number(r, name, text, 0, &r->options->hyper[i]);
    }
    return MW_OK;
}

static mw_status unknown_key(reader *r, const char *name)
{
    mw_near near;
    mw_near_init(&near, name);
    for (int i = 0; i < N_KEYS; i++)
        mw_near_try(&near, keys[i].name);
    mw_near_try(&near, "schedule");
    mw_near_try(&near, "accumulate");
    const mw_hyper *hyper = r->options->optimizer->hyper;
    for (int i = 0; hyper && hyper[i].name; i++)
        mw_near_try(&near, hyper[i].name);
    const char *what = mw_arena_format(r->arena, "key '%s' of %s", name,
                                       r->options->optimizer->name);
    return what ? unknown(r, what, &near) : MW_ENOMEM;
}

static mw_status read_pair(reader *r, char *pair)
{
    char *equal = strchr(pair, '=');
    bool known;
    if (!equal)
        return mw_fail(r->arena->ctx, MW_EUSAGE,
                       "'%s' is no KEY=VALUE: adam,lr=1e-3,warmup=100", pair);
    *equal = '\0';
    const char *text = equal + 1;
    if (strcmp(pair, "schedule") == 0)
        return read_schedule(r, text);
    if (strcmp(pair, "accumulate") == 0)
        return read_accumulate(r, text);
    MW_TRY(read_hyper(r, pair, text, &known));
    if (known)
        return MW_OK;
    for (int i = 0; i < N_KEYS; i++) {
        void *value = (char *)r->options + keys[i].at;
        if (strcmp(keys[i].name, pair) == 0)
            return number(r, pair, text, keys[i].least, value);
    }
    return unknown_key(r, pair);
}

// Pairs before this one are cut into "KEY\0VALUE\0" each.
static mw_status given_once(reader *r, const char *first, const char *pair)
{
    size_t length = strcspn(pair, "=");
    for (const char *name = first; name < pair;) {
        if (strlen(name) == length && strncmp(name, pair, length) == 0)
            return mw_fail(r->arena->ctx, MW_EUSAGE,
                           "%s is given twice, wanted once", name);
        const char *value = name + strlen(name) + 1;
        name = value + strlen(value) + 1;
    }
    return MW_OK;
}

// "NAME,KEY=VALUE,…"; the copy is cut to pieces.
static mw_status read_text(reader *r, char *text)
{
    char *next = strchr(text, ',');
    if (next)
        *next++ = '\0';
    MW_TRY(read_optimizer(r, text));
    r->options->rate = r->options->optimizer->rate;
    const mw_hyper *hyper = r->options->optimizer->hyper;
    for (int i = 0; hyper && hyper[i].name; i++)
        r->options->hyper[i] = hyper[i].otherwise;
    const char *first = next;
    while (next) {
        char *pair = next;
        next = strchr(pair, ',');
        if (next)
            *next++ = '\0';
        MW_TRY(given_once(r, first, pair));
        MW_TRY(read_pair(r, pair));
    }
    return MW_OK;
}

static mw_status read_remat(reader *r, const char *remat)
{
    static const char *const words[] = {"none", "full", "auto"};
    for (int i = 0; i < 3; i++)
        if (strcmp(remat, words[i]) == 0) {
            r->options->remat = words[i];
            return MW_OK;
        }
    mw_ctx_at(r->arena->ctx, "--remat");
    return mw_fail(r->arena->ctx, MW_EUSAGE,
                   "'%s' is none of none, full and auto", remat);
}

mw_status mw_train_options_read(mw_arena *arena, const char *text,
                                const char *loss, const char *remat,
                                mw_train_options *options)
{
    mw_train_options made = {.schedule = mw_schedules,
                             .steps = 10000,
                             .accumulate = 1,
                             .text = mw_arena_text(arena, text)};
    reader r = {.arena = arena, .options = &made};
    char *cut = mw_arena_text(arena, text);
    made.loss = mw_arena_text(arena, loss ? loss : "cross-entropy");
    if (!made.text || !cut || !made.loss)
        return MW_ENOMEM;
    mw_ctx_at(arena->ctx, "--train");
    MW_TRY(read_text(&r, cut));
    MW_TRY(read_remat(&r, remat ? remat : "none"));
    mw_ctx_at(arena->ctx, "%s", "");
    *options = made;
    return MW_OK;
}
