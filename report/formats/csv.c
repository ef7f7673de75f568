/* csv.c - the ranking, a line a layout; figures in seconds and bytes. */
#include "report/format.h"

static mw_status write_csv(mw_ctx *ctx, const mw_report *report, mw_text *text)
{
    (void)ctx;
    mw_text_add(text, "rank,name,status,mesh,time_s,comm_s,bytes_sent,"
                      "peak_bytes,baseline,splits,reason\n");
    for (int i = 0; i < report->ranking->n_rows; i++) {
        const mw_ranked *row = report->ranking->row[i];
        char *mesh = mw_report_mesh(report->arena, &row->mesh);
        if (!mesh)
            return MW_ENOMEM;
        mw_text_format(text, "%d,%s,%s,", i + 1, row->name,
                       row->feasible ? mw_solve_status_text(row->status)
                                     : "infeasible");
        mw_text_add_csv(text, mesh);
        if (row->planned)
            mw_text_format(text, ",%.17g,%.17g,%lld,%lld,",
                           (double)row->plan.time_ps * 1e-12,
                           (double)row->plan.comm_ps * 1e-12,
                           (long long)row->plan.bytes_sent,
                           (long long)row->plan.peak_bytes);
        else
            mw_text_add(text, ",,,,,");
        mw_text_add(text, row->baseline ? "true," : "false,");
        mw_text_add_csv(text, row->rule);
        mw_text_add_char(text, ',');
        mw_text_add_csv(text, row->reason ? row->reason : "");
        mw_text_add_char(text, '\n');
    }
    return mw_text_status(text);
}

const mw_format_def mw_format_csv = {
    .name = "csv",
    .brief = "the ranking, a line a layout",
    .write = write_csv,
};
