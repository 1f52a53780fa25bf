// How fast streams may go out, so that a Jupyter server with its default limits (1 MB/s, averaged
// over 3 s, forgotten when a kernel turns idle) throws none of it away. Pure: time is an argument.
// Ownership: a struct of the caller's, zeroed but for the rate.
#ifndef PJ_PACE_H
#define PJ_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PJ_PACE_RATE = 900000,    // what those limits allow
    PJ_PACE_AHEAD = 64 << 10, // bytes that may be on their way beyond the free part
    PJ_PACE_SLOTS = 65
};

typedef struct pj_pace {
    uint64_t rate;                // bytes per second; 0 = any
    uint64_t sent[PJ_PACE_SLOTS]; // bytes of the last 3.25 s, in slots of 50 ms
    uint64_t slot;                // the latest one, counted from the start of the clock
    uint64_t sum;                 // of `sent`
    uint64_t next;                // ns: when more may go out
    bool steady;                  // the free part is used up
    bool trickles;                // and still counts
} pj_pace;

/// Nanoseconds until more may go out, `queued` bytes being on their way already; 0 = now. The
/// first 2.5 MB (at the default rate) within 3 s are free.
uint64_t pj_pace_wait(pj_pace *pace, uint64_t now_ns, size_t queued);
/// So many bytes went out.
void pj_pace_note(pj_pace *pace, uint64_t now_ns, size_t bytes);
/// The kernel turned idle.
void pj_pace_forget(pj_pace *pace);

#endif
