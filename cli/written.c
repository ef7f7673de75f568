/* written.c - compares every file that is written with all others named. */
#include "cli/written.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "ir/model.h"

static bool writes(const mw_command *command, const mw_option *option)
{
    for (int i = 0; command->writes && command->writes[i]; i++)
        if (strcmp(command->writes[i], option->name) == 0)
            return true;
    return false;
}

static mw_status taken(mw_ctx *ctx, const mw_given *given, const char *how)
{
    const char *name = given->option->name;
    mw_ctx_at(ctx, "%s%s", name[1] ? "--" : "-", name);
    return mw_fail(ctx, MW_EUSAGE,
                   "is '%s', which is %s as well, wanted another file",
                   given->value, how);
}

/* Two files that are written may not be there yet; /dev/null is no file. */
static bool both_written(const char *a, const char *b)
{
    return mw_file_same(a, b) || (strcmp(a, b) == 0 && access(a, F_OK) != 0);
}

/* What an option reads: its value, or what stands behind NAME=. */
static bool is_read(const char *value, const char *written)
{
    const char *equals = strchr(value, '=');
    return mw_file_same(value, written) ||
           (equals && mw_file_same(equals + 1, written));
}

static mw_status check_option(mw_ctx *ctx, const mw_command *command,
                              const mw_args *args, const mw_given *given)
{
    for (int64_t i = 0; i < args->n_pos; i++)
        if (!mw_model_find(args->pos[i]) &&
            mw_file_same(args->pos[i], given->value))
            return taken(ctx, given, "read");
    for (int64_t i = 0; i < args->n_given; i++) {
        const mw_given *other = &args->given[i];
        if (other == given)
            continue;
        bool written = writes(command, other->option);
        if (written && both_written(other->value, given->value))
            return taken(ctx, given, "written");
        if (!written && is_read(other->value, given->value))
            return taken(ctx, given, "read");
    }
    return MW_OK;
}

mw_status mw_written_check(mw_ctx *ctx, const mw_command *command,
                           const mw_args *args)
{
    for (int64_t i = 0; i < args->n_given; i++)
        if (writes(command, args->given[i].option))
            MW_TRY(check_option(ctx, command, args, &args->given[i]));
    return MW_OK;
}
