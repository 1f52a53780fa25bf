// A sweep over the borders of all pieces of a device.
#include "metrics/ai/ai_sweep.h"

#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_spill.h"
#include "metrics/base/arena.h"

#include <stdlib.h>

/// A moment at which one more piece of a layer is open, or one less.
typedef struct border {
    int64_t time;
    unsigned opens : 1, layer : 2;
    unsigned user : 8;
    unsigned region : 16; // of a copy
    uint32_t exchange;    // among those of all users; PJ_AI_NONE = a copy
} border;

static int by_moment(const void *a, const void *b)
{
    const border *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->exchange != y->exchange)
        return x->exchange < y->exchange ? -1 : 1;
    if (x->opens != y->opens)
        return x->opens < y->opens ? -1 : 1;
    if (x->layer != y->layer)
        return x->layer < y->layer ? -1 : 1;
    if (x->user != y->user)
        return x->user < y->user ? -1 : 1;
    return (int)x->region - (int)y->region;
}

typedef struct sweeping {
    pj_ai_spill *spill;
    const pj_ai_rank *users[UINT8_MAX + 1];
    uint32_t firsts[UINT8_MAX + 1]; // of a user's exchanges among all
    border *borders;
    size_t border_count;
    int64_t open[PJ_AI_LAYERS];  // pieces
    border latest[PJ_AI_LAYERS]; // that opened
    border *queue;               // waits, in the order in which they began
    size_t first, count;
    int32_t *waits; // by exchange: pieces of it that wait now
} sweeping;

static void add_borders(sweeping *s, const pj_ai_piece *piece, int64_t begin, int64_t end,
                        pj_ai_layer of)
{
    if (end <= begin)
        return;
    border at = {.time = begin,
                 .opens = 1,
                 .layer = of & 3,
                 .user = piece->user,
                 .region = piece->region,
                 .exchange = piece->exchange};
    if (at.exchange != PJ_AI_NONE)
        at.exchange += s->firsts[piece->user];
    s->borders[s->border_count++] = at;
    at.time = end;
    at.opens = 0;
    s->borders[s->border_count++] = at;
}

static void lay_out(sweeping *s, const pj_ai_piece *piece)
{
    if (piece->exchange == PJ_AI_NONE) {
        add_borders(s, piece, piece->begin, piece->end, PJ_AI_COPIES);
        return;
    }
    const pj_ai_exchange *exchange = &s->users[piece->user]->exchanges[piece->exchange];
    if (!exchange->split) {
        add_borders(s, piece, piece->begin, piece->end, PJ_AI_UNSPLIT);
        return;
    }
    int64_t moves = exchange->begin + exchange->wait; // from here on
    add_borders(s, piece, piece->begin, moves < piece->end ? moves : piece->end, PJ_AI_WAITS);
    add_borders(s, piece, moves > piece->begin ? moves : piece->begin, piece->end, PJ_AI_TRANSFERS);
}

static const border *first_waiting(sweeping *s)
{
    while (!s->waits[s->queue[s->first].exchange])
        s->first++;
    return &s->queue[s->first];
}

static void pass(sweeping *s, const border *at)
{
    s->open[at->layer] += at->opens ? 1 : -1;
    if (at->opens)
        s->latest[at->layer] = *at;
    if (at->layer != PJ_AI_WAITS)
        return;
    s->waits[at->exchange] += at->opens ? 1 : -1;
    if (at->opens)
        s->queue[s->count++] = *at;
}

/// What a part of the time is of: the exchange or the copy that counts.
static void tell_of(sweeping *s, pj_ai_stretch *stretch)
{
    pj_ai_layer layer = stretch->layer;
    const border *of = layer == PJ_AI_WAITS ? first_waiting(s) : &s->latest[layer];
    bool copy = of->exchange == PJ_AI_NONE;
    stretch->user = of->user;
    stretch->exchange = copy ? PJ_AI_NONE : of->exchange - s->firsts[of->user];
    stretch->region = copy ? of->region : s->users[of->user]->exchanges[stretch->exchange].region;
}

static void sweep(sweeping *s, pj_ai_watch watch)
{
    const border *borders = s->borders;
    for (size_t i = 0; i < s->border_count; i++) {
        pj_ai_spill_pass(s->spill, i);
        pj_ai_stretch stretch = {.begin = i ? borders[i - 1].time : borders[i].time,
                                 .end = borders[i].time};
        unsigned layer = PJ_AI_TRANSFERS;
        while (layer < PJ_AI_LAYERS && !s->open[layer])
            layer++;
        if (stretch.end > stretch.begin && layer < PJ_AI_LAYERS) {
            stretch.layer = (pj_ai_layer)layer;
            tell_of(s, &stretch);
            watch.tell(watch.self, &stretch);
        }
        pass(s, &borders[i]);
    }
}

void pj_ai_sweep(pj_ai_rank *rank, const pj_ai_device *device, pj_ai_watch watch)
{
    sweeping s = {.users = {rank}, .spill = &rank->spill};
    size_t exchanges = rank->exchange_count, cap;
    for (unsigned u = 1; u < device->user_count; u++) {
        s.users[u] = device->users[u];
        s.firsts[u] = (uint32_t)exchanges;
        exchanges += s.users[u]->exchange_count;
    }
    s.borders = pj_ai_spill_new(s.spill, 4 * device->piece_count, sizeof *s.borders, &cap);
    s.queue = pj_ai_spill_new(s.spill, device->piece_count, sizeof *s.queue, &cap);
    s.waits = pj_take_zeros((exchanges + 1) * sizeof *s.waits);
    for (size_t i = 0; i < device->piece_count; i++) {
        pj_ai_spill_pass(s.spill, i);
        lay_out(&s, &device->pieces[i]);
    }
    if (s.border_count)
        (void)!pj_ai_spill_sort(s.spill, s.borders, s.border_count, sizeof *s.borders, by_moment,
                                NULL);
    sweep(&s, watch);
    pj_ai_spill_drop(s.spill, s.borders);
    pj_ai_spill_drop(s.spill, s.queue);
    free(s.waits);
}
