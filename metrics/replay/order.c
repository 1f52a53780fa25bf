// Events of several threads in order of time.
// A queue for each thread, merged by a heap of those that have something to give.
#include "metrics/replay/order.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdlib.h>
#include <string.h>

typedef struct lane { // of a location
    pj_event *events; // from `first` on
    size_t first, count, cap;
    uint64_t reached;
} lane;

struct pj_order {
    const pj_layout *layout;
    lane *lanes; // by location
    lane **heap; // of one rank
    uint32_t heap_count;
    size_t bytes;
};

pj_order *pj_order_new(const pj_layout *layout)
{
    pj_order *order = pj_take_memory(sizeof *order);
    *order = (pj_order){.layout = layout};
    size_t size = layout->locations * sizeof *order->lanes;
    order->lanes = memset(pj_take_memory(size), 0, size);
    uint32_t most = 0;
    for (uint32_t r = 0; r < layout->ranks; r++)
        if (pj_layout_threads(layout, r) > most)
            most = pj_layout_threads(layout, r);
    order->heap = pj_take_memory((most + 1) * sizeof(lane *));
    order->bytes = size;
    return order;
}

void pj_order_free(pj_order *order)
{
    if (!order)
        return;
    for (uint32_t i = 0; i < order->layout->locations; i++)
        free(order->lanes[i].events);
    free(order->lanes);
    free(order->heap);
    free(order);
}

size_t pj_order_bytes(const pj_order *order)
{
    return order->bytes;
}

void pj_order_add(pj_order *order, const pj_event *event)
{
    lane *l = &order->lanes[event->location];
    size_t cap = l->cap;
    pj_grow(l->events, &l->cap, l->first + l->count + 1);
    order->bytes += (l->cap - cap) * sizeof *l->events;
    l->events[l->first + l->count++] = *event;
}

void pj_order_reach(pj_order *order, uint32_t location, uint64_t time)
{
    lane *l = &order->lanes[location];
    l->reached = l->reached < time ? time : l->reached;
}

static const pj_event *front(const lane *l)
{
    return &l->events[l->first];
}

/// Lanes of a rank lie in the order of its threads.
static bool comes_first(const lane *a, const lane *b)
{
    uint64_t x = front(a)->time, y = front(b)->time;
    return x < y || (x == y && a < b);
}

static void sink_down(pj_order *order, uint32_t at)
{
    lane *moved = order->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < order->heap_count; at = child) {
        if (child + 1 < order->heap_count &&
            comes_first(order->heap[child + 1], order->heap[child]))
            child++;
        if (!comes_first(order->heap[child], moved))
            break;
        order->heap[at] = order->heap[child];
    }
    order->heap[at] = moved;
}

/// The lanes of the rank that have events before `until`.
static void build_heap(pj_order *order, uint32_t rank, uint64_t until)
{
    const pj_layout *layout = order->layout;
    order->heap_count = 0;
    for (uint32_t i = layout->first_location[rank]; i < layout->first_location[rank + 1]; i++) {
        lane *l = &order->lanes[i];
        if (l->count > 0 && front(l)->time < until)
            order->heap[order->heap_count++] = l;
    }
    for (uint32_t i = order->heap_count / 2; i-- > 0;)
        sink_down(order, i);
}

/// The time before which nothing of the rank comes any more.
static uint64_t end_of(const pj_order *order, uint32_t rank)
{
    const pj_layout *layout = order->layout;
    uint64_t until = UINT64_MAX;
    for (uint32_t i = layout->first_location[rank]; i < layout->first_location[rank + 1]; i++) {
        if (order->lanes[i].reached < until)
            until = order->lanes[i].reached;
    }
    return until;
}

static void close_up(lane *l)
{
    if (l->count > 0 && l->first <= l->count)
        return; // not worth it yet
    if (l->count > 0)
        memmove(l->events, front(l), l->count * sizeof *l->events);
    l->first = 0;
}

void pj_order_hand_on(pj_order *order, uint32_t rank,
                      void (*take)(void *self, const pj_event *event), void *self)
{
    uint64_t until = end_of(order, rank);
    build_heap(order, rank, until);
    while (order->heap_count > 0) {
        lane *l = order->heap[0];
        take(self, front(l));
        l->first++;
        l->count--;
        if (l->count == 0 || front(l)->time >= until) {
            close_up(l);
            order->heap[0] = order->heap[--order->heap_count];
        }
        if (order->heap_count > 0)
            sink_down(order, 0);
    }
}
