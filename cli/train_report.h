/*
 * train_report.h - what training shows while it goes on: a line a step as
 * JSON, or now and then a line to read; and a file of JSON lines.
 */
#ifndef MW_CLI_TRAIN_REPORT_H
#define MW_CLI_TRAIN_REPORT_H

#include <stdio.h>

#include "cli/options.h"
#include "runtime/trainer.h"

typedef struct mw_train_report {
    mw_ctx *ctx;
    mw_output format;
    int64_t first, last; /* steps that will be made */
    int64_t examples;    /* of a step */
    int64_t tokens;      /* of a step; 0: it has no tokens */
    double flops;        /* of a step, all ranks together */
    double peak;         /* FLOP a second of all ranks; 0: not known */
    FILE *metrics;       /* or NULL */
    const char *metrics_path;
    int n_shown;
    mw_status status; /* of the metrics file */
} mw_train_report;

/* arg is the report. */
void mw_train_show(void *arg, const mw_trainer_step *step);

#endif
