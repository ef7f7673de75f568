/*
 * conv_direct.c - deals tiles out to threads.
 *
 * A task is a panel of output channels by a stretch of pixels. Weights come
 * slab by slab, of whole panels: from where they were packed, or packed first.
 * Within a task all pixels pass with one cut of the summands before the next,
 * so that the cut's weights stay in the second cache; sums that are not
 * complete wait in the result.
 */
#include "runtime/conv_direct.h"

#include "ir/loop.h"
#include "runtime/conv_plan.h"
#include "runtime/kernels/vector.h"
#include "runtime/parallel.h"

enum {
    X,
    W,
    OUT,
    SEGMENTS = 64,        /* of a call of a tile */
    BLOCK = 64,           /* channels of a depthwise convolution at a time */
    CACHE = 256 << 10,    /* bytes of a part of the pixels */
    WEIGHTS = 512 << 10,  /* bytes of weights that stay near besides */
    STACK = 256 << 10,    /* bytes of weights that a pixel passes at once */
    PANELS = 32,          /* likewise panels */
    SHARES = 4,           /* tasks a thread, at least */
    THREAD_MIN = 1 << 18, /* multiply-adds from which a second thread pays */
    PIXELS_MIN = 4 * MW_TILE_PIXELS
};

static const float zeros[MW_CONV_SUMMANDS];

/* ---- weights ---- */

/* Panels [first, first + n) of a group. */
typedef struct slab {
    const mw_conv_plan *plan;
    int64_t group, first, n;
    float *packed; /* the first panel's */
    /* how the pixels are cut */
    int64_t n_parts, stack; /* panels that each pixel passes at once */
    bool parts_first;       /* all panels of a part, then the next part */
} slab;

static int64_t column_of(const slab *s, int64_t panel)
{
    return mw_conv_panel_at(s->plan, s->first + panel).column -
           mw_conv_panel_at(s->plan, s->first).column;
}

// Item i is a panel's input channel: its weights of every tap and column.
static void pack_items(void *arg, int64_t lo, int64_t hi)
{
    const slab *s = arg;
    const mw_conv_plan *p = s->plan;
    const mw_view *w = &p->call->in[W];
    int64_t step[MW_MAX_SPATIAL], from[MW_TILE_WIDTH_MAX];
    mw_spatial spatial[MW_MAX_SPATIAL];
    (void)mw_conv_spatial(p->call->op, spatial);
    for (int i = 0; i < p->n_spaces; i++)
        step[i] = spatial[i].w_axis == MW_NONE
                      ? 0
                      : mw_view_stride(w, spatial[i].w_axis);
    const float *group = (const float *)w->data +
                         mw_conv_offset(p, &p->direct.group, W, s->group);
    for (int64_t item = lo; item < hi; item++) {
        int64_t c = item % p->n_in, panel = item / p->n_in;
        mw_conv_panel at = mw_conv_panel_at(p, s->first + panel);
        int width = p->tiles->width[at.kind];
        for (int k = 0; k < width; k++)
            from[k] = mw_conv_offset(p, &p->direct.out, W, at.column + k);
        const float *channel = group + mw_conv_offset(p, &p->direct.in, W, c);
        float *to = s->packed + column_of(s, panel) * p->rows + c * width;
        for (int64_t t = 0; t < p->n_taps; t++) {
            int64_t tap = 0;
            for (int i = 0; i < p->n_spaces; i++)
                tap += p->tap[t].at[i] / p->space[i].dilation * step[i];
            for (int k = 0; k < width; k++)
                to[t * p->n_in * width + k] = channel[from[k] + tap];
        }
    }
}

/* ---- tiles ---- */

/* A tile on its way: pointers until a call. */
typedef struct batch {
    const mw_conv_plan *plan;
    mw_conv_tile tile;
    mw_conv_tile_fn *fn;
    int width, n_pixels;
    bool first, last; /* cut of the summands */
    const float *x[SEGMENTS * MW_TILE_PIXELS];
    float *out[MW_TILE_PIXELS];
    const float *add[MW_TILE_PIXELS];
} batch;

static void flush(batch *b, bool end)
{
    b->tile.first = b->first;
    b->tile.last = b->last && end;
    b->fn(&b->tile);
    b->tile.w += b->tile.n * b->tile.len * b->width;
    b->tile.n = 0;
    b->first = false;
}

/* A cut of the summands. */
typedef struct cut {
    int64_t tap, n_taps, in, n_in;
} cut;

static void add_segments(batch *b, const mw_pixel pixel[], const float *x,
                         const cut *of)
{
    const mw_conv_plan *p = b->plan;
    bool inside = true;
    for (int i = 0; i < b->n_pixels; i++)
        inside = inside && mw_pixel_inside(p, &pixel[i]);
    int64_t run = inside ? p->run : 1;
    b->tile.n = 0;
    b->tile.len = run * of->n_in;
    for (int64_t t = of->tap; t < of->tap + of->n_taps; t += run) {
        if (b->tile.n == SEGMENTS)
            flush(b, false);
        const mw_conv_tap *tap = &p->tap[t];
        for (int i = 0; i < b->n_pixels; i++)
            b->x[b->tile.n * b->n_pixels + i] =
                inside || mw_pixel_has(p, &pixel[i], tap)
                    ? x + pixel[i].x + tap->x + of->in
                    : zeros;
        b->tile.n++;
    }
    flush(b, true);
}

/* What a task works on: panels of the slab by pixels. */
typedef struct task {
    const slab *slab;
    int64_t panel, n_panels, lo, hi;
} task;

/* A panel: where its weights of a cut, its channels and its results begin. */
typedef struct aim {
    int kind;
    const float *w, *scale, *shift, *add;
    float *out;
} aim;

static const float *of_operand(const mw_conv_plan *p, int operand)
{
    return operand == MW_NONE ? NULL : p->call->in[operand].data;
}

static const float *moved(const float *from, int64_t by)
{
    return from ? from + by : NULL;
}

static aim aim_at(const slab *s, int64_t panel, const cut *of)
{
    const mw_conv_plan *p = s->plan;
    mw_conv_panel at = mw_conv_panel_at(p, s->first + panel);
    int64_t channel = s->group * p->n_out + at.column;
    int64_t out =
        mw_conv_offset(p, &p->direct.group, OUT, s->group) + at.column;
    return (aim){.kind = at.kind,
                 .w = s->packed + column_of(s, panel) * p->rows +
                      (of->tap * p->n_in + of->in) * p->tiles->width[at.kind],
                 .scale = moved(of_operand(p, p->end.scale), channel),
                 .shift = moved(of_operand(p, p->end.shift), channel),
                 .add = moved(of_operand(p, p->end.add), out),
                 .out = (float *)p->call->out[0].data + out};
}

static void run_tile(batch *b, const aim *to, const mw_pixel pixel[],
                     const float *x, const cut *of)
{
    const mw_conv_plan *p = b->plan;
    for (int k = 0; k < b->n_pixels; k++) {
        b->out[k] = to->out + pixel[k].out;
        b->add[k] = moved(to->add, pixel[k].out);
    }
    b->width = p->tiles->width[to->kind];
    b->fn = p->tiles->fn[to->kind][b->n_pixels - 1];
    b->first = of->tap == 0 && of->in == 0;
    b->last = of->tap + of->n_taps == p->n_taps && of->in + of->n_in == p->n_in;
    b->tile.w = to->w;
    b->tile.scale = to->scale;
    b->tile.shift = to->shift;
    b->tile.add = to->add ? b->add : NULL;
    add_segments(b, pixel, x, of);
}

static void run_cut(const task *t, const cut *of)
{
    const mw_conv_plan *p = t->slab->plan;
    int64_t n = t->hi - t->lo;
    const float *x = (const float *)p->call->in[X].data +
                     mw_conv_offset(p, &p->direct.group, X, t->slab->group);
    batch b = {.plan = p, .tile = {.low = p->end.low, .high = p->end.high}};
    b.tile.x = b.x;
    b.tile.out = b.out;
    aim to[PANELS];
    for (int64_t i = 0; i < t->n_panels; i++)
        to[i] = aim_at(t->slab, t->panel + i, of);
    mw_pixel pixel[MW_TILE_PIXELS], next;
    mw_pixel_set(p, t->lo, &next);
    int64_t n_tiles = (n + MW_TILE_PIXELS - 1) / MW_TILE_PIXELS;
    for (int64_t i = 0; i < n_tiles; i++) {
        b.n_pixels = (int)(n * (i + 1) / n_tiles - n * i / n_tiles);
        for (int k = 0; k < b.n_pixels; k++) {
            pixel[k] = next;
            mw_pixel_next(p, &next);
        }
        for (int64_t k = 0; k < t->n_panels; k++)
            run_tile(&b, &to[k], pixel, x, of);
    }
}

static void run_task(const task *t)
{
    const mw_conv_plan *p = t->slab->plan;
    for (int64_t tap = 0; tap < p->n_taps; tap += p->cut_taps)
        for (int64_t in = 0; in == 0 || in < p->n_in; in += p->cut_in) {
            cut of = {tap, p->cut_taps, in, p->cut_in};
            if (of.n_taps > p->n_taps - tap)
                of.n_taps = p->n_taps - tap;
            if (of.n_in > p->n_in - in)
                of.n_in = p->n_in - in;
            run_cut(t, &of);
        }
}

static int64_t stacks_of(const slab *s)
{
    return (s->n + s->stack - 1) / s->stack;
}

static void run_tasks(void *arg, int64_t lo, int64_t hi)
{
    const slab *s = arg;
    int64_t n_pixels = s->plan->n_pixels, n_stacks = stacks_of(s);
    for (int64_t i = lo; i < hi; i++) {
        int64_t part = s->parts_first ? i / n_stacks : i % s->n_parts;
        int64_t stack = s->parts_first ? i % n_stacks : i / s->n_parts;
        task t = {.slab = s,
                  .panel = stack * s->stack,
                  .n_panels = s->stack,
                  .lo = n_pixels * part / s->n_parts,
                  .hi = n_pixels * (part + 1) / s->n_parts};
        if (t.n_panels > s->n - t.panel)
            t.n_panels = s->n - t.panel;
        run_task(&t);
    }
}

/* Multiply-adds of a group. */
static double work_of(const mw_conv_plan *p)
{
    return (double)p->n_pixels * (double)p->rows * (double)p->n_out;
}

// Pixels are cut in parts that stay in the cache, results and what is added to
// them included, if all weights stay there too, or if reading these again for
// each part is less than reading x again for each panel.
static void cut_pixels(slab *s, int threads)
{
    const mw_conv_plan *p = s->plan;
    double x = (double)mw_view_elements(&p->call->in[X]);
    double y = (double)mw_view_elements(&p->call->out[0]);
    double w = (double)p->rows * (double)p->n_out;
    double all = (x + y * (p->end.add == MW_NONE ? 1 : 2)) * sizeof(float);
    double parts = ceil(all / (double)p->n_groups / CACHE);
    x /= (double)p->n_groups;
    s->parts_first =
        w * sizeof(float) <= WEIGHTS || x + w * parts < w + x * (double)s->n;
    s->n_parts = s->parts_first ? (int64_t)parts : 1;
    s->stack = w * sizeof(float) > STACK ? 1 : s->n < PANELS ? s->n : PANELS;
    int64_t least = (SHARES * threads + stacks_of(s) - 1) / stacks_of(s);
    if (threads > 1 && s->n_parts < least)
        s->n_parts = least;
    int64_t most = (p->n_pixels + PIXELS_MIN - 1) / PIXELS_MIN;
    if (s->n_parts > most)
        s->n_parts = most;
    if (s->n_parts < 1)
        s->n_parts = 1;
}

static bool is_packed(const mw_kernel_call *call)
{
    return call->packed >> W & 1U;
}

/* Panels from s->first on that the room holds. */
static int64_t panels_that_fit(const slab *s, int64_t n_panels)
{
    int64_t room = s->plan->call->workspace_bytes / (int64_t)sizeof(float), n;
    for (n = 1; s->first + n < n_panels; n++)
        if (column_of(s, n + 1) * s->plan->rows > room)
            break;
    return n;
}

static void run_group(const mw_conv_plan *p, int64_t group, int threads)
{
    int64_t n_panels = mw_conv_panels(p);
    slab s = {.plan = p, .group = group};
    for (; s.first < n_panels; s.first += s.n) {
        if (is_packed(p->call)) {
            s.n = n_panels;
            s.packed =
                (float *)p->call->in[W].data + group * p->rows * p->n_out;
        } else {
            s.n = panels_that_fit(&s, n_panels);
            s.packed = p->call->workspace;
            mw_parallel(threads, s.n * p->n_in, pack_items, &s);
        }
        cut_pixels(&s, threads);
        mw_parallel(threads, stacks_of(&s) * s.n_parts, run_tasks, &s);
    }
}

/* ---- depthwise ---- */

/* A pixel's taps that are in x, and their weights. */
typedef struct column {
    int64_t n;
    const float *x[MW_DIRECT_TAPS], *w[MW_DIRECT_TAPS];
    const float *scale, *shift, *add;
    float *out;
    float low, high;
} column;

/* Channels [at, at + n), n at most BLOCK. */
MW_VECTOR static void sum_block(const column *c, int64_t at, int64_t n)
{
    float y[BLOCK] = {0};
    for (int64_t t = 0; t < c->n; t++) {
        const float *x = c->x[t] + at, *w = c->w[t] + at;
        for (int64_t k = 0; k < n; k++)
            y[k] += x[k] * w[k];
    }
    for (int64_t k = 0; c->scale && k < n; k++)
        y[k] *= c->scale[at + k];
    for (int64_t k = 0; c->shift && k < n; k++)
        y[k] += c->shift[at + k];
    for (int64_t k = 0; c->add && k < n; k++)
        y[k] += c->add[at + k];
    for (int64_t k = 0; k < n; k++) {
        float z = y[k] < c->low ? c->low : y[k];
        c->out[at + k] = z > c->high ? c->high : z;
    }
}

// The weight of a depthwise convolution, channels innermost.
static void pack_channels(void *arg, int64_t lo, int64_t hi)
{
    const slab *s = arg;
    const mw_conv_plan *p = s->plan;
    const mw_view *w = &p->call->in[W];
    mw_spatial spatial[MW_MAX_SPATIAL];
    (void)mw_conv_spatial(p->call->op, spatial);
    for (int64_t t = 0; t < p->n_taps; t++) {
        int64_t tap = 0;
        for (int i = 0; i < p->n_spaces; i++)
            if (spatial[i].w_axis != MW_NONE)
                tap += p->tap[t].at[i] / p->space[i].dilation *
                       mw_view_stride(w, spatial[i].w_axis);
        for (int64_t c = lo; c < hi; c++)
            s->packed[t * p->n_groups + c] =
                ((const float *)
                     w->data)[mw_conv_offset(p, &p->direct.group, W, c) + tap];
    }
}

static void run_pixels(void *arg, int64_t lo, int64_t hi)
{
    const slab *s = arg;
    const mw_conv_plan *p = s->plan;
    column c = {.scale = of_operand(p, p->end.scale),
                .shift = of_operand(p, p->end.shift),
                .low = p->end.low,
                .high = p->end.high};
    const float *add = of_operand(p, p->end.add), *x = p->call->in[X].data;
    mw_pixel pixel;
    mw_pixel_set(p, lo, &pixel);
    for (int64_t i = lo; i < hi; i++, mw_pixel_next(p, &pixel)) {
        c.n = 0;
        for (int64_t t = 0; t < p->n_taps; t++)
            if (mw_pixel_has(p, &pixel, &p->tap[t])) {
                c.x[c.n] = x + pixel.x + p->tap[t].x;
                c.w[c.n++] = s->packed + t * p->n_groups;
            }
        c.add = moved(add, pixel.out);
        c.out = (float *)p->call->out[0].data + pixel.out;
        for (int64_t k = 0; k < p->n_groups; k += BLOCK)
            sum_block(&c, k, p->n_groups - k < BLOCK ? p->n_groups - k : BLOCK);
    }
}

static void run_depthwise(const mw_conv_plan *p, int threads)
{
    slab s = {.plan = p, .packed = p->call->workspace};
    if (is_packed(p->call))
        s.packed = p->call->in[W].data;
    else
        mw_parallel(threads, p->n_groups, pack_channels, &s);
    mw_parallel(threads, p->n_pixels, run_pixels, &s);
}

/* ---- the whole ---- */

bool mw_conv_direct(const mw_kernel_call *call)
{
    mw_conv_plan plan;
    if (!mw_conv_plan_make(&plan, call))
        return false;
    if (mw_view_elements(&call->out[0]) == 0)
        return true;
    double work = work_of(&plan) * (double)plan.n_groups;
    int threads = work < THREAD_MIN ? 1 : call->threads;
    if (plan.direct.depthwise)
        run_depthwise(&plan, threads);
    else
        for (int64_t g = 0; g < plan.n_groups; g++)
            run_group(&plan, g, threads);
    return true;
}

bool mw_conv_direct_pack(const mw_kernel_call *call, void *to)
{
    mw_conv_plan p;
    if (!mw_conv_plan_make(&p, call))
        return false;
    slab s = {.plan = &p, .packed = to, .n = mw_conv_panels(&p)};
    if (p.direct.depthwise) {
        mw_parallel(call->threads, p.n_groups, pack_channels, &s);
        return true;
    }
    for (; s.group < p.n_groups; s.group++) {
        mw_parallel(call->threads, s.n * p.n_in, pack_items, &s);
        s.packed += p.rows * p.n_out;
    }
    return true;
}
