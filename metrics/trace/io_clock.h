// Calls of input and output of one thread, what they move, and how long those of MPI-I/O have
// others within them. Of calls within others the outermost one counts. Ownership: plain data.
#ifndef PJ_IO_CLOCK_H
#define PJ_IO_CLOCK_H

#include "metrics/trace/event.h"
#include "metrics/trace/io_way.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pj_io_clock {
    uint64_t calls;
    uint64_t bytes[PJ_IO_OTHER + 1];  // by pj_io_way
    uint64_t untold[PJ_IO_OTHER + 1]; // calls that move bytes, nothing tells how many
    uint64_t overlap_ns, since;       // both are open; since when
    uint8_t mpi, other;               // pj_io_way of the calls that are open
    bool sized;                       // of the outermost one it is told what it moves
} pj_io_clock;

/// A call of MPI-I/O, or an event of PJ_IO_*; what counts lies in [from, to) ns.
void pj_io_clock_event(pj_io_clock *clock, const pj_event *event, uint64_t from, uint64_t to);
/// Calls that are still open end here.
void pj_io_clock_end(pj_io_clock *clock, uint64_t time, uint64_t from, uint64_t to);

#endif
