// What one meter reads over time: energy as the difference of a counter, and as power times time,
// for which of the two it is shows only at the end. Ownership: a zeroed struct with a meter is
// empty; free releases it.
#ifndef PJ_ENERGY_METER_H
#define PJ_ENERGY_METER_H

#include "metrics/run/energy.h"
#include "metrics/trace/meter.h"

/// Intervals of about one length.
typedef struct pj_energy_bin {
    unsigned length; // eighths of a power of two of ns
    uint64_t count, ns, covered_ns;
    uint64_t counter_ns; // of a counter: without those that it began anew in
    double sum[2];       // as a counter, as power
    double states[2][PJ_ENERGY_STATES];
    double min[2], max[2];
    double *regions[2]; // of the sums; NULL = they are not asked for
} pj_energy_bin;

typedef struct pj_energy_meter {
    const pj_meter *meter;
    int64_t from, to; // what counts, ns of the run
    bool begun;
    int64_t time;  // of the latest sample, which may lie before the run
    uint64_t bits; // and its value
    pj_meter_value type;
    double states[PJ_ENERGY_STATES]; // ns so far, at that time
    size_t regions;                  // how many; before the first sample
    const double *in_regions;        // ns so far, set before each sample; NULL = not known
    double *were_in;                 // at that time
    double *region_parts;            // of the latest interval
    uint64_t samples, dropped, resets, falls, rises;
    double first;        // sample
    pj_energy_bin *bins; // by length
    size_t count, cap;
} pj_energy_meter;

/// A sample. `states` is what has been done up to its time, in ns of any number of threads; NULL =
/// not known.
void pj_energy_meter_take(pj_energy_meter *m, int64_t time, pj_meter_value type, uint64_t bits,
                          const double *states);
/// The value of the latest sample; NaN = there is none.
double pj_energy_meter_value(const pj_energy_meter *m);
pj_energy_reading pj_energy_meter_end(const pj_energy_meter *m);
/// Of the same sum, that of each region, into m->regions values, the last one what is outside.
void pj_energy_meter_end_regions(const pj_energy_meter *m, double *out);
void pj_energy_meter_free(pj_energy_meter *m);

#endif
