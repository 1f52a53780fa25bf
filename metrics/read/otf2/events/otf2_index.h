// Marks in the event file of a location at which reading can begin anew, left behind by a reading
// of the whole file. There are never more than a few hundred: then every other one is dropped.
// Ownership: new/free; a kept index is arena.
#ifndef PJ_OTF2_INDEX_H
#define PJ_OTF2_INDEX_H

#include "metrics/base/arena.h"
#include "metrics/base/map.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/otf2_reach.h"
#include "metrics/run/run.h"

typedef struct pj_otf2_mark {
    pj_otf2_spot spot;
    uint64_t records; // before it
    size_t piece;     // of the clock's offsets
    uint32_t frame, depth;
    uint32_t number; // the first one that belongs to it
    pj_otf2_standing now;
} pj_otf2_mark;

/// Messages of a location to (or from) one rank, with one communicator and tag. The n-th message of
/// a flow is received by the n-th of its counterpart.
typedef struct pj_otf2_flow {
    uint32_t peer, comm, tag;
    bool sent;
    uint32_t next;  // messages so far
    uint32_t stamp; // when it was met last
} pj_otf2_flow;

typedef struct pj_otf2_flows {
    pj_otf2_flow *items;
    size_t count, cap;
    pj_map channel_of; // peer and communicator -> number
    pj_map flow_of;    // channel, direction and tag -> index
} pj_otf2_flows;

/// The flow of an operation; a new one when there is none.
pj_otf2_flow *pj_otf2_flow_of(pj_otf2_flows *flows, const pj_otf2_op *op);
void pj_otf2_flows_free(pj_otf2_flows *flows);

/// The first message of a flow behind a mark.
typedef struct pj_otf2_number {
    uint32_t flow, number;
} pj_otf2_number;

typedef struct pj_otf2_index {
    pj_otf2_mark *marks; // the first one is the begin of the file
    size_t count, cap, most;
    pj_otf2_frame *frames;
    size_t frame_count, frame_cap;
    pj_otf2_number *numbers; // by mark, each flow that the mark's part of the file has, once
    size_t number_count, number_cap;
    pj_otf2_flows flows;
    uint64_t interval;  // records between marks
    uint64_t id, bytes; // of a kept index: the file and its size
} pj_otf2_index;

/// Lets the location leave marks, at most this many, while it is read.
void pj_otf2_index_begin(pj_otf2_location *location, size_t most);
void pj_otf2_index_free(pj_otf2_index *index);
/// The location is at a mark. It loses its index when that would grow too large.
void pj_otf2_index_mark(pj_otf2_location *location);
/// Counts a message.
void pj_otf2_index_count(pj_otf2_location *location, const pj_otf2_op *op);
/// Bytes in use; NULL has none.
size_t pj_otf2_index_bytes(const pj_otf2_index *index);

/// What a run keeps of the indices of its locations.
typedef struct pj_otf2_indices {
    const char *folder;   // of the event files
    pj_otf2_index *items; // by location
    uint32_t count;
    uint32_t region_count; // of the definitions that go with them
    pj_otf2_reach reach;
} pj_otf2_indices;

/// Copies them; NULL when one is missing or its messages have no certain order:
/// those of a rank that communicates with several threads, and receives without completions.
const pj_otf2_indices *pj_otf2_indices_keep(pj_otf2_location *const *locations, uint32_t count,
                                            const pj_otf2_reach *reach, const char *folder,
                                            pj_arena *arena);
/// Whether the files still have the sizes that they had.
bool pj_otf2_indices_hold(const pj_otf2_indices *indices);

#endif
