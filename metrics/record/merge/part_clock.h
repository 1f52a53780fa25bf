// How the clock of a process ran, from the readings in its log (K lines). Ownership: plain value.
#ifndef PJ_PART_CLOCK_H
#define PJ_PART_CLOCK_H

#include "metrics/record/merge/part_log.h"

typedef struct pj_clock_reading {
    uint64_t ticks, monotonic, real; // ns but the first
} pj_clock_reading;

typedef struct pj_part_clock {
    pj_clock_reading first, last;
    bool counts_ns; // CLOCK_MONOTONIC itself
    bool here;      // the process ran on this machine since it was started
} pj_part_clock;

pj_part_clock pj_part_clock_of(const pj_part_log *log);
/// Ticks in a second, from the readings of one clock that lie furthest apart; 0 = not known.
uint64_t pj_part_clock_rate(const pj_part_clock *clock);

#endif
