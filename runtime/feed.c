/* feed.c - matches a file's arrays with a model's inputs, and deals out rows.
 *
 * The order of an epoch is a permutation by a Feistel network over the least
 * even number of bits that holds all examples; what falls outside is sent
 * through again. So any position is found in constant time and space. */
#include "runtime/feed.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include <stdio.h>
#include "ir/number.h"

enum { ROUNDS = 6, CHUNK = 256 };

/* ---- order ---- */

static uint64_t scramble(uint64_t key, uint64_t value)
{
    uint64_t z = key ^ (value * UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t permute(uint64_t key, uint64_t n, uint64_t at)
{
    int half = 1;
    while (half < 32 && (UINT64_C(1) << (2 * half)) < n)
        half++;
    uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = at >> half, right = at & mask;
        for (int i = 0; i < ROUNDS; i++) {
            uint64_t next = left ^ (scramble(key + (uint64_t)i, right) & mask);
            left = right;
            right = next;
        }
        at = left << half | right;
    } while (at >= n);
    return at;
}

int64_t mw_feed_example(const mw_feed *feed, int64_t position)
{
    int64_t epoch = position / feed->n_examples;
    int64_t at = position % feed->n_examples;
    if (feed->spec.in_order)
        return at;
    uint64_t key = mw_hash_int(feed->spec.seed, epoch);
    return (int64_t)permute(key, (uint64_t)feed->n_examples, (uint64_t)at);
}

/* ---- inputs ---- */

static bool is_input(const mw_tensor *tensor)
{
    return tensor->role == MW_ROLE_INPUT && tensor->producer == MW_NONE;
}

static int64_t product(int n, const int64_t size[])
{
    int64_t all = 1;
    for (int i = 0; i < n; i++)
        all *= size[i];
    return all;
}

static bool convertible(mw_dtype from, mw_dtype to)
{
    return mw_dtype_is_float(from) == mw_dtype_is_float(to);
}

static mw_status wrong_shape(const mw_feed *feed, const mw_array *array,
                             const mw_tensor *tensor)
{
    char found[MW_SHAPE_TEXT_MAX], wanted[MW_SHAPE_TEXT_MAX];
    int64_t size[MW_MAX_FILE_RANK];
    int rank = mw_tensor_file_shape(tensor, size);
    return mw_fail(feed->ctx, MW_EINPUT,
                   "array '%s' is %s%s, wanted for '%s' is %s%s with any "
                   "number of examples as its first axis",
                   array->name, mw_dtype_name(array->dtype),
                   mw_shape_text(array->rank, array->size, found), tensor->name,
                   mw_dtype_name(tensor->dtype),
                   mw_shape_text(rank, size, wanted));
}

// An array for an input: as many examples as it has rows, or, where the input
// has no rows, the input itself.
static mw_status take_array(mw_feed *feed, int i, mw_id id)
{
    const mw_array *array = &feed->file->array[i];
    const mw_tensor *tensor = &feed->graph->tensor[id];
    int64_t size[MW_MAX_FILE_RANK];
    int rank = mw_tensor_file_shape(tensor, size);
    bool fits = rank == array->rank && convertible(array->dtype, tensor->dtype);
    for (int a = 1; fits && a < rank; a++)
        fits = size[a] == array->size[a];
    if (!fits || (rank > 0 && array->size[0] == 0))
        return wrong_shape(feed, array, tensor);
    int64_t row = rank ? product(rank - 1, size + 1) : 1;
    mw_feed_input *input = &feed->input[feed->n_inputs++];
    *input = (mw_feed_input){.tensor = id,
                             .name = array->name,
                             .array = array,
                             .dtype = array->dtype,
                             .n = product(rank, array->size),
                             .row = row,
                             .stride = row,
                             .fixed = rank == 0};
    return mw_tensor_file_bytes(feed->file, i, &input->values);
}

// The batch is the first axis of what has the most rows to an input.
static mw_status count_rows(mw_feed *feed)
{
    for (int i = 0; i < feed->n_inputs; i++) {
        mw_feed_input *input = &feed->input[i];
        int64_t size[MW_MAX_FILE_RANK];
        const mw_tensor *tensor = &feed->graph->tensor[input->tensor];
        if (mw_tensor_file_shape(tensor, size) == 0)
            continue;
        int64_t rows = input->row ? input->n / input->row : 0;
        if (rows > feed->n_examples) {
            feed->n_examples = rows;
            feed->batch = size[0];
        }
    }
    for (int i = 0; i < feed->n_inputs; i++) {
        mw_feed_input *input = &feed->input[i];
        int64_t size[MW_MAX_FILE_RANK];
        const mw_tensor *tensor = &feed->graph->tensor[input->tensor];
        int rank = mw_tensor_file_shape(tensor, size);
        int64_t rows = input->row ? input->n / input->row : 0;
        bool by_row =
            rank > 0 && rows == feed->n_examples && size[0] == feed->batch;
        input->fixed = !by_row;
        if (!by_row && rank > 0 && rows != size[0])
            return mw_fail(
                feed->ctx, MW_EINPUT,
                "array '%s' has %" PRId64 " rows, wanted %" PRId64
                " examples as the others have, or the %" PRId64 " of '%s'",
                input->name, rows, feed->n_examples, size[0], tensor->name);
    }
    return MW_OK;
}

static mw_status match_arrays(mw_feed *feed)
{
    const mw_graph *graph = feed->graph;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        if (!is_input(&graph->tensor[t]))
            continue;
        int i = mw_tensor_file_find(feed->file, "in:", graph->tensor[t].name);
        if (i == MW_NONE)
            return mw_fail(feed->ctx, MW_EINPUT,
                           "holds %d arrays, none called '%s', which the "
                           "model reads",
                           feed->file->n_arrays, graph->tensor[t].name);
        MW_TRY(take_array(feed, i, t));
    }
    return count_rows(feed);
}

/* ---- tokens ---- */

static bool is_labels(const mw_feed *feed, const mw_tensor *tensor)
{
    if (feed->spec.labels)
        return strcmp(tensor->name, feed->spec.labels) == 0;
    return strcmp(tensor->name, "labels") == 0 ||
           strcmp(tensor->name, "targets") == 0;
}

// How far apart windows begin, and how many there are: of a list they share a
// token, a table has one a row. width: of the table's rows; 0: a list.
static mw_status cut_windows(mw_feed *feed, int64_t n, int64_t width)
{
    int64_t seq = feed->n_tokens;
    if (width > 0 && width != seq + 1)
        return mw_fail(feed->ctx, MW_EINPUT,
                       "has rows of %" PRId64 " tokens, wanted one long list, "
                       "or rows of %" PRId64,
                       width, seq + 1);
    if (seq > 0)
        feed->n_examples = width > 0 ? n / width : (n - 1) / seq;
    for (int i = 0; i < feed->n_inputs; i++)
        feed->input[i].stride = width > 0 ? width : seq;
    return MW_OK;
}

// The inputs that tokens go to: two of integers, [batch, seq], one of them
// the labels.
static mw_status match_tokens(mw_feed *feed, const mw_feed_input *tokens,
                              int64_t width)
{
    const mw_graph *graph = feed->graph;
    int64_t size[2][MW_MAX_FILE_RANK];
    int n_labels = 0;
    bool good = true;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (!is_input(tensor))
            continue;
        int n = feed->n_inputs;
        good = good && n < 2 && mw_tensor_file_shape(tensor, size[n]) == 2 &&
               !mw_dtype_is_float(tensor->dtype);
        if (!good)
            break;
        bool labels = is_labels(feed, tensor);
        n_labels += labels;
        feed->input[n] = *tokens;
        feed->input[n].tensor = t;
        feed->input[n].row = size[n][1];
        feed->input[n].first = labels;
        feed->n_inputs++;
    }
    good = good && feed->n_inputs == 2 && n_labels == 1 &&
           size[0][0] == size[1][0] && size[0][1] == size[1][1];
    if (!good)
        return mw_fail(feed->ctx, MW_EINPUT,
                       "is a list of tokens, which goes to two inputs of "
                       "integers [batch, seq], one of them the labels; other "
                       "models take arrays called like their inputs, in a "
                       ".npz");
    feed->batch = size[0][0];
    feed->n_tokens = size[0][1];
    return cut_windows(feed, tokens->n, width);
}

// A single array of integers is a list of tokens, unless an input is called
// like it.
static bool holds_tokens(const mw_feed *feed)
{
    const mw_array *array = feed->file->array;
    bool named = feed->file->n_arrays == 1 &&
                 mw_graph_find_tensor(feed->graph, array->name) != MW_NONE;
    return feed->file->n_arrays == 1 && !named &&
           !mw_dtype_is_float(array->dtype);
}

static mw_status open_arrays(mw_arena *arena, mw_feed *feed)
{
    MW_TRY(mw_tensor_file_open(feed->ctx, arena, feed->spec.path, &feed->file));
    mw_ctx_at(feed->ctx, "%s", feed->spec.path);
    if (!holds_tokens(feed))
        return match_arrays(feed);
    const mw_array *array = feed->file->array;
    mw_feed_input tokens = {.name = array->name,
                            .array = array,
                            .dtype = array->dtype,
                            .n = product(array->rank, array->size)};
    MW_TRY(mw_tensor_file_bytes(feed->file, 0, &tokens.values));
    int64_t width = array->rank == 2 ? array->size[1] : 0;
    if (array->rank != 1 && width == 0)
        return mw_fail(feed->ctx, MW_EINPUT,
                       "array '%s' has %d axes, wanted a list of tokens, or "
                       "rows of them",
                       array->name, array->rank);
    return match_tokens(feed, &tokens, width);
}

static mw_status open_raw(mw_feed *feed)
{
    MW_TRY(mw_map_file_open(feed->ctx, feed->spec.path, &feed->bytes));
    mw_ctx_at(feed->ctx, "%s", feed->spec.path);
    const mw_feed_input tokens = {.name = "bytes",
                                  .values = feed->bytes.bytes,
                                  .dtype = MW_U8,
                                  .n = (int64_t)feed->bytes.size};
    return match_tokens(feed, &tokens, 0);
}

static bool has_arrays(const char *path)
{
    static const char *const endings[] = {".npy", ".npz", ".safetensors"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(mw_path_ext(path), endings[i]) == 0)
            return true;
    return false;
}

mw_status mw_feed_open(mw_arena *arena, const mw_graph *graph,
                       const mw_feed_spec *spec, mw_feed *feed)
{
    *feed = (mw_feed){.ctx = arena->ctx, .graph = graph, .spec = *spec};
    int n = 2;
    for (mw_id t = 0; t < graph->n_tensors; t++)
        n += is_input(&graph->tensor[t]);
    feed->input = MW_NEW_ARRAY(arena, n, mw_feed_input);
    if (!feed->input)
        return MW_ENOMEM;
    mw_status status =
        has_arrays(spec->path) ? open_arrays(arena, feed) : open_raw(feed);
    if (status == MW_OK && feed->n_examples < 1)
        status = mw_fail(feed->ctx, MW_EINPUT,
                         "holds no whole example, wanted %" PRId64 " tokens "
                         "at least",
                         feed->n_tokens + 1);
    if (status != MW_OK) {
        mw_feed_close(feed);
        return status;
    }
    mw_ctx_at(feed->ctx, "%s", "");
    return MW_OK;
}

void mw_feed_close(mw_feed *feed)
{
    if (!feed)
        return;
    mw_tensor_file_close(feed->file);
    feed->file = NULL;
    mw_map_file_close(&feed->bytes);
}

/* ---- values ---- */

// Loads n <= CHUNK elements from where they may lie unaligned.
static void load(const mw_feed_input *input, int64_t at, int64_t n,
                 mw_number to[])
{
    int64_t item = mw_dtype_bytes(input->dtype);
    union {
        uint64_t align;
        unsigned char bytes[CHUNK * sizeof(uint64_t)];
    } copy;
    memcpy(copy.bytes, input->values + at * item, (size_t)(n * item));
    mw_numbers_load(input->dtype, copy.bytes, 0, 1, n, to);
}

/* What an input's integers may be. */
typedef struct range {
    int64_t least, below;
    bool has_ignored;
    int64_t ignored; /* and this */
} range;

// Tokens and labels count from 0; other indices may count from the end.
static range range_of(const mw_feed *feed, const mw_feed_input *input)
{
    const mw_tensor *tensor = &feed->graph->tensor[input->tensor];
    bool labels = is_labels(feed, tensor);
    int64_t below = feed->spec.below[input->tensor];
    return (range){.least = labels || feed->n_tokens > 0 ? 0 : -below,
                   .below = below,
                   .has_ignored = labels && feed->spec.has_ignored,
                   .ignored = feed->spec.ignored};
}

static bool within(const range *r, mw_number number, bool is_unsigned)
{
    if (is_unsigned)
        return number.u < (uint64_t)r->below ||
               (r->has_ignored && r->ignored >= 0 &&
                number.u == (uint64_t)r->ignored);
    return (number.i >= r->least && number.i < r->below) ||
           (r->has_ignored && number.i == r->ignored);
}

// "labels[3, 0]": element `at` of the array.
static void place_text(const mw_feed_input *input, int64_t at, char text[256])
{
    const mw_array *array = input->array;
    int rank = array ? array->rank : 1;
    int64_t index[MW_MAX_FILE_RANK] = {at};
    for (int i = rank - 1; i > 0; i--) {
        index[i] = at % array->size[i];
        index[i - 1] = at /= array->size[i];
    }
    char place[256];
    (void)snprintf(text, 256, "%.128s%s", input->name,
                   mw_shape_text(rank, index, place));
}

static mw_status refuse(const mw_feed *feed, const mw_feed_input *input,
                        const range *r, int64_t at, mw_number number)
{
    char place[256], value[32], besides[32] = "";
    bool is_unsigned = mw_dtype_class(input->dtype) == MW_CLASS_UNSIGNED;
    place_text(input, at, place);
    if (is_unsigned)
        (void)snprintf(value, sizeof value, "%" PRIu64, number.u);
    else
        (void)snprintf(value, sizeof value, "%" PRId64, number.i);
    if (r->has_ignored && (r->ignored < 0 || r->ignored >= r->below))
        (void)snprintf(besides, sizeof besides, ", or %" PRId64, r->ignored);
    mw_ctx_at(feed->ctx, "%s", feed->spec.path);
    return mw_fail(feed->ctx, MW_EINPUT,
                   "%s is %s, '%s' wants %" PRId64 " to %" PRId64 "%s", place,
                   value, feed->graph->tensor[input->tensor].name, r->least,
                   r->below - 1, besides);
}

static mw_status check_range(const mw_feed *feed, const mw_feed_input *input,
                             int64_t lo, int64_t hi)
{
    range r = range_of(feed, input);
    bool is_unsigned = mw_dtype_class(input->dtype) == MW_CLASS_UNSIGNED;
    mw_number number[CHUNK];
    for (int64_t at = lo; at < hi; at += CHUNK) {
        int64_t n = hi - at < CHUNK ? hi - at : CHUNK;
        load(input, at, n, number);
        for (int64_t k = 0; k < n; k++)
            if (!within(&r, number[k], is_unsigned))
                return refuse(feed, input, &r, at + k, number[k]);
    }
    return MW_OK;
}

// Are all of an input's values looked up with, as far as is known?
static bool is_bounded(const mw_feed *feed, const mw_feed_input *input)
{
    mw_id id = input->tensor;
    bool labels = is_labels(feed, &feed->graph->tensor[id]);
    if (feed->spec.below[id] == INT64_MAX || mw_dtype_is_float(input->dtype))
        return false;
    return !feed->spec.some || !feed->spec.some[id] ||
           (labels && feed->spec.has_ignored);
}

mw_status mw_feed_check(const mw_feed *feed, int part, int parts)
{
    for (int i = 0; i < feed->n_inputs; i++) {
        const mw_feed_input *input = &feed->input[i];
        int64_t size = (input->n + parts - 1) / parts, lo = part * size;
        int64_t hi = lo + size < input->n ? lo + size : input->n;
        if (is_bounded(feed, input))
            MW_TRY(check_range(feed, input, lo, hi));
    }
    return MW_OK;
}

// n elements of one example, from the k-th on, to element `at` of the block.
static void copy_run(const mw_feed_input *input, mw_dtype dtype, int64_t from,
                     int64_t n, void *block, int64_t at)
{
    int64_t item = mw_dtype_bytes(dtype);
    if (dtype == input->dtype) {
        memcpy((char *)block + at * item, input->values + from * item,
               (size_t)(n * item));
        return;
    }
    mw_number number[CHUNK];
    for (int64_t k = 0; k < n; k += CHUNK) {
        int64_t m = n - k < CHUNK ? n - k : CHUNK;
        load(input, from + k, m, number);
        for (int64_t j = 0; j < m; j++)
            number[j] = mw_number_cast(number[j], input->dtype, dtype);
        mw_numbers_store(dtype, block, at + k, 1, m, number);
    }
}

/* A batch that is being dealt out. */
typedef struct dealing {
    const mw_feed *feed;
    const mw_feed_input *input;
    mw_dtype dtype;
    int64_t position;
    void *block;
} dealing;

// Elements [flat, flat + n) of the input go to element `at` of the block.
static void deal(const dealing *d, int64_t flat, int64_t n, int64_t at)
{
    const mw_feed_input *input = d->input;
    if (input->fixed) {
        copy_run(input, d->dtype, flat, n, d->block, at);
        return;
    }
    while (n > 0) {
        int64_t row = flat / input->row, k = flat % input->row;
        int64_t m = input->row - k < n ? input->row - k : n;
        int64_t example = mw_feed_example(d->feed, d->position + row);
        copy_run(input, d->dtype, example * input->stride + input->first + k, m,
                 d->block, at);
        flat += m;
        at += m;
        n -= m;
    }
}

void mw_feed_block(const mw_feed *feed, int input, int64_t position,
                   const mw_box *box, void *block)
{
    const mw_tensor *tensor = &feed->graph->tensor[feed->input[input].tensor];
    const dealing d = {.feed = feed,
                       .input = &feed->input[input],
                       .dtype = tensor->dtype,
                       .position = position,
                       .block = block};
    int64_t index[MW_MAX_RANK] = {0}, n = mw_box_elements(box);
    int last = box->rank - 1;
    int64_t run = box->rank ? box->axis[last].size : 1;
    for (int64_t at = 0; at < n; at += run) {
        int64_t flat = 0;
        for (int i = 0; i < box->rank; i++)
            flat = flat * tensor->axis[i].size + box->axis[i].start + index[i];
        deal(&d, flat, run, at);
        for (int i = last - 1; i >= 0; i--) {
            if (++index[i] < box->axis[i].size)
                break;
            index[i] = 0;
        }
    }
}
