/* verify_key.c - which ops are the same but for their operands' values. */
#include "runtime/verify_key.h"

// A dimension attribute is told by its letter, so that equal layers are equal.
static void add_dim(const mw_op *op, mw_id dim, mw_text *text)
{
    for (int i = 0; i < op->n_letters; i++)
        if (op->letter[i].dim == dim)
            mw_text_format(text, "@%d", i);
}

static void add_attr(const mw_op *op, const mw_attr *attr, mw_text *text)
{
    mw_text_format(text, " %s=", attr->name);
    if (attr->kind == MW_ATTR_DIM) {
        add_dim(op, (mw_id)attr->i[0], text);
        return;
    }
    for (int i = 0; i < attr->n && attr->i; i++)
        mw_text_format(text, "%lld,", (long long)attr->i[i]);
    if (attr->kind == MW_ATTR_FLOAT)
        mw_text_format(text, "%.17g", attr->f);
    if (attr->kind == MW_ATTR_TEXT)
        mw_text_add(text, attr->text);
    if (attr->kind == MW_ATTR_BODY)
        mw_text_add(text, attr->body->name);
    if (attr->kind == MW_ATTR_DTYPE)
        mw_text_add(text, mw_dtype_name(attr->dtype));
}

static void add_operand(const mw_graph *graph, const mw_operand *operand,
                        mw_text *text)
{
    const mw_tensor *tensor = &graph->tensor[operand->tensor];
    mw_text_format(text, " %s[", mw_dtype_name(tensor->dtype));
    for (int i = 0; i < tensor->rank; i++)
        mw_text_format(text, "%lld:%d%s,", (long long)tensor->axis[i].size,
                       operand->letter[i],
                       operand->window >> i & 1U ? "w" : "");
    mw_text_add_char(text, ']');
}

void mw_verify_key(const mw_graph *graph, const mw_op *op, mw_text *text)
{
    mw_text_add(text, op->def->name);
    for (int i = 0; i < op->n_attr; i++)
        add_attr(op, &op->attr[i], text);
    for (int i = 0; i < op->n_letters; i++)
        mw_text_format(text, " %lld%s", (long long)op->letter[i].size,
                       op->letter[i].pinned ? "!" : "");
    for (int i = 0; i < op->n_in; i++)
        add_operand(graph, &op->in[i], text);
    for (int i = 0; i < op->n_out; i++)
        add_operand(graph, &op->out[i], text);
    /* operands that are one tensor move alike */
    for (int i = 0; i < op->n_in; i++)
        for (int k = 0; k < i; k++)
            if (op->in[i].tensor == op->in[k].tensor)
                mw_text_format(text, " %d=%d", i, k);
}
