/* alike_make.c - what is made of vectors, each time once. */
#include <string.h>

#include "base/mem.h"
#include "search/alike_book.h"
#include "search/minplus.h"
#include "search/problem.h"

static int64_t added(int64_t a, int64_t b)
{
    return a >= MW_INFINITE || b >= MW_INFINITE ? MW_INFINITE : a + b;
}

// Adds the vector and gives the scratch it was made in back.
static mw_status keep(mw_alike *all, int64_t *scratch, int64_t n, int32_t *id)
{
    mw_status status = scratch ? mw_alike_add(all, scratch, n, id) : MW_ENOMEM;
    mw_mem_free(scratch);
    return status;
}

static int64_t *room(mw_alike *all, int64_t n)
{
    return mw_mem_alloc(all->arena.ctx, (size_t)n, sizeof(int64_t));
}

mw_status mw_alike_count(mw_alike *all, int32_t n, int32_t *id)
{
    mw_made *made;
    bool known;
    mw_alike_ask(all, MW_RECIPE_COUNT);
    mw_key_add(&all->key, n);
    MW_TRY(mw_alike_look(all, &made, &known));
    if (!known) {
        int64_t *value = room(all, n);
        for (int32_t i = 0; value && i < n; i++)
            value[i] = i;
        MW_TRY(keep(all, value, n, &made->id[0]));
    }
    *id = made->id[0];
    return MW_OK;
}

mw_status mw_alike_sum(mw_alike *all, int32_t a, int32_t b, int32_t *id)
{
    mw_made *made;
    bool known;
    mw_alike_ask(all, MW_RECIPE_SUM);
    mw_key_add(&all->key, a < b ? a : b);
    mw_key_add(&all->key, a < b ? b : a);
    MW_TRY(mw_alike_look(all, &made, &known));
    if (!known) {
        int64_t n = all->vector[a].n;
        const int64_t *x = mw_alike_at(all, a), *y = mw_alike_at(all, b);
        int64_t *value = room(all, n);
        for (int64_t i = 0; value && i < n; i++)
            value[i] = added(x[i], y[i]);
        MW_TRY(keep(all, value, n, &made->id[0]));
    }
    *id = made->id[0];
    return MW_OK;
}

mw_status mw_alike_transposed(mw_alike *all, int32_t matrix, int32_t height,
                              int32_t *id)
{
    mw_made *made;
    bool known;
    mw_alike_ask(all, MW_RECIPE_TRANSPOSED);
    mw_key_add(&all->key, matrix);
    mw_key_add(&all->key, height);
    MW_TRY(mw_alike_look(all, &made, &known));
    if (!known) {
        int64_t n = all->vector[matrix].n, width = n / height;
        const int64_t *from = mw_alike_at(all, matrix);
        int64_t *value = room(all, n);
        for (int64_t j = 0; value && j < width; j++) {
            for (int64_t i = 0; i < height; i++)
                value[j * height + i] = from[i * width + j];
        }
        MW_TRY(keep(all, value, n, &made->id[0]));
    }
    *id = made->id[0];
    return MW_OK;
}

static int64_t least_of(const int64_t *value, int64_t n, int64_t step)
{
    int64_t least = MW_INFINITE;
    for (int64_t i = 0; i < n; i++)
        least = value[i * step] < least ? value[i * step] : least;
    return least;
}

static void lower(int64_t *value, int64_t n, int64_t step, int64_t least)
{
    for (int64_t i = 0; least < MW_INFINITE && i < n; i++) {
        if (value[i * step] < MW_INFINITE)
            value[i * step] -= least;
    }
}

mw_status mw_alike_lowered(mw_alike *all, int32_t a, int32_t *id,
                           int64_t *least)
{
    mw_made *made;
    bool known;
    int64_t n = all->vector[a].n;
    *least = least_of(mw_alike_at(all, a), n, 1);
    *id = a;
    if (*least == 0 || *least >= MW_INFINITE)
        return MW_OK;
    mw_alike_ask(all, MW_RECIPE_LOWERED);
    mw_key_add(&all->key, a);
    MW_TRY(mw_alike_look(all, &made, &known));
    if (!known) {
        int64_t *value = room(all, n);
        if (value) {
            memcpy(value, mw_alike_at(all, a), (size_t)n * sizeof *value);
            lower(value, n, 1, *least);
        }
        MW_TRY(keep(all, value, n, &made->id[0]));
    }
    *id = made->id[0];
    return MW_OK;
}

// Takes the least of each row into `of_row`, then of each column.
static void settle(int64_t *rest, int64_t height, int64_t width,
                   int64_t *of_row, int64_t *of_column)
{
    for (int64_t i = 0; i < height; i++) {
        of_row[i] = least_of(rest + i * width, width, 1);
        lower(rest + i * width, width, 1, of_row[i]);
    }
    for (int64_t j = 0; j < width; j++) {
        of_column[j] = least_of(rest + j, height, width);
        lower(rest + j, height, width, of_column[j]);
    }
}

static bool is_zero(const int64_t *value, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (value[i] != 0)
            return false;
    }
    return true;
}

mw_status mw_alike_settled(mw_alike *all, int32_t matrix, int32_t height,
                           mw_made *result)
{
    mw_made *made;
    bool known;
    mw_alike_ask(all, MW_RECIPE_SETTLED);
    mw_key_add(&all->key, matrix);
    mw_key_add(&all->key, height);
    MW_TRY(mw_alike_look(all, &made, &known));
    if (!known) {
        int64_t n = all->vector[matrix].n, width = n / height;
        int64_t *rest = room(all, n), *of_row = room(all, height);
        int64_t *of_column = room(all, width);
        mw_status status = rest && of_row && of_column ? MW_OK : MW_ENOMEM;
        if (status == MW_OK) {
            memcpy(rest, mw_alike_at(all, matrix), (size_t)n * sizeof *rest);
            settle(rest, height, width, of_row, of_column);
            status = mw_alike_add(all, of_row, height, &made->id[0]);
        }
        if (status == MW_OK)
            status = mw_alike_add(all, of_column, width, &made->id[1]);
        if (status == MW_OK && !is_zero(rest, n))
            status = mw_alike_add(all, rest, n, &made->id[2]);
        mw_mem_free(rest);
        mw_mem_free(of_row);
        mw_mem_free(of_column);
        MW_TRY(status);
    }
    *result = *made;
    return MW_OK;
}

mw_status mw_alike_picked(mw_alike *all, int32_t a, int32_t numbers,
                          int32_t *id)
{
    mw_made *made;
    bool known;
    mw_alike_ask(all, MW_RECIPE_PICKED);
    mw_key_add(&all->key, a);
    mw_key_add(&all->key, numbers);
    MW_TRY(mw_alike_look(all, &made, &known));
    if (!known) {
        int64_t n = all->vector[numbers].n;
        const int64_t *at = mw_alike_at(all, numbers);
        const int64_t *from = mw_alike_at(all, a);
        int64_t *value = room(all, n);
        for (int64_t i = 0; value && i < n; i++)
            value[i] = from[at[i]];
        MW_TRY(keep(all, value, n, &made->id[0]));
    }
    *id = made->id[0];
    return MW_OK;
}

mw_status mw_alike_picked_rows(mw_alike *all, int32_t matrix, int32_t width,
                               int32_t numbers, int32_t *id)
{
    mw_made *made;
    bool known;
    mw_alike_ask(all, MW_RECIPE_PICKED_ROWS);
    mw_key_add(&all->key, matrix);
    mw_key_add(&all->key, width);
    mw_key_add(&all->key, numbers);
    MW_TRY(mw_alike_look(all, &made, &known));
    if (!known) {
        int64_t n = all->vector[numbers].n;
        const int64_t *at = mw_alike_at(all, numbers);
        const int64_t *from = mw_alike_at(all, matrix);
        int64_t *value = room(all, n * width);
        for (int64_t i = 0; value && i < n; i++)
            memcpy(value + i * width, from + at[i] * width,
                   (size_t)width * sizeof *value);
        MW_TRY(keep(all, value, n * width, &made->id[0]));
    }
    *id = made->id[0];
    return MW_OK;
}

mw_status mw_alike_picked_columns(mw_alike *all, int32_t matrix, int32_t width,
                                  int32_t numbers, int32_t *id)
{
    mw_made *made;
    bool known;
    mw_alike_ask(all, MW_RECIPE_PICKED_COLUMNS);
    mw_key_add(&all->key, matrix);
    mw_key_add(&all->key, width);
    mw_key_add(&all->key, numbers);
    MW_TRY(mw_alike_look(all, &made, &known));
    if (!known) {
        int64_t n = all->vector[numbers].n;
        int64_t height = all->vector[matrix].n / width;
        const int64_t *at = mw_alike_at(all, numbers);
        const int64_t *from = mw_alike_at(all, matrix);
        int64_t *value = room(all, n * height);
        for (int64_t i = 0; value && i < height; i++) {
            for (int64_t j = 0; j < n; j++)
                value[i * n + j] = from[i * width + at[j]];
        }
        MW_TRY(keep(all, value, n * height, &made->id[0]));
    }
    *id = made->id[0];
    return MW_OK;
}

static void cap(int64_t *value, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        value[i] = value[i] >= MW_INFINITE ? MW_INFINITE : value[i];
}

// Row by row: left and cost together, then the least over the node.
static mw_status multiply(mw_alike *all, int32_t left, int32_t cost,
                          int32_t right, int32_t *id)
{
    int64_t n = all->vector[cost].n, height = all->vector[left].n / n;
    int64_t width = right == MW_NOTHING ? 1 : all->vector[right].n / n;
    int32_t stride = mw_padded((int32_t)width);
    const int64_t *costs = mw_alike_at(all, cost);
    int64_t *value = room(all, height * width), *sum = room(all, n);
    int64_t *row = room(all, stride), *wide = NULL;
    if (right != MW_NOTHING)
        wide = room(all, n * stride);
    if (wide)
        mw_pad_rows(wide, mw_alike_at(all, right), n, (int32_t)width);
    mw_status status = value && sum && row && (wide || right == MW_NOTHING)
                           ? MW_OK
                           : MW_ENOMEM;
    for (int64_t i = 0; status == MW_OK && i < height; i++) {
        const int64_t *from = mw_alike_at(all, left) + i * n;
        for (int64_t s = 0; s < n; s++)
            sum[s] = added(from[s], costs[s]);
        if (wide)
            mw_minplus(row, wide, sum, (int32_t)n, stride);
        else
            row[0] = least_of(sum, n, 1);
        memcpy(value + i * width, row, (size_t)width * sizeof *row);
    }
    mw_mem_free(sum);
    mw_mem_free(row);
    mw_mem_free(wide);
    if (status != MW_OK) {
        mw_mem_free(value);
        return status;
    }
    cap(value, height * width);
    return keep(all, value, height * width, id);
}

mw_status mw_alike_between(mw_alike *all, int32_t left, int32_t cost,
                           int32_t right, int32_t *id)
{
    mw_made *made;
    bool known;
    mw_alike_ask(all, MW_RECIPE_BETWEEN);
    mw_key_add(&all->key, left);
    mw_key_add(&all->key, cost);
    mw_key_add(&all->key, right);
    MW_TRY(mw_alike_look(all, &made, &known));
    if (!known)
        MW_TRY(multiply(all, left, cost, right, &made->id[0]));
    *id = made->id[0];
    return MW_OK;
}
