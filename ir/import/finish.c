/*
 * finish.c - copies what the outputs need from the working graph: all inputs,
 * then ops in order, each behind the weights and constants it is the first to
 * use. Tensors get the file's names; constants with the same values are one,
 * and so are weights (ties.h).
 */
#include <string.h>

#include "base/hash.h"
#include "ir/import/build.h"
#include "ir/import/ties.h"

enum { FIRST_NAMESAKE = 2 };

typedef struct finish {
    mw_onnx_build *build;
    const mw_graph *from;
    mw_graph *to;
    bool *live;        /* tensors */
    mw_id *made;       /* tensor in `to`, or MW_NONE */
    mw_twin *twin;     /* of weights */
    const char **name; /* in `to` */
    mw_map used;       /* names in `to`, see claim() */
    mw_map constants;  /* hash of the values -> tensor in `from` */
} finish;

static bool is_value(const mw_tensor *tensor)
{
    return tensor->role == MW_ROLE_VALUE;
}

static void mark_live(finish *f)
{
    for (int k = f->from->n_ops - 1; k >= 0; k--) {
        const mw_op *op = &f->from->op[k];
        bool needed = false;
        for (int i = 0; i < op->n_out; i++)
            needed |= f->live[op->out[i].tensor];
        for (int i = 0; i < op->n_in && needed; i++)
            f->live[op->in[i].tensor] = true;
    }
}

/* ---- names ---- */

/* The value of a used name is the number that its next namesake gets. */
static mw_status claim(finish *f, mw_id tensor, const char *base)
{
    const char *name = base;
    int64_t *next = mw_map_find_text(&f->used, base);
    while (name && next && mw_map_find_text(&f->used, name))
        name = mw_arena_format(f->build->arena, "%s_%lld", base,
                               (long long)(*next)++);
    if (!name)
        return MW_ENOMEM;
    f->name[tensor] = name;
    return mw_map_put_text(&f->used, name, FIRST_NAMESAKE);
}

static const char *label_of(const finish *f, mw_id tensor)
{
    return tensor < f->build->n_labels ? f->build->label[tensor] : NULL;
}

/* An output's name is the file's, exactly; so are inputs'. What the file
 * names comes before what was made up. */
static mw_status name_tensors(finish *f, const mw_onnx_output output[],
                              int64_t n)
{
    for (mw_id t = 0; t < f->from->n_tensors; t++)
        if (f->from->tensor[t].role == MW_ROLE_INPUT)
            MW_TRY(claim(f, t, f->from->tensor[t].name));
    for (int64_t i = 0; i < n; i++)
        MW_TRY(mw_map_put_text(&f->used, output[i].name, FIRST_NAMESAKE));
    for (int own = 1; own >= 0; own--)
        for (int64_t i = 0; i < n; i++) {
            mw_id t = output[i].tensor;
            const char *label = label_of(f, t);
            bool called = label && strcmp(label, output[i].name) == 0;
            if (is_value(&f->from->tensor[t]) && !f->name[t] &&
                (called || !own))
                f->name[t] = output[i].name;
        }
    for (mw_id t = 0; t < f->from->n_tensors; t++)
        if (f->live[t] && !f->name[t] && label_of(f, t))
            MW_TRY(claim(f, t, label_of(f, t)));
    for (mw_id t = 0; t < f->from->n_tensors; t++)
        if (f->live[t] && !f->name[t])
            MW_TRY(claim(f, t, f->from->tensor[t].name));
    return MW_OK;
}

/* ---- constants ---- */

static uint64_t hash_of(const mw_tensor *tensor, int64_t bytes)
{
    uint64_t hash = mw_hash_int((uint64_t)tensor->dtype, tensor->rank);
    for (int i = 0; i < tensor->rank; i++)
        hash = mw_hash_int(hash, tensor->axis[i].size);
    return mw_hash_bytes(hash, tensor->data.bytes, (size_t)bytes);
}

static bool same_values(const mw_tensor *a, const mw_tensor *b, int64_t bytes)
{
    bool same = a->dtype == b->dtype && a->rank == b->rank;
    for (int i = 0; i < a->rank && same; i++)
        same = a->axis[i].size == b->axis[i].size;
    return same && memcmp(a->data.bytes, b->data.bytes, (size_t)bytes) == 0;
}

/* The first tensor with the values of `id`. Vectors stay apart: two of them
 * often belong to different dimensions; masks and tables do not. */
static mw_status find_equal(finish *f, mw_id id, mw_id *equal)
{
    const mw_tensor *tensor = &f->from->tensor[id];
    int64_t bytes = mw_tensor_bytes(tensor);
    *equal = f->twin[id].of;
    if (tensor->role != MW_ROLE_CONST || tensor->rank < 2 || bytes == 0 ||
        bytes > MW_FOLD_CONST_BYTES || tensor->data.kind != MW_DATA_MEMORY)
        return MW_OK;
    uint64_t hash = hash_of(tensor, bytes);
    const int64_t *known = mw_map_find(&f->constants, &hash, sizeof hash);
    if (!known)
        return mw_map_put(&f->constants, &hash, sizeof hash, id);
    if (same_values(tensor, &f->from->tensor[*known], bytes))
        *equal = (mw_id)*known;
    return MW_OK;
}

/* ---- copies ---- */

static mw_status copy_stored(finish *f, mw_id id);

/* The transpose of the weight that `id` is the transpose of. */
static mw_status turn(finish *f, mw_id id)
{
    mw_id of = f->twin[id].of;
    MW_TRY(copy_stored(f, of));
    const int64_t perm[] = {1, 0};
    mw_attr attr = {.name = "perm", .kind = MW_ATTR_INTS, .n = 2, .i = perm};
    mw_op_spec spec = {.def = "transpose",
                       .name = f->name[id],
                       .n_in = 1,
                       .n_out = 1,
                       .in = &f->made[of],
                       .out_names = &f->name[id],
                       .n_attr = 1,
                       .attr = &attr};
    return mw_graph_place(f->to, &spec, &f->made[id]);
}

static mw_status copy_stored(finish *f, mw_id id)
{
    if (f->made[id] != MW_NONE)
        return MW_OK;
    if (f->twin[id].turned)
        return turn(f, id);
    mw_id equal;
    MW_TRY(find_equal(f, id, &equal));
    if (f->made[equal] == MW_NONE) {
        mw_tensor copy = f->from->tensor[equal];
        copy.name = f->name[equal];
        MW_TRY(mw_graph_tensor(f->to, &copy, &f->made[equal]));
    }
    f->made[id] = f->made[equal];
    return MW_OK;
}

/* A contraction reads a transpose as it reads the weight, with other letters.
 */
static bool reads_turned(const finish *f, const mw_op *op, int i)
{
    return f->twin[op->in[i].tensor].turned &&
           strcmp(op->def->name, "einsum") == 0;
}

/* The attributes of a contraction, with the letters of turned operands
 * exchanged. */
static mw_status turn_letters(finish *f, const mw_op *op, mw_op_spec *spec)
{
    mw_attr *attr = MW_NEW_ARRAY(f->build->arena, op->n_attr, mw_attr);
    if (!attr)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_attr; i++) {
        attr[i] = op->attr[i];
        if (strcmp(attr[i].name, "spec") != 0)
            continue;
        char *term = mw_arena_text(f->build->arena, attr[i].text);
        if (!term)
            return MW_ENOMEM;
        attr[i].text = term;
        for (int k = 0; k < op->n_in; k++) {
            char first = term[0];
            if (reads_turned(f, op, k)) {
                term[0] = term[1];
                term[1] = first;
            }
            term += f->from->tensor[op->in[k].tensor].rank + 1;
        }
    }
    spec->attr = attr;
    return MW_OK;
}

static mw_status copy_op(finish *f, const mw_op *op)
{
    bool turned = false;
    mw_id *in = MW_NEW_ARRAY(f->build->arena, op->n_in, mw_id);
    mw_id *out = MW_NEW_ARRAY(f->build->arena, op->n_out, mw_id);
    const char **names = MW_NEW_ARRAY(f->build->arena, op->n_out, const char *);
    if (!in || !out || !names)
        return MW_ENOMEM;
    for (int i = 0; i < op->n_in; i++) {
        mw_id id = op->in[i].tensor;
        bool reads = reads_turned(f, op, i);
        turned |= reads;
        id = reads ? f->twin[id].of : id;
        if (!is_value(&f->from->tensor[id]))
            MW_TRY(copy_stored(f, id));
        in[i] = f->made[id];
    }
    for (int i = 0; i < op->n_out; i++) {
        names[i] = f->name[op->out[i].tensor];
        if (!names[i])
            names[i] = f->from->tensor[op->out[i].tensor].name;
    }
    mw_op_spec spec = {.def = op->def->name,
                       .name = op->name,
                       .n_in = op->n_in,
                       .n_out = op->n_out,
                       .in = in,
                       .out_names = names,
                       .n_attr = op->n_attr,
                       .attr = op->attr};
    if (turned)
        MW_TRY(turn_letters(f, op, &spec));
    MW_TRY(mw_graph_place(f->to, &spec, out));
    for (int i = 0; i < op->n_out; i++)
        f->made[op->out[i].tensor] = out[i];
    return MW_OK;
}

/* An output that is an input, a stored tensor or another output too gets a
 * copy of its own; but an input by the same name is itself the output. */
static mw_status copy_output(finish *f, const mw_onnx_output *output)
{
    mw_id id = output->tensor;
    const mw_tensor *tensor = &f->from->tensor[id];
    if (!is_value(tensor))
        MW_TRY(copy_stored(f, id));
    mw_id made = f->made[id];
    bool itself =
        tensor->role == MW_ROLE_INPUT && strcmp(f->name[id], output->name) == 0;
    if (itself)
        f->to->tensor[made].output = true;
    if (itself)
        return MW_OK;
    if (!is_value(tensor) || strcmp(f->name[id], output->name) != 0) {
        mw_attr to = {
            .name = "to", .kind = MW_ATTR_DTYPE, .dtype = tensor->dtype};
        mw_op_spec spec = {.def = "cast",
                           .name = output->name,
                           .n_in = 1,
                           .n_out = 1,
                           .in = &f->made[id],
                           .out_names = &output->name,
                           .n_attr = 1,
                           .attr = &to};
        MW_TRY(mw_graph_place(f->to, &spec, &made));
    }
    f->to->tensor[made].output = true;
    return MW_OK;
}

mw_status mw_build_finish(mw_onnx_build *build, const mw_onnx_output output[],
                          int64_t n, mw_graph *placed)
{
    finish f = {.build = build, .from = &build->graph, .to = placed};
    f.live = MW_NEW_ARRAY(build->arena, f.from->n_tensors, bool);
    f.made = MW_NEW_ARRAY(build->arena, f.from->n_tensors, mw_id);
    f.name = MW_NEW_ARRAY(build->arena, f.from->n_tensors, const char *);
    f.twin = MW_NEW_ARRAY(build->arena, f.from->n_tensors, mw_twin);
    if (!f.live || !f.made || !f.name || !f.twin)
        return MW_ENOMEM;
    mw_map_init(&f.used, build->arena);
    mw_map_init(&f.constants, build->arena);
    for (mw_id t = 0; t < f.from->n_tensors; t++)
        f.made[t] = MW_NONE;
    for (int64_t i = 0; i < n; i++)
        f.live[output[i].tensor] = true;
    mark_live(&f);
    mw_ties ties = {.graph = f.from,
                    .live = f.live,
                    .files = build->payload.files,
                    .external = build->options->check_ties};
    MW_TRY(mw_ties_find(&ties, f.twin));
    MW_TRY(name_tensors(&f, output, n));
    for (mw_id t = 0; t < f.from->n_tensors; t++)
        if (f.from->tensor[t].role == MW_ROLE_INPUT)
            MW_TRY(copy_stored(&f, t));
    for (int k = 0; k < f.from->n_ops; k++) {
        bool needed = false;
        for (int i = 0; i < f.from->op[k].n_out; i++)
            needed |= f.live[f.from->op[k].out[i].tensor];
        if (needed)
            MW_TRY(copy_op(&f, &f.from->op[k]));
    }
    for (int64_t i = 0; i < n; i++)
        MW_TRY(copy_output(&f, &output[i]));
    return MW_OK;
}
