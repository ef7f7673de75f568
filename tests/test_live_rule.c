/* test_live_rule.c - the rule of least peak: random small graphs by brute
 * force, and auto_mtf's cases, whose peaks are counted anew from the files by
 * the rules of their README. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "search/live_rule.h"
#include "tests/shell.h"
#include "tests/test.h"

enum { DIMS = 5, TENSORS = 9, STEPS = 6, GRAPHS = 300 };

typedef struct sample {
    int64_t size[DIMS];
    uint8_t meets[DIMS * DIMS];
    int32_t dim[TENSORS][DIMS];
    mw_live_tensor tensor[TENSORS];
    mw_live_graph graph;
    mw_mesh mesh;
    bool one_axis;
} sample;

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(mw_test_random(state) % (uint64_t)n);
}

static void make_sample(uint64_t *state, sample *made)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 24};
    *made = (sample){.one_axis = below(state, 2) == 0};
    made->mesh.n_axes = 1 + (int)below(state, 3);
    for (int a = 0; a < made->mesh.n_axes; a++)
        made->mesh.axis[a].size = 1 + below(state, 4);
    for (int d = 0; d < DIMS; d++)
        made->size[d] = below(state, 5) ? sizes[below(state, 8)] : 0;
    for (int t = 0; t < TENSORS; t++) {
        mw_live_tensor *tensor = &made->tensor[t];
        tensor->bytes = 4;
        for (int d = 0; d < DIMS; d++) {
            if (below(state, 2))
                continue;
            made->dim[t][tensor->n_dims++] = d;
            tensor->bytes *= made->size[d] ? made->size[d] : 5;
        }
        tensor->dim = made->dim[t];
        tensor->begin = below(state, STEPS);
        tensor->end = tensor->begin + 1 + below(state, STEPS - tensor->begin);
        for (int i = 0; i < tensor->n_dims; i++) {
            for (int j = 0; j < tensor->n_dims; j++)
                made->meets[made->dim[t][i] * DIMS + made->dim[t][j]] = i != j;
        }
    }
    made->graph = (mw_live_graph){DIMS,       TENSORS,     STEPS,
                                  made->size, made->meets, made->tensor};
}

static int64_t parts_of(const sample *it, uint32_t axes)
{
    int64_t parts = 1;
    for (int a = 0; a < it->mesh.n_axes; a++)
        parts *= axes >> a & 1 ? it->mesh.axis[a].size : 1;
    return parts;
}

static bool is_legal(const sample *it, const uint32_t *axes)
{
    for (int d = 0; d < DIMS; d++) {
        bool several = (axes[d] & (axes[d] - 1)) != 0;
        if (axes[d] &&
            (it->size[d] == 0 || it->size[d] % parts_of(it, axes[d]) != 0 ||
             (it->one_axis && several)))
            return false;
        for (int e = 0; e < DIMS; e++) {
            if (it->meets[d * DIMS + e] && (axes[d] & axes[e]))
                return false;
        }
    }
    return true;
}

static int64_t peak_of(const sample *it, const uint32_t *axes)
{
    int64_t most = 0;
    for (int64_t k = 0; k < STEPS; k++) {
        int64_t sum = 0;
        for (int t = 0; t < TENSORS; t++) {
            const mw_live_tensor *tensor = &it->tensor[t];
            int64_t bytes = tensor->bytes;
            for (int i = 0; i < tensor->n_dims; i++)
                bytes /= parts_of(it, axes[tensor->dim[i]]);
            sum += tensor->begin <= k && k < tensor->end ? bytes : 0;
        }
        most = sum > most ? sum : most;
    }
    return most;
}

static int64_t brute(const sample *it, uint32_t *axes, int d)
{
    if (d == DIMS)
        return is_legal(it, axes) ? peak_of(it, axes) : INT64_MAX;
    int64_t least = INT64_MAX;
    for (axes[d] = 0; axes[d] < UINT32_C(1) << it->mesh.n_axes; axes[d]++) {
        int64_t peak = brute(it, axes, d + 1);
        least = peak < least ? peak : least;
    }
    axes[d] = 0;
    return least;
}

static void against_brute(void)
{
    uint64_t state = 4;
    mw_ctx ctx;
    mw_deadline never = {0};
    mw_ctx_init(&ctx);
    for (int i = 0; i < GRAPHS; i++) {
        mw_arena arena;
        sample it;
        mw_live_rule rule;
        uint32_t axes[DIMS] = {0};
        mw_arena_init(&arena, &ctx);
        make_sample(&state, &it);
        int64_t least = brute(&it, axes, 0);
        if (CHECK(mw_live_rule_find(&ctx, &arena, &it.graph, &it.mesh,
                                    it.one_axis, &never, &rule) == MW_OK,
                  "graph %d: %s", i, ctx.message))
            CHECK(rule.proven && rule.peak_bytes == least &&
                      is_legal(&it, rule.axes) &&
                      peak_of(&it, rule.axes) == least,
                  "graph %d: peak %lld, wanted %lld", i,
                  (long long)rule.peak_bytes, (long long)least);
        mw_arena_free(&arena);
    }
    mw_ctx_free(&ctx);
}

/* ---- auto_mtf's files, by the rules of verify.py ---- */

typedef struct file {
    mw_arena *arena;
    const mw_json *root;
    mw_map parts; /* of a dimension that is split; by name */
    mw_map axis;  /* and its mesh axis, as a number */
    mw_map left;  /* readers that a tensor still has */
    mw_map bytes; /* of a tensor on a device */
} file;

static int64_t count_of(const mw_map *map, const char *name)
{
    const int64_t *found = mw_map_find_text(map, name);
    return found ? *found : 0;
}

static bool add_to(mw_map *map, const char *name, int64_t more)
{
    return mw_map_put_text(map, name, count_of(map, name) + more) == MW_OK;
}

static const char *text_of(const mw_json *object, const char *key)
{
    const mw_json *found = mw_json_find(object, key);
    return found && found->kind == MW_JSON_TEXT ? found->u.text : "";
}

// "batch:a;hidden:b" on "a:4;b:8"; false when it names what is not there.
static bool read_layout(file *in, const char *mesh, const char *layout)
{
    char *text = mw_arena_format(in->arena, "%s", layout), *word;
    while (text && (word = strsep(&text, ";")) && *word) {
        char *axis = strchr(word, ':');
        if (!axis)
            return false;
        *axis++ = '\0';
        char *key = mw_arena_format(in->arena, "%s:", axis);
        const char *at = key ? strstr(mesh, key) : NULL;
        const mw_json *sizes =
            mw_json_find(mw_json_find(in->root, "dims"), word);
        if (!at || !sizes || count_of(&in->parts, word))
            return false;
        int64_t parts = strtoll(at + strlen(key), NULL, 10);
        for (int64_t i = 0; i < sizes->n; i++) {
            if (sizes->u.item[i].u.integer % parts)
                return false;
        }
        if (!add_to(&in->parts, word, parts) ||
            !add_to(&in->axis, word, 1 + (at - mesh)))
            return false;
    }
    return true;
}

static const mw_json *dims_of(const file *in, const char *tensor)
{
    const mw_json *ops = mw_json_find(in->root, "ops");
    for (int64_t k = 0; k < ops->n; k++) {
        const mw_json *outputs = mw_json_find(&ops->u.item[k], "outputs");
        for (int64_t i = 0; i < outputs->n; i++) {
            if (!strcmp(text_of(&outputs->u.item[i], "name"), tensor))
                return mw_json_find(&outputs->u.item[i], "dims");
        }
    }
    return NULL;
}

// Notes the axes of a tensor's dimensions; false when two share one.
static bool note_axes(const file *in, const mw_json *dims,
                      const char *owner[64])
{
    for (int64_t i = 0; dims && i < dims->n; i++) {
        const char *name = dims->u.item[i].u.item[0].u.text;
        int64_t axis = count_of(&in->axis, name);
        if (axis == 0)
            continue;
        if (owner[axis] && strcmp(owner[axis], name) != 0)
            return false;
        owner[axis] = name;
    }
    return true;
}

static bool ops_allow(const file *in)
{
    const mw_json *ops = mw_json_find(in->root, "ops");
    for (int64_t k = 0; k < ops->n; k++) {
        const char *owner[64] = {NULL};
        const mw_json *op = &ops->u.item[k];
        const mw_json *inputs = mw_json_find(op, "inputs");
        const mw_json *outputs = mw_json_find(op, "outputs");
        for (int64_t i = 0; i < inputs->n; i++) {
            if (!note_axes(in, dims_of(in, inputs->u.item[i].u.text), owner))
                return false;
        }
        for (int64_t i = 0; i < outputs->n; i++) {
            if (!note_axes(in, mw_json_find(&outputs->u.item[i], "dims"),
                           owner))
                return false;
        }
    }
    return true;
}

static int64_t block_bytes(const file *in, const mw_json *tensor)
{
    int64_t bytes = mw_json_find(tensor, "bytes")->u.integer;
    const mw_json *dims = mw_json_find(tensor, "dims");
    for (int64_t i = 0; i < dims->n; i++) {
        int64_t parts = count_of(&in->parts, dims->u.item[i].u.item[0].u.text);
        bytes /= parts ? parts : 1;
    }
    return bytes;
}

// A walk of the schedule that counts readers down.
static int64_t walk(file *in)
{
    const mw_json *ops = mw_json_find(in->root, "ops");
    const mw_json *order = mw_json_find(in->root, "list_schedule");
    const mw_json *final = mw_json_find(in->root, "final_tensors");
    int64_t now = 0, most = 0;
    for (int64_t i = 0; i < final->n; i++)
        (void)add_to(&in->left, final->u.item[i].u.text, 1);
    for (int64_t k = 0; k < ops->n; k++) {
        const mw_json *inputs = mw_json_find(&ops->u.item[k], "inputs");
        for (int64_t i = 0; i < inputs->n; i++)
            (void)add_to(&in->left, inputs->u.item[i].u.text, 1);
    }
    for (int64_t k = 0; k < order->n; k++) {
        const mw_json *op = &ops->u.item[order->u.item[k].u.integer];
        const mw_json *inputs = mw_json_find(op, "inputs");
        const mw_json *outputs = mw_json_find(op, "outputs");
        for (int64_t i = 0; i < outputs->n; i++) {
            const mw_json *tensor = &outputs->u.item[i];
            int64_t bytes = block_bytes(in, tensor);
            (void)add_to(&in->bytes, text_of(tensor, "name"), bytes);
            now += bytes;
        }
        most = now > most ? now : most;
        for (int64_t i = 0; i < outputs->n; i++) {
            const char *name = text_of(&outputs->u.item[i], "name");
            if (count_of(&in->left, name) == 0)
                now -= count_of(&in->bytes, name);
        }
        for (int64_t i = 0; i < inputs->n; i++) {
            const char *name = inputs->u.item[i].u.text;
            (void)add_to(&in->left, name, -1);
            if (count_of(&in->left, name) == 0)
                now -= count_of(&in->bytes, name);
        }
    }
    return most;
}

static int64_t judged_peak(mw_arena *arena, const char *path, const char *mesh,
                           const char *layout)
{
    file in = {.arena = arena};
    mw_map_init(&in.parts, arena);
    mw_map_init(&in.axis, arena);
    mw_map_init(&in.left, arena);
    mw_map_init(&in.bytes, arena);
    if (mw_json_read(arena, path, &in.root) != MW_OK ||
        !read_layout(&in, mesh, layout) || !ops_allow(&in))
        return -1;
    return walk(&in);
}

// A line of the bench: what it says holds.
static void judge(mw_arena *arena, const char *path, char *line)
{
    enum { NAME, MESH, PEAK, STATUS, TIME, OTHER_PEAK, OTHER_TIME, LAYOUT, N };
    char *word[N] = {NULL};
    for (int i = 0; i < N; i++)
        word[i] = strsep(&line, "\t");
    if (!CHECK(word[LAYOUT] != NULL, "%s: a line with few words", path))
        return;
    int64_t peak = strtoll(word[PEAK], NULL, 10);
    int64_t judged = judged_peak(arena, path, word[MESH], word[LAYOUT]);
    CHECK(peak == judged, "%s on %s: %s peaks at %lld, said %lld", word[NAME],
          word[MESH], word[LAYOUT], (long long)judged, (long long)peak);
    CHECK(!strcmp(word[STATUS], "optimal") && strtod(word[TIME], NULL) < 1,
          "%s on %s: %s in %s s", word[NAME], word[MESH], word[STATUS],
          word[TIME]);
    if (strcmp(word[OTHER_PEAK], "-") != 0)
        CHECK(peak <= strtoll(word[OTHER_PEAK], NULL, 10),
              "%s on %s: %lld where auto_mtf has %s", word[NAME], word[MESH],
              (long long)peak, word[OTHER_PEAK]);
}

static void bench_file(mw_arena *arena, const char *path)
{
    mw_shell got;
    char *folder = mw_arena_format(arena, "%s", mw_command_path());
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (!slash)
        return;
    *slash = '\0';
    char *line =
        mw_arena_format(arena, "%s/bench/bench_auto_mtf %s", folder, path);
    if (!line || !mw_shell_run(arena, line, &got) ||
        !CHECK(got.exit_status == 0, "%s: %s", path, got.err))
        return;
    char *rest = got.out;
    (void)strsep(&rest, "\n");
    for (char *at; (at = strsep(&rest, "\n")) && *at;)
        judge(arena, path, at);
}

static void auto_mtf(void)
{
    mw_ctx ctx;
    mw_arena arena;
    glob_t found;
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    char *pattern =
        mw_arena_format(&arena, "%s/auto_mtf/*.json", mw_shared_path());
    if (!pattern || glob(pattern, 0, NULL, &found) != 0) {
        SKIP("auto_mtf: not there");
    } else {
        for (size_t i = 0; i < found.gl_pathc; i++)
            bench_file(&arena, found.gl_pathv[i]);
        globfree(&found);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_live_rule = {
    "live_rule",
    {{"random graphs by brute force", against_brute},
     {"auto_mtf's cases", auto_mtf}},
};
