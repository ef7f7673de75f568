/*
 * meshwright.h - the public interface, the only header that is installed.
 *
 * Handles are opaque and belong to one thread. The library never prints, exits
 * or aborts. The soname changes only when this file breaks.
 */
#ifndef MESHWRIGHT_MESHWRIGHT_H
#define MESHWRIGHT_MESHWRIGHT_H

#ifdef __cplusplus
extern "C" {
#endif

#define MW_VERSION "0.1.0"

/* The version of the library that is linked, "MAJOR.MINOR.PATCH". */
const char *mw_version(void);

#ifdef __cplusplus
}
#endif

#endif
