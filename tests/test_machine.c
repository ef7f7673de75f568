/* test_machine.c - machines as documents, and the times they give. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profiles/measured.h"
#include "tests/placed_text.h"
#include "tests/test.h"

static void round_trip(const char *name)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_machine machine, again;
    char *first = NULL, *second = NULL;
    bool ok = mw_machine_find(&ctx, &arena, name, &machine) == MW_OK &&
              mw_machine_print(&ctx, &arena, &machine, &first) == MW_OK &&
              mw_machine_parse(&ctx, &arena, name, first, &again) == MW_OK &&
              mw_machine_print(&ctx, &arena, &again, &second) == MW_OK;
    CHECK(ok && strcmp(first, second) == 0, "%s: %s %s", name, ctx.where,
          ctx.message);
    CHECK(ok && strcmp(machine.name, name) == 0 && machine.source[0],
          "%s: says its name and its source", name);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void presets(void)
{
    round_trip("this");
    CHECK(mw_machine_presets() >= 6, "%d presets", mw_machine_presets());
    for (int i = 0; i < mw_machine_presets(); i++)
        round_trip(mw_machine_preset(i));
}

/* A document in which one line is another. */
static void refused(void)
{
    static const struct row {
        const char *from, *to, *want;
    } rows[] = {
        {"\"count\": 0", "\"count\": -1", "count"},
        {"\"bytes_per_s\": 25e9", "\"bytes_per_s\": 0", "bytes_per_s"},
        {"\"memory_bytes\": 80", "\"memory_bytes\": -80", "memory_bytes"},
        {"\"f32\"", "\"f31\"", "f31"},
        {"\"f32\"", "\"f64\"", "f32"},
        {"\"levels\": [", "\"levels\": [], \"more\": [", "levels"},
        {"\"op_overhead_s\": 4e-6", "\"op_overhead_s\": \"slow\"",
         "op_overhead_s"},
        {"\"name\": \"node\"", "\"nam\": \"node\"", "name"},
    };
    const char *whole =
        "{\"name\": \"x\", \"brief\": \"b\", \"source\": \"s\",\n"
        "\"flops_per_s\": {\"f32\": 1e12}, \"memory_bytes_per_s\": 1e12,\n"
        "\"memory_bytes\": 80, \"op_overhead_s\": 4e-6, \"levels\": [\n"
        "{\"name\": \"node\", \"count\": 0, \"latency_s\": 1e-6,"
        " \"bytes_per_s\": 25e9}]}";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_arena arena;
        mw_arena_init(&arena, &ctx);
        const char *at = strstr(whole, rows[i].from);
        char *text =
            mw_arena_format(&arena, "%.*s%s%s", (int)(at - whole), whole,
                            rows[i].to, at + strlen(rows[i].from));
        mw_machine machine;
        mw_status status =
            mw_machine_parse(&ctx, &arena, "m.json", text, &machine);
        CHECK(status == MW_EINPUT && strstr(ctx.message, rows[i].want) &&
                  strncmp(ctx.where, "m.json:", 7) == 0,
              "%s: %s: %s", rows[i].to, ctx.where, ctx.message);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static void unknown_name(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_machine machine;
    CHECK(mw_machine_find(&ctx, &arena, "tpu_v5", &machine) == MW_EUSAGE &&
              strstr(ctx.message, "did you mean 'tpu_v"),
          "tpu_v5: %s", ctx.message);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

/* Two levels: 4 near ranks, then far ones. */
static mw_machine two_levels(void)
{
    mw_machine machine = {
        .name = "two",
        .brief = "two levels",
        .source = "test",
        .memory_bytes_per_s = 1e9,
        .memory_bytes = 1 << 30,
        .op_overhead_s = 1e-6,
        .n_levels = 2,
        .level = {{"near", 4, 1e-6, 1e9, 0}, {"far", 0, 1e-5, 1e8, 0}}};
    machine.flops_per_s[MW_F32] = 1e9;
    return machine;
}

/* The formulas of DESIGN section 5, written out a second time. */
static void collectives(void)
{
    static const struct row {
        const char *mesh;
        uint32_t axes;
        mw_collective kind;
        int64_t bytes, peers;
        double want_s;
    } rows[] = {
        {"2x4", 2, MW_ALL_REDUCE, 4000, 3, 6e-6 + 2 * 3000 / 1e9},
        {"2x4", 2, MW_ALL_GATHER, 4000, 3, 3e-6 + 3000 / 1e9},
        {"2x4", 2, MW_REDUCE_SCATTER, 4000, 3, 3e-6 + 3000 / 1e9},
        {"2x4", 2, MW_ALL_TO_ALL, 4000, 3, 3e-6 + 3000 / 1e9},
        {"2x4", 2, MW_EXCHANGE, 4000, 2, 2e-6 + 4000 / 1e9},
        {"2x4", 1, MW_ALL_GATHER, 4000, 1, 1e-5 + 2000 / 1e8},
        {"2x4", 3, MW_ALL_GATHER, 8000, 7, 7e-5 + 7000 / 1e8},
        {"2x2", 1, MW_ALL_GATHER, 4000, 1, 1e-6 + 2000 / 1e9},
        {"1x2x2x4", 6, MW_ALL_GATHER, 4000, 3, 3e-5 + 3000 / 1e8},
        {"2x4", 2, MW_SLICE, 4000, 0, 0},
        {"2x4", 2, MW_MASK, 4000, 0, 0},
        {"1x4", 1, MW_ALL_REDUCE, 4000, 0, 0},
    };
    mw_machine machine = two_levels();
    mw_costs costs = mw_machine_costs(&machine);
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_mesh mesh;
        bool ok = mw_mesh_parse(&ctx, &arena, rows[i].mesh, &mesh) == MW_OK;
        int64_t got = costs.step_ps(&costs, &mesh, rows[i].kind, rows[i].axes,
                                    rows[i].bytes, rows[i].peers, NULL);
        CHECK(ok && fabs((double)got - rows[i].want_s * 1e12) < 2,
              "row %zu: %lld ps, want %.0f", i, (long long)got,
              rows[i].want_s * 1e12);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

static void roofline(void)
{
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    mw_graph graph;
    bool ok = mw_graph_init(&graph, &arena, "g") == MW_OK &&
              mw_placed_parse(&graph, "input x f32 B=20 30\n"
                                      "param w f32 30 50\n"
                                      "y = einsum x w spec=ab,bc->ac\n"
                                      "z = relu y\n"
                                      "output z\n") == MW_OK;
    CHECK(ok && graph.n_ops == 2, "graph: %s", ctx.message);
    mw_machine machine = two_levels();
    mw_costs costs = mw_machine_costs(&machine);
    const double want[] = {1e-6 + 2.0 * 20 * 30 * 50 / 1e9,
                           1e-6 + 2.0 * 4 * 20 * 50 / 1e9};
    for (int i = 0; ok && i < graph.n_ops; i++) {
        int64_t extent[MW_MAX_LETTERS];
        for (int l = 0; l < graph.op[i].n_letters; l++)
            extent[l] = graph.op[i].letter[l].size;
        mw_source source;
        int64_t got =
            costs.op_ps(&costs, &graph, &graph.op[i], extent, &source);
        CHECK(fabs((double)got - want[i] * 1e12) < 2 &&
                  source == MW_SOURCE_MACHINE,
              "%s: %lld ps, want %.0f", graph.op[i].def->name, (long long)got,
              want[i] * 1e12);
    }
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

/* relu of n floats, priced by what was measured of 1000 and 3000. */
static void measured_times(void)
{
    static const struct row {
        const char *size;
        double want_s;
        mw_source source;
    } rows[] = {
        {"1000", 10e-6, MW_SOURCE_MEASURED},
        {"3000", 20e-6, MW_SOURCE_MEASURED},
        {"2000", 15e-6, MW_SOURCE_INTERPOLATED},
        {"10", 10e-6, MW_SOURCE_EXTRAPOLATED},
        {"5000", 30e-6, MW_SOURCE_EXTRAPOLATED},
    };
    mw_kernel_sample sample[] = {
        {"relu", MW_F32, "A>A 3000", 3000, 24000, {0}, 20e-6},
        {"relu", MW_F32, "A>A 1000", 1000, 8000, {0}, 10e-6}};
    mw_measured measured = {.fingerprint = "f",
                            .taken = "t",
                            .threads = 1,
                            .ranks = 1,
                            .n_kernels = 2,
                            .kernel = sample};
    mw_measured_sort(&measured);
    mw_machine machine = two_levels();
    machine.measured = &measured;
    mw_costs costs = mw_machine_costs(&machine);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_ctx ctx;
        mw_ctx_init(&ctx);
        mw_arena arena;
        mw_arena_init(&arena, &ctx);
        mw_graph graph;
        char *text = mw_arena_format(
            &arena, "input x f32 %s\ny = relu x\noutput y\n", rows[i].size);
        bool ok = mw_graph_init(&graph, &arena, "g") == MW_OK &&
                  mw_placed_parse(&graph, text) == MW_OK;
        mw_source source = MW_SOURCE_MACHINE;
        int64_t got = 0;
        if (ok)
            got = costs.op_ps(&costs, &graph, &graph.op[0],
                              &graph.op[0].letter[0].size, &source);
        CHECK(ok && fabs((double)got - rows[i].want_s * 1e12) < 2 &&
                  source == rows[i].source,
              "relu of %s: %lld ps, %s", rows[i].size, (long long)got,
              mw_source_name(source));
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static void measured_collectives(void)
{
    mw_collective_sample sample[] = {
        {MW_ALL_REDUCE, {MW_USUAL, 0}, 2, 1, 1000, 10e-6},
        {MW_ALL_REDUCE, {MW_USUAL, 0}, 2, 1, 3000, 20e-6},
        {MW_ALL_REDUCE, {MW_USUAL, 0}, 2, 2, 1000, 100e-6},
        {MW_ALL_REDUCE, {MW_USUAL, 0}, 4, 1, 1000, 40e-6},
        {MW_ALL_REDUCE, {MW_DIRECT, 0}, 2, 1, 1000, 5e-6},
        {MW_ALL_REDUCE, {MW_DIRECT, 0}, 2, 1, 3000, 25e-6},
        {MW_ALL_REDUCE, {MW_HALVING, 0}, 4, 1, 1000, 30e-6},
        {MW_ALL_REDUCE, {MW_HIERARCHICAL, 2}, 4, 1, 1000, 20e-6}};
    static const struct row {
        const char *mesh;
        uint32_t axes;
        int64_t bytes;
        double want_s;
        const char *way;
    } rows[] = {
        {"2x2", 2, 1000, 5e-6, "direct"},   {"2x2", 2, 1500, 10e-6, "direct"},
        {"2x2", 2, 3000, 20e-6, "ring"},    {"2x2", 1, 1000, 5e-6, "direct"},
        {"2x2", 3, 1000, 7.5e-6, "direct"}, {"8", 1, 1000, 8.75e-6, "direct"}};
    mw_measured measured = {.fingerprint = "f",
                            .taken = "t",
                            .threads = 1,
                            .ranks = 4,
                            .n_collectives = sizeof sample / sizeof sample[0],
                            .collective = sample};
    mw_measured_sort(&measured);
    mw_machine machine = two_levels();
    machine.measured = &measured;
    mw_costs costs = mw_machine_costs(&machine);
    mw_ctx ctx;
    mw_ctx_init(&ctx);
    mw_arena arena;
    mw_arena_init(&arena, &ctx);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        mw_mesh mesh;
        bool ok = mw_mesh_parse(&ctx, &arena, rows[i].mesh, &mesh) == MW_OK;
        char text[MW_WAY_TEXT_MAX];
        mw_way way;
        int64_t got = costs.step_ps(&costs, &mesh, MW_ALL_REDUCE, rows[i].axes,
                                    rows[i].bytes, 1, &way);
        CHECK(ok && fabs((double)got - rows[i].want_s * 1e12) < 2 &&
                  strcmp(mw_way_text(MW_ALL_REDUCE, way, text), rows[i].way) ==
                      0,
              "row %zu: %lld ps by %s, want %.0f by %s", i, (long long)got,
              text, rows[i].want_s * 1e12, rows[i].way);
    }
    char *first = NULL, *second = NULL;
    mw_machine again;
    bool ok = mw_machine_print(&ctx, &arena, &machine, &first) == MW_OK &&
              mw_machine_parse(&ctx, &arena, "m", first, &again) == MW_OK &&
              mw_machine_print(&ctx, &arena, &again, &second) == MW_OK;
    CHECK(ok && strcmp(first, second) == 0, "measured figures survive: %s %s",
          ctx.where, ctx.message);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_machine = {
    "machine",
    {{"presets", presets},
     {"refused", refused},
     {"unknown name", unknown_name},
     {"collectives", collectives},
     {"roofline", roofline},
     {"measured times", measured_times},
     {"measured collectives", measured_collectives}}};
