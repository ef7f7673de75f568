/*
 * golden.h - texts that are reviewed when they change: tests/golden/NAME.
 * `make golden` rewrites them (MW_GOLDEN=rewrite), the diff is read.
 */
#ifndef MW_TESTS_GOLDEN_H
#define MW_TESTS_GOLDEN_H

#include "base/text.h"

/* One CHECK: the text is the stored one. The message names the first line that
 * differs. */
void golden_compare(const char *name, const mw_text *text);

#endif
