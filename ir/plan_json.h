/*
 * plan_json.h - the parts of a plan file that are written and read more than
 * once. Used by ir/plan_*.c only.
 */
#ifndef MW_IR_PLAN_JSON_H
#define MW_IR_PLAN_JSON_H

#include "ir/plan_file.h"

/* Exact both ways below 2^53 picoseconds. */
double mw_seconds(int64_t time_ps);
int64_t mw_picoseconds(double seconds);

/* SHA-256 of the canonical bytes of a document, without what stands under
 * "timing" and "digest" in it. */
mw_status mw_plan_digest(mw_ctx *ctx, const mw_json *json,
                         char hex[MW_SHA256_HEX]) MW_MUST_CHECK;

/* Members "split" and "partial" of the object that is open. */
void mw_plan_put_layout(mw_json_out *out, const mw_graph *graph,
                        const mw_tensor *tensor, const mw_mesh *mesh,
                        const mw_layout *layout);

/* The inverse, from an object that has them. */
mw_status mw_plan_get_layout(mw_ctx *ctx, const mw_json *object,
                             const mw_graph *graph, const mw_tensor *tensor,
                             const mw_mesh *mesh,
                             mw_layout *layout) MW_MUST_CHECK;

/* Member "axes": names of mesh axes. */
void mw_plan_put_axes(mw_json_out *out, const char *key, const mw_mesh *mesh,
                      uint32_t axes);
mw_status mw_plan_get_axes(mw_ctx *ctx, const mw_json *object, const char *key,
                           const mw_mesh *mesh, uint32_t *axes) MW_MUST_CHECK;

/* Choices of a row of the ranking: member "choices". */
mw_status mw_plan_put_choices(mw_ctx *ctx, mw_json_out *out,
                              const mw_plan *plan,
                              const mw_choices *choices) MW_MUST_CHECK;
mw_status mw_plan_get_choices(mw_arena *arena, const mw_json *object,
                              const mw_graph *graph, const mw_mesh *mesh,
                              const mw_choices **choices) MW_MUST_CHECK;

/* Member "options" of "model"; NULL writes empty ones. */
/* "train": what a training plan was made with, or null. */
void mw_plan_put_train(mw_json_out *out,
                       const struct mw_train_options *options);
mw_status
mw_plan_get_train(mw_arena *arena, const mw_json *root,
                  const struct mw_train_options **options) MW_MUST_CHECK;

void mw_plan_put_options(mw_json_out *out, const mw_import_options *options);
mw_status mw_plan_get_options(mw_arena *arena, const mw_json *model,
                              const mw_import_options **options) MW_MUST_CHECK;

/* Room for the choices of a graph: nothing split, all replicated. */
mw_status mw_choices_init(mw_arena *arena, const mw_graph *graph,
                          mw_choices *choices) MW_MUST_CHECK;

#endif
