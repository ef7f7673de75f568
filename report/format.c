/* format.c - what formats share. */
#include "report/format.h"

#include <string.h>

#include "base/units.h"

const mw_format_def *mw_format_find(const char *name)
{
    for (int i = 0; i < mw_format_count; i++) {
        if (strcmp(mw_format_table[i]->name, name) == 0)
            return mw_format_table[i];
    }
    return NULL;
}

mw_plan_info mw_report_info(const mw_ranking *ranking, const mw_ranked *chosen,
                            const mw_search_options *search)
{
    const mw_ranked *best = ranking->best;
    bool optimal = best->status == MW_SOLVE_OPTIMAL;
    return (mw_plan_info){
        .scope = search->global ? "global" : "tensor",
        .objective = search->least_peak ? "peak" : "time",
        .status = optimal && chosen == best ? "optimal" : "feasible",
        .proof = optimal ? mw_solve_proof_text(best->proof) : NULL,
        .has_bound = true,
        .bound = best->bound,
        .overhead_bytes = search->overhead_bytes,
        .memory_limit_bytes =
            search->memory_bytes == MW_NO_LIMIT ? 0 : search->memory_bytes,
    };
}

double mw_report_gap(const mw_report *report, const mw_ranked *row)
{
    bool peak = row == report->ranking->best &&
                strcmp(report->info->objective, "peak") == 0;
    int64_t cost = peak ? row->plan.live_peak_bytes : row->plan.time_ps;
    if (row->status == MW_SOLVE_OPTIMAL || row->bound >= cost)
        return 0;
    return (double)(cost - row->bound) / (double)(cost > 1 ? cost : 1);
}

double mw_report_efficiency(const mw_ranked *row)
{
    if (!row->planned || row->plan.time_ps <= 0)
        return 0;
    return (double)row->alone_ps /
           ((double)mw_mesh_ranks(&row->mesh) * (double)row->plan.time_ps);
}

char *mw_report_status(mw_arena *arena, const mw_report *report)
{
    const mw_ranked *best = report->ranking->best;
    if (best->status == MW_SOLVE_OPTIMAL)
        return mw_arena_format(arena, "optimal (proof: %s)",
                               mw_solve_proof_text(best->proof));
    char time[MW_UNITS_MAX];
    double gap = 100 * mw_report_gap(report, best);
    if (best->tied_by == 0)
        return mw_arena_format(arena, "feasible, within %.3g %% of the bound",
                               gap);
    return mw_arena_format(
        arena,
        "feasible, within %.3g %% of the bound; optimal "
        "with layers tied by %d: %s",
        gap, best->tied_by,
        mw_seconds_text((double)best->tied_ps * 1e-12, time));
}

// Names that "2x2" would give by itself.
static bool plain_names(const mw_mesh *mesh)
{
    for (int a = 0; a < mesh->n_axes; a++) {
        const char *name = mesh->axis[a].name;
        if (name[0] != 'm' || name[1] != '0' + a || name[2] != '\0')
            return false;
    }
    return true;
}

char *mw_report_mesh(mw_arena *arena, const mw_mesh *mesh)
{
    mw_text text;
    mw_text_init(&text, arena->ctx);
    bool plain = plain_names(mesh);
    for (int a = 0; a < mesh->n_axes; a++) {
        if (a)
            mw_text_add_char(&text, plain ? 'x' : ',');
        if (!plain)
            mw_text_format(&text, "%s=", mesh->axis[a].name);
        mw_text_format(&text, "%lld", (long long)mesh->axis[a].size);
    }
    char *made =
        mw_text_status(&text) == MW_OK ? mw_arena_text(arena, text.data) : NULL;
    mw_text_free(&text);
    return made;
}
