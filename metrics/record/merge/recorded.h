// The definitions of a recorded archive, ready to be written. Ids are positions; texts are ids of
// strings, 0 = "". Ownership: arena.
#ifndef PJ_RECORDED_H
#define PJ_RECORDED_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <stddef.h>
#include <stdint.h>

#define PJ_RECORDED_NONE UINT32_MAX

typedef struct pj_recorded_region {
    uint32_t name, canonical, description, file, first_line, last_line;
    uint8_t role, paradigm;
} pj_recorded_region;

typedef struct pj_recorded_parameter {
    uint32_t name;
    uint8_t type;
} pj_recorded_parameter;

typedef struct pj_recorded_metric {
    uint32_t name, unit;
    uint8_t type;
    bool of_thread; // read together with its events
} pj_recorded_metric;

typedef struct pj_recorded_comm {
    uint32_t name;
    uint32_t parent; // PJ_RECORDED_NONE = none
    bool self, team;
    const uint64_t *members; // world ranks; of a team the places of its threads in `threads`
    uint32_t count;
    const uint64_t *others; // of one between two groups: the other one; else NULL
    uint32_t other_count;
} pj_recorded_comm;

/// From the ids of a process, 1 to `count`, to those of the archive; NULL = it has none.
typedef struct pj_recorded_map {
    const uint32_t *ids;
    uint32_t count;
} pj_recorded_map;

typedef struct pj_recorded_offset {
    uint64_t ticks;
    int64_t offset;
} pj_recorded_offset;

typedef struct pj_recorded_handle {
    uint32_t name, file; // of `files`
    uint8_t paradigm;    // of `io_paradigms`
    bool before;         // it was open before the recording
} pj_recorded_handle;

typedef struct pj_recorded_io_paradigm {
    uint32_t id, name;
} pj_recorded_io_paradigm;

typedef struct pj_recorded_process {
    uint32_t name, node, creator; // creator: PJ_RECORDED_NONE = unknown
    uint64_t pid;
    pj_recorded_map strings, regions, parameters, metrics, comms, handles;
    pj_recorded_offset offsets[2];
    bool has_offsets;
} pj_recorded_process;

typedef struct pj_recorded_location {
    uint64_t id, events;
    uint32_t name, process;
    bool readings; // no thread of the program
} pj_recorded_location;

typedef struct pj_recorded_property {
    const char *name, *value;
} pj_recorded_property;

typedef struct pj_recorded {
    const char **strings; // [0] = ""
    const pj_recorded_region *regions;
    const pj_recorded_parameter *parameters;
    const pj_recorded_metric *metrics;
    const pj_recorded_comm *comms;
    uint32_t string_count, region_count, parameter_count, metric_count, comm_count;
    const uint32_t *files; // their names
    const pj_recorded_handle *handles;
    const pj_recorded_io_paradigm *io_paradigms;
    uint32_t file_count, handle_count;
    uint8_t io_paradigm_count;
    const pj_recorded_process *processes;
    const uint32_t *nodes; // names of hosts
    const pj_recorded_location *locations;
    size_t process_count, node_count, location_count;
    uint32_t machine, machine_class, node_class, world_name, self_name, mpi_name, id_name,
        threads_name, openmp_name;
    const uint64_t *world;                          // location of each world rank
    uint32_t world_size;                            // 0 = no MPI
    const uint64_t *threads;                        // locations that are in teams of OpenMP
    uint32_t thread_count;                          // 0 = no OpenMP
    uint64_t ticks_per_second, begin, length, real; // real: ns since 1970 of the begin
    const pj_recorded_property *properties;
    size_t property_count;
} pj_recorded;

typedef struct pj_recorded_writer {
    /// `folder`/traces.otf2 and what belongs to it but the event files.
    bool (*write)(const pj_recorded *recorded, const char *folder, pj_err *err);
} pj_recorded_writer;

#endif
