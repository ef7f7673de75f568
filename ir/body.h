/*
 * body.h - graphs inside ops: what `scan` and `repeat` do at each step.
 *
 * A body is a graph of its own. Its inputs are the op's operands in their order
 * and its results (graph->result) the op's results; a scanned one lacks the
 * dimension that is scanned. It has constants that it holds itself, no
 * parameters, and loops of its own (a `scan` in a step), so bodies nest. A
 * dimension of a named body is the op's of the same name and size; one of
 * another name is whole on every rank.
 */
#ifndef MW_IR_BODY_H
#define MW_IR_BODY_H

#include "ir/graph.h"

enum {
    MW_BODY_DIMS = 64,
    MW_BODY_DEPTH = 8,    /* of bodies in bodies */
    MW_BODY_OPS = 1 << 14 /* in all bodies within one, each time it is used */
};

/* The graph inside an op; NULL: it has none. */
const mw_graph *mw_op_body(const mw_op *op);

/* MW_EINPUT: it is not of that kind. */
mw_status mw_body_check(const mw_graph *body) MW_MUST_CHECK;

/* An operand or result of an op and the body's are the same, but for the
 * first `skip` axes of the op's. MW_EINPUT names both. */
mw_status mw_body_alike(const mw_graph *graph, const mw_op *op,
                        const mw_tensor *outer, const mw_graph *body,
                        mw_id tensor, int skip) MW_MUST_CHECK;

/* Adds a copy of a named body's op to another graph; map[]: of each of the
 * body's tensors, the copy, known for the op's operands and set for its
 * results. */
mw_status mw_body_op(const mw_graph *from, const mw_op *op, mw_graph *to,
                     mw_id map[]) MW_MUST_CHECK;

/* Copies a named body into `to`, an initialised empty graph: its dimensions and
 * inputs, and what those n of its tensors need that become the results. */
mw_status mw_body_part(const mw_graph *from, const mw_id result[], int n,
                       mw_graph *to) MW_MUST_CHECK;

/* A named body in another arena; itself when it is in this one already or is
 * positional. */
mw_status mw_body_copy(mw_arena *arena, const mw_graph *body,
                       const mw_graph **copy) MW_MUST_CHECK;

/* The inputs, in order: at most n of them; returns how many there are. */
int mw_body_inputs(const mw_graph *body, mw_id input[], int n);

/* Whether the dimension may be split with every op of a named body working on
 * its rank's block alone. */
bool mw_body_splits(const mw_graph *body, mw_id dim);

/* Of every axis of every tensor of a positional body, the class of axes that
 * its letters make one, or MW_NONE where the size is 1: class[tensor *
 * MW_MAX_RANK + axis]. A `rename` parts classes. */
mw_status mw_body_classes(mw_arena *arena, const mw_graph *body, mw_id **class,
                          int *n) MW_MUST_CHECK;

#endif
