/* test_import_models.c - whole models, computed as the placed graph and as the
 * named one, against the outputs of ONNX Runtime stored beside them. */
#include <stdio.h>
#include <unistd.h>

#include "tests/import_support.h"
#include "tests/test.h"

static void run_model(const char *folder, const char *name)
{
    char path[1024], npz[1024];
    (void)snprintf(path, sizeof path, "%s/%s.onnx", folder, name);
    (void)snprintf(npz, sizeof npz, "%s/%s.npz", folder, name);
    if (access(path, R_OK) != 0) {
        SKIP("%s: not there", path);
        return;
    }
    imported model;
    import_open(&model, path, npz, NULL);
    if (CHECK(model.status == MW_OK, "%s: %s: %s", name, model.ctx.where,
              model.ctx.message)) {
        import_compare(&model, &model.placed, name);
        import_compare(&model, &model.named, name);
    }
    import_close(&model);
}

static void exported_models(void)
{
    static const char *const name[] = {
        "gpt_static", "bert_tiny", "vit_tiny",       "mlp",
        "mixer",      "gpt_loss",  "jax_gpt_static", NULL};
    run_model("examples", "gpt_tiny");
    for (int i = 0; name[i]; i++)
        run_model("tests/data/exports", name[i]);
}

static void real_models(void)
{
    static const char *const name[] = {"minilm_l3",  "magika",   "deepcut",
                                       "attacut_sc", "slovorez", "anr_decoder",
                                       NULL};
    char folder[1024];
    (void)snprintf(folder, sizeof folder, "%s/models/real", mw_shared_path());
    for (int i = 0; name[i]; i++)
        run_model(folder, name[i]);
}

static void hard_to_name(void)
{
    static const char *const name[] = {
        "gqa",          "gram",          "group_conv",
        "groupnorm",    "no_outproj",    "pair_sym",
        "pixelshuffle", "reshape_12_8",  "reshape_4_6",
        "rotary",       "shared_square", "square_res",
        "torch_mha",    "window",        NULL};
    char folder[1024];
    (void)snprintf(folder, sizeof folder, "%s/models/names", mw_shared_path());
    for (int i = 0; name[i]; i++)
        run_model(folder, name[i]);
}

const mw_suite mw_suite_import_models = {
    "import_models",
    {{"exports", exported_models},
     {"real models", real_models},
     {"models that are hard to name", hard_to_name}}};
