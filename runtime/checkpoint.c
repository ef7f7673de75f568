/* checkpoint.c - gathers piece by piece on the first rank, which writes. */
#include "runtime/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/units.h"
#include "runtime/safetensors.h"

enum { PIECE_BYTES = 1 << 24, NUMBER_TEXT = 24 };

static const char file_name[] = "checkpoint.safetensors";
static const char kind[] = "meshwright.checkpoint";

/* ---- writing ---- */

static bool persists(const mw_graph *graph, mw_id id)
{
    const mw_tensor *tensor = &graph->tensor[id];
    return mw_role_persists(tensor->role) && tensor->producer == MW_NONE &&
           tensor->root == id;
}

// Bytes of what lies behind one index of the first axis.
static int64_t row_bytes(const mw_tensor *tensor)
{
    int64_t bytes = mw_dtype_bytes(tensor->dtype);
    for (int i = 1; i < tensor->rank; i++)
        bytes *= tensor->axis[i].size;
    return bytes;
}

static int64_t rows_of_piece(const mw_tensor *tensor)
{
    int64_t row = row_bytes(tensor);
    if (tensor->rank == 0 || row == 0)
        return 1;
    return row > PIECE_BYTES ? 1 : PIECE_BYTES / row;
}

static int64_t piece_bytes(const mw_tensor *tensor)
{
    int64_t rows = rows_of_piece(tensor), bytes = mw_tensor_bytes(tensor);
    int64_t piece = rows * row_bytes(tensor);
    return piece < bytes ? piece : bytes;
}

static mw_status list_tensors(mw_arena *arena, mw_checkpoint *c)
{
    const mw_graph *graph = c->exec->plan->graph;
    c->tensor = MW_NEW_ARRAY(arena, graph->n_tensors, mw_id);
    c->array = MW_NEW_ARRAY(arena, graph->n_tensors, mw_array);
    if (!c->tensor || !c->array)
        return MW_ENOMEM;
    int64_t most = 1;
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (!persists(graph, t))
            continue;
        mw_array *array = &c->array[c->n];
        *array = (mw_array){.name = tensor->name,
                            .dtype = tensor->dtype,
                            .bytes = mw_tensor_bytes(tensor)};
        array->rank = mw_tensor_file_shape(tensor, array->size);
        c->tensor[c->n++] = t;
        if (piece_bytes(tensor) > most)
            most = piece_bytes(tensor);
    }
    c->block = mw_mem_alloc(arena->ctx, (size_t)most, 1);
    c->stage = mw_mem_alloc(arena->ctx, (size_t)most, 1);
    return c->block && c->stage ? MW_OK : MW_ENOMEM;
}

static mw_status prepare(mw_arena *arena, mw_checkpoint *c)
{
    c->path = mw_arena_format(arena, "%s/%s", c->folder, file_name);
    if (!c->path)
        return MW_ENOMEM;
    MW_TRY(list_tensors(arena, c));
    if (mw_team_rank(c->exec->team) > 0)
        return MW_OK;
    return mw_folder_make(arena->ctx, c->folder);
}

mw_status mw_checkpoint_open(mw_arena *arena, mw_exec *exec, const char *folder,
                             mw_checkpoint *checkpoint)
{
    *checkpoint = (mw_checkpoint){.exec = exec, .folder = folder};
    mw_status status = mw_team_agree(exec->team, prepare(arena, checkpoint));
    if (status != MW_OK)
        mw_checkpoint_close(checkpoint);
    return status;
}

void mw_checkpoint_close(mw_checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    mw_mem_free(checkpoint->block);
    mw_mem_free(checkpoint->stage);
    checkpoint->block = checkpoint->stage = NULL;
}

static mw_status begin_file(mw_checkpoint *c, const mw_progress_mark *mark,
                            mw_out *out)
{
    char text[3][NUMBER_TEXT];
    const int64_t number[3] = {mark->step, mark->position, mark->seed};
    for (int i = 0; i < 3; i++)
        (void)snprintf(text[i], NUMBER_TEXT, "%" PRId64, number[i]);
    const mw_safetensors_note notes[] = {{"format", kind},
                                         {"step", text[0]},
                                         {"position", text[1]},
                                         {"seed", text[2]},
                                         {NULL, NULL}};
    return mw_safetensors_begin(c->exec->ctx, c->path, c->array, c->n, notes,
                                out);
}

// One tensor, a range of its first axis at a time. The first rank goes on
// receiving after a failure to write, as the others go on sending.
static mw_status write_tensor(mw_checkpoint *c, mw_id id, mw_out *out,
                              mw_status *written)
{
    const mw_tensor *tensor = &c->exec->plan->graph->tensor[id];
    mw_box all = mw_box_whole(tensor);
    int64_t rows = tensor->rank ? tensor->axis[0].size : 1;
    int64_t step = rows_of_piece(tensor);
    for (int64_t row = 0; row < rows; row += step) {
        mw_box part = all;
        if (tensor->rank)
            part.axis[0] =
                (mw_block){row, rows - row < step ? rows - row : step};
        MW_TRY(mw_exec_gather_part(c->exec, id, &part, c->stage, c->block));
        int64_t bytes = mw_box_elements(&part) * mw_dtype_bytes(tensor->dtype);
        if (mw_team_rank(c->exec->team) == 0 && *written == MW_OK)
            *written = mw_out_add(out, c->block, (size_t)bytes);
    }
    return MW_OK;
}

mw_status mw_checkpoint_write(mw_checkpoint *checkpoint,
                              const mw_progress_mark *mark)
{
    mw_checkpoint *c = checkpoint;
    mw_out out = {0};
    bool first = mw_team_rank(c->exec->team) == 0;
    mw_status status = first ? begin_file(c, mark, &out) : MW_OK;
    status = mw_team_agree(c->exec->team, status);
    mw_status written = status, moved = status;
    for (int i = 0; i < c->n && moved == MW_OK; i++)
        moved = write_tensor(c, c->tensor[i], &out, &written);
    status = moved == MW_OK ? written : moved;
    if (first && status == MW_OK)
        status = mw_out_commit(&out);
    if (first)
        mw_out_close(&out);
    return mw_team_agree(c->exec->team, status);
}

/* ---- reading ---- */

static mw_status read_mark(const mw_tensor_file *file, mw_progress_mark *mark)
{
    static const char *const names[] = {"format", "step", "position", "seed"};
    /* no training gets further, and what follows can be added to it */
    static const int64_t most = INT64_C(1) << 53;
    int64_t number[4] = {0};
    bool good = file->notes != NULL;
    for (int i = 0; i < 4 && good; i++) {
        const mw_json *note = mw_json_find(file->notes, names[i]);
        good = note && note->kind == MW_JSON_TEXT;
        if (good && i == 0)
            good = strcmp(note->u.text, kind) == 0;
        if (good && i > 0)
            good = mw_int_parse(note->u.text, &number[i]) &&
                   number[i] >= (i == 3 ? MW_MARK_IN_ORDER : 0) &&
                   (i == 3 || number[i] <= most);
    }
    mw_ctx_at(file->ctx, "%s", file->path);
    if (!good)
        return mw_fail(file->ctx, MW_EINPUT,
                       "is no checkpoint: its notes lack a format, step, "
                       "position or seed that can be");
    *mark = (mw_progress_mark){
        .step = number[1], .position = number[2], .seed = number[3]};
    return MW_OK;
}

mw_status mw_checkpoint_read(mw_values *values, const char *folder, bool states,
                             mw_progress_mark *mark)
{
    const mw_graph *graph = values->graph;
    char *path = mw_arena_format(values->arena, "%s/%s", folder, file_name);
    mw_tensor_file *file;
    if (!path)
        return MW_ENOMEM;
    MW_TRY(mw_values_file(values, path, &file));
    MW_TRY(read_mark(file, mark));
    for (mw_id t = 0; t < graph->n_tensors; t++) {
        const mw_tensor *tensor = &graph->tensor[t];
        if (!persists(graph, t) || (tensor->role == MW_ROLE_STATE && !states))
            continue;
        int i = mw_tensor_file_find(file, "", tensor->name);
        mw_ctx_at(values->ctx, "%s", path);
        if (i == MW_NONE)
            return mw_fail(values->ctx, MW_EINPUT,
                           "has no tensor '%s', which the plan keeps from "
                           "step to step",
                           tensor->name);
        MW_TRY(mw_values_take(values, file, i, t));
    }
    mw_ctx_at(values->ctx, "%s", "");
    return MW_OK;
}
