// Of events that the leader's sinks do not look at only the time is sent: it keeps the order.
#include "metrics/read/otf2/otf2_share.h"

#include "metrics/base/arena.h"
#include "metrics/trace/event_code.h"

#include <stdlib.h>

#define DISMISSED UINT64_MAX // in place of a number of wishes

typedef struct wish {
    uint32_t location;
    size_t events;
} wish;

struct pj_otf2_share {
    pj_pass *pass;
    pj_crew *crew;
    pj_otf2_place **places; // by location
    uint32_t count;
    unsigned workers, kinds;
    wish *wishes; // of the leader: to be sent; of others: to be done
    size_t wish_count, wish_cap, next;
    pj_buf bytes; // of one place
};

/// What the leader needs of a place that has ended.
typedef struct ending {
    uint64_t records, last, posted, completed;
    uint32_t waits;
    bool partial, begun, damaged;
    pj_import_stats import;
    char damage[256];
} ending;

pj_otf2_share *pj_otf2_share_new(pj_pass *pass, pj_otf2_place **places, unsigned workers)
{
    pj_otf2_share *share = pj_take_memory(sizeof *share);
    *share = (pj_otf2_share){.pass = pass,
                             .crew = pass->crew,
                             .places = places,
                             .count = pass->run->layout.locations,
                             .workers = workers,
                             .kinds = pj_pass_kinds(pass) | 1u << PJ_EV_MESSAGE};
    return share;
}

void pj_otf2_share_free(pj_otf2_share *share)
{
    if (!share)
        return;
    pj_buf_free(&share->bytes);
    free(share->wishes);
    free(share);
}

static unsigned owner_of(const pj_otf2_share *share, const pj_otf2_place *place)
{
    return pj_layout_owner(&share->pass->run->layout, share->crew, place->location);
}

bool pj_otf2_share_owns(const pj_otf2_share *share, const pj_otf2_place *place)
{
    return owner_of(share, place) == share->crew->rank;
}

static bool bad_bytes(const pj_otf2_share *share, unsigned member, pj_err *err)
{
    return pj_fail(err, PJ_E_IO, share->pass->run->path, 0,
                   "what process %u has sent cannot be read", member);
}

// Begins

/// Ticks of the global clock, of which 0 = no record.
static void tell_begins(pj_otf2_share *share)
{
    pj_auto_buf begins = {.at = NULL};
    for (uint32_t i = 0; i < share->count; i++) {
        uint64_t ticks = 0;
        if (!pj_otf2_share_owns(share, share->places[i]))
            continue;
        bool there = pj_otf2_place_first(share->places[i], &ticks);
        pj_code_number(&begins, there);
        pj_code_number(&begins, ticks);
    }
    pj_crew_tell(share->crew, pj_buf_str(&begins));
}

static bool take_begins(pj_otf2_share *share, unsigned member)
{
    pj_str in = pj_crew_from(share->crew, member);
    for (uint32_t i = 0; i < share->count; i++) {
        pj_otf2_place *place = share->places[i];
        uint64_t there, ticks;
        if (owner_of(share, place) != member)
            continue;
        if (!pj_decode_number(&in, &there) || !pj_decode_number(&in, &ticks))
            return false;
        place->has_ahead = there;
        place->ahead.time = ticks; // its clock has no offsets here: they are in the ticks
    }
    return true;
}

bool pj_otf2_share_begins(pj_otf2_share *share, pj_err *err)
{
    tell_begins(share);
    if (!pj_crew_exchange(share->crew, err))
        return false;
    for (unsigned member = 0; member < share->crew->size; member++)
        if (member != share->crew->rank && !take_begins(share, member))
            return bad_bytes(share, member, err);
    return true;
}

// The leader's wishes

void pj_otf2_share_ask(pj_otf2_share *share, const pj_otf2_place *place, size_t events)
{
    pj_grow(share->wishes, &share->wish_cap, share->wish_count + 1);
    share->wishes[share->wish_count++] = (wish){place->location, events};
}

bool pj_otf2_share_send_for(pj_otf2_share *share, pj_err *err)
{
    for (size_t i = 0; i < share->wish_count; i++) {
        const wish *w = &share->wishes[i];
        pj_buf *out = &share->crew->out[owner_of(share, share->places[w->location])];
        pj_code_number(out, w->location);
        pj_code_number(out, w->events);
    }
    share->wish_count = 0;
    return pj_crew_exchange(share->crew, err);
}

bool pj_otf2_share_dismiss(pj_otf2_share *share, pj_err *err)
{
    for (unsigned i = 0; i < share->crew->size; i++)
        pj_code_number(&share->crew->out[i], DISMISSED);
    return pj_crew_exchange(share->crew, err);
}

// What the others send

bool pj_otf2_share_pass(pj_otf2_share *share, const pj_otf2_place *place, size_t first, pj_err *err)
{
    size_t at = first, end = first;
    for (; at < place->event_count; at = end + 1) {
        for (end = at; end < place->event_count && place->events[end].kind != PJ_EV_MESSAGE;)
            end++;
        pj_batch batch = {.events = place->events + at, .count = end - at};
        if (!pj_pass_own(share->pass, &batch, err))
            return false;
    }
    return true;
}

static void send_events(pj_otf2_share *share, const pj_otf2_place *place, pj_buf *out)
{
    pj_event_code code = {.time = 0};
    share->bytes.len = 0;
    for (size_t i = place->event_first; i < place->event_count; i++) {
        pj_event event = place->events[i];
        event.location = 0;
        if (!(share->kinds >> event.kind & 1))
            event = (pj_event){.time = event.time, .kind = PJ_EV_OTHER};
        pj_code_event(&code, &share->bytes, &event);
    }
    pj_code_number(out, pj_otf2_place_ready(place));
    pj_code_number(out, share->bytes.len);
    pj_buf_add(out, pj_buf_str(&share->bytes));
}

static void send_ops(const pj_otf2_place *place, pj_buf *out)
{
    size_t count = place->op_count - place->op_first;
    pj_code_number(out, count);
    if (count)
        pj_buf_add(out, (pj_str){(const char *)(place->ops + place->op_first),
                                 count * sizeof *place->ops});
}

static void send_ending(const pj_otf2_place *place, pj_buf *out)
{
    ending e;
    memset(&e, 0, sizeof e);
    e.records = place->records;
    e.last = place->now.last;
    e.posted = place->posted;
    e.completed = place->completed;
    e.waits = place->waits;
    e.partial = place->partial;
    e.begun = place->now.begun;
    e.damaged = place->damage != NULL;
    e.import = place->import;
    pj_str damage = pj_str_head(pj_str_of(place->damage), sizeof e.damage - 1);
    if (damage.len)
        memcpy(e.damage, damage.at, damage.len);
    pj_buf_add(out, (pj_str){(const char *)&e, sizeof e});
}

static bool take(void *self, void *slot, pj_err *err)
{
    pj_otf2_share *share = self;
    (void)err;
    if (share->next == share->wish_count)
        return false;
    *(const wish **)slot = &share->wishes[share->next++];
    return true;
}

static bool work(void *self, void *slot, pj_err *err)
{
    const pj_otf2_share *share = self;
    const wish *w = *(const wish **)slot;
    (void)err;
    pj_otf2_place_fill(share->places[w->location], w->events);
    return true;
}

static bool put(void *self, void *slot, pj_err *err)
{
    pj_otf2_share *share = self;
    const wish *w = *(const wish **)slot;
    pj_otf2_place *place = share->places[w->location];
    pj_buf *out = &share->crew->out[0];
    pj_code_number(out, w->location);
    send_events(share, place, out);
    send_ops(place, out);
    pj_code_number(out, place->ended);
    if (place->ended)
        send_ending(place, out);
    bool ok = pj_otf2_share_pass(share, place, place->event_first, err);
    place->event_first = place->event_count;
    place->op_first = place->op_seen = place->op_count;
    return ok;
}

static bool fulfil(pj_otf2_share *share, pj_err *err)
{
    const pj_line line = {share, take, work, put, NULL};
    size_t n = pj_pool_slots(share->workers);
    const wish **slots = pj_take_memory(n * sizeof *slots);
    void **each = pj_take_memory(n * sizeof *each);
    for (size_t i = 0; i < n; i++)
        each[i] = &slots[i];
    share->next = 0;
    bool ok = pj_pool_run(&line, share->workers, each, n, err);
    free(each);
    free(slots);
    return ok && pj_job_check(share->pass->job, share->pass->run->path, err);
}

/// The wishes that have come; false in `*more` when there will be none.
static bool read_wishes(pj_otf2_share *share, bool *more)
{
    pj_str in = pj_crew_from(share->crew, 0);
    uint64_t location, events;
    share->wish_count = 0;
    *more = true;
    while (in.len && *more) {
        if (!pj_decode_number(&in, &location))
            return false;
        *more = location != DISMISSED;
        if (!*more)
            continue;
        if (!pj_decode_number(&in, &events) || location >= share->count ||
            !pj_otf2_share_owns(share, share->places[location]))
            return false;
        pj_otf2_share_ask(share, share->places[location], events);
    }
    return true;
}

bool pj_otf2_share_serve(pj_otf2_share *share, pj_err *err)
{
    for (bool more = true;;) {
        if (!pj_crew_exchange(share->crew, err))
            return false;
        if (!read_wishes(share, &more))
            return bad_bytes(share, 0, err);
        if (!more)
            return true;
        if (!fulfil(share, err) || !pj_crew_exchange(share->crew, err) ||
            !pj_pass_trade(share->pass, err))
            return false;
    }
}

// What the leader takes

static bool take_events(pj_otf2_place *place, pj_str *in)
{
    uint64_t count, size;
    if (!pj_decode_number(in, &count) || !pj_decode_number(in, &size) || size > in->len ||
        count > size)
        return false;
    pj_str text = pj_str_head(*in, size);
    *in = pj_str_from(*in, size);
    pj_event_code code = {.time = 0};
    pj_grow(place->events, &place->event_cap, place->event_count + count + 1);
    for (uint64_t i = 0; i < count; i++) {
        pj_event *event = &place->events[place->event_count++];
        if (!pj_decode_event(&code, &text, event))
            return false;
        event->location = place->location;
    }
    return text.len == 0;
}

static bool take_ops(pj_otf2_place *place, pj_str *in)
{
    uint64_t count;
    if (!pj_decode_number(in, &count) || count > in->len / sizeof *place->ops)
        return false;
    size_t size = count * sizeof *place->ops;
    pj_grow(place->ops, &place->op_cap, place->op_count + count + 1);
    memcpy(place->ops + place->op_count, in->at, size);
    place->op_count += count;
    *in = pj_str_from(*in, size);
    return true;
}

static bool take_ending(const pj_otf2_share *share, pj_otf2_place *place, pj_str *in)
{
    uint64_t ended;
    ending e;
    if (!pj_decode_number(in, &ended))
        return false;
    if (!ended)
        return true;
    if (!pj_decode_bytes(in, &e, sizeof e))
        return false;
    place->ended = true;
    place->records = e.records;
    place->now.last = e.last;
    place->posted = e.posted;
    place->completed = e.completed;
    place->waits = e.waits;
    place->partial = e.partial;
    place->now.begun = e.begun;
    place->import = e.import;
    if (e.damaged)
        place->damage = pj_arena_text(share->pass->run->arena, pj_str_of(e.damage));
    return true;
}

static bool take_place(pj_otf2_share *share, pj_str *in)
{
    uint64_t location;
    if (!pj_decode_number(in, &location) || location >= share->count)
        return false;
    pj_otf2_place *place = share->places[location];
    if (pj_otf2_share_owns(share, place))
        return false;
    pj_otf2_place_close_up(place);
    return take_events(place, in) && take_ops(place, in) && take_ending(share, place, in);
}

bool pj_otf2_share_take(pj_otf2_share *share, pj_err *err)
{
    if (!pj_crew_exchange(share->crew, err))
        return false;
    for (unsigned member = 1; member < share->crew->size; member++) {
        pj_str in = pj_crew_from(share->crew, member);
        while (in.len)
            if (!take_place(share, &in))
                return bad_bytes(share, member, err);
    }
    return pj_pass_trade(share->pass, err);
}
