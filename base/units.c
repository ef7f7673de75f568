/* units.c - numbers as people write and read them. */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool mw_int_parse(const char *text, int64_t *value)
{
    const char *digits = *text == '-' ? text + 1 : text;
    if (!isdigit((unsigned char)*digits))
        return false;
    char *end;
    errno = 0;
    long long parsed = strtoll(text, &end, 10);
    if (errno || *end)
        return false;
    *value = parsed;
    return true;
}

bool mw_real_parse(const char *text, double *value)
{
    if (strspn(text, "+-.0123456789eE") != strlen(text) || !*text)
        return false;
    char *end;
    double parsed = strtod(text, &end);
    if (*end || end == text || !isfinite(parsed))
        return false;
    *value = parsed;
    return true;
}

static const struct unit {
    const char *name;
    int64_t bytes;
} units[] = {
    {"", 1},
    {"B", 1},
    {"kB", 1000},
    {"K", 1000},
    {"M", 1000000},
    {"MB", 1000000},
    {"G", 1000000000},
    {"GB", 1000000000},
    {"T", 1000000000000},
    {"TB", 1000000000000},
    {"P", 1000000000000000},
    {"PB", 1000000000000000},
    {"E", 1000000000000000000},
    {"EB", 1000000000000000000},
    {"KiB", INT64_C(1) << 10},
    {"MiB", INT64_C(1) << 20},
    {"GiB", INT64_C(1) << 30},
    {"TiB", INT64_C(1) << 40},
    {"PiB", INT64_C(1) << 50},
    {"EiB", INT64_C(1) << 60},
};

static int64_t unit_bytes(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcasecmp(name, units[i].name) == 0)
            return units[i].bytes;
    return 0;
}

__extension__ typedef __int128 wide;

/* The digits are an integer over a power of ten, so that nothing is rounded. */
bool mw_bytes_parse(const char *text, int64_t *bytes)
{
    int64_t digits = 0, over = 1;
    const char *p = text;
    bool fraction = false, any = false;
    for (; isdigit((unsigned char)*p) || (*p == '.' && !fraction); p++) {
        if (*p == '.') {
            fraction = true;
            continue;
        }
        any = true;
        if (__builtin_mul_overflow(digits, 10, &digits) ||
            __builtin_add_overflow(digits, *p - '0', &digits))
            return false;
        if (fraction && __builtin_mul_overflow(over, 10, &over))
            return false;
    }
    while (*p == ' ')
        p++;
    wide product = (wide)digits * unit_bytes(p);
    if (!any || unit_bytes(p) == 0 || product % over != 0 ||
        product / over > INT64_MAX)
        return false;
    *bytes = (int64_t)(product / over);
    return true;
}

/* Three figures of a value below 1000 or, for bytes, 1024. */
static const char *scaled(double value, const char *unit,
                          char text[MW_UNITS_MAX])
{
    int decimals = 2;
    if (fabs(value) >= 99.95)
        decimals = 0;
    else if (fabs(value) >= 9.995)
        decimals = 1;
    (void)snprintf(text, MW_UNITS_MAX, "%.*f%s", decimals, value, unit);
    return text;
}

const char *mw_bytes_text(int64_t bytes, char text[MW_UNITS_MAX])
{
    static const char *const name[] = {" KiB", " MiB", " GiB",
                                       " TiB", " PiB", " EiB"};
    if (bytes > -1024 && bytes < 1024) {
        (void)snprintf(text, MW_UNITS_MAX, "%lld B", (long long)bytes);
        return text;
    }
    double value = (double)bytes / 1024;
    size_t i = 0;
    for (; fabs(value) >= 1023.5 && i + 1 < sizeof name / sizeof name[0]; i++)
        value /= 1024;
    return scaled(value, name[i], text);
}

const char *mw_seconds_text(double seconds, char text[MW_UNITS_MAX])
{
    static const struct {
        double below, scale;
        const char *unit;
    } range[] = {
        {999.5e-12, 1e12, " ps"}, {999.5e-9, 1e9, " ns"},
        {999.5e-6, 1e6, " us"},   {999.5e-3, 1e3, " ms"},
        {119.5, 1, " s"},
    };
    if (fpclassify(seconds) == FP_ZERO)
        return scaled(0, " s", text);
    for (size_t i = 0; i < sizeof range / sizeof range[0]; i++)
        if (fabs(seconds) < range[i].below)
            return scaled(seconds * range[i].scale, range[i].unit, text);
    if (!isfinite(seconds) || fabs(seconds) > 1e15)
        (void)snprintf(text, MW_UNITS_MAX, "%.3g s", seconds);
    else
        (void)snprintf(text, MW_UNITS_MAX, "%lld min %lld s",
                       llround(seconds) / 60, llround(seconds) % 60);
    return text;
}

const char *mw_count_text(double count, char text[MW_UNITS_MAX])
{
    static const char *const name[] = {" K", " M", " G", " T", " P", " E"};
    if (fabs(count) < 999.5) {
        (void)snprintf(text, MW_UNITS_MAX, "%.4g", count);
        return text;
    }
    double value = count / 1000;
    size_t i = 0;
    for (; fabs(value) >= 999.5 && i + 1 < sizeof name / sizeof name[0]; i++)
        value /= 1000;
    return scaled(value, name[i], text);
}
