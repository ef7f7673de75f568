/* node_census.c - counts by operator. */
#include "tests/node_census.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "ir/import/build.h"

void node_census_open(node_census *census)
{
    *census = (node_census){.all = {.op = NULL}};
    mw_ctx_init(&census->ctx);
    mw_arena_init(&census->arena, &census->ctx);
    mw_map_init(&census->places, &census->arena);
    mw_map_init(&census->reasons, &census->arena);
}

void node_census_close(node_census *census)
{
    mw_arena_free(&census->arena);
    mw_ctx_free(&census->ctx);
}

static const char *key_of(mw_arena *arena, const char *domain, const char *op)
{
    return mw_arena_format(arena, "%s %s", domain, op);
}

const node_count *node_census_of(const node_census *census, const char *domain,
                                 const char *op)
{
    char key[200];
    (void)snprintf(key, sizeof key, "%s %s", domain, op);
    const int64_t *at = mw_map_find_text(&census->places, key);
    return at ? &census->count[*at] : NULL;
}

static mw_status find_count(node_census *census, const mw_onnx_node *node,
                            int64_t *place)
{
    const char *key = key_of(&census->arena, node->domain, node->op);
    if (!key)
        return MW_ENOMEM;
    const int64_t *at = mw_map_find_text(&census->places, key);
    if (at) {
        *place = *at;
        return MW_OK;
    }
    node_count *grown =
        mw_arena_reserve(&census->arena, census->count, census->n_counts,
                         &census->cap_counts, sizeof *census->count);
    if (!grown)
        return MW_ENOMEM;
    census->count = grown;
    *place = census->n_counts++;
    grown[*place] = (node_count){
        .domain = mw_arena_format(&census->arena, "%s", node->domain),
        .op = mw_arena_format(&census->arena, "%s", node->op)};
    if (!grown[*place].domain || !grown[*place].op)
        return MW_ENOMEM;
    return mw_map_put_text(&census->places, key, *place);
}

static void add_one(node_count *count, bool passed, const char *reason)
{
    count->n_tests++;
    count->n_supported += reason == NULL;
    count->n_passed += reason == NULL && passed;
}

static bool seen_before(const node_test *test, int64_t i)
{
    for (int64_t k = 0; k < i; k++)
        if (strcmp(test->node[k]->op, test->node[i]->op) == 0 &&
            strcmp(test->node[k]->domain, test->node[i]->domain) == 0)
            return true;
    return false;
}

mw_status node_census_add(node_census *census, const node_test *test,
                          bool passed, const char *reason)
{
    add_one(&census->all, passed, reason);
    for (int64_t i = 0; i < test->n_nodes; i++) {
        int64_t place;
        if (seen_before(test, i) ||
            mw_onnx_function_of(&test->model, test->node[i]))
            continue;
        MW_TRY(find_count(census, test->node[i], &place));
        add_one(&census->count[place], passed, reason);
    }
    if (!reason)
        return MW_OK;
    const int64_t *n = mw_map_find_text(&census->reasons, reason);
    return mw_map_put_text(&census->reasons, reason, n ? *n + 1 : 1);
}

mw_status node_census_write(node_census *census, const char *path)
{
    mw_text text;
    mw_text_init(&text, &census->ctx);
    const node_count *all = &census->all;
    for (int64_t i = 0; i < census->n_counts; i++) {
        const node_count *c = &census->count[i];
        mw_text_format(&text, "%s\t%s\t%ld\t%ld\t%ld\n",
                       c->domain[0] ? c->domain : "ai.onnx", c->op, c->n_tests,
                       c->n_supported, c->n_passed);
    }
    mw_text_format(&text, "*\t*\t%ld\t%ld\t%ld\n", all->n_tests,
                   all->n_supported, all->n_passed);
    for (int64_t i = 0; i < census->reasons.n_entries; i++)
        mw_text_format(&text, "!\t%s\t%lld\n",
                       (const char *)census->reasons.entry[i].key,
                       (long long)census->reasons.entry[i].value);
    mw_status status = mw_text_status(&text);
    if (status == MW_OK)
        status = mw_file_write(&census->ctx, path, text.data, text.length);
    mw_text_free(&text);
    return status;
}

int node_tests_each(const char *root, node_visit *visit, void *arg)
{
    struct dirent **entry = NULL;
    int n_entries = scandir(root, &entry, NULL, alphasort), n = 0;
    for (int i = 0; i < n_entries; i++) {
        node_test *test = malloc(sizeof *test);
        if (test && strncmp(entry[i]->d_name, "test_", 5) == 0) {
            if (node_test_open(test, root, entry[i]->d_name)) {
                visit(test, arg);
                n++;
            }
            node_test_close(test);
        }
        free(test);
        free(entry[i]);
    }
    free(entry);
    return n_entries < 0 ? -1 : n;
}
