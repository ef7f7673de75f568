/*
 * format.h - a ranking, told: a format is one file in report/formats/.
 *
 * All of them tell of the same report; text is for people, JSON is the
 * plan itself with its ranking (docs/plan-format.md), CSV the ranking alone.
 */
#ifndef MW_REPORT_FORMAT_H
#define MW_REPORT_FORMAT_H

#include "base/text.h"
#include "ir/plan_file.h"
#include "search/rank.h"

typedef struct mw_report {
    mw_arena *arena; /* for what formats make */
    const mw_graph *graph;
    const mw_ranking *ranking;
    const mw_ranked *chosen;  /* whose plan is told */
    const mw_plan_info *info; /* of it; rows left out */
    const char *machine;      /* its name */
    bool counts;              /* of several numbers of processors */
    double search_s;
} mw_report;

typedef struct mw_format_def {
    const char *name;
    const char *brief;
    mw_status (*write)(mw_ctx *ctx, const mw_report *report, mw_text *text);
} mw_format_def;

extern const mw_format_def *const mw_format_table[];
extern const int mw_format_count;

/* NULL when there is none. */
const mw_format_def *mw_format_find(const char *name);

/* What a search says of the plan of a row: source, machine and timing are left
 * to the caller. Another than the best is a feasible answer, bounded by the
 * best's bound. */
mw_plan_info mw_report_info(const mw_ranking *ranking, const mw_ranked *chosen,
                            const mw_search_options *search);

/* "optimal (exact)", "feasible, within 0.12 %", "does not fit". */
char *mw_report_status(mw_arena *arena, const mw_report *report);

/* "2x2", "data=2,model=2": how --mesh would be written. */
char *mw_report_mesh(mw_arena *arena, const mw_mesh *mesh);

/* Time of one processor that holds all over that of all together, 1 when each
 * further processor saves its share; 0: not known. */
double mw_report_efficiency(const mw_ranked *row);

/* (cost - bound) / max(1, cost) of a row, 0 when optimal. */
double mw_report_gap(const mw_report *report, const mw_ranked *row);

#endif
