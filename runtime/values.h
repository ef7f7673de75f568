/*
 * values.h - the values that come from outside: inputs, parameters, constants.
 *
 * A parameter's are where the model says, unless a weights file has them; an
 * input's are in the files given, and if none is, made from the seed; whatever
 * is stored nowhere is made from the seed. A made value depends on seed, tensor
 * and index alone, so each rank makes just its block.
 */
#ifndef MW_RUNTIME_VALUES_H
#define MW_RUNTIME_VALUES_H

#include "ir/graph.h"
#include "runtime/strided.h"
#include "runtime/tensor_file.h"

typedef struct mw_values {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_graph *graph;
    uint64_t seed;
    const void **whole; /* of each tensor: dense row-major; NULL: not stored */
    int64_t *below;     /* of integer inputs: made values lie in [0, below) */
    bool *some;         /* of these: only chosen values have to */
    int n_given;        /* inputs that files gave */
    mw_tensor_file **file;
    int64_t n_files, cap_files;
} mw_values;

/* graph's tensors hold where values are; it is borrowed. source: the model's
 * file, beside which the files lie that its text names. MW_EINPUT: values
 * cannot be read. */
mw_status mw_values_open(mw_arena *arena, const mw_graph *graph,
                         const char *source, uint64_t seed,
                         mw_values *values) MW_MUST_CHECK;
void mw_values_close(mw_values *values);

/* "NAME=F.npy", or a file whose arrays are called NAME or in:NAME. MW_EUSAGE:
 * no such input; MW_EINPUT: type or shape are not the input's. */
mw_status mw_values_input(mw_values *values, const char *option) MW_MUST_CHECK;

/* Parameters that the file has, by name; MW_EINPUT as above, or it has none. */
mw_status mw_values_weights(mw_values *values, const char *path) MW_MUST_CHECK;

/* Opens a file of arrays that lives as long as the values. */
mw_status mw_values_file(mw_values *values, const char *path,
                         mw_tensor_file **file) MW_MUST_CHECK;

/* Array i of such a file as the values of a tensor. MW_EINPUT: type or shape
 * are not the tensor's. */
mw_status mw_values_take(mw_values *values, mw_tensor_file *file, int i,
                         mw_id tensor) MW_MUST_CHECK;

/* MW_EUSAGE: some inputs are given and others not. */
mw_status mw_values_check(const mw_values *values) MW_MUST_CHECK;

/* Writes the box of a tensor, dense, to block. */
void mw_values_block(const mw_values *values, mw_id tensor, const mw_box *box,
                     void *block);

/* The whole tensor, in the arena or where it is. */
mw_status mw_values_whole(mw_values *values, mw_id tensor,
                          const void **whole) MW_MUST_CHECK;

#endif
