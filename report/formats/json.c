/* json.c - the plan itself, with the ranking inside. */
#include <string.h>

#include "report/format.h"

static mw_status rows_of(const mw_report *report, mw_ranked *const *ranked,
                         int n, mw_plan_row **rows)
{
    mw_plan_row *made = MW_NEW_ARRAY(report->arena, n + 1, mw_plan_row);
    char *mesh = mw_report_mesh(report->arena, &report->chosen->mesh);
    if (!made || !mesh)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        const mw_ranked *row = ranked[i];
        char *other = mw_report_mesh(report->arena, &row->mesh);
        if (!other)
            return MW_ENOMEM;
        // Only what is on the plan's own mesh can be made anew from it.
        bool same = strcmp(mesh, other) == 0;
        made[i] = (mw_plan_row){
            .name = row->name,
            .status = row->feasible ? mw_solve_status_text(row->status)
                                    : "infeasible",
            .reason = row->reason,
            .baseline = row->baseline,
            .has_figures = row->planned,
            .time_ps = row->plan.time_ps,
            .comm_ps = row->plan.comm_ps,
            .peak_bytes = row->plan.peak_bytes,
            .has_bound = !row->baseline && row->planned,
            .bound = row->bound,
            .mesh = report->counts ? other : NULL,
            .n_ranks = mw_mesh_ranks(&row->mesh),
            .efficiency = report->counts ? mw_report_efficiency(row) : 0,
            .choices = row->planned && same ? &row->choices : NULL,
        };
    }
    *rows = made;
    return MW_OK;
}

static mw_status front_of(const mw_report *report, mw_plan_info *info)
{
    const mw_ranking *ranking = report->ranking;
    mw_plan_row *rows;
    MW_TRY(rows_of(report, ranking->front, ranking->n_front, &rows));
    for (int i = 0; i < ranking->n_front; i++) {
        rows[i].name = mw_arena_format(report->arena, "pareto-%d", i + 1);
        rows[i].mesh = mw_report_mesh(report->arena, &ranking->front[i]->mesh);
        if (!rows[i].name || !rows[i].mesh)
            return MW_ENOMEM;
    }
    info->pareto = rows;
    info->n_pareto = ranking->n_front;
    info->pareto_whole = ranking->front_whole;
    return MW_OK;
}

static mw_status write_json(mw_ctx *ctx, const mw_report *report, mw_text *text)
{
    mw_plan_info info = *report->info;
    mw_plan_row *rows;
    MW_TRY(
        rows_of(report, report->ranking->row, report->ranking->n_rows, &rows));
    // With least_peak the bounds of rows are not all of one kind.
    for (int i = 0; i < report->ranking->n_rows; i++)
        rows[i].has_bound = rows[i].has_bound && !report->ranking->by_peak;
    info.row = rows;
    info.n_rows = report->ranking->n_rows;
    if (report->ranking->n_front > 0)
        MW_TRY(front_of(report, &info));
    return mw_plan_write(ctx, &report->chosen->plan, &info, text);
}

const mw_format_def mw_format_json = {
    .name = "json",
    .brief = "the plan, with its ranking",
    .write = write_json,
};
