/* mpitest_moves.c - every kind of step, and paths of them, between random
 * layouts of odd shapes: values, bytes sent rank by rank, and ownership. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "ir/reshard.h"
#include "runtime/mpi/team.h"
#include "runtime/move.h"
#include "tests/test.h"

enum { CASES = 300, MAX_ELEMENTS = 4096 };

/* Meshes of each number of ranks. */
static const struct mesh_row {
    int ranks;
    const char *text;
} meshes[] = {{1, "1"}, {2, "2"}, {2, "1x2"}, {3, "3"}, {4, "4"}, {4, "2x2"}};

typedef struct fixture {
    mw_ctx ctx;
    mw_arena arena;
    mw_mesh mesh;
    mw_team *team;
    mw_team_memory memory; /* two blocks that ranks see of each other */
    uint64_t random;
} fixture;

static bool open_fixture(fixture *f, const char *mesh)
{
    mw_ctx_init(&f->ctx);
    mw_arena_init(&f->arena, &f->ctx);
    f->random = 7;
    return CHECK(mw_mesh_parse(&f->ctx, &f->arena, mesh, &f->mesh) == MW_OK &&
                     mw_team_open(&f->ctx, &f->arena, &f->team) == MW_OK &&
                     mw_team_share(f->team, (int64_t)2 * MAX_ELEMENTS * 8,
                                   &f->memory) == MW_OK,
                 "mesh %s: %s", mesh, f->ctx.message);
}

static void close_fixture(fixture *f)
{
    mw_team_unshare(f->team, &f->memory);
    mw_team_close(f->team);
    mw_arena_free(&f->arena);
    mw_ctx_free(&f->ctx);
}

static int64_t pick(fixture *f, int64_t n)
{
    return (int64_t)(mw_test_random(&f->random) % (uint64_t)n);
}

static mw_tensor random_tensor(fixture *f)
{
    static const mw_dtype dtypes[] = {MW_I64, MW_F32, MW_I32, MW_F64, MW_U8};
    static const int64_t sizes[] = {1, 2, 3, 5, 7, 8, 0, 4};
    mw_tensor t = {.name = "t", .rank = 1 + (int)pick(f, 3)};
    t.dtype = dtypes[pick(f, 5)];
    for (int i = 0; i < t.rank; i++) {
        t.axis[i].dim = i;
        t.axis[i].size = sizes[pick(f, pick(f, 8) == 0 ? 8 : 6)];
    }
    /* rows that are combined and written in pieces */
    if (t.rank < 3 && pick(f, 4) == 0)
        t.axis[t.rank - 1].size = 300 + pick(f, 200);
    return t;
}

static mw_layout random_layout(fixture *f, const mw_tensor *t, mw_reduce reduce)
{
    mw_layout layout = mw_layout_replicated();
    for (int a = 0; a < f->mesh.n_axes; a++) {
        int64_t role = pick(f, t->rank + 2);
        if (role < t->rank)
            layout.role[a] = (int8_t)role;
        else if (role == t->rank && reduce) {
            layout.role[a] = MW_PARTIAL;
            layout.reduce = (uint8_t)reduce;
        }
    }
    return layout;
}

/* ---- values ---- */

static void store(mw_dtype dtype, void *data, int64_t at, int64_t value)
{
    char *to = (char *)data + at * mw_dtype_bytes(dtype);
    float f = (float)value;
    double d = (double)value;
    const void *from = &value;
    if (dtype == MW_F32)
        from = &f;
    if (dtype == MW_F64)
        from = &d;
    memcpy(to, from, (size_t)mw_dtype_bytes(dtype));
}

static int64_t load(mw_dtype dtype, const void *data, int64_t at)
{
    const char *from = (const char *)data + at * mw_dtype_bytes(dtype);
    float f;
    double d;
    int64_t value = 0;
    size_t n = (size_t)mw_dtype_bytes(dtype);
    memcpy(dtype == MW_F32   ? (void *)&f
           : dtype == MW_F64 ? (void *)&d
                             : (void *)&value,
           from, n);
    if (dtype == MW_F32)
        return (int64_t)f;
    return dtype == MW_F64 ? (int64_t)d : value;
}

// What a rank contributes to element e, whose value is e % 50 + 1.
static int64_t share(const fixture *f, const mw_layout *layout, int64_t e,
                     const int64_t coord[])
{
    int64_t value = e % 50 + 1, others = 0;
    bool first = true;
    for (int a = 0; a < f->mesh.n_axes; a++)
        if (layout->role[a] == MW_PARTIAL) {
            others += coord[a];
            first = first && coord[a] == 0;
        }
    switch (layout->reduce) {
    case MW_REDUCE_SUM:
        return first ? value : 0;
    case MW_REDUCE_PROD:
        return first ? value : 1;
    case MW_REDUCE_MAX:
        return value > others ? value - others : 0;
    case MW_REDUCE_MIN:
        return value + others;
    default:
        return value;
    }
}

/* Walks over a box, giving each element's index in the whole tensor. */
static int64_t element_of(const mw_tensor *t, const mw_box *box, int64_t k)
{
    int64_t index[MW_MAX_RANK], e = 0;
    for (int i = t->rank - 1; i >= 0; i--) {
        index[i] = box->axis[i].start + k % box->axis[i].size;
        k /= box->axis[i].size;
    }
    for (int i = 0; i < t->rank; i++)
        e = e * t->axis[i].size + index[i];
    return e;
}

static mw_box box_of(const fixture *f, const mw_tensor *t,
                     const mw_layout *layout, const int64_t coord[])
{
    mw_box box = {.rank = t->rank};
    (void)mw_layout_box(&f->mesh, layout, t, coord, box.axis);
    return box;
}

static void set_block(const fixture *f, const mw_tensor *t,
                      const mw_layout *layout, void *block)
{
    int64_t coord[MW_MAX_MESH];
    mw_mesh_coords(&f->mesh, mw_team_rank(f->team), coord);
    mw_box box = box_of(f, t, layout, coord);
    for (int64_t k = 0, n = mw_box_elements(&box); k < n; k++)
        store(t->dtype, block, k,
              share(f, layout, element_of(t, &box, k), coord));
}

static int64_t combine(int reduce, int64_t a, int64_t b)
{
    if (reduce == MW_REDUCE_SUM)
        return a + b;
    if (reduce == MW_REDUCE_PROD)
        return a * b;
    if (reduce == MW_REDUCE_MAX)
        return a > b ? a : b;
    return a < b ? a : b;
}

// True when, on rank 0, the blocks that belong together make the whole: every
// element owned once, or once by each partial rank.
static bool makes_whole(fixture *f, const mw_tensor *t, const mw_layout *layout,
                        int64_t copy, char (*blocks)[MAX_ELEMENTS * 8])
{
    int64_t whole[MAX_ELEMENTS] = {0}, owners[MAX_ELEMENTS] = {0}, want = 1;
    int64_t n = mw_tensor_elements(t);
    for (int a = 0; a < f->mesh.n_axes; a++)
        if (layout->role[a] == MW_PARTIAL)
            want *= f->mesh.axis[a].size;
    for (int rank = 0; rank < mw_team_size(f->team); rank++) {
        int64_t coord[MW_MAX_MESH], which = 0;
        mw_mesh_coords(&f->mesh, rank, coord);
        for (int a = 0; a < f->mesh.n_axes; a++)
            if (layout->role[a] == MW_REPLICATED)
                which = which * f->mesh.axis[a].size + coord[a];
        if (which != copy)
            continue;
        mw_box box = box_of(f, t, layout, coord);
        for (int64_t k = 0, m = mw_box_elements(&box); k < m; k++) {
            int64_t e = element_of(t, &box, k);
            int64_t value = load(t->dtype, blocks[rank], k);
            whole[e] =
                owners[e]++ ? combine(layout->reduce, whole[e], value) : value;
        }
    }
    for (int64_t e = 0; e < n; e++)
        if (owners[e] != want || whole[e] != e % 50 + 1)
            return false;
    return true;
}

// Rank 0 gathers all blocks and looks at every set of them.
static bool right(fixture *f, const mw_tensor *t, const mw_layout *layout,
                  const void *block)
{
    static char blocks[4][MAX_ELEMENTS * 8];
    int64_t coord[MW_MAX_MESH], copies = 1;
    int rank = mw_team_rank(f->team);
    mw_mesh_coords(&f->mesh, rank, coord);
    mw_box box = box_of(f, t, layout, coord);
    int64_t item = mw_dtype_bytes(t->dtype);
    size_t bytes = (size_t)(mw_box_elements(&box) * item);
    if (rank > 0)
        return mw_wire_swap(mw_team_all(f->team), 0, block, (int64_t)bytes, 0,
                            NULL, 0) == MW_OK;
    memcpy(blocks[0], block, bytes);
    for (int r = 1; r < mw_team_size(f->team); r++) {
        mw_mesh_coords(&f->mesh, r, coord);
        box = box_of(f, t, layout, coord);
        if (mw_wire_swap(mw_team_all(f->team), 0, NULL, 0, r, blocks[r],
                         mw_box_elements(&box) * item) != MW_OK)
            return false;
    }
    for (int a = 0; a < f->mesh.n_axes; a++)
        if (layout->role[a] == MW_REPLICATED)
            copies *= f->mesh.axis[a].size;
    for (int64_t copy = 0; copy < copies; copy++)
        if (!makes_whole(f, t, layout, copy, blocks))
            return false;
    return true;
}

/* ---- steps ---- */

static mw_status make_move(fixture *f, const mw_tensor *t, const mw_step *step,
                           void *src, void *dst, mw_move *move)
{
    mw_wire *wire;
    MW_TRY(mw_team_group(f->team, &f->mesh, step->axes, &wire));
    mw_box *from = MW_NEW_ARRAY(&f->arena, wire->size, mw_box);
    mw_box *to = MW_NEW_ARRAY(&f->arena, wire->size, mw_box);
    void *stage = mw_arena_alloc(&f->arena, (size_t)step->stage_bytes, 1);
    if (!from || !to || !stage)
        return MW_ENOMEM;
    int64_t coord[MW_MAX_MESH];
    mw_mesh_coords(&f->mesh, mw_team_rank(f->team), coord);
    for (int k = 0; k < wire->size; k++) {
        mw_mesh_group_member(&f->mesh, step->axes, k, coord);
        from[k] = box_of(f, t, &step->from, coord);
        to[k] = box_of(f, t, &step->to, coord);
    }
    int reduce = step->from.reduce ? step->from.reduce : step->to.reduce;
    mw_move_spec spec = {.kind = step->kind,
                         .way = step->way,
                         .dtype = t->dtype,
                         .reduce = (mw_reduce)reduce,
                         .wire = wire,
                         .src = src,
                         .dst = dst,
                         .stage = stage,
                         .stage_bytes = step->stage_bytes,
                         .boxes = {from, to}};
    return mw_move_make(&f->arena, &spec, move);
}

// Runs one step from a block that is right; checks block and bytes after it.
static void check_step(fixture *f, const mw_tensor *t, const mw_step *step,
                       void *src, void *dst)
{
    mw_move move;
    char name[96], way[MW_WAY_TEXT_MAX];
    (void)snprintf(name, sizeof name, "%s %s of %s rank %d axes %u",
                   mw_way_text(step->kind, step->way, way),
                   mw_collective_name(step->kind), mw_dtype_name(t->dtype),
                   t->rank, step->axes);
    mw_status status = make_move(f, t, step, src, dst, &move);
    int64_t before = mw_team_bytes_sent(f->team);
    if (status == MW_OK)
        status = mw_move_run(&move);
    if (!CHECK(status == MW_OK, "%s: %s", name, f->ctx.message))
        return;
    int64_t sent = mw_team_bytes_sent(f->team) - before;
    int64_t want = mw_step_bytes_of(&f->mesh, t, step, mw_team_rank(f->team));
    CHECK(sent == want, "%s: sent %lld bytes, planned %lld", name,
          (long long)sent, (long long)want);
    CHECK(sent <= step->bytes_sent, "%s: sent %lld bytes, at most %lld planned",
          name, (long long)sent, (long long)step->bytes_sent);
    CHECK(right(f, t, &step->to, dst), "%s: values differ", name);
}

// Another layout; every other time one that differs along the step's axes only.
static mw_layout random_end(fixture *f, const mw_tensor *t, const mw_step *step,
                            mw_reduce reduce)
{
    mw_layout end = random_layout(f, t, reduce);
    bool other = pick(f, 2);
    end.reduce = 0;
    for (int a = 0; a < f->mesh.n_axes; a++) {
        if (other && !(step->axes >> a & 1U))
            end.role[a] = step->from.role[a];
        if (end.role[a] == MW_PARTIAL)
            end.reduce = (uint8_t)reduce;
    }
    return end;
}

static const mw_way ways[] = {
    {MW_USUAL, 0}, {MW_DIRECT, 0}, {MW_HALVING, 0}, {MW_HIERARCHICAL, 2}};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

// Through the caches, and past them.
static void check_shared(fixture *f, const mw_tensor *t, const mw_step *step)
{
    static const int64_t caches[] = {INT64_MAX, 0};
    char *shared = f->memory.at;
    mw_wire *wire;
    for (int i = 0; i < 2; i++) {
        if (!CHECK(mw_team_group(f->team, &f->mesh, step->axes, &wire) == MW_OK,
                   "%s", f->ctx.message))
            return;
        wire->cache_bytes = caches[i];
        set_block(f, t, &step->from, shared);
        check_step(f, t, step, shared, shared + (size_t)MAX_ELEMENTS * 8);
    }
}

// By messages, and where the ranks share memory.
static void check_ways(fixture *f, const mw_tensor *t, mw_step *step)
{
    static char src[MAX_ELEMENTS * 8], dst[MAX_ELEMENTS * 8];
    int64_t ranks = mw_mesh_group_size(&f->mesh, step->axes);
    for (int w = 0; w < N_WAYS; w++) {
        if (mw_way_refusal(step->kind, ways[w], ranks))
            continue;
        step->way = ways[w];
        mw_step_price(&f->mesh, NULL, t, step);
        set_block(f, t, &step->from, src);
        check_step(f, t, step, src, dst);
        check_shared(f, t, step);
    }
}

static void random_steps(void)
{
    for (size_t m = 0; m < sizeof meshes / sizeof meshes[0]; m++) {
        fixture f;
        int seen[MW_N_COLLECTIVES] = {0};
        if (meshes[m].ranks != mw_test_size() ||
            !open_fixture(&f, meshes[m].text))
            continue;
        for (int i = 0; i < CASES * 60; i++) {
            mw_tensor t = random_tensor(&f);
            mw_reduce reduce = (mw_reduce)(1 + pick(&f, 4));
            mw_step step = {.kind = (mw_collective)pick(&f, MW_N_COLLECTIVES),
                            .axes = (uint32_t)pick(&f, 1 << f.mesh.n_axes),
                            .from = random_layout(&f, &t, reduce)};
            step.to = random_end(&f, &t, &step, reduce);
            if (step.axes == 0 || mw_step_refusal(&f.mesh, &t, &step) ||
                seen[step.kind] >= CASES / 6)
                continue;
            seen[step.kind]++;
            check_ways(&f, &t, &step);
        }
        for (int k = 0; k < MW_N_COLLECTIVES; k++)
            CHECK(seen[k] >= 10, "mesh %s: %s drawn %d times", meshes[m].text,
                  mw_collective_name((mw_collective)k), seen[k]);
        close_fixture(&f);
    }
}

/* ---- long blocks ---- */

// Summands of element e: they make ranks * e + the sum of ranks' numbers.
static void check_long(fixture *f, mw_way way, char *memory, int64_t n)
{
    mw_tensor t = {.name = "t", .dtype = MW_I32, .rank = 1};
    t.axis[0] = (mw_axis){.dim = 0, .size = n};
    mw_step step = {.kind = MW_ALL_REDUCE, .way = way, .axes = 1};
    step.from = step.to = mw_layout_replicated();
    step.from.role[0] = MW_PARTIAL;
    step.from.reduce = MW_REDUCE_SUM;
    mw_step_price(&f->mesh, NULL, &t, &step);
    int32_t *src = (int32_t *)(void *)memory;
    int32_t *dst = src + mw_aligned(n * 4) / 4;
    int rank = mw_team_rank(f->team), size = mw_team_size(f->team);
    for (int64_t e = 0; e < n; e++)
        src[e] = (int32_t)e + rank;
    mw_move move;
    mw_status status = make_move(f, &t, &step, src, dst, &move);
    int64_t before = mw_team_bytes_sent(f->team);
    if (status == MW_OK)
        status = mw_move_run(&move);
    int64_t sent = mw_team_bytes_sent(f->team) - before, wrong = 0;
    for (int64_t e = 0; e < n; e++)
        wrong += dst[e] != size * (int32_t)e + size * (size - 1) / 2;
    char text[MW_WAY_TEXT_MAX];
    CHECK(status == MW_OK && wrong == 0 &&
              sent == mw_step_bytes_of(&f->mesh, &t, &step, rank),
          "%s of %lld: %lld wrong, %lld bytes: %s",
          mw_way_text(MW_ALL_REDUCE, way, text), (long long)n, (long long)wrong,
          (long long)sent, f->ctx.message);
}

/* Long enough for segments, and for blocks of shared memory. */
static void long_blocks(void)
{
    static const int64_t sizes[] = {1048583, 2200001};
    char text[8];
    fixture f;
    (void)snprintf(text, sizeof text, "%d", mw_test_size());
    if (!open_fixture(&f, text))
        return;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int64_t bytes = 2 * mw_aligned(sizes[i] * 4);
        char *own = mw_arena_alloc(&f.arena, (size_t)bytes, 1);
        mw_team_unshare(f.team, &f.memory);
        if (!CHECK(own && mw_team_share(f.team, bytes, &f.memory) == MW_OK,
                   "%s", f.ctx.message))
            break;
        for (int w = 0; w < N_WAYS; w++) {
            if (mw_way_refusal(MW_ALL_REDUCE, ways[w], mw_test_size()))
                continue;
            check_long(&f, ways[w], own, sizes[i]);
            check_long(&f, ways[w], f.memory.at, sizes[i]);
        }
    }
    close_fixture(&f);
}

/* ---- paths ---- */

static void check_path(fixture *f, const mw_tensor *t, const mw_layout *from,
                       const mw_path *path)
{
    static char blocks[2][MAX_ELEMENTS * 8];
    set_block(f, t, from, blocks[0]);
    for (int i = 0; i < path->n_steps; i++)
        check_step(f, t, &path->step[i], blocks[i % 2], blocks[(i + 1) % 2]);
}

static int64_t step_ps(const mw_costs *costs, const mw_mesh *mesh,
                       mw_collective kind, uint32_t axes, int64_t bytes,
                       int64_t peers, mw_way *way)
{
    (void)costs;
    (void)way;
    (void)kind;
    return 100 * peers + bytes + mw_mesh_group_size(mesh, axes);
}

static void random_paths(void)
{
    static const mw_costs costs = {.step_ps = step_ps};
    for (size_t m = 0; m < sizeof meshes / sizeof meshes[0]; m++) {
        fixture f;
        mw_resharder *resharder;
        if (meshes[m].ranks != mw_test_size() ||
            !open_fixture(&f, meshes[m].text))
            continue;
        mw_status status =
            mw_resharder_open(&f.ctx, &f.arena, &f.mesh, &costs, &resharder);
        for (int i = 0; status == MW_OK && i < CASES; i++) {
            mw_tensor t = random_tensor(&f);
            mw_layout from = random_layout(&f, &t, MW_REDUCE_SUM);
            mw_layout to = random_layout(&f, &t, MW_REDUCE_SUM);
            const mw_path *path = NULL;
            status = mw_reshard(resharder, &t, &from, &to, &path);
            if (status == MW_OK && path)
                check_path(&f, &t, &from, path);
        }
        CHECK(status == MW_OK, "mesh %s: %s", meshes[m].text, f.ctx.message);
        close_fixture(&f);
    }
}

/* ---- agreeing ---- */

static void agreeing(void)
{
    fixture f;
    int last = mw_test_size() - 1;
    mw_ctx_init(&f.ctx);
    mw_arena_init(&f.arena, &f.ctx);
    if (!CHECK(mw_team_open(&f.ctx, &f.arena, &f.team) == MW_OK, "%s",
               f.ctx.message))
        return;
    CHECK(mw_team_agree(f.team, MW_OK) == MW_OK, "all is well: %s",
          f.ctx.message);
    mw_status status = MW_OK;
    if (mw_test_rank() == last)
        status = mw_fail(&f.ctx, MW_EINPUT, "seen by the last rank");
    CHECK(mw_team_agree(f.team, status) == MW_EINPUT &&
              strcmp(f.ctx.message, "seen by the last rank") == 0,
          "got %s", f.ctx.message);
    mw_ctx_clear(&f.ctx);
    CHECK(mw_team_same(f.team, "a digest", 5) == MW_OK, "%s", f.ctx.message);
    status = mw_team_same(f.team, "a digest", mw_test_rank() == 1 ? 6 : 5);
    CHECK(mw_test_size() == 1
              ? status == MW_OK
              : status == MW_ERUN && strstr(f.ctx.message, "rank 1"),
          "got %s", f.ctx.message);
    mw_team_close(f.team);
    mw_arena_free(&f.arena);
    mw_ctx_free(&f.ctx);
}

const mw_suite mw_mpi_suite_moves = {"moves",
                                     {{"steps", random_steps},
                                      {"long blocks", long_blocks},
                                      {"paths", random_paths},
                                      {"agreeing", agreeing}}};
