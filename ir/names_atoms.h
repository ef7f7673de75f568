/*
 * names_atoms.h - classes of axes, for the names pass alone.
 *
 * An atom is what axes share that must be split alike. Union-find over atoms;
 * an atom may be cut into a row-major product of younger ones (its kids), for
 * good and wherever it occurs. Atoms that meet in one tensor or op interfere:
 * they are never made one. An axis is a short list of atoms, none when its
 * size is 1; lists are kept as they were written and read through
 * mw_atoms_expand(), which follows unions and cuts.
 *
 * Everything lives in the arena; a lower id is an older atom.
 */
#ifndef MW_IR_NAMES_ATOMS_H
#define MW_IR_NAMES_ATOMS_H

#include "ir/graph.h"

/* An axis of at most 2^63 - 1 elements has at most 62 factors above 1. */
enum { MW_MAX_FACTORS = 64 };

/* What an atom does in a model: the stuff of names. */
typedef enum mw_vote {
    MW_VOTE_VOCAB,
    MW_VOTE_HEADS,
    MW_VOTE_D_HEAD,
    MW_VOTE_NORMALISED,
    MW_VOTE_HIDDEN,
    MW_VOTE_CHANNEL,
    MW_VOTE_SPACE_D,
    MW_VOTE_SPACE_H,
    MW_VOTE_SPACE_W,
    MW_VOTE_PARTS,
    MW_VOTE_GATES,
    MW_VOTE_BATCH,
    MW_VOTE_SEQ,
    MW_VOTE_LOGITS,
    MW_N_VOTES
} mw_vote;

typedef struct mw_atom {
    int64_t size;
    mw_id parent;        /* of the union; itself when it stands for one */
    mw_id kid;           /* first of n_kids consecutive atoms */
    int n_kids;          /* 0: not cut */
    mw_id age;           /* the oldest atom that it is, or is a piece of */
    mw_id alias_of;      /* the atom it stands in for, or MW_NONE */
    mw_id of;            /* the atom it is derived from, or MW_NONE */
    const char *how;     /* derived how, or NULL */
    const char *symbol;  /* the file's name; or NULL */
    const char *synonym; /* another one; or NULL */
    int vote[MW_N_VOTES];
    mw_id *alias; /* the atoms that stand in for it, in order of making */
    int64_t n_aliases, cap_aliases;
    mw_id *near; /* atoms it interferes with; stale ones are skipped */
    int64_t n_near, cap_near;
} mw_atom;

typedef struct mw_atoms {
    mw_arena *arena; /* borrowed */
    mw_atom *atom;
    int64_t n, cap;
    uint64_t *pair; /* interfering pairs, a hash table; 0 is free */
    int64_t n_pairs, n_slots;
} mw_atoms;

/* An axis: its atoms, major first. */
typedef struct mw_factors {
    int n;
    const mw_id *atom; /* in the arena */
} mw_factors;

void mw_atoms_init(mw_atoms *atoms, mw_arena *arena);

/* A new atom of its own class. */
mw_status mw_atoms_add(mw_atoms *atoms, int64_t size, mw_id *id) MW_MUST_CHECK;

/* A list of n atoms, copied. */
mw_status mw_atoms_list(mw_atoms *atoms, const mw_id *id, int n,
                        mw_factors *list) MW_MUST_CHECK;

/* One fresh atom, none for size 1. */
mw_status mw_atoms_fresh(mw_atoms *atoms, int64_t size,
                         mw_factors *list) MW_MUST_CHECK;

/* The atom that stands for id's class. */
mw_id mw_atoms_find(const mw_atoms *atoms, mw_id id);

/* The uncut atoms of a list, unions and cuts followed; how many. */
int mw_atoms_expand(const mw_atoms *atoms, mw_factors list,
                    mw_id out[MW_MAX_FACTORS]);

/* Of uncut atoms that stand for their classes. */
bool mw_atoms_interfere(const mw_atoms *atoms, mw_id a, mw_id b);
mw_status mw_atoms_keep_apart(mw_atoms *atoms, mw_id a, mw_id b) MW_MUST_CHECK;

/* Every atom of one list apart from every one of the other, and of itself. */
mw_status mw_atoms_lists_apart(mw_atoms *atoms, const mw_factors list[],
                               int n) MW_MUST_CHECK;

/* Makes one class of two that do not interfere; the older one stands for it. */
mw_status mw_atoms_union(mw_atoms *atoms, mw_id a, mw_id b) MW_MUST_CHECK;

/* Cuts an uncut atom into n factors, whose product is its size. */
mw_status mw_atoms_cut(mw_atoms *atoms, mw_id a, const int64_t factor[],
                       int n) MW_MUST_CHECK;

/* Makes two lists of one size the same, segment by segment of equal product,
 * cutting atoms where the factors form a chain. A segment whose atoms
 * interfere or do not fit is left as it is; *same: none was. */
mw_status mw_atoms_unify(mw_atoms *atoms, mw_factors a, mw_factors b,
                         bool *same) MW_MUST_CHECK;

/* The lists are the same atoms now. */
bool mw_atoms_equal(const mw_atoms *atoms, mw_factors a, mw_factors b);

/* An atom of the same size that stands in for `a`, for an op where `a` is
 * taken: the first such that is none of used[], else a new one. */
mw_status mw_atoms_alias(mw_atoms *atoms, mw_id a, const mw_id *used,
                         int n_used, mw_id *alias) MW_MUST_CHECK;

/* Cuts atoms of a list so that the factors' boundaries are atoms' boundaries;
 * false, with nothing changed, when they form no chain. */
mw_status mw_atoms_chain(mw_atoms *atoms, const mw_id *atom, int n,
                         const int64_t factor[], int n_factors,
                         bool *fits) MW_MUST_CHECK;

#endif
