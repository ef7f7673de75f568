/* matmul.c - contractions, as einsum. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ir/import/emit.h"
#include "ir/import/product.h"

enum { SPEC_MAX = 4 * MW_MAX_RANK + 8, MAX_TERMS = 8 };

/* A term of a spec being written. */
typedef struct term {
    char letter[MW_MAX_RANK + 1];
    int n;
} term;

static void add_letter(term *t, char letter)
{
    t->letter[t->n++] = letter;
}

static mw_id product(mw_onnx_call *call, const term *a, const term *b,
                     const term *y, const mw_id in[2])
{
    char spec[SPEC_MAX];
    (void)snprintf(spec, sizeof spec, "%.*s,%.*s->%.*s", a->n, a->letter, b->n,
                   b->letter, y->n, y->letter);
    return mw_emit_einsum(call, spec, in, 2);
}

/* Batch axes, right-aligned; axes of size 1 broadcast, which einsum does.
 * Returns false when sizes do not fit. */
static bool add_batch(const mw_onnx_call *call, const mw_id in[2], term t[3])
{
    int rank[2] = {mw_emit_rank(call, in[0]) - 2,
                   mw_emit_rank(call, in[1]) - 2};
    int most = rank[0] > rank[1] ? rank[0] : rank[1];
    for (int i = 0; i < most; i++) {
        int64_t size[2] = {1, 1};
        for (int k = 0; k < 2; k++) {
            int axis = i - most + rank[k];
            if (axis < 0)
                continue;
            size[k] = mw_emit_size(call, in[k], axis);
            add_letter(&t[k], (char)('a' + i));
        }
        if (size[0] != size[1] && size[0] != 1 && size[1] != 1)
            return false;
        add_letter(&t[2], (char)('a' + i));
    }
    return true;
}

/* transposed: the last two axes of each operand stand the other way round. */
static mw_id matmul(mw_onnx_call *call, mw_id a, mw_id b,
                    const bool transposed[2])
{
    mw_id in[2] = {a, b};
    term t[3] = {0};
    int rank_a = mw_emit_rank(call, a), rank_b = mw_emit_rank(call, b);
    if (call->status == MW_OK && (rank_a == 0 || rank_b == 0 || rank_a > 12 ||
                                  rank_b > 12 || !add_batch(call, in, t)))
        (void)mw_onnx_refuse(call, "operands of rank %d and %d do not fit",
                             rank_a, rank_b);
    if (call->status != MW_OK)
        return MW_NONE;
    if (rank_a == 1)
        add_letter(&t[0], 'y');
    else
        (void)snprintf(t[0].letter + t[0].n, 3, "%s",
                       transposed[0] ? "yx" : "xy");
    t[0].n += rank_a == 1 ? 0 : 2;
    if (rank_b == 1)
        add_letter(&t[1], 'y');
    else
        (void)snprintf(t[1].letter + t[1].n, 3, "%s",
                       transposed[1] ? "zy" : "yz");
    t[1].n += rank_b == 1 ? 0 : 2;
    if (rank_a > 1)
        add_letter(&t[2], 'x');
    if (rank_b > 1)
        add_letter(&t[2], 'z');
    int axis_a = transposed[0] && rank_a > 1 ? rank_a - 2 : rank_a - 1;
    int axis_b = transposed[1] || rank_b == 1 ? rank_b - 1 : rank_b - 2;
    int64_t k_a = mw_emit_size(call, a, axis_a);
    int64_t k_b = mw_emit_size(call, b, axis_b);
    if (k_a != k_b)
        (void)mw_onnx_refuse(call,
                             "axis %d of the first operand is %lld, axis %d of "
                             "the second %lld: they should be equal",
                             axis_a, (long long)k_a, axis_b, (long long)k_b);
    return call->status == MW_OK ? product(call, &t[0], &t[1], &t[2], in)
                                 : MW_NONE;
}

mw_id mw_emit_matmul(mw_onnx_call *call, mw_id a, mw_id b)
{
    return matmul(call, a, b, (const bool[2]){false, false});
}

static mw_status matmul_rule(mw_onnx_call *call)
{
    const bool transposed[2] = {false, false};
    return mw_emit_set(call, 0,
                       matmul(call, call->in[0], call->in[1], transposed));
}

static mw_id scaled(mw_onnx_call *call, mw_id x, double factor)
{
    return factor == 1.0 ? x : mw_emit_by(call, "mul", x, factor);
}

/* alpha A' B' + beta C */
mw_id mw_emit_gemm(mw_onnx_call *call)
{
    const bool transposed[2] = {mw_onnx_int(call, "transA", 0) != 0,
                                mw_onnx_int(call, "transB", 0) != 0};
    double alpha = mw_onnx_float(call, "alpha", 1.0);
    double beta = mw_onnx_float(call, "beta", 1.0);
    mw_id a = call->in[0], b = call->in[1];
    if (mw_emit_rank(call, a) != 2 || mw_emit_rank(call, b) != 2) {
        (void)mw_onnx_refuse(call, "operands have rank %d and %d, wanted 2",
                             mw_emit_rank(call, a), mw_emit_rank(call, b));
        return MW_NONE;
    }
    mw_id y = scaled(call, matmul(call, a, b, transposed), alpha);
    if (mw_onnx_has(call, 2) && beta != 0.0)
        y = mw_emit2(call, "add", y, scaled(call, call->in[2], beta));
    return y;
}

static mw_status gemm(mw_onnx_call *call)
{
    return mw_emit_set(call, 0, mw_emit_gemm(call));
}

/* transBatch: the first axis stands behind those of the batch. */
static mw_id batch_first(mw_onnx_call *call, mw_id x, const char *attr)
{
    int64_t perm[MW_MAX_RANK];
    int rank = mw_emit_rank(call, x);
    if (mw_onnx_int(call, attr, 0) == 0 || rank < 3)
        return x;
    for (int i = 0; i < rank; i++)
        perm[i] = i < rank - 2 ? i + 1 : i;
    perm[rank - 2] = 0;
    return mw_emit_transpose(call, x, perm);
}

static mw_status fused_matmul(mw_onnx_call *call)
{
    const bool transposed[2] = {mw_onnx_int(call, "transA", 0) != 0,
                                mw_onnx_int(call, "transB", 0) != 0};
    mw_id a = batch_first(call, call->in[0], "transBatchA");
    mw_id b = batch_first(call, call->in[1], "transBatchB");
    mw_id y = matmul(call, a, b, transposed);
    return mw_emit_set(call, 0,
                       scaled(call, y, mw_onnx_float(call, "alpha", 1.0)));
}

/* ---- Einsum ---- */

/* '.' in a term is the ellipsis: the axes that have no letter there. */
typedef struct equation {
    term in[MAX_TERMS], out;
    int n_in;
    bool has_out;
    bool used[128]; /* letters of the equation */
    int ellipsis;   /* the most axes it stands for */
} equation;

static const char *read_term(mw_onnx_call *call, const char *at, int rank,
                             term *t)
{
    int n_letters = 0, n_dots = 0;
    for (const char *c = at; *c && *c != ',' && *c != '-'; c++) {
        n_letters += isalpha((unsigned char)*c) != 0;
        n_dots += *c == '.';
    }
    int missing = rank - n_letters;
    bool good = n_letters <= MW_MAX_RANK && (n_dots == 0 || n_dots == 3) &&
                (rank < 0 || (n_dots ? missing >= 0 : missing == 0));
    for (; *at && *at != ',' && *at != '-' && good; at++) {
        if (isalpha((unsigned char)*at))
            add_letter(t, *at);
        else if (strncmp(at, "...", 3) == 0) {
            add_letter(t, '.');
            at += 2;
        } else
            good = *at == ' ';
    }
    if (!good)
        (void)mw_onnx_refuse(call,
                             "the equation does not fit operands of "
                             "rank %d",
                             rank);
    return at;
}

static void parse(mw_onnx_call *call, const char *text, equation *e)
{
    const char *at = text;
    for (e->n_in = 0; e->n_in < call->n_in; e->n_in++) {
        if (e->n_in > 0 && *at == ',')
            at++;
        int rank = mw_emit_rank(call, call->in[e->n_in]);
        term *t = &e->in[e->n_in];
        at = read_term(call, at, rank, t);
        int dots = 0;
        for (int i = 0; i < t->n; i++)
            dots |= t->letter[i] == '.';
        if (dots && rank - (t->n - 1) > e->ellipsis)
            e->ellipsis = rank - (t->n - 1);
    }
    e->has_out = strncmp(at, "->", 2) == 0;
    if (e->has_out)
        at = read_term(call, at + 2, -1, &e->out);
    if (*at != '\0')
        (void)mw_onnx_refuse(call, "the equation '%s' does not fit %d operands",
                             text, call->n_in);
}

/* Without "->": the ellipsis, then the letters that occur once, sorted. */
static void imply_output(equation *e)
{
    int count[128] = {0};
    for (int i = 0; i < e->n_in; i++)
        for (int k = 0; k < e->in[i].n; k++)
            count[(int)e->in[i].letter[k]]++;
    if (count['.'])
        add_letter(&e->out, '.');
    for (int c = 'A'; c <= 'z'; c++)
        if (count[c] == 1 && e->out.n < MW_MAX_RANK)
            add_letter(&e->out, (char)c);
}

/* Letters for the ellipsis, right-aligned; axes of size 1 broadcast. */
static void expand(mw_onnx_call *call, equation *e)
{
    char shared[MW_MAX_RANK];
    char next = 'A';
    for (int i = 0; i < e->ellipsis; i++) {
        while (next <= 'z' && (e->used[(int)next] || !isalpha(next)))
            next++;
        shared[i] = next++;
    }
    for (int i = 0; i <= e->n_in; i++) {
        term *t = i < e->n_in ? &e->in[i] : &e->out, wide = {0};
        int own = i < e->n_in ? mw_emit_rank(call, call->in[i]) - (t->n - 1)
                              : e->ellipsis;
        if (t->n - 1 + own > MW_MAX_RANK) {
            (void)mw_onnx_refuse(call, "the result has rank %d, at most %d",
                                 t->n - 1 + own, MW_MAX_RANK);
            return;
        }
        for (int k = 0; k < t->n; k++) {
            if (t->letter[k] != '.')
                add_letter(&wide, t->letter[k]);
            for (int d = 0; d < own && t->letter[k] == '.'; d++)
                add_letter(&wide, shared[e->ellipsis - own + d]);
        }
        *t = wide;
    }
    if (next > 'z')
        (void)mw_onnx_refuse(call, "the equation has too many letters");
}

static mw_status check(mw_onnx_call *call, const equation *e)
{
    for (int i = 0; i < e->n_in; i++)
        if (e->in[i].n != mw_emit_rank(call, call->in[i]))
            return mw_onnx_refuse(call, "operand %d has rank %d, its term %d",
                                  i, mw_emit_rank(call, call->in[i]),
                                  e->in[i].n);
    return MW_OK;
}

/* Two axes of one letter: what is off the diagonal is no part of it. */
static mw_id diagonal(mw_onnx_call *call, mw_id x, int a, int b)
{
    int64_t shape[2][MW_MAX_RANK];
    mw_id place[2];
    int rank = mw_emit_rank(call, x), axis[2] = {a, b};
    if (mw_emit_size(call, x, a) != mw_emit_size(call, x, b)) {
        (void)mw_onnx_refuse(call,
                             "axes %d and %d are one letter and have "
                             "%lld and %lld elements",
                             a, b, (long long)mw_emit_size(call, x, a),
                             (long long)mw_emit_size(call, x, b));
        return MW_NONE;
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < rank; i++)
            shape[k][i] = i == axis[k] ? mw_emit_size(call, x, i) : 1;
        place[k] = mw_emit_iota(call, mw_emit_size(call, x, a), 0, 1);
        place[k] = mw_emit_reshape(call, place[k], shape[k], rank);
    }
    mw_id on = mw_emit2(call, "equal", place[0], place[1]);
    x = mw_emit_where(call, on, x, mw_emit_like(call, x, 0));
    const mw_axes gone = {.n = 1, .axis = {b}};
    return mw_emit_reduce(call, "reduce_sum", x, &gone, false);
}

static mw_id without_twins(mw_onnx_call *call, mw_id x, term *t)
{
    for (int b = 1; b < t->n; b++) {
        int a = 0;
        while (t->letter[a] != t->letter[b])
            a++;
        if (a == b)
            continue;
        x = diagonal(call, x, a, b);
        for (int i = b; i + 1 < t->n; i++)
            t->letter[i] = t->letter[i + 1];
        t->n--;
        b--;
    }
    return x;
}

static bool has_letter(const term *t, char letter)
{
    for (int i = 0; i < t->n; i++)
        if (t->letter[i] == letter)
            return true;
    return false;
}

/* The letters of the first two operands that the others or the result need. */
static term needed(const equation *e, int next)
{
    term all = {0};
    for (int k = 0; k < 2; k++) {
        const term *t = k == 0 ? &e->in[0] : &e->in[next];
        for (int i = 0; i < t->n; i++) {
            bool used = has_letter(&e->out, t->letter[i]);
            for (int m = next + 1; m < e->n_in; m++)
                used = used || has_letter(&e->in[m], t->letter[i]);
            if (used && !has_letter(&all, t->letter[i]) && all.n < MW_MAX_RANK)
                add_letter(&all, t->letter[i]);
        }
    }
    return all;
}

/* Operands are joined one by one, from the left. */
static mw_id contract(mw_onnx_call *call, equation *e, mw_id in[])
{
    char spec[SPEC_MAX];
    if (e->n_in == 1) {
        (void)snprintf(spec, sizeof spec, "%.*s->%.*s", e->in[0].n,
                       e->in[0].letter, e->out.n, e->out.letter);
        return mw_emit_einsum(call, spec, in, 1);
    }
    for (int i = 1; i < e->n_in && call->status == MW_OK; i++) {
        term y = i + 1 == e->n_in ? e->out : needed(e, i);
        in[0] =
            product(call, &e->in[0], &e->in[i], &y, (mw_id[]){in[0], in[i]});
        e->in[0] = y;
    }
    return in[0];
}

static mw_status einsum(mw_onnx_call *call)
{
    const char *text = mw_onnx_text(call, "equation", "");
    equation e = {0};
    mw_id in[MAX_TERMS] = {MW_NONE};
    if (call->n_in > MAX_TERMS)
        return mw_onnx_refuse(call, "%d operands, at most %d are supported",
                              call->n_in, MAX_TERMS);
    parse(call, text, &e);
    if (call->status != MW_OK)
        return call->status;
    if (!e.has_out)
        imply_output(&e);
    for (const char *c = text; *c; c++)
        if (isalpha((unsigned char)*c))
            e.used[(int)*c] = true;
    expand(call, &e);
    MW_TRY(call->status);
    MW_TRY(check(call, &e));
    for (int i = 0; i < e.n_in; i++)
        in[i] = without_twins(call, call->in[i], &e.in[i]);
    MW_TRY(call->status);
    return mw_emit_set(call, 0, contract(call, &e, in));
}

#define MS "com.microsoft"

static const mw_onnx_rule rules[] = {
    {.op = "Einsum",
     .since = 12,
     .min_in = 1,
     .max_in = -1,
     .attrs = "equation",
     .build = einsum},
    {.op = "FusedMatMul",
     .domain = MS,
     .min_in = 2,
     .max_in = 2,
     .attrs = "transA transB transBatchA transBatchB alpha",
     .build = fused_matmul},
    {.op = "Gemm",
     .since = 1,
     .min_in = 2,
     .max_in = 3,
     .attrs = "alpha beta transA transB",
     .build = gemm},
    {.op = "MatMul",
     .since = 1,
     .early = 1,
     .min_in = 2,
     .max_in = 2,
     .build = matmul_rule},
    {0},
};

const mw_onnx_def mw_onnx_matmul = {.brief = "matrix products and einsum",
                                    .rules = rules};
