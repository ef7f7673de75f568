/* conv_plan.c - strides and counts of a direct convolution's blocks. */
#include "runtime/conv_plan.h"

#include "ir/loop.h"

enum { X, W, OUT, RUN_CHANNELS = 32 };

static const mw_view *view(const mw_kernel_call *call, int i)
{
    return i == OUT ? &call->out[0] : &call->in[i];
}

static const mw_operand *operand(const mw_kernel_call *call, int i)
{
    return i == OUT ? &call->op->out[0] : &call->op->in[i];
}

/* Elements between neighbours along a letter's axis. */
static int64_t step_of(const mw_kernel_call *call, int i, int letter)
{
    for (int a = 0; a < view(call, i)->rank; a++)
        if (operand(call, i)->letter[a] == letter)
            return mw_view_stride(view(call, i), a);
    return 0;
}

static int64_t product(const mw_conv_plan *p, const mw_letters *letters)
{
    int64_t n = 1;
    for (int i = 0; i < letters->n; i++)
        n *= p->extent[letters->letter[i]];
    return n;
}

static void set_spaces(mw_conv_plan *p)
{
    const mw_kernel_call *call = p->call;
    mw_spatial spatial[MW_MAX_SPATIAL];
    p->n_spaces = mw_conv_spatial(call->op, spatial);
    for (int i = 0; i < p->n_spaces; i++) {
        const mw_spatial *s = &spatial[i];
        const mw_view *x = &call->in[X];
        bool has = s->x_axis != MW_NONE;
        int64_t first =
            s->out_axis == MW_NONE ? 0 : call->out[0].start[s->out_axis];
        p->space[i] = (mw_conv_space){
            .taps = s->w_axis == MW_NONE ? 1 : call->in[W].size[s->w_axis],
            .base = first * s->stride - s->pad_begin -
                    (has ? x->start[s->x_axis] : 0),
            .stride = s->stride,
            .dilation = s->dilation,
            .size = has ? x->size[s->x_axis] : 1,
            .step = has ? mw_view_stride(x, s->x_axis) : 0};
    }
}

static int space_of(const mw_kernel_call *call, int axis)
{
    mw_spatial spatial[MW_MAX_SPATIAL];
    int n = mw_conv_spatial(call->op, spatial);
    for (int i = 0; i < n; i++)
        if (spatial[i].out_axis == axis)
            return i;
    return MW_NONE;
}

static bool among(const mw_letters *letters, int letter)
{
    for (int i = 0; i < letters->n; i++)
        if (letters->letter[i] == letter)
            return true;
    return false;
}

static void set_pixels(mw_conv_plan *p)
{
    const mw_kernel_call *call = p->call;
    p->n_pixels = 1;
    for (int a = 0; a < call->out[0].rank; a++) {
        int letter = call->op->out[0].letter[a], space = space_of(call, a);
        if (space == MW_NONE && !among(&p->direct.batch, letter))
            continue;
        p->axis[p->n_axes++] =
            (mw_pixel_axis){.extent = call->out[0].size[a],
                            .out = mw_view_stride(&call->out[0], a),
                            .x = space == MW_NONE ? step_of(call, X, letter)
                                                  : p->space[space].stride *
                                                        p->space[space].step,
                            .space = space};
        p->n_pixels *= call->out[0].size[a];
    }
}

static void set_taps(mw_conv_plan *p)
{
    p->n_taps = 1;
    for (int i = 0; i < p->n_spaces; i++)
        p->n_taps *= p->space[i].taps;
    for (int64_t t = 0; t < p->n_taps; t++) {
        mw_conv_tap *tap = &p->tap[t];
        int64_t rest = t;
        tap->x = 0;
        for (int i = p->n_spaces - 1; i >= 0; i--) {
            const mw_conv_space *s = &p->space[i];
            tap->at[i] = rest % s->taps * s->dilation;
            tap->x += tap->at[i] * s->step;
            rest /= s->taps;
        }
    }
}

// The length of equal parts of n, of at most `most` each, at least 1.
static int64_t even(int64_t n, int64_t most)
{
    int64_t parts = most > 0 ? (n + most - 1) / most : n;
    int64_t length = parts > 0 ? (n + parts - 1) / parts : n;
    return length > 0 ? length : 1;
}

// Few channels are read together with those of the next taps, where they lie
// next to each other.
static void cut(mw_conv_plan *p)
{
    const mw_conv_space *last = &p->space[p->n_spaces - 1];
    int64_t fit = p->n_in > 0 ? MW_CONV_SUMMANDS / p->n_in : p->n_taps;
    p->cut_taps = even(p->n_taps, fit);
    p->cut_in = even(p->n_in, MW_CONV_SUMMANDS);
    p->run = 1;
    if (p->n_in <= RUN_CHANNELS && last->dilation == 1 &&
        last->step == p->n_in && last->taps <= p->cut_taps) {
        p->run = last->taps;
        p->cut_taps -= p->cut_taps % p->run;
    }
}

bool mw_conv_plan_make(mw_conv_plan *plan, const mw_kernel_call *call)
{
    mw_direct direct;
    mw_direct_analyse(call->op, call->out[0].dtype, &direct);
    if (!direct.fits)
        return false;
    plan->call = call;
    plan->tiles = mw_conv_tiles_at(0);
    plan->direct = direct;
    plan->n_axes = 0;
    mw_block_extents(call->op, call->in, call->out, plan->extent);
    mw_conv_end_of(call->op, &plan->end);
    plan->n_groups = product(plan, &direct.group);
    plan->n_in = product(plan, &direct.in);
    plan->n_out = product(plan, &direct.out);
    set_spaces(plan);
    set_pixels(plan);
    set_taps(plan);
    cut(plan);
    plan->rows = plan->n_taps * plan->n_in;
    return true;
}

int64_t mw_conv_panels(const mw_conv_plan *plan)
{
    int64_t n = 0, left = plan->n_out;
    for (int k = 0; k < plan->tiles->n_widths; k++) {
        n += left / plan->tiles->width[k];
        left %= plan->tiles->width[k];
    }
    return n;
}

mw_conv_panel mw_conv_panel_at(const mw_conv_plan *plan, int64_t i)
{
    mw_conv_panel panel = {0, 0};
    int64_t left = plan->n_out;
    for (int k = 0; k < plan->tiles->n_widths; k++) {
        int64_t width = plan->tiles->width[k], n = left / width;
        panel.kind = k;
        if (i < n) {
            panel.column += i * width;
            break;
        }
        i -= n;
        panel.column += n * width;
        left -= n * width;
    }
    return panel;
}

int64_t mw_conv_offset(const mw_conv_plan *plan, const mw_letters *letters,
                       int operand_of, int64_t i)
{
    int64_t at = 0;
    for (int k = letters->n - 1; k >= 0; k--) {
        int letter = letters->letter[k];
        int64_t extent = plan->extent[letter];
        at += i % extent * step_of(plan->call, operand_of, letter);
        i /= extent;
    }
    return at;
}

void mw_pixel_set(const mw_conv_plan *plan, int64_t i, mw_pixel *pixel)
{
    pixel->x = pixel->out = 0;
    for (int s = 0; s < plan->n_spaces; s++) {
        pixel->at[s] = plan->space[s].base;
        pixel->x += plan->space[s].base * plan->space[s].step;
    }
    for (int a = plan->n_axes - 1; a >= 0; a--) {
        const mw_pixel_axis *axis = &plan->axis[a];
        int64_t index = i % axis->extent;
        i /= axis->extent;
        pixel->index[a] = index;
        pixel->x += index * axis->x;
        pixel->out += index * axis->out;
        if (axis->space != MW_NONE)
            pixel->at[axis->space] += index * plan->space[axis->space].stride;
    }
}

void mw_pixel_next(const mw_conv_plan *plan, mw_pixel *pixel)
{
    for (int a = plan->n_axes - 1; a >= 0; a--) {
        const mw_pixel_axis *axis = &plan->axis[a];
        int64_t by = ++pixel->index[a] < axis->extent ? 1 : 1 - axis->extent;
        pixel->x += by * axis->x;
        pixel->out += by * axis->out;
        if (axis->space != MW_NONE)
            pixel->at[axis->space] += by * plan->space[axis->space].stride;
        if (by == 1)
            return;
        pixel->index[a] = 0;
    }
}

bool mw_pixel_has(const mw_conv_plan *plan, const mw_pixel *pixel,
                  const mw_conv_tap *tap)
{
    for (int s = 0; s < plan->n_spaces; s++) {
        int64_t at = pixel->at[s] + tap->at[s];
        if (at < 0 || at >= plan->space[s].size)
            return false;
    }
    return true;
}

bool mw_pixel_inside(const mw_conv_plan *plan, const mw_pixel *pixel)
{
    return mw_pixel_has(plan, pixel, &plan->tap[0]) &&
           mw_pixel_has(plan, pixel, &plan->tap[plan->n_taps - 1]);
}
