/* search_scene.c - setting up. */
#include "tests/search_scene.h"

#include "ir/text.h"
#include "tests/random_graph.h"
#include "tests/test.h"

static mw_status set_up(mw_scene *s, const char *mesh)
{
    MW_TRY(mw_mesh_parse(&s->ctx, &s->arena, mesh, &s->mesh));
    s->costs = mw_random_costs();
    s->on =
        (mw_setting){.graph = &s->graph, .mesh = &s->mesh, .costs = &s->costs};
    return mw_resharder_open(&s->ctx, &s->arena, &s->mesh, &s->costs,
                             &s->on.resharder);
}

static void open(mw_scene *s)
{
    mw_ctx_init(&s->ctx);
    mw_arena_init(&s->arena, &s->ctx);
}

bool mw_scene_random(mw_scene *s, const char *mesh, int n_ops, uint64_t *state)
{
    open(s);
    mw_status status = mw_graph_init(&s->graph, &s->arena, "random");
    s->graph.named = true;
    if (status == MW_OK)
        status = mw_random_graph(&s->graph, n_ops, state);
    if (status == MW_OK)
        status = set_up(s, mesh);
    return CHECK(status == MW_OK, "a random graph on %s: %s: %s", mesh,
                 s->ctx.where, s->ctx.message);
}

bool mw_scene_text(mw_scene *s, const char *mesh, const char *text)
{
    open(s);
    mw_status status = mw_graph_init(&s->graph, &s->arena, "text");
    if (status == MW_OK)
        status = mw_text_parse(&s->graph, "text", text);
    if (status == MW_OK)
        status = set_up(s, mesh);
    return CHECK(status == MW_OK, "%s on %s: %s", s->ctx.where, mesh,
                 s->ctx.message);
}

void mw_scene_close(mw_scene *s)
{
    mw_arena_free(&s->arena);
    mw_ctx_free(&s->ctx);
}
