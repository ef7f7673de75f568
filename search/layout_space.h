/*
 * layout_space.h - all that a layout search may choose, tabulated once.
 *
 * Every op that is not a rename chooses a strategy; every root tensor chooses
 * its home, the layout it is kept in. A link joins an op to a home: the copies
 * by which the op takes it, or the conversion of its result. Ops that look
 * alike share one class of strategies, tensors one class of homes, links one
 * class of matrices: 96 equal layers cost as much as one.
 *
 * The figures are those of mw_plan_build() (ir/plan.h): mw_plan_op_price() for
 * what an op does by itself, mw_reshard() for links. Nothing is decided here.
 */
#ifndef MW_SEARCH_LAYOUT_SPACE_H
#define MW_SEARCH_LAYOUT_SPACE_H

#include "ir/life.h"
#include "ir/plan.h"
#include "ir/remat.h"
#include "search/clock.h"

/* What is searched, on what, by which costs; all borrowed. */
typedef struct mw_setting {
    const mw_graph *graph;
    const mw_mesh *mesh;
    const mw_costs *costs;
    mw_resharder *resharder;
    /* The graph is theirs: what is computed again is chosen too. Or NULL. */
    const mw_remat_pairs *pairs;
} mw_setting;

/* --fix: the home of a tensor. */
typedef struct mw_fix_option {
    mw_id tensor;
    mw_layout layout;
} mw_fix_option;

/* --rule: wherever the dimension may be split, these axes split it. */
typedef struct mw_rule_option {
    mw_id dim;
    uint32_t axes;
} mw_rule_option;

typedef struct mw_space_options {
    const mw_fix_option *fix;
    int n_fixes;
    const mw_rule_option *rule;
    int n_rules;
    bool even;  /* only splits that divide; what is fixed is exempt */
    bool whole; /* nothing is kept or passed on partial, unless fixed so: all
                   that rules for all tensors can make */
    mw_deadline deadline;
} mw_space_options;

/* Strategies of ops that look alike. */
typedef struct mw_op_class {
    int32_t n;
    mw_strategy *strategy;
    int64_t *time_ps;      /* local and window exchanges */
    int64_t *memory_bytes; /* besides operands, at its step */
    /* Of a pair's op the last n_more states do not run it: one for each layout
     * of home class kept_as in which a result was kept, then, to select, one
     * for each in which it was computed, and one in which there is none. */
    int32_t n_more, n_kept, kept_as;
} mw_op_class;

/* Layouts in which tensors that look alike may be kept. */
typedef struct mw_home_class {
    int32_t n;
    mw_layout *layout;
    int64_t *bytes; /* of the largest block, as the arena holds it */
    bool fixed;     /* the one that --fix gave */
    bool optional;  /* the last state: the tensor is not there */
} mw_home_class;

/* What happens between a strategy of an op and the home of one of its
 * operands. Strategies that take the operand alike share a row. */
typedef struct mw_link_class {
    int32_t op_class, home_class;
    int32_t n_rows, n_homes;
    int32_t *row;          /* by strategy */
    int64_t *time_ps;      /* n_rows x n_homes; MW_INFINITE: no path */
    int64_t *memory_bytes; /* n_rows x n_homes, at the op's step */
    int64_t *matrix;       /* time_ps by strategy, n x n_homes */
} mw_link_class;

/* What a link joins. */
typedef enum mw_link_part {
    MW_LINK_OPERAND,
    MW_LINK_KEPT, /* a pair's op and what was kept */
    MW_LINK_GAP,  /* and that until then */
    MW_LINK_MADE  /* and what it selects */
} mw_link_part;

typedef struct mw_link {
    mw_id op, tensor; /* the root */
    int32_t link_class;
    bool output;
    mw_link_part part;
    mw_id root; /* as the op's operands have it: another one where a pair's
                   tensor is read in its place */
} mw_link;

/* Nodes are the choices: ops in order, then homes in order. */
typedef struct mw_space {
    mw_ctx *ctx;
    mw_arena *arena;
    mw_setting on;
    int32_t n_nodes;
    int n_steps;         /* ops, or 1 when there are none */
    int32_t *op_node;    /* of each step; MW_NONE: a rename, or no op */
    int32_t *home_node;  /* of each tensor; MW_NONE: renamed */
    mw_id *node_op;      /* of each node; MW_NONE: a home */
    mw_id *node_tensor;  /* of each node; MW_NONE: an op */
    int32_t *node_class; /* op or home class of each node */
    int32_t n_op_classes, n_home_classes, n_link_classes;
    mw_op_class *op_class;
    mw_home_class *home_class;
    mw_link_class *link_class;
    int32_t n_links;
    mw_link *link;      /* by op, inputs before outputs */
    int32_t *op_link;   /* first link of each step; n_steps + 1 of them */
    mw_life *life;      /* of each tensor: steps its home is live */
    uint32_t mesh_axes; /* longer than 1 */
    bool unfinished;    /* time was up before all was tabulated: no use */
} mw_space;

/* Tabulates, until time is up or the context is stopped. Everything lies in the
 * arena. MW_EUSAGE: a fix or a rule that nothing can follow, naming it. */
mw_status mw_space_build(mw_ctx *ctx, mw_arena *arena, const mw_setting *on,
                         const mw_space_options *options,
                         mw_space *space) MW_MUST_CHECK;

/* States of a node. */
int32_t mw_space_states(const mw_space *space, int32_t node);

/* Numbers of a strategy and of a layout in a node's states; MW_NONE when it
 * is not among them. */
int32_t mw_space_find_strategy(const mw_space *space, int32_t node,
                               const mw_strategy *strategy);
int32_t mw_space_find_layout(const mw_space *space, int32_t node,
                             const mw_layout *layout);

typedef struct mw_space_figures {
    int64_t time_ps;
    int64_t peak_bytes; /* live, at the largest step */
    mw_id peak_step;
    bool forbidden; /* some conversion has no path */
} mw_space_figures;

/* Time and live memory of a complete choice, state[node], by the tables.
 * live: by step, n_steps of them, or NULL. */
void mw_space_evaluate(const mw_space *space, const int32_t *state,
                       int64_t *live, mw_space_figures *figures);

/* The choice as mw_plan_build() takes it, in the arena. */
mw_status mw_space_choices(const mw_space *space, mw_arena *arena,
                           const int32_t *state,
                           mw_choices *choices) MW_MUST_CHECK;

/* a + b, or INT64_MAX when that is too large; neither is negative. */
int64_t mw_add_bytes(int64_t a, int64_t b);

#endif
