/*
 * attention.h - two products with maps between, a block of rows at a time, so
 * that the scores between them are never whole in memory.
 *
 * The body's first op is a product of two operands; its result, the scores, has
 * the dims of the space. Maps and reductions along one of them, the key,
 * follow; reduced values may be read again (a softmax). The last op, another
 * product, sums over the key: its result has all other dims of the space. So
 * whatever is done for one point of those is done without the others; the key
 * is whole on every rank, and so is what the first product sums over.
 */
#ifndef MW_IR_ATTENTION_H
#define MW_IR_ATTENTION_H

#include "ir/op.h"

enum {
    MW_ATTENTION_OPS = 40, /* at most, of a body */
    MW_ATTENTION_ARGS = 3, /* operands of such an op */
    MW_ATTENTION_IN = 20,
    MW_ATTENTION_TENSORS = 96,
    MW_ATTENTION_LANES = 8 /* that threads may share */
};

typedef struct mw_attention {
    const mw_graph *body;
    mw_id scores, result; /* tensors of the body */
    mw_id key;            /* dims of the body */
    /* The dim of the space that block after block is taken of: in no operand
     * that has the key but the scores'; MW_NONE: there is none. The others of
     * the space, the outer ones, are gone through one by one. */
    mw_id row;
} mw_attention;

const mw_graph *mw_attention_body(const mw_op *op);

/* What is wrong with the body, or NULL. */
const char *mw_attention_find(const mw_graph *body, mw_attention *found);

/* A dim of the space that is neither key nor row. */
bool mw_attention_is_outer(const mw_attention *a, mw_id dim);
/* A product of the body, not a map or a reduction. */
bool mw_attention_is_product(const mw_op *inner);

/* A product as matrices: the operands that have the rows and the columns of
 * its result as it lies, and where neighbours lie in each, in elements. */
typedef struct mw_attention_matrix {
    mw_id tensor;
    int64_t row, column; /* strides; one of them is 1 */
} mw_attention_matrix;

typedef struct mw_attention_product {
    int64_t m, n, k;
    mw_attention_matrix a, b, c; /* m x k, k x n, m x n */
    bool m_is_row;               /* else n is: of the space's row */
} mw_attention_product;

/* What a product does for all of the row's elements at one point of the outer
 * dims, extents of the body's dims being those; scores and what is as large
 * are dense, rows of keys. False: an operand's elements do not lie so. */
bool mw_attention_product_of(const mw_attention *a, const mw_op *inner,
                             const int64_t extent[],
                             mw_attention_product *product);

/* Where the row's neighbours, or those of another dim, lie; 0: it lacks it. */
int64_t mw_attention_stride(const mw_graph *body, mw_id tensor, mw_id dim,
                            const int64_t extent[]);

/* Rows of a block, and the bytes that a lane needs, multiples of 64: two
 * blocks of scores and, for each op, a row. */
int64_t mw_attention_rows(const mw_attention *a, const int64_t extent[]);
int64_t mw_attention_block_bytes(const mw_attention *a, const int64_t extent[]);
int64_t mw_attention_row_bytes(const mw_attention *a, const int64_t extent[]);
int64_t mw_attention_lane_bytes(const mw_attention *a, const int64_t extent[]);
int64_t mw_attention_lanes(const mw_attention *a, const int64_t extent[]);

/* Extents of the body's dims in these blocks. */
void mw_attention_extents(const mw_attention *a, const mw_op *op,
                          const mw_view in[], const mw_view out[],
                          int64_t extent[]);

#endif
