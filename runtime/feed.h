/*
 * feed.h - examples for training: which of them go into a batch, and a rank's
 * part of them.
 *
 * An *example* is one row of a batch. In a file of arrays it is one row of the
 * first axis of each; in a file of tokens (one long list of integers, or any
 * other file's bytes) example w is the window of seq + 1 tokens from w * seq
 * on: the first seq of them are the input, the last seq the labels. A table of
 * integers with rows of seq + 1 has its windows already. Examples
 * stand in one endless row: all of them in an order drawn from the seed, then
 * all of them in another, and so on. Position p of it is the same whatever the
 * mesh is, and can be found without the positions before. Files stay mapped;
 * of values that are stored plainly a rank looks at its own part alone.
 */
#ifndef MW_RUNTIME_FEED_H
#define MW_RUNTIME_FEED_H

#include "runtime/strided.h"
#include "runtime/tensor_file.h"

typedef struct mw_feed_spec {
    const char *path;
    const char *labels; /* the input that labels go to; NULL: by its name */
    uint64_t seed;
    bool in_order;        /* as in the file, over and over */
    const int64_t *below; /* of each tensor: integers must lie below */
    const bool *some;     /* of these: only some must, of unknown labels */
    bool has_ignored;
    int64_t ignored; /* a label that counts nowhere */
} mw_feed_spec;

/* Where an input's elements come from: element k of example e is
 * values[e * stride + first + k]. */
typedef struct mw_feed_input {
    mw_id tensor;
    const char *name;      /* of the array, for messages */
    const mw_array *array; /* NULL: a list of bytes */
    const unsigned char *values;
    mw_dtype dtype;        /* of these */
    int64_t n;             /* of these */
    int64_t row;           /* elements of an example */
    int64_t stride, first; /* elements */
    bool fixed;            /* the array is the input, the same in each batch */
} mw_feed_input;

typedef struct mw_feed {
    mw_ctx *ctx; /* borrowed */
    const mw_graph *graph;
    mw_feed_spec spec;
    int64_t n_examples;
    int64_t batch;    /* examples of a batch */
    int64_t n_tokens; /* of an example; 0: the file has arrays */
    mw_feed_input *input;
    int n_inputs;
    mw_tensor_file *file; /* or NULL */
    mw_map_file bytes;
} mw_feed;

/* MW_EINPUT names the file and array, and what the model wants. The graph is
 * borrowed. */
mw_status mw_feed_open(mw_arena *arena, const mw_graph *graph,
                       const mw_feed_spec *spec, mw_feed *feed) MW_MUST_CHECK;
void mw_feed_close(mw_feed *feed);

/* Part `part` of `parts` of all values, looked at: MW_EINPUT names an integer
 * that lies in no table it is to be looked up in. */
mw_status mw_feed_check(const mw_feed *feed, int part, int parts) MW_MUST_CHECK;

/* The example at a position of the endless row. */
int64_t mw_feed_example(const mw_feed *feed, int64_t position);

/* Writes the box of an input, dense, to block: of the batch that begins at
 * that position. */
void mw_feed_block(const mw_feed *feed, int input, int64_t position,
                   const mw_box *box, void *block);

#endif
