/* model.c - from the settings of a built-in model to its graph. */
#include "ir/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/units.h"
#include "ir/verify.h"

/* ---- what there is ---- */

const mw_model_def *mw_model_find(const char *name)
{
    for (int i = 0; i < mw_model_count; i++)
        if (strcmp(mw_model_table[i]->name, name) == 0)
            return mw_model_table[i];
    return NULL;
}

const mw_model_preset *mw_model_preset_find(const mw_model_def *def,
                                            const char *name)
{
    for (const mw_model_preset *p = def->presets; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

static void join(mw_arena *arena, char **list, const char *name)
{
    if (*list)
        *list =
            mw_arena_format(arena, "%s%s%s", *list, **list ? ", " : "", name);
}

char *mw_model_names(mw_arena *arena)
{
    char *list = mw_arena_text(arena, "");
    for (int i = 0; i < mw_model_count; i++)
        join(arena, &list, mw_model_table[i]->name);
    return list;
}

char *mw_model_key_names(mw_arena *arena, const mw_model_def *def)
{
    char *list = mw_arena_text(arena, def->presets ? "preset" : "");
    for (const mw_model_key *key = def->keys; key->name; key++)
        join(arena, &list, key->name);
    return list;
}

char *mw_model_preset_names(mw_arena *arena, const mw_model_def *def)
{
    char *list = mw_arena_text(arena, "");
    for (const mw_model_preset *p = def->presets; p && p->name; p++)
        join(arena, &list, p->name);
    return list;
}

/* ---- settings ---- */

typedef struct settings {
    mw_arena *arena;
    mw_ctx *ctx;
    const mw_model_def *def;
    const mw_model_preset *preset;
    int n_keys;
    const char **text; /* of each key, as given or by default */
    bool *given;       /* by the caller */
    mw_model_value *value;
} settings;

static int key_index(const settings *s, const char *name)
{
    for (int i = 0; i < s->n_keys; i++)
        if (strcmp(s->def->keys[i].name, name) == 0)
            return i;
    return MW_NONE;
}

static mw_status unknown_key(const settings *s, const char *name)
{
    char *names = mw_model_key_names(s->arena, s->def);
    mw_near near;
    mw_near_init(&near, name);
    for (int i = 0; i < s->n_keys; i++)
        mw_near_try(&near, s->def->keys[i].name);
    if (!names)
        return MW_ENOMEM;
    return mw_fail(s->ctx, MW_EUSAGE,
                   "model '%s' has no key '%s'%s%s%s\nits keys: %s",
                   s->def->name, name, near.best ? "; did you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "", names);
}

static mw_status unknown_preset(const settings *s, const char *name)
{
    char *names = mw_model_preset_names(s->arena, s->def);
    mw_near near;
    mw_near_init(&near, name);
    for (const mw_model_preset *p = s->def->presets; p && p->name; p++)
        mw_near_try(&near, p->name);
    if (!names)
        return MW_ENOMEM;
    return mw_fail(s->ctx, MW_EUSAGE,
                   "model '%s' has no preset '%s'%s%s%s\nits presets: %s",
                   s->def->name, name, near.best ? "; did you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "",
                   *names ? names : "none");
}

// "KEY=VALUE" of the command line.
static mw_status take_given(settings *s, const char *text)
{
    const char *equal = strchr(text, '=');
    if (!equal || equal == text)
        return mw_fail(s->ctx, MW_EUSAGE, "is '%s', wanted KEY=VALUE", text);
    char *key = mw_arena_format(s->arena, "%.*s", (int)(equal - text), text);
    if (!key)
        return MW_ENOMEM;
    if (s->def->presets && strcmp(key, "preset") == 0) {
        if (s->preset)
            return mw_fail(s->ctx, MW_EUSAGE, "'preset' is given twice");
        s->preset = mw_model_preset_find(s->def, equal + 1);
        return s->preset ? MW_OK : unknown_preset(s, equal + 1);
    }
    int i = key_index(s, key);
    if (i == MW_NONE)
        return unknown_key(s, key);
    if (s->given[i])
        return mw_fail(s->ctx, MW_EUSAGE, "'%s' is given twice", key);
    s->given[i] = true;
    s->text[i] = equal + 1;
    return MW_OK;
}

// "layers=12 d_model=768", where nothing else was given.
static mw_status take_preset(settings *s)
{
    char *at = mw_arena_text(s->arena, s->preset ? s->preset->set : "");
    char *rest = NULL;
    if (!at)
        return MW_ENOMEM;
    for (char *pair = strtok_r(at, " ", &rest); pair;
         pair = strtok_r(NULL, " ", &rest)) {
        char *equal = strchr(pair, '=');
        *equal = '\0';
        int i = key_index(s, pair);
        if (i == MW_NONE)
            return mw_fail(s->ctx, MW_EBUG, "preset '%s' sets '%s'",
                           s->preset->name, pair);
        if (!s->given[i])
            s->text[i] = equal + 1;
    }
    return MW_OK;
}

static mw_status take_word(settings *s, int i)
{
    const mw_model_key *key = &s->def->keys[i];
    const char *word = key->words;
    size_t length = strlen(s->text[i]);
    for (int64_t k = 0; *word; k++) {
        size_t n = strcspn(word, "|");
        if (n == length && strncmp(word, s->text[i], n) == 0) {
            s->value[i] = (mw_model_value){.whole = k, .real = (double)k};
            return MW_OK;
        }
        word += n + (word[n] == '|');
    }
    return mw_fail(s->ctx, MW_EUSAGE, "%s is '%s', wanted %s", key->name,
                   s->text[i], key->words);
}

static mw_status check_range(settings *s, int i)
{
    const mw_model_key *key = &s->def->keys[i];
    double value = s->value[i].real;
    if (value >= key->min && value <= key->max)
        return MW_OK;
    return mw_fail(s->ctx, MW_EUSAGE, "%s is %.15g, wanted %.15g to %.15g",
                   key->name, value, key->min, key->max);
}

static mw_status take_number(settings *s, int i)
{
    mw_model_value value = {0};
    const char *text = s->text[i];
    bool whole = mw_int_parse(text, &value.whole);
    if (whole)
        value.real = (double)value.whole;
    else if (!s->def->keys[i].real || !mw_real_parse(text, &value.real))
        return mw_fail(s->ctx, MW_EUSAGE, "%s is '%s', wanted a%s number",
                       s->def->keys[i].name, text,
                       s->def->keys[i].real ? "" : " whole");
    s->value[i] = value;
    return check_range(s, i);
}

// A default "4*d_model" or "d_model/heads": numbers and earlier keys.
static mw_status take_product(settings *s, int i)
{
    int64_t product = 1;
    char sign = '*';
    for (const char *at = s->text[i]; sign;) {
        size_t n = strcspn(at, "*/");
        char *word = mw_arena_format(s->arena, "%.*s", (int)n, at);
        int64_t factor;
        if (!word)
            return MW_ENOMEM;
        if (!mw_int_parse(word, &factor)) {
            int k = key_index(s, word);
            if (k == MW_NONE || k >= i)
                return mw_fail(s->ctx, MW_EBUG, "%s by default: '%s'",
                               s->def->keys[i].name, word);
            factor = s->value[k].whole;
        }
        if (sign == '/' && (factor == 0 || product % factor != 0))
            return mw_fail(s->ctx, MW_EUSAGE,
                           "%s is %s by default, but %lld does not divide "
                           "%lld: set %s",
                           s->def->keys[i].name, s->text[i], (long long)factor,
                           (long long)product, s->def->keys[i].name);
        product = sign == '/' ? product / factor : product * factor;
        sign = at[n];
        at += n + 1;
    }
    s->value[i] = (mw_model_value){.whole = product, .real = (double)product};
    return check_range(s, i);
}

static mw_status evaluate(settings *s, int i)
{
    const mw_model_key *key = &s->def->keys[i];
    if (key->words)
        return take_word(s, i);
    // what a default or a preset says may be a product
    bool product = !s->given[i] && strpbrk(s->text[i], "*/_abcdefghijklm"
                                                       "nopqrstuvwxyz");
    return product ? take_product(s, i) : take_number(s, i);
}

static mw_status read_settings(settings *s, const char *const set[], int n)
{
    while (s->def->keys[s->n_keys].name)
        s->n_keys++;
    s->text = MW_NEW_ARRAY(s->arena, s->n_keys, const char *);
    s->given = MW_NEW_ARRAY(s->arena, s->n_keys, bool);
    s->value = MW_NEW_ARRAY(s->arena, s->n_keys, mw_model_value);
    if (!s->text || !s->given || !s->value)
        return MW_ENOMEM;
    for (int i = 0; i < s->n_keys; i++)
        s->text[i] = s->def->keys[i].otherwise;
    mw_ctx_at(s->ctx, "--set");
    for (int i = 0; i < n; i++)
        MW_TRY(take_given(s, set[i]));
    MW_TRY(take_preset(s));
    for (int i = 0; i < s->n_keys; i++)
        MW_TRY(evaluate(s, i));
    mw_ctx_at(s->ctx, "%s", "");
    return MW_OK;
}

/* ---- the graph ---- */

static mw_status unknown_model(mw_arena *arena, const char *name)
{
    char *names = mw_model_names(arena);
    mw_near near;
    mw_near_init(&near, name);
    for (int i = 0; i < mw_model_count; i++)
        mw_near_try(&near, mw_model_table[i]->name);
    if (!names)
        return MW_ENOMEM;
    return mw_fail(arena->ctx, MW_EUSAGE,
                   "'%s' is no built-in model%s%s%s\nthere are: %s", name,
                   near.best ? "; did you mean '" : "",
                   near.best ? near.best : "", near.best ? "'?" : "", names);
}

static mw_dtype dtype_of(const settings *s)
{
    static const mw_dtype dtypes[] = {MW_F32, MW_F64, MW_BF16, MW_F16};
    return dtypes[s->value[key_index(s, "dtype")].whole];
}

mw_status mw_model_build(mw_arena *arena, const char *name,
                         const char *const set[], int n, mw_graph *graph)
{
    settings s = {
        .arena = arena, .ctx = arena->ctx, .def = mw_model_find(name)};
    mw_draft net;
    if (!s.def)
        return unknown_model(arena, name);
    MW_TRY(read_settings(&s, set, n));
    MW_TRY(mw_graph_init(graph, arena, s.preset ? s.preset->name : name));
    graph->named = true;
    mw_draft_init(&net, graph);
    net.def = s.def;
    net.value = s.value;
    net.dtype = dtype_of(&s);
    s.def->build(&net);
    MW_TRY(net.status);
    mw_ctx_at(arena->ctx, "%s", "");
    MW_TRY(mw_graph_interference(graph));
    return mw_verify(graph);
}

int64_t mw_model_parameters(const mw_graph *graph)
{
    int64_t total = 0;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (graph->tensor[t].role == MW_ROLE_PARAM)
            total += mw_tensor_elements(&graph->tensor[t]);
    return total;
}
