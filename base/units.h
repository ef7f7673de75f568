/*
 * units.h - numbers as people write and read them.
 *
 * Reading takes the whole text or fails; nothing is rounded silently. Printing
 * fills a caller's buffer of MW_UNITS_MAX and returns it.
 */
#ifndef MW_BASE_UNITS_H
#define MW_BASE_UNITS_H

#include "base/status.h"

enum { MW_UNITS_MAX = 32 };

/* Decimal int64; false when the text is not exactly that. */
bool mw_int_parse(const char *text, int64_t *value) MW_MUST_CHECK;

/* A finite real, the whole text. */
bool mw_real_parse(const char *text, double *value) MW_MUST_CHECK;

/* "4096", "512MiB", "1.5GB", "16 GiB": bytes, kB MB GB TB PB EB in
 * thousands, KiB MiB GiB TiB PiB EiB in 1024s; a fraction must come to whole
 * bytes. */
bool mw_bytes_parse(const char *text, int64_t *bytes) MW_MUST_CHECK;

/* "0 B", "512 B", "1.50 KiB", "16.0 GiB"; three figures. */
const char *mw_bytes_text(int64_t bytes, char text[MW_UNITS_MAX]);

/* "0 s", "12.3 us", "1.50 ms", "2.00 s", "3 min 20 s". */
const char *mw_seconds_text(double seconds, char text[MW_UNITS_MAX]);

/* "512", "1.50 K", "2.30 G" in thousands, for FLOPs and parameters. */
const char *mw_count_text(double count, char text[MW_UNITS_MAX]);

#endif
