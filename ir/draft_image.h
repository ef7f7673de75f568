/*
 * draft_image.h - layers over spatial dimensions, one to three of them: images
 * "batch channels height width", volumes "batch channels depth height width".
 */
#ifndef MW_IR_DRAFT_IMAGE_H
#define MW_IR_DRAFT_IMAGE_H

#include "ir/draft_layers.h"

enum { MW_MAX_SPACE = 3 };

/* Spatial dims of one resolution. */
typedef struct mw_space {
    int n;
    const char *dim[MW_MAX_SPACE];
} mw_space;

/* A convolution, or pooling, along every spatial dim alike. */
typedef struct mw_taps {
    int64_t taps, stride, pad;
} mw_taps;

/* The dims of what comes out: the same where sizes stay, else new ones derived
 * `how`: "conv", "pool". Keys that leave nothing are refused. */
mw_space mw_draft_shrink(mw_draft *net, const mw_space *from,
                         const mw_taps *taps, const char *how);

/* "batch CHANNELS height width". */
const char *mw_draft_image_dims(mw_draft *net, const char *channels,
                                const mw_space *space);

typedef struct mw_convolution {
    const char *name;      /* of NAME.weight, NAME.bias */
    const char *from, *to; /* channels */
    mw_taps taps;
    bool bias;
    double gain; /* of the weight; 0 standing for 1 */
} mw_convolution;
/* *space becomes that of the result. */
mw_id mw_draft_conv(mw_draft *net, mw_id x, const mw_convolution *conv,
                    mw_space *space);

/* From `space` to the finer `to`: each element is spread over taps; no pad. */
mw_id mw_draft_conv_up(mw_draft *net, mw_id x, const mw_convolution *conv,
                       const mw_space *to);
/* The greatest of each window. *space becomes that of the result. */
mw_id mw_draft_pool_max(mw_draft *net, mw_id x, const char *channels,
                        const mw_taps *taps, mw_space *space);

/* Over all but the channels, by mean and variance of the batch, or by stored
 * ones, as the key `norm` says. Parameters NAME.weight, 0 at first if quiet,
 * and NAME.bias, if affine. */
#define MW_KEY_NORM                                                            \
    {                                                                          \
        "norm", "auto", 0, 0, "auto|batch|stored", false,                      \
            "mean and variance: of the batch, as in training, or stored "      \
            "ones; "                                                           \
            "auto: of the batch if there is a loss"                            \
    }
typedef struct mw_batch_norm {
    const char *name, *channels;
    bool affine, quiet;
} mw_batch_norm;
mw_id mw_draft_batch_norm(mw_draft *net, mw_id x, const mw_batch_norm *norm,
                          const mw_space *space);

/* Mean over the spatial dims. */
mw_id mw_draft_pool_all(mw_draft *net, mw_id x, const mw_space *space);

#endif
