/* plan_write.c - the plan as JSON (docs/plan-format.md). */
#include "ir/plan_json.h"

#include <string.h>

#include "ir/text.h"

typedef struct writer {
    mw_ctx *ctx;
    mw_arena *arena; /* for the graph's text and the machine */
    const mw_plan *plan;
    const mw_plan_info *info;
    const mw_graph *graph;
    const mw_mesh *mesh;
    const mw_json *machine;
    char machine_sha256[MW_SHA256_HEX];
    char options_sha256[MW_SHA256_HEX];
    const char *graph_text;
    mw_json_out out;
} writer;

/* ---- the head ---- */

static void put_model(writer *w)
{
    const mw_graph *graph = w->graph;
    mw_json_out *out = &w->out;
    mw_json_begin_object(out, "model");
    mw_json_put_text(out, "name", graph->name);
    mw_json_put_text(out, "source", w->info->source);
    mw_json_put_text(out, "sha256", w->info->sha256);
    mw_plan_put_options(out, w->info->options);
    mw_json_put_text(out, "options_sha256", w->options_sha256);
    mw_json_begin_object_inline(out, "dims");
    for (mw_id d = 0; d < graph->n_dims; d++)
        mw_json_put_int(out, graph->dim[d].name, graph->dim[d].size);
    mw_json_end(out);
    mw_json_put_text(out, "graph", w->graph_text);
    mw_json_begin_array_inline(out, "conditions");
    for (int i = 0; i < graph->n_conditions; i++)
        mw_json_put_text(out, NULL, graph->condition[i]);
    mw_json_end(out);
    mw_json_end(out);
}

static void put_mesh(writer *w)
{
    mw_json_begin_array_inline(&w->out, "mesh");
    for (int a = 0; a < w->mesh->n_axes; a++) {
        mw_json_begin_object(&w->out, NULL);
        mw_json_put_text(&w->out, "axis", w->mesh->axis[a].name);
        mw_json_put_int(&w->out, "size", w->mesh->axis[a].size);
        mw_json_end(&w->out);
    }
    mw_json_end(&w->out);
}

static bool on_peak(const mw_plan_info *info)
{
    return strcmp(info->objective, "peak") == 0;
}

// (cost - bound) / max(1, cost), in the objective's integers.
static void put_gap(writer *w)
{
    const mw_plan_info *info = w->info;
    bool peak = on_peak(info);
    int64_t cost = peak ? w->plan->live_peak_bytes : w->plan->time_ps;
    double gap = (double)(cost - info->bound) / (double)(cost > 1 ? cost : 1);
    if (info->has_bound)
        mw_json_put_real(&w->out, "gap", gap);
    else
        mw_json_put_null(&w->out, "gap");
    if (info->has_bound && !peak)
        mw_json_put_real(&w->out, "lower_bound_s", mw_seconds(info->bound));
    else
        mw_json_put_null(&w->out, "lower_bound_s");
    if (info->has_bound && peak)
        mw_json_put_int(&w->out, "lower_bound_bytes", info->bound);
}

static void put_search(writer *w)
{
    const mw_plan_info *info = w->info;
    mw_json_out *out = &w->out;
    mw_json_put(out, "machine", w->machine);
    mw_json_put_text(out, "machine_sha256", w->machine_sha256);
    mw_json_put_text(out, "scope", info->scope);
    mw_json_put_text(out, "objective", info->objective);
    mw_plan_put_train(out, info->options ? info->options->train : NULL);
    mw_json_put_text(out, "status", info->status);
    if (info->proof)
        mw_json_put_text(out, "proof", info->proof);
    else
        mw_json_put_null(out, "proof");
    put_gap(w);
    mw_json_begin_object_inline(out, "timing");
    for (int i = 0; i < info->n_timings; i++)
        mw_json_put_real(out, info->timing[i].name, info->timing[i].seconds);
    mw_json_end(out);
    mw_json_put_int(out, "threads", info->threads);
}

// The limit stands beside what it leaves free, so that neither can be changed
// alone.
static void put_limit(writer *w)
{
    const mw_plan_info *info = w->info;
    int64_t limit = info->memory_limit_bytes;
    mw_json_put_int(&w->out, "overhead_bytes", info->overhead_bytes);
    mw_json_put_int(&w->out, "peak_with_overhead_bytes",
                    w->plan->peak_bytes + info->overhead_bytes);
    if (limit == 0) {
        mw_json_put_null(&w->out, "memory_limit_bytes");
        mw_json_put_null(&w->out, "free_bytes");
        return;
    }
    mw_json_put_int(&w->out, "memory_limit_bytes", limit);
    mw_json_put_int(&w->out, "free_bytes",
                    limit - info->overhead_bytes - w->plan->peak_bytes);
}

static void put_predicted(writer *w)
{
    const mw_plan *plan = w->plan;
    mw_json_out *out = &w->out;
    mw_json_begin_object(out, "predicted");
    mw_json_put_real(out, "time_s", mw_seconds(plan->replay_ps));
    mw_json_put_real(out, "additive_s", mw_seconds(plan->time_ps));
    mw_json_put_real(out, "compute_s", mw_seconds(plan->compute_ps));
    mw_json_put_real(out, "comm_s", mw_seconds(plan->comm_ps));
    mw_json_put_int(out, "bytes_sent", plan->bytes_sent);
    mw_json_begin_array_inline(out, "bytes_sent_by_rank");
    for (int64_t rank = 0; rank < mw_mesh_ranks(w->mesh); rank++)
        mw_json_put_int(out, NULL, plan->bytes_by_rank[rank]);
    mw_json_end(out);
    mw_json_put_int(out, "live_peak_bytes", plan->live_peak_bytes);
    mw_json_put_int(out, "peak_step", plan->peak_step);
    mw_json_put_int(out, "peak_bytes", plan->peak_bytes);
    put_limit(w);
    mw_json_end(out);
}

/* ---- tensors ---- */

static void put_axis_dim(writer *w, const mw_axis *axis)
{
    if (axis->dim == MW_NONE)
        mw_json_put_int(&w->out, NULL, axis->size);
    else
        mw_json_put_text(&w->out, NULL, w->graph->dim[axis->dim].name);
}

// Names by axis of the file's array: a list where it is a product, [] where its
// size is 1, the size where it has no dimension.
static void put_dims(writer *w, const mw_tensor *tensor)
{
    const mw_axis *axis = tensor->axis;
    mw_json_begin_array_inline(&w->out, "dims");
    for (int i = 0; i < tensor->file_rank; i++) {
        int n = tensor->file_axis[i];
        if (n == 1) {
            put_axis_dim(w, axis++);
            continue;
        }
        mw_json_begin_array(&w->out, NULL);
        for (int k = 0; k < n; k++)
            put_axis_dim(w, axis++);
        mw_json_end(&w->out);
    }
    mw_json_end(&w->out);
}

// How a tensor came to the buffer of another.
static const char *shares_by(const mw_graph *graph, const mw_tensor *tensor)
{
    return graph->op[tensor->producer].def->view ? "renames" : "updates";
}

static void put_tensor(writer *w, mw_id t)
{
    static const char *const role[] = {"input", "param", "const", "state",
                                       "value"};
    const mw_tensor *tensor = &w->graph->tensor[t];
    mw_json_out *out = &w->out;
    int64_t size[MW_MAX_FILE_RANK];
    int rank = mw_tensor_file_shape(tensor, size);
    mw_layout home =
        mw_layout_canonical(w->mesh, &w->plan->choices->home[tensor->root]);
    mw_json_begin_object_inline(out, tensor->name);
    mw_json_begin_array(out, "shape");
    for (int i = 0; i < rank; i++)
        mw_json_put_int(out, NULL, size[i]);
    mw_json_end(out);
    put_dims(w, tensor);
    mw_json_put_text(out, "dtype", mw_dtype_name(tensor->dtype));
    mw_json_put_text(out, "role", role[tensor->role]);
    mw_plan_put_layout(out, w->graph, tensor, w->mesh, &home);
    mw_json_put_int(out, "offset", w->plan->home[t].offset);
    mw_json_put_int(out, "bytes", w->plan->home[t].bytes);
    if (tensor->root != t)
        mw_json_put_text(out, shares_by(w->graph, tensor),
                         w->graph->tensor[tensor->root].name);
    mw_json_end(out);
}

/* ---- ops ---- */

static void put_attr(writer *w, const mw_attr *attr)
{
    mw_json_out *out = &w->out;
    switch (attr->kind) {
    case MW_ATTR_INT:
        mw_json_put_int(out, attr->name, attr->i[0]);
        break;
    case MW_ATTR_INTS:
        mw_json_begin_array(out, attr->name);
        for (int i = 0; i < attr->n; i++)
            mw_json_put_int(out, NULL, attr->i[i]);
        mw_json_end(out);
        break;
    case MW_ATTR_FLOAT:
        mw_json_put_real(out, attr->name, attr->f);
        break;
    case MW_ATTR_TEXT:
        mw_json_put_text(out, attr->name, attr->text);
        break;
    case MW_ATTR_DIM:
        mw_json_put_text(out, attr->name, w->graph->dim[attr->i[0]].name);
        break;
    case MW_ATTR_DTYPE:
        mw_json_put_text(out, attr->name, mw_dtype_name(attr->dtype));
        break;
    case MW_ATTR_BODY:
        mw_json_put_text(out, attr->name, attr->body->name);
        break;
    }
}

static void put_names(writer *w, const char *key, const mw_operand *operand,
                      int n)
{
    mw_json_begin_array_inline(&w->out, key);
    for (int i = 0; i < n; i++)
        mw_json_put_text(&w->out, NULL,
                         w->graph->tensor[operand[i].tensor].name);
    mw_json_end(&w->out);
}

// "split": a letter's dimension to its axes; "passes": a mesh axis to the
// operands whose partial sums go through.
static void put_strategy(writer *w, const mw_op *op, const mw_strategy *s)
{
    mw_json_out *out = &w->out;
    mw_json_begin_object_inline(out, "split");
    for (int l = 0; l < op->n_letters; l++) {
        uint32_t axes = 0;
        for (int a = 0; a < w->mesh->n_axes; a++)
            if (s->split[a] == l)
                axes |= 1U << a;
        if (axes)
            mw_plan_put_axes(out, w->graph->dim[op->letter[l].dim].name,
                             w->mesh, axes);
    }
    mw_json_end(out);
    mw_json_begin_object_inline(out, "passes");
    for (int a = 0; a < w->mesh->n_axes; a++) {
        if (s->split[a] > MW_SPLIT_PARTIAL)
            continue;
        uint32_t set =
            mw_op_linear(w->graph, op, MW_SPLIT_PARTIAL - s->split[a]);
        mw_json_begin_array(out, w->mesh->axis[a].name);
        for (int i = 0; i < op->n_in && i < 32; i++)
            if (set >> i & 1U)
                mw_json_put_int(out, NULL, i);
        mw_json_end(out);
    }
    mw_json_end(out);
}

static void put_buffer(writer *w, const char *key, const mw_buffer *buffer)
{
    mw_json_begin_object_inline(&w->out, key);
    mw_json_put_int(&w->out, "offset", buffer->offset);
    mw_json_put_int(&w->out, "bytes", buffer->bytes);
    mw_json_end(&w->out);
}

static void put_moved(writer *w, const char *kind, uint32_t axes,
                      const char *algorithm, int64_t bytes_sent,
                      int64_t time_ps)
{
    mw_json_put_text(&w->out, "kind", kind);
    mw_plan_put_axes(&w->out, "axes", w->mesh, axes);
    mw_json_put_text(&w->out, "algorithm", algorithm);
    mw_json_put_int(&w->out, "bytes_sent", bytes_sent);
    mw_json_put_real(&w->out, "time_s", mw_seconds(time_ps));
}

static void put_layout_as(writer *w, const char *key, mw_id t,
                          const mw_layout *layout)
{
    mw_json_begin_object_inline(&w->out, key);
    mw_plan_put_layout(&w->out, w->graph, &w->graph->tensor[t], w->mesh,
                       layout);
    mw_json_end(&w->out);
}

// output: the tensor that the step converts to its home, or NULL.
static void put_step(writer *w, const mw_step *step, mw_id t,
                     const char *output)
{
    char way[MW_WAY_TEXT_MAX];
    mw_json_begin_object_inline(&w->out, NULL);
    put_moved(w, mw_collective_name(step->kind), step->axes,
              mw_way_text(step->kind, step->way, way), step->bytes_sent,
              step->time_ps);
    if (output)
        mw_json_put_text(&w->out, "output", output);
    put_layout_as(w, "to", t, &step->to);
    mw_json_end(&w->out);
}

static void put_collectives(writer *w, const mw_op *op, const mw_plan_op *p)
{
    mw_json_out *out = &w->out;
    mw_json_begin_array(out, "collectives");
    for (int f = 0; f < p->n_fetches; f++) {
        const mw_fetch *fetch = &p->fetch[f];
        mw_json_begin_object_inline(out, NULL);
        put_moved(w, mw_collective_name(MW_EXCHANGE), fetch->axes, "pairwise",
                  fetch->bytes_sent, fetch->time_ps);
        mw_json_put_int(out, "input", fetch->input);
        put_buffer(w, "box", &fetch->buffer);
        put_buffer(w, "scratch", &fetch->scratch);
        mw_json_end(out);
    }
    for (int i = 0; i < op->n_out; i++)
        for (int k = 0; k < p->out_path[i]->n_steps; k++)
            put_step(w, &p->out_path[i]->step[k], op->out[i].tensor,
                     w->graph->tensor[op->out[i].tensor].name);
    mw_json_end(out);
}

// Outputs that do not leave the op in their homes' layout.
static void put_naturals(writer *w, mw_id k, const mw_plan_op *p)
{
    const mw_op *op = &w->graph->op[k];
    mw_json_out *out = &w->out;
    mw_json_begin_array(out, "naturals");
    for (int i = 0; i < op->n_out; i++) {
        mw_id t = op->out[i].tensor;
        if (p->out_path[i]->n_steps == 0)
            continue;
        mw_json_begin_object_inline(out, NULL);
        mw_json_put_text(out, "output", w->graph->tensor[t].name);
        mw_plan_put_layout(out, w->graph, &w->graph->tensor[t], w->mesh,
                           &p->natural[i]);
        mw_json_put_int(out, "offset", p->out_natural[i].offset);
        mw_json_put_int(out, "bytes", p->out_natural[i].bytes);
        put_buffer(w, "scratch", &p->out_scratch[i]);
        if (p->out_until[i] != k)
            mw_json_put_int(out, "until_op", p->out_until[i]);
        mw_json_end(out);
    }
    mw_json_end(out);
}

static void put_op(writer *w, mw_id k)
{
    const mw_op *op = &w->graph->op[k];
    const mw_plan_op *p = &w->plan->op[k];
    mw_json_out *out = &w->out;
    mw_json_begin_object(out, NULL);
    mw_json_put_text(out, "op", op->def->name);
    mw_json_put_text(out, "name", op->name);
    put_names(w, "inputs", op->in, op->n_in);
    put_names(w, "outputs", op->out, op->n_out);
    mw_json_begin_object_inline(out, "attrs");
    for (int i = 0; i < op->n_attr; i++)
        put_attr(w, &op->attr[i]);
    mw_json_end(out);
    put_strategy(w, op, &p->strategy);
    if (mw_op_is_rename(w->graph, op))
        mw_json_put_null(out, "kernel");
    else
        mw_json_put_text(out, "kernel", p->kernel);
    mw_json_put_int(out, "threads", w->info->threads);
    put_buffer(w, "workspace", &p->workspace);
    if (p->late != k)
        mw_json_put_int(out, "runs_before_op", p->late);
    mw_json_put_int(out, "live_bytes", w->plan->live_bytes[k]);
    mw_json_put_real(out, "time_s", mw_seconds(p->time_ps));
    mw_json_put_text(out, "source", mw_source_name(p->source));
    put_collectives(w, op, p);
    put_naturals(w, k, p);
    mw_json_end(out);
}

static void put_copy(writer *w, mw_id k, const mw_copy *copy)
{
    mw_id t = copy->tensor;
    mw_json_out *out = &w->out;
    mw_layout home = mw_layout_canonical(w->mesh, &w->plan->choices->home[t]);
    mw_json_begin_object(out, NULL);
    mw_json_put_text(out, "tensor", w->graph->tensor[t].name);
    put_layout_as(w, "from", t, &home);
    put_layout_as(w, "to", t, &copy->layout);
    mw_json_put_int(out, "before_op", k);
    mw_json_put_int(out, "offset", copy->buffer.offset);
    mw_json_put_int(out, "bytes", copy->buffer.bytes);
    put_buffer(w, "scratch", &copy->scratch);
    mw_json_begin_array(out, "steps");
    for (int i = 0; i < copy->path->n_steps; i++)
        put_step(w, &copy->path->step[i], t, NULL);
    mw_json_end(out);
    mw_json_begin_array_inline(out, "consumers");
    mw_json_put_int(out, NULL, k);
    mw_json_end(out);
    mw_json_end(out);
}

/* ---- the whole ---- */

static void put_row_bound(writer *w, const mw_plan_row *row)
{
    int64_t cost = row->time_ps;
    if (!row->has_figures || !row->has_bound)
        return;
    mw_json_put_real(&w->out, "lower_bound_s", mw_seconds(row->bound));
    mw_json_put_real(&w->out, "gap",
                     (double)(cost - row->bound) /
                         (double)(cost > 1 ? cost : 1));
}

static mw_status put_row(writer *w, const mw_plan_row *row, int rank)
{
    mw_json_out *out = &w->out;
    mw_json_begin_object(out, NULL);
    mw_json_put_int(out, "rank", rank);
    mw_json_put_text(out, "name", row->name);
    mw_json_put_text(out, "status", row->status);
    if (row->reason)
        mw_json_put_text(out, "reason", row->reason);
    if (row->has_figures) {
        mw_json_put_real(out, "time_s", mw_seconds(row->time_ps));
        mw_json_put_real(out, "comm_s", mw_seconds(row->comm_ps));
        mw_json_put_int(out, "peak_bytes", row->peak_bytes);
    } else {
        mw_json_put_null(out, "time_s");
        mw_json_put_null(out, "comm_s");
        mw_json_put_null(out, "peak_bytes");
    }
    put_row_bound(w, row);
    mw_json_put_bool(out, "baseline", row->baseline);
    if (row->mesh) {
        mw_json_put_text(out, "mesh", row->mesh);
        mw_json_put_int(out, "processors", row->n_ranks);
    }
    if (row->efficiency > 0)
        mw_json_put_real(out, "efficiency", row->efficiency);
    if (row->choices)
        MW_TRY(mw_plan_put_choices(w->ctx, out, w->plan, row->choices));
    mw_json_end(out);
    return MW_OK;
}

static void put_largest(writer *w)
{
    const mw_plan_largest_size *largest = w->info->largest;
    mw_json_out *out = &w->out;
    if (!largest)
        return;
    mw_json_begin_object(out, "largest");
    mw_json_put_text(out, "dim", largest->dim);
    mw_json_put_int(out, "size", largest->size);
    if (largest->next)
        mw_json_put_int(out, "next", largest->next);
    else
        mw_json_put_null(out, "next");
    mw_json_put_bool(out, "proven", largest->next == largest->size + 1);
    if (largest->refused)
        mw_json_put_text(out, "refused", largest->refused);
    mw_json_end(out);
}

static mw_status put_lists(writer *w)
{
    const mw_graph *graph = w->graph;
    mw_json_out *out = &w->out;
    mw_json_begin_object(out, "tensors");
    for (mw_id t = 0; t < graph->n_tensors; t++)
        put_tensor(w, t);
    mw_json_end(out);
    mw_json_begin_array_inline(out, "order");
    for (mw_id k = 0; k < graph->n_ops; k++)
        mw_json_put_int(out, NULL, k);
    mw_json_end(out);
    mw_json_begin_array(out, "ops");
    for (mw_id k = 0; k < graph->n_ops; k++)
        put_op(w, k);
    mw_json_end(out);
    mw_json_begin_array(out, "reshards");
    for (mw_id k = 0; k < graph->n_ops; k++)
        for (int c = 0; c < w->plan->op[k].n_copies; c++)
            put_copy(w, k, &w->plan->op[k].copies[c]);
    mw_json_end(out);
    put_largest(w);
    mw_json_begin_array(out, "ranking");
    for (int i = 0; i < w->info->n_rows; i++)
        MW_TRY(put_row(w, &w->info->row[i], i + 1));
    mw_json_end(out);
    if (!w->info->pareto)
        return MW_OK;
    mw_json_put_bool(out, "pareto_whole", w->info->pareto_whole);
    mw_json_begin_array(out, "pareto");
    for (int i = 0; i < w->info->n_pareto; i++)
        MW_TRY(put_row(w, &w->info->pareto[i], i + 1));
    mw_json_end(out);
    return MW_OK;
}

static mw_status write_all(writer *w, const char *digest, mw_text *text)
{
    mw_json_out *out = &w->out;
    mw_json_out_init(out, text);
    mw_json_begin_object(out, NULL);
    mw_json_put_text(out, "format", "meshwright.plan");
    mw_json_put_int(out, "version", MW_PLAN_VERSION);
    mw_json_begin_array_inline(out, "requires");
    mw_json_end(out);
    if (digest)
        mw_json_put_text(out, "digest", digest);
    put_model(w);
    put_mesh(w);
    put_search(w);
    put_predicted(w);
    MW_TRY(put_lists(w));
    mw_json_end(out);
    return mw_text_status(text);
}

static mw_status write_twice(writer *w, mw_text *text)
{
    mw_text draft;
    const mw_json *json;
    char digest[MW_SHA256_HEX];
    mw_text_init(&draft, w->ctx);
    mw_status status = write_all(w, NULL, &draft);
    if (status == MW_OK)
        status =
            mw_json_parse(w->arena, "plan", draft.data, draft.length, &json);
    if (status == MW_OK)
        status = mw_plan_digest(w->ctx, json, digest);
    mw_text_free(&draft);
    return status == MW_OK ? write_all(w, digest, text) : status;
}

// Nothing follows from the options and from parts of the machine but what
// stands beside them: their hashes.
static mw_status hash_options(writer *w)
{
    mw_text text;
    mw_json_out out;
    const mw_json *json;
    mw_text_init(&text, w->ctx);
    mw_json_out_init(&out, &text);
    mw_json_begin_object(&out, NULL);
    mw_plan_put_options(&out, w->info->options);
    mw_json_end(&out);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        status =
            mw_json_parse(w->arena, "options", text.data, text.length, &json);
    if (status == MW_OK)
        status = mw_plan_digest(w->ctx, mw_json_find(json, "options"),
                                w->options_sha256);
    mw_text_free(&text);
    return status;
}

static mw_status prepare(writer *w)
{
    const char *machine = w->info->machine;
    MW_TRY(mw_json_parse(w->arena, "machine", machine, strlen(machine),
                         &w->machine));
    MW_TRY(mw_json_kind_is(w->ctx, w->machine, MW_JSON_OBJECT));
    MW_TRY(mw_plan_digest(w->ctx, w->machine, w->machine_sha256));
    MW_TRY(hash_options(w));
    w->graph_text = mw_text_print(w->graph);
    return w->graph_text ? MW_OK : MW_ENOMEM;
}

mw_status mw_plan_write(mw_ctx *ctx, const mw_plan *plan,
                        const mw_plan_info *info, mw_text *text)
{
    mw_arena arena;
    mw_arena_init(&arena, ctx);
    writer w = {.ctx = ctx,
                .arena = &arena,
                .plan = plan,
                .info = info,
                .graph = plan->graph,
                .mesh = plan->mesh};
    mw_status status = prepare(&w);
    if (status == MW_OK)
        status = write_twice(&w, text);
    mw_arena_free(&arena);
    return status;
}
