// Ranks, threads and nodes of one execution. Ownership: arena (the run's).
#ifndef PJ_LAYOUT_H
#define PJ_LAYOUT_H

#include "metrics/base/arena.h"
#include "metrics/base/process_group.h"
#include "metrics/trace/device.h"

#include <stdbool.h>
#include <stdint.h>

/// Locations are the threads of all ranks, numbered rank by rank: rank r owns the locations
/// first_location[r] .. first_location[r + 1] - 1, its thread t is first_location[r] + t. Streams
/// of devices are no threads: events of stream i, which only sinks of devices are given, are at
/// `locations` + i. Behind them come readings of meters, which only sinks of those are given.
typedef struct pj_layout {
    uint32_t applications; // >= 1; ranks of several applications are numbered through
    uint32_t ranks;
    uint32_t locations;
    uint32_t *first_location;      // ranks + 1 items
    uint32_t *rank_of;             // by location
    uint32_t *application_of;      // by rank
    uint32_t *node_of;             // by location; 0 = unknown, else from 1
    const char **location_name;    // by location; NULL where the trace gives none
    const char **application_name; // by application; NULL, or NULL where the trace gives none
    const char **node_name;        // of node 1, 2, ... (node_names of them); NULL = none
    uint32_t node_names;
    const pj_device_stream *streams; // rank by rank
    uint32_t stream_count;
} pj_layout;

static inline uint32_t pj_layout_threads(const pj_layout *layout, uint32_t rank)
{
    return layout->first_location[rank + 1] - layout->first_location[rank];
}

/// The member of a process group that a location belongs to: a whole rank to one, where there are
/// enough.
static inline unsigned pj_layout_owner(const pj_layout *layout, const pj_process_group *group,
                                       uint32_t location)
{
    if (location >= layout->locations) // a stream's is that of its rank
        location = layout->first_location[layout->streams[location - layout->locations].rank];
    bool whole = layout->ranks >= pj_process_group_readers(group);
    uint32_t of = whole ? layout->first_location[layout->rank_of[location]] : location;
    return pj_process_group_owner(group, of, layout->locations);
}

/// Threads of every rank when they are equal, else 0 (then the text is "4x2-8").
uint32_t pj_layout_threads_per_rank(const pj_layout *layout);
/// "16x1", "4x2-8" (ranks x threads) in the arena.
const char *pj_layout_threads_text(const pj_layout *layout, pj_arena *arena);
/// The same with devices: "2x1+2D".
const char *pj_layout_text(const pj_layout *layout, pj_arena *arena);

#endif
