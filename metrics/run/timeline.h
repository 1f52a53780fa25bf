// What the threads and devices of a run do over time, by pixel: states as shares of each pixel's
// time, messages as lines, bundled when they are many. Bounded by pixels, however long the trace.
// Ownership: arena (the run's).
#ifndef PJ_TIMELINE_H
#define PJ_TIMELINE_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/trace/device.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"
#include "metrics/trace/roi.h"

/// Kinds of time that a timeline tells apart: KIND(name, title) in timeline_kinds.def.
typedef enum pj_timeline_kind {
#define KIND(name, title) PJ_TIMELINE_##name,
#include "metrics/run/timeline_kinds.def"
#undef KIND
    PJ_TIMELINE_KINDS // number of kinds
} pj_timeline_kind;

const char *pj_timeline_kind_title(pj_timeline_kind kind);
/// Kind of a state of Extrae's (PJ_STATE_*).
pj_timeline_kind pj_timeline_kind_of(unsigned state);

typedef struct pj_timeline_opts {
    pj_roi_request range;           // what is looked at; PJ_ROI_AUTO: what is analysed
    uint32_t first_rank, last_rank; // both included; last_rank UINT32_MAX = to the last one
    uint32_t rows_most, columns;
    bool streams; // devices open to their streams
    bool counted; // messages are counted and not bundled
    bool waits;   // those of the run (pj_run.waits) are shown
} pj_timeline_opts;

/// One message, or several that begin and end near each other.
typedef struct pj_timeline_bundle {
    uint32_t from, to;           // lanes of threads
    double sent_ns, received_ns; // means
    uint64_t messages, bytes;
} pj_timeline_bundle;

/// An MPI call that is in the range, or a part of it.
typedef struct pj_timeline_call {
    uint32_t lane;
    pj_mpi_call call;
    uint64_t begin_ns, end_ns;
} pj_timeline_call;
enum { PJ_TIMELINE_MOST_CALLS = 2000 };

/// A device with all of its streams, or one of these, which then come behind it. Kernels are
/// running, and go before what is moved meanwhile.
typedef struct pj_timeline_device {
    const char *key;                // of the device (pj_device_keys)
    uint32_t device;                // its number there
    const pj_device_stream *stream; // NULL = all of them
} pj_timeline_device;

typedef struct pj_timeline {
    uint64_t from_ns, to_ns;
    uint32_t first_location;           // lanes are locations from here on
    uint32_t threads;                  // so many, and then
    const pj_timeline_device *devices; // these; NULL = none
    uint32_t lanes;                    // of both
    uint32_t rows;                     // lane l is in row l * rows / lanes
    uint32_t columns;
    double column_ns; // columns begin at from_ns; the last ones may lie behind to_ns
    float *time; // ns by row, column, kind: [(row * columns + column) * PJ_TIMELINE_KINDS + kind]
    uint64_t *sums; // ns by lane and kind, exact
    const pj_timeline_bundle *bundles;
    size_t bundle_count;
    uint64_t messages;
    const pj_timeline_call *calls; // by lane and begin; none when there are more than the most
    size_t call_count;
    bool waits;   // those of the run are shown
    bool guessed; // the range is in percent of a length that was not known: all is shown
} pj_timeline;

static inline const float *pj_timeline_at(const pj_timeline *timeline, size_t row, size_t column)
{
    return &timeline->time[(row * timeline->columns + column) * PJ_TIMELINE_KINDS];
}

/// The devices that these ranks use, with `streams` each followed by its own; NULL = none.
const pj_timeline_device *pj_timeline_devices_of(const pj_layout *layout,
                                                 const pj_timeline_opts *opts, pj_arena *arena,
                                                 uint32_t *count);

/// "D0", "node1:D0" where devices are on several nodes; of a stream "S7"; arena.
const char *pj_timeline_device_name(const pj_timeline *timeline, uint32_t index, pj_arena *arena);

#endif
