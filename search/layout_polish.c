/* layout_polish.c - among choices of equal time, one that takes less memory:
 * homes are moved one by one, in order, until none moves. */
#include <string.h>

#include "search/layout_hunt.h"

enum { MAX_PASSES = 8 };

typedef struct weight {
    int64_t time_ps, memory;
} weight;

// What a home costs in one state: the time of its links, then the bytes of its
// life and of its links.
static weight weigh(const mw_hunt *hunt, const int32_t *state, int32_t node,
                    int32_t h)
{
    const mw_space *space = hunt->space;
    mw_life life = space->life[space->node_tensor[node]];
    int64_t bytes = space->home_class[space->node_class[node]].bytes[h];
    weight sum = {0, 0};
    mw_int128 whole = (mw_int128)bytes * (life.end - life.begin);
    sum.memory = whole < INT64_MAX ? (int64_t)whole : INT64_MAX;
    for (int32_t i = hunt->home_link_of[node]; i < hunt->home_link_of[node + 1];
         i++) {
        const mw_link *link = &space->link[hunt->home_link[i]];
        const mw_link_class *c = &space->link_class[link->link_class];
        int32_t row = c->row[state[space->op_node[link->op]]];
        int64_t cell = (int64_t)row * c->n_homes + h;
        sum.time_ps += c->time_ps[cell];
        sum.memory = mw_add_bytes(sum.memory, c->memory_bytes[cell]);
    }
    return sum;
}

static bool move(const mw_hunt *hunt, int32_t *state, int32_t node)
{
    int32_t best = state[node];
    weight least = weigh(hunt, state, node, best);
    for (int32_t h = 0; h < mw_space_states(hunt->space, node); h++) {
        weight w = weigh(hunt, state, node, h);
        if (w.time_ps < least.time_ps ||
            (w.time_ps == least.time_ps && w.memory < least.memory)) {
            least = w;
            best = h;
        }
    }
    bool moved = best != state[node];
    state[node] = best;
    return moved;
}

void mw_hunt_polish(mw_hunt *hunt, int64_t limit, const int32_t *state,
                    int32_t *polished)
{
    const mw_space *space = hunt->space;
    size_t bytes = (size_t)space->n_nodes * sizeof *state;
    memcpy(polished, state, bytes);
    bool moved = !hunt->tables.ties;
    for (int pass = 0; moved && pass < MAX_PASSES; pass++) {
        moved = false;
        for (int32_t i = 0; i < space->n_nodes; i++) {
            if (space->node_tensor[i] != MW_NONE)
                moved = move(hunt, polished, i) || moved;
        }
    }
    mw_space_figures figures;
    mw_space_evaluate(space, polished, hunt->live, &figures);
    if (figures.peak_bytes > limit)
        memcpy(polished, state, bytes);
}
