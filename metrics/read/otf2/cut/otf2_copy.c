// Copies the events of an archive that lie in a window.
// Two readings of the events: the first finds the counter readings around the borders and counts
// the collectives before them, the second one writes. Ids and times stay those of the locations.
#include "metrics/read/otf2/cut/otf2_copy.h"

#include "metrics/base/map.h"
#include "metrics/base/pseudonym.h"
#include "metrics/base/share.h"
#include "metrics/base/shelf.h"

#include <otf2/otf2.h>

#include <stdlib.h>
#include <string.h>

// What libotf2 calls deprecated is still in archives.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// NOLINTBEGIN(readability-function-size): the library says what parameters its callbacks have.

enum { RECORDS_PER_LOOK = 4096, BORDERS = 2, VALUES_MOST = 255 };

typedef enum item_kind { REGION, CONTEXT, FORK, OMP_FORK, TEAM, OFF } item_kind;

typedef struct item { // that is open
    item_kind kind;
    uint32_t a, b;
} item;

typedef struct reading {
    bool known;
    uint64_t time;
    OTF2_MetricValue values[VALUES_MOST];
} reading;

typedef struct counter {
    OTF2_MetricRef metric;
    pj_otf2_counting counting;
    uint8_t count;
    OTF2_Type types[VALUES_MOST];
    reading before[BORDERS], behind[BORDERS]; // the latest up to a border, the first after it
    bool divided; // of one that counts anew: its first value in the part
} counter;

typedef struct location {
    OTF2_LocationRef id;
    uint64_t events;
    counter *counters;
    size_t count;
    pj_map counter_of; // by metric
} location;

typedef struct copying {
    const char *path;
    const pj_otf2_part *part;
    pj_otf2_copied *copied;
    OTF2_Archive *out;
    location *locations;
    size_t count;
    pj_map kept; // by string: what of it is no name; where names are hidden
    bool failed; // an error of the writer, or no memory

    location *at; // the location that is read now
    pj_otf2_window window;
    OTF2_EvtWriter *writer;
    OTF2_DefWriter *local;
    OTF2_GlobalDefWriter *global;
    pj_shelf items;
    uint64_t first;   // time of its first record
    uint64_t flushed; // end of its last buffer flush before the part
    bool started, begun, ended;
    uint64_t records;
    bool stopped;
} copying;

static OTF2_ErrorCode keep_silent(void *self, const char *file, uint64_t line, const char *function,
                                  OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)self, (void)file, (void)line, (void)function, (void)format, (void)args;
    return code;
}

static void check(copying *c, OTF2_ErrorCode code)
{
    c->failed |= code != OTF2_SUCCESS;
}

/// Room for one more; false without memory.
static bool grow(copying *c, void **items, size_t count, size_t size)
{
    if (count & (count - 1)) // no power of two: there is room
        return true;
    void *more = realloc(*items, (count ? 2 * count : 1) * size);
    c->failed |= !more;
    if (more)
        *items = more;
    return more != NULL;
}

// Counters around the borders

static counter *counter_of(copying *c, OTF2_MetricRef metric, uint8_t count, const OTF2_Type *types)
{
    location *p = c->at;
    uint32_t known;
    if (pj_map_get(&p->counter_of, metric, &known))
        return &p->counters[known];
    if (!grow(c, (void **)&p->counters, p->count, sizeof *p->counters))
        return NULL;
    pj_map_put(&p->counter_of, metric, (uint32_t)p->count);
    counter *made = &p->counters[p->count++];
    memset(made, 0, sizeof *made);
    made->metric = metric;
    made->count = count;
    made->counting = c->part->counting(c->part->self, p->id, metric);
    memcpy(made->types, types, count * sizeof *types);
    return made;
}

static void take_reading(reading *r, uint64_t time, uint8_t count, const OTF2_MetricValue *values)
{
    r->known = true;
    r->time = time;
    memcpy(r->values, values, count * sizeof *values);
}

static void survey_counter(copying *c, uint64_t time, OTF2_MetricRef metric, uint8_t count,
                           const OTF2_Type *types, const OTF2_MetricValue *values)
{
    counter *k = counter_of(c, metric, count, types);
    if (!k || k->counting == PJ_OTF2_NO_COUNTER)
        return;
    const uint64_t borders[] = {c->window.from, c->window.to};
    for (unsigned b = 0; b < BORDERS; b++) {
        if (time <= borders[b])
            take_reading(&k->before[b], time, count, values);
        else if (!k->behind[b].known)
            take_reading(&k->behind[b], time, count, values);
    }
}

static OTF2_MetricValue less(OTF2_Type type, OTF2_MetricValue a, OTF2_MetricValue b)
{
    if (type == OTF2_TYPE_DOUBLE)
        a.floating_point -= b.floating_point;
    else
        a.unsigned_int -= b.unsigned_int;
    return a;
}

static OTF2_MetricValue share_of(OTF2_Type type, OTF2_MetricValue value, uint64_t part,
                                 uint64_t whole)
{
    if (type == OTF2_TYPE_DOUBLE)
        value.floating_point *= (double)part / (double)whole;
    else
        value.signed_int = pj_share(value.signed_int, part, whole);
    return value;
}

/// The reading that a border divides: from its begin to its end in ns, what was counted in it, and
/// in which proportion it is divided.
typedef struct gap {
    uint64_t from, to;
    OTF2_MetricValue counted;
    pj_otf2_divided divided;
} gap;

static uint64_t ns_of(const copying *c, uint64_t ticks)
{
    return c->part->ns(c->part->self, c->at->id, ticks);
}

static gap gap_of(const copying *c, const counter *k, unsigned border, uint8_t value)
{
    const reading *before = &k->before[border], *behind = &k->behind[border];
    gap g = {.from = ns_of(c, before->known ? before->time : c->first),
             .to = ns_of(c, behind->time),
             .counted = behind->values[value]};
    if (before->known && k->counting == PJ_OTF2_COUNTS_ON)
        g.counted = less(k->types[value], g.counted, before->values[value]);
    g.divided = c->part->divided(c->part->self, c->at->id, k->metric, border);
    if (!g.divided.whole) {
        uint64_t from = g.from > c->window.from_ns ? g.from : c->window.from_ns;
        g.divided = (pj_otf2_divided){(border ? c->window.to_ns : g.to) - from, g.to - g.from};
    }
    return g;
}

/// What was counted inside of the part.
static OTF2_MetricValue inside_of(const counter *k, const gap *g, uint8_t value)
{
    return share_of(k->types[value], g->counted, g->divided.inside, g->divided.whole);
}

/// What a counter stands at when the part begins.
static OTF2_MetricValue value_at_begin(const copying *c, const counter *k, uint8_t value)
{
    gap g = gap_of(c, k, 0, value);
    return less(k->types[value], k->behind[0].values[value], inside_of(k, &g, value));
}

/// What it stands at, or has counted, when the part ends.
static OTF2_MetricValue value_at_end(const copying *c, const counter *k, uint8_t value)
{
    gap g = gap_of(c, k, 1, value);
    bool one_gap = g.from < c->window.from_ns;
    OTF2_MetricValue zero = {0}, base = zero;
    if (k->counting == PJ_OTF2_COUNTS_ON)
        base = one_gap ? value_at_begin(c, k, value) : k->before[1].values[value];
    return less(k->types[value], base, less(k->types[value], zero, inside_of(k, &g, value)));
}

static void write_border(copying *c, counter *k, unsigned border)
{
    const uint64_t borders[] = {c->window.from, c->window.to};
    if (k->counting == PJ_OTF2_NO_COUNTER || !k->behind[border].known)
        return;
    if (gap_of(c, k, border, 0).from >= (border ? c->window.to_ns : c->window.from_ns))
        return;
    c->copied->readings++;
    if (border == 0 && k->counting == PJ_OTF2_COUNTS_ANEW)
        return; // its first value in the part is divided
    OTF2_MetricValue values[VALUES_MOST];
    for (uint8_t v = 0; v < k->count; v++)
        values[v] = border ? value_at_end(c, k, v) : value_at_begin(c, k, v);
    check(c, OTF2_EvtWriter_Metric(c->writer, NULL, borders[border], k->metric, k->count, k->types,
                                   values));
}

/// The first value in the part of one that counts anew.
static void divide(copying *c, counter *k, OTF2_MetricValue *values)
{
    for (uint8_t v = 0; v < k->count; v++) {
        gap g = gap_of(c, k, 0, v);
        if (g.from < c->window.from_ns)
            values[v] = inside_of(k, &g, v);
    }
    k->divided = true;
}

// What is open

static uint64_t key_of(item_kind kind, uint32_t a)
{
    return (uint64_t)kind << 32 | a;
}

static void open_item(copying *c, item_kind kind, uint32_t a, uint32_t b)
{
    pj_shelf_put(&c->items, key_of(kind, a), &(item){kind, a, b});
}

/// The innermost one like it, or none.
static void close_item(copying *c, item_kind kind, uint32_t a)
{
    pj_shelf_take(&c->items, key_of(kind, a), PJ_NEWEST, &(item){.a = 0});
}

static OTF2_ErrorCode write_opened(copying *c, const item *i)
{
    uint64_t time = c->window.from;
    switch (i->kind) {
    case REGION:
        return OTF2_EvtWriter_Enter(c->writer, NULL, time, i->a);
    case CONTEXT:
        return OTF2_EvtWriter_CallingContextEnter(c->writer, NULL, time, i->a, i->b);
    case FORK:
        return OTF2_EvtWriter_ThreadFork(c->writer, NULL, time, (OTF2_Paradigm)i->a, i->b);
    case OMP_FORK:
        return OTF2_EvtWriter_OmpFork(c->writer, NULL, time, i->b);
    case TEAM:
        return OTF2_EvtWriter_ThreadTeamBegin(c->writer, NULL, time, i->a);
    case OFF:
        return OTF2_EvtWriter_MeasurementOnOff(c->writer, NULL, time, OTF2_MEASUREMENT_OFF);
    }
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode write_closed(copying *c, const item *i)
{
    uint64_t time = c->window.to;
    switch (i->kind) {
    case REGION:
        return OTF2_EvtWriter_Leave(c->writer, NULL, time, i->a);
    case CONTEXT:
        return OTF2_EvtWriter_CallingContextLeave(c->writer, NULL, time, i->a);
    case FORK:
        return OTF2_EvtWriter_ThreadJoin(c->writer, NULL, time, (OTF2_Paradigm)i->a);
    case OMP_FORK:
        return OTF2_EvtWriter_OmpJoin(c->writer, NULL, time);
    case TEAM:
        return OTF2_EvtWriter_ThreadTeamEnd(c->writer, NULL, time, i->a);
    case OFF:
        return OTF2_SUCCESS;
    }
    return OTF2_SUCCESS;
}

static void write_flush(copying *c, OTF2_AttributeList *with, uint64_t time, uint64_t stop)
{
    stop = stop < c->window.to ? stop : c->window.to;
    check(c, OTF2_EvtWriter_BufferFlush(c->writer, with, time, stop));
}

/// A location that was there before the part is there from its begin on.
static void begin_part(copying *c)
{
    c->begun = true;
    if (!c->started)
        return;
    check(c, OTF2_EvtWriter_ThreadBegin(c->writer, NULL, c->window.from, OTF2_UNDEFINED_COMM, 0));
    for (size_t i = 0; i < c->at->count; i++)
        write_border(c, &c->at->counters[i], 0);
    const item *i;
    for (size_t at = 0; (i = pj_shelf_next(&c->items, PJ_OLDEST, &at));)
        check(c, write_opened(c, i));
    if (c->flushed > c->window.from)
        write_flush(c, NULL, c->window.from, c->flushed);
    c->copied->opened += c->items.count;
}

static void end_part(copying *c)
{
    c->ended = true;
    for (size_t i = 0; i < c->at->count; i++)
        write_border(c, &c->at->counters[i], 1);
    const item *i;
    for (size_t at = 0; (i = pj_shelf_next(&c->items, PJ_NEWEST, &at));)
        check(c, write_closed(c, i));
    c->copied->opened += c->items.count;
    check(c, OTF2_EvtWriter_ThreadEnd(c->writer, NULL, c->window.to, OTF2_UNDEFINED_COMM, 0));
}

/// A record has come.
static void count_record(copying *c, uint64_t time)
{
    if (c->first == OTF2_UNDEFINED_TIMESTAMP)
        c->first = time;
    if (c->records++ % RECORDS_PER_LOOK == 0)
        c->stopped = c->part->stopped(c->part->self);
}

/// Whether a record of that time is written now.
static bool is_inside(copying *c, uint64_t time)
{
    if (!c->writer || c->ended)
        return false;
    if (time < c->window.from) {
        c->started = true;
        return false;
    }
    if (!c->begun)
        begin_part(c);
    if (time > c->window.to) {
        end_part(c);
        return false;
    }
    c->copied->records++;
    return true;
}

// Records

#define PLAIN(...) __VA_ARGS__
#define HEAD                                                                                       \
    OTF2_LocationRef number, OTF2_TimeStamp time, uint64_t position, void *self,                   \
        OTF2_AttributeList *with
#define BEGIN                                                                                      \
    copying *c = self;                                                                             \
    (void)number, (void)position;                                                                  \
    count_record(c, time)
#define DONE                                                                                       \
    return c->failed || c->ended || c->stopped ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS
#define WRITE(name, ...)                                                                           \
    if (inside)                                                                                    \
    check(c, OTF2_EvtWriter_##name(c->writer, with, time, __VA_ARGS__))

#define COPY(name, parameters, arguments)                                                          \
    static OTF2_CallbackCode copy_##name(HEAD, PLAIN parameters)                                   \
    {                                                                                              \
        BEGIN;                                                                                     \
        bool inside = is_inside(c, time);                                                          \
        WRITE(name, PLAIN arguments);                                                              \
        DONE;                                                                                      \
    }
#define COPY0(name)                                                                                \
    static OTF2_CallbackCode copy_##name(HEAD)                                                     \
    {                                                                                              \
        BEGIN;                                                                                     \
        if (is_inside(c, time))                                                                    \
            check(c, OTF2_EvtWriter_##name(c->writer, with, time));                                \
        DONE;                                                                                      \
    }
#include "metrics/read/otf2/cut/otf2_copy_events.def"
#undef COPY
#undef COPY0

/// A record that opens or closes an item.
#define NEST(name, parameters, arguments, change)                                                  \
    static OTF2_CallbackCode copy_##name(HEAD, PLAIN parameters)                                   \
    {                                                                                              \
        BEGIN;                                                                                     \
        bool inside = is_inside(c, time);                                                          \
        WRITE(name, PLAIN arguments);                                                              \
        if (!c->ended)                                                                             \
            change;                                                                                \
        DONE;                                                                                      \
    }
NEST(Enter, (OTF2_RegionRef a), (a), open_item(c, REGION, a, 0))
NEST(Leave, (OTF2_RegionRef a), (a), close_item(c, REGION, a))
NEST(CallingContextEnter, (OTF2_CallingContextRef a, uint32_t b), (a, b),
     open_item(c, CONTEXT, a, b))
NEST(CallingContextLeave, (OTF2_CallingContextRef a), (a), close_item(c, CONTEXT, a))
NEST(ThreadFork, (OTF2_Paradigm a, uint32_t b), (a, b), open_item(c, FORK, a, b))
NEST(ThreadJoin, (OTF2_Paradigm a), (a), close_item(c, FORK, a))
NEST(OmpFork, (uint32_t a), (a), open_item(c, OMP_FORK, 0, a))
NEST(ThreadTeamBegin, (OTF2_CommRef a), (a), open_item(c, TEAM, a, 0))
NEST(ThreadTeamEnd, (OTF2_CommRef a), (a), close_item(c, TEAM, a))

static OTF2_CallbackCode copy_OmpJoin(HEAD)
{
    BEGIN;
    if (is_inside(c, time))
        check(c, OTF2_EvtWriter_OmpJoin(c->writer, with, time));
    if (!c->ended)
        close_item(c, OMP_FORK, 0);
    DONE;
}

static OTF2_CallbackCode copy_MeasurementOnOff(HEAD, OTF2_MeasurementMode mode)
{
    BEGIN;
    bool inside = is_inside(c, time);
    WRITE(MeasurementOnOff, mode);
    if (!c->ended && mode == OTF2_MEASUREMENT_OFF)
        open_item(c, OFF, 0, 0);
    else if (!c->ended)
        close_item(c, OFF, 0);
    DONE;
}

static OTF2_CallbackCode copy_BufferFlush(HEAD, OTF2_TimeStamp stop)
{
    BEGIN;
    if (is_inside(c, time))
        write_flush(c, with, time, stop);
    else if (!c->ended)
        c->flushed = stop;
    DONE;
}

static OTF2_CallbackCode copy_MpiCollectiveBegin(HEAD)
{
    BEGIN;
    if (is_inside(c, time))
        check(c, OTF2_EvtWriter_MpiCollectiveBegin(c->writer, with, time));
    DONE;
}

static OTF2_CallbackCode copy_MpiCollectiveEnd(HEAD, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                               uint32_t root, uint64_t sent, uint64_t received)
{
    BEGIN;
    if (!c->writer && time < c->window.from)
        c->part->met(c->part->self, c->at->id, comm);
    bool inside = is_inside(c, time) && c->part->meets(c->part->self, c->at->id, comm);
    WRITE(MpiCollectiveEnd, op, comm, root, sent, received);
    DONE;
}

static bool is_matched(copying *c, uint64_t time, bool send, uint32_t tag, uint64_t bytes)
{
    const pj_otf2_side side = {.time = time, .bytes = bytes, .tag = tag, .send = send};
    bool matched = c->part->matched(c->part->self, c->at->id, &side);
    c->copied->messages += !matched;
    return matched;
}

#define MESSAGE(name, send, parameters, arguments)                                                 \
    static OTF2_CallbackCode copy_##name(HEAD, uint32_t peer, OTF2_CommRef comm, uint32_t tag,     \
                                         uint64_t bytes PLAIN parameters)                          \
    {                                                                                              \
        BEGIN;                                                                                     \
        bool inside = is_inside(c, time) && is_matched(c, time, send, tag, bytes);                 \
        WRITE(name, peer, comm, tag, bytes PLAIN arguments);                                       \
        DONE;                                                                                      \
    }
MESSAGE(MpiSend, true, (), ())
MESSAGE(MpiIsend, true, (, uint64_t request), (, request))
MESSAGE(MpiRecv, false, (), ())
MESSAGE(MpiIrecv, false, (, uint64_t request), (, request))

static OTF2_CallbackCode copy_Metric(HEAD, OTF2_MetricRef metric, uint8_t count,
                                     const OTF2_Type *types, const OTF2_MetricValue *given)
{
    BEGIN;
    OTF2_MetricValue values[VALUES_MOST];
    memcpy(values, given, count * sizeof *values);
    if (!c->writer)
        survey_counter(c, time, metric, count, types, values);
    bool inside = is_inside(c, time);
    counter *k = inside ? counter_of(c, metric, count, types) : NULL;
    if (k && k->counting == PJ_OTF2_COUNTS_ANEW && !k->divided && k->count == count)
        divide(c, k, values);
    WRITE(Metric, metric, count, types, values);
    DONE;
}

static void set_event_callbacks(OTF2_EvtReaderCallbacks *set)
{
#define SET(name) OTF2_EvtReaderCallbacks_Set##name##Callback(set, copy_##name);
#define COPY(name, parameters, arguments) SET(name)
#define COPY0(name) SET(name)
#include "metrics/read/otf2/cut/otf2_copy_events.def"
#undef COPY
#undef COPY0
    SET(Enter)
    SET(Leave)
    SET(CallingContextEnter)
    SET(CallingContextLeave)
    SET(ThreadFork)
    SET(ThreadJoin)
    SET(OmpFork)
    SET(OmpJoin)
    SET(ThreadTeamBegin)
    SET(ThreadTeamEnd)
    SET(MeasurementOnOff)
    SET(BufferFlush)
    SET(MpiCollectiveBegin)
    SET(MpiCollectiveEnd)
    SET(MpiSend)
    SET(MpiIsend)
    SET(MpiRecv)
    SET(MpiIrecv)
    SET(Metric)
#undef SET
}

/// Reads the events of the location; a missing or damaged file gives those up to there.
static void read_events(copying *c, OTF2_Reader *reader)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, c->at->id);
    OTF2_EvtReaderCallbacks *set = events ? OTF2_EvtReaderCallbacks_New() : NULL;
    if (!set)
        return;
    set_event_callbacks(set);
    OTF2_Reader_RegisterEvtCallbacks(reader, events, set, c);
    OTF2_EvtReaderCallbacks_Delete(set);
    uint64_t read;
    OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
    OTF2_Reader_CloseEvtReader(reader, events);
}

static void visit(copying *c, OTF2_Reader *reader, location *p)
{
    c->at = p;
    c->window = c->part->window(c->part->self, p->id);
    pj_shelf_clear(&c->items);
    c->first = OTF2_UNDEFINED_TIMESTAMP;
    c->flushed = 0;
    c->started = c->begun = c->ended = false;
    read_events(c, reader);
}

static void copy_events(copying *c, OTF2_Reader *reader, location *p)
{
    c->writer = OTF2_Archive_GetEvtWriter(c->out, p->id);
    if (!c->writer) {
        c->failed = true;
        return;
    }
    visit(c, reader, p);
    if (!c->begun)
        begin_part(c);
    OTF2_EvtWriter_GetNumberOfEvents(c->writer, &p->events);
    check(c, OTF2_Archive_CloseEvtWriter(c->out, c->writer));
    c->writer = NULL;
}

// Local definitions

static OTF2_CallbackCode go_on(const copying *c)
{
    return c->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode copy_map(void *self, OTF2_MappingType kind, const OTF2_IdMap *map)
{
    copying *c = self;
    check(c, OTF2_DefWriter_WriteMappingTable(c->local, kind, map));
    return go_on(c);
}

static void read_local(copying *c, OTF2_Reader *reader, OTF2_LocationRef id)
{
    OTF2_DefReader *defs = OTF2_Reader_GetDefReader(reader, id);
    OTF2_DefReaderCallbacks *set = defs ? OTF2_DefReaderCallbacks_New() : NULL;
    if (!set)
        return;
    OTF2_DefReaderCallbacks_SetMappingTableCallback(set, copy_map);
    OTF2_Reader_RegisterDefCallbacks(reader, defs, set, c);
    OTF2_DefReaderCallbacks_Delete(set);
    uint64_t read;
    OTF2_Reader_ReadAllLocalDefinitions(reader, defs, &read);
    OTF2_Reader_CloseDefReader(reader, defs);
}

static void copy_local(copying *c, OTF2_Reader *reader, const location *p)
{
    c->local = OTF2_Archive_GetDefWriter(c->out, p->id);
    if (!c->local) {
        c->failed = true;
        return;
    }
    read_local(c, reader, p->id);
    size_t count;
    const pj_otf2_knot *knots = c->part->knots(c->part->self, p->id, &count);
    for (size_t i = 0; i < count; i++)
        check(c, OTF2_DefWriter_WriteClockOffset(c->local, knots[i].time, knots[i].offset, 0));
    check(c, OTF2_Archive_CloseDefWriter(c->out, c->local));
}

// Global definitions

#define COPY(name, parameters, arguments)                                                          \
    static OTF2_CallbackCode define_##name(void *self, PLAIN parameters)                           \
    {                                                                                              \
        copying *c = self;                                                                         \
        check(c, OTF2_GlobalDefWriter_Write##name(c->global, PLAIN arguments));                    \
        return go_on(c);                                                                           \
    }
#include "metrics/read/otf2/cut/otf2_copy_defs.def"
#undef COPY

// Names: a string is one unless a definition says that it is a word of the measurement

enum { ALL, WORDS, PLACE, WORD }; // the last wins where several definitions share a string

static void keep(copying *c, OTF2_StringRef string, uint32_t what)
{
    uint32_t before = ALL;
    if (!c->part->names)
        return;
    pj_map_get(&c->kept, string, &before);
    if (what > before)
        pj_map_put(&c->kept, string, what);
}

/// Names that mean something where a tool does not say whose they are: functions of MPI, OpenMP
/// and the system, and what GPUs' libraries call theirs ("cudaMalloc", not "cudart_of_mine").
static bool is_standard(const char *text)
{
    static const struct {
        const char *begin;
        bool whole;
    } rows[] = {
        {"PMPI_", false},
        {"!$omp", false},
        {"PAPI_", false},
#define RULE(paradigm, role, state, construct)
#define NAME(begin, state, construct) {begin, false},
#define EXACT(name, state, construct) {name, true},
#include "metrics/read/otf2/events/otf2_regions.def"
#undef RULE
#undef NAME
#undef EXACT
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len = strlen(rows[i].begin);
        char last = rows[i].begin[len - 1],
             next = strncmp(text, rows[i].begin, len) ? 0 : text[len];
        bool word = !(last >= 'a' && last <= 'z') || (next >= 'A' && next <= 'Z') || next == ' ';
        if (rows[i].whole ? strcmp(text, rows[i].begin) == 0 : next && word)
            return true;
    }
    return false;
}

#define KEEP(name, parameters, ...)                                                                \
    static OTF2_CallbackCode keep_##name(void *self, PLAIN parameters)                             \
    {                                                                                              \
        copying *c = self;                                                                         \
        __VA_ARGS__                                                                                \
        return go_on(c);                                                                           \
    }
#include "metrics/read/otf2/cut/otf2_copy_words.def"
#undef KEEP

static OTF2_CallbackCode define_String(void *self, OTF2_StringRef id, const char *text)
{
    static const pj_pseudonym_part parts[] = {[ALL] = PJ_NAME_ALL,
                                              [WORDS] = PJ_NAME_WORDS,
                                              [PLACE] = PJ_NAME_PLACE,
                                              [WORD] = PJ_NAME_NONE};
    copying *c = self;
    size_t len = strlen(text);
    uint32_t what = ALL;
    pj_map_get(&c->kept, id, &what);
    if (what < PLACE && is_standard(text))
        what = PLACE;
    bool hidden = c->part->names && len && what != WORD;
    char *made = hidden ? pj_pseudonym_of(c->part->names, text, len, parts[what]) : NULL;
    if (hidden && !made)
        c->failed = true;
    else
        check(c, OTF2_GlobalDefWriter_WriteString(c->global, id, made ? made : text));
    free(made);
    return go_on(c);
}

static OTF2_CallbackCode find_Location(void *self, OTF2_LocationRef id, OTF2_StringRef name,
                                       OTF2_LocationType type, uint64_t events,
                                       OTF2_LocationGroupRef group)
{
    (void)type, (void)events, (void)group;
    copying *c = self;
    keep(c, name, WORDS);
    for (size_t i = 0; i < c->count; i++)
        if (c->locations[i].id == id)
            return go_on(c);
    if (grow(c, (void **)&c->locations, c->count, sizeof *c->locations))
        c->locations[c->count++] = (location){.id = id};
    return go_on(c);
}

static OTF2_CallbackCode define_Location(void *self, OTF2_LocationRef id, OTF2_StringRef name,
                                         OTF2_LocationType type, uint64_t events,
                                         OTF2_LocationGroupRef group)
{
    copying *c = self;
    for (size_t i = 0; i < c->count; i++)
        if (c->locations[i].id == id)
            events = c->locations[i].events;
    check(c, OTF2_GlobalDefWriter_WriteLocation(c->global, id, name, type, events, group));
    return go_on(c);
}

static OTF2_CallbackCode define_ClockProperties(void *self, uint64_t resolution, uint64_t offset,
                                                uint64_t length, uint64_t date)
{
    (void)offset, (void)length;
    copying *c = self;
    check(c,
          OTF2_GlobalDefWriter_WriteClockProperties(c->global, resolution, c->part->clock_from,
                                                    c->part->clock_to - c->part->clock_from, date));
    return go_on(c);
}

static void set_definition_callbacks(OTF2_GlobalDefReaderCallbacks *set, bool find)
{
    if (find) {
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(set, find_Location);
#define KEEP(name, parameters, ...)                                                                \
    OTF2_GlobalDefReaderCallbacks_Set##name##Callback(set, keep_##name);
#include "metrics/read/otf2/cut/otf2_copy_words.def"
#undef KEEP
        return;
    }
#define SET(name) OTF2_GlobalDefReaderCallbacks_Set##name##Callback(set, define_##name);
#define COPY(name, parameters, arguments) SET(name)
#include "metrics/read/otf2/cut/otf2_copy_defs.def"
#undef COPY
    SET(String)
    SET(Location)
    SET(ClockProperties)
#undef SET
}

static void read_global(copying *c, OTF2_Reader *reader, bool find)
{
    OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *set = defs ? OTF2_GlobalDefReaderCallbacks_New() : NULL;
    if (!set) {
        c->failed = true;
        return;
    }
    set_definition_callbacks(set, find);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, defs, set, c);
    OTF2_GlobalDefReaderCallbacks_Delete(set);
    uint64_t read;
    check(c, OTF2_Reader_ReadAllGlobalDefinitions(reader, defs, &read));
    OTF2_Reader_CloseGlobalDefReader(reader, defs);
}

// The archive

/// With its locations selected; NULL when it cannot be opened.
static OTF2_Reader *open_reader(copying *c)
{
    OTF2_Reader *reader = OTF2_Reader_Open(c->path);
    if (!reader)
        return NULL;
    check(c, OTF2_Reader_SetSerialCollectiveCallbacks(reader));
    bool find = !c->locations;
    if (find)
        read_global(c, reader, true);
    for (size_t i = 0; i < c->count; i++)
        OTF2_Reader_SelectLocation(reader, c->locations[i].id);
    return reader;
}

static OTF2_FlushType flush_all(void *self, OTF2_FileType type, OTF2_LocationRef number,
                                void *caller, bool last)
{
    (void)self, (void)type, (void)number, (void)caller, (void)last;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush_all};

static bool open_out(copying *c, const char *to)
{
    char *folder = strdup(to), *slash = folder ? strrchr(folder, '/') : NULL;
    if (!folder)
        return false;
    char *name = slash ? slash + 1 : folder, *suffix = strrchr(name, '.');
    if (suffix)
        *suffix = 0;
    if (slash)
        *slash = 0;
    const char *in = !slash ? "." : slash == folder ? "/" : folder;
    c->out = OTF2_Archive_Open(in, name, OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                               OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
                               OTF2_COMPRESSION_NONE);
    free(folder);
    if (!c->out)
        return false;
    check(c, OTF2_Archive_SetFlushCallbacks(c->out, &flushes, NULL));
    check(c, OTF2_Archive_SetSerialCollectiveCallbacks(c->out));
    check(c, OTF2_Archive_SetCreator(c->out, "popinjay"));
    return !c->failed;
}

static void copy_all(copying *c, OTF2_Reader *survey, OTF2_Reader *reader)
{
    OTF2_Reader_OpenEvtFiles(survey);
    for (size_t i = 0; i < c->count && !c->stopped; i++)
        visit(c, survey, &c->locations[i]);
    OTF2_Reader_OpenEvtFiles(reader);
    check(c, OTF2_Archive_OpenEvtFiles(c->out));
    for (size_t i = 0; i < c->count && !c->failed && !c->stopped; i++)
        copy_events(c, reader, &c->locations[i]);
    check(c, OTF2_Archive_CloseEvtFiles(c->out));
    OTF2_Reader_OpenDefFiles(reader);
    check(c, OTF2_Archive_OpenDefFiles(c->out));
    for (size_t i = 0; i < c->count && !c->failed; i++)
        copy_local(c, reader, &c->locations[i]);
    check(c, OTF2_Archive_CloseDefFiles(c->out));
    c->global = OTF2_Archive_GetGlobalDefWriter(c->out);
    c->failed |= !c->global;
    if (!c->failed)
        read_global(c, reader, false);
    if (c->global)
        check(c, OTF2_Archive_CloseGlobalDefWriter(c->out, c->global));
}

bool pj_otf2_copy(const char *from, const char *to, const pj_otf2_part *part,
                  pj_otf2_copied *copied, pj_err *err)
{
    copying c = {
        .path = from, .part = part, .copied = copied, .items = {.item_size = sizeof(item)}};
    OTF2_Error_RegisterCallback(keep_silent, NULL);
    OTF2_Reader *survey = open_reader(&c), *reader = survey ? open_reader(&c) : NULL;
    bool opened = reader && !c.failed, made = opened && open_out(&c, to);
    if (made)
        copy_all(&c, survey, reader);
    if (c.out)
        check(&c, OTF2_Archive_Close(c.out));
    if (reader)
        OTF2_Reader_Close(reader);
    if (survey)
        OTF2_Reader_Close(survey);
    for (size_t i = 0; i < c.count; i++) {
        free(c.locations[i].counters);
        pj_map_free(&c.locations[i].counter_of);
    }
    free(c.locations);
    pj_map_free(&c.kept);
    pj_shelf_free(&c.items);
    if (!opened)
        return pj_fail(err, PJ_E_FORMAT, from, 0, "the archive cannot be read again");
    if (c.stopped)
        return pj_fail(err, PJ_E_STOPPED, to, 0, "stopped");
    return (made && !c.failed) || pj_fail(err, PJ_E_IO, to, 0, "cannot be written with libotf2");
}

// NOLINTEND(readability-function-size)
