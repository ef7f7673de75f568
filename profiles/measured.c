/* measured.c - samples by key; interpolation between neighbours. */
#include "profiles/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEY = 1024, NEIGHBOURS = 4 };

/* " add,tanh,mul": what the body does, of an op that has one. */
static size_t print_body(const mw_op *op, char key[MAX_KEY], size_t used)
{
    for (int i = 0; i < op->n_attr; i++) {
        const mw_graph *body = op->attr[i].body;
        for (int k = 0; body && k < body->n_ops && used + 24 < MAX_KEY; k++)
            used += (size_t)snprintf(key + used, MAX_KEY - used, "%c%.22s",
                                     k ? ',' : ' ', body->op[k].def->name);
    }
    return used;
}

/* Letters as they first stand in the operands, then their extents; false when
 * the key does not fit. */
static bool print_key(const mw_graph *graph, const mw_op *op,
                      const int64_t extent[], char key[MAX_KEY])
{
    char seen[MW_MAX_LETTERS];
    int order[MW_MAX_LETTERS], n_seen = 0;
    memset(seen, 0, sizeof seen);
    size_t used = 0;
    for (int i = 0; i < op->n_in + op->n_out; i++) {
        const mw_operand *operand =
            i < op->n_in ? &op->in[i] : &op->out[i - op->n_in];
        if (i > 0 && used + 1 < MAX_KEY)
            key[used++] = i == op->n_in ? '>' : ',';
        for (int a = 0; a < graph->tensor[operand->tensor].rank; a++) {
            int letter = operand->letter[a];
            if (letter == MW_NONE)
                continue;
            if (!seen[letter]) {
                order[n_seen++] = letter;
                seen[letter] = (char)('@' + n_seen);
            }
            if (used + 1 < MAX_KEY)
                key[used++] = seen[letter];
        }
    }
    for (int i = 0; i < n_seen && used + 24 < MAX_KEY; i++)
        used += (size_t)snprintf(key + used, MAX_KEY - used, "%c%lld",
                                 i ? ',' : ' ', (long long)extent[order[i]]);
    used = print_body(op, key, used);
    key[used] = '\0';
    return used + 24 < MAX_KEY;
}

char *mw_kernel_key(mw_arena *arena, const mw_graph *graph, const mw_op *op,
                    const int64_t extent[MW_MAX_LETTERS])
{
    char key[MAX_KEY];
    bool fits = print_key(graph, op, extent, key);
    return mw_arena_text(arena, fits ? key : "");
}

static mw_dtype op_dtype(const mw_graph *graph, const mw_op *op)
{
    return graph->tensor[op->n_in ? op->in[0].tensor : op->out[0].tensor].dtype;
}

static bool has_letter(const mw_graph *graph, const mw_operand *operand,
                       int letter)
{
    for (int a = 0; a < graph->tensor[operand->tensor].rank; a++)
        if (operand->letter[a] == letter)
            return true;
    return false;
}

/* Batch, m, n, k of a contraction of two operands; false for other ops. A
 * letter of one operand only that is summed counts with that operand's own. */
static bool gemm_shape(const mw_graph *graph, const mw_op *op,
                       const int64_t extent[], int64_t shape[4])
{
    if (strcmp(op->def->family, "contraction") != 0 || op->n_in != 2)
        return false;
    for (int i = 0; i < 4; i++)
        shape[i] = 1;
    for (int l = 0; l < op->n_letters; l++) {
        bool a = has_letter(graph, &op->in[0], l);
        bool b = has_letter(graph, &op->in[1], l);
        bool out = has_letter(graph, &op->out[0], l);
        int role = a && b ? (out ? 0 : 3) : (a ? 1 : 2);
        shape[role] *= extent[l];
    }
    return shape[0] > 0 && shape[1] > 0 && shape[2] > 0 && shape[3] > 0;
}

mw_status mw_kernel_sample_of(mw_arena *arena, const mw_graph *graph,
                              const mw_op *op,
                              const int64_t extent[MW_MAX_LETTERS],
                              mw_kernel_sample *sample)
{
    mw_kernel_sample made = {.op = op->def->name,
                             .dtype = op_dtype(graph, op),
                             .flops = mw_op_flops_at(graph, op, extent),
                             .bytes = mw_op_block_bytes(graph, op, extent)};
    (void)gemm_shape(graph, op, extent, made.gemm);
    made.key = mw_kernel_key(arena, graph, op, extent);
    if (!made.key)
        return MW_ENOMEM;
    *sample = made;
    return MW_OK;
}

static int compare_kernels(const void *a, const void *b)
{
    const mw_kernel_sample *x = a, *y = b;
    int order = strcmp(x->op, y->op);
    if (order == 0)
        order = (x->dtype > y->dtype) - (x->dtype < y->dtype);
    if (order == 0)
        order = (x->bytes > y->bytes) - (x->bytes < y->bytes);
    if (order == 0)
        order = strcmp(x->key, y->key);
    return order;
}

static int compare_int(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_collectives(const void *a, const void *b)
{
    const mw_collective_sample *x = a, *y = b;
    int order = compare_int(x->kind, y->kind);
    if (order == 0)
        order = compare_int(x->way.algorithm, y->way.algorithm);
    if (order == 0)
        order = compare_int(x->way.inner, y->way.inner);
    if (order == 0)
        order = compare_int(x->ranks, y->ranks);
    if (order == 0)
        order = compare_int(x->stride, y->stride);
    if (order == 0)
        order = compare_int(x->bytes, y->bytes);
    return order;
}

void mw_measured_sort(mw_measured *measured)
{
    if (measured->n_kernels > 0)
        qsort(measured->kernel, (size_t)measured->n_kernels,
              sizeof measured->kernel[0], compare_kernels);
    if (measured->n_collectives > 0)
        qsort(measured->collective, (size_t)measured->n_collectives,
              sizeof measured->collective[0], compare_collectives);
}

/* The samples of one op and dtype: [first, first + n). */
static int samples_of(const mw_measured *measured, const char *op,
                      mw_dtype dtype, int *first)
{
    int n = 0;
    for (int i = 0; i < measured->n_kernels; i++) {
        const mw_kernel_sample *sample = &measured->kernel[i];
        if (sample->dtype != dtype || strcmp(sample->op, op) != 0)
            continue;
        if (n++ == 0)
            *first = i;
    }
    return n;
}

/* Time at x on the polyline through (x[i], t[i]), x increasing. Below the
 * first point its time (overhead), beyond the last one the rate between the
 * last two, or the last one's own. */
static double polyline(int n, const double x[], const double t[], double at,
                       bool *inside)
{
    *inside = at >= x[0] && at <= x[n - 1];
    if (at <= x[0])
        return t[0];
    int i = 1;
    while (i < n && x[i] < at)
        i++;
    if (i == n) {
        double slope = t[n - 1] / x[n - 1];
        if (n > 1 && x[n - 1] > x[n - 2] && t[n - 1] > t[n - 2])
            slope = (t[n - 1] - t[n - 2]) / (x[n - 1] - x[n - 2]);
        return t[n - 1] + slope * (at - x[n - 1]);
    }
    double share = (at - x[i - 1]) / (x[i] - x[i - 1]);
    return t[i - 1] + share * (t[i] - t[i - 1]);
}

enum { MAX_POINTS = 64 };

/* Samples of equal bytes count once, with their mean. */
static bool time_by_bytes(const mw_kernel_sample *sample, int n, double bytes,
                          double *seconds, mw_source *source)
{
    double x[MAX_POINTS], t[MAX_POINTS];
    int n_points = 0, weight = 0;
    for (int i = 0; i < n; i++) {
        if (n_points > 0 && sample[i].bytes <= x[n_points - 1]) {
            weight++;
            t[n_points - 1] +=
                (sample[i].seconds - t[n_points - 1]) / (double)weight;
            continue;
        }
        if (n_points == MAX_POINTS)
            break;
        x[n_points] = sample[i].bytes;
        t[n_points++] = sample[i].seconds;
        weight = 1;
    }
    if (n_points == 0)
        return false;
    bool inside;
    *seconds = polyline(n_points, x, t, bytes, &inside);
    *source = inside ? MW_SOURCE_INTERPOLATED : MW_SOURCE_EXTRAPOLATED;
    return true;
}

static double log_distance(const int64_t a[4], const int64_t b[4])
{
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double d = log2((double)a[i]) - log2((double)b[i]);
        sum += d * d;
    }
    return sum;
}

struct neighbour {
    double distance, rate;
};

/* Inserts into the nearest so far, by distance; returns how many they are. */
static int keep_nearest(struct neighbour near[NEIGHBOURS], int n,
                        double distance, double rate)
{
    int at = n;
    while (at > 0 && near[at - 1].distance > distance)
        at--;
    if (at == NEIGHBOURS)
        return n;
    int last = n < NEIGHBOURS ? n : NEIGHBOURS - 1;
    memmove(&near[at + 1], &near[at], (size_t)(last - at) * sizeof near[0]);
    near[at] = (struct neighbour){distance, rate};
    return last + 1;
}

/* Rate by inverse squared distance over the nearest shapes. Inside the range
 * of every size it is an interpolation. */
static bool time_by_shape(const mw_kernel_sample *sample, int n,
                          const int64_t shape[4], double flops, double *seconds,
                          mw_source *source)
{
    struct neighbour near[NEIGHBOURS];
    int n_near = 0;
    int64_t least[4] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    int64_t most[4] = {0};
    for (int i = 0; i < n; i++) {
        const mw_kernel_sample *s = &sample[i];
        if (s->gemm[0] <= 0 || s->flops <= 0 || s->seconds <= 0)
            continue;
        for (int d = 0; d < 4; d++) {
            least[d] = least[d] < s->gemm[d] ? least[d] : s->gemm[d];
            most[d] = most[d] > s->gemm[d] ? most[d] : s->gemm[d];
        }
        n_near = keep_nearest(near, n_near, log_distance(shape, s->gemm),
                              s->flops / s->seconds);
    }
    if (n_near == 0)
        return false;
    double sum = 0, weights = 0;
    for (int i = 0; i < n_near; i++) {
        double weight = 1 / (near[i].distance + 1e-3);
        sum += weight * log(near[i].rate);
        weights += weight;
    }
    bool inside = true;
    for (int d = 0; d < 4; d++)
        inside = inside && shape[d] >= least[d] && shape[d] <= most[d];
    *seconds = flops / exp(sum / weights);
    *source = inside ? MW_SOURCE_INTERPOLATED : MW_SOURCE_EXTRAPOLATED;
    return true;
}

bool mw_measured_op(const mw_measured *measured, const mw_graph *graph,
                    const mw_op *op, const int64_t extent[MW_MAX_LETTERS],
                    double *seconds, mw_source *source)
{
    int first = 0;
    int n = samples_of(measured, op->def->name, op_dtype(graph, op), &first);
    if (n == 0)
        return false;
    const mw_kernel_sample *sample = &measured->kernel[first];
    char key[MAX_KEY];
    if (print_key(graph, op, extent, key))
        for (int i = 0; i < n; i++)
            if (strcmp(sample[i].key, key) == 0) {
                *seconds = sample[i].seconds;
                *source = MW_SOURCE_MEASURED;
                return true;
            }
    int64_t shape[4];
    double flops = mw_op_flops_at(graph, op, extent);
    if (flops > 0 && gemm_shape(graph, op, extent, shape))
        return time_by_shape(sample, n, shape, flops, seconds, source);
    return time_by_bytes(sample, n, mw_op_block_bytes(graph, op, extent),
                         seconds, source);
}

/* A group of ranks and how it moves something. */
typedef struct curve {
    mw_collective kind;
    mw_way way;
    int64_t ranks, stride;
} curve;

/* The measured group most like this one: ranks first, then stride. */
static int curve_of(const mw_measured *measured, const curve *asked, int *first)
{
    double best = HUGE_VAL;
    int n = 0;
    for (int i = 0; i < measured->n_collectives; i++) {
        const mw_collective_sample *s = &measured->collective[i];
        if (s->kind != asked->kind || !mw_way_equal(s->way, asked->way))
            continue;
        double distance =
            4 * fabs(log2((double)s->ranks) - log2((double)asked->ranks)) +
            fabs(log2((double)s->stride) - log2((double)asked->stride));
        bool same = n > 0 && s->ranks == measured->collective[*first].ranks &&
                    s->stride == measured->collective[*first].stride;
        if (same) {
            n++;
        } else if (distance < best) {
            best = distance;
            *first = i;
            n = 1;
        }
    }
    return n;
}

void mw_group_of(const mw_mesh *mesh, uint32_t axes, int64_t *ranks,
                 int64_t *stride)
{
    int64_t inner = 1;
    *ranks = mw_mesh_group_size(mesh, axes);
    *stride = 0;
    for (int a = mesh->n_axes - 1; a >= 0; a--) {
        if (*stride == 0 && axes >> a & 1 && mesh->axis[a].size > 1)
            *stride = inner;
        inner *= mesh->axis[a].size;
    }
    if (*stride == 0)
        *stride = 1;
}

/* The time of `moved` bytes by one way; false when it was not measured. */
static bool time_of_way(const mw_measured *measured, const curve *asked,
                        double moved, double *seconds)
{
    int first = 0;
    int n = curve_of(measured, asked, &first);
    if (n == 0)
        return false;
    const mw_collective_sample *sample = &measured->collective[first];
    bool exact =
        sample->ranks == asked->ranks && sample->stride == asked->stride;
    if (!exact && asked->way.algorithm > MW_DIRECT)
        return false;
    double x[MAX_POINTS] = {(double)sample->bytes};
    double t[MAX_POINTS] = {sample->seconds};
    int n_points = 1;
    for (int i = 1; i < n && n_points < MAX_POINTS; i++) {
        if ((double)sample[i].bytes <= x[n_points - 1])
            continue;
        x[n_points] = (double)sample[i].bytes;
        t[n_points++] = sample[i].seconds;
    }
    bool inside;
    double time = polyline(n_points, x, t, moved, &inside);
    if (sample->ranks != asked->ranks) {
        double unit = 1e9; /* the ratio of the formulas at one bandwidth */
        time *= mw_collective_time_s(asked->kind, asked->ranks, (int64_t)moved,
                                     asked->ranks - 1, 0, unit) /
                mw_collective_time_s(asked->kind, sample->ranks, (int64_t)moved,
                                     sample->ranks - 1, 0, unit);
    }
    *seconds = time;
    return true;
}

bool mw_measured_step(const mw_measured *measured, const mw_move_size *what,
                      double *seconds, mw_way *way)
{
    curve asked = {.kind = what->kind};
    mw_group_of(what->mesh, what->axes, &asked.ranks, &asked.stride);
    double moved = (double)what->bytes;
    *way = (mw_way){0};
    if (what->kind == MW_EXCHANGE && what->peers <= 0) {
        *seconds = 0;
        return true;
    }
    if (what->kind == MW_EXCHANGE) {
        /* as much received by pairwise messages */
        asked.kind = MW_ALL_TO_ALL;
        asked.ranks = what->peers + 1;
        moved *= (double)asked.ranks / (double)what->peers;
    }
    bool found = false;
    mw_way last = {MW_N_ALGORITHMS, 0};
    for (int i = 0; i < measured->n_collectives; i++) {
        const mw_collective_sample *s = &measured->collective[i];
        double time;
        if (s->kind != asked.kind || mw_way_equal(s->way, last))
            continue;
        last = asked.way = s->way;
        if (mw_way_refusal(asked.kind, s->way, asked.ranks) ||
            !time_of_way(measured, &asked, moved, &time) ||
            (found && time >= *seconds))
            continue;
        found = true;
        *seconds = time;
        *way = s->way;
    }
    return found;
}
