/* attention_ref.c - each operand's part at a point is copied, the body run on
 * the parts, and the result's part copied back. */
#include "ir/attention_ref.h"

#include <string.h>

#include "ir/body.h"
#include "ir/fused.h"
#include "ir/loop.h"
#include "ir/number.h"
#include "ir/reshard.h"

typedef struct work {
    mw_attention a;
    int64_t extent[MW_BODY_DIMS], at[MW_BODY_DIMS];
    mw_view part[MW_ATTENTION_TENSORS]; /* of each of the body's tensors */
} work;

// One point at a time is taken of it.
static bool is_stepped(const mw_attention *a, mw_id dim)
{
    return dim == a->row || mw_attention_is_outer(a, dim);
}

static mw_view part_of(const mw_attention *a, mw_id tensor,
                       const int64_t extent[])
{
    const mw_tensor *t = &a->body->tensor[tensor];
    mw_view view = {.dtype = t->dtype, .rank = t->rank};
    for (int i = 0; i < t->rank; i++) {
        mw_id dim = t->axis[i].dim;
        view.size[i] = view.whole[i] = is_stepped(a, dim) ? 1 : extent[dim];
    }
    return view;
}

static int64_t part_bytes(const mw_view *part)
{
    return mw_aligned(mw_view_elements(part) * mw_dtype_bytes(part->dtype));
}

int64_t mw_attention_ref_room(const mw_attention *a, const int64_t extent[])
{
    int64_t total = 0;
    for (mw_id t = 0; t < a->body->n_tensors; t++) {
        mw_view part = part_of(a, t, extent);
        total += part_bytes(&part);
    }
    return total;
}

static void lay_out(work *w, char *room)
{
    for (mw_id t = 0; t < w->a.body->n_tensors; t++) {
        const mw_tensor *tensor = &w->a.body->tensor[t];
        mw_view *part = &w->part[t];
        *part = part_of(&w->a, t, w->extent);
        part->data = room;
        room += part_bytes(part);
        if (tensor->role != MW_ROLE_CONST)
            continue;
        mw_number x = mw_fused_number(tensor);
        mw_numbers_store(tensor->dtype, part->data, 0, 1, 1, &x);
    }
}

// Where element i of the tensor's part lies in its block.
static int64_t place_of(const work *w, mw_id tensor, int64_t i)
{
    const mw_tensor *t = &w->a.body->tensor[tensor];
    int64_t place = 0, stride = 1;
    for (int k = t->rank - 1; k >= 0; k--) {
        mw_id dim = t->axis[k].dim;
        int64_t size = w->part[tensor].size[k];
        place += (is_stepped(&w->a, dim) ? w->at[dim] : i % size) * stride;
        i /= size;
        stride *= w->extent[dim];
    }
    return place;
}

static void copy_part(const work *w, mw_id tensor, char *block, bool back)
{
    char *part = w->part[tensor].data;
    size_t item = (size_t)mw_dtype_bytes(w->part[tensor].dtype);
    int64_t n = mw_view_elements(&w->part[tensor]);
    for (int64_t i = 0; i < n; i++) {
        char *own = part + (size_t)i * item;
        char *whole = block + (size_t)place_of(w, tensor, i) * item;
        memcpy(back ? whole : own, back ? own : whole, item);
    }
}

static void run_point(work *w, const mw_view in[], mw_view *out)
{
    const mw_graph *body = w->a.body;
    int input = 0;
    for (mw_id t = 0; t < body->n_tensors; t++)
        if (body->tensor[t].role == MW_ROLE_INPUT)
            copy_part(w, t, in[input++].data, false);
    for (int k = 0; k < body->n_ops; k++) {
        const mw_op *inner = &body->op[k];
        mw_view x[MW_ATTENTION_ARGS], y = w->part[inner->out[0].tensor];
        for (int i = 0; i < inner->n_in; i++)
            x[i] = w->part[inner->in[i].tensor];
        mw_op_ref(inner, x, &y, NULL);
    }
    copy_part(w, w->a.result, out->data, true);
}

static bool next(work *w)
{
    const mw_tensor *result = &w->a.body->tensor[w->a.result];
    for (int i = result->rank - 1; i >= 0; i--) {
        mw_id dim = result->axis[i].dim;
        if (!is_stepped(&w->a, dim))
            continue;
        if (++w->at[dim] < w->extent[dim])
            return true;
        w->at[dim] = 0;
    }
    return false;
}

void mw_attention_ref(const mw_op *op, const mw_view in[], mw_view out[],
                      void *room)
{
    work w = {.at = {0}};
    const char *wrong = mw_attention_find(mw_attention_body(op), &w.a);
    if (wrong || mw_view_elements(out) == 0)
        return;
    mw_attention_extents(&w.a, op, in, out, w.extent);
    lay_out(&w, room);
    do
        run_point(&w, in, out);
    while (next(&w));
}
