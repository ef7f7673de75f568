/*
 * grams.c - TfIdfVectorizer: how often rows of numbers hold each of the n-grams
 * of a pool. All places and all grams of one length are compared at once, so
 * that rows, places and grams may be split.
 */
#include <string.h>

#include "base/map.h"
#include "ir/import/emit.h"

typedef struct grams {
    mw_onnx_call *call;
    mw_id x;             /* [rows, n] of i64 */
    int64_t n, distance; /* of the largest skip */
    int64_t n_columns;
    const mw_onnx_attr *pool, *column; /* column: of each gram of the pool */
    const mw_onnx_attr *weight;        /* likewise; or NULL */
    bool shared;                       /* two grams have one column */
    bool binary;                       /* whether it occurs, not how often */
    mw_id counts;                      /* [rows, columns] or MW_NONE */
} grams;

/* Grams of one length in the pool: from `first` on; `id`: of the first. */
typedef struct level {
    int64_t length, first, n, id;
} level;

static mw_id vector_of(const grams *g, const level *l, int64_t item)
{
    mw_onnx_call *call = g->call;
    int64_t *v = MW_NEW_ARRAY(call->arena, l->n, int64_t);
    if (!v) {
        call->status = MW_ENOMEM;
        return MW_NONE;
    }
    for (int64_t i = 0; i < l->n; i++)
        v[i] = g->pool->ints[l->first + i * l->length + item];
    return mw_emit_vector(call, v, l->n);
}

/* How often each gram occurs with items so far apart, [rows, grams]. */
static mw_id count_apart(const grams *g, const level *l, int64_t distance)
{
    static const mw_axes places = {.n = 1, .axis = {1}};
    mw_onnx_call *call = g->call;
    int64_t n = g->n - (l->length - 1) * distance;
    mw_id all = MW_NONE;
    for (int64_t k = 0; k < l->length && call->status == MW_OK; k++) {
        mw_id part = mw_emit_slice(call, g->x, 1, k * distance, 1, n);
        mw_id same = mw_emit2(call, "equal", mw_emit_unsqueeze(call, part, 2),
                              vector_of(g, l, k));
        all = all == MW_NONE ? same : mw_emit2(call, "and", all, same);
    }
    return mw_emit_reduce(call, "reduce_sum", mw_emit_cast(call, all, MW_F32),
                          &places, false);
}

static mw_id plus(mw_onnx_call *call, mw_id a, mw_id b)
{
    return a == MW_NONE ? b : mw_emit2(call, "add", a, b);
}

/* A gram that the pool has again counts where it comes last. */
static mw_status columns_of(const grams *g, const level *l, int64_t at[])
{
    mw_map last;
    size_t bytes = (size_t)l->length * sizeof *g->pool->ints;
    mw_map_init(&last, g->call->arena);
    for (int64_t i = 0; i < l->n; i++)
        MW_TRY(mw_map_put(&last, &g->pool->ints[l->first + i * l->length],
                          bytes, i));
    for (int64_t i = 0; i < l->n; i++) {
        const int64_t *known =
            mw_map_find(&last, &g->pool->ints[l->first + i * l->length], bytes);
        bool counts = known && *known == i;
        at[i] = counts ? g->column->ints[l->id + i] : g->n_columns;
    }
    return MW_OK;
}

/* Counts as the mode has them: weights where there are any, or their product.
 */
static mw_id weigh(const grams *g, const level *l, mw_id counts)
{
    mw_onnx_call *call = g->call;
    if (!g->weight)
        return counts;
    const mw_tensor tensor = {
        .dtype = MW_F32,
        .rank = 1,
        .axis = {{.dim = MW_NONE, .size = l->n}},
        .data = {.kind = MW_DATA_MEMORY, .bytes = g->weight->floats + l->id}};
    mw_id weight = mw_emit_const(call, &tensor);
    if (!g->binary)
        return mw_emit2(call, "mul", counts, weight);
    return mw_emit_where(call, mw_emit_by(call, "greater", counts, 0.0), weight,
                         mw_emit_like(call, counts, 0.0));
}

/* Sums of the grams in their columns; a column more takes what is left out. */
static mw_status add_level(grams *g, const level *l)
{
    mw_onnx_call *call = g->call;
    mw_id sum = MW_NONE;
    int64_t last = l->length == 1 ? 1 : g->distance;
    for (int64_t d = 1; d <= last && (l->length - 1) * d < g->n; d++)
        sum = plus(call, sum, count_apart(g, l, d));
    int64_t *at = MW_NEW_ARRAY(call->arena, l->n, int64_t);
    MW_TRY(call->status);
    if (!at)
        return MW_ENOMEM;
    if (sum == MW_NONE)
        return MW_OK;
    MW_TRY(columns_of(g, l, at));
    const int64_t axis = 1, size = g->n_columns + 1, along = 0;
    const mw_attr attr[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
        {.name = "size", .kind = MW_ATTR_INT, .n = 1, .i = &size},
        {.name = "along", .kind = MW_ATTR_INT, .n = 1, .i = &along}};
    mw_id in[] = {weigh(g, l, sum), mw_emit_vector(call, at, l->n)};
    mw_id placed = mw_emit(call, "scatter_add", in, 2, attr, 3);
    g->counts = plus(call, g->counts,
                     mw_emit_slice(call, placed, 1, 0, 1, g->n_columns));
    return call->status;
}

static mw_status add_levels(grams *g)
{
    mw_onnx_call *call = g->call;
    const mw_onnx_attr *starts = mw_onnx_attr_find(call, "ngram_counts");
    int64_t least = mw_onnx_int(call, "min_gram_length", 1), id = 0;
    int64_t most = mw_onnx_int(call, "max_gram_length", 1);
    MW_TRY(call->status);
    for (int64_t i = 0; i < starts->n_ints; i++) {
        int64_t from = starts->ints[i];
        int64_t to =
            i + 1 < starts->n_ints ? starts->ints[i + 1] : g->pool->n_ints;
        level l = {.length = i + 1, .first = from, .id = id};
        if (from < 0 || to < from || to > g->pool->n_ints)
            return mw_onnx_refuse(call, "ngram_counts[%lld] is %lld",
                                  (long long)i, (long long)from);
        l.n = (to - from) / l.length;
        id += l.n;
        if (id > g->column->n_ints)
            return mw_onnx_refuse(call,
                                  "ngram_indexes has %lld numbers for %lld "
                                  "n-grams or more",
                                  (long long)g->column->n_ints, (long long)id);
        if (l.n > 0 && l.length >= least && l.length <= most)
            MW_TRY(add_level(g, &l));
    }
    return call->status;
}

static mw_status read_mode(grams *g)
{
    mw_onnx_call *call = g->call;
    const char *mode = mw_onnx_text(call, "mode", "");
    const mw_onnx_attr *given = mw_onnx_attr_find(call, "weights");
    bool plain = strcmp(mode, "TF") == 0;
    g->binary = strcmp(mode, "IDF") == 0;
    g->weight = plain ? NULL : given;
    if (!g->binary && !plain && strcmp(mode, "TFIDF") != 0)
        return mw_onnx_refuse(call, "mode is '%s'", mode);
    if (given && given->n_floats != g->column->n_ints)
        return mw_onnx_refuse(call, "%lld weights, wanted %lld",
                              (long long)given->n_floats,
                              (long long)g->column->n_ints);
    if (g->binary && g->weight && g->shared)
        return mw_onnx_refuse(call, "mode IDF with weights, where two n-grams "
                                    "share an index, is not supported");
    return call->status;
}

static mw_status open_grams(grams *g)
{
    mw_onnx_call *call = g->call;
    int rank = mw_emit_rank(call, call->in[0]);
    g->pool = mw_onnx_attr_find(call, "pool_int64s");
    g->column = mw_onnx_attr_find(call, "ngram_indexes");
    g->distance = mw_onnx_int(call, "max_skip_count", 0) + 1;
    if (mw_onnx_attr_find(call, "pool_strings"))
        return mw_onnx_refuse(call, "a pool of texts is not supported");
    if (!g->pool || !g->column || !mw_onnx_attr_find(call, "ngram_counts"))
        return mw_onnx_refuse(call, "it has no pool_int64s, ngram_indexes or "
                                    "ngram_counts");
    if (rank > 2)
        return mw_onnx_refuse(call, "input has rank %d, wanted 2 or less",
                              rank);
    g->x = mw_emit_cast(call, call->in[0], MW_I64);
    while (mw_emit_rank(call, g->x) < 2 && call->status == MW_OK)
        g->x = mw_emit_unsqueeze(call, g->x, 0);
    g->n = mw_emit_size(call, g->x, 1);
    mw_map used;
    mw_map_init(&used, call->arena);
    for (int64_t i = 0; i < g->column->n_ints; i++) {
        int64_t column = g->column->ints[i];
        g->shared = g->shared || mw_map_find(&used, &column, sizeof column);
        MW_TRY(mw_map_put(&used, &column, sizeof column, i));
        if (column < 0 || column >= INT32_MAX)
            return mw_onnx_refuse(call, "ngram_indexes[%lld] is %lld",
                                  (long long)i, (long long)column);
        if (column >= g->n_columns)
            g->n_columns = column + 1;
    }
    return read_mode(g);
}

static mw_status vectorize(mw_onnx_call *call)
{
    grams g = {.call = call, .counts = MW_NONE};
    MW_TRY(open_grams(&g));
    MW_TRY(add_levels(&g));
    const int64_t shape[] = {mw_emit_size(call, g.x, 0), g.n_columns};
    if (g.counts == MW_NONE)
        g.counts = mw_emit_broadcast(call, mw_emit_number(call, MW_F32, 0.0),
                                     shape, 2);
    mw_id y = g.counts;
    if (g.binary && !g.weight)
        y = mw_emit_cast(call, mw_emit_by(call, "greater", y, 0.0), MW_F32);
    if (mw_emit_rank(call, call->in[0]) < 2)
        y = mw_emit_reshape(call, y, shape + 1, 1);
    return mw_emit_set(call, 0, y);
}

static const mw_onnx_rule rules[] = {
    {.op = "TfIdfVectorizer",
     .since = 9,
     .min_in = 1,
     .max_in = 1,
     .attrs = "max_gram_length max_skip_count min_gram_length mode "
              "ngram_counts ngram_indexes pool_int64s pool_strings weights",
     .build = vectorize},
    {0},
};

const mw_onnx_def mw_onnx_grams = {.brief = "counts of n-grams",
                                   .rules = rules};
