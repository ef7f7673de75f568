/*
 * draft.h - how a built-in model is written: a formula over named dimensions.
 *
 * Every call takes tensors and returns one, and a tensor's axes are a text,
 * "batch seq (heads d_head)", of dimensions declared before; brackets group
 * them into one axis of a file's array. After a failure, which net->status
 * keeps, calls return MW_NONE and pass it on, so that a model never asks.
 *
 * Names of tensors follow the path that is entered: "h.3.attn.q.weight".
 */
#ifndef MW_IR_DRAFT_H
#define MW_IR_DRAFT_H

#include "base/map.h"
#include "ir/graph.h"

enum { MW_DRAFT_PATH_MAX = 128 };

typedef struct mw_draft {
    mw_graph *graph;
    mw_arena *arena;
    mw_status status;
    mw_dtype dtype; /* of parameters and activations */
    double epsilon; /* of norms, under the root */
    const struct mw_model_def *def;
    const struct mw_model_value *value; /* of each key */
    char path[MW_DRAFT_PATH_MAX];       /* before names */
    const char *as;                     /* name of the next result, or NULL */
    mw_map called;                      /* results by name, and how many */
    mw_map numbers;                     /* scalar constants */
    mw_id balance; /* sum of the balancing losses of mixtures, or MW_NONE */
} mw_draft;

void mw_draft_init(mw_draft *net, mw_graph *graph);

/* The value of a key of the model; of a word, its place. */
int64_t mw_draft_key(const mw_draft *net, const char *key);
double mw_draft_real(const mw_draft *net, const char *key);

/* Records MW_EUSAGE: keys that do not go together. */
#define mw_draft_refuse(net, ...)                                              \
    mw_draft_refuse_at(net, __FILE__, __LINE__, __VA_ARGS__)
void mw_draft_refuse_at(mw_draft *net, const char *file, int line,
                        const char *format, ...) MW_PRINTF(4, 5);

/* printf into the arena; "" after a failure. */
const char *mw_draft_text(mw_draft *net, const char *format, ...)
    MW_PRINTF(2, 3);

/* Goes one level into names; leave takes what enter returned. */
int mw_draft_enter(mw_draft *net, const char *format, ...) MW_PRINTF(2, 3);
void mw_draft_leave(mw_draft *net, int outer);

/* Declares a dimension; one that is there already must have that size. */
void mw_draft_dim(mw_draft *net, const char *name, int64_t size);
/* One of the size of a key of that name. */
void mw_draft_dim_key(mw_draft *net, const char *key);
/* The same of several; NULL ends them. */
void mw_draft_dim_keys(mw_draft *net, const char *const keys[]);
/* One derived from another: by "alias", "slice", "conv", … */
void mw_draft_dim_of(mw_draft *net, const char *name, int64_t size,
                     const char *of, const char *how);
int64_t mw_draft_size(mw_draft *net, const char *dim);

mw_id mw_draft_input(mw_draft *net, const char *name, mw_dtype dtype,
                     const char *dims);
/* A weight with its first values. */
mw_data mw_draft_normal(double deviation);
mw_data mw_draft_fill(double value);
mw_id mw_draft_param(mw_draft *net, const char *name, const char *dims,
                     mw_data first);
/* A constant all of whose elements are one value. */
mw_id mw_draft_const(mw_draft *net, const char *name, const char *dims,
                     double value);
/* Names the result of the next call that makes one op; else it is called after
 * its op. */
void mw_draft_as(mw_draft *net, const char *name);
/* Makes x a result of the model. */
void mw_draft_output(mw_draft *net, mw_id x);

/* Any op: in[] become a tensor of these dims and this type. */
typedef struct mw_draft_op {
    const char *def;
    const mw_id *in;
    int n_in;
    const mw_attr *attr;
    int n_attr;
    mw_dtype dtype; /* of the result */
    const char *dims;
} mw_draft_op;
mw_id mw_draft_add(mw_draft *net, const mw_draft_op *op);

/* Maps: the result has the dims of all operands. */
mw_id mw_draft_map(mw_draft *net, const char *def, const mw_id in[], int n);
mw_id mw_draft_map1(mw_draft *net, const char *def, mw_id a);
mw_id mw_draft_map2(mw_draft *net, const char *def, mw_id a, mw_id b);
mw_id mw_draft_where(mw_draft *net, mw_id condition, mw_id a, mw_id b);
/* x op number, the number in x's type. */
mw_id mw_draft_by(mw_draft *net, const char *def, mw_id x, double number);
mw_id mw_draft_number(mw_draft *net, mw_dtype dtype, double number);
mw_id mw_draft_cast(mw_draft *net, mw_id x, mw_dtype to);

mw_id mw_draft_einsum(mw_draft *net, mw_id a, mw_id b, const char *dims);
/* Without these dims. */
mw_id mw_draft_reduce(mw_draft *net, const char *def, mw_id x,
                      const char *dims);
mw_id mw_draft_mean(mw_draft *net, mw_id x, const char *dims);
mw_id mw_draft_rename(mw_draft *net, mw_id x, const char *dims);
/* Rows of a table by index along a dim of the table. */
mw_id mw_draft_gather(mw_draft *net, mw_id table, mw_id index, const char *dim);
/* count elements of `dim` from start, as another dim. */
mw_id mw_draft_slice(mw_draft *net, mw_id x, const char *dim, const char *to,
                     int64_t start);
/* One after the other along `dim` of the result; one that lacks it counts 1. */
mw_id mw_draft_concat(mw_draft *net, const mw_id in[], int n, const char *dim,
                      const char *dims);
/* 0, 1, … along a dim. */
mw_id mw_draft_iota(mw_draft *net, const char *dim, mw_dtype dtype);

/* A body (ir/body.h) run for each index of a dim. It is a draft of its own,
 * opened with the dims that it shares with the net, whose inputs are the
 * operands in order; `result` are tensors of it: the carries, then what each
 * step gives, which gets `dim` before its own dims. */
enum { MW_MAX_RESULTS = 4 };
void mw_draft_open_body(mw_draft *body, mw_draft *net, const char *name,
                        const char *const dims[]);
typedef struct mw_draft_loop {
    mw_draft *body;
    const char *dim;
    const mw_id *in;
    int n_in, n_carries;
    int n_results;
    mw_id result[MW_MAX_RESULTS];
    const char *name[MW_MAX_RESULTS]; /* of the op's results */
} mw_draft_loop;
void mw_draft_scan(mw_draft *net, const mw_draft_loop *loop, mw_id out[]);

/* The type of a tensor, and its dims as text. */
mw_dtype mw_draft_dtype(const mw_draft *net, mw_id x);
const char *mw_draft_dims(mw_draft *net, mw_id x);

#endif
