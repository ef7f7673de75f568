/*
 * message.h - prints failures and warnings (DESIGN section 9):
 *
 *     meshwright: error: net.mw:12:7: matmul: operand 1 ...
 *         12 | y = matmul(x, w)
 *            |       ^
 *     hint lines
 */
#ifndef MW_CLI_MESSAGE_H
#define MW_CLI_MESSAGE_H

#include <stdio.h>

#include "base/status.h"

/* debug adds the C location. */
void mw_message_error(FILE *file, const mw_ctx *ctx, bool debug);

void mw_message_warnings(FILE *file, const mw_ctx *ctx);

#endif
