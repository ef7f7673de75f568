/*
 * key_rows.h - what an attention's maps and reductions make of one row of
 * scores, whose keys lie next to each other: each op is a dense loop over the
 * row, which stays in the first cache.
 *
 * Where a mask chooses scores, keys that no row of a block chooses are left
 * out, but for one beside them that stands for all; where a sum would miss
 * them, the row says so and is done again in full.
 */
#ifndef MW_RUNTIME_KEY_ROWS_H
#define MW_RUNTIME_KEY_ROWS_H

#include "ir/attention.h"
#include "ir/body.h"
#include "runtime/kernel.h"
#include "runtime/kernels/map.h"

typedef struct mw_key_step {
    const mw_op *op;
    mw_row_fn *fn;    /* of a map; NULL: its reference kernel */
    mw_fold_fn *fold; /* of a reduction; or NULL */
} mw_key_step;

/* A tensor of the body. */
typedef struct mw_key_value {
    bool along; /* it differs from key to key */
    bool wide;  /* a single value that some loop reads as a row */
    bool read;  /* by maps or reductions */
    int8_t input;
    int64_t item;
    int64_t key, row; /* an input's strides */
} mw_key_value;

typedef struct mw_key_program {
    const mw_kernel_call *call;
    const mw_attention *a;
    const int64_t *extent;
    mw_id weights; /* what the last product takes */
    int n_steps, n_masks;
    mw_key_step step[MW_ATTENTION_OPS];
    mw_key_value value[MW_ATTENTION_TENSORS];
    mw_id mask[MW_ATTENTION_OPS]; /* the inputs that choose scores */
    bool shares;  /* weights may lie where the row's scores do */
    bool uniform; /* keys that no mask chooses have all the same values */
} mw_key_program;

typedef struct mw_key_state {
    const mw_key_program *program;
    char *slots; /* a row for each of the body's tensors */
    int64_t slot_bytes;
    int64_t at[MW_ATTENTION_IN]; /* of each input, in elements */
    void *data[MW_ATTENTION_TENSORS];
    uint64_t single[MW_ATTENTION_TENSORS];
} mw_key_state;

void mw_key_program_make(mw_key_program *p, const mw_kernel_call *call,
                         const mw_attention *a, const int64_t extent[]);

/* slots: mw_attention_row_bytes() for each of the body's tensors. */
void mw_key_rows_start(mw_key_state *s, const mw_key_program *p, char *slots);

/* The keys that rows [row, row + n) choose; all, where there are no masks. */
mw_span mw_key_rows_chosen(const mw_key_state *s, int64_t row, int64_t n);

/* One row's weights of the keys in the span, at their places in the row. False:
 * keys beside the span would count, where the program is uniform. */
bool mw_key_rows_run(mw_key_state *s, int64_t row, mw_span keys, char *scores,
                     char *weights);

#endif
