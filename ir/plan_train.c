/* plan_train.c - what a training plan was made with. */
#include <string.h>

#include "ir/plan_json.h"
#include "ir/train.h"

void mw_plan_put_train(mw_json_out *out, const mw_train_options *options)
{
    if (!options) {
        mw_json_put_null(out, "train");
        return;
    }
    mw_json_begin_object(out, "train");
    mw_json_put_text(out, "optimizer", options->optimizer->name);
    mw_json_put_text(out, "loss", options->loss);
    mw_json_put_text(out, "remat", options->remat);
    mw_json_put_text(out, "remat_base", mw_remat_base_name(options->base));
    mw_json_begin_array(out, "recomputed");
    for (int i = 0; i < options->n_again; i++)
        mw_json_put_text(out, NULL, options->again[i]);
    mw_json_end(out);
    mw_json_put_text(out, "options", options->text);
    mw_json_put_real(out, "lr", options->rate);
    mw_json_put_text(out, "schedule", options->schedule->name);
    mw_json_put_real(out, "warmup", options->warmup);
    mw_json_put_real(out, "steps", options->steps);
    mw_json_put_real(out, "init", options->init);
    mw_json_put_real(out, "end", options->end);
    mw_json_put_real(out, "clip", options->clip);
    mw_json_put_int(out, "accumulate", options->accumulate);
    const mw_hyper *hyper = options->optimizer->hyper;
    for (int i = 0; hyper && hyper[i].name; i++)
        mw_json_put_real(out, hyper[i].name, options->hyper[i]);
    mw_json_end(out);
}

static mw_status get_again(mw_arena *arena, const mw_json *train,
                           mw_train_options *options)
{
    const mw_json *names;
    const char *base;
    MW_TRY(mw_json_get_text(arena->ctx, train, "remat_base", &base));
    for (options->base = MW_REMAT_BASE_NONE;
         options->base < MW_REMAT_N_BASES &&
         strcmp(base, mw_remat_base_name(options->base)) != 0;
         options->base++)
        ;
    if (options->base == MW_REMAT_N_BASES)
        return mw_json_fail(arena->ctx, mw_json_find(train, "remat_base"),
                            "'%s' is none of none, cheap and full", base);
    MW_TRY(mw_json_get_array(arena->ctx, train, "recomputed", &names));
    const char **again = MW_NEW_ARRAY(arena, names->n, const char *);
    if (!again)
        return MW_ENOMEM;
    for (int64_t i = 0; i < names->n; i++)
        MW_TRY(mw_json_text(arena->ctx, &names->u.item[i], &again[i]));
    options->again = again;
    options->n_again = (int)names->n;
    return MW_OK;
}

mw_status mw_plan_get_train(mw_arena *arena, const mw_json *root,
                            const mw_train_options **options)
{
    const mw_json *train = mw_json_find(root, "train");
    const char *text, *loss, *remat;
    *options = NULL;
    if (!train || train->kind == MW_JSON_NULL)
        return MW_OK;
    MW_TRY(mw_json_kind_is(arena->ctx, train, MW_JSON_OBJECT));
    MW_TRY(mw_json_get_text(arena->ctx, train, "options", &text));
    MW_TRY(mw_json_get_text(arena->ctx, train, "loss", &loss));
    MW_TRY(mw_json_get_text(arena->ctx, train, "remat", &remat));
    mw_train_options *made = MW_NEW(arena, mw_train_options);
    if (!made)
        return MW_ENOMEM;
    MW_TRY(mw_train_options_read(arena, text, loss, remat, made));
    *options = made;
    return get_again(arena, train, made);
}
