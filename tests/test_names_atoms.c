/* test_names_atoms.c - unions, cuts and what keeps them in bounds. */
#include <stdio.h>
#include <string.h>

#include "ir/names_atoms.h"
#include "tests/test.h"

enum { MAX_SIZES = 6, TEXT = 128 };

static const struct row {
    const char *title;
    int64_t a[MAX_SIZES], b[MAX_SIZES]; /* up to the first 0 */
    bool apart; /* the first atom of a and the last of b */
    bool same;
    const char *after_a, *after_b; /* sizes */
} rows[] = {
    {"equal", {6}, {6}, false, true, "6", "6"},
    {"interfering", {6}, {6}, true, false, "6", "6"},
    {"cut", {12}, {3, 4}, false, true, "3 4", "3 4"},
    {"cut but interfering", {12}, {3, 4}, true, false, "12", "3 4"},
    {"both cut", {4, 6}, {8, 3}, false, true, "4 2 3", "4 2 3"},
    {"no chain", {12, 8}, {16, 6}, false, false, "12 8", "16 6"},
    {"no chain in the first segment",
     {4, 6, 5},
     {6, 4, 5},
     false,
     false,
     "4 6 5",
     "6 4 5"},
    {"segments", {2, 15}, {2, 3, 5}, false, true, "2 3 5", "2 3 5"},
    {"deep", {2, 36}, {4, 3, 6}, false, true, "2 2 3 6", "2 2 3 6"},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static mw_status make(mw_atoms *atoms, const int64_t size[], mw_factors *list)
{
    mw_id id[MAX_SIZES];
    int n = 0;
    for (; n < MAX_SIZES && size[n] > 0; n++)
        MW_TRY(mw_atoms_add(atoms, size[n], &id[n]));
    MW_TRY(mw_atoms_list(atoms, id, n, list));
    return mw_atoms_lists_apart(atoms, list, 1);
}

static void sizes_text(const mw_atoms *atoms, mw_factors list, char text[TEXT])
{
    mw_id id[MW_MAX_FACTORS];
    int n = mw_atoms_expand(atoms, list, id);
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        size_t at = strlen(text);
        (void)snprintf(text + at, TEXT - at, "%s%lld", i > 0 ? " " : "",
                       (long long)atoms->atom[id[i]].size);
    }
}

static mw_status unify_row(mw_arena *arena, const struct row *row)
{
    mw_atoms atoms;
    mw_factors a, b;
    bool same;
    char text_a[TEXT], text_b[TEXT];
    mw_atoms_init(&atoms, arena);
    MW_TRY(make(&atoms, row->a, &a));
    MW_TRY(make(&atoms, row->b, &b));
    if (row->apart)
        MW_TRY(mw_atoms_keep_apart(&atoms, a.atom[0], b.atom[b.n - 1]));
    MW_TRY(mw_atoms_unify(&atoms, a, b, &same));
    sizes_text(&atoms, a, text_a);
    sizes_text(&atoms, b, text_b);
    CHECK(same == row->same, "%s: same is %d", row->title, same);
    CHECK(mw_atoms_equal(&atoms, a, b) == row->same, "%s: equal is %d",
          row->title, !row->same);
    CHECK(strcmp(text_a, row->after_a) == 0, "%s: a is %s, want %s", row->title,
          text_a, row->after_a);
    CHECK(strcmp(text_b, row->after_b) == 0, "%s: b is %s, want %s", row->title,
          text_b, row->after_b);
    return MW_OK;
}

static void unify(void)
{
    for (int i = 0; i < N_ROWS; i++) {
        mw_ctx ctx;
        mw_arena arena;
        mw_ctx_init(&ctx);
        mw_arena_init(&arena, &ctx);
        CHECK(unify_row(&arena, &rows[i]) == MW_OK, "%s: %s", rows[i].title,
              ctx.message);
        mw_arena_free(&arena);
        mw_ctx_free(&ctx);
    }
}

// What interferes with an atom interferes with its union and with its kids.
static mw_status inherit_all(mw_ctx *ctx, void *unused)
{
    (void)unused;
    mw_arena arena;
    mw_atoms atoms;
    mw_id a, b, c, d;
    mw_arena_init(&arena, ctx);
    mw_atoms_init(&atoms, &arena);
    mw_status status = mw_atoms_add(&atoms, 6, &a);
    if (status == MW_OK)
        status = mw_atoms_add(&atoms, 6, &b);
    if (status == MW_OK)
        status = mw_atoms_add(&atoms, 6, &c);
    if (status == MW_OK)
        status = mw_atoms_add(&atoms, 5, &d);
    if (status == MW_OK)
        status = mw_atoms_keep_apart(&atoms, b, d);
    if (status == MW_OK)
        status = mw_atoms_keep_apart(&atoms, c, a);
    if (status == MW_OK)
        status = mw_atoms_union(&atoms, a, b);
    if (status == MW_OK)
        status = mw_atoms_cut(&atoms, a, (int64_t[]){2, 3}, 2);
    if (status == MW_OK) {
        mw_id kid[MW_MAX_FACTORS];
        int n = mw_atoms_expand(&atoms, (mw_factors){1, &b}, kid);
        CHECK(n == 2 && mw_atoms_interfere(&atoms, kid[0], d) &&
                  mw_atoms_interfere(&atoms, kid[1], d) &&
                  mw_atoms_interfere(&atoms, kid[0], c) &&
                  mw_atoms_interfere(&atoms, kid[0], kid[1]) &&
                  !mw_atoms_interfere(&atoms, c, d),
              "interference is lost or made up");
    }
    mw_arena_free(&arena);
    return status;
}

static void inheritance(void)
{
    check_oom("atoms", inherit_all, NULL);
}

// Unions at random: two atoms are one iff a plain relabelling says so, and
// they interfere iff some two of their members were told to.
static void random_unions(void)
{
    enum { N = 40 };
    uint64_t state = 5;
    mw_ctx ctx;
    mw_arena arena;
    mw_atoms atoms;
    int label[N];
    bool apart[N][N] = {{false}};
    mw_ctx_init(&ctx);
    mw_arena_init(&arena, &ctx);
    mw_atoms_init(&atoms, &arena);
    mw_status status = MW_OK;
    for (mw_id i = 0, id; i < N && status == MW_OK; i++) {
        label[i] = i;
        status = mw_atoms_add(&atoms, 4, &id);
    }
    for (int n = 0; n < 300 && status == MW_OK; n++) {
        mw_id x = (mw_id)(mw_test_random(&state) % N);
        mw_id y = (mw_id)(mw_test_random(&state) % N);
        mw_id a = mw_atoms_find(&atoms, x), b = mw_atoms_find(&atoms, y);
        if (label[x] == label[y])
            continue;
        if (mw_test_random(&state) % 4 != 0) {
            apart[x][y] = apart[y][x] = true;
            status = mw_atoms_keep_apart(&atoms, a, b);
        } else if (!mw_atoms_interfere(&atoms, a, b)) {
            int from = label[y], to = label[x];
            for (int i = 0; i < N; i++)
                label[i] = label[i] == from ? to : label[i];
            status = mw_atoms_union(&atoms, a, b);
        }
    }
    CHECK(status == MW_OK, "%s", ctx.message);
    int n_wrong = 0;
    for (mw_id x = 0; x < N; x++) {
        for (mw_id y = 0; y < N; y++) {
            mw_id a = mw_atoms_find(&atoms, x), b = mw_atoms_find(&atoms, y);
            bool wanted = false;
            for (int i = 0; i < N; i++)
                for (int k = 0; k < N; k++)
                    wanted = wanted || (apart[i][k] && label[i] == label[x] &&
                                        label[k] == label[y]);
            if ((a == b) != (label[x] == label[y]) ||
                mw_atoms_interfere(&atoms, a, b) != wanted)
                n_wrong++;
        }
    }
    CHECK(n_wrong == 0, "%d pairs of atoms are wrong", n_wrong);
    mw_arena_free(&arena);
    mw_ctx_free(&ctx);
}

const mw_suite mw_suite_names_atoms = {
    "names_atoms",
    {{"unify", unify},
     {"interference is inherited", inheritance},
     {"random unions", random_unions}}};
