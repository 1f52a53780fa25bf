// One device over time: what its streams do together, and why it is idle meanwhile. Two sweep lines
// in one: how long kernels run, and how long data are moved. Ownership: plain data; the sums are
// borrowed.
#ifndef PJ_DEVICE_CLOCK_H
#define PJ_DEVICE_CLOCK_H

#include "metrics/run/devices.h"

#include <stdbool.h>
#include <stdint.h>

/// What a stream may be doing.
typedef enum pj_device_work {
    PJ_DEVICE_WORK_KERNEL,
    PJ_DEVICE_WORK_TRANSFER,
    PJ_DEVICE_WORKS,
} pj_device_work;

/// Who is told what a device does, piece after piece: PJ_DEVICE_WORKS = nothing. Kernels go before
/// what is moved meanwhile.
typedef struct pj_device_watch {
    void (*tell)(void *self, uint32_t lane, pj_device_work work, uint64_t from, uint64_t to);
    void *self;
    uint32_t lane;
} pj_device_watch;

typedef struct pj_device_clock {
    pj_device_sum *sum;
    pj_device_watch watch;                 // .tell NULL = nobody
    uint64_t from, to;                     // what counts
    uint64_t at;                           // accounted up to here
    uint32_t open[PJ_DEVICE_WORKS];        // pieces without a known end
    uint64_t until[PJ_DEVICE_WORKS];       // the latest end of the others
    bool begun;                            // it has done something
    bool asked;                            // while it is idle it was given work
    uint32_t driver;                       // the thread that drives it: a location
    pj_device_idle cause;                  // of being idle, from now on
    uint64_t gap[PJ_DEVICE_IDLE_CAUSES];   // while it is idle: up to when it was given work
    uint64_t since[PJ_DEVICE_IDLE_CAUSES]; // and from then on
} pj_device_clock;

/// [from, to) is what counts.
void pj_device_clock_begin(pj_device_clock *clock, pj_device_sum *sum, uint64_t from, uint64_t to);
/// Accounts up to `time`. What comes before the time of an earlier call counts from that on.
void pj_device_clock_advance(pj_device_clock *clock, uint64_t time);

/// A piece of work begins at `time`, where the clock stands.
void pj_device_clock_open(pj_device_clock *clock, pj_device_work work);
void pj_device_clock_close(pj_device_clock *clock, pj_device_work work);
/// One whose end is known; whoever finds it to end earlier says until when the others last.
void pj_device_clock_piece(pj_device_clock *clock, pj_device_work work, uint64_t end);
void pj_device_clock_shorten(pj_device_clock *clock, pj_device_work work, uint64_t until);

/// The thread that drives it has asked it for work.
void pj_device_clock_ask(pj_device_clock *clock);
/// Accounts up to the end of the trace.
void pj_device_clock_end(pj_device_clock *clock, uint64_t time);

#endif
