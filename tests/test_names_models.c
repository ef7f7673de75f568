/* test_names_models.c - dimensions and renames of models, and the classes that
 * models/names/expected.txt fixes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "ir/op.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "tests/import_support.h"
#include "tests/placed_text.h"
#include "tests/random_placed.h"
#include "tests/test.h"

enum { PATH = 1024 };

static const struct row {
    const char *folder, *name; /* folder NULL: models/real of MW_SHARED */
    const char *dims;          /* those of products that emission made are +N */
    int renames, reshapes;
} rows[] = {
    {"examples", "gpt_tiny",
     "batch seq vocab d_model d64 parts heads d_head seq.k d_ff", 4, 0},
    {"tests/data/exports", "gpt_static",
     "batch seq vocab d_model parts heads d_head seq.k d_ff", 4, 0},
    {"tests/data/exports", "jax_gpt_static",
     "batch seq vocab d_model d64 parts heads d_head seq.k d_ff", 4, 0},
    {"tests/data/exports", "bert_tiny",
     "batch seq vocab d_model d64 vocab_2 heads d_head seq.k d_head_2 d_ff "
     "logits",
     5, 0},
    {NULL, "minilm_l3",
     "batch_size sequence_length vocab d_model d2 d512 heads d_head "
     "sequence_length.k d_head_2 d_ff",
     7, 0},
    {"tests/data/exports", "vit_tiny",
     "batch c3 h32 w32 d_model h4 w4 seq parts heads d_head seq.k d_ff logits "
     "d16",
     4, 1},
    {"tests/data/exports", "mixer", "batch seq d_model d_ff d_ff_2", 0, 0},
    {"tests/data/exports", "mlp", "batch d784 hidden hidden_2 logits", 0, 0},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const char *dim_names(mw_arena *arena, const mw_graph *graph)
{
    const char *text = "";
    for (int i = 0; text && i < graph->n_dims; i++)
        text = mw_arena_format(arena, "%s%s%s", text, i > 0 ? " " : "",
                               graph->dim[i].name);
    return text ? text : "out of memory";
}

static void check_legal(imported *model, const char *name)
{
    mw_graph again;
    mw_status status = mw_verify(&model->named);
    const char *text = mw_text_print(&model->named), *second = NULL;
    if (status == MW_OK)
        status = mw_graph_init(&again, &model->arena, "again");
    if (status == MW_OK && text)
        status = mw_text_parse(&again, "again.mw", text);
    if (CHECK(status == MW_OK, "%s: %s", name, model->ctx.message))
        second = mw_text_print(&again);
    CHECK(text && second && strcmp(text, second) == 0,
          "%s: its text changes when it is read", name);
}

// Any topological order of the file gives the same classes and names.
static void check_order(imported *model, const char *name)
{
    uint64_t state = 11;
    mw_graph other, again;
    mw_arena *arena = &model->arena;
    mw_status status = mw_graph_init(&other, arena, "other");
    if (status == MW_OK)
        status = mw_placed_reorder(&model->placed, &other, &state);
    if (status == MW_OK)
        status = mw_graph_init(&again, arena, "again");
    if (status == MW_OK)
        status = mw_names(&other, NULL, 0, &again);
    if (!CHECK(status == MW_OK, "%s: %s", name, model->ctx.message))
        return;
    const char *x = dim_names(arena, &model->named);
    const char *y = dim_names(arena, &again);
    CHECK(strcmp(x, y) == 0, "%s: dims are %s, in another order %s", name, x,
          y);
    int n_differ = 0;
    for (mw_id t = 0; t < model->named.n_tensors; t++) {
        mw_id id = mw_graph_find_tensor(&again, model->named.tensor[t].name);
        n_differ += id == MW_NONE || strcmp(mw_named_axes(&model->named, t),
                                            mw_named_axes(&again, id)) != 0;
    }
    CHECK(n_differ == 0, "%s: %d tensors have other axes in another order",
          name, n_differ);
}

static void check_row(const struct row *row)
{
    char path[PATH], npz[PATH], real[PATH];
    (void)snprintf(real, sizeof real, "%s/models/real", mw_shared_path());
    const char *folder = row->folder ? row->folder : real;
    (void)snprintf(path, sizeof path, "%s/%s.onnx", folder, row->name);
    (void)snprintf(npz, sizeof npz, "%s/%s.npz", folder, row->name);
    if (access(path, R_OK) != 0) {
        SKIP("%s: not there", path);
        return;
    }
    imported model;
    import_open(&model, path, npz, NULL);
    if (CHECK(model.status == MW_OK, "%s: %s", row->name, model.ctx.message)) {
        const char *dims = dim_names(&model.arena, &model.named);
        CHECK(strcmp(dims, row->dims) == 0, "%s: dims are '%s', want '%s'",
              row->name, dims, row->dims);
        int renames = mw_named_renames(&model.named);
        int reshapes = mw_named_count(&model.named, "reshape");
        CHECK(renames == row->renames, "%s: %d renames, want %d", row->name,
              renames, row->renames);
        CHECK(reshapes == row->reshapes, "%s: %d reshapes, want %d", row->name,
              reshapes, row->reshapes);
        check_legal(&model, row->name);
        check_order(&model, row->name);
    }
    import_close(&model);
}

static void models(void)
{
    for (int i = 0; i < N_ROWS; i++)
        check_row(&rows[i]);
}

/* ---- other sizes --------------------------------------------------------- */

// A symbolic dimension that is given another size.
static const struct resized {
    const char *folder, *name;
    mw_size_option size[2], other[2];
    int n;
} resized[] = {
    {"examples",
     "gpt_tiny",
     {{"batch", 3}, {"seq", 9}},
     {{"batch", 3}, {"seq", 23}},
     2},
    {"examples",
     "gpt_tiny",
     {{"batch", 3}, {"seq", 9}},
     {{"batch", 11}, {"seq", 9}},
     2},
    {"tests/data/exports",
     "bert_tiny",
     {{"batch", 3}, {"seq", 9}},
     {{"batch", 3}, {"seq", 10}},
     2},
    {"tests/data/exports", "vit_tiny", {{"batch", 3}}, {{"batch", 7}}, 1},
    {"tests/data/exports", "mixer", {{"batch", 3}}, {{"batch", 7}}, 1},
    {NULL,
     "minilm_l3",
     {{"batch_size", 3}, {"sequence_length", 9}},
     {{"batch_size", 3}, {"sequence_length", 14}},
     2},
};
enum { N_RESIZED = sizeof resized / sizeof resized[0] };

// The size that an axis of the first graph has when its dimensions have their
// sizes in the second.
static int64_t foretold(const mw_graph *first, const mw_graph *second,
                        const mw_axis *axis, int n)
{
    int64_t size = 1;
    for (int k = 0; k < n; k++) {
        const mw_axis *a = &axis[k];
        mw_id dim = a->dim == MW_NONE
                        ? MW_NONE
                        : mw_graph_find_dim(second, first->dim[a->dim].name);
        size *= dim == MW_NONE ? a->size : second->dim[dim].size;
    }
    return size;
}

static void check_foretold(const char *name, const mw_graph *first,
                           const mw_graph *second)
{
    int n_compared = 0;
    for (mw_id t = 0; t < first->n_tensors; t++) {
        const mw_tensor *tensor = &first->tensor[t];
        mw_id id = mw_graph_find_tensor(second, tensor->name);
        if (id == MW_NONE)
            continue;
        int64_t size[MW_MAX_FILE_RANK];
        int n = mw_tensor_file_shape(&second->tensor[id], size);
        const mw_axis *axis = tensor->axis;
        for (int f = 0; f < n; axis += tensor->file_axis[f++]) {
            int64_t want = foretold(first, second, axis, tensor->file_axis[f]);
            n_compared += want != 1;
            if (want != size[f])
                CHECK(false,
                      "%s: '%s' axis %d becomes %lld, its classes "
                      "say %lld",
                      name, tensor->name, f, (long long)size[f],
                      (long long)want);
        }
    }
    CHECK(n_compared > 50, "%s: %d axes compared", name, n_compared);
}

static void check_resized(const struct resized *row)
{
    char path[PATH], real[PATH];
    (void)snprintf(real, sizeof real, "%s/models/real", mw_shared_path());
    (void)snprintf(path, sizeof path, "%s/%s.onnx",
                   row->folder ? row->folder : real, row->name);
    if (access(path, R_OK) != 0) {
        SKIP("%s: not there", path);
        return;
    }
    imported first, second;
    import_open(&first, path, NULL,
                &(mw_import_options){.size = row->size, .n_sizes = row->n});
    import_open(&second, path, NULL,
                &(mw_import_options){.size = row->other, .n_sizes = row->n});
    bool both = first.status == MW_OK && second.status == MW_OK;
    if (CHECK(both, "%s: %s%s", row->name, first.ctx.message,
              second.ctx.message))
        check_foretold(row->name, &first.named, &second.named);
    import_close(&first);
    import_close(&second);
}

static void other_sizes(void)
{
    for (int i = 0; i < N_RESIZED; i++)
        check_resized(&resized[i]);
}

/* ---- models/names/expected.txt ------------------------------------------- */

/* Atoms of the file and dimensions of ours, each by the other's name. */
typedef struct classes {
    mw_arena *arena;
    mw_map ours, theirs;
} classes;

// The pair agrees with all pairs before it.
static bool pair_up(classes *c, const char *ours, const char *theirs)
{
    const char *const key[] = {ours, theirs};
    const char *const value[] = {theirs, ours};
    mw_map *const map[] = {&c->ours, &c->theirs};
    for (int i = 0; i < 2; i++) {
        const char *both = mw_arena_format(c->arena, "%s %s", key[i], value[i]);
        if (!both)
            return false;
        if (!mw_map_find_text(map[i], key[i])) {
            if (mw_map_put_text(map[i], key[i], 1) != MW_OK ||
                mw_map_put_text(map[i], both, 1) != MW_OK)
                return false;
        } else if (!mw_map_find_text(map[i], both)) {
            return false;
        }
    }
    return true;
}

// "[B:2, (d3 d4):12, 1:1]" against the axes of a tensor. Kernel taps have no
// dimension with us.
static bool same_axes(classes *c, const mw_graph *graph, mw_id t, char *text)
{
    const mw_tensor *tensor = &graph->tensor[t];
    int a = 0, f = 0;
    char *rest = NULL;
    for (char *axis = strtok_r(text, "[,]", &rest); axis;
         axis = strtok_r(NULL, "[,]", &rest), f++) {
        int n = 0;
        char *inner = NULL;
        *strchr(axis, ':') = '\0';
        for (char *atom = strtok_r(axis, " ()", &inner);
             atom && strcmp(atom, "1") != 0;
             atom = strtok_r(NULL, " ()", &inner), n++) {
            if (f >= tensor->file_rank || n >= tensor->file_axis[f])
                return false;
            mw_id dim = tensor->axis[a++].dim;
            if (dim != MW_NONE && !pair_up(c, graph->dim[dim].name, atom))
                return false;
        }
        if (f >= tensor->file_rank || n != tensor->file_axis[f])
            return false;
    }
    return f == tensor->file_rank;
}

// Axes that another dimension is put on, as the file counts: a rename's, or one
// a reshape that the model does not have.
static int renamed_axes(const mw_graph *graph, int opaque)
{
    int n = mw_named_count(graph, "reshape") - opaque;
    for (int i = 0; i < graph->n_ops; i++) {
        const mw_op *op = &graph->op[i];
        if (strcmp(op->def->name, "rename") != 0)
            continue;
        const mw_tensor *from = &graph->tensor[op->in[0].tensor];
        const mw_tensor *to = &graph->tensor[op->out[0].tensor];
        for (int a = 0; a < from->rank; a++)
            n += from->axis[a].dim != to->axis[a].dim;
    }
    return n;
}

static void check_block(imported *model, const char *name, int renames,
                        int opaque, char *lines)
{
    classes c = {.arena = &model->arena};
    mw_map_init(&c.ours, &model->arena);
    mw_map_init(&c.theirs, &model->arena);
    int n_found = 0;
    char *rest = NULL;
    for (char *line = strtok_r(lines, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        char tensor[64];
        char *axes = strchr(line, '[');
        if (!axes || strstr(line, "rename at") ||
            sscanf(line, "%63s", tensor) != 1)
            continue;
        mw_id t = mw_graph_find_tensor(&model->named, tensor);
        if (t == MW_NONE)
            continue;
        n_found++;
        const char *want = mw_arena_text(&model->arena, axes);
        CHECK(same_axes(&c, &model->named, t, axes),
              "%s: %s is [%s], want the classes of %s", name, tensor,
              mw_named_axes(&model->named, t), want ? want : "");
    }
    CHECK(n_found > 1, "%s: %d tensors of the file are there", name, n_found);
    int got = renamed_axes(&model->named, opaque);
    CHECK(got == renames, "%s: %d renames, want %d", name, got, renames);
}

static void check_axes(const mw_graph *named, const char *tensor,
                       const char *want)
{
    mw_id t = mw_graph_find_tensor(named, tensor);
    const char *got = t == MW_NONE ? "none" : mw_named_axes(named, t);
    CHECK(strcmp(got, want) == 0, "%s is [%s], want [%s]", tensor, got, want);
}

static void check_expected(const char *folder, char *block)
{
    char name[64], path[PATH], npz[PATH];
    int renames = 0, opaque = 0;
    char *lines = strchr(block, '\n');
    if (!lines || sscanf(block, " %63s renames %d", name, &renames) != 2)
        return;
    *lines++ = '\0';
    for (const char *at = block; (at = strstr(at, "('Reshape'")); at++)
        opaque++;
    (void)snprintf(path, sizeof path, "%s/%s.onnx", folder, name);
    (void)snprintf(npz, sizeof npz, "%s/%s.npz", folder, name);
    imported model;
    import_open(&model, path, npz, NULL);
    if (CHECK(model.status == MW_OK, "%s: %s", name, model.ctx.message)) {
        // The file's answer to this one is wrong: the batch must survive.
        if (strcmp(name, "pixelshuffle") == 0)
            check_axes(&model.named, "y", "B c4_2 (h6 c2) (w6 c2_2)");
        else
            check_block(&model, name, renames, opaque, lines);
        check_legal(&model, name);
        check_order(&model, name);
    }
    import_close(&model);
}

static void expected(void)
{
    char folder[PATH], path[PATH];
    mw_ctx ctx;
    mw_arena arena;
    char *text = NULL;
    size_t size = 0;
    (void)snprintf(folder, sizeof folder, "%s/models/names", mw_shared_path());
    (void)snprintf(path, sizeof path, "%s/expected.txt", folder);
    if (access(path, R_OK) != 0) {
        SKIP("%s: not there", path);
        return;
    }
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    if (CHECK(mw_file_read(&arena, path, &text, &size) == MW_OK, "%s",
              ctx.message)) {
        for (char *block = strstr(text, "---"); block;) {
            char *next = strstr(block + 3, "---");
            if (next)
                *next = '\0';
            check_expected(folder, block + 3);
            block = next;
        }
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_names_models = {"names_models",
                                        {{"dimensions of models", models},
                                         {"other sizes", other_sizes},
                                         {"expected classes", expected}}};
