/*
 * model.h - the registry of built-in models: one model, one file,
 * ir/models/NAME.c, that exports
 *
 *     const mw_model_def mw_model_NAME = {...};
 *
 * A row says which keys a model takes, with defaults and ranges, which
 * published sizes it knows, and how its graph is built (ir/draft.h).
 */
#ifndef MW_IR_MODEL_H
#define MW_IR_MODEL_H

#include "ir/draft.h"

/* A key that `--set KEY=VALUE` gives a value. Its default is a number, one of
 * its words, or a product of numbers and earlier keys: "4*d_model",
 * "d_model/heads" (which must divide). */
typedef struct mw_model_key {
    const char *name; /* NULL ends the list */
    const char *otherwise;
    double min, max;   /* of numbers */
    const char *words; /* "f32|f64", the value is the place; or NULL */
    bool real;         /* not only whole numbers */
    const char *help;
} mw_model_key;

/* A published size. */
typedef struct mw_model_preset {
    const char *name; /* NULL ends the list */
    const char *set;  /* "layers=12 d_model=768" */
    /* The released checkpoint's parameters; 0 where none was released. */
    int64_t parameters;
    const char *figure; /* the paper's, "175B"; NULL when `parameters` says */
    const char *source;
} mw_model_preset;

typedef struct mw_model_def {
    const char *name;
    const char *brief;
    const mw_model_key *keys;
    const mw_model_preset *presets;
    bool own_loss; /* the usual one in training: key `loss`, result `loss` */
    void (*build)(mw_draft *net); /* a failure stays in net->status */
} mw_model_def;

extern const mw_model_def *const mw_model_table[];
extern const int mw_model_count;

/* The value of a key. */
typedef struct mw_model_value {
    int64_t whole; /* of a word: its place */
    double real;
} mw_model_value;

/* NULL when there is none. */
const mw_model_def *mw_model_find(const char *name);
const mw_model_preset *mw_model_preset_find(const mw_model_def *def,
                                            const char *name);

/* Names joined by ", " in the arena; NULL with MW_ENOMEM recorded. */
char *mw_model_names(mw_arena *arena);
char *mw_model_key_names(mw_arena *arena, const mw_model_def *def);
char *mw_model_preset_names(mw_arena *arena, const mw_model_def *def);

/* Builds the model of a name into a graph that it initialises in the arena, by
 * n settings "KEY=VALUE". The graph is verified. MW_EUSAGE: the name, a key or
 * a value is none, with what there is. */
mw_status mw_model_build(mw_arena *arena, const char *name,
                         const char *const set[], int n,
                         mw_graph *graph) MW_MUST_CHECK;

/* Elements of all its parameters. */
int64_t mw_model_parameters(const mw_graph *graph);

/* Keys that many models have; every model has the dtype. */
#define MW_KEY_DTYPE                                                           \
    {                                                                          \
        "dtype", "f32", 0, 0, "f32|f64|bf16|f16", false,                       \
            "of parameters and activations"                                    \
    }
#define MW_KEY_LAYERS(n)                                                       \
    {                                                                          \
        "layers", n, 1, 10000, NULL, false, "equal blocks"                     \
    }
#define MW_KEY_SIZE(key, value, what)                                          \
    {                                                                          \
        key, value, 1, 1e12, NULL, false, what                                 \
    }
#define MW_KEY_TIED                                                            \
    {                                                                          \
        "tied", "1", 0, 1, NULL, false, "one table for tokens in and out"      \
    }
#define MW_KEY_DROPOUT                                                         \
    {                                                                          \
        "dropout", "0", 0, 0.99, NULL, true,                                   \
            "share of elements set to 0 in training"                           \
    }
#define MW_KEY_LOSS                                                            \
    {                                                                          \
        "loss", "0", 0, 1, NULL, false,                                        \
            "labels as an input, the loss a result"                            \
    }

#endif
