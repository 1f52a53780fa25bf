// Queues of ends that wait for the other one, by (from, to, communicator): of any one only sends or
// only receives have the same tag.
#include "metrics/replay/mail.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"

#include <stdlib.h>
#include <string.h>

typedef struct letter { // an end without the other one
    uint32_t tag, message;
} letter;

typedef struct queue {
    letter *items; // from `first` on
    size_t first, count, cap;
} queue;

typedef struct way { // from one rank to another
    queue sends, receives;
} way;

typedef struct channel { // of a location
    uint32_t other;
    uint32_t out, in; // ways
} channel;

typedef struct place { // of a location
    channel *channels;
    size_t count, cap;
} place;

struct pj_mail {
    pj_engine *engine;
    const pj_layout *layout;
    place *places;  // by location
    pj_map pair_of; // (from, to) -> number
    pj_map way_of;  // (pair, communicator) -> index
    way *ways;
    size_t way_count, way_cap;
    size_t bytes; // of queues and channels
};

pj_mail *pj_mail_new(pj_engine *engine, const pj_layout *layout)
{
    pj_mail *mail = pj_take_memory(sizeof *mail);
    *mail = (pj_mail){.engine = engine, .layout = layout};
    size_t size = layout->locations * sizeof *mail->places;
    mail->places = memset(pj_take_memory(size), 0, size);
    return mail;
}

void pj_mail_free(pj_mail *mail)
{
    if (!mail)
        return;
    for (uint32_t i = 0; i < mail->layout->locations; i++)
        free(mail->places[i].channels);
    for (size_t i = 0; i < mail->way_count; i++) {
        free(mail->ways[i].sends.items);
        free(mail->ways[i].receives.items);
    }
    free(mail->places);
    free(mail->ways);
    pj_map_free(&mail->pair_of);
    pj_map_free(&mail->way_of);
    free(mail);
}

size_t pj_mail_bytes(const pj_mail *mail)
{
    return mail->bytes + mail->way_cap * sizeof *mail->ways +
           (mail->pair_of.cap + mail->way_of.cap) * sizeof *mail->way_of.entries;
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

static uint32_t way_for(pj_mail *mail, uint32_t from, uint32_t to, uint32_t communicator)
{
    uint64_t pair = number_of(&mail->pair_of, (uint64_t)from << 32 | to);
    uint32_t index = number_of(&mail->way_of, pair << 32 | communicator);
    if (index == mail->way_count) {
        pj_grow(mail->ways, &mail->way_cap, ++mail->way_count);
        mail->ways[index] = (way){.sends = {.items = NULL}};
    }
    return index;
}

void pj_mail_open(pj_mail *mail, uint32_t location, uint32_t other, uint32_t communicator)
{
    uint32_t rank = mail->layout->rank_of[location];
    place *p = &mail->places[location];
    size_t cap = p->cap;
    pj_grow(p->channels, &p->cap, p->count + 1);
    mail->bytes += (p->cap - cap) * sizeof *p->channels;
    p->channels[p->count++] = (channel){.other = other,
                                        .out = way_for(mail, rank, other, communicator),
                                        .in = way_for(mail, other, rank, communicator)};
}

static const channel *channel_at(const pj_mail *mail, pj_mail_end end)
{
    return &mail->places[end.location].channels[end.channel];
}

static void put(pj_mail *mail, queue *q, letter item)
{
    if (q->first > 16 && q->first > q->count) { // mostly used up: close up
        memmove(q->items, q->items + q->first, q->count * sizeof *q->items);
        q->first = 0;
    }
    size_t cap = q->cap;
    pj_grow(q->items, &q->cap, q->first + q->count + 1);
    mail->bytes += (q->cap - cap) * sizeof *q->items;
    q->items[q->first + q->count++] = item;
    pj_engine_message_hold(mail->engine, item.message);
}

/// Takes the oldest one with the tag.
static bool take(queue *q, uint32_t tag, uint32_t *message)
{
    for (size_t i = q->first; i < q->first + q->count; i++) {
        if (q->items[i].tag != tag)
            continue;
        *message = q->items[i].message;
        letter *first = q->items + q->first;
        memmove(first + 1, first, (i - q->first) * sizeof *first);
        q->first++;
        q->count--;
        return true;
    }
    return false;
}

uint32_t pj_mail_send(pj_mail *mail, pj_mail_end end, uint64_t size)
{
    const channel *c = channel_at(mail, end);
    way *w = &mail->ways[c->out];
    uint32_t to = mail->layout->first_location[c->other], receive;
    uint32_t send = pj_engine_send(mail->engine, end.location, to, size);
    if (take(&w->receives, end.tag, &receive)) {
        pj_engine_join(mail->engine, send, receive);
        pj_engine_message_release(mail->engine, receive);
    } else {
        put(mail, &w->sends, (letter){end.tag, send});
    }
    return send;
}

void pj_mail_receive(pj_mail *mail, pj_mail_end end, uint32_t message)
{
    const channel *c = channel_at(mail, end);
    way *w = &mail->ways[c->in];
    uint32_t send;
    pj_engine_from(mail->engine, message, mail->layout->first_location[c->other]);
    if (take(&w->sends, end.tag, &send)) {
        pj_engine_join(mail->engine, send, message);
        pj_engine_message_release(mail->engine, send);
    } else {
        put(mail, &w->receives, (letter){end.tag, message});
    }
}
