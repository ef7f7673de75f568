/* ties.c - equal weights by samples, then by all of their bytes. */
#include "ir/import/ties.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "ir/fold.h"

enum {
    SAMPLES = 16,
    TILE = 64,    /* of a comparison with a transpose, elements a side */
    REPORTED = 3, /* ties that a warning names */
    WIDTH_MAX = 8
};

/* A weight as it is looked at. */
typedef struct look {
    const mw_tensor *tensor;
    const unsigned char *bytes; /* NULL: nothing may be read */
    size_t width;
    int64_t n, rows, columns; /* rank 2; else one row */
    uint64_t hash[2];         /* of samples; of the transpose's */
    bool tells;               /* it is a weight like no other, by its samples */
} look;

typedef struct search {
    const mw_ties *ties;
    mw_arena *arena;
    mw_map sample; /* what a sample hashes to -> the last such weight */
    mw_map place;  /* path and offset -> the first weight there */
    mw_id *next;   /* the one before with the same sample, or MW_NONE */
    int64_t n_tied;
    mw_id tied[REPORTED];
} search;

static mw_status open_look(const search *s, mw_id id, look *at)
{
    const mw_tensor *tensor = &s->ties->graph->tensor[id];
    bool flat = tensor->rank != 2;
    *at = (look){.tensor = tensor,
                 .bytes = tensor->data.bytes,
                 .width = (size_t)mw_dtype_bytes(tensor->dtype),
                 .n = mw_tensor_elements(tensor)};
    at->rows = flat ? 1 : tensor->axis[0].size;
    at->columns = flat ? at->n : tensor->axis[1].size;
    if (!tensor->data.path)
        return MW_OK;
    at->bytes = NULL;
    if (!s->ties->external)
        return MW_OK;
    mw_map_file map;
    MW_TRY(mw_files_map(s->ties->files, tensor->data.path, &map));
    uint64_t end =
        (uint64_t)tensor->data.offset + (uint64_t)at->n * (uint64_t)at->width;
    if (end > map.size)
        return mw_fail(s->arena->ctx, MW_EINPUT, "'%s' became shorter",
                       tensor->data.path);
    at->bytes = map.bytes + tensor->data.offset;
    return MW_OK;
}

static const unsigned char *element(const look *at, int64_t row, int64_t column)
{
    return at->bytes + (size_t)(row * at->columns + column) * at->width;
}

/* Sample k of the weight, or of its transpose: the places depend on the shape
 * alone, and are all of a small one's. */
static const unsigned char *sample(const look *at, bool turned, int64_t k)
{
    int64_t columns = turned ? at->rows : at->columns;
    uint64_t far = mw_hash_int(0, k) >> 1;
    int64_t i = at->n <= SAMPLES ? k : (int64_t)(far % (uint64_t)at->n);
    int64_t row = i / columns, column = i % columns;
    return turned ? element(at, column, row) : element(at, row, column);
}

static int64_t n_samples(const look *at)
{
    return at->n < SAMPLES ? at->n : SAMPLES;
}

static uint64_t sample_hash(const look *at, bool turned)
{
    const mw_tensor *tensor = at->tensor;
    uint64_t hash = mw_hash_int((uint64_t)tensor->dtype, tensor->rank);
    for (int i = 0; i < tensor->rank; i++) {
        int axis = turned ? tensor->rank - 1 - i : i;
        hash = mw_hash_int(hash, tensor->axis[axis].size);
    }
    for (int64_t k = 0; k < n_samples(at); k++)
        hash = mw_hash_bytes(hash, sample(at, turned, k), at->width);
    return hash;
}

/* It has several values, and a vector more than counts. */
static bool tells(const look *at)
{
    bool differ = false, whole = true;
    for (int64_t k = 0; k < n_samples(at); k++) {
        uint64_t aligned[WIDTH_MAX / sizeof(uint64_t)];
        const unsigned char *bytes = sample(at, false, k);
        differ |= memcmp(bytes, sample(at, false, 0), at->width) != 0;
        memcpy(aligned, bytes, at->width);
        double number = mw_fold_number(at->tensor->dtype, aligned);
        whole &= number == floor(number);
    }
    return differ && !(whole && at->tensor->rank == 1);
}

/* What was read of a file beside the model need not stay in memory. */
static void drop(const look *at)
{
    if (at->tensor->data.path)
        mw_map_file_drop(at->bytes, (size_t)at->n * at->width);
}

static void take_samples(look *at)
{
    at->tells = tells(at);
    for (int turned = 0; turned < 2; turned++)
        at->hash[turned] = sample_hash(at, turned);
    drop(at);
}

static bool same_shape(const mw_tensor *a, const mw_tensor *b, bool turned)
{
    bool same = a->dtype == b->dtype && a->rank == b->rank;
    for (int i = 0; i < a->rank && same; i++) {
        int axis = turned ? b->rank - 1 - i : i;
        same = a->axis[i].size == b->axis[axis].size;
    }
    return same;
}

/* Rows and columns of a tile of b, which is a transposed. */
static bool same_tile(const look *a, const look *b, int64_t row, int64_t column)
{
    for (int64_t i = row; i < row + TILE && i < b->rows; i++)
        for (int64_t k = column; k < column + TILE && k < b->columns; k++)
            if (memcmp(element(a, k, i), element(b, i, k), a->width) != 0)
                return false;
    return true;
}

static bool same_values(const look *a, const look *b, bool turned)
{
    if (!same_shape(a->tensor, b->tensor, turned))
        return false;
    if (!turned)
        return memcmp(a->bytes, b->bytes, (size_t)a->n * a->width) == 0;
    for (int64_t i = 0; i < b->rows; i += TILE)
        for (int64_t k = 0; k < b->columns; k += TILE)
            if (!same_tile(a, b, i, k))
                return false;
    return true;
}

/* ---- one weight after the other ---- */

static void tie(search *s, mw_id id, mw_id of, bool turned, mw_twin twin[])
{
    twin[id] = (mw_twin){.of = of, .turned = turned};
    if (s->n_tied < REPORTED)
        s->tied[s->n_tied] = id;
    s->n_tied++;
}

static mw_status find_alike(search *s, const look *at, bool turned, mw_id *of)
{
    uint64_t hash = at->hash[turned];
    const int64_t *last = mw_map_find(&s->sample, &hash, sizeof hash);
    *of = MW_NONE;
    for (mw_id id = last ? (mw_id)*last : MW_NONE; id != MW_NONE;
         id = s->next[id]) {
        look other;
        MW_TRY(open_look(s, id, &other));
        if (same_values(&other, at, turned))
            *of = id;
        drop(&other);
        drop(at);
    }
    return MW_OK;
}

static mw_status note(search *s, const look *at, mw_id id)
{
    uint64_t hash = at->hash[0];
    const int64_t *last = mw_map_find(&s->sample, &hash, sizeof hash);
    s->next[id] = last ? (mw_id)*last : MW_NONE;
    return mw_map_put(&s->sample, &hash, sizeof hash, id);
}

/* The first weight that is the same bytes of the same file, in the same shape;
 * else MW_NONE. */
static mw_status find_place(search *s, const mw_tensor *tensor, mw_id id,
                            mw_id *of)
{
    *of = MW_NONE;
    const char *key = mw_arena_format(
        s->arena, "%lld %s", (long long)tensor->data.offset, tensor->data.path);
    if (!key)
        return MW_ENOMEM;
    const int64_t *known = mw_map_find_text(&s->place, key);
    if (!known)
        return mw_map_put_text(&s->place, key, id);
    if (same_shape(&s->ties->graph->tensor[*known], tensor, false))
        *of = (mw_id)*known;
    return MW_OK;
}

static mw_status visit(search *s, mw_id id, mw_twin twin[])
{
    const mw_tensor *tensor = &s->ties->graph->tensor[id];
    mw_id of = MW_NONE;
    look at;
    if (tensor->data.path)
        MW_TRY(find_place(s, tensor, id, &of));
    if (of != MW_NONE) {
        tie(s, id, twin[of].of, twin[of].turned, twin);
        return MW_OK;
    }
    if (!mw_dtype_runs(tensor->dtype))
        return MW_OK;
    MW_TRY(open_look(s, id, &at));
    if (!at.bytes)
        return MW_OK;
    take_samples(&at);
    if (!at.tells)
        return MW_OK;
    MW_TRY(find_alike(s, &at, false, &of));
    bool turned = of == MW_NONE && tensor->rank == 2;
    if (turned)
        MW_TRY(find_alike(s, &at, true, &of));
    if (of == MW_NONE)
        return note(s, &at, id);
    tie(s, id, of, turned, twin);
    return MW_OK;
}

static mw_status report(const search *s, const mw_twin twin[])
{
    mw_ctx *ctx = s->arena->ctx;
    const mw_tensor *tensor = s->ties->graph->tensor;
    for (int64_t i = 0; i < s->n_tied && i < REPORTED; i++) {
        mw_id id = s->tied[i];
        mw_warn(ctx,
                "weights '%s' and '%s' hold the same values%s: tied, and "
                "counted once",
                tensor[twin[id].of].name, tensor[id].name,
                twin[id].turned ? ", one transposed" : "");
    }
    if (s->n_tied > REPORTED)
        mw_warn(ctx, "%lld more weights are tied to others of the same values",
                (long long)(s->n_tied - REPORTED));
    return MW_OK;
}

static bool is_stored_weight(const mw_tensor *tensor)
{
    return tensor->role == MW_ROLE_PARAM && mw_tensor_elements(tensor) > 1 &&
           (tensor->data.kind == MW_DATA_MEMORY ||
            tensor->data.kind == MW_DATA_FILE);
}

mw_status mw_ties_find(const mw_ties *ties, mw_twin twin[])
{
    const mw_graph *graph = ties->graph;
    search s = {.ties = ties, .arena = graph->arena};
    mw_map_init(&s.sample, s.arena);
    mw_map_init(&s.place, s.arena);
    s.next = MW_NEW_ARRAY(s.arena, graph->n_tensors, mw_id);
    if (!s.next)
        return MW_ENOMEM;
    for (mw_id id = 0; id < graph->n_tensors; id++)
        twin[id] = (mw_twin){.of = id};
    for (mw_id id = 0; id < graph->n_tensors; id++)
        if (ties->live[id] && is_stored_weight(&graph->tensor[id]))
            MW_TRY(visit(&s, id, twin));
    return report(&s, twin);
}
