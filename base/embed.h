/*
 * embed.h - a file that was compiled in (tools/embed).
 */
#ifndef MW_BASE_EMBED_H
#define MW_BASE_EMBED_H

#include <stddef.h>

typedef struct mw_embed {
    const char *name; /* of the file, without folder and extension */
    const char *text; /* ends with a NUL that `size` does not count */
    size_t size;
} mw_embed;

#endif
