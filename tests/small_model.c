/* small_model.c - imports lines of text, and says what remains. */
#include "tests/small_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/op.h"
#include "tests/onnx_text.h"
#include "tests/test.h"

static mw_import_options options_of(small_model *m, const char *text)
{
    mw_import_options options = {
        .size = m->size, .constant = &m->fixed, .opaque = &m->opaque};
    while (text && *text && options.n_sizes < SMALL_SIZES) {
        size_t n = strcspn(text, " "), name = strcspn(text, "=");
        bool is_const = text[0] == '!', is_op = text[0] == '@';
        char *word = m->word[is_const ? SMALL_SIZES
                             : is_op  ? SMALL_SIZES + 1
                                      : options.n_sizes];
        (void)snprintf(word, sizeof m->word[0], "%.*s", (int)n, text);
        m->opaque = is_op ? word + 1 : m->opaque;
        options.n_opaque += is_op;
        if (!is_op)
            word[name] = '\0';
        if (is_const)
            m->fixed = (mw_const_option){word + 1, word + name + 1};
        else if (!is_op)
            m->size[options.n_sizes] =
                (mw_size_option){word, strtoll(word + name + 1, NULL, 10)};
        options.n_constants += is_const;
        options.n_sizes += !is_const && !is_op;
        text += n + (text[n] == ' ');
    }
    return options;
}

const char *small_model_path(char path[SMALL_PATH], const char *name)
{
    (void)snprintf(path, SMALL_PATH, "%s/%s", mw_scratch_path(), name);
    return path;
}

mw_status small_model_open(small_model *m, const char *lines,
                           const char *options)
{
    char path[SMALL_PATH];
    *m = (small_model){.files = NULL};
    mw_ctx_init(&m->ctx);
    mw_arena_init(&m->arena, &m->ctx);
    mw_import_options with = options_of(m, options);
    CHECK(onnx_text_file(small_model_path(path, "small.onnx"), lines),
          "%s cannot be written", path);
    MW_TRY(mw_graph_init(&m->placed, &m->arena, "placed"));
    return mw_import_onnx(&m->ctx, &m->arena, path, &with, &m->placed,
                          &m->files);
}

void small_model_close(small_model *m)
{
    mw_import_close(m->files);
    mw_arena_free(&m->arena);
    mw_ctx_free(&m->ctx);
}

void small_model_summary(const mw_graph *graph, char text[SMALL_SUMMARY])
{
    size_t n = 0;
    text[0] = '\0';
    for (int pass = 0; pass < 3; pass++) {
        n += (size_t)snprintf(text + n, SMALL_SUMMARY - n, "%s",
                              pass ? "| " : "");
        for (int k = 0; k < graph->n_ops && pass == 1; k++)
            n += (size_t)snprintf(text + n, SMALL_SUMMARY - n, "%s ",
                                  graph->op[k].def->name);
        for (mw_id t = 0; t < graph->n_tensors && pass != 1; t++) {
            const mw_tensor *tensor = &graph->tensor[t];
            bool shown =
                pass == 0 ? tensor->role != MW_ROLE_VALUE : tensor->output;
            if (!shown || n + 100 > SMALL_SUMMARY)
                continue;
            const char *mark = tensor->role == MW_ROLE_PARAM   ? "!"
                               : tensor->role == MW_ROLE_CONST ? "#"
                                                               : "";
            const char *name =
                tensor->role == MW_ROLE_CONST ? "" : tensor->name;
            n += (size_t)snprintf(text + n, SMALL_SUMMARY - n, "%s%s", name,
                                  mark);
            for (int a = 0; a < tensor->rank; a++)
                n += (size_t)snprintf(text + n, SMALL_SUMMARY - n, "%s%lld%s",
                                      a ? "," : "[",
                                      (long long)tensor->axis[a].size,
                                      a + 1 == tensor->rank ? "]" : "");
            n += (size_t)snprintf(text + n, SMALL_SUMMARY - n, " ");
        }
    }
    if (n > 0)
        text[n - 1] = '\0';
}
