/* plan_read.c - graph, mesh, choices and figures of a plan file. */
#include "ir/plan_json.h"

#include <string.h>

#include "ir/text.h"

enum { MAX_RANKS = 1 << 24, MAX_THREADS = 1 << 20 };

typedef struct reader {
    mw_ctx *ctx;
    mw_arena *arena;
    const mw_json *root;
    mw_plan_file *file;
} reader;

/* ---- the head ---- */

static mw_status read_kind(reader *r)
{
    const char *format;
    int64_t version;
    const mw_json *requires, *value;
    MW_TRY(mw_json_kind_is(r->ctx, r->root, MW_JSON_OBJECT));
    MW_TRY(mw_json_get_text(r->ctx, r->root, "format", &format));
    MW_TRY(mw_json_member(r->ctx, r->root, "format", &value));
    if (strcmp(format, "meshwright.plan") != 0)
        return mw_json_fail(r->ctx, value,
                            "format is '%s', wanted 'meshwright.plan'", format);
    MW_TRY(mw_json_get_int(r->ctx, r->root, "version", &version));
    MW_TRY(mw_json_member(r->ctx, r->root, "version", &value));
    if (version != MW_PLAN_VERSION)
        return mw_json_fail(r->ctx, value, "version is %lld, wanted %d",
                            (long long)version, MW_PLAN_VERSION);
    MW_TRY(mw_json_get_array(r->ctx, r->root, "requires", &requires));
    for (int64_t i = 0; i < requires->n; i++) {
        const char *name;
        MW_TRY(mw_json_text(r->ctx, &requires->u.item[i], &name));
        return mw_json_fail(r->ctx, &requires->u.item[i],
                            "the plan requires '%s', which this version does "
                            "not know",
                            name);
    }
    return MW_OK;
}

static mw_status read_model(reader *r)
{
    const mw_json *model;
    const char *text;
    mw_plan_info *info = &r->file->info;
    MW_TRY(mw_json_get_object(r->ctx, r->root, "model", &model));
    MW_TRY(mw_json_get_text(r->ctx, model, "source", &info->source));
    MW_TRY(mw_json_get_text(r->ctx, model, "sha256", &info->sha256));
    MW_TRY(mw_plan_get_options(r->arena, model, &info->options));
    mw_import_options *options = MW_NEW(r->arena, mw_import_options);
    if (!options)
        return MW_ENOMEM;
    *options = *info->options;
    MW_TRY(mw_plan_get_train(r->arena, r->root, &options->train));
    info->options = options;
    MW_TRY(mw_json_get_text(r->ctx, model, "graph", &text));
    char *name = mw_arena_format(r->arena, "%s: model.graph", r->file->name);
    if (!name)
        return MW_ENOMEM;
    MW_TRY(mw_graph_init(&r->file->graph, r->arena, ""));
    return mw_text_parse(&r->file->graph, name, text);
}

static mw_status read_mesh_axis(reader *r, const mw_json *object, mw_mesh *mesh)
{
    const char *name;
    int64_t size;
    MW_TRY(mw_json_get_text(r->ctx, object, "axis", &name));
    MW_TRY(mw_json_get_int(r->ctx, object, "size", &size));
    if (*name == '\0' || mw_mesh_find(mesh, name) >= 0)
        return mw_json_fail(r->ctx, object,
                            "axis name '%s' is empty or stands twice", name);
    if (size < 1 || size > MAX_RANKS / mw_mesh_ranks(mesh))
        return mw_json_fail(r->ctx, object,
                            "size is %lld, wanted 1 and more, at most %d ranks "
                            "in all",
                            (long long)size, MAX_RANKS);
    mesh->axis[mesh->n_axes++] = (mw_mesh_axis){.name = name, .size = size};
    return MW_OK;
}

static mw_status read_mesh(reader *r)
{
    const mw_json *array;
    mw_mesh mesh = {0};
    MW_TRY(mw_json_get_array(r->ctx, r->root, "mesh", &array));
    if (array->n < 1 || array->n > MW_MAX_MESH)
        return mw_json_fail(r->ctx, array, "%lld mesh axes, wanted 1 to %d",
                            (long long)array->n, MW_MAX_MESH);
    for (int64_t i = 0; i < array->n; i++)
        MW_TRY(read_mesh_axis(r, &array->u.item[i], &mesh));
    r->file->mesh = mesh;
    return MW_OK;
}

// The canonical text of the machine, in the arena.
static mw_status read_machine(reader *r)
{
    const mw_json *machine;
    mw_text text;
    MW_TRY(mw_json_get_object(r->ctx, r->root, "machine", &machine));
    mw_text_init(&text, r->ctx);
    mw_json_canonical(&text, machine, NULL);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK) {
        r->file->info.machine = mw_arena_text(r->arena, text.data);
        status = r->file->info.machine ? MW_OK : MW_ENOMEM;
    }
    mw_text_free(&text);
    return status;
}

// A number or null.
static mw_status optional_real(reader *r, const mw_json *object,
                               const char *key, bool *has, double *value)
{
    const mw_json *member;
    MW_TRY(mw_json_member(r->ctx, object, key, &member));
    *has = member->kind != MW_JSON_NULL;
    *value = 0;
    return *has ? mw_json_real(r->ctx, member, value) : MW_OK;
}

static mw_status optional_int(reader *r, const mw_json *object, const char *key,
                              bool *has, int64_t *value)
{
    const mw_json *member;
    MW_TRY(mw_json_member(r->ctx, object, key, &member));
    *has = member->kind != MW_JSON_NULL;
    *value = 0;
    return *has ? mw_json_int(r->ctx, member, value) : MW_OK;
}

static mw_status read_bound(reader *r)
{
    mw_plan_info *info = &r->file->info;
    double bound_s;
    const mw_json *value = mw_json_find(r->root, "objective");
    bool peak = strcmp(info->objective, "peak") == 0;
    if (!peak && strcmp(info->objective, "time") != 0)
        return mw_json_fail(r->ctx, value,
                            "objective is '%s', wanted time or peak",
                            info->objective);
    MW_TRY(
        optional_real(r, r->root, "lower_bound_s", &info->has_bound, &bound_s));
    info->bound = mw_picoseconds(bound_s);
    if (!peak)
        return MW_OK;
    info->has_bound = mw_json_find(r->root, "lower_bound_bytes") != NULL;
    return info->has_bound ? mw_json_get_int(r->ctx, r->root,
                                             "lower_bound_bytes", &info->bound)
                           : MW_OK;
}

static mw_status read_timing(reader *r)
{
    const mw_json *timing;
    MW_TRY(mw_json_get_object(r->ctx, r->root, "timing", &timing));
    mw_plan_timing *list = MW_NEW_ARRAY(r->arena, timing->n, mw_plan_timing);
    if (!list)
        return MW_ENOMEM;
    for (int64_t i = 0; i < timing->n; i++) {
        const mw_json *item = &timing->u.item[i];
        list[i].name = item->key;
        MW_TRY(mw_json_real(r->ctx, item, &list[i].seconds));
    }
    r->file->info.timing = list;
    r->file->info.n_timings = (int)timing->n;
    return MW_OK;
}

static mw_status read_search(reader *r)
{
    mw_plan_info *info = &r->file->info;
    const mw_json *proof;
    MW_TRY(mw_json_get_text(r->ctx, r->root, "scope", &info->scope));
    MW_TRY(mw_json_get_text(r->ctx, r->root, "objective", &info->objective));
    MW_TRY(mw_json_get_text(r->ctx, r->root, "status", &info->status));
    MW_TRY(mw_json_member(r->ctx, r->root, "proof", &proof));
    if (proof->kind != MW_JSON_NULL)
        MW_TRY(mw_json_text(r->ctx, proof, &info->proof));
    MW_TRY(mw_json_get_int(r->ctx, r->root, "threads", &info->threads));
    if (info->threads < 0 || info->threads > MAX_THREADS)
        return mw_json_fail(r->ctx, mw_json_find(r->root, "threads"),
                            "threads is %lld, wanted 0 to %d",
                            (long long)info->threads, MAX_THREADS);
    MW_TRY(read_bound(r));
    MW_TRY(read_timing(r));
    return read_machine(r);
}

static mw_status read_bytes_by_rank(reader *r, const mw_json *predicted)
{
    const mw_json *array;
    int64_t n = mw_mesh_ranks(&r->file->mesh);
    MW_TRY(mw_json_get_array(r->ctx, predicted, "bytes_sent_by_rank", &array));
    if (array->n != n)
        return mw_json_fail(r->ctx, array, "%lld ranks, wanted the mesh's %lld",
                            (long long)array->n, (long long)n);
    r->file->bytes_by_rank = MW_NEW_ARRAY(r->arena, n, int64_t);
    if (!r->file->bytes_by_rank)
        return MW_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        MW_TRY(
            mw_json_int(r->ctx, &array->u.item[i], &r->file->bytes_by_rank[i]));
    return MW_OK;
}

static mw_status read_predicted(reader *r)
{
    const mw_json *p;
    mw_plan_file *file = r->file;
    mw_plan_info *info = &file->info;
    bool limited;
    MW_TRY(mw_json_get_object(r->ctx, r->root, "predicted", &p));
    MW_TRY(mw_json_get_real(r->ctx, p, "time_s", &file->time_s));
    MW_TRY(mw_json_get_real(r->ctx, p, "compute_s", &file->compute_s));
    MW_TRY(mw_json_get_real(r->ctx, p, "comm_s", &file->comm_s));
    MW_TRY(mw_json_get_int(r->ctx, p, "bytes_sent", &file->bytes_sent));
    MW_TRY(
        mw_json_get_int(r->ctx, p, "live_peak_bytes", &file->live_peak_bytes));
    MW_TRY(mw_json_get_int(r->ctx, p, "peak_bytes", &file->peak_bytes));
    MW_TRY(mw_json_get_int(r->ctx, p, "overhead_bytes", &info->overhead_bytes));
    MW_TRY(optional_int(r, p, "memory_limit_bytes", &limited,
                        &info->memory_limit_bytes));
    if (info->overhead_bytes < 0 || info->memory_limit_bytes < 0 ||
        info->overhead_bytes > INT64_MAX / 4)
        return mw_json_fail(r->ctx, p,
                            "overhead_bytes is %lld and "
                            "memory_limit_bytes %lld, wanted none "
                            "below 0",
                            (long long)info->overhead_bytes,
                            (long long)info->memory_limit_bytes);
    return read_bytes_by_rank(r, p);
}

/* ---- choices ---- */

static mw_status read_homes(reader *r)
{
    const mw_json *tensors;
    mw_graph *graph = &r->file->graph;
    MW_TRY(mw_json_get_object(r->ctx, r->root, "tensors", &tensors));
    for (int64_t i = 0; i < tensors->n; i++) {
        const mw_json *item = &tensors->u.item[i];
        mw_id t = mw_graph_find_tensor(graph, item->key);
        if (t == MW_NONE)
            return mw_json_fail(r->ctx, item, "the graph has no tensor '%s'",
                                item->key);
        MW_TRY(mw_plan_get_layout(r->ctx, item, graph, &graph->tensor[t],
                                  &r->file->mesh, &r->file->choices.home[t]));
    }
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (!mw_json_find(tensors, graph->tensor[t].name))
            return mw_json_fail(r->ctx, tensors, "tensor '%s' is missing",
                                graph->tensor[t].name);
    return MW_OK;
}

static mw_status set_split(reader *r, const mw_json *where, uint32_t axes,
                           int split, mw_strategy *s)
{
    for (int a = 0; a < MW_MAX_MESH; a++) {
        if (!(axes >> a & 1U))
            continue;
        if (s->split[a] != MW_SPLIT_NONE)
            return mw_json_fail(r->ctx, where,
                                "mesh axis '%s' splits twice, wanted once",
                                r->file->mesh.axis[a].name);
        s->split[a] = (int8_t)split;
    }
    return MW_OK;
}

static mw_status read_splits(reader *r, const mw_json *object, const mw_op *op,
                             mw_strategy *s)
{
    const mw_json *split;
    const mw_graph *graph = &r->file->graph;
    MW_TRY(mw_json_get_object(r->ctx, object, "split", &split));
    for (int64_t i = 0; i < split->n; i++) {
        const mw_json *item = &split->u.item[i];
        uint32_t axes;
        int l = 0;
        while (l < op->n_letters &&
               (op->letter[l].dim == MW_NONE ||
                strcmp(graph->dim[op->letter[l].dim].name, item->key) != 0))
            l++;
        if (l == op->n_letters)
            return mw_json_fail(r->ctx, item, "op '%s' has no dimension '%s'",
                                op->name, item->key);
        MW_TRY(
            mw_plan_get_axes(r->ctx, split, item->key, &r->file->mesh, &axes));
        MW_TRY(set_split(r, item, axes, l, s));
    }
    return MW_OK;
}

// The number of the linear set that has these operands.
static mw_status find_linear(reader *r, const mw_json *array, const mw_op *op,
                             int *k)
{
    uint32_t set = 0;
    MW_TRY(mw_json_kind_is(r->ctx, array, MW_JSON_ARRAY));
    for (int64_t i = 0; i < array->n; i++) {
        int64_t operand;
        MW_TRY(mw_json_int(r->ctx, &array->u.item[i], &operand));
        if (operand < 0 || operand >= op->n_in || operand >= 32)
            return mw_json_fail(r->ctx, &array->u.item[i],
                                "op '%s' has no input %lld", op->name,
                                (long long)operand);
        set |= 1U << operand;
    }
    for (int i = 0; i < MW_MAX_LINEAR; i++)
        if (set && mw_op_linear(&r->file->graph, op, i) == set) {
            *k = i;
            return MW_OK;
        }
    return mw_json_fail(r->ctx, array,
                        "op '%s' passes no partial sums through these inputs",
                        op->name);
}

static mw_status read_passes(reader *r, const mw_json *object, const mw_op *op,
                             mw_strategy *s)
{
    const mw_json *passes;
    MW_TRY(mw_json_get_object(r->ctx, object, "passes", &passes));
    for (int64_t i = 0; i < passes->n; i++) {
        const mw_json *item = &passes->u.item[i];
        int a = mw_mesh_find(&r->file->mesh, item->key), k = 0;
        if (a < 0)
            return mw_json_fail(r->ctx, item, "the mesh has no axis '%s'",
                                item->key);
        MW_TRY(find_linear(r, item, op, &k));
        MW_TRY(set_split(r, item, 1U << a, MW_SPLIT_PARTIAL - k, s));
    }
    return MW_OK;
}

static mw_status read_ops(reader *r)
{
    const mw_json *ops;
    const mw_graph *graph = &r->file->graph;
    MW_TRY(mw_json_get_array(r->ctx, r->root, "ops", &ops));
    if (ops->n != graph->n_ops)
        return mw_json_fail(r->ctx, ops, "%lld ops, wanted the graph's %d",
                            (long long)ops->n, graph->n_ops);
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_json *object = &ops->u.item[k];
        mw_strategy *s = &r->file->choices.op[k];
        MW_TRY(mw_json_kind_is(r->ctx, object, MW_JSON_OBJECT));
        MW_TRY(read_splits(r, object, &graph->op[k], s));
        MW_TRY(read_passes(r, object, &graph->op[k], s));
    }
    return MW_OK;
}

/* ---- the ranking ---- */

static mw_status read_figures(reader *r, const mw_json *object,
                              mw_plan_row *row)
{
    double time_s, comm_s;
    bool has[3];
    MW_TRY(optional_real(r, object, "time_s", &has[0], &time_s));
    MW_TRY(optional_real(r, object, "comm_s", &has[1], &comm_s));
    MW_TRY(optional_int(r, object, "peak_bytes", &has[2], &row->peak_bytes));
    if (has[0] != has[1] || has[0] != has[2])
        return mw_json_fail(r->ctx, object, "some figures are null");
    row->has_figures = has[0];
    if (mw_json_find(object, "lower_bound_s")) {
        double bound_s;
        MW_TRY(mw_json_get_real(r->ctx, object, "lower_bound_s", &bound_s));
        row->has_bound = true;
        row->bound = mw_picoseconds(bound_s);
    }
    row->time_ps = mw_picoseconds(time_s);
    row->comm_ps = mw_picoseconds(comm_s);
    return MW_OK;
}

static mw_status read_row(reader *r, const mw_json *object, mw_plan_row *row)
{
    MW_TRY(mw_json_get_text(r->ctx, object, "name", &row->name));
    MW_TRY(mw_json_get_text(r->ctx, object, "status", &row->status));
    MW_TRY(mw_json_get_bool(r->ctx, object, "baseline", &row->baseline));
    if (mw_json_find(object, "reason"))
        MW_TRY(mw_json_get_text(r->ctx, object, "reason", &row->reason));
    MW_TRY(read_figures(r, object, row));
    if (!mw_json_find(object, "choices"))
        return MW_OK;
    const mw_json *choices;
    MW_TRY(mw_json_get_object(r->ctx, object, "choices", &choices));
    return mw_plan_get_choices(r->arena, choices, &r->file->graph,
                               &r->file->mesh, &row->choices);
}

static mw_status read_rows(reader *r, const char *key, const mw_plan_row **rows,
                           int *n)
{
    const mw_json *array;
    MW_TRY(mw_json_get_array(r->ctx, r->root, key, &array));
    mw_plan_row *row = MW_NEW_ARRAY(r->arena, array->n + 1, mw_plan_row);
    if (!row)
        return MW_ENOMEM;
    for (int64_t i = 0; i < array->n; i++)
        MW_TRY(read_row(r, &array->u.item[i], &row[i]));
    *rows = row;
    *n = (int)array->n;
    return MW_OK;
}

static mw_status read_ranking(reader *r)
{
    mw_plan_info *info = &r->file->info;
    MW_TRY(read_rows(r, "ranking", &info->row, &info->n_rows));
    if (!mw_json_find(r->root, "pareto"))
        return MW_OK;
    MW_TRY(
        mw_json_get_bool(r->ctx, r->root, "pareto_whole", &info->pareto_whole));
    return read_rows(r, "pareto", &info->pareto, &info->n_pareto);
}

/* ---- the whole ---- */

static mw_status read_root(mw_ctx *ctx, mw_arena *arena, const char *name,
                           const mw_json *root, mw_plan_file *file)
{
    mw_plan_file result = {.arena = arena, .json = root, .name = name};
    *file = result;
    reader r = {.ctx = ctx, .arena = arena, .root = root, .file = file};
    MW_TRY(read_kind(&r));
    MW_TRY(mw_json_get_text(ctx, root, "digest", &file->digest));
    MW_TRY(mw_plan_digest(ctx, root, file->computed));
    MW_TRY(read_mesh(&r));
    MW_TRY(read_predicted(&r));
    MW_TRY(read_model(&r));
    MW_TRY(mw_choices_init(arena, &file->graph, &file->choices));
    MW_TRY(read_homes(&r));
    MW_TRY(read_ops(&r));
    MW_TRY(read_search(&r));
    return read_ranking(&r);
}

mw_status mw_plan_read_text(mw_ctx *ctx, mw_arena *arena, const char *name,
                            const char *text, size_t length, mw_plan_file *file)
{
    const mw_json *root;
    MW_TRY(mw_json_parse(arena, name, text, length, &root));
    return read_root(ctx, arena, name, root, file);
}

mw_status mw_plan_read(mw_ctx *ctx, mw_arena *arena, const char *path,
                       mw_plan_file *file)
{
    const mw_json *root;
    MW_TRY(mw_json_read(arena, path, &root));
    return read_root(ctx, arena, path, root, file);
}
