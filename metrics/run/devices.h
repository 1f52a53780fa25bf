// What the devices (GPUs) of a run did, each over all of its streams, and the time that threads
// spent in their runtime (DEFINITIONS 10). Ownership: arena (the run's).
#ifndef PJ_DEVICES_H
#define PJ_DEVICES_H

#include "metrics/run/run.h"
#include "metrics/table/table.h"

#include <stdbool.h>
#include <stdint.h>

/// Why a device is idle.
typedef enum pj_device_idle {
#define IDLE(name, title, sentence) PJ_DEVICE_IDLE_##name,
#include "metrics/base/str.h"
#include "metrics/run/device_idle.def"
#undef IDLE
    PJ_DEVICE_IDLE_CAUSES // number of causes
} pj_device_idle;

/// Times in ns, of the region of interest.
typedef struct pj_device_sum {
    const char *key; // as of its streams
    uint32_t streams;
    uint64_t kernels;           // that begin
    uint64_t useful_ns;         // union of kernels
    uint64_t transfer_ns;       // union of copies and exchanges less that of kernels
    uint64_t transfer_total_ns; // with what lies under kernels
    uint64_t idle_ns[PJ_DEVICE_IDLE_CAUSES];
    uint64_t to_device, to_host; // bytes of copies
    bool bytes_known;
} pj_device_sum;

typedef struct pj_devices {
    pj_device_sum *items; // in the order of pj_device_keys
    uint32_t count;
    uint64_t *runtime_ns; // by location: in calls of the runtime of devices
    uint64_t early;       // kernels that begin before their launch, where each has one
} pj_devices;

static inline uint64_t pj_device_active_ns(const pj_device_sum *device)
{
    return device->useful_ns + device->transfer_ns;
}

/// "host_ns", "Host code".
const char *pj_device_idle_key(pj_device_idle cause);
const char *pj_device_idle_title(pj_device_idle cause);
const char *pj_device_idle_sentence(pj_device_idle cause);

/// The processes whose devices together compute most, and are most active, in ns. False where every
/// process has one device, which then says the same, and where processes share one: what each did
/// there is not kept.
bool pj_devices_of_processes(const pj_run *run, uint64_t *useful_max, uint64_t *active_max);

/// Why nothing is known of devices: the trace has none, or a summary does not tell; NULL = it is.
const char *pj_devices_lack(const pj_run *run);
/// The run's name for a device on its node: "D0" of "node1:D0", and "node1"; "" where not known.
pj_str pj_device_node(const char *key);
pj_str pj_device_name(const char *key);

/// device, node, streams, kernels, useful_ns, transfer_ns, transfer_total_ns, active_ns,
/// bytes_to_device, bytes_to_host, overlap; a row for each device. New table, without rows and with
/// a note where there are none.
pj_table *pj_devices_table(const pj_run *run);
/// device, node, idle_ns, then a column for each cause; the same rows.
pj_table *pj_devices_idle_table(const pj_run *run);

#endif
