// A thread that runs ahead through the event file of a large location: it reads the pages, and
// finds the stretches of records that otf2_skim can pass over at once. Ownership: new/free; a page
// is valid until the next one.
#ifndef PJ_OTF2_READAHEAD_H
#define PJ_OTF2_READAHEAD_H

#include "metrics/read/otf2/events/otf2_evt.h"

enum { PJ_OTF2_PAGE_BYTES = 256 << 10, PJ_OTF2_STRETCH_REGIONS = 12 };

/// Records that only enter and leave plain regions, read one metric again and again, or mean
/// nothing.
typedef struct pj_otf2_stretch {
    uint32_t begin, end; // in the page
    uint32_t events;
    uint32_t metric;       // the last reading, in the page; PJ_OTF2_NONE = there is none
    uint64_t time;         // ticks of its last event
    uint64_t metric_time;  // of the last reading
    uint8_t metric_id;     // of all readings
    uint8_t left, entered; // regions that were open before it; that are open behind it
    uint32_t regions[PJ_OTF2_STRETCH_REGIONS]; // those left, in their order, then those entered
} pj_otf2_stretch;

typedef struct pj_otf2_page {
    const uint8_t *bytes; // padded as the decoder wants it
    size_t len;
    uint64_t offset; // in the file
    bool ends;       // with the file
    const pj_otf2_stretch *stretches;
    size_t count;
} pj_otf2_page;

typedef struct pj_otf2_readahead pj_otf2_readahead;

typedef struct pj_otf2_readahead_opts {
    const char *path;
    uint64_t chunk_bytes;
    pj_otf2_spot from;         // a record
    const uint32_t *region_of; // plain region by id, else PJ_OTF2_NONE; copied
    uint32_t region_ids;       // number of these
} pj_otf2_readahead_opts;

/// NULL when there is no thread for it.
pj_otf2_readahead *pj_otf2_readahead_new(pj_otf2_readahead_opts opts);
void pj_otf2_readahead_free(pj_otf2_readahead *readahead);
/// The next page, in the order of the file; false when the read-ahead goes no further: records
/// longer than a page, or something that is no record.
bool pj_otf2_readahead_next(pj_otf2_readahead *readahead, pj_otf2_page *page);

#endif
