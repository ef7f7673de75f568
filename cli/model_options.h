/*
 * model_options.h - the options with which every command reads a model.
 */
#ifndef MW_CLI_MODEL_OPTIONS_H
#define MW_CLI_MODEL_OPTIONS_H

#include "cli/options.h"
#include "ir/import.h"

/* Rows for a command's table. */
#define MW_MODEL_SET_ROW                                                       \
    {                                                                          \
        "set", "KEY=VALUE",                                                    \
            "of a built-in model: layers=12, preset=gpt2-small", true          \
    }
#define MW_MODEL_OPTION_ROWS                                                   \
    MW_MODEL_SET_ROW,                                                          \
        {"dim", "N=SIZE", "size of a symbolic dimension of the model", true},  \
        {"sizes-from", "F.npz",                                                \
         "sizes of symbolic dimensions from the arrays of a run", false},      \
        {"const", "INPUT=VALUE",                                               \
         "fixes an input: 16000, or 1,2,3; shapes and branches may depend on " \
         "it",                                                                 \
         true},                                                                \
        {"check-ties", NULL,                                                   \
         "looks for equal weights in files beside the model too", false},      \
        {"unroll", NULL,                                                       \
         "steps of scans (LSTM, GRU, loops) as ops of their own, so that "     \
         "all of their dimensions may be split",                               \
         false},                                                               \
    {                                                                          \
        "name", "OLD=NEW", "another name for a dimension", true                \
    }

/* --set alone. */
mw_status mw_model_options_set(mw_arena *arena, const mw_args *args,
                               mw_import_options *options) MW_MUST_CHECK;

/* What was given, in the arena; the rest of *options is zero.
 * MW_EUSAGE names the option; MW_EINPUT: the .npz cannot be read. */
mw_status mw_model_options_read(mw_arena *arena, const mw_args *args,
                                mw_import_options *options) MW_MUST_CHECK;

#endif
