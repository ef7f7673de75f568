/* rank_words.c - a plan in words: for each mesh axis the dimensions that it
 * splits, those with most work first. */
#include "search/rank_parts.h"

#include "base/text.h"

enum { SHOWN = 5 };

const char *mw_rank_longer(const mw_ctx *ctx)
{
    return mw_stopped(ctx) ? "" : "; a longer --time-limit may help";
}

// Work of the ops that split each dimension over an axis. Ops without FLOPs
// count a point of their iteration space as one.
static void weigh(const mw_setting *on, const mw_choices *choices, int a,
                  double *work)
{
    for (mw_id k = 0; k < on->graph->n_ops; k++) {
        const mw_op *op = &on->graph->op[k];
        int split = choices->op[k].split[a];
        if (mw_op_is_rename(on->graph, op) || split < 0 ||
            op->letter[split].dim == MW_NONE)
            continue;
        double points = 1;
        for (int l = 0; l < op->n_letters; l++)
            points *= (double)op->letter[l].size;
        work[op->letter[split].dim] += points;
    }
}

// Names of the heaviest dimensions, and how many more there are.
static void add_dims(const mw_graph *graph, double *work, mw_text *text)
{
    int n = 0;
    for (mw_id d = 0; d < graph->n_dims; d++)
        n += work[d] > 0;
    for (int i = 0; i < n && i < SHOWN; i++) {
        mw_id best = 0;
        for (mw_id d = 0; d < graph->n_dims; d++) {
            if (work[d] > work[best])
                best = d;
        }
        mw_text_format(text, "%s%s", i ? " " : "", graph->dim[best].name);
        work[best] = 0;
    }
    if (n > SHOWN)
        mw_text_format(text, " +%d", n - SHOWN);
}

static mw_status describe(mw_arena *arena, const mw_setting *on, mw_ranked *row,
                          mw_text text[2])
{
    const mw_graph *graph = on->graph;
    for (int a = 0; a < on->mesh->n_axes; a++) {
        if (on->mesh->axis[a].size == 1)
            continue;
        double *work = MW_NEW_ARRAY(arena, graph->n_dims + 1, double);
        if (!work)
            return MW_ENOMEM;
        weigh(on, &row->choices, a, work);
        bool idle = true;
        for (mw_id d = 0; d < graph->n_dims; d++)
            idle = idle && work[d] <= 0;
        mw_text *to = &text[idle];
        if (to->length)
            mw_text_add(to, idle ? " " : "; ");
        if (!idle) {
            add_dims(graph, work, to);
            mw_text_add_char(to, '@');
        }
        mw_text_add(to, on->mesh->axis[a].name);
    }
    if (!text[0].length)
        mw_text_add(&text[0], "nothing split");
    row->rule = mw_arena_text(arena, text[0].data);
    row->idle = mw_arena_text(arena, text[1].data);
    if (!row->rule || !row->idle)
        return MW_ENOMEM;
    MW_TRY(mw_text_status(&text[0]));
    return mw_text_status(&text[1]);
}

mw_status mw_rank_words(mw_arena *arena, const mw_setting *on, mw_ranked *row)
{
    mw_text text[2];
    mw_text_init(&text[0], arena->ctx);
    mw_text_init(&text[1], arena->ctx);
    mw_status status = describe(arena, on, row, text);
    mw_text_free(&text[0]);
    mw_text_free(&text[1]);
    return status;
}
