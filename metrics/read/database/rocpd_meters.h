// Readings of energy and power among the counters of a rocpd database, as rocprof-sys samples them.
// Every process samples the devices of its machine. Ownership: a zeroed struct with a job is empty;
// free releases it.
#ifndef PJ_ROCPD_METERS_H
#define PJ_ROCPD_METERS_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/map.h"
#include "metrics/read/charged.h"
#include "metrics/read/database/device_tables.h"
#include "metrics/read/pass.h"
#include "metrics/trace/meter.h"

typedef struct pj_rocpd_reading {
    int64_t time; // ns of the clock of its rank
    double value;
    const pj_ai_rank *rank; // NULL = it is none
    uint32_t meter;
    uint32_t row; // among all, once they are in order
} pj_rocpd_reading;

typedef struct pj_rocpd_meters {
    bool wanted;      // what they read, too
    pj_charge charge; // readings
    pj_arena *arena;
    pj_meter *items;
    uint64_t *units; // what their devices are on their machines; 0 = not told
    size_t count, cap, unit_cap;
    pj_rocpd_reading *readings;
    size_t reading_count, reading_cap, kept;
    pj_map machines; // by a fingerprint: their number
} pj_rocpd_meters;

/// The tables of one process.
typedef struct pj_rocpd_process {
    const char *suffix;
    int64_t index; // of these tables, as for ranks
    const pj_map *agents, *units;
} pj_rocpd_process;

/// `agents`: of an agent that is a GPU its number plus one; `units`: of that number, twice, the low
/// and the high half of what it is on its machine.
PJ_CHECKED bool pj_rocpd_meters_read(pj_rocpd_meters *meters, pj_device_tables *tables,
                                     pj_rocpd_process process, pj_err *err);
/// A file is read: of its ranks these remain.
void pj_rocpd_meters_keep(pj_rocpd_meters *meters, pj_ai_rank *const *ranks, size_t count);
/// The run is filled: it gets its meters, and who wants them their readings.
PJ_CHECKED bool pj_rocpd_meters_tell(pj_rocpd_meters *meters, pj_pass *pass,
                                     pj_ai_rank *const *ranks, size_t count, pj_err *err);
void pj_rocpd_meters_free(pj_rocpd_meters *meters);

#endif
