/* recurrent.c - RNN, GRU and LSTM, on `scan`. What does not depend on the step
 * before (the input's share of all gates, for all steps) is one contraction
 * outside. */
#include <string.h>
#include <strings.h>

#include "ir/fold.h"
#include "ir/import/build.h"
#include "ir/import/emit.h"
#include "ir/import/inner.h"
#include "ir/import/quantized.h"

enum { MAX_GATES = 4, MAX_SIDES = 10 };

/* What the cells differ in: how many gates there are, and what a step does. */
struct stepper;

typedef struct cell_kind {
    const char *op;
    int gates, carries, functions;
    const char *defaults[3];
    void (*step)(struct stepper *s);
    bool meets; /* the state is added to what is made of it */
} cell_kind;

typedef struct activation {
    const struct function *def;
    double alpha, beta;
} activation;

/* One direction of one node. */
typedef struct layer {
    mw_onnx_call *call;
    const cell_kind *cell;
    mw_id x, w, r, b, p; /* p: peepholes */
    mw_id carry[2];
    int64_t steps, batch, hidden;
    bool reverse;
    bool reset_after; /* GRU: linear_before_reset */
    bool coupled;     /* LSTM: input_forget */
    bool quantized;   /* states meet weights as integers of 8 bits */
    mw_id runs;       /* [steps, batch, 1]: the sequence has the step; or
                         MW_NONE */
    mw_id some;       /* [batch, 1]: it has any; or MW_NONE */
    activation function[3];
    double clip;
} layer;

/* The body of a step being written. */
typedef struct stepper {
    const layer *layer;
    mw_graph *body;
    mw_status status;
    mw_id carry[2], next[2];
    mw_id runs;        /* [batch, 1]; or MW_NONE */
    mw_id xw;          /* [gates, batch, hidden], with the biases of W */
    mw_id r;           /* [gates, hidden, hidden] */
    mw_id rb;          /* [gates, 1, hidden], biases of R; or MW_NONE */
    mw_id peephole[3]; /* [hidden]; or MW_NONE */
} stepper;

/* ---- in the body ---- */

static mw_id inner(stepper *s, const char *def, const mw_id in[], int n,
                   const mw_attr attr[], int n_attr)
{
    mw_id out = MW_NONE;
    if (s->status != MW_OK)
        return MW_NONE;
    const char *name =
        mw_arena_format(s->body->arena, "%s.%d", def, s->body->n_tensors);
    if (!name) {
        s->status = MW_ENOMEM;
        return MW_NONE;
    }
    s->status = mw_graph_place(s->body,
                               &(mw_op_spec){.def = def,
                                             .n_in = n,
                                             .n_out = 1,
                                             .in = in,
                                             .out_names = &name,
                                             .n_attr = n_attr,
                                             .attr = attr},
                               &out);
    return out;
}

static mw_id inner1(stepper *s, const char *def, mw_id a)
{
    return inner(s, def, &a, 1, NULL, 0);
}

static mw_id inner2(stepper *s, const char *def, mw_id a, mw_id b)
{
    return inner(s, def, (mw_id[]){a, b}, 2, NULL, 0);
}

static mw_id inner_number(stepper *s, double value)
{
    mw_id id = MW_NONE;
    if (s->status != MW_OK)
        return MW_NONE;
    const char *name =
        mw_arena_format(s->body->arena, "number.%d", s->body->n_tensors);
    mw_dtype dtype = s->body->tensor[s->xw].dtype;
    s->status =
        name ? mw_graph_tensor(
                   s->body,
                   &(mw_tensor){.name = name,
                                .dtype = dtype,
                                .role = MW_ROLE_CONST,
                                .data = {.kind = MW_DATA_FILL, .fill = value}},
                   &id)
             : MW_ENOMEM;
    return id;
}

static mw_id inner_einsum(stepper *s, const char *spec, mw_id a, mw_id b)
{
    const mw_attr attr = {.name = "spec", .kind = MW_ATTR_TEXT, .text = spec};
    return inner(s, "einsum", (mw_id[]){a, b}, 2, &attr, 1);
}

/* Gate g of [gates, ...], without that axis. */
static mw_id gate(stepper *s, mw_id all, int64_t g)
{
    static const int64_t axis = 0, step = 1, count = 1;
    const mw_attr slice[] = {
        {.name = "axis", .kind = MW_ATTR_INT, .n = 1, .i = &axis},
        {.name = "start", .kind = MW_ATTR_INT, .n = 1, .i = &g},
        {.name = "step", .kind = MW_ATTR_INT, .n = 1, .i = &step},
        {.name = "count", .kind = MW_ATTR_INT, .n = 1, .i = &count}};
    mw_id cut = inner(s, "slice", &all, 1, slice, 4);
    if (s->status != MW_OK)
        return MW_NONE;
    int64_t shape[MW_MAX_RANK];
    const mw_tensor *tensor = &s->body->tensor[cut];
    int rank = tensor->rank - 1;
    for (int a = 0; a < rank; a++)
        shape[a] = tensor->axis[a + 1].size;
    const mw_attr to = {
        .name = "shape", .kind = MW_ATTR_INTS, .n = rank, .i = shape};
    return inner(s, "reshape", &cut, 1, &to, 1);
}

static mw_id clipped(stepper *s, mw_id x)
{
    double clip = s->layer->clip;
    if (clip <= 0)
        return x;
    x = inner2(s, "min", x, inner_number(s, clip));
    return inner2(s, "max", x, inner_number(s, -clip));
}

/* ---- activation functions ---- */

static mw_id by(stepper *s, const char *def, mw_id x, double number)
{
    return inner2(s, def, x, inner_number(s, number));
}

static mw_id affine(stepper *s, mw_id x, double alpha, double beta)
{
    return by(s, "add", by(s, "mul", x, alpha), beta);
}

static mw_id choose(stepper *s, mw_id condition, mw_id a, mw_id b)
{
    return inner(s, "where", (mw_id[]){condition, a, b}, 3, NULL, 0);
}

static mw_id sigmoid(stepper *s, mw_id x, double alpha, double beta)
{
    (void)alpha;
    (void)beta;
    return inner1(s, "sigmoid", x);
}

static mw_id hyperbolic(stepper *s, mw_id x, double alpha, double beta)
{
    (void)alpha;
    (void)beta;
    return inner1(s, "tanh", x);
}

static mw_id relu(stepper *s, mw_id x, double alpha, double beta)
{
    (void)alpha;
    (void)beta;
    return inner1(s, "relu", x);
}

static mw_id leaky_relu(stepper *s, mw_id x, double alpha, double beta)
{
    (void)beta;
    return choose(s, by(s, "less", x, 0.0), by(s, "mul", x, alpha), x);
}

static mw_id thresholded(stepper *s, mw_id x, double alpha, double beta)
{
    (void)beta;
    return choose(s, by(s, "greater", x, alpha), x, inner_number(s, 0.0));
}

static mw_id scaled_tanh(stepper *s, mw_id x, double alpha, double beta)
{
    return by(s, "mul", inner1(s, "tanh", by(s, "mul", x, beta)), alpha);
}

static mw_id hard_sigmoid(stepper *s, mw_id x, double alpha, double beta)
{
    return by(s, "max", by(s, "min", affine(s, x, alpha, beta), 1.0), 0.0);
}

static mw_id elu(stepper *s, mw_id x, double alpha, double beta)
{
    (void)beta;
    mw_id below = by(s, "mul", inner1(s, "expm1", by(s, "min", x, 0.0)), alpha);
    return choose(s, by(s, "less", x, 0.0), below, x);
}

static mw_id softsign(stepper *s, mw_id x, double alpha, double beta)
{
    (void)alpha;
    (void)beta;
    return inner2(s, "div", x, by(s, "add", inner1(s, "abs", x), 1.0));
}

/* log(1 + exp(x)), of large x too. */
static mw_id softplus(stepper *s, mw_id x, double alpha, double beta)
{
    (void)alpha;
    (void)beta;
    mw_id small = inner1(s, "exp", inner1(s, "neg", inner1(s, "abs", x)));
    return inner2(s, "add", inner1(s, "relu", x), inner1(s, "log1p", small));
}

/* The number of values that a function takes of activation_alpha and _beta,
 * and what they are when there are none left. */
static const struct function {
    const char *name;
    int n_alpha, n_beta;
    double alpha, beta;
    mw_id (*apply)(stepper *s, mw_id x, double alpha, double beta);
} functions[] = {
    {"Sigmoid", 0, 0, 0.0, 0.0, sigmoid},
    {"Tanh", 0, 0, 0.0, 0.0, hyperbolic},
    {"Relu", 0, 0, 0.0, 0.0, relu},
    {"Affine", 1, 1, 1.0, 0.0, affine},
    {"LeakyRelu", 1, 0, 0.01, 0.0, leaky_relu},
    {"ThresholdedRelu", 1, 0, 1.0, 0.0, thresholded},
    {"ScaledTanh", 1, 1, 1.0, 1.0, scaled_tanh},
    {"HardSigmoid", 1, 1, 0.2, 0.5, hard_sigmoid},
    {"Elu", 1, 0, 1.0, 0.0, elu},
    {"Softsign", 0, 0, 0.0, 0.0, softsign},
    {"Softplus", 0, 0, 0.0, 0.0, softplus},
    {0},
};

static mw_id apply(stepper *s, int i, mw_id x)
{
    const activation *f = &s->layer->function[i];
    return f->def->apply(s, x, f->alpha, f->beta);
}

static mw_id activate(stepper *s, int i, mw_id x)
{
    return apply(s, i, clipped(s, x));
}

static mw_id plus(stepper *s, mw_id a, mw_id b)
{
    return b == MW_NONE ? a : inner2(s, "add", a, b);
}

static mw_id of_row(stepper *s, const char *def, mw_id x)
{
    static const int64_t axis = 1, keep = 1;
    const mw_attr attr[] = {
        {.name = "axes", .kind = MW_ATTR_INTS, .n = 1, .i = &axis},
        {.name = "keep", .kind = MW_ATTR_INT, .n = 1, .i = &keep}};
    return inner(s, def, &x, 1, attr, 2);
}

/* x [batch, hidden] as 8 bits hold it, by the range of each row, with 0. (ONNX
 * Runtime has a range for as many rows as a thread of it takes.) */
static mw_id rounded(stepper *s, mw_id x)
{
    mw_id low = by(s, "min", of_row(s, "reduce_min", x), 0.0);
    mw_id high = by(s, "max", of_row(s, "reduce_max", x), 0.0);
    mw_id range = inner2(s, "sub", high, low);
    range = choose(s, by(s, "equal", range, 0.0), inner_number(s, 1.0), range);
    mw_id scale = by(s, "div", range, 255.0);
    mw_id zero =
        inner1(s, "round", inner2(s, "div", inner1(s, "neg", low), scale));
    mw_id q = inner1(s, "round", inner2(s, "div", x, scale));
    q = inner2(s, "add", q, zero);
    q = by(s, "max", by(s, "min", q, 255.0), 0.0);
    return inner2(s, "mul", inner2(s, "sub", q, zero), scale);
}

/* Of all gates: the state's share, with its biases. The state is renamed where
 * it is contracted, if it also meets what the contraction makes. */
static mw_id recurrent(stepper *s, mw_id state)
{
    if (s->layer->cell->meets || s->runs != MW_NONE)
        state = inner1(s, "rename", state);
    if (s->layer->quantized)
        state = rounded(s, state);
    return plus(s, inner_einsum(s, "bk,ghk->gbh", state, s->r), s->rb);
}

static void rnn_step(stepper *s)
{
    mw_id z = inner2(s, "add", s->xw, recurrent(s, s->carry[0]));
    s->next[0] = activate(s, 0, gate(s, z, 0));
}

static mw_id peep(stepper *s, mw_id z, int i, mw_id cell)
{
    if (s->peephole[i] == MW_NONE)
        return z;
    return inner2(s, "add", z, inner2(s, "mul", s->peephole[i], cell));
}

/* Gates i, o, f, c. As in ONNX Runtime they are clipped, the cell is not. */
static void lstm_step(stepper *s)
{
    mw_id before = s->carry[1];
    mw_id z = inner2(s, "add", s->xw, recurrent(s, s->carry[0]));
    mw_id i = activate(s, 0, peep(s, gate(s, z, 0), 0, before));
    mw_id f = s->layer->coupled
                  ? inner2(s, "sub", inner_number(s, 1.0), i)
                  : activate(s, 0, peep(s, gate(s, z, 2), 2, before));
    mw_id c = activate(s, 1, gate(s, z, 3));
    mw_id cell =
        inner2(s, "add", inner2(s, "mul", f, before), inner2(s, "mul", i, c));
    mw_id o = activate(s, 0, peep(s, gate(s, z, 1), 1, cell));
    s->next[0] = inner2(s, "mul", o, apply(s, 2, cell));
    s->next[1] = cell;
}

/* Gates z, r, h. */
static void gru_step(stepper *s)
{
    mw_id before = s->carry[0];
    mw_id share = recurrent(s, before), rh;
    mw_id z =
        activate(s, 0, inner2(s, "add", gate(s, s->xw, 0), gate(s, share, 0)));
    mw_id r =
        activate(s, 0, inner2(s, "add", gate(s, s->xw, 1), gate(s, share, 1)));
    if (s->layer->reset_after) {
        rh = inner2(s, "mul", r, gate(s, share, 2));
    } else {
        rh = gate(s, recurrent(s, inner2(s, "mul", r, before)), 2);
    }
    mw_id h = activate(s, 1, inner2(s, "add", gate(s, s->xw, 2), rh));
    mw_id kept = inner2(s, "mul", z, before);
    mw_id one = inner_number(s, 1);
    mw_id fresh = inner2(s, "mul", inner2(s, "sub", one, z), h);
    s->next[0] = inner2(s, "add", fresh, kept);
}

static const cell_kind cells[] = {
    {"RNN", 1, 1, 1, {"Tanh"}, rnn_step, false},
    {"GRU", 3, 1, 2, {"Sigmoid", "Tanh"}, gru_step, true},
    {"LSTM", 4, 2, 3, {"Sigmoid", "Tanh", "Tanh"}, lstm_step, false},
};

/* ---- around it ---- */

/* The body's input of an operand of the scan. */
static mw_id body_input(stepper *s, const char *name, mw_id outer, int skip)
{
    mw_tensor tensor = *mw_emit_tensor(s->layer->call, outer);
    mw_id id = MW_NONE;
    if (s->status != MW_OK)
        return MW_NONE;
    tensor.name = name;
    tensor.role = MW_ROLE_INPUT;
    tensor.output = false;
    tensor.data = (mw_data){.kind = MW_DATA_NONE};
    tensor.rank -= skip;
    memmove(tensor.axis, tensor.axis + skip,
            (size_t)tensor.rank * sizeof tensor.axis[0]);
    s->status = mw_graph_tensor(s->body, &tensor, &id);
    return id;
}

typedef struct sides {
    int n;
    mw_id in[MAX_SIDES];
} sides;

/* What a step makes, or where the sequence has no such step the state before,
 * and zeros for the output. */
static mw_id kept(stepper *s, mw_id made, mw_id before)
{
    if (s->runs == MW_NONE)
        return made;
    return choose(s, s->runs, made,
                  before == MW_NONE ? inner_number(s, 0.0) : before);
}

static mw_status write_body(stepper *s, const char *name, mw_id xw, mw_id rb,
                            sides *operands)
{
    static const char *const carry[] = {"h", "c"};
    static const char *const peephole[] = {"p.i", "p.o", "p.f"};
    const layer *l = s->layer;
    MW_TRY(mw_graph_init(s->body, l->call->graph->arena, name));
    for (int i = 0; i < l->cell->carries; i++) {
        operands->in[operands->n++] = l->carry[i];
        s->carry[i] = body_input(s, carry[i], l->carry[i], 0);
    }
    operands->in[operands->n++] = xw;
    s->xw = body_input(s, "x", xw, 1);
    s->runs = MW_NONE;
    if (l->runs != MW_NONE) {
        operands->in[operands->n++] = l->runs;
        s->runs = body_input(s, "runs", l->runs, 1);
    }
    operands->in[operands->n++] = l->r;
    s->r = body_input(s, "r", l->r, 0);
    s->rb = MW_NONE;
    if (rb != MW_NONE) {
        operands->in[operands->n++] = rb;
        s->rb = body_input(s, "rb", rb, 0);
    }
    for (int i = 0; i < 3; i++) {
        s->peephole[i] = MW_NONE;
        if (l->p == MW_NONE)
            continue;
        mw_id row = mw_emit_squeeze(
            l->call, mw_emit_slice(l->call, l->p, 0, i, 1, 1), 0);
        operands->in[operands->n++] = row;
        s->peephole[i] = body_input(s, peephole[i], row, 0);
    }
    MW_TRY(l->call->status);
    l->cell->step(s);
    int n = l->cell->carries + 1;
    s->body->result = MW_NEW_ARRAY(s->body->arena, n, mw_id);
    if (!s->body->result)
        return MW_ENOMEM;
    for (int i = 0; i < l->cell->carries; i++)
        s->body->result[i] = kept(s, s->next[i], s->carry[i]);
    s->body->result[n - 1] = kept(s, s->next[0], MW_NONE);
    s->body->n_results = n;
    return s->status;
}

/* Biases of W, and of R, as [gates, 1, hidden]; W's for all steps. */
static void split_bias(layer *l, mw_id *wb, mw_id *rb)
{
    const int64_t shape[] = {l->cell->gates, 1, l->hidden};
    int64_t n = l->cell->gates * l->hidden;
    *wb = *rb = MW_NONE;
    if (l->b == MW_NONE)
        return;
    *wb = mw_emit_reshape(l->call, mw_emit_slice(l->call, l->b, 0, 0, 1, n),
                          shape, 3);
    *rb = mw_emit_reshape(l->call, mw_emit_slice(l->call, l->b, 0, n, 1, n),
                          shape, 3);
}

/* Names that no tensor has; the body is called by the first. */
static mw_status name_results(const layer *l, int n, const char *name[3])
{
    for (int i = 0; i < n; i++) {
        const char *base =
            mw_arena_format(l->call->arena, "%s.%s%d", l->call->label,
                            l->reverse ? "back" : "state", i);
        name[i] = base ? mw_build_name(l->call->build, base) : NULL;
        if (!name[i])
            return MW_ENOMEM;
    }
    return MW_OK;
}

/* out: the carries after all steps, then [steps, batch, hidden]. */
static mw_status run_layer(layer *l, mw_id out[3])
{
    mw_onnx_call *call = l->call;
    mw_id wb, rb;
    split_bias(l, &wb, &rb);
    mw_id xw = mw_emit_einsum(call, "tbi,ghi->tgbh", (mw_id[]){l->x, l->w}, 2);
    if (wb != MW_NONE)
        xw = mw_emit2(call, "add", xw, wb);
    MW_TRY(call->status);
    int n = l->cell->carries + 1;
    const char *names[3];
    MW_TRY(name_results(l, n, names));
    const char *base = mw_arena_format(call->arena, "%s.step", names[0]);
    const char *name = base ? mw_inner_name(call->build, base) : NULL;
    stepper s = {.layer = l, .body = MW_NEW(call->graph->arena, mw_graph)};
    sides operands = {.n = 0};
    if (!name || !s.body)
        return MW_ENOMEM;
    MW_TRY(write_body(&s, name, xw, rb, &operands));
    const int64_t carries = l->cell->carries, reverse = l->reverse;
    const int64_t scans = l->runs == MW_NONE ? 1 : 2;
    const mw_attr attr[] = {
        {.name = "body", .kind = MW_ATTR_BODY, .body = s.body},
        {.name = "carries", .kind = MW_ATTR_INT, .n = 1, .i = &carries},
        {.name = "scans", .kind = MW_ATTR_INT, .n = 1, .i = &scans},
        {.name = "reverse", .kind = MW_ATTR_INT, .n = 1, .i = &reverse}};
    return mw_graph_place(call->graph,
                          &(mw_op_spec){.def = "scan",
                                        .name = call->label,
                                        .n_in = operands.n,
                                        .n_out = n,
                                        .in = operands.in,
                                        .out_names = names,
                                        .n_attr = 4,
                                        .attr = attr},
                          out);
}

/* ---- the node ---- */

static mw_id direction_of(mw_onnx_call *call, mw_id x, int64_t d)
{
    if (x == MW_NONE)
        return MW_NONE;
    return mw_emit_squeeze(call, mw_emit_slice(call, x, 0, d, 1, 1), 0);
}

/* The state before the first step: [directions, batch, hidden], or zeros. */
static mw_id first_state(layer *l, int input, int64_t d, bool batch_first)
{
    static const int64_t swap[] = {1, 0, 2};
    mw_onnx_call *call = l->call;
    mw_id given = mw_onnx_in(call, input);
    if (given != MW_NONE && batch_first)
        given = mw_emit_transpose(call, given, swap);
    if (given != MW_NONE)
        return direction_of(call, given, d);
    const int64_t shape[] = {l->batch, l->hidden};
    return mw_emit_broadcast(call, mw_emit_like(call, l->x, 0), shape, 2);
}

static const struct function *find_function(mw_onnx_call *call,
                                            const char *name)
{
    for (const struct function *f = functions; f->name; f++)
        if (strcasecmp(f->name, name) == 0)
            return f;
    (void)mw_onnx_refuse(call, "activation '%s' is not known", name);
    return NULL;
}

/* The next value of a list, which functions take from in their order. */
static double next_of(const mw_onnx_attr *list, int *at, int n,
                      double otherwise)
{
    if (n == 0 || !list || *at >= list->n_floats)
        return otherwise;
    return (double)list->floats[(*at)++];
}

static mw_status read_functions(layer *l, int64_t d)
{
    const mw_onnx_attr *given = mw_onnx_attr_find(l->call, "activations");
    const mw_onnx_attr *alpha = mw_onnx_attr_find(l->call, "activation_alpha");
    const mw_onnx_attr *beta = mw_onnx_attr_find(l->call, "activation_beta");
    int n = l->cell->functions, at_alpha = 0, at_beta = 0;
    const int64_t wanted = (d + 1) * n;
    if (given && given->n_texts < wanted)
        return mw_onnx_refuse(l->call, "%lld activations, wanted %lld",
                              (long long)given->n_texts, (long long)wanted);
    for (int i = 0; i < wanted; i++) {
        const char *name = given ? given->texts[i] : l->cell->defaults[i % n];
        const struct function *def = find_function(l->call, name);
        if (!def)
            return l->call->status;
        activation *f = &l->function[i % n];
        *f = (activation){
            .def = def,
            .alpha = next_of(alpha, &at_alpha, def->n_alpha, def->alpha),
            .beta = next_of(beta, &at_beta, def->n_beta, def->beta)};
    }
    return MW_OK;
}

/* Where sequences have less than all steps, or it is not known. */
static mw_status read_lengths(layer *l)
{
    mw_onnx_call *call = l->call;
    l->runs = l->some = MW_NONE;
    if (!mw_onnx_has(call, 4))
        return MW_OK;
    if (mw_emit_rank(call, call->in[4]) != 1 ||
        mw_emit_size(call, call->in[4], 0) != l->batch)
        return mw_onnx_refuse(call, "sequence_lens has not %lld elements",
                              (long long)l->batch);
    bool shorter = !mw_fold_known(call->graph, call->in[4]);
    bool empty = shorter;
    mw_onnx_list known = {0};
    if (!shorter)
        known = mw_onnx_in_ints(call, 4);
    MW_TRY(call->status);
    for (int i = 0; i < known.n; i++) {
        if (known.v[i] < 0 || known.v[i] > l->steps)
            return mw_onnx_refuse(call,
                                  "a sequence has %lld steps, wanted 0 to %lld",
                                  (long long)known.v[i], (long long)l->steps);
        shorter = shorter || known.v[i] < l->steps;
        empty = empty || known.v[i] == 0;
    }
    if (!shorter)
        return MW_OK;
    const int64_t shape[] = {1, l->batch, 1};
    mw_id length = mw_emit_reshape(
        call, mw_emit_cast(call, call->in[4], MW_I64), shape, 3);
    l->runs =
        mw_emit2(call, "less", mw_emit_iota(call, l->steps, 0, 3), length);
    if (empty)
        l->some =
            mw_emit_squeeze(call, mw_emit_by(call, "greater", length, 0.0), 0);
    return call->status;
}

/* The last state of a sequence without steps is 0, whatever the first was. */
static void clear_empty(const layer *l, mw_id state[])
{
    for (int i = 0; i < l->cell->carries && l->some != MW_NONE; i++)
        state[i] = mw_emit_where(l->call, l->some, state[i],
                                 mw_emit_like(l->call, state[i], 0.0));
}

/* Weights of a direction: [gates hidden, ...]. Quantized ones stand the other
 * way round, and have a scale and a zero point a tensor or a column. */
static mw_id weights_of(const layer *l, int input, int scale, int64_t d)
{
    static const int64_t swap[] = {1, 0};
    mw_onnx_call *call = l->call;
    mw_id w = direction_of(call, call->in[input], d);
    if (!l->quantized)
        return w;
    if (!mw_onnx_has(call, scale) || !mw_onnx_has(call, scale + 1)) {
        (void)mw_onnx_refuse(call, "input %d or %d is left out", scale,
                             scale + 1);
        return MW_NONE;
    }
    w = mw_emit_cast(call, w, MW_F32);
    mw_id zero = direction_of(call, call->in[scale + 1], d);
    w = mw_emit2(call, "sub", w, mw_emit_cast(call, zero, MW_F32));
    w = mw_emit2(call, "mul", w, direction_of(call, call->in[scale], d));
    return mw_emit_transpose(call, w, swap);
}

static mw_status read_layer(layer *l, int64_t d, bool batch_first)
{
    mw_onnx_call *call = l->call;
    int64_t gates = l->cell->gates;
    l->w = weights_of(l, 1, 8, d);
    l->r = weights_of(l, 2, 10, d);
    l->b = direction_of(call, mw_onnx_in(call, 3), d);
    l->p = l->cell->carries == 2 ? direction_of(call, mw_onnx_in(call, 7), d)
                                 : MW_NONE;
    l->hidden = mw_emit_size(call, l->r, 1);
    MW_TRY(call->status);
    const int64_t rows = gates * l->hidden;
    if (mw_emit_size(call, l->w, 0) != rows ||
        mw_emit_size(call, l->r, 0) != rows)
        return mw_onnx_refuse(
            call, "weights have %lld and %lld rows, wanted %lld",
            (long long)mw_emit_size(call, l->w, 0),
            (long long)mw_emit_size(call, l->r, 0), (long long)rows);
    const int64_t w[] = {gates, l->hidden, mw_emit_size(call, l->w, 1)};
    const int64_t r[] = {gates, l->hidden, l->hidden};
    l->w = mw_emit_reshape(call, l->w, w, 3);
    l->r = mw_emit_reshape(call, l->r, r, 3);
    if (l->p != MW_NONE) {
        const int64_t p[] = {3, l->hidden};
        l->p = mw_emit_reshape(call, l->p, p, 2);
    }
    l->carry[0] = first_state(l, 5, d, batch_first);
    if (l->cell->carries == 2)
        l->carry[1] = first_state(l, 6, d, batch_first);
    MW_TRY(read_functions(l, d));
    return call->status;
}

/* What the attributes say of the sizes of the weights must be so. */
static mw_status check_sizes(const layer *l, int64_t directions)
{
    mw_onnx_call *call = l->call;
    int64_t hidden = mw_emit_size(call, call->in[2], l->quantized ? 1 : 2);
    int64_t said = mw_onnx_int(call, "hidden_size", hidden);
    for (int i = 1; i <= 2; i++) {
        int64_t held = mw_emit_size(call, call->in[i], 0);
        if (call->status == MW_OK && held != directions)
            return mw_onnx_refuse(call,
                                  "input %d holds %lld directions, wanted %lld",
                                  i, (long long)held, (long long)directions);
    }
    if (call->status == MW_OK && said != hidden)
        return mw_onnx_refuse(call, "hidden_size is %lld, input 2 has %lld",
                              (long long)said, (long long)hidden);
    return call->status;
}

/* The outputs of all directions, on an axis of their own. */
static mw_status set_outputs(mw_onnx_call *call, mw_id made[2][3], int n,
                             int carries, bool batch_first)
{
    static const int64_t swap_y[] = {2, 0, 1, 3}, swap_h[] = {1, 0, 2};
    mw_id part[2];
    for (int o = 0; o <= carries; o++) {
        bool all = o == 0;
        if (!mw_emit_wanted(call, o))
            continue;
        for (int d = 0; d < n; d++)
            part[d] = mw_emit_unsqueeze(call, made[d][all ? carries : o - 1],
                                        all ? 1 : 0);
        mw_id y = mw_emit_concat(call, part, n, all ? 1 : 0);
        if (batch_first)
            y = mw_emit_transpose(call, y, all ? swap_y : swap_h);
        MW_TRY(mw_emit_set(call, o, y));
    }
    return call->status;
}

/* x as 8 bits hold it. */
static mw_id rounded_input(mw_onnx_call *call, mw_id x)
{
    mw_quantized q = mw_emit_quantize_dynamic(call, x);
    x = mw_emit2(call, "sub", mw_emit_cast(call, q.y, MW_F32),
                 mw_emit_cast(call, q.zero, MW_F32));
    return mw_emit2(call, "mul", x, q.scale);
}

static const cell_kind *find_cell(const char *op)
{
    const cell_kind *found = cells;
    while (strcmp(found->op, op) != 0)
        found++;
    return found;
}

static mw_status recur(mw_onnx_call *call)
{
    static const int64_t swap[] = {1, 0, 2};
    bool batch_first = mw_onnx_int(call, "layout", 0) != 0;
    const char *direction = mw_onnx_text(call, "direction", "forward");
    bool both = strcmp(direction, "bidirectional") == 0;
    bool back = strcmp(direction, "reverse") == 0;
    mw_id made[2][3];
    layer l = {.call = call,
               .cell = find_cell(call->rule->arg),
               .quantized = call->rule->domain != NULL,
               .x = call->in[0],
               .clip = mw_onnx_float(call, "clip", 0),
               .coupled = mw_onnx_int(call, "input_forget", 0) != 0,
               .reset_after = mw_onnx_int(call, "linear_before_reset", 0) != 0};
    if (!both && !back && strcmp(direction, "forward") != 0)
        return mw_onnx_refuse(call, "direction is '%s'", direction);
    if (mw_emit_rank(call, l.x) != 3)
        return mw_onnx_refuse(call, "the input has %d axes, wanted 3",
                              mw_emit_rank(call, l.x));
    if (batch_first)
        l.x = mw_emit_transpose(call, l.x, swap);
    if (l.quantized)
        l.x = rounded_input(call, l.x);
    l.steps = mw_emit_size(call, l.x, 0);
    l.batch = mw_emit_size(call, l.x, 1);
    MW_TRY(check_sizes(&l, both ? 2 : 1));
    MW_TRY(read_lengths(&l));
    for (int64_t d = 0; d < (both ? 2 : 1); d++) {
        l.reverse = back || d == 1;
        MW_TRY(read_layer(&l, d, batch_first));
        MW_TRY(run_layer(&l, made[d]));
        clear_empty(&l, made[d]);
    }
    return set_outputs(call, made, both ? 2 : 1, l.cell->carries, batch_first);
}

#define COMMON                                                                 \
    "activations activation_alpha activation_beta clip direction "             \
    "hidden_size layout"

static const mw_onnx_rule rules[] = {
    {"RNN", NULL, 1, 3, 6, COMMON, recur, "RNN", 0, false},
    {"GRU", NULL, 1, 3, 6, COMMON " linear_before_reset", recur, "GRU", 0,
     false},
    {"LSTM", NULL, 1, 3, 8, COMMON " input_forget", recur, "LSTM", 0, false},
    {"DynamicQuantizeLSTM", "com.microsoft", 1, 3, 12, COMMON " input_forget",
     recur, "LSTM", 0, false},
    {0},
};

const mw_onnx_def mw_onnx_recurrent = {
    .brief = "recurrent layers: a scan over the steps",
    .rules = rules,
};
