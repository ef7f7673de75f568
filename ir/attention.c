/* attention.c - what an attention's body is made of, and how its blocks lie. */
#include "ir/attention.h"

#include <string.h>

#include "ir/body.h"
#include "ir/reshard.h"
#include "ir/rule.h"

/* A block of scores: at least so many rows, and no more than fit the second
 * cache beside the operands. */
enum { LEAST_ROWS = 16, MOST_ROWS = 128, BLOCK_ELEMENTS = 64 << 10 };

const mw_graph *mw_attention_body(const mw_op *op)
{
    return mw_op_attr(op, "body")->body;
}

bool mw_attention_is_product(const mw_op *inner)
{
    return !inner->def->fuses && inner->n_in == 2 && inner->n_out == 1 &&
           strcmp(inner->def->family, "contraction") == 0;
}

static bool has(const mw_graph *body, mw_id tensor, mw_id dim)
{
    return mw_tensor_axis(&body->tensor[tensor], dim) != MW_NONE;
}

bool mw_attention_is_outer(const mw_attention *a, mw_id dim)
{
    return dim != a->key && dim != a->row && has(a->body, a->scores, dim);
}

static bool in_space(const mw_attention *a, mw_id dim)
{
    return has(a->body, a->scores, dim);
}

static bool is_made(const mw_graph *body, mw_id tensor)
{
    return body->tensor[tensor].producer != MW_NONE;
}

/* ---- the body's rules --------------------------------------------------- */

static const char *check_sizes(const mw_graph *body)
{
    if (body->n_ops < 2 || body->n_ops > MW_ATTENTION_OPS)
        return "wanted two products and maps between, up to 40 ops";
    if (body->n_tensors > MW_ATTENTION_TENSORS ||
        mw_body_inputs(body, NULL, 0) > MW_ATTENTION_IN)
        return "wanted at most 96 tensors and 20 operands";
    if (body->n_results != 1 ||
        body->tensor[body->result[0]].producer != body->n_ops - 1)
        return "wanted one result, of the last op";
    for (mw_id t = 0; t < body->n_tensors; t++) {
        const mw_tensor *tensor = &body->tensor[t];
        if (tensor->role == MW_ROLE_CONST && tensor->rank > 0)
            return "a constant has dims, wanted a single value";
        for (int i = 0; i < tensor->rank; i++)
            if (tensor->axis[i].dim == MW_NONE)
                return "an axis has no dim";
    }
    return NULL;
}

// The key is the one dim of the scores that the result lacks.
static const char *find_key(mw_attention *a)
{
    const mw_tensor *scores = &a->body->tensor[a->scores];
    a->key = MW_NONE;
    for (int i = 0; i < scores->rank; i++) {
        if (has(a->body, a->result, scores->axis[i].dim))
            continue;
        if (a->key != MW_NONE)
            return "the result lacks several dims of the scores";
        a->key = scores->axis[i].dim;
    }
    return a->key == MW_NONE ? "the result has all dims of the scores" : NULL;
}

// The longest dim that the operands with the key lack.
static void find_row(mw_attention *a)
{
    const mw_graph *body = a->body;
    const mw_tensor *scores = &body->tensor[a->scores];
    const mw_op *product[] = {&body->op[0], &body->op[body->n_ops - 1]};
    a->row = MW_NONE;
    for (int i = 0; i < scores->rank; i++) {
        mw_id dim = scores->axis[i].dim;
        bool lacked = dim != a->key;
        for (int p = 0; p < 4; p++) {
            mw_id t = product[p / 2]->in[p % 2].tensor;
            if (!is_made(body, t) && has(body, t, a->key) && has(body, t, dim))
                lacked = false;
        }
        if (lacked &&
            (a->row == MW_NONE || body->dim[dim].size > body->dim[a->row].size))
            a->row = dim;
    }
}

// Every dim that no product's result has is in both operands.
static bool sums_pairs(const mw_graph *body, const mw_op *inner)
{
    for (int i = 0; i < 2; i++) {
        const mw_tensor *x = &body->tensor[inner->in[i].tensor];
        for (int k = 0; k < x->rank; k++)
            if (!has(body, inner->out[0].tensor, x->axis[k].dim) &&
                !has(body, inner->in[1 - i].tensor, x->axis[k].dim))
                return false;
    }
    return true;
}

static const char *check_products(const mw_attention *a)
{
    const mw_graph *body = a->body;
    const mw_op *first = &body->op[0], *last = &body->op[body->n_ops - 1];
    int made = is_made(body, last->in[0].tensor) ? 0 : 1;
    mw_id weights = last->in[made].tensor, values = last->in[1 - made].tensor;
    if (is_made(body, first->in[0].tensor) ||
        is_made(body, first->in[1].tensor) || !is_made(body, weights) ||
        is_made(body, values))
        return "wanted a product of operands first, and last one of what was "
               "made and an operand";
    if (body->tensor[weights].rank != body->tensor[a->scores].rank ||
        !has(body, values, a->key))
        return "the last product does not sum over the key";
    if (!sums_pairs(body, first) || !sums_pairs(body, last))
        return "a product sums one operand alone";
    int keyed = has(body, first->in[0].tensor, a->key) ? 0 : 1;
    if (has(body, first->in[1 - keyed].tensor, a->key))
        return "both operands of the first product have the key";
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < body->tensor[first->in[i].tensor].rank; k++) {
            mw_id dim = body->tensor[first->in[i].tensor].axis[k].dim;
            if (!in_space(a, dim) && !has(body, first->in[1 - i].tensor, dim))
                return "the first product's result lacks a dim";
        }
    return NULL;
}

static const char *check_map(const mw_attention *a, const mw_op *inner)
{
    const mw_graph *body = a->body;
    const mw_tensor *made = &body->tensor[inner->out[0].tensor];
    if (!inner->def->fuses || inner->n_out != 1 || inner->n_in < 1 ||
        inner->n_in > MW_ATTENTION_ARGS || inner->def->refuses)
        return "an op is neither map nor reduction nor product";
    for (int i = 0; i < made->rank; i++)
        if (!in_space(a, made->axis[i].dim))
            return "a map has a dim that the scores lack";
    if (inner->def->reduce == MW_REDUCE_NONE)
        return NULL;
    const mw_tensor *from = &body->tensor[inner->in[0].tensor];
    if (!has(body, inner->in[0].tensor, a->key) ||
        made->rank != from->rank - 1 || has(body, inner->out[0].tensor, a->key))
        return "a reduction is not along the key alone";
    return NULL;
}

const char *mw_attention_find(const mw_graph *body, mw_attention *a)
{
    const char *wrong = check_sizes(body);
    if (wrong)
        return wrong;
    const mw_op *first = &body->op[0], *last = &body->op[body->n_ops - 1];
    if (!mw_attention_is_product(first) || !mw_attention_is_product(last))
        return "wanted a product of two operands first and last";
    *a = (mw_attention){.body = body,
                        .scores = first->out[0].tensor,
                        .result = last->out[0].tensor};
    wrong = find_key(a);
    if (!wrong)
        wrong = check_products(a);
    for (int k = 1; !wrong && k < body->n_ops - 1; k++)
        wrong = check_map(a, &body->op[k]);
    find_row(a);
    return wrong;
}

/* ---- how blocks lie ----------------------------------------------------- */

int64_t mw_attention_stride(const mw_graph *body, mw_id tensor, mw_id dim,
                            const int64_t extent[])
{
    const mw_tensor *t = &body->tensor[tensor];
    int64_t stride = 1;
    for (int i = t->rank - 1; i >= 0; i--) {
        if (t->axis[i].dim == dim)
            return stride;
        stride *= extent[t->axis[i].dim];
    }
    return 0;
}

/* The dims of a product that are not in the space, as one index. */
typedef struct rest {
    int64_t extent;
    int n;
    mw_id dim[MW_MAX_RANK];
} rest;

static rest rest_of(const mw_attention *a, mw_id lead, const int64_t extent[])
{
    rest r = {.extent = 1};
    const mw_tensor *tensor = &a->body->tensor[lead];
    for (int i = 0; i < tensor->rank; i++) {
        mw_id dim = tensor->axis[i].dim;
        if (in_space(a, dim) || extent[dim] == 1)
            continue;
        r.dim[r.n++] = dim;
        r.extent *= extent[dim];
    }
    return r;
}

// The one stride of that index in a tensor; 0: there is none.
static int64_t rest_stride(const mw_attention *a, const rest *r, mw_id tensor,
                           const int64_t extent[])
{
    if (r->n == 0)
        return 1;
    int64_t stride =
        mw_attention_stride(a->body, tensor, r->dim[r->n - 1], extent);
    int64_t step = stride;
    for (int i = r->n - 2; i >= 0; i--) {
        step *= extent[r->dim[i + 1]];
        if (mw_attention_stride(a->body, tensor, r->dim[i], extent) != step)
            return 0;
    }
    return stride;
}

static int64_t row_stride(const mw_attention *a, mw_id tensor,
                          const int64_t extent[])
{
    return a->row == MW_NONE
               ? 0
               : mw_attention_stride(a->body, tensor, a->row, extent);
}

static bool lies_well(int64_t rows, int64_t columns,
                      const mw_attention_matrix *x)
{
    return (x->column == 1 || columns == 1) || (x->row == 1 || rows == 1);
}

static bool fits_blas(const mw_attention_product *p)
{
    bool stored = lies_well(p->m, p->k, &p->a) && lies_well(p->k, p->n, &p->b);
    return stored && (p->c.column == 1 || p->n == 1) && p->m < INT32_MAX &&
           p->n < INT32_MAX && p->k < INT32_MAX;
}

static mw_attention_product turned(const mw_attention_product *p)
{
    return (mw_attention_product){
        .m = p->n,
        .n = p->m,
        .k = p->k,
        .a = {p->b.tensor, p->b.column, p->b.row},
        .b = {p->a.tensor, p->a.column, p->a.row},
        .c = {p->c.tensor, p->c.column, p->c.row},
        .m_is_row = false,
    };
}

bool mw_attention_product_of(const mw_attention *a, const mw_op *inner,
                             const int64_t extent[],
                             mw_attention_product *product)
{
    const mw_graph *body = a->body;
    bool first = inner->out[0].tensor == a->scores;
    int64_t rows = a->row == MW_NONE ? 1 : extent[a->row];
    int64_t keys = extent[a->key];
    mw_id x = inner->in[0].tensor, y = inner->in[1].tensor;
    // x: the queries, or the weights of values
    if (first ? has(body, x, a->key) : !is_made(body, x)) {
        x = inner->in[1].tensor;
        y = inner->in[0].tensor;
    }
    rest r = rest_of(a, y, extent);
    mw_id made = inner->out[0].tensor;
    int64_t at_y = rest_stride(a, &r, y, extent);
    int64_t other = rest_stride(a, &r, first ? x : made, extent);
    int64_t key_y = mw_attention_stride(body, y, a->key, extent);
    *product = (mw_attention_product){
        .m = rows,
        .n = first ? keys : r.extent,
        .k = first ? r.extent : keys,
        .a = {x, first ? row_stride(a, x, extent) : keys, first ? other : 1},
        .b = {y, first ? at_y : key_y, first ? key_y : at_y},
        .c = {made, first ? keys : row_stride(a, made, extent),
              first ? 1 : other},
        .m_is_row = true};
    if (at_y == 0 || other == 0)
        return false;
    if (!fits_blas(product))
        *product = turned(product);
    return fits_blas(product);
}

/* ---- room --------------------------------------------------------------- */

static int64_t at_least(int64_t n, int64_t least)
{
    return n > least ? n : least;
}

static int64_t at_most(int64_t n, int64_t most)
{
    return n < most ? n : most;
}

int64_t mw_attention_rows(const mw_attention *a, const int64_t extent[])
{
    int64_t rows = a->row == MW_NONE ? 1 : extent[a->row];
    int64_t fit = BLOCK_ELEMENTS / at_least(extent[a->key], 1);
    return at_most(rows, at_most(at_least(fit, LEAST_ROWS), MOST_ROWS));
}

enum { ITEM_MAX = 8 };

// Of the scores, and of what the last product takes of them.
static int64_t item_of(const mw_attention *a)
{
    const mw_op *last = &a->body->op[a->body->n_ops - 1];
    int made = is_made(a->body, last->in[0].tensor) ? 0 : 1;
    mw_id weights = last->in[made].tensor;
    int64_t x = mw_dtype_bytes(a->body->tensor[a->scores].dtype);
    int64_t y = mw_dtype_bytes(a->body->tensor[weights].dtype);
    return x > y ? x : y;
}

// It does not shrink when there are more keys or more rows.
int64_t mw_attention_block_bytes(const mw_attention *a, const int64_t extent[])
{
    int64_t rows = a->row == MW_NONE ? 1 : extent[a->row];
    int64_t keys = extent[a->key];
    int64_t fit =
        at_least(LEAST_ROWS * keys, at_most(BLOCK_ELEMENTS, MOST_ROWS * keys));
    return mw_aligned(at_most(rows * keys, fit) * item_of(a));
}

int64_t mw_attention_row_bytes(const mw_attention *a, const int64_t extent[])
{
    return mw_aligned(extent[a->key] * ITEM_MAX);
}

int64_t mw_attention_lane_bytes(const mw_attention *a, const int64_t extent[])
{
    return 2 * mw_attention_block_bytes(a, extent) +
           a->body->n_tensors * mw_attention_row_bytes(a, extent);
}

int64_t mw_attention_lanes(const mw_attention *a, const int64_t extent[])
{
    const mw_tensor *scores = &a->body->tensor[a->scores];
    int64_t points = 1;
    for (int i = 0; i < scores->rank && points < MW_ATTENTION_LANES; i++)
        if (mw_attention_is_outer(a, scores->axis[i].dim))
            points *= extent[scores->axis[i].dim];
    return at_most(points, MW_ATTENTION_LANES);
}

void mw_attention_extents(const mw_attention *a, const mw_op *op,
                          const mw_view in[], const mw_view out[],
                          int64_t extent[])
{
    const mw_graph *body = a->body;
    const mw_tensor *result = &body->tensor[a->result];
    int input = 0;
    for (int i = 0; i < result->rank; i++)
        extent[result->axis[i].dim] = out[0].size[i];
    for (mw_id t = 0; t < body->n_tensors && input < op->n_in; t++) {
        if (body->tensor[t].role != MW_ROLE_INPUT)
            continue;
        for (int i = 0; i < body->tensor[t].rank; i++)
            extent[body->tensor[t].axis[i].dim] = in[input].size[i];
        input++;
    }
}
