// The definitions of an OTF2 archive, resolved: ranks and threads, regions, communicators, metrics.
// Ids are looked up, never used as indices: real archives have ids up to 2^32, out of order and
// twice. Ownership: new/free.
#ifndef PJ_OTF2_DEFS_H
#define PJ_OTF2_DEFS_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/read/otf2/events/otf2_region.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "metrics/run/run.h"

/// "No such index".
#define PJ_OTF2_NONE UINT32_MAX

typedef struct pj_otf2_comm {
    uint32_t number; // pj_communicator.id; 0 = no communicator of MPI processes
    bool self;       // every rank is alone in it
    bool nested;     // a team of threads within another
    uint32_t size, other_size;
    uint32_t *ranks; // rank in the run of each member; PJ_OTF2_NONE = not known
    uint32_t *other; // the other side of an inter-communicator, else NULL
} pj_otf2_comm;

/// Processes that a one-sided synchronisation may name.
typedef struct pj_otf2_group {
    uint32_t size;
    uint32_t *ranks; // rank in the run of each; PJ_OTF2_NONE = not known
} pj_otf2_group;

/// How the values of a metric are to be read.
typedef enum pj_otf2_mode {
    PJ_OTF2_ACCUMULATED, // counted since the start
    PJ_OTF2_ABSOLUTE,    // what the counter stands at
    PJ_OTF2_RELATIVE,    // counted since the reading before
} pj_otf2_mode;

/// Where the counters of a run stand among the values of a metric.
typedef struct pj_otf2_metric {
    bool used; // it holds any of them, and is recorded with the events
    bool has[2];
    bool next[2]; // the value is about the time up to the next reading
    uint8_t at[2];
    uint8_t mode[2]; // pj_otf2_mode
} pj_otf2_metric;

typedef struct pj_otf2_location_def {
    uint64_t id;
    uint32_t location; // in the layout
    uint64_t events;   // that the definition promises
    uint32_t rank;     // of a recorder of meters, whose process it belongs to
} pj_otf2_location_def;

/// Where a meter of the run stands in the records of its metric.
typedef struct pj_otf2_meter {
    uint64_t instance; // global id; those of one follow each other
    uint8_t at;        // among its values
} pj_otf2_meter;

typedef struct pj_otf2_defs {
    pj_arena *arena;
    uint64_t ticks_per_second, offset, length; // of the clock; 0 = not defined
    pj_otf2_region *regions;
    uint32_t region_count;
    pj_map region_of;  // by id
    pj_map context_of; // region of a calling context, by id
    pj_otf2_comm *comms;
    uint32_t comm_count;
    pj_map comm_of;        // by id
    pj_map window_of;      // by id: index of its communicator in comms
    pj_map stream_ranks;   // of windows of devices: id << 32 | rank, where that is a stream
    pj_otf2_group *groups; // where there are windows
    pj_map group_of;       // by id
    pj_otf2_metric *metrics;
    pj_map metric_of;      // by id of a class or an instance
    pj_otf2_meter *meters; // as in the run
    uint32_t meter_count;
    pj_map meter_of;                 // the first one of an instance, by its id
    pj_otf2_location_def *locations; // CPU threads in the order of the layout, then its streams,
                                     // then recorders of meters
    uint32_t location_count;         // of threads
    uint32_t stream_count;
    uint32_t meter_recorders;
    struct pj_otf2_parameters *parameters; // NULL = there are none
    bool has_teams;     // OpenMP: what threads do outside of teams is waiting for work
    bool has_nested;    // some of these are said to be within others
    uint32_t recorders; // locations that hold metrics alone
    uint32_t left_out;  // metrics recorded apart from the events
} pj_otf2_defs;

/// Reads the definitions and fills run->layout and run->names.communicators (MPI_COMM_WORLD is 1).
/// Oddities are counted in run->import. NULL with PJ_E_FORMAT when there is no thread of a process.
PJ_CHECKED pj_otf2_defs *pj_otf2_defs_read(const pj_otf2_lib *lib, pj_otf2_archive *archive,
                                           pj_run *run, pj_err *err);
void pj_otf2_defs_free(pj_otf2_defs *defs);

#endif
