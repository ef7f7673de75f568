/* scan.c - the loop of `scan`, over blocks. */
#include "ir/scan.h"

#include <string.h>

#include "ir/body.h"
#include "ir/loop.h"
#include "ir/number.h"
#include "ir/reshard.h"

const mw_graph *mw_scan_body(const mw_op *op)
{
    return mw_op_attr(op, "body")->body;
}

int mw_scan_carries(const mw_op *op)
{
    return (int)mw_op_attr_int(op, "carries", 0);
}

// A placed op says how many are scanned; in a named one they have letter 0.
bool mw_scan_is_scanned(const mw_op *op, int in)
{
    int carries = mw_scan_carries(op);
    const mw_attr *scans = mw_op_attr(op, "scans");
    if (scans)
        return in >= carries && in < carries + scans->i[0];
    return in >= carries && mw_op_attr(op, "dim") && op->in[in].letter[0] == 0;
}

/* The block of each of the body's dimensions. */
typedef struct blocks {
    mw_span dim[MW_BODY_DIMS];
} blocks;

static blocks whole_blocks(const mw_graph *body)
{
    blocks b = {.dim = {{0, 0}}};
    for (mw_id d = 0; d < body->n_dims; d++)
        b.dim[d] = (mw_span){0, body->dim[d].size};
    return b;
}

static mw_view view_of(const mw_tensor *tensor, const blocks *b)
{
    mw_view view = {.dtype = tensor->dtype, .rank = tensor->rank};
    for (int a = 0; a < tensor->rank; a++) {
        mw_id dim = tensor->axis[a].dim;
        mw_span span = {0, tensor->axis[a].size};
        if (dim != MW_NONE)
            span = b->dim[dim];
        view.start[a] = span.lo;
        view.size[a] = span.hi - span.lo;
        view.whole[a] = tensor->axis[a].size;
    }
    return view;
}

static int64_t view_bytes(const mw_view *view)
{
    return mw_view_elements(view) * mw_dtype_bytes(view->dtype);
}

static int most_operands(const mw_graph *body)
{
    int most = 0;
    for (int k = 0; k < body->n_ops; k++) {
        int n = body->op[k].n_in + body->op[k].n_out;
        most = n > most ? n : most;
    }
    return most;
}

// The largest room of an op of the body.
static int64_t kernel_room(const mw_graph *body, const blocks *b)
{
    int64_t most = 0;
    for (int k = 0; k < body->n_ops; k++) {
        const mw_op *op = &body->op[k];
        int64_t extent[MW_MAX_LETTERS];
        for (int l = 0; l < op->n_letters; l++) {
            mw_id dim = op->letter[l].dim;
            extent[l] = dim == MW_NONE ? op->letter[l].size
                                       : b->dim[dim].hi - b->dim[dim].lo;
        }
        int64_t room =
            op->def->workspace ? op->def->workspace(body, op, extent) : 0;
        most = room > most ? room : most;
    }
    return mw_aligned(most);
}

/* Where things lie in the room. */
typedef struct room {
    mw_view *view;   /* of each of the body's tensors */
    mw_view *call;   /* operands of one op */
    void *kernel;    /* of the body's ops */
    char **carry[2]; /* each carry's value now, and at the next step */
    char *end;
    int64_t kernel_bytes;
} room;

static void *take(char **at, int64_t bytes)
{
    void *found = *at;
    *at += mw_aligned(bytes);
    return found;
}

static int64_t array_bytes(int n, size_t size)
{
    return (int64_t)n * (int64_t)size;
}

// Adds up from `base`, which is NULL to ask for the size alone.
static int64_t views_bytes(const mw_graph *body)
{
    return mw_aligned(array_bytes(body->n_tensors, sizeof(mw_view))) +
           mw_aligned(array_bytes(most_operands(body), sizeof(mw_view)));
}

static int64_t slots_bytes(const mw_graph *body, const blocks *b, int carries)
{
    int64_t total = 2 * mw_aligned(array_bytes(carries, sizeof(char *)));
    int n = 0;
    for (mw_id t = 0; t < body->n_tensors; t++) {
        mw_view view = view_of(&body->tensor[t], b);
        bool input = body->tensor[t].role == MW_ROLE_INPUT;
        int64_t slots = !input ? 1 : n < carries ? 2 : 0;
        n += input;
        total += slots * mw_aligned(view_bytes(&view));
    }
    return total;
}

static mw_id body_dim(const mw_graph *body, const mw_graph *graph, mw_id dim)
{
    return dim == MW_NONE ? MW_NONE
                          : mw_graph_find_dim(body, graph->dim[dim].name);
}

int64_t mw_scan_room(const mw_graph *graph, const mw_op *op,
                     const int64_t extent[MW_MAX_LETTERS])
{
    const mw_graph *body = mw_scan_body(op);
    blocks b = whole_blocks(body);
    for (int l = 0; l < op->n_letters; l++) {
        mw_id dim = body_dim(body, graph, op->letter[l].dim);
        if (dim != MW_NONE)
            b.dim[dim].hi = extent[l];
    }
    return views_bytes(body) + slots_bytes(body, &b, mw_scan_carries(op)) +
           kernel_room(body, &b);
}

/* One run. */
typedef struct run {
    const mw_scan_call *call;
    const mw_graph *body;
    int carries;
    room at;
    blocks blocks;
} run;

// Blocks as the operands show them.
static void read_blocks(run *r)
{
    int i = 0;
    r->blocks = whole_blocks(r->body);
    for (mw_id t = 0; t < r->body->n_tensors; t++) {
        const mw_tensor *tensor = &r->body->tensor[t];
        if (tensor->role != MW_ROLE_INPUT)
            continue;
        const mw_view *view = &r->call->in[i];
        int skip = mw_scan_is_scanned(r->call->op, i);
        for (int a = 0; a < tensor->rank; a++) {
            mw_id dim = tensor->axis[a].dim;
            int64_t start = view->start[a + skip];
            if (dim != MW_NONE)
                r->blocks.dim[dim] =
                    (mw_span){start, start + view->size[a + skip]};
        }
        i++;
    }
}

static void put_const(const mw_tensor *tensor, const mw_view *view)
{
    if (tensor->data.kind == MW_DATA_MEMORY) {
        if (view_bytes(view) > 0)
            memcpy(view->data, tensor->data.bytes, (size_t)view_bytes(view));
        return;
    }
    mw_number value = mw_number_cast((mw_number){.f = tensor->data.fill},
                                     MW_F64, tensor->dtype);
    for (int64_t i = 0; i < mw_view_elements(view); i++)
        mw_numbers_store(tensor->dtype, view->data, i, 1, 1, &value);
}

static void copy(void *to, const void *from, int64_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, (size_t)bytes);
}

static void lay_out(run *r)
{
    const mw_graph *body = r->body;
    char *at = r->call->room;
    int i = 0;
    read_blocks(r);
    r->at.view = take(&at, array_bytes(body->n_tensors, sizeof(mw_view)));
    r->at.call = take(&at, array_bytes(most_operands(body), sizeof(mw_view)));
    for (int k = 0; k < 2; k++)
        r->at.carry[k] = take(&at, array_bytes(r->carries, sizeof(char *)));
    for (mw_id t = 0; t < body->n_tensors; t++) {
        mw_view *view = &r->at.view[t];
        *view = view_of(&body->tensor[t], &r->blocks);
        bool input = body->tensor[t].role == MW_ROLE_INPUT;
        if (!input)
            view->data = take(&at, view_bytes(view));
        for (int k = 0; input && i < r->carries && k < 2; k++)
            r->at.carry[k][i] = take(&at, view_bytes(view));
        if (body->tensor[t].role == MW_ROLE_CONST)
            put_const(&body->tensor[t], view);
        if (input && i < r->carries)
            copy(r->at.carry[0][i], r->call->in[i].data, view_bytes(view));
        i += input;
    }
    r->at.kernel_bytes = kernel_room(body, &r->blocks);
    r->at.kernel = take(&at, r->at.kernel_bytes);
}

// Where each input lies at step t.
static void point_inputs(run *r, int64_t t)
{
    int i = 0;
    for (mw_id id = 0; id < r->body->n_tensors; id++) {
        mw_view *view = &r->at.view[id];
        if (r->body->tensor[id].role != MW_ROLE_INPUT)
            continue;
        char *data = r->call->in[i].data;
        if (i < r->carries)
            data = r->at.carry[0][i];
        else if (mw_scan_is_scanned(r->call->op, i))
            data += t * view_bytes(view);
        view->data = data;
        i++;
    }
}

static void run_op(run *r, const mw_op *op)
{
    mw_view *in = r->at.call, *out = in + op->n_in;
    for (int i = 0; i < op->n_in; i++)
        in[i] = r->at.view[op->in[i].tensor];
    for (int i = 0; i < op->n_out; i++)
        out[i] = r->at.view[op->out[i].tensor];
    r->call->kernel(r->call->arg, op, in, out, r->at.kernel,
                    r->at.kernel_bytes);
}

// Results go to the next carries, or to step t of what is stacked.
static void take_results(run *r, int64_t t)
{
    for (int i = 0; i < r->body->n_results; i++) {
        const mw_view *view = &r->at.view[r->body->result[i]];
        int64_t bytes = view_bytes(view);
        char *to = i < r->carries ? r->at.carry[1][i]
                                  : (char *)r->call->out[i].data + t * bytes;
        copy(to, view->data, bytes);
    }
    char **next = r->at.carry[1];
    r->at.carry[1] = r->at.carry[0];
    r->at.carry[0] = next;
}

static int64_t steps_of(const mw_scan_call *call)
{
    const mw_attr *count = mw_op_attr(call->op, "count");
    if (count)
        return count->i[0];
    for (int i = 0; i < call->op->n_in; i++)
        if (mw_scan_is_scanned(call->op, i))
            return call->in[i].size[0];
    return call->out[call->op->n_out - 1].size[0];
}

void mw_scan_run(const mw_scan_call *call)
{
    run r = {.call = call,
             .body = mw_scan_body(call->op),
             .carries = mw_scan_carries(call->op)};
    int64_t n = steps_of(call);
    bool reverse = mw_op_attr_int(call->op, "reverse", 0) != 0;
    lay_out(&r);
    for (int64_t step = 0; step < n; step++) {
        int64_t t = reverse ? n - 1 - step : step;
        point_inputs(&r, t);
        for (int k = 0; k < r.body->n_ops; k++)
            run_op(&r, &r.body->op[k]);
        take_results(&r, t);
    }
    for (int i = 0; i < r.carries; i++)
        copy(call->out[i].data, r.at.carry[0][i], view_bytes(&call->out[i]));
}
