/* direct.c - sorts a convolution's letters, and looks where they stand. */
#include "ir/direct.h"

#include "ir/gemm.h"

enum { X, W, OUT, ITEM = 4, WIDEST = 64, SLAB_BYTES = 2 << 20, ALIGN = 64 };
enum { IN_X = 1, IN_W = 2, IN_OUT = 4 };

// Axes of an operand: letters stand at its front, without gaps in named ops.
static int rank_of(const mw_operand *of)
{
    int rank = MW_MAX_RANK;
    while (rank > 0 && of->letter[rank - 1] == MW_NONE)
        rank--;
    return rank;
}

// Bit a: axis a is spatial.
static uint32_t spatial_axes(const mw_op *op, int i)
{
    mw_spatial spatial[MW_MAX_SPATIAL];
    uint32_t axes = 0;
    int n = mw_conv_spatial(op, spatial);
    for (int k = 0; k < n; k++) {
        int axis = i == X   ? spatial[k].x_axis
                   : i == W ? spatial[k].w_axis
                            : spatial[k].out_axis;
        axes |= axis == MW_NONE ? 0 : 1U << axis;
    }
    return axes;
}

static void add(mw_letters *letters, int8_t letter)
{
    letters->letter[letters->n++] = letter;
}

// Which operands have each letter as an axis that is not spatial.
static void find_places(const mw_op *op, int8_t place[MW_MAX_LETTERS])
{
    for (int l = 0; l < MW_MAX_LETTERS; l++)
        place[l] = 0;
    for (int i = X; i <= OUT; i++) {
        uint32_t skip = spatial_axes(op, i);
        int rank = rank_of(mw_conv_operand(op, i));
        for (int a = 0; a < rank; a++) {
            int8_t letter = mw_conv_operand(op, i)->letter[a];
            if (letter != MW_NONE && !(skip >> a & 1U))
                place[letter] |= (int8_t)(1 << i);
        }
    }
}

static bool ends_with(const mw_operand *of, const mw_letters *letters)
{
    int rank = rank_of(of);
    for (int i = 0; i < letters->n; i++)
        if (rank < letters->n ||
            of->letter[rank - letters->n + i] != letters->letter[i])
            return false;
    return true;
}

// False: an axis has another role than those of a convolution.
static bool sort_letters(const mw_op *op, mw_direct *d)
{
    int8_t place[MW_MAX_LETTERS];
    find_places(op, place);
    for (int i = OUT; i >= X; i -= OUT) {
        uint32_t skip = spatial_axes(op, i);
        int rank = rank_of(mw_conv_operand(op, i));
        for (int a = 0; a < rank; a++) {
            int8_t letter = mw_conv_operand(op, i)->letter[a];
            // an axis of size 1 has no letter
            if (letter == MW_NONE || skip >> a & 1U ||
                (i == X && place[letter] & IN_OUT))
                continue;
            if (place[letter] == (IN_X | IN_W | IN_OUT))
                add(&d->group, letter);
            else if (place[letter] == (IN_X | IN_OUT))
                add(&d->batch, letter);
            else if (place[letter] == (IN_W | IN_OUT))
                add(&d->out, letter);
            else if (place[letter] == (IN_X | IN_W))
                add(&d->in, letter);
            else
                return false;
        }
    }
    for (int l = 0; l < op->n_letters; l++)
        if (place[l] == IN_W)
            return false;
    return true;
}

static double taps_of(const mw_op *op)
{
    mw_spatial spatial[MW_MAX_SPATIAL];
    double taps = 1;
    int n = mw_conv_spatial(op, spatial);
    for (int k = 0; k < n; k++)
        if (spatial[k].w_axis != MW_NONE)
            taps *=
                (double)op->letter[op->in[W].letter[spatial[k].w_axis]].size;
    return taps;
}

bool mw_direct_could(const mw_op *op, mw_dtype dtype, mw_direct *direct)
{
    *direct = (mw_direct){.fits = false};
    if (dtype != MW_F32 || !sort_letters(op, direct) ||
        taps_of(op) > MW_DIRECT_TAPS)
        return false;
    direct->depthwise =
        direct->in.n == 0 && direct->out.n == 0 && direct->group.n > 0;
    return true;
}

void mw_direct_analyse(const mw_op *op, mw_dtype dtype, mw_direct *direct)
{
    if (!mw_direct_could(op, dtype, direct))
        return;
    if (direct->depthwise)
        direct->fits = ends_with(&op->in[X], &direct->group) &&
                       ends_with(&op->out[0], &direct->group);
    else
        direct->fits = ends_with(&op->in[X], &direct->in) &&
                       ends_with(&op->out[0], &direct->out);
}

static int64_t product(const mw_letters *letters,
                       const int64_t extent[MW_MAX_LETTERS])
{
    int64_t n = 1;
    for (int i = 0; i < letters->n; i++)
        n *= extent[letters->letter[i]];
    return n;
}

// Grows with every extent, so that what the largest rank needs is enough.
static int64_t room(const mw_direct *d, const mw_op *op,
                    const int64_t extent[MW_MAX_LETTERS])
{
    int64_t row = product(&d->in, extent) * (int64_t)taps_of(op) * ITEM;
    int64_t all = row * product(&d->out, extent) * product(&d->group, extent);
    int64_t most = row * WIDEST > SLAB_BYTES ? row * WIDEST : SLAB_BYTES;
    if (!d->depthwise && all > most)
        all = most;
    return (all + ALIGN - 1) / ALIGN * ALIGN;
}

int64_t mw_conv_workspace(const mw_graph *graph, const mw_op *op,
                          const int64_t extent[MW_MAX_LETTERS])
{
    mw_dtype dtype = graph->tensor[op->out[0].tensor].dtype;
    mw_direct d;
    mw_direct_analyse(op, dtype, &d);
    return d.fits ? room(&d, op, extent) : mw_gemm_workspace(graph, op, extent);
}
