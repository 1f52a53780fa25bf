// Decodes the event file of one location (.evt) from blocks of bytes: several times faster than
// the format's own library, with which it must agree
// (tests/metrics/read/otf2/events/test_otf2_evt.c). Format: chunks of the anchor's size, each begun
// by 03, a byte order and two event numbers; records are 05 with a time that holds for all that
// follow, or a type, a length and members. Ownership: new/free; memory is one buffer.
#ifndef PJ_OTF2_EVT_H
#define PJ_OTF2_EVT_H

#include "metrics/base/err.h"
#include "metrics/read/otf2/events/otf2_event.h"

#include <stddef.h>

enum {                         // bytes of the format that are no events
    PJ_OTF2_MARK_END = 0,      // of the chunk; the next one begins at a multiple of the chunk size
    PJ_OTF2_MARK_FILE_END = 2, // of the file
    PJ_OTF2_MARK_CHUNK = 3,
    PJ_OTF2_MARK_TIME = 5,
    PJ_OTF2_MARK_ATTRIBUTES = 6, // of the event that follows
    PJ_OTF2_LITTLE_ENDIAN = 'B',
    PJ_OTF2_CHUNK_HEAD = 18, // 03, byte order, first and last event
};

enum {
    PJ_OTF2_EVT_PAD = 16,     // zeroes behind the bytes that are decoded
    PJ_OTF2_EVT_MARGIN = 512, // a record that is not longer is read without looking for more bytes
};

typedef struct pj_otf2_evt pj_otf2_evt;

typedef struct pj_otf2_evt_opts {
    uint64_t chunk_bytes;  // from the anchor file
    size_t buffer_bytes;   // 0 = 64 kB
    _Atomic uint64_t *sum; // raised by the bytes read; NULL = by nothing
    bool keep_open;        // the file, from one buffer to the next
} pj_otf2_evt_opts;

enum { PJ_OTF2_PASSED_MOST = 8 };

/// Events of a type without meaning here; none: a free row.
typedef struct pj_otf2_passed {
    uint64_t events;
    uint8_t type;
} pj_otf2_passed;

/// What is known about a file; final when it has ended.
typedef struct pj_otf2_evt_facts {
    uint64_t events;
    uint64_t malformed; // records whose members do not fit their length; skipped
    uint64_t unknown;   // events of a type without meaning here
    pj_otf2_passed passed[PJ_OTF2_PASSED_MOST]; // the first types of them
    const char *damage;                         // why it ends early, NULL when it does not
    bool foreign;                               // big endian: left to the library
} pj_otf2_evt_facts;

/// NULL with PJ_E_IO when the file cannot be opened.
PJ_CHECKED pj_otf2_evt *pj_otf2_evt_open(const char *path, pj_otf2_evt_opts opts, pj_err *err);
/// Over bytes that outlive it.
pj_otf2_evt *pj_otf2_evt_memory(const void *bytes, size_t size, uint64_t chunk_bytes);
void pj_otf2_evt_close(pj_otf2_evt *evt);

/// Bytes in the buffer from the next record on, for who reads plain records on his own.
typedef struct pj_otf2_span {
    const uint8_t *at, *end; // a record that begins before `end` and is short is there as a whole
    uint64_t time;           // of the next record
} pj_otf2_span;
pj_otf2_span pj_otf2_evt_span(const pj_otf2_evt *evt);
/// `events` of them have been read up to the span's location.
void pj_otf2_evt_move(pj_otf2_evt *evt, pj_otf2_span span, uint64_t events);
/// The values of the metric record at `at`, which is in the buffer; false when it is malformed.
bool pj_otf2_evt_values(pj_otf2_evt *evt, const uint8_t *at, pj_otf2_event *event);

/// Where the next record begins in the file, and the time that holds there; 0 before the first one.
typedef struct pj_otf2_spot {
    uint64_t offset, ticks;
} pj_otf2_spot;
pj_otf2_spot pj_otf2_evt_spot(const pj_otf2_evt *evt);
/// Goes on from there, in a file.
void pj_otf2_evt_go(pj_otf2_evt *evt, pj_otf2_spot spot);

/// Lets a thread of its own read the rest of the file ahead and look for plain stretches
/// (otf2_readahead).
void pj_otf2_evt_start_readahead(pj_otf2_evt *evt, const uint32_t *region_of, uint32_t region_ids);
/// The stretch that begins at `at`; NULL = none is known. Calls come in the order of the records.
const struct pj_otf2_stretch *pj_otf2_evt_stretch(pj_otf2_evt *evt, const uint8_t *at);

/// The next event; false at the end.
bool pj_otf2_evt_next(pj_otf2_evt *evt, pj_otf2_event *event);
pj_otf2_evt_facts pj_otf2_evt_facts_of(const pj_otf2_evt *evt);

#endif
