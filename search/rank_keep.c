/* rank_keep.c - rankings that outlive their search: of many meshes only rows,
 * figures and choices stay, not tables and paths. */
#include <string.h>

#include "search/rank_mesh.h"

static mw_status keep_choices(mw_arena *arena, const mw_graph *graph,
                              mw_choices *choices)
{
    mw_choices kept = {
        .op = MW_NEW_ARRAY(arena, graph->n_ops + 1, mw_strategy),
        .home = MW_NEW_ARRAY(arena, graph->n_tensors + 1, mw_layout),
    };
    if (!kept.op || !kept.home)
        return MW_ENOMEM;
    memcpy(kept.op, choices->op, (size_t)graph->n_ops * sizeof *kept.op);
    memcpy(kept.home, choices->home,
           (size_t)graph->n_tensors * sizeof *kept.home);
    *choices = kept;
    return MW_OK;
}

static mw_status keep_text(mw_arena *arena, const char **text)
{
    if (*text)
        *text = mw_arena_format(arena, "%s", *text);
    return arena->ctx->status;
}

static mw_status keep_row(mw_arena *arena, const mw_graph *graph,
                          const mw_ranked *from, mw_ranked **made)
{
    mw_ranked *row = MW_NEW(arena, mw_ranked);
    if (!row)
        return MW_ENOMEM;
    *row = *from;
    MW_TRY(keep_text(arena, &row->name));
    MW_TRY(keep_text(arena, &row->rule));
    MW_TRY(keep_text(arena, &row->idle));
    MW_TRY(keep_text(arena, &row->reason));
    row->plan = (mw_plan){.graph = graph,
                          .mesh = &row->mesh,
                          .choices = &row->choices,
                          .time_ps = from->plan.time_ps,
                          .compute_ps = from->plan.compute_ps,
                          .comm_ps = from->plan.comm_ps,
                          .bytes_sent = from->plan.bytes_sent,
                          .live_peak_bytes = from->plan.live_peak_bytes,
                          .peak_bytes = from->plan.peak_bytes};
    *made = row;
    return row->planned ? keep_choices(arena, graph, &row->choices) : MW_OK;
}

mw_status mw_ranking_keep(mw_arena *arena, const mw_graph *graph,
                          const mw_ranking *from, mw_ranking *kept)
{
    mw_ranking made = *from;
    made.row = MW_NEW_ARRAY(arena, from->n_rows + 1, mw_ranked *);
    made.front = MW_NEW_ARRAY(arena, from->n_front + 1, mw_ranked *);
    if (!made.row || !made.front)
        return MW_ENOMEM;
    made.cap_rows = from->n_rows + 1;
    made.cap_front = from->n_front + 1;
    for (int i = 0; i < from->n_rows; i++) {
        MW_TRY(keep_row(arena, graph, from->row[i], &made.row[i]));
        if (from->row[i] == from->best)
            made.best = made.row[i];
    }
    for (int i = 0; i < from->n_front; i++)
        MW_TRY(keep_row(arena, graph, from->front[i], &made.front[i]));
    *kept = made;
    return MW_OK;
}

mw_status mw_ranked_replan(mw_arena *arena, const mw_setting *on,
                           mw_ranked *row)
{
    MW_TRY(mw_plan_build(arena, on->graph, on->resharder, on->costs,
                         &row->choices, true, &row->plan));
    row->plan.mesh = &row->mesh;
    return MW_OK;
}
