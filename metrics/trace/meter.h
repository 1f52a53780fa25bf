// Metrics of energy and power in a trace: what a name, a unit and a label say of the sensor behind
// them (DEFINITIONS 14). The labels are often wrong; what the values say comes later
// (stat/energy_meter.h). Ownership: plain data; texts are the run's arena.
#ifndef PJ_METER_H
#define PJ_METER_H

#include "metrics/base/str.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum pj_meter_kind {
    PJ_METER_NONE,   // neither
    PJ_METER_ENERGY, // a counter of energy
    PJ_METER_POWER,  // power at a time
} pj_meter_kind;

/// What is measured. A node holds all others; a platform its packages and memory, a package its
/// cores and what is around them, but no memory.
typedef enum pj_meter_domain {
    PJ_METER_NODE,
    PJ_METER_PLATFORM,
    PJ_METER_PACKAGE,
    PJ_METER_CORES,
    PJ_METER_UNCORE,
    PJ_METER_DRAM,
    PJ_METER_BOARD, // of a device
    PJ_METER_OTHER, // not known
    PJ_METER_DOMAINS,
} pj_meter_domain;

/// Which time a reading of power is about.
typedef enum pj_meter_timing {
    PJ_METER_FROM_HERE, // up to the next reading; also where the label says no more than "since the
                        // start"
    PJ_METER_UP_TO_HERE,
    PJ_METER_POINT, // itself alone
} pj_meter_timing;

/// A run has fewer meters than 2 to the power of this.
enum { PJ_METER_BITS = 17 };

/// What the bits of a reading are.
typedef enum pj_meter_value { PJ_METER_UNSIGNED, PJ_METER_SIGNED, PJ_METER_REAL } pj_meter_value;

/// "No threads", "those of every node".
#define PJ_METER_NO_NODE 0
#define PJ_METER_ALL_NODES UINT32_MAX

typedef struct pj_meter {
    const char *name;  // of the metric
    const char *scope; // node, or what else it is of; "" = the trace does not tell
    uint32_t node;     // in the layout, whose threads it is about; PJ_METER_NO_NODE = none
    unsigned source;   // row of meter_sources.def; PJ_METER_SOURCES = none of them
    pj_meter_kind kind;
    pj_meter_domain domain;
    uint32_t number; // which of these in its node, from its name
    pj_meter_timing timing;
    double factor;       // joules or watts per unit of a value; 0 = not known
    double range;        // of values, at which a counter begins anew; 0 = not known
    double lesser_range; // the same of some processors
} pj_meter;

typedef struct pj_meters {
    pj_meter *items;
    uint32_t count;
    uint32_t left_out; // metrics of energy that threads record among their events, or too many
} pj_meters;

enum {
#define SOURCE(key, word, domain, joules, watts, range, lesser) PJ_METER_SOURCE_##key,
#include "metrics/trace/meter_sources.def"
#undef SOURCE
    PJ_METER_SOURCES
};

/// Kind, source, domain, number, factor and range of a metric by its name and its unit, which may
/// be empty; `scale` is what the trace multiplies values by to come to that unit. Scope, node and
/// timing are left 0. Of kind PJ_METER_NONE where it is no metric of energy or power.
pj_meter pj_meter_of(const char *name, const char *unit, double scale);

/// Joules or watts per "mJ", "W" ...; 0 = no such unit.
double pj_meter_unit(pj_str unit);
/// "rocm_smi"; "" past the last.
const char *pj_meter_source_name(unsigned source);
/// "board".
const char *pj_meter_domain_name(pj_meter_domain domain);

#endif
