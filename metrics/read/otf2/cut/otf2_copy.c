// Copies the events of an archive that lie in a window.
// Two readings of the events: the first finds the counter readings around the borders and counts
// the collectives before them, the second one writes. Ids and times stay those of the locations.
#include "metrics/read/otf2/cut/otf2_copy.h"

#include "metrics/base/map.h"
#include "metrics/base/shelf.h"
#include "metrics/read/otf2/cut/otf2_copy_counters.h"
#include "metrics/read/otf2/cut/otf2_copy_definitions.h"
#include "metrics/read/otf2/cut/otf2_copy_state.h"

#include <otf2/otf2.h>

#include <stdlib.h>
#include <string.h>

// What libotf2 calls deprecated is still in archives.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// NOLINTBEGIN(readability-function-size): the library says what parameters its callbacks have.

enum { RECORDS_PER_LOOK = 4096 };

typedef pj_otf2_copying copying;
typedef pj_otf2_copy_counter counter;
typedef pj_otf2_copy_location location;

typedef enum item_kind { REGION, CONTEXT, FORK, OMP_FORK, TEAM, OFF } item_kind;

typedef struct item { // that is open
    item_kind kind;
    uint32_t a, b;
} item;

static OTF2_ErrorCode keep_silent(void *self, const char *file, uint64_t line, const char *function,
                                  OTF2_ErrorCode code, const char *format, va_list args)
{
    (void)self, (void)file, (void)line, (void)function, (void)format, (void)args;
    return code;
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
    pj_otf2_copy_check(c, OTF2_EvtWriter_BufferFlush(c->writer, with, time, stop));
}

/// A location that was there before the part is there from its begin on.
static void begin_part(copying *c)
{
    c->begun = true;
    if (!c->started)
        return;
    pj_otf2_copy_check(
        c, OTF2_EvtWriter_ThreadBegin(c->writer, NULL, c->window.from, OTF2_UNDEFINED_COMM, 0));
    for (size_t i = 0; i < c->at->count; i++)
        pj_otf2_copy_border(c, &c->at->counters[i], 0);
    const item *i;
    for (size_t at = 0; (i = pj_shelf_next(&c->items, PJ_OLDEST, &at));)
        pj_otf2_copy_check(c, write_opened(c, i));
    if (c->flushed > c->window.from)
        write_flush(c, NULL, c->window.from, c->flushed);
    c->copied->opened += c->items.count;
}

static void end_part(copying *c)
{
    c->ended = true;
    for (size_t i = 0; i < c->at->count; i++)
        pj_otf2_copy_border(c, &c->at->counters[i], 1);
    const item *i;
    for (size_t at = 0; (i = pj_shelf_next(&c->items, PJ_NEWEST, &at));)
        pj_otf2_copy_check(c, write_closed(c, i));
    c->copied->opened += c->items.count;
    pj_otf2_copy_check(
        c, OTF2_EvtWriter_ThreadEnd(c->writer, NULL, c->window.to, OTF2_UNDEFINED_COMM, 0));
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
    pj_otf2_copy_check(c, OTF2_EvtWriter_##name(c->writer, with, time, __VA_ARGS__))

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
            pj_otf2_copy_check(c, OTF2_EvtWriter_##name(c->writer, with, time));                   \
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
        pj_otf2_copy_check(c, OTF2_EvtWriter_OmpJoin(c->writer, with, time));
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
        pj_otf2_copy_check(c, OTF2_EvtWriter_MpiCollectiveBegin(c->writer, with, time));
    c->meeting = !c->ended;
    DONE;
}

/// Whether who has left it knows that all have come.
static bool binds_all(OTF2_CollectiveOp op)
{
    static const OTF2_CollectiveOp all[] = {OTF2_COLLECTIVE_OP_BARRIER,
                                            OTF2_COLLECTIVE_OP_ALLREDUCE,
                                            OTF2_COLLECTIVE_OP_ALLGATHER,
                                            OTF2_COLLECTIVE_OP_ALLGATHERV,
                                            OTF2_COLLECTIVE_OP_ALLTOALL,
                                            OTF2_COLLECTIVE_OP_ALLTOALLV,
                                            OTF2_COLLECTIVE_OP_ALLTOALLW,
                                            OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
                                            OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (op == all[i])
            return true;
    return false;
}

/// One that is under way at the end of the part ends there, if it does for another thread.
static OTF2_CallbackCode copy_MpiCollectiveEnd(HEAD, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                               uint32_t root, uint64_t sent, uint64_t received)
{
    BEGIN;
    if (!c->writer && time <= c->window.to)
        c->part->met(c->part->self, c->at->id, comm, time < c->window.from);
    if (c->meeting && time > c->window.to && binds_all(op) &&
        c->part->over(c->part->self, c->at->id, comm))
        time = c->window.to;
    c->meeting = false;
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
    OTF2_MetricValue values[PJ_OTF2_VALUES_MOST];
    memcpy(values, given, count * sizeof *values);
    if (!c->writer)
        pj_otf2_copy_survey(c, time, metric, count, types, values);
    bool inside = is_inside(c, time);
    counter *k = inside ? pj_otf2_copy_counter_of(c, metric, count, types) : NULL;
    if (k && k->counting == PJ_OTF2_COUNTS_ANEW && !k->divided && k->count == count)
        pj_otf2_copy_divide(c, k, values);
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
    c->started = c->begun = c->ended = c->meeting = false;
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
    pj_otf2_copy_check(c, OTF2_Archive_CloseEvtWriter(c->out, c->writer));
    c->writer = NULL;
}

// The archive

/// With its locations selected; NULL when it cannot be opened.
static OTF2_Reader *open_reader(copying *c)
{
    OTF2_Reader *reader = OTF2_Reader_Open(c->path);
    if (!reader)
        return NULL;
    pj_otf2_copy_check(c, OTF2_Reader_SetSerialCollectiveCallbacks(reader));
    bool find = !c->locations;
    if (find)
        pj_otf2_copy_global(c, reader, true);
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
    pj_otf2_copy_check(c, OTF2_Archive_SetFlushCallbacks(c->out, &flushes, NULL));
    pj_otf2_copy_check(c, OTF2_Archive_SetSerialCollectiveCallbacks(c->out));
    pj_otf2_copy_check(c, OTF2_Archive_SetCreator(c->out, "popinjay"));
    return !c->failed;
}

static void copy_all(copying *c, OTF2_Reader *survey, OTF2_Reader *reader)
{
    OTF2_Reader_OpenEvtFiles(survey);
    for (size_t i = 0; i < c->count && !c->stopped; i++)
        visit(c, survey, &c->locations[i]);
    OTF2_Reader_OpenEvtFiles(reader);
    pj_otf2_copy_check(c, OTF2_Archive_OpenEvtFiles(c->out));
    for (size_t i = 0; i < c->count && !c->failed && !c->stopped; i++)
        copy_events(c, reader, &c->locations[i]);
    pj_otf2_copy_check(c, OTF2_Archive_CloseEvtFiles(c->out));
    OTF2_Reader_OpenDefFiles(reader);
    pj_otf2_copy_check(c, OTF2_Archive_OpenDefFiles(c->out));
    for (size_t i = 0; i < c->count && !c->failed; i++)
        pj_otf2_copy_local(c, reader, &c->locations[i]);
    pj_otf2_copy_check(c, OTF2_Archive_CloseDefFiles(c->out));
    c->global = OTF2_Archive_GetGlobalDefWriter(c->out);
    c->failed |= !c->global;
    if (!c->failed)
        pj_otf2_copy_global(c, reader, false);
    if (c->global)
        pj_otf2_copy_check(c, OTF2_Archive_CloseGlobalDefWriter(c->out, c->global));
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
        pj_otf2_copy_check(&c, OTF2_Archive_Close(c.out));
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
