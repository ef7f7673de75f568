/*
 * layout_build.h - the parts of mw_space_build(), by kind of class. For
 * layout_*.c only.
 */
#ifndef MW_SEARCH_LAYOUT_BUILD_H
#define MW_SEARCH_LAYOUT_BUILD_H

#include "search/layout_intern.h"
#include "search/layout_space.h"

typedef struct mw_space_builder {
    mw_space *space;
    const mw_space_options *options;
    mw_key key;
    mw_intern ops, homes, links;
    int64_t cap_ops, cap_homes, cap_links, cap_link;
    /* Of each op class and operand: bit k, kind k of mw_reduce is among the
     * layouts in which it is taken or made. */
    uint8_t **in_kinds, **out_kinds;
    int64_t cap_in_kinds, cap_out_kinds;
    mw_intern pairs; /* of op classes with those states more */
    bool *optional;  /* of each tensor; or NULL */
} mw_space_builder;

/* The class of an op, tabulated when it is new. */
mw_status mw_space_op_class(mw_space_builder *builder, mw_id op,
                            int32_t *op_class) MW_MUST_CHECK;

/* The class of a root's homes; partial: the kind in which it may be kept. */
mw_status mw_space_home_class(mw_space_builder *builder, mw_id tensor,
                              mw_reduce partial,
                              int32_t *home_class) MW_MUST_CHECK;

/* ---- layout_pairs.c: only with pairs ---- */

/* Which tensors may be absent. */
mw_status mw_space_mark_optional(mw_space_builder *builder) MW_MUST_CHECK;
/* What stands for a tensor is made and taken as that is. made: kinds by tensor
 * in which ops make it; taken: in which they take it. */
void mw_space_join_partials(const mw_space *space, uint8_t *made,
                            uint8_t *taken);
/* Gives pairs' ops their further states; classes of homes are known. */
mw_status mw_space_extend_pairs(mw_space_builder *builder) MW_MUST_CHECK;
/* The rows of a link for an op's further states, behind those that are there;
 * made->row only, and how many there are then. */
void mw_space_pair_rows(const mw_space *space, const mw_link *link,
                        mw_link_class *made);
/* The cells of row `row`, the one numbered `more` of these. */
void mw_space_fill_pair_row(const mw_space *space, const mw_link *link,
                            int32_t row, int32_t more, mw_link_class *made);

/* An empty class of ops, the last. */
mw_status mw_space_new_op_class(mw_space_builder *builder,
                                int32_t *id) MW_MUST_CHECK;

/* Adds the links of an op; classes of ops and homes are known. */
mw_status mw_space_add_links(mw_space_builder *builder, mw_id op) MW_MUST_CHECK;

/* Mesh axes that a rule gives to a dimension; false when no rule does. */
bool mw_space_rule(const mw_space_builder *builder, mw_id dim, uint32_t *axes);

/* Time is up: the space stays unfinished. */
bool mw_space_over(mw_space_builder *builder);

/* Every split divides the tensor's axis. */
bool mw_layout_divides(const mw_mesh *mesh, const mw_tensor *tensor,
                       const mw_layout *layout);

/* A vector with room for one more in the space's arena; NULL with MW_ENOMEM. */
#define MW_SPACE_RESERVE(builder, items, n, cap)                               \
    mw_arena_reserve((builder)->space->arena, (items), (n), (cap),             \
                     sizeof *(items))

#endif
