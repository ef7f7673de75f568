/*
 * test_plan.c - strategies and plans of every op's samples: counted, legal, and
 * their figures equal to what a slower walk over ranks, elements and steps
 * finds.
 */
#include <stdio.h>
#include <string.h>

#include "ir/life.h"
#include "ir/plan_pack.h"
#include "ir/text.h"
#include "tests/fake_costs.h"
#include "tests/test.h"

static const char *const meshes[] = {"2", "3", "2x2", "4x2", "2x1x2"};
enum { N_MESHES = sizeof meshes / sizeof meshes[0] };

typedef struct bench {
    mw_ctx ctx;
    mw_arena arena;
    mw_mesh mesh;
    mw_graph graph;
    fake_machine machine;
    mw_costs costs;
    mw_resharder *resharder;
    uint64_t random;
} bench;

static bool open_bench(bench *b, const char *text, const char *mesh)
{
    memset(b, 0, sizeof *b);
    mw_ctx_init(&b->ctx);
    mw_arena_init(&b->arena, &b->ctx);
    b->machine = fake_machine_of(2);
    b->costs = fake_costs(&b->machine);
    b->random = 3;
    mw_status status = mw_mesh_parse(&b->ctx, &b->arena, mesh, &b->mesh);
    if (status == MW_OK)
        status = mw_graph_init(&b->graph, &b->arena, "");
    if (status == MW_OK)
        status = mw_text_parse(&b->graph, "sample", text);
    if (status == MW_OK)
        status = mw_resharder_open(&b->ctx, &b->arena, &b->mesh, &b->costs,
                                   &b->resharder);
    return CHECK(status == MW_OK, "%s: %s", b->ctx.where, b->ctx.message);
}

static void close_bench(bench *b)
{
    mw_arena_free(&b->arena);
    mw_ctx_free(&b->ctx);
}

static int64_t pick(bench *b, int64_t n)
{
    return (int64_t)(mw_test_random(&b->random) % (uint64_t)n);
}

// A legal home drawn at random.
static mw_layout random_home(bench *b, mw_id t)
{
    const mw_tensor *tensor = &b->graph.tensor[t];
    mw_layout home;
    do {
        home = mw_layout_replicated();
        for (int a = 0; a < b->mesh.n_axes; a++)
            home.role[a] = (int8_t)(pick(b, tensor->rank + 2) - 2);
        if (mw_layout_is_partial(&home))
            home.reduce = MW_REDUCE_SUM;
    } while (mw_home_refusal(&b->mesh, tensor, &home));
    return home;
}

/* ---- the law of memory ---- */

typedef struct placed {
    const mw_buffer *buffer;
    int32_t begin, end;
} placed;

typedef struct list {
    placed item[512];
    int n;
} list;

static void add(list *all, const mw_buffer *buffer, int32_t begin, int32_t end)
{
    if (buffer->bytes > 0 && all->n < 512)
        all->item[all->n++] = (placed){buffer, begin, end};
}

static int32_t runs_at(const mw_plan *plan, mw_id k)
{
    int32_t late = plan->op[k].late;
    return late < plan->n_steps ? late : plan->n_steps - 1;
}

// What an op reads lives until it runs, which may be later than its place.
static void hold_operands(const mw_graph *graph, const mw_plan *plan, mw_id k,
                          mw_life life[])
{
    const mw_op *op = &graph->op[k];
    int32_t end = runs_at(plan, k) + 1;
    for (int i = 0; i < op->n_in && end > k + 1; i++) {
        mw_life *home = &life[graph->tensor[op->in[i].tensor].root];
        home->end = home->end > end ? home->end : end;
    }
}

static void list_buffers(const bench *b, const mw_plan *plan, list *all)
{
    const mw_graph *graph = &b->graph;
    mw_life life[64];
    mw_lives(graph, life);
    for (mw_id k = 0; k < graph->n_ops; k++)
        hold_operands(graph, plan, k, life);
    for (mw_id t = 0; t < graph->n_tensors; t++)
        if (graph->tensor[t].root == t)
            add(all, &plan->home[t], life[t].begin,
                life[t].end > life[t].begin ? life[t].end : life[t].begin + 1);
    for (mw_id k = 0; k < graph->n_ops; k++) {
        const mw_plan_op *p = &plan->op[k];
        for (int c = 0; c < p->n_copies; c++) {
            add(all, &p->copies[c].buffer, k, k + 1);
            add(all, &p->copies[c].scratch, k, k + 1);
        }
        for (int f = 0; f < p->n_fetches; f++) {
            add(all, &p->fetch[f].buffer, k, k + 1);
            add(all, &p->fetch[f].scratch, k, k + 1);
        }
        int32_t run = runs_at(plan, k);
        add(all, &p->workspace, run, run + 1);
        for (int i = 0; i < graph->op[k].n_out; i++) {
            int32_t end = p->out_until[i] > k ? p->out_until[i] : k + 1;
            add(all, &p->out_natural[i], k, end);
            add(all, &p->out_scratch[i], k, end);
        }
    }
}

static bool lie_apart(const list *all, int64_t peak)
{
    for (int i = 0; i < all->n; i++) {
        const mw_buffer *a = all->item[i].buffer;
        if (a->offset < 0 || a->offset % MW_ALIGN != 0 ||
            a->offset + a->bytes > peak)
            return false;
        for (int j = 0; j < i; j++) {
            const mw_buffer *c = all->item[j].buffer;
            bool together = all->item[i].begin < all->item[j].end &&
                            all->item[j].begin < all->item[i].end;
            if (together && a->offset < c->offset + c->bytes &&
                c->offset < a->offset + a->bytes)
                return false;
        }
    }
    return true;
}

static int64_t live_at(const list *all, int32_t step)
{
    int64_t bytes = 0;
    for (int i = 0; i < all->n; i++)
        if (all->item[i].begin <= step && step < all->item[i].end)
            bytes += mw_aligned(all->item[i].buffer->bytes);
    return bytes;
}

static void check_memory(const bench *b, const mw_plan *plan, const char *what)
{
    list all = {.n = 0};
    list_buffers(b, plan, &all);
    CHECK(lie_apart(&all, plan->peak_bytes), "%s: buffers lie apart", what);
    int64_t peak = 0;
    bool equal = true;
    for (int k = 0; k < plan->n_steps; k++) {
        int64_t bytes = live_at(&all, k);
        equal = equal && bytes == plan->live_bytes[k];
        peak = bytes > peak ? bytes : peak;
    }
    CHECK(equal && peak == plan->live_peak_bytes &&
              plan->live_bytes[plan->peak_step] == peak,
          "%s: live bytes", what);
    CHECK(plan->live_peak_bytes <= plan->peak_bytes, "%s: arena", what);
}

/* ---- the law of windows ---- */

// Where each rank's pieces come from, element by element along one axis at a
// time: box and owners are products of intervals.
static int64_t sent_naively(const bench *b, const mw_window *w, int64_t rank)
{
    const mw_tensor *tensor = &b->graph.tensor[w->op->in[w->input].tensor];
    int64_t coord[MW_MAX_MESH], sent = 0;
    mw_block own[MW_MAX_RANK], need[MW_MAX_RANK];
    mw_mesh_coords(&b->mesh, rank, coord);
    (void)mw_layout_box(&b->mesh, &w->layout, tensor, coord, own);
    for (int64_t other = 0; other < mw_mesh_ranks(&b->mesh); other++) {
        int64_t at[MW_MAX_MESH], met = 1;
        bool mine = other != rank;
        mw_mesh_coords(&b->mesh, other, at);
        for (int a = 0; a < b->mesh.n_axes; a++)
            mine = mine && (at[a] == coord[a] || w->axes >> a & 1U);
        (void)mw_window_box(w, at, need);
        for (int i = 0; i < tensor->rank; i++) {
            int64_t n = 0;
            for (int64_t e = 0; e < tensor->axis[i].size; e++)
                n += e >= own[i].start && e < own[i].start + own[i].size &&
                     e >= need[i].start && e < need[i].start + need[i].size;
            met *= n;
        }
        sent += mine ? met : 0;
    }
    return sent * mw_dtype_bytes(tensor->dtype);
}

// Everything a rank needs lies with its group: pieces and its own make the box.
static bool box_is_covered(const bench *b, const mw_window *w, int64_t rank)
{
    const mw_tensor *tensor = &b->graph.tensor[w->op->in[w->input].tensor];
    int64_t coord[MW_MAX_MESH], other[MW_MAX_MESH], found = 0;
    mw_block need[MW_MAX_RANK], have[MW_MAX_RANK];
    mw_mesh_coords(&b->mesh, rank, coord);
    int64_t wanted = mw_window_box(w, coord, need);
    mw_mesh_coords(&b->mesh, rank, other);
    for (int64_t k = 0; k < mw_mesh_group_size(&b->mesh, w->axes); k++) {
        int64_t met = 1;
        mw_mesh_group_member(&b->mesh, w->axes, k, other);
        (void)mw_layout_box(&b->mesh, &w->layout, tensor, other, have);
        for (int i = 0; i < tensor->rank; i++) {
            int64_t lo =
                need[i].start > have[i].start ? need[i].start : have[i].start;
            int64_t need_end = need[i].start + need[i].size;
            int64_t have_end = have[i].start + have[i].size;
            int64_t hi = need_end < have_end ? need_end : have_end;
            met *= hi > lo ? hi - lo : 0;
        }
        found += met;
    }
    return found == wanted;
}

static void check_windows(const bench *b, const mw_op *op, const mw_strategy *s,
                          const char *what)
{
    for (int i = 0; i < op->n_in; i++) {
        mw_window w = mw_window_of(&b->mesh, &b->graph, op, s, i);
        if (!w.axes)
            continue;
        mw_window_sizes sizes = mw_window_price(&w, &b->costs);
        int64_t most = 0;
        bool equal = true, covered = true;
        for (int64_t rank = 0; rank < mw_mesh_ranks(&b->mesh); rank++) {
            int64_t sent = sent_naively(b, &w, rank);
            equal = equal && sent == mw_window_bytes_of(&w, rank);
            covered = covered && box_is_covered(b, &w, rank);
            most = sent > most ? sent : most;
        }
        CHECK(equal && most == sizes.sent_bytes, "%s: input %d: bytes", what,
              i);
        CHECK(covered, "%s: input %d: boxes", what, i);
    }
}

/* ---- the law of sums ---- */

static bool waits(const mw_plan *plan)
{
    for (mw_id k = 0; k < plan->graph->n_ops; k++)
        for (int i = 0; i < plan->graph->op[k].n_out; i++)
            if (plan->op[k].out_until[i] > k)
                return true;
    return false;
}

static void check_sums(const bench *b, const mw_plan *plan, const char *what)
{
    int64_t compute = 0, comm = 0;
    int64_t sent[16] = {0}, most = 0;
    int64_t ranks = mw_mesh_ranks(&b->mesh);
    for (mw_id k = 0; k < b->graph.n_ops; k++) {
        const mw_op *op = &b->graph.op[k];
        const mw_plan_op *p = &plan->op[k];
        const mw_path *path[64];
        mw_id tensor[64];
        int n = 0;
        compute += p->time_ps;
        for (int c = 0; c < p->n_copies; c++, n++) {
            path[n] = p->copies[c].path;
            tensor[n] = p->copies[c].tensor;
        }
        for (int i = 0; i < op->n_out; i++, n++) {
            path[n] = p->out_path[i];
            tensor[n] = op->out[i].tensor;
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < path[i]->n_steps; j++) {
                comm += path[i]->step[j].time_ps;
                for (int64_t r = 0; r < ranks; r++)
                    sent[r] +=
                        mw_step_bytes_of(&b->mesh, &b->graph.tensor[tensor[i]],
                                         &path[i]->step[j], r);
            }
        for (int f = 0; f < p->n_fetches; f++) {
            mw_window w = mw_window_of(&b->mesh, &b->graph, op, &p->strategy,
                                       p->fetch[f].input);
            comm += p->fetch[f].time_ps;
            for (int64_t r = 0; r < ranks; r++)
                sent[r] += mw_window_bytes_of(&w, r);
        }
    }
    bool equal = true;
    for (int64_t r = 0; r < ranks; r++) {
        equal = equal && sent[r] == plan->bytes_by_rank[r];
        most = sent[r] > most ? sent[r] : most;
    }
    CHECK(compute == plan->compute_ps && comm == plan->comm_ps &&
              plan->time_ps == compute + comm,
          "%s: times", what);
    int64_t longer = compute > comm ? compute : comm;
    CHECK(waits(plan)
              ? plan->replay_ps >= longer && plan->replay_ps <= plan->time_ps
              : plan->replay_ps == plan->time_ps,
          "%s: a step takes %lld ps, of %lld and %lld", what,
          (long long)plan->replay_ps, (long long)compute, (long long)comm);
    CHECK(equal && most == plan->bytes_sent, "%s: bytes", what);
}

static void check_price(bench *b, const mw_plan *plan, mw_id k,
                        const char *what)
{
    const mw_plan_op *p = &plan->op[k];
    mw_op_price price;
    mw_status status = mw_plan_op_price(&b->ctx, &b->graph, &b->mesh, &b->costs,
                                        k, &plan->choices->op[k], &price);
    int64_t fetch = 0, memory = mw_aligned(p->workspace.bytes);
    for (int f = 0; f < p->n_fetches; f++) {
        fetch += p->fetch[f].time_ps;
        memory += mw_aligned(p->fetch[f].buffer.bytes) +
                  mw_aligned(p->fetch[f].scratch.bytes);
    }
    CHECK(status == MW_OK && price.time_ps == p->time_ps &&
              price.fetch_ps == fetch && price.memory_bytes == memory,
          "%s: price of op %d", what, k);
}

/* ---- every strategy of every sample ---- */

static int64_t power(int64_t base, int exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

// Offered plus refused is every choice of letters for the long axes.
static void check_offer(bench *b, const mw_op *op, int n_split,
                        const char *what)
{
    int letters = 0, axes = 0, refused = 0;
    for (int l = 0; l < op->n_letters; l++)
        letters += !op->letter[l].pinned;
    for (int a = 0; a < b->mesh.n_axes; a++)
        axes += b->mesh.axis[a].size > 1;
    int64_t all = power(letters + 1, axes);
    for (int64_t i = 0; i < all; i++) {
        mw_strategy s;
        int64_t rest = i;
        memset(s.split, MW_SPLIT_NONE, sizeof s.split);
        for (int a = 0; a < b->mesh.n_axes; a++) {
            if (b->mesh.axis[a].size == 1)
                continue;
            int64_t nth = rest % (letters + 1);
            rest /= letters + 1;
            for (int l = 0; nth > 0; l++)
                if (!op->letter[l].pinned && --nth == 0)
                    s.split[a] = (int8_t)l;
        }
        refused += mw_strategy_refusal(&b->graph, op, &b->mesh, &s) != NULL;
    }
    CHECK(n_split + refused == all, "%s: %d offered, %d refused of %lld", what,
          n_split, refused, (long long)all);
}

static void check_strategy(bench *b, mw_choices *choices, mw_id k,
                           const mw_strategy *s, const char *what)
{
    mw_plan plan;
    choices->op[k] = *s;
    for (mw_id t = 0; t < b->graph.n_tensors; t++)
        choices->home[t] = random_home(b, t);
    mw_status status = mw_plan_build(&b->arena, &b->graph, b->resharder,
                                     &b->costs, choices, true, &plan);
    bool no_way = status == MW_EINPUT && strstr(b->ctx.message, "no way from");
    if (no_way) {
        mw_ctx_clear(&b->ctx);
        return;
    }
    if (!CHECK(status == MW_OK, "%s: %s", what, b->ctx.message))
        return;
    check_windows(b, &b->graph.op[k], s, what);
    check_memory(b, &plan, what);
    check_sums(b, &plan, what);
    check_price(b, &plan, k, what);
}

static void check_op(bench *b, mw_choices *choices, mw_id k)
{
    const mw_op *op = &b->graph.op[k];
    mw_strategy *strategy;
    int n, n_split;
    mw_status status = mw_op_strategies(&b->arena, &b->graph, op, &b->mesh,
                                        &strategy, &n, &n_split);
    if (!CHECK(status == MW_OK && n > 0, "%s: strategies", op->def->name))
        return;
    check_offer(b, op, n_split, op->def->name);
    int step = n > 60 ? n / 60 : 1;
    for (int i = 0; i < n; i += step) {
        char *text =
            mw_strategy_text(&b->arena, &b->graph, op, &b->mesh, &strategy[i]);
        CHECK(text &&
                  !mw_strategy_refusal(&b->graph, op, &b->mesh, &strategy[i]),
              "%s %d is legal", op->def->name, i);
        for (int j = 0; j < i; j++)
            if (mw_strategy_equal(&strategy[i], &strategy[j]))
                CHECK(false, "%s: %d and %d are one", op->def->name, i, j);
        check_strategy(b, choices, k, &strategy[i], text ? text : "");
    }
}

static void samples(void)
{
    for (int d = 0; d < mw_op_count; d++) {
        const char *const *text = mw_op_table[d]->samples;
        for (; text && *text; text++) {
            for (int m = 0; m < N_MESHES; m++) {
                bench b;
                mw_choices choices;
                if (!open_bench(&b, *text, meshes[m])) {
                    close_bench(&b);
                    continue;
                }
                choices.op = MW_NEW_ARRAY(&b.arena, b.graph.n_ops, mw_strategy);
                choices.home =
                    MW_NEW_ARRAY(&b.arena, b.graph.n_tensors, mw_layout);
                for (mw_id k = 0; k < b.graph.n_ops; k++)
                    memset(choices.op[k].split, MW_SPLIT_NONE,
                           sizeof choices.op[k].split);
                for (mw_id k = 0; k < b.graph.n_ops; k++)
                    check_op(&b, &choices, k);
                close_bench(&b);
            }
        }
    }
}

/* ---- packing ---- */

static void packing(void)
{
    uint64_t random = 11;
    double worst = 1, sum = 0;
    enum { ROUNDS = 200, MOST = 120 };
    for (int round = 0; round < ROUNDS; round++) {
        mw_ctx ctx;
        mw_buffer buffer[MOST];
        mw_pack_item item[MOST];
        list all = {.n = 0};
        int n = (int)(mw_test_random(&random) % MOST), steps = 30;
        mw_ctx_init(&ctx);
        for (int i = 0; i < n; i++) {
            int32_t begin = (int32_t)(mw_test_random(&random) % 30);
            int32_t life = (int32_t)(mw_test_random(&random) % 6) + 1;
            bool always = mw_test_random(&random) % 5 == 0;
            buffer[i] =
                (mw_buffer){.bytes = (int64_t)(mw_test_random(&random) % 4000)};
            item[i] = (mw_pack_item){
                &buffer[i], always ? 0 : begin,
                always || begin + life > steps ? steps : begin + life};
            add(&all, &buffer[i], item[i].begin, item[i].end);
        }
        int64_t live = 0, peak;
        for (int k = 0; k < steps; k++)
            live = live_at(&all, k) > live ? live_at(&all, k) : live;
        mw_status status = mw_pack(&ctx, item, n, live, &peak);
        CHECK(status == MW_OK && lie_apart(&all, peak) && peak >= live,
              "round %d: %d buffers, peak %lld, live %lld", round, n,
              (long long)peak, (long long)live);
        double ratio = live ? (double)peak / (double)live : 1;
        worst = ratio > worst ? ratio : worst;
        sum += ratio;
        mw_ctx_free(&ctx);
    }
    CHECK(worst < 1.15 && sum / ROUNDS < 1.02,
          "peak over live: %.3f at most, %.3f on average", worst, sum / ROUNDS);
}

// Equal layers, whose buffers reach into the next one: what does not fit in one
// of them does not fit in any, and all are mended together.
static void packing_of_layers(void)
{
    uint64_t random = 12;
    double worst = 1, sum = 0;
    enum {
        ROUNDS = 30,
        LAYERS = 40,
        EACH = 12,
        LENGTH = 16,
        N = LAYERS * EACH
    };
    for (int round = 0; round < ROUNDS; round++) {
        mw_ctx ctx;
        mw_buffer buffer[N];
        mw_pack_item item[N];
        list all = {.n = 0};
        int64_t live = 0, peak;
        mw_ctx_init(&ctx);
        for (int i = 0; i < EACH; i++) {
            int64_t bytes = INT64_C(1024) << mw_test_random(&random) % 4;
            int32_t begin = (int32_t)(mw_test_random(&random) % LENGTH);
            int32_t end = begin + 1 + (int32_t)(mw_test_random(&random) % 8);
            for (int k = 0; k < LAYERS; k++) {
                int at = k * EACH + i;
                buffer[at] = (mw_buffer){.bytes = bytes};
                item[at] = (mw_pack_item){&buffer[at], begin + k * LENGTH,
                                          end + k * LENGTH};
                add(&all, &buffer[at], item[at].begin, item[at].end);
            }
        }
        for (int k = 0; k < (LAYERS + 1) * LENGTH; k++)
            live = live_at(&all, k) > live ? live_at(&all, k) : live;
        mw_status status = mw_pack(&ctx, item, N, live, &peak);
        CHECK(status == MW_OK && lie_apart(&all, peak) && peak >= live,
              "round %d: peak %lld, live %lld", round, (long long)peak,
              (long long)live);
        double ratio = (double)peak / (double)live;
        worst = ratio > worst ? ratio : worst;
        sum += ratio;
        mw_ctx_free(&ctx);
    }
    CHECK(worst < 1.055 && sum / ROUNDS < 1.003,
          "peak over live: %.3f at most, %.3f on average", worst, sum / ROUNDS);
}

/* ---- what is refused ---- */

static const char two_ops[] = "model m\n"
                              "dim batch = 6\ndim pixels = 5\n"
                              "dim hidden = 4\n"
                              "input x : f32[batch, pixels]\n"
                              "param w : f32[pixels, hidden]\n"
                              "h = einsum(x, w) : f32[batch, hidden]\n"
                              "m = reduce_max(h) : f32[batch]\n"
                              "output m\n";

static const struct refusal {
    const char *tensor, *home; /* or NULL */
    int op, axis, split;       /* op < 0: none */
    const char *want;
} refusals[] = {
    {NULL, NULL, 0, 0, 9, "op 'h': its split: it splits a letter that"},
    {NULL, NULL, 0, 0, -9, "not linear"},
    {NULL, NULL, 1, 0, -2, "not linear"},
    {"x", "[] +m0", -1, 0, 0, "its values come from outside"},
    {"m", "[] +m1", -1, 0, 0, "a result of the model"},
    {"h", "[] max+m0", -1, 0, 0, "tensor 'h': no way from"},
};

static void refused(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *row = &refusals[i];
        bench b;
        mw_strategy op[2];
        mw_layout home[4];
        mw_choices choices = {.op = op, .home = home};
        mw_plan plan;
        if (!open_bench(&b, two_ops, "2x2"))
            return;
        memset(op, MW_SPLIT_NONE, sizeof op);
        for (int t = 0; t < 4; t++)
            home[t] = mw_layout_replicated();
        if (row->op >= 0)
            op[row->op].split[row->axis] = (int8_t)row->split;
        mw_status status = MW_OK;
        if (row->tensor) {
            mw_id t = mw_graph_find_tensor(&b.graph, row->tensor);
            status = mw_layout_parse(&b.ctx, &b.graph, &b.graph.tensor[t],
                                     &b.mesh, row->home, &home[t]);
        }
        if (status == MW_OK)
            status = mw_plan_build(&b.arena, &b.graph, b.resharder, &b.costs,
                                   &choices, false, &plan);
        CHECK(status == MW_EINPUT && strstr(b.ctx.message, row->want),
              "row %zu: '%s', wanted '%s'", i, b.ctx.message, row->want);
        close_bench(&b);
    }
}

static mw_status build_once(mw_ctx *ctx, void *arg)
{
    bench *b = arg;
    mw_arena arena;
    mw_resharder *resharder;
    mw_strategy op[2];
    mw_layout home[4];
    mw_choices choices = {.op = op, .home = home};
    mw_plan plan;
    memset(op, MW_SPLIT_NONE, sizeof op);
    op[0].split[0] = op[1].split[1] = 1;
    for (int t = 0; t < 4; t++)
        home[t] = mw_layout_replicated();
    home[0].role[1] = 0;
    mw_arena_init(&arena, ctx);
    mw_status status =
        mw_resharder_open(ctx, &arena, &b->mesh, &b->costs, &resharder);
    if (status == MW_OK)
        status = mw_plan_build(&arena, &b->graph, resharder, &b->costs,
                               &choices, true, &plan);
    mw_arena_free(&arena);
    return status;
}

static void out_of_memory(void)
{
    bench b;
    if (open_bench(&b, two_ops, "2x2"))
        check_oom("plan", build_once, &b);
    close_bench(&b);
}

const mw_suite mw_suite_plan = {
    "plan",
    {{"every strategy of every sample", samples},
     {"packing", packing},
     {"packing of equal layers", packing_of_layers},
     {"what is refused", refused},
     {"out of memory", out_of_memory}},
};
