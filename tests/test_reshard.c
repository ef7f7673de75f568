/*
 * test_reshard.c - every right step and every chosen path on small uneven
 * tensors, run message by message in one process: the blocks come out right,
 * each rank sends what the formulas say, no path is dearer than the best
 * sequence of right steps.
 */
#include <stdio.h>
#include <string.h>

#include "tests/fake_costs.h"
#include "tests/fake_world.h"
#include "tests/test.h"

typedef struct setting {
    const char *mesh;
    int rank;
    int64_t size[4];
    mw_reduce reduce; /* kind of its partial layouts */
} setting;

static const setting settings[] = {
    {"2", 1, {5}, MW_REDUCE_SUM},         {"3", 2, {4, 7}, MW_REDUCE_SUM},
    {"4", 2, {5, 3}, MW_REDUCE_MAX},      {"4", 2, {2, 9}, MW_REDUCE_SUM},
    {"2x2", 1, {5}, MW_REDUCE_SUM},       {"2x2", 2, {5, 3}, MW_REDUCE_SUM},
    {"2x2", 3, {3, 2, 5}, MW_REDUCE_SUM}, {"2x2", 2, {1, 6}, MW_REDUCE_MIN},
    {"2x2", 2, {0, 3}, MW_REDUCE_SUM},    {"4x2", 2, {5, 7}, MW_REDUCE_SUM},
    {"3x2", 2, {7, 4}, MW_REDUCE_SUM},    {"2x1x3", 2, {5, 4}, MW_REDUCE_SUM},
    {"2x2x2", 2, {5, 6}, MW_REDUCE_SUM},  {"2x2", 2, {4, 8}, MW_REDUCE_SUM},
};
enum { N_SETTINGS = sizeof settings / sizeof settings[0], MAX_LAYOUTS = 256 };

typedef struct bench {
    mw_ctx ctx;
    mw_arena arena;
    mw_mesh mesh;
    mw_tensor tensor;
    mw_layout layout[MAX_LAYOUTS];
    int n_layouts;
    fake_machine machine;
    mw_costs costs;
    mw_resharder *resharder;
    uint64_t random;
} bench;

static void list_layouts(bench *b, mw_reduce reduce)
{
    int n_roles = b->tensor.rank + 2, n = 1;
    for (int a = 0; a < b->mesh.n_axes; a++)
        n *= n_roles;
    for (int i = 0; i < n; i++) {
        mw_layout layout = mw_layout_replicated();
        int rest = i;
        bool canonical = true;
        for (int a = 0; a < b->mesh.n_axes; a++) {
            layout.role[a] = (int8_t)(rest % n_roles - 2);
            rest /= n_roles;
            canonical = canonical && (b->mesh.axis[a].size > 1 ||
                                      layout.role[a] == MW_REPLICATED);
        }
        if (mw_layout_is_partial(&layout))
            layout.reduce = (uint8_t)reduce;
        if (canonical && b->n_layouts < MAX_LAYOUTS)
            b->layout[b->n_layouts++] = layout;
    }
}

static bool open_bench(bench *b, const setting *s, int machine)
{
    memset(b, 0, sizeof *b);
    mw_ctx_init(&b->ctx);
    mw_arena_init(&b->arena, &b->ctx);
    b->tensor =
        (mw_tensor){.name = "x", .dtype = MW_F32, .rank = s->rank, .root = 0};
    for (int i = 0; i < s->rank; i++)
        b->tensor.axis[i] = (mw_axis){.dim = i, .size = s->size[i]};
    b->machine = fake_machine_of(machine);
    b->costs = fake_costs(&b->machine);
    b->random = 7;
    mw_status status = mw_mesh_parse(&b->ctx, &b->arena, s->mesh, &b->mesh);
    if (status == MW_OK)
        status = mw_resharder_open(&b->ctx, &b->arena, &b->mesh, &b->costs,
                                   &b->resharder);
    if (status == MW_OK)
        list_layouts(b, s->reduce);
    return CHECK(status == MW_OK, "mesh %s opens", s->mesh);
}

static void close_bench(bench *b)
{
    mw_arena_free(&b->arena);
    mw_ctx_free(&b->ctx);
}

// "x[5,3] on 2x2: R,0 -> P,1", as far as it fits.
static const char *name_of(const bench *b, const mw_layout *from,
                           const mw_layout *to, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (int side = 0; side < 2; side++) {
        const mw_layout *layout = side ? to : from;
        for (int a = 0; a < b->mesh.n_axes && n < size; a++) {
            int role = layout->role[a];
            n += (size_t)snprintf(text + n, size - n, "%s%c",
                                  a      ? ","
                                  : side ? " -> "
                                         : "",
                                  role == MW_PARTIAL      ? 'P'
                                  : role == MW_REPLICATED ? 'R'
                                                          : '0' + role);
        }
    }
    return text;
}

// Runs steps one after another and compares blocks and bytes.
static void run_steps(bench *b, const mw_step step[], int n,
                      const int64_t *by_rank, const char *name)
{
    mw_arena arena;
    fake_world world;
    mw_arena_init(&arena, &b->ctx);
    mw_status status = fake_world_init(&world, &arena, &b->mesh, &b->tensor,
                                       &step[0].from, &b->random);
    for (int i = 0; i < n && status == MW_OK; i++) {
        status = fake_world_step(&world, &step[i]);
        if (status != MW_OK)
            break;
        if (!fake_world_right(&world))
            CHECK(false, "%s: %s %s leaves wrong blocks", b->mesh.axis[0].name,
                  name, mw_collective_name(step[i].kind));
    }
    bool equal = status == MW_OK;
    for (int64_t rank = 0; rank < world.n_ranks && equal; rank++) {
        int64_t wanted = 0;
        for (int i = 0; i < n; i++)
            wanted += mw_step_bytes_of(&b->mesh, &b->tensor, &step[i], rank);
        equal =
            world.sent[rank] == wanted && (!by_rank || by_rank[rank] == wanted);
    }
    CHECK(equal, "%s: bytes of each rank", name);
    CHECK(status == MW_OK && fake_world_right(&world), "%s: blocks", name);
    mw_arena_free(&arena);
}

// Every right step between two layouts: at most one of a kind.
static int right_steps(const bench *b, const mw_layout *from,
                       const mw_layout *to, mw_step step[])
{
    int n = 0;
    uint32_t changed = 0;
    for (int a = 0; a < b->mesh.n_axes; a++)
        if (from->role[a] != to->role[a])
            changed |= 1U << a;
    for (int kind = 0; kind < MW_N_COLLECTIVES; kind++) {
        mw_step s = {.kind = (mw_collective)kind,
                     .axes = changed,
                     .from = *from,
                     .to = *to};
        if (kind == MW_EXCHANGE)
            s.axes = mw_exchange_axes(&b->mesh, &b->tensor, from, to);
        if (changed == 0 || mw_step_refusal(&b->mesh, &b->tensor, &s))
            continue;
        mw_step_price(&b->mesh, &b->costs, &b->tensor, &s);
        step[n++] = s;
    }
    return n;
}

// Runs a step in each other way, and compares with its bytes.
static void other_ways(bench *b, const mw_step *usual, const char *text)
{
    static const mw_way ways[] = {{MW_DIRECT, 0},
                                  {MW_HALVING, 0},
                                  {MW_HIERARCHICAL, 2},
                                  {MW_HIERARCHICAL, 3}};
    int64_t ranks = mw_mesh_group_size(&b->mesh, usual->axes);
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        if (mw_way_refusal(usual->kind, ways[w], ranks))
            continue;
        mw_step step = *usual;
        step.way = ways[w];
        mw_step_price(&b->mesh, NULL, &b->tensor, &step);
        run_steps(b, &step, 1, NULL, text);
        int64_t most = 0;
        for (int64_t r = 0; r < mw_mesh_ranks(&b->mesh); r++) {
            int64_t sent = mw_step_bytes_of(&b->mesh, &b->tensor, &step, r);
            most = sent > most ? sent : most;
        }
        CHECK(most == step.bytes_sent, "%s: largest rank, way %zu", text, w);
    }
}

static void steps(void)
{
    for (int i = 0; i < N_SETTINGS; i++) {
        bench b;
        int n_steps = 0;
        if (!open_bench(&b, &settings[i], 2))
            return;
        for (int f = 0; f < b.n_layouts; f++) {
            for (int t = 0; t < b.n_layouts; t++) {
                mw_step step[MW_N_COLLECTIVES];
                char text[64];
                int n = right_steps(&b, &b.layout[f], &b.layout[t], step);
                name_of(&b, &b.layout[f], &b.layout[t], text, sizeof text);
                for (int k = 0; k < n; k++) {
                    int64_t most = 0;
                    run_steps(&b, &step[k], 1, NULL, text);
                    other_ways(&b, &step[k], text);
                    for (int64_t r = 0; r < mw_mesh_ranks(&b.mesh); r++) {
                        int64_t sent =
                            mw_step_bytes_of(&b.mesh, &b.tensor, &step[k], r);
                        most = sent > most ? sent : most;
                    }
                    CHECK(most == step[k].bytes_sent, "%s: largest rank", text);
                }
                n_steps += n;
            }
        }
        CHECK(n_steps > 0, "mesh %s has steps", settings[i].mesh);
        close_bench(&b);
    }
}

/* ---- paths ---- */

// Cheapest times over sequences of right steps whose layouts stay within cap.
static void brute_times(const bench *b, int64_t cap, int64_t *time)
{
    int n = b->n_layouts;
    for (int f = 0; f < n; f++) {
        for (int t = 0; t < n; t++) {
            mw_step step[MW_N_COLLECTIVES];
            int64_t *best = &time[f * n + t];
            *best = f == t ? 0 : INT64_MAX / 4;
            if (mw_layout_bytes(&b->mesh, &b->layout[f], &b->tensor) > cap ||
                mw_layout_bytes(&b->mesh, &b->layout[t], &b->tensor) > cap)
                continue;
            int k = right_steps(b, &b->layout[f], &b->layout[t], step);
            for (int i = 0; i < k; i++)
                if (step[i].time_ps < *best)
                    *best = step[i].time_ps;
        }
    }
    for (int m = 0; m < n; m++)
        for (int f = 0; f < n; f++)
            for (int t = 0; t < n; t++)
                if (time[f * n + m] + time[m * n + t] < time[f * n + t])
                    time[f * n + t] = time[f * n + m] + time[m * n + t];
}

static bool no_overlap(int64_t a, int64_t a_size, int64_t b, int64_t b_size)
{
    return a == MW_AT_END || b == MW_AT_END || a + a_size <= b ||
           b + b_size <= a || a_size == 0 || b_size == 0;
}

// Intermediates and staging of each step lie apart in the scratch.
static bool scratch_fits(const bench *b, const mw_path *path)
{
    for (int i = 0; i < path->n_steps; i++) {
        const mw_step *s = &path->step[i];
        int64_t from =
            mw_aligned(mw_layout_bytes(&b->mesh, &s->from, &b->tensor));
        int64_t to = mw_aligned(mw_layout_bytes(&b->mesh, &s->to, &b->tensor));
        if ((s->from_at == MW_AT_END) != (i == 0) ||
            (s->to_at == MW_AT_END) != (i == path->n_steps - 1))
            return false;
        if (i > 0 && s->from_at != path->step[i - 1].to_at)
            return false;
        if ((s->from_at != MW_AT_END &&
             s->from_at + from > path->scratch_bytes) ||
            (s->to_at != MW_AT_END && s->to_at + to > path->scratch_bytes) ||
            s->stage_at + s->stage_bytes > path->scratch_bytes ||
            s->from_at % MW_ALIGN > 0 || s->to_at % MW_ALIGN > 0 ||
            s->stage_at % MW_ALIGN != 0)
            return false;
        if (!no_overlap(s->from_at, from, s->to_at, to) ||
            !no_overlap(s->from_at, from, s->stage_at, s->stage_bytes) ||
            !no_overlap(s->to_at, to, s->stage_at, s->stage_bytes))
            return false;
    }
    return true;
}

static bool chain_is_right(const bench *b, const mw_path *path,
                           const mw_layout *from, const mw_layout *to,
                           int64_t cap)
{
    int64_t time = 0, bytes = 0;
    const mw_layout *at = from;
    for (int i = 0; i < path->n_steps; i++) {
        const mw_step *s = &path->step[i];
        if (!mw_layout_equal(at, &s->from) ||
            mw_step_refusal(&b->mesh, &b->tensor, s) ||
            mw_layout_bytes(&b->mesh, &s->to, &b->tensor) > cap)
            return false;
        time += s->time_ps;
        bytes += s->bytes_sent;
        at = &s->to;
    }
    return mw_layout_equal(at, to) && time == path->time_ps &&
           bytes == path->bytes_sent;
}

static int64_t cap_of(const bench *b, int f, int t)
{
    int64_t from = mw_layout_bytes(&b->mesh, &b->layout[f], &b->tensor);
    int64_t to = mw_layout_bytes(&b->mesh, &b->layout[t], &b->tensor);
    return from > to ? from : to;
}

static void check_pair(bench *b, int f, int t, int64_t brute, int64_t cap)
{
    const mw_layout *from = &b->layout[f], *to = &b->layout[t];
    const mw_path *path, *again;
    const int64_t *by_rank = NULL;
    char text[64];
    name_of(b, from, to, text, sizeof text);
    mw_status status = mw_reshard(b->resharder, &b->tensor, from, to, &path);
    if (status == MW_OK)
        status = mw_reshard(b->resharder, &b->tensor, from, to, &again);
    if (!CHECK(status == MW_OK && path == again, "%s: asked twice", text))
        return;
    if (brute >= INT64_MAX / 8) {
        CHECK(!path, "%s: there is no way", text);
        return;
    }
    if (!CHECK(path, "%s: there is a way", text))
        return;
    CHECK(chain_is_right(b, path, from, to, cap), "%s: steps join", text);
    CHECK(path->time_ps <= brute, "%s: %lld ps, brute force %lld", text,
          (long long)path->time_ps, (long long)brute);
    CHECK(scratch_fits(b, path), "%s: scratch", text);
    if (path->n_steps == 0)
        return;
    CHECK(mw_path_bytes(b->resharder, path, &by_rank) == MW_OK, "%s", text);
    run_steps(b, path->step, path->n_steps, by_rank, text);
}

static void check_paths(bench *b)
{
    int n = b->n_layouts;
    int64_t *time = MW_NEW_ARRAY(&b->arena, n * n, int64_t);
    for (int64_t cap = 0; time;) {
        int64_t next = INT64_MAX;
        for (int i = 0; i < n * n; i++) {
            int64_t c = cap_of(b, i / n, i % n);
            next = c >= cap && c < next ? c : next;
        }
        if (next == INT64_MAX)
            break;
        brute_times(b, next, time);
        for (int i = 0; i < n * n; i++)
            if (cap_of(b, i / n, i % n) == next)
                check_pair(b, i / n, i % n, time[i], next);
        cap = next + 1;
    }
}

static void paths(void)
{
    for (int i = 0; i < N_SETTINGS; i++) {
        for (int machine = 0; machine < 3; machine++) {
            bench b;
            if (open_bench(&b, &settings[i], machine))
                check_paths(&b);
            close_bench(&b);
        }
    }
}

// S13: [y, -, x] to [-, xy, -] without a rank ever holding the whole.
static void no_full_copy(void)
{
    static const setting cube = {"4x2", 3, {16, 16, 16}, MW_REDUCE_SUM};
    for (int machine = 0; machine < 3; machine++) {
        bench b;
        const mw_path *path;
        if (!open_bench(&b, &cube, machine))
            return;
        mw_layout from = mw_layout_replicated(), to = from;
        from.role[0] = 2;
        from.role[1] = 0;
        to.role[0] = to.role[1] = 1;
        mw_status status =
            mw_reshard(b.resharder, &b.tensor, &from, &to, &path);
        int64_t block = mw_layout_bytes(&b.mesh, &from, &b.tensor);
        CHECK(status == MW_OK && path, "machine %d: a way", machine);
        for (int i = 0; path && i < path->n_steps; i++)
            CHECK(mw_layout_bytes(&b.mesh, &path->step[i].to, &b.tensor) <=
                      block,
                  "machine %d: step %d", machine, i);
        CHECK(path &&
                  2 * block + path->scratch_bytes < mw_tensor_bytes(&b.tensor),
              "machine %d: scratch of %lld", machine,
              path ? (long long)path->scratch_bytes : -1);
        close_bench(&b);
    }
}

// From partial by maximum to partial by sum: completed in between.
static void kinds_change(void)
{
    static const setting small = {"2x2", 2, {5, 3}, MW_REDUCE_MAX};
    bench b;
    const mw_path *path = NULL;
    if (!open_bench(&b, &small, 2))
        return;
    mw_layout from = mw_layout_replicated(), to = from;
    from.role[0] = MW_PARTIAL;
    from.role[1] = 0;
    from.reduce = MW_REDUCE_MAX;
    to.role[0] = 1;
    to.role[1] = MW_PARTIAL;
    to.reduce = MW_REDUCE_SUM;
    mw_status status = mw_reshard(b.resharder, &b.tensor, &from, &to, &path);
    CHECK(status == MW_OK && path && chain_is_right(&b, path, &from, &to, 60),
          "max to sum");
    if (path)
        run_steps(&b, path->step, path->n_steps, NULL, "max to sum");
    to.reduce = MW_REDUCE_MAX;
    from.reduce = MW_REDUCE_SUM;
    status = mw_reshard(b.resharder, &b.tensor, &from, &to, &path);
    CHECK(status == MW_OK && !path, "sum to max: no way");
    close_bench(&b);
}

// More layouts than a table holds: six mesh axes.
static void many_axes(void)
{
    static const setting wide = {"2x2x2x2x2x2", 3, {4, 6, 5}, MW_REDUCE_SUM};
    bench b;
    if (!open_bench(&b, &wide, 2))
        return;
    for (int i = 0; i < 40; i++) {
        mw_layout end[2];
        const mw_path *path, *again;
        char text[64];
        for (int k = 0; k < 2; k++) {
            end[k] = mw_layout_replicated();
            for (int a = 0; a < 6; a++)
                end[k].role[a] = (int8_t)(mw_test_random(&b.random) % 5) - 2;
            if (mw_layout_is_partial(&end[k]))
                end[k].reduce = MW_REDUCE_SUM;
        }
        name_of(&b, &end[0], &end[1], text, sizeof text);
        mw_status status =
            mw_reshard(b.resharder, &b.tensor, &end[0], &end[1], &path);
        if (status == MW_OK)
            status =
                mw_reshard(b.resharder, &b.tensor, &end[0], &end[1], &again);
        if (!CHECK(status == MW_OK && path && path == again, "%s", text))
            continue;
        CHECK(chain_is_right(&b, path, &end[0], &end[1], 4 * 6 * 5 * 4),
              "%s: steps join", text);
        if (path->n_steps > 0)
            run_steps(&b, path->step, path->n_steps, NULL, text);
    }
    close_bench(&b);
}

static mw_status all_pairs(mw_ctx *ctx, void *arg)
{
    bench *b = arg;
    mw_arena arena;
    mw_resharder *resharder;
    mw_arena_init(&arena, ctx);
    mw_status status =
        mw_resharder_open(ctx, &arena, &b->mesh, &b->costs, &resharder);
    for (int i = 0; i < b->n_layouts * b->n_layouts && status == MW_OK; i++) {
        const mw_path *path;
        status = mw_reshard(resharder, &b->tensor, &b->layout[i / b->n_layouts],
                            &b->layout[i % b->n_layouts], &path);
    }
    mw_arena_free(&arena);
    return status;
}

static void out_of_memory(void)
{
    bench b;
    if (open_bench(&b, &settings[4], 2))
        check_oom("all pairs", all_pairs, &b);
    close_bench(&b);
}

const mw_suite mw_suite_reshard = {
    "reshard",
    {{"every right step moves right", steps},
     {"paths are right and cheapest", paths},
     {"no full copy", no_full_copy},
     {"kinds of reduction change", kinds_change},
     {"many axes", many_axes},
     {"out of memory", out_of_memory}},
};
