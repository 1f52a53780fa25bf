// Writes what a trace writer holds as an OTF2 archive, with libotf2 and as Score-P would: calls as
// regions, requests, counters before every region event, ids of each location's own, clock offsets.
// Ownership: borrow.
#ifndef PJ_OTF2_WRITER_H
#define PJ_OTF2_WRITER_H

#include "tests/support/trace/trace_writer.h"

/// Functions (60000018) with this value or more are of a team within another one.
enum { PJ_OTF2_NESTED = 1000 };

/// Zero is the default of all.
typedef struct pj_otf2_style {
    uint64_t ticks_per_ns; // of the clock; default 1
    uint64_t clock_begin;  // ticks at 0 ns; default 1000000
    uint64_t clock_step;   // ticks by which the clock of each rank runs ahead of the one before
    int64_t clock_drift;   // ticks in 10^9 by which it runs faster than the one before; the offsets
                           // know nothing of it
    bool no_offsets;       // leaves the offsets out of the local definitions
    bool global_ids;       // locations use global ids
    bool eztrace;          // paradigm USER, no completions of receives, no clock properties
    bool relative, absolute;      // how counters are written; default: accumulated from the start
    bool no_parents;              // nested teams are not said to be so
    bool no_requests;             // leaves out the requests of non-blocking collectives
    uint64_t no_send, no_receive; // leaves out this end of the message of this number, from 1 on
    uint64_t chunk_bytes;         // default 1 MB
} pj_otf2_style;

/// `anchor` ends with .otf2 and its folder exists; an archive of that name is replaced.
bool pj_otf2_writer_save(const pj_trace_writer *writer, const char *anchor, pj_otf2_style style,
                         pj_err *err);
/// Removes an archive.
void pj_otf2_writer_remove(const char *anchor);

#endif
