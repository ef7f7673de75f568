/* test_units.c - numbers as people write and read them. */
#include <string.h>

#include "base/units.h"
#include "tests/test.h"

static const struct bytes_row {
    const char *text;
    int64_t want; /* -1: refused */
} bytes_rows[] = {
    {"0", 0},
    {"4096", 4096},
    {"512MiB", INT64_C(512) << 20},
    {"16GB", INT64_C(16000000000)},
    {"16 GiB", INT64_C(16) << 30},
    {"1.5KiB", 1536},
    {"0.1KiB", -1},
    {".5kB", 500},
    {"1e3", -1},
    {"", -1},
    {"MiB", -1},
    {"-1", -1},
    {"1.2.3", -1},
    {"9223372036854775807", INT64_MAX},
    {"9223372036854775808", -1},
    {"9000000TiB", -1},
    {"1.5EiB", INT64_C(3) << 59},
    {"7 EiB", INT64_C(7) << 60},
    {"8EiB", -1},
    {"2.25PiB", INT64_C(9) << 48},
    {"9EB", INT64_C(9000000000000000000)},
};

static void parse_bytes(void)
{
    for (size_t i = 0; i < sizeof bytes_rows / sizeof bytes_rows[0]; i++) {
        const struct bytes_row *row = &bytes_rows[i];
        int64_t got = -1;
        bool parsed = mw_bytes_parse(row->text, &got);
        CHECK(parsed == (row->want >= 0) && got == row->want,
              "'%s': got %lld, want %lld", row->text, (long long)got,
              (long long)row->want);
    }
}

static const struct text_row {
    const char *(*print)(int64_t value, char text[MW_UNITS_MAX]);
    double value;
    const char *want;
} text_rows[] = {
    {mw_bytes_text, 0, "0 B"},
    {mw_bytes_text, 1023, "1023 B"},
    {mw_bytes_text, 1024, "1.00 KiB"},
    {mw_bytes_text, 1536, "1.50 KiB"},
    {mw_bytes_text, 1048575, "1.00 MiB"},
    {mw_bytes_text, 17179869184.0, "16.0 GiB"},
    {mw_bytes_text, -2048, "-2.00 KiB"},
    {NULL, 0, "0.00 s"},
    {NULL, 1e-12, "1.00 ps"},
    {NULL, 1.234e-5, "12.3 us"},
    {NULL, 0.0015, "1.50 ms"},
    {NULL, 2, "2.00 s"},
    {NULL, 200, "3 min 20 s"},
};

static void print_units(void)
{
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0]; i++) {
        const struct text_row *row = &text_rows[i];
        char got[MW_UNITS_MAX];
        if (row->print)
            row->print((int64_t)row->value, got);
        else
            mw_seconds_text(row->value, got);
        CHECK(strcmp(got, row->want) == 0, "%g: got '%s', want '%s'",
              row->value, got, row->want);
    }
}

static void print_counts(void)
{
    static const struct {
        double value;
        const char *want;
    } rows[] = {
        {0, "0"},           {512, "512"},      {1500, "1.50 K"},
        {999999, "1.00 M"}, {2.3e9, "2.30 G"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char got[MW_UNITS_MAX];
        mw_count_text(rows[i].value, got);
        CHECK(strcmp(got, rows[i].want) == 0, "%g: got '%s', want '%s'",
              rows[i].value, got, rows[i].want);
    }
}

static void parse_ints(void)
{
    static const struct {
        const char *text;
        bool good;
        int64_t want;
    } rows[] = {
        {"0", true, 0},
        {"-12", true, -12},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"+1", false, 0},
        {"", false, 0},
        {"0x10", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t got = 0;
        bool good = mw_int_parse(rows[i].text, &got);
        CHECK(good == rows[i].good && got == rows[i].want, "'%s': got %d %lld",
              rows[i].text, good, (long long)got);
    }
}

static void parse_reals(void)
{
    static const struct {
        const char *text;
        bool good;
        double want;
    } rows[] = {
        {"0", true, 0},      {"-1.5", true, -1.5}, {"1e-3", true, 1e-3},
        {"nan", false, 0},   {"inf", false, 0},    {"1e999", false, 0},
        {"0x1p3", false, 0}, {"", false, 0},       {"1,5", false, 0},
        {"-", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double got = 0;
        bool good = mw_real_parse(rows[i].text, &got);
        CHECK(good == rows[i].good && got >= rows[i].want &&
                  got <= rows[i].want,
              "'%s': got %d %g", rows[i].text, good, got);
    }
}

const mw_suite mw_suite_units = {
    "units",
    {
        {"bytes are parsed", parse_bytes},
        {"bytes and seconds are printed", print_units},
        {"counts are printed", print_counts},
        {"integers are parsed", parse_ints},
        {"reals are parsed", parse_reals},
    },
};
