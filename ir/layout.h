/*
 * layout.h - how a tensor lies on a mesh, and which block a rank holds.
 *
 * Each mesh axis has one role: it splits an axis of the tensor, or the tensor
 * is replicated over it, or partial over it. Several mesh axes may split one
 * tensor axis; the first in mesh order is the major one. Blocks nest and may
 * be uneven: n elements over p ranks make blocks of ceil(n/p), the last ones
 * short or empty; each block is divided again by the next axis.
 */
#ifndef MW_IR_LAYOUT_H
#define MW_IR_LAYOUT_H

#include "ir/mesh.h"
#include "ir/op.h"

enum { MW_REPLICATED = -1, MW_PARTIAL = -2 };

typedef struct mw_layout {
    int8_t role[MW_MAX_MESH]; /* tensor axis, MW_REPLICATED or MW_PARTIAL;
                                 MW_REPLICATED past the mesh's axes */
    uint8_t reduce;           /* mw_reduce of the partial axes, or 0 */
} mw_layout;

/* [start, start + size) of an extent n. */
typedef struct mw_block {
    int64_t start, size;
} mw_block;

mw_layout mw_layout_replicated(void);
bool mw_layout_equal(const mw_layout *a, const mw_layout *b);
bool mw_layout_is_partial(const mw_layout *layout);

/* Why a tensor cannot lie so: a role that is no axis of it, a split axis
 * without dimension, a partial axis without kind. NULL when it can. */
const char *mw_layout_refusal(const mw_mesh *mesh, const mw_tensor *tensor,
                              const mw_layout *layout);

/* The same blocks with every mesh axis of length 1 replicated. */
mw_layout mw_layout_canonical(const mw_mesh *mesh, const mw_layout *layout);

/* Bit a: mesh axis a splits tensor axis `axis`. MW_PARTIAL and MW_REPLICATED
 * are asked for the same way. */
uint32_t mw_layout_axes(const mw_mesh *mesh, const mw_layout *layout, int axis);

/* "[batch@data, seq, d_ff@data@model] +model", "[batch] max+model"; axes
 * without dimension show their size. In the arena; NULL with MW_ENOMEM
 * recorded. */
char *mw_layout_text(mw_arena *arena, const mw_graph *graph,
                     const mw_tensor *tensor, const mw_mesh *mesh,
                     const mw_layout *layout);

/* The inverse, for --fix: also short forms "batch@data,d_ff@model", and with
 * the brackets of composite axes, "[seq, (heads@model d_head)]". MW_EUSAGE
 * names the unknown dimension or axis, or the axis used twice. */
mw_status mw_layout_parse(mw_ctx *ctx, const mw_graph *graph,
                          const mw_tensor *tensor, const mw_mesh *mesh,
                          const char *text, mw_layout *layout) MW_MUST_CHECK;

/* One division: block `index` of n elements over `count` ranks. */
mw_block mw_block_of(int64_t n, int64_t count, int64_t index);

/* The block of tensor axis `axis` (extent n) that the rank with these
 * coordinates holds. */
mw_block mw_layout_block(const mw_mesh *mesh, const mw_layout *layout, int axis,
                         int64_t n, const int64_t coord[MW_MAX_MESH]);

/* The whole box: block[i] of each axis. Returns its elements. */
int64_t mw_layout_box(const mw_mesh *mesh, const mw_layout *layout,
                      const mw_tensor *tensor, const int64_t coord[MW_MAX_MESH],
                      mw_block block[MW_MAX_RANK]);

/* Bytes of the largest rank's block (coordinates all 0: blocks nest, so the
 * first is the largest along every axis at once). */
int64_t mw_layout_bytes(const mw_mesh *mesh, const mw_layout *layout,
                        const mw_tensor *tensor);

#endif
