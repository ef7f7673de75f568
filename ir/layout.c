/* layout.c - blocks of nested divisions, and layouts as text. */
#include "ir/layout.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

mw_layout mw_layout_replicated(void)
{
    mw_layout layout = {.reduce = MW_REDUCE_NONE};
    for (int a = 0; a < MW_MAX_MESH; a++)
        layout.role[a] = MW_REPLICATED;
    return layout;
}

bool mw_layout_equal(const mw_layout *a, const mw_layout *b)
{
    return memcmp(a->role, b->role, sizeof a->role) == 0 &&
           a->reduce == b->reduce;
}

bool mw_layout_is_partial(const mw_layout *layout)
{
    for (int a = 0; a < MW_MAX_MESH; a++)
        if (layout->role[a] == MW_PARTIAL)
            return true;
    return false;
}

const char *mw_layout_refusal(const mw_mesh *mesh, const mw_tensor *tensor,
                              const mw_layout *layout)
{
    for (int a = 0; a < MW_MAX_MESH; a++) {
        int role = layout->role[a];
        if (role != MW_REPLICATED && a >= mesh->n_axes)
            return "it uses more axes than the mesh has";
        if (role < MW_PARTIAL || role >= tensor->rank)
            return "it splits an axis that the tensor lacks";
        if (role >= 0 && tensor->axis[role].dim == MW_NONE)
            return "it splits an axis without a dimension";
    }
    bool partial = mw_layout_is_partial(layout);
    if (partial != (layout->reduce != MW_REDUCE_NONE))
        return "it is partial without a kind of reduction, or has a kind "
               "without being partial";
    if (layout->reduce > MW_REDUCE_MIN)
        return "its kind of reduction is unknown";
    return NULL;
}

mw_layout mw_layout_canonical(const mw_mesh *mesh, const mw_layout *layout)
{
    mw_layout result = *layout;
    for (int a = 0; a < MW_MAX_MESH; a++)
        if (a >= mesh->n_axes || mesh->axis[a].size == 1)
            result.role[a] = MW_REPLICATED;
    if (!mw_layout_is_partial(&result))
        result.reduce = MW_REDUCE_NONE;
    return result;
}

uint32_t mw_layout_axes(const mw_mesh *mesh, const mw_layout *layout, int axis)
{
    uint32_t axes = 0;
    for (int a = 0; a < mesh->n_axes; a++)
        if (layout->role[a] == axis)
            axes |= 1U << a;
    return axes;
}

mw_block mw_block_of(int64_t n, int64_t count, int64_t index)
{
    int64_t most = n / count + (n % count != 0);
    int64_t start = most != 0 && index > n / most ? n : index * most;
    int64_t left = n - start;
    return (mw_block){.start = start, .size = left < most ? left : most};
}

mw_block mw_layout_block(const mw_mesh *mesh, const mw_layout *layout, int axis,
                         int64_t n, const int64_t coord[MW_MAX_MESH])
{
    mw_block block = {.start = 0, .size = n};
    for (int a = 0; a < mesh->n_axes; a++) {
        if (layout->role[a] != axis)
            continue;
        mw_block part = mw_block_of(block.size, mesh->axis[a].size, coord[a]);
        block.start += part.start;
        block.size = part.size;
    }
    return block;
}

int64_t mw_layout_box(const mw_mesh *mesh, const mw_layout *layout,
                      const mw_tensor *tensor, const int64_t coord[MW_MAX_MESH],
                      mw_block block[MW_MAX_RANK])
{
    int64_t elements = 1;
    for (int i = 0; i < tensor->rank; i++) {
        block[i] =
            mw_layout_block(mesh, layout, i, tensor->axis[i].size, coord);
        elements *= block[i].size;
    }
    return elements;
}

int64_t mw_layout_bytes(const mw_mesh *mesh, const mw_layout *layout,
                        const mw_tensor *tensor)
{
    static const int64_t first[MW_MAX_MESH];
    mw_block block[MW_MAX_RANK];
    return mw_dtype_size(tensor->dtype,
                         mw_layout_box(mesh, layout, tensor, first, block));
}

// Appends "@data@model", or "+data+model", for the axes with this role.
static char *text_axes(mw_arena *arena, char *text, const mw_mesh *mesh,
                       const mw_layout *layout, int role)
{
    for (int a = 0; a < mesh->n_axes && text; a++)
        if (layout->role[a] == role)
            text = mw_arena_format(arena, "%s%c%s", text,
                                   role == MW_PARTIAL ? '+' : '@',
                                   mesh->axis[a].name);
    return text;
}

char *mw_layout_text(mw_arena *arena, const mw_graph *graph,
                     const mw_tensor *tensor, const mw_mesh *mesh,
                     const mw_layout *layout)
{
    char *text = mw_arena_text(arena, "[");
    for (int i = 0; i < tensor->rank && text; i++) {
        const mw_axis *axis = &tensor->axis[i];
        const char *comma = i ? ", " : "";
        text = axis->dim == MW_NONE
                   ? mw_arena_format(arena, "%s%s%lld", text, comma,
                                     (long long)axis->size)
                   : mw_arena_format(arena, "%s%s%s", text, comma,
                                     graph->dim[axis->dim].name);
        if (text)
            text = text_axes(arena, text, mesh, layout, i);
    }
    if (!text)
        return NULL;
    if (!mw_layout_is_partial(layout))
        return mw_arena_format(arena, "%s]", text);
    text = mw_arena_format(
        arena, "%s] %s", text,
        layout->reduce == MW_REDUCE_SUM ? "" : mw_reduce_name(layout->reduce));
    return text ? text_axes(arena, text, mesh, layout, MW_PARTIAL) : NULL;
}

/* What is being read, and what has been read of it. */
typedef struct reader {
    mw_ctx *ctx;
    const mw_graph *graph;
    const mw_tensor *tensor;
    const mw_mesh *mesh;
    const char *text, *p;
    mw_layout layout;
    uint32_t used; /* mesh axes that have a role */
} reader;

static void skip_space(reader *r)
{
    while (isspace((unsigned char)*r->p))
        r->p++;
}

// The next run of characters that are no punctuation of ours.
static int read_word(reader *r, const char **word)
{
    skip_space(r);
    *word = r->p;
    while (*r->p && !strchr("[]()@+,", *r->p) && !isspace((unsigned char)*r->p))
        r->p++;
    int length = (int)(r->p - *word);
    skip_space(r);
    return length;
}

static bool word_is(const char *word, int length, const char *name)
{
    return name && strlen(name) == (size_t)length &&
           memcmp(word, name, (size_t)length) == 0;
}

// An axis behind a is there for the same tensor axis already.
static bool follows_later(const reader *r, int role, int a)
{
    for (int b = a + 1; b < r->mesh->n_axes; b++) {
        if (r->used >> b & 1U && r->layout.role[b] == role)
            return true;
    }
    return false;
}

static mw_status read_axis(reader *r, int role)
{
    const char *word;
    r->p++;
    int length = read_word(r, &word);
    for (int a = 0; a < r->mesh->n_axes; a++) {
        if (!word_is(word, length, r->mesh->axis[a].name))
            continue;
        if (r->used >> a & 1U)
            return mw_fail(r->ctx, MW_EUSAGE,
                           "layout '%s' of '%s': mesh axis '%.*s' is used "
                           "twice where an axis has one role",
                           r->text, r->tensor->name, length, word);
        if (role >= 0 && follows_later(r, role, a))
            return mw_fail(r->ctx, MW_EUSAGE,
                           "layout '%s' of '%s': mesh axis '%.*s' stands "
                           "behind a later one; blocks nest in mesh order",
                           r->text, r->tensor->name, length, word);
        r->used |= 1U << a;
        r->layout.role[a] = (int8_t)role;
        return MW_OK;
    }
    return mw_fail(r->ctx, MW_EUSAGE,
                   "layout '%s' of '%s': the mesh has no axis '%.*s'", r->text,
                   r->tensor->name, length, word);
}

// The tensor axis of a dimension's name; of a bare size, any: it is not split.
static mw_status find_axis(reader *r, const char *word, int length, int *axis)
{
    *axis = MW_NONE;
    bool digits = length > 0;
    for (int i = 0; i < length; i++)
        digits = digits && isdigit((unsigned char)word[i]);
    for (int i = 0; i < r->tensor->rank; i++) {
        mw_id dim = r->tensor->axis[i].dim;
        if (dim != MW_NONE &&
            (word_is(word, length, r->graph->dim[dim].name) ||
             word_is(word, length, r->graph->dim[dim].synonym)))
            *axis = i;
    }
    if (*axis != MW_NONE || (digits && *r->p != '@'))
        return MW_OK;
    return mw_fail(r->ctx, MW_EUSAGE,
                   "layout '%s' of '%s': the tensor has no dimension '%.*s'",
                   r->text, r->tensor->name, length, word);
}

static mw_status read_item(reader *r)
{
    const char *word;
    int length = read_word(r, &word), axis;
    MW_TRY(find_axis(r, word, length, &axis));
    while (*r->p == '@')
        MW_TRY(read_axis(r, axis));
    return MW_OK;
}

// "(heads@model d_head)": how a file's array groups dimensions, which says
// nothing of their layout.
static mw_status read_group(reader *r)
{
    r->p++;
    skip_space(r);
    while (*r->p && !strchr(")]", *r->p))
        MW_TRY(read_item(r));
    if (*r->p != ')')
        return mw_fail(r->ctx, MW_EUSAGE, "layout '%s' of '%s': ')' is missing",
                       r->text, r->tensor->name);
    r->p++;
    skip_space(r);
    return MW_OK;
}

static mw_status read_items(reader *r)
{
    while (*r->p && *r->p != ']' && *r->p != '+') {
        MW_TRY(*r->p == '(' ? read_group(r) : read_item(r));
        if (*r->p != ',')
            break;
        r->p++;
        skip_space(r);
    }
    return MW_OK;
}

static mw_status read_partial(reader *r)
{
    const char *word;
    int length = read_word(r, &word);
    mw_reduce kind = length ? MW_REDUCE_NONE : MW_REDUCE_SUM;
    for (int k = MW_REDUCE_SUM; k <= MW_REDUCE_MIN; k++)
        if (word_is(word, length, mw_reduce_name((mw_reduce)k)))
            kind = (mw_reduce)k;
    if (kind == MW_REDUCE_NONE || *r->p != '+')
        return mw_fail(r->ctx, MW_EUSAGE,
                       "layout '%s' of '%s': '%.*s' stands where '+AXIS' or "
                       "the end was expected",
                       r->text, r->tensor->name,
                       length ? length : (int)strlen(r->p), word);
    r->layout.reduce = (uint8_t)kind;
    while (*r->p == '+')
        MW_TRY(read_axis(r, MW_PARTIAL));
    return MW_OK;
}

mw_status mw_layout_parse(mw_ctx *ctx, const mw_graph *graph,
                          const mw_tensor *tensor, const mw_mesh *mesh,
                          const char *text, mw_layout *layout)
{
    reader r = {.ctx = ctx,
                .graph = graph,
                .tensor = tensor,
                .mesh = mesh,
                .text = text,
                .p = text,
                .layout = mw_layout_replicated()};
    skip_space(&r);
    bool bracket = *r.p == '[';
    if (bracket)
        r.p++;
    skip_space(&r);
    MW_TRY(read_items(&r));
    if (bracket && *r.p != ']')
        return mw_fail(ctx, MW_EUSAGE, "layout '%s' of '%s': ']' is missing",
                       text, tensor->name);
    if (bracket)
        r.p++;
    skip_space(&r);
    if (*r.p)
        MW_TRY(read_partial(&r));
    if (*r.p)
        return mw_fail(ctx, MW_EUSAGE,
                       "layout '%s' of '%s': '%s' stands after its end", text,
                       tensor->name, r.p);
    *layout = mw_layout_canonical(mesh, &r.layout);
    return MW_OK;
}
