// What ranks did of late, call by call: the time between calls by region, whom they met, how long
// they waited and for whom. Bounded: the oldest calls of a rank are forgotten. Ownership: new/free.
#ifndef PJ_WAIT_STEPS_H
#define PJ_WAIT_STEPS_H

#include "metrics/replay/wait_regions.h"

typedef enum pj_wait_step_kind {
    PJ_STEP_TIME,    // before the call: region, ns
    PJ_STEP_BEYOND,  // the same outside of the region of interest
    PJ_STEP_MESSAGE, // received: sender, when the call that sent it began
    PJ_STEP_CHARGE,  // of its wait: rank and region that have led to it, and their share
} pj_wait_step_kind;

typedef struct pj_step_entry {
    uint8_t kind;
    uint32_t region, rank;
    union {
        uint64_t ns;
        double share;
    };
} pj_step_entry;

/// A call and the time before it, back to the call before.
typedef struct pj_wait_step {
    uint64_t enter, leave; // ns; leave = enter while the rank is in it
    uint64_t wait_ns;
    uint64_t spent_ns; // of the call, in the path of its rank (wait_paths)
    uint64_t meeting;  // the collective that it took part in; 0 = none
    uint64_t first;    // entry; places are counted through
    uint32_t count;
    uint32_t region; // number of the MPI function
} pj_wait_step;

typedef struct pj_step_line { // of a rank
    pj_wait_step *steps;      // ring, by number
    pj_step_entry *entries;   // ring, by place
    uint64_t first, next;     // steps that are kept
    uint64_t first_entry, next_entry;
    uint64_t until; // ns: all before has been taken
} pj_step_line;

typedef struct pj_wait_steps {
    pj_step_line *lines; // by rank
    uint32_t ranks;
    uint32_t most; // steps that are kept of a rank, a power of two
    size_t bytes;
} pj_wait_steps;

/// Keeps so many steps of all ranks together, but at least some of each.
pj_wait_steps *pj_wait_steps_new(uint32_t ranks, uint32_t of_all);
void pj_wait_steps_free(pj_wait_steps *steps);

/// The next call of a rank, entered at `enter`; gives its number, from 1 on.
uint64_t pj_wait_steps_begin(pj_wait_steps *steps, uint32_t rank, uint64_t enter, uint32_t region);
/// Adds to the last call; left out when there is no room.
void pj_wait_steps_add(pj_wait_steps *steps, uint32_t rank, pj_step_entry entry);
static inline pj_step_line *pj_wait_steps_line(const pj_wait_steps *steps, uint32_t rank)
{
    return &steps->lines[rank];
}
/// A step that is kept.
static inline pj_wait_step *pj_wait_steps_at(const pj_wait_steps *steps, uint32_t rank,
                                             uint64_t number)
{
    return &steps->lines[rank].steps[number & (steps->most - 1)];
}
static inline const pj_step_entry *pj_wait_steps_entry(const pj_wait_steps *steps, uint32_t rank,
                                                       uint64_t place)
{
    return &steps->lines[rank].entries[place & (4 * (uint64_t)steps->most - 1)];
}
static inline bool pj_wait_steps_has(const pj_wait_steps *steps, uint32_t rank, uint64_t number)
{
    return number >= steps->lines[rank].first && number < steps->lines[rank].next;
}
/// The last kept call of a rank that has begun by `time`; 0 when there is none.
uint64_t pj_wait_steps_find(const pj_wait_steps *steps, uint32_t rank, uint64_t time);
/// What a call took without its wait, as far as it is over.
static inline uint64_t pj_wait_step_busy(const pj_wait_step *step)
{
    return step->leave - step->enter - step->wait_ns;
}

#endif
