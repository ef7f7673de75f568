/* test_layout.c - meshes, blocks and layouts as text. */
#include <stdio.h>
#include <string.h>

#include "ir/layout.h"
#include "tests/test.h"

static const struct mesh_row {
    const char *text;
    const char *want; /* axes written out, or a part of the message */
} mesh_rows[] = {
    {"4", "m0=4"},
    {"2x2", "m0=2 m1=2"},
    {"data=2,model=3", "data=2 model=3"},
    {"data=2x4", "data=2 m1=4"},
    {"1", "m0=1"},
    {"2x2x2x2x2x2", "m0=2 m1=2 m2=2 m3=2 m4=2 m5=2"},
    {"2x2x2x2x2x2x2", "more than 6 axes"},
    {"", "neither NAME=SIZE nor SIZE"},
    {"0", "a size is not in"},
    {"data=", "a size is not in"},
    {"data", "neither NAME=SIZE nor SIZE"},
    {"a=2,a=2", "stands twice"},
    {"m1=2x2", "stands twice"},
    {"2;2", "not joined"},
    {"2x", "neither NAME=SIZE nor SIZE"},
    {"-2", "neither NAME=SIZE nor SIZE"},
    {"99999999999999999999", "a size is not in"},
    {"16777216x2", "more than 16777216 ranks"},
};

static void meshes(void)
{
    for (size_t i = 0; i < sizeof mesh_rows / sizeof mesh_rows[0]; i++) {
        const struct mesh_row *row = &mesh_rows[i];
        mw_ctx ctx;
        mw_arena arena;
        mw_mesh mesh;
        char got[256] = "";
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        mw_status status = mw_mesh_parse(&ctx, &arena, row->text, &mesh);
        for (int a = 0; status == MW_OK && a < mesh.n_axes; a++) {
            size_t used = strlen(got);
            (void)snprintf(got + used, sizeof got - used, "%s%s=%lld",
                           a ? " " : "", mesh.axis[a].name,
                           (long long)mesh.axis[a].size);
        }
        CHECK(status == MW_OK
                  ? strcmp(got, row->want) == 0
                  : status == MW_EUSAGE && strstr(ctx.message, row->want),
              "mesh '%s': %s, wanted %s", row->text,
              status == MW_OK ? got : ctx.message, row->want);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

static mw_mesh mesh_of(int n_axes, const int64_t size[])
{
    static const char *const name[] = {"a", "b", "c"};
    mw_mesh mesh = {.n_axes = n_axes};
    for (int a = 0; a < n_axes; a++)
        mesh.axis[a] = (mw_mesh_axis){.name = name[a], .size = size[a]};
    return mesh;
}

static void coordinates(void)
{
    mw_mesh mesh = mesh_of(3, (const int64_t[]){2, 3, 4});
    CHECK(mw_mesh_ranks(&mesh) == 24, "2x3x4");
    for (int64_t rank = 0; rank < 24; rank++) {
        int64_t coord[MW_MAX_MESH];
        mw_mesh_coords(&mesh, rank, coord);
        CHECK(coord[0] == rank / 12 && coord[1] == rank / 4 % 3 &&
                  coord[2] == rank % 4 && mw_mesh_rank(&mesh, coord) == rank,
              "rank %lld", (long long)rank);
        int64_t index = mw_mesh_group_index(&mesh, 5, coord);
        CHECK(index == coord[0] * 4 + coord[2], "group index of rank %lld",
              (long long)rank);
        int64_t other[MW_MAX_MESH] = {0, coord[1], 0};
        mw_mesh_group_member(&mesh, 5, index, other);
        CHECK(mw_mesh_rank(&mesh, other) == rank, "member %lld",
              (long long)index);
    }
}

// Each of n elements has exactly one owner among the ranks, for every mesh up
// to 4x4x4 and every set of axes that splits it.
static bool partitions(const mw_mesh *mesh, uint32_t axes, int64_t n)
{
    int owners[32] = {0};
    mw_layout layout = mw_layout_replicated();
    for (int a = 0; a < mesh->n_axes; a++)
        layout.role[a] = axes >> a & 1U ? 0 : MW_REPLICATED;
    for (int64_t rank = 0; rank < mw_mesh_ranks(mesh); rank++) {
        int64_t coord[MW_MAX_MESH];
        mw_mesh_coords(mesh, rank, coord);
        mw_block block = mw_layout_block(mesh, &layout, 0, n, coord);
        if (block.start < 0 || block.size < 0 || block.start + block.size > n)
            return false;
        for (int64_t i = 0; i < block.size; i++)
            owners[block.start + i]++;
    }
    int64_t copies = mw_mesh_ranks(mesh) / mw_mesh_group_size(mesh, axes);
    for (int64_t i = 0; i < n; i++)
        if (owners[i] != copies)
            return false;
    return true;
}

static void blocks(void)
{
    for (int m = 0; m < 64; m++) {
        int64_t size[] = {m / 16 + 1, m / 4 % 4 + 1, m % 4 + 1};
        mw_mesh mesh = mesh_of(3, size);
        for (uint32_t axes = 0; axes < 8; axes++)
            for (int64_t n = 0; n <= 20; n++)
                CHECK(partitions(&mesh, axes, n),
                      "%lld elements on %lldx%lldx%lld over axes %u",
                      (long long)n, (long long)size[0], (long long)size[1],
                      (long long)size[2], axes);
    }
}

// S08: 5 elements over 2x2 nest as (2,1),(1,1): no gap, nobody twice.
static void five_on_two_by_two(void)
{
    static const mw_block want[] = {{0, 2}, {2, 1}, {3, 1}, {4, 1}};
    mw_mesh mesh = mesh_of(2, (const int64_t[]){2, 2});
    mw_layout layout = mw_layout_replicated();
    layout.role[0] = layout.role[1] = 0;
    for (int64_t rank = 0; rank < 4; rank++) {
        int64_t coord[MW_MAX_MESH];
        mw_mesh_coords(&mesh, rank, coord);
        mw_block block = mw_layout_block(&mesh, &layout, 0, 5, coord);
        CHECK(block.start == want[rank].start && block.size == want[rank].size,
              "rank %lld holds [%lld, +%lld)", (long long)rank,
              (long long)block.start, (long long)block.size);
    }
}

static const struct layout_row {
    const char *text, *want; /* printed again, or a part of the message */
} layout_rows[] = {
    {"[rows@a, cols]", "[rows@a, cols, 3]"},
    {"rows@a,cols@b", "[rows@a, cols@b, 3]"},
    {" [ rows @ a , cols , 3 ] ", "[rows@a, cols, 3]"},
    {"cols@b", "[rows, cols@b, 3]"},
    {"rows@a@b", "[rows@a@b, cols, 3]"},
    {"rows@b@a", "blocks nest in mesh order"},
    {"[rows@a, cols] +b", "[rows@a, cols, 3] +b"},
    {"[rows, cols] +a+b", "[rows, cols, 3] +a+b"},
    {"[rows, cols] max+a", "[rows, cols, 3] max+a"},
    {"[rows@a] sum+b", "[rows@a, cols, 3] +b"},
    {"", "[rows, cols, 3]"},
    {"[]", "[rows, cols, 3]"},
    {"lines@a", "[rows@a, cols, 3]"},
    {"[(rows@a cols@b), 3]", "[rows@a, cols@b, 3]"},
    {"( rows@b cols ) , 3", "[rows@b, cols, 3]"},
    {"[(rows@a cols]", "')' is missing"},
    {"(rows@a cols", "')' is missing"},
    {"rows@a)", "')' stands where '+AXIS'"},
    {"rows@z", "the mesh has no axis 'z'"},
    {"depth@a", "the tensor has no dimension 'depth'"},
    {"3@a", "the tensor has no dimension '3'"},
    {"rows@a,cols@a", "mesh axis 'a' is used twice"},
    {"[rows@a] +a", "mesh axis 'a' is used twice"},
    {"[rows@a", "']' is missing"},
    {"[rows@a] cols", "'cols' stands where '+AXIS'"},
    {"[rows@a] +b extra", "'extra' stands after its end"},
};

static void layout_texts(void)
{
    mw_dim dims[] = {{.name = "rows", .size = 5, .synonym = "lines"},
                     {.name = "cols", .size = 7}};
    mw_graph graph = {.n_dims = 2, .dim = dims};
    mw_tensor tensor = {.name = "x",
                        .rank = 3,
                        .axis = {{.dim = 0, .size = 5},
                                 {.dim = 1, .size = 7},
                                 {.dim = MW_NONE, .size = 3}}};
    mw_mesh mesh = mesh_of(2, (const int64_t[]){2, 3});
    for (size_t i = 0; i < sizeof layout_rows / sizeof layout_rows[0]; i++) {
        const struct layout_row *row = &layout_rows[i];
        mw_ctx ctx;
        mw_arena arena;
        mw_layout layout;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        mw_status status =
            mw_layout_parse(&ctx, &graph, &tensor, &mesh, row->text, &layout);
        const char *got = ctx.message;
        if (status == MW_OK)
            got = mw_layout_text(&arena, &graph, &tensor, &mesh, &layout);
        CHECK(status == MW_OK ? strcmp(got, row->want) == 0
                              : status == MW_EUSAGE && strstr(got, row->want),
              "layout '%s': %s, wanted %s", row->text, got, row->want);
        CHECK(status != MW_OK || !mw_layout_refusal(&mesh, &tensor, &layout),
              "layout '%s' is legal", row->text);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

const mw_suite mw_suite_layout = {
    "layout",
    {{"meshes", meshes},
     {"coordinates", coordinates},
     {"blocks partition every extent", blocks},
     {"five on two by two", five_on_two_by_two},
     {"layouts as text", layout_texts}},
};
