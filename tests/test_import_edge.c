/* test_import_edge.c - the hazards of tests/data/edge, each as its row of
 * index.tsv wants: computed and compared, refused by name, or planned only. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/import_support.h"
#include "tests/test.h"

enum { MAX_ROWS = 100 };

/* What a refusal must name, or a warning must say. */
static const struct said {
    const char *name, *text;
} said[] = {
    {"reshape_two_minus1", "-1 twice"},
    {"sym_clash_broadcast", "'A' and 'C'"},
    {"declared_output_wrong_rank", "output 'y' is declared with another shape"},
    {"dup_output_name", "already a tensor 't'"},
    {"undefined_input", "'nope'"},
    {"unknown_op_domain", "'FusedThing' of domain 'com.acme'"},
    {"future_opset", "opset is 99"},
    {"ext_missing", "gone.bin"},
    {"ext_traversal", "outside the model's folder"},
    {"init_dims_overflow", "tensor 'w'"},
    {"empty", "is empty"},
    {"notonnx", "not a valid ONNX file"},
    {NULL, NULL},
};

static const char *said_of(const char *name)
{
    for (int i = 0; said[i].name; i++)
        if (strcmp(said[i].name, name) == 0)
            return said[i].text;
    return NULL;
}

static void refused(const imported *model, const char *name)
{
    const char *text = said_of(name);
    CHECK(model->status == MW_EINPUT, "%s: status is %s", name,
          mw_status_text(model->status));
    CHECK(text && strstr(model->ctx.message, text), "%s: message is '%s'", name,
          model->ctx.message);
}

static void accepted(imported *model, const char *name, bool warns)
{
    if (!CHECK(model->status == MW_OK, "%s: %s: %s", name, model->ctx.where,
               model->ctx.message))
        return;
    const char *text = said_of(name);
    if (warns)
        CHECK(text && import_warned(model, text), "%s: no warning", name);
    else
        CHECK(!model->ctx.warning, "%s: warns '%s'", name,
              model->ctx.warning ? model->ctx.warning->text : "");
    if (!model->npz)
        return;
    import_compare(model, &model->placed, name);
    import_compare(model, &model->named, name);
}

static void run_row(const char *name, const char *wanted)
{
    char path[256], npz[256];
    (void)snprintf(path, sizeof path, "tests/data/edge/%s.onnx", name);
    (void)snprintf(npz, sizeof npz, "tests/data/edge/%s.npz", name);
    bool reject = strcmp(wanted, "reject") == 0;
    bool plan_only = strcmp(wanted, "plan-only") == 0;
    imported model;
    bool stored = access(npz, R_OK) == 0;
    import_open(&model, path, stored ? npz : NULL, NULL);
    if (reject)
        refused(&model, name);
    else if (plan_only)
        CHECK(model.status == MW_OK, "%s: %s", name, model.ctx.message);
    else
        accepted(&model, name, strcmp(wanted, "ok-warn") == 0);
    import_close(&model);
}

static void index_rows(void)
{
    mw_ctx ctx;
    mw_arena arena;
    char *text = NULL;
    size_t size = 0;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_status status =
        mw_file_read(&arena, "tests/data/edge/index.tsv", &text, &size);
    int n = 0;
    if (CHECK(status == MW_OK, "%s", ctx.message)) {
        char *row = strchr(text, '\n');
        while (row && row[1] && n < MAX_ROWS) {
            char name[64], wanted[32];
            if (sscanf(row + 1, "%63[^\t]\t%31[^\t]", name, wanted) == 2) {
                run_row(name, wanted);
                n++;
            }
            row = strchr(row + 1, '\n');
        }
    }
    CHECK(n > 40, "index.tsv has %d rows", n);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_import_edge = {"import_edge",
                                       {{"index.tsv", index_rows}}};
