// Messages whose ends are told apart.
// Queues of ends that wait for the other one, by (from, to, communicator): of any one only sends or
// only receives have the same tag. Where the sender's rank is in another process, its sends come
// from there in their order, and something stands for each of them here.
#include "metrics/replay/matching.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/shelf.h"
#include "metrics/base/str.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>
#include <string.h>

typedef struct parcel { // a message to or from another process
    uint32_t message;   // PJ_NOTHING: nobody asks for it any more
    bool told;          // what the other process waits for
} parcel;

typedef struct way {          // from one rank to another
    pj_shelf sends, receives; // numbers of messages, by tag
    uint32_t from, to, communicator;
    unsigned member;  // that has the other end, if it is not here
    uint32_t number;  // of a way to or from another process, among those of its sender to this one
    bool far, opened; // has such an other end; which has been told of it
    uint64_t first;   // parcel that is kept first, counted from 0 on
    parcel *parcels;  // ring
    uint32_t head, count, cap;
} way;

typedef struct address { // of a message of this process
    uint32_t way;        // PJ_NOTHING = it goes to nobody else
    uint64_t number;
} address;

typedef struct ways { // of one member, by their number
    uint32_t *out, *in;
    uint32_t out_count, in_count;
    size_t out_cap, in_cap;
} ways;

typedef struct channel { // of a location
    uint32_t other;
    uint32_t out, in; // ways
} channel;

typedef struct endpoint { // of a location
    channel *channels;
    size_t count, cap;
} endpoint;

struct pj_matching {
    pj_engine *engine;
    const pj_layout *layout;
    pj_far *far;
    endpoint *endpoints; // by location
    pj_map pair_of;      // (from, to) -> number
    pj_map way_of;       // (pair, communicator) -> index
    way *ways;
    size_t way_count, way_cap;
    size_t bytes;       // of shelves, channels and parcels
    ways *links;        // by member
    address *addresses; // by message, where there are other processes
    size_t address_count, address_cap;
};

pj_matching *pj_matching_new(pj_engine *engine, const pj_layout *layout, pj_far *far)
{
    pj_matching *matching = pj_take_memory(sizeof *matching);
    *matching = (pj_matching){.engine = engine, .layout = layout, .far = far};
    size_t size = layout->locations * sizeof *matching->endpoints;
    matching->endpoints = memset(pj_take_memory(size), 0, size);
    size = (far ? far->size : 0) * sizeof *matching->links;
    matching->links = memset(pj_take_memory(size + 1), 0, size);
    return matching;
}

void pj_matching_free(pj_matching *matching)
{
    if (!matching)
        return;
    for (uint32_t i = 0; i < matching->layout->locations; i++)
        free(matching->endpoints[i].channels);
    for (size_t i = 0; i < matching->way_count; i++) {
        pj_shelf_free(&matching->ways[i].sends);
        pj_shelf_free(&matching->ways[i].receives);
        free(matching->ways[i].parcels);
    }
    for (unsigned i = 0; matching->far && i < matching->far->size; i++) {
        free(matching->links[i].out);
        free(matching->links[i].in);
    }
    free(matching->links);
    free(matching->addresses);
    free(matching->endpoints);
    free(matching->ways);
    pj_map_free(&matching->pair_of);
    pj_map_free(&matching->way_of);
    free(matching);
}

size_t pj_matching_bytes(const pj_matching *matching)
{
    return matching->bytes + matching->way_cap * sizeof *matching->ways +
           matching->address_cap * sizeof *matching->addresses +
           (matching->pair_of.cap + matching->way_of.cap) * sizeof *matching->way_of.entries;
}

/// The number that a key has in a map, the next one when it is new.
static uint32_t number_of(pj_map *map, uint64_t key)
{
    uint32_t number;
    if (pj_map_get(map, key, &number))
        return number;
    number = (uint32_t)map->count;
    pj_map_put(map, key, number);
    return number;
}

/// Where the ends of a way are.
static void place_ends(const pj_matching *matching, way *w)
{
    bool from_far = pj_far_has(matching->far, w->from), to_far = pj_far_has(matching->far, w->to);
    w->far = from_far || to_far;
    if (w->far)
        w->member = matching->far->owner[from_far ? w->from : w->to];
}

static uint32_t way_for(pj_matching *matching, uint32_t from, uint32_t to, uint32_t communicator)
{
    uint64_t pair = number_of(&matching->pair_of, (uint64_t)from << 32 | to);
    uint32_t index = number_of(&matching->way_of, pair << 32 | communicator);
    if (index == matching->way_count) {
        pj_grow(matching->ways, &matching->way_cap, ++matching->way_count);
        const pj_shelf empty = {.item_size = sizeof(uint32_t)};
        matching->ways[index] = (way){.sends = empty,
                                      .receives = empty,
                                      .from = from,
                                      .to = to,
                                      .communicator = communicator};
        place_ends(matching, &matching->ways[index]);
    }
    return index;
}

void pj_matching_open(pj_matching *matching, uint32_t location, uint32_t other,
                      uint32_t communicator)
{
    uint32_t rank = matching->layout->rank_of[location];
    endpoint *p = &matching->endpoints[location];
    size_t cap = p->cap;
    pj_grow(p->channels, &p->cap, p->count + 1);
    matching->bytes += (p->cap - cap) * sizeof *p->channels;
    p->channels[p->count++] = (channel){.other = other,
                                        .out = way_for(matching, rank, other, communicator),
                                        .in = way_for(matching, other, rank, communicator)};
}

static const channel *channel_at(const pj_matching *matching, pj_matching_end end)
{
    return &matching->endpoints[end.location].channels[end.channel];
}

static void put(pj_matching *matching, pj_shelf *shelf, uint32_t tag, uint32_t message)
{
    size_t before = pj_shelf_bytes(shelf);
    pj_shelf_put(shelf, tag, &message);
    matching->bytes += pj_shelf_bytes(shelf) - before;
    pj_engine_message_hold(matching->engine, message);
}

/// Takes the oldest one with the tag.
static bool take(pj_matching *matching, pj_shelf *shelf, uint32_t tag, uint32_t *message)
{
    size_t before = pj_shelf_bytes(shelf);
    bool taken = pj_shelf_take(shelf, tag, PJ_OLDEST, message);
    matching->bytes += pj_shelf_bytes(shelf) - before;
    return taken;
}

/// A send finds its receive, or waits for it.
static void meet_receive(pj_matching *matching, way *w, uint32_t tag, uint32_t send)
{
    uint32_t receive;
    if (take(matching, &w->receives, tag, &receive)) {
        pj_engine_join(matching->engine, send, receive);
        pj_engine_message_release(matching->engine, receive);
    } else {
        put(matching, &w->sends, tag, send);
    }
}

// Other processes

/// The way's next parcel, which is held.
static void add_parcel(pj_matching *matching, uint32_t index, uint32_t message)
{
    way *w = &matching->ways[index];
    if (w->count == w->cap) {
        uint32_t cap = w->cap ? w->cap * 2 : 4;
        w->parcels = pj_widen_ring(w->parcels, w->cap, w->head, cap, sizeof *w->parcels);
        matching->bytes += (cap - w->cap) * sizeof *w->parcels;
        w->cap = cap;
        w->head = 0;
    }
    w->parcels[(w->head + w->count) & (w->cap - 1)] = (parcel){.message = message};
    pj_grow(matching->addresses, &matching->address_cap, (size_t)message + 1);
    for (; matching->address_count <= message; matching->address_count++)
        matching->addresses[matching->address_count] = (address){.way = PJ_NOTHING};
    matching->addresses[message] = (address){index, w->first + w->count++};
    pj_engine_message_hold(matching->engine, message);
    pj_engine_far(matching->engine, message);
}

static parcel *parcel_at(const way *w, uint64_t number)
{
    bool kept = number >= w->first && number - w->first < w->count;
    return kept ? &w->parcels[(w->head + (uint32_t)(number - w->first)) & (w->cap - 1)] : NULL;
}

/// Nobody asks for the parcel any more.
static void drop_parcel(pj_matching *matching, way *w, parcel *p)
{
    matching->addresses[p->message].way = PJ_NOTHING;
    pj_engine_message_release(matching->engine, p->message);
    p->message = PJ_NOTHING;
    while (w->count > 0 && w->parcels[w->head].message == PJ_NOTHING) {
        w->head = (w->head + 1) & (w->cap - 1);
        w->count--;
        w->first++;
    }
}

static void open_way(pj_matching *matching, uint32_t index)
{
    way *w = &matching->ways[index];
    ways *link = &matching->links[w->member];
    if (w->opened)
        return;
    w->opened = true;
    w->number = link->out_count++;
    pj_grow(link->out, &link->out_cap, link->out_count);
    link->out[w->number] = index;
    pj_far_put(&matching->far->out[w->member], PJ_FAR_WAY,
               (uint64_t[]){w->from, w->to, w->communicator}, 3);
}

static void send_far(pj_matching *matching, uint32_t index, uint32_t send, pj_matching_end end,
                     uint64_t size)
{
    open_way(matching, index);
    const way *w = &matching->ways[index];
    pj_far_put(&matching->far->out[w->member], PJ_FAR_SEND,
               (uint64_t[]){w->number, end.tag, end.location, size}, 4);
    add_parcel(matching, index, send);
}

/// A message that this process sends. It is done with when its sender does not wait for the post.
static void tell_sent(pj_matching *matching, way *w, parcel *p, uint64_t number)
{
    double clock;
    bool lost;
    if (!p->told && pj_engine_sent(matching->engine, p->message, &clock, &lost)) {
        pj_buf *out = &matching->far->out[w->member];
        p->told = true;
        pj_far_put(out, lost ? PJ_FAR_LOST : PJ_FAR_SENT, (uint64_t[]){w->number, number}, 2);
        pj_far_put_clock(out, clock);
    }
    if (p->told && !pj_engine_sender_waits(matching->engine, p->message))
        drop_parcel(matching, w, p);
}

/// One that another process sends. Its sender may wait for the post of a large one.
static void tell_posted(pj_matching *matching, way *w, parcel *p, uint64_t number)
{
    double clock;
    bool lost, large = pj_engine_is_large(matching->engine, p->message);
    if (large && !p->told && pj_engine_posted(matching->engine, p->message, &clock)) {
        pj_buf *out = &matching->far->out[w->member];
        p->told = true;
        pj_far_put(out, PJ_FAR_POSTED, (uint64_t[]){w->number, number}, 2);
        pj_far_put_clock(out, clock);
    }
    if (pj_engine_sent(matching->engine, p->message, &clock, &lost) && (lost || !large || p->told))
        drop_parcel(matching, w, p);
}

void pj_matching_tell(pj_matching *matching)
{
    for (uint32_t message; pj_engine_far_news(matching->engine, &message);) {
        if (message >= matching->address_count || matching->addresses[message].way == PJ_NOTHING)
            continue; // done with, since
        address a = matching->addresses[message];
        way *w = &matching->ways[a.way];
        parcel *p = parcel_at(w, a.number);
        if (pj_far_has(matching->far, w->from))
            tell_posted(matching, w, p, a.number);
        else
            tell_sent(matching, w, p, a.number);
    }
}

/// A way that `member` opens to a rank of this process.
static bool hear_way(pj_matching *matching, unsigned member, pj_str *in)
{
    uint64_t n[3];
    uint32_t ranks = matching->layout->ranks;
    if (!pj_far_take(in, n, 3) || n[0] >= ranks || n[1] >= ranks ||
        matching->far->owner[n[0]] != member || pj_far_has(matching->far, (uint32_t)n[1]))
        return false;
    ways *link = &matching->links[member];
    pj_grow(link->in, &link->in_cap, link->in_count + 1);
    link->in[link->in_count] = way_for(matching, (uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]);
    matching->ways[link->in[link->in_count]].number = link->in_count;
    link->in_count++;
    return true;
}

static bool hear_send(pj_matching *matching, unsigned member, pj_str *in)
{
    uint64_t n[4];
    const ways *link = &matching->links[member];
    if (!pj_far_take(in, n, 4) || n[0] >= link->in_count || n[2] >= matching->layout->locations)
        return false;
    uint32_t index = link->in[n[0]];
    way *w = &matching->ways[index];
    uint32_t send = pj_engine_send(matching->engine, (uint32_t)n[2],
                                   matching->layout->first_location[w->to], n[3]);
    add_parcel(matching, index, send);
    meet_receive(matching, w, (uint32_t)n[1], send);
    pj_engine_message_release(matching->engine, send);
    return true;
}

/// The clock of one end of a parcel; nobody asks for it when it is not kept.
static bool hear_clock(pj_matching *matching, unsigned member, pj_far_kind kind, pj_str *in)
{
    uint64_t n[2];
    double clock;
    const ways *link = &matching->links[member];
    bool posted = kind == PJ_FAR_POSTED;
    if (!pj_far_take(in, n, 2) || !pj_far_take_clock(in, &clock) ||
        n[0] >= (posted ? link->out_count : link->in_count))
        return false;
    way *w = &matching->ways[posted ? link->out[n[0]] : link->in[n[0]]];
    parcel *p = parcel_at(w, n[1]);
    if (!p || p->message == PJ_NOTHING)
        return posted;
    if (posted)
        pj_engine_no_post(matching->engine, p->message, clock);
    else if (kind == PJ_FAR_LOST)
        pj_engine_no_send(matching->engine, p->message);
    else
        pj_engine_sent_at(matching->engine, p->message, clock);
    return true; // what follows from it is among the news
}

bool pj_matching_hear(pj_matching *matching, unsigned member, pj_far_kind kind, pj_str *in)
{
    if (kind == PJ_FAR_WAY)
        return hear_way(matching, member, in);
    if (kind == PJ_FAR_SEND)
        return hear_send(matching, member, in);
    return hear_clock(matching, member, kind, in);
}

uint32_t pj_matching_send(pj_matching *matching, pj_matching_end end, uint64_t size)
{
    const channel *c = channel_at(matching, end);
    way *w = &matching->ways[c->out];
    uint32_t to = matching->layout->first_location[c->other];
    uint32_t send = pj_engine_send(matching->engine, end.location, to, size);
    if (w->far)
        send_far(matching, c->out, send, end, size);
    else
        meet_receive(matching, w, end.tag, send);
    return send;
}

void pj_matching_receive(pj_matching *matching, pj_matching_end end, uint32_t message)
{
    const channel *c = channel_at(matching, end);
    way *w = &matching->ways[c->in];
    uint32_t send;
    pj_engine_from(matching->engine, message, matching->layout->first_location[c->other]);
    if (take(matching, &w->sends, end.tag, &send)) {
        pj_engine_join(matching->engine, send, message);
        pj_engine_message_release(matching->engine, send);
    } else {
        put(matching, &w->receives, end.tag, message);
    }
}
