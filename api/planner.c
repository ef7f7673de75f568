/* planner.c - the public planner: import, search, and the plan told. */
#include "meshwright/meshwright.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "profiles/machine.h"
#include "report/format.h"
#include "search/rank_largest.h"
#include "search/rank_mesh.h"

struct mw_planner {
    mw_ctx ctx;
    mw_arena arena; /* of the last request */
    mw_text json;
    char message[MW_WHERE_MAX + MW_MESSAGE_MAX + 2];
    bool planned, optimal;
    double time_s;
    int64_t bytes_sent, peak_bytes;
    int64_t largest, largest_bound;
};

typedef struct planning {
    mw_arena *arena;
    const mw_planner_request *request;
    mw_machine machine;
    mw_costs costs;
    mw_import_options import;
    mw_search_options search;
    mw_mesh *mesh; /* in the orders that are tried */
    int n_meshes;
    mw_graph graph;
    mw_size_option *size; /* those given, and that of `largest` */
    mw_ranking ranking;
    double search_s;
} planning;

MW_API mw_planner *mw_planner_open(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_planner *planner = mw_mem_alloc(&ctx, 1, sizeof *planner);
    mw_ctx_free(&ctx);
    if (!planner)
        return NULL;
    mw_ctx_init(&planner->ctx);
    mw_arena_init(&planner->arena, &planner->ctx);
    mw_text_init(&planner->json, &planner->ctx);
    return planner;
}

// What a request left behind; the handle is as new.
static void empty(mw_planner *planner)
{
    mw_text_free(&planner->json);
    mw_arena_free(&planner->arena);
    mw_ctx_free(&planner->ctx);
}

MW_API void mw_planner_close(mw_planner *planner)
{
    if (!planner)
        return;
    empty(planner);
    mw_mem_free(planner);
}

static mw_status read_dims(planning *job)
{
    const mw_planner_request *request = job->request;
    mw_size_option *size =
        MW_NEW_ARRAY(job->arena, request->n_dims + 2, mw_size_option);
    if (!size)
        return MW_ENOMEM;
    job->size = size;
    for (int i = 0; i < request->n_dims; i++) {
        const mw_planner_dim *dim = &request->dim[i];
        mw_ctx_at(job->arena->ctx, "dim %d", i);
        if (!dim->name || dim->size < 0)
            return mw_fail(job->arena->ctx, MW_EUSAGE,
                           "'%s' of size %lld, wanted a name and a size",
                           dim->name ? dim->name : "(null)",
                           (long long)dim->size);
        size[i] = (mw_size_option){dim->name, dim->size};
    }
    mw_ctx_at(job->arena->ctx, "%s", "");
    job->import.fuse = true;
    job->import.size = size;
    job->import.n_sizes = request->n_dims;
    return MW_OK;
}

static mw_status refuse_signs(mw_ctx *ctx, const mw_planner_request *request)
{
    const struct {
        const char *name;
        double value;
    } number[] = {
        {"n_dims", request->n_dims},
        {"memory_bytes", (double)request->memory_bytes},
        {"time_limit_s", request->time_limit_s},
        {"iterations", (double)request->iterations},
    };
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        if (number[i].value >= 0)
            continue;
        mw_ctx_at(ctx, "%s", number[i].name);
        return mw_fail(ctx, MW_EUSAGE, "is %g, wanted 0 or more",
                       number[i].value);
    }
    return MW_OK;
}

static mw_status read_mesh(planning *job)
{
    mw_ctx *ctx = job->arena->ctx;
    job->mesh = MW_NEW(job->arena, mw_mesh);
    if (!job->mesh)
        return MW_ENOMEM;
    mw_ctx_at(ctx, "mesh");
    MW_TRY(mw_mesh_parse(ctx, job->arena, job->request->mesh, job->mesh));
    mw_ctx_at(ctx, "%s", "");
    job->n_meshes = 1;
    return job->request->axis_orders
               ? mw_mesh_orders(job->arena, &job->costs, false, &job->mesh,
                                &job->n_meshes)
               : MW_OK;
}

static mw_status read_request(planning *job)
{
    static const double usual_limit_s = 60;
    const mw_planner_request *request = job->request;
    mw_ctx *ctx = job->arena->ctx;
    if (!request->model || !request->mesh)
        return mw_fail(ctx, MW_EUSAGE, "%s is NULL, wanted %s",
                       request->model ? "mesh" : "model",
                       request->model ? "axes and their sizes" : "a file");
    MW_TRY(refuse_signs(ctx, request));
    MW_TRY(read_dims(job));
    MW_TRY(mw_machine_find(ctx, job->arena,
                           request->machine ? request->machine : "this",
                           &job->machine));
    job->costs = mw_machine_costs(&job->machine);
    MW_TRY(read_mesh(job));
    double limit_s = request->time_limit_s;
    if (limit_s <= 0 && request->iterations == 0)
        limit_s = usual_limit_s;
    job->search = (mw_search_options){
        .space.even = request->even != 0,
        .global = request->global != 0,
        .least_peak = request->least_peak != 0,
        .memory_bytes =
            request->memory_bytes ? request->memory_bytes : MW_NO_LIMIT,
        .overhead_bytes = job->machine.overhead_bytes,
        .top = 1,
        .budget = {.deadline = mw_deadline_in(limit_s),
                   .iterations = request->iterations,
                   .seed = request->seed},
    };
    return MW_OK;
}

static mw_status set_up(const planning *job, mw_arena *arena,
                        const mw_graph *graph, int mesh, mw_setting **on)
{
    *on = MW_NEW(arena, mw_setting);
    if (!*on)
        return MW_ENOMEM;
    **on = (mw_setting){
        .graph = graph, .mesh = &job->mesh[mesh], .costs = &job->costs};
    return mw_resharder_open(arena->ctx, arena, &job->mesh[mesh], &job->costs,
                             &(*on)->resharder);
}

static bool is_better(const mw_ranking *a, const mw_ranking *b)
{
    const mw_plan *x = &a->best->plan, *y = &b->best->plan;
    return a->by_peak && x->peak_bytes != y->peak_bytes
               ? x->peak_bytes < y->peak_bytes
               : x->time_ps < y->time_ps;
}

// The best of all orders; no plan of any is better than the least bound.
static mw_status search_orders(planning *job)
{
    mw_ctx *ctx = job->arena->ctx;
    int64_t bound = INT64_MAX;
    mw_status last = MW_OK;
    double end_s = job->search.budget.deadline.end_s;
    for (int i = 0; i < job->n_meshes; i++) {
        mw_setting *on;
        mw_ranking found;
        double now_s = mw_clock_s();
        if (end_s > 0)
            job->search.budget.deadline = mw_deadline_in(
                fmax((end_s - now_s) / (job->n_meshes - i), 1e-3));
        MW_TRY(set_up(job, job->arena, &job->graph, i, &on));
        last = mw_search(ctx, job->arena, on, &job->search, &found);
        bool other = i + 1 < job->n_meshes || job->ranking.best;
        if (last == MW_OK &&
            (!job->ranking.best || is_better(&found, &job->ranking)))
            job->ranking = found;
        if (last == MW_OK && found.best->bound < bound)
            bound = found.best->bound;
        if (last == MW_ERUN)
            bound = 0;
        if (last != MW_OK &&
            ((last != MW_EINFEASIBLE && last != MW_ERUN) || !other))
            return last;
        if (last != MW_OK && other)
            mw_ctx_clear(ctx);
    }
    for (int i = 0; i < job->ranking.n_rows; i++) {
        mw_ranked *row = job->ranking.row[i];
        if (row != job->ranking.best || bound >= row->bound)
            continue;
        row->bound = bound;
        row->status = MW_SOLVE_FEASIBLE;
    }
    return MW_OK;
}

static mw_status search(planning *job)
{
    double begin_s = mw_clock_s();
    MW_TRY(search_orders(job));
    job->search_s = mw_clock_s() - begin_s;
    return MW_OK;
}

static mw_status set_up_size(void *user, mw_arena *arena, const mw_graph *graph,
                             int mesh, mw_setting **on,
                             mw_search_options *search)
{
    (void)search;
    return set_up(user, arena, graph, mesh, on);
}

// Sets the dimension's size for the search: the largest that fits, or 1.
static mw_status find_largest(planning *job, mw_largest *found)
{
    const char *name = job->request->largest;
    int at = 0;
    while (at < job->request->n_dims && strcmp(job->size[at].name, name) != 0)
        at++;
    mw_size_option *tried = &job->size[at];
    tried->name = name;
    if (at == job->request->n_dims)
        job->import.n_sizes = at + 1;
    if (job->search.memory_bytes == MW_NO_LIMIT)
        job->search.memory_bytes = job->machine.memory_bytes;
    const mw_size_hunt hunt = {.arena = job->arena,
                               .model = job->request->model,
                               .options = &job->import,
                               .size = tried,
                               .search = &job->search,
                               .n_meshes = job->n_meshes,
                               .set_up = set_up_size,
                               .user = job};
    MW_TRY(mw_largest_find(&hunt, found));
    tried->size = found->good > 0 ? found->good : 1;
    return MW_OK;
}

static mw_status tell(planning *job, mw_text *json)
{
    const mw_ranked *best = job->ranking.best;
    mw_plan_timing timing = {"search_s", job->search_s};
    char *machine, sha256[MW_SHA256_HEX];
    mw_ctx *ctx = job->arena->ctx;
    MW_TRY(mw_machine_print(ctx, job->arena, &job->machine, &machine));
    MW_TRY(mw_sha256_file(ctx, job->request->model, sha256));
    mw_plan_info info = mw_report_info(&job->ranking, best, &job->search);
    info.source = job->request->model;
    info.sha256 = sha256;
    info.options = &job->import;
    info.machine = machine;
    info.timing = &timing;
    info.n_timings = 1;
    mw_report report = {.arena = job->arena,
                        .graph = &job->graph,
                        .ranking = &job->ranking,
                        .chosen = best,
                        .info = &info,
                        .machine = job->machine.name,
                        .search_s = job->search_s};
    return mw_format_find("json")->write(ctx, &report, json);
}

static mw_status plan(mw_planner *planner, const mw_planner_request *request)
{
    planning job = {.arena = &planner->arena, .request = request};
    mw_import_files *files = NULL;
    mw_largest largest = {0};
    MW_TRY(read_request(&job));
    if (request->largest)
        MW_TRY(find_largest(&job, &largest));
    MW_TRY(mw_model_read(job.arena, request->model, &job.import, &job.graph,
                         &files));
    mw_status status = search(&job);
    if (status == MW_OK)
        status = tell(&job, &planner->json);
    mw_import_close(files);
    if (status != MW_OK)
        return status;
    const mw_ranked *best = job.ranking.best;
    planner->planned = true;
    planner->optimal = best->status == MW_SOLVE_OPTIMAL;
    planner->time_s = (double)best->plan.replay_ps * 1e-12;
    planner->bytes_sent = best->plan.bytes_sent;
    planner->peak_bytes = best->plan.peak_bytes;
    planner->largest = largest.good;
    planner->largest_bound = largest.proven;
    return MW_OK;
}

MW_API int mw_planner_plan(mw_planner *planner,
                           const mw_planner_request *request)
{
    empty(planner);
    *planner = (mw_planner){0};
    mw_ctx *ctx = &planner->ctx;
    mw_ctx_init(ctx);
    mw_arena_init(&planner->arena, ctx);
    mw_text_init(&planner->json, ctx);
    mw_status status = plan(planner, request);
    if (status != MW_OK)
        (void)snprintf(planner->message, sizeof planner->message, "%s%s%s",
                       ctx->where, ctx->where[0] ? ": " : "", ctx->message);
    return mw_status_exit(status);
}

MW_API const char *mw_planner_message(const mw_planner *planner)
{
    return planner->message;
}

MW_API double mw_planner_time_s(const mw_planner *planner)
{
    return planner->time_s;
}

MW_API int64_t mw_planner_bytes_sent(const mw_planner *planner)
{
    return planner->bytes_sent;
}

MW_API int64_t mw_planner_peak_bytes(const mw_planner *planner)
{
    return planner->peak_bytes;
}

MW_API int64_t mw_planner_largest(const mw_planner *planner, int64_t *bound)
{
    if (bound)
        *bound = planner->largest_bound;
    return planner->largest;
}

MW_API int mw_planner_optimal(const mw_planner *planner)
{
    return planner->optimal;
}

MW_API const char *mw_planner_json(const mw_planner *planner)
{
    return planner->planned ? planner->json.data : NULL;
}
