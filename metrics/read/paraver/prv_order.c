// Putting the events of a location in order of time.
// A heap of held-back events for each unordered location, or one of all where the whole is to be
// in order and is not. An event leaves it when its location, or any, has been seen at a time that
// no later record can go behind.
#include "metrics/read/paraver/prv_order.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdlib.h>

typedef struct held_event {
    pj_event event;
    uint64_t sequence; // keeps the order of the input among equal times
} held_event;

typedef struct held_heap {
    held_event *items;
    size_t count, cap;
    uint64_t latest; // of the events held so far
} held_heap;

struct pj_prv_order {
    pj_job *job;
    uint32_t locations;
    bool whole;
    uint64_t last;    // time of any location, where the whole is to be in order
    uint64_t *latest; // by location
    uint64_t *found;  // by location, then of the whole, ns; NULL until something goes back
    const uint64_t *disorder;
    held_heap *heaps; // by location; NULL in the first pass
    uint64_t sequence;
    uint64_t memory; // of the heaps, charged to the job
    pj_event *out;
    size_t out_count, out_cap;
};

pj_prv_order *pj_prv_order_new(uint32_t locations, const uint64_t *disorder, bool whole,
                               pj_job *job)
{
    pj_prv_order *order = pj_take_memory(sizeof *order);
    *order =
        (pj_prv_order){.job = job, .locations = locations, .whole = whole, .disorder = disorder};
    order->latest = pj_take_memory(locations * sizeof *order->latest);
    memset(order->latest, 0, locations * sizeof *order->latest);
    if (disorder) {
        order->heaps = pj_take_memory((locations + 1) * sizeof *order->heaps);
        memset(order->heaps, 0, (locations + 1) * sizeof *order->heaps);
    }
    return order;
}

void pj_prv_order_free(pj_prv_order *order)
{
    if (!order)
        return;
    for (uint32_t i = 0; order->heaps && i <= order->locations; i++)
        free(order->heaps[i].items);
    atomic_fetch_sub(&order->job->memory_used, order->memory);
    free(order->heaps);
    free(order->latest);
    free(order->found);
    free(order->out);
    free(order);
}

static void note_back(pj_prv_order *order, uint32_t location, uint64_t back)
{
    if (!order->found) {
        order->found = pj_take_memory((order->locations + 1) * sizeof *order->found);
        memset(order->found, 0, (order->locations + 1) * sizeof *order->found);
    }
    if (back > order->found[location])
        order->found[location] = back;
}

static void watch_whole(pj_prv_order *order, const pj_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind == PJ_EV_MESSAGE)
            continue;
        if (event->time < order->last)
            note_back(order, order->locations, order->last - event->time);
        else
            order->last = event->time;
    }
}

uint64_t pj_prv_order_watch(pj_prv_order *order, const pj_batch *batch, size_t *first)
{
    if (batch->count == 0)
        return 0;
    if (order->whole)
        watch_whole(order, batch);
    uint64_t *const latest = order->latest, back = 0;
    const pj_event *const end = batch->events + batch->count;
    for (const pj_event *event = batch->events; event < end; event++) {
        uint64_t seen = latest[event->location];
        if (__builtin_expect(event->time >= seen, 1)) {
            latest[event->location] = event->kind == PJ_EV_MESSAGE ? seen : event->time;
            continue;
        }
        if (event->kind == PJ_EV_MESSAGE)
            continue;
        note_back(order, event->location, seen - event->time);
        bool same_record = event > batch->events && event[-1].location == event->location &&
                           event[-1].time == event->time && event->kind != PJ_EV_STATE;
        if (!back)
            *first = (size_t)(event - batch->events);
        back += !same_record;
    }
    return back;
}

uint64_t *pj_prv_order_take_disorder(pj_prv_order *order)
{
    uint64_t *found = order->found;
    order->found = NULL;
    return found;
}

static bool before(const held_event *a, const held_event *b)
{
    return a->event.time < b->event.time ||
           (a->event.time == b->event.time && a->sequence < b->sequence);
}

static void hold(pj_prv_order *order, held_heap *heap, pj_event event)
{
    size_t cap = heap->cap;
    pj_grow(heap->items, &heap->cap, heap->count + 1);
    uint64_t grown = (heap->cap - cap) * sizeof(held_event);
    order->memory += grown;
    atomic_fetch_add_explicit(&order->job->memory_used, grown, memory_order_relaxed);
    held_event item = {event, order->sequence++};
    size_t at = heap->count++;
    while (at && before(&item, &heap->items[(at - 1) / 2])) {
        heap->items[at] = heap->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->items[at] = item;
}

static pj_event release(held_heap *heap)
{
    pj_event first = heap->items[0].event;
    held_event last = heap->items[--heap->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < heap->count && before(&heap->items[child + 1], &heap->items[child]))
            child++;
        if (child >= heap->count || !before(&heap->items[child], &last))
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = last;
    return first;
}

static void give(pj_prv_order *order, pj_event event)
{
    pj_grow(order->out, &order->out_cap, order->out_count + 1);
    order->out[order->out_count++] = event;
}

static void give_until(pj_prv_order *order, held_heap *heap, uint64_t until)
{
    while (heap->count && heap->items[0].event.time <= until)
        give(order, release(heap));
}

pj_batch pj_prv_order_pass(pj_prv_order *order, const pj_batch *batch)
{
    order->out_count = 0;
    if (!batch) {
        for (uint32_t i = 0; order->heaps && i <= order->locations; i++)
            give_until(order, &order->heaps[i], UINT64_MAX);
        return (pj_batch){.events = order->out, .count = order->out_count};
    }
    if (!order->heaps)
        return *batch;
    bool whole = order->whole && order->disorder[order->locations];
    for (size_t i = 0; i < batch->count; i++) {
        pj_event event = batch->events[i];
        uint32_t place = whole ? order->locations : event.location;
        uint64_t slack = order->disorder[place];
        if (!slack || event.kind == PJ_EV_MESSAGE) {
            give(order, event);
            continue;
        }
        held_heap *heap = &order->heaps[place];
        hold(order, heap, event);
        if (event.time > heap->latest)
            heap->latest = event.time;
        if (heap->latest >= slack)
            give_until(order, heap, heap->latest - slack);
    }
    pj_batch out = *batch;
    out.events = order->out;
    out.count = order->out_count;
    return out;
}
