// Reading ahead of the decoder on a thread of its own.
// Follows the records by their lengths; what is not plain is left to the decoder. A page begins
// with the records that had too few bytes behind them in the one before, of which the decoder may
// have read the first.
#include "metrics/read/otf2/events/otf2_readahead.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/read/ahead.h"
#include "metrics/read/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STRETCHES_MOST = 2048, // of a page
    EVENTS_LEAST = 8,      // a shorter stretch is not worth it
    SINGLE_BYTES_MOST = 8,
};
#define NONE UINT32_MAX

static const bool single[UINT8_MAX + 1] = {
#define EVENT(name, type, members)
#define SINGLE(name, type) [type] = true,
#include "metrics/read/otf2/events/otf2_events.def"
#undef EVENT
#undef SINGLE
};

/// What a block of the ring holds.
typedef struct page {
    size_t count;
    pj_otf2_stretch stretches[STRETCHES_MOST];
    uint8_t bytes[PJ_OTF2_PAGE_BYTES + PJ_OTF2_EVT_PAD];
} page;

struct pj_otf2_readahead {
    pj_ahead *ahead;
    pj_block block; // that the decoder has
    // The rest is the thread's.
    int fd;
    uint64_t chunk_bytes;
    uint32_t *region_of;
    uint32_t region_ids;
    uint64_t offset, time; // of the next page's first record
    bool at_chunk;         // which is the head of a chunk
    bool lost;             // no more pages
    uint8_t rest[PJ_OTF2_EVT_MARGIN];
    size_t rest_len; // bytes of the next page that are known
};

typedef struct survey { // of one page
    pj_otf2_readahead *readahead;
    page *page;
    uint64_t page_offset;
    const uint8_t *at, *end;
    uint64_t time;
    bool ends;
} survey;

// Stretches

/// A stretch on its way; numbers that are in use all the time, apart from their lists.
typedef struct stretch {
    const uint32_t *region_of;
    uint32_t region_ids;
    const uint8_t *at;
    uint64_t time, metric_time;
    const uint8_t *metric; // the last one, NULL = none
    uint32_t metric_id;
    uint32_t events, left, entered;
    uint32_t *open, *regions; // regions entered and not left; left that were open before
} stretch;

static inline uint32_t plain_region(const stretch *s)
{
    const uint8_t *at = s->at + 2;
    unsigned size = s->at[1];
    if (size > 2)
        return NONE;
    uint32_t id = size == 0 ? 0 : size == 1 ? at[0] : at[0] | (uint32_t)at[1] << 8;
    return id < s->region_ids ? s->region_of[id] : NONE;
}

static inline bool has_room(const stretch *s)
{
    return s->left + s->entered < PJ_OTF2_STRETCH_REGIONS;
}

static inline bool take_enter(stretch *s)
{
    uint32_t region = plain_region(s);
    if (region == NONE || !has_room(s))
        return false;
    s->open[s->entered++] = region;
    s->at += 2 + s->at[1];
    return true;
}

static inline bool take_leave(stretch *s)
{
    uint32_t region = plain_region(s);
    if (region == NONE || (s->entered ? s->open[s->entered - 1] != region : !has_room(s)))
        return false;
    if (s->entered)
        s->entered--;
    else
        s->regions[s->left++] = region;
    s->at += 2 + s->at[1];
    return true;
}

static inline bool take_metric(stretch *s)
{
    unsigned length = s->at[1], size = s->at[2];
    uint32_t id = size ? s->at[3] : 0;
    if (length == UINT8_MAX || size > 1 || (s->metric && s->metric_id != id))
        return false;
    s->metric_id = id;
    s->metric = s->at;
    s->metric_time = s->time;
    s->at += 2 + length;
    return true;
}

static inline bool take_single(stretch *s)
{
    if (s->at[1] > SINGLE_BYTES_MOST)
        return false;
    s->at += 2 + s->at[1];
    return true;
}

/// Takes the record at `at` if it belongs to the stretch; the same rules as in otf2_skim.
static inline bool take_plain(stretch *s)
{
    switch (*s->at) {
    case PJ_OTF2_METRIC:
        return take_metric(s);
    case PJ_OTF2_ENTER:
        return take_enter(s);
    case PJ_OTF2_LEAVE:
        return take_leave(s);
    case PJ_OTF2_MPI_ISEND_COMPLETE:
    case PJ_OTF2_MPI_REQUEST_TEST:
        return take_single(s);
    default: // any byte
        return false;
    }
}

/// Moves behind a time, unless it goes back.
static inline bool take_time(stretch *s)
{
    uint64_t time;
    memcpy(&time, s->at + 1, sizeof time);
    if (time < s->time)
        return false;
    s->time = time;
    s->at += 1 + sizeof time;
    return true;
}

static void keep_stretch(const survey *v, const stretch *s)
{
    if (s->events < EVENTS_LEAST || v->page->count == STRETCHES_MOST)
        return;
    pj_otf2_stretch *out = &v->page->stretches[v->page->count++];
    const uint8_t *bytes = v->page->bytes;
    *out = (pj_otf2_stretch){.begin = (uint32_t)(v->at - bytes),
                             .end = (uint32_t)(s->at - bytes),
                             .events = s->events,
                             .metric = s->metric ? (uint32_t)(s->metric - bytes) : NONE,
                             .time = s->time,
                             .metric_time = s->metric_time,
                             .metric_id = (uint8_t)s->metric_id,
                             .left = (uint8_t)s->left,
                             .entered = (uint8_t)s->entered};
    memcpy(out->regions, s->regions, s->left * sizeof *s->regions);
    memcpy(out->regions + s->left, s->open, s->entered * sizeof *s->open);
}

/// Takes the plain records from here on; false when there are none.
static bool survey_stretch(survey *v)
{
    uint32_t open[PJ_OTF2_STRETCH_REGIONS], regions[PJ_OTF2_STRETCH_REGIONS];
    stretch s = {.region_of = v->readahead->region_of,
                 .region_ids = v->readahead->region_ids,
                 .at = v->at,
                 .time = v->time,
                 .open = open,
                 .regions = regions};
    while (v->end - s.at >= PJ_OTF2_EVT_MARGIN) {
        const uint8_t *at = s.at;
        uint64_t time = s.time;
        if ((*at == PJ_OTF2_MARK_TIME && !take_time(&s)) || !take_plain(&s)) {
            s.at = at;
            s.time = time;
            break;
        }
        s.events++;
    }
    bool some = s.at > v->at;
    keep_stretch(v, &s);
    v->at = s.at;
    v->time = s.time;
    return some;
}

// Other records

static uint32_t location_of(const survey *v)
{
    return (uint32_t)(v->at - v->page->bytes);
}

/// Bytes of the record with a length at `at`; 0 when it is not whole in the page.
static uint64_t size_with_length(const survey *v)
{
    uint64_t head = 2, length = v->at[1];
    if (length == UINT8_MAX) {
        memcpy(&length, v->at + 2, sizeof length);
        head += sizeof length;
    }
    uint64_t left = (uint64_t)(v->end - v->at);
    return head <= left && length <= left - head ? head + length : 0;
}

/// Bytes of the event or the attributes at `at`; 0 when they are not whole in the page.
static uint64_t size_at(const survey *v)
{
    if (!single[*v->at])
        return size_with_length(v);
    uint64_t size = 2 + (uint64_t)(v->at[1] == UINT8_MAX ? 0 : v->at[1]);
    return size <= 2 + SINGLE_BYTES_MOST && size <= (uint64_t)(v->end - v->at) ? size : 0;
}

/// Goes to the next chunk; its head may be in the next page.
static void end_chunk(survey *v)
{
    pj_otf2_readahead *readahead = v->readahead;
    uint64_t position = v->page_offset + location_of(v);
    uint64_t next = (position / readahead->chunk_bytes + 1) * readahead->chunk_bytes;
    uint64_t loaded = v->page_offset + (uint64_t)(v->end - v->page->bytes);
    readahead->at_chunk = true;
    readahead->offset = next;
    bool here = next > position && next < loaded;
    v->at = here ? v->page->bytes + (next - v->page_offset) : v->end;
}

/// The head of a chunk; false when there is none.
static bool begin_chunk(survey *v)
{
    const uint8_t head[] = {PJ_OTF2_MARK_CHUNK, PJ_OTF2_LITTLE_ENDIAN};
    if (v->end - v->at < PJ_OTF2_CHUNK_HEAD || memcmp(v->at, head, sizeof head) != 0)
        return false;
    v->at += PJ_OTF2_CHUNK_HEAD;
    v->readahead->at_chunk = false;
    return true;
}

/// Goes on by one record; false where it is not whole in the page, or is none.
static bool survey_record(survey *v)
{
    uint8_t type = *v->at;
    if (v->readahead->at_chunk)
        return begin_chunk(v);
    if (type == PJ_OTF2_MARK_END) {
        end_chunk(v);
        return true;
    }
    if (type == PJ_OTF2_MARK_TIME && v->end - v->at > (ptrdiff_t)sizeof v->time) {
        memcpy(&v->time, v->at + 1, sizeof v->time);
        v->at += 1 + sizeof v->time;
        return true;
    }
    bool known = type >= PJ_OTF2_EVENT_FIRST || type == PJ_OTF2_MARK_ATTRIBUTES;
    uint64_t size = known ? size_at(v) : 0;
    v->at += size;
    return size > 0;
}

/// The next page begins at what is left of this one.
static void survey_page(survey *v)
{
    pj_otf2_readahead *readahead = v->readahead;
    bool on = true;
    while (on && v->at < v->end && (v->ends || v->end - v->at >= PJ_OTF2_EVT_MARGIN))
        on = (!readahead->at_chunk && survey_stretch(v)) || survey_record(v);
    if (!readahead->at_chunk)
        readahead->offset = v->page_offset + location_of(v);
    readahead->lost = !on || v->ends;
    readahead->time = v->time;
    readahead->rest_len = readahead->lost ? 0 : (size_t)(v->end - v->at);
    memcpy(readahead->rest, v->at, readahead->rest_len);
}

// Pages

/// Fills the page up, or to the end of the file; false when it cannot be read.
static bool read_page(const pj_otf2_readahead *readahead, page *p, size_t *len)
{
    for (ssize_t n = 1; n != 0 && *len < PJ_OTF2_PAGE_BYTES;) {
        n = pread(readahead->fd, p->bytes + *len, PJ_OTF2_PAGE_BYTES - *len,
                  (off_t)(readahead->offset + *len));
        if (n < 0 && errno != EINTR)
            return false;
        *len += n > 0 ? (size_t)n : 0;
    }
    memset(p->bytes + *len, 0, PJ_OTF2_EVT_PAD);
    return true;
}

static bool fill(void *context, pj_block *block, pj_err *err)
{
    pj_otf2_readahead *readahead = context;
    (void)err;
    if (readahead->lost)
        return false;
    if (!block->memory)
        block->memory = pj_take_memory(sizeof(page));
    page *p = (page *)(void *)block->memory;
    p->count = 0;
    memcpy(p->bytes, readahead->rest, readahead->rest_len);
    block->offset = readahead->offset;
    block->len = readahead->rest_len;
    if (!read_page(readahead, p, &block->len))
        return false;
    block->unended = block->len < PJ_OTF2_PAGE_BYTES;
    survey v = {.readahead = readahead,
                .page = p,
                .page_offset = block->offset,
                .at = p->bytes,
                .end = p->bytes + block->len,
                .time = readahead->time,
                .ends = block->unended};
    survey_page(&v);
    return true;
}

pj_otf2_readahead *pj_otf2_readahead_new(pj_otf2_readahead_opts opts)
{
    int fd = open(opts.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    pj_otf2_readahead *readahead = pj_take_memory(sizeof *readahead);
    *readahead = (pj_otf2_readahead){.fd = fd,
                                     .chunk_bytes = opts.chunk_bytes,
                                     .region_ids = opts.region_ids,
                                     .offset = opts.from.offset,
                                     .time = opts.from.ticks};
    size_t size = opts.region_ids * sizeof *readahead->region_of;
    readahead->region_of = memcpy(pj_take_memory(size), opts.region_of, size);
    readahead->ahead = pj_ahead_start(fill, readahead);
    if (readahead->ahead)
        return readahead;
    pj_otf2_readahead_free(readahead);
    return NULL;
}

void pj_otf2_readahead_free(pj_otf2_readahead *readahead)
{
    if (!readahead)
        return;
    pj_ahead_stop(readahead->ahead);
    pj_block_free(&readahead->block);
    free(readahead->region_of);
    close(readahead->fd);
    free(readahead);
}

bool pj_otf2_readahead_next(pj_otf2_readahead *readahead, pj_otf2_page *out)
{
    if (!pj_ahead_next(readahead->ahead, &readahead->block, NULL))
        return false;
    const page *p = (const page *)(const void *)readahead->block.memory;
    *out = (pj_otf2_page){.bytes = p->bytes,
                          .len = readahead->block.len,
                          .offset = readahead->block.offset,
                          .ends = readahead->block.unended,
                          .stretches = p->stretches,
                          .count = p->count};
    return true;
}
