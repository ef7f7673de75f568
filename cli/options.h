/*
 * options.h - a command's options are a table; parsing, help and near misses
 * follow from it.
 *
 * `--name VALUE`, `--name=VALUE`, `-o VALUE`, `-oVALUE` and `-o=VALUE` are
 * read; `--` ends the options. A value is not empty, but for a TEXT. Whatever
 * is wrong is MW_EUSAGE. Asking for an option that the table does not have is a
 * bug of ours.
 */
#ifndef MW_CLI_OPTIONS_H
#define MW_CLI_OPTIONS_H

#include "base/arena.h"

typedef struct mw_option {
    const char *name;  /* without dashes; one letter: "-o" */
    const char *value; /* what the help calls its value; NULL: a flag */
    const char *help;
    bool repeated; /* may be given several times */
} mw_option;

/* What every command has besides: --format, --quiet, --debug, --help. A command
 * whose own table has "format" reads it itself. */
extern const mw_option mw_common_options[];

typedef enum mw_output {
    MW_OUTPUT_TABLE,
    MW_OUTPUT_JSON,
    MW_OUTPUT_CSV
} mw_output;

typedef struct mw_given {
    const mw_option *option;
    const char *value; /* "" for a flag */
} mw_given;

typedef struct mw_args {
    const mw_option *options; /* of the command */
    mw_given *given;          /* in the order given */
    int64_t n_given, cap_given;
    const char **pos; /* positional arguments */
    int64_t n_pos, cap_pos;
    bool quiet, debug, help;
    mw_output format;
} mw_args;

/* Reads argv, which stays alive as long as args; vectors grow in the arena. */
mw_status mw_args_parse(mw_arena *arena, const mw_option *options, int argc,
                        char *const argv[], mw_args *args) MW_MUST_CHECK;

bool mw_args_has(const mw_args *args, const char *name);

/* The value, or NULL when the option was not given. */
const char *mw_args_text(const mw_args *args, const char *name);

/* The values of a repeated option. */
int64_t mw_args_count(const mw_args *args, const char *name);
const char *mw_args_item(const mw_args *args, const char *name, int64_t i);

/* A number in [min, max], or the default when not given. MW_EUSAGE names the
 * option, the text and the range. */
mw_status mw_args_int(mw_ctx *ctx, const mw_args *args, const char *name,
                      const int64_t range[2], int64_t otherwise,
                      int64_t *value) MW_MUST_CHECK;
mw_status mw_args_real(mw_ctx *ctx, const mw_args *args, const char *name,
                       const double range[2], double otherwise,
                       double *value) MW_MUST_CHECK;

/* Bytes: "4096", "512MiB", "16GB". */
mw_status mw_args_bytes(mw_ctx *ctx, const mw_args *args, const char *name,
                        int64_t otherwise, int64_t *value) MW_MUST_CHECK;

/* Splits "NAME=VALUE" at the last '=', as names of a file may hold one; both in
 * the arena. */
mw_status mw_args_pair(mw_arena *arena, const char *option, const char *text,
                       const char **name, const char **value) MW_MUST_CHECK;

#endif
