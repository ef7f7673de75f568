/*
 * names_vote.h - the parts that atoms play, for the names pass alone.
 */
#ifndef MW_IR_NAMES_VOTE_H
#define MW_IR_NAMES_VOTE_H

#include "ir/names_state.h"

/* Flags by atom; some letters of weights show what they are only together. */
typedef struct mw_roles {
    bool *open;      /* met otherwise than as a kernel tap */
    bool *used;      /* a flat axis has it */
    bool *param;     /* an axis of a parameter */
    bool *produced;  /* an output letter of a weight */
    bool *consumed;  /* contracted with a weight */
    bool *result;    /* the last axis of a graph output */
    bool *softmaxed; /* its greatest value is taken */
    bool *input;     /* an axis of a graph input */
    bool *middle;    /* axis 1 of an input of three: a sequence's, if normed */
    bool normalised; /* some atom is */
    bool arguments;  /* some weight is an input */
} mw_roles;

mw_status mw_names_vote(mw_names_state *state, mw_roles *r) MW_MUST_CHECK;

/* The base of an atom's name: with the size where many of a kind are to be
 * told apart. NULL when memory is out. */
const char *mw_names_role(const mw_names_state *state, const mw_roles *r,
                          mw_id a);

#endif
