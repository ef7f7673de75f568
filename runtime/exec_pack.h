/*
 * exec_pack.h - weights that a kernel reads in an order of its own are put in
 * it once, before the first step, within their own homes: the same bytes in
 * the plan, and no work in a step. Only what a single op reads, where it lies,
 * and nothing ever writes.
 */
#ifndef MW_RUNTIME_EXEC_PACK_H
#define MW_RUNTIME_EXEC_PACK_H

#include "runtime/exec.h"

/* Homes hold the weights as they are in files. MW_ENOMEM. */
mw_status mw_exec_pack(mw_exec *exec) MW_MUST_CHECK;

#endif
