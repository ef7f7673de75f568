/*
 * gpt_onnx.h - writes a GPT as an exporter does: an ONNX file of small ops,
 * shapes worked out by nodes, weights in a file beside it that is sparse and
 * takes no room on the disk.
 */
#ifndef MW_TESTS_GPT_ONNX_H
#define MW_TESTS_GPT_ONNX_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gpt_sizes {
    int layers;
    int64_t d_model, heads, vocab, positions;
} gpt_sizes;

/* Writes NAME.onnx and NAME.bin into the scratch folder; its input is
 * ids[batch, seq]. Sets how long the two are; false when there is no room for
 * a sparse file. */
bool gpt_onnx_write(const char *name, const gpt_sizes *sizes,
                    int64_t *graph_bytes, int64_t *weight_bytes);

#endif
