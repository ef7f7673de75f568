/* draft_experts.c - who goes where, and the experts' own layers. */
#include "ir/draft_experts.h"

#include <math.h>
#include <string.h>

#include "ir/rule.h"

typedef struct routing {
    mw_draft *net;
    const char *rows, *length, *capacity; /* dims */
    double room;
    mw_id probabilities; /* ROWS experts */
    mw_id zero, one;
} routing;

// Tokens that one expert takes of a text, as a dim.
static const char *capacity_of(mw_draft *net, const char *length)
{
    bool main = strcmp(length, "seq") == 0;
    const char *name =
        main ? "capacity" : mw_draft_text(net, "%s.capacity", length);
    double tokens = (double)mw_draft_size(net, length);
    double share = tokens / (double)mw_draft_key(net, "experts");
    double room = ceil(share * mw_draft_real(net, "capacity_factor"));
    room = room < 1 ? 1 : room > tokens ? tokens : room;
    mw_draft_dim(net, name, (int64_t)room);
    return name;
}

// 1 at the best expert of each row, the first among equals, else 0.
static mw_id best(const routing *r, mw_id probabilities)
{
    mw_draft *net = r->net;
    double n = (double)mw_draft_size(net, "experts");
    mw_id most = mw_draft_reduce(net, "reduce_max", probabilities, "experts");
    mw_id index = mw_draft_iota(net, "experts", MW_I64);
    mw_id found =
        mw_draft_where(net, mw_draft_map2(net, "equal", probabilities, most),
                       index, mw_draft_number(net, MW_I64, n));
    mw_id first = mw_draft_reduce(net, "reduce_min", found, "experts");
    return mw_draft_where(net, mw_draft_map2(net, "equal", index, first),
                          r->one, r->zero);
}

// How many rows before each one chose its expert.
static mw_id queue(const routing *r, mw_id chosen)
{
    mw_draft *net = r->net;
    if (net->status != MW_OK)
        return MW_NONE;
    int64_t dim = mw_graph_find_dim(net->graph, r->length), exclusive = 1;
    const mw_attr attr[] = {
        mw_attr_of_int("dim", MW_ATTR_DIM, &dim),
        mw_attr_of_int("exclusive", MW_ATTR_INT, &exclusive)};
    return mw_draft_add(net,
                        &(mw_draft_op){.def = "cumsum",
                                       .in = &chosen,
                                       .n_in = 1,
                                       .attr = attr,
                                       .n_attr = 2,
                                       .dtype = net->dtype,
                                       .dims = mw_draft_dims(net, chosen)});
}

// A choice of an expert each: which, where there was room; its weight; and the
// place in the expert, 1 of ROWS capacity.
typedef struct choice {
    mw_id expert, weight, place;
} choice;

static choice choose(const routing *r, mw_id chosen, mw_id place)
{
    mw_draft *net = r->net;
    mw_id fits = mw_draft_by(net, "less", place, r->room);
    choice c;
    c.expert = mw_draft_where(net, fits, chosen, r->zero);
    c.weight = mw_draft_reduce(
        net, "reduce_sum",
        mw_draft_map2(net, "mul", r->probabilities, c.expert), "experts");
    mw_id at =
        mw_draft_reduce(net, "reduce_sum",
                        mw_draft_map2(net, "mul", place, c.expert), "experts");
    c.place = mw_draft_where(
        net,
        mw_draft_map2(net, "equal", at,
                      mw_draft_iota(net, r->capacity, net->dtype)),
        r->one, r->zero);
    return c;
}

static mw_id combination(const routing *r, const choice *c)
{
    const char *dims =
        mw_draft_text(r->net, "%s experts %s", r->rows, r->capacity);
    mw_id weighted = mw_draft_map2(r->net, "mul", c->expert, c->weight);
    return mw_draft_einsum(r->net, weighted, c->place, dims);
}

// The second best, behind all whose first choice the expert is.
static choice choose_second(const routing *r, mw_id first, const choice *taken)
{
    mw_draft *net = r->net;
    mw_id others =
        mw_draft_where(net, mw_draft_by(net, "greater", first, 0.5),
                       mw_draft_number(net, net->dtype, -1), r->probabilities);
    mw_id second = best(r, others);
    mw_id before = mw_draft_reduce(net, "reduce_sum", taken->expert, r->length);
    mw_id place = mw_draft_map2(net, "add", queue(r, second), before);
    return choose(r, second, place);
}

// How even the experts' shares are. Of one expert a token, Switch's: experts
// times the sum, over experts, of the share of all tokens that chose it and its
// mean probability. Of two, GShard's (algorithm 1): for each text the mean,
// over experts, of the share of tokens whose first choice it was and its mean
// probability; the mean over texts.
static void add_balance(const routing *r, mw_id first)
{
    mw_draft *net = r->net;
    double n = (double)mw_draft_size(net, "experts");
    bool texts = mw_draft_key(net, "top") == 2;
    if (!mw_draft_key(net, "loss") || !(mw_draft_real(net, "balance") > 0))
        return;
    int outer = mw_draft_enter(net, "balance");
    const char *over = texts ? r->length : r->rows;
    mw_id share = mw_draft_mean(net, first, over);
    mw_id mean = mw_draft_mean(net, r->probabilities, over);
    mw_id sum = mw_draft_einsum(net, share, mean, "");
    double texts_n = (double)mw_draft_size(net, "batch");
    sum = mw_draft_by(net, "mul", sum, texts ? 1 / (n * texts_n) : n);
    net->balance = net->balance == MW_NONE
                       ? sum
                       : mw_draft_map2(net, "add", net->balance, sum);
    mw_draft_leave(net, outer);
}

// ROWS experts capacity: the weight of each token at its places.
static mw_id combine(const routing *r)
{
    mw_draft *net = r->net;
    mw_id first = best(r, r->probabilities);
    add_balance(r, first);
    choice c = choose(r, first, queue(r, first));
    if (mw_draft_key(net, "top") == 1 || mw_draft_key(net, "experts") == 1)
        return combination(r, &c);
    choice d = choose_second(r, first, &c);
    mw_id sum = mw_draft_map2(net, "add", c.weight, d.weight);
    sum = mw_draft_by(net, "add", sum, 1e-9);
    c.weight = mw_draft_map2(net, "div", c.weight, sum);
    d.weight = mw_draft_map2(net, "div", d.weight, sum);
    return mw_draft_map2(net, "add", combination(r, &c), combination(r, &d));
}

mw_id mw_draft_experts(mw_draft *net, mw_id x, const mw_feed_forward *ff)
{
    const char *length = strrchr(ff->rows, ' ') + 1;
    routing r = {.net = net,
                 .rows = ff->rows,
                 .length = length,
                 .capacity = capacity_of(net, length),
                 .zero = mw_draft_number(net, net->dtype, 0),
                 .one = mw_draft_number(net, net->dtype, 1)};
    mw_dense router = {.name = "router",
                       .weight = "d_model experts",
                       .out = mw_draft_text(net, "%s experts", ff->rows)};
    r.room = (double)mw_draft_size(net, r.capacity);
    r.probabilities =
        mw_draft_softmax(net, mw_draft_dense(net, x, &router), "experts");
    mw_id weights = combine(&r);
    mw_id here = mw_draft_where(net, mw_draft_by(net, "greater", weights, 0),
                                r.one, r.zero);
    mw_draft_as(net, "dispatch");
    mw_id sent = mw_draft_einsum(
        net, x, here,
        mw_draft_text(net, "experts batch %s d_model", r.capacity));
    mw_feed_forward own = *ff;
    own.each = "experts";
    own.rows = mw_draft_text(net, "experts batch %s", r.capacity);
    mw_id done = mw_draft_feed_forward(net, sent, &own);
    mw_draft_as(net, "combine");
    return mw_draft_einsum(net, done, weights,
                           mw_draft_text(net, "%s d_model", ff->rows));
}
