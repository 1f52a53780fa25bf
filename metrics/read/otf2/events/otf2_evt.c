// The decoder of OTF2 event files.
// The buffer is followed by zeroes, so that numbers are loaded eight bytes at a time wherever they
// end; whether they end inside their record is checked afterwards.
#include "metrics/read/otf2/events/otf2_evt.h"

#include "metrics/base/arena.h"
#include "metrics/base/tiny.h"
#include "metrics/read/otf2/events/otf2_readahead.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    PAD = PJ_OTF2_EVT_PAD,
    MARGIN = PJ_OTF2_EVT_MARGIN,
    CHUNK_HEAD = PJ_OTF2_CHUNK_HEAD,
    BUFFER_BYTES = PJ_SIZE(64 << 10, 1 << 10),
    RECORD_BYTES_MAX = 16 * 1024 * 1024,
};

struct pj_otf2_evt {
    char *path; // NULL = memory
    int file;   // -1 = is not open
    bool keep_open;
    _Atomic uint64_t *sum;
    uint64_t chunk_bytes;
    uint64_t offset; // of `begin` in the file
    uint8_t *buffer;
    size_t cap;
    const uint8_t *begin, *at, *end;
    uint64_t time;
    bool begun, file_ended, ended;
    pj_otf2_evt_facts facts;
    pj_otf2_readahead *readahead;   // goes ahead; NULL = none
    const pj_otf2_stretch *stretch; // of its page, the next one
    size_t stretches;               // and those behind it
    uint64_t values[PJ_OTF2_VALUES];
    uint8_t kinds[PJ_OTF2_VALUES];
};

typedef struct shape { // of the record of a type
    const char *members;
    bool single, known;
} shape;

static const shape shapes[UINT8_MAX + 1] = {
#define EVENT(name, type, text) [type] = {.members = text, .known = true},
#define SINGLE(name, type) [type] = {.single = true, .known = true},
#include "metrics/read/otf2/events/otf2_events.def"
#undef EVENT
#undef SINGLE
};

INLINE uint64_t load_8(const uint8_t *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

static const uint64_t low_bytes[] = {0,          0xFF,         0xFFFF,         0xFFFFFF,
                                     0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF,
                                     UINT64_MAX};

/// The number of `size` bytes at `at`; ff in place of a size is "undefined", which has none.
INLINE uint64_t number_of(const uint8_t *at, unsigned size)
{
    return size <= 8 ? load_8(at) & low_bytes[size] : PJ_OTF2_UNDEFINED;
}

INLINE unsigned bytes_of(unsigned size)
{
    return size == UINT8_MAX ? 0 : size;
}

static pj_otf2_evt *new_evt(uint64_t chunk_bytes)
{
    pj_otf2_evt *evt = pj_take_memory(sizeof *evt);
    *evt = (pj_otf2_evt){.file = -1, .chunk_bytes = chunk_bytes ? chunk_bytes : 1};
    return evt;
}

pj_otf2_evt *pj_otf2_evt_open(const char *path, pj_otf2_evt_opts opts, pj_err *err)
{
    if (access(path, R_OK) != 0) {
        pj_fail(err, PJ_E_IO, path, 0, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    pj_otf2_evt *evt = new_evt(opts.chunk_bytes);
    size_t size = strlen(path) + 1;
    evt->path = memcpy(pj_take_memory(size), path, size);
    evt->sum = opts.sum;
    evt->keep_open = opts.keep_open;
    evt->cap = opts.buffer_bytes ? opts.buffer_bytes : BUFFER_BYTES;
    if (evt->cap < 2 * MARGIN)
        evt->cap = 2 * MARGIN;
    evt->buffer = pj_take_memory(evt->cap + PAD);
    evt->begin = evt->at = evt->end = evt->buffer;
    return evt;
}

pj_otf2_evt *pj_otf2_evt_memory(const void *bytes, size_t size, uint64_t chunk_bytes)
{
    pj_otf2_evt *evt = new_evt(chunk_bytes);
    evt->cap = size;
    evt->buffer = pj_take_memory(size + PAD);
    if (size)
        memcpy(evt->buffer, bytes, size);
    memset(evt->buffer + size, 0, PAD);
    evt->begin = evt->at = evt->buffer;
    evt->end = evt->buffer + size;
    evt->file_ended = true;
    return evt;
}

static void close_file(pj_otf2_evt *evt)
{
    if (evt->file >= 0)
        close(evt->file);
    evt->file = -1;
}

void pj_otf2_evt_close(pj_otf2_evt *evt)
{
    if (!evt)
        return;
    pj_otf2_readahead_free(evt->readahead);
    close_file(evt);
    free(evt->path);
    free(evt->buffer);
    free(evt);
}

pj_otf2_evt_facts pj_otf2_evt_facts_of(const pj_otf2_evt *evt)
{
    return evt->facts;
}

static void end_early(pj_otf2_evt *evt, const char *damage)
{
    evt->facts.damage = damage;
    evt->ended = true;
}

/// Fills the buffer from the file. Archives may have more locations than a process may have files.
static bool read_on(pj_otf2_evt *evt)
{
    if (evt->file < 0)
        evt->file = open(evt->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t kept = (size_t)(evt->end - evt->buffer);
    ssize_t got = evt->file < 0 ? -1 : 0;
    while (evt->file >= 0 && kept < evt->cap && !evt->file_ended) {
        got = pread(evt->file, evt->buffer + kept, evt->cap - kept, (off_t)(evt->offset + kept));
        if (got < 0 && errno == EINTR)
            continue;
        evt->file_ended = got <= 0;
        kept += got > 0 ? (size_t)got : 0;
        if (evt->sum && got > 0)
            atomic_fetch_add_explicit(evt->sum, (uint64_t)got, memory_order_relaxed);
    }
    if (!evt->keep_open || evt->file_ended)
        close_file(evt);
    evt->end = evt->buffer + kept;
    memset(evt->buffer + kept, 0, PAD);
    if (got < 0)
        end_early(evt, "cannot be read to its end");
    return !evt->ended;
}

/// Goes on in the read-ahead's next page, which may begin with what has been read in the one
/// before; without the read-ahead when there are not so many bytes from here in it.
static bool take_page(pj_otf2_evt *evt, size_t size)
{
    pj_otf2_page page;
    size_t left = (size_t)(evt->end - evt->at);
    evt->stretches = 0;
    if (!evt->readahead)
        return false;
    bool more = pj_otf2_readahead_next(evt->readahead, &page);
    uint64_t skip = more ? evt->offset - page.offset : 0;
    if (!more || skip > page.len || (page.len - skip < size && !page.ends)) {
        pj_otf2_readahead_free(evt->readahead);
        evt->readahead = NULL;
        return false;
    }
    evt->offset = page.offset;
    evt->begin = page.bytes;
    evt->at = page.bytes + skip;
    evt->end = page.bytes + page.len;
    evt->file_ended = page.ends;
    evt->stretch = page.stretches;
    evt->stretches = page.count;
    if (evt->sum)
        atomic_fetch_add_explicit(evt->sum, page.len - skip - left, memory_order_relaxed);
    return true;
}

/// Brings at least `size` bytes from `at` on into the buffer, or all that are left.
static bool bring(pj_otf2_evt *evt, size_t size)
{
    size_t left = (size_t)(evt->end - evt->at);
    if (left >= size || evt->file_ended)
        return true;
    evt->offset += (uint64_t)(evt->at - evt->begin);
    if (left)
        memmove(evt->buffer, evt->at, left);
    evt->begin = evt->at = evt->buffer;
    evt->end = evt->buffer + left;
    if (take_page(evt, size))
        return true;
    if (size > evt->cap) {
        evt->buffer = pj_resize_memory(evt->buffer, size + PAD);
        evt->cap = size;
    }
    evt->begin = evt->at = evt->buffer;
    evt->end = evt->buffer + left;
    return read_on(evt);
}

/// Goes to the chunk that begins at `offset` of the file.
static bool go_to(pj_otf2_evt *evt, uint64_t offset)
{
    uint64_t skip = offset - evt->offset;
    if (skip <= (uint64_t)(evt->end - evt->begin)) {
        evt->at = evt->begin + skip;
        return true;
    }
    if (evt->file_ended) {
        evt->at = evt->end;
        return true;
    }
    evt->offset = offset;
    evt->begin = evt->at = evt->end = evt->buffer;
    return take_page(evt, 0) || read_on(evt);
}

static bool begin_chunk(pj_otf2_evt *evt)
{
    if (!bring(evt, MARGIN))
        return false;
    if (evt->end - evt->at < CHUNK_HEAD || evt->at[0] != PJ_OTF2_MARK_CHUNK) {
        end_early(evt, evt->at == evt->end ? "ends without its end mark"
                                           : "holds something that is no chunk of events");
        return false;
    }
    if (evt->at[1] != PJ_OTF2_LITTLE_ENDIAN) {
        evt->facts.foreign = true;
        end_early(evt, "is written in another byte order");
        return false;
    }
    evt->at += CHUNK_HEAD;
    return true;
}

static bool next_chunk(pj_otf2_evt *evt)
{
    uint64_t position = evt->offset + (uint64_t)(evt->at - evt->begin) - 1; // of the end mark
    uint64_t next = (position / evt->chunk_bytes + 1) * evt->chunk_bytes;
    return go_to(evt, next) && begin_chunk(evt);
}

/// The length of the record at `at`, which is moved behind it; all its bytes are in the buffer.
INLINE bool take_length(pj_otf2_evt *evt, uint64_t *length)
{
    *length = *evt->at++;
    if (__builtin_expect(*length == UINT8_MAX, 0)) {
        *length = load_8(evt->at);
        evt->at += 8;
    }
    if (__builtin_expect(evt->at > evt->end || *length > (uint64_t)(evt->end - evt->at), 0)) {
        if (*length > RECORD_BYTES_MAX || evt->at > evt->end) {
            end_early(evt, "holds a record of impossible length");
            return false;
        }
        if (!bring(evt, (size_t)*length))
            return false;
        if (*length > (uint64_t)(evt->end - evt->at)) {
            end_early(evt, "ends in the middle of a record");
            return false;
        }
    }
    return true;
}

/// A compressed number that ends before `stop`.
INLINE bool take_number(const uint8_t **at, const uint8_t *stop, uint64_t *value)
{
    unsigned size = **at;
    const uint8_t *end = *at + 1 + bytes_of(size);
    if (*at >= stop || end > stop || bytes_of(size) > 8)
        return false;
    *value = number_of(*at + 1, size);
    *at = end;
    return true;
}

static bool take_members(const uint8_t *at, const uint8_t *stop, const char *members,
                         pj_otf2_event *event)
{
    for (unsigned i = 0; members[i]; i++) {
        event->field[i] = 0;
        if (members[i] == 'n' || members[i] == 'i') {
            if (!take_number(&at, stop, &event->field[i]))
                return false;
            continue;
        }
        ptrdiff_t size = members[i] == 'b' ? 1 : 8;
        if (stop - at < size)
            return false;
        event->field[i] = size == 1 ? *at : load_8(at);
        at += size;
    }
    return true;
}

INLINE bool take_values(pj_otf2_evt *evt, const uint8_t *stop, pj_otf2_event *event)
{
    const uint8_t *at = evt->at;
    if (!take_number(&at, stop, &event->field[0]) || at >= stop)
        return false;
    unsigned count = *at++;
    for (unsigned i = 0; i < count; i++) {
        if (at >= stop)
            return false;
        evt->kinds[i] = *at++;
        if (!take_number(&at, stop, &evt->values[i])) // doubles too: their bits as a number
            return false;
    }
    event->count = (uint8_t)count;
    event->values = evt->values;
    event->kinds = evt->kinds;
    return true;
}

static void pass_over(pj_otf2_evt_facts *facts, uint8_t type)
{
    facts->unknown++;
    for (size_t i = 0; i < PJ_OTF2_PASSED_MOST; i++)
        if (!facts->passed[i].events || facts->passed[i].type == type) {
            facts->passed[i].type = type;
            facts->passed[i].events++;
            return;
        }
}

/// An event with a length; false when its members do not fit into it.
static bool take_record(pj_otf2_evt *evt, const uint8_t *stop, pj_otf2_event *event)
{
    if (event->type == PJ_OTF2_METRIC)
        return take_values(evt, stop, event);
    const shape *s = &shapes[event->type];
    if (!s->known) {
        pass_over(&evt->facts, event->type);
        return true;
    }
    return take_members(evt->at, stop, s->members, event);
}

INLINE bool take_single(pj_otf2_evt *evt, pj_otf2_event *event)
{
    unsigned size = *evt->at++;
    event->field[0] = number_of(evt->at, size);
    evt->at += bytes_of(size);
    if (__builtin_expect(bytes_of(size) > 8, 0)) {
        end_early(evt, "holds a number of impossible size");
        return false;
    }
    if (__builtin_expect(evt->at > evt->end, 0)) {
        end_early(evt, "ends in the middle of a record");
        return false;
    }
    return true;
}

/// Marks other than times.
static void take_mark(pj_otf2_evt *evt, uint8_t mark)
{
    uint64_t length;
    if (mark == PJ_OTF2_MARK_END)
        next_chunk(evt);
    else if (mark == PJ_OTF2_MARK_ATTRIBUTES && take_length(evt, &length))
        evt->at += length;
    else if (mark == PJ_OTF2_MARK_FILE_END)
        evt->ended = true;
    else if (mark != PJ_OTF2_MARK_ATTRIBUTES)
        end_early(evt, "holds bytes that are no record");
}

/// The members of an event; false when it is skipped, or at the end.
INLINE bool take_event(pj_otf2_evt *evt, pj_otf2_event *event)
{
    if (shapes[event->type].single)
        return take_single(evt, event);
    uint64_t length;
    if (!take_length(evt, &length))
        return false;
    const uint8_t *stop = evt->at + length;
    bool whole = take_record(evt, stop, event);
    evt->at = stop;
    evt->facts.malformed += !whole;
    return whole;
}

/// Bytes of a record to look at; false at the end.
INLINE bool have_bytes(pj_otf2_evt *evt)
{
    if (__builtin_expect(evt->end - evt->at >= MARGIN, 1))
        return true;
    if (!bring(evt, MARGIN))
        return false;
    if (evt->at >= evt->end)
        end_early(evt, "ends without its end mark");
    return !evt->ended;
}

bool pj_otf2_evt_next(pj_otf2_evt *evt, pj_otf2_event *event)
{
    if (!evt->begun)
        begin_chunk(evt);
    evt->begun = true;
    while (!evt->ended && have_bytes(evt)) {
        uint8_t type = *evt->at++;
        if (type == PJ_OTF2_MARK_TIME) {
            evt->time = load_8(evt->at);
            evt->at += 8;
        } else if (__builtin_expect(type < PJ_OTF2_EVENT_FIRST, 0)) {
            take_mark(evt, type);
        } else {
            event->type = type;
            event->time = evt->time;
            if (take_event(evt, event)) {
                evt->facts.events++;
                return true;
            }
        }
    }
    return false;
}

pj_otf2_spot pj_otf2_evt_spot(const pj_otf2_evt *evt)
{
    return (pj_otf2_spot){evt->offset + (uint64_t)(evt->at - evt->begin), evt->time};
}

void pj_otf2_evt_go(pj_otf2_evt *evt, pj_otf2_spot spot)
{
    evt->offset = spot.offset;
    evt->begin = evt->at = evt->end = evt->buffer;
    evt->time = spot.ticks;
    evt->begun = spot.offset > 0;
    evt->file_ended = evt->ended = false;
}

void pj_otf2_evt_start_readahead(pj_otf2_evt *evt, const uint32_t *region_of, uint32_t region_ids)
{
    pj_otf2_spot here = pj_otf2_evt_spot(evt);
    if (!evt->begun || evt->ended || evt->file_ended)
        return;
    evt->readahead = pj_otf2_readahead_new((pj_otf2_readahead_opts){.path = evt->path,
                                                                    .chunk_bytes = evt->chunk_bytes,
                                                                    .from = here,
                                                                    .region_of = region_of,
                                                                    .region_ids = region_ids});
    if (!evt->readahead)
        return;
    if (evt->cap < PJ_OTF2_PAGE_BYTES) { // what is left of a page has room
        evt->buffer = pj_resize_memory(evt->buffer, PJ_OTF2_PAGE_BYTES + PAD);
        evt->cap = PJ_OTF2_PAGE_BYTES;
    }
    evt->offset = here.offset;
    evt->begin = evt->at = evt->end = evt->buffer;
}

const pj_otf2_stretch *pj_otf2_evt_stretch(pj_otf2_evt *evt, const uint8_t *at)
{
    for (; evt->stretches; evt->stretch++, evt->stretches--)
        if (evt->begin + evt->stretch->begin >= at)
            return evt->begin + evt->stretch->begin == at ? evt->stretch : NULL;
    return NULL;
}

pj_otf2_span pj_otf2_evt_span(const pj_otf2_evt *evt)
{
    bool some = evt->begun && !evt->ended && evt->end - evt->at > MARGIN;
    return (pj_otf2_span){evt->at, some ? evt->end - MARGIN : evt->at, evt->time};
}

void pj_otf2_evt_move(pj_otf2_evt *evt, pj_otf2_span span, uint64_t events)
{
    evt->at = span.at;
    evt->time = span.time;
    evt->facts.events += events;
}

bool pj_otf2_evt_values(pj_otf2_evt *evt, const uint8_t *at, pj_otf2_event *event)
{
    const uint8_t *kept = evt->at;
    evt->at = at + 2;
    bool whole = take_values(evt, at + 2 + at[1], event);
    evt->at = kept;
    evt->facts.malformed += !whole;
    evt->facts.events -= !whole;
    return whole;
}
