/*
 * stablehlo_call.h - what a rule of StableHLO (ir/import/stablehlo/NAME.c)
 * sees: one operation with its operands as tensors of the positional graph,
 * which it writes in primitives with the calls of ir/import/emit.h.
 *
 * JAX writes every broadcast out. A value is kept as what it was before (its
 * axes of size 1 standing for the broadcast ones) with the sizes that it is
 * meant to have; maps work on it so, and it is only made whole where a rule
 * needs it whole. So a mask, a bias or a constant has no more elements than in
 * a model that broadcasts by itself.
 */
#ifndef MW_IR_IMPORT_STABLEHLO_CALL_H
#define MW_IR_IMPORT_STABLEHLO_CALL_H

#include "ir/import/build.h"
#include "ir/import/emit.h"
#include "ir/import/stablehlo.h"

enum { MW_HLO_MAX_IN = 4096 }; /* operands of an operation */

typedef struct mw_hlo_value {
    mw_id id;
    const int64_t *full; /* sizes it stands for; NULL: its own */
} mw_hlo_value;

/* Values by name; those of a region are looked for outwards. */
typedef struct mw_hlo_scope {
    struct mw_hlo_scope *outer;
    mw_map name; /* -> its first value and how many there are */
    int64_t n_values, cap_values;
    mw_hlo_value *value;
} mw_hlo_scope;

typedef struct mw_hlo_build {
    mw_onnx_build base; /* graph, folder and names, shared with ONNX */
    const mw_hlo_module *module;
    mw_hlo_scope *scope;
    int depth;        /* of calls and regions */
    int64_t ops_left; /* that may still be visited; bodies repeat */
    int whole;        /* regions of reductions: tensors stand for elements */
} mw_hlo_build;

typedef struct mw_hlo_call {
    mw_onnx_call emit; /* for the calls of emit.h */
    mw_hlo_build *build;
    const mw_hlo_op *op;
    const struct mw_hlo_rule *rule;
    int n_in, n_out;
    mw_hlo_value *in, *out;
} mw_hlo_call;

typedef struct mw_hlo_rule {
    const char *op;
    int min_in, max_in; /* max_in < 0: any number */
    const char *attrs;  /* that it reads, separated by spaces; "*": any */
    mw_status (*build)(mw_hlo_call *call);
    const char *arg; /* what the rules of a table differ in */
} mw_hlo_rule;

typedef struct mw_hlo_def {
    const char *brief;
    const mw_hlo_rule *rules; /* up to the first without op */
} mw_hlo_def;

extern const mw_hlo_def *const mw_hlo_table[];
extern const int mw_hlo_count;

/* NULL when there is none. */
const mw_hlo_rule *mw_hlo_find(const char *op);

/* A failure of the call, MW_EINPUT, at the operation's place. The code stands
 * in the macro as in mw_fail(). */
#define mw_hlo_refuse(call, ...)                                               \
    (mw_hlo_refuse_with(call, __VA_ARGS__), MW_EINPUT)
void mw_hlo_refuse_with(mw_hlo_call *call, const char *format, ...)
    MW_PRINTF(2, 3);

/* ---- operands and results ---- */

/* Operand i made whole. */
mw_id mw_hlo_in(mw_hlo_call *call, int i);

/* A value made whole; its sizes and rank. */
mw_id mw_hlo_whole(mw_hlo_call *call, mw_hlo_value value);
int mw_hlo_shape(mw_hlo_call *call, mw_hlo_value value, int64_t shape[]);

/* A constant of equal elements: the bits of one. */
mw_id mw_hlo_fill(mw_hlo_call *call, mw_dtype dtype, uint64_t bits,
                  const int64_t shape[], int rank);

/* A map over values as they are; the result stands for the operands' sizes. */
mw_hlo_value mw_hlo_map(mw_hlo_call *call, const char *def,
                        const mw_hlo_value in[], int n);

/* What `make` makes of the operands (which have one size, or are scalars) as
 * they are. */
typedef mw_id mw_hlo_make(mw_onnx_call *emit, const mw_id in[], int n,
                          const char *arg);
mw_hlo_value mw_hlo_apply(mw_hlo_call *call, mw_hlo_make *make,
                          const mw_hlo_value in[], int n, const char *arg);

/* Sets result i; the status of the call. */
mw_status mw_hlo_set(mw_hlo_call *call, int i, mw_id id);
mw_status mw_hlo_set_value(mw_hlo_call *call, int i, mw_hlo_value value);

/* The written type of result i; NULL after a failure. */
const mw_hlo_type *mw_hlo_out_type(mw_hlo_call *call, int i);

/* Its sizes, all known; the rank, or -1 after a failure. */
int mw_hlo_out_shape(mw_hlo_call *call, int i, int64_t shape[]);
mw_dtype mw_hlo_out_dtype(mw_hlo_call *call, int i);

/* ---- attributes ---- */

const mw_hlo_item *mw_hlo_attr(const mw_hlo_call *call, const char *name);
int64_t mw_hlo_int(mw_hlo_call *call, const char *name, int64_t otherwise);

/* A word among the attributes without name, or the text of one with it. */
bool mw_hlo_has_word(const mw_hlo_call *call, const char *word);
const char *mw_hlo_word_of(mw_hlo_call *call, const char *name);

/* The numbers of a list or a dense constant, as many as wanted (wanted < 0:
 * any); `otherwise` when there is none. Nested lists are taken in order. */
typedef struct mw_hlo_ints {
    bool given;
    int n;
    const int64_t *v;
} mw_hlo_ints;
mw_hlo_ints mw_hlo_ints_of(mw_hlo_call *call, const mw_hlo_item *item);
mw_hlo_ints mw_hlo_list(mw_hlo_call *call, const char *name, int wanted,
                        int64_t otherwise);

/* The integers of an operand that is known without running; not given when it
 * is not known. */
mw_hlo_ints mw_hlo_known(mw_hlo_call *call, int i);

/* ---- regions and functions ---- */

/* Visits a block in a scope of its own (isolated: it sees no other): in[] are
 * its arguments, *out what its last operation returns. */
mw_status mw_hlo_region(mw_hlo_call *call, const mw_hlo_block *block,
                        const mw_hlo_value in[], int n, mw_hlo_value out[],
                        int n_out) MW_MUST_CHECK;
mw_status mw_hlo_function(mw_hlo_call *call, const char *name) MW_MUST_CHECK;

/* The reduction that a block of two arguments is: "add", "mul", "max", "min",
 * "and", "or"; "second" when it returns the second one; NULL: another. */
const char *mw_hlo_reducer(const mw_hlo_block *block);

/* The same of an operation's name. */
const char *mw_hlo_reducer_of(const char *op);

#endif
