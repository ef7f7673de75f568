/* trace.c - events as JSON, a line each. */
#include "runtime/trace.h"

#include "base/json.h"
#include "base/mem.h"

enum { KERNELS, MOVES, WAITS, BESIDE, N_THREADS = BESIDE + MW_LANES };

static const char *const threads[] = {"compute", "collectives", "waits",
                                      "beside"};

// What goes on beside kernels has a row for each lane.
static const char *category(int thread)
{
    return threads[thread < BESIDE ? thread : BESIDE];
}

mw_status mw_trace_begin(mw_arena *arena, mw_exec *exec)
{
    exec->time = MW_NEW_ARRAY(arena, exec->n_steps, mw_exec_time);
    return exec->time ? MW_OK : MW_ENOMEM;
}

/* An event that lasts. */
typedef struct event {
    const char *name, *op;
    int thread;
    double begin_s, length_s;
    int64_t bytes; /* sent; below 0: none of its business */
} event;

static void put_event(mw_text *text, int rank, const event *e)
{
    mw_json_out out;
    mw_json_out_init(&out, text);
    mw_json_begin_object_inline(&out, NULL);
    mw_json_put_text(&out, "name", e->name);
    mw_json_put_text(&out, "cat", category(e->thread));
    mw_json_put_text(&out, "ph", "X");
    mw_json_put_real(&out, "ts", e->begin_s * 1e6);
    mw_json_put_real(&out, "dur", e->length_s * 1e6);
    mw_json_put_int(&out, "pid", rank);
    mw_json_put_int(&out, "tid", e->thread);
    mw_json_begin_object_inline(&out, "args");
    mw_json_put_text(&out, "op", e->op);
    if (e->bytes >= 0)
        mw_json_put_int(&out, "bytes_sent", e->bytes);
    mw_json_end(&out);
    mw_json_end(&out);
    mw_text_cut(text, text->length - 1); /* the newline */
    mw_text_add(text, ",\n");
}

static void put_step(mw_text *text, const mw_exec *exec, int64_t i)
{
    const mw_exec_step *step = &exec->step[i];
    const mw_exec_time *time = &exec->time[i];
    const mw_op *op = &exec->plan->graph->op[step->op];
    int rank = mw_team_rank(exec->team);
    event e = {.name =
                   step->move ? mw_collective_name(step->kind) : op->def->name,
               .op = op->name,
               .thread = step->move ? MOVES : KERNELS,
               .begin_s = time->begin_s,
               .length_s = time->end_s - time->begin_s,
               .bytes = step->move ? step->bytes_sent : -1};
    bool beside = step->move && step->until != MW_NONE && !exec->blocking;
    if (beside)
        e.thread = BESIDE + step->lane - 1;
    put_event(text, rank, &e);
    if (time->wait_s <= 0)
        return;
    /* what goes on beside kernels is waited for at its end */
    if (beside)
        e.begin_s = time->end_s - time->wait_s;
    e.thread = WAITS;
    e.length_s = time->wait_s;
    e.bytes = -1;
    put_event(text, rank, &e);
}

static void put_names(mw_text *text, int rank)
{
    mw_text_format(text,
                   "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, "
                   "\"args\": {\"name\": \"rank %d\"}},\n",
                   rank, rank);
    for (int i = 0; i < N_THREADS; i++)
        mw_text_format(text,
                       "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": "
                       "%d, \"tid\": %d, \"args\": {\"name\": \"%s\"}},\n",
                       rank, i, category(i));
}

// Appends another rank's events.
static mw_status take(mw_exec *exec, int rank, int64_t bytes, mw_text *text)
{
    char *theirs = mw_mem_alloc(exec->ctx, (size_t)bytes + 1, 1);
    if (!theirs)
        return MW_ENOMEM;
    mw_status status =
        mw_wire_swap(mw_team_all(exec->team), 0, NULL, 0, rank, theirs, bytes);
    if (status == MW_OK)
        mw_text_add_bytes(text, theirs, (size_t)bytes);
    mw_mem_free(theirs);
    return status;
}

// All events on the first rank: of each rank in turn.
static mw_status collect(mw_exec *exec, mw_text *text)
{
    int size = mw_team_size(exec->team), rank = mw_team_rank(exec->team);
    int64_t *bytes = mw_mem_alloc(exec->ctx, (size_t)size, sizeof *bytes);
    mw_status status = bytes ? mw_text_status(text) : MW_ENOMEM;
    status = mw_team_agree(exec->team, status);
    if (status == MW_OK)
        status = mw_team_list(exec->team, (int64_t)text->length, bytes);
    if (status == MW_OK && rank > 0)
        status = mw_wire_swap(mw_team_all(exec->team), 0, text->data,
                              (int64_t)text->length, 0, NULL, 0);
    for (int r = 1; rank == 0 && r < size && status == MW_OK; r++)
        status = take(exec, r, bytes[r], text);
    mw_mem_free(bytes);
    return status;
}

// What is collected ends in a comma, which JSON does not want.
static mw_status write_file(mw_exec *exec, const char *path, mw_text *text)
{
    static const char head[] = "{\"traceEvents\": [\n";
    static const char tail[] = "\n],\n\"displayTimeUnit\": \"ms\"}\n";
    mw_out out;
    MW_TRY(mw_text_status(text));
    mw_text_cut(text, text->length - 2);
    MW_TRY(mw_out_open(exec->ctx, path, &out));
    mw_status status = mw_out_add(&out, head, sizeof head - 1);
    if (status == MW_OK)
        status = mw_out_add(&out, text->data, text->length);
    if (status == MW_OK)
        status = mw_out_add(&out, tail, sizeof tail - 1);
    if (status == MW_OK)
        status = mw_out_commit(&out);
    mw_out_close(&out);
    return status;
}

mw_status mw_trace_write(mw_exec *exec, const char *path)
{
    mw_text text;
    mw_text_init(&text, exec->ctx);
    put_names(&text, mw_team_rank(exec->team));
    for (int64_t i = 0; i < exec->n_steps; i++)
        put_step(&text, exec, i);
    mw_status status = collect(exec, &text);
    if (status == MW_OK && mw_team_rank(exec->team) == 0)
        status = write_file(exec, path, &text);
    mw_text_free(&text);
    return mw_team_agree(exec->team, status);
}
