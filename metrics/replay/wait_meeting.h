// Who came when to the collectives that are open, as far as others wait for them.
// Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_WAIT_MEETING_H
#define PJ_WAIT_MEETING_H

#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/mpi_flow.h"

#include <stddef.h>

typedef struct pj_arrival {
    uint32_t rank;
    uint64_t enter; // ns in the trace
} pj_arrival;

typedef struct pj_wait_meeting {
    pj_mpi_flow flow;
    bool has_root;
    uint32_t root; // rank
    bool came, root_came, others_came;
    pj_arrival latest;        // of all
    pj_arrival at_root;       // of the root
    pj_arrival others_latest; // of all but the root
    double clock;             // of the last arrival in the replay
    uint32_t clock_rank;
    uint64_t first_leave, leaves, leave_count; // ns; sum of those after all had come
    pj_arrival *all;                           // of a scan
    size_t all_count, all_cap;
    uint32_t next_free;
    uint64_t number; // of all collectives, from 1 on
} pj_wait_meeting;

typedef struct pj_wait_meetings {
    pj_wait_meeting *items;
    size_t count, cap;
    uint32_t free; // 1 + the first free one; 0 = none
    uint64_t made;
} pj_wait_meetings;

uint32_t pj_wait_meetings_new(pj_wait_meetings *meetings);
void pj_wait_meetings_part(pj_wait_meetings *meetings, uint32_t meeting);
void pj_wait_meeting_arrive(pj_wait_meeting *meeting, pj_arrival arrival, double clock);
/// A member's call ends at `leave`, in the region of interest at `clipped`.
void pj_wait_meeting_leave(pj_wait_meeting *meeting, uint64_t leave, uint64_t clipped);
/// From when on all were there and the first one had left.
uint64_t pj_wait_meeting_complete(const pj_wait_meeting *meeting);
/// Those who came to `from` have come to `to`.
void pj_wait_meeting_merge(pj_wait_meeting *from, pj_wait_meeting *to);
/// When the one comes for whom `rank` waits; false when it waits for nobody.
bool pj_wait_meeting_release(const pj_wait_meeting *meeting, uint32_t rank, pj_arrival *out);
pj_wait_pattern pj_wait_meeting_pattern(const pj_wait_meeting *meeting);
void pj_wait_meetings_free(pj_wait_meetings *meetings);

#endif
