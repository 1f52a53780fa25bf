// A sweep over the borders of all pieces of a device.
#include "metrics/ai/ai_sweep.h"

#include "metrics/ai/ai_rank.h"
#include "metrics/base/arena.h"
#include "metrics/base/sort.h"

#include <stdlib.h>

/// A moment at which one more piece of a layer is open, or one less.
typedef struct border {
    int64_t time;
    int8_t change;
    uint8_t layer;
    uint16_t region;   // of a copy
    uint32_t exchange; // PJ_AI_NONE = a copy
} border;

static int by_moment(const void *a, const void *b)
{
    const border *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->exchange > y->exchange) - (x->exchange < y->exchange);
}

static size_t add_borders(border *out, const pj_ai_piece *piece, int64_t begin, int64_t end,
                          pj_ai_layer of)
{
    if (end <= begin)
        return 0;
    out[0] = (border){begin, 1, (uint8_t)of, piece->region, piece->exchange};
    out[1] = (border){end, -1, (uint8_t)of, piece->region, piece->exchange};
    return 2;
}

static size_t lay_out(const pj_ai_rank *rank, const pj_ai_piece *piece, border *out)
{
    if (piece->exchange == PJ_AI_NONE)
        return add_borders(out, piece, piece->begin, piece->end, PJ_AI_COPIES);
    const pj_ai_exchange *exchange = &rank->exchanges[piece->exchange];
    if (!exchange->split)
        return add_borders(out, piece, piece->begin, piece->end, PJ_AI_UNSPLIT);
    int64_t moves = exchange->begin + exchange->wait; // from here on
    int64_t until = moves < piece->end ? moves : piece->end;
    int64_t from = moves > piece->begin ? moves : piece->begin;
    size_t count = add_borders(out, piece, piece->begin, until, PJ_AI_WAITS);
    return count + add_borders(out + count, piece, from, piece->end, PJ_AI_TRANSFERS);
}

typedef struct sweeping {
    int64_t open[PJ_AI_LAYERS];    // pieces
    uint32_t latest[PJ_AI_LAYERS]; // exchange
    uint16_t copied_in;            // region of the latest copy
    uint32_t *queue;               // exchanges that wait, in the order in which they began to
    size_t first, count;
    int32_t *waits; // by exchange of the rank: pieces of it that wait now
} sweeping;

static uint32_t first_waiting(sweeping *s)
{
    while (!s->waits[s->queue[s->first]])
        s->first++;
    return s->queue[s->first];
}

static void pass(sweeping *s, const border *at)
{
    s->open[at->layer] += at->change;
    if (at->change > 0)
        s->latest[at->layer] = at->exchange;
    if (at->change > 0 && at->layer == PJ_AI_COPIES)
        s->copied_in = at->region;
    if (at->layer != PJ_AI_WAITS)
        return;
    s->waits[at->exchange] += at->change;
    if (at->change > 0)
        s->queue[s->count++] = at->exchange;
}

static void sweep(sweeping *s, const pj_ai_rank *rank, const border *borders, size_t count,
                  pj_ai_watch watch)
{
    for (size_t i = 0; i < count; i++) {
        pj_ai_stretch stretch = {.begin = i ? borders[i - 1].time : borders[i].time,
                                 .end = borders[i].time};
        unsigned layer = PJ_AI_TRANSFERS;
        while (layer < PJ_AI_LAYERS && !s->open[layer])
            layer++;
        if (stretch.end > stretch.begin && layer < PJ_AI_LAYERS) {
            stretch.layer = (pj_ai_layer)layer;
            stretch.exchange = layer == PJ_AI_WAITS ? first_waiting(s) : s->latest[layer];
            stretch.region =
                layer == PJ_AI_COPIES ? s->copied_in : rank->exchanges[stretch.exchange].region;
            watch.tell(watch.self, &stretch);
        }
        pass(s, &borders[i]);
    }
}

void pj_ai_sweep(const pj_ai_rank *rank, const pj_ai_device *device, pj_ai_watch watch)
{
    border *borders = pj_take_memory((4 * device->piece_count + 1) * sizeof *borders);
    size_t count = 0;
    sweeping s = {.queue = pj_take_memory((device->piece_count + 1) * sizeof *s.queue),
                  .waits = pj_take_zeros((rank->exchange_count + 1) * sizeof *s.waits)};
    for (size_t i = 0; i < device->piece_count; i++)
        count += lay_out(rank, &device->pieces[i], borders + count);
    if (count)
        (void)!pj_sort_records(borders, count, sizeof *borders, by_moment, NULL);
    sweep(&s, rank, borders, count, watch);
    free(borders);
    free(s.queue);
    free(s.waits);
}
