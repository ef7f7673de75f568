/* help.c - help texts, from the commands' own tables. */
#include "cli/help.h"

#include <string.h>

enum { WIDTH = 79, LEFT = 24, INDENT = LEFT + 4 };

/* Breaks between words at WIDTH; further lines are indented. */
static void print_wrapped(FILE *file, const char *text)
{
    size_t column = INDENT;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > INDENT && column + 1 + length > WIDTH) {
            (void)fprintf(file, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            (void)fputc(' ', file);
            column++;
        }
        (void)fprintf(file, "%.*s", (int)length, text);
        column += length;
        text += length + strspn(text + length, " ");
    }
    (void)fputc('\n', file);
}

static void print_option(FILE *file, const mw_option *option)
{
    char left[80];
    (void)snprintf(left, sizeof left, "%s%s%s%s%s",
                   option->name[1] ? "--" : "-", option->name,
                   option->value ? " " : "", option->value ? option->value : "",
                   option->repeated ? " ..." : "");
    if (strlen(left) > LEFT)
        (void)fprintf(file, "  %s\n%*s", left, INDENT, "");
    else
        (void)fprintf(file, "  %-*s  ", LEFT, left);
    print_wrapped(file, option->help);
}

static void print_lines(FILE *file, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        (void)fprintf(file, "  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* The command's own, then the common ones that it has not for itself. */
static void print_options(FILE *file, const mw_option *options)
{
    for (const mw_option *o = options; o && o->name; o++)
        print_option(file, o);
    for (const mw_option *o = mw_common_options; o->name; o++) {
        const mw_option *own = options;
        while (own && own->name && strcmp(own->name, o->name) != 0)
            own++;
        if (!own || !own->name)
            print_option(file, o);
    }
}

void mw_help_command(FILE *file, const mw_command *command)
{
    (void)fprintf(file, "meshwright %s %s%s[OPTION...]\n\n%s\n", command->name,
                  command->arguments, *command->arguments ? " " : "",
                  command->brief);
    if (command->details)
        (void)fprintf(file, "\n%s\n", command->details);
    (void)fprintf(file, "\noptions:\n");
    print_options(file, command->options);
    (void)fprintf(file, "\nexample:\n");
    print_lines(file, command->example);
}

void mw_help_all(FILE *file)
{
    (void)fprintf(file,
                  "meshwright COMMAND [OPTION...]\n\n"
                  "Works out how to split a model over a mesh of processors, "
                  "and runs it so.\n\ncommands:\n");
    for (int i = 0; i < mw_command_count; i++)
        (void)fprintf(file, "  %-10s  %s\n", mw_command_table[i]->name,
                      mw_command_table[i]->brief);
    (void)fprintf(file, "\nA MODEL is a file, .onnx, .mlir or .mw, or the "
                        "name of a built-in model.\n"
                        "meshwright COMMAND --help tells more; "
                        "meshwright --version prints the version.\n");
}

void mw_help_roff(FILE *file, const char *text)
{
    bool line_start = true;
    for (const char *p = text; *p; p++) {
        if (line_start && (*p == '.' || *p == '\''))
            (void)fputs("\\&", file);
        if (*p == '\\')
            (void)fputs("\\e", file);
        else if (*p == '-')
            (void)fputs("\\-", file);
        else
            (void)fputc(*p, file);
        line_start = *p == '\n';
    }
    (void)fputc('\n', file);
}

static void manual_options(FILE *file, const mw_option *option)
{
    for (; option && option->name; option++) {
        (void)fprintf(file, ".TP\n\\fB%s%s\\fR",
                      option->name[1] ? "\\-\\-" : "\\-", option->name);
        if (option->value)
            (void)fprintf(file, " \\fI%s\\fR", option->value);
        (void)fprintf(file, "%s\n", option->repeated ? " ..." : "");
        mw_help_roff(file, option->help);
    }
}

void mw_help_manual(FILE *file)
{
    for (int i = 0; i < mw_command_count; i++) {
        const mw_command *command = mw_command_table[i];
        (void)fprintf(file, ".SS %s %s\n", command->name, command->arguments);
        mw_help_roff(file, command->brief);
        if (command->details) {
            (void)fprintf(file, ".PP\n");
            mw_help_roff(file, command->details);
        }
        manual_options(file, command->options);
        (void)fprintf(file, ".PP\n.nf\n");
        mw_help_roff(file, command->example);
        (void)fprintf(file, ".fi\n");
    }
    (void)fprintf(file, ".SS All commands\n");
    manual_options(file, mw_common_options);
}
