/* plan_options.c - from the command line to a search. */
#include "cli/plan_options.h"

#include <string.h>

#include "base/near.h"
#include "base/units.h"
#include "cli/model_options.h"
#include "cli/solver_option.h"
#include "db/store.h"
#include "ir/model.h"
#include "ir/train.h"
#include "runtime/fingerprint.h"
#include "search/rank_mesh.h"

static mw_status read_opaque(mw_arena *arena, const mw_args *args,
                             mw_import_options *model)
{
    int n = (int)mw_args_count(args, "opaque");
    const char **all = MW_NEW_ARRAY(arena, n + 1, const char *);
    if (!all)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++)
        all[i] = mw_args_item(args, "opaque", i);
    model->opaque = all;
    model->n_opaque = n;
    return MW_OK;
}

// Half floats that the machine has no rate for are computed in f32.
static void read_widen(const mw_machine *machine, mw_import_options *model)
{
    for (int d = 0; d < MW_N_DTYPES; d++)
        if (mw_dtype_is_float((mw_dtype)d) &&
            mw_dtype_bits((mw_dtype)d) <= 16 && !(machine->flops_per_s[d] > 0))
            model->widen |= UINT32_C(1) << d;
}

// Tensors that --fix names stay tensors, dims that --rule names may be split.
static mw_status read_fuse(mw_arena *arena, const mw_args *args,
                           mw_import_options *model)
{
    int n_fix = (int)mw_args_count(args, "fix");
    int n = n_fix + (int)mw_args_count(args, "rule");
    const char **all = MW_NEW_ARRAY(arena, n + 1, const char *);
    if (!all)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        const char *item = i < n_fix ? mw_args_item(args, "fix", i)
                                     : mw_args_item(args, "rule", i - n_fix);
        all[i] = mw_arena_format(arena, "%.*s", (int)strcspn(item, "="), item);
        if (!all[i])
            return MW_ENOMEM;
    }
    model->fuse = !mw_args_has(args, "no-fuse");
    model->keep = all;
    model->n_keep = model->fuse ? n : 0;
    return MW_OK;
}

// Figures measured here, of as many ranks as the mesh has.
static mw_status read_store(mw_arena *arena, const char *path, int64_t ranks,
                            mw_machine *machine)
{
    mw_ctx *ctx = arena->ctx;
    mw_store *store;
    char *fingerprint;
    MW_TRY(mw_fingerprint(ctx, arena, &fingerprint));
    MW_TRY(mw_store_open(ctx, path, MW_STORE_READ, &store));
    mw_status status =
        mw_store_load_measured(store, arena, fingerprint, ranks, 0, machine);
    mw_store_close(store);
    return status;
}

static mw_status read_machine(mw_arena *arena, const mw_args *args,
                              int64_t ranks, mw_machine *machine)
{
    const char *name = mw_args_text(args, "machine");
    const char *path = mw_args_text(args, "db");
    if (path && name && strcmp(name, "this") != 0) {
        mw_ctx_at(arena->ctx, "--db");
        return mw_fail(arena->ctx, MW_EUSAGE,
                       "measured figures are of this machine, not of '%s'",
                       name);
    }
    MW_TRY(mw_machine_find(arena->ctx, arena, name ? name : "this", machine));
    return path ? read_store(arena, path, ranks, machine) : MW_OK;
}

enum { MOST_RANKS = 1 << 20, MOST_COUNTS = 4096 };

static mw_status bad_count(mw_ctx *ctx, const char *text)
{
    mw_ctx_at(ctx, "--mesh");
    return mw_fail(ctx, MW_EUSAGE,
                   "'%s' is not a number of processors from 1 to %d", text,
                   MOST_RANKS);
}

static bool parse_count(const char *text, int64_t *ranks)
{
    return mw_int_parse(text, ranks) && *ranks >= 1 && *ranks <= MOST_RANKS;
}

// "auto:N" gives N twice, "auto:A..B" A and B, anything else 0.
static mw_status auto_ranks(mw_arena *arena, const char *text, int64_t ranks[2])
{
    static const char prefix[] = "auto:";
    ranks[0] = ranks[1] = 0;
    if (strncmp(text, prefix, sizeof prefix - 1) != 0)
        return MW_OK;
    const char *number = text + sizeof prefix - 1;
    const char *dots = strstr(number, "..");
    const char *last = dots ? dots + 2 : number;
    const char *first =
        dots ? mw_arena_format(arena, "%.*s", (int)(dots - number), number)
             : number;
    if (!first)
        return MW_ENOMEM;
    if (!parse_count(first, &ranks[0]))
        return bad_count(arena->ctx, first);
    if (!parse_count(last, &ranks[1]))
        return bad_count(arena->ctx, last);
    if (ranks[0] <= ranks[1] && ranks[1] - ranks[0] < MOST_COUNTS)
        return MW_OK;
    mw_ctx_at(arena->ctx, "--mesh");
    return mw_fail(arena->ctx, MW_EUSAGE,
                   "'%s' is no range A..B of at most %d numbers", number,
                   MOST_COUNTS);
}

// Meshes of few axes first, so that every number of processors has a row when
// time runs out, and of those with as many axes the largest.
static mw_status simple_first(mw_arena *arena, mw_plan_request *request)
{
    int n = request->n_meshes, placed = 0;
    mw_mesh *sorted = MW_NEW_ARRAY(arena, n + 1, mw_mesh);
    if (!sorted)
        return MW_ENOMEM;
    for (int n_axes = 0; n_axes <= MW_MAX_MESH; n_axes++) {
        for (int i = n - 1; i >= 0; i--) {
            if (request->mesh[i].n_axes == n_axes)
                sorted[placed++] = request->mesh[i];
        }
    }
    request->mesh = sorted;
    return MW_OK;
}

// The meshes of every number of processors in a range.
static mw_status add_meshes(mw_arena *arena, const int64_t ranks[2],
                            mw_plan_request *request)
{
    mw_costs costs = mw_machine_costs(&request->machine);
    int64_t cap = 0;
    request->n_meshes = 0;
    for (int64_t n = ranks[0]; n <= ranks[1]; n++) {
        mw_mesh *more;
        int n_more;
        MW_TRY(mw_mesh_factorizations(arena->ctx, arena, n, &costs, &more,
                                      &n_more));
        for (int i = 0; i < n_more; i++) {
            mw_mesh *all = mw_arena_reserve(
                arena, request->mesh, request->n_meshes, &cap, sizeof *all);
            if (!all)
                return MW_ENOMEM;
            request->mesh = all;
            all[request->n_meshes++] = more[i];
        }
    }
    return simple_first(arena, request);
}

static mw_status read_mesh(mw_arena *arena, const mw_args *args,
                           mw_plan_request *request)
{
    const char *text = mw_args_text(args, "mesh");
    int64_t ranks[2];
    if (!text) {
        mw_ctx_at(arena->ctx, "--mesh");
        return mw_fail(arena->ctx, MW_EUSAGE,
                       "not given: data=2,model=2, or 2x2, or auto:4");
    }
    MW_TRY(auto_ranks(arena, text, ranks));
    if (ranks[0] == 0) {
        request->n_meshes = 1;
        request->mesh = MW_NEW(arena, mw_mesh);
        if (!request->mesh)
            return MW_ENOMEM;
        mw_ctx_at(arena->ctx, "--mesh");
        MW_TRY(mw_mesh_parse(arena->ctx, arena, text, request->mesh));
        mw_ctx_at(arena->ctx, "%s", "");
        return read_machine(arena, args, mw_mesh_ranks(request->mesh),
                            &request->machine);
    }
    MW_TRY(read_machine(arena, args, ranks[1], &request->machine));
    request->counts = ranks[0] < ranks[1];
    return add_meshes(arena, ranks, request);
}

// One of two words; the first when the option was not given.
static mw_status read_word(mw_ctx *ctx, const mw_args *args, const char *option,
                           const char *const word[2], bool *second)
{
    const char *text = mw_args_text(args, option);
    *second = text && strcmp(text, word[1]) == 0;
    if (!text || *second || strcmp(text, word[0]) == 0)
        return MW_OK;
    mw_ctx_at(ctx, "--%s", option);
    return mw_fail(ctx, MW_EUSAGE, "'%s' is neither '%s' nor '%s'", text,
                   word[0], word[1]);
}

static mw_status read_search(mw_ctx *ctx, const mw_args *args,
                             mw_plan_request *request)
{
    static const char *const scope[] = {"tensor", "global"};
    static const char *const objective[] = {"time", "peak"};
    static const int64_t counts[2] = {0, INT64_MAX}, rows[2] = {1, 1000};
    static const double seconds[2] = {1e-3, 1e9};
    mw_search_options *search = &request->search;
    int64_t top, seed, iterations;
    double limit_s;
    MW_TRY(read_word(ctx, args, "scope", scope, &search->global));
    MW_TRY(read_word(ctx, args, "objective", objective, &search->least_peak));
    MW_TRY(
        mw_args_bytes(ctx, args, "memory", MW_NO_LIMIT, &search->memory_bytes));
    MW_TRY(mw_args_int(ctx, args, "top", rows, 3, &top));
    MW_TRY(mw_args_int(ctx, args, "seed", counts, 0, &seed));
    MW_TRY(mw_args_int(ctx, args, "iterations", counts, 0, &iterations));
    MW_TRY(mw_args_real(ctx, args, "time-limit", seconds,
                        iterations > 0 ? 0 : 60, &limit_s));
    search->top = (int)top;
    search->pareto = mw_args_has(args, "pareto");
    search->overhead_bytes = request->machine.overhead_bytes;
    search->space.even = mw_args_has(args, "even");
    search->budget = (mw_budget){.deadline = mw_deadline_in(limit_s),
                                 .iterations = iterations,
                                 .seed = (uint64_t)seed};
    return mw_args_solver(ctx, args, &search->budget.solver);
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

// The model's own loss, where it is the usual one of a built-in model or was
// asked for by --set loss=1; else *loss stays.
static mw_status choose_loss(mw_arena *arena, const mw_args *args,
                             mw_import_options *model, const char **loss)
{
    const char *name = args->pos[0];
    const mw_model_def *def =
        mw_import_is_built_in(name) ? mw_model_find(name) : NULL;
    bool asked = false, set = false;
    for (int i = 0; def && i < model->n_set; i++) {
        set = set || begins(model->set[i], "loss=");
        asked = asked || strcmp(model->set[i], "loss=1") == 0;
    }
    if (!def || (!asked && (set || !def->own_loss)))
        return MW_OK;
    const char **all = MW_NEW_ARRAY(arena, model->n_set + 1, const char *);
    if (!all)
        return MW_ENOMEM;
    for (int i = 0; i < model->n_set; i++)
        all[i] = model->set[i];
    all[model->n_set] = "loss=1";
    model->set = all;
    model->n_set += !asked;
    *loss = "loss";
    return MW_OK;
}

// --train, with --loss and --remat.
static mw_status read_train(mw_arena *arena, const mw_args *args,
                            mw_import_options *model)
{
    const char *text = mw_args_text(args, "train");
    const char *loss = mw_args_text(args, "loss");
    const char *remat = mw_args_text(args, "remat");
    if (text && !loss)
        MW_TRY(choose_loss(arena, args, model, &loss));
    if (!text && (loss || remat)) {
        mw_ctx_at(arena->ctx, loss ? "--loss" : "--remat");
        return mw_fail(arena->ctx, MW_EUSAGE,
                       "belongs to --train, which was not given");
    }
    if (!text)
        return MW_OK;
    mw_train_options *train = MW_NEW(arena, mw_train_options);
    if (!train)
        return MW_ENOMEM;
    model->train = train;
    return mw_train_options_read(arena, text, loss, remat, train);
}

// Whether a rule "DIM=a,b" names axes in the mesh's order; so does what is
// wrong with it otherwise.
static bool in_order(const mw_mesh *mesh, const char *rule)
{
    const char *at = strchr(rule, '=');
    int last = MW_NONE;
    for (at = at ? at + 1 : ""; *at; at += *at == ',') {
        size_t n = strcspn(at, ",");
        for (int a = 0; a < mesh->n_axes; a++) {
            if (strlen(mesh->axis[a].name) != n ||
                strncmp(mesh->axis[a].name, at, n) != 0)
                continue;
            if (a < last)
                return false;
            last = a;
        }
        at += n;
    }
    return true;
}

// Drops the orders that contradict a rule, if others are left.
static void keep_ordered(const mw_args *args, mw_plan_request *request)
{
    int n = 0;
    for (int i = 0; i < request->n_meshes; i++) {
        bool good = true;
        for (int64_t k = 0; k < mw_args_count(args, "rule"); k++)
            good = good &&
                   in_order(&request->mesh[i], mw_args_item(args, "rule", k));
        if (!good)
            continue;
        mw_mesh kept = request->mesh[i];
        request->mesh[i] = request->mesh[n];
        request->mesh[n++] = kept;
    }
    if (n > 0)
        request->n_meshes = n;
}

// --axis-orders: the mesh's own, or all.
static mw_status read_orders(mw_arena *arena, const mw_args *args,
                             mw_plan_request *request)
{
    static const char *const word[] = {"mesh", "all"};
    bool all;
    MW_TRY(read_word(arena->ctx, args, "axis-orders", word, &all));
    if (!all)
        return MW_OK;
    mw_costs costs = mw_machine_costs(&request->machine);
    bool named = mw_args_has(args, "fix") || mw_args_has(args, "rule");
    MW_TRY(mw_mesh_orders(arena, &costs, named, &request->mesh,
                          &request->n_meshes));
    keep_ordered(args, request);
    return MW_OK;
}

mw_status mw_plan_request_read(mw_arena *arena, const mw_args *args,
                               mw_plan_request *request)
{
    *request = (mw_plan_request){0};
    MW_TRY(mw_model_options_read(arena, args, &request->model));
    MW_TRY(read_opaque(arena, args, &request->model));
    MW_TRY(read_fuse(arena, args, &request->model));
    MW_TRY(read_train(arena, args, &request->model));
    MW_TRY(read_mesh(arena, args, request));
    read_widen(&request->machine, &request->model);
    MW_TRY(read_orders(arena, args, request));
    return read_search(arena->ctx, args, request);
}

static mw_status unknown(mw_ctx *ctx, const char *option, const char *what,
                         const mw_near *near)
{
    mw_ctx_at(ctx, "--%s", option);
    if (near->best)
        return mw_fail(ctx, MW_EUSAGE, "there is no %s '%s'; '%s'?", what,
                       near->word, near->best);
    return mw_fail(ctx, MW_EUSAGE, "there is no %s '%s'", what, near->word);
}

static mw_status find_tensor(const mw_graph *graph, const char *name, mw_id *t)
{
    *t = mw_graph_find_tensor(graph, name);
    if (*t != MW_NONE)
        return MW_OK;
    mw_near near;
    mw_near_init(&near, name);
    for (mw_id i = 0; i < graph->n_tensors; i++)
        mw_near_try(&near, graph->tensor[i].name);
    return unknown(graph->ctx, "fix", "tensor", &near);
}

static mw_status find_dim(const mw_graph *graph, const char *name, mw_id *dim)
{
    *dim = mw_graph_find_dim(graph, name);
    if (*dim != MW_NONE)
        return MW_OK;
    mw_near near;
    mw_near_init(&near, name);
    for (mw_id i = 0; i < graph->n_dims; i++)
        mw_near_try(&near, graph->dim[i].name);
    return unknown(graph->ctx, "rule", "dimension", &near);
}

static mw_status find_axis(mw_ctx *ctx, const mw_mesh *mesh, const char *name,
                           uint32_t *axes)
{
    int a = mw_mesh_find(mesh, name);
    if (a == MW_NONE) {
        mw_near near;
        mw_near_init(&near, name);
        for (int i = 0; i < mesh->n_axes; i++)
            mw_near_try(&near, mesh->axis[i].name);
        return unknown(ctx, "rule", "mesh axis", &near);
    }
    if (*axes >> a & 1) {
        mw_ctx_at(ctx, "--rule");
        return mw_fail(ctx, MW_EUSAGE, "mesh axis '%s' is given twice", name);
    }
    if (*axes >> a) {
        mw_ctx_at(ctx, "--rule");
        return mw_fail(ctx, MW_EUSAGE,
                       "mesh axis '%s' stands behind a later one of --mesh; "
                       "blocks nest in mesh order, and --axis-orders all "
                       "tries others",
                       name);
    }
    *axes |= UINT32_C(1) << a;
    return MW_OK;
}

// "data,model"; "" or "-": none.
static mw_status parse_axes(mw_arena *arena, const mw_mesh *mesh,
                            const char *text, uint32_t *axes)
{
    *axes = 0;
    if (!*text || strcmp(text, "-") == 0)
        return MW_OK;
    for (const char *at = text;; at++) {
        int n = (int)strcspn(at, ",");
        const char *name = mw_arena_format(arena, "%.*s", n, at);
        if (!name)
            return MW_ENOMEM;
        MW_TRY(find_axis(arena->ctx, mesh, name, axes));
        at += n;
        if (!*at)
            return MW_OK;
    }
}

static mw_status twice(mw_ctx *ctx, const char *option, const char *name)
{
    mw_ctx_at(ctx, "--%s %s", option, name);
    return mw_fail(ctx, MW_EUSAGE, "given twice, wanted once");
}

static mw_status read_fixes(mw_arena *arena, const mw_args *args,
                            const mw_graph *graph, const mw_mesh *mesh,
                            mw_space_options *space)
{
    int n = (int)mw_args_count(args, "fix");
    mw_fix_option *fix = MW_NEW_ARRAY(arena, n + 1, mw_fix_option);
    if (!fix)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        const char *name, *layout;
        MW_TRY(mw_args_pair(arena, "fix", mw_args_item(args, "fix", i), &name,
                            &layout));
        MW_TRY(find_tensor(graph, name, &fix[i].tensor));
        for (int j = 0; j < i; j++)
            if (fix[j].tensor == fix[i].tensor)
                return twice(arena->ctx, "fix", name);
        fix[i].layout = mw_layout_replicated();
        if (strcmp(layout, "-") == 0)
            continue;
        mw_ctx_at(arena->ctx, "--fix %s", name);
        MW_TRY(mw_layout_parse(arena->ctx, graph, &graph->tensor[fix[i].tensor],
                               mesh, layout, &fix[i].layout));
        mw_ctx_at(arena->ctx, "%s", "");
    }
    space->fix = fix;
    space->n_fixes = n;
    return MW_OK;
}

mw_status mw_plan_request_pins(mw_arena *arena, const mw_args *args,
                               const mw_graph *graph, const mw_mesh *mesh,
                               mw_space_options *space)
{
    MW_TRY(read_fixes(arena, args, graph, mesh, space));
    int n = (int)mw_args_count(args, "rule");
    mw_rule_option *rule = MW_NEW_ARRAY(arena, n + 1, mw_rule_option);
    if (!rule)
        return MW_ENOMEM;
    for (int i = 0; i < n; i++) {
        const char *name, *axes;
        MW_TRY(mw_args_pair(arena, "rule", mw_args_item(args, "rule", i), &name,
                            &axes));
        MW_TRY(find_dim(graph, name, &rule[i].dim));
        for (int j = 0; j < i; j++)
            if (rule[j].dim == rule[i].dim)
                return twice(arena->ctx, "rule", name);
        MW_TRY(parse_axes(arena, mesh, axes, &rule[i].axes));
    }
    space->rule = rule;
    space->n_rules = n;
    return MW_OK;
}
